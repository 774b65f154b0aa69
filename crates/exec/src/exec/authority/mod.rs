//! Authority: whether a session has what a statement, procedure, command or view says that it needs.
//!
//! ```text
//! Needs (as it is registered) + AskedAt (which database, schema, object, which cases) + Rights ──▶ yes or no
//! ```
//! A name behind which nothing is found is asked for as an object without rows of its own: the permissions of its schema, its
//! database and the server count.

mod backups;
pub mod named;
mod principals;
mod procedures;
mod statements;

use crate::database::Database;
use crate::features::needs::{Case, DatabaseRole, Needs, OnDatabase, OnObject, Owned, ServerRole};
use crate::permissions::{PermissionId, Rights, SecurableAt, SecurableClass as C, find, known};
use crate::session::Session;
use crate::session::context::StatementContext;
use crate::session::rights::{securable_of, securable_type};
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::ast::{Ident, ObjectName};

/// The errors of what is refused, in the order in which a client hears them.
pub(in crate::exec) type Refusals = Vec<Box<SqlError>>;

/// The schema `sys` and the principal that owns it.
const SYS: (i32, i32) = (4, 4);

/// The securables about which needs are asked, and the cases that are given.
pub struct AskedAt {
    /// The database that is asked about.
    pub database: Arc<Database>,
    /// The object, or one without rows of its own in the schema that a name says.
    pub object: SecurableAt,
    /// The schema that is asked about, and its owner, where it is not the object's.
    pub schema: Option<(i32, i32)>,
    /// Nothing is asked of temporary objects.
    pub temporary: bool,
    /// The cases that are given.
    pub cases: &'static [Case],
    /// There is an object of the name.
    pub found: bool,
}

impl AskedAt {
    /// A place in a database, without an object.
    pub fn of_database(database: &Arc<Database>) -> AskedAt {
        AskedAt {
            database: database.clone(),
            object: nowhere(1, 1),
            schema: None,
            temporary: false,
            cases: &[],
            found: false,
        }
    }

    fn given(self, cases: &'static [Case]) -> AskedAt {
        AskedAt { cases, ..self }
    }
}

/// The database and the schema that a name says.
pub(super) fn parts_before(name: &ObjectName) -> (Option<String>, Option<String>) {
    let part = |p: &Option<Ident>| p.as_ref().map(|p| p.value.to_string());
    (part(&name.database), part(&name.schema))
}

/// An object of a schema that has no rows of its own.
fn nowhere(schema: i32, owner: i32) -> SecurableAt {
    SecurableAt { class: C::Object, id: 0, owner: None, schema: Some((schema, owner)) }
}

/// `principal_id` of a fixed database role.
fn database_role(role: DatabaseRole) -> i32 {
    match role {
        DatabaseRole::Owner => 16_384,
        DatabaseRole::Securityadmin => 16_386,
        DatabaseRole::Ddladmin => 16_387,
    }
}

/// `principal_id` of a fixed server role.
fn server_role(role: ServerRole) -> i32 {
    match role {
        ServerRole::Sysadmin => 3,
        ServerRole::Securityadmin => 4,
        ServerRole::Setupadmin => 6,
        ServerRole::Dbcreator => 9,
        ServerRole::Diskadmin => 8,
    }
}

/// Needs, while they are asked about a place.
struct Asking<'a> {
    session: &'a Session,
    place: &'a AskedAt,
    /// None where the session has no user in the database.
    here: Option<Arc<Rights>>,
    server: Rights,
}

impl Asking<'_> {
    fn on_database(&self, permission: OnDatabase) -> bool {
        let id = find(C::Database, &permission.to_string());
        // CREATE DATABASE is one of master.
        if permission == OnDatabase::CreateDatabase {
            let master = self.session.instance.databases().master();
            let rights = master.and_then(|m| self.session.rights_in(&m));
            let has = |r: Arc<Rights>| id.is_some_and(|id| r.may(&SecurableAt::DATABASE, id));
            return rights.is_ok_and(has);
        }
        let whole = id.is_some_and(|id| self.server.is_everything_on_server() || self.above(id));
        whole || self.has(&SecurableAt::DATABASE, id)
    }

    /// Whether a permission on the server implies one on the database, in which there may be no user.
    fn above(&self, id: PermissionId) -> bool {
        self.here.is_none() && self.server.may(&SecurableAt::DATABASE, id)
    }

    fn has(&self, at: &SecurableAt, id: Option<PermissionId>) -> bool {
        let Some(id) = id else { return false };
        match &self.here {
            Some(rights) => rights.may(at, id),
            None => false,
        }
    }

    fn in_role(&self, role: i32) -> bool {
        self.here.as_ref().is_some_and(|r| r.is_everything() || r.is(role))
    }

    fn hold(&self, needs: &Needs) -> bool {
        let at = &self.place.object;
        let schema = self.place.schema.or(at.schema);
        let schema = schema.map_or(nowhere(1, 1), |(id, owner)| SecurableAt::schema(id, owner));
        match needs {
            Needs::Public | Needs::MetadataVisibility | Needs::HandedText | Needs::ItsCommand => {
                true
            }
            // The statement asks for it by itself, where it knows the principal.
            Needs::Impersonate | Needs::Grants => true,
            Needs::Server(p) => {
                let id = find(C::Server, &p.to_string());
                id.is_some_and(|id| self.server.may(&SecurableAt::SERVER, id))
            }
            Needs::Database(p) => self.on_database(*p),
            Needs::Schema(p) => self.has(&schema, find(C::Schema, &p.to_string())),
            // A class that has not the permission asks for all of it: types have no ALTER.
            Needs::Object(p) => {
                let id = find(at.class, &p.to_string());
                self.has(at, id.or_else(|| find(at.class, "CONTROL")))
            }
            Needs::InServerRole(role) => {
                self.server.is_everything_on_server()
                    || self.server.is_on_server(server_role(*role))
            }
            Needs::InDatabaseRole(role) => self.in_role(database_role(*role)),
            Needs::Owner(owned) => self.here.as_ref().is_some_and(|rights| {
                let owns = match owned {
                    Owned::Database => false,
                    Owned::Schema => rights.owns(&schema),
                    Owned::Object => rights.owns(at),
                };
                rights.is_everything() || owns
            }),
            Needs::All(all) => all.iter().all(|n| self.hold(n)),
            Needs::Any(any) => any.iter().any(|n| self.hold(n)),
            Needs::When(case, need) => !self.place.cases.contains(case) || self.hold(need),
        }
    }
}

impl Session {
    /// Whether the session has what something needs at a place.
    pub fn holds(&self, needs: &Needs, place: &AskedAt) -> bool {
        if self.activation.security().is_sa() || place.temporary {
            return true;
        }
        let here = self.rights_in(&place.database).ok();
        Asking { session: self, place, here, server: self.server_rights() }.hold(needs)
    }

    /// Whether the session has what something needs in a database.
    pub fn holds_in(&self, database: &Arc<Database>, needs: &Needs) -> bool {
        self.holds(needs, &AskedAt::of_database(database))
    }

    /// Whether the session has CONTROL on an object.
    pub fn controls(&self, database: &Arc<Database>, head: &crate::catalog::ObjectHead) -> bool {
        let object = securable_of(database, head, self.id);
        let place = AskedAt { object, found: true, ..AskedAt::of_database(database) };
        self.holds(&Needs::Object(OnObject::Control), &place)
    }

    /// The place of an object by its name. A name that no database, schema or object has leaves the permissions of what contains it.
    pub(super) fn place_named(&self, name: &ObjectName) -> AskedAt {
        let (database, schema) = parts_before(name);
        self.place_by_parts(database, schema, &name.name.value)
    }

    /// The place of an object by the parts of its name.
    pub(super) fn place_by_parts(
        &self,
        database: Option<String>,
        schema: Option<String>,
        name: &str,
    ) -> AskedAt {
        let all = self.instance.databases();
        let own = || Some(self.database.clone());
        let found = database.filter(|d| !d.is_empty()).map_or_else(own, |d| all.get(&d).ok());
        let place = AskedAt::of_database(found.as_ref().unwrap_or(&self.database));
        if name.starts_with('#') {
            return AskedAt { temporary: true, found: true, ..place };
        }
        let Some(database) = found else { return place };
        let schema = schema.filter(|s| !s.is_empty());
        let object = self.found_in(&database, schema.as_deref(), name);
        if let Some(object) = object {
            let object = securable_of(&database, object.head(), self.id);
            return AskedAt { object, found: true, ..place };
        }
        let schema = match database.id == self.database.id {
            true => self.schema_or_default(schema.as_deref()),
            false => schema.as_deref().unwrap_or("dbo").into(),
        };
        match database.catalog.schema(&schema, self.id) {
            Some(s) => AskedAt { object: nowhere(s.id.0, s.principal), ..place },
            None => place,
        }
    }

    /// The place of a type of users by the parts of its name.
    pub(super) fn place_of_type(
        &self,
        database: Option<String>,
        schema: Option<String>,
        name: &str,
    ) -> AskedAt {
        let place = self.place_by_parts(database, schema.clone(), "");
        let schema = schema.as_deref().filter(|s| !s.is_empty());
        match place.database.catalog.find_type(schema, name, self.sight_of_types()) {
            Some(found) => {
                let object = securable_type(&place.database, &found, self.id);
                AskedAt { object, found: true, ..place }
            }
            None => place,
        }
    }

    /// The place of an object by the text of its name.
    pub fn place_by_text(&self, name: &str) -> AskedAt {
        let mut parts = super::procedure::name_parts(name);
        let last = parts.pop().unwrap_or_default();
        let schema = parts.pop();
        self.place_by_parts(parts.pop(), schema, &last)
    }

    /// The name of the login, for messages about what it may not do.
    fn acting_name(&self) -> String {
        self.activation.security().login.to_string()
    }

    /// Adds the errors of what a system view needs in a database: the first permission that is missing, and 297.
    pub(super) fn refused_state(
        &self,
        database: &Arc<Database>,
        needs: &Needs,
        of: &crate::plan::facts::Securable,
        errors: &mut Refusals,
    ) -> SqlResult<()> {
        let object = SecurableAt { schema: Some(SYS), ..nowhere(SYS.0, SYS.1) };
        let place = AskedAt { object, found: true, ..AskedAt::of_database(database) };
        if self.holds(needs, &place) {
            return Ok(());
        }
        match self.first_missing(needs, &place) {
            Needs::Server(p) => {
                errors.push(SqlError::new(300, &[p, &"server", &"master"]));
                errors.push(SqlError::new(297, &[]));
            }
            Needs::Database(p) => {
                errors.push(SqlError::new(262, &[p, &database.name]).with_severity(14));
                errors.push(SqlError::new(297, &[]));
            }
            Needs::Object(p) => {
                let args: [&dyn std::fmt::Display; 4] = [p, &of.name, &database.name, &of.schema];
                errors.push(SqlError::new(229, &args).with_state(5));
            }
            Needs::InDatabaseRole(_) if &*of.name == "fn_dblog" => {
                errors.push(SqlError::new(9010, &[]));
            }
            Needs::InServerRole(_) if &*of.name == "fn_dump_dblog" => {
                errors.push(SqlError::new(9011, &[]));
            }
            _ => errors.push(SqlError::new(297, &[])),
        }
        Ok(())
    }

    /// The first need that is not held, of all or of the alternatives.
    fn first_missing<'n>(&self, needs: &'n Needs, place: &AskedAt) -> &'n Needs {
        match needs {
            Needs::All(list) => {
                let missing = list.iter().find(|n| !self.holds(n, place));
                missing.map_or(needs, |n| self.first_missing(n, place))
            }
            Needs::Any(list) => list.first().map_or(needs, |n| self.first_missing(n, place)),
            Needs::When(_, need) => self.first_missing(need, place),
            other => other,
        }
    }

    /// The errors with which a DBCC command is refused: 2571, 2557, 7983, 297.
    pub fn refused_command(
        &self,
        name: &str,
        needs: &Needs,
        place: &AskedAt,
        table: Option<&str>,
    ) -> Option<Box<SqlError>> {
        if self.holds(needs, place) {
            return None;
        }
        let login = self.acting_name();
        Some(match (name, table) {
            (_, Some(table)) => SqlError::new(2557, &[&login, &name, &table]),
            ("SQLPERF", _) => SqlError::new(297, &[]),
            (
                "CHECKDB" | "CHECKALLOC" | "CHECKCATALOG" | "SHRINKDATABASE" | "SHRINKFILE"
                | "OPENTRAN",
                _,
            ) => SqlError::new(7983, &[&login, &name, &place.database.name]),
            _ => SqlError::new(2571, &[&login, &name]),
        })
    }
}

impl StatementContext<'_> {
    /// Refuses with these errors, the last of which ends the statement.
    pub(crate) fn refuse_with(&mut self, mut errors: Refusals) -> SqlResult<()> {
        let Some(last) = errors.pop() else { return Ok(()) };
        for e in errors {
            self.reason(e)?;
        }
        Err(last)
    }
}

/// A permission on an object.
pub(super) const ALTER: PermissionId = known(C::Object, "ALTER");
