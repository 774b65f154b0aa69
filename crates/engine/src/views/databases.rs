//! sys.databases, sys.database_files, sys.master_files, fn_helpcollations.

use super::cell::IntoCell;
use super::{Declaration, Rows, ViewContext, ranged, sys};
use crate::catalog::master::EntryState;
use crate::catalog::registry::{FLAG_READ_ONLY, FLAG_RESTRICTED_USER, FLAG_SINGLE_USER, Slot};
use crate::database::Database;
use crate::row;
use taffrail_base::{Lsn, SqlResult};
use taffrail_storage::{DatabaseState, FileInfo, FileKind, Growth, RecoveryModel};
use taffrail_types::{Collation, Value};

const FILES: &str = "file_id int! · file_guid uniqueidentifier? · type tinyint! · type_desc nvarchar(60)? · data_space_id int! · name sysname! · physical_name nvarchar(260)? · state tinyint? · state_desc nvarchar(60)? · size int! · max_size int! · growth int! · is_media_read_only bit! · is_read_only bit! · is_sparse bit! · is_percent_growth bit! · is_name_reserved bit! · is_persistent_log_buffer bit! · create_lsn numeric(25,0)? · drop_lsn numeric(25,0)? · read_only_lsn numeric(25,0)? · read_write_lsn numeric(25,0)? · differential_base_lsn numeric(25,0)? · differential_base_guid uniqueidentifier? · differential_base_time datetime? · redo_start_lsn numeric(25,0)? · redo_start_fork_guid uniqueidentifier? · redo_target_lsn numeric(25,0)? · redo_target_fork_guid uniqueidentifier? · backup_lsn numeric(25,0)?";

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.extend([
        sys("databases", &[
            "name sysname! · database_id int! · source_database_id int? · owner_sid varbinary(85)? · create_date datetime! · compatibility_level tinyint! · collation_name sysname? · user_access tinyint? · user_access_desc nvarchar(60)? · is_read_only bit? · is_auto_close_on bit! · is_auto_shrink_on bit? · state tinyint? · state_desc nvarchar(60)? · is_in_standby bit? · is_cleanly_shutdown bit? · is_supplemental_logging_enabled bit?",
            "snapshot_isolation_state tinyint? · snapshot_isolation_state_desc nvarchar(60)? · is_read_committed_snapshot_on bit? · recovery_model tinyint? · recovery_model_desc nvarchar(60)? · page_verify_option tinyint? · page_verify_option_desc nvarchar(60)?",
            "is_auto_create_stats_on bit? · is_auto_create_stats_incremental_on bit? · is_auto_update_stats_on bit? · is_auto_update_stats_async_on bit? · is_ansi_null_default_on bit? · is_ansi_nulls_on bit? · is_ansi_padding_on bit? · is_ansi_warnings_on bit? · is_arithabort_on bit? · is_concat_null_yields_null_on bit? · is_numeric_roundabort_on bit? · is_quoted_identifier_on bit? · is_recursive_triggers_on bit? · is_cursor_close_on_commit_on bit? · is_local_cursor_default bit? · is_fulltext_enabled bit? · is_trustworthy_on bit? · is_db_chaining_on bit? · is_parameterization_forced bit? · is_master_key_encrypted_by_server bit! · is_query_store_on bit?",
            "is_published bit! · is_subscribed bit! · is_merge_published bit! · is_distributor bit! · is_sync_with_backup bit! · service_broker_guid uniqueidentifier! · is_broker_enabled bit! · log_reuse_wait tinyint? · log_reuse_wait_desc nvarchar(60)? · is_date_correlation_on bit! · is_cdc_enabled bit! · is_encrypted bit? · is_honor_broker_priority_on bit? · replica_id uniqueidentifier? · group_database_id uniqueidentifier? · resource_pool_id int?",
            "default_language_lcid smallint? · default_language_name nvarchar(128)? · default_fulltext_language_lcid int? · default_fulltext_language_name nvarchar(128)? · is_nested_triggers_on bit? · is_transform_noise_words_on bit? · two_digit_year_cutoff smallint? · containment tinyint! · containment_desc nvarchar(60)! · target_recovery_time_in_seconds int? · delayed_durability int? · delayed_durability_desc nvarchar(60)? · is_memory_optimized_elevate_to_snapshot_on bit? · is_federation_member bit? · is_remote_data_archive_enabled bit? · is_mixed_page_allocation_on bit? · is_temporal_history_retention_enabled bit? · catalog_collation_type int? · catalog_collation_type_desc nvarchar(60)? · physical_database_name nvarchar(128)? · is_result_set_caching_on bit? · is_accelerated_database_recovery_on bit? · is_tempdb_spill_to_remote_store bit? · is_stale_page_detection_on bit? · is_memory_optimized_enabled bit? · is_data_retention_enabled bit? · is_ledger_on bit? · is_change_feed_enabled bit?",
        ], databases),
        sys("database_files", &[FILES], |cx, _, rows| {
            for file in cx.database.storage.files() {
                rows.push(open_file_cells(cx.database, &file));
            }
            Ok(())
        }),
        sys("master_files", &["database_id int!", FILES, "credential_id int?"], |cx, _, rows| {
            for slot in cx.session.instance.databases().list() {
                let Some(database) = &slot.database else {
                    match slot.entry.state {
                        EntryState::Restoring => restoring_files(cx, &slot, rows),
                        _ => closed_files(cx, &slot, rows),
                    }
                    continue;
                };
                for file in database.storage.files() {
                    let mut cells = row![database.id.0];
                    cells.extend(open_file_cells(database, &file));
                    cells.push(Value::Null);
                    rows.push(cells);
                }
            }
            Ok(())
        }),
        sys("database_recovery_status", &["database_id int! · database_guid uniqueidentifier? · family_guid uniqueidentifier? · last_log_backup_lsn numeric(25,0)? · recovery_fork_guid uniqueidentifier? · first_recovery_fork_guid uniqueidentifier? · fork_point_lsn numeric(25,0)?"], |cx, _, rows| {
            for slot in cx.session.instance.databases().list() {
                let Some(database) = &slot.database else {
                    rows.push(row![slot.entry.id.0, (), (), (), (), (), ()]);
                    continue;
                };
                let s = database.storage.recovery_status();
                rows.push(row![
                    slot.entry.id.0,
                    Value::Guid(s.database_guid),
                    Value::Guid(s.family_guid),
                    s.last_log_backup,
                    Value::Guid(s.recovery_fork),
                    s.first_recovery_fork.map(Value::Guid),
                    s.fork_point
                ]);
            }
            Ok(())
        }),
        ranged(
            "fn_helpcollations",
            (0, 0),
            &["name sysname! · description nvarchar(1000)!"],
            collations,
        ),
    ]);
}

/// `recovery_model_desc`.
pub(super) fn model_name(model: RecoveryModel) -> &'static str {
    match model {
        RecoveryModel::Full => "FULL",
        RecoveryModel::BulkLogged => "BULK_LOGGED",
        RecoveryModel::Simple => "SIMPLE",
    }
}

/// `state` and `state_desc` of a database.
pub(crate) fn state_of(slot: &Slot) -> (u8, &'static str) {
    match &slot.database {
        Some(database) => match database.storage.state() {
            DatabaseState::Online => (0, "ONLINE"),
            DatabaseState::Suspect(_) => (4, "SUSPECT"),
            DatabaseState::Offline => (6, "OFFLINE"),
        },
        None if slot.entry.state == EntryState::Offline => (6, "OFFLINE"),
        None if slot.entry.state == EntryState::Restoring => (1, "RESTORING"),
        None if slot.problem.as_ref().is_some_and(|p| p.damage) => (4, "SUSPECT"),
        None => (3, "RECOVERY_PENDING"),
    }
}

fn databases(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for slot in cx.session.instance.databases().list() {
        let e = &slot.entry;
        let (state, state_desc) = state_of(&slot);
        let open = slot.database.as_ref().filter(|_| state == 0);
        let options = match &slot.database {
            Some(d) => Some(d.storage.options()),
            None => cx.session.instance.databases().closed(e).map(|c| c.options),
        };
        let flags = options.as_ref().map_or(0, |o| o.engine_flags);
        let access = match flags {
            f if f & FLAG_SINGLE_USER != 0 => (1, "SINGLE_USER"),
            f if f & FLAG_RESTRICTED_USER != 0 => (2, "RESTRICTED_USER"),
            _ => (0, "MULTI_USER"),
        };
        let wait = open.map(|d| d.storage.log().reuse_wait());
        let mut cells = row![
            &e.name,
            e.id.0,
            (),
            &e.owner_sid[..],
            &e.created,
            e.compatibility_level,
            open.map(|_| Collation::default().name()),
            access.0,
            access.1,
            flags & FLAG_READ_ONLY != 0,
            false,
            false,
            state,
            state_desc,
            false,
            open.is_none(),
            false
        ];
        cells.extend(row![
            0,
            "OFF",
            false,
            options.as_ref().map(|o| o.recovery_model as u8),
            options.as_ref().map(|o| model_name(o.recovery_model)),
            2,
            "CHECKSUM"
        ]);
        // Statistics are kept by the engine itself; no option of theirs is off.
        cells.extend(row![true, false, true]);
        cells.extend((0..18).map(|_| Value::Bit(false)));
        cells.extend((0..5).map(|_| Value::Bit(false)));
        cells.extend(row![
            Value::Guid([0; 16]),
            false,
            wait.map(|w| w.code()),
            wait.map(|w| w.name()),
            false,
            false,
            false,
            false,
            (),
            (),
            ()
        ]);
        let delayed = options.as_ref().map(|o| o.delayed_durability);
        let delayed_desc = delayed.map(|d| ["DISABLED", "ALLOWED", "FORCED"][d.min(2) as usize]);
        cells.extend(row![
            (),
            (),
            (),
            (),
            (),
            (),
            (),
            0,
            "NONE",
            options.as_ref().map(|o| o.target_recovery_time_s),
            delayed,
            delayed_desc,
            false,
            false,
            false,
            false,
            false,
            0,
            "DATABASE_DEFAULT",
            &e.name,
            false,
            false,
            false,
            false,
            false,
            false,
            false,
            false
        ]);
        rows.push(cells);
    }
    Ok(())
}

/// 8 KiB pages of so many bytes.
pub(super) fn pages(bytes: u64) -> i64 {
    (bytes / 8192) as i64
}

/// Files of a database that is being restored: where its log ends, and where it must get to.
fn restoring_files(cx: &ViewContext<'_>, slot: &Slot, rows: &mut Rows) {
    let Some(restoring) = cx.session.instance.databases().restoring(&slot.entry) else { return };
    for f in restoring.files {
        let file = FileInfo {
            id: f.id,
            kind: f.kind,
            name: f.name,
            path: f.path,
            size: f.size,
            used: 0,
            growth: f.growth,
            max_size: f.max_size,
        };
        let mut cells = row![slot.entry.id.0];
        cells.extend(file_cells((1, "RESTORING"), &file));
        // redo_start_lsn, redo_start_fork_guid, redo_target_lsn, redo_target_fork_guid, backup_lsn end the row.
        let at = cells.len() - 5;
        cells[at] = restoring.redo_lsn.cell();
        cells[at + 2] = restoring.target_lsn.cell();
        cells.push(Value::Null);
        rows.push(cells);
    }
}

/// Files of a database that is not open.
fn closed_files(cx: &ViewContext<'_>, slot: &Slot, rows: &mut Rows) {
    let Some(closed) = cx.session.instance.databases().closed(&slot.entry) else { return };
    for file in closed.files {
        let mut cells = row![slot.entry.id.0];
        cells.extend(file_cells(state_of(slot), &file));
        cells.push(Value::Null);
        rows.push(cells);
    }
}

fn file_state(database: &Database) -> (u8, &'static str) {
    match database.storage.state() {
        DatabaseState::Online => (0, "ONLINE"),
        DatabaseState::Suspect(_) => (4, "SUSPECT"),
        DatabaseState::Offline => (6, "OFFLINE"),
    }
}

/// The same of a database that is open: data files have the base of differential backups.
fn open_file_cells(database: &Database, file: &FileInfo) -> Vec<Value> {
    /// Where `differential_base_lsn` and `differential_base_guid` are.
    const BASE: usize = 22;
    let mut cells = file_cells(file_state(database), file);
    let status = database.storage.recovery_status();
    if file.kind == FileKind::Rows && status.differential_base != Lsn::ZERO {
        cells[BASE] = status.differential_base.cell();
        cells[BASE + 1] = Value::Guid(status.differential_base_guid);
    }
    cells
}

fn file_cells((state, state_desc): (u8, &'static str), file: &FileInfo) -> Vec<Value> {
    let is_log = file.kind == FileKind::Log;
    let (growth, percent) = match file.growth {
        Growth::None => (0, false),
        Growth::Bytes(by) => (pages(by), false),
        Growth::Percent(n) => (n as i64, true),
    };
    let max_size = match (file.growth, file.max_size) {
        (_, Some(max)) => pages(max),
        (_, None) if is_log => 268_435_456,
        (_, None) => -1,
    };
    row![
        file.id.0,
        (),
        is_log,
        if is_log { "LOG" } else { "ROWS" },
        !is_log,
        &file.name,
        file.path.to_string_lossy().into_owned(),
        state,
        state_desc,
        pages(file.size),
        max_size,
        growth,
        false,
        false,
        false,
        percent,
        false,
        false,
        (),
        (),
        (),
        (),
        (),
        (),
        (),
        (),
        (),
        (),
        (),
        ()
    ]
}

/// The only one there is.
fn collations(_: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let name = Collation::default().name();
    rows.push(row![
        name,
        "Latin1-General, case-insensitive, accent-sensitive, kanatype-insensitive, width-insensitive for Unicode Data, SQL Server Sort Order 52 on Code Page 1252 for non-Unicode Data"
    ]);
    Ok(())
}
