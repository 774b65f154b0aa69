//! Splits: what changes a tree's structure.
//!
//! A split is a system transaction. It walks down under exclusive latches and gives ancestors up once it is below a page that has
//! room for the longest separator; the latches that are left are kept until its commit record is in the log, or until it is
//! undone. So nobody ever sees half a split, and restart, which undoes unfinished system transactions first, page by page,
//! finds every page of one as it left it.
//!
//! Where a page is cut: at the end, if the new key goes to the end of the last leaf (ascending keys fill pages); else where
//! the halves have about the same number of bytes.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use taffrail_base::PageId;
use taffrail_log::{Lcx, Lop};
use taffrail_observe::xe;

use super::Hobt;
use super::btree::{MAX_KEY, has_room};
use super::node::{
    ENTRY_HEADER, child_at, child_bytes, count_ghosts, entry_header, key_at, search, separator,
    slot_for,
};
use super::operations::Operation;
use super::record::{format, row, split as record};
use crate::buffer::WriteGuard;
use crate::database::Database;
use crate::error::{StorageError, StorageResult};
use crate::page::{Page, PageType, SLOT_BYTES};
use crate::txn::work::{Change, Work};

const CHILD_BYTES: usize = 6;

/// The bytes that a separator takes on an interior page.
fn separator_bytes(key: usize) -> usize {
    ENTRY_HEADER + key + CHILD_BYTES + SLOT_BYTES
}

/// Exclusively latched pages from some ancestor to the leaf, and those that the split has made or touched besides.
struct Path<'p> {
    /// Levels `guards.len() - 1` … 0.
    guards: Vec<WriteGuard<'p>>,
    others: Vec<WriteGuard<'p>>,
}

impl<'p> Path<'p> {
    fn at(&mut self, level: usize) -> &mut WriteGuard<'p> {
        let n = self.guards.len();
        &mut self.guards[n - 1 - level]
    }

    fn into_all(self) -> Vec<WriteGuard<'p>> {
        let mut all = self.guards;
        all.extend(self.others);
        all
    }
}

/// Makes room on the leaf of `key` for `need` more bytes, a new row's if `inserting`, by one split; the caller looks again. Does
/// nothing if somebody else has made room.
pub(super) fn split(
    db: &Arc<Database>,
    work: &Work,
    hobt: &Hobt,
    key: &[u8],
    need: usize,
    inserting: bool,
) -> StorageResult<()> {
    let mut path = latch_path(db, hobt, key)?;
    if has_room(db, path.at(0), need) {
        return Ok(());
    }
    let mut sys = work.nested("SplitPage");
    hobt.structure_changes();
    match split_leaf(db, &mut sys, hobt, &mut path, key, inserting) {
        Ok((old, new)) => {
            // Commit first, unlatch afterwards.
            sys.commit_system()?;
            if xe::wanted(xe::Event::PageSplit) {
                drop(path);
                tell_split(db, hobt, (old, new), inserting);
            }
            db.store.rarities.splits.fetch_add(1, Ordering::Relaxed);
            db.store.counters.page_splits.inc();
            Ok(())
        }
        Err(e) => {
            db.abort_system(sys, path.into_all());
            Err(e)
        }
    }
}

/// Tells a split to sessions of events.
#[cold]
fn tell_split(db: &Database, hobt: &Hobt, (old, new): (PageId, PageId), inserting: bool) {
    let (insert, update) = (1, 2);
    let fields = [
        if inserting { insert } else { update }.into(),
        db.id().0.into(),
        hobt.id().0.into(),
        old.file.0.into(),
        old.page.into(),
        new.file.0.into(),
        new.page.into(),
        xe::Val::Empty,
    ];
    xe::tell(xe::Event::PageSplit, &fields);
}

fn latch_path<'p>(db: &'p Database, hobt: &Hobt, key: &[u8]) -> StorageResult<Path<'p>> {
    let mut guards = vec![db.pool().write(&db.store, hobt.root())?];
    loop {
        let page = guards.last().expect("the root at least");
        let bad = page.kind() != Some(PageType::Index) || page.hobt() != hobt.id();
        let level = page.level();
        let child = match level {
            0 => None,
            _ => child_at(page, slot_for(page, key)),
        };
        if bad || (level > 0 && child.is_none()) {
            return Err(db.store.corrupt(page.id(), "a page of a tree is malformed".to_owned()));
        }
        let Some(child) = child else { return Ok(Path { guards, others: Vec::new() }) };
        let next = db.pool().write(&db.store, child)?;
        if next.level() + 1 != level {
            return Err(db.store.corrupt(child, "a page of a tree has the wrong level".to_owned()));
        }
        if level > 1 && next.free_bytes() as usize >= separator_bytes(MAX_KEY) {
            guards.clear();
        }
        guards.push(next);
    }
}

/// Where to cut: slots from the result on move to the new page.
fn cut(page: &Page, slot: usize, inserting: bool) -> usize {
    let slots = page.slots() as usize;
    if inserting && page.level() == 0 && slot == slots && page.next().is_none() {
        return slots;
    }
    if slots < 2 {
        // One large row beside which the new one does not fit.
        return if slot == 0 { 0 } else { slots };
    }
    let total: usize = (0..slots).map(|i| page.row(i).len() + SLOT_BYTES).sum();
    let mut left = 0;
    for i in 0..slots - 1 {
        left += page.row(i).len() + SLOT_BYTES;
        if left * 2 >= total {
            return i + 1;
        }
    }
    slots - 1
}

fn split_leaf<'p>(
    db: &'p Arc<Database>,
    sys: &mut Work,
    hobt: &Hobt,
    path: &mut Path<'p>,
    key: &[u8],
    inserting: bool,
) -> StorageResult<(PageId, PageId)> {
    let leaf = path.at(0);
    let slot = search(leaf, key).unwrap_or_else(|s| s);
    let m = cut(leaf, slot, inserting);
    let slots = leaf.slots() as usize;
    let right_key = if m < slots { key_at(leaf, m) } else { key };
    let left_key = if m > 0 { key_at(leaf, m - 1) } else { &[] };
    let sep = if m > 0 { separator(left_key, right_key) } else { right_key }.to_vec();
    room_above(db, sys, hobt, path, 1, separator_bytes(sep.len()), key)?;

    let context = hobt.leaf_context();
    let mut right = db.allocate_page(sys, hobt, PageType::Index, 0)?;
    sys.count(hobt, Operation::LeafAllocation);
    let leaf = path.at(0);
    let next = leaf.next();
    for i in m..slots {
        right.insert_row(i - m, &[leaf.row(i)]);
    }
    right.set_prev(leaf.id());
    right.set_next(next);
    let ghosts = count_ghosts(&right, 0);
    right.set_ghosts(ghosts);
    // Either half may hold the rows whose undo will want the reserved bytes back.
    let reserved = leaf.reserved_bytes().min(right.free_bytes());
    right.set_reserved_bytes(reserved);
    right.set_reserved_txn_raw(leaf.reserved_txn_raw());
    right.set_ghost_txn_raw(leaf.ghost_txn_raw());
    format::log_made(sys, &mut right, context)?;
    let right_id = right.id();
    path.others.push(right);
    record::split_off(sys, path.at(0), context, m, right_id, right_id)?;
    if !next.is_none() {
        let left_id = path.at(0).id();
        let mut neighbour = db.pool().write(&db.store, next)?;
        if neighbour.prev() != left_id || neighbour.hobt() != hobt.id() {
            return Err(db
                .store
                .corrupt(next, "a leaf's link to its neighbour is wrong".to_owned()));
        }
        let after = neighbour.next();
        let relinked = record::relink(sys, &mut neighbour, context, right_id, after);
        path.others.push(neighbour);
        relinked?;
    }
    insert_separator(sys, hobt, path.at(1), &sep, right_id)?;
    Ok((path.at(0).id(), right_id))
}

fn insert_separator(
    sys: &mut Work,
    hobt: &Hobt,
    parent: &mut WriteGuard<'_>,
    key: &[u8],
    child: PageId,
) -> StorageResult<()> {
    let Err(slot) = search(parent, key) else {
        return Err(sys.db.store.corrupt(parent.id(), "a separator is there twice".to_owned()));
    };
    let change = Change {
        hobt: hobt.id(),
        slot: slot as u16,
        reserve: row::UNDO_INSERT,
        ..Change::new(Lop::InsertRows, Lcx::IndexInterior)
    };
    let parts: [&[u8]; 3] = [&entry_header(0, key), key, &child_bytes(child)];
    sys.change(parent, &change, &parts)?;
    sys.count(hobt, Operation::InteriorInsert);
    parent.insert_row(slot, &parts);
    Ok(())
}

/// Makes sure that the page at `level` of the path can take `need` bytes: splits it, and first, if need be, those above. Afterwards the
/// path leads to `key` again.
fn room_above<'p>(
    db: &'p Arc<Database>,
    sys: &mut Work,
    hobt: &Hobt,
    path: &mut Path<'p>,
    level: usize,
    need: usize,
    key: &[u8],
) -> StorageResult<()> {
    if path.guards.len() == level {
        return grow_root(db, sys, hobt, path);
    }
    if path.at(level).free_bytes() as usize >= need {
        return Ok(());
    }
    let slots = path.at(level).slots() as usize;
    if slots < 2 {
        return Err(StorageError::Misuse("an interior page is full with one entry"));
    }
    // What the split of this page will put above it.
    let slot = slot_for(path.at(level), key);
    let page = path.at(level);
    let rightmost = slot == slots - 1;
    let m = if rightmost { slots - 1 } else { cut(page, slot, false) };
    let sep = key_at(page, m).to_vec();
    room_above(db, sys, hobt, path, level + 1, separator_bytes(sep.len()), key)?;

    let page = path.at(level);
    let Some(child) = child_at(page, m) else {
        return Err(db.store.corrupt(page.id(), "an interior entry is malformed".to_owned()));
    };
    let mut right = db.allocate_page(sys, hobt, PageType::Index, level as u8)?;
    sys.count(hobt, Operation::InteriorAllocation);
    let page = path.at(level);
    right.insert_row(0, &[&entry_header(0, &[]), &child_bytes(child)]);
    for i in m + 1..slots {
        right.insert_row(i - m, &[page.row(i)]);
    }
    format::log_made(sys, &mut right, Lcx::IndexInterior)?;
    let right_id = right.id();
    let mut right = Some(right);
    let done =
        record::split_off(sys, path.at(level), Lcx::IndexInterior, m, right_id, PageId::NONE)
            .and_then(|()| insert_separator(sys, hobt, path.at(level + 1), &sep, right_id));
    if done.is_ok() && key >= &sep[..] {
        let right = right.take().expect("made above");
        let left = std::mem::replace(path.at(level), right);
        path.others.push(left);
    }
    path.others.extend(right);
    done?;
    if path.at(level).free_bytes() as usize >= need {
        return Ok(());
    }
    room_above(db, sys, hobt, path, level, need, key)
}

/// The root's content moves to a new page, and the root becomes its parent.
fn grow_root<'p>(
    db: &'p Arc<Database>,
    sys: &mut Work,
    hobt: &Hobt,
    path: &mut Path<'p>,
) -> StorageResult<()> {
    let root = &path.guards[0];
    if root.id() != hobt.root() {
        return Err(StorageError::Misuse("an ancestor was given up too early"));
    }
    let level = root.level();
    let mut child = db.allocate_page(sys, hobt, PageType::Index, level)?;
    let leaf = level == 0;
    sys.count(hobt, if leaf { Operation::LeafAllocation } else { Operation::InteriorAllocation });
    let root = &mut path.guards[0];
    for i in 0..root.slots() as usize {
        child.insert_row(i, &[root.row(i)]);
    }
    child.set_ghosts(root.ghosts());
    child.set_ghost_txn_raw(root.ghost_txn_raw());
    child.set_reserved_bytes(root.reserved_bytes());
    child.set_reserved_txn_raw(root.reserved_txn_raw());
    let context = if level == 0 { hobt.leaf_context() } else { Lcx::IndexInterior };
    let child_id = child.id();
    let done = format::log_made(sys, &mut child, context)
        .and_then(|()| format::change_root(sys, root, child_id));
    path.guards.insert(1, child);
    done?;
    db.store.rarities.root_splits.fetch_add(1, Ordering::Relaxed);
    Ok(())
}

#[cfg(test)]
mod tests;
