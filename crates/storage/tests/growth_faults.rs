//! Data files that grow, and what is left of it when the log is full, the disk fails, the power goes or the process is killed.

use std::sync::Arc;

use taffrail_base::FileId;
use taffrail_io::sim::{Fault, FaultKind, IoKind};
use taffrail_storage::lock::LockMode;
use taffrail_storage::{
    CheckpointKind, Database, DatabaseState, Durability, Growth, ScanLocks, StorageError,
    Transaction, btree, heap,
};

use crate::rig;

use rig::{MB, Rig, TREE, begin, make};

/// With this size a file has a second PFS page, page 8,088.
const TWO_PFS_PAGES: u64 = 72 * MB;

fn rig(seed: u64, frames: u64) -> Rig {
    let rig = Rig::new(seed).frames(frames).data(2 * MB, Growth::Bytes(MB));
    rig.log(8 * MB, Growth::Bytes(MB)).log_max(64 * MB)
}

/// With a log of 1 MB that does not grow.
fn small_log(seed: u64, frames: u64) -> Rig {
    rig(seed, frames).log(MB, Growth::Bytes(MB)).log_max(MB)
}

fn put(db: &Arc<Database>, tx: &mut Transaction, key: u64, len: usize) -> Result<(), StorageError> {
    let tree = db.hobt(TREE)?;
    tx.lock_object(tree.object(), LockMode::IX)?;
    btree::insert(tx, &tree, &key.to_be_bytes(), &vec![key as u8; len])
}

fn insert(db: &Arc<Database>, keys: std::ops::Range<u64>, len: usize) -> Result<(), StorageError> {
    let mut tx = begin(db);
    for key in keys {
        if let Err(e) = put(db, &mut tx, key, len) {
            tx.rollback()?;
            return Err(e);
        }
    }
    tx.commit(Durability::Full)
}

fn count(db: &Arc<Database>) -> u64 {
    rig::count(db, TREE, ScanLocks::None).unwrap()
}

/// Inserts rows of a page each until the pages of the second PFS page are in use.
fn fill_past_second_pfs_page(db: &Arc<Database>) {
    let mut key = 1 << 32;
    while db.files()[0].used < 8_200 * 8192 {
        insert(db, key..key + 64, 7000).unwrap();
        db.checkpoint(CheckpointKind::Manual).unwrap();
        key += 64;
    }
}

fn is_suspect(db: &Database) -> bool {
    matches!(db.state(), DatabaseState::Suspect(_))
}

fn full_disk(kind: IoKind) -> Fault {
    Fault {
        nth: 1,
        kind: Some(kind),
        path_contains: "t.mdf".into(),
        fault: FaultKind::Full,
        sticky: false,
    }
}

#[test]
fn a_file_made_larger_stays_so_and_can_be_filled_after_a_power_loss() {
    let rig = rig(1, 4096);
    let db = rig.create();
    insert(&db, 0..10, 400).unwrap();
    db.grow_data_file(FileId(1), TWO_PFS_PAGES).unwrap();
    rig.lose_power(db);
    let db = rig.open();
    assert_eq!(db.files()[0].size, TWO_PFS_PAGES);
    fill_past_second_pfs_page(&db);
}

#[test]
fn a_power_loss_at_any_moment_of_a_growth_leaves_a_file_that_opens() {
    let mut larger = 0;
    for at in 1..=24 {
        let rig = rig(at, 4096);
        let db = rig.create();
        insert(&db, 0..10, 400).unwrap();
        rig.world.crash_at(at);
        let grown = db.grow_data_file(FileId(1), TWO_PFS_PAGES).is_ok();
        let checked = grown && db.checkpoint(CheckpointKind::Manual).is_ok();
        rig.lose_power(db);
        let db = rig.open();
        let size = db.files()[0].size;
        assert!(size == 2 * MB || size == TWO_PFS_PAGES, "{at}: {size}");
        assert!(
            !(grown || checked) || size == TWO_PFS_PAGES,
            "{at}: what was said to be done is undone"
        );
        larger += u64::from(size == TWO_PFS_PAGES);
        db.grow_data_file(FileId(1), TWO_PFS_PAGES).unwrap();
        assert_eq!(count(&db), 10);
    }
    assert!(larger > 0);
}

#[test]
fn a_growth_that_the_full_log_stops_leaves_the_size_as_it_was() {
    let mut stopped = 0;
    for left in 0..24u64 {
        let rig = small_log(3, 4096);
        let db = rig.create();
        insert(&db, 0..10, 400).unwrap();
        db.checkpoint(CheckpointKind::Manual).unwrap();
        let mut hog = begin(&db);
        let mut key = 1000;
        while put(&db, &mut hog, key, 100).is_ok() {
            key += 1;
            let space = db.log().space();
            if space.free < space.reserved * 9 / 8 + 32_000 + left * 1024 {
                break;
            }
        }
        let size = db.files()[0].size;
        let grown = db.grow_data_file(FileId(1), TWO_PFS_PAGES);
        hog.rollback().unwrap();
        match grown {
            Ok(()) => {
                assert_eq!(db.files()[0].size, TWO_PFS_PAGES);
                continue;
            }
            Err(StorageError::LogFull(_)) => assert_eq!(db.files()[0].size, size),
            Err(e) => panic!("{left}: {e}"),
        }
        stopped += 1;
        insert(&db, 10..11, 100).unwrap();
        db.checkpoint(CheckpointKind::Manual).unwrap();
        db.grow_data_file(FileId(1), TWO_PFS_PAGES).unwrap();
        rig.lose_power(db);
        let db = rig.open();
        assert_eq!(db.files()[0].size, TWO_PFS_PAGES);
        assert_eq!(count(&db), 11);
        if stopped == 1 {
            fill_past_second_pfs_page(&db);
        }
    }
    assert!(stopped > 0, "the log was never too full");
}

#[test]
fn a_failed_sync_of_a_growth_stops_the_database() {
    for by_hand in [true, false] {
        for fault in [FaultKind::Io, FaultKind::Full] {
            let rig = rig(8, 64);
            let db = rig.create();
            insert(&db, 0..3000, 400).unwrap();
            let failing = Fault { fault, ..full_disk(IoKind::Sync) };
            rig.world.inject(failing);
            let grown = if by_hand {
                db.grow_data_file(FileId(1), 16 * MB)
            } else {
                (0..20).try_for_each(|i| insert(&db, 5000 + i * 100..5100 + i * 100, 4000))
            };
            assert!(grown.is_err());
            assert!(is_suspect(&db), "the sync said that pages may be lost: {grown:?}");
            assert!(db.checkpoint(CheckpointKind::Manual).is_err());
            assert!(insert(&db, 9000..9001, 10).is_err());
            rig.lose_power(db);
            let n = count(&rig.frames(4096).open());
            assert!(n >= 3000 && (n - 3000).is_multiple_of(100), "{n}");
        }
    }
}

#[test]
fn a_disk_without_room_for_a_growth_is_no_reason_to_stop() {
    let rig = rig(9, 256);
    let db = rig.create();
    insert(&db, 0..100, 400).unwrap();
    rig.world.inject(full_disk(IoKind::Allocate));
    match db.grow_data_file(FileId(1), 16 * MB) {
        Err(StorageError::Sql(e)) => assert_eq!(e.number, 5149),
        other => panic!("{other:?}"),
    }
    rig.world.inject(full_disk(IoKind::Allocate));
    let mut key = 1000;
    let refused = loop {
        match insert(&db, key..key + 50, 4000) {
            Ok(()) => key += 50,
            Err(e) => break e,
        }
    };
    assert!(matches!(refused, StorageError::FileFull(_)), "{refused}");
    assert_eq!(db.state(), DatabaseState::Online);
    insert(&db, key..key + 50, 4000).unwrap();
    db.checkpoint(CheckpointKind::Manual).unwrap();
}

/// Commits an update whose page is written but not synced, kills the process, restarts, takes a checkpoint, then loses power.
#[test]
fn what_a_killed_process_left_unsynced_is_made_durable_before_it_is_relied_on() {
    for seed in 0..6 {
        let rig = rig(seed, 64);
        let db = rig.create();
        insert(&db, 0..3000, 400).unwrap();
        db.checkpoint(CheckpointKind::Manual).unwrap();
        let key = 1500u64.to_be_bytes();
        {
            let tree = db.hobt(TREE).unwrap();
            let mut tx = begin(&db);
            tx.lock_object(tree.object(), LockMode::IX).unwrap();
            btree::update(&mut tx, &tree, &key, &[0xEE; 400]).unwrap();
            tx.commit(Durability::Full).unwrap();
        }
        for _ in 0..6 {
            assert_eq!(count(&db), 3000);
            db.instance().lazy_writer_tick();
        }
        // The process is no more; what it wrote is in the system's cache.
        std::mem::forget(db);
        let value = |db: &Arc<Database>| {
            let tree = db.hobt(TREE).unwrap();
            let (mut tx, mut value) = (begin(db), Vec::new());
            btree::get(&mut tx, &tree, &key, ScanLocks::None, &mut value).unwrap();
            value[0]
        };
        let db = rig.open();
        assert_eq!(value(&db), 0xEE);
        db.checkpoint(CheckpointKind::Manual).unwrap();
        rig.lose_power(db);
        let db = rig.open();
        assert_eq!(value(&db), 0xEE, "seed {seed}");
    }
}

/// Pages that a dropped heap has left, dirty, are given to another whose transaction then finds the log full.
#[test]
fn a_page_taken_again_without_a_format_record_does_not_hide_its_earlier_changes() {
    let mut refused = 0;
    for left in 0..60u64 {
        let rig = small_log(4, 1024);
        let db = rig.create();
        let (old, new) = (make(&db, 101, 0), make(&db, 102, 0));
        for (id, rows) in [(old, 30), (new, 1)] {
            let mut tx = begin(&db);
            for _ in 0..rows {
                heap::insert(&mut tx, &db.hobt(id).unwrap(), &[1; 7000]).unwrap();
            }
            tx.commit(Durability::Full).unwrap();
        }
        let mut tx = begin(&db);
        db.drop_hobt(&mut tx, old).unwrap();
        tx.commit(Durability::Full).unwrap();
        let mut hog = begin(&db);
        let mut key = 1000;
        while put(&db, &mut hog, key, 20 + (left as usize * 37) % 200).is_ok() {
            key += 1;
            let space = db.log().space();
            if space.free < space.reserved * 9 / 8 + 33_000 + (left * 613) % 8192 {
                break;
            }
        }
        let target = db.hobt(new).unwrap();
        let mut tx = begin(&db);
        let stopped = (0..12).find_map(|_| heap::insert(&mut tx, &target, &[2; 7000]).err());
        refused += u64::from(matches!(stopped, Some(StorageError::LogFull(_))));
        tx.rollback().unwrap();
        hog.rollback().unwrap();
        rig.world.crash_at(3 + left % 5);
        // It is to be cut off anywhere between the first page and the new boot page.
        let _ = db.checkpoint(CheckpointKind::Manual);
        rig.lose_power((target, db));
        let db = rig.open();
        let mut tx = begin(&db);
        let mut scan = heap::scan(&db.hobt(new).unwrap(), ScanLocks::None);
        let mut rows = 0;
        while scan.next(&mut tx).unwrap().is_some() {
            rows += 1;
        }
        assert_eq!(rows, 1);
    }
    assert!(refused > 0, "the log was never full");
}
