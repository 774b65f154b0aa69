PRAGMA synchronous = FULL;
-- The rows are statements of their own, as an application sends them.
.read '|awk -v rows=$(rows) -v each=$(commit_rows) "BEGIN { if (each > 1) print \"BEGIN;\"; for (i = rows; i > 0; i--) { printf \"INSERT INTO my_table (some_text, more_text) VALUES (\\047Num:%d\\047, \\047%d bottles of beer on the wall\\047);\\n\", i, i; if (each > 1 && i > 1 && (rows - i + 1) % each == 0) print \"COMMIT; BEGIN;\" } if (each > 1) print \"COMMIT;\" }"'
-- A client that has read nothing from awk would have ended well.
CREATE TEMP TABLE whole (found int CONSTRAINT rows_are_there CHECK (found = $(rows)));
INSERT INTO whole SELECT count(*) FROM my_table;
