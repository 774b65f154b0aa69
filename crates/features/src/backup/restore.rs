//! RESTORE DATABASE and RESTORE LOG.
//!
//! What can be refused is refused before anything is touched: the set's header, the state of the database, every path. Then the database
//! is taken out of use, closed, and storage does the rest; what it leaves decides how the database is settled.

use super::device;
use super::facts;
use super::history;
use super::message::{self, Outcome};
use super::options::{self, Options};
use super::progress::Progress;
use super::record;
use super::suspect;
use crate::catalog::fold;
use crate::catalog::master::EntryState;
use crate::catalog::registry::{FLAG_RESTRICTED_USER, Slot, Taken};
use crate::ddl::users_of;
use crate::media::{Devices, Statement, say};
use crate::paths::checked_path;
use crate::session::context::StatementContext;
use std::path::PathBuf;
use taffrail_base::message::unsupported;
use taffrail_base::{DatabaseId, SqlError, SqlResult};
use taffrail_storage::FileKind;
use taffrail_storage::backup::{
    self, BackupError, BackupKind, BackupResult, RestoreKind, RestoreSpec, Restored, SetHeader,
    Stop,
};
use taffrail_syntax::ast::{self, OptionValue};

/// Runs one.
pub(super) fn run(
    cx: &mut StatementContext<'_>,
    s: &ast::Restore,
    statement: &Statement<'_>,
) -> SqlResult<()> {
    let table = match s.kind {
        ast::RestoreKind::Log => options::Statement::RestoreLog,
        _ => options::Statement::RestoreDatabase,
    };
    let options = options::read(table, &s.options)?;
    if !s.parts.is_empty() {
        return Err(unsupported("A restore of files, filegroups or pages"));
    }
    let slot = cx.instance().databases().slot(statement.database);
    // As it is spelled.
    let name = slot.as_ref().map_or(statement.database, |s| &s.entry.name).to_string();
    let statement = &Statement { name: statement.name, database: &name };
    if let Some(slot) = &slot {
        match slot.entry.id.0 {
            2 => return Err(SqlError::new(3147, &[])),
            1..=4 => return Err(unsupported("RESTORE of a system database")),
            id if id == cx.session.database.id.0 => {
                return Err(SqlError::new(3102, &[&"RESTORE", &name]));
            }
            _ => {}
        }
    }
    if s.from.is_empty() {
        return recover_only(cx, slot, &options, statement);
    }
    let devices = device::resolve(cx, &s.from, &options, false)?;
    let env = cx.instance().options().env.clone();
    let position = super::look::position(&options);
    let h = backup::read_set(&env, &devices.list, position);
    let h = h.map_err(|e| say(e, statement, &devices))?;
    let log = s.kind == ast::RestoreKind::Log;
    if log != (h.kind == BackupKind::Log) {
        return Err(SqlError::new(3135, &[&devices.first(), &facts::maker(h.kind)]));
    }
    if !log {
        refuse_late(&h, options.stop.as_ref())?;
    }
    refuse_damaged(cx, &h, &options, &devices, statement)?;
    let moves = moves(cx, &s.moves, &h, &name)?;
    let restored = match h.kind {
        BackupKind::Full => full(cx, slot, &h, &options, moves, &devices, statement)?,
        _ => onward(cx, slot, &h, &options, moves, &devices, statement)?,
    };
    let restored = restored.map_err(|e| say(e, statement, &devices))?;
    let id = cx.instance().databases().slot(&name).map(|s| s.entry.id).unwrap_or_default();
    if restored.header.kind == BackupKind::Full {
        suspect::restored(cx.instance(), id);
    }
    record::restored(id, &name, &restored.header, &devices);
    let recorded = history::restore(cx, &restored, &devices, &name, &options);
    let mut files = restored.header.files.clone();
    let mut data = files.iter_mut().filter(|f| f.kind == FileKind::Rows);
    if let (Some(only), None) = (data.next(), data.next()) {
        only.pages = restored.pages;
    }
    let outcome = Outcome {
        files: &files,
        kind: restored.header.kind,
        position,
        pages: restored.pages,
        log_pages: restored.log_pages,
        duration: restored.duration,
        damaged: restored.header.is_damaged,
    };
    if restored.is_short {
        cx.message(SqlError::new(4322, &[]))?;
    }
    message::summary(cx, statement, &outcome)?;
    recorded
}

/// A data set is restored as a whole: 4338 for one that is of a later moment than the point at which the restore is to stop, 4340 for a
/// point that has no moment.
fn refuse_late(h: &SetHeader, stop: Option<&Stop>) -> SqlResult<()> {
    let late = match stop {
        None => false,
        Some(Stop::At(moment) | Stop::Mark { after: Some(moment), .. }) => h.finished > *moment,
        Some(Stop::Mark { after: None, .. }) => return Err(SqlError::new(4340, &[])),
        Some(Stop::Lsn { lsn, .. }) => h.last_lsn > *lsn,
    };
    if late { Err(SqlError::new(4338, &[])) } else { Ok(()) }
}

/// What the set says of its own checksums and pages, before anything is touched: CHECKSUM where there are none (3187); damaged pages,
/// unless the restore is to continue after them (3183 names the first; 3182 when nobody is to look at checksums).
fn refuse_damaged(
    cx: &mut StatementContext<'_>,
    h: &SetHeader,
    options: &Options,
    devices: &Devices,
    statement: &Statement<'_>,
) -> SqlResult<()> {
    if options.checksum == Some(true) && !h.has_checksums {
        return Err(SqlError::new(3187, &[]));
    }
    if !h.is_damaged || options.continue_after_error {
        return Ok(());
    }
    if !h.has_checksums || options.checksum == Some(false) {
        return Err(SqlError::new(3182, &[]));
    }
    let env = cx.instance().options().env.clone();
    let mut progress = Progress::new(cx, None);
    let first = backup::damaged_page(&env, &devices.list, h.position, &mut progress);
    progress.finish(first.is_ok())?;
    Err(match first.map_err(|e| say(e, statement, devices))? {
        Some(page) => say(BackupError::DamagedInSet(page), statement, devices),
        None => SqlError::new(3182, &[]),
    })
}

/// MOVE: logical names and the paths that they go to.
fn moves(
    cx: &StatementContext<'_>,
    list: &[(OptionValue, OptionValue)],
    h: &SetHeader,
    database: &str,
) -> SqlResult<Vec<(String, PathBuf)>> {
    let mut moves = Vec::new();
    for pair in list {
        let (OptionValue::Text(logical), OptionValue::Text(path)) = pair else {
            return Err(SqlError::new(3217, &[&"MOVE"]));
        };
        let Some(file) = h.files.iter().find(|f| fold(&f.name) == fold(logical)) else {
            return Err(SqlError::new(3234, &[logical, &database]));
        };
        moves.push((file.name.clone(), checked_path(cx, path)?));
    }
    Ok(moves)
}

/// Who is in the way.
fn in_use(cx: &StatementContext<'_>) -> impl Fn(DatabaseId) -> bool {
    |id| !users_of(cx, id.0, true).is_empty()
}

/// From a full set: the files are made.
fn full(
    cx: &mut StatementContext<'_>,
    slot: Option<Slot>,
    h: &SetHeader,
    options: &Options,
    moves: Vec<(String, PathBuf)>,
    devices: &Devices,
    statement: &Statement<'_>,
) -> SqlResult<BackupResult<Restored>> {
    let name = statement.database;
    let guid = match &slot {
        Some(slot) => identity(cx, slot, h, options)?,
        None => None,
    };
    let (moves, in_the_way) = plan(cx, h, moves, options.replace, devices, name)?;
    let paths: Vec<PathBuf> = moves.iter().map(|(_, path)| path.clone()).collect();
    let instance = cx.instance().clone();
    let owner = cx.session.owning_sid();
    let mut taken = instance.databases().take_as(name, paths.clone(), &owner, &in_use(cx))?;
    let mut replaces = taken.files();
    replaces.extend(in_the_way);
    replaces.sort();
    replaces.dedup();
    let closed = taken.close(&paths);
    instance.adopt_databases();
    if let Err(e) = closed {
        taken.settle_failed(&paths)?;
        return Err(e);
    }
    let spec = RestoreSpec {
        kind: RestoreKind::Database,
        devices: devices.list.clone(),
        position: h.position,
        id: taken.entry.id,
        name: name.into(),
        primary: None,
        moves,
        replaces,
        guid,
        recovery: !options.norecovery,
    };
    go(cx, taken, &spec, paths, options)
}

/// Whether the database that is there may be replaced by this set, and its GUID, which it keeps.
fn identity(
    cx: &StatementContext<'_>,
    slot: &Slot,
    h: &SetHeader,
    options: &Options,
) -> SqlResult<Option<[u8; 16]>> {
    let (name, replace) = (&slot.entry.name, options.replace);
    let (guid, family) = match &slot.database {
        Some(database) => {
            let status = database.storage.recovery_status();
            let tail = database.storage.has_log_tail();
            // Who says where to stop does not want the tail.
            let wanted = !replace && options.stop.is_none();
            if wanted && status.family_guid == h.family_guid && tail {
                return Err(SqlError::new(3159, &[name]));
            }
            (status.database_guid, status.family_guid)
        }
        None => match cx.instance().databases().restoring(&slot.entry) {
            Some(r) => (r.guid, r.family_guid),
            // Half-made, offline or damaged: it cannot be told whose it is.
            None => return Ok(None),
        },
    };
    if family != h.family_guid && !replace {
        return Err(SqlError::new(3154, &[name]));
    }
    Ok(Some(guid))
}

/// Where each file of a full set goes (all problems are told, then 3119), and what lies there that belongs to nobody.
#[allow(clippy::type_complexity)]
fn plan(
    cx: &mut StatementContext<'_>,
    h: &SetHeader,
    moves: Vec<(String, PathBuf)>,
    replace: bool,
    devices: &Devices,
    name: &str,
) -> SqlResult<(Vec<(String, PathBuf)>, Vec<PathBuf>)> {
    let instance = cx.instance().clone();
    let disk = &instance.options().env.disk;
    let (mut all, mut in_the_way) = (Vec::<(String, PathBuf)>::new(), Vec::new());
    let mut problems = Vec::new();
    for file in &h.files {
        let moved = moves.iter().find(|(logical, _)| *logical == file.name);
        let path = moved.map_or(&file.path, |(_, path)| path).clone();
        let shown = path.display().to_string();
        let unfit = SqlError::new(3156, &[&file.name, &shown]);
        if let Some(other) = all.iter().position(|(_, p)| *p == path) {
            let (first, id) = (&all[other].0, h.files[other].id);
            problems.push(SqlError::new(3176, &[&shown, &file.name, &file.id, first, &id]));
        } else if let Err(e) = checked_path(cx, &shown) {
            problems.extend([e, unfit]);
        } else if let Some(owner) = instance.databases().owner_of(&path) {
            if fold(&owner) != fold(name) {
                problems.extend([SqlError::new(1834, &[&shown, &owner]), unfit]);
            }
        } else if disk.exists(&path).unwrap_or(true) {
            let is_device = (0..devices.list.len()).any(|at| devices.path(at) == Some(&path));
            if replace && !is_device {
                in_the_way.push(path.clone());
            } else {
                problems.extend([SqlError::new(3142, &[&file.name, &shown]), unfit]);
            }
        }
        all.push((file.name.clone(), path));
    }
    if problems.is_empty() {
        return Ok((all, in_the_way));
    }
    for problem in problems {
        cx.message(problem)?;
    }
    Err(SqlError::new(3119, &[]))
}

/// From a differential or log set: onto a database that is being restored.
fn onward(
    cx: &mut StatementContext<'_>,
    slot: Option<Slot>,
    h: &SetHeader,
    options: &Options,
    moves: Vec<(String, PathBuf)>,
    devices: &Devices,
    statement: &Statement<'_>,
) -> SqlResult<BackupResult<Restored>> {
    let Some(slot) = slot else { return Err(SqlError::new(3118, &[&statement.database])) };
    if slot.entry.state != EntryState::Restoring {
        return Err(SqlError::new(3117, &[]));
    }
    let instance = cx.instance().clone();
    let taken = instance.databases().take(statement.database, Vec::new(), &in_use(cx))?;
    let files = taken.files();
    let spec = RestoreSpec {
        kind: if h.kind == BackupKind::Log { RestoreKind::Log } else { RestoreKind::Database },
        devices: devices.list.clone(),
        position: h.position,
        id: taken.entry.id,
        name: statement.database.into(),
        primary: files.first().cloned(),
        moves,
        replaces: Vec::new(),
        guid: None,
        recovery: !options.norecovery,
    };
    go(cx, taken, &spec, files, options)
}

/// Has storage restore, and settles the database.
fn go(
    cx: &mut StatementContext<'_>,
    taken: Taken<'_>,
    spec: &RestoreSpec,
    files: Vec<PathBuf>,
    options: &Options,
) -> SqlResult<BackupResult<Restored>> {
    let storage = cx.instance().storage().clone();
    let mut progress = Progress::new(cx, options.stats);
    let (stop, part) = (options.stop.as_ref(), options.part.as_ref());
    let restored = backup::restore_part(&storage, spec, stop, part, &mut progress);
    let told = progress.finish(restored.is_ok());
    match &restored {
        Ok(Restored { database: Some(opened), .. }) => {
            let database = taken.settle_online(opened.clone())?;
            if options.restricted_user {
                let mut options = database.storage.options();
                options.engine_flags |= FLAG_RESTRICTED_USER;
                database.storage.set_options(&options).map_err(|e| e.to_sql())?;
            }
            cx.instance().adopt_databases();
        }
        Ok(r) => {
            let files: Vec<PathBuf> = r.files.iter().map(|f| f.path.clone()).collect();
            taken.settle_restoring(&files)?;
        }
        Err(_) => taken.settle_failed(&files)?,
    }
    told.map(|()| restored)
}

/// RESTORE DATABASE … WITH RECOVERY, without a set.
fn recover_only(
    cx: &mut StatementContext<'_>,
    slot: Option<Slot>,
    options: &Options,
    statement: &Statement<'_>,
) -> SqlResult<()> {
    let name = statement.database;
    let Some(slot) = slot else { return Err(SqlError::new(911, &[&name])) };
    if slot.entry.state != EntryState::Restoring {
        return match options.norecovery {
            true => Err(unsupported("RESTORE DATABASE … WITH NORECOVERY without FROM")),
            false => Err(SqlError::new(3153, &[])),
        };
    }
    if options.stop.is_some() {
        return Err(unsupported("RESTORE DATABASE … WITH STOPAT without FROM"));
    }
    if options.part.is_some() {
        return Err(unsupported("RESTORE DATABASE … WITH HOBTS without FROM"));
    }
    if options.norecovery {
        return message::done(cx, statement.name, 0, std::time::Duration::ZERO);
    }
    let instance = cx.instance().clone();
    let clock = &instance.options().env.clock;
    let began = clock.monotonic();
    let taken = instance.databases().take(name, Vec::new(), &in_use(cx))?;
    let files = taken.files();
    let Some(primary) = files.first() else {
        taken.settle_failed(&[])?;
        return Err(SqlError::new(3167, &[&name]));
    };
    let recovered = backup::recover(instance.storage(), taken.entry.id, name, primary);
    match recovered {
        Ok((opened, _)) => taken.settle_online(opened)?,
        Err(e) => {
            taken.settle_failed(&files)?;
            let devices = Devices { list: Vec::new(), names: Vec::new(), logical: Vec::new() };
            let why = say(e, statement, &devices);
            // What a restore left that did not come to its end: no primary file, or the beginning of one.
            let there = instance.options().env.disk.exists(primary).unwrap_or(true);
            return Err(if there && why.number != 5171 { why } else { SqlError::new(4333, &[]) });
        }
    };
    instance.adopt_databases();
    message::done(cx, statement.name, 0, clock.monotonic().saturating_sub(began))
}
