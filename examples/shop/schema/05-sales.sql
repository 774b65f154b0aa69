-- Orders, reservations and picking, shipments, invoices, payments, dunning.
USE Shop;
GO
CREATE TABLE sales.OrderState
(
    State     char(1)  NOT NULL CONSTRAINT PK_OrderState PRIMARY KEY,
    StateName ref.Name
);

-- Which state may follow which; the trigger of sales.SalesOrder holds orders to it.
CREATE TABLE sales.OrderTransition
(
    FromState char(1) NOT NULL CONSTRAINT FK_OrderTransition_From REFERENCES sales.OrderState (State),
    ToState   char(1) NOT NULL CONSTRAINT FK_OrderTransition_To REFERENCES sales.OrderState (State),
    CONSTRAINT PK_OrderTransition PRIMARY KEY (FromState, ToState)
);

CREATE TABLE sales.SalesOrder
(
    SalesOrderId int IDENTITY (1, 1) NOT NULL CONSTRAINT PK_SalesOrder PRIMARY KEY,
    OrderNumber  int     NOT NULL CONSTRAINT DF_SalesOrder_Number DEFAULT (NEXT VALUE FOR sales.OrderNumber)
        CONSTRAINT UQ_SalesOrder_Number UNIQUE,
    CustomerId   int     NOT NULL CONSTRAINT FK_SalesOrder_Customer REFERENCES party.Customer (CustomerId),
    BranchId     int     NOT NULL CONSTRAINT FK_SalesOrder_Branch REFERENCES ref.Branch (BranchId),
    WarehouseId  int     NOT NULL CONSTRAINT FK_SalesOrder_Warehouse REFERENCES stock.Warehouse (WarehouseId),
    OrderedOn    date    NOT NULL,
    State        char(1) NOT NULL CONSTRAINT DF_SalesOrder_State DEFAULT ('N')
        CONSTRAINT FK_SalesOrder_State REFERENCES sales.OrderState (State),
    CustomerReference nvarchar(40) NULL,
    Version      rowversion NOT NULL
);
CREATE INDEX IX_SalesOrder_Customer ON sales.SalesOrder (CustomerId, OrderedOn DESC) INCLUDE (State);
CREATE INDEX IX_SalesOrder_Working ON sales.SalesOrder (State, OrderedOn) INCLUDE (WarehouseId) WHERE State IN ('N', 'R');
CREATE UNIQUE INDEX UX_SalesOrder_Reference ON sales.SalesOrder (CustomerId, CustomerReference) WHERE CustomerReference IS NOT NULL;

CREATE TABLE sales.SalesOrderLine
(
    SalesOrderLineId int IDENTITY (1, 1) NOT NULL CONSTRAINT PK_SalesOrderLine PRIMARY KEY,
    SalesOrderId     int NOT NULL CONSTRAINT FK_SalesOrderLine_Order REFERENCES sales.SalesOrder (SalesOrderId) ON DELETE CASCADE,
    LineNumber       int NOT NULL,
    ProductId        int NOT NULL CONSTRAINT FK_SalesOrderLine_Product REFERENCES catalog.Product (ProductId),
    Quantity         ref.Quantity CONSTRAINT CK_SalesOrderLine_Quantity CHECK (Quantity > 0),
    NetPrice         ref.Amount CONSTRAINT CK_SalesOrderLine_Price CHECK (NetPrice >= 0),
    DiscountPercent  ref.Percentage CONSTRAINT DF_SalesOrderLine_Discount DEFAULT (0),
    LineAmount       AS CONVERT(decimal(19, 2), ROUND(Quantity * NetPrice * (100 - DiscountPercent) / 100, 2)) PERSISTED NOT NULL,
    CONSTRAINT UQ_SalesOrderLine UNIQUE (SalesOrderId, LineNumber),
    CONSTRAINT CK_SalesOrderLine_Discount CHECK (DiscountPercent BETWEEN 0 AND 100)
);
CREATE INDEX IX_SalesOrderLine_Product ON sales.SalesOrderLine (ProductId) INCLUDE (SalesOrderId, Quantity, LineAmount);

CREATE TABLE stock.Reservation
(
    ReservationId    int IDENTITY (1, 1) NOT NULL CONSTRAINT PK_Reservation PRIMARY KEY,
    SalesOrderLineId int NOT NULL CONSTRAINT FK_Reservation_Line REFERENCES sales.SalesOrderLine (SalesOrderLineId),
    WarehouseId      int NOT NULL,
    ProductId        int NOT NULL,
    Quantity         ref.Quantity CONSTRAINT CK_Reservation_Quantity CHECK (Quantity > 0),
    ExpiresOn        date NOT NULL,
    CONSTRAINT FK_Reservation_StockLevel FOREIGN KEY (WarehouseId, ProductId) REFERENCES stock.StockLevel (WarehouseId, ProductId),
    CONSTRAINT UQ_Reservation_Line UNIQUE (SalesOrderLineId)
);
CREATE INDEX IX_Reservation_Product ON stock.Reservation (WarehouseId, ProductId) INCLUDE (Quantity, ExpiresOn);

-- The queue of the pickers: tasks are claimed with UPDLOCK and READPAST, so that nobody waits for anybody.
CREATE TABLE stock.PickTask
(
    PickTaskId   int IDENTITY (1, 1) NOT NULL CONSTRAINT PK_PickTask PRIMARY KEY,
    SalesOrderId int      NOT NULL CONSTRAINT FK_PickTask_Order REFERENCES sales.SalesOrder (SalesOrderId)
        CONSTRAINT UQ_PickTask_Order UNIQUE,
    WarehouseId  int      NOT NULL CONSTRAINT FK_PickTask_Warehouse REFERENCES stock.Warehouse (WarehouseId),
    Priority     tinyint  NOT NULL CONSTRAINT DF_PickTask_Priority DEFAULT (5),
    State        char(1)  NOT NULL CONSTRAINT DF_PickTask_State DEFAULT ('Q') CONSTRAINT CK_PickTask_State CHECK (State IN ('Q', 'C', 'D')),
    ClaimedBy    sysname  NULL,
    ClaimedAt    datetime2(3) NULL,
    DoneAt       datetime2(3) NULL,
    CONSTRAINT CK_PickTask_Claimed CHECK (State = 'Q' OR ClaimedBy IS NOT NULL)
);
CREATE INDEX IX_PickTask_Queue ON stock.PickTask (WarehouseId, Priority, PickTaskId) WHERE State = 'Q';

CREATE TABLE sales.Shipment
(
    ShipmentId     int IDENTITY (1, 1) NOT NULL CONSTRAINT PK_Shipment PRIMARY KEY,
    ShipmentNumber int  NOT NULL CONSTRAINT DF_Shipment_Number DEFAULT (NEXT VALUE FOR sales.ShipmentNumber)
        CONSTRAINT UQ_Shipment_Number UNIQUE,
    SalesOrderId   int  NOT NULL CONSTRAINT FK_Shipment_Order REFERENCES sales.SalesOrder (SalesOrderId) CONSTRAINT UQ_Shipment_Order UNIQUE,
    ShippedOn      date NOT NULL,
    TrackingCode   AS CONCAT('TF', RIGHT(CONCAT('0000000', ShipmentNumber), 8), 'DE')
);

CREATE TABLE sales.ShipmentLine
(
    ShipmentLineId   int IDENTITY (1, 1) NOT NULL CONSTRAINT PK_ShipmentLine PRIMARY KEY,
    ShipmentId       int NOT NULL CONSTRAINT FK_ShipmentLine_Shipment REFERENCES sales.Shipment (ShipmentId),
    SalesOrderLineId int NOT NULL CONSTRAINT FK_ShipmentLine_OrderLine REFERENCES sales.SalesOrderLine (SalesOrderLineId)
        CONSTRAINT UQ_ShipmentLine_OrderLine UNIQUE,
    Quantity         ref.Quantity,
    CostValue        ref.Amount
);
CREATE INDEX IX_ShipmentLine_Shipment ON sales.ShipmentLine (ShipmentId);

CREATE TABLE sales.Invoice
(
    InvoiceId     int IDENTITY (1, 1) NOT NULL CONSTRAINT PK_Invoice PRIMARY KEY,
    InvoiceNumber varchar(20) NOT NULL CONSTRAINT UQ_Invoice_Number UNIQUE,
    Kind          char(1) NOT NULL CONSTRAINT CK_Invoice_Kind CHECK (Kind IN ('I', 'C', 'F')),     -- invoice, credit note, fee
    CustomerId    int     NOT NULL CONSTRAINT FK_Invoice_Customer REFERENCES party.Customer (CustomerId),
    ShipmentId    int     NULL CONSTRAINT FK_Invoice_Shipment REFERENCES sales.Shipment (ShipmentId),
    OriginalId    int     NULL CONSTRAINT FK_Invoice_Original REFERENCES sales.Invoice (InvoiceId),
    InvoicedOn    date    NOT NULL,
    DueOn         date    NOT NULL,
    NetAmount     ref.Amount,
    TaxAmount     ref.Amount,
    GrossAmount   AS NetAmount + TaxAmount PERSISTED NOT NULL,
    CONSTRAINT CK_Invoice_Sign CHECK ((Kind = 'C' AND NetAmount <= 0) OR (Kind <> 'C' AND NetAmount >= 0)),
    CONSTRAINT CK_Invoice_Original CHECK (Kind <> 'C' OR OriginalId IS NOT NULL),
    CONSTRAINT CK_Invoice_Due CHECK (DueOn >= InvoicedOn)
);
CREATE UNIQUE INDEX UX_Invoice_Shipment ON sales.Invoice (ShipmentId) WHERE Kind = 'I';
CREATE INDEX IX_Invoice_Customer ON sales.Invoice (CustomerId, DueOn) INCLUDE (Kind, GrossAmount);

CREATE TABLE sales.InvoiceLine
(
    InvoiceId  int NOT NULL CONSTRAINT FK_InvoiceLine_Invoice REFERENCES sales.Invoice (InvoiceId),
    LineNumber int NOT NULL,
    ProductId  int NULL CONSTRAINT FK_InvoiceLine_Product REFERENCES catalog.Product (ProductId),
    LineText   nvarchar(200) NOT NULL,
    Quantity   ref.Quantity,
    NetAmount  ref.Amount,
    TaxCode    char(3) NOT NULL CONSTRAINT FK_InvoiceLine_TaxCode REFERENCES ref.TaxCode (TaxCode),
    CONSTRAINT PK_InvoiceLine PRIMARY KEY (InvoiceId, LineNumber)
);
CREATE INDEX IX_InvoiceLine_Product ON sales.InvoiceLine (ProductId) INCLUDE (Quantity, NetAmount) WHERE ProductId IS NOT NULL;

-- Tax is computed by rate and invoice, not by line: so it is that of the sum.
CREATE TABLE sales.InvoiceTax
(
    InvoiceId int NOT NULL CONSTRAINT FK_InvoiceTax_Invoice REFERENCES sales.Invoice (InvoiceId),
    TaxCode   char(3) NOT NULL CONSTRAINT FK_InvoiceTax_TaxCode REFERENCES ref.TaxCode (TaxCode),
    Rate      ref.Percentage,
    NetAmount ref.Amount,
    TaxAmount AS CONVERT(decimal(19, 2), ROUND(NetAmount * Rate / 100, 2)) PERSISTED NOT NULL,
    CONSTRAINT PK_InvoiceTax PRIMARY KEY (InvoiceId, TaxCode)
);

CREATE TABLE sales.Payment
(
    PaymentId   int IDENTITY (1, 1) NOT NULL CONSTRAINT PK_Payment PRIMARY KEY,
    CustomerId  int  NOT NULL CONSTRAINT FK_Payment_Customer REFERENCES party.Customer (CustomerId),
    ReceivedOn  date NOT NULL,
    Amount      ref.Amount CONSTRAINT CK_Payment_Amount CHECK (Amount > 0),
    Reference   nvarchar(140) NULL,
    BankTransactionId int NULL
);
CREATE INDEX IX_Payment_Customer ON sales.Payment (CustomerId) INCLUDE (Amount);
CREATE UNIQUE INDEX UX_Payment_BankTransaction ON sales.Payment (BankTransactionId) WHERE BankTransactionId IS NOT NULL;

-- A payment or a credit note pays an invoice, or a part of it.
CREATE TABLE sales.Allocation
(
    AllocationId int IDENTITY (1, 1) NOT NULL CONSTRAINT PK_Allocation PRIMARY KEY,
    PaymentId    int NULL CONSTRAINT FK_Allocation_Payment REFERENCES sales.Payment (PaymentId),
    CreditNoteId int NULL CONSTRAINT FK_Allocation_CreditNote REFERENCES sales.Invoice (InvoiceId),
    InvoiceId    int NOT NULL CONSTRAINT FK_Allocation_Invoice REFERENCES sales.Invoice (InvoiceId),
    Amount       ref.Amount CONSTRAINT CK_Allocation_Amount CHECK (Amount > 0),
    AllocatedOn  date NOT NULL,
    CONSTRAINT CK_Allocation_Source CHECK ((PaymentId IS NULL AND CreditNoteId IS NOT NULL) OR (PaymentId IS NOT NULL AND CreditNoteId IS NULL))
);
CREATE INDEX IX_Allocation_Invoice ON sales.Allocation (InvoiceId) INCLUDE (Amount);
CREATE INDEX IX_Allocation_Payment ON sales.Allocation (PaymentId) INCLUDE (Amount) WHERE PaymentId IS NOT NULL;
CREATE INDEX IX_Allocation_CreditNote ON sales.Allocation (CreditNoteId) INCLUDE (Amount) WHERE CreditNoteId IS NOT NULL;

CREATE TABLE sales.DunningLevel
(
    DunningLevel tinyint NOT NULL CONSTRAINT PK_DunningLevel PRIMARY KEY,
    DaysOverdue  smallint NOT NULL CONSTRAINT UQ_DunningLevel_Days UNIQUE,
    Fee          ref.Amount,
    Wording      nvarchar(400) NOT NULL
);

CREATE TABLE sales.DunningNotice
(
    InvoiceId    int     NOT NULL CONSTRAINT FK_DunningNotice_Invoice REFERENCES sales.Invoice (InvoiceId),
    DunningLevel tinyint NOT NULL CONSTRAINT FK_DunningNotice_Level REFERENCES sales.DunningLevel (DunningLevel),
    SentOn       date    NOT NULL,
    OpenAmount   ref.Amount,
    FeeInvoiceId int     NULL CONSTRAINT FK_DunningNotice_Fee REFERENCES sales.Invoice (InvoiceId),
    CONSTRAINT PK_DunningNotice PRIMARY KEY (InvoiceId, DunningLevel)
);
GO
