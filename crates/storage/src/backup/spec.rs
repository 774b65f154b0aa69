//! What is asked of a backup or a restore, and what they tell: the columns of `msdb.dbo.backupset` and of RESTORE HEADERONLY.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use taffrail_base::{DatabaseId, FileId, Lsn, PageId};
use taffrail_io::{Env, OpenSpec, RemoteObject, UtcTime, Volume};
use taffrail_log::Growth;

use super::error::{BackupError, BackupResult};
use crate::database::{Database, FileInfo, FileKind, RecoveryModel, RecoveryReport};

/// Where a stripe goes to or comes from.
#[derive(Clone, Debug)]
pub enum Device {
    /// A file: `DISK = 'path'`.
    Disk(PathBuf),
    /// `DISK = 'NUL'`: what is written is gone, and counts as a backup all the same.
    Nul,
    /// An object of an object store: `URL = 's3://…'`. It has one set.
    Object(Arc<dyn RemoteObject>),
}

impl Device {
    /// The path of the file, or the address of the object; none for NUL.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Device::Disk(path) => Some(path),
            Device::Nul => None,
            Device::Object(object) => Some(object.path()),
        }
    }

    /// Whether both are the same file or object.
    pub(super) fn is(&self, other: &Device) -> bool {
        self.path().is_some() && self.path() == other.path()
    }

    /// Opens what is there, for reading.
    pub(super) fn open(&self, env: &Env) -> BackupResult<Arc<dyn Volume>> {
        const SPEC: OpenSpec = OpenSpec { direct: true, read_only: true };
        let opened = match self {
            Device::Nul => return Err(BackupError::NotMedia(PathBuf::from("NUL"))),
            Device::Disk(path) => env.disk.open(path, SPEC),
            Device::Object(object) => object.open(),
        };
        opened.map_err(BackupError::Open)
    }
}

/// The content of a backup set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum BackupKind {
    /// All data, and the log needed for it.
    Full = 1,
    /// The log since the last log backup.
    Log = 2,
    /// The extents changed since the last full backup.
    Differential = 5,
}

impl BackupKind {
    /// The letter of the kind, `backupset.type`.
    pub fn letter(self) -> char {
        match self {
            BackupKind::Full => 'D',
            BackupKind::Log => 'L',
            BackupKind::Differential => 'I',
        }
    }

    /// The one with this `BackupType`.
    pub fn from_u8(n: u8) -> Option<BackupKind> {
        Some(match n {
            1 => BackupKind::Full,
            2 => BackupKind::Log,
            5 => BackupKind::Differential,
            _ => return None,
        })
    }
}

/// The treatment of a media that is there already.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MediaMode {
    /// NOINIT: the set is added behind those that are there.
    Append,
    /// INIT: the sets go, the media's header stays. The stripes must be those of the media.
    Init,
    /// FORMAT: a new media, whatever the files held.
    Format,
}

/// The engine's facts about the backup, kept in the set's header as they are.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Labels {
    /// The value of NAME.
    pub name: Option<String>,
    /// The value of DESCRIPTION.
    pub description: Option<String>,
    /// The moment of EXPIREDATE or RETAINDAYS.
    pub expires: Option<UtcTime>,
    /// The login that takes the backup.
    pub user_name: String,
    /// The value of `@@SERVERNAME`.
    pub server_name: String,
    /// The name of the machine.
    pub machine_name: String,
    /// The collation of the database.
    pub collation: String,
    /// The database's `compatibility_level`, such as 160.
    pub compatibility_level: u8,
    /// Version of the software: major, minor, build.
    pub software: (u8, u8, u16),
    /// Minutes between UTC and local time.
    pub time_zone_minutes: i16,
}

/// `BACKUP DATABASE`, `BACKUP LOG`.
#[derive(Clone, Debug)]
pub struct BackupSpec {
    /// The kind of backup.
    pub kind: BackupKind,
    /// The stripes, at least one.
    pub devices: Vec<Device>,
    /// The treatment of sets on the media: INIT, FORMAT.
    pub mode: MediaMode,
    /// Whether COPY_ONLY leaves the chain of backups alone.
    pub copy_only: bool,
    /// NO_TRUNCATE of a log backup: nothing is let go, and a damaged database is no reason to stop.
    pub no_truncate: bool,
    /// NORECOVERY of a log backup: the tail; afterwards the database is closed and RESTORING. Nobody else may use the database.
    pub no_recovery: bool,
    /// CHECKSUM: a page that is damaged stops the backup; remembered in the header. Without it such a page is taken as it is.
    pub checksum: bool,
    /// CONTINUE_AFTER_ERROR: damaged pages are taken as they are, are told of, and the set is marked.
    pub continue_after_error: bool,
    /// Whether COMPRESSION is on.
    pub compression: bool,
    /// The value of MEDIANAME.
    pub media_name: Option<String>,
    /// The value of MEDIADESCRIPTION.
    pub media_description: Option<String>,
    /// The engine's facts for the header, see [`Labels`].
    pub labels: Labels,
}

impl BackupSpec {
    /// A backup without options.
    pub fn new(kind: BackupKind, devices: Vec<Device>) -> BackupSpec {
        BackupSpec {
            kind,
            devices,
            mode: MediaMode::Append,
            copy_only: false,
            no_truncate: false,
            no_recovery: false,
            checksum: false,
            continue_after_error: false,
            compression: false,
            media_name: None,
            media_description: None,
            labels: Labels::default(),
        }
    }
}

/// Sees how far a backup or restore has come, and can stop it. Called at least once per megabyte.
pub trait Watch {
    /// `done` of about `total` bytes of pages and log; `total` may change while others write. At the end `done` is `total`.
    fn progress(&mut self, done: u64, total: u64) {
        let _ = (done, total);
    }

    /// A backup has its pages and goes on to the log, which ends here: what is written from now on may not be in the set.
    fn pages_done(&mut self) {}

    /// A damaged page of the file was met, and is taken as it is, since the backup is to continue.
    fn damaged(&mut self, page: PageId, file: &Path) {
        let _ = (page, file);
    }

    /// True: stop. What was written so far is no backup set; a restore's database stays RESTORING.
    fn cancelled(&mut self) -> bool {
        false
    }

    /// Others write to the database, and a backup that gives way asks for so much rest. Storage has no way of its own to sleep.
    fn pause(&mut self, rest: Duration) {
        let _ = rest;
    }
}

/// The watch of a backup or restore that nobody watches.
impl Watch for () {}

/// A row of RESTORE LABELONLY: the label of a family.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MediaLabel {
    /// The value of MEDIANAME.
    pub name: Option<String>,
    /// The value of MEDIADESCRIPTION.
    pub description: Option<String>,
    /// The identity of the media: `MediaSetId`.
    pub set: [u8; 16],
    /// The number of stripes: `FamilyCount`.
    pub families: u16,
    /// The number of the stripe, from 1: `FamilySequenceNumber`.
    pub family: u16,
    /// The identity of the stripe: `MediaFamilyId`.
    pub family_guid: [u8; 16],
    /// The moment at which the media was made: `MediaDate`.
    pub date: UtcTime,
}

/// A file of the database as it was: RESTORE FILELISTONLY, `msdb.dbo.backupfile`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BackupFile {
    /// The number of the file: `FileID`.
    pub id: FileId,
    /// The kind of file: ROWS or LOG.
    pub kind: FileKind,
    /// The logical name of the file.
    pub name: String,
    /// Physical name at the time of the backup.
    pub path: PathBuf,
    /// The size in bytes.
    pub size: u64,
    /// The value of FILEGROWTH.
    pub growth: Growth,
    /// MAXSIZE in bytes; none = unlimited.
    pub max_size: Option<u64>,
    /// Pages of this file in the set.
    pub pages: u64,
}

impl BackupFile {
    /// Of a database's file, without any page yet.
    pub(super) fn of(f: FileInfo) -> BackupFile {
        BackupFile {
            id: f.id,
            kind: f.kind,
            name: f.name,
            path: f.path,
            size: f.size,
            growth: f.growth,
            max_size: f.max_size,
            pages: 0,
        }
    }
}

/// Everything that a set's header says: a row of RESTORE HEADERONLY and of `msdb.dbo.backupset`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SetHeader {
    /// The identity of the set: `BackupSetGUID`.
    pub guid: [u8; 16],
    /// `Position`: number of the set on its media, from 1.
    pub position: u32,
    /// The kind of backup: `BackupType`.
    pub kind: BackupKind,
    /// The engine's facts about the backup, see [`Labels`].
    pub labels: Labels,
    /// The name of the database: `DatabaseName`.
    pub database: String,
    /// The identity of the database: `database_guid`, `BindingID`.
    pub database_guid: [u8; 16],
    /// `FamilyGUID`: of the database that this one once was restored from, or its own.
    pub family_guid: [u8; 16],
    /// The moment of the database's creation: `DatabaseCreationDate`.
    pub created: UtcTime,
    /// Version of the data files' format.
    pub format_version: u16,
    /// The recovery model at the time: `RecoveryModel`.
    pub recovery_model: RecoveryModel,
    /// The engine's flags of the database (READ_ONLY, SINGLE_USER …), see `DatabaseOptions::engine_flags`.
    pub engine_flags: u64,
    /// `FirstLSN`: the oldest record in the set.
    pub first_lsn: Lsn,
    /// `LastLSN`: the record after the last in the set.
    pub last_lsn: Lsn,
    /// The LSN of the checkpoint that the set begins with: `CheckpointLSN`.
    pub checkpoint_lsn: Lsn,
    /// `DatabaseBackupLSN`: checkpoint of the last full backup; zero: none.
    pub database_backup_lsn: Lsn,
    /// `DifferentialBaseLSN`, of a differential.
    pub differential_base_lsn: Lsn,
    /// `DifferentialBaseGUID`, of a differential: the set guid of its full backup.
    pub differential_base_guid: [u8; 16],
    /// The fork of the first record: `FirstRecoveryForkID`.
    pub first_fork: [u8; 16],
    /// The fork of the last record: `RecoveryForkID`.
    pub last_fork: [u8; 16],
    /// `ForkPointLSN`: where the log in the set changes from the first fork to the last; zero where they are the same.
    pub fork_point: Lsn,
    /// The moment of its begin, UTC: `BackupStartDate`.
    pub started: UtcTime,
    /// The moment of its end, UTC: `BackupFinishDate`.
    pub finished: UtcTime,
    /// `BackupSize`: bytes of data and log.
    pub size: u64,
    /// `CompressedBackupSize`: the same bytes as they are stored.
    pub compressed_size: u64,
    /// Whether chunks are compressed: `CompressionAlgorithm` is `ZSTD`.
    pub compressed: bool,
    /// Whether pages were checked as they were read: `HasBackupChecksums`.
    pub has_checksums: bool,
    /// `IsDamaged`: damaged pages were taken as they were.
    pub is_damaged: bool,
    /// Whether the set is the first of a log chain: `BeginsLogChain`.
    pub begins_log_chain: bool,
    /// Whether the backup was taken WITH COPY_ONLY: `IsCopyOnly`.
    pub is_copy_only: bool,
    /// `IsForceOffline`: the tail, taken WITH NORECOVERY.
    pub is_force_offline: bool,
    /// `HasBulkLoggedData`: a log backup with images of extents.
    pub has_bulk_logged_data: bool,
    /// `HasIncompleteMetaData`: the log of a database that could not be opened.
    pub has_incomplete_metadata: bool,
    /// False: the backup did not come to its end (message 3256), or its end is not readable; counts and dates of the end are zero.
    pub complete: bool,
    /// The files of the database.
    pub files: Vec<BackupFile>,
}

/// The outcome of a backup.
#[derive(Clone, Debug)]
pub struct BackupReport {
    /// The set, as its header says.
    pub header: SetHeader,
    /// The media, one label per stripe.
    pub media: Vec<MediaLabel>,
    /// Data pages; per file in `header.files`.
    pub pages: u64,
    /// Pages' worth of log.
    pub log_pages: u64,
    /// How long it took.
    pub duration: Duration,
}

/// RESTORE DATABASE or RESTORE LOG.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RestoreKind {
    /// From a full or differential set.
    Database,
    /// From a log set.
    Log,
}

/// The instructions of one `RESTORE … FROM`.
#[derive(Clone, Debug)]
pub struct RestoreSpec {
    /// The kind of restore.
    pub kind: RestoreKind,
    /// The devices with the stripes.
    pub devices: Vec<Device>,
    /// FILE = n, from 1.
    pub position: u32,
    /// The id that the database has.
    pub id: DatabaseId,
    /// The name that the database gets.
    pub name: String,
    /// The primary file of the RESTORING database that a differential or log set is applied to. Unused for a full set.
    pub primary: Option<PathBuf>,
    /// MOVE 'logical name' TO 'path': every file of a full set must be given a path here, or keeps that of the set.
    pub moves: Vec<(String, PathBuf)>,
    /// A full set: files of the (closed) database that is replaced. They are removed first; any other file in the way is an error.
    pub replaces: Vec<PathBuf>,
    /// A full set: keep this `database_guid`, that of the database being replaced; otherwise a new one is made.
    pub guid: Option<[u8; 16]>,
    /// True: undo what had not committed, and bring the database online. False: NORECOVERY.
    pub recovery: bool,
}

/// Where a restore is to stop. Only log sets reach such a point.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// STOPAT: what was logged before this moment is applied.
    At(UtcTime),
    /// STOPATMARK, STOPBEFOREMARK: the first transaction of this mark that was committed at this moment or later.
    Mark {
        /// The name of the marked transaction.
        name: String,
        /// The moment after AFTER.
        after: Option<UtcTime>,
        /// The transaction is not applied.
        before: bool,
    },
    /// As `Mark`, at a record: `lsn:`.
    Lsn {
        /// The LSN of the record.
        lsn: Lsn,
        /// The record is not applied.
        before: bool,
    },
}

/// The outcome of a restore step.
pub struct Restored {
    /// The database, online, after RECOVERY.
    pub database: Option<Arc<Database>>,
    /// The header of the set.
    pub header: SetHeader,
    /// Where the files are.
    pub files: Vec<BackupFile>,
    /// Pages written from the set.
    pub pages: u64,
    /// Pages' worth of log.
    pub log_pages: u64,
    /// The report of the recovery.
    pub recovery: RecoveryReport,
    /// How long it took.
    pub duration: Duration,
    /// It was to stop at a point that the set does not reach: the database is RESTORING, also after RECOVERY.
    pub is_short: bool,
}

/// A database in the middle of a restore, as its primary file tells.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Restoring {
    /// The database's `database_guid`, its identity.
    pub guid: [u8; 16],
    /// The database's `family_guid`, kept through restores.
    pub family_guid: [u8; 16],
    /// Where its log ends: the next log backup must begin at or before (`sys.master_files.redo_start_lsn`).
    pub redo_lsn: Lsn,
    /// Recovery is possible only from here on; above `redo_lsn` after a restore step that was interrupted.
    pub target_lsn: Lsn,
    /// The files of the database.
    pub files: Vec<BackupFile>,
}
