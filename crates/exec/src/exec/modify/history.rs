//! Between the stages 5 and 6: the period of a row, and the row of history that a change leaves.
//!
//! All that a transaction changes has one moment, that of its begin. A row begins then, and the row that it was ends then; so a row that
//! a younger transaction has made cannot be changed by an older one (13535): it would end before it began.

use super::refill::locators;
use super::rows::{add_row, decode_row, encode_row};
use super::{Modify, Scratch, Target, Verb, full_name};
use crate::catalog::temporal::{moment, open_end};
use crate::catalog::{Generated, Table};
use crate::database::Database;
use crate::exec::indexed_view::{self, Viewed, require_options};
use crate::exec::metadata::SessionMetadata;
use crate::exec::ops::scan::fetch;
use crate::exec::runtime::Rt;
use crate::rowcodec::Cell;
use crate::session::Session;
use crate::session::context::StatementContext;
use std::cmp::Ordering;
use std::sync::Arc;
use taffrail_base::{ObjectId, SqlError, SqlResult};
use taffrail_storage::ScanLocks;
use taffrail_storage::lock::LockMode;
use taffrail_types::{SqlType, Value};

/// The period of the rows that a statement changes.
pub(super) struct Period {
    start: usize,
    end: usize,
    /// The moment of the transaction.
    now: Value,
    history: Option<History>,
}

/// The table that the old rows go to.
struct History {
    table: Arc<Table>,
    /// The rows that views with indexes over it are to be changed by.
    viewed: Option<Viewed>,
}

/// The value of a column of the period in a new row.
pub(super) fn of_new_row(session: &mut Session, generated: Generated, ty: SqlType) -> Value {
    match generated {
        Generated::RowEnd => open_end(ty),
        _ => moment(ty, session.transaction_time()),
    }
}

impl Period {
    /// That of a table, which is locked, as is its history; none of a table without one.
    pub fn open(
        rt: &mut Rt<'_>,
        database: &Arc<Database>,
        table: &Table,
        verb: &str,
    ) -> SqlResult<Option<Period>> {
        let Some((start, end)) = table.period else { return Ok(None) };
        let session = &mut *rt.cx.session;
        let now = moment(table.columns[start].ty, session.transaction_time());
        let history = match table.head.history() {
            None => None,
            Some(id) => {
                let table = database.catalog.table(id, session.id);
                let table = table.ok_or_else(|| SqlError::new(5243, &[]))?;
                if table.needs_options {
                    require_options(session, verb)?;
                }
                let viewed = match table.indexed_views.is_empty() {
                    true => None,
                    false => Some(Viewed::new(table.columns.len())),
                };
                Some(History { table, viewed })
            }
        };
        Ok(Some(Period { start, end, now, history }))
    }

    /// Rows that change or go are kept: somebody asks for all their values.
    pub fn keeps(&self) -> bool {
        self.history.is_some()
    }

    /// The row in `values` begins.
    pub fn begin(&self, values: &mut [Value]) {
        values[self.start] = self.now.clone();
    }

    /// The row in `s.old` ends, and goes to the history: 13535 where it begins later than that.
    fn leave(
        &mut self,
        rt: &mut Rt<'_>,
        (database, table): (&Arc<Database>, &Table),
        s: &mut Scratch,
    ) -> SqlResult<()> {
        let Some(history) = &mut self.history else { return Ok(()) };
        if is_later(&s.old[self.start], &self.now) {
            return Err(SqlError::new(13535, &[&full_name(database, table)]));
        }
        let mut row = s.old.clone();
        row[self.end] = self.now.clone();
        let new = std::mem::replace(&mut s.new, row);
        let session = &mut *rt.cx.session;
        encode_row(session, database, &history.table, &s.new, &mut s.row)?;
        add_row(session, database, &history.table, s, false)?;
        let row = std::mem::replace(&mut s.new, new);
        match &mut history.viewed {
            Some(viewed) => viewed.add(rt, None, Some(&row)),
            None => Ok(()),
        }
    }

    /// After the last row.
    pub fn finish(self, rt: &mut Rt<'_>, database: &Arc<Database>) -> SqlResult<()> {
        match self.history {
            Some(History { table, viewed: Some(rows) }) => {
                indexed_view::keep(&mut rt.cx, database, &table, rows)
            }
            _ => Ok(()),
        }
    }
}

/// Whether a moment is behind another one of the same type.
fn is_later(a: &Value, b: &Value) -> bool {
    let at = |v: &Value| match v {
        Value::DateTime2 { days, ticks } => Some((*days, *ticks)),
        _ => None,
    };
    at(a).cmp(&at(b)) == Ordering::Greater
}

impl Modify<'_> {
    /// The row in `s.old` has changed, or has gone.
    pub(super) fn leave_history(&mut self, rt: &mut Rt<'_>) -> SqlResult<()> {
        match &mut self.period {
            Some(period) => {
                period.leave(rt, (self.target.database, self.target.table), &mut self.s)
            }
            None => Ok(()),
        }
    }
}

/// Deletes the rows of the history of a table that have ended earlier than the table keeps them, and says how many; nothing where the
/// table keeps no history, or keeps it for ever. The table is asked once its history is locked: another transaction that was waited for
/// may have changed both.
pub fn clean(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: ObjectId,
) -> SqlResult<Option<u64>> {
    let session = cx.session.id;
    let history_of = |t: Option<Arc<Table>>| t.and_then(|t| t.head.history());
    let Some(id) = history_of(database.catalog.table(table, session)) else { return Ok(None) };
    let tx = cx.session.change_in(database)?;
    database.catalog.lock_table(tx, session, id, LockMode::IX)?;
    let now = database.catalog.table(table, session).filter(|t| t.head.history() == Some(id));
    let kept = now.and_then(|t| Some((t.head.retention()?.cutoff(), t.period?.1)));
    let Some((before, end)) = kept else { return Ok(None) };
    let history = &database.catalog.table(id, session).ok_or_else(|| SqlError::new(5243, &[]))?;
    let before = {
        let names = SessionMetadata::new(cx.session, database, &[]);
        crate::binder::bind_text(&names, database, &before)?.0
    };
    let mut vars = Vec::new();
    let inner = StatementContext { session: &mut *cx.session, sink: &mut *cx.sink, line: cx.line };
    let mut rt = Rt::new(inner, &mut vars, Vec::new(), history.columns.len(), &[]);
    let before = rt.eval(&before)?;
    let target = Target {
        verb: Verb::Delete,
        database,
        table: history,
        outgoing: &[],
        incoming: &[],
        output: None,
        triggers: None,
        computed: &[],
        follows: true,
    };
    let mut m = Modify::open(&mut rt, target, false)?;
    let cleaned = clean_rows(&mut rt, &mut m, end, &before);
    m.end(&mut rt, cleaned).map(Some)
}

fn clean_rows(rt: &mut Rt<'_>, m: &mut Modify<'_>, end: usize, before: &Value) -> SqlResult<()> {
    let (database, table) = (m.target.database, m.target.table);
    let hobt = table.base().hobt()?;
    let (mut row, mut values) = (Vec::new(), Vec::new());
    // Rows are told by their ends first: nobody waits for a lock of one that stays.
    for locator in locators(rt, database, table, |row| {
        let ended = table.layout.cell(row, end)?;
        Ok(matches!(&ended, Cell::Value(ended) if is_later(before, ended)))
    })? {
        rt.tick()?;
        let tx = rt.cx.session.part(database.id);
        let there = fetch(tx, hobt, &locator, ScanLocks::Update, &mut row);
        if !there.map_err(|e| rt.cx.session.storage_error(e))? {
            continue;
        }
        decode_row(rt.cx.session, database, table, &row, &mut values)?;
        if is_later(before, &values[end]) {
            m.leave(rt, &locator, &row)?;
        }
    }
    Ok(())
}
