//! A restart with an allocation map that cannot be read: what does not need the map is there, and what does says 823 or 824.

use std::sync::Arc;

use taffrail_base::PageId;
use taffrail_storage::lock::LockMode;
use taffrail_storage::{
    CheckpointKind, Database, Durability, Growth, ScanLocks, StorageResult, btree,
};

use crate::rig;

use rig::{MB, Rig, TREE, begin, begin_as, count};

const ROWS: u64 = 500;

fn rig(seed: u64) -> Rig {
    let rig = Rig::new(seed).frames(1024).data(2 * MB, Growth::Bytes(MB));
    rig.log(2 * MB, Growth::Bytes(MB)).log_max(64 * MB)
}

fn insert(db: &Arc<Database>, keys: std::ops::Range<u64>) -> StorageResult<()> {
    let tree = db.hobt(TREE)?;
    let mut tx = begin(db);
    tx.lock_object(tree.object(), LockMode::IX)?;
    for key in keys {
        btree::insert(&mut tx, &tree, &key.to_be_bytes(), &[1; 400])?;
    }
    tx.commit(Durability::Full)
}

fn row(db: &Arc<Database>, key: u64) -> Vec<u8> {
    let tree = db.hobt(TREE).unwrap();
    let (mut tx, mut row) = (begin(db), Vec::new());
    btree::get(&mut tx, &tree, &key.to_be_bytes(), ScanLocks::None, &mut row).unwrap();
    row
}

/// Rows that are changed where they are: no record touches a map.
fn update(db: &Arc<Database>) {
    let tree = db.hobt(TREE).unwrap();
    let mut tx = begin(db);
    tx.lock_object(tree.object(), LockMode::IX).unwrap();
    for key in (0..ROWS).step_by(7) {
        btree::update(&mut tx, &tree, &key.to_be_bytes(), &[2; 400]).unwrap();
    }
    tx.commit(Durability::Full).unwrap();
}

/// The PFS page of the file's first part.
const PFS: PageId = PageId::new(1, 1);

#[test]
fn a_pfs_page_that_cannot_be_read_stops_no_restart() {
    for (loser, damaged) in [(false, true), (true, true), (false, false), (true, false)] {
        let what = format!("loser {loser}, damaged {damaged}");
        let rig = rig(1);
        let db = rig.create();
        insert(&db, 0..ROWS).unwrap();
        db.checkpoint(CheckpointKind::Manual).unwrap();
        // The double-write region has other pages from now on.
        update(&db);
        db.checkpoint(CheckpointKind::Manual).unwrap();
        update(&db);
        let tree = db.hobt(TREE).unwrap();
        let mut open = begin_as(&db, 52);
        if loser {
            open.lock_object(tree.object(), LockMode::IX).unwrap();
            btree::update(&mut open, &tree, &1u64.to_be_bytes(), &[3; 400]).unwrap();
            db.log().flush(taffrail_log::FlushReason::Request).unwrap();
        }
        rig.lose_power((open, tree, db));
        let path = rig.data.path.clone();
        match damaged {
            true => rig.world.flip_bit(&path, PFS.file_offset() + 5000, 1).unwrap(),
            false => {
                let at = PFS.file_offset();
                rig.world.make_unreadable(&path, at..at + 4096).unwrap();
            }
        }
        let db = rig.recover().unwrap_or_else(|e| panic!("{what}: {e}"));
        assert_eq!(count(&db, TREE, ScanLocks::ReadCommitted).unwrap(), ROWS, "{what}");
        assert_eq!((row(&db, 0)[0], row(&db, 1)[0]), (2, 1), "{what}");
        update(&db);
        let refused = insert(&db, ROWS..2 * ROWS).unwrap_err().to_sql().number;
        assert_eq!(refused, if damaged { 824 } else { 823 }, "{what}");
    }
}
