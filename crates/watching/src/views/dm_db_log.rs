//! The log of a database: its VLFs, its state, its space.

use super::{Declaration, Rows, ViewContext, function, integer, sys};
use crate::catalog::datetime;
use crate::database::Database;
use crate::features::needs;
use crate::row;
use crate::vlfs::{log_file_ids, vlf_status};
use std::sync::Arc;
use taffrail_base::{DatabaseId, LogPos, SqlError, SqlResult};
use taffrail_log::VlfStatus;
use taffrail_types::Value;

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.extend([
        function(
            "dm_db_log_info",
            needs::DATABASE_PERFORMANCE,
            1,
            &[
                "database_id int!",
                "file_id smallint!",
                "vlf_begin_offset bigint!",
                "vlf_size_mb float!",
                "vlf_sequence_number bigint!",
                "vlf_active bit!",
                "vlf_status int!",
                "vlf_parity tinyint!",
                "vlf_first_lsn nvarchar(48)?",
                "vlf_create_lsn nvarchar(48)?",
                "vlf_encryptor_thumbprint varbinary(20)?",
            ],
            log_info,
        ),
        function(
            "dm_db_log_stats",
            needs::SERVER_PERFORMANCE,
            1,
            &[
                "database_id int?",
                "recovery_model nvarchar(60)?",
                "log_min_lsn nvarchar(24)?",
                "log_end_lsn nvarchar(24)?",
                "current_vlf_sequence_number bigint?",
                "current_vlf_size_mb float?",
                "total_vlf_count bigint?",
                "total_log_size_mb float?",
                "active_vlf_count bigint?",
                "active_log_size_mb float?",
                "log_truncation_holdup_reason nvarchar(60)?",
                "log_backup_time datetime?",
                "log_backup_lsn nvarchar(24)?",
                "log_since_last_log_backup_mb float?",
                "log_checkpoint_lsn nvarchar(24)?",
                "log_since_last_checkpoint_mb float?",
                "log_recovery_lsn nvarchar(24)?",
                "log_recovery_size_mb float?",
                "recovery_vlf_count bigint?",
            ],
            log_stats,
        ),
        sys(
            "dm_db_log_space_usage",
            needs::SERVER_PERFORMANCE,
            &[
                "database_id smallint!",
                "total_log_size_in_bytes bigint!",
                "used_log_space_in_bytes bigint!",
                "used_log_space_in_percent real!",
                "log_space_in_bytes_since_last_backup bigint?",
            ],
            space_usage,
        ),
    ]);
}

/// The database that an argument names: NULL, DEFAULT and 0 mean the current one. One that is not open has no rows.
fn named(cx: &ViewContext<'_>, args: &[Value]) -> SqlResult<Option<Arc<Database>>> {
    let by_id = |id| cx.session.instance.databases().by_id(DatabaseId(u16::try_from(id).ok()?));
    Ok(match integer(args, 0)? {
        None | Some(0) => Some(cx.database.clone()),
        Some(id) => by_id(id),
    })
}

fn mb(bytes: u64) -> f64 {
    let mb = bytes as f64 / (1 << 20) as f64;
    (mb * 100.0).round() / 100.0
}

fn log_info(cx: &ViewContext<'_>, args: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let Some(database) = named(cx, args)? else { return Ok(()) };
    // The view was asked for in the database that it was named through.
    if !cx.session.holds_in(&database, &needs::DATABASE_PERFORMANCE) {
        let missing = "VIEW DATABASE PERFORMANCE STATE";
        return Err(SqlError::new(262, &[&missing, &database.name]).with_severity(14));
    }
    let ids = log_file_ids(&database);
    for v in database.storage.log().vlfs() {
        let active = v.status == VlfStatus::Active;
        rows.push(row![
            database.id.0,
            ids.get(v.file).copied().unwrap_or(0),
            v.offset,
            mb(v.size),
            v.seqno.0,
            active,
            vlf_status(v.status),
            v.parity,
            v.first_lsn.to_string(),
            v.create_lsn.to_string(),
            ()
        ]);
    }
    Ok(())
}

fn log_stats(cx: &ViewContext<'_>, args: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let Some(database) = named(cx, args)? else { return Ok(()) };
    let log = database.storage.log();
    let (vlfs, space) = (log.vlfs(), log.space());
    let active: Vec<_> = vlfs.iter().filter(|v| v.status == VlfStatus::Active).collect();
    let active_bytes: u64 = active.iter().map(|v| v.size).sum();
    let current = active.iter().max_by_key(|v| v.seqno);
    let lsn = |pos: LogPos| log.lsn(pos).map(|l| l.to_string());
    let backup = database.storage.log_chain();
    // A log backup ends where the next record will be: the end is not shown as lying before that.
    let end = log.last_record().max(backup.unwrap_or_default());
    let backup_time = database.storage.recovery_status().log_backup_time.map(datetime);
    let checkpoint = database.storage.last_checkpoint();
    // Recovery begins with the oldest transaction that was active at the checkpoint, or with the checkpoint.
    let recovery = log.checkpoint().min(checkpoint);
    let first = log.lsn(recovery);
    let recovery_vlfs = active.iter().filter(|v| first.is_none_or(|l| v.seqno >= l.vlf)).count();
    rows.push(row![
        database.id.0,
        super::databases::model_name(database.storage.options().recovery_model),
        lsn(log.needed_from().max(log.oldest())),
        lsn(end),
        current.map(|v| v.seqno.0),
        current.map(|v| mb(v.size)),
        vlfs.len(),
        mb(space.usable),
        active.len(),
        mb(active_bytes),
        log.reuse_wait().name(),
        backup_time,
        backup.and_then(lsn),
        backup.map(|from| mb(end.since(from))),
        lsn(checkpoint),
        mb(end.since(checkpoint)),
        lsn(recovery),
        mb(end.since(recovery)),
        recovery_vlfs
    ]);
    Ok(())
}

fn space_usage(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let storage = &cx.database.storage;
    let log = storage.log();
    let space = log.space();
    let percent = space.used as f64 * 100.0 / space.usable.max(1) as f64;
    let since = storage.log_chain().map(|from| log.last_record().since(from));
    rows.push(row![cx.database.id.0, space.usable, space.used, percent, since]);
    Ok(())
}
