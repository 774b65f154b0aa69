-- EXISTS asks only whether there is a row; WAITFOR with variables.
--@ source: documentation EXISTS
IF EXISTS (SELECT 1/0 FROM sys.databases) SELECT 'yes' AS a
IF NOT EXISTS (SELECT 1/0 FROM sys.databases WHERE 1 = 0) SELECT 'no' AS a
IF EXISTS (SELECT 1/0) SELECT 'one row' AS a
DECLARE @d TABLE (p int, q int)
INSERT @d VALUES (1, 1), (1, 2), (2, 3)
IF EXISTS (SELECT * FROM @d GROUP BY p HAVING COUNT(*) > 1) SELECT 'twice' AS a
IF NOT EXISTS (SELECT * FROM @d GROUP BY p HAVING COUNT(*) > 2) SELECT 'never thrice' AS a
IF EXISTS (SELECT q FROM @d GROUP BY p) SELECT 'groups' AS a
IF EXISTS (SELECT COUNT(*) FROM @d WHERE p = 9) SELECT 'a scalar aggregate has a row' AS a
IF NOT EXISTS (SELECT COUNT(*) FROM @d WHERE p = 9 HAVING COUNT(*) > 0) SELECT 'unless HAVING drops it' AS a
IF NOT EXISTS (SELECT TOP 0 * FROM @d) SELECT 'top 0' AS a
IF EXISTS (SELECT TOP 1 WITH TIES 1/0 FROM @d ORDER BY q) SELECT 'ties' AS a
IF NOT EXISTS (SELECT * FROM @d ORDER BY p OFFSET 3 ROWS) SELECT 'offset' AS a
IF EXISTS (SELECT DISTINCT 1/0 FROM @d) SELECT 'distinct' AS a
IF EXISTS (SELECT ROW_NUMBER() OVER (ORDER BY 1/0) FROM @d) SELECT 'window' AS a
SELECT p, q FROM @d a WHERE EXISTS (SELECT 1/0 FROM @d b WHERE b.p = a.p AND b.q > a.q)
SELECT p FROM @d a WHERE EXISTS (SELECT 1 UNION ALL SELECT 2) AND NOT EXISTS (SELECT p FROM @d EXCEPT SELECT p FROM @d) AND p = 2
GO
--@ source: message 207
IF EXISTS (SELECT nope FROM sys.databases) SELECT 1
GO
--@ source: documentation WAITFOR
DECLARE @from datetime2 = SYSDATETIME(), @t datetime = DATEADD(ss, 2, GETDATE())
WAITFOR TIME @t
SELECT CASE WHEN DATEDIFF(ms, @from, SYSDATETIME()) BETWEEN 900 AND 20000 THEN 'waited' ELSE 'not' END AS w
GO
--@ source: documentation WAITFOR
DECLARE @from datetime2 = SYSDATETIME(), @d datetime = '00:00:00.150', @v varchar(12) = '00:00:00.15', @n nvarchar(12) = '00:00:00.15'
WAITFOR DELAY @d
WAITFOR DELAY @v
WAITFOR DELAY @n
SELECT CASE WHEN DATEDIFF(ms, @from, SYSDATETIME()) BETWEEN 440 AND 20000 THEN 'waited' ELSE 'not' END AS w
GO
--@ source: message 9815
DECLARE @i int = 1
WAITFOR DELAY @i
GO
--@ source: message 148
DECLARE @v varchar(20) = 'soon'
WAITFOR DELAY @v
GO
--@ source: message 164
SELECT COUNT(*) FROM sys.databases GROUP BY 1
GO
