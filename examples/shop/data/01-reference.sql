-- What every installation of the shop begins with.
USE Shop;
GO
INSERT ref.Currency (CurrencyCode, CurrencyName) VALUES ('EUR', N'Euro'), ('CHF', N'Franken'), ('USD', N'US dollar');
INSERT ref.Currency (CurrencyCode, CurrencyName, Decimals) VALUES ('JPY', N'Yen', 0);
INSERT ref.ExchangeRate (CurrencyCode, ValidFrom, Rate)
VALUES ('CHF', '20260101', 0.94), ('CHF', '20260301', 0.945), ('USD', '20260101', 1.08), ('JPY', '20260101', 162.5);
INSERT ref.Branch (BranchId, BranchCode, BranchName) VALUES (1, 'HH', N'Hamburg'), (2, 'MUC', N'München');
INSERT ref.Branch (BranchId, BranchCode, BranchName, TimeZoneName) VALUES (3, 'LDN', N'London', N'GMT Standard Time');
INSERT ref.Unit (UnitCode, UnitName, Divisible) VALUES ('PCE', N'piece', 0), ('KGM', N'kilogram', 1), ('MTR', N'metre', 1);
INSERT ref.TaxCode (TaxCode, TaxName, RevenueAccount) VALUES ('STD', N'standard', '4000'), ('RED', N'reduced', '4100'), ('NON', N'none', '4200');
INSERT ref.TaxRate (TaxCode, ValidFrom, Rate)
VALUES ('STD', '20070101', 19), ('STD', '20200701', 16), ('STD', '20210101', 19), ('RED', '19830101', 7), ('NON', '19000101', 0);
EXEC ref.SetSetting N'DefaultCreditLimit', 5000;
EXEC ref.SetSetting N'ShopName', N'Knot & Splice';
EXEC ref.SetSetting N'FirstDay', '2026-03-02';

INSERT party.CustomerGroup (GroupCode, GroupName, DiscountPercent, PaymentDays)
VALUES ('STD', N'everybody', 0, 7), ('TRD', N'trade', 10, 14), ('KEY', N'key accounts', 17.5, 30), ('STAFF', N'staff', 25, 0);
INSERT sales.OrderState (State, StateName)
VALUES ('N', N'new'), ('R', N'reserved'), ('S', N'shipped'), ('I', N'invoiced'), ('X', N'cancelled');
INSERT sales.OrderTransition (FromState, ToState) VALUES ('N', 'R'), ('R', 'N'), ('R', 'S'), ('S', 'I'), ('N', 'X'), ('R', 'X');
INSERT sales.DunningLevel (DunningLevel, DaysOverdue, Fee, Wording)
VALUES
    (1, 3, 0, N'Our invoice {invoice} may have escaped your notice: {amount} are open.'),
    (2, 10, 5, N'Please pay {amount} of our invoice {invoice} within a week.'),
    (3, 21, 15, N'This is our last letter about invoice {invoice}, of which {amount} are open.');

INSERT stock.MovementKind (MovementKind, KindName, Direction)
VALUES ('OPEN', N'opening', 1), ('BUY', N'purchase', 1), ('SALE', N'sale', -1), ('BACK', N'return', 1), ('MOVE', N'transfer', 0),
    ('PROD', N'production', 0), ('CNT', N'count', 0);
INSERT stock.Warehouse (WarehouseId, WarehouseCode, BranchId) VALUES (1, 'HH-1', 1), (2, 'MUC-1', 2), (3, 'LDN-1', 3);
INSERT stock.Bin (WarehouseId, Aisle, Shelf)
SELECT w.WarehouseId, a.Aisle, s.value
FROM stock.Warehouse AS w
CROSS JOIN (VALUES ('A'), ('B'), ('C')) AS a (Aisle)
CROSS APPLY GENERATE_SERIES(1, 8) AS s;

INSERT accounting.Account (AccountCode, AccountName, AccountKind, Postable)
VALUES ('1', N'Assets', 'A', 0), ('2', N'Liabilities', 'L', 0), ('3', N'Equity', 'E', 0), ('4', N'Revenues', 'R', 0), ('5', N'Expenses', 'X', 0);
INSERT accounting.Account (AccountCode, AccountName, AccountKind, ParentId, Postable)
SELECT v.Code, v.Name, p.AccountKind, p.AccountId, v.Postable
FROM
(
    VALUES
        ('11', N'Money', '1', 0), ('12', N'Claims', '1', 0), ('1300', N'Inventory', '1', 1), ('1400', N'Input tax', '1', 1),
        ('2000', N'Suppliers', '2', 1), ('2100', N'Output tax', '2', 1), ('2200', N'Received, not invoiced', '2', 1),
        ('2300', N'Payments of customers', '2', 1), ('3000', N'Capital', '3', 1), ('3100', N'Retained earnings', '3', 1),
        ('4000', N'Sales, standard rate', '4', 1), ('4100', N'Sales, reduced rate', '4', 1), ('4200', N'Fees', '4', 1),
        ('5000', N'Cost of goods sold', '5', 1), ('5100', N'Stock differences', '5', 1), ('5200', N'Bad debts', '5', 1),
        ('5300', N'Bank charges', '5', 1), ('5500', N'Price differences', '5', 1)
) AS v (Code, Name, Parent, Postable)
JOIN accounting.Account AS p ON p.AccountCode = v.Parent;
INSERT accounting.Account (AccountCode, AccountName, AccountKind, ParentId)
SELECT v.Code, v.Name, p.AccountKind, p.AccountId
FROM (VALUES ('1000', N'Cash', '11'), ('1100', N'Bank', '11'), ('1200', N'Customers', '12')) AS v (Code, Name, Parent)
JOIN accounting.Account AS p ON p.AccountCode = v.Parent;
EXEC accounting.OpenFiscalYear 2026;

INSERT security.BranchUser (UserName, BranchId) VALUES (N'anna', 1), (N'bruno', 2);

INSERT party.Supplier (SupplierCode, SupplierName, PaymentDays, MinimumOrder)
VALUES ('ROPE', N'Seiler & Söhne', 14, 0), ('BRASS', N'Messingwerk Ost', 30, 200), ('CLOTH', N'Tuchfabrik Weber', 7, 100);
INSERT catalog.Category (CategoryId, ParentId, CategoryName)
VALUES (1, NULL, N'Rigging'), (2, NULL, N'Deck'), (3, NULL, N'Galley'),
    (11, 1, N'Ropes'), (12, 1, N'Blocks'), (13, 1, N'Shackles'), (21, 2, N'Cleats'), (22, 2, N'Lamps'), (31, 3, N'Provisions'), (32, 3, N'Kits');
INSERT catalog.QuantityDiscount (CategoryId, FromQuantity, DiscountPercent)
VALUES (11, 10, 5), (11, 50, 12), (13, 5, 3), (13, 20, 8), (31, 6, 10);
GO
