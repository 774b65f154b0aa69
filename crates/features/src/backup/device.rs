//! Where backups lie: the devices of a statement as paths that may be used, or as objects of an object store.

use super::options::Options;
use super::url;
use crate::catalog::devices;
use crate::media::{Devices, IN_USE};
use crate::paths::{backup_path, require_directory};
use crate::session::context::StatementContext;
use std::path::PathBuf;
use taffrail_base::message::unsupported;
use taffrail_base::{SqlError, SqlResult};
use taffrail_storage::backup::Device;
use taffrail_syntax::ast::{self, OptionValue};

/// As many as a statement may name.
const MAX_DEVICES: usize = 64;

/// Paths and addresses that were named, for a statement that `writes` or reads.
pub(super) fn resolve(
    cx: &StatementContext<'_>,
    list: &[ast::Device],
    options: &Options,
    writes: bool,
) -> SqlResult<Devices> {
    if list.len() > MAX_DEVICES {
        return Err(SqlError::new(3205, &[&MAX_DEVICES]));
    }
    if list.iter().any(|d| d.kind == ast::DeviceKind::Url) {
        return url::resolve(cx, list, options);
    }
    refuse_remote_options(options)?;
    let mut devices = Devices { list: Vec::new(), names: Vec::new(), logical: Vec::new() };
    for device in list {
        let mut logical = None;
        let name = match (&device.kind, &device.target) {
            (ast::DeviceKind::Disk, OptionValue::Text(path)) => path.to_string(),
            (ast::DeviceKind::Logical, OptionValue::Word(name)) => {
                path_of(cx, &name.value, &mut logical)?
            }
            (ast::DeviceKind::Logical, OptionValue::Text(name)) => path_of(cx, name, &mut logical)?,
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
        // Messages say both.
        devices.names.push(match &logical {
            Some(device) => format!("{device}({name})"),
            None => name,
        });
        devices.logical.push(logical);
    }
    Ok(devices)
}

/// Bytes of MAXTRANSFERSIZE at most, on disk.
const TRANSFER_MAX: u32 = 4 << 20;

/// Options of objects alone are refused for files.
fn refuse_remote_options(options: &Options) -> SqlResult<()> {
    if let Some(n) = options.max_transfer.filter(|n| *n > TRANSFER_MAX) {
        return Err(SqlError::new(3250, &[&n, &"MAXTRANSFERSIZE"]));
    }
    match (&options.credential, &options.remote) {
        (None, None) => Ok(()),
        (Some(_), _) => Err(unsupported("CREDENTIAL for a device other than a URL")),
        _ => Err(unsupported("BACKUP_OPTIONS and RESTORE_OPTIONS for a device other than a URL")),
    }
}

/// The path of a device that has a name: 3206.
fn path_of(
    cx: &StatementContext<'_>,
    name: &str,
    logical: &mut Option<String>,
) -> SqlResult<String> {
    let master = cx.instance().databases().master()?;
    let found = devices::find(&master.storage, name)?;
    let device = found.ok_or_else(|| SqlError::new(3206, &[&name]))?;
    *logical = Some(device.name);
    Ok(device.path)
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
