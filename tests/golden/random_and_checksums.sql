-- RAND, CHECKSUM and functions that keep the types of their arguments.
--@ source: documentation RAND
SELECT RAND(100) AS first, RAND() AS second, RAND() AS third
SELECT RAND(0) AS zero, RAND(1) AS one, RAND(2) AS two, RAND(CAST(NULL AS int)) AS nothing
GO
--@ source: documentation RAND
SELECT COUNT(DISTINCT r) AS numbers FROM (SELECT RAND() AS r FROM (VALUES (1), (2), (3)) AS v (n)) AS q
SELECT COUNT(DISTINCT r) AS numbers FROM (SELECT RAND(CHECKSUM(NEWID())) AS r FROM (VALUES (1), (2), (3)) AS v (n)) AS q
SELECT COUNT(DISTINCT r) AS numbers FROM (SELECT RAND(n) AS r FROM (VALUES (1), (2), (3)) AS v (n)) AS q
SELECT CASE WHEN a = b THEN 'same' ELSE 'two' END AS of_two FROM (SELECT RAND() AS a, RAND() AS b) AS q
GO
--@ source: reasoned
CREATE TABLE t (n int, r float, d float DEFAULT RAND())
INSERT t (n, r) SELECT n, RAND() FROM (VALUES (1), (2), (3)) AS v (n)
SELECT COUNT(DISTINCT r) AS inserted FROM t
UPDATE t SET r = RAND(n)
SELECT COUNT(DISTINCT r) AS by_row FROM t
UPDATE t SET r = RAND()
SELECT COUNT(DISTINCT r) AS updated FROM t
SELECT COUNT(*) AS all_or_none FROM t WHERE RAND() < 2
DROP TABLE t
GO
--@ source: documentation CHECKSUM
SELECT CHECKSUM(1) AS one, CHECKSUM(1, 2) AS two, CHECKSUM('a') AS a, CHECKSUM('A') AS upper_a, CHECKSUM(N'abc') AS wide, CHECKSUM('abcdefgh') AS long, CHECKSUM(CAST('2020-01-01' AS date)) AS day, CHECKSUM('a' COLLATE Latin1_General_BIN2) AS bin
SELECT BINARY_CHECKSUM('a') AS a, BINARY_CHECKSUM('A') AS upper_a, BINARY_CHECKSUM('a', 'b') AS ab, BINARY_CHECKSUM(N'€') AS euro, BINARY_CHECKSUM(CAST(NULL AS int), 1) AS with_null, BINARY_CHECKSUM(CAST('2020-01-01 10:00' AS datetime)) AS moment
SELECT CHECKSUM(*) AS of_row FROM (VALUES (1, 'x')) AS v (a, b)
SELECT CHECKSUM_AGG(CHECKSUM(n)) AS agg FROM (VALUES (1), (2), (4)) AS v (n)
GO
--@ source: message 8116
SELECT CHECKSUM(NULL)
GO
--@ source: message 8116
SELECT CHECKSUM(CAST('<a/>' AS xml))
GO
--@ source: message 8184
SELECT BINARY_CHECKSUM(CAST('<a/>' AS xml))
GO
--@ source: documentation STUFF
SELECT STUFF(0x010203, 2, 1, 0xFFFF) AS bytes, SQL_VARIANT_PROPERTY(STUFF(0x010203, 2, 1, 0xFF), 'BaseType') AS type
SELECT SQL_VARIANT_PROPERTY(DEGREES(1.5), 'BaseType') AS degrees_of_numeric, SQL_VARIANT_PROPERTY(RADIANS(180.0), 'BaseType') AS radians_of_numeric, SQL_VARIANT_PROPERTY(DEGREES(1), 'BaseType') AS degrees_of_int, SQL_VARIANT_PROPERTY(DEGREES(1e0), 'BaseType') AS degrees_of_float, RADIANS(180.0) AS pi
GO
--@ source: message 3623
SELECT ATN2(0, 0)
GO
--@ source: documentation COL_LENGTH
CREATE TABLE l (a text, b ntext, c image, d varchar(max), e nvarchar(10))
SELECT COL_LENGTH('l', 'a') AS a, COL_LENGTH('l', 'b') AS b, COL_LENGTH('l', 'c') AS c, COL_LENGTH('l', 'd') AS d, COL_LENGTH('l', 'e') AS e
DROP TABLE l
GO
