-- SET @cursor = name and = @other: several references to one cursor.
--@ source: reasoned
CREATE TABLE dbo.cu_t (id int NOT NULL PRIMARY KEY)
INSERT dbo.cu_t VALUES (1), (2), (3), (4)
GO
--@ source: documentation SET @local_variable
DECLARE @c CURSOR
DECLARE named CURSOR LOCAL FOR SELECT id FROM dbo.cu_t ORDER BY id
SET @c = named
OPEN @c
FETCH NEXT FROM named
FETCH NEXT FROM @c
DECLARE @id int
FETCH NEXT FROM named INTO @id
SELECT @id AS id
CLOSE named
FETCH NEXT FROM @c
GO
--@ source: documentation DEALLOCATE
-- The cursor lives as long as something refers to it.
DECLARE @a CURSOR, @b CURSOR
SET @a = CURSOR SCROLL FOR SELECT id FROM dbo.cu_t ORDER BY id
SET @b = @a
OPEN @a
FETCH LAST FROM @b
DEALLOCATE @a
FETCH PRIOR FROM @b
SELECT CURSOR_STATUS('variable', '@a') AS a, CURSOR_STATUS('variable', '@b') AS b
DEALLOCATE @b
SELECT CURSOR_STATUS('variable', '@b') AS b
GO
--@ source: documentation DEALLOCATE
DECLARE @v CURSOR
DECLARE kept CURSOR GLOBAL SCROLL FOR SELECT id FROM dbo.cu_t ORDER BY id
OPEN kept
SET @v = kept
DEALLOCATE kept
FETCH ABSOLUTE 2 FROM @v
SELECT CURSOR_STATUS('global', 'kept') AS kept, CURSOR_STATUS('variable', '@v') AS v
GO
--@ source: documentation DEALLOCATE
SELECT CURSOR_STATUS('global', 'kept') AS kept
DECLARE again CURSOR GLOBAL FOR SELECT id FROM dbo.cu_t
DECLARE @v CURSOR
SET @v = again
OPEN again
GO
--@ source: documentation DECLARE CURSOR
-- What the batch declared is gone, the global cursor is not.
FETCH NEXT FROM again
DEALLOCATE again
GO
--@ source: documentation SET @local_variable
-- A variable that is set anew lets go of what it had.
DECLARE @x CURSOR, @y CURSOR, @n int = 0, @id int
SET @x = CURSOR FOR SELECT id FROM dbo.cu_t WHERE id > 2 ORDER BY id
OPEN @x
SET @y = @x
SET @x = CURSOR FOR SELECT id FROM dbo.cu_t WHERE id < 2
OPEN @x
FETCH NEXT FROM @x
FETCH NEXT FROM @y INTO @id
WHILE @@FETCH_STATUS = 0 BEGIN SET @n += @id; FETCH NEXT FROM @y INTO @id END
SELECT @n AS n
SET @x = @y
SET @y = @y
FETCH NEXT FROM @x
GO
--@ source: documentation SET @local_variable
DECLARE @i int = 0, @last CURSOR, @now CURSOR
WHILE @i < 3 BEGIN
    SET @now = CURSOR FOR SELECT id FROM dbo.cu_t WHERE id > @i ORDER BY id
    OPEN @now
    SET @last = @now
    SET @i += 1
END
FETCH NEXT FROM @last
GO
--@ source: message 16916
DECLARE @c CURSOR
SET @c = nowhere
GO
--@ source: message 16950
DECLARE @c CURSOR, @d CURSOR
SET @c = @d
GO
--@ source: message 137
DECLARE @c CURSOR
SET @c = @nobody
GO
--@ source: reasoned
DROP TABLE dbo.cu_t
GO
