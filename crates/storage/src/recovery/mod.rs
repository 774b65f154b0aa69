//! Checkpoint and restart together, because one writes what the other reads.
//!
//! ```text
//! boot        the boot page: what must be known before the log can be read
//! create      a new database's files
//! checkpoint  dirty pages to disk, and the boot page that says so
//! counts      row counts into the directory, before a checkpoint
//! medium      what is read there, made durable first
//! moved       where the log files of a database are that lies elsewhere than it did
//! pace        how long a restart would take, and the pages written to keep that short
//! analysis    who had not ended
//! redo        what pages do not have yet, by several threads
//! undo        what had not ended, as far as possible while the database is open
//! later       undo that waits for room
//! restored    the same for what a restore has put into files and log
//! restart     open: repair torn pages, then the three above
//! emergency   open without any of that, to be read
//! ```

mod analysis;
mod boot;
mod checkpoint;
mod checkpoint_told;
mod counts;
mod create;
mod emergency;
mod later;
mod medium;
mod moved;
mod pace;
mod redo;
mod restart;
mod restored;
#[cfg(test)]
mod tests;
mod undo;

pub use boot::{Boot, BootError, BootFile, FEATURES, FORMAT_VERSION};
pub(crate) use checkpoint::Background;
pub(crate) use create::{
    FILE_MAGIC, boot_page, cannot_create, file_header, io_error, log_options, remove_file,
    remove_files,
};
pub(crate) use moved::{LogFile, log_files_at};
pub use pace::RecoveryEstimate;
pub(crate) use restart::open_over;
pub(crate) use restored::{
    log_files_of, read_primary, recover_restored, redo_restored, write_boots,
};
pub(crate) use undo::Recovering;

use taffrail_base::PageId;
use taffrail_io::{AlignedBuf, IoResult, Volume};

use crate::page::Page;

/// The id of a boot page's copy, if the page is one.
pub(crate) fn boot_id_of(page: &Page) -> Option<PageId> {
    Some(page.id()).filter(|id| id.file.0 == 1 && crate::layout::BOOT_PAGES.contains(&id.page))
}

/// Writes a page outside of the pool; not durable.
pub(crate) fn write_page(volume: &dyn Volume, id: PageId, page: &mut Page) -> IoResult<()> {
    page.seal();
    volume.write_at(id.file_offset(), &AlignedBuf::from_slice(page.bytes()))
}
