-- A database of another code page: its literals, variables, parameters and messages are of that page.
--@ source: documentation collation and Unicode support
SET NOCOUNT ON
CREATE DATABASE cyrillic COLLATE Cyrillic_General_CI_AS
GO
--@ source: documentation USE
USE cyrillic
GO
--@ source: documentation CHAR
SELECT 'Жук' AS literal, DATALENGTH('Жук') AS bytes, CHAR(198) AS c, ASCII('Ж') AS a, N'Жук' AS wide, CAST(N'Жук' AS varchar(5)) AS narrow, 'é' AS near
DECLARE @v varchar(10) = 'Жук', @n nvarchar(10) = N'Кот', @c char(5)
SELECT @v AS v, @v + 'и' AS more, UPPER(@v) AS upper, CASE WHEN @v = N'ЖУК' THEN 1 END AS same, CASE WHEN @v LIKE 'жу_' THEN 1 END AS likes
SET @c = @n
SELECT @c + '|' AS c, LEN(@c) AS len, LEFT(@v, 1) AS first, CHARINDEX('К', @v) AS place, REPLACE(@v, 'ук', 'ар') AS replaced
PRINT @v
PRINT 'Привет, ' + @v
RAISERROR ('Жук: %s %s', 10, 1, @v, N'кот')
EXEC ('SELECT ''Жук'' AS dynamic')
EXEC sp_executesql N'SELECT @a AS a, @b AS b', N'@a varchar(10), @b nvarchar(10)', @a = 'Жук', @b = 'Кот'
EXEC sp_executesql N'SELECT @a AS a', N'@a varchar(10)', @a = N'Жук'
GO
--@ source: documentation CREATE TABLE
CREATE TABLE dbo.t (id int IDENTITY, v varchar(10) DEFAULT 'Жук', n nvarchar(10) DEFAULT 'Кот', west varchar(10) COLLATE Latin1_General_CI_AS DEFAULT 'é', big AS UPPER(v), CONSTRAINT ck_t CHECK (v <> 'нет'))
INSERT dbo.t DEFAULT VALUES
INSERT dbo.t (v) VALUES ('Ель'), (N'Ёж')
SELECT * FROM dbo.t
ALTER TABLE dbo.t ADD extra varchar(10) NOT NULL DEFAULT 'да'
SELECT id, extra FROM dbo.t WHERE extra = 'ДА'
CREATE INDEX v ON dbo.t (v) WHERE v <> 'Ель'
SELECT id FROM dbo.t WHERE v IN ('ель', 'жук') ORDER BY id
GO
--@ source: message 547
INSERT dbo.t (v) VALUES (N'нет')
GO
--@ source: documentation CREATE PROCEDURE
CREATE PROCEDURE dbo.p @v varchar(10) = 'Умолчание', @o varchar(10) OUTPUT AS
SET @o = @v + '!'
SELECT @v AS v, v AS stored FROM dbo.t WHERE v = @v
GO
--@ source: documentation CREATE PROCEDURE
CREATE FUNCTION dbo.f (@v varchar(10)) RETURNS varchar(20) AS BEGIN RETURN @v + 'Ж' END
GO
--@ source: documentation CREATE PROCEDURE
CREATE VIEW dbo.w AS SELECT v, 'Ж' AS k FROM dbo.t
GO
--@ source: documentation CREATE PROCEDURE
CREATE TRIGGER dbo.tr ON dbo.t AFTER INSERT AS SELECT v + 'Ж' AS inserted FROM inserted
GO
--@ source: documentation CREATE PROCEDURE
DECLARE @o varchar(10)
EXEC dbo.p @v = N'жук', @o = @o OUTPUT
SELECT @o AS o, dbo.f('Ж') AS f, dbo.f(N'Щ') AS g
SELECT * FROM dbo.w
INSERT dbo.t (v) VALUES ('Рысь')
CREATE TABLE #t (v varchar(10) COLLATE database_default, w varchar(10))
INSERT #t VALUES ('Жук', 'Жук')
SELECT * FROM #t
INSERT #t EXEC ('SELECT ''Лев'', N''é''')
SELECT * FROM #t
DECLARE c CURSOR FOR SELECT v FROM dbo.t WHERE id = 1
OPEN c
DECLARE @f varchar(10), @g nvarchar(10)
FETCH c INTO @f
SELECT @f AS f
CLOSE c
DEALLOCATE c
SELECT value FROM STRING_SPLIT('Жук,Кот', ',')
SELECT JSON_VALUE('{"a":"Жук"}', '$.a') AS j, CAST('<a>Жук</a>' AS xml) AS x, CAST('<a>Жук</a>' AS xml).value('(/a)[1]', 'varchar(10)') AS y, CONVERT(varchar(40), HASHBYTES('MD5', 'Ж'), 1) AS h
GO
--@ source: documentation sp_rename
CREATE TABLE dbo.renamed (a int)
EXEC sp_rename 'dbo.renamed', 'Кот'
SELECT name FROM sys.tables WHERE name = N'Кот'
GO
--@ source: documentation ALTER TABLE: ALTER COLUMN converts what is there
CREATE TABLE dbo.altered (n nvarchar(10), c varchar(10), w varchar(10) COLLATE Latin1_General_CI_AS)
INSERT dbo.altered VALUES (N'Жé', 'Ж', N'é')
ALTER TABLE dbo.altered ALTER COLUMN n varchar(10) COLLATE Cyrillic_General_CI_AS
ALTER TABLE dbo.altered ALTER COLUMN c varchar(10) COLLATE Latin1_General_100_CI_AS_SC_UTF8
ALTER TABLE dbo.altered ALTER COLUMN w nvarchar(10)
SELECT n, c, w, DATALENGTH(n) AS bytes, DATALENGTH(c) AS utf8, DATALENGTH(w) AS wide FROM dbo.altered
GO
--@ source: reasoned
USE master
SELECT v FROM cyrillic.dbo.t WHERE v = N'жук'
DROP DATABASE cyrillic
GO
