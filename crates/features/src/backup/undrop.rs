//! The remains of an undrop that the end of the server has cut off. The procedures themselves are in `undrop.sql`.

use super::system;
use crate::instance::Instance;
use std::sync::Arc;

/// The copy of the database, and the tail of its log beside the backups.
const COPY: &str = "taffrail_undrop";
const TAIL: &str = "taffrail_undrop.trn";

/// At the start: removes the copy and the tail, if there are any. What cannot be removed is left to the next undrop, or start.
pub(super) fn clean(instance: &Arc<Instance>) {
    let disk = &instance.options().env.disk;
    let tail = disk.exists(&instance.backup_dir().join(TAIL)).unwrap_or(true);
    if tail || instance.databases().slot(COPY).is_some() {
        let _ = system::run(instance, "msdb", &["EXEC taffrail.undrop_clean"]);
    }
}
