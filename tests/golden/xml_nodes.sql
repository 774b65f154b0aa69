-- nodes() of xml, and expressions of XQuery as scripts over events, deadlocks and lists write them.
--@ source: documentation nodes() Method
DECLARE @x xml = N'<Root><row id="1"><name>Larry</name><oflw>some text</oflw></row><row id="2"><name>moe</name></row><row id="3"/></Root>'
SELECT T.c.query('.') AS result FROM @x.nodes('/Root/row') T(c)
SELECT T.c.value('@id', 'int') AS id, T.c.value('(name/text())[1]', 'varchar(20)') AS name, T.c.exist('oflw') AS oflw
    FROM @x.nodes('/Root/row') AS T(c) ORDER BY id DESC
SELECT COUNT(*) AS rows FROM @x.nodes('//nothing') AS T(c)
GO
--@ source: documentation nodes() Method
CREATE TABLE #t (id int NOT NULL, doc xml NULL)
INSERT #t VALUES (1, '<a><b n="x"><c>1</c><c>2</c></b><b n="y"/></a>'), (2, NULL), (3, '<a/>')
SELECT t.id, n.b.value('@n', 'varchar(5)') AS n, m.c.value('.', 'int') AS c FROM #t t
    CROSS APPLY t.doc.nodes('/a/b') AS n(b) OUTER APPLY n.b.nodes('c') AS m(c)
SELECT t.id, n.b.value('@n', 'varchar(5)') AS n FROM #t AS t OUTER APPLY doc.nodes('/a/b') AS n(b) ORDER BY t.id, n
SELECT id FROM #t CROSS APPLY doc.nodes('/a') AS n(a) WHERE n.a IS NOT NULL AND n.a.exist('b[@n="y"]') = 1
GO
--@ source: documentation sys.dm_xe_session_targets
DECLARE @data nvarchar(max) = N'<RingBufferTarget truncated="0" eventCount="2"><event name="wait_info" package="sqlos" timestamp="2024-05-06T07:08:09.123Z"><data name="wait_type"><type name="wait_types" package="sqlos"/><value>179</value><text>WRITELOG</text></data><data name="duration"><type name="uint64" package="package0"/><value>15</value></data><action name="session_id" package="sqlserver"><type name="uint16" package="package0"/><value>51</value></action></event><event name="error_reported" package="sqlserver" timestamp="2024-05-06T07:08:10.000Z"><data name="error_number"><value>208</value></data><data name="message"><value>Invalid &lt;name&gt;</value></data></event></RingBufferTarget>'
SELECT xed.value('@timestamp', 'datetime2(3)') AS at, xed.value('(@name)[1]', 'varchar(50)') AS event,
    xed.value('(data[@name="duration"]/value)[1]', 'bigint') AS duration, xed.value('(data[@name="wait_type"]/text)[1]', 'nvarchar(60)') AS wait,
    xed.value('(action[@name="session_id" and @package="sqlserver"]/value)[1]', 'int') AS session,
    xed.value('(data[@name="message"]/value)[1]', 'nvarchar(100)') AS message
FROM (SELECT CAST(@data AS xml) AS TargetData) AS Data CROSS APPLY TargetData.nodes('//RingBufferTarget/event') AS XEventData(xed)
SELECT CAST(@data AS xml).value('(RingBufferTarget/@eventCount)[1]', 'int') AS kept,
    CAST(@data AS xml).value('count(/RingBufferTarget/event)', 'int') AS counted,
    CAST(@data AS xml).exist('//event[@name="error_reported" or @name="x"]') AS errors
GO
--@ source: documentation sql:variable() Function
DECLARE @x xml = '<l><p id="1">a</p><p id="2">b</p><p id="10">c</p></l>', @id int = 2, @name nvarchar(10) = N'c'
SELECT @x.value('(/l/p[@id=sql:variable("@id")])[1]', 'varchar(5)') AS by_id, @x.exist('/l/p[.=sql:variable("@name")]') AS by_text
SELECT v.n, @x.value('(/l/p[@id=sql:column("v.n")])[1]', 'varchar(5)') AS p FROM (VALUES (1), (10), (11)) v(n)
SELECT T.c.value('.', 'varchar(5)') AS p FROM @x.nodes('/l/p[@id > 1 and @id <= 10]') T(c)
SELECT T.c.value('../@id', 'int') AS never FROM @x.nodes('/l/q') T(c)
GO
--@ source: documentation XQuery Functions
DECLARE @x xml = '<r><a k="1"/><b k="2">t<c/></b></r>'
SELECT T.c.value('local-name(.)', 'varchar(10)') AS name, T.c.value('count(*)', 'int') AS children FROM @x.nodes('/r/*') T(c)
SELECT @x.query('/r/*[last()]') AS last, @x.query('//c/..') AS parent, @x.value('(//*[not(@k) and local-name() != "r"])[1]', 'varchar(5)') AS c,
    @x.value('(//b/text())[1]', 'char(1)') AS text, @x.query('(//b)[1]/c') AS within, @x.exist('//b[contains(., "t")]') AS has
SELECT T.c.value('.', 'int') AS k FROM @x.nodes('//@k') T(c)
GO
--@ source: documentation nodes() Method
DECLARE @s varchar(max) = '<x>1</x><x>2</x><x>a&amp;b</x>'
SELECT n.x.value('.', 'varchar(10)') AS part FROM (SELECT CAST(@s AS xml) AS doc) d CROSS APPLY d.doc.nodes('/x') n(x)
GO
--@ source: message 493
DECLARE @x xml = '<a/>' SELECT T.c FROM @x.nodes('/a') T(c)
GO
--@ source: message 493
DECLARE @x xml = '<a/>' SELECT * FROM @x.nodes('/a') T(c)
GO
--@ source: message 2389
DECLARE @x xml = '<a/>' SELECT T.c.value('b', 'int') FROM @x.nodes('/a') T(c)
GO
--@ source: documentation nodes() Method
DECLARE @x xml = '<a><b>5</b></a>' SELECT T.c.value('(/a/b)[1]', 'int') FROM @x.nodes('/a/b') T(c)
GO
--@ source: documentation nodes() Method
DECLARE @x xml = '<a><b/></a>' SELECT T.c.query('..') FROM @x.nodes('/a/b') T(c)
GO
--@ source: documentation nodes() Method
DECLARE @x xml = '<a/>' SELECT T.c.query('.') FROM @x.nodes('for $i in /a return $i') T(c)
GO
--@ source: message 8158
DECLARE @x xml = '<a/>' SELECT 1 FROM @x.nodes('/a') T
GO
--@ source: message 258
DECLARE @x int = 1 SELECT 1 FROM @x.nodes('/a') T(c)
GO
--@ source: message 208
SELECT 1 FROM nothing.nodes('/a') T(c)
GO
