CREATE TABLE dbo.customer
(
    c_id                int NOT NULL,
    c_d_id              tinyint NOT NULL,
    c_w_id              int NOT NULL,
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
GO
CREATE UNIQUE CLUSTERED INDEX ci_customer ON dbo.customer (c_w_id, c_d_id, c_id)
GO
SELECT * INTO dbo.customer_tmp FROM dbo.customer WHERE 1 = 2
GO
-- The trigger of some measures writes here.
CREATE TABLE dbo.changes (row_count int NOT NULL, balance numeric(12,2) NOT NULL, letters int NOT NULL)
GO
-- A transaction of @rows customers, next to each other; each client has 300 of its own.
CREATE PROCEDURE dbo.change_some @client int, @round int, @rows int AS
SET NOCOUNT ON
DECLARE @first int = (@client - 1) * 300 + 1 + (@round * @rows) % (300 - @rows)
UPDATE dbo.customer
SET c_payment_cnt = (c_payment_cnt + 1) % 1000
WHERE c_w_id = 1 AND c_d_id = 1 AND c_id BETWEEN @first AND @first + @rows - 1
