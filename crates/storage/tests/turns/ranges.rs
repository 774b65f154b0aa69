//! Ranges of keys under a schedule: sessions that read ranges twice, insert, delete, roll back and take back, beside ghost cleanup.
//!
//! 1. Nobody has inserted into a range that a transaction has read, or taken a row from it, committed or not: a dirty read finds what
//!    the transaction has read and changed itself.
//! 2. Who has read under update locks that a key is not there inserts it, and nobody is in the way, nor a deadlock.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use taffrail_base::sched::{self, Case, Failure, Ran, programme};
use taffrail_base::sync::thread;
use taffrail_base::{HobtId, ObjectId, SessionId};
use taffrail_io::sim::SimRng;
use taffrail_storage::lock::{LockError, LockMode};
use taffrail_storage::{
    BeginSpec, Database, Direction, Durability, Growth, Hobt, KeyRange, ScanLocks, StorageError,
    StorageResult, Transaction, btree,
};

use super::session::key;
use crate::rig::{KB, MB, Rig, begin, make};

const OBJECT: i32 = 1000;
const KEYS: u64 = 40;
const SESSIONS: u16 = 4;
/// Keys of the upserts.
const COUNTERS: u64 = 1000;

struct Session {
    db: Arc<Database>,
    tree: Arc<Hobt>,
    rng: SimRng,
    me: u16,
}

#[derive(Clone, Copy, Default, Debug)]
struct Sum {
    ranges: u64,
    deadlocks: u64,
    inserted: u64,
    upserts: u64,
}

impl Sum {
    fn and(self, other: &Sum) -> Sum {
        Sum {
            ranges: self.ranges + other.ranges,
            deadlocks: self.deadlocks + other.deadlocks,
            inserted: self.inserted + other.inserted,
            upserts: self.upserts + other.upserts,
        }
    }
}

fn range(lower: u64, upper: u64) -> KeyRange {
    let (lower, upper) = (Some(key(lower).to_vec()), Some(key(upper).to_vec()));
    KeyRange { lower, upper, upper_inclusive: true, ..KeyRange::default() }
}

impl Session {
    fn begin(&self) -> StorageResult<Transaction> {
        let session = SessionId(51 + self.me);
        let mut tx = self.db.begin(BeginSpec { session, ..BeginSpec::default() });
        tx.lock_object(ObjectId(OBJECT), LockMode::IX)?;
        Ok(tx)
    }

    fn read(
        &mut self,
        tx: &mut Transaction,
        range: &KeyRange,
        locks: ScanLocks,
    ) -> StorageResult<BTreeSet<Vec<u8>>> {
        let backward = self.rng.one_in(2);
        let direction = if backward { Direction::Backward } else { Direction::Forward };
        let mut cursor = btree::seek(&self.tree, range.clone(), direction, locks);
        let mut keys = BTreeSet::new();
        while let Some((key, _)) = cursor.next(tx)? {
            assert!(keys.insert(key.to_vec()), "a key twice");
        }
        Ok(keys)
    }

    fn change(&mut self, tx: &mut Transaction, keys: &mut BTreeSet<Vec<u8>>) -> StorageResult<()> {
        let k = key(self.rng.below(KEYS)).to_vec();
        // Five rows to a leaf, or a few more.
        let size = 1200 + self.rng.below(300) as usize;
        match self.rng.below(3) {
            0 => {
                if btree::delete(tx, &self.tree, &k)? {
                    keys.remove(&k);
                }
            }
            _ => match btree::insert(tx, &self.tree, &k, &vec![self.me as u8; size]) {
                Ok(()) => drop(keys.insert(k)),
                Err(StorageError::DuplicateKey) => {}
                Err(e) => return Err(e),
            },
        }
        Ok(())
    }

    /// A range is read; it stays as it is but for the transaction's own changes, however often they are taken back.
    fn range(&mut self, sum: &mut Sum) -> StorageResult<()> {
        let mut tx = self.begin()?;
        let mut outside = BTreeSet::new();
        for _ in 0..self.rng.below(3) {
            self.change(&mut tx, &mut outside)?;
        }
        let lower = self.rng.below(KEYS);
        let range = range(lower, lower + self.rng.below(8));
        let locks = [ScanLocks::RangeShared, ScanLocks::RangeUpdate, ScanLocks::RangeExclusive];
        let locks = locks[self.rng.below(3) as usize];
        let inside = self.rng.one_in(3).then(|| tx.savepoint());
        if inside.is_some() {
            self.change(&mut tx, &mut outside)?;
        }
        let mut there = self.read(&mut tx, &range, locks)?;
        for _ in 0..1 + self.rng.below(4) {
            let savepoint = tx.savepoint();
            let mut now = there.clone();
            for _ in 0..self.rng.below(3) {
                self.change(&mut tx, &mut now)?;
            }
            now.retain(|k| range.contains(k));
            thread::sleep(Duration::from_micros(self.rng.below(300)));
            let dirty = self.read(&mut tx, &range, ScanLocks::None)?;
            assert_eq!(dirty, now, "{range:?} under {locks:?}");
            match self.rng.one_in(3) {
                true => tx.rollback_to(savepoint)?,
                false => there = now,
            }
            sum.ranges += 1;
        }
        if let Some(savepoint) = inside {
            // What was changed before the range was read goes too; then nobody else may have changed it either.
            tx.rollback_to(savepoint)?;
            let dirty = self.read(&mut tx, &range, ScanLocks::None)?;
            thread::sleep(Duration::from_micros(200));
            assert_eq!(
                self.read(&mut tx, &range, ScanLocks::None)?,
                dirty,
                "{range:?}, taken back"
            );
        }
        match self.rng.one_in(3) {
            true => tx.rollback(),
            false => tx.commit(Durability::Delayed),
        }
    }

    /// `UPDATE …; IF @@ROWCOUNT = 0 INSERT` under UPDLOCK, HOLDLOCK: no duplicate, no deadlock.
    fn upsert(&mut self, sum: &mut Sum) {
        let mut tx = self.begin().unwrap();
        let k = COUNTERS + self.rng.below(3);
        let there = self.read(&mut tx, &range(k, k), ScanLocks::RangeUpdate).unwrap();
        thread::sleep(Duration::from_micros(self.rng.below(100)));
        if there.is_empty() {
            btree::insert(&mut tx, &self.tree, &key(k), &[1; 1400]).unwrap();
            sum.inserted += 1;
        } else if self.rng.one_in(2) {
            assert!(btree::delete(&mut tx, &self.tree, &key(k)).unwrap());
        } else {
            btree::update(&mut tx, &self.tree, &key(k), &[2; 1400]).unwrap();
        }
        sum.upserts += 1;
        match self.rng.one_in(4) {
            true => tx.rollback().unwrap(),
            false => tx.commit(Durability::Delayed).unwrap(),
        }
    }

    fn work(mut self) -> Sum {
        let mut sum = Sum::default();
        for _ in 0..6 {
            if self.rng.one_in(3) {
                self.upsert(&mut sum);
                continue;
            }
            match self.range(&mut sum) {
                Ok(()) => {}
                Err(StorageError::Lock(LockError::Deadlock { .. })) => sum.deadlocks += 1,
                Err(e) => panic!("{e} ({e:?})"),
            }
        }
        sum
    }
}

fn ranges_stay(seed: u64) -> Sum {
    let rig = Rig::new(seed).dir_synced().frames(64).data(MB, Growth::Bytes(256 * KB));
    let rig = rig.log(MB, Growth::Bytes(256 * KB));
    let db = rig.create();
    let id: HobtId = make(&db, OBJECT, 1);
    let tree = db.hobt(id).unwrap();
    // Between the ranges and the counters: gaps of the ones are none of the others.
    let mut tx = begin(&db);
    btree::insert(&mut tx, &tree, &key(COUNTERS / 2), &[0; 1400]).unwrap();
    tx.commit(Durability::Full).unwrap();
    let sessions: Vec<_> = (0..SESSIONS)
        .map(|me| {
            let rng = SimRng::new(seed << 8 | u64::from(me));
            let session = Session { db: db.clone(), tree: tree.clone(), rng, me };
            sched::spawn("session", move || session.work())
        })
        .collect();
    let cleaner = {
        let db = db.clone();
        sched::spawn("cleaner", move || {
            for _ in 0..8 {
                db.clean_ghosts(8).unwrap();
                thread::sleep(Duration::from_micros(400));
            }
        })
    };
    let sums: Vec<Sum> = sessions.into_iter().map(|s| s.join()).collect();
    let sum = sums.iter().fold(Sum::default(), Sum::and);
    cleaner.join();
    assert!(db.instance().locks.snapshot().is_empty());
    let findings = db.check_all(|_| Box::new(super::part::Values(false)), &mut || false).unwrap();
    assert!(findings.is_empty(), "{findings:?}");
    sum
}

fn one(case: &Case) -> Result<Ran<Sum>, Failure> {
    let case = case.clone();
    sched::run(&case.plan(), move || ranges_stay(case.seed))
}

#[test]
fn nobody_inserts_into_a_range_that_was_read() {
    let again = "-p taffrail-storage --test it turns::ranges:: -- --nocapture";
    let seen = programme(again, 1, 400, one);
    let sum = seen.results.iter().fold(Sum::default(), Sum::and);
    eprintln!(
        "{} runs, {} steps, {} switches, {sum:?}",
        seen.results.len(),
        seen.steps,
        seen.switches
    );
    let met = sum.ranges > 0 && sum.deadlocks > 0 && sum.inserted > 0 && sum.upserts > sum.inserted;
    assert!(seen.told || met, "never seen, so not tested: {sum:?}");
}
