-- A default means the same to sessions of other databases.
--@ source: reasoned
CREATE DATABASE exact COLLATE Latin1_General_CS_AS
GO
--@ source: reasoned
USE exact
CREATE TABLE df (a char(2) DEFAULT (CASE WHEN 'a' = 'A' THEN 'ci' ELSE 'cs' END), b int)
INSERT df (b) VALUES (1)
GO
--@ source: reasoned
USE master
INSERT exact.dbo.df (b) VALUES (2)
INSERT exact.dbo.df (a, b) VALUES (DEFAULT, 3)
INSERT exact.dbo.df (a, b) VALUES ('-', 4)
UPDATE exact.dbo.df SET a = DEFAULT WHERE b = 4
MERGE exact.dbo.df t USING (SELECT 5 AS b) s ON s.b = t.b WHEN NOT MATCHED THEN INSERT (b) VALUES (s.b);
SELECT a, b FROM exact.dbo.df ORDER BY b
GO
--@ source: reasoned
DROP DATABASE exact
GO
