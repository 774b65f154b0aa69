//! What a reorganization changes, a system transaction at a time.
//!
//! ```text
//! merge   rows of a leaf to the end of its left neighbour, under the same parent; a leaf that has none left is unlinked and freed
//! move    a leaf to another page: image there, links of both neighbours, the parent's entry; the old page empty and freed
//! free    extents none of whose pages is in use
//! ```
//! Latches are taken as splits take them: parent, then leaves from left to right; they are kept until the commit record is in the log, or
//! everything is undone. Under the latch of its parent a leaf is neither split nor unlinked by others. A page that is given back is
//! emptied first: who comes to it by an old link, or by the hint of the leaf written to last, finds nothing there.
//!
//! Room that is kept for the undo of a transaction that still runs stays where it is: such leaves are left alone.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use taffrail_base::{PageId, TransactionId};
use taffrail_log::{Lcx, Lop};

use super::Hobt;
use super::btree::{check_page, child_on_way, expunge, root_for_read};
use super::node::{
    ENTRY_HEADER, child_at, child_bytes, entry_header, key_at, separator, slot_for, split_entry,
};
use super::record::{Place, bits, format, merge, row, split};
use crate::alloc::Space;
use crate::buffer::WriteGuard;
use crate::database::Database;
use crate::error::StorageResult;
use crate::layout::{EXTENT_PAGES, gam_of, interval_start, is_system_page};
use crate::page::{Page, PageType, SLOT_BYTES};
use crate::txn::work::{Change, Work};

/// The page above the leaf of a key, exclusively; none: the root is a leaf.
fn parent_for_write<'p>(
    db: &'p Database,
    hobt: &Hobt,
    key: &[u8],
) -> StorageResult<Option<WriteGuard<'p>>> {
    loop {
        let mut page = root_for_read(db, hobt)?;
        match page.level() {
            0 => return Ok(None),
            1 => {
                let root = page.id();
                drop(page);
                let root = db.pool().write(&db.store, root)?;
                if root.level() == 1 {
                    return Ok(Some(root));
                }
                // It has grown a level in between.
                continue;
            }
            _ => {}
        }
        while page.level() > 2 {
            let child = child_on_way(db, hobt, &page, Some(key))?;
            let next = db.pool().read(&db.store, child)?;
            check_page(db, hobt, &next, Some(page.level() - 1))?;
            page = next;
        }
        let child = child_on_way(db, hobt, &page, Some(key))?;
        let parent = db.pool().write(&db.store, child)?;
        check_page(db, hobt, &parent, Some(1))?;
        return Ok(Some(parent));
    }
}

/// The leaves under one parent, as they were a moment ago, and where the next parent begins.
pub(super) struct Survey {
    /// Separator and leaf; the first separator is the key that was asked for.
    pub leaves: Vec<(Vec<u8>, PageId)>,
    /// The least key of the next parent.
    pub next: Option<Vec<u8>>,
}

/// Looks at the parent of the leaf of a key; none: the root is a leaf. No latch is held afterwards.
pub(super) fn survey(db: &Database, hobt: &Hobt, key: &[u8]) -> StorageResult<Option<Survey>> {
    let mut page = root_for_read(db, hobt)?;
    if page.level() == 0 {
        return Ok(None);
    }
    let mut next = None;
    while page.level() > 1 {
        let slot = slot_for(&page, key);
        if slot + 1 < page.slots() as usize {
            next = Some(key_at(&page, slot + 1).to_vec());
        }
        let child = child_on_way(db, hobt, &page, Some(key))?;
        let below = db.pool().read(&db.store, child)?;
        check_page(db, hobt, &below, Some(page.level() - 1))?;
        page = below;
    }
    let mut leaves = Vec::with_capacity(page.slots().into());
    for i in 0..page.slots() as usize {
        let Some(child) = child_at(&page, i) else {
            let what = "an interior entry is malformed".to_owned();
            return Err(db.store.corrupt(page.id(), what));
        };
        let first = if i == 0 { key } else { key_at(&page, i) };
        leaves.push((first.to_vec(), child));
    }
    Ok(Some(Survey { leaves, next }))
}

/// True if a transaction that still runs may want room on the page back.
fn is_spoken_for(db: &Database, page: &Page) -> bool {
    page.reserved_bytes() > 0 && TransactionId(page.reserved_txn_raw()) >= db.txns.oldest_active()
}

/// The outcome for two neighbours.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Merged {
    /// The right one is gone.
    Freed,
    /// Some of its rows have moved; it begins with this key now.
    Filled(Vec<u8>),
    /// They stay as they are.
    Nothing,
}

/// Moves rows from the right neighbour of the leaf of `key` to that leaf, as many as leave `spare` bytes free there.
pub(super) fn merge_leaves(
    db: &Arc<Database>,
    work: &Work,
    hobt: &Hobt,
    key: &[u8],
    spare: usize,
) -> StorageResult<Merged> {
    let Some(mut parent) = parent_for_write(db, hobt, key)? else { return Ok(Merged::Nothing) };
    let slot = slot_for(&parent, key);
    let child = |slot: usize| (slot < parent.slots() as usize).then(|| child_at(&parent, slot));
    let (Some(Some(left)), Some(Some(right))) = (child(slot), child(slot + 1)) else {
        return Ok(Merged::Nothing);
    };
    let pool = db.pool();
    let mut held = vec![pool.write(&db.store, left)?, pool.write(&db.store, right)?];
    check_page(db, hobt, &held[0], Some(0))?;
    check_page(db, hobt, &held[1], Some(0))?;
    if held[0].next() != right || held[1].prev() != left {
        let what = "a leaf's link to its neighbour is wrong".to_owned();
        return Err(db.store.corrupt(right, what));
    }
    if is_spoken_for(db, &held[0]) || is_spoken_for(db, &held[1]) {
        return Ok(Merged::Nothing);
    }
    let after = held[1].next();
    if !after.is_none() {
        held.push(pool.write(&db.store, after)?);
    }
    let mut sys = work.nested("MergeLeaves");
    hobt.structure_changes();
    match merge_held(db, &mut sys, hobt, &mut parent, &mut held, slot, spare) {
        Ok(Merged::Nothing) if !sys.has_begun() => Ok(Merged::Nothing),
        Ok(merged) => {
            // Commit first, unlatch afterwards.
            sys.commit_system()?;
            if held[0].ghosts() > 0 {
                db.note_ghosts(hobt.id(), left);
            }
            let count = match &merged {
                Merged::Freed => Some(&db.store.rarities.leaves_merged),
                Merged::Filled(_) => Some(&db.store.rarities.leaves_filled),
                Merged::Nothing => None,
            };
            count.map(|n| n.fetch_add(1, Ordering::Relaxed));
            Ok(merged)
        }
        Err(e) => {
            held.push(parent);
            db.abort_system(sys, held);
            Err(e)
        }
    }
}

/// The changes of [`merge_leaves`]: `held` are left, right and, if there is one, the leaf after them.
fn merge_held(
    db: &Arc<Database>,
    sys: &mut Work,
    hobt: &Hobt,
    parent: &mut WriteGuard<'_>,
    held: &mut [WriteGuard<'_>],
    slot: usize,
    spare: usize,
) -> StorageResult<Merged> {
    let context = hobt.leaf_context();
    let [left, right, rest @ ..] = held else { return Ok(Merged::Nothing) };
    expunge(db, sys, hobt, left, Place::Leaf)?;
    expunge(db, sys, hobt, right, Place::Leaf)?;
    let room = (left.free_bytes() as usize).saturating_sub(spare);
    let slots = right.slots() as usize;
    let (mut count, mut bytes) = (0, 0);
    while count < slots && bytes + right.row(count).len() + SLOT_BYTES <= room {
        bytes += right.row(count).len() + SLOT_BYTES;
        count += 1;
    }
    if count < slots {
        if count == 0 {
            return Ok(Merged::Nothing);
        }
        let sep = separator(key_at(right, count - 1), key_at(right, count)).to_vec();
        let old = parent.row(slot + 1).len();
        let new = ENTRY_HEADER + sep.len() + child_bytes(right.id()).len();
        if new > old + parent.free_bytes() as usize {
            return Ok(Merged::Nothing);
        }
        hobt.note_move();
        merge::rows_to_left(sys, left, right, context, count)?;
        row::remove_separator(sys, parent, slot + 1)?;
        let change = Change {
            hobt: hobt.id(),
            slot: slot as u16 + 1,
            reserve: row::UNDO_INSERT,
            ..Change::new(Lop::InsertRows, Lcx::IndexInterior)
        };
        let parts: [&[u8]; 3] = [&entry_header(0, &sep), &sep, &child_bytes(right.id())];
        sys.change(parent, &change, &parts)?;
        parent.insert_row(slot + 1, &parts);
        return Ok(Merged::Filled(sep));
    }
    hobt.note_move();
    merge::rows_to_left(sys, left, right, context, count)?;
    let (prev, next) = (left.prev(), right.next());
    split::relink(sys, left, context, prev, next)?;
    if let Some(after) = rest.first_mut() {
        let beyond = after.next();
        split::relink(sys, after, context, left.id(), beyond)?;
    }
    row::remove_separator(sys, parent, slot + 1)?;
    db.deallocate_page(sys, hobt.id(), right.id())?;
    Ok(Merged::Freed)
}

/// Moves the leaf on page `from` to page `to`, a free one of the tree's, or (none) to any. Gives the page where it is now; none: it is
/// not a leaf of the tree any more, or the place is taken.
pub(super) fn move_leaf(
    db: &Arc<Database>,
    work: &Work,
    hobt: &Hobt,
    from: PageId,
    to: Option<PageId>,
) -> StorageResult<Option<PageId>> {
    let pool = db.pool();
    let (key, before) = {
        let leaf = pool.read(&db.store, from)?;
        if !leaf.is_leaf() || leaf.hobt() != hobt.id() || leaf.slots() == 0 || from == hobt.root() {
            return Ok(None);
        }
        (key_at(&leaf, 0).to_vec(), leaf.prev())
    };
    let Some(mut parent) = parent_for_write(db, hobt, &key)? else { return Ok(None) };
    let slot = slot_for(&parent, &key);
    if child_at(&parent, slot) != Some(from) {
        return Ok(None);
    }
    let mut held = Vec::with_capacity(5);
    if !before.is_none() {
        held.push(pool.write(&db.store, before)?);
        // It may have gone away, or been split, before its latch was ours.
        if check_page(db, hobt, &held[0], Some(0)).is_err() || held[0].next() != from {
            return Ok(None);
        }
    }
    let leaf = pool.write(&db.store, from)?;
    check_page(db, hobt, &leaf, Some(0))?;
    if leaf.prev() != before {
        return Ok(None);
    }
    let after = leaf.next();
    held.push(leaf);
    if !after.is_none() {
        held.push(pool.write(&db.store, after)?);
    }
    let mut sys = work.nested("MoveLeaf");
    hobt.structure_changes();
    let at = usize::from(!before.is_none());
    match move_held(db, &mut sys, hobt, (&mut parent, slot), &mut held, at, to) {
        Ok(None) if !sys.has_begun() => Ok(None),
        Ok(place) => {
            sys.commit_system()?;
            let ghosts = held.last().is_some_and(|new| new.ghosts() > 0);
            if let Some(place) = place.filter(|_| ghosts) {
                db.note_ghosts(hobt.id(), place);
            }
            db.store.rarities.leaves_moved.fetch_add(1, Ordering::Relaxed);
            Ok(place)
        }
        Err(e) => {
            held.push(parent);
            db.abort_system(sys, held);
            Err(e)
        }
    }
}

/// The changes of [`move_leaf`]; `held[at]` is the leaf, its neighbours are beside it, the new page comes behind them.
fn move_held<'p>(
    db: &'p Arc<Database>,
    sys: &mut Work,
    hobt: &Hobt,
    (parent, slot): (&mut WriteGuard<'p>, usize),
    held: &mut Vec<WriteGuard<'p>>,
    at: usize,
    to: Option<PageId>,
) -> StorageResult<Option<PageId>> {
    let mut new = match to {
        None => db.allocate_page(sys, hobt, PageType::Index, 0)?,
        Some(to) => match db.take_free_page(sys, hobt, to)? {
            Some(new) => new,
            None => return Ok(None),
        },
    };
    hobt.note_move();
    let (context, place) = (hobt.leaf_context(), new.id());
    let leaf = &held[at];
    for i in 0..leaf.slots() as usize {
        new.insert_row(i, &[leaf.row(i)]);
    }
    let (from, prev, next) = (leaf.id(), leaf.prev(), leaf.next());
    new.set_prev(prev);
    new.set_next(next);
    new.set_ghosts(leaf.ghosts());
    new.set_ghost_txn_raw(leaf.ghost_txn_raw());
    new.set_reserved_bytes(leaf.reserved_bytes());
    new.set_reserved_txn_raw(leaf.reserved_txn_raw());
    let formatted = format::log_made(sys, &mut new, context);
    held.push(new);
    formatted?;
    let mut entry = parent.row(slot).to_vec();
    let start = ENTRY_HEADER + split_entry(&entry).0.len();
    entry[start..].copy_from_slice(&child_bytes(place));
    let change = Change {
        hobt: hobt.id(),
        slot: slot as u16,
        ..Change::new(Lop::ModifyRow, Lcx::IndexInterior)
    };
    row::modify(sys, parent, change, &entry, false)?;
    if at > 0 {
        let before = held[0].prev();
        split::relink(sys, &mut held[0], context, before, place)?;
    }
    if !next.is_none() {
        let beyond = held[at + 1].next();
        split::relink(sys, &mut held[at + 1], context, place, beyond)?;
    }
    split::split_off(sys, &mut held[at], context, 0, place, next)?;
    db.deallocate_page(sys, hobt.id(), from)?;
    Ok(Some(place))
}

/// Unallocated pages of a tree, ascending.
pub(super) fn free_pages(db: &Database, hobt: &Hobt) -> StorageResult<Vec<PageId>> {
    let mut space = hobt.space.lock();
    db.load_space(hobt, &mut space)?;
    Ok(space.free.sorted())
}

impl Database {
    /// Allocates this very page for a leaf, if it is one of the tree's free ones.
    fn take_free_page(
        self: &Arc<Self>,
        work: &mut Work,
        hobt: &Hobt,
        page: PageId,
    ) -> StorageResult<Option<WriteGuard<'_>>> {
        let mut space = hobt.space.lock();
        self.load_space(hobt, &mut space)?;
        if !space.free.bring_up(page) {
            return Ok(None);
        }
        self.take_page(work, hobt, &mut space, PageType::Index, 0).map(Some)
    }
}

/// Gives back the extents of the `at`-th IAM page of a heap or tree none of whose pages is in use; none: there is no such IAM page.
///
/// The caller holds a lock on the object that keeps bulk loads away: their extents look empty until they are filled.
pub(super) fn free_extents(
    db: &Arc<Database>,
    work: &Work,
    hobt: &Hobt,
    at: usize,
) -> StorageResult<Option<u64>> {
    let mut space = hobt.space.lock();
    db.load_space(hobt, &mut space)?;
    let Some(&iam) = space.iam.get(at) else { return Ok(None) };
    let (runs, start, _) = db.read_iam(iam, hobt.id())?;
    let free = space.free.sorted();
    let in_extent = |page: u32| {
        let from = free.partition_point(|p| *p < PageId { file: iam.file, page });
        let to =
            free.partition_point(|p| *p < PageId { file: iam.file, page: page + EXTENT_PAGES });
        to - from
    };
    let mut empty: Vec<(u32, u32)> = Vec::new();
    for bit in runs.into_iter().flat_map(|(first, count)| first..first + count) {
        let page = start + bit * EXTENT_PAGES;
        let own = |i: &u32| !is_system_page(PageId { file: iam.file, page: page + i });
        // A list that was read before an extent came is no reason to believe that nothing is in it; and a PFS byte none to believe
        // that what was there is gone for good: see `freelist`.
        let unused = in_extent(page) == (0..EXTENT_PAGES).filter(own).count();
        if unused && db.allocated(PageId { file: iam.file, page })?.is_empty() {
            match empty.last_mut() {
                Some((first, n)) if *first + *n == bit => *n += 1,
                _ => empty.push((bit, 1)),
            }
        }
    }
    if space.claimed > 0 {
        // What is claimed stays, whichever pages it will be.
        let mut may = u32::try_from(space.unclaimed()).unwrap_or(u32::MAX) / EXTENT_PAGES;
        for (_, n) in &mut empty {
            *n = may.min(*n);
            may -= *n;
        }
        empty.retain(|(_, n)| *n > 0);
    }
    // A record's worth; the rest next time.
    empty.truncate(256);
    let Some(&(lowest, _)) = empty.first() else { return Ok(Some(0)) };
    let mut sys = work.nested("FreeExtents");
    hobt.structure_changes();
    // Nobody takes one of them before the commit record that makes them free is in the log.
    let mut search = db.extents.lock();
    let done = (|| {
        let mut map = db.pool().write(&db.store, iam)?;
        bits::set_bits(&mut sys, &mut map, Lcx::Iam, hobt.id(), &empty, false)?;
        drop(map);
        let gam = gam_of(PageId { file: iam.file, page: start });
        let mut map = db.pool().write(&db.store, gam)?;
        bits::set_bits(&mut sys, &mut map, Lcx::Gam, hobt.id(), &empty, true)
    })();
    match done {
        Ok(()) => {
            let is_empty = |p: &PageId| {
                p.file == iam.file && interval_start(p.page) == start && {
                    let bit = (p.page - start) / EXTENT_PAGES;
                    empty.iter().any(|&(first, n)| (first..first + n).contains(&bit))
                }
            };
            space.free.retain(|p| !is_empty(p));
            sys.commit_system()?;
            search.hint = search.hint.min(start + lowest * EXTENT_PAGES);
            let n = empty.iter().map(|r| u64::from(r.1)).sum();
            db.store.rarities.extents_freed.fetch_add(n, Ordering::Relaxed);
            Ok(Some(n))
        }
        Err(e) => {
            *space = Space::default();
            // Only bits are undone: no latch but of their pages is wanted under the mutex.
            db.abort_system(sys, Vec::new());
            drop(search);
            Err(e)
        }
    }
}
