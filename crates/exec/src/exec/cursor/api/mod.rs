//! API cursors: sp_cursoropen and its relatives, by which the libraries of clients read a result in blocks.
//!
//! ```text
//!  sp_cursorprepare ──▶ handle of a text ──▶ sp_cursorexecute ─┐        sp_cursorfetch: a block of rows, the fetch buffer
//!  sp_cursorprepexec ──────────── both ────────────────────────┼─▶ handle of an open cursor ──▶ sp_cursorclose
//!  sp_cursoropen ──────────────────────────────────────────────┘        sp_cursoroption, sp_cursor
//! ```
//!
//! The cursor is one of the session's ([`Cursors`]) whose name is empty until sp_cursoroption gives it one. Options that its query does not
//! allow come back as what was made of them ([`options`]). sp_cursor changes rows of the fetch buffer ([`change`]).
//!
//! 1. A handle is of a cursor that is open: sp_cursorclose takes the cursor away.
//! 2. `start` is the number of the buffer's first row, 0 before the first and n + 1 behind the last of n rows.

mod change;
mod dynamic;
mod fetch;
mod open;
mod options;
mod written;

use super::super::called::{Called, Passed, Returned};
use super::super::interpret::{Interpreter, Unwind};
use super::positioned::Current;
use super::streaming::ScrollPlace;
use super::{CursorRows, Cursors};
use crate::database::Database;
use std::sync::Arc;
use taffrail_base::message::unsupported;
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::convert::Declared;
use taffrail_types::{SqlType, Value};

/// The cursor procedures, by the numbers that remote calls name them with: 1, 2 and so on.
const NAMES: [&str; 9] = [
    "sp_cursor",
    "sp_cursoropen",
    "sp_cursorprepare",
    "sp_cursorexecute",
    "sp_cursorprepexec",
    "sp_cursorunprepare",
    "sp_cursorfetch",
    "sp_cursoroption",
    "sp_cursorclose",
];

/// The number of the cursor procedure of a name; 0 for another name.
pub(in crate::exec) fn number_of(name: &str) -> u16 {
    let found = (1..).zip(NAMES).find(|(_, n)| n.eq_ignore_ascii_case(name));
    found.map_or(0, |(number, _)| number)
}

/// The state of an API cursor beside its rows.
#[derive(Default, Debug)]
pub(super) struct ApiCursor {
    /// The scroll option as it was made.
    scroll: i32,
    /// The concurrency option as it was made.
    concurrency: i32,
    /// The cursor closes when the end is reached.
    closes_itself: bool,
    /// The first row of the fetch buffer: 0 before the first, one more than there are behind the last.
    start: i64,
    /// Rows in the buffer.
    count: i64,
    /// The query that is fetched from has come to its end.
    ended: bool,
    /// The rows of the buffer.
    buffer: Vec<Current>,
    /// Where the first row of the buffer is, in an index that the cursor scrolls along.
    first: ScrollPlace,
    /// Where each row of the buffer is, likewise.
    places: Vec<ScrollPlace>,
}

/// An output of a procedure, by the place of its argument.
fn output(at: usize, value: i32) -> (usize, Value, Declared) {
    (at, Value::Int(value), SqlType::Int.into())
}

/// An argument as a number; none where it is NULL, DEFAULT or not there: 16902.
fn number(passed: &[Passed], at: usize, procedure: &str, name: &str) -> SqlResult<Option<i64>> {
    let Some(value) = passed.get(at).and_then(|p| p.value.as_ref()) else { return Ok(None) };
    match value.as_i64() {
        Some(n) => Ok(Some(n)),
        None if value.is_null() => Ok(None),
        None => Err(invalid(procedure, name)),
    }
}

/// 16902: an argument has a value that it cannot have.
fn invalid(procedure: &str, name: &str) -> Box<SqlError> {
    SqlError::new(16902, &[&procedure, &name])
}

/// A text argument, of any type of text: 214, 201.
fn text(passed: &[Passed], at: usize, procedure: &str, name: &str) -> SqlResult<String> {
    let missing = || SqlError::new(201, &[&procedure, &name]);
    let value = passed.get(at).and_then(|p| p.value.as_ref()).ok_or_else(missing)?;
    match value.as_text() {
        Some(text) => Ok(text),
        None if value.is_null() => Ok(String::new()),
        None => Err(SqlError::new(214, &[&name, &"ntext/nchar/nvarchar"]).with_state(3)),
    }
}

impl Cursors {
    /// Takes away the cursor at a place of the list.
    fn remove(&mut self, at: usize) {
        self.list.remove(at);
        self.count();
    }
}

impl Interpreter<'_> {
    /// One of the cursor procedures, by its number; `place` is where its text runs, if not in the current database.
    pub(in crate::exec) fn cursor_procedure(
        &mut self,
        number: u16,
        passed: &[Passed],
        place: Option<Arc<Database>>,
    ) -> Result<Called, Unwind> {
        match number {
            1 => self.change_cursor(passed),
            2 => self.cursor_open(passed, place),
            3 => self.cursor_prepare(passed, place),
            4 => self.cursor_execute(passed, place),
            5 => self.cursor_prepexec(passed, place),
            6 => Ok(self.cursor_unprepare(passed)),
            7 => self.cursor_fetch(passed),
            8 => Ok(self.cursor_option(passed)),
            9 => Ok(self.cursor_close(passed)),
            _ => Ok(Err(unsupported("A cursor procedure").into())),
        }
    }

    /// The place of the API cursor that an argument names: 16909.
    fn api_cursor(&self, passed: &[Passed], procedure: &'static str) -> SqlResult<usize> {
        let handle =
            number(passed, 0, procedure, "cursor")?.ok_or_else(|| invalid(procedure, "cursor"))?;
        let list = &self.session.held.cursors.list;
        let at = list.iter().position(|c| c.api.is_some() && i64::from(c.shown.id) == handle);
        at.ok_or_else(|| SqlError::new(16909, &[&procedure, &format_args!("{handle:x}")]))
    }

    /// sp_cursorclose: -1 stands for all.
    fn cursor_close(&mut self, passed: &[Passed]) -> Called {
        const NAME: &str = "sp_cursorclose";
        let asked = number(passed, 0, NAME, "cursor").map_err(ended)?;
        if asked == Some(-1) {
            self.session.held.cursors.list.retain(|c| c.api.is_none());
            self.session.held.cursors.count();
        } else {
            let at = self.api_cursor(passed, NAME).map_err(ended)?;
            self.session.held.cursors.remove(at);
        }
        Ok(Returned::default())
    }

    /// sp_cursoroption: gives the cursor a name, or tells of it.
    fn cursor_option(&mut self, passed: &[Passed]) -> Called {
        const NAME: &str = "sp_cursoroption";
        let at = self.api_cursor(passed, NAME).map_err(ended)?;
        let code = number(passed, 1, NAME, "code").map_err(ended)?;
        let rows = self.rows_of_api(at);
        let cursors = &mut self.session.held.cursors;
        let Some(api) = &cursors.list[at].api else { return Err(ended(invalid(NAME, "cursor"))) };
        let told = match code {
            // Long values are always sent.
            Some(3) => return Ok(Returned::default()),
            Some(1) => return Err(ended(unsupported("A text pointer in place of a value"))),
            Some(2) => {
                let name = text(passed, 2, NAME, "value").map_err(ended)?;
                if name.is_empty() || name.starts_with('@') {
                    return Err(ended(invalid(NAME, "value")));
                }
                if cursors.known(&name, None).is_some() {
                    return Err(ended(SqlError::new(16915, &[&name])));
                }
                cursors.list[at].references[0].name = name.into();
                return Ok(Returned::default());
            }
            Some(4) => api.scroll,
            Some(5) => api.concurrency,
            Some(6) => rows,
            _ => return Err(ended(invalid(NAME, "code"))),
        };
        Ok(Returned { outputs: outputs(passed, [(2, told)]), ..Returned::default() })
    }

    /// Rows of the result, -1 where they are not known.
    fn rows_of_api(&self, at: usize) -> i32 {
        self.session.held.cursors.list[at].shown.state().rows
    }
}

/// The outputs that the call asks for, by the places of their arguments.
fn outputs<const N: usize>(
    passed: &[Passed],
    values: [(usize, i32); N],
) -> Vec<(usize, Value, Declared)> {
    let asked = |at: usize| passed.get(at).is_some_and(|p| p.output);
    values.into_iter().filter(|(at, _)| asked(*at)).map(|(at, v)| output(at, v)).collect()
}

/// A cursor procedure fails with the error's number as its status.
fn ended(error: Box<SqlError>) -> super::super::called::Failed {
    let status = Some(if error.number == 16909 { 1 } else { error.number });
    super::super::called::Failed { error, status }
}
