//! Row counts when the directory cannot be read while rows are put back.

use taffrail_io::sim::{Fault, FaultKind, IoKind};

use crate::access::heap;
use crate::database::CheckpointKind;
use crate::layout::DIRECTORY_ROOT;
use crate::lock::LockMode;
use crate::rig::{MB, Rig, begin, make, whole_heap};
use crate::{Durability, Growth};

#[test]
fn an_undo_that_cannot_read_the_directory_does_not_count_wrong() {
    for deletes in [false, true] {
        let rig = Rig::new(1).frames(256).data(2 * MB, Growth::Bytes(MB));
        let rig = rig.log(2 * MB, Growth::Bytes(MB));
        let db = rig.create();
        let id = make(&db, 1000, 0);
        let heap = db.hobt(id).unwrap();
        let mut tx = begin(&db);
        tx.lock_object(heap.object(), LockMode::X).unwrap();
        let row = |n: u8| [n; 100];
        let rids: Vec<_> =
            (0..10).map(|n| heap::insert(&mut tx, &heap, &row(n)).unwrap()).collect();
        tx.commit(Durability::Full).unwrap();
        let mut tx = begin(&db);
        tx.lock_object(heap.object(), LockMode::X).unwrap();
        for (n, rid) in (0..4).zip(rids) {
            match deletes {
                true => assert!(heap::delete(&mut tx, &heap, rid).unwrap()),
                false => drop(heap::insert(&mut tx, &heap, &row(n)).unwrap()),
            }
        }
        // The directory has the count of this moment, and neither it nor what it says is in memory.
        db.checkpoint(CheckpointKind::Manual).unwrap();
        drop(heap);
        db.hobts.write().remove(&id);
        db.pool().forget(&db.store, DIRECTORY_ROOT);
        rig.world.inject(Fault {
            nth: 1,
            kind: Some(IoKind::Read),
            path_contains: "t.mdf".into(),
            fault: FaultKind::Io,
            sticky: true,
        });
        let undone = tx.rollback();
        rig.world.clear_faults();
        if undone.is_ok() {
            assert_eq!(db.hobt(id).unwrap().row_count(), 10, "deletes {deletes}");
        }
        rig.lose_power(db);
        let db = rig.recover().unwrap();
        let rows = whole_heap(&mut begin(&db), &db.hobt(id).unwrap()).unwrap();
        assert_eq!(rows.len(), 10, "deletes {deletes}");
        assert!(undone.is_err(), "it has read what it could not");
    }
}
