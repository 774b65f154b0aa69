//! VLFs as views and DBCC number their files and states.

use crate::database::Database;
use taffrail_log::VlfStatus;

/// The file ids of a database's log files by their numbers in the log. A file keeps its number when others go, so that
/// there can be gaps (0 here).
pub fn log_file_ids(database: &Database) -> Vec<u16> {
    let mut ids = Vec::new();
    for (id, _, info) in database.storage.log_files() {
        if ids.len() <= info.file {
            ids.resize(info.file + 1, 0);
        }
        ids[info.file] = id.0;
    }
    ids
}

/// 0 inactive, 1 initialised but unused, 2 active.
pub fn vlf_status(status: VlfStatus) -> i32 {
    if status == VlfStatus::Active { 2 } else { 0 }
}
