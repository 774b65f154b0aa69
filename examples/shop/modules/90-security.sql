-- Roles and what they may do, users, and which branch's rows they see.
USE Shop;
GO
CREATE ROLE shop_sales;
CREATE ROLE shop_warehouse;
CREATE ROLE shop_purchasing;
CREATE ROLE shop_accounting;
CREATE ROLE shop_reporting;
CREATE ROLE shop_head_office;      -- sees all branches
CREATE APPLICATION ROLE shop_terminal WITH PASSWORD = N'Terminal-of-the-shop-1', DEFAULT_SCHEMA = sales;
GO
-- People do their work by procedures: none may write to a table.
GRANT EXECUTE ON SCHEMA::sales TO shop_sales;
GRANT EXECUTE ON SCHEMA::party TO shop_sales;
GRANT SELECT ON SCHEMA::catalog TO shop_sales, shop_purchasing;
GRANT SELECT ON OBJECT::sales.OrderOverview TO shop_sales;
GRANT SELECT ON OBJECT::party.CustomerDirectory TO shop_sales;
GRANT SELECT ON OBJECT::sales.SalesOrder TO shop_sales;
GRANT EXECUTE ON TYPE::sales.OrderLineList TO shop_sales;
GRANT EXECUTE ON TYPE::ref.IdList TO shop_sales;
DENY EXECUTE ON OBJECT::party.ChangeCreditLimit TO shop_sales;

GRANT EXECUTE ON SCHEMA::stock TO shop_warehouse;
GRANT EXECUTE ON OBJECT::sales.ShipOrder TO shop_warehouse;
GRANT SELECT ON OBJECT::stock.StockOverview TO shop_warehouse;
GRANT SELECT ON OBJECT::stock.PickQueue TO shop_warehouse;
GRANT EXECUTE ON TYPE::stock.CountedList TO shop_warehouse;

GRANT EXECUTE ON SCHEMA::purchasing TO shop_purchasing;
GRANT SELECT ON SCHEMA::purchasing TO shop_purchasing;
GRANT SELECT ON OBJECT::stock.StockOverview TO shop_purchasing;

GRANT EXECUTE, SELECT, VIEW DEFINITION ON SCHEMA::accounting TO shop_accounting;
GRANT EXECUTE ON SCHEMA::staging TO shop_accounting;
GRANT EXECUTE ON OBJECT::party.ChangeCreditLimit TO shop_accounting;
GRANT SELECT ON OBJECT::sales.OpenItems TO shop_accounting;
GRANT SELECT ON OBJECT::sales.Invoice (InvoiceNumber, InvoicedOn, DueOn, GrossAmount) TO shop_accounting;
DENY UPDATE, DELETE ON SCHEMA::accounting TO shop_accounting;

GRANT SELECT, EXECUTE ON SCHEMA::report TO shop_reporting;
DENY SELECT ON OBJECT::party.Customer (Iban) TO shop_reporting;

GRANT EXECUTE ON OBJECT::sales.ImportOrder TO shop_terminal;
GRANT SELECT ON OBJECT::sales.OrderState TO shop_terminal;
GO
CREATE USER anna WITHOUT LOGIN WITH DEFAULT_SCHEMA = sales;         -- sells in the first branch
CREATE USER bruno WITHOUT LOGIN WITH DEFAULT_SCHEMA = sales;        -- sells in the second
CREATE USER clara WITHOUT LOGIN WITH DEFAULT_SCHEMA = accounting;   -- keeps the books of both
CREATE USER dirk WITHOUT LOGIN WITH DEFAULT_SCHEMA = stock;         -- picks
CREATE USER edith WITHOUT LOGIN WITH DEFAULT_SCHEMA = report;       -- reads
GO
ALTER ROLE shop_sales ADD MEMBER anna;
ALTER ROLE shop_sales ADD MEMBER bruno;
ALTER ROLE shop_accounting ADD MEMBER clara;
ALTER ROLE shop_head_office ADD MEMBER clara;
ALTER ROLE shop_warehouse ADD MEMBER dirk;
ALTER ROLE shop_reporting ADD MEMBER edith;
ALTER ROLE shop_head_office ADD MEMBER edith;
GO
-- Whose rows one sees: those of one's branches, all of them at the head office and for the owner of the database.
CREATE FUNCTION security.SeesBranch (@BranchId int)
RETURNS TABLE
WITH SCHEMABINDING
AS
RETURN
    SELECT 1 AS Allowed
    WHERE IS_MEMBER('db_owner') = 1
        OR IS_MEMBER('shop_head_office') = 1
        OR IS_MEMBER('shop_warehouse') = 1
        OR EXISTS (SELECT 1 FROM security.BranchUser AS u WHERE u.UserName = USER_NAME() AND u.BranchId = @BranchId);
GO
CREATE SECURITY POLICY security.BranchPolicy
    ADD FILTER PREDICATE security.SeesBranch(BranchId) ON sales.SalesOrder,
    ADD BLOCK PREDICATE security.SeesBranch(BranchId) ON sales.SalesOrder AFTER INSERT,
    ADD BLOCK PREDICATE security.SeesBranch(BranchId) ON sales.SalesOrder AFTER UPDATE,
    ADD FILTER PREDICATE security.SeesBranch(BranchId) ON party.Customer
    WITH (STATE = ON, SCHEMABINDING = ON);
GO
-- Who may do what, for whoever has to sign for it: EXECUTE AS the owner, since the caller sees only what is the caller's.
CREATE PROCEDURE security.PermissionReport
    @RoleName sysname = N'%'
WITH EXECUTE AS OWNER
AS
BEGIN
    SET NOCOUNT ON;
    SELECT
        r.name AS RoleName,
        p.state_desc AS Decision,
        p.permission_name AS Permission,
        CASE p.class
            WHEN 1 THEN CONCAT(OBJECT_SCHEMA_NAME(p.major_id), N'.', OBJECT_NAME(p.major_id), N'.' + COL_NAME(p.major_id, NULLIF(p.minor_id, 0)))
            WHEN 3 THEN SCHEMA_NAME(p.major_id)
            WHEN 6 THEN TYPE_NAME(p.major_id)
            ELSE p.class_desc
        END AS Securable,
        STRING_AGG(CONVERT(nvarchar(max), m.name), N', ') WITHIN GROUP (ORDER BY m.name) AS Members
    FROM sys.database_permissions AS p
    JOIN sys.database_principals AS r ON r.principal_id = p.grantee_principal_id
    LEFT JOIN sys.database_role_members AS rm ON rm.role_principal_id = r.principal_id
    LEFT JOIN sys.database_principals AS m ON m.principal_id = rm.member_principal_id
    WHERE r.name LIKE @RoleName AND r.name LIKE N'shop[_]%'
    GROUP BY r.name, p.state_desc, p.permission_name, p.class, p.class_desc, p.major_id, p.minor_id
    ORDER BY r.name, Securable, p.permission_name;
END;
GO
