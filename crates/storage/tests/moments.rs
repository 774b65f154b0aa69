//! Moments in the log: commits say when they happened, in the order of the log, over restarts, also where the clock is set back; by more
//! than a day, and the log goes back with it.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use taffrail_io::{Clock, Env, UtcTime};
use taffrail_log::Lop;
use taffrail_observe::{Event, EventRing};
use taffrail_storage::access::record::facts;
use taffrail_storage::lock::LockMode;
use taffrail_storage::{CheckpointKind, Database, Durability, Growth, StorageInstance, btree};

use crate::rig;

use rig::{MB, Rig, TREE, begin};

fn rig(seed: u64) -> Rig {
    let rig = Rig::new(seed).frames(4096).dir_synced();
    rig.data(4 * MB, Growth::Bytes(MB)).log(32 * MB, Growth::Bytes(8 * MB))
}

/// A clock that every look moves on, and whose looker then lets others go first.
struct Looked {
    looks: AtomicU64,
    inner: Arc<dyn Clock>,
}

impl Clock for Looked {
    fn now_utc(&self) -> UtcTime {
        let at = UtcTime(10_000_000 + self.looks.fetch_add(1, Ordering::SeqCst));
        std::thread::yield_now();
        at
    }

    fn monotonic(&self) -> Duration {
        self.inner.monotonic()
    }
}

fn commit(db: &Arc<Database>, key: u64) {
    let tree = db.hobt(TREE).unwrap();
    let mut tx = begin(db);
    tx.lock_object(tree.object(), LockMode::IX).unwrap();
    btree::insert(&mut tx, &tree, &key.to_be_bytes(), &[1; 50]).unwrap();
    tx.commit(Durability::Delayed).unwrap();
}

/// What records say of when they happened, in the order of the log.
fn moments(db: &Arc<Database>) -> Vec<(Lop, u64)> {
    db.flush_log().unwrap();
    let mut reader = db.log().reader(db.log().oldest()).unwrap();
    let mut all = Vec::new();
    while let Some(r) = reader.next().unwrap() {
        all.extend(facts::moment(&r).map(|at| (r.header.op, at)));
    }
    all
}

fn assert_in_order(all: &[(Lop, u64)]) {
    for (n, pair) in all.windows(2).enumerate() {
        assert!(pair[0].1 <= pair[1].1, "record {n}: {pair:?}");
    }
}

#[test]
fn the_times_of_64_committers_are_in_the_order_of_their_records() {
    let rig = rig(1);
    let env = rig.world.env();
    let clock = Arc::new(Looked { looks: AtomicU64::new(0), inner: env.clock.clone() });
    let env = Env { clock: clock.clone(), ..env };
    let instance = StorageInstance::new(env, rig.machine.clone()).unwrap();
    let db = rig.create_in(&instance).unwrap();
    std::thread::scope(|s| {
        for session in 0..64 {
            let db = &db;
            s.spawn(move || (0..50).for_each(|n| commit(db, session << 32 | n)));
        }
    });
    let all = moments(&db);
    let commits: Vec<u64> =
        all.iter().filter(|(op, _)| *op == Lop::CommitXact).map(|(_, at)| *at).collect();
    assert!(commits.len() >= 64 * 50, "{}", commits.len());
    assert_in_order(&all);
    // Each is a moment of its own: this clock never shows one twice.
    assert!(commits.windows(2).all(|pair| pair[0] < pair[1]));
    db.close().unwrap();
}

#[test]
fn a_clock_set_back_sets_no_commit_back() {
    let rig = rig(2);
    let hour = Duration::from_secs(3600);
    let clock = || rig.world.clock();
    let db = rig.create();
    clock().advance(hour);
    commit(&db, 1);
    // While the database is open.
    clock().set_back(hour / 2);
    commit(&db, 2);
    db.log().harden(db.log().appended(), taffrail_log::FlushReason::Request).ok();
    let all = moments(&db);
    assert_in_order(&all);
    let last = all.last().unwrap().1;

    // Over a crash, with the commits behind the last checkpoint.
    rig.lose_power(db);
    clock().set_back(hour);
    let db = rig.open();
    commit(&db, 3);
    let all = moments(&db);
    assert_in_order(&all);
    assert!(all.last().unwrap().1 >= last);

    // Over an orderly end, with nothing but the checkpoint's own records left to go by.
    db.checkpoint(CheckpointKind::Manual).unwrap();
    db.checkpoint(CheckpointKind::Manual).unwrap();
    db.close().unwrap();
    clock().set_back(hour);
    let db = rig.open();
    commit(&db, 4);
    let all = moments(&db);
    assert_in_order(&all);
    assert!(all.last().unwrap().1 >= last);

    // Once the clock is beyond, it counts again.
    clock().advance(10 * hour);
    commit(&db, 5);
    let now = rig.world.env().clock.now_utc().0;
    assert_eq!(moments(&db).last().unwrap().1, now);
    assert!(rig.world.env().disk.exists(Path::new("/data/t.mdf")).unwrap());
    db.close().unwrap();
}

/// The texts of the error log about the clock.
fn told(name: &str) -> Vec<String> {
    let texts = EventRing::global().read_after(0).into_iter().filter_map(|r| match r.event {
        Event::BackgroundError { database, text } if &*database.name == name => Some(text),
        _ => None,
    });
    texts.filter(|text| text.contains("clock")).collect()
}

#[test]
fn a_clock_that_was_years_ahead_is_followed_back_and_told_of() {
    let rig = rig(3).named("ahead");
    let years = Duration::from_secs(3 * 365 * 86_400);
    let clock = || rig.world.clock();
    let now = || rig.world.env().clock.now_utc().0;
    let last = |db: &Arc<Database>| moments(db).last().unwrap().1;
    let db = rig.create();
    clock().advance(years);
    commit(&db, 1);
    let wrong = last(&db);
    clock().set_back(years);
    commit(&db, 2);
    assert_eq!(last(&db), now());
    assert!(last(&db) < wrong);
    assert_eq!(told("ahead").len(), 1, "{:?}", told("ahead"));
    // Once only, and it is remembered over a restart: moments are in order again from there on.
    commit(&db, 3);
    db.checkpoint(CheckpointKind::Manual).unwrap();
    db.close().unwrap();
    clock().set_back(Duration::from_secs(3600));
    let db = rig.open();
    let before = last(&db);
    commit(&db, 4);
    assert_eq!(last(&db), before, "by an hour: held");
    let told = told("ahead");
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].contains("ahead") && told[1].contains("3600 s before"), "{told:?}");
    db.close().unwrap();
}
