//! Entries of the directory with the longest tail: whoever has filled the log with them rolls back, on a disk without a free byte.

use super::*;
use crate::DatabaseState;
use crate::access::directory::Entry;
use crate::error::StorageResult;
use crate::lock::LockMode;

/// Makes a tree with a row, whose entry has a tail.
fn one(tx: &mut Transaction, object: ObjectId) -> StorageResult<()> {
    tx.lock_object(object, LockMode::SchM)?;
    let db = tx.database().clone();
    let id = HobtId(db.next_hobt.fetch_add(1, Ordering::Relaxed));
    let new = Entry::new(HobtKind::BTree, object, IndexId(1));
    let entry = Entry { tail: [7; 255].into(), ..new };
    directory::insert(&db, tx.parts().1, id, &entry)?;
    let tree = db.hobt(id)?;
    btree::insert(tx, &tree, b"k", b"v")
}

#[test]
fn trees_with_tails_that_filled_the_log_roll_back() {
    for (seed, crash) in [(1, false), (2, true)] {
        let rig = Rig::new(seed).dir_synced().frames(4096).data(128 * MB, Growth::None);
        let rig = rig.log(MB, Growth::None).log_max(MB);
        let mut db = rig.create();
        let before = db.hobts().unwrap().len();
        db.checkpoint(CheckpointKind::Manual).unwrap();
        rig.world.set_capacity(db.files().iter().map(|f| f.size).sum());
        let mut tx = begin(&db);
        let mut made = 0;
        loop {
            let mark = tx.savepoint();
            if let Err(e) = one(&mut tx, ObjectId(2000 + made)) {
                assert!(e.is_want_of_room(), "{e}");
                tx.rollback_to(mark).unwrap();
                break;
            }
            made += 1;
        }
        assert!(made > 100, "{made} trees");
        db.flush_log().unwrap();
        if crash {
            rig.lose_power((tx, db));
            db = rig.open();
        } else {
            tx.rollback().unwrap();
        }
        assert_eq!(db.state(), DatabaseState::Online);
        assert_eq!(db.hobts().unwrap().len(), before);
        db.checkpoint(CheckpointKind::Manual).unwrap();
        make(&db, 9000, 1);
    }
}
