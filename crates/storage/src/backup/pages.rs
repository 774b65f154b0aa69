//! Pages of a set: which there are, and their bytes from the data files, past the pool.
//!
//! A page is read from its file while others change and write it. That is right for the set: what the file lacks was changed after the
//! checkpoint that the set's log begins with, so the log has it. A page that is half written fails its checksum; then it is in the pool,
//! which is asked; one that is damaged there too is what [`Damage`] says. A page that nothing has ever been written
//! to is unallocated, or its format record is in the log: zeroes in the set.
//!
//! Images of a log set have no such checkpoint: of a page that was dirty when they were begun they have what the pool has.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use taffrail_base::{FileId, PAGE_BYTES, PageId};
use taffrail_io::AlignedBuf;

use super::error::{BackupError, BackupResult};
use super::media::{BLOCK, Kind};
use super::spec::BackupSpec;
use super::writer::SetWriter;
use crate::buffer::Access;
use crate::codec::{Put, Take};
use crate::database::Database;
use crate::error::{StorageError, StorageResult};
use crate::layout::{
    BOOT_PAGES, DIRECTORY_IAM, DIRECTORY_ROOT, EXTENT_PAGES, FIRST_USER_PAGE, INTERVAL_PAGES,
    bitmap_pages, gam_of, is_system_page, pfs_of,
};
use crate::page::{BITMAP_BITS, DATABASE_MARK, PAGE_VERSION, PFS_ALLOCATED, Page};

/// Runs of a chunk at most, so that they fit its table.
const CHUNK_RUNS: usize = 128;

/// Pages that follow each other in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Run {
    pub file: FileId,
    pub first: u32,
    pub count: u32,
}

impl Run {
    pub fn pages(self) -> impl Iterator<Item = PageId> {
        (0..self.count).map(move |i| PageId { file: self.file, page: self.first + i })
    }
}

/// The table of a chunk of pages.
fn encode_runs(runs: &[Run]) -> Vec<u8> {
    let mut b = Vec::with_capacity(runs.len() * 10);
    for r in runs {
        b.u16(r.file.0);
        b.u32(r.first);
        b.u32(r.count);
    }
    b
}

/// The runs of a chunk, if their pages are exactly its content.
pub(super) fn decode_runs(table: &[u8], content: usize) -> Option<Vec<Run>> {
    let mut t = Take(table);
    let mut runs = Vec::new();
    let mut pages = 0u64;
    while !t.is_empty() {
        let r = Run { file: FileId(t.u16()?), first: t.u32()?, count: t.u32()? };
        r.first.checked_add(r.count)?;
        pages += u64::from(r.count);
        runs.push(r);
    }
    (pages * PAGE_BYTES as u64 == content as u64).then_some(runs)
}

/// True for the bytes of a page with this id, a right checksum and no other database's mark.
pub(super) fn is_whole(bytes: &[u8], id: PageId, mark: u32) -> bool {
    let stored = u32::from_le_bytes([bytes[4], bytes[5], bytes[6], bytes[7]]);
    let crc = crc32c::crc32c(&bytes[..4]);
    let crc = crc32c::crc32c_append(crc, &[0; 4]);
    let crc = crc32c::crc32c_append(crc, &bytes[8..PAGE_BYTES]);
    let file = u16::from_le_bytes([bytes[16], bytes[17]]);
    let page = u32::from_le_bytes([bytes[20], bytes[21], bytes[22], bytes[23]]);
    let m = &bytes[DATABASE_MARK];
    let theirs = u32::from_le_bytes([m[0], m[1], m[2], m[3]]);
    let ours = mark == 0 || theirs == 0 || theirs == mark;
    crc == stored && bytes[0] == PAGE_VERSION && (file, page) == (id.file.0, id.page) && ours
}

/// True for a page that the set has no content of.
pub(super) fn is_empty(bytes: &[u8]) -> bool {
    bytes.iter().all(|&b| b == 0)
}

/// Joins pages, ascending, to runs.
fn join(file: FileId, pages: impl Iterator<Item = u32>) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for page in pages {
        match runs.last_mut() {
            Some(r) if r.first + r.count == page => r.count += 1,
            _ => runs.push(Run { file, first: page, count: 1 }),
        }
    }
    runs
}

impl Database {
    /// The pages to copy: the format's maps, and every allocated extent, of those in `only` where it is given.
    pub(super) fn runs_to_copy(
        &self,
        only: Option<&[(FileId, Vec<u64>)]>,
    ) -> StorageResult<Vec<Run>> {
        let mut runs = Vec::new();
        for file in self.store.files() {
            let pages = file.pages.load(Ordering::Acquire);
            let map = only.map(|o| o.iter().find(|(id, _)| *id == file.id).map(|(_, m)| &m[..]));
            let wanted = |extent: u32| match map {
                None => true,
                Some(m) => {
                    let word = m.unwrap_or_default().get(extent as usize / 64);
                    word.is_some_and(|w| w >> (extent % 64) & 1 == 1)
                }
            };
            let mut take: BTreeSet<u32> =
                bitmap_pages(file.id, pages).map(|id| id.page).filter(|&p| p < pages).collect();
            if file.id == DIRECTORY_ROOT.file {
                take.extend([DIRECTORY_IAM.page, DIRECTORY_ROOT.page]);
            }
            let first_user = if file.id.0 == 1 { FIRST_USER_PAGE } else { 0 };
            let mut start = 0;
            while start + EXTENT_PAGES <= pages {
                let extents = ((pages - start) / EXTENT_PAGES).min(BITMAP_BITS);
                let gam = gam_of(PageId { file: file.id, page: start });
                let map = self.pool().read(&self.store, gam)?;
                for i in 0..extents {
                    let first = start + i * EXTENT_PAGES;
                    if !map.bit(i) && first >= first_user && wanted(first / EXTENT_PAGES) {
                        take.extend(first..first + EXTENT_PAGES);
                    }
                }
                drop(map);
                start = start.saturating_add(INTERVAL_PAGES);
            }
            runs.extend(join(file.id, take.into_iter()));
        }
        Ok(runs)
    }

    /// Copies pages into a set, those that are in `dirty` from the pool. Returns how many, per file.
    pub(super) fn copy_runs(
        self: &Arc<Self>,
        set: &mut SetWriter,
        runs: &[Run],
        dirty: &HashSet<PageId>,
        damage: Damage,
        pace: &mut super::pace::Pace<'_>,
    ) -> BackupResult<CopiedPages> {
        let mut done = CopiedPages::default();
        let mut rest = runs.iter().copied();
        let mut current = rest.next();
        while let Some(mut run) = current {
            // As many as a chunk takes.
            let mut chunk: Vec<Run> = Vec::new();
            let mut pages = 0;
            let most = (pace.piece_max() / PAGE_BYTES) as u32;
            set.one_at_a_time(pace.gives_way());
            loop {
                let n = run.count.min(most - pages);
                chunk.push(Run { count: n, ..run });
                pages += n;
                run = Run { first: run.first + n, count: run.count - n, ..run };
                current = if run.count > 0 { Some(run) } else { rest.next() };
                match current {
                    Some(next) if pages < most && chunk.len() < CHUNK_RUNS => run = next,
                    _ => break,
                }
            }
            let mut buf = set.buffer();
            for page in self.read_runs(&chunk, dirty, &mut buf)? {
                let path = self.store.file(page.file).map(|f| f.volume.path().to_owned());
                match damage {
                    Damage::Unseen => continue,
                    Damage::Refused => {
                        let why = "incorrect checksum, while it was backed up".to_owned();
                        return Err(BackupError::DamagedPage(self.store.corrupt(page, why)));
                    }
                    Damage::Told => {}
                }
                done.damaged = true;
                pace.damaged(page, &path.unwrap_or_default());
            }
            for r in &chunk {
                done.add(r.file, u64::from(r.count));
            }
            let bytes = pages as usize * PAGE_BYTES;
            set.put(Kind::Pages, encode_runs(&chunk), buf, bytes)?;
            pace.step(bytes as u64)?;
        }
        Ok(done)
    }

    /// Reads runs into a chunk's content. Returns the damaged pages among them, which are there as they are.
    fn read_runs(
        &self,
        runs: &[Run],
        dirty: &HashSet<PageId>,
        buf: &mut AlignedBuf,
    ) -> BackupResult<Vec<PageId>> {
        let mut at = BLOCK;
        let mut damaged = Vec::new();
        for r in runs {
            let first = PageId { file: r.file, page: r.first };
            let bytes = &mut buf[at..at + r.count as usize * PAGE_BYTES];
            self.store.read_run(first, bytes)?;
            self.store.counters.data_read_bytes.add(bytes.len() as u64);
            for (id, bytes) in r.pages().zip(bytes.chunks_exact_mut(PAGE_BYTES)) {
                let on_disk = !dirty.contains(&id) && is_whole(bytes, id, self.store.mark);
                if !on_disk && !self.page_from_pool(id, bytes)? {
                    damaged.push(id);
                }
            }
            at += bytes.len();
        }
        Ok(damaged)
    }

    /// The page that stands for one that is not whole in its file: zeroes if it is not allocated,
    /// else the pool's. False: damaged, and left as it is.
    fn page_from_pool(&self, id: PageId, bytes: &mut [u8]) -> BackupResult<bool> {
        let own = BOOT_PAGES.contains(&id.page) && id.file.0 == 1;
        let allocated = match self.is_allocated(id) {
            // The map that would tell is itself damaged, and is one of the set's pages: what is there is taken.
            Err(StorageError::Corrupt(_)) => return Ok(is_empty(bytes)),
            other => other?,
        };
        if own || !allocated {
            bytes.fill(0);
            return Ok(true);
        }
        let mut copy = Page::zeroed();
        match self.pool().read_for(&self.store, id, Access::Scan) {
            Ok(page) => copy.bytes_mut().copy_from_slice(page.bytes()),
            Err(StorageError::Corrupt(_)) => return Ok(false),
            Err(e) => return Err(e.into()),
        }
        if copy.id() != id {
            // Allocated this moment and not formatted yet: its format record comes, and is in the log.
            bytes.fill(0);
            return Ok(true);
        }
        copy.seal();
        bytes.copy_from_slice(copy.bytes());
        Ok(true)
    }

    /// True for a page that the PFS calls allocated, or the format owns.
    pub(crate) fn is_allocated(&self, id: PageId) -> StorageResult<bool> {
        let directory = id == DIRECTORY_IAM || id == DIRECTORY_ROOT;
        if is_system_page(id) && !directory {
            let file = self.store.file(id.file).map_or(0, |f| f.pages.load(Ordering::Acquire));
            return Ok(bitmap_pages(id.file, file).any(|p| p == id));
        }
        let (pfs, index) = pfs_of(id);
        Ok(self.pool().read(&self.store, pfs)?.pfs(index) & PFS_ALLOCATED != 0)
    }
}

/// The treatment of a page that is damaged in its file. Every page is looked at, for one may be
/// half written this moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Damage {
    /// NO_CHECKSUM: it is copied as it is.
    Unseen,
    /// CHECKSUM: the backup ends.
    Refused,
    /// CONTINUE_AFTER_ERROR: it is copied as it is, told of, and the set is marked.
    Told,
}

impl Damage {
    pub fn of(spec: &BackupSpec) -> Damage {
        match (spec.continue_after_error, spec.checksum) {
            (true, _) => Damage::Told,
            (false, true) => Damage::Refused,
            (false, false) => Damage::Unseen,
        }
    }
}

/// The outcome of copying pages.
#[derive(Default)]
pub(super) struct CopiedPages {
    /// The number of pages of each file.
    pub files: Vec<(FileId, u64)>,
    /// Whether some were damaged.
    pub damaged: bool,
}

impl CopiedPages {
    fn add(&mut self, file: FileId, n: u64) {
        match self.files.iter_mut().find(|f| f.0 == file) {
            Some(f) => f.1 += n,
            None => self.files.push((file, n)),
        }
    }

    pub fn total(&self) -> u64 {
        self.files.iter().map(|f| f.1).sum()
    }

    pub fn of(&self, file: FileId) -> u64 {
        self.files.iter().find(|f| f.0 == file).map_or(0, |f| f.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_join_and_survive() {
        let runs = join(FileId(1), [1, 2, 3, 9, 10, 20].into_iter());
        assert_eq!(
            runs.iter().map(|r| (r.first, r.count)).collect::<Vec<_>>(),
            [(1, 3), (9, 2), (20, 1)]
        );
        let table = encode_runs(&runs);
        assert_eq!(decode_runs(&table, 6 * PAGE_BYTES), Some(runs));
        assert_eq!(decode_runs(&table, 5 * PAGE_BYTES), None);
        assert_eq!(decode_runs(&table[..7], 6 * PAGE_BYTES), None);
    }
}
