-- What values become in columns and variables: SELECT INTO, INSERT, UPDATE, DECLARE and SET at the limits of types.
--@ source: reasoned
CREATE DATABASE types_values
GO
--@ source: reasoned
USE types_values
SET NOCOUNT ON
GO
--@ source: documentation INTO clause
SELECT NULL AS n, 1.5 AS d, 'a' AS v, N'a' AS nv, $1 AS m, 1e0 AS f, 0x01 AS b, CAST(NULL AS bigint) AS big, 'a' + 'b' AS ab, 2147483648 AS l, '' AS e INTO into1
SELECT name, TYPE_NAME(system_type_id) AS t, max_length AS l, precision AS p, scale AS s, is_nullable AS n FROM sys.columns WHERE object_id = OBJECT_ID('into1')
SELECT n, d, v, nv, m, f, big, ab, l, e FROM into1
GO
--@ source: message 2714
SELECT 1 AS a INTO into1
GO
--@ source: message 2760
SELECT 1 AS a INTO none.x
GO
--@ source: message 2705
SELECT 1 AS a, 1 AS A INTO into2
GO
--@ source: message 1038
SELECT 1 INTO into2
GO
--@ source: message 8134
SELECT 1 / 0 AS a INTO into3
GO
--@ source: documentation INTO clause
CREATE TABLE src (id int IDENTITY(7, 2) PRIMARY KEY, a varchar(10) NOT NULL DEFAULT ('x'), b decimal(9, 3) NULL)
INSERT src (b) VALUES (1.5), (2.5)
SELECT * INTO copy1 FROM src
SELECT id + 0 AS id, a, b INTO copy2 FROM src
SELECT OBJECT_NAME(object_id) AS t, name, is_identity, is_nullable FROM sys.columns WHERE object_id IN (OBJECT_ID('copy1'), OBJECT_ID('copy2')) AND name <> 'id' ORDER BY 1, column_id
SELECT OBJECT_NAME(object_id) AS t, name, is_identity FROM sys.columns WHERE object_id IN (OBJECT_ID('copy1'), OBJECT_ID('copy2')) AND name = 'id' ORDER BY 1
SELECT OBJECT_NAME(object_id) AS t, seed_value, increment_value, last_value FROM sys.identity_columns ORDER BY 1
SELECT COUNT(*) AS keys_and_defaults FROM sys.objects WHERE parent_object_id IN (OBJECT_ID('copy1'), OBJECT_ID('copy2'))
GO
--@ source: documentation INTO clause
SELECT IDENTITY(int, 100, 10) AS i, a INTO copy3 FROM src WHERE 1 = 0
INSERT copy3 VALUES ('p'), ('q')
SELECT * FROM copy3
GO
--@ source: message 177
SELECT IDENTITY(int, 1, 1) AS i FROM src
GO
--@ source: message 8108
SELECT *, IDENTITY(int, 1, 1) AS i INTO copy4 FROM src
GO
--@ source: message 2628
CREATE TABLE w (a varchar(3), b decimal(3, 1), c tinyint, d nvarchar(2), f date)
INSERT w (a) VALUES ('abcd')
PRINT 'behind'
GO
--@ source: message 2628
INSERT w (d) VALUES (N'abc')
GO
--@ source: message 8115
INSERT w (b) VALUES (123.4)
GO
--@ source: message 220
INSERT w (c) VALUES (256)
GO
--@ source: message 220
INSERT w (c) SELECT -1
GO
--@ source: message 8115
INSERT w (a) VALUES (12345)
GO
--@ source: documentation varchar
INSERT w (a, b) VALUES ('ab ', 1.25), ('ab     ', -1.25)
INSERT w (f) VALUES (CAST('20240101 10:00' AS datetime))
SELECT '[' + a + ']' AS a, b, f FROM w
GO
--@ source: message 241
INSERT w (f) VALUES ('x')
GO
--@ source: message 213
INSERT w VALUES (1)
GO
--@ source: message 264
INSERT w (a, a) VALUES ('a', 'b')
GO
--@ source: message 207
INSERT w (zz) VALUES (1)
GO
--@ source: message 110
INSERT w (a) VALUES ('a', 'b')
GO
--@ source: message 109
INSERT w (a, b) VALUES ('a')
GO
--@ source: message 10709
INSERT w (a, b) VALUES ('a', 1), ('b')
GO
--@ source: message 120
INSERT w (a, b) SELECT 'a'
GO
--@ source: message 121
INSERT w (a) SELECT 'a', 1
GO
--@ source: message 2628
UPDATE w SET a = 'toolong'
SELECT @@ROWCOUNT AS r
GO
--@ source: documentation DECLARE
DECLARE @v varchar(3) = 'toolong', @d decimal(3, 1) = 1.25, @b bit = 5, @c char(5) = 'ab', @n nchar(3) = 'a', @i int = 2.9, @t tinyint = '7', @x varchar = 'abc', @bin binary(3) = 0x01
SELECT @v AS v, @d AS d, @b AS b, DATALENGTH(@c) AS c, DATALENGTH(@n) AS n, @i AS i, @t AS t, @x AS x, CONVERT(varchar(10), @bin, 1) AS bin
GO
--@ source: message 8115
DECLARE @d decimal(3, 1)
SET @d = 123.4
PRINT 'behind'
GO
--@ source: message 220
DECLARE @t tinyint = 256
PRINT 'behind'
GO
--@ source: message 245
DECLARE @i int = '12x'
PRINT 'behind'
GO
--@ source: message 134
DECLARE @x int, @x int
GO
--@ source: message 2715
DECLARE @v nothing
GO
--@ source: message 131
DECLARE @v varchar(9000)
GO
--@ source: message 2750
DECLARE @v decimal(40)
GO
--@ source: message 1505
CREATE TABLE numbers (n int NULL)
INSERT numbers VALUES (10), (10), (9), (9), (NULL), (NULL)
CREATE UNIQUE INDEX ux ON numbers (n) WHERE n IS NOT NULL
GO
--@ source: message 1505
CREATE UNIQUE INDEX ux ON numbers (n)
GO
--@ source: message 2627
CREATE TABLE more (m money NOT NULL, f float NOT NULL, t time(3) NOT NULL, dt datetime NOT NULL, sd smalldatetime NOT NULL, c char(4) NOT NULL, d date NOT NULL, n nvarchar(9) NULL, CONSTRAINT uq_more UNIQUE (m, f, t, dt, sd, c, d, n))
INSERT more VALUES (12.5, 1.5, '01:02:03.5', '2024-01-02 03:04:05', '2024-01-02 03:04:00', 'a', '2024-01-02', NULL)
INSERT more VALUES (12.5, 1.5, '01:02:03.5', '2024-01-02 03:04:05', '2024-01-02 03:04:00', 'a', '2024-01-02', NULL)
GO
--@ source: message 8115
CREATE TABLE tiny (a tinyint IDENTITY(255, 1), b int)
INSERT tiny VALUES (1)
INSERT tiny VALUES (2)
PRINT 'behind'
GO
--@ source: message 155
CREATE INDEX ix ON numbers (n) WITH (NOT_AN_OPTION = ON)
GO
--@ source: reasoned
USE master
DROP DATABASE types_values
GO
