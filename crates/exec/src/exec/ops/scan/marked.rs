//! Scans of cursors: the row that a mark leads to, and the place where a scan begins.

use super::{ScanOp, err, fetch};
use crate::exec::cursor::{RowMark, ScanStart};
use crate::exec::ops::row::{image_of, note, passes, read_again, take};
use crate::exec::runtime::Rt;
use taffrail_base::SqlResult;
use taffrail_storage::{Direction, KeyRange};

impl ScanOp {
    /// Reads the row that a mark leads to; false where it has gone, is not as the mark has it, or is not wanted.
    pub(super) fn next_marked(&mut self, rt: &mut Rt<'_>, mark: &RowMark) -> SqlResult<bool> {
        rt.tick()?;
        let scan = &*self.scan;
        let base = scan.table.base().hobt()?;
        let patience = scan.locks.patience();
        let tx = rt.cx.session.part(scan.database.id);
        let (locks, row) = (self.locks, &mut self.row);
        let there = patience.read(tx, |tx| fetch(tx, base, &mark.locator, locks, row));
        match there {
            Err(e) if patience.skips(&e) => return Ok(false),
            Err(e) => return Err(err(rt, scan, e)),
            Ok(false) => return Ok(false),
            Ok(true) => {}
        }
        if mark.image.is_some_and(|image| image != image_of(&self.row)) {
            rt.cx.session.held.cursors.note_outdated();
            return Ok(false);
        }
        self.locator.clear();
        self.locator.extend_from_slice(&mark.locator);
        let (layout, columns) = (&scan.table.layout, &scan.columns);
        let passes = match take(rt, scan, layout, &self.row, columns, self.large)? {
            Some(passes) => {
                note(rt, scan, passes, &self.locator, &self.row);
                passes
            }
            None => read_again(rt, scan, &self.locator, &mut self.row)? && passes(rt, scan)?,
        };
        if let (true, Some(mode)) = (passes, self.claims) {
            self.claim(rt, mode)?;
        }
        Ok(passes)
    }
}

/// The part of a range that a scan reads which begins at a place; none where that is behind it.
pub(super) fn start_at(
    mut range: KeyRange,
    start: Option<&ScanStart>,
    direction: Direction,
) -> Option<KeyRange> {
    let Some(ScanStart { from: Some(key), inclusive, .. }) = start else { return Some(range) };
    match direction {
        Direction::Forward => {
            if range.upper.as_ref().is_some_and(|upper| upper < key) {
                return None;
            }
            if range.lower.as_ref().is_none_or(|lower| lower <= key) {
                (range.lower, range.lower_exclusive) = (Some(key.clone()), !inclusive);
            }
        }
        Direction::Backward => {
            if range.lower.as_ref().is_some_and(|lower| lower > key) {
                return None;
            }
            if range.upper.as_ref().is_none_or(|upper| upper >= key) {
                (range.upper, range.upper_inclusive) = (Some(key.clone()), *inclusive);
            }
        }
    }
    Some(range)
}

/// Leaves of ranges what a scan reads that begins at a place.
pub(super) fn ranges_from(
    ranges: &mut Vec<KeyRange>,
    start: Option<&ScanStart>,
    direction: Direction,
) {
    let all = std::mem::take(ranges).into_iter();
    ranges.extend(all.filter_map(|r| start_at(r, start, direction)));
}
