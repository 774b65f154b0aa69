//! What a restart reads must be on the medium before anything is built on it.
//!
//! A process that was killed leaves bytes in the system's cache that no sync has covered: a sync here covers them. One whose sync had
//! failed before leaves bytes that the cache calls clean and the medium may not have, whole or torn: no sync ever writes them,
//! although they read back. Nobody tells the next process of it. So whatever may be of that kind is written once more, as it is;
//! where the medium has it already such a write cannot be torn.
//!
//! | what | who writes it |
//! |---|---|
//! | the newer copy of the boot page | [`boot_again`], before the other copy is written over |
//! | the double-write region, then the pages that it protects | [`repair_torn_pages`], before the region is used again |
//! | other pages: changed since the last checkpoint that was completed | redo makes them dirty, though they have their changes |
//! | the log's header and its end | `taffrail_log`, as it opens |
//!
//! Older pages had been synced before the boot page said that redo need not look at them.

use std::io::IoSlice;

use taffrail_base::PAGE_BYTES;
use taffrail_io::{AlignedBuf, IoResult, Volume};

use super::create::io_error;
use super::write_page;
use crate::buffer::{DataFile, DoubleWrite, Store, read_whole};
use crate::error::StorageResult;
use crate::page::Page;

/// Writes the copy of the boot page that was read.
pub(super) fn boot_again(volume: &dyn Volume, page: &Page) -> StorageResult<()> {
    let buf = AlignedBuf::from_slice(page.bytes());
    let written = volume.write_durable(page.id().file_offset(), &[IoSlice::new(&buf)]);
    written.map_err(|e| io_error("write", e))
}

/// Writes the images of the double-write region over pages that are not whole, and the others of its pages again. Returns how many were
/// not whole.
pub(super) fn repair_torn_pages(store: &Store) -> StorageResult<u64> {
    repair(store).map_err(|e| io_error("write", e))
}

fn repair(store: &Store) -> IoResult<u64> {
    store.files().iter().map(|file| repair_file(file, store.mark)).sum()
}

fn repair_file(file: &DataFile, mark: u32) -> IoResult<u64> {
    let mut repaired = 0;
    let Some(region) = DoubleWrite::read(&*file.volume, mark)? else { return Ok(0) };
    region.write_again(&*file.volume)?;
    // An image of another file's page is none that was written here.
    for (_, id, mut image) in region.images.into_iter().filter(|(_, id, _)| id.file == file.id) {
        let mut page = Page::zeroed();
        if id.file_offset() + PAGE_BYTES as u64 > file.volume.len()? {
            continue;
        }
        // Whole, but another database's: that is not what was written here either.
        let whole = |p: &mut Page| p.validate_of(id, mark);
        match read_whole(&*file.volume, id.file_offset(), &mut page, whole)? {
            Ok(()) => {
                file.volume.write_at(id.file_offset(), &AlignedBuf::from_slice(page.bytes()))?
            }
            Err(_) => {
                write_page(&*file.volume, id, &mut image)?;
                repaired += 1;
            }
        }
    }
    file.volume.sync()?;
    Ok(repaired)
}
