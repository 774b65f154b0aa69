-- ALTER COLUMN to NOT NULL and back: what a column that others use allows while its type stays.
--@ source: reasoned
CREATE DATABASE Nullability
GO
--@ source: reasoned
USE Nullability
CREATE TABLE parent (id int NOT NULL PRIMARY KEY)
INSERT parent VALUES (1), (2)
CREATE TABLE child (id int NOT NULL PRIMARY KEY, plain int NULL CONSTRAINT fk_plain REFERENCES parent (id), emptied int NULL CONSTRAINT fk_emptied REFERENCES parent (id) ON DELETE SET NULL, set_back int NULL CONSTRAINT fk_set_back REFERENCES parent (id), defaulted int NULL CONSTRAINT df DEFAULT 1 CONSTRAINT fk_defaulted REFERENCES parent (id))
INSERT child VALUES (1, 1, 2, 2, 1)
GO
-- A foreign key does not mind.
--@ source: documentation ALTER TABLE
ALTER TABLE child ALTER COLUMN plain int NOT NULL
ALTER TABLE child ALTER COLUMN defaulted int NOT NULL
SELECT name, is_nullable FROM sys.columns WHERE object_id = OBJECT_ID('child') ORDER BY column_id
SELECT name, is_disabled, is_not_trusted FROM sys.foreign_keys ORDER BY name
GO
--@ source: message 515
INSERT child (id, plain) VALUES (2, NULL)
GO
--@ source: message 547
INSERT child (id, plain) VALUES (2, 77)
GO
--@ source: documentation ALTER TABLE
ALTER TABLE child ALTER COLUMN plain int NULL
INSERT child (id, plain) VALUES (2, NULL)
SELECT id, plain, defaulted FROM child ORDER BY id
GO
-- One that sets the column to NULL does, and a NULL that is there.
--@ source: message 5074
ALTER TABLE child ALTER COLUMN emptied int NOT NULL
GO
--@ source: message 515
ALTER TABLE child ALTER COLUMN plain int NOT NULL
GO
-- Another type under a foreign key.
--@ source: message 5074
ALTER TABLE child ALTER COLUMN plain bigint NULL
GO
-- An index and statistics do.
--@ source: message 5074
DELETE child WHERE id = 2
CREATE INDEX ix ON child (plain)
CREATE STATISTICS st ON child (set_back)
ALTER TABLE child ALTER COLUMN plain int NOT NULL
GO
--@ source: message 5074
ALTER TABLE child ALTER COLUMN set_back int NOT NULL
GO
--@ source: documentation ALTER TABLE
DROP INDEX ix ON child
DROP STATISTICS child.st
ALTER TABLE child ALTER COLUMN plain int NOT NULL
ALTER TABLE child ALTER COLUMN set_back int NOT NULL
CREATE INDEX ix ON child (plain)
ALTER TABLE child ALTER COLUMN plain int NULL
SELECT name, is_nullable FROM sys.columns WHERE object_id = OBJECT_ID('child') ORDER BY column_id
GO
-- A check does not mind NULL or not, nor another length of a type of varying length.
--@ source: documentation ALTER TABLE
CREATE TABLE checked (id int NOT NULL PRIMARY KEY, n int NULL CONSTRAINT ck_n CHECK (n >= 0), s varchar(10) NULL CONSTRAINT ck_s CHECK (s <> 'none'), d decimal(9, 2) NULL CONSTRAINT ck_d CHECK (d > 0), c char(4) NULL CONSTRAINT ck_c CHECK (c > ''))
INSERT checked VALUES (1, 7, 'some', 1.5, 'a')
ALTER TABLE checked ALTER COLUMN n int NOT NULL
ALTER TABLE checked ALTER COLUMN c char(4) NOT NULL
ALTER TABLE checked ALTER COLUMN s varchar(5) NOT NULL
ALTER TABLE checked ALTER COLUMN s varchar(30) NULL
SELECT name, is_nullable, max_length FROM sys.columns WHERE object_id = OBJECT_ID('checked') ORDER BY column_id
SELECT name, is_disabled, is_not_trusted FROM sys.check_constraints WHERE parent_object_id = OBJECT_ID('checked') ORDER BY name
GO
--@ source: message 547
INSERT checked VALUES (2, -1, 'some', 1, 'a')
GO
--@ source: message 547
INSERT checked VALUES (2, 1, 'none', 1, 'a')
GO
--@ source: message 515
INSERT checked VALUES (2, NULL, 'some', 1, 'a')
GO
--@ source: message 2628
ALTER TABLE checked ALTER COLUMN s varchar(2) NULL
GO
-- Another type, precision or length of a fixed one it does.
--@ source: message 5074
ALTER TABLE checked ALTER COLUMN n bigint NOT NULL
GO
--@ source: message 5074
ALTER TABLE checked ALTER COLUMN d decimal(11, 2) NULL
GO
--@ source: message 5074
ALTER TABLE checked ALTER COLUMN c char(5) NOT NULL
GO
--@ source: message 5074
ALTER TABLE checked ALTER COLUMN s nvarchar(30) NULL
GO
--@ source: message 5074
ALTER TABLE checked DROP COLUMN s
GO
-- A unique constraint and an index let a text become longer, not shorter, and no column refuse NULL.
--@ source: documentation ALTER TABLE
CREATE TABLE keyed (s varchar(10) NULL CONSTRAINT uq UNIQUE, t nvarchar(10) NULL INDEX ix)
INSERT keyed VALUES ('some', N'some')
ALTER TABLE keyed ALTER COLUMN s varchar(20) NULL
ALTER TABLE keyed ALTER COLUMN t nvarchar(20) NULL
SELECT name, max_length FROM sys.columns WHERE object_id = OBJECT_ID('keyed') ORDER BY column_id
GO
--@ source: message 5074
ALTER TABLE keyed ALTER COLUMN t nvarchar(10) NULL
GO
--@ source: message 5074
ALTER TABLE keyed ALTER COLUMN s varchar(20) NOT NULL
GO
--@ source: reasoned
USE master
DROP DATABASE Nullability
GO
