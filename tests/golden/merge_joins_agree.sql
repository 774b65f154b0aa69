-- Merge joins give what hash joins and loops give: rows of one key on both sides, NULLs, several keys, conditions beside the keys.
--@ source: reasoned
CREATE TABLE dbo.a(id int NOT NULL PRIMARY KEY NONCLUSTERED, x int NULL, y int NULL, t varchar(10) NULL, n nvarchar(10) NULL, m decimal(9, 2) NULL, INDEX ix CLUSTERED (x, y));
CREATE TABLE dbo.b(id int NOT NULL PRIMARY KEY NONCLUSTERED, x int NULL, y int NULL, t varchar(10) NULL, n nvarchar(10) NULL, m decimal(9, 4) NULL, INDEX ix CLUSTERED (x DESC, y));
INSERT dbo.a VALUES (1, 1, 1, 'a', N'ss', 1.10), (2, 1, 1, 'A ', N'ß', 1.1), (3, 1, 2, 'b', N'SS', 2), (4, 2, NULL, NULL, NULL, NULL),
 (5, NULL, 1, 'ae', N'æ', -1), (6, NULL, NULL, 'Æ', N'ae', 0), (7, 3, 3, '', N'', 3), (8, 5, 1, 'c', N'Z', 4), (9, 5, 1, 'c', N'z', 4), (10, 9, 9, 'é', N'é', 9);
INSERT dbo.b VALUES (1, 1, 1, 'A', N'ß', 1.1000), (2, 1, 1, 'b', N'ss', 2), (3, 1, 3, 'B', N'x', 2.0001), (4, 2, NULL, NULL, NULL, NULL),
 (5, NULL, 1, 'æ', N'ae', -1), (6, 4, 4, ' ', N' ', 0), (7, 5, 1, 'C', N'z', 4), (8, 5, 1, 'c', N'Z', 4), (9, 5, 2, 'd', NULL, NULL), (10, 8, 8, 'e', N'e', 8);
GO
--@ source: reasoned
SELECT a.id, b.id FROM dbo.a INNER MERGE JOIN dbo.b ON b.x = a.x ORDER BY a.id, b.id OPTION (FORCE ORDER);
SELECT a.id, b.id FROM dbo.a LEFT MERGE JOIN dbo.b ON b.x = a.x AND b.y = a.y ORDER BY a.id, b.id OPTION (FORCE ORDER);
SELECT a.id, b.id FROM dbo.a RIGHT MERGE JOIN dbo.b ON b.x = a.x AND b.y <> a.y ORDER BY b.id, a.id OPTION (FORCE ORDER);
SELECT a.id, b.id FROM dbo.a FULL MERGE JOIN dbo.b ON b.x = a.x AND b.y = a.y AND b.id <> a.id ORDER BY a.id, b.id OPTION (FORCE ORDER);
SELECT id FROM dbo.a WHERE EXISTS (SELECT 1 FROM dbo.b WHERE b.x = a.x AND b.y > a.y) ORDER BY id OPTION (MERGE JOIN);
SELECT id FROM dbo.a WHERE NOT EXISTS (SELECT 1 FROM dbo.b WHERE b.x = a.x AND b.y = a.y) ORDER BY id OPTION (MERGE JOIN);
GO
--@ source: reasoned
CREATE PROCEDURE dbo.compare @condition nvarchar(200) AS
BEGIN
  DECLARE @kind nvarchar(10), @method nvarchar(10), @sql nvarchar(max), @n int, @sum int, @first nvarchar(40), @now nvarchar(40);
  DECLARE kinds CURSOR LOCAL STATIC FOR SELECT value FROM STRING_SPLIT(N'INNER,LEFT,RIGHT,FULL,SEMI,ANTI', N',', 1) ORDER BY ordinal;
  OPEN kinds;
  FETCH NEXT FROM kinds INTO @kind;
  WHILE @@FETCH_STATUS = 0
  BEGIN
    SET @first = NULL;
    DECLARE methods CURSOR LOCAL STATIC FOR SELECT value FROM STRING_SPLIT(N'MERGE,HASH,LOOP', N',', 1) ORDER BY ordinal;
    OPEN methods;
    FETCH NEXT FROM methods INTO @method;
    WHILE @@FETCH_STATUS = 0
    BEGIN
      SET @sql = CASE
        WHEN @kind IN (N'SEMI', N'ANTI') THEN CONCAT(N'SELECT @n = COUNT(*), @sum = CHECKSUM_AGG(BINARY_CHECKSUM(a.id)) FROM dbo.a WHERE ',
          IIF(@kind = N'ANTI', N'NOT ', N''), N'EXISTS (SELECT 1 FROM dbo.b WHERE ', @condition, N') OPTION (', @method, N' JOIN)')
        ELSE CONCAT(N'SELECT @n = COUNT(*), @sum = CHECKSUM_AGG(BINARY_CHECKSUM(a.id, b.id)) FROM dbo.a ', @kind, N' ',
          IIF(@method = N'LOOP' AND @kind IN (N'RIGHT', N'FULL'), N'HASH', @method), N' JOIN dbo.b ON ', @condition, N' OPTION (FORCE ORDER)') END;
      EXEC sp_executesql @sql, N'@n int OUTPUT, @sum int OUTPUT', @n OUTPUT, @sum OUTPUT;
      SET @now = CONCAT(@n, N' ', @sum);
      IF @first IS NULL SET @first = @now
      ELSE IF @first <> @now PRINT CONCAT(@condition, N': ', @kind, N' ', @method, N': ', @now, N' for ', @first);
      FETCH NEXT FROM methods INTO @method;
    END
    DEALLOCATE methods;
    PRINT CONCAT(@condition, N': ', @kind, N' ', @n, N' rows');
    FETCH NEXT FROM kinds INTO @kind;
  END
  DEALLOCATE kinds;
END
GO
--@ source: reasoned
EXEC dbo.compare N'b.x = a.x';
EXEC dbo.compare N'b.x = a.x AND b.y = a.y';
EXEC dbo.compare N'b.y = a.y AND b.x = a.x AND b.id >= a.id';
EXEC dbo.compare N'b.id = a.id AND b.t = a.t';
EXEC dbo.compare N'b.t = a.t';
EXEC dbo.compare N'b.t COLLATE Latin1_General_BIN2 = a.t';
EXEC dbo.compare N'b.n = a.n';
EXEC dbo.compare N'b.n = a.t';
EXEC dbo.compare N'b.m = a.m';
EXEC dbo.compare N'b.x = a.x AND a.x IN (1, 5) AND b.y = 1';
EXEC dbo.compare N'b.x + 1 = a.y AND a.id < 9';
EXEC dbo.compare N'b.x = a.x AND b.y > 100';
GO
--@ source: reasoned
-- Opened again for each outer row; beside what stands on its left and right in the frame.
SELECT o.id, p.aid, p.bid FROM dbo.a AS o CROSS APPLY (SELECT a.id AS aid, b.id AS bid FROM dbo.a INNER MERGE JOIN dbo.b ON b.x = a.x WHERE a.y = o.y AND b.id > o.id) AS p
ORDER BY o.id, p.aid, p.bid OPTION (FORCE ORDER);
SELECT COUNT(*) AS n, SUM(a.id * 100 + b.id * 10 + c.id) AS s FROM dbo.a INNER MERGE JOIN (dbo.b INNER LOOP JOIN dbo.b AS c ON c.y = b.y) ON b.x = a.x OPTION (FORCE ORDER);
SELECT COUNT(*) AS n, SUM(a.id * 100 + b.id * 10 + c.id) AS s FROM dbo.a INNER HASH JOIN (dbo.b INNER LOOP JOIN dbo.b AS c ON c.y = b.y) ON b.x = a.x OPTION (FORCE ORDER);
SELECT COUNT(*) AS n, SUM(ISNULL(a.id, 50) * 100 + ISNULL(b.id, 70) * 10 + ISNULL(c.id, 90)) AS s
FROM dbo.a FULL MERGE JOIN (dbo.b LEFT LOOP JOIN dbo.b AS c ON c.y = b.y) ON b.x = a.x AND c.id <> a.id OPTION (FORCE ORDER);
SELECT COUNT(*) AS n, SUM(ISNULL(a.id, 50) * 100 + ISNULL(b.id, 70) * 10 + ISNULL(c.id, 90)) AS s
FROM dbo.a FULL HASH JOIN (dbo.b LEFT LOOP JOIN dbo.b AS c ON c.y = b.y) ON b.x = a.x AND c.id <> a.id OPTION (FORCE ORDER);
SELECT COUNT(*) AS n, SUM(ISNULL(a.id, 50) * 100 + ISNULL(b.id, 70) * 10 + ISNULL(c.id, 90)) AS s
FROM (dbo.b LEFT LOOP JOIN dbo.b AS c ON c.y = b.y) FULL MERGE JOIN dbo.a ON b.x = a.x AND c.id <> a.id OPTION (FORCE ORDER);
GO
--@ source: reasoned
-- What is changed through one.
UPDATE a SET y = b.id FROM dbo.a INNER MERGE JOIN dbo.b ON b.id = a.id WHERE b.x = 1 OPTION (FORCE ORDER);
DELETE a FROM dbo.b INNER MERGE JOIN dbo.a ON b.id = a.id AND b.x = a.x WHERE b.x = 5 OPTION (FORCE ORDER);
SELECT id, x, y FROM dbo.a ORDER BY id;
GO
--@ source: reasoned
DROP PROCEDURE dbo.compare
DROP TABLE dbo.a, dbo.b
GO
