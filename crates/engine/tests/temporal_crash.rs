//! Tables that keep their history over losses of power: each row's versions follow each other, whenever the machine stops.

use crate::support;

use support::lives::{Tried, number, over_seeds};
use taffrail_io::sim::SimRng;

/// The table, and what keeps count beside it of how often each row was changed.
const SCHEMA: &[&str] = &[
    "CREATE TABLE dbo.t (id int NOT NULL PRIMARY KEY, n int NOT NULL, x varchar(4000) NULL,
        s datetime2 GENERATED ALWAYS AS ROW START NOT NULL,
        e datetime2 GENERATED ALWAYS AS ROW END NOT NULL, PERIOD FOR SYSTEM_TIME (s, e))
        WITH (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.h))",
    "CREATE INDEX h_n ON dbo.h (n)",
    "CREATE TABLE dbo.made (id int NOT NULL PRIMARY KEY, versions int NOT NULL)",
];

/// A count of rows that should not be: versions of a row that overlap, more or fewer of them than were made, rows that are open and old,
/// entries of the index without a row.
const WRONG: &str = "SELECT
    (SELECT COUNT(*) FROM (SELECT s, LAG(e) OVER (PARTITION BY id ORDER BY s, e) AS p
        FROM (SELECT id, s, e FROM dbo.t UNION ALL SELECT id, s, e FROM dbo.h) a) d WHERE p > s)
    + (SELECT COUNT(*) FROM (SELECT id, COUNT(*) AS n FROM (SELECT id FROM dbo.t UNION ALL SELECT id FROM dbo.h) a GROUP BY id) c
        FULL JOIN dbo.made m ON m.id = c.id WHERE m.versions IS NULL OR c.n IS NULL OR m.versions <> c.n)
    + (SELECT COUNT(*) FROM dbo.h WHERE e > '9999' OR e < s) + (SELECT COUNT(*) FROM dbo.t WHERE e < '9999')
    + (SELECT COUNT(*) FROM dbo.h WITH (INDEX (h_n))) - (SELECT COUNT(*) FROM dbo.h WITH (INDEX (1))) AS wrong";

/// A change and its note, of one transaction.
fn change(rng: &mut SimRng) -> String {
    let (id, n) = (rng.below(10), rng.below(100));
    let change = match rng.below(4) {
        0 => format!(
            "IF NOT EXISTS (SELECT * FROM dbo.t WHERE id = {id}) BEGIN INSERT dbo.t (id, n, x) VALUES ({id}, {n}, REPLICATE('x', {n} * 30))
            MERGE dbo.made m USING (VALUES ({id})) v (id) ON v.id = m.id
            WHEN MATCHED THEN UPDATE SET versions += 1 WHEN NOT MATCHED THEN INSERT VALUES (v.id, 1); END"
        ),
        1 => format!("DELETE dbo.t WHERE id = {id}"),
        _ => format!(
            "UPDATE m SET versions += 1 FROM dbo.made m JOIN dbo.t t ON t.id = m.id WHERE m.id <= {id}
            UPDATE dbo.t SET n = {n}, x = REPLICATE('y', {n} * 30) WHERE id <= {id}"
        ),
    };
    let end = if rng.below(5) == 0 { "ROLLBACK" } else { "COMMIT" };
    format!("BEGIN TRAN {change} {end}")
}

#[test]
fn versions_of_rows_follow_each_other_after_crashes() {
    let tried = Tried {
        schema: SCHEMA.to_vec(),
        wrong: |c| number(c, WRONG),
        change: |_, rng| match rng.below(20) {
            0 => "BEGIN TRAN ALTER TABLE dbo.t SET (SYSTEM_VERSIONING = OFF)
                    ALTER TABLE dbo.t SET (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.h)) COMMIT"
                .to_owned(),
            1 => "BEGIN TRAN ALTER TABLE dbo.t ADD y int NOT NULL CONSTRAINT y_d DEFAULT 1
                    ALTER TABLE dbo.t DROP CONSTRAINT y_d ALTER TABLE dbo.t DROP COLUMN y ROLLBACK"
                .to_owned(),
            _ => change(rng),
        },
    };
    over_seeds(6, &tried);
}
