//! A page as plain bytes.
//!
//! A header of 96 bytes (drawn in docs/engineering/format.md); rows, upwards; what is free; slots, downwards from 8192: per slot u16 offset
//! (0 = empty), u16 length.
//!
//! Header fields beyond the LSN that redo does not depend on (the two transactions, the
//! reserved bytes) are kept right by redo all the same, because space decisions after restart read them.
//!
//! Room that a running transaction freed is not given to others: a deleted row stays as a ghost, and the bytes that an
//! update gave back are counted as reserved, each until the transactions that left them have ended. So undo always finds room.

mod bits;
mod copy;
mod slotted;

use taffrail_base::{HobtId, LogPos, PAGE_BYTES, PageId, TransactionId};

pub use bits::{BITMAP_BITS, PFS_ALLOCATED, PFS_PAGES, find_zero_bits};
pub(crate) use copy::PageCopy;
pub use slotted::{MAX_ROW_BYTES, SLOT_BYTES};

/// Bytes of the header.
pub const HEADER_BYTES: usize = 96;
/// Where a page says whose database's it is.
pub(crate) const DATABASE_MARK: std::ops::Range<usize> = 88..92;
/// Makes a copy of a page what a file may have: with the mark of its database, and its checksum.
pub(crate) fn seal_image(bytes: &mut [u8; PAGE_BYTES], mark: u32) {
    bytes[DATABASE_MARK].copy_from_slice(&mark.to_le_bytes());
    bytes[4..8].fill(0);
    let crc = crc32c::crc32c(&bytes[..]);
    bytes[4..8].copy_from_slice(&crc.to_le_bytes());
}

/// Flag of a page.
const MIX: u8 = 1;

/// Version of the page format.
pub const PAGE_VERSION: u8 = 1;

/// The uses of pages; the numbers are SQL Server's `m_type`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum PageType {
    /// Rows of a heap.
    Heap = 1,
    /// A page of a B+ tree, leaf or interior.
    Index = 2,
    /// A piece of a large value.
    Lob = 3,
    /// Which extents of 4 GB are free (bit set = free).
    Gam = 8,
    /// Which extents belong to a HoBt.
    Iam = 10,
    /// Which pages are allocated.
    Pfs = 11,
    /// The boot page, which describes the database.
    Boot = 13,
    /// Page 0 of a file.
    FileHeader = 15,
    /// Which extents changed since the last full backup.
    DiffMap = 16,
    /// Which extents were changed with minimal logging.
    MlMap = 17,
}

impl PageType {
    /// The type with this number.
    pub fn from_u8(v: u8) -> Option<PageType> {
        Some(match v {
            1 => PageType::Heap,
            2 => PageType::Index,
            3 => PageType::Lob,
            8 => PageType::Gam,
            10 => PageType::Iam,
            11 => PageType::Pfs,
            13 => PageType::Boot,
            15 => PageType::FileHeader,
            16 => PageType::DiffMap,
            17 => PageType::MlMap,
            _ => return None,
        })
    }

    /// Heap, index and LOB pages keep rows behind slots; the others are bitmaps or structures.
    pub fn is_slotted(self) -> bool {
        matches!(self, PageType::Heap | PageType::Index | PageType::Lob)
    }
}

/// The bytes of one page. Accessors do not check what [`Page::validate`] has.
#[repr(transparent)]
pub struct Page(pub [u8; PAGE_BYTES]);

/// How to format a page.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// The id of the page.
    pub id: PageId,
    /// The type of the page.
    pub kind: PageType,
    /// Level in a tree.
    pub level: u8,
    /// The heap or tree of the page.
    pub hobt: HobtId,
    /// Object and index, for people and messages.
    pub object: i32,
    /// The number of the index, beside `object`.
    pub index: i32,
    /// The page before it on its level.
    pub prev: PageId,
    /// The page after it on its level.
    pub next: PageId,
    /// First unit that a bitmap page stands for.
    pub first_unit: u32,
}

impl Format {
    /// A page of this type with everything else zero.
    pub fn new(id: PageId, kind: PageType) -> Format {
        Format {
            id,
            kind,
            level: 0,
            hobt: HobtId::NONE,
            object: 0,
            index: 0,
            prev: PageId::NONE,
            next: PageId::NONE,
            first_unit: 0,
        }
    }
}

macro_rules! field {
    ($(#[$doc:meta])* $get:ident, $set:ident, $t:ty, $at:expr) => {
        $(#[$doc])*
        #[inline]
        pub fn $get(&self) -> $t {
            <$t>::from_le_bytes(self.0[$at..$at + size_of::<$t>()].try_into().expect("field"))
        }
        /// Sets the field of the getter above.
        #[inline]
        pub fn $set(&mut self, v: $t) {
            self.0[$at..$at + size_of::<$t>()].copy_from_slice(&v.to_le_bytes());
        }
    };
}

impl Page {
    field!(
        /// The checksum as it is stored.
        crc, set_crc, u32, 4);
    field!(
        /// [`LogPos`] as an integer.
        lsn_raw, set_lsn_raw, u64, 8);
    field!(
        /// Slots, empty ones included.
        slots, set_slots, u16, 18);
    field!(
        /// [`HobtId`] as an integer.
        hobt_raw, set_hobt_raw, u64, 24);
    field!(
        /// Where the rows' area ends.
        free_start, set_free_start, u16, 44);
    field!(
        /// Free bytes, gaps included.
        free_bytes, set_free_bytes, u16, 46);
    field!(
        /// The number of ghosts.
        ghosts, set_ghosts, u16, 48);
    field!(
        /// Free bytes that running transactions may want back.
        reserved_bytes, set_reserved_bytes, u16, 50);
    field!(
        /// First unit of a bitmap page.
        first_unit, set_first_unit, u32, 52);
    field!(
        /// Last transaction that reserved bytes.
        reserved_txn_raw, set_reserved_txn_raw, u64, 56);
    field!(
        /// Last transaction that left a ghost.
        ghost_txn_raw, set_ghost_txn_raw, u64, 64);
    field!(
        /// The number of the object, `object_id`.
        object, set_object, i32, 72);
    field!(
        /// The number of the index, `index_id`.
        index, set_index, i32, 76);
    field!(
        /// [`crate::LobRef::id`] of the value that a LOB page holds a piece of.
        lob_id, set_lob_id, u64, 80);

    field!(
        /// Whose database's: see [`Page::mark_of`]. 0: written by format version 2 or before, or not by the buffer pool.
        database_mark, set_database_mark, u32, 88);

    /// The mark of the pages of a database of this family: the first four bytes of its GUID, but never 0. Restored copies of a
    /// database are of its family, so that a restore takes pages as they are, and pages of one are not told from the other's. A clone's
    /// pages bear the mark of its template's family.
    pub fn mark_of(family: &[u8; 16]) -> u32 {
        u32::from_le_bytes([family[0], family[1], family[2], family[3]]).max(1)
    }

    /// A page of zeroes.
    pub fn zeroed() -> Box<Page> {
        Box::new(Page([0; PAGE_BYTES]))
    }

    /// All bytes of the page.
    pub fn bytes(&self) -> &[u8; PAGE_BYTES] {
        &self.0
    }

    /// All bytes, to change.
    pub fn bytes_mut(&mut self) -> &mut [u8; PAGE_BYTES] {
        &mut self.0
    }

    /// The last record that changed the page.
    #[inline]
    pub fn lsn(&self) -> LogPos {
        LogPos(self.lsn_raw())
    }

    /// Sets the position of the last change, [`Page::lsn`].
    #[inline]
    pub fn set_lsn(&mut self, pos: LogPos) {
        self.set_lsn_raw(pos.0);
    }

    /// Whose page it is.
    #[inline]
    pub fn hobt(&self) -> HobtId {
        HobtId(self.hobt_raw())
    }

    /// The type; none for a number that names none.
    #[inline]
    pub fn kind(&self) -> Option<PageType> {
        PageType::from_u8(self.0[1])
    }

    /// 0 for leaves and everything that is not an index page.
    #[inline]
    pub fn level(&self) -> u8 {
        self.0[2]
    }

    /// True for a page of a tree that has rows.
    #[inline]
    pub fn is_leaf(&self) -> bool {
        self.0[1] == PageType::Index as u8 && self.0[2] == 0
    }

    /// True for a LOB page of which each slot is another value's: SQL Server's text mix page.
    #[inline]
    pub fn is_mix(&self) -> bool {
        self.0[1] == PageType::Lob as u8 && self.0[2] == 0 && self.0[3] & MIX != 0
    }

    /// Makes it one: right after it was formatted.
    pub fn set_mix(&mut self) {
        debug_assert!(self.kind() == Some(PageType::Lob) && self.level() == 0);
        self.0[3] |= MIX;
    }

    /// The page's own id.
    pub fn id(&self) -> PageId {
        PageId::new(self.u16_at(16), self.u32_at(20))
    }

    /// Sets [`Page::id`]: for a page that is filled before it has a place.
    pub fn set_id(&mut self, id: PageId) {
        self.put_u16(16, id.file.0);
        self.put_u32(20, id.page);
    }

    /// The page before, in key order or in a chain.
    #[inline]
    pub fn prev(&self) -> PageId {
        PageId::new(self.u16_at(32), self.u32_at(36))
    }

    /// The page after it on its level.
    #[inline]
    pub fn next(&self) -> PageId {
        PageId::new(self.u16_at(34), self.u32_at(40))
    }

    /// Sets the page before it, [`Page::prev`].
    pub fn set_prev(&mut self, p: PageId) {
        self.put_u16(32, p.file.0);
        self.put_u32(36, p.page);
    }

    /// Sets the page after it, [`Page::next`].
    pub fn set_next(&mut self, p: PageId) {
        self.put_u16(34, p.file.0);
        self.put_u32(40, p.page);
    }

    #[inline]
    fn u16_at(&self, at: usize) -> u16 {
        u16::from_le_bytes([self.0[at], self.0[at + 1]])
    }

    #[inline]
    fn u32_at(&self, at: usize) -> u32 {
        u32::from_le_bytes([self.0[at], self.0[at + 1], self.0[at + 2], self.0[at + 3]])
    }

    #[inline]
    fn put_u16(&mut self, at: usize, v: u16) {
        self.0[at..at + 2].copy_from_slice(&v.to_le_bytes());
    }

    #[inline]
    fn put_u32(&mut self, at: usize, v: u32) {
        self.0[at..at + 4].copy_from_slice(&v.to_le_bytes());
    }

    /// Zeroes the page and writes a header.
    pub fn format(&mut self, f: &Format) {
        self.0.fill(0);
        self.0[0] = PAGE_VERSION;
        self.0[1] = f.kind as u8;
        self.0[2] = f.level;
        self.put_u16(16, f.id.file.0);
        self.put_u32(20, f.id.page);
        self.set_hobt_raw(f.hobt.0);
        self.set_object(f.object);
        self.set_index(f.index);
        self.set_prev(f.prev);
        self.set_next(f.next);
        self.set_free_start(HEADER_BYTES as u16);
        self.set_free_bytes((PAGE_BYTES - HEADER_BYTES) as u16);
        self.set_first_unit(f.first_unit);
    }

    /// Makes it nobody's: without rows, and of no heap, tree or value, whatever reads it. Its number and LSN stay.
    pub fn disown(&mut self) {
        let (id, lsn) = (self.id(), self.lsn());
        self.format(&Format::new(id, PageType::Lob));
        self.set_lsn(lsn);
    }

    /// Notes that `txn` left a ghost.
    #[inline]
    pub fn note_ghost(&mut self, txn: TransactionId) {
        if txn.0 > self.ghost_txn_raw() {
            self.set_ghost_txn_raw(txn.0);
        }
    }

    /// Notes that `txn` gave `bytes` back that it may want again.
    pub fn reserve(&mut self, txn: TransactionId, bytes: u16) {
        // Never more than is free: what is not free cannot be kept free.
        let all = self.reserved_bytes().saturating_add(bytes).min(self.free_bytes());
        self.set_reserved_bytes(all);
        if txn.0 > self.reserved_txn_raw() {
            self.set_reserved_txn_raw(txn.0);
        }
    }

    /// Undo took `bytes` of the reserved room.
    pub fn unreserve(&mut self, bytes: u16) {
        self.set_reserved_bytes(self.reserved_bytes().saturating_sub(bytes));
    }

    /// Computes and stores the checksum: the last thing before a write.
    pub fn seal(&mut self) {
        self.set_crc(0);
        let crc = crc32c::crc32c(&self.0);
        self.set_crc(crc);
    }

    /// Checks what came from the disk: checksum, address, and every offset that later code relies on.
    pub fn validate(&mut self, id: PageId) -> Result<(), String> {
        let stored = self.crc();
        self.set_crc(0);
        let actual = crc32c::crc32c(&self.0);
        self.set_crc(stored);
        if stored != actual {
            return Err(format!(
                "incorrect checksum (expected: {stored:#010x}; actual: {actual:#010x})"
            ));
        }
        if self.id() != id {
            return Err(format!(
                "incorrect pageid (expected {}:{}; actual {}:{})",
                id.file,
                id.page,
                self.id().file,
                self.id().page
            ));
        }
        self.validate_structure()
    }

    /// The same, and that the page is not another database's; `mark` 0: any.
    pub fn validate_of(&mut self, id: PageId, mark: u32) -> Result<(), String> {
        self.validate(id)?;
        if !self.is_of(mark) {
            let actual = self.database_mark();
            return Err(format!(
                "page of another database (expected {mark:#010x}; actual {actual:#010x})"
            ));
        }
        Ok(())
    }

    /// True unless the page says that it is another database's; `mark` 0: any.
    #[inline]
    pub fn is_of(&self, mark: u32) -> bool {
        let actual = self.database_mark();
        mark == 0 || actual == 0 || actual == mark
    }

    /// The part of [`Page::validate`] that does not depend on address and checksum.
    pub fn validate_structure(&self) -> Result<(), String> {
        if self.0[0] != PAGE_VERSION {
            return Err(format!("unknown page version {}", self.0[0]));
        }
        let Some(kind) = self.kind() else {
            return Err(format!("unknown page type {}", self.0[1]));
        };
        if kind.is_slotted() { self.validate_slots() } else { Ok(()) }
    }
}
