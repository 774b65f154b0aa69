-- CHECKSUM goes by the collation: texts that are equal have the same number.
--@ source: documentation t-sql/functions/checksum-transact-sql
SELECT CHECKSUM('a' COLLATE Latin1_General_CI_AS) AS windows, CHECKSUM(N'a' COLLATE Latin1_General_CI_AS) AS wide, CHECKSUM('é' COLLATE Latin1_General_CI_AS) AS accent,
    CHECKSUM(N'a-b ' COLLATE Latin1_General_100_CS_AS) AS hyphen, CHECKSUM(N'æ' COLLATE French_CI_AS) AS letters, CHECKSUM('x y' COLLATE Latin1_General_CI_AS) AS blank
GO
--@ source: reasoned
CREATE TABLE t (id int, v nvarchar(10) COLLATE Latin1_General_100_CI_AI, s varchar(10) COLLATE SQL_Latin1_General_CP1_CI_AI, j nvarchar(10) COLLATE Japanese_XJIS_100_CI_AS, g nvarchar(10) COLLATE German_PhoneBook_CI_AI)
INSERT t VALUES (1, N'Straße', 'Élan', N'かな', N'Bär'), (2, N'strasse ', 'elan', N'カナ', N'BAER'), (3, N'STRAẞE', 'ELAN', N'ｶﾅ', N'baer')
SELECT COUNT(DISTINCT v) AS v, COUNT(DISTINCT CHECKSUM(v)) AS of_v, COUNT(DISTINCT s) AS s, COUNT(DISTINCT CHECKSUM(s)) AS of_s, COUNT(DISTINCT j) AS j, COUNT(DISTINCT CHECKSUM(j)) AS of_j,
    COUNT(DISTINCT g) AS g, COUNT(DISTINCT CHECKSUM(g)) AS of_g, COUNT(DISTINCT BINARY_CHECKSUM(v)) AS bytes FROM t
SELECT COUNT(*) AS n FROM t a JOIN t b ON a.v = b.v WHERE CHECKSUM(a.v) <> CHECKSUM(b.v)
DROP TABLE t
GO
--@ source: documentation t-sql/functions/nchar-transact-sql
SELECT NCHAR(128512) AS without, NCHAR(65) AS letter
CREATE DATABASE wider COLLATE Latin1_General_100_CI_AS_SC
GO
--@ source: documentation t-sql/functions/nchar-transact-sql
USE wider
SELECT NCHAR(128512) AS face, LEN(NCHAR(128512)) AS characters, DATALENGTH(NCHAR(128512)) AS bytes, NCHAR(65) AS letter, NCHAR(1114112) AS none, NCHAR(0xD83D) + NCHAR(0xDE00) AS halves
SELECT UNICODE(N'😀') AS number, LEN(N'😀😀') AS literal
USE master
DROP DATABASE wider
