-- What must be refused, and by which number. A day has to have been run before.
USE Shop;
GO
SET NOCOUNT ON;
EXEC ref.OpenBusinessDay '$(Day)';
GO
PRINT 'constraints';
EXEC test.Refused N'INSERT ref.TaxRate (TaxCode, ValidFrom, Rate) VALUES (''STD'', ''20300101'', 101)', 547;
EXEC test.Refused N'INSERT ref.Currency (CurrencyCode, CurrencyName) VALUES (''E1R'', N''a digit'')', 547;
EXEC test.Refused N'INSERT ref.BusinessDay (BusinessDate) VALUES (''20300101'')', 2601;
EXEC test.Refused N'INSERT catalog.ProductBarcode (Barcode, ProductId) VALUES (''4012345000017'', 1)', 547;
EXEC test.Refused N'INSERT party.Customer (CustomerName, BranchId, CreatedOn, SearchName) VALUES (N''x'', 1, ''20260301'', N''X'')', 271;
EXEC test.Refused N'UPDATE sales.SalesOrder SET Version = 0x00 WHERE SalesOrderId = 1', 272;
EXEC test.Refused N'DELETE ref.Branch WHERE BranchId = 1', 547;
EXEC test.Refused N'UPDATE stock.StockLevel SET OnHand = -1', 547;
EXEC test.Refused N'DECLARE @l sales.OrderLineList; INSERT @l VALUES (1, ''a'', 0, NULL)', 547;
EXEC test.Refused N'INSERT accounting.JournalLine (EntryId, LineNumber, AccountId, Debit, Credit) VALUES (1, 99, 6, 1, 1)', 547;
EXEC test.Refused N'UPDATE catalog.ListPriceHistory SET NetPrice = 1', 13561;
EXEC test.Refused N'TRUNCATE TABLE catalog.ListPrice', 13545;
EXEC test.Refused N'DROP TABLE party.Customer', 3726;
EXEC test.Refused N'ALTER TABLE sales.InvoiceLine DROP COLUMN NetAmount', 4922;
EXEC test.Refused N'DROP TYPE ref.Amount', 3732;
GO
PRINT 'triggers';
EXEC test.Refused N'UPDATE accounting.JournalEntry SET EntryText = N''other'' WHERE EntryId = 1', 51407;
EXEC test.Refused N'DELETE accounting.JournalEntry WHERE EntryId = 1', 547;
EXEC test.Refused N'DELETE accounting.JournalLine WHERE EntryId = 1', 51409;
EXEC test.Refused N'UPDATE stock.Movement SET Quantity = 1', 51301;
EXEC test.Refused N'DELETE stock.Movement WHERE MovementId = 1', 51301;
EXEC test.Refused N'DELETE sales.Invoice', 51601;
EXEC test.Refused N'UPDATE sales.SalesOrder SET State = ''N'' WHERE State = ''I''', 51501;
EXEC test.Refused N'UPDATE sales.SalesOrderLine SET Quantity += 1
    WHERE SalesOrderId IN (SELECT SalesOrderId FROM sales.SalesOrder WHERE State = ''I'')', 51502;
EXEC test.Refused N'UPDATE catalog.Category SET ParentId = 11 WHERE CategoryId = 1', 51201;
EXEC test.Refused N'INSERT catalog.BillOfMaterial
    SELECT s.ProductId, l.ProductId, 1
    FROM catalog.Product AS s JOIN catalog.Product AS l ON l.Sku = ''KIT-LARGE'' WHERE s.Sku = ''KIT-SMALL''', 51202;
EXEC test.Refused N'INSERT sales.Allocation (PaymentId, InvoiceId, Amount, AllocatedOn)
    SELECT TOP (1) PaymentId, InvoiceId, Amount + 1, AllocatedOn FROM sales.Allocation WHERE PaymentId IS NOT NULL', 51602;
EXEC test.Refused N'UPDATE accounting.Period SET State = ''C'' WHERE PeriodId = 202605', 51411;
EXEC test.Refused N'UPDATE party.CustomerDirectory SET CustomerNumber = 1', 51110;
EXEC test.Refused N'INSERT party.CustomerDirectory (CustomerName, BranchCode) VALUES (N''a'', ''HH''), (N''b'', ''HH'')', 51109;
GO
PRINT 'procedures';
EXEC test.Refused N'DECLARE @i int; EXEC party.CreateCustomer N''x'', ''HH'', @Iban = ''DE00123'', @CustomerId = @i OUTPUT', 51102;
EXEC test.Refused N'DECLARE @i int; EXEC party.CreateCustomer N''x'', ''nowhere'', @CustomerId = @i OUTPUT', 51103;
EXEC test.Refused N'DECLARE @v binary(8); EXEC party.UpdateCustomer 1, 0x00, N''x'', NULL, @v OUTPUT', 51104;
EXEC test.Refused N'EXEC party.SearchCustomers @SortBy = N''1; DROP TABLE x''', 51106;
EXEC test.Refused N'EXEC catalog.SetListPrice ''no such'', 1', 50000;
EXEC test.Refused N'DECLARE @l sales.OrderLineList; EXEC sales.PlaceOrder 10001, @l', 51505;
EXEC test.Refused N'DECLARE @l sales.OrderLineList; INSERT @l VALUES (1, ''none'', 1, NULL); EXEC sales.PlaceOrder 10001, @l', 51504;
EXEC test.Refused N'EXEC sales.ImportOrder N''{"customer": 10001''', 51508;
EXEC test.Refused N'EXEC sales.ImportOrder N''{"customer": 10001}''', 13608;
EXEC test.Refused N'EXEC sales.ShipOrder 1', 51512;
EXEC test.Refused N'EXEC sales.CancelOrder 1', 51501;
EXEC test.Refused N'EXEC sales.InvoiceOrder 1', 51606;
EXEC test.Refused N'EXEC stock.PostMovement 1, 1, ''SALE'', 5', 51303;
EXEC test.Refused N'EXEC stock.PostMovement 1, 1, ''SALE'', -100000', 51304;
EXEC test.Refused N'EXEC accounting.PostEntry 1', 51412;
EXEC test.Refused N'EXEC ref.OpenBusinessDay ''20990101''', 51003;
EXEC test.Refused N'EXEC accounting.ClosePeriod 202603', 51411;
EXEC test.Refused N'DECLARE @l accounting.EntryLineList; INSERT @l (AccountCode, Debit) VALUES (''1000'', 1);
    EXEC accounting.CreateEntry @l, ''20260301'', ''MANUAL'', NULL, N''half''', 51408;
EXEC test.Refused N'DECLARE @l accounting.EntryLineList; INSERT @l (AccountCode, Debit, Credit) VALUES (''1'', 1, 0), (''1000'', 0, 1);
    EXEC accounting.CreateEntry @l, ''20260301'', ''MANUAL'', NULL, N''to a heading''', 51408;
EXEC test.Refused N'DECLARE @l accounting.EntryLineList; EXEC accounting.CreateEntry @l, ''19990101'', ''MANUAL'', NULL, N''long ago''', 51401;
EXEC test.Refused N'EXEC purchasing.RecordInvoice 999, ''x'', 1, ''20260301''', 51353;
EXEC test.Refused N'EXEC audit.FinishRun 999, 0', 51001;
GO
PRINT 'permissions';
EXEC test.Refused N'INSERT sales.OrderState VALUES (''Z'', N''z'')', 229, N'anna';
EXEC test.Refused N'SELECT * FROM accounting.Journal', 229, N'anna';
EXEC test.Refused N'EXEC party.ChangeCreditLimit 1, 1000000, N''mine''', 229, N'anna';
EXEC test.Refused N'EXEC accounting.ClosePeriod 202601', 229, N'anna';
EXEC test.Refused N'UPDATE accounting.Account SET AccountName = N''x''', 229, N'clara';
EXEC test.Refused N'SELECT NetAmount FROM sales.Invoice', 230, N'clara';
EXEC test.Refused N'SELECT Iban FROM party.Customer', 229, N'edith';
EXEC test.Refused N'CREATE TABLE sales.Own (a int)', 262, N'anna';
EXEC test.Refused N'ALTER TABLE sales.SalesOrder ADD a int', 1088, N'anna';
GO
PRINT 'all that must be refused was refused';
GO
