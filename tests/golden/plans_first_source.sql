-- Which table of a join comes first: that whose rows an index finds costs no more than those rows.
--@ source: reasoned
CREATE TABLE dbo.s(id int NOT NULL CONSTRAINT pk_s PRIMARY KEY, n int NOT NULL, INDEX s_n (n));
CREATE TABLE dbo.n(id int NOT NULL CONSTRAINT pk_n PRIMARY KEY, name char(9) NOT NULL);
CREATE TABLE dbo.ps(p int NOT NULL, s int NOT NULL, cost int NOT NULL, CONSTRAINT pk_ps PRIMARY KEY (p, s), INDEX ps_s (s));
CREATE TABLE dbo.p(id int NOT NULL CONSTRAINT pk_p PRIMARY KEY, size int NOT NULL);
INSERT dbo.n SELECT value, CONCAT('n', value) FROM GENERATE_SERIES(0, 24);
INSERT dbo.s SELECT value, value % 25 FROM GENERATE_SERIES(0, 3999);
INSERT dbo.p SELECT value, value % 50 FROM GENERATE_SERIES(0, 1999);
INSERT dbo.ps SELECT value / 4, (value / 4 + value % 4 * 1000) % 4000, value * 7919 % 1000 FROM GENERATE_SERIES(0, 7999);
GO
--@ source: reasoned
CREATE PROCEDURE dbo.tree @batch nvarchar(max) AS
SELECT value AS tree FROM taffrail.plan_of(@batch) AS p CROSS APPLY STRING_SPLIT(p.physical, NCHAR(10), 1) AS s ORDER BY p.statement, s.ordinal
GO
--@ source: reasoned
-- The part is known: its suppliers are sought from there, not all suppliers of the nation.
EXEC dbo.tree N'DECLARE @p int = 7; SELECT MIN(ps.cost) FROM dbo.n, dbo.s, dbo.ps WHERE ps.p = @p AND s.id = ps.s AND s.n = n.id AND n.name = ''n15'''
EXEC dbo.tree N'SELECT p.id, ps.s FROM dbo.p, dbo.ps WHERE p.id = ps.p AND p.size = 15 AND ps.cost = (SELECT MIN(b.cost) FROM dbo.n, dbo.s, dbo.ps AS b WHERE b.p = p.id AND s.id = b.s AND s.n = n.id AND n.name = ''n15'')'
GO
--@ source: reasoned
-- Nothing is known of the part: the nation comes first.
EXEC dbo.tree N'SELECT MIN(ps.cost) FROM dbo.n, dbo.s, dbo.ps WHERE s.id = ps.s AND s.n = n.id AND n.name = ''n15'''
GO
--@ source: reasoned
-- The rows are the same.
SELECT COUNT(*) AS n, SUM(p.id) AS p, SUM(ps.s) AS s FROM dbo.p, dbo.ps WHERE p.id = ps.p AND p.size = 15 AND ps.cost = (SELECT MIN(b.cost) FROM dbo.n, dbo.s, dbo.ps AS b WHERE b.p = p.id AND s.id = b.s AND s.n = n.id AND n.name = 'n15')
SELECT COUNT(*) AS n, SUM(p.id) AS p, SUM(ps.s) AS s FROM dbo.p JOIN dbo.ps ON p.id = ps.p JOIN (SELECT b.p, MIN(b.cost) AS cost FROM dbo.n, dbo.s, dbo.ps AS b WHERE s.id = b.s AND s.n = n.id AND n.name = 'n15' GROUP BY b.p) AS m ON m.p = p.id AND m.cost = ps.cost WHERE p.size = 15
GO
--@ source: reasoned
DROP PROCEDURE dbo.tree
DROP TABLE dbo.s, dbo.n, dbo.ps, dbo.p
