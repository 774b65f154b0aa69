SET GLOBAL innodb_flush_log_at_trx_commit = $(flush_log_at_commit);
DELIMITER //
FOR counter IN 1 .. $(count) DO
    INSERT INTO demo_table (col2) VALUES (counter);
END FOR //
DELIMITER ;
-- A durable commit writes the log of all before it.
SET GLOBAL innodb_flush_log_at_trx_commit = 1;
INSERT INTO demo_table (col2) VALUES ('the end');
