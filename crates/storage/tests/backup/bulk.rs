//! Minimally logged extents: a log backup carries them.

use taffrail_storage::RecoveryModel;
use taffrail_storage::backup::BackupKind;

use super::support::*;

const BAK: &str = "/data/t.bak";

#[test]
fn bulk_loads_are_in_the_next_log_backup() {
    for crash in [false, true] {
        let (rig, shared, db) = source(21, RecoveryModel::BulkLogged);
        let mut rows = Rows::new();
        put(&db, &mut rows, 0..200, 1);
        let id = make(&db, 900, 0);
        backup(&db, BackupKind::Full, BAK);
        load(&db, id, 700, 3);
        put(&db, &mut rows, 100..300, 2);
        let (shared, db) = if crash {
            rig.lose_power((db, shared));
            reopened(&rig)
        } else {
            (shared, db)
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
                    assert_eq!(counts(&copy, id), [(3, 700), (4, 300)].into(), "{way:?}");
                    assert_eq!(read(&copy), if position == 3 { &at_diff } else { &rows }.clone());
                    copy.close().unwrap();
                }
            }
        }
        // Only the first load.
        restore(&shared, BAK, 1, false, false).unwrap();
        let copy = restore(&shared, BAK, 2, true, true).unwrap().database.unwrap();
        assert_eq!(counts(&copy, id), [(3, 700)].into());
        copy.close().unwrap();
    }
}
