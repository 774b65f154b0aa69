//! Golden scripts: `tests/golden/*.sql` in, results and messages out, over TDS against the real binary.
