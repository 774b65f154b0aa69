-- A positioned change moves its row: the cursor follows that one, whatever other tables were changed before or beside.
--@ source: reasoned
CREATE TABLE cm_o (n int PRIMARY KEY, v int, INDEX ix (v))
CREATE TABLE cm_t (n int PRIMARY KEY, v int)
INSERT cm_t VALUES (1, 0), (2, 0), (3, 0)
GO
--@ source: reasoned
DECLARE c CURSOR LOCAL DYNAMIC FOR SELECT n, v FROM cm_t FOR UPDATE
OPEN c
FETCH c
INSERT cm_o VALUES (3, 7)
UPDATE cm_t SET n = 10 WHERE CURRENT OF c
UPDATE cm_t SET v = 999 WHERE CURRENT OF c
SELECT n, v FROM cm_t ORDER BY n
DELETE cm_t WHERE CURRENT OF c
SELECT n, v FROM cm_t ORDER BY n
GO
-- The entry of an indexed view is changed behind the row.
--@ source: reasoned
TRUNCATE TABLE cm_t
INSERT cm_t VALUES (1, 3), (2, 0), (3, 9)
GO
--@ source: reasoned
CREATE VIEW cm_v WITH SCHEMABINDING AS SELECT v, n FROM dbo.cm_t
GO
--@ source: reasoned
CREATE UNIQUE CLUSTERED INDEX cm_v1 ON cm_v (v)
CREATE INDEX cm_v2 ON cm_v (n)
DECLARE c CURSOR LOCAL DYNAMIC FOR SELECT n, v FROM cm_t FOR UPDATE
OPEN c
FETCH c
UPDATE cm_t SET n = 10 WHERE CURRENT OF c
UPDATE cm_t SET v = 999 WHERE CURRENT OF c
SELECT n, v FROM cm_t ORDER BY n
GO
--@ source: reasoned
DROP VIEW cm_v
DROP TABLE cm_t, cm_o
GO
