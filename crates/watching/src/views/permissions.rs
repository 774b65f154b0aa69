//! Permissions: those that are granted and denied, those that are built in, and the session's own.

use super::cell::{Columns, IntoCell};
use super::information_schema::view;
use super::{Declaration, Rows, ViewContext, by_column};
use crate::catalog::Object;
use crate::catalog::principals::{Permission, PermissionState, Principals};
use crate::features::needs;
use crate::permissions::{PERMISSIONS, PermissionId, SecurableClass};
use crate::row;
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_types::Value;

pub(super) fn declare(views: &mut Vec<Declaration>) {
    let of = |arguments: usize, d: Declaration| Declaration {
        arguments: Some((arguments, arguments)),
        ..d
    };
    views.extend([
        of(2, by_column("fn_my_permissions", needs::PUBLIC, OWN, my_permissions)),
        of(1, by_column("fn_builtin_permissions", needs::PUBLIC, BUILT_IN, builtin_permissions)),
        by_column("database_permissions", needs::METADATA, ROW, database_permissions),
        by_column("server_permissions", needs::METADATA, ROW, server_permissions),
        view("TABLE_PRIVILEGES", needs::METADATA, &[GRANTED, PRIVILEGE], table_privileges),
        view(
            "COLUMN_PRIVILEGES",
            needs::METADATA,
            &[GRANTED, "COLUMN_NAME sysname?", PRIVILEGE],
            column_privileges,
        ),
        by_column("securable_classes", needs::PUBLIC, CLASS, |_, _, rows| {
            SecurableClass::all().for_each(|class| rows.show(CLASS, &class));
            Ok(())
        }),
    ]);
}

/// The first columns of the views of INFORMATION_SCHEMA about privileges.
const GRANTED: &str = "\
    GRANTOR nvarchar(128)? · GRANTEE nvarchar(128)? · TABLE_CATALOG nvarchar(128)? · TABLE_SCHEMA nvarchar(128)? · \
    TABLE_NAME sysname!";

/// Their last columns.
const PRIVILEGE: &str = "PRIVILEGE_TYPE varchar(10)? · IS_GRANTABLE varchar(3)?";

/// A class by its name and number.
type ClassRow = (&'static str, u8);

const CLASS: Columns<ClassRow> = &[&[
    ("class_desc sysname?", |c| (if c.1 == 1 { "OBJECT_OR_COLUMN" } else { c.0 }).cell()),
    ("class int?", |c| i32::from(c.1).cell()),
]];

/// The columns of both views of permissions.
const ROW: Columns<Permission> = &[&[
    ("class tinyint!", |p| i32::from(p.key.class).cell()),
    ("class_desc nvarchar(60)?", |p| SecurableClass::description(p.key.class).cell()),
    ("major_id int!", |p| p.key.major.cell()),
    ("minor_id int!", |p| p.key.minor.cell()),
    ("grantee_principal_id int!", |p| p.key.grantee.cell()),
    ("grantor_principal_id int!", |p| p.key.grantor.cell()),
    ("type char(4)!", |p| String::from_utf8_lossy(&p.key.ty).into_owned().cell()),
    ("permission_name nvarchar(128)?", |p| {
        PermissionId::of_code(p.key.class, p.key.ty).map(|id| id.permission().name).cell()
    }),
    ("state char(1)!", |p| state(p).0.cell()),
    ("state_desc nvarchar(60)?", |p| state(p).1.cell()),
]];

fn state(p: &Permission) -> (&'static str, &'static str) {
    match p.state {
        PermissionState::Grant => ("G", "GRANT"),
        PermissionState::GrantWithGrantOption => ("W", "GRANT_WITH_GRANT_OPTION"),
        PermissionState::Deny => ("D", "DENY"),
        PermissionState::Revoke => ("R", "REVOKE"),
    }
}

/// Rows whose grantees are seen.
fn shown(all: &Principals, sees: &dyn Fn(i32) -> bool, rows: &mut Rows) {
    let seen = all.permissions().filter(|p| sees(p.key.grantee));
    seen.for_each(|p| rows.show(ROW, &p));
}

fn database_permissions(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let all = cx.session.principals_of(cx.database);
    shown(&all, &cx.session.sees_principals(all.clone(), Some(cx.database)), rows);
    Ok(())
}

fn server_permissions(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let all = cx.session.server_principals();
    shown(&all, &cx.session.sees_principals(all.clone(), None), rows);
    Ok(())
}

/// Each grant on a table or view, or on a column of one, that the session's user or one of its roles has been given or has given.
fn privileges(
    cx: &ViewContext<'_>,
    known: &[&str],
    mut each: impl FnMut([&str; 2], &Object, &Permission, [&'static str; 2]),
) -> SqlResult<()> {
    let all = cx.session.principals_of(cx.database);
    let own: Vec<i32> = cx.session.identity_in(cx.database)?.principals().collect();
    let name = |id: i32| all.get(id).map_or("", |p| &*p.name);
    for object in cx.objects().iter().filter(|o| matches!(o, Object::Table(_) | Object::View(_))) {
        let rows = all.permissions_on(SecurableClass::Object.number(), object.head().id.0);
        for p in rows.filter(|p| own.contains(&p.key.grantee) || own.contains(&p.key.grantor)) {
            let grantable = match p.state {
                PermissionState::Grant => "NO",
                PermissionState::GrantWithGrantOption => "YES",
                PermissionState::Deny | PermissionState::Revoke => continue,
            };
            let Some(id) = PermissionId::of_code(p.key.class, p.key.ty) else { continue };
            let permission = id.permission().name;
            if known.contains(&permission) {
                let both = [name(p.key.grantor), name(p.key.grantee)];
                each(both, object, &p, [permission, grantable]);
            }
        }
    }
    Ok(())
}

fn table_privileges(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let known = ["REFERENCES", "SELECT", "INSERT", "DELETE", "UPDATE"];
    privileges(cx, &known, |[grantor, grantee], object, p, [permission, grantable]| {
        let (head, catalog) = (object.head(), &cx.database.name);
        if p.key.minor == 0 {
            rows.push(row![
                grantor,
                grantee,
                catalog,
                &head.schema,
                &head.name,
                permission,
                grantable
            ]);
        }
    })
}

fn column_privileges(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let known = ["REFERENCES", "SELECT", "UPDATE"];
    privileges(cx, &known, |[grantor, grantee], object, p, [permission, grantable]| {
        let (head, catalog) = (object.head(), &cx.database.name);
        if let Some(column) = object.columns().iter().find(|c| c.id == p.key.minor) {
            rows.push(row![
                grantor,
                grantee,
                catalog,
                &head.schema,
                &head.name,
                &column.name,
                permission,
                grantable
            ]);
        }
    })
}

/// The class above that a permission is implied by; empty where none of its permissions implies it.
fn parent(id: &PermissionId) -> &'static str {
    let p = id.permission();
    let class = p.class.parent().filter(|_| !p.parent.is_empty());
    class.map_or("", SecurableClass::name)
}

const BUILT_IN: Columns<PermissionId> = &[&[
    ("class_desc nvarchar(60)!", |id| id.permission().class.name().cell()),
    ("permission_name nvarchar(60)!", |id| id.permission().name.cell()),
    ("type varchar(4)!", |id| id.permission().code.cell()),
    ("covering_permission_name nvarchar(60)!", |id| id.permission().covering.cell()),
    ("parent_class_desc nvarchar(60)!", |id| parent(id).cell()),
    ("parent_covering_permission_name nvarchar(60)!", |id| id.permission().parent.cell()),
]];

/// Those of a class, or all of them.
fn builtin_permissions(_: &ViewContext<'_>, args: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let wanted = args.first().and_then(Value::as_text).filter(|t| !t.is_empty());
    let wanted = wanted.map(|t| t.to_ascii_uppercase());
    debug_assert_eq!(PermissionId::all().count(), PERMISSIONS.len());
    for id in PermissionId::all() {
        if wanted.as_deref().is_none_or(|w| w == id.permission().class.name()) {
            rows.show(BUILT_IN, &id);
        }
    }
    Ok(())
}

/// A permission of the session's own: the securable, the column, the permission.
struct OwnPermission {
    entity: Arc<str>,
    column: Arc<str>,
    name: &'static str,
}

const OWN: Columns<OwnPermission> = &[&[
    ("entity_name sysname!", |p| (&p.entity).cell()),
    ("subentity_name sysname!", |p| (&p.column).cell()),
    ("permission_name nvarchar(60)!", |p| p.name.cell()),
]];

/// The permissions that the session has on a securable, and on the columns of a table.
fn my_permissions(cx: &ViewContext<'_>, args: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let text = |at: usize| args.get(at).and_then(Value::as_text);
    let (securable, class) = (text(0), text(1));
    let class = match class.as_deref() {
        None => Some(SecurableClass::Server),
        Some(name) => SecurableClass::of_name(&name.to_ascii_uppercase()),
    };
    let Some(class) = class else { return Ok(()) };
    let Some(found) = cx.session.named_securable(class, securable.as_deref()) else {
        return Ok(());
    };
    let entity: Arc<str> = match class {
        SecurableClass::Server => "server".into(),
        SecurableClass::Database => "database".into(),
        _ => securable.unwrap_or_default().into(),
    };
    let whole = found.permissions().filter(|id| found.may(*id, None));
    let mut own: Vec<(Arc<str>, PermissionId)> = whole.map(|id| ("".into(), id)).collect();
    for (column, name) in found.columns() {
        let of_columns =
            |id: &PermissionId| matches!(id.permission().name, "SELECT" | "UPDATE" | "REFERENCES");
        let held = found.permissions().filter(of_columns);
        own.extend(held.filter(|id| found.may(*id, Some(column))).map(|id| (name.clone(), id)));
    }
    for (column, id) in own {
        let name = id.permission().name;
        rows.show(OWN, &OwnPermission { entity: entity.clone(), column, name });
    }
    Ok(())
}
