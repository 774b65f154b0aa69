--@ source: documentation t-sql/statements/sql-server-collation-name-transact-sql
SELECT IIF('a' = 'A' COLLATE SQL_Latin1_General_CP1_CS_AS, 1, 0) AS cs, IIF('e' = 'É' COLLATE SQL_Latin1_General_CP1_CI_AI, 1, 0) AS ai,
    IIF('æ' = 'ae' COLLATE SQL_Latin1_General_CP1_CI_AI, 1, 0) AS ligature, IIF(N'æ' = N'ae' COLLATE SQL_Latin1_General_CP1_CI_AI, 1, 0) AS wide
GO
--@ source: documentation relational-databases/collations/collation-and-unicode-support
SELECT v FROM (VALUES ('b'), ('a'), ('B'), ('A'), ('é'), ('e'), ('E'), ('co-op'), ('coop')) t(v) ORDER BY v COLLATE SQL_Latin1_General_CP1_CS_AS
SELECT v FROM (VALUES (N'b'), (N'a'), (N'B'), (N'A'), (N'co-op'), (N'coop')) t(v) ORDER BY v COLLATE SQL_Latin1_General_CP1_CS_AS
GO
--@ source: reasoned
CREATE TABLE s (v varchar(10) COLLATE SQL_Latin1_General_CP1_CI_AI, w varchar(10) COLLATE SQL_Latin1_General_CP1_CS_AS)
INSERT s VALUES ('Café', 'x'), ('CAFE', 'X'), ('caff', 'y'), ('façade', 'Y')
CREATE INDEX by_v ON s (v)
CREATE UNIQUE INDEX by_w ON s (w)
GO
--@ source: reasoned
SELECT v FROM s WITH (INDEX (by_v)) WHERE v = 'cafe' ORDER BY w
SELECT v FROM s WITH (INDEX (by_v)) WHERE v = N'cafe' ORDER BY w
SELECT v FROM s WITH (INDEX (by_v)) WHERE v LIKE 'CAF%' ORDER BY v, w
SELECT w FROM s WITH (INDEX (by_w)) WHERE w > 'X' ORDER BY w
SELECT w FROM s WHERE w = 'x'
DROP TABLE s
GO
--@ source: reasoned
CREATE TABLE #b (v varchar(5) COLLATE Latin1_General_100_BIN2, p nvarchar(5) COLLATE Polish_BIN2)
DECLARE @t TABLE (v varchar(5) COLLATE Latin1_General_CS_AS PRIMARY KEY)
INSERT #b VALUES ('a', N'ł'), ('B', N'l'), ('b', N'm')
INSERT @t SELECT v FROM #b
SELECT v FROM #b ORDER BY v
SELECT p FROM #b ORDER BY p
SELECT v FROM @t ORDER BY v
SELECT t.v FROM @t t JOIN #b b ON t.v = b.v COLLATE Latin1_General_CS_AS ORDER BY 1
DROP TABLE #b
GO
