-- Three statements over the customer table of the TPC-C benchmark, each one large transaction.
-- After "Performance impact: a large number of virtual log files - Part I". $(rows) rows.
SET NOCOUNT ON
IF DB_ID('dbVLF') IS NOT NULL
BEGIN
    ALTER DATABASE dbVLF SET SINGLE_USER WITH ROLLBACK IMMEDIATE
    DROP DATABASE dbVLF
END
GO
CREATE DATABASE dbVLF
GO
USE dbVLF
GO
CREATE TABLE customer
(
    c_id                int,
    c_d_id              tinyint,
    c_w_id              int,
    c_first             char(16),
    c_middle            char(2),
    c_last              char(16),
    c_street_1          char(20),
    c_street_2          char(20),
    c_city              char(20),
    c_state             char(2),
    c_zip               char(9),
    c_phone             char(16),
    c_since             datetime,
    c_credit            char(2),
    c_credit_lim        numeric(12,2),
    c_discount          numeric(4,4),
    c_balance           numeric(12,2),
    c_ytd_payment       numeric(12,2),
    c_payment_cnt       smallint,
    c_delivery_cnt      smallint,
    c_data              char(500)
)
go
CREATE UNIQUE CLUSTERED INDEX ci_customer on customer(c_w_id, c_d_id, c_id)
go
-- Rows with the shape of the benchmark's: 3,000 customers in each of ten districts of a warehouse.
DECLARE @i int = 0
BEGIN TRAN
WHILE @i < $(rows)
BEGIN
    INSERT customer VALUES (
        @i % 3000 + 1, @i / 3000 % 10 + 1, @i / 30000 + 1,
        'First' + CONVERT(varchar, @i), 'OE', 'BARBARBAR', 'Street one', 'Street two', 'Springfield', 'CA',
        '123411111', '0123456789012345', '2009-02-09T13:13:00', CASE WHEN @i % 10 = 0 THEN 'BC' ELSE 'GC' END,
        50000.00, 0.1234, -10.00, 10.00, 1, 0,
        REPLICATE('Data of a customer, WITH CAPITALS. ', 14))
    SET @i = @i + 1
END
COMMIT
SELECT COUNT(*) AS loaded FROM customer
go
EXEC sp_spaceused 'customer'
go
-- The insert test.
SELECT * INTO customer_tmp
  FROM customer
 WHERE 1=2;
go
INSERT customer_tmp
SELECT * FROM customer;
SELECT COUNT(*) AS copied FROM customer_tmp
go
-- The update test.
UPDATE customer
   SET c_data = lower(c_data);
SELECT TOP 1 RTRIM(LEFT(c_data, 35)) AS c_data FROM customer ORDER BY c_w_id, c_d_id, c_id
go
-- The delete test.
DELETE FROM customer;
SELECT COUNT(*) AS left_over FROM customer
go
