-- Warnings belong to the statement that they are about.
--@ source: reasoned
-- What a statement that failed would have warned of, the next one does not say.
CREATE TABLE dbo.w(g int, y int)
INSERT dbo.w VALUES (1, NULL), (2, 2147483647), (2, 1)
GO
--@ source: message 8115
SELECT SUM(y) AS s FROM dbo.w GROUP BY g ORDER BY g
GO
--@ source: reasoned
SELECT COUNT(*) AS n FROM dbo.w
DROP TABLE dbo.w
GO
