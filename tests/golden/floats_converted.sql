-- float and real as exact numbers and as text: the digits are those of the binary value, rounded half away from zero.
--@ source: reasoned
SET NOCOUNT ON
GO
-- A real holds 123457.1484375, 0.1 as real is 0.100000001490116119384765625, 0.1 as float 0.1000000000000000055511151231257827….
--@ source: documentation float and real
SELECT CAST(CAST(123457.145637867 AS real) AS numeric(30, 20)) AS a, CAST(CAST(-123457.145637867 AS real) AS decimal(38, 7)) AS b, CAST(CAST(0.1 AS real) AS numeric(38, 38)) AS c, CAST(CAST(0.1 AS float) AS numeric(38, 38)) AS d, CONVERT(numeric(38, 0), CAST(1E37 AS float)) AS e, CAST(CAST(16777217 AS real) AS numeric(10, 1)) AS f
GO
--@ source: documentation float and real
DECLARE @r real = 0.1, @n numeric(20, 12)
SET @n = @r
DECLARE @m money = @r, @s smallmoney = CAST(123457.145637867 AS real)
SELECT @n AS n, CONVERT(varchar(30), @m, 2) AS m, CONVERT(varchar(30), @s, 2) AS s, CAST(CAST(5E-18 AS float) AS numeric(38, 20)) AS tiny, CAST(CAST(4E-19 AS real) AS numeric(38, 25)) AS less
GO
--@ source: documentation float and real
CREATE TABLE dbo.rounded (r real, n numeric(30, 10), m money, t varchar(40), u nvarchar(40))
INSERT dbo.rounded (r, n, m, t, u) SELECT r, r, r, r, r FROM (VALUES (CAST(0.3 AS real)), (123457.145637867), (-2.00005), (CAST(3E-7 AS real))) AS v(r)
UPDATE dbo.rounded SET n = n + r WHERE r > 1
SELECT n, CONVERT(varchar(30), m, 2) AS m, t, u FROM dbo.rounded ORDER BY r
DROP TABLE dbo.rounded
GO
-- Styles 0 to 3 of a real and of a float; every other style is 0.
--@ source: documentation CAST and CONVERT
DECLARE @r real = 123457.145637867, @f float = 0.1
SELECT CONVERT(varchar(40), @r) AS r0, CONVERT(varchar(40), @r, 1) AS r1, CONVERT(varchar(40), @r, 2) AS r2, CONVERT(varchar(40), @r, 3) AS r3, CONVERT(varchar(40), @r, 4) AS other
SELECT CONVERT(varchar(40), @f) AS f0, CONVERT(varchar(40), @f, 1) AS f1, CONVERT(varchar(40), @f, 2) AS f2, CONVERT(varchar(40), @f, 3) AS f3, CONVERT(nvarchar(40), -@f, 3) AS negative, CONVERT(varchar(40), CAST(0 AS float), 3) AS zero
GO
-- Ties go away from zero, also where nines carry.
--@ source: reasoned
SELECT CAST(1234565E0 AS varchar(40)) AS a, CAST(-1234565E0 AS varchar(40)) AS b, CAST(999999.5E0 AS varchar(40)) AS c, CAST(0.0999999500E0 AS varchar(40)) AS d, CONVERT(varchar(40), 100000005E0, 1) AS e, CAST(CAST(2.5 AS float) AS numeric(5, 0)) AS f, CAST(CAST(-0.125 AS real) AS numeric(5, 2)) AS g
GO
-- STR and ROUND of the same values.
--@ source: documentation STR
SELECT STR(CAST(123457.145637867 AS real), 20, 10) AS a, STR(CAST(0.1 AS float), 25, 16) AS b, STR(2.5E0, 2, 0) AS c, STR(-0.125E0, 6, 2) AS d, ROUND(CAST(2.5 AS real), 0) AS e, STR(ROUND(CAST(-123457.145637867 AS real), 2), 12, 4) AS f
GO
--@ source: message 8115
SELECT CAST(CAST(1E10 AS real) AS numeric(9, 0))
GO
--@ source: message 8115
SELECT CAST(CAST(2E38 AS real) AS numeric(38, 0))
GO
