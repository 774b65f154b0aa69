//! Log and space of databases, I/O of files.

use super::indexes::{each_index, space};
use super::{Declaration, Rows, ViewContext, function, sys};
use crate::catalog::IndexKind;
use crate::database::Database;
use crate::row;
use std::sync::Arc;
use taffrail_base::{DatabaseId, SqlResult};
use taffrail_log::VlfStatus;
use taffrail_storage::FileKind;
use taffrail_types::Value;

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.extend([
        function("dm_db_log_info", 1, &["database_id int! · file_id smallint! · vlf_begin_offset bigint! · vlf_size_mb float! · vlf_sequence_number bigint! · vlf_active bit! · vlf_status int! · vlf_parity tinyint! · vlf_first_lsn nvarchar(48)? · vlf_create_lsn nvarchar(48)? · vlf_encryptor_thumbprint varbinary(20)?"], log_info),
        function("dm_db_log_stats", 1, &["database_id int? · recovery_model nvarchar(60)? · log_min_lsn nvarchar(24)? · log_end_lsn nvarchar(24)? · current_vlf_sequence_number bigint? · current_vlf_size_mb float? · total_vlf_count bigint? · total_log_size_mb float? · active_vlf_count bigint? · active_log_size_mb float? · log_truncation_holdup_reason nvarchar(60)? · log_backup_time datetime? · log_backup_lsn nvarchar(24)? · log_since_last_log_backup_mb float? · log_checkpoint_lsn nvarchar(24)? · log_since_last_checkpoint_mb float? · log_recovery_lsn nvarchar(24)? · log_recovery_size_mb float? · recovery_vlf_count bigint?"], log_stats),
        sys("dm_db_log_space_usage", &["database_id smallint! · total_log_size_in_bytes bigint! · used_log_space_in_bytes bigint! · used_log_space_in_percent real! · log_space_in_bytes_since_last_backup bigint?"], |cx, _, rows| {
            let space = cx.database.storage.log().space();
            let percent = space.used as f64 * 100.0 / space.total.max(1) as f64;
            rows.push(row![cx.database.id.0, space.total, space.used, percent, ()]);
            Ok(())
        }),
        sys("dm_db_partition_stats", &["partition_id bigint? · object_id int! · index_id int! · partition_number int! · in_row_data_page_count bigint? · in_row_used_page_count bigint? · in_row_reserved_page_count bigint? · lob_used_page_count bigint? · lob_reserved_page_count bigint? · row_overflow_used_page_count bigint? · row_overflow_reserved_page_count bigint? · used_page_count bigint? · reserved_page_count bigint? · row_count bigint?"], partition_stats),
        sys("dm_db_file_space_usage", &["database_id smallint? · file_id smallint? · filegroup_id smallint? · total_page_count bigint? · allocated_extent_page_count bigint? · unallocated_extent_page_count bigint? · version_store_reserved_page_count bigint? · user_object_reserved_page_count bigint? · internal_object_reserved_page_count bigint? · mixed_extent_page_count bigint? · modified_extent_page_count bigint?"], file_space),
        function("dm_io_virtual_file_stats", 2, &["database_id smallint! · file_id smallint! · sample_ms bigint! · num_of_reads bigint! · num_of_bytes_read bigint! · io_stall_read_ms bigint! · num_of_writes bigint! · num_of_bytes_written bigint! · io_stall_write_ms bigint! · io_stall bigint! · size_on_disk_bytes bigint! · file_handle varbinary(8)! · io_stall_queued_read_ms bigint! · io_stall_queued_write_ms bigint!"], file_stats),
        function("dm_db_index_physical_stats", 5, &["database_id smallint? · object_id int? · index_id int? · partition_number int? · index_type_desc nvarchar(60)? · alloc_unit_type_desc nvarchar(60)? · index_depth tinyint? · index_level tinyint? · avg_fragmentation_in_percent float? · fragment_count bigint? · avg_fragment_size_in_pages float? · page_count bigint? · avg_page_space_used_in_percent float? · record_count bigint? · ghost_record_count bigint? · version_ghost_record_count bigint? · min_record_size_in_bytes int? · max_record_size_in_bytes int? · avg_record_size_in_bytes float? · forwarded_record_count bigint? · compressed_page_count bigint? · hobt_id bigint? · columnstore_delete_buffer_state tinyint? · columnstore_delete_buffer_state_desc nvarchar(60)?"], |_, _, _| {
            Err(taffrail_base::SqlError::new(40510, &[&"sys.dm_db_index_physical_stats"]))
        }),
    ]);
}

/// The open databases that a `database_id` argument names; NULL and 0 name all.
fn named(cx: &ViewContext<'_>, argument: Option<&Value>) -> Vec<Arc<Database>> {
    let databases = cx.session.instance.databases();
    match argument.and_then(Value::as_i64) {
        None | Some(0) => databases.list().into_iter().filter_map(|s| s.database).collect(),
        Some(id) => {
            let id = u16::try_from(id).unwrap_or(0);
            databases.by_id(DatabaseId(id)).into_iter().collect()
        }
    }
}

fn mb(bytes: u64) -> f64 {
    let mb = bytes as f64 / (1 << 20) as f64;
    (mb * 100.0).round() / 100.0
}

/// The file ids of a database's log files, in the log's own order.
pub(crate) fn log_file_ids(database: &Database) -> Vec<u16> {
    let files = database.storage.files();
    files.iter().filter(|f| f.kind == FileKind::Log).map(|f| f.id.0).collect()
}

/// 0 inactive, 1 initialised but unused, 2 active.
pub(crate) fn vlf_status(status: VlfStatus) -> i32 {
    if status == VlfStatus::Active { 2 } else { 0 }
}

fn log_info(cx: &ViewContext<'_>, args: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for database in named(cx, args.first()) {
        let ids = log_file_ids(&database);
        for v in database.storage.log().vlfs() {
            let active = v.status == VlfStatus::Active;
            rows.push(row![
                database.id.0,
                ids.get(v.file).copied().unwrap_or(2),
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
    }
    Ok(())
}

fn log_stats(cx: &ViewContext<'_>, args: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for database in named(cx, args.first()) {
        let log = database.storage.log();
        let (vlfs, space) = (log.vlfs(), log.space());
        let active: Vec<_> = vlfs.iter().filter(|v| v.status == VlfStatus::Active).collect();
        let current = active.iter().max_by_key(|v| v.seqno);
        let lsn = |pos| log.lsn(pos).map(|l| l.to_string());
        let checkpoint = log.checkpoint();
        let end = log.last_record();
        let since = end.since(checkpoint);
        let behind = active.iter().filter(|v| log.lsn(checkpoint).is_none_or(|c| v.seqno >= c.vlf));
        let recovery_vlfs = behind.count();
        rows.push(row![
            database.id.0,
            super::databases::model_name(database.storage.options().recovery_model),
            lsn(log.oldest()),
            lsn(end),
            current.map(|v| v.seqno.0),
            current.map(|v| mb(v.size)),
            vlfs.len(),
            mb(space.total),
            active.len(),
            mb(space.used),
            log.reuse_wait().name(),
            (),
            (),
            (),
            lsn(checkpoint),
            mb(since),
            lsn(checkpoint),
            mb(since),
            recovery_vlfs
        ]);
    }
    Ok(())
}

fn partition_stats(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    each_index(cx, |table, index| {
        let s = space(cx, index)?;
        let count = index.hobt()?.row_count();
        rows.push(row![
            index.hobt_id.0,
            table.head.id.0,
            index.id.0,
            1,
            // Large values lie among the pages of their heap or tree and are counted with them.
            s.used_pages.saturating_sub(s.iam_pages),
            s.used_pages,
            s.reserved_pages,
            0,
            0,
            0,
            0,
            s.used_pages,
            s.reserved_pages,
            count
        ]);
        debug_assert!(index.kind != IndexKind::Heap || index.id.0 == 0);
        Ok(())
    })
}

fn file_space(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let mut user = 0;
    each_index(cx, |_, index| {
        user += space(cx, index)?.reserved_pages;
        Ok(())
    })?;
    for f in cx.database.storage.files() {
        if f.kind != FileKind::Rows {
            continue;
        }
        let (total, used) = (f.size / 8192, f.used / 8192);
        let internal = used.saturating_sub(user);
        rows.push(row![
            cx.database.id.0,
            f.id.0,
            1,
            total,
            used,
            total.saturating_sub(used),
            0,
            user,
            internal,
            0,
            ()
        ]);
    }
    Ok(())
}

fn file_stats(cx: &ViewContext<'_>, args: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let wanted = args.get(1).and_then(Value::as_i64);
    let sample = cx.session.instance.options().env.clock.monotonic().as_millis() as u64;
    for database in named(cx, args.first()) {
        let c = database.storage.counters();
        let mut first_log = true;
        for f in database.storage.files() {
            // Reads and writes are counted per kind of file; there is one data file, and the log writes are the flushes.
            let (reads, read_bytes, writes, write_bytes, write_ms) = match f.kind {
                FileKind::Rows => (
                    c.data_reads.get(),
                    c.data_read_bytes.get(),
                    c.data_writes.get(),
                    c.data_write_bytes.get(),
                    0,
                ),
                FileKind::Log if first_log => (
                    c.log_pool_disk_reads.get(),
                    0,
                    c.log_flushes.get(),
                    c.log_bytes_flushed.get(),
                    c.log_flush_write_time.total_ms(),
                ),
                FileKind::Log => (0, 0, 0, 0, 0),
            };
            first_log &= f.kind != FileKind::Log;
            if wanted.is_some_and(|w| w != f.id.0 as i64) {
                continue;
            }
            rows.push(row![
                database.id.0,
                f.id.0,
                sample,
                reads,
                read_bytes,
                0,
                writes,
                write_bytes,
                write_ms,
                write_ms,
                f.size,
                &((database.id.0 as u64) << 16 | f.id.0 as u64).to_be_bytes()[..],
                0,
                0
            ]);
        }
    }
    Ok(())
}
