//! Rows apart by their hash.

use super::{BLOCK, SpillFile, SpillWriter, SpilledRows};
use crate::memory;
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_types::Value;

/// Into how many partitions the rows go that have no room in so much memory: each of them keeps a block there while it is written.
pub(crate) fn partition_count(memory: usize) -> usize {
    let most = memory / 16 / BLOCK;
    match most {
        0..4 => 2,
        4..8 => 4,
        8..16 => 8,
        16..32 => 16,
        _ => 32,
    }
}

/// What who keeps rows beside the partitions adds to their bytes when it asks `memory::must_spill`: so there is room for a block of each
/// partition, and of the one that is read.
pub(crate) fn room_beside_partitions() -> usize {
    let memory = memory::limit();
    3 * BLOCK * (partition_count(memory) + 1).min(memory / BLOCK)
}

/// Partitions that are being written. Rows of one hash are in one of them, in the order in which they came.
pub(crate) struct Partitions {
    file: Arc<SpillFile>,
    /// Those without a row have no writer.
    writers: Vec<Option<SpillWriter>>,
    /// Of a partition that is divided once more: other bits decide than before.
    pub level: u32,
    pub rows: u64,
}

impl Partitions {
    pub fn new(file: &Arc<SpillFile>, count: usize, level: u32) -> Partitions {
        debug_assert!(count.is_power_of_two());
        let writers = (0..count).map(|_| None).collect();
        Partitions { file: file.clone(), writers, level, rows: 0 }
    }

    fn of(&self, hash: u64) -> usize {
        // Odd, and another one for each level: the upper half of the product depends on all bits of the hash.
        let factor = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(2 * u64::from(self.level) + 1);
        let mixed = (hash ^ hash >> 29).wrapping_mul(factor);
        (mixed >> 40) as usize & (self.writers.len() - 1)
    }

    /// Adds a row.
    pub fn push<'v>(
        &mut self,
        hash: u64,
        row: impl IntoIterator<Item = &'v Value>,
    ) -> SqlResult<()> {
        let at = self.of(hash);
        let file = &self.file;
        self.rows += 1;
        self.writers[at].get_or_insert_with(|| SpillWriter::new(file)).push(row)
    }

    /// The rows of each partition; `None` where there are none.
    pub fn finish(self) -> SqlResult<Vec<Option<SpilledRows>>> {
        self.writers.into_iter().map(|w| w.map(SpillWriter::finish).transpose()).collect()
    }
}
