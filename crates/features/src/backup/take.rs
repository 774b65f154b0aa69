//! BACKUP DATABASE and BACKUP LOG.

use super::device;
use super::facts;
use super::history;
use super::lost;
use super::message::{self, Outcome};
use super::options::{self, Options};
use super::progress::Progress;
use super::record;
use super::suspect;
use crate::catalog::registry::Slot;
use crate::database::Database;
use crate::dbcc::quiet_backups;
use crate::ddl::users_of;
use crate::media::{Devices, Statement, say};
use crate::session::context::StatementContext;
use std::sync::Arc;
use taffrail_base::message::unsupported;
use taffrail_base::{SqlError, SqlResult};
use taffrail_io::UtcTime;
use taffrail_storage::RecoveryModel;
use taffrail_storage::backup::{
    self, BackupError, BackupKind, BackupReport, BackupResult, BackupSpec, Device, Labels,
    MediaMode,
};
use taffrail_syntax::ast;
use taffrail_types::Collation;

/// Runs one.
pub(super) fn run(
    cx: &mut StatementContext<'_>,
    s: &ast::Backup,
    name: &str,
    statement: &'static str,
) -> SqlResult<()> {
    let table = match s.kind {
        ast::BackupKind::Database => options::Statement::BackupDatabase,
        ast::BackupKind::Log => options::Statement::BackupLog,
    };
    let options = options::read(table, &s.options)?;
    let database = match cx.instance().databases().get(name) {
        Ok(database) => database,
        // What NO_TRUNCATE is for: the tail of the log of a database that is damaged, or not even open.
        Err(e) if s.kind == ast::BackupKind::Log && options.no_truncate => {
            let Some(slot) = cx.instance().databases().slot(name) else { return Err(e) };
            match &slot.database {
                Some(damaged) if e.number == 926 => damaged.clone(),
                None if lost::is_lost(&slot, &e) => return run_lost(cx, s, &slot, &options),
                _ => return Err(e),
            }
        }
        Err(e) => return Err(e),
    };
    if database.storage.is_emergency() {
        return Err(SqlError::new(3033, &[]));
    }
    let kind = match (s.kind, options.differential) {
        (ast::BackupKind::Log, _) => BackupKind::Log,
        (ast::BackupKind::Database, true) => BackupKind::Differential,
        (ast::BackupKind::Database, false) => BackupKind::Full,
    };
    check(&database, kind, &options, statement)?;
    let devices = devices(cx, s, &options)?;
    let told = Statement { name: message::backup_name(kind), database: &database.name };
    let spec = spec(cx, &database.name, kind, &options, &devices);
    let report = if options.norecovery {
        tail(cx, &database, &spec, &options)
    } else {
        // Nobody replaces, drops or closes the database meanwhile; that nobody has done so before is looked at afterwards.
        let _in_use = cx.session.entry.backs_up(database.id);
        let still = cx.instance().databases().slot(&database.name).and_then(|s| s.database);
        if !still.is_some_and(|d| Arc::ptr_eq(&d, &database)) {
            return Err(SqlError::new(911, &[&database.name]));
        }
        let mut progress = Progress::new(cx, options.stats).of(&database);
        let report = database.storage.backup(&spec, &mut progress);
        progress.finish(report.is_ok())?;
        Ok(report)
    };
    suspect::record_of(cx.instance(), database.id, &database.storage.take_suspect_pages());
    let report = report?;
    let report = report.map_err(|e| say(e, &Statement { name: statement, ..told }, &devices))?;
    if !quiet_backups(cx) {
        record::taken(database.id, &report, &devices);
    }
    // It is a backup whoever hears of it.
    let recorded = history::backup(cx, &report, &devices);
    message::summary(cx, &told, &outcome(&report))?;
    recorded
}

fn outcome(report: &BackupReport) -> Outcome<'_> {
    let h = &report.header;
    Outcome {
        files: &h.files,
        kind: h.kind,
        position: h.position,
        pages: report.pages,
        log_pages: report.log_pages,
        duration: report.duration,
        damaged: h.is_damaged,
    }
}

/// Where the set goes, if it may.
fn devices(cx: &StatementContext<'_>, s: &ast::Backup, options: &Options) -> SqlResult<Devices> {
    if !s.parts.is_empty() {
        return Err(unsupported("A backup of files or filegroups"));
    }
    if !s.mirrors.is_empty() {
        return Err(unsupported("MIRROR TO"));
    }
    let devices = device::resolve(cx, &s.to, options, true)?;
    devices.refuse_other_files(cx, options.format)?;
    refuse_unexpired(cx, options, &devices)?;
    Ok(devices)
}

/// BACKUP LOG … WITH NO_TRUNCATE of a database that cannot be opened.
fn run_lost(
    cx: &mut StatementContext<'_>,
    s: &ast::Backup,
    slot: &Slot,
    options: &Options,
) -> SqlResult<()> {
    if options.norecovery {
        // It could not be marked as RESTORING: what would say so is lost.
        return Err(unsupported("NORECOVERY with NO_TRUNCATE for a database that is not open"));
    }
    let (name, kind) = (&*slot.entry.name, BackupKind::Log);
    let devices = devices(cx, s, options)?;
    let lost = lost::known(cx, slot)?;
    lost::refuse_log(&devices, &lost)?;
    let told = Statement { name: message::backup_name(kind), database: name };
    let spec = spec(cx, name, kind, options, &devices);
    let env = cx.instance().options().env.clone();
    // Nobody opens it, replaces it or drops it meanwhile.
    let taken = cx.instance().clone();
    let taken = taken.databases().take(name, Vec::new(), &|_| false)?;
    if taken.database.is_some() {
        // Somebody has just brought it online.
        taken.put_back();
        return Err(SqlError::new(3101, &[]));
    }
    let mut progress = Progress::new(cx, options.stats);
    let report = backup::backup_lost(&env, &spec, &lost, &mut progress);
    let finished = progress.finish(report.is_ok());
    taken.put_back();
    finished?;
    let report = report.map_err(|e| say(e, &told, &devices))?;
    if !quiet_backups(cx) {
        record::taken(slot.entry.id, &report, &devices);
    }
    let recorded = history::backup(cx, &report, &devices);
    message::summary(cx, &told, &outcome(&report))?;
    recorded
}

/// What needs no look at the database.
fn check(
    database: &Database,
    kind: BackupKind,
    options: &Options,
    statement: &str,
) -> SqlResult<()> {
    match (database.id.0, kind) {
        (2, _) => return Err(SqlError::new(3147, &[])),
        (1, BackupKind::Log) => return Err(SqlError::new(4212, &[])),
        (1, BackupKind::Differential) => return Err(SqlError::new(3024, &[])),
        _ => {}
    }
    if kind == BackupKind::Log {
        if database.storage.options().recovery_model == RecoveryModel::Simple {
            return Err(SqlError::new(4208, &[&statement]));
        }
        if options.norecovery && database.id.0 <= 4 {
            return Err(SqlError::new(4220, &[]));
        }
    }
    Ok(())
}

/// INIT leaves a media alone whose sets have not expired, unless SKIP was said (4030).
fn refuse_unexpired(
    cx: &StatementContext<'_>,
    options: &Options,
    devices: &Devices,
) -> SqlResult<()> {
    if !options.overwrite || options.skip {
        return Ok(());
    }
    let env = &cx.instance().options().env;
    let now = env.clock.now_utc();
    for (at, device) in devices.list.iter().enumerate() {
        let Device::Disk(path) = device else { continue };
        let there = env.disk.exists(path).map_err(BackupError::Open);
        let sets = match there {
            Ok(false) => continue,
            Ok(true) => backup::read_sets(env, std::slice::from_ref(device)),
            Err(e) => Err(e),
        };
        let sets = match sets {
            Ok(sets) => sets,
            // Nobody knows whether they have expired.
            Err(e @ (BackupError::Open(_) | BackupError::Device { .. })) => {
                let told = Statement { name: "BACKUP DATABASE", database: "" };
                return Err(say(e, &told, devices));
            }
            // What is no media is told by whoever opens it.
            Err(_) => Vec::new(),
        };
        let last = sets.iter().filter_map(|h| h.labels.expires).filter(|e| *e > now).max();
        if let Some(expires) = last {
            let on = crate::catalog::datetime(expires);
            let on = crate::results::as_varchar(&on, taffrail_types::SqlType::DateTime, Some(109))?;
            return Err(SqlError::new(4030, &[&devices.names[at], &on]));
        }
    }
    Ok(())
}

fn expires(cx: &StatementContext<'_>, options: &Options) -> Option<UtcTime> {
    const DAY: u64 = 24 * 3600 * UtcTime::PER_SECOND;
    if let Some(days) = options.retain_days {
        let now = cx.instance().options().env.clock.now_utc();
        return Some(UtcTime(now.0.saturating_add(u64::from(days).saturating_mul(DAY))));
    }
    options.expires.as_ref().and_then(facts::utc_of)
}

/// `sp_configure 'backup compression default'`, `'backup checksum default'`.
const COMPRESSION_DEFAULT: i32 = 1579;
const CHECKSUM_DEFAULT: i32 = 1584;

fn configured(cx: &StatementContext<'_>, id: i32) -> bool {
    let set = cx.instance().databases().running_configurations();
    set.iter().any(|(n, value)| *n == id && *value != 0)
}

fn spec(
    cx: &StatementContext<'_>,
    name: &str,
    kind: BackupKind,
    options: &Options,
    devices: &Devices,
) -> BackupSpec {
    let server = &cx.instance().options().server_name;
    let slot = cx.instance().databases().slot(name);
    let database = slot.as_ref().and_then(|s| s.database.as_ref());
    let collation = database.map_or(Collation::default(), |d| d.collation());
    let (major, minor, build) = crate::exec::functions::PRODUCT_PARTS;
    let compression = options.compression.unwrap_or(configured(cx, COMPRESSION_DEFAULT));
    // A compressed backup has checksums unless it is told not to.
    let checksum =
        options.checksum.unwrap_or_else(|| compression || configured(cx, CHECKSUM_DEFAULT));
    BackupSpec {
        mode: match (options.format, options.overwrite) {
            (true, _) => MediaMode::Format,
            (false, true) => MediaMode::Init,
            (false, false) => MediaMode::Append,
        },
        copy_only: options.copy_only || (options.no_truncate && !options.norecovery),
        no_truncate: options.no_truncate,
        no_recovery: options.norecovery,
        checksum,
        continue_after_error: options.continue_after_error,
        compression,
        media_name: options.media_name.clone(),
        media_description: options.media_description.clone(),
        labels: Labels {
            name: options.name.clone(),
            description: options.description.clone(),
            expires: expires(cx, options),
            user_name: cx.session.client.login.clone(),
            server_name: server.clone(),
            machine_name: server.clone(),
            collation: collation.name().into(),
            compatibility_level: slot.map_or(0, |s| s.entry.compatibility_level),
            software: (major, minor, build),
            time_zone_minutes: taffrail_io::zone::utc_offset_minutes(
                cx.instance().options().env.clock.now_utc(),
            ),
        },
        ..BackupSpec::new(kind, devices.list.clone())
    }
}

/// BACKUP LOG … WITH NORECOVERY: the database is taken out of use first and is RESTORING afterwards.
fn tail(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    spec: &BackupSpec,
    options: &Options,
) -> SqlResult<BackupResult<BackupReport>> {
    if cx.session.database.id == database.id {
        return Err(SqlError::new(3102, &[&"BACKUP LOG", &database.name]));
    }
    let instance = cx.instance().clone();
    let in_use = |id: taffrail_base::DatabaseId| !users_of(cx, id.0, true).is_empty();
    let taken = instance.databases().take(&database.name, Vec::new(), &in_use)?;
    let files: Vec<_> = database.storage.files().into_iter().map(|f| f.path).collect();
    // Who came in at the last moment changes nothing any more, or is seen now: what he commits behind the set's end would be lost.
    let read_only = database.storage.is_read_only();
    database.storage.refuse_changes(true);
    let settled = match database.storage.is_being_changed() {
        true => Err(SqlError::new(3101, &[])),
        false => database.catalog.settle_sequences(),
    };
    if let Err(e) = settled {
        database.storage.refuse_changes(read_only);
        taken.put_back();
        return Err(e);
    }
    let mut progress = Progress::new(cx, options.stats).of(database);
    let report = database.storage.backup(spec, &mut progress);
    let finished = progress.finish(report.is_ok());
    match &report {
        Ok(_) => {
            instance.adopt_databases();
            taken.settle_restoring(&files)?;
        }
        Err(_) => {
            database.storage.refuse_changes(read_only);
            taken.put_back();
        }
    }
    finished.map(|()| report)
}
