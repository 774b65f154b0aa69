-- Customers and suppliers, products, bills of material and prices.
USE Shop;
GO
CREATE TABLE party.CustomerGroup
(
    GroupCode       ref.Code CONSTRAINT PK_CustomerGroup PRIMARY KEY,
    GroupName       ref.Name,
    DiscountPercent ref.Percentage CONSTRAINT DF_CustomerGroup_Discount DEFAULT (0)
        CONSTRAINT CK_CustomerGroup_Discount CHECK (DiscountPercent BETWEEN 0 AND 50),
    PaymentDays     smallint NOT NULL CONSTRAINT DF_CustomerGroup_Days DEFAULT (30)
        CONSTRAINT CK_CustomerGroup_Days CHECK (PaymentDays BETWEEN 0 AND 120)
);

CREATE TABLE party.Customer
(
    CustomerId     int IDENTITY (1, 1) NOT NULL CONSTRAINT PK_Customer PRIMARY KEY,
    CustomerNumber int           NOT NULL CONSTRAINT DF_Customer_Number DEFAULT (NEXT VALUE FOR party.CustomerNumber)
        CONSTRAINT UQ_Customer_Number UNIQUE,
    CustomerName   ref.Name,
    GroupCode      ref.Code CONSTRAINT DF_Customer_Group DEFAULT ('STD')
        CONSTRAINT FK_Customer_Group REFERENCES party.CustomerGroup (GroupCode),
    BranchId       int           NOT NULL CONSTRAINT FK_Customer_Branch REFERENCES ref.Branch (BranchId),
    Email          nvarchar(254) NULL,
    Iban           varchar(34)   NULL,
    -- For searching: upper case, without blanks, dots and hyphens.
    SearchName     AS CONVERT(nvarchar(100), UPPER(REPLACE(REPLACE(REPLACE(CustomerName, N' ', N''), N'.', N''), N'-', N''))) PERSISTED NOT NULL,
    Active         bit           NOT NULL CONSTRAINT DF_Customer_Active DEFAULT (1),
    CreatedOn      date          NOT NULL,
    Version        rowversion    NOT NULL,
    CONSTRAINT CK_Customer_Email CHECK (Email LIKE N'%_@_%._%')
);
CREATE INDEX IX_Customer_SearchName ON party.Customer (SearchName) INCLUDE (CustomerNumber, GroupCode);
CREATE UNIQUE INDEX UX_Customer_Iban ON party.Customer (Iban) WHERE Iban IS NOT NULL AND Active = 1;
CREATE INDEX IX_Customer_Branch ON party.Customer (BranchId);

CREATE TABLE party.CustomerAddress
(
    CustomerId  int       NOT NULL CONSTRAINT FK_CustomerAddress_Customer REFERENCES party.Customer (CustomerId) ON DELETE CASCADE,
    AddressKind char(1)   NOT NULL CONSTRAINT CK_CustomerAddress_Kind CHECK (AddressKind IN ('B', 'D')),
    Street      ref.Name,
    PostalCode  varchar(10) NOT NULL,
    City        ref.Name,
    CountryCode char(2)   NOT NULL CONSTRAINT DF_CustomerAddress_Country DEFAULT ('DE'),
    CONSTRAINT PK_CustomerAddress PRIMARY KEY (CustomerId, AddressKind)
);

-- Who allowed how much, and when: the history is kept by the server.
CREATE TABLE party.CreditLimit
(
    CustomerId  int        NOT NULL CONSTRAINT PK_CreditLimit PRIMARY KEY
        CONSTRAINT FK_CreditLimit_Customer REFERENCES party.Customer (CustomerId),
    CreditLimit ref.Amount CONSTRAINT CK_CreditLimit_Amount CHECK (CreditLimit >= 0),
    Reason      nvarchar(200) NULL,
    ValidFrom   datetime2(3) GENERATED ALWAYS AS ROW START HIDDEN NOT NULL,
    ValidTo     datetime2(3) GENERATED ALWAYS AS ROW END HIDDEN NOT NULL,
    PERIOD FOR SYSTEM_TIME (ValidFrom, ValidTo)
)
WITH (SYSTEM_VERSIONING = ON (HISTORY_TABLE = party.CreditLimitHistory));

CREATE TABLE party.Supplier
(
    SupplierId   int IDENTITY (1, 1) NOT NULL CONSTRAINT PK_Supplier PRIMARY KEY,
    SupplierCode ref.Code CONSTRAINT UQ_Supplier_Code UNIQUE,
    SupplierName ref.Name,
    PaymentDays  smallint NOT NULL CONSTRAINT DF_Supplier_Days DEFAULT (14),
    MinimumOrder ref.Amount CONSTRAINT DF_Supplier_Minimum DEFAULT (0)
);

CREATE TABLE catalog.Category
(
    CategoryId   int      NOT NULL CONSTRAINT PK_Category PRIMARY KEY,
    ParentId     int      NULL CONSTRAINT FK_Category_Parent REFERENCES catalog.Category (CategoryId),
    CategoryName ref.Name,
    CONSTRAINT UQ_Category_Name UNIQUE (ParentId, CategoryName),
    CONSTRAINT CK_Category_Parent CHECK (ParentId <> CategoryId)
);

CREATE TABLE catalog.Product
(
    ProductId     int IDENTITY (1, 1) NOT NULL CONSTRAINT PK_Product PRIMARY KEY NONCLUSTERED,
    Sku           ref.Code CONSTRAINT UQ_Product_Sku UNIQUE CLUSTERED,
    ProductName   ref.Name,
    CategoryId    int      NOT NULL CONSTRAINT FK_Product_Category REFERENCES catalog.Category (CategoryId),
    UnitCode      char(3)  NOT NULL CONSTRAINT FK_Product_Unit REFERENCES ref.Unit (UnitCode),
    TaxCode       char(3)  NOT NULL CONSTRAINT FK_Product_TaxCode REFERENCES ref.TaxCode (TaxCode),
    LengthMm      int      NULL,
    WidthMm       int      NULL,
    HeightMm      int      NULL,
    VolumeLitres  AS CONVERT(decimal(18, 4), CONVERT(decimal(18, 4), LengthMm) * WidthMm * HeightMm / 1000000) PERSISTED,
    Discontinued  bit      NOT NULL CONSTRAINT DF_Product_Discontinued DEFAULT (0),
    Attributes    xml      NULL,
    Version       rowversion NOT NULL,
    CONSTRAINT CK_Product_Size CHECK (LengthMm > 0 AND WidthMm > 0 AND HeightMm > 0)
);
CREATE INDEX IX_Product_Category ON catalog.Product (CategoryId) INCLUDE (ProductName, TaxCode) WHERE Discontinued = 0;
CREATE INDEX IX_Product_Volume ON catalog.Product (VolumeLitres);

CREATE TABLE catalog.ProductBarcode
(
    Barcode   char(13) NOT NULL CONSTRAINT PK_ProductBarcode PRIMARY KEY
        CONSTRAINT CK_ProductBarcode_Digits CHECK (Barcode NOT LIKE '%[^0-9]%'),
    ProductId int      NOT NULL CONSTRAINT FK_ProductBarcode_Product REFERENCES catalog.Product (ProductId) ON DELETE CASCADE
);

CREATE TABLE catalog.BillOfMaterial
(
    ProductId   int NOT NULL CONSTRAINT FK_BillOfMaterial_Product REFERENCES catalog.Product (ProductId),
    ComponentId int NOT NULL CONSTRAINT FK_BillOfMaterial_Component REFERENCES catalog.Product (ProductId),
    Quantity    ref.Quantity CONSTRAINT CK_BillOfMaterial_Quantity CHECK (Quantity > 0),
    CONSTRAINT PK_BillOfMaterial PRIMARY KEY (ProductId, ComponentId),
    CONSTRAINT CK_BillOfMaterial_Self CHECK (ProductId <> ComponentId)
);
CREATE INDEX IX_BillOfMaterial_Component ON catalog.BillOfMaterial (ComponentId);

CREATE TABLE catalog.ListPrice
(
    ProductId int        NOT NULL CONSTRAINT PK_ListPrice PRIMARY KEY
        CONSTRAINT FK_ListPrice_Product REFERENCES catalog.Product (ProductId),
    NetPrice  ref.Amount CONSTRAINT CK_ListPrice_Price CHECK (NetPrice > 0),
    ValidFrom datetime2(7) GENERATED ALWAYS AS ROW START NOT NULL,
    ValidTo   datetime2(7) GENERATED ALWAYS AS ROW END NOT NULL,
    PERIOD FOR SYSTEM_TIME (ValidFrom, ValidTo)
)
WITH (SYSTEM_VERSIONING = ON (HISTORY_TABLE = catalog.ListPriceHistory, DATA_CONSISTENCY_CHECK = ON));

CREATE TABLE catalog.QuantityDiscount
(
    CategoryId      int NOT NULL CONSTRAINT FK_QuantityDiscount_Category REFERENCES catalog.Category (CategoryId),
    FromQuantity    ref.Quantity CONSTRAINT CK_QuantityDiscount_From CHECK (FromQuantity > 1),
    DiscountPercent ref.Percentage CONSTRAINT CK_QuantityDiscount_Percent CHECK (DiscountPercent BETWEEN 0 AND 60),
    CONSTRAINT PK_QuantityDiscount PRIMARY KEY (CategoryId, FromQuantity)
);

CREATE TABLE catalog.Promotion
(
    PromotionId     int IDENTITY (1, 1) NOT NULL CONSTRAINT PK_Promotion PRIMARY KEY,
    ProductId       int NOT NULL CONSTRAINT FK_Promotion_Product REFERENCES catalog.Product (ProductId),
    FirstDay        date NOT NULL,
    LastDay         date NOT NULL,
    DiscountPercent ref.Percentage CONSTRAINT CK_Promotion_Percent CHECK (DiscountPercent > 0 AND DiscountPercent <= 90),
    Days            AS DATEDIFF(DAY, FirstDay, LastDay) + 1,
    CONSTRAINT CK_Promotion_Days CHECK (FirstDay <= LastDay),
    INDEX IX_Promotion_Product (ProductId, FirstDay, LastDay)
);
GO
-- Names by which other departments have always called these.
CREATE SYNONYM catalog.Article FOR catalog.Product;
CREATE SYNONYM party.Debtor FOR party.Customer;
CREATE SYNONYM party.Creditor FOR party.Supplier;
GO
