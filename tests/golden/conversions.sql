-- INSERT, UPDATE, DECLARE, SET, parameters, MERGE and OUTPUT INTO convert by the same rules.
--@ source: reasoned
SET NOCOUNT ON
GO
--@ source: reasoned
CREATE TABLE conv (b binary(8), v varbinary(8), s varchar(20), i int, d date, x xml, nt ntext, tx text, f float, sv sql_variant)
GO
--@ source: documentation CAST and CONVERT
INSERT conv (b, v) VALUES (123, 123)
SELECT b, v FROM conv
DELETE conv
GO
--@ source: message 257
INSERT conv (v) VALUES ('abc')
GO
--@ source: message 257
INSERT conv (v) SELECT 'abc'
GO
--@ source: message 257
UPDATE conv SET v = 'abc'
GO
--@ source: message 257
DECLARE @v varbinary(8) = 'abc'
GO
--@ source: message 257
MERGE conv USING (SELECT 1 AS a) AS s ON 1 = 0 WHEN NOT MATCHED THEN INSERT (v) VALUES ('abc');
GO
--@ source: message 257
DECLARE @t TABLE (v varbinary(8))
DELETE conv OUTPUT 'abc' INTO @t
GO
--@ source: message 257
INSERT conv (i) VALUES (GETDATE())
GO
--@ source: message 257
INSERT conv (s) VALUES ($1)
GO
--@ source: message 257
INSERT conv (i) SELECT CAST(1 AS sql_variant)
GO
--@ source: message 257
DECLARE @x xml = '<a/>', @s varchar(10)
SET @s = @x
GO
--@ source: message 206
INSERT conv (d) VALUES (1)
GO
--@ source: message 206
INSERT conv (i) VALUES (NEWID())
GO
--@ source: message 206
INSERT conv (i) VALUES (CAST('1:00' AS time))
GO
--@ source: message 206
INSERT conv (x) VALUES (1)
GO
--@ source: message 206
INSERT conv (nt) VALUES (1)
GO
--@ source: message 206
INSERT conv (f) VALUES (0x01)
GO
--@ source: message 206
INSERT conv (sv) VALUES (CAST('a' AS varchar(max)))
GO
--@ source: message 529
SELECT CAST(1 AS xml)
GO
--@ source: reasoned
CREATE PROCEDURE conv_taken @x xml, @d date AS SELECT @x AS x, @d AS d
GO
--@ source: documentation CAST and CONVERT
EXEC conv_taken '<a  />', '20240305'
EXEC conv_taken 1, '20240305'
GO
--@ source: message 206
EXEC conv_taken '<a/>', 1
GO
--@ source: documentation Precision, scale and length
SELECT CAST(1 AS int) + CAST(1 AS decimal(5, 2)) AS a, 1 + CAST(1 AS decimal(5, 2)) AS b INTO conv_types
SELECT name, precision, scale FROM sys.columns WHERE object_id = OBJECT_ID('conv_types')
DROP TABLE conv_types
GO
--@ source: documentation xml data type
-- xml is kept in one form, wherever it comes from.
INSERT conv (x) VALUES ('<a  b="1" ></a>'), ('<?xml version="1.0"?><r>  <c d=''2''/> &lt;&#65; </r>')
INSERT conv (x) SELECT '<s ></s>'
INSERT conv (x) EXEC ('SELECT ''<e ></e>''')
UPDATE conv SET x = '<u></u>' WHERE CAST(x AS varchar(100)) = '<s/>'
SELECT x FROM conv
GO
--@ source: peer SqlServerSimulator, compared with SQL Server 2025
INSERT conv (x) VALUES ('<a>')
GO
--@ source: peer SqlServerSimulator, compared with SQL Server 2025
UPDATE conv SET x = '<a><b></a>'
GO
--@ source: peer SqlServerSimulator, compared with SQL Server 2025
DECLARE @x xml = '<a b=1/>'
GO
--@ source: peer SqlServerSimulator, compared with SQL Server 2025
DECLARE @x xml
SET @x = 'plain < text'
GO
--@ source: peer SqlServerSimulator, compared with SQL Server 2025
SELECT CAST('<a>&nbsp;</a>' AS xml)
GO
--@ source: peer SqlServerSimulator, compared with SQL Server 2025
SELECT CAST('<a>&#0;</a>' AS xml)
GO
--@ source: peer SqlServerSimulator, compared with SQL Server 2025
EXEC conv_taken '<a', '20240305'
GO
--@ source: message 9402
SELECT CAST(N'<?xml version="1.0" encoding="utf-8"?><a/>' AS xml)
GO
--@ source: documentation TRY_CAST
SELECT TRY_CAST('<a' AS xml) AS t, CONVERT(xml, '<a> </a>', 1) AS preserved
GO
--@ source: message 8116
DECLARE @x xml = '<a/>'
SELECT LEN(@x)
GO
--@ source: message 8116
SELECT SUBSTRING(123, 1, 1)
GO
--@ source: message 1934
SET QUOTED_IDENTIFIER OFF
DECLARE @x xml = '<a>1</a>'
SELECT @x.value('(/a)[1]', 'int')
GO
--@ source: reasoned
SET QUOTED_IDENTIFIER ON
GO
--@ source: message 9400
-- The batch ends, and the transaction with it.
BEGIN TRAN
SELECT CAST('<a>' AS xml)
PRINT 'not reached'
GO
--@ source: message 9400
SELECT @@TRANCOUNT AS open_transactions
GO
--@ source: reasoned
DROP PROCEDURE conv_taken
DROP TABLE conv
GO
--@ source: message 168
SELECT 1e400
GO
--@ source: message 168
DECLARE @f float = -1e309
GO
