//! Everything that lives in pages: the files of a database, its buffer pool, locks, transactions, heaps, B+ trees,
//! checkpoints, restart and backup.
//!
//! ```text
//! page      an 8 KiB page as plain bytes: header, slotted rows, bitmaps
//! buffer    the pool: frames, latches, dirty pages, the write-ahead rule, the double-write region
//! alloc     extents and pages: GAM, IAM, PFS, changed-extent map
//! lock      modes, queues, escalation, deadlock search, over opaque resource names
//! versions  what rows were before they were changed, for readers by snapshots
//! txn       begin, commit, savepoints, rollback, the transaction table
//! access    heaps, B+ trees, large values, the directory of them; every log record's encoding, redo and undo
//! recovery  checkpoint and restart;  backup  backups taken while others write, and restores
//! check     is it whole? a walk through pages that takes nothing for granted
//! raw       single structures out of any bytes, for what damages files on purpose
//! ```
//!
//! Arrows inside: `page` ← `buffer` ← { `alloc`, `txn`, `access` } ← `recovery` ← `backup`, `check`; the three in braces know
//! each other, and `recovery::boot` keeps on disk what `backup` defines. The log below is only ever told opaque payloads.
//!
//! A caller starts at [`StorageInstance`], opens a [`Database`], begins a [`Transaction`] and works with the functions
//! of [`heap`], [`btree`] and [`lob`]. No thread is started here: the engine hands threads to
//! [`Database::background_tick`] and [`StorageInstance::lazy_writer_tick`].
#![deny(unsafe_code)]

// What tests share names the crate as those outside do.
#[cfg(test)]
extern crate self as taffrail_storage;

pub mod access;
mod alloc;
pub mod backup;
pub mod buffer;
pub mod check;
mod closed;
mod closed_pages;
mod closing;
mod codec;
pub mod database;
#[cfg(test)]
#[path = "../../testkit/src/drawn.rs"]
mod drawn;
pub mod error;
mod filelist;
mod freelist;
mod growth;
pub mod instance;
pub mod layout;
mod listing;
pub mod lock;
mod logfiles;
mod orphans;
pub mod page;
mod part;
mod pipeline;
pub mod raw;
pub mod recovery;
mod redo_rate;
#[cfg(test)]
mod rig;
mod spec;
mod tally;
pub mod txn;
pub mod versions;

pub use access::bulk_space::BulkHold;
pub use access::operations::{Operation, Operations};
pub use access::sample::Sample;
pub use access::{
    Direction, Hobt, HobtKind, KeyRange, LobRef, Rid, ScanLocks, SpaceUsed, btree, heap, lob,
};
pub use backup::{BackupError, BackupReport, BackupSpec, RestoreSpec};
pub use buffer::{PageInMemory, SuspectPage};
pub use closed::{Closed, Content, closed, content_of, created};
pub use closed_pages::ClosedPages;
pub use database::{
    CheckpointKind, CreateSpec, DataFileSpec, Database, DatabaseOptions, DatabaseState,
    FLAG_READ_ONLY, FileInfo, FileKind, FileSize, Growth, Initialization, LogSettings, OpenSpec,
    RecoveryModel, RecoveryReport, VlfAlgorithm,
};
pub use error::{FileFull, StorageError, StorageResult};
pub use instance::{
    CheckpointDetail, CheckpointSettings, InstanceOptions, StorageInstance, Workers,
};
pub use lock::RECOVERY_SESSION;
pub use part::Part;
pub use pipeline::{Outlet, Pipeline, Pipelines, Promised, RunAhead};
pub use recovery::RecoveryEstimate;
pub use taffrail_log::{LOG_FILE_BYTES_MAX, ShrinkMode, ShrinkReport, ShrinkStop};
pub use txn::{BeginSpec, Durability, Isolation, LockedRow, RowLock, Savepoint, Transaction};
pub use versions::{Claimed, OpenSnapshot, Snapshot, Snapshots, VersionWriter};
