-- Reports: what is asked of the figures.
USE Shop;
GO
-- Sums of invoiced lines by product, kept by the server.
CREATE VIEW report.ProductRevenue
WITH SCHEMABINDING
AS
    SELECT ProductId, SUM(Quantity) AS Quantity, SUM(NetAmount) AS NetAmount, COUNT_BIG(*) AS Lines
    FROM sales.InvoiceLine
    WHERE ProductId IS NOT NULL
    GROUP BY ProductId;
GO
CREATE UNIQUE CLUSTERED INDEX CX_ProductRevenue ON report.ProductRevenue (ProductId);
GO
-- A: the products that make the first 80 percent of the revenue; B: the next 15; C: the rest.
CREATE VIEW report.AbcAnalysis
AS
    SELECT
        p.Sku, p.ProductName, r.NetAmount, s.Share,
        CASE WHEN s.Before < 80 THEN 'A' WHEN s.Before < 95 THEN 'B' ELSE 'C' END AS Class
    FROM report.ProductRevenue AS r WITH (NOEXPAND)
    JOIN catalog.Product AS p ON p.ProductId = r.ProductId
    JOIN
    (
        SELECT
            ProductId,
            100 * NetAmount / SUM(NetAmount) OVER () AS Share,
            100 * (SUM(NetAmount) OVER (ORDER BY NetAmount DESC, ProductId ROWS UNBOUNDED PRECEDING) - NetAmount)
                / SUM(NetAmount) OVER () AS Before
        FROM report.ProductRevenue WITH (NOEXPAND)
        WHERE NetAmount > 0
    ) AS s ON s.ProductId = r.ProductId;
GO
CREATE VIEW report.InvoicedSales
AS
    SELECT
        i.InvoicedOn, b.BranchCode, c.CustomerNumber, c.GroupCode, p.Sku, top_category.CategoryName AS Department, l.Quantity, l.NetAmount
    FROM sales.Invoice AS i
    JOIN sales.InvoiceLine AS l ON l.InvoiceId = i.InvoiceId
    JOIN party.Customer AS c ON c.CustomerId = i.CustomerId
    JOIN ref.Branch AS b ON b.BranchId = c.BranchId
    JOIN catalog.Product AS p ON p.ProductId = l.ProductId
    JOIN catalog.Category AS own ON own.CategoryId = p.CategoryId
    LEFT JOIN catalog.Category AS parent ON parent.CategoryId = own.ParentId
    CROSS APPLY (SELECT COALESCE(parent.CategoryName, own.CategoryName) AS CategoryName) AS top_category;
GO
-- Branch, department and both, with totals; GROUPING tells a total from a value that is not there.
CREATE VIEW report.SalesCube
AS
    SELECT
        CASE WHEN GROUPING(BranchCode) = 1 THEN 'all' ELSE BranchCode END AS BranchCode,
        CASE WHEN GROUPING(Department) = 1 THEN N'all' ELSE Department END AS Department,
        GROUPING_ID(BranchCode, Department) AS GroupingId,
        SUM(NetAmount) AS NetAmount,
        COUNT(DISTINCT CustomerNumber) AS Customers
    FROM report.InvoicedSales
    GROUP BY GROUPING SETS ((BranchCode, Department), (BranchCode), (Department), ());
GO
CREATE VIEW report.WeekdaySales
AS
    SELECT Department, [Monday], [Tuesday], [Wednesday], [Thursday], [Friday]
    FROM
    (
        SELECT
            Department,
            CHOOSE(DATEDIFF(DAY, '19000101', InvoicedOn) % 7 + 1, 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday')
                AS Weekday,
            NetAmount
        FROM report.InvoicedSales
    ) AS s
    PIVOT (SUM(NetAmount) FOR Weekday IN ([Monday], [Tuesday], [Wednesday], [Thursday], [Friday])) AS p;
GO
-- The figures of an account as rows, for charts.
CREATE VIEW report.BalanceSeries
AS
    SELECT PeriodId, AccountCode, Measure, Amount
    FROM
    (
        SELECT
            b.PeriodId, a.AccountCode, CONVERT(decimal(19, 2), b.Debit) AS Debit, CONVERT(decimal(19, 2), b.Credit) AS Credit,
            CONVERT(decimal(19, 2), b.Balance) AS Balance
        FROM accounting.AccountBalance AS b
        JOIN accounting.Account AS a ON a.AccountId = b.AccountId
    ) AS x
    UNPIVOT (Amount FOR Measure IN (Debit, Credit, Balance)) AS u;
GO
-- Revenue by day with the average of three days and the growth over the day before.
CREATE VIEW report.DailyRevenue
AS
    SELECT
        InvoicedOn, NetAmount,
        AVG(NetAmount) OVER (ORDER BY InvoicedOn ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS ThreeDays,
        NetAmount - LAG(NetAmount) OVER (ORDER BY InvoicedOn) AS Growth,
        SUM(NetAmount) OVER (ORDER BY InvoicedOn ROWS UNBOUNDED PRECEDING) AS SoFar,
        PERCENT_RANK() OVER (ORDER BY NetAmount) AS PercentRank
    FROM
    (
        SELECT InvoicedOn, SUM(NetAmount) AS NetAmount FROM sales.Invoice GROUP BY InvoicedOn
    ) AS d;
GO
CREATE FUNCTION report.TopCustomers (@FirstDay date, @LastDay date, @PerBranch int)
RETURNS TABLE
AS
RETURN
    SELECT t.BranchCode, t.Place, t.CustomerNumber, t.NetAmount, t.Quartile
    FROM
    (
        SELECT
            BranchCode, CustomerNumber, SUM(NetAmount) AS NetAmount,
            RANK() OVER (PARTITION BY BranchCode ORDER BY SUM(NetAmount) DESC) AS Place,
            NTILE(4) OVER (ORDER BY SUM(NetAmount) DESC) AS Quartile
        FROM report.InvoicedSales
        WHERE InvoicedOn BETWEEN @FirstDay AND @LastDay
        GROUP BY BranchCode, CustomerNumber
    ) AS t
    WHERE t.Place <= @PerBranch;
GO
-- Products that are bought together, by how often.
CREATE FUNCTION report.BoughtTogether (@Sku varchar(20))
RETURNS TABLE
AS
RETURN
    SELECT TOP (10) WITH TIES p.Sku, p.ProductName, COUNT(*) AS Orders
    FROM catalog.Product AS mine
    JOIN sales.SalesOrderLine AS a ON a.ProductId = mine.ProductId
    JOIN sales.SalesOrderLine AS b ON b.SalesOrderId = a.SalesOrderId AND b.ProductId <> a.ProductId
    JOIN catalog.Product AS p ON p.ProductId = b.ProductId
    WHERE mine.Sku = @Sku
    GROUP BY p.Sku, p.ProductName
    ORDER BY COUNT(*) DESC;
GO
-- A customer's account: what was billed, credited and paid, with the balance after each.
CREATE PROCEDURE report.CustomerStatement
    @CustomerNumber int,
    @FirstDay       date = '00010101',
    @LastDay        date = '99991231'
AS
BEGIN
    SET NOCOUNT ON;
    WITH Items AS
    (
        SELECT i.InvoicedOn AS ItemDay, 1 AS Rank, i.InvoiceNumber AS Document, i.GrossAmount AS Amount
        FROM sales.Invoice AS i
        JOIN party.Customer AS c ON c.CustomerId = i.CustomerId
        WHERE c.CustomerNumber = @CustomerNumber
        UNION ALL
        SELECT p.ReceivedOn, 2, CONCAT('Payment ', p.PaymentId), -p.Amount
        FROM sales.Payment AS p
        JOIN party.Customer AS c ON c.CustomerId = p.CustomerId
        WHERE c.CustomerNumber = @CustomerNumber
    ),
    Running AS
    (
        SELECT ItemDay, Document, Amount, SUM(Amount) OVER (ORDER BY ItemDay, Rank, Document ROWS UNBOUNDED PRECEDING) AS Balance
        FROM Items
    )
    SELECT ItemDay, Document, Amount, Balance FROM Running WHERE ItemDay BETWEEN @FirstDay AND @LastDay ORDER BY ItemDay, Balance;
END;
GO
-- Revenue by department, a column a month of those that there are: the columns are not known before.
CREATE PROCEDURE report.MonthlyPivot
    @Measure sysname = N'NetAmount'
AS
BEGIN
    SET NOCOUNT ON;
    IF @Measure NOT IN (N'NetAmount', N'Quantity')
        THROW 51801, N'Sales are not measured so.', 1;
    DECLARE @Columns nvarchar(max), @Sql nvarchar(max);
    SELECT @Columns = STRING_AGG(CONVERT(nvarchar(max), QUOTENAME(MonthName)), N', ') WITHIN GROUP (ORDER BY MonthName)
    FROM (SELECT DISTINCT CONVERT(nchar(7), InvoicedOn, 23) AS MonthName FROM sales.Invoice) AS m;
    IF @Columns IS NULL
        RETURN 1;
    SET @Sql = N'
SELECT Department, ' + @Columns + N'
FROM (SELECT Department, CONVERT(nchar(7), InvoicedOn, 23) AS MonthName, ' + QUOTENAME(@Measure) + N' AS Measure FROM report.InvoicedSales) AS s
PIVOT (SUM(Measure) FOR MonthName IN (' + @Columns + N')) AS p
ORDER BY Department;';
    EXEC (@Sql);
END;
GO
CREATE PROCEDURE report.IncomeStatement
    @FromPeriod int,
    @ToPeriod   int
AS
BEGIN
    SET NOCOUNT ON;
    SELECT
        CASE WHEN GROUPING(a.AccountKind) = 1 THEN N'Result' WHEN GROUPING(a.AccountCode) = 1
            THEN CASE a.AccountKind WHEN 'R' THEN N'Revenues' ELSE N'Expenses' END
            ELSE MAX(a.AccountName) END AS Line,
        -SUM(b.Balance) AS Amount
    FROM accounting.AccountBalance AS b
    JOIN accounting.Account AS a ON a.AccountId = b.AccountId
    WHERE a.AccountKind IN ('R', 'X') AND b.PeriodId BETWEEN @FromPeriod AND @ToPeriod
    GROUP BY ROLLUP (a.AccountKind, a.AccountCode)
    ORDER BY GROUPING(a.AccountKind), a.AccountKind, GROUPING(a.AccountCode), a.AccountCode;
END;
GO
-- What a branch looks at in the morning: four results.
CREATE PROCEDURE report.Dashboard
    @Day date
AS
BEGIN
    SET NOCOUNT ON;
    SELECT State, COUNT(*) AS Orders FROM sales.SalesOrder GROUP BY State ORDER BY State;
    SELECT Situation, COUNT(*) AS Products FROM stock.StockOverview GROUP BY Situation ORDER BY Situation;
    SELECT TOP (5) c.CustomerNumber, a.Total, a.Days30 + a.Days60 + a.Older AS Overdue
    FROM sales.Aging(@Day) AS a
    JOIN party.Customer AS c ON c.CustomerId = a.CustomerId
    ORDER BY Overdue DESC, c.CustomerNumber;
    SELECT PeriodId, OutputTax, InputTax, Payable FROM accounting.VatReturn ORDER BY PeriodId;
END;
GO
CREATE VIEW report.StockTurnover
AS
    SELECT
        p.Sku, l.StockValue, COALESCE(s.Cost, 0) AS CostOfSales,
        CONVERT(decimal(9, 3), COALESCE(s.Cost, 0) / NULLIF(l.StockValue, 0)) AS Turns,
        PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY COALESCE(s.Cost, 0)) OVER () AS MedianCost
    FROM (SELECT ProductId, SUM(StockValue) AS StockValue FROM stock.StockLevel GROUP BY ProductId) AS l
    JOIN catalog.Product AS p ON p.ProductId = l.ProductId
    OUTER APPLY (SELECT -SUM(m.MovementValue) AS Cost FROM stock.Movement AS m WHERE m.ProductId = l.ProductId AND m.MovementKind = 'SALE') AS s;
GO
-- Days between order, shipment and invoice, by branch.
CREATE VIEW report.LeadTimes
AS
    SELECT DISTINCT
        b.BranchCode,
        COUNT(*) OVER (PARTITION BY b.BranchCode) AS Orders,
        AVG(1.0 * DATEDIFF(DAY, o.OrderedOn, s.ShippedOn)) OVER (PARTITION BY b.BranchCode) AS AverageDays,
        PERCENTILE_DISC(0.9) WITHIN GROUP (ORDER BY DATEDIFF(DAY, o.OrderedOn, s.ShippedOn)) OVER (PARTITION BY b.BranchCode) AS NineInTen
    FROM sales.SalesOrder AS o
    JOIN ref.Branch AS b ON b.BranchId = o.BranchId
    JOIN sales.Shipment AS s ON s.SalesOrderId = o.SalesOrderId;
GO
