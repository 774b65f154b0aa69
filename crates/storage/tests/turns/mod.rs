//! Storage under a schedule: sessions, the log writer, the log ahead, the recovery writer and the lazy writer take turns, and every
//! preemption follows from the seed. At some step the power goes, the process is killed (and the power goes later), or the device
//! fails or writes in part, once or for good. Backups are taken meanwhile, the log is shrunk, files grow. The restart's redo runs on
//! several threads, is cut short itself, and its undo runs beside new work.
//!
//! 1. Nobody sleeps for ever.
//! 2. Of each session the transactions that are there are its first ones; with all that were acknowledged as durable, and all that
//!    were acknowledged before one of those was committed.
//! 3. What is there is what these transactions leave: in trees, heaps and large values; nothing half-done. Money is neither made
//!    nor lost. Tables are there that were made and not dropped.
//! 4. A session that has locked a row sees what was committed last, and a reader that has locked the table always the same sum.
//! 5. After a write or a sync of the log that failed nothing is acknowledged as durable.
//! 6. A chain of backups, of the whole database and of its log, restores what had been committed when the last of them was taken.
//! 7. Where two databases are in one instance, one whose files fail stops nobody's work in the other.
//! 8. However slow the device is: who waits for a lock with a limit is told in time, and a delayed commit is lost only if it is
//!    younger than the window and the writes in its way.
//! 9. Every page is as it has to be, and somebody's; no two writes are ever in flight at one place.
//! 10. Where row versions are kept, a snapshot shows one moment as long as it lives, with all that its session has committed.
//!
//! A failing seed is shrunk, and told with a command that has it again.
#![cfg(debug_assertions)]

mod cleaning;
mod ledger;
mod loads;
mod operator;
mod part;
mod ranges;
mod session;
mod snapshots;
mod versions;
mod world;

use std::time::Instant;

use taffrail_base::sched::{self, Case, Failure, Ran, programme};
use world::Seen;

const FIRST: u64 = 501;
const SEEDS: u64 = 1_000;

fn one(case: &Case) -> Result<Ran<Seen>, Failure> {
    let case = case.clone();
    sched::run(&case.plan(), move || world::run(&case, None))
}

#[test]
fn nothing_acknowledged_is_lost_at_any_preemption() {
    let began = Instant::now();
    let again = "-p taffrail-storage --test it turns:: -- --nocapture";
    let seen = programme(again, FIRST, SEEDS, one);
    let mut sum = Seen::default();
    seen.results.iter().for_each(|s| sum.add(s));
    eprintln!(
        "{} runs, {} steps, {} switches, {:?}\n{sum:?}",
        seen.results.len(),
        seen.steps,
        seen.switches,
        began.elapsed()
    );
    let missing = sum.missing();
    assert!(seen.told || missing.is_empty(), "never seen, so not tested: {missing:?}");
}

/// A disk that leaves out a sync is noticed: otherwise what is above would prove nothing.
#[test]
fn a_sync_left_out_is_noticed() {
    let noticed = |left_out: fn(u64) -> u64| {
        let fails = |seed: &u64| {
            let (case, n) = (Case::new(*seed), left_out(*seed));
            sched::run(&case.plan(), move || world::run(&case, Some(n))).is_err()
        };
        (1..101).filter(fails).count()
    };
    let among_the_first = noticed(|seed| 1 + seed % 20);
    eprintln!("a sync left out: noticed in {among_the_first} of 100 runs");
    assert!(among_the_first > 3);
    assert_eq!(noticed(|_| 1_000_000), 0);
}

#[test]
fn a_seed_is_one_run() {
    for seed in 1..12 {
        let (a, b) = (one(&Case::new(seed)), one(&Case::new(seed)));
        let (a, b) = (a.unwrap_or_else(|e| panic!("{}", e.text)), b.unwrap());
        assert_eq!((a.steps, a.fingerprint), (b.steps, b.fingerprint), "seed {seed}");
        assert_eq!(a.decisions, b.decisions);
    }
}
