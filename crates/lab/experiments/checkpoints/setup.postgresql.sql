-- Rows stay as long as they are: neither compressed nor put elsewhere.
CREATE TABLE test (i int NOT NULL, c char(8000) NOT NULL);
ALTER TABLE test ALTER c SET STORAGE PLAIN;
CHECKPOINT;
