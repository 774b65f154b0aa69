-- Planning takes a time for each level of nesting, not twice that of the level below.
--@ source: reasoned
CREATE TABLE dbo.t(id int PRIMARY KEY, a int, INDEX ix (a));
INSERT dbo.t SELECT value, value % 7 FROM GENERATE_SERIES(1, 12);
GO
--@ source: reasoned
DECLARE @s varchar(max) = '(SELECT a, id AS b FROM dbo.t)', @i int = 0;
WHILE @i < 30 BEGIN SET @s = '(SELECT MIN(a) AS a, MIN(b) AS b FROM ' + @s + ' AS q)'; SET @i += 1 END;
SET @s = 'SELECT * FROM ' + @s + ' AS z';
EXEC (@s);
GO
--@ source: reasoned
DECLARE @s varchar(max) = 'dbo.t', @i int = 0;
WHILE @i < 30 BEGIN SET @s = '(SELECT id, a FROM ' + @s + ' AS q WHERE EXISTS (SELECT * FROM dbo.t AS u WHERE u.a = q.a))'; SET @i += 1 END;
SET @s = 'SELECT COUNT(*) AS n FROM ' + @s + ' AS z';
EXEC (@s);
GO
--@ source: message 217
-- A plan shows procedures that are called as deep as they could be run.
DECLARE @s varchar(max), @i int = 0;
WHILE @i < 40
BEGIN
    SET @s = 'CREATE PROCEDURE dbo.p' + CONVERT(varchar, @i) + ' AS ' + CASE @i WHEN 0 THEN 'RETURN' ELSE 'EXEC dbo.p' + CONVERT(varchar, @i - 1) END;
    EXEC (@s);
    SET @i += 1;
END;
GO
--@ source: message 217
SET SHOWPLAN_TEXT ON
GO
--@ source: message 217
EXEC dbo.p39
GO
--@ source: message 217
SET SHOWPLAN_TEXT OFF
GO
--@ source: message 8153
DECLARE @t table(a int), @x int;
INSERT @t VALUES (1), (NULL);
SET @x = (SELECT SUM(a) FROM @t);
SELECT @x AS x;
GO
--@ source: reasoned
DROP TABLE dbo.t;
DECLARE @i int = 0;
WHILE @i < 40 BEGIN DECLARE @s varchar(99) = CONCAT('DROP PROCEDURE dbo.p', @i); EXEC (@s); SET @i += 1 END;
GO
