//! Metadata visibility: the objects, and the texts of modules, that a session is shown.
//!
//! An object is seen by its owner and by whoever has any permission on it that is in force, one column being enough. A DENY of VIEW
//! DEFINITION hides it, whatever else is granted. A text is seen by who may see definitions, change the object or own it.

use super::Session;
use super::identity::ContextScope;
use super::rights::{securable_of, securable_principal, securable_type};
use crate::catalog::master::DatabaseEntry;
use crate::catalog::principals::{Principal, Principals};
use crate::catalog::{Object, ObjectHead, ObjectKind, Sight};
use crate::database::Database;
use crate::permissions::{PermissionId, Rights, SecurableAt, SecurableClass as C, find, known};
use hashbrown::HashMap;
use std::cell::RefCell;
use std::sync::Arc;
use taffrail_base::DatabaseId;

/// Permissions that every object has.
pub const OF_ALL: [&str; 4] = ["VIEW DEFINITION", "CONTROL", "ALTER", "TAKE OWNERSHIP"];
/// The permissions on rows.
pub const OF_ROWS: [&str; 5] = ["DELETE", "INSERT", "REFERENCES", "SELECT", "UPDATE"];

const VIEW_DEFINITION: PermissionId = known(C::Object, "VIEW DEFINITION");
const VIEW_TYPE: PermissionId = known(C::Type, "VIEW DEFINITION");

const VIEW_ANY_DATABASE: PermissionId = known(C::Server, "VIEW ANY DATABASE");
const CREATE_DATABASE: PermissionId = known(C::Database, "CREATE DATABASE");
const ALTER_ANY_DATABASE: PermissionId = known(C::Server, "ALTER ANY DATABASE");

/// Permissions that fit a kind of object beside those of all.
pub fn fitting(kind: ObjectKind) -> &'static [&'static str] {
    match kind {
        ObjectKind::Table => &[
            "DELETE",
            "INSERT",
            "REFERENCES",
            "SELECT",
            "UPDATE",
            "VIEW CHANGE TRACKING",
            "UNMASK",
        ],
        ObjectKind::View => &["DELETE", "INSERT", "REFERENCES", "SELECT", "UPDATE", "UNMASK"],
        ObjectKind::InlineFunction | ObjectKind::TableFunction => &OF_ROWS,
        ObjectKind::Procedure => &["EXECUTE"],
        ObjectKind::ScalarFunction => &["EXECUTE", "REFERENCES"],
        ObjectKind::Synonym => &["DELETE", "EXECUTE", "INSERT", "SELECT", "UPDATE"],
        ObjectKind::Sequence => &["REFERENCES", "UPDATE"],
        _ => &[],
    }
}

/// The objects of one database that rights let see.
pub struct Seen<'a> {
    session: &'a Session,
    database: &'a Database,
    /// None: all of them, since nothing is asked.
    rights: Option<Arc<Rights>>,
    /// There is no user in the database: nothing is seen.
    nobody: bool,
    /// The answers for objects without rows of their own, by their schema and kind.
    by_kind: RefCell<HashMap<(i32, ObjectKind), bool, foldhash::fast::RandomState>>,
}

impl Seen<'_> {
    /// Whether all of them are seen, with their texts.
    pub fn is_everything(&self) -> bool {
        self.rights.is_none() && !self.nobody
    }

    /// Whether an object is seen; constraints and triggers are where their table is.
    pub fn object(&self, object: &Object) -> bool {
        self.head(object.head())
    }

    /// Whether an object is seen, by its head.
    pub fn head(&self, head: &ObjectHead) -> bool {
        let Some(rights) = self.rights.as_ref().filter(|_| !self.nobody) else {
            return !self.nobody;
        };
        if head.name.starts_with('#') {
            return true;
        }
        let at = securable_of(self.database, head, self.session.id);
        let kind = match head.parent.0 {
            0 => head.kind,
            _ => self
                .database
                .catalog
                .object(head.parent, self.session.id)
                .map_or(ObjectKind::Table, |parent| parent.head().kind),
        };
        if rights.has_rows(&at) {
            return sees(rights, &at, kind);
        }
        let key = (head.schema_id.0, kind);
        if let Some(known) = self.by_kind.borrow().get(&key) {
            return *known;
        }
        let seen = sees(rights, &at, kind);
        self.by_kind.borrow_mut().insert(key, seen);
        seen
    }

    /// Whether a type of users is seen.
    pub fn user_type(&self, of: &crate::catalog::UserType) -> bool {
        let Some(rights) = self.rights.as_ref().filter(|_| !self.nobody) else {
            return !self.nobody;
        };
        let at = securable_type(self.database, of, self.session.id);
        let any = ["VIEW DEFINITION", "CONTROL", "EXECUTE", "REFERENCES", "TAKE OWNERSHIP"];
        let has = |name: &&str| find(C::Type, name).is_some_and(|id| rights.may(&at, id));
        !rights.is_denied(&at, VIEW_TYPE) && any.iter().any(has)
    }

    /// Whether the text of a module, default or check is seen.
    pub fn definition(&self, head: &ObjectHead) -> bool {
        let Some(rights) = self.rights.as_ref().filter(|_| !self.nobody) else {
            return !self.nobody;
        };
        let at = securable_of(self.database, head, self.session.id);
        let has = |name: &&str| find(C::Object, name).is_some_and(|id| rights.may(&at, id));
        head.name.starts_with('#')
            || (!rights.is_denied(&at, VIEW_DEFINITION) && OF_ALL.iter().any(has))
    }
}

/// Whether rights let see an object of a kind.
fn sees(rights: &Rights, at: &SecurableAt, kind: ObjectKind) -> bool {
    if rights.owns(at) {
        return true;
    }
    if rights.is_denied(at, VIEW_DEFINITION) {
        return false;
    }
    let mut fit = OF_ALL.iter().chain(fitting(kind)).filter(|name| **name != "UNMASK");
    fit.any(|name| {
        let id = find(C::Object, name);
        id.is_some_and(|id| rights.may(at, id) || rights.reaches_any_column(at, id))
    })
}

impl Session {
    /// All objects of a database that the session is shown, by id.
    pub fn seen_objects(&self, database: &Arc<Database>, sight: Sight) -> Vec<Object> {
        let mut all = database.catalog.objects(sight);
        let seen = self.seen(database);
        if !seen.is_everything() {
            all.retain(|o| seen.object(o));
        }
        all
    }

    /// The objects of a database that the session is shown.
    pub fn seen<'a>(&'a self, database: &'a Arc<Database>) -> Seen<'a> {
        let all = self.activation.security().is_sa();
        let rights = if all { None } else { Some(self.rights_in(database)) };
        let nobody = matches!(rights, Some(Err(_)));
        let rights = rights.and_then(Result::ok).filter(|r| !r.is_everything());
        Seen { session: self, database, rights, nobody, by_kind: RefCell::default() }
    }
}

/// Tells whether a principal is seen, by its id.
type SeesPrincipal = Box<dyn Fn(i32) -> bool>;

impl Session {
    /// The principals of a list that the session is shown: those that are everywhere, oneself and one's roles, and those that one may see
    /// the definition of, alter, act as or own. The list is a database's, or the server's.
    pub fn sees_principals(
        &self,
        all: Arc<Principals>,
        database: Option<&Arc<Database>>,
    ) -> SeesPrincipal {
        let server = database.is_none();
        let everywhere =
            move |p: &Principal| p.is_fixed || server && p.id == crate::catalog::principals::SA;
        if self.activation.security().is_sa() {
            return Box::new(|_| true);
        }
        let rights = match database {
            None => Ok(Arc::new(self.server_rights())),
            Some(database) => self.rights_in(database),
        };
        let Ok(rights) = rights else {
            return Box::new(move |id| all.get(id).is_some_and(|p| everywhere(p)));
        };
        Box::new(move |id| {
            let Some(p) = all.get(id) else { return false };
            let at = securable_principal(p);
            let own = if server { rights.is_on_server(id) } else { rights.is(id) };
            let any = ["VIEW DEFINITION", "ALTER", "CONTROL", "IMPERSONATE", "TAKE OWNERSHIP"];
            let may = |name: &&str| find(at.class, name).is_some_and(|id| rights.may(&at, id));
            everywhere(p) || own || any.iter().any(may)
        })
    }
}

/// The databases that a session is shown: all of them, or master, tempdb, the current one and its own.
pub struct DatabasesSeen {
    all: bool,
    current: DatabaseId,
    /// The security identifier of the login, whose databases are its own.
    own: Vec<u8>,
}

impl DatabasesSeen {
    /// Whether a database is shown.
    pub fn database(&self, entry: &DatabaseEntry) -> bool {
        self.all
            || matches!(entry.id.0, 1 | 2)
            || entry.id == self.current
            || !self.own.is_empty() && entry.owner_sid == self.own
    }
}

impl Session {
    /// Whether the session has CREATE DATABASE in master.
    fn creates_databases(&self) -> bool {
        let master = self.instance.databases().master().ok();
        let rights = master.and_then(|master| self.rights_in(&master).ok());
        rights.is_some_and(|rights| rights.may(&SecurableAt::DATABASE, CREATE_DATABASE))
    }

    /// The databases that the session is shown. A context that is of one database alone has no permission of the server.
    pub fn databases_seen(&self) -> DatabasesSeen {
        let context = self.activation.security();
        let current = self.database.id;
        if context.is_sa() {
            return DatabasesSeen { all: true, current, own: Vec::new() };
        }
        let rights = self.server_rights();
        let all = [VIEW_ANY_DATABASE, ALTER_ANY_DATABASE]
            .iter()
            .any(|permission| rights.may(&SecurableAt::SERVER, *permission))
            || self.creates_databases();
        let of_login = context.scope == ContextScope::Server;
        let own = if of_login { context.sid.to_vec() } else { Vec::new() };
        DatabasesSeen { all, current, own }
    }
}
