//! Single pages, records and backup blocks out of any bytes, and their checksums made right again: what damages files on purpose (fuzz
//! targets, tests) needs to get past the first line of defence, and nothing else does.

use taffrail_base::{PAGE_BYTES, PageId};
use taffrail_log::Record;

use crate::access::{directory, lob, node, record};
use crate::page::{BITMAP_BITS, HEADER_BYTES, PFS_PAGES, Page, PageType, SLOT_BYTES};
use crate::recovery::Boot;

pub use crate::backup::raw::{media_structures, mend_media};

/// Gives every page of a data file, or of a part of one, the checksum that its content has now.
pub fn mend_pages(bytes: &mut [u8]) {
    for chunk in bytes.chunks_exact_mut(PAGE_BYTES) {
        if chunk[0] != 0 {
            chunk[4..8].fill(0);
            let crc = crc32c::crc32c(chunk);
            chunk[4..8].copy_from_slice(&crc.to_le_bytes());
        }
    }
}

/// Reads a page as each of its readers would after its checksum was found right. True if it is well formed.
pub fn read_page(bytes: &[u8; PAGE_BYTES]) -> bool {
    let mut page = Page::zeroed();
    page.bytes_mut().copy_from_slice(bytes);
    let id = page.id();
    let Ok(()) = page.validate(id) else { return false };
    match page.kind() {
        Some(PageType::Boot) => return Boot::decode(&mut page, id).is_ok(),
        Some(PageType::Pfs) => {
            let _ = (page.pfs(0), page.pfs(PFS_PAGES - 1));
        }
        Some(PageType::Heap | PageType::Index | PageType::Lob) => read_rows(&page),
        Some(_) => {
            let _ = (page.bit(BITMAP_BITS - 1), page.set_runs(BITMAP_BITS));
        }
        None => return false,
    }
    true
}

fn read_rows(page: &Page) {
    for slot in 0..page.slots().into() {
        let row = page.row(slot);
        let (key, value) = node::split_entry(row);
        let _ = (node::is_ghost(page, slot), node::child_at(page, slot));
        let _ = (directory::hobt_of_key(key), directory::Entry::decode(value));
        let _ = (node::search(page, key), node::slot_for(page, value));
    }
    let _ = (node::count_ghosts(page, 0), page.image());
    let _ = (lob::values(page).count(), lob::filled(page).is_some());
    let _ = lob::content(page, page.hobt(), page.lob_id()).is_some();
}

/// Redoes a record on a page, as restart would on a page with a good checksum. True if they fit; the page must be well formed then.
pub fn redo(page: &mut [u8; PAGE_BYTES], r: &Record<'_>) -> bool {
    let mut p = Page::zeroed();
    p.bytes_mut().copy_from_slice(page);
    if p.validate_structure().is_err() || record::redo(&mut p, r).is_err() {
        return false;
    }
    if let Err(why) = p.validate_structure() {
        panic!("{} was redone and left page {}: {why}", r.header.op, p.id());
    }
    page.copy_from_slice(p.bytes());
    true
}

/// Reads every field that readers of the log look for in a record.
pub fn read_record(r: &Record<'_>) {
    use record::facts;
    let _ = record::describe(r);
    let _ = facts::row_images(r).map(|images| images.elements());
    let _ = (facts::begin(r), facts::end_time(r), facts::savepoint(r));
    let _ = (facts::begin_checkpoint(r), facts::active_transactions(r), facts::end_checkpoint(r));
    let _ = (facts::file_size(r), facts::split_page(r), facts::format(r));
    let _ = (facts::set_bits(r), facts::set_free_space(r), facts::log_reserve(r));
    let _ = (record::bulk::row_delta(r), record::bulk::unlogged(r));
}

/// The page that a page says it is.
pub fn page_id(bytes: &[u8; PAGE_BYTES]) -> PageId {
    let mut page = Page::zeroed();
    page.bytes_mut().copy_from_slice(bytes);
    page.id()
}

/// Offset and length of every page's header, rows and slots, as far as something is there.
pub fn page_structures(bytes: &[u8]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for (at, chunk) in (0..).step_by(PAGE_BYTES).zip(bytes.chunks_exact(PAGE_BYTES)) {
        let mut page = Page::zeroed();
        page.bytes_mut().copy_from_slice(chunk);
        let Ok(()) = page.validate_structure() else { continue };
        found.push((at, HEADER_BYTES));
        if page.kind().is_some_and(PageType::is_slotted) {
            let slots = usize::from(page.slots()) * SLOT_BYTES;
            found.push((at + HEADER_BYTES, usize::from(page.free_start()) - HEADER_BYTES));
            found.push((at + PAGE_BYTES - slots, slots));
        } else {
            let used = chunk.iter().rposition(|b| *b != 0).map_or(0, |last| last + 1);
            found.push((at + HEADER_BYTES, used.saturating_sub(HEADER_BYTES)));
        }
    }
    found.retain(|(_, len)| *len > 0);
    found
}
