//! FETCH, and the variables that take its row.

use super::shown::Meter;
use super::{Cursor, CursorRows, Direction, FetchCode, Opened, QUIET};
use crate::exec::interpret::{Ended, Interpreter};
use crate::exec::module::{Module, Stmt};
use crate::session::Session;
use crate::sink::{ColumnDesc, Command};
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::convert::Kind;
use taffrail_types::{Collation, Conversion, Family, Pages, Value, convert};

impl Cursor {
    /// Shows others how a FETCH has ended.
    pub(super) fn show_fetch(
        &self,
        row: &SqlResult<Option<Vec<Value>>>,
        meter: &Meter,
        session: &Session,
    ) {
        let (cost, place) = match self.open.as_ref().map(|o| &o.rows) {
            Some(CursorRows::Copied(c)) => (meter.no_query(), c.shown_place()),
            Some(CursorRows::Streamed(_)) => (meter.read(session), -1),
            None => (meter.read(session), 0),
        };
        let found = matches!(row, Ok(Some(_)));
        self.shown.fetched(if found { 0 } else { -1 }, found.into(), place, cost);
    }
}

impl Interpreter<'_> {
    /// FETCH as a statement.
    pub fn fetch(&mut self, module: &Arc<Module>, s: &Stmt, f: &FetchCode) -> SqlResult<Ended> {
        let by = match &f.direction {
            Direction::Absolute(code) | Direction::Relative(code) => {
                self.value(module, s, code)?.as_i64().unwrap_or(0)
            }
            _ => 0,
        };
        let at = self.cursor(&f.cursor)?;
        let c = &mut self.session.held.cursors.list[at];
        let word = match f.direction {
            Direction::Next => "",
            Direction::Prior => "prior",
            Direction::First => "first",
            Direction::Last => "last",
            Direction::Absolute(_) => "absolute",
            Direction::Relative(_) => "relative",
        };
        let Some(open) = &c.open else { return Err(SqlError::new(16917, &[])) };
        if !c.text.scroll && !word.is_empty() {
            return Err(SqlError::new(16911, &[&"fetch", &word]));
        }
        if !f.into.is_empty() && f.into.len() != open.columns.len() {
            return Err(SqlError::new(16924, &[]));
        }
        let columns = open.columns.clone();
        let meter = self.session.meter();
        let row = self.fetched(at, &f.direction, by, s.line);
        self.session.held.cursors.list[at].show_fetch(&row, &meter, self.session);
        let row = row?;
        let found = row.is_some();
        if f.into.is_empty() {
            let mut cx = self.context(s.line);
            cx.columns(&columns)?;
            if let Some(row) = row {
                cx.row(&row)?;
            }
        } else if let Some(row) = row {
            self.fetch_into(module, f, &columns, row)?;
        }
        self.session.held.cursors.fetch_status = if found { 0 } else { -1 };
        self.session.activation.last.row_count = found as i64;
        self.warn_if_due(s.line)?;
        if !f.into.is_empty() {
            return Ok(QUIET);
        }
        Ok(Ended { command: Command::SELECT, rows: Some(found as u64) })
    }

    /// The row to which FETCH goes, of the cursor at a place of the list; `by` of ABSOLUTE and RELATIVE.
    pub(super) fn fetched(
        &mut self,
        at: usize,
        direction: &Direction,
        by: i64,
        line: u32,
    ) -> SqlResult<Option<Vec<Value>>> {
        let c = &mut self.session.held.cursors.list[at];
        let streaming = match c.open.as_mut().map(|o| &mut o.rows) {
            None => return Err(SqlError::new(16917, &[])),
            Some(CursorRows::Copied(copied)) => return copied.go(direction, by),
            Some(CursorRows::Streamed(s)) => s.plan().clone(),
        };
        if self.session.activation.options.implicit_transactions
            && self.session.transaction.count == 0
        {
            self.begin_for(&streaming)?;
        }
        // The query runs on the cursor's own variables, while the session is lent to it.
        let c = &mut self.session.held.cursors.list[at];
        let mut open = c.open.take();
        let mut vars = std::mem::take(&mut c.own.vars);
        let (module, number) = (c.own.module.clone(), c.plan);
        let began = self.session.starts(&module.shared[number as usize].tally);
        let row = match open.as_mut().map(|o| &mut o.rows) {
            Some(CursorRows::Streamed(s)) => self.next_streamed(s, &mut vars, line),
            _ => Ok(None),
        };
        let rows = row.as_ref().map(|r| u64::from(r.is_some())).map_err(|e| &**e);
        self.executed(&module, number, Some(began), rows);
        let failed =
            matches!(&open, Some(Opened { rows: CursorRows::Streamed(s), .. }) if s.failed);
        let cursors = &mut self.session.held.cursors;
        let c = &mut cursors.list[at];
        c.own.vars = vars;
        c.open = open.filter(|_| !failed);
        if failed {
            c.shown.closed();
            cursors.count();
        }
        row
    }

    /// A row into the variables of FETCH … INTO.
    fn fetch_into(
        &mut self,
        module: &Arc<Module>,
        f: &FetchCode,
        columns: &[ColumnDesc],
        row: Vec<Value>,
    ) -> SqlResult<()> {
        let context = self.session.convert_context();
        let mut values = Vec::with_capacity(row.len());
        for ((v, d), (var, ty)) in row.into_iter().zip(columns).zip(&f.into) {
            let (own, to) = (d.declared(), module.variables.declared(*var));
            if convert::rule_of(own, to) != convert::Rule::Implicit {
                return Err(SqlError::new(16922, &[&own.kind.name(), &to.kind.name()]));
            }
            let from = d.collation.map_or(context.pages.to, Collation::page);
            let context = context.with_pages(Pages { from, ..context.pages });
            let same = d.ty == *ty && (from == context.pages.to || ty.family() != Family::Char);
            values.push(match same {
                _ if v.is_null() => Value::Null,
                _ if to.kind == Kind::Xml && own.kind != Kind::Xml => {
                    crate::functions::xml::as_xml_of(&v, 0, from)?
                }
                true => v,
                false => convert::cast_with(&v, d.ty, *ty, None, Conversion::Implicit, &context)?,
            });
        }
        for ((var, _), v) in f.into.iter().zip(values) {
            self.session.activation.locals.vars[*var as usize] = v;
        }
        Ok(())
    }
}
