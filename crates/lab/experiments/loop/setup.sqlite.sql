PRAGMA journal_mode = WAL;
CREATE TABLE my_table (id INTEGER PRIMARY KEY, some_text varchar(10), more_text varchar(50));
