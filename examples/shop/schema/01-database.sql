-- The database, its schemas, alias types, table types and sequences.
SET NOCOUNT ON;
GO
IF DB_ID(N'Shop') IS NOT NULL
BEGIN
    ALTER DATABASE Shop SET SINGLE_USER WITH ROLLBACK IMMEDIATE;
    DROP DATABASE Shop;
END;
GO
CREATE DATABASE Shop;
GO
ALTER DATABASE Shop SET READ_COMMITTED_SNAPSHOT ON WITH ROLLBACK IMMEDIATE;
ALTER DATABASE Shop SET ALLOW_SNAPSHOT_ISOLATION ON;
GO
USE Shop;
GO
CREATE SCHEMA ref AUTHORIZATION dbo;          -- what everything else refers to
GO
CREATE SCHEMA party AUTHORIZATION dbo;        -- customers and suppliers
GO
CREATE SCHEMA catalog AUTHORIZATION dbo;      -- products and their prices
GO
CREATE SCHEMA stock AUTHORIZATION dbo;
GO
CREATE SCHEMA purchasing AUTHORIZATION dbo;
GO
CREATE SCHEMA sales AUTHORIZATION dbo;
GO
CREATE SCHEMA accounting AUTHORIZATION dbo;
GO
CREATE SCHEMA staging AUTHORIZATION dbo;      -- what comes from outside, before it is believed
GO
CREATE SCHEMA audit AUTHORIZATION dbo;
GO
CREATE SCHEMA security AUTHORIZATION dbo;
GO
CREATE SCHEMA report AUTHORIZATION dbo;
GO
CREATE SCHEMA test AUTHORIZATION dbo;         -- the invariants, and a source of repeatable choices
GO

-- Alias types: one definition for what means the same in every table.
CREATE TYPE ref.Code FROM varchar(20) NOT NULL;
CREATE TYPE ref.Name FROM nvarchar(100) NOT NULL;
CREATE TYPE ref.Amount FROM decimal(19, 2) NOT NULL;
CREATE TYPE ref.Quantity FROM decimal(18, 3) NOT NULL;
CREATE TYPE ref.Percentage FROM decimal(7, 4) NOT NULL;
GO

-- Table types: the parameters of procedures that take several rows at once.
CREATE TYPE ref.IdList AS TABLE
(
    Id int NOT NULL PRIMARY KEY
);
CREATE TYPE sales.OrderLineList AS TABLE
(
    LineNumber      int            NOT NULL PRIMARY KEY,
    Sku             varchar(20)    NOT NULL,
    Quantity        decimal(18, 3) NOT NULL CHECK (Quantity > 0),
    DiscountPercent decimal(7, 4)  NULL CHECK (DiscountPercent BETWEEN 0 AND 100)
);
CREATE TYPE purchasing.ReceiptLineList AS TABLE
(
    PurchaseOrderLineId int            NOT NULL PRIMARY KEY,
    Quantity            decimal(18, 3) NOT NULL CHECK (Quantity > 0)
);
CREATE TYPE accounting.EntryLineList AS TABLE
(
    LineNumber  int IDENTITY (1, 1) NOT NULL PRIMARY KEY,
    AccountCode varchar(20)    NOT NULL,
    Debit       decimal(19, 2) NOT NULL DEFAULT (0),
    Credit      decimal(19, 2) NOT NULL DEFAULT (0),
    CustomerId  int            NULL,
    SupplierId  int            NULL,
    LineText    nvarchar(200)  NULL,
    CHECK (Debit >= 0 AND Credit >= 0 AND NOT (Debit > 0 AND Credit > 0)),
    INDEX IX_Account (AccountCode)
);
CREATE TYPE stock.CountedList AS TABLE
(
    Sku     varchar(20)    NOT NULL PRIMARY KEY,
    Counted decimal(18, 3) NOT NULL CHECK (Counted >= 0)
);
GO

-- Numbers that may have gaps come from sequences. Invoices and journal entries may not have gaps: see ref.NumberRange.
CREATE SEQUENCE sales.OrderNumber AS int START WITH 100001 INCREMENT BY 1 MINVALUE 100001 CACHE 20;
CREATE SEQUENCE sales.ShipmentNumber AS int START WITH 500001 NO CACHE;
CREATE SEQUENCE party.CustomerNumber AS int START WITH 10001 CACHE 10;
CREATE SEQUENCE purchasing.OrderNumber AS int START WITH 700001;
CREATE SEQUENCE stock.CountNumber AS smallint START WITH 1 MAXVALUE 9999 CYCLE;
GO
