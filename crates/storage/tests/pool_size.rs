//! A pool under another target: what lies beyond it goes, nothing is lost, and a larger one fills again.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use taffrail_base::PAGE_BYTES;
use taffrail_storage::lock::LockMode;
use taffrail_storage::{Database, Durability, Growth, ScanLocks, btree};

use crate::rig;

use rig::{MB, Rig, TREE, begin, count};

const ROWS: u64 = 4500;
const FRAMES: u64 = 4096;

/// Gives rows a value; a row fills a third of a page.
fn put(db: &Arc<Database>, keys: impl Iterator<Item = u64>, byte: u8) {
    let tree = db.hobt(TREE).unwrap();
    let mut tx = begin(db);
    tx.lock_object(tree.object(), LockMode::IX).unwrap();
    for key in keys {
        let key = key.to_be_bytes();
        match byte {
            0 => btree::insert(&mut tx, &tree, &key, &[0; 2500]).unwrap(),
            _ => btree::update(&mut tx, &tree, &key, &[byte; 2500]).unwrap(),
        }
    }
    tx.commit(Durability::Full).unwrap();
}

/// The value of a row.
fn value(db: &Arc<Database>, key: u64) -> u8 {
    let (tree, mut tx, mut row) = (db.hobt(TREE).unwrap(), begin(db), Vec::new());
    assert!(btree::get(&mut tx, &tree, &key.to_be_bytes(), ScanLocks::None, &mut row).unwrap());
    assert!(row.len() == 2500 && row.iter().all(|b| *b == row[0]), "row {key}");
    row[0]
}

fn filled(rig: &Rig) -> Arc<Database> {
    let db = rig.create();
    put(&db, 0..ROWS, 0);
    db
}

fn rig() -> Rig {
    let rig = Rig::new(4).frames(FRAMES).data(24 * MB, Growth::Bytes(MB));
    rig.log(64 * MB, Growth::Bytes(MB))
}

fn bytes(frames: u64) -> u64 {
    frames * PAGE_BYTES as u64
}

#[test]
fn a_smaller_pool_gives_back_what_it_has_and_loses_nothing() {
    let rig = rig();
    let db = filled(&rig);
    put(&db, (0..ROWS).step_by(2), 1);
    let pool = &db.instance().pool;
    assert_eq!(pool.in_force(), bytes(FRAMES));
    let used = pool.used_pages();
    assert!(used > 1500, "{used}");
    pool.set_target(bytes(256));
    assert!(pool.in_force() >= bytes(used.into()), "nothing has gone yet");
    let turns = (0..100).take_while(|_| {
        db.instance().lazy_writer_tick();
        pool.in_force() > bytes(256)
    });
    println!("{} turns", turns.count());
    assert_eq!(pool.in_force(), bytes(256));
    assert!(pool.used_pages() <= 256 && pool.free_pages() <= 256);
    assert_eq!(count(&db, TREE, ScanLocks::ReadCommitted).unwrap(), ROWS);
    assert!((0..ROWS).all(|key| value(&db, key) == u8::from(key % 2 == 0)));
    assert!(pool.used_pages() <= 256, "no page has come in beyond it");
    pool.set_target(bytes(FRAMES));
    assert_eq!(count(&db, TREE, ScanLocks::ReadCommitted).unwrap(), ROWS);
    assert!(pool.used_pages() > 1500);
    db.close().unwrap();
}

#[test]
fn targets_that_change_beside_writers_and_readers_lose_nothing() {
    let rig = rig();
    let db = filled(&rig);
    let pool = &db.instance().pool;
    let stop = AtomicBool::new(false);
    let last = std::thread::scope(|s| {
        let writers = [0, 1].map(|own| {
            let (db, stop) = (&db, &stop);
            s.spawn(move || {
                for round in (1..=200).cycle() {
                    put(db, (0..ROWS).filter(|key| key % 2 == own).step_by(5), round);
                    assert_eq!(count(db, TREE, ScanLocks::None).unwrap(), ROWS);
                    if stop.load(Ordering::Relaxed) {
                        return round;
                    }
                }
                unreachable!("the rounds go on")
            })
        });
        let (mut shrunk, began) = (0, std::time::Instant::now());
        for target in [FRAMES, 128, 900, 300].into_iter().cycle() {
            pool.set_target(bytes(target));
            let before = pool.in_force();
            for _ in 0..20 {
                pool.give_back().unwrap();
            }
            shrunk += u32::from(pool.in_force() < before);
            if shrunk == 40 || began.elapsed().as_secs() > 60 {
                break;
            }
            // So that who needs pages gets on.
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        stop.store(true, Ordering::Relaxed);
        assert_eq!(shrunk, 40);
        writers.map(|w| w.join().unwrap())
    });
    pool.set_target(bytes(FRAMES));
    // Every tenth of the even keys, and of the odd ones.
    for key in 0..ROWS {
        let written = if key % 10 < 2 { last[(key % 2) as usize] } else { 0 };
        assert_eq!(value(&db, key), written, "row {key}");
    }
    db.close().unwrap();
    let (db, _) = rig.restart().unwrap();
    assert_eq!(count(&db, TREE, ScanLocks::ReadCommitted).unwrap(), ROWS);
}
