//! Permissions: those that are granted and denied, those that are built in, and the session's own.

use super::{Declaration, Rows, ViewContext, function, ranged, sys};
use crate::catalog::principals::{Permission, PermissionState, Principals};
use crate::features::needs;
use crate::permissions::{PERMISSIONS, PermissionId, SecurableClass};
use crate::row;
use taffrail_base::SqlResult;
use taffrail_types::Value;

/// The columns of both views of permissions.
const ROW: &str = "\
    class tinyint! · class_desc nvarchar(60)? · major_id int! · minor_id int! · grantee_principal_id int! · \
    grantor_principal_id int! · type char(4)! · permission_name nvarchar(128)? · state char(1)! · state_desc nvarchar(60)?";

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.extend([
        function(
            "fn_my_permissions",
            needs::PUBLIC,
            2,
            &["entity_name sysname! · subentity_name sysname! · permission_name nvarchar(60)!"],
            my_permissions,
        ),
        ranged(
            "fn_builtin_permissions",
            needs::PUBLIC,
            (1, 1),
            &["class_desc nvarchar(60)! · permission_name nvarchar(60)! · type varchar(4)! · \
                covering_permission_name nvarchar(60)! · parent_class_desc nvarchar(60)! · \
                parent_covering_permission_name nvarchar(60)!"],
            builtin_permissions,
        ),
        sys("database_permissions", needs::METADATA, &[ROW], |cx, _, rows| {
            let all = cx.session.principals_of(cx.database);
            let sees = cx.session.sees_principals(all.clone(), Some(cx.database));
            shown(&all, &|p| sees(p.key.grantee), rows);
            Ok(())
        }),
        sys("server_permissions", needs::METADATA, &[ROW], |cx, _, rows| {
            let all = cx.session.server_principals();
            let sees = cx.session.sees_principals(all.clone(), None);
            shown(&all, &|p| sees(p.key.grantee), rows);
            Ok(())
        }),
        sys(
            "securable_classes",
            needs::PUBLIC,
            &["class_desc sysname? · class int?"],
            |_, _, rows| {
                for (name, number) in SecurableClass::all() {
                    let name = if number == 1 { "OBJECT_OR_COLUMN" } else { name };
                    rows.push(row![name, i32::from(number)]);
                }
                Ok(())
            },
        ),
    ]);
}

/// Rows of a list of principals.
fn shown(all: &Principals, sees: &dyn Fn(&Permission) -> bool, rows: &mut Rows) {
    for p in all.permissions().filter(|p| sees(p)) {
        let key = &p.key;
        let (state, words) = match p.state {
            PermissionState::Grant => ("G", "GRANT"),
            PermissionState::GrantWithGrantOption => ("W", "GRANT_WITH_GRANT_OPTION"),
            PermissionState::Deny => ("D", "DENY"),
            PermissionState::Revoke => ("R", "REVOKE"),
        };
        let name = PermissionId::of_code(key.class, key.ty).map(|id| id.permission().name);
        let letters = String::from_utf8_lossy(&key.ty).into_owned();
        let class = SecurableClass::description(key.class);
        let (grantee, grantor) = (key.grantee, key.grantor);
        rows.push(row![
            i32::from(key.class),
            class,
            key.major,
            key.minor,
            grantee,
            grantor,
            letters,
            name,
            state,
            words
        ]);
    }
}

/// Those of a class, or all of them.
fn builtin_permissions(_: &ViewContext<'_>, args: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let wanted = args.first().and_then(Value::as_text).filter(|t| !t.is_empty());
    let wanted = wanted.map(|t| t.to_ascii_uppercase());
    for p in &PERMISSIONS {
        let class = p.class.name();
        if wanted.as_deref().is_none_or(|w| w == class) {
            // A permission that none of the class above implies names no class.
            let parent = p.class.parent().filter(|_| !p.parent.is_empty());
            let parent = parent.map_or("", SecurableClass::name);
            rows.push(row![class, p.name, p.code, p.covering, parent, p.parent]);
        }
    }
    Ok(())
}

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
    let entity = match class {
        SecurableClass::Server => "server".to_owned(),
        SecurableClass::Database => "database".to_owned(),
        _ => securable.unwrap_or_default(),
    };
    for id in found.permissions().filter(|id| found.may(*id, None)) {
        rows.push(row![&entity, "", id.permission().name]);
    }
    for (column, name) in found.columns() {
        let of_columns =
            |id: &PermissionId| matches!(id.permission().name, "SELECT" | "UPDATE" | "REFERENCES");
        let held = found.permissions().filter(of_columns);
        for id in held.filter(|id| found.may(*id, Some(column))) {
            rows.push(row![&entity, &name, id.permission().name]);
        }
    }
    Ok(())
}
