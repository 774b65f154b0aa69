//! Statements about principals and owners: what they need depends on whom they name.

use crate::catalog::principals::{Principal, PrincipalKind};
use crate::permissions::{PermissionId, Rights, SecurableAt, SecurableClass as C, known};
use crate::session::Session;
use crate::session::rights::{securable_of, securable_type};
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::ast::{
    AlterAuthorization, AlterSchema, DropKind, LoginDefinition, NamedOption, RoleAction,
    RoleDefinition, StatementKind as K, UserDefinition,
};

const CONTROL_SERVER: PermissionId = known(C::Server, "CONTROL SERVER");
const CREATE_LOGIN: PermissionId = known(C::Server, "CREATE LOGIN");
const CREATE_SERVER_ROLE: PermissionId = known(C::Server, "CREATE SERVER ROLE");
const CREATE_USER: PermissionId = known(C::Database, "CREATE USER");
const CREATE_ROLE: PermissionId = known(C::Database, "CREATE ROLE");
const CONTROL: PermissionId = known(C::Database, "CONTROL");
const ALTER_ANY_USER: PermissionId = known(C::Database, "ALTER ANY USER");
const ALTER_ANY_APPLICATION_ROLE: PermissionId = known(C::Database, "ALTER ANY APPLICATION ROLE");

/// The class of a principal as a securable.
fn class_of(kind: PrincipalKind) -> C {
    match kind {
        PrincipalKind::Login => C::Login,
        PrincipalKind::ServerRole => C::ServerRole,
        PrincipalKind::User => C::User,
        PrincipalKind::Role => C::Role,
        PrincipalKind::ApplicationRole => C::ApplicationRole,
    }
}

/// A principal as a securable.
pub fn securable(p: &Principal) -> SecurableAt {
    SecurableAt { owner: p.owner, ..SecurableAt::alone(class_of(p.kind), p.id) }
}

/// ALTER, CONTROL, TAKE OWNERSHIP or IMPERSONATE of a class.
fn of(class: C, name: &str) -> Option<PermissionId> {
    crate::permissions::find(class, name)
}

fn may(rights: &Rights, p: &Principal, name: &str) -> bool {
    let at = securable(p);
    of(at.class, name).is_some_and(|id| rights.may(&at, id))
}

fn refused(verb: &str, what: &str, name: &str) -> Option<Box<SqlError>> {
    Some(SqlError::new(15151, &[&verb, &what, &name]))
}

fn not_permitted() -> Option<Box<SqlError>> {
    Some(SqlError::new(15247, &[]))
}

/// An option of a login or user is there.
fn has(options: &[NamedOption], name: &str) -> bool {
    options.iter().any(|o| o.name.is(name))
}

impl Session {
    /// The error with which a statement about principals or owners is refused; the outer none: it is about something else.
    pub(super) fn refused_principal(&self, kind: &K) -> SqlResult<Option<Option<Box<SqlError>>>> {
        Ok(Some(match kind {
            K::Login(s) => self.refused_login(s),
            K::User(s) => self.refused_user(s)?,
            K::Role(s) if s.server => self.refused_server_role(s),
            K::Role(s) => self.refused_role(s)?,
            K::AlterAuthorization(s) => self.refused_authorization(s)?,
            K::AlterSchema(s) => self.refused_transfer(s)?,
            K::Drop(s) => {
                let name = s.names.first().map_or("", |n| &*n.name.value);
                match s.kind {
                    DropKind::Login => self.refused_drop_of_server("login", name),
                    DropKind::ServerRole => self.refused_drop_of_server("server role", name),
                    DropKind::User => self.refused_drop_of_user(name)?,
                    DropKind::Role => self.refused_drop_of_role(name)?,
                    _ => return Ok(None),
                }
            }
            K::ExecuteAs(_) | K::Revert => None,
            _ => return Ok(None),
        }))
    }

    fn server_principal(&self, name: &str) -> Option<Arc<Principal>> {
        self.server_principals().find(name).cloned()
    }

    fn database_principal(&self, name: &str) -> Option<Arc<Principal>> {
        self.principals_of(&self.database).find(name).cloned()
    }

    fn refused_login(&self, s: &LoginDefinition) -> Option<Box<SqlError>> {
        let rights = self.server_rights();
        if !s.alter {
            let held = rights.may(&SecurableAt::SERVER, CREATE_LOGIN);
            return if held { None } else { not_permitted() };
        }
        let name = &*s.name.value;
        // One that is not there is told of by the statement, in the same words.
        let login = self.server_principal(name)?;
        let own = login.id == self.activation.security().login_id;
        let secret = has(&s.options, "PASSWORD") && !has(&s.options, "OLD_PASSWORD");
        let strict = ["NAME", "CHECK_POLICY", "CHECK_EXPIRATION", "CREDENTIAL", "UNLOCK"];
        let strict = strict.iter().any(|o| has(&s.options, o)) || s.enable.is_some();
        if own && !secret && !strict {
            return None;
        }
        if !may(&rights, &login, "ALTER") {
            return refused("alter", "login", name);
        }
        let theirs = self.rights_of_server_principal(login.id);
        let privileged = theirs.may(&SecurableAt::SERVER, CONTROL_SERVER);
        let held = rights.may(&SecurableAt::SERVER, CONTROL_SERVER);
        if privileged && (secret || strict) && !held {
            return refused("alter", "login", name);
        }
        None
    }

    fn refused_drop_of_server(&self, what: &str, name: &str) -> Option<Box<SqlError>> {
        let principal = self.server_principal(name)?;
        let rights = self.server_rights();
        let held = may(&rights, &principal, "ALTER");
        let theirs = self.rights_of_server_principal(principal.id);
        let privileged = theirs.may(&SecurableAt::SERVER, CONTROL_SERVER);
        match held && (!privileged || rights.may(&SecurableAt::SERVER, CONTROL_SERVER)) {
            true => None,
            false => refused("drop", what, name),
        }
    }

    fn refused_server_role(&self, s: &RoleDefinition) -> Option<Box<SqlError>> {
        let rights = self.server_rights();
        let name = &*s.name.value;
        if let RoleAction::Create(owner) = &s.action {
            let owned = owner.as_ref().and_then(|o| self.server_principal(&o.value));
            let held = rights.may(&SecurableAt::SERVER, CREATE_SERVER_ROLE)
                && owned.is_none_or(|o| self.gives_to(&rights, &o));
            return if held { None } else { not_permitted() };
        }
        let role = self.server_principal(name)?;
        let held = match role.is_fixed {
            true => rights.is_everything_on_server() || rights.is_on_server(role.id),
            false => may(&rights, &role, "ALTER"),
        };
        if held { None } else { refused("alter", "server role", name) }
    }

    fn refused_user(&self, s: &UserDefinition) -> SqlResult<Option<Box<SqlError>>> {
        let rights = self.rights_in(&self.database)?;
        if !s.alter {
            let held = rights.may(&SecurableAt::DATABASE, CREATE_USER);
            return Ok(if held { None } else { not_permitted() });
        }
        let name = &*s.name.value;
        let Some(user) = self.database_principal(name) else { return Ok(None) };
        let own = self.identity()?.user == user.id;
        let only_schema = s.options.iter().all(|o| o.name.is("DEFAULT_SCHEMA"));
        let only_password = has(&s.options, "OLD_PASSWORD")
            && s.options.iter().all(|o| o.name.is("PASSWORD") || o.name.is("OLD_PASSWORD"));
        let held = (own && (only_schema || only_password)) || may(&rights, &user, "ALTER");
        let renames =
            !has(&s.options, "NAME") || rights.may(&SecurableAt::DATABASE, ALTER_ANY_USER);
        let maps = !has(&s.options, "LOGIN") || rights.may(&SecurableAt::DATABASE, CONTROL);
        Ok(if held && renames && maps { None } else { refused("alter", "user", name) })
    }

    fn refused_drop_of_user(&self, name: &str) -> SqlResult<Option<Box<SqlError>>> {
        let rights = self.rights_in(&self.database)?;
        let held = rights.may(&SecurableAt::DATABASE, ALTER_ANY_USER);
        let own = self.database_principal(name).is_some_and(|u| may(&rights, &u, "CONTROL"));
        Ok(if held || own { None } else { refused("drop", "user", name) })
    }

    fn refused_role(&self, s: &RoleDefinition) -> SqlResult<Option<Box<SqlError>>> {
        let rights = self.rights_in(&self.database)?;
        let name = &*s.name.value;
        if let RoleAction::Create(owner) = &s.action {
            let owned = owner.as_ref().and_then(|o| self.database_principal(&o.value));
            let held = rights.may(&SecurableAt::DATABASE, CREATE_ROLE)
                && owned.is_none_or(|o| self.gives_to(&rights, &o));
            return Ok(if held { None } else { not_permitted() });
        }
        let Some(role) = self.database_principal(name) else { return Ok(None) };
        let held = match role.is_fixed {
            true => rights.may(&SecurableAt::DATABASE, CONTROL),
            false => may(&rights, &role, "ALTER"),
        };
        Ok(if held { None } else { refused("alter", "role", name) })
    }

    fn refused_drop_of_role(&self, name: &str) -> SqlResult<Option<Box<SqlError>>> {
        let Some(role) = self.database_principal(name) else { return Ok(None) };
        let rights = self.rights_in(&self.database)?;
        let held = match role.kind {
            PrincipalKind::ApplicationRole => {
                rights.may(&SecurableAt::DATABASE, ALTER_ANY_APPLICATION_ROLE)
            }
            _ => may(&rights, &role, "ALTER"),
        };
        Ok(if held { None } else { refused("drop", "role", name) })
    }

    /// Whether a securable may be given to a principal: IMPERSONATE on it, or membership in a role or ALTER on it.
    fn gives_to(&self, rights: &Rights, to: &Principal) -> bool {
        if !to.kind.is_role() {
            return self.is_itself(rights, to) || may(rights, to, "IMPERSONATE");
        }
        self.is_itself(rights, to) || may(rights, to, "ALTER")
    }

    fn is_itself(&self, rights: &Rights, p: &Principal) -> bool {
        match class_of(p.kind).is_of_server() {
            true => rights.is_on_server(p.id),
            false => rights.is(p.id),
        }
    }

    /// Whether the context may act as a login: IMPERSONATE on it; oneself always.
    pub fn may_impersonate_login(&self, login: &Principal) -> bool {
        let rights = self.server_rights();
        self.activation.security().login_id == login.id || may(&rights, login, "IMPERSONATE")
    }

    /// Whether the context may act as a user of the current database: IMPERSONATE on it; oneself always.
    pub fn may_impersonate_user(&self, user: &Principal) -> SqlResult<bool> {
        let rights = self.rights_in(&self.database)?;
        Ok(self.identity()?.user == user.id || may(&rights, user, "IMPERSONATE"))
    }

    fn refused_authorization(&self, s: &AlterAuthorization) -> SqlResult<Option<Box<SqlError>>> {
        let class = s.class.as_deref().map_or(Some(C::Object), C::of_name);
        let Some(class) = class else { return Ok(None) };
        let name = &*s.entity.name.value;
        let unseen = || refused("find", &class.name().to_lowercase(), name);
        let rights = match class.is_of_server() {
            true => Arc::new(self.server_rights()),
            false => self.rights_in(&self.database)?,
        };
        let at = match class {
            C::Database => match self.instance.databases().get(name) {
                Ok(database) => {
                    let here = self.rights_in(&database);
                    let held = here.is_ok_and(|r| {
                        of(C::Database, "TAKE OWNERSHIP")
                            .is_some_and(|id| r.may(&SecurableAt::DATABASE, id))
                    });
                    return Ok(if held { self.refused_owner(&rights, s, true) } else { unseen() });
                }
                Err(_) => return Ok(None),
            },
            C::Object => {
                let place = self.place_named(&s.entity);
                if !place.found {
                    return Ok(None);
                }
                place.object
            }
            C::Type => {
                let schema = s.entity.schema.as_ref().map(|s| &*s.value);
                match self.database.catalog.find_type(schema, name, self.id) {
                    Some(t) => securable_type(&self.database, &t, self.id),
                    None => return Ok(None),
                }
            }
            C::Schema => match self.database.catalog.schema(name, self.id) {
                Some(s) => SecurableAt::schema(s.id.0, s.principal),
                None => return Ok(None),
            },
            c if c.is_of_server() => match self.server_principal(name) {
                Some(p) => securable(&p),
                None => return Ok(None),
            },
            _ => match self.database_principal(name) {
                Some(p) => securable(&p),
                None => return Ok(None),
            },
        };
        let held = of(class, "TAKE OWNERSHIP").is_some_and(|id| rights.may(&at, id));
        Ok(if held { self.refused_owner(&rights, s, class.is_of_server()) } else { unseen() })
    }

    /// The new owner has to be one that something may be given to: 15151.
    fn refused_owner(
        &self,
        rights: &Rights,
        s: &AlterAuthorization,
        server: bool,
    ) -> Option<Box<SqlError>> {
        let owner = s.owner.as_ref()?;
        let of_server = || self.server_principal(&owner.value);
        let to = if server { of_server() } else { self.database_principal(&owner.value) }?;
        let held = match server {
            true => self.gives_to(&self.server_rights(), &to),
            false => self.gives_to(rights, &to),
        };
        if held { None } else { refused("find", "principal", &owner.value) }
    }

    /// ALTER SCHEMA … TRANSFER: CONTROL on the object, ALTER on the schema that it goes to.
    fn refused_transfer(&self, s: &AlterSchema) -> SqlResult<Option<Box<SqlError>>> {
        let rights = self.rights_in(&self.database)?;
        let Some(to) = self.database.catalog.schema(&s.schema.value, self.id) else {
            return Ok(None);
        };
        let at = SecurableAt::schema(to.id.0, to.principal);
        if !of(C::Schema, "ALTER").is_some_and(|id| rights.may(&at, id)) {
            return Ok(refused("alter", "schema", &s.schema.value));
        }
        let schema = s.object.schema.as_ref().map(|s| &*s.value);
        let name = &*s.object.name.value;
        let is_type = s.class.as_ref().is_some_and(|c| c.is("TYPE"));
        let (class, at) = match is_type {
            true => {
                let found = self.database.catalog.find_type(schema, name, self.id);
                (C::Type, found.map(|t| securable_type(&self.database, &t, self.id)))
            }
            false => {
                let found = self.database.catalog.find_named(schema, name, self.id);
                let at =
                    |o: crate::catalog::Object| securable_of(&self.database, o.head(), self.id);
                (C::Object, found.map(at))
            }
        };
        let held = at.is_none_or(|at| of(class, "CONTROL").is_some_and(|id| rights.may(&at, id)));
        let what = if is_type { "type" } else { "object" };
        Ok(if held { None } else { refused("find", what, name) })
    }
}
