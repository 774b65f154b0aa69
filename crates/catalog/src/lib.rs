//! The catalogue of a database: its tables ([`systab`]) and the cache of what they say.
//!
//! DDL writes rows of the catalogue's tables within the user's transaction and then *refreshes* the objects it has
//! touched: they are read back from the tables and replace the cache's snapshots. So there is one path from rows to
//! snapshots, at start, after DDL and after its rollback.
//!
//! Who sees what: the cache shows what is committed; a session sees its own DDL beside it ([`state`], [`pending`]). DDL
//! holds Sch-M on the objects it changes, and locks on the names that come or go. Other sessions that name such an object
//! wait for the end of its transaction ([`wait`]) and look again. A plan was made for a version of the catalogue: after
//! its tables are locked ([`Catalog::lock_table`]) it runs only if that version still stands, else it is made anew.
//!
//! 1. Every DDL statement calls [`Catalog::refresh`] for what it touched, before it ends.
//! 2. Whoever ends or rolls back a transaction (or part of one) calls [`Catalog::ddl_ended`]; it costs one atomic load
//!    while no session has DDL pending.
//! 3. `version` grows with every change of what is committed. A session with pending DDL has versions of its own, and a
//!    new one with every change of its own and with every change of what is committed.
#![forbid(unsafe_code)]

mod computed;
pub mod credentials;
pub mod database;
pub mod ddl_event;
mod ddl_trigger;
pub mod devices;
mod escalation;
pub mod filter;
mod foreign;
pub mod identity;
mod index_rows;
mod kind;
pub mod masks;
pub mod master;
pub mod messages;
pub mod missing;
pub mod module;
mod module_rows;
pub mod object;
mod pending;
pub mod policy;
pub mod principals;
pub mod properties;
pub mod registry;
pub mod rowcodec;
pub mod rows;
pub mod rowversion;
mod schema_version;
pub mod sequence;
mod sequence_rows;
mod shape;
pub mod startup_procedures;
mod state;
pub mod synonym;
pub mod systab;
pub mod temporal;
mod told;
mod type_rows;
mod unmade;
pub mod usage;
pub mod user_type;
pub mod versions;
mod wait;

pub use computed::Computed;
pub use ddl_trigger::TriggerScope;
pub use filter::{IndexFilter, Term, Test};
pub use foreign::{Action, ForeignKey};
pub use identity::{IdentitySequence, Sequence};
pub use module::{DdlTriggerFacts, FiringEvent, FunctionFacts, Module, ModuleOptions, Parameter};
pub use module::{TriggerEvent, TriggerFacts, TriggerOrder};
pub use object::{
    Check, Column, ConstraintObject, Default, Escalation, Identity, Index, IndexKind, KeyTail,
    Object, ObjectHead, ObjectKind, Statistics, Table,
};

pub use pending::DdlOutcome;
pub use policy::{BlockedAt, SecurityPolicy, SecurityPredicate};
pub use sequence::{Cache, Numbers, SequenceFacts, SequenceObject};
pub use state::Sight;
pub use synonym::{BaseName, Synonym};
pub use temporal::{Generated, Retention, RetentionUnit, Temporal};
pub use user_type::{Meaning, SYSNAME_ID, UserType};
pub use wait::{Blocked, Touched, TouchedId};

use parking_lot::{Condvar, Mutex, RwLock};
use rows::name_key;
use rowversion::RowVersions;
use schema_version::{
    FIRST_SCHEMA_VERSION, SCHEMA_VERSION, ensure_schema_version, schema_version,
    write_schema_version,
};
use state::{Map, State};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use systab::SystemTables;
use taffrail_base::{ObjectId, SchemaId, SessionId, SqlError, SqlResult};
use taffrail_storage::{BeginSpec, Durability, StorageError, Transaction};
use taffrail_types::{Collation, Value};

/// Where the versions of the next catalogue that is opened begin.
static FIRST_VERSION: AtomicU64 = AtomicU64::new(1);

/// Versions that only one session sees.
const PRIVATE: u64 = 1 << 63;

/// The schema of objects that are named without one.
pub const DBO: SchemaId = SchemaId(1);

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
const SEQUENCE_ROWVERSIONS: i64 = -4;

/// A name as the cache keys it: equal names give equal strings under the catalogue's collation.
pub fn fold(name: &str) -> String {
    if name.is_ascii() {
        return name.to_ascii_lowercase();
    }
    Collation::default().fold_str(name)
}

/// A schema of a database.
#[derive(Clone, Debug)]
pub struct Schema {
    /// The schema's number, `schema_id`.
    pub id: SchemaId,
    /// The name of the schema.
    pub name: Arc<str>,
    /// The `principal_id` of the owner.
    pub principal: i32,
}

/// The catalogue of one database.
pub struct Catalog {
    storage: Arc<taffrail_storage::Database>,
    state: RwLock<State>,
    /// Its first version, which no other opening has.
    opening: AtomicU64,
    retired: AtomicBool,
    version: AtomicU64,
    snapshots: AtomicU64,
    /// Sessions whose DDL is pending in `state`.
    pending_sessions: AtomicUsize,
    /// Held for a moment when a session's DDL stops being pending, which `settled` then tells.
    settling: Mutex<()>,
    settled: Condvar,
    sequences: Mutex<Map<i64, Arc<IdentitySequence>>>,
    numbers: Mutex<Map<i64, Arc<Numbers>>>,
    object_ids: Sequence,
    row_numbers: Sequence,
    sequence_ids: Sequence,
    rowversions: Arc<RowVersions>,
    type_numbers: user_type::TypeNumbers,
    versioning: versions::Versioning,
    usage: usage::IndexUsages,
    missing: missing::MissingIndexes,
    /// There may be security predicates: while there are none, nobody looks for those of a table.
    has_predicates: AtomicBool,
}

fn sql(e: StorageError) -> Box<SqlError> {
    e.to_sql()
}

fn system_transaction(
    storage: &Arc<taffrail_storage::Database>,
    name: &'static str,
) -> Transaction {
    storage.begin(BeginSpec { name, lock_timeout_ms: -1, ..BeginSpec::default() })
}

impl Catalog {
    /// Writes the first rows of a new database's catalogue. Durable when it returns.
    pub(crate) fn bootstrap(storage: &Arc<taffrail_storage::Database>) -> SqlResult<()> {
        let mut tx = system_transaction(storage, "CreateCatalog");
        for (id, name) in FIXED_SCHEMAS {
            let row = [Value::nvarchar(name), Value::Int(id)];
            systab::put(&mut tx, &SystemTables::SCHEMAS, &[id as i64], &row)?;
        }
        write_schema_version(&mut tx, versions::first_version(storage.engine_flags()))?;
        tx.commit(Durability::Full).map_err(sql)
    }

    /// Reads the catalogue of a database that has been opened: 948 when a newer program wrote it.
    pub fn open(storage: &Arc<taffrail_storage::Database>) -> SqlResult<Catalog> {
        let mut tx = system_transaction(storage, "ReadCatalog");
        let version = schema_version(&mut tx)?;
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
            rowversions: Arc::new(RowVersions::new(Sequence::new(
                storage.clone(),
                SEQUENCE_ROWVERSIONS,
                limit(&mut tx, SEQUENCE_ROWVERSIONS)?,
            ))),
            storage: storage.clone(),
            state: RwLock::default(),
            opening: AtomicU64::new(first),
            retired: AtomicBool::new(false),
            version: AtomicU64::new(first),
            snapshots: AtomicU64::new(first),
            pending_sessions: AtomicUsize::new(0),
            settling: Mutex::default(),
            settled: Condvar::new(),
            sequences: Mutex::default(),
            numbers: Mutex::default(),
            type_numbers: user_type::TypeNumbers::new(first),
            usage: usage::IndexUsages::default(),
            missing: missing::MissingIndexes::default(),
            versioning: versions::Versioning::new(storage.instance().snapshots.now()),
            has_predicates: AtomicBool::new(policy::any(&mut tx)?),
        };
        catalog.state.write().schemas = catalog.read_schemas(&mut tx)?;
        catalog.state.write().principals = catalog.read_principals(&mut tx)?;
        let mut objects = Vec::new();
        for (key, row) in systab::scan(&mut tx, &SystemTables::OBJECTS, &[])? {
            objects.push((ObjectId(key[0] as i32), row));
        }
        // Constraints first: tables find their checks by them.
        let is_table = |row: &[Value]| systab::number(row, 3).is_ok_and(|parent| parent == 0);
        objects.sort_by_key(|(_, row)| is_table(row));
        for (id, row) in objects {
            let object = catalog.object_of_row(&mut tx, id, &row, Sight::COMMITTED)?;
            catalog.type_numbers.known(&object);
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
        self.rowversions.settle()?;
        let sequences: Vec<_> = self.sequences.lock().values().cloned().collect();
        sequences.iter().try_for_each(|s| s.settle())?;
        let numbers: Vec<_> = self.numbers.lock().values().cloned().collect();
        numbers.iter().try_for_each(|n| n.settle())
    }

    /// The pages in which the catalogue lies.
    pub fn storage(&self) -> &Arc<taffrail_storage::Database> {
        &self.storage
    }

    /// Grows with every change of what a session sees as committed; a session that has DDL pending has its own.
    #[inline]
    pub fn version(&self, session: SessionId) -> u64 {
        if self.pending_sessions.load(Ordering::Acquire) != 0
            && let Some(mine) = self.state.read().pending.get(&session)
        {
            return mine.version;
        }
        self.version.load(Ordering::Acquire)
    }

    /// Whether the session has DDL pending here: what it plans is for itself alone.
    #[inline]
    pub fn has_pending(&self, session: SessionId) -> bool {
        self.pending_sessions.load(Ordering::Acquire) != 0
            && self.state.read().pending.contains_key(&session)
    }

    pub(crate) fn new_version(&self) -> u64 {
        self.snapshots.fetch_add(1, Ordering::Relaxed)
    }

    /// Which opening of the database this is: no two of this process share it, whatever their ids.
    #[inline]
    pub fn opening(&self) -> u64 {
        self.opening.load(Ordering::Acquire)
    }

    /// Gives the catalogue another opening, as if the database had been opened again: plans
    /// compiled before are not used any more.
    pub fn open_anew(&self) {
        self.opening.store(FIRST_VERSION.fetch_add(1 << 32, Ordering::Relaxed), Ordering::Release);
        self.changed(&mut self.state.write());
    }

    /// The database is closed, or about to be: what was planned on it is planned anew before it runs again.
    pub(crate) fn retire(&self) {
        // First: whoever takes the version that follows for a plan finds that the plan is not to be kept.
        self.retired.store(true, Ordering::SeqCst);
        self.changed(&mut self.state.write());
    }

    /// It was not closed after all.
    pub fn revive(&self) {
        self.retired.store(false, Ordering::SeqCst);
    }

    /// Nobody finds it any more; the same database may be open anew.
    #[inline]
    pub fn is_retired(&self) -> bool {
        self.retired.load(Ordering::SeqCst)
    }

    /// Raises the version after a commit: every session sees another version than before.
    fn changed(&self, state: &mut State) {
        self.version.fetch_add(1, Ordering::AcqRel);
        principals::changed();
        // Those with DDL of their own see what is committed beside it.
        for mine in state.pending.values_mut() {
            mine.version = PRIVATE | self.new_version();
        }
    }

    // Look-up.

    /// An object by id.
    pub fn object(&self, id: ObjectId, sight: impl Into<Sight>) -> Option<Object> {
        self.state.read().object(id, sight.into()).cloned()
    }

    /// An object by name.
    pub fn find(&self, schema: SchemaId, name: &str, sight: impl Into<Sight>) -> Option<Object> {
        self.state.read().find(&name_key(schema, name), sight.into()).cloned()
    }

    /// As [`Self::find`], by the schema's name; without one `dbo`.
    pub fn find_named(
        &self,
        schema: Option<&str>,
        name: &str,
        sight: impl Into<Sight>,
    ) -> Option<Object> {
        let sight = sight.into();
        let schema = match schema {
            None | Some("") => DBO,
            Some(schema) => self.schema(schema, sight)?.id,
        };
        self.find(schema, name, sight)
    }

    /// A user table by name.
    pub fn find_table(
        &self,
        schema: Option<&str>,
        name: &str,
        sight: impl Into<Sight>,
    ) -> Option<Arc<Table>> {
        match self.find_named(schema, name, sight) {
            Some(Object::Table(table)) => Some(table),
            _ => None,
        }
    }

    /// A procedure by name.
    pub fn find_procedure(
        &self,
        schema: Option<&str>,
        name: &str,
        sight: impl Into<Sight>,
    ) -> Option<Arc<Module>> {
        match self.find_named(schema, name, sight) {
            Some(Object::Procedure(p)) => Some(p),
            _ => None,
        }
    }

    /// A table by id, or the rows of a view that has indexes.
    pub fn table(&self, id: ObjectId, sight: impl Into<Sight>) -> Option<Arc<Table>> {
        match self.object(id, sight) {
            Some(Object::Table(table)) => Some(table),
            Some(Object::View(view)) => view.indexed.clone(),
            _ => None,
        }
    }

    /// The rows of the views that have indexes.
    pub fn indexed_views(&self, sight: impl Into<Sight>) -> Vec<Arc<Table>> {
        let own = |o: &Object| match o {
            Object::View(view) => view.indexed.clone(),
            _ => None,
        };
        self.objects(sight).iter().filter_map(own).collect()
    }

    /// A schema by name.
    pub fn schema(&self, name: &str, sight: impl Into<Sight>) -> Option<Schema> {
        let key = fold(name);
        let state = self.state.read();
        state.schemas(sight.into()).iter().find(|s| fold(&s.name) == key).cloned()
    }

    /// The name of a schema.
    pub fn schema_name(&self, id: SchemaId, sight: impl Into<Sight>) -> Option<Arc<str>> {
        state::schema_name(self.state.read().schemas(sight.into()), id)
    }

    /// The schemas, those of the session's own DDL among them.
    pub fn schemas(&self, sight: impl Into<Sight>) -> Vec<Schema> {
        self.state.read().schemas(sight.into()).to_vec()
    }

    /// All objects but types and triggers of DDL, by id; the tables beside table types are among them.
    pub fn objects(&self, sight: impl Into<Sight>) -> Vec<Object> {
        self.state.read().all(sight.into())
    }

    /// All user tables, by id.
    pub fn tables(&self, sight: impl Into<Sight>) -> Vec<Arc<Table>> {
        let own = |o: &Object| o.as_table().filter(|t| t.head.kind == ObjectKind::Table).cloned();
        self.objects(sight).iter().filter_map(own).collect()
    }

    /// The constraints of a table.
    pub fn constraints_of(
        &self,
        table: ObjectId,
        sight: impl Into<Sight>,
    ) -> Vec<Arc<ConstraintObject>> {
        let sight = sight.into();
        let constraint = |id: ObjectId| match self.object(id, sight) {
            Some(Object::Constraint(c)) => Some(c),
            _ => None,
        };
        self.children_of(table, sight).into_iter().filter_map(constraint).collect()
    }

    /// The triggers of a table or view, by id.
    pub fn triggers_of(&self, parent: ObjectId, sight: impl Into<Sight>) -> Vec<Arc<Module>> {
        let sight = sight.into();
        let state = self.state.read();
        let trigger = |id: ObjectId| match state.object(id, sight) {
            Some(Object::Trigger(t)) => Some(t.clone()),
            _ => None,
        };
        state.children(parent, sight).into_iter().filter_map(trigger).collect()
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

    /// A new identity sequence that begins so far from its base, which is the column's seed where none is given; durable
    /// with the next commit of anybody.
    pub fn new_sequence_at(
        &self,
        base: Option<i64>,
        distance: u64,
        increment: i64,
    ) -> SqlResult<i64> {
        let id = self.new_sequence_id()?;
        let mut tx = system_transaction(&self.storage, "IdentityRange");
        let limit = Value::BigInt(identity::stored(distance, increment.unsigned_abs()));
        systab::put(&mut tx, &SystemTables::IDENTITY, &[id], &[limit])?;
        if let Some(base) = base {
            let key = [identity::base_key(id)];
            systab::put(&mut tx, &SystemTables::IDENTITY, &key, &[Value::BigInt(base)])?;
        }
        tx.commit(Durability::Delayed).map_err(sql)?;
        Ok(id)
    }

    /// The number of a new sequence, whose last value is this one; durable with the next commit of anybody.
    pub fn new_numbers(&self, last: Option<i128>) -> SqlResult<i64> {
        let id = self.new_sequence_id()?;
        if let Some(last) = last {
            let mut tx = system_transaction(&self.storage, "SequenceRange");
            sequence::write_last(&mut tx, id, last)?;
            tx.commit(Durability::Delayed).map_err(sql)?;
        }
        Ok(id)
    }

    /// The catalogue's clock: a datetime.
    pub fn now(&self) -> Value {
        datetime_now(&*self.storage.instance().env.clock)
    }

    fn read_schemas(&self, tx: &mut Transaction) -> SqlResult<Vec<Schema>> {
        let mut schemas = Vec::new();
        for (key, row) in systab::scan(tx, &SystemTables::SCHEMAS, &[])? {
            schemas.push(Schema {
                id: SchemaId(key[0] as i32),
                name: systab::text(&row, 0)?.into(),
                principal: systab::number(&row, 1)? as i32,
            });
        }
        Ok(schemas)
    }

    /// Ids of the constraints and triggers of a table, in order: those in the cache, so DDL refreshes a new one before its table.
    pub(crate) fn children_of(&self, table: ObjectId, sight: Sight) -> Vec<ObjectId> {
        self.state.read().children(table, sight)
    }
}

/// Days from 0001-01-01 to 1900-01-01.
const DAYS_TO_1900: i64 = 693_595;

/// An instant as a datetime of the server's time zone, rounded to 1/300 s.
pub fn datetime(at: taffrail_io::UtcTime) -> Value {
    datetime_utc(taffrail_io::UtcTime(taffrail_io::zone::to_local(at)))
}

/// An instant as a datetime in UTC, rounded to 1/300 s.
pub(crate) fn datetime_utc(at: taffrail_io::UtcTime) -> Value {
    const DAY: u64 = 864_000_000_000;
    let mut days = (at.0 / DAY) as i64 - DAYS_TO_1900;
    let mut ticks = (at.0 % DAY * 3 + 50_000) / 100_000;
    if ticks == 25_920_000 {
        days += 1;
        ticks = 0;
    }
    Value::DateTime { days: days as i32, ticks: ticks as u32 }
}

/// The present moment as a datetime of the server's time zone.
pub fn datetime_now(clock: &dyn taffrail_io::Clock) -> Value {
    datetime(clock.now_utc())
}
/// Whether the name is that of a session's own temp table.
pub fn is_temp(name: &str) -> bool {
    name.starts_with('#') && !is_global_temp(name)
}

/// Whether the name is that of a temp table that all sessions see: a table of tempdb like others, but that names find it
/// from everywhere, and that it goes away with the session that made it.
pub fn is_global_temp(name: &str) -> bool {
    name.starts_with("##")
}
