//! An aggregate over a frame whose first row moves: each row is taken in once and let go once, in constant time on average.
//!
//! The frame is two stacks. Its newer rows wait in `newer`, with one part for all of them. Its older rows are in `older`, each as
//! the part of itself and of the newer rows below it, so that the oldest, on top, tells of them all; letting it go uncovers the
//! part without it.
//! When `older` is empty, `newer` is turned over into it.

use super::partial::Partial;
use crate::memory::Held;
use crate::plan::node::Agg;
use std::ops::Range;
use taffrail_base::SqlResult;
use taffrail_types::Value;

pub(super) struct Sliding<'a> {
    agg: &'a Agg,
    older: Vec<Partial>,
    newer: Vec<Partial>,
    of_newer: Partial,
    /// The rows that are in.
    rows: Range<usize>,
    /// What the stacks take.
    held: Held,
}

impl<'a> Sliding<'a> {
    /// Of no rows, before row `at`.
    pub fn new(agg: &'a Agg, at: usize) -> Sliding<'a> {
        Sliding {
            agg,
            older: Vec::new(),
            newer: Vec::new(),
            of_newer: Partial::NONE,
            rows: at..at,
            held: Held::default(),
        }
    }

    /// The aggregate over the rows of a frame, neither end of which lies before that of the frame before. `value` gives a row's argument.
    pub fn over(
        &mut self,
        frame: Range<usize>,
        mut value: impl FnMut(usize) -> SqlResult<Value>,
    ) -> SqlResult<Value> {
        debug_assert!(frame.start >= self.rows.start && frame.end >= self.rows.end);
        if frame.start >= self.rows.end {
            // None of the rows before is left.
            self.clear(frame.start);
        }
        while self.rows.end < frame.end {
            let mut part = Partial::NONE;
            part.add(self.agg, value(self.rows.end)?)?;
            self.of_newer.merge(self.agg, &part)?;
            self.held.add(size_of::<Partial>());
            self.newer.push(part);
            self.rows.end += 1;
        }
        while self.rows.start < frame.start {
            if self.older.is_empty() {
                self.turn()?;
            }
            self.older.pop();
            self.held.less(size_of::<Partial>());
            self.rows.start += 1;
        }
        match self.older.last() {
            None => self.of_newer.finish(self.agg),
            Some(older) => {
                let mut all = older.clone();
                all.merge(self.agg, &self.of_newer)?;
                all.finish(self.agg)
            }
        }
    }

    fn clear(&mut self, at: usize) {
        self.older.clear();
        self.newer.clear();
        self.held.clear();
        self.of_newer = Partial::NONE;
        self.rows = at..at;
    }

    /// The newer rows become the older ones.
    fn turn(&mut self) -> SqlResult<()> {
        let mut behind = Partial::NONE;
        for mut part in self.newer.drain(..).rev() {
            part.merge(self.agg, &behind)?;
            behind = part.clone();
            self.older.push(part);
        }
        self.of_newer = Partial::NONE;
        Ok(())
    }
}
