-- Forms of statements that are less common.
--@ source: reasoned
CREATE DATABASE Accepted
GO
--@ source: reasoned
USE Accepted
CREATE TABLE t (a int NOT NULL CONSTRAINT pk PRIMARY KEY)
INSERT t VALUES (1), (2), (3)
GO
-- Queries in parentheses behind IN.
--@ source: documentation IN
SELECT a FROM t WHERE a IN ((SELECT 1) UNION ALL (SELECT 2)) ORDER BY a
SELECT a FROM t WHERE a NOT IN ((SELECT 1) UNION SELECT 2) ORDER BY a
SELECT a FROM t WHERE a IN ((SELECT a FROM t) EXCEPT (SELECT 2)) ORDER BY a
SELECT a FROM t WHERE a IN ((SELECT 1), (SELECT 3)) ORDER BY a
GO
--@ source: documentation IN
SELECT a FROM t WHERE a IN ((SELECT 1), (SELECT 2) UNION (SELECT 3))
GO
-- A clustered key goes, and the rows stay where they are said to.
--@ source: documentation ALTER TABLE
ALTER TABLE t DROP CONSTRAINT pk WITH (ONLINE = OFF, MOVE TO nowhere)
GO
--@ source: documentation ALTER TABLE
ALTER TABLE t DROP CONSTRAINT pk WITH (MOVE TO [PRIMARY])
SELECT name, type_desc FROM sys.indexes WHERE object_id = OBJECT_ID('t')
GO
--@ source: documentation ALTER TABLE
ALTER TABLE t ADD CONSTRAINT pk PRIMARY KEY (a)
ALTER TABLE t DROP pk WITH (MAXDOP = 1, MOVE TO "default")
GO
--@ source: reasoned
USE master
DROP DATABASE Accepted
GO
