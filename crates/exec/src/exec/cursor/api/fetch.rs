//! sp_cursorfetch: blocks of rows.

use super::super::{CursorRows, Direction, Opened};
use super::open::with_status;
use super::options::ROWS;
use super::{ApiCursor, ended, invalid, number, outputs};
use crate::exec::called::{Called, Failed, Passed, Returned};
use crate::exec::interpret::{Ended, Interpreter, Unwind};
use crate::sink::Command;
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::Value;

const NAME: &str = "sp_cursorfetch";

pub(super) const FIRST: i64 = 1;
pub(super) const NEXT: i64 = 2;
pub(super) const PREV: i64 = 4;
pub(super) const LAST: i64 = 8;
pub(super) const ABSOLUTE: i64 = 0x10;
pub(super) const RELATIVE: i64 = 0x20;
pub(super) const REFRESH: i64 = 0x80;
const INFO: i64 = 0x100;
pub(super) const PREV_NOADJUST: i64 = 0x200;
/// SKIP_UPDT_CNCY, which says nothing about rows that cannot be changed.
const SKIP: i64 = 0x400;

/// The status of a fetch that went back and was moved to the first row.
pub(super) const MOVED: i32 = 2;
/// The status of a fetch that has closed the cursor.
const CLOSED: i32 = 0x10;
/// ROWSTAT of a row that is there.
const SUCCEEDED: i32 = 1;
/// ROWSTAT of a row that has gone.
const MISSING: i32 = 2;

/// A block of rows: the number of its first one, and how many.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Block {
    start: i64,
    count: i64,
    status: i32,
}

/// The rows that a fetch has sent.
pub(super) struct Sent {
    pub status: i32,
    pub rows: i64,
}

/// The block to which a fetch goes, of `n` rows, from the block that `at` says; `wanted` rows, `by` of ABSOLUTE and RELATIVE.
fn block(kind: i64, at: &ApiCursor, n: i64, wanted: i64, by: i64) -> Block {
    let (start, count) = (at.start, at.count);
    let mut status = 0;
    let mut most = wanted;
    let to = match kind {
        FIRST if wanted == 0 => 0,
        FIRST => 1,
        LAST if wanted == 0 => n + 1,
        LAST => (n - wanted + 1).max(1),
        NEXT if start == 0 => 1,
        NEXT => start + count.max(1),
        REFRESH => {
            most = count;
            start
        }
        PREV | PREV_NOADJUST if start <= 1 => 0,
        PREV if start - wanted < 1 => {
            status = MOVED;
            1
        }
        PREV_NOADJUST if start - wanted < 1 => {
            most = start - 1;
            1
        }
        PREV | PREV_NOADJUST => start - wanted,
        ABSOLUTE if by < 0 => n.saturating_add(1).saturating_add(by),
        ABSOLUTE => by,
        _ => start.saturating_add(by),
    };
    let start = to.clamp(0, n + 1);
    let there = (1..=n).contains(&start);
    Block { start, count: if there { most.min(n + 1 - start) } else { 0 }, status }
}

impl Interpreter<'_> {
    /// `sp_cursorfetch cursor, fetchtype, rownum, nrows`.
    pub(super) fn cursor_fetch(&mut self, passed: &[Passed]) -> Result<Called, Unwind> {
        let asked = || -> SqlResult<(usize, i64, i64, i64)> {
            let at = self.api_cursor(passed, NAME)?;
            let kind = number(passed, 1, NAME, "fetchtype")?.unwrap_or(NEXT) & !SKIP;
            let by = number(passed, 2, NAME, "rownum")?.unwrap_or(1);
            let wanted = number(passed, 3, NAME, "nrows")?.unwrap_or(ROWS);
            let known = [FIRST, NEXT, PREV, LAST, ABSOLUTE, RELATIVE, REFRESH, INFO, PREV_NOADJUST];
            if !known.contains(&kind) {
                return Err(invalid(NAME, "fetchtype"));
            }
            // The others have no use for the number: it may be what the call before has given back.
            let least = if matches!(kind, FIRST | LAST) { 0 } else { 1 };
            if !matches!(kind, REFRESH | INFO) && wanted < least {
                return Err(invalid(NAME, "nrows"));
            }
            Ok((at, kind, by, wanted))
        };
        let (at, kind, by, wanted) = match asked() {
            Ok(asked) => asked,
            Err(e) => return Ok(Err(ended(e))),
        };
        if kind == INFO {
            return Ok(Ok(self.cursor_info(at, passed)));
        }
        let c = &self.session.held.cursors.list[at];
        let copy = match c.open.as_ref().map(|o| &o.rows) {
            Some(CursorRows::Copied(copied)) => Some(copied.rows.len() as i64),
            Some(CursorRows::Keyset(k)) => Some(k.len() as i64),
            Some(CursorRows::Streamed(_)) => None,
            None => return Ok(Err(ended(SqlError::new(16917, &[])))),
        };
        let sent = match copy {
            Some(n) if c.made.scroll => self.send_block(at, kind, n, (wanted, by))?,
            None if c.made.scroll => self.fetch_along(at, kind, wanted, by)?,
            _ => self.fetch_forward(at, kind, wanted)?,
        };
        Ok(sent.map(|s| Returned { status: s.status, ..Returned::default() }))
    }

    /// INFO: the place of the cursor, and how many rows there are.
    fn cursor_info(&self, at: usize, passed: &[Passed]) -> Returned {
        let c = &self.session.held.cursors.list[at];
        let Some((api, open)) = c.api.as_ref().zip(c.open.as_ref()) else {
            return Returned { outputs: outputs(passed, [(2, 0), (3, 0)]), ..Returned::default() };
        };
        let (place, rows) = match &open.rows {
            CursorRows::Copied(_) | CursorRows::Keyset(_) if c.made.scroll => {
                let n = open.copied_rows() as i64;
                (if api.start > n { -1 } else { api.start }, n)
            }
            _ if api.start == 0 => (0, -1),
            _ if api.ended && api.count == 0 => (-1, -1),
            _ => (1, -1),
        };
        let outputs = outputs(passed, [(2, place as i32), (3, rows as i32)]);
        Returned { outputs, ..Returned::default() }
    }

    /// A fetch from a cursor that goes forward only: NEXT, and FIRST, which begins anew.
    fn fetch_forward(
        &mut self,
        at: usize,
        kind: i64,
        wanted: i64,
    ) -> Result<Result<Sent, Failed>, Unwind> {
        let word = match kind {
            NEXT | FIRST => "",
            PREV | PREV_NOADJUST => "prior",
            LAST => "last",
            ABSOLUTE => "absolute",
            RELATIVE => "relative",
            _ => "refresh",
        };
        if !word.is_empty() {
            return Ok(Err(ended(SqlError::new(16911, &[&NAME, &word]))));
        }
        if kind == FIRST {
            let c = &mut self.session.held.cursors.list[at];
            let has_moved = c.api.as_ref().is_some_and(|api| api.start != 0);
            if let Some(api) = &mut c.api {
                (api.start, api.count, api.ended) = (0, 0, false);
            }
            if has_moved {
                c.close();
                if let Err(e) = self.open_at(at) {
                    return Ok(Err(ended(e)));
                }
            }
        }
        self.send_next(at, wanted)
    }

    /// Sends the next rows of a cursor, `wanted` at most.
    pub(super) fn send_next(
        &mut self,
        at: usize,
        wanted: i64,
    ) -> Result<Result<Sent, Failed>, Unwind> {
        let c = &mut self.session.held.cursors.list[at];
        if let (Some(api), Some(Opened { rows: CursorRows::Keyset(k), .. })) = (&c.api, &mut c.open)
        {
            // Behind the buffer, whichever of its rows has been changed since.
            k.go_to((api.start + api.count - 1).max(0) as usize);
        }
        let sent = match self.rows_forward(at, wanted) {
            Ok(sent) => sent,
            Err(e) => {
                self.clear_buffer(at);
                return Ok(Err(ended(e)));
            }
        };
        self.done(Ended { command: Command::SELECT, rows: Some(sent as u64) })?;
        let c = &mut self.session.held.cursors.list[at];
        let Some(api) = &mut c.api else { return Ok(Ok(Sent { status: 0, rows: sent })) };
        api.start += if api.start == 0 { 1 } else { api.count };
        (api.count, api.ended) = (sent, sent < wanted);
        let closes = api.ended && api.closes_itself;
        if closes {
            self.session.held.cursors.remove(at);
        }
        Ok(Ok(Sent { status: if closes { CLOSED } else { 0 }, rows: sent }))
    }

    fn rows_forward(&mut self, at: usize, wanted: i64) -> SqlResult<i64> {
        self.begin_block(at)?;
        let mut sent = 0;
        while sent < wanted {
            self.session.check_cancel()?;
            let meter = self.session.meter();
            let row = self.fetched(at, &Direction::Next, 0, 0);
            self.session.held.cursors.list[at].show_fetch(&row, &meter, self.session);
            let (Some(row), status) = row? else { break };
            self.send_row(at, row, status)?;
            sent += 1;
        }
        Ok(sent)
    }

    /// Sends a block of a copy of `n` rows.
    fn send_block(
        &mut self,
        at: usize,
        kind: i64,
        n: i64,
        (wanted, by): (i64, i64),
    ) -> Result<Result<Sent, Failed>, Unwind> {
        let meter = self.session.meter();
        let c = &self.session.held.cursors.list[at];
        let Some(api) = &c.api else { return Ok(Err(ended(invalid(NAME, "cursor")))) };
        let block = block(kind, api, n, wanted, by);
        if let Err(e) = self.rows_of_block(at, block) {
            self.clear_buffer(at);
            return Ok(Err(ended(e)));
        }
        if let Some(api) = &mut self.session.held.cursors.list[at].api {
            (api.start, api.count) = (block.start, block.count);
        }
        let c = &self.session.held.cursors.list[at];
        let found = block.count > 0;
        let place = if block.start > n { -1 } else { block.start };
        let status = if found { 0 } else { -1 };
        let copy = matches!(&c.open, Some(Opened { rows: CursorRows::Copied(_), .. }));
        let cost = if copy { meter.no_query() } else { meter.read(self.session) };
        c.shown.fetched(status, block.count as u64, place, cost);
        self.done(Ended { command: Command::SELECT, rows: Some(block.count as u64) })?;
        Ok(Ok(Sent { status: block.status, rows: block.count }))
    }

    fn rows_of_block(&mut self, at: usize, block: Block) -> SqlResult<()> {
        self.begin_block(at)?;
        for number in block.start..block.start + block.count {
            self.session.check_cancel()?;
            let c = &mut self.session.held.cursors.list[at];
            match c.open.as_mut().map(|o| &mut o.rows) {
                Some(CursorRows::Copied(copied)) => copied.place = number as usize - 1,
                Some(CursorRows::Keyset(k)) => k.go_to(number as usize - 1),
                _ => break,
            }
            let (Some(row), status) = self.fetched(at, &Direction::Next, 0, 0)? else { break };
            self.send_row(at, row, status)?;
        }
        Ok(())
    }

    /// Sends the columns of a block of rows: the fetch buffer is theirs from then on.
    pub(super) fn begin_block(&mut self, at: usize) -> SqlResult<()> {
        let c = &self.session.held.cursors.list[at];
        let Some(open) = &c.open else { return Err(SqlError::new(16917, &[])) };
        let (columns, told) = (with_status(&open.columns), c.made.told.clone());
        self.context(0).cursor_columns(&columns, &told)?;
        self.clear_buffer(at);
        Ok(())
    }

    /// The fetch buffer has no rows any more.
    pub(super) fn clear_buffer(&mut self, at: usize) {
        if let Some(api) = &mut self.session.held.cursors.list[at].api {
            api.buffer.clear();
        }
    }

    /// Sends the row that a fetch has given with its status, and puts it into the buffer.
    pub(super) fn send_row(
        &mut self,
        at: usize,
        mut row: Vec<Value>,
        status: i32,
    ) -> SqlResult<()> {
        row.push(Value::Int(if status == 0 { SUCCEEDED } else { MISSING }));
        let c = &mut self.session.held.cursors.list[at];
        if let (Some(api), Some(open)) = (&mut c.api, &c.open) {
            api.buffer.push(open.current.clone());
        }
        self.context(0).row(&row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(start: i64, count: i64) -> ApiCursor {
        let (scroll, concurrency) = (8, 1);
        ApiCursor { scroll, concurrency, start, count, ..ApiCursor::default() }
    }

    fn goes(kind: i64, from: &ApiCursor, wanted: i64, by: i64) -> (i64, i64, i32) {
        let b = block(kind, from, 6, wanted, by);
        (b.start, b.count, b.status)
    }

    #[test]
    fn fetches_go_forward_block_by_block() {
        assert_eq!(goes(NEXT, &from(0, 0), 4, 1), (1, 4, 0));
        assert_eq!(goes(NEXT, &from(1, 4), 4, 1), (5, 2, 0));
        assert_eq!(goes(NEXT, &from(5, 2), 4, 1), (7, 0, 0));
        assert_eq!(goes(NEXT, &from(7, 0), 4, 1), (7, 0, 0));
        assert_eq!(goes(FIRST, &from(5, 2), 0, 1), (0, 0, 0));
        assert_eq!(goes(LAST, &from(1, 1), 2, 1), (5, 2, 0));
        assert_eq!(goes(LAST, &from(1, 1), 0, 1), (7, 0, 0));
    }

    /// The example of the documentation: six rows, the cursor on the fourth one.
    #[test]
    fn fetches_back_are_moved_to_the_first_row() {
        assert_eq!(goes(PREV, &from(4, 1), 5, 1), (1, 5, MOVED));
        assert_eq!(goes(PREV_NOADJUST, &from(4, 1), 5, 6), (1, 3, 0));
        assert_eq!(goes(PREV, &from(4, 1), 3, 1), (1, 3, 0));
        assert_eq!(goes(PREV, &from(1, 3), 3, 1), (0, 0, 0));
        assert_eq!(goes(PREV, &from(7, 0), 2, 1), (5, 2, 0));
    }

    #[test]
    fn places_are_counted_from_both_ends() {
        assert_eq!(goes(ABSOLUTE, &from(0, 0), 2, 5), (5, 2, 0));
        assert_eq!(goes(ABSOLUTE, &from(0, 0), 2, -1), (6, 1, 0));
        assert_eq!(goes(ABSOLUTE, &from(0, 0), 2, -7), (0, 0, 0));
        assert_eq!(goes(ABSOLUTE, &from(0, 0), 2, 9), (7, 0, 0));
        assert_eq!(goes(RELATIVE, &from(2, 3), 1, 2), (4, 1, 0));
        assert_eq!(goes(RELATIVE, &from(2, 3), 1, -2), (0, 0, 0));
        assert_eq!(goes(RELATIVE, &from(2, 3), 2, i64::MAX), (7, 0, 0));
        assert_eq!(goes(REFRESH, &from(3, 2), 9, 1), (3, 2, 0));
    }
}
