CREATE PROCEDURE taffrail.undrop_clean AS
BEGIN
    -- What an undrop that was cut off has left: its copy, the tail of the log, and what msdb says of both.
    SET NOCOUNT ON
    DECLARE @path nvarchar(400) = CONVERT(nvarchar(300), SERVERPROPERTY('InstanceDefaultBackupPath')) + N'/taffrail_undrop.trn'
    IF EXISTS (SELECT * FROM sys.master_files WHERE database_id = DB_ID(N'taffrail_undrop')
            AND physical_name LIKE N'%/taffrail[_]undrop[_][0-9]%' AND physical_name NOT LIKE N'%/taffrail[_]undrop[_]%/%')
        EXEC (N'DROP DATABASE taffrail_undrop')
    EXEC master.dbo.xp_delete_file 0, @path
    BEGIN TRANSACTION
    DELETE msdb.dbo.restorefile WHERE restore_history_id IN
        (SELECT restore_history_id FROM msdb.dbo.restorehistory WHERE destination_database_name = N'taffrail_undrop')
    DELETE msdb.dbo.restorefilegroup WHERE restore_history_id IN
        (SELECT restore_history_id FROM msdb.dbo.restorehistory WHERE destination_database_name = N'taffrail_undrop')
    DELETE msdb.dbo.restorehistory WHERE destination_database_name = N'taffrail_undrop'
    DECLARE @sets TABLE (id int PRIMARY KEY)
    INSERT @sets SELECT s.backup_set_id FROM msdb.dbo.backupset AS s WHERE s.name = N'taffrail_undrop' AND s.type = 'L' AND s.is_copy_only = 1
    DELETE msdb.dbo.backupfile WHERE backup_set_id IN (SELECT id FROM @sets)
    DELETE msdb.dbo.backupfilegroup WHERE backup_set_id IN (SELECT id FROM @sets)
    DELETE msdb.dbo.backupset WHERE backup_set_id IN (SELECT id FROM @sets)
    IF EXISTS (SELECT * FROM @sets)
    BEGIN
        DELETE msdb.dbo.backupmediafamily WHERE media_set_id NOT IN (SELECT media_set_id FROM msdb.dbo.backupset)
        DELETE msdb.dbo.backupmediaset WHERE media_set_id NOT IN (SELECT media_set_id FROM msdb.dbo.backupset)
    END
    COMMIT
END
GO
CREATE PROCEDURE taffrail.undrop_restore
    @database_name sysname, @hobts nvarchar(max), @stop nvarchar(200), @sets nvarchar(max), @pages bigint OUTPUT
AS
BEGIN
    -- Restores the catalogue and these heaps and trees as taffrail_undrop, up to the stop. The sets: type, numbers of backup sets.
    SET NOCOUNT ON
    DECLARE @set int, @type char(1), @position int, @devices nvarchar(max), @text nvarchar(max), @error int = 0, @n int = 0, @last int
    DECLARE @part nvarchar(max) = N', HOBTS = N''' + @hobts + N''''
    SELECT @last = MAX(CONVERT(int, [key])) FROM OPENJSON(@sets)
    DECLARE parts CURSOR LOCAL STATIC FOR SELECT CONVERT(int, j.[key]), s.backup_set_id, s.type, s.position,
            (SELECT STRING_AGG(CONVERT(nvarchar(max), CASE f.device_type WHEN 9 THEN N'URL' ELSE N'DISK' END + N' = N'''
                 + REPLACE(f.physical_device_name, N'''', N'''''') + N''''), N', ')
                WITHIN GROUP (ORDER BY f.family_sequence_number)
                FROM msdb.dbo.backupmediafamily AS f WHERE f.media_set_id = s.media_set_id AND f.mirror = 0)
        FROM OPENJSON(@sets) AS j JOIN msdb.dbo.backupset AS s ON s.backup_set_id = CONVERT(int, j.value) ORDER BY CONVERT(int, j.[key])
    OPEN parts
    FETCH parts INTO @n, @set, @type, @position, @devices
    WHILE @@FETCH_STATUS = 0 AND @error = 0 AND ISNULL(DATABASEPROPERTYEX(N'taffrail_undrop', N'Status'), N'') <> N'ONLINE'
    BEGIN
        SET @text = CASE @type WHEN 'L' THEN N'RESTORE LOG' ELSE N'RESTORE DATABASE' END + N' taffrail_undrop FROM ' + @devices
            + N' WITH FILE = ' + CONVERT(nvarchar(11), @position) + @part
        IF @type = 'D'
            SET @text += (SELECT STRING_AGG(CONVERT(nvarchar(max), N', MOVE N''' + REPLACE(logical_name, N'''', N'''''') + N''' TO N''taffrail_undrop_'
                + CONVERT(nvarchar(11), file_number) + N''''), N'') FROM msdb.dbo.backupfile WHERE backup_set_id = @set)
        SET @text += CASE WHEN @type <> 'L' THEN N', NORECOVERY' ELSE @stop + N', RECOVERY' END
        EXEC (@text)
        SET @error = @@ERROR
        -- The moment lies behind the last record: all of the log is as it was then.
        IF @error = 0 AND @n = @last AND @type = 'L' AND DATABASEPROPERTYEX(N'taffrail_undrop', N'Status') <> N'ONLINE'
        BEGIN
            SET @text = REPLACE(@text, @stop + N', RECOVERY', N', RECOVERY')
            EXEC (@text)
            SET @error = @@ERROR
        END
        FETCH parts INTO @n, @set, @type, @position, @devices
    END
    CLOSE parts
    IF @error = 0 AND ISNULL(DATABASEPROPERTYEX(N'taffrail_undrop', N'Status'), N'') <> N'ONLINE'
    BEGIN
        RAISERROR(N'The backups of database ''%s'' could not be brought to that moment.', 16, 1, @database_name)
        SET @error = 50000
    END
    SELECT @pages = ISNULL(@pages, 0) + ISNULL(SUM(num_of_bytes_written) / 8192, 0)
        FROM sys.dm_io_virtual_file_stats(DB_ID(N'taffrail_undrop'), 1)
    RETURN @error
END
GO
CREATE PROCEDURE taffrail.undrop_search
    @database_name sysname, @schema_name sysname, @table_name sysname, @object int, @set int, @lsn nvarchar(30) OUTPUT
AS
BEGIN
    -- The last record of a set by which a committed transaction drops a table of that name (of any schema, where that is gone), or truncates this object.
    SET NOCOUNT ON
    DECLARE @files nvarchar(max), @position int, @text nvarchar(max), @id binary(4) = @object
    SET @id = SUBSTRING(@id, 4, 1) + SUBSTRING(@id, 3, 1) + SUBSTRING(@id, 2, 1) + SUBSTRING(@id, 1, 1)
    SELECT @position = s.position, @files = (SELECT STRING_AGG(CONVERT(nvarchar(max), N'N''' + REPLACE(f.physical_device_name, N'''', N'''''') + N''''), N', ')
            WITHIN GROUP (ORDER BY f.family_sequence_number) FROM msdb.dbo.backupmediafamily AS f WHERE f.media_set_id = s.media_set_id AND f.mirror = 0)
        FROM msdb.dbo.backupset AS s WHERE s.backup_set_id = @set
    SET @text = N'
        DECLARE @r TABLE (lsn nvarchar(30), op nvarchar(40), txn nvarchar(20), dropped nvarchar(300) NULL, emptied bit NULL)
        INSERT @r SELECT [Current LSN], Operation, [Transaction ID],
            CASE WHEN Operation = N''LOP_DELETE_ROWS'' AND DATALENGTH([RowLog Contents 0]) > 60
                    AND SUBSTRING([RowLog Contents 0], DATALENGTH([RowLog Contents 0]) - 3, 4) = 0x55002000
                    AND CONVERT(int, SUBSTRING([RowLog Contents 0], 19, 1) + SUBSTRING([RowLog Contents 0], 18, 1)
                        + SUBSTRING([RowLog Contents 0], 17, 1) + SUBSTRING([RowLog Contents 0], 16, 1)) = ISNULL(SCHEMA_ID(@schema),
                        CONVERT(int, SUBSTRING([RowLog Contents 0], 19, 1) + SUBSTRING([RowLog Contents 0], 18, 1)
                        + SUBSTRING([RowLog Contents 0], 17, 1) + SUBSTRING([RowLog Contents 0], 16, 1)))
                THEN CONVERT(nvarchar(300), SUBSTRING([RowLog Contents 0], 57, DATALENGTH([RowLog Contents 0]) - 60)) END,
            -- In the directory an entry with rows has no root afterwards: TRUNCATE TABLE. 0: taken back to a savepoint.
            CASE WHEN Operation = N''LOP_MODIFY_ROW'' AND SUBSTRING([RowLog Contents 1], 4, 1) = 0x01
                    AND SUBSTRING([RowLog Contents 1], 17, 4) = @id
                THEN CASE WHEN Description LIKE N''COMPENSATION%'' THEN 0
                    WHEN SUBSTRING([RowLog Contents 1], 25, 6) = 0x000000000000 AND SUBSTRING([RowLog Contents 0], 25, 6) <> 0x000000000000
                        AND SUBSTRING([RowLog Contents 0], 41, 8) <> 0x0000000000000000 THEN 1 END END
            FROM sys.fn_dump_dblog(NULL, NULL, N''DISK'', @position, ' + @files + N')
            WHERE Operation = N''LOP_ABORT_XACT'' OR Operation = N''LOP_MODIFY_ROW'' AND [PartitionId] = 64
                OR Operation = N''LOP_DELETE_ROWS'' AND AllocUnitName = N''sys.sysobjects.clst'' AND Description NOT LIKE N''COMPENSATION%''
        SELECT TOP (1) @lsn = r.lsn FROM @r AS r
            WHERE (r.dropped = @table OR r.emptied = 1
                    AND NOT EXISTS (SELECT * FROM @r AS b WHERE b.txn = r.txn AND b.emptied = 0 AND b.lsn > r.lsn))
                AND NOT EXISTS (SELECT * FROM @r AS a WHERE a.txn = r.txn AND a.op = N''LOP_ABORT_XACT'')
            ORDER BY r.lsn DESC'
    DECLARE @run nvarchar(300) = QUOTENAME(@database_name) + N'.sys.sp_executesql'
    SET @lsn = NULL
    EXEC @run @text, N'@position int, @schema sysname, @table sysname, @id binary(4), @lsn nvarchar(30) OUTPUT',
        @position, @schema_name, @table_name, @id, @lsn OUTPUT
    RETURN @@ERROR
END
GO
CREATE PROCEDURE taffrail.undrop_copy
    @database_name sysname, @schema sysname, @table sysname, @new_name sysname,
    @rows bigint OUTPUT, @indexes int OUTPUT, @constraints int OUTPUT, @renamed nvarchar(max) OUTPUT
AS
BEGIN
    -- Makes the table of taffrail_undrop anew in the database, with its rows, in one transaction.
    SET NOCOUNT ON
    DECLARE @ddl nvarchar(max), @columns nvarchar(max), @identity bit, @last nvarchar(40), @text nvarchar(max), @target nvarchar(600),
        @run nvarchar(300) = QUOTENAME(@database_name) + N'.sys.sp_executesql', @copy nvarchar(60) = N'taffrail_undrop.sys.sp_executesql'
    CREATE TABLE #undrop_steps (step int IDENTITY PRIMARY KEY, is_index bit, is_constraint bit, before_rows bit, text nvarchar(max))
    CREATE TABLE #undrop_names (object_id int PRIMARY KEY, name sysname, was sysname)
    SET @target = QUOTENAME(@schema) + N'.' + QUOTENAME(@new_name)
    SET @text = N'
        INSERT #undrop_names SELECT o.object_id, CASE WHEN t.name IS NULL THEN o.name
                ELSE LEFT(o.name, 100) + N''_undropped_'' + LEFT(CONVERT(nvarchar(36), NEWID()), 8) END, o.name
            FROM sys.objects AS o LEFT JOIN ' + QUOTENAME(@database_name) + N'.sys.objects AS t
                ON t.name COLLATE DATABASE_DEFAULT = o.name AND SCHEMA_NAME(o.schema_id) = (SELECT s.name COLLATE DATABASE_DEFAULT FROM ' + QUOTENAME(@database_name) + N'.sys.schemas AS s WHERE s.schema_id = t.schema_id)
            WHERE o.parent_object_id = @object AND o.type IN (''D'', ''C'', ''PK'', ''UQ'')
        SELECT @columns = STRING_AGG(CONVERT(nvarchar(max), QUOTENAME(c.name)), N'', '') WITHIN GROUP (ORDER BY c.column_id)
            FROM sys.columns AS c WHERE c.object_id = @object AND c.is_computed = 0 AND c.system_type_id <> 189
        SELECT @identity = 1, @last = CONVERT(nvarchar(40), last_value) FROM sys.identity_columns WHERE object_id = @object
        SELECT @ddl = STRING_AGG(CONVERT(nvarchar(max), QUOTENAME(c.name) + N'' '' + CASE
            WHEN c.is_computed = 1 THEN N''AS '' + k.definition + CASE WHEN k.is_persisted = 1 THEN N'' PERSISTED'' + IIF(c.is_nullable = 0, N'' NOT NULL'', N'''') ELSE N'''' END
            ELSE CASE WHEN y.is_user_defined = 1 THEN QUOTENAME(SCHEMA_NAME(y.schema_id)) + N''.'' + QUOTENAME(y.name)
                ELSE QUOTENAME(y.name) + CASE
                    WHEN y.name IN (N''varchar'', N''char'', N''varbinary'', N''binary'') THEN IIF(c.max_length = -1, N''(max)'', CONCAT(N''('', c.max_length, N'')''))
                    WHEN y.name IN (N''nvarchar'', N''nchar'') THEN IIF(c.max_length = -1, N''(max)'', CONCAT(N''('', c.max_length / 2, N'')''))
                    WHEN y.name IN (N''decimal'', N''numeric'') THEN CONCAT(N''('', c.precision, N'', '', c.scale, N'')'')
                    WHEN y.name IN (N''time'', N''datetime2'', N''datetimeoffset'') THEN CONCAT(N''('', c.scale, N'')'')
                    WHEN y.name = N''float'' THEN CONCAT(N''('', c.precision, N'')'') ELSE N'''' END
                    + ISNULL(N'' COLLATE '' + c.collation_name COLLATE DATABASE_DEFAULT, N'''') END
                + ISNULL(N'' IDENTITY('' + CONVERT(nvarchar(40), i.seed_value) + N'', '' + CONVERT(nvarchar(40), i.increment_value) + N'')'', N'''')
                + IIF(c.is_rowguidcol = 1, N'' ROWGUIDCOL'', N'''') + IIF(c.is_nullable = 1, N'' NULL'', N'' NOT NULL'')
                + ISNULL(N'' CONSTRAINT '' + QUOTENAME(n.name COLLATE DATABASE_DEFAULT) + N'' DEFAULT '' + d.definition, N'''') END), N'', '') WITHIN GROUP (ORDER BY c.column_id)
            FROM sys.columns AS c JOIN sys.types AS y ON y.user_type_id = c.user_type_id
                LEFT JOIN sys.computed_columns AS k ON k.object_id = c.object_id AND k.column_id = c.column_id
                LEFT JOIN sys.identity_columns AS i ON i.object_id = c.object_id AND i.column_id = c.column_id
                LEFT JOIN sys.default_constraints AS d ON d.object_id = c.default_object_id AND d.parent_object_id = c.object_id
                LEFT JOIN #undrop_names AS n ON n.object_id = d.object_id
            WHERE c.object_id = @object
        INSERT #undrop_steps (is_index, is_constraint, before_rows, text)
        SELECT 1, CASE WHEN i.is_primary_key = 1 OR i.is_unique_constraint = 1 THEN 1 ELSE 0 END, IIF(i.index_id = 1, 1, 0),
            CASE WHEN i.is_primary_key = 1 OR i.is_unique_constraint = 1
                THEN N''ALTER TABLE '' + @target + N'' ADD CONSTRAINT '' + QUOTENAME(n.name COLLATE DATABASE_DEFAULT) + IIF(i.is_primary_key = 1, N'' PRIMARY KEY '', N'' UNIQUE '') + i.type_desc
                ELSE N''CREATE '' + IIF(i.is_unique = 1, N''UNIQUE '', N'''') + i.type_desc COLLATE DATABASE_DEFAULT + N'' INDEX '' + QUOTENAME(i.name) + N'' ON '' + @target END
            + N'' ('' + (SELECT STRING_AGG(CONVERT(nvarchar(max), QUOTENAME(c.name) + IIF(x.is_descending_key = 1, N'' DESC'', N'''')), N'', '')
                WITHIN GROUP (ORDER BY x.key_ordinal) FROM sys.index_columns AS x JOIN sys.columns AS c ON c.object_id = x.object_id AND c.column_id = x.column_id
                WHERE x.object_id = i.object_id AND x.index_id = i.index_id AND x.is_included_column = 0) + N'')''
            + ISNULL(N'' INCLUDE ('' + (SELECT STRING_AGG(CONVERT(nvarchar(max), QUOTENAME(c.name)), N'', '') WITHIN GROUP (ORDER BY x.index_column_id)
                FROM sys.index_columns AS x JOIN sys.columns AS c ON c.object_id = x.object_id AND c.column_id = x.column_id
                WHERE x.object_id = i.object_id AND x.index_id = i.index_id AND x.is_included_column = 1) + N'')'', N'''')
            + ISNULL(N'' WHERE '' + i.filter_definition, N'''')
            + CASE WHEN i.fill_factor > 0 AND i.ignore_dup_key = 1 THEN CONCAT(N'' WITH (FILLFACTOR = '', i.fill_factor, N'', IGNORE_DUP_KEY = ON)'')
                WHEN i.fill_factor > 0 THEN CONCAT(N'' WITH (FILLFACTOR = '', i.fill_factor, N'')'')
                WHEN i.ignore_dup_key = 1 THEN N'' WITH (IGNORE_DUP_KEY = ON)'' ELSE N'''' END
            FROM sys.indexes AS i LEFT JOIN sys.key_constraints AS q ON q.parent_object_id = i.object_id AND q.unique_index_id = i.index_id
                LEFT JOIN #undrop_names AS n ON n.object_id = q.object_id
            WHERE i.object_id = @object AND i.type IN (1, 2) AND i.is_disabled = 0 ORDER BY i.index_id
        INSERT #undrop_steps (is_index, is_constraint, before_rows, text)
        SELECT 0, 1, 0, N''ALTER TABLE '' + @target + IIF(k.is_not_trusted = 1, N'' WITH NOCHECK'', N'''') + N'' ADD CONSTRAINT '' + QUOTENAME(n.name COLLATE DATABASE_DEFAULT)
                + N'' CHECK '' + k.definition + IIF(k.is_disabled = 1, N''; ALTER TABLE '' + @target + N'' NOCHECK CONSTRAINT '' + QUOTENAME(n.name COLLATE DATABASE_DEFAULT), N'''')
            FROM sys.check_constraints AS k JOIN #undrop_names AS n ON n.object_id = k.object_id WHERE k.parent_object_id = @object ORDER BY k.object_id'
    DECLARE @object int = OBJECT_ID(N'taffrail_undrop.' + QUOTENAME(@schema) + N'.' + QUOTENAME(@table))
    EXEC @copy @text,
        N'@object int, @target nvarchar(600), @columns nvarchar(max) OUTPUT, @ddl nvarchar(max) OUTPUT, @identity bit OUTPUT, @last nvarchar(40) OUTPUT',
        @object, @target, @columns OUTPUT, @ddl OUTPUT, @identity OUTPUT, @last OUTPUT
    IF @@ERROR <> 0 RETURN 1
    BEGIN TRY
        BEGIN TRANSACTION
        SET @text = N'IF SCHEMA_ID(@schema) IS NULL EXEC (N''CREATE SCHEMA ' + REPLACE(QUOTENAME(@schema), N'''', N'''''') + N''')
            CREATE TABLE ' + @target + N' (' + @ddl + N')'
        EXEC @run @text, N'@schema sysname', @schema
        DECLARE steps CURSOR LOCAL STATIC FOR SELECT text FROM #undrop_steps WHERE before_rows = 1 ORDER BY step
        OPEN steps
        FETCH steps INTO @text
        WHILE @@FETCH_STATUS = 0
        BEGIN
            EXEC @run @text
            FETCH steps INTO @text
        END
        CLOSE steps
        SET @text = IIF(@identity = 1, N'SET IDENTITY_INSERT ' + @target + N' ON; ', N'') + N'INSERT ' + @target + N' WITH (TABLOCK) (' + @columns
            + N') SELECT ' + @columns + N' FROM taffrail_undrop.' + QUOTENAME(@schema) + N'.' + QUOTENAME(@table)
            + N'; SET @rows = ROWCOUNT_BIG()' + IIF(@identity = 1, N'; SET IDENTITY_INSERT ' + @target + N' OFF', N'')
        EXEC @run @text, N'@rows bigint OUTPUT', @rows OUTPUT
        IF @identity = 1 AND @last IS NOT NULL AND @rows > 0
        BEGIN
            SET @text = N'DBCC CHECKIDENT (N''' + REPLACE(@target, N'''', N'''''') + N''', RESEED, ' + @last + N') WITH NO_INFOMSGS'
            EXEC @run @text
        END
        DECLARE later CURSOR LOCAL STATIC FOR SELECT text FROM #undrop_steps WHERE before_rows = 0 ORDER BY step
        OPEN later
        FETCH later INTO @text
        WHILE @@FETCH_STATUS = 0
        BEGIN
            EXEC @run @text
            FETCH later INTO @text
        END
        CLOSE later
        COMMIT
    END TRY
    BEGIN CATCH
        DECLARE @message nvarchar(2048) = ERROR_MESSAGE()
        IF @@TRANCOUNT > 0 ROLLBACK
        RAISERROR(N'The table could not be made: %s', 16, 1, @message)
        RETURN 1
    END CATCH
    SELECT @indexes = COUNT(*) FROM #undrop_steps WHERE is_index = 1
    SELECT @constraints = (SELECT COUNT(*) FROM #undrop_names)
    SELECT @renamed = STRING_AGG(CONVERT(nvarchar(max), was + N' is ' + name), N', ') WITHIN GROUP (ORDER BY was) FROM #undrop_names WHERE name <> was
    RETURN 0
END
GO
CREATE PROCEDURE taffrail.undrop_table
    @database_name sysname, @table_name nvarchar(517), @moment datetime2(7) = NULL, @lsn nvarchar(60) = NULL, @new_name sysname = NULL
AS
BEGIN
    -- Brings a table back as it was at a moment, or before the record of that LSN, or before it was dropped or truncated last.
    SET NOCOUNT ON
    DECLARE @schema sysname = ISNULL(PARSENAME(@table_name, 2), N'dbo'), @table sysname = PARSENAME(@table_name, 1), @message nvarchar(2048),
        @guid uniqueidentifier, @full int, @differential int, @sets nvarchar(max), @tail int, @set int, @stop nvarchar(200), @found nvarchar(30),
        @object int, @hobts nvarchar(max), @pages bigint = 0, @error int = 0, @at numeric(25,0), @start numeric(25,0),
        @rows bigint, @indexes int, @constraints int, @renamed nvarchar(max), @text nvarchar(max), @locked int = -1, @finished datetime,
        @copy nvarchar(60) = N'taffrail_undrop.sys.sp_executesql'
    SELECT @new_name = ISNULL(@new_name, LEFT(@table, 118) + N'_undropped'),
        @guid = (SELECT database_guid FROM sys.database_recovery_status WHERE database_id = DB_ID(@database_name)),
        @finished = CASE WHEN @moment >= '17530102' THEN DATEADD(millisecond, -4, CONVERT(datetime, @moment)) END
    SET @message = CASE
        WHEN IS_SRVROLEMEMBER(N'sysadmin') <> 1 THEN N'undrop_table is for members of the role sysadmin.'
        WHEN @database_name IS NULL OR @table IS NULL THEN N'Name the database and the table: undrop_table N''shop'', N''dbo.orders''.'
        WHEN DB_ID(@database_name) IS NULL OR DB_ID(@database_name) <= 4 THEN N'There is no user database ''' + @database_name + N'''.'
        WHEN DATABASEPROPERTYEX(@database_name, N'Status') <> N'ONLINE' THEN N'Database ''' + @database_name + N''' is not online.'
        WHEN DATABASEPROPERTYEX(@database_name, N'Recovery') = N'SIMPLE'
            THEN N'Database ''' + @database_name + N''' is in the simple recovery model: its log keeps no earlier moments.'
        WHEN @moment IS NOT NULL AND @lsn IS NOT NULL THEN N'Give a moment or an LSN.'
        WHEN @moment > SYSDATETIME() THEN N'The moment has not come yet.'
        WHEN @@TRANCOUNT > 0 THEN N'undrop_table is not for use within a transaction.'
        WHEN OBJECT_ID(QUOTENAME(@database_name) + N'.' + QUOTENAME(@schema) + N'.' + QUOTENAME(@new_name)) IS NOT NULL
            THEN N'There is an object ''' + @schema + N'.' + @new_name + N''' in database ''' + @database_name + N''': give another @new_name.'
        END
    IF @message IS NULL
    BEGIN
        EXEC @locked = sp_getapplock N'taffrail_undrop', N'Exclusive', N'Session', 0
        IF @locked < 0 SET @message = N'Another undrop is running.'
    END
    IF @message IS NOT NULL
    BEGIN
        RAISERROR(N'%s', 16, 1, @message)
        RETURN 1
    END
    EXEC msdb.taffrail.undrop_clean
    IF DB_ID(N'taffrail_undrop') IS NOT NULL
        SET @message = N'Database ''taffrail_undrop'' already exists: undrop_table restores under this name.'
    ELSE IF NOT EXISTS (SELECT * FROM msdb.dbo.backupset WHERE database_guid = @guid AND type = 'D')
        SET @message = N'msdb knows of no full backup of database ''' + @database_name + N'''.'
    ELSE
    BEGIN
        -- What no log backup has yet.
        SET @text = N'BACKUP LOG ' + QUOTENAME(@database_name) + N' TO DISK = N''taffrail_undrop.trn'' WITH COPY_ONLY, FORMAT, NAME = N''taffrail_undrop'''
        EXEC (@text)
        SET @error = @@ERROR
        SELECT @tail = MAX(backup_set_id) FROM msdb.dbo.backupset WHERE name = N'taffrail_undrop' AND type = 'L' AND is_copy_only = 1 AND database_guid = @guid
        IF @error = 0 AND @tail IS NULL SET @message = N'msdb has no history of the tail of the log.'
    END
    IF @error = 0 AND @message IS NULL AND @lsn IS NOT NULL
        SET @found = IIF(@lsn LIKE N'0x%', SUBSTRING(@lsn, 3, 30), @lsn)
    ELSE IF @error = 0 AND @message IS NULL AND @moment IS NULL
    BEGIN
        -- The last drop or truncation, in the newest set that has one.
        SET @object = OBJECT_ID(QUOTENAME(@database_name) + N'.' + QUOTENAME(@schema) + N'.' + QUOTENAME(@table))
        DECLARE newest CURSOR LOCAL STATIC FOR SELECT backup_set_id FROM msdb.dbo.backupset WHERE database_guid = @guid AND type = 'L'
            ORDER BY IIF(backup_set_id = @tail, 0, 1), last_lsn DESC, backup_set_id DESC
        OPEN newest
        FETCH newest INTO @set
        WHILE @@FETCH_STATUS = 0 AND @found IS NULL AND @error = 0
        BEGIN
            EXEC @error = msdb.taffrail.undrop_search @database_name, @schema, @table, @object, @set, @found OUTPUT
            FETCH newest INTO @set
        END
        CLOSE newest
        IF @found IS NULL AND @error = 0
            SET @message = N'The log has no record of a drop or truncation of table ''' + @schema + N'.' + @table + N''': give a moment.'
    END
    IF @error = 0 AND @message IS NULL
    BEGIN
        IF @found LIKE N'________:________:____'
            SET @at = CONVERT(numeric(25,0), CONVERT(int, TRY_CONVERT(varbinary(4), LEFT(@found, 8), 2))) * 1000000000000000
                + CONVERT(numeric(25,0), CONVERT(int, TRY_CONVERT(varbinary(4), SUBSTRING(@found, 10, 8), 2))) * 100000
                + CONVERT(int, TRY_CONVERT(varbinary(2), RIGHT(@found, 4), 2))
        ELSE IF @found IS NOT NULL
            SET @at = TRY_CONVERT(numeric(25,0), @found)
        IF @at IS NULL AND @moment IS NULL
            SET @message = N'''' + @lsn + N''' is no LSN.'
        SET @stop = IIF(@moment IS NULL, N', STOPBEFOREMARK = N''lsn:' + IIF(@found LIKE N'%:%', N'0x', N'') + @found + N'''',
            N', STOPAT = N''' + CONVERT(nvarchar(30), @moment, 126) + N'''')
        SELECT TOP (1) @full = backup_set_id, @start = last_lsn FROM msdb.dbo.backupset
            WHERE database_guid = @guid AND type = 'D' AND (last_lsn <= @at OR @moment IS NOT NULL AND backup_finish_date <= @finished)
            ORDER BY last_lsn DESC, backup_set_id DESC
        SELECT TOP (1) @differential = d.backup_set_id, @start = d.last_lsn FROM msdb.dbo.backupset AS d JOIN msdb.dbo.backupset AS f
            ON f.backup_set_id = @full AND f.backup_set_uuid = d.differential_base_guid
            WHERE d.database_guid = @guid AND d.type = 'I' AND (d.last_lsn <= @at OR @moment IS NOT NULL AND d.backup_finish_date <= @finished)
            ORDER BY d.last_lsn DESC, d.backup_set_id DESC
        SELECT @sets = N'[' + CONVERT(nvarchar(11), @full) + ISNULL(N',' + CONVERT(nvarchar(11), @differential), N'')
            + (SELECT STRING_AGG(CONVERT(nvarchar(max), N',' + CONVERT(nvarchar(11), backup_set_id)), N'') WITHIN GROUP (ORDER BY last_lsn, backup_set_id)
                FROM msdb.dbo.backupset WHERE database_guid = @guid AND type = 'L' AND (is_copy_only = 0 OR backup_set_id = @tail) AND last_lsn >= @start) + N']'
        IF @full IS NULL AND @message IS NULL
            SET @message = N'No full backup of database ''' + @database_name + N''' that msdb knows is of before '
                + IIF(@moment IS NULL, N'LSN ' + @found, CONVERT(nvarchar(30), @moment, 121)) + N'.'
    END
    IF @error = 0 AND @message IS NULL
    BEGIN
        -- First the catalogue, which says where the table is.
        EXEC @error = msdb.taffrail.undrop_restore @database_name, N'', @stop, @sets, @pages OUTPUT
        IF @error = 0
        BEGIN
            SET @text = QUOTENAME(@schema) + N'.' + QUOTENAME(@table)
            EXEC @copy N'SELECT @hobts = STRING_AGG(CONVERT(nvarchar(max), CONVERT(nvarchar(20), hobt_id)), N'','') FROM sys.partitions
                WHERE object_id = OBJECT_ID(@name, N''U'')', N'@name nvarchar(600), @hobts nvarchar(max) OUTPUT', @text, @hobts OUTPUT
            EXEC (N'DROP DATABASE taffrail_undrop')
            IF @hobts IS NULL
                SET @message = N'There was no table ''' + @schema + N'.' + @table + N''' in database ''' + @database_name + N''' at '
                    + IIF(@moment IS NULL, N'LSN ' + @found, CONVERT(nvarchar(30), @moment, 121)) + N'.'
        END
    END
    IF @error = 0 AND @message IS NULL
        EXEC @error = msdb.taffrail.undrop_restore @database_name, @hobts, @stop, @sets, @pages OUTPUT
    IF @error = 0 AND @message IS NULL
        EXEC @error = msdb.taffrail.undrop_copy @database_name, @schema, @table, @new_name, @rows OUTPUT, @indexes OUTPUT, @constraints OUTPUT, @renamed OUTPUT
    EXEC msdb.taffrail.undrop_clean
    EXEC sp_releaseapplock N'taffrail_undrop', N'Session'
    IF @message IS NOT NULL RAISERROR(N'%s', 16, 1, @message)
    IF @error <> 0 OR @message IS NOT NULL RETURN 1
    SELECT @database_name AS database_name, @schema + N'.' + @table AS table_name, @schema + N'.' + @new_name AS new_table,
        @moment AS as_of, @found AS before_lsn, @rows AS rows_restored, @indexes AS indexes, @constraints AS constraints,
        @pages AS pages_restored, (SELECT COUNT(*) FROM OPENJSON(@sets)) AS backup_sets, @renamed AS renamed
    RETURN 0
END
