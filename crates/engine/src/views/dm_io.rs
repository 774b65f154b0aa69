//! I/O of files.

use super::{Declaration, Rows, ViewContext, function};
use crate::row;
use taffrail_base::SqlResult;
use taffrail_storage::FileKind;
use taffrail_types::Value;

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.push(function("dm_io_virtual_file_stats", 2, &["database_id smallint! · file_id smallint! · sample_ms bigint! · num_of_reads bigint! · num_of_bytes_read bigint! · io_stall_read_ms bigint! · num_of_writes bigint! · num_of_bytes_written bigint! · io_stall_write_ms bigint! · io_stall bigint! · size_on_disk_bytes bigint! · file_handle varbinary(8)! · io_stall_queued_read_ms bigint! · io_stall_queued_write_ms bigint!"], file_stats));
}

/// What went through each file since the server's start, counted where the file is read and written. Zeroes that initialise
/// new log space are not among a log file's writes: they are nobody's log.
fn file_stats(cx: &ViewContext<'_>, args: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let instance = &cx.session.instance;
    let [database_wanted, file_wanted] = [0, 1].map(|i| args.get(i).and_then(Value::as_i64));
    let sample = instance.options().env.clock.monotonic().as_millis() as u64;
    for slot in instance.databases().list() {
        let Some(database) = &slot.database else { continue };
        if database_wanted.is_some_and(|id| id != i64::from(database.id.0)) {
            continue;
        }
        for f in database.storage.files() {
            if file_wanted.is_some_and(|id| id != i64::from(f.id.0)) {
                continue;
            }
            let io = instance.file_io().totals(&f.path);
            let plain = if f.kind == FileKind::Log { Default::default() } else { io.plain_writes };
            let read_ms = io.reads.stall.as_millis() as u64;
            let write_ms = (io.writes.stall + plain.stall).as_millis() as u64;
            let handle = u64::from(database.id.0) << 16 | u64::from(f.id.0);
            rows.push(row![
                database.id.0,
                f.id.0,
                sample,
                io.reads.count,
                io.reads.bytes,
                read_ms,
                io.writes.count + plain.count,
                io.writes.bytes + plain.bytes,
                write_ms,
                read_ms + write_ms,
                f.size,
                &handle.to_be_bytes()[..],
                0,
                0
            ]);
        }
    }
    Ok(())
}
