-- Under _SC, _140 and _UTF8 a surrogate pair is one character; elsewhere it is two.
--@ source: documentation relational-databases/collations/collation-and-unicode-support
CREATE TABLE t (sc nvarchar(20) COLLATE Latin1_General_100_CI_AS_SC, plain nvarchar(20) COLLATE Latin1_General_100_CI_AS, late nvarchar(max) COLLATE Japanese_XJIS_140_CI_AS)
INSERT t VALUES (N'a😀b😁  ', N'a😀b😁  ', N'a😀b😁  ')
SELECT LEN(sc) AS sc, LEN(plain) AS plain, LEN(late) AS late, DATALENGTH(sc) AS bytes FROM t
SELECT LEFT(sc, 2) AS l, RIGHT(sc, 3) AS r, SUBSTRING(sc, 2, 2) AS s, SUBSTRING(sc, 0, 3) AS z, SUBSTRING(late, 4, 9) AS m FROM t
SELECT CAST(LEFT(plain, 2) AS varbinary(8)) AS halved, UNICODE(SUBSTRING(sc, 2, 1)) AS number, UNICODE(SUBSTRING(plain, 2, 1)) AS half, UNICODE(SUBSTRING(sc, 3, 1)) AS b FROM t
SELECT CHARINDEX(N'b', sc) AS sc, CHARINDEX(N'b', plain) AS plain, CHARINDEX(N'😁', sc) AS pair, CHARINDEX(N'😁', plain) AS units, CHARINDEX(N'😁', sc, 5) AS none, CHARINDEX(N'😁', sc, 4) AS found FROM t
SELECT PATINDEX(N'%b%', sc) AS sc, PATINDEX(N'%b%', plain) AS plain, PATINDEX(N'%_😁%', sc) AS before FROM t
SELECT REVERSE(RTRIM(sc)) AS reversed, STUFF(sc, 2, 1, N'-') AS stuffed, STUFF(sc, 4, 1, N'+') AS late, STUFF(sc, 7, 1, N'-') AS no, REPLACE(sc, N'😀', N'x') AS replaced FROM t
GO
--@ source: documentation relational-databases/collations/collation-and-unicode-support
SELECT IIF(sc LIKE N'a_b_  ', 1, 0) AS one, IIF(plain LIKE N'a_b_  ', 1, 0) AS not_one, IIF(plain LIKE N'a__b__  ', 1, 0) AS two, IIF(sc LIKE N'a__b%', 1, 0) AS not_two,
    IIF(sc LIKE N'a[^x]b%', 1, 0) AS other, IIF(sc LIKE N'%😁  ', 1, 0) AS itself, IIF(sc LIKE N'%😀  ', 1, 0) AS another FROM t
SELECT COUNT(*) AS n FROM t WHERE LEN(late) = 4 AND LEFT(late, 2) = N'a😀'
DECLARE @s nvarchar(10) = N'😀😀'
SELECT LEN(@s) AS units, LEN(@s COLLATE Latin1_General_100_CI_AS_SC) AS characters, LEN(CAST('abc' AS varchar(9)) COLLATE Latin1_General_100_CI_AS_SC) AS narrow
DROP TABLE t
