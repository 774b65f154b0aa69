//! Securables by the texts that HAS_PERMS_BY_NAME and fn_my_permissions are given.

use crate::catalog::principals::PrincipalKind;
use crate::catalog::{Object, ObjectKind, is_temp};
use crate::database::Database;
use crate::features::needs::Needs;
use crate::features::{procedure, view};
use crate::permissions::{PermissionId, Rights, SecurableAt, SecurableClass as C, find};
use crate::session::Session;
use crate::session::rights::{securable_of, securable_principal, securable_type};
use crate::session::visibility::{OF_ALL, fitting};
use std::sync::Arc;
use taffrail_base::ObjectId;

/// A securable with the rights of the session that count for it.
pub struct NamedSecurable {
    /// The class that the securable was named with.
    pub class: C,
    /// The securable with its owner and its schema.
    pub at: SecurableAt,
    /// The rights in its database, or on the server.
    pub rights: Arc<Rights>,
    /// The object, where it is one of a user.
    pub object: Option<Object>,
    /// The kind of the object, and of one of the system whether everybody reads or runs it.
    kind: Option<(ObjectKind, bool)>,
}

impl NamedSecurable {
    /// The permissions of the class that fit the securable, in the order of the table.
    pub fn permissions(&self) -> impl Iterator<Item = PermissionId> {
        let kind = self.kind;
        let fits = move |id: &PermissionId| {
            let name = id.permission().name;
            kind.is_none_or(|(k, _)| OF_ALL.contains(&name) || fitting(k).contains(&name))
        };
        PermissionId::of_class(self.class).filter(fits)
    }

    /// Whether a permission on the securable is held, or on a column of it.
    pub fn may(&self, id: PermissionId, column: Option<i32>) -> bool {
        let open = self.kind.is_some_and(|(_, open)| open);
        match column {
            None if open && matches!(id.permission().name, "SELECT" | "EXECUTE") => true,
            None => self.rights.may(&self.at, id),
            Some(column) => self.rights.may_column(&self.at, id, column),
        }
    }

    /// Numbers and names of the columns of a table or view.
    pub fn columns(&self) -> Vec<(i32, Arc<str>)> {
        let list = match &self.object {
            Some(Object::Table(t)) => &t.columns[..],
            Some(Object::View(m)) => &m.columns[..],
            _ => &[],
        };
        list.iter().map(|c| (c.id, c.name.clone())).collect()
    }
}

impl Session {
    /// A securable of a class by its name; without a name the server and the current database. None: there is none of that name, or the
    /// session has no user where it is.
    pub fn named_securable(&self, class: C, name: Option<&str>) -> Option<NamedSecurable> {
        let here = &self.database;
        let of =
            |database: &Arc<Database>, at: SecurableAt| self.securable(class, database, at, None);
        let on_server = |at: SecurableAt| NamedSecurable {
            class,
            at,
            rights: Arc::new(self.server_rights()),
            object: None,
            kind: None,
        };
        if class == C::Server {
            return Some(on_server(SecurableAt::SERVER));
        }
        let name = match name {
            Some(name) => name,
            None if class == C::Database => &*here.name,
            None => return None,
        };
        let mut parts = crate::exec::procedure::name_parts(name);
        let last = parts.pop()?;
        let schema = parts.pop().filter(|s| !s.is_empty());
        match class {
            C::Database => {
                let database = self.instance.databases().get(&last).ok()?;
                of(&database, SecurableAt::DATABASE)
            }
            C::Schema => {
                let found = here.catalog.schema(&last, self.id)?;
                of(here, SecurableAt::schema(found.id.0, found.principal))
            }
            C::Object => {
                let database = match parts.pop().filter(|d| !d.is_empty()) {
                    Some(database) => self.instance.databases().get(&database).ok()?,
                    None => here.clone(),
                };
                if is_temp(&last) {
                    None
                } else {
                    self.object_named(class, &database, schema, &last)
                }
            }
            C::Type => {
                let found = here.catalog.find_type(schema.as_deref(), &last, self.id)?;
                of(here, securable_type(here, &found, self.id))
            }
            C::User | C::Role | C::ApplicationRole => {
                let all = self.principals_of(here);
                let found = all.find(&last).filter(|p| kind_of(class) == Some(p.kind))?;
                of(here, securable_principal(found))
            }
            C::Login | C::ServerRole => {
                let all = self.server_principals();
                let found = all.find(&last).filter(|p| kind_of(class) == Some(p.kind))?;
                Some(on_server(securable_principal(found)))
            }
            _ => None,
        }
    }

    fn securable(
        &self,
        class: C,
        database: &Arc<Database>,
        at: SecurableAt,
        object: Option<Object>,
    ) -> Option<NamedSecurable> {
        let rights = self.rights_in(database).ok()?;
        let kind = object.as_ref().map(|o| (o.head().kind, false));
        Some(NamedSecurable { class, at, rights, object, kind })
    }

    /// An object of a database, one of the system's among them.
    fn object_named(
        &self,
        class: C,
        database: &Arc<Database>,
        schema: Option<String>,
        name: &str,
    ) -> Option<NamedSecurable> {
        if let Some(object) = database.catalog.find_named(schema.as_deref(), name, self.id) {
            let at = securable_of(database, object.head(), self.id);
            return self.securable(class, database, at, Some(object));
        }
        let (id, kind) = system_object(database, schema.as_deref(), name)?;
        let at = SecurableAt { schema: Some(super::SYS), ..SecurableAt::alone(class, id) };
        let found = self.securable(class, database, at, None)?;
        Some(NamedSecurable { kind: Some(kind), ..found })
    }

    /// HAS_PERMS_BY_NAME: none for a class or permission that is not there, and for columns of a name that none has.
    pub(in crate::exec) fn has_permission_on(
        &self,
        securable: Option<&str>,
        class: Option<&str>,
        permission: &str,
        column: Option<&str>,
    ) -> Option<bool> {
        let class = match class.map(str::trim).filter(|c| !c.is_empty()) {
            None => C::Server,
            Some(name) => C::of_name(&name.to_ascii_uppercase())?,
        };
        let name = permission.trim().to_ascii_uppercase();
        let any = name == "ANY";
        let id = if any { None } else { Some(find(class, &name)?) };
        let Some(found) = self.named_securable(class, securable) else { return Some(false) };
        let column = match column {
            None => None,
            Some(wanted) => {
                let collation = self.database.collation();
                let same = |(_, known): &(i32, Arc<str>)| collation.eq_str(known, wanted);
                match found.columns().into_iter().find(same) {
                    Some((id, _)) => Some(id),
                    None => return Some(false),
                }
            }
        };
        Some(match id {
            Some(id) => found.permissions().any(|p| p == id) && found.may(id, column),
            None => found.permissions().any(|p| found.may(p, column)),
        })
    }
}

/// The id and kind of a system view or procedure, and whether it is everybody's.
fn system_object(
    database: &Database,
    schema: Option<&str>,
    name: &str,
) -> Option<(i32, (ObjectKind, bool))> {
    let open = |needs: &Needs| matches!(needs, Needs::Public | Needs::MetadataVisibility);
    let in_msdb = (database.id.0 == 4).then(|| view::find_in_msdb(schema, name)).flatten();
    if let Some(found) = in_msdb.or_else(|| view::find(schema, name)) {
        let needs = view::needs(ObjectId(found.id));
        return Some((found.id, (ObjectKind::View, needs.is_some_and(|n| open(&n)))));
    }
    let found = procedure::find(schema, name)?;
    let (_, id) = procedure::names().find(|(known, _)| *known == found.name)?;
    Some((id, (ObjectKind::Procedure, open(&found.needs))))
}

/// The kind of the principals of a class.
fn kind_of(class: C) -> Option<PrincipalKind> {
    match class {
        C::User => Some(PrincipalKind::User),
        C::Role => Some(PrincipalKind::Role),
        C::ApplicationRole => Some(PrincipalKind::ApplicationRole),
        C::Login => Some(PrincipalKind::Login),
        C::ServerRole => Some(PrincipalKind::ServerRole),
        _ => None,
    }
}
