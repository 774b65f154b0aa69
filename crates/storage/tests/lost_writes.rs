//! A device that says it has written a page and has not, or has written it somewhere else.
//!
//! A page that lies in another's place is noticed when it is read: pages say which they are. A page without its changes is made good by
//! redo as long as the log has them; if it was read and changed again before, redo notices that the newer record was made without them.
//! An older version of a page that lies in its own place, whole, behind a checkpoint that was completed, is a page like any other: nothing
//! else says what its LSN should be.

use std::sync::Arc;

use taffrail_base::HobtId;
use taffrail_io::sim::{Fault, FaultKind, IoKind};
use taffrail_storage::lock::LockMode;
use taffrail_storage::{
    CheckpointKind, Database, Durability, Growth, ScanLocks, StorageResult, btree,
};

use crate::rig;

use rig::{MB, Rig, begin, make};

const ROWS: u64 = 500;

/// Gives every row a value.
fn write(db: &Arc<Database>, id: HobtId, value: u8) -> StorageResult<()> {
    let tree = db.hobt(id)?;
    for first in (0..ROWS).step_by(20) {
        let mut tx = begin(db);
        tx.lock_object(tree.object(), LockMode::IX)?;
        // Here and there, so that pages are not written in long runs.
        for n in (first..first + 20).map(|n| n * 211 % ROWS) {
            let mut row = vec![value; 1500];
            row[..8].copy_from_slice(&n.to_be_bytes());
            match value {
                0 => btree::insert(&mut tx, &tree, &n.to_be_bytes(), &row)?,
                _ => btree::update(&mut tx, &tree, &n.to_be_bytes(), &row)?,
            }
        }
        tx.commit(Durability::Full)?;
    }
    Ok(())
}

/// What reading all rows shows: rows with an older value. An error: it was noticed.
fn older(db: &Arc<Database>, id: HobtId, value: u8) -> StorageResult<u64> {
    let (tree, mut tx) = (db.hobt(id)?, begin(db));
    let (mut older, mut row) = (0, Vec::new());
    for n in 0..ROWS {
        if !btree::get(&mut tx, &tree, &n.to_be_bytes(), ScanLocks::None, &mut row)? {
            older += 1;
            continue;
        }
        let own = row[..8] == n.to_be_bytes() && row[8..].iter().all(|b| *b == row[8]);
        assert!(own && row[8] <= value, "row {n} is something that it never was");
        older += u64::from(row[8] != value);
    }
    Ok(older)
}

#[derive(Default, Debug)]
struct Seen {
    struck: u64,
    right: u64,
    noticed: u64,
    older: u64,
}

/// `checkpoint`: one is completed after the write, so that the log is let go of. False: there is no such write.
fn one(fault: FaultKind, nth: u64, checkpoint: bool, seen: &mut Seen) -> bool {
    let rig = Rig::new(nth).dir_synced().frames(64).data(4 * MB, Growth::Bytes(MB));
    let rig = rig.log(4 * MB, Growth::Bytes(MB));
    let db = rig.create();
    let id = make(&db, 1000, 1);
    write(&db, id, 0).unwrap();
    db.checkpoint(CheckpointKind::Manual).unwrap();
    let path_contains = ".mdf".to_owned();
    rig.world.inject(Fault { nth, kind: Some(IoKind::Write), path_contains, fault, sticky: false });
    let work = || -> StorageResult<()> {
        write(&db, id, 1)?;
        if checkpoint {
            db.checkpoint(CheckpointKind::Manual)?;
        }
        Ok(())
    };
    let worked = work();
    if rig.world.stats().faults == 0 {
        return false;
    }
    seen.struck += 1;
    rig.lose_power(db);
    let read = worked.and_then(|()| rig.restart()).and_then(|(db, _)| older(&db, id, 1));
    match read {
        Ok(0) => seen.right += 1,
        Ok(n) => {
            assert!(checkpoint, "write {nth}, {fault:?}: {n} rows are older; the log has them");
            seen.older += 1;
        }
        Err(_) => seen.noticed += 1,
    }
    true
}

fn all(fault: FaultKind, checkpoint: bool) -> Seen {
    let mut seen = Seen::default();
    // Early ones, whose pages are read and changed again, and then some to the end: the last are of pages that nobody reads any more.
    let all = (1..60).chain((60..).step_by(5));
    let struck = all.take_while(|&nth| one(fault, nth, checkpoint, &mut seen)).count();
    assert_eq!(struck as u64, seen.struck);
    eprintln!("{fault:?}, a checkpoint afterwards: {checkpoint}: {seen:?}");
    assert!(seen.struck > 20, "{seen:?}");
    seen
}

#[test]
fn a_lost_write_is_made_good_or_noticed_while_the_log_has_it() {
    let seen = all(FaultKind::Lost, false);
    assert!(seen.right > 0 && seen.noticed > 0 && seen.older == 0, "{seen:?}");
}

#[test]
fn a_misdirected_write_is_noticed() {
    let (log, no_log) = (all(FaultKind::Misdirected, false), all(FaultKind::Misdirected, true));
    assert_eq!(log.older, 0);
    assert!(no_log.noticed > 5, "{no_log:?}");
}

/// What nothing notices: docs/engineering/reliability.md says so, and why.
#[test]
fn a_lost_write_behind_a_checkpoint_leaves_an_older_page() {
    let seen = all(FaultKind::Lost, true);
    assert!(seen.older > 0, "it is noticed now: {seen:?}");
}
