//! Shrinking a log file: VLFs at its end that nobody needs go away, and the log moves out of the way of the next try.
//!
//! ```text
//!   │ 34 active │ 35 active (head) │ free │ free │      shrink: the free VLFs at the end are cut off
//!   │ 39 free │ 40 free │ 37 active │ 38 active (head) │    nothing to cut: the head leaves its VLF, whose rest is given up,
//!   │ 39 active (head) │ free │ 37 active │ 38 active │    and goes on below the target; when 37 and 38 are let go
//!   │ 39 active (head) │ free │                        (checkpoint, log backup), the next shrink cuts them off
//! ```
//! A shrink, in order:
//!
//! 1. Log that nobody needs is let go.
//! 2. The VLFs to be cut off leave the table, so that nobody takes them into use.
//! 3. The directory is written anew without them, then the root with the new size, in both halves.
//! 4. The file is cut off and synced.
//!
//! A crash before the root of step 3 leaves the log as it was, one after it leaves a file that is longer than its root says,
//! which the next opening cuts off. Active log is never touched; two VLFs stay, and as much free room as is kept for
//! rollback and for a checkpoint.

use std::sync::atomic::Ordering;

use taffrail_base::{FileId, LogPos};
use taffrail_io::IoReason;
use taffrail_observe::{Event, EventRing};

use crate::block::{BLOCK_BYTES_MAX, VlfPlace};
use crate::cache::State;
use crate::directory::Entry;
use crate::error::LogError;
use crate::files::LogFiles;
use crate::log::Log;
use crate::vlf::{ActiveVlf, Stopped};
use taffrail_observe::trace::FlushCause;

/// Why a shrink did not get below a size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ShrinkStop {
    /// The last VLF of the file is in use (message 9008).
    InUse,
    /// Too few VLFs would be left (message 9006).
    Vlfs,
    /// Rollback or the next checkpoint might lack room (message 9009).
    Room,
}

/// The outcome of a shrink.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ShrinkReport {
    /// Bytes of the file before.
    pub from: u64,
    /// Bytes of the file now.
    pub to: u64,
    /// VLFs that were cut off.
    pub vlfs: usize,
    /// The log goes on before the place that was to be freed: as soon as the VLFs behind it are let go, the next shrink
    /// gets further.
    pub moved: bool,
    /// Where in the file its last VLF begins.
    pub last_vlf: u64,
    /// The obstacle to going further; `None`: no VLF begins at or behind the target.
    pub stop: Option<ShrinkStop>,
}

/// How a log file is shrunk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ShrinkMode {
    /// To a size; the log moves out of the way if need be.
    To(u64),
    /// Only what is free at the end now.
    Truncate,
    /// The log is to leave the file, which is to be removed.
    Empty,
}

impl Log {
    /// Shrinks a file as far as it goes.
    pub fn shrink_file(&self, file: usize, mode: ShrinkMode) -> Result<ShrinkReport, LogError> {
        let mut files = self.files.lock();
        let from = self.file_of(&files, file)?.size;
        self.read_vlf_headers();
        self.truncate_now();
        let target = match mode {
            ShrinkMode::To(size) => size,
            ShrinkMode::Truncate | ShrinkMode::Empty => 0,
        };
        let number = file as u16;
        let (removed, mut report, (all, slots), head) = {
            let mut state = self.lock();
            let first = state.table.entries_of(number).next().map_or(u64::MAX, |e| e.offset);
            // A file keeps its first VLF.
            let from_offset = target.max(first.saturating_add(1));
            let used = state.free() - state.table.free_bytes();
            let keep = self.kept_back(&state);
            let mut room = true;
            let (removed, stopped) = state.table.remove_from(number, from_offset, |_, free| {
                room = used + free >= keep;
                room
            });
            let stop = match stopped {
                Stopped::Active => Some(ShrinkStop::InUse),
                Stopped::Minimum if room => Some(ShrinkStop::Vlfs),
                Stopped::Minimum => Some(ShrinkStop::Room),
                Stopped::Target if target < first => Some(ShrinkStop::Vlfs),
                Stopped::Target | Stopped::Nothing => None,
            };
            let (_, last_vlf, _) = state.table.of_file(number);
            let to = removed.last().map_or(from, |e| e.offset);
            let report =
                ShrinkReport { from, to, vlfs: removed.len(), moved: false, last_vlf, stop };
            let directory = if removed.is_empty() { Default::default() } else { state.directory() };
            (removed, report, directory, state.table.head().seqno)
        };
        if !removed.is_empty() {
            let written = files.rewrite(&all, slots, head, |r| {
                let f = &mut r.files[file];
                f.size = report.to;
                f.min_size = f.min_size.min(report.to);
            });
            match written {
                Ok(true) => self.lock().table.note_pages(&files.chain),
                Ok(false) => {
                    self.put_back(&removed, &files);
                    report =
                        ShrinkReport { to: from, vlfs: 0, stop: Some(ShrinkStop::Vlfs), ..report };
                    return Ok(report);
                }
                Err(e) => return Err(self.lost_in_change(e)),
            }
            self.note_files(&files);
            let volume = self.volume(number);
            let _why = IoReason::Shrink.begin();
            self.forget_fresh(number, report.to);
            let cut = volume.truncate(report.to).and_then(|()| volume.sync());
            cut.map_err(|e| self.lost_in_change(e.into()))?;
            self.tell_shrunk(number.into(), from, report.to);
            EventRing::global().push(Event::Shrink {
                database: self.options.database,
                file: FileId(number),
                from,
                to: report.to,
            });
        }
        // A file that is to be empty is left even if its last VLF, which stays, is all that it has.
        let in_way = report.stop == Some(ShrinkStop::InUse) || mode == ShrinkMode::Empty;
        if in_way && mode != ShrinkMode::Truncate {
            let evacuated = if mode == ShrinkMode::Empty { 0 } else { target };
            report.moved = self.move_head(
                |head, _| head.place.file == number && head.place.offset >= evacuated,
                |place| place.file != number || place.offset < evacuated,
            );
        }
        Ok(report)
    }

    /// Goes on in another VLF where so many bytes lie in the head and nobody but recovery needs them: the next checkpoint lets them go, and
    /// who copies the log then copies little. The rest of the VLF is given up. False: it is where it was.
    pub fn leave_vlf(&self, after: u64) -> bool {
        self.oldest_hold().is_none() && self.move_head(|_, used| used >= after, |_| true)
    }

    /// If the head is in the way, by its VLF and how much of that is used: goes on in a free VLF elsewhere. The rest of its VLF is
    /// given up.
    fn move_head(
        &self,
        in_way: impl Fn(&ActiveVlf, u64) -> bool,
        elsewhere: impl Fn(&VlfPlace) -> bool,
    ) -> bool {
        let moved = {
            let mut state = self.lock();
            if state.core.is_failed() {
                return false;
            }
            let head = *state.table.head();
            let mut places = state.table.free_after_head();
            let place = places.find(&elsewhere);
            drop(places);
            let rest = state.free() - state.table.free_bytes();
            let keep = self.kept_back(&state);
            let in_way = in_way(&head, state.open.start - head.start);
            match place {
                Some(place) if in_way && state.free() >= keep + rest => {
                    state.close_open();
                    state.switch_to(place);
                    // So that the next checkpoint does not begin in the VLF that was left.
                    self.appended.store(state.open.start, Ordering::Release);
                    true
                }
                _ => false,
            }
        };
        if moved {
            self.write_ready(LogPos::MAX, false, false, FlushCause::Request);
        }
        moved
    }

    /// Notes in the directory what every VLF was last used for, so that a restart need not look at their headers. Does
    /// nothing when less than `after` VLFs were taken into use since the last time.
    pub fn note_vlf_uses(&self, after: u32) -> Result<(), LogError> {
        let mut files = self.files.lock();
        let head = self.lock().table.head().seqno;
        if self.is_failed() || head.saturating_sub(files.root.noted) < after.max(1) {
            return Ok(());
        }
        self.read_vlf_headers();
        let ((all, slots), head) = {
            let mut state = self.lock();
            (state.directory(), state.table.head().seqno)
        };
        match files.rewrite(&all, slots, head, |_| {}) {
            // Too few places just now: the next time will do.
            Ok(_) => {
                self.lock().table.note_pages(&files.chain);
                Ok(())
            }
            Err(e) => Err(self.lost_in_change(e)),
        }
    }

    /// VLFs that were to go stay after all.
    pub(crate) fn put_back(&self, removed: &[Entry], files: &LogFiles) {
        let mut state = self.lock();
        state.table.add(removed);
        state.table.note_pages(&files.chain);
        state.space_changes += 1;
    }

    /// Room that a log keeps when it gets smaller: what transactions and a checkpoint have reserved, and one block.
    pub(crate) fn kept_back(&self, state: &State) -> u64 {
        self.kept_from_transactions(state, 0, state.ends) + BLOCK_BYTES_MAX as u64
    }

    /// The root's line about a file of the log.
    pub(crate) fn file_of<'f>(
        &self,
        files: &'f LogFiles,
        file: usize,
    ) -> Result<&'f crate::directory::RootFile, LogError> {
        if self.is_failed() {
            return Err(LogError::Unavailable);
        }
        let found = files.root.files.get(file).filter(|f| !f.is_gone());
        found.ok_or_else(|| LogError::Specification(format!("the log has no file {file}")))
    }

    /// An I/O error in the middle of a change of the directory: nobody knows which of the two roots the device has, so the
    /// log is given up.
    pub(crate) fn lost_in_change(&self, e: LogError) -> LogError {
        if let LogError::Io(io) = &e {
            self.fail(io);
        }
        e
    }

    /// Checks the invariants of the VLF table; for tests.
    pub fn check_vlfs(&self) -> Result<(), String> {
        let state = self.lock();
        state.table.check()?;
        state.check();
        Ok(())
    }
}
