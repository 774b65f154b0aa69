-- COMPRESS and DECOMPRESS: GZIP of text and binary values.
--@ source: documentation COMPRESS
SELECT CONVERT(varchar(60), COMPRESS('a'), 1) AS one_byte, CONVERT(varchar(60), COMPRESS(N'a'), 1) AS two_bytes
SELECT CAST(DECOMPRESS(COMPRESS(N'{"sport":"Tennis"}')) AS nvarchar(max)) AS text, CAST(DECOMPRESS(COMPRESS('plain')) AS varchar(max)) AS narrow, CONVERT(varchar(10), DECOMPRESS(COMPRESS(0x00FF00)), 1) AS bytes
SELECT COMPRESS(CAST(NULL AS varchar(5))) AS none, DECOMPRESS(CAST(NULL AS varbinary(5))) AS none_either, DATALENGTH(DECOMPRESS(COMPRESS(''))) AS empty
SELECT SQL_VARIANT_PROPERTY(CAST(COMPRESS('a') AS varbinary(100)), 'BaseType') AS type, DATALENGTH(DECOMPRESS(COMPRESS(REPLICATE(CAST('x' AS varchar(max)), 3000000)))) AS long, CASE WHEN DATALENGTH(COMPRESS(REPLICATE(CAST('x' AS varchar(max)), 3000000))) < 10000 THEN 'small' ELSE 'large' END AS compressed
GO
--@ source: documentation DECOMPRESS
CREATE TABLE dbo.example_table (_id int PRIMARY KEY IDENTITY, info varbinary(max), padded binary(100), info_json AS CAST(DECOMPRESS(info) AS nvarchar(max)))
INSERT dbo.example_table (info, padded) VALUES (COMPRESS(N'one'), COMPRESS(N'two')), (NULL, NULL)
SELECT _id, info_json, CAST(DECOMPRESS(padded) AS nvarchar(max)) AS padded FROM dbo.example_table ORDER BY _id
EXEC sp_describe_first_result_set N'SELECT COMPRESS(''a'') AS c, DECOMPRESS(0x) AS d'
DELETE dbo.example_table OUTPUT deleted._id, CAST(DECOMPRESS(COMPRESS(deleted.info_json)) AS nvarchar(10)) AS again WHERE _id = 1
DROP TABLE dbo.example_table
GO
--@ source: message 4936
CREATE TABLE dbo.t (a varchar(10), c AS COMPRESS(a) PERSISTED)
GO
--@ source: message 9826
SELECT DECOMPRESS(0x0102)
GO
--@ source: message 9826
SELECT DECOMPRESS(0x)
GO
--@ source: message 9826
SELECT DECOMPRESS(CAST(COMPRESS('a text that is cut off') AS varbinary(20)))
GO
--@ source: message 8116
SELECT COMPRESS(1)
GO
--@ source: message 8116
SELECT COMPRESS(NULL)
GO
--@ source: message 8116
SELECT DECOMPRESS('a')
GO
--@ source: message 174
SELECT COMPRESS('a', 'b')
GO
