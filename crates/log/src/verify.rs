//! The whole check of log files that nobody has open: every header, directory page, and block of the chain.
//!
//! What is checked: both roots of each file; the directory's pages; the header of every VLF; then every block from the
//! oldest VLF of the unbroken run to the end of the log, with its checksum, its place, its link to the block before, its
//! incarnation and its recovery fork, and every record in it.
//!
//! What the end of the chain means:
//!
//! ```text
//! nothing there, or an earlier use of the VLF   the normal end
//! a torn block, and no proof                    the normal end after a power failure: it was never acknowledged
//! a later block that knew the place as durable  a hole: log that was durable is gone
//! the root says that the log reached further    the same, without anything behind it
//! ```
//! The later block is looked for in every VLF: see [`crate::proof`].
//! A walk goes on behind a hole at the block that proves it, so that every hole is told. What cannot be checked: blocks of
//! earlier uses that the run does not reach, and, without the data file's boot page, whether the last blocks of the log
//! were cut off whole.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use taffrail_base::Lsn;
use taffrail_io::{AlignedBuf, Env, OpenSpec};

use crate::directory::{HALF, Root, Unreadable, VlfHeaderState, vlf_header_state};
use crate::error::LogError;
use crate::offline::{Found, OfflineLog, WalkEnd};
use crate::retried::read_retried;

/// Something that is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The path of the file.
    pub path: PathBuf,
    /// The byte offset in the file.
    pub offset: u64,
    /// A sentence that says the damage.
    pub what: String,
    /// Durable log is lost or unreadable. Else: recovery does not need what is damaged.
    pub serious: bool,
    /// Without the data file nobody can tell.
    pub unsure: bool,
}

/// The findings of a check.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// VLFs in the directory, and how many of them were ever used.
    pub vlfs: usize,
    /// The VLFs among them that were ever used.
    pub used_vlfs: usize,
    /// The number of good blocks.
    pub blocks: u64,
    /// The number of records in them.
    pub records: u64,
    /// The bytes of the good blocks.
    pub bytes: u64,
    /// The first record's LSN and the last one's.
    pub range: Option<(Lsn, Lsn)>,
    /// Where the log ends.
    pub end: Option<WalkEnd>,
    /// The damages, in the order in which they were found.
    pub findings: Vec<Finding>,
}

impl Verdict {
    /// Whether nothing is damaged.
    pub fn is_clean(&self) -> bool {
        self.findings.is_empty()
    }

    fn note(&mut self, path: &Path, offset: u64, what: String, serious: bool) {
        let path = path.to_owned();
        self.findings.push(Finding { path, offset, what, serious, unsure: false });
    }

    /// Damage is a finding; that a file cannot be read is an error.
    fn damage(&mut self, e: LogError) -> Result<(), LogError> {
        match e {
            LogError::Corrupt { path, offset, why } => {
                self.note(&path, offset, why, true);
                Ok(())
            }
            other => Err(other),
        }
    }
}

/// How many holes are told, at most.
const FINDINGS_MAX: usize = 100;

/// Checks a log: its first file, and others if they do not lie beside it.
pub fn verify(env: &Env, paths: &[PathBuf]) -> Result<Verdict, LogError> {
    let mut verdict = Verdict::default();
    let log = match OfflineLog::open(env, paths) {
        Ok(log) => log,
        Err(e) => {
            verdict.damage(e)?;
            return Ok(verdict);
        }
    };
    for file in log.files() {
        roots(env, &file.path, &mut verdict)?;
    }
    headers(&log, &mut verdict)?;
    for (file, offset) in log.doubtful() {
        let what = "the beginning of this VLF is damaged, by a write that the power cut off when the VLF was taken into \
                    use again, or otherwise";
        let path = log.path(file);
        verdict.findings.push(Finding {
            path,
            offset,
            what: what.into(),
            serious: false,
            unsure: true,
        });
    }
    chain(&log, &mut verdict)?;
    Ok(verdict)
}

/// One of a file's two roots is enough; a damaged one is told all the same.
fn roots(env: &Env, path: &Path, verdict: &mut Verdict) -> Result<(), LogError> {
    let volume = env.disk.open(path, OpenSpec::PLAIN.read_only())?;
    let mut buf = AlignedBuf::zeroed(2 * HALF);
    read_retried(&*volume, 0, &mut buf)?;
    for (half, offset) in buf.chunks(HALF).zip([0, HALF as u64]) {
        let written = half.iter().any(|b| *b != 0);
        if written && Root::from_bytes(half) == Err(Unreadable::Damaged) {
            verdict.note(path, offset, "this copy of the file header is damaged".into(), false);
        }
    }
    Ok(())
}

fn headers(log: &OfflineLog, verdict: &mut Verdict) -> Result<(), LogError> {
    let vlfs = log.vlfs();
    verdict.vlfs = vlfs.len();
    verdict.used_vlfs = vlfs.iter().filter(|v| v.seqno.0 > 0).count();
    for v in vlfs {
        let (path, bytes) = log.vlf_header_bytes(&v)?;
        if vlf_header_state(&bytes) == VlfHeaderState::Damaged {
            let offset = v.offset + HALF as u64;
            verdict.note(&path, offset, "the header of this VLF is damaged".into(), false);
        }
    }
    Ok(())
}

fn chain(log: &OfflineLog, verdict: &mut Verdict) -> Result<(), LogError> {
    let mut resume = None;
    loop {
        let (mut blocks, mut records, mut bytes, mut range) = (0, 0, 0, verdict.range);
        let mut visit = |found: Found<'_>| {
            match found {
                Found::Block(b) => {
                    blocks += 1;
                    bytes += u64::from(b.length);
                }
                Found::Record(lsn, _) => {
                    records += 1;
                    range = Some((range.map_or(lsn, |r| r.0), lsn));
                }
            }
            ControlFlow::Continue(())
        };
        let walked = match resume {
            Some((vlf, pos)) => log.walk_in(vlf, pos, &mut visit),
            None => log.walk_at(None, &mut visit),
        };
        verdict.blocks += blocks;
        verdict.records += records;
        verdict.bytes += bytes;
        verdict.range = range;
        let end = match walked {
            Ok(end) => end,
            Err(e) => return verdict.damage(e),
        };
        let Some(end) = end else { return Ok(()) };
        let resumed = end.proof_vlf.zip(end.proof);
        if end.is_hole() {
            let what = format!("{}; {}: a hole", end.why, end.evidence);
            let path = log.path(end.file);
            verdict.note(&path, end.offset, what, true);
        }
        verdict.end = Some(end);
        match resumed {
            Some(_) if verdict.findings.len() < FINDINGS_MAX => resume = resumed,
            _ => return Ok(()),
        }
    }
}
