-- Goods, customers and the opening balance; $(Products) and $(Customers) say how many.
USE Shop;
GO
EXEC ref.OpenBusinessDay '20260227';
EXEC test.MakeProducts $(Products);
EXEC test.MakeCustomers $(Customers);
EXEC test.MakeOpening;
EXEC test.RunChecks @Quiet = 1;
EXEC ref.CloseBusinessDay;
GO
