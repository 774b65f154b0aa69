//! Rows that are written first and then read, in any order.

use super::{SpillReader, SpillWriter};
use crate::exec::runtime::{RowBuffer, Rt};
use crate::memory;
use taffrail_base::SqlResult;
use taffrail_plan::expr::Slot;
use taffrail_types::Value;

/// The place of each row of so many is noted.
const NOTED: usize = 32;
/// Blocks that a store keeps while it is read: rows before and behind the current one are asked for, too.
const BLOCKS: usize = 4;

/// Rows of equal width: in memory, or all of them in the statement's file.
pub(crate) struct RowStore {
    memory: RowBuffer,
    rows: usize,
    writer: Option<SpillWriter>,
    reader: Option<SpillReader>,
    /// Places of the rows whose number is a multiple of [`NOTED`].
    places: Vec<u64>,
    /// The row that was read last, and its number.
    row: Vec<Value>,
    last: usize,
    /// Blocks that are kept while it is read.
    blocks: usize,
}

impl RowStore {
    pub fn new(width: usize) -> RowStore {
        RowStore::keeping(width, BLOCKS)
    }

    /// For rows that are read one after the other.
    pub(crate) fn in_order(width: usize) -> RowStore {
        RowStore::keeping(width, 1)
    }

    fn keeping(width: usize, blocks: usize) -> RowStore {
        RowStore {
            blocks,
            memory: RowBuffer::new(width),
            rows: 0,
            writer: None,
            reader: None,
            places: Vec::new(),
            row: Vec::new(),
            last: usize::MAX,
        }
    }

    pub fn len(&self) -> usize {
        self.rows
    }

    /// Adds the row in the frame. None has been read.
    pub fn push(&mut self, rt: &mut Rt<'_>, slots: &[Slot]) -> SqlResult<()> {
        if self.writer.is_some() {
            return self.write(slots.iter().map(|s| &rt.frame[*s as usize]));
        }
        self.rows += 1;
        self.memory.push(rt, slots);
        match memory::must_spill(self.memory.bytes()) {
            true => self.spill(rt),
            false => Ok(()),
        }
    }

    /// Adds a row of these values. None has been read.
    pub fn add(&mut self, rt: &mut Rt<'_>, row: &[Value]) -> SqlResult<()> {
        if self.writer.is_some() {
            return self.write(row);
        }
        self.rows += 1;
        self.memory.add(row);
        match memory::must_spill(self.memory.bytes()) {
            true => self.spill(rt),
            false => Ok(()),
        }
    }

    fn write<'v>(&mut self, row: impl IntoIterator<Item = &'v Value>) -> SqlResult<()> {
        let Some(writer) = &mut self.writer else { return Ok(()) };
        if self.rows.is_multiple_of(NOTED) {
            self.places.push(writer.position());
        }
        self.rows += 1;
        writer.push(row)
    }

    #[cold]
    fn spill(&mut self, rt: &mut Rt<'_>) -> SqlResult<()> {
        let mut writer = SpillWriter::new(&rt.spill_file()?);
        for n in 0..self.memory.rows {
            if n.is_multiple_of(NOTED) {
                self.places.push(writer.position());
            }
            writer.push(self.memory.row(n))?;
        }
        self.memory = RowBuffer::new(self.memory.width);
        self.writer = Some(writer);
        Ok(())
    }

    /// A row. What is asked for next is best one of those beside it.
    pub fn row(&mut self, n: usize) -> SqlResult<&[Value]> {
        debug_assert!(n < self.rows);
        if self.writer.is_none() && self.reader.is_none() {
            return Ok(self.memory.row(n));
        }
        if let Some(writer) = self.writer.take() {
            self.reader = Some(SpillReader::keeping(writer.finish()?, self.blocks));
        }
        if n == self.last {
            return Ok(&self.row);
        }
        let Some(reader) = &mut self.reader else { return Ok(&[]) };
        if self.last == usize::MAX || n != self.last + 1 {
            reader.seek(self.places[n / NOTED]);
            for _ in 0..n % NOTED {
                reader.skip()?;
            }
        }
        reader.next(&mut self.row)?;
        self.last = n;
        Ok(&self.row)
    }
}
