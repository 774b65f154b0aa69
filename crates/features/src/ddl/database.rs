//! CREATE, ALTER and DROP DATABASE.

use super::{contained, options, row_versions, sql};
use crate::binder::declared;
use crate::catalog::fold;
use crate::catalog::registry::{self, DEFAULT_SIZE, FileDefaults, MB};
use crate::database::Database;
use crate::session::context::StatementContext;
use std::path::PathBuf;
use std::sync::Arc;
use taffrail_base::message::unsupported;
use taffrail_base::{DatabaseId, SqlError, SqlResult};
use taffrail_storage::{CreateSpec, DataFileSpec, DatabaseOptions, Growth, LOG_FILE_BYTES_MAX};
use taffrail_syntax::ast;

/// The smallest file.
const MIN_FILE: u64 = 512 << 10;
/// The smallest primary file: what the catalogue needs.
const MIN_PRIMARY: u64 = 2 * MB;

/// Messages about a file of CREATE DATABASE, which 1802 follows.
const ABOUT_A_FILE: &[i32] = &[1828, 5105, 5123, 5133, 5170];

/// `CREATE DATABASE`: what is wrong with a file is followed by 1802.
pub(crate) fn create_database(
    cx: &mut StatementContext<'_>,
    s: &ast::CreateDatabase,
) -> SqlResult<()> {
    match create(cx, s) {
        Err(e) if ABOUT_A_FILE.contains(&e.number) => {
            let state = if matches!(e.number, 5123 | 5170) { 4 } else { 1 };
            cx.reason(e)?;
            Err(SqlError::new(1802, &[]).with_state(state))
        }
        other => other,
    }
}

fn create(cx: &mut StatementContext<'_>, s: &ast::CreateDatabase) -> SqlResult<()> {
    cx.refuse_in_transaction("CREATE DATABASE")?;
    if let Some(variant) = &s.variant {
        if variant.is("ATTACH") {
            return super::attach::attach(cx, s);
        }
        if variant.is("CLONE OF") {
            return super::attach::clone_of(cx, s);
        }
        return Err(unsupported(format!("CREATE DATABASE … {variant}")));
    }
    let is_contained = match &s.containment {
        None => false,
        Some(c) if c.is("NONE") => false,
        Some(c) if c.is("PARTIAL") => true,
        Some(c) => return Err(SqlError::new(102, &[&c.value])),
    };
    if is_contained {
        contained::allowed(cx, contained::CREATE)?;
    }
    for option in &s.options {
        options::at_creation(option)?;
    }
    let collation = s.collation.as_ref();
    let collation = collation.map(|c| declared::of_database(&c.value)).transpose()?;
    let name = &*s.name.value;
    let databases = cx.instance().databases();
    if databases.slot(name).is_some() {
        return Err(SqlError::new(1801, &[&name]).with_state(3));
    }
    let data: Vec<&ast::FileSpec> = s.filegroups.iter().flat_map(|g| &g.files).collect();
    if s.filegroups.len() > 1 || data.len() > 1 {
        return Err(unsupported("More than one data file"));
    }
    let mut spec = create_spec(cx, name, data.first().copied(), &s.log)?;
    if let Some(collation) = collation {
        let flags = &mut spec.options.engine_flags;
        *flags = registry::with_collation(*flags, collation);
    }
    if is_contained {
        spec.options.engine_flags |= registry::FLAG_CONTAINED;
    }
    let database = databases.create(name, &spec)?;
    own(cx, database.id)
}

/// A database that a statement has made belongs to the session's login.
pub(super) fn own(cx: &StatementContext<'_>, database: DatabaseId) -> SqlResult<()> {
    if cx.session.activation.security().is_sa() {
        return Ok(());
    }
    cx.instance().databases().set_owner(database, &cx.session.owning_sid())
}

fn create_spec(
    cx: &StatementContext<'_>,
    name: &str,
    data: Option<&ast::FileSpec>,
    log: &[ast::FileSpec],
) -> SqlResult<CreateSpec> {
    let databases = cx.instance().databases();
    let (data_dir, log_dir) = (cx.instance().default_data_dir(), cx.instance().default_log_dir());
    let model = databases.model();
    let nothing = ast::FileSpec::default();
    let data_defaults = match data {
        None => model.data,
        Some(_) => FileDefaults::described(model.data.size),
    };
    let spec = data.unwrap_or(&nothing);
    let place = || crate::paths::default_file(data_dir, name, "mdf");
    let data_file = file_spec(cx, spec, name.to_string(), place, data_defaults, false)?;
    let least = model.least.unwrap_or(MIN_PRIMARY);
    if data_file.size < least {
        return Err(SqlError::new(1803, &[&least.div_ceil(MB)]));
    }
    let log_defaults = match data {
        _ if !log.is_empty() => FileDefaults::described(DEFAULT_SIZE),
        // Without LOG ON: a quarter of the data, unless nothing at all was said.
        Some(d) if d.size.is_some() => {
            let size = (data_file.size / 4).max(MIN_FILE);
            FileDefaults { size, max_size: model.log.max_size.map(|m| m.max(size)), ..model.log }
        }
        _ => model.log,
    };
    let mut log_files = Vec::new();
    let only = [ast::FileSpec::default()];
    for (i, spec) in (if log.is_empty() { &only[..] } else { log }).iter().enumerate() {
        let logical = match i {
            0 => format!("{name}_log"),
            n => format!("{name}_log{}", n + 1),
        };
        let place = {
            let logical = logical.clone();
            move || crate::paths::default_file(log_dir, &logical, "ldf")
        };
        log_files.push(file_spec(cx, spec, logical, place, log_defaults, true)?);
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
        options: model.options,
        temporary: false,
    })
}

pub(super) fn file_spec(
    cx: &StatementContext<'_>,
    spec: &ast::FileSpec,
    default_name: String,
    default_path: impl FnOnce() -> SqlResult<PathBuf>,
    defaults: FileDefaults,
    is_log: bool,
) -> SqlResult<DataFileSpec> {
    let name = spec.name.as_ref().map_or(default_name, |n| n.value.to_string());
    let path = match &spec.filename {
        None => default_path()?,
        Some(path) => crate::paths::checked_path(cx, path)?,
    };
    let size = spec.size.map_or(defaults.size, |s| s.bytes());
    if size < MIN_FILE {
        return Err(SqlError::new(5174, &[]));
    }
    if is_log && size > LOG_FILE_BYTES_MAX {
        return Err(SqlError::new(5150, &[]));
    }
    let max_size = match spec.max_size {
        Some(ast::MaxFileSize::Size(max)) => Some(max.bytes()),
        Some(ast::MaxFileSize::Unlimited) => None,
        None => defaults.max_size,
    };
    let max_size = max_size.or(is_log.then_some(LOG_FILE_BYTES_MAX));
    if max_size.is_some_and(|max| max < size) {
        return Err(SqlError::new(5103, &[&name]));
    }
    let growth = spec.growth.map_or(defaults.growth, growth_of);
    check_growth(&name, growth, spec.growth.is_some().then_some(max_size).flatten())?;
    Ok(DataFileSpec { name, path, size: size.next_multiple_of(8192), growth, max_size })
}

pub(super) fn growth_of(growth: ast::FileGrowth) -> Growth {
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

pub(super) fn check_growth(name: &str, growth: Growth, max_size: Option<u64>) -> SqlResult<()> {
    match (growth, max_size) {
        (Growth::Bytes(by), Some(max)) if by > max => Err(SqlError::new(5169, &[&name])),
        _ => Ok(()),
    }
}

/// The session itself is in the database, or comes back to it when a procedure ends.
pub(super) fn is_own(cx: &StatementContext<'_>, id: taffrail_base::DatabaseId) -> bool {
    cx.session.database.id == id || cx.session.entry.is_called_from(id)
}

/// The sessions that use a database or take a backup of it, the own one aside if asked for.
pub(crate) fn users_of(
    cx: &StatementContext<'_>,
    id: u16,
    others_only: bool,
) -> Vec<taffrail_base::SessionId> {
    let own = cx.session.id;
    let sessions = cx.instance().sessions();
    let in_use = sessions.iter().filter(|s| s.uses(taffrail_base::DatabaseId(id)));
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
            cx.reason(e)?;
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
    if slot.recovering {
        return Err(SqlError::new(5052, &[&"ALTER DATABASE", &"Recovering"]));
    }
    if let ast::AlterDatabaseAction::Set { options, termination } = &s.action {
        if let [ast::DatabaseOption::State(state)] = options[..] {
            return set_state(cx, &slot, state, *termination);
        }
        let database = cx.instance().databases().get(&name)?;
        database.storage.refuse_in_emergency().map_err(|e| e.to_sql())?;
        set_options(cx, &database, options, *termination)?;
        let mut told = options.iter().filter_map(options::ignored);
        return told.try_for_each(|text| crate::results::print(cx, &text));
    }
    let database = cx.instance().databases().get(&name)?;
    database.storage.refuse_in_emergency().map_err(|e| e.to_sql())?;
    if !matches!(s.action, ast::AlterDatabaseAction::ModifyName(_)) {
        require_writable(&database)?;
    }
    match &s.action {
        ast::AlterDatabaseAction::ModifyFile(spec) => {
            super::modify_file::modify_file(cx, &database, spec)
        }
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
        ast::AlterDatabaseAction::Collate(name) => set_collation(cx, &database, &name.value),
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
        ast::DatabaseState::Online => {
            end_lost_transactions(cx, slot)?;
            cx.instance().databases().set_online(&slot.entry.name)?;
            cx.instance().adopt_databases();
            cx.session.follow_databases();
            Ok(())
        }
        ast::DatabaseState::Offline | ast::DatabaseState::Emergency => {
            if is_own(cx, id) {
                return Err(SqlError::new(5070, &[&slot.entry.name]));
            }
            let (name, instance) = (&slot.entry.name, cx.instance().clone());
            let emergency = state == ast::DatabaseState::Emergency;
            if emergency {
                end_lost_transactions(cx, slot)?;
            }
            // Who may be ended is, as soon as nobody new can come in: clients that connect again at once would never leave it alone.
            let at_once = Some(ast::Termination::RollbackImmediate);
            let then = match termination {
                Some(ast::Termination::RollbackImmediate) => at_once,
                Some(ast::Termination::RollbackAfter(s)) => {
                    let grace = std::time::Duration::from_secs(s as u64);
                    // Whether they have left is seen again below.
                    let _ = wait_for_users(cx, id.0, Some(grace), name);
                    cx.session.check_cancel()?;
                    at_once
                }
                waits => {
                    clear_users(cx, id.0, name, waits)?;
                    waits
                }
            };
            let mut clear = || clear_users(cx, id.0, name, then);
            match emergency {
                true => instance.databases().set_emergency(name, &mut clear)?,
                false => instance.databases().set_offline(name, &mut clear)?,
            }
            instance.adopt_databases();
            Ok(())
        }
    }
}

/// `ALTER DATABASE … COLLATE`: what is made from now on has it; columns keep theirs. 5030 while somebody else is there, 5075 and 5072 for
/// a condition that has texts of no column's collation.
fn set_collation(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    name: &str,
) -> SqlResult<()> {
    let collation = declared::of_database(name)?;
    if collation == database.collation() {
        return Ok(());
    }
    if database.id.0 <= 4 {
        return Err(SqlError::new(5058, &[&"COLLATE", &database.name]));
    }
    require_writable(database)?;
    if !users_of(cx, database.id.0, true).is_empty() {
        return Err(SqlError::new(5030, &[&database.name]));
    }
    for table in database.catalog.tables(cx.session.id) {
        if let Some(check) = table.checks.iter().find(|c| c.definition.contains('\'')) {
            cx.reason(SqlError::new(5075, &[&"object", &check.name, &"database collation"]))?;
            return Err(SqlError::new(5072, &[&database.name, &collation.name()]));
        }
    }
    put_options(cx, database, |options| {
        options.engine_flags = registry::with_collation(options.engine_flags, collation);
        Ok(())
    })?;
    // Plans compare by what the collation was, and those that somebody is just making will.
    database.catalog.open_anew();
    cx.instance().plans().forget_all();
    Ok(())
}

fn set_options(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    list: &[ast::DatabaseOption],
    termination: Option<ast::Termination>,
) -> SqlResult<()> {
    if let Some(option) = row_versions::option_of(database, list)? {
        return row_versions::set(cx, database, option, termination);
    }
    let before = database.storage.engine_flags();
    let mut access = None;
    let may_stay = |o: &ast::DatabaseOption| {
        matches!(o, ast::DatabaseOption::UserAccess(_) | ast::DatabaseOption::ReadOnly(_))
    };
    if !list.iter().all(may_stay) && !list.contains(&ast::DatabaseOption::ReadOnly(false)) {
        require_writable(database)?;
    }
    contained::check(cx, database, list)?;
    for option in list {
        if let ast::DatabaseOption::UserAccess(a) = option {
            access = Some(*a);
        }
    }
    let apply = |options: &mut DatabaseOptions| {
        list.iter().try_for_each(|option| options::apply(database, options, option))
    };
    let mut wanted = database.storage.options();
    apply(&mut wanted)?;
    let wanted = wanted.engine_flags;
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
    } else if (before ^ wanted) & registry::FLAG_READ_ONLY != 0 {
        clear_users(cx, database.id.0, &database.name, termination)?;
    }
    if wanted & !before & registry::FLAG_READ_ONLY == 0 {
        put_options(cx, database, apply)?;
        contained::changed(cx, database, list);
        return Ok(());
    }
    database.storage.refuse_changes(true);
    let changed = end_changes(cx, database, termination)
        // What is reserved ahead is given back, for good: no later change takes this along to disk.
        .and_then(|()| database.catalog.settle_sequences())
        .and_then(|()| database.storage.flush_log().map_err(sql))
        .and_then(|()| put_options(cx, database, apply));
    if changed.is_err() {
        database.storage.refuse_changes(false);
    }
    changed
}

/// Nobody new changes anything any more: waits for those who began to between the last look for users and that.
fn end_changes(
    cx: &mut StatementContext<'_>,
    database: &Database,
    termination: Option<ast::Termination>,
) -> SqlResult<()> {
    let (id, name, storage) = (database.id.0, &database.name, &database.storage);
    if storage.is_being_changed() {
        clear_users(cx, id, name, termination)?;
    }
    let limit = termination.map_or(cx.session.lock_timeout(), |_| Some(LOST_AT_MOST));
    wait_until(cx, limit, name, || !storage.is_being_changed())
}

/// Refuses what changes a database that is READ_ONLY: 5004.
pub(super) fn require_writable(database: &Database) -> SqlResult<()> {
    match database.storage.is_read_only() {
        true => Err(SqlError::new(5004, &[]).with_state(6)),
        false => Ok(()),
    }
}

/// Changes a database's options for good, from what they are by then; those of tempdb, which is made anew at every start, master keeps.
pub(super) fn put_options(
    cx: &StatementContext<'_>,
    database: &Database,
    change: impl FnOnce(&mut DatabaseOptions) -> SqlResult<()>,
) -> SqlResult<()> {
    let options = database.storage.change_options(change).map_err(sql)??;
    match database.storage.is_temporary() {
        true => cx.instance().databases().configure_tempdb_options(&options),
        false => Ok(()),
    }
}

/// How long killed sessions may take to end.
const LOST_AT_MOST: std::time::Duration = std::time::Duration::from_secs(30);

/// Makes sure that nobody else uses a database, by ending their sessions where that was said.
pub(super) fn clear_users(
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
        Some(ast::Termination::NoWait) => {
            return Err(SqlError::new(5070, &[&name]).with_state(2));
        }
        // SQL Server waits as long as it takes; a lock time-out ends that wait here.
        None => return wait_for_users(cx, id, cx.session.lock_timeout(), name),
    };
    if !grace.is_zero() && wait_for_users(cx, id, Some(grace), name).is_ok() {
        return Ok(());
    }
    cx.message(SqlError::new(5060, &[&0]))?;
    wait_until(cx, Some(LOST_AT_MOST), name, || {
        // Clients that have connected again, too.
        let others = users_of(cx, id, true);
        others.iter().for_each(|session| _ = cx.instance().kill_session(*session));
        others.is_empty()
    })?;
    cx.message(SqlError::new(5060, &[&100]))
}

/// What a database that has become suspect held of open transactions is lost. Their sessions end: they must not go on as if
/// nothing had happened, and what they have locked would be in the way of the recovery that rolls them back.
fn end_lost_transactions(cx: &StatementContext<'_>, slot: &registry::Slot) -> SqlResult<()> {
    use taffrail_storage::DatabaseState::Suspect;
    let Some(database) = &slot.database else { return Ok(()) };
    if !matches!(database.storage.state(), Suspect(_)) {
        return Ok(());
    }
    let own = cx.session.id;
    let lost = || -> Vec<taffrail_base::SessionId> {
        let mut sessions = cx.instance().sessions();
        sessions.retain(|s| s.id != own && s.cell.touched_databases().contains(&database.id.0));
        sessions.iter().map(|s| s.id).collect()
    };
    lost().into_iter().for_each(|session| _ = cx.instance().kill_session(session));
    wait_until(cx, Some(LOST_AT_MOST), &slot.entry.name, || lost().is_empty())
}

pub(super) fn wait_for_users(
    cx: &StatementContext<'_>,
    id: u16,
    limit: Option<std::time::Duration>,
    name: &str,
) -> SqlResult<()> {
    wait_until(cx, limit, name, || users_of(cx, id, true).is_empty())
}

/// Waits until there is nobody any more: 5061 when that takes too long.
pub(super) fn wait_until(
    cx: &StatementContext<'_>,
    limit: Option<std::time::Duration>,
    name: &str,
    nobody: impl Fn() -> bool,
) -> SqlResult<()> {
    let clock = cx.instance().options().env.clock.clone();
    let begun = clock.monotonic();
    loop {
        if nobody() {
            return Ok(());
        }
        if limit.is_some_and(|limit| clock.monotonic().saturating_sub(begun) >= limit) {
            return Err(SqlError::new(5061, &[&name]));
        }
        cx.session.check_cancel()?;
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
}
