//! A KEYSET cursor: OPEN gathers marks of the rows, FETCH reads the row that they lead to, as it is then.
//!
//! 1. Which rows there are, and their order, is settled at OPEN: what is inserted later is not seen, whatever becomes of the values.
//! 2. A row that has gone, or whose key has become another, leaves a hole: `@@FETCH_STATUS` is -2, and the row is made of NULLs, or of the
//!    values that the types begin with where a column has no NULLs.
//! 3. The row of a positioned change is found again, also where the change has moved it: its new marks are kept beside.

use super::positioned::{Current, RowMark};
use super::streaming::lock_again;
use super::{CursorText, Direction, Interpreter, model};
use crate::binder::cursor::CursorRows as Wanted;
use crate::database::Database;
use crate::exec::module::{Module, Plan};
use crate::exec::ops;
use crate::exec::planning::{self, Source};
use crate::exec::rows::RowStore;
use crate::memory;
use crate::plan::node::Node;
use crate::session::SetOptions;
use crate::sink::ColumnDesc;
use std::collections::HashMap;
use std::sync::Arc;
use taffrail_base::{Origin, SqlResult};
use taffrail_types::{Conversion, SqlType, Value, convert};

/// The keys of an open cursor.
pub(super) struct Keyset {
    /// Marks of each row: two for each table, then keys of heaps.
    rows: RowStore,
    /// The marks of rows that positioned changes have moved, by place.
    moved: HashMap<usize, Vec<Value>>,
    /// 0 before the first row, n + 1 behind the last of n rows.
    place: usize,
    /// The plan that reads the row which marks lead to.
    plan: Arc<Plan>,
    /// SET options as they were at OPEN.
    options: SetOptions,
    /// The current database at OPEN.
    database: Arc<Database>,
}

/// The row to which FETCH has gone.
pub(super) enum Fetched {
    /// There is none: before the first or behind the last one.
    Nothing,
    /// The row has gone since.
    Hole,
    /// Its values, and its marks.
    Row(Vec<Value>, Vec<RowMark>),
}

impl Keyset {
    /// Rows that it has keys of.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Bytes that it takes between two statements.
    pub fn held(&self) -> usize {
        self.rows.bytes()
    }

    /// `fetch_buffer_start`: the number of the row, 0 before the first and -1 behind the last one.
    pub(super) fn shown_place(&self) -> i64 {
        if self.place > self.rows.len() { -1 } else { self.place as i64 }
    }

    /// Goes to a place, of which the next FETCH counts.
    pub(super) fn go_to(&mut self, place: usize) {
        self.place = place;
    }

    /// The plan that reads its rows.
    pub fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// A positioned change has put the row elsewhere.
    pub(super) fn note_moved(&mut self, marks: Vec<Value>) {
        self.moved.insert(self.place, marks);
    }

    fn marks(&mut self, place: usize) -> SqlResult<Vec<Value>> {
        match self.moved.get(&place) {
            Some(marks) => Ok(marks.clone()),
            None => self.rows.row(place - 1).map(<[Value]>::to_vec),
        }
    }

    /// How many tables a row is made of.
    fn tables(&self) -> usize {
        tables(&self.plan)
    }
}

/// How many marks a row of a cursor's plan has.
pub(super) fn tables(plan: &Plan) -> usize {
    let mut tables = 0;
    let mut count = |n: &Node| {
        tables += usize::from(matches!(n, Node::Scan(s) if s.image.is_some()));
    };
    model::query_of(plan).node.visit(&mut count);
    tables
}

/// The values of a row that has gone.
pub(super) fn hole(columns: &[ColumnDesc]) -> SqlResult<Vec<Value>> {
    let zero = |c: &ColumnDesc| {
        let text = match c.ty {
            SqlType::Date | SqlType::DateTime2(_) | SqlType::DateTimeOffset(_) => "0001-01-01",
            SqlType::UniqueIdentifier => "00000000-0000-0000-0000-000000000000",
            ty if ty.is_number() => "0",
            _ => "",
        };
        let from = Value::varchar(text);
        let ty = SqlType::VarChar(taffrail_types::MaxLen::N(36));
        convert::cast(&from, ty, c.ty, None, Conversion::Explicit)
    };
    columns.iter().map(|c| if c.nullable { Ok(Value::Null) } else { zero(c) }).collect()
}

impl Interpreter<'_> {
    /// A plan that no other statement uses, of tables that the running statement has locked. Names are looked up in the module's database.
    pub(super) fn plan_apart(
        &mut self,
        module: &Arc<Module>,
        visible: u32,
        source: &Source<'_>,
    ) -> SqlResult<Arc<Plan>> {
        loop {
            let home = module.database.clone().unwrap_or_else(|| self.session.database.clone());
            self.session.take_blocked();
            self.session.lookups.failed_views.take();
            let tables = &self.session.activation.locals.tables;
            let (early, unguarded) = (false, false);
            let place = planning::Place { home: &home, module, visible, tables, early, unguarded };
            let planned = planning::plan(self.session, &place, source);
            match (self.session.take_blocked(), planned) {
                (Some(blocked), _) => self.session.wait_for_ddl(blocked)?,
                (None, Ok(plan)) => return Ok(Arc::new(plan)),
                (None, Err(e)) => {
                    let e = self.context(0).binding_failed(e)?;
                    return Err(e.with_origin(Origin::Binding));
                }
            }
        }
    }

    /// Gathers the marks of a cursor's rows, whose tables are locked.
    pub(super) fn gather_keys(
        &mut self,
        module: &Arc<Module>,
        text: &CursorText,
        visible: u32,
        line: u32,
    ) -> SqlResult<Keyset> {
        let marks = self.plan_apart(module, visible, &text.source(Wanted::Marks))?;
        let plan = self.plan_apart(module, visible, &text.source(Wanted::Marked))?;
        crate::exec::ops::scan::lock_tables(self.session, &plan.uses)?;
        let rows = self.with_runtime(&marks, line, |rt| {
            let q = model::query_of(&marks);
            ops::refuse_counts(rt, &q.node)?;
            let mut op = ops::build(&q.node);
            op.open(rt)?;
            let mut rows = RowStore::new(q.outputs.len());
            while op.next(rt)? {
                rt.tick()?;
                rows.push(rt, &q.outputs)?;
            }
            memory::check()?;
            Ok(rows)
        })?;
        let (options, database) = (self.session.activation.options, self.session.database.clone());
        Ok(Keyset { rows, moved: HashMap::new(), place: 0, plan, options, database })
    }

    /// The row to which FETCH goes; the session's variables are the cursor's own.
    pub(super) fn next_of_keys(
        &mut self,
        k: &mut Keyset,
        (direction, by): (&Direction, i64),
        of: (u32, Option<i32>),
    ) -> SqlResult<Fetched> {
        let (place, there) = direction.place(k.rows.len(), k.place, by);
        if !there {
            k.place = place;
            return Ok(Fetched::Nothing);
        }
        let fetched = self.row_of_keys(k, place, of)?;
        k.place = place;
        Ok(fetched)
    }

    /// The row at a place of the keyset, as it is now.
    pub(super) fn row_of_keys(
        &mut self,
        k: &mut Keyset,
        place: usize,
        of: (u32, Option<i32>),
    ) -> SqlResult<Fetched> {
        let marks = k.marks(place)?;
        let (plan, options, database) = (k.plan.clone(), k.options, k.database.clone());
        let row = self.read_marked(&plan, (&options, &database), &marks[..2 * k.tables()], of)?;
        let Some(mut row) = row else { return Ok(Fetched::Hole) };
        let shown = model::query_of(&plan).columns.len();
        // Another row may have the place of one that has gone from a heap.
        let tail = shown + 2 * k.tables();
        let keys = &marks[2 * k.tables()..];
        if !keys.is_empty() && row[tail..] != *keys {
            return Ok(Fetched::Hole);
        }
        let marks = RowMark::read(&row[shown..tail]);
        row.truncate(shown);
        Ok(Fetched::Row(row, marks))
    }

    /// The outputs of the one row that marks lead to, under the options and in the database of OPEN.
    pub(super) fn read_marked(
        &mut self,
        plan: &Arc<Plan>,
        (options, database): (&SetOptions, &Arc<Database>),
        marks: &[Value],
        (line, locking): (u32, Option<i32>),
    ) -> SqlResult<Option<Vec<Value>>> {
        let now = self.session.activation.options;
        let (lock_timeout, deadlock_priority) = (now.lock_timeout, now.deadlock_priority);
        self.session.activation.options =
            SetOptions { lock_timeout, deadlock_priority, ..*options };
        let here = std::mem::replace(&mut self.session.database, database.clone());
        let row = self.in_statement(|it| {
            lock_again(it.session, plan)?;
            let without_image = |m: RowMark| RowMark { image: None, ..m };
            let marks: Vec<RowMark> = RowMark::read(marks).into_iter().map(without_image).collect();
            it.session.held.cursors.reading.begin(marks.clone());
            let row = it.with_runtime(plan, line, |rt| {
                let q = model::query_of(plan);
                let mut op = ops::build(&q.node);
                op.open(rt)?;
                if !op.next(rt)? {
                    return Ok(None);
                }
                memory::check()?;
                Ok(Some(q.outputs.iter().map(|o| rt.frame[*o as usize].clone()).collect()))
            })?;
            if let (Some(cursor), true) = (locking, row.is_some()) {
                it.session.lock_rows_of(cursor, &marks)?;
            }
            Ok(row)
        });
        self.session.activation.options = now;
        self.session.database = here;
        row
    }
}

impl Fetched {
    /// The values that FETCH gives, its status, and the row that the cursor is on.
    pub fn told(self, columns: &[ColumnDesc]) -> SqlResult<(Option<Vec<Value>>, i32, Current)> {
        Ok(match self {
            Fetched::Nothing => (None, -1, Current::None),
            Fetched::Hole => (Some(hole(columns)?), -2, Current::Hole),
            Fetched::Row(row, marks) => (Some(row), 0, Current::Row(marks)),
        })
    }
}
