//! Indexed views over losses of power: what they show is what their queries come to, whenever the machine stops.

use crate::support;

use support::Client;
use support::lives::{Tried, number, over_seeds};
use taffrail_io::sim::SimRng;

/// The tables, and the views of them: one of rows, one of groups.
const SCHEMA: &[&str] = &[
    "CREATE TABLE dbo.p (id int NOT NULL PRIMARY KEY, name varchar(10) NOT NULL)",
    "CREATE TABLE dbo.t (id int NOT NULL PRIMARY KEY, p int NOT NULL REFERENCES dbo.p (id) ON DELETE CASCADE, n int NOT NULL)",
    "CREATE VIEW dbo.v WITH SCHEMABINDING AS SELECT t.id, p.name, t.n FROM dbo.t JOIN dbo.p ON p.id = t.p WHERE t.n > 2",
    "CREATE VIEW dbo.g WITH SCHEMABINDING AS SELECT p, COUNT_BIG(*) AS c, SUM(n) AS s FROM dbo.t GROUP BY p",
    "INSERT dbo.p VALUES (0, 'a'), (1, 'b'), (2, 'c'), (3, 'd')",
];

/// The indexes of the views.
const INDEXES: &[&str] = &[
    "CREATE UNIQUE CLUSTERED INDEX v_c ON dbo.v (id)",
    "CREATE INDEX v_n ON dbo.v (name, n)",
    "CREATE UNIQUE CLUSTERED INDEX g_c ON dbo.g (p)",
];

/// A count of rows by which a view differs from its query.
const DIFFERENCES: &str = "SELECT (SELECT COUNT(*) FROM (SELECT * FROM dbo.v EXCEPT SELECT * FROM dbo.v WITH (NOEXPAND)) AS d) \
    + (SELECT COUNT(*) FROM (SELECT * FROM dbo.v WITH (NOEXPAND) EXCEPT SELECT * FROM dbo.v) AS d) \
    + (SELECT COUNT(*) FROM (SELECT * FROM dbo.g EXCEPT SELECT * FROM dbo.g WITH (NOEXPAND)) AS d) \
    + (SELECT COUNT(*) FROM (SELECT * FROM dbo.g WITH (NOEXPAND) EXCEPT SELECT * FROM dbo.g) AS d) AS differences";

fn change(rng: &mut SimRng) -> String {
    let (id, p, n) = (rng.below(12), rng.below(4), rng.below(6));
    match rng.below(7) {
        0 | 1 => format!(
            "INSERT dbo.t SELECT {id}, id, {n} FROM dbo.p WHERE id = {p} AND NOT EXISTS (SELECT 1 FROM dbo.t WHERE id = {id})"
        ),
        2 => format!("UPDATE dbo.t SET n = {n} WHERE id <= {id}"),
        3 => format!("DELETE dbo.t WHERE id = {id}"),
        4 => format!("DELETE dbo.p WHERE id = {p} INSERT dbo.p VALUES ({p}, 'x{n}')"),
        5 => format!("UPDATE dbo.p SET name = 'y{n}' WHERE id = {p}"),
        _ => format!(
            "MERGE dbo.t AS t USING (SELECT {id} AS id, id AS p FROM dbo.p WHERE id = {p}) AS s ON t.id = s.id \
            WHEN MATCHED THEN UPDATE SET p = s.p, n = {n} WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.p, {n});"
        ),
    }
}

/// Whether both views have their indexes; none where the machine has stopped.
fn indexed(c: &mut Client) -> Option<bool> {
    let there = number(c, "SELECT COUNT(*) FROM sys.indexes WHERE name IN ('v_c', 'g_c')");
    there.map(|n| n == 2)
}

#[test]
fn indexed_views_are_their_queries_after_crashes() {
    let tried = Tried {
        schema: SCHEMA.iter().chain(INDEXES).copied().collect(),
        wrong: |c| indexed(c).filter(|there| *there).and_then(|_| number(c, DIFFERENCES)),
        change: |c, rng| match (indexed(c), rng.below(9)) {
            (Some(true), 0) => "DROP INDEX v_c ON dbo.v".to_owned(),
            (Some(true), 1) => "ALTER INDEX ALL ON dbo.g REBUILD".to_owned(),
            (Some(true), 2) => format!("BEGIN TRAN {} ROLLBACK", change(rng)),
            (Some(true), _) => change(rng),
            _ => INDEXES[0].to_owned(),
        },
    };
    over_seeds(8, &tried);
}
