.timeout 600000
PRAGMA synchronous = FULL;
.read '|awk -v rows=$(rows) -v piece=$(piece) "BEGIN { for (i = 0; i < rows; i += piece) printf \"UPDATE big SET done = done + 1, filler = replace(printf(\\047%%200s\\047, \\047\\047), \\047 \\047, char(65 + id %% 26)) WHERE id >= %d AND id < %d;\\n$(between_peer)\\n\", i, i + piece }"'
