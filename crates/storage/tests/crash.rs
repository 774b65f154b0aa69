//! Seeded workloads on the simulated disk with a pool of 64 frames: power fails at a random I/O, the database is opened again, and must
//! hold exactly what a model says: every acknowledged commit, nothing of anything else.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use taffrail_base::{DatabaseId, HobtId, IndexId, ObjectId, SessionId};
use taffrail_io::sim::{SimOptions, SimRng, SimWorld};
use taffrail_storage::backup::{BackupKind, BackupSpec, Device, RestoreKind, RestoreSpec, Watch};
use taffrail_storage::lock::LockMode;
use taffrail_storage::{
    BeginSpec, CheckpointKind, CreateSpec, DataFileSpec, Database, DatabaseOptions, Direction,
    Durability, Growth, HobtKind, InstanceOptions, KeyRange, LobRef, OpenSpec, RecoveryModel, Rid,
    ScanLocks, StorageError, StorageInstance, StorageResult, Transaction, btree, heap, lob,
};

const DB: DatabaseId = DatabaseId(5);
const TREE: HobtId = HobtId(3);

fn instance(world: &SimWorld, frames: u64) -> Arc<StorageInstance> {
    let options = InstanceOptions { pool_bytes: frames * 8192, ..InstanceOptions::default() };
    StorageInstance::new(world.env(), options).unwrap()
}

fn spec(log_kb: u64) -> CreateSpec {
    let file = |name: &str, size, growth, max_size| DataFileSpec {
        name: name.into(),
        path: PathBuf::from(format!("/data/{name}")),
        size,
        growth,
        max_size,
    };
    CreateSpec {
        data_files: vec![file("t.mdf", 2 << 20, Growth::Bytes(1 << 20), None)],
        log_files: vec![file("t_log.ldf", log_kb << 10, Growth::Bytes(1 << 20), Some(64 << 20))],
        options: DatabaseOptions {
            recovery_model: RecoveryModel::Simple,
            ..DatabaseOptions::default()
        },
        temporary: false,
    }
}

/// What the database should hold.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
struct Model {
    tree: BTreeMap<Vec<u8>, Vec<u8>>,
    /// A user's tree, if it exists; its large values.
    second: BTreeMap<Vec<u8>, Vec<u8>>,
    heap: BTreeMap<Rid, Vec<u8>>,
    lobs: BTreeMap<Vec<u8>, Vec<u8>>,
}

struct Ids {
    second: HobtId,
    heap: HobtId,
    lobs: HobtId,
}

fn begin(db: &Arc<Database>) -> Transaction {
    db.begin(BeginSpec { session: SessionId(51), ..BeginSpec::default() })
}

fn create(world: &SimWorld, frames: u64) -> StorageResult<(Arc<Database>, Ids)> {
    world.env().disk.create_dir(std::path::Path::new("/data")).unwrap();
    let inst = instance(world, frames);
    let db = Database::create(&inst, DB, "t", &spec(1024))?;
    let mut tx = begin(&db);
    let ids = Ids {
        second: db.create_hobt(&mut tx, HobtKind::BTree, ObjectId(1000), IndexId(1))?,
        heap: db.create_hobt(&mut tx, HobtKind::Heap, ObjectId(1001), IndexId(0))?,
        lobs: db.create_hobt(&mut tx, HobtKind::BTree, ObjectId(1002), IndexId(1))?,
    };
    tx.commit(Durability::Full)?;
    Ok((db, ids))
}

fn read(db: &Arc<Database>, ids: &Ids) -> StorageResult<Model> {
    let mut m = Model::default();
    let mut tx = begin(db);
    for (id, into) in [(TREE, &mut m.tree), (ids.second, &mut m.second)] {
        let hobt = db.hobt(id)?;
        let mut c = btree::seek(&hobt, KeyRange::default(), Direction::Forward, ScanLocks::None);
        while let Some((k, v)) = c.next(&mut tx)? {
            assert!(into.last_key_value().is_none_or(|(last, _)| &last[..] < k), "out of order");
            into.insert(k.to_vec(), v.to_vec());
        }
        assert_eq!(hobt.row_count(), into.len() as u64, "row count of {id}");
        let mut back = Vec::new();
        let mut c = btree::seek(&hobt, KeyRange::default(), Direction::Backward, ScanLocks::None);
        while let Some((k, _)) = c.next(&mut tx)? {
            back.push(k.to_vec());
        }
        back.reverse();
        assert!(back.iter().eq(into.keys()), "backward differs from forward");
    }
    let hobt = db.hobt(ids.heap)?;
    let mut c = heap::scan(&hobt, ScanLocks::None);
    while let Some((rid, row)) = c.next(&mut tx)? {
        assert!(m.heap.insert(rid, row.to_vec()).is_none(), "{rid:?} twice");
    }
    assert_eq!(hobt.row_count(), m.heap.len() as u64, "row count of the heap");
    let hobt = db.hobt(ids.lobs)?;
    let mut c = btree::seek(&hobt, KeyRange::default(), Direction::Forward, ScanLocks::None);
    let mut refs = Vec::new();
    while let Some((k, v)) = c.next(&mut tx)? {
        refs.push((k.to_vec(), LobRef::from_bytes(v.try_into().unwrap())));
    }
    for (k, r) in refs {
        let mut bytes = Vec::new();
        lob::read(&mut tx, &hobt, r, 0, u64::MAX, &mut bytes)?;
        assert_eq!(bytes.len() as u64, r.length);
        m.lobs.insert(k, bytes);
    }
    tx.commit(Durability::Full)?;
    Ok(m)
}

fn bytes(rng: &mut SimRng, most: u64) -> Vec<u8> {
    let len = match rng.below(20) {
        0 => rng.below(most * 8),
        _ => rng.below(most),
    };
    let fill = rng.below(256) as u8;
    (0..len.min(8000)).map(|i| fill.wrapping_add((i / 7) as u8)).collect()
}

fn some_key<V>(rng: &mut SimRng, map: &BTreeMap<Vec<u8>, V>) -> Option<Vec<u8>> {
    let probe = key(rng);
    map.range(probe..).next().or_else(|| map.iter().next()).map(|(k, _)| k.clone())
}

fn key(rng: &mut SimRng) -> Vec<u8> {
    let mut k = rng.below(1 << 16).to_be_bytes()[5..].to_vec();
    if rng.one_in(10) {
        k.extend(std::iter::repeat_n(7, rng.below(300) as usize));
    }
    k
}

/// One random change of database and model.
fn change(
    db: &Arc<Database>,
    ids: &Ids,
    tx: &mut Transaction,
    m: &mut Model,
    rng: &mut SimRng,
    next: &mut u64,
) -> StorageResult<()> {
    let second = rng.one_in(2);
    let (hobt, map) =
        if second { (db.hobt(ids.second)?, &mut m.second) } else { (db.hobt(TREE)?, &mut m.tree) };
    tx.lock_object(hobt.object(), LockMode::IX)?;
    match rng.below(100) {
        0..25 => {
            let k = if second {
                *next += 1;
                next.to_be_bytes().to_vec()
            } else {
                key(rng)
            };
            let v = bytes(rng, 300);
            match btree::insert(tx, &hobt, &k, &v) {
                Ok(()) => assert!(map.insert(k, v).is_none()),
                Err(StorageError::DuplicateKey) => assert!(map.contains_key(&k)),
                Err(e) => return Err(e),
            }
        }
        25..40 => {
            if let Some(k) = some_key(rng, map) {
                let v = bytes(rng, 300);
                btree::update(tx, &hobt, &k, &v)?;
                map.insert(k, v);
            }
        }
        40..55 => {
            if let Some(k) = some_key(rng, map) {
                assert!(btree::delete(tx, &hobt, &k)?);
                map.remove(&k);
                let mut v = Vec::new();
                assert!(!btree::get(tx, &hobt, &k, ScanLocks::None, &mut v)?);
            }
        }
        55..70 => {
            let hobt = db.hobt(ids.heap)?;
            tx.lock_object(hobt.object(), LockMode::IX)?;
            let row = bytes(rng, 300);
            let rid = heap::insert(tx, &hobt, &row)?;
            assert!(m.heap.insert(rid, row).is_none(), "{rid:?} was taken");
        }
        70..92 => {
            let hobt = db.hobt(ids.heap)?;
            tx.lock_object(hobt.object(), LockMode::IX)?;
            let n = m.heap.len() as u64;
            if n > 0 {
                let rid = *m.heap.keys().nth(rng.below(n) as usize).unwrap();
                if rng.one_in(2) {
                    let row = bytes(rng, 600);
                    heap::update(tx, &hobt, rid, &row)?;
                    m.heap.insert(rid, row);
                } else {
                    assert!(heap::delete(tx, &hobt, rid)?);
                    m.heap.remove(&rid);
                }
            }
        }
        92..96 => {
            let hobt = db.hobt(ids.lobs)?;
            tx.lock_object(hobt.object(), LockMode::IX)?;
            let k = rng.below(8).to_be_bytes().to_vec();
            let mut old = Vec::new();
            if btree::get(tx, &hobt, &k, ScanLocks::None, &mut old)? {
                lob::delete(tx, &hobt, LobRef::from_bytes(old[..].try_into().unwrap()))?;
                btree::delete(tx, &hobt, &k)?;
                m.lobs.remove(&k);
            } else {
                let len = rng.below(60_000) as usize;
                let value: Vec<u8> = (0..len).map(|i| (i / 100) as u8).collect();
                let r = lob::write(tx, &hobt, &value)?;
                btree::insert(tx, &hobt, &k, &r.to_bytes())?;
                m.lobs.insert(k, value);
            }
        }
        96 if rng.one_in(6) => {
            let (id, clear): (_, fn(&mut Model)) = match rng.below(3) {
                0 => (ids.second, |m| m.second.clear()),
                1 => (ids.heap, |m| m.heap.clear()),
                _ => (ids.lobs, |m| m.lobs.clear()),
            };
            db.truncate_hobt(tx, id)?;
            clear(m);
        }
        97 if rng.one_in(6) => {
            // A table that is gone at the end in any case.
            let id = db.create_hobt(tx, HobtKind::BTree, ObjectId(2000), IndexId(1))?;
            let hobt = db.hobt(id)?;
            for i in 0..rng.below(200) {
                btree::insert(tx, &hobt, &i.to_be_bytes(), &[1; 100])?;
            }
            db.drop_hobt(tx, id)?;
        }
        _ => {}
    }
    Ok(())
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

/// Deletes neighbouring rows, so that whole leaves become empty.
fn clear_range(
    db: &Arc<Database>,
    ids: &Ids,
    states: &mut Vec<Model>,
    rng: &mut SimRng,
) -> StorageResult<()> {
    let mut m = states.last().unwrap().clone();
    let mut tx = begin(db);
    for (id, map) in [(TREE, &mut m.tree), (ids.second, &mut m.second)] {
        let hobt = db.hobt(id)?;
        tx.lock_object(hobt.object(), LockMode::IX)?;
        let from = map.keys().nth(rng.below(map.len() as u64 + 1) as usize).cloned();
        let keys: Vec<_> = map.range(from.unwrap_or_default()..).map(|(k, _)| k.clone()).collect();
        for k in keys.into_iter().take(150) {
            assert!(btree::delete(&mut tx, &hobt, &k)?);
            map.remove(&k);
        }
    }
    states.push(m);
    tx.commit(Durability::Full)?;
    states.drain(..states.len() - 1);
    Ok(())
}

/// Works until the world ends. `states`: what the database may hold afterwards; the first is the last fully durable one.
fn work(
    db: &Arc<Database>,
    ids: &Ids,
    states: &mut Vec<Model>,
    rng: &mut SimRng,
    next: &mut u64,
    transactions: u64,
) -> StorageResult<()> {
    for _ in 0..transactions {
        let before = states.last().unwrap().clone();
        let mut m = before.clone();
        let mut tx = begin(db);
        for _ in 0..rng.below(30) {
            let savepoint = tx.savepoint();
            let kept = m.clone();
            change(db, ids, &mut tx, &mut m, rng, next)?;
            if rng.one_in(8) {
                tx.rollback_to(savepoint)?;
                m = kept;
            }
            if rng.one_in(40) {
                // With this transaction open: restart has to undo what the checkpoint has written.
                db.checkpoint(CheckpointKind::Manual)?;
            }
            let counted = [TREE, ids.second, ids.heap, ids.lobs]
                .map(|id| db.hobt(id).map(|h| h.row_count() as usize).unwrap_or(usize::MAX));
            assert_eq!(counted, [m.tree.len(), m.second.len(), m.heap.len(), m.lobs.len()]);
        }
        match rng.below(10) {
            0..3 => tx.rollback()?,
            3..5 => {
                let wrote = tx.has_written();
                let result = tx.commit(Durability::Delayed);
                if wrote {
                    states.push(m);
                }
                result?;
            }
            _ => {
                let wrote = tx.has_written();
                // Either outcome may be found if the power fails now.
                states.push(m);
                tx.commit(Durability::Full)?;
                if wrote {
                    states.drain(..states.len() - 1);
                }
            }
        }
        if rng.one_in(12) {
            db.checkpoint(CheckpointKind::Manual)?;
        }
        if rng.one_in(5) {
            db.clean_ghosts(1000)?;
        }
        if rng.one_in(30) {
            clear_range(db, ids, states, rng)?;
        }
        if db.needs_checkpoint() {
            db.checkpoint(CheckpointKind::Automatic)?;
        }
    }
    Ok(())
}

fn run(seed: u64, seen: &mut Seen) {
    let mut rng = SimRng::new(seed);
    let sector = if rng.one_in(2) { 512 } else { 4096 };
    let world = SimWorld::with_options(seed, SimOptions { sector, ..SimOptions::default() });
    let (mut db, ids) = create(&world, 64).unwrap();
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
        let opened = loop {
            world.restart();
            if rng.one_in(3) {
                world.crash_at(1 + rng.below(200));
            }
            let inst = instance(&world, 64);
            match Database::open(&inst, DB, "t", &OpenSpec { primary: "/data/t.mdf".into() }) {
                Ok(opened) => break opened,
                Err(e) => {
                    assert!(!world.is_powered(), "seed {seed}: restart failed: {e}");
                    seen.crashes += 1;
                }
            }
        };
        world.clear_faults();
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

fn reopen(world: &SimWorld, seed: u64) -> Arc<Database> {
    let inst = instance(world, 64);
    Database::open(&inst, DB, "t", &OpenSpec { primary: "/data/t.mdf".into() })
        .unwrap_or_else(|e| panic!("seed {seed}: restart failed: {e}"))
        .0
}

fn difference(states: &[Model], found: &Model) -> String {
    let mut out = format!("the database holds none of {} possible states;", states.len());
    for (i, s) in states.iter().enumerate() {
        let diff = |a: &BTreeMap<Vec<u8>, Vec<u8>>, b: &BTreeMap<Vec<u8>, Vec<u8>>| {
            let missing = a.iter().filter(|(k, v)| b.get(*k) != Some(v)).count();
            let extra = b.keys().filter(|k| !a.contains_key(*k)).count();
            (missing, extra)
        };
        let heap = s.heap.iter().filter(|(k, v)| found.heap.get(k) != Some(v)).count();
        let heap_extra = found.heap.keys().filter(|k| !s.heap.contains_key(k)).count();
        out += &format!(
            " state {i}: tree {:?}, second {:?}, lobs {:?}, heap {:?};",
            diff(&s.tree, &found.tree),
            diff(&s.second, &found.second),
            diff(&s.lobs, &found.lobs),
            (heap, heap_extra)
        );
    }
    out
}

#[test]
fn acknowledged_commits_survive_and_nothing_else_does() {
    let mut seen = Seen::default();
    let one = std::env::var("SEED").ok().and_then(|s| s.parse().ok());
    let count = std::env::var("SEEDS").ok().and_then(|s| s.parse().ok()).unwrap_or(60);
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
    let world = SimWorld::new(seed);
    let (db, ids) = create(&world, 64).unwrap();
    let mut states = vec![Model::default()];
    let mut next = 0;
    work(&db, &ids, &mut states, &mut rng, &mut next, 40).unwrap();
    // The sync of the next checkpoint's pages is the next one.
    world.drop_sync(Some(world.stats().syncs + 1 + seed % 6));
    db.checkpoint(CheckpointKind::Manual).unwrap();
    drop(db);
    world.crash();
    world.restart();
    let db = reopen(&world, seed);
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
        let world = SimWorld::new(seed);
        let (db, ids) = create(&world, 64).unwrap();
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
        let inst = instance(&world, 64);
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
        let copy = taffrail_storage::backup::restore(&inst, &spec, &mut ()).unwrap();
        let copy = copy.database.unwrap();
        assert_eq!(read(&copy, &ids).unwrap(), want, "seed {seed}: restored");
        copy.close().unwrap();
        let inst = instance(&world, 64);
        let open = OpenSpec { primary: "/data/copy_t.mdf".into() };
        let (copy, _) = Database::open(&inst, DatabaseId(6), "copy", &open).unwrap();
        assert_eq!(read(&copy, &ids).unwrap(), want, "seed {seed}: restored and opened");
    }
}
