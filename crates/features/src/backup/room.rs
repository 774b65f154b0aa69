//! `taffrail.backup_room`: the room on the file system that backups go to.

use crate::features::cell::Rows;
use crate::features::needs;
use crate::features::view::{Declaration, OWN_SCHEMA, ViewContext, function};
use crate::paths::backup_path;
use crate::row;
use taffrail_base::SqlResult;
use taffrail_types::Value;

const COLUMNS: &str = "total_bytes bigint! · available_bytes bigint!";

pub(super) fn declare(views: &mut Vec<Declaration>) {
    let found = function("backup_room", needs::ROOM_OF_BACKUPS, 1, &[COLUMNS], room);
    views.push(Declaration { schema: OWN_SCHEMA.1, ..found });
}

/// One row for a directory; NULL stands for the one where backups with a relative path go. No row for a directory that the settings do
/// not allow, or whose file system cannot be asked.
fn room(cx: &ViewContext<'_>, args: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let instance = &cx.session.instance;
    let disk = &instance.options().env.disk;
    let path = match args.first().and_then(Value::as_text) {
        None => Ok(instance.backup_dir()),
        Some(directory) => backup_path(instance, directory.trim_end_matches('/')),
    };
    let Ok(path) = path else { return Ok(()) };
    // The first backup makes it: it will have the room of what is there above it.
    let there = path.ancestors().find(|above| disk.exists(above).unwrap_or(false));
    if let Some(space) = there.and_then(|above| disk.space(above).ok()) {
        rows.push(row![space.total, space.available]);
    }
    Ok(())
}
