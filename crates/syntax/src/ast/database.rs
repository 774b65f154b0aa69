//! Databases, their files, backup and restore.

use super::{
    Ident, NameOrVariable, NamedOption, ObjectName, OptionValue, Span, Statement, StatementKind,
};

/// `CREATE DATABASE`.
#[derive(Clone, Debug, PartialEq)]
pub struct CreateDatabase {
    /// Its name.
    pub name: Ident,
    /// `CONTAINMENT = …`.
    pub containment: Option<Ident>,
    /// `ON [PRIMARY] (…)`, `FILEGROUP name (…)`; the first group is the primary one.
    pub filegroups: Vec<FilegroupSpec>,
    /// `LOG ON (…)`.
    pub log: Vec<FileSpec>,
    /// `COLLATE`.
    pub collation: Option<Ident>,
    /// `WITH …`.
    pub options: Vec<NamedOption>,
    /// `FOR ATTACH`, `FOR ATTACH_REBUILD_LOG`, `AS SNAPSHOT OF`, `AS CLONE OF` (ours).
    pub variant: Option<Ident>,
}

/// A filegroup and its files.
#[derive(Clone, Debug, PartialEq)]
pub struct FilegroupSpec {
    /// None is `PRIMARY`.
    pub name: Option<Ident>,
    /// `CONTAINS FILESTREAM` or `CONTAINS MEMORY_OPTIMIZED_DATA`.
    pub contains: Option<Ident>,
    /// `DEFAULT`.
    pub default: bool,
    /// The files.
    pub files: Vec<FileSpec>,
}

/// `(NAME = …, FILENAME = …, SIZE = …, MAXSIZE = …, FILEGROWTH = …)`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct FileSpec {
    /// Logical name.
    pub name: Option<Ident>,
    /// `NEWNAME`.
    pub new_name: Option<Ident>,
    /// Path.
    pub filename: Option<Box<str>>,
    /// Size now.
    pub size: Option<FileSize>,
    /// Limit.
    pub max_size: Option<MaxFileSize>,
    /// How it grows; zero is not at all.
    pub growth: Option<FileGrowth>,
    /// `OFFLINE`.
    pub offline: bool,
    /// All of it.
    pub span: Span,
}

/// A number with a unit; megabytes when none was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileSize {
    /// The number.
    pub amount: u64,
    /// The unit.
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

/// Units of sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SizeUnit {
    /// 1,024 bytes
    Kb,
    /// 1,024 KB
    Mb,
    /// 1,024 MB
    Gb,
    /// 1,024 GB
    Tb,
}

/// `MAXSIZE`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MaxFileSize {
    /// `UNLIMITED`
    Unlimited,
    /// A size.
    Size(FileSize),
}

/// `FILEGROWTH`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileGrowth {
    /// By so much.
    Size(FileSize),
    /// By so many percent of its size then.
    Percent(u32),
}

/// `ALTER DATABASE`.
#[derive(Clone, Debug, PartialEq)]
pub struct AlterDatabase {
    /// None is `CURRENT`.
    pub name: Option<Ident>,
    /// What is done.
    pub action: AlterDatabaseAction,
}

/// What `ALTER DATABASE` does.
#[derive(Clone, Debug, PartialEq)]
pub enum AlterDatabaseAction {
    /// `SET option, … [WITH termination]`.
    Set {
        /// The options.
        options: Vec<DatabaseOption>,
        /// What happens to those who are in the way.
        termination: Option<Termination>,
    },
    /// `ADD FILE … [TO FILEGROUP name]`.
    AddFile {
        /// The files.
        files: Vec<FileSpec>,
        /// The filegroup.
        filegroup: Option<Ident>,
    },
    /// `ADD LOG FILE`.
    AddLogFile(Vec<FileSpec>),
    /// `REMOVE FILE`.
    RemoveFile(Ident),
    /// `MODIFY FILE`.
    ModifyFile(FileSpec),
    /// `ADD FILEGROUP`.
    AddFilegroup {
        /// Its name.
        name: Ident,
        /// `CONTAINS …`.
        contains: Option<Ident>,
    },
    /// `REMOVE FILEGROUP`.
    RemoveFilegroup(Ident),
    /// `MODIFY FILEGROUP name DEFAULT | READ_ONLY | NAME = …`.
    ModifyFilegroup {
        /// Its name.
        name: Ident,
        /// The words or the new name.
        change: NamedOption,
    },
    /// `MODIFY NAME = new`.
    ModifyName(Ident),
    /// `COLLATE`.
    Collate(Ident),
    /// `ALTER DATABASE SCOPED CONFIGURATION [FOR SECONDARY] SET name = value | CLEAR name`.
    ScopedConfiguration {
        /// `FOR SECONDARY`.
        secondary: bool,
        /// `CLEAR` rather than `SET`.
        clear: bool,
        /// Name and value.
        option: NamedOption,
    },
}

/// `WITH …` after `ALTER DATABASE … SET`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Termination {
    /// `ROLLBACK IMMEDIATE`
    RollbackImmediate,
    /// `ROLLBACK AFTER n SECONDS`
    RollbackAfter(u32),
    /// `NO_WAIT`
    NoWait,
}

/// An option of a database.
#[derive(Clone, Debug, PartialEq)]
pub enum DatabaseOption {
    /// `RECOVERY`
    Recovery(RecoveryModel),
    /// `DELAYED_DURABILITY`
    DelayedDurability(DelayedDurability),
    /// `SINGLE_USER`, `RESTRICTED_USER`, `MULTI_USER`
    UserAccess(UserAccess),
    /// `READ_ONLY` is true, `READ_WRITE` false.
    ReadOnly(bool),
    /// `ONLINE`, `OFFLINE`, `EMERGENCY`
    State(DatabaseState),
    /// `TARGET_RECOVERY_TIME`, in seconds.
    TargetRecoveryTime(u32),
    /// `PAGE_VERIFY`
    PageVerify(PageVerify),
    /// `COMPATIBILITY_LEVEL`
    CompatibilityLevel(u32),
    /// An option that is on or off: `READ_COMMITTED_SNAPSHOT`, `ALLOW_SNAPSHOT_ISOLATION`, `AUTO_CLOSE` …; the name in
    /// capitals.
    Switch(Box<str>, bool),
    /// Any other; the name in capitals.
    Other(Box<str>, Option<OptionValue>),
}

/// Recovery models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecoveryModel {
    /// `SIMPLE`
    Simple,
    /// `BULK_LOGGED`
    BulkLogged,
    /// `FULL`
    Full,
}

/// Delayed durability of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DelayedDurability {
    /// `DISABLED`
    Disabled,
    /// `ALLOWED`
    Allowed,
    /// `FORCED`
    Forced,
}

/// Who may use a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UserAccess {
    /// `SINGLE_USER`
    Single,
    /// `RESTRICTED_USER`
    Restricted,
    /// `MULTI_USER`
    Multi,
}

/// States a database can be put into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DatabaseState {
    /// `ONLINE`
    Online,
    /// `OFFLINE`
    Offline,
    /// `EMERGENCY`
    Emergency,
}

/// `PAGE_VERIFY`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageVerify {
    /// `CHECKSUM`
    Checksum,
    /// `TORN_PAGE_DETECTION`
    TornPageDetection,
    /// `NONE`
    None,
}

/// `BACKUP`.
#[derive(Clone, Debug, PartialEq)]
pub struct Backup {
    /// `DATABASE`, `LOG`.
    pub kind: BackupKind,
    /// The database.
    pub database: NameOrVariable,
    /// `FILE = …`, `FILEGROUP = …`, `READ_WRITE_FILEGROUPS`.
    pub parts: Vec<NamedOption>,
    /// `TO`.
    pub to: Vec<Device>,
    /// `MIRROR TO`, each list.
    pub mirrors: Vec<Vec<Device>>,
    /// `WITH`.
    pub options: Vec<NamedOption>,
}

/// What is backed up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackupKind {
    /// `DATABASE`
    Database,
    /// `LOG`
    Log,
}

/// Where a backup goes or comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Device {
    /// Its kind.
    pub kind: DeviceKind,
    /// [`OptionValue::Text`], [`OptionValue::Variable`] or, for a logical device, [`OptionValue::Word`].
    pub target: OptionValue,
}

/// Kinds of devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceKind {
    /// A device by its logical name.
    Logical,
    /// `DISK =`
    Disk,
    /// `TAPE =`
    Tape,
    /// `URL =`
    Url,
    /// `DATABASE_SNAPSHOT =`
    DatabaseSnapshot,
}

/// `RESTORE`.
#[derive(Clone, Debug, PartialEq)]
pub struct Restore {
    /// What is restored or shown.
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

/// Kinds of `RESTORE`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RestoreKind {
    /// `DATABASE`
    Database,
    /// `LOG`
    Log,
    /// `HEADERONLY`
    HeaderOnly,
    /// `FILELISTONLY`
    FileListOnly,
    /// `LABELONLY`
    LabelOnly,
    /// `VERIFYONLY`
    VerifyOnly,
    /// `REWINDONLY`
    RewindOnly,
}

/// `DROP something [IF EXISTS] names`.
#[derive(Clone, Debug, PartialEq)]
pub struct Drop {
    /// What kind of object.
    pub kind: DropKind,
    /// `IF EXISTS`.
    pub if_exists: bool,
    /// The names.
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
    Statistics,
    Login,
    User,
    Role,
    ServerRole,
    Other,
}
