//! What a record says, field by field: the columns of `fn_dblog`.
//!
//! Everything here reads bytes that may come from a damaged file or an old backup, so every function answers `None` for
//! what is not there or does not parse, and none looks at anything but the record.

use taffrail_base::{FileId, LogPos, ObjectId, PageId, TransactionId};
use taffrail_log::{Lcx, Lop, Record, RecordFlags, Reserve};

use super::bits::{first_bits, first_free_space};
use super::row::modified;
use super::{changes_page, xact};
use crate::access::node::split_entry;
use crate::access::{directory, lob};
use crate::codec::Take;
use crate::page::HEADER_BYTES;

/// The pieces of a row that a record carries.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct RowImages<'a> {
    /// Insertions: the row. Deletions: the row; its key in logs of format version 2 and before. Modifications: the bytes before, the
    /// bytes after, the key. Other records of a page: the payload.
    pub contents: [Option<&'a [u8]>; 3],
    /// Where in the row the modified bytes begin.
    pub offset: u16,
    /// How many bytes were modified.
    pub size: u16,
}

impl RowImages<'_> {
    /// How many pieces there are.
    pub fn elements(&self) -> u16 {
        self.contents.iter().flatten().count() as u16
    }
}

/// The images in a record that changes a page.
pub fn row_images<'a>(r: &Record<'a>) -> Option<RowImages<'a>> {
    let some = |bytes: &'a [u8]| (!bytes.is_empty()).then_some(bytes);
    let one = |bytes| RowImages { contents: [some(bytes), None, None], ..RowImages::default() };
    match r.header.op {
        // The place's byte, which is of no use to a reader, comes before what is logged of the row.
        Lop::InsertRows if r.header.context == Lcx::MarkAsGhost => Some(RowImages::default()),
        Lop::DeleteRows => Some(one(r.payload.get(1..)?)),
        Lop::ModifyRow => {
            let (offset, before, after, key) = modified(r)?;
            let size = before.len().max(after.len()) as u16;
            let contents = [Some(before), Some(after), some(key)];
            Some(RowImages { contents, offset: offset as u16, size })
        }
        op if changes_page(op) => Some(one(r.payload)),
        _ => None,
    }
}

/// The facts of LOP_BEGIN_XACT, the begin of a transaction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Begin {
    /// When: 100 ns since 0001-01-01, UTC.
    pub time: u64,
    /// Whose; 0 for the engine's own.
    pub session: u16,
    /// The transaction inside of which it runs.
    pub parent: TransactionId,
    /// Whether it is a system transaction.
    pub system: bool,
    /// The name of the transaction.
    pub name: String,
    /// `transaction_id` of the views while it ran; `None` in logs of an older version.
    pub number: Option<u64>,
    /// The description of a transaction WITH MARK.
    pub mark: Option<String>,
}

/// Reads the facts of LOP_BEGIN_XACT; none of another record.
pub fn begin(r: &Record<'_>) -> Option<Begin> {
    if r.header.op != Lop::BeginXact {
        return None;
    }
    let (time, session, parent, system, name) = xact::begin_facts(r)?;
    let (parent, number) = (TransactionId(parent), xact::begin_number(r));
    Some(Begin { time, session, parent, system, name, number, mark: xact::begin_mark(r) })
}

/// When a transaction ended: LOP_COMMIT_XACT and LOP_ABORT_XACT.
pub fn end_time(r: &Record<'_>) -> Option<u64> {
    match r.header.op {
        Lop::CommitXact | Lop::AbortXact => Take(r.payload).u64(),
        _ => None,
    }
}

/// The moment that a record says it is of: 100 ns since 0001-01-01, UTC. In the order of the log they go back
/// only where the clock was set back by more than a day.
pub fn moment(r: &Record<'_>) -> Option<u64> {
    match r.header.op {
        Lop::BeginXact | Lop::CommitXact | Lop::AbortXact | Lop::BeginCkpt | Lop::EndCkpt => {
            Take(r.payload).u64()
        }
        _ => None,
    }
}

/// The name of a savepoint.
pub fn savepoint(r: &Record<'_>) -> Option<String> {
    if r.header.op == Lop::MarkSavepoint { Take(r.payload).text() } else { None }
}

/// The object that LOP_LOCK_XACT says is locked in Sch-M.
pub fn locked_object(r: &Record<'_>) -> Option<ObjectId> {
    if r.header.op == Lop::LockXact {
        Take(r.payload).u32().map(|o| ObjectId(o as i32))
    } else {
        None
    }
}

/// LOP_BEGIN_CKPT: when, and the next transaction's id.
pub fn begin_checkpoint(r: &Record<'_>) -> Option<(u64, TransactionId)> {
    if r.header.op != Lop::BeginCkpt {
        return None;
    }
    let mut t = Take(r.payload);
    Some((t.u64()?, TransactionId(t.u64()?)))
}

/// LOP_XACT_CKPT: how many transactions were active.
pub fn active_transactions(r: &Record<'_>) -> Option<u16> {
    if r.header.op == Lop::XactCkpt { Take(r.payload).u16() } else { None }
}

/// The facts of LOP_END_CKPT, the end of a checkpoint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EndCheckpoint {
    /// The moment of its end: 100 ns since 0001-01-01, UTC.
    pub time: u64,
    /// The position of its begin record.
    pub begin: LogPos,
    /// The position of MinLSN, the oldest needed.
    pub min: LogPos,
    /// Pages that it wrote.
    pub pages: u32,
}

/// Reads the facts of LOP_END_CKPT; none of another record.
pub fn end_checkpoint(r: &Record<'_>) -> Option<EndCheckpoint> {
    if r.header.op != Lop::EndCkpt {
        return None;
    }
    let mut t = Take(r.payload);
    let (time, begin) = (t.u64()?, LogPos(t.u64()?));
    Some(EndCheckpoint { time, begin, min: LogPos(t.u64()?), pages: t.u32()? })
}

/// LOP_FILE_HDR_MODIFY: the file, and how many pages it has now.
pub fn file_size(r: &Record<'_>) -> Option<(FileId, u32)> {
    if r.header.op == Lop::FileHdrModify { xact::parse_file_size(r) } else { None }
}

/// LOP_FILE_HDR_MODIFY: how many pages the file had before.
pub fn file_size_before(r: &Record<'_>) -> Option<u32> {
    if r.header.op == Lop::FileHdrModify { xact::parse_file_size_before(r) } else { None }
}

/// LOP_DELETE_SPLIT: the page that rows moved to.
pub fn split_page(r: &Record<'_>) -> Option<PageId> {
    if r.header.op != Lop::DeleteSplit {
        return None;
    }
    let mut t = Take(r.payload);
    // The first slot that moved, or the number of rows that did: the page stands behind either.
    t.u16()?;
    t.u64().map(PageId::from_u64)
}

/// How many rows a record took off its page, where it says so: ghosts removed (LOP_EXPUNGE_ROWS), rows that a merge moved to the left
/// neighbour (LOP_DELETE_SPLIT with a count).
pub fn rows_deleted(r: &Record<'_>) -> Option<u16> {
    match r.header.op {
        Lop::ExpungeRows => u16::try_from(r.payload.len() / 2).ok(),
        Lop::DeleteSplit if super::merge::is_front(r) => Take(r.payload).u16(),
        _ => None,
    }
}

/// LOP_BULK_EXT_ALLOCATION: the file, and runs of extents (first page, number of extents). The undo of one has none.
pub fn bulk_extents(r: &Record<'_>) -> Option<(FileId, Vec<(u32, u32)>)> {
    if r.header.op != Lop::BulkExtAllocation || r.header.is_compensation() {
        return None;
    }
    super::bulk::extents(r)
}

/// LOP_FORMAT_PAGE: the page's type, flags and level.
pub fn format(r: &Record<'_>) -> Option<(u8, u8, u8)> {
    if r.header.op != Lop::FormatPage || r.payload.len() < HEADER_BYTES {
        return None;
    }
    Some((r.payload[1], r.payload[3], r.payload[2]))
}

/// LOP_SET_BITS: the first run's first bit and length, and the value that all runs are set to.
pub fn set_bits(r: &Record<'_>) -> Option<(u32, u32, bool)> {
    if r.header.op == Lop::SetBits { first_bits(r) } else { None }
}

/// LOP_SET_FREE_SPACE: the first page's place on the PFS page, its byte now, and its byte before where that is logged.
pub fn set_free_space(r: &Record<'_>) -> Option<(u16, u8, Option<u8>)> {
    if r.header.op == Lop::SetFreeSpace { first_free_space(r) } else { None }
}

/// The log space that a record reserved for its own undo, where the record tells; 0 for those that are never undone.
/// Splits reserve by what was on the page, which their records do not say.
pub fn log_reserve(r: &Record<'_>) -> Option<u64> {
    if r.header.is_compensation() {
        return Some(0);
    }
    let besides = |key| directory::undo_reserve(r.header.hobt, r.header.context, key);
    let payload = match r.header.op {
        Lop::RootChange | Lop::DeleteSplit => return None,
        Lop::FormatPage if r.header.flags.contains(RecordFlags::USER_1) => super::format::DISOWNED,
        // Before format version 2 its undo took the allocation of a large value's page back.
        Lop::FormatPage
            if r.header.context == Lcx::TextMix
                && !r.header.flags.contains(RecordFlags::REDO_ONLY) =>
        {
            super::format::UNDO_TEXT_MIX
        }
        Lop::FormatPage => return Some(0),
        Lop::InsertRows if r.header.context == Lcx::TextMix => lob::UNDO_MIX,
        Lop::InsertRows => 1 + besides(split_entry(r.payload).0),
        Lop::DeleteRows => super::delete::undo_delete_bytes(r)?,
        Lop::ModifyRow => modified(r).map(|(_, before, _, key)| 8 + before.len() + besides(key))?,
        Lop::ModifyHeader => 32,
        // Rows that came from the right neighbour: see `merge`.
        Lop::UndoDeleteSplit => 26,
        Lop::SetBits | Lop::SetFreeSpace => r.payload.len(),
        Lop::BulkExtAllocation => super::bulk::HEAD_BYTES,
        _ => return Some(0),
    };
    Some(Reserve::undo(payload).bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::Put;
    use taffrail_log::RecordHeader;

    fn with<'a>(op: Lop, context: Lcx, payload: &'a [u8]) -> Record<'a> {
        Record { pos: LogPos(513), header: RecordHeader::new(op, context), payload }
    }

    #[test]
    fn facts_come_from_the_payloads_that_storage_writes() {
        let insert = with(Lop::InsertRows, Lcx::Heap, b"\0row");
        assert_eq!(row_images(&insert).unwrap().contents[0], Some(&b"\0row"[..]));
        let mut modify = Vec::from(super::super::row::modify_header(7, 2, 3, 1));
        modify.extend_from_slice(b"oldnewk");
        modify.remove(10);
        let modify = with(Lop::ModifyRow, Lcx::Clustered, &modify);
        let images = row_images(&modify).unwrap();
        assert_eq!((images.offset, images.size, images.elements()), (7, 3, 3));
        assert_eq!(images.contents, [Some(&b"ol"[..]), Some(&b"new"[..]), Some(&b"k"[..])]);
        let mut payload = Vec::new();
        payload.u64(77);
        payload.u16(51);
        payload.u64(3);
        payload.u8(0);
        payload.text("user_transaction");
        let b = begin(&with(Lop::BeginXact, Lcx::Null, &payload)).unwrap();
        assert_eq!((b.session, b.parent, &*b.name), (51, TransactionId(3), "user_transaction"));
    }

    #[test]
    fn no_bytes_make_a_fact_panic() {
        let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
        let mut payload = vec![0; 120];
        for n in 0..40_000_u64 {
            for b in &mut payload {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(n | 1);
                // Small numbers make lengths plausible.
                *b = if seed >> 63 == 0 { (seed >> 40) as u8 } else { (seed >> 61) as u8 };
            }
            let op = Lop::ALL[(seed >> 8) as usize % Lop::ALL.len()];
            let context = Lcx::ALL[(seed >> 20) as usize % Lcx::ALL.len()];
            let r = with(op, context, &payload[..(seed >> 33) as usize % 121]);
            let _ = (
                row_images(&r),
                begin(&r),
                end_time(&r),
                moment(&r),
                savepoint(&r),
                begin_checkpoint(&r),
            );
            let _ = (active_transactions(&r), end_checkpoint(&r), file_size(&r), split_page(&r));
            let _ = (rows_deleted(&r), bulk_extents(&r));
            let _ = (format(&r), set_bits(&r), set_free_space(&r), log_reserve(&r));
            let _ = super::super::describe(&r);
        }
    }
}
