//! Cursors: DECLARE, OPEN, FETCH, CLOSE, DEALLOCATE.
//!
//! What a cursor becomes, [`model`] decides when it is declared. A STATIC one copies its rows at OPEN, and FETCH moves over them. A KEYSET
//! one gathers marks of its rows then, and FETCH reads the row that they lead to ([`keyset`]). The query of a DYNAMIC or FAST_FORWARD one
//! runs as it is fetched from ([`streaming`]). Changes WHERE CURRENT OF go by the marks of the row that was fetched last ([`positioned`]).
//!
//! ```text
//!             DECLARE                OPEN                    CLOSE             DEALLOCATE
//!  (nothing) ─────────▶ declared ─────────▶ open ──FETCH──┐ ─────────▶ declared ─────────▶ (nothing)
//!                       variables,          rows, place   └─▶ open
//!                       plan                0 … n+1, or
//!                                           a running query
//! ```
//!
//! 1. A local cursor belongs to the nesting level that declared it and goes away with it; a global one with the session.
//! 2. The query sees the values that variables had at DECLARE.
//! 3. `place` of a copy is 0 before the first row, n + 1 after the last of n rows. `@@FETCH_STATUS` is 0 exactly when FETCH ended on
//!    a row, and no OPEN or FETCH has failed since.
//!
//! A cursor goes by references: its name, and the variables that were set to it (`SET @a = CURSOR …`, `SET @a = name`, `SET @a = @b`), each
//! local to its level. A parameter CURSOR VARYING OUTPUT is a variable of the callee; where its cursor is open at the end of the callee,
//! the caller's variable refers to it from then on. DEALLOCATE and the end of a level take references away; with the last one the
//! cursor goes.

pub(super) mod api;
mod declared;
mod fetching;
mod keyset;
mod locked;
mod model;
mod passed;
pub(super) mod positioned;
mod shown;
mod streaming;

pub(crate) use declared::{CursorRef, CursorText, Direction, FetchCode, text};
pub use model::{CursorConcurrency, CursorModel};
pub(crate) use positioned::{Reading, RowMark, ScanStart};
pub use shown::{CursorReference, CursorState, LastOperation, ShownCursor};

use super::activation::Locals;
use super::interpret::{Ended, Interpreter};
use super::module::{Module, Plan, Stmt};
use super::ops;
use super::rows::RowStore;
use crate::binder::cursor::CursorRows as Wanted;
use crate::catalog::registry::FLAG_LOCAL_CURSORS;
use crate::memory;
use crate::plan::statement::Statement;
use crate::sink::{ColumnDesc, Command};
use api::ApiCursor;
use keyset::Keyset;
use locked::ScrollLocks;
use model::Made;
use positioned::Current;
use shown::NewShown;
use std::sync::Arc;
use streaming::Streaming;
use taffrail_base::{SqlError, SqlResult};
use taffrail_storage::LockedRow;
use taffrail_types::{Collation, Value};

/// What a cursor is known by.
struct Reference {
    /// With its `@` for a variable.
    name: Box<str>,
    /// The nesting level, where it is local.
    level: Option<u32>,
}

impl Reference {
    fn is(&self, name: &str, level: Option<u32>) -> bool {
        self.level == level && Collation::default().eq_str(&self.name, name)
    }
}

/// A cursor of a session.
struct Cursor {
    text: Arc<CursorText>,
    /// At least one.
    references: Vec<Reference>,
    /// Module, variables and plans of its query.
    own: Locals,
    plan: u32,
    visible: u32,
    line: u32,
    /// The plan of its query when it was made.
    described: Arc<Plan>,
    made: Made,
    open: Option<Opened>,
    shown: Arc<ShownCursor>,
    /// The rows that it has locked: SCROLL_LOCKS.
    locked: Vec<LockedRow>,
    /// The state that it has as an API cursor.
    api: Option<ApiCursor>,
}

/// A cursor that is to be made: the text with its query, and the number of the query's plan, the variables that it sees, its line.
struct NewCursor<'a> {
    module: &'a Arc<Module>,
    number: u32,
    visible: u32,
    line: u32,
}

impl Cursor {
    /// Lets go of the rows; false where it is not open.
    fn close(&mut self) -> bool {
        let was_open = self.open.take().is_some();
        self.locked.clear();
        if was_open {
            self.shown.closed();
        }
        was_open
    }
}

struct Opened {
    columns: Arc<[ColumnDesc]>,
    rows: CursorRows,
    /// The row that was fetched last.
    current: Current,
}

impl Opened {
    fn new(columns: Arc<[ColumnDesc]>, rows: CursorRows) -> Opened {
        Opened { columns, rows, current: Current::None }
    }

    /// `@@CURSOR_ROWS`: the rows of a STATIC or KEYSET cursor, else -1.
    fn counted(&self, made: &Made) -> i32 {
        match &self.rows {
            CursorRows::Copied(copied) if made.model.is_fixed() => copied.rows.len() as i32,
            CursorRows::Keyset(keyset) => keyset.len() as i32,
            _ => -1,
        }
    }

    /// The rows of a copy or keyset; 0 where they are found as they are fetched.
    fn copied_rows(&self) -> u64 {
        match &self.rows {
            CursorRows::Copied(copied) => copied.rows.len() as u64,
            CursorRows::Keyset(keyset) => keyset.len() as u64,
            CursorRows::Streamed(_) => 0,
        }
    }
}

/// Where an open cursor has its rows from.
enum CursorRows {
    Copied(Box<Copied>),
    Keyset(Box<Keyset>),
    Streamed(Box<Streaming>),
}

/// A copy of all rows.
struct Copied {
    rows: RowStore,
    place: usize,
}

impl CursorRows {
    /// Bytes that they take between two statements.
    fn held(&self) -> usize {
        match self {
            CursorRows::Copied(c) => c.rows.bytes(),
            CursorRows::Keyset(k) => k.held(),
            CursorRows::Streamed(s) => s.held(),
        }
    }
}

impl Copied {
    /// `fetch_buffer_start`: the number of the row, 0 before the first and -1 behind the last one.
    fn shown_place(&self) -> i64 {
        if self.place > self.rows.len() { -1 } else { self.place as i64 }
    }

    /// Goes to a row, if there is one; `by` of ABSOLUTE and RELATIVE.
    fn go(&mut self, direction: &Direction, by: i64) -> SqlResult<Option<Vec<Value>>> {
        let (place, there) = direction.place(self.rows.len(), self.place, by);
        self.place = place;
        match there {
            true => self.rows.row(self.place - 1).map(|row| Some(row.to_vec())),
            false => Ok(None),
        }
    }
}

/// The cursors of a session.
#[derive(Default)]
pub struct Cursors {
    list: Vec<Cursor>,
    /// `@@FETCH_STATUS`.
    pub fetch_status: i32,
    /// `@@CURSOR_ROWS`.
    pub rows: i32,
    /// The cursor that was opened last.
    last: Option<Arc<CursorText>>,
    scroll_locks: ScrollLocks,
    /// The marks that the statement which runs goes by.
    pub(crate) reading: Reading,
}

impl Cursors {
    /// Bytes that open ones take from one request to the next.
    pub fn kept(&self) -> usize {
        self.list.iter().filter_map(|c| c.open.as_ref()).map(|o| o.rows.held()).sum()
    }

    /// Takes a global name away that a cursor has had, and gives the place of the cursor.
    fn unnamed(&mut self, name: &str) -> Option<usize> {
        let at = self.known(name, None)?;
        self.list[at].references.retain(|r| !r.is(name, None));
        Some(at)
    }

    /// Deallocates the local cursors of a level that ends.
    pub fn leave(&mut self, level: u32) {
        if !self.list.is_empty() {
            self.forget(|r| r.level.is_some_and(|l| l >= level));
        }
    }

    /// Takes references away, and the cursors that have no other.
    fn forget(&mut self, gone: impl Fn(&Reference) -> bool) {
        self.list.retain_mut(|c| {
            c.references.retain(|r| !gone(r));
            !c.references.is_empty()
        });
        self.count();
    }

    /// A transaction has been rolled back: open cursors but those of a copy that was asked for are closed.
    pub fn rolled_back(&mut self) {
        for cursor in self.list.iter_mut().filter(|c| c.made.model != CursorModel::Static) {
            cursor.close();
        }
        self.count();
    }

    /// A transaction has ended under CURSOR_CLOSE_ON_COMMIT.
    pub fn close_all(&mut self) {
        for cursor in &mut self.list {
            cursor.close();
        }
        self.count();
    }

    /// `@@CURSOR_ROWS` when the cursor that was opened last may be open no more.
    fn count(&mut self) {
        self.settle_locks();
        let last = self.last.as_ref();
        let is_last = |c: &&Cursor| last.is_some_and(|l| Arc::ptr_eq(l, &c.text));
        if !self.list.iter().any(|c| c.open.is_some() && is_last(&c)) {
            self.rows = 0;
        }
    }

    /// The place of a cursor: a level's own before a global one. A function has none but its own: a statement that calls it may be in the
    /// middle of a global one.
    fn find(&self, cursor: &CursorRef, level: u32, in_function: bool) -> SqlResult<usize> {
        let local = if cursor.global { None } else { self.known(&cursor.name, Some(level)) };
        let found = local.or_else(|| self.known(&cursor.name, None).filter(|_| !in_function));
        let variable = cursor.name.starts_with('@');
        found.ok_or_else(|| match variable {
            true => SqlError::new(16950, &[&cursor.name]).with_severity(16).with_state(2),
            false => SqlError::new(16916, &[&cursor.name]),
        })
    }

    fn known(&self, name: &str, level: Option<u32>) -> Option<usize> {
        self.list.iter().position(|c| c.references.iter().any(|r| r.is(name, level)))
    }

    /// CURSOR_STATUS: 1 open with rows or with a query that runs, 0 open without, -1 closed, -2 a variable without cursor, -3 no such
    /// cursor or variable; none for a kind that there is not. `declared`: the module has a cursor variable of the name.
    pub fn status(&self, kind: &str, name: &str, level: u32, declared: bool) -> Option<i32> {
        let is = |word: &str| kind.eq_ignore_ascii_case(word);
        let (local, variable) = (is("local"), is("variable"));
        if !local && !variable && !is("global") {
            return None;
        }
        // Names of variables begin with @, those of cursors never.
        let known = match variable == name.starts_with('@') {
            true => self.known(name, (local || variable).then_some(level)),
            false => None,
        };
        Some(match known.map(|at| &self.list[at]) {
            None if variable && declared => -2,
            None => -3,
            Some(Cursor { open: None, .. }) => -1,
            Some(Cursor { open: Some(o), .. }) => o.rows.status(),
        })
    }
}

/// What ends a statement that has no rows: a DONE, as every statement but a declaration has one.
const QUIET: Ended = Ended { command: Command::OTHER, rows: None };

impl Interpreter<'_> {
    /// DECLARE CURSOR, SET @cursor = CURSOR.
    pub fn declare_cursor(
        &mut self,
        module: &Arc<Module>,
        s: &Stmt,
        text: &Arc<CursorText>,
    ) -> SqlResult<Ended> {
        let flags = self.session.database.storage.engine_flags();
        let local = text.local
            || self.session.activation.in_function
            || !text.global && flags & FLAG_LOCAL_CURSORS != 0;
        let level = local.then_some(self.session.activation.nest_level);
        let cursors = &mut self.session.held.cursors;
        if cursors.known(&text.name, level).is_some() {
            if !text.name.starts_with('@') {
                return Err(SqlError::new(16915, &[&text.name]));
            }
            cursors.forget(|r| r.is(&text.name, level));
        }
        let (number, visible, line) = (s.plan, s.visible, s.line);
        let new = NewCursor { module, number, visible, line };
        let at = self.make_cursor(&new, text, level, false)?;
        if text.warns && self.session.held.cursors.list[at].made.converted {
            self.context(line).message(SqlError::new(16956, &[]))?;
        }
        Ok(QUIET)
    }

    /// Makes a cursor of a query, with the variables of the running module, and gives its place. `level`: where it is local.
    fn make_cursor(
        &mut self,
        new: &NewCursor<'_>,
        text: &Arc<CursorText>,
        level: Option<u32>,
        is_api: bool,
    ) -> SqlResult<usize> {
        let NewCursor { module, number, visible, line } = *new;
        let mut own = Locals::new(module.clone());
        let locals = &self.session.activation.locals;
        own.vars.clone_from(&locals.vars);
        own.tables.clone_from(&locals.tables);
        // Names are looked up here, in the database of now.
        let source = text.shared_source();
        let plan = self.with_locals(&mut own, |it| it.plan(module, number, visible, &source))?;
        if let Statement::Select(q, into) = &plan.kind
            && (into.is_some() || !q.assign.is_empty() || q.json.is_some())
        {
            let what = match q.json {
                Some(_) => "FOR JSON",
                None if into.is_some() => "SELECT INTO",
                None => "Variable assignment",
            };
            return Err(SqlError::new(16907, &[&what]));
        }
        let made = match text.is_api && text.finds_again() {
            // The number is that of a SELECT, whose plan has no marks.
            true => {
                let source = text.source(Wanted::Whole);
                let whole =
                    self.with_locals(&mut own, |it| it.plan_apart(module, visible, &source))?;
                Made::of(text, &whole)?
            }
            false => Made::of(text, &plan)?,
        };
        let shown = ShownCursor::new(
            NewShown {
                name: text.name.clone(),
                is_api,
                model: made.model,
                is_copy: !streaming::streams(&made, &plan),
                concurrency: made.concurrency,
                is_scrollable: made.scroll,
                is_global: level.is_none(),
                // That of a client is no module's.
                level: if is_api { 0 } else { self.session.activation.nest_level },
                closes_on_commit: self.session.activation.options.cursor_close_on_commit,
                module: module.clone(),
                plan: number,
            },
            &self.session.entry,
        );
        self.session.held.cursors.list.push(Cursor {
            text: text.clone(),
            references: vec![Reference { name: text.name.clone(), level }],
            own,
            plan: number,
            visible,
            line,
            described: plan,
            made,
            open: None,
            shown,
            locked: Vec::new(),
            api: None,
        });
        Ok(self.session.held.cursors.list.len() - 1)
    }

    fn cursor(&self, cursor: &CursorRef) -> SqlResult<usize> {
        let activation = &self.session.activation;
        self.session.held.cursors.find(cursor, activation.nest_level, activation.in_function)
    }

    /// After OPEN or FETCH: one that fails ends loops over `@@FETCH_STATUS`, which would otherwise go on for ever where
    /// the error does not end the batch.
    pub(crate) fn cursor_moved(&mut self, result: SqlResult<Ended>) -> SqlResult<Ended> {
        if result.is_err() {
            self.session.held.cursors.fetch_status = -1;
        }
        result
    }

    /// OPEN.
    pub(crate) fn open_cursor(&mut self, cursor: &CursorRef) -> SqlResult<Ended> {
        let at = self.cursor(cursor)?;
        self.open_at(at)
    }

    /// Opens the cursor at a place of the list.
    fn open_at(&mut self, at: usize) -> SqlResult<Ended> {
        let c = &mut self.session.held.cursors.list[at];
        if c.open.is_some() {
            return Err(SqlError::new(16905, &[]));
        }
        let text = c.text.clone();
        let (plan, visible, line) = (c.plan, c.visible, c.line);
        let (module, made) = (c.own.module.clone(), c.made.clone());
        // The query runs on the cursor's own variables, while the session is lent to it.
        let mut own = std::mem::take(&mut c.own);
        let meter = self.session.meter();
        let opened = self.with_locals(&mut own, |it| {
            it.open_rows(&module, (&text, &made), (plan, visible, line))
        });
        // Nothing can have removed it meanwhile: functions that the query calls have cursors of their own alone.
        let cursors = &mut self.session.held.cursors;
        let c = &mut cursors.list[at];
        c.own = own;
        let (opened, made) = opened?;
        let (rows, open_status) = (opened.counted(&made), opened.rows.status());
        cursors.last = Some(text.clone());
        cursors.rows = rows;
        let shown = c.shown.clone();
        (c.open, c.made) = (Some(opened), made);
        shown.opened(rows, open_status, meter.read(self.session));
        self.session.activation.last.row_count = 0;
        self.warn_if_due(line)?;
        Ok(QUIET)
    }

    /// The rows of a cursor that is opened, or its query begun, and what it has become. The numbers: of its plan, of the variables that it
    /// sees, of its line.
    fn open_rows(
        &mut self,
        module: &Arc<Module>,
        (text, made): (&CursorText, &Made),
        (number, visible, line): (u32, u32, u32),
    ) -> SqlResult<(Opened, Made)> {
        let mut made = made.clone();
        let source = text.shared_source();
        if self.session.activation.options.implicit_transactions
            && self.session.transaction.count == 0
        {
            let plan = self.plan(module, number, visible, &source)?;
            self.begin_for(&plan)?;
        }
        let mut began = None;
        let opened = self.in_statement(|it| {
            let plan = it.locked_plan(module, number, visible, &source)?;
            let q = model::query_of(&plan);
            let columns = q.columns.as_slice().into();
            // An index may have come or gone since the declaration.
            if text.finds_again() && !text.is_api {
                made = Made::of(text, &plan)?;
            }
            let starts = it.session.starts_plan(module, number, &plan);
            if made.model == CursorModel::Keyset {
                began = Some(starts);
                let keyset = it.gather_keys(module, text, visible, line)?;
                return Ok(Opened::new(columns, CursorRows::Keyset(Box::new(keyset))));
            }
            if streaming::streams(&made, &plan) {
                let plan = match text.is_api && text.finds_again() {
                    true => it.plan_apart(module, visible, &text.source(Wanted::Whole))?,
                    false => plan,
                };
                let streaming = it.begin_streaming(&plan, made.scroll, line)?;
                return Ok(Opened::new(columns, CursorRows::Streamed(Box::new(streaming))));
            }
            began = Some(starts);
            it.with_runtime(&plan, line, |rt| {
                let mut op = ops::build(&q.node);
                op.open(rt)?;
                let shown = &q.outputs[..q.columns.len()];
                let mut rows = RowStore::new(shown.len());
                // A cursor that is not a copy of its rows does not know ROWCOUNT.
                let limit = if made.model == CursorModel::Static {
                    rt.cx.session.row_limit()
                } else {
                    u64::MAX
                };
                while (rows.len() as u64) < limit && op.next(rt)? {
                    rt.tick()?;
                    rows.push(rt, shown)?;
                }
                memory::check()?;
                let rows = CursorRows::Copied(Box::new(Copied { rows, place: 0 }));
                Ok(Opened::new(columns, rows))
            })
        });
        let rows = opened.as_ref().map(Opened::copied_rows).map_err(|e| &**e);
        self.executed(module, number, began, rows);
        opened.map(|opened| (opened, made))
    }

    /// OPEN and FETCH of what reads tables begin a transaction under IMPLICIT_TRANSACTIONS.
    fn begin_for(&mut self, plan: &Plan) -> SqlResult<()> {
        match plan.uses.is_empty() {
            true => Ok(()),
            false => self.session.begin_implicitly(self.sink),
        }
    }

    /// CLOSE.
    pub(crate) fn close_cursor(&mut self, cursor: &CursorRef) -> SqlResult<Ended> {
        let at = self.cursor(cursor)?;
        let cursors = &mut self.session.held.cursors;
        if !cursors.list[at].close() {
            return Err(SqlError::new(16917, &[]));
        }
        cursors.count();
        Ok(QUIET)
    }

    /// DEALLOCATE.
    pub(crate) fn deallocate_cursor(&mut self, cursor: &CursorRef) -> SqlResult<Ended> {
        let at = self.cursor(cursor)?;
        let level = Some(self.session.activation.nest_level);
        let cursors = &mut self.session.held.cursors;
        let local = !cursor.global && cursors.known(&cursor.name, level) == Some(at);
        cursors.forget(|r| r.is(&cursor.name, if local { level } else { None }));
        Ok(QUIET)
    }

    /// SET @cursor = another: it refers to the same cursor from now on.
    pub(crate) fn set_cursor(&mut self, name: &str, to: &CursorRef) -> SqlResult<Ended> {
        let at = self.cursor(to)?;
        let level = Some(self.session.activation.nest_level);
        self.session.held.cursors.refer(at, name, level);
        Ok(QUIET)
    }
}
