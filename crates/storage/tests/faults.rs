//! What goes wrong goes wrong in the right way: full log, full file, damaged page, failing device, damaged boot page, a creation without
//! room; and tempdb, which nothing of this outlives.

use std::path::Path;
use std::sync::Arc;

use taffrail_base::{DatabaseId, FileId, PageId};
use taffrail_io::sim::{Fault, FaultKind, IoKind};
use taffrail_storage::lock::LockMode;
use taffrail_storage::{
    CheckpointKind, CreateSpec, Database, DatabaseState, Durability, FileKind, Growth, ScanLocks,
    StorageError, btree, heap,
};

use crate::rig;

use rig::{MB, Rig, TREE, begin, make};

/// Database 5, `t`; others of its world have another number and name.
fn rig(seed: u64) -> Rig {
    let rig = Rig::new(seed).frames(64).data(2 * MB, Growth::Bytes(MB));
    rig.log(MB, Growth::Bytes(MB)).log_max(64 * MB)
}

fn insert(db: &Arc<Database>, range: std::ops::Range<u64>) -> Result<(), StorageError> {
    let tree = db.hobt(TREE)?;
    let mut tx = begin(db);
    tx.lock_object(tree.object(), LockMode::IX)?;
    for i in range {
        if let Err(e) = btree::insert(&mut tx, &tree, &i.to_be_bytes(), &[i as u8; 400]) {
            tx.rollback()?;
            return Err(e);
        }
    }
    tx.commit(Durability::Full)
}

fn count(db: &Arc<Database>) -> Result<u64, StorageError> {
    rig::count(db, TREE, ScanLocks::ReadCommitted)
}

#[test]
fn a_full_log_fails_the_statement_and_a_checkpoint_heals_it() {
    let rig = rig(1).log_max(MB);
    let inst = rig.instance();
    let db = rig.create_in(&inst).unwrap();
    insert(&db, 0..100).unwrap();
    let error = insert(&db, 1000..9000).unwrap_err();
    assert!(matches!(error, StorageError::LogFull(_)), "{error:?}");
    let message = error.to_sql();
    assert_eq!((message.number, message.severity), (9002, 17));
    assert!(message.message.contains("full due to 'ACTIVE_TRANSACTION'"), "{}", message.message);
    assert_eq!(count(&db).unwrap(), 100);
    assert_eq!(db.state(), DatabaseState::Online);
    for round in 0..20 {
        if db.needs_checkpoint() {
            db.checkpoint(CheckpointKind::LogUse).unwrap();
        }
        insert(&db, 10_000 + round * 300..10_000 + (round + 1) * 300).unwrap();
    }
    assert_eq!(count(&db).unwrap(), 6100);
    db.close().unwrap();
    let (db, report) = rig.open_in(&inst).unwrap();
    assert_eq!((count(&db).unwrap(), report.rolled_back), (6100, 0));
}

#[test]
fn a_full_file_fails_the_statement() {
    let db = rig(2).data_max(4 * MB).create();
    let error = insert(&db, 0..20_000).unwrap_err();
    assert_eq!((error.to_sql().number, error.to_sql().severity), (1101, 17), "{error:?}");
    assert_eq!(count(&db).unwrap(), 0);
    insert(&db, 0..500).unwrap();
    db.alter_data_file(FileId(1), None, None, Some(Some(20 << 20))).unwrap();
    insert(&db, 1000..20_000).unwrap();
    assert_eq!(count(&db).unwrap(), 19_500);
    let files = db.files();
    assert!(files[0].kind == FileKind::Rows && files[0].used <= files[0].size);
    assert!(files[0].size > 4 << 20 && files[1].name == "t_log.ldf");
    // Dropping gives it back.
    let id = make(&db, 9, 0);
    let used = db.files()[0].used;
    let heap = db.hobt(id).unwrap();
    let mut tx = begin(&db);
    for _ in 0..1000 {
        heap::insert(&mut tx, &heap, &[1; 1000]).unwrap();
    }
    tx.commit(Durability::Full).unwrap();
    let now = db.files()[0].used;
    assert!(now >= used + (1 << 20), "{used} {now} {:?}", db.space_used(id));
    assert!(db.space_used(id).unwrap().used_pages >= 125);
    let mut tx = begin(&db);
    db.drop_hobt(&mut tx, id).unwrap();
    tx.commit(Durability::Full).unwrap();
    assert_eq!(db.files()[0].used, used);
    assert!(db.hobt(id).is_err());
}

#[test]
fn a_damaged_page_is_named_and_the_rest_stays_readable() {
    let rig = rig(3);
    let inst = rig.instance();
    let db = rig.create_in(&inst).unwrap();
    let other = rig.clone().id(6).named("u").create_in(&inst).unwrap();
    insert(&db, 0..3000).unwrap();
    insert(&other, 0..10).unwrap();
    db.close().unwrap();
    // A leaf in the middle of the file.
    rig.world.flip_bit(&rig.data.path, 200 * 8192 + 1234, 3).unwrap();
    let (db, _) = rig.open_in(&inst).unwrap();
    let error = count(&db).unwrap_err();
    let message = error.to_sql();
    assert_eq!((message.number, message.severity, message.state), (824, 24, 2));
    assert!(message.message.contains("(1:200)"), "{}", message.message);
    assert!(message.message.contains("incorrect checksum"), "{}", message.message);
    let tree = db.hobt(TREE).unwrap();
    let mut value = Vec::new();
    let mut tx = begin(&db);
    let key = 2999u64.to_be_bytes();
    assert!(btree::get(&mut tx, &tree, &key, ScanLocks::ReadCommitted, &mut value).unwrap());
    assert_eq!(db.state(), DatabaseState::Online);
    assert_eq!(count(&other).unwrap(), 10);
}

#[test]
fn a_failing_device_stops_one_database() {
    for (path, kind) in
        [("t.mdf", IoKind::Write), ("t.mdf", IoKind::Sync), ("t_log", IoKind::WriteDurable)]
    {
        let rig = rig(4);
        let inst = rig.instance();
        let db = rig.create_in(&inst).unwrap();
        let other = rig.clone().id(6).named("u").create_in(&inst).unwrap();
        insert(&db, 0..200).unwrap();
        rig.world.inject(Fault {
            nth: 1,
            kind: Some(kind),
            path_contains: path.into(),
            fault: FaultKind::Io,
            sticky: false,
        });
        assert!(
            insert(&db, 500..510).and_then(|()| db.checkpoint(CheckpointKind::Manual)).is_err()
        );
        assert!(matches!(db.state(), DatabaseState::Suspect(_)), "{kind:?}");
        let error = insert(&db, 600..601).unwrap_err();
        assert!(matches!(error.to_sql().number, 926 | 9001), "{error:?}");
        insert(&other, 0..100).unwrap();
        other.checkpoint(CheckpointKind::Manual).unwrap();
        assert_eq!(count(&other).unwrap(), 100);
        rig.world.clear_faults();
        db.close().unwrap();
        drop(db);
        let (db, _) = rig.open_in(&inst).unwrap();
        let n = count(&db).unwrap();
        assert!(n == 200 || n == 210, "{kind:?}: {n}");
    }
}

#[test]
fn one_boot_page_is_enough_and_none_is_too_few() {
    let rig = rig(5);
    let (world, path) = (&rig.world, rig.data.path.as_path());
    let inst = rig.instance();
    let db = rig.create_in(&inst).unwrap();
    insert(&db, 0..50).unwrap();
    db.checkpoint(CheckpointKind::Manual).unwrap();
    insert(&db, 50..100).unwrap();
    db.checkpoint(CheckpointKind::Manual).unwrap();
    db.close().unwrap();
    for number in [9, 10] {
        world.flip_bit(path, PageId::new(1, number).file_offset() + 120, 1).unwrap();
        let opened = rig.open_in(&inst);
        if number == 9 {
            let (db, _) = opened.unwrap();
            assert_eq!(count(&db).unwrap(), 100);
            // No checkpoint on the way out, which would write the damaged copy anew.
            db.mark_suspect("test");
            db.close().unwrap();
            // Restart has written the other copy; make both bad.
            world.flip_bit(path, PageId::new(1, 9).file_offset() + 121, 1).unwrap();
        } else {
            let error = opened.err().unwrap();
            assert_eq!(error.to_sql().number, 824, "{error:?}");
        }
    }
    world.flip_bit(path, 96, 1).unwrap();
    let error = rig.open_in(&inst).err().unwrap();
    assert_eq!(error.to_sql().number, 5171);
}

#[test]
fn creating_fails_cleanly() {
    let rig = rig(6);
    let world = &rig.world;
    let inst = rig.instance();
    let db = rig.create_in(&inst).unwrap();
    let again = rig.clone().id(6).create_in(&inst);
    assert_eq!(again.err().unwrap().to_sql().number, 5170);
    insert(&db, 0..10).unwrap();
    world.set_capacity(4 << 20);
    let other = rig.clone().id(7).named("v");
    let full = other.create_in(&inst);
    assert!(full.is_err());
    world.set_capacity(u64::MAX);
    assert!(!world.env().disk.exists(Path::new("/data/v.mdf")).unwrap());
    other.create_in(&inst).unwrap();
    assert_eq!(count(&db).unwrap(), 10);
}

#[test]
fn tempdb_is_made_anew_and_never_waits_for_the_disk() {
    let rig = rig(7).named("tempdb");
    let inst = rig.instance();
    let temporary = CreateSpec { temporary: true, ..rig.spec() };
    for _ in 0..2 {
        let db = Database::create(&inst, DatabaseId(2), "tempdb", &temporary).unwrap();
        let before = rig.world.stats().syncs;
        for i in 0..20 {
            insert(&db, i * 10..(i + 1) * 10).unwrap();
            assert!(insert(&db, i * 10..i * 10 + 1).is_err());
        }
        assert_eq!(rig.world.stats().syncs, before);
        assert_eq!(count(&db).unwrap(), 200);
        db.checkpoint(CheckpointKind::LogUse).unwrap();
        db.close().unwrap();
    }
}
