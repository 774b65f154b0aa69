-- Functions that compare their arguments do so under a written collation.
--@ source: documentation CHARINDEX
SELECT CHARINDEX('SERVER', 'SQL Server CHARINDEX SERVER') AS ci, CHARINDEX('SERVER', 'SQL Server CHARINDEX SERVER' COLLATE Latin1_General_BIN2) AS bin, CHARINDEX('SERVER' COLLATE Latin1_General_BIN2, 'SQL Server CHARINDEX SERVER') AS either
GO
--@ source: reasoned
SELECT PATINDEX('%s%', 'Sas') AS ci, PATINDEX('%s%', 'Sas' COLLATE Latin1_General_BIN2) AS bin
SELECT REPLACE('aAa', 'A', 'x') AS ci, REPLACE('aAa' COLLATE Latin1_General_BIN2, 'A', 'x') AS bin
SELECT TRANSLATE('aAb', 'A', 'x') AS ci, TRANSLATE('aAb' COLLATE Latin1_General_BIN2, 'A', 'x') AS bin
SELECT GREATEST('a', 'B') AS ci, GREATEST('a' COLLATE Latin1_General_BIN2, 'B') AS bin, LEAST('a', 'B') AS least_ci, LEAST('a', 'B' COLLATE Latin1_General_BIN2) AS least_bin
CREATE TABLE b (ci varchar(10), bin varchar(10) COLLATE Latin1_General_BIN2)
INSERT b VALUES ('abcABC', 'abcABC')
SELECT CHARINDEX('B', ci) AS ci, CHARINDEX('B', bin) AS bin, REPLACE(bin, 'B', '-') AS replaced FROM b
SELECT value FROM STRING_SPLIT('aXbxc', 'x')
SELECT value FROM STRING_SPLIT('aXbxc' COLLATE Latin1_General_BIN2, 'x')
GO
--@ source: message 468
SELECT CHARINDEX(ci, bin) FROM b
GO
--@ source: reasoned
SELECT CHARINDEX(ci, bin COLLATE SQL_Latin1_General_CP1_CI_AS) AS ci FROM b
DROP TABLE b
GO
