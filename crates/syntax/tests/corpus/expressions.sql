-- Literals.
SELECT 1, 2147483647, 2147483648, -5, 1.5, .5, 2., 1e3, $12.50, £7, 0x0aF, 0x, 0xABC, 'it''s', N'née', NULL
GO
-- Names and variables.
SELECT a, t.a, s.t.a, db.s.t.a, [odd name], "quoted", t.[x]]y], @v, @@ROWCOUNT, $action, t.$identity, db..t.c
GO
-- Precedence: times before plus, unary minus below times, bits with plus.
SELECT 1 + 2 * 3 - 4, 100 / -5 * 2, -a * b, ~a & 7, 1 | 2 + 3, (1 + 2) * 3, a % b ^ c, 'a' + 'b' COLLATE Latin1_General_BIN2
GO
SELECT 1 WHERE a = 1 AND NOT b < 2 OR c >= 3 AND (d <> 4 OR e != 5) AND f !< 6 AND g !> 7
GO
SELECT 1 WHERE a < > 1 AND b > = 2 AND c < = 3 AND (x) = ((y)) AND (a + 1) * 2 > b AND ((a = 1))
GO
SELECT 1 WHERE a IS NULL AND b IS NOT NULL AND c BETWEEN 1 AND 2 AND d NOT BETWEEN 3 AND 4 OR e IS NOT DISTINCT FROM f
GO
SELECT 1 WHERE a IN (1, 2, 3) AND b NOT IN (SELECT x FROM t) AND c IN ((SELECT y FROM u)) AND d LIKE 'a%' AND e NOT LIKE '!%' ESCAPE '!' AND f LIKE 'x' {escape '\'}
GO
SELECT 1 WHERE EXISTS (SELECT * FROM t) AND NOT EXISTS (SELECT 1 FROM u) AND a = ANY (SELECT b FROM t) AND c > ALL (SELECT d FROM t) AND e < SOME (SELECT f FROM t)
GO
SELECT CASE WHEN a = 1 THEN 'one' WHEN a > 1 THEN 'many' ELSE 'none' END, CASE a WHEN 1 THEN 2 END, IIF(a > b, a, b), COALESCE(a, b, 0), NULLIF(a, 0)
GO
SELECT CAST(a AS decimal(10, 2)), CONVERT(varchar(max), a), CONVERT(varchar, a, 121), TRY_CAST('x' AS int), TRY_CONVERT(datetime2(3), '2020'), PARSE('1,5' AS money USING 'de-DE'), CAST(b AS national character varying(20)), CAST(c AS double precision)
GO
SELECT COUNT(*), COUNT(DISTINCT a), SUM(ALL b), GETDATE(), CURRENT_TIMESTAMP, USER, SYSTEM_USER, LEFT(a, 3), RIGHT(b, 2), dbo.f(1, DEFAULT), db.dbo.g(), DATEADD(day, 1, d), TRIM(' a '), TRIM('x' FROM a), TRIM(LEADING '0' FROM b)
GO
SELECT ROW_NUMBER() OVER (ORDER BY a DESC), SUM(b) OVER (PARTITION BY c, d ORDER BY e ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW), SUM(x) OVER (), LAG(a, 1) IGNORE NULLS OVER (ORDER BY b), AVG(y) OVER (ORDER BY z ROWS 2 PRECEDING), COUNT(*) OVER w FROM t WINDOW w AS (PARTITION BY k)
GO
SELECT STRING_AGG(a, ',') WITHIN GROUP (ORDER BY b), PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY c) OVER (PARTITION BY d)
GO
SELECT {d '2020-01-02'}, {t '10:00:00'}, {ts '2020-01-02 03:04:05'}, {fn NOW()}, {fn LEFT('abc', 2)}, {guid '00000000-0000-0000-0000-000000000000'}
GO
SELECT (SELECT MAX(a) FROM t), (SELECT 1 UNION SELECT 2), ((SELECT 1) UNION ALL (SELECT 2)), d AT TIME ZONE 'UTC' AT TIME ZONE @zone, NEXT VALUE FOR dbo.seq, @x.value('(/a)[1]', 'int')
GO
SELECT a = 1, 'b' = 2, [c] = 3, d AS e, f g, h AS 'i', j 'k', @v = l, @w += m
GO
SELECT a || b, a << 2, b >> 1
