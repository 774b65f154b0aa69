PRAGMA page_size = 8192;
PRAGMA journal_mode = WAL;
CREATE TABLE test (i int NOT NULL, c text NOT NULL);
