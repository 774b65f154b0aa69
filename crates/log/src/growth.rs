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
//! An addition, in order: reserve the extents, write zeroes over them (so that no commit ever writes into an
//! unwritten extent), sync; the directory page; the root. From the root on the VLFs exist. A crash before it leaves
//! a file that is longer than its root says, which the next growth overwrites.

use std::sync::Arc;

use taffrail_base::{FileId, Lsn};
use taffrail_io::{AlignedBuf, IoError, IoResult, Volume};
use taffrail_observe::{Event, EventRing, Moment, WaitType};

use crate::append::Limits;
use crate::directory::{Entry, FILE_HEADER_BYTES};
use crate::error::{AppendError, LogError};
use crate::files::LogFiles;
use crate::log::Log;
use crate::options::{Growth, MAX_SIZE};

/// Which rule says how many VLFs a growth makes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum VlfAlgorithm {
    /// Up to SQL Server 2012.
    V2012,
    /// SQL Server 2014 to 2019.
    V2014,
    /// SQL Server 2022.
    #[default]
    V2022,
}

const MB: u64 = 1 << 20;
/// Smallest VLF: 248 KB.
const VLF_MIN: u64 = 253_952;
/// Smallest growth: one VLF with room for the largest block.
const GROWTH_MIN: u64 = 256 << 10;
/// Growths are multiples of it.
const GROWTH_UNIT: u64 = 64 << 10;

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

/// Writes zeroes over a range, through the write path that the log itself uses.
pub(crate) fn zero(volume: &dyn Volume, mut offset: u64, end: u64) -> IoResult<()> {
    const PIECE: u64 = 1 << 20;
    let buf = AlignedBuf::zeroed(PIECE as usize);
    while offset < end {
        let n = PIECE.min(end - offset);
        volume.write_at(offset, &buf[..n as usize])?;
        offset += n;
    }
    Ok(())
}

/// Entries for VLFs of the given sizes from an offset of a file on.
pub(crate) fn entries(file: u16, mut offset: u64, sizes: &[u64], create: Lsn) -> Vec<Entry> {
    let mut out = Vec::with_capacity(sizes.len());
    for &size in sizes {
        out.push(Entry { file, create, last_seqno: 0, offset, size });
        offset += size;
    }
    debug_assert!(out.first().is_none_or(|e| e.offset >= FILE_HEADER_BYTES));
    out
}

/// How much a file may grow by its settings; `None`: not at all.
fn increment(size: u64, growth: Growth, max_size: u64) -> Option<u64> {
    let by = match growth {
        Growth::None => return None,
        Growth::Bytes(0) | Growth::Percent(0) => return None,
        Growth::Bytes(n) => n,
        Growth::Percent(p) => size / 100 * u64::from(p),
    };
    let by = by.next_multiple_of(GROWTH_UNIT).max(GROWTH_MIN);
    let room = max_size.min(MAX_SIZE).saturating_sub(size) / 8192 * 8192;
    (room >= GROWTH_MIN).then(|| by.min(room))
}

impl Log {
    /// Makes a file larger by `by` bytes: extents, zeroes, directory, root, table. The files' lock is held by the
    /// caller, so growths come one after the other; appends go on meanwhile.
    fn extend(&self, files: &mut LogFiles, file: usize, by: u64) -> Result<(), LogError> {
        assert!(by.is_multiple_of(8192) && by > 0, "log files grow by whole pages");
        let from = files.root.files[file].size;
        let to = from + by;
        let started = Moment::now();
        let volume = Arc::clone(&files.volumes[file]);
        {
            let _stamped = taffrail_observe::wait(WaitType::PreemptiveOsWriteFileGather);
            volume.allocate(from, by)?;
            zero(&*volume, from, to)?;
            volume.sync()?;
        }
        let create = self.growth_lsn();
        let sizes = vlf_sizes(self.options.vlf_algorithm, by, by, Some(files.total()));
        let new = entries(file as u16, from, &sizes, create);
        let known = files.newest_entries.clone();
        {
            // Last sequence numbers are known better now than when the entries were first written.
            let state = self.lock();
            for e in &mut files.newest_entries {
                e.last_seqno = state.table.last_seqno(e.file, e.offset);
            }
        }
        if let Err(e) = files.add_vlfs(&new, |r| r.files[file].size = to) {
            files.newest_entries = known;
            // A half-written root or page: what is on disk is one of the two, and both describe the log up to here.
            return Err(e);
        }
        {
            let mut state = self.lock();
            state.table.add(&new);
            state.space_changes += 1;
        }
        self.note_files(files);
        self.options.counters.log_growths.inc();
        EventRing::global().push(Event::LogGrowth {
            database: self.options.database,
            file: FileId(file as u16),
            from,
            to,
            zeroed: true,
            ns: Moment::now().since(started),
        });
        Ok(())
    }

    /// The LSN that new VLFs are said to be made at: that of the next record.
    fn growth_lsn(&self) -> Lsn {
        let state = self.lock();
        let head = *state.table.head();
        head.lsn(taffrail_base::LogPos(state.open.start + state.open.records as u64 + 1))
    }

    /// An append found no room: truncation may have made some meanwhile, else the log grows. `Ok`: try again.
    /// `space_changes` is what the failed attempt saw. `limits` may allow what rollback needs: growing past
    /// MAXSIZE and files that do not grow otherwise.
    pub(crate) fn make_room(&self, space_changes: u64, limits: Limits) -> Result<(), AppendError> {
        let _wait = taffrail_observe::wait(WaitType::LogMgrReserveAppend);
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
        let beyond = match limits {
            Limits::Kept => false,
            Limits::PastForCheckpoint => self.checkpoint_would_free(),
            Limits::Past => true,
        };
        let mut refused: Option<IoError> = None;
        // First the file being written, then the others.
        let head = usize::from(self.lock().table.head().place.file);
        let count = files.root.files.len();
        for i in (head..count).chain(0..head) {
            let f = &files.root.files[i];
            let by = increment(f.size, f.growth, f.max_size).or_else(|| {
                let by = GROWTH_MIN * 4;
                (beyond && f.size + by <= MAX_SIZE).then_some(by)
            });
            let Some(by) = by else { continue };
            match self.extend(&mut files, i, by) {
                Ok(()) => return Ok(()),
                Err(LogError::Io(e)) => {
                    if !e.is_full() {
                        // Not a full disk: a device that fails. What is on it is still whole, but not to be trusted further.
                        self.fail(&e);
                        return Err(AppendError::LogUnavailable);
                    }
                    refused = Some(e);
                }
                Err(_) => return Err(AppendError::LogUnavailable),
            }
        }
        let (wait, pos) = self.holdup();
        Err(AppendError::LogFull { wait, holdup: self.lsn(pos), growth: refused })
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
            .ok_or_else(|| LogError::Specification(format!("the log has no file {file}")))?;
        if size > f.max_size.min(MAX_SIZE) {
            return Err(LogError::MaxSize(f.path.clone()));
        }
        let by = size.saturating_sub(f.size).next_multiple_of(GROWTH_UNIT);
        if by == 0 {
            return Ok(());
        }
        let result = self.extend(&mut files, file, by);
        if let Err(LogError::Io(e)) = &result
            && !e.is_full()
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
        if file >= files.root.files.len() {
            return Err(LogError::Specification(format!("the log has no file {file}")));
        }
        let written = files.write_root(|r| {
            r.files[file].growth = growth;
            r.files[file].max_size = max_size.min(MAX_SIZE);
        });
        if let Err(LogError::Io(e)) = &written
            && !e.is_full()
        {
            // As for growth: nobody knows which of the two roots the device has.
            self.fail(e);
        }
        written?;
        self.note_files(&files);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
        assert_eq!(increment(8 * MB, Growth::None, MAX_SIZE), None);
        assert_eq!(increment(8 * MB, Growth::Bytes(64 * MB), 10 * MB), Some(2 * MB));
        assert_eq!(increment(8 * MB, Growth::Bytes(64 * MB), 8 * MB), None);
        assert_eq!(increment(8 * MB, Growth::Percent(10), MAX_SIZE), Some(851_968));
        assert_eq!(increment(512 << 10, Growth::Percent(10), MAX_SIZE), Some(GROWTH_MIN));
    }
}
