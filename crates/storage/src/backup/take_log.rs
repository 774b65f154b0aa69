//! Log backups: what follows the last one, with the extents that were filled with minimal logging. The tail of a database that is damaged,
//! or is taken out of use. What backups have in common is in [`super::take`].

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use taffrail_base::{LogPos, Lsn, PAGE_BYTES};

use super::error::{BackupError, BackupResult};
use super::pace::Pace;
use super::pages::{CopiedPages, Damage, Run};
use super::spec::{BackupReport, BackupSpec, SetHeader, Watch};
use super::take::{LogHold, bytes_of};
use super::writer::SetWriter;
use crate::database::{CheckpointKind, Database, RecoveryModel};
use crate::error::{StorageError, StorageResult};
use crate::layout::{EXTENT_PAGES, INTERVAL_PAGES, ml_page};
use crate::page::{BITMAP_BITS, Page};

impl Database {
    pub(super) fn backup_log(
        self: &Arc<Self>,
        spec: &BackupSpec,
        watch: &mut dyn Watch,
    ) -> BackupResult<BackupReport> {
        let _one = self.backing_up_log.lock();
        let env = self.instance.env.clone();
        let began = env.clock.monotonic();
        let damaged = self.store.suspect_reason().is_some();
        if !(damaged && spec.no_truncate) {
            self.store.check()?;
        }
        if self.options().recovery_model == RecoveryModel::Simple {
            return Err(BackupError::SimpleModel);
        }
        let Some(from) = self.usable_chain() else { return Err(BackupError::NoLogChain) };
        // The map may be wrong, and what it tells of may be what is damaged.
        if damaged && !matches!(self.is_all_logged(), Ok(true)) {
            return Err(BackupError::BulkUnavailable);
        }
        let guid = env.entropy.guid();
        let mut set = SetWriter::begin(&env, spec, guid, env.clock.now_utc())?;
        let _bulk = if damaged { None } else { Some(self.keep_bulk_away(watch)?) };
        let hold = LogHold::new(self);
        let log = self.log().clone();
        let boot = self.boot.lock().clone();
        let mut header = self.set_header(spec, guid, set.position, &boot);
        header.first_lsn = log.lsn(from).unwrap_or_default();
        header.first_fork = boot.backup.first_fork;
        header.fork_point = boot.backup.fork_point;
        header.begins_log_chain = boot.backup.chain_new;
        header.is_copy_only = spec.copy_only || spec.no_truncate;
        header.is_force_offline = spec.no_recovery;
        self.put_header(&mut set, &header, &boot)?;
        let extents = if damaged { Vec::new() } else { self.bulk_extents()? };
        let runs: Vec<Run> = extents
            .iter()
            .map(|e| Run { file: e.file, first: e.page, count: EXTENT_PAGES })
            .collect();
        header.has_bulk_logged_data = !runs.is_empty();
        // Before the log's end is fixed: so no image is of a later moment.
        let copied = {
            let mut pace = Pace::new(self, watch);
            pace.expect(bytes_of(&runs) + log.appended().since(from));
            let dirty = match runs.is_empty() {
                true => HashSet::new(),
                false => self.store.dirty_pages(self.pool()).into_iter().collect(),
            };
            self.copy_runs(&mut set, &runs, &dirty, Damage::of(spec), &mut pace)?
        };
        let mut rest = Rest { spec, set, header, copied, from, extents, damaged, log_bytes: 0 };
        if !spec.no_recovery {
            self.end_log_backup(&mut rest, watch)?;
        } else if damaged {
            // Nothing can be written into it any more: a restore replaces it.
            self.end_log_backup(&mut rest, watch)?;
            self.close()?;
        } else {
            // The tail: a checkpoint, and behind it nothing more is logged. If it cannot be taken, nothing has happened to the database.
            if !self.finish_recovery()? {
                // Closed meanwhile; or there is no room to undo what a restart has found: the database goes on waiting for some.
                self.store.check()?;
                return Err(StorageError::Misuse("a restart's undo is not complete").into());
            }
            let mut failed = Ok(());
            let closed = self.close_with(false, |db| {
                db.checkpoint_alone(CheckpointKind::Backup)?;
                failed = db.end_log_backup(&mut rest, watch);
                match failed {
                    Ok(()) => db.become_restoring(),
                    Err(_) => Err(StorageError::Misuse("the backup has failed")),
                }
            });
            failed?;
            closed?;
        }
        // Not before: the backup itself held what it lets go of.
        drop(hold);
        if !spec.no_recovery {
            log.truncate();
        }
        let Rest { set, header, copied, log_bytes, .. } = rest;
        Ok(self.report(header, &set, copied.total(), log_bytes, began))
    }

    /// False: the ML map has marks. For a damaged database, whose pages no longer come into the pool.
    fn is_all_logged(&self) -> StorageResult<bool> {
        let mut page = Page::zeroed();
        for file in self.store.files() {
            let pages = file.pages.load(Ordering::Acquire);
            for start in (0..pages).step_by(INTERVAL_PAGES as usize) {
                if pages - start < EXTENT_PAGES {
                    break;
                }
                let id = ml_page(file.id, start);
                match self.pool().contains(&self.store, id) {
                    true => {
                        let there = self.pool().read(&self.store, id)?;
                        page.bytes_mut().copy_from_slice(there.bytes());
                    }
                    false => self.store.read_page(id, &mut page)?,
                }
                if !page.set_runs(BITMAP_BITS).is_empty() {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    fn end_log_backup(
        self: &Arc<Self>,
        rest: &mut Rest<'_>,
        watch: &mut dyn Watch,
    ) -> BackupResult<()> {
        if !rest.damaged {
            self.flush_log()?;
        }
        let log = self.log().clone();
        let end = log.durable();
        let mut pace = Pace::new(self, watch);
        pace.go_on(rest.copied.total() * PAGE_BYTES as u64);
        pace.expect(end.since(rest.from));
        pace.pages_done();
        let copied = self.copy_blocks(&mut rest.set, rest.from, end, &mut pace);
        if matches!(copied, Err(BackupError::DamagedLog(_))) {
            self.chain_damaged.store(true, Ordering::Release);
        }
        rest.log_bytes = copied?;
        rest.header.last_lsn = log.lsn(end).unwrap_or_default();
        self.finish_set(&mut rest.set, &mut rest.header, &rest.copied)?;
        if rest.header.is_copy_only || rest.damaged {
            return Ok(());
        }
        let finished = rest.header.finished;
        // A chain that was broken meanwhile stays broken.
        let (from, to) = (rest.from.0, end.0);
        let moved = self.log_chain.compare_exchange(from, to, Ordering::AcqRel, Ordering::Acquire);
        if moved.is_ok() {
            self.chain_damaged.store(false, Ordering::Release);
            self.save_boot(|b| {
                b.backup.chain_new = false;
                b.backup.first_fork = b.backup.fork;
                b.backup.fork_point = Lsn::ZERO;
                b.backup.last_log_backup = finished;
            })?;
        }
        if !rest.spec.no_recovery && !rest.extents.is_empty() {
            self.clear_bulk_extents(&rest.extents)?;
            // A crash would bring the marks back, and the next set would have the images again.
            self.flush_log()?;
        }
        Ok(())
    }
}

/// The state of a log backup when its images are copied.
struct Rest<'s> {
    spec: &'s BackupSpec,
    set: SetWriter,
    header: SetHeader,
    copied: CopiedPages,
    from: LogPos,
    extents: Vec<taffrail_base::PageId>,
    damaged: bool,
    log_bytes: u64,
}
