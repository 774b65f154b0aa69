//! More of a session's load: tables that are filled all at once, indexes of them, and what is done in tempdb meanwhile.

use std::collections::BTreeMap;

use taffrail_base::{HobtId, IndexId, ObjectId};
use taffrail_storage::lock::LockMode;
use taffrail_storage::{
    Durability, HobtKind, ScanLocks, StorageError, StorageResult, Transaction, btree, heap,
};

use super::ledger::{Change, Place};
use super::session::{Own, Session, Stopped};
use crate::rig;

/// Bytes of a key of the sessions' own rows.
pub const KEY: usize = 10;

impl Session {
    fn rows(&mut self) -> BTreeMap<Vec<u8>, Vec<u8>> {
        let n = self.rng.below(70);
        (0..n).map(|_| (self.new_key(), self.bytes(2500))).collect()
    }

    /// A table of the session's that is made full: a heap by a load, a tree out of its leaves, or an index of the table before it.
    pub fn bulk(
        &mut self,
        tx: &mut Transaction,
        changes: &mut Vec<Change>,
        own: &mut Own,
        tables: &mut Vec<(HobtId, ObjectId)>,
    ) -> StorageResult<()> {
        let object = self.new_object();
        tx.lock_object(object, LockMode::SchM)?;
        let kind = if self.rng.one_in(2) { HobtKind::Heap } else { HobtKind::BTree };
        let rows = match tables.last() {
            Some(&(id, object)) if kind == HobtKind::BTree && self.rng.one_in(2) => {
                tx.lock_object(object, LockMode::S)?;
                let table = self.db.hobt(id)?;
                let entries = match table.kind() {
                    HobtKind::BTree => rig::whole_tree(tx, &table)?,
                    HobtKind::Heap => keyed(rig::heap_rows(tx, &table, ScanLocks::None)?),
                };
                // Keys that lie otherwise than the table's.
                let turned = |k: Vec<u8>| k.into_iter().rev().collect::<Vec<u8>>();
                entries.into_iter().map(|(k, v)| (turned(k), v)).collect()
            }
            _ => self.rows(),
        };
        let id =
            self.db.create_hobt(tx, kind, object, IndexId(i32::from(kind == HobtKind::BTree)))?;
        let table = self.db.hobt(id)?;
        match kind {
            HobtKind::Heap => {
                let mut load = heap::HeapLoad::open(&table);
                for (key, value) in &rows {
                    load.push(tx, &[&key[..], value].concat())?;
                }
                load.finish(tx)?;
            }
            HobtKind::BTree => {
                let entries = rows.clone().into_iter().map(Ok::<_, StorageError>);
                btree::build(tx, &table, entries)?;
            }
        }
        tables.push((id, object));
        changes.push(Change::Made(id));
        for (key, value) in rows {
            if kind == HobtKind::BTree {
                own.insert((Place::Own(id), key.clone()), None);
            }
            changes.push(Change::Row(Place::Own(id), key, Some(value)));
        }
        Ok(())
    }

    /// A table in tempdb: filled, read, taken back or dropped.
    pub fn temporary(&mut self) -> Result<(), Stopped> {
        let Some(temp) = self.temp.clone() else { return Ok(()) };
        let mut tx = rig::begin_as(&temp, 51 + self.me as u16);
        let object = self.new_object();
        let rows = self.rows();
        let keep = self.rng.one_in(2);
        let mut work = || -> StorageResult<HobtId> {
            tx.lock_object(object, LockMode::SchM)?;
            let id = temp.create_hobt(&mut tx, HobtKind::BTree, object, IndexId(1))?;
            let tree = temp.hobt(id)?;
            for (key, value) in &rows {
                btree::insert(&mut tx, &tree, key, value)?;
            }
            let there = rig::whole_tree(&mut tx, &tree)?;
            assert!(there == rows, "rows in tempdb");
            Ok(id)
        };
        let made = work();
        let ended = match (&made, keep) {
            (Ok(_), true) => tx.commit(Durability::Full),
            _ => tx.rollback(),
        };
        if let Some(e) = made.as_ref().err().or(ended.as_ref().err()) {
            return self.judge("work in tempdb", e);
        }
        self.ledger().temporary += 1;
        let (Ok(id), true) = (made, keep) else { return Ok(()) };
        let mut tx = rig::begin_as(&temp, 51 + self.me as u16);
        let mut work = || -> StorageResult<()> {
            tx.lock_object(object, LockMode::SchM)?;
            let there = rig::whole_tree(&mut tx, &temp.hobt(id)?)?;
            assert!(there == rows, "rows in tempdb, of a transaction before");
            temp.drop_hobt(&mut tx, id)
        };
        match work() {
            Ok(()) => tx.commit(Durability::Full).or_else(|e| self.judge("a drop in tempdb", &e)),
            Err(e) => {
                self.judge("a table in tempdb", &e)?;
                tx.rollback().or_else(|e| self.judge("a rollback in tempdb", &e))
            }
        }
    }
}

/// Rows of a heap by their beginning.
pub fn keyed(rows: BTreeMap<taffrail_storage::Rid, Vec<u8>>) -> BTreeMap<Vec<u8>, Vec<u8>> {
    rows.into_values().map(|row| (row[..KEY].to_vec(), row[KEY..].to_vec())).collect()
}
