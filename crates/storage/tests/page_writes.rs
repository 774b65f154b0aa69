//! How pages go to their files: joined and together; and who waits for it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use taffrail_base::PAGE_BYTES;
use taffrail_io::Env;
use taffrail_io::sim::{Fault, FaultKind, HookedDisk, IoKind};
use taffrail_storage::lock::LockMode;
use taffrail_storage::{
    CheckpointKind, Database, Durability, Growth, ScanLocks, StorageInstance, btree,
};

use crate::rig;

use rig::{MB, Rig, TREE, begin, count};

const ROWS: u64 = 1500;

/// A row fills a third of a page.
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

/// A database whose pages are clean, on this disk.
fn filled(rig: &Rig, disk: HookedDisk) -> Arc<Database> {
    let env = Env { disk: Arc::new(disk), ..rig.world.env() };
    let instance = StorageInstance::new(env, rig.machine.clone()).unwrap();
    let db = rig.create_in(&instance).unwrap();
    put(&db, 0..ROWS, 0);
    db.checkpoint(CheckpointKind::Manual).unwrap();
    db
}

#[test]
fn the_pages_of_a_batch_are_joined_and_in_flight_together() {
    let rig = Rig::new(1).frames(4096).data(16 * MB, Growth::Bytes(MB));
    let rig = rig.log(32 * MB, Growth::Bytes(MB));
    // Bytes of each write; those in flight together are one entry.
    let seen: Arc<Mutex<Vec<Vec<usize>>>> = Arc::default();
    let (own, path) = (seen.clone(), rig.data.path.clone());
    let disk = HookedDisk::new(rig.world.env().disk, |_, result| result);
    let disk = disk.with_begun(move |of, bytes| {
        if of == path {
            own.lock().unwrap().push(bytes.to_vec());
        }
    });
    let db = filled(&rig, disk);
    let taken = || std::mem::take(&mut *seen.lock().unwrap());
    // Rows in the order of their keys lie in neighbouring pages.
    let loaded = taken();
    let longest = loaded.iter().flatten().max().copied();
    assert_eq!(longest, Some(MB as usize), "{loaded:?}");
    // Every tenth page.
    put(&db, (0..ROWS).step_by(30), 1);
    let before = db.counters().data_writes.get();
    db.checkpoint(CheckpointKind::Manual).unwrap();
    let writes = db.counters().data_writes.get() - before;
    let scattered = taken();
    let pages: usize = scattered.iter().flatten().map(|len| len / PAGE_BYTES).sum();
    let most = scattered.iter().map(Vec::len).max().unwrap();
    println!(
        "{pages} pages, {writes} writes, waited for {} times, {most} at once",
        scattered.len()
    );
    assert!(scattered.len() <= 4 && most >= 40, "{scattered:?}");
    assert_eq!(count(&db, TREE, ScanLocks::ReadCommitted).unwrap(), ROWS);
    db.close().unwrap();
}

/// A device that says once that it has no room remembers nothing of it: who has submitted the write must.
#[test]
fn a_write_in_flight_that_finds_no_room_leaves_its_page_dirty() {
    let rig = Rig::new(3).frames(4096).data(16 * MB, Growth::Bytes(MB));
    let rig = rig.log(32 * MB, Growth::Bytes(MB));
    let db = rig.create();
    put(&db, 0..ROWS, 0);
    db.checkpoint(CheckpointKind::Manual).unwrap();
    put(&db, (0..ROWS).step_by(30), 1);
    let (kind, fault, path_contains) = (Some(IoKind::Write), FaultKind::Full, ".mdf".to_owned());
    rig.world.inject(Fault { nth: 20, kind, path_contains, fault, sticky: false });
    let failed = db.checkpoint(CheckpointKind::Manual);
    assert!(failed.is_err() && rig.world.stats().faults == 1, "{failed:?}");
    rig.lose_power(db);
    let (db, _) = rig.restart().unwrap();
    let (tree, mut tx, mut row) = (db.hobt(TREE).unwrap(), begin(&db), Vec::new());
    for key in 0..ROWS {
        assert!(btree::get(&mut tx, &tree, &key.to_be_bytes(), ScanLocks::None, &mut row).unwrap());
        assert_eq!(row[0], u8::from(key % 30 == 0), "row {key}");
    }
}

/// Stops who has just written to the data file, or synced it, until it may go on.
struct Gate {
    armed: AtomicBool,
    entered: Sender<()>,
    go_on: Mutex<Receiver<()>>,
    waited_in_vain: AtomicBool,
}

#[test]
fn a_page_comes_in_while_a_checkpoint_waits_for_the_device() {
    let rig = Rig::new(2).frames(128).data(8 * MB, Growth::Bytes(MB));
    let rig = rig.log(32 * MB, Growth::Bytes(MB));
    let ((entered, has_entered), (go, go_on)) = (mpsc::channel(), mpsc::channel());
    let gate = Arc::new(Gate {
        armed: AtomicBool::new(false),
        entered,
        go_on: Mutex::new(go_on),
        waited_in_vain: AtomicBool::new(false),
    });
    let (own, path) = (gate.clone(), rig.data.path.clone());
    let disk = HookedDisk::new(rig.world.env().disk, move |of, result| {
        if of == path && own.armed.swap(false, Ordering::SeqCst) {
            own.entered.send(()).unwrap();
            let left = own.go_on.lock().unwrap().recv_timeout(Duration::from_secs(20));
            own.waited_in_vain.store(left.is_err(), Ordering::SeqCst);
        }
        result
    });
    let db = filled(&rig, disk);
    put(&db, (0..ROWS).step_by(100), 1);
    gate.armed.store(true, Ordering::SeqCst);
    std::thread::scope(|s| {
        let checkpoint = s.spawn(|| db.checkpoint(CheckpointKind::Manual));
        has_entered.recv().unwrap();
        // Pages that the checkpoint does not hold become dirty, and then five times as many as the pool has come in.
        put(&db, (50..ROWS).step_by(100), 2);
        assert_eq!(count(&db, TREE, ScanLocks::ReadCommitted).unwrap(), ROWS);
        let _ = go.send(());
        checkpoint.join().unwrap().unwrap();
    });
    assert!(!gate.waited_in_vain.load(Ordering::SeqCst), "a reader has waited for the checkpoint");
    db.close().unwrap();
}
