//! Growth: how many VLFs an addition makes, and making the addition.
//!
//! | algorithm | growth of G bytes when the log has L | creation of a file of G bytes |
//! |-----------|--------------------------------------|-------------------------------|
//! | 2012      | ≤ 64 MB: 4; ≤ 1 GB: 8; else 16       | the same                      |
//! | 2014      | G < L/8: 1; else as 2012             | as 2012                       |
//! | 2022      | G < L/8 or G ≤ 64 MB: 1; ≤ 1 GB: 8; else 16 | as 2012                |
//!
//! No VLF is smaller than 248 KB. Sizes are rounded down to 8 KB below 1 MB of addition and to 64 KB from there; the
//! last VLF takes the rest.
//!
//! An addition, in order: reserve the extents, write zeroes over them where that is not left for later, sync; the
//! directory page; the root. From the root on the VLFs exist. A crash before it leaves a file that is longer than its
//! root says, which the next growth overwrites.
//!
//! | initialisation | automatic growth                      | by hand     | what the log writes into              |
//! |----------------|---------------------------------------|-------------|---------------------------------------|
//! | `zero`         | zeroed                                | zeroed      | extents that were written             |
//! | `sql2022`      | up to 64 MB: reserved; longer: zeroed | zeroed      | after small growths, unwritten extents |
//! | `ahead`        | reserved                              | reserved    | what [`crate::ahead`] has zeroed       |
//!
//! With `ahead` extents are reserved in larger pieces than a growth asks for: the file may be longer than the log says,
//! so that a small growth neither calls the file system, which holds direct writes up, nor fragments the file.
//!
//! Every growth ends in [`Log::extend`]: it feeds the waits, the counter, the event, and the table of VLFs.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use taffrail_base::Lsn;
use taffrail_io::{IoError, IoReason, Volume};
use taffrail_observe::{Event, EventRing, Moment, SessionCell, WaitType};

use crate::append::Limits;
use crate::directory::{Root, entries};
use crate::error::{AppendError, LogError};
use crate::files::{LogFiles, zero_while};
use crate::log::Log;
use crate::options::{Growth, Initialization, LOG_FILE_BYTES_MAX, VlfAlgorithm};

const MB: u64 = 1 << 20;
/// Smallest VLF: 248 KB.
const VLF_MIN: u64 = 253_952;
/// Smallest growth: one VLF with room for the largest block.
const GROWTH_MIN: u64 = 256 << 10;
/// The causes of a growth.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    /// An append that finds no room, or is about to. Who waits for it may be cancelled (message 5144).
    Append,
    /// Rollback: never given up.
    Rollback,
    /// Nobody yet: it is made ahead of need, and nobody waits for it.
    Ahead,
    /// A statement, ALTER DATABASE.
    Hand,
}

/// Growths are multiples of it.
const GROWTH_UNIT: u64 = 64 << 10;
/// With `sql2022`, automatic growths up to this are not zeroed.
const INSTANT_MAX: u64 = 64 * MB;
/// With `ahead`, so much is reserved beyond a growth, or as much as the log has if that is less.
const RESERVE_BEYOND: u64 = 64 * MB;

/// The sizes of the VLFs that an addition of `area` bytes makes. `file_size` is what the rule looks at: the file's
/// size at creation (`log_size` is `None`), else the growth; `log_size` is the log's size before a growth.
pub fn vlf_sizes(
    algorithm: VlfAlgorithm,
    area: u64,
    file_size: u64,
    log_size: Option<u64>,
) -> Vec<u64> {
    let table = match file_size {
        n if n <= 64 * MB => 4,
        n if n <= 1024 * MB => 8,
        _ => 16,
    };
    let small = log_size.is_some_and(|l| file_size < l / 8);
    let count = match (algorithm, log_size) {
        (VlfAlgorithm::V2014 | VlfAlgorithm::V2022, _) if small => 1,
        (VlfAlgorithm::V2022, Some(_)) if file_size <= 64 * MB => 1,
        _ => table,
    };
    let count = count.min(area / VLF_MIN).max(1);
    let unit = if file_size < MB { 8 << 10 } else { 64 << 10 };
    let each = (area / count / unit * unit).max(VLF_MIN.min(area));
    let mut sizes = vec![each; count as usize];
    if let Some(last) = sizes.last_mut() {
        *last = area - each * (count - 1);
    }
    sizes
}

/// Whether the session of this thread has been told to stop what it does.
fn is_cancelled() -> bool {
    taffrail_observe::session::with_current(|s| s.cancel_flag().load(Relaxed)).unwrap_or(false)
}

/// How much a file may grow by its settings; `None`: not at all.
pub(crate) fn increment(size: u64, growth: Growth, max_size: u64) -> Option<u64> {
    let by = match growth {
        Growth::None => return None,
        Growth::Bytes(0) | Growth::Percent(0) => return None,
        Growth::Bytes(n) => n,
        Growth::Percent(p) => size / 100 * u64::from(p),
    };
    let by = by.next_multiple_of(GROWTH_UNIT).max(GROWTH_MIN);
    let room = max_size.min(LOG_FILE_BYTES_MAX).saturating_sub(size) / 8192 * 8192;
    (room >= GROWTH_MIN).then(|| by.min(room))
}

/// True when the system said no before anything happened: a full disk, or a file that may not become longer. A sync or a durable
/// write that finds no room is none: it was room for what had been written.
pub(crate) fn is_refusal(e: &IoError) -> bool {
    use std::io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
    match e.op {
        "allocate" => {
            e.is_full() || matches!(e.source.kind(), PermissionDenied | ReadOnlyFilesystem)
        }
        "write" => e.is_full(),
        _ => false,
    }
}

impl Log {
    /// Makes a file larger by `by` bytes: extents, zeroes, directory, root, table. The files' lock is held by the
    /// caller, so growths come one after the other; appends go on meanwhile.
    fn extend(
        &self,
        files: &mut LogFiles,
        file: usize,
        by: u64,
        wanted: Wanted,
    ) -> Result<(), LogError> {
        assert!(by.is_multiple_of(8192) && by > 0, "log files grow by whole pages");
        let from = files.root.files[file].size;
        let to = from + by;
        let automatic = wanted != Wanted::Hand;
        let _why = IoReason::LogGrowth.begin();
        let started = Moment::now();
        let mode = self.initialization();
        let mut instant = match mode {
            Initialization::Zero => false,
            Initialization::Sql2022 => automatic && by <= INSTANT_MAX,
            Initialization::Ahead => true,
        };
        let volume = Arc::clone(&files.volumes[file]);
        instant &= volume.reserves();
        {
            let wait = match (instant, wanted) {
                (false, _) => Some(WaitType::PreemptiveOsWriteFileGather),
                (true, Wanted::Append | Wanted::Rollback) => Some(WaitType::LogMgrReserveAppend),
                // No append waits for it.
                (true, Wanted::Ahead | Wanted::Hand) => None,
            };
            let mut waiting = wait.map(taffrail_observe::wait);
            self.reserve(files, file, to)?;
            if instant && !volume.reserves() {
                // Known only now, and the room has to be there before the directory is changed.
                drop(waiting.take());
                waiting = Some(taffrail_observe::wait(WaitType::PreemptiveOsWriteFileGather));
                instant = false;
            }
            if instant {
                volume.sync()?;
            } else {
                let go_on = || wanted == Wanted::Rollback || !is_cancelled();
                match zero_while(&*volume, from, to, go_on) {
                    Ok(true) => volume.sync()?,
                    Ok(false) => {
                        self.cut_back(&*volume, file, from)?;
                        if automatic {
                            self.tell_cancelled(file, started);
                        }
                        return Err(LogError::Cancelled);
                    }
                    Err(e) => {
                        if is_refusal(&e) {
                            self.cut_back(&*volume, file, from)?;
                        }
                        return Err(e.into());
                    }
                }
            }
            drop(waiting);
        }
        let create = self.growth_lsn();
        let sizes = vlf_sizes(self.vlf_algorithm(), by, by, Some(files.total()));
        let new = entries(file as u16, from, &sizes, create);
        let known = files.newest_entries.clone();
        {
            // Last sequence numbers are known better now than when the entries were first written.
            let state = self.lock();
            for e in &mut files.newest_entries {
                (e.last_seqno, e.parity) = state.table.last_use(e.file, e.offset);
            }
        }
        let spare = files.spare.filter(|&place| {
            let mut state = self.lock();
            let durable = state.core.durable();
            state.table.take_page(place, durable)
        });
        if let Err(e) = files.add_vlfs(&new, spare, |r| r.files[file].size = to) {
            files.newest_entries = known;
            // What is on disk is one of two roots, and both describe the log up to here. But no other growth may follow: it could
            // cut off what the newer one has.
            return Err(self.lost_in_change(e));
        }
        if instant && mode == Initialization::Ahead {
            // Before the log knows of them: nobody has claimed anything in there yet.
            self.add_unwritten(&new);
        }
        {
            let mut state = self.lock();
            state.table.add(&new);
            state.table.note_pages(&files.chain);
            state.space_changes += 1;
        }
        self.note_files(files);
        // Into the other half of the header, too: damage to one of them does not bring the smaller log back.
        files.write_root(|_| {}).map_err(|e| self.lost_in_change(e))?;
        self.options.counters.log_growths.inc();
        let needed = match wanted {
            Wanted::Ahead => self.take_needed_by(),
            Wanted::Append | Wanted::Rollback | Wanted::Hand => {
                taffrail_observe::session::current()
            }
        };
        let (id, name) = self.file_name(file);
        let event = Event::LogGrowth {
            database: self.whose(),
            file: id,
            name,
            from,
            to,
            vlfs: new.len() as u32,
            zeroed: !instant,
            automatic,
            session: needed.as_ref().map_or(0, |s| s.session_id()),
            ns: Moment::now().since(started),
        };
        match needed {
            Some(session) => EventRing::global().push_for(event, &session),
            None => EventRing::global().push(event),
        }
        self.kick_ahead();
        Ok(())
    }

    fn tell_cancelled(&self, file: usize, started: Moment) {
        let (id, name) = self.file_name(file);
        EventRing::global().push(Event::LogGrowthCancelled {
            database: self.whose(),
            file: id,
            name,
            session: taffrail_observe::session::with_current(SessionCell::session_id).unwrap_or(0),
            ns: Moment::now().since(started),
        });
    }

    /// Sees to it that a file has extents up to `to`.
    fn reserve(&self, files: &LogFiles, file: usize, to: u64) -> Result<(), LogError> {
        let (volume, root) = (&files.volumes[file], &files.root.files[file]);
        let have = self.ahead.reserved(file).max(root.size);
        if to <= have {
            return Ok(());
        }
        let beyond = match self.initialization() {
            Initialization::Ahead => files.total().min(RESERVE_BEYOND) / GROWTH_UNIT * GROWTH_UNIT,
            _ => 0,
        };
        let limit = root.max_size.min(LOG_FILE_BYTES_MAX);
        let more = (to + beyond).min(limit).max(to);
        for end in [more, to] {
            match taffrail_io::reserve(&*self.env.disk, &**volume, have, end - have) {
                Ok(()) => {
                    self.ahead.set_reserved(file, end);
                    return Ok(());
                }
                Err(e) => {
                    if is_refusal(&e) {
                        self.cut_back(&**volume, file, have)?;
                    }
                    if !e.is_full() || end == to {
                        return Err(e.into());
                    }
                }
            }
        }
        Ok(())
    }

    /// A refused reservation may have taken what there was: others need it more.
    fn cut_back(&self, volume: &dyn Volume, file: usize, to: u64) -> Result<(), LogError> {
        if volume.len()? > to {
            volume.truncate(to)?;
        }
        self.ahead.set_reserved(file, to);
        Ok(())
    }

    /// The LSN that new VLFs are said to be made at: that of the next record.
    pub(crate) fn growth_lsn(&self) -> Lsn {
        let state = self.lock();
        let head = *state.table.head();
        head.lsn(taffrail_base::LogPos(state.open.start + state.open.records as u64 + 1))
    }

    /// Tries one file after the other, the one being written first, by what `by` says of each.
    fn extend_any(
        &self,
        files: &mut LogFiles,
        wanted: Wanted,
        by: impl Fn(u64, Growth, u64) -> Option<u64>,
    ) -> Result<bool, AppendError> {
        let mut refused: Option<IoError> = None;
        let head = usize::from(self.lock().table.head().place.file);
        let count = files.root.files.len();
        for i in (head..count).chain(0..head) {
            let f = &files.root.files[i];
            if f.is_gone() {
                continue;
            }
            let Some(by) = by(f.size, f.growth, f.max_size) else { continue };
            match self.extend(files, i, by, wanted) {
                Ok(()) => return Ok(true),
                Err(LogError::Cancelled) => return Err(AppendError::Cancelled),
                Err(LogError::Io(e)) if is_refusal(&e) => refused = Some(e),
                Err(LogError::Io(e)) => {
                    // A device that fails. What is on it is still whole, but not to be trusted further.
                    self.fail(&e);
                    return Err(AppendError::LogUnavailable);
                }
                Err(_) => return Err(AppendError::LogUnavailable),
            }
        }
        match refused {
            None => Ok(false),
            Some(e) => Err(AppendError::LogFull {
                wait: crate::waits::ReuseWait::Nothing,
                holdup: None,
                growth: Some(e),
            }),
        }
    }

    /// An append found no room: truncation may have made some meanwhile, else the log grows. `Ok`: try again.
    /// `space_changes` is what the failed attempt saw. `limits` may allow what rollback needs: growing past
    /// MAXSIZE and files that do not grow otherwise.
    pub(crate) fn make_room(&self, space_changes: u64, limits: Limits) -> Result<(), AppendError> {
        let waiting = taffrail_observe::wait(WaitType::LogMgrReserveAppend);
        let mut files = self.files.lock();
        if self.is_failed() {
            return Err(AppendError::LogUnavailable);
        }
        if self.lock().space_changes != space_changes {
            return Ok(());
        }
        if self.truncate_now().1 > 0 {
            return Ok(());
        }
        // The growth counts its own time.
        drop(waiting);
        let beyond = match limits {
            Limits::Kept => false,
            Limits::PastForCheckpoint => self.checkpoint_would_free(),
            Limits::Past => true,
        };
        let wanted = match limits {
            Limits::Kept => Wanted::Append,
            _ => Wanted::Rollback,
        };
        let grown = self.extend_any(&mut files, wanted, |size, growth, max_size| {
            increment(size, growth, max_size).or_else(|| {
                let by = GROWTH_MIN * 4;
                (beyond && size + by <= LOG_FILE_BYTES_MAX).then_some(by)
            })
        });
        let growth = match grown {
            Ok(true) => return Ok(()),
            Ok(false) => None,
            Err(AppendError::LogFull { growth, .. }) => growth,
            Err(e) => return Err(e),
        };
        let (wait, pos) = self.shown_holdup();
        let holdup = self.lsn(pos);
        self.note_full(wait, holdup, growth.as_ref(), limits);
        Err(AppendError::LogFull { wait, holdup, growth })
    }

    /// The increment of the file that would grow next; `None` when none may.
    pub(crate) fn next_increment(&self) -> Option<u64> {
        let files = self.files();
        files.iter().find_map(|f| increment(f.size, f.growth, f.max_size))
    }

    /// A growth before the log is full: only if less than its lead is left, and a checkpoint would not help.
    pub(crate) fn grow_for_lead(&self) -> bool {
        let mut files = self.files.lock();
        // Asked with the files in hand: a shrink that was under way leaves less free, and a smaller lead with it.
        let Some(lead) = self.lead() else { return false };
        if self.is_failed() || self.lock().free() > lead {
            return false;
        }
        self.truncate_now();
        if self.lock().free() > lead || self.checkpoint_would_free() {
            return false;
        }
        match self.extend_any(&mut files, Wanted::Ahead, increment) {
            Ok(grown) => grown,
            Err(AppendError::LogFull { .. }) => {
                // Nobody needs it yet; who does will be told.
                self.ahead.refused(self.env.clock.monotonic());
                false
            }
            Err(_) => false,
        }
    }

    /// Makes a file larger to at least `size` bytes (`ALTER DATABASE … MODIFY FILE`).
    pub fn grow_file(&self, file: usize, size: u64) -> Result<(), LogError> {
        let mut files = self.files.lock();
        if self.is_failed() {
            return Err(LogError::Unavailable);
        }
        let f = files
            .root
            .files
            .get(file)
            .filter(|f| !f.is_gone())
            .ok_or_else(|| LogError::Specification(format!("the log has no file {file}")))?;
        if size > f.max_size.min(LOG_FILE_BYTES_MAX) {
            return Err(LogError::MaxSize(f.path.clone()));
        }
        let by = size.saturating_sub(f.size).next_multiple_of(GROWTH_UNIT);
        if by == 0 {
            return Ok(());
        }
        let result = self.extend(&mut files, file, by, Wanted::Hand);
        if let Err(LogError::Io(e)) = &result
            && !is_refusal(e)
        {
            self.fail(e);
        }
        result
    }

    /// Changes how a file grows.
    pub fn set_file_options(
        &self,
        file: usize,
        growth: Growth,
        max_size: u64,
    ) -> Result<(), LogError> {
        let mut files = self.files.lock();
        if self.is_failed() {
            return Err(LogError::Unavailable);
        }
        if files.root.files.get(file).is_none_or(|f| f.is_gone()) {
            return Err(LogError::Specification(format!("the log has no file {file}")));
        }
        let mut changed = files.root.files.clone();
        (changed[file].growth, changed[file].max_size) = (growth, max_size.min(LOG_FILE_BYTES_MAX));
        if !Root::fits(&changed, files.root.copied) {
            let why = "the lines of the log's files would not fit its header".to_owned();
            return Err(LogError::Specification(why));
        }
        let written = files.write_root(|r| {
            r.files[file].growth = growth;
            r.files[file].max_size = max_size.min(LOG_FILE_BYTES_MAX);
        });
        written.map_err(|e| self.lost_in_change(e))?;
        self.note_files(&files);
        Ok(())
    }

    /// Writes down what files are called that were made without a name: (number, id) of each.
    pub fn set_file_ids(&self, ids: &[(usize, u16)]) -> Result<(), LogError> {
        let mut files = self.files.lock();
        if self.is_failed() {
            return Err(LogError::Unavailable);
        }
        let written = files.write_root(|r| {
            for &(file, id) in ids {
                if let Some(line) = r.files.get_mut(file).filter(|f| !f.is_gone()) {
                    line.id = id;
                }
            }
        });
        written.map_err(|e| self.lost_in_change(e))?;
        self.note_files(&files);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::directory::FILE_HEADER_BYTES;
    use VlfAlgorithm::{V2012, V2014, V2022};

    fn created(size: u64) -> Vec<u64> {
        vlf_sizes(V2022, size - FILE_HEADER_BYTES, size, None)
    }

    #[test]
    fn creation_makes_the_documented_vlfs() {
        assert_eq!(created(8 * MB), [2_031_616, 2_031_616, 2_031_616, 2_285_568]);
        assert_eq!(created(1040 << 10), [262_144, 262_144, 262_144, 270_336]);
        assert_eq!(created(512 << 10), [253_952, 262_144]);
        assert_eq!(created(64 * MB).len(), 4);
        assert_eq!(created(1024 * MB).len(), 8);
        assert_eq!(created(2048 * MB).len(), 16);
    }

    #[test]
    fn a_log_grown_by_64_mb_to_10_gb_has_the_published_counts() {
        for (algorithm, want) in [(V2012, 644), (V2014, 188), (V2022, 164)] {
            let mut size = 8 * MB;
            let mut count = created(size).len();
            for _ in 0..160 {
                count += vlf_sizes(algorithm, 64 * MB, 64 * MB, Some(size)).len();
                size += 64 * MB;
            }
            assert_eq!(count, want, "{algorithm:?}");
        }
    }

    #[test]
    fn growth_stops_at_the_maximum() {
        assert_eq!(increment(8 * MB, Growth::None, LOG_FILE_BYTES_MAX), None);
        assert_eq!(increment(8 * MB, Growth::Bytes(64 * MB), 10 * MB), Some(2 * MB));
        assert_eq!(increment(8 * MB, Growth::Bytes(64 * MB), 8 * MB), None);
        assert_eq!(increment(8 * MB, Growth::Percent(10), LOG_FILE_BYTES_MAX), Some(851_968));
        assert_eq!(increment(512 << 10, Growth::Percent(10), LOG_FILE_BYTES_MAX), Some(GROWTH_MIN));
    }
}
