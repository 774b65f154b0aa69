PRAGMA synchronous = $(synchronous);
.read '|awk -v count=$(count) "BEGIN { for (i = 1; i <= count; i++) printf \"INSERT INTO demo_table (col2) VALUES (%d);\\n\", i }"'
-- A durable commit syncs the log of all before it.
PRAGMA synchronous = FULL;
INSERT INTO demo_table (col2) VALUES ('the end');
