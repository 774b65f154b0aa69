//! One database of a world: what it is made of, what its sessions know, and whether it is what they left.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use taffrail_base::HobtId;
use taffrail_storage::check::{RowFault, Rows};
use taffrail_storage::lock::LockMode;
use taffrail_storage::{
    Database, Durability, HobtKind, LobRef, Rid, ScanLocks, StorageInstance, btree, lob,
};

use super::ledger::{Content, Ledger, Place};
use super::loads::keyed;
use super::operator::Sets;
use super::session::{ACCOUNTS, Ids, START, account_row, amount, counter, key};
use crate::rig::{Rig, begin, heap_rows, make, whole_tree};

pub struct Part {
    pub rig: Rig,
    pub ids: Ids,
    pub ledger: Arc<Mutex<Ledger>>,
    pub sets: Sets,
    /// Something fails on purpose where its files are.
    pub faulty: bool,
    /// A log writer sees to it that delayed commits become durable.
    pub has_writer: bool,
}

/// When a life was cut short, and how old a delayed commit may be by then that is lost.
pub type Cut = Option<(Instant, Duration)>;

impl Part {
    pub fn new(rig: Rig, instance: &Arc<StorageInstance>) -> (Part, Arc<Database>) {
        let db = rig.create_in(instance).unwrap();
        let ids = Ids {
            bank: make(&db, 1001, 1),
            tree: make(&db, 1002, 1),
            heap: make(&db, 1003, 0),
            lobs: make(&db, 1004, 1),
        };
        let mut tx = begin(&db);
        let bank = db.hobt(ids.bank).unwrap();
        for n in 0..ACCOUNTS {
            btree::insert(&mut tx, &bank, &key(n), &account_row(START)).unwrap();
        }
        tx.commit(Durability::Full).unwrap();
        let (ledger, sets) = (Arc::default(), Sets::default());
        (Part { rig, ids, ledger, sets, faulty: false, has_writer: false }, db)
    }

    /// What has survived is the truth from here on. Gives how many delayed commits are lost.
    pub fn settle(&self, db: &Arc<Database>, cut: Cut) -> u64 {
        let there = self.counts(db);
        let cut = cut.filter(|_| self.has_writer && !self.faulty);
        self.ledger.lock().unwrap().settle(|session| there[&session], cut)
    }

    /// How many commits of each session are there.
    pub fn counts(&self, db: &Arc<Database>) -> BTreeMap<u64, u64> {
        let sessions: Vec<u64> = (1..=5).collect();
        let mut there = BTreeMap::new();
        let bank = db.hobt(self.ids.bank).unwrap();
        let mut tx = begin(db);
        tx.lock_object(bank.object(), LockMode::IS).unwrap();
        for session in sessions {
            let mut row = Vec::new();
            // A loser's counter is locked until that is undone.
            let read = btree::get(&mut tx, &bank, &counter(session), ScanLocks::Shared, &mut row);
            let found = read.unwrap_or_else(|e| panic!("a counter: {e} ({e:?})"));
            there.insert(session, if found { amount(&row) as u64 } else { 0 });
        }
        tx.rollback().unwrap();
        there
    }

    /// It holds this and nothing else, and is whole.
    pub fn compare(&self, db: &Arc<Database>, want: &Content) {
        let found = self.read(db, want);
        for (place, rows) in &want.rows {
            let there = &found.rows[place];
            for (key, value) in rows {
                let same = there.get(key).map(|v| v == value);
                assert_eq!(same, Some(true), "{place:?} {key:?}: is it there, is it the same?");
            }
            let more = there.keys().find(|k| !rows.contains_key(*k));
            assert_eq!(more, None, "{place:?}: a row from nowhere");
        }
        assert_eq!(want.tables, found.tables, "tables");
        let money = |c: &Content, n| c.money.get(&n).copied().unwrap_or(0);
        for n in 0..ACCOUNTS {
            assert_eq!(START + money(want, n), money(&found, n), "account {n}");
        }
        let findings = db.check_all(|hobt| Box::new(Values(hobt == self.ids.lobs)), &mut || false);
        let findings = findings.unwrap_or_else(|e| panic!("check: {e} ({e:?})"));
        assert!(findings.is_empty(), "{} findings, {:?}", findings.len(), findings[0]);
    }

    /// What is there.
    fn read(&self, db: &Arc<Database>, want: &Content) -> Content {
        let mut c = Content::default();
        let mut tx = begin(db);
        let tree = |id: HobtId| db.hobt(id).unwrap_or_else(|e| panic!("{id}: {e} ({e:?})"));
        for (key, row) in whole_tree(&mut tx, &tree(self.ids.bank)).unwrap() {
            let n = u64::from_be_bytes(key[..].try_into().unwrap());
            if n < ACCOUNTS {
                assert_eq!(row, account_row(amount(&row)), "account {n}");
                c.money.insert(n, amount(&row));
            }
        }
        c.rows.insert(Place::Tree, whole_tree(&mut tx, &tree(self.ids.tree)).unwrap());
        let rows = heap_rows(&mut tx, &tree(self.ids.heap), ScanLocks::None).unwrap();
        let rows = keyed(rows);
        assert_eq!(tree(self.ids.heap).row_count(), rows.len() as u64, "rows of the heap");
        c.rows.insert(Place::Heap, rows);
        let lobs = tree(self.ids.lobs);
        let mut values = BTreeMap::new();
        for (key, row) in whole_tree(&mut tx, &lobs).unwrap() {
            let stored = LobRef::from_bytes(row[..].try_into().unwrap());
            let mut value = Vec::new();
            lob::read(&mut tx, &lobs, stored, 0, stored.length, &mut value).unwrap();
            values.insert(key, value);
        }
        c.rows.insert(Place::Lobs, values);
        let shared = [self.ids.bank, self.ids.tree, self.ids.heap, self.ids.lobs];
        let all = db.hobts().unwrap().into_iter().filter(|id| id.0 > 63 && !shared.contains(id));
        c.tables = all.collect();
        c.tables.sort();
        for id in &want.tables {
            let table = tree(*id);
            let rows = match table.kind() {
                HobtKind::BTree => whole_tree(&mut tx, &table).unwrap(),
                HobtKind::Heap => keyed(heap_rows(&mut tx, &table, ScanLocks::None).unwrap()),
            };
            c.rows.insert(Place::Own(*id), rows);
        }
        tx.rollback().unwrap();
        c
    }
}

/// Tells the check which rows refer to large values.
pub struct Values(pub bool);

impl Rows for Values {
    fn row(
        &mut self,
        _: Rid,
        _: &[u8],
        value: &[u8],
        lobs: &mut Vec<LobRef>,
    ) -> Result<(), RowFault> {
        if self.0 {
            lobs.push(LobRef::from_bytes(value.try_into().expect("a reference")));
        }
        Ok(())
    }
}
