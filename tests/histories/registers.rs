//! Registers: each write says what it replaced (OUTPUT deleted), so the order of the versions is a chain.

use crate::check::{Anomaly, Fate, LEVELS, Level, Op, Seen, Txn, Verdict, judge};
use crate::session::{Dice, Epoch, Failed, Left, Session, World, crowd, number, share};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use taffrail_lab::client::types::Value;

const KEYS: u32 = 5;

/// A table of registers, `k` and `v`.
struct Shape {
    name: &'static str,
    create: &'static str,
    read: &'static str,
    writes: &'static [&'static str],
    /// The entries that are read move, back too: below SERIALIZABLE a row may be missed.
    moves: bool,
}

const UPDATE: &str = "UPDATE {t} SET v = CAST(@x AS int) OUTPUT deleted.v WHERE k = @k";
const MERGE: &str = "MERGE {t} WITH (HOLDLOCK) AS t USING (SELECT @k AS k, CAST(@x AS int) AS x) AS s ON t.k = s.k \
    WHEN MATCHED THEN UPDATE SET v = s.x WHEN NOT MATCHED THEN INSERT (k, v) VALUES (s.k, s.x) \
    OUTPUT deleted.v;";
const AGAIN: &str = "DELETE {t} OUTPUT deleted.v WHERE k = @k \
    INSERT {t} (k, v) VALUES (@k, CAST(@x AS int))";

const SHAPES: [Shape; 4] = [
    Shape {
        name: "clustered",
        create: "CREATE TABLE {t} (k int NOT NULL PRIMARY KEY, v int NOT NULL)",
        read: "SELECT v FROM {t} {h} WHERE k = @k",
        writes: &[UPDATE, MERGE, AGAIN],
        moves: false,
    },
    Shape {
        name: "heap",
        create: "CREATE TABLE {t} (k int NOT NULL, v int NOT NULL)",
        read: "SELECT v FROM {t} {h} WHERE k = @k",
        writes: &[UPDATE],
        moves: false,
    },
    Shape {
        name: "heap_indexed",
        create: "CREATE TABLE {t} (k int NOT NULL, v int NOT NULL) \
                 CREATE UNIQUE INDEX ix ON {t} (k)",
        read: "SELECT v FROM {t} {h} WHERE k = @k",
        writes: &[
            "UPDATE t SET v = CAST(@x AS int) OUTPUT deleted.v FROM {t} AS t WITH (FORCESEEK) WHERE t.k = @k",
            "DELETE t OUTPUT deleted.v FROM {t} AS t WITH (FORCESEEK) WHERE t.k = @k \
             INSERT {t} (k, v) VALUES (@k, CAST(@x AS int))",
        ],
        moves: false,
    },
    Shape {
        name: "covered",
        create: "CREATE TABLE {t} (id int NOT NULL IDENTITY PRIMARY KEY, k int NOT NULL UNIQUE, v int NOT NULL) \
                 CREATE UNIQUE INDEX ix ON {t} (k, v)",
        read: "SELECT v FROM {t} {h} WHERE k = @k",
        writes: &[UPDATE],
        moves: true,
    },
];

struct Drive<'a> {
    shape: &'a Shape,
    table: String,
    epoch: Epoch,
    next_value: AtomicU32,
    left: Left,
    /// Every transaction locks the one row that it changes in U before it reads it.
    careful: bool,
    /// Reads are of one moment: no row that moves is missed.
    by_versions: bool,
}

/// A transaction and what its writes replaced: key, before, after.
type Done = (Txn, Vec<(u32, u32, u32)>);

impl Drive<'_> {
    fn hints(&self, more: &str) -> String {
        match (more, self.shape.name) {
            ("", "heap_indexed") => "WITH (FORCESEEK)".into(),
            ("", _) => String::new(),
            (more, "heap_indexed") => format!("WITH (FORCESEEK, {more})"),
            (more, _) => format!("WITH ({more})"),
        }
    }

    fn read(&self, session: &mut Session, key: u32, hints: &str) -> Result<(Seen, u64), Failed> {
        let sql = self.shape.read.replace("{t}", &self.table).replace("{h}", &self.hints(hints));
        let asked = self.epoch.ns();
        let rows = session.call(&sql, key, "")?;
        Ok((one(&rows), asked))
    }

    /// `locked`: UPDLOCK looks at what is there now, by entries that may move, but under SNAPSHOT.
    fn judged(&self, level: Level, seen: &Seen, locked: bool) -> bool {
        let missed = matches!(seen, Seen::Rows(_));
        let of_a_moment = self.by_versions && (!locked || level == Level::Snapshot);
        !missed || !self.shape.moves || of_a_moment || level == Level::Serializable
    }

    /// Writes a new value; what it replaced.
    fn write(
        &self,
        session: &mut Session,
        dice: &mut Dice,
        (txn, priors): (&mut Txn, &mut Vec<(u32, u32, u32)>),
        key: u32,
    ) -> Result<Seen, Failed> {
        let value = self.next_value.fetch_add(1, Relaxed);
        txn.ops.push(Op::Write { key, value, undone: false });
        let writes = if self.careful { &self.shape.writes[..1] } else { self.shape.writes };
        let mut sql = writes[dice.below(writes.len() as u32) as usize].replace("{t}", &self.table);
        if txn.level == Level::Snapshot {
            // The hint asks for another level: what is there now is changed, whatever the snapshot has.
            sql = sql.replace("WITH (HOLDLOCK) ", "");
        }
        let seen = one(&session.call(&sql, key, &value.to_string())?);
        if let Seen::Last(before) = seen {
            priors.push((key, before, value));
        }
        Ok(seen)
    }

    fn client(&self, port: u16, client: usize, level: Level, verdict: &mut Verdict) -> Vec<Done> {
        let mut dice = Dice::new(u64::from(self.next_value.load(Relaxed)) * 77 + client as u64 + 5);
        let mut session = Session::open(port, level).expect("a login");
        let mut done = Vec::new();
        while self.left.take() {
            let began = self.epoch.ns();
            let ops = Vec::new();
            let mut txn = Txn { level, began, ended: 0, fate: Fate::Committed, ops };
            let mut priors = Vec::new();
            let looks_first = self.careful || dice.once_in(3);
            let ended = match looks_first {
                true => self.careful(&mut session, &mut dice, &mut txn, &mut priors, verdict),
                false => self.steps(&mut session, &mut dice, &mut txn, &mut priors),
            };
            txn.ended = self.epoch.ns();
            txn.fate = match ended {
                Ok(fate) => fate,
                Err(failed) => {
                    if self.careful && failed == Failed::Victim {
                        verdict.forbid(format!(
                            "one row, locked in U before it is changed, and a deadlock: {txn:?}"
                        ));
                    }
                    session.fate(failed, false)
                }
            };
            done.push((txn, priors));
        }
        done
    }

    fn steps(
        &self,
        session: &mut Session,
        dice: &mut Dice,
        txn: &mut Txn,
        priors: &mut Vec<(u32, u32, u32)>,
    ) -> Result<Fate, Failed> {
        session.begin()?;
        for _ in 0..1 + dice.below(3) {
            let key = dice.below(KEYS);
            if dice.below(5) < 3 {
                let (seen, asked) = self.read(session, key, "")?;
                if self.judged(txn.level, &seen, false) {
                    txn.ops.push(Op::Read { key, seen, asked });
                }
            }
            if dice.below(5) < 3 {
                self.write(session, dice, (txn, priors), key)?;
            }
        }
        let commit = !dice.once_in(8);
        session.end(commit)?;
        Ok(if commit { Fate::Committed } else { Fate::Aborted })
    }

    /// Reads with UPDLOCK, then writes: at any level nobody comes between, and nobody dies of it.
    fn careful(
        &self,
        session: &mut Session,
        dice: &mut Dice,
        txn: &mut Txn,
        priors: &mut Vec<(u32, u32, u32)>,
        verdict: &mut Verdict,
    ) -> Result<Fate, Failed> {
        session.begin()?;
        let key = dice.below(KEYS);
        let (read, asked) = self.read(session, key, "UPDLOCK, ROWLOCK")?;
        if !self.judged(txn.level, &read, true) {
            session.end(true)?;
            return Ok(Fate::Committed);
        }
        txn.ops.push(Op::Read { key, seen: read.clone(), asked });
        let (again, asked) = self.read(session, key, "UPDLOCK")?;
        txn.ops.push(Op::Read { key, seen: again.clone(), asked });
        let replaced = self.write(session, dice, (txn, priors), key)?;
        if again != read || replaced != read {
            verdict.forbid(format!(
                "locked in U, read {read:?} and {again:?}, replaced {replaced:?}: {txn:?}"
            ));
        }
        session.end(true)?;
        Ok(Fate::Committed)
    }
}

fn one(rows: &[Vec<Value>]) -> Seen {
    match rows {
        [row] => Seen::Last(number(&row[0]) as u32),
        _ => Seen::Rows(rows.len()),
    }
}

/// Each key's versions, from what committed writes say that they replaced.
fn chains(done: &[Done], verdict: &mut Verdict) -> HashMap<u32, Vec<u32>> {
    let mut next: HashMap<(u32, u32), u32> = HashMap::new();
    for (key, before, after) in
        done.iter().filter(|(t, _)| t.fate == Fate::Committed).flat_map(|(_, p)| p)
    {
        if let Some(other) = next.insert((*key, *before), *after) {
            verdict.forbid(format!("key {key}: {other} and {after} both replaced {before}"));
        }
    }
    let chain = |key| {
        let mut order = Vec::new();
        let mut at = 0;
        while let Some(value) = next.get(&(key, at)) {
            order.push(*value);
            at = *value;
        }
        order
    };
    (0..KEYS).map(|key| (key, chain(key))).collect()
}

fn history(
    world: &World,
    shape: &Shape,
    level: Level,
    (careful, by_versions): (bool, bool),
    transactions: usize,
) -> Verdict {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let table = format!("r{}", NEXT.fetch_add(1, Relaxed));
    world.run(&[&shape.create.replace("{t}", &table)]);
    for k in 0..KEYS {
        world.run(&[&format!("INSERT {table} (k, v) VALUES ({k}, 0)")]);
    }
    let drive = Drive {
        shape,
        table: table.clone(),
        epoch: Epoch::now(),
        next_value: AtomicU32::new(1),
        left: Left::new(transactions),
        careful,
        by_versions,
    };
    let brought = crowd(8, |c| {
        let mut verdict = Verdict::default();
        let done = drive.client(world.port(), c, level, &mut verdict);
        (done, verdict)
    });
    let mut verdict = Verdict::default();
    let mut done = Vec::new();
    for (part, said) in brought {
        done.extend(part);
        verdict.add(said);
    }
    let orders = chains(&done, &mut verdict);
    for row in world.query(&format!("SELECT k, v FROM {table}")) {
        let (key, value) = (number(&row[0]) as u32, number(&row[1]) as u32);
        let last = orders[&key].last().copied().unwrap_or(0);
        if value != last {
            verdict.forbid(format!("key {key} is {value}, the last that was written {last}"));
        }
    }
    let txns: Vec<Txn> = done.into_iter().map(|(t, _)| t).collect();
    verdict.add(judge(&txns, &orders));
    verdict
}

#[test]
fn registers_at_every_level() {
    let world = World::new("registers", false);
    for level in LEVELS {
        let mut all = Verdict::default();
        for shape in &SHAPES {
            let began = Epoch::now();
            let verdict = history(&world, shape, level, (false, false), share(900));
            let what =
                format!("registers, {}, {}, {:?}", level.name(), shape.name, began.elapsed());
            verdict.hold(&what, &[]);
            all.add(verdict);
        }
        let must: &[Anomaly] = match level {
            Level::ReadUncommitted => &[Anomaly::G1a, Anomaly::G1b, Anomaly::LostUpdate],
            Level::ReadCommitted => &[Anomaly::GSingle, Anomaly::LostUpdate],
            _ => &[],
        };
        all.hold(&format!("registers, {}", level.name()), must);
    }
}

#[test]
fn registers_by_versions() {
    let world = World::with_versions("registers_by_versions");
    for level in [Level::ReadCommitted, Level::Snapshot] {
        let mut all = Verdict::default();
        for shape in &SHAPES {
            let verdict = history(&world, shape, level, (false, true), share(900));
            verdict.hold(&format!("registers by versions, {}, {}", level.name(), shape.name), &[]);
            all.add(verdict);
        }
        let must: &[Anomaly] = match level {
            Level::ReadCommitted => &[Anomaly::GSingle, Anomaly::LostUpdate],
            _ => &[],
        };
        all.hold(&format!("registers by versions, {}", level.name()), must);
    }
}

#[test]
fn what_is_locked_for_an_update_is_changed_by_nobody_and_costs_no_deadlock() {
    let world = World::new("careful", false);
    let mut all = Verdict::default();
    for level in &LEVELS[1..] {
        // A scan of a heap meets the others' rows.
        for shape in SHAPES.iter().filter(|s| s.name != "heap") {
            all.add(history(&world, shape, *level, (true, false), share(300)));
        }
    }
    all.hold("UPDLOCK", &[]);
    assert_eq!(all.aborted, 0, "nothing rolls back here");
}
