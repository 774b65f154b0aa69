//! What memory is asked for instead of a closed database's file is what the file has.

use crate::rig;

use std::sync::Arc;

use rig::{MB, Rig, TREE, begin, make};
use taffrail_io::OpenSpec as IoSpec;
use taffrail_storage::check::NoRows;
use taffrail_storage::{CheckpointKind, Database, Durability, Growth, OpenSpec, ScanLocks, btree};

const PAGE: usize = 8192;

/// Pages of the file that memory gave, and those that it did not; each that it gave is the file's.
fn compared(frames: u64) -> (usize, usize) {
    let rig =
        Rig::new(3).frames(frames).data(4 * MB, Growth::Bytes(MB)).log(2 * MB, Growth::Bytes(MB));
    let instance = rig.instance();
    let db = rig.create_in(&instance).unwrap();
    let tree = db.hobt(TREE).unwrap();
    let mut tx = begin(&db);
    for key in 0..400_u32 {
        btree::insert(&mut tx, &tree, &key.to_be_bytes(), &[7; 2000]).unwrap();
    }
    for key in 100..200_u32 {
        btree::delete(&mut tx, &tree, &key.to_be_bytes()).unwrap();
    }
    tx.commit(Durability::Full).unwrap();
    let pages = db.close_for_copy().unwrap();
    let file = rig.world.env().disk.open(&rig.data.path, IoSpec::DATA.read_only()).unwrap();
    let (mut given, mut not) = (0, 0);
    let mut there = vec![0; PAGE];
    let mut here = vec![0; PAGE];
    for at in (0..file.len().unwrap()).step_by(PAGE) {
        match pages.read(&rig.data.path, at, &mut here) {
            true => {
                file.read_at(at, &mut there).unwrap();
                assert!(here == there, "page {}", at / PAGE as u64);
                given += 1;
            }
            false => not += 1,
        }
    }
    assert!(!pages.read(std::path::Path::new("/data/other.mdf"), 200 * PAGE as u64, &mut here));
    // All of a run, or nothing; and only whole pages.
    assert!(!pages.read(&rig.data.path, 8 * PAGE as u64, &mut vec![0; PAGE * 150]));
    assert!(!pages.read(&rig.data.path, 200 * PAGE as u64 + 1, &mut here));
    drop(pages);
    // The same machine opens it again: nothing of the closed one is taken for its own.
    let (db, _) = rig.open_in(&instance).unwrap();
    assert_eq!(rig::count(&db, TREE, ScanLocks::None).unwrap(), 300);
    (given, not)
}

#[test]
fn memory_gives_what_the_file_has() {
    let (given, _) = compared(2048);
    assert!(given > 80, "{given}");
}

#[test]
fn what_had_to_leave_memory_is_read() {
    let (given, not) = compared(64);
    assert!((1..64).contains(&given) && not > 400, "{given} {not}");
}

#[test]
fn an_opening_over_them_reads_nothing_twice_and_keeps_what_comes_then() {
    let rig =
        Rig::new(4).frames(2048).data(4 * MB, Growth::Bytes(MB)).log(2 * MB, Growth::Bytes(MB));
    let instance = rig.instance();
    let mut db = rig.create_in(&instance).unwrap();
    let mut rows = 0;
    for round in 0..4_u32 {
        let tree = db.hobt(TREE).unwrap();
        let mut tx = begin(&db);
        for key in 0..100 {
            let key = (round * 100 + key).to_be_bytes();
            btree::insert(&mut tx, &tree, &key, &[round as u8; 2000]).unwrap();
            rows += 1;
        }
        tx.commit(Durability::Full).unwrap();
        let pages = db.close_for_copy().unwrap();
        let spec = OpenSpec::of(rig.data.path.clone());
        let read = || instance.pool.counters.page_reads.get();
        let before = read();
        (db, _) = pages.open_again(&rig.name, &spec).unwrap();
        assert_eq!(rig::count(&db, TREE, ScanLocks::None).unwrap(), rows);
        // Maps, of which the writing goes past the pool, are read at each opening.
        assert!(read() - before < 16, "{}", read() - before);
    }
    // What was changed over the pages that stayed is written, and is there after a power cut.
    db.checkpoint(CheckpointKind::Manual).unwrap();
    rig.lose_power(db);
    let db = rig.open();
    assert_eq!(rig::count(&db, TREE, ScanLocks::None).unwrap(), rows);
}

/// Pages that are free and look like a tree's stay in memory with the others: nothing leads to them, and who is given them forgets them.
#[test]
fn freed_pages_that_stay_in_memory_are_nobodys() {
    let rig =
        Rig::new(5).frames(2048).data(4 * MB, Growth::Bytes(MB)).log(2 * MB, Growth::Bytes(MB));
    let instance = rig.instance();
    let mut db = rig.create_in(&instance).unwrap();
    let id = make(&db, 200, 1);
    let sound = |db: &Arc<Database>, wanted: u64| {
        assert_eq!(rig::count(db, id, ScanLocks::None).unwrap(), wanted);
        let findings = db.check_hobt(id, &mut NoRows, &mut || false).unwrap().findings;
        assert!(findings.is_empty(), "{findings:?}");
        let findings = db.check_allocation(&mut || false).unwrap();
        assert!(findings.is_empty(), "{findings:?}");
    };
    for round in 0..3_u8 {
        for rows in [300_u32, 0, 200] {
            let mut tx = begin(&db);
            match rows {
                0 => db.truncate_hobt(&mut tx, id).unwrap(),
                _ => {
                    let tree = db.hobt(id).unwrap();
                    for key in 0..rows {
                        btree::insert(&mut tx, &tree, &key.to_be_bytes(), &[round; 2000]).unwrap();
                    }
                }
            }
            tx.commit(Durability::Full).unwrap();
            let pages = db.close_for_copy().unwrap();
            (db, _) = pages.open_again(&rig.name, &OpenSpec::of(rig.data.path.clone())).unwrap();
            sound(&db, rows.into());
            // The next round begins with nothing.
            if rows == 200 {
                let mut tx = begin(&db);
                db.truncate_hobt(&mut tx, id).unwrap();
                tx.commit(Durability::Full).unwrap();
            }
        }
    }
    rig.lose_power(db);
    sound(&rig.open(), 0);
}
