-- WITH XMLNAMESPACES before SELECT, INSERT, UPDATE and DELETE: its prefixes in expressions, its declarations in FOR XML.
--@ source: documentation WITH XMLNAMESPACES
CREATE TABLE dbo.xn (id int NOT NULL PRIMARY KEY, name varchar(10) NULL, x xml NULL)
INSERT dbo.xn VALUES (1, 'ann', '<p:a xmlns:p="urn:one"><p:b>1</p:b></p:a>'), (2, NULL, NULL);
WITH XMLNAMESPACES ('urn:one' AS q)
SELECT id, x.value('(/q:a/q:b)[1]', 'int') AS b, x.exist('/a') AS bare FROM dbo.xn ORDER BY id;
WITH XMLNAMESPACES (DEFAULT 'urn:one'), c AS (SELECT id, x.value('(/a/b)[1]', 'int') AS b FROM dbo.xn)
SELECT b FROM c WHERE id = 1;
WITH XMLNAMESPACES ('urn:one' AS q)
UPDATE dbo.xn SET x.modify('insert <q:c d="1"/> into (/q:a)[1]') WHERE x.exist('/q:a') = 1;
WITH XMLNAMESPACES ('urn:one' AS q)
INSERT dbo.xn SELECT 3, x.value('(//q:b)[1]', 'varchar(5)'), x.query('/q:a/q:c') FROM dbo.xn WHERE id = 1;
WITH XMLNAMESPACES ('urn:one' AS q)
DELETE dbo.xn WHERE x.exist('/q:none') = 1
SELECT id, name, x FROM dbo.xn ORDER BY id
GO
--@ source: documentation Add namespaces to queries with WITH XMLNAMESPACES
;WITH XMLNAMESPACES ('uri' AS ns1)
SELECT id AS 'ns1:id', name AS 'ns1:name' FROM dbo.xn WHERE id = 1 FOR XML RAW ('ns1:row'), ELEMENTS
;WITH XMLNAMESPACES ('uri1' AS ns1, 'uri2' AS ns2, DEFAULT 'uri3')
SELECT id AS 'ns1:id', name AS 'ns2:name' FROM dbo.xn WHERE id < 3 ORDER BY id FOR XML PATH ('ns1:p'), ROOT ('top')
;WITH XMLNAMESPACES ('uri1' AS ns1)
SELECT id AS 'ns1:id', name AS 'ns1:name' FROM dbo.xn WHERE id = 2 FOR XML PATH, ELEMENTS XSINIL
;WITH XMLNAMESPACES ('uri1' AS ns1)
SELECT (SELECT id AS '@ns1:id' FROM dbo.xn WHERE id = 1 FOR XML PATH ('i'), TYPE) FROM dbo.xn WHERE id = 1 FOR XML PATH ('o')
GO
--@ source: reasoned
CREATE VIEW dbo.xn_view AS WITH XMLNAMESPACES ('urn:one' AS q) SELECT id, x.value('(/q:a/q:b)[1]', 'int') AS b FROM dbo.xn
GO
--@ source: reasoned
SELECT id, b FROM dbo.xn_view ORDER BY id;
WITH XMLNAMESPACES ('urn:other' AS q) SELECT v.b, x.exist('/q:a') AS other FROM dbo.xn_view AS v JOIN dbo.xn AS t ON t.id = v.id WHERE v.id = 1
GO
--@ source: message 2229
SELECT id, x.exist('/q:a') FROM dbo.xn
GO
--@ source: message 6869
WITH XMLNAMESPACES ('a' AS p, 'b' AS p) SELECT 1 AS a FOR XML PATH
GO
--@ source: message 6871
WITH XMLNAMESPACES ('a' AS xmlns) SELECT 1 AS a FOR XML PATH
GO
--@ source: message 6872
WITH XMLNAMESPACES ('a' AS xml) SELECT 1 AS a FOR XML PATH
GO
--@ source: message 6873
WITH XMLNAMESPACES ('a' AS xsi) SELECT 1 AS a FOR XML PATH, ELEMENTS XSINIL
GO
--@ source: message 6874
WITH XMLNAMESPACES ('' AS p) SELECT 1 AS a FOR XML PATH
GO
--@ source: message 6846
SELECT 1 AS [p:a] FOR XML PATH
GO
--@ source: reasoned
DROP VIEW dbo.xn_view
DROP TABLE dbo.xn
GO
