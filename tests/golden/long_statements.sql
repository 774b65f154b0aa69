-- Chains of operators and of ELSE IF may be thousands long.
--@ source: peer PostgreSQL
DECLARE @s nvarchar(max) = N'SELECT @i' + REPLICATE(CAST(N'+@i' AS nvarchar(max)), 5000) + N' AS plus, 0' + REPLICATE(CAST(N'-1' AS nvarchar(max)), 5000) + N' AS minus, LEN(@t' + REPLICATE(CAST(N'+@t' AS nvarchar(max)), 5000) + N') AS length, CAST(@i AS bigint)' + REPLICATE(CAST(N'+1.5' AS nvarchar(max)), 3000) + N' AS decimals'
EXEC sp_executesql @s, N'@i int, @t varchar(max)', 2, 'ab'
GO
--@ source: peer PostgreSQL
CREATE TABLE c (a int, b varchar(10))
INSERT c VALUES (3, 'x'), (4, 'y')
DECLARE @sum nvarchar(max) = N'a' + REPLICATE(CAST(N'+a' AS nvarchar(max)), 3000)
DECLARE @s nvarchar(max) = N'SELECT ' + @sum + N' AS s FROM c WHERE ' + @sum + N' > 9003 GROUP BY a; UPDATE c SET a = ' + @sum + N'; SELECT a FROM c ORDER BY ' + @sum + N' DESC; DROP TABLE c'
EXEC (@s)
GO
--@ source: reasoned
DECLARE @s nvarchar(max) = N'IF @i = 0 SELECT 0 AS n', @k int = 1
WHILE @k <= 2000 BEGIN SET @s += CONCAT(N' ELSE IF @i = ', @k, N' SELECT ', @k, N' AS n;'); SET @k += 1 END
SET @s += N' ELSE BEGIN SELECT -1 AS n END; SELECT ''after'' AS a'
EXEC sp_executesql @s, N'@i int', 0
EXEC sp_executesql @s, N'@i int', 1999
EXEC sp_executesql @s, N'@i int', 5000
GO
--@ source: message 8134
DECLARE @i int = 0
IF @i = 1 SELECT 1 AS n
ELSE IF 1 / @i = 1
  SELECT 2 AS n
ELSE SELECT 3 AS n
SELECT 'after' AS a
GO
--@ source: reasoned
IF 1 = 0 IF 1 = 1 SELECT 'inner' AS x ELSE SELECT 'inner else' AS x
IF 1 = 1 IF 1 = 0 SELECT 'inner' AS x ELSE SELECT 'inner else' AS x ELSE SELECT 'outer else' AS x
GO
