//! What can be told of a database that is not open, from its primary file alone.

use std::path::Path;

use taffrail_io::OpenSpec;

use crate::database::{DatabaseOptions, FileInfo};
use crate::error::StorageResult;
use crate::instance::StorageInstance;

/// See [`closed`].
#[derive(Clone, Debug)]
pub struct Closed {
    /// Its options.
    pub options: DatabaseOptions,
    /// Its files, as large as they are now; 0 for one that is missing.
    pub files: Vec<FileInfo>,
}

/// Reads the boot page of a database that nobody has open. `name` is for messages.
pub fn closed(instance: &StorageInstance, name: &str, primary: &Path) -> StorageResult<Closed> {
    let (_, boot) = crate::recovery::read_primary(instance, name, primary)?;
    let disk = &instance.env.disk;
    let size = |path: &Path| {
        let volume = disk.open(path, OpenSpec { direct: false, read_only: true });
        // A file that is missing is no reason to say nothing of the others.
        volume.and_then(|v| v.len()).unwrap_or(0)
    };
    let files = boot.files.iter().map(|f| FileInfo {
        id: f.id,
        kind: f.kind,
        name: f.name.clone(),
        path: f.path.clone(),
        size: size(&f.path),
        used: 0,
        growth: f.growth,
        max_size: f.max_size,
    });
    Ok(Closed { options: boot.options.clone(), files: files.collect() })
}
