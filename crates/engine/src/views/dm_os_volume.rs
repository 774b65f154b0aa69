//! What administrators' scripts ask beside the main views: room on the file systems, the old form of the files' I/O, what a
//! session sent last, showplans (of which none are kept).

use super::{Declaration, Rows, ViewContext, function};
use crate::row;
use taffrail_base::SqlResult;
use taffrail_types::Value;

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.extend([
        function("dm_os_volume_stats", 2, &["database_id int? · file_id int? · volume_mount_point nvarchar(512)? · volume_id nvarchar(512)? · logical_volume_name nvarchar(512)? · file_system_type nvarchar(512)? · total_bytes bigint? · available_bytes bigint? · supports_compression tinyint? · supports_alternate_streams tinyint? · supports_sparse_files tinyint? · is_read_only tinyint? · is_compressed tinyint? · incurs_seek_penalty tinyint?"], volume_stats),
        function("fn_virtualfilestats", 2, &["DbId smallint? · FileId smallint? · TimeStamp bigint? · NumberReads bigint? · BytesRead bigint? · IoStallReadMS bigint? · NumberWrites bigint? · BytesWritten bigint? · IoStallWriteMS bigint? · IoStallMS bigint? · BytesOnDisk bigint? · FileHandle varbinary(8)?"], virtual_file_stats),
        function("dm_exec_input_buffer", 2, &["event_type nvarchar(256)? · parameters smallint? · event_info nvarchar(max)?"], input_buffer),
        // A plan_handle is always NULL, and no plan is kept under one.
        function("dm_exec_query_plan", 1, &["dbid smallint? · objectid int? · number smallint? · encrypted bit! · query_plan nvarchar(max)?"], |_, _, _| Ok(())),
    ]);
}

/// The file system that a file lies on. No row for a file that is not there.
fn volume_stats(cx: &ViewContext<'_>, args: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let [database, file] = [0, 1].map(|i| args.get(i).and_then(Value::as_i64));
    let (Some(database), Some(file)) = (database, file) else { return Ok(()) };
    for slot in cx.session.instance.databases().list() {
        let Some(open) = slot.database.as_ref().filter(|d| i64::from(d.id.0) == database) else {
            continue;
        };
        let files = open.storage.files();
        let Some(f) = files.iter().find(|f| i64::from(f.id.0) == file) else { continue };
        // A file that cannot be looked at has no row, as on a volume that is offline.
        let Ok(s) = taffrail_io::os::space(&f.path) else { continue };
        rows.push(row![
            database,
            file,
            s.mount_point,
            s.source,
            "",
            s.kind,
            s.total,
            s.available,
            0,
            0,
            1,
            s.read_only,
            0,
            ()
        ]);
    }
    Ok(())
}

fn virtual_file_stats(cx: &ViewContext<'_>, args: &[Value], rows: &mut Rows) -> SqlResult<()> {
    // -1 means all, as NULL does.
    let args: Vec<Value> =
        args.iter().map(|v| if v.as_i64() == Some(-1) { Value::Null } else { v.clone() }).collect();
    let view = super::find(Some("sys"), "dm_io_virtual_file_stats").expect("declared");
    let wanted: Vec<usize> = (0..view.columns.len()).collect();
    let super::ViewRows::Made(stats) = view.open(cx, &args, &wanted)? else {
        unreachable!("made at once");
    };
    for s in stats {
        let at = |i: usize| s[i].clone();
        rows.push(vec![
            Value::BigInt(s[0].as_i64().unwrap_or(0)),
            Value::BigInt(s[1].as_i64().unwrap_or(0)),
            at(2),
            at(3),
            at(4),
            at(5),
            at(6),
            at(7),
            at(8),
            at(9),
            at(10),
            at(11),
        ]);
    }
    Ok(())
}

fn input_buffer(cx: &ViewContext<'_>, args: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let wanted = args.first().and_then(Value::as_i64);
    let sessions = cx.session.instance.sessions();
    if let Some(s) = sessions.iter().find(|s| Some(i64::from(s.id.0)) == wanted) {
        let text = s.text();
        let event = if text.is_empty() { "No Event" } else { "Language Event" };
        rows.push(row![event, 0, (!text.is_empty()).then(|| text.to_string())]);
    }
    Ok(())
}
