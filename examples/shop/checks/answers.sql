-- What the modules answer, held against what is reckoned in another way. Days have to have been run before, and one is open.
USE Shop;
GO
SET NOCOUNT ON;
DECLARE @Number int, @Text nvarchar(400), @Amount decimal(19, 2);

PRINT 'reference';
EXEC ref.OpenBusinessDay '$(Day)';
SET @Text = CONVERT(nvarchar(8), ref.CurrentDay(), 112);
EXEC test.Same N'the open day', @Text, N'$(Day)';
SET @Text = CONVERT(nvarchar(8), ref.AddWorkingDays('20260306', 1), 112);
EXEC test.Same N'after a Friday comes a Monday', @Text, N'20260309';
SELECT @Number = SUM(CONVERT(int, WorkingDay)) FROM ref.Calendar('20260301', '20260331');
EXEC test.Same N'working days of March', @Number, 22;
SET @Amount = ref.TaxRateOn('STD', '20200801');
EXEC test.Same N'the tax of 2020', @Amount, 16;
SET @Amount = ref.ConvertAmount(100, 'CHF', 'USD', '20260305');
EXEC test.Same N'100 francs are so many dollars', @Amount, 114.29;
SET @Text = CONVERT(nvarchar(40), ref.LocalTime('2026-07-01T12:00:00', 3));
EXEC test.Same N'London in summer', @Text, N'2026-07-01 13:00:00.000 +01:00';
EXEC ref.SetSetting N'DefaultCreditLimit', 6000;
SELECT @Text = CONCAT(ValueBefore, N'>', ValueAfter) FROM audit.ColumnHistory(N'ref.Setting', N'DefaultCreditLimit') WHERE ValueBefore IS NOT NULL;
EXEC test.Same N'the history of a setting', @Text, N'5000>6000';
EXEC ref.SetSetting N'DefaultCreditLimit', 5000;
GO
PRINT 'parties';
DECLARE @Id int, @Text nvarchar(400), @Number int, @Version binary(8), @Date date;
SET @Number = party.IbanIsValid('DE89 3704 0044 0532 0130 00');
EXEC test.Same N'an IBAN', @Number, 1;
SET @Number = party.IbanIsValid('DE88370400440532013000');
EXEC test.Same N'no IBAN', @Number, 0;
SELECT @Number = COUNT(*) FROM party.Customer WHERE party.IbanIsValid(Iban) = 0;
EXEC test.Same N'made IBANs', @Number, 0;
BEGIN TRANSACTION;
EXEC party.CreateCustomer N'  Møller & Co. ', 'MUC', @Email = N'moeller@example.org', @Street = N'Weg 1', @PostalCode = '80331', @City = N'München',
    @CustomerId = @Id OUTPUT;
SELECT @Text = SearchName, @Version = Version FROM party.Customer WHERE CustomerId = @Id;
EXEC test.Same N'the search name', @Text, N'MØLLER&CO';
SET @Text = party.FormatAddress(@Id, 'D');
SET @Text = REPLACE(@Text, NCHAR(10), N'|');
EXEC test.Same N'the address', @Text, N'Møller & Co.|Weg 1|80331 München';
EXEC party.UpdateCustomer @Id, @Version, N'Møller AG', NULL, @Version OUTPUT;
SELECT
    @Text = CONCAT(JSON_VALUE(Before, '$.CustomerName'), N'>', JSON_VALUE(After, '$.CustomerName'), N'>',
        COALESCE(JSON_VALUE(After, '$.Email'), N'null'))
FROM audit.ChangeLog
WHERE TableName = N'party.Customer' AND KeyValue = CONVERT(nvarchar(20), @Id);
EXEC test.Same N'what the trigger wrote', @Text, N'Møller & Co.>Møller AG>null';
EXEC party.ChangeCreditLimit @Id, 7500, N'good friend';
SELECT @Number = COUNT(*) FROM party.CreditLimit FOR SYSTEM_TIME ALL WHERE CustomerId = @Id;
EXEC test.Same N'one transaction leaves one version', @Number, 1;
UPDATE party.CustomerDirectory SET City = N'Passau', CustomerName = N'Møller Passau' WHERE CustomerId = @Id;
SELECT @Text = CONCAT(CustomerName, N', ', City) FROM party.CustomerDirectory WHERE CustomerId = @Id;
EXEC test.Same N'changed by the view', @Text, N'Møller Passau, Passau';
INSERT party.CustomerDirectory (CustomerName, BranchCode, Email, Street, PostalCode, City)
VALUES (N'Zwei', 'HH', N'zwei@example.org', N'Gasse 2', '20095', N'Hamburg'), (N'Drei', 'LDN', N'drei@example.org', NULL, NULL, NULL);
SELECT @Text = STRING_AGG(CONCAT(CustomerName, N'/', GroupCode, N'/', Street), N'; ') WITHIN GROUP (ORDER BY Email DESC)
FROM party.CustomerDirectory WHERE Email IN (N'zwei@example.org', N'drei@example.org');
EXEC test.Same N'made by the view', @Text, N'Zwei/STD/Gasse 2; Drei/STD/';
DELETE party.CustomerDirectory WHERE Email = N'zwei@example.org' OR CustomerId = @Id;
SELECT @Number = COUNT(*) FROM party.Customer WHERE CustomerId = @Id OR Email LIKE N'zwei%';
EXEC test.Same N'deleted by the view', @Number, 0;
ROLLBACK;
DECLARE @Found TABLE (CustomerNumber int, CustomerName nvarchar(100), GroupCode varchar(20), BranchCode varchar(20), CreatedOn date, Found int);
INSERT @Found EXEC party.SearchCustomers @NamePart = N'o''brien', @SortBy = N'CustomerNumber', @Descending = 1, @PageSize = 2;
SELECT @Number = COUNT(*), @Id = MAX(Found) FROM @Found;
SELECT @Text = CONCAT(@Number, N' of ', @Id);
SELECT @Number = COUNT(*) FROM party.Customer WHERE CustomerName LIKE N'%O''Brien%';
SELECT @Text = CONCAT(@Text, N' of ', @Number), @Number = IIF(@Number < 2, @Number, 2);
DECLARE @Expected nvarchar(50) = CONCAT(@Number, N' of ', @Id, N' of ', @Id);
EXEC test.Same N'found by name', @Text, @Expected;
GO
PRINT 'catalog';
DECLARE @Number int, @Text nvarchar(400), @Amount decimal(19, 2), @Moment datetime2(7), @Xml xml;
SET @Text = catalog.Ean13CheckDigit('400638133393');
EXEC test.Same N'a check digit', @Text, N'1';
SET @Text = catalog.CategoryPath(13);
EXEC test.Same N'a path', @Text, N'Rigging / Shackles';
SELECT @Text = STRING_AGG(TRIM(Indented), N',') WITHIN GROUP (ORDER BY SortPath) FROM catalog.CategoryTree(1);
EXEC test.Same N'a tree', @Text, N'Rigging,Blocks,Ropes,Shackles';
SELECT @Text = STRING_AGG(CONCAT(p.Sku, N' ', CONVERT(float, e.Total)), N', ') WITHIN GROUP (ORDER BY e.Depth, p.ProductId)
FROM catalog.Product AS k
CROSS APPLY catalog.Explosion(k.ProductId, 2) AS e
JOIN catalog.Product AS p ON p.ProductId = e.ComponentId
WHERE k.Sku = 'KIT-LARGE' AND e.Raw = 0;
EXEC test.Same N'a kit in a kit', @Text, N'KIT-SMALL 4';
SELECT @Number = SUM(e.Total)
FROM catalog.Product AS k CROSS APPLY catalog.Explosion(k.ProductId, 1) AS e
WHERE k.Sku = 'KIT-LARGE' AND e.Raw = 1;
EXEC test.Same N'raw parts of a large kit', @Number, 12;
SELECT @Text = STRING_AGG(CONCAT(p.Sku, N' ', u.Depth), N', ') WITHIN GROUP (ORDER BY u.Depth)
FROM catalog.WhereUsed(3) AS u JOIN catalog.Product AS p ON p.ProductId = u.ProductId;
EXEC test.Same N'where a part is used', @Text, N'KIT-SMALL 1, KIT-LARGE 2';
DECLARE @Sku varchar(20) = (SELECT Sku FROM catalog.Product WHERE ProductId = 7), @Old decimal(19, 2) =
    (SELECT NetPrice FROM catalog.ListPrice WHERE ProductId = 7), @New decimal(19, 2);
SET @Moment = SYSUTCDATETIME();
WAITFOR DELAY '00:00:00.050';
SET @New = @Old + 1;
EXEC catalog.SetListPrice @Sku, @New;
SELECT @Amount = NetPrice FROM catalog.PriceAsOf(@Moment) WHERE Sku = @Sku;
EXEC test.Same N'the price a moment ago', @Amount, @Old;
SELECT TOP (1) @Amount = NetPrice - PriceBefore FROM catalog.PriceHistory(@Sku) ORDER BY ValidFrom DESC;
EXEC test.Same N'the last change of a price', @Amount, 1;
EXEC catalog.SetListPrice @Sku, @Old;
DECLARE @Raised TABLE (ProductId int, Before decimal(19, 2), After decimal(19, 2));
BEGIN TRANSACTION;
INSERT @Raised EXEC catalog.RaisePrices 1, 10;
SELECT @Number = COUNT(*) FROM @Raised
WHERE After NOT BETWEEN ROUND(Before * 1.1, 2) - 0.01 AND ROUND(Before * 1.1, 2) + 0.1
    OR (After > 10 AND RIGHT(CONVERT(varchar(20), After), 1) <> '9');
EXEC test.Same N'raised otherwise', @Number, 0;
SELECT @Number = COUNT(*) - (SELECT COUNT(*) FROM catalog.Product WHERE CategoryId IN (11, 12, 13)) FROM @Raised;
EXEC test.Same N'not raised', @Number, 0;
DELETE catalog.Product WHERE ProductId = 7;
SELECT @Number = COUNT(*) FROM catalog.Article WHERE ProductId = 7 AND Discontinued = 1;
EXEC test.Same N'a deleted product is discontinued', @Number, 1;
ROLLBACK;
SELECT TOP (1) @Text = CONCAT(Colour, N'/', Fragile, N'/', LEN(Barcodes)) FROM catalog.ProductOverview WHERE ProductId = 1;
EXEC test.Same N'what a product looks like', @Text, N'red & white/0/13';
SELECT @Number = COUNT(*) - (SELECT COUNT(*) FROM catalog.Product)
FROM OPENJSON((SELECT p.Sku AS sku, p.ProductName AS name FROM catalog.Product AS p FOR JSON PATH)) WITH (sku varchar(20), name nvarchar(100)) AS j
JOIN catalog.Product AS p ON p.Sku = j.sku AND p.ProductName = j.name COLLATE DATABASE_DEFAULT;
EXEC test.Same N'names that JSON has changed', @Number, 0;
EXEC catalog.ExportXml @Xml OUTPUT;
WITH XMLNAMESPACES (DEFAULT 'urn:shop:catalog')
SELECT @Number = @Xml.value('count(/catalog/category/product)', 'int');
SELECT @Number -= COUNT(*) FROM catalog.Product;
EXEC test.Same N'products in the XML', @Number, 0;
GO
PRINT 'orders';
DECLARE @Number int, @Text nvarchar(400), @Amount decimal(19, 2), @Id int, @Again int, @Result int, @Lines sales.OrderLineList, @Customer int;
SELECT @Text = STRING_AGG(CONCAT(LineNumber, N':', COALESCE(Remark, N'ok')), N' ') WITHIN GROUP (ORDER BY LineNumber)
FROM sales.PriceBasket(1, N'[{"sku": "KIT-SMALL", "quantity": 2}, {"sku": "none", "quantity": 1}, {"sku": "KIT-LARGE"}]', '$(Day)');
EXEC test.Same N'a basket', @Text, N'1:ok 2:not sold 3:no quantity';
BEGIN TRANSACTION;
SELECT TOP (1) @Customer = CustomerNumber FROM party.Customer AS c WHERE c.GroupCode = 'KEY' AND c.Active = 1 ORDER BY CustomerId;
INSERT @Lines (LineNumber, Sku, Quantity, DiscountPercent)
SELECT TOP (2) ROW_NUMBER() OVER (ORDER BY Sku), Sku, 20, NULL FROM catalog.Product WHERE CategoryId = 13 ORDER BY Sku;
EXEC @Result = sales.PlaceOrder @Customer, @Lines, N'twice', @SalesOrderId = @Id OUTPUT;
EXEC test.Same N'placed', @Result, 0;
EXEC @Result = sales.PlaceOrder @Customer, @Lines, N'twice', @SalesOrderId = @Again OUTPUT;
EXEC test.Same N'placed once', @Result, 1;
EXEC test.Same N'the same order', @Again, @Id;
SELECT @Amount = MIN(DiscountPercent) FROM sales.SalesOrderLine WHERE SalesOrderId = @Id;
EXEC test.Same N'key account and quantity', @Amount, 25.5;
SELECT @Number = COUNT(*) FROM sales.SalesOrderLine
WHERE SalesOrderId = @Id AND LineAmount <> CONVERT(decimal(19, 2), ROUND(Quantity * NetPrice * (100 - DiscountPercent) / 100, 2));
EXEC test.Same N'computed lines', @Number, 0;
EXEC sales.CancelOrder @Id;
SELECT @Text = StateName FROM sales.OrderOverview WHERE SalesOrderId = @Id;
EXEC test.Same N'cancelled', @Text, N'cancelled';
ROLLBACK;
SELECT TOP (1) @Number = OrderNumber FROM sales.SalesOrder WHERE State = 'I' ORDER BY OrderNumber;
DECLARE @Page TABLE (OrderNumber int, CustomerName nvarchar(100), OrderedOn date, StateName nvarchar(100), Lines int, NetAmount decimal(19, 2));
INSERT @Page EXEC sales.OrderPage @AfterNumber = @Number, @PageSize = 3;
SELECT @Number = MIN(OrderNumber) - @Number, @Id = COUNT(*) FROM @Page;
EXEC test.Same N'the next page begins with the next order', @Number, 1;
EXEC test.Same N'a page', @Id, 3;
GO
PRINT 'imports';
DECLARE @Batch int, @Again int, @Created int, @Rejected int, @Text nvarchar(400), @Entry int, @Lines accounting.EntryLineList, @Csv nvarchar(max) =
    CONCAT(N'Neu & Alt;TRD;HH;neu@example.org;1.234,50', NCHAR(13), NCHAR(10), N';STD;HH;nobody@example.org;1', NCHAR(10), N'Ohne;STD;nowhere;;',
        NCHAR(10), N'Vier;;MUC;;abc', NCHAR(10), N'Fünf;NOGROUP;MUC;;');
EXEC staging.Receive N'crm', 'CSV', @Csv, @Batch OUTPUT;
EXEC staging.LoadCustomers @Batch, @Created OUTPUT, @Rejected OUTPUT;
SET @Text = CONCAT(@Created, N' created, ', @Rejected, N' rejected');
EXEC test.Same N'customers of a file', @Text, N'2 created, 3 rejected';
SELECT @Text = STRING_AGG(CONCAT(c.CustomerName, N' ', c.GroupCode, N' ', l.CreditLimit), N', ') WITHIN GROUP (ORDER BY c.CustomerName)
FROM party.Customer AS c JOIN party.CreditLimit AS l ON l.CustomerId = c.CustomerId WHERE c.CustomerName IN (N'Neu & Alt', N'Vier');
EXEC test.Same N'what they may owe', @Text, N'Neu & Alt TRD 1234.50, Vier STD 5000.00';
SELECT @Text = STRING_AGG(LEFT(RowText, 1), N'') WITHIN GROUP (ORDER BY RejectId) FROM staging.ImportReject WHERE ImportBatchId = @Batch;
EXEC test.Same N'lines that were refused', @Text, N'235';
EXEC @Rejected = staging.Receive N'crm', 'CSV', @Csv, @Again OUTPUT;
EXEC test.Same N'the same file', @Again, @Batch;
EXEC test.Same N'is known', @Rejected, 1;
INSERT @Lines (AccountCode, Debit, Credit) VALUES ('1000', 10, 0), ('1100', 0, 10);
EXEC accounting.CreateEntry @Lines, '$(Day)', 'MANUAL', NULL, N'money for the till', @Post = 0;
DELETE @Lines;
INSERT @Lines (AccountCode, Debit) VALUES ('1000', 5);
EXEC accounting.CreateEntry @Lines, '$(Day)', 'MANUAL', NULL, N'half an entry', @Post = 0, @EntryId = @Entry OUTPUT;
EXEC accounting.PostPending '$(Day)', @Created OUTPUT, @Rejected OUTPUT;
SET @Text = CONCAT(@Created, N' posted, ', @Rejected, N' refused');
EXEC test.Same N'drafts', @Text, N'1 posted, 1 refused';
SELECT TOP (1) @Text = CONCAT(ErrorNumber, N' ', Message) FROM audit.RecentErrors ORDER BY ErrorId DESC;
EXEC test.Same N'what was written down', @Text, N'51408 An entry has two lines at least.';
DELETE accounting.JournalLine WHERE EntryId = @Entry;
DELETE accounting.JournalEntry WHERE EntryId = @Entry;
SELECT TOP (1) @Entry = FirstId, @Again = SecondId FROM party.DuplicateCandidates ORDER BY FirstId, SecondId;
IF @Entry IS NOT NULL
    EXEC party.MergeCustomers @Again, @Entry;
EXEC test.Same N'a customer who is another', @@TRANCOUNT, 0;
GO
PRINT 'ledger and reports';
DECLARE @Number int, @Text nvarchar(400), @Amount decimal(19, 2), @Other decimal(19, 2), @Id int, @Result int, @Xml xml, @InvoiceNumber varchar(20);
SELECT @Amount = SUM(Closing), @Other = SUM(Debit) - SUM(Credit) FROM accounting.TrialBalance(202601, 202612);
EXEC test.Same N'the trial balance', @Amount, 0;
SELECT @Amount = SUM(CASE WHEN AccountCode = '1' THEN Amount ELSE -Amount END) FROM accounting.BalanceSheet(202612) WHERE Depth = 0;
EXEC test.Same N'assets are liabilities and equity', @Amount, 0;
SELECT TOP (1) @Amount = Balance FROM accounting.AccountLedger('1200', '20260101', '20261231') ORDER BY EntryNumber DESC;
SELECT @Other = Closing FROM accounting.TrialBalance(202601, 202612) WHERE AccountCode = '1200';
EXEC test.Same N'the last running balance', @Amount, @Other;
SELECT @Text = SortPath FROM accounting.AccountTree() WHERE AccountCode = '1200';
EXEC test.Same N'an account''s place', @Text, N'1/12/1200';
SELECT @Amount = SUM(Payable), @Other = (SELECT -SUM(Closing) FROM accounting.TrialBalance(202601, 202612) WHERE AccountCode IN ('1400', '2100'))
FROM accounting.VatReturn;
EXEC test.Same N'what the tax office gets', @Amount, @Other;
BEGIN TRANSACTION;
EXEC accounting.ReverseEntry 1, N'a mistake', @Id OUTPUT;
SELECT @Amount = SUM(Closing) FROM accounting.TrialBalance(202601, 202612) WHERE AccountCode = '3000';
EXEC test.Same N'reversed', @Amount, 0;
ROLLBACK;
EXEC @Result = accounting.RebuildBalances;
EXEC test.Same N'balances that were wrong', @Result, 0;
SELECT @Amount = NetAmount FROM report.SalesCube WHERE GroupingId = 3;
SELECT @Other = SUM(NetAmount) FROM sales.Invoice WHERE Kind <> 'F';
EXEC test.Same N'the top of the cube', @Amount, @Other;
SELECT @Amount = SUM(NetAmount) FROM report.SalesCube WHERE GroupingId = 1;
SELECT @Other = SUM(NetAmount) FROM report.SalesCube WHERE GroupingId = 0;
EXEC test.Same N'branches and their departments', @Amount, @Other;
SELECT @Amount = SUM(COALESCE(Monday, 0) + COALESCE(Tuesday, 0) + COALESCE(Wednesday, 0) + COALESCE(Thursday, 0) + COALESCE(Friday, 0))
FROM report.WeekdaySales;
EXEC test.Same N'weekdays turned to columns', @Amount, @Other;
SELECT TOP (1) @Amount = SoFar FROM report.DailyRevenue ORDER BY InvoicedOn DESC;
SELECT @Other = SUM(NetAmount) FROM sales.Invoice;
EXEC test.Same N'revenue so far', @Amount, @Other;
SELECT @Number = COUNT(*) - 3 * (SELECT COUNT(*) FROM accounting.AccountBalance) FROM report.BalanceSeries;
EXEC test.Same N'three measures of each balance', @Number, 0;
SELECT @Amount = ROUND(SUM(Share), 0) FROM report.AbcAnalysis;
EXEC test.Same N'shares of products', @Amount, 100;
SELECT @Number = COUNT(*) FROM report.TopCustomers('20260101', '20261231', 1);
SELECT @Id = COUNT(DISTINCT BranchCode) FROM report.InvoicedSales;
EXEC test.Same N'the best customer of each branch', @Number, @Id;
SELECT @Amount = SUM(Total), @Other = SUM(NotDue + Days30 + Days60 + Older) FROM sales.Aging('$(Day)');
EXEC test.Same N'the ages of what is open', @Amount, @Other;
DECLARE @Statement TABLE (ItemDay date, Document varchar(40), Amount decimal(19, 2), Balance decimal(19, 2), n int IDENTITY);
SELECT TOP (1) @Number = c.CustomerNumber, @Id = c.CustomerId
FROM sales.Payment AS p JOIN party.Customer AS c ON c.CustomerId = p.CustomerId ORDER BY p.PaymentId;
INSERT @Statement (ItemDay, Document, Amount, Balance) EXEC report.CustomerStatement @Number;
SELECT @Amount = SUM(Amount) FROM @Statement;
SELECT @Other = (SELECT SUM(GrossAmount) FROM sales.Invoice WHERE CustomerId = @Id) - (SELECT SUM(Amount) FROM sales.Payment WHERE CustomerId = @Id);
EXEC test.Same N'a customer''s balance', @Amount, @Other;
SELECT TOP (1) @InvoiceNumber = InvoiceNumber FROM sales.Invoice WHERE Kind = 'I' ORDER BY InvoiceId;
EXEC sales.ExportInvoice @InvoiceNumber, @Xml OUTPUT;
SELECT @Amount = @Xml.value('sum(/invoice/lines/line/net) + sum(/invoice/tax/tax)', 'decimal(19, 2)'),
    @Text = @Xml.value('/invoice[1]/@currency', 'char(3)'), @Other = @Xml.value('(/invoice/total)[1]', 'decimal(19, 2)');
EXEC test.Same N'the invoice as XML adds up', @Amount, @Other;
EXEC test.Same N'its currency', @Text, N'EUR';
DECLARE @Income TABLE (Line nvarchar(100), Amount decimal(19, 2), n int IDENTITY);
INSERT @Income (Line, Amount) EXEC report.IncomeStatement 202601, 202612;
SELECT TOP (1) @Text = Line, @Amount = Amount FROM @Income ORDER BY n DESC;
SELECT @Other = Amount FROM accounting.BalanceSheet(202612) WHERE SortPath = '3999';
EXEC test.Same N'the last line', @Text, N'Result';
EXEC test.Same N'the result', @Amount, @Other;
GO
PRINT 'who sees what';
DECLARE @Number int, @All int = (SELECT COUNT(*) FROM sales.SalesOrder), @Own int = (SELECT COUNT(*) FROM sales.SalesOrder WHERE BranchId = 1),
    @Cookie varbinary(8000), @Anna int;
EXECUTE AS USER = N'anna' WITH COOKIE INTO @Cookie;
SELECT @Number = COUNT(*) FROM sales.SalesOrder;
SELECT @Anna = COUNT(DISTINCT BranchCode) FROM party.CustomerDirectory;
REVERT WITH COOKIE = @Cookie;
EXEC test.Same N'orders that anna sees', @Number, @Own;
EXEC test.Same N'branches whose customers she sees', @Anna, 1;
EXECUTE AS USER = N'clara';
SELECT @Number = COUNT(*) FROM accounting.Journal AS j WHERE j.SourceKind = 'INVOICE' AND j.AccountCode = '1200' AND j.CustomerNumber IS NOT NULL;
REVERT;
SELECT @Own = COUNT(*) FROM sales.Invoice WHERE Kind = 'I';
EXEC test.Same N'invoices in clara''s journal', @Number, @Own;
EXECUTE AS USER = N'dirk';
SELECT @Number = HAS_PERMS_BY_NAME(N'stock.ClaimPickTask', N'OBJECT', N'EXECUTE') * 10
    + HAS_PERMS_BY_NAME(N'sales.PlaceOrder', N'OBJECT', N'EXECUTE');
REVERT;
EXEC test.Same N'what dirk may', @Number, 10;
GO
EXEC test.RunChecks;
PRINT 'all answers are right';
GO
