-- What comes from outside: the bank's statements as JSON and XML, customers as CSV, products as JSON. And what goes out to debtors.
USE Shop;
GO
-- Takes a file as it is. The same content twice is the same file.
CREATE PROCEDURE staging.Receive
    @SourceName    sysname,
    @Format        varchar(4),
    @Content       nvarchar(max),
    @ImportBatchId int = NULL OUTPUT
AS
BEGIN
    SET NOCOUNT ON;
    BEGIN TRY
        INSERT staging.ImportBatch (SourceName, Format, Content) VALUES (@SourceName, @Format, @Content);
        SET @ImportBatchId = SCOPE_IDENTITY();
        RETURN 0;
    END TRY
    BEGIN CATCH
        IF ERROR_NUMBER() NOT IN (2601, 2627) OR XACT_STATE() = -1
            THROW;
        SELECT @ImportBatchId = ImportBatchId
        FROM staging.ImportBatch
        WHERE SourceName = @SourceName AND ContentHash = CONVERT(binary(32), HASHBYTES('SHA2_256', @Content));
        RETURN 1;
    END CATCH;
END;
GO
CREATE FUNCTION staging.JsonTransactions (@Json nvarchar(max))
RETURNS TABLE
AS
RETURN
    SELECT t.Reference, t.BookedOn, t.Amount, s.CurrencyCode, t.Iban, t.Purpose
    FROM OPENJSON(@Json) WITH
    (
        CurrencyCode char(3)       '$.statement.currency',
        Entries      nvarchar(max) '$.statement.entries' AS JSON
    ) AS s
    CROSS APPLY OPENJSON(s.Entries) WITH
    (
        Reference varchar(40)    '$.ref',
        BookedOn  date           '$.date',
        Amount    decimal(19, 2) '$.amount',
        Iban      varchar(34)    '$.counterpart.iban',
        Purpose   nvarchar(140)  '$.purpose'
    ) AS t;
GO
-- A statement in the manner of ISO 20022 (camt.053), as far as it is needed here.
CREATE FUNCTION staging.XmlTransactions (@Xml xml)
RETURNS TABLE
AS
RETURN
    WITH XMLNAMESPACES (DEFAULT 'urn:iso:std:iso:20022:tech:xsd:camt.053.001.08')
    SELECT
        n.Ntry.value('(AcctSvcrRef)[1]', 'varchar(40)') AS Reference,
        n.Ntry.value('(BookgDt/Dt)[1]', 'date') AS BookedOn,
        n.Ntry.value('(Amt)[1]', 'decimal(19, 2)') * CASE WHEN n.Ntry.exist('CdtDbtInd[. = "DBIT"]') = 1 THEN -1 ELSE 1 END AS Amount,
        n.Ntry.value('(Amt/@Ccy)[1]', 'char(3)') AS CurrencyCode,
        n.Ntry.value('(NtryDtls/TxDtls/RltdPties/DbtrAcct/Id/IBAN)[1]', 'varchar(34)') AS Iban,
        n.Ntry.value('(NtryDtls/TxDtls/RmtInf/Ustrd)[1]', 'nvarchar(140)') AS Purpose
    FROM @Xml.nodes('/Document/BkToCstmrStmt/Stmt/Ntry') AS n (Ntry);
GO
CREATE PROCEDURE staging.LoadBankStatement
    @ImportBatchId int,
    @Loaded        int = NULL OUTPUT
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    DECLARE @Format varchar(4), @Content nvarchar(max);
    BEGIN TRANSACTION;
    SELECT @Format = Format, @Content = Content
    FROM staging.ImportBatch WITH (UPDLOCK)
    WHERE ImportBatchId = @ImportBatchId AND ProcessedAt IS NULL;
    -- Rows that were delivered before are passed over: the index on the reference ignores duplicates.
    IF @Format = 'JSON'
        INSERT staging.BankTransaction (ImportBatchId, BankReference, BookedOn, Amount, CurrencyCode, CounterpartIban, Purpose)
        SELECT @ImportBatchId, Reference, BookedOn, Amount, CurrencyCode, Iban, Purpose FROM staging.JsonTransactions(@Content);
    ELSE IF @Format = 'XML'
        INSERT staging.BankTransaction (ImportBatchId, BankReference, BookedOn, Amount, CurrencyCode, CounterpartIban, Purpose)
        SELECT @ImportBatchId, Reference, BookedOn, Amount, CurrencyCode, Iban, Purpose FROM staging.XmlTransactions(CONVERT(xml, @Content));
    SET @Loaded = @@ROWCOUNT;
    UPDATE staging.ImportBatch SET ProcessedAt = SYSUTCDATETIME() WHERE ImportBatchId = @ImportBatchId;
    COMMIT;
END;
GO
-- Whose money is it: the account's owner, or whoever an invoice in the purpose belongs to.
CREATE FUNCTION staging.CustomerOf (@Iban varchar(34), @Purpose nvarchar(140))
RETURNS int
AS
BEGIN
    DECLARE @CustomerId int = (SELECT CustomerId FROM party.Customer WHERE Iban = @Iban AND Active = 1);
    IF @CustomerId IS NOT NULL
        RETURN @CustomerId;
    DECLARE @At int = PATINDEX(N'%RE[0-9][0-9][0-9][0-9]-[0-9][0-9][0-9][0-9][0-9][0-9]%', @Purpose);
    IF @At > 0
        SELECT @CustomerId = CustomerId FROM sales.Invoice WHERE InvoiceNumber = SUBSTRING(@Purpose, @At, 13);
    RETURN @CustomerId;
END;
GO
-- Makes payments of what the bank has sent, allocates them, and leaves to people what it does not understand.
CREATE PROCEDURE staging.ProcessBank
    @Processed int = NULL OUTPUT,
    @Manual    int = NULL OUTPUT
AS
BEGIN
    SET NOCOUNT ON;
    SELECT @Processed = 0, @Manual = 0;
    DECLARE @Id int, @Amount decimal(19, 2), @Currency char(3), @Iban varchar(34), @Purpose nvarchar(140), @CustomerId int, @PaymentId int,
        @InvoiceId int, @Day date = ref.CurrentDay();
    DECLARE Incoming CURSOR LOCAL STATIC FOR
        SELECT BankTransactionId, Amount, CurrencyCode, CounterpartIban, Purpose
        FROM staging.BankTransaction WHERE State = 'N' ORDER BY BankTransactionId;
    OPEN Incoming;
    FETCH NEXT FROM Incoming INTO @Id, @Amount, @Currency, @Iban, @Purpose;
    WHILE @@FETCH_STATUS = 0
    BEGIN
        BEGIN TRY
            SELECT @CustomerId = staging.CustomerOf(@Iban, @Purpose), @Amount = ref.ConvertAmount(@Amount, @Currency, 'EUR', @Day);
            IF @CustomerId IS NULL OR @Amount <= 0
            BEGIN
                UPDATE staging.BankTransaction SET State = 'M' WHERE BankTransactionId = @Id;
                SET @Manual += 1;
            END
            ELSE
            BEGIN
                BEGIN TRANSACTION;
                EXEC sales.RegisterPayment @CustomerId, @Amount, @Day, @Purpose, @Id, @PaymentId OUTPUT;
                -- What the purpose names comes first.
                SET @InvoiceId =
                (
                    SELECT MIN(i.InvoiceId) FROM sales.Invoice AS i
                    JOIN STRING_SPLIT(@Purpose, N' ') AS w ON w.value = i.InvoiceNumber
                    WHERE i.CustomerId = @CustomerId
                );
                IF @InvoiceId IS NOT NULL
                    EXEC sales.AllocatePayment @PaymentId, @InvoiceId;
                EXEC sales.AutoAllocate @CustomerId;
                UPDATE staging.BankTransaction SET State = 'P' WHERE BankTransactionId = @Id;
                COMMIT;
                SET @Processed += 1;
            END;
        END TRY
        BEGIN CATCH
            IF @@TRANCOUNT > 0
                ROLLBACK;
            EXEC audit.LogError @Context = @Purpose;
            UPDATE staging.BankTransaction SET State = 'M' WHERE BankTransactionId = @Id;
            SET @Manual += 1;
        END CATCH;
        FETCH NEXT FROM Incoming INTO @Id, @Amount, @Currency, @Iban, @Purpose;
    END;
END;
GO
CREATE PROCEDURE staging.LoadProducts
    @Json nvarchar(max)
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    BEGIN TRANSACTION;
    TRUNCATE TABLE staging.ProductImport;
    INSERT staging.ProductImport (Sku, ProductName, CategoryName, UnitCode, TaxCode, NetPrice, Dimensions, Attributes)
    SELECT
        sku, name, category, COALESCE(unit, 'PCE'), COALESCE(tax, 'STD'), price, size,
        -- {"colour": "red"} becomes <attributes><colour>red</colour></attributes>
        (
            SELECT CONCAT(N'<attributes>', STRING_AGG(CONCAT(N'<', a.[key], N'>', t.Escaped, N'</', a.[key], N'>'), N''), N'</attributes>')
            FROM OPENJSON(attributes) AS a
            CROSS APPLY (SELECT (SELECT a.[value] AS [text()] FOR XML PATH ('')) AS Escaped) AS t
        )
    FROM OPENJSON(@Json, '$.products') WITH
    (
        sku        varchar(20),
        name       nvarchar(100),
        category   nvarchar(100),
        unit       char(3),
        tax        char(3),
        price      decimal(19, 2) '$.price.net',
        size       varchar(40),
        attributes nvarchar(max) AS JSON
    );
    COMMIT;
END;
GO
-- name;group;branch;e-mail;limit, a line each. What cannot be taken is kept with the reason.
CREATE PROCEDURE staging.LoadCustomers
    @ImportBatchId int,
    @Created       int = NULL OUTPUT,
    @Rejected      int = NULL OUTPUT
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @Content nvarchar(max) = (SELECT Content FROM staging.ImportBatch WHERE ImportBatchId = @ImportBatchId);
    DECLARE @Line int, @Name nvarchar(100), @Group varchar(20), @Branch varchar(20), @Email nvarchar(254), @Limit decimal(19, 2), @CustomerId int;
    DELETE staging.CustomerImport;
    INSERT staging.CustomerImport (LineNumber, CustomerName, GroupCode, BranchCode, Email, CreditLimit)
    SELECT LineNumber, [1], [2], [3], [4], [5]
    FROM
    (
        SELECT l.ordinal AS LineNumber, f.ordinal AS Field, NULLIF(TRIM(f.value), N'') AS FieldValue
        FROM STRING_SPLIT(REPLACE(@Content, NCHAR(13), N''), NCHAR(10), 1) AS l
        CROSS APPLY STRING_SPLIT(l.value, N';', 1) AS f
        WHERE TRIM(l.value) <> N''
    ) AS x
    PIVOT (MAX(FieldValue) FOR Field IN ([1], [2], [3], [4], [5])) AS p;
    SELECT @Created = 0, @Rejected = 0;
    DECLARE Arrived CURSOR LOCAL STATIC FOR    -- others are closed by ROLLBACK
        SELECT LineNumber, CustomerName, COALESCE(GroupCode, 'STD'), BranchCode, Email, TRY_PARSE(CreditLimit AS decimal(19, 2) USING 'de-DE')
        FROM staging.CustomerImport ORDER BY LineNumber;
    OPEN Arrived;
    FETCH NEXT FROM Arrived INTO @Line, @Name, @Group, @Branch, @Email, @Limit;
    WHILE @@FETCH_STATUS = 0
    BEGIN
        BEGIN TRY
            EXEC party.CreateCustomer @CustomerName = @Name, @BranchCode = @Branch, @GroupCode = @Group, @Email = @Email, @CreditLimit = @Limit,
                @CustomerId = @CustomerId OUTPUT;
            SET @Created += 1;
        END TRY
        BEGIN CATCH
            IF @@TRANCOUNT > 0
                ROLLBACK;
            INSERT staging.ImportReject (ImportBatchId, RowText, Reason)
            VALUES (@ImportBatchId, CONCAT_WS(N';', @Line, @Name, @Group, @Branch, @Email), LEFT(ERROR_MESSAGE(), 400));
            SET @Rejected += 1;
        END CATCH;
        FETCH NEXT FROM Arrived INTO @Line, @Name, @Group, @Branch, @Email, @Limit;
    END;
    UPDATE staging.ImportBatch SET ProcessedAt = SYSUTCDATETIME() WHERE ImportBatchId = @ImportBatchId;
END;
GO
CREATE VIEW staging.ImportStatus
AS
    SELECT
        b.ImportBatchId, b.SourceName, b.Format, LEN(b.Content) AS Characters, b.ReceivedAt,
        IIF(b.ProcessedAt IS NULL, 'waiting', 'done') AS Progress,
        t.New, t.Processed, t.Manual,
        (SELECT COUNT(*) FROM staging.ImportReject AS r WHERE r.ImportBatchId = b.ImportBatchId) AS Rejected
    FROM staging.ImportBatch AS b
    OUTER APPLY
    (
        SELECT
            COUNT(CASE WHEN x.State = 'N' THEN 1 END) AS New,
            COUNT(CASE WHEN x.State = 'P' THEN 1 END) AS Processed,
            COUNT(CASE WHEN x.State = 'M' THEN 1 END) AS Manual
        FROM staging.BankTransaction AS x
        WHERE x.ImportBatchId = b.ImportBatchId
    ) AS t;
GO
-- The next letter to everybody who is late: the highest level that is due and was not sent. A fee is an invoice of its own.
CREATE PROCEDURE sales.RunDunning
    @Day     date,
    @Notices int = NULL OUTPUT
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    DECLARE @InvoiceId int, @CustomerId int, @Open decimal(19, 2), @Level tinyint, @Fee decimal(19, 2), @Number varchar(20), @FeeId int,
        @Entry accounting.EntryLineList;
    SET @Notices = 0;
    DECLARE Late CURSOR LOCAL STATIC READ_ONLY FOR
        SELECT o.InvoiceId, o.CustomerId, o.OpenAmount, l.DunningLevel, l.Fee
        FROM sales.OpenItems(@Day) AS o
        CROSS APPLY
        (
            SELECT TOP (1) d.DunningLevel, d.Fee FROM sales.DunningLevel AS d
            WHERE d.DaysOverdue <= o.DaysOverdue
            ORDER BY d.DaysOverdue DESC
        ) AS l
        WHERE o.Kind = 'I' AND o.OpenAmount > 0 AND o.DaysOverdue > 0
            AND NOT EXISTS (SELECT * FROM sales.DunningNotice AS n WHERE n.InvoiceId = o.InvoiceId AND n.DunningLevel >= l.DunningLevel)
        ORDER BY o.CustomerId, o.DueOn, o.InvoiceId;
    OPEN Late;
    FETCH NEXT FROM Late INTO @InvoiceId, @CustomerId, @Open, @Level, @Fee;
    WHILE @@FETCH_STATUS = 0
    BEGIN
        BEGIN TRANSACTION;
        SET @FeeId = NULL;
        IF @Fee > 0
        BEGIN
            EXEC sales.NextInvoiceNumber 'F', @Day, @Number OUTPUT;
            INSERT sales.Invoice (InvoiceNumber, Kind, CustomerId, OriginalId, InvoicedOn, DueOn, NetAmount, TaxAmount)
            VALUES (@Number, 'F', @CustomerId, @InvoiceId, @Day, @Day, @Fee, 0);
            SET @FeeId = SCOPE_IDENTITY();
            INSERT sales.InvoiceLine (InvoiceId, LineNumber, LineText, Quantity, NetAmount, TaxCode)
            VALUES (@FeeId, 1, N'Reminder', 1, @Fee, 'NON');
            INSERT sales.InvoiceTax (InvoiceId, TaxCode, Rate, NetAmount) VALUES (@FeeId, 'NON', 0, @Fee);
            DELETE @Entry;
            INSERT @Entry (AccountCode, Debit, Credit, CustomerId) VALUES ('1200', @Fee, 0, @CustomerId), ('4200', 0, @Fee, NULL);
            EXEC accounting.CreateEntry @Entry, @Day, 'FEE', @FeeId, @Number;
        END;
        INSERT sales.DunningNotice (InvoiceId, DunningLevel, SentOn, OpenAmount, FeeInvoiceId) VALUES (@InvoiceId, @Level, @Day, @Open, @FeeId);
        COMMIT;
        SET @Notices += 1;
        FETCH NEXT FROM Late INTO @InvoiceId, @CustomerId, @Open, @Level, @Fee;
    END;
    CLOSE Late;
    DEALLOCATE Late;
END;
GO
-- The letters of a day, with their words filled in.
CREATE FUNCTION sales.DunningLetters (@Day date)
RETURNS TABLE
AS
RETURN
    SELECT
        c.CustomerNumber, c.CustomerName, n.DunningLevel,
        REPLACE(REPLACE(l.Wording, N'{invoice}', i.InvoiceNumber), N'{amount}', FORMAT(n.OpenAmount, 'C', 'de-DE')) AS Letter
    FROM sales.DunningNotice AS n
    JOIN sales.DunningLevel AS l ON l.DunningLevel = n.DunningLevel
    JOIN sales.Invoice AS i ON i.InvoiceId = n.InvoiceId
    JOIN party.Customer AS c ON c.CustomerId = i.CustomerId
    WHERE n.SentOn = @Day;
GO
-- An invoice as other programs read it.
CREATE PROCEDURE sales.ExportInvoice
    @InvoiceNumber varchar(20),
    @Document      xml OUTPUT
AS
BEGIN
    SET NOCOUNT ON;
    SET @Document =
    (
        SELECT
            i.InvoiceNumber AS [@number], i.InvoicedOn AS [@date], i.DueOn AS [@due],
            c.CustomerNumber AS [buyer/@number], c.CustomerName AS [buyer/name], c.Iban AS [buyer/iban],
            (
                SELECT l.LineNumber AS [@number], p.Sku AS [@sku], l.LineText AS [text], l.Quantity AS quantity, l.NetAmount AS net
                FROM sales.InvoiceLine AS l
                LEFT JOIN catalog.Product AS p ON p.ProductId = l.ProductId
                WHERE l.InvoiceId = i.InvoiceId
                ORDER BY l.LineNumber
                FOR XML PATH ('line'), ROOT ('lines'), TYPE
            ),
            (
                SELECT t.TaxCode AS [@code], t.Rate AS [@rate], t.NetAmount AS net, t.TaxAmount AS tax
                FROM sales.InvoiceTax AS t WHERE t.InvoiceId = i.InvoiceId
                FOR XML PATH ('tax'), TYPE
            ),
            i.GrossAmount AS total
        FROM sales.Invoice AS i
        JOIN party.Customer AS c ON c.CustomerId = i.CustomerId
        WHERE i.InvoiceNumber = @InvoiceNumber
        FOR XML PATH ('invoice'), TYPE
    );
    SET @Document.modify('insert attribute currency {"EUR"} into (/invoice)[1]');
    RETURN CASE WHEN @Document IS NULL THEN 1 ELSE 0 END;
END;
GO
