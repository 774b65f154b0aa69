CREATE TABLE ledger (client int NOT NULL, round int NOT NULL, filler char(100) NOT NULL) ENGINE = InnoDB;
SET GLOBAL innodb_flush_log_at_trx_commit = $(flush_log_at_commit);
