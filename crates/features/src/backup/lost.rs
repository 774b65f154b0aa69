//! BACKUP LOG … WITH NO_TRUNCATE of a database that cannot be opened, its data file being lost or damaged.
//!
//! The log says which database it is of; what else the lost boot page knew comes from msdb: where its last log backup ended, what its files
//! are called. It is the truth only as long as nothing has happened since that msdb does not tell, so a restore over the database after its
//! last backup is refused; all the rest storage holds against the log (`taffrail_storage::backup::lost`).

use super::facts;
use super::system;
use crate::catalog::registry::Slot;
use crate::media::Devices;
use crate::plan::text::apostrophes;
use crate::session::context::StatementContext;
use std::path::PathBuf;
use taffrail_base::{FileId, Lsn, SqlError, SqlResult};
use taffrail_io::UtcTime;
use taffrail_log::offline::OfflineLog;
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
    lsn_of(&text::display(v, SqlType::Numeric { precision: 25, scale: 0 }))
}

/// An LSN as numeric(25,0) is written, or in the three parts of `Current LSN`, which are hexadecimal.
pub(super) fn lsn_of(number: &str) -> Option<Lsn> {
    if number.contains(':') {
        let number = number.strip_prefix("0x").or_else(|| number.strip_prefix("0X"));
        let parts: Vec<&str> = number?.split(':').collect();
        let &[vlf, block, slot] = &parts[..] else { return None };
        let part = |digits: &str| u32::from_str_radix(digits, 16).ok();
        return Some(Lsn::new(part(vlf)?, part(block)?, u16::from_str_radix(slot, 16).ok()?));
    }
    let n: u128 = number.parse().ok()?;
    let part = |n: u128| u32::try_from(n).ok();
    let (vlf, block) = (part(n / 1_000_000_000_000_000)?, part(n / 100_000 % 10_000_000_000)?);
    Some(Lsn::new(vlf, block, u16::try_from(n % 100_000).ok()?))
}

/// numeric(n,0).
fn number<T: std::str::FromStr>(v: &Value, precision: u8) -> Option<T> {
    text::display(v, SqlType::Numeric { precision, scale: 0 }).parse().ok()
}

fn text_of(v: &Value) -> String {
    v.as_text().unwrap_or_default()
}

fn none() -> Box<SqlError> {
    SqlError::new(4214, &[])
}

fn quoted(text: &str) -> String {
    format!("N{}", apostrophes(text))
}

fn rows(cx: &StatementContext<'_>, sql: &str) -> SqlResult<Vec<Vec<Value>>> {
    system::run(cx.instance(), "msdb", &[sql])
}

/// What the log and msdb know of the database: 4214 when that is not enough for a log backup.
///
/// The log says which database it is, and that one's backups are looked for, under whatever name they were taken.
pub(super) fn known(cx: &StatementContext<'_>, slot: &Slot) -> SqlResult<LostDatabase> {
    let (log, database) = log_files(cx, slot)?;
    let id = text::display(&Value::Guid(database), SqlType::UniqueIdentifier);
    let sets = rows(
        cx,
        &format!(
            "SELECT backup_set_id, type, database_guid, family_guid, last_recovery_fork_guid, database_creation_date,
                recovery_model, first_lsn, last_lsn, checkpoint_lsn, backup_finish_date
             FROM dbo.backupset WHERE database_guid = '{id}' AND is_copy_only = 0 AND type IN ('D', 'I', 'L')
             ORDER BY backup_finish_date DESC, backup_set_id DESC"
        ),
    )?;
    let last = sets.first().ok_or_else(none)?;
    if restored_since(cx, slot, &id, &last[10])? {
        return Err(none());
    }
    let Some(recovery_model) = model(&text_of(&last[6])) else { return Err(none()) };
    // Only sets on the same recovery path say where its chain stands.
    let same: Vec<&Vec<Value>> = sets.iter().filter(|s| s[4] == last[4]).collect();
    let from = places(&same);
    if from.is_empty() || recovery_model == RecoveryModel::Simple {
        return Err(none());
    }
    let set = last[0].as_i64().ok_or_else(none)?;
    let mut files = files_of(cx, set)?;
    rebase(cx, slot, &mut files);
    let full = same.iter().find(|s| text_of(&s[1]) == "D");
    Ok(LostDatabase {
        name: slot.entry.name.clone(),
        guid: database,
        family: guid(&last[3]).ok_or_else(none)?,
        fork: guid(&last[4]).ok_or_else(none)?,
        created: facts::utc_of(&last[5]).unwrap_or(UtcTime(0)),
        recovery_model,
        log,
        files,
        last_full: full.and_then(|s| lsn(&s[9])).unwrap_or_default(),
        from,
    })
}

/// Where the set may begin, the oldest place first: where the last log backup ended; should the chain have been broken since, or should
/// there be none, where a full or differential backup began that can have begun a chain.
fn places(sets: &[&Vec<Value>]) -> Vec<(Lsn, bool)> {
    let logs = sets.iter().filter(|s| text_of(&s[1]) == "L");
    let after = logs.filter_map(|s| lsn(&s[8])).max();
    let data = sets.iter().filter(|s| text_of(&s[1]) != "L");
    let mut begun: Vec<Lsn> = data.filter_map(|s| lsn(&s[7])).collect();
    begun.retain(|at| after.is_none_or(|after| *at > after));
    begun.sort();
    let begun = begun.into_iter().map(|at| (at, true));
    after.map(|at| (at, false)).into_iter().chain(begun).collect()
}

/// Whether a restore went over the database since: its log is of another recovery path then. The names it has had
/// count, and its files, since
/// it may have been renamed without a backup.
fn restored_since(
    cx: &StatementContext<'_>,
    slot: &Slot,
    id: &str,
    finished: &Value,
) -> SqlResult<bool> {
    let finished = crate::results::as_varchar(finished, SqlType::DateTime, Some(121))?;
    let name = quoted(&slot.entry.name);
    let paths: Vec<String> =
        slot.entry.files.iter().map(|f| quoted(&f.to_string_lossy())).collect();
    let paths = if paths.is_empty() { "NULL".into() } else { paths.join(", ") };
    let found = rows(
        cx,
        &format!(
            "SELECT 1 FROM dbo.restorehistory WHERE restore_type <> 'V' AND restore_date >= '{finished}' AND (
                destination_database_name = {name}
                OR destination_database_name IN (SELECT database_name FROM dbo.backupset WHERE database_guid = '{id}')
                OR restore_history_id IN (SELECT restore_history_id FROM dbo.restorefile WHERE destination_phys_name IN ({paths})))"
        ),
    )?;
    Ok(!found.is_empty())
}

/// The files that a set lists.
fn files_of(cx: &StatementContext<'_>, set: i64) -> SqlResult<Vec<BackupFile>> {
    let files = rows(
        cx,
        &format!(
            "SELECT file_number, file_type, logical_name, physical_name, file_size FROM dbo.backupfile
             WHERE backup_set_id = {set} ORDER BY file_number"
        ),
    )?;
    let file = |f: &Vec<Value>| {
        Some(BackupFile {
            id: FileId(number(&f[0], 10)?),
            kind: if text_of(&f[1]) == "L" { FileKind::Log } else { FileKind::Rows },
            name: f[2].as_text()?,
            path: PathBuf::from(f[3].as_text()?),
            size: number(&f[4], 20)?,
            growth: Growth::Bytes(0),
            max_size: None,
            pages: 0,
        })
    };
    // A list with a gap would be a wrong one.
    files.iter().map(file).collect::<Option<_>>().ok_or_else(none)
}

/// Makes the paths that msdb remembers those of now: what lay beside the primary file, or below, has gone along with
/// it. Gives the log files
/// that may be opened: of a copy, a file that has not gone along is the original's.
fn rebase(cx: &StatementContext<'_>, slot: &Slot, files: &mut [BackupFile]) -> Vec<PathBuf> {
    let was = files.iter().find(|f| f.id == FileId(1)).map(|f| f.path.clone());
    let moved = was.zip(slot.entry.files.first()).filter(|(was, is)| was != *is);
    // When it cannot be told it is one.
    let exists = |p: &PathBuf| cx.instance().options().env.disk.exists(p).unwrap_or(true);
    let copied = moved.as_ref().is_some_and(|(was, _)| exists(was));
    let mut logs = Vec::new();
    for f in files {
        let along = moved.as_ref().and_then(|(was, is)| {
            let rest = f.path.strip_prefix(was.parent()?).ok()?;
            Some(if f.id == FileId(1) { is.to_path_buf() } else { is.parent()?.join(rest) })
        });
        let own = along.is_some() || !copied;
        f.path = along.unwrap_or_else(|| f.path.clone());
        if own && f.kind == FileKind::Log {
            logs.push(f.path.clone());
        }
    }
    logs
}

fn model(name: &str) -> Option<RecoveryModel> {
    [RecoveryModel::Full, RecoveryModel::BulkLogged, RecoveryModel::Simple]
        .into_iter()
        .find(|m| facts::model_name(*m) == name)
}

/// The log's files as far as they are known, the first one first, and the GUID of the database that the log is of.
/// The log names its others.
///
/// Master knows where the files are: of a data directory that was copied, msdb knows those of the original, whose log is another by now.
/// It is asked only for a file that master does not know.
fn log_files(cx: &StatementContext<'_>, slot: &Slot) -> SqlResult<(Vec<PathBuf>, [u8; 16])> {
    let env = &cx.instance().options().env;
    let there = |p: &PathBuf| env.disk.exists(p).unwrap_or(false);
    let name = quoted(&slot.entry.name);
    let seen = rows(
        cx,
        &format!(
            "SELECT TOP 1 backup_set_id, database_guid FROM dbo.backupset WHERE database_name = {name} ORDER BY \
                backup_finish_date DESC, backup_set_id DESC"
        ),
    )?;
    let named = seen.first().and_then(|s| guid(&s[1]));
    let mut files = match seen.first().and_then(|s| s[0].as_i64()) {
        Some(set) => files_of(cx, set)?,
        None => Vec::new(),
    };
    let seen = rebase(cx, slot, &mut files);
    let mut paths: Vec<PathBuf> = Vec::new();
    for path in slot.entry.files.iter().skip(1).cloned().chain(seen) {
        if !paths.contains(&path) && there(&path) {
            paths.push(path);
        }
    }
    // The first of them begins the log; others are further files of it, or of data.
    let mut failed = None;
    for at in 0..paths.len() {
        match OfflineLog::open(env, &paths[at..=at]) {
            Ok(log) => {
                let database = log.facts().2;
                // What lies now where msdb remembers one may be another database's.
                if named != Some(database) && !slot.entry.files.contains(&paths[at]) {
                    continue;
                }
                paths.swap(0, at);
                return Ok((paths, database));
            }
            Err(e) => failed = Some(e),
        }
    }
    Err(failed.map_or_else(none, |e| SqlError::new(3203, &[&"the log", &e])))
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
