//! A read that fails is tried again: four times in all. One that succeeds then is told to the error log (825); one
//! that does not is 823, and
//! the page one of msdb's suspect pages.

use std::sync::Arc;

use taffrail_base::PageId;
use taffrail_io::sim::{Fault, FaultKind, IoKind};
use taffrail_observe::{Event, EventRing};
use taffrail_storage::lock::LockMode;
use taffrail_storage::{Database, Durability, Growth, ScanLocks, StorageError, btree};

use crate::rig;

use rig::{MB, Rig, TREE, begin, count};

fn rig(seed: u64, name: &str) -> Rig {
    let rig = Rig::new(seed).named(name).frames(64).data(2 * MB, Growth::Bytes(MB));
    rig.log(MB, Growth::Bytes(MB)).log_max(64 * MB)
}

const ROWS: u64 = 3000;

/// A database with more rows than its pool holds, opened anew.
fn filled(rig: &Rig) -> Arc<Database> {
    let db = rig.create();
    let tree = db.hobt(TREE).unwrap();
    let mut tx = begin(&db);
    tx.lock_object(tree.object(), LockMode::IX).unwrap();
    for i in 0..ROWS {
        btree::insert(&mut tx, &tree, &i.to_be_bytes(), &[i as u8; 400]).unwrap();
    }
    tx.commit(Durability::Full).unwrap();
    drop(tree);
    db.close().unwrap();
    rig.open()
}

fn fail_reads(rig: &Rig, times: u64) {
    for nth in 1..=times {
        rig.world.inject(Fault {
            nth,
            kind: Some(IoKind::Read),
            path_contains: rig.data.path.to_str().unwrap().into(),
            fault: FaultKind::Io,
            sticky: false,
        });
    }
}

/// The texts of 825 about a file.
fn told(rig: &Rig) -> Vec<String> {
    let path = rig.data.path.display().to_string();
    let events = EventRing::global().read_after(0).into_iter();
    let texts = events.filter_map(|r| match r.event {
        Event::Raised { number: 825, severity: 10, text, .. } => Some(text),
        _ => None,
    });
    texts.filter(|t| t.contains(&path)).collect()
}

#[test]
fn a_read_that_fails_three_times_and_then_succeeds_is_told_and_no_error() {
    for times in 1..4 {
        let rig = rig(times, &format!("retried{times}"));
        let db = filled(&rig);
        fail_reads(&rig, times);
        assert_eq!(count(&db, TREE, ScanLocks::ReadCommitted).unwrap(), ROWS);
        let told = told(&rig);
        assert_eq!(told.len(), 1, "{told:?}");
        let what =
            format!("succeeded after failing {times} time(s) with error: 5(Input/output error)");
        assert!(told[0].contains(&what), "{told:?}");
        assert!(db.take_suspect_pages().is_empty());
    }
}

#[test]
fn a_read_that_fails_four_times_is_823_and_a_suspect_page() {
    let rig = rig(9, "unread");
    let db = filled(&rig);
    fail_reads(&rig, 4);
    let error = count(&db, TREE, ScanLocks::ReadCommitted).unwrap_err();
    assert!(matches!(error, StorageError::Io(_)), "{error}");
    assert_eq!((error.to_sql().number, error.to_sql().severity), (823, 24));
    assert_eq!(told(&rig), [""; 0]);
    let pages = db.take_suspect_pages();
    assert!(pages.len() == 1 && !pages[0].checksum && pages[0].times == 1, "{pages:?}");
    // The device gives it again.
    assert_eq!(count(&db, TREE, ScanLocks::ReadCommitted).unwrap(), ROWS);
}

#[test]
fn a_damaged_page_is_read_four_times_before_it_is_824() {
    let rig = rig(10, "damaged");
    let db = filled(&rig);
    rig.world.flip_bit(&rig.data.path, 200 * 8192 + 1234, 3).unwrap();
    let before = db.counters().data_reads.get();
    let error = count(&db, TREE, ScanLocks::ReadCommitted).unwrap_err();
    assert_eq!(error.to_sql().number, 824);
    assert!(db.counters().data_reads.get() >= before + 4);
    let pages = db.take_suspect_pages();
    assert_eq!((pages.len(), pages[0].page, pages[0].times), (1, PageId::new(1, 200), 1));
}

/// A restart reads much at once: what fails then is read page by page.
#[test]
fn a_restart_gets_over_reads_that_fail() {
    for nth in 1..40 {
        let rig = rig(nth, &format!("restart{nth}"));
        let db = filled(&rig);
        let tree = db.hobt(TREE).unwrap();
        let mut tx = begin(&db);
        tx.lock_object(tree.object(), LockMode::IX).unwrap();
        for i in (0..ROWS).step_by(10) {
            btree::update(&mut tx, &tree, &i.to_be_bytes(), b"changed").unwrap();
        }
        tx.commit(Durability::Full).unwrap();
        rig.lose_power((tree, db));
        rig.world.inject(Fault {
            nth,
            kind: Some(IoKind::Read),
            path_contains: rig.data.path.to_str().unwrap().into(),
            fault: FaultKind::Io,
            sticky: false,
        });
        let db = rig.open();
        assert_eq!(count(&db, TREE, ScanLocks::ReadCommitted).unwrap(), ROWS, "{nth}");
    }
}
