//! Databases, their files, backup and restore.

use super::{
    Ident, NameOrVariable, NamedOption, ObjectName, OptionValue, Span, Statement, StatementKind,
};

/// `CREATE DATABASE name …`: a new database with its files.
#[derive(Clone, Debug, PartialEq)]
pub struct CreateDatabase {
    /// The name of the new database.
    pub name: Ident,
    /// The word after `CONTAINMENT =`.
    pub containment: Option<Ident>,
    /// `ON [PRIMARY] (…)`, `FILEGROUP name (…)`; the first group is the primary one.
    pub filegroups: Vec<FilegroupSpec>,
    /// The log files, after `LOG ON`.
    pub log: Vec<FileSpec>,
    /// The database's collation, after `COLLATE`.
    pub collation: Option<Ident>,
    /// The options after `WITH`, in order.
    pub options: Vec<NamedOption>,
    /// `FOR ATTACH`, `FOR ATTACH_REBUILD_LOG`, `AS SNAPSHOT OF`, `AS CLONE OF` (ours).
    pub variant: Option<Ident>,
}

/// A filegroup and its files.
#[derive(Clone, Debug, PartialEq)]
pub struct FilegroupSpec {
    /// The filegroup's name; none is `PRIMARY`.
    pub name: Option<Ident>,
    /// `CONTAINS FILESTREAM` or `CONTAINS MEMORY_OPTIMIZED_DATA`.
    pub contains: Option<Ident>,
    /// Whether `DEFAULT` makes it the filegroup of new tables.
    pub default: bool,
    /// The filegroup's data files, in order.
    pub files: Vec<FileSpec>,
}

/// `(NAME = …, FILENAME = …, SIZE = …, MAXSIZE = …, FILEGROWTH = …)`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct FileSpec {
    /// The file's logical name, unique in the database.
    pub name: Option<Ident>,
    /// The logical name that `NEWNAME` gives the file.
    pub new_name: Option<Ident>,
    /// The path after `FILENAME =`.
    pub filename: Option<Box<str>>,
    /// The size of the file now, or its new size.
    pub size: Option<FileSize>,
    /// The size that the file's growth stops at.
    pub max_size: Option<MaxFileSize>,
    /// How it grows; zero is not at all.
    pub growth: Option<FileGrowth>,
    /// Whether `OFFLINE` takes the file offline.
    pub offline: bool,
    /// The text of the whole file specification.
    pub span: Span,
}

/// A number with a unit; megabytes when none was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileSize {
    /// The number, in the unit beside it.
    pub amount: u64,
    /// The unit that the number counts.
    pub unit: SizeUnit,
}

impl FileSize {
    /// In bytes; too much to count is the largest number.
    pub fn bytes(self) -> u64 {
        let shift = match self.unit {
            SizeUnit::Kb => 10,
            SizeUnit::Mb => 20,
            SizeUnit::Gb => 30,
            SizeUnit::Tb => 40,
        };
        self.amount.saturating_mul(1 << shift)
    }
}

/// The units in which sizes of files are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SizeUnit {
    /// The unit `KB`: 1,024 bytes.
    Kb,
    /// The unit `MB`: 1,024 KB.
    Mb,
    /// The unit `GB`: 1,024 MB.
    Gb,
    /// The unit `TB`: 1,024 GB.
    Tb,
}

/// The value of `MAXSIZE`, where a file's growth stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MaxFileSize {
    /// `UNLIMITED`: until the volume is full.
    Unlimited,
    /// A size with its unit.
    Size(FileSize),
}

/// The value of `FILEGROWTH`: by how much a file grows at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileGrowth {
    /// A fixed amount for each growth.
    Size(FileSize),
    /// By so many percent of its size then.
    Percent(u32),
}

/// `ALTER DATABASE name action`: a change of a database or its files.
#[derive(Clone, Debug, PartialEq)]
pub struct AlterDatabase {
    /// The database; none is `CURRENT`.
    pub name: Option<Ident>,
    /// The one change that the statement makes.
    pub action: AlterDatabaseAction,
}

/// The changes that `ALTER DATABASE` makes, one a statement.
#[derive(Clone, Debug, PartialEq)]
pub enum AlterDatabaseAction {
    /// `SET option, … [WITH termination]`.
    Set {
        /// The options with their new values.
        options: Vec<DatabaseOption>,
        /// The way to deal with sessions that use the database meanwhile.
        termination: Option<Termination>,
    },
    /// `ADD FILE … [TO FILEGROUP name]`.
    AddFile {
        /// The data files that are added.
        files: Vec<FileSpec>,
        /// The filegroup after `TO FILEGROUP`, which receives the files.
        filegroup: Option<Ident>,
    },
    /// `ADD LOG FILE`: more log files.
    AddLogFile(Vec<FileSpec>),
    /// `REMOVE FILE name`: an empty data or log file goes.
    RemoveFile(Ident),
    /// `MODIFY FILE (…)`: new name, path, size or growth.
    ModifyFile(FileSpec),
    /// `ADD FILEGROUP name`: a filegroup without files.
    AddFilegroup {
        /// The new filegroup's name.
        name: Ident,
        /// The word after `CONTAINS`: `FILESTREAM` or `MEMORY_OPTIMIZED_DATA`.
        contains: Option<Ident>,
    },
    /// `REMOVE FILEGROUP name`: an empty filegroup goes.
    RemoveFilegroup(Ident),
    /// `MODIFY FILEGROUP name DEFAULT | READ_ONLY | NAME = …`.
    ModifyFilegroup {
        /// The filegroup that is changed.
        name: Ident,
        /// The words or the new name.
        change: NamedOption,
    },
    /// `MODIFY NAME = new`.
    ModifyName(Ident),
    /// `COLLATE name`: the database's new collation.
    Collate(Ident),
    /// `ALTER DATABASE SCOPED CONFIGURATION [FOR SECONDARY] SET name = value | CLEAR name`.
    ScopedConfiguration {
        /// Whether `FOR SECONDARY` names the configuration of replicas.
        secondary: bool,
        /// `CLEAR` rather than `SET`.
        clear: bool,
        /// The configuration's name and its value.
        option: NamedOption,
    },
}

/// `WITH …` after `ALTER DATABASE … SET`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Termination {
    /// `ROLLBACK IMMEDIATE`: transactions in the way are rolled back at once.
    RollbackImmediate,
    /// `ROLLBACK AFTER n SECONDS`
    RollbackAfter(u32),
    /// `NO_WAIT`: the statement fails when transactions are in the way.
    NoWait,
}

/// An option of a database.
#[derive(Clone, Debug, PartialEq)]
pub enum DatabaseOption {
    /// `RECOVERY`: whether the log is kept for log backups.
    Recovery(RecoveryModel),
    /// `DELAYED_DURABILITY`: whether a commit may return before its log is durable.
    DelayedDurability(DelayedDurability),
    /// `SINGLE_USER`, `RESTRICTED_USER`, `MULTI_USER`: the sessions that are let in.
    UserAccess(UserAccess),
    /// `READ_ONLY` is true, `READ_WRITE` false.
    ReadOnly(bool),
    /// `ONLINE`, `OFFLINE`, `EMERGENCY`: the state that the database is put into.
    State(DatabaseState),
    /// `TARGET_RECOVERY_TIME` in seconds, which paces indirect checkpoints.
    TargetRecoveryTime(u32),
    /// `PAGE_VERIFY`: how a page read from disk is proved whole.
    PageVerify(PageVerify),
    /// `COMPATIBILITY_LEVEL`: the version whose language the database speaks, as 160.
    CompatibilityLevel(u32),
    /// An option that is on or off: `READ_COMMITTED_SNAPSHOT`, `ALLOW_SNAPSHOT_ISOLATION`, `AUTO_CLOSE` …; the name in
    /// capitals.
    Switch(Box<str>, bool),
    /// Any other; the name in capitals.
    Other(Box<str>, Option<OptionValue>),
}

/// The recovery models of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecoveryModel {
    /// `SIMPLE`: a checkpoint lets the log be reused, without log backups.
    Simple,
    /// `BULK_LOGGED`: as `FULL`, but bulk operations log their allocations only.
    BulkLogged,
    /// `FULL`: the log is kept until a log backup has it.
    Full,
}

/// Delayed durability of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DelayedDurability {
    /// `DISABLED`: every commit waits for its log.
    Disabled,
    /// `ALLOWED`: a transaction says whether its commit waits.
    Allowed,
    /// `FORCED`: no commit waits for its log.
    Forced,
}

/// The sessions that a database lets in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UserAccess {
    /// `SINGLE_USER`: one session at a time.
    Single,
    /// `RESTRICTED_USER`: owners and administrators only.
    Restricted,
    /// `MULTI_USER`: all who have access.
    Multi,
}

/// States a database can be put into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DatabaseState {
    /// `ONLINE`: open for use.
    Online,
    /// `OFFLINE`: closed, with its files free to be copied.
    Offline,
    /// `EMERGENCY`: readable by administrators, whatever is damaged.
    Emergency,
}

/// The values of `PAGE_VERIFY`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageVerify {
    /// `CHECKSUM`: a checksum of the whole page.
    Checksum,
    /// `TORN_PAGE_DETECTION`: two bits for each sector of the page.
    TornPageDetection,
    /// `NONE`: pages are taken as they are read.
    None,
}

/// `BACKUP DATABASE | LOG name TO devices [WITH options]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Backup {
    /// Whether the database or its log is backed up.
    pub kind: BackupKind,
    /// The database, by name or variable.
    pub database: NameOrVariable,
    /// `FILE = …`, `FILEGROUP = …`, `READ_WRITE_FILEGROUPS`.
    pub parts: Vec<NamedOption>,
    /// The devices after `TO`, over which the backup is striped.
    pub to: Vec<Device>,
    /// `MIRROR TO`, each list.
    pub mirrors: Vec<Vec<Device>>,
    /// The options after `WITH`, in order.
    pub options: Vec<NamedOption>,
}

/// The kinds of backups, by the word after `BACKUP`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackupKind {
    /// `DATABASE`: full, differential, or of some files.
    Database,
    /// `LOG`: the log since the last log backup.
    Log,
}

/// Where a backup goes or comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Device {
    /// The word that says how the name is read.
    pub kind: DeviceKind,
    /// [`OptionValue::Text`], [`OptionValue::Variable`] or, for a logical device, [`OptionValue::Word`].
    pub target: OptionValue,
}

/// The kinds of backup devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceKind {
    /// A device by its logical name.
    Logical,
    /// `DISK =` the path of a file.
    Disk,
    /// `TAPE =` the path of a tape drive.
    Tape,
    /// `URL =` an address of object storage.
    Url,
    /// `DATABASE_SNAPSHOT =` the name of a database snapshot.
    DatabaseSnapshot,
}

/// `RESTORE kind [name] FROM devices [WITH options]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Restore {
    /// The thing that is restored or shown.
    pub kind: RestoreKind,
    /// The database; none for the forms that only look into a backup.
    pub database: Option<NameOrVariable>,
    /// `FILE = …`, `FILEGROUP = …`, `PAGE = …`.
    pub parts: Vec<NamedOption>,
    /// `FROM`; empty for `RESTORE DATABASE d WITH RECOVERY`.
    pub from: Vec<Device>,
    /// `WITH`. `MOVE 'a' TO 'b'` arrives in [`Restore::moves`].
    pub options: Vec<NamedOption>,
    /// `MOVE logical TO path`.
    pub moves: Vec<(OptionValue, OptionValue)>,
}

/// The kinds of `RESTORE`, by the word that follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RestoreKind {
    /// `DATABASE`: a full or differential backup.
    Database,
    /// `LOG`: a log backup, put on top of the ones before.
    Log,
    /// `HEADERONLY`: lists the backup sets of a device.
    HeaderOnly,
    /// `FILELISTONLY`: lists the files of one backup set.
    FileListOnly,
    /// `LABELONLY`: shows the label of the medium.
    LabelOnly,
    /// `VERIFYONLY`: reads a backup set through and checks it.
    VerifyOnly,
    /// `REWINDONLY`: rewinds a tape, restoring nothing.
    RewindOnly,
}

/// `DROP something [IF EXISTS] names`.
#[derive(Clone, Debug, PartialEq)]
pub struct Drop {
    /// The kind of object that is dropped.
    pub kind: DropKind,
    /// Whether `IF EXISTS` forgives names that are not there.
    pub if_exists: bool,
    /// The names of the dropped objects, in order.
    pub names: Vec<ObjectName>,
    /// `ON DATABASE` or `ON ALL SERVER` after a DDL trigger.
    pub scope: Option<Ident>,
}

impl Drop {
    /// A DROP for each name: one that is not there keeps no other from going.
    pub fn one_each(self, span: Span) -> Vec<Statement> {
        let Drop { kind, if_exists, names, scope } = self;
        let one = |name: ObjectName| Statement {
            span,
            kind: StatementKind::Drop(Box::new(Drop {
                kind,
                if_exists,
                names: vec![name],
                scope: scope.clone(),
            })),
        };
        names.into_iter().map(one).collect()
    }
}

/// Objects that can be dropped by name alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // The names are the documentation.
pub enum DropKind {
    Database,
    Table,
    View,
    Procedure,
    Function,
    Trigger,
    Schema,
    Type,
    Sequence,
    Synonym,
    SecurityPolicy,
    Statistics,
    Login,
    User,
    Role,
    ServerRole,
    ApplicationRole,
    Credential,
    Other,
}
