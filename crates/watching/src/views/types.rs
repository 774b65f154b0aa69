//! sys.types, sys.table_types and what tells where types of users are used; INFORMATION_SCHEMA.DOMAINS.

use super::information_schema::{charset, declared_facts, view};
use super::objects::own_owner;
use super::{Declaration, Rows, ViewContext, sys};
use crate::catalog::{Meaning, Object, SYSNAME_ID, UserType};
use crate::features::cell::collation_cell;
use crate::features::needs;
use crate::permissions::SecurableClass;
use crate::row;
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_types::Value;
use taffrail_types::names::SYS_TYPES;
use taffrail_types::type_facts::Types;

/// The columns of sys.types, which sys.table_types repeats.
const TYPE: &str = "\
    name sysname! · system_type_id tinyint! · user_type_id int! · schema_id int! · principal_id int? · \
    max_length smallint! · precision tinyint! · scale tinyint! · collation_name sysname? · is_nullable bit? · \
    is_user_defined bit! · is_assembly_type bit! · default_object_id int! · rule_object_id int! · \
    is_table_type bit!";

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.extend([
        sys("types", needs::METADATA, &[TYPE], types),
        sys(
            "table_types",
            needs::METADATA,
            &[TYPE, "type_table_object_id int! · is_memory_optimized bit?"],
            table_types,
        ),
        sys(
            "column_type_usages",
            needs::PUBLIC,
            &["object_id int! · column_id int! · user_type_id int!"],
            column_type_usages,
        ),
        sys(
            "parameter_type_usages",
            needs::PUBLIC,
            &["object_id int! · parameter_id int! · user_type_id int!"],
            parameter_type_usages,
        ),
        view(
            "DOMAINS",
            needs::METADATA,
            &["\
                DOMAIN_CATALOG nvarchar(128)? · DOMAIN_SCHEMA nvarchar(128)? · DOMAIN_NAME sysname! · DATA_TYPE sysname? · \
                CHARACTER_MAXIMUM_LENGTH int? · CHARACTER_OCTET_LENGTH int? · COLLATION_CATALOG varchar(6)? · \
                COLLATION_SCHEMA varchar(3)? · COLLATION_NAME nvarchar(128)? · CHARACTER_SET_CATALOG varchar(6)? · \
                CHARACTER_SET_SCHEMA varchar(3)? · CHARACTER_SET_NAME nvarchar(128)? · NUMERIC_PRECISION tinyint? · \
                NUMERIC_PRECISION_RADIX smallint? · NUMERIC_SCALE tinyint? · DATETIME_PRECISION smallint? · \
                DOMAIN_DEFAULT nvarchar(4000)?"],
            domains,
        ),
        view(
            "COLUMN_DOMAIN_USAGE",
            needs::METADATA,
            &["\
                DOMAIN_CATALOG nvarchar(128)? · DOMAIN_SCHEMA nvarchar(128)? · DOMAIN_NAME sysname! · \
                TABLE_CATALOG nvarchar(128)? · TABLE_SCHEMA nvarchar(128)? · TABLE_NAME sysname! · COLUMN_NAME sysname?"],
            column_domain_usage,
        ),
    ]);
}

/// The types of users, by `user_type_id`.
pub(super) fn of_users(cx: &ViewContext<'_>) -> Vec<Arc<UserType>> {
    let mut all = cx.database.catalog.types(cx.sight());
    let seen = cx.session.seen(cx.database);
    if !seen.is_everything() {
        all.retain(|t| seen.user_type(t));
    }
    all
}

/// A type as the catalogue tells it, and whether it allows NULL.
pub(super) fn told(t: &UserType) -> (Types, bool) {
    match t.base() {
        Some((base, nullable)) => (Types::declared(base, t.id), nullable),
        None => (Types::of_table_type(t.id), false),
    }
}

/// The cells of [`TYPE`] of a type of users.
fn type_cells(cx: &ViewContext<'_>, t: &UserType) -> Vec<Value> {
    let (types, nullable) = told(t);
    let text = t.base().and_then(|(base, _)| collation_cell(base.ty, cx.database.collation()));
    row![
        &t.head.name,
        types.system,
        types.user,
        t.head.schema_id.0,
        own_owner(cx, SecurableClass::Type, t.id),
        types.length,
        types.precision,
        types.scale,
        text,
        nullable,
        true,
        false,
        0,
        0,
        t.is_table()
    ]
}

fn types(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let collation = cx.database.collation().name();
    for t in SYS_TYPES {
        rows.push(row![
            t.name,
            t.system_type_id,
            t.user_type_id,
            4,
            (),
            t.max_length,
            t.precision,
            t.scale,
            t.collated.then_some(collation),
            t.nullable,
            false,
            t.assembly,
            0,
            0,
            false
        ]);
    }
    for t in of_users(cx) {
        rows.push(type_cells(cx, &t));
    }
    Ok(())
}

fn table_types(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for t in of_users(cx) {
        if let Meaning::Table { table, .. } = &t.meaning {
            let mut cells = type_cells(cx, &t);
            cells.extend(row![table.0, false]);
            rows.push(cells);
        }
    }
    Ok(())
}

fn column_type_usages(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for object in cx.objects() {
        for c in object.columns().iter().filter(|c| c.user_type > SYSNAME_ID) {
            rows.push(row![object.head().id.0, c.id, c.user_type]);
        }
    }
    Ok(())
}

fn parameter_type_usages(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for object in cx.objects() {
        let Some(module) = object.as_module() else { continue };
        let result = module.result.iter().map(|p| (0, p));
        for (place, p) in result.chain((1..).zip(&module.parameters)) {
            if p.user_type > SYSNAME_ID {
                rows.push(row![module.head.id.0, place, p.user_type]);
            }
        }
    }
    Ok(())
}

/// Aliases and table types; sysname is none of them.
fn domains(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for t in of_users(cx) {
        let Some((base, _)) = t.base() else {
            let none = vec![Value::Null; 13];
            let mut cells = row![&cx.database.name, &t.head.schema, &t.head.name, "table type"];
            cells.extend(none);
            rows.push(cells);
            continue;
        };
        let mut facts = declared_facts(base).into_iter();
        let mut cells = row![&cx.database.name, &t.head.schema, &t.head.name];
        cells.extend(facts.by_ref().take(3));
        let text = collation_cell(base.ty, cx.database.collation());
        cells.extend(row![(), (), text, (), (), charset(base)]);
        cells.extend(facts);
        cells.push(Value::Null);
        rows.push(cells);
    }
    Ok(())
}

fn column_domain_usage(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let types = of_users(cx);
    for object in cx.objects().iter().filter(|o| matches!(o, Object::Table(_) | Object::View(_))) {
        let head = object.head();
        for c in object.columns() {
            let Some(t) = types.iter().find(|t| t.id == c.user_type) else { continue };
            let db = &cx.database.name;
            let (schema, name) = (&t.head.schema, &t.head.name);
            rows.push(row![db, schema, name, db, &head.schema, &head.name, &c.name]);
        }
    }
    Ok(())
}

/// DOMAIN_CATALOG, DOMAIN_SCHEMA and DOMAIN_NAME of a column or parameter.
pub(super) fn domain_cells(cx: &ViewContext<'_>, user_type: i32) -> Vec<Value> {
    if user_type == SYSNAME_ID {
        return row![&cx.database.name, "sys", "sysname"];
    }
    match cx.database.catalog.type_by_id(user_type, cx.sight()) {
        Some(t) => row![&cx.database.name, &t.head.schema, &t.head.name],
        None => row![(), (), ()],
    }
}
