//! UPDATE and DELETE WHERE CURRENT OF a cursor.
//!
//! The row that was fetched last has a mark for each of its tables: where its row is, and an image of it. The change finds its row by the
//! mark, under the locks of a target, and leaves it alone where its image is another one: somebody has changed it since.
//!
//! What is refused, in this order: a cursor that is read only (16929), a table that is none of its query's or not one of FOR UPDATE OF
//! (16933), a table that is read under NOLOCK (16941), no row (16931), a row that is not there (16947), a column that is not among those
//! of FOR UPDATE OF (16932), a row that others have changed (16947 and 16934).

use super::model::{CursorConcurrency, Made};
use super::shown::LastOperation;
use super::{CursorRef, CursorRows, Cursors, Interpreter, Opened};
use crate::catalog::Table;
use crate::database::Database;
use crate::exec::module::Plan;
use crate::exec::ops::{row::image_of, scan::fetch};
use crate::exec::planning::Source;
use crate::plan::statement::Statement;
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_storage::ScanLocks;
use taffrail_syntax::ast::{self, DmlFilter, NameOrVariable};
use taffrail_types::{Bytes, Value};

/// A mark leads a cursor to a row of a table again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct RowMark {
    /// Where the row is: a RID of a heap, the key of a clustered index; empty where an outer join has no row of the table.
    pub locator: Vec<u8>,
    /// The image that the row is to have, if any is asked for.
    pub image: Option<u64>,
}

impl RowMark {
    /// The marks that stand side by side in a row: locator and image of each table.
    pub fn read(values: &[Value]) -> Vec<RowMark> {
        fn bytes(v: Option<&Value>) -> &[u8] {
            v.and_then(Value::as_bytes).unwrap_or_default()
        }
        let marks = values.chunks(2).map(|pair| {
            let image = <[u8; 8]>::try_from(bytes(pair.get(1))).ok();
            let locator = bytes(pair.first()).to_vec();
            RowMark { locator, image: image.map(u64::from_be_bytes) }
        });
        marks.collect()
    }

    /// The values that it is read from.
    pub fn values(&self) -> [Value; 2] {
        let image = self.image.unwrap_or_default().to_be_bytes();
        match self.locator.is_empty() {
            true => [Value::Null, Value::Null],
            false => [&self.locator[..], &image[..]].map(|b| Value::Binary(Bytes::from_slice(b))),
        }
    }
}

/// Where the scan of a cursor begins that goes along an index.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ScanStart {
    /// The key of the entry from which it goes on; none for an end of the index.
    pub from: Option<Vec<u8>>,
    /// That entry is read, too.
    pub inclusive: bool,
    /// Against the order in which the query reads the index.
    pub turned: bool,
}

/// The marks that scans of a running statement have from the cursor that it reads or changes through, and what they tell it.
#[derive(Default, Debug)]
pub(crate) struct Reading {
    marks: Vec<RowMark>,
    outdated: bool,
    /// Where a change that moves rows has put the last one.
    put: Vec<u8>,
    /// Where the next scan begins that brings marks.
    pub start: Option<ScanStart>,
    /// The key of the entry that a scan in a nonclustered index was on last.
    pub entry: Vec<u8>,
}

impl Reading {
    /// A statement begins whose scans go by these marks.
    pub fn begin(&mut self, marks: Vec<RowMark>) {
        (self.marks, self.outdated) = (marks, false);
        self.put.clear();
    }

    /// A scan in a nonclustered index is on the entry of a key.
    pub(in crate::exec) fn note_entry(&mut self, key: &[u8]) {
        self.entry.clear();
        self.entry.extend_from_slice(key);
    }
}

impl Cursors {
    /// The mark of a number, where it leads to a row.
    pub(crate) fn mark(&self, number: u32) -> Option<RowMark> {
        let mark = self.reading.marks.get(number as usize);
        mark.filter(|m| !m.locator.is_empty()).cloned()
    }

    /// A change that moves rows has put one there.
    pub(crate) fn note_put(&mut self, locator: &[u8]) {
        self.reading.put.clear();
        self.reading.put.extend_from_slice(locator);
    }

    /// A row was not as its mark has it.
    pub(crate) fn note_outdated(&mut self) {
        self.reading.outdated = true;
    }
}

/// The row that a cursor is on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Current {
    /// No row is meant.
    None,
    /// One that has gone from the table.
    Hole,
    /// One with a mark for each table.
    Row(Vec<RowMark>),
}

/// A positioned change that is to run.
pub(in crate::exec) struct Positioned {
    /// The number of the cursor.
    cursor: i32,
    /// The place of the target among the cursor's tables.
    table: usize,
}

/// The table and the columns that a change changes.
fn target(plan: &Plan) -> Option<(&Arc<Database>, &Arc<Table>, Vec<usize>, bool)> {
    match &plan.kind {
        Statement::Update(u) => {
            let columns = u.set.iter().map(|a| a.column).collect();
            Some((&u.database, &u.table, columns, true))
        }
        Statement::Delete(d) => Some((&d.database, &d.table, Vec::new(), false)),
        _ => None,
    }
}

/// The place of the table among a cursor's: 16929, 16933, 16941.
fn table_of(made: &Made, plan: &Plan) -> SqlResult<usize> {
    let other = || SqlError::new(16933, &[]);
    if made.concurrency == CursorConcurrency::ReadOnly {
        return Err(SqlError::new(16929, &[]));
    }
    let (database, table, ..) = target(plan).ok_or_else(other)?;
    let same =
        |t: &super::model::MarkedTable| t.database.id == database.id && t.table.id() == table.id();
    let mut tables = made.tables.iter().enumerate();
    let at = tables.find(|(at, t)| made.lists(*at) && same(t));
    let at = at.map(|(at, _)| at).ok_or_else(other)?;
    match made.tables[at].dirty {
        true => Err(SqlError::new(16941, &[])),
        false => Ok(at),
    }
}

/// The cursor that a statement is positioned by.
pub(in crate::exec) fn cursor_of<'m>(source: &Source<'m>) -> Option<&'m ast::CursorName> {
    let filter = match source {
        Source::Update(u) => &u.filter,
        Source::Delete(d) => &d.filter,
        _ => return None,
    };
    match filter {
        Some(DmlFilter::CurrentOf(c)) => Some(c),
        _ => None,
    }
}

impl Interpreter<'_> {
    /// A positioned change begins, whose tables are locked: its scan goes by the mark of the cursor's row.
    pub(in crate::exec) fn begin_positioned(
        &mut self,
        cursor: &ast::CursorName,
        plan: &Plan,
    ) -> SqlResult<Positioned> {
        let name = match &cursor.name {
            NameOrVariable::Name(n) => n.value.clone(),
            NameOrVariable::Variable(v) => v.value.clone(),
        };
        let at = self.cursor(&CursorRef { name, global: cursor.global })?;
        self.position(at, plan, None)
    }

    /// The position of the cursor at a place of the list, and of the row that it is on, or of another one of its buffer.
    pub(super) fn position(
        &mut self,
        at: usize,
        plan: &Plan,
        row: Option<Current>,
    ) -> SqlResult<Positioned> {
        let c = &self.session.held.cursors.list[at];
        let Some(open) = &c.open else { return Err(SqlError::new(16917, &[])) };
        let table = table_of(&c.made, plan)?;
        let mut mark = match row.as_ref().unwrap_or(&open.current) {
            Current::None => return Err(SqlError::new(16931, &[])),
            Current::Hole => return Err(SqlError::new(16947, &[])),
            Current::Row(marks) => marks.get(table).cloned(),
        };
        if mark.as_ref().is_none_or(|m| m.locator.is_empty()) {
            return Err(SqlError::new(16947, &[]));
        }
        let columns = target(plan).map(|t| t.2).unwrap_or_default();
        if !c.made.allows(table, &columns) {
            return Err(SqlError::new(16932, &[]));
        }
        // A row that is locked since has not been changed, but by the session itself.
        if let Some(mark) = &mut mark
            && c.is_locked()
        {
            mark.image = None;
        }
        let cursor = c.shown.id;
        self.session.held.cursors.reading.begin(mark.into_iter().collect());
        Ok(Positioned { cursor, table })
    }

    /// A positioned change has run, and has changed so many rows: 16947 and 16934. The cursor follows its row.
    pub(in crate::exec) fn end_positioned(
        &mut self,
        positioned: &Positioned,
        plan: &Plan,
        rows: u64,
    ) -> SqlResult<()> {
        if rows == 0 {
            let mut e = SqlError::new(16947, &[]);
            if self.session.held.cursors.reading.outdated {
                e.after.push(*SqlError::new(16934, &[]));
            }
            return Err(e);
        }
        let Some((database, table, _, updates)) = target(plan) else { return Ok(()) };
        let list = &self.session.held.cursors.list;
        let Some(at) = list.iter().position(|c| c.shown.id == positioned.cursor) else {
            return Ok(());
        };
        let operation = if updates { LastOperation::Update } else { LastOperation::Delete };
        list[at].shown.changed(operation);
        if !updates {
            self.session.held.cursors.list[at].leave(positioned.table);
            return Ok(());
        }
        // Where the row is now: where it was, unless it has been moved.
        let moves = matches!(&plan.kind, Statement::Update(u) if u.two_phases());
        let reading = &self.session.held.cursors.reading;
        let moved = moves && !reading.put.is_empty();
        let locator = if moved { &reading.put } else { &reading.marks[0].locator }.clone();
        let base = table.base().hobt()?.clone();
        let tx = self.session.part(database.id);
        let mut row = Vec::new();
        let there = fetch(tx, &base, &locator, ScanLocks::Update, &mut row);
        if there.map_err(|e| self.session.storage_error(e))? {
            let mark = RowMark { locator, image: Some(image_of(&row)) };
            let c = &mut self.session.held.cursors.list[at];
            c.follow(positioned.table, mark);
            let (cursor, locked) = (c.shown.id, c.is_locked());
            if let (true, Some(Opened { current: Current::Row(marks), .. })) = (locked, &c.open) {
                let marks = marks.clone();
                self.session.lock_rows_of(cursor, &marks)?;
            }
        }
        Ok(())
    }
}

impl super::Cursor {
    /// The row of a table that the cursor is on has been deleted through it: another one with its key is none of the cursor's.
    fn leave(&mut self, table: usize) {
        let Some(open) = &mut self.open else { return };
        match &mut open.current {
            Current::Row(marks) if marks.len() > 1 => {
                if let Some(mark) = marks.get_mut(table) {
                    *mark = RowMark { locator: Vec::new(), image: None };
                }
            }
            current => *current = Current::Hole,
        }
    }

    /// The row that the cursor is on has another mark now.
    fn follow(&mut self, table: usize, mark: RowMark) {
        let Some(open) = &mut self.open else { return };
        let Current::Row(marks) = &mut open.current else { return };
        let Some(there) = marks.get_mut(table) else { return };
        *there = mark;
        if let CursorRows::Keyset(k) = &mut open.rows {
            k.note_moved(marks.iter().flat_map(RowMark::values).collect());
        }
    }
}
