-- The ledger: entries that balance, periods that close, and what is read out of them.
USE Shop;
GO
CREATE FUNCTION accounting.PeriodOf (@Day date)
RETURNS int
AS
BEGIN
    RETURN (SELECT PeriodId FROM accounting.Period WHERE @Day BETWEEN FirstDay AND LastDay AND Number <= 12);
END;
GO
-- Assets and expenses grow in debit, everything else in credit: a balance as people read it.
CREATE FUNCTION accounting.NaturalBalance (@AccountKind char(1), @Amount decimal(19, 2))
RETURNS decimal(19, 2)
WITH SCHEMABINDING
AS
BEGIN
    RETURN CASE WHEN @AccountKind IN ('A', 'X') THEN @Amount ELSE -@Amount END;
END;
GO
-- All that is wrong with an entry, a row each; none when it may be posted.
CREATE FUNCTION accounting.EntryProblems (@EntryId int)
RETURNS @Problems TABLE (Number int NOT NULL, Problem nvarchar(200) NOT NULL)
AS
BEGIN
    DECLARE @Debit decimal(19, 2), @Credit decimal(19, 2), @Lines int;
    SELECT @Debit = SUM(Debit), @Credit = SUM(Credit), @Lines = COUNT(*) FROM accounting.JournalLine WHERE EntryId = @EntryId;
    IF @Lines < 2
        INSERT @Problems VALUES (51403, N'An entry has two lines at least.');
    IF @Debit <> @Credit
        INSERT @Problems VALUES (51404, CONCAT(N'Debit ', @Debit, N' is not credit ', @Credit, N'.'));
    -- The period stays as it is until the entry is there: whoever closes it waits.
    INSERT @Problems
    SELECT 51405, CONCAT(N'Period ', p.PeriodId, N' is closed.')
    FROM accounting.JournalEntry AS e
    JOIN accounting.Period AS p WITH (REPEATABLEREAD) ON p.PeriodId = e.PeriodId
    WHERE e.EntryId = @EntryId AND p.State = 'C';
    INSERT @Problems
    SELECT 51406, CONCAT(N'Account ', a.AccountCode, N' takes no entries.')
    FROM accounting.JournalLine AS l
    JOIN accounting.Account AS a ON a.AccountId = l.AccountId
    WHERE l.EntryId = @EntryId AND a.Postable = 0;
    RETURN;
END;
GO
CREATE TRIGGER accounting.JournalEntry_Posted ON accounting.JournalEntry
AFTER UPDATE, DELETE
AS
BEGIN
    IF NOT EXISTS (SELECT * FROM deleted)
        RETURN;
    SET NOCOUNT ON;
    IF EXISTS (SELECT * FROM deleted WHERE EntryNumber IS NOT NULL)
        THROW 51407, N'A posted entry stays as it is: it is reversed by another.', 1;
    IF NOT UPDATE(EntryNumber)
        RETURN;
    DECLARE @Problem nvarchar(2048) =
    (
        SELECT TOP (1) CONCAT(N'Entry ', i.EntryId, N': ', p.Problem)
        FROM inserted AS i
        CROSS APPLY accounting.EntryProblems(i.EntryId) AS p
        WHERE i.EntryNumber IS NOT NULL
        ORDER BY i.EntryId, p.Number
    );
    IF @Problem IS NOT NULL
        THROW 51408, @Problem, 1;
    MERGE accounting.AccountBalance WITH (HOLDLOCK) AS t
    USING
    (
        SELECT i.PeriodId, l.AccountId, SUM(l.Debit) AS Debit, SUM(l.Credit) AS Credit
        FROM inserted AS i
        JOIN accounting.JournalLine AS l ON l.EntryId = i.EntryId
        WHERE i.EntryNumber IS NOT NULL
        GROUP BY i.PeriodId, l.AccountId
    ) AS s
    ON t.PeriodId = s.PeriodId AND t.AccountId = s.AccountId
    WHEN MATCHED THEN UPDATE SET Debit += s.Debit, Credit += s.Credit
    WHEN NOT MATCHED THEN INSERT (PeriodId, AccountId, Debit, Credit) VALUES (s.PeriodId, s.AccountId, s.Debit, s.Credit);
END;
GO
CREATE TRIGGER accounting.JournalLine_Immutable ON accounting.JournalLine
AFTER INSERT, UPDATE, DELETE
AS
BEGIN
    SET NOCOUNT ON;
    IF EXISTS
    (
        SELECT * FROM accounting.JournalEntry AS e
        WHERE e.EntryNumber IS NOT NULL
            AND (e.EntryId IN (SELECT EntryId FROM inserted) OR e.EntryId IN (SELECT EntryId FROM deleted))
    )
        THROW 51409, N'The lines of a posted entry stay as they are.', 1;
END;
GO
-- A closed period is not opened again, and periods close in their order.
CREATE TRIGGER accounting.Period_State ON accounting.Period
AFTER UPDATE
AS
BEGIN
    SET NOCOUNT ON;
    IF EXISTS (SELECT * FROM deleted AS d JOIN inserted AS i ON i.PeriodId = d.PeriodId WHERE d.State = 'C' AND i.State = 'O')
        THROW 51410, N'A closed period stays closed.', 1;
    IF EXISTS
    (
        SELECT * FROM inserted AS i
        JOIN accounting.Period AS p ON p.PeriodId < i.PeriodId AND p.State = 'O'
        WHERE i.State = 'C'
    )
        THROW 51411, N'An earlier period is still open.', 1;
END;
GO
CREATE PROCEDURE accounting.OpenFiscalYear
    @FiscalYear smallint
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    IF EXISTS (SELECT * FROM accounting.FiscalYear WHERE FiscalYear = @FiscalYear)
        RETURN 0;
    BEGIN TRANSACTION;
    INSERT accounting.FiscalYear (FiscalYear) VALUES (@FiscalYear);
    INSERT accounting.Period (PeriodId, FiscalYear, Number, FirstDay, LastDay)
    SELECT @FiscalYear * 100 + n.value, @FiscalYear, n.value, m.FirstDay, EOMONTH(m.FirstDay)
    FROM GENERATE_SERIES(1, 13) AS n
    CROSS APPLY (SELECT DATEFROMPARTS(@FiscalYear, IIF(n.value = 13, 12, n.value), 1) AS FirstDay) AS m;
    COMMIT;
END;
GO
-- Gives an entry its number in the year; the trigger refuses what does not balance.
CREATE PROCEDURE accounting.PostEntry
    @EntryId int
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @FiscalYear smallint, @Number int, @OwnTransaction bit = 0;
    SELECT @FiscalYear = p.FiscalYear
    FROM accounting.JournalEntry AS e
    JOIN accounting.Period AS p ON p.PeriodId = e.PeriodId
    WHERE e.EntryId = @EntryId AND e.EntryNumber IS NULL;
    IF @FiscalYear IS NULL
        THROW 51412, N'There is no such entry, or it has been posted.', 1;
    IF @@TRANCOUNT = 0
    BEGIN
        BEGIN TRANSACTION;
        SET @OwnTransaction = 1;
    END;
    BEGIN TRY
        EXEC ref.NextDocumentNumber @RangeName = 'JOURNAL', @FiscalYear = @FiscalYear, @Number = @Number OUTPUT;
        UPDATE accounting.JournalEntry SET EntryNumber = @Number WHERE EntryId = @EntryId;
        IF @OwnTransaction = 1
            COMMIT;
    END TRY
    BEGIN CATCH
        IF @OwnTransaction = 1 AND XACT_STATE() <> 0
            ROLLBACK;
        THROW;
    END CATCH;
END;
GO
CREATE PROCEDURE accounting.CreateEntry
    @Lines      accounting.EntryLineList READONLY,
    @EntryDate  date,
    @SourceKind varchar(12),
    @SourceId   int = NULL,
    @EntryText  nvarchar(200),
    @Post       bit = 1,
    @PeriodId   int = NULL,
    @EntryId    int = NULL OUTPUT
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    SET @PeriodId = COALESCE(@PeriodId, accounting.PeriodOf(@EntryDate));
    IF @PeriodId IS NULL
        THROW 51401, N'No fiscal year is open for this day.', 1;
    DECLARE @Unknown varchar(20) =
        (SELECT MIN(l.AccountCode) FROM @Lines AS l
         WHERE NOT EXISTS (SELECT * FROM accounting.Account AS a WHERE a.AccountCode = l.AccountCode));
    IF @Unknown IS NOT NULL
    BEGIN
        DECLARE @Message nvarchar(200) = CONCAT(N'There is no account ', @Unknown, N'.');
        THROW 51402, @Message, 1;
    END;

    BEGIN TRANSACTION;
    INSERT accounting.JournalEntry (PeriodId, EntryDate, SourceKind, SourceId, EntryText)
    VALUES (@PeriodId, @EntryDate, @SourceKind, @SourceId, @EntryText);
    SET @EntryId = SCOPE_IDENTITY();
    INSERT accounting.JournalLine (EntryId, LineNumber, AccountId, Debit, Credit, CustomerId, SupplierId, LineText)
    SELECT @EntryId, ROW_NUMBER() OVER (ORDER BY l.LineNumber), a.AccountId, l.Debit, l.Credit, l.CustomerId, l.SupplierId, l.LineText
    FROM @Lines AS l
    JOIN accounting.Account AS a ON a.AccountCode = l.AccountCode
    WHERE l.Debit <> 0 OR l.Credit <> 0;
    IF @Post = 1
        EXEC accounting.PostEntry @EntryId = @EntryId;
    COMMIT;
END;
GO
-- Posts all drafts up to a day. One that is refused goes back to its savepoint and leaves the others alone.
CREATE PROCEDURE accounting.PostPending
    @UpTo   date,
    @Posted int = NULL OUTPUT,
    @Failed int = NULL OUTPUT
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT OFF;
    -- A table variable keeps its rows whatever is rolled back.
    DECLARE @Errors TABLE (EntryId int NOT NULL, ErrorNumber int NOT NULL, LineNumber int NOT NULL, Message nvarchar(4000) NOT NULL);
    DECLARE @EntryId int;
    SELECT @Posted = 0, @Failed = 0;
    DECLARE Drafts CURSOR LOCAL FORWARD_ONLY STATIC READ_ONLY FOR
        SELECT EntryId FROM accounting.JournalEntry WHERE EntryNumber IS NULL AND EntryDate <= @UpTo ORDER BY EntryDate, EntryId;
    BEGIN TRANSACTION;
    OPEN Drafts;
    FETCH NEXT FROM Drafts INTO @EntryId;
    WHILE @@FETCH_STATUS = 0
    BEGIN
        SAVE TRANSACTION BeforeEntry;
        BEGIN TRY
            -- Asked before it is tried: an error in a trigger would end the whole transaction.
            DECLARE @Problem nvarchar(200) = NULL;
            SELECT TOP (1) @Problem = Problem FROM accounting.EntryProblems(@EntryId) ORDER BY Number;
            IF @Problem IS NOT NULL
                THROW 51408, @Problem, 1;
            EXEC accounting.PostEntry @EntryId = @EntryId;
            SET @Posted += 1;
        END TRY
        BEGIN CATCH
            INSERT @Errors VALUES (@EntryId, ERROR_NUMBER(), ERROR_LINE(), ERROR_MESSAGE());
            IF XACT_STATE() = -1
            BEGIN
                ROLLBACK;
                SET @Posted = 0;
                BREAK;
            END;
            ROLLBACK TRANSACTION BeforeEntry;
        END CATCH;
        FETCH NEXT FROM Drafts INTO @EntryId;
    END;
    IF @@TRANCOUNT > 0
        COMMIT;
    CLOSE Drafts;
    DEALLOCATE Drafts;
    INSERT audit.ErrorLog (ErrorNumber, Severity, State, ProcedureName, LineNumber, Message, Context)
    SELECT ErrorNumber, 16, 1, N'accounting.PostPending', LineNumber, Message, CONCAT(N'EntryId ', EntryId) FROM @Errors;
    SET @Failed = @@ROWCOUNT;
END;
GO
CREATE PROCEDURE accounting.ReverseEntry
    @EntryId    int,
    @Reason     nvarchar(100),
    @ReversalId int = NULL OUTPUT
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    DECLARE @Lines accounting.EntryLineList, @Number int, @Kind varchar(12), @Day date = ref.CurrentDay(), @Text nvarchar(200);
    BEGIN TRANSACTION;
    SELECT @Number = EntryNumber, @Kind = SourceKind
    FROM accounting.JournalEntry WITH (UPDLOCK)
    WHERE EntryId = @EntryId AND ReversalOf IS NULL;
    IF @Number IS NULL
        THROW 51413, N'Only posted entries are reversed, and reversals are not.', 1;
    SET @Text = CONCAT(N'Reversal of ', @Number, N': ', @Reason);
    INSERT @Lines (AccountCode, Debit, Credit, CustomerId, SupplierId, LineText)
    SELECT a.AccountCode, l.Credit, l.Debit, l.CustomerId, l.SupplierId, l.LineText
    FROM accounting.JournalLine AS l
    JOIN accounting.Account AS a ON a.AccountId = l.AccountId
    WHERE l.EntryId = @EntryId
    ORDER BY l.LineNumber;
    EXEC accounting.CreateEntry @Lines = @Lines, @EntryDate = @Day, @SourceKind = @Kind, @EntryText = @Text, @Post = 0,
        @EntryId = @ReversalId OUTPUT;
    UPDATE accounting.JournalEntry SET ReversalOf = @EntryId WHERE EntryId = @ReversalId;
    EXEC accounting.PostEntry @EntryId = @ReversalId;
    COMMIT;
END;
GO
-- One at a time: the application lock makes a second closer give up instead of wait.
CREATE PROCEDURE accounting.ClosePeriod
    @PeriodId int
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    DECLARE @Lock int;
    BEGIN TRANSACTION;
    EXEC @Lock = sys.sp_getapplock @Resource = N'accounting.close', @LockMode = 'Exclusive', @LockOwner = 'Transaction', @LockTimeout = 0;
    IF @Lock < 0
        THROW 51414, N'Somebody else is closing.', 1;
    UPDATE accounting.Period SET State = 'C' WHERE PeriodId = @PeriodId AND State = 'O';
    IF @@ROWCOUNT = 0
        THROW 51417, N'There is no such open period.', 1;
    IF EXISTS (SELECT * FROM accounting.JournalEntry WHERE PeriodId = @PeriodId AND EntryNumber IS NULL)
        THROW 51415, N'The period has entries that have not been posted.', 1;
    IF EXISTS
    (
        SELECT * FROM ref.BusinessDay AS d
        JOIN accounting.Period AS p ON d.BusinessDate BETWEEN p.FirstDay AND p.LastDay
        WHERE p.PeriodId = @PeriodId AND d.State = 'O'
    )
        THROW 51416, N'A day of the period is still open.', 1;
    COMMIT;
END;
GO
-- Carries revenues and expenses of a year to retained earnings, and closes the year.
CREATE PROCEDURE accounting.CloseFiscalYear
    @FiscalYear smallint,
    @Result     decimal(19, 2) = NULL OUTPUT
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    DECLARE @Lines accounting.EntryLineList, @Period int = @FiscalYear * 100 + 13, @Day date = DATEFROMPARTS(@FiscalYear, 12, 31);
    BEGIN TRANSACTION;
    IF EXISTS (SELECT * FROM accounting.Period WHERE FiscalYear = @FiscalYear AND Number <= 12 AND State = 'O')
        THROW 51418, N'Months of the year are still open.', 1;
    SELECT @Result = -SUM(b.Balance)
    FROM accounting.AccountBalance AS b
    JOIN accounting.Account AS a ON a.AccountId = b.AccountId
    JOIN accounting.Period AS p ON p.PeriodId = b.PeriodId
    WHERE p.FiscalYear = @FiscalYear AND a.AccountKind IN ('R', 'X');
    INSERT @Lines (AccountCode, Debit, Credit)
    SELECT a.AccountCode, IIF(SUM(b.Balance) < 0, -SUM(b.Balance), 0), IIF(SUM(b.Balance) > 0, SUM(b.Balance), 0)
    FROM accounting.AccountBalance AS b
    JOIN accounting.Account AS a ON a.AccountId = b.AccountId
    JOIN accounting.Period AS p ON p.PeriodId = b.PeriodId
    WHERE p.FiscalYear = @FiscalYear AND a.AccountKind IN ('R', 'X')
    GROUP BY a.AccountCode
    HAVING SUM(b.Balance) <> 0;
    IF @@ROWCOUNT > 0
    BEGIN
        IF @Result <> 0
            INSERT @Lines (AccountCode, Debit, Credit) VALUES ('3100', IIF(@Result < 0, -@Result, 0), IIF(@Result > 0, @Result, 0));
        EXEC accounting.CreateEntry @Lines = @Lines, @EntryDate = @Day, @SourceKind = 'YEAREND', @EntryText = N'Result of the year',
            @PeriodId = @Period;
    END;
    UPDATE accounting.Period SET State = 'C' WHERE PeriodId = @Period;
    UPDATE accounting.FiscalYear SET State = 'C' WHERE FiscalYear = @FiscalYear;
    COMMIT;
END;
GO
-- Compares the kept balances with the entries and mends them; says how many were wrong.
CREATE PROCEDURE accounting.RebuildBalances
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    DECLARE @Wrong int;
    SET TRANSACTION ISOLATION LEVEL SERIALIZABLE;
    BEGIN TRANSACTION;
    SELECT e.PeriodId, l.AccountId, SUM(l.Debit) AS Debit, SUM(l.Credit) AS Credit
    INTO #Right
    FROM accounting.JournalEntry AS e
    JOIN accounting.JournalLine AS l ON l.EntryId = e.EntryId
    WHERE e.EntryNumber IS NOT NULL
    GROUP BY e.PeriodId, l.AccountId;
    CREATE UNIQUE CLUSTERED INDEX CX_Right ON #Right (PeriodId, AccountId);
    MERGE accounting.AccountBalance AS t
    USING #Right AS s ON t.PeriodId = s.PeriodId AND t.AccountId = s.AccountId
    WHEN MATCHED AND (t.Debit <> s.Debit OR t.Credit <> s.Credit) THEN UPDATE SET Debit = s.Debit, Credit = s.Credit
    WHEN NOT MATCHED BY TARGET THEN INSERT (PeriodId, AccountId, Debit, Credit) VALUES (s.PeriodId, s.AccountId, s.Debit, s.Credit)
    WHEN NOT MATCHED BY SOURCE THEN DELETE;
    SET @Wrong = @@ROWCOUNT;
    COMMIT;
    RETURN @Wrong;
END;
GO
-- The chart of accounts from the top; SortPath puts each account below its parent.
CREATE FUNCTION accounting.AccountTree ()
RETURNS TABLE
AS
RETURN
    WITH Tree AS
    (
        SELECT AccountId, AccountId AS TopId, AccountCode, AccountName, AccountKind, 0 AS Depth, CAST(AccountCode AS varchar(200)) AS SortPath
        FROM accounting.Account
        WHERE ParentId IS NULL
        UNION ALL
        SELECT a.AccountId, t.TopId, a.AccountCode, a.AccountName, a.AccountKind, t.Depth + 1, CAST(t.SortPath + '/' + a.AccountCode AS varchar(200))
        FROM accounting.Account AS a
        JOIN Tree AS t ON t.AccountId = a.ParentId
    )
    SELECT AccountId, TopId, AccountCode, AccountName, AccountKind, Depth, SortPath FROM Tree;
GO
CREATE FUNCTION accounting.TrialBalance (@FromPeriod int, @ToPeriod int)
RETURNS TABLE
AS
RETURN
    SELECT
        a.AccountCode, a.AccountName,
        SUM(CASE WHEN b.PeriodId < @FromPeriod THEN b.Balance ELSE 0 END) AS Opening,
        SUM(CASE WHEN b.PeriodId >= @FromPeriod THEN b.Debit ELSE 0 END) AS Debit,
        SUM(CASE WHEN b.PeriodId >= @FromPeriod THEN b.Credit ELSE 0 END) AS Credit,
        SUM(b.Balance) AS Closing
    FROM accounting.Account AS a
    JOIN accounting.AccountBalance AS b ON b.AccountId = a.AccountId
    WHERE b.PeriodId <= @ToPeriod
    GROUP BY a.AccountCode, a.AccountName;
GO
-- An account's lines with what it stood at after each of them.
CREATE FUNCTION accounting.AccountLedger (@AccountCode varchar(20), @FirstDay date, @LastDay date)
RETURNS TABLE
AS
RETURN
    SELECT e.EntryNumber, e.EntryDate, e.SourceKind, e.EntryText, e.Debit, e.Credit, e.Balance
    FROM
    (
        SELECT
            j.EntryNumber, j.EntryDate, j.SourceKind, j.EntryText, l.Debit, l.Credit,
            SUM(l.Amount) OVER (ORDER BY j.EntryDate, j.EntryNumber, l.LineNumber ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS Balance
        FROM accounting.JournalLine AS l
        JOIN accounting.JournalEntry AS j ON j.EntryId = l.EntryId
        JOIN accounting.Account AS a ON a.AccountId = l.AccountId
        WHERE a.AccountCode = @AccountCode AND j.EntryNumber IS NOT NULL AND j.EntryDate <= @LastDay
    ) AS e
    WHERE e.EntryDate >= @FirstDay;
GO
-- The balance sheet up to a period: each account with all that lies below it.
CREATE FUNCTION accounting.BalanceSheet (@PeriodId int)
RETURNS @Sheet TABLE
(
    SortPath    varchar(200)   NOT NULL PRIMARY KEY,
    AccountCode varchar(20)    NOT NULL,
    AccountName nvarchar(100)  NOT NULL,
    Depth       int            NOT NULL,
    Amount      decimal(19, 2) NOT NULL
)
AS
BEGIN
    INSERT @Sheet
    SELECT t.SortPath, t.AccountCode, t.AccountName, t.Depth,
        accounting.NaturalBalance(t.AccountKind, COALESCE(
        (
            SELECT SUM(b.Balance)
            FROM accounting.AccountTree() AS below
            JOIN accounting.AccountBalance AS b ON b.AccountId = below.AccountId
            WHERE below.SortPath + '/' LIKE t.SortPath + '/%' AND b.PeriodId <= @PeriodId
        ), 0))
    FROM accounting.AccountTree() AS t
    WHERE t.AccountKind IN ('A', 'L', 'E');
    -- What the year has earned so far is the owners', though no account says so before the year closes.
    INSERT @Sheet
    SELECT '3999', '3999', N'Result of open years', 0, COALESCE(-SUM(b.Balance), 0)
    FROM accounting.AccountBalance AS b
    JOIN accounting.Account AS a ON a.AccountId = b.AccountId
    WHERE a.AccountKind IN ('R', 'X') AND b.PeriodId <= @PeriodId;
    RETURN;
END;
GO
CREATE VIEW accounting.Journal
AS
    SELECT
        p.FiscalYear, e.EntryNumber, e.EntryDate, e.SourceKind, e.EntryText, l.LineNumber, a.AccountCode, a.AccountName,
        NULLIF(l.Debit, 0) AS Debit, NULLIF(l.Credit, 0) AS Credit, c.CustomerNumber, s.SupplierCode
    FROM accounting.JournalEntry AS e
    JOIN accounting.Period AS p ON p.PeriodId = e.PeriodId
    JOIN accounting.JournalLine AS l ON l.EntryId = e.EntryId
    JOIN accounting.Account AS a ON a.AccountId = l.AccountId
    LEFT JOIN party.Debtor AS c ON c.CustomerId = l.CustomerId
    LEFT JOIN party.Creditor AS s ON s.SupplierId = l.SupplierId
    WHERE e.State = 'P';
GO
-- What is owed to the tax office, by period.
CREATE VIEW accounting.VatReturn
AS
    SELECT
        b.PeriodId,
        -SUM(CASE WHEN a.AccountCode = '2100' THEN b.Balance ELSE 0 END) AS OutputTax,
        SUM(CASE WHEN a.AccountCode = '1400' THEN b.Balance ELSE 0 END) AS InputTax,
        -SUM(b.Balance) AS Payable
    FROM accounting.AccountBalance AS b
    JOIN accounting.Account AS a ON a.AccountId = b.AccountId
    WHERE a.AccountCode IN ('1400', '2100')
    GROUP BY b.PeriodId;
GO
