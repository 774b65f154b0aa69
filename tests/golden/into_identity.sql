-- SELECT INTO: the new table inherits the identity property of the one table that it is made of, whatever WHERE says.
--@ source: documentation t-sql/queries/select-into-clause-transact-sql
CREATE TABLE b (id int IDENTITY(5, 2) PRIMARY KEY, x int NOT NULL)
CREATE TABLE e (x int NOT NULL, n int NULL)
INSERT b VALUES (1), (2)
INSERT e VALUES (1, NULL)
GO
--@ source: documentation t-sql/queries/select-into-clause-transact-sql
SELECT * INTO r1 FROM b WHERE 1 = 0
SELECT * INTO r2 FROM b WHERE x NOT IN (SELECT x FROM e)
SELECT * INTO r3 FROM b WHERE NOT EXISTS (SELECT 1 FROM e WHERE e.x = b.x)
SELECT * INTO r4 FROM b WHERE EXISTS (SELECT 1 FROM e WHERE e.x = b.x) OR x = 2
SELECT * INTO r5 FROM b WHERE x IN (SELECT n FROM e)
SELECT id, CASE WHEN EXISTS (SELECT 1 FROM e WHERE e.x = b.x) THEN 1 END AS m INTO r6 FROM b
SELECT id, ROW_NUMBER() OVER (ORDER BY x) AS n INTO r7 FROM b
SELECT TOP 1 k.id, k.x INTO r8 FROM (SELECT * FROM b WHERE x IN (NULL)) AS k ORDER BY k.x
SELECT x, id INTO r9 FROM b WHERE x <> x
SELECT name, is_identity FROM sys.columns JOIN (VALUES ('r1'), ('r2'), ('r3'), ('r4'), ('r5'), ('r6'), ('r7'), ('r8'), ('r9')) AS t (t) ON object_id = OBJECT_ID(t) WHERE name = 'id' ORDER BY t
SELECT IDENT_CURRENT('r1') AS r1, IDENT_SEED('r2') AS seed, IDENT_INCR('r3') AS step
INSERT r1 (x) VALUES (9)
INSERT r2 (x) VALUES (9)
INSERT r9 (x) VALUES (9)
SELECT id, x FROM r1 UNION ALL SELECT id, x FROM r2 UNION ALL SELECT id, x FROM r9
GO
-- Not of a join, a union, groups, an expression, or where the column is listed twice.
--@ source: documentation t-sql/queries/select-into-clause-transact-sql
SELECT b.id INTO s1 FROM b JOIN e ON e.x = b.x
SELECT id INTO s2 FROM b UNION ALL SELECT x FROM e
SELECT id INTO s3 FROM b GROUP BY id
SELECT id + 0 AS id INTO s4 FROM b
SELECT id, id AS again INTO s5 FROM b
SELECT DISTINCT id INTO s6 FROM b
SELECT t, is_identity FROM sys.columns JOIN (VALUES ('s1'), ('s2'), ('s3'), ('s4'), ('s5'), ('s6')) AS t (t) ON object_id = OBJECT_ID(t) WHERE name = 'id' ORDER BY t
GO
--@ source: reasoned
DROP TABLE b, e, r1, r2, r3, r4, r5, r6, r7, r8, r9, s1, s2, s3, s4, s5, s6
GO
