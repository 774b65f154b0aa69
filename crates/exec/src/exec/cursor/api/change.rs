//! sp_cursor: changes, locks and refreshes rows of the fetch buffer, and inserts rows into a table of the cursor.
//!
//! A change is the statement that the values make ([`RowChange`]), WHERE CURRENT OF the cursor. Row 0 stands for all rows of the buffer,
//! which are changed one by one.

use super::written::RowChange;
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
use taffrail_base::{SqlError, SqlResult};
use taffrail_storage::ScanLocks;
use taffrail_syntax::ast::DmlFilter;

const NAME: &str = "sp_cursor";

pub(super) const UPDATE: i64 = 1;
pub(super) const DELETE: i64 = 2;
pub(super) const INSERT: i64 = 4;
const REFRESH: i64 = 8;
const LOCK: i64 = 0x10;
const POSITION: i64 = 0x20;
const ABSOLUTE: i64 = 0x40;

/// The place of the first value among the arguments.
const VALUES: usize = 4;

/// The operation that is asked for.
pub(super) struct AskedChange<'a> {
    /// The place of the cursor in the session's list.
    pub at: usize,
    /// Without POSITION and ABSOLUTE.
    pub operation: i64,
    /// The cursor stays on the row.
    positions: bool,
    /// The number of the row is that of the keyset, not of the buffer.
    absolute: bool,
    row: i64,
    pub table: String,
    pub values: &'a [Passed],
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
            _ if api.buffer.is_empty() => return refused(16931),
            _ if !asked.absolute && !(0..=api.buffer.len() as i64).contains(&asked.row) => {
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

    /// Changes rows one by one, or inserts one.
    fn change_rows(
        &mut self,
        asked: &AskedChange<'_>,
        rows: Vec<(i64, Current)>,
    ) -> Result<Called, Unwind> {
        let handle = self.session.held.cursors.list[asked.at].shown.id;
        // No name of a cursor of anybody else.
        let name = format!("sp_cursor {handle}");
        let change = match RowChange::of(asked, &self.session.held.cursors.list[asked.at], &name) {
            Ok(change) => change,
            Err(e) => return Ok(Err(ended(e))),
        };
        if asked.operation == INSERT {
            return self.run_change(&change);
        }
        // Triggers of the change may take other cursors away, and so move this one in the list.
        let mut at = asked.at;
        let open = self.session.held.cursors.list[at].open.as_ref();
        let mut before = open.map(|o| o.current.clone());
        let mut returned = Ok(Returned::default());
        for (row, current) in rows {
            let was_on = before.as_ref() == Some(&current);
            if !asked.absolute {
                self.stand_on(at, row, current);
            } else if let Some(open) = &mut self.session.held.cursors.list[at].open {
                open.current = current;
            }
            let named = Reference { name: name.as_str().into(), level: None };
            self.session.held.cursors.list[at].references.push(named);
            let ran = self.run_change(&change);
            let Some(now) = self.session.held.cursors.unnamed(&name) else { return ran };
            at = now;
            let c = &mut self.session.held.cursors.list[at];
            if let (Some(api), Some(open)) = (&mut c.api, &c.open)
                && let Some(there) = api.buffer.get_mut(row.max(1) as usize - 1)
                && !asked.absolute
            {
                *there = open.current.clone();
            }
            if let (true, Some(open)) = (was_on, &c.open) {
                before = Some(open.current.clone());
            }
            returned = ran?;
            if !matches!(&returned, Ok(r) if r.status == 0) {
                break;
            }
        }
        if let (false, Some(before)) = (asked.positions, before)
            && let Some(open) = &mut self.session.held.cursors.list[at].open
        {
            open.current = before;
        }
        Ok(returned)
    }

    /// Runs the statement of a change: 16928 for one that takes the rows of EXEC, 16936 for one of another kind.
    fn run_change(&mut self, change: &RowChange) -> Result<Called, Unwind> {
        self.within(Way::of_text(), |it| {
            let module = match it.session.batch_module(&change.text, &change.declared) {
                Ok(m) => m,
                Err(errors) => return it.several(errors),
            };
            let current = |f: &Option<DmlFilter>| matches!(f, Some(DmlFilter::CurrentOf(_)));
            let asked = |kind: &StmtKind| match kind {
                StmtKind::Update(u) => change.operation == UPDATE && current(&u.filter),
                StmtKind::Delete(d) => change.operation == DELETE && current(&d.filter),
                StmtKind::Insert(_) => change.operation == INSERT,
                _ => false,
            };
            match &module.statements[..] {
                [one] if asked(&one.kind) => {}
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
