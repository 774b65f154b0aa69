-- Customers: entering, changing and finding them.
USE Shop;
GO
-- ISO 13616: the number, with the country's letters as 10 … 35 and the first four characters at the end, is 1 modulo 97.
CREATE FUNCTION party.IbanIsValid (@Iban varchar(34))
RETURNS bit
WITH RETURNS NULL ON NULL INPUT
AS
BEGIN
    SET @Iban = REPLACE(UPPER(@Iban), ' ', '');
    IF LEN(@Iban) NOT BETWEEN 15 AND 34 OR @Iban LIKE '%[^A-Z0-9]%' OR @Iban NOT LIKE '[A-Z][A-Z][0-9][0-9]%'
        RETURN 0;
    DECLARE @Turned varchar(34) = SUBSTRING(@Iban, 5, 30) + LEFT(@Iban, 4), @Position int = 1, @Remainder int = 0, @Code int;
    WHILE @Position <= LEN(@Turned)
    BEGIN
        SET @Code = ASCII(SUBSTRING(@Turned, @Position, 1));
        IF @Code >= 65
            SET @Remainder = (@Remainder * 100 + @Code - 55) % 97;
        ELSE
            SET @Remainder = (@Remainder * 10 + @Code - 48) % 97;
        SET @Position += 1;
    END;
    RETURN IIF(@Remainder = 1, 1, 0);
END;
GO
CREATE FUNCTION party.MakeIban (@BankCode char(8), @AccountNumber bigint)
RETURNS varchar(34)
AS
BEGIN
    DECLARE @Bban char(18) = @BankCode + RIGHT('0000000000' + CONVERT(varchar(10), @AccountNumber), 10);
    -- D is 13, E is 14.
    DECLARE @Check int = 98 - CONVERT(int, CONVERT(decimal(24, 0), @Bban + '131400') % 97);
    RETURN CONCAT('DE', RIGHT(CONCAT('0', @Check), 2), @Bban);
END;
GO
CREATE FUNCTION party.FormatAddress (@CustomerId int, @AddressKind char(1))
RETURNS nvarchar(400)
AS
BEGIN
    DECLARE @Address nvarchar(400);
    -- The delivery address, or where there is none that of the bill.
    SELECT TOP (1) @Address = CONCAT_WS(NCHAR(10), c.CustomerName, a.Street, CONCAT(a.PostalCode, N' ', a.City), NULLIF(a.CountryCode, 'DE'))
    FROM party.Customer AS c
    JOIN party.CustomerAddress AS a ON a.CustomerId = c.CustomerId
    WHERE c.CustomerId = @CustomerId
    ORDER BY CASE WHEN a.AddressKind = @AddressKind THEN 0 ELSE 1 END;
    RETURN @Address;
END;
GO
CREATE PROCEDURE party.CreateCustomer
    @CustomerName nvarchar(100),
    @BranchCode   varchar(20),
    @GroupCode    varchar(20) = 'STD',
    @Email        nvarchar(254) = NULL,
    @Iban         varchar(34) = NULL,
    @Street       nvarchar(100) = NULL,
    @PostalCode   varchar(10) = NULL,
    @City         nvarchar(100) = NULL,
    @CreditLimit  decimal(19, 2) = NULL,
    @CustomerId   int OUTPUT
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    IF LEN(TRIM(@CustomerName)) = 0
        THROW 51101, N'A customer has a name.', 1;
    IF party.IbanIsValid(@Iban) = 0
        THROW 51102, N'This is no IBAN.', 1;
    DECLARE @BranchId int = (SELECT BranchId FROM ref.Branch WHERE BranchCode = @BranchCode);
    IF @BranchId IS NULL
        THROW 51103, N'There is no such branch.', 1;

    BEGIN TRANSACTION;
    DECLARE @Made TABLE (CustomerId int NOT NULL);
    INSERT party.Customer (CustomerName, GroupCode, BranchId, Email, Iban, CreatedOn)
    OUTPUT inserted.CustomerId INTO @Made
    VALUES (TRIM(@CustomerName), @GroupCode, @BranchId, @Email, @Iban, COALESCE(ref.CurrentDay(), CONVERT(date, SYSUTCDATETIME())));
    SELECT @CustomerId = CustomerId FROM @Made;
    IF @Street IS NOT NULL
        INSERT party.CustomerAddress (CustomerId, AddressKind, Street, PostalCode, City)
        VALUES (@CustomerId, 'B', @Street, @PostalCode, @City);
    INSERT party.CreditLimit (CustomerId, CreditLimit, Reason)
    VALUES (@CustomerId, COALESCE(@CreditLimit, CONVERT(decimal(19, 2), ref.SettingValue(N'DefaultCreditLimit'))), N'first');
    COMMIT;
END;
GO
CREATE PROCEDURE party.ChangeCreditLimit
    @CustomerId  int,
    @CreditLimit decimal(19, 2),
    @Reason      nvarchar(200)
AS
BEGIN
    SET NOCOUNT ON;
    MERGE party.CreditLimit WITH (HOLDLOCK) AS t
    USING (SELECT @CustomerId AS CustomerId, @CreditLimit AS CreditLimit, @Reason AS Reason) AS s
    ON t.CustomerId = s.CustomerId
    WHEN MATCHED AND t.CreditLimit <> s.CreditLimit THEN
        UPDATE SET CreditLimit = s.CreditLimit, Reason = s.Reason
    WHEN NOT MATCHED THEN
        INSERT (CustomerId, CreditLimit, Reason) VALUES (s.CustomerId, s.CreditLimit, s.Reason);
END;
GO
CREATE PROCEDURE party.CreditHistory
    @CustomerId int,
    @From       datetime2(3) = '0001-01-01',
    @To         datetime2(3) = '9999-12-31'
AS
BEGIN
    SET NOCOUNT ON;
    SELECT
        CreditLimit, Reason, ValidFrom, ValidTo,
        CreditLimit - LAG(CreditLimit, 1, 0) OVER (ORDER BY ValidFrom) AS Change
    FROM party.CreditLimit FOR SYSTEM_TIME BETWEEN @From AND @To
    WHERE CustomerId = @CustomerId
    ORDER BY ValidFrom;
END;
GO
-- One customer at a time is changed by people; whoever has read an older version than there is hears of it.
CREATE PROCEDURE party.UpdateCustomer
    @CustomerId   int,
    @Version      binary(8),
    @CustomerName nvarchar(100),
    @Email        nvarchar(254),
    @NewVersion   binary(8) OUTPUT
AS
BEGIN
    SET NOCOUNT ON;
    UPDATE party.Customer
    SET CustomerName = @CustomerName, Email = @Email
    WHERE CustomerId = @CustomerId AND Version = @Version;
    IF @@ROWCOUNT = 0
    BEGIN
        IF EXISTS (SELECT * FROM party.Customer WHERE CustomerId = @CustomerId)
            THROW 51104, N'The customer has been changed by somebody else.', 1;
        THROW 51105, N'There is no such customer.', 1;
    END;
    SELECT @NewVersion = Version FROM party.Customer WHERE CustomerId = @CustomerId;
END;
GO
-- Any of the conditions, in any order, a page at a time. The text has only what was asked for, and parameters for all values.
CREATE PROCEDURE party.SearchCustomers
    @NamePart   nvarchar(100) = NULL,
    @GroupCode  varchar(20) = NULL,
    @BranchCode varchar(20) = NULL,
    @City       nvarchar(100) = NULL,
    @SortBy     sysname = N'CustomerName',
    @Descending bit = 0,
    @Page       int = 1,
    @PageSize   int = 20
AS
BEGIN
    SET NOCOUNT ON;
    IF @SortBy NOT IN (N'CustomerName', N'CustomerNumber', N'CreatedOn')
        THROW 51106, N'Customers are not sorted by that.', 1;
    DECLARE @Sql nvarchar(max) = N'
SELECT c.CustomerNumber, c.CustomerName, c.GroupCode, b.BranchCode, c.CreatedOn, COUNT(*) OVER () AS Found
FROM party.Customer AS c
JOIN ref.Branch AS b ON b.BranchId = c.BranchId
WHERE c.Active = 1';
    IF @NamePart IS NOT NULL
        SET @Sql += N' AND c.SearchName LIKE N''%'' + UPPER(REPLACE(REPLACE(@NamePart, N'' '', N''''), N''%'', N''[%]'')) + N''%''';
    IF @GroupCode IS NOT NULL
        SET @Sql += N' AND c.GroupCode = @GroupCode';
    IF @BranchCode IS NOT NULL
        SET @Sql += N' AND b.BranchCode = @BranchCode';
    IF @City IS NOT NULL
        SET @Sql += N' AND EXISTS (SELECT * FROM party.CustomerAddress AS a WHERE a.CustomerId = c.CustomerId AND a.City = @City)';
    SET @Sql += CONCAT(N'
ORDER BY c.', QUOTENAME(@SortBy), IIF(@Descending = 1, N' DESC', N''), N', c.CustomerId
OFFSET (@Page - 1) * @PageSize ROWS FETCH NEXT @PageSize ROWS ONLY');
    EXEC sys.sp_executesql @Sql,
        N'@NamePart nvarchar(100), @GroupCode varchar(20), @BranchCode varchar(20), @City nvarchar(100), @Page int, @PageSize int',
        @NamePart, @GroupCode, @BranchCode, @City, @Page, @PageSize;
END;
GO
-- Customers who may be one and the same: they sound alike, or share an address.
CREATE VIEW party.DuplicateCandidates
AS
    SELECT
        a.CustomerId AS FirstId, b.CustomerId AS SecondId, a.CustomerName AS FirstName, b.CustomerName AS SecondName,
        DIFFERENCE(a.CustomerName, b.CustomerName) AS Likeness,
        CASE WHEN EXISTS
        (
            SELECT PostalCode, Street FROM party.CustomerAddress WHERE CustomerId = a.CustomerId
            INTERSECT
            SELECT PostalCode, Street FROM party.CustomerAddress WHERE CustomerId = b.CustomerId
        ) THEN 1 ELSE 0 END AS SharedAddress
    FROM party.Customer AS a
    JOIN party.Customer AS b ON a.CustomerId < b.CustomerId AND SOUNDEX(a.CustomerName) = SOUNDEX(b.CustomerName)
    WHERE a.Active = 1 AND b.Active = 1;
GO
-- Moves all that belongs to one customer to another, and switches the first off.
CREATE PROCEDURE party.MergeCustomers
    @FromId int,
    @IntoId int
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    IF @FromId = @IntoId
        THROW 51107, N'A customer cannot be merged into itself.', 1;
    BEGIN TRANSACTION;
    -- In the order of their numbers, so that two merges cannot block each other.
    DECLARE @Locked int;
    SELECT @Locked = COUNT(*) FROM party.Customer WITH (UPDLOCK, ROWLOCK) WHERE CustomerId IN (@FromId, @IntoId) AND Active = 1;
    IF @Locked <> 2
        THROW 51108, N'Both customers must be there and active.', 1;
    UPDATE sales.SalesOrder SET CustomerId = @IntoId WHERE CustomerId = @FromId;
    UPDATE sales.Invoice SET CustomerId = @IntoId WHERE CustomerId = @FromId;
    UPDATE sales.Payment SET CustomerId = @IntoId WHERE CustomerId = @FromId;
    INSERT party.CustomerAddress (CustomerId, AddressKind, Street, PostalCode, City, CountryCode)
    SELECT @IntoId, f.AddressKind, f.Street, f.PostalCode, f.City, f.CountryCode
    FROM party.CustomerAddress AS f
    WHERE f.CustomerId = @FromId
        AND NOT EXISTS (SELECT * FROM party.CustomerAddress AS t WHERE t.CustomerId = @IntoId AND t.AddressKind = f.AddressKind);
    UPDATE party.Customer SET Active = 0 WHERE CustomerId = @FromId;
    COMMIT;
END;
GO
CREATE TRIGGER party.Customer_Audit ON party.Customer
AFTER UPDATE, DELETE
AS
BEGIN
    IF @@ROWCOUNT = 0
        RETURN;
    SET NOCOUNT ON;
    INSERT audit.ChangeLog (TableName, KeyValue, Action, Before, After)
    SELECT
        N'party.Customer', d.CustomerId, IIF(i.CustomerId IS NULL, 'D', 'U'),
        (SELECT d.CustomerName, d.GroupCode, d.Email, d.Iban, d.Active FOR JSON PATH, WITHOUT_ARRAY_WRAPPER, INCLUDE_NULL_VALUES),
        CASE WHEN i.CustomerId IS NOT NULL THEN
            (SELECT i.CustomerName, i.GroupCode, i.Email, i.Iban, i.Active FOR JSON PATH, WITHOUT_ARRAY_WRAPPER, INCLUDE_NULL_VALUES)
        END
    FROM deleted AS d
    LEFT JOIN inserted AS i ON i.CustomerId = d.CustomerId
    WHERE i.CustomerId IS NULL
        OR EXISTS
        (
            SELECT i.CustomerName, i.GroupCode, i.Email, i.Iban, i.Active
            EXCEPT
            SELECT d.CustomerName, d.GroupCode, d.Email, d.Iban, d.Active
        );
END;
GO
-- A customer and the billing address as one row, which can be inserted, updated and deleted.
CREATE VIEW party.CustomerDirectory
AS
    SELECT c.CustomerId, c.CustomerNumber, c.CustomerName, b.BranchCode, c.GroupCode, c.Email, a.Street, a.PostalCode, a.City
    FROM party.Customer AS c
    JOIN ref.Branch AS b ON b.BranchId = c.BranchId
    LEFT JOIN party.CustomerAddress AS a ON a.CustomerId = c.CustomerId AND a.AddressKind = 'B'
    WHERE c.Active = 1;
GO
CREATE TRIGGER party.CustomerDirectory_Insert ON party.CustomerDirectory
INSTEAD OF INSERT
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @Made TABLE (CustomerId int NOT NULL, Email nvarchar(254) NOT NULL);
    IF EXISTS (SELECT Email FROM inserted GROUP BY Email HAVING COUNT(*) > 1 OR Email IS NULL)
        THROW 51109, N'Customers of the directory are told apart by their e-mail addresses.', 1;
    INSERT party.Customer (CustomerName, GroupCode, BranchId, Email, CreatedOn)
    OUTPUT inserted.CustomerId, inserted.Email INTO @Made
    SELECT i.CustomerName, COALESCE(i.GroupCode, 'STD'), b.BranchId, i.Email, COALESCE(ref.CurrentDay(), CONVERT(date, SYSUTCDATETIME()))
    FROM inserted AS i
    JOIN ref.Branch AS b ON b.BranchCode = i.BranchCode;
    INSERT party.CustomerAddress (CustomerId, AddressKind, Street, PostalCode, City)
    SELECT m.CustomerId, 'B', i.Street, i.PostalCode, i.City
    FROM inserted AS i
    JOIN @Made AS m ON m.Email = i.Email
    WHERE i.Street IS NOT NULL;
END;
GO
CREATE TRIGGER party.CustomerDirectory_Update ON party.CustomerDirectory
INSTEAD OF UPDATE
AS
BEGIN
    SET NOCOUNT ON;
    IF UPDATE(CustomerId) OR UPDATE(CustomerNumber)
        THROW 51110, N'The numbers of customers do not change.', 1;
    UPDATE c
    SET CustomerName = i.CustomerName, GroupCode = i.GroupCode, Email = i.Email, BranchId = b.BranchId
    FROM party.Customer AS c
    JOIN inserted AS i ON i.CustomerId = c.CustomerId
    JOIN ref.Branch AS b ON b.BranchCode = i.BranchCode;
    IF UPDATE(Street) OR UPDATE(PostalCode) OR UPDATE(City)
        MERGE party.CustomerAddress AS t
        USING (SELECT CustomerId, Street, PostalCode, City FROM inserted) AS s
        ON t.CustomerId = s.CustomerId AND t.AddressKind = 'B'
        WHEN MATCHED AND s.Street IS NULL THEN DELETE
        WHEN MATCHED THEN UPDATE SET Street = s.Street, PostalCode = s.PostalCode, City = s.City
        WHEN NOT MATCHED BY TARGET AND s.Street IS NOT NULL THEN
            INSERT (CustomerId, AddressKind, Street, PostalCode, City) VALUES (s.CustomerId, 'B', s.Street, s.PostalCode, s.City);
END;
GO
-- Nobody is forgotten who has ordered: such customers are switched off, the others go.
CREATE TRIGGER party.CustomerDirectory_Delete ON party.CustomerDirectory
INSTEAD OF DELETE
AS
BEGIN
    SET NOCOUNT ON;
    UPDATE party.Customer SET Active = 0
    WHERE CustomerId IN (SELECT CustomerId FROM deleted)
        AND EXISTS (SELECT * FROM sales.SalesOrder AS o WHERE o.CustomerId = party.Customer.CustomerId);
    DELETE l FROM party.CreditLimit AS l
    JOIN deleted AS d ON d.CustomerId = l.CustomerId
    WHERE NOT EXISTS (SELECT * FROM sales.SalesOrder AS o WHERE o.CustomerId = d.CustomerId);
    DELETE c FROM party.Customer AS c
    JOIN deleted AS d ON d.CustomerId = c.CustomerId
    WHERE NOT EXISTS (SELECT * FROM sales.SalesOrder AS o WHERE o.CustomerId = c.CustomerId);
END;
GO
