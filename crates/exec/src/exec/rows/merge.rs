//! Sorted runs made one.

use super::{BLOCK, SpillFile, SpillReader, SpillWriter, SpilledRows, Warning};
use crate::memory;
use std::cmp::Ordering;
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_types::Value;

/// Sorted runs that are being written.
pub(crate) struct Runs {
    file: Arc<SpillFile>,
    done: Vec<SpilledRows>,
    /// The run that is not whole yet, and its number.
    writer: Option<(u64, SpillWriter)>,
}

impl Runs {
    pub fn new(file: &Arc<SpillFile>) -> Runs {
        Runs { file: file.clone(), done: Vec::new(), writer: None }
    }

    /// Writes a run whole.
    pub fn write<'v, R>(&mut self, rows: impl Iterator<Item = R>) -> SqlResult<()>
    where
        R: IntoIterator<Item = &'v Value>,
    {
        let mut writer = SpillWriter::new(&self.file);
        for row in rows {
            writer.push(row)?;
        }
        self.done.push(writer.finish()?);
        Ok(())
    }

    /// Adds a row to a run: another number than the row before had begins another run.
    pub fn push<'v>(
        &mut self,
        run: u64,
        row: impl IntoIterator<Item = &'v Value>,
    ) -> SqlResult<()> {
        if let Some((_, whole)) = self.writer.take_if(|(number, _)| *number != run) {
            self.done.push(whole.finish()?);
        }
        let new = || (run, SpillWriter::new(&self.file));
        self.writer.get_or_insert_with(new).1.push(row)
    }

    /// Merges the runs; the second value tells how often all rows were written again.
    pub fn merged(
        mut self,
        compare: &impl Fn(&[Value], &[Value]) -> Ordering,
    ) -> SqlResult<(RowMerge, u32)> {
        if let Some((_, whole)) = self.writer.take() {
            self.done.push(whole.finish()?);
        }
        let most = runs_at_once(memory::limit());
        let (runs, passes) = merged_to(most, self.done, &self.file, compare)?;
        Ok((RowMerge::new(runs, compare)?, passes))
    }

    /// Merges the runs of a sort, which kept so many bytes in memory.
    pub fn sorted(
        self,
        used: usize,
        compare: &impl Fn(&[Value], &[Value]) -> Ordering,
    ) -> SqlResult<RowMerge> {
        let rows = self.done.iter().map(|r| r.rows).sum();
        let file = self.file.clone();
        let (merge, passes) = self.merged(compare)?;
        Warning { used, rows }.of_sort(&file, passes);
        Ok(merge)
    }
}

/// The rows of several runs in order; equal ones in the order of their runs.
pub(crate) struct RowMerge {
    runs: Vec<(SpillReader, Vec<Value>)>,
    /// Numbers of the runs that have a row: no run stands before the one at half its place.
    heap: Vec<u32>,
    /// The first run's row has been given.
    given: bool,
}

impl RowMerge {
    /// Begins with the first row of each run.
    pub fn new(
        runs: Vec<SpilledRows>,
        compare: &impl Fn(&[Value], &[Value]) -> Ordering,
    ) -> SqlResult<RowMerge> {
        let runs = runs.into_iter().map(|r| (SpillReader::new(r), Vec::new())).collect();
        let mut merge = RowMerge { runs, heap: Vec::new(), given: false };
        for (n, (reader, row)) in merge.runs.iter_mut().enumerate() {
            if reader.next(row)? {
                merge.heap.push(n as u32);
            }
        }
        for at in (0..merge.heap.len() / 2).rev() {
            merge.sift(at, compare);
        }
        Ok(merge)
    }

    fn sift(&mut self, mut at: usize, compare: &impl Fn(&[Value], &[Value]) -> Ordering) {
        let before = |a: u32, b: u32| {
            compare(&self.runs[a as usize].1, &self.runs[b as usize].1).then(a.cmp(&b)).is_lt()
        };
        loop {
            let left = 2 * at + 1;
            if left >= self.heap.len() {
                return;
            }
            let right = left + 1;
            let child = match right < self.heap.len() && before(self.heap[right], self.heap[left]) {
                true => right,
                false => left,
            };
            if !before(self.heap[child], self.heap[at]) {
                return;
            }
            self.heap.swap(child, at);
            at = child;
        }
    }

    /// The next row.
    pub fn next(
        &mut self,
        compare: &impl Fn(&[Value], &[Value]) -> Ordering,
    ) -> SqlResult<Option<&mut Vec<Value>>> {
        if self.given {
            let (reader, row) = &mut self.runs[self.heap[0] as usize];
            if !reader.next(row)? {
                self.heap.swap_remove(0);
            }
            self.sift(0, compare);
        }
        self.given = !self.heap.is_empty();
        Ok(self.heap.first().map(|n| &mut self.runs[*n as usize].1))
    }
}

/// How many runs are merged at once in so much memory: each of them keeps a block there.
fn runs_at_once(memory: usize) -> usize {
    (memory / 8 / BLOCK).clamp(4, 128)
}

/// Merges neighbours until there are at most so many runs; the second value tells how often all rows were written again.
pub(super) fn merged_to(
    most: usize,
    mut runs: Vec<SpilledRows>,
    file: &Arc<SpillFile>,
    compare: &impl Fn(&[Value], &[Value]) -> Ordering,
) -> SqlResult<(Vec<SpilledRows>, u32)> {
    let mut passes = 0;
    while runs.len() > most {
        passes += 1;
        let mut wider = Vec::with_capacity(runs.len().div_ceil(most));
        let mut rest = runs.into_iter();
        loop {
            let group: Vec<SpilledRows> = rest.by_ref().take(most).collect();
            if group.is_empty() {
                break;
            }
            let mut merge = RowMerge::new(group, compare)?;
            let mut writer = SpillWriter::new(file);
            while let Some(row) = merge.next(compare)? {
                writer.push(&*row)?;
            }
            wider.push(writer.finish()?);
        }
        runs = wider;
    }
    Ok((runs, passes))
}
