-- The double-entry ledger with its periods, and the tables into which banks and other systems deliver.
USE Shop;
GO
CREATE TABLE accounting.Account
(
    AccountId   int IDENTITY (1, 1) NOT NULL CONSTRAINT PK_Account PRIMARY KEY,
    AccountCode ref.Code CONSTRAINT UQ_Account_Code UNIQUE,
    AccountName ref.Name,
    -- asset, liability, equity, revenue, expense
    AccountKind char(1) NOT NULL CONSTRAINT CK_Account_Kind CHECK (AccountKind IN ('A', 'L', 'E', 'R', 'X')),
    ParentId    int     NULL CONSTRAINT FK_Account_Parent REFERENCES accounting.Account (AccountId),
    Postable    bit     NOT NULL CONSTRAINT DF_Account_Postable DEFAULT (1),
    INDEX IX_Account_Parent (ParentId)
);

CREATE TABLE accounting.FiscalYear
(
    FiscalYear smallint NOT NULL CONSTRAINT PK_FiscalYear PRIMARY KEY CONSTRAINT CK_FiscalYear CHECK (FiscalYear BETWEEN 2000 AND 2100),
    State      char(1)  NOT NULL CONSTRAINT DF_FiscalYear_State DEFAULT ('O') CONSTRAINT CK_FiscalYear_State CHECK (State IN ('O', 'C'))
);

-- Twelve months, and a thirteenth period for the entries that close the year.
CREATE TABLE accounting.Period
(
    PeriodId   int      NOT NULL CONSTRAINT PK_Period PRIMARY KEY,      -- 202613
    FiscalYear smallint NOT NULL CONSTRAINT FK_Period_Year REFERENCES accounting.FiscalYear (FiscalYear),
    Number     tinyint  NOT NULL CONSTRAINT CK_Period_Number CHECK (Number BETWEEN 1 AND 13),
    FirstDay   date     NOT NULL,
    LastDay    date     NOT NULL,
    State      char(1)  NOT NULL CONSTRAINT DF_Period_State DEFAULT ('O') CONSTRAINT CK_Period_State CHECK (State IN ('O', 'C')),
    CONSTRAINT UQ_Period UNIQUE (FiscalYear, Number),
    CONSTRAINT CK_Period_Id CHECK (PeriodId = FiscalYear * 100 + Number),
    CONSTRAINT CK_Period_Days CHECK (FirstDay <= LastDay)
);

CREATE TABLE accounting.JournalEntry
(
    EntryId     int IDENTITY (1, 1) NOT NULL CONSTRAINT PK_JournalEntry PRIMARY KEY,
    PeriodId    int      NOT NULL CONSTRAINT FK_JournalEntry_Period REFERENCES accounting.Period (PeriodId),
    EntryDate   date     NOT NULL,
    SourceKind  varchar(12) NOT NULL,
    SourceId    int      NULL,
    EntryText   nvarchar(200) NOT NULL,
    EntryNumber int      NULL,                                           -- given when it is posted
    State       AS CASE WHEN EntryNumber IS NULL THEN 'D' ELSE 'P' END,  -- draft, posted
    ReversalOf  int      NULL CONSTRAINT FK_JournalEntry_Reversal REFERENCES accounting.JournalEntry (EntryId),
    CreatedBy   sysname  NOT NULL CONSTRAINT DF_JournalEntry_By DEFAULT (USER_NAME())
);
CREATE UNIQUE INDEX UX_JournalEntry_Reversal ON accounting.JournalEntry (ReversalOf) WHERE ReversalOf IS NOT NULL;
CREATE INDEX IX_JournalEntry_Draft ON accounting.JournalEntry (EntryDate, EntryId) WHERE EntryNumber IS NULL;
CREATE INDEX IX_JournalEntry_Source ON accounting.JournalEntry (SourceKind, SourceId);
CREATE INDEX IX_JournalEntry_Period ON accounting.JournalEntry (PeriodId, EntryNumber);

CREATE TABLE accounting.JournalLine
(
    EntryId    int NOT NULL CONSTRAINT FK_JournalLine_Entry REFERENCES accounting.JournalEntry (EntryId),
    LineNumber int NOT NULL,
    AccountId  int NOT NULL CONSTRAINT FK_JournalLine_Account REFERENCES accounting.Account (AccountId),
    Debit      ref.Amount CONSTRAINT DF_JournalLine_Debit DEFAULT (0),
    Credit     ref.Amount CONSTRAINT DF_JournalLine_Credit DEFAULT (0),
    Amount     AS Debit - Credit PERSISTED NOT NULL,
    CustomerId int NULL CONSTRAINT FK_JournalLine_Customer REFERENCES party.Customer (CustomerId),
    SupplierId int NULL CONSTRAINT FK_JournalLine_Supplier REFERENCES party.Supplier (SupplierId),
    LineText   nvarchar(200) NULL,
    CONSTRAINT PK_JournalLine PRIMARY KEY (EntryId, LineNumber),
    CONSTRAINT CK_JournalLine_Side CHECK (Debit >= 0 AND Credit >= 0 AND ((Debit = 0 AND Credit > 0) OR (Debit > 0 AND Credit = 0)))
);
CREATE INDEX IX_JournalLine_Account ON accounting.JournalLine (AccountId) INCLUDE (Debit, Credit, Amount);

-- What the periods' accounts add up to, kept by the trigger that posts.
CREATE TABLE accounting.AccountBalance
(
    PeriodId  int NOT NULL CONSTRAINT FK_AccountBalance_Period REFERENCES accounting.Period (PeriodId),
    AccountId int NOT NULL CONSTRAINT FK_AccountBalance_Account REFERENCES accounting.Account (AccountId),
    Debit     ref.Amount,
    Credit    ref.Amount,
    Balance   AS Debit - Credit,
    CONSTRAINT PK_AccountBalance PRIMARY KEY (PeriodId, AccountId)
);

CREATE TABLE staging.ImportBatch
(
    ImportBatchId int IDENTITY (1, 1) NOT NULL CONSTRAINT PK_ImportBatch PRIMARY KEY,
    SourceName    sysname NOT NULL,
    Format        varchar(4) NOT NULL CONSTRAINT CK_ImportBatch_Format CHECK (Format IN ('JSON', 'XML', 'CSV')),
    Content       nvarchar(max) NOT NULL,
    ContentHash   AS CONVERT(binary(32), HASHBYTES('SHA2_256', Content)) PERSISTED,
    ReceivedAt    datetime2(3) NOT NULL CONSTRAINT DF_ImportBatch_At DEFAULT (SYSUTCDATETIME()),
    ProcessedAt   datetime2(3) NULL
);
CREATE UNIQUE INDEX UX_ImportBatch_Content ON staging.ImportBatch (SourceName, ContentHash);

CREATE TABLE staging.ImportReject
(
    RejectId      int IDENTITY (1, 1) NOT NULL CONSTRAINT PK_ImportReject PRIMARY KEY,
    ImportBatchId int NOT NULL CONSTRAINT FK_ImportReject_Batch REFERENCES staging.ImportBatch (ImportBatchId),
    RowText       nvarchar(max) NOT NULL,
    Reason        nvarchar(400) NOT NULL
);

CREATE TABLE staging.BankTransaction
(
    BankTransactionId int IDENTITY (1, 1) NOT NULL CONSTRAINT PK_BankTransaction PRIMARY KEY,
    ImportBatchId     int NOT NULL CONSTRAINT FK_BankTransaction_Batch REFERENCES staging.ImportBatch (ImportBatchId),
    BankReference     varchar(40)   NOT NULL,
    BookedOn          date          NOT NULL,
    Amount            decimal(19, 2) NOT NULL,
    CurrencyCode      char(3)       NOT NULL,
    CounterpartIban   varchar(34)   NULL,
    Purpose           nvarchar(140) NULL,
    State             char(1)       NOT NULL CONSTRAINT DF_BankTransaction_State DEFAULT ('N')
        CONSTRAINT CK_BankTransaction_State CHECK (State IN ('N', 'P', 'M')),        -- new, processed, for manual work
    INDEX UX_BankTransaction_Reference UNIQUE NONCLUSTERED (BankReference) WITH (IGNORE_DUP_KEY = ON)
);
CREATE INDEX IX_BankTransaction_New ON staging.BankTransaction (BookedOn) WHERE State = 'N';

CREATE TABLE staging.ProductImport
(
    Sku          varchar(20)    NOT NULL CONSTRAINT PK_ProductImport PRIMARY KEY,
    ProductName  nvarchar(100)  NOT NULL,
    CategoryName nvarchar(100)  NOT NULL,
    UnitCode     char(3)        NOT NULL,
    TaxCode      char(3)        NOT NULL,
    NetPrice     decimal(19, 2) NULL,
    Dimensions   varchar(40)    NULL,
    Attributes   nvarchar(max)  NULL
);

CREATE TABLE staging.CustomerImport
(
    LineNumber   int            NOT NULL CONSTRAINT PK_CustomerImport PRIMARY KEY,
    CustomerName nvarchar(100)  NULL,
    GroupCode    varchar(20)    NULL,
    BranchCode   varchar(20)    NULL,
    Email        nvarchar(254)  NULL,
    CreditLimit  varchar(30)    NULL
);
GO
ALTER TABLE sales.Payment ADD CONSTRAINT FK_Payment_BankTransaction
    FOREIGN KEY (BankTransactionId) REFERENCES staging.BankTransaction (BankTransactionId);
GO
