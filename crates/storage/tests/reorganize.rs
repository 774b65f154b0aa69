//! Reorganization on the simulated disk. Steps of it come between insertions, deletions, updates, rollbacks and scans that are half done;
//! power fails at some I/O. Whatever the interleaving, the tree holds what the model says, the same forward, backward and by key,
//! and no extent is lost.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use taffrail_base::HobtId;
use taffrail_io::sim::SimRng;
use taffrail_storage::access::stats::StatsMode;
use taffrail_storage::lock::LockMode;
use taffrail_storage::{
    CheckpointKind, Database, Direction, Durability, Growth, KeyRange, ScanLocks, StorageError,
    StorageResult, btree,
};

use crate::rig;

use rig::{Entries, MB, Rig, begin, make, seeds, unowned, whole_tree};

fn rig(seed: u64, frames: u64) -> Rig {
    let rig = Rig::new(seed).frames(frames).data(2 * MB, Growth::Bytes(MB));
    rig.log(2 * MB, Growth::Bytes(MB)).log_max(64 * MB)
}

/// The database and its tree.
fn create(rig: &Rig) -> (Arc<Database>, HobtId) {
    let db = rig.create();
    let id = make(&db, 1000, 1);
    (db, id)
}

/// Everything, read in three ways.
fn read(db: &Arc<Database>, id: HobtId) -> StorageResult<Entries> {
    let mut tx = begin(db);
    let hobt = db.hobt(id)?;
    let m = whole_tree(&mut tx, &hobt)?;
    let mut v = Vec::new();
    for (k, want) in &m {
        assert!(btree::get(&mut tx, &hobt, k, ScanLocks::None, &mut v)? && v == *want);
    }
    tx.commit(Durability::Full)?;
    Ok(m)
}

fn value(n: u64, len: u64) -> Vec<u8> {
    vec![(n % 251) as u8; len as usize]
}

/// A key: mostly short, some long, so that separators differ in length.
fn key(n: u64) -> Vec<u8> {
    let mut k = n.to_be_bytes().to_vec();
    k.resize(8 + if n.is_multiple_of(5) { (n % 90) as usize } else { 0 }, 0x33);
    k
}

fn step_all(db: &Arc<Database>, id: HobtId, fill: u8) -> StorageResult<btree::Reorganized> {
    let mut tx = begin(db);
    let hobt = db.hobt(id)?;
    tx.lock_object(hobt.object(), LockMode::IS)?;
    let mut work = btree::Reorganize::new(&hobt, fill)?;
    while work.step(&mut tx)? {}
    tx.commit(Durability::Delayed)?;
    Ok(work.done())
}

fn leaf_stats(db: &Arc<Database>, id: HobtId) -> (u64, u64, u64) {
    let stats = db.physical_stats(id, StatsMode::Sampled, &mut || false).unwrap();
    let leaf = stats.levels[0];
    let content = leaf.content.unwrap();
    (leaf.pages, leaf.stray, content.used * 100 / content.room)
}

/// What a crash may leave, and what it did.
struct Run {
    db: Arc<Database>,
    id: HobtId,
    rng: SimRng,
    committed: Entries,
    /// What the database holds if the commit that was under way has come through.
    maybe: Option<Entries>,
    reorganized: btree::Reorganized,
}

impl Run {
    /// Transactions one after the other, a reorganization, and a scan that goes on all the time.
    fn all(&mut self, rounds: u64) -> StorageResult<()> {
        let hobt = self.db.hobt(self.id)?;
        let mut reader = begin(&self.db);
        for round in 0..rounds {
            let mut tx = begin(&self.db);
            let mut m = self.committed.clone();
            let fill = [0, 100, 70, 90][self.rng.below(4) as usize];
            let mut work = btree::Reorganize::new(&hobt, fill)?;
            let direction =
                if self.rng.one_in(2) { Direction::Forward } else { Direction::Backward };
            let all = KeyRange::default();
            let mut scan = btree::seek(&hobt, all, direction, ScanLocks::None);
            let mut scanned: Vec<Vec<u8>> = Vec::new();
            let mut gone: Vec<Vec<u8>> = Vec::new();
            let before = m.clone();
            let savepoint = tx.savepoint();
            let mut helper = begin(&self.db);
            for _ in 0..40 + self.rng.below(200) {
                match self.rng.below(10) {
                    0..2 => {
                        let n = self.rng.below(4000);
                        let v = value(n, 20 + self.rng.below(900));
                        let k = key(n);
                        match btree::insert(&mut tx, &hobt, &k, &v) {
                            Ok(()) => assert!(m.insert(k, v).is_none(), "a duplicate was accepted"),
                            Err(StorageError::DuplicateKey) => assert!(m.contains_key(&k)),
                            Err(e) => return Err(e),
                        }
                    }
                    2..4 if !m.is_empty() => {
                        // A range goes.
                        let from = key(self.rng.below(4000));
                        let some = 1 + self.rng.below(12) as usize;
                        let keys: Vec<_> =
                            m.range(from..).take(some).map(|e| e.0.clone()).collect();
                        for k in keys {
                            assert!(btree::delete(&mut tx, &hobt, &k)?);
                            m.remove(&k);
                            gone.push(k);
                        }
                    }
                    4 if !m.is_empty() => {
                        let from = key(self.rng.below(4000));
                        if let Some(k) = m.range(from..).next().map(|e| e.0.clone()) {
                            let v = value(round, 20 + self.rng.below(900));
                            btree::update(&mut tx, &hobt, &k, &v)?;
                            m.insert(k, v);
                        }
                    }
                    5..7 => {
                        for _ in 0..self.rng.below(20) {
                            match scan.next(&mut reader)? {
                                Some((k, _)) => scanned.push(k.to_vec()),
                                None => break,
                            }
                        }
                    }
                    7 if self.rng.one_in(4) => {
                        self.db.clean_ghosts(50)?;
                    }
                    _ => {
                        for _ in 0..1 + self.rng.below(12) {
                            work.step(&mut helper)?;
                        }
                    }
                }
            }
            while let Some((k, _)) = scan.next(&mut reader)? {
                scanned.push(k.to_vec());
            }
            if direction == Direction::Backward {
                scanned.reverse();
            }
            assert!(scanned.is_sorted_by(|a, b| a < b), "{direction:?}: out of order or twice");
            for k in before.keys().filter(|k| !gone.contains(k)) {
                assert!(scanned.binary_search(k).is_ok(), "{direction:?}: a row was passed over");
            }
            let done = work.done();
            self.reorganized.freed += done.freed;
            self.reorganized.filled += done.filled;
            self.reorganized.moved += done.moved;
            self.reorganized.extents += done.extents;
            helper.commit(Durability::Delayed)?;
            match self.rng.below(4) {
                0 => tx.rollback()?,
                1 => {
                    tx.rollback_to(savepoint)?;
                    tx.commit(Durability::Full)?;
                }
                _ => {
                    self.maybe = Some(m.clone());
                    tx.commit(Durability::Full)?;
                    self.committed = m;
                    self.maybe = None;
                }
            }
            if self.rng.one_in(3) {
                let done = step_all(&self.db, self.id, fill)?;
                self.reorganized.moved += done.moved;
                self.reorganized.extents += done.extents;
            }
            if self.rng.one_in(4) {
                self.db.checkpoint(CheckpointKind::Manual)?;
            }
        }
        reader.commit(Durability::Full)
    }
}

fn crash_run(seed: u64, frames: u64) -> (bool, btree::Reorganized) {
    let rig = rig(seed, frames);
    let world = &rig.world;
    let mut rng = SimRng::new(seed);
    let (db, id) = create(&rig);
    let nobody = unowned(&db);
    let mut m = Entries::new();
    let mut tx = begin(&db);
    let hobt = db.hobt(id).unwrap();
    for _ in 0..1500 {
        let n = rng.below(4000);
        let (k, v) = (key(n), value(n, 20 + rng.below(300)));
        if btree::insert(&mut tx, &hobt, &k, &v).is_ok() {
            m.insert(k, v);
        }
    }
    tx.commit(Durability::Full).unwrap();
    let scale = rng.below(12);
    let nth = 1 + rng.below(1 << scale);
    world.crash_at(nth);
    let reorganized = btree::Reorganized::default();
    let mut run = Run { db, id, rng, committed: m, maybe: None, reorganized };
    let rounds = 3 + run.rng.below(6);
    let result = run.all(rounds);
    let cut = !world.is_powered();
    if !cut {
        world.clear_faults();
        result.unwrap_or_else(|e| panic!("seed {seed}: {e:?}"));
        assert_eq!(read(&run.db, id).unwrap(), run.committed, "seed {seed}: before any crash");
    }
    let Run { db, mut rng, committed, maybe, reorganized, .. } = run;
    drop(db);
    world.crash();
    let opened =
        rig.restart_through(|| rng.one_in(4).then(|| 1 + rng.below(80)), |rig| rig.recover());
    let (db, _) = opened.unwrap_or_else(|e| panic!("seed {seed}: restart failed: {e}"));
    let found = read(&db, id).unwrap_or_else(|e| panic!("seed {seed}: {e:?}"));
    assert!(
        found == committed || maybe.is_some_and(|m| m == found),
        "seed {seed}, cut at {nth}: {} rows, {} expected",
        found.len(),
        committed.len()
    );
    // And it goes on: a reorganization that nobody disturbs leaves full pages in order.
    step_all(&db, id, 0).unwrap();
    assert_eq!(read(&db, id).unwrap(), found, "seed {seed}");
    let (pages, stray, _) = leaf_stats(&db, id);
    assert_eq!(stray, 0, "seed {seed}: {stray} of {pages} leaves out of order");
    db.checkpoint(CheckpointKind::Manual).unwrap();
    let _ = db.background_tick();
    assert_eq!(unowned(&db), nobody, "seed {seed}: extents lost");
    db.close().unwrap();
    (cut, reorganized)
}

#[test]
fn any_interleaving_keeps_contents_and_order() {
    let seeds = seeds(0, 150);
    let single = seeds.end - seeds.start == 1;
    let (mut cuts, mut all) = (0, btree::Reorganized::default());
    for seed in seeds {
        let (cut, done) = crash_run(seed, if seed.is_multiple_of(2) { 96 } else { 1000 });
        cuts += u64::from(cut);
        all.freed += done.freed;
        all.filled += done.filled;
        all.moved += done.moved;
        all.extents += done.extents;
    }
    println!("{cuts} crashes, {all:?}");
    let met = cuts > 0 && all.freed > 0 && all.filled > 0 && all.moved > 0 && all.extents > 0;
    assert!(single || met, "not everything was met");
}

/// Power fails at each write and sync of a reorganization of a sparse, scattered tree, with pages that leave a small pool, checkpoints and
/// flushes between its steps. Nothing else changes rows, so what is there afterwards is known; the machine fails once more, later,
/// without anything but the restart having written.
#[test]
fn power_fails_at_every_write_of_a_reorganization() {
    let (mut cuts, mut reorganized) = (0, 0);
    for at in 1.. {
        let rig = rig(at, 64);
        let world = &rig.world;
        let (db, id) = create(&rig);
        let nobody = unowned(&db);
        let (hobt, mut rng, mut m) = (db.hobt(id).unwrap(), SimRng::new(9), Entries::new());
        let mut tx = begin(&db);
        for _ in 0..700 {
            let n = rng.below(1 << 40);
            let (k, v) = (key(n), value(n, 300));
            btree::insert(&mut tx, &hobt, &k, &v).unwrap();
            m.insert(k, v);
        }
        tx.commit(Durability::Full).unwrap();
        let mut tx = begin(&db);
        for k in m
            .keys()
            .cloned()
            .enumerate()
            .filter(|(i, _)| i % 3 != 0)
            .map(|(_, k)| k)
            .collect::<Vec<_>>()
        {
            assert!(btree::delete(&mut tx, &hobt, &k).unwrap());
            m.remove(&k);
        }
        tx.commit(Durability::Full).unwrap();
        db.checkpoint(CheckpointKind::Manual).unwrap();
        world.crash_at(at);
        let run = || -> StorageResult<btree::Reorganized> {
            let mut tx = begin(&db);
            tx.lock_object(hobt.object(), LockMode::IS)?;
            let mut work = btree::Reorganize::new(&hobt, 90)?;
            let mut steps = 0;
            while work.step(&mut tx)? {
                steps += 1;
                match steps % 12 {
                    3 | 9 => db.flush_log()?,
                    6 => db.checkpoint(CheckpointKind::Manual)?,
                    _ => {}
                }
            }
            tx.commit(Durability::Full)?;
            Ok(work.done())
        };
        let done = run();
        let ended = world.is_powered();
        cuts += u64::from(!ended);
        world.crash();
        drop((hobt, db));
        for again in [true, false] {
            world.restart();
            let db = rig.recover().unwrap_or_else(|e| panic!("cut at {at}: {e}"));
            assert_eq!(read(&db, id).unwrap(), m, "cut at {at}");
            if again {
                world.crash();
                continue;
            }
            reorganized += step_all(&db, id, 90).unwrap().moved;
            assert_eq!(read(&db, id).unwrap(), m, "cut at {at}");
            db.checkpoint(CheckpointKind::Manual).unwrap();
            db.background_tick();
            assert_eq!(unowned(&db), nobody, "cut at {at}: extents lost");
        }
        if ended {
            let done = done.unwrap();
            assert!(done.freed > 0 && done.moved > 0 && done.extents > 0, "{done:?}");
            break;
        }
    }
    println!("{cuts} cuts; {reorganized} leaves moved by those that came after");
    assert!(cuts > 20 && reorganized > 0);
}

/// A sparse tree in random order becomes a dense one in order, on the first pages that it had, and gives back the rest.
#[test]
fn a_sparse_tree_becomes_dense_and_its_space_free() {
    let (db, id) = create(&rig(7, 2000));
    let hobt = db.hobt(id).unwrap();
    let mut rng = SimRng::new(7);
    let mut m = Entries::new();
    let mut tx = begin(&db);
    while m.len() < 6000 {
        let n = rng.below(1 << 40);
        let (k, v) = (n.to_be_bytes().to_vec(), value(n, 200));
        btree::insert(&mut tx, &hobt, &k, &v).unwrap();
        m.insert(k, v);
    }
    tx.commit(Durability::Full).unwrap();
    let mut tx = begin(&db);
    for (i, k) in m.keys().cloned().collect::<Vec<_>>().iter().enumerate() {
        if i % 4 != 0 {
            assert!(btree::delete(&mut tx, &hobt, k).unwrap());
            m.remove(k);
        }
    }
    tx.commit(Durability::Full).unwrap();
    let before = db.space_used(id).unwrap();
    let (pages, stray, full) = leaf_stats(&db, id);
    assert!(stray > pages / 2 && full < 80, "{pages} pages, {stray} stray, {full} %");
    let done = step_all(&db, id, 80).unwrap();
    let (after_pages, after_stray, after_full) = leaf_stats(&db, id);
    println!("{pages} leaves became {after_pages}, {full} % became {after_full} %: {done:?}");
    assert_eq!(after_stray, 0);
    assert!((72..=80).contains(&after_full), "{after_full} % full");
    assert!(done.extents > 0 && done.freed == pages - after_pages);
    let after = db.space_used(id).unwrap();
    assert_eq!(before.reserved_pages - after.reserved_pages, done.extents * 8);
    assert!(after.reserved_pages < before.reserved_pages / 2, "{before:?}, {after:?}");
    assert_eq!(read(&db, id).unwrap(), m);
    // Nothing to do any more.
    let log = db.log().appended();
    assert_eq!(step_all(&db, id, 80).unwrap(), btree::Reorganized::default());
    assert_eq!(db.log().appended(), log);
}

/// Several threads write and scan while the tree is reorganized again and again.
#[test]
fn beside_writers_and_readers() {
    let (db, id) = create(&rig(9, 300));
    let hobt = db.hobt(id).unwrap();
    // Rows that stay: every scan must meet all of them.
    let mut tx = begin(&db);
    for n in 0..2000u64 {
        btree::insert(&mut tx, &hobt, &(n * 1000).to_be_bytes(), &value(n, 100)).unwrap();
    }
    tx.commit(Durability::Full).unwrap();
    let stop = AtomicBool::new(false);
    let done = std::thread::scope(|s| {
        let (db, hobt, stop) = (&db, &hobt, &stop);
        let writers: Vec<_> = (0..2u64)
            .map(|thread| {
                s.spawn(move || {
                    let mut rng = SimRng::new(thread);
                    for _ in 0..60 {
                        let mut tx = begin(db);
                        tx.lock_object(hobt.object(), LockMode::IX).unwrap();
                        let from = rng.below(2000) * 1000;
                        let mut mine = Vec::new();
                        for i in 0..80 {
                            // Keys of its own, below the thousand.
                            let n = from + 1 + thread + 2 * i;
                            match btree::insert(&mut tx, hobt, &n.to_be_bytes(), &value(n, 300)) {
                                Ok(()) => mine.push(n),
                                Err(StorageError::DuplicateKey) => {}
                                Err(e) => panic!("{e:?}"),
                            }
                        }
                        if rng.one_in(3) {
                            tx.rollback().unwrap();
                            continue;
                        }
                        tx.commit(Durability::Delayed).unwrap();
                        let mut tx = begin(db);
                        tx.lock_object(hobt.object(), LockMode::IX).unwrap();
                        for n in mine {
                            assert!(btree::delete(&mut tx, hobt, &n.to_be_bytes()).unwrap());
                        }
                        tx.commit(Durability::Delayed).unwrap();
                        db.clean_ghosts(100).unwrap();
                    }
                })
            })
            .collect();
        let reader = s.spawn(move || {
            let mut scans = 0;
            while !stop.load(Ordering::Relaxed) {
                for direction in [Direction::Forward, Direction::Backward] {
                    let mut tx = begin(db);
                    let all = KeyRange::default();
                    let mut c = btree::seek(hobt, all, direction, ScanLocks::None);
                    let (mut last, mut stay): (Option<Vec<u8>>, u64) = (None, 0);
                    while let Some((k, _)) = c.next(&mut tx).unwrap() {
                        let n = u64::from_be_bytes(k.try_into().unwrap());
                        let forward = direction == Direction::Forward;
                        let ordered = |l: &Vec<u8>| if forward { &l[..] < k } else { &l[..] > k };
                        assert!(last.as_ref().is_none_or(ordered), "{direction:?}: {n} too early");
                        last = Some(k.to_vec());
                        stay += u64::from(n.is_multiple_of(1000));
                    }
                    assert_eq!(stay, 2000, "{direction:?}");
                    tx.commit(Durability::Delayed).unwrap();
                    scans += 1;
                }
            }
            scans
        });
        let mut all = btree::Reorganized::default();
        while writers.iter().any(|w| !w.is_finished()) {
            let done = step_all(db, id, 90).unwrap();
            all.freed += done.freed;
            all.moved += done.moved;
        }
        stop.store(true, Ordering::Relaxed);
        println!("{} scans", reader.join().unwrap());
        for w in writers {
            w.join().unwrap();
        }
        all
    });
    println!("{done:?}");
    assert!(done.freed > 0 && done.moved > 0, "{done:?}");
    while db.clean_ghosts(1000).unwrap() > 0 {}
    assert_eq!(read(&db, id).unwrap().len(), 2000);
    step_all(&db, id, 0).unwrap();
    assert_eq!(leaf_stats(&db, id).1, 0);
}
