//! sp_addumpdevice, sp_dropdevice: backup devices with names.

use super::Arguments;
use crate::catalog::devices::{self, BackupDevice, DISK};
use crate::catalog::fold;
use crate::paths::backup_path;
use crate::session::context::StatementContext;
use taffrail_base::message::unsupported;
use taffrail_base::{SqlError, SqlResult};
use taffrail_storage::backup::Device;

/// 15002: devices are no matter of transactions.
fn alone(cx: &StatementContext<'_>, procedure: &str) -> SqlResult<()> {
    match cx.session.transaction.count() {
        0 => Ok(()),
        _ => Err(SqlError::new(15002, &[&procedure])),
    }
}

/// `sp_addumpdevice`: 15026, 15044, 15045, 15046, 15061.
pub(super) fn add(cx: &mut StatementContext<'_>, args: &Arguments<'_>) -> SqlResult<i32> {
    alone(cx, "sys.sp_addumpdevice")?;
    let kind = args.text(0).unwrap_or_default();
    match &*kind.trim_end().to_ascii_lowercase() {
        "disk" => {}
        "tape" => return Err(unsupported("A backup device other than a disk")),
        _ => return Err(SqlError::new(15044, &[&kind])),
    }
    let name = args.text(1).filter(|n| !n.is_empty());
    let name = name.ok_or_else(|| SqlError::new(15045, &[]))?;
    let path = args.text(2).filter(|p| !p.is_empty());
    let path = path.ok_or_else(|| SqlError::new(15046, &[]))?;
    let master = cx.instance().databases().master()?;
    let there = devices::all(&master.storage)?;
    if there.iter().any(|d| fold(&d.name) == fold(&name)) {
        return Err(SqlError::new(15026, &[&name]));
    }
    if there.iter().any(|d| fold(&d.path) == fold(&path)) {
        return Err(SqlError::new(15061, &[&path]));
    }
    devices::add(&master.storage, &BackupDevice { name, kind: DISK, path })?;
    Ok(0)
}

/// `sp_dropdevice`: 15012, 15600. DELFILE deletes the file, if it is backup media.
pub(super) fn drop(cx: &mut StatementContext<'_>, args: &Arguments<'_>) -> SqlResult<i32> {
    alone(cx, "sys.sp_dropdevice")?;
    let name = args.text(0).unwrap_or_default();
    let deletes = match args.text(1) {
        None => false,
        Some(word) if word.trim_end().eq_ignore_ascii_case("delfile") => true,
        Some(_) => return Err(SqlError::new(15600, &[&"sys.sp_dropdevice"])),
    };
    let master = cx.instance().databases().master()?;
    let found = devices::find(&master.storage, &name)?;
    let device = found.ok_or_else(|| SqlError::new(15012, &[&name]))?;
    if deletes {
        let path = backup_path(cx.instance(), &device.path);
        let path = path.map_err(|refusal| refusal.backup(&device.path))?;
        let env = cx.instance().options().env.clone();
        if taffrail_storage::backup::read_label(&env, &Device::Disk(path.clone())).is_ok() {
            let failed =
                |e: taffrail_io::IoError| SqlError::new(3201, &[&device.path, &e.system_error()]);
            env.disk.remove(&path).map_err(failed)?;
        }
    }
    devices::remove(&master.storage, &device.name)?;
    cx.message(SqlError::new(15463, &[]))?;
    Ok(0)
}
