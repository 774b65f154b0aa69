-- What FOR JSON, OPENJSON and the readers of JSON refuse.
--@ source: message 13600
SELECT 1 AS a FOR JSON AUTO
GO
--@ source: message 13601
SELECT 1 AS [a.b], 2 AS [c], 3 AS [a.d] FOR JSON PATH
GO
--@ source: message 13601
SELECT 1 AS a, 2 AS a FOR JSON PATH
GO
--@ source: message 13601
SELECT 1 AS a, 2 AS [a.b] FOR JSON PATH
GO
--@ source: message 13601
SELECT 1 AS [a.b], 2 AS a FOR JSON PATH
GO
--@ source: message 13601
SELECT name, name FROM sys.databases FOR JSON AUTO
GO
--@ source: message 13603
SELECT 1 AS [a..b] FOR JSON PATH
GO
--@ source: message 13603
SELECT 1 AS [.a] FOR JSON PATH
GO
--@ source: message 13603
SELECT 1 AS [a.] FOR JSON PATH
GO
--@ source: message 13605
SELECT 1 FOR JSON PATH
GO
--@ source: message 13605
SELECT COUNT(*) FROM sys.databases FOR JSON AUTO
GO
--@ source: message 13620
SELECT 1 AS a FOR JSON PATH, ROOT, WITHOUT_ARRAY_WRAPPER
GO
--@ source: message 13602
CREATE TABLE #i (j nvarchar(max))
INSERT #i SELECT 1 AS a FOR JSON PATH
GO
--@ source: message 13602
SELECT 1 AS a INTO #j FOR JSON PATH
GO
--@ source: message 13602
INSERT #i EXEC (N'SELECT 1 AS a FOR JSON PATH')
GO
--@ source: message 6819
DECLARE @v nvarchar(max)
SELECT @v = 1 FOR JSON PATH
GO
--@ source: message 102
SELECT 1 AS a FOR JSON RAW
GO
--@ source: message 102
SELECT 1 AS a FOR JSON PATH ('x')
GO
--@ source: message 102
SELECT 1 AS a FOR JSON PATH, ELEMENTS
GO
--@ source: message 8155
SELECT * FROM (SELECT 1 AS a FOR JSON PATH) AS t
GO
--@ source: message 16907
DECLARE c CURSOR FOR SELECT 1 AS a FOR JSON PATH
GO
--@ source: message 13609
SELECT * FROM OPENJSON(N'nothing')
GO
--@ source: message 13609
SELECT * FROM OPENJSON(N'[1,2')
GO
--@ source: message 13609
SELECT * FROM OPENJSON(N'{"a":01}') WITH (a int)
GO
--@ source: message 13609
SELECT * FROM OPENJSON(N'{"a":1x}', '$.b')
GO
--@ source: message 13607
SELECT * FROM OPENJSON(N'{}', 'a')
GO
--@ source: message 13607
SELECT * FROM OPENJSON(N'{}') WITH (a int '$a')
GO
--@ source: message 13608
SELECT * FROM OPENJSON(N'{}', 'strict $.a')
GO
--@ source: message 13608
SELECT * FROM OPENJSON(N'{}') WITH (a int 'strict $.a')
GO
--@ source: message 13611
SELECT * FROM OPENJSON(N'{"a":1}', 'strict $.a')
GO
--@ source: message 13624
SELECT * FROM OPENJSON(N'{"a":1}') WITH (a nvarchar(max) 'strict $.a' AS JSON)
GO
--@ source: message 13623
SELECT * FROM OPENJSON(N'{"a":[1]}') WITH (a int 'strict $.a')
GO
--@ source: message 13618
SELECT * FROM OPENJSON(N'{}') WITH (a nvarchar(100) AS JSON)
GO
--@ source: message 13614
SELECT * FROM OPENJSON(N'{}') WITH (a sql_variant)
GO
--@ source: message 13614
SELECT * FROM OPENJSON(N'{}') WITH (a ntext)
GO
--@ source: message 13612
SELECT * FROM OPENJSON(N'{"a":"?"}') WITH (a varbinary(5))
GO
--@ source: message 13613
SELECT * FROM OPENJSON(N'{"a":"AQL/"}') WITH (a varbinary(2))
GO
--@ source: message 245
SELECT * FROM OPENJSON(N'{"a":"x"}') WITH (a int)
GO
--@ source: message 8116
SELECT * FROM OPENJSON(5)
GO
--@ source: message 313
SELECT * FROM OPENJSON()
GO
--@ source: message 8144
SELECT * FROM OPENJSON(N'{}', '$', 1)
GO
--@ source: message 13609
SELECT JSON_VALUE('{"a":"x', '$.a')
GO
--@ source: message 13609
SELECT JSON_VALUE('1', '$')
GO
--@ source: message 13623
SELECT JSON_VALUE('{"a":[]}', 'strict $.a')
GO
--@ source: message 13624
SELECT JSON_QUERY('{"a":1}', 'strict $.a')
GO
--@ source: message 13606
DECLARE @deep nvarchar(max) = REPLICATE(CAST('[' AS varchar(max)), 129) + REPLICATE(CAST(']' AS varchar(max)), 129)
SELECT ISJSON(@deep) AS i
SELECT COUNT(*) FROM OPENJSON(@deep)
GO
