-- PERCENT_RANK, CUME_DIST, percentiles over windows and of groups, approximate counts.
--@ source: reasoned
SET NOCOUNT ON
CREATE TABLE dbo.pay (dept varchar(20), name varchar(20), rate money)
INSERT dbo.pay VALUES ('Document Control', 'Arifin', 17.7885), ('Document Control', 'Norred', 16.8269), ('Document Control', 'Kharatishvili', 16.8269), ('Document Control', 'Chai', 10.25), ('Document Control', 'Berge', 10.25),
('Information Services', 'Trenary', 50.4808), ('Information Services', 'Conroy', 39.6635), ('Information Services', 'Ajenstat', 38.4615), ('Information Services', 'Wilson', 38.4615), ('Information Services', 'Sharma', 32.4519),
('Information Services', 'Connelly', 32.4519), ('Information Services', 'Berg', 27.4038), ('Information Services', 'Meyyappan', 27.4038), ('Information Services', 'Bacon', 27.4038), ('Information Services', 'Bueno', 27.4038)
GO
--@ source: documentation CUME_DIST
SELECT dept, name, rate, CUME_DIST() OVER (PARTITION BY dept ORDER BY rate) AS CumeDist, PERCENT_RANK() OVER (PARTITION BY dept ORDER BY rate) AS PctRank FROM dbo.pay ORDER BY dept, rate DESC, name
GO
--@ source: documentation PERCENTILE_CONT
SELECT DISTINCT dept, PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY rate) OVER (PARTITION BY dept) AS MedianCont, PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY rate) OVER (PARTITION BY dept) AS MedianDisc FROM dbo.pay
GO
--@ source: reasoned
SELECT DISTINCT PERCENTILE_CONT(0.1) WITHIN GROUP (ORDER BY rate DESC) OVER () AS high, PERCENTILE_DISC(0.9) WITHIN GROUP (ORDER BY name) OVER () AS name, PERCENTILE_DISC(0) WITHIN GROUP (ORDER BY rate) OVER () AS least, PERCENTILE_CONT(1) WITHIN GROUP (ORDER BY rate) OVER () AS most FROM dbo.pay
SELECT v, PERCENT_RANK() OVER (ORDER BY v) AS p, CUME_DIST() OVER (ORDER BY v) AS c, PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY v) OVER () AS median FROM (VALUES (1), (NULL), (3), (NULL)) AS x (v) ORDER BY v
SELECT v, PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY v) OVER () AS median, PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY v) OVER () AS value, PERCENT_RANK() OVER (ORDER BY v) AS p FROM (VALUES (CAST(NULL AS int))) AS x (v)
DECLARE @share float = 0.25
SELECT DISTINCT PERCENTILE_CONT(@share) WITHIN GROUP (ORDER BY v) OVER () AS quarter FROM (VALUES (1), (2), (4)) AS x (v)
SELECT dept, COUNT(*) AS n, PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY COUNT(*)) OVER () AS median FROM dbo.pay GROUP BY dept ORDER BY dept
EXEC sp_describe_first_result_set N'SELECT PERCENT_RANK() OVER (ORDER BY rate) AS p, CUME_DIST() OVER (ORDER BY rate) AS c, PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY rate) OVER () AS pc, PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY dept) OVER () AS pd FROM dbo.pay'
EXEC sp_describe_first_result_set N'SELECT APPROX_COUNT_DISTINCT(name) AS n, APPROX_PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY rate) AS c, APPROX_PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY rate) AS d FROM dbo.pay'
GO
--@ source: documentation APPROX_PERCENTILE_CONT
CREATE TABLE dbo.tblEmployee (EmplId int IDENTITY(1, 1) PRIMARY KEY CLUSTERED, DeptId int, Salary int)
INSERT INTO dbo.tblEmployee VALUES (1, 31), (1, 33), (1, 18), (2, 25), (2, 35), (2, 10), (2, 10), (3, 1), (3, NULL), (4, NULL), (4, NULL)
SELECT DeptId, APPROX_PERCENTILE_CONT(0.10) WITHIN GROUP (ORDER BY Salary) AS P10, APPROX_PERCENTILE_CONT(0.90) WITHIN GROUP (ORDER BY Salary) AS P90 FROM dbo.tblEmployee GROUP BY DeptId ORDER BY DeptId
SELECT DeptId, APPROX_PERCENTILE_DISC(0.10) WITHIN GROUP (ORDER BY Salary) AS P10, APPROX_PERCENTILE_DISC(0.90) WITHIN GROUP (ORDER BY Salary) AS P90, APPROX_PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY EmplId DESC) AS id FROM dbo.tblEmployee GROUP BY DeptId ORDER BY DeptId
SELECT APPROX_PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY Salary) AS none FROM dbo.tblEmployee WHERE 1 = 0
SELECT APPROX_COUNT_DISTINCT(Salary) AS salaries, APPROX_COUNT_DISTINCT(DeptId) AS departments, COUNT(*) AS n FROM dbo.tblEmployee
SELECT APPROX_COUNT_DISTINCT(v) AS by_characters, COUNT(DISTINCT v) AS by_collation FROM (VALUES ('a'), ('A'), ('b'), (NULL)) AS x (v)
SELECT DeptId, APPROX_COUNT_DISTINCT(Salary) AS n FROM dbo.tblEmployee GROUP BY DeptId HAVING APPROX_COUNT_DISTINCT(Salary) > 1 ORDER BY DeptId
DROP TABLE dbo.tblEmployee
GO
--@ source: message 8727
SELECT PERCENTILE_CONT(1.5) WITHIN GROUP (ORDER BY rate) OVER () FROM dbo.pay
GO
--@ source: message 8727
DECLARE @p float = -1
SELECT APPROX_PERCENTILE_DISC(@p) WITHIN GROUP (ORDER BY rate) FROM dbo.pay
GO
--@ source: message 10754
SELECT PERCENTILE_CONT(0.5) OVER () FROM dbo.pay
GO
--@ source: message 10753
SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY rate) FROM dbo.pay
GO
--@ source: message 10751
SELECT PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY rate, name) OVER () FROM dbo.pay
GO
--@ source: message 10758
SELECT PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY rate) OVER (ORDER BY name) FROM dbo.pay
GO
--@ source: message 8117
SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY name) OVER () FROM dbo.pay
GO
--@ source: message 4112
SELECT CUME_DIST() OVER () FROM dbo.pay
GO
--@ source: message 10752
SELECT PERCENT_RANK() OVER (ORDER BY rate ROWS UNBOUNDED PRECEDING) FROM dbo.pay
GO
--@ source: message 10757
SELECT SUM(rate) WITHIN GROUP (ORDER BY rate) OVER () FROM dbo.pay
GO
--@ source: message 4113
SELECT APPROX_COUNT_DISTINCT(rate) OVER () FROM dbo.pay
GO
--@ source: message 10753
SELECT PERCENT_RANK() FROM dbo.pay
GO
--@ source: reasoned
DROP TABLE dbo.pay
GO
