//! Checkpoint and restart together, because one writes what the other reads.
//!
//! ```text
//! boot        the boot page: what must be known before the log can be read
//! create      a new database's files
//! checkpoint  dirty pages to disk, and the boot page that says so
//! analysis    who had not ended
//! restart     open: repair torn pages, analysis, redo, undo
//! ```

mod analysis;
mod boot;
mod checkpoint;
mod create;
mod restart;

pub(crate) use analysis::Analysis;
pub use boot::{Boot, BootError, BootFile, FEATURES, FORMAT_VERSION};
pub(crate) use checkpoint::Background;
pub(crate) use create::{boot_page, remove_file};

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
