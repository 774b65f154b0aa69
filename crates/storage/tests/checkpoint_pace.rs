//! Checkpoints that are given a time, that go by the recovery interval, and what they tell of themselves.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use taffrail_observe::{Event, EventRing, History};
use taffrail_storage::lock::LockMode;
use taffrail_storage::{
    CheckpointDetail, CheckpointKind, Database, Durability, Growth, RecoveryModel, btree,
};

use crate::rig;

use rig::{KB, MB, Rig, TREE, begin};

fn rig(seed: u64, id: u16) -> Rig {
    let rig = Rig::new(seed).id(id).frames(8192).dir_synced().model(RecoveryModel::Simple);
    rig.data(16 * MB, Growth::Bytes(MB)).log(64 * MB, Growth::Bytes(8 * MB))
}

/// So many rows, a few to a page.
fn insert(db: &Arc<Database>, keys: std::ops::Range<u64>) {
    let tree = db.hobt(TREE).unwrap();
    let mut tx = begin(db);
    tx.lock_object(tree.object(), LockMode::IX).unwrap();
    for key in keys {
        btree::insert(&mut tx, &tree, &key.to_be_bytes(), &[7; 3000]).unwrap();
    }
    tx.commit(Durability::Full).unwrap();
}

/// Why a database's checkpoints were taken, in order.
fn reasons(id: u16) -> Vec<&'static str> {
    let all = EventRing::global().history(History::Checkpoints).0.into_iter();
    all.filter_map(|recorded| match recorded.event {
        Event::Checkpoint { database, reason, .. } if database.0 == id => Some(reason),
        _ => None,
    })
    .collect()
}

fn dirty(db: &Database) -> usize {
    db.recovery_estimate().dirty_pages
}

#[test]
fn a_checkpoint_with_a_time_spreads_its_writes_over_it() {
    let rig = rig(1, 71);
    let db = rig.create();
    insert(&db, 0..1500);
    let (pages, clock) = (dirty(&db), rig.world.env().clock);
    assert!(pages > 5 * 128, "{pages}");
    let (began, left) = (clock.monotonic(), AtomicU32::new(0));
    let pause = |time: Duration| {
        left.fetch_max(dirty(&db) as u32, Ordering::Relaxed);
        rig.world.clock().advance(time);
        true
    };
    db.checkpoint_within(Duration::from_secs(10), &pause).unwrap();
    let took = clock.monotonic() - began;
    // Behind the last batch nobody waits.
    let least = Duration::from_secs(10).mul_f64(1.0 - 130.0 / pages as f64);
    assert!(took >= least && took <= Duration::from_secs(10), "{took:?}");
    let most = left.load(Ordering::Relaxed) as usize;
    assert!(
        most < pages && most > pages - 140,
        "a batch was written, then there was a pause: {most}"
    );
    assert!(dirty(&db) < 10);
    // Without one it takes none; and one that nobody waits for any more ends at once.
    insert(&db, 2000..3000);
    let began = clock.monotonic();
    db.checkpoint(CheckpointKind::Manual).unwrap();
    insert(&db, 4000..5000);
    db.checkpoint_within(Duration::from_secs(3600), &|_| false).unwrap();
    assert!(clock.monotonic() - began < Duration::from_secs(1));
    assert!(dirty(&db) < 10);
    db.close().unwrap();
}

#[test]
fn a_checkpoint_with_a_time_makes_haste_for_whoever_waits_for_the_next() {
    let rig = rig(2, 72);
    let db = rig.create();
    insert(&db, 0..1500);
    let (pausing, late) = (AtomicBool::new(false), AtomicBool::new(false));
    let began = Instant::now();
    std::thread::scope(|s| {
        s.spawn(|| {
            // A clock that stands still: the hour is never over.
            let pause = |_| {
                pausing.store(true, Ordering::SeqCst);
                std::thread::sleep(Duration::from_millis(1));
                late.store(began.elapsed() > Duration::from_secs(60), Ordering::SeqCst);
                !late.load(Ordering::SeqCst)
            };
            db.checkpoint_within(Duration::from_secs(3600), &pause).unwrap();
        });
        while !pausing.load(Ordering::SeqCst) {
            std::thread::yield_now();
        }
        db.checkpoint(CheckpointKind::LogFull).unwrap();
    });
    assert!(!late.load(Ordering::SeqCst), "it did not make haste");
    assert_eq!(reasons(72).split_off(1), ["MANUAL", "LOG_FULL"]);
    db.close().unwrap();
}

#[test]
fn the_recovery_interval_counts_where_there_is_no_target() {
    for (id, target, reason) in [(73, 0, "RECOVERY_INTERVAL"), (74, 60, "TARGET_RECOVERY_TIME")] {
        let mut rig = rig(3, id);
        rig.options.target_recovery_time_s = target;
        rig.machine.redo_log_max = 512 * KB;
        let instance = rig.instance();
        let db = rig.create_in(&instance).unwrap();
        insert(&db, 0..500);
        assert!(db.redo_bytes() > 512 * KB && db.needs_checkpoint());
        // Five minutes of log are more than this; a target of the database's own goes before.
        instance.checkpoints.set_recovery_interval_min(5);
        assert_eq!(db.needs_checkpoint(), target > 0);
        db.background_tick();
        assert_eq!(reasons(id).len(), if target > 0 { 2 } else { 1 });
        instance.checkpoints.set_recovery_interval_min(0);
        db.background_tick();
        assert_eq!(reasons(id).last(), Some(&reason));
        db.close().unwrap();
        assert_eq!(reasons(id).last(), Some(&"CLOSE"));
        assert_eq!(reasons(id)[0], "CREATION");
    }
}

/// What a database's checkpoints have told the error log.
fn told(id: u16) -> Vec<String> {
    let all = EventRing::global().read_after(0).into_iter();
    all.filter_map(|recorded| match recorded.event {
        Event::CheckpointMessage { database, text } if database.0 == id => Some(text),
        _ => None,
    })
    .collect()
}

#[test]
fn trace_flags_tell_of_the_steps_of_checkpoints_and_of_what_they_write() {
    let rig = rig(5, 75);
    let instance = rig.instance();
    let db = rig.create_in(&instance).unwrap();
    insert(&db, 0..300);
    db.checkpoint(CheckpointKind::Manual).unwrap();
    assert_eq!(told(75), [""; 0], "nobody has asked");
    instance.checkpoints.set_detail(CheckpointDetail { steps: true, writes: true });
    insert(&db, 300..600);
    let pages = dirty(&db);
    db.checkpoint(CheckpointKind::Manual).unwrap();
    let said = told(75);
    let steps = [
        "Ckpt dbid 75 started (0)",
        "About to log Checkpoint begin.",
        "Ckpt dbid 75 phase 1 ended (0)",
        "",
        "",
        "",
        "About to log Checkpoint end.",
        "Ckpt dbid 75 complete",
    ];
    assert_eq!(said.len(), steps.len(), "{said:?}");
    for (line, step) in said.iter().zip(steps).filter(|(_, step)| !step.is_empty()) {
        assert_eq!(line, step);
    }
    let number = |line: &str, before: &str| -> usize {
        let (_, rest) = line.split_once(before).unwrap_or_else(|| panic!("{line}"));
        rest.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap()
    };
    let cleaned = number(&said[3], "FlushCache: cleaned up ");
    assert!(cleaned >= pages && cleaned < pages + 10, "{}", said[3]);
    assert!(
        number(&said[3], " bufs with ") > 0 && said[3].ends_with(" for db 75:0"),
        "{}",
        said[3]
    );
    assert!(said[4].starts_with("average throughput: ") && said[4].ends_with(" MB/sec"));
    assert!(said[5].starts_with("last target outstanding: 1, avgWriteLatency "), "{}", said[5]);
    // The steps alone, and nothing.
    instance.checkpoints.set_detail(CheckpointDetail { steps: true, writes: false });
    db.checkpoint(CheckpointKind::Manual).unwrap();
    assert_eq!(told(75).len(), steps.len() + 5);
    instance.checkpoints.set_detail(CheckpointDetail::default());
    // One that takes longer than a restart may tells what it wrote by itself.
    insert(&db, 600..1500);
    let pause = |_| {
        rig.world.clock().advance(Duration::from_secs(30));
        true
    };
    db.checkpoint_within(Duration::from_secs(600), &pause).unwrap();
    let said = told(75).split_off(steps.len() + 5);
    assert_eq!(said.len(), 3, "{said:?}");
    assert!(said[0].starts_with("FlushCache: cleaned up "), "{said:?}");
    db.close().unwrap();
}
