//! Rows that a condition finds, or does not find yet: phantoms.
//!
//! Transactions read groups of rows and put rows into them. Rows are never taken away, so who does not see a committed row came before its
//! writer, and who sees it after.

use crate::check::{Anomaly, Fate, LEVELS, Level, Verdict};
use crate::graph::{Graph, Why};
use crate::session::{Dice, Epoch, Failed, Left, Session, World, crowd, number, share};
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Groups that are in use at a time, and transactions after which others are.
const GROUPS: u32 = 4;
const AGE: u32 = 60;

struct Shape {
    name: &'static str,
    create: &'static str,
    read: &'static str,
    insert: &'static [&'static str],
}

const INSERT: &str = "INSERT {t} (id, grp) VALUES ({id}, {g})";
const SELECT: &str = "INSERT {t} (id, grp) SELECT {id}, {g}";
const MERGE: &str = "MERGE {t} AS t USING (SELECT {id} AS id, {g} AS g) AS s ON t.grp = s.g AND t.id = s.id \
    WHEN NOT MATCHED THEN INSERT (id, grp) VALUES (s.id, s.g);";

const SHAPES: [Shape; 4] = [
    Shape {
        name: "clustered",
        create: "CREATE TABLE {t} (id int NOT NULL, grp int NOT NULL, PRIMARY KEY (grp, id))",
        read: "SELECT id FROM {t} WHERE grp = {g}",
        insert: &[INSERT, MERGE],
    },
    Shape {
        name: "indexed",
        create: "CREATE TABLE {t} (id int NOT NULL PRIMARY KEY, grp int NOT NULL, more int NULL) \
                 CREATE INDEX ix ON {t} (grp)",
        read: "SELECT id, more FROM {t} WITH (FORCESEEK) WHERE grp = {g}",
        insert: &[INSERT, SELECT],
    },
    Shape {
        name: "heap",
        create: "CREATE TABLE {t} (id int NOT NULL, grp int NOT NULL)",
        read: "SELECT id FROM {t} WHERE grp = {g}",
        insert: &[INSERT, SELECT],
    },
    Shape {
        name: "range",
        create: "CREATE TABLE {t} (id int NOT NULL PRIMARY KEY, grp int NOT NULL) \
                 CREATE INDEX ix ON {t} (grp, id)",
        read: "SELECT id FROM {t} WHERE grp BETWEEN {g} AND {g}",
        insert: &[INSERT],
    },
];

#[derive(Debug)]
struct Txn {
    level: Level,
    began: u64,
    ended: u64,
    committed: bool,
    /// Groups, the rows that were seen, and when they were asked for.
    reads: Vec<(u32, Vec<u32>, u64)>,
    /// Row and group.
    wrote: Vec<(u32, u32)>,
}

fn client(
    session: &mut Session,
    dice: &mut Dice,
    (shape, table, epoch): (&Shape, &str, Epoch),
    next: &AtomicU32,
    txn: &mut Txn,
) -> Result<Fate, Failed> {
    let base = txn.level as u32 * 1_000_000 + next.load(Relaxed) / AGE * GROUPS;
    let sql = |text: &str, g: u32, id: u32| {
        text.replace("{t}", table).replace("{g}", &g.to_string()).replace("{id}", &id.to_string())
    };
    session.begin()?;
    for _ in 0..1 + dice.below(3) {
        let g = base + dice.below(GROUPS);
        if dice.once_in(2) {
            let asked = epoch.ns();
            let rows = session.rows(&sql(shape.read, g, 0))?;
            let seen = rows.iter().map(|r| number(&r[0]) as u32).collect();
            txn.reads.push((g, seen, asked));
        } else {
            let id = next.fetch_add(1, Relaxed);
            txn.wrote.push((id, g));
            let insert = shape.insert[dice.below(shape.insert.len() as u32) as usize];
            session.ask(&sql(insert, g, id))?;
        }
    }
    let commit = !dice.once_in(8);
    session.end(commit)?;
    Ok(if commit { Fate::Committed } else { Fate::Aborted })
}

fn judge(txns: &[Txn], there: &[(u32, u32)]) -> Verdict {
    let mut verdict = Verdict::default();
    let writers: HashMap<u32, usize> = txns
        .iter()
        .enumerate()
        .flat_map(|(at, t)| t.wrote.iter().map(move |(id, _)| (*id, at)))
        .collect();
    let mut groups: HashMap<u32, Vec<u32>> = HashMap::new();
    let standing: HashSet<(u32, u32)> = there.iter().copied().collect();
    for (at, t) in txns.iter().enumerate() {
        for row in &t.wrote {
            if standing.contains(row) != t.committed {
                verdict.forbid(format!("row {row:?} of T{at} is there or not: {t:?}"));
            }
            if t.committed {
                groups.entry(row.1).or_default().push(row.0);
            }
        }
    }
    if there.len() != groups.values().map(Vec::len).sum::<usize>() {
        verdict.forbid(format!("{} rows in the end", there.len()));
    }
    // A transaction under SNAPSHOT stands twice in what is promised: as of its snapshot too.
    let n = txns.len();
    let snapshot = |at: usize| match txns[at].level {
        Level::Snapshot => (at + n) as u32,
        _ => at as u32,
    };
    let (mut all, mut promised) = (Graph::new(n), Graph::new(2 * n));
    for (at, t) in txns.iter().enumerate() {
        for (g, seen, asked) in &t.reads {
            let set: HashSet<u32> = seen.iter().copied().collect();
            if set.len() != seen.len() {
                verdict.forbid(format!("a row came twice: T{at} {t:?}"));
            }
            for id in &set {
                let writer = writers[id];
                if !txns[writer].committed && writer != at {
                    verdict.count(Anomaly::G1a);
                    if t.level >= Level::ReadCommitted {
                        verdict.forbid(format!("read row {id}, which was rolled back: {t:?}"));
                    }
                } else if t.committed && writer != at {
                    all.edge(writer as u32, at as u32, Why::Wr(*g));
                    if t.level >= Level::ReadCommitted {
                        promised.edge(writer as u32, snapshot(at), Why::Wr(*g));
                    }
                }
            }
            for id in groups.get(g).into_iter().flatten().filter(|id| !set.contains(id)) {
                let writer = writers[id];
                // A snapshot is no older than the transaction.
                let at_least = if t.level == Level::Snapshot { t.began } else { *asked };
                if txns[writer].ended < at_least {
                    verdict.forbid(format!(
                        "did not see row {id}, acknowledged before it asked: T{at} {t:?}"
                    ));
                }
                if t.committed {
                    all.edge(at as u32, writer as u32, Why::Rw(*g));
                    if t.level >= Level::Serializable {
                        promised.edge(snapshot(at), writer as u32, Why::Rw(*g));
                    }
                }
            }
        }
    }
    all.circles(|_| true).iter().for_each(|_| verdict.count(Anomaly::Phantom));
    let mut spans = Vec::new();
    for (at, t) in txns.iter().enumerate().filter(|(_, t)| t.committed) {
        verdict.committed += 1;
        let (commit, snapshot) = (at as u32, snapshot(at));
        promised.edge(snapshot, commit, Why::After);
        spans.push((snapshot, t.began, t.ended));
        spans.extend((commit != snapshot).then_some((commit, 0, t.ended)));
    }
    promised.real_time(&spans);
    for circle in promised.circles(|_| true) {
        let way = promised.shortest(&circle, |_| true);
        let who: Vec<String> = way
            .iter()
            .filter(|e| (e.0 as usize) < 2 * n)
            .map(|e| format!("T{} {:?}", e.0, txns[e.0 as usize % n]))
            .collect();
        verdict.forbid(format!("a circle: {way:?}\n  {}", who.join("\n  ")));
    }
    verdict.aborted = n - verdict.committed;
    verdict
}

fn history(world: &World, shape: &Shape, level: Level, transactions: usize) -> Verdict {
    let table = format!("p_{}_{}", shape.name, level as u8);
    world.run(&[&shape.create.replace("{t}", &table)]);
    let (next, left, epoch) = (AtomicU32::new(1), Left::new(transactions), Epoch::now());
    let txns: Vec<Txn> = crowd(6, |c| {
        let mut dice = Dice::new(c as u64 * 7 + level as u64 + 11);
        let mut session = Session::open(world.port(), level).expect("a login");
        let mut done = Vec::new();
        while left.take() {
            let began = epoch.ns();
            let (reads, wrote) = (Vec::new(), Vec::new());
            let mut txn = Txn { level, began, ended: 0, committed: false, reads, wrote };
            let ended = client(&mut session, &mut dice, (shape, &table, epoch), &next, &mut txn);
            txn.ended = epoch.ns();
            let fate = ended.unwrap_or_else(|failed| session.fate(failed, false));
            txn.committed = fate == Fate::Committed;
            done.push(txn);
        }
        done
    })
    .into_iter()
    .flatten()
    .collect();
    let rows = world.query(&format!("SELECT id, grp FROM {table}"));
    let there: Vec<(u32, u32)> =
        rows.iter().map(|r| (number(&r[0]) as u32, number(&r[1]) as u32)).collect();
    judge(&txns, &there)
}

fn at_levels(world: &World, levels: &[Level], must: impl Fn(Level) -> &'static [Anomaly]) {
    for level in levels {
        let mut all = Verdict::default();
        for shape in &SHAPES {
            let verdict = history(world, shape, *level, share(700));
            verdict.hold(&format!("predicates, {}, {}", level.name(), shape.name), &[]);
            all.add(verdict);
        }
        all.hold(&format!("predicates, {}", level.name()), must(*level));
    }
}

#[test]
fn phantoms_come_up_to_repeatable_read_and_no_further() {
    at_levels(&World::new("predicates", false), &LEVELS, |level| match level {
        Level::ReadUncommitted => &[Anomaly::G1a, Anomaly::Phantom],
        Level::Serializable => &[],
        _ => &[Anomaly::Phantom],
    });
}

/// Under SNAPSHOT two may each put in a row that the other does not see; nothing else goes round.
#[test]
fn phantoms_by_versions() {
    let world = World::with_versions("predicates_by_versions");
    let levels =
        [Level::ReadCommitted, Level::RepeatableRead, Level::Serializable, Level::Snapshot];
    at_levels(&world, &levels, |level| match level {
        Level::Serializable => &[],
        _ => &[Anomaly::Phantom],
    });
}
