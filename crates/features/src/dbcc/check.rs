//! DBCC CHECKDB, CHECKTABLE and CHECKALLOC: is it whole? Nothing is repaired.
//!
//! ```text
//! DBCC CHECKDB    [ ( { name | id | 0 } [, NOINDEX ] ) ]              [ WITH option, … ]
//! DBCC CHECKTABLE ( 'table' [, { index_id | 'index' | NOINDEX } ] )   [ WITH option, … ]
//! DBCC CHECKALLOC [ ( { name | id | 0 } [, NOINDEX ] ) ]              [ WITH option, … ]
//! ```
//! NO_INFOMSGS leaves only what is wrong and its number; PHYSICAL_ONLY looks at pages, maps and links, not at what rows mean.
//! ALL_ERRORMSGS, TABLOCK, DATA_PURITY, EXTENDED_LOGICAL_CHECKS and MAXDOP change nothing: that is how it is done anyhow, with one
//! thread. ESTIMATEONLY, TABLERESULTS and REPAIR_… are refused.
//!
//! The pages are `taffrail_storage::check`'s. A table is held with S while it is checked (there is no snapshot to read), in
//! CHECKDB table by table. The catalogue's own tables and the maps are read without locks: see there. What rows mean is checked
//! here ([`super::check_rows`]): every column can be read, a clustered key is that of its row, and every nonclustered index has
//! exactly the entries that the rows ask for.

use super::check_rows::{BaseRows, Digest, EntryRows, SystemRows, differences};
use super::{database_of, number_of, text_of};
use crate::catalog::systab::SystemTables;
use crate::catalog::{Index, Table, fold};
use crate::database::Database;
use crate::session::context::StatementContext;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use taffrail_base::message::unsupported;
use taffrail_base::{HobtId, SqlError, SqlResult};
use taffrail_observe::{Event, EventRing};
use taffrail_storage::check::{Checked, Finding, NoRows};
use taffrail_storage::lock::LockMode;
use taffrail_storage::{BeginSpec, Durability, Transaction, layout};
use taffrail_syntax::ast;

/// Differences between an index and its table that are told one by one.
const DIFFERENCES_MAX: usize = 100;

/// What was asked for.
struct Wanted {
    command: &'static str,
    silent: bool,
    physical: bool,
    indexes: bool,
    /// Only this index, beside the table's base.
    only: Option<i32>,
}

/// What was found.
#[derive(Clone, Copy, Default)]
struct Errors {
    allocation: u64,
    consistency: u64,
}

impl Errors {
    fn add(&mut self, other: Errors) {
        self.allocation += other.allocation;
        self.consistency += other.consistency;
    }

    fn all(self) -> u64 {
        self.allocation + self.consistency
    }
}

/// Options, and the word after the name.
fn wanted(dbcc: &ast::Dbcc, command: &'static str) -> SqlResult<Wanted> {
    let mut wanted = Wanted { command, silent: false, physical: false, indexes: true, only: None };
    for option in &dbcc.options {
        match option.name.value.to_ascii_uppercase().as_str() {
            "NO_INFOMSGS" => wanted.silent = true,
            "PHYSICAL_ONLY" => wanted.physical = true,
            "ALL_ERRORMSGS" | "TABLOCK" | "DATA_PURITY" | "EXTENDED_LOGICAL_CHECKS" | "MAXDOP" => {}
            name @ ("ESTIMATEONLY" | "TABLERESULTS") => {
                return Err(unsupported(format!("DBCC {command} … WITH {name}")));
            }
            _ => return Err(SqlError::new(2526, &[])),
        }
    }
    match dbcc.arguments.get(1).map(|a| (text_of(a).map(|t| fold(&t)), number_of(a))) {
        None => {}
        Some((Some(word), _)) if word == "noindex" => wanted.indexes = false,
        Some((Some(word), _)) if word.starts_with("repair_") => {
            let word = word.to_ascii_uppercase();
            return Err(unsupported(format!("DBCC {command} (…, {word}): repair of a database")));
        }
        Some(_) if command == "CHECKTABLE" => {}
        Some(_) => return Err(SqlError::new(2560, &[&2])),
    }
    if dbcc.arguments.len() > 2 {
        return Err(SqlError::new(2560, &[&3]));
    }
    Ok(wanted)
}

/// `DBCC CHECKTABLE`.
pub(super) fn table(cx: &mut StatementContext<'_>, dbcc: &ast::Dbcc) -> SqlResult<()> {
    let mut wanted = wanted(dbcc, "CHECKTABLE")?;
    let name = dbcc.arguments.first().and_then(text_of);
    let name = name.ok_or_else(|| SqlError::new(2560, &[&1]))?;
    let missing = || SqlError::new(2501, &[&name]);
    let (database, table) = crate::names::table_by_text(cx, &name)?.ok_or_else(missing)?;
    if let Some(second) = dbcc.arguments.get(1).filter(|_| wanted.indexes) {
        let text = text_of(second);
        let by_id = |id: i64| table.indexes.iter().find(|i| i64::from(i.id.0) == id);
        let found = match (&text, number_of(second)) {
            (Some(name), _) => table.index(name),
            (None, Some(id)) => by_id(id),
            _ => None,
        };
        wanted.only = Some(found.ok_or_else(|| SqlError::new(2560, &[&2]))?.id.0);
    }
    let began = Instant::now();
    let found = one_table(cx, &database, &table, &wanted)?.ok_or_else(missing)?;
    let what = format!("{}.{}", database.name, table.head.qualified());
    note(cx, &database, &wanted, &what, found, began);
    Ok(())
}

/// `DBCC CHECKDB`.
pub(super) fn database(cx: &mut StatementContext<'_>, dbcc: &ast::Dbcc) -> SqlResult<()> {
    let wanted = wanted(dbcc, "CHECKDB")?;
    let database = database_of(cx, dbcc.arguments.first())?;
    let began = Instant::now();
    info(cx, &wanted, SqlError::new(2536, &[&database.name]))?;
    let mut found = allocation(cx, &database, &wanted)?;
    found.add(system_tables(cx, &database, &wanted)?);
    let mut tables = database.catalog.tables(cx.session.id);
    tables.extend(database.catalog.indexed_views(cx.session.id));
    for table in tables {
        // One that was dropped meanwhile is none.
        found.add(one_table(cx, &database, &table, &wanted)?.unwrap_or_default());
    }
    summary(cx, &database, &wanted, found)?;
    note(cx, &database, &wanted, &database.name, found, began);
    Ok(())
}

/// `DBCC CHECKALLOC`.
pub(super) fn alloc(cx: &mut StatementContext<'_>, dbcc: &ast::Dbcc) -> SqlResult<()> {
    let wanted = wanted(dbcc, "CHECKALLOC")?;
    let database = database_of(cx, dbcc.arguments.first())?;
    let began = Instant::now();
    info(cx, &wanted, SqlError::new(2536, &[&database.name]))?;
    let found = allocation(cx, &database, &wanted)?;
    summary(cx, &database, &wanted, found)?;
    note(cx, &database, &wanted, &database.name, found, began);
    Ok(())
}

/// A message that NO_INFOMSGS leaves out.
fn info(cx: &mut StatementContext<'_>, wanted: &Wanted, message: Box<SqlError>) -> SqlResult<()> {
    if wanted.silent { Ok(()) } else { cx.message(message) }
}

/// 8989, which scripts look for.
fn summary(
    cx: &mut StatementContext<'_>,
    database: &Database,
    wanted: &Wanted,
    found: Errors,
) -> SqlResult<()> {
    if wanted.silent && found.all() == 0 {
        return Ok(());
    }
    let (a, c) = (found.allocation, found.consistency);
    cx.message(SqlError::new(8989, &[&wanted.command, &a, &c, &database.name]))
}

/// 8957: the line in the error log.
fn note(
    cx: &StatementContext<'_>,
    database: &Database,
    wanted: &Wanted,
    what: &str,
    found: Errors,
    began: Instant,
) {
    if found.all() > 0 {
        crate::features::pages_damaged(cx.instance());
    }
    let options = match (wanted.physical, wanted.silent) {
        (true, true) => " WITH physical_only, no_infomsgs",
        (true, false) => " WITH physical_only",
        (false, true) => " WITH no_infomsgs",
        (false, false) => "",
    };
    let index = if wanted.indexes { "" } else { ", noindex" };
    let seconds = began.elapsed().as_secs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let e = SqlError::new(
        8957,
        &[
            &"",
            &wanted.command,
            &what,
            &index,
            &"",
            &options,
            &cx.session.client.login,
            &found.all(),
            &0,
            &hours,
            &minutes,
            &seconds,
            &"",
        ],
    );
    let text = e.message.trim_end().to_string();
    EventRing::global().push(Event::Check { database: database.id, text, failed: found.all() > 0 });
}

/// Asks whether the batch was cancelled.
fn give_up(flag: &Arc<AtomicBool>) -> impl FnMut() -> bool + use<> {
    let flag = flag.clone();
    move || flag.load(Ordering::Relaxed)
}

/// Sends findings, and counts them.
fn tell(
    cx: &mut StatementContext<'_>,
    database: &Database,
    findings: &[Finding],
) -> SqlResult<Errors> {
    let mut errors = Errors::default();
    for finding in findings {
        match finding.is_allocation() {
            true => errors.allocation += 1,
            false => errors.consistency += 1,
        }
        cx.message(finding.to_sql(database.id))?;
    }
    Ok(errors)
}

/// The same for a heap or tree, of which not all findings may have been kept.
fn tell_all(
    cx: &mut StatementContext<'_>,
    database: &Database,
    checked: &Checked,
) -> SqlResult<Errors> {
    let mut errors = tell(cx, database, &checked.findings)?;
    errors.consistency += checked.more;
    Ok(errors)
}

fn allocation(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    wanted: &Wanted,
) -> SqlResult<Errors> {
    let found = database.storage.check_allocation(&mut give_up(&cx.session.running.cancel));
    let found = found.map_err(|e| e.to_sql())?;
    let errors = tell(cx, database, &found)?;
    if errors.all() > 0 {
        let (a, c) = (errors.allocation, errors.consistency);
        cx.message(SqlError::new(8954, &[&wanted.command, &a, &c]))?;
    }
    Ok(errors)
}

/// 2593 and, if something is wrong, 8990.
fn results(
    cx: &mut StatementContext<'_>,
    wanted: &Wanted,
    (name, id): (&str, i32),
    checked: &Checked,
    errors: Errors,
) -> SqlResult<()> {
    info(cx, wanted, SqlError::new(2593, &[&checked.rows, &checked.pages, &name]))?;
    if errors.all() > 0 {
        let (a, c) = (errors.allocation, errors.consistency);
        cx.message(SqlError::new(8990, &[&wanted.command, &a, &c, &name, &id]))?;
    }
    Ok(())
}

/// The directory and the catalogue.
fn system_tables(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    wanted: &Wanted,
) -> SqlResult<Errors> {
    let mut all = Errors::default();
    for id in (1..=layout::LAST_SYSTEM_HOBT).map(HobtId).chain([layout::DIRECTORY]) {
        let give_up = &mut give_up(&cx.session.running.cancel);
        let table = SystemTables::ALL.iter().find(|t| t.hobt == id);
        let checked = match table {
            Some(table) => database.storage.check_hobt(id, &mut SystemRows::new(table), give_up),
            None => database.storage.check_hobt(id, &mut NoRows, give_up),
        };
        let checked = checked.map_err(|e| e.to_sql())?;
        let name = match table {
            Some(table) => format!("sys.{}", table.name),
            None if id == layout::DIRECTORY => "sys.sysallocunits".to_owned(),
            // Kept for later; nothing is in it.
            None if checked.errors() == 0 => continue,
            None => format!("sys.{id}"),
        };
        info(cx, wanted, SqlError::new(2536, &[&name]))?;
        let errors = tell_all(cx, database, &checked)?;
        results(cx, wanted, (&name, id.0 as i32), &checked, errors)?;
        all.add(errors);
    }
    Ok(all)
}

/// A table, under S; none: it is not there any more.
fn one_table(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: &Arc<Table>,
    wanted: &Wanted,
) -> SqlResult<Option<Errors>> {
    // Between tables the lock is given up, unless the transaction is the client's: that one has locks already which another would
    // wait for.
    if cx.session.transaction.count() > 0 {
        let session = cx.session.id;
        database.catalog.lock_table(
            cx.transaction(database)?,
            session,
            table.head.id,
            LockMode::S,
        )?;
        return held(cx, database, table, wanted, None);
    }
    let mut tx = database.storage.begin(BeginSpec {
        session: cx.session.id,
        name: "DBCC",
        lock_timeout_ms: cx.session.activation.options.lock_timeout,
        ..BeginSpec::default()
    });
    tx.cancel_with(cx.session.running.cancel.clone());
    database.catalog.lock_table(&mut tx, cx.session.id, table.head.id, LockMode::S)?;
    let found = held(cx, database, table, wanted, Some(&mut tx));
    tx.commit(Durability::Delayed).map_err(|e| e.to_sql())?;
    found
}

/// The table is locked.
fn held(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: &Table,
    wanted: &Wanted,
    own: Option<&mut Transaction>,
) -> SqlResult<Option<Errors>> {
    let Some(table) = database.catalog.table(table.head.id, cx.session.id) else {
        return Ok(None);
    };
    let qualified = table.head.qualified();
    let name = if &*table.head.schema == "dbo" { table.name().to_string() } else { qualified };
    info(cx, wanted, SqlError::new(2536, &[&name]))?;
    let cancel = cx.session.running.cancel.clone();
    let (checked, more) = match own {
        Some(tx) => look(tx, &table, wanted, &cancel)?,
        None => look(cx.transaction(database)?, &table, wanted, &cancel)?,
    };
    let mut errors = Errors::default();
    for c in &checked {
        errors.add(tell_all(cx, database, c)?);
    }
    errors.consistency += more.len() as u64;
    for e in more {
        cx.message(e)?;
    }
    results(cx, wanted, (&name, table.head.id.0), &checked[0], errors)?;
    Ok(Some(errors))
}

/// Base and indexes, the base first; and where they differ, in messages.
// Errors come boxed.
#[allow(clippy::vec_box)]
fn look(
    tx: &mut Transaction,
    table: &Table,
    wanted: &Wanted,
    cancel: &Arc<AtomicBool>,
) -> SqlResult<(Vec<Checked>, Vec<Box<SqlError>>)> {
    let storage = tx.database().clone();
    let give_up = &mut give_up(cancel);
    let chosen: Vec<Arc<Index>> = table
        .nonclustered()
        .iter()
        .filter(|i| wanted.indexes && wanted.only.is_none_or(|id| id == i.id.0))
        .cloned()
        .collect();
    let compared: &[Arc<Index>] = if wanted.physical { &[] } else { &chosen };
    let mut rows = BaseRows::new(tx, table, compared, !wanted.physical)?;
    let base = storage.check_hobt(table.base().hobt_id, &mut rows, give_up);
    let base = base.map_err(|e| e.to_sql())?;
    let digests: Vec<Digest> = rows.into_digests();
    let mut all = vec![base];
    let mut different = Vec::new();
    for (at, index) in chosen.iter().enumerate() {
        let mut entries = EntryRows::default();
        let checked = storage.check_hobt(index.hobt_id, &mut entries, give_up);
        let checked = checked.map_err(|e| e.to_sql())?;
        // Beside pages that cannot be read, rows that have no counterpart are no news.
        let comparable = all[0].complete && checked.complete;
        if comparable && digests.get(at).is_some_and(|d| *d != entries.digest()) {
            differences(tx, table, index, DIFFERENCES_MAX, &mut different)?;
        }
        all.push(checked);
    }
    Ok((all, different))
}
