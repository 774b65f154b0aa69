//! What built-in functions ask of a session, the instance and the catalogue.

use crate::catalog::messages::ENGLISH;
use crate::catalog::{Object, ObjectKind, Table};
use crate::catalog::{is_global_temp, is_temp};
use crate::database::Database;
use crate::exec::measured::TICK_MICROSECONDS;
use crate::exec::procedure::name_parts;
use crate::features::needs::DATABASE_TRIGGERS_SEEN;
use crate::features::procedure;
use crate::features::view::{self as views, SystemView};
use crate::functions::live::Registered;
use crate::functions::mask::Mask;
use crate::functions::{FnContext, LiveState, Moment, StoredMessage, system_message};
use crate::session::Session;
use std::sync::Arc;
use taffrail_base::{DatabaseId, IndexId, ObjectId, SqlError, SqlResult};
use taffrail_io::UtcTime;
use taffrail_io::zone::utc_offset_minutes;
use taffrail_observe::totals;
use taffrail_types::type_facts::Types;
use taffrail_types::{Collation, ConvertContext, Decimal, MaxLen, SqlType, Value};

/// The version that clients are told: SQL Server 2022's, since scripts ask for abilities by it.
pub(crate) const PRODUCT_VERSION: &str = "16.0.1000.6";
/// Its major, minor and build numbers.
pub const PRODUCT_PARTS: (u8, u8, u16) = (16, 0, 1000);

/// `@@VERSION`.
pub(crate) fn version_text() -> String {
    format!(
        "Microsoft SQL Server 2022 (compatible) - {PRODUCT_VERSION} \n\tTaffrail {}\n\ton {} ({})",
        env!("CARGO_PKG_VERSION"),
        std::env::consts::OS,
        std::env::consts::ARCH
    )
}

pub(super) fn text(s: &str) -> Value {
    Value::Variant(Box::new((SqlType::NVarChar(MaxLen::N(128)), Value::nvarchar(s))))
}

pub(super) fn int(v: i32) -> Value {
    Value::Variant(Box::new((SqlType::Int, Value::Int(v))))
}

pub(super) fn flag(b: bool) -> Value {
    int(b as i32)
}

/// The id of a procedure of the system that is named with its schema, `sys`.
fn system_procedure(name: &str) -> Option<i32> {
    let mut parts = name_parts(name);
    let bare = parts.pop()?;
    let in_sys = parts.pop().is_some_and(|schema| schema.eq_ignore_ascii_case("sys"));
    let mut named = procedure::names().filter(|(known, _)| known.eq_ignore_ascii_case(&bare));
    named.next().filter(|_| in_sys).map(|(_, id)| id)
}

pub(super) fn decimal(v: i64) -> Value {
    Decimal::new(v < 0, v.unsigned_abs() as u128, 0).map_or(Value::Null, Value::Decimal)
}

/// What is too large stays at int's end.
fn total(counter: &taffrail_observe::Counter) -> Value {
    Value::Int(i32::try_from(counter.get()).unwrap_or(i32::MAX))
}

impl Session {
    pub(super) fn named_object(&self, name: &str) -> Option<(Arc<Database>, Object)> {
        let (database, object) = self.named_object_itself(name)?;
        let seen = self.seen(&database).object(&object);
        seen.then_some((database, object))
    }

    /// An object by the text of its name, whether the session may see it or not.
    pub(super) fn named_object_itself(&self, name: &str) -> Option<(Arc<Database>, Object)> {
        let mut parts = name_parts(name);
        let name = parts.pop()?;
        let schema = parts.pop().filter(|s| !s.is_empty());
        let database = match parts.pop().filter(|s| !s.is_empty()) {
            _ if is_global_temp(&name) => self.instance.databases().tempdb().ok()?,
            None => self.database.clone(),
            Some(d) => self.instance.databases().get(&d).ok()?,
        };
        if is_temp(&name) {
            let tempdb = self.instance.databases().tempdb().ok()?;
            let temp = self.find_temp_table(&name)?;
            let object = tempdb.catalog.object(temp.object_id, self.id)?;
            return Some((tempdb, object));
        }
        self.note_blocked(database.catalog.blocked_name(schema.as_deref(), &name, self.id));
        let object = self.found_in(&database, schema.as_deref(), &name)?;
        Some((database, object))
    }

    /// A system view by its name, in the database that the name says or the current one.
    pub(super) fn named_system_view(&self, name: &str) -> Option<&'static SystemView> {
        let mut parts = name_parts(name);
        let bare = parts.pop()?;
        let schema = parts.pop().filter(|s| !s.is_empty());
        let database = parts.pop().filter(|d| !d.is_empty());
        let database = database.as_deref().unwrap_or(&self.database.name);
        let in_msdb = database.eq_ignore_ascii_case("msdb");
        let found = if in_msdb { views::find_in_msdb(schema.as_deref(), &bare) } else { None };
        found.or_else(|| views::find(schema.as_deref(), &bare))
    }

    fn named_table(&self, name: &str) -> Option<Arc<Table>> {
        self.named_object(name).and_then(|(_, o)| o.as_table().cloned())
    }

    pub(super) fn object_in(&self, id: i32, database: Option<i16>) -> Option<Object> {
        let database = match database {
            None => self.database.clone(),
            Some(d) => self.instance.databases().by_id(DatabaseId(u16::try_from(d).ok()?))?,
        };
        let id = ObjectId(id);
        self.note_blocked(database.catalog.blocked_object(id, self.id));
        let object = database.catalog.object(id, self.id)?;
        // A trigger of the database is no object of a schema.
        let is_one = !matches!(object, Object::DdlTrigger(_));
        (is_one && self.seen(&database).object(&object)).then_some(object)
    }
}

impl FnContext for Session {
    fn moment(&self) -> Moment {
        if let Some(m) = self.activation.moment.get() {
            return m;
        }
        let utc = self.instance.options().env.clock.now_utc().0;
        let m = Moment { utc, offset: utc_offset_minutes(UtcTime(utc)) };
        self.activation.moment.set(Some(m));
        m
    }

    fn convert(&self) -> ConvertContext {
        self.activation.options.convert_context()
    }

    fn date_first(&self) -> u8 {
        self.activation.options.date_first
    }

    fn collation(&self) -> Collation {
        self.database.collation()
    }

    fn global(&self, name: &str) -> SqlResult<Value> {
        Ok(match name {
            "@@VERSION" => Value::nvarchar(&version_text()),
            "@@SERVERNAME" => Value::nvarchar(&self.instance.options().server_name),
            "@@SERVICENAME" => Value::nvarchar("MSSQLSERVER"),
            "@@LANGUAGE" => Value::nvarchar(self.activation.options.language.get().name),
            "@@LANGID" => Value::SmallInt(self.activation.options.language.number().into()),
            "@@MAX_CONNECTIONS" => {
                Value::Int(self.instance.options().max_connections.cast_signed())
            }
            "@@MAX_PRECISION" => Value::TinyInt(38),
            "@@MICROSOFTVERSION" => Value::Int(0x1000_03e8),
            "@@REMSERVER" => Value::Null,
            "@@TIMETICKS" => Value::Int(TICK_MICROSECONDS),
            "@@CPU_BUSY" | "@@IDLE" | "@@IO_BUSY" | "@@TOTAL_READ" | "@@TOTAL_WRITE" => {
                Value::Int(self.measured(name))
            }
            "@@PACK_RECEIVED" => total(&totals::PACKETS_RECEIVED),
            "@@PACK_SENT" => total(&totals::PACKETS_SENT),
            "@@PACKET_ERRORS" => total(&totals::PACKET_ERRORS),
            "@@TOTAL_ERRORS" => total(&totals::FILE_ERRORS),
            "@@CONNECTIONS" => Value::Int(self.instance.connections_made() as i32),
            "@@ROWCOUNT" => Value::Int(self.activation.last.row_count as i32),
            "@@ERROR" => Value::Int(self.activation.last.error),
            "@@IDENTITY" => self.kept.identity.map_or(Value::Null, decimal),
            "@@TRANCOUNT" => Value::Int(self.transaction.count as i32),
            "@@SPID" => Value::SmallInt(self.id.0 as i16),
            "@@NESTLEVEL" => Value::Int(self.activation.nest_level as i32),
            "@@OPTIONS" => Value::Int(self.activation.options.bits()),
            "@@LOCK_TIMEOUT" => Value::Int(self.activation.options.lock_timeout),
            "@@DATEFIRST" => Value::TinyInt(self.activation.options.date_first),
            "@@TEXTSIZE" => Value::Int(self.activation.options.text_size),
            "@@FETCH_STATUS" => Value::Int(self.held.cursors.fetch_status),
            "@@CURSOR_ROWS" => Value::Int(self.held.cursors.rows),
            "@@PROCID" => Value::Int(self.activation.procedure_id),
            // Not measured: refused rather than made up.
            other => {
                return Err(taffrail_base::message::unsupported(other));
            }
        })
    }

    fn message(&self, number: i32) -> SqlResult<Option<StoredMessage>> {
        if number <= 50_000 {
            return Ok(system_message(number));
        }
        let databases = self.instance.databases();
        let all = databases.messages().all(&databases.master()?.storage)?;
        let language = self.activation.options.language.get().message_lcid;
        let Some(english) = all.get(&(number, ENGLISH)) else { return Ok(None) };
        let own = all.get(&(number, language)).unwrap_or(english);
        Ok(Some(StoredMessage {
            original: english.text.clone(),
            text: own.text.clone(),
            severity: english.severity,
            is_logged: english.is_logged,
        }))
    }

    fn cursor_status(&self, kind: &str, name: &str) -> Option<i32> {
        self.status_of_cursor(kind, name)
    }

    fn random(&self) -> f64 {
        let (state, number) = crate::functions::random::next(self.kept.random.get());
        self.kept.random.set(state);
        number
    }

    fn seed_random(&self, seed: i32) {
        self.kept.random.set(crate::functions::random::seeded(seed));
    }

    fn entropy(&self, bytes: &mut [u8]) {
        self.instance.options().env.entropy.fill(bytes);
    }

    fn sequential_guid(&self) -> [u8; 16] {
        self.instance.next_sequential_guid()
    }

    fn caught(&self) -> Option<SqlError> {
        self.activation.caught().cloned()
    }

    fn scope_identity(&self) -> Value {
        self.activation.last.scope_identity.map_or(Value::Null, decimal)
    }

    fn columns_updated(&self) -> Option<Vec<u8>> {
        self.columns_updated_now()
    }

    fn event_data(&self) -> Option<Arc<str>> {
        self.event_data_now()
    }

    fn trigger_nest_level(
        &self,
        object: Option<i64>,
        instead_of: Option<bool>,
        ddl: Option<bool>,
    ) -> i32 {
        self.triggers_running(object, instead_of, ddl)
    }

    fn application_lock(&self, names: [&str; 3], mode: Option<&str>) -> SqlResult<Value> {
        self.application_lock_told(names, mode)
    }

    fn xact_state(&self) -> i16 {
        self.transaction.xact_state()
    }

    fn transaction_id(&self) -> i64 {
        self.transaction.number() as i64
    }

    fn original_login(&self) -> String {
        self.client.login.clone()
    }

    fn login_name(&self) -> String {
        self.activation.security().login.to_string()
    }

    fn user_name(&self) -> String {
        // A database that the context cannot enter has no name for it.
        self.identity().map_or_else(|_| String::new(), |i| i.name.to_string())
    }

    fn host_name(&self) -> Option<String> {
        Some(self.client.host_name.clone())
    }

    fn app_name(&self) -> Option<String> {
        Some(self.client.program_name.clone())
    }

    fn host_process(&self) -> u32 {
        self.client.client_pid
    }

    fn nulls_by_default(&self) -> bool {
        self.activation.options.ansi_null_dflt_on
    }

    fn session_context(&self, key: &str) -> Value {
        if key.is_empty() {
            return self.kept.context_info.clone();
        }
        let found = self.kept.context.iter().find(|k| *k.name == *key);
        found.map_or(Value::Null, |k| k.value.clone())
    }

    fn current_database(&self) -> i16 {
        self.database.id.0 as i16
    }

    fn database_id(&self, name: &str) -> Option<i16> {
        let slot = self.instance.databases().slot(name)?;
        self.databases_seen().database(&slot.entry).then_some(slot.entry.id.0 as i16)
    }

    fn database_name(&self, id: i16) -> Option<String> {
        let id = DatabaseId(u16::try_from(id).ok()?);
        let found = self.instance.databases().list().into_iter().find(|s| s.entry.id == id)?;
        self.databases_seen().database(&found.entry).then_some(found.entry.name)
    }

    fn has_database_access(&self, name: &str) -> Option<bool> {
        let slot = self.instance.databases().slot(name)?;
        let slot = self.databases_seen().database(&slot.entry).then_some(slot)?;
        let is_sa = self.activation.security().is_sa();
        Some(slot.database.is_some_and(|d| is_sa || self.identity_in(&d).is_ok()))
    }

    fn login_id(&self, name: &str) -> Option<i32> {
        self.server_principals().find(name).map(|p| p.id)
    }

    fn login_by_id(&self, id: i32) -> Option<String> {
        self.server_principals().get(id).map(|p| p.name.to_string())
    }

    fn login_sid(&self, name: &str) -> Option<Vec<u8>> {
        self.server_principals().find(name)?.sid.clone()
    }

    fn own_sid(&self) -> Vec<u8> {
        let context = self.activation.security();
        let login = || self.server_principals().get(context.login_id)?.sid.clone();
        // An application role is somebody's: the login's.
        let of_login = context.is_application_role().then(login).flatten();
        of_login.unwrap_or_else(|| context.sid.to_vec())
    }

    fn login_property(&self, login: &str, name: &str) -> Option<(SqlType, Value)> {
        self.property_of_login(login, name)
    }

    fn is_password(&self, password: &str, hash: &[u8]) -> SqlResult<bool> {
        self.check_cancel()?;
        self.instance.is_password(password, hash)
    }

    fn encrypt_password(&self, password: &str) -> SqlResult<Vec<u8>> {
        let hashed = self.instance.hash_password(password)?;
        Ok(crate::catalog::principals::hash_as_bytes(&hashed).unwrap_or_default())
    }

    fn login_by_sid(&self, sid: &[u8]) -> Option<String> {
        self.server_principals().by_sid(sid).map(|p| p.name.to_string())
    }

    fn user_id(&self, name: &str) -> Option<i32> {
        self.principals_of(&self.database).find(name).map(|p| p.id)
    }

    fn user_by_id(&self, id: i32) -> Option<String> {
        self.principals_of(&self.database).get(id).map(|p| p.name.to_string())
    }

    fn is_member(&self, role: &str, who: Option<&str>, server: bool) -> Option<bool> {
        self.is_in_role(role, who, server)
    }

    fn has_permission(
        &self,
        securable: Option<&str>,
        class: Option<&str>,
        permission: &str,
        column: Option<&str>,
    ) -> Option<bool> {
        self.has_permission_on(securable, class, permission, column)
    }

    fn unmasks(&self, mask: &Arc<Mask>) -> bool {
        self.has_unmask(mask)
    }

    fn schema_id(&self, name: Option<&str>) -> Option<i32> {
        let own = name.map_or_else(|| self.schema_or_default(None), Into::into);
        self.database.catalog.schema(&own, self.id).map(|s| s.id.0)
    }

    fn schema_name(&self, id: Option<i32>) -> Option<String> {
        let Some(id) = id else { return Some(self.schema_or_default(None).to_string()) };
        let id = taffrail_base::SchemaId(id);
        if id.0 == views::OWN_SCHEMA.0 {
            return Some(views::OWN_SCHEMA.1.to_owned());
        }
        self.database.catalog.schema_name(id, self.id).map(|n| n.to_string())
    }

    fn object_id(&self, name: &str, kind: Option<&str>) -> SqlResult<Option<i32>> {
        if let Some((_, o)) = self.named_object(name) {
            let of_kind = kind.is_none_or(|k| {
                ObjectKind::from_code(k) == Some(o.head().kind)
                    || (k.trim_end().eq_ignore_ascii_case("U")
                        && o.head().kind == ObjectKind::Table)
            });
            return Ok(of_kind.then(|| o.head().id.0));
        }
        let Some(view) = self.named_system_view(name) else {
            let is_procedure = kind.is_none_or(|k| k.trim_end().eq_ignore_ascii_case("P"));
            return Ok(system_procedure(name).filter(|_| is_procedure));
        };
        // What stands in for a table of msdb is one to whoever asks for tables.
        let is_table = |k: &str| k.eq_ignore_ascii_case("U") && view.schema == views::MSDB;
        let of_kind = |k: &str| matches!(k, "V" | "v" | "IF" | "TF") || is_table(k);
        Ok(kind.is_none_or(|k| of_kind(k.trim_end())).then_some(view.id))
    }

    fn object_name(&self, id: i32, database: Option<i16>) -> Option<String> {
        if id < 0 {
            let view = views::all().iter().find(|v| v.id == id).map(|v| v.name);
            let procedure = || procedure::names().find(|(_, known)| *known == id).map(|p| p.0);
            return view.or_else(procedure).map(str::to_owned);
        }
        self.object_in(id, database).map(|o| o.head().name.to_string())
    }

    fn object_schema(&self, id: i32, database: Option<i16>) -> Option<String> {
        if id < 0 {
            let view = views::all().iter().find(|v| v.id == id).map(|v| v.schema);
            let is_procedure = || procedure::names().any(|(_, known)| known == id).then_some("sys");
            return view.or_else(is_procedure).map(str::to_owned);
        }
        self.object_in(id, database).map(|o| o.head().schema.to_string())
    }

    fn object_definition(&self, id: i32) -> Option<String> {
        if let Some(Object::DdlTrigger(t)) = self.database.catalog.object(ObjectId(id), self.id) {
            let seen = self.holds_in(&self.database, &DATABASE_TRIGGERS_SEEN);
            let seen = seen && t.head.kind == ObjectKind::DatabaseTrigger;
            return t.shown().filter(|_| seen).map(|text| text.to_string());
        }
        let object = self.object_in(id, None)?;
        if !self.seen(&self.database).definition(object.head()) {
            return None;
        }
        match object {
            Object::Procedure(m) | Object::View(m) | Object::Function(m) | Object::Trigger(m) => {
                m.shown().map(|text| text.to_string())
            }
            Object::Constraint(c) if !c.definition.is_empty() => Some(c.definition.to_string()),
            _ => None,
        }
    }

    fn column_name(&self, object: i32, column: i32) -> Option<String> {
        self.name_of_column(object, column)
    }

    fn column_length(&self, table: &str, column: &str) -> Option<i16> {
        self.length_of_column(table, column)
    }

    fn index_column(&self, table: &str, index: i32, key: i32) -> Option<String> {
        let table = self.named_table(table)?;
        let index = table.defined().find(|i| i.id == IndexId(index))?;
        let at = usize::try_from(key - 1).ok()?;
        let column = index.key.columns().get(at)?.column;
        Some(table.columns[column].name.to_string())
    }

    fn stats_date(&self, _: i32, _: i32) -> Option<Value> {
        None
    }

    fn user_type(&self, name: &str) -> Option<(Types, bool)> {
        let parts = name_parts(name);
        let (bare, schema) = (parts.last()?, parts.len().checked_sub(2).map(|at| &*parts[at]));
        let catalog = &self.database.catalog;
        let found = catalog.find_type(schema, bare, self.sight_of_types())?;
        let own = found.base().map(|(base, null)| (Types::declared(base, found.id), null));
        (parts.len() <= 2).then(|| own.unwrap_or((Types::of_table_type(found.id), false)))
    }

    fn user_type_name(&self, id: i32) -> Option<String> {
        let found = self.database.catalog.type_by_id(id, self.sight_of_types())?;
        Some(found.head.name.to_string())
    }

    fn file_id(&self, name: &str) -> Option<i32> {
        let files = self.database.storage.files();
        let same = |n: &str| Collation::default().eq_str(n, name);
        files.iter().find(|f| same(&f.name)).map(|f| f.id.0 as i32)
    }

    fn file_name(&self, id: i32) -> Option<String> {
        let files = self.database.storage.files();
        files.into_iter().find(|f| f.id.0 as i32 == id).map(|f| f.name)
    }

    fn filegroup_id(&self, name: &str) -> Option<i32> {
        name.eq_ignore_ascii_case("PRIMARY").then_some(1)
    }

    fn filegroup_name(&self, id: i32) -> Option<String> {
        (id == 1).then(|| "PRIMARY".into())
    }

    fn live(&self, _: &Registered) -> &dyn LiveState {
        self.promises.learn();
        self
    }
}
