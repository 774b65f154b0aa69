//! Heaps, B+ trees and LOB chains.
use taffrail_base::{HobtId, IndexId, ObjectId, PageId};

pub mod btree;
pub mod heap;
pub mod lob;

/// What a HoBt is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum HobtKind {
    /// Rows wherever there is room, named by [`Rid`].
    Heap = 0,
    /// Entries in order of unique keys.
    BTree = 1,
}

/// A row of a heap.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Rid {
    /// The page.
    pub page: PageId,
    /// The slot on it.
    pub slot: u16,
}

impl Rid {
    /// Eight bytes that sort as they are.
    pub fn to_bytes(self) -> [u8; 8] {
        ((self.page.to_u64() << 16) | u64::from(self.slot)).to_be_bytes()
    }

    /// The inverse.
    pub fn from_bytes(b: [u8; 8]) -> Rid {
        let v = u64::from_be_bytes(b);
        Rid { page: PageId::from_u64(v >> 16), slot: v as u16 }
    }
}

/// What a read locks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScanLocks {
    /// Nothing: READ UNCOMMITTED, or the table is locked.
    None,
    /// S for the moment of the read, where somebody could be writing.
    ReadCommitted,
    /// U on each row, kept to the transaction's end.
    Update,
    /// X on each row, kept.
    Exclusive,
    /// S on each row, kept.
    Shared,
}

/// Ascending or descending.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// By ascending key.
    Forward,
    /// By descending key.
    Backward,
}

/// A range of keys: `lower` ≤ key (or <, if exclusive) and key < `upper` (or ≤, if inclusive).
#[derive(Clone, Default, Debug)]
pub struct KeyRange {
    /// None = from the first.
    pub lower: Option<Vec<u8>>,
    /// The lower bound itself is outside.
    pub lower_exclusive: bool,
    /// None = to the last.
    pub upper: Option<Vec<u8>>,
    /// The upper bound itself is inside.
    pub upper_inclusive: bool,
}

/// A large value: its first page and its length.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LobRef {
    /// The first page of the chain.
    pub first: PageId,
    /// Bytes.
    pub length: u64,
}

impl LobRef {
    /// Bytes of the encoded form.
    pub const BYTES: usize = 16;
}

/// For `sp_spaceused` and `sys.dm_db_partition_stats`: pages, counted when asked.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct SpaceUsed {
    /// Rows.
    pub rows: u64,
    /// Pages of allocated extents.
    pub reserved_pages: u64,
    /// Pages in use, IAM pages included.
    pub used_pages: u64,
    /// Of these, IAM pages; the rest holds rows, separators or large values.
    pub iam_pages: u64,
}

/// A heap or B+ tree at run time: shared by all who use it.
pub struct Hobt {
    _private: (),
}

#[allow(missing_docs)]
impl Hobt {
    pub fn id(&self) -> HobtId {
        todo!()
    }
    pub fn kind(&self) -> HobtKind {
        todo!()
    }
    pub fn object(&self) -> ObjectId {
        todo!()
    }
    pub fn index(&self) -> IndexId {
        todo!()
    }
    /// Rows, committed or not.
    pub fn row_count(&self) -> u64 {
        todo!()
    }
}
