//! The securable of GRANT, DENY and REVOKE, and the permissions on it that the statement names.

use super::resolve;
use crate::catalog::principals::{Principal, PrincipalKind, Principals};
use crate::catalog::{Object, ObjectKind};
use crate::database::Database;
use crate::permissions::{PermissionId, SecurableAt, SecurableClass as C, find};
use crate::session::context::StatementContext;
use crate::session::rights::{scope_of, securable_of, securable_type};
use crate::session::visibility::{OF_ALL, OF_ROWS, fitting};
use std::sync::Arc;
use taffrail_base::message::unsupported;
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::ast::{Ident, ObjectName, PermissionStatement};

/// The endpoints that are there from the beginning: id, name.
const ENDPOINTS: [(i32, &str); 5] = [
    (1, "Dedicated Admin Connection"),
    (2, "TSQL Local Machine"),
    (3, "TSQL Named Pipes"),
    (4, "TSQL Default TCP"),
    (5, "TSQL Default VIA"),
];

/// A securable with what may be granted on it.
pub(super) struct GrantedOn {
    /// The database, which is master for the server's securables.
    pub database: Arc<Database>,
    /// The securable with its owner and its schema.
    pub at: SecurableAt,
    /// The securable's name for messages, and its class in small letters; none for the server and the database.
    pub named: Option<(String, String)>,
    /// The object, where it is one.
    pub object: Option<Object>,
}

/// A permission that a statement names, with the numbers of its columns.
pub(super) struct NamedPermission {
    pub id: PermissionId,
    pub columns: Vec<i32>,
}

impl GrantedOn {
    /// Says that there is no such securable, or none that may be granted on: 15151; 4613 for the database and the server.
    pub fn missing(&self) -> Box<SqlError> {
        match &self.named {
            Some((class, name)) => SqlError::new(15151, &[&"find", class, name]),
            None => SqlError::new(4613, &[]),
        }
    }
}

fn not_found(class: C, name: &str) -> Box<SqlError> {
    SqlError::new(15151, &[&"find", &class.name().to_lowercase(), &name])
}

/// The class that permissions without a securable are of: that of the database, or of the server; 4620 where they differ.
fn class_of_names(s: &PermissionStatement) -> SqlResult<C> {
    let mut found = None;
    for (name, _) in &s.permissions {
        let class = match &**name {
            "ALL" | "ALL PRIVILEGES" => C::Database,
            name if known(C::Database, name).is_some() => C::Database,
            name if known(C::Server, name).is_some() => C::Server,
            name => return Err(unknown(name)),
        };
        if found.is_some_and(|c| c != class) {
            return Err(SqlError::new(4620, &[]));
        }
        found = Some(class);
    }
    Ok(found.unwrap_or(C::Database))
}

/// A name that no permission of the class has.
fn unknown(name: &str) -> Box<SqlError> {
    let word = name.split(' ').next_back().unwrap_or(name);
    SqlError::new(102, &[&word])
}

fn known(class: C, name: &str) -> Option<PermissionId> {
    find(class, if name == "EXEC" { "EXECUTE" } else { name })
}

/// The securable of a statement.
pub(super) fn securable(
    cx: &mut StatementContext<'_>,
    s: &PermissionStatement,
) -> SqlResult<GrantedOn> {
    let Some((class, name)) = &s.on else { return whole(cx, class_of_names(s)?) };
    let class = match class.as_deref() {
        None => C::Object,
        Some(word) => C::of_name(word).ok_or_else(|| SqlError::new(102, &[&word]))?,
    };
    let (owner_first, last) = (name.schema.is_some(), &*name.name.value);
    match class {
        C::Server => whole(cx, C::Server),
        C::Database => {
            let here = cx.instance().databases().get(last).map_err(|_| not_found(class, last))?;
            match here.id == cx.session.database.id && !owner_first {
                true => whole(cx, C::Database),
                false => Err(SqlError::new(4610, &[])),
            }
        }
        C::Object => object(cx, name),
        C::Schema | C::Type => in_database(cx, class, name),
        C::User | C::Role | C::ApplicationRole => {
            let all = cx.session.principals_of(&cx.database());
            let found = principal(&all, class, last)?;
            let at = SecurableAt {
                owner: found.owner.or(Some(1)),
                ..SecurableAt::alone(class, found.id)
            };
            Ok(of(cx.database(), at, class, last))
        }
        C::Login | C::ServerRole => {
            let master = on_server(cx)?;
            let found = principal(&cx.session.server_principals(), class, last)?;
            let at = SecurableAt {
                owner: found.owner.or(Some(1)),
                ..SecurableAt::alone(class, found.id)
            };
            Ok(of(master, at, class, last))
        }
        C::Endpoint => {
            let master = on_server(cx)?;
            let found = ENDPOINTS.iter().find(|(_, known)| known.eq_ignore_ascii_case(last));
            let (id, _) = found.ok_or_else(|| not_found(class, last))?;
            let at = SecurableAt { owner: Some(1), ..SecurableAt::alone(class, *id) };
            Ok(of(master, at, class, last))
        }
        // There is nothing of these classes.
        _ => Err(not_found(class, last)),
    }
}

fn of(database: Arc<Database>, at: SecurableAt, class: C, name: &str) -> GrantedOn {
    let named = Some((class.name().to_lowercase(), name.to_owned()));
    GrantedOn { database, at, named, object: None }
}

/// Permissions of the server are granted in master: 4621.
fn on_server(cx: &mut StatementContext<'_>) -> SqlResult<Arc<Database>> {
    let master = cx.instance().databases().master()?;
    match master.id == cx.session.database.id {
        true => Ok(master),
        false => Err(SqlError::new(4621, &[]).with_state(10)),
    }
}

/// The database, or the server.
fn whole(cx: &mut StatementContext<'_>, class: C) -> SqlResult<GrantedOn> {
    let (database, at) = match class {
        C::Server => (on_server(cx)?, SecurableAt { owner: Some(1), ..SecurableAt::SERVER }),
        _ => (cx.database(), SecurableAt { owner: Some(1), ..SecurableAt::DATABASE }),
    };
    Ok(GrantedOn { database, at, named: None, object: None })
}

fn principal(all: &Principals, class: C, name: &str) -> SqlResult<Arc<Principal>> {
    let of_class = |p: &&Arc<Principal>| {
        matches!(
            (class, p.kind),
            (C::User, PrincipalKind::User)
                | (C::Role, PrincipalKind::Role)
                | (C::ApplicationRole, PrincipalKind::ApplicationRole)
                | (C::Login, PrincipalKind::Login)
                | (C::ServerRole, PrincipalKind::ServerRole)
        )
    };
    all.find(name).filter(of_class).cloned().ok_or_else(|| not_found(class, name))
}

/// A schema or a type of the current database.
fn in_database(cx: &mut StatementContext<'_>, class: C, name: &ObjectName) -> SqlResult<GrantedOn> {
    let (database, session, last) = (cx.database(), cx.session.id, &*name.name.value);
    if name.database.is_some() || (class == C::Schema && name.schema.is_some()) {
        return Err(SqlError::new(4610, &[]));
    }
    let at = match class {
        C::Schema => {
            let schema = database.catalog.schema(last, session);
            schema.map(|s| SecurableAt::schema(s.id.0, s.principal))
        }
        _ => {
            let schema = name.schema.as_ref().map(|s| &*s.value);
            let found = database.catalog.find_type(schema, last, session);
            found.map(|t| securable_type(&database, &t, session))
        }
    };
    let at = at.ok_or_else(|| not_found(class, last))?;
    Ok(of(database, at, class, last))
}

fn object(cx: &mut StatementContext<'_>, name: &ObjectName) -> SqlResult<GrantedOn> {
    let last = &*name.name.value;
    if crate::catalog::is_temp(last) {
        return Err(not_found(C::Object, last));
    }
    if let Some(database) = &name.database
        && cx.instance().databases().get(&database.value)?.id != cx.session.database.id
    {
        return Err(SqlError::new(4610, &[]));
    }
    let Some((database, found)) = resolve::find(cx, name)? else {
        let schema = name.schema.as_ref().map(|s| &*s.value);
        let view = crate::features::view::find(schema, last).is_some();
        let procedure = || crate::features::procedure::find(schema, last).is_some();
        return Err(match view || procedure() {
            true => unsupported("GRANT, DENY and REVOKE on system views and procedures"),
            false => not_found(C::Object, last),
        });
    };
    if found.head().parent.0 != 0 {
        return Err(not_found(C::Object, last));
    }
    let at = securable_of(&database, found.head(), cx.session.id);
    Ok(GrantedOn { object: Some(found), ..of(database, at, C::Object, last) })
}

/// The permissions that ALL stands for: 4623 where it stands for none.
fn all_of(on: &GrantedOn) -> SqlResult<Vec<&'static str>> {
    let kind = on.object.as_ref().map(|o| o.head().kind);
    let names: &[&str] = match (on.at.class, kind) {
        (C::Database, _) => &[
            "BACKUP DATABASE",
            "BACKUP LOG",
            "CREATE DATABASE",
            "CREATE DEFAULT",
            "CREATE FUNCTION",
            "CREATE PROCEDURE",
            "CREATE RULE",
            "CREATE TABLE",
            "CREATE VIEW",
        ],
        (C::Object, Some(ObjectKind::Procedure)) => &["EXECUTE"],
        (C::Object, Some(ObjectKind::ScalarFunction)) => &["EXECUTE", "REFERENCES"],
        (C::Object, Some(kind)) if fitting(kind).contains(&"INSERT") => &OF_ROWS,
        _ => return Err(SqlError::new(4623, &[])),
    };
    let master = on.database.id.0 == 1;
    let elsewhere = |name: &&str| master || *name != "CREATE DATABASE";
    Ok(names.iter().copied().filter(elsewhere).collect())
}

/// The permissions that a statement names, each once: 102, 4606, 4615, 4619.
pub(super) fn permissions(
    cx: &mut StatementContext<'_>,
    s: &PermissionStatement,
    on: &GrantedOn,
) -> SqlResult<Vec<NamedPermission>> {
    let mut found: Vec<NamedPermission> = Vec::new();
    let class = on.at.class;
    for (name, columns) in &s.permissions {
        if matches!(&**name, "ALL" | "ALL PRIVILEGES") {
            let names = all_of(on)?;
            cx.message(SqlError::new(4628, &[]).with_severity(0))?;
            for name in names {
                let id = known(class, name).ok_or_else(|| unknown(name))?;
                found.push(NamedPermission { id, columns: columns_of(on, columns)? });
            }
            continue;
        }
        let id = known(class, name).ok_or_else(|| unknown(name))?;
        let name = id.permission().name;
        if let Some(object) = &on.object
            && !OF_ALL.contains(&name)
            && !fitting(object.head().kind).contains(&name)
        {
            return Err(SqlError::new(4606, &[&name]));
        }
        if (class, name) == (C::Database, "CREATE DATABASE") && on.database.id.0 != 1 {
            return Err(SqlError::new(4619, &[]));
        }
        let columns = columns_of(on, columns)?;
        found.push(NamedPermission { id, columns });
    }
    debug_assert!(found.iter().all(|p| scope_of(p.id.permission().class) == scope_of(class)));
    Ok(found)
}

/// The numbers of columns of a table or view: 1020 where the securable has none, 4615.
fn columns_of(on: &GrantedOn, names: &[Ident]) -> SqlResult<Vec<i32>> {
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let known: Vec<(i32, Arc<str>)> = match &on.object {
        Some(Object::Table(t)) => t.columns.iter().map(|c| (c.id, c.name.clone())).collect(),
        Some(Object::View(v) | Object::Function(v)) => {
            v.columns.iter().map(|c| (c.id, c.name.clone())).collect()
        }
        Some(Object::Synonym(_)) => {
            return Err(SqlError::new(1020, &[]).with_severity(16).with_state(3));
        }
        _ => return Err(SqlError::new(1020, &[])),
    };
    let collation = on.database.collation();
    let number = |name: &Ident| {
        let found = known.iter().find(|(_, known)| collation.eq_str(known, &name.value));
        found.map(|(id, _)| *id).ok_or_else(|| SqlError::new(4615, &[&name.value]))
    };
    names.iter().map(number).collect()
}
