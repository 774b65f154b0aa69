-- OPENJSON: default columns, WITH, paths, in joins, and what its values are converted to.
--@ source: documentation t-sql/functions/openjson-transact-sql
DECLARE @json nvarchar(2048) = N'{
   "String_value": "John",
   "DoublePrecisionFloatingPoint_value": 45,
   "DoublePrecisionFloatingPoint_value": 2.3456,
   "BooleanTrue_value": true,
   "BooleanFalse_value": false,
   "Null_value": null,
   "Array_value": ["a","r","r","a","y"],
   "Object_value": {"obj":"ect"}
}'
SELECT * FROM OpenJson(@json)
SELECT [key], value FROM OPENJSON(N'{"path":{"to":{"sub-object":["en-GB", "en-UK","de-AT"]}}}', '$.path.to."sub-object"')
SELECT value FROM OPENJSON(N'{"person":{"info":{"name":"John", "name":"Jack"}}}', N'$.person.info')
EXEC sp_describe_first_result_set N'SELECT * FROM OPENJSON(N''[]'')'
GO
--@ source: documentation t-sql/functions/openjson-transact-sql
DECLARE @json nvarchar(max) = N'[
  {"Order": {"Number":"SO43659", "Date":"2011-05-31T00:00:00"}, "AccountNumber":"AW29825", "Item": {"Price":2024.9940, "Quantity":1}},
  {"Order": {"Number":"SO43661", "Date":"2011-06-01T00:00:00"}, "AccountNumber":"AW73565", "Item": {"Price":2024.9940, "Quantity":3}}
]'
SELECT * FROM OPENJSON(@json) WITH (Number varchar(200) '$.Order.Number', Date datetime '$.Order.Date', Customer varchar(200) '$.AccountNumber', Quantity int '$.Item.Quantity', [Order] nvarchar(max) AS JSON)
SELECT SUM(Price * Quantity) AS total FROM OPENJSON(@json) WITH (Price money '$.Item.Price', Quantity int '$.Item.Quantity')
SELECT root.[key] AS [Order], v.[key], v.value FROM OPENJSON(@json) AS root CROSS APPLY OPENJSON(root.value, '$.Item') AS v
GO
--@ source: documentation t-sql/functions/openjson-transact-sql
-- One row for an object, one for each element of an array; the column's name is the path, with upper and lower case.
SELECT * FROM OPENJSON(N'{"a":1,"A":2,"b":{"c":[10,20]},"d.e":"x","a":3}') WITH (a int, A2 int '$.A', B int, c1 int '$.b.c[1]', c9 int '$.b.c[9]', [d.e] nvarchar(5), whole nvarchar(max) '$' AS JSON)
SELECT * FROM OPENJSON(N'[1, "two", null, true, [3], {"n":4}]') WITH (v nvarchar(10) '$', j nvarchar(max) '$' AS JSON, n int '$.n', e int '$[0]')
SELECT * FROM OPENJSON(N'{"x":[{"n":1},{"n":2}]}', '$.x') WITH (n int)
SELECT * FROM OPENJSON(N'{"x":{"n":1}}', '$.x') WITH (n int)
SELECT * FROM OPENJSON(N'{"x":1}', '$.y')
SELECT * FROM OPENJSON(N'{"x":1}', '$.x')
SELECT * FROM OPENJSON(N'[]')
SELECT * FROM OPENJSON(N'{}') WITH (a int)
SELECT * FROM OPENJSON(CAST(NULL AS nvarchar(max)))
SELECT * FROM OPENJSON(N'[1]', NULL)
SELECT * FROM OPENJSON('{"a":1}extra')
GO
--@ source: documentation t-sql/functions/openjson-transact-sql
SELECT * FROM OPENJSON(N'{"i":"12","b":true,"d":"1.25","f":1.5e2,"dt":"2024-01-02T03:04:05.6","g":"0e984725-c51c-4bf4-9960-e1c80e27aba0","s":"abcdef","bin":"AQL/","x":"<a>1</a>","o":"2024-01-02T03:04:05+02:00"}')
    WITH (i int, b bit, d decimal(9,3), f float, dt datetime2(3), g uniqueidentifier, s varchar(3), bin varbinary(10), x xml, o datetimeoffset(0))
SELECT s, LEN(s) AS l FROM OPENJSON(N'{"s":"a\u0062\"\\\/\n\t\u20ac"}') WITH (s nvarchar(20))
SELECT s FROM OPENJSON(N'[{"s":"a"},{"s":"A"},{"s":"b"}]') WITH (s nvarchar(5) COLLATE Latin1_General_BIN2) WHERE s = N'A'
SELECT * FROM OPENJSON(N'[3,1,2]') WITH (n int '$') ORDER BY n DESC
SELECT TOP 1 value FROM OPENJSON(N'[3,1,2]') ORDER BY [key] DESC
SELECT COUNT(*) AS n, MAX(CAST(value AS int)) AS m FROM OPENJSON(N'[3,1,2]') WHERE type = 2
GO
--@ source: documentation t-sql/functions/openjson-transact-sql
CREATE TABLE jo (id int NOT NULL PRIMARY KEY, tags nvarchar(max) NULL, path nvarchar(20) NULL)
INSERT jo VALUES (1, N'["a","b"]', N'$'), (2, NULL, N'$'), (3, N'{"t":["c"]}', N'$.t'), (4, N'[]', N'$')
SELECT id, t.[key], t.value FROM jo CROSS APPLY OPENJSON(tags, path) AS t ORDER BY id, t.[key]
SELECT id, t.v FROM jo OUTER APPLY OPENJSON(tags) WITH (v nvarchar(5) '$') AS t WHERE id <> 3 ORDER BY id, t.v
SELECT id FROM jo WHERE EXISTS (SELECT * FROM OPENJSON(jo.tags) WHERE value = N'b')
SELECT id, (SELECT COUNT(*) FROM OPENJSON(tags)) AS n FROM jo ORDER BY id
SELECT j.id FROM jo j JOIN OPENJSON(N'[1,3]') AS o ON j.id = o.value ORDER BY j.id
INSERT jo (id, tags) SELECT id, tags FROM OPENJSON(N'[{"id":10,"tags":["z"]},{"id":11}]') WITH (id int, tags nvarchar(max) AS JSON)
UPDATE j SET path = o.p FROM jo j JOIN OPENJSON(N'[{"id":10,"p":"ten"}]') WITH (id int, p nvarchar(20)) AS o ON o.id = j.id
MERGE jo USING OPENJSON(N'[{"id":11,"p":"eleven"},{"id":12,"p":"twelve"}]') WITH (id int, p nvarchar(20)) AS s ON jo.id = s.id
    WHEN MATCHED THEN UPDATE SET path = s.p WHEN NOT MATCHED THEN INSERT (id, path) VALUES (s.id, s.p);
DELETE jo WHERE id IN (SELECT value FROM OPENJSON(N'[1,2,3,4]'))
SELECT * FROM jo ORDER BY id
SELECT * INTO #o FROM OPENJSON(N'[{"a":1}]') WITH (a int, b nvarchar(5))
SELECT * FROM #o
GO
--@ source: documentation t-sql/functions/openjson-transact-sql
CREATE FUNCTION dbo.jo_rows(@j nvarchar(max)) RETURNS TABLE AS RETURN SELECT a, b FROM OPENJSON(@j) WITH (a int, b nvarchar(10))
GO
--@ source: documentation t-sql/functions/openjson-transact-sql
CREATE VIEW dbo.jo_view AS SELECT id, t.[key] AS k, t.value AS v FROM jo CROSS APPLY OPENJSON(tags) t
GO
--@ source: documentation t-sql/functions/openjson-transact-sql
SELECT * FROM dbo.jo_rows(N'[{"a":1,"b":"x"},{"b":"y"}]')
SELECT * FROM dbo.jo_view
;WITH c AS (SELECT value FROM OPENJSON(N'[1,2]')) SELECT a.value, b.value AS other FROM c a CROSS JOIN c b ORDER BY a.value, b.value
SELECT (SELECT * FROM OPENJSON(N'[{"a":1,"b":2}]') WITH (a int, b int) FOR JSON PATH) AS again
DECLARE @t TABLE (n int)
INSERT @t SELECT n FROM OPENJSON(N'[5,6]') WITH (n int '$')
SELECT n FROM @t ORDER BY n
GO
--@ source: reasoned
DROP VIEW jo_view
DROP FUNCTION jo_rows
DROP TABLE jo
GO
