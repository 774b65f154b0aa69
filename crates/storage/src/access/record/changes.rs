//! What records do to rows, for those who read the log to tell of rows instead of pages.
//!
//! Rows and keys stay bytes. What is on a page in a slot is told apart by [`Stored`].

use taffrail_base::{HobtId, LogPos, ObjectId, PageId};
use taffrail_log::{Lcx, Lop, Record, RecordFlags};

use super::delete::deleted_row;
use super::row::{HEAP, LEAF, MOVED, modified};
use crate::access::directory::{self, Entry};
use crate::access::lob::{Content, content, parts};
use crate::access::node::{FORWARDED, FORWARDING, GHOST, split_entry};
use crate::access::{HobtKind, LobRef, Rid, heap};
use crate::layout::DIRECTORY;
use crate::page::Page;

/// The change that a record made of a slot of a heap or of a leaf. Rows are as they lie there: see
/// [`Stored`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RowChange<'a> {
    /// The row was put there.
    Inserted(&'a [u8]),
    /// It became a ghost; before that it was this.
    Deleted(&'a [u8]),
    /// It became a ghost; the record, of format version 2 or before, does not hold it. A leaf's key.
    DeletedUnseen(&'a [u8]),
    /// Some bytes of the row were replaced.
    Modified {
        /// The offset of the first replaced byte.
        at: usize,
        /// The bytes before the change.
        before: &'a [u8],
        /// The bytes after the change.
        after: &'a [u8],
        /// The key; empty in a heap.
        key: &'a [u8],
    },
}

/// The change that a record of the forward way made of a row, and whether in a heap (else in a leaf
/// of a tree). Compensations have none: they take back the records down to `undo_next`.
pub fn row_change<'a>(r: &Record<'a>) -> Option<(bool, RowChange<'a>)> {
    let h = &r.header;
    if h.is_compensation() {
        return None;
    }
    let heap = match h.context {
        Lcx::Heap => true,
        Lcx::Clustered | Lcx::IndexLeaf => false,
        Lcx::MarkAsGhost if h.op == Lop::DeleteRows => match *r.payload.first()? {
            HEAP | MOVED => true,
            LEAF => false,
            _ => return None,
        },
        _ => return None,
    };
    let change = match h.op {
        Lop::InsertRows => RowChange::Inserted(r.payload),
        Lop::DeleteRows => match deleted_row(r) {
            Some(row) => RowChange::Deleted(row),
            None => RowChange::DeletedUnseen(r.payload.get(1..)?),
        },
        Lop::ModifyRow => {
            let (at, before, after, key) = modified(r)?;
            RowChange::Modified { at, before, after, key }
        }
        _ => return None,
    };
    Some((heap, change))
}

/// The records of its own transaction that a compensation has taken back, it and those before it: all between these two.
pub fn taken_back(r: &Record<'_>) -> Option<(LogPos, LogPos)> {
    r.header.is_compensation().then_some((r.header.undo_next, r.pos))
}

/// The things that lie in slots.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stored<'a> {
    /// A row of a heap.
    Row(&'a [u8]),
    /// The stub that a row of a heap leaves when it moves: its place now.
    Stub(Rid),
    /// A row of a heap that has moved, and where its stub is.
    Moved(Rid, &'a [u8]),
    /// A leaf's entry: its key, and the row or what else the tree holds.
    Entry(&'a [u8], &'a [u8]),
}

impl<'a> Stored<'a> {
    /// Reads the bytes of a slot.
    pub fn of(heap: bool, bytes: &'a [u8]) -> Option<Stored<'a>> {
        let flags = *bytes.first()?;
        Some(match heap {
            false => {
                let (key, row) = split_entry(bytes);
                Stored::Entry(key, row)
            }
            true if flags & FORWARDING != 0 => Stored::Stub(heap::pointer(bytes)?),
            true if flags & FORWARDED != 0 => {
                Stored::Moved(heap::pointer(bytes)?, heap::decode(bytes))
            }
            true => Stored::Row(heap::decode(bytes)),
        })
    }
}

/// The bytes of a slot are those of a deleted row.
pub fn is_ghost(bytes: &[u8]) -> bool {
    bytes.first().is_some_and(|f| f & GHOST != 0)
}

/// The change that a record made of a heap or tree as a whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HobtChange {
    /// The heap or tree was made.
    Created,
    /// The heap or tree is gone.
    Dropped,
    /// All its rows are gone.
    Emptied,
}

/// A heap or tree, as the directory knows it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HobtFacts {
    /// The number of the heap or tree.
    pub hobt: HobtId,
    /// The object that it belongs to.
    pub object: ObjectId,
    /// Of which index: 0 a heap, 1 the clustered index.
    pub index: i32,
    /// It is a heap.
    pub heap: bool,
}

/// The change that a record made of a heap or tree as a whole, and which one that is.
pub fn hobt_change(r: &Record<'_>) -> Option<(HobtChange, HobtFacts)> {
    if r.header.hobt != DIRECTORY {
        return None;
    }
    let (_, change) = row_change(r)?;
    let read = |bytes| {
        let (key, value) = split_entry(bytes);
        Some((directory::hobt_of_key(key)?, Entry::decode(value)?))
    };
    let facts = |(hobt, e): (HobtId, Entry)| HobtFacts {
        hobt,
        object: e.object,
        index: e.index.0,
        heap: e.kind == HobtKind::Heap,
    };
    match change {
        RowChange::Inserted(entry) => Some((HobtChange::Created, facts(read(entry)?))),
        RowChange::Deleted(entry) => Some((HobtChange::Dropped, facts(read(entry)?))),
        // Entries of the directory are logged whole.
        RowChange::Modified { at: 0, before, after, .. } => {
            let (old, new) = (read(before)?, read(after)?);
            let emptied = !old.1.root.is_none() && new.1.root.is_none();
            emptied.then(|| (HobtChange::Emptied, facts(new)))
        }
        _ => None,
    }
}

/// A page of rows that a load has filled and logged as a whole; splits and their like do not count.
pub fn is_loaded_page(r: &Record<'_>) -> bool {
    let image = RecordFlags::PAGE_IMAGE.with(RecordFlags::REDO_ONLY);
    r.header.op == Lop::FormatPage
        && matches!(r.header.context, Lcx::Heap | Lcx::Clustered)
        && r.header.flags.contains(image)
        && !r.header.is_compensation()
}

/// The page that a record formats anew: what lay in its slots is gone.
pub fn formatted(r: &Record<'_>) -> Option<PageId> {
    (r.header.op == Lop::FormatPage).then_some(r.header.page)
}

/// The rows of a page that a load has logged, by their slots; false: the record is damaged.
pub fn loaded_rows(r: &Record<'_>, mut row: impl FnMut(u16, &[u8])) -> bool {
    let mut page = Page::zeroed();
    if page.restore(r.payload).is_err() {
        return false;
    }
    // Pages above the leaves.
    if page.level() > 0 {
        return true;
    }
    for slot in 0..usize::from(page.slots()) {
        if page.has_row(slot) {
            row(slot as u16, page.row(slot));
        }
    }
    true
}

/// How many rows a load added whose pages are not logged, and to what.
pub fn minimally_logged(r: &Record<'_>) -> Option<i64> {
    super::bulk::unlogged_rows(r)
}

/// The content of a page of a large value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LargePage {
    /// Bytes of the value.
    Piece(Vec<u8>),
    /// References to the pages below, in order.
    Node(Vec<LobRef>),
}

/// The page that a reference leads to, if this is the record that filled it, or that put a small value there. Its identity is the position
/// of a record of the same transaction not far before. Values of format version 3 and before have none on more than one page.
pub fn large_page(r: &Record<'_>, lob: LobRef) -> Option<LargePage> {
    let h = &r.header;
    if h.op == Lop::InsertRows && h.context == Lcx::TextMix && h.page == lob.first {
        let (id, bytes) = parts(r.payload)?;
        let it = id == lob.id && bytes.len() as u64 == lob.length && !h.is_compensation();
        return it.then(|| LargePage::Piece(bytes.to_vec()));
    }
    if h.op != Lop::FormatPage || h.context != Lcx::TextMix || h.page != lob.first {
        return None;
    }
    let mut page = Page::zeroed();
    page.restore(r.payload).ok()?;
    match content(&page, h.hobt, lob.id)? {
        Content::Piece(piece) if piece.len() as u64 == lob.length => {
            Some(LargePage::Piece(piece.to_vec()))
        }
        Content::Node(node) if node.length() == lob.length => {
            Some(LargePage::Node(node.iter().collect()))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::node::entry_header;
    use taffrail_log::RecordHeader;

    #[test]
    fn changes_of_rows_are_read_as_they_are_written() {
        let entry = [&entry_header(0, b"key")[..], b"key", b"value"].concat();
        let of = |op, context, flags, payload| {
            let header = RecordHeader { flags, ..RecordHeader::new(op, context) };
            Record { pos: LogPos(513), header, payload }
        };
        let insert = of(Lop::InsertRows, Lcx::Clustered, RecordFlags::NONE, &entry);
        assert_eq!(row_change(&insert), Some((false, RowChange::Inserted(&entry))));
        assert_eq!(Stored::of(false, &entry), Some(Stored::Entry(b"key", b"value")));
        let payload = [&[LEAF][..], &entry].concat();
        let delete = of(Lop::DeleteRows, Lcx::MarkAsGhost, RecordFlags::USER_1, &payload);
        assert_eq!(row_change(&delete), Some((false, RowChange::Deleted(&entry))));
        let old = of(Lop::DeleteRows, Lcx::MarkAsGhost, RecordFlags::NONE, b"\x01key");
        assert_eq!(row_change(&old), Some((false, RowChange::DeletedUnseen(b"key"))));
        let undo = of(Lop::InsertRows, Lcx::MarkAsGhost, RecordFlags::COMPENSATION, b"\x01");
        assert_eq!(row_change(&undo), None);
        assert_eq!(taken_back(&undo), Some((LogPos(0), LogPos(513))));
        let rid = Rid { page: PageId::new(1, 77), slot: 3 };
        let stub = heap::encode(FORWARDING, &[&rid.to_bytes()]);
        assert_eq!(Stored::of(true, &stub), Some(Stored::Stub(rid)));
        let moved = heap::encode(FORWARDED, &[&rid.to_bytes(), b"a row"]);
        assert_eq!(Stored::of(true, &moved), Some(Stored::Moved(rid, b"a row")));
        assert_eq!(Stored::of(true, &[]), None);
    }
}
