-- DYNAMIC cursors: along an index in both directions, over the rows as they are then.
--@ source: reasoned
SET NOCOUNT ON
CREATE TABLE cd_t (id int PRIMARY KEY, name varchar(20) NOT NULL, amount int NULL)
INSERT cd_t VALUES (10, 'ten', 1), (20, 'twenty', 2), (30, 'thirty', 3), (40, 'forty', 4), (50, 'fifty', 5)
CREATE INDEX cd_amount ON cd_t (amount)
GO
--@ source: documentation DECLARE CURSOR
SET NOCOUNT ON
DECLARE c CURSOR GLOBAL DYNAMIC FOR SELECT id, name FROM cd_t WHERE name <> 'hidden'
OPEN c
SELECT @@CURSOR_ROWS AS n, CURSOR_STATUS('global', 'c') AS s
FETCH PRIOR FROM c
FETCH NEXT FROM c
FETCH NEXT FROM c
FETCH PRIOR FROM c
FETCH PRIOR FROM c
SELECT @@FETCH_STATUS AS before_the_first
FETCH NEXT FROM c
FETCH LAST FROM c
FETCH NEXT FROM c
SELECT @@FETCH_STATUS AS behind_the_last
FETCH PRIOR FROM c
FETCH RELATIVE -2 FROM c
FETCH RELATIVE 1 FROM c
FETCH RELATIVE 0 FROM c
FETCH RELATIVE 9 FROM c
FETCH FIRST FROM c
GO
-- Rows come and go on both sides of it.
--@ source: documentation DECLARE CURSOR
SET NOCOUNT ON
INSERT cd_t VALUES (15, 'fifteen', 9), (5, 'five', 9)
FETCH NEXT FROM c
UPDATE cd_t SET name = 'hidden' WHERE id = 20
DELETE cd_t WHERE id = 10
FETCH NEXT FROM c
FETCH PRIOR FROM c
FETCH PRIOR FROM c
GO
-- Its own row has gone: it goes on from where that was.
--@ source: reasoned
SET NOCOUNT ON
FETCH LAST FROM c
FETCH PRIOR FROM c
DELETE cd_t WHERE id = 40
FETCH RELATIVE 0 FROM c
SELECT @@FETCH_STATUS AS gone
FETCH PRIOR FROM c
FETCH NEXT FROM c
UPDATE cd_t SET name = 'FIFTY' WHERE CURRENT OF c
DELETE cd_t WHERE CURRENT OF c
FETCH PRIOR FROM c
GO
--@ source: message 16925
FETCH ABSOLUTE 1 FROM c
GO
--@ source: documentation sys.dm_exec_cursors
SELECT properties, fetch_status, fetch_buffer_start FROM sys.dm_exec_cursors(@@SPID)
DEALLOCATE c
GO
-- Backwards along a key, along another index, and within ranges of it.
--@ source: reasoned
SET NOCOUNT ON
INSERT cd_t VALUES (1, 'one', 10), (2, 'two', 20), (3, 'three', 20), (4, 'four', 30), (6, 'six', 40)
DECLARE c CURSOR LOCAL DYNAMIC FOR SELECT id FROM cd_t ORDER BY id DESC
OPEN c
FETCH c
FETCH c
FETCH PRIOR FROM c
FETCH LAST FROM c
FETCH PRIOR FROM c
DECLARE d CURSOR LOCAL DYNAMIC FOR SELECT id, amount FROM cd_t WITH (INDEX (cd_amount)) WHERE amount IN (20, 40)
OPEN d
FETCH LAST FROM d
FETCH PRIOR FROM d
FETCH PRIOR FROM d
FETCH PRIOR FROM d
FETCH NEXT FROM d
FETCH RELATIVE 2 FROM d
FETCH NEXT FROM d
FETCH NEXT FROM d
FETCH PRIOR FROM d
GO
-- Forward only: the same without the way back.
--@ source: message 16911
SET NOCOUNT ON
DECLARE c CURSOR LOCAL FORWARD_ONLY FOR SELECT id FROM cd_t
OPEN c
FETCH c
FETCH FIRST FROM c
FETCH PRIOR FROM c
FETCH ABSOLUTE 2 FROM c
FETCH c
GO
-- An error in one row, and the row behind it.
--@ source: reasoned
SET NOCOUNT ON
DECLARE c CURSOR LOCAL DYNAMIC FOR SELECT id, 100 / (id - 2) AS q FROM cd_t
OPEN c
FETCH c
FETCH c
SELECT @@FETCH_STATUS AS f, CURSOR_STATUS('local', 'c') AS s
FETCH c
FETCH PRIOR FROM c
GO
--@ source: reasoned
DROP TABLE cd_t
GO
