//! Pages of a set to their places in the data files.
//!
//! | what is restored | a page of the set | the map of changed extents |
//! |---|---|---|
//! | a base of differentials | is the page | begins anew |
//! | another data set | is the page | as in the set |
//! | images of a log set | is the page unless the file's is newer | as in the set |
//!
//! An image may be older than what an earlier set and its log have made of the page: a full backup that ended while the log backup ran, or
//! extents that two log sets have. Log that was redone already is not redone again, so a newer page stays. Both hold
//! what their LSN says, on
//! one recovery path.

use std::path::PathBuf;

use taffrail_base::{FileId, PAGE_BYTES, PageId};
use taffrail_io::{AlignedBuf, Volume};
use taffrail_log::read_retried;

use super::error::{BackupError, BackupResult};
use super::pages::{Run, is_whole};
use super::restore::{DataFiles, create_error, io};
use crate::layout::BOOT_PAGES;
use crate::page::{BITMAP_BITS, Page, PageType};
use crate::part::Part;

/// Bytes of a piece that is copied to where it can be read or written directly.
const PIECE: usize = 1 << 20;

/// The relation of a set's pages to the database.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Pages {
    /// The base of differentials: the map of changed extents starts with it.
    Base,
    /// Of another full set, or of a differential.
    Data,
    /// Minimally logged, of a log set.
    Images,
}

/// Writes runs of pages to their places, past those that a restore makes itself. `mark`: what the database's pages bear.
pub(super) fn write_runs(
    data: &DataFiles,
    runs: &[Run],
    content: &mut [u8],
    what: Pages,
    mark: u32,
    aligned: &mut Option<AlignedBuf>,
) -> BackupResult<()> {
    let mut at = 0;
    for r in runs {
        let len = r.count as usize * PAGE_BYTES;
        let bytes = &mut content[at..at + len];
        at += len;
        let Some((_, volume)) = data.iter().find(|(id, _)| *id == r.file) else {
            return Err(BackupError::NotMedia(PathBuf::new()));
        };
        if r.file == FileId(1)
            && BOOT_PAGES.iter().chain(&[0]).any(|p| (r.first..r.first + r.count).contains(p))
        {
            // No backup of ours has them.
            return Err(BackupError::NotMedia(PathBuf::new()));
        }
        for (id, page) in r.pages().zip(bytes.chunks_exact_mut(PAGE_BYTES)) {
            // A damaged one stays as it is: with a new checksum it would pass for whole.
            if what == Pages::Base && page[1] == PageType::DiffMap as u8 && is_whole(page, id, mark)
            {
                clear_map(page);
            }
        }
        let offset = PageId { file: r.file, page: r.first }.file_offset();
        let end = offset + len as u64;
        // Images of a log set may lie where its log makes the file longer.
        let have = volume.len().map_err(io("read"))?;
        if end > have {
            volume.allocate(have, end - have).map_err(create_error)?;
        }
        if what == Pages::Images {
            keep_newer(&**volume, *r, have, bytes, mark, aligned)?;
        }
        // Unpacked content is not aligned.
        let direct = (bytes.as_ptr() as usize).is_multiple_of(taffrail_io::ALIGNMENT);
        let written = match direct {
            true => volume.write_at(offset, bytes),
            false => {
                let buf = aligned.get_or_insert_with(|| AlignedBuf::zeroed(PIECE));
                let mut done = 0;
                bytes.chunks(PIECE).try_for_each(|part| {
                    buf[..part.len()].copy_from_slice(part);
                    let result = volume.write_at(offset + done, &buf[..part.len()]);
                    done += part.len() as u64;
                    result
                })
            }
        };
        written.map_err(io("write"))?;
    }
    Ok(())
}

/// Of runs and their content those pages that are of a part, moved together.
pub(super) fn keep<'a>(
    part: &Part,
    runs: &[Run],
    content: &'a mut [u8],
) -> (Vec<Run>, &'a mut [u8]) {
    let mut kept: Vec<Run> = Vec::new();
    let mut end = 0;
    let pages = runs.iter().flat_map(|r| r.pages());
    for (n, id) in pages.enumerate().take(content.len() / PAGE_BYTES) {
        let at = n * PAGE_BYTES;
        if !part.has_page(&content[at..at + PAGE_BYTES]) {
            continue;
        }
        content.copy_within(at..at + PAGE_BYTES, end);
        end += PAGE_BYTES;
        match kept.last_mut() {
            Some(r) if r.file == id.file && r.first + r.count == id.page => r.count += 1,
            _ => kept.push(Run { file: id.file, first: id.page, count: 1 }),
        }
    }
    (kept, &mut content[..end])
}

/// Takes what the file has in place of images that are older; `have`: its bytes.
fn keep_newer(
    volume: &dyn Volume,
    run: Run,
    have: u64,
    images: &mut [u8],
    mark: u32,
    aligned: &mut Option<AlignedBuf>,
) -> BackupResult<()> {
    let buf = aligned.get_or_insert_with(|| AlignedBuf::zeroed(PIECE));
    let mut ids = run.pages();
    let mut offset = PageId { file: run.file, page: run.first }.file_offset();
    for part in images.chunks_mut(PIECE) {
        let len = have.saturating_sub(offset).min(part.len() as u64) as usize;
        let there = &mut buf[..len - len % PAGE_BYTES];
        read_retried(volume, offset, there).map_err(io("read"))?;
        let pages = there.chunks_exact(PAGE_BYTES).zip(part.chunks_exact_mut(PAGE_BYTES));
        for (id, (own, image)) in ids.by_ref().zip(pages) {
            if is_whole(own, id, mark) && lsn(own) > lsn(image) {
                image.copy_from_slice(own);
            }
        }
        offset += part.len() as u64;
    }
    Ok(())
}

fn lsn(page: &[u8]) -> u64 {
    u64::from_le_bytes(page[8..16].try_into().expect("8 bytes"))
}

/// Takes all bits out of a DIFF page.
fn clear_map(bytes: &mut [u8]) {
    let mut page = Page::zeroed();
    page.bytes_mut().copy_from_slice(bytes);
    page.set_bits(0, BITMAP_BITS, false);
    page.seal();
    bytes.copy_from_slice(page.bytes());
}
