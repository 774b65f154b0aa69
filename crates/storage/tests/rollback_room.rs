//! Whoever has filled the log can roll back: in the smallest log there is, which may not grow, on a disk without a free byte.
//!
//! A run is a seed. One to four transactions fill a log of 512 KB with inserts, updates and deletes in trees and a heap, wide rows, large
//! values, a tree that is built, and a bulk load; statements that find no room are undone, some transactions roll back to savepoints and
//! go on, checkpoints and flushes come in between, pages leave a small pool. When nobody finds room any more each rolls back as a whole.
//! Then everything is as before, a checkpoint makes the log usable again, the next transaction works, and neither file has grown.
//!
//! The same with the power failing anywhere: restart rolls back, without room to grow either.
//!
//! `TAFFRAIL_SIM_SEED=<seed>` runs one; `TAFFRAIL_SIM_RUNS` sets how many there are, `TAFFRAIL_SIM_FIRST` where they begin.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use taffrail_base::{HobtId, IndexId, ObjectId};
use taffrail_io::sim::SimRng;
use taffrail_storage::lock::LockMode;
use taffrail_storage::{
    CheckpointKind, Database, DatabaseState, Durability, Growth, HobtKind, LobRef, Rid, Savepoint,
    ScanLocks, StorageError, StorageResult, Transaction, btree, heap, lob,
};

use crate::rig;

use rig::{KB, MB, Rig, begin_impatient, make_in, seeds, whole_heap, whole_tree};

const LOG: u64 = 512 * KB;
/// Rows that are there before, in each table.
const ROWS: u64 = 120;
/// First byte of a row that names a large value.
const LOB: u8 = 1;

#[derive(Clone, Copy)]
struct Ids {
    heap: HobtId,
    tree: HobtId,
    index: HobtId,
    bulk: HobtId,
}

/// What the tables hold; large values by their content.
#[derive(PartialEq, Eq, Default)]
struct Content {
    rows: BTreeMap<(u64, Vec<u8>), Vec<u8>>,
}

struct Run {
    rig: Rig,
    rng: SimRng,
    ids: Ids,
    /// Row identifiers of the heap's rows.
    rids: Vec<Rid>,
    before: Content,
}

struct Filler {
    tx: Transaction,
    /// Its share of keys: those that leave this rest.
    share: u64,
    of: u64,
    next: u64,
    mine: Vec<u64>,
    savepoints: Vec<Savepoint>,
    full: bool,
}

fn rig(seed: u64, sector: u32) -> Rig {
    let rig = Rig::sectors(seed, sector).dir_synced().data(12 * MB, Growth::Bytes(MB));
    rig.log(LOG, Growth::None).log_max(LOG)
}

fn key(n: u64) -> [u8; 8] {
    n.to_be_bytes()
}

fn row(rng: &mut SimRng, wide: bool) -> Vec<u8> {
    let length = match rng.below(8) {
        _ if wide => 2000 + rng.below(5500),
        0 => 600 + rng.below(1500),
        _ => 8 + rng.below(200),
    };
    let mut row = vec![0; length as usize];
    rng.fill(&mut row);
    row[0] = 0;
    row
}

fn lob_row(stored: LobRef) -> Vec<u8> {
    [&[LOB][..], &stored.to_bytes()].concat()
}

fn lob_of(row: &[u8]) -> Option<LobRef> {
    let (_, stored) = row.split_first().filter(|(kind, _)| **kind == LOB)?;
    Some(LobRef::from_bytes(stored.try_into().ok()?))
}

impl Run {
    fn new(seed: u64) -> (Run, Arc<Database>) {
        let mut rng = SimRng::new(seed ^ 0xf111);
        let sector = if rng.one_in(2) { 512 } else { 4096 };
        let rig = rig(seed, sector).frames(64 << rng.below(5));
        let ids = Ids { heap: HobtId(0), tree: HobtId(0), index: HobtId(0), bulk: HobtId(0) };
        let before = Content::default();
        let mut run = Run { rig, rng, ids, rids: Vec::new(), before };
        let db = run.rig.create();
        run.prepare(&db);
        // Not a byte more, for either file.
        let bytes = db.files().iter().map(|f| f.size).sum();
        run.rig.world.set_capacity(bytes);
        (run, db)
    }

    fn prepare(&mut self, db: &Arc<Database>) {
        let mut tx = begin_impatient(db, 51);
        let mut make = |object, index| make_in(&mut tx, object, index);
        self.ids = Ids {
            heap: make(1000, 0),
            tree: make(1001, 1),
            index: make(1001, 2),
            bulk: make(1002, 0),
        };
        tx.commit(Durability::Full).unwrap();
        for some in 0..ROWS / 20 {
            let mut tx = begin_impatient(db, 51);
            for n in some * 20..some * 20 + 20 {
                let bytes = match n % 30 {
                    7 => {
                        let tree = db.hobt(self.ids.tree).unwrap();
                        let content = vec![n as u8; 9000];
                        lob_row(lob::write(&mut tx, &tree, &content).unwrap())
                    }
                    _ => row(&mut self.rng, n % 11 == 3),
                };
                self.insert(db, &mut tx, n, &bytes).unwrap();
                let h = db.hobt(self.ids.heap).unwrap();
                tx.lock_object(h.object(), LockMode::IX).unwrap();
                let bytes = row(&mut self.rng, n % 13 == 5);
                self.rids.push(heap::insert(&mut tx, &h, &bytes).unwrap());
            }
            tx.commit(Durability::Full).unwrap();
            db.checkpoint(CheckpointKind::Manual).unwrap();
        }
        self.before = self.read(db).unwrap();
    }

    /// A row and its entry in the index.
    fn insert(
        &self,
        db: &Arc<Database>,
        tx: &mut Transaction,
        n: u64,
        bytes: &[u8],
    ) -> StorageResult<()> {
        let (tree, index) = (db.hobt(self.ids.tree)?, db.hobt(self.ids.index)?);
        tx.lock_object(tree.object(), LockMode::IX)?;
        btree::insert(tx, &tree, &key(n), bytes)?;
        btree::insert(tx, &index, &key(n.wrapping_mul(0x9e37_79b9_7f4a_7c15)), &key(n))
    }

    fn read(&self, db: &Arc<Database>) -> StorageResult<Content> {
        let mut content = Content::default();
        let mut tx = begin_impatient(db, 90);
        for id in [self.ids.heap, self.ids.bulk] {
            let hobt = db.hobt(id)?;
            for (rid, row) in whole_heap(&mut tx, &hobt)? {
                content.rows.insert((id.0, rid.to_bytes().to_vec()), row);
            }
        }
        for id in [self.ids.tree, self.ids.index] {
            let hobt = db.hobt(id)?;
            for (key, mut row) in whole_tree(&mut tx, &hobt)? {
                if let Some(stored) = lob_of(&row).filter(|_| id == self.ids.tree) {
                    row.clear();
                    lob::read(&mut tx, &hobt, stored, 0, stored.length, &mut row)?;
                }
                content.rows.insert((id.0, key), row);
            }
        }
        tx.rollback()?;
        Ok(content)
    }

    /// One statement: several changes, undone together if one of them finds no room.
    fn statement(&mut self, db: &Arc<Database>, f: &mut Filler) -> StorageResult<()> {
        let mark = f.tx.savepoint();
        let done = self.change(db, f);
        match done {
            Ok(()) => Ok(()),
            Err(StorageError::LogFull(_) | StorageError::FileFull(_) | StorageError::Lock(_)) => {
                f.full |= matches!(done, Err(StorageError::LogFull(_)));
                f.tx.rollback_to(mark)
            }
            Err(e) => Err(e),
        }
    }

    fn change(&mut self, db: &Arc<Database>, f: &mut Filler) -> StorageResult<()> {
        let tree = db.hobt(self.ids.tree)?;
        f.tx.lock_object(tree.object(), LockMode::IX)?;
        let count = if self.rng.one_in(4) { 1 + self.rng.below(40) } else { 1 };
        let wide = self.rng.one_in(10);
        match self.rng.below(100) {
            0..40 => {
                for _ in 0..count {
                    f.next += f.of;
                    let mut bytes = row(&mut self.rng, wide);
                    if self.rng.one_in(40) {
                        let content = vec![7; 1 + self.rng.below(30_000) as usize];
                        bytes = lob_row(lob::write(&mut f.tx, &tree, &content)?);
                    }
                    self.insert(db, &mut f.tx, f.next, &bytes)?;
                    f.mine.push(f.next);
                }
            }
            40..60 => {
                for _ in 0..count {
                    let n = self.rng.below(ROWS / f.of) * f.of + f.share;
                    let mut old = Vec::new();
                    let there = btree::get(&mut f.tx, &tree, &key(n), ScanLocks::None, &mut old)?;
                    if there {
                        let bytes = row(&mut self.rng, wide);
                        btree::update(&mut f.tx, &tree, &key(n), &bytes)?;
                        if let Some(stored) = lob_of(&old) {
                            lob::delete(&mut f.tx, &tree, stored)?;
                        }
                    }
                }
            }
            60..72 => {
                let index = db.hobt(self.ids.index)?;
                let n = self.rng.below(ROWS / f.of) * f.of + f.share;
                btree::delete(&mut f.tx, &tree, &key(n))?;
                let entry = key(n.wrapping_mul(0x9e37_79b9_7f4a_7c15));
                btree::delete(&mut f.tx, &index, &entry)?;
            }
            72..96 => {
                let h = db.hobt(self.ids.heap)?;
                f.tx.lock_object(h.object(), LockMode::IX)?;
                for _ in 0..count {
                    let n = self.rng.below(ROWS / f.of) * f.of + f.share;
                    let rid = self.rids[n as usize];
                    let bytes = row(&mut self.rng, wide);
                    match self.rng.below(3) {
                        0 => drop(heap::insert(&mut f.tx, &h, &bytes)?),
                        1 => drop(heap::delete(&mut f.tx, &h, rid)?),
                        _ => match heap::update(&mut f.tx, &h, rid, &bytes) {
                            Ok(()) | Err(StorageError::RowNotFound) => {}
                            Err(e) => return Err(e),
                        },
                    }
                }
            }
            96..98 => {
                // A table of its own, with a tree that is built; both go with the transaction.
                let object = ObjectId(2000 + f.next as i32);
                f.next += f.of;
                f.tx.lock_object(object, LockMode::SchM)?;
                let id = db.create_hobt(&mut f.tx, HobtKind::BTree, object, IndexId(1))?;
                let hobt = db.hobt(id)?;
                let entries = (0..self.rng.below(600))
                    .map(|n| Ok::<_, StorageError>((key(n).to_vec(), vec![n as u8; 60])));
                btree::build(&mut f.tx, &hobt, entries)?;
            }
            _ => {
                let h = db.hobt(self.ids.bulk)?;
                f.tx.lock_object(h.object(), LockMode::X)?;
                let mut load = heap::HeapLoad::open(&h);
                for n in 0..self.rng.below(300) {
                    load.push(&mut f.tx, &[n as u8; 90])?;
                }
                load.finish(&mut f.tx)?;
            }
        }
        Ok(())
    }

    /// What goes on beside: nobody is told if it finds no room.
    fn beside(&mut self, db: &Arc<Database>) -> StorageResult<()> {
        match self.rng.below(24) {
            0 => match db.checkpoint(CheckpointKind::LogUse) {
                Err(StorageError::LogFull(_)) => {}
                other => other?,
            },
            1 => {
                self.rig.world.clock().advance(Duration::from_millis(200));
                db.background_tick();
            }
            2 => drop(db.instance().lazy_writer_tick()),
            3 => drop(db.log().writer_tick()),
            _ => {}
        }
        Ok(())
    }

    /// Fills the log and rolls everything back. The database is as before on return.
    fn fill_and_undo(&mut self, db: &Arc<Database>) -> StorageResult<()> {
        let of = 1 + self.rng.below(4);
        let mut fillers: Vec<Filler> = (0..of)
            .map(|share| Filler {
                tx: begin_impatient(db, 51 + share as u16),
                share,
                of,
                next: 1_000_000 * of + share,
                mine: Vec::new(),
                savepoints: Vec::new(),
                full: false,
            })
            .collect();
        for step in 0.. {
            assert!(step < 100_000, "the log has an end");
            let Some(at) = fillers.iter().position(|f| !f.full) else { break };
            let n = fillers.len() as u64;
            let at = (at + self.rng.below(n) as usize) % fillers.len();
            let f = &mut fillers[at];
            self.statement(db, f)?;
            if self.rng.one_in(6) {
                f.savepoints.push(f.tx.savepoint());
            }
            self.beside(db)?;
        }
        for f in &mut fillers {
            if self.rng.one_in(3) && !f.savepoints.is_empty() {
                let at = self.rng.below(f.savepoints.len() as u64) as usize;
                f.tx.rollback_to(f.savepoints[at])?;
                // What it gave back somebody may take.
                self.statement(db, f)?;
            }
            self.beside(db)?;
        }
        while !fillers.is_empty() {
            let at = self.rng.below(fillers.len() as u64) as usize;
            let mut f = fillers.swap_remove(at);
            // In pieces, so that others flush and write in between.
            while let Some(savepoint) = f.savepoints.pop() {
                f.tx.rollback_to(savepoint)?;
                self.beside(db)?;
            }
            f.tx.rollback()?;
        }
        Ok(())
    }

    /// Everything is as before, and goes on.
    fn is_as_before(&mut self, db: &Arc<Database>, seed: u64) {
        assert!(matches!(db.state(), DatabaseState::Online), "{seed}: {:?}", db.state());
        assert!(!db.is_undoing() && !db.is_undo_waiting(), "{seed}");
        db.log().check_vlfs().unwrap();
        assert_eq!(db.log().space().total, LOG, "{seed}: the log has grown");
        db.checkpoint(CheckpointKind::Manual).unwrap_or_else(|e| panic!("{seed}: checkpoint: {e}"));
        let space = db.log().space();
        assert_eq!(space.reserved, 0, "{seed}: somebody still has log reserved");
        let found = self.read(db).unwrap();
        assert!(found == self.before, "{seed}: a rollback has left something else");
        db.checkpoint(CheckpointKind::Manual).unwrap();
        // The next transaction has the log to itself.
        let mut tx = begin_impatient(db, 60);
        for n in 0..60 {
            self.insert(db, &mut tx, 900_000_000 + n, &[0; 400]).unwrap();
        }
        let undone = tx.savepoint();
        self.insert(db, &mut tx, 950_000_000, &[0; 400]).unwrap();
        tx.rollback_to(undone).unwrap();
        tx.commit(Durability::Full).unwrap();
        db.checkpoint(CheckpointKind::Manual).unwrap();
        let mut tx = begin_impatient(db, 60);
        let (tree, index) = (db.hobt(self.ids.tree).unwrap(), db.hobt(self.ids.index).unwrap());
        tx.lock_object(tree.object(), LockMode::IX).unwrap();
        for n in 900_000_000u64..900_000_060 {
            assert!(btree::delete(&mut tx, &tree, &key(n)).unwrap());
            let entry = key(n.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            assert!(btree::delete(&mut tx, &index, &entry).unwrap());
        }
        tx.commit(Durability::Full).unwrap();
        db.checkpoint(CheckpointKind::Manual).unwrap();
    }
}

#[test]
fn whoever_has_filled_the_smallest_log_rolls_back() {
    for seed in seeds(1, 40) {
        let (mut run, db) = Run::new(seed);
        for round in 0..2 {
            run.fill_and_undo(&db).unwrap_or_else(|e| panic!("seed {seed}, round {round}: {e}"));
            run.is_as_before(&db, seed);
        }
    }
}

#[test]
fn a_restart_rolls_back_what_had_filled_the_log() {
    for seed in seeds(1, 40) {
        // How many operations there are, and then the same run up to one of them.
        let (mut run, db) = Run::new(seed);
        let began = run.rig.world.stats().operations;
        run.fill_and_undo(&db).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        let operations = run.rig.world.stats().operations - began;
        drop(db);
        if operations == 0 {
            continue;
        }
        let mut points = SimRng::new(seed);
        for _ in 0..3 {
            // Rather late than early: the log is full then.
            let at = 1 + operations - points.below(operations).min(points.below(operations));
            let (mut run, db) = Run::new(seed);
            run.rig.world.crash_at(at);
            let ended = run.fill_and_undo(&db);
            assert!(ended.is_ok() || !run.rig.world.is_powered(), "seed {seed}, {at}: {ended:?}");
            run.rig.lose_power(db);
            if points.one_in(2) {
                run.rig.world.crash_at(1 + points.below(60));
                let opened = run.rig.restart();
                assert!(opened.is_ok() || !run.rig.world.is_powered(), "seed {seed}, {at}");
                run.rig.lose_power(opened);
            }
            let (db, _) = run.rig.restart().unwrap_or_else(|e| panic!("seed {seed}, {at}: {e}"));
            run.is_as_before(&db, seed);
        }
    }
}
