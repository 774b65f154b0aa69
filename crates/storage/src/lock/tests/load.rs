//! Many threads, and what locks cost.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use super::super::{LockError, LockManager, LockMode, ModeSet};
use super::{Random, object, owner, quick, row};

/// Threads lock rows at random, some of them for a while; a cell per row tells whether the locks excluded each other.
#[test]
fn locks_exclude_under_load() {
    const ROWS: u64 = 8;
    const THREADS: u16 = 6;
    let locks = quick();
    // Readers inside (positive) or a writer inside (-1).
    let cells: Vec<AtomicI64> = (0..ROWS).map(|_| AtomicI64::new(0)).collect();
    let (granted, deadlocks, timeouts) = (AtomicU32::new(0), AtomicU32::new(0), AtomicU32::new(0));
    std::thread::scope(|s| {
        for t in 0..THREADS {
            let (locks, cells, granted, deadlocks, timeouts) =
                (&locks, &cells, &granted, &deadlocks, &timeouts);
            s.spawn(move || {
                let mut random = Random(1 + t as u64);
                for _ in 0..1500 {
                    let mut tx = owner(locks, 51 + t);
                    tx.log_bytes = random.below(100);
                    let mut mine: BTreeMap<u64, bool> = BTreeMap::new();
                    let mode = if random.below(4) == 0 { LockMode::IS } else { LockMode::IX };
                    locks.acquire(&mut tx, object(1), mode, None).unwrap();
                    for _ in 0..1 + random.below(4) {
                        let n = random.below(ROWS);
                        let write = mode == LockMode::IX && random.below(2) == 0;
                        let mode = if write { LockMode::X } else { LockMode::S };
                        let timeout = (random.below(4) == 0).then(|| Duration::from_micros(500));
                        match locks.acquire_row(&mut tx, object(1), row(n), mode, timeout) {
                            Ok(_) => granted.fetch_add(1, Ordering::Relaxed),
                            Err(LockError::Deadlock { .. }) => {
                                deadlocks.fetch_add(1, Ordering::Relaxed);
                                break;
                            }
                            Err(LockError::Timeout(_)) => {
                                timeouts.fetch_add(1, Ordering::Relaxed);
                                break;
                            }
                            Err(e) => panic!("{e}"),
                        };
                        let cell = &cells[n as usize];
                        match (mine.get(&n).copied(), write) {
                            (None, true) => assert_eq!(cell.swap(-1, Ordering::SeqCst), 0),
                            (None, false) => assert!(cell.fetch_add(1, Ordering::SeqCst) >= 0),
                            (Some(false), true) => assert_eq!(cell.swap(-1, Ordering::SeqCst), 1),
                            (Some(_), _) => {}
                        }
                        let strongest = write || mine.get(&n) == Some(&true);
                        mine.insert(n, strongest);
                        if random.below(8) == 0 {
                            std::thread::yield_now();
                        }
                    }
                    for (n, write) in &mine {
                        let cell = &cells[*n as usize];
                        match write {
                            true => assert_eq!(cell.swap(0, Ordering::SeqCst), -1),
                            false => assert!(cell.fetch_sub(1, Ordering::SeqCst) > 0),
                        }
                    }
                    locks.release_all(&mut tx);
                }
            });
        }
    });
    assert!(locks.snapshot().is_empty());
    assert!(locks.waiting.lock().is_empty());
    let idle = owner(&locks, 50);
    assert!(!locks.others_hold(&idle, &object(1), ModeSet::WRITING));
    let counts = [&granted, &deadlocks, &timeouts].map(|c| c.load(Ordering::Relaxed));
    assert!(counts.iter().all(|n| *n > 0), "granted, deadlocks, time-outs: {counts:?}");
}

/// `cargo test --release -p taffrail-storage lock::tests::load::cost -- --ignored --nocapture`
#[test]
#[ignore = "prints what locks cost; judged by people"]
fn cost() {
    let locks = LockManager::default();
    let per = |n: u64, started: Instant| started.elapsed().as_nanos() as f64 / n as f64;
    let mut tx = owner(&locks, 51);
    locks.acquire(&mut tx, object(1), LockMode::IX, None).unwrap();
    for rows in [1000, 4000, 100_000, 1_000_000u64] {
        // The best of some rounds: other work on the machine only adds.
        let (mut acquired, mut released) = (f64::MAX, f64::MAX);
        for _ in 0..(4_000_000 / rows).min(200) {
            let started = Instant::now();
            for n in 0..rows {
                tx.begin_statement();
                let hash = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
                locks.acquire_row(&mut tx, object(1), row(hash), LockMode::X, None).unwrap();
            }
            acquired = acquired.min(per(rows, started));
            let started = Instant::now();
            locks.release_all(&mut tx);
            released = released.min(per(rows, started));
            locks.acquire(&mut tx, object(1), LockMode::IX, None).unwrap();
        }
        println!("{rows} rows: acquire {acquired:.0} ns, release {released:.0} ns");
    }
    let started = Instant::now();
    for _ in 0..1_000_000 {
        locks.acquire_row(&mut tx, object(1), row(1), LockMode::X, None).unwrap();
    }
    println!("held already: {:.0} ns", per(1_000_000, started));
    let started = Instant::now();
    for _ in 0..1_000_000 {
        locks.acquire(&mut tx, object(1), LockMode::IX, None).unwrap();
    }
    println!("object held already: {:.0} ns", per(1_000_000, started));
    let started = Instant::now();
    let mut seen = 0;
    for _ in 0..1_000_000 {
        seen += u32::from(locks.others_hold(&tx, &object(1), ModeSet::WRITING));
    }
    println!("others_hold: {:.1} ns ({seen})", per(1_000_000, started));
    locks.release_all(&mut tx);
    let started = Instant::now();
    for n in 0..1_000_000 {
        let mut tx = owner(&locks, 51);
        locks.acquire(&mut tx, object(1), LockMode::IX, None).unwrap();
        locks.acquire_row(&mut tx, object(1), row(n), LockMode::X, None).unwrap();
        locks.release_all(&mut tx);
    }
    println!("a transaction of one row: {:.0} ns", per(1_000_000, started));
}
