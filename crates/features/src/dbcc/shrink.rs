//! DBCC SHRINKFILE and SHRINKDATABASE.
//!
//! ```text
//! DBCC SHRINKFILE ( { file_name | file_id } [, target_MB ] [, NOTRUNCATE | TRUNCATEONLY | EMPTYFILE ] ) [ WITH NO_INFOMSGS ]
//! DBCC SHRINKDATABASE ( { name | id | 0 } [, target_percent ] [, NOTRUNCATE | TRUNCATEONLY ] ) [ WITH NO_INFOMSGS ]
//! ```
//! Log files are shrunk (see `taffrail_log`): by whole VLFs from the end; what could not go, and why, is said in message
//! 9006, 9007, 9008 or 9009. Without a target a file shrinks to the size it was made with. Data files are not shrunk:
//! 40510; SHRINKDATABASE shrinks the log and leaves them as they are.

use super::{number_of, text_of};
use crate::catalog::fold;
use crate::database::Database;
use crate::features;
use crate::features::server_observer::{Audit, Resized};
use crate::results::{print, send};
use crate::row;
use crate::session::context::StatementContext;
use std::sync::Arc;
use taffrail_base::message::unsupported;
use taffrail_base::{SqlError, SqlResult};
use taffrail_observe::{Moment, Whose};
use taffrail_storage::{FileKind, ShrinkMode, ShrinkReport, ShrinkStop};
use taffrail_syntax::ast;
use taffrail_types::{SqlType, Value};

/// VLFs that a log keeps.
const VLFS_MIN: i32 = 2;
const PAGE: u64 = 8192;

/// The word after the sizes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Word {
    NoTruncate,
    TruncateOnly,
    EmptyFile,
}

/// Target and word of the arguments after the first.
fn rest_of(arguments: &[ast::Expr]) -> SqlResult<(Option<i64>, Option<Word>)> {
    let mut target = None;
    let mut word = None;
    for (i, argument) in arguments.iter().enumerate() {
        let at = i + 2;
        match (number_of(argument), text_of(argument).map(|t| fold(&t)).as_deref()) {
            (Some(n), _) if target.is_none() && word.is_none() && n >= 0 => target = Some(n),
            (None, Some("notruncate")) if word.is_none() => word = Some(Word::NoTruncate),
            (None, Some("truncateonly")) if word.is_none() => word = Some(Word::TruncateOnly),
            (None, Some("emptyfile")) if word.is_none() => word = Some(Word::EmptyFile),
            _ => return Err(SqlError::new(2560, &[&at])),
        }
    }
    Ok((target, word))
}

/// 8920 in a transaction of the client's; what it tells may become the rows of an INSERT … EXEC.
fn refuse_in_transaction(cx: &StatementContext<'_>, operation: &str) -> SqlResult<()> {
    match cx.session.transaction.is_clients() {
        true => Err(SqlError::new(8920, &[&operation])),
        false => Ok(()),
    }
}

fn refuse_read_only(database: &Database) -> SqlResult<()> {
    match database.storage.is_read_only() {
        true => Err(SqlError::new(7992, &[&database.name])),
        false => Ok(()),
    }
}

/// `DBCC SHRINKFILE`.
pub(super) fn shrink_file(
    cx: &mut StatementContext<'_>,
    dbcc: &ast::Dbcc,
    silent: bool,
) -> SqlResult<()> {
    refuse_in_transaction(cx, "shrinkfile")?;
    let database = cx.database();
    refuse_read_only(&database)?;
    let first = dbcc.arguments.first().ok_or_else(|| SqlError::new(2560, &[&1]))?;
    let files = database.storage.files();
    let file = match (number_of(first), text_of(first)) {
        (Some(id), _) => match files.iter().find(|f| i64::from(f.id.0) == id) {
            Some(file) => file,
            None => return Err(SqlError::new(8985, &[&id, &database.name])),
        },
        (None, Some(name)) => match files.iter().find(|f| fold(&f.name) == fold(&name)) {
            Some(file) => file,
            None => return Err(SqlError::new(8985, &[&name, &database.name])),
        },
        _ => return Err(SqlError::new(2560, &[&1])),
    };
    let (target, word) = rest_of(&dbcc.arguments[1..])?;
    if file.kind == FileKind::Rows {
        return Err(unsupported("DBCC SHRINKFILE of a data file"));
    }
    let first_log = files.iter().find(|f| f.kind == FileKind::Log).map(|f| f.id);
    if word == Some(Word::EmptyFile) && Some(file.id) == first_log {
        return Err(SqlError::new(5020, &[]));
    }
    let mode = match (word, target) {
        (Some(Word::EmptyFile), _) => ShrinkMode::Empty,
        (Some(Word::TruncateOnly), _) => ShrinkMode::Truncate,
        (_, target) => ShrinkMode::To(target_bytes(&database, file.id.0, target)),
    };
    // NOTRUNCATE means nothing to a log.
    let row = shrink_log(cx, &database, file.id.0, mode, silent)?;
    send_rows(cx, vec![row])
}

/// Where a shrink without a target stops: at the size that the file was made with.
fn target_bytes(database: &Database, id: u16, target: Option<i64>) -> u64 {
    match target {
        Some(mb) if mb > 0 => (mb as u64).saturating_mul(1 << 20),
        _ => minimum(database, id),
    }
}

fn minimum(database: &Database, id: u16) -> u64 {
    let logs = database.storage.log_files();
    logs.iter().find(|f| f.0.0 == id).map_or(0, |f| f.2.min_size)
}

/// Shrinks one log file; says what could not go; the row about it.
fn shrink_log(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    id: u16,
    mode: ShrinkMode,
    silent: bool,
) -> SqlResult<Vec<Value>> {
    let logs = || database.storage.log_files().into_iter().find(|f| f.0.0 == id);
    let (from, began) = (logs().map_or(0, |f| f.2.size), Moment::now());
    let report = database.storage.shrink_log_file(taffrail_base::FileId(id), mode);
    let report = report.map_err(|e| e.to_sql())?;
    let name = logs().map(|f| f.1);
    if report.to < from {
        let whose = Whose::new(database.id, &database.name);
        let file = name.as_deref().unwrap_or_default();
        let ns = Moment::now().since(began);
        let shrunk = Resized { database: &whose, file, from, to: report.to, ns };
        features::server_observer().audited(cx.instance(), &Audit::LogShrunk(shrunk));
    }
    if !silent && let Some(message) = why_not(id, &name.unwrap_or_default(), mode, &report) {
        cx.message(message)?;
    }
    let (size, minimum) = (report.to / PAGE, minimum(database, id) / PAGE);
    Ok(row![database.id.0, id, size, minimum, size, minimum])
}

/// The message about what kept a file from getting as small as was asked for.
fn why_not(id: u16, name: &str, mode: ShrinkMode, r: &ShrinkReport) -> Option<Box<SqlError>> {
    match r.stop {
        Some(ShrinkStop::InUse) => Some(SqlError::new(9008, &[&id, &name])),
        Some(ShrinkStop::Room) => Some(SqlError::new(9009, &[&id, &name])),
        Some(ShrinkStop::Vlfs) if mode != ShrinkMode::Truncate => {
            Some(SqlError::new(9006, &[&id, &name, &VLFS_MIN]))
        }
        None => match mode {
            ShrinkMode::To(target) if target < r.to && target > r.last_vlf => {
                Some(SqlError::new(9007, &[&id, &name, &(target >> 10)]))
            }
            _ => None,
        },
        _ => None,
    }
}

/// `DBCC SHRINKDATABASE`: the log files; the data file stays as it is, and has no row, as one that could not be shrunk.
pub(super) fn shrink_database(
    cx: &mut StatementContext<'_>,
    dbcc: &ast::Dbcc,
    silent: bool,
) -> SqlResult<()> {
    refuse_in_transaction(cx, "shrinkdatabase")?;
    let database = super::database_of(cx, dbcc.arguments.first())?;
    refuse_read_only(&database)?;
    let rest = dbcc.arguments.get(1..).unwrap_or_default();
    let (_, word) = rest_of(rest)?;
    if word == Some(Word::EmptyFile) {
        return Err(SqlError::new(2560, &[&3]));
    }
    let mut rows = Vec::new();
    for (id, _, info) in database.storage.log_files() {
        let mode = match word {
            Some(Word::TruncateOnly) => ShrinkMode::Truncate,
            _ => ShrinkMode::To(info.min_size),
        };
        rows.push(shrink_log(cx, &database, id.0, mode, silent)?);
    }
    if !silent {
        print(
            cx,
            "DBCC SHRINKDATABASE: data files were left as they are; only log files are shrunk.",
        )?;
    }
    send_rows(cx, rows)
}

fn send_rows(cx: &mut StatementContext<'_>, rows: Vec<Vec<Value>>) -> SqlResult<()> {
    let columns = [
        ("DbId", SqlType::SmallInt, true),
        ("FileId", SqlType::Int, true),
        ("CurrentSize", SqlType::Int, true),
        ("MinimumSize", SqlType::Int, true),
        ("UsedPages", SqlType::Int, true),
        ("EstimatedPages", SqlType::Int, true),
    ];
    send(cx, &columns, rows)
}
