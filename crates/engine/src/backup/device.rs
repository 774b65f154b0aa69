//! Where backups lie: the devices of a statement as paths that may be used.

use crate::binder::unsupported;
use crate::context::StatementContext;
use crate::ddl::{PathRefusal, backup_path, require_directory};
use std::path::{Path, PathBuf};
use taffrail_base::{SqlError, SqlResult};
use taffrail_storage::backup::{self, Device};
use taffrail_syntax::ast::{self, OptionValue};

/// As many as a statement may name.
const MAX_DEVICES: usize = 64;

const IN_USE: &str =
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

    /// Before a backup writes: 3201 for what belongs to the server itself, whatever FORMAT and INIT say. In the data directory
    /// only a file that is backup media already is written over (in `backup` any, as elsewhere on the disk), and in its
    /// `log` nothing is made at all.
    pub fn refuse_own_files(&self, cx: &StatementContext<'_>) -> SqlResult<()> {
        let data_dir = cx.instance().databases().data_dir();
        let env = &cx.instance().options().env;
        for (device, name) in self.list.iter().zip(&self.names) {
            let Device::Disk(path) = device else { continue };
            // A link may lead there.
            let real = |path: &Path| env.disk.real_path(path).unwrap_or_else(|_| path.into());
            let (real_path, real_dir) = (real(path), real(data_dir));
            if !real_path.starts_with(&real_dir) || real_path.starts_with(real_dir.join("backup")) {
                continue;
            }
            let reserved = real_path.starts_with(real_dir.join("log"));
            // What cannot be told is taken for a file that is there.
            let there = || env.disk.exists(path).unwrap_or(true);
            if reserved || there() && backup::read_label(env, path).is_err() {
                return Err(SqlError::new(3201, &[name, &"5(Access is denied.)"]));
            }
        }
        Ok(())
    }

    /// What msdb and the error log call it: the whole path.
    pub fn physical(&self, at: usize) -> String {
        self.path(at).map_or_else(|| "NUL".into(), |p| p.to_string_lossy().into_owned())
    }
}

/// Paths that were named; the directory of relative ones is made when it is needed.
pub(super) fn resolve(cx: &StatementContext<'_>, list: &[ast::Device]) -> SqlResult<Devices> {
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
            let path = place(cx, &name)?;
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

/// Where a device lies. The directory of relative ones is made when it is needed, others must be there.
fn place(cx: &StatementContext<'_>, target: &str) -> SqlResult<PathBuf> {
    let refused = |refusal: PathRefusal| refusal.backup(target);
    let instance = cx.instance();
    let path = backup_path(instance, target).map_err(refused)?;
    let own = instance.databases().data_dir().join("backup");
    let disk = &instance.options().env.disk;
    let real = |dir: &Path| disk.real_path(dir).unwrap_or_else(|_| dir.into());
    if path.parent().is_some_and(|dir| dir == own || real(dir) == real(&own)) {
        let made = disk.create_dir(&own);
        made.map_err(|e| SqlError::new(3201, &[&target, &e.system_error()]))?;
    } else {
        require_directory(instance, &path).map_err(refused)?;
    }
    Ok(path)
}
