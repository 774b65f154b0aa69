-- FOR XML PATH and RAW.
--@ source: reasoned
CREATE TABLE dbo.qx_t (id int NOT NULL PRIMARY KEY, name varchar(10) NULL, v decimal(9,2) NULL, d datetime NULL, b bit NULL)
INSERT dbo.qx_t VALUES (1, 'ann', 1.5, '2024-01-02T03:04:05', 1), (2, NULL, NULL, NULL, 0), (3, '<&">''', 0, '2024-12-31', NULL)
GO
--@ source: documentation FOR XML
SELECT id, name FROM dbo.qx_t ORDER BY id FOR XML RAW
SELECT id, name FROM dbo.qx_t ORDER BY id FOR XML RAW ('person'), ROOT ('people')
SELECT id, name FROM dbo.qx_t ORDER BY id FOR XML RAW, ELEMENTS
SELECT id, name FROM dbo.qx_t WHERE id = 1 FOR XML RAW, ROOT
GO
--@ source: documentation FOR XML
SELECT id, name FROM dbo.qx_t ORDER BY id FOR XML PATH
SELECT id AS [@id], name FROM dbo.qx_t ORDER BY id FOR XML PATH ('p'), ROOT ('r')
SELECT id AS [@id], name AS [text()] FROM dbo.qx_t ORDER BY id FOR XML PATH ('p')
SELECT v, d, b FROM dbo.qx_t ORDER BY id FOR XML PATH ('x')
GO
--@ source: documentation FOR XML
-- The list in one text.
SELECT STUFF((SELECT ',' + name FROM dbo.qx_t WHERE id < 3 ORDER BY id FOR XML PATH ('')), 1, 1, '') AS l
SELECT (SELECT ',' + CAST(id AS varchar(5)) FROM dbo.qx_t ORDER BY id DESC FOR XML PATH ('')) AS l, (SELECT name AS [text()] FROM dbo.qx_t WHERE id = 3 FOR XML PATH ('')) AS escaped
SELECT (SELECT name FROM dbo.qx_t WHERE id = 3 FOR XML PATH (''), TYPE).value('.', 'varchar(20)') AS plain
SELECT t.id, (SELECT i.id AS [@n] FROM dbo.qx_t i WHERE i.id < t.id ORDER BY i.id FOR XML PATH ('i'), TYPE) AS inner_ones FROM dbo.qx_t t ORDER BY t.id
SELECT t.id AS [@id], (SELECT i.id FROM dbo.qx_t i WHERE i.id < t.id ORDER BY i.id FOR XML PATH (''), TYPE) AS before FROM dbo.qx_t t ORDER BY t.id FOR XML PATH ('t')
GO
--@ source: reasoned
SELECT (SELECT id FROM dbo.qx_t WHERE 1 = 0 FOR XML PATH) AS nothing
SELECT g.b, (SELECT STRING_AGG(i.id, ',') FROM dbo.qx_t i WHERE i.b = g.b) AS l FROM (SELECT DISTINCT b FROM dbo.qx_t WHERE b IS NOT NULL) AS g ORDER BY g.b
GO
--@ source: message 6809
SELECT 1 FOR XML RAW
GO
--@ source: message 102
SELECT id FROM dbo.qx_t FOR XML
GO
--@ source: message 156
SELECT id FROM dbo.qx_t FOR XML RAW ORDER BY id
GO
--@ source: message 6852
SELECT name, id AS [@id] FROM dbo.qx_t FOR XML PATH
GO
--@ source: message 6864
SELECT id AS [@id] FROM dbo.qx_t FOR XML PATH ('')
GO
--@ source: message 6819
SELECT id INTO dbo.qx_made FROM dbo.qx_t FOR XML RAW
GO
--@ source: message 6819
INSERT dbo.qx_t (name) SELECT name FROM dbo.qx_t FOR XML RAW
GO
--@ source: message 6819
DECLARE @v varchar(10)
SELECT @v = name FROM dbo.qx_t FOR XML PATH
GO
--@ source: reasoned
DROP TABLE dbo.qx_t
GO
