//! The catalogue of a database: its tables ([`systab`]) and the cache of what they say.
//!
//! DDL writes rows of the catalogue's tables within the user's transaction and then *refreshes* the objects it has
//! touched: they are read back from the tables and replace the cache's snapshots. So there is one path from rows to
//! snapshots, at start, after DDL and after its rollback.
//!
//! Who sees what: DDL holds Sch-M on the objects it changes. Its changes are in the cache at once, visible to the own
//! transaction; other sessions may find a snapshot that is not committed yet, but must lock the object before they use
//! it and so wait for the transaction's end. After the wait, [`Catalog::lock_table`] waits for the cache to settle and
//! tells whether the snapshot is still the current one; if not, the statement is compiled anew. A dropped table is kept
//! under its name for other sessions until the drop is committed.
//!
//! 1. Every DDL statement calls [`Catalog::refresh`] for what it touched, before it ends.
//! 2. Whoever ends or rolls back a transaction (or part of one) calls [`Catalog::ddl_ended`]; it costs one atomic load
//!    when the session has no DDL pending.
//! 3. `version` grows with every change of the cache.

pub mod identity;
pub mod master;
pub mod object;
mod pending;
pub mod registry;
pub mod rows;
pub mod systab;

pub use identity::{IdentitySequence, Sequence};
pub use object::{
    Check, Column, ConstraintObject, Default, Identity, Index, IndexKind, KeyTail, Module, Object,
    ObjectHead, ObjectKind, Parameter, Table,
};

pub use pending::DdlOutcome;

use hashbrown::HashMap;
use parking_lot::{Condvar, Mutex, RwLock};
use pending::Pending;
use rows::name_key;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use systab::SystemTables;
use taffrail_base::{ObjectId, SchemaId, SessionId, SqlError, SqlResult};
use taffrail_storage::lock::LockMode;
use taffrail_storage::{BeginSpec, Durability, StorageError, Transaction};
use taffrail_types::{Collation, Value};

/// Where the versions of the next catalogue that is opened begin.
static FIRST_VERSION: AtomicU64 = AtomicU64::new(1);

/// The version of the catalogue's tables that this program writes.
pub const SCHEMA_VERSION: i64 = 1;

/// `sysinfo`: the version of the catalogue's tables.
const INFO_SCHEMA_VERSION: i64 = 1;

/// The schema of objects that are named without one.
pub const DBO: SchemaId = SchemaId(1);
/// The schema of the system's objects.
pub const SYS: SchemaId = SchemaId(4);

/// The schemas of every database: id, name.
pub const FIXED_SCHEMAS: [(i32, &str); 13] = [
    (1, "dbo"),
    (2, "guest"),
    (3, "INFORMATION_SCHEMA"),
    (4, "sys"),
    (16384, "db_owner"),
    (16385, "db_accessadmin"),
    (16386, "db_securityadmin"),
    (16387, "db_ddladmin"),
    (16389, "db_backupoperator"),
    (16390, "db_datareader"),
    (16391, "db_datawriter"),
    (16392, "db_denydatareader"),
    (16393, "db_denydatawriter"),
];

const SEQUENCE_OBJECTS: i64 = -1;
const SEQUENCE_ROWS: i64 = -2;
const SEQUENCE_SEQUENCES: i64 = -3;

/// A name as the cache keys it: equal names give equal strings under the catalogue's collation.
pub(crate) fn fold(name: &str) -> String {
    if name.is_ascii() {
        return name.to_ascii_lowercase();
    }
    Collation::default().fold_str(name)
}

/// A schema.
#[derive(Clone, Debug)]
pub struct Schema {
    /// `schema_id`.
    pub id: SchemaId,
    /// Its name.
    pub name: Arc<str>,
    /// Its owner.
    pub principal: i32,
}

#[derive(Default)]
struct State {
    names: HashMap<(i32, String), ObjectId, foldhash::fast::RandomState>,
    objects: HashMap<ObjectId, Object, foldhash::fast::RandomState>,
    /// Constraints by their table, ascending.
    children: HashMap<ObjectId, Vec<ObjectId>, foldhash::fast::RandomState>,
    schemas: Vec<Schema>,
}

/// The catalogue of one database.
pub struct Catalog {
    storage: Arc<taffrail_storage::Database>,
    state: RwLock<State>,
    version: AtomicU64,
    snapshots: AtomicU64,
    pending: Mutex<HashMap<SessionId, Pending, foldhash::fast::RandomState>>,
    pending_sessions: AtomicUsize,
    settled: Condvar,
    sequences: Mutex<HashMap<i64, Arc<IdentitySequence>, foldhash::fast::RandomState>>,
    object_ids: Sequence,
    row_numbers: Sequence,
    sequence_ids: Sequence,
}

fn sql(e: StorageError) -> Box<SqlError> {
    e.to_sql(0)
}

fn system_transaction(
    storage: &Arc<taffrail_storage::Database>,
    name: &'static str,
) -> Transaction {
    storage.begin(BeginSpec { name, lock_timeout_ms: -1, ..BeginSpec::default() })
}

impl Catalog {
    /// Writes the first rows of a new database's catalogue. Durable when it returns.
    pub fn bootstrap(storage: &Arc<taffrail_storage::Database>) -> SqlResult<()> {
        let mut tx = system_transaction(storage, "CreateCatalog");
        for (id, name) in FIXED_SCHEMAS {
            let row = [Value::nvarchar(name), Value::Int(id)];
            systab::put(&mut tx, &SystemTables::SCHEMAS, &[id as i64], &row)?;
        }
        let version = [Value::BigInt(SCHEMA_VERSION), Value::Null];
        systab::put(&mut tx, &SystemTables::INFO, &[INFO_SCHEMA_VERSION], &version)?;
        tx.commit(Durability::Full).map_err(sql)
    }

    /// Reads the catalogue of a database that has been opened: 948 when a newer program wrote it.
    pub fn open(storage: &Arc<taffrail_storage::Database>) -> SqlResult<Catalog> {
        let mut tx = system_transaction(storage, "ReadCatalog");
        let version = match systab::get(&mut tx, &SystemTables::INFO, &[INFO_SCHEMA_VERSION])? {
            Some(row) => systab::number(&row, 0)?,
            None => return Err(SqlError::new(5243, &[])),
        };
        if version > SCHEMA_VERSION {
            let name = storage.name();
            return Err(SqlError::new(948, &[&name, &version, &SCHEMA_VERSION]));
        }
        let limit = |tx: &mut Transaction, id| rows::read_limit(tx, id);
        // No two openings share versions: a database that is restored keeps its id, and must not be taken for what it was.
        let first = FIRST_VERSION.fetch_add(1 << 32, Ordering::Relaxed);
        let catalog = Catalog {
            object_ids: Sequence::new(
                storage.clone(),
                SEQUENCE_OBJECTS,
                limit(&mut tx, SEQUENCE_OBJECTS)?,
            ),
            row_numbers: Sequence::new(
                storage.clone(),
                SEQUENCE_ROWS,
                limit(&mut tx, SEQUENCE_ROWS)?,
            ),
            sequence_ids: Sequence::new(
                storage.clone(),
                SEQUENCE_SEQUENCES,
                limit(&mut tx, SEQUENCE_SEQUENCES)?,
            ),
            storage: storage.clone(),
            state: RwLock::default(),
            version: AtomicU64::new(first),
            snapshots: AtomicU64::new(first),
            pending: Mutex::default(),
            pending_sessions: AtomicUsize::new(0),
            settled: Condvar::new(),
            sequences: Mutex::default(),
        };
        catalog.read_schemas(&mut tx)?;
        let mut objects = Vec::new();
        for (key, row) in systab::scan(&mut tx, &SystemTables::OBJECTS, &[])? {
            objects.push((ObjectId(key[0] as i32), row));
        }
        // Constraints first: tables find their checks by them.
        let is_table = |row: &[Value]| systab::number(row, 3).is_ok_and(|parent| parent == 0);
        objects.sort_by_key(|(_, row)| is_table(row));
        for (id, row) in objects {
            let object = catalog.object_of_row(&mut tx, id, &row)?;
            catalog.state.write().insert(object);
        }
        tx.commit(Durability::Delayed).map_err(sql)?;
        Ok(catalog)
    }

    /// Writes the exact state of all sequences, so that a clean start leaves no gaps.
    pub fn settle_sequences(&self) -> SqlResult<()> {
        for sequence in [&self.object_ids, &self.row_numbers, &self.sequence_ids] {
            sequence.settle()?;
        }
        let sequences: Vec<_> = self.sequences.lock().values().cloned().collect();
        sequences.iter().try_for_each(|s| s.settle())
    }

    /// Its pages.
    pub fn storage(&self) -> &Arc<taffrail_storage::Database> {
        &self.storage
    }

    /// Grows with every change of the cache.
    #[inline]
    pub fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    pub(crate) fn new_version(&self) -> u64 {
        self.snapshots.fetch_add(1, Ordering::Relaxed)
    }

    /// The database is closed: what was planned on it is planned anew before it runs again.
    pub(crate) fn retire(&self) {
        self.changed();
    }

    fn changed(&self) {
        self.version.fetch_add(1, Ordering::AcqRel);
    }

    // Look-up.

    /// An object by id.
    pub fn object(&self, id: ObjectId) -> Option<Object> {
        self.state.read().objects.get(&id).cloned()
    }

    /// An object by name; `session` sees its own drops, others see them when they are committed.
    pub fn find(&self, schema: SchemaId, name: &str, session: SessionId) -> Option<Object> {
        let key = name_key(schema, name);
        {
            let state = self.state.read();
            if let Some(object) = state.names.get(&key).and_then(|id| state.objects.get(id)) {
                return Some(object.clone());
            }
        }
        if self.pending_sessions.load(Ordering::Acquire) == 0 {
            return None;
        }
        let pending = self.pending.lock();
        let others = pending.iter().filter(|(who, _)| **who != session);
        let mut dropped = others.flat_map(|(_, p)| &p.dropped);
        dropped.find(|(k, _)| *k == key).map(|(_, object)| object.clone())
    }

    /// The same by the schema's name; without one `dbo`.
    pub fn find_named(
        &self,
        schema: Option<&str>,
        name: &str,
        session: SessionId,
    ) -> Option<Object> {
        let schema = match schema {
            None | Some("") => DBO,
            Some(schema) => self.schema(schema)?.id,
        };
        self.find(schema, name, session)
    }

    /// A user table by name.
    pub fn find_table(
        &self,
        schema: Option<&str>,
        name: &str,
        session: SessionId,
    ) -> Option<Arc<Table>> {
        match self.find_named(schema, name, session) {
            Some(Object::Table(table)) => Some(table),
            _ => None,
        }
    }

    /// A procedure by name.
    pub fn find_procedure(
        &self,
        schema: Option<&str>,
        name: &str,
        session: SessionId,
    ) -> Option<Arc<Module>> {
        match self.find_named(schema, name, session) {
            Some(Object::Procedure(p)) => Some(p),
            _ => None,
        }
    }

    /// A table by id.
    pub fn table(&self, id: ObjectId) -> Option<Arc<Table>> {
        match self.object(id) {
            Some(Object::Table(table)) => Some(table),
            _ => None,
        }
    }

    /// A schema by name.
    pub fn schema(&self, name: &str) -> Option<Schema> {
        let key = fold(name);
        self.state.read().schemas.iter().find(|s| fold(&s.name) == key).cloned()
    }

    /// A schema's name.
    pub fn schema_name(&self, id: SchemaId) -> Option<Arc<str>> {
        self.state.read().schemas.iter().find(|s| s.id == id).map(|s| s.name.clone())
    }

    /// All schemas.
    pub fn schemas(&self) -> Vec<Schema> {
        self.state.read().schemas.clone()
    }

    /// All objects, by id.
    pub fn objects(&self) -> Vec<Object> {
        let mut all: Vec<Object> = self.state.read().objects.values().cloned().collect();
        all.sort_unstable_by_key(|o| o.head().id);
        all
    }

    /// All user tables, by id.
    pub fn tables(&self) -> Vec<Arc<Table>> {
        self.objects().iter().filter_map(|o| o.as_table().cloned()).collect()
    }

    /// The constraints of a table.
    pub fn constraints_of(&self, table: ObjectId) -> Vec<Arc<ConstraintObject>> {
        let constraint = |id: ObjectId| match self.object(id) {
            Some(Object::Constraint(c)) => Some(c),
            _ => None,
        };
        self.children_of(table).into_iter().filter_map(constraint).collect()
    }

    // Use.

    /// Locks a table for a statement and waits until the cache says what is committed. True when `snapshot` is still
    /// what the catalogue says; else the statement must be compiled anew.
    pub fn lock_table(
        &self,
        tx: &mut Transaction,
        session: SessionId,
        snapshot: &Table,
        mode: LockMode,
    ) -> SqlResult<bool> {
        tx.lock_object(snapshot.head.id, mode).map_err(|e| e.to_sql(session.0))?;
        Ok(self.is_current(snapshot, session))
    }

    /// Whether `snapshot` is what the catalogue says now. The caller holds a lock on the object.
    pub fn is_current(&self, snapshot: &Table, session: SessionId) -> bool {
        self.settle(snapshot.head.id, session);
        let state = self.state.read();
        match state.objects.get(&snapshot.head.id) {
            Some(Object::Table(t)) => t.version == snapshot.version,
            _ => false,
        }
    }

    /// Waits while another session's DDL on the object is being taken over or back by the cache. The caller holds a
    /// lock on the object, so that session's transaction has ended.
    fn settle(&self, object: ObjectId, session: SessionId) {
        if self.pending_sessions.load(Ordering::Acquire) == 0 {
            return;
        }
        let mut pending = self.pending.lock();
        while pending.iter().any(|(who, p)| *who != session && p.touched.contains(&object)) {
            self.settled.wait(&mut pending);
        }
    }

    /// A number for a row of a clustered index that is not unique.
    #[inline]
    pub fn next_row_number(&self) -> SqlResult<u64> {
        self.row_numbers.take()
    }

    /// An id for a new object.
    pub fn new_object_id(&self) -> SqlResult<ObjectId> {
        loop {
            let n = self.object_ids.take()? as u128;
            // As SQL Server spreads them; step and modulus have no common divisor, so ids repeat only after 2^31.
            let id = (245_575_913 + n * 16_000_057) % 2_147_483_646 + 1;
            if id > 1_000 {
                return Ok(ObjectId(id as i32));
            }
        }
    }

    /// A number for a new identity sequence.
    pub fn new_sequence_id(&self) -> SqlResult<i64> {
        Ok(self.sequence_ids.take()? as i64 + 1)
    }

    /// A new identity sequence that begins at its nth number; durable with the next commit of anybody.
    pub fn new_sequence_at(&self, n: u64) -> SqlResult<i64> {
        let id = self.new_sequence_id()?;
        let mut tx = system_transaction(&self.storage, "IdentityRange");
        let limit = Value::BigInt(i64::try_from(n).unwrap_or(i64::MAX));
        systab::put(&mut tx, &SystemTables::IDENTITY, &[id], &[limit])?;
        tx.commit(Durability::Delayed).map_err(sql)?;
        Ok(id)
    }

    /// The catalogue's clock: a datetime.
    pub fn now(&self) -> Value {
        datetime_now(&*self.storage.instance().env.clock)
    }

    fn read_schemas(&self, tx: &mut Transaction) -> SqlResult<()> {
        let mut schemas = Vec::new();
        for (key, row) in systab::scan(tx, &SystemTables::SCHEMAS, &[])? {
            schemas.push(Schema {
                id: SchemaId(key[0] as i32),
                name: systab::text(&row, 0)?.into(),
                principal: systab::number(&row, 1)? as i32,
            });
        }
        self.state.write().schemas = schemas;
        Ok(())
    }

    /// Ids of the constraints of a table, in order: those in the cache, so DDL refreshes a new one before its table.
    pub(super) fn children_of(&self, table: ObjectId) -> Vec<ObjectId> {
        self.state.read().children.get(&table).cloned().unwrap_or_default()
    }
}

impl State {
    fn insert(&mut self, object: Object) {
        let head = object.head();
        self.names.insert(name_key(head.schema_id, &head.name), head.id);
        if head.parent.0 != 0 {
            let siblings = self.children.entry(head.parent).or_default();
            if let Err(at) = siblings.binary_search(&head.id) {
                siblings.insert(at, head.id);
            }
        }
        self.objects.insert(head.id, object);
    }

    fn remove(&mut self, id: ObjectId) -> Option<Object> {
        let old = self.objects.remove(&id)?;
        let key = name_key(old.head().schema_id, &old.head().name);
        if self.names.get(&key) == Some(&id) {
            self.names.remove(&key);
        }
        let parent = old.head().parent;
        if let Some(siblings) = self.children.get_mut(&parent) {
            siblings.retain(|s| *s != id);
            if siblings.is_empty() {
                self.children.remove(&parent);
            }
        }
        Some(old)
    }
}

/// Days from 0001-01-01 to 1900-01-01.
const DAYS_TO_1900: i64 = 693_595;

/// A UTC instant as a datetime, rounded to 1/300 s.
pub fn datetime(at: taffrail_io::UtcTime) -> Value {
    const DAY: u64 = 864_000_000_000;
    let mut days = (at.0 / DAY) as i64 - DAYS_TO_1900;
    let mut ticks = (at.0 % DAY * 3 + 50_000) / 100_000;
    if ticks == 25_920_000 {
        days += 1;
        ticks = 0;
    }
    Value::DateTime { days: days as i32, ticks: ticks as u32 }
}

/// Now.
pub fn datetime_now(clock: &dyn taffrail_io::Clock) -> Value {
    datetime(clock.now_utc())
}
