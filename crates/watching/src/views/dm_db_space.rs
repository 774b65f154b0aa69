//! sys.dm_db_session_space_usage, dm_db_task_space_usage: pages of tempdb by who uses them. Rows that a statement keeps and that have no
//! room in memory are internal objects: they lie in files beside those of tempdb.

use super::{Declaration, Rows, ViewContext, sys};
use crate::features::needs;
use crate::row;
use taffrail_base::SqlResult;
use taffrail_observe::Status;
use taffrail_types::Value;

const TEMPDB: i64 = 2;

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.extend([
        sys(
            "dm_db_session_space_usage",
            needs::SERVER_PERFORMANCE,
            &[
                "session_id smallint?",
                "database_id smallint?",
                "user_objects_alloc_page_count bigint?",
                "user_objects_dealloc_page_count bigint?",
                "internal_objects_alloc_page_count bigint?",
                "internal_objects_dealloc_page_count bigint?",
                "user_objects_deferred_dealloc_page_count bigint?",
            ],
            sessions,
        ),
        sys(
            "dm_db_task_space_usage",
            needs::SERVER_PERFORMANCE,
            &[
                "task_address varbinary(8)!",
                "is_remote_task bit!",
                "session_id smallint!",
                "request_id int?",
                "exec_context_id int?",
                "database_id smallint?",
                "user_objects_alloc_page_count bigint?",
                "user_objects_dealloc_page_count bigint?",
                "internal_objects_alloc_page_count bigint?",
                "internal_objects_dealloc_page_count bigint?",
            ],
            tasks,
        ),
    ]);
}

/// What requests have done that are over.
fn sessions(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for s in cx.session.instance.all_sessions() {
        let [[allocated, freed, kept, dropped], _] = s.tempdb_pages();
        rows.push(row![s.id.0, TEMPDB, allocated, freed, kept, dropped, 0]);
    }
    Ok(())
}

/// What those that run have done.
fn tasks(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for s in cx.session.instance.all_sessions() {
        if s.cell.status() == Status::Sleeping {
            continue;
        }
        let [_, [allocated, freed, kept, dropped]] = s.tempdb_pages();
        let task = u64::from(s.id.0).to_be_bytes();
        rows.push(row![&task[..], false, s.id.0, 0, 0, TEMPDB, allocated, freed, kept, dropped]);
    }
    Ok(())
}
