-- EXISTS asks for a row and no column, so a star needs no table; FOR XML of no rows has no row.
--@ source: documentation t-sql/language-elements/exists-transact-sql
IF EXISTS (SELECT * WHERE 1 = 1) PRINT 'there is one'
IF EXISTS (SELECT * WHERE 1 = 0) PRINT 'there is none' ELSE PRINT 'none'
IF NOT EXISTS (SELECT *) PRINT 'none'
SELECT CASE WHEN EXISTS (SELECT * WHERE @@SPID > 0) THEN 1 ELSE 0 END AS e, (SELECT COUNT(*) FROM (VALUES (1), (2)) AS v (a) WHERE EXISTS (SELECT * WHERE v.a = 2)) AS n
GO
--@ source: message 263
SELECT * WHERE 1 = 1
GO
--@ source: message 263
IF EXISTS (SELECT a FROM (SELECT *) AS t (a)) PRINT 'no'
GO
--@ source: message 107
IF EXISTS (SELECT t.* WHERE 1 = 1) PRINT 'no'
GO
--@ source: documentation t-sql/queries/select-for-clause-transact-sql
CREATE TABLE fx (a int)
SELECT a FROM fx FOR XML RAW
SELECT @@ROWCOUNT AS n
SELECT a FROM fx FOR XML PATH ('r'), ROOT ('all')
SELECT a FROM fx FOR XML RAW, ELEMENTS
SELECT @@ROWCOUNT AS n
SELECT (SELECT a FROM fx FOR XML RAW) AS x, (SELECT a FROM fx FOR XML PATH, TYPE) AS y
INSERT fx VALUES (1), (NULL)
SELECT a FROM fx FOR XML RAW
SELECT @@ROWCOUNT AS n
SELECT a FROM fx WHERE a IS NULL FOR XML PATH ('')
GO
--@ source: reasoned
DROP TABLE fx
GO
