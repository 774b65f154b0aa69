//! Rows on their way back from a file.

use super::writer::{LENGTH, SpilledRows};
use super::{BLOCK, CHECKSUM, ROOM, codec};
use crate::memory::Held;
use crate::rowcodec::damaged;
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_types::Value;

/// Reads rows one after the other, or from a place on.
pub(crate) struct SpillReader {
    rows: Arc<SpilledRows>,
    /// Blocks in memory by their number among those of the rows; the one that was used last is the first.
    blocks: Vec<(usize, Vec<u8>)>,
    /// How many of them are kept.
    most: usize,
    at: u64,
    /// A row that lies in several blocks.
    whole: Vec<u8>,
    held: Held,
}

impl SpillReader {
    /// For who reads from the beginning to the end.
    pub fn new(rows: impl Into<Arc<SpilledRows>>) -> SpillReader {
        SpillReader::keeping(rows, 1)
    }

    /// For who goes to and fro among so many blocks.
    pub(super) fn keeping(rows: impl Into<Arc<SpilledRows>>, most: usize) -> SpillReader {
        SpillReader {
            rows: rows.into(),
            blocks: Vec::new(),
            most,
            at: 0,
            whole: Vec::new(),
            held: Held::default(),
        }
    }

    /// How many rows there are in all.
    pub fn rows(&self) -> u64 {
        self.rows.rows
    }

    /// Bytes of memory that are kept.
    pub(super) fn held(&self) -> usize {
        self.held.bytes()
    }

    /// Goes to a place.
    pub(super) fn seek(&mut self, at: u64) {
        self.at = at;
    }

    /// From the beginning again.
    pub fn rewind(&mut self) {
        self.seek(0);
    }

    /// Brings a block to the front.
    fn bring(&mut self, number: usize) -> SqlResult<()> {
        if let Some(there) = self.blocks.iter().position(|b| b.0 == number) {
            self.blocks[..=there].rotate_right(1);
            return Ok(());
        }
        let mut bytes = match self.blocks.len() < self.most {
            true => {
                self.held.add(BLOCK);
                Vec::with_capacity(BLOCK)
            }
            false => self.blocks.pop().map(|b| b.1).unwrap_or_default(),
        };
        let Some(block) = self.rows.blocks.get(number) else {
            return Err(damaged("a temporary file"));
        };
        self.rows.file.read(*block, self.rows.bytes_in(number), &mut bytes)?;
        self.blocks.insert(0, (number, bytes));
        Ok(())
    }

    /// Reads so many bytes: they lie in the first block from the place that is given on, or in `whole`.
    fn take(&mut self, n: usize) -> SqlResult<Option<usize>> {
        if self.at + n as u64 > self.rows.bytes {
            return Err(damaged("a temporary file"));
        }
        // A row without a value lies nowhere: behind the last block there is none.
        if n == 0 {
            return Ok(Some(CHECKSUM));
        }
        let (number, from) = ((self.at / ROOM as u64) as usize, (self.at % ROOM as u64) as usize);
        if self.blocks.first().is_none_or(|b| b.0 != number) {
            self.bring(number)?;
        }
        if from + n <= ROOM {
            self.at += n as u64;
            return Ok(Some(CHECKSUM + from));
        }
        self.whole.clear();
        while self.whole.len() < n {
            let from = (self.at % ROOM as u64) as usize;
            self.bring((self.at / ROOM as u64) as usize)?;
            let there = &self.blocks[0].1[CHECKSUM + from..];
            let part = there.len().min(n - self.whole.len());
            self.whole.extend_from_slice(&there[..part]);
            self.at += part as u64;
        }
        Ok(None)
    }

    fn bytes(&self, place: Option<usize>, n: usize) -> &[u8] {
        match place {
            Some(from) => &self.blocks[0].1[from..from + n],
            None => &self.whole[..n],
        }
    }

    /// The length of the next row, which is read next.
    fn length(&mut self) -> SqlResult<Option<usize>> {
        if self.at >= self.rows.bytes {
            return Ok(None);
        }
        let place = self.take(LENGTH)?;
        let mut n = [0; LENGTH];
        n.copy_from_slice(self.bytes(place, LENGTH));
        Ok(Some(u32::from_le_bytes(n) as usize))
    }

    /// The values of the next row, in place of those that were there; false at the end.
    pub fn next(&mut self, out: &mut Vec<Value>) -> SqlResult<bool> {
        let Some(n) = self.length()? else { return Ok(false) };
        let place = self.take(n)?;
        codec::read_row(self.bytes(place, n), out)?;
        Ok(true)
    }

    /// Passes over a row.
    pub(super) fn skip(&mut self) -> SqlResult<()> {
        if let Some(n) = self.length()? {
            self.at += n as u64;
        }
        Ok(())
    }
}
