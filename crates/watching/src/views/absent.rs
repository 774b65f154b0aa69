//! Views of what is not built that have rows all the same: no database is mirrored, the query store is off, there is one endpoint, one
//! collection of XML schemas, one login.

use super::empty::none;
use super::{Declaration, Rows, ViewContext, function, sys};
use crate::catalog::principals::{DBO_USER, PrincipalKind};
use crate::features::needs;
use crate::row;
use crate::session::identity::{ContextScope, server_roles};
use taffrail_base::SqlResult;
use taffrail_types::Value;

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.extend([
        sys(
            "database_mirroring",
            needs::METADATA,
            &[
                "database_id int!",
                "mirroring_guid uniqueidentifier?",
                "mirroring_state tinyint?",
                "mirroring_state_desc nvarchar(60)?",
                "mirroring_role tinyint?",
                "mirroring_role_desc nvarchar(60)?",
                "mirroring_role_sequence int?",
                "mirroring_safety_level tinyint?",
                "mirroring_safety_level_desc nvarchar(60)?",
                "mirroring_safety_sequence int?",
                "mirroring_partner_name nvarchar(128)?",
                "mirroring_partner_instance nvarchar(128)?",
                "mirroring_witness_name nvarchar(128)?",
                "mirroring_witness_state tinyint?",
                "mirroring_witness_state_desc nvarchar(60)?",
                "mirroring_failover_lsn numeric(25,0)?",
                "mirroring_connection_timeout int?",
                "mirroring_redo_queue int?",
                "mirroring_redo_queue_type nvarchar(60)?",
                "mirroring_end_of_log_lsn numeric(25,0)?",
                "mirroring_replication_lsn numeric(25,0)?",
            ],
            mirroring,
        ),
        function(
            "dm_db_incremental_stats_properties",
            needs::STATISTICS_SEEN,
            2,
            &[
                "object_id int!",
                "stats_id int!",
                "partition_number int!",
                "last_updated datetime2(7)?",
                "rows bigint?",
                "rows_sampled bigint?",
                "steps int?",
                "unfiltered_rows bigint?",
                "modification_counter bigint?",
            ],
            none,
        ),
        sys(
            "endpoints",
            needs::METADATA,
            &[
                "name sysname!",
                "endpoint_id int!",
                "principal_id int?",
                "protocol tinyint!",
                "protocol_desc nvarchar(60)?",
                "type tinyint!",
                "type_desc nvarchar(60)?",
                "state tinyint?",
                "state_desc nvarchar(60)?",
                "is_admin_endpoint bit!",
            ],
            |_, _, rows| {
                // What every session comes by.
                rows.push(row!["TSQL Default TCP", 4, 1, 2, "TCP", 2, "TSQL", 0, "STARTED", false]);
                Ok(())
            },
        ),
        sys(
            "xml_schema_collections",
            needs::METADATA,
            &[
                "xml_collection_id int!",
                "schema_id int!",
                "principal_id int?",
                "name sysname!",
                "create_date datetime!",
                "modify_date datetime!",
            ],
            |cx, _, rows| {
                let date = super::objects::system_date(cx);
                rows.push(row![1, 4, (), "sys", &date, &date]);
                Ok(())
            },
        ),
        sys(
            "database_query_store_options",
            needs::DATABASE_STATE,
            &[
                "desired_state smallint!",
                "desired_state_desc nvarchar(60)?",
                "actual_state smallint!",
                "actual_state_desc nvarchar(60)?",
                "readonly_reason int?",
                "current_storage_size_mb bigint?",
                "flush_interval_seconds bigint?",
                "interval_length_minutes bigint?",
                "max_storage_size_mb bigint?",
                "stale_query_threshold_days bigint?",
                "max_plans_per_query bigint?",
                "query_capture_mode smallint!",
                "query_capture_mode_desc nvarchar(60)?",
                "capture_policy_execution_count int?",
                "capture_policy_total_compile_cpu_time_ms bigint?",
                "capture_policy_total_execution_cpu_time_ms bigint?",
                "capture_policy_stale_threshold_hours int?",
                "size_based_cleanup_mode smallint!",
                "size_based_cleanup_mode_desc nvarchar(60)?",
                "wait_stats_capture_mode smallint!",
                "wait_stats_capture_mode_desc nvarchar(60)?",
                "actual_state_additional_info nvarchar(4000)?",
            ],
            |_, _, rows| {
                // It is off, and there is nothing to turn on.
                rows.push(row![
                    0,
                    "OFF",
                    0,
                    "OFF",
                    0,
                    0,
                    900,
                    60,
                    1000,
                    30,
                    200,
                    2,
                    "AUTO",
                    (),
                    (),
                    (),
                    (),
                    1,
                    "AUTO",
                    1,
                    "ON",
                    ""
                ]);
                Ok(())
            },
        ),
        sys("login_token", needs::PUBLIC, &[TOKEN], login_token),
        sys("user_token", needs::PUBLIC, &[TOKEN], user_token),
    ]);
}

/// A row for each database that is shown, as in SQL Server: none is mirrored.
fn mirroring(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let seen = cx.session.databases_seen();
    let slots = cx.session.instance.databases().list();
    for slot in slots.into_iter().filter(|slot| seen.database(&slot.entry)) {
        let mut cells = vec![Value::Null; 21];
        cells[0] = Value::BigInt(slot.entry.id.0 as i64);
        rows.push(cells);
    }
    Ok(())
}

const TOKEN: &str = "\
    principal_id int? · sid varbinary(85)? · name nvarchar(128)? · type nvarchar(128)? · usage nvarchar(128)?";

/// The login with its roles. In a context that is of one database alone they count for DENY only.
fn login_token(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let context = cx.session.activation.security();
    let all = cx.session.server_principals();
    let usage = match context.scope {
        ContextScope::Server => "GRANT OR DENY",
        _ => "DENY ONLY",
    };
    let login = all.get(context.login_id).into_iter().map(|p| (p, "SQL LOGIN"));
    let roles = server_roles(&all, context.login_id);
    let roles = roles.iter().filter_map(|id| all.get(*id)).map(|p| (p, "SERVER ROLE"));
    for (p, kind) in login.chain(roles) {
        rows.push(row![p.id, p.sid.as_deref(), &p.name, kind, usage]);
    }
    Ok(())
}

/// The user with its roles.
fn user_token(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let identity = cx.session.identity_in(cx.database)?;
    let all = cx.session.principals_of(cx.database);
    let owner = cx.session.instance.owner_sid(cx.database);
    for p in identity.principals().filter_map(|id| all.get(id)) {
        let sid = if p.id == DBO_USER { Some(&owner[..]) } else { p.sid.as_deref() };
        let kind = match p.kind {
            PrincipalKind::Role => "ROLE",
            PrincipalKind::ApplicationRole => "APPLICATION ROLE",
            _ => "SQL USER",
        };
        rows.push(row![p.id, sid, &p.name, kind, "GRANT OR DENY"]);
    }
    Ok(())
}
