//! What is at a path: sys.dm_os_file_exists, and drives.
//!
//! Paths are read as everywhere ([`backup_path`]): relative ones lie in `backup`, one as Windows writes it stands for its file
//! name there, so that its directory is always there. Nothing is told of what lies outside of the directories that the settings
//! allow.

use super::{Declaration, Rows, ViewContext, function, sys};
use crate::features::needs;
use crate::paths::{backup_path, local_path};
use crate::row;
use std::path::Path;
use taffrail_base::SqlResult;
use taffrail_types::Value;

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.extend([
        function(
            "dm_os_file_exists",
            needs::SERVER_PERFORMANCE,
            1,
            &["file_exists int!", "file_is_a_directory int!", "parent_directory_exists int!"],
            file_exists,
        ),
        sys(
            "dm_os_enumerate_fixed_drives",
            needs::SERVER_PERFORMANCE,
            &[
                "fixed_drive_path nvarchar(256)!",
                "drive_type int!",
                "drive_type_desc nvarchar(256)!",
                "free_space_in_bytes bigint!",
            ],
            fixed_drives,
        ),
    ]);
}

fn file_exists(cx: &ViewContext<'_>, args: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let Some(path) = args[0].as_text() else {
        rows.push(row![0, 0, 0]);
        return Ok(());
    };
    let instance = &cx.session.instance;
    let disk = &instance.options().env.disk;
    let there = |path: &Path| disk.exists(path).unwrap_or(false);
    let is_directory = |path: &Path| disk.list(path).is_ok();
    let trimmed = path.trim_end_matches(['/', '\\']);
    let Ok(full) = backup_path(instance, trimmed) else {
        rows.push(row![0, 0, 0]);
        return Ok(());
    };
    // A directory as Windows writes it is `backup`: that is where the files go that are named in it.
    let windows = local_path(instance, trimmed) != trimmed || trimmed.ends_with(':');
    let directory = match windows {
        true => !there(&full) && Path::new(local_path(instance, trimmed)).extension().is_none(),
        // The first backup makes it.
        false if full == instance.backup_dir() => true,
        false => is_directory(&full),
    };
    let parent = windows || full.parent().is_some_and(is_directory);
    rows.push(row![i32::from(!directory && there(&full)), i32::from(directory), i32::from(parent)]);
    Ok(())
}

/// The file system of the data directory, as drive C.
fn fixed_drives(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let instance = &cx.session.instance;
    if let Ok(space) = instance.options().env.disk.space(instance.databases().data_dir()) {
        rows.push(row!["C:\\", 3, "DRIVE_FIXED", space.available]);
    }
    Ok(())
}
