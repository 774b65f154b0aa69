//! Principals: logins and roles of the server, users and roles of a database, their memberships and permissions.
//!
//! Master's catalogue has both scopes, any other database that of the database alone. A scope is one immutable list
//! ([`Principals`]) that is replaced as a whole: by the end of the transaction that has changed it, and at once for the session
//! whose DDL it is. Each list has a version that no other has, so what is computed from a list is kept by its version.
//!
//! The fixed rows ([`fixed`]) are in no table. Rows of one's own ([`rows`]) raise the version of the catalogue's tables.

pub mod attempts;
pub mod fixed;
pub mod rows;

use super::state::Sight;
use super::systab::SystemTables;
use super::{Catalog, fold};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use taffrail_base::{SchemaId, SessionId, SqlResult};
use taffrail_storage::Transaction;
use taffrail_storage::lock::{LockMode, Resource};
use taffrail_types::Value;

/// `principal_id` of `public`, in a database.
pub const PUBLIC: i32 = 0;
/// The `principal_id` of the user `dbo`.
pub const DBO_USER: i32 = 1;
/// The `principal_id` of the user `guest`.
pub const GUEST: i32 = 2;
/// `principal_id` of the login `sa`, whatever it is called.
pub const SA: i32 = 1;
/// `principal_id` of the server role `public`.
pub const SERVER_PUBLIC: i32 = 2;
/// `principal_id` of the server role `sysadmin`.
pub const SYSADMIN: i32 = 3;
/// `principal_id` of the database role `db_owner`.
pub const DB_OWNER: i32 = 16_384;
/// Ids of the fixed roles of a database lie from here on, and nobody else's.
pub const FIXED_ROLES: i32 = 16_384;

/// The list of principals that is meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// Logins and server roles, in master.
    Server,
    /// Users and roles of a database.
    Database,
}

impl Scope {
    fn at(self) -> usize {
        self as usize
    }
}

/// The kinds of principals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PrincipalKind {
    /// A login with a password.
    Login,
    /// A role of the server.
    ServerRole,
    /// A user of a database.
    User,
    /// A role of a database.
    Role,
    /// An application role of a database.
    ApplicationRole,
}

impl PrincipalKind {
    /// `type` of the views: S, R or A.
    pub fn letter(self) -> &'static str {
        match self {
            PrincipalKind::Login | PrincipalKind::User => "S",
            PrincipalKind::ServerRole | PrincipalKind::Role => "R",
            PrincipalKind::ApplicationRole => "A",
        }
    }

    /// `type_desc` of the views.
    pub fn description(self) -> &'static str {
        match self {
            PrincipalKind::Login => "SQL_LOGIN",
            PrincipalKind::ServerRole => "SERVER_ROLE",
            PrincipalKind::User => "SQL_USER",
            PrincipalKind::Role => "DATABASE_ROLE",
            PrincipalKind::ApplicationRole => "APPLICATION_ROLE",
        }
    }

    /// Members may be added to it.
    pub fn is_role(self) -> bool {
        matches!(self, PrincipalKind::ServerRole | PrincipalKind::Role)
    }
}

/// `authentication_type` of a user.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Authentication {
    /// Nobody connects as this principal.
    #[default]
    None = 0,
    /// By a login of the server.
    Instance = 1,
    /// By a password that the database keeps.
    Database = 2,
}

/// Facts of a login that nobody else has.
#[derive(Clone, Debug, Default)]
pub struct LoginFacts {
    /// It may not log in.
    pub is_disabled: bool,
    /// The database in which its sessions begin.
    pub default_database: String,
    /// Passwords are checked against the policy.
    pub check_policy: bool,
    /// Passwords expire: CHECK_EXPIRATION is on.
    pub check_expiration: bool,
    /// The next login has to bring a new password.
    pub must_change: bool,
    /// The moment at which the password was set, a datetime; NULL where it is not known.
    pub password_set: Value,
}

/// A login, user or role.
#[derive(Clone, Debug)]
pub struct Principal {
    /// The principal's number, `principal_id`.
    pub id: i32,
    /// The name of the principal.
    pub name: Arc<str>,
    /// The kind of the principal.
    pub kind: PrincipalKind,
    /// The security identifier; `None` is NULL.
    pub sid: Option<Vec<u8>>,
    /// `owning_principal_id` of a role.
    pub owner: Option<i32>,
    /// One of those that are everywhere.
    pub is_fixed: bool,
    /// The schema in which a user's names are looked up first.
    pub default_schema: Option<Arc<str>>,
    /// The way in which a user is authenticated.
    pub authentication: Authentication,
    /// The hash of the password as text: a PHC string (Argon2id), or `0x…` of SQL Server's; empty without one.
    pub password_hash: String,
    /// The default language of a login or a contained user.
    pub language: Option<Arc<str>>,
    /// The moment of its creation, a datetime; NULL for fixed ones: the database's.
    pub created: Value,
    /// The moment of its last change, a datetime.
    pub modified: Value,
    /// Facts of a login.
    pub login: LoginFacts,
}

impl Principal {
    /// A principal with a name and nothing else.
    pub fn new(id: i32, name: &str, kind: PrincipalKind) -> Principal {
        Principal {
            id,
            name: name.into(),
            kind,
            sid: None,
            owner: None,
            is_fixed: false,
            default_schema: None,
            authentication: Authentication::None,
            password_hash: String::new(),
            language: None,
            created: Value::Null,
            modified: Value::Null,
            login: LoginFacts::default(),
        }
    }

    /// Whether it is fixed: a role that is_fixed_role tells of.
    pub fn is_fixed_role(&self) -> bool {
        self.is_fixed && self.kind.is_role() && self.id != PUBLIC && {
            self.kind == PrincipalKind::Role || self.id != SERVER_PUBLIC
        }
    }
}

/// `state` of a permission.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum PermissionState {
    /// The letter G: granted.
    Grant,
    /// The letter W: granted WITH GRANT OPTION.
    GrantWithGrantOption,
    /// The letter D: denied.
    Deny,
    /// R: a column that a permission on the whole object does not reach.
    Revoke,
}

/// A row of `sys.database_permissions` or `sys.server_permissions`, but for its state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct PermissionKey {
    /// The class of the securable, `class`.
    pub class: u8,
    /// The securable's number, `major_id`.
    pub major: i32,
    /// `minor_id`: a column, or 0.
    pub minor: i32,
    /// The principal that has the permission, `grantee_principal_id`.
    pub grantee: i32,
    /// The principal that has given it, `grantor_principal_id`.
    pub grantor: i32,
    /// `type`, padded with blanks to four characters.
    pub ty: [u8; 4],
}

/// A permission that is granted or denied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Permission {
    /// The permission, its securable and its grantee.
    pub key: PermissionKey,
    /// The state of the row.
    pub state: PermissionState,
}

impl Permission {
    /// CONNECT SQL of a login, which it is given when it is made.
    pub fn to_connect(login: i32) -> Permission {
        let (grantee, grantor) = (login, SA);
        let key = PermissionKey { class: 100, major: 0, minor: 0, grantee, grantor, ty: *b"COSQ" };
        Permission { key, state: PermissionState::Grant }
    }
}

/// All principals of a scope, their memberships and permissions.
#[derive(Clone, Debug, Default)]
pub struct Principals {
    /// No other list has this number.
    version: u64,
    by_id: BTreeMap<i32, Arc<Principal>>,
    by_name: HashMap<String, i32>,
    members: BTreeSet<(i32, i32)>,
    permissions: BTreeMap<PermissionKey, PermissionState>,
    /// Owners of objects and types that have one of their own, by class and id.
    owners: BTreeMap<(u8, i32), i32>,
}

static VERSIONS: AtomicU64 = AtomicU64::new(1);

static GENERATION: AtomicU64 = AtomicU64::new(1);

/// Grows whenever a session may see other principals, permissions or schemas than before: with DDL, its commit and its rollback.
#[inline]
pub fn generation() -> u64 {
    GENERATION.load(Ordering::Acquire)
}

/// Something that permissions depend on has changed.
pub(crate) fn changed() {
    GENERATION.fetch_add(1, Ordering::AcqRel);
}

impl Principals {
    /// The fixed rows of a scope.
    pub fn fixed(scope: Scope, database: u16) -> Principals {
        let mut all = Principals {
            version: VERSIONS.fetch_add(1, Ordering::Relaxed),
            ..Principals::default()
        };
        for principal in fixed::principals(scope) {
            all.insert(principal);
        }
        all.members.extend(fixed::members(scope));
        let grant = |key| (key, PermissionState::Grant);
        all.permissions.extend(fixed::permissions(scope, database).into_iter().map(grant));
        all
    }

    fn insert(&mut self, principal: Principal) {
        if let Some(old) = self.by_id.get(&principal.id) {
            self.by_name.remove(&fold(&old.name));
        }
        self.by_name.insert(fold(&principal.name), principal.id);
        self.by_id.insert(principal.id, Arc::new(principal));
    }

    /// The number of this list: no other, of whatever scope or database, has it.
    #[inline]
    pub fn version(&self) -> u64 {
        self.version
    }

    /// A principal by id.
    pub fn get(&self, id: i32) -> Option<&Arc<Principal>> {
        self.by_id.get(&id)
    }

    /// A principal by name.
    pub fn find(&self, name: &str) -> Option<&Arc<Principal>> {
        self.by_id.get(self.by_name.get(&fold(name))?)
    }

    /// A principal by its security identifier. dbo's is that of the database's owner, and not found by it.
    pub fn by_sid(&self, sid: &[u8]) -> Option<&Arc<Principal>> {
        let dbo = |p: &Principal| p.id == DBO_USER && p.kind == PrincipalKind::User;
        self.by_id.values().find(|p| p.sid.as_deref() == Some(sid) && !dbo(p))
    }

    /// All of them, by id.
    pub fn all(&self) -> impl Iterator<Item = &Arc<Principal>> {
        self.by_id.values()
    }

    /// All memberships: role, member; by role.
    pub fn members(&self) -> impl Iterator<Item = (i32, i32)> {
        self.members.iter().copied()
    }

    /// The direct members of a role, by id.
    pub fn members_of(&self, role: i32) -> impl Iterator<Item = i32> {
        self.members.range((role, i32::MIN)..=(role, i32::MAX)).map(|(_, member)| *member)
    }

    /// Whether it is a direct member of the role.
    pub fn is_member(&self, role: i32, member: i32) -> bool {
        self.members.contains(&(role, member))
    }

    /// The roles that somebody is in, directly or by other roles, without public; by id.
    pub fn roles_of(&self, member: i32) -> Vec<i32> {
        let (mut found, mut open) = (BTreeSet::new(), vec![member]);
        while let Some(member) = open.pop() {
            let roles = self.members.iter().filter(|(_, m)| *m == member).map(|(role, _)| *role);
            open.extend(roles.filter(|role| found.insert(*role)));
        }
        found.into_iter().collect()
    }

    /// All permissions that are granted or denied, by securable.
    pub fn permissions(&self) -> impl Iterator<Item = Permission> {
        self.permissions.iter().map(|(key, state)| Permission { key: *key, state: *state })
    }

    /// The permissions on a securable and its columns.
    pub fn permissions_on(&self, class: u8, major: i32) -> impl Iterator<Item = Permission> {
        let end = |minor, id| PermissionKey {
            class,
            major,
            minor,
            grantee: id,
            grantor: id,
            ty: if id < 0 { [0; 4] } else { [255; 4] },
        };
        let range = end(i32::MIN, i32::MIN)..=end(i32::MAX, i32::MAX);
        self.permissions.range(range).map(|(key, state)| Permission { key: *key, state: *state })
    }

    /// The principal to which an object (class 1) or a type (class 6) belongs, where that is not the owner of its schema.
    #[inline]
    pub fn owner_of(&self, class: u8, id: i32) -> Option<i32> {
        if self.owners.is_empty() {
            return None;
        }
        self.owners.get(&(class, id)).copied()
    }

    /// The classes and ids of all that belongs to a principal by itself, and not with its schema.
    pub fn owned_by(&self, principal: i32) -> impl Iterator<Item = (u8, i32)> {
        self.owners.iter().filter(move |(_, owner)| **owner == principal).map(|(of, _)| *of)
    }

    /// The state of a permission.
    pub fn state_of(&self, key: &PermissionKey) -> Option<PermissionState> {
        self.permissions.get(key).copied()
    }

    /// An id for a new principal.
    pub fn new_id(&self, scope: Scope) -> i32 {
        let (least, most) = match scope {
            Scope::Server => (266, i32::MAX - 1),
            Scope::Database => (4, FIXED_ROLES - 1),
        };
        let used = self.by_id.range(..=most).next_back().map_or(least, |(id, _)| *id);
        let used = used.max(least);
        if scope == Scope::Database && used == most {
            let last = self.by_id.keys().next_back().copied().unwrap_or(0);
            return last.max(16_400) + 1;
        }
        used + 1
    }
}

impl Catalog {
    /// The principals of a scope, as a session sees them. The server's are in master's catalogue alone.
    pub fn principals(&self, scope: Scope, sight: impl Into<Sight>) -> Arc<Principals> {
        self.state.read().principals(scope, sight.into()).clone()
    }

    /// The principals that own an object (class 1) or type (class 6) of a schema, and the schema.
    pub fn owners(
        &self,
        class: u8,
        id: i32,
        schema: SchemaId,
        sight: impl Into<Sight>,
    ) -> (i32, i32) {
        let (state, sight) = (self.state.read(), sight.into());
        let found = state.schemas(sight).iter().find(|s| s.id == schema).map(|s| s.principal);
        let of_schema = found.unwrap_or(DBO_USER);
        let own = state.principals(Scope::Database, sight).owner_of(class, id);
        (own.unwrap_or(of_schema), of_schema)
    }

    /// The lock of the list of principals, held while it changes.
    pub(crate) fn principals_resource(&self) -> Resource {
        super::state::row(self.storage.id(), &SystemTables::INFO, "principals", 0)
    }

    /// Locks the list of principals to change it, to the end of the transaction.
    pub fn lock_principals(&self, tx: &mut Transaction, session: SessionId) -> SqlResult<()> {
        self.lock(tx, session, self.principals_resource(), LockMode::X)
    }

    /// Takes over what DDL of `session` has written about principals, memberships and permissions of a scope. The transaction has
    /// the list locked ([`Catalog::lock_principals`]).
    pub fn refresh_principals(
        &self,
        tx: &mut Transaction,
        session: SessionId,
        scope: Scope,
    ) -> SqlResult<()> {
        let new = Arc::new(rows::read(tx, scope)?);
        self.pending_of(session, |mine| {
            mine.principals[scope.at()] = Some(new);
            mine.resources.insert(self.principals_resource());
        });
        changed();
        Ok(())
    }

    /// Takes over what a transaction of the server's own has committed about principals.
    pub fn reload_principals(&self) -> SqlResult<()> {
        let mut tx = super::system_transaction(&self.storage, "ReadCatalog");
        self.publish_principals(&mut tx)?;
        tx.commit(taffrail_storage::Durability::Delayed).map_err(super::sql)
    }

    /// Shows everybody what a transaction of the server's own has written about principals, while it still has the list locked: whoever
    /// gets the lock next changes what the list is by then. Gives the list from before, for [`Catalog::show_principals`] where the
    /// commit fails.
    pub fn publish_principals(&self, tx: &mut Transaction) -> SqlResult<[Arc<Principals>; 2]> {
        let new = self.read_principals(tx)?;
        Ok(self.show_principals(new))
    }

    /// Shows everybody this list of principals; gives the one from before.
    pub fn show_principals(&self, list: [Arc<Principals>; 2]) -> [Arc<Principals>; 2] {
        let mut state = self.state.write();
        let before = std::mem::replace(&mut state.principals, list);
        self.changed(&mut state);
        before
    }

    /// Both scopes as their rows say.
    pub(super) fn read_principals(&self, tx: &mut Transaction) -> SqlResult<[Arc<Principals>; 2]> {
        let server = match self.storage.id() {
            taffrail_base::DatabaseId(1) => rows::read(tx, Scope::Server)?,
            _ => Principals::default(),
        };
        Ok([Arc::new(server), Arc::new(rows::read(tx, Scope::Database)?)])
    }
}

/// The first bytes of a hash of ours as views show it; SQL Server's begin with 0x01, 0x02 or 0x03 and a zero.
const OWN_HASH: [u8; 2] = *b"TA";

/// The beginning of every hash of ours: nobody hands in one that takes more memory or time.
const OWN_PARAMETERS: &str = "$argon2id$v=19$m=19456,t=2,p=1$";

/// A hash of a password as it is kept, as bytes: a hash of ours behind a prefix, one of SQL Server's as it was given. None: no
/// password.
pub fn hash_as_bytes(stored: &str) -> Option<Vec<u8>> {
    let Some(hex) = stored.strip_prefix("0x") else {
        let own = [&OWN_HASH, stored.as_bytes()].concat();
        return Some(own).filter(|_| !stored.is_empty());
    };
    let digit = |at: usize| hex.get(at..at + 2).and_then(|two| u8::from_str_radix(two, 16).ok());
    (0..hex.len()).step_by(2).map(digit).collect()
}

/// Bytes that [`hash_as_bytes`] gives, or a script of SQL Server's, as they are kept. None: a format that is not known.
pub fn hash_from_bytes(bytes: &[u8]) -> Option<String> {
    if let Some(own) = bytes.strip_prefix(&OWN_HASH) {
        let text = std::str::from_utf8(own).ok()?;
        return text.starts_with(OWN_PARAMETERS).then(|| text.to_owned());
    }
    // Salt and digest: SHA-512, or SHA-1 once, and in capitals as well.
    let known = match bytes.get(..2)? {
        [2, 0] => bytes.len() == 70,
        [1, 0] => matches!(bytes.len(), 26 | 46),
        _ => false,
    };
    let hex = || bytes.iter().map(|b| format!("{b:02X}")).collect::<String>();
    known.then(|| format!("0x{}", hex()))
}
