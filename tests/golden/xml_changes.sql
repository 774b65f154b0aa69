-- modify() of variables and of columns: insert, delete, replace value of.
--@ source: documentation insert (XML DML)
DECLARE @myDoc xml = '<Root><ProductDescription ProductID="1" ProductName="Road Bike"><Features></Features></ProductDescription></Root>'
SET @myDoc.modify('insert <Maintenance>3 year parts</Maintenance> into (/Root/ProductDescription/Features)[1]')
SET @myDoc.modify('insert <Warranty>1 year parts</Warranty> as first into (/Root/ProductDescription/Features)[1]')
SET @myDoc.modify('insert <Material>Aluminium</Material> as last into (/Root/ProductDescription/Features)[1]')
SET @myDoc.modify('insert <BikeFrame>Strong</BikeFrame> after (/Root/ProductDescription/Features/Material)[1]')
SET @myDoc.modify('insert <!-- some comment --> before (/Root/ProductDescription/Features/Material)[1]')
SELECT @myDoc AS doc
GO
--@ source: documentation insert (XML DML)
DECLARE @myDoc xml = '<Root><Location LocationID="10"><step>one</step><step>two</step></Location></Root>', @Hrs float = .5, @new xml = '<a>1</a><b/>', @none xml
SET @myDoc.modify('insert attribute LaborHours {".5" } into (/Root/Location[@LocationID=10])[1]')
SET @myDoc.modify('insert attribute MachineHours {sql:variable("@Hrs") } into (/Root/Location[@LocationID=10])[1]')
SET @myDoc.modify('insert ( attribute SetupHours {".5" }, attribute SomeOtherAtt {".2"} ) into (/Root/Location[@LocationID=10])[1]')
SET @myDoc.modify('insert sql:variable("@new") into (/Root)[1]')
SET @myDoc.modify('insert sql:variable("@none") into (/Root)[1]')
SET @myDoc.modify('insert <?Program = "Instructions.exe" ?> before (/Root)[1]')
SET @myDoc.modify('insert if (count(/Root/Location/step) <= 2) then element step { "This is a new step" } else () as last into (/Root/Location[@LocationID=10])[1]')
SET @myDoc.modify('insert text{"Catalog"} as first into (/Root)[1]')
SET @myDoc.modify('insert <![CDATA[ <notxml> as text ]]> into (/Root/b)[1]')
SELECT @myDoc AS doc
GO
--@ source: documentation delete (XML DML)
DECLARE @myDoc xml = '<?Instructions for=TheWC.exe ?><Root><!-- instructions --><Location LocationID="10" LaborHours="1.1">Some text 1<step>one</step>Some text 2<step>two</step></Location></Root>'
SET @myDoc.modify('delete /Root/Location/@LaborHours')
SET @myDoc.modify('delete /Root/Location/step[2]')
SET @myDoc.modify('delete /Root/comment()')
SET @myDoc.modify('delete //processing-instruction()')
SET @myDoc.modify('delete (/Root/Location/text())[1]')
SET @myDoc.modify('delete /Root/nothing')
SELECT @myDoc AS doc
GO
--@ source: documentation replace value of (XML DML)
DECLARE @myDoc xml = '<Root><Location LocationID="10" LaborHours="1.1" MachineHours=".2"><step>one</step><step>two</step></Location></Root>', @n nvarchar(20) = N'a<b'
SET @myDoc.modify('replace value of (/Root/Location/step[1]/text())[1] with "new text"')
SET @myDoc.modify('replace value of (/Root/Location/@LaborHours)[1] with "100.0"')
SET @myDoc.modify('replace value of (/Root/Location[1]/@LaborHours)[1] with (if (count(/Root/Location[1]/step) > 3) then "3.0" else "1.0")')
SET @myDoc.modify('replace value of (/Root/Location/step[2]/text())[1] with sql:variable("@n")')
SET @myDoc.modify('replace value of (/Root/Location/@MachineHours)[1] with number((/Root/Location/@MachineHours)[1]) + 1')
SELECT @myDoc AS doc
GO
--@ source: documentation modify() Method
CREATE TABLE dbo.xc (id int NOT NULL PRIMARY KEY, x xml NULL, n int NULL)
INSERT dbo.xc VALUES (1, '<a i="1"/>', 5), (2, '<a i="2"><b/></a>', 6), (3, NULL, 7)
UPDATE dbo.xc SET x.modify('insert <c n="{ sql:column("n") }">{ sql:column("xc.id") }</c> into (/a)[1]'), n = n + 1 WHERE x IS NOT NULL
UPDATE t SET x.modify('delete /a/b') FROM dbo.xc AS t JOIN dbo.xc AS u ON u.id = t.id WHERE t.id = 2
SELECT id, x, n FROM dbo.xc ORDER BY id
GO
--@ source: documentation modify() Method
MERGE dbo.xc AS t USING (VALUES (1, 'm')) AS s (id, v) ON s.id = t.id WHEN MATCHED THEN UPDATE SET x.modify('replace value of (/a/@i)[1] with sql:column("s.v")')
    OUTPUT deleted.x AS before, inserted.x AS after;
UPDATE dbo.xc SET x.modify('insert <same/> into (/a)[1]') OUTPUT inserted.x WHERE id = 2
GO
--@ source: reasoned
DECLARE @t TABLE (x xml)
INSERT @t VALUES ('<q/>')
UPDATE @t SET x.modify('insert attribute r { 1 } into (/q)[1]')
SELECT x FROM @t
BEGIN TRAN
UPDATE dbo.xc SET x.modify('delete /a')
    WHERE id = 1
SELECT x FROM dbo.xc WHERE id = 1
ROLLBACK
SELECT x FROM dbo.xc WHERE id = 1
GO
--@ source: reasoned
CREATE PROCEDURE dbo.xc_add @x xml OUTPUT, @what nvarchar(10) AS SET @x.modify('insert <w>{ sql:variable("@what") }</w> into (/r)[1]')
GO
--@ source: reasoned
DECLARE @d xml = '<r/>'
EXEC dbo.xc_add @d OUTPUT, N'one'
EXEC dbo.xc_add @d OUTPUT, N'two'
SELECT @d AS d
GO
--@ source: reasoned
CREATE FUNCTION dbo.xc_less (@x xml) RETURNS xml AS BEGIN SET @x.modify('delete //secret') RETURN @x END
GO
--@ source: reasoned
SELECT dbo.xc_less('<a><secret>1</secret><b/></a>') AS less
GO
--@ source: message 5302
DECLARE @x xml SET @x.modify('delete /a')
GO
--@ source: message 5302
UPDATE dbo.xc SET x.modify('delete /a') WHERE id = 3
GO
--@ source: message 2226
DECLARE @x xml = '<a/>' SET @x.modify('insert <c/> into /a/b')
GO
--@ source: message 2207
DECLARE @x xml = '<a/>' SET @x.modify('insert "c" into (/a)[1]')
GO
--@ source: message 2337
DECLARE @x xml = '<a/>' SET @x.modify('replace value of /a/text() with 1')
GO
--@ source: message 2356
UPDATE dbo.xc SET x.modify('replace value of (/a)[1] with 1')
GO
--@ source: message 6305
DECLARE @x xml = '<a/>' SET @x.modify('/a')
GO
--@ source: message 6308
DECLARE @x xml = '<a b="1"/>' SET @x.modify('insert attribute b { 2 } into (/a)[1]')
GO
--@ source: message 8113
DECLARE @x xml = '<a/>' SET @x.query('/a')
GO
--@ source: message 8137
DECLARE @x xml = '<a/>' SELECT @x.modify('delete /a')
GO
--@ source: message 258
DECLARE @x nvarchar(10) = '<a/>' SET @x.modify('delete /a')
GO
--@ source: reasoned
DROP FUNCTION dbo.xc_less
DROP PROCEDURE dbo.xc_add
DROP TABLE dbo.xc
GO
