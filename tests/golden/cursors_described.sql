-- Cursors described: sp_describe_cursor and its relatives, sp_cursor_list, sys.dm_exec_cursors, CURSOR_STATUS.
--@ source: reasoned
CREATE TABLE dbo.cd_t (id int NOT NULL PRIMARY KEY, name varchar(10) NULL, amount decimal(9,2) NOT NULL, stamp rowversion)
INSERT dbo.cd_t (id, name, amount) VALUES (1, 'one', 1.5), (2, 'two', 2.5)
GO
--@ source: reasoned
CREATE VIEW dbo.cd_v AS SELECT id, name FROM dbo.cd_t WHERE id > 0
GO
--@ source: documentation sp_describe_cursor
-- From DECLARE over OPEN and FETCH to CLOSE.
CREATE PROCEDURE dbo.cd_show @name sysname, @source nvarchar(30) = N'global' AS
SET NOCOUNT ON
DECLARE @report CURSOR, @reference sysname, @cursor sysname, @scope tinyint, @status int, @model tinyint, @concurrency tinyint,
    @scrollable tinyint, @open tinyint, @rows decimal(10, 0), @fetch smallint, @columns smallint, @count decimal(10, 0), @last tinyint,
    @handle int
EXEC master.dbo.sp_describe_cursor @cursor_return = @report OUTPUT, @cursor_source = @source, @cursor_identity = @name
FETCH NEXT FROM @report INTO @reference, @cursor, @scope, @status, @model, @concurrency, @scrollable, @open, @rows, @fetch, @columns, @count,
    @last, @handle
SELECT @reference AS reference, @cursor AS cursor_name, @scope AS scope, @status AS status, @model AS model, @concurrency AS concurrency,
    @scrollable AS scrollable, @open AS [open], @rows AS rows, @fetch AS [fetch], @columns AS columns, @count AS [count], @last AS last,
    SIGN(@handle) AS handle
GO
--@ source: documentation sp_describe_cursor
DECLARE cd_static CURSOR GLOBAL STATIC FOR SELECT id, name FROM dbo.cd_t ORDER BY id
EXEC dbo.cd_show N'cd_static'
OPEN cd_static
EXEC dbo.cd_show N'cd_static'
DECLARE @id int, @name varchar(10)
FETCH NEXT FROM cd_static INTO @id, @name
EXEC dbo.cd_show N'cd_static'
FETCH RELATIVE 5 FROM cd_static INTO @id, @name
EXEC dbo.cd_show N'cd_static', N'GLOBAL'
CLOSE cd_static
EXEC dbo.cd_show N'cd_static'
OPEN cd_static
EXEC dbo.cd_show N'cd_static'
GO
--@ source: documentation sp_describe_cursor
-- A cursor that is read as it is fetched from knows neither its rows nor that there are none.
DECLARE cd_fast CURSOR GLOBAL FAST_FORWARD FOR SELECT id FROM dbo.cd_t WHERE id > 5
OPEN cd_fast
EXEC dbo.cd_show N'cd_fast'
FETCH NEXT FROM cd_fast
EXEC dbo.cd_show N'cd_fast'
GO
--@ source: documentation sys.dm_exec_cursors
SELECT name, properties, is_open, is_async_population, is_close_on_commit, fetch_status, fetch_buffer_size, fetch_buffer_start,
    ansi_position, SIGN(cursor_id) AS id, IIF(worker_time >= 0 AND dormant_duration BETWEEN 0 AND 600000, 1, 0) AS timed,
    IIF(reads >= 0 AND writes = 0, 1, 0) AS counted, IIF(ABS(DATEDIFF(minute, creation_time, GETDATE())) < 10, 1, 0) AS young
FROM sys.dm_exec_cursors(@@SPID) ORDER BY cursor_id
GO
--@ source: documentation sys.dm_exec_cursors
SELECT c.name, SUBSTRING(t.text, c.statement_start_offset / 2 + 1, 35) AS text
FROM sys.dm_exec_cursors(0) AS c CROSS APPLY sys.dm_exec_sql_text(c.sql_handle) AS t
WHERE c.session_id = @@SPID AND c.name = N'cd_fast'
SELECT COUNT(*) AS others FROM sys.dm_exec_cursors(-1)
FETCH NEXT FROM cd_static
SELECT fetch_buffer_start FROM sys.dm_exec_cursors(@@SPID) WHERE name = N'cd_static'
GO
--@ source: documentation sys.dm_exec_cursors
SET CURSOR_CLOSE_ON_COMMIT ON
DECLARE cd_local CURSOR LOCAL SCROLL FOR SELECT id FROM dbo.cd_t
SET CURSOR_CLOSE_ON_COMMIT OFF
SELECT name, properties, is_close_on_commit FROM sys.dm_exec_cursors(@@SPID) WHERE name = N'cd_local'
EXEC ('DECLARE @v CURSOR SET @v = CURSOR FOR SELECT 1 AS a SELECT name, properties FROM sys.dm_exec_cursors(@@SPID) WHERE name = N''@v''')
GO
--@ source: documentation sys.dm_exec_cursors
SELECT name FROM sys.dm_exec_cursors(@@SPID) ORDER BY cursor_id
DEALLOCATE cd_static
SELECT name FROM sys.dm_exec_cursors(@@SPID)
GO
--@ source: documentation sp_cursor_list
-- The names of the caller and those of the session; each variable is a reference of its own.
CREATE PROCEDURE dbo.cd_list AS
DECLARE @report CURSOR, @v CURSOR, @w CURSOR, @scope int = 1
DECLARE own CURSOR LOCAL STATIC FOR SELECT name FROM dbo.cd_t
SET @v = CURSOR SCROLL FOR SELECT id FROM dbo.cd_t
SET @w = @v
WHILE @scope < 4 BEGIN
    EXEC sp_cursor_list @report OUTPUT, @cursor_scope = @scope
    DECLARE @reference sysname, @cursor sysname, @s smallint, @n smallint, @m smallint, @i int, @handle int, @list varchar(200) = ''
    FETCH FROM @report INTO @reference, @cursor, @s, @n, @m, @n, @n, @n, @i, @n, @n, @n, @n, @handle
    SET @list = ''
    WHILE @@FETCH_STATUS = 0 BEGIN
        SET @list += CONCAT(@reference, '=', @cursor, ' ', @s, ' ', @m, '; ')
        FETCH FROM @report INTO @reference, @cursor, @s, @n, @m, @n, @n, @n, @i, @n, @n, @n, @n, @handle
    END
    PRINT CONCAT(@scope, ': ', @list)
    CLOSE @report
    DEALLOCATE @report
    SET @scope += 1
END
GO
--@ source: documentation sp_cursor_list
DECLARE caller CURSOR LOCAL FOR SELECT 1 AS a
EXEC dbo.cd_list
GO
--@ source: documentation sp_describe_cursor_columns
DECLARE cd_columns CURSOR GLOBAL STATIC FOR
    SELECT id, amount * 2 AS twice, name, stamp, N'x' FROM dbo.cd_t ORDER BY name DESC, 1
DECLARE @report CURSOR
EXEC sp_describe_cursor_columns @report OUTPUT, N'global', N'cd_columns'
DECLARE @name sysname, @ordinal int, @flags int, @size int, @type smallint, @precision tinyint, @scale tinyint, @position int,
    @direction varchar(1), @hidden smallint, @column int, @object int, @db int, @dbname sysname
FETCH NEXT FROM @report INTO @name, @ordinal, @flags, @size, @type, @precision, @scale, @position, @direction, @hidden, @column, @object, @db,
    @dbname
WHILE @@FETCH_STATUS = 0 BEGIN
    PRINT CONCAT(ISNULL(@name, '(none)'), ' ', @ordinal, ' flags ', @flags, ' size ', @size, ' type ', TYPE_NAME(@type), ' (', @precision, ',',
        @scale, ') order ', @position, ISNULL(@direction, '-'), ' column ', @column, ' of ', ISNULL(OBJECT_NAME(NULLIF(@object, -1)), '-'),
        ' in ', IIF(@db = DB_ID(), 'this', CONCAT('', @db)), IIF(@dbname = DB_NAME(), ' database', ''))
    FETCH NEXT FROM @report INTO @name, @ordinal, @flags, @size, @type, @precision, @scale, @position, @direction, @hidden, @column, @object,
        @db, @dbname
END
DEALLOCATE cd_columns
GO
--@ source: documentation sp_describe_cursor_tables
CREATE TABLE #cd (id int)
DECLARE cd_tables CURSOR GLOBAL STATIC FOR
    SELECT t.id FROM dbo.cd_t AS t WITH (ROWLOCK, UPDLOCK) JOIN dbo.cd_v AS v ON v.id = t.id CROSS JOIN #cd WITH (NOLOCK)
DECLARE @report CURSOR
EXEC sp_describe_cursor_tables @report OUTPUT, N'global', N'cd_tables'
DECLARE @owner sysname, @table sysname, @hint smallint, @lock smallint, @server sysname, @object int, @db int, @dbname sysname
FETCH NEXT FROM @report INTO @owner, @table, @hint, @lock, @server, @object, @db, @dbname
WHILE @@FETCH_STATUS = 0 BEGIN
    PRINT CONCAT(@owner, '.', @table, ' hints ', @hint, ' lock ', @lock, IIF(@server = @@SERVERNAME, ' here', ''),
        IIF(@object IN (OBJECT_ID('dbo.cd_t'), OBJECT_ID('dbo.cd_v'), OBJECT_ID('tempdb..#cd')), ' known', ''), ' ',
        REPLACE(@dbname, DB_NAME(), 'this'))
    FETCH NEXT FROM @report INTO @owner, @table, @hint, @lock, @server, @object, @db, @dbname
END
DEALLOCATE cd_tables
DROP TABLE #cd
GO
--@ source: message 16902
DECLARE @report CURSOR
EXEC sp_describe_cursor @report OUTPUT, N'nowhere', N'cd_fast'
EXEC sp_cursor_list @report OUTPUT, 4
GO
--@ source: message 16916
DECLARE @report CURSOR, @v CURSOR
EXEC sp_describe_cursor @report OUTPUT, N'local', N'cd_fast'
EXEC sp_describe_cursor_columns @report OUTPUT, N'variable', N'@v'
EXEC sp_describe_cursor_tables @report OUTPUT, N'global', N'@report'
GO
--@ source: documentation sp_describe_cursor
DECLARE @report CURSOR, @v CURSOR
SET @v = CURSOR SCROLL FOR SELECT id FROM dbo.cd_t
OPEN @v
EXEC sp_describe_cursor @report OUTPUT, N'variable', N'@v'
DECLARE @reference sysname, @cursor sysname, @scope tinyint, @status int, @n int, @scrollable tinyint, @handle int
FETCH FIRST FROM @report INTO @reference, @cursor, @scope, @status, @n, @n, @scrollable, @n, @n, @n, @n, @n, @n, @handle
SELECT @reference AS reference, @cursor AS cursor_name, @scope AS scope, @status AS status, @scrollable AS scrollable
GO
--@ source: message 16951
DECLARE @report CURSOR
EXEC sp_cursor_list @report OUTPUT, 2
EXEC sp_cursor_list @report OUTPUT, 2
GO
--@ source: message 201
EXEC sp_cursor_list
GO
--@ source: documentation CURSOR_STATUS
-- A name stands for a cursor, a variable's for what it refers to; each kind sees its own.
DECLARE @declared CURSOR, @set CURSOR
DECLARE cd_here CURSOR LOCAL FOR SELECT 1 AS a
SET @set = CURSOR STATIC FOR SELECT 1 AS a WHERE 1 = 0
SELECT CURSOR_STATUS('variable', '@declared') AS declared, CURSOR_STATUS('variable', '@nowhere') AS nowhere,
    CURSOR_STATUS('variable', '@set') AS [set], CURSOR_STATUS('local', '@set') AS local_set, CURSOR_STATUS('local', 'cd_here') AS here,
    CURSOR_STATUS('variable', 'cd_here') AS variable_here, CURSOR_STATUS('global', 'cd_here') AS global_here,
    CURSOR_STATUS('local', 'cd_fast') AS local_fast, CURSOR_STATUS('GLOBAL', 'cd_fast') AS global_fast
OPEN @set
SELECT CURSOR_STATUS('variable', '@set') AS empty
DEALLOCATE @set
SELECT CURSOR_STATUS('variable', '@set') AS deallocated, CURSOR_STATUS('global', NULL) AS no_name
GO
--@ source: message 16902
SELECT CURSOR_STATUS('nowhere', 'cd_fast')
GO
--@ source: message 16902
SELECT CURSOR_STATUS(NULL, 'cd_fast')
GO
--@ source: reasoned
DEALLOCATE cd_fast
DROP PROCEDURE dbo.cd_show, dbo.cd_list
DROP VIEW dbo.cd_v
DROP TABLE dbo.cd_t
GO
