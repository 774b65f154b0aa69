//! Versions of rows, as the options of a database say: who may read them, and since when.
//!
//! ```text
//! READ_COMMITTED_SNAPSHOT    a flag of the database; it is alone when the flag changes
//! ALLOW_SNAPSHOT_ISOLATION   off ─► to on ─► on     until everybody who wrote without versions has ended
//!                            on ─► to off ─► off    until every snapshot that was taken before has ended
//! ```
//! The flags are kept in the database; a transition is not: a restart ends it, since nobody is left to wait for.
//!
//! 1. Versions are kept while either flag is set, or SNAPSHOT is on its way to be on ([`Database::follow_versions`]).
//! 2. master and msdb always allow SNAPSHOT, and never have READ_COMMITTED_SNAPSHOT.
//! 3. The catalogue itself has no versions. It notes when DDL on an object was committed: a snapshot from before does not go with what the
//!    catalogue says now (3961).

use crate::database::Database;
use crate::principals::attempts::ATTEMPTS;
use crate::{Catalog, FIRST_SCHEMA_VERSION, ensure_schema_version, system_transaction};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use taffrail_base::{ObjectId, SqlResult};
use taffrail_storage::{Durability, Snapshot, StorageError};

/// The flag of a database with `READ_COMMITTED_SNAPSHOT ON`.
pub const FLAG_READ_COMMITTED_SNAPSHOT: u64 = 32;
/// The flag of a database with `ALLOW_SNAPSHOT_ISOLATION ON`.
pub const FLAG_ALLOW_SNAPSHOT: u64 = 64;

/// The version of a catalogue whose database has one of the flags.
const VERSIONS: i64 = 12;

/// The version of the catalogue of a new database with these flags.
pub(crate) fn first_version(flags: u64) -> i64 {
    match flags & (FLAG_READ_COMMITTED_SNAPSHOT | FLAG_ALLOW_SNAPSHOT) {
        _ if flags & crate::registry::FLAG_CONTAINED != 0 => ATTEMPTS,
        0 => FIRST_SCHEMA_VERSION,
        _ => VERSIONS,
    }
}

/// The states that `sys.databases.snapshot_isolation_state` numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SnapshotState {
    /// Transactions under SNAPSHOT are refused.
    Off = 0,
    /// Transactions under SNAPSHOT are allowed.
    On = 1,
    /// Snapshots from before go on, new ones are refused.
    ToOff = 2,
    /// Versions are kept, snapshots are refused yet.
    ToOn = 3,
}

impl SnapshotState {
    /// The state as `snapshot_isolation_state_desc` names it.
    pub fn description(self) -> &'static str {
        match self {
            SnapshotState::Off => "OFF",
            SnapshotState::On => "ON",
            SnapshotState::ToOff => "IN_TRANSITION_TO_OFF",
            SnapshotState::ToOn => "IN_TRANSITION_TO_ON",
        }
    }
}

/// The reasons for which a snapshot is no use in a database.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unseen {
    /// SNAPSHOT is not allowed: 3952.
    Off,
    /// The snapshot is older than the opening of the database: 3953.
    Recovered,
    /// SNAPSHOT is being taken back, and was before the snapshot was taken: 3954.
    ToOff,
    /// SNAPSHOT is not allowed yet: 3956.
    ToOn,
    /// The snapshot is older than the permission: 3957.
    Older,
}

/// The state of versions in an open database, beside the flags.
#[derive(Default)]
pub(crate) struct Versioning {
    /// A [`SnapshotState`] that is a transition; 0: there is none.
    transition: AtomicU8,
    /// Snapshots after this sequence are refused while SNAPSHOT is being taken back.
    last_allowed: AtomicU64,
    /// The sequence at which SNAPSHOT was allowed; 0: the flag was there when the database was opened.
    allowed_at: AtomicU64,
    /// The sequence at which the database was opened.
    opened_at: u64,
    /// The sequence at which DDL on an object was committed, of objects that SNAPSHOT may read.
    changed: Mutex<HashMap<ObjectId, u64>>,
}

impl Versioning {
    /// Of a database that is being opened.
    pub fn new(opened_at: u64) -> Versioning {
        Versioning { opened_at, ..Versioning::default() }
    }
}

/// More notes of DDL than these are looked through for those that no snapshot asks for any more.
const NOTES: usize = 1024;

impl Catalog {
    /// DDL on objects has been committed, and nobody has seen yet what it made of them.
    pub(crate) fn note_changed(&self, objects: &[ObjectId]) {
        if !self.storage.versions_on() {
            return;
        }
        let snapshots = &self.storage.instance().snapshots;
        // A number of its own: DDL that has changed no row has none.
        let (at, oldest) = (snapshots.next(), snapshots.oldest());
        let mut changed = self.versioning.changed.lock();
        if changed.len() > NOTES {
            changed.retain(|_, at| oldest.is_some_and(|oldest| *at > oldest));
        }
        changed.extend(objects.iter().map(|id| (*id, at)));
    }

    /// Whether DDL on an object was committed after the snapshot was taken.
    pub fn changed_since(&self, object: ObjectId, snapshot: &Snapshot) -> bool {
        let changed = self.versioning.changed.lock();
        changed.get(&object).is_some_and(|at| *at > snapshot.sequence())
    }
}

impl Database {
    fn flag(&self, flag: u64) -> bool {
        self.storage.engine_flags() & flag != 0
    }

    /// The column `is_read_committed_snapshot_on` of sys.databases.
    #[inline]
    pub fn has_read_committed_snapshot(&self) -> bool {
        self.flag(FLAG_READ_COMMITTED_SNAPSHOT)
    }

    /// READ COMMITTED reads versions: the option is on, and every transaction that wrote without versions (one that a restart undoes, for
    /// one) has ended.
    #[inline]
    pub fn reads_versions(&self) -> bool {
        self.has_read_committed_snapshot() && self.storage.versions_ready()
    }

    /// SNAPSHOT is allowed here whatever is set.
    pub fn always_allows_snapshot(&self) -> bool {
        self.id.0 == 1 || self.id.0 == 4
    }

    /// The column `snapshot_isolation_state` of sys.databases.
    pub fn snapshot_state(&self) -> SnapshotState {
        match self.catalog.versioning.transition.load(Ordering::Acquire) {
            2 => SnapshotState::ToOff,
            3 => SnapshotState::ToOn,
            _ if self.flag(FLAG_ALLOW_SNAPSHOT) || self.always_allows_snapshot() => {
                SnapshotState::On
            }
            _ => SnapshotState::Off,
        }
    }

    /// Whether a transaction may look at this database with its snapshot.
    pub fn shows(&self, snapshot: &Snapshot) -> Result<(), Unseen> {
        let versioning = &self.catalog.versioning;
        let at = snapshot.sequence();
        match self.snapshot_state() {
            SnapshotState::Off => Err(Unseen::Off),
            SnapshotState::ToOn => Err(Unseen::ToOn),
            SnapshotState::ToOff if at > versioning.last_allowed.load(Ordering::Acquire) => {
                Err(Unseen::ToOff)
            }
            _ if at < versioning.opened_at => Err(Unseen::Recovered),
            _ if at < versioning.allowed_at.load(Ordering::Acquire) => Err(Unseen::Older),
            _ if !self.storage.sees(snapshot) => Err(Unseen::Recovered),
            _ => Ok(()),
        }
    }

    /// SNAPSHOT begins to be allowed, or to be taken back; false: somebody else has begun.
    pub fn begin_transition(&self, allow: bool) -> bool {
        let versioning = &self.catalog.versioning;
        let state = if allow { SnapshotState::ToOn } else { SnapshotState::ToOff };
        let (done, lost) = (Ordering::AcqRel, Ordering::Acquire);
        if versioning.transition.compare_exchange(0, state as u8, done, lost).is_err() {
            return false;
        }
        // A snapshot that is taken between the two stores is no older than this.
        let last = self.storage.instance().snapshots.part();
        versioning.last_allowed.store(last, Ordering::Release);
        self.follow_versions();
        true
    }

    /// The last snapshot that is still allowed while SNAPSHOT is taken back.
    pub fn last_allowed(&self) -> u64 {
        self.catalog.versioning.last_allowed.load(Ordering::Acquire)
    }

    /// The transition is over, and the flags say how. `allowed`: from now on SNAPSHOT is.
    pub fn end_transition(&self, allowed: bool) {
        let versioning = &self.catalog.versioning;
        if allowed {
            let now = self.storage.instance().snapshots.now();
            versioning.allowed_at.store(now, Ordering::Release);
        }
        versioning.transition.store(0, Ordering::Release);
        self.follow_versions();
    }

    /// Versions are kept from now on, or no more, as the options say.
    pub fn follow_versions(&self) {
        let wanted =
            self.has_read_committed_snapshot() || self.snapshot_state() != SnapshotState::Off;
        if wanted != self.storage.versions_on() {
            self.storage.set_versions(wanted);
        }
    }

    /// The catalogue says that the database has options which older programs do not know.
    pub fn note_versions(&self) -> SqlResult<()> {
        let sql = |e: StorageError| e.to_sql();
        let mut tx = system_transaction(&self.storage, "RowVersions");
        ensure_schema_version(&mut tx, VERSIONS)?;
        tx.commit(Durability::Full).map_err(sql)
    }

    /// The column `containment` of sys.databases.
    pub fn is_contained(&self) -> bool {
        self.flag(crate::registry::FLAG_CONTAINED)
    }

    /// The catalogue says that the database is contained, of which older programs do not know.
    pub fn note_contained(&self) -> SqlResult<()> {
        let mut tx = system_transaction(&self.storage, "Containment");
        ensure_schema_version(&mut tx, ATTEMPTS)?;
        tx.commit(Durability::Full).map_err(|e| e.to_sql())
    }
}
