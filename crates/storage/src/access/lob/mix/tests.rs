//! Small values beside each other: what they take, who reads them, and who takes them off.

use std::sync::Arc;

use taffrail_base::{HobtId, PageId};

use super::super::page::{Freed, store};
use super::super::{append, delete, free_listed, read, read_unlocked, replace, write};
use super::*;
use crate::access::{ScanLocks, btree, directory};
use crate::check::{Finding, RowFault, Rows, What};
use crate::lock::LockMode;
use crate::rig::{MB, Rig, begin, begin_as, make};
use crate::txn::work::cut;
use crate::{Durability, Growth, Rid};

pub(super) const OBJECT: i32 = 1000;

/// Rows that are references.
struct References;

impl Rows for References {
    fn row(
        &mut self,
        _: Rid,
        _: &[u8],
        value: &[u8],
        lobs: &mut Vec<LobRef>,
    ) -> Result<(), RowFault> {
        lobs.extend(value.try_into().ok().map(LobRef::from_bytes));
        Ok(())
    }
}

fn findings(db: &Arc<Database>) -> Vec<Finding> {
    db.check_all(|_| Box::new(References), &mut || false).unwrap()
}

pub(super) fn check(db: &Arc<Database>) {
    let found = findings(db);
    assert!(found.is_empty(), "{found:?}");
}

/// Text mix pages, and the values on them.
pub(super) fn mixed(db: &Arc<Database>, hobt: &Hobt) -> (usize, usize) {
    let (mut pages, mut found) = (0, 0);
    let counted = db.look_on_pages(hobt, (PageId::NONE, 0), u64::MAX, |page| {
        if is_of(page, hobt.id()) {
            pages += 1;
            found += values(page).filter(|(_, value)| value.is_some()).count();
        }
    });
    assert_eq!(counted.unwrap(), None);
    (pages, found)
}

fn scene(seed: u64) -> (Rig, Arc<Database>, HobtId) {
    let growth = Growth::Bytes(MB);
    let rig = Rig::new(seed).frames(1024).data(2 * MB, growth).log(4 * MB, growth);
    let db = rig.create();
    let id = make(&db, OBJECT, 1);
    (rig, db, id)
}

pub(super) fn locked(db: &Arc<Database>, hobt: &Hobt, session: u16) -> Transaction {
    let mut tx = begin_as(db, session);
    tx.lock_object(hobt.object(), LockMode::IX).unwrap();
    tx
}

pub(super) fn insert(tx: &mut Transaction, hobt: &Hobt, key: u64, bytes: &[u8]) -> LobRef {
    let lob = write(tx, hobt, bytes).unwrap();
    btree::insert(tx, hobt, &key.to_be_bytes(), &lob.to_bytes()).unwrap();
    lob
}

pub(super) fn stored(tx: &mut Transaction, hobt: &Hobt, key: u64) -> LobRef {
    let mut row = Vec::new();
    assert!(btree::get(tx, hobt, &key.to_be_bytes(), ScanLocks::None, &mut row).unwrap());
    LobRef::from_bytes(row.try_into().unwrap())
}

fn remove(tx: &mut Transaction, hobt: &Hobt, key: u64) {
    let lob = stored(tx, hobt, key);
    assert!(btree::delete(tx, hobt, &key.to_be_bytes()).unwrap());
    delete(tx, hobt, lob).unwrap();
}

fn bytes_of(tx: &mut Transaction, hobt: &Hobt, lob: LobRef) -> Vec<u8> {
    let mut out = Vec::new();
    read(tx, hobt, lob, 0, u64::MAX, &mut out).unwrap();
    out
}

/// A small value as format version 4 and before wrote it.
fn write_alone(tx: &mut Transaction, hobt: &Hobt, bytes: &[u8]) -> LobRef {
    let db = tx.database().clone();
    if hobt.root().is_none() {
        db.allocate_root(tx.parts().1, hobt).unwrap();
    }
    let work = tx.parts().1;
    let mut claim = db.pages_for_value(work, hobt, 1).unwrap();
    store(&db, work, hobt, &mut claim, 0, bytes, bytes.len() as u64).unwrap()
}

/// What users see, and what it costs, beside what it cost before.
#[test]
fn rows_with_two_values_of_three_thousand_bytes_take_half_the_pages() {
    const ROWS: u64 = 1000;
    let mut figures = Vec::new();
    for alone in [true, false] {
        let (_rig, db, id) = scene(1);
        let hobt = db.hobt(id).unwrap();
        let mut logged = (0, 0);
        for first in (0..ROWS).step_by(100) {
            let mut tx = locked(&db, &hobt, 51);
            for key in first..first + 100 {
                for n in 0..2 {
                    let value = vec![n as u8 + 1; 3000];
                    match alone {
                        true => {
                            let lob = write_alone(&mut tx, &hobt, &value);
                            let key = (2 * key + n).to_be_bytes();
                            btree::insert(&mut tx, &hobt, &key, &lob.to_bytes()).unwrap();
                        }
                        false => drop(insert(&mut tx, &hobt, 2 * key + n, &value)),
                    }
                }
            }
            logged = (logged.0 + tx.logged().0, logged.1 + tx.logged().1);
            tx.commit(Durability::Full).unwrap();
        }
        let used = db.space_used(id).unwrap().used_pages;
        let inserted = db.log().appended();
        check(&db);
        let mut tx = locked(&db, &hobt, 51);
        for key in 0..2 * ROWS {
            remove(&mut tx, &hobt, key);
        }
        tx.commit(Durability::Full).unwrap();
        let deleted = db.log().appended().since(inserted);
        assert_eq!(mixed(&db, &hobt), (0, 0));
        figures.push((used, logged, deleted));
    }
    eprintln!("pages, (bytes, records) logged, log of the deletion: alone, beside: {figures:?}");
    let [(alone, before, deleted_before), (beside, now, deleted)] = figures[..] else { panic!() };
    assert_eq!(alone - beside, ROWS);
    assert!(alone > 2 * ROWS && beside < ROWS + ROWS / 20, "{alone} {beside}");
    assert!(now.0 < before.0 && now.1 < before.1, "{figures:?}");
    // Slot by slot, and then the page.
    assert!(deleted * 10 < deleted_before * 12, "{figures:?}");
}

#[test]
fn values_of_several_rows_and_transactions_share_a_page() {
    let (rig, db, id) = scene(2);
    let hobt = db.hobt(id).unwrap();
    for key in 0..8 {
        let mut tx = locked(&db, &hobt, 51);
        insert(&mut tx, &hobt, key, &[key as u8 + 1; 900]);
        tx.commit(Durability::Full).unwrap();
    }
    assert_eq!(mixed(&db, &hobt), (1, 8));
    // Longer ones have pages of their own, and the longest that do not fill one.
    let mut tx = locked(&db, &hobt, 51);
    let lob = insert(&mut tx, &hobt, 8, &[9; MAX + 1]);
    assert!(!db.pool().read(&db.store, lob.first).unwrap().is_mix());
    insert(&mut tx, &hobt, 9, &[10; MAX]);
    insert(&mut tx, &hobt, 10, &[11; MAX]);
    tx.commit(Durability::Full).unwrap();
    assert_eq!(mixed(&db, &hobt), (2, 10));
    drop(hobt);
    rig.lose_power(db);
    let db = rig.recover().unwrap();
    let hobt = db.hobt(id).unwrap();
    let mut tx = begin(&db);
    for key in 0..11 {
        let lob = stored(&mut tx, &hobt, key);
        assert_eq!(bytes_of(&mut tx, &hobt, lob), vec![key as u8 + 1; lob.length as usize]);
    }
    drop(tx);
    check(&db);
}

/// Who holds the copy of a row finds what the row refers to, or nothing.
#[test]
fn a_slot_that_is_another_values_by_now_is_not_taken_for_ones_own() {
    let (_rig, db, id) = scene(3);
    let hobt = db.hobt(id).unwrap();
    let mut tx = locked(&db, &hobt, 51);
    let (old, beside) =
        (insert(&mut tx, &hobt, 1, &[1; 2000]), insert(&mut tx, &hobt, 2, &[2; 2000]));
    assert_eq!(old.first, beside.first);
    tx.commit(Durability::Full).unwrap();
    let mut tx = locked(&db, &hobt, 51);
    remove(&mut tx, &hobt, 1);
    // Not before the commit.
    assert_eq!(bytes_of(&mut tx, &hobt, old), [1; 2000]);
    tx.commit(Durability::Full).unwrap();
    let mut tx = locked(&db, &hobt, 51);
    let new = insert(&mut tx, &hobt, 3, &[3; 2000]);
    let page = db.pool().read(&db.store, new.first).unwrap();
    assert_eq!((new.first, find(&page, new.id).unwrap().0), (old.first, 0));
    drop(page);
    let mut out = b"before".to_vec();
    assert!(!read_unlocked(&mut tx, &hobt, old, 0, u64::MAX, &mut out).unwrap());
    assert_eq!(out, b"before");
    assert!(read_unlocked(&mut tx, &hobt, new, 1999, 5, &mut out).unwrap());
    assert_eq!(out, b"before\x03");
    assert!(matches!(
        read(&mut tx, &hobt, old, 0, 9, &mut out),
        Err(crate::StorageError::Corrupt(_))
    ));
}

#[test]
fn what_is_rolled_back_leaves_its_neighbours_and_the_last_gives_the_page_back() {
    let (rig, db, id) = scene(4);
    let hobt = db.hobt(id).unwrap();
    let mut a = locked(&db, &hobt, 51);
    let mut b = locked(&db, &hobt, 52);
    insert(&mut a, &hobt, 1, &[1; 1000]);
    insert(&mut b, &hobt, 2, &[2; 1000]);
    // Undone twice: to the savepoint, and once more when the chain of records is followed to its beginning.
    let mark = a.savepoint();
    insert(&mut a, &hobt, 3, &[3; 1000]);
    a.rollback_to(mark).unwrap();
    insert(&mut a, &hobt, 4, &[4; 1000]);
    assert_eq!(mixed(&db, &hobt), (1, 3));
    a.rollback().unwrap();
    assert_eq!(mixed(&db, &hobt), (1, 1));
    // The only value on its page, in a transaction that goes on.
    let mark = b.savepoint();
    b.rollback_to(mark).unwrap();
    let lone = insert(&mut b, &hobt, 5, &[5; 1000]);
    b.commit(Durability::Full).unwrap();
    let mut tx = locked(&db, &hobt, 51);
    remove(&mut tx, &hobt, 2);
    remove(&mut tx, &hobt, 5);
    let mark = tx.savepoint();
    let page = insert(&mut tx, &hobt, 6, &[6; MAX]);
    assert_eq!(page.first, lone.first);
    tx.rollback_to(mark).unwrap();
    insert(&mut tx, &hobt, 7, &[7; 10]);
    tx.commit(Durability::Full).unwrap();
    assert_eq!(mixed(&db, &hobt), (1, 1));
    let mut tx = locked(&db, &hobt, 51);
    remove(&mut tx, &hobt, 7);
    tx.commit(Durability::Full).unwrap();
    assert_eq!(mixed(&db, &hobt), (0, 0));
    // Open when the power fails.
    let mut tx = locked(&db, &hobt, 51);
    let mark = tx.savepoint();
    insert(&mut tx, &hobt, 8, &[8; 10]);
    tx.rollback_to(mark).unwrap();
    assert_eq!(mixed(&db, &hobt), (0, 0));
    insert(&mut tx, &hobt, 9, &[9; 10]);
    db.flush_log().unwrap();
    drop(hobt);
    rig.lose_power((tx, db));
    let db = rig.recover().unwrap();
    assert_eq!(mixed(&db, &db.hobt(id).unwrap()), (0, 0));
    check(&db);
}

/// What frees values ends half way, and begins anew.
#[test]
fn freeing_is_repeated() {
    for last in [false, true] {
        let (rig, db, id) = scene(5);
        let hobt = db.hobt(id).unwrap();
        let mut tx = locked(&db, &hobt, 51);
        let lob = insert(&mut tx, &hobt, 1, &[1; 1000]);
        if !last {
            insert(&mut tx, &hobt, 2, &[2; 1000]);
        }
        tx.commit(Durability::Full).unwrap();
        let mut tx = locked(&db, &hobt, 51);
        let freed = [Freed { page: lob.first, id: lob.id, whole: true }];
        directory::add_pending_pages(&db, tx.parts().1, id, &freed).unwrap();
        btree::delete(&mut tx, &hobt, &1u64.to_be_bytes()).unwrap();
        tx.commit(Durability::Full).unwrap();
        let mut work = Work::system(&db, "DropLob");
        free_listed(&db, &mut work, id, &freed).unwrap();
        db.abort_system(work, Vec::new());
        // It is gone, and its page still there.
        assert_eq!(mixed(&db, &hobt), (1, usize::from(!last)));
        check(&db);
        if !last {
            // Its room is another's by the time that it is freed again.
            let mut tx = locked(&db, &hobt, 51);
            let new = insert(&mut tx, &hobt, 3, &[3; 1000]);
            assert_eq!(new.first, lob.first);
            tx.commit(Durability::Full).unwrap();
        }
        db.flush_log().unwrap();
        drop(hobt);
        rig.lose_power(db);
        let db = rig.recover().unwrap();
        db.free_orphans();
        assert_eq!(directory::pending(&db).unwrap(), []);
        let left = if last { (0, 0) } else { (1, 2) };
        assert_eq!(mixed(&db, &db.hobt(id).unwrap()), left);
        check(&db);
    }
}

#[test]
fn small_values_of_before_are_read_changed_and_freed() {
    let (rig, db, id) = scene(6);
    let hobt = db.hobt(id).unwrap();
    let mut tx = locked(&db, &hobt, 51);
    for key in 0..4u64 {
        let lob = write_alone(&mut tx, &hobt, &[key as u8 + 1; 500]);
        btree::insert(&mut tx, &hobt, &key.to_be_bytes(), &lob.to_bytes()).unwrap();
    }
    tx.commit(Durability::Full).unwrap();
    // Two of them wait to be freed, in the entries of then.
    let mut tx = locked(&db, &hobt, 51);
    for (key, kind) in [(0u64, 3u8), (1, 4)] {
        let lob = stored(&mut tx, &hobt, key);
        btree::delete(&mut tx, &hobt, &key.to_be_bytes()).unwrap();
        let first = lob.first.to_u64().to_be_bytes();
        let whole = (lob.first.to_u64() | 1 << 48).to_le_bytes();
        let (of, own) = (id.0.to_le_bytes(), lob.id.to_le_bytes());
        let value = if kind == 3 { [of, own].concat() } else { [of, whole, own].concat() };
        let key = [&[kind][..], &first].concat();
        btree::insert_entry(tx.parts().1, &db.directory(), &key, &value, 0, true).unwrap();
    }
    tx.commit(Durability::Full).unwrap();
    let used = db.space_used(id).unwrap().used_pages;
    check(&db);
    drop(hobt);
    rig.lose_power(db);
    let db = rig.recover().unwrap();
    db.free_orphans();
    assert_eq!(directory::pending(&db).unwrap(), []);
    assert_eq!(db.space_used(id).unwrap().used_pages, used - 2);
    let hobt = db.hobt(id).unwrap();
    let mut tx = locked(&db, &hobt, 51);
    let old = stored(&mut tx, &hobt, 2);
    assert_eq!(bytes_of(&mut tx, &hobt, old), [3; 500]);
    let new = append(&mut tx, &hobt, old, &[9; 20]).unwrap();
    btree::update(&mut tx, &hobt, &2u64.to_be_bytes(), &new.to_bytes()).unwrap();
    remove(&mut tx, &hobt, 3);
    tx.commit(Durability::Full).unwrap();
    assert_eq!(mixed(&db, &hobt), (1, 1));
    let mut tx = locked(&db, &hobt, 51);
    assert_eq!(bytes_of(&mut tx, &hobt, new), [&[3; 500][..], &[9; 20]].concat());
    assert_eq!(db.space_used(id).unwrap().used_pages, used - 3);
    drop(tx);
    check(&db);
}

/// From slot to slot, to pages of its own, and back.
#[test]
fn a_value_grows_and_shrinks() {
    let (_rig, db, id) = scene(7);
    let hobt = db.hobt(id).unwrap();
    let mut tx = locked(&db, &hobt, 51);
    insert(&mut tx, &hobt, 2, &[2; 300]);
    let mut lob = insert(&mut tx, &hobt, 1, &[1; 3000]);
    let mut model = vec![1; 3000];
    tx.commit(Durability::Full).unwrap();
    for (at, gone, new, slots) in [
        (3000, 0, 500, 2),
        (0, 0, 7000, 2),
        (7000, 100, 9000, 1),
        (20, 18_000, 30, 2),
        (0, 1, 0, 2),
        (500, 0, 20_000, 1),
        (0, 20_000, 5, 2),
    ] {
        let bytes = vec![(at % 250) as u8; new];
        for commit in [false, true] {
            let mut tx = locked(&db, &hobt, 51);
            let changed = replace(&mut tx, &hobt, lob, at as u64, gone as u64, &bytes).unwrap();
            btree::update(&mut tx, &hobt, &1u64.to_be_bytes(), &changed.to_bytes()).unwrap();
            if commit {
                tx.commit(Durability::Full).unwrap();
                lob = changed;
            } else {
                tx.rollback().unwrap();
                check(&db);
            }
        }
        let end = model.len().min(at + gone);
        model.splice(at..end, bytes);
        let mut tx = begin(&db);
        assert!(bytes_of(&mut tx, &hobt, lob) == model, "{at} {gone} {new}");
        drop(tx);
        check(&db);
        assert_eq!(mixed(&db, &hobt).1, slots, "{at} {gone} {new}");
    }
}

/// The room that deletions of an earlier process have left.
#[test]
fn room_is_found_after_a_restart_when_the_file_is_full() {
    let rig = Rig::new(8).frames(512).data(2 * MB, Growth::None).log(16 * MB, Growth::None);
    let db = rig.create();
    let id = make(&db, OBJECT, 1);
    let hobt = db.hobt(id).unwrap();
    let mut key = 0;
    loop {
        let mut tx = locked(&db, &hobt, 51);
        let Ok(lob) = write(&mut tx, &hobt, &[1; 3000]) else { break };
        let row = btree::insert(&mut tx, &hobt, &u64::to_be_bytes(key), &lob.to_bytes());
        if row.is_err() {
            break;
        }
        tx.commit(Durability::Full).unwrap();
        key += 1;
    }
    assert!(key > 100, "{key}");
    let before = mixed(&db, &hobt);
    let mut tx = locked(&db, &hobt, 51);
    for key in (0..key).step_by(2) {
        remove(&mut tx, &hobt, key);
    }
    tx.commit(Durability::Full).unwrap();
    assert_eq!(mixed(&db, &hobt).0, before.0);
    drop(hobt);
    rig.lose_power(db);
    let db = rig.recover().unwrap();
    let hobt = db.hobt(id).unwrap();
    let mut tx = locked(&db, &hobt, 51);
    for key in (0..key).step_by(2) {
        insert(&mut tx, &hobt, key, &[2; 3000]);
    }
    tx.commit(Durability::Full).unwrap();
    assert_eq!(mixed(&db, &hobt), before);
    check(&db);
}

/// After a change that failed, when the page is nobody's any more, and beside a TRUNCATE that was in vain.
#[test]
fn hints_are_asked_for_no_more_than_they_know() {
    let (_rig, db, id) = scene(11);
    let hobt = db.hobt(id).unwrap();
    let mut tx = locked(&db, &hobt, 51);
    let old = insert(&mut tx, &hobt, 1, &[1; 3000]);
    tx.commit(Durability::Full).unwrap();
    let mut tx = locked(&db, &hobt, 51);
    insert(&mut tx, &hobt, 2, &[2; 100]);
    cut::anywhere(1);
    write(&mut tx, &hobt, &[3; 3000]).unwrap_err();
    cut::anywhere(0);
    tx.rollback().unwrap();
    let mut tx = locked(&db, &hobt, 51);
    assert_eq!(insert(&mut tx, &hobt, 3, &[3; 3000]).first, old.first);
    remove(&mut tx, &hobt, 1);
    remove(&mut tx, &hobt, 3);
    tx.commit(Durability::Full).unwrap();
    assert_eq!(mixed(&db, &hobt), (0, 0));
    hobt.mixed.lock().note(old.first, 8000);
    let mut tx = locked(&db, &hobt, 51);
    insert(&mut tx, &hobt, 4, &[4; 3000]);
    tx.commit(Durability::Full).unwrap();
    check(&db);
    let mut tx = begin(&db);
    tx.lock_object(hobt.object(), LockMode::SchM).unwrap();
    db.truncate_hobt(&mut tx, id).unwrap();
    assert_eq!(hobt.mixed.lock().take(1), None);
    insert(&mut tx, &hobt, 4, &[5; 3000]);
    tx.rollback().unwrap();
    assert_eq!(hobt.mixed.lock().take(1), None);
    let mut tx = locked(&db, &hobt, 51);
    insert(&mut tx, &hobt, 5, &[5; 3000]);
    let lob = stored(&mut tx, &hobt, 4);
    assert_eq!(bytes_of(&mut tx, &hobt, lob), [4; 3000]);
    tx.commit(Durability::Full).unwrap();
    check(&db);
}

/// Sessions whose values share pages come and go beside each other.
#[test]
fn neighbours_come_and_go_at_the_same_time() {
    let (rig, db, id) = scene(9);
    std::thread::scope(|scope| {
        for me in 0..4u64 {
            let db = db.clone();
            scope.spawn(move || {
                let hobt = db.hobt(id).unwrap();
                for n in 0..60 {
                    let key = me << 32 | n;
                    let mut tx = locked(&db, &hobt, 51 + me as u16);
                    insert(
                        &mut tx,
                        &hobt,
                        key,
                        &vec![me as u8 + 1; 100 + (n as usize * 397) % 3000],
                    );
                    if n > 4 && n % 7 != 0 {
                        remove(&mut tx, &hobt, key - 1 - n % 2);
                    }
                    if n % 2 == 0 {
                        tx.commit(Durability::Full).unwrap();
                    } else {
                        tx.rollback().unwrap();
                    }
                    if n % 2 == 1 || (n > 4 && n % 7 != 0) {
                        // Whatever it was, the key before the last is there for the next to remove.
                        let mut tx = locked(&db, &hobt, 51 + me as u16);
                        let mut row = Vec::new();
                        for key in [key - 1, key] {
                            let name = key.to_be_bytes();
                            if !btree::get(&mut tx, &hobt, &name, ScanLocks::None, &mut row)
                                .unwrap()
                            {
                                insert(&mut tx, &hobt, key, &[me as u8 + 1; 700]);
                            }
                        }
                        tx.commit(Durability::Full).unwrap();
                    }
                }
            });
        }
    });
    check(&db);
    rig.lose_power(db);
    let db = rig.recover().unwrap();
    check(&db);
    let hobt = db.hobt(id).unwrap();
    let mut tx = locked(&db, &hobt, 51);
    for me in 0..4u64 {
        for n in 0..60 {
            let (key, mut row) = (me << 32 | n, Vec::new());
            if btree::get(&mut tx, &hobt, &key.to_be_bytes(), ScanLocks::None, &mut row).unwrap() {
                let lob = LobRef::from_bytes(row[..].try_into().unwrap());
                assert!(bytes_of(&mut tx, &hobt, lob).iter().all(|b| *b == me as u8 + 1));
                remove(&mut tx, &hobt, key);
            }
        }
    }
    tx.commit(Durability::Full).unwrap();
    assert_eq!(mixed(&db, &hobt), (0, 0));
}

/// A value that no row reaches, a row that reaches a slot that is not there, a page without a value.
#[test]
fn a_check_finds_what_is_lost() {
    let (_rig, db, id) = scene(10);
    let hobt = db.hobt(id).unwrap();
    let mut tx = locked(&db, &hobt, 51);
    let lost = insert(&mut tx, &hobt, 1, &[1; 100]);
    let kept = insert(&mut tx, &hobt, 2, &[2; 100]);
    btree::delete(&mut tx, &hobt, &1u64.to_be_bytes()).unwrap();
    let other = LobRef { id: kept.id + 1, ..kept };
    btree::insert(&mut tx, &hobt, &3u64.to_be_bytes(), &other.to_bytes()).unwrap();
    btree::insert(&mut tx, &hobt, &4u64.to_be_bytes(), &kept.to_bytes()).unwrap();
    tx.commit(Durability::Full).unwrap();
    let page = lost.first;
    let found: Vec<What> = findings(&db).into_iter().map(|f| f.what).collect();
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(matches!(found[0], What::LobMissing { page: p, .. } if p == page), "{found:?}");
    assert!(matches!(found[1], What::LobTwice { page: p, slot: 1, .. } if p == page), "{found:?}");
    assert_eq!(found[2], What::LobAlone { page, slot: 0, id: lost.id });
    // Without a value, and allocated.
    let mut guard = db.pool().write(&db.store, page).unwrap();
    guard.will_change(&db.store);
    guard.clear_row(1);
    guard.clear_row(0);
    drop(guard);
    let found: Vec<What> = findings(&db).into_iter().map(|f| f.what).collect();
    assert!(found.contains(&What::NotSeen { page }), "{found:?}");
}
