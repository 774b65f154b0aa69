-- Tables: what hangs on a column that is altered, how long keys may be, and how messages name tables.
--@ source: documentation ALTER TABLE
CREATE TABLE a (i int NOT NULL CONSTRAINT a_pk PRIMARY KEY, p varchar(20) NULL CONSTRAINT a_df DEFAULT 'n/a', d decimal(9, 2) NULL CONSTRAINT a_dd DEFAULT 1, c int NULL CONSTRAINT a_ck CHECK (c > 0), k varchar(10) NOT NULL CONSTRAINT a_uq UNIQUE, s int NULL, x varchar(10) NULL)
CREATE INDEX a_x ON a (x)
CREATE STATISTICS a_st ON a (s)
GO
--@ source: documentation ALTER TABLE
ALTER TABLE a ALTER COLUMN p nvarchar(5)
GO
--@ source: documentation ALTER TABLE
ALTER TABLE a ALTER COLUMN d float
GO
--@ source: documentation ALTER TABLE
ALTER TABLE a ALTER COLUMN c bigint
GO
--@ source: documentation ALTER TABLE
ALTER TABLE a ALTER COLUMN k nvarchar(10) NOT NULL
GO
--@ source: documentation ALTER TABLE
ALTER TABLE a ALTER COLUMN s bigint
GO
--@ source: documentation ALTER TABLE
ALTER TABLE a ALTER COLUMN x varchar(5)
GO
-- A primary key refuses NULL.
--@ source: documentation ALTER TABLE
ALTER TABLE a ALTER COLUMN i int NULL
GO
-- Length, precision and scale of a column with a default; a longer text in an index, a constraint or none.
--@ source: documentation ALTER TABLE
ALTER TABLE a ALTER COLUMN p varchar(5)
ALTER TABLE a ALTER COLUMN p varchar(50)
ALTER TABLE a ALTER COLUMN d decimal(12, 4)
ALTER TABLE a ALTER COLUMN k varchar(20) NOT NULL
ALTER TABLE a ALTER COLUMN x varchar(30)
INSERT a (i, k) VALUES (1, 'k')
SELECT p, d FROM a
SELECT name, max_length, precision, scale FROM sys.columns WHERE object_id = OBJECT_ID('a') ORDER BY column_id
GO
-- A foreign key, on either side of it.
--@ source: documentation ALTER TABLE
CREATE TABLE b (k varchar(20) NOT NULL CONSTRAINT b_fk REFERENCES a (k))
GO
--@ source: documentation ALTER TABLE
ALTER TABLE a ALTER COLUMN k varchar(30) NOT NULL
GO
--@ source: documentation ALTER TABLE
ALTER TABLE b ALTER COLUMN k varchar(30) NOT NULL
GO
--@ source: reasoned
ALTER TABLE b ALTER COLUMN k varchar(20) NULL
DROP TABLE b
DROP TABLE a
GO
-- The longest keys: of rows that are there, and of rows that come.
--@ source: message 1946
CREATE TABLE k (i int, b varchar(1790))
INSERT k VALUES (1, REPLICATE('x', 1750))
GO
--@ source: message 1946
CREATE INDEX k_b ON k (b)
GO
--@ source: message 1946
UPDATE k SET b = REPLICATE('x', 901)
CREATE CLUSTERED INDEX k_b ON k (b)
GO
--@ source: message 1946
UPDATE k SET b = REPLICATE('x', 1700)
CREATE INDEX k_b ON k (b)
CREATE INDEX k_i ON k (i)
INSERT k VALUES (2, REPLICATE('x', 1701))
UPDATE k SET b = b + 'y'
INSERT k VALUES (3, REPLICATE('x', 1700))
GO
--@ source: message 1946
CREATE INDEX k_ib ON k (i, b)
GO
-- One warning: of the index that is made.
--@ source: message 1945
UPDATE k SET b = 'b'
CREATE INDEX k_ib ON k (i, b)
GO
--@ source: message 1946
INSERT k VALUES (3, REPLICATE('x', 1697))
SELECT COUNT(*) AS n FROM k
DROP TABLE k
GO
--@ source: message 1945
CREATE TABLE k (b varchar(8000), c nvarchar(450) NOT NULL, CONSTRAINT k_pk PRIMARY KEY (c))
CREATE INDEX k_b ON k (b)
INSERT k VALUES ('b', REPLICATE(N'x', 450))
SELECT LEN(c) AS n FROM k
DROP TABLE k
GO
--@ source: message 8148
CREATE TABLE d (a int DEFAULT 1 DEFAULT 2)
GO
--@ source: message 8148
CREATE TABLE d (a int CONSTRAINT one DEFAULT 1 NOT NULL CONSTRAINT two DEFAULT 2)
GO
--@ source: message 8148
CREATE TABLE d (a int)
ALTER TABLE d ADD b int DEFAULT 1 CONSTRAINT two DEFAULT 2
GO
--@ source: message 8148
DECLARE @d TABLE (a int DEFAULT 1 DEFAULT 2)
GO
--@ source: reasoned
DROP TABLE d
GO
-- Names with their schema.
--@ source: documentation CREATE SCHEMA
CREATE SCHEMA sales
GO
--@ source: message 8120
CREATE TABLE sales.customers (id int NOT NULL PRIMARY KEY, n int NULL, t varchar(10) NULL)
CREATE TABLE sales.orders (o int IDENTITY PRIMARY KEY, id int CONSTRAINT orders_fk REFERENCES sales.customers)
INSERT sales.customers VALUES (1, NULL, 'abcdef')
GO
--@ source: message 8120
SELECT id, COUNT(*) FROM sales.orders
GO
--@ source: message 8120
SELECT o.id, COUNT(*) FROM sales.orders AS o
GO
--@ source: message 3726
DROP TABLE sales.customers
GO
--@ source: message 4712
TRUNCATE TABLE sales.customers
GO
--@ source: message 1776
CREATE TABLE sales.x (a int, CONSTRAINT x_fk FOREIGN KEY (a) REFERENCES sales.customers (n))
GO
--@ source: message 1778
CREATE TABLE sales.x (a varchar(3), CONSTRAINT x_fk FOREIGN KEY (a) REFERENCES sales.customers (id))
GO
--@ source: message 1770
CREATE TABLE sales.x (a int, CONSTRAINT x_fk FOREIGN KEY (a) REFERENCES sales.customers (nothing))
GO
--@ source: message 8107
CREATE TABLE sales.more (a int IDENTITY)
SET IDENTITY_INSERT sales.orders ON
SET IDENTITY_INSERT sales.more ON
GO
--@ source: message 8106
SET IDENTITY_INSERT sales.customers ON
GO
--@ source: message 515
ALTER TABLE sales.customers ALTER COLUMN n int NOT NULL
GO
--@ source: message 2628
ALTER TABLE sales.customers ALTER COLUMN t varchar(3)
GO
--@ source: reasoned
SET IDENTITY_INSERT sales.orders OFF
DROP TABLE sales.more, sales.orders, sales.customers
DROP SCHEMA sales
GO
-- ONLINE = ON is taken and told of.
--@ source: reasoned
CREATE TABLE o (i int NOT NULL CONSTRAINT o_pk PRIMARY KEY, v int)
INSERT o VALUES (1, 1)
CREATE INDEX o_v ON o (v) WITH (ONLINE = ON)
ALTER INDEX ALL ON o REBUILD WITH (ONLINE = ON (WAIT_AT_LOW_PRIORITY (MAX_DURATION = 1 MINUTES, ABORT_AFTER_WAIT = SELF)))
ALTER TABLE o REBUILD WITH (ONLINE = ON)
ALTER INDEX o_v ON o REBUILD WITH (ONLINE = OFF)
SELECT i, v FROM o WITH (INDEX (o_v))
DROP TABLE o
GO
