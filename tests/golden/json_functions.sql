-- JSON_OBJECT, JSON_ARRAY, ISJSON of a kind, and what the readers of JSON make of odd texts.
--@ source: documentation t-sql/functions/json-object-transact-sql
SELECT JSON_OBJECT() AS o1, JSON_OBJECT('name':'value', 'type':1) AS o2, JSON_OBJECT('name':'value', 'type':NULL ABSENT ON NULL) AS o3, JSON_OBJECT('name':'value', 'type':NULL NULL ON NULL) AS o4
SELECT JSON_OBJECT('name':'value', 'type':JSON_ARRAY(1, 2)) AS o1, JSON_OBJECT('name':'value', 'type':JSON_OBJECT('type_id':1, 'name':'a')) AS o2, JSON_OBJECT('a':NULL) AS o3, JSON_OBJECT('a':1, 'a':2) AS o4
DECLARE @id_key nvarchar(10) = N'id', @id_value nvarchar(64) = N'7'
SELECT JSON_OBJECT('user_name':USER_NAME(), @id_key:@id_value, 'sub':(SELECT 1 + 1), 5:CAST('2024-01-02' AS date), 'b':0x4142, 'f':CAST(1.5 AS float), 't':CAST(1 AS bit)) AS o
GO
--@ source: documentation t-sql/functions/json-array-transact-sql
SELECT JSON_ARRAY() AS a1, JSON_ARRAY('a', 1, 'b', 2) AS a2, JSON_ARRAY('a', 1, 'b', NULL) AS a3, JSON_ARRAY('a', 1, NULL, 2 NULL ON NULL) AS a4, JSON_ARRAY(NULL ABSENT ON NULL) AS a5, JSON_ARRAY(NULL ON NULL) AS a6
SELECT JSON_ARRAY('a', JSON_OBJECT('name':'value', 'type':1), JSON_ARRAY(1, NULL, 2 NULL ON NULL)) AS a, JSON_ARRAY('[1]', JSON_QUERY('[1]'), CAST(JSON_QUERY('[1]') AS nvarchar(50))) AS raw
SELECT x.n, JSON_OBJECT('n':x.n, 'l':JSON_ARRAY(x.n, x.m)) AS o FROM (VALUES (1, 'a'), (2, NULL)) AS x(n, m) ORDER BY x.n
GO
--@ source: documentation t-sql/functions/isjson-transact-sql
SELECT ISJSON('true', VALUE) AS v1, ISJSON('"a"', VALUE) AS v2, ISJSON('test string', VALUE) AS v3, ISJSON('1', SCALAR) AS s1, ISJSON('"x"', SCALAR) AS s2, ISJSON('true', SCALAR) AS s3, ISJSON('[]', ARRAY) AS a1, ISJSON('{}', ARRAY) AS a2, ISJSON('{}', object) AS o1, ISJSON('1') AS p, ISJSON(NULL, VALUE) AS n
GO
--@ source: message 155
SELECT ISJSON('1', NUMBER)
GO
--@ source: message 1023
SELECT ISJSON('1', 'VALUE')
GO
--@ source: documentation relational-databases/json/json-path-expressions-sql-server
-- The reader stops where the path is settled; of members of one name it takes the first.
SELECT JSON_VALUE('{"a":1}extra', '$.a') AS a, JSON_VALUE('{"a":1', '$.a') AS b, JSON_VALUE('{"a":{"z":1},"a":2}', '$.a') AS c, JSON_VALUE('{"a":1,"a":2}', '$.a') AS d, JSON_VALUE('[1,[2,"x"]]', ' lax $ [1] [1]') AS e
SELECT JSON_PATH_EXISTS('{"a":1}', '$.a') AS a, JSON_PATH_EXISTS('{"a":1}extra', '$.a') AS b, JSON_PATH_EXISTS('{"a":1}', 'strict $.b') AS c, JSON_PATH_EXISTS(NULL, '$') AS d
SELECT JSON_QUERY('  {"a" : 1}  ') AS q, JSON_QUERY('{"a":[1, 2]}', '$.a') AS r, LEN(JSON_VALUE('{"a":"' + REPLICATE('x', 4000) + '"}', '$.a')) AS l, JSON_VALUE(CAST('{"a":"' AS varchar(max)) + REPLICATE('x', 4001) + '"}', '$.a') AS m
GO
--@ source: message 13638
DECLARE @k nvarchar(5)
SELECT JSON_OBJECT(@k:1)
GO
--@ source: message 102
SELECT JSON_OBJECT('a' = 1)
GO
--@ source: message 102
SELECT JSON_OBJECT('a':1,)
GO
--@ source: reasoned
SELECT JSON_OBJECTAGG('a':1)
GO
