-- Cursors as parameters: CURSOR VARYING OUTPUT of procedures, of texts, and the callers' variables that take them.
--@ source: reasoned
CREATE TABLE dbo.cp_t (id int NOT NULL PRIMARY KEY, name varchar(10) NULL)
INSERT dbo.cp_t VALUES (1, 'one'), (2, 'two'), (3, 'three'), (4, 'four')
GO
--@ source: documentation Return data from a stored procedure
CREATE PROCEDURE dbo.cp_all @c CURSOR VARYING OUTPUT AS
SET NOCOUNT ON
SET @c = CURSOR FORWARD_ONLY STATIC FOR SELECT id, name FROM dbo.cp_t ORDER BY id
OPEN @c
GO
--@ source: documentation Return data from a stored procedure
DECLARE @mine CURSOR, @id int, @name varchar(10)
EXEC dbo.cp_all @c = @mine OUTPUT
FETCH NEXT FROM @mine INTO @id, @name
WHILE @@FETCH_STATUS = 0 BEGIN PRINT CONCAT(@id, ' ', @name); FETCH NEXT FROM @mine INTO @id, @name END
CLOSE @mine
DEALLOCATE @mine
GO
--@ source: documentation sys.parameters
SELECT name, TYPE_NAME(user_type_id) AS type, max_length, is_output, is_cursor_ref,
    COLUMNPROPERTY(object_id, name, 'IsCursorType') AS IsCursorType
FROM sys.parameters WHERE object_id = OBJECT_ID('dbo.cp_all')
GO
--@ source: documentation Return data from a stored procedure
-- A forward-only cursor goes on where the procedure has left it; a scrollable one stays where it is.
CREATE PROCEDURE dbo.cp_left @scroll bit, @c CURSOR VARYING OUTPUT AS
DECLARE @id int
IF @scroll = 1 SET @c = CURSOR SCROLL FOR SELECT id FROM dbo.cp_t ORDER BY id
ELSE SET @c = CURSOR FORWARD_ONLY FOR SELECT id FROM dbo.cp_t ORDER BY id
OPEN @c
FETCH NEXT FROM @c INTO @id
FETCH NEXT FROM @c INTO @id
GO
--@ source: documentation Return data from a stored procedure
DECLARE @forward CURSOR, @scroll CURSOR
EXEC dbo.cp_left 0, @forward OUTPUT
FETCH NEXT FROM @forward
EXEC dbo.cp_left 1, @c = @scroll OUT
FETCH RELATIVE 0 FROM @scroll
FETCH PRIOR FROM @scroll
GO
--@ source: documentation Return data from a stored procedure
-- Behind the last row an empty result is returned; a closed cursor, and one never opened, are none.
CREATE PROCEDURE dbo.cp_ended @how int, @c CURSOR VARYING OUTPUT AS
DECLARE @id int
IF @how > 0 SET @c = CURSOR FOR SELECT id FROM dbo.cp_t WHERE id = 1
IF @how > 1 OPEN @c
IF @how > 2 BEGIN FETCH NEXT FROM @c INTO @id; FETCH NEXT FROM @c INTO @id END
IF @how > 3 CLOSE @c
IF @how > 4 OPEN @c
GO
--@ source: documentation CURSOR_STATUS
DECLARE @c0 CURSOR, @c1 CURSOR, @c2 CURSOR, @c3 CURSOR, @c4 CURSOR, @c5 CURSOR
EXEC dbo.cp_ended 0, @c0 OUTPUT
EXEC dbo.cp_ended 1, @c1 OUTPUT
EXEC dbo.cp_ended 2, @c2 OUTPUT
EXEC dbo.cp_ended 3, @c3 OUTPUT
EXEC dbo.cp_ended 4, @c4 OUTPUT
EXEC dbo.cp_ended 5, @c5 OUTPUT
SELECT CURSOR_STATUS('variable', '@c0') AS none, CURSOR_STATUS('variable', '@c1') AS never, CURSOR_STATUS('variable', '@c2') AS opened,
    CURSOR_STATUS('variable', '@c3') AS behind, CURSOR_STATUS('variable', '@c4') AS closed, CURSOR_STATUS('variable', '@c5') AS again
FETCH NEXT FROM @c3
FETCH NEXT FROM @c1
FETCH NEXT FROM @c5
GO
--@ source: message 16951
DECLARE @c CURSOR
EXEC dbo.cp_all @c OUTPUT
EXEC dbo.cp_all @c OUTPUT
FETCH NEXT FROM @c
DEALLOCATE @c
EXEC dbo.cp_all @c OUTPUT
FETCH NEXT FROM @c
GO
--@ source: reasoned
-- From level to level, and to several variables.
CREATE PROCEDURE dbo.cp_outer @a CURSOR VARYING OUTPUT, @b CURSOR VARYING OUTPUT AS
EXEC dbo.cp_left 0, @a OUTPUT
SET @b = @a
FETCH NEXT FROM @b
GO
--@ source: reasoned
DECLARE @x CURSOR, @y CURSOR
EXEC dbo.cp_outer @b = @x OUTPUT, @a = @y OUTPUT
DEALLOCATE @x
FETCH NEXT FROM @y
FETCH NEXT FROM @y
SELECT @@FETCH_STATUS AS status
GO
--@ source: reasoned
-- A global cursor that a parameter refers to, and a recursive procedure whose own names are its own.
CREATE PROCEDURE dbo.cp_deep @n int, @c CURSOR VARYING OUTPUT AS
IF @n > 0 EXEC dbo.cp_deep_call @n, @c OUTPUT
ELSE BEGIN
    DECLARE cp_global CURSOR GLOBAL STATIC FOR SELECT @n AS n, id FROM dbo.cp_t WHERE id < 3 ORDER BY id
    SET @c = cp_global
    OPEN @c
END
GO
--@ source: reasoned
CREATE PROCEDURE dbo.cp_deep_call @n int, @c CURSOR VARYING OUTPUT AS
SET @n -= 1
EXEC dbo.cp_deep @n, @c OUTPUT
GO
--@ source: reasoned
DECLARE @c CURSOR
EXEC dbo.cp_deep 3, @c OUTPUT
FETCH NEXT FROM @c
FETCH NEXT FROM cp_global
DEALLOCATE cp_global
SELECT CURSOR_STATUS('variable', '@c') AS c, CURSOR_STATUS('global', 'cp_global') AS cp_global
GO
--@ source: documentation sp_executesql
DECLARE @c CURSOR
EXEC sp_executesql N'SET @inner = CURSOR STATIC FOR SELECT id FROM dbo.cp_t WHERE id > @from ORDER BY id; OPEN @inner',
    N'@from int, @inner CURSOR OUTPUT', 2, @c OUTPUT
FETCH LAST FROM @c
FETCH FIRST FROM @c
GO
--@ source: documentation CREATE PROCEDURE
-- A trigger calls as a batch does.
CREATE TRIGGER dbo.cp_tr ON dbo.cp_t AFTER UPDATE AS
DECLARE @c CURSOR, @id int
EXEC dbo.cp_left 0, @c OUTPUT
FETCH NEXT FROM @c INTO @id
PRINT CONCAT('third: ', @id)
GO
--@ source: reasoned
UPDATE dbo.cp_t SET name = 'uno' WHERE id = 1
GO
--@ source: reasoned
-- A procedure that ends by an error hands out what is open by then.
CREATE PROCEDURE dbo.cp_fails @c CURSOR VARYING OUTPUT AS
SET @c = CURSOR STATIC FOR SELECT id FROM dbo.cp_t WHERE id = 4
OPEN @c
SELECT id FROM dbo.cp_nowhere
GO
--@ source: reasoned
DECLARE @c CURSOR
EXEC dbo.cp_fails @c OUTPUT
FETCH NEXT FROM @c
GO
--@ source: message 1051
CREATE PROCEDURE dbo.cp_bad @c CURSOR OUTPUT AS RETURN
GO
--@ source: message 1051
CREATE PROCEDURE dbo.cp_bad @c CURSOR VARYING AS RETURN
GO
--@ source: message 1051
EXEC sp_executesql N'PRINT 1', N'@c CURSOR'
GO
--@ source: message 206
DECLARE @n int = 1
EXEC dbo.cp_all @n OUTPUT
GO
--@ source: message 206
CREATE PROCEDURE dbo.cp_number @n int = 0 OUTPUT AS RETURN
GO
--@ source: message 206
DECLARE @c CURSOR
EXEC dbo.cp_number @c OUTPUT
GO
--@ source: message 201
EXEC dbo.cp_all
GO
--@ source: message 16949
DECLARE @c CURSOR
EXEC dbo.cp_all @c
GO
--@ source: message 16949
DECLARE @c CURSOR
SELECT @c
GO
--@ source: message 16948
DECLARE @n int
OPEN @n
GO
--@ source: message 5306
CREATE FUNCTION dbo.cp_f (@c CURSOR) RETURNS int AS BEGIN RETURN 1 END
GO
--@ source: documentation ALTER PROCEDURE
ALTER PROCEDURE dbo.cp_all @other CURSOR VARYING OUTPUT, @n int = 1 AS RETURN
GO
--@ source: documentation sys.parameters
SELECT name, is_cursor_ref FROM sys.parameters WHERE object_id = OBJECT_ID('dbo.cp_all') ORDER BY parameter_id
CREATE TABLE #cp (a int)
GO
--@ source: documentation CREATE PROCEDURE
CREATE PROCEDURE #cp_temp @c CURSOR VARYING OUTPUT AS
SET @c = CURSOR STATIC FOR SELECT 'temporary' AS a
OPEN @c
GO
--@ source: documentation CREATE PROCEDURE
DECLARE @c CURSOR
EXEC #cp_temp @c OUTPUT
FETCH NEXT FROM @c
GO
--@ source: reasoned
DROP PROCEDURE dbo.cp_all, dbo.cp_left, dbo.cp_ended, dbo.cp_outer, dbo.cp_deep, dbo.cp_deep_call, dbo.cp_fails, dbo.cp_number, #cp_temp
DROP TABLE dbo.cp_t, #cp
GO
