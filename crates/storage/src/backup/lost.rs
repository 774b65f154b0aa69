//! The tail of the log of a database that cannot be opened: BACKUP LOG … WITH NO_TRUNCATE after its data file was lost.
//!
//! The log files alone tell all of the log, but not where the log chain stands, on which recovery path, and what the database's files are
//! called: that is in the boot page, which is lost with the data file. Whoever asks brings it from the history of backups, and this module
//! holds it against the log:
//!
//! ```text
//! history   database GUID, recovery fork, where the last log backup ended, where the other backups since (or all, without one) began
//! log       its fork GUID is that database's; the place lies in the unbroken run of VLFs, no later than the log's end
//! ```
//! From the oldest of these places that will do to the log's end every block goes into the set. Nothing is written to the log files.
//!
//! 1. No record in the set has minimally logged work: its pages are lost, and a restore without them would be wrong (4216).
//!    A place behind that work will do: the pages are in the backup that began there.
//! 2. A log that is broken before its end, which a later block proves, is refused: what lies behind is lost.
//! 3. So is one that ends before a place that the history knows: it is an older copy of the log.

use std::ops::ControlFlow;
use std::path::PathBuf;

use taffrail_base::{LogPos, Lsn, PAGE_BYTES, VlfSeqNo};
use taffrail_io::{Env, UtcTime};
use taffrail_log::offline::{BlockInfo, Found, OfflineLog, WalkEnd};
use taffrail_log::{LogAnchor, LogError, RecordFlags, VlfRange};

use super::error::{BackupError, BackupResult, device};
use super::media::CONTENT_MAX;
use super::spec::{BackupFile, BackupKind, BackupReport, BackupSpec, SetHeader, Watch};
use super::state::BackupState;
use super::take::{LogChunk, put_layout};
use super::writer::SetWriter;
use crate::access::record::bulk::unlogged;
use crate::codec::Put;
use crate::database::{DatabaseOptions, RecoveryModel};
use crate::error::StorageError;
use crate::recovery::{Boot, FORMAT_VERSION, boot_page};

/// The facts about a database that the history of backups has.
#[derive(Clone, Debug)]
pub struct LostDatabase {
    /// The name of the database.
    pub name: String,
    /// The database's `database_guid`, its identity.
    pub guid: [u8; 16],
    /// The database's `family_guid`, kept through restores.
    pub family: [u8; 16],
    /// The `last_recovery_fork_guid` of its last backup.
    pub fork: [u8; 16],
    /// When it was made.
    pub created: UtcTime,
    /// Its recovery model at the last backup.
    pub recovery_model: RecoveryModel,
    /// Its files at the last backup.
    pub files: Vec<BackupFile>,
    /// Its first log file; the others if they are known.
    pub log: Vec<PathBuf>,
    /// Checkpoint of the last full backup.
    pub last_full: Lsn,
    /// Where the set may begin, the best, which is the oldest, first; true: the log chain begins there.
    pub from: Vec<(Lsn, bool)>,
}

fn log_error(e: LogError) -> BackupError {
    match e {
        LogError::Io(e) => device("read")(e),
        e => StorageError::Sql(taffrail_base::SqlError::new(3203, &[&"the log", &e])).into(),
    }
}

/// The part of the log that a set is made of.
struct Tail {
    log: OfflineLog,
    from: Lsn,
    begins_chain: bool,
    /// The VLF that the walk begins with.
    first: VlfSeqNo,
    end: WalkEnd,
    bytes: u64,
}

/// LSNs of blocks, without the slot.
fn block(lsn: Lsn) -> Lsn {
    Lsn { slot: 0, ..lsn }
}

/// The findings of a look through the log from a place on.
struct Seen {
    end: WalkEnd,
    bytes: u64,
    /// The last record of minimally logged work.
    bulk: Option<Lsn>,
}

impl Seen {
    /// Walks from the beginning of a VLF to the log's end. None: there is no way from there.
    fn from(log: &OfflineLog, first: VlfSeqNo, from: Lsn) -> BackupResult<Option<Seen>> {
        let (mut bytes, mut bulk) = (0, None);
        let end = log.walk_from(Some(first), &mut |found| {
            match found {
                Found::Block(b) if b.lsn >= block(from) => bytes += u64::from(b.length),
                Found::Record(lsn, r) if lsn >= from => {
                    let undone = r.header.flags.contains(RecordFlags::COMPENSATION);
                    if !undone && unlogged(r).is_some() {
                        bulk = Some(lsn);
                    }
                }
                _ => {}
            }
            ControlFlow::Continue(())
        });
        let Some(end) = end.map_err(log_error)? else { return Ok(None) };
        if end.is_hole() {
            let why = format!("it is broken at {} ({}): {}", end.lsn, end.why, end.evidence);
            let e = taffrail_base::SqlError::new(3203, &[&log.path(end.file).display(), &why]);
            return Err(StorageError::Sql(e).into());
        }
        Ok(Some(Seen { end, bytes, bulk }))
    }
}

impl Tail {
    /// Finds it, and looks at all of it.
    fn find(env: &Env, lost: &LostDatabase) -> BackupResult<Tail> {
        let log = OfflineLog::open(env, &lost.log).map_err(log_error)?;
        if log.facts().2 != lost.guid {
            return Err(BackupError::WrongDatabase);
        }
        let (Some(oldest), Some(newest)) = (log.oldest(), log.newest()) else {
            return Err(BackupError::NoLogChain);
        };
        // The VLF that follows the newest is named as soon as that is full, and has a header only with its first block.
        let there = |lsn: Lsn| lsn.vlf >= oldest && lsn.vlf.0 <= newest.0 + 1;
        // What minimally logged work is passed over with a place, the backup that began there has.
        let (mut passed, mut refusal) = (Lsn::ZERO, BackupError::NoLogChain);
        for &(from, begins_chain) in lost.from.iter().filter(|(lsn, _)| there(*lsn)) {
            if from <= passed {
                continue;
            }
            let first = from.vlf.min(newest);
            let Some(seen) = Seen::from(&log, first, from)? else {
                return Err(BackupError::NoLogChain);
            };
            if lost.from.iter().any(|(lsn, _)| seen.end.lsn < block(*lsn)) {
                return Err(BackupError::NoLogChain);
            }
            let Seen { end, bytes, bulk } = seen;
            match bulk {
                None => return Ok(Tail { log, from, begins_chain, first, end, bytes }),
                Some(last) => (passed, refusal) = (last, BackupError::BulkUnavailable),
            }
        }
        Err(refusal)
    }

    /// Log sector, and sizes of the VLFs per file.
    fn layout(&self) -> (u32, Vec<Vec<u64>>) {
        let mut sizes: Vec<Vec<u64>> = Vec::new();
        for v in self.log.vlfs() {
            if sizes.len() <= v.file {
                sizes.resize(v.file + 1, Vec::new());
            }
            sizes[v.file].push(v.size);
        }
        sizes.retain(|s| !s.is_empty());
        (self.log.facts().0, sizes)
    }

    fn copy(&self, set: &mut SetWriter, watch: &mut dyn Watch) -> BackupResult<()> {
        let mut chunk: Option<LogChunk> = None;
        let (mut done, mut result) = (0, Ok(()));
        let ended = self.log.walk_from(Some(self.first), &mut |found| {
            let Found::Block(b) = found else { return ControlFlow::Continue(()) };
            if b.lsn < block(self.from) {
                return ControlFlow::Continue(());
            }
            result = self.copy_block(set, &mut chunk, b);
            done += u64::from(b.length);
            watch.progress(done, self.bytes.max(done));
            if result.is_ok() && watch.cancelled() {
                result = Err(BackupError::Cancelled);
            }
            match result {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            }
        });
        result?;
        let ended = ended.map_err(log_error)?;
        if ended.map(|e| e.lsn) != Some(self.end.lsn) {
            return Err(StorageError::Misuse("the log has changed while it was backed up").into());
        }
        chunk.map_or(Ok(()), |c| c.put(set))
    }

    fn copy_block(
        &self,
        set: &mut SetWriter,
        chunk: &mut Option<LogChunk>,
        b: &BlockInfo,
    ) -> BackupResult<()> {
        let Some(vlf) = self.vlf(b) else {
            return Err(StorageError::Misuse("a log block lies in no VLF").into());
        };
        let len = b.length as usize;
        if !chunk.as_ref().is_some_and(|c| c.vlf == vlf && c.len + len <= CONTENT_MAX)
            && let Some(full) = chunk.replace(LogChunk::new(vlf, set.buffer()))
        {
            full.put(set)?;
        }
        match chunk {
            Some(c) => self.log.read_block(b, c.room(len)).map_err(log_error),
            None => Ok(()),
        }
    }

    fn vlf(&self, b: &BlockInfo) -> Option<VlfRange> {
        let offset = u64::from(b.lsn.block.0) * 512;
        let start = LogPos(b.pos.0.checked_sub(offset)?);
        let place = b.offset.checked_sub(offset)?;
        let vlfs = self.log.vlfs();
        let info = vlfs.iter().find(|v| v.file == b.file && v.offset == place)?;
        Some(VlfRange { seqno: b.lsn.vlf, start, size: info.size })
    }
}

/// BACKUP LOG … WITH NO_TRUNCATE of a database that nobody has open. What was logged after the log file's end was known is not missed: a
/// commit that was acknowledged is in it.
pub fn backup_lost(
    env: &Env,
    spec: &BackupSpec,
    lost: &LostDatabase,
    watch: &mut dyn Watch,
) -> BackupResult<BackupReport> {
    let began = env.clock.monotonic();
    // Everything that can be refused is, before the media is touched.
    let tail = Tail::find(env, lost)?;
    let guid = env.entropy.guid();
    let mut set = SetWriter::begin(env, spec, guid, env.clock.now_utc())?;
    let mut header = SetHeader {
        guid,
        position: set.position,
        kind: BackupKind::Log,
        labels: spec.labels.clone(),
        database: lost.name.clone(),
        database_guid: lost.guid,
        family_guid: lost.family,
        created: lost.created,
        format_version: FORMAT_VERSION,
        recovery_model: lost.recovery_model,
        engine_flags: 0,
        first_lsn: tail.from,
        last_lsn: Lsn { slot: 1, ..tail.end.lsn },
        checkpoint_lsn: lost.last_full,
        database_backup_lsn: lost.last_full,
        differential_base_lsn: Lsn::ZERO,
        differential_base_guid: [0; 16],
        first_fork: lost.fork,
        last_fork: lost.fork,
        fork_point: Lsn::ZERO,
        started: env.clock.now_utc(),
        finished: UtcTime(0),
        size: 0,
        compressed_size: 0,
        compressed: spec.compression,
        has_checksums: spec.checksum,
        is_damaged: false,
        begins_log_chain: tail.begins_chain,
        is_copy_only: true,
        is_force_offline: false,
        has_bulk_logged_data: false,
        has_incomplete_metadata: true,
        complete: false,
        files: lost.files.clone(),
    };
    put_header(&mut set, &header, lost)?;
    let (sector, sizes) = tail.layout();
    put_layout(&mut set, sector, &sizes)?;
    tail.copy(&mut set, watch)?;
    header.finished = env.clock.now_utc();
    header.complete = true;
    header.size = set.raw;
    header.compressed_size = set.stored;
    set.finish(env, &header)?;
    Ok(BackupReport {
        header,
        media: set.labels(),
        pages: 0,
        log_pages: tail.bytes.div_ceil(PAGE_BYTES as u64),
        duration: env.clock.monotonic().saturating_sub(began),
    })
}

/// The set's header, with a boot page that says who the database is and nothing else: a log set's is never restored.
fn put_header(set: &mut SetWriter, header: &SetHeader, lost: &LostDatabase) -> BackupResult<()> {
    let boot = Boot {
        version: FORMAT_VERSION,
        sequence: 0,
        guid: lost.guid,
        created: lost.created,
        next_transaction: 0,
        next_hobt: 0,
        options: DatabaseOptions { recovery_model: lost.recovery_model, ..Default::default() },
        checkpoint_lsn: Lsn::ZERO,
        checkpoint: LogPos::ZERO,
        scan_from: LogPos::ZERO,
        min: LogPos::ZERO,
        anchor: [0; LogAnchor::BYTES],
        log_chain: LogPos::ZERO,
        files: Vec::new(),
        backup: BackupState {
            family: lost.family,
            fork: lost.fork,
            first_fork: lost.fork,
            ..BackupState::default()
        },
        redo_rate: (0, 0),
    };
    let Some(page) = boot.encode(boot_page(boot.sequence)) else {
        return Err(StorageError::Misuse("the boot page of a lost database").into());
    };
    let mut content = Vec::with_capacity(PAGE_BYTES + 1024);
    header.encode(&mut content);
    content.bytes(page.bytes());
    set.put_header(&content)
}
