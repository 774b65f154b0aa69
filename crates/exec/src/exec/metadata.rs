//! What the binder sees of the catalogue: names as a session's statement means them.

use super::predicates::Predicates;
use super::readable::{gone, readable};
use super::synonym;
use super::user_views::Views;
use super::variants::{TempUse, Temps};
use crate::binder::user_types::TypesInSight;
use crate::binder::{Metadata, NullRule, PredicateText, Resolved, TriggerBody, ViewText};
use crate::catalog::registry::FLAG_FUNCTIONS_CALLED;
use crate::catalog::{
    Module, Object, ObjectKind, SecurityPredicate, SequenceObject, Synonym, Table,
};
use crate::catalog::{is_global_temp, is_temp};
use crate::database::Database;
use crate::features::view as views;
use crate::plan::expr::Call;
use crate::plan::foreign::{Incoming, Outgoing};
use crate::plan::system_view::SystemView;
use crate::session::{Session, SetOptions};
use std::cell::{Cell, RefCell};
use std::sync::Arc;
use taffrail_base::message::unsupported;
use taffrail_base::{ObjectId, SqlError, SqlResult};
use taffrail_syntax::ast;
use taffrail_types::compare::compare;
use taffrail_types::{ConvertContext, Value};

/// The catalogue as a statement of a session sees it.
pub struct SessionMetadata<'s> {
    session: &'s Session,
    /// Names without a database are looked up here.
    home: &'s Arc<Database>,
    /// A module's schema: names without one are looked up there first.
    schema: Option<Arc<str>>,
    /// Names stand in a function, where temporary tables are out of reach.
    in_function: bool,
    /// Names stand in what is being defined, which calls functions and takes numbers of sequences on behalf of whoever uses it: who defines
    /// it is asked for their permissions.
    defines: bool,
    /// The first of these permissions that is missing.
    denied: RefCell<Option<Box<SqlError>>>,
    /// The trigger in whose body names stand, 0 while it is made: its table or view, and whether it is an INSTEAD OF one.
    trigger: Option<(ObjectId, ObjectId, bool)>,
    /// Table variables: name and temp table.
    tables: &'s [(String, taffrail_base::ObjectId)],
    /// Table variables that nobody makes.
    unmade: &'s [(String, Arc<Table>)],
    /// Temp tables that are taken for missing.
    missing: &'s [Box<str>],
    /// Databases that were asked, with the version before.
    pub depends: RefCell<Vec<(Arc<Database>, u64)>>,
    /// What is bound is kept over changes of options, and nothing that depends on them may be folded.
    lasting: bool,
    /// SET QUOTED_IDENTIFIER of what lasts.
    quoted_identifier: bool,
    /// Something was folded that depends on options.
    pub folded: Cell<bool>,
    /// Temp tables and table variables that were named.
    pub temps: RefCell<Option<Temps>>,
    views: Views,
    predicates: Predicates,
    /// The server reads rows on its own: see [`SessionMetadata::unguarded`].
    unguarded: bool,
}

impl<'s> SessionMetadata<'s> {
    /// Names stand in what is being defined: see [`SessionMetadata::denied`].
    pub fn defining(self) -> SessionMetadata<'s> {
        SessionMetadata { defines: true, ..self }
    }

    /// 229 where the session may not call a function, or take numbers of a sequence, that the definition names.
    pub fn denied(&self) -> SqlResult<()> {
        self.denied.take().map_or(Ok(()), Err)
    }

    fn ask(&self, allowed: SqlResult<()>) {
        if let Err(e) = allowed {
            self.denied.borrow_mut().get_or_insert(e);
        }
    }

    /// The metadata that a session sees from its database `home`; `tables`: table variables by name.
    pub fn new(
        session: &'s Session,
        home: &'s Arc<Database>,
        tables: &'s [(String, taffrail_base::ObjectId)],
    ) -> SessionMetadata<'s> {
        SessionMetadata {
            session,
            home,
            schema: None,
            in_function: false,
            defines: false,
            denied: RefCell::default(),
            trigger: None,
            tables,
            unmade: &[],
            missing: &[],
            depends: RefCell::default(),
            lasting: false,
            quoted_identifier: session.activation.options.quoted_identifier,
            folded: Cell::new(false),
            temps: RefCell::default(),
            views: Views::default(),
            predicates: Predicates::default(),
            unguarded: false,
        }
    }

    /// The same for an expression that is compiled once for all options.
    pub fn lasting(
        session: &'s Session,
        home: &'s Arc<Database>,
        quoted_identifier: bool,
    ) -> SessionMetadata<'s> {
        let new = SessionMetadata::new(session, home, &[]);
        SessionMetadata { lasting: true, quoted_identifier, ..new }
    }

    /// The same for the statements of a module.
    pub(crate) fn of_module(mut self, module: &super::module::Module) -> SessionMetadata<'s> {
        self.schema.clone_from(&module.schema);
        self.in_function = module.is_function;
        let id = ObjectId(module.object_id);
        self.trigger = module.trigger.map(|(parent, instead_of)| (id, parent, instead_of));
        self
    }

    /// Rows are read whatever security policies say, where the server reads them on its own.
    pub(crate) fn unguarded(mut self, on: bool) -> SessionMetadata<'s> {
        self.unguarded = on;
        self
    }

    /// With table variables for what is only looked at.
    pub fn with_unmade(mut self, tables: &'s [(String, Arc<Table>)]) -> SessionMetadata<'s> {
        self.unmade = tables;
        self
    }

    /// Without these temp tables: who is about to make them means no others.
    pub(crate) fn without_temp(mut self, names: &'s [Box<str>]) -> SessionMetadata<'s> {
        self.missing = names;
        self
    }

    /// A temp table is named; `version` is the catalogue's from before it was looked up.
    fn uses_temp(&self, named: TempUse, version: u64) {
        let mut temps = self.temps.borrow_mut();
        temps.get_or_insert_with(|| Temps::new(self.session.temps.version, version)).add(named);
    }

    fn depend(&self, database: &Arc<Database>) {
        let mut depends = self.depends.borrow_mut();
        if depends.iter().all(|(d, _)| d.id != database.id) {
            depends.push((database.clone(), database.catalog.version(self.session.id)));
        }
    }

    /// Where names without a database are looked up: within a view, in its own.
    fn home(&self) -> Arc<Database> {
        self.views.innermost().map_or_else(|| self.home.clone(), |(database, _)| database)
    }

    /// Within a view: the schema that names without one are looked up in first.
    fn view_schema(&self) -> Option<Arc<str>> {
        self.views.innermost().map(|(_, schema)| schema)
    }

    /// Names are looked up as a view of this schema means them: while it is made.
    pub fn as_view(&self, database: &Arc<Database>, schema: &str) {
        self.views.push(database, schema.into(), None);
    }

    /// The object of a name, in the schema that it names, that of the module, or dbo.
    fn named(&self, database: &Database, name: &ast::ObjectName) -> Option<Object> {
        let (catalog, id) = (&database.catalog, self.session.id);
        let bare = &*name.name.value;
        let schema = name.schema.as_ref().map(|s| &*s.value);
        self.session.note_blocked(catalog.blocked_name(schema, bare, id));
        let own = self
            .view_schema()
            .or_else(|| self.schema.clone().filter(|_| database.id == self.home.id));
        match (schema, own) {
            (None, Some(own)) => {
                self.session.note_blocked(catalog.blocked_name(Some(&own), bare, id));
                let found = catalog.find_named(Some(&own), bare, id);
                found.or_else(|| catalog.find_named(None, bare, id))
            }
            _ => catalog.find_named(schema, bare, id),
        }
    }

    /// The synonym that a name stands for, with its database.
    fn synonym(&self, name: &ast::ObjectName) -> Option<(Arc<Database>, Arc<Synonym>)> {
        if name.name.value.starts_with('#') || name.server.is_some() {
            return None;
        }
        // Whoever looks the name up says why it has no database.
        let database = self.database(name).ok()?;
        self.depend(&database);
        match self.named(&database, name) {
            Some(Object::Synonym(s)) => Some((database, s)),
            _ => None,
        }
    }

    /// The name of the base object, where a name is that of a synonym: 470 where that is a synonym, too.
    fn base_of(&self, name: &ast::ObjectName) -> SqlResult<Option<ast::ObjectName>> {
        let Some((database, found)) = self.synonym(name) else { return Ok(None) };
        let base = synonym::base_name(&database, &found);
        match self.synonym(&base) {
            Some(_) => Err(synonym::chained(name, &synonym::written(&found.base))),
            None => Ok(Some(base)),
        }
    }

    /// The object in FROM or of a target whose name is no synonym's.
    fn table_itself(&self, name: &ast::ObjectName) -> SqlResult<Resolved> {
        let missing = || SqlError::new(208, &[name]);
        let bare = &*name.name.value;
        if bare.starts_with('#') && self.view_schema().is_some() {
            return Err(SqlError::new(4508, &[]));
        }
        if bare.starts_with('#') && self.in_function {
            return Err(SqlError::new(2772, &[]));
        }
        if is_temp(bare) {
            let tempdb = self.session.instance.databases().tempdb()?;
            let version = tempdb.catalog.version(self.session.id);
            let collation = taffrail_types::Collation::default();
            if self.missing.iter().any(|n| collation.eq_str(n, bare)) {
                return Err(missing());
            }
            let t = self.session.find_temp_table(bare).ok_or_else(missing)?;
            let table = tempdb.catalog.table(t.object_id, self.session.id).ok_or_else(missing)?;
            self.uses_temp(TempUse::new(bare, &tempdb, &table), version);
            return readable(table).map(|table| Resolved::Table(tempdb, table));
        }
        let database = self.database(name)?;
        self.depend(&database);
        let schema = name.schema.as_ref().map(|s| &*s.value);
        match self.named(&database, name) {
            Some(Object::Table(t)) => return readable(t).map(|t| Resolved::Table(database, t)),
            Some(Object::View(v)) => return Ok(Resolved::UserView(database, v)),
            Some(Object::Function(f)) if f.head.kind != ObjectKind::ScalarFunction => {
                return Err(SqlError::new(216, &[name]));
            }
            Some(_) => return Err(missing()),
            None => {}
        }
        let found = match database.id.0 {
            MSDB => views::find_in_msdb(schema, bare),
            _ => None,
        };
        match found.or_else(|| views::find(schema, bare)) {
            // A table of master's; as sys.spt_values it is found like every view.
            Some(v)
                if views::is_of_master_alone(v)
                    && database.id.0 != 1
                    && !schema.is_some_and(|s| s.eq_ignore_ascii_case("sys")) =>
            {
                Err(missing())
            }
            Some(v) if v.arguments.is_none() => Ok(Resolved::View(database, v)),
            Some(v) => Err(SqlError::new(216, &[&v.name])),
            None => Err(absent(&database, schema, bare).unwrap_or_else(missing)),
        }
    }

    fn database(&self, name: &ast::ObjectName) -> SqlResult<Arc<Database>> {
        if name.server.is_some() {
            return Err(SqlError::new(7202, &[&name.server.as_ref().map_or("", |s| &s.value)])
                .with_state(2));
        }
        match &name.database {
            _ if is_global_temp(&name.name.value) => self.session.instance.databases().tempdb(),
            None => Ok(self.home()),
            Some(d) => self
                .session
                .instance
                .databases()
                .get(&d.value)
                .map_err(|e| if e.number == 911 { SqlError::new(208, &[name]) } else { e }),
        }
    }
}

/// System views and functions of SQL Server that are not here: told as such (40510), not as a name that is wrong.
fn absent(database: &Database, schema: Option<&str>, name: &str) -> Option<Box<SqlError>> {
    crate::absent::view(schema, name, database.id.0).map(unsupported)
}

/// `database_id` of msdb.
const MSDB: u16 = 4;

impl Metadata for SessionMetadata<'_> {
    fn table(&self, name: &ast::ObjectName) -> SqlResult<Resolved> {
        if let Some(body) = self.trigger()
            && let Some(rows) = body.rows(name)
        {
            return Ok(Resolved::Changed(body.database, rows));
        }
        // A synonym is no table: only a name that is not found is asked for.
        let found = self.table_itself(name);
        if let Some(maintained) = &self.session.running.maintained {
            return found.map(|found| maintained.meaning(found));
        }
        if !found.as_ref().is_err_and(|e| e.number == 208) {
            return found;
        }
        match self.base_of(name)? {
            Some(base) => self.table_itself(&base).map_err(|e| synonym::invalid(e, name)),
            None => found,
        }
    }

    fn sequence(&self, name: &ast::ObjectName) -> SqlResult<(Arc<Database>, Arc<SequenceObject>)> {
        let database = self.database(name)?;
        self.depend(&database);
        match self.named(&database, name) {
            Some(Object::Sequence(s)) => {
                if self.defines {
                    let by = &self.session.activation.locals.module;
                    self.ask(self.session.allow_numbers(&database, &s.head, by));
                }
                Ok((database, s))
            }
            Some(_) => Err(SqlError::new(11726, &[name])),
            None => Err(SqlError::new(208, &[name])),
        }
    }

    fn in_function(&self) -> bool {
        self.in_function
    }

    fn is_synonym(&self, name: &ast::ObjectName) -> bool {
        self.synonym(name).is_some()
    }

    fn triggers(&self, database: &Arc<Database>, table: &Arc<Table>) -> Vec<Arc<Module>> {
        if self.session.running.maintained.is_some() {
            // What changes a view's rows is no change of the view.
            return Vec::new();
        }
        let mut all = database.catalog.triggers_of(table.id(), self.session.id);
        all.retain(|m| m.trigger.is_some_and(|t| !t.disabled));
        all.sort_by(|a, b| compare(&a.head.created, &b.head.created, Default::default()));
        all
    }

    fn trigger(&self) -> Option<TriggerBody> {
        let (id, parent, instead_of) = self.trigger.filter(|_| self.views.innermost().is_none())?;
        let database = self.home.clone();
        self.depend(&database);
        let table = match database.catalog.object(parent, self.session.id)? {
            Object::Table(table) => table,
            other => Arc::new(Table::of_view(&database, other.as_module()?)),
        };
        Some(TriggerBody { id, database, table, instead_of })
    }

    fn table_function(
        &self,
        name: &ast::ObjectName,
    ) -> SqlResult<(Arc<Database>, &'static SystemView)> {
        let database = self.database(name)?;
        let bare = &*name.name.value;
        let schema = name.schema.as_ref().map(|s| &*s.value);
        // fn_… functions are found without their schema.
        let found = views::find(schema, bare)
            .or_else(|| if schema.is_none() { views::find(Some("sys"), bare) } else { None });
        match found {
            Some(v) if v.arguments.is_some() => Ok((database, v)),
            Some(v) => Err(SqlError::new(215, &[&v.name])),
            None => {
                if let Some(e) = absent(&database, schema.or(Some("sys")), bare) {
                    return Err(e);
                }
                if crate::absent::rowset_function(bare) {
                    let upper = bare.to_ascii_uppercase();
                    return Err(unsupported(format_args!("The function {upper}")));
                }
                Err(SqlError::new(208, &[name]))
            }
        }
    }

    fn function(&self, name: &ast::ObjectName) -> SqlResult<Option<(Arc<Database>, Arc<Module>)>> {
        let (base, invalid) = match self.base_of(name)? {
            Some(base) => (base, true),
            None => (name.clone(), false),
        };
        let database = self.database(&base).map_err(|e| match invalid {
            true => synonym::invalid(e, name),
            false => e,
        })?;
        self.depend(&database);
        match self.named(&database, &base) {
            Some(Object::Function(f)) => {
                if self.defines {
                    let by = &self.session.activation.locals.module;
                    self.ask(self.session.allow_call(&database, &f, by));
                }
                Ok(Some((database, f)))
            }
            None if invalid => Err(SqlError::new(5313, &[name])),
            _ => Ok(None),
        }
    }

    fn calls_functions(&self) -> bool {
        self.home.storage.engine_flags() & FLAG_FUNCTIONS_CALLED != 0
    }

    fn current_database(&self) -> SqlResult<Arc<Database>> {
        Ok(self.session.database.clone())
    }

    // A procedure is compiled once for sessions of all databases, and looked at by those that do not run it.
    fn collation(&self) -> taffrail_types::Collation {
        self.home.collation()
    }

    fn has_type(&self, name: &ast::ObjectName) -> bool {
        let (database, schema) = (self.home(), self.schema.as_deref());
        let sight = self.session.sight_of_types();
        let types = TypesInSight { database: &database, schema, sight };
        types.find(name).is_some()
    }

    fn table_variable(&self, name: &str) -> SqlResult<(Arc<Database>, Arc<Table>)> {
        let missing = || SqlError::new(1087, &[&name]);
        let collation = taffrail_types::Collation::default();
        if let Some((_, table)) = self.unmade.iter().find(|(n, _)| collation.eq_str(n, name)) {
            return Ok((self.session.home_of_table_variables()?, table.clone()));
        }
        let (_, id) =
            self.tables.iter().find(|(n, _)| collation.eq_str(n, name)).ok_or_else(missing)?;
        let database = self.session.home_of_table_variables()?;
        let version = database.catalog.version(self.session.id);
        let owner = self.session.ddl_owner(&database);
        let table = database.catalog.table(*id, owner).ok_or_else(missing)?;
        self.uses_temp(TempUse::new(name, &database, &table), version);
        Ok((database, table))
    }

    fn history(
        &self,
        database: &Arc<Database>,
        table: &Arc<Table>,
    ) -> SqlResult<Option<Arc<Table>>> {
        let Some(history) = table.head.history() else { return Ok(None) };
        let history = database.catalog.table(history, self.session.id);
        let what = || crate::rowcodec::damaged(&format!("the history of {}", table.name()));
        readable(history.ok_or_else(what)?).map(Some)
    }

    fn outgoing(&self, database: &Arc<Database>, table: &Arc<Table>) -> SqlResult<Vec<Outgoing>> {
        let mut out = Vec::new();
        if table.is_temporary() {
            return Ok(out);
        }
        let (catalog, id) = (&database.catalog, self.session.id);
        for key in catalog.foreign_keys_of(table.id(), id)? {
            if key.disabled {
                continue;
            }
            let parent = catalog.table(key.referenced, id).ok_or_else(|| gone(&key.name))?;
            let columns = key.positions(table, &parent)?;
            let index = parent.indexes.iter().find(|i| i.id == key.index).cloned();
            let index = index.ok_or_else(|| gone(&key.name))?;
            out.push(Outgoing { key, parent, index, columns });
        }
        Ok(out)
    }

    fn incoming(&self, database: &Arc<Database>, table: &Arc<Table>) -> SqlResult<Vec<Incoming>> {
        let mut out = Vec::new();
        if table.is_temporary() {
            return Ok(out);
        }
        let (catalog, id) = (&database.catalog, self.session.id);
        for key in catalog.references_to(table.id(), id)? {
            if key.disabled {
                continue;
            }
            let child = catalog.table(key.table, id).ok_or_else(|| gone(&key.name))?;
            let columns = key.positions(&child, table)?;
            let index = table.indexes.iter().find(|i| i.id == key.index).cloned();
            let index = index.ok_or_else(|| gone(&key.name))?;
            out.push(Incoming { key, child, index, columns });
        }
        Ok(out)
    }

    fn enter_view(&self, database: &Arc<Database>, view: &Module) -> SqlResult<&ViewText> {
        self.views.enter(database, view)
    }

    fn leave_view(&self, view: &Module, failed: bool) {
        self.views.leave();
        if failed {
            self.session.lookups.failed_views.borrow_mut().push(view.head.name.clone());
        }
    }

    fn enter_policy(
        &self,
        database: &Arc<Database>,
        predicate: &SecurityPredicate,
    ) -> SqlResult<&PredicateText> {
        let text = self.predicates.text(&predicate.definition)?;
        self.views.push(database, "dbo".into(), Some(true));
        Ok(text)
    }

    fn leave_policy(&self) {
        self.views.leave();
    }

    fn is_unguarded(&self) -> bool {
        self.unguarded
    }

    fn function_by_id(&self, database: &Database, id: ObjectId) -> Option<Arc<Module>> {
        match database.catalog.object(id, self.session.id) {
            Some(Object::Function(f)) => Some(f),
            _ => None,
        }
    }

    fn method(&self, name: &str) -> &'static SystemView {
        views::method(name)
    }

    fn options_to_fold(&self) -> Option<ConvertContext> {
        if self.lasting {
            return None;
        }
        self.folded.set(true);
        Some(self.session.activation.options.convert_context())
    }

    fn wrong_for_xml_methods(&self) -> Vec<&'static str> {
        let o = match self.lasting {
            // Of a procedure's code those that it keeps; the others may change before it runs.
            true => SetOptions { quoted_identifier: self.quoted_identifier, ..Default::default() },
            false => {
                self.folded.set(true);
                self.session.activation.options
            }
        };
        let all = [
            ("ANSI_NULLS", o.ansi_nulls),
            ("QUOTED_IDENTIFIER", o.quoted_identifier),
            ("ANSI_PADDING", o.ansi_padding),
        ];
        all.iter().filter(|(_, on)| !on).map(|(name, _)| *name).collect()
    }

    fn null_rule(&self) -> NullRule {
        let on = match (self.views.ansi_nulls(), self.lasting) {
            (Some(on), _) => on,
            (None, true) => return NullRule::BySession,
            (None, false) => {
                self.folded.set(true);
                self.session.activation.options.ansi_nulls
            }
        };
        if on { NullRule::Unknown } else { NullRule::Equal }
    }

    fn identity_insert(&self, database: &Database, table: &Table) -> bool {
        self.session.activation.identity_insert == Some((database.id, table.id()))
    }

    fn row_estimate(&self, _: &Database, table: &Table) -> u64 {
        let rows = table.row_count();
        if let Some(temps) = &mut *self.temps.borrow_mut() {
            temps.counted(table, rows);
        }
        rows.max(1)
    }

    fn computed(&self, call: &Call, args: &[Value]) -> Option<Value> {
        call.function.eval(self.session, args).ok()
    }

    fn check_cancel(&self) -> SqlResult<()> {
        self.session.check_compiling(0)
    }
}
