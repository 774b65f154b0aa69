//! Rows of history that are older than their table keeps them: `sp_cleanup_temporal_history`, and the task that calls it.
//!
//! ```text
//! recovery writer ──once a minute, if a table keeps rows for a time──▶ a thread ──▶ sp_cleanup_temporal_history of each such table
//! ```

use super::Arguments;
use super::first_error::FirstError;
use super::rename::object_name;
use crate::catalog::{Object, Sight, Table};
use crate::database::Database;
use crate::ddl::resolve;
use crate::exec::modify::full_name;
use crate::exec::modify::history::clean;
use crate::instance::Instance;
use crate::plan::names::bracketed;
use crate::plan::text::apostrophes;
use crate::session::ConnectOptions;
use crate::session::context::StatementContext;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use taffrail_base::{DatabaseId, SqlError, SqlResult};
use taffrail_io::UtcTime;
use taffrail_observe::{Command, Event, EventRing, Whose};
use taffrail_types::{SqlType, Value};

/// How often it is looked.
const EVERY: Duration = Duration::from_secs(60);

/// `sp_cleanup_temporal_history @schema_name, @table_name [, @row_count OUTPUT]`: 13746, 13747.
pub(super) fn clean_up(
    cx: &mut StatementContext<'_>,
    args: &Arguments<'_>,
) -> SqlResult<Vec<(usize, Value, SqlType)>> {
    let (schema, name) = (args.named(0), args.named(1));
    let found = resolve::find(cx, &object_name(&[name.clone(), schema.clone()]))?;
    let Some((database, Object::Table(table))) = found else {
        return Err(SqlError::new(13746, &[&format_args!("{schema}.{name}")]));
    };
    let shown = full_name(&database, &table);
    if table.head.history().is_none() {
        return Err(SqlError::new(13746, &[&shown]));
    }
    if table.head.retention().is_none() {
        return Err(SqlError::new(13747, &[&shown]));
    }
    let count = clean(cx, &database, table.id())?;
    let count = count.ok_or_else(|| SqlError::new(13746, &[&shown]))?;
    let count = i32::try_from(count).unwrap_or(i32::MAX);
    Ok(vec![(2, Value::Int(count), SqlType::Int)])
}

/// The state of the task in an instance.
#[derive(Default)]
pub(super) struct Cleaning {
    next: AtomicU64,
    running: AtomicBool,
}

/// The tables of an instance that keep old rows for a time.
fn due(instance: &Instance) -> Vec<(Arc<Database>, Arc<Table>)> {
    let mut all = Vec::new();
    for database in instance.databases().open() {
        if database.storage.is_read_only() || database.storage.is_emergency() {
            continue;
        }
        let tables = database.catalog.tables(Sight::EVERYTHING).into_iter();
        let kept = tables.filter(|t| t.head.retention().is_some());
        all.extend(kept.map(|t| (database.clone(), t)));
    }
    all
}

/// From a background thread: begins to clean in a thread of its own if it is time, and some table asks for it.
pub(super) fn tick(instance: &Arc<Instance>) {
    let cleaning: &Cleaning = instance.state();
    let now = instance.options().env.clock.now_utc();
    let next = UtcTime(cleaning.next.load(Ordering::Relaxed));
    // A clock that was put back is no reason to wait for longer.
    let early = now < next && next.since(now) <= EVERY;
    if early || cleaning.running.load(Ordering::Acquire) {
        return;
    }
    cleaning.next.store((now + EVERY).0, Ordering::Relaxed);
    if due(instance).is_empty() {
        return;
    }
    cleaning.running.store(true, Ordering::Release);
    let own = Arc::downgrade(instance);
    let shown = (Command::TaskManager, DatabaseId(0));
    let begun = instance.background("history cleanup".into(), 2 << 20, shown, move || {
        if let Some(instance) = own.upgrade() {
            clean_due(&instance);
            let cleaning: &Cleaning = instance.state();
            cleaning.running.store(false, Ordering::Release);
        }
    });
    if begun.is_err() {
        // Without a thread now: at the next look.
        cleaning.running.store(false, Ordering::Release);
    }
}

/// Deletes what is too old from all tables that ask for it. An error ends the cleaning of its table, and is told.
fn clean_due(instance: &Arc<Instance>) {
    for (database, table) in due(instance) {
        if instance.is_stopping() {
            return;
        }
        let batch = format!(
            // Whoever holds a lock on one table keeps the others from nothing.
            "SET LOCK_TIMEOUT 5000; EXEC {}.sys.sp_cleanup_temporal_history N{}, N{}",
            bracketed(&database.name),
            apostrophes(&table.head.schema),
            apostrophes(&table.head.name)
        );
        if let Err(e) = run(instance, &batch) {
            let name = full_name(&database, &table);
            let text = format!("The history of {name} could not be cleaned: {e}");
            let database = Whose::new(database.id, &database.name);
            EventRing::global().push(Event::BackgroundError { database, text });
        }
    }
}

fn run(instance: &Arc<Instance>, batch: &str) -> SqlResult<()> {
    let mut connection = instance.connect_within(ConnectOptions {
        login: instance.sa_name().to_string(),
        program_name: "history cleanup".into(),
        ..ConnectOptions::default()
    })?;
    let mut errors = FirstError::default();
    connection.execute_batch(batch, &mut errors);
    errors.0.map_or(Ok(()), Err)
}
