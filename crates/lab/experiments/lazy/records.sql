-- The log records of transactions that inserted into the table.
SELECT CONVERT(float, COUNT(*)) / NULLIF(COUNT(DISTINCT [Transaction ID]), 0) AS records_each,
    CONVERT(float, SUM(CONVERT(bigint, [Log Record Length]))) / NULLIF(COUNT(DISTINCT [Transaction ID]), 0) AS bytes_each
FROM sys.fn_dblog(NULL, NULL)
WHERE [Transaction ID] IN
    (SELECT [Transaction ID] FROM sys.fn_dblog(NULL, NULL)
     WHERE Operation = 'LOP_INSERT_ROWS' AND AllocUnitName LIKE 'dbo.DemoTable%')
