-- JSON_MODIFY: one value changes, all else stays as it is written.
--@ source: documentation t-sql/functions/json-modify-transact-sql
DECLARE @info nvarchar(100) = '{"name":"John","skills":["C#","SQL"]}'
SET @info = JSON_MODIFY(@info, '$.name', 'Mike')
PRINT @info
SET @info = JSON_MODIFY(@info, '$.surname', 'Smith')
PRINT @info
SET @info = JSON_MODIFY(@info, 'strict $.name', NULL)
PRINT @info
SET @info = JSON_MODIFY(@info, '$.name', NULL)
PRINT @info
SET @info = JSON_MODIFY(@info, 'append $.skills', 'Azure')
PRINT @info
PRINT JSON_MODIFY(JSON_MODIFY('{"price":49.99}', '$.Price', CAST(JSON_VALUE('{"price":49.99}', '$.price') AS numeric(4, 2))), '$.price', NULL)
PRINT JSON_MODIFY('{"click_count": 173}', '$.click_count', CAST(JSON_VALUE('{"click_count": 173}', '$.click_count') AS int) + 1)
PRINT JSON_MODIFY('{"name":"John","skills":["C#","SQL"]}', '$.skills', '["C#","T-SQL","Azure"]')
PRINT JSON_MODIFY('{"name":"John","skills":["C#","SQL"]}', '$.skills', JSON_QUERY('["C#","T-SQL","Azure"]'))
GO
--@ source: documentation t-sql/functions/json-modify-transact-sql
SELECT JSON_MODIFY('  { "a" : 1 }  ', '$.a', 2) AS blanks, JSON_MODIFY('{ "a" : 1 }', '$.b', 2) AS added, JSON_MODIFY('{}', '$.b', 2) AS first, JSON_MODIFY('{ }', '$."x y"', N'é/') AS quoted
SELECT JSON_MODIFY('{"a":1,"b":2}', '$.a', NULL) AS d1, JSON_MODIFY('{"a":1,"b":2}', '$.b', NULL) AS d2, JSON_MODIFY('{"a":1}', '$.a', NULL) AS d3, JSON_MODIFY('{"a":1, "b":2, "c":3}', '$.b', NULL) AS d4, JSON_MODIFY('{"a":1}', '$.z', NULL) AS d5
SELECT JSON_MODIFY('[1,2,3]', '$[1]', NULL) AS e1, JSON_MODIFY('[1,2,3]', '$[1]', 'x') AS e2, JSON_MODIFY('[1,2,3]', '$[3]', 'x') AS e3, JSON_MODIFY('[1]', '$.a', 'x') AS e4, JSON_MODIFY('{"a":1}', '$[0]', 'x') AS e5, JSON_MODIFY('{}', '$.x.y', 1) AS e6
SELECT JSON_MODIFY('[]', 'append $', 1) AS a1, JSON_MODIFY('[1]', 'append $', NULL) AS a2, JSON_MODIFY('{"a":1}', 'append $.a', 2) AS a3, JSON_MODIFY('{}', 'append $.a', 2) AS a4, JSON_MODIFY('{"a":[[1],[2 ]]}', 'append lax $.a[1]', JSON_QUERY('{"b": 1}')) AS a5
SELECT JSON_MODIFY('{"a":1,"a":2}', '$.a', 9) AS dup, JSON_MODIFY('{"a":{"b":[1,{"c":2}]}}', '$.a.b[1].c', JSON_MODIFY('{}', '$.d', 1)) AS deep, JSON_MODIFY('{"a":"\"}"}', '$.b', 1) AS tricky
SELECT JSON_MODIFY('{}', '$.a', CAST(1 AS bit)) AS b, JSON_MODIFY('{}', '$.a', CAST(1.50 AS decimal(5,2))) AS d, JSON_MODIFY('{}', '$.a', CAST(0.5 AS float)) AS f, JSON_MODIFY('{}', '$.a', CAST(5 AS bigint)) AS i, JSON_MODIFY('{}', '$.a', 'a/b"' + CHAR(10)) AS s
SELECT JSON_MODIFY(NULL, '$.a', 1) AS n1, JSON_MODIFY('{}', CAST(NULL AS varchar(5)), 1) AS n2
GO
--@ source: documentation t-sql/functions/json-modify-transact-sql
CREATE TABLE jm (id int NOT NULL PRIMARY KEY, doc nvarchar(200) NULL)
INSERT jm VALUES (1, N'{"info":{"town":"Rome"}}'), (2, NULL), (3, N'{"info":{}}')
UPDATE jm SET doc = JSON_MODIFY(doc, '$.info.town', 'London')
SELECT id, doc FROM jm ORDER BY id
DROP TABLE jm
GO
--@ source: message 13608
SELECT JSON_MODIFY('{}', 'strict $.a', 1)
GO
--@ source: message 13608
SELECT JSON_MODIFY('[1]', 'strict $[1]', 1)
GO
--@ source: message 13621
SELECT JSON_MODIFY('{"a":1}', 'append strict $.a', 1)
GO
--@ source: message 13619
SELECT JSON_MODIFY('{}', '$', 1)
GO
--@ source: message 13609
SELECT JSON_MODIFY('{"a":1}extra', '$.a', 2)
GO
--@ source: message 13607
SELECT JSON_MODIFY('{}', 'a', 2)
GO
--@ source: message 8116
SELECT JSON_MODIFY('{}', '$.a', GETDATE())
GO
--@ source: message 174
SELECT JSON_MODIFY('{}', '$.a')
GO
