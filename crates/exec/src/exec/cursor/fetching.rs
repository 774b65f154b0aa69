//! FETCH, and the variables that take its row.

use super::keyset::Fetched;
use super::shown::Meter;
use super::{
    Cursor, CursorConcurrency, CursorModel, CursorRows, Direction, FetchCode, Opened, QUIET,
};
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
        fetched: &SqlResult<(Option<Vec<Value>>, i32)>,
        meter: &Meter,
        session: &Session,
    ) {
        let (cost, place) = match self.open.as_ref().map(|o| &o.rows) {
            Some(CursorRows::Copied(c)) => (meter.no_query(), c.shown_place()),
            Some(CursorRows::Keyset(k)) => (meter.read(session), k.shown_place()),
            Some(CursorRows::Streamed(_)) => (meter.read(session), -1),
            None => (meter.read(session), 0),
        };
        let (found, status) = match fetched {
            Ok((row, status)) => (row.is_some(), *status),
            Err(_) => (false, -1),
        };
        self.shown.fetched(status, found.into(), place, cost);
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
            Direction::Relative(_) | Direction::Again => "relative",
        };
        let Some(open) = &c.open else { return Err(SqlError::new(16917, &[])) };
        let dynamic = c.made.model == CursorModel::Dynamic;
        if dynamic && matches!(f.direction, Direction::Absolute(_)) {
            return Err(SqlError::new(16925, &[&word]));
        }
        if !c.made.scroll && !word.is_empty() {
            return Err(SqlError::new(16911, &[&"fetch", &word]));
        }
        if !f.into.is_empty() && f.into.len() != open.columns.len() {
            return Err(SqlError::new(16924, &[]));
        }
        let columns = open.columns.clone();
        let meter = self.session.meter();
        let fetched = self.fetched(at, &f.direction, by, s.line);
        self.session.held.cursors.list[at].show_fetch(&fetched, &meter, self.session);
        let (row, status) = fetched?;
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
        self.session.held.cursors.fetch_status = status;
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
    ) -> SqlResult<(Option<Vec<Value>>, i32)> {
        let c = &mut self.session.held.cursors.list[at];
        let plan = match c.open.as_mut().map(|o| &mut o.rows) {
            None => return Err(SqlError::new(16917, &[])),
            Some(CursorRows::Copied(copied)) => {
                let row = copied.go(direction, by)?;
                let status = if row.is_some() { 0 } else { -1 };
                return Ok((row, status));
            }
            Some(CursorRows::Keyset(k)) => k.plan().clone(),
            Some(CursorRows::Streamed(s)) => s.plan().clone(),
        };
        if self.session.activation.options.implicit_transactions
            && self.session.transaction.count == 0
        {
            self.begin_for(&plan)?;
        }
        let c = &mut self.session.held.cursors.list[at];
        let locks = c.made.concurrency == CursorConcurrency::ScrollLocks;
        let locking = locks.then_some(c.shown.id);
        c.locked.clear();
        // The query runs on the cursor's own variables, while the session is lent to it.
        let c = &mut self.session.held.cursors.list[at];
        let mut open = c.open.take();
        let mut own = std::mem::take(&mut c.own);
        let (module, number) = (own.module.clone(), c.plan);
        let began = self.session.starts(&module.shared[number as usize].tally);
        let fetched = match open.as_mut().map(|o| &mut o.rows) {
            Some(CursorRows::Streamed(s)) => {
                self.next_streamed(s, &mut own.vars, (direction, by), (line, locking))
            }
            Some(CursorRows::Keyset(k)) => self
                .with_locals(&mut own, |it| it.next_of_keys(k, (direction, by), (line, locking))),
            _ => Ok(Fetched::Nothing),
        };
        let given = |f: &Fetched| u64::from(!matches!(f, Fetched::Nothing));
        self.executed(&module, number, Some(began), fetched.as_ref().map(given).map_err(|e| &**e));
        let told = match (&mut open, fetched) {
            (Some(open), Ok(fetched)) => {
                fetched.told(&open.columns).map(|(row, status, current)| {
                    open.current = current;
                    (row, status)
                })
            }
            (_, Ok(_)) => Ok((None, -1)),
            (_, Err(e)) => Err(e),
        };
        let failed =
            matches!(&open, Some(Opened { rows: CursorRows::Streamed(s), .. }) if s.failed);
        let cursors = &mut self.session.held.cursors;
        let c = &mut cursors.list[at];
        c.own = own;
        c.open = open.filter(|_| !failed);
        if failed {
            c.shown.closed();
            cursors.count();
        }
        told
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
