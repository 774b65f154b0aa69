//! What statements about logins, users and roles have in common.

use crate::catalog::principals::{DBO_USER, Principals, Scope, rows};
use crate::catalog::{Object, TriggerScope};
use crate::database::Database;
use crate::permissions::SecurableClass as C;
use crate::session::context::StatementContext;
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_storage::Transaction;
use taffrail_types::Value;

/// The list of principals that a statement changes.
pub(super) struct On {
    pub database: Arc<Database>,
    pub scope: Scope,
}

impl On {
    /// The server's list, in master.
    pub(super) fn server(cx: &StatementContext<'_>) -> SqlResult<On> {
        Ok(On { database: cx.instance().databases().master()?, scope: Scope::Server })
    }

    /// The list of the current database.
    pub(super) fn database(cx: &StatementContext<'_>) -> On {
        On { database: cx.database(), scope: Scope::Database }
    }

    /// Locks the list to the end of the transaction, and gives it.
    pub(super) fn change(&self, cx: &mut StatementContext<'_>) -> SqlResult<Arc<Principals>> {
        let session = cx.session.id;
        if self.database.storage.is_read_only() {
            return Err(SqlError::new(3906, &[&self.database.name]));
        }
        let tx = cx.transaction(&self.database)?;
        self.database.catalog.lock_principals(tx, session)?;
        Ok(self.database.catalog.principals(self.scope, session))
    }

    /// The session's transaction in the list's database.
    pub(super) fn transaction<'c>(
        &self,
        cx: &'c mut StatementContext<'_>,
    ) -> SqlResult<&'c mut Transaction> {
        cx.transaction(&self.database)
    }

    /// Shows the session what the statement has written.
    pub(super) fn refresh(&self, cx: &mut StatementContext<'_>) -> SqlResult<()> {
        let session = cx.session.id;
        let tx = cx.transaction(&self.database)?;
        self.database.catalog.refresh_principals(tx, session, self.scope)
    }

    /// The moment, a datetime.
    pub(super) fn now(&self) -> Value {
        self.database.catalog.now()
    }

    /// Adds or drops a member of a role, and shows it.
    pub(super) fn member(
        &self,
        cx: &mut StatementContext<'_>,
        role: i32,
        member: i32,
        add: bool,
    ) -> SqlResult<()> {
        let tx = self.transaction(cx)?;
        match add {
            true => rows::add_member(tx, self.scope, role, member)?,
            false => rows::drop_member(tx, self.scope, role, member)?,
        }
        self.refresh(cx)
    }
}

/// Refuses names that are no principal's: 15006 for a backslash.
pub(super) fn valid_name(name: &str) -> SqlResult<()> {
    match name.contains('\\') || name.is_empty() {
        true => Err(SqlError::new(15006, &[&name])),
        false => Ok(()),
    }
}

/// The id of the principal that owns what a statement makes: the session's own, which is dbo or sa where nothing is checked.
pub(super) fn own_id(cx: &StatementContext<'_>, on: &On) -> SqlResult<i32> {
    match on.scope {
        Scope::Server => Ok(cx.session.activation.security().login_id),
        Scope::Database => {
            let identity = cx.session.identity_in(&on.database)?;
            Ok(if identity.is_dbo() { DBO_USER } else { identity.user })
        }
    }
}

/// A new security identifier: sixteen random bytes on the server, behind an authority and a sub-authority in a database.
pub(super) fn new_sid(cx: &StatementContext<'_>, scope: Scope, authority: u8) -> Vec<u8> {
    let random = cx.instance().options().env.entropy.guid();
    match scope {
        Scope::Server => random.to_vec(),
        Scope::Database => [&[1, 5, 0, 0, 0, 0, 0, 9, authority, 0, 0, 0], &random[..]].concat(),
    }
}

/// Refuses to drop a principal of the current database that owns something, as whom a module runs, or that has granted something.
pub(super) fn owns_nothing(cx: &StatementContext<'_>, all: &Principals, id: i32) -> SqlResult<()> {
    let database = cx.database();
    let (catalog, session) = (&database.catalog, cx.session.id);
    let of_class = |class: C| all.owned_by(id).any(|(of, _)| of == class.number());
    if of_class(C::Object) {
        return Err(SqlError::new(15183, &[]));
    }
    if of_class(C::Type) {
        return Err(SqlError::new(15184, &[]));
    }
    if catalog.schemas(session).iter().any(|s| s.principal == id) {
        return Err(SqlError::new(15138, &[&"schema"]));
    }
    if all.all().any(|p| p.owner == Some(id)) {
        return Err(SqlError::new(15421, &[]));
    }
    let runs_as = |o: &Object| o.as_module().is_some_and(|m| m.execute_as == Some(id));
    let triggers = catalog.ddl_triggers(TriggerScope::Database, session);
    if catalog.objects(session).iter().any(runs_as)
        || triggers.iter().any(|t| t.execute_as == Some(id))
    {
        return Err(SqlError::new(15136, &[]));
    }
    if all.permissions().any(|p| p.key.grantor == id) {
        return Err(SqlError::new(15284, &[]));
    }
    Ok(())
}
