//! Queues: what was put in and committed is taken out once, and nothing else is.

use crate::check::{Level, Verdict};
use crate::session::{Dice, Failed, Left, Session, World, crowd, number, share};
use std::collections::HashSet;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

const SHAPES: [(&str, &str); 3] = [
    ("q_clustered", "CREATE TABLE {t} (id int NOT NULL PRIMARY KEY, taken int NOT NULL DEFAULT 0)"),
    ("q_heap", "CREATE TABLE {t} (id int NOT NULL, taken int NOT NULL DEFAULT 0)"),
    (
        "q_indexed",
        "CREATE TABLE {t} (id int NOT NULL PRIMARY KEY NONCLUSTERED, taken int NOT NULL DEFAULT 0) \
         CREATE INDEX ix ON {t} (taken, id)",
    ),
];

/// Ways to take one in a statement.
const TAKES: [&str; 3] = [
    "DELETE TOP (1) FROM {t} WITH (ROWLOCK, READPAST) OUTPUT deleted.id WHERE taken = 0",
    "DELETE TOP (1) FROM {t} WITH (ROWLOCK, UPDLOCK, READPAST) OUTPUT deleted.id WHERE taken = 0",
    "UPDATE TOP (1) {t} WITH (ROWLOCK, READPAST) SET taken = 1 OUTPUT inserted.id WHERE taken = 0",
];

#[derive(Default)]
struct Ledger {
    put: Vec<u32>,
    taken: Vec<u32>,
    committed: usize,
    aborted: usize,
}

fn put(session: &mut Session, dice: &mut Dice, t: &str, ids: &[u32]) -> Result<bool, Failed> {
    session.begin()?;
    for id in ids {
        session.ask(&format!("INSERT {t} (id) VALUES ({id})"))?;
    }
    let commit = !dice.once_in(5);
    session.end(commit)?;
    Ok(commit)
}

fn take(session: &mut Session, dice: &mut Dice, t: &str) -> Result<Vec<u32>, Failed> {
    let ids = |rows: Vec<Vec<_>>| rows.iter().map(|r| number(&r[0]) as u32).collect::<Vec<u32>>();
    match dice.below(5) {
        0 | 1 => {
            session.begin()?;
            let select = format!(
                "SELECT TOP (1) id FROM {t} WITH (UPDLOCK, READPAST, ROWLOCK) WHERE taken = 0 ORDER BY id"
            );
            let taken = ids(session.rows(&select)?);
            for id in &taken {
                let gone =
                    session.rows(&format!("DELETE {t} OUTPUT deleted.id WHERE id = {id}"))?;
                assert_eq!(ids(gone), [*id], "it was locked in U, and is not there any more");
            }
            let commit = !dice.once_in(5);
            session.end(commit)?;
            Ok(if commit { taken } else { Vec::new() })
        }
        n => Ok(ids(session.rows(&TAKES[n as usize - 2].replace("{t}", t))?)),
    }
}

#[test]
fn nothing_is_taken_from_a_queue_twice_and_nothing_is_lost() {
    taken_once(&World::new("queues", false));
}

/// A row is taken as it is there, also where others read versions.
#[test]
fn nothing_is_taken_twice_where_there_are_versions() {
    taken_once(&World::with_versions("queues_by_versions"));
}

fn taken_once(world: &World) {
    let mut all = Verdict::default();
    for (name, create) in SHAPES {
        world.run(&[&create.replace("{t}", name)]);
        let (next, left) = (AtomicU32::new(1), Left::new(share(2000)));
        let ledgers = crowd(8, |c| {
            let mut ledger = Ledger::default();
            let mut dice = Dice::new(c as u64 + 55);
            let level = if c == 7 { Level::RepeatableRead } else { Level::ReadCommitted };
            let mut session = Session::open(world.port(), level).expect("a login");
            while left.take() {
                let failed = if c < 3 {
                    let ids: Vec<u32> =
                        (0..1 + dice.below(4)).map(|_| next.fetch_add(1, Relaxed)).collect();
                    let done = put(&mut session, &mut dice, name, &ids);
                    if done == Ok(true) {
                        ledger.put.extend(ids);
                    }
                    done.err()
                } else {
                    match take(&mut session, &mut dice, name) {
                        Ok(ids) => {
                            ledger.taken.extend(ids);
                            None
                        }
                        Err(failed) => Some(failed),
                    }
                };
                match failed {
                    None => ledger.committed += 1,
                    Some(Failed::Victim) => ledger.aborted += 1,
                    Some(other) => panic!("{other:?}"),
                }
            }
            ledger
        });
        let put: HashSet<u32> = ledgers.iter().flat_map(|l| l.put.iter().copied()).collect();
        let mut gone = HashSet::new();
        for id in ledgers.iter().flat_map(|l| &l.taken) {
            if !gone.insert(*id) {
                all.forbid(format!("{name}: {id} was taken twice"));
            }
            if !put.contains(id) {
                all.forbid(format!("{name}: {id} was taken and never put in"));
            }
        }
        for row in world.query(&format!("SELECT id FROM {name} WHERE taken = 0")) {
            let id = number(&row[0]) as u32;
            if !gone.insert(id) || !put.contains(&id) {
                all.forbid(format!("{name}: {id} should not be there"));
            }
        }
        if gone.len() != put.len() {
            all.forbid(format!("{name}: {} are lost", put.len() - gone.len()));
        }
        assert!(ledgers.iter().map(|l| l.taken.len()).sum::<usize>() > 0, "{name}: none was taken");
        all.committed += ledgers.iter().map(|l| l.committed).sum::<usize>();
        all.aborted += ledgers.iter().map(|l| l.aborted).sum::<usize>();
    }
    all.hold("queues", &[]);
    world.whole();
}
