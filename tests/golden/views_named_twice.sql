-- A view that FROM names twice under other names is no target: nobody knows which of the two is meant.
--@ source: reasoned
CREATE TABLE w (id int, a int, b int)
INSERT w VALUES (1, 1, 1), (2, 2, 2)
GO
--@ source: reasoned
CREATE VIEW x AS SELECT id, a, b FROM w
GO
--@ source: message 8154
UPDATE x SET a = 5 FROM x y JOIN x z ON z.id = y.id
GO
--@ source: message 8154
UPDATE dbo.x SET a = 5 FROM x y JOIN dbo.x z ON z.id = y.id
GO
--@ source: message 8154
DELETE x FROM x y JOIN x z ON z.id = y.id
GO
--@ source: message 8154
UPDATE w SET a = 5 FROM w y JOIN w z ON z.id = y.id
GO
--@ source: documentation t-sql/queries/update-transact-sql
UPDATE x SET a = 6 FROM x y WHERE y.id = 1
UPDATE y SET a = 7 FROM x y JOIN x z ON z.id = y.id WHERE z.id = 2
UPDATE x SET b = 8 FROM x JOIN x z ON z.id = x.id WHERE z.id = 2
UPDATE x SET b = 9 FROM x y JOIN (SELECT id FROM x) z ON z.id = y.id WHERE z.id = 1
SELECT id, a, b FROM w ORDER BY id
GO
--@ source: reasoned
DROP VIEW x
DROP TABLE w
GO
