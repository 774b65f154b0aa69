//! Row counts, pages and extents after every short transaction that fills, empties and drops a table, with a checkpoint anywhere in it,
//! however it ends: committed, rolled back, or cut off by a loss of power before or after.

use std::sync::Arc;

use taffrail_base::{HobtId, ObjectId};
use taffrail_storage::lock::LockMode;
use taffrail_storage::{
    CheckpointKind, Database, Durability, Growth, Savepoint, ScanLocks, Transaction, btree, heap,
};

use crate::rig;

use rig::{MB, Rig, begin, begin_as, heap_rows, make, make_in, unowned, whole_tree};

/// What a transaction does next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    Insert,
    Truncate,
    Drop,
    Save,
    /// To the savepoint.
    Back,
}

use Step::{Back, Drop, Insert, Save, Truncate};

/// All sequences of so many steps in which each has something to do.
fn sequences(steps: usize) -> Vec<Vec<Step>> {
    let mut all: Vec<Vec<Step>> = vec![Vec::new()];
    for _ in 0..steps {
        let longer = |s: &Vec<Step>| {
            [Insert, Truncate, Drop, Save, Back]
                .into_iter()
                .filter(|next| {
                    let there = rows_after(s, 1).is_some();
                    match next {
                        Back => s.contains(&Save) && !matches!(s.last(), Some(Save | Back)),
                        Save => !s.contains(&Save) && there,
                        Truncate => s.last() != Some(&Truncate) && there,
                        Insert => s.last() != Some(&Insert) && there,
                        Drop => there,
                    }
                })
                .map(|next| [&s[..], &[next]].concat())
                .collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

const INSERTED: u64 = 40;

/// How many rows a table that had `before` has then; none if it is dropped.
fn rows_after(steps: &[Step], before: u64) -> Option<u64> {
    let (mut now, mut saved) = (Some(before), Some(before));
    for step in steps {
        now = match step {
            Insert => now.map(|n| n + INSERTED),
            Truncate => now.map(|_| 0),
            Drop => None,
            Save => {
                saved = now;
                now
            }
            Back => saved,
        };
    }
    now
}

/// How the transaction ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    Commit,
    Rollback,
    /// It has not ended when power fails.
    Cut,
}

struct Table {
    object: ObjectId,
    id: HobtId,
    heap: bool,
    next_key: u64,
    /// Extents that were nobody's before it was made: the database's own.
    unowned: i64,
}

impl Table {
    fn insert(&mut self, tx: &mut Transaction, rows: u64) {
        let hobt = tx.database().hobt(self.id).unwrap();
        for _ in 0..rows {
            self.next_key += 1;
            let (key, row) = (self.next_key.to_be_bytes(), [7; 300]);
            if self.heap {
                heap::insert(tx, &hobt, &row).unwrap();
            } else {
                btree::insert(tx, &hobt, &key, &row).unwrap();
            }
        }
    }

    fn step(&mut self, tx: &mut Transaction, step: Step, saved: &mut Savepoint) {
        let db = tx.database().clone();
        match step {
            Insert => self.insert(tx, INSERTED),
            Truncate => db.truncate_hobt(tx, self.id).unwrap(),
            Drop => db.drop_hobt(tx, self.id).unwrap(),
            Save => *saved = tx.save_transaction("s").unwrap(),
            Back => tx.rollback_to(*saved).unwrap(),
        }
    }

    /// What is counted is what is there, and no extent is lost or used twice.
    fn check(&self, db: &Arc<Database>, rows: Option<u64>, what: &str) {
        let there = db.hobts().unwrap().contains(&self.id);
        assert_eq!(there, rows.is_some(), "{what}");
        if let Some(rows) = rows {
            let hobt = db.hobt(self.id).unwrap();
            let mut tx = begin(db);
            let found = match self.heap {
                true => heap_rows(&mut tx, &hobt, ScanLocks::None).unwrap().len(),
                false => {
                    assert_eq!(hobt.row_count(), rows, "rows counted: {what}");
                    whole_tree(&mut tx, &hobt).unwrap().len()
                }
            };
            assert_eq!(found as u64, rows, "rows: {what}");
            assert_eq!(hobt.row_count(), rows, "rows counted: {what}");
            assert_eq!(db.space_used(self.id).unwrap().rows, rows, "rows used: {what}");
        }
        assert_eq!(unowned(db), self.unowned, "extents without an owner: {what}");
    }
}

fn insert_one(db: &Arc<Database>, tree: HobtId, key: &[u8]) {
    let mut tx = begin_as(db, 52);
    tx.lock_object(ObjectId(1001), LockMode::IX).unwrap();
    btree::insert(&mut tx, &db.hobt(tree).unwrap(), key, b"v").unwrap();
    tx.commit(Durability::Full).unwrap();
}

fn run(heap: bool, new: bool, before: u64, steps: &[Step], checkpoint: usize, end: End) {
    let what = format!("heap {heap} new {new} {before} {steps:?} checkpoint {checkpoint} {end:?}");
    let rig = Rig::new(1).dir_synced().frames(256);
    let rig = rig.data(2 * MB, Growth::Bytes(MB)).log(2 * MB, Growth::Bytes(MB));
    let db = rig.create();
    let other = make(&db, 1001, 1);
    insert_one(&db, other, b"a");
    let nobody = unowned(&db);
    let (object, index) = (ObjectId(1000), i32::from(!heap));
    let mut tx = begin(&db);
    let mut table = Table { object, id: HobtId::NONE, heap, next_key: 0, unowned: nobody };
    tx.lock_object(table.object, LockMode::SchM).unwrap();
    table.id = make_in(&mut tx, object.0, index);
    table.insert(&mut tx, before);
    if !new {
        tx.commit(Durability::Full).unwrap();
        db.checkpoint(CheckpointKind::Manual).unwrap();
        tx = begin(&db);
        tx.lock_object(table.object, LockMode::SchM).unwrap();
    }
    let mut saved = tx.savepoint();
    for (n, &step) in steps.iter().enumerate() {
        if n == checkpoint {
            db.checkpoint(CheckpointKind::Manual).unwrap();
        }
        table.step(&mut tx, step, &mut saved);
    }
    if checkpoint == steps.len() {
        db.checkpoint(CheckpointKind::Manual).unwrap();
    }
    let undone = (!new).then_some(before);
    let rows = if end == End::Commit { rows_after(steps, before) } else { undone };
    let held = match end {
        End::Commit => {
            tx.commit(Durability::Full).unwrap();
            None
        }
        End::Rollback => {
            tx.rollback().unwrap();
            None
        }
        End::Cut => Some(tx),
    };
    if end != End::Cut {
        table.check(&db, rows, &what);
    }
    // Somebody else's commit makes it durable as far as it is.
    insert_one(&db, other, b"k");
    rig.lose_power((held, db));
    let db = rig.open();
    table.check(&db, rows, &format!("{what}, opened"));
    // And what the first opening has written.
    rig.lose_power(db);
    let db = rig.open();
    table.check(&db, rows, &format!("{what}, opened twice"));
    // A table that is made next may get the number of one that is gone.
    let mut next =
        Table { object: ObjectId(1002), id: HobtId::NONE, heap, next_key: 0, unowned: nobody };
    let mut tx = begin(&db);
    tx.lock_object(next.object, LockMode::SchM).unwrap();
    next.id = make_in(&mut tx, 1002, index);
    next.insert(&mut tx, 3);
    tx.commit(Durability::Full).unwrap();
    next.check(&db, Some(3), &format!("{what}, the next table"));
}

fn all(heap: bool, most: usize) {
    for steps in (1..=most).flat_map(sequences) {
        for end in [End::Commit, End::Rollback, End::Cut] {
            for checkpoint in 0..=steps.len() {
                run(heap, false, 100, &steps, checkpoint, end);
            }
            run(heap, true, 100, &steps, steps.len() - 1, end);
            run(heap, true, 0, &steps, steps.len(), end);
        }
    }
}

#[test]
fn rows_of_a_tree_are_counted_right_whatever_is_undone_and_when() {
    all(false, 3);
}

#[test]
fn rows_of_a_heap_are_counted_right_whatever_is_undone_and_when() {
    all(true, 3);
}

/// Rows that a checkpoint has counted, gone by a rollback to a savepoint, in a table that is full again after the crash.
#[test]
fn a_truncated_table_that_comes_back_has_the_rows_that_it_had() {
    for heap in [false, true] {
        for checkpoint in 0..=4 {
            for end in [End::Commit, End::Rollback, End::Cut] {
                run(heap, false, 100, &[Truncate, Save, Insert, Back], checkpoint, end);
                run(heap, false, 100, &[Insert, Truncate, Save, Insert, Back], checkpoint, end);
            }
        }
    }
}
