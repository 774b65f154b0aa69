//! Random sequences of everything that changes which VLFs there are and what they hold: append, flush, checkpoint, growth,
//! shrink, files added and removed, holders, power cuts in the middle. After each step the numbered invariants of the VLF
//! table hold; after each restart what was hardened is there, and the files on the disk are exactly the log's.
//!
//! `LOG_SEEDS` sets how many seeds run, `LOG_SEED` the first.

use crate::rig;

use std::path::PathBuf;

use rig::{Rig, spec};
use taffrail_base::LogPos;
use taffrail_io::sim::SimRng;
use taffrail_log::{
    Growth, HolderId, LogError, LogOptions, ReuseWait, ShrinkMode, VlfAlgorithm, VlfStatus,
};

#[derive(Default, Debug)]
struct Seen {
    crashes: u64,
    cut_in_io: u64,
    growths: u64,
    shrinks: u64,
    moved: u64,
    added: u64,
    removed: u64,
    refused: u64,
    wraps: u64,
    files: usize,
}

struct Run {
    rig: Rig,
    rng: SimRng,
    holder: Option<HolderId>,
    names: u64,
    seen: Seen,
    /// Every crash so far was at rest, with everything flushed.
    calm: bool,
}

impl Run {
    fn new(seed: u64) -> Run {
        let mut rng = SimRng::new(seed ^ 0x5eed);
        let growth = [Growth::None, Growth::Bytes(256 << 10), Growth::Percent(25)];
        let growth = growth[rng.below(3) as usize];
        let algorithm = [VlfAlgorithm::V2012, VlfAlgorithm::V2014, VlfAlgorithm::V2022];
        let options = LogOptions {
            vlf_algorithm: algorithm[rng.below(3) as usize],
            buffers: 3 + rng.below(8) as usize,
            ..LogOptions::default()
        };
        let mut specs = vec![spec("/a_log.ldf", 512 + 256 * rng.below(5), growth)];
        if rng.one_in(3) {
            specs.push(spec("/b_log.ldf", 512 + 256 * rng.below(3), growth));
        }
        for s in &mut specs {
            s.max_size = 4 << 20;
        }
        let rig = Rig::new(seed, &specs, options);
        Run { rig, rng, holder: None, names: 0, seen: Seen::default(), calm: true }
    }

    fn any_file(&mut self) -> usize {
        let files = self.rig.log.files();
        files[self.rng.below(files.len() as u64) as usize].file
    }

    fn step(&mut self) -> Result<(), LogError> {
        match self.rng.below(100) {
            0..45 => {
                let bytes = [40, 700, 9_000, 50_000][self.rng.below(4) as usize];
                if !self.rig.append(bytes)? {
                    self.release();
                    self.rig.checkpoint()?;
                }
            }
            45..60 => self.rig.flush()?,
            60..72 => self.rig.checkpoint()?,
            72..78 => {
                let file = self.any_file();
                let size = self.rig.log.files().iter().find(|f| f.file == file).unwrap().size;
                let by = (256 + 64 * self.rng.below(12)) << 10;
                match self.rig.log.grow_file(file, size + by) {
                    Ok(()) => self.seen.growths += 1,
                    Err(LogError::MaxSize(_)) => self.seen.refused += 1,
                    Err(e) => return Err(e),
                }
            }
            78..88 => {
                let file = self.any_file();
                let mode = match self.rng.below(4) {
                    0 => ShrinkMode::Truncate,
                    1 => ShrinkMode::Empty,
                    _ => ShrinkMode::To(self.rng.below(2048) << 10),
                };
                let report = self.rig.shrink(file, mode)?;
                self.seen.shrinks += u64::from(report.to < report.from);
                self.seen.moved += u64::from(report.moved);
            }
            88..92 if self.rig.log.files().len() < 5 => {
                self.names += 1;
                let path = format!("/x{}_log.ldf", self.names % 4);
                if self.rig.paths.contains(&PathBuf::from(&path)) {
                    return Ok(());
                }
                let kb = 512 + 128 * self.rng.below(6);
                self.rig.add(&spec(&path, kb, Growth::Bytes(256 << 10)))?;
                self.seen.added += 1;
            }
            92..96 => {
                let file = self.any_file();
                if file != 0 && self.rig.remove(file)? {
                    self.seen.removed += 1;
                }
            }
            96 if self.holder.is_none() => {
                let at = self.rig.log.oldest();
                self.holder = Some(self.rig.hold(ReuseWait::LogBackup, at).0);
            }
            97 => self.release(),
            _ => {
                self.rig.log.truncate();
            }
        }
        self.seen.files = self.seen.files.max(self.rig.log.files().len());
        Ok(())
    }

    fn release(&mut self) {
        if let Some(id) = self.holder.take() {
            self.rig.log.unregister_holder(id);
        }
    }

    fn uses(&self) -> Vec<(usize, u64, u32, u8)> {
        let vlfs = self.rig.log.vlfs();
        vlfs.iter().map(|v| (v.file, v.offset, v.seqno.0, v.parity)).collect()
    }

    fn go(&mut self) -> Result<(), String> {
        for _ in 0..4 {
            let cut = self.rng.one_in(2);
            if cut {
                self.rig.world.crash_at(1 + self.rng.below(150));
            }
            for _ in 0..self.rng.below(250) {
                match self.step() {
                    Ok(()) if self.rig.log.is_failed() => break,
                    Ok(()) => self.rig.check()?,
                    Err(LogError::Io(_) | LogError::Unavailable) => break,
                    Err(e) => return Err(e.to_string()),
                }
            }
            self.holder = None;
            let powered = self.rig.world.is_powered();
            let calm = powered && self.rig.flush().is_ok();
            self.calm &= calm;
            let before = self.uses();
            let head = before.iter().map(|u| u.2).max().unwrap_or(0);
            self.seen.wraps += u64::from(head > 33 + before.len() as u32);
            self.seen.crashes += 1;
            self.seen.cut_in_io += u64::from(!powered);
            self.rig.reopen()?;
            if self.calm && self.uses() != before {
                return Err(format!("last uses were {before:?}, are {:?}", self.uses()));
            }
        }
        Ok(())
    }
}

#[test]
fn any_sequence_keeps_the_invariants() {
    let number = |name: &str, default| {
        std::env::var(name).ok().and_then(|s| s.parse().ok()).unwrap_or(default)
    };
    let (first, count) = (number("LOG_SEED", 0u64), number("LOG_SEEDS", 100u64));
    let mut all = Seen::default();
    for seed in first..first + count {
        let mut run = Run::new(seed);
        if let Err(text) = run.go() {
            panic!("seed {seed}: {text}");
        }
        let s = run.seen;
        all.crashes += s.crashes;
        all.cut_in_io += s.cut_in_io;
        all.growths += s.growths;
        all.shrinks += s.shrinks;
        all.moved += s.moved;
        all.added += s.added;
        all.removed += s.removed;
        all.refused += s.refused;
        all.wraps += s.wraps;
        all.files = all.files.max(s.files);
    }
    println!("{all:?}");
    if count >= 100 {
        let least = [all.cut_in_io, all.growths, all.shrinks, all.moved, all.added, all.removed];
        assert!(
            least.iter().all(|&n| n > 20) && all.wraps > 20,
            "hardly anything happened: {all:?}"
        );
    }
}

#[test]
fn positions_and_lsns_are_two_names_of_one_place() {
    let mut rig =
        Rig::new(4, &[spec("/a_log.ldf", 1024, Growth::Bytes(256 << 10))], LogOptions::default());
    for n in 0..400 {
        assert!(rig.append(3000).unwrap());
        if n % 50 == 49 {
            rig.checkpoint().unwrap();
        }
    }
    rig.flush().unwrap();
    let oldest = rig.log.oldest();
    for &pos in rig.model.keys() {
        let lsn = rig.log.lsn(pos);
        assert_eq!(lsn.is_some(), pos >= oldest, "{pos:?}");
        assert!(lsn.is_none_or(|lsn| rig.log.pos_of(lsn) == Some(pos)));
    }
    let active = rig.log.vlfs().into_iter().filter(|v| v.status == VlfStatus::Active).count();
    assert!(active >= 1 && rig.log.lsn(LogPos(1)).is_none());
}

#[test]
fn what_is_used_of_each_file_is_what_is_used_of_the_log() {
    let specs = [spec("/a_log.ldf", 512, Growth::None), spec("/b_log.ldf", 512, Growth::None)];
    let mut rig = Rig::new(11, &specs, LogOptions::default());
    let mut both = 0;
    for n in 0..400 {
        if n % 25 == 24 {
            rig.checkpoint().unwrap();
        }
        assert!(rig.append(n * 37 % 9000).unwrap());
        let (used, files) = (rig.log.space().used, rig.log.files());
        let each: Vec<u64> = files.iter().map(|f| rig.log.used_in_file(f.file)).collect();
        assert_eq!(each.iter().sum::<u64>(), used);
        assert!(each.iter().zip(&files).all(|(used, f)| *used <= f.size), "{each:?}");
        both += usize::from(each.iter().all(|used| *used > 0));
    }
    assert!(both > 0, "never in both files");
}
