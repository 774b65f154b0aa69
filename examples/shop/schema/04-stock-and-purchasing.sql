-- Warehouses, movements, reservations, the queue of the pickers, counts; purchase orders and receipts.
USE Shop;
GO
CREATE TABLE stock.Warehouse
(
    WarehouseId   int NOT NULL CONSTRAINT PK_Warehouse PRIMARY KEY,
    WarehouseCode ref.Code CONSTRAINT UQ_Warehouse_Code UNIQUE,
    BranchId      int NOT NULL CONSTRAINT FK_Warehouse_Branch REFERENCES ref.Branch (BranchId)
);

CREATE TABLE stock.Bin
(
    BinId       int IDENTITY (1, 1) NOT NULL CONSTRAINT PK_Bin PRIMARY KEY,
    WarehouseId int      NOT NULL CONSTRAINT FK_Bin_Warehouse REFERENCES stock.Warehouse (WarehouseId),
    Aisle       char(1)  NOT NULL CONSTRAINT CK_Bin_Aisle CHECK (Aisle LIKE '[A-Z]'),
    Shelf       tinyint  NOT NULL,
    BinCode     AS CONCAT(Aisle, '-', RIGHT(CONCAT('00', Shelf), 2)),
    CapacityLitres decimal(9, 2) NOT NULL CONSTRAINT DF_Bin_Capacity DEFAULT (500),
    CONSTRAINT UQ_Bin UNIQUE (WarehouseId, Aisle, Shelf)
);

-- What is there. The trigger of stock.Movement keeps OnHand and StockValue, that of stock.Reservation keeps Reserved.
CREATE TABLE stock.StockLevel
(
    WarehouseId int NOT NULL CONSTRAINT FK_StockLevel_Warehouse REFERENCES stock.Warehouse (WarehouseId),
    ProductId   int NOT NULL CONSTRAINT FK_StockLevel_Product REFERENCES catalog.Product (ProductId),
    BinId       int NULL CONSTRAINT FK_StockLevel_Bin REFERENCES stock.Bin (BinId),
    OnHand      ref.Quantity CONSTRAINT DF_StockLevel_OnHand DEFAULT (0) CONSTRAINT CK_StockLevel_OnHand CHECK (OnHand >= 0),
    Reserved    ref.Quantity CONSTRAINT DF_StockLevel_Reserved DEFAULT (0) CONSTRAINT CK_StockLevel_Reserved CHECK (Reserved >= 0),
    StockValue  ref.Amount CONSTRAINT DF_StockLevel_Value DEFAULT (0),
    ReorderPoint ref.Quantity CONSTRAINT DF_StockLevel_ReorderPoint DEFAULT (0),
    TargetLevel  ref.Quantity CONSTRAINT DF_StockLevel_Target DEFAULT (0),
    Available   AS OnHand - Reserved PERSISTED,
    AverageCost AS CASE WHEN OnHand > 0 THEN CONVERT(decimal(19, 6), StockValue / OnHand) END,
    Version     rowversion NOT NULL,
    CONSTRAINT PK_StockLevel PRIMARY KEY (WarehouseId, ProductId),
    CONSTRAINT CK_StockLevel_Empty CHECK (OnHand > 0 OR StockValue = 0),
    CONSTRAINT CK_StockLevel_Target CHECK (TargetLevel >= ReorderPoint)
);
CREATE INDEX IX_StockLevel_Available ON stock.StockLevel (ProductId, Available DESC) INCLUDE (ReorderPoint, TargetLevel);

CREATE TABLE stock.MovementKind
(
    MovementKind char(4)  NOT NULL CONSTRAINT PK_MovementKind PRIMARY KEY,
    KindName     ref.Name,
    Direction    smallint NOT NULL CONSTRAINT CK_MovementKind_Direction CHECK (Direction IN (-1, 0, 1))
);

CREATE TABLE stock.Movement
(
    MovementId   bigint IDENTITY (1, 1) NOT NULL CONSTRAINT PK_Movement PRIMARY KEY,
    BusinessDate date    NOT NULL,
    WarehouseId  int     NOT NULL,
    ProductId    int     NOT NULL,
    MovementKind char(4) NOT NULL CONSTRAINT FK_Movement_Kind REFERENCES stock.MovementKind (MovementKind),
    Quantity     ref.Quantity CONSTRAINT CK_Movement_Quantity CHECK (Quantity <> 0),
    MovementValue ref.Amount,
    DocumentId   int     NULL,
    PostedAt     datetime2(3) NOT NULL CONSTRAINT DF_Movement_PostedAt DEFAULT (SYSUTCDATETIME()),
    PostedBy     sysname NOT NULL CONSTRAINT DF_Movement_PostedBy DEFAULT (USER_NAME()),
    CONSTRAINT FK_Movement_StockLevel FOREIGN KEY (WarehouseId, ProductId) REFERENCES stock.StockLevel (WarehouseId, ProductId),
    CONSTRAINT CK_Movement_Sign CHECK (SIGN(Quantity) = SIGN(MovementValue) OR MovementValue = 0)
);
CREATE INDEX IX_Movement_Product ON stock.Movement (ProductId, WarehouseId, BusinessDate) INCLUDE (Quantity, MovementValue);
CREATE INDEX IX_Movement_Document ON stock.Movement (MovementKind, DocumentId);

CREATE TABLE stock.CountSheet
(
    CountSheetId int IDENTITY (1, 1) NOT NULL CONSTRAINT PK_CountSheet PRIMARY KEY,
    CountNumber  smallint NOT NULL CONSTRAINT DF_CountSheet_Number DEFAULT (NEXT VALUE FOR stock.CountNumber),
    WarehouseId  int      NOT NULL CONSTRAINT FK_CountSheet_Warehouse REFERENCES stock.Warehouse (WarehouseId),
    CountedOn    date     NOT NULL,
    State        char(1)  NOT NULL CONSTRAINT DF_CountSheet_State DEFAULT ('O')
        CONSTRAINT CK_CountSheet_State CHECK (State IN ('O', 'P'))
);
CREATE UNIQUE INDEX UX_CountSheet_Open ON stock.CountSheet (WarehouseId) WHERE State = 'O';

CREATE TABLE stock.CountLine
(
    CountSheetId int NOT NULL CONSTRAINT FK_CountLine_Sheet REFERENCES stock.CountSheet (CountSheetId) ON DELETE CASCADE,
    ProductId    int NOT NULL CONSTRAINT FK_CountLine_Product REFERENCES catalog.Product (ProductId),
    Expected     ref.Quantity,
    Counted      decimal(18, 3) NULL CONSTRAINT CK_CountLine_Counted CHECK (Counted >= 0),
    Difference   AS Counted - Expected,
    CONSTRAINT PK_CountLine PRIMARY KEY (CountSheetId, ProductId)
);

CREATE TABLE stock.ProductionOrder
(
    ProductionOrderId int IDENTITY (1, 1) NOT NULL CONSTRAINT PK_ProductionOrder PRIMARY KEY,
    WarehouseId       int  NOT NULL CONSTRAINT FK_ProductionOrder_Warehouse REFERENCES stock.Warehouse (WarehouseId),
    ProductId         int  NOT NULL CONSTRAINT FK_ProductionOrder_Product REFERENCES catalog.Product (ProductId),
    Quantity          ref.Quantity CONSTRAINT CK_ProductionOrder_Quantity CHECK (Quantity > 0),
    ProducedOn        date NOT NULL
);

CREATE TABLE purchasing.SupplierItem
(
    SupplierId   int NOT NULL CONSTRAINT FK_SupplierItem_Supplier REFERENCES party.Supplier (SupplierId),
    ProductId    int NOT NULL CONSTRAINT FK_SupplierItem_Product REFERENCES catalog.Product (ProductId),
    UnitCost     ref.Amount CONSTRAINT CK_SupplierItem_Cost CHECK (UnitCost > 0),
    PackSize     ref.Quantity CONSTRAINT DF_SupplierItem_Pack DEFAULT (1),
    LeadDays     smallint NOT NULL CONSTRAINT DF_SupplierItem_Lead DEFAULT (3),
    Preferred    bit      NOT NULL CONSTRAINT DF_SupplierItem_Preferred DEFAULT (0),
    CONSTRAINT PK_SupplierItem PRIMARY KEY (SupplierId, ProductId)
);
CREATE UNIQUE INDEX UX_SupplierItem_Preferred ON purchasing.SupplierItem (ProductId) INCLUDE (UnitCost, PackSize, LeadDays) WHERE Preferred = 1;

CREATE TABLE purchasing.PurchaseOrder
(
    PurchaseOrderId int IDENTITY (1, 1) NOT NULL CONSTRAINT PK_PurchaseOrder PRIMARY KEY,
    OrderNumber     int     NOT NULL CONSTRAINT DF_PurchaseOrder_Number DEFAULT (NEXT VALUE FOR purchasing.OrderNumber)
        CONSTRAINT UQ_PurchaseOrder_Number UNIQUE,
    SupplierId      int     NOT NULL CONSTRAINT FK_PurchaseOrder_Supplier REFERENCES party.Supplier (SupplierId),
    WarehouseId     int     NOT NULL CONSTRAINT FK_PurchaseOrder_Warehouse REFERENCES stock.Warehouse (WarehouseId),
    OrderedOn       date    NOT NULL,
    DueOn           date    NOT NULL,
    State           char(1) NOT NULL CONSTRAINT DF_PurchaseOrder_State DEFAULT ('O')
        CONSTRAINT CK_PurchaseOrder_State CHECK (State IN ('O', 'P', 'R', 'X')),   -- open, partly received, received, cancelled
    CONSTRAINT CK_PurchaseOrder_Due CHECK (DueOn >= OrderedOn)
);
CREATE INDEX IX_PurchaseOrder_Due ON purchasing.PurchaseOrder (DueOn) INCLUDE (SupplierId) WHERE State IN ('O', 'P');

CREATE TABLE purchasing.PurchaseOrderLine
(
    PurchaseOrderLineId int IDENTITY (1, 1) NOT NULL CONSTRAINT PK_PurchaseOrderLine PRIMARY KEY,
    PurchaseOrderId     int NOT NULL CONSTRAINT FK_PurchaseOrderLine_Order REFERENCES purchasing.PurchaseOrder (PurchaseOrderId) ON DELETE CASCADE,
    ProductId           int NOT NULL CONSTRAINT FK_PurchaseOrderLine_Product REFERENCES catalog.Product (ProductId),
    Quantity            ref.Quantity CONSTRAINT CK_PurchaseOrderLine_Quantity CHECK (Quantity > 0),
    Received            ref.Quantity CONSTRAINT DF_PurchaseOrderLine_Received DEFAULT (0),
    UnitCost            ref.Amount,
    Outstanding         AS Quantity - Received PERSISTED,
    CONSTRAINT UQ_PurchaseOrderLine UNIQUE (PurchaseOrderId, ProductId),
    CONSTRAINT CK_PurchaseOrderLine_Received CHECK (Received BETWEEN 0 AND Quantity)
);
CREATE INDEX IX_PurchaseOrderLine_Outstanding ON purchasing.PurchaseOrderLine (ProductId, Outstanding);

CREATE TABLE purchasing.GoodsReceipt
(
    GoodsReceiptId  int IDENTITY (1, 1) NOT NULL CONSTRAINT PK_GoodsReceipt PRIMARY KEY,
    PurchaseOrderId int  NOT NULL CONSTRAINT FK_GoodsReceipt_Order REFERENCES purchasing.PurchaseOrder (PurchaseOrderId),
    ReceivedOn      date NOT NULL,
    DeliveryNote    varchar(40) NULL,
    INDEX IX_GoodsReceipt_Order (PurchaseOrderId)
);

CREATE TABLE purchasing.GoodsReceiptLine
(
    GoodsReceiptId      int NOT NULL CONSTRAINT FK_GoodsReceiptLine_Receipt REFERENCES purchasing.GoodsReceipt (GoodsReceiptId),
    PurchaseOrderLineId int NOT NULL CONSTRAINT FK_GoodsReceiptLine_Line REFERENCES purchasing.PurchaseOrderLine (PurchaseOrderLineId),
    Quantity            ref.Quantity,
    ReceiptValue        ref.Amount,
    CONSTRAINT PK_GoodsReceiptLine PRIMARY KEY (GoodsReceiptId, PurchaseOrderLineId)
);

CREATE TABLE purchasing.SupplierInvoice
(
    SupplierInvoiceId int IDENTITY (1, 1) NOT NULL CONSTRAINT PK_SupplierInvoice PRIMARY KEY,
    SupplierId        int  NOT NULL CONSTRAINT FK_SupplierInvoice_Supplier REFERENCES party.Supplier (SupplierId),
    GoodsReceiptId    int  NOT NULL CONSTRAINT FK_SupplierInvoice_Receipt REFERENCES purchasing.GoodsReceipt (GoodsReceiptId)
        CONSTRAINT UQ_SupplierInvoice_Receipt UNIQUE,
    TheirNumber       varchar(40) NOT NULL,
    InvoicedOn        date NOT NULL,
    DueOn             date NOT NULL,
    NetAmount         ref.Amount,
    TaxAmount         ref.Amount,
    PaidAmount        ref.Amount CONSTRAINT DF_SupplierInvoice_Paid DEFAULT (0),
    GrossAmount       AS NetAmount + TaxAmount PERSISTED,
    OpenAmount        AS NetAmount + TaxAmount - PaidAmount PERSISTED,
    CONSTRAINT UQ_SupplierInvoice_Number UNIQUE (SupplierId, TheirNumber),
    CONSTRAINT CK_SupplierInvoice_Paid CHECK (PaidAmount BETWEEN 0 AND NetAmount + TaxAmount)
);
CREATE INDEX IX_SupplierInvoice_Due ON purchasing.SupplierInvoice (DueOn, OpenAmount);

CREATE TABLE purchasing.ReorderProposal
(
    ProposalId  int IDENTITY (1, 1) NOT NULL CONSTRAINT PK_ReorderProposal PRIMARY KEY,
    ProposedOn  date NOT NULL,
    WarehouseId int  NOT NULL CONSTRAINT FK_ReorderProposal_Warehouse REFERENCES stock.Warehouse (WarehouseId),
    ProductId   int  NOT NULL CONSTRAINT FK_ReorderProposal_Product REFERENCES catalog.Product (ProductId),
    SupplierId  int  NOT NULL CONSTRAINT FK_ReorderProposal_Supplier REFERENCES party.Supplier (SupplierId),
    Quantity    ref.Quantity,
    PurchaseOrderId int NULL CONSTRAINT FK_ReorderProposal_Order REFERENCES purchasing.PurchaseOrder (PurchaseOrderId)
);
CREATE UNIQUE INDEX UX_ReorderProposal_Pending ON purchasing.ReorderProposal (WarehouseId, ProductId) WHERE PurchaseOrderId IS NULL;
GO
