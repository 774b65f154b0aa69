-- SCROLL_LOCKS: the row that was fetched last is locked until the next FETCH or CLOSE, in a transaction and outside of one.
--@ source: reasoned
SET NOCOUNT ON
CREATE TABLE cl_t (id int PRIMARY KEY, name varchar(20) NOT NULL)
INSERT cl_t VALUES (1, 'one'), (2, 'two'), (3, 'three'), (4, 'four')
GO
--@ source: documentation DECLARE CURSOR
SET NOCOUNT ON
DECLARE c CURSOR GLOBAL KEYSET SCROLL_LOCKS FOR SELECT id, name FROM cl_t
OPEN c
FETCH c
SELECT @@TRANCOUNT AS n
SELECT resource_type, request_mode FROM sys.dm_tran_locks
WHERE request_session_id = @@SPID AND resource_type IN ('KEY', 'OBJECT') ORDER BY resource_type
GO
--@ session two
--@ source: message 1222
SET LOCK_TIMEOUT 50
SELECT name FROM cl_t WHERE id = 1
UPDATE cl_t SET name = 'theirs' WHERE id = 1
GO
--@ session two
--@ source: documentation DECLARE CURSOR
UPDATE cl_t SET name = 'TWO' WHERE id = 2
GO
-- Its own session is in nobody's way, and the change through the cursor is sure.
--@ session one
--@ source: documentation DECLARE CURSOR
SET NOCOUNT ON
UPDATE cl_t SET name = name + '!' WHERE id = 1
UPDATE cl_t SET name = 'ours' WHERE CURRENT OF c
SELECT id, name FROM cl_t WHERE id = 1
SELECT resource_type, request_mode FROM sys.dm_tran_locks
WHERE request_session_id = @@SPID AND resource_type IN ('KEY', 'OBJECT') ORDER BY resource_type
GO
--@ session two
--@ source: message 1222
SELECT name FROM cl_t WHERE id = 1
DELETE cl_t WHERE id = 1
GO
-- The next FETCH lets go of it.
--@ session one
--@ source: documentation DECLARE CURSOR
FETCH c
GO
--@ session two
--@ source: message 1222
UPDATE cl_t SET name = 'theirs' WHERE id = 1
UPDATE cl_t SET name = 'theirs' WHERE id = 2
GO
-- COMMIT and ROLLBACK leave the lock, unless they close the cursor.
--@ session one
--@ source: documentation DECLARE CURSOR
SET NOCOUNT ON
BEGIN TRAN
FETCH c
UPDATE cl_t SET name = 'THREE' WHERE CURRENT OF c
COMMIT
GO
--@ session two
--@ source: message 1222
UPDATE cl_t SET name = 'theirs' WHERE id = 3
GO
--@ session one
--@ source: documentation ROLLBACK TRANSACTION
SET NOCOUNT ON
BEGIN TRAN
FETCH c
ROLLBACK
SELECT CURSOR_STATUS('global', 'c') AS s
GO
--@ session two
--@ source: documentation DECLARE CURSOR
UPDATE cl_t SET name = 'theirs' WHERE id IN (3, 4)
GO
-- A row that is locked by another one is waited for, and the cursor stays open and where it was.
--@ session one
--@ source: reasoned
OPEN c
GO
--@ session two
--@ source: reasoned
BEGIN TRAN
UPDATE cl_t SET name = 'in work' WHERE id = 2
GO
--@ session one
--@ source: message 1222
SET NOCOUNT ON
SET LOCK_TIMEOUT 50
FETCH c
FETCH c
SELECT @@FETCH_STATUS AS f, CURSOR_STATUS('global', 'c') AS s
DECLARE d CURSOR GLOBAL FAST_FORWARD FOR SELECT id, name FROM cl_t
OPEN d
FETCH d
FETCH d
SELECT @@FETCH_STATUS AS f, CURSOR_STATUS('global', 'd') AS s
GO
--@ session two
--@ source: reasoned
COMMIT
GO
--@ session one
--@ source: reasoned
FETCH c
FETCH d
FETCH d
GO
-- A transaction that has locked the range before the row, too, leaves no more than the row's lock.
--@ session one
--@ source: documentation DECLARE CURSOR
SET NOCOUNT ON
BEGIN TRAN
FETCH FIRST FROM c
SELECT COUNT(*) AS n FROM cl_t WITH (SERIALIZABLE, UPDLOCK) WHERE id <= 1
SELECT request_mode FROM sys.dm_tran_locks
WHERE request_session_id = @@SPID AND resource_type = 'KEY' ORDER BY request_mode
COMMIT
SELECT request_mode FROM sys.dm_tran_locks WHERE request_session_id = @@SPID AND resource_type = 'KEY'
GO
--@ session two
--@ source: message 1222
INSERT cl_t VALUES (0, 'nil')
UPDATE cl_t SET name = 'theirs' WHERE id = 1
DELETE cl_t WHERE id = 0
GO
-- OPTIMISTIC locks nothing.
--@ session one
--@ source: documentation DECLARE CURSOR
SET NOCOUNT ON
DEALLOCATE c
DEALLOCATE d
DECLARE o CURSOR GLOBAL DYNAMIC OPTIMISTIC FOR SELECT id, name FROM cl_t
OPEN o
FETCH o
GO
--@ session two
--@ source: documentation DECLARE CURSOR
UPDATE cl_t SET name = 'theirs again' WHERE id = 1
GO
--@ session one
--@ source: message 16934
UPDATE cl_t SET name = 'ours' WHERE CURRENT OF o
SELECT COUNT(*) AS locks FROM sys.dm_tran_locks WHERE request_session_id = @@SPID AND resource_type = 'KEY'
DEALLOCATE o
DROP TABLE cl_t
GO
