-- Rows stay as long as they are: neither compressed nor put elsewhere.
CREATE TABLE source (id int NOT NULL, text varchar(4000) NOT NULL);
ALTER TABLE source ALTER text SET STORAGE PLAIN;
CREATE TABLE fill (id int NOT NULL, text varchar(4000) NOT NULL);
ALTER TABLE fill ALTER text SET STORAGE PLAIN;
CREATE TABLE beside (id int NOT NULL PRIMARY KEY, n int NOT NULL);
INSERT INTO beside VALUES (1, 0);
INSERT INTO source SELECT i, rpad(repeat('A row. ', 560), 4000) FROM generate_series(1, 1000) AS i;
-- Segments of the log that are kept for later are made as new ones are.
ALTER SYSTEM SET wal_init_zero = $(wal_init_zero);
ALTER SYSTEM SET wal_recycle = off;
SELECT pg_reload_conf();
CHECKPOINT;
