//! Cursors as others see them: `sys.dm_exec_cursors`, and the views behind sp_describe_cursor and its relatives.
//!
//! The cursor's own session writes, everybody reads. An entry of a session holds its cursors weakly: they go with the cursor.

use super::super::module::{Module, Plan};
use super::{CursorConcurrency, CursorModel, CursorRows, Cursors};
use crate::session::Session;
use crate::session::entry::SessionEntry;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use taffrail_observe::Moment;
use taffrail_observe::session::{PagesTouched, pages_touched};
use taffrail_syntax::ast::SelectStatement;

/// The handle before the first one that a server gives.
const BEFORE_FIRST: i32 = 180_150_001;

/// Handles of cursors, which no other cursor of the process has.
static HANDLES: AtomicI32 = AtomicI32::new(BEFORE_FIRST);

/// A handle for a cursor that is made.
pub(super) fn new_handle() -> i32 {
    HANDLES.fetch_add(2, Ordering::Relaxed).wrapping_add(2)
}

/// The operation that was last done on a cursor, by its number in `last_operation`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[allow(missing_docs)]
pub enum LastOperation {
    #[default]
    None = 0,
    Open = 1,
    Fetch = 2,
    Insert = 3,
    Update = 4,
    Delete = 5,
    Close = 6,
}

/// The facts of a cursor that change with its operations.
#[derive(Clone, Copy, Default, Debug)]
pub struct CursorState {
    /// OPEN has been done, and CLOSE not yet.
    pub is_open: bool,
    /// `@@CURSOR_ROWS` of the cursor; 0 while it is closed.
    pub rows: i32,
    /// `@@FETCH_STATUS` of its last FETCH; none before the first one.
    pub fetch_status: Option<i32>,
    /// Rows that the last operation has given.
    pub row_count: u64,
    /// The operation that was done last.
    pub last_operation: LastOperation,
    /// `fetch_buffer_start`: 0 before the first row, the number of the row in a copy, else -1.
    pub place: i64,
    /// CURSOR_STATUS while the cursor is open.
    pub open_status: i32,
    /// The beginning of the last OPEN or FETCH.
    pub began: Moment,
    /// The time that its query took on the worker, without waits, ns.
    pub worker_ns: u64,
    /// Pages that its query looked up.
    pub reads: u64,
    /// Pages that its query made dirty.
    pub writes: u64,
}

/// A cursor as others see it.
pub struct ShownCursor {
    /// The number of the cursor, `cursor_id` and `cursor_handle`.
    pub id: i32,
    /// The name with which the cursor was made.
    pub name: Box<str>,
    /// It was made by sp_cursoropen or one of its relatives, not by a statement.
    pub is_api: bool,
    /// The way in which it has its rows.
    pub model: CursorModel,
    /// How changes through it get along with those of others.
    pub concurrency: CursorConcurrency,
    /// It copies its rows at OPEN, whatever its model.
    pub is_copy: bool,
    /// FETCH goes anywhere, not only to the next row.
    pub is_scrollable: bool,
    /// It belongs to the session, not to a module.
    pub is_global: bool,
    /// The nesting level that has made it.
    pub level: u32,
    /// It closes at the end of a transaction.
    pub closes_on_commit: bool,
    /// The moment at which it was made.
    pub created: Moment,
    /// The module whose text has the query.
    pub module: Arc<Module>,
    /// The number of the query's plan in the module.
    pub plan: u32,
    state: Mutex<CursorState>,
}

/// The facts of a cursor when it is made, see [`ShownCursor`].
pub(super) struct NewShown {
    pub name: Box<str>,
    pub is_api: bool,
    pub model: CursorModel,
    pub concurrency: CursorConcurrency,
    pub is_copy: bool,
    pub is_scrollable: bool,
    pub is_global: bool,
    pub level: u32,
    pub closes_on_commit: bool,
    pub module: Arc<Module>,
    pub plan: u32,
}

impl ShownCursor {
    /// Shows a cursor among those of its session.
    pub(super) fn new(made: NewShown, entry: &SessionEntry) -> Arc<ShownCursor> {
        let NewShown { name, is_api, is_copy, is_scrollable, is_global, level, .. } = made;
        let NewShown { closes_on_commit, module, plan, model, concurrency, .. } = made;
        let created = Moment::now();
        let state = Mutex::new(CursorState { began: created, ..CursorState::default() });
        let id = new_handle();
        let shown = Arc::new(ShownCursor {
            id,
            name,
            is_api,
            model,
            concurrency,
            is_copy,
            is_scrollable,
            is_global,
            level,
            closes_on_commit,
            created,
            module,
            plan,
            state,
        });
        entry.show_cursor(&shown);
        shown
    }

    /// The facts that change, as they are now.
    pub fn state(&self) -> CursorState {
        *self.state.lock()
    }

    /// OPEN has been done.
    pub(super) fn opened(&self, rows: i32, open_status: i32, cost: Cost) {
        let mut s = self.state.lock();
        (s.is_open, s.rows, s.fetch_status, s.row_count) = (true, rows, None, 0);
        (s.last_operation, s.place, s.open_status) = (LastOperation::Open, 0, open_status);
        s.add(cost);
    }

    /// FETCH has been done, or an error has ended it: `status` is its `@@FETCH_STATUS`, `rows` the rows that it gave.
    pub(super) fn fetched(&self, status: i32, rows: u64, place: i64, cost: Cost) {
        let mut s = self.state.lock();
        (s.fetch_status, s.row_count) = (Some(status), rows);
        (s.last_operation, s.place) = (LastOperation::Fetch, place);
        s.add(cost);
    }

    /// A row has been changed through it.
    pub(super) fn changed(&self, operation: LastOperation) {
        let mut s = self.state.lock();
        (s.last_operation, s.row_count) = (operation, 1);
    }

    /// CLOSE has been done, by a statement or by the end of a transaction.
    pub(super) fn closed(&self) {
        let mut s = self.state.lock();
        (s.is_open, s.rows, s.row_count, s.place) = (false, 0, 0, 0);
        s.last_operation = LastOperation::Close;
    }
}

/// The beginning of an OPEN or FETCH, from which its cost is counted.
#[derive(Clone, Copy)]
pub(super) struct Meter {
    began: Moment,
    waited: u64,
    pages: PagesTouched,
}

impl Session {
    /// An OPEN or FETCH begins.
    pub(super) fn meter(&self) -> Meter {
        let waited = self.cell.waited_ns.get();
        Meter { began: Moment::now(), waited, pages: pages_touched() }
    }
}

impl Meter {
    /// The cost of the query since then.
    pub(super) fn read(&self, session: &Session) -> Cost {
        let waited = session.cell.waited_ns.get().saturating_sub(self.waited);
        Cost {
            began: self.began,
            worker_ns: Moment::now().since(self.began).saturating_sub(waited),
            pages: pages_touched().since(self.pages),
        }
    }

    /// The cost of a FETCH from a copy, which runs no query.
    pub(super) fn no_query(&self) -> Cost {
        Cost { began: self.began, ..Cost::default() }
    }
}

/// The cost of one OPEN or FETCH.
#[derive(Clone, Copy, Default)]
pub(super) struct Cost {
    pub began: Moment,
    pub worker_ns: u64,
    pub pages: PagesTouched,
}

impl CursorState {
    fn add(&mut self, cost: Cost) {
        self.began = cost.began;
        self.worker_ns += cost.worker_ns;
        self.reads += cost.pages.looked_up;
        self.writes += cost.pages.dirtied;
    }
}

/// A name or variable of a session, and the cursor that it refers to.
pub struct CursorReference<'a> {
    /// With its `@` for a variable.
    pub name: &'a str,
    /// The nesting level whose name it is; none for a global one.
    pub level: Option<u32>,
    /// The cursor that is referred to.
    pub shown: &'a ShownCursor,
    /// The plan of its query, as it was when the cursor was made.
    pub query: &'a Plan,
    /// The text of its query.
    pub select: &'a SelectStatement,
}

impl Cursors {
    /// All references of the session to cursors, in the order in which the cursors were made.
    pub fn references(&self) -> Vec<CursorReference<'_>> {
        let mut all = Vec::new();
        for c in &self.list {
            all.extend(c.references.iter().map(|r| CursorReference {
                name: &r.name,
                level: r.level,
                shown: &c.shown,
                query: &c.described,
                select: &c.text.select,
            }));
        }
        all
    }
}

impl CursorRows {
    /// CURSOR_STATUS of a cursor that has these rows: 0 for none, 1 for some and for those that are not known.
    pub(super) fn status(&self) -> i32 {
        match self {
            CursorRows::Copied(c) => i32::from(c.rows.len() > 0),
            CursorRows::Keyset(k) => i32::from(k.len() > 0),
            CursorRows::Streamed(_) => 1,
        }
    }
}
