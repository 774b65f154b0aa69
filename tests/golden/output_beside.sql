-- OUTPUT of tables beside the one that is changed: each row with its own values.
--@ source: documentation OUTPUT
CREATE TABLE k (a int PRIMARY KEY, b int)
INSERT k VALUES (1, 10), (2, 20), (3, 30)
CREATE TABLE u (a int, c varchar(5))
INSERT u VALUES (1, 'one'), (2, 'two'), (3, 'three')
UPDATE k SET b += 1 OUTPUT deleted.b AS was, inserted.b AS now, u.c FROM k JOIN u ON u.a = k.a
UPDATE k SET a = 4 - k.a OUTPUT deleted.a AS was, inserted.a AS now, u.*, u.c + '!' AS said FROM k JOIN u ON u.a = k.a
DECLARE @o TABLE (a int, c varchar(5))
DELETE k OUTPUT deleted.a, u.c INTO @o FROM k JOIN u ON u.a = k.a WHERE k.a > 1
SELECT a, c FROM @o ORDER BY a
SELECT a, b FROM k
DROP TABLE k
DROP TABLE u
GO
