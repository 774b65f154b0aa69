-- Expressions of XQuery in query(), value() and exist(): FLWOR, constructors, operators, functions, namespaces, and what is wrong before a row is read.
--@ source: documentation FLWOR Statement and Iteration (XQuery)
DECLARE @x xml = '<ManuInstructions ProductModelID="1"><Location LocationID="L1"><Step>Step 1</Step><Step>Step 2</Step></Location><Location LocationID="L2"><Step>Step 3</Step></Location></ManuInstructions>'
SELECT @x.query('for $step in /ManuInstructions/Location[1]/Step return string($step)') AS steps
SELECT @x.query('for $l in /ManuInstructions/Location, $s in $l/Step order by $l/@LocationID descending return <s at="{ $l/@LocationID }">{ data($s) }</s>') AS pairs
SELECT @x.query('let $n := count(//Step) return <n>{ $n }</n>') AS bound
SELECT @x.query('for $l in //Location where count($l/Step) > 1 return string($l/@LocationID)') AS filtered
GO
--@ source: documentation FLWOR Statement and Iteration (XQuery)
DECLARE @x xml = '<root><Person Name="A"/><Person/><Person Name="B"/></root>'
SELECT @x.query('for $person in //Person order by $person/@Name return $person') AS empty_first
GO
--@ source: documentation XML Construction (XQuery)
DECLARE @x xml = '<root>5</root>'
SELECT @x.query('<NewRoot><e> { /root } </e></NewRoot>') AS a, @x.query('<NewRoot><e> { data(/root) } </e></NewRoot>') AS b,
    @x.query('<NewRoot> Hello, I can use {{ and }} as part of my text</NewRoot>') AS c, @x.query('<NewRoot attr="{ data(/root) }" ></NewRoot>') AS d
SELECT @x.query('<a attr="{''Item'', data(/root)}"/>') AS blanks, @x.query('<a attr="{concat(''Item'', /root[1])}"/>') AS together,
    @x.query('element e { attribute f { "g" }, text { "h" } }') AS computed, @x.query('<!--c-->, <?d e?>, <![CDATA[<f>]]>') AS others
GO
--@ source: documentation Comparison Expressions (XQuery)
DECLARE @x xml = '<a>6</a>'
SELECT @x.query('(1,2,3) = (3,4)') AS one_of, @x.query('/a[1] < 7') AS number, @x.query('/a[1] < "17"') AS text, @x.query('/a[1] eq 6') AS single,
    @x.query('(/a)[1] is (//a)[1]') AS same, @x.query('if (/a = ("5", "6")) then <yes/> else ()') AS condition
SELECT @x.query('some $i in (1, 2) satisfies $i = /a') AS some_are, @x.query('every $i in (1, 2) satisfies $i < 3') AS all_of
GO
--@ source: documentation Arithmetic Expressions (XQuery)
DECLARE @x xml = '<a><n>10</n><n>20</n><n>x</n></a>'
SELECT @x.query('2 div 2') AS d, @x.query('2 * 2') AS m, @x.query('xs:integer(2 div 3)') AS i, @x.value('/a[1]/n[1] + 1', 'int') AS s,
    @x.value('1 div 0', 'int') AS nothing, @x.value('sum(/a/n)', 'int') AS total, @x.value('avg(/a/n)', 'float') AS mean, @x.value('max(/a/n)', 'int') AS most
GO
--@ source: documentation XQuery Functions against the xml Data Type
DECLARE @x xml = N'<r xmlns:p="urn:u"><p:a>Hello</p:a><b>1.5</b><b>1.5</b><b>2.5</b></r>'
SELECT @x.value('substring((/r/*)[1], 2, 3)', 'varchar(9)') AS part, @x.value('string-length((/r/*)[1])', 'int') AS length,
    @x.value('upper-case((/r/*)[1])', 'varchar(9)') AS upper, @x.value('namespace-uri((/r/*)[1])', 'varchar(9)') AS uri, @x.value('local-name((/r/*)[1])', 'varchar(9)') AS name,
    @x.query('distinct-values(/r/b)') AS apart, @x.query('floor(-1.5), ceiling(1.5), round(2.5)') AS rounded, @x.value('empty(/r/c)', 'bit') AS empty,
    @x.value('number((/r/b)[1])', 'decimal(5,2)') AS n
SELECT @x.value('(/r/b[position()=2])[1]', 'float') AS second, @x.exist('/r/b[. cast as xs:decimal? > 2]') AS cast_too, @x.exist('false()') AS something
GO
--@ source: documentation Modules and Prologs - XQuery Prolog
DECLARE @x xml = '<r xmlns="urn:d"><p:a xmlns:p="urn:p" id="1" p:id="2"/><b xmlns="">t</b></r>'
SELECT @x.value('declare namespace q="urn:d"; declare namespace p="urn:p"; (/q:r/p:a/@p:id)[1]', 'int') AS with_prefix,
    @x.value('declare default element namespace "urn:d"; count(/r)', 'int') AS by_default, @x.value('count(/r)', 'int') AS none, @x.value('(//b)[1]', 'varchar(5)') AS bare,
    @x.value('count(/*:r/*:a)', 'int') AS wild, @x.query('declare namespace p="urn:p"; //p:a') AS taken_along
GO
--@ source: documentation Statistics and plans
DECLARE @p xml = N'<ShowPlanXML xmlns="http://schemas.microsoft.com/sqlserver/2004/07/showplan" Version="1.2"><BatchSequence><Batch><Statements><StmtSimple StatementText="SELECT 1" StatementSubTreeCost="0.5"><QueryPlan CachedPlanSize="16"><RelOp PhysicalOp="Clustered Index Scan"><Object Table="[t]" Index="[PK]"/></RelOp><MissingIndexes><MissingIndexGroup Impact="99.5"/></MissingIndexes></QueryPlan></StmtSimple></Statements></Batch></BatchSequence></ShowPlanXML>';
WITH XMLNAMESPACES (DEFAULT 'http://schemas.microsoft.com/sqlserver/2004/07/showplan')
SELECT s.n.value('@StatementText', 'nvarchar(50)') AS statement, s.n.value('(QueryPlan/@CachedPlanSize)[1]', 'int') AS size,
    s.n.exist('.//RelOp[contains(@PhysicalOp, "Scan")]') AS scans, s.n.value('(.//MissingIndexGroup/@Impact)[1]', 'float') AS impact,
    s.n.exist('./QueryPlan/RelOp[@PhysicalOp = "Sort"]') AS sorts
FROM @p.nodes('//StmtSimple') AS s(n)
GO
--@ source: documentation nodes() Method
DECLARE @x xml = '<r><p id="1"><c/></p><p id="2"><c/><c/></p></r>'
SELECT T.c.value('../@id', 'int') AS of_parent, T.c.value('count(/r/p)', 'int') AS of_document, T.c.query('..') AS parent, T.c.exist('../../p[@id=2]') AS found FROM @x.nodes('/r/p/c') T(c)
SELECT a.n.value('@id', 'int') AS outer_id, b.n.value('../@id', 'int') AS by_child, b.n.value('count(../../p)', 'int') AS all_of FROM @x.nodes('/r/p') a(n) CROSS APPLY a.n.nodes('c') b(n)
SELECT a.n.value('@id', 'int') AS id, b.n.value('@id', 'int') AS other FROM @x.nodes('/r/p') a(n) CROSS APPLY a.n.nodes('../p') b(n) ORDER BY id, other
SELECT T.c.value('.', 'int') AS i FROM @x.nodes('for $p in /r/p order by $p/@id descending return $p/@id') T(c)
GO
--@ source: documentation sql:variable() Function
DECLARE @x xml = '<a><b>x</b></a>', @i int = 3, @d datetime = '2024-05-06T07:08:09', @f float = 0.5, @t bit = 1, @s nvarchar(20) = N'<&"'
SELECT @x.query('<v i="{ sql:variable("@i") + 1 }" d="{ sql:variable("@d") }" f="{ sql:variable("@f") }" t="{ sql:variable("@t") }" s="{ sql:variable("@s") }"/>') AS v
SELECT v.n, @x.query('<c>{ sql:column("v.n") }</c>') AS c FROM (VALUES (1), (NULL)) v(n)
SELECT @x.value('(/a/b)[sql:variable("@t") = true()][1]', 'char(1)') AS t
GO
--@ source: message 2209
DECLARE @x xml SELECT @x.query('< a/>')
GO
--@ source: message 2225
DECLARE @x xml SELECT @x.query('sql:variable(@i)')
GO
--@ source: message 2229
DECLARE @x xml SELECT @x.query('/p:a')
GO
--@ source: message 2227
DECLARE @x xml SELECT @x.query('$n')
GO
--@ source: message 2234
DECLARE @x xml SELECT @x.query('1 = "a"')
GO
--@ source: message 2370
DECLARE @x xml SELECT @x.query('/a b')
GO
--@ source: message 2389
CREATE TABLE #m (x xml) SELECT x.value('/a', 'int') FROM #m
GO
--@ source: message 2389
DECLARE @x xml SELECT @x.exist('//a eq 1')
GO
--@ source: message 2390
DECLARE @x xml SELECT @x.query('/a/@b')
GO
--@ source: message 2395
DECLARE @x xml SELECT @x.query('starts-with("a", "b")')
GO
--@ source: message 2210
DECLARE @x xml SELECT @x.query('/a, 1')
GO
--@ source: message 6306
DECLARE @x xml SELECT @x.query('delete /a')
GO
--@ source: message 9335
DECLARE @x xml SELECT @x.query('/a/ancestor::b')
GO
--@ source: message 9501
DECLARE @x xml SELECT @x.query('sql:variable("@none")')
GO
--@ source: message 9344
DECLARE @x xml, @v sql_variant SELECT @x.query('sql:variable("@v")')
GO
