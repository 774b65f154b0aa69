//! Ghost cleanup: removes deleted entries that no insertion has come across, and gives empty leaves back.
//!
//! Leaves that get a ghost are noted in memory, and leaves that undo empties, with a key that was on them: an empty leaf is found from
//! the root by nothing else. After a restart those left are found when somebody needs their room ([`super::free_space`]). An empty leaf is
//! nobody's: whoever may want a row back has left it there, as a ghost or with its key. A leaf is unlinked by a
//! system transaction that latches its parent, its left neighbour, itself and its right neighbour, in this order,
//! which is the order of splits.
//! A tree that is cleaned is locked as an object meanwhile, without waiting: nobody truncates or drops it then, and frees pages of it.
//! Who needs the room of the very tree that he changes holds that lock already.
//! The first child of a parent stays even if it is empty: its separator stands for everything to the left. Whoever holds a copy of a
//! neighbour with a link to a leaf that is gone sees that the leaf's own links do not fit, and comes down from the root.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use taffrail_base::{HobtId, PageId, SessionId, TransactionId};

use super::btree::{check_page, expunge, leaf_for_write};
use super::full::check_cancelled;
use super::node::{child_at, key_at, slot_for};
use super::record::{Place, row, split};
use super::{Hobt, HobtKind};
use crate::buffer::Access;
use crate::database::Database;
use crate::error::{StorageError, StorageResult};
use crate::layout::FIRST_USER_HOBT;
use crate::lock::{LockMode, OwnerKind, TxLockState};
use crate::txn::work::Work;

/// Leaves remembered at most, and bytes of their keys.
const QUEUE_MAX: usize = 1 << 20;
const KEY_BYTES_MAX: usize = 64 << 20;

/// Leaves that have, or had, something to be removed.
#[derive(Default)]
pub(crate) struct Leaves {
    queue: VecDeque<Noted>,
    key_bytes: usize,
}

struct Noted {
    hobt: HobtId,
    leaf: PageId,
    /// One that belongs on it, if it is empty.
    key: Option<Box<[u8]>>,
}

impl Leaves {
    /// False: there is no room for it.
    fn push(&mut self, noted: Noted) -> bool {
        let bytes = noted.key.as_ref().map_or(0, |k| k.len());
        let fits = self.queue.len() < QUEUE_MAX && self.key_bytes + bytes <= KEY_BYTES_MAX;
        if fits {
            self.key_bytes += bytes;
            self.queue.push_back(noted);
        }
        fits
    }

    fn pop(&mut self) -> Option<Noted> {
        let noted = self.queue.pop_front()?;
        self.key_bytes -= noted.key.as_ref().map_or(0, |k| k.len());
        Some(noted)
    }
}

impl Database {
    /// A leaf got its first ghost.
    pub(crate) fn note_ghosts(&self, hobt: HobtId, leaf: PageId) {
        self.note_leaf(Noted { hobt, leaf, key: None });
    }

    /// The last row of a leaf, of this key, is gone by undo.
    pub(crate) fn note_emptied(&self, hobt: HobtId, leaf: PageId, key: &[u8]) {
        self.note_leaf(Noted { hobt, leaf, key: Some(key.into()) });
        self.returning.freed_a_page();
    }

    fn note_leaf(&self, noted: Noted) {
        let hobt = noted.hobt;
        if !self.ghosts.lock().push(noted) {
            self.forget_leaf(hobt);
        }
    }

    /// A note is lost: all leaves are to be looked at before the tree's file is taken to be full.
    fn forget_leaf(&self, hobt: HobtId) {
        if let Some(hobt) = self.known_hobt(hobt) {
            hobt.room.lock().lost(hobt.kind());
        }
    }

    /// Removes the ghosts of up to `leaves` leaves. Returns how many leaves were cleaned.
    pub fn clean_ghosts(self: &Arc<Self>, leaves: usize) -> StorageResult<usize> {
        self.store.check()?;
        match self.cleaner.try_lock() {
            Some(_one) => self.clean(leaves, None),
            None => Ok(0),
        }
    }

    /// The caller holds `cleaner`; `own`: a tree whose object his transaction has locked.
    pub(super) fn clean(
        self: &Arc<Self>,
        leaves: usize,
        own: Option<HobtId>,
    ) -> StorageResult<usize> {
        // Another time, if somebody counts on trees that stay as they are.
        let Some(_alone) = self.cleaning.try_write() else { return Ok(0) };
        let mut cleaned = 0;
        let n = leaves.min(self.ghosts.lock().queue.len());
        let mut later = Vec::new();
        let mut result = Ok(());
        for _ in 0..n {
            if let Err(e) = check_cancelled() {
                result = Err(e);
                break;
            }
            let Some(noted) = self.ghosts.lock().pop() else { break };
            let done = match self.hobt(noted.hobt) {
                Ok(hobt) if hobt.kind() == HobtKind::BTree => {
                    let key = noted.key.as_deref();
                    match own == Some(hobt.id()) {
                        true => self.clean_leaf(&hobt, noted.leaf, key),
                        false => self.clean_others_leaf(&hobt, noted.leaf, key),
                    }
                }
                // Dropped in the meantime.
                Ok(_) | Err(StorageError::NoSuchHobt(_)) => Ok(Cleaned::Nothing),
                Err(e) => Err(e),
            };
            match done {
                Ok(Cleaned::Yes) => cleaned += 1,
                Ok(Cleaned::Later) => later.push(noted),
                Ok(Cleaned::Nothing) => {}
                // Somebody's statement will say so; there is room in the log another time.
                Err(StorageError::LogFull(_)) => {
                    later.push(noted);
                    break;
                }
                // Not again and again.
                Err(e) => {
                    self.forget_leaf(noted.hobt);
                    result = Err(e);
                    break;
                }
            }
        }
        later.into_iter().for_each(|noted| self.note_leaf(noted));
        result.map(|()| cleaned)
    }

    /// [`Database::clean_leaf`] for who holds no lock on the tree's object.
    fn clean_others_leaf(
        self: &Arc<Self>,
        hobt: &Hobt,
        id: PageId,
        key: Option<&[u8]>,
    ) -> StorageResult<Cleaned> {
        // The trees of the system stay anyway.
        if hobt.id().0 < FIRST_USER_HOBT {
            return self.clean_leaf(hobt, id, key);
        }
        let Some(_stays) = Stays::held(self, hobt) else { return Ok(Cleaned::Later) };
        match self.hobt(hobt.id()) {
            Ok(there) if std::ptr::eq(&*there, hobt) => self.clean_leaf(hobt, id, key),
            Ok(_) | Err(StorageError::NoSuchHobt(_)) => Ok(Cleaned::Nothing),
            Err(e) => Err(e),
        }
    }

    /// Nobody truncates or drops the tree meanwhile. `key`: one that belongs on the leaf, in case it is empty.
    pub(super) fn clean_leaf(
        self: &Arc<Self>,
        hobt: &Hobt,
        id: PageId,
        key: Option<&[u8]>,
    ) -> StorageResult<Cleaned> {
        // It may have been freed since, with its extent, and hold what it held on the disk.
        if !self.is_allocated(id)? {
            return Ok(Cleaned::Nothing);
        }
        let key = {
            let leaf = self.pool().read_for(&self.store, id, Access::Scan)?;
            if !leaf.is_leaf() || leaf.hobt() != hobt.id() {
                return Ok(Cleaned::Nothing);
            }
            match key {
                _ if leaf.ghosts() > 0 => key_at(&leaf, 0).to_vec(),
                Some(key) if leaf.slots() == 0 => key.to_vec(),
                _ => return Ok(Cleaned::Nothing),
            }
        };
        // From the root: the page may be one of before a truncation.
        if hobt.root().is_none() {
            return Ok(Cleaned::Nothing);
        }
        let mut leaf = leaf_for_write(self, hobt, &key)?;
        if leaf.id() != id {
            return Ok(Cleaned::Nothing);
        }
        if leaf.slots() == 0 {
            drop(leaf);
            if id != hobt.root() {
                remove_leaf(self, hobt, id, &key)?;
            }
            return Ok(Cleaned::Yes);
        }
        if leaf.ghosts() == 0 {
            return Ok(Cleaned::Nothing);
        }
        if TransactionId(leaf.ghost_txn_raw()) >= self.txns.oldest_active() {
            return Ok(Cleaned::Later);
        }
        let mut work = Work::system(self, "GhostCleanup");
        let expunged = expunge(self, &mut work, hobt, &mut leaf, Place::Leaf);
        let empty = leaf.slots() == 0;
        let kept = leaf.ghosts() > 0;
        drop(leaf);
        if let Err(e) = expunged {
            self.abort_system(work, Vec::new());
            return Err(e);
        }
        work.commit_system()?;
        if empty && id != hobt.root() {
            remove_leaf(self, hobt, id, &key)?;
        }
        Ok(if kept { Cleaned::Later } else { Cleaned::Yes })
    }
}

/// The object of a tree, locked so that it is neither truncated nor dropped.
struct Stays<'d> {
    db: &'d Database,
    locks: TxLockState,
}

impl<'d> Stays<'d> {
    /// `None`: somebody is about to do that.
    fn held(db: &'d Database, hobt: &Hobt) -> Option<Stays<'d>> {
        let manager = &db.instance().locks;
        let locks = manager.owner(SessionId(0), OwnerKind::Transaction);
        let mut stays = Stays { db, locks };
        let object = *hobt.object_lock();
        let got = manager.acquire(&mut stays.locks, object, LockMode::SchS, Some(Duration::ZERO));
        got.is_ok().then_some(stays)
    }
}

impl Drop for Stays<'_> {
    fn drop(&mut self) {
        self.db.instance().locks.release_all(&mut self.locks);
    }
}

/// The outcome of cleaning a leaf with ghosts.
pub(super) enum Cleaned {
    /// The ghosts are gone.
    Yes,
    /// A transaction that still runs may want them back, or guards a gap by them; or a snapshot shows their rows.
    Later,
    /// There were none, or it is not that leaf any more.
    Nothing,
}

/// Unlinks a leaf, if it is still empty, and gives it back. `key`: one that belongs on it.
fn remove_leaf(db: &Arc<Database>, hobt: &Hobt, id: PageId, key: &[u8]) -> StorageResult<()> {
    let pool = db.pool();
    let mut parent = pool.write(&db.store, hobt.root())?;
    check_page(db, hobt, &parent, None)?;
    while parent.level() > 1 {
        let Some(child) = child_at(&parent, slot_for(&parent, key)) else { return Ok(()) };
        let next = pool.write(&db.store, child)?;
        check_page(db, hobt, &next, Some(parent.level() - 1))?;
        parent = next;
    }
    if parent.level() == 0 {
        return Ok(());
    }
    let slot = slot_for(&parent, key);
    if slot == 0 || child_at(&parent, slot) != Some(id) {
        return Ok(());
    }
    let Some(left) = child_at(&parent, slot - 1) else { return Ok(()) };
    let mut held = vec![pool.write(&db.store, left)?, pool.write(&db.store, id)?];
    let (before, leaf) = (&held[0], &held[1]);
    let linked = before.next() == id && leaf.prev() == left && leaf.hobt() == hobt.id();
    if leaf.slots() > 0 || !linked || !leaf.is_leaf() {
        return Ok(());
    }
    let next = leaf.next();
    if !next.is_none() {
        held.push(pool.write(&db.store, next)?);
    }
    let mut work = Work::system(db, "FreeLeaf");
    hobt.structure_changes();
    hobt.note_move();
    let context = hobt.leaf_context();
    let done = (|| {
        let prev = held[0].prev();
        split::relink(&mut work, &mut held[0], context, prev, next)?;
        if let Some(after) = held.get_mut(2) {
            let beyond = after.next();
            split::relink(&mut work, after, context, left, beyond)?;
        }
        row::remove_separator(&mut work, &mut parent, slot)?;
        db.deallocate_page(&mut work, hobt.id(), id)
    })();
    match done {
        Ok(()) => {
            work.commit_system()?;
            db.store.rarities.leaves_freed.fetch_add(1, Ordering::Relaxed);
            Ok(())
        }
        Err(e) => {
            held.push(parent);
            db.abort_system(work, held);
            Err(e)
        }
    }
}
