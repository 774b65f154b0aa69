//! A backup that gives way to others: it rests, its pieces become small, and it is as whole as any.

use std::sync::Arc;
use std::time::Duration;

use taffrail_io::sim::SimWorld;
use taffrail_storage::backup::{BackupKind, BackupSpec, Watch};
use taffrail_storage::lock::LockMode;
use taffrail_storage::{CheckpointKind, Database, Durability, RecoveryModel, btree};

use super::support::*;

const BAK: &str = "/data/t.bak";
/// Rows of a page each: more than what full speed is measured by.
const PAGES: u64 = 5_000;

/// A device that takes a millisecond for a MiB, and others who commit a row between two pieces, for as long as they write.
struct Device<'a> {
    world: &'a SimWorld,
    db: &'a Arc<Database>,
    rows: &'a mut Rows,
    /// Pages copied when others begin to write, and when they stop.
    writing: std::ops::Range<u64>,
    done: u64,
    only_log: bool,
    rested: Duration,
    /// Pages of the longest piece that was copied while others wrote and it had to give way.
    longest: u64,
}

impl Watch for Device<'_> {
    fn pages_done(&mut self) {
        self.only_log = true;
    }

    fn progress(&mut self, done: u64, _: u64) {
        if self.only_log {
            return;
        }
        let done = done / 8192;
        let pages = done - self.done;
        self.done = done;
        self.world.clock().advance(Duration::from_micros(pages * 1000 / 128));
        if !self.rested.is_zero() && self.writing.contains(&done) {
            self.longest = self.longest.max(pages);
        }
        if self.writing.contains(&done) {
            let key = 500_000 + done;
            put(self.db, self.rows, key..key + 1, 8);
        }
    }

    fn pause(&mut self, rest: Duration) {
        self.rested += rest;
        self.world.clock().advance(rest);
    }
}

fn filled() -> (Rig, Arc<Database>, Rows) {
    let (rig, _, db) = source(3, RecoveryModel::Simple);
    let tree = db.hobt(TREE).unwrap();
    let mut rows = Rows::new();
    for from in (0..PAGES).step_by(100) {
        let mut tx = begin(&db);
        tx.lock_object(tree.object(), LockMode::IX).unwrap();
        for key in from..from + 100 {
            let value = vec![key as u8; 7_000];
            btree::insert(&mut tx, &tree, &key.to_be_bytes(), &value).unwrap();
            rows.insert(key, value);
        }
        tx.commit(Durability::Full).unwrap();
        if from % 1000 == 0 {
            db.checkpoint(CheckpointKind::Manual).unwrap();
        }
    }
    (rig, db, rows)
}

/// Takes a backup while others write, from when so many pages were copied to when so many were; restores it and compares.
fn run(writing: std::ops::Range<u64>) -> (Duration, u64) {
    let (rig, db, mut rows) = filled();
    let mut device = Device {
        world: &rig.world,
        db: &db,
        rows: &mut rows,
        writing,
        done: 0,
        only_log: false,
        rested: Duration::ZERO,
        longest: 0,
    };
    let report = db.backup(&BackupSpec::new(BackupKind::Full, disk(BAK)), &mut device).unwrap();
    assert!(report.pages > PAGES && report.header.complete);
    let (rested, longest) = (device.rested, device.longest);
    assert_eq!(read(&db), rows);
    let shared = db.instance().clone();
    db.close().unwrap();
    check(restore(&shared, BAK, 1, false, true), &rows);
    (rested, longest)
}

#[test]
fn a_backup_that_gives_way_is_whole() {
    // 24 MiB at full speed, the others at two fifths of it: one and a half times as long a rest as the copying takes.
    let (rested, longest) = run(0..u64::MAX);
    let copied = Duration::from_micros((PAGES - 24 * 128) * 1000 / 128);
    assert!(rested > copied.mul_f64(1.4) && rested < copied.mul_f64(1.8), "{rested:?}, {copied:?}");
    assert_eq!(longest, 16, "128 KiB");
}

#[test]
fn a_backup_goes_from_full_speed_to_giving_way_and_back() {
    let (rested, longest) = run(3_500..4_000);
    assert!(rested > Duration::from_millis(3) && longest == 16, "{rested:?}, {longest}");
    let (rested, _) = run(0..0);
    assert!(rested.is_zero());
}
