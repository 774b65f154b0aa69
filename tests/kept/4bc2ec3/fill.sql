-- What the directory holds, committed. `make.py` runs it on the release named by the folder.
CREATE DATABASE kept
GO
ALTER DATABASE kept SET RECOVERY FULL
GO
CREATE DATABASE simple ON (NAME = simple, FILENAME = 'simple.mdf', SIZE = 8MB) LOG ON (NAME = simple_log, FILENAME = 'simple_log.ldf', SIZE = 1MB, FILEGROWTH = 1MB)
GO
ALTER DATABASE simple SET RECOVERY SIMPLE
GO
USE kept
GO
CREATE SCHEMA other
GO
CREATE TABLE every_type (id int NOT NULL PRIMARY KEY, a bit, b tinyint, c smallint, d int, e bigint, f decimal(38, 10), g numeric(5, 2), h money, i smallmoney, j float, k real,
  l date, m time(7), n datetime, o datetime2(7), p smalldatetime, q datetimeoffset(3), r char(5), s varchar(50), t nchar(5), u nvarchar(50), v binary(4), w varbinary(50),
  x uniqueidentifier, y sql_variant, z xml, ta text, tb ntext, tc image, ma varchar(max), mb nvarchar(max), mc varbinary(max))
INSERT every_type VALUES (1, 1, 255, -32768, -2147483648, -9223372036854775808, -9999999999999999999999999999.9999999999, -999.99, -922337203685477.5808, -214748.3648, -1.79E+308, -3.4E+38,
  '0001-01-01', '00:00:00', '1753-01-01', '0001-01-01', '1900-01-01', '0001-01-01 00:00:00 +00:00', '', '', N'', N'', 0x, 0x, '00000000-0000-0000-0000-000000000000', CAST(1 AS int), '<a/>', '', N'', 0x, '', N'', 0x)
INSERT every_type VALUES (2, 0, 0, 32767, 2147483647, 9223372036854775807, 9999999999999999999999999999.9999999999, 999.99, 922337203685477.5807, 214748.3647, 1.79E+308, 3.4E+38,
  '9999-12-31', '23:59:59.9999999', '9999-12-31T23:59:59.997', '9999-12-31 23:59:59.9999999', '2079-06-06T23:59', '9999-12-31 23:59:59.999 +14:00', 'abcde', REPLICATE('x', 50), N'абвгд', REPLICATE(N'ж', 50), 0x01020304, CAST(REPLICATE('b', 50) AS varbinary(50)),
  'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF', CAST(N'variant' AS nvarchar(20)), '<a b="1">text</a>', REPLICATE('t', 5000), REPLICATE(N'n', 4000), CAST(REPLICATE('i', 5000) AS varbinary(8000)), REPLICATE(CAST('m' AS varchar(max)), 100000), REPLICATE(CAST(N'w' AS nvarchar(max)), 50000), CAST(REPLICATE(CAST('v' AS varchar(max)), 100000) AS varbinary(max)))
INSERT every_type (id) VALUES (3)
GO
CREATE TABLE parent (id int IDENTITY(10, 5) PRIMARY KEY, name varchar(30) NOT NULL CONSTRAINT uq_parent UNIQUE, made datetime NOT NULL CONSTRAINT df_made DEFAULT '20261122', CONSTRAINT ck_name CHECK (LEN(name) > 1))
CREATE TABLE other.child (id int NOT NULL, part int NOT NULL, parent int NULL CONSTRAINT fk_parent REFERENCES parent (id) ON DELETE CASCADE, amount decimal(9, 2), note varchar(200), CONSTRAINT pk_child PRIMARY KEY NONCLUSTERED (id, part))
CREATE CLUSTERED INDEX cx ON other.child (part)
CREATE INDEX covering ON other.child (parent) INCLUDE (amount)
CREATE INDEX filtered ON other.child (amount) WHERE amount > 50
CREATE TABLE heap (a int, b varchar(8000))
CREATE INDEX ix ON heap (a)
GO
SET NOCOUNT ON
DECLARE @i int = 1
WHILE @i <= 40 BEGIN INSERT parent (name) VALUES ('parent ' + CAST(@i AS varchar(5))) SET @i += 1 END
SET @i = 1
WHILE @i <= 2000 BEGIN INSERT other.child VALUES (@i, @i % 7, 10 + 5 * (@i % 40), @i % 100, REPLICATE(CHAR(97 + @i % 26), @i % 200)) SET @i += 1 END
SET @i = 1
WHILE @i <= 300 BEGIN INSERT heap VALUES (@i, REPLICATE('h', 1 + @i * 13 % 3000)) SET @i += 1 END
UPDATE heap SET b = REPLICATE('forwarded', 400) WHERE a % 10 = 3
DELETE heap WHERE a % 11 = 0
DELETE other.child WHERE id % 17 = 0
DELETE parent WHERE name = 'parent 7'
GO
CREATE VIEW sums AS SELECT p.name, COUNT(*) AS rows, SUM(c.amount) AS amount FROM parent p JOIN other.child c ON c.parent = p.id GROUP BY p.name
GO
CREATE PROCEDURE other.count_of @part int, @count int OUTPUT AS SELECT @count = COUNT(*) FROM other.child WHERE part = @part RETURN 7
GO
EXEC sp_addextendedproperty 'MS_Description', 'a table that was kept', 'SCHEMA', 'dbo', 'TABLE', 'parent'
CREATE TABLE emptied (a int IDENTITY PRIMARY KEY, b char(2000))
INSERT emptied (b) SELECT TOP 100 'x' FROM heap
TRUNCATE TABLE emptied
INSERT emptied (b) VALUES ('after')
CREATE TABLE dropped (a int, b varchar(max))
INSERT dropped VALUES (1, REPLICATE(CAST('d' AS varchar(max)), 200000))
DROP TABLE dropped
ALTER TABLE parent ADD later int NULL
GO
BACKUP DATABASE kept TO DISK = 'kept_full.bak' WITH INIT, CHECKSUM
GO
INSERT parent (name, later) VALUES ('after the full backup', 1)
BACKUP LOG kept TO DISK = 'kept_log.bak' WITH INIT
INSERT parent (name, later) VALUES ('after the log backup', 2)
BACKUP DATABASE kept TO DISK = 'kept_diff.bak' WITH INIT, DIFFERENTIAL
INSERT parent (name, later) VALUES ('after the differential backup', 3)
ALTER DATABASE kept ADD LOG FILE (NAME = kept_log2, FILENAME = 'kept_log2.ldf', SIZE = 1MB)
GO
USE simple
GO
CREATE TABLE ledger (id int PRIMARY KEY, v int NOT NULL, filler char(400))
CREATE TABLE values_ (id int PRIMARY KEY, big varchar(max))
CREATE TABLE counted (a int PRIMARY KEY, b char(100))
GO
SET NOCOUNT ON
DECLARE @i int = 0
WHILE @i < 1000 BEGIN INSERT ledger VALUES (@i, 0, '') INSERT counted VALUES (@i, '') SET @i += 1 END
INSERT values_ VALUES (1, REPLICATE(CAST('1' AS varchar(max)), 300000)), (2, 'short'), (3, REPLICATE(CAST('3' AS varchar(max)), 20000))
SELECT * INTO copied FROM ledger
CREATE UNIQUE INDEX by_v ON copied (v, id)
GO
-- Values that are small and have a page of their own each, in a row that has no room for them.
CREATE TABLE small_values (id int PRIMARY KEY, a varchar(max), b nvarchar(max), c varbinary(max))
DECLARE @i int = 1
WHILE @i <= 120 BEGIN
  INSERT small_values VALUES (@i, REPLICATE(CHAR(97 + @i % 26), 2500 + @i * 31), REPLICATE(NCHAR(1040 + @i % 32), 1200 + @i * 17), CAST(REPLICATE(CHAR(65 + @i % 26), 3000 + @i * 23) AS varbinary(max)))
  SET @i += 1
END
UPDATE small_values SET a = REPLICATE('u', 4000 + id), b = NULL WHERE id % 9 = 0
UPDATE small_values SET c = 0x01 WHERE id % 13 = 0
DELETE small_values WHERE id % 7 = 0
GO
CREATE DATABASE collated COLLATE Latin1_General_100_CS_AS
GO
USE collated
CREATE TABLE words (word nvarchar(20) NOT NULL PRIMARY KEY, other varchar(20) COLLATE Finnish_Swedish_CI_AI, big nvarchar(max))
INSERT words VALUES (N'a', 'Ångström', N'a'), (N'A', 'angstrom', REPLICATE(N'A', 4500)), (N'ä', 'zebra', NULL), (N'Z', 'örn', REPLICATE(N'Z', 3000)), (N'z', 'ZEBRA', N'')
CREATE INDEX by_other ON words (other)
GO
USE master
GO
CREATE DATABASE cloned AS CLONE OF collated
GO
INSERT cloned.dbo.words VALUES (N'only here', 'x', REPLICATE(N'c', 4100))
GO
