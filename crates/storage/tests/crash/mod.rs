//! Seeded workloads on the simulated disk with a pool of 64 frames: power fails at a random I/O, the database is opened again, and must
//! hold exactly what a model says: every acknowledged commit, nothing of anything else.

mod model;
use crate::rig;
mod work;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use taffrail_base::DatabaseId;
use taffrail_io::sim::SimRng;
use taffrail_storage::backup::{BackupKind, BackupSpec, Device, RestoreKind, RestoreSpec, Watch};
use taffrail_storage::{CheckpointKind, Database, Durability, Growth, OpenSpec, btree};

use model::{Model, create, difference, read};
use rig::{KB, MB, Rig, TREE, begin, number};
use work::{change, work};

/// Seeds decide about sectors.
fn rig(seed: u64, sector: u32) -> Rig {
    let rig = Rig::sectors(seed, sector).frames(64).data(2 * MB, Growth::Bytes(MB));
    rig.log(1024 * KB, Growth::Bytes(MB)).log_max(64 * MB)
}

#[derive(Default, Debug)]
struct Seen {
    splits: u64,
    root_splits: u64,
    checkpoints: u64,
    evictions: u64,
    double_written: u64,
    unprotected: u64,
    torn_repaired: u64,
    forwards: u64,
    expunged: u64,
    compensations: u64,
    extents_freed: u64,
    leaves_freed: u64,
    crashes: u64,
    rolled_back: u64,
    redone: u64,
}

impl Seen {
    fn add(&mut self, db: &Database) {
        let r = db.rarities();
        let get = |a: &std::sync::atomic::AtomicU64| a.load(Ordering::Relaxed);
        self.splits += get(&r.splits);
        self.root_splits += get(&r.root_splits);
        self.checkpoints += get(&r.checkpoints);
        self.double_written += get(&r.double_written);
        self.unprotected += get(&r.unprotected);
        self.torn_repaired += get(&r.torn_repaired);
        self.forwards += get(&r.forwards);
        self.expunged += get(&r.expunged);
        self.compensations += get(&r.compensations);
        self.extents_freed += get(&r.extents_freed);
        self.leaves_freed += get(&r.leaves_freed);
        self.evictions += db.instance().pool.counters.evictions.get();
    }
}

fn run(seed: u64, seen: &mut Seen) {
    let mut rng = SimRng::new(seed);
    let sector = if rng.one_in(2) { 512 } else { 4096 };
    let rig = rig(seed, sector);
    let world = &rig.world;
    let (mut db, ids) = create(&rig);
    let mut states = vec![Model::default()];
    let mut next = 0;
    for _round in 0..4 {
        let far = if rng.one_in(3) { 2000 } else { 300 };
        world.crash_at(1 + rng.below(far));
        let n = rng.below(120);
        let result = work(&db, &ids, &mut states, &mut rng, &mut next, n);
        if world.is_powered() {
            result.unwrap_or_else(|e| panic!("seed {seed}: {e:?}"));
        }
        seen.add(&db);
        seen.crashes += 1;
        drop(db);
        world.crash();
        // Restart may be cut short too.
        let opened =
            rig.restart_through(|| rng.one_in(3).then(|| 1 + rng.below(200)), |rig| rig.restart());
        let (opened, cuts) = opened.unwrap_or_else(|e| panic!("seed {seed}: restart failed: {e}"));
        seen.crashes += cuts;
        seen.rolled_back += opened.1.rolled_back;
        seen.redone += opened.1.redone;
        db = opened.0;
        let found = read(&db, &ids).unwrap_or_else(|e| panic!("seed {seed}: {e:?}"));
        let which = states.iter().position(|s| *s == found);
        let Some(which) = which else {
            panic!("seed {seed}: {}", difference(&states, &found));
        };
        states = vec![states.swap_remove(which)];
    }
    seen.add(&db);
    db.close().unwrap();
}

#[test]
fn acknowledged_commits_survive_and_nothing_else_does() {
    let mut seen = Seen::default();
    let one = number("SEED");
    let count = number("SEEDS").unwrap_or(60);
    let seeds = match one {
        Some(seed) => seed..seed + 1,
        None => 0..count,
    };
    for seed in seeds {
        println!("seed {seed}");
        run(seed, &mut seen);
    }
    println!("{seen:?}");
    if one.is_none() {
        for (what, n) in [
            ("splits", seen.splits),
            ("root splits", seen.root_splits),
            ("checkpoints", seen.checkpoints),
            ("evictions", seen.evictions),
            ("double-written pages", seen.double_written),
            ("unprotected pages", seen.unprotected),
            ("torn pages repaired", seen.torn_repaired),
            ("forwarded rows", seen.forwards),
            ("ghosts expunged", seen.expunged),
            ("compensations", seen.compensations),
            ("extents freed", seen.extents_freed),
            ("leaves freed", seen.leaves_freed),
            ("transactions rolled back by restart", seen.rolled_back),
        ] {
            assert!(n > 0, "{what}: none seen");
        }
    }
}

/// The harness notices if one sync is left out: otherwise the test above would prove nothing.
#[test]
fn a_sync_left_out_is_noticed() {
    let mut noticed = 0;
    for seed in 0..60 {
        let result = std::panic::catch_unwind(|| run_without_sync(seed));
        noticed += u64::from(result.is_err());
        if noticed >= 3 {
            return;
        }
    }
    panic!("only {noticed} of 60 runs noticed that a sync was left out");
}

fn run_without_sync(seed: u64) {
    let mut rng = SimRng::new(seed);
    let rig = rig(seed, 4096);
    let (db, ids) = create(&rig);
    let mut states = vec![Model::default()];
    let mut next = 0;
    work(&db, &ids, &mut states, &mut rng, &mut next, 40).unwrap();
    // The sync of the next checkpoint's pages is the next one.
    rig.world.drop_sync(Some(rig.world.stats().syncs + 1 + seed % 6));
    db.checkpoint(CheckpointKind::Manual).unwrap();
    rig.lose_power(db);
    let (db, _) = rig.restart().unwrap_or_else(|e| panic!("seed {seed}: restart failed: {e}"));
    let found = read(&db, &ids).unwrap();
    assert_eq!(found, *states.last().unwrap());
}

/// Commits a row at each of a backup's steps.
struct During<'a>(&'a Arc<Database>, u8, bool);

impl Watch for During<'_> {
    // What is written while the log is copied is not in the set.
    fn pages_done(&mut self) {
        self.2 = true;
    }

    fn progress(&mut self, _: u64, _: u64) {
        if self.2 {
            return;
        }
        self.1 += 1;
        let hobt = self.0.hobt(TREE).unwrap();
        let mut tx = begin(self.0);
        let key = [b"during".as_slice(), &[self.1]].concat();
        btree::insert(&mut tx, &hobt, &key, &[7; 500]).unwrap();
        tx.commit(Durability::Full).unwrap();
    }
}

/// A backup taken while others write, and a database made from that file alone.
#[test]
fn a_backup_alone_restores_the_database() {
    for seed in 0..12 {
        let mut rng = SimRng::new(seed);
        let rig = rig(seed, 4096);
        let (db, ids) = create(&rig);
        let mut states = vec![Model::default()];
        let mut next = 0;
        work(&db, &ids, &mut states, &mut rng, &mut next, 60).unwrap();
        // Open while the backup runs: its changes must not be in what is rebuilt.
        let mut open = begin(&db);
        let mut scratch = states.last().unwrap().clone();
        for _ in 0..20 {
            change(&db, &ids, &mut open, &mut scratch, &mut rng, &mut next).unwrap();
        }
        let path = std::path::Path::new("/data/t.bak");
        let mut during = During(&db, 0, false);
        let spec = BackupSpec::new(BackupKind::Full, vec![Device::Disk(path.into())]);
        let report = db.backup(&spec, &mut during).unwrap();
        assert!(report.pages > 0 && report.header.last_lsn > report.header.first_lsn);
        let written = during.1;
        open.rollback().unwrap();
        let mut want = states.last().unwrap().clone();
        for t in 1..=written {
            want.tree.insert([b"during".as_slice(), &[t]].concat(), vec![7; 500]);
        }
        assert_eq!(read(&db, &ids).unwrap(), want, "seed {seed}");
        db.close().unwrap();
        let spec = RestoreSpec {
            kind: RestoreKind::Database,
            devices: vec![Device::Disk(path.into())],
            position: 1,
            id: DatabaseId(6),
            name: "copy".into(),
            primary: None,
            moves: report
                .header
                .files
                .iter()
                .map(|f| (f.name.clone(), PathBuf::from(format!("/data/copy_{}", f.name))))
                .collect(),
            replaces: Vec::new(),
            guid: None,
            recovery: true,
        };
        let copy = taffrail_storage::backup::restore(&rig.instance(), &spec, &mut ()).unwrap();
        let copy = copy.database.unwrap();
        assert_eq!(read(&copy, &ids).unwrap(), want, "seed {seed}: restored");
        copy.close().unwrap();
        let open = OpenSpec::of("/data/copy_t.mdf".into());
        let (copy, _) = Database::open(&rig.instance(), DatabaseId(6), "copy", &open).unwrap();
        assert_eq!(read(&copy, &ids).unwrap(), want, "seed {seed}: restored and opened");
    }
}
