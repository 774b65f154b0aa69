//! Requests of threads: waits, time-outs, cancellation, deadlocks, escalation.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use taffrail_base::{DatabaseId, HobtId, SessionId};

use super::super::{
    Granted, LockError, LockLimits, LockManager, LockMode, ModeSet, Resource, ResourceKind,
    TxLockState,
};
use super::{object, owner, quick, row, until, waiters};

#[test]
fn what_is_held_is_not_asked_for_again() {
    let locks = quick();
    let mut a = owner(&locks, 51);
    let get =
        |state: &mut TxLockState, mode| locks.acquire_row(state, object(1), row(1), mode, None);
    assert_eq!(locks.acquire(&mut a, object(1), LockMode::IX, None), Ok(Granted::New));
    assert_eq!(locks.acquire(&mut a, object(1), LockMode::IS, None), Ok(Granted::Held));
    assert_eq!(get(&mut a, LockMode::U), Ok(Granted::New));
    assert_eq!(get(&mut a, LockMode::S), Ok(Granted::Held));
    assert_eq!(get(&mut a, LockMode::X), Ok(Granted::Converted));
    assert_eq!(get(&mut a, LockMode::X), Ok(Granted::Held));
    assert_eq!(locks.acquire(&mut a, object(1), LockMode::S, None), Ok(Granted::Converted));
    assert_eq!(a.object_mode(&object(1)), LockMode::SIX);
    assert_eq!(a.count(), 2);
    locks.release(&mut a, &row(1));
    assert_eq!(get(&mut a, LockMode::X), Ok(Granted::New));
    locks.release_all(&mut a);
    assert!(locks.snapshot().is_empty());
    assert_eq!(locks.counters(ResourceKind::Key).requests.get(), 5);
}

#[test]
fn waiting_ends_with_the_grant_the_time_out_or_the_cancellation() {
    let locks = quick();
    let mut a = owner(&locks, 51);
    let mut b = owner(&locks, 52);
    locks.acquire(&mut a, row(1), LockMode::X, None).unwrap();

    // LOCK_TIMEOUT 0 does not wait, a positive one does.
    let key = locks.counters(ResourceKind::Key);
    let refused = locks.acquire(&mut b, row(1), LockMode::S, Some(Duration::ZERO));
    assert_eq!(refused, Err(LockError::Timeout(ResourceKind::Key)));
    assert_eq!((key.timeouts.get(), key.timeouts_positive.get(), key.waits.get()), (1, 0, 0));
    let started = Instant::now();
    let refused = locks.acquire(&mut b, row(1), LockMode::S, Some(Duration::from_millis(20)));
    assert_eq!(refused, Err(LockError::Timeout(ResourceKind::Key)));
    assert!(started.elapsed() >= Duration::from_millis(20));
    assert_eq!((key.timeouts.get(), key.timeouts_positive.get(), key.waits.get()), (2, 1, 1));
    let message = LockError::Timeout(ResourceKind::Key).to_sql();
    assert_eq!((message.number, message.severity, message.state), (1222, 16, 51));
    let of_a_row = LockError::Timeout(ResourceKind::Rid).to_sql();
    let of_a_table = LockError::Timeout(ResourceKind::Object).to_sql();
    assert_eq!((of_a_row.state, of_a_table.state), (45, 56));

    std::thread::scope(|s| {
        let flag = Arc::new(AtomicBool::new(false));
        b.cancel_with(flag.clone());
        let waits = s.spawn(|| {
            let cancelled = locks.acquire(&mut b, row(1), LockMode::S, None);
            (cancelled, b)
        });
        until(|| waiters(&locks) == 1);
        flag.store(true, Ordering::Relaxed);
        locks.cancel_session(SessionId(52));
        let (cancelled, mut b) = waits.join().unwrap();
        assert_eq!(cancelled, Err(LockError::Cancelled));
        // A flag that is set before the wait begins ends it too.
        assert_eq!(locks.acquire(&mut b, row(1), LockMode::S, None), Err(LockError::Cancelled));
        flag.store(false, Ordering::Relaxed);
        let waits = s.spawn(|| {
            let mut b = b;
            let granted = locks.acquire(&mut b, row(1), LockMode::S, None);
            locks.release_all(&mut b);
            granted
        });
        until(|| waiters(&locks) == 1);
        locks.release_all(&mut a);
        assert_eq!(waits.join().unwrap(), Ok(Granted::New));
    });
    assert!(locks.snapshot().is_empty());
    assert!(locks.waiting.lock().is_empty());
}

/// Threads that each hold their own row and then ask for the next one's: one is chosen, the others go on.
fn cycle(
    length: u16,
    prepare: impl Fn(&mut TxLockState) + Sync,
) -> Vec<(u16, Result<Granted, LockError>)> {
    let locks = quick();
    let holding = AtomicU32::new(0);
    let mut results: Vec<(u16, Result<Granted, LockError>)> = std::thread::scope(|s| {
        let threads: Vec<_> = (0..length)
            .map(|i| {
                let (locks, holding, prepare) = (&locks, &holding, &prepare);
                s.spawn(move || {
                    let mut tx = owner(locks, 51 + i);
                    prepare(&mut tx);
                    locks.acquire(&mut tx, row(i as u64), LockMode::X, None).unwrap();
                    holding.fetch_add(1, Ordering::SeqCst);
                    until(|| holding.load(Ordering::SeqCst) == length as u32);
                    let next = row(((i + 1) % length) as u64);
                    let result = locks.acquire(&mut tx, next, LockMode::X, None);
                    locks.release_all(&mut tx);
                    (51 + i, result)
                })
            })
            .collect();
        threads.into_iter().map(|t| t.join().unwrap()).collect()
    });
    assert!(locks.snapshot().is_empty());
    assert_eq!(locks.counters(ResourceKind::Key).deadlocks.get(), 1);
    results.sort_unstable_by_key(|r| r.0);
    results
}

/// The session's own request was given up for a deadlock.
fn is_victim(result: &Result<Granted, LockError>) -> bool {
    matches!(result, Err(LockError::Deadlock { on: ResourceKind::Key, session: 51.. }))
}

#[test]
fn deadlocks_of_two_and_more_cost_one_victim() {
    for length in [2, 3, 5] {
        let results = cycle(length, |_| {});
        let victims = results.iter().filter(|r| is_victim(&r.1)).count();
        assert_eq!(victims, 1, "{results:?}");
        assert!(results.iter().all(|r| is_victim(&r.1) || r.1 == Ok(Granted::New)));
    }
    let message = LockError::Deadlock { on: ResourceKind::Key, session: 52 }.to_sql();
    assert_eq!((message.number, message.severity, message.state), (1205, 13, 51));
    assert!(message.message.contains("(Process ID 52) was deadlocked on lock resources"));
}

#[test]
fn the_victim_has_the_lowest_priority_then_the_least_log() {
    let least_log = |tx: &mut TxLockState| tx.log_bytes = 1000 - tx.owner().session() as u64;
    assert!(is_victim(&cycle(3, least_log)[2].1));
    let priority = |tx: &mut TxLockState| {
        least_log(tx);
        tx.deadlock_priority = if tx.owner().session() == 51 { -5 } else { 0 };
    };
    assert!(is_victim(&cycle(3, priority)[0].1));
}

#[test]
fn owners_of_one_session_wait_as_one() {
    // Session 51 holds in one place (another database, an application lock) and waits in another.
    let locks = quick();
    let (mut own, mut tx) = (owner(&locks, 51), owner(&locks, 51));
    let mut other = owner(&locks, 52);
    locks.acquire(&mut own, row(1), LockMode::X, None).unwrap();
    locks.acquire(&mut other, row(2), LockMode::X, None).unwrap();
    std::thread::scope(|s| {
        let waits = s.spawn(|| {
            let result = locks.acquire(&mut other, row(1), LockMode::X, None);
            locks.release_all(&mut other);
            result
        });
        until(|| waiters(&locks) == 1);
        let result = locks.acquire(&mut tx, row(2), LockMode::X, None);
        locks.release_all(&mut tx);
        locks.release_all(&mut own);
        let results = [result, waits.join().unwrap()];
        assert!(results.iter().any(is_victim), "{results:?}");
        assert!(results.contains(&Ok(Granted::New)), "{results:?}");
    });
    assert!(locks.snapshot().is_empty());
}

#[test]
fn owners_of_one_session_exclude_each_other() {
    let locks = quick();
    let (mut one, mut other) = (owner(&locks, 51), owner(&locks, 51));
    locks.acquire(&mut one, row(1), LockMode::X, None).unwrap();
    assert!(!locks.try_acquire(&mut other, row(1), LockMode::S));
    locks.release_all(&mut one);
    assert!(locks.try_acquire(&mut other, row(1), LockMode::S));
    locks.release_all(&mut other);
}

#[test]
fn two_conversions_of_shared_locks_are_a_deadlock() {
    let locks = quick();
    let holding = AtomicU32::new(0);
    let results: Vec<_> = std::thread::scope(|s| {
        let threads: Vec<_> = (0..2u16)
            .map(|i| {
                let (locks, holding) = (&locks, &holding);
                s.spawn(move || {
                    let mut tx = owner(locks, 51 + i);
                    locks.acquire(&mut tx, row(1), LockMode::S, None).unwrap();
                    holding.fetch_add(1, Ordering::SeqCst);
                    until(|| holding.load(Ordering::SeqCst) == 2);
                    let result = locks.acquire(&mut tx, row(1), LockMode::X, None);
                    locks.release_all(&mut tx);
                    result
                })
            })
            .collect();
        threads.into_iter().map(|t| t.join().unwrap()).collect()
    });
    assert!(results.iter().any(is_victim), "{results:?}");
    assert!(results.contains(&Ok(Granted::Converted)), "{results:?}");
}

/// Each of many readers of a row wants to write it: all but one are victims, by the searches that each makes once.
#[test]
fn many_cycles_at_once_are_found_by_one_search_each() {
    const READERS: u16 = 12;
    for _ in 0..5 {
        let limits = LockLimits {
            deadlock_delay: Duration::from_millis(2),
            // Who relies on the net does not come back in time.
            deadlock_again: Duration::from_secs(600),
            ..LockLimits::default()
        };
        let locks = LockManager::new(limits);
        let holding = AtomicU32::new(0);
        let results: Vec<_> = std::thread::scope(|s| {
            let threads: Vec<_> = (0..READERS)
                .map(|i| {
                    let (locks, holding) = (&locks, &holding);
                    s.spawn(move || {
                        let mut tx = owner(locks, 51 + i);
                        for n in [1, 2] {
                            locks.acquire(&mut tx, row(n), LockMode::S, None).unwrap();
                        }
                        holding.fetch_add(1, Ordering::SeqCst);
                        until(|| holding.load(Ordering::SeqCst) == READERS as u32);
                        let first = 1 + u64::from(i % 2);
                        let result = [first, 3 - first]
                            .iter()
                            .map(|n| locks.acquire(&mut tx, row(*n), LockMode::X, None))
                            .find(Result::is_err);
                        locks.release_all(&mut tx);
                        result
                    })
                })
                .collect();
            threads.into_iter().map(|t| t.join().unwrap()).collect()
        });
        assert_eq!(results.iter().flatten().filter(|r| is_victim(r)).count(), 11, "{results:?}");
        assert!(locks.snapshot().is_empty());
    }
}

#[test]
fn a_long_wait_is_no_deadlock() {
    let locks = quick();
    let mut a = owner(&locks, 51);
    locks.acquire(&mut a, row(1), LockMode::X, None).unwrap();
    std::thread::scope(|s| {
        let threads: Vec<_> = (0..4u16)
            .map(|i| {
                let locks = &locks;
                s.spawn(move || {
                    let mut tx = owner(locks, 60 + i);
                    let result = locks.acquire(&mut tx, row(1), LockMode::X, None);
                    locks.release_all(&mut tx);
                    result
                })
            })
            .collect();
        until(|| waiters(&locks) == 4);
        std::thread::sleep(Duration::from_millis(20));
        locks.release_all(&mut a);
        for t in threads {
            assert_eq!(t.join().unwrap(), Ok(Granted::New));
        }
    });
}

#[test]
fn many_row_locks_become_one_object_lock() {
    let limits =
        LockLimits { escalation_threshold: 100, escalation_step: 50, ..LockLimits::default() };
    let locks = LockManager::new(limits);
    let (mut a, mut b) = (owner(&locks, 51), owner(&locks, 52));
    locks.acquire(&mut a, object(1), LockMode::IX, None).unwrap();
    locks.acquire(&mut b, object(1), LockMode::IS, None).unwrap();
    let x = |tx: &mut TxLockState, n| {
        locks.acquire_row(tx, object(1), row(n), LockMode::X, None).unwrap()
    };
    // Statements below the threshold never escalate.
    for statement in 0..3 {
        a.begin_statement();
        (0..60).for_each(|n| {
            x(&mut a, statement * 1000 + n);
        });
    }
    a.begin_statement();
    // Somebody reads: the object cannot be had at 100, and is asked for again at 150.
    (0..120).for_each(|n| {
        x(&mut a, 10_000 + n);
    });
    assert_eq!((a.object_mode(&object(1)), a.count()), (LockMode::IX, 301));
    locks.release_all(&mut b);
    (120..149).for_each(|n| {
        x(&mut a, 10_000 + n);
    });
    assert_eq!(a.object_mode(&object(1)), LockMode::IX);
    assert_eq!(x(&mut a, 10_149), Granted::Covered);
    assert_eq!((a.object_mode(&object(1)), a.count()), (LockMode::X, 1));
    assert_eq!(x(&mut a, 10_150), Granted::Covered);
    assert_eq!(locks.snapshot().len(), 1);
    assert_eq!(locks.escalations.get(), 1);
    locks.release_all(&mut a);

    // Readers escalate to S.
    let mut r = owner(&locks, 53);
    locks.acquire(&mut r, object(2), LockMode::IS, None).unwrap();
    for n in 0..100 {
        locks.acquire_row(&mut r, object(2), row(n), LockMode::S, None).unwrap();
    }
    assert_eq!(r.object_mode(&object(2)), LockMode::S);
    locks.release_all(&mut r);
    assert!(locks.snapshot().is_empty());
}

#[test]
fn locks_of_two_indexes_are_counted_apart() {
    let limits =
        LockLimits { escalation_threshold: 100, escalation_step: 50, ..LockLimits::default() };
    let locks = LockManager::new(limits);
    let mut a = owner(&locks, 51);
    let both = |tx: &mut TxLockState, n: u64| {
        for hobt in [70, 71] {
            let key = Resource::key(DatabaseId(5), HobtId(hobt), n);
            locks.acquire_row(tx, object(1), key, LockMode::X, None).unwrap();
        }
    };
    locks.acquire(&mut a, object(1), LockMode::IX, None).unwrap();
    // An earlier statement's are not counted.
    (0..90).for_each(|n| both(&mut a, n));
    a.begin_statement();
    (100..199).for_each(|n| both(&mut a, n));
    assert_eq!((a.object_mode(&object(1)), a.count()), (LockMode::IX, 2 * 189 + 1));
    both(&mut a, 199);
    assert_eq!((a.object_mode(&object(1)), a.count()), (LockMode::X, 1));
    locks.release_all(&mut a);
}

#[test]
fn a_transaction_may_run_out_of_locks() {
    let locks = LockManager::new(LockLimits { max_locks: 10, ..LockLimits::default() });
    let mut a = owner(&locks, 51);
    for n in 0..10 {
        locks.acquire_row(&mut a, object(1), row(n), LockMode::X, None).unwrap();
    }
    let refused = locks.acquire_row(&mut a, object(1), row(10), LockMode::X, None);
    assert_eq!(refused, Err(LockError::OutOfLocks));
    assert_eq!(locks.snapshot().len(), 10);
    locks.release_all(&mut a);
}

#[test]
fn others_writing_to_an_object_are_known() {
    let locks = quick();
    let (mut a, mut b) = (owner(&locks, 51), owner(&locks, 52));
    let writing = |state: &TxLockState| locks.others_hold(state, &object(1), ModeSet::WRITING);
    assert!(!writing(&a));
    locks.acquire(&mut b, object(1), LockMode::IS, None).unwrap();
    assert!(!writing(&a));
    assert!(locks.others_hold(&a, &object(1), ModeSet::of(&[LockMode::IS])));
    locks.acquire(&mut b, object(1), LockMode::IX, None).unwrap();
    assert!(writing(&a) && !writing(&b));
    locks.acquire(&mut a, object(1), LockMode::IX, None).unwrap();
    assert!(writing(&a) && writing(&b));
    locks.release_all(&mut b);
    assert!(!writing(&a));
    // A grant that comes from the queue counts too.
    locks.acquire(&mut a, object(1), LockMode::X, None).unwrap();
    std::thread::scope(|s| {
        let c = s.spawn(|| {
            let mut c = owner(&locks, 53);
            locks.acquire(&mut c, object(1), LockMode::IX, None).unwrap();
            c
        });
        until(|| waiters(&locks) == 1);
        locks.release_all(&mut a);
        let mut c = c.join().unwrap();
        assert!(writing(&a));
        locks.release_all(&mut c);
    });
    assert!(!writing(&a));
}
