-- Columns of two tables changed at once through a view that joins them: 4405. What is computed: 4406.
--@ source: reasoned
CREATE TABLE t (id int, a int)
CREATE TABLE u (uid int, x int)
INSERT t VALUES (1, 1)
INSERT u VALUES (1, 1)
GO
--@ source: reasoned
CREATE VIEW vj AS SELECT id, a, uid, x, a + x AS total FROM t JOIN u ON uid = id
GO
--@ source: message 4405
UPDATE vj SET a = 1, x = 2
GO
--@ source: message 4405
INSERT vj (id, a, uid) VALUES (2, 2, 2)
GO
--@ source: message 4406
UPDATE vj SET a = 1, total = 2
GO
--@ source: message 4406
INSERT vj (id, total) VALUES (2, 2)
GO
--@ source: documentation t-sql/statements/create-view-transact-sql
UPDATE vj SET a = 3
UPDATE vj SET x = 4
SELECT id, a, uid, x, total FROM vj
GO
--@ source: reasoned
DROP VIEW vj
DROP TABLE t, u
GO
