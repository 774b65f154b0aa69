//! What others may do between two steps of a commit, or of a load's beginning.

use std::cell::RefCell;
use std::sync::Arc;

use taffrail_base::{HobtId, ObjectId};
use taffrail_log::Growth;

use super::Durability;
use crate::access::directory;
use crate::access::lob::Freed;
use crate::access::{LobRef, lob};
use crate::database::{Database, DatabaseOptions, RecoveryModel};
use crate::lock::LockMode;
use crate::rig::{MB, Rig, begin_as, make};

thread_local! {
    /// Done by the next commit of this thread that has released its locks.
    static ONCE: RefCell<Option<Box<dyn FnOnce()>>> = const { RefCell::new(None) };
}

thread_local! {
    /// Done by the next load of this thread that has found that it may log less.
    static AT_THE_GATE: RefCell<Option<Box<dyn FnOnce()>>> = const { RefCell::new(None) };
}

pub(super) fn locks_released() {
    let once = ONCE.with(|o| o.borrow_mut().take());
    if let Some(f) = once {
        f();
    }
}

pub(super) fn at_the_gate() {
    let once = AT_THE_GATE.with(|o| o.borrow_mut().take());
    if let Some(f) = once {
        f();
    }
}

const OBJECT: ObjectId = ObjectId(1000);
const PAGES: usize = 5;

fn rig(seed: u64) -> Rig {
    let (size, growth) = (8 * MB, Growth::Bytes(8 * MB));
    Rig::new(seed).frames(1024).data(size, growth).log(size, growth)
}

/// A database with a tree that a large value belongs to.
fn with_a_large_value(seed: u64) -> (Arc<Database>, HobtId, LobRef) {
    let db = rig(seed).create();
    let id = make(&db, OBJECT.0, 1);
    let value = store(&db, id, 1);
    (db, id, value)
}

fn store(db: &Arc<Database>, id: HobtId, byte: u8) -> LobRef {
    let mut tx = begin_as(db, 52);
    tx.lock_object(OBJECT, LockMode::IX).unwrap();
    let value = lob::write(&mut tx, &db.hobt(id).unwrap(), &vec![byte; PAGES * lob::PIECE]);
    tx.commit(Durability::Full).unwrap();
    value.unwrap()
}

fn truncate(db: &Arc<Database>, id: HobtId) {
    let mut tx = begin_as(db, 52);
    tx.lock_object(OBJECT, LockMode::SchM).unwrap();
    db.truncate_hobt(&mut tx, id).unwrap();
    tx.commit(Durability::Full).unwrap();
}

/// True if a value is whole, and stays so when others take whatever pages are free.
fn lasts(db: &Arc<Database>, id: HobtId, value: LobRef, byte: u8) -> bool {
    for _ in 0..20 {
        store(db, id, byte + 1);
    }
    let mut tx = begin_as(db, 51);
    tx.lock_object(OBJECT, LockMode::IS).unwrap();
    let mut out = Vec::new();
    let read = lob::read(&mut tx, &db.hobt(id).unwrap(), value, 0, value.length, &mut out);
    read.is_ok() && out == vec![byte; PAGES * lob::PIECE]
}

#[test]
fn who_gets_the_locks_of_a_commit_finds_what_it_frees_in_the_list() {
    let (db, id, old) = with_a_large_value(1);
    let new = Arc::new(std::sync::OnceLock::new());
    let mut tx = begin_as(&db, 51);
    tx.lock_object(OBJECT, LockMode::IX).unwrap();
    lob::delete(&mut tx, &db.hobt(id).unwrap(), old).unwrap();
    let (other, made) = (db.clone(), new.clone());
    ONCE.set(Some(Box::new(move || {
        truncate(&other, id);
        assert_eq!(directory::pending(&other).unwrap(), [], "large values before extents");
        made.set(store(&other, id, 7)).unwrap();
    })));
    tx.commit(Durability::Full).unwrap();
    let new = *new.get().unwrap();
    // The same page: what is freed by its address alone is somebody else's.
    assert_eq!(new.first, old.first);
    assert_ne!(new.id, old.id);
    assert!(lasts(&db, id, new, 7));
}

#[test]
fn a_chain_is_freed_only_as_far_as_it_is_still_its_values() {
    for full in [false, true] {
        let (db, id, old) = with_a_large_value(2);
        // Pending, and nobody frees it for the moment.
        let mut tx = begin_as(&db, 51);
        tx.lock_object(OBJECT, LockMode::IX).unwrap();
        let value = [Freed { page: old.first, id: old.id, whole: true }];
        let late = directory::add_pending_pages(&db, tx.parts().1, id, &value).unwrap();
        tx.commit(Durability::Full).unwrap();
        truncate(&db, id);
        let new = full.then(|| store(&db, id, 7));
        db.pending_after_rollback.lock().push(late);
        let before = db.log().appended();
        db.free_orphans();
        assert_eq!(directory::pending(&db).unwrap(), []);
        assert!(db.log().appended() > before);
        let new = new.unwrap_or_else(|| store(&db, id, 7));
        assert_eq!(new.first, old.first);
        assert!(lasts(&db, id, new, 7));
    }
}

#[test]
fn a_load_that_begins_while_the_model_becomes_full_is_fully_logged() {
    let (db, ..) = with_a_large_value(3);
    let bulk_logged = DatabaseOptions { recovery_model: RecoveryModel::BulkLogged, ..db.options() };
    db.set_options(&bulk_logged).unwrap();
    let mut tx = begin_as(&db, 51);
    let other = db.clone();
    AT_THE_GATE.set(Some(Box::new(move || {
        let full = DatabaseOptions { recovery_model: RecoveryModel::Full, ..other.options() };
        other.set_options(&full).unwrap();
    })));
    assert!(!tx.may_log_minimally());
    // Nor does it keep backups waiting.
    assert!(db.hold_bulk(&|| true).is_some());
    db.set_options(&bulk_logged).unwrap();
    assert!(tx.may_log_minimally());
    assert!(db.hold_bulk(&|| true).is_none());
}

#[test]
fn who_asks_whether_a_database_is_changed_hears_of_all_that_are_not_refused() {
    let db = rig(8).create();
    let id = make(&db, OBJECT.0, 1);
    assert!(!db.is_being_changed());
    let mut early = begin_as(&db, 52);
    let mut late = begin_as(&db, 53);
    let change = |tx: &mut crate::Transaction| {
        tx.lock_object(OBJECT, LockMode::IX).unwrap();
        lob::write(tx, &db.hobt(id).unwrap(), &[1; 10]).map(drop)
    };
    change(&mut early).unwrap();
    db.refuse_changes(true);
    // It has begun: whoever wants the database to stand still waits for it.
    assert!(db.is_being_changed());
    change(&mut early).unwrap();
    let refused = change(&mut late).unwrap_err();
    assert!(matches!(refused, crate::StorageError::Sql(ref e) if e.number == 3906), "{refused}");
    early.commit(Durability::Full).unwrap();
    assert!(!db.is_being_changed());
    late.rollback().unwrap();
    db.refuse_changes(false);
    let mut again = begin_as(&db, 53);
    change(&mut again).unwrap();
    again.commit(Durability::Full).unwrap();
}
