//! What one owner (a transaction, or a session's share of a database) holds.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use smallvec::SmallVec;

use super::mode::LockMode;
use super::resource::{Resource, ResourceKind};
use super::sync::WaitSlot;

/// `request_owner_type`, as far as there are owners of that type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OwnerKind {
    /// A transaction, for as long as it runs.
    Transaction,
    /// A session's use of its database.
    SharedTransactionWorkspace,
}

impl OwnerKind {
    /// The text of `request_owner_type`.
    pub const fn name(self) -> &'static str {
        match self {
            OwnerKind::Transaction => "TRANSACTION",
            OwnerKind::SharedTransactionWorkspace => "SHARED_TRANSACTION_WORKSPACE",
        }
    }
}

/// The owner of locks: a number that no other owner of the process ever has, with the session and
/// the kind folded in, so that a blocked session can name the blocker without a look-up.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct OwnerId(u64);

impl OwnerId {
    pub(super) fn new(number: u64, kind: OwnerKind, session: u16) -> OwnerId {
        let workspace = u64::from(kind == OwnerKind::SharedTransactionWorkspace);
        OwnerId(number << 17 | workspace << 16 | session as u64)
    }

    /// The number of the session, `session_id`.
    pub const fn session(self) -> u16 {
        self.0 as u16
    }

    /// The kind of owner.
    pub const fn kind(self) -> OwnerKind {
        match self.0 >> 16 & 1 {
            0 => OwnerKind::Transaction,
            _ => OwnerKind::SharedTransactionWorkspace,
        }
    }

    /// The unique number, growing in order of creation: serves as `transaction_id` in the views.
    pub const fn number(self) -> u64 {
        self.0 >> 17
    }
}

/// One resource that is held.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    pub resource: Resource,
    /// Index into `objects` of the object that a row or page belongs to; [`NO_OBJECT`] for anything else.
    pub object: u32,
}

pub(super) const NO_OBJECT: u32 = u32::MAX;

/// The locks that an owner has on one object and its parts.
#[derive(Clone, Copy, Debug)]
pub(super) struct ObjectUse {
    pub object: Resource,
    /// The mode held on the object itself; [`LockMode::Null`]: none.
    pub mode: LockMode,
    /// The end of a reading statement leaves it.
    pub kept: bool,
    /// The strongest mode among its row and page locks.
    pub strongest_row: LockMode,
    /// Row and page locks held on it.
    pub rows: u32,
    /// Those taken since the statement began.
    pub rows_in_statement: u32,
    /// At how many of these to try escalation next; [`ROWS_STAY`]: at none.
    pub escalate_at: u32,
}

/// The place at which escalation is never tried for the number of a statement's locks: LOCK_ESCALATION = DISABLE.
pub(super) const ROWS_STAY: u32 = u32::MAX;

/// Locks of one owner. It belongs to the thread that works for the owner; what others must see is in the lock table.
///
/// 1. `held` names each resource once on which the table has a grant for this owner, and no other.
/// 2. An entry of `recent` says no more than the table does: its resource is held in that mode or a stronger one.
///
/// Everything must have been given back ([`super::LockManager::release_all`]) before it is dropped.
pub struct TxLockState {
    pub(super) owner: OwnerId,
    pub(super) held: SmallVec<[Held; INLINE]>,
    pub(super) objects: SmallVec<[ObjectUse; 2]>,
    pub(super) recent: [Option<(Resource, LockMode)>; RECENT],
    /// Rows, with their object's index, that the statement locked in U and that were locked in S before.
    pub(super) raised: Vec<(Resource, u32)>,
    pub(super) slot: Option<Arc<WaitSlot>>,
    pub(super) requests: [u32; ResourceKind::COUNT],
    pub(super) uncounted: u32,
    /// Requests of rows that had to wait and were not counted yet, and the microseconds that they did.
    waited: (u64, u64),
    cancelled: Option<Arc<AtomicBool>>,
    /// `SET DEADLOCK_PRIORITY`: the lowest of a cycle is chosen as victim.
    pub deadlock_priority: i8,
    /// The bytes of log that rolling back would cost: among equal priorities the least is chosen.
    /// The transaction keeps it up to date.
    pub log_bytes: u64,
}

pub(super) const RECENT: usize = 4;
/// Locks that a small transaction holds without allocating.
const INLINE: usize = 6;

impl TxLockState {
    pub(super) fn new(owner: OwnerId) -> TxLockState {
        TxLockState {
            owner,
            held: SmallVec::new(),
            objects: SmallVec::new(),
            recent: [None; RECENT],
            raised: Vec::new(),
            slot: None,
            requests: [0; ResourceKind::COUNT],
            uncounted: 0,
            waited: (0, 0),
            cancelled: None,
            deadlock_priority: 0,
            log_bytes: 0,
        }
    }

    /// The owner of these locks.
    pub fn owner(&self) -> OwnerId {
        self.owner
    }

    /// A flag that makes waits end with [`super::LockError::Cancelled`]. Whoever sets it also calls
    /// [`super::LockManager::cancel_session`], to wake a wait in progress.
    pub fn cancel_with(&mut self, flag: Arc<AtomicBool>) {
        self.cancelled = Some(flag);
    }

    /// The flag of [`TxLockState::cancel_with`] is set.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.as_ref().is_some_and(|c| c.load(Relaxed))
    }

    /// Notes a wait: one for a row, or a page, of `object` is to be counted.
    pub(super) fn note_wait(&mut self, object: u32, waited: std::time::Duration) {
        if object != NO_OBJECT {
            self.waited.0 += 1;
            self.waited.1 += waited.as_micros() as u64;
        }
    }

    /// Whether there are waits to be counted.
    #[inline]
    pub(crate) fn has_waited(&self) -> bool {
        self.waited.0 != 0
    }

    /// The waits that are to be counted, and their microseconds.
    pub(crate) fn take_waits(&mut self) -> (u64, u64) {
        std::mem::take(&mut self.waited)
    }

    /// The number of resources held.
    pub fn count(&self) -> usize {
        self.held.len()
    }

    /// The mode held on an object; [`LockMode::Null`]: none.
    pub fn object_mode(&self, object: &Resource) -> LockMode {
        self.objects.iter().find(|o| o.object == *object).map_or(LockMode::Null, |o| o.mode)
    }

    /// An object's lock is to last as long as the owner's others, through the ends of reading statements.
    pub fn keep_object(&mut self, object: &Resource) {
        let index = self.object(object);
        self.objects[index as usize].kept = true;
    }

    /// The locks of an object's rows stay what they are, however many a statement takes: they become one only where they need too much
    /// memory.
    pub fn keep_rows(&mut self, object: &Resource) {
        let index = self.object(object);
        self.objects[index as usize].escalate_at = ROWS_STAY;
    }

    /// A statement begins: escalation counts the locks of one statement.
    pub fn begin_statement(&mut self) {
        self.raised.clear();
        for object in &mut self.objects {
            object.rows_in_statement = 0;
            if object.escalate_at != ROWS_STAY {
                object.escalate_at = 0;
            }
        }
    }

    /// The index of an object's entry, made if need be.
    pub(super) fn object(&mut self, object: &Resource) -> u32 {
        debug_assert_eq!(object.kind(), ResourceKind::Object);
        if let Some(i) = self.objects.iter().position(|o| o.object == *object) {
            return i as u32;
        }
        self.objects.push(ObjectUse {
            object: *object,
            mode: LockMode::Null,
            kept: false,
            strongest_row: LockMode::Null,
            rows: 0,
            rows_in_statement: 0,
            escalate_at: 0,
        });
        self.objects.len() as u32 - 1
    }

    pub(super) fn recently(&self, hash: u64, resource: &Resource, mode: LockMode) -> bool {
        match &self.recent[hash as usize % RECENT] {
            Some((r, held)) => r == resource && held.covers(mode),
            None => false,
        }
    }

    pub(super) fn remember(&mut self, hash: u64, resource: &Resource, mode: LockMode) {
        self.recent[hash as usize % RECENT] = Some((*resource, mode));
    }

    pub(super) fn forget(&mut self, hash: u64, resource: &Resource) {
        let recent = &mut self.recent[hash as usize % RECENT];
        if recent.is_some_and(|(r, _)| r == *resource) {
            *recent = None;
        }
    }
}

impl Drop for TxLockState {
    fn drop(&mut self) {
        debug_assert!(
            self.held.is_empty() || std::thread::panicking(),
            "{} locks of {:?} left",
            self.held.len(),
            self.owner
        );
    }
}
