-- Of one statement all columns that are not there are told; DROP takes each name by itself.
--@ source: reasoned
CREATE TABLE t (id int NOT NULL PRIMARY KEY, g int NULL)
GO
--@ source: message 207
SELECT nope1, nope2 FROM t WHERE nope3 = 1
GO
--@ source: message 4104
SELECT x.id, t.nope, y.id
FROM t
WHERE z.id = 1
ORDER BY nope2
GO
--@ source: message 207
UPDATE t SET g = nope1 + nope2 WHERE nope3 = 1
GO
--@ source: message 207
INSERT t SELECT nope1, nope2 FROM t
GO
--@ source: message 207
DELETE t WHERE nope1 = (SELECT nope2 FROM t WHERE nope3 = 1)
GO
--@ source: message 207
MERGE t USING (SELECT nope1 AS id FROM t) AS s ON t.id = s.id WHEN MATCHED THEN UPDATE SET g = nope2;
GO
--@ source: message 207
IF EXISTS (SELECT nope1 FROM t WHERE nope2 = 1) PRINT 'never'
GO
--@ source: message 207
-- In a TRY around a text the last of them is caught.
BEGIN TRY
    EXEC ('SELECT nope1, nope2 FROM t')
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS n, ERROR_MESSAGE() AS m
END CATCH
GO
--@ source: message 207
CREATE PROCEDURE p AS SELECT nope1, nope2 FROM t
GO
--@ source: message 207
CREATE TABLE #late (a int)
SELECT nope1, nope2 FROM #late
GO
--@ source: documentation DROP TABLE
CREATE TABLE a (x int)
CREATE TABLE b (x int)
DROP TABLE a, missing, b, missing2
SELECT OBJECT_ID('a') AS a, OBJECT_ID('b') AS b, @@ERROR AS e
GO
--@ source: documentation DROP TABLE
CREATE TABLE #a (x int)
CREATE TABLE #b (x int)
DROP TABLE IF EXISTS #a, #none, #b
SELECT OBJECT_ID('tempdb..#a') AS a, OBJECT_ID('tempdb..#b') AS b
BEGIN TRY
    DROP PROCEDURE nope1, nope2
END TRY
BEGIN CATCH
    SELECT ERROR_MESSAGE() AS m
END CATCH
GO
--@ source: message 207
SELECT SUM(nope1), MAX(nope2) FROM t GROUP BY nope3 HAVING COUNT(nope4) > 1
GO
--@ source: message 104
SELECT 2 AS x UNION ALL SELECT 2 ORDER BY 2
GO
--@ source: message 104
SELECT 2 AS x UNION ALL SELECT 2 ORDER BY nope
GO
--@ source: reasoned
DROP TABLE t
GO
