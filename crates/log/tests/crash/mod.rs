//! Random work on the simulated disk, power cut at random moments, reopened each time.
//!
//! After every crash: each record that was hardened is there, what survives is a prefix of what was appended, with the
//! same bytes at the same positions; the log goes on from there. `CRASH_SEEDS` sets how many seeds run.

use crate::rig;
mod run;

use std::io::Write;

use rig::number;
use run::{Outcome, Run, Seen};

/// Six crashes of a seed, and what they have seen.
fn run(seed: u64, drop_sync: Option<u64>, total: &mut Seen) -> Outcome {
    let mut run = Run::new(seed);
    run.rig.world.drop_sync(drop_sync);
    let outcome = run.go(6);
    total.add(&run.seen);
    total.notices += u64::from(outcome.is_err());
    outcome
}

/// How many.
fn seeds() -> u64 {
    number("CRASH_SEEDS").unwrap_or(3_500)
}

#[test]
fn nothing_hardened_is_lost_and_survivors_are_a_prefix() {
    let first = number("CRASH_SEED").unwrap_or(0);
    let some = |from: u64| {
        let mut seen = Seen::default();
        for seed in (from..first + seeds()).step_by(2) {
            if let Err(text) = run(seed, None, &mut seen) {
                panic!("seed {seed}: {text}");
            }
        }
        seen
    };
    let mut seen = Seen::default();
    std::thread::scope(|s| {
        let halves = [s.spawn(|| some(first)), s.spawn(|| some(first + 1))];
        halves.into_iter().for_each(|half| seen.add(&half.join().expect("a half of the seeds")));
    });
    // Straight to standard error: every run of the tests shows it, also one that captures what tests print.
    writeln!(std::io::stderr(), "{seen:?}").unwrap();
    if seeds() >= 500 {
        for (name, n) in [
            ("power cuts in I/O", seen.power_cuts_in_io),
            ("torn tails", seen.torn_tails),
            ("lost records", seen.lost_records),
            ("VLF switches", seen.vlf_switches),
            ("wraps", seen.wraps),
            ("growths", seen.growths),
            ("checkpoints", seen.checkpoints),
            ("full logs", seen.full),
            ("full disks", seen.disk_full),
            ("rollbacks", seen.rollbacks),
            ("I/O errors", seen.io_errors),
        ] {
            assert!(n > 0, "no {name} in {} seeds: the test proves nothing about them", seeds());
        }
    }
}

#[test]
fn the_same_seed_does_the_same() {
    let (mut a, mut b) = (Seen::default(), Seen::default());
    for seed in 0..5 {
        run(seed, None, &mut a).unwrap();
        run(seed, None, &mut b).unwrap();
    }
    assert_eq!(format!("{a:?}"), format!("{b:?}"));
}

#[test]
fn a_sync_that_is_left_out_is_noticed() {
    let mut seen = Seen::default();
    let tries = 100;
    for seed in 0..tries {
        // The last sync before the first crash: later ones do not cover for it.
        let mut plain = Run::new(seed);
        let made = plain.rig.world.stats().syncs;
        plain.go(1).unwrap();
        let _ = run(seed, Some(plain.first_syncs.max(made + 1)), &mut seen);
    }
    println!("{} of {tries} noticed", seen.notices);
    assert!(seen.notices >= tries / 4, "only {} of {tries} were noticed", seen.notices);
}
