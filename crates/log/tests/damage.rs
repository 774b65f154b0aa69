//! Damage to a log of known content: opening gives every record, or refuses. Silence is allowed only where nothing that is left knows
//! better, and that rule is exact:
//!
//! > The chain ends at the first damaged block, E. Opening must refuse if a whole block behind E was closed when E had been
//! > durable, or if the anchor or the file's header says that the log reached further. Otherwise it may give the records before E.
//!
//! `DAMAGE_SEEDS` sets how many seeds run, `DAMAGE_SEED` the first.

use crate::rig;

use std::io::Write;
use std::path::PathBuf;

use rig::{Rig, counts, number, some_paths, spec};
use taffrail_base::LogPos;
use taffrail_io::sim::SimRng;
use taffrail_io::{AlignedBuf, OpenSpec};
use taffrail_log::offline::{BlockInfo, OfflineLog};
use taffrail_log::{FlushReason, Growth, Log, LogError, LogOptions, VlfInfo, verify};

counts!(Seen {
    tries,
    whole,
    refused,
    refused_by_blocks,
    refused_without_need,
    silent,
    silent_blocks,
    told_by_verify,
    vlf_starts,
    closed,
});

/// A log on disk as a crash left it, and what is known of it.
struct Known {
    rig: Rig,
    images: Vec<(PathBuf, Vec<u8>)>,
    /// Blocks from the anchor's on.
    blocks: Vec<BlockInfo>,
    /// Where VLFs begin: file and offset.
    vlfs: Vec<(usize, u64)>,
    closed: bool,
}

impl Known {
    fn new(seed: u64) -> Known {
        let mut rng = SimRng::new(seed ^ 0x00da_3a6e);
        let specs: Vec<_> = some_paths(&mut rng)
            .iter()
            .map(|p| spec(p.to_str().unwrap(), 512 + 256 * rng.below(3), Growth::Bytes(256 << 10)))
            .collect();
        let mut rig = Rig::new(seed, &specs, LogOptions::default());
        let large = 1 + rng.below(3);
        let checkpoint_every = [30, 200, 1000][rng.below(3) as usize];
        for _ in 0..100 + rng.below(400) {
            let most = if rng.one_in(5) { 30_000 } else { 600 * large };
            rig.append(8 + rng.below(most) as usize).unwrap();
            if rng.one_in(1 + large) {
                rig.flush().unwrap();
            }
            if rng.one_in(checkpoint_every) {
                rig.checkpoint().unwrap();
            }
        }
        rig.flush().unwrap();
        let closed = rng.one_in(4);
        if closed {
            rig.log.close();
        }
        rig.world.restart();
        let env = rig.world.env();
        let images = rig.paths.iter().map(|path| {
            let volume = env.disk.open(path, OpenSpec::LOG.read_only()).unwrap();
            let mut bytes = AlignedBuf::zeroed(volume.len().unwrap() as usize);
            volume.read_at(0, &mut bytes).unwrap();
            (path.clone(), bytes.to_vec())
        });
        let images = images.collect();
        let offline = OfflineLog::open(&env, &rig.paths).unwrap();
        let vlfs = offline.vlfs().iter().map(|v| (v.file, v.offset)).collect();
        let mut blocks = Vec::new();
        let from = rig.anchor().pos.block();
        let end = offline.walk(|b| blocks.push(*b), |_, _| {}).unwrap().unwrap();
        assert!(!end.is_hole() && end.pos >= rig.hardened, "seed {seed}: {end:?}");
        blocks.retain(|b| b.pos >= from);
        Known { rig, images, blocks, vlfs, closed }
    }

    /// Writes files; what differs from what is there.
    fn write(&self, images: &[(PathBuf, Vec<u8>)]) {
        let env = self.rig.world.env();
        for (path, bytes) in images {
            let volume = env.disk.open(path, OpenSpec::LOG).unwrap();
            volume.truncate(bytes.len() as u64).unwrap();
            volume.write_at(0, &AlignedBuf::from_slice(bytes)).unwrap();
            volume.sync().unwrap();
        }
    }

    /// One place of at most 64 KiB, often where a VLF begins or the log ends.
    fn damage(&self, rng: &mut SimRng, images: &mut [(PathBuf, Vec<u8>)], seen: &mut Seen) {
        let len = 512 * [1, 1, 2, 8, 16, 64, 128][rng.below(7) as usize] as usize;
        let (file, around) = match rng.below(4) {
            0 => {
                seen.vlf_starts += 1;
                self.vlfs[rng.below(self.vlfs.len() as u64) as usize]
            }
            1 => {
                let last = self.blocks.len() - 1;
                let b = &self.blocks[last - rng.below(8).min(last as u64) as usize];
                (b.file, b.offset)
            }
            _ => {
                let b = &self.blocks[rng.below(self.blocks.len() as u64) as usize];
                (b.file, b.offset)
            }
        };
        let bytes = &mut images[file].1;
        let before = 512 * rng.below(1 + len as u64 / 512);
        let at = (around.saturating_sub(before) as usize).min(bytes.len() - len);
        match rng.below(4) {
            0 => bytes[at..at + len].fill(0),
            1 => rng.fill(&mut bytes[at..at + len]),
            2 => {
                // Something that lies elsewhere, whole blocks perhaps.
                let from = 512 * rng.below((bytes.len() - len) as u64 / 512) as usize;
                bytes.copy_within(from..from + len, at);
            }
            _ => {
                let bit = rng.below(len as u64 * 8) as usize;
                bytes[at + bit / 8] ^= 1 << (bit % 8);
            }
        }
    }

    fn try_one(&self, rng: &mut SimRng, seen: &mut Seen) -> Result<(), String> {
        let mut images = self.images.clone();
        for _ in 0..1 + u64::from(rng.one_in(3)) {
            self.damage(rng, &mut images, seen);
        }
        self.write(&images);
        let is_whole = |b: &&BlockInfo| {
            let range = b.offset as usize..(b.offset + u64::from(b.length)) as usize;
            images[b.file].1[range.clone()] == self.images[b.file].1[range]
        };
        let broken = self.blocks.iter().find(|b| !is_whole(b)).map(|b| b.pos);
        let end = broken.unwrap_or(LogPos::MAX);
        let later = self.blocks.iter().filter(|b| b.pos > end).filter(is_whole);
        let by_blocks = later.clone().any(|b| b.durable > end);
        let anchor = self.rig.anchor();
        let last = self.blocks.last().map(|b| b.pos).unwrap();
        // The header's other copy is older: it does not know that the log was closed.
        let roots = 0..8192;
        let header = images[0].1[roots.clone()] == self.images[0].1[roots];
        let must_refuse = broken.is_some()
            && (by_blocks || end < anchor.durable || (self.closed && header && end <= last));
        let verdict = verify::verify(&self.rig.world.env(), &self.rig.paths)
            .map_err(|e| format!("verify: {e}"))?;
        let told = verdict.findings.iter().any(|f| f.serious || f.unsure);
        seen.told_by_verify += u64::from(told);
        if by_blocks && !told {
            return Err(format!("verify does not tell of {end:?}: {verdict:?}"));
        }
        let mut got = Vec::new();
        let env = self.rig.world.env();
        let options = LogOptions::default();
        let opened = Log::open_with(&env, &self.rig.paths, options, &anchor, |r| {
            got.push(r.pos);
            Ok(())
        });
        seen.tries += 1;
        let want: Vec<LogPos> =
            self.rig.model.range(anchor.pos..end.max(anchor.pos)).map(|m| *m.0).collect();
        match opened {
            Ok(_) if must_refuse => {
                let lost = self.rig.model.range(end..).count();
                Err(format!("{lost} records are lost silently: the chain ends at {end:?}"))
            }
            Ok(_) if got != want => Err(format!("{} records instead of {}", got.len(), want.len())),
            Ok(_) => {
                seen.whole += u64::from(broken.is_none());
                seen.silent += u64::from(broken.is_some());
                seen.silent_blocks += self.blocks.iter().filter(|b| b.pos >= end).count() as u64;
                Ok(())
            }
            Err(LogError::Corrupt { path, offset, why }) => {
                seen.refused += 1;
                seen.refused_by_blocks += u64::from(by_blocks);
                seen.refused_without_need += u64::from(!must_refuse);
                if !must_refuse && number("DAMAGE_TELL").is_some() {
                    eprintln!("{path:?} {offset:#x} {why}");
                }
                Ok(())
            }
            Err(e) => Err(e.to_string()),
        }
    }
}

#[test]
fn damage_is_never_silent_where_something_left_knows_better() {
    let first = number("DAMAGE_SEED").unwrap_or(0);
    let mut total = Seen::default();
    for seed in first..first + number("DAMAGE_SEEDS").unwrap_or(20) {
        let known = Known::new(seed);
        let mut seen = Seen::default();
        seen.closed += u64::from(known.closed);
        let mut rng = SimRng::new(seed);
        for n in 0..25 {
            if let Err(text) = known.try_one(&mut rng, &mut seen) {
                panic!("seed {seed}, try {n}: {text}");
            }
        }
        total.add(&seen);
        known.write(&known.images);
        let mut rig = known.rig;
        rig.reopen().unwrap();
    }
    writeln!(std::io::stderr(), "{total:?}").unwrap();
    assert!(total.refused_by_blocks > 0 && total.silent > 0 && total.whole > 0);
    assert!(total.refused_without_need * 20 < total.tries, "{total:?}");
}

/// What an honest crash leaves is no damage, for opening and for the check of the files.
#[test]
fn a_crash_is_not_taken_for_damage() {
    let mut torn = 0;
    for seed in 0..number("CRASH_SEEDS").unwrap_or(60) {
        let mut rng = SimRng::new(seed);
        let files = [spec("/a_log.ldf", 512, Growth::Bytes(256 << 10))];
        let options = LogOptions { buffers: 8, ..LogOptions::default() };
        let mut rig = Rig::new(seed, &files, options);
        for crash in 0..6 {
            rig.world.crash_at(1 + rng.below(150));
            for _ in 0..600 {
                let most = if rng.one_in(4) { 30_000 } else { 2000 };
                let mut done = rig.append(8 + rng.below(most) as usize).map(|_| ());
                if rng.one_in(3) {
                    done = done.and_then(|()| rig.flush());
                }
                if rng.one_in(20) {
                    done = done.and_then(|()| rig.checkpoint());
                }
                if done.is_err() || !rig.world.is_powered() {
                    break;
                }
            }
            rig.world.restart();
            let verdict = verify::verify(&rig.world.env(), &rig.paths).unwrap();
            let serious = verdict.findings.iter().any(|f| f.serious);
            assert!(!serious, "seed {seed}, crash {crash}: {verdict:?}");
            torn += u64::from(verdict.end.is_some_and(|e| e.torn));
            rig.reopen().unwrap_or_else(|e| panic!("seed {seed}, crash {crash}: {e}"));
        }
    }
    assert!(torn > 0);
}

/// A log of one file whose VLFs are as long as `kb` says, filled with hardened records until it has `vlfs` VLFs in use.
fn filled(kb: u64, vlfs: u32) -> (Rig, Vec<VlfInfo>) {
    let mut rig =
        Rig::new(1, &[spec("/a_log.ldf", kb, Growth::Bytes(kb << 10))], LogOptions::default());
    let head = |log: &Log| log.vlfs().iter().map(|v| v.seqno.0).max().unwrap_or(0);
    let goal = head(&rig.log) + vlfs - 1;
    while head(&rig.log) < goal {
        rig.append(9000).unwrap();
        rig.flush().unwrap();
    }
    for _ in 0..5 {
        rig.append(9000).unwrap();
        rig.flush().unwrap();
    }
    rig.world.restart();
    let mut used: Vec<VlfInfo> = rig.log.vlfs().into_iter().filter(|v| v.seqno.0 > 0).collect();
    used.sort_by_key(|v| v.seqno);
    (rig, used)
}

/// Zeroes or junk at a place of the first file.
fn spoil(rig: &Rig, offset: u64, len: usize, with: u8) {
    let volume = rig.world.env().disk.open(&rig.paths[0], OpenSpec::LOG).unwrap();
    volume.write_at(offset, &AlignedBuf::from_slice(&vec![with; len])).unwrap();
    volume.sync().unwrap();
}

fn block_at_end_of(rig: &Rig, v: &VlfInfo) -> u64 {
    let mut last = 0;
    let offline = OfflineLog::open(&rig.world.env(), &rig.paths).unwrap();
    offline
        .walk(
            |b| {
                if b.lsn.vlf == v.seqno {
                    last = b.offset
                }
            },
            |_, _| {},
        )
        .unwrap();
    last
}

/// Opening refuses with these words, and the check of the files tells the same.
fn refuses(rig: &Rig, words: &str) {
    let env = rig.world.env();
    let verdict = verify::verify(&env, &rig.paths).unwrap();
    let told = verdict.findings.iter().any(|f| f.serious && f.what.contains(words));
    assert!(told, "{words}: {verdict:?}");
    let opened = Log::open(&env, &rig.paths, LogOptions::default(), &rig.anchor());
    let why = opened.err().expect("it refuses").to_string();
    assert!(why.contains(words), "{why}");
}

#[test]
fn damage_on_both_sides_of_a_boundary_is_proved_by_the_vlf_behind() {
    // Random bytes or zeroes over one sector of the header, or over the two that have anything in them.
    for (header, with) in [(&[0x1000][..], 0x5a), (&[0x1000, 0x1e00], 0), (&[0x1000], 0)] {
        let (rig, vlfs) = filled(1024, 4);
        let (k, next) = (&vlfs[1], &vlfs[2]);
        spoil(&rig, block_at_end_of(&rig, k), 4096, 0x77);
        for at in header {
            spoil(&rig, next.offset + at, 4096, with);
        }
        refuses(&rig, "proves that the log went on");
    }
}

#[test]
fn a_vlf_that_is_gone_altogether_is_missed() {
    let (rig, vlfs) = filled(1024, 5);
    let (k, next) = (&vlfs[1], &vlfs[2]);
    spoil(&rig, next.offset, next.size as usize, 0);
    refuses(&rig, "proves that the log went on");
    // The block before as well, which names it.
    spoil(&rig, block_at_end_of(&rig, k), 4096, 0x77);
    let opened = Log::open(&rig.world.env(), &rig.paths, LogOptions::default(), &rig.anchor());
    assert!(opened.err().expect("it refuses").to_string().contains("proves"));
}

#[test]
fn a_vlf_that_another_was_copied_over_is_missed() {
    for (from, to) in [(3, 2), (1, 2), (0, 3)] {
        let (rig, vlfs) = filled(1024, 5);
        let volume = rig.world.env().disk.open(&rig.paths[0], OpenSpec::LOG).unwrap();
        let mut copy = AlignedBuf::zeroed(64 << 10);
        volume.read_at(vlfs[from].offset, &mut copy).unwrap();
        // A directory page belongs to its place.
        volume.write_at(vlfs[to].offset + 4096, &copy[4096..]).unwrap();
        volume.sync().unwrap();
        refuses(&rig, "proves that the log went on");
    }
}

#[test]
fn a_large_hole_in_one_vlf_is_seen_across() {
    for (hole, rest) in [(1, 1), (3, 1), (7, 1), (12, 3), (30, 4)] {
        // The first growth makes one VLF.
        let specs = [spec("/a_log.ldf", 512, Growth::Bytes(64 << 20))];
        let mut rig = Rig::new(1, &specs, LogOptions::default());
        let total = (2 + hole + rest) << 20;
        let begun = rig.log.appended();
        while rig.log.appended().since(begun) < total {
            rig.append(40_000).unwrap();
            rig.flush().unwrap();
        }
        let large = rig.log.vlfs().into_iter().find(|v| v.size == 64 << 20).unwrap();
        rig.world.restart();
        spoil(&rig, large.offset + (1 << 20), (hole as usize) << 20, 0);
        refuses(&rig, "proves that the log went on");
    }
}

#[test]
fn a_closed_log_says_where_it_ended() {
    let (mut rig, vlfs) = filled(1024, 2);
    rig.reopen().unwrap();
    rig.append(9000).unwrap();
    rig.log.flush(FlushReason::Request).unwrap();
    rig.log.close();
    let head = vlfs.last().unwrap();
    spoil(&rig, block_at_end_of(&rig, head), 4096, 0);
    refuses(&rig, "its file's header says that it reached position");
}
