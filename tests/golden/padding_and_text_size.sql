-- SET options that decide what of a value is kept and sent.
--@ source: reasoned
CREATE DATABASE Padding
GO
-- 0 is the default of 4 KB.
--@ source: documentation SET TEXTSIZE
SET TEXTSIZE 0
SELECT @@TEXTSIZE AS size, REPLICATE(CAST('x' AS varchar(max)), 5000) AS v INTO #sent
SELECT @@TEXTSIZE AS size, DATALENGTH(v) AS kept FROM #sent
SET TEXTSIZE 2147483647
GO
--@ source: documentation SET ANSI_PADDING
USE Padding
SET ANSI_PADDING OFF
CREATE TABLE t (n int NOT NULL, v varchar(5), b varbinary(5) NULL, c char(3) NOT NULL, w nvarchar(5), m varchar(max))
SET ANSI_PADDING ON
CREATE TABLE p (n int NOT NULL, v varchar(5), b varbinary(5))
GO
--@ source: documentation sys.columns
SELECT name, is_ansi_padded FROM sys.columns WHERE object_id = OBJECT_ID('t') ORDER BY column_id
SELECT name, is_ansi_padded FROM sys.columns WHERE object_id = OBJECT_ID('p') ORDER BY column_id
GO
-- What decides is how the column was made, not what is set now.
--@ source: documentation SET ANSI_PADDING
INSERT t VALUES (1, 'a  ', 0x0100, 'c', N'w  ', 'm  ')
INSERT t (n, v, c) VALUES (2, '   ', '')
INSERT p VALUES (1, 'a  ', 0x0100)
INSERT t (n, v, b, c) SELECT n + 2, v, b, '' FROM p
UPDATE t SET v = 'u  ' WHERE n = 2
INSERT t (n, v, c) VALUES (4, 'b', '')
MERGE t USING (SELECT 4 AS n, CAST('m ' AS varchar(5)) AS v) AS s ON t.n = s.n WHEN MATCHED THEN UPDATE SET v = s.v;
INSERT t (n, v, c) EXEC ('SELECT 5, CAST(''e  '' AS varchar(5)), ''''')
SELECT n, '[' + v + ']' AS v, b, '[' + c + ']' AS c, '[' + w + ']' AS w, '[' + m + ']' AS m FROM t ORDER BY n
SELECT n, '[' + v + ']' AS v, b FROM p
GO
-- A table that is copied whole.
--@ source: documentation SET ANSI_PADDING
SET ANSI_PADDING OFF
CREATE TABLE q (n int NOT NULL, v varchar(5), b varbinary(5))
SET ANSI_PADDING ON
INSERT q SELECT * FROM p
SELECT n, '[' + v + ']' AS v, b FROM q
GO
-- Added columns go by the setting, changed ones are as under ON.
--@ source: documentation ALTER TABLE
SET ANSI_PADDING OFF
ALTER TABLE q ADD d varchar(5) NOT NULL DEFAULT 'd  '
ALTER TABLE q ALTER COLUMN v varchar(6)
SET ANSI_PADDING ON
GO
--@ source: documentation ALTER TABLE
UPDATE q SET v = 'z  '
SELECT '[' + d + ']' AS d, '[' + v + ']' AS v FROM q
SELECT name, is_ansi_padded FROM sys.columns WHERE object_id = OBJECT_ID('q') ORDER BY column_id
GO
--@ source: reasoned
SET ANSI_PADDING OFF
CREATE TABLE r (c char(3) NULL)
GO
--@ source: reasoned
SET ANSI_PADDING ON
USE master
DROP DATABASE Padding
GO
