-- What is one value under a column's collation may be several under another, and a letter that the code page lacks may equal one that it has.
--@ source: reasoned
CREATE TABLE dbo.t(id int PRIMARY KEY, k varchar(10), a int, INDEX ix (k, a));
INSERT dbo.t SELECT value, 'k', value % 7 FROM GENERATE_SERIES(1, 12);
INSERT dbo.t VALUES (100, 'x', 5);
GO
--@ source: reasoned
-- The Kelvin sign equals k; the columns behind it are conditions as before.
SELECT COUNT(*) AS n FROM dbo.t WHERE k = NCHAR(0x212A) AND a = 5;
SELECT COUNT(*) AS n FROM dbo.t WHERE k = NCHAR(0x212A) AND a IN (5, 1);
SELECT COUNT(*) AS n FROM dbo.t WHERE k = NCHAR(0x212A) AND a > 4;
BEGIN TRANSACTION;
UPDATE dbo.t SET id = id + 1000 WHERE k = NCHAR(0x212A) AND a = 5;
DELETE dbo.t WHERE k = NCHAR(0x212A) AND a = 5;
SELECT id, a FROM dbo.t WHERE id > 10 ORDER BY id;
ROLLBACK;
GO
--@ source: reasoned
CREATE TABLE dbo.h(id int PRIMARY KEY, c varchar(10), d int, INDEX ix (c, d));
INSERT dbo.h VALUES (1, 'A', 1), (2, 'a', 2), (3, 'a', 3), (4, 'A', 4);
SELECT c, d FROM dbo.h WHERE c = 'a' ORDER BY c COLLATE Latin1_General_BIN2, d;
SELECT TOP (1) WITH TIES c, d FROM dbo.h WHERE c = 'a' ORDER BY c COLLATE Latin1_General_BIN2 DESC;
SELECT c, d FROM dbo.h WHERE c = 'a' ORDER BY c, d DESC;
GO
--@ source: reasoned
DROP TABLE dbo.t, dbo.h;
GO
