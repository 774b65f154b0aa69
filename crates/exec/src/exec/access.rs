//! Permissions of statements: what a bound statement needs is asked for before it runs, on each run, by the rights of the context that
//! holds then.
//!
//! ```text
//! the module that runs ─names─▶ view ─names─▶ table      the facts of a plan: each object with what names it
//!        owner a         =        a      ≠      b         the table alone is checked: the chain of owners is broken before it
//! ```
//! 1. A chain is one of links: an object is not asked for where it has the owner, and the database, of what names it.
//! 2. What a batch or a dynamic text names is asked for.
//! 3. Whoever is refused hears of SELECT first, then of the change.

use super::authority::Refusals;
use super::called::Passed;
use super::interpret::Interpreter;
use super::module::{Module, Plan};
use super::procedure::Callee;
use crate::catalog::{Object, ObjectHead};
use crate::database::Database;
use crate::features::needs::Needs;
use crate::features::view;
use crate::permissions::{ColumnsRefused, PermissionId, SecurableClass, known};
use crate::plan::facts::{Action, Facts, Need, Securable};
use crate::session::Session;
use crate::session::rights::{owner_of, securable_of};
use std::sync::Arc;
use taffrail_base::{DatabaseId, ObjectId, SqlError, SqlResult};

const SELECT: PermissionId = known(SecurableClass::Object, "SELECT");
const INSERT: PermissionId = known(SecurableClass::Object, "INSERT");
const UPDATE: PermissionId = known(SecurableClass::Object, "UPDATE");
const DELETE: PermissionId = known(SecurableClass::Object, "DELETE");
const REFERENCES: PermissionId = known(SecurableClass::Object, "REFERENCES");
const EXECUTE: PermissionId = known(SecurableClass::Object, "EXECUTE");

/// The permission for an action.
fn permission_for(action: Action) -> PermissionId {
    match action {
        Action::Select => SELECT,
        Action::Insert => INSERT,
        Action::Update => UPDATE,
        Action::Delete => DELETE,
        Action::Execute => EXECUTE,
    }
}

impl Interpreter<'_> {
    /// Asks for everything that a plan needs: 229, 230, 916 and what system views need.
    #[inline]
    pub(super) fn allow(&mut self, module: &Module, plan: &Plan) -> SqlResult<()> {
        if self.session.activation.security().is_sa() || plan.facts.needs.is_empty() {
            return Ok(());
        }
        if self.session.known_stamp() == Some(plan.allowed.by()) {
            return Ok(());
        }
        self.allow_others(module, plan)
    }

    #[inline(never)]
    fn allow_others(&mut self, module: &Module, plan: &Plan) -> SqlResult<()> {
        let mut errors = self.session.refusals(module, &plan.facts, &plan.depends)?;
        let Some(last) = errors.pop() else {
            self.session.note_allowed(plan);
            return Ok(());
        };
        let start = self.session.cell.statement_start.load(std::sync::atomic::Ordering::Relaxed);
        let line = module.lines.line_of(start.max(0) as u32);
        for e in errors {
            self.context(line).reason(e)?;
        }
        Err(last)
    }
}

/// The database and owner of what names an object.
type NamedBy = Option<(DatabaseId, i32)>;

impl Session {
    /// The errors of everything that a plan needs and the session has not.
    fn refusals(
        &self,
        module: &Module,
        facts: &Facts,
        depends: &[(Arc<Database>, u64)],
    ) -> SqlResult<Refusals> {
        let by_module = self.module_owner(module);
        let mut errors = Vec::new();
        let reads = |n: &&Need| n.action == Action::Select;
        let needs = facts.needs.iter();
        let in_order = needs.clone().filter(reads).chain(needs.filter(|n| !reads(n)));
        for need in in_order {
            let Some(database) = self.database_of_need(depends, &need.object) else { continue };
            let by = match &need.through {
                Some(view) => {
                    let at = self.database_of_need(depends, view);
                    at.and_then(|db| Some((view.database, owner_by_id(self, &db, view.object)?)))
                }
                None => by_module,
            };
            self.refused(&database, need, by, &mut errors)?;
        }
        Ok(errors)
    }

    /// Asks for everything that a statement needs which is described and not run: the first error.
    pub fn allow_described(&self, module: &Module, facts: &Facts) -> SqlResult<()> {
        if self.activation.security().is_sa() {
            return Ok(());
        }
        self.refusals(module, facts, &[])?.into_iter().next().map_or(Ok(()), Err)
    }

    /// Notes that the rights in the current database hold everything that a plan needs, where it needs nothing of other databases and no
    /// system view that is not everybody's.
    fn note_allowed(&self, plan: &Plan) {
        let is_open = |n: &Need| {
            let needs = view::needs(n.object.object);
            needs.is_none_or(|n| matches!(n, Needs::Public | Needs::MetadataVisibility))
        };
        let here = |n: &Need| n.object.database == self.database.id && is_open(n);
        if plan.facts.needs.iter().all(here)
            && let Ok(rights) = self.rights_in(&self.database)
        {
            plan.allowed.note(rights.stamp());
        }
    }

    /// The owner of a module that is an object of a database. A batch, a text, a temporary procedure and a trigger of DDL have none.
    pub(super) fn module_owner(&self, module: &Module) -> NamedBy {
        let database = module.database.as_ref()?;
        let own = module.object_id > 0
            && !module.name.as_deref().is_some_and(|name| name.starts_with('#'));
        let owner = own.then(|| owner_by_id(self, database, ObjectId(module.object_id)))?;
        Some((database.id, owner?))
    }

    fn database_of_need(
        &self,
        depends: &[(Arc<Database>, u64)],
        object: &Securable,
    ) -> Option<Arc<Database>> {
        let known = depends.iter().find(|(db, _)| db.id == object.database);
        let own = || (self.database.id == object.database).then(|| self.database.clone());
        let known = known.map(|(db, _)| db.clone()).or_else(own);
        known.or_else(|| self.instance.databases().by_id(object.database))
    }

    /// Adds the errors of one need.
    fn refused(
        &self,
        database: &Arc<Database>,
        need: &Need,
        by: NamedBy,
        errors: &mut Refusals,
    ) -> SqlResult<()> {
        if need.object.object.0 < 0 {
            return self.refused_view(database, need, errors);
        }
        let rights = self.rights_in(database)?;
        if rights.is_everything() {
            return Ok(());
        }
        let Some(object) = database.catalog.object(need.object.object, self.id) else {
            return Ok(());
        };
        // Temporary tables, those that all sessions see among them, are everybody's.
        if database.is_temporary() && object.head().name.starts_with('#') {
            return Ok(());
        }
        let at = securable_of(database, object.head(), self.id);
        if by.is_some_and(|by| Some(by) == at.owner.map(|o| (database.id, o))) {
            return Ok(());
        }
        let permission = permission_for(need.action);
        let told = |e: Box<SqlError>| e.with_state(5);
        let of_object = || {
            let Securable { schema, name, .. } = &need.object;
            let permission = permission.permission().name;
            told(SqlError::new(229, &[&permission, name, &database.name, schema]))
        };
        let by_column = matches!(need.action, Action::Select | Action::Update);
        if !by_column || !rights.has_column_rows(&at) {
            if !rights.may(&at, permission) {
                errors.push(of_object());
            }
            return Ok(());
        }
        let all = columns_of(&object);
        let wanted = match need.columns.is_empty() {
            true => all.clone(),
            false => {
                let named = need.columns.iter().map(|(position, _)| all.get(*position).cloned());
                named.collect::<Option<Vec<_>>>().unwrap_or_else(|| all.clone())
            }
        };
        match rights.columns(&at, permission, wanted.iter().map(|(id, _)| *id)) {
            Ok(()) => {}
            Err(ColumnsRefused::Everything) => errors.push(of_object()),
            Err(ColumnsRefused::Some(refused)) => {
                let Securable { schema, name, .. } = &need.object;
                for (_, column) in wanted.iter().filter(|(id, _)| refused.contains(id)) {
                    let permission = permission.permission().name;
                    let args: [&dyn std::fmt::Display; 5] =
                        [&permission, column, name, &database.name, schema];
                    errors.push(SqlError::new(230, &args));
                }
            }
        }
        Ok(())
    }

    /// Adds the errors of a system view that is read: the permission that is missing, and 297.
    fn refused_view(
        &self,
        database: &Arc<Database>,
        need: &Need,
        errors: &mut Refusals,
    ) -> SqlResult<()> {
        // The user has to be there, whatever the view shows.
        self.rights_in(database)?;
        match view::needs(need.object.object) {
            Some(needs) if needs.hides_rows() => Ok(()),
            Some(needs) => self.refused_state(database, &needs, &need.object, errors),
            None => Ok(()),
        }
    }

    /// Asks for EXECUTE on a procedure or function that a call names: 229.
    pub(super) fn allow_call(
        &self,
        database: &Arc<Database>,
        callee: &crate::catalog::Module,
        by: &Module,
    ) -> SqlResult<()> {
        self.allow_named(database, &callee.head, EXECUTE, by)
    }

    /// Asks for UPDATE on a sequence whose numbers a definition takes: 229.
    pub(super) fn allow_numbers(
        &self,
        database: &Arc<Database>,
        sequence: &ObjectHead,
        by: &Module,
    ) -> SqlResult<()> {
        self.allow_named(database, sequence, UPDATE, by)
    }

    /// Asks for a permission on an object that a module names, unless one owner has both: 229.
    fn allow_named(
        &self,
        database: &Arc<Database>,
        head: &ObjectHead,
        permission: PermissionId,
        by: &Module,
    ) -> SqlResult<()> {
        if self.activation.security().is_sa() || head.name.starts_with('#') {
            return Ok(());
        }
        let rights = self.rights_in(database)?;
        let at = securable_of(database, head, self.id);
        let chained = self.module_owner(by) == at.owner.map(|o| (database.id, o));
        if chained || rights.may(&at, permission) {
            return Ok(());
        }
        let permission = permission.permission().name;
        let args: [&dyn std::fmt::Display; 4] =
            [&permission, &head.name, &database.name, &head.schema];
        Err(SqlError::new(229, &args).with_state(5))
    }
}

impl Session {
    /// Asks for what a security predicate takes: SELECT and REFERENCES on its function, REFERENCES on its table and on the columns that its
    /// arguments read, of which `columns` gives numbers and names: 229, 230.
    pub fn allow_predicate<C: Iterator<Item = (i32, Arc<str>)>>(
        &self,
        database: &Arc<Database>,
        function: &ObjectHead,
        table: &ObjectHead,
        columns: impl Fn() -> C,
    ) -> SqlResult<()> {
        if self.activation.security().is_sa() {
            return Ok(());
        }
        let rights = self.rights_in(database)?;
        let denied = |permission: PermissionId, head: &ObjectHead| {
            let permission = permission.permission().name;
            let args: [&dyn std::fmt::Display; 4] =
                [&permission, &head.name, &database.name, &head.schema];
            SqlError::new(229, &args).with_state(5)
        };
        let at = securable_of(database, function, self.id);
        if let Some(missing) = [SELECT, REFERENCES].into_iter().find(|p| !rights.may(&at, *p)) {
            return Err(denied(missing, function));
        }
        let at = securable_of(database, table, self.id);
        if rights.may(&at, REFERENCES) && !rights.has_column_rows(&at) {
            return Ok(());
        }
        match rights.columns(&at, REFERENCES, columns().map(|c| c.0)) {
            Ok(()) => Ok(()),
            Err(ColumnsRefused::Everything) => Err(denied(REFERENCES, table)),
            Err(ColumnsRefused::Some(refused)) => {
                let name = columns().find(|(id, _)| refused.contains(id)).map(|c| c.1);
                let name = name.unwrap_or_else(|| "".into());
                let permission = REFERENCES.permission().name;
                let args: [&dyn std::fmt::Display; 5] =
                    [&permission, &name, &table.name, &database.name, &table.schema];
                Err(SqlError::new(230, &args))
            }
        }
    }

    /// [`Session::allow_callee`]; of a system procedure that runs in another database, asked there: 916 where the context has no
    /// user.
    pub(super) fn allow_callee_in(
        &mut self,
        callee: &Callee,
        passed: &[Passed],
        place: Option<&Arc<Database>>,
    ) -> SqlResult<()> {
        let system = matches!(callee, Callee::System(_));
        let other = place.filter(|db| system && db.id != self.database.id);
        let Some(other) = other else { return self.allow_callee(callee, passed) };
        self.identity_in(other)?;
        let own = std::mem::replace(&mut self.database, other.clone());
        let allowed = self.allow_callee(callee, passed);
        self.database = own;
        allowed
    }

    /// Asks for what a call needs: EXECUTE on a procedure or function, and what a system procedure needs.
    fn allow_callee(&self, callee: &Callee, passed: &[Passed]) -> SqlResult<()> {
        let by = &self.activation.locals.module;
        match callee {
            Callee::User(database, p) => self.allow_call(database, p, by),
            Callee::Function(f) => self.allow_call(&f.database, &f.module, by),
            Callee::System(p) => self.allow_procedure(p, passed),
            Callee::Special(_) => Ok(()),
        }
    }
}

/// The owner of an object by its id, where it is there.
fn owner_by_id(session: &Session, database: &Database, id: ObjectId) -> Option<i32> {
    match database.catalog.object(id, session.id)? {
        // Of no schema, so that nobody who may make one gets at what dbo has by it.
        Object::DdlTrigger(_) => None,
        object => Some(owner_of(database, &object, session.id)),
    }
}

/// Numbers and names of an object's columns, by their places.
fn columns_of(object: &Object) -> Vec<(i32, Arc<str>)> {
    let list = match object {
        Object::Table(t) => &t.columns[..],
        Object::View(m) | Object::Function(m) => &m.columns[..],
        _ => &[],
    };
    list.iter().map(|c| (c.id, c.name.clone())).collect()
}
