-- What a constraint is refused for is told with 1750 behind it; ALTER COLUMN ends as an UPDATE does.
--@ source: reasoned
CREATE TABLE def (i int, a int)
CREATE TABLE empty (a int, b int)
GO
--@ source: message 8112
CREATE TABLE bad (a int PRIMARY KEY CLUSTERED, b int UNIQUE CLUSTERED)
GO
--@ source: message 1911
CREATE TABLE bad (a int, CONSTRAINT pk_bad PRIMARY KEY (nowhere))
GO
--@ source: message 1919
CREATE TABLE bad (a varchar(max) NOT NULL PRIMARY KEY)
GO
--@ source: message 1909
CREATE TABLE bad (a int, UNIQUE (a, a))
GO
--@ source: documentation ALTER TABLE
ALTER TABLE def ADD n1 int NULL DEFAULT 5, n2 int NULL CONSTRAINT df_n2 DEFAULT 6 WITH VALUES, n3 int NOT NULL DEFAULT 7
SELECT i, n1, n2, n3 FROM def ORDER BY i
GO
--@ source: message 515
INSERT empty VALUES (NULL, 1)
ALTER TABLE empty ALTER COLUMN a int NOT NULL
SELECT a, b FROM empty
GO
--@ source: documentation ALTER TABLE
ALTER TABLE def ADD CONSTRAINT bad DEFAULT 1 FOR nowhere
GO
--@ source: message 156
DECLARE @t TABLE (a int CONSTRAINT named PRIMARY KEY)
GO
--@ source: reasoned
DROP TABLE def, empty
GO
