//! Rows that are written first and then read, in any order.

use super::{SpillFile, SpillReader, SpillWriter, SpilledRows};
use crate::exec::runtime::{RowBuffer, Rt};
use crate::memory;
use crate::rowcodec::damaged;
use std::sync::Arc;
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
            true => self.spill(rt.spill_file()?),
            false => Ok(()),
        }
    }

    /// Adds a row of these values. None has been read.
    pub fn add(&mut self, rt: &mut Rt<'_>, row: &[Value]) -> SqlResult<()> {
        self.add_in(row, || rt.spill_file())
    }

    /// Adds a row of these values, which are taken out of `row`. None has been read.
    pub fn take(&mut self, rt: &mut Rt<'_>, row: &mut Vec<Value>) -> SqlResult<()> {
        if self.writer.is_some() {
            let written = self.write(&*row);
            row.clear();
            return written;
        }
        self.rows += 1;
        self.memory.take(row);
        match memory::must_spill(self.memory.bytes()) {
            true => self.spill(rt.spill_file()?),
            false => Ok(()),
        }
    }

    /// Adds a row of these values, of rows whose file is this one. None has been read.
    pub(crate) fn add_in(
        &mut self,
        row: &[Value],
        file: impl FnOnce() -> SqlResult<Arc<SpillFile>>,
    ) -> SqlResult<()> {
        if self.writer.is_some() {
            return self.write(row);
        }
        self.rows += 1;
        self.memory.add(row);
        match memory::must_spill(self.memory.bytes()) {
            true => self.spill(file()?),
            false => Ok(()),
        }
    }

    /// Bytes of memory that are kept.
    pub fn bytes(&self) -> usize {
        let writer = self.writer.as_ref().map_or(0, SpillWriter::bytes);
        self.memory.bytes() + writer + self.reader.as_ref().map_or(0, SpillReader::held)
    }

    /// The rows, of which none has been read, for any number of readers.
    pub fn finish(self) -> SqlResult<KeptRows> {
        Ok(match self.writer {
            Some(writer) => KeptRows::File(Arc::new(writer.finish()?)),
            None => KeptRows::Memory(self.memory),
        })
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
    pub(super) fn spill(&mut self, file: Arc<SpillFile>) -> SqlResult<()> {
        let mut writer = SpillWriter::new(&file);
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
        if self.memory.rows == self.rows {
            return Ok(self.memory.row(n));
        }
        if let Some(writer) = self.writer.take() {
            self.reader = Some(SpillReader::keeping(writer.finish()?, self.blocks));
        }
        if n == self.last {
            return Ok(&self.row);
        }
        // There is none where the last rows could not be written: somebody asks once more after that error.
        let Some(reader) = &mut self.reader else { return Err(damaged("a temporary file")) };
        // An error leaves the reader anywhere.
        let before = std::mem::replace(&mut self.last, usize::MAX);
        if before == usize::MAX || n != before + 1 {
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

/// Rows that are all there, in memory or in a file.
pub(crate) enum KeptRows {
    /// All of them in memory.
    Memory(RowBuffer),
    /// All of them in a file.
    File(Arc<SpilledRows>),
}

/// A reader's place among [`KeptRows`].
#[derive(Default)]
pub(crate) struct KeptReader {
    at: usize,
    file: Option<SpillReader>,
    row: Vec<Value>,
}

impl KeptReader {
    /// The next row of these rows, which are the same at each call; none at the end.
    pub fn next<'r>(&'r mut self, rows: &'r KeptRows) -> SqlResult<Option<&'r [Value]>> {
        match rows {
            KeptRows::Memory(rows) if self.at < rows.rows => {
                self.at += 1;
                Ok(Some(rows.row(self.at - 1)))
            }
            KeptRows::Memory(_) => Ok(None),
            KeptRows::File(rows) => {
                let reader = self.file.get_or_insert_with(|| SpillReader::new(rows.clone()));
                Ok(if reader.next(&mut self.row)? { Some(&self.row) } else { None })
            }
        }
    }
}
