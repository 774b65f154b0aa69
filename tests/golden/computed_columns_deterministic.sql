-- Computed columns of functions that are deterministic, in some of their calls or in all.
--@ source: reasoned
CREATE DATABASE ComputedFixed
GO
-- Functions of text are deterministic, and so are CHECKSUM and RAND with a seed.
--@ source: documentation deterministic and nondeterministic functions
USE ComputedFixed
CREATE TABLE dbo.fixed (a int, s varchar(20), d date, i AS CHARINDEX('b', s) PERSISTED, p AS PATINDEX('%B%', s COLLATE Latin1_General_BIN) PERSISTED,
    r AS REPLACE(s, 'b', '-') PERSISTED, t AS TRANSLATE(s, 'ab', 'yz') PERSISTED, g AS GREATEST(a, 5) PERSISTED, l AS LEAST(a, 5) PERSISTED,
    c AS CHECKSUM(s) PERSISTED, y AS DATEPART(year, d) PERSISTED, n AS RAND(a) PERSISTED)
INSERT dbo.fixed (a, s, d) VALUES (3, 'abab', '2024-02-29')
CREATE INDEX i ON dbo.fixed (c)
SELECT i, p, r, t, g, l, y FROM dbo.fixed
SELECT s FROM dbo.fixed WHERE c = CHECKSUM('ABAB') AND n = RAND(3)
GO
--@ source: message 4936
ALTER TABLE dbo.fixed ADD w AS DATEPART(weekday, d) PERSISTED
GO
--@ source: message 4936
ALTER TABLE dbo.fixed ADD w AS RAND() PERSISTED
GO
--@ source: reasoned
USE master
DROP DATABASE ComputedFixed
GO
