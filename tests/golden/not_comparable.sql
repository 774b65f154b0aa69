-- xml, text, ntext and image are neither compared nor sorted.
--@ source: reasoned
CREATE TABLE nc (id int NOT NULL, x xml, t text, n ntext, i image)
INSERT nc VALUES (1, '<a/>', 'a', N'a', 0x01)
GO
--@ source: message 305
SELECT id FROM nc WHERE x = x
GO
--@ source: message 305
DECLARE @x xml
IF @x = NULL PRINT 'x'
GO
--@ source: message 305
SELECT id FROM nc WHERE x > (SELECT x FROM nc)
GO
--@ source: message 402
SELECT id FROM nc WHERE x = '<a/>'
GO
--@ source: message 402
SELECT id FROM nc WHERE x IN ('<a/>', '<b/>')
GO
--@ source: message 402
SELECT id FROM nc WHERE t = 'a'
GO
--@ source: message 402
SELECT id FROM nc WHERE 'a' < n
GO
--@ source: message 402
SELECT CASE t WHEN 'a' THEN 1 END FROM nc
GO
--@ source: message 402
SELECT id FROM nc WHERE t BETWEEN 'a' AND 'b'
GO
--@ source: message 402
SELECT id FROM nc WHERE t = t
GO
--@ source: message 402
SELECT id FROM nc WHERE i IN (SELECT i FROM nc)
GO
--@ source: message 402
SELECT a.id FROM nc AS a JOIN nc AS b ON a.n = b.n
GO
--@ source: message 402
MERGE nc USING nc AS s ON nc.t = s.t WHEN MATCHED THEN DELETE;
GO
--@ source: message 305
SELECT id FROM nc ORDER BY x
GO
--@ source: message 305
SELECT id, x FROM nc ORDER BY 2
GO
--@ source: message 305
SELECT id, x AS y FROM nc ORDER BY y
GO
--@ source: message 306
SELECT TOP (1) WITH TIES id FROM nc ORDER BY t
GO
--@ source: message 306
SELECT t FROM nc UNION ALL SELECT t FROM nc ORDER BY t
GO
--@ source: message 306
SELECT d.t FROM (SELECT t FROM nc) AS d ORDER BY d.t
GO
--@ source: message 305
SELECT COUNT(*) FROM nc GROUP BY x
GO
--@ source: message 306
SELECT COUNT(*) FROM nc GROUP BY i
GO
--@ source: message 305
SELECT ROW_NUMBER() OVER (ORDER BY x) FROM nc
GO
--@ source: message 306
SELECT ROW_NUMBER() OVER (PARTITION BY n ORDER BY id) FROM nc
GO
--@ source: message 305
SELECT STRING_AGG('a', ',') WITHIN GROUP (ORDER BY x) FROM nc
GO
--@ source: message 421
SELECT DISTINCT x FROM nc
GO
--@ source: message 421
SELECT DISTINCT t FROM nc
GO
--@ source: message 5335
SELECT x FROM nc UNION SELECT x FROM nc
GO
--@ source: message 5335
SELECT t FROM nc UNION SELECT 'a'
GO
--@ source: message 5335
SELECT i FROM nc EXCEPT SELECT i FROM nc
GO
--@ source: message 8117
SELECT MIN(x) FROM nc
GO
--@ source: message 8117
SELECT MAX(t) FROM nc
GO
--@ source: message 8117
SELECT COUNT(DISTINCT x) FROM nc
GO
--@ source: message 8117
SELECT COUNT(t) FROM nc
GO
--@ source: message 8116
SELECT id FROM nc WHERE x LIKE 'a'
GO
--@ source: documentation xml (Transact-SQL)
SELECT COUNT(x) AS counted FROM nc WHERE x IS NOT NULL AND t LIKE 'a%' AND n LIKE N'a' AND t IS NOT NULL
SELECT id FROM nc WHERE CAST(x AS nvarchar(max)) = '<a/>' AND CAST(t AS varchar(max)) = 'a' ORDER BY CAST(n AS nvarchar(10))
SELECT x, t FROM nc UNION ALL SELECT x, t FROM nc
GO
--@ source: reasoned
DROP TABLE nc
GO
