//! Who finds a file full waits for those who give room back, and for nobody else.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Barrier};
use std::thread::yield_now;

use taffrail_base::{HobtId, ObjectId};
use taffrail_observe::SessionCell;

use crate::access::{btree, heap, lob};
use crate::database::{Database, Growth};
use crate::error::{StorageError, StorageResult};
use crate::lock::{LockError, LockMode};
use crate::rig::{MB, Rig, begin_as, make};
use crate::txn::{Durability, Transaction};

const OBJECT: ObjectId = ObjectId(1000);

#[derive(Clone, Copy, PartialEq, Debug)]
enum What {
    Value,
    HeapRow,
    TreeRow,
}

/// A data file that keeps its size, with a heap (index 0) or a tree.
fn full_soon(index: i32) -> (Arc<Database>, HobtId) {
    let rig = Rig::new(1).frames(1024).data(3 * MB, Growth::None);
    let db = rig.log(64 * MB, Growth::None).create();
    let id = make(&db, OBJECT.0, index);
    (db, id)
}

fn begin(db: &Arc<Database>, session: u16) -> Transaction {
    let mut tx = begin_as(db, session);
    tx.lock_object(OBJECT, LockMode::IX).unwrap();
    tx
}

fn put(tx: &mut Transaction, id: HobtId, what: What, n: u64) -> StorageResult<()> {
    let hobt = tx.database().hobt(id)?;
    let key = (u64::from(tx.parts().1.session.0) << 32 | n).to_be_bytes();
    match what {
        What::Value => lob::write(tx, &hobt, &[7; 10 * lob::PIECE]).map(drop),
        What::HeapRow => heap::insert(tx, &hobt, &[7; 7000]).map(drop),
        What::TreeRow => btree::insert(tx, &hobt, &key, &[7; 3900]),
    }
}

/// Puts until the file is full; gives how many there were.
fn fill(tx: &mut Transaction, id: HobtId, what: What) -> u64 {
    for n in 0.. {
        match put(tx, id, what, n) {
            Ok(()) => {}
            Err(StorageError::FileFull(_)) => return n,
            Err(e) => panic!("{e}"),
        }
    }
    unreachable!("the file is never full")
}

fn is_full(result: &StorageResult<()>) -> bool {
    matches!(result, Err(StorageError::FileFull(_)))
}

#[test]
fn who_finds_the_file_full_waits_for_what_is_given_back() {
    for what in [What::Value, What::HeapRow, What::TreeRow] {
        let (db, id) = full_soon(i32::from(what != What::HeapRow));
        let mut first = begin(&db, 51);
        assert!(fill(&mut first, id, what) > 10);
        let giving = db.giving_back();
        std::thread::scope(|scope| {
            let second = scope.spawn(|| {
                let mut tx = begin(&db, 52);
                put(&mut tx, id, what, 0).and_then(|()| tx.commit(Durability::Full))
            });
            while db.waiting_for_room() == 0 && !second.is_finished() {
                yield_now();
            }
            first.rollback().unwrap();
            let result = second.join().unwrap();
            assert!(result.is_ok(), "{what:?}: {result:?}");
        });
        drop(giving);
    }
}

#[test]
fn a_file_that_is_full_is_full() {
    for what in [What::Value, What::HeapRow, What::TreeRow] {
        let (db, id) = full_soon(i32::from(what != What::HeapRow));
        let mut first = begin(&db, 51);
        fill(&mut first, id, what);
        // That the first is open is no reason to wait for it: it does nothing.
        let mut second = begin(&db, 52);
        assert!(is_full(&put(&mut second, id, what, 0)), "{what:?}");
        // Who gives room back himself does not wait for those who do.
        let (there, over) = (Barrier::new(2), Barrier::new(2));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let _giving = db.giving_back();
                there.wait();
                over.wait();
            });
            there.wait();
            let giving = db.giving_back();
            let result = put(&mut second, id, what, 0);
            drop(giving);
            over.wait();
            assert!(is_full(&result), "{what:?}");
        });
        first.commit(Durability::Full).unwrap();
        assert!(is_full(&put(&mut second, id, what, 0)), "{what:?}");
    }
}

#[test]
fn who_waits_for_room_can_be_cancelled() {
    let (db, id) = full_soon(1);
    let mut first = begin(&db, 51);
    fill(&mut first, id, What::Value);
    let giving = db.giving_back();
    let cell = SessionCell::new(52);
    std::thread::scope(|scope| {
        let second = scope.spawn(|| {
            let _entered = SessionCell::enter(&cell);
            put(&mut begin(&db, 52), id, What::Value, 0)
        });
        while db.waiting_for_room() == 0 && !second.is_finished() {
            yield_now();
        }
        cell.cancel_flag().store(true, Ordering::Relaxed);
        let result = second.join().unwrap();
        assert!(matches!(result, Err(StorageError::Lock(LockError::Cancelled))), "{result:?}");
    });
    drop(giving);
}

#[test]
fn what_is_claimed_for_a_value_nobody_else_takes() {
    let (db, id) = full_soon(1);
    let hobt = db.hobt(id).unwrap();
    let mut first = begin(&db, 51);
    put(&mut first, id, What::TreeRow, 0).unwrap();
    // Ten with bytes, one that refers to them.
    let pages = 11 * fill(&mut first, id, What::Value) as usize;
    first.rollback().unwrap();
    let mut first = begin(&db, 51);
    let claim = db.pages_for_value(first.parts().1, &hobt, pages).unwrap();
    let before = db.space_used(id).unwrap();
    let mut second = begin(&db, 52);
    // Neither a part of a value nor, when what is left is used up, rows.
    assert!(is_full(&lob::write(&mut second, &hobt, &vec![7; 40 * lob::PIECE]).map(drop)));
    assert_eq!(db.space_used(id).unwrap(), before);
    let rows = fill(&mut second, id, What::TreeRow);
    assert!(rows < 2 * 20, "{rows}");
    assert!(hobt.space.lock().claimed == pages && db.free_pages_of(&hobt).unwrap() == 0);
    // Nor other heaps and trees, which are given back what is empty.
    let other = make(&db, OBJECT.0, 2);
    assert!(is_full(&put(&mut second, other, What::Value, 0)));
    second.rollback().unwrap();
    drop(claim);
    assert!(lob::write(&mut first, &hobt, &vec![7; (pages - 1) * lob::PIECE]).is_ok());
}

#[test]
fn claims_end_with_their_values() {
    let (db, id) = full_soon(1);
    let hobt = db.hobt(id).unwrap();
    let mut tx = begin(&db, 51);
    let n = fill(&mut tx, id, What::Value);
    tx.rollback().unwrap();
    let free = db.free_pages_of(&hobt).unwrap();
    // Cut off at any of its records.
    for at in 1..25 {
        let mut tx = begin(&db, 51);
        crate::txn::work::cut::at(at);
        let cut = put(&mut tx, id, What::Value, 0);
        crate::txn::work::cut::at(0);
        assert!(cut.is_err(), "{at}");
        assert_eq!(hobt.space.lock().claimed, 0, "{at}");
        tx.rollback().unwrap();
        assert_eq!(db.free_pages_of(&hobt).unwrap(), free, "{at}");
    }
    let mut tx = begin(&db, 51);
    assert_eq!(fill(&mut tx, id, What::Value), n);
}
