-- Branches, currencies, taxes, settings, the business day, and the trail of what was done.
USE Shop;
GO
CREATE TABLE ref.Currency
(
    CurrencyCode char(3)      NOT NULL CONSTRAINT PK_Currency PRIMARY KEY,
    CurrencyName ref.Name     NOT NULL,
    Decimals     tinyint      NOT NULL CONSTRAINT DF_Currency_Decimals DEFAULT (2),
    CONSTRAINT CK_Currency_Code CHECK (CurrencyCode LIKE '[A-Z][A-Z][A-Z]' COLLATE Latin1_General_BIN2),
    CONSTRAINT CK_Currency_Decimals CHECK (Decimals <= 4)
);

CREATE TABLE ref.ExchangeRate
(
    CurrencyCode char(3)        NOT NULL CONSTRAINT FK_ExchangeRate_Currency REFERENCES ref.Currency (CurrencyCode),
    ValidFrom    date           NOT NULL,
    Rate         decimal(18, 8) NOT NULL CONSTRAINT CK_ExchangeRate_Rate CHECK (Rate > 0),
    CONSTRAINT PK_ExchangeRate PRIMARY KEY CLUSTERED (CurrencyCode, ValidFrom DESC)
);

CREATE TABLE ref.Branch
(
    BranchId     int      NOT NULL CONSTRAINT PK_Branch PRIMARY KEY,
    BranchCode   ref.Code CONSTRAINT UQ_Branch_Code UNIQUE,
    BranchName   ref.Name,
    CurrencyCode char(3)  NOT NULL CONSTRAINT DF_Branch_Currency DEFAULT ('EUR')
        CONSTRAINT FK_Branch_Currency REFERENCES ref.Currency (CurrencyCode),
    TimeZoneName sysname  NOT NULL CONSTRAINT DF_Branch_TimeZone DEFAULT (N'W. Europe Standard Time')
);

CREATE TABLE ref.Unit
(
    UnitCode char(3)  NOT NULL CONSTRAINT PK_Unit PRIMARY KEY,
    UnitName ref.Name NOT NULL,
    Divisible bit     NOT NULL CONSTRAINT DF_Unit_Divisible DEFAULT (0)
);

CREATE TABLE ref.TaxCode
(
    TaxCode      char(3)     NOT NULL CONSTRAINT PK_TaxCode PRIMARY KEY,
    TaxName      ref.Name    NOT NULL,
    RevenueAccount varchar(20) NOT NULL
);

-- A rate is valid from its day until the next rate of its code.
CREATE TABLE ref.TaxRate
(
    TaxCode   char(3)        NOT NULL CONSTRAINT FK_TaxRate_TaxCode REFERENCES ref.TaxCode (TaxCode) ON DELETE CASCADE,
    ValidFrom date           NOT NULL,
    Rate      ref.Percentage CONSTRAINT CK_TaxRate_Rate CHECK (Rate BETWEEN 0 AND 100),
    CONSTRAINT PK_TaxRate PRIMARY KEY (TaxCode, ValidFrom)
);

CREATE TABLE ref.Setting
(
    SettingName  sysname     NOT NULL CONSTRAINT PK_Setting PRIMARY KEY,
    SettingValue sql_variant NOT NULL,
    ChangedAt    datetime2(3) NOT NULL CONSTRAINT DF_Setting_ChangedAt DEFAULT (SYSUTCDATETIME()),
    ChangedBy    sysname     NOT NULL CONSTRAINT DF_Setting_ChangedBy DEFAULT (SUSER_SNAME())
);

-- One row a day of business; at most one of them is open, which the filtered unique index sees to.
CREATE TABLE ref.BusinessDay
(
    BusinessDate date         NOT NULL CONSTRAINT PK_BusinessDay PRIMARY KEY,
    State        char(1)      NOT NULL CONSTRAINT DF_BusinessDay_State DEFAULT ('O')
        CONSTRAINT CK_BusinessDay_State CHECK (State IN ('O', 'C')),
    OpenedAt     datetime2(3) NOT NULL CONSTRAINT DF_BusinessDay_OpenedAt DEFAULT (SYSUTCDATETIME()),
    ClosedAt     datetime2(3) NULL,
    CONSTRAINT CK_BusinessDay_Closed CHECK ((State = 'C' AND ClosedAt IS NOT NULL) OR (State = 'O' AND ClosedAt IS NULL))
);
CREATE UNIQUE INDEX UX_BusinessDay_Open ON ref.BusinessDay (State) WHERE State = 'O';

-- Numbers without gaps: the row is locked until the transaction that took the number ends.
CREATE TABLE ref.NumberRange
(
    RangeName  varchar(30) NOT NULL,
    FiscalYear smallint    NOT NULL,
    LastNumber int         NOT NULL CONSTRAINT DF_NumberRange_Last DEFAULT (0),
    CONSTRAINT PK_NumberRange PRIMARY KEY (RangeName, FiscalYear)
);

CREATE TABLE audit.ChangeLog
(
    ChangeId   bigint IDENTITY (1, 1) NOT NULL CONSTRAINT PK_ChangeLog PRIMARY KEY,
    TableName  nvarchar(261) NOT NULL,
    KeyValue   nvarchar(100) NOT NULL,
    Action     char(1)       NOT NULL CONSTRAINT CK_ChangeLog_Action CHECK (Action IN ('I', 'U', 'D')),
    Before     nvarchar(max) NULL CONSTRAINT CK_ChangeLog_Before CHECK (ISJSON(Before) = 1),
    After      nvarchar(max) NULL CONSTRAINT CK_ChangeLog_After CHECK (ISJSON(After) = 1),
    ChangedAt  datetime2(3)  NOT NULL CONSTRAINT DF_ChangeLog_ChangedAt DEFAULT (SYSUTCDATETIME()),
    ChangedBy  sysname       NOT NULL CONSTRAINT DF_ChangeLog_ChangedBy DEFAULT (USER_NAME()),
    INDEX IX_ChangeLog_Table NONCLUSTERED (TableName, KeyValue)
);

CREATE TABLE audit.ErrorLog
(
    ErrorId       int IDENTITY (1, 1) NOT NULL CONSTRAINT PK_ErrorLog PRIMARY KEY,
    LoggedAt      datetime2(3)   NOT NULL CONSTRAINT DF_ErrorLog_LoggedAt DEFAULT (SYSUTCDATETIME()),
    ErrorNumber   int            NOT NULL,
    Severity      tinyint        NOT NULL,
    State         int            NOT NULL,
    ProcedureName nvarchar(261)  NULL,
    LineNumber    int            NULL,
    Message       nvarchar(4000) NOT NULL,
    Context       nvarchar(max)  NULL,
    LoginName     sysname        NOT NULL CONSTRAINT DF_ErrorLog_Login DEFAULT (ORIGINAL_LOGIN())
);

-- A run of a job of the day: when, how many, how it ended.
CREATE TABLE audit.ProcessRun
(
    RunId        int IDENTITY (1, 1) NOT NULL CONSTRAINT PK_ProcessRun PRIMARY KEY,
    ProcessName  sysname      NOT NULL,
    BusinessDate date         NULL CONSTRAINT FK_ProcessRun_Day REFERENCES ref.BusinessDay (BusinessDate),
    StartedAt    datetime2(3) NOT NULL CONSTRAINT DF_ProcessRun_StartedAt DEFAULT (SYSUTCDATETIME()),
    FinishedAt   datetime2(3) NULL,
    RowsDone     int          NOT NULL CONSTRAINT DF_ProcessRun_Rows DEFAULT (0),
    RowsFailed   int          NOT NULL CONSTRAINT DF_ProcessRun_Failed DEFAULT (0),
    Milliseconds AS DATEDIFF(MILLISECOND, StartedAt, FinishedAt)
);
CREATE INDEX IX_ProcessRun_Unfinished ON audit.ProcessRun (ProcessName) INCLUDE (StartedAt) WHERE FinishedAt IS NULL;

CREATE TABLE security.BranchUser
(
    UserName sysname NOT NULL,
    BranchId int     NOT NULL CONSTRAINT FK_BranchUser_Branch REFERENCES ref.Branch (BranchId),
    CONSTRAINT PK_BranchUser PRIMARY KEY (UserName, BranchId)
);

CREATE TABLE test.CheckResult
(
    CheckId   int IDENTITY (1, 1) NOT NULL CONSTRAINT PK_CheckResult PRIMARY KEY,
    CheckName sysname       NOT NULL,
    Failures  int           NOT NULL,
    Example   nvarchar(400) NULL,
    CheckedAt datetime2(3)  NOT NULL CONSTRAINT DF_CheckResult_At DEFAULT (SYSUTCDATETIME())
);
GO
