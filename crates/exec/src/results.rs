//! What a statement sends besides its DONE: the rows of queries, and the results and lines of text of our own code (procedures,
//! DBCC, BACKUP and RESTORE, DDL).

use crate::exec::insert_exec::check_columns;
use crate::exec::result_sets::not_taken;
use crate::features::cell::coerce;
use crate::session::context::StatementContext;
use crate::sink::{ColumnDesc, Command, CursorTables, Done, DoneKind};
use taffrail_base::message::client_gone;
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::{Conversion, MaxLen, SqlType, Value, convert};

/// Columns of a result: name, type, nullable.
pub(crate) type Columns<'a> = &'a [(&'a str, SqlType, bool)];

impl StatementContext<'_> {
    /// A result begins: 213 where it makes rows for an INSERT … EXEC of other columns.
    pub fn columns(&mut self, columns: &[ColumnDesc]) -> SqlResult<()> {
        check_columns(self.session.activation.taking, columns)?;
        let o = &self.session.activation.options;
        if !o.ansi_warnings && !o.arithabort {
            // What cannot be computed is NULL.
            let any = |c: &ColumnDesc| ColumnDesc { nullable: true, ..c.clone() };
            let columns: Vec<ColumnDesc> = columns.iter().map(any).collect();
            return self.begin_result(&columns);
        }
        self.begin_result(columns)
    }

    /// A block of a cursor's rows begins: their columns, and ROWSTAT behind them.
    pub(crate) fn cursor_columns(
        &mut self,
        columns: &[ColumnDesc],
        tables: &CursorTables,
    ) -> SqlResult<()> {
        check_columns(self.session.activation.taking, columns)?;
        let begun = self.sink.cursor_columns(columns, tables);
        self.session.running.open_result = begun.is_ok();
        begun.map_err(|_| not_taken(self.sink))
    }

    fn begin_result(&mut self, columns: &[ColumnDesc]) -> SqlResult<()> {
        let begun = self.sink.columns(columns);
        self.session.running.open_result = begun.is_ok();
        begun.map_err(|_| not_taken(self.sink))
    }

    /// A row of it.
    #[inline]
    pub fn row(&mut self, values: &[Value]) -> SqlResult<()> {
        self.sink.row(values).map_err(|_| not_taken(self.sink))
    }
}

/// Sends a result; `@@ROWCOUNT` counts its rows.
pub fn send(
    cx: &mut StatementContext<'_>,
    columns: Columns<'_>,
    rows: Vec<Vec<Value>>,
) -> SqlResult<()> {
    let count = begin(cx, columns, rows)?;
    end(cx, count)
}

/// The beginning of a result of which there may be more; gives the number of these rows.
pub fn begin(
    cx: &mut StatementContext<'_>,
    columns: Columns<'_>,
    rows: Vec<Vec<Value>>,
) -> SqlResult<u64> {
    let described: Vec<ColumnDesc> = columns
        .iter()
        .enumerate()
        .map(|(at, (name, ty, nullable))| {
            let missing = rows.iter().any(|row| row[at].is_null());
            debug_assert!(*nullable || !missing, "NULL in {name}");
            ColumnDesc { nullable: *nullable || missing, ..ColumnDesc::new(*name, *ty) }
        })
        .collect();
    cx.columns(&described)?;
    more(cx, columns, rows)
}

/// More rows of a result; gives their number.
pub fn more(
    cx: &mut StatementContext<'_>,
    columns: Columns<'_>,
    rows: Vec<Vec<Value>>,
) -> SqlResult<u64> {
    let count = rows.len() as u64;
    for mut row in rows {
        for (value, (_, ty, _)) in row.iter_mut().zip(columns) {
            *value = coerce(std::mem::take(value), *ty);
        }
        cx.row(&row)?;
    }
    Ok(count)
}

/// The end of a result of so many rows.
pub fn end(cx: &mut StatementContext<'_>, count: u64) -> SqlResult<()> {
    let kind = if cx.session.activation.nest_level > 0 {
        DoneKind::InProcedure
    } else {
        DoneKind::Statement
    };
    let rows = (!cx.session.activation.options.nocount).then_some(count);
    cx.session.activation.last.row_count = count as i64;
    cx.session.running.open_result = false;
    let done = Done { kind, command: Command::SELECT, rows, error: false };
    cx.sink.done(done).map_err(|_| client_gone())
}

/// A line of text, as PRINT sends it.
pub fn print(cx: &mut StatementContext<'_>, text: &str) -> SqlResult<()> {
    cx.message(SqlError::of_text(0, 0, text.into()))
}

/// A value as text of at most so many characters.
pub fn as_varchar(value: &Value, ty: SqlType, style: Option<i32>) -> SqlResult<String> {
    let to = SqlType::VarChar(MaxLen::N(60));
    let explicit = Conversion::Explicit;
    let text = convert::cast(value, ty, to, style, explicit)?;
    Ok(text.as_text().unwrap_or_default())
}
