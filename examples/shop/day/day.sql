-- A business day from morning to night: $(Day), with $(Orders) orders.
USE Shop;
GO
SET NOCOUNT ON;
EXEC test.RunDay '$(Day)', $(Orders);
SELECT State, COUNT(*) AS Orders FROM sales.SalesOrder GROUP BY State ORDER BY State;
SELECT MAX(CheckedAt) AS CheckedAt, COUNT(*) AS Checks, SUM(Failures) AS Failures FROM test.CheckResult;
GO
