//! `taffrail log changes` and `taffrail log undo`: the log explained, without a server.
//!
//! The database is opened and recovered over its files, with everything that this would write kept in memory: the catalogue says what the
//! rows' bytes mean, and the pages have what the log does not.

use super::json::Object;
use super::{Failure, Outcome};
use crate::catalog::{Catalog, Sight};
use crate::database::Database;
use crate::explain::{Change, Named, Range, Scan, Shown, Source, Undo, local, table_of};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use taffrail_base::{DatabaseId, Lsn, SqlError, TransactionId};
use taffrail_io::Env;
use taffrail_io::overlay::OverlayDisk;
use taffrail_storage::{InstanceOptions, OpenSpec, StorageError, StorageInstance};
use taffrail_types::{SqlType, text};

/// Where the log is.
pub struct Data<'a> {
    /// Disk, clock and randomness.
    pub env: Env,
    /// The database's primary data file.
    pub primary: PathBuf,
    /// Its log files, where they are not where the data file says.
    pub logs: Vec<PathBuf>,
    /// Log backups.
    pub backups: Vec<PathBuf>,
    /// Where the answer goes.
    pub out: &'a mut dyn Write,
}

/// Which changes.
#[derive(Clone, Default, Debug)]
pub struct Rows {
    /// From this LSN on.
    pub from: Option<Lsn>,
    /// Up to this LSN.
    pub to: Option<Lsn>,
    /// Of this table.
    pub table: Option<String>,
    /// At most so many.
    pub limit: Option<u64>,
    /// JSON lines rather than text.
    pub json: bool,
}

/// Buffer pool of the look.
const POOL: u64 = 64 << 20;

impl From<Box<SqlError>> for Failure {
    fn from(e: Box<SqlError>) -> Failure {
        match e.number {
            824 | 3189 | 9004 | 9015 => Failure::Damaged(e.message),
            // Of recovery; a caller's LSN is an error of severity 16.
            9003 if e.severity > 16 => Failure::Damaged(e.message),
            _ => Failure::Request(e.message),
        }
    }
}

fn storage(e: StorageError) -> Failure {
    e.to_sql().into()
}

/// The database of a primary data file, recovered in memory.
fn open(data: &Data<'_>) -> Result<(Arc<Database>, Env), Failure> {
    let disk = Arc::new(OverlayDisk::new(data.env.disk.clone()));
    let env = Env { disk, ..data.env.clone() };
    let beside = data.primary.parent().map(Path::to_path_buf).unwrap_or_default();
    let options =
        InstanceOptions { pool_bytes: POOL, data_dir: beside, ..InstanceOptions::default() };
    let instance = StorageInstance::new(env.clone(), options).map_err(storage)?;
    let name = data.primary.file_stem().map_or("?".into(), |n| n.to_string_lossy().into_owned());
    let spec = OpenSpec { primary: data.primary.clone(), logs: data.logs.clone() };
    let id = DatabaseId(5);
    let opened = taffrail_storage::Database::open_deferred(&instance, id, &name, &spec);
    let (files, _) = opened.map_err(storage)?;
    files.finish_recovery().map_err(storage)?;
    let catalog = Arc::new(Catalog::open(&files).map_err(Failure::from)?);
    Ok((Arc::new(Database { id, name, storage: files, catalog }), env))
}

fn source(data: &Data<'_>) -> Result<Arc<Source>, Failure> {
    let (database, env) = open(data)?;
    let found = match data.backups.is_empty() {
        true => Source::of_files(&database, &env),
        false => {
            let named = data.backups.iter().map(|p| (p.display().to_string(), p.clone()));
            Source::of_backups(&database, &env, named.collect())
        }
    };
    found.map(Arc::new).map_err(Failure::from)
}

/// Shows the committed changes of rows, oldest first.
pub fn changes(data: Data<'_>, rows: &Rows) -> Result<Outcome, Failure> {
    let source = source(&data)?;
    let object = match &rows.table {
        None => None,
        Some(name) => {
            let table = table_of(&source.database().catalog, name, Sight::EVERYTHING);
            let table = table.ok_or_else(|| Failure::from(SqlError::new(208, &[name])))?;
            Some(table.id())
        }
    };
    let range = Range { first: rows.from, last: rows.to, object, txn: None };
    let mut scan = Scan::open(source, range).map_err(Failure::from)?;
    let mut left = rows.limit.unwrap_or(u64::MAX);
    while left > 0
        && let Some(mut change) = scan.next().map_err(Failure::from)?
    {
        left -= 1;
        let shown = Shown::of(&scan.source, &mut change).map_err(Failure::from)?;
        let line = if rows.json { json_line(&change, &shown) } else { text_line(&change, &shown) };
        data.out.write_all(line.as_bytes())?;
    }
    Ok(Outcome::Sound)
}

/// Writes the T-SQL that takes a committed transaction back. `transaction`: as `log changes` shows it.
pub fn undo(data: Data<'_>, transaction: TransactionId) -> Result<Outcome, Failure> {
    let source = source(&data)?;
    let mut undo = Undo::open(source, Named::Id(transaction)).map_err(|e| match e.number {
        9003 => {
            Failure::Request(format!("the log has no transaction {transaction} that committed"))
        }
        _ => e.into(),
    })?;
    while let Some(statement) = undo.next().map_err(Failure::from)? {
        writeln!(data.out, "{statement}")?;
    }
    Ok(Outcome::Sound)
}

fn time(at: u64) -> String {
    text::display(&local(at), SqlType::DateTime2(7))
}

fn name(c: &Change) -> String {
    c.owner.name.as_ref().map_or("?".into(), |n| format!("{}.{}", n.0, n.1))
}

fn text_line(c: &Change, shown: &Shown) -> String {
    let mut line =
        format!("{} {} {} {} {}", c.lsn, c.txn, time(c.commit.1), c.kind.name(), name(c));
    if let Some(before) = &shown.before {
        line.push_str(&format!(" {before}"));
    }
    if let Some(after) = &shown.after {
        line.push_str(&format!(" => {after}"));
    }
    if let Some(note) = &c.note {
        line.push_str(&format!(" [{note}]"));
    }
    line.push('\n');
    line
}

fn json_line(c: &Change, shown: &Shown) -> String {
    let mut o = Object::new()
        .text("lsn", &c.lsn.to_string())
        .text("operation", c.kind.name())
        .text("table", &name(c))
        .text("transaction_id", &c.txn.to_string());
    if let Some(b) = &c.begin {
        o = o.text("transaction_name", &b.name).raw("session_id", b.session);
        o = o.text("begin_time", &time(b.time));
    }
    o = o.text("commit_time", &time(c.commit.1)).text("commit_lsn", &c.commit.0.to_string());
    for (member, row) in [("key", &shown.key), ("before", &shown.before), ("after", &shown.after)] {
        if let Some(row) = row {
            o = o.raw(member, row);
        }
    }
    o.maybe("changed_columns", shown.changed.clone()).maybe("note", c.note.clone()).line()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_damaged_is_told_apart_from_what_is_asked_wrongly() {
        let damage = |number, severity| {
            let mut e = SqlError::new(number, &[&"x", &"y", &"z"]);
            e.severity = severity;
            Failure::from(e).is_damage()
        };
        assert!(damage(9004, 16) && damage(9003, 20) && damage(3189, 16));
        assert!(!damage(9003, 16) && !damage(208, 16));
    }
}
