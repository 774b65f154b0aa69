//! BACKUP LOG … WITH NO_TRUNCATE of a database that cannot be opened, its data file being lost or damaged.
//!
//! What the lost boot page knew comes from msdb: who the database is, where its last log backup ended, what its files are called. It is the
//! truth only as long as nothing has happened since that msdb does not tell, so a restore over the database after its last backup is
//! refused; all the rest storage holds against the log (`taffrail_storage::backup::lost`).

use super::device::Devices;
use super::facts;
use super::system;
use crate::catalog::registry::Slot;
use crate::context::StatementContext;
use std::path::PathBuf;
use taffrail_base::{FileId, Lsn, SqlError, SqlResult};
use taffrail_io::UtcTime;
use taffrail_storage::backup::{BackupFile, LostDatabase};
use taffrail_storage::{FileKind, Growth, RecoveryModel};
use taffrail_types::{SqlType, Value, text};

fn guid(v: &Value) -> Option<[u8; 16]> {
    if let Value::Guid(bytes) = v { Some(*bytes) } else { None }
}

/// numeric(25,0) as an LSN.
fn lsn(v: &Value) -> Option<Lsn> {
    if v.is_null() {
        return None;
    }
    let n: u128 = text::display(v, SqlType::Numeric { precision: 25, scale: 0 }).parse().ok()?;
    let part = |n: u128| u32::try_from(n).ok();
    let (vlf, block) = (part(n / 1_000_000_000_000_000)?, part(n / 100_000 % 10_000_000_000)?);
    Some(Lsn::new(vlf, block, u16::try_from(n % 100_000).ok()?))
}

/// What msdb knows of the database: 4214 when that is not enough for a log backup.
pub(super) fn known(cx: &StatementContext<'_>, slot: &Slot) -> SqlResult<LostDatabase> {
    let none = || SqlError::new(4214, &[]);
    let name = slot.entry.name.replace('\'', "''");
    let rows = |sql: &str| system::run(cx.instance(), "msdb", &[sql]);
    let sets = rows(&format!(
        "SELECT backup_set_id, type, database_guid, family_guid, last_recovery_fork_guid, database_creation_date,
                recovery_model, first_lsn, last_lsn, checkpoint_lsn, backup_finish_date
         FROM dbo.backupset WHERE database_name = N'{name}' AND is_copy_only = 0 AND type IN ('D', 'I', 'L')
         ORDER BY backup_finish_date DESC, backup_set_id DESC"
    ))?;
    let last = sets.first().ok_or_else(none)?;
    let finished = crate::procs::as_varchar(&last[10], SqlType::DateTime, Some(121))?;
    let restored = rows(&format!(
        "SELECT 1 FROM dbo.restorehistory WHERE destination_database_name = N'{name}' AND restore_type <> 'V' AND restore_date >= '{finished}'"
    ))?;
    if !restored.is_empty() {
        return Err(none());
    }
    let text_of = |v: &Value| v.as_text().unwrap_or_default();
    // Only sets of the same database on the same recovery path say where its chain stands.
    let same = |s: &&Vec<Value>| s[2] == last[2] && s[4] == last[4];
    let of = |kind: &str| sets.iter().filter(same).find(|s| text_of(&s[1]) == kind);
    // The end of the last log backup; should the chain have been broken since, the beginning of the one that the last full backup began.
    let after = of("L").and_then(|s| lsn(&s[8])).map(|at| (at, false));
    let begun = of("D").and_then(|s| lsn(&s[7])).map(|at| (at, true));
    let from: Vec<(Lsn, bool)> = after.into_iter().chain(begun).collect();
    let Some(recovery_model) = model(&text_of(&last[6])) else { return Err(none()) };
    if from.is_empty() || recovery_model == RecoveryModel::Simple {
        return Err(none());
    }
    let set = last[0].as_i64().ok_or_else(none)?;
    let files = rows(&format!(
        "SELECT file_number, file_type, logical_name, physical_name, file_size FROM dbo.backupfile
         WHERE backup_set_id = {set} ORDER BY file_number"
    ))?;
    let file = |f: &Vec<Value>| {
        Some(BackupFile {
            id: FileId(u16::try_from(f[0].as_i64()?).ok()?),
            kind: if text_of(&f[1]) == "L" { FileKind::Log } else { FileKind::Rows },
            name: f[2].as_text()?,
            path: PathBuf::from(f[3].as_text()?),
            size: text::display(&f[4], SqlType::Numeric { precision: 20, scale: 0 })
                .parse()
                .ok()?,
            growth: Growth::Bytes(0),
            max_size: None,
            pages: 0,
        })
    };
    let files: Vec<BackupFile> = files.iter().filter_map(file).collect();
    Ok(LostDatabase {
        name: slot.entry.name.clone(),
        guid: guid(&last[2]).ok_or_else(none)?,
        family: guid(&last[3]).ok_or_else(none)?,
        fork: guid(&last[4]).ok_or_else(none)?,
        created: facts::utc_of(&last[5]).unwrap_or(UtcTime(0)),
        recovery_model,
        log: vec![log_file(cx, slot, &files).ok_or_else(none)?],
        files,
        last_full: of("D").and_then(|s| lsn(&s[9])).unwrap_or_default(),
        from,
    })
}

fn model(name: &str) -> Option<RecoveryModel> {
    [RecoveryModel::Full, RecoveryModel::BulkLogged, RecoveryModel::Simple]
        .into_iter()
        .find(|m| facts::model_name(*m) == name)
}

/// The first log file: where the last backup saw it, else where it was when the database was made. It names the others.
fn log_file(cx: &StatementContext<'_>, slot: &Slot, files: &[BackupFile]) -> Option<PathBuf> {
    let disk = &cx.instance().options().env.disk;
    let seen = files.iter().filter(|f| f.kind == FileKind::Log).map(|f| &f.path);
    let made = slot.entry.files.iter().skip(1);
    seen.chain(made).find(|p| disk.exists(p).unwrap_or(false)).cloned()
}

/// A database that is to be opened and cannot be: 926 or 945 in place of it.
pub(super) fn is_lost(slot: &Slot, refused: &SqlError) -> bool {
    slot.database.is_none() && matches!(refused.number, 926 | 945)
}

/// A set may not go into the files that it is taken from.
pub(super) fn refuse_log(devices: &Devices, lost: &LostDatabase) -> SqlResult<()> {
    let own = |at: &usize| devices.path(*at).is_some_and(|p| lost.log.iter().any(|l| l == p));
    match (0..devices.list.len()).find(own) {
        Some(at) => Err(SqlError::new(3201, &[&devices.names[at], &"5(Access is denied.)"])),
        None => Ok(()),
    }
}
