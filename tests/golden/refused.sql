--@ source: reasoned
CREATE TABLE #t (a int, b varchar(10)) INSERT #t VALUES (1, 'x'), (2, 'y')
GO
--@ source: documentation TOP (Transact-SQL)
DELETE TOP 2 FROM #t
GO
--@ source: documentation TOP (Transact-SQL)
UPDATE TOP 1 #t SET a = 1
GO
--@ source: documentation TOP (Transact-SQL)
INSERT TOP 1 #t SELECT 1, 'a'
GO
--@ source: documentation TOP (Transact-SQL)
INSERT TOP 1 INTO #t SELECT 1, 'a'
GO
--@ source: documentation TOP (Transact-SQL)
MERGE TOP 1 #t USING #t s ON 1 = 0 WHEN MATCHED THEN DELETE;
GO
--@ source: documentation TOP (Transact-SQL)
DELETE TOP (1) FROM #t WHERE a = 3 UPDATE TOP (2) #t SET a = a INSERT TOP (0) #t SELECT 1, 'a' SELECT TOP 1 a FROM #t ORDER BY a
GO
--@ source: documentation OVER clause
SELECT SUM(a) OVER (ORDER BY a ROWS BETWEEN -1 PRECEDING AND CURRENT ROW) FROM #t
GO
--@ source: message 4193
SELECT SUM(a) OVER (ORDER BY a ROWS BETWEEN CURRENT ROW AND UNBOUNDED PRECEDING) FROM #t
GO
--@ source: message 4193
SELECT SUM(a) OVER (ORDER BY a ROWS BETWEEN 1 FOLLOWING AND CURRENT ROW) FROM #t
GO
--@ source: message 4193
SELECT SUM(a) OVER (ORDER BY a ROWS BETWEEN 1 FOLLOWING AND 1 PRECEDING) FROM #t
GO
--@ source: message 4193
SELECT SUM(a) OVER (ORDER BY a ROWS 1 FOLLOWING) FROM #t
GO
--@ source: message 4193
SELECT SUM(a) OVER (ORDER BY a ROWS BETWEEN UNBOUNDED FOLLOWING AND CURRENT ROW) FROM #t
GO
--@ source: message 4194
SELECT SUM(a) OVER (ORDER BY a RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM #t
GO
--@ source: documentation OVER clause
SELECT a, SUM(a) OVER (ORDER BY a ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS s, SUM(a) OVER (ORDER BY a ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS f, SUM(a) OVER (ORDER BY a ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING) AS p FROM #t ORDER BY a
GO
--@ source: message 164
SELECT COUNT(*) FROM #t GROUP BY 1
GO
--@ source: message 164
SELECT COUNT(*) FROM #t GROUP BY 'a', a
GO
--@ source: message 164
DECLARE @v int = 1 SELECT COUNT(*) FROM #t GROUP BY @v
GO
--@ source: message 164
SELECT COUNT(*) FROM #t GROUP BY 1 + 1
GO
--@ source: message 10741
SELECT TOP 1 a FROM #t ORDER BY a OFFSET 1 ROWS
GO
--@ source: message 1046
PRINT (SELECT 1)
GO
--@ source: message 4151
SELECT NULLIF(NULL, 1)
GO
--@ source: documentation NULLIF
SELECT NULLIF(1, NULL) AS one, NULLIF(CAST(NULL AS int), 1) AS typed
GO
--@ source: message 2747
RAISERROR('%d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d', 16, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21)
GO
--@ source: message 2732
RAISERROR(13, 16, 1)
GO
--@ source: message 2732
RAISERROR(0, 16, 1)
GO
--@ source: message 2732
RAISERROR(12999, 16, 1)
GO
--@ source: message 2732
RAISERROR(50000, 16, 1)
GO
--@ source: message 18054
RAISERROR(49999, 16, 1)
GO
--@ source: reasoned
CREATE TABLE refused_i (a int IDENTITY, b int)
GO
--@ source: message 8101
INSERT refused_i VALUES (1, 1)
GO
--@ source: message 213
INSERT refused_i VALUES (1, 1, 1)
GO
--@ source: message 8101
SET IDENTITY_INSERT refused_i ON INSERT refused_i VALUES (1, 1)
GO
--@ source: message 8101
INSERT refused_i SELECT 1
SET IDENTITY_INSERT refused_i OFF DROP TABLE refused_i
GO
--@ source: message 8110
CREATE TABLE pk2 (a int PRIMARY KEY, b int PRIMARY KEY)
GO
--@ source: reasoned
CREATE TABLE pk4 (a int PRIMARY KEY, b int NOT NULL)
GO
--@ source: message 1779
ALTER TABLE pk4 ADD PRIMARY KEY (b)
GO
--@ source: message 4924
ALTER TABLE pk4 DROP COLUMN nope
GO
--@ source: reasoned
DROP TABLE pk4
GO
--@ source: message 157
DECLARE @x int SET @x = SUM(1)
GO
--@ source: message 157
DECLARE @x int = COUNT(*)
GO
--@ source: message 157
UPDATE #t SET a = MAX(a)
GO
--@ source: message 144
SELECT a FROM #t GROUP BY a, SUM(a)
GO
--@ source: message 144
SELECT 1 FROM #t GROUP BY (SELECT 1)
GO
--@ source: message 147
SELECT a FROM #t WHERE SUM(a) = 1
GO
--@ source: message 10710
MERGE #t t USING #t s ON t.a = s.a WHEN NOT MATCHED THEN UPDATE SET a = 1;
GO
--@ source: message 10710
MERGE #t t USING #t s ON t.a = s.a WHEN NOT MATCHED BY TARGET THEN DELETE;
GO
--@ source: message 10711
MERGE #t t USING #t s ON t.a = s.a WHEN MATCHED THEN INSERT VALUES (1, 'a');
GO
--@ source: message 10711
MERGE #t t USING #t s ON t.a = s.a WHEN NOT MATCHED BY SOURCE THEN INSERT VALUES (1, 'a');
GO
--@ source: message 1060
SELECT TOP ('x') a FROM #t
GO
--@ source: message 1060
SELECT TOP (1.5) a FROM #t
GO
--@ source: message 1060
SELECT TOP (NULL) a FROM #t
GO
--@ source: message 183
CREATE TABLE d1 (a decimal(5, 9))
GO
--@ source: message 183
ALTER TABLE #t ADD d numeric(3, 4)
GO
--@ source: message 192
SELECT CAST(1 AS decimal(5, 9))
GO
--@ source: message 192
DECLARE @x decimal(5, 9)
GO
--@ source: message 8155
SELECT a FROM (SELECT 1) x
GO
--@ source: message 8158
SELECT * FROM (SELECT 1, 2) x (a)
GO
--@ source: message 8159
WITH c (a, b) AS (SELECT 1) SELECT * FROM c
GO
--@ source: message 8156
SELECT * FROM (SELECT 1 AS a, 2 AS a) x
GO
--@ source: message 116
SELECT 1 WHERE 1 IN (SELECT 1, 2)
GO
--@ source: message 10709
INSERT #t VALUES (1, 'x'), (1)
GO
--@ source: message 4108
SELECT a FROM #t WHERE ROW_NUMBER() OVER (ORDER BY a) = 1
GO
--@ source: message 1088
CREATE INDEX i ON nope (a)
GO
--@ source: documentation sys.messages
SELECT message_id, severity FROM sys.messages WHERE message_id IN (116, 596, 1088, 4108, 8155, 8156, 8158, 8159, 10709) ORDER BY message_id
GO
--@ source: message 196
SELECT 1 AS a UNION SELECT a INTO #u FROM #t
GO
--@ source: message 10738
CREATE TABLE #n (a int)
EXEC('DECLARE @s nvarchar(max) = REPLICATE(CAST(''(1),'' AS nvarchar(max)), 1000) + ''(1)'' EXEC(''INSERT #n VALUES '' + @s)')
GO
--@ source: documentation Table value constructor
EXEC('DECLARE @s nvarchar(max) = REPLICATE(CAST(''(1),'' AS nvarchar(max)), 1000) + ''(1)'' EXEC(''INSERT #n SELECT a FROM (VALUES '' + @s + '') v (a)'')')
SELECT COUNT(*) AS rows FROM #n
GO
--@ source: message 408
SELECT a FROM #t ORDER BY 1 + 1
GO
--@ source: message 408
SELECT a, b FROM #t ORDER BY a, CAST(1 AS bigint)
GO
--@ source: message 408
SELECT a FROM #t ORDER BY NULL
GO
--@ source: message 408
SELECT a FROM #t ORDER BY 'nope'
GO
--@ source: documentation ORDER BY clause
DECLARE @v int = 1 SELECT a, b FROM #t ORDER BY a + @v, (SELECT 1), 2 DESC
GO
--@ source: message 5309
SELECT a, ROW_NUMBER() OVER (ORDER BY 'a') FROM #t
GO
--@ source: message 5309
SELECT a, ROW_NUMBER() OVER (ORDER BY NULL) FROM #t
GO
--@ source: message 5309
SELECT a, ROW_NUMBER() OVER (ORDER BY 1.5) FROM #t
GO
--@ source: message 5309
SELECT a, ROW_NUMBER() OVER (ORDER BY 'a' + 'b') FROM #t
GO
--@ source: message 5309
SELECT a, ROW_NUMBER() OVER (ORDER BY CAST(1 AS bigint)) FROM #t
GO
--@ source: message 5308
SELECT a, ROW_NUMBER() OVER (ORDER BY 1 + 1) FROM #t
GO
--@ source: documentation OVER clause
SELECT a, ROW_NUMBER() OVER (PARTITION BY 'x' ORDER BY a) AS r, COUNT(*) OVER (PARTITION BY 1) AS n, ROW_NUMBER() OVER (ORDER BY (SELECT NULL)) AS any_order FROM #t WHERE a = 1
GO
--@ source: message 137
SET @nope = 1
GO
--@ source: message 137
SELECT @nope
GO
--@ source: message 137
SELECT @nope = 1
GO
--@ source: message 137
UPDATE #t SET @nope = a
GO
--@ source: message 103
SELECT a AS bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb FROM #t
GO
--@ source: message 2705
CREATE TABLE twice (a int, a int)
GO
--@ source: message 2705
ALTER TABLE #t ADD b int
GO
--@ source: message 547
CREATE TABLE refused_ck (a int CONSTRAINT ck_refused CHECK (a > 1))
INSERT refused_ck VALUES (0)
GO
--@ source: message 8137
DECLARE @x xml = '<a/>' SELECT @x.modify('delete /a')
GO
--@ source: message 258
UPDATE #t SET b.modify('delete /a')
GO
--@ source: message 40510
SELECT geography::Point(1, 2, 4326)
GO
--@ source: message 40510
SELECT hierarchyid::GetRoot()
GO
--@ source: documentation ORDER BY clause
SELECT q.x AS y FROM (SELECT 1 AS x, 2 AS z) q ORDER BY q.z
SELECT x, COUNT(*) AS n FROM (SELECT 1 AS x) q GROUP BY x
SELECT ROW_NUMBER() OVER (ORDER BY x) AS n FROM (SELECT 1 AS x) q
GO
