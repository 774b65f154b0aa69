//! Locks and transactions.

use super::{Declaration, Rows, ViewContext, sys};
use crate::catalog::datetime;
use crate::database::Database;
use crate::features::needs;
use crate::instance::SessionInfo;
use crate::row;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use taffrail_base::{LogPos, Lsn, SqlResult};
use taffrail_io::UtcTime;
use taffrail_observe::Status;
use taffrail_storage::lock::{OwnerKind, ResourceKind};
use taffrail_storage::txn::TxnEntry;
use taffrail_types::Value;

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.extend([
        sys(
            "dm_tran_locks",
            needs::SERVER_PERFORMANCE,
            &[
                "resource_type nvarchar(60)!",
                "resource_subtype nvarchar(60)!",
                "resource_database_id int!",
                "resource_description nvarchar(256)!",
                "resource_associated_entity_id bigint?",
                "resource_lock_partition int!",
                "request_mode nvarchar(60)!",
                "request_type nvarchar(60)!",
                "request_status nvarchar(60)!",
                "request_reference_count smallint!",
                "request_lifetime int!",
                "request_session_id int!",
                "request_exec_context_id int!",
                "request_request_id int!",
                "request_owner_type nvarchar(60)!",
                "request_owner_id bigint?",
                "request_owner_guid uniqueidentifier?",
                "request_owner_lockspace_id nvarchar(32)!",
                "lock_owner_address varbinary(8)!",
            ],
            locks,
        ),
        sys(
            "dm_tran_database_transactions",
            needs::SERVER_PERFORMANCE,
            &[
                "transaction_id bigint!",
                "database_id int!",
                "database_transaction_begin_time datetime?",
                "database_transaction_type int!",
                "database_transaction_state int!",
                "database_transaction_status int!",
                "database_transaction_status2 int!",
                "database_transaction_log_record_count bigint!",
                "database_transaction_replicate_record_count int!",
                "database_transaction_log_bytes_used bigint!",
                "database_transaction_log_bytes_reserved bigint!",
                "database_transaction_log_bytes_used_system int!",
                "database_transaction_log_bytes_reserved_system int!",
                "database_transaction_begin_lsn numeric(25,0)?",
                "database_transaction_last_lsn numeric(25,0)?",
                "database_transaction_most_recent_savepoint_lsn numeric(25,0)?",
                "database_transaction_commit_lsn numeric(25,0)?",
                "database_transaction_last_rollback_lsn numeric(25,0)?",
                "database_transaction_next_undo_lsn numeric(25,0)?",
            ],
            database_transactions,
        ),
        sys(
            "dm_tran_active_transactions",
            needs::SERVER_PERFORMANCE,
            &[
                "transaction_id bigint!",
                "name nvarchar(32)!",
                "transaction_begin_time datetime!",
                "transaction_type int!",
                "transaction_uow uniqueidentifier?",
                "transaction_state int!",
                "transaction_status int!",
                "transaction_status2 int!",
                "dtc_state int!",
                "dtc_status int!",
                "dtc_isolation_level int!",
                "filestream_transaction_id varbinary(128)?",
            ],
            active_transactions,
        ),
        sys(
            "dm_tran_session_transactions",
            needs::SERVER_PERFORMANCE,
            &[
                "session_id int!",
                "transaction_id bigint!",
                "transaction_descriptor binary(8)!",
                "enlist_count int!",
                "is_user_transaction bit!",
                "is_local bit!",
                "is_enlisted bit!",
                "is_bound bit!",
                "open_transaction_count int!",
            ],
            session_transactions,
        ),
        sys(
            "dm_tran_current_transaction",
            needs::SERVER_PERFORMANCE,
            &[
                "transaction_id bigint!",
                "transaction_sequence_num bigint!",
                "transaction_is_snapshot bit!",
                "first_snapshot_sequence_num bigint?",
                "last_transaction_sequence_num bigint?",
                "first_useful_sequence_num bigint?",
            ],
            current_transaction,
        ),
    ]);
}

/// A session's transaction, as views number it.
fn transaction_of(sessions: &[Arc<SessionInfo>], session: u16) -> Option<u64> {
    let s = sessions.iter().find(|s| s.id.0 == session)?;
    Some(s.cell.transaction_id.load(Relaxed)).filter(|id| *id != 0)
}

fn locks(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let sessions = cx.session.instance.sessions();
    for lock in cx.database.storage.instance().locks.snapshot() {
        let r = lock.resource;
        // A transaction's locks are joined to it by its number; those of sessions have the lock owner's.
        let number = match lock.owner.kind() {
            OwnerKind::Transaction => transaction_of(&sessions, lock.owner.session()),
            _ => None,
        };
        rows.push(row![
            r.kind().name(),
            "",
            r.database_id().0,
            r.description(),
            r.associated_entity_id(),
            0,
            lock.mode.name(),
            "LOCK",
            lock.status.name(),
            1,
            0,
            lock.owner.session().cast_signed(),
            0,
            0,
            match (lock.owner.kind(), r.kind()) {
                // A session holds for itself what it asked for by name.
                (OwnerKind::SharedTransactionWorkspace, ResourceKind::Application) => "SESSION",
                (kind, _) => kind.name(),
            },
            number.unwrap_or(lock.owner.number()),
            Value::Guid([0; 16]),
            "",
            super::waiting_tasks::request_address(&lock)
        ]);
    }
    Ok(())
}

/// Calls `each` for every transaction that has written, of every database.
fn each_transaction(cx: &ViewContext<'_>, mut each: impl FnMut(&Database, &TxnEntry)) {
    for slot in cx.session.instance.databases().list() {
        let Some(database) = &slot.database else { continue };
        for t in database.storage.active_transactions() {
            each(database, &t);
        }
    }
}

/// `transaction_type`: read/write or system.
fn kind(t: &TxnEntry) -> i32 {
    if t.system { 3 } else { 1 }
}

/// Transactions that restart has adopted began before the log's times are known.
fn begun(at: UtcTime) -> Option<Value> {
    (at.0 != 0).then(|| datetime(at))
}

/// `database_transaction_last_rollback_lsn` of a transaction that was never rolled back to anywhere.
const NEVER: Lsn = Lsn::new(u32::MAX, u32::MAX, u16::MAX);

fn database_transactions(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let mut written = Vec::new();
    each_transaction(cx, |database, t| {
        let log = database.storage.log();
        let lsn = |pos: LogPos| log.lsn(pos);
        let ended = t.has_ended();
        rows.push(row![
            t.number.load(Relaxed),
            database.id.0,
            begun(t.begun),
            kind(t),
            // 4: has log records; 12: its end is in the log and on its way to the disk.
            if ended { 12 } else { 4 },
            0,
            0,
            t.log_records.load(Relaxed),
            0,
            t.log_bytes.load(Relaxed),
            t.log_reserved.load(Relaxed),
            0,
            0,
            lsn(LogPos(t.first.load(Relaxed)).max(t.first_bound)),
            lsn(t.last()),
            lsn(LogPos(t.savepoint.load(Relaxed))),
            if ended { lsn(t.last()) } else { None },
            lsn(LogPos(t.rolled_back_to.load(Relaxed))).unwrap_or(NEVER),
            lsn(t.undo_next())
        ]);
        written.push((t.number.load(Relaxed), database.id.0));
    });
    // What a transaction has only read in: no record, so neither a time nor an LSN.
    for s in cx.session.instance.sessions() {
        let number = s.cell.transaction_id.load(Relaxed);
        if number == 0 || s.cell.open_transaction_count.load(Relaxed) == 0 {
            continue;
        }
        for id in s.cell.touched_databases() {
            if !written.contains(&(number, id)) {
                rows.push(row![
                    number,
                    id,
                    (),
                    1,
                    3,
                    0,
                    0,
                    0,
                    0,
                    0,
                    0,
                    0,
                    0,
                    (),
                    (),
                    (),
                    (),
                    (),
                    ()
                ]);
            }
        }
    }
    Ok(())
}

/// True for the session whose open transaction has this number.
fn has_open(s: &SessionInfo, number: u64) -> bool {
    s.cell.transaction_id.load(Relaxed) == number && s.cell.open_transaction_count.load(Relaxed) > 0
}

/// When a session's open transaction was begun.
fn open_since(s: &SessionInfo) -> Value {
    datetime(UtcTime(s.cell.transaction_begun.load(Relaxed)))
}

fn active_transactions(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let sessions = cx.session.instance.sessions();
    let mut seen = Vec::new();
    each_transaction(cx, |_, t| {
        let number = t.number.load(Relaxed);
        // One that writes in several databases is one transaction.
        if seen.contains(&number) {
            return;
        }
        seen.push(number);
        let state = if t.has_ended() { 6 } else { 2 };
        // It began with its BEGIN TRANSACTION; one of autocommit with what it writes.
        let (name, at) = match sessions.iter().find(|s| has_open(s, number)) {
            Some(s) => (s.transaction_name().to_string(), Some(open_since(s))),
            None => (t.shown_name().to_owned(), begun(t.begun)),
        };
        let at = at.unwrap_or_else(|| datetime(UtcTime(0)));
        rows.push(row![number, name, at, kind(t), (), state, 0, 0, 0, 0, 0, ()]);
    });
    for s in &sessions {
        let number = s.cell.transaction_id.load(Relaxed);
        let open = s.cell.open_transaction_count.load(Relaxed);
        if open == 0 || number == 0 || seen.contains(&number) {
            continue;
        }
        rows.push(row![number, &*s.transaction_name(), open_since(s), 1, (), 2, 0, 0, 0, 0, 0, ()]);
    }
    Ok(())
}

fn session_transactions(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for s in cx.session.instance.sessions() {
        let id = s.cell.transaction_id.load(Relaxed);
        let open = s.cell.open_transaction_count.load(Relaxed);
        if open == 0 {
            continue;
        }
        // How many requests work in it: the one that runs now.
        let enlisted = i32::from(s.cell.status() != Status::Sleeping);
        let descriptor = id.to_be_bytes();
        rows.push(row![s.id.0, id, &descriptor[..], enlisted, true, true, false, false, open]);
    }
    Ok(())
}

/// The transaction of the statement that asks.
fn current_transaction(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let (own, is_snapshot, last, useful) = super::row_versions::current(cx);
    let first = is_snapshot.then_some(own);
    rows.push(row![cx.session.transaction.number(), own, is_snapshot, first, last, useful]);
    Ok(())
}
