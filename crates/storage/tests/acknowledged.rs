//! What others may see, and what may be let go of, while something is on its way to the disk.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use taffrail_base::{HobtId, LogPos, PageId};
use taffrail_io::OpenSpec;
use taffrail_io::sim::{Fault, FaultKind, HookedDisk};
use taffrail_storage::layout::BOOT_PAGES;
use taffrail_storage::page::Page;
use taffrail_storage::recovery::Boot;
use taffrail_storage::{
    CheckpointKind, Database, Durability, Growth, ScanLocks, StorageInstance, btree,
};

use crate::rig;

use rig::{MB, Rig, begin, begin_as, begin_impatient, make};

type Deed = Box<dyn FnMut(&Path) + Send>;

/// What is done behind each write and sync; not behind those that it makes itself.
#[derive(Clone, Default)]
struct Beside(Arc<Mutex<Option<Deed>>>);

impl Beside {
    fn set(&self, deed: impl FnMut(&Path) + Send + 'static) {
        *self.0.lock().unwrap() = Some(Box::new(deed));
    }

    fn end(&self) {
        *self.0.lock().unwrap() = None;
    }

    fn strike(&self, path: &Path) {
        let taken = self.0.lock().unwrap().take();
        if let Some(mut deed) = taken {
            deed(path);
            self.0.lock().unwrap().get_or_insert(deed);
        }
    }
}

fn rig() -> Rig {
    let rig = Rig::new(1).data(4 * MB, Growth::Bytes(MB)).frames(512);
    rig.log(4 * MB, Growth::None)
}

/// A database with a tree, on a disk with something beside it.
fn scene(rig: &Rig) -> (Arc<Database>, HobtId, Beside) {
    let beside = Beside::default();
    let mut env = rig.world.env();
    let struck = beside.clone();
    env.disk = Arc::new(HookedDisk::new(env.disk.clone(), move |path, result| {
        struck.strike(path);
        result
    }));
    let instance = StorageInstance::new(env, rig.machine.clone()).unwrap();
    let db = rig.create_in(&instance).unwrap();
    let tree = make(&db, 1000, 1);
    let mut tx = begin(&db);
    btree::insert(&mut tx, &db.hobt(tree).unwrap(), b"key", b"old").unwrap();
    tx.commit(Durability::Full).unwrap();
    (db, tree, beside)
}

#[test]
fn locks_are_held_until_the_commit_is_durable() {
    let rig = rig();
    let (db, tree, beside) = scene(&rig);
    let mut tx = begin(&db);
    btree::update(&mut tx, &db.hobt(tree).unwrap(), b"key", b"new").unwrap();
    let looks = Arc::new(AtomicU64::new(0));
    let (db2, looks2) = (db.clone(), looks.clone());
    beside.set(move |path| {
        if path.extension().is_some_and(|e| e == "ldf") {
            let mut other = begin_impatient(&db2, 52);
            let hobt = db2.hobt(tree).unwrap();
            let mut row = Vec::new();
            let got = btree::get(&mut other, &hobt, b"key", ScanLocks::Shared, &mut row);
            assert!(got.is_err(), "{row:?} is seen before its commit is acknowledged");
            looks2.fetch_add(1, Ordering::Relaxed);
        }
    });
    tx.commit(Durability::Full).unwrap();
    beside.end();
    assert!(looks.load(Ordering::Relaxed) > 0, "the commit wrote nothing");
    let mut row = Vec::new();
    let mut tx = begin_impatient(&db, 52);
    assert!(
        btree::get(&mut tx, &db.hobt(tree).unwrap(), b"key", ScanLocks::Shared, &mut row).unwrap()
    );
    assert_eq!(row, b"new");
}

#[test]
fn who_gets_the_lock_of_a_commit_that_failed_sees_nothing() {
    let rig = rig();
    let (db, tree, _) = scene(&rig);
    let mut tx = begin(&db);
    btree::update(&mut tx, &db.hobt(tree).unwrap(), b"key", b"new").unwrap();
    rig.world.inject(Fault {
        nth: 1,
        kind: None,
        path_contains: ".ldf".into(),
        fault: FaultKind::Io,
        sticky: true,
    });
    let seen = std::thread::scope(|s| {
        let other = s.spawn(|| {
            let hobt = db.hobt(tree).unwrap();
            let mut other = begin_as(&db, 52);
            let mut row = Vec::new();
            let got = btree::get(&mut other, &hobt, b"key", ScanLocks::Shared, &mut row);
            got.map(|found| found.then_some(row))
        });
        // It waits for the lock by now; if not, it finds it free and the database down.
        std::thread::sleep(Duration::from_millis(100));
        assert!(tx.commit(Durability::Full).is_err());
        other.join().unwrap()
    });
    assert!(seen.is_err(), "{seen:?} of a commit that nobody was told of");
}

/// MinLSN as the boot page on disk has it.
fn min_on_disk(rig: &Rig) -> LogPos {
    let volume = rig.world.env().disk.open(&rig.data.path, OpenSpec::DATA).unwrap();
    let boots = BOOT_PAGES.iter().filter_map(|&number| {
        let id = PageId::new(1, number);
        let mut page = Page::zeroed();
        volume.read_at(id.file_offset(), page.bytes_mut()).unwrap();
        Boot::decode(&mut page, id).ok()
    });
    boots.max_by_key(|b| b.sequence).unwrap().min
}

#[test]
fn the_log_is_kept_until_the_boot_page_that_needs_less_is_durable() {
    let rig = rig();
    let (db, tree, beside) = scene(&rig);
    let let_go = Arc::new(AtomicU64::new(0));
    for round in 0..6 {
        let mut tx = begin(&db);
        let hobt = db.hobt(tree).unwrap();
        for n in 0..200u16 {
            let value = vec![round; 3000];
            btree::insert(&mut tx, &hobt, &[&[round][..], &n.to_be_bytes()].concat(), &value)
                .unwrap();
        }
        tx.commit(Durability::Full).unwrap();
        let (db2, rig2, oldest) = (db.clone(), rig.clone(), db.log().oldest());
        beside.set(move |path| {
            if path.extension().is_some_and(|e| e == "mdf") {
                let (min, kept) = (min_on_disk(&rig2), db2.log().oldest());
                assert!(
                    kept <= min,
                    "log from {kept:?} on is kept, a restart needs it from {min:?} on"
                );
            }
        });
        db.checkpoint(CheckpointKind::Manual).unwrap();
        beside.end();
        let_go.fetch_add(u64::from(db.log().oldest() > oldest), Ordering::Relaxed);
    }
    assert!(let_go.load(Ordering::Relaxed) > 2, "hardly any log was let go of");
}
