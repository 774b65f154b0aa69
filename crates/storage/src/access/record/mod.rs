//! Every log record that storage writes: its payload, its redo, its undo and its one-line description, one family per file.
//!
//! | file     | operations |
//! |----------|------------|
//! | `row`    | LOP_INSERT_ROWS, LOP_MODIFY_ROW, LOP_EXPUNGE_ROWS |
//! | `delete` | LOP_DELETE_ROWS |
//! | `format` | LOP_FORMAT_PAGE, LOP_ROOT_CHANGE |
//! | `split`  | LOP_DELETE_SPLIT, LOP_UNDO_DELETE_SPLIT, LOP_MODIFY_HEADER |
//! | `merge`  | the first two, for rows that move to the left |
//! | `bits`   | LOP_SET_BITS, LOP_SET_FREE_SPACE |
//! | `bulk`   | LOP_BULK_EXT_ALLOCATION |
//! | `xact`   | LOP_BEGIN_XACT, LOP_COMMIT_XACT, LOP_ABORT_XACT, LOP_MARK_SAVEPOINT, LOP_*_CKPT, LOP_FILE_HDR_MODIFY |
//!
//! Rules: a record changes one page. Redo depends on the page, the header and the payload only. Undo writes a compensation
//! record, whose redo is that of its operation, and which is never undone. Entries of tree leaves are undone by key, because splits
//! may have moved them; everything else where it was done.

pub(crate) mod bits;
pub(crate) mod bulk;
pub mod changes;
pub(crate) mod delete;
pub mod facts;
pub(crate) mod format;
pub(crate) mod merge;
pub(crate) mod row;
pub(crate) mod split;
pub(crate) mod xact;

use taffrail_base::{LogPos, PageId};
use taffrail_log::{Lcx, Lop, Record, RecordFlags};

use crate::buffer::WriteGuard;
use crate::error::StorageResult;
use crate::page::Page;
use crate::txn::work::{Change, Work};

/// The outcome of a redo; the error says how a record and its page do not fit.
pub(crate) type RedoResult = Result<(), String>;

/// The rows of what.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    Heap,
    Leaf,
    Interior,
    /// A text mix page: see [`crate::access::lob`].
    Mix,
}

impl Place {
    pub fn of(context: Lcx) -> Option<Place> {
        match context {
            Lcx::Heap => Some(Place::Heap),
            Lcx::Clustered | Lcx::IndexLeaf => Some(Place::Leaf),
            Lcx::IndexInterior => Some(Place::Interior),
            Lcx::TextMix => Some(Place::Mix),
            _ => None,
        }
    }

    /// A row stays in its slot, whatever becomes of others.
    pub fn keeps_slots(self) -> bool {
        matches!(self, Place::Heap | Place::Mix)
    }
}

/// True for records that change a page and are redone on it.
pub(crate) fn changes_page(op: Lop) -> bool {
    matches!(
        op,
        Lop::FormatPage
            | Lop::RootChange
            | Lop::InsertRows
            | Lop::DeleteRows
            | Lop::ModifyRow
            | Lop::ExpungeRows
            | Lop::DeleteSplit
            | Lop::UndoDeleteSplit
            | Lop::ModifyHeader
            | Lop::SetBits
            | Lop::SetFreeSpace
    )
}

/// Makes on the page the change that the record describes; the caller stamps the page with the record's position.
pub(crate) fn redo(page: &mut Page, record: &Record<'_>) -> RedoResult {
    match record.header.op {
        Lop::FormatPage => format::redo_format(page, record),
        Lop::RootChange => format::redo_root_change(page, record),
        Lop::InsertRows => row::redo_insert(page, record),
        Lop::DeleteRows => delete::redo_delete(page, record),
        Lop::ModifyRow => row::redo_modify(page, record),
        Lop::ExpungeRows => row::redo_expunge(page, record),
        Lop::DeleteSplit if merge::is_front(record) => merge::redo_remove_front(page, record),
        Lop::DeleteSplit => split::redo_split(page, record),
        Lop::UndoDeleteSplit if merge::is_front(record) => merge::redo_put_front(page, record),
        Lop::UndoDeleteSplit if !record.header.is_compensation() => {
            merge::redo_append(page, record)
        }
        Lop::UndoDeleteSplit => split::redo_undo_split(page, record),
        Lop::ModifyHeader => split::redo_header(page, record),
        Lop::SetBits => bits::redo_bits(page, record),
        Lop::SetFreeSpace => bits::redo_free_space(page, record),
        op => Err(format!("{op} is not redone on a page")),
    }
}

/// Undoes one record for its transaction, with a compensation record that points to `record.header.prev`. Pages in `held` are
/// latched by the caller already.
pub(crate) fn undo(
    work: &mut Work,
    held: &mut [WriteGuard<'_>],
    record: &Record<'_>,
) -> StorageResult<()> {
    if record.header.flags.contains(RecordFlags::REDO_ONLY) {
        return Ok(());
    }
    if work.db.part.get().is_some_and(|part| !part.has(record.header.hobt)) {
        return Ok(());
    }
    work.db.store.rarities.compensations.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    match record.header.op {
        Lop::FormatPage => format::undo_format(work, held, record),
        Lop::RootChange => format::undo_root_change(work, held, record),
        Lop::InsertRows => row::undo_insert(work, held, record),
        Lop::DeleteRows => delete::undo_delete(work, held, record),
        Lop::ModifyRow => row::undo_modify(work, held, record),
        Lop::DeleteSplit if merge::is_front(record) => merge::undo_remove_front(work, held, record),
        Lop::DeleteSplit => split::undo_split(work, held, record),
        Lop::UndoDeleteSplit => merge::undo_append(work, held, record),
        Lop::ModifyHeader => split::undo_header(work, held, record),
        Lop::SetBits => bits::undo_bits(work, held, record),
        Lop::SetFreeSpace => bits::undo_free_space(work, held, record),
        Lop::BulkExtAllocation => bulk::undo(work, record),
        // Begin, savepoints and the like have nothing to undo.
        _ => Ok(()),
    }
}

/// One line for `fn_dblog` and `taffrail log dump`.
pub fn describe(record: &Record<'_>) -> String {
    let mut text = match record.header.op {
        Lop::FormatPage | Lop::RootChange => format::describe(record),
        Lop::InsertRows | Lop::DeleteRows | Lop::ModifyRow | Lop::ExpungeRows => {
            row::describe(record)
        }
        Lop::DeleteSplit | Lop::UndoDeleteSplit
            if merge::is_front(record)
                || (record.header.op == Lop::UndoDeleteSplit
                    && !record.header.is_compensation()) =>
        {
            merge::describe(record)
        }
        Lop::DeleteSplit | Lop::UndoDeleteSplit | Lop::ModifyHeader => split::describe(record),
        Lop::SetBits | Lop::SetFreeSpace => bits::describe(record),
        Lop::BulkExtAllocation => bulk::describe(record),
        _ => xact::describe(record),
    };
    if record.header.is_compensation() {
        text.insert_str(0, "COMPENSATION;");
    }
    text
}

/// A compensation for `record`.
pub(crate) fn compensation(record: &Record<'_>, op: Lop, context: Lcx) -> Change {
    let flags = RecordFlags::COMPENSATION;
    // A chain that ends here: ZERO means "nothing left", and so it is.
    let undo_next: LogPos = record.header.prev;
    Change { flags, undo_next, hobt: record.header.hobt, ..Change::new(op, context) }
}

/// Runs `f` on a page that is latched exclusively, here or by the caller.
pub(crate) fn on_page<R>(
    work: &mut Work,
    held: &mut [WriteGuard<'_>],
    page: PageId,
    f: impl FnOnce(&mut Work, &mut WriteGuard<'_>) -> StorageResult<R>,
) -> StorageResult<R> {
    if let Some(guard) = held.iter_mut().find(|g| g.id() == page) {
        return f(work, guard);
    }
    let db = work.db.clone();
    let mut guard = db.pool().write(&db.store, page)?;
    f(work, &mut guard)
}
