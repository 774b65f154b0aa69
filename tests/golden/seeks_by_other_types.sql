-- A key beside a value of a higher type, or by its date, is sought where the value lies; each condition counts what a scan counts.
--@ source: reasoned
CREATE TABLE dbo.t(id int CONSTRAINT pk_t PRIMARY KEY, d datetime, s smalldatetime, d2 datetime2(3), dt date, i int, b tinyint, INDEX id1(d), INDEX is1(s DESC), INDEX id2(d2), INDEX idt(dt), INDEX ii(i DESC), INDEX ib(b, i));
INSERT dbo.t SELECT value, DATEADD(minute, value*37, '2024-01-01T00:00:00.003'), DATEADD(minute, value*37, '2024-01-01'), DATEADD(millisecond, value*37, '2024-01-01'), DATEADD(day, value%30, '2024-01-01'), value, value%200 FROM GENERATE_SERIES(1,3000)
INSERT dbo.t(id,d) VALUES(9001,'1753-01-01'),(9002,'9999-12-31T23:59:59.997'),(9003,'2024-01-05T23:59:59.997'),(9004,'2024-01-06')
GO
--@ source: reasoned
DECLARE @c TABLE(n int IDENTITY, cond nvarchar(200)); 
INSERT @c(cond) SELECT REPLACE(REPLACE(t,'OP',o),'VV',v) FROM (VALUES('CAST(X AS date) OP VV'),('CONVERT(date,X) OP VV')) a(t) CROSS JOIN (VALUES('='),('<'),('<='),('>'),('>=')) b(o) CROSS JOIN (VALUES('''2024-01-05'''),('CAST(''1700-01-01'' AS date)'),('CAST(''9999-12-31'' AS date)'),('CAST(NULL AS date)')) c(v)
INSERT @c(cond) SELECT CONCAT('X ',o,' ',v) FROM (VALUES('='),('<'),('<='),('>'),('>=')) b(o) CROSS JOIN (VALUES('CAST(''2024-01-05 10:51:00.0033333'' AS datetime2)'),('CAST(''2024-01-05 10:51'' AS datetime2(0))'),('CAST(''0001-01-01'' AS datetime2)'),('CAST(''9999-12-31 23:59:59.9999999'' AS datetime2)'),('CAST(''2024-01-05'' AS datetime)'),('CAST(''2024-01-01 00:00:37.074'' AS datetime2(7))')) c(v)
INSERT @c(cond) SELECT 'X BETWEEN CAST(''2024-01-05'' AS datetime2) AND CAST(''2024-01-06'' AS datetime2)' UNION ALL SELECT 'X IN (CAST(''2024-01-05 10:51'' AS datetime2), CAST(''2024-01-06'' AS datetime2))' UNION ALL SELECT 'CAST(X AS date) IN (''2024-01-05'',''2024-02-01'')'
DECLARE @i int=1, @m int=(SELECT COUNT(*) FROM @c), @s nvarchar(max), @col sysname, @bad int=0, @all int=0
DECLARE cc CURSOR LOCAL FOR SELECT n FROM (VALUES('d'),('s'),('d2'),('dt')) v(n)
OPEN cc FETCH NEXT FROM cc INTO @col
WHILE @@FETCH_STATUS=0 BEGIN
 SET @i=1
 WHILE @i<=@m BEGIN
  DECLARE @q nvarchar(400)=(SELECT REPLACE(cond,'X',@col) FROM @c WHERE n=@i)
  DECLARE @a int, @b int
  BEGIN TRY
  SET @s='SELECT @a=COUNT(*) FROM dbo.t WHERE '+@q+' SELECT @b=COUNT(*) FROM dbo.t WITH (INDEX(0)) WHERE '+@q
  EXEC sp_executesql @s, N'@a int OUTPUT,@b int OUTPUT', @a OUTPUT, @b OUTPUT
  SET @all+=1
  IF @a<>@b BEGIN SET @bad+=1 PRINT CONCAT(@q,' ',@a,' ',@b) END
  END TRY BEGIN CATCH PRINT CONCAT(@q,' ',ERROR_MESSAGE()) END CATCH
  SET @i+=1
 END
 FETCH NEXT FROM cc INTO @col
END
SELECT @all AS conditions, @bad AS differ
GO
--@ source: reasoned
DECLARE @bad int=0, @all int=0, @s nvarchar(max), @q nvarchar(200), @a int, @b int
DECLARE cc CURSOR LOCAL FOR SELECT CONCAT(c,' ',o,' ',v) FROM (VALUES('i'),('b')) c(c) CROSS JOIN (VALUES('='),('<'),('<='),('>'),('>=')) b(o) CROSS JOIN (VALUES('77.0'),('77.5'),('-1.5'),('100000000000.5'),('255.0'),('255.5'),('-0.5'),('0.0')) v(v)
OPEN cc FETCH NEXT FROM cc INTO @q
WHILE @@FETCH_STATUS=0 BEGIN
  SET @s='SELECT @a=COUNT(*) FROM dbo.t WHERE '+@q+' SELECT @b=COUNT(*) FROM dbo.t WITH (INDEX(0)) WHERE '+@q
  EXEC sp_executesql @s, N'@a int OUTPUT,@b int OUTPUT', @a OUTPUT, @b OUTPUT
  SET @all+=1
  IF @a<>@b BEGIN SET @bad+=1 PRINT CONCAT(@q,' ',@a,' ',@b) END
  FETCH NEXT FROM cc INTO @q
END
SELECT @all AS conditions, @bad AS differ
GO
--@ source: reasoned
CREATE PROCEDURE dbo.tree @batch nvarchar(max) AS
SELECT value AS tree FROM taffrail.plan_of(@batch) AS p CROSS APPLY STRING_SPLIT(p.physical, NCHAR(10), 1) AS s ORDER BY p.statement, s.ordinal
GO
--@ source: reasoned
EXEC dbo.tree N'SELECT id FROM dbo.t WHERE CAST(d AS date) = ''2024-01-05'''
EXEC dbo.tree N'DECLARE @p datetime2 = ''2024-01-05''; SELECT id FROM dbo.t WHERE d >= @p AND d < DATEADD(day, 1, @p)'
EXEC dbo.tree N'SELECT id FROM dbo.t WHERE i = 77.0'
EXEC dbo.tree N'SELECT id FROM dbo.t WHERE b = 77.0 AND i = 77'
EXEC dbo.tree N'SELECT id FROM dbo.t WHERE TRY_CAST(d AS date) = ''2024-01-05'''
EXEC dbo.tree N'SELECT id FROM dbo.t WHERE CAST(d AS time) = ''10:00'''
EXEC dbo.tree N'SELECT TOP 3 id FROM dbo.t WHERE CAST(d AS date) = ''2024-01-05'' ORDER BY d DESC'
SELECT id FROM dbo.t WHERE b = 77.0 AND i = 77
SELECT TOP 3 id FROM dbo.t WHERE CAST(d AS date) = '2024-01-05' ORDER BY d DESC
GO
--@ source: reasoned
DROP TABLE dbo.t; DROP PROCEDURE dbo.tree
GO
