PRAGMA synchronous = FULL;
.read '|awk -v rows=$(rows) "BEGIN { print \"BEGIN;\"; for (i = 1; i <= rows; i++) { printf \"INSERT INTO test VALUES (%d, printf(\\047%%-8000s\\047, \\047a\\047));\\n\", i; if (i % 16 == 0) print \"COMMIT; $(peer_checkpoint); BEGIN;\" } print \"COMMIT;\" }"'
PRAGMA wal_checkpoint(TRUNCATE);
