-- Several columns that are not there: in the order in which a query's clauses mean something.
--@ source: reasoned
CREATE TABLE dbo.mo_t (id int NOT NULL, a int NULL)
GO
--@ source: message 207
SELECT list1, list2 FROM dbo.mo_t WHERE filter1 = 1 GROUP BY group1 HAVING having1 = 1 AND having2 = 2 ORDER BY order1
GO
--@ source: message 207
SELECT list1 FROM dbo.mo_t GROUP BY ROLLUP (group1) HAVING MAX(having1) > 1
GO
--@ source: message 207
SELECT list1, (SELECT inner1 FROM dbo.mo_t AS i HAVING inner2 > 1) FROM dbo.mo_t GROUP BY a HAVING COUNT(having1) = 1
GO
--@ source: message 207
SELECT list1 FROM dbo.mo_t HAVING MAX(id) = 1
GO
--@ source: reasoned
DROP TABLE dbo.mo_t
GO
