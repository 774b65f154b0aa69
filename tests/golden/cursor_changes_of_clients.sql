-- sp_cursor: rows of the fetch buffer are changed, locked and refreshed, and rows inserted.
--@ source: reasoned
SET NOCOUNT ON
CREATE TABLE ca_t (id int PRIMARY KEY, name nvarchar(20) NOT NULL, amount int NULL)
INSERT ca_t VALUES (1, N'one', 10), (2, N'two', 20), (3, N'three', 30), (4, N'four', 40), (5, N'five', 50)
CREATE TABLE ca_kept (what varchar(10), handle int)
GO
-- The options come back as they were made.
--@ source: documentation sp_cursoropen
SET NOCOUNT ON
DECLARE @asked TABLE (scroll int, cc int, text nvarchar(100))
INSERT @asked VALUES (1, 4, N'SELECT id FROM ca_t'), (1, 8, N'SELECT id FROM ca_t ORDER BY name'), (2, 2, N'SELECT id FROM ca_t'),
    (2, 1, N'SELECT id FROM ca_t'), (4, 4, N'SELECT id FROM ca_t'), (8, 1, N'SELECT id FROM ca_t'), (16, 1, N'SELECT id FROM ca_t'),
    (1, 4, N'SELECT COUNT(*) FROM ca_t'), (4, 8, N'SELECT DISTINCT name FROM ca_t'), (2, 8, N'SELECT TOP (2) id FROM ca_t')
DECLARE a CURSOR LOCAL STATIC FOR SELECT scroll, cc, text FROM @asked
DECLARE @scroll int, @cc int, @text nvarchar(100), @cursor int, @rows int, @was varchar(20)
OPEN a
FETCH a INTO @scroll, @cc, @text
WHILE @@FETCH_STATUS = 0
BEGIN
    SET @was = CONCAT(@scroll, '/', @cc)
    EXEC sp_cursoropen @cursor OUTPUT, @text, @scroll OUTPUT, @cc OUTPUT, @rows OUTPUT
    PRINT CONCAT(@text, ': ', @was, ' became ', @scroll, '/', @cc, ', ', @rows, ' rows')
    EXEC sp_cursorclose @cursor
    FETCH a INTO @scroll, @cc, @text
END
GO
--@ source: message 16966
DECLARE @cursor int, @scroll int = 8, @cc int = 4, @rows int, @status int
EXEC @status = sp_cursoropen @cursor OUTPUT, N'SELECT id FROM ca_t', @scroll OUTPUT, @cc OUTPUT, @rows OUTPUT
SELECT @status AS status
GO
--@ source: documentation sp_cursor
SET NOCOUNT ON
DECLARE @cursor int, @scroll int = 1, @cc int = 4, @rows int
EXEC sp_cursoropen @cursor OUTPUT, N'SELECT id, name, amount FROM ca_t', @scroll OUTPUT, @cc OUTPUT, @rows OUTPUT
INSERT ca_kept VALUES ('keyset', @cursor)
EXEC sp_cursorfetch @cursor, 1, 0, 3
GO
-- UPDATE of one row, by values and by a statement; of all rows of the buffer; of a row of the keyset.
--@ source: documentation sp_cursor
SET NOCOUNT ON
DECLARE @c int = (SELECT handle FROM ca_kept WHERE what = 'keyset'), @status int
EXEC @status = sp_cursor @c, 33, 2, N'ca_t', @name = N'TWO', @amount = 22
SELECT @status AS status
EXEC sp_cursor @c, 1, 2, N'', @amount = NULL
EXEC sp_cursor @c, 1, 3, N'dbo.ca_t', N'UPDATE ca_t SET amount = amount + 1'
EXEC sp_cursor @c, 1, 0, N'', @name = N'all'
EXEC sp_cursor @c, 65, 5, N'', @name = N'fifth'
EXEC sp_cursorfetch @c, 128
SELECT id, name, amount FROM ca_t
GO
-- DELETE leaves a row that is missing, INSERT adds one that the keyset has not.
--@ source: documentation sp_cursor
SET NOCOUNT ON
DECLARE @c int = (SELECT handle FROM ca_kept WHERE what = 'keyset'), @status int
EXEC sp_cursor @c, 34, 1, N''
EXEC @status = sp_cursor @c, 2, 1, N''
SELECT @status AS status
EXEC sp_cursor @c, 4, 0, N'ca_t', @id = 6, @name = N'six'
EXEC sp_cursor @c, 4, 0, N'', N'INSERT ca_t VALUES (7, N''seven'', 70)'
EXEC sp_cursorfetch @c, 1, 0, 9
SELECT id, name, amount FROM ca_t
GO
-- Others have changed the row since.
--@ source: message 16934
SET NOCOUNT ON
DECLARE @c int = (SELECT handle FROM ca_kept WHERE what = 'keyset'), @status int
EXEC sp_cursorfetch @c, 16, 2, 1
UPDATE ca_t SET amount = 0 WHERE id = 2
EXEC @status = sp_cursor @c, 33, 1, N'', @name = N'lost'
SELECT @status AS status
EXEC sp_cursorfetch @c, 128
EXEC @status = sp_cursor @c, 33, 1, N'', @name = N'mine'
SELECT @status AS status, (SELECT name FROM ca_t WHERE id = 2) AS name
GO
--@ source: documentation sp_cursor
SET NOCOUNT ON
DECLARE @c int = (SELECT handle FROM ca_kept WHERE what = 'keyset')
BEGIN TRAN
EXEC sp_cursor @c, 16, 1, N''
SELECT request_mode FROM sys.dm_tran_locks WHERE request_session_id = @@SPID AND resource_type = 'KEY'
COMMIT
GO
-- What is refused.
--@ source: message 16904
SET NOCOUNT ON
DECLARE @c int = (SELECT handle FROM ca_kept WHERE what = 'keyset'), @status int
EXEC @status = sp_cursor @c, 68, 1, N''
EXEC sp_cursor @c, 72, 1, N''
EXEC sp_cursor @c, 1, 5, N'', @name = N'x'
EXEC sp_cursor @c, 1, 1, N''
EXEC sp_cursor @c, 1, 1, N'', 5
EXEC sp_cursor @c, 1, 1, N'', N'DELETE ca_kept'
EXEC sp_cursor @c, 1, 1, N'ca_kept', @what = 'x'
EXEC sp_cursor @c, 1, 1, N'', @nowhere = 1
EXEC sp_cursorclose @c
SELECT @status AS status
GO
-- The forms of an UPDATE in texts: the whole statement, or portions of it, perhaps in one named value.
--@ source: documentation sp_cursor
SET NOCOUNT ON
DECLARE @c int, @scroll int = 1, @cc int = 4, @rows int
EXEC sp_cursoropen @c OUTPUT, N'SELECT id, name, amount FROM ca_t WHERE id < 4', @scroll OUTPUT, @cc OUTPUT, @rows OUTPUT
BEGIN TRAN
EXEC sp_cursorfetch @c, 1, 0, 3
EXEC sp_cursor @c, 1, 1, N'', N'SET amount = amount + 1'
EXEC sp_cursor @c, 1, 1, N'', N'amount = amount + 10, name = UPPER(name)'
EXEC sp_cursor @c, 1, 2, N'ca_t', N'SET name = N''a, b'' -- told', N'amount = 5'
EXEC sp_cursor @c, 1, 2, N'nowhere', N'/* whole */ UPDATE ca_t SET amount += 1'
EXEC sp_cursor @c, 1, 2, N'', @values = N'SET amount = amount * 2'
SELECT id, name, amount FROM ca_t
ROLLBACK
EXEC sp_cursorclose @c
GO
-- Those of an INSERT.
--@ source: documentation sp_cursor
SET NOCOUNT ON
DECLARE @c int, @scroll int = 1, @cc int = 4, @rows int
EXEC sp_cursoropen @c OUTPUT, N'SELECT id, name, amount FROM ca_t WHERE id < 4', @scroll OUTPUT, @cc OUTPUT, @rows OUTPUT
BEGIN TRAN
EXEC sp_cursor @c, 4, 0, N'', N'VALUES (50, N''fifty'', 50)'
EXEC sp_cursor @c, 4, 0, N'', N'(51, N'':)'', 51)'
EXEC sp_cursor @c, 4, 0, N'', N'VALUES (52', N'N''three'', 52)'
EXEC sp_cursor @c, 4, 0, N'', N'(53)', N'N''parts''', N'53'
EXEC sp_cursor @c, 4, 0, N'', @values = N'INSERT INTO ca_t VALUES (54, N''named'', 54)'
SELECT id, name, amount FROM ca_t WHERE id >= 50
ROLLBACK
EXEC sp_cursorclose @c
GO
-- The table is a name and nothing more, a comment ends with its text, and the statement has to be the one that is asked for.
--@ source: message 16936
SET NOCOUNT ON
DECLARE @c int, @scroll int = 1, @cc int = 4, @rows int
EXEC sp_cursoropen @c OUTPUT, N'SELECT id, name, amount FROM ca_t WHERE id < 4', @scroll OUTPUT, @cc OUTPUT, @rows OUTPUT
BEGIN TRAN
EXEC sp_cursorfetch @c, 1, 0, 3
EXEC sp_cursor @c, 33, 1, N'dbo.ca_t SET amount = 99 --', @amount = 1
EXEC sp_cursor @c, 33, 1, N'[ca_t', @amount = 1
EXEC sp_cursor @c, 33, 1, N'', N'UPDATE ca_t SET amount = 7 --'
EXEC sp_cursor @c, 33, 1, N'', N'DELETE ca_t'
EXEC sp_cursor @c, 33, 1, N'', N'INSERT ca_t (id, name) VALUES (60, N''x'')'
EXEC sp_cursor @c, 4, 0, N'', N'UPDATE ca_t SET amount = 8'
EXEC sp_cursor @c, 33, 1, N'', N'UPDATE ca_t SET amount = 9', N'UPDATE ca_t SET amount = 10'
EXEC sp_cursor @c, 33, 1, N'', N'SET amount = 9', @name = N'x'
EXEC sp_cursor @c, 33, 2, N'.ca_t', @amount = 3
EXEC sp_cursor @c, 33, 3, N'[dbo].ca_t', @amount = 4
SELECT id, name, amount FROM ca_t
ROLLBACK
EXEC sp_cursorclose @c
GO
-- DYNAMIC: blocks along an index.
--@ source: documentation sp_cursorfetch
SET NOCOUNT ON
DECLARE @c int, @scroll int = 2, @cc int = 8, @rows int, @status int
EXEC sp_cursoropen @c OUTPUT, N'SELECT id, name FROM ca_t', @scroll OUTPUT, @cc OUTPUT, @rows OUTPUT
EXEC sp_cursorfetch @c, 2, 0, 2
EXEC sp_cursorfetch @c, 2, 0, 2
EXEC sp_cursorfetch @c, 4, 0, 2
EXEC @status = sp_cursorfetch @c, 4, 0, 2
SELECT @status AS status
EXEC sp_cursorfetch @c, 8, 0, 3
EXEC @status = sp_cursorfetch @c, 4, 0, 9
SELECT @status AS status
EXEC sp_cursorfetch @c, 32, 2, 2
EXEC sp_cursor @c, 33, 2, N'', @name = N'by position'
DELETE ca_t WHERE id = 4
EXEC sp_cursorfetch @c, 128
EXEC sp_cursorfetch @c, 16, 1, 1
EXEC sp_cursorclose @c
SELECT id, name FROM ca_t
GO
-- FORWARD_ONLY, changed through as it goes, and named for WHERE CURRENT OF.
--@ source: documentation sp_cursoroption
SET NOCOUNT ON
DECLARE @c int, @scroll int = 4, @cc int = 4, @rows int
EXEC sp_cursoropen @c OUTPUT, N'SELECT id, name FROM ca_t', @scroll OUTPUT, @cc OUTPUT, @rows OUTPUT
EXEC sp_cursoroption @c, 2, 'ca_named'
EXEC sp_cursorfetch @c, 2, 0, 2
EXEC sp_cursor @c, 33, 1, N'', @name = N'first'
EXEC sp_cursor @c, 32, 2, N''
UPDATE ca_t SET name = N'second' WHERE CURRENT OF ca_named
EXEC sp_cursorfetch @c, 2, 0, 1
EXEC sp_cursor @c, 34, 1, N''
EXEC sp_cursorclose @c
SELECT id, name FROM ca_t
GO
--@ source: reasoned
DROP TABLE ca_t, ca_kept
GO
