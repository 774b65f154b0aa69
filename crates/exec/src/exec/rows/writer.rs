//! Rows on their way to a file.

use super::file::{SpillBlock, SpillFile};
use super::{BLOCK, CHECKSUM, ROOM, codec};
use crate::memory::Held;
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::Value;

/// Bytes of the length before each row.
pub(super) const LENGTH: usize = size_of::<u32>();

/// Takes rows; they are in the file when it has finished.
pub(crate) struct SpillWriter {
    rows: SpilledRows,
    /// The block that is being filled, from its checksum on.
    block: Vec<u8>,
    row: Vec<u8>,
    held: Held,
}

impl SpillWriter {
    pub fn new(file: &Arc<SpillFile>) -> SpillWriter {
        let rows = SpilledRows { file: file.clone(), blocks: Vec::new(), bytes: 0, rows: 0 };
        SpillWriter { rows, block: Vec::new(), row: Vec::new(), held: Held::default() }
    }

    /// Adds a row.
    pub fn push<'v>(&mut self, row: impl IntoIterator<Item = &'v Value>) -> SqlResult<()> {
        let mut bytes = std::mem::take(&mut self.row);
        bytes.clear();
        bytes.extend_from_slice(&[0; LENGTH]);
        codec::append_row(&mut bytes, row);
        let n = bytes.len() - LENGTH;
        let length = u32::try_from(n).map_err(|_| SqlError::new(511, &[&n, &u32::MAX]))?;
        bytes[..LENGTH].copy_from_slice(&length.to_le_bytes());
        let written = self.append(&bytes);
        self.row = bytes;
        // One long row is no reason to keep room for another one.
        if self.row.capacity() > BLOCK {
            self.row = Vec::new();
        }
        self.rows.rows += 1;
        written
    }

    /// Bytes of memory that are kept.
    pub(super) fn bytes(&self) -> usize {
        self.held.bytes()
    }

    /// The place of the next row.
    pub(super) fn position(&self) -> u64 {
        self.rows.bytes
    }

    fn append(&mut self, mut bytes: &[u8]) -> SqlResult<()> {
        while !bytes.is_empty() {
            if self.block.is_empty() {
                self.block.reserve_exact(BLOCK);
                self.block.resize(CHECKSUM, 0);
                if self.held.bytes() == 0 {
                    self.held.add(BLOCK);
                }
            }
            let n = bytes.len().min(BLOCK - self.block.len());
            let (now, rest) = bytes.split_at(n);
            self.block.extend_from_slice(now);
            self.rows.bytes += n as u64;
            bytes = rest;
            if self.block.len() == BLOCK {
                self.write()?;
            }
        }
        Ok(())
    }

    fn write(&mut self) -> SqlResult<()> {
        if !self.block.is_empty() {
            let block = self.rows.file.write(&mut self.block)?;
            self.rows.blocks.push(block);
            self.block.clear();
        }
        Ok(())
    }

    /// The rows, all of which are in the file now.
    pub fn finish(mut self) -> SqlResult<SpilledRows> {
        self.write()?;
        Ok(self.rows)
    }
}

/// Rows in a file, in the order in which they came. Their blocks go back to the file with them.
pub(crate) struct SpilledRows {
    pub(super) file: Arc<SpillFile>,
    pub(super) blocks: Vec<SpillBlock>,
    /// With their lengths.
    pub(super) bytes: u64,
    /// How many there are.
    pub rows: u64,
}

impl SpilledRows {
    /// Bytes of rows in a block.
    pub(super) fn bytes_in(&self, block: usize) -> usize {
        (self.bytes - (block * ROOM) as u64).min(ROOM as u64) as usize
    }
}

impl Drop for SpilledRows {
    fn drop(&mut self) {
        self.file.free(&self.blocks);
    }
}
