CREATE TABLE dbo.MyTable
(
    Id int IDENTITY(1,1) NOT NULL,
    SomeText varchar(10) NULL,
    MoreText varchar(50) NULL
)
GO
CHECKPOINT
