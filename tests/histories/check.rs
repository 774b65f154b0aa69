//! What a history says of the isolation under which it was made: Adya's phenomena, from what each transaction wrote and read.
//!
//! Each value is written once, so a version tells who made it. The order of a key's versions is known for certain: a list holds all
//! that was ever appended to it, a register's writers say what they replaced. Edges: ww from a version's writer to the next one's, wr from
//! a version's writer to who read it, rw from who read a version to the writer of the next.
//!
//! A circle is forbidden if it can be made of what the levels promise: ww always, wr where the reader is at READ COMMITTED or above, rw
//! where it is at REPEATABLE READ or above, and "acknowledged before the other began", since all of these follow the order of the
//! commits where locks are what isolates. So transactions of different levels may be mixed.
//!
//! A transaction under SNAPSHOT stands twice in that graph: as of its snapshot and as of its commit, the one before the other. It has read
//! as of the first, and who comes before it has committed before that: a circle has to have two rw edges in a row, and is write skew. So
//! transactions that lock and those that read by snapshots may be mixed, too.

use crate::graph::{Graph, Why};
use std::collections::{BTreeMap, HashMap};

/// `SET TRANSACTION ISOLATION LEVEL`, the weakest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    ReadUncommitted,
    ReadCommitted,
    RepeatableRead,
    Serializable,
    /// No weaker and no stronger than the others: what is read is of another moment than what is written.
    Snapshot,
}

/// The levels whose transactions locks keep apart.
pub const LEVELS: [Level; 4] =
    [Level::ReadUncommitted, Level::ReadCommitted, Level::RepeatableRead, Level::Serializable];

/// All levels: where row versions are kept.
pub const ALL_LEVELS: [Level; 5] = [
    Level::ReadUncommitted,
    Level::ReadCommitted,
    Level::RepeatableRead,
    Level::Serializable,
    Level::Snapshot,
];

impl Level {
    /// As SET names it.
    pub fn name(self) -> &'static str {
        match self {
            Level::ReadUncommitted => "READ UNCOMMITTED",
            Level::ReadCommitted => "READ COMMITTED",
            Level::RepeatableRead => "REPEATABLE READ",
            Level::Serializable => "SERIALIZABLE",
            Level::Snapshot => "SNAPSHOT",
        }
    }

    /// As a hint names it.
    pub fn hint(self) -> &'static str {
        match self {
            Level::ReadUncommitted => "READUNCOMMITTED",
            Level::ReadCommitted => "READCOMMITTED",
            Level::RepeatableRead => "REPEATABLEREAD",
            Level::Serializable => "SERIALIZABLE",
            Level::Snapshot => "",
        }
    }
}

/// How a transaction ended, as far as its client knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    Committed,
    /// By ROLLBACK, as a deadlock's victim, or with the connection before its COMMIT was sent.
    Aborted,
    /// The connection broke after the commit was sent.
    Unknown,
}

/// What a read found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Seen {
    /// A list.
    All(Vec<u32>),
    /// A register; 0: as it was in the beginning.
    Last(u32),
    /// No row, or more than one.
    Rows(usize),
}

/// What a transaction did.
#[derive(Clone, Debug)]
pub enum Op {
    /// `undone`: taken back by a savepoint at once.
    Write { key: u32, value: u32, undone: bool },
    /// `asked`: when, in nanoseconds of the history.
    Read { key: u32, seen: Seen, asked: u64 },
}

/// A transaction.
#[derive(Clone, Debug)]
pub struct Txn {
    pub level: Level,
    /// Before its first statement was sent.
    pub began: u64,
    /// After its end was acknowledged.
    pub ended: u64,
    pub fate: Fate,
    pub ops: Vec<Op>,
}

/// What may be found.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Anomaly {
    /// Writes of two transactions between each other.
    G0,
    /// A read of what was rolled back.
    G1a,
    /// A read of what its writer replaced.
    G1b,
    /// A circle of ww and wr.
    G1c,
    /// A circle with one rw: read skew.
    GSingle,
    /// Two that each read what the other replaced: write skew.
    G2Item,
    /// A read, another's write, a write of what was computed from the read.
    LostUpdate,
    /// A circle through rows that a predicate did not find.
    Phantom,
    /// A sum that never was.
    Sum,
}

/// What a history comes to.
#[derive(Default, Debug)]
pub struct Verdict {
    pub committed: usize,
    pub aborted: usize,
    /// What the levels allow is counted here too.
    pub found: BTreeMap<Anomaly, usize>,
    /// What no transaction may meet at its level; must be empty.
    pub forbidden: Vec<String>,
}

impl Verdict {
    pub fn count(&mut self, anomaly: Anomaly) {
        *self.found.entry(anomaly).or_default() += 1;
    }

    pub fn forbid(&mut self, what: String) {
        if self.forbidden.len() < 6 {
            self.forbidden.push(what);
        }
    }

    fn meet(&mut self, anomaly: Anomaly, allowed: bool, what: impl FnOnce() -> String) {
        self.count(anomaly);
        if !allowed {
            self.forbid(format!("{anomaly:?}: {}", what()));
        }
    }

    /// Two histories one after the other.
    pub fn add(&mut self, other: Verdict) {
        self.committed += other.committed;
        self.aborted += other.aborted;
        for (anomaly, count) in other.found {
            *self.found.entry(anomaly).or_default() += count;
        }
        self.forbidden.extend(other.forbidden);
        self.forbidden.truncate(6);
    }

    /// Panics unless nothing forbidden was found and everything was that must be, or the checker sees nothing.
    pub fn hold(&self, what: &str, must: &[Anomaly]) {
        println!(
            "{what}: {} committed, {} rolled back, found {:?}",
            self.committed, self.aborted, self.found
        );
        assert!(self.forbidden.is_empty(), "{what}:\n{}", self.forbidden.join("\n"));
        for anomaly in must {
            assert!(self.found.contains_key(anomaly), "{what}: {anomaly:?} was never seen");
        }
    }
}

/// Who wrote a value.
struct Writer {
    txn: usize,
    key: u32,
    undone: bool,
    /// Its transaction wrote no other to the key after it.
    last: bool,
}

/// Of a long list only its end matters, as a rule.
fn short(text: String) -> String {
    match text.char_indices().nth_back(1500) {
        None => text,
        Some((at, _)) => format!("{} … {}", &text[..text.floor_char_boundary(200)], &text[at..]),
    }
}

struct Judge<'a> {
    txns: &'a [Txn],
    orders: &'a HashMap<u32, Vec<u32>>,
    writers: HashMap<u32, Writer>,
    committed: Vec<bool>,
    /// Of each value that stands: its place in its key's order.
    places: HashMap<u32, usize>,
    /// For each key and place: when the first of the versions from there on was acknowledged.
    acknowledged: HashMap<u32, Vec<u64>>,
    verdict: Verdict,
}

/// What is wrong with a history; `orders` are the versions of each key, the first one first.
pub fn judge(txns: &[Txn], orders: &HashMap<u32, Vec<u32>>) -> Verdict {
    let mut writers = HashMap::new();
    for (at, txn) in txns.iter().enumerate() {
        let mut later = Vec::new();
        for op in txn.ops.iter().rev() {
            let Op::Write { key, value, undone } = *op else { continue };
            let last = !undone && !later.contains(&key);
            if !undone {
                later.push(key);
            }
            let before = writers.insert(value, Writer { txn: at, key, undone, last });
            assert!(before.is_none(), "value {value} was given out twice");
        }
    }
    let mut judge = Judge {
        txns,
        orders,
        writers,
        committed: txns.iter().map(|t| t.fate == Fate::Committed).collect(),
        places: HashMap::new(),
        acknowledged: HashMap::new(),
        verdict: Verdict::default(),
    };
    judge.versions();
    let graph = judge.reads();
    judge.circles(graph);
    judge.verdict.committed = judge.committed.iter().filter(|c| **c).count();
    judge.verdict.aborted = txns.len() - judge.verdict.committed;
    judge.verdict
}

impl Judge<'_> {
    fn tell(&self, txn: usize) -> String {
        short(format!("T{txn} {:?}", self.txns[txn]))
    }

    /// What stands is what was committed: all of it, once.
    fn versions(&mut self) {
        for (key, order) in self.orders {
            for (place, value) in order.iter().enumerate() {
                if self.places.insert(*value, place).is_some() {
                    self.verdict.forbid(format!("key {key}: {value} stands twice"));
                }
                match self.writers.get(value) {
                    None => {
                        self.verdict.forbid(format!("key {key}: nobody wrote {value}"));
                    }
                    Some(w) if w.key != *key => {
                        self.verdict.forbid(format!("{value} was for {}, not {key}", w.key));
                    }
                    Some(w) if self.txns[w.txn].fate == Fate::Aborted || w.undone => {
                        let what =
                            format!("key {key}: {value} was rolled back: {}", self.tell(w.txn));
                        self.verdict.forbid(what);
                    }
                    Some(w) => self.committed[w.txn] = true,
                }
            }
        }
        for (value, w) in &self.writers {
            if self.committed[w.txn] && !w.undone && !self.places.contains_key(value) {
                let what = format!("key {}: {value} is lost: {}", w.key, self.tell(w.txn));
                self.verdict.forbid(what);
            }
        }
        for (key, order) in self.orders {
            let mut first = u64::MAX;
            let mut from_there: Vec<u64> = Vec::with_capacity(order.len() + 1);
            from_there.push(first);
            for value in order.iter().rev() {
                if let Some(w) = self.writers.get(value)
                    && self.txns[w.txn].fate == Fate::Committed
                {
                    first = first.min(self.txns[w.txn].ended);
                }
                from_there.push(first);
            }
            from_there.reverse();
            self.acknowledged.insert(*key, from_there);
        }
    }

    /// Judges each read by itself, and notes what follows from it.
    fn reads(&mut self) -> Graph {
        let mut graph = Graph::new(self.txns.len());
        for (key, order) in self.orders {
            for pair in order.windows(2) {
                if let [Some(a), Some(b)] = [self.writers.get(&pair[0]), self.writers.get(&pair[1])]
                {
                    graph.edge(a.txn as u32, b.txn as u32, Why::Ww(*key));
                }
            }
        }
        for at in 0..self.txns.len() {
            let txn = &self.txns[at];
            let mut own: HashMap<u32, Vec<u32>> = HashMap::new();
            let mut read_at: HashMap<u32, usize> = HashMap::new();
            for op in &txn.ops {
                match op {
                    Op::Write { undone: true, .. } => {}
                    Op::Write { key, value, .. } => {
                        own.entry(*key).or_default().push(*value);
                        if let (Some(from), Some(place)) =
                            (read_at.remove(key), self.places.get(value))
                            && self.orders[key][from.min(*place)..*place]
                                .iter()
                                .any(|v| self.writers.get(v).is_some_and(|w| w.txn != at))
                        {
                            let allowed = txn.level < Level::RepeatableRead;
                            let what = format!("key {key}, {}", self.tell(at));
                            self.verdict.meet(Anomaly::LostUpdate, allowed, || what);
                        }
                    }
                    Op::Read { key, seen, asked } => {
                        let own = own.get(key).map_or(&[][..], Vec::as_slice);
                        let Some(n) = self.read(at, *key, seen, own) else { continue };
                        // A snapshot is no older than the transaction.
                        let at_least =
                            if txn.level == Level::Snapshot { txn.began } else { *asked };
                        if self.acknowledged.get(key).is_some_and(|a| a[n] < at_least) {
                            let what = format!(
                                "stale: key {key} at version {n} of {:?}, {}",
                                self.orders.get(key),
                                self.tell(at)
                            );
                            self.verdict.forbid(what);
                        }
                        if !self.committed[at] {
                            continue;
                        }
                        if own.is_empty() {
                            read_at.entry(*key).or_insert(n);
                        }
                        let order = self.orders.get(key).map_or(&[][..], Vec::as_slice);
                        let writer = |n: usize| Some(self.writers.get(order.get(n)?)?.txn as u32);
                        if let Some(w) = n.checked_sub(1).and_then(writer) {
                            graph.edge(w, at as u32, Why::Wr(*key));
                        }
                        if let Some(w) = writer(n) {
                            graph.edge(at as u32, w, Why::Rw(*key));
                        }
                    }
                }
            }
        }
        graph
    }

    /// How many versions of others came before what was read; `None` where that cannot be said.
    fn read(&mut self, at: usize, key: u32, seen: &Seen, own: &[u32]) -> Option<usize> {
        let what = |judge: &Self, says: &str| {
            let order = short(format!("{:?}", judge.orders.get(&key)));
            short(format!("{says}: key {key}, {}\n  of {order}", judge.tell(at)))
        };
        let level = self.txns[at].level;
        let list = matches!(seen, Seen::All(_));
        let seen = match seen {
            // Taken away by one who may still put it back, or take that back.
            Seen::Rows(_) if level == Level::ReadUncommitted => return None,
            Seen::Rows(n) => {
                let what = what(self, &format!("{n} rows for one key"));
                self.verdict.forbid(what);
                return None;
            }
            Seen::Last(value) => match own.last() {
                Some(mine) if mine == value => return None,
                Some(_) => {
                    let what = what(self, "does not read what it has written");
                    self.verdict.forbid(what);
                    return None;
                }
                None if *value == 0 => return Some(0),
                None => std::slice::from_ref(value),
            },
            Seen::All(list) => match list.strip_suffix(own) {
                Some(others) => others,
                None => {
                    let what = what(self, "does not read what it has written");
                    self.verdict.forbid(what);
                    return None;
                }
            },
        };
        let mut standing = Vec::with_capacity(seen.len());
        for value in seen {
            match self.writers.get(value) {
                None => {
                    let what = what(self, &format!("{value} was never written"));
                    self.verdict.forbid(what);
                    return None;
                }
                Some(w) if !self.committed[w.txn] || w.undone => {
                    let what = what(self, &format!("reads {value}, which was rolled back"));
                    self.verdict.meet(Anomaly::G1a, level < Level::ReadCommitted, || what);
                }
                Some(_) => standing.push(*value),
            }
        }
        let order = self.orders.get(&key).map_or(&[][..], Vec::as_slice);
        let n = match list {
            true => standing.len(),
            false => standing.first().and_then(|v| self.places.get(v)).map(|p| p + 1)?,
        };
        if list && order.get(..n) != Some(&standing[..]) {
            let what = what(self, &format!("{seen:?} is no beginning of the list"));
            self.verdict.forbid(what);
            return None;
        }
        if let Some(w) = n.checked_sub(1).and_then(|n| self.writers.get(&order[n]))
            && !w.last
            && w.txn != at
        {
            let what = what(self, &format!("reads version {n}, which its writer replaced"));
            self.verdict.meet(Anomaly::G1b, level < Level::ReadCommitted, || what);
        }
        Some(n)
    }

    fn circles(&mut self, mut graph: Graph) {
        let ww = |why| matches!(why, Why::Ww(_));
        let known = |why| matches!(why, Why::Ww(_) | Why::Wr(_));
        for circle in graph.circles(ww) {
            let what = self.circle(&graph.shortest(&circle, ww));
            self.verdict.meet(Anomaly::G0, false, || what);
        }
        for _ in graph.circles(known) {
            self.verdict.count(Anomaly::G1c);
        }
        self.skews(&graph);
        graph = self.promised(&graph);
        for circle in graph.circles(|_| true) {
            let what = self.circle(&graph.shortest(&circle, |_| true));
            self.verdict.forbid(format!("a circle: {what}"));
        }
    }

    /// The edges that follow, at each transaction's level, from the order of snapshots and commits. A transaction under SNAPSHOT has a
    /// second node, for its snapshot.
    fn promised(&self, graph: &Graph) -> Graph {
        let n = self.txns.len() as u32;
        let level = |at: u32| self.txns[at as usize].level;
        let snapshot = |at: u32| if level(at) == Level::Snapshot { at + n } else { at };
        let mut promised = Graph::new(2 * n as usize);
        for (from, to, why) in graph.edges() {
            match why {
                Why::Ww(_) => promised.edge(from, snapshot(to), why),
                Why::Wr(_) if level(to) >= Level::ReadCommitted => {
                    promised.edge(from, snapshot(to), why);
                }
                Why::Rw(_) if level(from) >= Level::RepeatableRead => {
                    promised.edge(snapshot(from), to, why);
                }
                Why::Wr(_) | Why::Rw(_) | Why::After => {}
            }
        }
        let mut spans = Vec::new();
        for (at, t) in self.txns.iter().enumerate() {
            let (commit, snapshot) = (at as u32, snapshot(at as u32));
            promised.edge(snapshot, commit, Why::After);
            if t.fate == Fate::Committed {
                spans.push((snapshot, t.began, t.ended));
                spans.extend((commit != snapshot).then_some((commit, 0, t.ended)));
            }
        }
        promised.real_time(&spans);
        promised
    }

    /// Counts read skews and write skews.
    fn skews(&mut self, graph: &Graph) {
        let mut looked = 0;
        for circle in graph.circles(|_| true) {
            let within: std::collections::HashSet<u32> = circle.into_iter().collect();
            let rws: Vec<(u32, u32, Why)> = graph
                .edges()
                .filter(|(a, b, why)| {
                    matches!(why, Why::Rw(_)) && within.contains(a) && within.contains(b)
                })
                .collect();
            let pairs: HashMap<(u32, u32), Why> =
                rws.iter().map(|(a, b, why)| ((*a, *b), *why)).collect();
            for (a, b, why) in rws {
                if a < b && pairs.get(&(b, a)).is_some_and(|other| *other != why) {
                    self.verdict.count(Anomaly::G2Item);
                }
                looked += 1;
                if looked < 300
                    && graph.way(b, a, |why| matches!(why, Why::Ww(_) | Why::Wr(_))).is_some()
                {
                    self.verdict.count(Anomaly::GSingle);
                }
            }
        }
    }

    fn circle(&self, edges: &[(u32, Why, u32)]) -> String {
        let mut text = String::new();
        for (from, why, to) in edges {
            text += &format!("\n  {from} -{why:?}-> {to}");
        }
        let (n, both) = (self.txns.len(), 2 * self.txns.len());
        for (from, ..) in edges.iter().filter(|e| (e.0 as usize) < both) {
            text += &format!("\n  {}", self.tell(*from as usize % n));
        }
        text
    }
}
