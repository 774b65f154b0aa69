//! A database: the object that everything hangs on.
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use taffrail_base::{DatabaseId, FileId, HobtId, IndexId, ObjectId};
use taffrail_observe::DatabaseCounters;

use crate::access::{Hobt, HobtKind, SpaceUsed};
use crate::error::StorageResult;
use crate::instance::StorageInstance;
use crate::txn::{BeginSpec, Transaction};

/// By how much a file grows when it is full.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Growth {
    /// It does not.
    None,
    /// By this many bytes.
    Bytes(u64),
    /// By this share of its size.
    Percent(u32),
}

/// A data file to be made, or as it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DataFileSpec {
    /// Logical name, e.g. `Sales`.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
    /// Bytes.
    pub size: u64,
    /// When full.
    pub growth: Growth,
    /// Bytes; none = unlimited.
    pub max_size: Option<u64>,
}

/// `sys.databases.recovery_model`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum RecoveryModel {
    /// FULL
    Full = 1,
    /// BULK_LOGGED
    BulkLogged = 2,
    /// SIMPLE
    Simple = 3,
}

/// What is kept about a database in its boot page and can be altered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DatabaseOptions {
    /// SET RECOVERY.
    pub recovery_model: RecoveryModel,
    /// SET DELAYED_DURABILITY: 0 DISABLED, 1 ALLOWED, 2 FORCED.
    pub delayed_durability: u8,
    /// SET TARGET_RECOVERY_TIME, seconds; 0 = automatic checkpoints by the recovery interval.
    pub target_recovery_time_s: u32,
    /// Bits that the engine defines (SINGLE_USER, READ_ONLY …): storage keeps them.
    pub engine_flags: u64,
}

/// What `CREATE DATABASE` asks for.
#[derive(Clone, Debug)]
pub struct CreateSpec {
    /// Exactly one for now: the primary.
    pub data_files: Vec<DataFileSpec>,
    /// At least one.
    pub log_files: Vec<DataFileSpec>,
    /// Initial options.
    pub options: DatabaseOptions,
    /// tempdb: no commit flush, no torn-page protection, made anew at every start.
    pub temporary: bool,
}

/// What [`Database::open`] needs to know.
#[derive(Clone, Debug)]
pub struct OpenSpec {
    /// The primary data file; it names the others.
    pub primary: PathBuf,
}

/// What restart did, for the error log.
#[derive(Clone, Default, Debug)]
pub struct RecoveryReport {
    /// Transactions rolled forward (3406).
    pub rolled_forward: u64,
    /// Transactions rolled back (3407).
    pub rolled_back: u64,
    /// Records read.
    pub records: u64,
    /// Records redone.
    pub redone: u64,
    /// Torn pages repaired from the double-write region.
    pub torn_repaired: u64,
    /// Time of analysis and redo (one pass), of the undo of system transactions, of the rest.
    pub analysis: Duration,
    /// See above.
    pub redo: Duration,
    /// See above.
    pub undo: Duration,
}

/// `sys.databases.state`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DatabaseState {
    /// 0
    Online,
    /// 4, with the reason.
    Suspect(String),
    /// 6
    Offline,
}

/// Data or log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileKind {
    /// ROWS
    Rows,
    /// LOG
    Log,
}

/// A row of `sys.database_files`.
#[derive(Clone, Debug)]
pub struct FileInfo {
    /// `file_id`
    pub id: FileId,
    /// ROWS or LOG.
    pub kind: FileKind,
    /// Logical name.
    pub name: String,
    /// Physical name.
    pub path: PathBuf,
    /// Bytes.
    pub size: u64,
    /// Bytes in use (allocated extents).
    pub used: u64,
    /// Growth.
    pub growth: Growth,
    /// Bytes; none = unlimited.
    pub max_size: Option<u64>,
}

/// Why a checkpoint is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CheckpointKind {
    /// `CHECKPOINT`
    Manual,
    /// By the redo estimate or by log use.
    Automatic,
    /// Shutdown, backup, option changes.
    Internal,
}

/// A database.
pub struct Database {
    _private: (),
}

#[allow(unused_variables, missing_docs)]
impl Database {
    /// Makes the files and opens the database. On error no file is left.
    pub fn create(
        instance: &Arc<StorageInstance>,
        id: DatabaseId,
        name: &str,
        spec: &CreateSpec,
    ) -> StorageResult<Arc<Database>> {
        todo!()
    }
    /// Opens and recovers.
    pub fn open(
        instance: &Arc<StorageInstance>,
        id: DatabaseId,
        name: &str,
        spec: &OpenSpec,
    ) -> StorageResult<(Arc<Database>, RecoveryReport)> {
        todo!()
    }
    /// Checkpoint, everything durable, pages leave the pool. Transactions must have ended.
    pub fn close(&self) -> StorageResult<()> {
        todo!()
    }
    /// Deletes the files of a closed database.
    pub fn delete_files(&self) -> StorageResult<()> {
        todo!()
    }
    pub fn id(&self) -> DatabaseId {
        todo!()
    }
    pub fn name(&self) -> String {
        todo!()
    }
    pub fn state(&self) -> DatabaseState {
        todo!()
    }
    pub fn instance(&self) -> &Arc<StorageInstance> {
        todo!()
    }
    pub fn counters(&self) -> &Arc<DatabaseCounters> {
        todo!()
    }
    /// A new transaction: nothing is logged before its first change.
    pub fn begin(self: &Arc<Self>, spec: BeginSpec) -> Transaction {
        todo!()
    }
    /// The run-time handle of a heap or B+ tree; cheap, but keep it for a statement.
    pub fn hobt(&self, id: HobtId) -> StorageResult<Arc<Hobt>> {
        todo!()
    }
    /// A new, empty heap or tree. Its first page is allocated by the first row.
    pub fn create_hobt(
        &self,
        tx: &mut Transaction,
        kind: HobtKind,
        object: ObjectId,
        index: IndexId,
    ) -> StorageResult<HobtId> {
        todo!()
    }
    /// Space is given back after commit. The caller holds Sch-M on the object.
    pub fn drop_hobt(&self, tx: &mut Transaction, id: HobtId) -> StorageResult<()> {
        todo!()
    }
    /// Empties it; space is given back after commit. The caller holds Sch-M on the object.
    pub fn truncate_hobt(&self, tx: &mut Transaction, id: HobtId) -> StorageResult<()> {
        todo!()
    }
    /// Every heap and tree, system ones included.
    pub fn hobts(&self) -> StorageResult<Vec<HobtId>> {
        todo!()
    }
    pub fn space_used(&self, id: HobtId) -> StorageResult<SpaceUsed> {
        todo!()
    }
    pub fn checkpoint(&self, kind: CheckpointKind) -> StorageResult<()> {
        todo!()
    }
    /// Checkpoints when due, writes old dirty pages, frees dropped space. Run by a thread of the engine.
    pub fn background_tick(&self) -> Duration {
        todo!()
    }
    pub fn files(&self) -> Vec<FileInfo> {
        todo!()
    }
    /// ALTER DATABASE … MODIFY FILE (SIZE) of a data file.
    pub fn grow_data_file(&self, file: FileId, to_bytes: u64) -> StorageResult<()> {
        todo!()
    }
    /// ALTER DATABASE … MODIFY FILE (NAME, FILEGROWTH, MAXSIZE) of a data file.
    pub fn alter_data_file(
        &self,
        file: FileId,
        name: Option<&str>,
        growth: Option<Growth>,
        max_size: Option<Option<u64>>,
    ) -> StorageResult<()> {
        todo!()
    }
    pub fn options(&self) -> DatabaseOptions {
        todo!()
    }
    /// Durable on return.
    pub fn set_options(&self, options: &DatabaseOptions) -> StorageResult<()> {
        todo!()
    }
    /// `sys.sp_flush_log`.
    pub fn flush_log(&self) -> StorageResult<()> {
        todo!()
    }
    /// A plain full backup into a new file.
    pub fn backup_full(&self, path: &std::path::Path) -> StorageResult<BackupReport> {
        todo!()
    }
}

/// What a backup wrote.
#[derive(Clone, Debug)]
pub struct BackupReport {
    /// Data pages.
    pub pages: u64,
    /// Bytes of log.
    pub log_bytes: u64,
    /// How long it took.
    pub duration: Duration,
}
