-- What a killed server leaves: sessions a and b are in the middle of transactions, the rest is committed after the last checkpoint.
--@ session c
USE simple CHECKPOINT
GO
UPDATE ledger SET v = 1 WHERE id < 100
GO
--@ session a
USE simple BEGIN TRAN UPDATE ledger SET v = 99 WHERE id BETWEEN 200 AND 400 DELETE ledger WHERE id = 500 INSERT ledger VALUES (5000, 1, 'open')
UPDATE values_ SET big = REPLICATE(CAST('9' AS varchar(max)), 100000) WHERE id = 1
DELETE values_ WHERE id = 3
UPDATE small_values SET a = REPLICATE('o', 5000), c = NULL WHERE id BETWEEN 20 AND 40
DELETE small_values WHERE id BETWEEN 50 AND 60
GO
--@ session b
USE kept BEGIN TRAN CREATE TABLE open_ddl (a int) INSERT open_ddl VALUES (1) ALTER TABLE heap ADD c int NULL DROP VIEW sums UPDATE other.child SET amount = 0 WHERE part = 3
GO
--@ session c
CHECKPOINT
GO
UPDATE ledger SET v = 2 WHERE id BETWEEN 100 AND 150 DELETE ledger WHERE id = 151 INSERT ledger VALUES (1000, 3, 'committed')
DELETE small_values WHERE id = 100
UPDATE small_values SET b = REPLICATE(N'k', 3500) WHERE id = 101
INSERT small_values VALUES (200, REPLICATE('n', 4444), NULL, 0x)
INSERT values_ VALUES (4, REPLICATE(CAST('4' AS varchar(max)), 150000))
GO
USE kept
INSERT parent (name, later) VALUES ('the last before the kill', 4)
GO
