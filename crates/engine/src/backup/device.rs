//! Where backups lie: the devices of a statement as paths that may be used.

use crate::paths::{backup_path, require_directory};
use crate::session::context::StatementContext;
use std::path::{Path, PathBuf};
use taffrail_base::message::unsupported;
use taffrail_base::{SqlError, SqlResult};
use taffrail_io::OpenSpec;
use taffrail_storage::backup::{self, Device};
use taffrail_syntax::ast::{self, OptionValue};

/// As many as a statement may name.
const MAX_DEVICES: usize = 64;
/// How much of a file shows what it is.
const FIRST_BYTES: usize = 4096;

/// What the operating system says of a database's file.
pub(crate) const IN_USE: &str =
    "32(The process cannot access the file because it is being used by another process.)";

/// The devices of a statement: as storage takes them, and as they were written.
#[derive(Debug)]
pub(crate) struct Devices {
    pub list: Vec<Device>,
    pub names: Vec<String>,
}

impl Devices {
    /// The first as it was written.
    pub fn first(&self) -> &str {
        self.names.first().map_or("", String::as_str)
    }

    /// The path of one; none for NUL.
    pub fn path(&self, at: usize) -> Option<&Path> {
        match self.list.get(at) {
            Some(Device::Disk(path)) => Some(path),
            _ => None,
        }
    }

    /// A path of ours as it was written.
    pub fn name_of(&self, path: &Path) -> String {
        let at = self.list.iter().position(|d| matches!(d, Device::Disk(p) if p == path));
        at.map_or_else(|| path.display().to_string(), |at| self.names[at].clone())
    }

    /// Before a backup writes, whatever FORMAT and INIT say: 3241 for a file that is neither empty nor backup media, so that no
    /// mistyped name costs anybody a file. (SQL Server formats over it.) What has only zeros where the label belongs is the
    /// beginning of a backup that was cut off.
    pub fn refuse_other_files(&self, cx: &StatementContext<'_>) -> SqlResult<()> {
        let env = &cx.instance().options().env;
        for (device, name) in self.list.iter().zip(&self.names) {
            let Device::Disk(path) = device else { continue };
            let fail = |e: taffrail_io::IoError| SqlError::new(3201, &[name, &e.system_error()]);
            if !env.disk.exists(path).map_err(fail)? {
                continue;
            }
            let file = env.disk.open(path, OpenSpec::PLAIN.read_only()).map_err(fail)?;
            let mut first = [0; FIRST_BYTES];
            let length = file.len().map_err(fail)?.min(FIRST_BYTES as u64) as usize;
            file.read_at(0, &mut first[..length]).map_err(fail)?;
            let first = &first[..length];
            if !backup::is_media(first) && first.iter().any(|b| *b != 0) {
                return Err(SqlError::new(3241, &[name]));
            }
        }
        Ok(())
    }

    /// What msdb and the error log call it: the whole path.
    pub fn physical(&self, at: usize) -> String {
        self.path(at).map_or_else(|| "NUL".into(), |p| p.to_string_lossy().into_owned())
    }
}

/// Paths that were named, for a statement that `writes` or reads.
pub(super) fn resolve(
    cx: &StatementContext<'_>,
    list: &[ast::Device],
    writes: bool,
) -> SqlResult<Devices> {
    if list.len() > MAX_DEVICES {
        return Err(SqlError::new(3205, &[&MAX_DEVICES]));
    }
    let mut devices = Devices { list: Vec::new(), names: Vec::new() };
    for device in list {
        let name = match (&device.kind, &device.target) {
            (ast::DeviceKind::Disk, OptionValue::Text(path)) => path.to_string(),
            (ast::DeviceKind::Logical, OptionValue::Word(name)) => {
                return Err(SqlError::new(3206, &[&name.value]));
            }
            (ast::DeviceKind::Logical, OptionValue::Text(name)) => {
                return Err(SqlError::new(3206, &[name]));
            }
            _ => return Err(unsupported("A backup device other than DISK = 'path'")),
        };
        let known = if name.eq_ignore_ascii_case("NUL") {
            Device::Nul
        } else {
            let path = place(cx, &name, writes)?;
            if cx.instance().databases().owner_of(&path).is_some() {
                // A file of a database: as the operating system would say where files are locked.
                return Err(SqlError::new(3201, &[&name, &IN_USE]));
            }
            Device::Disk(path)
        };
        devices.list.push(known);
        devices.names.push(name);
    }
    Ok(devices)
}

/// Where a device lies. A directory that is not there is made for what is written, as SQL Server does it on Linux.
fn place(cx: &StatementContext<'_>, target: &str, writes: bool) -> SqlResult<PathBuf> {
    let instance = cx.instance();
    let path = backup_path(instance, target).map_err(|refusal| refusal.backup(target))?;
    let disk = &instance.options().env.disk;
    let fail = |e: taffrail_io::IoError| SqlError::new(3201, &[&target, &e.system_error()]);
    let Some(dir) = path.parent() else { return Ok(path) };
    if writes {
        let mut missing = Vec::new();
        for above in dir.ancestors() {
            if disk.exists(above).map_err(fail)? {
                break;
            }
            missing.push(above);
        }
        if !missing.is_empty() {
            disk.create_dir(dir).map_err(fail)?;
        }
        // A backup that is done is not lost with the name of its directory.
        for made in missing.iter().filter_map(|made| made.parent()) {
            disk.sync_dir(made).map_err(fail)?;
        }
    } else if dir != instance.backup_dir() {
        require_directory(instance, &path).map_err(|refusal| refusal.backup(target))?;
    }
    Ok(path)
}
