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

/// The partition of a row: rows that are together at one level are apart at the next one, unless their hashes are equal.
fn partition_of(hash: u64, level: u32, count: usize) -> usize {
    // MurmurHash3's finalizer: each bit of the sum decides about half of the bits of the result.
    let mut h = hash.wrapping_add(u64::from(level).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    h = (h ^ h >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    h = (h ^ h >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    (h ^ h >> 33) as usize & (count - 1)
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

    /// Adds a row.
    pub fn push<'v>(
        &mut self,
        hash: u64,
        row: impl IntoIterator<Item = &'v Value>,
    ) -> SqlResult<()> {
        let at = partition_of(hash, self.level, self.writers.len());
        let file = &self.file;
        self.rows += 1;
        self.writers[at].get_or_insert_with(|| SpillWriter::new(file)).push(row)
    }

    /// The rows of each partition; `None` where there are none.
    pub fn finish(self) -> SqlResult<Vec<Option<SpilledRows>>> {
        self.writers.into_iter().map(|w| w.map(SpillWriter::finish).transpose()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_partition_is_divided_evenly_once_more() {
        const COUNT: usize = 32;
        let mut hashes: Vec<u64> = (0..1_000_000).map(|n: u64| n.wrapping_mul(n | 1)).collect();
        for level in 0..3 {
            let mut rows = [0; COUNT];
            hashes.iter().for_each(|h| rows[partition_of(*h, level, COUNT)] += 1);
            let mean = hashes.len() / COUNT;
            assert!(rows.iter().all(|n| *n > mean / 4 && *n < mean * 2), "{level}: {rows:?}");
            hashes.retain(|h| partition_of(*h, level, COUNT) == 5);
        }
    }
}
