//! Rows that a statement keeps: in memory while there is room, then in a file beside those of tempdb.
//!
//! ```text
//!   sort          hash join       groups, DISTINCT       spool, window
//!     │               │                  │                    │
//!  Runs, RowMerge     └── Partitions ────┘                RowStore
//!     │                       │                               │
//!     └── SpillWriter ──▶ SpilledRows ──▶ SpillReader ────────┘
//!                             │  (blocks of 64 KiB, wherever there is a free one)
//!                         SpillFile: one for a statement, without a name in any directory
//! ```
//!
//! * **When.** An operator asks `memory::must_spill` with the bytes that it keeps itself: once half of the request's memory is in
//!   use, whoever keeps more than three times what is free writes its rows out. So the first of several gets three quarters of it,
//!   the next one three quarters of the rest, and nobody has to know of the others. Until then nothing of this module runs.
//! * **What.** A row is the [`codec`]'s bytes of its values behind their length; a stream of rows lies in blocks.
//! * **Where.** A statement has one [`SpillFile`], made when the first operator needs it. Its name is removed as soon as it is open:
//!   however the server ends, nothing is left. A block goes back to the file's free ones with the rows that were in it.
//! * **Errors.** A full disk is 1105 of tempdb, anything else 823; both end the statement. Each block bears a checksum made with a number
//!   that no other block of the file has had: a write that was lost, or came down elsewhere, is found when the block is read.

pub(crate) mod codec;
mod file;
mod merge;
mod partitions;
mod reader;
mod store;
#[cfg(test)]
mod tests;
mod warning;
mod writer;

pub(crate) use file::{SpillFile, SpillSpace};
pub(crate) use merge::{RowMerge, Runs};
pub(crate) use partitions::{Partitions, partition_count, room_beside_partitions};
pub(crate) use reader::SpillReader;
pub(crate) use store::{KeptReader, KeptRows, RowStore};
pub(crate) use warning::Warning;
pub(crate) use writer::{SpillWriter, SpilledRows};

/// Bytes of a block: an extent of eight pages, as the views of tempdb's space count.
const BLOCK: usize = 64 << 10;
/// Bytes of rows in a block; its checksum lies before them.
const ROOM: usize = BLOCK - CHECKSUM;
/// Bytes of the checksum.
const CHECKSUM: usize = size_of::<u64>();
