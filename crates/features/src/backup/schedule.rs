//! Backups by a schedule: the tables and procedures of ours in msdb (`schedule.sql`), and who looks what is due.
//!
//! ```text
//! recovery writer ──every ten seconds, if anybody has a schedule──▶ a thread ──▶ taffrail.run_due_backups ──▶ run_backup, backup_drill
//! ```
//! What is due is told by `taffrail.backup_run` alone: a start goes on where the last run ended. A backup that has failed is in the error
//! log by itself (3041); a drill's failure is put there here.

use super::system;
use crate::catalog::{Module, Object, Sight};
use crate::features::{BackupAge, ScheduledBackups};
use crate::instance::Instance;
use crate::instance_options::BackupSchedule;
use crate::session::ConnectOptions;
use crate::sink::{ColumnDesc, ResultSink, SinkResult};
use parking_lot::Mutex;
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use taffrail_base::{DatabaseId, SessionId, SqlError, SqlResult};
use taffrail_io::UtcTime;
use taffrail_observe::{Command, Event, EventRing, Whose};
use taffrail_types::Value;

/// A batch each, the tables first.
const TEXT: &str = concat!(include_str!("schedule.sql"), "GO\n", include_str!("undrop.sql"));

/// How often it is looked.
const EVERY: Duration = Duration::from_secs(10);

/// Makes the procedures as this version has them, and the tables if they are not there, in one transaction.
pub(crate) fn create(instance: &Arc<Instance>) -> SqlResult<()> {
    let mut batches = TEXT.trim_end().split("\nGO\n");
    let tables = batches.next().unwrap_or_default();
    let there = procedures(instance)?;
    let mut changes = vec!["SET XACT_ABORT ON BEGIN TRANSACTION".to_owned(), tables.to_owned()];
    let least = changes.len();
    for batch in batches {
        let name = batch.trim_start_matches("CREATE PROCEDURE taffrail.");
        let name = name.split(|c: char| !c.is_alphanumeric() && c != '_').next();
        match there.iter().find(|p| Some(&*p.head.name) == name) {
            Some(there) if *there.definition == *batch => {}
            Some(_) => changes.push(batch.replacen("CREATE", "ALTER", 1)),
            None => changes.push(batch.to_owned()),
        }
    }
    if changes.len() == least {
        return Ok(());
    }
    changes.push("COMMIT".to_owned());
    let changes: Vec<&str> = changes.iter().map(String::as_str).collect();
    system::run(instance, "msdb", &changes).map(drop)
}

/// What schema `taffrail` of msdb has, from the catalogue in memory: each start asks, and needs neither a session nor views for it.
fn procedures(instance: &Arc<Instance>) -> SqlResult<Vec<Arc<Module>>> {
    let msdb = instance.databases().get("msdb")?;
    let Some(schema) = msdb.catalog.schema("taffrail", Sight::COMMITTED) else {
        return Ok(Vec::new());
    };
    let procedure = |object| match object {
        Object::Procedure(module) if module.head.schema_id == schema.id => Some(module),
        _ => None,
    };
    Ok(msdb.catalog.objects(Sight::COMMITTED).into_iter().filter_map(procedure).collect())
}

/// What an instance knows of its schedule.
#[derive(Default)]
pub(crate) struct Scheduled {
    /// Held by who carries it out.
    running: Mutex<()>,
    /// When it is looked next.
    next: AtomicU64,
    pub ages: Mutex<Vec<BackupAge>>,
    /// Backups and drills that have failed since the start.
    pub failures: AtomicU64,
}

/// What `run_due_backups` says. A row of one column tells whose the error is that was sent before it.
#[derive(Default)]
struct Round {
    columns: usize,
    /// The last result.
    rows: Vec<Vec<Value>>,
    /// The first error since the last run.
    error: Option<Box<SqlError>>,
    /// Runs that have failed.
    reasons: Vec<(i64, Box<SqlError>)>,
}

impl ResultSink for Round {
    fn columns(&mut self, columns: &[ColumnDesc]) -> SinkResult {
        self.columns = columns.len();
        self.rows.clear();
        Ok(())
    }

    fn row(&mut self, values: &[Value]) -> SinkResult {
        if self.columns > 1 {
            self.rows.push(values.to_vec());
        } else if let (Some(run), Some(error)) = (values[0].as_i64(), self.error.take()) {
            self.reasons.push((run, error));
        }
        Ok(())
    }

    fn message(&mut self, message: &SqlError) -> SinkResult {
        if !message.is_informational() && self.error.is_none() {
            self.error = Some(Box::new(message.clone()));
        }
        Ok(())
    }
}

/// A letter of `backup_run.type` as /metrics calls it.
fn kind(letter: Option<String>) -> &'static str {
    match letter.as_deref() {
        Some("D") => "full",
        Some("I") => "differential",
        Some("L") => "log",
        Some("X") => "clean-up",
        _ => "drill",
    }
}

/// From a background thread: begins a round in a thread of its own if it is time and there is a schedule.
pub(crate) fn tick(instance: &Arc<Instance>) {
    let scheduled = scheduled(instance);
    let now = instance.options().env.clock.now_utc();
    let next = UtcTime(scheduled.next.load(Ordering::Relaxed));
    // A clock that was put back is no reason to wait for longer.
    let early = now < next && next.since(now) <= EVERY;
    if early || scheduled.running.is_locked() {
        return;
    }
    scheduled.next.store((now + EVERY).0, Ordering::Relaxed);
    // Backups that somebody takes by the procedures have an age, too.
    let wanted = ["backup_schedule", "backup_run"].iter().any(|table| has_rows(instance, table));
    if instance.options().backup_schedule.is_none() && !wanted {
        return;
    }
    let own = Arc::downgrade(instance);
    let shown = (Command::BackupDatabase, DatabaseId(0));
    // Without a thread now: at the next look.
    let _ = instance.background("backup schedule".into(), 2 << 20, shown, move || {
        if let Some(instance) = own.upgrade()
            && let Err(e) = run_due_backups(&instance)
        {
            tell(
                "msdb",
                DatabaseId(4),
                format!("The backup schedule could not be carried out: {e}"),
            );
        }
    });
}

/// A table of the schedule in msdb has rows.
fn has_rows(instance: &Instance, table: &str) -> bool {
    let Some(msdb) = instance.databases().by_id(DatabaseId(4)) else { return false };
    let nobody = SessionId(0);
    let table = msdb.catalog.find_table(Some("taffrail"), table, nobody);
    table.is_some_and(|t| t.row_count() > 0)
}

fn tell(name: &str, id: DatabaseId, text: String) {
    EventRing::global().push(Event::BackgroundError { database: Whose::new(id, name), text });
}

fn parameters(schedule: &BackupSchedule) -> String {
    let mut text = format!(
        "@full_minutes = {}, @keep_chains = {}",
        schedule.full_minutes, schedule.keep_chains
    );
    let mut add = |name: &str, minutes: Option<u32>| {
        if let Some(n) = minutes {
            let _ = write!(text, ", @{name}_minutes = {n}");
        }
    };
    add("differential", schedule.differential_minutes);
    add("log", schedule.log_minutes);
    add("drill", schedule.drill_minutes);
    if let Some(directory) = &schedule.directory {
        let _ = write!(text, ", @directory = N'{}'", directory.replace('\'', "''"));
    }
    text
}

/// The state of its scheduled backups.
fn scheduled(instance: &Instance) -> &Scheduled {
    instance.state()
}

/// The scheduled backups as /metrics shows them.
pub(super) fn shown(instance: &Instance) -> ScheduledBackups {
    let scheduled = scheduled(instance);
    let failures = scheduled.failures.load(Ordering::Relaxed);
    ScheduledBackups { ages: scheduled.ages.lock().clone(), failures }
}

/// Makes the directory that the settings' schedule names, before there is a first backup; an error: why none could be written there.
/// Later a directory that is not there is a mistake, or not mounted yet: backups fail aloud then, and do not go elsewhere.
pub fn make_backup_directory(instance: &Arc<Instance>) -> SqlResult<()> {
    let schedule = instance.options().backup_schedule.as_ref();
    let Some(directory) = schedule.and_then(|s| s.directory.as_ref()) else { return Ok(()) };
    let quoted = directory.replace('\'', "''");
    let make = format!(
        "IF NOT EXISTS (SELECT * FROM msdb.taffrail.backup_run WHERE finished_utc IS NOT NULL AND error_number IS NULL) \
         EXEC master.dbo.xp_create_subdir N'{quoted}'"
    );
    system::run(instance, "master", &[&make]).map(drop)
}

/// Takes the scheduled backups that are due by the instance's clock, and makes the drills that are; returns when all are done. What
/// fails is noted in msdb and in the error log; an error: the schedule itself could not be read.
pub fn run_due_backups(instance: &Arc<Instance>) -> SqlResult<()> {
    let scheduled = scheduled(instance);
    let _running = scheduled.running.lock();
    if instance.is_stopping() {
        return Ok(());
    }
    let given = instance.options().backup_schedule.as_ref().map(parameters).unwrap_or_default();
    let run = format!("EXEC msdb.taffrail.run_due_backups {given}");
    let mut last = round(instance, &run);
    if matches!(&last, Err(e) if matches!(e.number, 208 | 2812)) {
        last = create(instance).and_then(|()| round(instance, &run));
    }
    let now = instance.options().env.clock.now_utc();
    let mut ages = Vec::new();
    let Round { rows, reasons, .. } = last.inspect_err(|_| {
        scheduled.failures.fetch_add(1, Ordering::Relaxed);
    })?;
    // An error beside a run that has not failed: it could not be noted.
    let is_told = |id: i64| rows.iter().any(|row| row[5].as_i64() == Some(id));
    let other = reasons.iter().find(|r| !is_told(r.0)).map(|r| r.1.clone());
    for row in &rows {
        let name = row[0].as_text().unwrap_or_default();
        let kind = kind(row[1].as_text());
        if let Some(age) = row[2].as_i64() {
            let age = age.max(0).unsigned_abs() * UtcTime::PER_SECOND;
            ages.push(BackupAge {
                database: name,
                kind,
                began: UtcTime(now.0.saturating_sub(age)),
            });
            continue;
        }
        let id = instance.databases().slot(&name).map_or(DatabaseId(0), |s| s.entry.id);
        let reason = reasons.iter().find(|r| Some(r.0) == row[5].as_i64());
        let why = match reason {
            Some((_, e)) => e.message.to_string(),
            None => row[4].as_text().unwrap_or_default(),
        };
        if row[3].is_null() {
            let text = format!(
                "The newest scheduled {kind} backup or drill was noted at {why} UTC, which is yet to \
                 come: the clock has been put back, and another one was due."
            );
            tell(&name, id, text);
            continue;
        }
        scheduled.failures.fetch_add(1, Ordering::Relaxed);
        let what = if kind == "drill" { "backup drill" } else { "backup" };
        tell(&name, id, format!("The scheduled {what} ({kind}) has failed: {why}"));
    }
    *scheduled.ages.lock() = ages;
    let Some(e) = other else { return Ok(()) };
    scheduled.failures.fetch_add(1, Ordering::Relaxed);
    Err(e)
}

/// Carries out what is due, and notes with each run that has failed why it did.
fn round(instance: &Arc<Instance>, run: &str) -> SqlResult<Round> {
    let mut round = Round::default();
    let mut connection = instance.connect_within(ConnectOptions {
        login: instance.sa_name().to_string(),
        program_name: "backup schedule".into(),
        database: Some("msdb".into()),
        ..ConnectOptions::default()
    })?;
    connection.execute_batch(run, &mut round);
    for (id, e) in &round.reasons {
        let note = format!(
            "UPDATE taffrail.backup_run SET finished_utc = ISNULL(finished_utc, GETUTCDATE()),
                 error_number = {}, error_message = N'{}'
             WHERE run_id = {id} AND (error_number IS NOT NULL OR finished_utc IS NULL)",
            e.number,
            e.message.replace('\'', "''")
        );
        system::run(instance, "msdb", &[&note])?;
    }
    match round.error.take() {
        Some(e) => Err(e),
        None => Ok(round),
    }
}
