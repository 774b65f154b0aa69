//! A load of small values: transactions beside each other put values on the same pages, take them off, are rolled back in whole or in
//! part, find that a record cannot be written, or cannot be undone; then the power fails.
//!
//! What is committed is there, nothing else is, every page is somebody's, and no two values have had the same identity.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use taffrail_base::HobtId;

use super::super::{append, delete, read, write};
use super::tests::{OBJECT, check, locked, mixed, stored};
use super::*;
use crate::access::{btree, directory};
use crate::rig::{MB, Rig, make, seeds};
use crate::txn::work::cut::{self, Plan};
use crate::{Durability, Growth, Savepoint};

const SESSIONS: usize = 3;

/// Keys and what they have become.
type Changes = Vec<(u64, Option<Vec<u8>>)>;

struct Open {
    tx: Transaction,
    changes: Changes,
    /// Rows that it has locked; a rollback in part lets go of none.
    locked: HashSet<u64>,
    mark: Option<(Savepoint, usize)>,
}

#[derive(Default, Debug)]
struct Met {
    written: u64,
    deleted: u64,
    grown: u64,
    rolled_back: u64,
    in_part: u64,
    later: u64,
    failed: u64,
    down: u64,
    crashes: u64,
    together: u64,
}

struct Load {
    rig: Rig,
    db: Arc<Database>,
    id: HobtId,
    x: u64,
    there: BTreeMap<u64, Vec<u8>>,
    ids: HashSet<u64>,
    next: u64,
    met: Met,
}

impl Load {
    fn new(seed: u64) -> Load {
        let growth = Growth::Bytes(MB);
        let rig = Rig::new(seed).dir_synced().frames(128).data(2 * MB, growth).log(2 * MB, growth);
        let db = rig.create();
        let id = make(&db, OBJECT, 1);
        let (there, ids) = (BTreeMap::new(), HashSet::new());
        Load { rig, db, id, x: seed << 1 | 1, there, ids, next: 0, met: Met::default() }
    }

    fn below(&mut self, n: u64) -> u64 {
        self.x =
            self.x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.x >> 33) % n
    }

    fn bytes(&mut self, key: u64) -> Vec<u8> {
        let most = [60, 900, MAX as u64, 12_000][self.below(4) as usize];
        let n = 1 + self.below(most) as usize;
        (0..n).map(|i| (key as usize * 31 + i / 5) as u8).collect()
    }

    /// One thing that a transaction does.
    fn step(&mut self, open: &mut Open, taken: &HashSet<u64>) -> StorageResult<()> {
        let hobt = self.db.hobt(self.id)?;
        let free: Vec<u64> = self.there.keys().filter(|k| !taken.contains(*k)).copied().collect();
        let old = match free.is_empty() {
            false if self.below(3) > 0 => Some(free[self.below(free.len() as u64) as usize]),
            _ => None,
        };
        let Some(key) = old else {
            let key = self.next;
            self.next += 1;
            let bytes = self.bytes(key);
            let lob = write(&mut open.tx, &hobt, &bytes)?;
            if bytes.len() <= MAX {
                assert!(self.ids.insert(lob.id), "an identity twice");
            }
            open.changes.push((key, Some(bytes)));
            btree::insert(&mut open.tx, &hobt, &key.to_be_bytes(), &lob.to_bytes())?;
            self.met.written += 1;
            return Ok(());
        };
        open.locked.insert(key);
        let lob = stored(&mut open.tx, &hobt, key);
        if self.below(3) == 0 {
            let more = self.bytes(key);
            let mut bytes = self.there[&key].clone();
            bytes.extend_from_slice(&more);
            open.changes.push((key, Some(bytes)));
            let lob = append(&mut open.tx, &hobt, lob, &more)?;
            btree::update(&mut open.tx, &hobt, &key.to_be_bytes(), &lob.to_bytes())?;
            self.met.grown += 1;
            return Ok(());
        }
        open.changes.push((key, None));
        assert!(btree::delete(&mut open.tx, &hobt, &key.to_be_bytes())?);
        delete(&mut open.tx, &hobt, lob)?;
        self.met.deleted += 1;
        Ok(())
    }

    /// The end of a transaction; where there is no room for its undo, that goes on until there is. Or the database is down.
    fn roll_back(&mut self, one: Open) {
        let ended = one.tx.rollback();
        cut::anywhere(0);
        while self.db.is_undoing() && self.db.store.check().is_ok() {
            self.met.later += 1;
            assert!(self.db.finish_recovery().unwrap(), "there is room again");
        }
        let told = ended.as_ref().err().is_none_or(|e| e.is_want_of_room());
        assert!(told || self.db.store.check().is_err(), "{ended:?}");
    }

    /// Something that fails from now on.
    fn strike(&mut self) {
        let first = 1 + self.below(14) as u32;
        let (ends, full) = (self.below(2) == 0, self.below(2) == 0);
        let then = if self.below(2) == 0 { 0 } else { 1 + self.below(8) as u32 };
        cut::plan(Plan { first, ends, then, full });
    }

    /// Until the power fails, or something that nobody can undo has. The database may be down afterwards.
    fn live(&mut self) {
        let mut open: Vec<Open> = Vec::new();
        for _ in 0..90 {
            if self.db.store.check().is_err() {
                break;
            }
            if open.len() < SESSIONS {
                let hobt = self.db.hobt(self.id).unwrap();
                let tx = locked(&self.db, &hobt, 51 + open.len() as u16);
                open.push(Open { tx, changes: Vec::new(), locked: HashSet::new(), mark: None });
            }
            let mut one = open.swap_remove(self.below(open.len() as u64) as usize);
            let all = open.iter().chain([&one]);
            let taken: HashSet<u64> = all.flat_map(|o| o.locked.iter().copied()).collect();
            if self.below(12) == 0 {
                self.strike();
            }
            match self.below(10) {
                0 => {
                    self.met.rolled_back += 1;
                    self.roll_back(one);
                    continue;
                }
                1 | 2 => {
                    let committed = one.tx.commit(Durability::Full);
                    cut::anywhere(0);
                    committed.unwrap();
                    for (key, value) in one.changes {
                        match value {
                            Some(bytes) => drop(self.there.insert(key, bytes)),
                            None => drop(self.there.remove(&key)),
                        }
                    }
                    continue;
                }
                3 => match one.mark.take() {
                    Some((mark, changes)) => {
                        if one.tx.rollback_to(mark).is_err() {
                            self.roll_back(one);
                            continue;
                        }
                        one.changes.truncate(changes);
                        self.met.in_part += 1;
                    }
                    None => one.mark = Some((one.tx.savepoint(), one.changes.len())),
                },
                _ => {
                    if let Err(e) = self.step(&mut one, &taken) {
                        let told = e.to_string().contains("cut off") || e.is_want_of_room();
                        assert!(told || self.db.store.check().is_err(), "{e}");
                        self.met.failed += 1;
                        self.roll_back(one);
                        continue;
                    }
                }
            }
            open.push(one);
        }
        cut::anywhere(0);
        match self.db.store.check() {
            Ok(()) => self.met.together += u64::from(mixed_together(&self.db, self.id)),
            Err(_) => self.met.down += 1,
        }
        if self.below(4) > 0 {
            // What is open is in the log.
            let _ = self.db.flush_log();
        }
        self.met.crashes += 1;
        self.rig.world.crash();
        drop(open);
    }

    fn compare(&mut self, what: &str) {
        let hobt = self.db.hobt(self.id).unwrap();
        self.db.free_orphans();
        assert_eq!(directory::pending(&self.db).unwrap(), [], "{what}");
        check(&self.db);
        let mut tx = locked(&self.db, &hobt, 51);
        assert_eq!(hobt.row_count(), self.there.len() as u64, "{what}");
        let mut small = 0;
        for (key, bytes) in &self.there {
            let lob = stored(&mut tx, &hobt, *key);
            let mut out = Vec::new();
            read(&mut tx, &hobt, lob, 0, u64::MAX, &mut out).unwrap();
            assert!(out == *bytes, "{what}: {key}");
            small += usize::from(bytes.len() <= MAX);
        }
        assert!(mixed(&self.db, &hobt).1 >= small, "{what}");
    }
}

/// Values of more than one open or ended transaction are on one page.
fn mixed_together(db: &Arc<Database>, id: HobtId) -> bool {
    let hobt = db.hobt(id).unwrap();
    let (pages, values) = mixed(db, &hobt);
    values > pages
}

#[test]
fn neighbours_that_come_go_and_fail_do_not_hurt_each_other() {
    let mut sum = Met::default();
    for seed in seeds(1, 120) {
        let mut load = Load::new(seed);
        for life in 0..3 {
            load.live();
            load.rig.world.restart();
            load.ids.clear();
            let db = load.rig.recover().unwrap_or_else(|e| panic!("seed {seed}, life {life}: {e}"));
            load.db = db;
            load.compare(&format!("seed {seed}, life {life}"));
        }
        let Met { written, deleted, grown, rolled_back, in_part, later, .. } = load.met;
        let Met { failed, down, crashes, together, .. } = load.met;
        sum.written += written;
        sum.deleted += deleted;
        sum.grown += grown;
        sum.rolled_back += rolled_back;
        sum.in_part += in_part;
        sum.later += later;
        sum.failed += failed;
        sum.down += down;
        sum.crashes += crashes;
        sum.together += together;
    }
    eprintln!("{sum:?}");
    let met = [sum.written, sum.deleted, sum.grown, sum.rolled_back, sum.in_part, sum.failed];
    assert!(met.iter().chain([&sum.down, &sum.together]).all(|n| *n > 0), "{sum:?}");
}
