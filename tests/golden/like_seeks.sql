-- LIKE with a pattern that begins with letters seeks them in an index; what it matches is what it matches without one.
--@ source: reasoned
CREATE TABLE dbo.t(id int CONSTRAINT pk_t PRIMARY KEY, k varchar(20), n nvarchar(20) NULL, c char(10) NOT NULL, INDEX ik(k), INDEX inn(n DESC), INDEX ic(c, id));
INSERT dbo.t SELECT value, CONCAT('k', value), CONCAT(N'Ab ', value), CONCAT('c', value%10) FROM GENERATE_SERIES(1,2000)
INSERT dbo.t VALUES(5001,'ab c','ab','x'),(5002,'AB','AB c',' y'),(5003,'10%x',N'10_',''),(5004,'a!b',NULL,'zz'),(5005,'',N'','a'),(5006,N'K1'+NCHAR(0xFF),N'ÿz','ÿ')
GO
--@ source: reasoned
CREATE PROCEDURE dbo.tree @batch nvarchar(max) AS
SELECT value AS tree FROM taffrail.plan_of(@batch) AS p CROSS APPLY STRING_SPLIT(p.physical, NCHAR(10), 1) AS s ORDER BY p.statement, s.ordinal
GO
--@ source: reasoned
EXEC dbo.tree N'SELECT id FROM dbo.t WHERE k LIKE ''k19%'''
EXEC dbo.tree N'SELECT id FROM dbo.t WHERE n LIKE N''ab 77%'''
EXEC dbo.tree N'DECLARE @p nvarchar(20) = N''k19%''; SELECT id FROM dbo.t WHERE k LIKE @p'
EXEC dbo.tree N'SELECT id FROM dbo.t WHERE k LIKE ''%19'''
EXEC dbo.tree N'SELECT id FROM dbo.t WHERE k NOT LIKE ''k19%'''
EXEC dbo.tree N'SELECT id FROM dbo.t WHERE k LIKE ''k19%'' COLLATE Latin1_General_BIN2'
EXEC dbo.tree N'SELECT id FROM dbo.t WHERE c LIKE ''c1%'' AND id < 5'
EXEC dbo.tree N'SELECT id FROM dbo.t WHERE k LIKE ''k1!%%'' ESCAPE ''!'' OR k = ''ab'''
GO
--@ source: reasoned
DECLARE @x table(q varchar(20), e char(1)); INSERT @x VALUES('k19%',NULL),('ab%',NULL),('AB c',NULL),('10!%%','!'),('a!!%','!'),('%',NULL),('',NULL),('[k]1%',NULL),('k1_',NULL),('ÿ%',NULL),('k1ÿ',NULL),('ab ',NULL),('a%c',NULL)
SELECT q, e, (SELECT COUNT(*) FROM t WHERE k LIKE q ESCAPE e) k1, (SELECT COUNT(*) FROM t WITH (FORCESCAN) WHERE k+'' LIKE q ESCAPE e) k2,
 (SELECT COUNT(*) FROM t WHERE n LIKE q ESCAPE e) n1, (SELECT COUNT(*) FROM t WITH(FORCESCAN) WHERE n+N'' LIKE q ESCAPE e) n2,
 (SELECT COUNT(*) FROM t WHERE c LIKE q ESCAPE e) c1, (SELECT COUNT(*) FROM t WITH(FORCESCAN) WHERE CAST(c AS varchar(10))+'' LIKE q ESCAPE e) c2 FROM @x WHERE e IS NOT NULL
SELECT q, (SELECT COUNT(*) FROM t WHERE k LIKE q) k1, (SELECT COUNT(*) FROM t WITH (FORCESCAN) WHERE k+'' LIKE q) k2,
 (SELECT COUNT(*) FROM t WHERE n LIKE q) n1, (SELECT COUNT(*) FROM t WITH(FORCESCAN) WHERE n+N'' LIKE q) n2,
 (SELECT COUNT(*) FROM t WHERE k LIKE CAST(q AS nvarchar(20))) kn, (SELECT COUNT(*) FROM t WITH(FORCESCAN) WHERE k LIKE CAST(q AS nvarchar(20))) kn2,
 (SELECT COUNT(*) FROM t WHERE c LIKE q) c1, (SELECT COUNT(*) FROM t WITH(FORCESCAN) WHERE c LIKE q) c2 FROM @x
GO
--@ source: reasoned
SELECT COUNT(*) FROM t WHERE k LIKE NULL
SELECT COUNT(*) FROM t WHERE k NOT LIKE 'k%'
DELETE t WHERE k LIKE 'k199%' SELECT @@ROWCOUNT
GO
--@ source: message 506
SELECT id FROM dbo.t WHERE k LIKE 'k1!%' ESCAPE '!!' AND id = 1
GO
--@ source: reasoned
DROP TABLE dbo.t; DROP PROCEDURE dbo.tree
GO
