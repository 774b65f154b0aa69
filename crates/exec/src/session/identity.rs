//! Identities: the principals whose permissions count for a session.
//!
//! ```text
//!  SecurityContext   login, and whether it counts on the whole server or one database's user does (a stack, in the activations)
//!        │  identity_in(database)
//!        ▼
//!  Identity          the user there, all roles of login and user, the schema that names are looked up in first
//! ```
//!
//! An identity is computed from the lists of principals of master and of the database, and kept by their versions.

use super::Session;
use crate::catalog::principals::{
    DBO_USER, FIXED_ROLES, GUEST, PUBLIC, Permission, PermissionState, Principal, PrincipalKind,
    Principals, SA, SERVER_PUBLIC, SYSADMIN, Scope, generation,
};
use crate::database::Database;
use std::sync::Arc;
use taffrail_base::{DatabaseId, SqlError, SqlResult};
use taffrail_types::{SqlType, Value};

/// The permission to see hashes of passwords.
const HASHES: crate::permissions::PermissionId = crate::permissions::known(
    crate::permissions::SecurableClass::Server,
    "VIEW ANY CRYPTOGRAPHICALLY SECURED DEFINITION",
);

/// The principal that a context is of, beside its login.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ContextScope {
    /// The login itself: it counts on the whole server, and each database has its user.
    Server,
    /// A user of one database (EXECUTE AS USER, a module's clause): nothing beyond it.
    User(DatabaseId, i32),
    /// An application role of one database.
    ApplicationRole(DatabaseId, i32),
    /// A user that its database has authenticated: it is guest wherever guests may connect, and nobody on the server.
    Contained(DatabaseId, i32),
}

/// The principals whose permissions and names hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SecurityContext {
    /// `SUSER_NAME()`; for a user without login its security identifier as text.
    pub login: Arc<str>,
    /// `principal_id` of the login; 0: there is none.
    pub login_id: i32,
    /// The login's security identifier, or that of the user without login or of the application role.
    pub sid: Arc<[u8]>,
    /// Whether the login counts, or a principal of one database.
    pub scope: ContextScope,
}

impl SecurityContext {
    /// That of a login, on the whole server.
    pub fn of_login(login: &Principal) -> SecurityContext {
        SecurityContext {
            login: login.name.clone(),
            login_id: login.id,
            sid: login.sid.as_deref().unwrap_or_default().into(),
            scope: ContextScope::Server,
        }
    }

    /// Whether it is that of sa: nothing is ever checked. One comparison.
    #[inline]
    pub fn is_sa(&self) -> bool {
        self.login_id == SA && self.scope == ContextScope::Server
    }
}

/// A login with its roles.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ServerIdentity {
    /// `principal_id` of the login.
    pub id: i32,
    /// The roles of the server that it is in, directly or by other roles, and public; by id.
    pub roles: Vec<i32>,
}

/// The principals whose permissions count in one database.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Identity {
    /// The database of the user.
    pub database: DatabaseId,
    /// `principal_id` of the user; 0 for a login that enters by CONNECT ANY DATABASE alone: it has public's rights.
    pub user: i32,
    /// The user's name, `USER_NAME()`.
    pub name: Arc<str>,
    /// The roles of the database that the user is in, directly or by other roles, and public; by id.
    pub roles: Vec<i32>,
    /// The schema in which names are looked up first; `None` is dbo.
    pub default_schema: Option<Arc<str>>,
    /// The login; `None` in a context that is of this database alone.
    pub login: Option<ServerIdentity>,
    /// The login is in sysadmin.
    pub is_sysadmin: bool,
    /// The versions of the lists that this was computed from: the server's, the database's.
    pub versions: (u64, u64),
}

impl Identity {
    /// Whether nothing is checked in this database: the user is dbo, or the login a sysadmin.
    #[inline]
    pub fn is_dbo(&self) -> bool {
        self.is_sysadmin || self.user == DBO_USER
    }

    /// The user and the roles of the database: all grantees whose permissions count here.
    pub fn principals(&self) -> impl Iterator<Item = i32> {
        let user = (self.user != PUBLIC).then_some(self.user);
        user.into_iter().chain(self.roles.iter().copied())
    }
}

/// An identity, and the context for which it was computed.
#[derive(Default)]
pub(crate) struct KnownIdentity(Option<KnownFor>);

struct KnownFor {
    context: SecurityContext,
    identity: Arc<Identity>,
    /// The database's owner then.
    owner_sid: Vec<u8>,
    /// [`generation`] when it was last known to be true.
    generation: u64,
}

/// CONNECT or DENY of it among the permissions on the database itself.
fn may_connect(all: &Principals, grantees: &[i32]) -> bool {
    let mut granted = false;
    for p in all.permissions_on(0, 0).filter(|p| grantees.contains(&p.key.grantee)) {
        match (&p.key.ty, p.state) {
            (b"CO  " | b"CL  ", PermissionState::Deny) => return false,
            (b"CO  " | b"CL  ", _) => granted = true,
            _ => {}
        }
    }
    // db_owner and db_accessadmin have it.
    granted || grantees.iter().any(|id| matches!(id - FIXED_ROLES, 0 | 1))
}

/// Whether a user or an application role is the one that a context was made for: numbers are given anew, and the fixed ones have no other.
fn is_of(user: &Principal, context: &SecurityContext) -> bool {
    user.id <= 4 || user.sid.as_deref().unwrap_or_default() == &*context.sid
}

/// The guest as whom a context of another database is there: everybody in tempdb, an application role wherever guests may connect, but
/// not in a database in EMERGENCY. A contained user is there as an application role is.
fn guest_of(context: &SecurityContext, database: &Database, here: &Principals) -> Option<i32> {
    let invited = || {
        let whole = matches!(
            context.scope,
            ContextScope::ApplicationRole(..) | ContextScope::Contained(..)
        );
        let enters = whole && !database.storage.is_emergency();
        enters && may_connect(here, &[GUEST, PUBLIC])
    };
    (database.id.0 == 2 || invited()).then_some(GUEST)
}

/// The server-wide roles of a login, public among them.
pub fn server_roles(server: &Principals, login: i32) -> Vec<i32> {
    let mut roles = server.roles_of(login);
    roles.push(SERVER_PUBLIC);
    roles.sort_unstable();
    roles
}

impl Session {
    /// The principals of the server, as this session sees them. While master is lost: as they were.
    pub fn server_principals(&self) -> Arc<Principals> {
        match self.instance.databases().master() {
            Ok(master) => master.catalog.principals(Scope::Server, self.id),
            Err(_) => self.instance.server_principals(),
        }
    }

    /// The principals of a database, as this session sees them.
    pub fn principals_of(&self, database: &Database) -> Arc<Principals> {
        database.catalog.principals(Scope::Database, self.id)
    }

    /// The schema in which names without one are looked up before dbo; none: dbo's are the first.
    pub fn default_schema(&self) -> Option<Arc<str>> {
        if self.activation.security().is_sa() {
            return None;
        }
        let own = self.identity().ok()?.default_schema.clone();
        own.filter(|schema| !schema.eq_ignore_ascii_case("dbo"))
    }

    /// The object of a name: without a schema, or with an empty one, in the default schema first, then in dbo. Statements, commands and
    /// procedures find by it what they work on, and what they ask for.
    pub fn found_in(
        &self,
        database: &Database,
        schema: Option<&str>,
        name: &str,
    ) -> Option<crate::catalog::Object> {
        let catalog = &database.catalog;
        let find = |schema: Option<&str>| {
            let found = catalog.find_named(schema, name, self.id);
            if found.is_none() {
                self.note_blocked(catalog.blocked_name(schema, name, self.id));
            }
            found
        };
        let schema = schema.filter(|s| !s.is_empty());
        if schema.is_none()
            && database.id == self.database.id
            && let Some(own) = self.default_schema()
            && let Some(object) = find(Some(&own))
        {
            return Some(object);
        }
        find(schema)
    }

    /// The schema of a new object: the one that is written, else the default schema.
    pub fn schema_or_default(&self, written: Option<&str>) -> Arc<str> {
        match written.filter(|s| !s.is_empty()) {
            Some(schema) => schema.into(),
            None => self.default_schema().unwrap_or_else(|| "dbo".into()),
        }
    }

    /// The security identifier of the login that owns what the session makes on the server: sa's where the context is nobody there.
    pub fn owning_sid(&self) -> Vec<u8> {
        let all = self.server_principals();
        let login = all.get(self.activation.security().login_id).and_then(|p| p.sid.clone());
        login.unwrap_or_else(|| crate::catalog::registry::SA_SID.to_vec())
    }

    /// The identity in the current database.
    pub fn identity(&self) -> SqlResult<Arc<Identity>> {
        self.identity_in(&self.database)
    }

    /// The identity in a database: 916 where the context has no user there.
    pub fn identity_in(&self, database: &Arc<Database>) -> SqlResult<Arc<Identity>> {
        let context = self.activation.security();
        let generation = generation();
        let mut kept = self.kept.known_identity.borrow_mut();
        let mut known = kept.0.as_mut();
        known = known.filter(|k| k.identity.database == database.id && k.context == *context);
        if let Some(known) = &known
            && known.generation == generation
        {
            return Ok(known.identity.clone());
        }
        let (server, here) = (self.server_principals(), self.principals_of(database));
        let owner_sid = self.instance.owner_sid(database);
        if let Some(known) = known
            && known.identity.versions == (server.version(), here.version())
            && known.owner_sid == owner_sid
        {
            known.generation = generation;
            return Ok(known.identity.clone());
        }
        let identity = Arc::new(self.instance.identify(context, database, &server, &here)?);
        let context = context.clone();
        kept.0 = Some(KnownFor { context, identity: identity.clone(), owner_sid, generation });
        Ok(identity)
    }
}

impl crate::instance::Instance {
    /// The context of a login by its name, and the login: 18456 where there is none, or where it may not connect.
    pub fn context_of_login(&self, name: &str) -> SqlResult<(SecurityContext, Arc<Principal>)> {
        let server = self.server_principals();
        let refused = || SqlError::new(18456, &[&name, &"", &""]).with_state(12);
        let login = server.find(name).filter(|p| p.kind == PrincipalKind::Login);
        let login = login.ok_or_else(refused)?;
        let roles = server_roles(&server, login.id);
        if !roles.contains(&SYSADMIN) {
            let mine = |p: &Permission| p.key.grantee == login.id || roles.contains(&p.key.grantee);
            let on_server = server.permissions_on(100, 0).filter(mine);
            let states: Vec<PermissionState> =
                on_server.filter(|p| p.key.ty == *b"COSQ").map(|p| p.state).collect();
            if states.is_empty() || states.contains(&PermissionState::Deny) {
                return Err(refused());
            }
        }
        Ok((SecurityContext::of_login(login), login.clone()))
    }

    /// The context of a user that a database has authenticated: 4060 where it may not connect.
    pub(crate) fn context_of_contained(
        &self,
        database: &Database,
        user: &Principal,
    ) -> SqlResult<SecurityContext> {
        let here = database.catalog.principals(Scope::Database, crate::catalog::Sight::COMMITTED);
        let mut grantees = here.roles_of(user.id);
        grantees.extend([user.id, PUBLIC]);
        if !may_connect(&here, &grantees) {
            return Err(SqlError::new(4060, &[&database.name]));
        }
        Ok(SecurityContext {
            login: user.name.clone(),
            login_id: 0,
            sid: user.sid.as_deref().unwrap_or_default().into(),
            scope: ContextScope::Contained(database.id, user.id),
        })
    }

    /// The database in which a session begins: 4060 where the one that is named cannot be opened or entered, 4064 where the login's own
    /// cannot.
    pub(crate) fn first_database(
        &self,
        context: &SecurityContext,
        login: &Principal,
        named: Option<&str>,
    ) -> SqlResult<Arc<Database>> {
        let enters = |database: &Arc<Database>| {
            let committed = crate::catalog::Sight::COMMITTED;
            let here = database.catalog.principals(Scope::Database, committed);
            self.identify(context, database, &self.server_principals(), &here).is_ok()
        };
        let open = |name: &str| self.databases().get(name).ok().filter(enters);
        if let Some(name) = named.filter(|d| !d.is_empty()) {
            return open(name).ok_or_else(|| SqlError::new(4060, &[&name]));
        }
        let own = &*login.login.default_database;
        let own = if own.is_empty() { "master" } else { own };
        open(own).ok_or_else(|| SqlError::new(4064, &[]))
    }

    /// The security identifier of a database's owner.
    pub fn owner_sid(&self, database: &Database) -> Vec<u8> {
        self.databases().slot(&database.name).map(|s| s.entry.owner_sid).unwrap_or_default()
    }

    /// The identity of a context in a database: 916 where it has no user there, or the database is in EMERGENCY and the login no sysadmin.
    pub fn identify(
        &self,
        context: &SecurityContext,
        database: &Database,
        server: &Principals,
        here: &Principals,
    ) -> SqlResult<Identity> {
        let refused = || SqlError::new(916, &[&context.login, &database.name]);
        let of = |user: i32, name: Arc<str>, login: Option<ServerIdentity>, sysadmin: bool| {
            let mut roles = if user == PUBLIC { Vec::new() } else { here.roles_of(user) };
            roles.push(PUBLIC);
            roles.sort_unstable();
            let schema = here.get(user).filter(|_| user != DBO_USER);
            Identity {
                database: database.id,
                user,
                name,
                roles,
                default_schema: schema.and_then(|p| p.default_schema.clone()),
                login,
                is_sysadmin: sysadmin,
                versions: (server.version(), here.version()),
            }
        };
        if let ContextScope::User(at, user)
        | ContextScope::ApplicationRole(at, user)
        | ContextScope::Contained(at, user) = context.scope
        {
            let own = (at == database.id).then_some(user);
            let user = own.or_else(|| guest_of(context, database, here)).ok_or_else(refused)?;
            let found = here.get(user).filter(|p| is_of(p, context)).ok_or_else(refused)?;
            return Ok(of(user, found.name.clone(), None, false));
        }
        let roles = server_roles(server, context.login_id);
        let sysadmin = context.login_id == SA || roles.contains(&SYSADMIN);
        let login = Some(ServerIdentity { id: context.login_id, roles });
        // What is in it has not been recovered, permissions neither.
        (sysadmin || !database.storage.is_emergency()).then_some(()).ok_or_else(refused)?;
        if sysadmin || (!context.sid.is_empty() && *self.owner_sid(database) == *context.sid) {
            return Ok(of(DBO_USER, "dbo".into(), login, sysadmin));
        }
        let enters = |user: i32| {
            let mut grantees = here.roles_of(user);
            grantees.extend([user, PUBLIC]);
            may_connect(here, &grantees)
        };
        if let Some(user) = here.by_sid(&context.sid).filter(|p| p.id > DBO_USER) {
            return match enters(user.id) {
                true => Ok(of(user.id, user.name.clone(), login, false)),
                false => Err(refused()),
            };
        }
        let server_wide = |login: &ServerIdentity| {
            // ##MS_DatabaseConnector##, or the permission itself.
            login.roles.contains(&14)
                || server.permissions_on(100, 0).any(|p| {
                    (p.key.grantee == login.id || login.roles.contains(&p.key.grantee))
                        && [*b"CADB", *b"CL  "].contains(&p.key.ty)
                        && p.state != PermissionState::Deny
                })
        };
        if login.as_ref().is_some_and(server_wide) {
            return Ok(of(PUBLIC, context.login.clone(), login, false));
        }
        let guest = here.get(GUEST).filter(|_| enters(GUEST)).ok_or_else(refused)?;
        Ok(of(GUEST, guest.name.clone(), login, false))
    }
}

impl Session {
    /// IS_SRVROLEMEMBER, IS_MEMBER and IS_ROLEMEMBER: whether somebody, or the session itself, is in a role. None: there is no such role,
    /// or nobody of that name.
    pub(crate) fn is_in_role(&self, role: &str, who: Option<&str>, server: bool) -> Option<bool> {
        if server {
            let all = self.server_principals();
            let role = all.find(role).filter(|p| p.kind.is_role())?;
            let login = match who {
                Some(name) => {
                    let sees = self.sees_principals(all.clone(), None);
                    all.find(name).filter(|p| sees(p.id))?.id
                }
                None if self.activation.security().scope != ContextScope::Server => {
                    return Some(role.id == SERVER_PUBLIC);
                }
                None => self.activation.security().login_id,
            };
            let roles = server_roles(&all, login);
            // A sysadmin is in every fixed role.
            return Some(roles.contains(&role.id) || role.is_fixed && roles.contains(&SYSADMIN));
        }
        let all = self.principals_of(&self.database);
        let role = all.find(role).filter(|p| p.kind.is_role())?;
        let (user, mut roles) = match who {
            Some(name) => {
                let user = all.find(name)?.id;
                (user, all.roles_of(user))
            }
            None => {
                let identity = self.identity().ok()?;
                (identity.user, identity.roles.clone())
            }
        };
        roles.push(PUBLIC);
        // dbo is in all fixed roles but those that deny.
        let denies = matches!(role.id - FIXED_ROLES, 8 | 9);
        let as_dbo = user == DBO_USER && role.id >= FIXED_ROLES && role.is_fixed && !denies;
        Some(as_dbo || roles.contains(&role.id))
    }

    /// A property of a login, by its name in lower case: LOGINPROPERTY.
    pub(crate) fn property_of_login(&self, login: &str, name: &str) -> Option<(SqlType, Value)> {
        let all = self.server_principals();
        let login = all.find(login).filter(|p| p.kind == PrincipalKind::Login)?;
        if !self.sees_principals(all.clone(), None)(login.id) {
            return None;
        }
        // As sys.sql_logins, which shows hashes to nobody else.
        if name.to_ascii_lowercase().starts_with("passwordhash") && !self.may_on_server(HASHES) {
            return None;
        }
        self.instance.property_of_login(login, name)
    }
}
