//! Locks and transactions.

use super::{Declaration, Rows, ViewContext, sys};
use crate::catalog::datetime;
use crate::row;
use std::sync::atomic::Ordering::Relaxed;
use taffrail_base::SqlResult;
use taffrail_types::Value;

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.extend([
        sys("dm_tran_locks", &["resource_type nvarchar(60)! · resource_subtype nvarchar(60)! · resource_database_id int! · resource_description nvarchar(256)! · resource_associated_entity_id bigint? · resource_lock_partition int! · request_mode nvarchar(60)! · request_type nvarchar(60)! · request_status nvarchar(60)! · request_reference_count smallint! · request_lifetime int! · request_session_id int! · request_exec_context_id int! · request_request_id int! · request_owner_type nvarchar(60)! · request_owner_id bigint? · request_owner_guid uniqueidentifier? · request_owner_lockspace_id nvarchar(32)! · lock_owner_address varbinary(8)!"], locks),
        sys("dm_tran_database_transactions", &["transaction_id bigint! · database_id int! · database_transaction_begin_time datetime? · database_transaction_type int! · database_transaction_state int! · database_transaction_status int! · database_transaction_status2 int! · database_transaction_log_record_count bigint! · database_transaction_replicate_record_count int! · database_transaction_log_bytes_used bigint! · database_transaction_log_bytes_reserved bigint! · database_transaction_log_bytes_used_system int! · database_transaction_log_bytes_reserved_system int! · database_transaction_begin_lsn numeric(25,0)? · database_transaction_last_lsn numeric(25,0)? · database_transaction_most_recent_savepoint_lsn numeric(25,0)? · database_transaction_commit_lsn numeric(25,0)? · database_transaction_last_rollback_lsn numeric(25,0)? · database_transaction_next_undo_lsn numeric(25,0)?"], database_transactions),
        sys("dm_tran_active_transactions", &["transaction_id bigint! · name nvarchar(32)! · transaction_begin_time datetime! · transaction_type int! · transaction_uow uniqueidentifier? · transaction_state int! · transaction_status int! · transaction_status2 int! · dtc_state int! · dtc_status int! · dtc_isolation_level int! · filestream_transaction_id varbinary(128)?"], active_transactions),
        sys("dm_tran_session_transactions", &["session_id int! · transaction_id bigint! · transaction_descriptor binary(8)! · enlist_count int! · is_user_transaction bit! · is_local bit! · is_enlisted bit! · is_bound bit! · open_transaction_count int!"], session_transactions),
    ]);
}

fn locks(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for lock in cx.database.storage.instance().locks.snapshot() {
        let r = lock.resource;
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
            lock.owner.session(),
            0,
            0,
            lock.owner.kind().name(),
            lock.owner.number() as i64,
            Value::Guid([0; 16]),
            "",
            &lock.owner.number().to_be_bytes()[..]
        ]);
    }
    Ok(())
}

fn database_transactions(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for slot in cx.session.instance.databases().list() {
        let Some(database) = &slot.database else { continue };
        let log = database.storage.log();
        for t in database.storage.active_transactions() {
            rows.push(row![
                t.id.0,
                database.id.0,
                datetime(t.begun),
                if t.system { 3 } else { 1 },
                4,
                0,
                0,
                t.log_records.load(Relaxed),
                0,
                t.log_bytes.load(Relaxed),
                0,
                0,
                0,
                log.lsn(t.first_bound),
                (),
                (),
                (),
                (),
                ()
            ]);
        }
    }
    Ok(())
}

fn active_transactions(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for slot in cx.session.instance.databases().list() {
        let Some(database) = &slot.database else { continue };
        for t in database.storage.active_transactions() {
            let kind = if t.system { 3 } else { 1 };
            let begun = datetime(t.begun);
            rows.push(row![t.id.0, t.name, begun, kind, (), 2, 0, 0, 0, 0, -1, ()]);
        }
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
        rows.push(row![s.id.0, id, &id.to_be_bytes()[..], 0, true, true, false, false, open]);
    }
    Ok(())
}
