//! A database in the middle of a restore.
//!
//! A restore step puts pages into the data files and blocks into the log, while nobody has the database open. Then it is opened as restart
//! does it, up to the end of redo, and either settled or recovered:
//!
//! | | NORECOVERY | RECOVERY |
//! |---|---|---|
//! | pages | all written and synced | the same |
//! | boot page | still in a restore; the last checkpoint that the log tells of is adopted, so that less log is kept and read again | not in a restore any more, on a fork of its own |
//! | then | closed; nothing was appended to the log | undo, a checkpoint |
//!
//! Nothing is appended to the log while the boot page says that a restore goes on: so its end stays a place where the
//! log backup that comes next
//! can go on. A step that is interrupted changes the boot page only as a whole; what it has done besides (blocks at the log's end, pages
//! that are newer than the boot page says) is done again or found done by the next.

use std::path::Path;
use std::sync::Arc;

use taffrail_base::{DatabaseId, LogPos, Lsn};
use taffrail_io::{AlignedBuf, OpenSpec as IoOpenSpec, UtcTime, Volume};

use super::boot::{Boot, FORMAT_VERSION};
use super::create::{boot_page, io_error};
use super::moved::{LogFile, log_files_at, open_error};
use super::restart::{Opened, Redone, check_header, next_hobt_id, open_for_redo, read_boot};
use super::undo;
use crate::access::directory;
use crate::database::{CheckpointKind, Database, OpenSpec, RecoveryModel, RecoveryReport};
use crate::error::{StorageError, StorageResult};
use crate::instance::StorageInstance;
use crate::part::Part;

/// Opens the primary file of a database that nobody has open, and reads its boot page.
pub(crate) fn read_primary(
    instance: &StorageInstance,
    name: &str,
    path: &Path,
) -> StorageResult<(Arc<dyn Volume>, Boot)> {
    let opened = instance.env.disk.open(path, IoOpenSpec::DATA);
    let volume = opened.map_err(open_error)?;
    check_header(&*volume, name, path)?;
    let (boot, ..) = read_boot(&*volume, name, path)?;
    Ok((volume, boot))
}

/// The log files of a database, by its boot page and the place of its primary file.
pub(crate) fn log_files_of(
    instance: &StorageInstance,
    boot: &Boot,
    primary: &Path,
) -> StorageResult<Vec<LogFile>> {
    log_files_at(instance, boot, &OpenSpec::of(primary.to_owned()))
}

/// Writes the next copy of the boot page, or both, durably.
pub(crate) fn write_boots(volume: &dyn Volume, boot: &mut Boot, both: bool) -> StorageResult<()> {
    for _ in 0..1 + u8::from(both) {
        boot.sequence += 1;
        let id = boot_page(boot.sequence);
        let Some(page) = boot.encode(id) else {
            return Err(StorageError::Misuse("the names of the files do not fit the boot page"));
        };
        let buf = AlignedBuf::from_slice(page.bytes());
        volume
            .write_durable(id.file_offset(), &[std::io::IoSlice::new(&buf)])
            .map_err(|e| io_error("write", e))?;
    }
    Ok(())
}

fn opened(
    instance: &Arc<StorageInstance>,
    id: DatabaseId,
    name: &str,
    primary: &Path,
    part: Option<&Arc<Part>>,
) -> StorageResult<Redone> {
    instance.pool.unregister(id);
    instance.pool.discard(id);
    let spec = OpenSpec::of(primary.to_owned());
    let opened = open_for_redo(instance, id, name, &spec, Opened::Restoring(part));
    if opened.is_err() {
        instance.pool.unregister(id);
        instance.pool.discard(id);
    }
    opened
}

/// Everything that redo did is on disk, and the boot page says so.
fn settle(redone: &Redone, change: impl FnOnce(&mut Boot)) -> StorageResult<()> {
    let db = &redone.db;
    let store = &db.store;
    let log = db.log();
    let end = log.appended();
    db.write_changed_maps()?;
    store.write_all_dirty(db.pool(), &mut |_, _| {})?;
    store.with_writer_idle(|| store.sync_files())?;
    let old = db.boot.lock().clone();
    let (checkpoint, mut min) = redone.checkpoint.unwrap_or((old.checkpoint, old.scan_from));
    let scan_from = min;
    for loser in &redone.losers {
        min = min.min(loser.txn.first);
    }
    let min = min.max(old.min);
    let Some(anchor) = log.anchor_at(min) else {
        return Err(StorageError::Misuse("the restored log does not reach back to MinLSN"));
    };
    let lsn = log.lsn(checkpoint).unwrap_or(old.checkpoint_lsn);
    let moment = log.last_moment();
    db.save_boot(|b| {
        b.checkpoint = checkpoint;
        b.checkpoint_lsn = lsn;
        b.scan_from = scan_from.max(min);
        b.min = min;
        b.anchor = anchor.to_bytes();
        if let Some(r) = &mut b.backup.restoring {
            r.redone = end;
            if moment != UtcTime::default() {
                r.last_moment = moment;
            }
        }
        change(b);
    })?;
    // The other copy as well: it may come to be read, too.
    if redone.oldest < FORMAT_VERSION { db.save_boot(|_| {}) } else { Ok(()) }
}

/// Redoes what a restore step has brought, of all pages or those of a part, makes it durable and closes the database. Returns where its
/// log ends.
pub(crate) fn redo_restored(
    instance: &Arc<StorageInstance>,
    id: DatabaseId,
    name: &str,
    primary: &Path,
    part: Option<&Arc<Part>>,
) -> StorageResult<(Lsn, RecoveryReport)> {
    let redone = opened(instance, id, name, primary, part)?;
    let db = &redone.db;
    let end = db.log().lsn(db.log().appended()).unwrap_or_default();
    let settled = settle(&redone, |_| {});
    if let Err(e) = &settled {
        db.mark_suspect(&format!("a restore failed: {e}"));
    }
    let closed = db.close_after(|_| Ok(()));
    settled.and(closed)?;
    Ok((end, redone.report))
}

/// Redoes, undoes, and opens: the end of a restore. `target` is asked where the log ends, before anything is changed.
pub(crate) fn recover_restored<E: From<StorageError>>(
    instance: &Arc<StorageInstance>,
    id: DatabaseId,
    name: &str,
    primary: &Path,
    part: Option<&Arc<Part>>,
    reached: impl FnOnce(Lsn, &Boot) -> Result<(), E>,
) -> Result<(Arc<Database>, RecoveryReport), E> {
    let redone = opened(instance, id, name, primary, part)?;
    let db = redone.db.clone();
    let recovered = finish(instance, redone, reached);
    if recovered.is_err() {
        // The first error is the one to tell.
        db.mark_suspect("its restore failed");
        let _ = db.close();
    }
    recovered
}

fn finish<E: From<StorageError>>(
    instance: &Arc<StorageInstance>,
    redone: Redone,
    reached: impl FnOnce(Lsn, &Boot) -> Result<(), E>,
) -> Result<(Arc<Database>, RecoveryReport), E> {
    let db = redone.db.clone();
    let end = db.log().appended();
    let end_lsn = db.log().lsn(end).unwrap_or_default();
    let boot = db.boot.lock().clone();
    reached(end_lsn, &boot)?;
    db.read_file_list()?;
    next_hobt_id(&db)?;
    // The log chain goes on, on a new fork: the next log backup begins where the restored log ends. Not in the middle of a block: the
    // block is another one than that of the sets, whose log a backup of what follows could never go on with.
    let cut = boot.backup.restoring.filter(|r| r.cut != LogPos::ZERO);
    if cut.is_none() && boot.options.recovery_model != RecoveryModel::Simple {
        db.log_chain.store(end.0, std::sync::atomic::Ordering::Release);
    }
    let fork_point = cut.map_or(end_lsn, |r| r.target);
    let fork = instance.env.entropy.guid();
    settle(&redone, |b| {
        b.backup.restoring = None;
        b.backup.first_fork = b.backup.fork_of(end_lsn);
        b.backup.fork = fork;
        b.backup.fork_point = fork_point;
        b.backup.chain_new = false;
    })?;
    let Redone { losers, report, touched, .. } = redone;
    undo::prepare(&db, losers, touched)?;
    next_hobt_id(&db)?;
    directory::load_pending(&db)?;
    db.settle_files()?;
    db.note_recovery(&report);
    db.finish_recovery()?;
    match db.checkpoint(CheckpointKind::Restore) {
        Err(e) if e.is_want_of_room() => {}
        taken => taken?,
    }
    db.free_orphans();
    let report = db.recovery_report();
    Ok((db, report))
}

impl Database {
    /// The last words of a database whose tail was backed up WITH NORECOVERY: on disk is what its log says, and it waits for a restore.
    pub(crate) fn become_restoring(&self) -> StorageResult<()> {
        self.store.write_all_dirty(self.pool(), &mut |_, _| {})?;
        self.store.with_writer_idle(|| self.store.sync_files())?;
        let redone: LogPos = self.log().durable();
        let last_moment = self.log().last_moment();
        self.save_boot(|b| {
            b.backup.restoring = Some(crate::backup::RestoreState {
                log_usable: true,
                redone,
                last_moment,
                ..crate::backup::RestoreState::default()
            });
        })
    }
}
