//! What the steps change: tables made, filled, emptied and dropped, rows and large values put, replaced and deleted.

use std::collections::BTreeMap;
use std::sync::Arc;

use taffrail_base::{HobtId, IndexId, ObjectId};
use taffrail_storage::lock::LockMode;
use taffrail_storage::{Hobt, HobtKind, Rid, StorageError, btree, heap, lob};

use super::check;
use super::model::{Change, Row};
use super::run::{Outcome, Run};

impl Run {
    pub fn change(&mut self) -> Outcome<()> {
        if self.open.is_empty() {
            self.begin();
        }
        let at = self.rng.below(self.open.len() as u64) as usize;
        let view = self.view(at);
        let tables: Vec<(HobtId, (HobtKind, ObjectId))> =
            view.tables.iter().map(|(id, t)| (*id, (t.kind, t.object))).collect();
        if tables.len() < 2 || (tables.len() < 5 && self.rng.one_in(25)) {
            let kind = if self.rng.one_in(3) { HobtKind::Heap } else { HobtKind::BTree };
            return self.create_table(at, kind);
        }
        let (id, kind) = tables[self.rng.below(tables.len() as u64) as usize];
        let rows = &view.tables[&id].rows;
        let existing = match rows.len() {
            0 => None,
            n => rows.keys().nth(self.rng.below(n as u64) as usize).cloned(),
        };
        let large: Vec<&Vec<u8>> =
            rows.iter().filter(|(_, row)| row.lob.is_some()).map(|(key, _)| key).collect();
        let large = match large.len() {
            0 => None,
            n => Some(large[self.rng.below(n as u64) as usize].clone()),
        };
        let mark = self.open[at].changes.len();
        let savepoint = self.open[at].tx.savepoint();
        let choice = self.rng.below(100);
        let result = match large.filter(|_| self.rng.one_in(5)) {
            Some(key) => self.change_lob(at, id, kind, key, rows),
            None => self.change_table(at, id, kind, existing, rows.clone(), choice),
        };
        match result {
            Ok(()) => Ok(()),
            Err(e) => {
                // A statement that fails is undone as a whole.
                if self.judge("a change", Err::<(), _>(e))?.is_none() && self.rig.world.is_powered()
                {
                    self.open[at].changes.truncate(mark);
                    let undone = self.open[at].tx.rollback_to(savepoint);
                    self.must("statement rollback", undone)?;
                }
                Ok(())
            }
        }
    }

    pub fn create_table(&mut self, at: usize, kind: HobtKind) -> Outcome<()> {
        self.next_object += 1;
        let db = self.db();
        let object = ObjectId(self.next_object);
        let tx = &mut self.open[at].tx;
        let savepoint = tx.savepoint();
        let made = tx
            .lock_object(object, LockMode::SchM)
            .and_then(|_| db.create_hobt(tx, kind, object, IndexId(kind as i32)));
        match self.judge("create_hobt", made)? {
            Some(id) => {
                self.open[at].changes.push(Change::Create(id, kind, object));
                if kind == HobtKind::BTree && self.rng.one_in(3) {
                    return self.build(at, id);
                }
            }
            None if self.rig.world.is_powered() => {
                let undone = self.open[at].tx.rollback_to(savepoint);
                self.must("statement rollback", undone)?;
            }
            None => {}
        }
        Ok(())
    }

    /// Fills a new tree from entries in order.
    pub fn build(&mut self, at: usize, id: HobtId) -> Outcome<()> {
        let count = self.rng.below(1500);
        let mut n = 0;
        let mut entries = Vec::new();
        for _ in 0..count {
            n += 1 + self.rng.below(4);
            let mut bytes = vec![check::PLAIN; 1 + self.rng.below(120) as usize];
            self.rng.fill(&mut bytes[1..]);
            entries.push((n.to_be_bytes().to_vec(), bytes));
        }
        let mark = self.open[at].changes.len();
        let tx = &mut self.open[at].tx;
        let savepoint = tx.savepoint();
        let made = self.db.as_ref().expect("an open database").hobt(id).and_then(|hobt| {
            btree::build(tx, &hobt, entries.iter().cloned().map(Ok::<_, StorageError>))
        });
        match self.judge("build", made)? {
            Some(built) if built != count => Err(format!("built {built} of {count} entries")),
            Some(_) => {
                let put = |(key, bytes)| Change::Put(id, key, Arc::new(Row { bytes, lob: None }));
                self.open[at].changes.extend(entries.into_iter().map(put));
                self.seen.builds += 1;
                Ok(())
            }
            None if self.rig.world.is_powered() => {
                self.open[at].changes.truncate(mark);
                let undone = self.open[at].tx.rollback_to(savepoint);
                self.must("statement rollback", undone)?;
                Ok(())
            }
            None => Ok(()),
        }
    }

    pub fn change_table(
        &mut self,
        at: usize,
        id: HobtId,
        (kind, object): (HobtKind, ObjectId),
        existing: Option<Vec<u8>>,
        rows: BTreeMap<Vec<u8>, Arc<Row>>,
        choice: u64,
    ) -> Result<(), StorageError> {
        let db = self.db();
        let rare = choice >= 98;
        let mode = if rare { LockMode::SchM } else { LockMode::IX };
        // The lock first: somebody else may have dropped the table and not committed.
        self.open[at].tx.lock_object(object, mode)?;
        let hobt = db.hobt(id)?;
        match (choice, existing) {
            (98, _) => {
                db.truncate_hobt(&mut self.open[at].tx, id)?;
                self.open[at].changes.push(Change::Truncate(id));
                self.seen.truncations += 1;
            }
            (99, _) => {
                db.drop_hobt(&mut self.open[at].tx, id)?;
                self.open[at].changes.push(Change::Drop(id));
                self.seen.drops += 1;
            }
            (0..50, _) | (_, None) => {
                let count = if self.rng.one_in(4) { 1 + self.rng.below(60) } else { 1 };
                let large = self.rng.one_in(12);
                for _ in 0..count {
                    self.insert(at, &hobt, kind, large, &rows)?;
                }
            }
            (50..75, Some(key)) => {
                let row = self.new_row(at, &hobt, false)?;
                let old = rows[&key].clone();
                let tx = &mut self.open[at].tx;
                match kind {
                    HobtKind::BTree => btree::update(tx, &hobt, &key, &row.bytes)?,
                    HobtKind::Heap => heap::update(tx, &hobt, rid(&key), &row.bytes)?,
                }
                self.delete_lob(at, &hobt, &old)?;
                self.open[at].changes.push(Change::Put(id, key, Arc::new(row)));
            }
            (_, Some(first)) => {
                let count = if self.rng.one_in(4) { 1 + self.rng.below(40) as usize } else { 1 };
                let keys: Vec<Vec<u8>> =
                    rows.range(first..).take(count).map(|(k, _)| k.clone()).collect();
                for key in keys {
                    let tx = &mut self.open[at].tx;
                    let found = match kind {
                        HobtKind::BTree => btree::delete(tx, &hobt, &key)?,
                        HobtKind::Heap => heap::delete(tx, &hobt, rid(&key))?,
                    };
                    if !found {
                        return Err(StorageError::Misuse("a row that should be there is not"));
                    }
                    self.delete_lob(at, &hobt, &rows[&key].clone())?;
                    self.open[at].changes.push(Change::Delete(id, key));
                }
            }
        }
        Ok(())
    }

    /// Bytes of a large value replaced, once or some times in a row: appended, overwritten, put in between, taken away.
    fn change_lob(
        &mut self,
        at: usize,
        id: HobtId,
        (kind, object): (HobtKind, ObjectId),
        key: Vec<u8>,
        rows: &BTreeMap<Vec<u8>, Arc<Row>>,
    ) -> Result<(), StorageError> {
        self.open[at].tx.lock_object(object, LockMode::IX)?;
        let hobt = self.db().hobt(id)?;
        // The row first: it is nobody else's then.
        let old = rows[&key].clone();
        let tx = &mut self.open[at].tx;
        match kind {
            HobtKind::BTree => btree::update(tx, &hobt, &key, &old.bytes)?,
            HobtKind::Heap => heap::update(tx, &hobt, rid(&key), &old.bytes)?,
        }
        let mut content = old.lob.clone().expect("a large value");
        let mut stored = check::lob_ref(&old.bytes);
        for _ in 0..1 + self.rng.below(3) {
            let length = content.len() as u64;
            let most = if self.rng.one_in(3) { 30_000 } else { 900 };
            let mut bytes = vec![0; self.rng.below(most) as usize];
            self.rng.fill(&mut bytes);
            let from = if self.rng.one_in(2) { length } else { self.rng.below(length + 1) };
            let gone = match self.rng.below(3) {
                0 => 0,
                1 => bytes.len() as u64,
                _ => self.rng.below(length + 1),
            };
            let to = length.min(from + gone);
            if length - (to - from) + bytes.len() as u64 == 0 || content.len() > 150_000 {
                continue;
            }
            let tx = &mut self.open[at].tx;
            stored = lob::replace(tx, &hobt, stored, from, gone, &bytes)?;
            content.splice(from as usize..to as usize, bytes);
            self.seen.lobs_changed += 1;
        }
        let row = Row { bytes: check::lob_row(stored), lob: Some(content) };
        let tx = &mut self.open[at].tx;
        match kind {
            HobtKind::BTree => btree::update(tx, &hobt, &key, &row.bytes)?,
            HobtKind::Heap => heap::update(tx, &hobt, rid(&key), &row.bytes)?,
        }
        self.open[at].changes.push(Change::Put(id, key, Arc::new(row)));
        Ok(())
    }

    pub fn delete_lob(&mut self, at: usize, hobt: &Hobt, row: &Row) -> Result<(), StorageError> {
        match &row.lob {
            Some(_) => lob::delete(&mut self.open[at].tx, hobt, check::lob_ref(&row.bytes)),
            None => Ok(()),
        }
    }

    pub fn new_row(&mut self, at: usize, hobt: &Hobt, large: bool) -> Result<Row, StorageError> {
        if self.rng.one_in(30) {
            let mut content = vec![0; 1 + self.rng.below(40_000) as usize];
            self.rng.fill(&mut content);
            let stored = lob::write(&mut self.open[at].tx, hobt, &content)?;
            self.seen.lobs += 1;
            return Ok(Row { bytes: check::lob_row(stored), lob: Some(content) });
        }
        let length = match self.rng.below(10) {
            _ if large => 1000 + self.rng.below(6000),
            0..6 => 10 + self.rng.below(100),
            6..9 => 100 + self.rng.below(700),
            _ => 10 + self.rng.below(3000),
        };
        let mut bytes = vec![0; length as usize];
        self.rng.fill(&mut bytes);
        bytes[0] = check::PLAIN;
        Ok(Row { bytes, lob: None })
    }

    pub fn insert(
        &mut self,
        at: usize,
        hobt: &Hobt,
        kind: HobtKind,
        large: bool,
        rows: &BTreeMap<Vec<u8>, Arc<Row>>,
    ) -> Result<(), StorageError> {
        let long = kind == HobtKind::BTree && hobt.id().0.is_multiple_of(3);
        let row = self.new_row(at, hobt, large && !long)?;
        let id = hobt.id();
        let key = match kind {
            HobtKind::Heap => {
                let rid = heap::insert(&mut self.open[at].tx, hobt, &row.bytes)?;
                let key = rid.to_bytes().to_vec();
                if rows.contains_key(&key) {
                    return Err(StorageError::Misuse("a row identifier was given to a second row"));
                }
                key
            }
            HobtKind::BTree => {
                // Half of the keys ascend, half fall anywhere; some are there already.
                self.next_key += 1;
                let n = match self.rng.one_in(2) {
                    true => (1 << 40) + self.next_key,
                    false => self.rng.below(5000),
                };
                let mut key = n.to_be_bytes().to_vec();
                if long {
                    // Separators as long as keys: a handful fills an interior page.
                    key.splice(0..0, [0x55; 1690]);
                } else {
                    key.resize(8 + (n % 23) as usize, 0x55);
                }
                let is_new = !rows.contains_key(&key)
                    && !self.open[at]
                        .changes
                        .iter()
                        .any(|c| matches!(c, Change::Put(t, k, _) if *t == id && *k == key));
                match btree::insert(&mut self.open[at].tx, hobt, &key, &row.bytes) {
                    Err(StorageError::DuplicateKey) if !is_new => {
                        return match &row.lob {
                            Some(_) => self.delete_lob(at, hobt, &row),
                            None => Ok(()),
                        };
                    }
                    other => other?,
                }
                if !is_new && self.view(at).tables[&id].rows.contains_key(&key) {
                    return Err(StorageError::Misuse("a duplicate key was accepted"));
                }
                key
            }
        };
        self.open[at].changes.push(Change::Put(id, key, Arc::new(row)));
        Ok(())
    }

    pub fn insert_some(&mut self, at: usize, count: u64) -> Outcome<()> {
        let tables = self.view(at).tables;
        let Some(id) = tables.iter().find(|(_, t)| t.kind == HobtKind::BTree).map(|(id, _)| *id)
        else {
            return Err("no tree to insert into".into());
        };
        let rows = tables[&id].rows.clone();
        let mut all = || {
            let hobt = self.db().hobt(id)?;
            self.open[at].tx.lock_object(hobt.object(), LockMode::IX)?;
            for _ in 0..count {
                self.insert(at, &hobt, HobtKind::BTree, false, &rows)?;
            }
            Ok(())
        };
        let result = all();
        match self.judge("inserts", result)? {
            Some(()) => Ok(()),
            None => Err("inserts that had to work did not".into()),
        }
    }
}

fn rid(key: &[u8]) -> Rid {
    Rid::from_bytes(key.try_into().expect("a heap's keys are row identifiers"))
}
