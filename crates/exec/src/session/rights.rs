//! Rights: what the principals of a session hold, kept as long as the lists that they come from are what they were.

use super::Session;
use super::identity::{ContextScope, Identity, server_roles};
use crate::catalog::principals::{
    Permission, PermissionState, Principal, PrincipalKind, Principals, SYSADMIN, Scope, generation,
};
use crate::catalog::{Object, ObjectHead, Sight};
use crate::database::Database;
use crate::permissions::{
    HeldPermission, PermissionId, Rights, SecurableAt, SecurableClass, Standing,
};
use hashbrown::HashMap;
use parking_lot::Mutex;
use std::sync::{Arc, Weak};
use taffrail_base::{ObjectId, SqlResult};

/// The rights that were asked for last.
#[derive(Default)]
pub(crate) struct KnownRights(Option<RightsFor>);

/// Rights, with the context and the generation that they were found for.
struct RightsFor {
    generation: u64,
    login: i32,
    scope: ContextScope,
    /// The opening of the database: another one of the same number is another database.
    opening: u64,
    identity: Arc<Identity>,
    rights: Arc<Rights>,
}

/// The rights of all sessions by the versions of the lists that they come from, so that sessions of one login have the same.
#[derive(Default)]
pub(crate) struct SharedRights(
    Mutex<HashMap<SharedKey, Weak<Rights>, foldhash::fast::RandomState>>,
);

/// The versions of both lists, the login, the user, and whether the login counts.
type SharedKey = (u64, u64, i32, i32, bool);

impl SharedRights {
    /// The rights of a key, made where there are none.
    fn get(&self, key: SharedKey, make: impl FnOnce() -> Rights) -> Arc<Rights> {
        let mut all = self.0.lock();
        if let Some(known) = all.get(&key).and_then(Weak::upgrade) {
            return known;
        }
        all.retain(|_, rights| rights.strong_count() > 0);
        let rights = Arc::new(make());
        all.insert(key, Arc::downgrade(&rights));
        rights
    }
}

fn held(p: Permission) -> HeldPermission {
    let key = p.key;
    let standing = match p.state {
        PermissionState::Grant => Standing::Granted,
        PermissionState::GrantWithGrantOption => Standing::WithGrantOption,
        PermissionState::Deny => Standing::Denied,
        PermissionState::Revoke => Standing::Revoked,
    };
    let (class, major, minor) = (key.class, key.major, key.minor);
    HeldPermission { class, major, minor, grantee: key.grantee, code: key.ty, standing }
}

/// The rights of an identity, by the lists of the server and of its database.
fn rights_of(identity: &Identity, server: &Principals, here: &Principals) -> Rights {
    if identity.is_sysadmin {
        return Rights::of_sysadmin();
    }
    let login = identity.login.as_ref();
    let on_server = login.map_or_else(Vec::new, |login| {
        let mut ids = login.roles.clone();
        ids.push(login.id);
        ids
    });
    let rows = server.permissions().chain(here.permissions()).map(held);
    Rights::new(identity.is_dbo(), identity.principals().collect(), on_server, rows)
}

impl Session {
    /// The number of the rights in the current database, where they are known and nothing has changed since.
    #[inline]
    pub(crate) fn known_stamp(&self) -> Option<u64> {
        let known = self.kept.known_rights.borrow();
        let context = self.activation.security();
        let same = |k: &&RightsFor| {
            k.generation == generation()
                && k.opening == self.database.catalog.opening()
                && k.login == context.login_id
                && k.scope == context.scope
        };
        known.0.as_ref().filter(same).map(|k| k.rights.stamp())
    }

    /// The rights of the session's context in a database and on the server: 916 where it has no user there.
    pub fn rights_in(&self, database: &Arc<Database>) -> SqlResult<Arc<Rights>> {
        let generation = generation();
        let context = self.activation.security();
        let (login, scope) = (context.login_id, context.scope);
        if let Some(k) = &self.kept.known_rights.borrow().0
            && (k.generation, k.opening) == (generation, database.catalog.opening())
            && (k.login, k.scope) == (login, scope)
        {
            return Ok(k.rights.clone());
        }
        let identity = self.identity_in(database)?;
        let mut known = self.kept.known_rights.borrow_mut();
        let rights = match &known.0 {
            Some(k) if Arc::ptr_eq(&k.identity, &identity) => k.rights.clone(),
            _ => self.shared_rights(&identity, database),
        };
        let opening = database.catalog.opening();
        let new = RightsFor { generation, login, scope, opening, identity, rights: rights.clone() };
        *known = KnownRights(Some(new));
        Ok(rights)
    }

    fn shared_rights(&self, identity: &Identity, database: &Database) -> Arc<Rights> {
        let (server, here) = (self.server_principals(), self.principals_of(database));
        let login = identity.login.as_ref().map_or(0, |l| l.id);
        let key =
            (server.version(), here.version(), login, identity.user, identity.login.is_some());
        self.instance.shared_rights().get(key, || rights_of(identity, &server, &here))
    }

    /// The rights of the session's context on the server.
    pub fn server_rights(&self) -> Rights {
        let context = self.activation.security();
        if context.scope != ContextScope::Server {
            return Rights::default();
        }
        let server = self.server_principals();
        let mut ids = server_roles(&server, context.login_id);
        if ids.contains(&SYSADMIN) || context.is_sa() {
            return Rights::of_sysadmin();
        }
        ids.push(context.login_id);
        Rights::new(false, Vec::new(), ids, server.permissions().map(held))
    }

    /// Whether the session's context has a permission on the server.
    pub fn may_on_server(&self, permission: PermissionId) -> bool {
        self.activation.security().is_sa()
            || self.server_rights().may(&SecurableAt::SERVER, permission)
    }

    /// The rights of a principal of a database, and of nobody of the server.
    pub fn rights_of_principal(&self, database: &Database, principal: i32) -> Rights {
        let here = self.principals_of(database);
        let mut ids = here.roles_of(principal);
        ids.extend([principal, crate::catalog::principals::PUBLIC]);
        let dbo = principal == crate::catalog::principals::DBO_USER;
        Rights::new(dbo, ids, Vec::new(), here.permissions().map(held))
    }

    /// The rights of a principal of the server, and of no user of a database.
    pub fn rights_of_server_principal(&self, principal: i32) -> Rights {
        let server = self.server_principals();
        let mut ids = server_roles(&server, principal);
        if ids.contains(&SYSADMIN) {
            return Rights::of_sysadmin();
        }
        ids.push(principal);
        Rights::new(false, Vec::new(), ids, server.permissions().map(held))
    }
}

/// The list of principals to which securables of a class belong.
pub fn scope_of(class: SecurableClass) -> Scope {
    if class.is_of_server() { Scope::Server } else { Scope::Database }
}

/// A principal as a securable.
pub(crate) fn securable_principal(p: &Principal) -> SecurableAt {
    let class = match p.kind {
        PrincipalKind::Login => SecurableClass::Login,
        PrincipalKind::ServerRole => SecurableClass::ServerRole,
        PrincipalKind::User => SecurableClass::User,
        PrincipalKind::Role => SecurableClass::Role,
        PrincipalKind::ApplicationRole => SecurableClass::ApplicationRole,
    };
    SecurableAt { owner: p.owner, ..SecurableAt::alone(class, p.id) }
}

/// An object as a securable: constraints and triggers are held by their table.
pub fn securable_of(
    database: &Database,
    head: &ObjectHead,
    sight: impl Into<Sight>,
) -> SecurableAt {
    let sight = sight.into();
    if head.parent != ObjectId(0)
        && let Some(parent) = database.catalog.object(head.parent, sight)
    {
        let parent = parent.head();
        return in_schema(database, parent, (SecurableClass::Object, parent.id.0), sight);
    }
    in_schema(database, head, (SecurableClass::Object, head.id.0), sight)
}

/// An object or type, by its class and its number there, with its schema and its owner.
fn in_schema(
    database: &Database,
    head: &ObjectHead,
    (class, id): (SecurableClass, i32),
    sight: Sight,
) -> SecurableAt {
    let (owner, of_schema) = database.catalog.owners(class.number(), id, head.schema_id, sight);
    let schema = Some((head.schema_id.0, of_schema));
    SecurableAt { class, id, owner: Some(owner), schema }
}

/// A type of a user as a securable.
pub fn securable_type(
    database: &Database,
    of: &crate::catalog::UserType,
    sight: impl Into<Sight>,
) -> SecurableAt {
    in_schema(database, &of.head, (SecurableClass::Type, of.id), sight.into())
}

/// The owner of an object: a principal of its database.
pub fn owner_of(database: &Database, object: &Object, sight: impl Into<Sight>) -> i32 {
    securable_of(database, object.head(), sight).owner.unwrap_or(1)
}
