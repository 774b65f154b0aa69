//! A read of a log file that fails up to three times in a row, wherever it is, costs nothing but a line in the error
//! log (825); one that fails
//! four times is an error and no end of the log.

use crate::rig;

use taffrail_io::AlignedBuf;
use taffrail_io::sim::{Fault, FaultKind, IoKind, SimWorld};
use taffrail_log::offline::OfflineLog;
use taffrail_log::{Growth, LogError, LogOptions, verify};

use rig::{Rig, spec};

fn fail_reads(world: &SimWorld, nth: u64, times: u64) {
    world.clear_faults();
    for nth in nth..nth + times {
        let fault = FaultKind::Io;
        let path_contains = "log.ldf".into();
        world.inject(Fault { nth, kind: Some(IoKind::Read), path_contains, fault, sticky: false });
    }
}

/// A log that has gone round, with blocks of which some were not synced when power failed.
fn cut_off(seed: u64) -> Rig {
    let specs =
        [spec("/a_log.ldf", 512, Growth::Bytes(256 << 10)), spec("/b_log.ldf", 512, Growth::None)];
    let mut rig = Rig::new(seed, &specs, LogOptions::default());
    for _ in 0..3 {
        rig.fill_vlfs(3);
        rig.checkpoint().unwrap();
    }
    for i in 0..12 {
        rig.append(900 * i).unwrap();
        if i == 8 {
            rig.flush().unwrap();
        }
    }
    rig.world.restart();
    rig
}

/// Does it with each of its reads failing so many times in a row.
fn everywhere(seed: u64, times: u64, what: impl Fn(&mut Rig) -> Result<(), String>) {
    let mut places = 0;
    for nth in 1.. {
        let mut rig = cut_off(seed);
        let before = rig.world.stats().faults;
        fail_reads(&rig.world, nth, times);
        what(&mut rig).unwrap_or_else(|e| panic!("read {nth}: {e}"));
        if rig.world.stats().faults == before {
            break;
        }
        places += 1;
    }
    println!("{places} reads");
    assert!(places > 3, "{places} reads");
}

fn open(rig: &mut Rig) -> Result<(), String> {
    rig.recover(|serial, _, bytes| bytes[..8] == serial.to_le_bytes()).map(drop)
}

#[test]
fn an_opening_gets_over_reads_that_fail() {
    for seed in 1..4 {
        everywhere(seed, 3, open);
    }
}

#[test]
fn what_cannot_be_read_is_not_the_end_of_the_log() {
    for seed in 1..4 {
        everywhere(seed, 6, |rig| match open(rig) {
            Err(e) if e.starts_with("open: ") => Ok(()),
            result => result,
        });
    }
}

#[test]
fn a_look_at_a_stopped_log_gets_over_reads_that_fail() {
    for seed in 1..4 {
        let look = |rig: &Rig| -> Result<String, LogError> {
            let (env, paths) = (rig.world.env(), &rig.paths);
            let verdict = verify::verify(&env, paths)?;
            let log = OfflineLog::open(&env, paths)?;
            let mut blocks = Vec::new();
            let end = log.walk(|b| blocks.push(*b), |_, _| {})?;
            for b in &blocks {
                log.read_block(b, &mut AlignedBuf::zeroed(b.length as usize))?;
            }
            Ok(format!("{verdict:?} {end:?}"))
        };
        let whole = look(&cut_off(seed)).unwrap();
        everywhere(seed, 3, |rig| match look(rig) {
            Ok(seen) if seen == whole => Ok(()),
            other => Err(format!("{other:?}, not {whole}")),
        });
    }
}
