-- Errors of queries: what becomes of the statement, the batch and the transaction; what is computed and what is not.
--@ source: reasoned
CREATE DATABASE qer
GO
--@ source: reasoned
USE qer
CREATE TABLE t (id int NOT NULL PRIMARY KEY, a int NULL, b varchar(10) NULL)
INSERT t VALUES (1, 1, 'x'), (2, 2, 'y'), (3, NULL, NULL)
GO
--@ source: reasoned
SELECT id FROM t WHERE a = 1; SELECT nope FROM t
GO
--@ source: reasoned
BEGIN TRANSACTION
SELECT nope FROM t
SELECT @@TRANCOUNT AS n
GO
--@ source: reasoned
SELECT @@TRANCOUNT AS n
IF @@TRANCOUNT > 0 ROLLBACK
GO
--@ source: reasoned
BEGIN TRANSACTION
INSERT t VALUES (4, 4, 'z')
SELECT 1/0 AS z
SELECT CAST('x' AS int) AS c
SELECT 'not reached' AS x
GO
--@ source: reasoned
SELECT @@TRANCOUNT AS n, COUNT(*) AS c FROM t
GO
--@ source: reasoned
SET XACT_ABORT ON
BEGIN TRANSACTION
INSERT t VALUES (4, 4, 'z')
SELECT (SELECT id FROM t) AS two
SELECT 'not reached' AS x
GO
--@ source: reasoned
SET XACT_ABORT OFF
SELECT @@TRANCOUNT AS n, COUNT(*) AS c FROM t
GO
--@ source: reasoned
SELECT id, 10 / (a - 2) AS z FROM t ORDER BY id
GO
--@ source: reasoned
SET ARITHABORT OFF
SET ANSI_WARNINGS OFF
GO
--@ source: reasoned
SELECT id, 10 / (a - 2) AS z FROM t ORDER BY id
SELECT SUM(a) AS s FROM t
SELECT 2147483647 + a AS z FROM t ORDER BY id
GO
--@ source: reasoned
SET ANSI_WARNINGS ON
SET ARITHABORT ON
GO
--@ source: reasoned
SELECT id FROM t WHERE 1 = 0 AND 1/0 = 1
GO
--@ source: reasoned
SELECT CASE WHEN a = 1 THEN 1/0 END AS x FROM t WHERE a = 2
GO
--@ source: reasoned
SELECT COUNT(*) FROM t WHERE b = 'x' AND CAST(b AS int) = 1
GO
--@ source: reasoned
SELECT COUNT(*) FROM t WHERE TRY_CAST(b AS int) IS NULL
GO
--@ source: reasoned
SELECT MAX(CAST(b AS int)) FROM t WHERE a IS NULL
GO
--@ source: reasoned
SELECT id, b + 1 FROM t WHERE id = 3
GO
--@ source: reasoned
SELECT id, b + 1 FROM t WHERE id = 1
GO
--@ source: reasoned
SELECT 'a' + 1
GO
--@ source: reasoned
SELECT 'a' - 'b'
GO
--@ source: reasoned
SELECT 1 WHERE 'a' > 5
GO
--@ source: reasoned
SELECT * FROM t WHERE id IN (SELECT CAST(b AS int) FROM t WHERE a > 5)
GO
--@ source: reasoned
SELECT id FROM t WHERE NULL
GO
--@ source: reasoned
SELECT id FROM t WHERE NOT NULL
GO
--@ source: reasoned
SELECT id FROM t WHERE a
GO
--@ source: reasoned
SELECT id FROM t WHERE 1 = 1 AND a
GO
--@ source: reasoned
SELECT id FROM t WHERE (SELECT 1)
GO
--@ source: reasoned
SELECT id FROM t HAVING COUNT(*) > 1
GO
--@ source: reasoned
SELECT SUM(id) FROM t ORDER BY a
GO
--@ source: reasoned
SELECT NTILE(NULL) OVER (ORDER BY id) FROM t
GO
--@ source: reasoned
SELECT COUNT(*) OVER (PARTITION BY) FROM t
GO
--@ source: reasoned
SELECT COUNT(*) OVER FROM t
GO
--@ source: reasoned
USE master
DROP DATABASE qer
GO
