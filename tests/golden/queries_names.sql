-- Names in queries: ambiguous, missing, qualified, quoted; aliases of all forms; what clause sees what.
--@ source: reasoned
CREATE DATABASE qn
GO
--@ source: reasoned
USE qn
GO
--@ source: reasoned
CREATE SCHEMA s
GO
--@ source: reasoned
CREATE TABLE dbo.t (id int, [select] int, [a b] int, [x]]y] int, "q""t" int)
CREATE TABLE s.t (id int, other int)
CREATE TABLE dbo.u (id int, t int, U int)
INSERT dbo.t VALUES (1, 2, 3, 4, 5)
INSERT s.t VALUES (1, 20)
INSERT dbo.u VALUES (1, 100, 200)
GO
--@ source: message 2705
CREATE TABLE dbo.v (a int, A int)
GO
--@ source: documentation Database identifiers
SELECT [select], [a b], [x]]y], "q""t", t.[select], dbo.t.[a b], qn.dbo.t.id AS three_part, qn..t.id FROM dbo.t
GO
--@ source: documentation SELECT clause
-- The forms of an alias.
SELECT id AS a, id b, c = id, id AS [d d], id AS 'e', id 'f', 'g' = id, id AS "h", [i] = id, ID FROM dbo.t
SELECT t.*, t.id AS again FROM dbo.t
SELECT x.id, y.ID, X.Id AS third FROM dbo.t AS x, s.t AS Y
GO
--@ source: documentation FROM clause
-- Two tables of one name in two schemas.
SELECT dbo.t.id, s.t.other FROM dbo.t JOIN s.t ON s.t.id = dbo.t.id
SELECT dbo.t.*, s.t.* FROM dbo.t, s.t
SELECT u.t, t.id FROM dbo.u JOIN dbo.t ON t.id = u.id
SELECT u FROM dbo.u AS x
SELECT u.u FROM dbo.u AS u
GO
--@ source: message 209
SELECT t.id FROM dbo.t JOIN s.t ON s.t.id = dbo.t.id
GO
--@ source: message 209
SELECT id FROM dbo.t, s.t
GO
--@ source: message 207
SELECT nope FROM dbo.t
SELECT 'not reached' AS x
GO
--@ source: message 207
SELECT dbo.t.nope FROM dbo.t
GO
--@ source: message 4104
SELECT s.t.id FROM dbo.t
GO
--@ source: message 4104
SELECT t.id FROM dbo.t AS x
GO
--@ source: message 107
SELECT nope.* FROM dbo.t
GO
--@ source: message 107
SELECT t.* FROM dbo.t AS x
GO
--@ source: message 263
SELECT *
GO
--@ source: message 107
SELECT t.*
GO
--@ source: message 208
SELECT * FROM nope
SELECT 'not reached' AS x
GO
--@ source: message 208
SELECT * FROM nope.t
GO
--@ source: message 208
SELECT * FROM nope.dbo.t
GO
--@ source: message 208
BEGIN TRY
SELECT * FROM dbo.nope
END TRY
BEGIN CATCH
SELECT 'not caught here' AS x
END CATCH
GO
--@ source: message 208
BEGIN TRY
EXEC ('SELECT * FROM dbo.nope')
END TRY
BEGIN CATCH
SELECT ERROR_NUMBER() AS n, ERROR_SEVERITY() AS sev, ERROR_STATE() AS st, ERROR_MESSAGE() AS m
END CATCH
GO
--@ source: message 207
BEGIN TRY
SELECT nope FROM dbo.t
END TRY
BEGIN CATCH
SELECT 'not caught here' AS x
END CATCH
GO
--@ source: message 195
SELECT nope(1)
GO
--@ source: message 4121
SELECT dbo.nope(1)
GO
--@ source: message 208
SELECT * FROM dbo.nope(1)
GO
--@ source: message 207
-- Quotation marks make a name, apostrophes text.
SELECT "id", 'id' FROM dbo.t
SELECT "nope" FROM dbo.t
GO
--@ source: documentation SET QUOTED_IDENTIFIER
SET QUOTED_IDENTIFIER OFF
GO
--@ source: documentation SET QUOTED_IDENTIFIER
SELECT "text" AS a, "it's" AS b, [id] FROM dbo.t WHERE "x" = 'x'
GO
--@ source: documentation SET QUOTED_IDENTIFIER
SET QUOTED_IDENTIFIER ON
GO
--@ source: message 156
SELECT select FROM dbo.t
GO
--@ source: message 156
SELECT id from FROM dbo.t
GO
--@ source: message 102
SELECT a b FROM dbo.t x y
GO
--@ source: message 102
SELECT id, FROM dbo.t
GO
--@ source: message 102
SELECT id FROM dbo.t, 
GO
--@ source: message 156
SELECT FROM dbo.t
GO
--@ source: message 102
SELECT id FROM dbo.t WHERE
GO
--@ source: message 105
SELECT 'abc FROM dbo.t
GO
--@ source: message 103
SELECT 1 AS aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffgggggggggghhhhhhhhhhiiiiiiiiiijjjjjjjjjjkkkkkkkkkkllllllllllmmmmmmmmm
GO
--@ source: message 4145
SELECT id FROM dbo.t WHERE id
GO
--@ source: message 102
SELECT id = 1 = 2 FROM dbo.t
GO
--@ source: message 156
SELECT id FROM dbo.t WHERE id IS = NULL
GO
--@ source: message 102
SELECT id FROM dbo.t WHERE id == 1
GO
--@ source: message 156
SELECT id FROM dbo.t GROUP ORDER BY id
GO
--@ source: message 156
SELECT id WHERE id = 1 FROM dbo.t
GO
--@ source: message 207
SELECT id WHERE id = 1
GO
--@ source: documentation SELECT
SELECT 1 AS a WHERE 1 = 1 ORDER BY a
SELECT 1 + 1, 'a' AS b, NULL AS c WHERE 1 = 0
SELECT id i FROM dbo.t t WHERE t.id IN (1) AND NOT t.id <> 1 AND (t.id) = (1) OR 1 = 0 AND t.id !> 0
GO
--@ source: message 4104
SELECT other.dbo.t.id FROM dbo.t
GO
--@ source: reasoned
CREATE DATABASE qn2
GO
--@ source: reasoned
CREATE TABLE qn.dbo.same (id int, v varchar(5))
CREATE TABLE qn2.dbo.same (id int, v varchar(5))
INSERT qn.dbo.same VALUES (1, 'one')
INSERT qn2.dbo.same VALUES (1, 'two')
GO
--@ source: reasoned
-- Two databases have a table of one name: the database tells them apart.
SELECT (SELECT qn.dbo.same.v FROM qn2.dbo.same) AS x FROM qn.dbo.same
SELECT v FROM qn.dbo.same WHERE EXISTS (SELECT 1 FROM qn2.dbo.same WHERE qn2.dbo.same.v = qn.dbo.same.v)
SELECT qn.dbo.same.v, qn2.dbo.same.v FROM qn.dbo.same JOIN qn2.dbo.same ON qn.dbo.same.id = qn2.dbo.same.id
GO
--@ source: reasoned
DELETE qn.dbo.same WHERE NOT EXISTS (SELECT 1 FROM qn2.dbo.same WHERE qn2.dbo.same.v = qn.dbo.same.v)
SELECT @@ROWCOUNT AS n
GO
--@ source: message 4104
SELECT nope..same.id FROM dbo.same
GO
--@ source: reasoned
DROP DATABASE qn2
GO
--@ source: reasoned
USE master
DROP DATABASE qn
GO
