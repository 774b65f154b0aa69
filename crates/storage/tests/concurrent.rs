//! Several threads on one database with a small pool: each row belongs to one thread, which knows what it wrote; some rows belong to all.
//! Checkpoints and the lazy writer run beside them. In the end everything is there, also after a restart.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use taffrail_base::HobtId;
use taffrail_io::sim::SimRng;
use taffrail_storage::lock::{LockError, LockMode};
use taffrail_storage::{
    CheckpointKind, Database, Direction, Durability, Growth, KeyRange, Rid, ScanLocks,
    StorageError, StorageResult, Transaction, btree, heap,
};

use crate::rig;

use rig::{MB, Rig, begin, begin_as, entries, heap_rows, make_in, number};

const ACCOUNTS: u64 = 40;
const START: u64 = 1000;
const THREADS: u64 = 4;

fn rig() -> Rig {
    let growth = Growth::Bytes(MB);
    Rig::new(7).frames(64).data(2 * MB, growth).log(4 * MB, growth)
}

struct Mine {
    tree: BTreeMap<Vec<u8>, Vec<u8>>,
    heap: BTreeMap<Rid, Vec<u8>>,
}

fn account(n: u64) -> Vec<u8> {
    [b"account".as_slice(), &n.to_be_bytes()].concat()
}

fn amount(v: &[u8]) -> u64 {
    u64::from_le_bytes(v[..8].try_into().unwrap())
}

/// Moves money between two accounts: update locks first, as an UPDATE would.
fn transfer(
    tx: &mut Transaction,
    tree: &Arc<taffrail_storage::Hobt>,
    rng: &mut SimRng,
) -> StorageResult<()> {
    let (from, to) = (rng.below(ACCOUNTS), rng.below(ACCOUNTS));
    if from == to {
        return Ok(());
    }
    let (mut a, mut b) = (Vec::new(), Vec::new());
    assert!(btree::get(tx, tree, &account(from), ScanLocks::Update, &mut a)?);
    assert!(btree::get(tx, tree, &account(to), ScanLocks::Update, &mut b)?);
    let n = rng.below(10).min(amount(&a));
    let padding = vec![3; rng.below(200) as usize];
    let with = |v: u64| [&v.to_le_bytes()[..], &padding].concat();
    btree::update(tx, tree, &account(from), &with(amount(&a) - n))?;
    btree::update(tx, tree, &account(to), &with(amount(&b) + n))
}

fn worker(db: &Arc<Database>, ids: (HobtId, HobtId), me: u64, rounds: u64) -> Mine {
    let mut rng = SimRng::new(me + 100);
    let (tree, rows) = (db.hobt(ids.0).unwrap(), db.hobt(ids.1).unwrap());
    let mut mine = Mine { tree: BTreeMap::new(), heap: BTreeMap::new() };
    for round in 0..rounds {
        let mut tx = begin_as(db, 51 + me as u16);
        let (mut t, mut h) = (mine.tree.clone(), mine.heap.clone());
        let result = (|| {
            tx.lock_object(tree.object(), LockMode::IX)?;
            tx.lock_object(rows.object(), LockMode::IX)?;
            for _ in 0..1 + rng.below(12) {
                let mut key = rng.below(200).to_be_bytes().to_vec();
                key.push(me as u8);
                let value = vec![round as u8; rng.below(1500) as usize];
                match rng.below(10) {
                    0..4 => match btree::insert(&mut tx, &tree, &key, &value) {
                        Ok(()) => assert!(t.insert(key, value).is_none()),
                        Err(StorageError::DuplicateKey) => {
                            btree::update(&mut tx, &tree, &key, &value)?;
                            assert!(t.insert(key, value).is_some());
                        }
                        Err(e) => return Err(e),
                    },
                    4 => {
                        let there = btree::delete(&mut tx, &tree, &key)?;
                        assert_eq!(there, t.remove(&key).is_some());
                    }
                    5 | 6 => {
                        let row = [&[me as u8][..], &value].concat();
                        let rid = heap::insert(&mut tx, &rows, &row)?;
                        assert!(h.insert(rid, row).is_none());
                    }
                    7 => {
                        if let Some(&rid) = h.keys().next() {
                            let row = [&[me as u8][..], &value, &value].concat();
                            heap::update(&mut tx, &rows, rid, &row)?;
                            h.insert(rid, row);
                        }
                    }
                    8 => {
                        if let Some((rid, _)) = h.pop_last() {
                            assert!(heap::delete(&mut tx, &rows, rid)?);
                        }
                    }
                    _ => transfer(&mut tx, &tree, &mut rng)?,
                }
            }
            Ok(())
        })();
        match result {
            Ok(()) if !rng.one_in(5) => {
                let how = if rng.one_in(2) { Durability::Full } else { Durability::Delayed };
                tx.commit(how).unwrap();
                (mine.tree, mine.heap) = (t, h);
            }
            Ok(()) | Err(StorageError::Lock(LockError::Deadlock { .. })) => tx.rollback().unwrap(),
            Err(e) => panic!("thread {me}: {e:?}"),
        }
        if rng.one_in(20) {
            check_sum(db, &tree, 80 + me as u16);
        }
    }
    mine
}

/// No money is made or lost, as READ COMMITTED under an S lock on the table sees it.
fn check_sum(db: &Arc<Database>, tree: &Arc<taffrail_storage::Hobt>, session: u16) {
    let mut tx = begin_as(db, session);
    if tx.lock_object(tree.object(), LockMode::S).is_err() {
        return;
    }
    let range = KeyRange { lower: Some(b"account".to_vec()), ..KeyRange::default() };
    let mut c = btree::seek(tree, range, Direction::Forward, ScanLocks::ReadCommitted);
    let (mut n, mut sum) = (0, 0);
    while let Some((_, v)) = c.next(&mut tx).unwrap() {
        n += 1;
        sum += amount(v);
    }
    assert_eq!((n, sum), (ACCOUNTS, ACCOUNTS * START));
    tx.commit(Durability::Full).unwrap();
}

fn check_all(db: &Arc<Database>, ids: (HobtId, HobtId), all: &[Mine]) {
    let (tree, rows) = (db.hobt(ids.0).unwrap(), db.hobt(ids.1).unwrap());
    let mut tx = begin_as(db, 90);
    let range = KeyRange { upper: Some(b"account".to_vec()), ..KeyRange::default() };
    let found = entries(&mut tx, &tree, range, ScanLocks::ReadCommitted).unwrap();
    let want: BTreeMap<_, _> = all.iter().flat_map(|m| m.tree.clone()).collect();
    assert!(found == want, "trees differ: {} and {} entries", found.len(), want.len());
    let found = heap_rows(&mut tx, &rows, ScanLocks::ReadCommitted).unwrap();
    let want: BTreeMap<_, _> = all.iter().flat_map(|m| m.heap.clone()).collect();
    assert!(found == want, "heaps differ: {} and {} rows", found.len(), want.len());
    tx.commit(Durability::Full).unwrap();
    check_sum(db, &tree, 91);
}

#[test]
fn threads_do_not_get_in_each_others_way() {
    let rounds = number("ROUNDS").unwrap_or(400);
    let rig = rig();
    let inst = rig.instance();
    let db = rig.create_in(&inst).unwrap();
    let mut tx = begin(&db);
    let (tree, rows) = (make_in(&mut tx, 1000, 1), make_in(&mut tx, 1001, 0));
    let hobt = db.hobt(tree).unwrap();
    for n in 0..ACCOUNTS {
        btree::insert(&mut tx, &hobt, &account(n), &START.to_le_bytes()).unwrap();
    }
    tx.commit(Durability::Full).unwrap();
    let ids = (tree, rows);
    let done = AtomicBool::new(false);
    let all: Vec<Mine> = std::thread::scope(|s| {
        let workers: Vec<_> = (0..THREADS)
            .map(|me| {
                s.spawn({
                    let db = &db;
                    move || worker(db, ids, me, rounds)
                })
            })
            .collect();
        s.spawn(|| {
            while !done.load(Ordering::Acquire) {
                db.checkpoint(CheckpointKind::Manual).unwrap();
                db.clean_ghosts(1000).unwrap();
                inst.lazy_writer_tick();
                db.log().writer_tick();
                std::thread::sleep(Duration::from_millis(2));
            }
        });
        let all = workers.into_iter().map(|w| w.join()).collect::<Vec<_>>();
        done.store(true, Ordering::Release);
        all.into_iter().map(|r| r.unwrap()).collect()
    });
    check_all(&db, ids, &all);
    let r = db.rarities();
    println!("{r:?}");
    assert!(r.splits.load(Ordering::Relaxed) > 0 && inst.pool.counters.evictions.get() > 0);
    // Delayed commits too: they are in the log that this hardens.
    db.flush_log().unwrap();
    rig.lose_power((db, inst));
    let db = rig.open();
    check_all(&db, ids, &all);
    db.close().unwrap();
}
