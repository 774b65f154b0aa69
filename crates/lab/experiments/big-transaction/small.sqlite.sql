.timeout 600000
PRAGMA synchronous = FULL;
INSERT INTO small (at) VALUES (datetime('now'));
