-- API cursors: sp_cursoropen and its family, called by EXEC.
--@ source: reasoned
CREATE TABLE dbo.cc_t (id int NOT NULL PRIMARY KEY, name varchar(10) NULL)
INSERT dbo.cc_t VALUES (1, 'one'), (2, 'two'), (3, 'three'), (4, 'four'), (5, 'five'), (6, 'six')
CREATE TABLE dbo.cc_kept (what varchar(10), handle int)
GO
--@ source: documentation sp_cursoropen
-- Asked and made: KEYSET, OPTIMISTIC.
DECLARE @cursor int, @scroll int = 1, @cc int = 4, @rows int, @status int
EXEC @status = sp_cursoropen @cursor OUTPUT, N'SELECT id, name FROM dbo.cc_t ORDER BY id', @scroll OUTPUT, @cc OUTPUT, @rows OUTPUT
SELECT @status AS status, IIF(@cursor > 180150000, 1, 0) AS handle, @scroll AS scroll, @cc AS cc, @rows AS rows
INSERT dbo.cc_kept VALUES ('static', @cursor)
GO
--@ source: documentation sp_cursorfetch
-- NEXT, then FIRST and LAST, which may give no rows.
DECLARE @c int = (SELECT handle FROM dbo.cc_kept WHERE what = 'static'), @status int
EXEC @status = sp_cursorfetch @c, 2, 0, 4
EXEC sp_cursorfetch @c, 2, 0, 4
EXEC sp_cursorfetch @c, 2, 0, 4
EXEC sp_cursorfetch @c, 1, 0, 0
EXEC sp_cursorfetch @c, 2, 0, 1
EXEC sp_cursorfetch @c, 8, 0, 2
SELECT @status AS status
GO
--@ source: documentation sp_cursorfetch
-- The examples of the documentation: the cursor on row 4, PREV and PREV_NOADJUST of five rows.
DECLARE @c int = (SELECT handle FROM dbo.cc_kept WHERE what = 'static'), @prev int, @noadjust int, @row int, @all int
EXEC sp_cursorfetch @c, 16, 4, 1
EXEC @prev = sp_cursorfetch @c, 4, 1, 5
EXEC sp_cursorfetch @c, 16, 4, 1
EXEC @noadjust = sp_cursorfetch @c, 512, 6, 5
SELECT @prev AS prev, @noadjust AS noadjust
EXEC sp_cursorfetch @c, 256, @row OUTPUT, @all OUTPUT
SELECT @row AS row, @all AS rows
GO
--@ source: documentation sp_cursorfetch
DECLARE @c int = (SELECT handle FROM dbo.cc_kept WHERE what = 'static'), @row int, @all int
EXEC sp_cursorfetch @c, 16, -2, 5
EXEC sp_cursorfetch @c, 32, -3, 1
EXEC sp_cursorfetch @c, 128
EXEC sp_cursorfetch @c, 32, 10, 1
EXEC sp_cursorfetch @c, 256, @row OUTPUT, @all OUTPUT
SELECT @row AS row, @all AS rows
SELECT name, properties, fetch_status, fetch_buffer_start FROM sys.dm_exec_cursors(@@SPID)
GO
--@ source: documentation sp_cursoroption
DECLARE @c int = (SELECT handle FROM dbo.cc_kept WHERE what = 'static'), @scroll int, @cc int, @rows int
EXEC sp_cursoroption @c, 4, @scroll OUTPUT
EXEC sp_cursoroption @c, 5, @cc OUTPUT
EXEC sp_cursoroption @c, 6, @rows OUTPUT
SELECT @scroll AS scroll, @cc AS cc, @rows AS rows
EXEC sp_cursoroption @c, 2, 'cc_named'
FETCH FIRST FROM cc_named
SELECT CURSOR_STATUS('global', 'cc_named') AS named
EXEC sp_cursoroption @c, 7, @rows OUTPUT
GO
--@ source: message 16929
-- Changes through it, and what is refused.
DECLARE @c int = (SELECT handle FROM dbo.cc_kept WHERE what = 'static'), @status int
EXEC sp_cursorfetch @c, 1, 0, 2
EXEC @status = sp_cursor @c, 33, 1, N'', @name = 'x'
SELECT @status AS status
EXEC sp_cursor @c, 4, 0, N'', @id = 7, @name = 'x'
EXEC sp_cursor @c, 2, 3, N''
EXEC sp_cursor @c, 32, 2, N''
EXEC sp_cursor @c, 68, 1, N''
GO
--@ source: documentation sp_cursorclose
DECLARE @c int = (SELECT handle FROM dbo.cc_kept WHERE what = 'static')
EXEC sp_cursorclose @c
SELECT COUNT(*) AS cursors FROM sys.dm_exec_cursors(@@SPID)
DECLARE @status int
BEGIN TRY EXEC @status = sp_cursorclose 17 END TRY BEGIN CATCH SELECT ERROR_NUMBER() AS number, ERROR_MESSAGE() AS message END CATCH
EXEC @status = sp_cursorfetch 17
SELECT @status AS status
GO
--@ source: documentation sp_cursoropen
-- A fast forward-only cursor reads as it is fetched from; it goes forward only.
DECLARE @c int, @scroll int = 16, @cc int = 1, @rows int, @row int, @all int
EXEC sp_cursoropen @c OUTPUT, N'SELECT id FROM dbo.cc_t', @scroll OUTPUT, @cc OUTPUT, @rows OUTPUT
SELECT @scroll AS scroll, @cc AS cc, @rows AS rows
EXEC sp_cursorfetch @c, 256, @row OUTPUT, @all OUTPUT
SELECT @row AS row, @all AS rows
EXEC sp_cursorfetch @c, 2, 0, 2
UPDATE dbo.cc_t SET name = 'changed' WHERE id = 3
DELETE dbo.cc_t WHERE id = 4
EXEC sp_cursorfetch @c, 2, 0, 3
EXEC sp_cursorfetch @c, 256, @row OUTPUT, @all OUTPUT
SELECT @row AS row, @all AS rows
EXEC sp_cursorfetch @c, 4, 0, 3
EXEC sp_cursorfetch @c, 2, 0, 3
EXEC sp_cursorfetch @c, 1, 0, 1
EXEC sp_cursorclose @c
GO
--@ source: documentation sp_cursoropen
-- AUTO_FETCH sends the first rows at once, AUTO_CLOSE closes behind the last one.
DECLARE @c int, @scroll int = 0x6010, @cc int = 1, @rows int = 3, @status int
EXEC @status = sp_cursoropen @c OUTPUT, N'SELECT id FROM dbo.cc_t ORDER BY id', @scroll OUTPUT, @cc OUTPUT, @rows OUTPUT
SELECT @status AS status, @scroll AS scroll, @rows AS rows
EXEC @status = sp_cursorfetch @c, 2, 0, 3
SELECT @status AS status
BEGIN TRY EXEC sp_cursorfetch @c, 2, 0, 3 END TRY BEGIN CATCH SELECT ERROR_NUMBER() AS number END CATCH
GO
--@ source: documentation sp_cursoropen
DECLARE @c int, @scroll int = 0x1010, @cc int = 1, @rows int
EXEC sp_cursoropen @c OUTPUT, N'SELECT id FROM dbo.cc_t WHERE id > @from AND name = @name', @scroll OUTPUT, @cc OUTPUT, @rows OUTPUT,
    N'@from int, @name varchar(10)', 1, 'changed'
EXEC sp_cursorfetch @c
EXEC sp_cursorclose @c
GO
--@ source: documentation sp_cursorprepare
-- The columns of the text, then cursors over it.
DECLARE @handle int, @scroll int = 8, @cc int = 1, @cursor int, @rows int, @status int
EXEC @status = sp_cursorprepare @handle OUTPUT, N'@id int', N'SELECT name FROM dbo.cc_t WHERE id >= @id ORDER BY id', 1, @scroll OUTPUT, @cc OUTPUT
SELECT @status AS status, @scroll AS scroll, @cc AS cc
EXEC sp_cursorexecute @handle, @cursor OUTPUT, @scroll OUTPUT, @cc OUTPUT, @rows OUTPUT, 5
SELECT @rows AS rows
EXEC sp_cursorfetch @cursor, 2, 0, 10
EXEC sp_cursorclose @cursor
SET @cc = 1
EXEC sp_cursorexecute @handle, @cursor OUTPUT, @scroll OUTPUT, @cc OUTPUT, @rows OUTPUT, 2
SELECT @rows AS rows
EXEC sp_cursorunprepare @handle
EXEC sp_cursorfetch @cursor, 8, 0, 1
EXEC sp_cursorclose -1
EXEC sp_cursorunprepare @handle
GO
--@ source: documentation sp_cursorprepare
DECLARE @handle int, @status int
EXEC @status = sp_cursorprepare @handle OUTPUT, NULL, N'DELETE dbo.cc_t WHERE id = 0', 1
SELECT @status AS status
GO
--@ source: documentation sp_cursorprepexec
DECLARE @handle int, @cursor int, @scroll int = 4104, @cc int = 8193, @rows int
EXEC sp_cursorprepexec @handle OUTPUT, @cursor OUTPUT, N'@name nvarchar(100)', N'SELECT id, name FROM dbo.cc_t WHERE name = @name', @scroll, @cc,
    @rows OUTPUT, 'six'
SELECT @rows AS rows
EXEC sp_cursorfetch @cursor
EXEC sp_cursorclose @cursor
GO
--@ source: message 16954
-- No cursor can be made of it: it runs where that is allowed.
DECLARE @c int, @scroll int = 1, @cc int = 0x2001, @rows int, @status int
EXEC @status = sp_cursoropen @c OUTPUT, N'UPDATE dbo.cc_t SET name = ''second'' WHERE id = 2; SELECT name FROM dbo.cc_t WHERE id = 2', @scroll OUTPUT,
    @cc OUTPUT, @rows OUTPUT
SELECT @status AS status, @c AS cursor_handle
GO
--@ source: message 16937
DECLARE @c int, @scroll int = 1, @cc int = 1
EXEC sp_cursoropen @c OUTPUT, N'UPDATE dbo.cc_t SET name = ''never'' WHERE id = 2', @scroll OUTPUT, @cc OUTPUT
SELECT name FROM dbo.cc_t WHERE id = 2
EXEC sp_cursoropen @c OUTPUT, N'SELECT id INTO dbo.cc_new FROM dbo.cc_t', @scroll OUTPUT, @cc OUTPUT
SELECT OBJECT_ID('dbo.cc_new') AS new
GO
--@ source: message 16945
DECLARE @c int, @status int
EXEC @status = sp_cursoropen @c OUTPUT, N'SELECT id FROM dbo.cc_nowhere'
SELECT @status AS status
EXEC @status = sp_cursoropen @c OUTPUT, N'SELECT id FROM WHERE'
SELECT @status AS status
GO
--@ source: message 16955
DECLARE @c int, @scroll int = 0x28001, @cc int = 1
EXEC sp_cursoropen @c OUTPUT, N'SELECT id FROM dbo.cc_t', @scroll OUTPUT, @cc OUTPUT
SET @scroll = 0x88001
EXEC sp_cursoropen @c OUTPUT, N'SELECT id FROM dbo.cc_t', @scroll OUTPUT, @cc OUTPUT
SELECT @scroll AS scroll
SELECT @scroll = 8, @cc = 8
EXEC sp_cursoropen @c OUTPUT, N'SELECT id FROM dbo.cc_t', @scroll OUTPUT, @cc OUTPUT
SELECT @scroll = 3, @cc = 1
EXEC sp_cursoropen @c OUTPUT, N'SELECT id FROM dbo.cc_t', @scroll OUTPUT, @cc OUTPUT
SELECT COUNT(*) AS cursors FROM sys.dm_exec_cursors(@@SPID)
GO
--@ source: message 16902
DECLARE @c int = (SELECT TOP (1) cursor_id FROM sys.dm_exec_cursors(@@SPID)), @rows int
EXEC sp_cursorfetch @c, 3
EXEC sp_cursorfetch @c, 2, 0, 0
EXEC sp_cursoropen @c OUTPUT, N'SELECT id FROM dbo.cc_t WHERE id = @id', 1, 1, @rows OUTPUT, N'@id int', 1
EXEC sp_cursorclose -1
GO
--@ source: reasoned
-- ROLLBACK closes a cursor that is no copy.
DECLARE @a int, @b int, @rows int
BEGIN TRANSACTION
EXEC sp_cursoropen @a OUTPUT, N'SELECT id FROM dbo.cc_t', 16, 1, @rows OUTPUT
EXEC sp_cursoropen @b OUTPUT, N'SELECT id FROM dbo.cc_t', 8, 1, @rows OUTPUT
ROLLBACK
EXEC sp_cursorfetch @a, 2, 0, 1
EXEC sp_cursorfetch @b, 2, 0, 1
EXEC sp_cursorclose @a
EXEC sp_cursorclose @b
GO
--@ source: reasoned
DROP TABLE dbo.cc_t, dbo.cc_kept
GO
