//! Gaps between the keys of a tree: which key comes next, and whether another may be put before it.
//!
//! Keys here are physical ones: a ghost is a key like any other. Whoever reads a range locks the ghosts in it too, and cleanup removes a
//! ghost only if nobody has it locked; so a gap never loses the key that guards it.
//!
//! A transaction that locks ranges in a tree is counted in the tree first ([`Transaction::guard`]), then locks a key, and then looks
//! under the leaf's latch whether that key is still the next one. An insertion asks for the count under the same latch, exclusively: it
//! comes before that look, which finds its key, or after it, and then it sees the count and asks for the lock.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::Hobt;
use super::btree::{check_page, insert_in, key_hash, leaf_on_way};
use super::node::{key_at, search};
use crate::buffer::ReadGuard;
use crate::database::Database;
use crate::error::StorageResult;
use crate::lock::{LockError, LockMode, Resource, TxLockState};
use crate::page::Page;
use crate::txn::Transaction;

/// The hash that stands for the end of a tree, behind its last key: `(ffffffffffff)`. A key of that hash only locks more.
pub(super) const END: u64 = 0xffff_ffff_ffff;

/// The place where a search for the next key begins.
#[derive(Clone, Copy, Debug)]
pub(super) enum From<'k> {
    /// The tree's first key.
    Beginning,
    /// This key, if it is there.
    At(&'k [u8]),
    /// The first key behind this one.
    Behind(&'k [u8]),
}

/// The outcome of an insertion.
pub(super) enum Inserted {
    /// The entry is there.
    Done,
    /// Others guard the gap before the key of this hash.
    Guarded(u64),
}

/// The trees in which a transaction has locked ranges; they count it until it is dropped, after its locks.
#[derive(Default)]
pub(crate) struct Guarded(Vec<Arc<Hobt>>);

impl Guarded {
    /// Before the first range in a tree is locked.
    pub(crate) fn add(&mut self, hobt: &Arc<Hobt>) {
        if !self.0.iter().rev().any(|h| Arc::ptr_eq(h, hobt)) {
            hobt.guards.fetch_add(1, Ordering::SeqCst);
            self.0.push(hobt.clone());
        }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        for hobt in &self.0 {
            hobt.guards.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

/// The next physical key, on its leaf under the shared latch; none: there is no more. The tree has a root. Leaves are latched from left
/// to right, each before the one before it is given up: nothing comes in between unnoticed.
pub(super) fn successor<'p>(
    db: &'p Database,
    hobt: &Hobt,
    from: From<'_>,
) -> StorageResult<Option<(ReadGuard<'p>, usize)>> {
    let key = match from {
        From::Beginning => &[][..],
        From::At(key) | From::Behind(key) => key,
    };
    let mut leaf = leaf_on_way(db, hobt, Some(key))?;
    let mut slot = match search(&leaf, key) {
        Ok(slot) => slot + usize::from(matches!(from, From::Behind(_))),
        Err(slot) => slot,
    };
    while slot >= leaf.slots() as usize {
        let next = leaf.next();
        if next.is_none() {
            return Ok(None);
        }
        let right = db.pool().read(&db.store, next)?;
        check_page(db, hobt, &right, Some(0))?;
        leaf = right;
        slot = 0;
    }
    Ok(Some((leaf, slot)))
}

/// The hash of the key that is in a slot of a latched leaf, or of the next key behind its last slot.
fn next_hash(db: &Database, hobt: &Hobt, leaf: &Page, slot: usize) -> StorageResult<u64> {
    if slot < leaf.slots() as usize {
        return Ok(key_hash(hobt.id().0, key_at(leaf, slot)));
    }
    let mut next = leaf.next();
    let mut before = None;
    while !next.is_none() {
        let right = db.pool().read(&db.store, next)?;
        // The leaf before is latched until here.
        drop(before.take());
        check_page(db, hobt, &right, Some(0))?;
        if right.slots() > 0 {
            return Ok(key_hash(hobt.id().0, key_at(&right, 0)));
        }
        next = right.next();
        before = Some(right);
    }
    Ok(END)
}

/// Whether a new key may be put into a slot of a leaf whose exclusive latch is held; else the hash of the key before which it may not.
///
/// In a gap that its own transaction guards the new key becomes a guard itself: the part of the gap before it is guarded no less.
#[cold]
pub(super) fn refuses(
    db: &Database,
    hobt: &Hobt,
    leaf: &Page,
    slot: usize,
    (new, locks): (u64, &mut TxLockState),
) -> StorageResult<Option<u64>> {
    let next = next_hash(db, hobt, leaf, slot)?;
    let manager = &db.instance().locks;
    let key = |hash| Resource::key(db.id(), hobt.id(), hash);
    let (free, own) = manager.gap(locks, &key(next));
    if !free {
        return Ok(Some(next));
    }
    if !own.guards_gap() {
        return Ok(None);
    }
    // Its X on the new key keeps all others away, but those who inserted before a key of that hash that has gone meanwhile.
    match manager.acquire(locks, key(new), LockMode::RangeXX, Some(Duration::ZERO)) {
        Ok(_) => Ok(None),
        Err(LockError::Timeout(_)) => Ok(Some(new)),
        Err(e) => Err(e.into()),
    }
}

/// True if somebody who locks ranges has the key in this slot locked.
pub(super) fn is_kept(db: &Database, hobt: &Hobt, leaf: &Page, slot: u16) -> bool {
    let hash = key_hash(hobt.id().0, key_at(leaf, usize::from(slot)));
    db.instance().locks.is_locked(&Resource::key(db.id(), hobt.id(), hash))
}

/// Adds an entry where others guard the gap. Who waits for the gap does not hold the key, and who waits for the key does not hold the
/// gap: whoever guards the gap may insert that key.
#[cold]
pub(super) fn insert(
    tx: &mut Transaction,
    hobt: &Hobt,
    entry: (&[u8], &[u8]),
    hash: u64,
    mut new: bool,
    mut before: u64,
) -> StorageResult<()> {
    loop {
        let mut gap = None;
        if before == hash {
            // It stays locked, and becomes a guard as soon as others have let its gap go: they wait for nothing.
            tx.lock_key(hobt, hash, LockMode::RangeXX)?;
        } else {
            if new {
                tx.unlock_key(hobt, hash);
            }
            gap = Some(tx.lock_gap(hobt, before)?);
            new = match tx.try_lock_key(hobt, hash, LockMode::X) {
                Some(new) => new,
                None => {
                    gap.take().into_iter().for_each(|gap| tx.unlock_gap(gap));
                    tx.lock_key(hobt, hash, LockMode::X)?
                }
            };
        }
        let (db, work, locks) = tx.parts_and_locks();
        let done = insert_in(db, work, hobt, entry, hash, false, Some(locks));
        gap.into_iter().for_each(|gap| tx.unlock_gap(gap));
        match done? {
            Inserted::Done => return Ok(()),
            Inserted::Guarded(now) => before = now,
        }
    }
}
