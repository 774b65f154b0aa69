//! Lists that are appended to: who reads one sees all versions that came before.

use crate::check::{ALL_LEVELS, Anomaly, Fate, LEVELS, Level, Op, Seen, Txn, Verdict, judge};
use crate::session::{Dice, Epoch, Failed, Session, World, number, share};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use taffrail_lab::client::types::Value;

/// A table of lists, `k` and `v`, and the ways to a row of it.
pub struct Shape {
    pub name: &'static str,
    /// `{t}`: the table's name.
    create: &'static [&'static str],
    /// Hints to read with, one of them each time.
    ways: &'static [&'static str],
    appends: &'static [&'static str],
    /// Rows move in the index that is read from one end to the other: below SERIALIZABLE a scan may miss one, or meet it twice.
    pub moves: bool,
}

const UPDATE: &str = "UPDATE {t} SET v = v + @x WHERE k = @k";
const MERGE: &str = "MERGE {t} AS t USING (SELECT @k AS k, @x AS x) AS s ON t.k = s.k \
    WHEN MATCHED THEN UPDATE SET v = t.v + s.x;";
const AGAIN: &str = "DECLARE @o TABLE (k int, v varchar(7000)) \
    DELETE {t} OUTPUT deleted.k, deleted.v INTO @o WHERE k = @k \
    INSERT {t} (k, v) SELECT k, v + @x FROM @o";

/// How rows may be stored and found.
pub const SHAPES: [Shape; 6] = [
    Shape {
        name: "clustered",
        create: &["CREATE TABLE {t} (k int NOT NULL PRIMARY KEY, v varchar(7000) NOT NULL)"],
        ways: &["", "FORCESEEK", "FORCESCAN"],
        appends: &[UPDATE, MERGE, AGAIN],
        moves: false,
    },
    Shape {
        name: "heap",
        create: &["CREATE TABLE {t} (k int NOT NULL, v varchar(7000) NOT NULL)"],
        ways: &[""],
        appends: &[UPDATE, MERGE],
        moves: false,
    },
    Shape {
        name: "heap_indexed",
        create: &[
            "CREATE TABLE {t} (k int NOT NULL, v varchar(7000) NOT NULL)",
            "CREATE UNIQUE INDEX ix ON {t} (k)",
        ],
        ways: &["FORCESEEK", "FORCESEEK", "INDEX(0)"],
        appends: &[
            UPDATE,
            "UPDATE t SET v = t.v + @x FROM {t} AS t WITH (FORCESEEK) WHERE t.k = @k",
        ],
        moves: false,
    },
    Shape {
        name: "covered",
        create: &[
            "CREATE TABLE {t} (id int NOT NULL IDENTITY PRIMARY KEY, k int NOT NULL, v varchar(7000) NOT NULL)",
            "CREATE UNIQUE INDEX ix ON {t} (k) INCLUDE (v)",
        ],
        ways: &["", "FORCESEEK", "INDEX(0)", "INDEX(ix)"],
        appends: &[UPDATE, MERGE],
        moves: false,
    },
    Shape {
        name: "moving",
        create: &[
            "CREATE TABLE {t} (b int NOT NULL DEFAULT 0, k int NOT NULL, v varchar(7000) NOT NULL, \
             CONSTRAINT {t}_pk PRIMARY KEY CLUSTERED (b, k))",
            "CREATE UNIQUE INDEX ix ON {t} (k)",
        ],
        ways: &["FORCESEEK (ix (k))"],
        appends: &[
            "UPDATE {t} WITH (FORCESEEK (ix (k))) SET b = (b * 5 + @k + 1) % 7, v = v + @x WHERE k = @k",
            "UPDATE {t} WITH (FORCESEEK (ix (k))) SET v = v + @x WHERE k = @k",
        ],
        moves: true,
    },
    Shape {
        name: "moving_entries",
        create: &[
            "CREATE TABLE {t} (k int NOT NULL PRIMARY KEY, b int NOT NULL DEFAULT 0, v varchar(7000) NOT NULL)",
            "CREATE INDEX ix ON {t} (b) INCLUDE (v)",
        ],
        ways: &["FORCESEEK", "INDEX(ix)"],
        appends: &["UPDATE {t} SET b = (b * 5 + @k + 1) % 7, v = v + @x WHERE k = @k"],
        moves: true,
    },
];

/// What the clients of one history share.
pub struct Drive<'a> {
    pub shape: &'a Shape,
    pub table: String,
    pub keys: u32,
    pub epoch: Epoch,
    pub next_value: AtomicU32,
    /// Transactions that are still to be begun.
    pub left: AtomicUsize,
    pub stop: AtomicBool,
    /// READ COMMITTED reads row versions.
    pub by_versions: bool,
}

impl<'a> Drive<'a> {
    pub fn new(world: &World, shape: &'a Shape, table: &str, keys: u32) -> Drive<'a> {
        let batches: Vec<String> =
            shape.create.iter().map(|sql| sql.replace("{t}", table)).collect();
        world.run(&batches.iter().map(String::as_str).collect::<Vec<_>>());
        for k in 0..keys {
            world.run(&[&format!("INSERT {table} (k, v) VALUES ({k}, '')")]);
        }
        Drive {
            shape,
            table: table.to_string(),
            keys,
            epoch: Epoch::now(),
            next_value: AtomicU32::new(1),
            left: AtomicUsize::new(0),
            stop: AtomicBool::new(false),
            by_versions: world.by_versions,
        }
    }

    fn value(&self) -> u32 {
        self.next_value.fetch_add(1, Ordering::Relaxed)
    }

    fn sql(&self, text: &str) -> String {
        text.replace("{t}", &self.table)
    }

    fn read_sql(&self, dice: &mut Dice, hint: Option<Level>) -> String {
        let way = self.shape.ways[dice.below(self.shape.ways.len() as u32) as usize];
        let hints: Vec<&str> =
            [way, hint.map_or("", Level::hint)].into_iter().filter(|h| !h.is_empty()).collect();
        let with =
            if hints.is_empty() { String::new() } else { format!("WITH ({})", hints.join(", ")) };
        format!("SELECT v FROM {} {with} WHERE k = @k", self.table)
    }

    fn append_sql(&self, dice: &mut Dice) -> String {
        self.sql(self.shape.appends[dice.below(self.shape.appends.len() as u32) as usize])
    }

    /// One client's transactions, until there are none left or the server is gone.
    pub fn client(&self, port: u16, client: usize, level: Level, seed: u64) -> Vec<Txn> {
        let mut dice = Dice::new(seed);
        let mut done = Vec::new();
        // Every third client asks for its level by hints, if there is one for it.
        let hint = (client % 3 == 2 && level != Level::Snapshot).then_some(level);
        let base = if hint.is_some() { Level::ReadCommitted } else { level };
        let Ok(mut session) = Session::open(port, base) else { return done };
        while !self.stop.load(Ordering::Relaxed)
            && self
                .left
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1))
                .is_ok()
        {
            let mut txn = Txn {
                level,
                began: self.epoch.ns(),
                ended: 0,
                fate: Fate::Committed,
                ops: Vec::new(),
            };
            let ended = match dice.below(8) {
                0 | 1 => self.single(&mut session, &mut dice, &mut txn, hint),
                2 => self.one_batch(&mut session, &mut dice, &mut txn, hint),
                _ => self.steps(&mut session, &mut dice, &mut txn, hint),
            };
            txn.ended = self.epoch.ns();
            let gone = match ended {
                Ok(fate) => {
                    txn.fate = fate;
                    false
                }
                Err((failed, sent)) => {
                    txn.fate = session.fate(failed, sent);
                    failed == Failed::Gone
                }
            };
            done.push(txn);
            if gone {
                break;
            }
        }
        done
    }

    fn read(
        &self,
        session: &mut Session,
        dice: &mut Dice,
        key: u32,
        (level, hint): (Level, Option<Level>),
    ) -> Result<Option<Op>, Failed> {
        let sql = self.read_sql(dice, hint);
        let asked = self.epoch.ns();
        let rows = match dice.below(8) {
            // OPEN copies the rows; the one of them is fetched from the copy.
            0 => session.rows(&format!(
                "DECLARE c CURSOR LOCAL FOR {} OPEN c FETCH NEXT FROM c CLOSE c DEALLOCATE c",
                sql.replace("@k", &key.to_string())
            ))?,
            1 => session.rows(&sql.replace("@k", &key.to_string()))?,
            _ => session.call(&sql, key, "")?,
        };
        Ok(self.judged(level, &sql, &rows).map(|seen| Op::Read { key, seen, asked }))
    }

    /// What a read found; none if it may have missed its row, or met it twice.
    fn judged(&self, level: Level, sql: &str, rows: &[Vec<Value>]) -> Option<Seen> {
        let scans = self.shape.moves && !sql.contains("FORCESEEK");
        let of_a_moment = match level {
            Level::Serializable | Level::Snapshot => true,
            Level::ReadCommitted => self.by_versions,
            _ => false,
        };
        (rows.len() == 1 || !scans || of_a_moment).then(|| seen(rows))
    }

    fn append(
        &self,
        session: &mut Session,
        dice: &mut Dice,
        key: u32,
        value: u32,
    ) -> Result<(), Failed> {
        session.call(&self.append_sql(dice), key, &format!("{value},")).map(drop)
    }

    /// One statement, its own transaction.
    fn single(
        &self,
        session: &mut Session,
        dice: &mut Dice,
        txn: &mut Txn,
        hint: Option<Level>,
    ) -> Result<Fate, (Failed, bool)> {
        let key = dice.below(self.keys);
        if dice.once_in(2) {
            let op = self.read(session, dice, key, (txn.level, hint)).map_err(|f| (f, true))?;
            txn.ops.extend(op);
        } else {
            let value = self.value();
            txn.ops.push(Op::Write { key, value, undone: false });
            // Of the appends only those of one statement.
            let sql = self.sql(self.shape.appends[0]);
            session.call(&sql, key, &format!("{value},")).map_err(|f| (f, true))?;
        }
        Ok(Fate::Committed)
    }

    /// All in one batch: what it reads comes back at its end.
    fn one_batch(
        &self,
        session: &mut Session,
        dice: &mut Dice,
        txn: &mut Txn,
        hint: Option<Level>,
    ) -> Result<Fate, (Failed, bool)> {
        let commit = !dice.once_in(8);
        let mut sql = String::from("BEGIN TRAN\n");
        let mut read = Vec::new();
        let asked = self.epoch.ns();
        for _ in 0..2 + dice.below(3) {
            let key = dice.below(self.keys);
            if dice.once_in(2) {
                let text = self.read_sql(dice, hint);
                read.push((txn.ops.len(), text.clone()));
                txn.ops.push(Op::Read { key, seen: Seen::Rows(0), asked });
                sql += &text.replace("@k", &key.to_string());
            } else {
                let value = self.value();
                txn.ops.push(Op::Write { key, value, undone: false });
                let text = self.sql(self.shape.appends[0]);
                sql += &text.replace("@k", &key.to_string()).replace("@x", &format!("'{value},'"));
            }
            sql.push('\n');
        }
        sql += if commit { "COMMIT" } else { "ROLLBACK" };
        match session.ask(&sql) {
            Ok(answer) => {
                assert_eq!(answer.sets.len(), read.len(), "{sql}");
                for ((at, text), set) in read.into_iter().zip(answer.sets).rev() {
                    let seen = self.judged(txn.level, &text, &set.rows);
                    match (&mut txn.ops[at], seen) {
                        (Op::Read { seen: s, .. }, Some(seen)) => *s = seen,
                        _ => drop(txn.ops.remove(at)),
                    }
                }
                Ok(if commit { Fate::Committed } else { Fate::Aborted })
            }
            Err(failed) => {
                txn.ops.retain(|op| matches!(op, Op::Write { .. }));
                Err((failed, commit))
            }
        }
    }

    /// A batch for each step.
    fn steps(
        &self,
        session: &mut Session,
        dice: &mut Dice,
        txn: &mut Txn,
        hint: Option<Level>,
    ) -> Result<Fate, (Failed, bool)> {
        let not_sent = |f| (f, false);
        session.begin().map_err(not_sent)?;
        let same = dice.once_in(4).then(|| dice.below(self.keys));
        for _ in 0..2 + dice.below(3) {
            let key = same.unwrap_or_else(|| dice.below(self.keys));
            let value = self.value();
            match dice.below(10) {
                0 => {
                    txn.ops.push(Op::Write { key, value, undone: true });
                    let undone = format!(
                        "SAVE TRAN s {} ROLLBACK TRAN s",
                        self.sql(self.shape.appends[0])
                            .replace("@k", &key.to_string())
                            .replace("@x", &format!("'{value},'"))
                    );
                    session.ask(&undone).map_err(not_sent)?;
                }
                1..=4 => {
                    txn.ops.push(Op::Write { key, value, undone: false });
                    self.append(session, dice, key, value).map_err(not_sent)?;
                }
                _ => {
                    let op = self.read(session, dice, key, (txn.level, hint)).map_err(not_sent)?;
                    txn.ops.extend(op);
                }
            }
        }
        let commit = !dice.once_in(10);
        session.end(commit).map_err(|f| (f, commit))?;
        Ok(if commit { Fate::Committed } else { Fate::Aborted })
    }

    /// What the lists are in the end.
    pub fn orders(&self, world: &World) -> HashMap<u32, Vec<u32>> {
        let rows = world.query(&format!("SELECT k, v FROM {} ORDER BY k", self.table));
        assert_eq!(rows.len(), self.keys as usize, "rows of {}", self.table);
        rows.into_iter().map(|row| (number(&row[0]) as u32, list(&row[1]))).collect()
    }
}

fn list(value: &Value) -> Vec<u32> {
    let Value::VarChar(text) = value else { panic!("{value:?} is no list") };
    let text = std::str::from_utf8(text).expect("digits and commas");
    text.split_terminator(',').map(|n| n.parse().expect("digits and commas")).collect()
}

fn seen(rows: &[Vec<Value>]) -> Seen {
    match rows {
        [row] => Seen::All(list(&row[0])),
        _ => Seen::Rows(rows.len()),
    }
}

/// A history of one shape; the levels are dealt out to the clients in turn.
pub fn history(
    world: &World,
    shape: &Shape,
    levels: &[Level],
    clients: usize,
    transactions: usize,
) -> Verdict {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let n = NEXT.fetch_add(1, Ordering::Relaxed);
    let drive = Drive::new(world, shape, &format!("l{n}"), 6);
    drive.left.store(transactions, Ordering::Relaxed);
    let txns: Vec<Txn> = std::thread::scope(|scope| {
        let clients: Vec<_> = (0..clients)
            .map(|c| {
                let (drive, port) = (&drive, world.port());
                let level = levels[c % levels.len()];
                scope.spawn(move || drive.client(port, c, level, u64::from(n) * 100 + c as u64 + 1))
            })
            .collect();
        clients.into_iter().flat_map(|c| c.join().expect("a client")).collect()
    });
    judge(&txns, &drive.orders(world))
}

fn at_levels(world: &World, name: &str, levels: &[Level], transactions: usize, must: &[Anomaly]) {
    let mut all = Verdict::default();
    for (at, shape) in SHAPES.iter().enumerate() {
        let began = Epoch::now();
        let clients = [8, 5, 6, 16, 8, 8][at];
        let verdict = history(world, shape, levels, clients, share(transactions));
        verdict.hold(&format!("{name}, {}, {:?}", shape.name, began.elapsed()), &[]);
        all.add(verdict);
    }
    all.hold(name, must);
}

#[test]
fn lists_at_read_uncommitted() {
    let must = [Anomaly::G1a, Anomaly::G1b, Anomaly::G1c, Anomaly::GSingle, Anomaly::G2Item];
    at_levels(&World::new("ru", false), "ru", &LEVELS[..1], 2000, &must);
}

/// Anomalies that READ COMMITTED allows, with row versions and without.
const READ_COMMITTED: [Anomaly; 3] = [Anomaly::GSingle, Anomaly::G2Item, Anomaly::LostUpdate];

#[test]
fn lists_at_read_committed() {
    at_levels(&World::new("rc", false), "rc", &LEVELS[1..2], 2000, &READ_COMMITTED);
}

#[test]
fn lists_at_repeatable_read() {
    at_levels(&World::new("rr", false), "rr", &LEVELS[2..3], 1400, &[]);
}

#[test]
fn lists_at_serializable() {
    at_levels(&World::new("ser", false), "ser", &LEVELS[3..], 2000, &[]);
}

#[test]
fn lists_at_mixed_levels() {
    let must = [Anomaly::G1a, Anomaly::GSingle];
    at_levels(&World::new("mixed", false), "mixed", &LEVELS, 2000, &must);
}

#[test]
fn lists_at_read_committed_by_versions() {
    let world = World::with_versions("rcsi");
    at_levels(&world, "rc by versions", &LEVELS[1..2], 2000, &READ_COMMITTED);
}

/// Write skew is what SNAPSHOT allows, and nothing else.
#[test]
fn lists_at_snapshot() {
    let world = World::with_versions("si");
    at_levels(&world, "snapshot", &ALL_LEVELS[4..], 2000, &[Anomaly::G2Item]);
}

/// Transactions that lock and transactions that read by snapshots, side by side.
#[test]
fn lists_at_all_levels_by_versions() {
    let world = World::with_versions("all");
    let must = [Anomaly::G1a, Anomaly::GSingle, Anomaly::G2Item];
    at_levels(&world, "all levels by versions", &ALL_LEVELS, 3000, &must);
}
