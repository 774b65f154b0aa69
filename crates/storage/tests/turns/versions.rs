//! Readers by snapshots under a schedule, beside writers, rollbacks, cleanup, sweeps, checkpoints and a pool that evicts.
//!
//! 1. Each read, of a tree and of a heap, shows what the commits up to the snapshot's number leave, in their order, and own changes.
//! 2. Who claims a row is told whether another commit that the snapshot does not see has changed it.
//! 3. Where memory ends, readers are told so; writers go on.
//! 4. In the end no version is left.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use taffrail_base::sched::{self, Case, Failure, Ran, programme};
use taffrail_base::sync::{Mutex, thread};
use taffrail_base::{ObjectId, SessionId};
use taffrail_io::sim::SimRng;
use taffrail_storage::lock::{LockError, LockMode};
use taffrail_storage::{
    BeginSpec, CheckpointKind, Claimed, Database, Direction, Durability, Growth, Hobt, KeyRange,
    Rid, ScanLocks, StorageError, StorageResult, Transaction, btree, heap,
};

use super::session::key;
use crate::rig::{KB, MB, Rig, make};

const OBJECT: i32 = 1000;
const KEYS: u64 = 24;
const WRITERS: u16 = 3;
const READERS: u16 = 2;

/// Rows by key, and those of the heap by their place.
type Rows = BTreeMap<Vec<u8>, Vec<u8>>;
/// What a transaction has made of rows.
type Changes = BTreeMap<Vec<u8>, Option<Vec<u8>>>;

#[derive(Default)]
struct Ledger {
    /// By the number of their commit.
    commits: BTreeMap<u64, Changes>,
    /// The snapshot's number, own changes, and what was read.
    reads: Vec<(u64, Changes, Rows)>,
    /// The snapshot's number, the row, and the answer.
    claims: Vec<(u64, Vec<u8>, Claimed)>,
}

#[derive(Clone, Copy, Default, Debug)]
struct Tally {
    reads: usize,
    rows: usize,
    changed: usize,
    gone: usize,
    undone: usize,
    deadlocks: usize,
}

impl Tally {
    fn and(self, o: &Tally) -> Tally {
        Tally {
            reads: self.reads + o.reads,
            rows: self.rows + o.rows,
            changed: self.changed + o.changed,
            gone: self.gone + o.gone,
            undone: self.undone + o.undone,
            deadlocks: self.deadlocks + o.deadlocks,
        }
    }
}

struct Client {
    db: Arc<Database>,
    tree: Arc<Hobt>,
    heap: Arc<Hobt>,
    rids: Arc<Mutex<Vec<Rid>>>,
    ledger: Arc<Mutex<Ledger>>,
    rng: SimRng,
    me: u16,
    tally: Tally,
}

/// A heap's row as the ledger names it: no key of the tree is as long.
fn name(rid: Rid) -> Vec<u8> {
    [&[255; 8][..], &rid.to_bytes()].concat()
}

impl Client {
    fn begin(&self) -> StorageResult<Transaction> {
        let session = SessionId(51 + self.me);
        let mut tx = self.db.begin(BeginSpec { session, ..BeginSpec::default() });
        tx.lock_object(ObjectId(OBJECT), LockMode::IX)?;
        tx.lock_object(ObjectId(OBJECT + 1), LockMode::IX)?;
        Ok(tx)
    }

    fn value(&mut self) -> Vec<u8> {
        let size = [20, 700, 1500, 2600][self.rng.below(4) as usize] + self.rng.below(20) as usize;
        vec![self.rng.below(250) as u8; size]
    }

    fn change(&mut self, tx: &mut Transaction, changes: &mut Changes) -> StorageResult<()> {
        let value = self.value();
        if self.rng.one_in(3) {
            return self.change_heap(tx, changes, &value);
        }
        let k = key(self.rng.below(KEYS)).to_vec();
        let done = match self.rng.below(4) {
            0 => {
                if btree::delete(tx, &self.tree, &k)? {
                    changes.insert(k, None);
                }
                return Ok(());
            }
            1 => btree::update(tx, &self.tree, &k, &value),
            _ => btree::insert(tx, &self.tree, &k, &value),
        };
        match done {
            Ok(()) => drop(changes.insert(k, Some(value))),
            Err(StorageError::DuplicateKey | StorageError::RowNotFound) => {}
            Err(e) => return Err(e),
        }
        Ok(())
    }

    fn change_heap(
        &mut self,
        tx: &mut Transaction,
        changes: &mut Changes,
        value: &[u8],
    ) -> StorageResult<()> {
        let n = self.rids.lock().len() as u64;
        if n < 12 || self.rng.one_in(4) {
            let rid = heap::insert(tx, &self.heap, value)?;
            self.rids.lock().push(rid);
            changes.insert(name(rid), Some(value.to_vec()));
            return Ok(());
        }
        let rid = self.rids.lock()[self.rng.below(n) as usize];
        if self.rng.one_in(3) {
            if heap::delete(tx, &self.heap, rid)? {
                changes.insert(name(rid), None);
            }
            return Ok(());
        }
        match heap::update(tx, &self.heap, rid, value) {
            Ok(()) => drop(changes.insert(name(rid), Some(value.to_vec()))),
            Err(StorageError::RowNotFound) => {}
            Err(e) => return Err(e),
        }
        Ok(())
    }

    /// Everything, as the transaction's snapshot shows it.
    fn read(&mut self, tx: &mut Transaction, own: &Changes) -> StorageResult<()> {
        let Some(snapshot) = tx.snapshot().cloned() else { return Ok(()) };
        let direction = [Direction::Forward, Direction::Backward][self.rng.below(2) as usize];
        let mut rows = Rows::new();
        let mut cursor =
            btree::seek(&self.tree, KeyRange::default(), direction, ScanLocks::Versions);
        while let Some((key, value)) = cursor.next(tx)? {
            assert!(rows.insert(key.to_vec(), value.to_vec()).is_none(), "a key twice");
            if self.rng.one_in(6) {
                thread::sleep(Duration::from_micros(self.rng.below(60)));
            }
        }
        let mut cursor = heap::scan(&self.heap, ScanLocks::Versions);
        while let Some((rid, row)) = cursor.next(tx)? {
            assert!(rows.insert(name(rid), row.to_vec()).is_none(), "a row twice");
        }
        let mut value = Vec::new();
        for _ in 0..3 {
            let k = key(self.rng.below(KEYS));
            let there = btree::get(tx, &self.tree, &k, ScanLocks::Versions, &mut value)?;
            assert_eq!(there.then_some(&value), rows.get(&k[..]));
        }
        self.tally.reads += 1;
        self.tally.rows += rows.len();
        self.ledger.lock().reads.push((snapshot.sequence(), own.clone(), rows));
        Ok(())
    }

    fn write(&mut self) -> StorageResult<()> {
        let mut tx = self.begin()?;
        let mut changes = Changes::new();
        if self.rng.one_in(3) {
            tx.set_snapshot(Some(self.db.instance().snapshots.take(SessionId(51 + self.me))?));
        }
        for _ in 0..1 + self.rng.below(5) {
            let (savepoint, before) = (tx.savepoint(), changes.clone());
            for _ in 0..1 + self.rng.below(3) {
                self.change(&mut tx, &mut changes)?;
            }
            if self.rng.one_in(4) {
                tx.rollback_to(savepoint)?;
                changes = before;
                self.tally.undone += 1;
            }
            if self.rng.one_in(4) {
                self.read(&mut tx, &changes)?;
            }
        }
        if self.rng.one_in(4) {
            self.tally.undone += 1;
            return tx.rollback();
        }
        let entries = self.db.active_transactions();
        let entry = entries.into_iter().find(|e| e.id == tx.id());
        let how = [Durability::Delayed, Durability::Full][self.rng.below(2) as usize];
        tx.commit(how)?;
        if let Some(number) = entry.and_then(|e| e.commit_sequence()) {
            assert!(self.ledger.lock().commits.insert(number, changes).is_none());
        }
        Ok(())
    }

    fn look(&mut self) -> StorageResult<()> {
        let mut tx = self.begin()?;
        tx.set_snapshot(Some(self.db.instance().snapshots.take(SessionId(51 + self.me))?));
        for _ in 0..1 + self.rng.below(3) {
            self.read(&mut tx, &Changes::new())?;
            thread::sleep(Duration::from_micros(self.rng.below(500)));
        }
        if let (true, Some(snapshot)) = (self.rng.one_in(2), tx.snapshot().cloned()) {
            let k = key(self.rng.below(KEYS));
            let claimed = btree::claim(&mut tx, &self.tree, &k, LockMode::X)?;
            self.tally.changed += usize::from(claimed == Claimed::Changed);
            self.ledger.lock().claims.push((snapshot.sequence(), k.to_vec(), claimed));
        }
        Ok(())
    }

    fn work(mut self, writes: bool) -> Tally {
        for _ in 0..if writes { 8 } else { 5 } {
            match if writes { self.write() } else { self.look() } {
                Ok(()) => {}
                Err(StorageError::Lock(LockError::Deadlock { .. })) => self.tally.deadlocks += 1,
                Err(StorageError::VersionGone) => self.tally.gone += 1,
                Err(e) => panic!("{e} ({e:?})"),
            }
        }
        self.tally
    }
}

/// Each read shows what the commits up to its number leave, and own changes.
fn compare(ledger: &Ledger) {
    for (at, own, rows) in &ledger.reads {
        let mut model = Rows::new();
        let before = ledger.commits.range(..=at).map(|(_, changes)| changes);
        for (k, value) in before.chain(std::iter::once(own)).flatten() {
            match value {
                Some(value) => drop(model.insert(k.clone(), value.clone())),
                None => drop(model.remove(k)),
            }
        }
        let differs = |k: &&Vec<u8>| rows.get(*k) != model.get(*k);
        if let Some(k) = rows.keys().chain(model.keys()).find(differs) {
            let short = |v: Option<&Vec<u8>>| v.map(|v| (v[0], v.len()));
            let all =
                ledger.commits.iter().filter_map(|(n, c)| Some((n, short(c.get(k)?.as_ref()))));
            panic!(
                "as of {at} {k:?} was {:?} and not {:?}; own {:?}; commits {:?}",
                short(rows.get(k)),
                short(model.get(k)),
                own.get(k).map(|v| short(v.as_ref())),
                all.collect::<Vec<_>>()
            );
        }
    }
    for (at, k, claimed) in &ledger.claims {
        let changed = ledger.commits.range(at + 1..).any(|(_, changes)| changes.contains_key(k));
        // One that was rolled back to a savepoint has changed nothing; a later commit than the claim may have.
        assert!(changed || *claimed == Claimed::Same, "{k:?} as of {at}");
    }
}

fn snapshots_stand(seed: u64) -> Tally {
    let rig = Rig::new(seed).dir_synced().frames(64).data(MB, Growth::Bytes(256 * KB));
    let mut rig = rig.log(MB, Growth::Bytes(256 * KB));
    rig.machine.versions_bytes = if seed.is_multiple_of(4) { 5_000 } else { 64 << 20 };
    let db = rig.create();
    let (tree, heap) = (make(&db, OBJECT, 1), make(&db, OBJECT + 1, 0));
    db.set_versions(true);
    assert!(db.versions_ready());
    let (rids, ledger) = (Arc::<Mutex<Vec<Rid>>>::default(), Arc::<Mutex<Ledger>>::default());
    let clients: Vec<_> = (0..WRITERS + READERS)
        .map(|me| {
            let client = Client {
                db: db.clone(),
                tree: db.hobt(tree).unwrap(),
                heap: db.hobt(heap).unwrap(),
                rids: rids.clone(),
                ledger: ledger.clone(),
                rng: SimRng::new(seed << 8 | u64::from(me)),
                me,
                tally: Tally::default(),
            };
            sched::spawn("client", move || client.work(me < WRITERS))
        })
        .collect();
    let keeper = {
        let db = db.clone();
        sched::spawn("keeper", move || {
            for n in 0..10 {
                db.clean_ghosts(8).unwrap();
                db.sweep_versions();
                if n % 4 == 1 {
                    db.checkpoint(CheckpointKind::Manual).unwrap();
                }
                thread::sleep(Duration::from_micros(500));
            }
        })
    };
    let tallies: Vec<Tally> = clients.into_iter().map(|c| c.join()).collect();
    keeper.join();
    compare(&ledger.lock());
    assert!(db.instance().locks.snapshot().is_empty());
    db.sweep_versions();
    assert_eq!(db.instance().snapshots.bytes(), 0);
    assert_eq!(db.row_versions().versions, 0);
    let findings = db.check_all(|_| Box::new(super::part::Values(false)), &mut || false).unwrap();
    assert!(findings.is_empty(), "{findings:?}");
    tallies.iter().fold(Tally::default(), Tally::and)
}

fn one(case: &Case) -> Result<Ran<Tally>, Failure> {
    let case = case.clone();
    sched::run(&case.plan(), move || snapshots_stand(case.seed))
}

#[test]
fn each_snapshot_shows_its_moment() {
    let again = "-p taffrail-storage --test it turns::versions:: -- --nocapture";
    let seen = programme(again, 1, 300, one);
    let sum = seen.results.iter().fold(Tally::default(), Tally::and);
    eprintln!(
        "{} runs, {} steps, {} switches, {sum:?}",
        seen.results.len(),
        seen.steps,
        seen.switches
    );
    let met = sum.rows > 0 && sum.changed > 0 && sum.gone > 0 && sum.undone > 0;
    assert!(seen.told || met, "never seen, so not tested: {sum:?}");
}
