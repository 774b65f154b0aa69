//! Unique keys: who has put one in owns it until he takes it out, and nobody is refused a key that is free.

use crate::check::{Level, Verdict};
use crate::session::{Dice, Epoch, Failed, Left, Session, World, crowd, number, share};

const KEYS: u32 = 4;

/// Tables with the columns `k` and `owner`.
const SHAPES: [(&str, &str); 4] = [
    ("u_clustered", "CREATE TABLE {t} (k int NOT NULL PRIMARY KEY, owner int NOT NULL)"),
    ("u_heap", "CREATE TABLE {t} (k int NOT NULL PRIMARY KEY NONCLUSTERED, owner int NOT NULL)"),
    (
        "u_indexed",
        "CREATE TABLE {t} (id int NOT NULL IDENTITY PRIMARY KEY, k int NOT NULL, owner int NOT NULL) \
         CREATE UNIQUE INDEX ix ON {t} (k)",
    ),
    (
        "u_filtered",
        "CREATE TABLE {t} (k int NOT NULL, owner int NOT NULL, more int NULL) \
         CREATE UNIQUE CLUSTERED INDEX c ON {t} (k, more) CREATE UNIQUE INDEX ix ON {t} (k) INCLUDE (owner)",
    ),
];

/// A client's attempt at a key: `(key, from, to)` in nanoseconds.
#[derive(Default)]
struct Ledger {
    /// From the acknowledged insertion to the beginning of the deletion.
    owned: Vec<(u32, u64, u64)>,
    /// From the beginning of an insertion to the end of what took it away.
    perhaps: Vec<(u32, u64, u64)>,
    refused: Vec<(u32, u64, u64)>,
    transactions: usize,
    victims: usize,
}

fn attempts(world: &World, t: &str, client: usize, epoch: Epoch, left: &Left) -> Ledger {
    let mut ledger = Ledger::default();
    let mut dice = Dice::new(client as u64 + 101);
    let level = match client % 4 {
        0 | 2 => Level::ReadCommitted,
        3 if world.by_versions => Level::Snapshot,
        _ => Level::RepeatableRead,
    };
    let mut session = Session::open(world.port(), level).expect("a login");
    while left.take() {
        ledger.transactions += 1;
        let key = dice.below(KEYS);
        let insert = format!("INSERT {t} (k, owner) VALUES ({key}, {client})");
        let delete = match dice.below(2) {
            0 => format!("DELETE {t} WHERE k = {key}"),
            _ => format!("DELETE {t} OUTPUT deleted.owner WHERE k = {key}"),
        };
        let began = epoch.ns();
        let commits = !dice.once_in(4);
        let put = if commits && dice.once_in(2) {
            session.ask(&insert).map(drop)
        } else {
            session.begin().and_then(|()| {
                session.ask(&insert)?;
                session.end(commits)
            })
        };
        let from = epoch.ns();
        match put {
            Ok(()) if commits => {}
            Ok(()) => {
                ledger.perhaps.push((key, began, from));
                continue;
            }
            Err(failed) => {
                session.fate(failed, false);
                match failed {
                    Failed::Duplicate => ledger.refused.push((key, began, from)),
                    _ => ledger.victims += 1,
                }
                continue;
            }
        }
        // It is taken away again, whatever it takes.
        loop {
            let to = epoch.ns();
            match session.rows(&delete) {
                Ok(rows) => {
                    let other = rows.first().map(|r| number(&r[0]));
                    assert!(other.is_none_or(|o| o == client as i64), "{other:?} had {key}");
                    ledger.owned.push((key, from, to));
                    ledger.perhaps.push((key, began, epoch.ns()));
                    break;
                }
                Err(Failed::Victim) => ledger.victims += 1,
                Err(other) => panic!("{delete}: {other:?}"),
            }
        }
    }
    ledger
}

#[test]
fn a_unique_key_has_one_owner_and_none_is_refused_that_is_free() {
    one_owner(&World::new("keys", false));
}

/// A key is looked for as it is, whatever versions there are of it.
#[test]
fn a_unique_key_has_one_owner_where_there_are_versions() {
    one_owner(&World::with_versions("keys_by_versions"));
}

fn one_owner(world: &World) {
    let mut all = Verdict::default();
    for (name, create) in SHAPES {
        world.run(&[&create.replace("{t}", name)]);
        let (epoch, left) = (Epoch::now(), Left::new(share(1500)));
        let ledgers = crowd(8, |c| attempts(world, name, c, epoch, &left));
        let owned: Vec<_> = ledgers.iter().flat_map(|l| &l.owned).collect();
        for (at, a) in owned.iter().enumerate() {
            if let Some(b) = owned[at + 1..].iter().find(|b| a.0 == b.0 && a.1 < b.2 && b.1 < a.2) {
                all.forbid(format!("{name}: two owned it at once: {a:?}, {b:?}"));
            }
        }
        for (client, ledger) in ledgers.iter().enumerate() {
            for r in &ledger.refused {
                let others = ledgers.iter().enumerate().filter(|(c, _)| *c != client);
                let mut there = others.flat_map(|(_, l)| &l.perhaps);
                if !there.any(|p| p.0 == r.0 && p.1 < r.2 && r.1 < p.2) {
                    all.forbid(format!("{name}: {r:?} was refused, and nobody had it"));
                }
            }
            all.committed += ledger.transactions - ledger.refused.len() - ledger.victims;
            all.aborted += ledger.refused.len() + ledger.victims;
        }
        assert!(ledgers.iter().any(|l| !l.refused.is_empty()), "{name}: no key was ever taken");
        let rest = world.query(&format!("SELECT COUNT(*) FROM {name}"));
        assert_eq!(number(&rest[0][0]), 0, "{name}: all were taken away");
    }
    all.hold("unique keys", &[]);
    world.whole();
}

/// "Update it, or put it in": with HOLDLOCK nobody comes between the look and the insertion.
#[test]
fn who_looks_with_holdlock_before_inserting_meets_no_duplicate() {
    let world = World::new("upsert", false);
    let mut all = Verdict::default();
    for (name, create) in SHAPES {
        world.run(&[&create.replace("{t}", name)]);
        let left = Left::new(share(900));
        let brought = crowd(6, |c| {
            let mut verdict = Verdict::default();
            let mut dice = Dice::new(c as u64 + 303);
            let mut session = Session::open(world.port(), Level::ReadCommitted).expect("a login");
            while left.take() {
                let k = dice.below(40);
                let sql = match dice.below(3) {
                    0 => format!(
                        "MERGE {name} WITH (HOLDLOCK) AS t USING (SELECT {k} AS k) AS s ON t.k = s.k \
                         WHEN MATCHED THEN UPDATE SET owner = t.owner + 1 \
                         WHEN NOT MATCHED THEN INSERT (k, owner) VALUES (s.k, 1);"
                    ),
                    1 => format!(
                        "BEGIN TRAN UPDATE {name} WITH (UPDLOCK, SERIALIZABLE) SET owner = owner + 1 WHERE k = {k} \
                         IF @@ROWCOUNT = 0 INSERT {name} (k, owner) VALUES ({k}, 1) COMMIT"
                    ),
                    _ => format!(
                        "BEGIN TRAN IF EXISTS (SELECT * FROM {name} WITH (UPDLOCK, HOLDLOCK) WHERE k = {k}) \
                         UPDATE {name} SET owner = owner + 1 WHERE k = {k} \
                         ELSE INSERT {name} (k, owner) VALUES ({k}, 1) COMMIT"
                    ),
                };
                match session.ask(&sql) {
                    Ok(_) => verdict.committed += 1,
                    Err(Failed::Victim) => verdict.aborted += 1,
                    Err(other) => verdict.forbid(format!("{other:?}: {sql}")),
                }
            }
            verdict
        });
        let done: usize = brought.iter().map(|v| v.committed).sum();
        brought.into_iter().for_each(|v| all.add(v));
        let found =
            world.query(&format!("SELECT SUM(owner), COUNT(*), COUNT(DISTINCT k) FROM {name}"));
        assert_eq!(number(&found[0][0]), done as i64, "{name}: each counted once");
        assert_eq!(number(&found[0][1]), number(&found[0][2]), "{name}: one row for a key");
    }
    all.hold("look and insert", &[]);
}
