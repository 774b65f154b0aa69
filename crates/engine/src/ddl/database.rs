//! CREATE, ALTER and DROP DATABASE.

use super::options;
use crate::binder::unsupported;
use crate::catalog::fold;
use crate::catalog::registry::{self, DEFAULT_GROWTH, DEFAULT_SIZE, MB};
use crate::context::StatementContext;
use crate::database::Database;
use std::path::Path;
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_observe::{Event, EventRing};
use taffrail_storage::{
    CreateSpec, DataFileSpec, FileInfo, FileKind, Growth, LOG_FILE_BYTES_MAX, RecoveryModel,
    StorageError,
};
use taffrail_syntax::ast;
use taffrail_types::Collation;

/// The smallest file.
const MIN_FILE: u64 = 512 << 10;
/// The smallest primary file: what the catalogue needs.
const MIN_PRIMARY: u64 = 2 * MB;

pub(crate) fn sql(e: StorageError) -> Box<SqlError> {
    e.to_sql(0)
}

/// `CREATE DATABASE`.
pub(crate) fn create_database(
    cx: &mut StatementContext<'_>,
    s: &ast::CreateDatabase,
) -> SqlResult<()> {
    cx.refuse_in_transaction("CREATE DATABASE")?;
    if let Some(variant) = &s.variant {
        return Err(unsupported(format!("CREATE DATABASE … {variant}")));
    }
    if let Some(c) = &s.containment
        && !c.is("NONE")
    {
        return Err(unsupported("CONTAINMENT = PARTIAL"));
    }
    for option in &s.options {
        options::at_creation(option)?;
    }
    if let Some(collation) = &s.collation {
        match Collation::from_name(&collation.value) {
            None => return Err(super::clauses::no_collation(&collation.value)),
            Some(c) if c != Collation::default() => {
                return Err(unsupported("A database collation other than the server's"));
            }
            Some(_) => {}
        }
    }
    let name = &*s.name.value;
    let databases = cx.instance().databases();
    if databases.slot(name).is_some() {
        return Err(SqlError::new(1801, &[&name]).with_state(3));
    }
    let data: Vec<&ast::FileSpec> = s.filegroups.iter().flat_map(|g| &g.files).collect();
    if s.filegroups.len() > 1 || data.len() > 1 {
        return Err(unsupported("More than one data file"));
    }
    let spec = create_spec(cx, name, data.first().copied(), &s.log)?;
    databases.create(name, &spec).map(drop)
}

fn create_spec(
    cx: &StatementContext<'_>,
    name: &str,
    data: Option<&ast::FileSpec>,
    log: &[ast::FileSpec],
) -> SqlResult<CreateSpec> {
    let databases = cx.instance().databases();
    let defaults = databases.default_files(name);
    let default_data = ast::FileSpec::default();
    let data_file = file_spec(
        cx,
        data.unwrap_or(&default_data),
        name.to_string(),
        &defaults[0],
        DEFAULT_SIZE,
        false,
    )?;
    if data_file.size < MIN_PRIMARY {
        return Err(SqlError::new(1803, &[&(MIN_PRIMARY / MB)]));
    }
    // Without LOG ON: a quarter of the data, unless nothing at all was said.
    let default_log = match data {
        Some(d) if d.size.is_some() && log.is_empty() => (data_file.size / 4).max(MIN_FILE),
        _ => DEFAULT_SIZE,
    };
    let mut log_files = Vec::new();
    let only = [ast::FileSpec::default()];
    for (i, spec) in (if log.is_empty() { &only[..] } else { log }).iter().enumerate() {
        let logical = match i {
            0 => format!("{name}_log"),
            n => format!("{name}_log{}", n + 1),
        };
        let path = databases.data_dir().join(format!("{logical}.ldf"));
        log_files.push(file_spec(cx, spec, logical, &path, default_log, true)?);
    }
    let mut names = vec![fold(&data_file.name)];
    for file in &log_files {
        if names.contains(&fold(&file.name)) {
            return Err(SqlError::new(1828, &[&file.name]));
        }
        names.push(fold(&file.name));
    }
    Ok(CreateSpec {
        data_files: vec![data_file],
        log_files,
        options: registry::default_options(RecoveryModel::Full),
        temporary: false,
    })
}

pub(super) fn file_spec(
    cx: &StatementContext<'_>,
    spec: &ast::FileSpec,
    default_name: String,
    default_path: &Path,
    default_size: u64,
    is_log: bool,
) -> SqlResult<DataFileSpec> {
    let name = spec.name.as_ref().map_or(default_name, |n| n.value.to_string());
    let path = match &spec.filename {
        None => default_path.to_path_buf(),
        Some(path) => super::paths::checked_path(cx, path)?,
    };
    let size = spec.size.map_or(default_size, |s| s.bytes());
    if size < MIN_FILE {
        return Err(SqlError::new(5174, &[]));
    }
    let max_size = match spec.max_size {
        Some(ast::MaxFileSize::Size(max)) => Some(max.bytes()),
        _ if is_log => Some(LOG_FILE_BYTES_MAX),
        _ => None,
    };
    if max_size.is_some_and(|max| max < size) {
        return Err(SqlError::new(5103, &[&name]));
    }
    if is_log && size > LOG_FILE_BYTES_MAX {
        return Err(SqlError::new(5150, &[]));
    }
    let growth = spec.growth.map_or(Growth::Bytes(DEFAULT_GROWTH), growth_of);
    check_growth(&name, growth, spec.growth.is_some().then_some(max_size).flatten())?;
    Ok(DataFileSpec { name, path, size: size.next_multiple_of(8192), growth, max_size })
}

fn growth_of(growth: ast::FileGrowth) -> Growth {
    match growth {
        ast::FileGrowth::Percent(0) => Growth::None,
        ast::FileGrowth::Percent(n) => Growth::Percent(n),
        ast::FileGrowth::Size(size) => match size.bytes() {
            0 => Growth::None,
            // Rounded to the nearest 64 KB, at least one.
            bytes => Growth::Bytes(((bytes + (32 << 10)) >> 16).max(1) << 16),
        },
    }
}

fn check_growth(name: &str, growth: Growth, max_size: Option<u64>) -> SqlResult<()> {
    match (growth, max_size) {
        (Growth::Bytes(by), Some(max)) if by > max => Err(SqlError::new(5169, &[&name])),
        _ => Ok(()),
    }
}

/// `DROP DATABASE`.
pub(crate) fn drop_databases(cx: &mut StatementContext<'_>, s: &ast::Drop) -> SqlResult<()> {
    cx.refuse_in_transaction("DROP DATABASE")?;
    for name in &s.names {
        let name = &*name.name.value;
        let databases = cx.instance().databases();
        let Some(slot) = databases.slot(name) else {
            if s.if_exists {
                continue;
            }
            return Err(SqlError::new(3701, &[&"drop", &"database", &name]));
        };
        let id = slot.entry.id;
        if id.0 <= 4 {
            return Err(SqlError::new(
                3708,
                &[&"drop", &"database", &slot.entry.name, &"database"],
            ));
        }
        if cx.session.database.id == id || !users_of(cx, id.0, true).is_empty() {
            return Err(SqlError::new(3702, &[&slot.entry.name]).with_state(3));
        }
        databases.drop_database(name)?;
        if let Some(database) = &slot.database {
            cx.instance().database_closed(database);
        }
    }
    Ok(())
}

/// The sessions that use a database, the own one aside if asked for.
pub(crate) fn users_of(
    cx: &StatementContext<'_>,
    id: u16,
    others_only: bool,
) -> Vec<taffrail_base::SessionId> {
    use std::sync::atomic::Ordering::Relaxed;
    let own = cx.session.id;
    let sessions = cx.instance().sessions();
    let in_use = sessions.iter().filter(|s| s.cell.database_id.load(Relaxed) == id);
    in_use.map(|s| s.id).filter(|s| !(others_only && *s == own)).collect()
}

/// `ALTER DATABASE`: what goes wrong is followed by 5069.
pub(crate) fn alter_database(
    cx: &mut StatementContext<'_>,
    s: &ast::AlterDatabase,
) -> SqlResult<()> {
    cx.refuse_in_transaction("ALTER DATABASE")?;
    let result = alter(cx, s);
    match result {
        Err(e) if e.severity > 10 && e.number > 0 && e.number != 40510 => {
            cx.message(e)?;
            Err(SqlError::new(5069, &[]))
        }
        other => other,
    }
}

fn alter(cx: &mut StatementContext<'_>, s: &ast::AlterDatabase) -> SqlResult<()> {
    let name = match &s.name {
        Some(name) => name.value.to_string(),
        None => cx.session.database.name.clone(),
    };
    let Some(slot) = cx.instance().databases().slot(&name) else {
        return Err(SqlError::new(5011, &[&name]).with_state(5));
    };
    if slot.entry.state == crate::catalog::master::EntryState::Restoring {
        return Err(SqlError::new(5052, &[&"ALTER DATABASE", &"Restoring"]));
    }
    if let ast::AlterDatabaseAction::Set { options, termination } = &s.action {
        if let [ast::DatabaseOption::State(state)] = options[..] {
            return set_state(cx, &slot, state, *termination);
        }
        let database = cx.instance().databases().get(&name)?;
        return set_options(cx, &database, options, *termination);
    }
    let database = cx.instance().databases().get(&name)?;
    match &s.action {
        ast::AlterDatabaseAction::ModifyFile(spec) => modify_file(cx, &database, spec),
        ast::AlterDatabaseAction::AddFile { .. } => Err(unsupported("ADD FILE")),
        ast::AlterDatabaseAction::AddLogFile(specs) => {
            super::files::add_log_files(cx, &database, specs)
        }
        ast::AlterDatabaseAction::RemoveFile(name) => {
            super::files::remove_file(cx, &database, name)
        }
        ast::AlterDatabaseAction::AddFilegroup { .. } => Err(unsupported("ADD FILEGROUP")),
        ast::AlterDatabaseAction::RemoveFilegroup(_) => Err(unsupported("REMOVE FILEGROUP")),
        ast::AlterDatabaseAction::ModifyFilegroup { .. } => Err(unsupported("MODIFY FILEGROUP")),
        ast::AlterDatabaseAction::ModifyName(new) => {
            super::rename::modify_name(cx, &slot, &new.value)
        }
        ast::AlterDatabaseAction::Collate(name) => match Collation::from_name(&name.value) {
            None => Err(super::clauses::no_collation(&name.value)),
            Some(c) if c != Collation::default() => {
                Err(unsupported("A database collation other than the server's"))
            }
            Some(_) => Ok(()),
        },
        ast::AlterDatabaseAction::ScopedConfiguration { secondary, clear, option } => {
            super::scoped::alter(cx, &database, *secondary, *clear, option)
        }
        ast::AlterDatabaseAction::Set { .. } => Ok(()),
    }
}

fn set_state(
    cx: &mut StatementContext<'_>,
    slot: &registry::Slot,
    state: ast::DatabaseState,
    termination: Option<ast::Termination>,
) -> SqlResult<()> {
    let id = slot.entry.id;
    if id.0 <= 4 {
        return Err(SqlError::new(5058, &[&format!("{state:?}").to_uppercase(), &slot.entry.name]));
    }
    match state {
        ast::DatabaseState::Emergency => Err(unsupported("SET EMERGENCY")),
        ast::DatabaseState::Online => {
            cx.instance().databases().set_offline(&slot.entry.name, false)
        }
        ast::DatabaseState::Offline => {
            if cx.session.database.id == id {
                return Err(SqlError::new(5070, &[&slot.entry.name]));
            }
            clear_users(cx, id.0, &slot.entry.name, termination)?;
            cx.instance().databases().set_offline(&slot.entry.name, true)?;
            if let Some(database) = &slot.database {
                cx.instance().database_closed(database);
            }
            Ok(())
        }
    }
}

fn set_options(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    list: &[ast::DatabaseOption],
    termination: Option<ast::Termination>,
) -> SqlResult<()> {
    let mut options = database.storage.options();
    let mut access = None;
    for option in list {
        if let ast::DatabaseOption::UserAccess(a) = option {
            access = Some(*a);
        }
        options::apply(database, &mut options, option)?;
    }
    if matches!(access, Some(ast::UserAccess::Single)) {
        if database.id.0 <= 4 {
            return Err(SqlError::new(5058, &[&"SINGLE_USER", &database.name]));
        }
        clear_users(cx, database.id.0, &database.name, termination)?;
    } else if registry::FLAG_SINGLE_USER & database.storage.options().engine_flags != 0
        && cx.session.database.id != database.id
        && !users_of(cx, database.id.0, true).is_empty()
    {
        if termination != Some(ast::Termination::RollbackImmediate) {
            return Err(SqlError::new(5064, &[&database.name]));
        }
        clear_users(cx, database.id.0, &database.name, termination)?;
    }
    database.storage.set_options(&options).map_err(sql)
}

/// Makes sure that nobody else uses a database, by ending their sessions where that was said.
fn clear_users(
    cx: &mut StatementContext<'_>,
    id: u16,
    name: &str,
    termination: Option<ast::Termination>,
) -> SqlResult<()> {
    use std::time::Duration;
    let others = users_of(cx, id, true);
    if others.is_empty() {
        return Ok(());
    }
    let grace = match termination {
        Some(ast::Termination::RollbackImmediate) => Duration::ZERO,
        Some(ast::Termination::RollbackAfter(s)) => Duration::from_secs(s as u64),
        Some(ast::Termination::NoWait) => return Err(SqlError::new(5070, &[&name])),
        // SQL Server waits as long as it takes; a lock time-out ends that wait here.
        None => return wait_for_users(cx, id, cx.session.lock_timeout(), name),
    };
    if !grace.is_zero() && wait_for_users(cx, id, Some(grace), name).is_ok() {
        return Ok(());
    }
    cx.message(SqlError::new(5060, &[&0]))?;
    for session in users_of(cx, id, true) {
        cx.instance().kill_session(session);
    }
    wait_for_users(cx, id, Some(Duration::from_secs(30)), name)?;
    cx.message(SqlError::new(5060, &[&100]))
}

fn wait_for_users(
    cx: &StatementContext<'_>,
    id: u16,
    limit: Option<std::time::Duration>,
    name: &str,
) -> SqlResult<()> {
    let clock = cx.instance().options().env.clock.clone();
    let begun = clock.monotonic();
    loop {
        if users_of(cx, id, true).is_empty() {
            return Ok(());
        }
        if limit.is_some_and(|limit| clock.monotonic().saturating_sub(begun) >= limit) {
            return Err(SqlError::new(5061, &[&name]));
        }
        cx.session.check_cancel()?;
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
}

/// `MODIFY FILE`: a logical name with SIZE, MAXSIZE, FILEGROWTH, NEWNAME.
fn modify_file(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    spec: &ast::FileSpec,
) -> SqlResult<()> {
    let Some(name) = &spec.name else {
        return Err(SqlError::new(153, &[&"NAME", &"ALTER DATABASE"]));
    };
    if spec.filename.is_some() {
        return Err(unsupported("MODIFY FILE with FILENAME"));
    }
    if spec.offline {
        return Err(unsupported("MODIFY FILE with OFFLINE"));
    }
    let files = database.storage.files();
    let key = fold(&name.value);
    let Some(file) = files.iter().find(|f| fold(&f.name) == key) else {
        return Err(SqlError::new(5041, &[&name.value]));
    };
    if let Some(new) = &spec.new_name
        && files.iter().any(|f| fold(&f.name) == fold(&new.value))
    {
        return Err(SqlError::new(1828, &[&new.value]));
    }
    let is_log = file.kind == FileKind::Log;
    let max_size = match spec.max_size {
        None => None,
        Some(ast::MaxFileSize::Unlimited) => Some(is_log.then_some(LOG_FILE_BYTES_MAX)),
        Some(ast::MaxFileSize::Size(max)) => Some(Some(max.bytes())),
    };
    let limit = max_size.unwrap_or(file.max_size);
    let size = spec.size.map(|s| s.bytes());
    if let Some(size) = size {
        if size <= file.size {
            return Err(SqlError::new(5039, &[]));
        }
        if is_log && size > LOG_FILE_BYTES_MAX {
            return Err(SqlError::new(5150, &[]));
        }
        if let Some(limit) = limit
            && size > limit
        {
            let (size, limit) = (size >> 10, limit >> 10);
            return Err(SqlError::new(5040, &[&database.name, &file.id, &size, &limit]));
        }
    } else if limit.is_some_and(|limit| limit < file.size) {
        return Err(SqlError::new(5103, &[&file.name]));
    }
    let growth = spec.growth.map(growth_of);
    if let Some(growth) = growth {
        check_growth(&file.name, growth, limit)?;
    }
    if growth.is_some() || max_size.is_some() || spec.new_name.is_some() {
        let new_name = spec.new_name.as_ref().map(|n| &*n.value);
        alter_file(database, file, new_name, growth, max_size)?;
        if let Some(new) = new_name {
            cx.message(SqlError::new(5021, &[&"file", &new]))?;
        }
    }
    match size {
        Some(size) => {
            let grown = grow_file(database, file, size.next_multiple_of(8192));
            if let Err(e) = &grown
                && e.number == 5149
            {
                // What the system refused is for whoever looks after the disk, too.
                let text = e.message.to_string();
                EventRing::global().push(Event::BackgroundError { database: database.id, text });
            }
            grown
        }
        None => Ok(()),
    }
}

fn alter_file(
    database: &Arc<Database>,
    file: &FileInfo,
    name: Option<&str>,
    growth: Option<Growth>,
    max_size: Option<Option<u64>>,
) -> SqlResult<()> {
    if file.kind == FileKind::Rows {
        return database.storage.alter_data_file(file.id, name, growth, max_size).map_err(sql);
    }
    if growth.is_some() || max_size.is_some() {
        let at = log_file(database, file)?;
        let growth = match growth.unwrap_or(file.growth) {
            Growth::None => taffrail_log::Growth::None,
            Growth::Bytes(by) => taffrail_log::Growth::Bytes(by),
            Growth::Percent(n) => taffrail_log::Growth::Percent(n),
        };
        let max_size = max_size.unwrap_or(file.max_size).unwrap_or(LOG_FILE_BYTES_MAX);
        let log = database.storage.log();
        log.set_file_options(at, growth, max_size).map_err(|e| log_error(database, file, e))?;
    }
    match name {
        Some(name) => database.storage.rename_log_file(file.id, name).map_err(sql),
        None => Ok(()),
    }
}

/// A log file's place among the log's files.
fn log_file(database: &Database, file: &FileInfo) -> SqlResult<usize> {
    let at = database.storage.log_file_number(file.id);
    at.ok_or_else(|| SqlError::new(5041, &[&file.name]))
}

fn log_error(database: &Database, file: &FileInfo, e: taffrail_log::LogError) -> Box<SqlError> {
    match e {
        taffrail_log::LogError::Io(io) => {
            SqlError::new(5149, &[&io.source, &file.path.display()]).with_state(3)
        }
        taffrail_log::LogError::Unavailable => SqlError::new(9001, &[&database.name]),
        taffrail_log::LogError::Cancelled => crate::session::cancelled(),
        other => SqlError::new(5149, &[&other, &file.path.display()]),
    }
}

fn grow_file(database: &Arc<Database>, file: &FileInfo, to: u64) -> SqlResult<()> {
    if file.kind == FileKind::Log {
        let at = log_file(database, file)?;
        let grown = database.storage.log().grow_file(at, to);
        return grown.map_err(|e| log_error(database, file, e));
    }
    let grown = database.storage.grow_data_file(file.id, to);
    grown.map_err(|e| match e {
        StorageError::Io(io) => {
            SqlError::new(5149, &[&io.source.source, &file.path.display()]).with_state(3)
        }
        other => sql(other),
    })
}
