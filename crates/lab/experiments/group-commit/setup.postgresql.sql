CREATE TABLE ledger (client int NOT NULL, round int NOT NULL, filler char(100) NOT NULL);
ALTER DATABASE lab SET synchronous_commit = $(synchronous_commit);
CHECKPOINT;
