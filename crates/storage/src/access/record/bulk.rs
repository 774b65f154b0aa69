//! Extents that bulk work fills.
//!
//! ```text
//! LOP_BULK_EXT_ALLOCATION   u8 flags (1: the pages' contents are not logged), u64 rows added (two's complement),
//!                           u16 file, then runs: u32 first page, u32 extents
//! ```
//! It changes no page: the allocation itself is in the records of GAM, IAM and PFS pages. Its position is the LSN of pages whose
//! contents are not logged, so that redo of what the pages held before leaves them alone; a page that was torn when the power failed
//! was written after this record became durable, and does not count as damaged. Its undo takes the rows back from the row count.

use std::sync::atomic::Ordering;

use taffrail_base::{FileId, HobtId, LogPos, PageId};
use taffrail_log::{Lcx, Lop, Record, RecordFlags, RecordHeader, Reserve};

use crate::access::Hobt;
use crate::codec::{Put, Take};
use crate::error::StorageResult;
use crate::layout::EXTENT_PAGES;
use crate::txn::work::Work;

const MINIMAL: u8 = 1;
pub(super) const HEAD_BYTES: usize = 11;

/// Runs of extents: first page, number of extents.
pub(crate) type ExtentRuns = Vec<(u32, u32)>;

/// Joins ascending extents (their first pages) to runs.
pub(crate) fn runs_of(extents: &[PageId]) -> ExtentRuns {
    let mut runs: ExtentRuns = Vec::new();
    for e in extents {
        match runs.last_mut() {
            Some((first, n)) if *first + *n * EXTENT_PAGES == e.page => *n += 1,
            _ => runs.push((e.page, 1)),
        }
    }
    runs
}

/// Logs that a bulk load fills these extents, of one file.
pub(crate) fn log_allocation(
    work: &mut Work,
    hobt: HobtId,
    minimal: bool,
    rows: i64,
    extents: &[PageId],
) -> StorageResult<LogPos> {
    let file = extents.first().map_or(FileId(0), |e| e.file);
    debug_assert!(extents.iter().all(|e| e.file == file));
    if minimal && let Some(file) = work.db.store.file(file) {
        // Before the record: a checkpoint that begins after it, from where redo will not see it any more, has them in the map
        // for differential backups. The pages themselves are written later.
        for extent in extents {
            file.mark_changed(extent.page);
        }
    }
    let runs = runs_of(extents);
    let mut payload = head(if minimal { MINIMAL } else { 0 }, rows, file, runs.len());
    for (first, n) in runs {
        payload.u32(first);
        payload.u32(n);
    }
    let header = RecordHeader {
        hobt,
        page: extents.first().copied().unwrap_or_default(),
        ..RecordHeader::new(Lop::BulkExtAllocation, Lcx::BulkOperationPage)
    };
    work.append(&header, &[&payload], Reserve::undo(HEAD_BYTES))
}

fn head(flags: u8, rows: i64, file: FileId, runs: usize) -> Vec<u8> {
    let mut b = Vec::with_capacity(HEAD_BYTES + runs * 8);
    b.u8(flags);
    b.u64(rows as u64);
    b.u16(file.0);
    b
}

/// None: it is another kind of record, or damaged.
fn parse(r: &Record<'_>) -> Option<(u8, i64, FileId, ExtentRuns)> {
    if r.header.op != Lop::BulkExtAllocation {
        return None;
    }
    let mut t = Take(r.payload);
    let (flags, rows, file) = (t.u8()?, t.u64()? as i64, FileId(t.u16()?));
    let mut runs = Vec::new();
    while !t.is_empty() {
        let (first, n) = (t.u32()?, t.u32()?);
        n.checked_mul(EXTENT_PAGES).and_then(|pages| first.checked_add(pages))?;
        runs.push((first, n));
    }
    Some((flags, rows, file, runs))
}

/// How the record changes the number of its HoBt's rows.
pub(crate) fn row_delta(r: &Record<'_>) -> i64 {
    parse(r).map_or(0, |(_, rows, ..)| rows)
}

/// How many rows it adds whose pages the log does not have.
pub(crate) fn unlogged_rows(r: &Record<'_>) -> Option<i64> {
    let (flags, rows, ..) = parse(r)?;
    (flags & MINIMAL != 0 && !r.header.is_compensation()).then_some(rows)
}

/// The pages whose contents the log does not have, as runs of extents; none where it has them.
pub(crate) fn unlogged(r: &Record<'_>) -> Option<(FileId, ExtentRuns)> {
    parse(r).filter(|(flags, ..)| flags & MINIMAL != 0).map(|(_, _, file, runs)| (file, runs))
}

/// The file and the extents of the allocation.
pub(super) fn extents(r: &Record<'_>) -> Option<(FileId, ExtentRuns)> {
    parse(r).map(|(_, _, file, runs)| (file, runs))
}

pub(super) fn undo(work: &mut Work, r: &Record<'_>) -> StorageResult<()> {
    let Some((_, rows, ..)) = parse(r) else {
        return Err(work.db.store.corrupt(r.header.page, "undo of a bulk allocation".to_owned()));
    };
    if rows == 0 {
        return Ok(());
    }
    let header = RecordHeader {
        hobt: r.header.hobt,
        flags: RecordFlags::COMPENSATION,
        undo_next: r.header.prev,
        ..RecordHeader::new(Lop::BulkExtAllocation, Lcx::BulkOperationPage)
    };
    let hobt = super::row::counted_hobt(&work.db, r)?;
    let counting = hobt.as_deref().map(Hobt::counting);
    work.append(&header, &[&head(0, -rows, FileId(0), 0)], Reserve::NONE)?;
    if let Some(hobt) = &hobt {
        hobt.add_rows(-rows);
    }
    drop(counting);
    work.db.store.rarities.bulk_undone.fetch_add(1, Ordering::Relaxed);
    Ok(())
}

pub(super) fn describe(r: &Record<'_>) -> String {
    match parse(r) {
        Some((flags, rows, _, runs)) => {
            let extents: u32 = runs.iter().map(|r| r.1).sum();
            let how = if flags & MINIMAL != 0 { "minimally logged" } else { "logged" };
            format!("{extents} extents, {rows} rows, {how}")
        }
        None => "malformed".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let at = |page| PageId::new(1, page);
        assert_eq!(runs_of(&[at(8), at(16), at(40), at(48)]), [(8, 2), (40, 2)]);
        let mut payload = head(MINIMAL, -7, FileId(3), 1);
        payload.u32(160);
        payload.u32(4);
        let header = RecordHeader::new(Lop::BulkExtAllocation, Lcx::BulkOperationPage);
        let r = Record { pos: LogPos(9), header, payload: &payload };
        assert_eq!(parse(&r), Some((MINIMAL, -7, FileId(3), vec![(160, 4)])));
        assert_eq!(row_delta(&r), -7);
        assert_eq!(unlogged(&r), Some((FileId(3), vec![(160, 4)])));
        let cut = Record { payload: &payload[..payload.len() - 1], ..r };
        assert_eq!(parse(&cut), None);
        // A record of another kind may hold the same bytes.
        let header = RecordHeader::new(Lop::InsertRows, Lcx::Heap);
        let other = Record { header, ..r };
        assert_eq!((row_delta(&other), unlogged(&other)), (0, None));
    }
}
