//! Threads move money between accounts while others add it up; power fails meanwhile.
//!
//! 1. A reader that has locked the table always sees the same sum.
//! 2. A reader without table lock sees whole committed rows.
//! 3. After a crash the sum is the same, and each thread's own row tells at least as many transfers as were acknowledged to
//!    it, and at most one more.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use taffrail_base::{HobtId, ObjectId};
use taffrail_io::sim::SimRng;
use taffrail_storage::lock::{LockError, LockMode};
use taffrail_storage::{
    CheckpointKind, Database, Direction, Durability, Growth, KeyRange, ScanLocks, StorageError,
    btree,
};

use crate::rig;

use rig::{KB, MB, Rig, begin_as, make_in};

const ACCOUNTS: u64 = 200;
const START: u64 = 1000;
const THREADS: u64 = 6;
const TABLE: ObjectId = ObjectId(1001);

fn rig() -> Rig {
    let growth = Growth::Bytes(256 * KB);
    let rig = Rig::new(7).dir_synced().named("bank").log_named("bank.ldf");
    rig.frames(64).data(2 * MB, growth).log(MB, growth)
}

/// A row: the amount, and enough bytes that the table is larger than the pool.
fn row(amount: u64) -> Vec<u8> {
    let mut bytes = amount.to_le_bytes().to_vec();
    bytes.resize(8 + 3500, amount as u8);
    bytes
}

fn amount(row: &[u8]) -> u64 {
    assert!(row[8..].iter().all(|b| *b == row[0]), "a row is whole");
    u64::from_le_bytes(row[..8].try_into().unwrap())
}

fn account(n: u64) -> [u8; 8] {
    n.to_be_bytes()
}

/// Where a thread counts its transfers.
fn counter(thread: u64) -> [u8; 8] {
    (1_000_000 + thread).to_be_bytes()
}

fn fill(db: &Arc<Database>) -> HobtId {
    let mut tx = begin_as(db, 50);
    tx.lock_object(TABLE, LockMode::SchM).unwrap();
    let id = make_in(&mut tx, TABLE.0, 1);
    let hobt = db.hobt(id).unwrap();
    for n in 0..ACCOUNTS {
        btree::insert(&mut tx, &hobt, &account(n), &row(START)).unwrap();
    }
    for thread in 0..THREADS {
        btree::insert(&mut tx, &hobt, &counter(thread), &0u64.to_le_bytes()).unwrap();
    }
    tx.commit(Durability::Full).unwrap();
    id
}

/// One transfer in ascending or any order of accounts; the latter may be a deadlock's victim.
fn transfer(
    db: &Arc<Database>,
    id: HobtId,
    thread: u64,
    rng: &mut SimRng,
) -> Result<bool, StorageError> {
    let hobt = db.hobt(id)?;
    let mut tx = begin_as(db, 51 + thread as u16);
    tx.lock_object(TABLE, LockMode::IX)?;
    // Half of the transfers are between a few accounts, so that they meet.
    let accounts = if rng.one_in(2) { 4 } else { ACCOUNTS };
    let (from, to) = (rng.below(accounts), rng.below(accounts));
    let mut value = Vec::new();
    let moved = 1 + rng.below(10);
    if from != to {
        let locks = if rng.one_in(2) { ScanLocks::Exclusive } else { ScanLocks::Update };
        assert!(btree::get(&mut tx, &hobt, &account(from), locks, &mut value)?);
        let have = amount(&value);
        let moved = moved.min(have);
        btree::update(&mut tx, &hobt, &account(from), &row(have - moved))?;
        if rng.one_in(4) {
            std::thread::sleep(Duration::from_micros(200));
        }
        assert!(btree::get(&mut tx, &hobt, &account(to), locks, &mut value)?);
        let have = amount(&value);
        btree::update(&mut tx, &hobt, &account(to), &row(have + moved))?;
    }
    assert!(btree::get(&mut tx, &hobt, &counter(thread), ScanLocks::Exclusive, &mut value)?);
    let n = u64::from_le_bytes(value[..8].try_into().unwrap());
    btree::update(&mut tx, &hobt, &counter(thread), &(n + 1).to_le_bytes())?;
    if rng.one_in(8) {
        tx.rollback()?;
        return Ok(false);
    }
    tx.commit(Durability::Full)?;
    Ok(true)
}

fn sum(db: &Arc<Database>, id: HobtId, locked: bool, session: u16) -> Result<u64, StorageError> {
    let hobt = db.hobt(id)?;
    let mut tx = begin_as(db, session);
    tx.lock_object(TABLE, if locked { LockMode::S } else { LockMode::IS })?;
    let locks = if locked { ScanLocks::None } else { ScanLocks::ReadCommitted };
    let range = KeyRange { upper: Some(account(ACCOUNTS).to_vec()), ..KeyRange::default() };
    let mut cursor = btree::seek(&hobt, range, Direction::Forward, locks);
    let (mut total, mut rows) = (0, 0);
    while let Some((_, value)) = cursor.next(&mut tx)? {
        total += amount(value);
        rows += 1;
    }
    assert_eq!(rows, ACCOUNTS);
    tx.rollback()?;
    Ok(total)
}

#[test]
fn money_is_neither_made_nor_lost() {
    let rig = rig();
    let world = &rig.world;
    let mut rng = SimRng::new(7);
    let mut db = rig.create();
    let id = fill(&db);
    let acknowledged: Vec<AtomicU64> = (0..THREADS).map(|_| AtomicU64::new(0)).collect();
    let (deadlocks, sums) = (AtomicU64::new(0), AtomicU64::new(0));
    for round in 0..6 {
        world.crash_at(1500 + rng.below(2500));
        let stop = AtomicBool::new(false);
        let is_end = |e: &StorageError| {
            let dead = !world.is_powered();
            assert!(
                dead || matches!(e, StorageError::Lock(LockError::Deadlock { .. })),
                "{e} {e:?}"
            );
            dead
        };
        std::thread::scope(|s| {
            let db = &db;
            let (acknowledged, deadlocks, sums) = (&acknowledged, &deadlocks, &sums);
            let (stop, is_end) = (&stop, &is_end);
            for thread in 0..THREADS {
                let mut rng = SimRng::new(100 * round + thread);
                s.spawn(move || {
                    while world.is_powered() {
                        match transfer(db, id, thread, &mut rng) {
                            Ok(true) => {
                                acknowledged[thread as usize].fetch_add(1, Ordering::Relaxed);
                            }
                            Ok(false) => {}
                            Err(e) if is_end(&e) => return,
                            Err(_) => {
                                deadlocks.fetch_add(1, Ordering::Relaxed);
                            }
                        }
                    }
                });
            }
            for reader in 0..2 {
                s.spawn(move || {
                    while world.is_powered() {
                        match sum(db, id, reader == 0, 60 + reader as u16) {
                            Ok(total) if reader == 0 => {
                                assert_eq!(total, ACCOUNTS * START);
                                sums.fetch_add(1, Ordering::Relaxed);
                            }
                            Ok(_) => {}
                            Err(e) if is_end(&e) => return,
                            Err(_) => {}
                        }
                        std::thread::sleep(Duration::from_millis(2));
                    }
                });
            }
            s.spawn(move || {
                while world.is_powered() && !stop.load(Ordering::Relaxed) {
                    world.clock().advance(Duration::from_millis(20));
                    db.background_tick();
                    db.log().writer_tick();
                    db.instance().lazy_writer_tick();
                    // An error means that power is gone, which the other threads notice too.
                    let _ = db.checkpoint(CheckpointKind::LogUse);
                    std::thread::sleep(Duration::from_millis(3));
                }
            });
        });
        drop(db);
        world.restart();
        db = rig.open();
        assert_eq!(sum(&db, id, true, 50).unwrap(), ACCOUNTS * START, "round {round}");
        let hobt = db.hobt(id).unwrap();
        let mut tx = begin_as(&db, 50);
        for thread in 0..THREADS {
            let mut value = Vec::new();
            let key = counter(thread);
            assert!(btree::get(&mut tx, &hobt, &key, ScanLocks::None, &mut value).unwrap());
            let found = u64::from_le_bytes(value[..8].try_into().unwrap());
            let told = acknowledged[thread as usize].swap(found, Ordering::Relaxed);
            assert!(
                found == told || found == told + 1,
                "round {round}: {told} told, {found} there"
            );
        }
        tx.rollback().unwrap();
    }
    let moved: u64 = acknowledged.iter().map(|a| a.load(Ordering::Relaxed)).sum();
    let (deadlocks, sums) = (deadlocks.into_inner(), sums.into_inner());
    println!("{moved} transfers, {deadlocks} deadlocks, {sums} sums under a table lock");
    assert!(moved > 0 && deadlocks > 0 && sums > 0);
}
