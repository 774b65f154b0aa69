-- DEFAULT NULL: its NULL is one of the column's type, whatever that is.
--@ source: documentation CREATE TABLE: DEFAULT may be NULL
CREATE TABLE nulls (id int NOT NULL CONSTRAINT pk_nulls PRIMARY KEY, d datetime2 NULL CONSTRAINT df_d DEFAULT NULL, o datetimeoffset DEFAULT (NULL),
    day date DEFAULT ((NULL)), at time DEFAULT NULL, u uniqueidentifier DEFAULT NULL, x xml DEFAULT NULL, v sql_variant DEFAULT NULL,
    b varbinary(8) DEFAULT NULL, i image DEFAULT NULL, r real DEFAULT NULL, n nvarchar(9) DEFAULT NULL)
INSERT nulls (id) VALUES (1)
INSERT nulls (id, d, o, day, at, u, x) VALUES (2, DEFAULT, DEFAULT, DEFAULT, DEFAULT, DEFAULT, DEFAULT)
INSERT nulls (id) SELECT 3
INSERT nulls (id, d, day) OUTPUT inserted.d, inserted.day VALUES (4, '20240229', '20240229')
UPDATE nulls SET d = DEFAULT, day = DEFAULT WHERE id = 4
MERGE nulls AS t USING (SELECT 4 AS id UNION SELECT 5) AS s ON s.id = t.id
    WHEN MATCHED THEN UPDATE SET u = DEFAULT, x = DEFAULT WHEN NOT MATCHED THEN INSERT (id, at) VALUES (s.id, DEFAULT);
SELECT COUNT(*) AS rows, COUNT(d) AS d, COUNT(o) AS o, COUNT(day) AS day, COUNT(at) AS at, COUNT(u) AS u, SUM(IIF(x IS NULL, 0, 1)) AS x FROM nulls
SELECT c.name, d.definition FROM sys.default_constraints d JOIN sys.columns c ON c.object_id = d.parent_object_id AND c.column_id = d.parent_column_id
    WHERE d.parent_object_id = OBJECT_ID('nulls') AND c.name IN ('d', 'o', 'day') ORDER BY c.column_id
GO
--@ source: documentation ALTER TABLE: WITH VALUES
-- To a table that has rows, and for a column that is there.
ALTER TABLE nulls ADD late date NULL CONSTRAINT df_late DEFAULT NULL WITH VALUES, plain datetime2
ALTER TABLE nulls ADD CONSTRAINT df_plain DEFAULT NULL FOR plain
GO
--@ source: reasoned
INSERT nulls (id) VALUES (6)
SELECT COUNT(*) AS rows, COUNT(late) AS late, COUNT(plain) AS plain FROM nulls
DROP TABLE nulls
GO
--@ source: documentation CREATE TABLE, DECLARE, CREATE TYPE
DECLARE @t TABLE (id int, d date DEFAULT NULL)
INSERT @t (id) VALUES (1)
CREATE TABLE #t (id int, u uniqueidentifier DEFAULT NULL)
INSERT #t (id) VALUES (1)
SELECT t.d, o.u FROM @t t CROSS JOIN #t o
DROP TABLE #t
CREATE TYPE dates AS TABLE (id int, d date DEFAULT NULL)
GO
--@ source: reasoned
CREATE PROCEDURE takes @d date = NULL, @u uniqueidentifier = NULL AS
DECLARE @p dates
INSERT @p (id) VALUES (1)
SELECT d, @d AS given, @u AS id FROM @p
GO
--@ source: reasoned
EXEC takes
DROP PROCEDURE takes
DROP TYPE dates
GO
--@ source: documentation CREATE TABLE: NULL where a column takes none is 515
CREATE TABLE strict (id int, d date NOT NULL DEFAULT NULL)
INSERT strict (id) VALUES (1)
DROP TABLE strict
GO
--@ source: documentation data type conversion: int does not become date
-- A NULL that has a type is one of that type.
CREATE TABLE typed (id int, d date DEFAULT CAST(NULL AS int))
INSERT typed (id) VALUES (1)
GO
--@ source: reasoned
DROP TABLE typed
GO
--@ source: documentation CREATE TABLE: ON DELETE SET DEFAULT
CREATE TABLE parents (id uniqueidentifier PRIMARY KEY)
CREATE TABLE children (id int, parent uniqueidentifier DEFAULT NULL REFERENCES parents (id) ON DELETE SET DEFAULT)
INSERT parents VALUES ('6F9619FF-8B86-D011-B42D-00C04FC964FF')
INSERT children SELECT 1, id FROM parents
DELETE parents
SELECT id, parent FROM children
DROP TABLE children
DROP TABLE parents
GO
