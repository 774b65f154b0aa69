//! sp_cursor: changes, locks and refreshes rows of the fetch buffer, and inserts rows into a table of the cursor.
//!
//! A change is the statement that the values make, WHERE CURRENT OF the cursor; the values are its parameters. Row 0 stands for all rows of
//! the buffer, which are changed one by one.

use super::{Current, CursorRows, ended, invalid, number, text};
use crate::exec::activation::Way;
use crate::exec::called::{Called, Passed, Returned};
use crate::exec::cursor::Reference;
use crate::exec::cursor::keyset::Fetched;
use crate::exec::cursor::model::{CursorConcurrency, MarkedTable};
use crate::exec::cursor::streaming::lock_again;
use crate::exec::interpret::{Interpreter, Unwind};
use crate::exec::module::StmtKind;
use crate::exec::ops::scan::fetch;
use crate::plan::names::bracketed;
use std::fmt::Write;
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_storage::ScanLocks;

const NAME: &str = "sp_cursor";

const UPDATE: i64 = 1;
const DELETE: i64 = 2;
const INSERT: i64 = 4;
const REFRESH: i64 = 8;
const LOCK: i64 = 0x10;
const POSITION: i64 = 0x20;
const ABSOLUTE: i64 = 0x40;

/// The place of the first value among the arguments.
const VALUES: usize = 4;

/// The operation that is asked for.
struct AskedChange<'a> {
    /// The place of the cursor in the session's list.
    at: usize,
    /// Without POSITION and ABSOLUTE.
    operation: i64,
    /// The cursor stays on the row.
    positions: bool,
    /// The number of the row is that of the keyset, not of the buffer.
    absolute: bool,
    row: i64,
    table: String,
    values: &'a [Passed],
}

/// A statement that changes a row, and the declarations of its parameters.
struct RowChange {
    text: Arc<str>,
    declared: String,
    values: Vec<Passed>,
}

impl Interpreter<'_> {
    /// `sp_cursor cursor, optype, rownum, table, values …`.
    pub(super) fn change_cursor(&mut self, passed: &[Passed]) -> Result<Called, Unwind> {
        let rows = |it: &mut Self| -> SqlResult<(AskedChange<'_>, Vec<(i64, Current)>)> {
            let asked = it.asked_change(passed)?;
            let rows = it.rows_of_change(&asked)?;
            Ok((asked, rows))
        };
        let (asked, rows) = match rows(self) {
            Ok(rows) => rows,
            Err(e) => return Ok(Err(ended(e))),
        };
        match asked.operation {
            0 | REFRESH => {
                if let (true, [(row, current)]) = (asked.positions, &rows[..]) {
                    self.stand_on(asked.at, *row, current.clone());
                }
                Ok(Ok(Returned::default()))
            }
            LOCK => Ok(self.lock_rows(asked.at, &rows).map_err(ended)),
            _ => self.change_rows(&asked, rows),
        }
    }

    /// Reads the arguments: 16902, 16904.
    fn asked_change<'a>(&self, passed: &'a [Passed]) -> SqlResult<AskedChange<'a>> {
        let at = self.api_cursor(passed, NAME)?;
        let said = number(passed, 1, NAME, "optype")?.ok_or_else(|| invalid(NAME, "optype"))?;
        let row = number(passed, 2, NAME, "rownum")?.unwrap_or(0);
        let (positions, absolute) = (said & POSITION != 0, said & ABSOLUTE != 0);
        let operation = said & !(POSITION | ABSOLUTE);
        if absolute && !matches!(operation, UPDATE | DELETE) {
            return Err(SqlError::new(16904, &[]));
        }
        let alone = said == INSERT || said == POSITION;
        if !alone && !matches!(operation, UPDATE | DELETE | REFRESH | LOCK) {
            return Err(invalid(NAME, "optype"));
        }
        let table = match passed.get(3) {
            Some(_) => text(passed, 3, NAME, "table")?,
            None => String::new(),
        };
        let values = passed.get(VALUES..).unwrap_or_default();
        Ok(AskedChange { at, operation, positions, absolute, row, table, values })
    }

    /// The rows that an operation is about, with their numbers: 16929, 16930, 16931.
    fn rows_of_change(&mut self, asked: &AskedChange<'_>) -> SqlResult<Vec<(i64, Current)>> {
        let c = &self.session.held.cursors.list[asked.at];
        let Some(api) = &c.api else { return Err(invalid(NAME, "cursor")) };
        let read_only = c.made.concurrency == CursorConcurrency::ReadOnly;
        let refused = |number| Err(SqlError::new(number, &[]));
        let changes = matches!(asked.operation, UPDATE | DELETE | INSERT | LOCK);
        let rows = match asked.operation {
            INSERT => Vec::new(),
            0 if api.buffer.is_empty() => Vec::new(),
            _ if asked.absolute && !read_only => {
                return Ok(vec![(asked.row, self.row_of_keyset(asked.at, asked.row)?)]);
            }
            _ if api.count == 0 => return refused(16931),
            _ if !asked.absolute && (asked.row < 0 || asked.row > api.count) => {
                return refused(16930);
            }
            // The rows of a copy have no marks.
            _ => {
                let all = (1..).zip(api.buffer.iter().cloned());
                all.filter(|(n, _)| asked.row == 0 || *n == asked.row).collect()
            }
        };
        match changes && read_only {
            true => refused(16929),
            false => Ok(rows),
        }
    }

    /// The row of a number in the keyset: 16930.
    fn row_of_keyset(&mut self, at: usize, row: i64) -> SqlResult<Current> {
        let c = &mut self.session.held.cursors.list[at];
        let mut open = c.open.take();
        let mut own = std::mem::take(&mut c.own);
        let fetched = match open.as_mut().map(|o| &mut o.rows) {
            Some(CursorRows::Keyset(k)) if (1..=k.len() as i64).contains(&row) => {
                k.go_to(row as usize);
                self.with_locals(&mut own, |it| it.row_of_keys(k, row as usize, (0, None)))
            }
            _ => Err(SqlError::new(16930, &[])),
        };
        let c = &mut self.session.held.cursors.list[at];
        (c.open, c.own) = (open, own);
        Ok(match fetched? {
            Fetched::Nothing => Current::None,
            Fetched::Hole => Current::Hole,
            Fetched::Row(_, marks) => Current::Row(marks),
        })
    }

    /// The cursor is on a row of its buffer.
    fn stand_on(&mut self, at: usize, row: i64, current: Current) {
        let c = &mut self.session.held.cursors.list[at];
        let start = c.api.as_ref().map_or(0, |api| api.start);
        let Some(open) = &mut c.open else { return };
        open.current = current;
        if let CursorRows::Keyset(k) = &mut open.rows {
            k.go_to((start + row - 1).max(0) as usize);
        }
    }

    /// Locks rows in U, to the end of the transaction.
    fn lock_rows(&mut self, at: usize, rows: &[(i64, Current)]) -> SqlResult<Returned> {
        let c = &self.session.held.cursors.list[at];
        let tables: Vec<MarkedTable> = c.made.tables.clone();
        let plan = match c.open.as_ref().map(|o| &o.rows) {
            Some(CursorRows::Keyset(k)) => k.plan().clone(),
            Some(CursorRows::Streamed(s)) => s.plan().clone(),
            _ => return Err(SqlError::new(16917, &[])),
        };
        self.in_statement(|it| {
            lock_again(it.session, &plan)?;
            let mut row = Vec::new();
            for (_, current) in rows {
                let Current::Row(marks) = current else { continue };
                for (mark, of) in marks.iter().zip(&tables).filter(|(m, _)| !m.locator.is_empty()) {
                    let base = of.table.base().hobt()?;
                    let tx = it.session.transaction_in(&of.database)?;
                    let locked = fetch(tx, base, &mark.locator, ScanLocks::Update, &mut row);
                    locked.map_err(|e| it.session.storage_error(e))?;
                }
            }
            Ok(Returned::default())
        })
    }

    /// The statement of a change: 16935, 16936.
    fn text_of_change(&self, asked: &AskedChange<'_>, name: &str) -> SqlResult<RowChange> {
        let c = &self.session.held.cursors.list[asked.at];
        let table = match asked.table.trim() {
            "" => c.made.tables.first().map(named).unwrap_or_default(),
            table if table.starts_with('[') || table.contains('.') => table.to_string(),
            table => bracketed(table),
        };
        let word = match asked.operation {
            UPDATE => "UPDATE",
            DELETE => "DELETE",
            _ => "INSERT",
        };
        let mut written = None;
        let mut values = Vec::new();
        for value in asked.values {
            match (value.name.is_empty(), value.value.as_ref().and_then(|v| v.as_text())) {
                (false, _) => values.push(value.clone()),
                (true, Some(text)) if values.is_empty() => written = Some(text),
                (true, _) => return Err(SqlError::new(16936, &[])),
            }
        }
        let current = format!(" WHERE CURRENT OF {}", bracketed(name));
        let mut text = match (asked.operation, written) {
            (DELETE, _) => format!("DELETE {table}"),
            (_, Some(text)) => text,
            (_, None) if values.is_empty() => return Err(SqlError::new(16935, &[&word])),
            (UPDATE, None) => {
                let set = values.iter().enumerate();
                let set = set.map(|(n, v)| format!("{} = @p{n}", column(v)));
                format!("UPDATE {table} SET {}", set.collect::<Vec<_>>().join(", "))
            }
            (_, None) => {
                let columns: Vec<String> = values.iter().map(column).collect();
                let list = (0..values.len()).map(|n| format!("@p{n}")).collect::<Vec<_>>();
                format!("INSERT {table} ({}) VALUES ({})", columns.join(", "), list.join(", "))
            }
        };
        if asked.operation != INSERT {
            text += &current;
        }
        let mut declared = String::new();
        for (n, v) in values.iter_mut().enumerate() {
            let comma = if n == 0 { "" } else { ", " };
            let _ = write!(declared, "{comma}@p{n} {}", v.ty);
            v.name = String::new();
        }
        Ok(RowChange { text: text.into(), declared, values })
    }

    /// Changes rows one by one, or inserts one.
    fn change_rows(
        &mut self,
        asked: &AskedChange<'_>,
        rows: Vec<(i64, Current)>,
    ) -> Result<Called, Unwind> {
        let handle = self.session.held.cursors.list[asked.at].shown.id;
        // No name of a cursor of anybody else.
        let name = format!("sp_cursor {handle}");
        let change = match self.text_of_change(asked, &name) {
            Ok(change) => change,
            Err(e) => return Ok(Err(ended(e))),
        };
        if asked.operation == INSERT {
            return self.run_change(&change);
        }
        let before =
            self.session.held.cursors.list[asked.at].open.as_ref().map(|o| o.current.clone());
        let mut returned = Ok(Returned::default());
        for (row, current) in rows {
            if !asked.absolute {
                self.stand_on(asked.at, row, current);
            } else if let Some(open) = &mut self.session.held.cursors.list[asked.at].open {
                open.current = current;
            }
            let named = Reference { name: name.as_str().into(), level: None };
            self.session.held.cursors.list[asked.at].references.push(named);
            let ran = self.run_change(&change);
            let Some(at) = self.session.held.cursors.unnamed(&name) else { return ran };
            let c = &mut self.session.held.cursors.list[at];
            if let (Some(api), Some(open)) = (&mut c.api, &c.open)
                && let Some(there) = api.buffer.get_mut(row.max(1) as usize - 1)
                && !asked.absolute
            {
                *there = open.current.clone();
            }
            returned = ran?;
            if !matches!(&returned, Ok(r) if r.status == 0) {
                break;
            }
        }
        if let (false, Some(before)) = (asked.positions, before)
            && let Some(open) = &mut self.session.held.cursors.list[asked.at].open
        {
            open.current = before;
        }
        Ok(returned)
    }

    /// Runs the statement of a change: 16928 for a text that is another one.
    fn run_change(&mut self, change: &RowChange) -> Result<Called, Unwind> {
        self.within(Way::of_text(), |it| {
            let module = match it.session.batch_module(&change.text, &change.declared) {
                Ok(m) => m,
                Err(errors) => return it.several(errors),
            };
            let changes = |kind: &StmtKind| {
                matches!(kind, StmtKind::Update(_) | StmtKind::Delete(_) | StmtKind::Insert(_))
            };
            match &module.statements[..] {
                [one] if changes(&one.kind) => {}
                [one] if matches!(one.kind, StmtKind::InsertExec(..)) => {
                    return Ok(Err(ended(SqlError::new(16928, &[]))));
                }
                _ => return Ok(Err(ended(SqlError::new(16936, &[])))),
            }
            let ran = it.run_module(module, "", &change.values, false)?;
            let status = it.session.activation.last.error;
            Ok(ran.map(|r| Returned { status, outputs: Vec::new(), ..r }))
        })
    }
}

/// The column that a value is for.
fn column(value: &Passed) -> String {
    bracketed(value.name.trim_start_matches('@'))
}

/// A table with its database and schema; a temporary one by its name alone.
fn named(of: &MarkedTable) -> String {
    let name = bracketed(of.table.shown());
    match of.database.is_temporary() {
        true => name,
        false => {
            let schema = bracketed(&of.table.head.schema);
            format!("{}.{schema}.{name}", bracketed(&of.database.name))
        }
    }
}
