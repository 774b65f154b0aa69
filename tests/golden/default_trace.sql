-- The default trace.
--@ source: documentation sys.traces
SELECT id, status, CASE WHEN path LIKE '%/log/log[_]%.trc' THEN 'DIR/log/log_n.trc' ELSE path END AS path, max_size, stop_time, max_files, is_rowset, is_rollover, is_shutdown,
    is_default, buffer_count, buffer_size, CASE WHEN file_position > 0 THEN 1 END AS position, reader_spid, CASE WHEN start_time <= last_event_time THEN 1 END AS times,
    CASE WHEN event_count > 0 THEN 1 END AS events, dropped_event_count FROM sys.traces
SELECT name, minimum, maximum, value, value_in_use, is_dynamic, is_advanced FROM sys.configurations WHERE configuration_id = 1568
GO
--@ source: documentation sys.fn_trace_getinfo
SELECT traceid, property, CASE property WHEN 2 THEN RIGHT(CONVERT(nvarchar(260), value), 4) ELSE CONVERT(nvarchar(260), value) END AS value FROM sys.fn_trace_getinfo(DEFAULT)
SELECT COUNT(*) AS of_one FROM ::fn_trace_getinfo(1)
SELECT COUNT(*) AS of_none FROM sys.fn_trace_getinfo(7)
SELECT COUNT(*) AS filters FROM sys.fn_trace_getfilterinfo(1)
GO
--@ source: documentation sys.trace_events
SELECT e.trace_event_id, e.name, c.name AS category, c.type FROM sys.trace_events e JOIN sys.trace_categories c ON c.category_id = e.category_id
    WHERE e.trace_event_id IN (22, 46, 93, 116, 164) ORDER BY 1
SELECT trace_column_id, name, type_name, max_size, is_filterable FROM sys.trace_columns WHERE trace_column_id IN (1, 2, 13, 14, 36, 54) ORDER BY 1
SELECT subclass_value, subclass_name FROM sys.trace_subclass_values WHERE trace_event_id = 115 AND trace_column_id = 21 ORDER BY 1
SELECT COUNT(*) AS events FROM sys.trace_events
SELECT c.name FROM sys.trace_event_bindings b JOIN sys.trace_columns c ON c.trace_column_id = b.trace_column_id WHERE b.trace_event_id = 93 ORDER BY c.trace_column_id
GO
--@ source: documentation sys.fn_trace_geteventinfo
SELECT DISTINCT e.trace_event_id, e.name FROM sys.fn_trace_geteventinfo(1) i JOIN sys.trace_events e ON e.trace_event_id = i.eventid ORDER BY 1
GO
--@ source: reasoned
CREATE DATABASE traced ON (NAME = traced, FILENAME = 'traced.mdf', SIZE = 8MB, FILEGROWTH = 1MB) LOG ON (NAME = traced_log, FILENAME = 'traced_log.ldf', SIZE = 2MB, FILEGROWTH = 1MB)
ALTER DATABASE traced SET RECOVERY FULL
GO
--@ source: reasoned
USE traced
CREATE TABLE dbo.t (i int NOT NULL CONSTRAINT pk_t PRIMARY KEY, pad char(4000) NOT NULL)
GO
--@ source: documentation Object:Created Event Class
BEGIN TRANSACTION
CREATE TABLE dbo.gone (i int)
ROLLBACK
CREATE INDEX i_pad ON dbo.t (i) INCLUDE (pad)
DROP INDEX i_pad ON dbo.t
EXEC ('CREATE VIEW dbo.v AS SELECT i FROM dbo.t')
EXEC ('ALTER VIEW dbo.v AS SELECT i AS j FROM dbo.t')
EXEC ('CREATE PROCEDURE dbo.p AS RETURN')
DROP PROCEDURE dbo.p
GO
--@ source: documentation Object:Created Event Class
DECLARE @path nvarchar(260)
SELECT @path = REVERSE(SUBSTRING(REVERSE(path), CHARINDEX('\', REVERSE(path)), 260)) + 'log.trc' FROM sys.traces WHERE is_default = 1
SELECT e.name, v.subclass_name, t.ObjectName, t.ObjectType, t.IndexID, t.LoginName, t.SessionLoginName, t.IsSystem FROM sys.fn_trace_gettable(@path, DEFAULT) t
    JOIN sys.trace_events e ON e.trace_event_id = t.EventClass
    LEFT JOIN sys.trace_subclass_values v ON v.trace_event_id = t.EventClass AND v.trace_column_id = 21 AND v.subclass_value = t.EventSubClass
    WHERE t.EventClass IN (46, 47, 164) AND t.DatabaseName = 'traced' ORDER BY t.EventSequence
GO
--@ source: reasoned
SET NOCOUNT ON
DECLARE @i int = 0
BEGIN TRANSACTION
WHILE @i < 3000 BEGIN INSERT dbo.t VALUES (@i, 'x') SET @i += 1 END
COMMIT
GO
--@ source: documentation Log File Auto Grow Event Class
-- Growths, as scripts ask for them.
DECLARE @path nvarchar(260)
SELECT @path = REVERSE(SUBSTRING(REVERSE([path]), CHARINDEX(CHAR(92), REVERSE([path])), 260)) + N'log.trc' FROM sys.traces WHERE is_default = 1
SELECT DatabaseName, [FileName], CASE EventClass WHEN 92 THEN 'Data' WHEN 93 THEN 'Log' END AS grew, CASE WHEN COUNT(*) > 2 THEN 'several' END AS times,
    MIN(IntegerData) * 8 / 1024 AS least_mb, CASE WHEN MIN(Duration) >= 0 AND MAX(Duration) < 60000000 THEN 1 END AS duration,
    CASE WHEN MIN(StartTime) > DATEADD(minute, -10, GETDATE()) AND MIN(DATEDIFF(ms, StartTime, EndTime)) >= 0 THEN 1 END AS now, MAX(CASE WHEN SPID = @@SPID AND LoginName = 'sa' AND IsSystem IS NULL THEN 1 ELSE 0 END) AS mine
    FROM sys.fn_trace_gettable(@path, DEFAULT) WHERE EventClass IN (92, 93) AND DatabaseName = 'traced' GROUP BY DatabaseName, [FileName], EventClass ORDER BY EventClass
GO
--@ source: documentation sys.fn_trace_gettable
-- The other ways to come to the file's name.
DECLARE @c varchar(500), @x int, @base varchar(500)
SELECT @c = path FROM sys.traces WHERE is_default = 1
SELECT @x = PATINDEX('%\%', REVERSE(@c))
SET @base = LEFT(@c, LEN(@c) - @x) + '\log.trc'
SELECT CASE WHEN COUNT(*) > 0 THEN 1 END AS by_backslash FROM sys.fn_trace_gettable(@base, DEFAULT)
SELECT @x = PATINDEX('%/%', REVERSE(@c))
SET @base = LEFT(@c, LEN(@c) - @x) + '/log.trc'
SELECT CASE WHEN COUNT(*) > 0 THEN 1 END AS by_slash FROM sys.fn_trace_gettable(@base, DEFAULT)
SELECT CASE WHEN COUNT(*) > 0 THEN 1 END AS by_number FROM ::fn_trace_gettable(CONVERT(varchar(150), (SELECT TOP 1 f.value FROM sys.fn_trace_getinfo(NULL) f WHERE f.property = 2)), DEFAULT) t
    JOIN sys.trace_events e ON t.EventClass = e.trace_event_id
SELECT @base = LEFT(@c, LEN(@c) - CHARINDEX('_', REVERSE(@c))) + '.trc'
SELECT CASE WHEN COUNT(*) > 0 THEN 1 END AS without_number FROM fn_trace_gettable(@base, 1)
SELECT CASE WHEN COUNT(*) > 0 THEN 1 END AS of_windows FROM sys.fn_trace_gettable('C:\Program Files\Microsoft SQL Server\MSSQL16.MSSQLSERVER\MSSQL\Log\Log.trc', -1)
GO
--@ source: documentation Audit Backup/Restore Event Class
--@ mask 4035, 3014
BACKUP DATABASE traced TO DISK = 'traced.bak' WITH INIT
BACKUP LOG traced TO DISK = 'traced.trn' WITH INIT
DBCC CHECKALLOC WITH NO_INFOMSGS
BEGIN TRY DBCC CHECKTABLE ('dbo.no_such') END TRY BEGIN CATCH END CATCH
RAISERROR ('said to the log', 16, 1) WITH LOG
GO
--@ source: reasoned
SELECT t.EventClass, t.EventSubClass, CONVERT(nvarchar(100), t.TextData) AS text, t.Success, t.DatabaseName FROM sys.fn_trace_gettable('log.trc', DEFAULT) t
    WHERE t.EventClass IN (115, 116) AND t.DatabaseName = 'traced' ORDER BY t.EventSequence
GO
--@ source: documentation ErrorLog Event Class
-- It is there when the error log has been written.
WAITFOR DELAY '00:00:01.5'
SELECT t.Severity, t.Error, t.State, CASE WHEN t.TextData LIKE '20%Error: 50000, Severity: 16, State: 1.%said to the log' THEN 1 END AS text FROM sys.fn_trace_gettable('log.trc', DEFAULT) t
    WHERE t.EventClass = 22 AND t.TextData LIKE '%said to the log%'
SELECT CASE WHEN MAX(t.EventSubClass) = 2 THEN 'started' END AS server FROM sys.fn_trace_gettable('log.trc', DEFAULT) t WHERE t.EventClass = 18
SELECT CASE WHEN COUNT(*) > 0 THEN 1 END AS begun FROM sys.fn_trace_gettable('log.trc', DEFAULT) WHERE EventClass BETWEEN 65500 AND 65600
GO
--@ source: message 19049
SELECT * FROM sys.fn_trace_gettable('no_such.trc', DEFAULT)
GO
--@ source: message 567
SELECT * FROM sys.fn_trace_gettable('errorlog', DEFAULT)
GO
--@ source: documentation default trace enabled Server Configuration Option
-- Off, and on again.
EXEC sp_configure 'show advanced options', 1
RECONFIGURE
EXEC sp_configure 'default trace enabled', 0
RECONFIGURE
SELECT COUNT(*) AS traces FROM sys.traces
CREATE TABLE dbo.unseen (i int)
EXEC sp_configure 'default trace enabled', 1
RECONFIGURE
SELECT COUNT(*) AS traces FROM sys.traces WHERE is_default = 1 AND status = 1
SELECT COUNT(*) AS unseen FROM sys.fn_trace_gettable('log.trc', DEFAULT) WHERE ObjectName = 'unseen'
EXEC sp_configure 'show advanced options', 0
RECONFIGURE
GO
--@ source: reasoned
USE master
DROP DATABASE traced
SELECT t.EventClass, t.EventSubClass, t.ObjectName, t.ObjectType FROM sys.fn_trace_gettable('log.trc', DEFAULT) t WHERE t.ObjectType = 16964 AND t.ObjectName = 'traced' ORDER BY t.EventSequence
GO
