-- Decimals whose common type has no room for all digits are compared by value, not rounded first.
--@ source: reasoned
CREATE TABLE two (id int PRIMARY KEY, d decimal(38, 2) NOT NULL UNIQUE)
CREATE TABLE six (id int PRIMARY KEY, d decimal(38, 6) NOT NULL UNIQUE)
INSERT two VALUES (1, 10.00), (2, 10.01), (3, -3.50)
INSERT six VALUES (1, 10.001), (2, 10.010000), (3, -3.5), (4, 9.999999)
SELECT two.id AS two, six.id AS six,
    CASE WHEN two.d = six.d THEN 1 ELSE 0 END AS eq, CASE WHEN two.d <> six.d THEN 1 ELSE 0 END AS ne,
    CASE WHEN two.d < six.d THEN 1 ELSE 0 END AS lt, CASE WHEN two.d >= six.d THEN 1 ELSE 0 END AS ge,
    CASE WHEN six.d BETWEEN two.d AND two.d THEN 1 ELSE 0 END AS lies, CASE two.d WHEN six.d THEN 1 ELSE 0 END AS simple
FROM two CROSS JOIN six ORDER BY two.id, six.id
GO
--@ source: reasoned
SELECT two.id, six.id FROM two JOIN six ON six.d = two.d ORDER BY two.id
SELECT two.id, six.id FROM two INNER HASH JOIN six ON six.d = two.d ORDER BY two.id
SELECT two.id, six.id FROM two INNER LOOP JOIN six ON six.d = two.d ORDER BY two.id
SELECT two.id, six.id FROM two INNER MERGE JOIN six ON six.d = two.d ORDER BY two.id
SELECT id FROM two WHERE d IN (SELECT d FROM six) ORDER BY id
SELECT id FROM six WHERE d NOT IN (SELECT d FROM two) ORDER BY id
SELECT id FROM two WHERE EXISTS (SELECT 1 FROM six WHERE six.d = two.d) ORDER BY id
SELECT id FROM six WHERE d > ALL (SELECT d FROM two WHERE id <> 2) ORDER BY id
GO
-- Literals, variables and lists on a key.
--@ source: reasoned
SELECT id FROM two WHERE d = 10.001
SELECT id FROM two WHERE d = 10.0100
SELECT id FROM two WHERE d > 10.001 ORDER BY id
SELECT id FROM two WHERE d >= 9.999 AND d < 10.001
SELECT id FROM two WHERE d IN (10.001, 10.0100, -3.5000) ORDER BY id
SELECT id FROM two WHERE d NOT IN (10.001, 10.0100) ORDER BY id
DECLARE @v decimal(38, 6) = 10.001
SELECT id FROM two WHERE d = @v
SELECT id FROM two WHERE d < @v ORDER BY id
IF CAST(10 AS decimal(38, 2)) = @v PRINT 'equal' ELSE PRINT 'not equal'
IF CAST(10 AS decimal(38, 2)) < @v PRINT 'less'
IF 10 < @v AND @v < CAST(10.01 AS money) PRINT 'between'
GO
-- A sum has 38 digits, an average six behind the point.
--@ source: documentation SUM, AVG
SELECT g, SUM(v) AS total FROM (VALUES (1, CAST(9.99 AS decimal(9, 2))), (2, 10.00), (3, 10.01)) AS t(g, v)
GROUP BY g HAVING SUM(v) > (SELECT AVG(v) FROM (VALUES (CAST(10.00 AS decimal(9, 2))), (9.99), (10.00)) AS a(v)) ORDER BY g
GO
--@ source: reasoned
DROP TABLE two, six
GO
