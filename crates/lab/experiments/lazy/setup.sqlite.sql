PRAGMA journal_mode = WAL;
CREATE TABLE demo_table (col1 INTEGER PRIMARY KEY, col2 varchar(100));
