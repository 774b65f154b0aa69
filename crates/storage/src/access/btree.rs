//! B+ trees.
//!
//! Entries are (key, value): bytes that the engine makes, keys unique and in the order of `memcmp`. Row locks are taken
//! here (X for every change); the caller holds IX (IS for reads) or more on the object.
//!
//! # How a tree is walked
//! Down under shared latches, child before parent is given up; the leaf exclusively for a change. The root page never
//! moves. A change that has no room on its leaf gives everything up, splits ([`super::smo`]), and comes again. Most changes
//! skip the walk: the leaf that was written to last is remembered, and it is right if the key lies between its first and last,
//! or beyond the last on the rightmost leaf.
//!
//! # Deleted entries
//! stay as ghosts until their transaction has ended, and then until somebody needs their room. An insertion of a key that has a ghost
//! revives it; the log says so as a modification of the row. Ghosts that nobody comes across, and leaves that they
//! were the last rows of, are
//! removed in the background ([`super::cleanup`]).

use std::sync::Arc;
use std::sync::atomic::{Ordering, fence};

use taffrail_base::{PageId, TransactionId};
use taffrail_log::{Lcx, Lop, RecordFlags};

use super::gap::{self, Inserted};
use super::node::{
    ENTRY_HEADER, GHOST, child_at, entry_header, is_ghost, key_at, search, slot_for, split_entry,
};
use super::operations::Operation;
use super::record::{Place, delete, row};
use super::{Direction, Hobt, HobtKind, KeyRange, Rid, ScanLocks, smo};
use crate::buffer::{ReadGuard, WriteGuard, seen};
use crate::database::Database;
use crate::error::{StorageError, StorageResult};
use crate::lock::{LockMode, TxLockState};
use crate::page::{Page, PageType, SLOT_BYTES};
use crate::txn::Transaction;
use crate::txn::work::{Change, Work};

mod point;

pub use super::build::{TreeLoad, build};
pub use super::cursor::BTreeCursor;
pub use super::reorganize::{Reorganize, Reorganized};
pub use point::{claim, get};

/// The bytes of the largest key.
pub const MAX_KEY: usize = 1_800;
/// Largest key and value together.
pub const MAX_ENTRY: usize = 8_060;

/// Deepest tree that can be: even with the longest keys five entries fit in an interior page.
const MAX_LEVELS: u8 = 16;

// ---- for the engine ----

/// Adds an entry; [`StorageError::DuplicateKey`] if the key is there.
pub fn insert(tx: &mut Transaction, hobt: &Hobt, key: &[u8], value: &[u8]) -> StorageResult<()> {
    check(hobt, key, value)?;
    let hash = key_hash(hobt.id().0, key);
    let new = tx.lock_key(hobt, hash, LockMode::X)?;
    let (db, work, locks) = tx.parts_and_locks();
    if hobt.root().is_none() {
        db.allocate_root(work, hobt)?;
        // Who guards the end of a tree without pages looks for them after it is counted.
        fence(Ordering::SeqCst);
    }
    match insert_in(db, work, hobt, (key, value), hash, false, Some(locks))? {
        Inserted::Done => Ok(()),
        Inserted::Guarded(before) => gap::insert(tx, hobt, (key, value), hash, new, before),
    }
}

/// Replaces the value of a key; [`StorageError::RowNotFound`] if it is not there.
pub fn update(tx: &mut Transaction, hobt: &Hobt, key: &[u8], value: &[u8]) -> StorageResult<()> {
    check(hobt, key, value)?;
    let hash = key_hash(hobt.id().0, key);
    tx.lock_key(hobt, hash, LockMode::X)?;
    if hobt.root().is_none() {
        return Err(StorageError::RowNotFound);
    }
    let (db, work) = tx.parts();
    loop {
        let mut leaf = leaf_for_write(db, hobt, key)?;
        let Some(slot) = search(&leaf, key).ok().filter(|&slot| !is_ghost(&leaf, slot)) else {
            return Err(StorageError::RowNotFound);
        };
        let old = split_entry(leaf.row(slot)).1.len();
        let growth = value.len().saturating_sub(old);
        if !make_room(db, work, hobt, &mut leaf, growth, leaf_slots_are(1))? {
            drop(leaf);
            db.with_look(work, hobt, || smo::split(db, work, hobt, key, growth, false))?;
            continue;
        }
        // Ghosts may have gone.
        let Ok(slot) = search(&leaf, key) else { return Err(StorageError::RowNotFound) };
        work.note_row(hobt, key, || Some(split_entry(leaf.row(slot)).1.into()))?;
        modify_in(work, hobt, &mut leaf, slot, value, hash, RecordFlags::NONE)?;
        work.count(hobt, Operation::LeafUpdate);
        hobt.set_hot(leaf.id(), leaf.frame());
        return Ok(());
    }
}

/// Removes an entry; false if it is not there.
pub fn delete(tx: &mut Transaction, hobt: &Hobt, key: &[u8]) -> StorageResult<bool> {
    let hash = key_hash(hobt.id().0, key);
    tx.lock_key(hobt, hash, LockMode::X)?;
    if hobt.root().is_none() {
        return Ok(false);
    }
    let (db, work) = tx.parts();
    ghost_in(db, work, hobt, key, hash)
}

/// A cursor over a range, before its first entry. Reads pages only when asked for rows.
pub fn seek(
    hobt: &Arc<Hobt>,
    range: KeyRange,
    direction: Direction,
    locks: ScanLocks,
) -> BTreeCursor {
    BTreeCursor::new(hobt.clone(), range, direction, locks)
}

fn check(hobt: &Hobt, key: &[u8], value: &[u8]) -> StorageResult<()> {
    if hobt.kind() != HobtKind::BTree {
        return Err(StorageError::Misuse("not a B+ tree"));
    }
    if key.len() > MAX_KEY {
        return Err(StorageError::RowTooLarge { size: key.len(), max: MAX_KEY });
    }
    if key.len() + value.len() > MAX_ENTRY {
        return Err(StorageError::RowTooLarge { size: key.len() + value.len(), max: MAX_ENTRY });
    }
    Ok(())
}

/// The hash of a key that stands for the row in lock resources and log records: 48 bits, the same on every machine and after every
/// restart.
pub fn key_hash(hobt: u64, key: &[u8]) -> u64 {
    const K: u64 = 0x9e37_79b9_7f4a_7c15;
    let fold = |a: u64, b: u64| {
        let product = u128::from(a) * u128::from(b);
        product as u64 ^ (product >> 64) as u64
    };
    let mut h = fold(hobt ^ 0xa076_1d64_78bd_642f, key.len() as u64 ^ K);
    let mut chunks = key.chunks_exact(8);
    for c in &mut chunks {
        let word = u64::from_le_bytes(c.try_into().expect("eight bytes"));
        h = fold(h ^ word, K);
    }
    let rest = chunks.remainder();
    if !rest.is_empty() {
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        h = fold(h ^ u64::from_le_bytes(last), K ^ 0x5555);
    }
    fold(h, 0xe703_7ed1_a0b4_28db) & 0xffff_ffff_ffff
}

// ---- walking ----

fn wrong_page(db: &Database, hobt: &Hobt, page: &Page) -> StorageError {
    db.store.corrupt(page.id(), format!("not the expected page of HoBt {}", hobt.id()))
}

pub(super) fn check_page(
    db: &Database,
    hobt: &Hobt,
    page: &Page,
    level: Option<u8>,
) -> StorageResult<()> {
    let ok = page.kind() == Some(PageType::Index)
        && page.hobt() == hobt.id()
        && page.level() < MAX_LEVELS
        && level.is_none_or(|l| l == page.level());
    if ok { Ok(()) } else { Err(wrong_page(db, hobt, page)) }
}

/// The root under its shared latch.
pub(super) fn root_for_read<'p>(db: &'p Database, hobt: &Hobt) -> StorageResult<ReadGuard<'p>> {
    let guard = match hobt.root_pin(db.pool(), &db.store) {
        Some(pin) => seen(&db.store, pin.read()),
        None => {
            let root = hobt.root();
            if root.is_none() {
                return Err(StorageError::RowNotFound);
            }
            let guard = db.pool().read(&db.store, root)?;
            hobt.set_root_frame(guard.frame());
            guard
        }
    };
    check_page(db, hobt, &guard, None)?;
    Ok(guard)
}

/// The child of an interior page on the way to a key; `None`: to the last.
pub(super) fn child_on_way(
    db: &Database,
    hobt: &Hobt,
    page: &Page,
    key: Option<&[u8]>,
) -> StorageResult<PageId> {
    let slot = match key {
        Some(key) => slot_for(page, key),
        None => (page.slots() as usize).saturating_sub(1),
    };
    let child = if page.slots() == 0 { None } else { child_at(page, slot) };
    child.filter(|c| !c.is_none()).ok_or_else(|| wrong_page(db, hobt, page))
}

/// The leaf where a key is or would be, shared. `None`: the last leaf. The tree has a root.
pub(super) fn leaf_on_way<'p>(
    db: &'p Database,
    hobt: &Hobt,
    key: Option<&[u8]>,
) -> StorageResult<ReadGuard<'p>> {
    let mut page = root_for_read(db, hobt)?;
    while page.level() > 0 {
        let child = child_on_way(db, hobt, &page, key)?;
        let next = db.pool().read(&db.store, child)?;
        check_page(db, hobt, &next, Some(page.level() - 1))?;
        page = next;
    }
    Ok(page)
}

/// The leaf of a key, latched shared: see [`leaf_on_way`].
pub(crate) fn leaf_for_read<'p>(
    db: &'p Database,
    hobt: &Hobt,
    key: &[u8],
) -> StorageResult<ReadGuard<'p>> {
    leaf_on_way(db, hobt, Some(key))
}

/// The leaf where a key is or would be, exclusively. The tree has a root.
pub(crate) fn leaf_for_write<'p>(
    db: &'p Database,
    hobt: &Hobt,
    key: &[u8],
) -> StorageResult<WriteGuard<'p>> {
    if let Some(leaf) = hobt.hot(db.pool(), &db.store)
        && leaf.is_leaf()
        && leaf.hobt() == hobt.id()
        && covers(&leaf, key)
    {
        return Ok(leaf);
    }
    loop {
        let mut page = root_for_read(db, hobt)?;
        if page.level() == 0 {
            let root = page.id();
            drop(page);
            let leaf = db.pool().write(&db.store, root)?;
            if leaf.level() == 0 {
                return Ok(leaf);
            }
            // It has grown a level in between.
            continue;
        }
        while page.level() > 1 {
            let child = child_on_way(db, hobt, &page, Some(key))?;
            let next = db.pool().read(&db.store, child)?;
            check_page(db, hobt, &next, Some(page.level() - 1))?;
            page = next;
        }
        let child = child_on_way(db, hobt, &page, Some(key))?;
        let leaf = db.pool().write(&db.store, child)?;
        check_page(db, hobt, &leaf, Some(0))?;
        return Ok(leaf);
    }
}

/// True if a key certainly belongs on this leaf.
#[inline]
pub(super) fn covers(leaf: &Page, key: &[u8]) -> bool {
    let n = leaf.slots() as usize;
    n > 0 && (leaf.next().is_none() || key <= key_at(leaf, n - 1)) && key >= key_at(leaf, 0)
}

/// [`search`], quick where ascending keys are inserted.
#[inline]
fn search_from_end(leaf: &Page, key: &[u8]) -> Result<usize, usize> {
    let n = leaf.slots() as usize;
    if n > 0 && key > key_at(leaf, n - 1) { Err(n) } else { search(leaf, key) }
}

// ---- room ----

/// When reserved bytes need not be kept: with so few rows on the page, nobody else can want them back.
fn leaf_slots_are(at_most: u16) -> impl Fn(&Page) -> bool {
    move |page| page.slots() <= at_most
}

/// True if `need` bytes may be taken on the page: free, and not reserved for the undo of a transaction that still runs.
pub(super) fn has_room(db: &Database, page: &mut Page, need: usize) -> bool {
    let free = page.free_bytes() as usize;
    let reserved = page.reserved_bytes() as usize;
    if free < need {
        return false;
    }
    if free - reserved.min(free) >= need {
        return true;
    }
    if TransactionId(page.reserved_txn_raw()) < db.txns.oldest_active() {
        // Only a count: what redo does not depend on needs no record.
        page.set_reserved_bytes(0);
        return true;
    }
    false
}

/// [`has_room`], after ghosts of ended transactions have been removed if need be.
fn make_room(
    db: &Database,
    work: &mut Work,
    hobt: &Hobt,
    page: &mut WriteGuard<'_>,
    need: usize,
    alone: impl Fn(&Page) -> bool,
) -> StorageResult<bool> {
    let fits = |page: &mut Page| {
        has_room(db, page, need) || (alone(page) && page.free_bytes() as usize >= need)
    };
    if fits(page) {
        return Ok(true);
    }
    Ok(expunge(db, work, hobt, page, Place::Leaf)? && fits(page))
}

/// Removes the ghosts of a page if their transactions have all ended. Those stay that somebody has locked as part of a range, and those
/// of which a snapshot may show the row.
pub(super) fn expunge(
    db: &Database,
    work: &mut Work,
    hobt: &Hobt,
    page: &mut WriteGuard<'_>,
    place: Place,
) -> StorageResult<bool> {
    if page.ghosts() == 0 || TransactionId(page.ghost_txn_raw()) >= db.txns.oldest_active() {
        return Ok(false);
    }
    let guarded = place == Place::Leaf && hobt.is_guarded();
    let versions = hobt.versions().map(|v| (v, db.instance().snapshots.moments()));
    let seen = |i: u16| match (&versions, place) {
        (None, _) => false,
        (Some((v, moments)), Place::Heap) => {
            v.keeps(&Rid { page: page.id(), slot: i }.to_bytes(), moments)
        }
        (Some((v, moments)), _) => v.keeps(key_at(page, i.into()), moments),
    };
    let goes = |&i: &u16| {
        is_ghost(page, usize::from(i)) && !(guarded && gap::is_kept(db, hobt, page, i)) && !seen(i)
    };
    let slots: Vec<u16> = (0..page.slots()).filter(goes).collect();
    if slots.is_empty() {
        return Ok(false);
    }
    let context = if place == Place::Heap { Lcx::Heap } else { hobt.leaf_context() };
    let change = Change {
        hobt: hobt.id(),
        flags: RecordFlags::REDO_ONLY,
        ..Change::new(Lop::ExpungeRows, context)
    };
    work.change(page, &change, &[&row::encode_slots(&slots)])?;
    row::apply_expunge(page, place, &slots);
    let n = slots.len() as u64;
    db.store.rarities.expunged.fetch_add(n, std::sync::atomic::Ordering::Relaxed);
    Ok(true)
}

// ---- changing, without locks ----

/// Inserts an entry; the caller holds whatever lock it needs. `locks`: those of its transaction, where keys are locked in ranges.
pub(super) fn insert_in(
    db: &Arc<Database>,
    work: &mut Work,
    hobt: &Hobt,
    (key, value): (&[u8], &[u8]),
    lock_hash: u64,
    whole: bool,
    mut locks: Option<&mut TxLockState>,
) -> StorageResult<Inserted> {
    let header = entry_header(0, key);
    let len = ENTRY_HEADER + key.len() + value.len();
    loop {
        let mut leaf = leaf_for_write(db, hobt, key)?;
        let (slot, need) = match search_from_end(&leaf, key) {
            Ok(slot) if !is_ghost(&leaf, slot) => return Err(StorageError::DuplicateKey),
            Ok(slot) => (Ok(slot), len.saturating_sub(leaf.row(slot).len())),
            Err(slot) => (Err(slot), len + SLOT_BYTES),
        };
        let alone = leaf_slots_are(u16::from(slot.is_ok()));
        let fits =
            has_room(db, &mut leaf, need) || (alone(&leaf) && leaf.free_bytes() as usize >= need);
        if !fits {
            if !make_room(db, work, hobt, &mut leaf, need, alone)? {
                drop(leaf);
                let inserting = slot.is_err();
                db.with_look(work, hobt, || smo::split(db, work, hobt, key, need, inserting))?;
            }
            // Slots may have moved.
            continue;
        }
        if hobt.is_guarded()
            && let (Err(slot), Some(locks)) = (slot, locks.as_deref_mut())
            && let Some(before) = gap::refuses(db, hobt, &leaf, slot, (lock_hash, locks))?
        {
            return Ok(Inserted::Guarded(before));
        }
        let mut change = Change {
            hobt: hobt.id(),
            lock_hash,
            reserve: row::undo_insert_reserve(hobt.id(), hobt.leaf_context(), key),
            ..Change::new(Lop::InsertRows, hobt.leaf_context())
        };
        work.note_row(hobt, key, || None)?;
        let counting = hobt.counting();
        match slot {
            Err(slot) => {
                change.slot = slot as u16;
                let parts: [&[u8]; 3] = [&header, key, value];
                work.change(&mut leaf, &change, &parts)?;
                leaf.insert_row(slot, &parts);
            }
            Ok(slot) => {
                change.slot = slot as u16;
                change.op = Lop::ModifyRow;
                if whole {
                    change.flags = RecordFlags::USER_1;
                }
                let entry = [&header[..], key, value].concat();
                row::modify(work, &mut leaf, change, &entry, whole)?;
            }
        }
        hobt.add_rows(1);
        drop(counting);
        work.count(hobt, Operation::LeafInsert);
        hobt.set_hot(leaf.id(), leaf.frame());
        return Ok(Inserted::Done);
    }
}

/// Marks an entry as deleted; false if it is not there.
pub(super) fn ghost_in(
    db: &Arc<Database>,
    work: &mut Work,
    hobt: &Hobt,
    key: &[u8],
    lock_hash: u64,
) -> StorageResult<bool> {
    let mut leaf = leaf_for_write(db, hobt, key)?;
    let Some(slot) = search(&leaf, key).ok().filter(|&slot| !is_ghost(&leaf, slot)) else {
        return Ok(false);
    };
    if leaf.ghosts() == 0 {
        db.note_ghosts(hobt.id(), leaf.id());
    }
    work.note_row(hobt, key, || Some(split_entry(leaf.row(slot)).1.into()))?;
    delete::ghost(work, &mut leaf, hobt, Place::Leaf, slot, lock_hash)?;
    work.count(hobt, Operation::LeafGhost);
    hobt.set_hot(leaf.id(), leaf.frame());
    Ok(true)
}

/// Replaces the value in a slot; the caller has checked the room.
fn modify_in(
    work: &mut Work,
    hobt: &Hobt,
    leaf: &mut WriteGuard<'_>,
    slot: usize,
    value: &[u8],
    lock_hash: u64,
    flags: RecordFlags,
) -> StorageResult<()> {
    let row = leaf.row(slot);
    let key_end = ENTRY_HEADER + split_entry(row).0.len();
    let mut entry = Vec::with_capacity(key_end + value.len());
    entry.extend_from_slice(&row[..key_end]);
    entry.extend_from_slice(value);
    entry[0] &= !GHOST;
    let change = Change {
        hobt: hobt.id(),
        lock_hash,
        slot: slot as u16,
        flags,
        ..Change::new(Lop::ModifyRow, hobt.leaf_context())
    };
    row::modify(work, leaf, change, &entry, flags.contains(RecordFlags::USER_1))
}

/// Replaces the value in a slot by one of the same length; for the directory.
pub(super) fn modify_entry(
    work: &mut Work,
    hobt: &Hobt,
    leaf: &mut WriteGuard<'_>,
    slot: usize,
    value: &[u8],
    flags: RecordFlags,
) -> StorageResult<()> {
    debug_assert_eq!(split_entry(leaf.row(slot)).1.len(), value.len());
    modify_in(work, hobt, leaf, slot, value, 0, flags)
}

/// [`insert_in`], for the directory.
pub(super) fn insert_entry(
    work: &mut Work,
    hobt: &Hobt,
    key: &[u8],
    value: &[u8],
    lock_hash: u64,
    whole: bool,
) -> StorageResult<()> {
    let db = work.db.clone();
    insert_in(&db, work, hobt, (key, value), lock_hash, whole, None).map(drop)
}

/// [`ghost_in`], for the directory.
pub(super) fn ghost_entry(
    work: &mut Work,
    hobt: &Hobt,
    key: &[u8],
    lock_hash: u64,
) -> StorageResult<bool> {
    let db = work.db.clone();
    ghost_in(&db, work, hobt, key, lock_hash)
}

/// [`ghost_entry`] of one that must be there.
pub(super) fn remove_entry(work: &mut Work, hobt: &Hobt, key: &[u8]) -> StorageResult<()> {
    if ghost_entry(work, hobt, key, 0)? { Ok(()) } else { Err(StorageError::RowNotFound) }
}

/// True if a key is there.
pub(super) fn entry_exists(db: &Database, hobt: &Hobt, key: &[u8]) -> StorageResult<bool> {
    let leaf = leaf_for_read(db, hobt, key)?;
    Ok(search(&leaf, key).is_ok_and(|slot| !is_ghost(&leaf, slot)))
}

/// Calls `f` with each entry from `from` on, without locks, until it returns false; a leaf at a time is latched.
pub(super) fn for_each_entry(
    db: &Database,
    hobt: &Hobt,
    from: &[u8],
    f: &mut dyn FnMut(&[u8], &[u8]) -> bool,
) -> StorageResult<()> {
    if hobt.root().is_none() {
        return Ok(());
    }
    let mut leaf = leaf_for_read(db, hobt, from)?;
    let mut slot = search(&leaf, from).unwrap_or_else(|s| s);
    loop {
        for i in slot..leaf.slots() as usize {
            let (key, value) = split_entry(leaf.row(i));
            if !is_ghost(&leaf, i) && !f(key, value) {
                return Ok(());
            }
        }
        let next = leaf.next();
        if next.is_none() {
            return Ok(());
        }
        // Left to right, as splits take them.
        let right = db.pool().read(&db.store, next)?;
        check_page(db, hobt, &right, Some(0))?;
        leaf = right;
        slot = 0;
    }
}
