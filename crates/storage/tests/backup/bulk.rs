//! Minimally logged extents: a log backup carries them.

use taffrail_base::{HobtId, IndexId, ObjectId};
use taffrail_storage::backup::BackupKind;
use taffrail_storage::lock::LockMode;
use taffrail_storage::{Database, Durability, HobtKind, OpenSpec, RecoveryModel, ScanLocks, heap};

use super::support::*;

const BAK: &str = "/data/t.bak";

fn load(db: &std::sync::Arc<Database>, heap_id: HobtId, rows: u32, byte: u8) {
    let hobt = db.hobt(heap_id).unwrap();
    let mut tx = begin(db);
    tx.lock_object(hobt.object(), LockMode::X).unwrap();
    let mut load = heap::HeapLoad::open(&hobt);
    for _ in 0..rows {
        load.push(&mut tx, &[byte; 900]).unwrap();
    }
    load.finish(&mut tx).unwrap();
    tx.commit(Durability::Full).unwrap();
}

fn counts(db: &std::sync::Arc<Database>, heap_id: HobtId) -> Vec<(u8, u32)> {
    let hobt = db.hobt(heap_id).unwrap();
    let mut tx = begin(db);
    let mut cursor = heap::scan(&hobt, ScanLocks::None);
    let mut counts = std::collections::BTreeMap::new();
    while let Some((_, row)) = cursor.next(&mut tx).unwrap() {
        assert!(row.len() == 900 && row.iter().all(|b| *b == row[0]));
        *counts.entry(row[0]).or_insert(0) += 1;
    }
    counts.into_iter().collect()
}

#[test]
fn bulk_loads_are_in_the_next_log_backup() {
    for crash in [false, true] {
        let world = world(21);
        let shared = instance(&world);
        let db = create(&shared, RecoveryModel::BulkLogged);
        let mut rows = Rows::new();
        put(&db, &mut rows, 0..200, 1);
        let mut tx = begin(&db);
        let id = db.create_hobt(&mut tx, HobtKind::Heap, ObjectId(900), IndexId(0)).unwrap();
        tx.commit(Durability::Full).unwrap();
        backup(&db, BackupKind::Full, BAK);
        load(&db, id, 700, 3);
        put(&db, &mut rows, 100..300, 2);
        let (db, shared) = if crash {
            world.crash();
            world.restart();
            drop((db, shared));
            let shared = instance(&world);
            let open = OpenSpec { primary: "/data/t.mdf".into() };
            (Database::open(&shared, SOURCE, "t", &open).unwrap().0, shared)
        } else {
            (db, shared)
        };
        let first = backup(&db, BackupKind::Log, BAK);
        assert!(first.header.has_bulk_logged_data && first.pages >= 80, "{crash} {first:?}");
        load(&db, id, 300, 4);
        put(&db, &mut rows, 0..50, 5);
        let diff = backup(&db, BackupKind::Differential, BAK);
        assert!(diff.pages > 110);
        let at_diff = rows.clone();
        put(&db, &mut rows, 60..70, 6);
        assert!(backup(&db, BackupKind::Log, BAK).header.has_bulk_logged_data);
        put(&db, &mut rows, 70..80, 7);
        assert!(!backup(&db, BackupKind::Log, BAK).header.has_bulk_logged_data);
        for way in [&[1u32, 3][..], &[1, 2, 4, 5], &[1, 2, 3, 4, 5]] {
            for (i, &position) in way.iter().enumerate() {
                let log = matches!(position, 2 | 4 | 5);
                let last = i + 1 == way.len();
                let restored = restore(&shared, BAK, position, log, last).unwrap();
                if let Some(copy) = restored.database {
                    assert_eq!(counts(&copy, id), [(3, 700), (4, 300)], "{way:?}");
                    assert_eq!(read(&copy), if position == 3 { &at_diff } else { &rows }.clone());
                    copy.close().unwrap();
                }
            }
        }
        // Only the first load.
        restore(&shared, BAK, 1, false, false).unwrap();
        let copy = restore(&shared, BAK, 2, true, true).unwrap().database.unwrap();
        assert_eq!(counts(&copy, id), [(3, 700)]);
        copy.close().unwrap();
    }
}
