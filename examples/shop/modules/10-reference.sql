-- Settings, the business day, document numbers, currencies, taxes, and the log of errors.
USE Shop;
GO
CREATE FUNCTION ref.SettingValue (@SettingName sysname)
RETURNS sql_variant
AS
BEGIN
    RETURN (SELECT SettingValue FROM ref.Setting WHERE SettingName = @SettingName);
END;
GO
CREATE FUNCTION ref.CurrentDay ()
RETURNS date
AS
BEGIN
    RETURN (SELECT BusinessDate FROM ref.BusinessDay WHERE State = 'O');
END;
GO
CREATE FUNCTION ref.IsWorkingDay (@Day date)
RETURNS bit
WITH SCHEMABINDING
AS
BEGIN
    -- Independent of SET DATEFIRST: day 0 of the calendar, 1900-01-01, was a Monday.
    RETURN CASE WHEN DATEDIFF(DAY, '19000101', @Day) % 7 < 5 THEN 1 ELSE 0 END;
END;
GO
CREATE FUNCTION ref.AddWorkingDays (@Day date, @Days int)
RETURNS date
AS
BEGIN
    DECLARE @Left int = @Days;
    WHILE @Left > 0
    BEGIN
        SET @Day = DATEADD(DAY, 1, @Day);
        IF ref.IsWorkingDay(@Day) = 0
            CONTINUE;
        SET @Left -= 1;
    END;
    RETURN @Day;
END;
GO
CREATE FUNCTION ref.Calendar (@FirstDay date, @LastDay date)
RETURNS TABLE
AS
RETURN
    WITH Digits AS (SELECT d FROM (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) AS v (d)),
    Numbers AS
    (
        SELECT h.d * 100 + t.d * 10 + o.d AS n
        FROM Digits AS h CROSS JOIN Digits AS t CROSS JOIN Digits AS o
    )
    SELECT
        DATEADD(DAY, n, @FirstDay) AS CalendarDay,
        DATENAME(MONTH, DATEADD(DAY, n, @FirstDay)) AS MonthName,
        EOMONTH(DATEADD(DAY, n, @FirstDay)) AS MonthEnd,
        ref.IsWorkingDay(DATEADD(DAY, n, @FirstDay)) AS WorkingDay
    FROM Numbers
    WHERE n <= DATEDIFF(DAY, @FirstDay, @LastDay);
GO
CREATE FUNCTION ref.TaxRateOn (@TaxCode char(3), @Day date)
RETURNS decimal(7, 4)
AS
BEGIN
    RETURN
    (
        SELECT TOP (1) Rate
        FROM ref.TaxRate
        WHERE TaxCode = @TaxCode AND ValidFrom <= @Day
        ORDER BY ValidFrom DESC
    );
END;
GO
CREATE FUNCTION ref.ConvertAmount (@Amount decimal(19, 2), @FromCurrency char(3), @ToCurrency char(3), @Day date)
RETURNS decimal(19, 2)
AS
BEGIN
    IF @FromCurrency = @ToCurrency
        RETURN @Amount;
    -- Rates say how many units of a currency are one euro.
    DECLARE @FromRate decimal(18, 8) = 1, @ToRate decimal(18, 8) = 1;
    IF @FromCurrency <> 'EUR'
        SET @FromRate = (SELECT TOP (1) Rate FROM ref.ExchangeRate
                         WHERE CurrencyCode = @FromCurrency AND ValidFrom <= @Day ORDER BY ValidFrom DESC);
    IF @ToCurrency <> 'EUR'
        SET @ToRate = (SELECT TOP (1) Rate FROM ref.ExchangeRate
                       WHERE CurrencyCode = @ToCurrency AND ValidFrom <= @Day ORDER BY ValidFrom DESC);
    RETURN ROUND(@Amount / @FromRate * @ToRate, 2);
END;
GO
CREATE FUNCTION ref.LocalTime (@Utc datetime2(3), @BranchId int)
RETURNS datetimeoffset(3)
AS
BEGIN
    DECLARE @Zone sysname = (SELECT TimeZoneName FROM ref.Branch WHERE BranchId = @BranchId);
    RETURN @Utc AT TIME ZONE 'UTC' AT TIME ZONE @Zone;
END;
GO
-- Writes down the error of the CATCH block from which it is called.
CREATE PROCEDURE audit.LogError
    @Context nvarchar(max) = NULL
AS
BEGIN
    SET NOCOUNT ON;
    IF ERROR_NUMBER() IS NULL
        RETURN 1;
    IF XACT_STATE() = -1
        RETURN 2;   -- nothing can be written before the caller has rolled back
    INSERT audit.ErrorLog (ErrorNumber, Severity, State, ProcedureName, LineNumber, Message, Context)
    VALUES (ERROR_NUMBER(), ERROR_SEVERITY(), ERROR_STATE(), ERROR_PROCEDURE(), ERROR_LINE(), ERROR_MESSAGE(), @Context);
    RETURN 0;
END;
GO
CREATE PROCEDURE audit.StartRun
    @ProcessName sysname,
    @RunId       int OUTPUT
AS
BEGIN
    SET NOCOUNT ON;
    INSERT audit.ProcessRun (ProcessName, BusinessDate) VALUES (@ProcessName, ref.CurrentDay());
    SET @RunId = SCOPE_IDENTITY();
END;
GO
CREATE PROCEDURE audit.FinishRun
    @RunId      int,
    @RowsDone   int,
    @RowsFailed int = 0
AS
BEGIN
    SET NOCOUNT ON;
    UPDATE audit.ProcessRun
    SET FinishedAt = SYSUTCDATETIME(), RowsDone = @RowsDone, RowsFailed = @RowsFailed
    WHERE RunId = @RunId AND FinishedAt IS NULL;
    IF @@ROWCOUNT = 0
        THROW 51001, N'The run is not there, or it has ended before.', 1;
END;
GO
-- Deletes old changes in small transactions, so that neither the log nor the locks grow.
CREATE PROCEDURE audit.PurgeChangeLog
    @OlderThan datetime2(3),
    @BatchSize int = 500,
    @Deleted   int OUTPUT
AS
BEGIN
    SET NOCOUNT ON;
    SET @Deleted = 0;
    DECLARE @Rows int = 1;
    WHILE @Rows > 0
    BEGIN
        DELETE TOP (@BatchSize) FROM audit.ChangeLog WHERE ChangedAt < @OlderThan;
        SET @Rows = @@ROWCOUNT;
        SET @Deleted += @Rows;
    END;
END;
GO
CREATE PROCEDURE ref.SetSetting
    @SettingName  sysname,
    @SettingValue sql_variant
AS
BEGIN
    SET NOCOUNT ON;
    UPDATE ref.Setting WITH (UPDLOCK, SERIALIZABLE)
    SET SettingValue = @SettingValue, ChangedAt = SYSUTCDATETIME(), ChangedBy = SUSER_SNAME()
    WHERE SettingName = @SettingName;
    IF @@ROWCOUNT = 0
        INSERT ref.Setting (SettingName, SettingValue) VALUES (@SettingName, @SettingValue);
END;
GO
CREATE TRIGGER ref.Setting_Audit ON ref.Setting
AFTER INSERT, UPDATE, DELETE
AS
BEGIN
    SET NOCOUNT ON;
    INSERT audit.ChangeLog (TableName, KeyValue, Action, Before, After)
    SELECT
        N'ref.Setting',
        COALESCE(i.SettingName, d.SettingName),
        CASE WHEN d.SettingName IS NULL THEN 'I' WHEN i.SettingName IS NULL THEN 'D' ELSE 'U' END,
        CASE WHEN d.SettingName IS NOT NULL THEN JSON_OBJECT('value': CONVERT(nvarchar(200), d.SettingValue)) END,
        CASE WHEN i.SettingName IS NOT NULL THEN JSON_OBJECT('value': CONVERT(nvarchar(200), i.SettingValue)) END
    FROM inserted AS i
    FULL OUTER JOIN deleted AS d ON d.SettingName = i.SettingName;
END;
GO
-- The next number of a range. It waits for whoever has taken one and not yet committed: no number is lost.
CREATE PROCEDURE ref.NextDocumentNumber
    @RangeName  varchar(30),
    @FiscalYear smallint,
    @Number     int OUTPUT
AS
BEGIN
    SET NOCOUNT ON;
    UPDATE ref.NumberRange
    SET @Number = LastNumber += 1
    WHERE RangeName = @RangeName AND FiscalYear = @FiscalYear;
    IF @@ROWCOUNT = 1
        RETURN;
    BEGIN TRY
        SET @Number = 1;
        INSERT ref.NumberRange (RangeName, FiscalYear, LastNumber) VALUES (@RangeName, @FiscalYear, 1);
    END TRY
    BEGIN CATCH
        -- Somebody else has begun the year at the same moment.
        IF ERROR_NUMBER() <> 2627 OR XACT_STATE() = -1
            THROW;
        UPDATE ref.NumberRange
        SET @Number = LastNumber += 1
        WHERE RangeName = @RangeName AND FiscalYear = @FiscalYear;
    END CATCH;
END;
GO
CREATE PROCEDURE ref.OpenBusinessDay
    @BusinessDate date
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    IF EXISTS (SELECT * FROM ref.BusinessDay WHERE BusinessDate >= @BusinessDate AND State = 'C')
        THROW 51002, N'A day at or after this one has been closed.', 1;
    DECLARE @Open date = ref.CurrentDay();
    IF @Open = @BusinessDate
        RETURN 0;   -- it goes on where it was interrupted
    IF @Open IS NOT NULL
    BEGIN
        DECLARE @Message nvarchar(200) = FORMATMESSAGE(N'The day %s is still open.', CONVERT(nvarchar(10), @Open, 23));
        THROW 51003, @Message, 1;
    END;
    INSERT ref.BusinessDay (BusinessDate) VALUES (@BusinessDate);
END;
GO
-- Whoever closes a day must have posted everything that it left behind.
CREATE PROCEDURE ref.CloseBusinessDay
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    DECLARE @Day date = ref.CurrentDay();
    IF @Day IS NULL
        THROW 51004, N'No day is open.', 1;
    IF EXISTS (SELECT * FROM accounting.JournalEntry WHERE EntryNumber IS NULL AND EntryDate <= @Day)
        THROW 51005, N'There are entries that have not been posted.', 1;
    IF EXISTS (SELECT * FROM stock.PickTask WHERE State = 'C')
        THROW 51006, N'A picker has not finished.', 1;
    UPDATE ref.BusinessDay
    SET State = 'C', ClosedAt = SYSUTCDATETIME()
    WHERE BusinessDate = @Day;
END;
GO
CREATE VIEW audit.RecentErrors
AS
    SELECT TOP (100) PERCENT
        ErrorId, LoggedAt, ErrorNumber, ProcedureName, LineNumber, Message,
        COUNT(*) OVER (PARTITION BY ErrorNumber, ProcedureName) AS SameErrors,
        DATEDIFF(SECOND, LAG(LoggedAt) OVER (ORDER BY ErrorId), LoggedAt) AS SecondsSinceLast
    FROM audit.ErrorLog;
GO
CREATE VIEW audit.ProcessStatistics
AS
    SELECT
        ProcessName,
        COUNT(*) AS Runs,
        SUM(RowsDone) AS RowsDone,
        SUM(RowsFailed) AS RowsFailed,
        AVG(1.0 * Milliseconds) AS AverageMilliseconds,
        MAX(Milliseconds) AS LongestMilliseconds,
        SUM(CASE WHEN FinishedAt IS NULL THEN 1 ELSE 0 END) AS Unfinished
    FROM audit.ProcessRun
    GROUP BY ProcessName;
GO
-- What changed of a column of a logged row, read back out of the JSON of the log.
CREATE FUNCTION audit.ColumnHistory (@TableName nvarchar(261), @KeyValue nvarchar(100))
RETURNS TABLE
AS
RETURN
    SELECT
        c.ChangeId, c.ChangedAt, c.ChangedBy,
        COALESCE(b.[key], a.[key]) AS ColumnName,
        b.[value] AS ValueBefore,
        a.[value] AS ValueAfter
    FROM audit.ChangeLog AS c
    OUTER APPLY OPENJSON(c.Before) AS b
    OUTER APPLY (SELECT * FROM OPENJSON(c.After) AS x WHERE x.[key] = b.[key] OR b.[key] IS NULL) AS a
    WHERE c.TableName = @TableName AND c.KeyValue = @KeyValue
        AND (b.[value] <> a.[value] OR b.[value] IS NULL OR a.[value] IS NULL);
GO
