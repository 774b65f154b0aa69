//! The scheduler by itself: it finds a planted lost wake-up and a planted deadlock, a run is told by its seed, and a failing one is
//! shrunk to the decisions that matter.
#![cfg(debug_assertions)]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use taffrail_base::sched::{self, Failure, Plan, Ran, run, shrink, spawn};
use taffrail_base::sync::{Condvar, Mutex, RwLock, now, point, thread};

/// The first seed that fails, with how.
fn first_failure(
    seeds: u64,
    mut one: impl FnMut(&Plan) -> Result<Ran<()>, Failure>,
) -> Option<(u64, Failure)> {
    (0..seeds).find_map(|seed| one(&Plan::new(seed)).err().map(|e| (seed, e)))
}

/// Whoever looks without the lock and then waits misses a notification in between.
fn lost_wake_up(plan: &Plan) -> Result<Ran<()>, Failure> {
    run(plan, || {
        let it = Arc::new((Mutex::new(false), Condvar::new()));
        let other = it.clone();
        let waiter = spawn("waiter", move || {
            let ready = *other.0.lock();
            if !ready {
                let mut guard = other.0.lock();
                other.1.wait(&mut guard);
            }
        });
        *it.0.lock() = true;
        it.1.notify_all();
        waiter.join();
    })
}

/// The same as it should be.
fn kept_wake_up(plan: &Plan) -> Result<Ran<()>, Failure> {
    run(plan, || {
        let it = Arc::new((Mutex::new(0), Condvar::new()));
        let waiters: Vec<_> = (0..3)
            .map(|n| {
                let it = it.clone();
                spawn(&format!("waiter {n}"), move || {
                    let mut guard = it.0.lock();
                    while *guard == 0 {
                        it.1.wait(&mut guard);
                    }
                    *guard -= 1;
                })
            })
            .collect();
        for _ in 0..3 {
            *it.0.lock() += 1;
            it.1.notify_one();
        }
        waiters.into_iter().for_each(sched::JoinHandle::join);
        assert_eq!(*it.0.lock(), 0);
    })
}

/// Two locks, taken in two orders.
fn crossed(plan: &Plan) -> Result<Ran<()>, Failure> {
    run(plan, || {
        let locks = Arc::new((Mutex::new(0), RwLock::new(0)));
        let other = locks.clone();
        let one = spawn("one", move || {
            let _a = other.0.lock();
            *other.1.write() += 1;
        });
        let other = locks.clone();
        let two = spawn("two", move || {
            let b = other.1.read();
            *other.0.lock() += *b;
        });
        one.join();
        two.join();
    })
}

/// An addition in two steps, with a place between where others may come.
fn lost_update(plan: &Plan) -> Result<Ran<()>, Failure> {
    run(plan, || {
        let n = Arc::new(AtomicU64::new(0));
        let adders: Vec<_> = (0..3)
            .map(|i| {
                let n = n.clone();
                spawn(&format!("adder {i}"), move || {
                    for _ in 0..20 {
                        let before = n.load(Ordering::SeqCst);
                        point();
                        n.store(before + 1, Ordering::SeqCst);
                    }
                })
            })
            .collect();
        adders.into_iter().for_each(sched::JoinHandle::join);
        assert_eq!(n.load(Ordering::SeqCst), 60, "additions are lost");
    })
}

#[test]
fn a_lost_wake_up_is_a_deadlock_that_is_told() {
    let (seed, failure) = first_failure(200, lost_wake_up).expect("it is found");
    assert!(failure.text.starts_with("deadlock"), "{}", failure.text);
    assert!(failure.text.contains("waiter sleeps at"), "{}", failure.text);
    let again = lost_wake_up(&Plan::new(seed)).unwrap_err();
    assert_eq!((again.text, again.steps), (failure.text, failure.steps));
    assert!(first_failure(200, kept_wake_up).is_none());
}

#[test]
fn crossed_locks_are_found_and_shrunk_to_one_decision() {
    let (seed, failure) = first_failure(200, crossed).expect("it is found");
    assert!(failure.text.contains("one sleeps") && failure.text.contains("two sleeps"));
    let fails = |some: &[(u64, u32)]| crossed(&Plan::only(seed, some.to_vec())).err();
    let shrunk = shrink(&failure.decisions, 100, |some| fails(some).map(|f| f.text)).unwrap();
    assert!(shrunk.decisions.len() <= 2, "{:?}", shrunk.decisions);
    assert!(fails(&shrunk.decisions).is_some());
}

#[test]
fn a_lost_update_is_found_and_a_run_is_told_by_its_seed() {
    let (seed, failure) = first_failure(50, lost_update).expect("it is found");
    assert!(failure.text.contains("additions are lost"), "{}", failure.text);
    // By the decisions alone it is the same run.
    let told = lost_update(&Plan::only(seed, failure.decisions.clone())).unwrap_err();
    assert_eq!((told.steps, told.decisions), (failure.steps, failure.decisions.clone()));
    let shrunk = shrink(&failure.decisions, 300, |some| {
        lost_update(&Plan::only(seed, some.to_vec())).err().map(|f| f.text)
    });
    let shrunk = shrunk.unwrap();
    assert!(shrunk.decisions.len() <= 4, "{:?} of {}", shrunk.decisions, failure.decisions.len());
    let (mut fingerprints, mut failed) = (std::collections::BTreeSet::new(), 0);
    for seed in 0..40 {
        let (a, b) = (kept_wake_up(&Plan::new(seed)), kept_wake_up(&Plan::new(seed)));
        let (a, b) = (a.unwrap(), b.unwrap());
        assert_eq!((a.fingerprint, a.steps), (b.fingerprint, b.steps), "seed {seed}");
        fingerprints.insert(a.fingerprint);
        failed += u64::from(lost_update(&Plan::new(seed)).is_err());
    }
    assert!(fingerprints.len() > 20, "{} ways of 40", fingerprints.len());
    assert!(failed > 10, "{failed} of 40");
}

#[test]
fn time_is_the_schedules() {
    let real = std::time::Instant::now();
    for seed in 0..20 {
        let ran = run(&Plan::new(seed), || {
            let began = now();
            let sleeper = spawn("sleeper", || thread::park_timeout(Duration::from_secs(300)));
            let parked = spawn("parked", thread::park);
            let (flag, never) = (Mutex::new(()), Condvar::new());
            assert!(never.wait_for(&mut flag.lock(), Duration::from_secs(60)));
            let waited = now() - began;
            assert!(waited >= Duration::from_secs(60) && waited < Duration::from_secs(61));
            thread::unpark(&parked.thread());
            parked.join();
            sleeper.join();
            now() - began
        });
        let passed = ran.unwrap().result;
        assert!(passed >= Duration::from_secs(300), "{passed:?}");
    }
    assert!(real.elapsed() < Duration::from_secs(60));
}

/// The first thread is a thread like the others: what it waits for may be somebody else's to tell.
#[test]
fn the_first_thread_is_unparked_as_well() {
    for seed in 0..40 {
        let ran = run(&Plan::new(seed), || {
            let (main, told) = (std::thread::current(), Arc::new(Mutex::new(false)));
            let (other, tells) = (main.clone(), told.clone());
            let waker = spawn("waker", move || {
                *tells.lock() = true;
                thread::unpark(&other);
            });
            while !*told.lock() {
                thread::park();
            }
            waker.join();
            // And by itself: the token stays until it is taken.
            thread::unpark(&main);
            thread::park();
        });
        ran.unwrap_or_else(|e| panic!("seed {seed}: {}", e.text));
    }
}

#[test]
fn a_panic_of_any_thread_is_the_runs_failure_and_helpers_work_together() {
    let ran = run(&Plan::new(1), || {
        spawn("other", || panic!("on purpose")).join();
    });
    let text = ran.unwrap_err().text;
    assert!(text.starts_with("other: ") && text.contains("on purpose"), "{text}");
    for seed in 0..50 {
        let ran = run(&Plan::new(seed), || {
            let sum = Mutex::new(0);
            sched::together("helper", 3, &|n| *sum.lock() += n);
            sum.into_inner()
        });
        assert_eq!(ran.unwrap().result, 6);
    }
}

#[test]
fn a_case_is_told_in_one_line() {
    let mut case = sched::Case::new(17);
    assert_eq!(case.to_string(), "17/16/17");
    (case.size, case.schedule, case.decisions) = (4, 9, Some(vec![(12, 1), (300, 2)]));
    assert_eq!(case.to_string(), "17/4/9:12=1,300=2,");
    assert_eq!((case.part(100), case.part(1)), (25, 1));
}
