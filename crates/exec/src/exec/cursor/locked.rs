//! SCROLL_LOCKS: the row that was fetched last is locked in U until the next FETCH or CLOSE, whatever becomes of transactions.
//!
//! While the session has a transaction in the database, the locks are the transaction's: its statements are not in their own way. At
//! its end an owner of the session's takes them over ([`ScrollLocks::keep`]), and the next transaction that begins there has them from
//! it ([`ScrollLocks::lend`]).

use super::positioned::RowMark;
use super::{Cursor, Cursors};
use crate::session::Session;
use std::sync::Arc;
use taffrail_base::{SessionId, SqlResult};
use taffrail_storage::lock::{OwnerKind, Resource, TxLockState};
use taffrail_storage::{LockedRow, StorageInstance, Transaction};

/// The locks of cursors' rows that no transaction of the session has.
#[derive(Default)]
pub(super) struct ScrollLocks {
    own: Option<(Arc<StorageInstance>, TxLockState)>,
}

impl Drop for ScrollLocks {
    fn drop(&mut self) {
        if let Some((instance, locks)) = &mut self.own {
            instance.locks.release_all(locks);
        }
    }
}

impl Cursors {
    /// A transaction begins in a database: it has the locks of the cursors' rows there.
    pub(crate) fn lend_locks(&mut self, tx: &mut Transaction) {
        if let Some((_, locks)) = &mut self.scroll_locks.own {
            tx.take_locks(locks);
        }
    }

    /// A transaction is about to end: the locks of the cursors' rows in its database outlast it.
    pub(crate) fn keep_locks(&mut self, session: SessionId, tx: &mut Transaction) {
        let database = tx.database().id();
        for c in self.list.iter_mut().filter(|c| !c.locked.is_empty()) {
            let (_, locks) = self.scroll_locks.own.get_or_insert_with(|| {
                let instance = tx.database().instance().clone();
                let locks = instance.locks.owner(session, OwnerKind::Transaction);
                (instance, locks)
            });
            c.locked.retain(|row| row.row.database_id() != database || tx.give_row(row, locks));
        }
    }

    /// A transaction has ended, or a cursor has been closed, which has no row then: what no cursor wants is given back.
    pub(crate) fn settle_locks(&mut self) {
        let Some((instance, locks)) = &mut self.scroll_locks.own else { return };
        if locks.count() == 0 {
            return;
        }
        let locked = self.list.iter().flat_map(|c| &c.locked);
        let wanted = locked.flat_map(|l| [l.object, l.row]);
        let wanted: Vec<Resource> = wanted.collect();
        instance.locks.keep_only(locks, &wanted);
    }
}

impl Cursor {
    /// The session may have its rows locked by another owner than its transaction.
    pub(super) fn is_locked(&self) -> bool {
        !self.locked.is_empty()
    }
}

impl Session {
    /// The rows that a cursor with SCROLL_LOCKS is on, in the transaction that has locked them; none: it is on no row.
    pub(super) fn lock_rows_of(&mut self, cursor: i32, marks: &[RowMark]) -> SqlResult<()> {
        let list = &self.held.cursors.list;
        let Some(at) = list.iter().position(|c| c.shown.id == cursor) else { return Ok(()) };
        let tables = list[at].made.tables.clone();
        let mut locked: Vec<LockedRow> = Vec::new();
        for (mark, of) in marks.iter().zip(&tables).filter(|(m, _)| !m.locator.is_empty()) {
            let hobt = of.table.base().hobt()?;
            let part = self.part(of.database.id).locks_of_row(hobt, &mark.locator);
            locked.push(part.map_err(|e| e.to_sql())?);
        }
        self.held.cursors.list[at].locked = locked;
        Ok(())
    }

    /// The locks of cursors' rows go from the transaction that ends to the session.
    pub(crate) fn keep_scroll_locks(&mut self, tx: &mut Transaction) {
        let session = self.id;
        if self.held.cursors.list.iter().any(Cursor::is_locked) {
            self.held.cursors.keep_locks(session, tx);
        }
    }
}
