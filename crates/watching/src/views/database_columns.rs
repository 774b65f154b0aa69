//! The columns of sys.databases and of the views of files, each with its value.

use super::cell::{Column, IntoCell, no, null, yes};
use super::databases::{model_name, pages};
use crate::catalog::registry::{
    FLAG_CONTAINED, FLAG_LOCAL_CURSORS, FLAG_READ_ONLY, FLAG_RECURSIVE_TRIGGERS,
    FLAG_RESTRICTED_USER, FLAG_SINGLE_USER, Slot, collation_of,
};
use crate::catalog::versions::{FLAG_ALLOW_SNAPSHOT, FLAG_READ_COMMITTED_SNAPSHOT, SnapshotState};
use taffrail_base::Lsn;
use taffrail_log::ReuseWait;
use taffrail_storage::{DatabaseOptions, FileInfo, FileKind, Growth, RecoveryModel};
use taffrail_types::{Collation, Value};

/// What a row of sys.databases is made from.
pub(super) struct DatabaseRow {
    pub slot: Slot,
    /// `state` and `state_desc`.
    pub state: (u8, &'static str),
    /// It is open and online.
    pub is_open: bool,
    /// As it was last known to be; none: its files cannot be read.
    pub options: Option<DatabaseOptions>,
    pub wait: Option<ReuseWait>,
}

impl DatabaseRow {
    fn has(&self, flag: u64) -> bool {
        self.options.as_ref().is_some_and(|o| o.engine_flags & flag != 0)
    }

    /// Of a database that is not open, by the flag.
    fn snapshot(&self) -> SnapshotState {
        match &self.slot.database {
            Some(database) => database.snapshot_state(),
            None if self.has(FLAG_ALLOW_SNAPSHOT) => SnapshotState::On,
            None => SnapshotState::Off,
        }
    }

    fn access(&self) -> (i32, &'static str) {
        match () {
            () if self.has(FLAG_SINGLE_USER) => (1, "SINGLE_USER"),
            () if self.has(FLAG_RESTRICTED_USER) => (2, "RESTRICTED_USER"),
            () => (0, "MULTI_USER"),
        }
    }

    fn collation(&self) -> Option<Collation> {
        let flags = self.options.as_ref().filter(|_| self.is_open)?.engine_flags;
        Some(collation_of(flags))
    }

    fn model(&self) -> Option<RecoveryModel> {
        self.options.as_ref().map(|o| o.recovery_model)
    }

    fn delayed(&self) -> Option<u8> {
        self.options.as_ref().map(|o| o.delayed_durability)
    }
}

/// `delayed_durability_desc`.
fn delayed_name(delayed: u8) -> &'static str {
    ["DISABLED", "ALLOWED", "FORCED"][delayed.min(2) as usize]
}

/// sys.databases. Statistics are kept by the engine itself; no option of theirs is off.
pub(super) const DATABASE: &[Column<DatabaseRow>] = &[
    ("name sysname!", |d| (&d.slot.entry.name).cell()),
    ("database_id int!", |d| d.slot.entry.id.0.cell()),
    ("source_database_id int?", null),
    ("owner_sid varbinary(85)?", |d| (&d.slot.entry.owner_sid[..]).cell()),
    ("create_date datetime!", |d| (&d.slot.entry.created).cell()),
    ("compatibility_level tinyint!", |d| d.slot.entry.compatibility_level.cell()),
    ("collation_name sysname?", |d| d.collation().map(Collation::name).cell()),
    ("user_access tinyint?", |d| d.access().0.cell()),
    ("user_access_desc nvarchar(60)?", |d| d.access().1.cell()),
    ("is_read_only bit?", |d| d.has(FLAG_READ_ONLY).cell()),
    ("is_auto_close_on bit!", no),
    ("is_auto_shrink_on bit?", no),
    ("state tinyint?", |d| d.state.0.cell()),
    ("state_desc nvarchar(60)?", |d| d.state.1.cell()),
    ("is_in_standby bit?", no),
    ("is_cleanly_shutdown bit?", |d| (!d.is_open).cell()),
    ("is_supplemental_logging_enabled bit?", no),
    ("snapshot_isolation_state tinyint?", |d| (d.snapshot() as i32).cell()),
    ("snapshot_isolation_state_desc nvarchar(60)?", |d| d.snapshot().description().cell()),
    ("is_read_committed_snapshot_on bit?", |d| d.has(FLAG_READ_COMMITTED_SNAPSHOT).cell()),
    ("recovery_model tinyint?", |d| d.model().map(|m| m as u8).cell()),
    ("recovery_model_desc nvarchar(60)?", |d| d.model().map(model_name).cell()),
    ("page_verify_option tinyint?", |_| 2_i32.cell()),
    ("page_verify_option_desc nvarchar(60)?", |_| "CHECKSUM".cell()),
    ("is_auto_create_stats_on bit?", yes),
    ("is_auto_create_stats_incremental_on bit?", no),
    ("is_auto_update_stats_on bit?", yes),
    ("is_auto_update_stats_async_on bit?", no),
    ("is_ansi_null_default_on bit?", no),
    ("is_ansi_nulls_on bit?", no),
    ("is_ansi_padding_on bit?", no),
    ("is_ansi_warnings_on bit?", no),
    ("is_arithabort_on bit?", no),
    ("is_concat_null_yields_null_on bit?", no),
    ("is_numeric_roundabort_on bit?", no),
    ("is_quoted_identifier_on bit?", no),
    ("is_recursive_triggers_on bit?", |d| d.has(FLAG_RECURSIVE_TRIGGERS).cell()),
    ("is_cursor_close_on_commit_on bit?", no),
    ("is_local_cursor_default bit?", |d| d.has(FLAG_LOCAL_CURSORS).cell()),
    ("is_fulltext_enabled bit?", no),
    ("is_trustworthy_on bit?", no),
    ("is_db_chaining_on bit?", no),
    ("is_parameterization_forced bit?", no),
    ("is_master_key_encrypted_by_server bit!", no),
    ("is_query_store_on bit?", no),
    ("is_published bit!", no),
    ("is_subscribed bit!", no),
    ("is_merge_published bit!", no),
    ("is_distributor bit!", no),
    ("is_sync_with_backup bit!", no),
    ("service_broker_guid uniqueidentifier!", |_| Value::Guid([0; 16]).cell()),
    ("is_broker_enabled bit!", no),
    ("log_reuse_wait tinyint?", |d| d.wait.map(|w| w.code()).cell()),
    ("log_reuse_wait_desc nvarchar(60)?", |d| d.wait.map(|w| w.name()).cell()),
    ("is_date_correlation_on bit!", no),
    ("is_cdc_enabled bit!", no),
    ("is_encrypted bit?", no),
    ("is_honor_broker_priority_on bit?", no),
    ("replica_id uniqueidentifier?", null),
    ("group_database_id uniqueidentifier?", null),
    ("resource_pool_id int?", null),
    ("default_language_lcid smallint?", null),
    ("default_language_name nvarchar(128)?", null),
    ("default_fulltext_language_lcid int?", null),
    ("default_fulltext_language_name nvarchar(128)?", null),
    ("is_nested_triggers_on bit?", null),
    ("is_transform_noise_words_on bit?", null),
    ("two_digit_year_cutoff smallint?", null),
    ("containment tinyint!", |d| i32::from(d.has(FLAG_CONTAINED)).cell()),
    ("containment_desc nvarchar(60)!", |d| {
        if d.has(FLAG_CONTAINED) { "PARTIAL" } else { "NONE" }.cell()
    }),
    ("target_recovery_time_in_seconds int?", |d| {
        d.options.as_ref().map(|o| o.target_recovery_time_s).cell()
    }),
    ("delayed_durability int?", |d| d.delayed().cell()),
    ("delayed_durability_desc nvarchar(60)?", |d| d.delayed().map(delayed_name).cell()),
    ("is_memory_optimized_elevate_to_snapshot_on bit?", no),
    ("is_federation_member bit?", no),
    ("is_remote_data_archive_enabled bit?", no),
    ("is_mixed_page_allocation_on bit?", no),
    ("is_temporal_history_retention_enabled bit?", yes),
    ("catalog_collation_type int?", |_| 0_i32.cell()),
    ("catalog_collation_type_desc nvarchar(60)?", |_| "DATABASE_DEFAULT".cell()),
    ("physical_database_name nvarchar(128)?", |d| (&d.slot.entry.name).cell()),
    ("is_result_set_caching_on bit?", no),
    ("is_accelerated_database_recovery_on bit?", no),
    ("is_tempdb_spill_to_remote_store bit?", no),
    ("is_stale_page_detection_on bit?", no),
    ("is_memory_optimized_enabled bit?", no),
    ("is_data_retention_enabled bit?", no),
    ("is_ledger_on bit?", no),
    ("is_change_feed_enabled bit?", no),
];

/// What a row of sys.database_files and sys.master_files is made from.
pub(super) struct FileRow {
    /// `database_id`.
    pub database: u16,
    /// `state` and `state_desc`.
    pub state: (u8, &'static str),
    pub file: FileInfo,
    /// What differential backups are based on: LSN and identity.
    pub base: Option<(Lsn, [u8; 16])>,
    /// Of a database that is being restored: where its log ends.
    pub redo: Option<Lsn>,
    /// And where it must get to.
    pub target: Option<Lsn>,
}

impl FileRow {
    fn is_log(&self) -> bool {
        self.file.kind == FileKind::Log
    }

    /// By how much it grows, and whether those are percents.
    fn growth(&self) -> (i64, bool) {
        match self.file.growth {
            Growth::None => (0, false),
            Growth::Bytes(by) => (pages(by), false),
            Growth::Percent(n) => (i64::from(n), true),
        }
    }

    fn max_size(&self) -> i64 {
        match self.file.max_size {
            Some(max) => pages(max),
            None if self.is_log() => 268_435_456,
            None => -1,
        }
    }
}

/// sys.database_files.
pub(super) const FILE: &[Column<FileRow>] = &[
    ("file_id int!", |f| f.file.id.0.cell()),
    ("file_guid uniqueidentifier?", null),
    ("type tinyint!", |f| f.is_log().cell()),
    ("type_desc nvarchar(60)?", |f| (if f.is_log() { "LOG" } else { "ROWS" }).cell()),
    ("data_space_id int!", |f| (!f.is_log()).cell()),
    ("name sysname!", |f| (&f.file.name).cell()),
    ("physical_name nvarchar(260)?", |f| f.file.path.to_string_lossy().into_owned().cell()),
    ("state tinyint?", |f| f.state.0.cell()),
    ("state_desc nvarchar(60)?", |f| f.state.1.cell()),
    ("size int!", |f| pages(f.file.size).cell()),
    ("max_size int!", |f| f.max_size().cell()),
    ("growth int!", |f| f.growth().0.cell()),
    ("is_media_read_only bit!", no),
    ("is_read_only bit!", no),
    ("is_sparse bit!", no),
    ("is_percent_growth bit!", |f| f.growth().1.cell()),
    ("is_name_reserved bit!", no),
    ("is_persistent_log_buffer bit!", no),
    ("create_lsn numeric(25,0)?", null),
    ("drop_lsn numeric(25,0)?", null),
    ("read_only_lsn numeric(25,0)?", null),
    ("read_write_lsn numeric(25,0)?", null),
    ("differential_base_lsn numeric(25,0)?", |f| f.base.map(|b| b.0).cell()),
    ("differential_base_guid uniqueidentifier?", |f| f.base.map(|b| Value::Guid(b.1)).cell()),
    ("differential_base_time datetime?", null),
    ("redo_start_lsn numeric(25,0)?", |f| f.redo.cell()),
    ("redo_start_fork_guid uniqueidentifier?", null),
    ("redo_target_lsn numeric(25,0)?", |f| f.target.cell()),
    ("redo_target_fork_guid uniqueidentifier?", null),
    ("backup_lsn numeric(25,0)?", null),
];

/// What sys.master_files has before and behind them.
pub(super) const FILE_DATABASE: &[Column<FileRow>] = &[("database_id int!", |f| f.database.cell())];
/// See [`FILE_DATABASE`].
pub(super) const FILE_CREDENTIAL: &[Column<FileRow>] = &[("credential_id int?", null)];
