//! I/O of files.

use super::{Declaration, Rows, ViewContext, function, integer};
use crate::instance::Instance;
use crate::row;
use taffrail_base::SqlResult;
use taffrail_io::counted::IoTotals;
use taffrail_storage::{FileKind, FileSize};
use taffrail_types::Value;

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.extend([
        function(
            "dm_io_virtual_file_stats",
            2,
            &[
                "database_id smallint!",
                "file_id smallint!",
                "sample_ms bigint!",
                "num_of_reads bigint!",
                "num_of_bytes_read bigint!",
                "io_stall_read_ms bigint!",
                "num_of_writes bigint!",
                "num_of_bytes_written bigint!",
                "io_stall_write_ms bigint!",
                "io_stall bigint!",
                "size_on_disk_bytes bigint!",
                "file_handle varbinary(8)!",
                "io_stall_queued_read_ms bigint!",
                "io_stall_queued_write_ms bigint!",
            ],
            file_stats,
        ),
        function(
            "fn_virtualfilestats",
            2,
            &[
                "DbId smallint?",
                "FileId smallint?",
                "TimeStamp bigint?",
                "NumberReads bigint?",
                "BytesRead bigint?",
                "IoStallReadMS bigint?",
                "NumberWrites bigint?",
                "BytesWritten bigint?",
                "IoStallWriteMS bigint?",
                "IoStallMS bigint?",
                "BytesOnDisk bigint?",
                "FileHandle varbinary(8)?",
            ],
            virtual_file_stats,
        ),
    ]);
}

/// What went through a file since the server's start.
struct FileIo {
    database: u16,
    file: u16,
    sample_ms: u64,
    reads: u64,
    read_bytes: u64,
    read_ms: u64,
    writes: u64,
    write_bytes: u64,
    write_ms: u64,
    size: u64,
    handle: [u8; 8],
}

impl FileIo {
    /// What the view and the old function have in common.
    fn columns(&self) -> Vec<Value> {
        row![
            self.database,
            self.file,
            self.sample_ms,
            self.reads,
            self.read_bytes,
            self.read_ms,
            self.writes,
            self.write_bytes,
            self.write_ms,
            self.read_ms + self.write_ms,
            self.size,
            &self.handle[..]
        ]
    }
}

/// Reads and writes of a file since the server's start, counted where it is read and written. Zeroes that initialise new log
/// space are not among a log file's writes: they are nobody's log.
pub(crate) fn totals(instance: &Instance, file: &FileSize) -> [IoTotals; 2] {
    let io = instance.file_io().totals(&file.path);
    let mut writes = io.writes;
    if file.kind != FileKind::Log {
        writes.count += io.plain_writes.count;
        writes.bytes += io.plain_writes.bytes;
        writes.stall += io.plain_writes.stall;
    }
    [io.reads, writes]
}

/// The files that are asked for, by database and file; `None`: any.
fn each_file(cx: &ViewContext<'_>, wanted: [Option<i64>; 2], mut row: impl FnMut(FileIo)) {
    let instance = &cx.session.instance;
    let [database_wanted, file_wanted] = wanted;
    let sample_ms = instance.options().env.clock.monotonic().as_millis() as u64;
    for slot in instance.databases().list() {
        let Some(database) = &slot.database else { continue };
        if database_wanted.is_some_and(|id| id != i64::from(database.id.0)) {
            continue;
        }
        for f in database.storage.file_sizes() {
            if file_wanted.is_some_and(|id| id != i64::from(f.id.0)) {
                continue;
            }
            let [reads, writes] = totals(instance, &f);
            let handle = u64::from(database.id.0) << 16 | u64::from(f.id.0);
            row(FileIo {
                database: database.id.0,
                file: f.id.0,
                sample_ms,
                reads: reads.count,
                read_bytes: reads.bytes,
                read_ms: reads.stall.as_millis() as u64,
                writes: writes.count,
                write_bytes: writes.bytes,
                write_ms: writes.stall.as_millis() as u64,
                size: f.size,
                handle: handle.to_be_bytes(),
            });
        }
    }
}

fn arguments(args: &[Value]) -> SqlResult<[Option<i64>; 2]> {
    Ok([integer(args, 0)?, integer(args, 1)?])
}

fn file_stats(cx: &ViewContext<'_>, args: &[Value], rows: &mut Rows) -> SqlResult<()> {
    each_file(cx, arguments(args)?, |f| {
        let mut columns = f.columns();
        columns.extend(row![0, 0]);
        rows.push(columns);
    });
    Ok(())
}

/// The old form: the same with fewer columns, and -1 for all.
fn virtual_file_stats(cx: &ViewContext<'_>, args: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let wanted = arguments(args)?.map(|id| id.filter(|id| *id != -1));
    each_file(cx, wanted, |f| {
        rows.push(f.columns());
    });
    Ok(())
}
