//! Pages made anew.
//!
//! ```text
//! LOP_FORMAT_PAGE   the page's image: header, rows, slots. Redo does not look at what the page held before.
//!                   Flag USER_1: a page that was allocated before, in the same system transaction. Its undo makes it
//!                   nobody's ([`Page::disown`]), with a compensation of the same kind. Without the flag nothing is undone.
//!                   LCX_TEXT_MIX with that flag: a page of small values. Without it: a piece of a large value; redo only.
//!                   Before format version 2 its undo gave the page back.
//! LOP_ROOT_CHANGE   u64 child, u8 new level: the root keeps its place; its rows have moved to the child, the only entry now.
//! ```

use taffrail_base::PageId;
use taffrail_log::{Lcx, Lop, Record, RecordFlags, Reserve};

use super::{RedoResult, compensation, on_page};
use crate::access::node::{child_bytes, entry_header};
use crate::buffer::WriteGuard;
use crate::codec::{Put, Take};
use crate::error::StorageResult;
use crate::page::{Format, HEADER_BYTES, Page, PageType};
use crate::txn::work::{Change, Work};

/// Payload of the record that undoes LCX_TEXT_MIX: one page's byte on the PFS page.
pub(crate) const UNDO_TEXT_MIX: usize = 16;

/// Bytes of the image of a page that is nobody's.
pub(super) const DISOWNED: usize = HEADER_BYTES;

/// Logs a page that `work` has allocated for a heap or tree, and the caller has filled. If `work` is undone the page passes for
/// nobody's, in the pool and after redo; likewise when it could not be logged.
pub(crate) fn log_made(
    work: &mut Work,
    page: &mut WriteGuard<'_>,
    context: Lcx,
) -> StorageResult<()> {
    debug_assert!(work.system, "others may be given the page before a user's rollback comes here");
    let image = if page.slots() > 0 { RecordFlags::PAGE_IMAGE } else { RecordFlags::NONE };
    let flags = image.with(RecordFlags::USER_1);
    let logged = log_image(work, page, context, Reserve::undo(DISOWNED), flags);
    if logged.is_err() {
        page.disown();
    }
    logged
}

/// Logs a page that the caller has formatted and filled.
pub(crate) fn log_format(
    work: &mut Work,
    page: &mut WriteGuard<'_>,
    context: Lcx,
    reserve: Reserve,
) -> StorageResult<()> {
    let flags = if page.slots() > 0 { RecordFlags::PAGE_IMAGE } else { RecordFlags::NONE };
    log_image(work, page, context, reserve, flags)
}

/// Logs what the caller has filled a page with that it has allocated, and logged empty, before.
pub(crate) fn log_content(
    work: &mut Work,
    page: &mut WriteGuard<'_>,
    context: Lcx,
) -> StorageResult<()> {
    let flags = RecordFlags::PAGE_IMAGE.with(RecordFlags::REDO_ONLY);
    log_image(work, page, context, Reserve::NONE, flags)
}

fn log_image(
    work: &mut Work,
    page: &mut WriteGuard<'_>,
    context: Lcx,
    reserve: Reserve,
    flags: RecordFlags,
) -> StorageResult<()> {
    let hobt = page.hobt();
    let change = Change { hobt, reserve, flags, ..Change::new(Lop::FormatPage, context) };
    // The image is copied out, because the append needs the page for itself.
    let lsn = page.lsn();
    page.set_lsn_raw(0);
    let image = page.image().concat();
    match work.change(page, &change, &[&image]) {
        Ok(pos) => {
            page.was_formatted(pos);
            Ok(())
        }
        Err(e) => {
            // Redo of what the page held before must not find it without those changes.
            page.set_lsn(lsn);
            Err(e)
        }
    }
}

/// Moves the root's place in the tree up by one: logs it and changes the page.
pub(crate) fn change_root(
    work: &mut Work,
    root: &mut WriteGuard<'_>,
    child: PageId,
) -> StorageResult<()> {
    let level = root.level() + 1;
    let mut payload = Vec::with_capacity(9);
    payload.u64(child.to_u64());
    payload.u8(level);
    let change = Change {
        hobt: root.hobt(),
        reserve: Reserve::undo(root.image().iter().map(|p| p.len()).sum()),
        ..Change::new(Lop::RootChange, Lcx::IndexInterior)
    };
    work.change(root, &change, &[&payload])?;
    apply_root_change(root, child, level);
    Ok(())
}

fn apply_root_change(root: &mut Page, child: PageId, level: u8) {
    root.truncate_rows(0);
    root.set_ghosts(0);
    root.set_reserved_bytes(0);
    root.bytes_mut()[2] = level;
    root.insert_row(0, &[&entry_header(0, &[]), &child_bytes(child)]);
}

pub(super) fn redo_format(page: &mut Page, r: &Record<'_>) -> RedoResult {
    if r.payload.len() >= HEADER_BYTES
        && PageId::new(
            u16::from_le_bytes([r.payload[16], r.payload[17]]),
            u32::from_le_bytes([r.payload[20], r.payload[21], r.payload[22], r.payload[23]]),
        ) != r.header.page
    {
        return Err("the image is of another page".to_owned());
    }
    page.restore(r.payload)
}

fn parse_root_change(r: &Record<'_>) -> Option<(PageId, u8)> {
    let mut t = Take(r.payload);
    Some((PageId::from_u64(t.u64()?), t.u8()?))
}

pub(super) fn redo_root_change(page: &mut Page, r: &Record<'_>) -> RedoResult {
    let (child, level) = parse_root_change(r).ok_or("the record is too short")?;
    apply_root_change(page, child, level);
    Ok(())
}

pub(super) fn undo_format(
    work: &mut Work,
    held: &mut [WriteGuard<'_>],
    r: &Record<'_>,
) -> StorageResult<()> {
    if r.header.flags.contains(RecordFlags::USER_1) {
        return undo_made(work, held, r);
    }
    if r.header.context != Lcx::TextMix {
        // The allocation is undone by its own records; what the page holds is nobody's business then.
        return Ok(());
    }
    let mut change = compensation(r, Lop::SetFreeSpace, Lcx::Pfs);
    change.hobt = r.header.hobt;
    super::bits::undo_page_allocation(work, r.header.page, &change)?;
    work.db.clone().page_freed(r.header.hobt, r.header.page);
    Ok(())
}

/// The page is still allocated, to this very work: it stops being the heap's or tree's before others may be given it.
fn undo_made(work: &mut Work, held: &mut [WriteGuard<'_>], r: &Record<'_>) -> StorageResult<()> {
    if let Some(hobt) = work.db.known_hobt(r.header.hobt) {
        hobt.structure_changes();
    }
    let change = compensation(r, Lop::FormatPage, r.header.context);
    on_page(work, held, r.header.page, |work, page| {
        let mut image = Page::zeroed();
        image.format(&Format::new(r.header.page, PageType::Lob));
        let pos = work.change(page, &change, &image.image())?;
        page.disown();
        page.set_lsn(pos);
        Ok(())
    })
}

pub(super) fn undo_root_change(
    work: &mut Work,
    held: &mut [WriteGuard<'_>],
    r: &Record<'_>,
) -> StorageResult<()> {
    let bad =
        |work: &Work| work.db.store.corrupt(r.header.page, "undo of a root change".to_owned());
    let Some((child, _)) = parse_root_change(r) else { return Err(bad(work)) };
    // The child holds exactly what the root held: nothing else can have changed it since.
    let mut image = on_page(work, held, child, |_, page| Ok(page.image().concat()))?;
    image[8..16].fill(0);
    image[16..18].copy_from_slice(&r.header.page.file.0.to_le_bytes());
    image[20..24].copy_from_slice(&r.header.page.page.to_le_bytes());
    let change = compensation(r, Lop::FormatPage, Lcx::IndexInterior);
    on_page(work, held, r.header.page, |work, page| {
        let pos = work.change(page, &change, &[&image])?;
        page.restore(&image).map_err(|_| bad(work))?;
        page.set_lsn(pos);
        Ok(())
    })
}

pub(super) fn describe(r: &Record<'_>) -> String {
    match r.header.op {
        Lop::FormatPage if r.header.is_compensation() && r.payload.len() == DISOWNED => {
            "page is nobody's".to_owned()
        }
        Lop::FormatPage if r.payload.len() > HEADER_BYTES => {
            format!("page image of {} bytes", r.payload.len())
        }
        Lop::FormatPage => "page formatted".to_owned(),
        _ => match parse_root_change(r) {
            Some((child, level)) => format!("root becomes level {level} above page {child}"),
            None => "malformed".to_owned(),
        },
    }
}
