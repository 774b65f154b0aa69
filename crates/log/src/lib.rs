//! The transaction log: virtual log files (VLFs), log blocks, append, flush, growth, reuse, readers.
//!
//! ```text
//!   append ─► open block ─close─► closed blocks ─► FlushCore ─► one or more durable writes in flight
//!   (cache)   60 KiB buffer       chained by CRC    (flush)       durable position: only over the gapless prefix
//!                                                        │
//!   file:  header page │ VLF │ VLF │ VLF │ …             └─► waiters
//! ```
//! | module      | holds |
//! |-------------|-------|
//! | `log`       | the log itself: what its parts share, and the questions that it answers |
//! | `options`   | what a log is created or opened with |
//! | `lop`       | operations and contexts with SQL Server's numbers and names |
//! | `record`    | the header of a log record; payloads are opaque here |
//! | `block`     | the bytes of a log block: header, records, slot table, chain |
//! | `directory` | the bytes of a file's header page and of the VLF directory |
//! | `files`     | the log's files: open volumes, sizes, roots |
//! | `vlf`       | which VLFs there are, which are active, positions to LSNs |
//! | `growth`    | how many VLFs a growth makes, and the growth itself |
//! | `fresh`     | what was never written, and who may: the state machine of initialisation ahead |
//! | `ahead`     | the driver around it: zeroing and growth ahead of the head |
//! | `flush`     | the flush core: a state machine without I/O |
//! | `cache`     | the open block, closed blocks, buffers |
//! | `append`    | reserve, copy, publish |
//! | `room`      | what is kept back for rollback and for checkpoints |
//! | `harden`    | group commit: the driver around the flush core, delayed durability |
//! | `company`   | when a committer lets others come first, so that more commits share a write |
//! | `reuse`     | who holds the log; truncation |
//! | `shrink`    | cutting off VLFs at the end of a file |
//! | `membership`| adding and removing files |
//! | `moments`   | the moments that records bear, and a clock that is set back |
//! | `walk`      | the chain on disk, block by block: for opening, readers and offline tools |
//! | `open`      | creation, and restart: where the log ends |
//! | `tail`      | at a restart: the end of the log once more, so that it is on the medium |
//! | `proof`     | behind the end of a chain: was it the end? |
//! | `anchor`    | what the boot page keeps so that a restart finds the log in one step |
//! | `kept`      | at a restart: older VLFs that no log backup has yet |
//! | `reader`    | forward over records, and single records for undo |
//! | `restore`   | whole blocks out of a log for backups, and into the log of a restored database |
//! | `offline`   | files that nobody has open: their VLFs, blocks and records |
//! | `verify`    | the whole check of such files |
//! | `raw`       | single structures out of any bytes, for what damages logs on purpose |
//!
//! Deliberately absent: threads, clocks and opened files of its own (all are handed in), and any knowledge of
//! what a payload or a page means.
//!
//! The log's invariants:
//!
//! 1. `durable <= appended`; every record before `durable` is on the medium, with every record before it.
//! 2. A block is written once, and with the same bytes again by a restart. Its sectors get no others before its VLF is reused.
//! 3. Whoever has filled the log can roll back in it, and a checkpoint has room afterwards: see `room`.
//! 4. After a failed write nothing is ever written or acknowledged again.
#![forbid(unsafe_code)]

mod ahead;
mod anchor;
mod append;
mod block;
mod cache;
mod company;
mod directory;
#[cfg(test)]
#[path = "../../testkit/src/drawn.rs"]
mod drawn;
mod error;
pub mod fair;
mod files;
pub mod flush;
pub mod fresh;
mod growth;
mod harden;
mod kept;
mod log;
mod lop;
mod membership;
mod moments;
pub mod offline;
mod open;
mod options;
mod packed;
mod pieces;
mod proof;
pub mod raw;
mod reader;
mod record;
mod restore;
mod retried;
mod reuse;
mod room;
mod shrink;
mod tail;
mod told;
pub mod verify;
mod vlf;
mod waiter;
mod waits;
mod walk;
mod writer;

pub use anchor::LogAnchor;
pub use append::Moment;
pub use block::{BLOCK_BYTES_MAX, RECORDS_PER_BLOCK_MAX};
pub use directory::is_log_file;
pub use error::{AppendError, LogError};
pub use files::{LogFileInfo, named_files};
pub use growth::vlf_sizes;
pub use harden::FlushReason;
pub use log::{Log, LogSpace};
pub use lop::{Lcx, Lop};
pub use open::OpenReport;
pub use options::{
    Growth, Initialization, LOG_FILE_BYTES_MAX, LogFileSpec, LogOptions, VlfAlgorithm,
};
pub use pieces::Pieces;
pub use reader::{Entry, LsnMap, OwnedRecord, Reader, block_entry};
pub use record::{RECORD_BYTES_MAX, Record, RecordFlags, RecordHeader, Reserve, TxLog};
pub use restore::{
    BackupBlock, BlockReader, LogInstaller, RestoredFile, VlfRange, block_bytes, check_block,
    end_of_log,
};
pub use retried::{READ_TRIES, read_retried, tell_retried};
pub use reuse::{Hold, HolderId};
pub use room::UNDO_BYTES_MIN;
pub use shrink::{ShrinkMode, ShrinkReport, ShrinkStop};
pub use vlf::{VlfInfo, VlfStatus};
pub use waits::ReuseWait;
