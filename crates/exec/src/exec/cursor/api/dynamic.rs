//! sp_cursorfetch of a DYNAMIC cursor: blocks of rows along an index, in either direction.
//!
//! The buffer's first row has a place of its own, from which PREV and RELATIVE count; the cursor is on its last one, from which NEXT does.
//! Rows have no numbers: ABSOLUTE is refused (16925).

use super::super::streaming::ScrollPlace;
use super::super::{CursorRows, Direction};
use super::fetch::{
    ABSOLUTE, FIRST, LAST, MOVED, NEXT, PREV, PREV_NOADJUST, REFRESH, RELATIVE, Sent,
};
use super::{Current, ended};
use crate::exec::called::Failed;
use crate::exec::interpret::{Ended, Interpreter, Unwind};
use crate::sink::Command;
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::Value;

/// A row of a block, with its status and where it is.
struct Along {
    row: Vec<Value>,
    status: i32,
    current: Current,
    place: ScrollPlace,
}

impl Interpreter<'_> {
    /// A fetch from a cursor that scrolls along an index.
    pub(super) fn fetch_along(
        &mut self,
        at: usize,
        kind: i64,
        wanted: i64,
        by: i64,
    ) -> Result<Result<Sent, Failed>, Unwind> {
        let meter = self.session.meter();
        if kind == ABSOLUTE {
            return Ok(Err(ended(SqlError::new(16925, &[&"absolute"]))));
        }
        let (rows, status) = match self.block_along(at, kind, wanted, by) {
            Ok(found) => found,
            Err(e) => return Ok(Err(ended(e))),
        };
        let count = rows.len() as i64;
        if let Err(e) = self.send_along(at, rows) {
            return Ok(Err(ended(e)));
        }
        let c = &mut self.session.held.cursors.list[at];
        if let Some(api) = &mut c.api {
            (api.start, api.count) = (i64::from(api.start > 0 || count > 0), count);
            api.ended = count == 0 && api.first == ScrollPlace::Behind;
        }
        let fetch = if count > 0 { 0 } else { -1 };
        let cost = meter.read(self.session);
        self.session.held.cursors.list[at].shown.fetched(fetch, count as u64, -1, cost);
        self.done(Ended { command: Command::SELECT, rows: Some(count as u64) })?;
        Ok(Ok(Sent { status, rows: count }))
    }

    /// The rows to which a fetch goes, and its return status.
    fn block_along(
        &mut self,
        at: usize,
        kind: i64,
        wanted: i64,
        by: i64,
    ) -> SqlResult<(Vec<Along>, i32)> {
        let api = &self.session.held.cursors.list[at].api;
        let first = api.as_ref().map(|api| api.first.clone()).unwrap_or_default();
        let mut status = 0;
        let rows = match kind {
            NEXT => self.rows_along(at, &Direction::Next, wanted)?,
            LAST => {
                self.go_along(at, ScrollPlace::Behind);
                self.rows_back(at, wanted)?
            }
            PREV | PREV_NOADJUST => {
                self.go_along(at, first);
                let rows = self.rows_back(at, wanted)?;
                if kind == PREV && !rows.is_empty() && (rows.len() as i64) < wanted {
                    status = MOVED;
                    self.go_along(at, ScrollPlace::Before);
                    self.rows_along(at, &Direction::Next, wanted)?
                } else {
                    rows
                }
            }
            REFRESH => self.rows_again(at)?,
            RELATIVE => {
                self.go_along(at, first);
                self.rows_from(at, by, wanted)?
            }
            _ => {
                debug_assert_eq!(kind, FIRST, "the other kinds have been told apart");
                self.go_along(at, ScrollPlace::Before);
                self.rows_along(at, &Direction::Next, wanted)?
            }
        };
        let first = rows.first().map(|r| r.place.clone());
        let first = first.unwrap_or_else(|| self.place_along(at));
        if let Some(api) = &mut self.session.held.cursors.list[at].api {
            api.first = first;
            api.places = rows.iter().map(|r| r.place.clone()).collect();
        }
        if let Some(last) = rows.last() {
            let place = last.place.clone();
            self.go_along(at, place);
        }
        Ok((rows, status))
    }

    /// The row so many rows away, and those behind it.
    fn rows_from(&mut self, at: usize, by: i64, wanted: i64) -> SqlResult<Vec<Along>> {
        let direction = match by {
            0 => None,
            by if by > 0 => Some(Direction::Next),
            _ => Some(Direction::Prior),
        };
        let first = match direction {
            None => self.row_along(at, None)?,
            Some(direction) => {
                let mut found = None;
                for _ in 0..by.unsigned_abs() {
                    found = self.row_along(at, Some(&direction))?;
                    if found.is_none() {
                        break;
                    }
                }
                found
            }
        };
        let Some(first) = first else { return Ok(Vec::new()) };
        let mut rows = vec![first];
        rows.append(&mut self.rows_along(at, &Direction::Next, wanted - 1)?);
        Ok(rows)
    }

    /// The rows of the buffer as they are now, each at its own place: one that has gone leaves a hole.
    fn rows_again(&mut self, at: usize) -> SqlResult<Vec<Along>> {
        let api = &self.session.held.cursors.list[at].api;
        let places = api.as_ref().map(|api| api.places.clone()).unwrap_or_default();
        let mut rows = Vec::new();
        for place in places {
            self.go_along(at, place);
            rows.extend(self.row_along(at, None)?);
        }
        Ok(rows)
    }

    /// So many rows before the place, in their order.
    fn rows_back(&mut self, at: usize, wanted: i64) -> SqlResult<Vec<Along>> {
        let mut rows = self.rows_along(at, &Direction::Prior, wanted)?;
        rows.reverse();
        Ok(rows)
    }

    fn rows_along(
        &mut self,
        at: usize,
        direction: &Direction,
        wanted: i64,
    ) -> SqlResult<Vec<Along>> {
        let mut rows = Vec::new();
        while (rows.len() as i64) < wanted {
            match self.row_along(at, Some(direction))? {
                Some(found) => rows.push(found),
                None => break,
            }
        }
        Ok(rows)
    }

    /// The next row in a direction; none of them: the one that the cursor is on.
    fn row_along(&mut self, at: usize, direction: Option<&Direction>) -> SqlResult<Option<Along>> {
        self.session.check_cancel()?;
        let fetched = match direction {
            Some(direction) => self.fetched(at, direction, 0, 0)?,
            None => self.fetched(at, &Direction::Again, 0, 0)?,
        };
        let (Some(row), status) = fetched else { return Ok(None) };
        let place = self.place_along(at);
        let open = &self.session.held.cursors.list[at].open;
        let current = open.as_ref().map_or(Current::None, |o| o.current.clone());
        Ok(Some(Along { row, status, current, place }))
    }

    fn send_along(&mut self, at: usize, rows: Vec<Along>) -> SqlResult<()> {
        self.begin_block(at)?;
        for found in rows {
            if let Some(open) = &mut self.session.held.cursors.list[at].open {
                open.current = found.current;
            }
            self.send_row(at, found.row, found.status)?;
        }
        Ok(())
    }

    fn place_along(&self, at: usize) -> ScrollPlace {
        match self.session.held.cursors.list[at].open.as_ref().map(|o| &o.rows) {
            Some(CursorRows::Streamed(s)) => s.place().clone(),
            _ => ScrollPlace::Before,
        }
    }

    fn go_along(&mut self, at: usize, place: ScrollPlace) {
        let open = &mut self.session.held.cursors.list[at].open;
        if let Some(CursorRows::Streamed(s)) = open.as_mut().map(|o| &mut o.rows) {
            s.go_to(place);
        }
    }
}
