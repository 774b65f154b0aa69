-- AT TIME ZONE, sys.time_zone_info and the server's own time zone.
--@ source: documentation AT TIME ZONE
SELECT CONVERT(DATETIME2(0), '2022-03-27T01:01:00', 126) AT TIME ZONE 'Central European Standard Time' AS before_gap, CONVERT(DATETIME2(0), '2022-03-27T02:01:00', 126) AT TIME ZONE 'Central European Standard Time' AS in_gap, CONVERT(DATETIME2(0), '2022-03-27T03:01:00', 126) AT TIME ZONE 'Central European Standard Time' AS after_gap
SELECT CONVERT(DATETIME2(0), '2022-10-30T01:01:00', 126) AT TIME ZONE 'Central European Standard Time' AS before_overlap, CONVERT(DATETIME2(0), '2022-10-30T02:00:00', 126) AT TIME ZONE 'Central European Standard Time' AS in_overlap, CONVERT(DATETIME2(0), '2022-10-30T03:01:00', 126) AT TIME ZONE 'Central European Standard Time' AS after_overlap
DECLARE @zone nvarchar(128) = N'Central European Standard Time', @at datetime = '2011-06-01 10:00'
SELECT @at AT TIME ZONE 'Pacific Standard Time' AS pacific, @at AT TIME ZONE 'Pacific Standard Time' AT TIME ZONE @zone AS central_european
GO
--@ source: reasoned
DECLARE @none nvarchar(10), @never datetime2
SELECT CAST('2024-01-01' AS smalldatetime) AT TIME ZONE 'utc' AS s, CAST('2024-01-01 00:00:00.007' AS datetime) AT TIME ZONE 'UTC' AS d, CAST('2024-01-01' AS datetime2(1)) AT TIME ZONE 'India Standard Time' AS d1, CAST('2024-07-01 12:00 +05:30' AS datetimeoffset(0)) AT TIME ZONE 'Eastern Standard Time' AS o
SELECT @never AT TIME ZONE 'UTC' AS no_time, CAST('2024-01-01' AS datetime2) AT TIME ZONE @none AS no_zone, CAST('1900-01-01' AS datetime) AT TIME ZONE 'W. Europe Standard Time' AS early, CAST('9999-12-31 23:59:59' AS datetime2(0)) AT TIME ZONE 'UTC' AS late
SELECT DATEPART(TZOFFSET, CAST('2024-07-01' AS datetime2) AT TIME ZONE 'Newfoundland Standard Time') AS minutes, CONVERT(varchar(20), CAST('2024-07-01' AS datetime2(0)) AT TIME ZONE 'GMT Standard Time' AT TIME ZONE 'UTC', 120) AS text
EXEC sp_describe_first_result_set N'SELECT CAST(''2024-01-01'' AS datetime) AT TIME ZONE ''UTC'' AS d, CAST(''2024-01-01'' AS datetime2(4)) AT TIME ZONE ''UTC'' AS d4'
CREATE TABLE dbo.t (zone sysname, at datetime2(0))
INSERT dbo.t (zone, at) VALUES (N'Tokyo Standard Time', '2024-07-01'), (N'Chatham Islands Standard Time', '2024-07-01')
SELECT zone, at AT TIME ZONE zone AS there, at AT TIME ZONE zone AT TIME ZONE 'UTC' AS utc FROM dbo.t ORDER BY there
UPDATE dbo.t SET at = at AT TIME ZONE zone AT TIME ZONE 'UTC'
SELECT zone, at FROM dbo.t ORDER BY at
DROP TABLE dbo.t
GO
--@ source: documentation sys.time_zone_info
SELECT COUNT(*) AS zones, MIN(LEN(current_utc_offset)) AS shortest, MAX(LEN(current_utc_offset)) AS longest FROM sys.time_zone_info
SELECT name, current_utc_offset, is_currently_dst FROM sys.time_zone_info WHERE name IN (N'UTC', N'Tokyo Standard Time', N'Nepal Standard Time', N'Hawaiian Standard Time') ORDER BY name
SELECT name FROM sys.time_zone_info AS z WHERE current_utc_offset <> LEFT(RIGHT(CONVERT(varchar(40), SYSUTCDATETIME() AT TIME ZONE 'UTC' AT TIME ZONE z.name), 6), 6)
GO
--@ source: documentation CURRENT_TIMEZONE
SELECT CURRENT_TIMEZONE() AS zone, CURRENT_TIMEZONE_ID() AS id
GO
--@ source: message 9820
SELECT CAST('2024-01-01' AS datetime2) AT TIME ZONE 'Europe/Berlin'
GO
--@ source: message 8116
SELECT CAST('2024-01-01' AS date) AT TIME ZONE 'UTC'
GO
--@ source: message 8116
SELECT '2024-01-01' AT TIME ZONE 'UTC'
GO
--@ source: message 8116
SELECT GETDATE() AT TIME ZONE 1
GO
--@ source: message 9813
SELECT CAST('9999-12-31 23:00' AS datetime2) AT TIME ZONE 'Pacific Standard Time'
GO
--@ source: message 40510
CREATE TABLE dbo.t (at datetime2(0), there AS at AT TIME ZONE 'UTC')
GO
