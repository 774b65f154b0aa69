//! I/O of files.

use super::{Declaration, Rows, ViewContext, function, integer, sys};
use crate::features::needs;
use crate::instance::Instance;
use crate::row;
use std::collections::HashMap;
use taffrail_base::SqlResult;
use taffrail_io::counted::IoTotals;
use taffrail_observe::trace::file_name;
use taffrail_storage::{FileKind, FileSize};
use taffrail_types::Value;

const PENDING: &[&str] = &[
    "io_completion_request_address varbinary(8)!",
    "io_type nvarchar(60)!",
    "io_pending_ms_ticks bigint!",
    "io_pending int!",
    "io_completion_routine_address varbinary(8)?",
    "io_user_data_address varbinary(8)?",
    "scheduler_address varbinary(8)!",
    "io_handle varbinary(8)?",
    "io_offset bigint?",
    "io_handle_path nvarchar(256)?",
];

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.extend([
        sys("dm_io_pending_io_requests", needs::SERVER_PERFORMANCE, PENDING, pending),
        function(
            "dm_io_virtual_file_stats",
            needs::SERVER_PERFORMANCE,
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
            needs::SERVER_STATE,
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

/// What is under way: one row each, which the system has not ended.
fn pending(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let instance = &cx.session.instance;
    let all = instance.file_io().pending();
    if all.is_empty() {
        return Ok(());
    }
    let mut owners = HashMap::new();
    for database in instance.databases().open() {
        for f in database.storage.file_sizes() {
            owners.insert(f.path, handle(database.id.0, f.id.0));
        }
    }
    let now = instance.options().env.clock.monotonic();
    let none = [0u8; 8];
    for io in all {
        let path = file_name(io.file);
        let handle = path.as_ref().and_then(|p| owners.get(p)).copied().unwrap_or(none);
        rows.push(row![
            &u64::from(io.file).to_be_bytes()[..],
            "disk",
            now.saturating_sub(io.began).as_millis() as u64,
            1,
            (),
            (),
            &none[..],
            &handle[..],
            io.offset,
            path.map(|p| p.display().to_string())
        ]);
    }
    Ok(())
}

/// What stands for a file's handle.
fn handle(database: u16, file: u16) -> [u8; 8] {
    (u64::from(database) << 16 | u64::from(file)).to_be_bytes()
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
                handle: handle(database.id.0, f.id.0),
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
