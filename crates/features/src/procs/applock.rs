//! `sp_getapplock`, `sp_releaseapplock`: locks on names that applications agree on.
//!
//! A lock belongs to the transaction, and ends with it, or to the session ([`AppLocks`]), and ends with that or with a
//! reset of its connection. Whoever asks for a name again has to release it as many times. The lock table knows the
//! 64-bit hash of a name; names are told apart by their code units, whatever the collation.

use super::Arguments;
use crate::session::app_locks::{Count, mode_named, resource_of};
use crate::session::context::StatementContext;
use std::time::Duration;
use taffrail_base::{SqlError, SqlResult};
use taffrail_storage::StorageInstance;
use taffrail_storage::lock::{LockError, OwnerId, OwnerKind, TxLockState};

/// What both procedures are told: the name, and whether the session is the owner.
fn resource_and_owner(
    cx: &StatementContext<'_>,
    procedure: &str,
    args: &Arguments<'_>,
    [owner_at, principal_at]: [usize; 2],
) -> SqlResult<(String, bool)> {
    let name = args.text(0).unwrap_or_default();
    let owner = args.text(owner_at).unwrap_or_else(|| "Transaction".into());
    let principal = args.text(principal_at).unwrap_or_else(|| "public".into());
    cx.session.application_lock_named(procedure, [&principal, &name, &owner], true)
}

/// Calls `with` with the locks of the owner and the counts.
fn with_owner<R>(
    cx: &mut StatementContext<'_>,
    session: bool,
    with: impl FnOnce(&StorageInstance, &mut TxLockState, &mut Vec<Count>) -> R,
) -> SqlResult<R> {
    let database = cx.database();
    let instance = database.storage.instance().clone();
    // Apart for the time of the call: a transaction's locks are the session's too.
    let mut locks = std::mem::take(&mut cx.session.kept.app_locks);
    let parts = &mut cx.session.transaction.parts;
    let alive: Vec<OwnerId> = parts.iter_mut().map(|p| p.tx.locks_mut().owner()).collect();
    locks.counts.retain(|c| c.owner.kind() != OwnerKind::Transaction || alive.contains(&c.owner));
    let done = if session {
        let (_, own) = locks.own.get_or_insert_with(|| {
            let mut own =
                instance.locks.owner(cx.session.id, OwnerKind::SharedTransactionWorkspace);
            own.cancel_with(cx.session.running.cancel.clone());
            (instance.clone(), own)
        });
        own.deadlock_priority = cx.session.activation.options.deadlock_priority;
        Ok(with(&instance, own, &mut locks.counts))
    } else {
        cx.transaction(&database).map(|tx| {
            let tx = tx.locks_mut();
            with(&instance, tx, &mut locks.counts)
        })
    };
    cx.session.kept.app_locks = locks;
    done
}

/// `sp_getapplock @Resource, @LockMode [, @LockOwner] [, @LockTimeout] [, @DbPrincipal]`: 0 granted, 1 granted after a
/// wait, -1 timed out, -3 deadlock victim (which costs the lock, and not the transaction).
pub(super) fn get(cx: &mut StatementContext<'_>, args: &Arguments<'_>) -> SqlResult<i32> {
    const PROCEDURE: &str = "sp_getapplock";
    let mode = mode_named(PROCEDURE, &args.text(1).unwrap_or_default())?;
    let timeout = args.number(3).unwrap_or(cx.session.activation.options.lock_timeout.into());
    let timeout = match timeout {
        -1 => None,
        0.. => Some(Duration::from_millis(timeout.unsigned_abs())),
        _ => return Err(SqlError::new(1227, &[&PROCEDURE])),
    };
    let (name, session) = resource_and_owner(cx, PROCEDURE, args, [2, 4])?;
    let resource = resource_of(cx.database().id, &name);
    let result = with_owner(cx, session, |instance, locks, counts| {
        let manager = &instance.locks;
        let result = match manager.try_acquire(locks, resource, mode) {
            true => Ok(0),
            false => manager.acquire(locks, resource, mode, timeout).map(|_| 1),
        };
        if result.is_ok() {
            let owner = locks.owner();
            match counts.iter_mut().find(|c| c.owner == owner && c.resource == resource) {
                Some(count) => count.times += 1,
                None => counts.push(Count { owner, resource, times: 1 }),
            }
        }
        result
    })?;
    match result {
        Ok(status) => Ok(status),
        Err(LockError::Timeout(_)) => Ok(-1),
        Err(LockError::Deadlock { .. }) => Ok(-3),
        Err(e) => Err(e.to_sql()),
    }
}

/// `sp_releaseapplock @Resource [, @LockOwner] [, @DbPrincipal]`: 0, or 1223 for what is not held.
pub(super) fn release(cx: &mut StatementContext<'_>, args: &Arguments<'_>) -> SqlResult<i32> {
    const PROCEDURE: &str = "sp_releaseapplock";
    let (name, session) = resource_and_owner(cx, PROCEDURE, args, [1, 2])?;
    let resource = resource_of(cx.database().id, &name);
    let held = with_owner(cx, session, |instance, locks, counts| {
        let owner = locks.owner();
        let at = counts.iter().position(|c| c.owner == owner && c.resource == resource)?;
        counts[at].times -= 1;
        if counts[at].times == 0 {
            counts.swap_remove(at);
            instance.locks.release(locks, &resource);
        }
        Some(())
    })?;
    match held {
        Some(()) => Ok(0),
        None => Err(SqlError::new(1223, &[&"public", &name])),
    }
}
