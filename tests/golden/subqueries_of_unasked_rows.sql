-- A correlated subquery is answered for all outer rows at once: a row that no outer row asks for must not fail the statement.
--@ source: reasoned
CREATE TABLE asking (id int, k int)
CREATE TABLE asked (k int, n int, s varchar(40))
INSERT asking VALUES (1, 1), (2, 1), (3, 2), (4, 2)
INSERT asked VALUES (1, 4, '6F9619FF-8B86-D011-B42D-00C04FC964FF'), (2, 9, NULL), (3, -1, 'junk')
GO
--@ source: message 3623
SELECT id, (SELECT x FROM (SELECT k, SQRT(n) AS x FROM asked) AS d WHERE d.k = asking.k) AS x FROM asking
SELECT id, (SELECT MAX(x) FROM (SELECT k, SQRT(n) AS x FROM asked) AS d WHERE d.k = asking.k) AS x FROM asking
SELECT id, (SELECT COUNT(*) FROM asked AS u JOIN asking AS t2 ON SQRT(u.n) = t2.k WHERE u.k = asking.k) AS n FROM asking
GO
--@ source: message 537
CREATE VIEW cut_texts AS SELECT k, LEFT('abcdefghij', n) AS x FROM asked
GO
--@ source: message 537
SELECT id, (SELECT x FROM cut_texts AS v WHERE v.k = asking.k) AS x FROM asking
SELECT id FROM asking WHERE id = 0 OR EXISTS (SELECT 1 FROM cut_texts AS v WHERE v.k = asking.k)
SELECT id FROM asking WHERE id = 0 OR 'q' NOT IN (SELECT x FROM cut_texts AS v WHERE v.k = asking.k)
UPDATE asking SET id = LEN((SELECT x FROM cut_texts AS v WHERE v.k = asking.k))
SELECT * FROM asking
GO
--@ source: message 8169
SELECT k, (SELECT CAST(s AS uniqueidentifier) FROM asked WHERE asked.k = asking.k) AS g FROM asking
SELECT k, (SELECT MAX(CAST(s AS uniqueidentifier)) FROM asked WHERE asked.k = asking.k) AS g FROM asking
GO
--@ source: message 3623
INSERT asking VALUES (5, 3)
SELECT id, (SELECT x FROM (SELECT k, SQRT(n) AS x FROM asked) AS d WHERE d.k = asking.k) AS x FROM asking
GO
--@ source: reasoned
DROP VIEW cut_texts
DROP TABLE asking, asked
GO
