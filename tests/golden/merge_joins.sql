-- Merge joins: where two large tables come in the order of the join's keys, and where hints ask for them.
--@ source: reasoned
CREATE TABLE dbo.o(id int NOT NULL CONSTRAINT pk_o PRIMARY KEY, cid int NOT NULL, v int NULL, big bigint NOT NULL, n varchar(10) NOT NULL);
CREATE TABLE dbo.d(o int NOT NULL, line int NOT NULL, q int NULL, n varchar(10) COLLATE Latin1_General_CS_AS NOT NULL, CONSTRAINT pk_d PRIMARY KEY (o, line));
CREATE TABLE dbo.down(o int NOT NULL, line int NOT NULL, CONSTRAINT pk_down PRIMARY KEY (o DESC, line));
CREATE TABLE dbo.bigs(id bigint NOT NULL CONSTRAINT pk_bigs PRIMARY KEY);
CREATE TABLE dbo.names(n varchar(10) NOT NULL CONSTRAINT pk_names PRIMARY KEY);
CREATE TABLE dbo.cased(n varchar(10) COLLATE Latin1_General_CS_AS NOT NULL CONSTRAINT pk_cased PRIMARY KEY);
CREATE TABLE dbo.few(id int NOT NULL CONSTRAINT pk_few PRIMARY KEY);
CREATE TABLE dbo.heap(o int NULL, x int NULL);
INSERT dbo.o SELECT value, value % 200, value % 7, value, CONCAT('n', value) FROM GENERATE_SERIES(1, 3000);
INSERT dbo.d SELECT value / 2 + 1, value % 2, value % 11, CONCAT('N', value % 100) FROM GENERATE_SERIES(0, 5001);
INSERT dbo.down SELECT o, line FROM dbo.d;
INSERT dbo.bigs SELECT value FROM GENERATE_SERIES(1, 3000);
INSERT dbo.names SELECT CONCAT('n', value) FROM GENERATE_SERIES(1, 3000);
INSERT dbo.cased SELECT CONCAT('n', value) FROM GENERATE_SERIES(1, 3000);
INSERT dbo.few SELECT value FROM GENERATE_SERIES(1, 500);
INSERT dbo.heap SELECT value % 2500, value FROM GENERATE_SERIES(1, 3000);
GO
--@ source: reasoned
CREATE PROCEDURE dbo.tree @batch nvarchar(max) AS
SELECT value AS tree FROM taffrail.plan_of(@batch) AS p CROSS APPLY STRING_SPLIT(p.physical, NCHAR(10), 1) AS s ORDER BY p.statement, s.ordinal
GO
--@ source: reasoned
-- It must be one: the table whose rows are told apart by the key stands first, wherever the text has it.
EXEC dbo.tree N'SELECT o.v, d.q FROM dbo.o JOIN dbo.d ON d.o = o.id'
EXEC dbo.tree N'SELECT o.v, d.q FROM dbo.d JOIN dbo.o ON d.o = o.id AND d.q > o.v'
EXEC dbo.tree N'SELECT o.v, d.q FROM dbo.o LEFT JOIN dbo.d ON d.o = o.id'
EXEC dbo.tree N'SELECT o.v, d.q FROM dbo.d LEFT JOIN dbo.o ON d.o = o.id'
EXEC dbo.tree N'SELECT o.v, d.q FROM dbo.o FULL JOIN dbo.d ON d.o = o.id'
EXEC dbo.tree N'SELECT a.q, b.line FROM dbo.d AS a JOIN dbo.d AS b ON b.line = a.line AND b.o = a.o'
EXEC dbo.tree N'SELECT a.o, b.line FROM dbo.down AS a JOIN dbo.down AS b ON b.line = a.line AND b.o = a.o'
EXEC dbo.tree N'SELECT v FROM dbo.o WHERE EXISTS (SELECT 1 FROM dbo.d WHERE d.o = o.id)'
EXEC dbo.tree N'SELECT v FROM dbo.o WHERE NOT EXISTS (SELECT 1 FROM dbo.d WHERE d.o = o.id)'
EXEC dbo.tree N'SELECT q FROM dbo.d WHERE EXISTS (SELECT 1 FROM dbo.o WHERE d.o = o.id)'
GO
--@ source: reasoned
-- It must not be one: few rows, no order, an order of another column, direction, type or collation, two rows of a key on both sides.
EXEC dbo.tree N'SELECT o.v FROM dbo.o JOIN dbo.few ON few.id = o.id'
EXEC dbo.tree N'SELECT o.v, h.x FROM dbo.o JOIN dbo.heap AS h ON h.o = o.id'
EXEC dbo.tree N'SELECT o.v, d.q FROM dbo.o JOIN dbo.d ON d.o = o.cid'
EXEC dbo.tree N'SELECT a.line FROM dbo.d AS a JOIN dbo.down AS b ON b.o = a.o AND b.line = a.line'
EXEC dbo.tree N'SELECT o.v FROM dbo.o JOIN dbo.bigs ON bigs.id = o.id'
EXEC dbo.tree N'SELECT a.n FROM dbo.names AS a JOIN dbo.cased AS b ON b.n COLLATE DATABASE_DEFAULT = a.n'
EXEC dbo.tree N'SELECT a.q FROM dbo.d AS a JOIN dbo.d AS b ON b.o = a.o'
EXEC dbo.tree N'SELECT o.v, d.q FROM dbo.o JOIN dbo.d ON d.o = o.id WHERE o.id = 7'
GO
--@ source: reasoned
-- What it gives is in the order of its keys: no sort, and a merge join above it.
EXEC dbo.tree N'SELECT o.id, d.q FROM dbo.o JOIN dbo.d ON d.o = o.id ORDER BY o.id'
EXEC dbo.tree N'SELECT o.id, d.q FROM dbo.o JOIN dbo.d ON d.o = o.id ORDER BY d.o, d.line'
EXEC dbo.tree N'SELECT TOP 3 o.id, d.q FROM dbo.o LEFT JOIN dbo.d ON d.o = o.id ORDER BY o.id'
EXEC dbo.tree N'SELECT p.v, d.q FROM dbo.o JOIN dbo.d ON d.o = o.id JOIN dbo.o AS p ON p.id = d.o'
EXEC dbo.tree N'SELECT x.k, x.q FROM (SELECT o.id AS k, d.q FROM dbo.o JOIN dbo.d ON d.o = o.id) AS x ORDER BY x.k'
GO
--@ source: reasoned
-- It sorts: descending, by a column of the side that may be missing, of a full join, by another column.
EXEC dbo.tree N'SELECT o.id, d.q FROM dbo.o JOIN dbo.d ON d.o = o.id ORDER BY o.id DESC'
EXEC dbo.tree N'SELECT o.id, d.q FROM dbo.o LEFT JOIN dbo.d ON d.o = o.id ORDER BY d.o'
EXEC dbo.tree N'SELECT o.id, d.q FROM dbo.o FULL JOIN dbo.d ON d.o = o.id ORDER BY o.id'
EXEC dbo.tree N'SELECT o.id, d.q FROM dbo.o JOIN dbo.d ON d.o = o.id ORDER BY o.id, d.q'
GO
--@ source: documentation Join hints; Query hints (MERGE JOIN)
-- Asked for: what is in no order is sorted.
EXEC dbo.tree N'SELECT a.x, b.x FROM dbo.heap AS a INNER MERGE JOIN dbo.heap AS b ON b.o = a.x AND b.x > a.o'
EXEC dbo.tree N'SELECT h.x, o.v FROM dbo.heap AS h INNER MERGE JOIN dbo.o ON o.id = h.x'
EXEC dbo.tree N'SELECT h.x, o.v FROM dbo.heap AS h LEFT MERGE JOIN dbo.o ON o.id = h.x'
EXEC dbo.tree N'SELECT h.x, o.v FROM dbo.heap AS h RIGHT MERGE JOIN dbo.o ON o.id = h.x'
EXEC dbo.tree N'SELECT h.x, o.v FROM dbo.heap AS h FULL MERGE JOIN dbo.o ON o.id = h.x'
EXEC dbo.tree N'SELECT o.v FROM dbo.o JOIN dbo.bigs ON bigs.id = o.id OPTION (MERGE JOIN)'
EXEC dbo.tree N'SELECT a.o FROM dbo.heap AS a WHERE EXISTS (SELECT 1 FROM dbo.heap AS b WHERE b.x = a.o AND b.o <> a.x) OPTION (MERGE JOIN)'
EXEC dbo.tree N'SELECT a.q FROM dbo.d AS a JOIN dbo.down AS b ON b.o = a.o AND b.line = a.line OPTION (MERGE JOIN)'
GO
--@ source: message 8622
SELECT h.x FROM dbo.heap AS h INNER MERGE JOIN dbo.o ON o.id > h.x;
GO
--@ source: message 8622
SELECT h.x FROM dbo.heap AS h FULL MERGE JOIN dbo.o ON o.id > h.x;
GO
--@ source: message 8622
SELECT h.x FROM dbo.heap AS h JOIN dbo.o ON o.id > h.x OPTION (MERGE JOIN);
GO
--@ source: message 1042
SELECT 1 FROM dbo.heap AS h INNER MERGE JOIN dbo.o ON o.id = h.x OPTION (HASH JOIN);
GO
--@ source: reasoned
-- TOP asks for no more than it needs: the last row of dbo.d would be divided by 0.
UPDATE dbo.d SET q = CASE WHEN o = 2501 AND line = 1 THEN 0 ELSE 1 END;
SELECT TOP 3 o.id, d.line FROM dbo.o JOIN dbo.d ON d.o = o.id AND 10 / d.q > 1 ORDER BY o.id;
SELECT TOP 3 o.id, d.line FROM dbo.o INNER HASH JOIN dbo.d ON d.o = o.id WHERE 10 / d.q > 1 ORDER BY o.id OPTION (FORCE ORDER);
GO
--@ source: reasoned
DROP PROCEDURE dbo.tree
DROP TABLE dbo.o, dbo.d, dbo.down, dbo.bigs, dbo.names, dbo.cased, dbo.few, dbo.heap
GO
