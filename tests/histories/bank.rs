//! Money goes from account to account, and no sum that is read at a level that promises it differs.

use crate::check::{Anomaly, LEVELS, Level, Verdict};
use crate::session::{Dice, Failed, Left, Session, World, crowd, number, share};

const ACCOUNTS: u32 = 40;
const EACH: i64 = 100;
/// So many that a statement over all of them escalates.
const MANY: u32 = 6000;

struct Shape {
    name: &'static str,
    create: &'static [&'static str],
    /// How one account is found, so that none is missed while others move.
    locate: &'static str,
    /// Ways to read the sum and the number of accounts.
    sums: &'static [&'static str],
    /// Accounts move from branch to branch: a row in the order of its table, an entry in that of its index.
    moves: bool,
}

const SHAPES: [Shape; 5] = [
    Shape {
        name: "clustered",
        create: &[
            "CREATE TABLE {t} (id int NOT NULL PRIMARY KEY, branch int NOT NULL, bal int NOT NULL, filler varchar(900))",
        ],
        locate: "",
        sums: &[
            "SELECT SUM(bal), COUNT(*) FROM {t}",
            "SELECT SUM(bal), COUNT(*) FROM {t} WHERE id IN (0,1,2,3,4,5,6,7,8,9) OR id >= 10",
        ],
        moves: false,
    },
    Shape {
        name: "heap",
        create: &[
            "CREATE TABLE {t} (id int NOT NULL, branch int NOT NULL, bal int NOT NULL, filler varchar(900))",
        ],
        locate: "",
        sums: &["SELECT SUM(bal), COUNT(*) FROM {t}"],
        moves: false,
    },
    Shape {
        name: "covered",
        create: &[
            "CREATE TABLE {t} (id int NOT NULL PRIMARY KEY, branch int NOT NULL, bal int NOT NULL, filler varchar(900))",
            "CREATE INDEX ix ON {t} (id) INCLUDE (bal)",
        ],
        locate: "",
        sums: &["SELECT SUM(bal), COUNT(*) FROM {t} WITH (INDEX(ix))"],
        moves: false,
    },
    Shape {
        name: "moving_rows",
        create: &[
            "CREATE TABLE {t} (id int NOT NULL, branch int NOT NULL, bal int NOT NULL, filler varchar(900), \
             CONSTRAINT {t}_pk PRIMARY KEY CLUSTERED (branch, id))",
            "CREATE UNIQUE INDEX ix ON {t} (id)",
        ],
        locate: "WITH (FORCESEEK (ix (id)))",
        sums: &[
            "SELECT SUM(bal), COUNT(*) FROM {t}",
            "SELECT SUM(bal), COUNT(*) FROM {t} WHERE branch IN (0,1,2,3,4)",
            "SELECT SUM(bal), COUNT(*) FROM {t} WITH (INDEX(ix))",
        ],
        moves: true,
    },
    Shape {
        name: "moving_entries",
        create: &[
            "CREATE TABLE {t} (id int NOT NULL PRIMARY KEY, branch int NOT NULL, bal int NOT NULL, filler varchar(900))",
            "CREATE INDEX ix ON {t} (branch)",
        ],
        locate: "WITH (FORCESEEK)",
        sums: &[
            "SELECT SUM(bal), COUNT(*) FROM {t} WITH (INDEX(ix)) WHERE branch BETWEEN 0 AND 4",
            "SELECT SUM(bal), COUNT(*) FROM {t} WITH (FORCESEEK) WHERE branch IN (0,1,2,3,4)",
        ],
        moves: true,
    },
];

/// One transfer; false: it was taken back on purpose.
fn transfer(
    session: &mut Session,
    dice: &mut Dice,
    t: &str,
    shape: &Shape,
) -> Result<bool, Failed> {
    let (moves, locate) = (shape.moves, shape.locate);
    let (from, to, n) = (dice.below(ACCOUNTS), dice.below(ACCOUNTS), dice.below(20));
    let (branch, fill) = (dice.below(5), dice.below(900));
    let moved = if moves { format!(", branch = {branch}") } else { String::new() };
    let minus = format!("UPDATE {t} {locate} SET bal = bal - {n}{moved} WHERE id = {from}");
    let plus = format!(
        "UPDATE {t} {locate} SET bal = bal + {n}, filler = REPLICATE('x', {fill}) WHERE id = {to}"
    );
    let case = format!("CASE id WHEN {to} THEN {n} ELSE -{n} END");
    match dice.below(8) {
        0 if from != to => {
            session.ask(&format!(
                "UPDATE {t} {locate} SET bal = bal + {case}{moved} WHERE id IN ({from}, {to})"
            ))?;
        }
        1 if from != to && locate.is_empty() => {
            session.ask(&format!(
                "MERGE {t} AS t USING (VALUES ({from}, -{n}), ({to}, {n})) AS s (id, n) ON t.id = s.id \
                 WHEN MATCHED THEN UPDATE SET bal = t.bal + s.n;"
            ))?;
        }
        // A scan of a heap may miss a row that is taken away and put back elsewhere.
        2 if shape.name != "heap" => {
            session.ask(&format!(
                "BEGIN TRAN DECLARE @o TABLE (id int, branch int, bal int) \
                 DELETE {t} {locate} OUTPUT deleted.id, deleted.branch, deleted.bal INTO @o WHERE id = {from} \
                 {plus} \
                 INSERT {t} (id, branch, bal) SELECT id, {} , bal - {} FROM @o COMMIT",
                if moves { branch.to_string() } else { "branch".into() },
                // Where it is the same account the deposit has met no row.
                if from == to { 0 } else { n },
            ))?;
        }
        3 => {
            session.ask(&format!("BEGIN TRAN {minus} {plus} ROLLBACK"))?;
            return Ok(false);
        }
        4 | 5 => {
            session.ask(&format!("BEGIN TRAN {minus} {plus} COMMIT"))?;
        }
        _ => {
            session.begin()?;
            session.ask(&minus)?;
            session.ask(&plus)?;
            session.end(true)?;
        }
    }
    Ok(true)
}

/// `by_versions`: each sum is one of a moment.
fn history(
    world: &World,
    shape: &Shape,
    (level, by_versions): (Level, bool),
    transactions: usize,
) -> Verdict {
    let t = format!("bank_{}_{}", shape.name, level as u8);
    let batches: Vec<String> = shape.create.iter().map(|sql| sql.replace("{t}", &t)).collect();
    world.run(&batches.iter().map(String::as_str).collect::<Vec<_>>());
    for id in 0..ACCOUNTS {
        world.run(&[&format!("INSERT {t} (id, branch, bal) VALUES ({id}, {}, {EACH})", id % 5)]);
    }
    let total = (i64::from(ACCOUNTS) * EACH, i64::from(ACCOUNTS));
    // A scan in the order of keys that change may miss a row, or meet it twice, up to REPEATABLE READ; and so may one of rows that are
    // taken away and put back.
    let exact = by_versions || level == Level::Serializable;
    let left = Left::new(transactions);
    let brought = crowd(8, |c| {
        let mut verdict = Verdict::default();
        let mut dice = Dice::new(c as u64 * 31 + level as u64 + 3);
        let mut session = Session::open(world.port(), level).expect("a login");
        while left.take() {
            let done = if c < 5 {
                transfer(&mut session, &mut dice, &t, shape)
            } else {
                let sum = shape.sums[dice.below(shape.sums.len() as u32) as usize];
                session.rows(&sum.replace("{t}", &t)).map(|rows| {
                    let found = (number(&rows[0][0]), number(&rows[0][1]));
                    if found != total {
                        verdict.count(Anomaly::Sum);
                        if exact {
                            verdict.forbid(format!("{sum}: {found:?}, not {total:?}"));
                        }
                    }
                    true
                })
            };
            match done {
                Ok(true) => verdict.committed += 1,
                Ok(false) | Err(Failed::Victim) => verdict.aborted += 1,
                Err(other) => verdict.forbid(format!("{other:?}")),
            }
        }
        verdict
    });
    let mut verdict = Verdict::default();
    brought.into_iter().for_each(|v| verdict.add(v));
    let rows = world.query(&format!("SELECT SUM(bal), COUNT(*) FROM {t}"));
    let found = (number(&rows[0][0]), number(&rows[0][1]));
    if found != total {
        verdict.forbid(format!("in the end {found:?}, not {total:?}"));
    }
    verdict
}

#[test]
fn a_bank_keeps_its_sum() {
    let world = World::new("bank", false);
    for level in LEVELS {
        let mut all = Verdict::default();
        for shape in &SHAPES {
            let verdict = history(&world, shape, (level, false), share(1200));
            verdict.hold(&format!("bank, {}, {}", level.name(), shape.name), &[]);
            all.add(verdict);
        }
        let must: &[Anomaly] = if level == Level::Serializable { &[] } else { &[Anomaly::Sum] };
        all.hold(&format!("bank, {}", level.name()), must);
    }
    world.whole();
}

#[test]
fn a_bank_keeps_its_sum_by_versions() {
    let world = World::with_versions("bank-versions");
    for level in [Level::ReadCommitted, Level::Snapshot] {
        let mut all = Verdict::default();
        for shape in &SHAPES {
            let verdict = history(&world, shape, (level, true), share(1200));
            let what = format!("bank by versions, {}, {}", level.name(), shape.name);
            verdict.hold(&what, &[]);
            all.add(verdict);
        }
        all.hold(&format!("bank by versions, {}", level.name()), &[]);
    }
    world.whole();
}

/// Where rows stay where they are, the locks on those that were read keep the sum at REPEATABLE READ too.
#[test]
fn a_bank_whose_rows_stay_keeps_its_sum_at_repeatable_read() {
    let world = World::new("bank-rr", false);
    let mut all = Verdict::default();
    for shape in SHAPES.iter().filter(|s| !s.moves) {
        let t = format!("b_{}", shape.name);
        let batches: Vec<String> = shape.create.iter().map(|sql| sql.replace("{t}", &t)).collect();
        world.run(&batches.iter().map(String::as_str).collect::<Vec<_>>());
        for id in 0..ACCOUNTS {
            world.run(&[&format!("INSERT {t} (id, branch, bal) VALUES ({id}, 0, {EACH})")]);
        }
        let left = Left::new(share(1000));
        let brought = crowd(8, |c| {
            let mut verdict = Verdict::default();
            let mut dice = Dice::new(c as u64 + 17);
            let level = Level::RepeatableRead;
            let mut session = Session::open(world.port(), level).expect("a login");
            while left.take() {
                let (from, to) = (dice.below(ACCOUNTS), dice.below(ACCOUNTS));
                let done = match c {
                    0..5 => session.ask(&format!(
                        "BEGIN TRAN UPDATE {t} SET bal = bal - 1, filler = REPLICATE('y', {}) WHERE id = {from} \
                         UPDATE {t} SET bal = bal + 1 WHERE id = {to} COMMIT",
                        dice.below(900)
                    )),
                    _ => session.ask(&shape.sums[0].replace("{t}", &t)),
                };
                match done {
                    Ok(answer) => {
                        verdict.committed += 1;
                        if let Some(row) = answer.sets.first().and_then(|s| s.rows.first()) {
                            let found = (number(&row[0]), number(&row[1]));
                            if found != (i64::from(ACCOUNTS) * EACH, i64::from(ACCOUNTS)) {
                                verdict.forbid(format!("{}: {found:?}", shape.name));
                            }
                        }
                    }
                    Err(Failed::Victim) => verdict.aborted += 1,
                    Err(other) => verdict.forbid(format!("{other:?}")),
                }
            }
            verdict
        });
        brought.into_iter().for_each(|v| all.add(v));
    }
    all.hold("bank of rows that stay, REPEATABLE READ", &[]);
}

/// Statements over so many rows that their locks become one on the table: as if they had stayed what they were.
#[test]
fn locks_that_escalate_still_lock() {
    let world = World::new("escalation", false);
    world.run(&[
        "CREATE TABLE many (id int NOT NULL PRIMARY KEY, v int NOT NULL)",
        &format!("INSERT many SELECT value, 0 FROM GENERATE_SERIES(0, {})", MANY - 1),
    ]);
    let rows = world.query(
        "BEGIN TRAN UPDATE many SET v = v \
         SELECT COUNT(*) FROM sys.dm_tran_locks WHERE request_session_id = @@SPID AND resource_type = 'KEY' \
         ROLLBACK",
    );
    assert_eq!(number(&rows[0][0]), 0, "such a statement escalates");
    let left = Left::new(share(600));
    let brought = crowd(6, |c| {
        let mut verdict = Verdict::default();
        let mut dice = Dice::new(c as u64 + 41);
        let level = if c < 5 { Level::RepeatableRead } else { Level::ReadCommitted };
        let mut session = Session::open(world.port(), level).expect("a login");
        while left.take() {
            let id = dice.below(MANY);
            let done = match c {
                // All rows are the same whenever anybody may look at all of them.
                0 => session.begin().and_then(|()| {
                    session.ask("UPDATE many SET v = v + 1")?;
                    session.ask("SELECT MIN(v) FROM many WHERE id = 5999")?;
                    session.end(!dice.once_in(3)).map(|()| None)
                }),
                1 => session.begin().and_then(|()| {
                    let first = session.rows("SELECT MIN(v), MAX(v) FROM many")?;
                    let again = session.rows("SELECT MIN(v), MAX(v) FROM many")?;
                    session.end(true)?;
                    let all: Vec<i64> =
                        [&first[0], &again[0]].into_iter().flatten().map(number).collect();
                    Ok(Some(all))
                }),
                2..5 => session
                    .ask(&format!(
                        "BEGIN TRAN UPDATE many SET v = v + 7 WHERE id = {id} \
                         UPDATE many SET v = v - 7 WHERE id = {id} COMMIT"
                    ))
                    .map(|_| None),
                // What is committed only grows.
                _ => session
                    .rows(&format!(
                        "SELECT v FROM many WHERE id = {id} SELECT v FROM many WHERE id = {}",
                        dice.below(MANY)
                    ))
                    .map(|rows| {
                        let (first, then) = (number(&rows[0][0]), number(&rows[1][0]));
                        Some(vec![first.min(then), first])
                    }),
            };
            match done {
                Ok(seen) => {
                    verdict.committed += 1;
                    if let Some(all) = seen.filter(|all| all.windows(2).any(|w| w[0] != w[1])) {
                        verdict.forbid(format!("rows differ, or change under a lock: {all:?}"));
                    }
                }
                Err(Failed::Victim) => verdict.aborted += 1,
                Err(other) => verdict.forbid(format!("{other:?}")),
            }
        }
        verdict
    });
    let mut all = Verdict::default();
    brought.into_iter().for_each(|v| all.add(v));
    all.hold("escalation", &[]);
}
