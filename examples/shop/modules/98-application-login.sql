-- The login of the programs that drive the shop: it may do everybody's work, and owns nothing. $(AppPassword) is its password.
IF SUSER_ID(N'shop_app') IS NULL
    CREATE LOGIN shop_app WITH PASSWORD = N'$(AppPassword)', DEFAULT_DATABASE = Shop;
GO
USE Shop;
GO
CREATE USER shop_app FOR LOGIN shop_app WITH DEFAULT_SCHEMA = sales;
ALTER ROLE shop_sales ADD MEMBER shop_app;
ALTER ROLE shop_warehouse ADD MEMBER shop_app;
ALTER ROLE shop_purchasing ADD MEMBER shop_app;
ALTER ROLE shop_head_office ADD MEMBER shop_app;
ALTER ROLE shop_reporting ADD MEMBER shop_app;
GRANT EXECUTE ON OBJECT::ref.CurrentDay TO shop_app;
GRANT SELECT ON OBJECT::party.Customer TO shop_app;
GRANT EXECUTE ON OBJECT::test.RunChecks TO shop_app;
GO
