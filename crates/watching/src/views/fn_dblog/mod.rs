//! `sys.fn_dblog(@start, @end)`: the log records of the current database, one row each.
//!
//! The scan is a stream: whatever the size of the log, it keeps one piece of it in memory, and makes only the cells that
//! the query looks at. It begins where log is needed from (the last checkpoint's MinLSN, or an earlier holder such as the
//! log backup that is due) and ends with what had been written when it began: what the query itself logs is not in it.
//! Records that were only in memory are written first, so that a session sees its own uncommitted work. While it runs it
//! holds the log (LOG_SCAN).
//!
//! ```text
//! columns   the 130 columns     decode   record → cells     text   LSNs, times … as text
//! dump      the same from a backup: sys.fn_dump_dblog
//! ```

pub mod columns;
pub mod decode;
mod dump;
pub mod text;

use super::{Declaration, RowStream, ViewContext, streamed};
use crate::features::needs;
use columns::Column;
use decode::Decoder;
use taffrail_base::{LogPos, Lsn, SqlError, SqlResult};
use taffrail_log::{LogError, LsnMap, Reader};
use taffrail_types::Value;

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.push(streamed("fn_dblog", needs::DB_OWNER, (2, 2), Column::DECLARED, open));
    views.push(streamed(
        "fn_dump_dblog",
        needs::SYSADMIN,
        dump::ARGUMENTS,
        Column::DECLARED,
        dump::open,
    ));
}

/// An LSN given as text, in any of its forms: 9005 if it is none.
pub(crate) fn bound(argument: Option<&Value>) -> SqlResult<Option<Lsn>> {
    match argument {
        None | Some(Value::Null) => Ok(None),
        Some(v) => {
            let parsed = v.as_text().and_then(|t| t.trim().parse().ok());
            parsed.map(Some).ok_or_else(|| SqlError::new(9005, &[]))
        }
    }
}

/// The columns at these positions.
pub(crate) fn columns_at(wanted: &[usize]) -> Vec<Column> {
    wanted.iter().map(|c| Column::ALL[*c]).collect()
}

struct LogScan {
    reader: Reader,
    decoder: Decoder,
    lsns: LsnMap,
    columns: Vec<Column>,
    /// What had been written when the scan began.
    end: LogPos,
    /// The last LSN asked for.
    last: Option<Lsn>,
    database: String,
    /// The LSN that the scan was told to begin with, until it has begun.
    first: Option<Lsn>,
}

fn open(
    cx: &ViewContext<'_>,
    arguments: &[Value],
    wanted: &[usize],
) -> SqlResult<Box<dyn RowStream>> {
    let first = bound(arguments.first())?;
    let last = bound(arguments.get(1))?;
    let database = cx.database;
    let log = database.storage.log();
    let sql = |e: taffrail_storage::StorageError| e.to_sql();
    database.storage.flush_log().map_err(sql)?;
    let end = log.durable();
    let mut reader = match first {
        Some(lsn) => {
            let pos = log
                .pos_of(lsn)
                .filter(|pos| *pos < end)
                .ok_or_else(|| no_such(lsn, &database.name))?;
            log.reader(pos).map_err(|_| no_such(lsn, &database.name))?
        }
        None => {
            // What nobody needed a moment ago may be gone by now.
            let from = log.needed_from();
            let reader = log.reader(from).or_else(|_| log.reader(log.oldest()));
            reader.map_err(|e| failed(&database.name, &e))?
        }
    };
    reader.stop_at(end);
    let columns = columns_at(wanted);
    let decoder = Decoder::new(database, &columns, true);
    let lsns = log.lsn_map();
    let database = database.name.clone();
    Ok(Box::new(LogScan { reader, decoder, lsns, columns, end, last, database, first }))
}

/// The caller's mistake: an error of the statement, where recovery's 9003 ends a connection.
fn no_such(lsn: Lsn, database: &str) -> Box<SqlError> {
    let mut e = SqlError::new(9003, &[&lsn, &database]);
    e.severity = 16;
    e
}

fn failed(database: &str, e: &LogError) -> Box<SqlError> {
    match e {
        LogError::NotFound(pos) => SqlError::new(9003, &[&format!("{:#x}", pos.0), &database]),
        _ => SqlError::new(9004, &[&database]),
    }
}

impl RowStream for LogScan {
    fn next(&mut self, cells: &mut [Value]) -> SqlResult<bool> {
        let entry = match self.reader.next_entry() {
            Ok(Some(entry)) => entry,
            Ok(None) => return Ok(false),
            // Nothing begins at the place that the caller named: his mistake, not damage.
            Err(e) => {
                return Err(match self.first {
                    Some(lsn) => no_such(lsn, &self.database),
                    None => failed(&self.database, &e),
                });
            }
        };
        if entry.record.pos >= self.end || self.last.is_some_and(|last| entry.lsn > last) {
            return Ok(false);
        }
        self.first = None;
        self.decoder.see(&entry);
        for (cell, column) in cells.iter_mut().zip(&self.columns) {
            *cell = self.decoder.cell(*column, &entry, &self.lsns);
        }
        let header = entry.record.header;
        self.decoder.done(header.op, header.txn.0);
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::Feature;

    static FEATURES: [&[&Feature]; 1] = [&[&crate::views::FEATURE]];

    #[test]
    fn the_function_has_the_130_columns() {
        assert_eq!(Column::ALL.len(), 130);
        assert_eq!(Column::DECLARED[0], "[Current LSN] nvarchar(23)!");
        assert_eq!(Column::DECLARED[129], "[Log Record] varbinary(8000)!");
        crate::features::hand_in(&FEATURES);
        let view = crate::views::find(Some("sys"), "fn_dblog").expect("declared");
        assert_eq!(view.columns[Column::RowLogContents0 as usize].name, "RowLog Contents 0");
    }

    #[test]
    fn bounds_are_read_in_every_form_and_refused_otherwise() {
        let lsn = Some(Lsn::new(0x31, 0xda0, 1));
        for text in ["0x00000031:00000da0:0001", "49:3488:1", "00000031:00000da0:0001"] {
            assert_eq!(bound(Some(&Value::nvarchar(text))).unwrap(), lsn);
        }
        assert_eq!(bound(Some(&Value::Null)).unwrap(), None);
        assert_eq!(bound(Some(&Value::nvarchar("1:2"))).unwrap_err().number, 9005);
    }
}
