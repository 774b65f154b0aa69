//! Events of DDL that statements of the catalogue raise: their names, and the elements that EVENTDATA() has of each.

use super::resolve;
use crate::catalog::principals::{Principal, PrincipalKind, Scope};
use crate::catalog::{Module, Object, ObjectHead, ObjectKind, Table};
use crate::database::Database;
use crate::exec::ddl_events::{CommandExtent, DdlEvent, object_type, xml_text};
use crate::session::context::StatementContext;
use std::fmt::Write;
use std::sync::Arc;
use taffrail_base::{SchemaId, SqlResult};
use taffrail_syntax::ast::{self, AlterTableAction as A, ObjectName, PermissionVerb};

/// An object of a schema or a trigger was made, changed or dropped, as the verb says.
pub(crate) fn of_object(
    cx: &mut StatementContext<'_>,
    verb: &str,
    database: &Arc<Database>,
    head: &ObjectHead,
) {
    let event = event_of(cx, verb, database, head);
    cx.note_event(event);
}

/// A module was made or changed; `encrypted`: nobody is shown its text.
pub(super) fn of_module(
    cx: &mut StatementContext<'_>,
    verb: &str,
    database: &Arc<Database>,
    module: &Module,
) {
    let encrypted = module.options.encrypted;
    let event = event_of(cx, verb, database, &module.head).map(|e| e.encrypted(encrypted));
    let event = event.map(|e| match verb {
        "CREATE" => e.made(database, module.head.id),
        _ => e,
    });
    cx.note_event(event);
}

/// The event of an object; that of a trigger tells its table or view too.
fn event_of(
    cx: &StatementContext<'_>,
    verb: &str,
    database: &Arc<Database>,
    head: &ObjectHead,
) -> Option<DdlEvent> {
    let extent = match verb {
        "DROP" => CommandExtent::Statement,
        _ => CommandExtent::Batch,
    };
    let named = |event: DdlEvent, schema: &str, (target, of): (&str, &str)| {
        let event = event.with("SchemaName", schema).with("ObjectName", &head.name);
        let event = event.with("ObjectType", "TRIGGER").with("TargetObjectName", target);
        event.with("TargetObjectType", of).extent(extent)
    };
    let name = format!("{verb}_TRIGGER");
    match head.kind {
        ObjectKind::DatabaseTrigger => {
            Some(named(DdlEvent::in_database(&name, database)?, "", ("", "")))
        }
        ObjectKind::ServerTrigger => {
            Some(named(DdlEvent::on_server(&name, database)?, "", ("", "")))
        }
        ObjectKind::Trigger => {
            let parent = database.catalog.object(head.parent, cx.session.id);
            let target = parent.as_ref().map(Object::head);
            let target = target.map_or(("", ""), |p| (&*p.name, object_type(p.kind)));
            Some(named(DdlEvent::in_database(&name, database)?, &head.schema, target))
        }
        _ => DdlEvent::of_object(verb, database, head),
    }
}

/// An object of this name was made or changed, which is there now.
pub(super) fn of_named(
    cx: &mut StatementContext<'_>,
    verb: &str,
    name: &ObjectName,
) -> SqlResult<()> {
    if let Some((database, object)) = found(cx, name)? {
        of_object(cx, verb, &database, object.head());
    }
    Ok(())
}

/// The object of a name that is not temporary.
fn found(
    cx: &mut StatementContext<'_>,
    name: &ObjectName,
) -> SqlResult<Option<(Arc<Database>, Object)>> {
    match name.name.value.starts_with('#') {
        true => Ok(None),
        false => resolve::find(cx, name),
    }
}

/// A table was changed: with what the statement names of columns, constraints and triggers.
pub(super) fn of_altered(cx: &mut StatementContext<'_>, s: &ast::AlterTable) -> SqlResult<()> {
    if let Some((database, object)) = found(cx, &s.table)? {
        let event = DdlEvent::of_object("ALTER", &database, object.head());
        cx.note_event(event.map(|e| e.behind(&actions(&s.action))));
    }
    Ok(())
}

/// The names of a list.
fn names(list: &[ast::Ident]) -> Vec<&str> {
    list.iter().map(|n| &*n.value).collect()
}

/// Verbs of an action, what they are about, and the names of that.
fn changed_parts(action: &A) -> Vec<(&'static str, &'static str, Vec<&str>)> {
    let switch = |enable: bool| if enable { "Enable" } else { "Disable" };
    match action {
        A::Add { body, .. } => {
            let columns = body.columns.iter().map(|c| &*c.name.value).collect();
            let of_columns = body.columns.iter().flat_map(|c| &c.constraints);
            let all = body.constraints.iter().chain(of_columns).filter_map(|c| c.name.as_ref());
            let constraints = all.map(|n| &*n.value).collect();
            vec![("Create", "Columns", columns), ("Create", "Constraints", constraints)]
        }
        A::AlterColumn(
            ast::AlterColumn::Type { name, .. }
            | ast::AlterColumn::Property { name, .. }
            | ast::AlterColumn::Mask { name, .. },
        ) => vec![("Alter", "Columns", vec![&name.value])],
        A::Drop(list) => {
            let of = |column: bool| {
                let these = list.iter().filter(|d| d.column == column);
                these.map(|d| &*d.name.value).collect()
            };
            vec![("Drop", "Columns", of(true)), ("Drop", "Constraints", of(false))]
        }
        A::Trigger { enable, names: list } => vec![(switch(*enable), "Triggers", names(list))],
        A::CheckConstraint { enable, names: list, .. } => {
            vec![(switch(*enable), "Constraints", names(list))]
        }
        _ => Vec::new(),
    }
}

/// `AlterTableActionList`; empty where the action names nothing.
fn actions(action: &A) -> String {
    let mut out = String::new();
    for (verb, of, list) in changed_parts(action) {
        if list.is_empty() {
            continue;
        }
        let named = list.iter().map(|name| format!("<Name>{}</Name>", xml_text(name)));
        let named: String = named.collect();
        // A String takes everything.
        let _ = write!(out, "<{verb}><{of}>{named}</{of}></{verb}>");
    }
    match out.is_empty() {
        true => out,
        false => format!("<AlterTableActionList>{out}</AlterTableActionList>"),
    }
}

/// An index or statistics of a table or view, `INDEX` or `STATISTICS`, were made, changed or dropped.
pub(super) fn of_part(
    cx: &mut StatementContext<'_>,
    (verb, word): (&str, &str),
    database: &Arc<Database>,
    table: &Table,
    name: &str,
) {
    if table.is_temporary() {
        return;
    }
    let event = DdlEvent::in_database(&format!("{verb}_{word}"), database);
    cx.note_event(event.map(|e| {
        let e = e.with("SchemaName", &table.head.schema).with("ObjectName", name);
        let e = e.with("ObjectType", word).with("TargetObjectName", &table.head.name);
        e.with("TargetObjectType", object_type(table.head.kind))
    }));
}

/// A part of a table that is named was made, changed or dropped.
pub(super) fn of_named_part(
    cx: &mut StatementContext<'_>,
    what: (&str, &str),
    of: &ObjectName,
    name: &str,
) -> SqlResult<()> {
    let Some((database, object)) = found(cx, of)? else { return Ok(()) };
    let table = match &object {
        Object::Table(table) => Some(table.clone()),
        Object::View(view) => view.indexed.clone(),
        _ => None,
    };
    if let Some(table) = table {
        of_part(cx, what, &database, &table, name);
    }
    Ok(())
}

/// A schema was made or dropped.
pub(super) fn of_schema(
    cx: &mut StatementContext<'_>,
    verb: &str,
    database: &Arc<Database>,
    name: &str,
) {
    let event = DdlEvent::in_database(&format!("{verb}_SCHEMA"), database);
    let extent = if verb == "CREATE" { CommandExtent::Batch } else { CommandExtent::Statement };
    cx.note_event(event.map(|e| {
        let e = e.with("SchemaName", name).with("ObjectName", name);
        e.with("ObjectType", "SCHEMA").extent(extent)
    }));
}

/// An object has come to another schema.
pub(super) fn of_transfer(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    (kind, name): (ObjectKind, &str),
    to: SchemaId,
) {
    let schema = database.catalog.schema_name(to, cx.session.id).unwrap_or_default();
    let event = DdlEvent::in_database("ALTER_SCHEMA", database);
    cx.note_event(event.map(|e| {
        let e = e.with("SchemaName", &schema).with("ObjectName", name);
        e.with("ObjectType", object_type(kind))
    }));
}

/// Something has another owner.
pub(super) fn of_authorization(
    cx: &mut StatementContext<'_>,
    class: &str,
    s: &ast::AlterAuthorization,
) {
    let database = match class {
        "DATABASE" => cx.instance().databases().get(&s.entity.name.value).ok(),
        _ => None,
    };
    let database = database.unwrap_or_else(|| cx.database());
    let event = match class {
        "SERVER ROLE" => DdlEvent::on_server("ALTER_AUTHORIZATION_SERVER", &database),
        _ => DdlEvent::in_database("ALTER_AUTHORIZATION_DATABASE", &database),
    };
    let owner = s.owner.as_ref().map_or("", |o| &o.value);
    let schema = s.entity.schema.as_ref().map_or("", |o| &o.value);
    cx.note_event(event.map(|e| {
        let e = e.with("SchemaName", schema).with("ObjectName", &s.entity.name.value);
        let e = e.with("ObjectType", class).with("OwnerName", owner);
        e.extent(CommandExtent::UpToNext)
    }));
}

/// Permissions were granted, denied or revoked: `on` is the class and name of the securable, and its schema.
pub(super) fn of_permissions(
    cx: &mut StatementContext<'_>,
    (server, database): (bool, &Arc<Database>),
    (schema, name, class): (&str, &str, &str),
    s: &ast::PermissionStatement,
) {
    let verb = match s.verb {
        PermissionVerb::Grant => "GRANT",
        PermissionVerb::Deny => "DENY",
        PermissionVerb::Revoke => "REVOKE",
    };
    let event = match server {
        true => DdlEvent::on_server(&format!("{verb}_SERVER"), database),
        false => DdlEvent::in_database(&format!("{verb}_DATABASE"), database),
    };
    let listed = |tag: &str, list: Vec<String>| {
        let each = list.iter().map(|text| format!("<{tag}>{}</{tag}>", xml_text(text)));
        format!("<{tag}s>{}</{tag}s>", each.collect::<String>())
    };
    let permissions = s.permissions.iter().map(|(p, _)| p.to_lowercase()).collect();
    let grantees = s.principals.iter().map(|p| p.value.to_string()).collect();
    let grantor = s.grantor.as_ref().map_or("", |g| &g.value);
    let by = cx.session.identity().map_or_else(|_| String::new(), |i| i.name.to_string());
    cx.note_event(event.map(|e| {
        let e = e.with("SchemaName", schema).with("ObjectName", name).with("ObjectType", class);
        let e = e.with("Grantor", &by).with_xml(&listed("Permission", permissions));
        let e = e.with_xml(&listed("Grantee", grantees)).with("AsGrantor", grantor);
        let e = e.with("GrantOption", if s.grant_option { "1" } else { "0" });
        let e = e.with("CascadeOption", if s.cascade { "1" } else { "0" });
        e.extent(CommandExtent::UpToNext)
    }));
}

/// `ObjectType` of a principal, and the word for its kind in the names of events.
fn words_of(kind: PrincipalKind) -> (&'static str, &'static str) {
    match kind {
        PrincipalKind::User => ("SQL USER", "USER"),
        PrincipalKind::Role => ("ROLE", "ROLE"),
        PrincipalKind::ApplicationRole => ("APPLICATION ROLE", "APPLICATION_ROLE"),
        PrincipalKind::Login => ("LOGIN", "LOGIN"),
        PrincipalKind::ServerRole => ("SERVER ROLE", "SERVER_ROLE"),
    }
}

/// An event of a list of principals, with the name and kind of one.
fn event_of_principal(
    name: &str,
    scope: Scope,
    database: &Arc<Database>,
    p: &Principal,
) -> Option<DdlEvent> {
    let event = match scope {
        Scope::Server => DdlEvent::on_server(name, database)?,
        Scope::Database => DdlEvent::in_database(name, database)?,
    };
    Some(event.with("ObjectName", &p.name).with("ObjectType", words_of(p.kind).0))
}

/// A user, role or login was made, changed or dropped.
pub(super) fn of_principal(
    cx: &mut StatementContext<'_>,
    verb: &str,
    scope: Scope,
    database: &Arc<Database>,
    p: &Principal,
) {
    let name = format!("{verb}_{}", words_of(p.kind).1);
    let event = event_of_principal(&name, scope, database, p);
    let extent = if verb == "DROP" { CommandExtent::Statement } else { CommandExtent::UpToNext };
    let schema = p.default_schema.as_deref().filter(|_| p.kind == PrincipalKind::User);
    let event = event.map(|e| match schema {
        Some(schema) => e.with("DefaultSchema", schema),
        None => e,
    });
    let event = event.map(|e| match p.kind {
        PrincipalKind::Login => {
            let language = p.language.as_deref().unwrap_or_default();
            let e = e.with("DefaultLanguage", language);
            e.with("DefaultDatabase", &p.login.default_database).with("LoginType", "SQL Login")
        }
        _ => e,
    });
    cx.note_event(event.map(|e| e.extent(extent)));
}

/// A member was added to a role, or dropped from it.
pub(super) fn of_member(
    cx: &mut StatementContext<'_>,
    add: bool,
    (scope, database): (Scope, &Arc<Database>),
    (role, member): (&Principal, &Principal),
) {
    let name = match (scope, add) {
        (Scope::Database, true) => "ADD_ROLE_MEMBER",
        (Scope::Database, false) => "DROP_ROLE_MEMBER",
        (Scope::Server, true) => "ADD_SERVER_ROLE_MEMBER",
        (Scope::Server, false) => "DROP_SERVER_ROLE_MEMBER",
    };
    let event = event_of_principal(name, scope, database, member);
    let extent = CommandExtent::UpToNext;
    cx.note_event(event.map(|e| e.with("RoleName", &role.name).extent(extent)));
}

/// A database was made, changed or is about to be dropped.
pub(super) fn of_database(
    cx: &mut StatementContext<'_>,
    verb: &str,
    name: &str,
) -> Option<DdlEvent> {
    let event = DdlEvent::on_server(&format!("{verb}_DATABASE"), &cx.database())?;
    Some(event.with("DatabaseName", name))
}

/// Something has got another name by sp_rename. `target`: the table of a column, index or statistics.
pub(crate) fn of_rename(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    (schema, name, kind): (&str, &str, &str),
    target: Option<(&str, &str)>,
    (new, parameters): (&str, &[Option<&str>]),
) {
    let event = DdlEvent::in_database("RENAME", database);
    let (target, of) = target.unwrap_or(("", ""));
    let mut list = String::new();
    for parameter in parameters {
        let _ = match parameter {
            Some(text) => write!(list, "<Param>{}</Param>", xml_text(text)),
            None => write!(list, "<Param/>"),
        };
    }
    cx.note_event(event.map(|e| {
        let e = e.with("SchemaName", schema).with("ObjectName", name).with("ObjectType", kind);
        let e = e.with("TargetObjectName", target).with("TargetObjectType", of);
        e.with("NewObjectName", new).with_xml(&format!("<Parameters>{list}</Parameters>"))
    }));
}
