-- ORDER BY of a set operation names what its first query lists: a column by its table, an expression as it stands there.
--@ source: reasoned
CREATE TABLE ob (c1 int, c2 varchar(5))
INSERT ob VALUES (1, 'b'), (2, 'A'), (3, 'c')
GO
--@ source: documentation t-sql/queries/select-order-by-clause-transact-sql
SELECT c1 FROM ob UNION SELECT 0 ORDER BY ob.c1 DESC
SELECT c1 AS other, c2 FROM ob AS t UNION ALL SELECT 9, 'z' ORDER BY t.c2
SELECT * FROM ob UNION ALL SELECT 0, 'y' ORDER BY ob.c1, ob.c2
SELECT c1, UPPER(c2) AS u FROM ob UNION SELECT 0, 'B' ORDER BY UPPER(c2), c1
SELECT -c1, c2 FROM ob EXCEPT SELECT -3, 'c' ORDER BY -c1
SELECT c1 % 2, COUNT(*) FROM ob GROUP BY c1 % 2 UNION ALL SELECT 5, 5 ORDER BY COUNT(*) DESC, c1 % 2
(SELECT ob.c1 + 1 AS n FROM ob UNION SELECT 100) INTERSECT SELECT 3 ORDER BY ob.c1 + 1
SELECT n FROM (SELECT TOP (2) c1 AS n FROM ob ORDER BY c1 DESC) AS t UNION ALL SELECT 7 ORDER BY t.n OFFSET 1 ROW
GO
--@ source: message 104
SELECT c1 FROM ob UNION SELECT 0 ORDER BY c1 + 1
GO
--@ source: message 104
SELECT c1 FROM ob UNION SELECT 0 ORDER BY ob.c2
GO
--@ source: message 104
SELECT c1 FROM ob UNION SELECT 0 ORDER BY other.c1
GO
--@ source: message 104
SELECT 0 AS a UNION SELECT c1 FROM ob ORDER BY ob.c1
GO
--@ source: message 104
SELECT c1 FROM ob UNION SELECT 0 ORDER BY (SELECT 1)
GO
--@ source: reasoned
DROP TABLE ob
GO
