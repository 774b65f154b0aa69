//! Identifiers of things on disk and in memory. Each is a type of its own, so that a wrong one does not compile.

use std::fmt;

/// Bytes of a data page.
pub const PAGE_BYTES: usize = 8192;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident($inner:ty)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
        pub struct $name(pub $inner);
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

id! {
    /// A database's number within the instance: 1 master, 2 tempdb, 3 model, 4 msdb, users from 5.
    DatabaseId(u16)
}
id! {
    /// A file's number within its database: 1 the primary data file, 2 the first log file.
    FileId(u16)
}
id! {
    /// `object_id` of the catalogue views.
    ObjectId(i32)
}
id! {
    /// `schema_id` of the catalogue views: 1 dbo, 4 sys.
    SchemaId(i32)
}
id! {
    /// `index_id` of the catalogue views: 0 heap, 1 clustered, from 2 nonclustered.
    IndexId(i32)
}
id! {
    /// A heap or B+ tree (`hobt_id`, and the one partition's `partition_id`).
    HobtId(u64)
}
id! {
    /// `session_id`; user sessions start at 51.
    SessionId(u16)
}

impl HobtId {
    /// No heap or B+ tree: records and pages that belong to none.
    pub const NONE: HobtId = HobtId(0);
}

/// A transaction's number: 48 bits, shown `hhhh:llllllll`. Only grows within a database, also over restarts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct TransactionId(pub u64);

impl TransactionId {
    /// The id of work outside any transaction.
    pub const NONE: TransactionId = TransactionId(0);
}

impl fmt::Display for TransactionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04x}:{:08x}", (self.0 >> 32) & 0xffff, self.0 & 0xffff_ffff)
    }
}

/// A page: file number and page number in that file. Shown `0001:0000004f` as in `fn_dblog`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct PageId {
    /// The number of the file.
    pub file: FileId,
    /// The page's number within the file, from 0.
    pub page: u32,
}

impl PageId {
    /// The id that stands for no page.
    pub const NONE: PageId = PageId { file: FileId(0), page: 0 };

    /// A page of a file.
    pub const fn new(file: u16, page: u32) -> PageId {
        PageId { file: FileId(file), page }
    }

    /// Whether the id is [`PageId::NONE`].
    pub fn is_none(self) -> bool {
        self == PageId::NONE
    }

    /// Six bytes as an integer, for atomics and for the disk: file in bits 32–47, page below.
    pub const fn to_u64(self) -> u64 {
        ((self.file.0 as u64) << 32) | self.page as u64
    }

    /// The inverse of [`PageId::to_u64`].
    pub const fn from_u64(v: u64) -> PageId {
        PageId { file: FileId((v >> 32) as u16), page: v as u32 }
    }

    /// Where the page lies in its file, in bytes.
    pub const fn file_offset(self) -> u64 {
        self.page as u64 * PAGE_BYTES as u64
    }
}

impl fmt::Display for PageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04x}:{:08x}", self.file.0, self.page)
    }
}
