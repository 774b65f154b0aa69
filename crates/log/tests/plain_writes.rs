//! Power cuts and faults while full blocks are written plainly and synced later: what was hardened is there, what survives is a
//! prefix, delayed durable commits are durable when their window has ended.
//!
//! `LOG_SEEDS` sets how many seeds run, `LOG_SEED` the first.

use crate::rig;

use std::time::Duration;

use rig::{Rig, number, some_paths, spec, world};
use taffrail_io::sim::{Fault, FaultKind, IoKind, SimRng};
use taffrail_log::{Growth, LogError, LogOptions};

#[derive(Default, Debug)]
struct Seen {
    /// Turns of the writer that wrote and made nothing durable.
    plain: u64,
    /// Windows that ended with such blocks in front of the commit.
    lazy: u64,
    cut_in_io: u64,
    failed: u64,
    crashes: u64,
}

fn flushes(rig: &Rig) -> u64 {
    rig.log.options().counters.log_flushes.get()
}

fn step(rig: &mut Rig, rng: &mut SimRng, seen: &mut Seen) -> Result<(), LogError> {
    match rng.below(20) {
        0..10 => {
            for _ in 0..1 + rng.below(6) {
                if !rig.append(8 + rng.below(50_000) as usize)? {
                    return rig.checkpoint();
                }
            }
        }
        10..15 => {
            let (before, durable) = (flushes(rig), rig.log.durable());
            rig.log.writer_tick();
            let wrote = flushes(rig) > before;
            seen.plain += u64::from(wrote && rig.log.durable() == durable);
        }
        15 | 16 => rig.flush()?,
        17 => {
            let commit = rig.log.last_record();
            let before = rig.log.durable();
            rig.log.request_lazy();
            rig.world.clock().advance(Duration::from_millis(8));
            rig.log.writer_tick();
            if !rig.log.is_failed() {
                assert!(rig.log.durable() > commit, "the window has ended");
                seen.lazy += u64::from(rig.log.durable().0 > before.0 + (100 << 10));
                rig.hardened = rig.hardened.max(commit);
            }
        }
        18 => rig.checkpoint()?,
        _ => rig.check().map_err(LogError::Specification)?,
    }
    Ok(())
}

fn run(seed: u64, seen: &mut Seen) -> Result<(), String> {
    let mut rng = SimRng::new(seed ^ 0x91a1_4000);
    let world = world(seed, !rng.one_in(2));
    let growth = Growth::Bytes(1 << 20);
    let specs: Vec<_> = some_paths(&mut rng)
        .iter()
        .map(|path| spec(path.to_str().unwrap_or_default(), 1024 + 512 * rng.below(4), growth))
        .collect();
    let options = LogOptions {
        buffers: 4 + rng.below(60) as usize,
        always_plain: true,
        ..LogOptions::default()
    };
    let mut rig = Rig::on(world, &specs, options, 3);
    for _ in 0..4 {
        match rng.below(9) {
            0..5 => rig.world.crash_at(1 + rng.below(80)),
            5..8 => {
                let kind = [IoKind::Write, IoKind::Sync][rng.below(2) as usize];
                rig.world.inject(Fault {
                    nth: 1 + rng.below(5),
                    kind: Some(kind),
                    path_contains: String::new(),
                    fault: FaultKind::Io,
                    sticky: rng.one_in(2),
                });
            }
            _ => {}
        }
        for _ in 0..rng.below(150) {
            match step(&mut rig, &mut rng, seen) {
                Ok(()) if !rig.log.is_failed() => {}
                Ok(()) | Err(LogError::Io(_) | LogError::Unavailable) => break,
                Err(e) => return Err(e.to_string()),
            }
        }
        seen.cut_in_io += u64::from(!rig.world.is_powered());
        seen.failed += u64::from(rig.world.is_powered() && rig.log.is_failed());
        seen.crashes += 1;
        rig.reopen()?;
    }
    Ok(())
}

#[test]
fn what_is_hardened_behind_plain_writes_survives() {
    let (first, count) = (number("LOG_SEED").unwrap_or(0), number("LOG_SEEDS").unwrap_or(100));
    let mut seen = Seen::default();
    for seed in first..first + count {
        if let Err(text) = run(seed, &mut seen) {
            panic!("seed {seed}: {text}");
        }
    }
    println!("{seen:?}");
    if count >= 100 {
        let least = [seen.plain, seen.lazy, seen.cut_in_io, seen.failed];
        assert!(least.iter().all(|&n| n > 10), "hardly anything happened: {seen:?}");
    }
}
