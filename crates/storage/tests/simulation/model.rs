//! What the database should hold: a map, and the changes of each transaction.

use std::collections::BTreeMap;
use std::sync::Arc;

use taffrail_base::{HobtId, ObjectId};
use taffrail_storage::{Durability, HobtKind};

/// A row: what the tree or heap holds, and the large value that it names, if any.
#[derive(Clone, PartialEq, Eq)]
pub struct Row {
    pub bytes: Vec<u8>,
    pub lob: Option<Vec<u8>>,
}

/// A heap or tree. Keys of a heap are its row identifiers.
#[derive(Clone)]
pub struct Table {
    pub kind: HobtKind,
    pub object: ObjectId,
    pub rows: BTreeMap<Vec<u8>, Arc<Row>>,
}

/// The content of a database.
#[derive(Clone, Default)]
pub struct Content {
    pub tables: BTreeMap<HobtId, Table>,
}

/// One change of a transaction.
#[derive(Clone)]
pub enum Change {
    Put(HobtId, Vec<u8>, Arc<Row>),
    Delete(HobtId, Vec<u8>),
    Create(HobtId, HobtKind, ObjectId),
    Drop(HobtId),
    Truncate(HobtId),
}

impl Content {
    pub fn apply(&mut self, changes: &[Change]) {
        for change in changes {
            match change {
                Change::Put(t, key, row) => {
                    let table = self.tables.get_mut(t).expect("a table that exists");
                    table.rows.insert(key.clone(), row.clone());
                }
                Change::Delete(t, key) => {
                    let table = self.tables.get_mut(t).expect("a table that exists");
                    table.rows.remove(key);
                }
                Change::Create(t, kind, object) => {
                    let table = Table { kind: *kind, object: *object, rows: BTreeMap::new() };
                    self.tables.insert(*t, table);
                }
                Change::Drop(t) => drop(self.tables.remove(t)),
                Change::Truncate(t) => {
                    self.tables.get_mut(t).expect("a table that exists").rows.clear();
                }
            }
        }
    }

    /// The first difference, in words; `None` when equal.
    pub fn difference(&self, found: &Content) -> Option<String> {
        for (id, table) in &self.tables {
            let Some(other) = found.tables.get(id) else {
                return Some(format!("{id:?} is missing"));
            };
            for (key, row) in &table.rows {
                match other.rows.get(key) {
                    None => return Some(format!("{id:?}: row {} is missing", hex(key))),
                    Some(r) if r != row => {
                        let (a, b) = (describe(row), describe(r));
                        return Some(format!("{id:?}: row {} should be {a}, is {b}", hex(key)));
                    }
                    Some(_) => {}
                }
            }
            if let Some(key) = other.rows.keys().find(|k| !table.rows.contains_key(*k)) {
                return Some(format!("{id:?}: row {} should not be there", hex(key)));
            }
        }
        let extra = found.tables.keys().find(|id| !self.tables.contains_key(id));
        extra.map(|id| format!("{id:?} should not be there"))
    }
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().take(16).map(|b| format!("{b:02x}")).collect()
}

fn describe(row: &Row) -> String {
    let lob = row.lob.as_ref().map_or(String::new(), |l| format!(" + lob of {}", l.len()));
    format!("{} bytes {}{lob}", row.bytes.len(), hex(&row.bytes))
}

/// A commit that the engine was asked for, in the order of asking.
pub struct Commit {
    pub changes: Vec<Change>,
    pub durability: Durability,
    /// It returned success.
    pub acknowledged: bool,
}

/// Everything known about what must and what may be there after a crash.
#[derive(Default)]
pub struct Model {
    /// Surely durable.
    pub base: Content,
    /// Commits after that, in order.
    pub commits: Vec<Commit>,
    /// So many of them must survive.
    pub hardened: usize,
}

impl Model {
    /// What readers see.
    pub fn committed(&self) -> Content {
        let mut content = self.base.clone();
        self.commits.iter().for_each(|c| content.apply(&c.changes));
        content
    }

    /// The engine says that everything acknowledged up to now is durable.
    pub fn all_hardened(&mut self) {
        self.hardened = self.commits.len();
    }

    /// Finds out which of the allowed histories `found` is, and makes it the new base. A durable commit is in all of
    /// them; delayed ones, and one that was never acknowledged, may be missing from the end.
    pub fn settle(&mut self, found: &Content) -> Result<Settled, String> {
        let (must, all) = (self.hardened, self.commits.len());
        let mut content = self.base.clone();
        self.commits[..must].iter().for_each(|c| content.apply(&c.changes));
        let against_must = content.difference(found);
        for kept in must..=all {
            if kept > must {
                content.apply(&self.commits[kept - 1].changes);
            }
            if content.difference(found).is_none() {
                let lost = self.commits[kept..].iter().filter(|c| c.acknowledged).count();
                self.base = content;
                self.commits.clear();
                self.hardened = 0;
                return Ok(Settled { lost_delayed: lost as u64 });
            }
        }
        let mut content = self.base.clone();
        for kept in 0..must {
            if content.difference(found).is_none() {
                return Err(format!(
                    "only the first {kept} of {all} commits are there, {must} were durable"
                ));
            }
            content.apply(&self.commits[kept].changes);
        }
        let difference = against_must.unwrap_or_default();
        Err(format!(
            "not what any prefix of {all} commits leaves; against the {must} durable ones: {difference}"
        ))
    }
}

/// What [`Model::settle`] found out.
pub struct Settled {
    /// Acknowledged commits with delayed durability that are gone.
    pub lost_delayed: u64,
}
