PRAGMA journal_mode = WAL;
CREATE TABLE big (id INTEGER PRIMARY KEY, done int NOT NULL, filler text NOT NULL);
CREATE TABLE small (id INTEGER PRIMARY KEY, at text NOT NULL);
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < $(rows) - 1) INSERT INTO big SELECT i, 0, printf('%-200s', 'a row of many') FROM n;
PRAGMA wal_checkpoint(TRUNCATE);
