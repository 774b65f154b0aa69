IF SCHEMA_ID(N'taffrail') IS NULL EXEC (N'CREATE SCHEMA taffrail')
IF OBJECT_ID(N'taffrail.backup_schedule', N'U') IS NULL
CREATE TABLE taffrail.backup_schedule (
    database_name sysname NOT NULL PRIMARY KEY,
    full_minutes int NOT NULL CHECK (full_minutes > 0),
    differential_minutes int NULL CHECK (differential_minutes > 0),
    log_minutes int NULL CHECK (log_minutes > 0),
    keep_chains int NOT NULL DEFAULT 2 CHECK (keep_chains > 0),
    drill_minutes int NULL CHECK (drill_minutes > 0),
    directory nvarchar(180) NULL,
    is_enabled bit NOT NULL DEFAULT 1,
    changed_utc datetime NULL
)
IF COL_LENGTH(N'taffrail.backup_schedule', N'changed_utc') IS NULL
    ALTER TABLE taffrail.backup_schedule ADD changed_utc datetime NULL
IF OBJECT_ID(N'taffrail.backup_run', N'U') IS NULL
CREATE TABLE taffrail.backup_run (
    run_id int IDENTITY(1,1) NOT NULL PRIMARY KEY,
    database_name sysname NOT NULL,
    type char(1) NOT NULL,
    started_utc datetime NOT NULL,
    finished_utc datetime NULL,
    backup_set_id int NULL,
    path nvarchar(260) NULL,
    deleted_utc datetime NULL,
    error_number int NULL,
    error_message nvarchar(2048) NULL,
    database_guid uniqueidentifier NULL
)
IF COL_LENGTH(N'taffrail.backup_run', N'database_guid') IS NULL
BEGIN
    ALTER TABLE taffrail.backup_run ADD database_guid uniqueidentifier NULL
    EXEC (N'UPDATE r SET database_guid = s.database_guid
        FROM taffrail.backup_run AS r INNER JOIN msdb.dbo.backupset AS s ON s.backup_set_id = r.backup_set_id')
    -- Drills, and runs that have failed: the database of the nearest backup.
    EXEC (N'UPDATE r SET database_guid = (SELECT TOP (1) n.database_guid FROM taffrail.backup_run AS n
            WHERE n.database_name = r.database_name AND n.database_guid IS NOT NULL ORDER BY ABS(n.run_id - r.run_id))
        FROM taffrail.backup_run AS r WHERE r.database_guid IS NULL')
END
-- When each kind had its turn last, or was first looked for, and how many full backups have been taken since.
IF OBJECT_ID(N'taffrail.backup_turn', N'U') IS NULL
CREATE TABLE taffrail.backup_turn (
    database_name sysname NOT NULL,
    type char(1) NOT NULL,
    database_guid uniqueidentifier NULL,
    last_utc datetime NOT NULL,
    passed int NOT NULL,
    PRIMARY KEY (database_name, type)
)
GO
CREATE PROCEDURE taffrail.set_backup_schedule
    @database_name sysname,
    @full_minutes int,
    @differential_minutes int = NULL,
    @log_minutes int = NULL,
    @keep_chains int = 2,
    @drill_minutes int = NULL,
    @directory nvarchar(180) = NULL,
    @is_enabled bit = 1
AS
BEGIN
    SET NOCOUNT ON
    IF DB_ID(@database_name) IS NULL
    BEGIN
        RAISERROR(15010, 16, 1, @database_name)
        RETURN 1
    END
    IF DB_ID(@database_name) <= 4
    BEGIN
        RAISERROR(N'''%s'' is a system database. Only user databases are backed up by a schedule.', 16, 1, @database_name)
        RETURN 1
    END
    DECLARE @wrong sysname = CASE WHEN @full_minutes IS NULL OR @full_minutes < 1 THEN N'@full_minutes'
        WHEN @differential_minutes < 1 THEN N'@differential_minutes' WHEN @log_minutes < 1 THEN N'@log_minutes'
        WHEN @keep_chains IS NULL OR @keep_chains < 1 THEN N'@keep_chains' WHEN @drill_minutes < 1 THEN N'@drill_minutes' END
    IF @wrong IS NOT NULL
    BEGIN
        RAISERROR(N'%s is at least 1.', 16, 1, @wrong)
        RETURN 1
    END
    IF @directory IS NOT NULL
    BEGIN
        -- Where it cannot be made, or may not be written to, no backup would succeed.
        EXEC master.dbo.xp_create_subdir @directory
        IF @@ERROR <> 0 RETURN 1
    END
    BEGIN TRANSACTION
    DELETE msdb.taffrail.backup_schedule WHERE database_name = @database_name
    INSERT msdb.taffrail.backup_schedule (database_name, full_minutes, differential_minutes, log_minutes, keep_chains, drill_minutes,
        directory, is_enabled, changed_utc)
    VALUES (@database_name, @full_minutes, @differential_minutes, @log_minutes, @keep_chains, @drill_minutes, @directory, @is_enabled,
        GETUTCDATE())
    IF @@ERROR <> 0
    BEGIN
        ROLLBACK
        RETURN 1
    END
    COMMIT
    RETURN 0
END
GO
CREATE PROCEDURE taffrail.remove_backup_schedule @database_name sysname AS
BEGIN
    SET NOCOUNT ON
    DELETE msdb.taffrail.backup_schedule WHERE database_name = @database_name
    RETURN 0
END
GO
CREATE PROCEDURE taffrail.remove_run_file @run int AS
BEGIN
    -- A file goes before its row says so.
    SET NOCOUNT ON
    DECLARE @name sysname, @guid uniqueidentifier, @path nvarchar(260)
    SELECT @name = database_name, @guid = database_guid, @path = path FROM msdb.taffrail.backup_run WHERE run_id = @run
    BEGIN TRY
        -- One that is not there any more is no error.
        EXEC master.dbo.xp_delete_file 0, @path
        UPDATE msdb.taffrail.backup_run SET deleted_utc = GETUTCDATE() WHERE run_id = @run
    END TRY
    BEGIN CATCH
        -- It stays, and is tried again after the next full backup; what a failed run may have left is tried once.
        UPDATE msdb.taffrail.backup_run SET deleted_utc = GETUTCDATE() WHERE run_id = @run AND error_number IS NOT NULL
        INSERT msdb.taffrail.backup_run (database_name, type, started_utc, finished_utc, error_number, error_message, database_guid)
        VALUES (@name, 'X', GETUTCDATE(), GETUTCDATE(), ERROR_NUMBER(), ERROR_MESSAGE(), @guid)
    END CATCH
END
GO
CREATE PROCEDURE taffrail.remove_old_chains @database_name sysname, @keep_chains int AS
BEGIN
    -- A chain is a full backup and all that follows it up to the next one. Those of another database that had this name are no concern
    -- of this one.
    SET NOCOUNT ON
    DECLARE @oldest int, @proved int, @after int, @run int, @path nvarchar(260),
        @guid uniqueidentifier = (SELECT database_guid FROM sys.database_recovery_status WHERE database_id = DB_ID(@database_name))
    DECLARE @full TABLE (run_id int PRIMARY KEY)
    IF @guid IS NULL RETURN 0
    -- While the newest drill says that a chain cannot be restored nothing goes: an older one may be all there is. 50000: it has not come
    -- to that.
    IF (SELECT TOP (1) error_number FROM msdb.taffrail.backup_run WHERE database_name = @database_name AND type = 'R'
        AND finished_utc IS NOT NULL AND ISNULL(error_number, 0) <> 50000 AND ISNULL(database_guid, @guid) = @guid
        ORDER BY run_id DESC) IS NOT NULL
        RETURN 0
    INSERT @full SELECT run_id FROM msdb.taffrail.backup_run WHERE database_name = @database_name AND type = 'D'
        AND finished_utc IS NOT NULL AND error_number IS NULL AND ISNULL(database_guid, @guid) = @guid
    IF (SELECT COUNT(*) FROM @full) < @keep_chains RETURN 0
    SELECT @oldest = MIN(run_id) FROM (SELECT TOP (@keep_chains) run_id FROM @full ORDER BY run_id DESC) AS kept
    -- The newest chain that a drill has restored stays beside them; where there is none, the newest backup has to be readable.
    SELECT @proved = MAX(run_id) FROM @full WHERE run_id < (SELECT MAX(run_id) FROM msdb.taffrail.backup_run
        WHERE database_name = @database_name AND type = 'R' AND finished_utc IS NOT NULL AND error_number IS NULL
            AND ISNULL(database_guid, @guid) = @guid)
    SELECT @after = MIN(run_id) FROM @full WHERE run_id > @proved
    IF @proved IS NULL AND EXISTS (SELECT * FROM msdb.taffrail.backup_run WHERE database_name = @database_name AND run_id < @oldest
        AND ISNULL(database_guid, @guid) = @guid)
    BEGIN TRY
        SELECT @path = path FROM msdb.taffrail.backup_run WHERE run_id = (SELECT MAX(run_id) FROM @full)
        RESTORE VERIFYONLY FROM DISK = @path WITH CHECKSUM
    END TRY
    BEGIN CATCH
        INSERT msdb.taffrail.backup_run (database_name, type, started_utc, finished_utc, error_number, error_message, database_guid)
        VALUES (@database_name, 'X', GETUTCDATE(), GETUTCDATE(), ERROR_NUMBER(), ERROR_MESSAGE(), @guid)
        RETURN 1
    END CATCH
    DECLARE old CURSOR LOCAL STATIC FOR SELECT run_id FROM msdb.taffrail.backup_run
        WHERE database_name = @database_name AND run_id < @oldest AND path IS NOT NULL AND deleted_utc IS NULL
            AND ISNULL(database_guid, @guid) = @guid AND (@proved IS NULL OR run_id < @proved OR run_id >= @after)
    OPEN old
    FETCH old INTO @run
    WHILE @@FETCH_STATUS = 0
    BEGIN
        EXEC msdb.taffrail.remove_run_file @run
        FETCH old INTO @run
    END
    CLOSE old
    DELETE msdb.taffrail.backup_run WHERE database_name = @database_name AND run_id < @oldest
        AND ISNULL(database_guid, @guid) = @guid AND (@proved IS NULL OR run_id < @proved OR run_id >= @after)
        AND (deleted_utc IS NOT NULL OR path IS NULL)
END
GO
CREATE PROCEDURE taffrail.remove_former_backups @database_name sysname AS
BEGIN
    -- Of databases that had this name and are gone: of one that only has another name now everything stays. One that is not open may be it.
    SET NOCOUNT ON
    DECLARE @run int, @closed sysname = (SELECT TOP (1) n.name FROM sys.database_recovery_status AS d
        INNER JOIN sys.databases AS n ON n.database_id = d.database_id WHERE d.database_id > 4 AND d.database_guid IS NULL ORDER BY n.name)
    IF @closed IS NOT NULL
    BEGIN
        RAISERROR(N'Nothing is removed while database ''%s'' is not open: the backups may be its own.', 10, 1, @closed)
        RETURN 1
    END
    DECLARE former CURSOR LOCAL STATIC FOR SELECT run_id FROM msdb.taffrail.backup_run AS r
        WHERE database_name = @database_name AND path IS NOT NULL AND deleted_utc IS NULL AND database_guid IS NOT NULL
            AND NOT EXISTS (SELECT * FROM sys.database_recovery_status AS d WHERE d.database_guid = r.database_guid)
    OPEN former
    FETCH former INTO @run
    WHILE @@FETCH_STATUS = 0
    BEGIN
        EXEC msdb.taffrail.remove_run_file @run
        DELETE msdb.taffrail.backup_run WHERE run_id = @run AND deleted_utc IS NOT NULL
        FETCH former INTO @run
    END
    CLOSE former
    RETURN 0
END
GO
CREATE PROCEDURE taffrail.remove_cut_off_runs @database_name sysname, @logs bit AS
BEGIN
    -- What the end of the server has cut off is no backup, and in the way where room is short. Log backups only with @logs = 1.
    SET NOCOUNT ON
    DECLARE @run int, @local int = DATEDIFF(minute, GETDATE(), GETUTCDATE()), @start datetime
    SELECT @start = DATEADD(minute, @local, sqlserver_start_time) FROM sys.dm_os_sys_info
    -- Of what was finished only the note is missing.
    UPDATE r SET finished_utc = DATEADD(minute, @local, s.backup_finish_date), backup_set_id = s.backup_set_id,
            path = f.physical_device_name
        FROM msdb.taffrail.backup_run AS r
        INNER JOIN msdb.dbo.backupset AS s ON s.database_name = r.database_name AND s.type = r.type
        INNER JOIN msdb.dbo.backupmediafamily AS f ON f.media_set_id = s.media_set_id
            AND RIGHT(N'/' + f.physical_device_name, CHARINDEX(N'/', REVERSE(N'/' + r.path)))
                = RIGHT(N'/' + r.path, CHARINDEX(N'/', REVERSE(N'/' + r.path)))
        WHERE r.database_name = @database_name AND r.path IS NOT NULL AND r.deleted_utc IS NULL AND r.finished_utc IS NULL
            AND r.started_utc < @start
    DECLARE parts CURSOR LOCAL STATIC FOR SELECT run_id FROM msdb.taffrail.backup_run
        WHERE database_name = @database_name AND path IS NOT NULL AND deleted_utc IS NULL AND finished_utc IS NULL
            AND started_utc < @start AND (type <> 'L' OR @logs = 1)
    OPEN parts
    FETCH parts INTO @run
    WHILE @@FETCH_STATUS = 0
    BEGIN
        EXEC msdb.taffrail.remove_run_file @run
        FETCH parts INTO @run
    END
    CLOSE parts
END
GO
CREATE PROCEDURE taffrail.run_backup
    @database_name sysname,
    @type char(1) = 'D',
    @directory nvarchar(180) = NULL,
    @keep_chains int = NULL
AS
BEGIN
    SET NOCOUNT ON
    DECLARE @now datetime = GETUTCDATE(), @run int, @path nvarchar(260), @name nvarchar(120), @set int,
        @file nvarchar(80) = N'', @at int = 1, @char int, @error int = 0, @text nvarchar(400), @pages bigint, @need float,
        @less int = CASE WHEN @keep_chains > 1 THEN @keep_chains - 1 ELSE 1 END,
        @guid uniqueidentifier = (SELECT database_guid FROM sys.database_recovery_status WHERE database_id = DB_ID(@database_name))
    IF @type IS NULL OR @type NOT IN ('D', 'I', 'L')
    BEGIN
        RAISERROR(N'@type is D (full), I (differential) or L (log).', 16, 1)
        RETURN 1
    END
    WHILE @at <= LEN(@database_name) AND @at <= 60
    BEGIN
        SET @char = UNICODE(SUBSTRING(@database_name, @at, 1))
        SET @file = @file + CASE WHEN @char BETWEEN 48 AND 57 OR @char BETWEEN 65 AND 90 OR @char BETWEEN 97 AND 122 OR @char = 45
            THEN NCHAR(@char) ELSE N'_' END
        SET @at = @at + 1
    END
    IF @type = 'D' EXEC msdb.taffrail.remove_cut_off_runs @database_name, 0
    IF @type = 'D' AND @keep_chains IS NOT NULL AND DATABASEPROPERTYEX(@database_name, 'Status') = 'ONLINE'
    BEGIN
        -- As many bytes as it has pages, compressed as the last one was, and a sixteenth more: where there are not as many, one more of the
        -- old chains goes now instead of afterwards.
        SET @text = N'SELECT @pages = SUM(CONVERT(bigint, allocated_extent_page_count)) FROM '
            + QUOTENAME(@database_name) + N'.sys.dm_db_file_space_usage'
        EXEC sp_executesql @text, N'@pages bigint OUTPUT', @pages OUTPUT
        SET @need = @pages * 8192.0 * 17 / 16
        SELECT TOP (1) @need = @need * s.compressed_backup_size / s.backup_size
            FROM msdb.taffrail.backup_run AS r INNER JOIN msdb.dbo.backupset AS s ON s.backup_set_id = r.backup_set_id
            WHERE r.database_name = @database_name AND r.type = 'D' AND s.backup_size > 0 ORDER BY r.run_id DESC
        IF (SELECT available_bytes FROM msdb.taffrail.backup_room(@directory)) < @need
            EXEC msdb.taffrail.remove_old_chains @database_name, @less
    END
    INSERT msdb.taffrail.backup_run (database_name, type, started_utc, database_guid) VALUES (@database_name, @type, @now, @guid)
    SET @run = SCOPE_IDENTITY()
    -- The number makes the name new: a file that is there is never written to.
    SET @name = @file + N'_' + CONVERT(char(8), @now, 112) + N'_' + REPLACE(CONVERT(char(8), @now, 108), ':', '') + N'_'
        + CONVERT(varchar(11), @run) + CASE @type WHEN 'D' THEN N'_full.bak' WHEN 'I' THEN N'_diff.bak' ELSE N'_log.trn' END
    SET @path = CASE WHEN @directory IS NULL THEN N'' ELSE @directory + N'/' END + @name
    -- Before the file is there: what a run that is cut off leaves goes with its chain.
    UPDATE msdb.taffrail.backup_run SET path = @path WHERE run_id = @run
    -- No TRY: it would leave the last message alone, which is 3013, and not the reason before it.
    IF @type = 'D'
    BEGIN
        BACKUP DATABASE @database_name TO DISK = @path WITH CHECKSUM, NAME = N'taffrail schedule'
        SET @error = @@ERROR
    END
    IF @type = 'I'
    BEGIN
        BACKUP DATABASE @database_name TO DISK = @path WITH DIFFERENTIAL, CHECKSUM, NAME = N'taffrail schedule'
        SET @error = @@ERROR
    END
    IF @type = 'L'
    BEGIN
        BACKUP LOG @database_name TO DISK = @path WITH CHECKSUM, NAME = N'taffrail schedule'
        SET @error = @@ERROR
    END
    -- 3009: msdb has no history of it. It is a backup all the same, and the log after it goes on from there.
    IF @error NOT IN (0, 3009)
    BEGIN
        UPDATE msdb.taffrail.backup_run SET finished_utc = GETUTCDATE(), error_number = @error WHERE run_id = @run
        -- The part that was written: its name is never used again.
        IF EXISTS (SELECT * FROM sys.dm_os_file_exists(@path) WHERE file_exists = 1) EXEC msdb.taffrail.remove_run_file @run
        RETURN 1
    END
    SELECT TOP (1) @set = s.backup_set_id, @path = f.physical_device_name
        FROM msdb.dbo.backupset AS s INNER JOIN msdb.dbo.backupmediafamily AS f ON f.media_set_id = s.media_set_id
        WHERE s.database_name = @database_name AND s.type = @type
            AND (f.physical_device_name = @path OR RIGHT(f.physical_device_name, LEN(@name) + 1) = N'/' + @name)
        ORDER BY s.backup_set_id DESC
    UPDATE msdb.taffrail.backup_run SET finished_utc = GETUTCDATE(), backup_set_id = @set, path = @path,
            error_message = CASE @error WHEN 3009 THEN N'3009: the backup is whole, but its history could not be written to msdb.' END
        WHERE run_id = @run
    -- One that was cut off may be whole, and what the chain before it needs: not before there is another chain.
    IF @type = 'D' EXEC msdb.taffrail.remove_cut_off_runs @database_name, 1
    IF @type = 'D' AND @keep_chains IS NOT NULL EXEC msdb.taffrail.remove_old_chains @database_name, @keep_chains
    RETURN 0
END
GO
CREATE PROCEDURE taffrail.backup_drill @database_name sysname AS
BEGIN
    -- Restores the newest chain under another name, checks it, and drops it again.
    SET NOCOUNT ON
    DECLARE @copy sysname = LEFT(@database_name, 120) + N'_drill', @run int, @full int, @last int, @set int, @path nvarchar(260),
        @type char(1), @text nvarchar(max), @drop nvarchar(300), @name sysname, @number int = 0,
        @error int = 0, @message nvarchar(2048),
        @guid uniqueidentifier = (SELECT database_guid FROM sys.database_recovery_status WHERE database_id = DB_ID(@database_name))
    SET @drop = N'DROP DATABASE IF EXISTS ' + QUOTENAME(@copy)
    INSERT msdb.taffrail.backup_run (database_name, type, started_utc, database_guid)
        VALUES (@database_name, 'R', GETUTCDATE(), @guid)
    SET @run = SCOPE_IDENTITY()
    SELECT TOP (1) @full = run_id, @set = backup_set_id, @path = path FROM msdb.taffrail.backup_run
        WHERE database_name = @database_name AND type = 'D' AND finished_utc IS NOT NULL AND error_number IS NULL
        ORDER BY run_id DESC
    SELECT TOP (1) @last = run_id FROM msdb.taffrail.backup_run
        WHERE database_name = @database_name AND type = 'I' AND run_id > @full AND finished_utc IS NOT NULL AND error_number IS NULL
        ORDER BY run_id DESC
    -- What a drill that was cut off has left is known by its files; another session may be at one, too.
    IF EXISTS (SELECT * FROM sys.master_files WHERE database_id = DB_ID(@copy)
            AND physical_name LIKE N'%/taffrail[_]drill[_]%' AND physical_name NOT LIKE N'%/taffrail[_]drill[_]%/%')
        AND NOT EXISTS (SELECT * FROM sys.dm_exec_requests WHERE session_id <> @@SPID
            AND (command LIKE N'RESTORE%' OR command LIKE N'DBCC%'))
        EXEC (@drop)
    SET @message = CASE
        WHEN @full IS NULL THEN N'There is no scheduled full backup of database ''' + @database_name + N'''.'
        WHEN @set IS NULL THEN N'msdb has no history of the newest scheduled full backup of database ''' + @database_name + N'''.'
        WHEN EXISTS (SELECT * FROM msdb.dbo.backupset AS s INNER JOIN sys.database_recovery_status AS d
            ON d.database_guid <> s.database_guid WHERE s.backup_set_id = @set AND d.database_id = DB_ID(@database_name))
            THEN N'The newest scheduled full backup of database ''' + @database_name + N''' is of another database that had its name.'
        WHEN DB_ID(@copy) IS NOT NULL THEN N'Database ''' + @copy + N''' already exists: a drill restores under this name.'
        END
    IF @message IS NOT NULL
    BEGIN
        SET @error = 50000
        RAISERROR(N'%s', 16, 1, @message)
    END
    ELSE
    BEGIN
        SET @text = N'RESTORE DATABASE ' + QUOTENAME(@copy) + N' FROM DISK = N''' + REPLACE(@path, N'''', N'''''')
            + N''' WITH CHECKSUM, NORECOVERY'
        DECLARE files CURSOR LOCAL STATIC FOR SELECT logical_name FROM msdb.dbo.backupfile WHERE backup_set_id = @set ORDER BY file_number
        OPEN files
        FETCH files INTO @name
        WHILE @@FETCH_STATUS = 0
        BEGIN
            SET @number = @number + 1
            SET @text = @text + N', MOVE N''' + REPLACE(@name, N'''', N'''''') + N''' TO N''taffrail_drill_'
                + CONVERT(nvarchar(11), @run) + N'_' + CONVERT(nvarchar(11), @number) + N''''
            FETCH files INTO @name
        END
        CLOSE files
        EXEC (@text)
        SET @error = @@ERROR
    END
    -- The differential one, and the logs since.
    DECLARE parts CURSOR LOCAL STATIC FOR SELECT type, path FROM msdb.taffrail.backup_run
        WHERE database_name = @database_name AND (run_id = @last OR type = 'L' AND run_id > ISNULL(@last, @full))
            AND finished_utc IS NOT NULL AND error_number IS NULL ORDER BY run_id
    OPEN parts
    FETCH parts INTO @type, @path
    WHILE @@FETCH_STATUS = 0 AND @error = 0
    BEGIN
        IF @type = 'I'
        BEGIN
            RESTORE DATABASE @copy FROM DISK = @path WITH CHECKSUM, NORECOVERY
            SET @error = @@ERROR
        END
        ELSE
        BEGIN
            RESTORE LOG @copy FROM DISK = @path WITH CHECKSUM, NORECOVERY
            SET @error = @@ERROR
        END
        FETCH parts INTO @type, @path
    END
    CLOSE parts
    IF @error = 0
    BEGIN
        RESTORE DATABASE @copy WITH RECOVERY
        SET @error = @@ERROR
    END
    IF @error = 0
    BEGIN TRY
        SET @text = N'DBCC CHECKDB (' + QUOTENAME(@copy) + N') WITH NO_INFOMSGS'
        EXEC (@text)
    END TRY
    BEGIN CATCH
        SELECT @error = ERROR_NUMBER(), @message = ERROR_MESSAGE()
    END CATCH
    UPDATE msdb.taffrail.backup_run SET finished_utc = GETUTCDATE(), error_number = NULLIF(@error, 0), error_message = @message
        WHERE run_id = @run
    UPDATE msdb.taffrail.backup_turn SET last_utc = GETUTCDATE(), passed = 0 WHERE database_name = @database_name AND type = 'R'
    -- Only what this drill has restored: somebody else may have made one of that name by now.
    IF EXISTS (SELECT * FROM sys.master_files WHERE database_id = DB_ID(@copy)
        AND CHARINDEX(N'taffrail_drill_' + CONVERT(nvarchar(11), @run) + N'_', physical_name) > 0)
        EXEC (@drop)
    SELECT type, started_utc, finished_utc, error_number, error_message FROM msdb.taffrail.backup_run WHERE run_id = @run
    IF EXISTS (SELECT * FROM msdb.taffrail.backup_run WHERE run_id = @run AND error_number IS NOT NULL) RETURN 1
    RETURN 0
END
GO
CREATE PROCEDURE taffrail.run_due_backups
    @full_minutes int = NULL,
    @differential_minutes int = NULL,
    @log_minutes int = NULL,
    @keep_chains int = NULL,
    @drill_minutes int = NULL,
    @directory nvarchar(180) = NULL
AS
BEGIN
    -- The parameters are the schedule of user databases that have none of their own; NULL: there is none.
    SET NOCOUNT ON
    DECLARE @first int = ISNULL((SELECT MAX(run_id) FROM msdb.taffrail.backup_run), 0)
    DECLARE @name sysname, @f int, @i int, @l int, @k int, @d int, @dir nvarchar(180), @now datetime, @full int, @set int,
        @type char(1), @count int, @broken bit, @guid uniqueidentifier, @last int
    DECLARE @ahead datetime, @begun datetime, @based datetime, @logged datetime, @drilled datetime
    -- What failed before the schedule was last changed says nothing of the one that is: that of the settings is read at the start.
    DECLARE @since datetime, @start datetime = (SELECT DATEADD(minute, DATEDIFF(minute, GETDATE(), GETUTCDATE()), sqlserver_start_time)
        FROM sys.dm_os_sys_info)
    DECLARE @told TABLE (database_name sysname, type char(1), message nvarchar(400))
    DECLARE due CURSOR LOCAL STATIC FOR
        SELECT s.database_name, s.full_minutes, s.differential_minutes, CASE d.recovery_model WHEN 3 THEN NULL ELSE s.log_minutes END,
            s.keep_chains, s.drill_minutes, s.directory
        FROM (SELECT database_name, full_minutes, differential_minutes, log_minutes, keep_chains, drill_minutes, directory
                FROM msdb.taffrail.backup_schedule WHERE is_enabled = 1
            UNION ALL
            SELECT name, @full_minutes, @differential_minutes, @log_minutes, ISNULL(@keep_chains, 2), @drill_minutes, @directory
                FROM sys.databases WHERE @full_minutes IS NOT NULL AND database_id > 4
                    AND database_id NOT IN (SELECT database_id FROM sys.master_files
                        WHERE physical_name LIKE N'%/taffrail[_]drill[_]%' AND physical_name NOT LIKE N'%/taffrail[_]drill[_]%/%')
                    AND name NOT IN (SELECT database_name FROM msdb.taffrail.backup_schedule)) AS s
            INNER JOIN sys.databases AS d ON d.name = s.database_name
        WHERE d.state = 0 ORDER BY s.database_name
    OPEN due
    FETCH due INTO @name, @f, @i, @l, @k, @d, @dir
    WHILE @@FETCH_STATUS = 0
    BEGIN
        SET @since = @start
        SELECT @since = ISNULL(changed_utc, @start) FROM msdb.taffrail.backup_schedule WHERE database_name = @name
        SET @guid = (SELECT database_guid FROM sys.database_recovery_status WHERE database_id = DB_ID(@name))
        DELETE msdb.taffrail.backup_turn WHERE database_name = @name
            AND (database_guid <> @guid OR last_utc > DATEADD(minute, 5, GETUTCDATE()))
        INSERT msdb.taffrail.backup_turn (database_name, type, database_guid, last_utc, passed)
            SELECT @name, k.type, @guid, GETUTCDATE(), 0 FROM (VALUES ('I'), ('L'), ('R')) AS k (type)
            WHERE NOT EXISTS (SELECT * FROM msdb.taffrail.backup_turn AS t WHERE t.database_name = @name AND t.type = k.type)
        -- Until nothing is due: a log backup follows a differential one, a full one follows what has failed.
        SELECT @count = 0, @type = 'D'
        WHILE @type IS NOT NULL AND @count < 4
        BEGIN
            SELECT @type = NULL, @full = NULL, @set = NULL, @begun = NULL, @now = GETUTCDATE(), @count = @count + 1
            -- A run that is later than this was noted by a clock that has been put back since: it tells nothing.
            SET @ahead = DATEADD(minute, 5, @now)
            -- Before the runs are read: up to here each set of a run has its run among them, whatever ends meanwhile.
            SET @last = (SELECT MAX(backup_set_id) FROM msdb.dbo.backupset WHERE database_name = @name)
            SELECT TOP (1) @full = run_id, @set = backup_set_id, @begun = started_utc FROM msdb.taffrail.backup_run
                WHERE database_name = @name AND type = 'D' AND finished_utc IS NOT NULL AND error_number IS NULL ORDER BY run_id DESC
            SET @based = (SELECT TOP (1) started_utc FROM msdb.taffrail.backup_run WHERE database_name = @name AND run_id >= @full
                AND type IN ('D', 'I') ORDER BY run_id DESC)
            SET @logged = (SELECT TOP (1) started_utc FROM msdb.taffrail.backup_run WHERE database_name = @name AND run_id >= @full
                AND type IN ('D', 'L') ORDER BY run_id DESC)
            -- No chain to go on with: there is none, the database is another one, this one could not be gone on with or not to its end,
            -- somebody else's full backup has come between, or has a part of its log, or a drill could not restore it. A run that msdb
            -- had no history of (3009) has its set when the backup has been restored somewhere: the file tells that it is this one's.
            SET @broken = CASE WHEN @full IS NULL
                OR EXISTS (SELECT * FROM msdb.dbo.backupset WHERE backup_set_id = @set AND database_guid <> @guid)
                OR EXISTS (SELECT * FROM msdb.taffrail.backup_run WHERE database_name = @name AND run_id > @full AND type IN ('I', 'L')
                    AND (error_number IS NOT NULL
                        OR finished_utc IS NULL AND (started_utc <= DATEADD(minute, -5, @now) OR started_utc > @ahead)))
                OR EXISTS (SELECT * FROM msdb.dbo.backupset AS b WHERE b.database_name = @name AND b.type IN ('D', 'L')
                    AND b.is_copy_only = 0 AND b.backup_set_id > @set AND b.backup_set_id <= @last
                    AND NOT EXISTS (SELECT * FROM msdb.taffrail.backup_run AS r WHERE r.database_name = @name AND r.type = b.type
                        AND (r.backup_set_id = b.backup_set_id
                            OR r.finished_utc IS NULL AND r.started_utc > DATEADD(minute, -5, @now) AND r.started_utc <= @ahead
                            OR r.backup_set_id IS NULL AND r.finished_utc IS NOT NULL AND r.error_number IS NULL
                                AND EXISTS (SELECT * FROM msdb.dbo.backupmediafamily AS f WHERE f.media_set_id = b.media_set_id
                                    AND RIGHT(N'/' + f.physical_device_name, CHARINDEX(N'/', REVERSE(N'/' + r.path)))
                                        = RIGHT(N'/' + r.path, CHARINDEX(N'/', REVERSE(N'/' + r.path)))))))
                -- 50000: it has not come to that.
                OR (SELECT TOP (1) error_number FROM msdb.taffrail.backup_run WHERE database_name = @name AND type = 'R'
                    AND run_id > @full AND finished_utc IS NOT NULL ORDER BY run_id DESC) <> 50000
                THEN 1 ELSE 0 END
            -- What has failed is tried again after five minutes; a chain that can be gone on with goes on meanwhile. A clock that was put
            -- back says nothing of what came first.
            IF (@broken = 1 OR DATEADD(minute, @f, @begun) <= @now OR @begun > @ahead)
                AND NOT EXISTS (SELECT * FROM msdb.taffrail.backup_run WHERE database_name = @name AND type = 'D'
                    AND (error_number IS NOT NULL AND (started_utc >= @since OR @since > @now) OR finished_utc IS NULL)
                    AND started_utc > DATEADD(minute, -5, @now) AND started_utc <= @now AND run_id > ISNULL(@full, 0))
                SET @type = 'D'
            -- The others come so long after the last one that has what they would have; and where full backups come as fast or faster, so
            -- long after the last one of their own.
            ELSE IF @broken = 0 AND (DATEADD(minute, @i, @based) <= @now OR @i IS NOT NULL AND @based > @ahead
                OR EXISTS (SELECT * FROM msdb.taffrail.backup_turn WHERE database_name = @name AND type = 'I' AND passed > 1
                    AND @i >= @f AND DATEADD(minute, @i, last_utc) <= @now))
                SELECT @type = 'I', @begun = @based
            ELSE IF @broken = 0 AND (DATEADD(minute, @l, @logged) <= @now OR @l IS NOT NULL AND @logged > @ahead
                OR EXISTS (SELECT * FROM msdb.taffrail.backup_turn WHERE database_name = @name AND type = 'L' AND passed > 1
                    AND @l >= @f AND DATEADD(minute, @l, last_utc) <= @now))
                SELECT @type = 'L', @begun = @logged
            -- One that has just been cut off may still be at it.
            IF @type <> 'D' AND EXISTS (SELECT * FROM msdb.taffrail.backup_run WHERE database_name = @name AND type = @type
                AND finished_utc IS NULL AND started_utc > DATEADD(minute, -5, @now) AND started_utc <= @now AND run_id > @full)
                SET @type = NULL
            IF @type IS NOT NULL
            BEGIN
                IF @begun > @ahead INSERT @told VALUES (@name, @type, CONVERT(nvarchar(30), @begun, 120))
                EXEC msdb.taffrail.run_backup @name, @type, @dir, @k
                UPDATE msdb.taffrail.backup_turn SET passed = passed + 1 WHERE database_name = @name AND type <> 'R' AND @type = 'D'
                UPDATE msdb.taffrail.backup_turn SET last_utc = @now, passed = 0 WHERE database_name = @name AND type = @type
                -- What has been said before this row is of this run.
                SELECT MAX(run_id) AS run_id FROM msdb.taffrail.backup_run WHERE database_name = @name AND type = @type
            END
        END
        -- One that was cut off does not count, but is not made again at once.
        SELECT @now = GETUTCDATE(), @ahead = DATEADD(minute, 5, GETUTCDATE()), @drilled = ISNULL(
            (SELECT TOP (1) started_utc FROM msdb.taffrail.backup_run WHERE database_name = @name AND type = 'R'
                AND finished_utc IS NOT NULL ORDER BY run_id DESC),
            -- The rows of its chain may be gone.
            (SELECT last_utc FROM msdb.taffrail.backup_turn WHERE database_name = @name AND type = 'R'))
        IF EXISTS (SELECT * FROM msdb.taffrail.backup_run WHERE database_name = @name AND type = 'D'
                AND finished_utc IS NOT NULL AND error_number IS NULL)
            AND (DATEADD(minute, @d, @drilled) <= @now OR @d IS NOT NULL AND @drilled > @ahead)
            AND NOT EXISTS (SELECT * FROM msdb.taffrail.backup_run WHERE database_name = @name AND type = 'R' AND finished_utc IS NULL
                AND started_utc > DATEADD(minute, -5, @now) AND started_utc <= @now)
        BEGIN
            IF @drilled > @ahead INSERT @told VALUES (@name, 'R', CONVERT(nvarchar(30), @drilled, 120))
            EXEC msdb.taffrail.backup_drill @name
            SELECT MAX(run_id) AS run_id FROM msdb.taffrail.backup_run WHERE database_name = @name AND type = 'R'
        END
        FETCH due INTO @name, @f, @i, @l, @k, @d, @dir
    END
    CLOSE due
    -- What has failed in this round, what was due by a clock that was wrong, and how old the newest of each kind is.
    SELECT r.database_name, r.type, CONVERT(bigint, NULL) AS age, r.error_number, r.error_message, r.run_id
        FROM msdb.taffrail.backup_run AS r
        WHERE r.run_id > @first AND r.error_number IS NOT NULL
    UNION ALL
    SELECT database_name, type, NULL, NULL, message, NULL FROM @told
    UNION ALL
    SELECT database_name, type, CONVERT(bigint, DATEDIFF(second, MAX(started_utc), GETUTCDATE())), NULL, NULL, NULL
        FROM msdb.taffrail.backup_run
        WHERE error_number IS NULL AND finished_utc IS NOT NULL AND started_utc <= DATEADD(minute, 5, GETUTCDATE())
        GROUP BY database_name, type
END
