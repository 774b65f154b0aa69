-- What a reader without UNMASK is shown, type by type and function by function.
--@ source: reasoned
CREATE DATABASE g_masks_seen
GO
--@ source: documentation Dynamic data masking
USE g_masks_seen
CREATE TABLE dbo.every (
    n tinyint MASKED WITH (FUNCTION = 'default()'), s smallint MASKED WITH (FUNCTION = 'default()'), i int MASKED WITH (FUNCTION = 'default()'),
    b bigint MASKED WITH (FUNCTION = 'default()'), t bit MASKED WITH (FUNCTION = 'default()'), d decimal(9, 2) MASKED WITH (FUNCTION = 'default()'),
    m money MASKED WITH (FUNCTION = 'default()'), sm smallmoney MASKED WITH (FUNCTION = 'default()'), f float MASKED WITH (FUNCTION = 'default()'),
    r real MASKED WITH (FUNCTION = 'default()'), g uniqueidentifier MASKED WITH (FUNCTION = 'default()'))
INSERT dbo.every VALUES (1, 2, 3, 4, 1, 5.55, 6.66, 7.77, 8.8, 9.9, '01234567-89AB-CDEF-0123-456789ABCDEF')
INSERT dbo.every DEFAULT VALUES
CREATE TABLE dbo.texts (
    c char(6) MASKED WITH (FUNCTION = 'default()'), v varchar(30) MASKED WITH (FUNCTION = 'default()'), v2 varchar(2) MASKED WITH (FUNCTION = 'default()'),
    nc nchar(3) MASKED WITH (FUNCTION = 'default()'), nv nvarchar(30) MASKED WITH (FUNCTION = 'default()'), vm varchar(max) MASKED WITH (FUNCTION = 'default()'),
    nm nvarchar(max) MASKED WITH (FUNCTION = 'default()'), tx text MASKED WITH (FUNCTION = 'default()'), x xml MASKED WITH (FUNCTION = 'default()'))
INSERT dbo.texts VALUES ('abc', 'secret', 'ab', N'äöü', N'geheim', REPLICATE('a', 100), N'b', 'c', '<a>1</a>')
CREATE TABLE dbo.bytes (
    b binary(3) MASKED WITH (FUNCTION = 'default()'), v varbinary(10) MASKED WITH (FUNCTION = 'default()'), m varbinary(max) MASKED WITH (FUNCTION = 'default()'),
    i image MASKED WITH (FUNCTION = 'default()'))
INSERT dbo.bytes VALUES (0x010203, 0x0405, 0x06, 0x07)
CREATE TABLE dbo.moments (
    d date MASKED WITH (FUNCTION = 'default()'), t time(3) MASKED WITH (FUNCTION = 'default()'), dt datetime MASKED WITH (FUNCTION = 'default()'),
    sd smalldatetime MASKED WITH (FUNCTION = 'default()'), d2 datetime2(3) MASKED WITH (FUNCTION = 'default()'), o datetimeoffset(0) MASKED WITH (FUNCTION = 'default()'))
INSERT dbo.moments VALUES ('2020-02-03', '10:11:12.123', '2020-02-03T10:11:12', '2020-02-03T10:11:00', '2020-02-03T10:11:12.123', '2020-02-03T10:11:12+02:00')
CREATE USER reader WITHOUT LOGIN
GRANT SELECT TO reader
EXECUTE AS USER = 'reader'
SELECT * FROM dbo.every
SELECT * FROM dbo.texts
SELECT * FROM dbo.bytes
SELECT * FROM dbo.moments
REVERT
GO
--@ source: reasoned
CREATE TABLE dbo.addresses (id int, e varchar(50) MASKED WITH (FUNCTION = 'email()'), n nvarchar(50) MASKED WITH (FUNCTION = 'email()'), short varchar(5) MASKED WITH (FUNCTION = 'email()'))
INSERT dbo.addresses VALUES (1, 'roberto@contoso.com', N'Ärger@x.de', 'a@b.c'), (2, '', N'', ''), (3, 'x', N'y', 'z'), (4, NULL, NULL, NULL)
EXECUTE AS USER = 'reader'
SELECT * FROM dbo.addresses
REVERT
GO
-- Of a value that is too short a part of what would be shown stays hidden, the end before the beginning.
--@ source: documentation Dynamic data masking
CREATE TABLE dbo.parts (id int, a varchar(20) MASKED WITH (FUNCTION = 'partial(1,"XXXXXXX",0)'), b varchar(20) MASKED WITH (FUNCTION = 'partial(5,"XXXXXXX",0)'),
    c varchar(20) MASKED WITH (FUNCTION = 'partial(2, "--", 2)'), d nchar(6) MASKED WITH (FUNCTION = 'partial(0, "...", 2)'), e varchar(4) MASKED WITH (FUNCTION = 'partial(2, "many", 2)'), f varchar(20) MASKED WITH (FUNCTION = 'partial(0,"",0)'))
INSERT dbo.parts VALUES (1, '555.123.1234', '555.123.1234', '555.123.1234', N'abcdef', 'abcd', 'abc'), (2, 'abcde', 'abcde', 'abcde', N'abc', 'a', 'a'), (3, 'abcd', 'abcd', 'abcd', N'ab', 'ab', ''),
    (4, 'abc', 'abc', 'abc', N'a', 'abc', NULL), (5, 'ab', 'ab', 'ab', N'', '', ''), (6, 'a', 'a', 'a', NULL, NULL, NULL), (7, '', '', '', NULL, NULL, NULL)
EXECUTE AS USER = 'reader'
SELECT id, a, b, c, d, e, '[' + REPLACE('|', '|', 'f') + ']' AS f FROM dbo.parts
SELECT id, f FROM dbo.parts
REVERT
GO
-- A number between two others, drawn anew for each value; between equal ones it is known.
--@ source: reasoned
CREATE TABLE dbo.numbers (id int, i int MASKED WITH (FUNCTION = 'random(1, 12)'), b bigint MASKED WITH (FUNCTION = 'random(7, 7)'), n tinyint MASKED WITH (FUNCTION = 'random(255, 255)'),
    d decimal(9, 2) MASKED WITH (FUNCTION = 'random(-1.5, -1.5)'), m money MASKED WITH (FUNCTION = 'random(0.25, 0.25)'), f float MASKED WITH (FUNCTION = 'random(2.5, 2.5)'), t bit MASKED WITH (FUNCTION = 'random(1, 1)'))
INSERT dbo.numbers SELECT n, 1000, n, n, n, n, n, 0 FROM (VALUES (1), (2), (3), (4), (5), (6), (7), (8), (9), (10), (11), (12), (13), (14), (15), (16), (17), (18), (19), (20)) AS v (n)
CREATE TABLE dbo.drawn (i int)
GRANT INSERT ON dbo.drawn TO reader
EXECUTE AS USER = 'reader'
SELECT TOP (1) b, n, d, m, f, t FROM dbo.numbers
INSERT dbo.drawn SELECT i FROM dbo.numbers
REVERT
SELECT COUNT(*) AS n, SUM(CASE WHEN i BETWEEN 1 AND 12 THEN 0 ELSE 1 END) AS outside, CASE WHEN COUNT(DISTINCT i) > 1 THEN 'several' ELSE 'one' END AS values_seen FROM dbo.drawn
GO
--@ source: documentation Dynamic data masking
CREATE TABLE dbo.clocks (y datetime2(0) MASKED WITH (FUNCTION = 'datetime("Y")'), mo datetime MASKED WITH (FUNCTION = 'datetime("M")'), d date MASKED WITH (FUNCTION = 'datetime("D")'),
    h smalldatetime MASKED WITH (FUNCTION = 'datetime("h")'), mi time(0) MASKED WITH (FUNCTION = 'datetime("m")'), s datetimeoffset(3) MASKED WITH (FUNCTION = 'datetime("s")'))
INSERT dbo.clocks VALUES ('2004-02-29T14:20:10', '2004-03-31T14:20:10', '2004-02-29', '2004-02-29T14:20:00', '14:20:10', '2004-02-29T14:20:10.123+05:30')
EXECUTE AS USER = 'reader'
SELECT * FROM dbo.clocks
REVERT
GO
--@ source: reasoned
USE master
DROP DATABASE g_masks_seen
GO
