//! Taking a snapshot: `low` into the session's own slot, then the end of the log, then the next number; or a copy of them under a mutex.

use std::hint::black_box;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::cpu_ns;

#[repr(align(128))]
#[derive(Default)]
struct Cell(AtomicU64);

#[derive(Default)]
struct Ends {
    low: Cell,
    low_pos: Cell,
    appended: Cell,
    next: Cell,
}

/// Snapshots of all sessions.
const ALL: u64 = 20_000_000;

fn each(threads: usize, name: &str, take: &(dyn Fn(usize) + Sync), write: &(dyn Fn(u64) + Sync)) {
    let stop = AtomicBool::new(false);
    let each = ALL / threads as u64;
    let ns: u64 = std::thread::scope(|s| {
        s.spawn(|| {
            let mut n = 0;
            while !stop.load(Ordering::Relaxed) {
                n += 1;
                write(n);
                // 200,000 commits a second at most.
                for _ in 0..2000 {
                    std::hint::spin_loop();
                }
            }
        });
        let all: Vec<_> = (0..threads)
            .map(|t| {
                s.spawn(move || {
                    let before = cpu_ns();
                    (0..each).for_each(|_| take(t));
                    cpu_ns() - before
                })
            })
            .collect();
        let sum = all.into_iter().map(|t| t.join().unwrap()).sum();
        stop.store(true, Ordering::Relaxed);
        sum
    });
    println!("{name:28} {threads:3} sessions {:7.1} ns", ns as f64 / ALL as f64);
}

pub fn run() {
    let slots: Vec<Cell> = (0..64).map(|_| Cell::default()).collect();
    let shared = Ends::default();
    let free = |t: usize| {
        slots[t].0.store(shared.low.0.load(Ordering::SeqCst), Ordering::SeqCst);
        let low_pos = shared.low_pos.0.load(Ordering::SeqCst);
        let s = shared.appended.0.load(Ordering::SeqCst);
        black_box((low_pos, s, shared.next.0.load(Ordering::SeqCst)));
        slots[t].0.store(0, Ordering::Release);
    };
    let commit = |n: u64| {
        for cell in [&shared.appended, &shared.next, &shared.low, &shared.low_pos] {
            cell.0.store(n, Ordering::SeqCst);
        }
    };
    let state = Mutex::new((0u64, Vec::from_iter(0..16u64)));
    let locked = |_: usize| {
        let state = state.lock().unwrap();
        black_box((state.0, state.1.clone()));
    };
    let commit_locked = |n: u64| {
        let mut state = state.lock().unwrap();
        state.0 = n;
        state.1[n as usize % 16] = n;
    };
    for threads in [1, 8, 64] {
        each(threads, "slot and atomics", &free, &commit);
        each(threads, "mutex and list of 16 running", &locked, &commit_locked);
    }
}
