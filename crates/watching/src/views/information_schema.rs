//! INFORMATION_SCHEMA.

use super::cell::is_text;
use super::objects::constraints;
use super::{Declaration, Rows, ViewContext, sys};
use crate::catalog::{ConstraintObject, ForeignKey, Object, ObjectKind, Table};
use crate::features::needs;
use crate::names::mentions;
use crate::row;
use taffrail_base::SqlResult;
use taffrail_types::convert::{Declared, Large};
use taffrail_types::{SqlType, Value};

pub(super) fn view(
    name: &'static str,
    needs: needs::Needs,
    columns: &[&'static str],
    make: fn(&ViewContext<'_>, &[Value], &mut Rows) -> SqlResult<()>,
) -> Declaration {
    Declaration { schema: "INFORMATION_SCHEMA", ..sys(name, needs, columns, make) }
}

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.extend([
        view(
            "TABLES",
            needs::METADATA,
            &[
                "TABLE_CATALOG nvarchar(128)?",
                "TABLE_SCHEMA nvarchar(128)?",
                "TABLE_NAME sysname!",
                "TABLE_TYPE varchar(10)?",
            ],
            tables,
        ),
        view(
            "COLUMNS",
            needs::METADATA,
            &[
                "TABLE_CATALOG nvarchar(128)?",
                "TABLE_SCHEMA nvarchar(128)?",
                "TABLE_NAME nvarchar(128)!",
                "COLUMN_NAME nvarchar(128)?",
                "ORDINAL_POSITION int?",
                "COLUMN_DEFAULT nvarchar(4000)?",
                "IS_NULLABLE varchar(3)?",
                "DATA_TYPE nvarchar(128)?",
                "CHARACTER_MAXIMUM_LENGTH int?",
                "CHARACTER_OCTET_LENGTH int?",
                "NUMERIC_PRECISION tinyint?",
                "NUMERIC_PRECISION_RADIX smallint?",
                "NUMERIC_SCALE int?",
                "DATETIME_PRECISION smallint?",
                "CHARACTER_SET_CATALOG nvarchar(128)?",
                "CHARACTER_SET_SCHEMA nvarchar(128)?",
                "CHARACTER_SET_NAME nvarchar(128)?",
                "COLLATION_CATALOG nvarchar(128)?",
                "COLLATION_SCHEMA nvarchar(128)?",
                "COLLATION_NAME nvarchar(128)?",
                "DOMAIN_CATALOG nvarchar(128)?",
                "DOMAIN_SCHEMA nvarchar(128)?",
                "DOMAIN_NAME nvarchar(128)?",
            ],
            columns,
        ),
        view(
            "SCHEMATA",
            needs::METADATA,
            &[
                "CATALOG_NAME nvarchar(128)?",
                "SCHEMA_NAME nvarchar(128)!",
                "SCHEMA_OWNER nvarchar(128)?",
                "DEFAULT_CHARACTER_SET_CATALOG nvarchar(128)?",
                "DEFAULT_CHARACTER_SET_SCHEMA nvarchar(128)?",
                "DEFAULT_CHARACTER_SET_NAME nvarchar(128)?",
            ],
            schemata,
        ),
        view(
            "VIEWS",
            needs::METADATA,
            &[
                "TABLE_CATALOG nvarchar(128)?",
                "TABLE_SCHEMA nvarchar(128)?",
                "TABLE_NAME nvarchar(128)!",
                "VIEW_DEFINITION nvarchar(4000)?",
                "CHECK_OPTION varchar(7)?",
                "IS_UPDATABLE varchar(2)!",
            ],
            user_views,
        ),
        view(
            "TABLE_CONSTRAINTS",
            needs::METADATA,
            &[
                "CONSTRAINT_CATALOG nvarchar(128)?",
                "CONSTRAINT_SCHEMA nvarchar(128)?",
                "CONSTRAINT_NAME sysname!",
                "TABLE_CATALOG nvarchar(128)?",
                "TABLE_SCHEMA nvarchar(128)?",
                "TABLE_NAME sysname!",
                "CONSTRAINT_TYPE varchar(11)?",
                "IS_DEFERRABLE varchar(2)!",
                "INITIALLY_DEFERRED varchar(2)!",
            ],
            table_constraints,
        ),
        view(
            "CONSTRAINT_TABLE_USAGE",
            needs::METADATA,
            &[
                "TABLE_CATALOG nvarchar(128)?",
                "TABLE_SCHEMA nvarchar(128)?",
                "TABLE_NAME sysname!",
                "CONSTRAINT_CATALOG nvarchar(128)?",
                "CONSTRAINT_SCHEMA nvarchar(128)?",
                "CONSTRAINT_NAME sysname!",
            ],
            constraint_table_usage,
        ),
        view(
            "CONSTRAINT_COLUMN_USAGE",
            needs::METADATA,
            &[
                "TABLE_CATALOG nvarchar(128)?",
                "TABLE_SCHEMA nvarchar(128)?",
                "TABLE_NAME nvarchar(128)!",
                "COLUMN_NAME nvarchar(128)?",
                "CONSTRAINT_CATALOG nvarchar(128)?",
                "CONSTRAINT_SCHEMA nvarchar(128)?",
                "CONSTRAINT_NAME nvarchar(128)!",
            ],
            constraint_column_usage,
        ),
        view(
            "CHECK_CONSTRAINTS",
            needs::METADATA,
            &[
                "CONSTRAINT_CATALOG nvarchar(128)?",
                "CONSTRAINT_SCHEMA nvarchar(128)?",
                "CONSTRAINT_NAME sysname!",
                "CHECK_CLAUSE nvarchar(4000)?",
            ],
            check_constraints,
        ),
        view(
            "REFERENTIAL_CONSTRAINTS",
            needs::METADATA,
            &[
                "CONSTRAINT_CATALOG nvarchar(128)?",
                "CONSTRAINT_SCHEMA nvarchar(128)?",
                "CONSTRAINT_NAME sysname!",
                "UNIQUE_CONSTRAINT_CATALOG nvarchar(128)?",
                "UNIQUE_CONSTRAINT_SCHEMA nvarchar(128)?",
                "UNIQUE_CONSTRAINT_NAME sysname?",
                "MATCH_OPTION varchar(7)?",
                "UPDATE_RULE varchar(11)?",
                "DELETE_RULE varchar(11)?",
            ],
            referential_constraints,
        ),
        view(
            "SEQUENCES",
            needs::METADATA,
            &[
                "SEQUENCE_CATALOG nvarchar(128)?",
                "SEQUENCE_SCHEMA nvarchar(128)?",
                "SEQUENCE_NAME nvarchar(128)!",
                "DATA_TYPE nvarchar(128)?",
                "NUMERIC_PRECISION tinyint?",
                "NUMERIC_PRECISION_RADIX smallint?",
                "NUMERIC_SCALE int?",
                "START_VALUE sql_variant!",
                "MINIMUM_VALUE sql_variant!",
                "MAXIMUM_VALUE sql_variant!",
                "INCREMENT sql_variant!",
                "CYCLE_OPTION int?",
                "DECLARED_DATA_TYPE int?",
                "DECLARED_NUMERIC_PRECISION int?",
                "DECLARED_NUMERIC_SCALE int?",
            ],
            super::sequences::information_schema,
        ),
        view(
            "KEY_COLUMN_USAGE",
            needs::METADATA,
            &[
                "CONSTRAINT_CATALOG nvarchar(128)?",
                "CONSTRAINT_SCHEMA nvarchar(128)?",
                "CONSTRAINT_NAME nvarchar(128)!",
                "TABLE_CATALOG nvarchar(128)?",
                "TABLE_SCHEMA nvarchar(128)?",
                "TABLE_NAME nvarchar(128)!",
                "COLUMN_NAME nvarchar(128)?",
                "ORDINAL_POSITION int!",
            ],
            key_column_usage,
        ),
    ]);
}

fn tables(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for object in cx.objects() {
        let kind = match &object {
            Object::Table(t) if t.head.kind == ObjectKind::Table => "BASE TABLE",
            Object::View(_) => "VIEW",
            _ => continue,
        };
        let head = object.head();
        rows.push(row![&cx.database.name, &head.schema, &head.name, kind]);
    }
    Ok(())
}

/// DATA_TYPE, CHARACTER_MAXIMUM_LENGTH, CHARACTER_OCTET_LENGTH, NUMERIC_PRECISION, _RADIX, _SCALE, DATETIME_PRECISION.
fn type_facts(ty: SqlType) -> Vec<Value> {
    use SqlType::*;
    let octets = match ty {
        Char(_) | VarChar(_) | NChar(_) | NVarChar(_) | Binary(_) | VarBinary(_) => {
            Some(ty.max_length() as i32)
        }
        _ => None,
    };
    let wide = matches!(ty, NChar(_) | NVarChar(_));
    let characters = octets.map(|n| if n > 0 && wide { n / 2 } else { n });
    let radix = match ty {
        TinyInt
        | SmallInt
        | Int
        | BigInt
        | Decimal { .. }
        | Numeric { .. }
        | Money
        | SmallMoney => Some(10),
        Real | Float => Some(2),
        _ => None,
    };
    let scale = radix.filter(|r| *r == 10).map(|_| ty.scale());
    let fraction = match ty {
        Date => Some(0),
        DateTime => Some(3),
        SmallDateTime => Some(0),
        Time(n) | DateTime2(n) | DateTimeOffset(n) => Some(n),
        _ => None,
    };
    row![ty.name(), characters, octets, radix.map(|_| ty.precision()), radix, scale, fraction]
}

fn columns(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let of_tables = |o: &&Object| matches!(o.head().kind, ObjectKind::Table | ObjectKind::View);
    for object in cx.objects().iter().filter(of_tables) {
        object_columns(cx, object, rows);
    }
    Ok(())
}

/// A row for each column of an object.
pub(super) fn object_columns(cx: &ViewContext<'_>, object: &Object, rows: &mut Rows) {
    let head = object.head();
    let texts = cx.sees_definition(head);
    for (at, c) in object.columns().iter().enumerate() {
        let place = at as i32 + 1;
        let default = c.default.as_ref().filter(|_| texts).map(|d| &d.definition);
        let nullable = if c.nullable { "YES" } else { "NO" };
        let mut cells =
            row![&cx.database.name, &head.schema, &head.name, &c.name, place, default, nullable];
        cells.extend(declared_facts(c.declared()));
        let collation = (is_text(c.ty) && !c.xml).then(|| c.collation.name());
        cells.extend(row![(), (), charset(c.declared()), (), (), collation]);
        cells.extend(super::types::domain_cells(cx, c.user_type));
        rows.push(cells);
    }
}

/// The character set of text.
pub(super) fn charset(of: Declared) -> Option<&'static str> {
    match of.ty {
        _ if of.large() == Large::Xml => None,
        SqlType::Char(_) | SqlType::VarChar(_) => Some("iso_1"),
        SqlType::NChar(_) | SqlType::NVarChar(_) => Some("UNICODE"),
        _ => None,
    }
}

/// DATA_TYPE to DATETIME_PRECISION of a declared type.
pub(super) fn declared_facts(of: Declared) -> Vec<Value> {
    let old = |name: &'static str, characters: i32, octets: i32| {
        row![name, characters, octets, (), (), (), ()]
    };
    match (of.large(), of.ty) {
        (Large::Xml, _) => old("xml", -1, -1),
        (Large::Old, SqlType::NVarChar(_)) => old("ntext", 1_073_741_823, 2_147_483_646),
        (Large::Old, SqlType::VarChar(_)) => old("text", i32::MAX, i32::MAX),
        (Large::Old, _) => old("image", i32::MAX, i32::MAX),
        (Large::Plain, ty) => type_facts(ty),
    }
}

fn user_views(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for object in cx.objects() {
        let Object::View(v) = object else { continue };
        let definition = crate::exec::user_views::definition(&v);
        let check = definition.is_ok_and(|d| d.check_option);
        let text = v.shown().filter(|_| cx.sees_definition(&v.head));
        let text = text.filter(|text| text.encode_utf16().count() <= 4000);
        rows.push(row![
            &cx.database.name,
            &v.head.schema,
            &v.head.name,
            text,
            if check { "CASCADE" } else { "NONE" },
            "NO"
        ]);
    }
    Ok(())
}

fn schemata(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let owners = cx.session.principals_of(cx.database);
    for s in cx.schemas() {
        let owner = owners.get(s.principal).map(|p| p.name.clone());
        rows.push(row![&cx.database.name, &s.name, owner.as_deref(), (), (), "iso_1"]);
    }
    Ok(())
}

fn check_constraints(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    constraints(cx, |_, c| {
        if c.head.kind == ObjectKind::Check {
            let text = cx.sees_definition(&c.head).then_some(&c.definition);
            rows.push(row![&cx.database.name, &c.head.schema, &c.head.name, text]);
        }
    });
    Ok(())
}

fn constraint_table_usage(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let name = &cx.database.name;
    constraints(cx, |t, c| {
        use ObjectKind::{Check, ForeignKey, PrimaryKey, Unique};
        if matches!(c.head.kind, PrimaryKey | Unique | Check | ForeignKey) {
            let (table, own) = (&t.head, &c.head);
            rows.push(row![name, &table.schema, &table.name, name, &own.schema, &own.name]);
        }
    });
    Ok(())
}

fn table_constraints(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    constraints(cx, |t, c| {
        let kind = match c.head.kind {
            ObjectKind::PrimaryKey => "PRIMARY KEY",
            ObjectKind::Unique => "UNIQUE",
            ObjectKind::Check => "CHECK",
            ObjectKind::ForeignKey => "FOREIGN KEY",
            _ => return,
        };
        rows.push(row![
            &cx.database.name,
            &c.head.schema,
            &c.head.name,
            &cx.database.name,
            &t.head.schema,
            &t.head.name,
            kind,
            "NO",
            "NO"
        ]);
    });
    Ok(())
}

fn referential_constraints(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let keys = cx.foreign_keys()?;
    let name = &cx.database.name;
    constraints(cx, |_, c| {
        let Some(k) = keys.iter().find(|k| k.id == c.head.id) else { return };
        let Some(parent) = cx.table(k.referenced) else { return };
        let Some(index) = parent.defined().find(|i| i.id == k.index) else { return };
        let mut cells = row![name, &c.head.schema, &c.head.name, name, &parent.head.schema];
        let (update, delete) = (k.on_update.description(true), k.on_delete.description(true));
        cells.extend(row![&index.name, "SIMPLE", update, delete]);
        rows.push(cells);
    });
    Ok(())
}

/// The columns of a key or foreign key in order; nothing for other constraints.
fn key_columns<'t>(
    t: &'t Table,
    c: &ConstraintObject,
    keys: &[ForeignKey],
) -> Option<Vec<&'t str>> {
    match keys.iter().find(|k| k.id == c.head.id) {
        Some(k) => {
            let named = |id: i32| t.columns.iter().find(|c| c.id == id).map(|c| &*c.name);
            Some(k.columns.iter().filter_map(|(id, _)| named(*id)).collect())
        }
        None => {
            let index = t.defined().find(|i| i.constraint == c.head.id)?;
            Some(index.key.columns().iter().map(|k| &*t.columns[k.column].name).collect())
        }
    }
}

fn constraint_column_usage(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let keys = cx.foreign_keys()?;
    let name = &cx.database.name;
    constraints(cx, |t, c| {
        let columns = match key_columns(t, c, &keys) {
            Some(columns) => columns,
            None if c.head.kind == ObjectKind::Check => {
                let named = t.columns.iter().map(|c| &*c.name);
                named.filter(|n| mentions(&c.definition, n)).collect()
            }
            None => return,
        };
        for column in columns {
            let (table, own) = (&t.head, &c.head);
            rows.push(row![name, &table.schema, &table.name, column, name, &own.schema, &own.name]);
        }
    });
    Ok(())
}

fn key_column_usage(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let keys = cx.foreign_keys()?;
    constraints(cx, |t, c| {
        let Some(columns) = key_columns(t, c, &keys) else { return };
        for (i, column) in columns.into_iter().enumerate() {
            rows.push(row![
                &cx.database.name,
                &c.head.schema,
                &c.head.name,
                &cx.database.name,
                &t.head.schema,
                &t.head.name,
                column,
                i + 1
            ]);
        }
    });
    Ok(())
}
