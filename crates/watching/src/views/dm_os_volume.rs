//! Room on the file systems that the databases' files lie on.

use super::{Declaration, Rows, ViewContext, function, integer};
use crate::features::needs;
use crate::row;
use taffrail_base::SqlResult;
use taffrail_types::Value;

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.push(function(
        "dm_os_volume_stats",
        needs::SERVER_PERFORMANCE,
        2,
        &[
            "database_id int?",
            "file_id int?",
            "volume_mount_point nvarchar(512)?",
            "volume_id nvarchar(512)?",
            "logical_volume_name nvarchar(512)?",
            "file_system_type nvarchar(512)?",
            "total_bytes bigint?",
            "available_bytes bigint?",
            "supports_compression tinyint?",
            "supports_alternate_streams tinyint?",
            "supports_sparse_files tinyint?",
            "is_read_only tinyint?",
            "is_compressed tinyint?",
            "incurs_seek_penalty tinyint?",
        ],
        volume_stats,
    ));
}

/// The file system that a file lies on. No row for a file that is not there.
fn volume_stats(cx: &ViewContext<'_>, args: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let [database, file] = [integer(args, 0)?, integer(args, 1)?];
    let (Some(database), Some(file)) = (database, file) else { return Ok(()) };
    let disk = &cx.session.instance.options().env.disk;
    for slot in cx.session.instance.databases().list() {
        let Some(open) = slot.database.as_ref().filter(|d| i64::from(d.id.0) == database) else {
            continue;
        };
        let files = open.storage.files();
        let Some(f) = files.iter().find(|f| i64::from(f.id.0) == file) else { continue };
        // A file that cannot be looked at has no row, as on a volume that is offline.
        let Ok(s) = disk.space(&f.path) else { continue };
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
