-- Two cursors with SCROLL_LOCKS on one row: it stays locked while either is on it.
--@ source: reasoned
CREATE TABLE cs_t (n int PRIMARY KEY, v int)
INSERT cs_t VALUES (1, 0), (2, 0), (3, 0)
DECLARE c CURSOR GLOBAL DYNAMIC SCROLL_LOCKS FOR SELECT n, v FROM cs_t FOR UPDATE
DECLARE d CURSOR GLOBAL DYNAMIC SCROLL_LOCKS FOR SELECT n, v FROM cs_t FOR UPDATE
OPEN c
OPEN d
GO
--@ source: reasoned
FETCH c
FETCH d
GO
--@ source: reasoned
FETCH c
GO
-- 2: the row of each.
--@ source: reasoned
SELECT COUNT(*) AS keys FROM sys.dm_tran_locks WHERE request_session_id = @@SPID AND resource_type = 'KEY' AND request_mode = 'U'
GO
--@ source: reasoned
DEALLOCATE c
DEALLOCATE d
DROP TABLE cs_t
GO
