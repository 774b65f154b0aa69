-- Defaults, CHECK, UNIQUE, PRIMARY KEY: what holds, what is told, what is switched off.
--@ source: reasoned
CREATE DATABASE ChangesConstraints
GO
--@ source: documentation CREATE TABLE
USE ChangesConstraints
CREATE TABLE c (id int NOT NULL CONSTRAINT pk_c PRIMARY KEY, a int CONSTRAINT ck_a CHECK (a > 0), b int NULL, CONSTRAINT ck_ab CHECK (a < b))
INSERT c VALUES (1, 1, 2)
INSERT c VALUES (2, 0, 2)
INSERT c VALUES (2, 5, 2)
INSERT c VALUES (2, NULL, 2), (3, 7, NULL), (4, NULL, NULL)
SELECT id, a, b FROM c ORDER BY id
GO
--@ source: message 547
UPDATE c SET a = -1 WHERE id = 1
UPDATE c SET b = 1
SELECT @@ROWCOUNT AS n, @@ERROR AS e
UPDATE c SET id = 1 WHERE id = 2
INSERT c (id) VALUES (NULL)
GO
--@ source: documentation ALTER TABLE
ALTER TABLE c NOCHECK CONSTRAINT ck_a
INSERT c VALUES (10, -5, 0)
ALTER TABLE c CHECK CONSTRAINT ck_a
SELECT name, is_disabled, is_not_trusted FROM sys.check_constraints WHERE parent_object_id = OBJECT_ID('c') ORDER BY name
INSERT c VALUES (11, -5, 0)
UPDATE c SET b = 1 WHERE id = 10
GO
--@ source: documentation ALTER TABLE
ALTER TABLE c WITH CHECK CHECK CONSTRAINT ck_a
GO
--@ source: documentation ALTER TABLE
DELETE c WHERE id = 10
ALTER TABLE c WITH CHECK CHECK CONSTRAINT ALL
SELECT name, is_disabled, is_not_trusted FROM sys.check_constraints WHERE parent_object_id = OBJECT_ID('c') ORDER BY name
GO
--@ source: documentation ALTER TABLE
ALTER TABLE c ADD CONSTRAINT ck_b CHECK (b < 2)
GO
--@ source: documentation ALTER TABLE
ALTER TABLE c WITH NOCHECK ADD CONSTRAINT ck_b CHECK (b < 2)
UPDATE c SET b = 1, a = 0 WHERE id = 1
UPDATE c SET b = 7 WHERE id = 2
INSERT c VALUES (20, NULL, 2)
ALTER TABLE c DROP CONSTRAINT ck_b
GO
--@ source: message 4917
ALTER TABLE c NOCHECK CONSTRAINT nowhere
GO
--@ source: message 3728
ALTER TABLE c DROP CONSTRAINT nowhere
GO
--@ source: message 11415
ALTER TABLE c NOCHECK CONSTRAINT pk_c
GO
--@ source: message 5074
ALTER TABLE c DROP COLUMN a
GO
--@ source: message 5074
ALTER TABLE c ALTER COLUMN id bigint
GO
-- A CHECK that is not false is fulfilled.
--@ source: documentation Unique constraints and check constraints
CREATE TABLE k (s varchar(10) CONSTRAINT ck_s CHECK (s LIKE '[A-Z][0-9]%' OR s IN ('none', 'all')), d date CONSTRAINT ck_d CHECK (d BETWEEN '20200101' AND '20201231'), l varchar(5) CONSTRAINT ck_l CHECK (LEN(l) > 2))
INSERT k VALUES ('a1', '20200229', 'abc')
INSERT k VALUES ('NONE', NULL, NULL)
INSERT k VALUES ('1a', NULL, NULL)
INSERT k VALUES ('all', '20210101', NULL)
INSERT k (l) VALUES ('ab ')
SELECT COUNT(*) AS n FROM k
GO
-- Errors within a CHECK are errors of the statement.
--@ source: reasoned
CREATE TABLE z (a int CONSTRAINT ck_z CHECK (10 / a > 1))
INSERT z VALUES (0)
INSERT z VALUES (2)
INSERT z VALUES (20)
SELECT a FROM z
GO
--@ source: message 1046
CREATE TABLE bad (a int CHECK (a IN (SELECT 1)))
GO
--@ source: message 207
CREATE TABLE bad (a int, CHECK (nowhere > 1))
GO
--@ source: message 8141
CREATE TABLE bad (a int CHECK (b > 1), b int)
GO
--@ source: message 137
CREATE TABLE bad (a int CHECK (a > @x))
GO
--@ source: documentation CREATE TABLE
CREATE TABLE u (a int CONSTRAINT uq_a UNIQUE, b int, c int, CONSTRAINT uq_bc UNIQUE (b, c))
INSERT u VALUES (NULL, NULL, NULL)
INSERT u VALUES (NULL, 1, NULL)
INSERT u VALUES (1, NULL, NULL)
INSERT u VALUES (2, 1, NULL), (3, 1, 1)
SELECT a, b, c FROM u ORDER BY a, b, c
GO
--@ source: message 2627
INSERT u VALUES (4, 1, 1)
INSERT u VALUES (5, 5, 5), (6, 6, 6), (5, 7, 7)
CREATE UNIQUE INDEX ix_c ON u (c) WHERE c IS NOT NULL
INSERT u VALUES (7, 8, 1)
SELECT COUNT(*) AS n FROM u
GO
--@ source: message 2627
CREATE TABLE keys (s varchar(10) CONSTRAINT pk_keys PRIMARY KEY, x varbinary(4) CONSTRAINT uq_x UNIQUE, d datetime CONSTRAINT uq_d UNIQUE)
INSERT keys VALUES ('abc', 0x01, '20200101 10:00')
INSERT keys VALUES ('ABC', 0x02, NULL)
INSERT keys VALUES ('abc  ', 0x02, NULL)
INSERT keys VALUES ('x', 0x01, NULL)
INSERT keys VALUES ('y', 0x0100, '20200101 10:00:00.001')
SELECT COUNT(*) AS n FROM keys
GO
--@ source: message 1505
INSERT u VALUES (50, 9, 9)
ALTER TABLE u ADD CONSTRAINT uq_c UNIQUE (c)
GO
--@ source: message 8111
ALTER TABLE u ADD CONSTRAINT pk_u PRIMARY KEY (a)
GO
--@ source: message 8111
CREATE TABLE bad (a int NULL PRIMARY KEY)
GO
--@ source: message 2714
CREATE TABLE bad (a int CONSTRAINT pk_c PRIMARY KEY)
GO
--@ source: documentation CREATE TABLE
CREATE TABLE def (i int, a int CONSTRAINT df_a DEFAULT (1 + 2), b varchar(20) DEFAULT 'x' + 'y', c datetime DEFAULT '20200101', d uniqueidentifier NULL, e bit NOT NULL DEFAULT 'true', f decimal(5, 2) DEFAULT -1.5, g varchar(5) DEFAULT NULL, h nvarchar(128) DEFAULT USER)
INSERT def (i) VALUES (1)
INSERT def (i, a, e) VALUES (2, NULL, DEFAULT)
SELECT i, a, b, c, d, e, f, g, h FROM def ORDER BY i
GO
--@ source: message 8148
CREATE TABLE bad (a int DEFAULT 1 DEFAULT 2)
GO
--@ source: message 128
CREATE TABLE bad (a int, b int DEFAULT a)
GO
--@ source: message 1754
CREATE TABLE bad (a int IDENTITY DEFAULT 1)
GO
--@ source: message 245
CREATE TABLE conv (a int DEFAULT 'x')
INSERT conv DEFAULT VALUES
GO
--@ source: message 1781
ALTER TABLE def ADD CONSTRAINT df2 DEFAULT 5 FOR a
GO
--@ source: documentation ALTER TABLE
ALTER TABLE def DROP CONSTRAINT df_a
ALTER TABLE def ADD CONSTRAINT df_a2 DEFAULT 77 FOR a
INSERT def (i) VALUES (3)
SELECT a FROM def WHERE i = 3
GO
--@ source: message 4901
ALTER TABLE def ADD n4 int NOT NULL
GO
--@ source: documentation ALTER TABLE
CREATE TABLE empty (a int)
ALTER TABLE empty ADD b int NOT NULL
INSERT empty (a) VALUES (1)
GO
-- Constraints of table variables and temporary tables.
--@ source: documentation DECLARE
DECLARE @t TABLE (a int NOT NULL UNIQUE, b int CHECK (b > 0) DEFAULT 5, PRIMARY KEY (b, a))
INSERT @t (a) VALUES (1), (2)
INSERT @t VALUES (3, 6)
SELECT a, b FROM @t ORDER BY a
GO
--@ source: documentation CREATE TABLE
CREATE TABLE #t (a int CONSTRAINT pk_temp PRIMARY KEY, b int CONSTRAINT ck_temp CHECK (b <> 3))
INSERT #t VALUES (1, 4)
INSERT #t VALUES (1, 5)
DROP TABLE #t
GO
--@ source: reasoned
USE master
DROP DATABASE ChangesConstraints
GO
