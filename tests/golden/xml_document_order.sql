-- What a path finds comes in the document's order, however deep it stands.
--@ source: documentation value-method-xml-data-type
DECLARE @x xml = '<a><b><c n="1"/><d><c n="2"/></d></b><c n="3"/><b><c n="4"><c n="5"/></c></b></a>'
SELECT @x.value('(//c/@n)[1]', 'int') AS first, @x.value('(/a//c/@n)[3]', 'int') AS third, @x.value('(//b//c/@n)[4]', 'int') AS of_b, @x.value('(//c//@n)[5]', 'int') AS last
SELECT n.c.value('@n', 'int') AS n FROM @x.nodes('//c') AS n(c)
SELECT @x.query('//c[@n > 1]') AS later
SELECT @x.value('(//c[@n = 5]/../../../b/c/@n)[1]', 'int') AS from_above
GO
