//! Heaps, B+ trees and large values; the directory that says where they are; and every log record about them.
//!
//! ```text
//! record     every log record: encoding, redo, undo, description
//! node       rows and entries as bytes
//! directory  HobtId → kind, root, first IAM page, row count; and what is to be dropped after commit
//! filelist   the database's files, rows of the directory
//! btree      search, insert, update, delete;  smo  splits;  cursor  scans;  build  sorted bulk loads;  cleanup  ghosts
//! gap        the key that comes next, and whether another may be put before it
//! reorganize leaves merged and put in order beside ordinary work;  stats  how full and how scattered pages are
//! heap, lob
//! room       what rollbacks, deletions and restarts leave, found before a file grows or is full;  full  what others have left
//! bulk       pages filled in memory, for loads and index builds;  bulk_space  their extents, the ML map, who may log less
//! ```

use std::sync::atomic::{AtomicI64, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use taffrail_base::sync::Mutex;
use taffrail_base::{HobtId, IndexId, ObjectId, PageId};
use taffrail_log::Lcx;
use taffrail_log::fair::{RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::alloc::Space;
use crate::buffer::{BufferPool, Pin, ReadGuard, Store, WriteGuard, seen};
use crate::database::Database;
use crate::lock::Resource;
use crate::versions::TreeVersions;
use operations::Operations;

pub(crate) mod awaited;
pub mod btree;
mod build;
mod bulk;
pub(crate) mod bulk_space;
mod claim;
pub(crate) mod cleanup;
mod cursor;
pub(crate) mod directory;
pub(crate) mod filelist;
pub(crate) mod free_space;
pub(crate) mod full;
pub(crate) mod gap;
pub mod heap;
mod heap_cursor;
pub mod lob;
pub(crate) mod node;
pub mod now;
pub(crate) mod operations;
pub mod record;
mod reorganize;
mod reorganize_step;
pub(crate) mod sample;
mod smo;
pub mod stats;

pub(crate) use directory::Entry;

/// The kinds of HoBts: heap or B+ tree.
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
    /// The page of the row.
    pub page: PageId,
    /// The slot on it.
    pub slot: u16,
}

impl Rid {
    /// Eight bytes that sort as they are.
    pub fn to_bytes(self) -> [u8; 8] {
        ((self.page.to_u64() << 16) | u64::from(self.slot)).to_be_bytes()
    }

    /// Reads the bytes that `to_bytes` has written.
    pub fn from_bytes(b: [u8; 8]) -> Rid {
        let v = u64::from_be_bytes(b);
        Rid { page: PageId::from_u64(v >> 16), slot: v as u16 }
    }
}

/// The locks that a read takes on rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScanLocks {
    /// Nothing: READ UNCOMMITTED, or the table is locked.
    None,
    /// No locks: rows as the transaction's snapshot shows them, and its own changes.
    Versions,
    /// S for the moment of the read, where somebody could be writing.
    ReadCommitted,
    /// U on each row, kept to the transaction's end.
    Update,
    /// X on each row, kept.
    Exclusive,
    /// S on each row, kept.
    Shared,
    /// Of a tree, RangeS-S on each key of the range and on the next one behind it, kept: nobody inserts into the range.
    RangeShared,
    /// As RangeShared, with RangeS-U.
    RangeUpdate,
    /// As RangeShared, with RangeX-X.
    RangeExclusive,
}

/// The direction in which a range is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// The order of ascending keys.
    Forward,
    /// The order of descending keys.
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

impl KeyRange {
    /// True if the key is in it.
    pub fn contains(&self, key: &[u8]) -> bool {
        let above = self.lower.as_deref().is_none_or(|l| match self.lower_exclusive {
            true => key > l,
            false => key >= l,
        });
        let below = self.upper.as_deref().is_none_or(|u| match self.upper_inclusive {
            true => key <= u,
            false => key < u,
        });
        above && below
    }
}

/// A large value, or a part of one: the page that it is on or that leads to it, its length, and which of all that this page has ever held.
///
/// ```text
/// u64  bits 0–47 the page,       48–63 the identity's bits 0–15
/// u64  bits 0–31 the length,     32–63 the identity's bits 16–47
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LobRef {
    /// The page to begin at.
    pub first: PageId,
    /// The number that is on that page, and on none of another value's: see [`lob`]. 48 bits.
    pub id: u64,
    /// The length of the value, bytes.
    pub length: u64,
}

impl LobRef {
    /// Bytes of the encoded form.
    pub const BYTES: usize = 16;
    /// The bytes of the longest value.
    pub const MAX_LENGTH: u64 = u32::MAX as u64;
    /// The highest identity that fits.
    pub const MAX_ID: u64 = (1 << 48) - 1;

    /// The reference as a row stores it.
    pub fn to_bytes(self) -> [u8; Self::BYTES] {
        let mut b = [0; Self::BYTES];
        debug_assert!(self.id <= Self::MAX_ID && self.length <= Self::MAX_LENGTH);
        b[..8].copy_from_slice(&(self.first.to_u64() | self.id << 48).to_le_bytes());
        b[8..].copy_from_slice(&(self.length | self.id >> 16 << 32).to_le_bytes());
        b
    }

    /// Reads the bytes that `to_bytes` has written.
    pub fn from_bytes(b: [u8; Self::BYTES]) -> LobRef {
        let half = |at: usize| u64::from_le_bytes(b[at..at + 8].try_into().expect("eight bytes"));
        let (low, high) = (half(0), half(8));
        LobRef {
            first: PageId::from_u64(low),
            id: low >> 48 | high >> 32 << 16,
            length: high & Self::MAX_LENGTH,
        }
    }
}

/// For `sp_spaceused` and `sys.dm_db_partition_stats`: pages, counted when asked.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct SpaceUsed {
    /// The number of rows.
    pub rows: u64,
    /// Pages of allocated extents.
    pub reserved_pages: u64,
    /// Pages in use, IAM pages included.
    pub used_pages: u64,
    /// Of these, IAM pages; the rest holds rows, separators or large values.
    pub iam_pages: u64,
}

const COUNT_UNKNOWN: i64 = i64::MIN;

/// Bits of a [`PageId`].
const PAGE_BITS: u32 = 48;
const PAGE_MASK: u64 = (1 << PAGE_BITS) - 1;

/// Without a page there is no room to be found.
fn free_space_of(entry: &Entry) -> free_space::FreeSpace {
    if entry.root.is_none() {
        free_space::FreeSpace::default()
    } else {
        free_space::FreeSpace::unknown(entry.kind)
    }
}

fn mixed_room_of(entry: &Entry) -> lob::MixedRoom {
    if entry.root.is_none() { lob::MixedRoom::default() } else { lob::MixedRoom::unknown() }
}

/// A heap or B+ tree at run time: shared by all who use it.
///
/// Roots and hints are atomics, because every row operation reads them; they change in DDL, under Sch-M, and when the first
/// page is allocated. A hint is only ever a guess: it is checked against the page under its latch. A page that has become free need not
/// show that, so every change of the structure makes all hints void ([`Hobt::structure_changes`]); what takes extents away forgets where
/// there was room, too ([`Hobt::forget_hints`], [`Hobt::reset`]).
///
/// Invariant of the row count: whoever holds `counting` exclusively finds in `rows` what all records so far that are
/// about rows of this HoBt
/// add up to. So a count that is written into the directory meanwhile is right as of its own record.
pub struct Hobt {
    id: HobtId,
    kind: HobtKind,
    object: ObjectId,
    index: IndexId,
    root: AtomicU64,
    first_iam: AtomicU64,
    rows: AtomicI64,
    /// Held shared from a record that changes the number of rows to [`Hobt::add_rows`]: no latch is waited for in between.
    counting: RwLock<()>,
    /// The row count in the directory; [`COUNT_UNKNOWN`]: rows came or went since it was written.
    counted: AtomicI64,
    /// The frame that the root was in.
    root_frame: AtomicU32,
    /// The leaf, or heap page, that was written to last: bits 0–47; above them those of `structure` as they were under its latch.
    hot_page: AtomicU64,
    hot_frame: AtomicU32,
    /// Raised by every change of the structure before its first record, under the latches of the pages that it takes rows or links from,
    /// and by the undo of every page made: hints of before are void.
    structure: AtomicU64,
    /// How often [`reorganize`] has moved rows to the left, or a leaf to another page: whoever goes from a leaf to its neighbour without
    /// holding a latch looks whether the number is still the same.
    moves: AtomicU64,
    /// Transactions that may hold locks on ranges of keys: see [`gap`].
    guards: AtomicU32,
    /// Where there may be room before a new page is allocated.
    pub(crate) room: Mutex<free_space::FreeSpace>,
    /// The text mix pages with room for small values.
    pub(crate) mixed: Mutex<lob::MixedRoom>,
    pub(crate) space: Mutex<Space>,
    /// Pages whose allocation was undone while somebody held `space`: see [`crate::freelist`].
    pub(crate) undone: Mutex<Vec<PageId>>,
    object_lock: Resource,
    operations: Arc<Operations>,
    /// The versions of its rows.
    versions: OnceLock<Arc<TreeVersions>>,
}

impl Hobt {
    pub(crate) fn new(db: &Arc<Database>, id: HobtId, entry: &Entry) -> Hobt {
        let versions = OnceLock::new();
        if let Some(known) = db.versions.known(id) {
            let _ = versions.set(known);
        }
        Hobt {
            id,
            versions,
            kind: entry.kind,
            object: entry.object,
            index: entry.index,
            root: AtomicU64::new(entry.root.to_u64()),
            first_iam: AtomicU64::new(entry.first_iam.to_u64()),
            rows: AtomicI64::new(entry.rows as i64),
            counting: RwLock::new(()),
            counted: AtomicI64::new(entry.rows as i64),
            root_frame: AtomicU32::new(u32::MAX),
            hot_page: AtomicU64::new(0),
            hot_frame: AtomicU32::new(u32::MAX),
            structure: AtomicU64::new(0),
            moves: AtomicU64::new(0),
            guards: AtomicU32::new(0),
            room: Mutex::new(free_space_of(entry)),
            mixed: Mutex::new(mixed_room_of(entry)),
            space: Mutex::default(),
            undone: Mutex::default(),
            object_lock: Resource::object(db.id(), entry.object),
            operations: Arc::default(),
        }
    }

    /// The number of the heap or tree, `hobt_id`.
    pub fn id(&self) -> HobtId {
        self.id
    }

    /// The kind: heap or tree.
    pub fn kind(&self) -> HobtKind {
        self.kind
    }

    /// The object it belongs to.
    pub fn object(&self) -> ObjectId {
        self.object
    }

    /// 0 for a heap, 1 for a clustered index, others for nonclustered ones.
    pub fn index(&self) -> IndexId {
        self.index
    }

    /// The operations on it since it was opened, by transactions that have ended.
    pub fn operations(&self) -> &Arc<Operations> {
        &self.operations
    }

    /// Rows, committed or not.
    pub fn row_count(&self) -> u64 {
        self.rows.load(Ordering::Relaxed).max(0) as u64
    }

    /// Before a record that changes the number of rows; kept until [`Hobt::add_rows`] is called.
    #[inline]
    pub(crate) fn counting(&self) -> RwLockReadGuard<'_, ()> {
        self.counting.read()
    }

    /// While the number of rows is written into the directory. Taken after [`Database::counts`], before any latch.
    pub(crate) fn count_stands(&self) -> RwLockWriteGuard<'_, ()> {
        self.counting.write()
    }

    /// The row count, if it may have changed since it was last taken. The caller holds [`Hobt::count_stands`].
    pub(crate) fn take_changed_count(&self) -> Option<u64> {
        let rows = self.rows.load(Ordering::Relaxed);
        (self.counted.swap(rows, Ordering::Relaxed) != rows).then_some(rows.max(0) as u64)
    }

    /// The directory does not have the row count.
    pub(crate) fn counts_changed(&self) {
        self.counted.store(COUNT_UNKNOWN, Ordering::Relaxed);
    }

    pub(crate) fn add_rows(&self, delta: i64) {
        self.rows.fetch_add(delta, Ordering::Relaxed);
        // Even if the number is the same again in the end: redo may begin in between.
        if self.counted.load(Ordering::Relaxed) != COUNT_UNKNOWN {
            self.counts_changed();
        }
    }

    /// True if it has ever had a page (since it was made or truncated).
    pub fn has_pages(&self) -> bool {
        !self.root().is_none()
    }

    pub(crate) fn root(&self) -> PageId {
        PageId::from_u64(self.root.load(Ordering::Acquire))
    }

    pub(crate) fn first_iam(&self) -> PageId {
        PageId::from_u64(self.first_iam.load(Ordering::Acquire))
    }

    /// The directory says that root and IAM chain are elsewhere now.
    pub(crate) fn set_place(&self, root: PageId, first_iam: PageId) {
        self.structure_changes();
        self.hot_page.store(0, Ordering::Release);
        self.first_iam.store(first_iam.to_u64(), Ordering::Release);
        self.root.store(root.to_u64(), Ordering::Release);
    }

    pub(crate) fn reset(&self, entry: &Entry) {
        let moved = entry.root != self.root();
        self.rows.store(entry.rows as i64, Ordering::Relaxed);
        self.counts_changed();
        if moved {
            *self.room.lock() = free_space_of(entry);
            *self.mixed.lock() = mixed_room_of(entry);
            let mut space = self.space.lock();
            *space = Space::default();
            self.undone.lock().clear();
            drop(space);
            self.set_place(entry.root, entry.first_iam);
        }
    }

    /// Extents have been taken from it again, by undo of what gave them to it: hints may be of pages in them, which still look like its
    /// own. Nobody else has a hint in his hand: whoever gave it the extents holds X or Sch-M on the object until its undo is done.
    pub(crate) fn forget_hints(&self) {
        self.structure_changes();
        self.hot_page.store(0, Ordering::Release);
        *self.room.lock() = free_space::FreeSpace::unknown(self.kind);
        *self.mixed.lock() = lob::MixedRoom::unknown();
    }

    /// Read under the latch of a leaf.
    pub(crate) fn moves(&self) -> u64 {
        self.moves.load(Ordering::Acquire)
    }

    /// Rows or leaves move; the latches of all pages concerned are held exclusively.
    pub(crate) fn note_move(&self) {
        self.moves.fetch_add(1, Ordering::AcqRel);
    }

    /// True if anybody may hold a lock on a range of keys. Asked under the exclusive latch of the leaf concerned.
    #[inline]
    pub(crate) fn is_guarded(&self) -> bool {
        self.guards.load(Ordering::Acquire) > 0
    }

    /// The context of records about its leaves or rows.
    pub(crate) fn leaf_context(&self) -> Lcx {
        match (self.kind, self.index.0) {
            (HobtKind::Heap, _) => Lcx::Heap,
            (HobtKind::BTree, 0 | 1) => Lcx::Clustered,
            _ => Lcx::IndexLeaf,
        }
    }

    /// The versions of its rows, if there are any. Asked under the latch of the page concerned.
    #[inline]
    pub(crate) fn versions(&self) -> Option<&TreeVersions> {
        self.versions.get().filter(|v| !v.is_quiet()).map(|v| &**v)
    }

    /// The versions of its rows, for whoever is about to change one.
    pub(crate) fn versions_of(&self, db: &Database) -> &Arc<TreeVersions> {
        match self.versions.get() {
            Some(versions) => versions,
            None => {
                // Asked before: nobody waits for the cell while somebody in it waits for a mutex.
                let versions = db.versions.of(self, &db.instance().snapshots);
                self.versions.get_or_init(|| versions)
            }
        }
    }

    pub(crate) fn object_lock(&self) -> &Resource {
        &self.object_lock
    }

    /// Makes hints of where pages are void: see `structure`.
    pub(crate) fn structure_changes(&self) {
        self.structure.fetch_add(1, Ordering::AcqRel);
    }

    /// The page written to last, under its exclusive latch, if it is still where it was and the structure has not changed since.
    #[inline]
    pub(crate) fn hot<'p>(&self, pool: &'p BufferPool, store: &Store) -> Option<WriteGuard<'p>> {
        let structure = self.structure.load(Ordering::Acquire);
        let hot = self.hot_page.load(Ordering::Relaxed);
        if hot >> PAGE_BITS != structure & (u64::MAX >> PAGE_BITS) {
            return None;
        }
        let page = PageId::from_u64(hot & PAGE_MASK);
        let guard = pool.hinted(store, page, self.hot_frame.load(Ordering::Relaxed))?.write();
        let guard = seen(store, guard);
        // Asked again under the latch, which may have been waited for.
        (self.structure.load(Ordering::Acquire) == structure).then_some(guard)
    }

    /// How often the structure has changed, for [`Hobt::unmoved`]. The caller holds the latch of a page that it has found by more
    /// than a hint.
    #[inline]
    pub(crate) fn structure(&self) -> u64 {
        self.structure.load(Ordering::Acquire)
    }

    /// A page under its shared latch, if it is still in that frame and the structure has not changed since it was `structure`.
    #[inline]
    pub(crate) fn unmoved<'p>(
        &self,
        db: &'p Database,
        page: PageId,
        frame: u32,
        structure: u64,
    ) -> Option<ReadGuard<'p>> {
        let guard = seen(&db.store, db.pool().hinted(&db.store, page, frame)?.read());
        (self.structure() == structure).then_some(guard)
    }

    /// The page as a hint. The caller holds its latch, and has found it where it is by more than a hint.
    fn hint(&self, page: PageId) -> u64 {
        page.to_u64() | self.structure.load(Ordering::Acquire) << PAGE_BITS
    }

    #[inline]
    pub(crate) fn set_hot(&self, page: PageId, frame: u32) {
        let hint = self.hint(page);
        if self.hot_page.load(Ordering::Relaxed) != hint
            || self.hot_frame.load(Ordering::Relaxed) != frame
        {
            self.hot_frame.store(frame, Ordering::Relaxed);
            self.hot_page.store(hint, Ordering::Relaxed);
        }
    }

    /// As [`Self::set_hot`], for a heap; gives the page that it was before, if it was another.
    pub(crate) fn swap_hot(&self, page: PageId, frame: u32) -> Option<PageId> {
        let hint = self.hint(page);
        self.hot_frame.store(frame, Ordering::Relaxed);
        if self.hot_page.load(Ordering::Relaxed) == hint {
            return None;
        }
        let old = PageId::from_u64(self.hot_page.swap(hint, Ordering::Relaxed) & PAGE_MASK);
        (!old.is_none() && old != page).then_some(old)
    }

    /// The hint as it is kept.
    #[cfg(test)]
    pub(crate) fn kept_hint(&self) -> (u64, u32) {
        (self.hot_page.load(Ordering::Relaxed), self.hot_frame.load(Ordering::Relaxed))
    }

    /// The opposite: whatever has happened since.
    #[cfg(test)]
    pub(crate) fn keep_hint(&self, (page, frame): (u64, u32)) {
        self.hot_frame.store(frame, Ordering::Relaxed);
        self.hot_page.store(page, Ordering::Relaxed);
    }

    /// Pins the root without asking the pool's table, if it is where it was.
    #[inline]
    pub(crate) fn root_pin<'p>(&self, pool: &'p BufferPool, store: &Store) -> Option<Pin<'p>> {
        pool.hinted(store, self.root(), self.root_frame.load(Ordering::Relaxed))
    }

    pub(crate) fn set_root_frame(&self, frame: u32) {
        self.root_frame.store(frame, Ordering::Relaxed);
    }
}
