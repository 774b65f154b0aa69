//! How a statement locks a table: its hints, and what they come to at an isolation level.

use std::fmt;
use taffrail_base::{IndexId, SqlError, SqlResult};
use taffrail_storage::lock::{LockError, LockMode};
use taffrail_storage::{ScanLocks, StorageError, Transaction};

/// `SET TRANSACTION ISOLATION LEVEL`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Isolation {
    /// 1.
    ReadUncommitted,
    /// 2.
    #[default]
    ReadCommitted,
    /// 3.
    RepeatableRead,
    /// 4.
    Serializable,
    /// Rows as of one moment: SNAPSHOT, which views number 5.
    Snapshot,
}

impl From<Isolation> for taffrail_storage::Isolation {
    fn from(i: Isolation) -> taffrail_storage::Isolation {
        match i {
            Isolation::ReadUncommitted => taffrail_storage::Isolation::ReadUncommitted,
            Isolation::ReadCommitted => taffrail_storage::Isolation::ReadCommitted,
            Isolation::RepeatableRead => taffrail_storage::Isolation::RepeatableRead,
            Isolation::Serializable => taffrail_storage::Isolation::Serializable,
            Isolation::Snapshot => taffrail_storage::Isolation::Snapshot,
        }
    }
}

impl Isolation {
    /// `sys.dm_exec_sessions.transaction_isolation_level`.
    pub fn number(self) -> i16 {
        self as i16 + 1
    }
}

/// The promises of a session's reads in one database.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Level {
    /// The isolation level of the session.
    pub isolation: Isolation,
    /// READ COMMITTED reads versions there.
    pub versions: bool,
}

/// The rows that a mention of a table reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reads {
    /// Rows as they are now.
    Current,
    /// Rows as of the statement's beginning: READ COMMITTED with READ_COMMITTED_SNAPSHOT.
    OfStatement,
    /// Rows as of the transaction's first look: SNAPSHOT.
    OfTransaction,
}

/// An isolation level for one table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum LevelHint {
    /// The session's.
    #[default]
    Session,
    /// NOLOCK, READUNCOMMITTED.
    ReadUncommitted,
    /// READCOMMITTED.
    ReadCommitted,
    /// READCOMMITTEDLOCK: rows as they are now, whatever the database's options say.
    ReadCommittedLock,
    /// REPEATABLEREAD.
    RepeatableRead,
    /// HOLDLOCK, SERIALIZABLE.
    Serializable,
}

/// What is locked on rows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum RowMode {
    /// S, as far as the level asks for it.
    #[default]
    Shared,
    /// U: UPDLOCK, and targets of UPDATE, DELETE and MERGE.
    Update,
    /// X: XLOCK.
    Exclusive,
}

/// A lock on the whole table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum TableLock {
    /// Intent only.
    #[default]
    Intent,
    /// TABLOCK: S.
    Shared,
    /// TABLOCKX: X.
    Exclusive,
    /// ALLOW_ROW_LOCKS = OFF: S or X, as rows would be locked.
    ForRows,
}

/// How a statement locks a table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Locking {
    /// For how long.
    pub level: LevelHint,
    /// How.
    pub mode: RowMode,
    /// The table as a whole.
    pub table: TableLock,
    /// It is what the statement changes.
    pub target: bool,
    /// UPDLOCK or XLOCK was written: rows that qualify stay locked, changed or not.
    pub kept: bool,
    /// READPAST: rows that others have locked are passed over.
    pub read_past: bool,
    /// NOWAIT: 1222 at once.
    pub no_wait: bool,
}

/// Hints of a table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Hints {
    /// How it is locked.
    pub locks: Locking,
    /// How its rows are found.
    pub access: AccessHint,
}

/// What hints say of the way to a table's rows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct AccessHint {
    /// INDEX, or the index of FORCESEEK; 0: the table itself, from one end to the other.
    pub index: Option<IndexId>,
    /// FORCESEEK: by values of so many of the index's first columns, at least.
    pub seek: Option<u8>,
    /// FORCESCAN: by none.
    pub scan: bool,
    /// TABLESAMPLE: a share of the table's pages is read.
    pub sample: Option<TableSample>,
}

/// The pages of a table that TABLESAMPLE asks for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TableSample {
    /// How many of them.
    pub size: SampleSize,
    /// REPEATABLE: the seed by which they are chosen; none: each execution has its own.
    pub seed: Option<i64>,
}

/// The size of a sample.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SampleSize {
    /// PERCENT, between 0 and 100: the bits of the f64.
    Percent(u64),
    /// ROWS: pages that hold so many rows, by the table's own count.
    Rows(i64),
}

impl TableSample {
    /// The share of the pages, between 0 and 1, of a table of so many rows.
    pub fn share(&self, rows: u64) -> f64 {
        match self.size {
            SampleSize::Percent(bits) => f64::from_bits(bits) / 100.0,
            SampleSize::Rows(n) => (n as f64 / rows.max(1) as f64).min(1.0),
        }
    }
}

impl fmt::Display for TableSample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.size {
            SampleSize::Percent(bits) => write!(f, "({} PERCENT)", f64::from_bits(bits))?,
            SampleSize::Rows(n) => write!(f, "({n} ROWS)")?,
        }
        self.seed.map_or(Ok(()), |seed| write!(f, " REPEATABLE ({seed})"))
    }
}

/// What becomes of the lock of a row that was looked at and does not qualify.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rejected {
    /// It stays.
    Kept,
    /// What was locked for a change is locked as a row that was read.
    Shared,
    /// It goes at once.
    Released,
}

/// What a scan does where somebody else has a row locked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Patience {
    /// It waits, as long as LOCK_TIMEOUT says.
    Waits,
    /// 1222.
    Refuses,
    /// It goes on to the next row.
    Skips,
}

impl Patience {
    /// Reads in this way: without waiting where the statement does not wait for rows.
    #[inline]
    pub fn read<T>(self, tx: &mut Transaction, f: impl FnOnce(&mut Transaction) -> T) -> T {
        if self == Patience::Waits { f(tx) } else { tx.without_waiting(f) }
    }

    /// Somebody else has the row locked, and it is passed over.
    pub fn skips(self, e: &StorageError) -> bool {
        self == Patience::Skips && matches!(e, StorageError::Lock(LockError::Timeout(_)))
    }
}

impl Locking {
    /// Those of a target.
    pub fn of_target() -> Locking {
        Locking { mode: RowMode::Update, target: true, ..Locking::default() }
    }

    /// The isolation level at which the table is read.
    pub fn isolation(self, session: Isolation) -> Isolation {
        match self.level {
            LevelHint::Session => session,
            LevelHint::ReadUncommitted => Isolation::ReadUncommitted,
            LevelHint::ReadCommitted | LevelHint::ReadCommittedLock => Isolation::ReadCommitted,
            LevelHint::RepeatableRead => Isolation::RepeatableRead,
            LevelHint::Serializable => Isolation::Serializable,
        }
    }

    /// The rows that are read. A snapshot decides which rows are wanted where the statement changes or locks them, too; READ COMMITTED
    /// locks those as they are. READCOMMITTED as a hint within SNAPSHOT reads what is there now.
    pub fn reads(self, level: Level) -> Reads {
        match self.isolation(level.isolation) {
            Isolation::Snapshot => Reads::OfTransaction,
            Isolation::ReadCommitted
                if level.versions
                    && level.isolation != Isolation::Snapshot
                    && self.level != LevelHint::ReadCommittedLock
                    && self.only_reads() =>
            {
                Reads::OfStatement
            }
            _ => Reads::Current,
        }
    }

    /// Nobody may put a row where this statement found none, until the transaction has ended: the ranges of an index that it reads are
    /// locked, or the table where it reads all of a heap.
    fn holds(self, session: Isolation) -> bool {
        self.isolation(session) == Isolation::Serializable
    }

    /// No hint asks for more than the rows as they are.
    fn only_reads(self) -> bool {
        self.mode == RowMode::Shared && matches!(self.table, TableLock::Intent | TableLock::ForRows)
    }

    /// The row locks of a scan, and of look-ups of rows by their locators. `heap`: all of a heap is read.
    pub fn rows(self, level: Level, heap: bool) -> ScanLocks {
        if self.reads(level) != Reads::Current {
            return ScanLocks::Versions;
        }
        let session = level.isolation;
        // The lock on the table covers them.
        if self.table != TableLock::Intent || heap && self.holds(session) {
            return ScanLocks::None;
        }
        match self.mode {
            RowMode::Update => ScanLocks::Update,
            RowMode::Exclusive => ScanLocks::Exclusive,
            RowMode::Shared => match self.isolation(session) {
                Isolation::ReadUncommitted => ScanLocks::None,
                Isolation::ReadCommitted => ScanLocks::ReadCommitted,
                Isolation::RepeatableRead | Isolation::Serializable => ScanLocks::Shared,
                Isolation::Snapshot => ScanLocks::Versions,
            },
        }
    }

    /// The locks on the keys of an index whose ranges nobody may insert into; none where that is no matter.
    pub fn ranges(self, session: Isolation) -> Option<ScanLocks> {
        let ranges = self.table == TableLock::Intent && self.holds(session);
        ranges.then_some(match self.mode {
            RowMode::Shared => ScanLocks::RangeShared,
            RowMode::Update => ScanLocks::RangeUpdate,
            RowMode::Exclusive => ScanLocks::RangeExclusive,
        })
    }

    /// The lock on the table that goes with it. `heap`: all of a heap is read.
    ///
    /// Where a heap is to stay as it is for a reader that means to write, the table is locked in U: beside it others read, and
    /// the next who means to write waits here, not when both have read. A target has IX on top.
    pub fn table_mode(self, level: Level, heap: bool) -> LockMode {
        let session = level.isolation;
        let hold = heap && self.holds(session);
        match (self.table, self.mode) {
            (TableLock::Exclusive, _) => LockMode::X,
            (TableLock::ForRows, RowMode::Shared) => match self.isolation(session) {
                Isolation::ReadUncommitted => LockMode::SchS,
                _ if self.reads(level) != Reads::Current => LockMode::SchS,
                _ => LockMode::S,
            },
            (TableLock::ForRows, _) => LockMode::X,
            (TableLock::Shared, RowMode::Shared) => LockMode::S,
            (TableLock::Shared, _) => LockMode::X,
            (TableLock::Intent, RowMode::Update) if hold && self.target => LockMode::UIX,
            (TableLock::Intent, RowMode::Update) if hold => LockMode::U,
            (TableLock::Intent, RowMode::Exclusive) if hold => LockMode::X,
            (TableLock::Intent, RowMode::Update | RowMode::Exclusive) => LockMode::IX,
            (TableLock::Intent, RowMode::Shared) if hold => LockMode::S,
            (TableLock::Intent, RowMode::Shared) => match self.isolation(session) {
                Isolation::ReadUncommitted => LockMode::SchS,
                _ if self.reads(level) != Reads::Current => LockMode::SchS,
                _ => LockMode::IS,
            },
        }
    }

    /// Rows are read whoever changes them.
    pub fn is_dirty(self, session: Isolation) -> bool {
        self.isolation(session) == Isolation::ReadUncommitted && self.only_reads()
    }

    /// The rows that are read of a snapshot stay locked, and 3960 is told where they are not as they were: UPDLOCK, XLOCK. A target's are
    /// locked when they are changed.
    pub fn claims(self, level: Level) -> Option<LockMode> {
        let claims = self.reads(level) == Reads::OfTransaction && !self.target;
        match self.mode {
            RowMode::Update if claims => Some(LockMode::U),
            RowMode::Exclusive if claims => Some(LockMode::X),
            _ => None,
        }
    }

    /// What becomes of the lock of a row that does not qualify.
    pub fn rejects(self, session: Isolation) -> Rejected {
        match self.isolation(session) {
            Isolation::ReadUncommitted | Isolation::ReadCommitted | Isolation::Snapshot => {
                Rejected::Released
            }
            Isolation::RepeatableRead if self.looks() => Rejected::Shared,
            _ => Rejected::Kept,
        }
    }

    /// The statement locks rows in U only to find those that it changes.
    pub fn looks(self) -> bool {
        self.target && !self.kept && self.mode == RowMode::Update
    }

    /// What a scan does where somebody else has a row locked.
    pub fn patience(self) -> Patience {
        match (self.read_past, self.no_wait && self.table == TableLock::Intent) {
            (true, _) => Patience::Skips,
            (_, true) => Patience::Refuses,
            _ => Patience::Waits,
        }
    }

    /// 650: rows may be passed over only where the level does not promise them.
    pub fn check(self, session: Isolation) -> SqlResult<()> {
        let fits = |l| matches!(l, Isolation::ReadCommitted | Isolation::RepeatableRead);
        match self.read_past && !(fits(session) && fits(self.isolation(session))) {
            true => Err(SqlError::new(650, &[])),
            false => Ok(()),
        }
    }

    /// The locks of a table with those of the view that it stands in.
    pub fn within(self, view: Locking) -> Locking {
        let of = |own: bool| if own { self } else { view };
        Locking {
            level: of(self.level != LevelHint::Session).level,
            mode: of(self.mode != RowMode::Shared).mode,
            table: of(self.table != TableLock::Intent).table,
            target: self.target,
            kept: self.kept || view.kept,
            read_past: self.read_past || view.read_past,
            no_wait: self.no_wait || view.no_wait,
        }
    }

    /// Those of a table of FROM that a change has as its target (`target`: what stands there). NOLOCK means nothing there.
    pub fn as_target(self, target: Locking) -> Locking {
        let own = match self.level {
            LevelHint::ReadUncommitted => Locking { level: LevelHint::Session, ..self },
            _ => self,
        };
        Locking { target: true, ..own.within(target) }
    }
}
