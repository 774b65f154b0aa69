-- ROLLBACK closes cursors but copies that were asked for; @@CURSOR_ROWS is of the one opened last.
--@ source: reasoned
CREATE TABLE t (a int PRIMARY KEY)
INSERT t VALUES (1), (2), (3)
GO
--@ source: documentation ROLLBACK TRANSACTION
DECLARE c CURSOR LOCAL FOR SELECT a FROM t
BEGIN TRAN
OPEN c
FETCH c
ROLLBACK
SELECT CURSOR_STATUS('local', 'c') AS s
FETCH c
GO
--@ source: documentation ROLLBACK TRANSACTION
DECLARE c CURSOR LOCAL STATIC FOR SELECT a FROM t
BEGIN TRAN
SAVE TRAN s
OPEN c
FETCH c
ROLLBACK TRAN s
FETCH c
ROLLBACK
SELECT CURSOR_STATUS('local', 'c') AS s, @@CURSOR_ROWS AS n
FETCH c
GO
--@ source: documentation @@CURSOR_ROWS
SELECT @@CURSOR_ROWS AS n
GO
--@ source: reasoned
DROP TABLE t
GO
