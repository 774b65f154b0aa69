//! The matrix of implicit conversions, walked by statements: for every pair of types all of them agree with it, by number.

use crate::support;

use support::{World, errors};
use taffrail_types::convert::{KINDS, Kind, Rule};

/// A type as it is declared.
fn declared(kind: Kind, name: &str) -> String {
    match kind {
        Kind::Binary
        | Kind::VarBinary
        | Kind::Char
        | Kind::VarChar
        | Kind::NChar
        | Kind::NVarChar => {
            format!("{name}(20)")
        }
        Kind::Decimal | Kind::Numeric => format!("{name}(10, 2)"),
        _ => name.into(),
    }
}

/// What only columns may be.
fn is_old_large(kind: Kind) -> bool {
    matches!(kind, Kind::Text | Kind::NText | Kind::Image)
}

#[test]
fn statements_agree_with_the_matrix() {
    // A timestamp is not built.
    let kinds = || KINDS.iter().filter(|(k, _)| *k != Kind::Timestamp);
    let (_world, mut c) = World::with_database();
    let mut columns = Vec::new();
    for (kind, name) in kinds() {
        let ty = declared(*kind, name);
        columns.push(format!("f_{name} {ty} NULL"));
        columns.push(format!("t_{name} {ty} NULL"));
    }
    c.ok(&format!("CREATE TABLE m (id int NOT NULL PRIMARY KEY, {})", columns.join(", ")));
    c.ok("INSERT m (id) VALUES (1)");
    for (kind, name) in kinds().filter(|(k, _)| !is_old_large(*k)) {
        let ty = declared(*kind, name);
        c.ok(&format!("CREATE PROCEDURE p_{name} @p {ty} AS RETURN 0"));
        c.ok(&format!("CREATE PROCEDURE o_{name} @p {ty} OUTPUT AS SET @p = NULL"));
    }
    let mut wrong = Vec::new();
    let mut walked = 0;
    for (from, f) in kinds() {
        for (to, t) in kinds() {
            let expected: &[u32] = match from.to(*to) {
                Rule::Implicit => &[],
                Rule::Explicit => &[257],
                Rule::NotAllowed => &[206],
            };
            let (from_type, to_type) = (declared(*from, f), declared(*to, t));
            let mut fetched: Vec<(String, Vec<u32>)> = Vec::new();
            let mut statements = vec![
                format!("INSERT m (id, t_{t}) SELECT id + 1, f_{f} FROM m WHERE id < 0"),
                format!(
                    "INSERT m (id, t_{t}) VALUES (2, (SELECT f_{f} FROM m)) DELETE m WHERE id = 2"
                ),
                format!("UPDATE m SET t_{t} = f_{f}"),
                format!(
                    "MERGE m USING m AS s ON m.id = s.id WHEN MATCHED THEN UPDATE SET t_{t} = s.f_{f};"
                ),
                format!(
                    "MERGE m USING m AS s ON m.id = s.id WHEN NOT MATCHED THEN INSERT (id, t_{t}) \
                     VALUES (2, s.f_{f});"
                ),
                format!(
                    "DECLARE @t TABLE (c {to_type}) DELETE m OUTPUT deleted.f_{f} INTO @t WHERE id = 2"
                ),
            ];
            if !is_old_large(*to) {
                statements.push(format!("DECLARE @t {to_type} = (SELECT f_{f} FROM m)"));
                statements.push(format!("DECLARE @t {to_type} SET @t = (SELECT f_{f} FROM m)"));
                statements.push(format!("DECLARE @t {to_type} SELECT @t = f_{f} FROM m"));
                statements.push(format!("DECLARE @t {to_type} UPDATE m SET @t = f_{f}"));
                // FETCH has a number of its own.
                let fetch = format!(
                    "DECLARE @t {to_type} DECLARE c CURSOR LOCAL FOR SELECT f_{f} FROM m OPEN c \
                     FETCH c INTO @t"
                );
                fetched.push((fetch, expected.first().map(|_| 16922).into_iter().collect()));
            }
            if !is_old_large(*from) {
                let given = format!("DECLARE @f {from_type}");
                statements.push(format!("{given} UPDATE m SET t_{t} = @f"));
                statements.push(format!(
                    "{given} INSERT m (id, t_{t}) VALUES (2, @f) DELETE m WHERE id = 2"
                ));
            }
            if !is_old_large(*from) && !is_old_large(*to) {
                let given = format!("DECLARE @f {from_type}");
                statements.push(format!("{given} DECLARE @t {to_type} = @f"));
                statements.push(format!("{given} DECLARE @t {to_type} SET @t = @f"));
                statements.push(format!("{given} EXEC p_{t} @f"));
                statements.push(format!("{given} EXEC p_{t} @p = @f"));
                statements.push(format!("{given} EXEC p_{t} @f"));
                statements
                    .push(format!("{given} EXEC sp_executesql N'RETURN', N'@p {to_type}', @f"));
            }
            let others = statements.into_iter().map(|s| (s, expected.to_vec()));
            for (statement, expected) in others.chain(fetched) {
                walked += 1;
                let said = c.run(&statement);
                let heard = errors(&said);
                if heard != expected {
                    wrong.push(format!("{f} to {t}: {heard:?}, not {expected:?}: {statement}"));
                }
            }
        }
    }
    assert!(walked > 10_000, "{walked}");
    assert!(
        wrong.is_empty(),
        "{} of {walked}:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(60)].join("\n")
    );
}
