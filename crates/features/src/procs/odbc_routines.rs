//! Parameters of procedures, as ODBC drivers, ADO.NET and OLE DB ask for them.

use super::Arguments;
use super::odbc::{database_of, fits, pattern, unquoted};
use super::odbc_columns::{TYPES_OF_DATABASES, alias_of};
use super::odbc_types::{Dialect, odbc};
use crate::catalog::{Module, Object, ObjectKind, Parameter, Sight, UserType, fold};
use crate::database::Database;
use crate::results::send;
use crate::row;
use crate::session::context::StatementContext;
use crate::storage_types::storage_type;
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_types::{MaxLen, SqlType, Value};

const NAME: SqlType = SqlType::NVarChar(MaxLen::N(128));
const SMALL: SqlType = SqlType::SmallInt;
const INT: SqlType = SqlType::Int;
const TEXT: SqlType = SqlType::VarChar(MaxLen::N(254));

/// `sp_sproc_columns`.
pub(super) fn sproc_columns(cx: &mut StatementContext<'_>, args: &Arguments<'_>) -> SqlResult<i32> {
    columns(cx, args, 80)
}

/// `sp_sproc_columns_90`.
pub(super) fn sproc_columns_90(
    cx: &mut StatementContext<'_>,
    args: &Arguments<'_>,
) -> SqlResult<i32> {
    columns(cx, args, 90)
}

/// `sp_sproc_columns_100`.
pub(super) fn sproc_columns_100(
    cx: &mut StatementContext<'_>,
    args: &Arguments<'_>,
) -> SqlResult<i32> {
    columns(cx, args, 100)
}

/// The procedures of a database that are asked for, by schema and name.
fn procedures(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    asked: impl Fn(&str, &str) -> bool,
) -> SqlResult<Vec<Arc<Module>>> {
    let asked = |o: &Object| is_routine(o) && asked(&o.head().name, &o.head().schema);
    cx.settle_objects(database, asked)?;
    let mut all: Vec<Arc<Module>> = Vec::new();
    for o in cx.session.seen_objects(database, cx.sight()) {
        if asked(&o) {
            all.extend(o.as_module().cloned());
        }
    }
    all.sort_by_key(|m| (fold(&m.head.schema), fold(&m.head.name)));
    Ok(all)
}

/// A procedure or function.
fn is_routine(o: &Object) -> bool {
    matches!(o, Object::Procedure(_) | Object::Function(_))
}

/// `@RETURN_VALUE` comes first: the status of a procedure, which is no parameter, or the result of a scalar function.
fn with_status(m: &Module) -> impl Iterator<Item = (usize, Option<&Parameter>)> {
    let is_procedure = m.head.kind == ObjectKind::Procedure;
    let first = (is_procedure || m.result.is_some()).then_some((0, m.result.as_ref()));
    let parameters = m.parameters.iter().enumerate().map(|(n, p)| (n + 1, Some(p)));
    first.into_iter().chain(parameters)
}

/// The number behind a routine's name: procedures have one, functions none.
pub(super) fn number(m: &Module) -> u8 {
    u8::from(m.head.kind == ObjectKind::Procedure)
}

/// The name of a parameter, or of what is returned.
fn shown_name(p: Option<&Parameter>) -> &str {
    p.map(|p| &*p.name).filter(|name| !name.is_empty()).unwrap_or("@RETURN_VALUE")
}

fn columns(cx: &mut StatementContext<'_>, args: &Arguments<'_>, level: u8) -> SqlResult<i32> {
    // A number of a group of procedures: only the first can be there.
    let name = unquoted(args.text(0)).map(|n| crate::exec::rpc::numbered(&n).0.to_string());
    let name = pattern(name, args.number(5));
    let [owner, column] = [unquoted(args.text(1)), args.text(3)];
    let [owner, column] = [owner, column].map(|text| pattern(text, args.number(5)));
    let database = database_of(cx, args.text(2).filter(|q| q != "%").as_deref())?;
    let dialect = Dialect::new(level, args.number(4));
    let mut rows = Vec::new();
    let asked =
        |own: &str, schema: &str| fits(own, name.as_deref()) && fits(schema, owner.as_deref());
    for m in procedures(cx, &database, asked)? {
        for (at, p) in with_status(&m) {
            let shown = shown_name(p);
            if !fits(shown, column.as_deref()) {
                continue;
            }
            let ty = p.map_or(SqlType::Int, |p| p.ty);
            let o = odbc(ty.name(), ty, dialect);
            let table = table_type(&database, cx.sight(), p);
            let number_of = |own: i32| if table.is_some() { SS_TABLE } else { own };
            let alias = alias_of(&database, cx.sight(), p.map_or(0, |p| p.user_type));
            let kind = match p {
                None => 5,
                Some(_) if at == 0 => 5,
                Some(p) if p.output => 2,
                Some(_) => 1,
            };
            let mut cells = row![
                &database.name,
                &m.head.schema,
                format!("{};{}", m.head.name, number(&m)),
                shown,
                kind,
                number_of(o.data_type),
                alias.as_deref().unwrap_or(ty.name()),
                o.precision,
                o.length,
                o.scale,
                o.radix,
                p.is_some() as i32,
                (),
                (),
                number_of(o.sql_type),
                o.subtype,
                o.octets,
                at,
                if p.is_some() { "YES" } else { "NO" }
            ];
            let more = match level {
                100.. => 8,
                90 => 6,
                _ => 0,
            };
            cells.extend(vec![Value::Null; more]);
            cells.extend(row![storage_type(ty.name(), p.is_some())]);
            rows.push(cells);
        }
    }
    let mut columns = vec![
        ("PROCEDURE_QUALIFIER", NAME, true),
        ("PROCEDURE_OWNER", NAME, true),
        ("PROCEDURE_NAME", SqlType::NVarChar(MaxLen::N(134)), true),
        ("COLUMN_NAME", NAME, true),
        ("COLUMN_TYPE", SMALL, true),
        ("DATA_TYPE", SMALL, true),
        ("TYPE_NAME", NAME, true),
        ("PRECISION", INT, true),
        ("LENGTH", INT, true),
        ("SCALE", SMALL, true),
        ("RADIX", SMALL, true),
        ("NULLABLE", SMALL, true),
        ("REMARKS", TEXT, true),
        ("COLUMN_DEF", SqlType::NVarChar(MaxLen::N(4000)), true),
        ("SQL_DATA_TYPE", SMALL, true),
        ("SQL_DATETIME_SUB", SMALL, true),
        ("CHAR_OCTET_LENGTH", INT, true),
        ("ORDINAL_POSITION", INT, true),
        ("IS_NULLABLE", TEXT, true),
    ];
    if level >= 100 {
        columns.extend([("SS_TYPE_CATALOG_NAME", NAME, true), ("SS_TYPE_SCHEMA_NAME", NAME, true)]);
    }
    if level >= 90 {
        columns.extend(TYPES_OF_DATABASES);
    }
    columns.push(("SS_DATA_TYPE", SqlType::TinyInt, true));
    send(cx, &columns, rows)?;
    Ok(0)
}

/// `SqlDbType.Structured` of ADO.NET: a table.
const STRUCTURED: i32 = 30;

/// SQL_SS_TABLE of ODBC.
const SS_TABLE: i32 = -153;

/// The table type of a parameter.
fn table_type(database: &Database, sight: Sight, p: Option<&Parameter>) -> Option<Arc<UserType>> {
    let of = p.filter(|p| p.readonly)?;
    database.catalog.type_by_id(of.user_type, sight)
}

/// `SqlDbType` of ADO.NET.
fn managed_type(ty: SqlType) -> i32 {
    use SqlType::*;
    match ty {
        BigInt => 0,
        Binary(_) => 1,
        Bit => 2,
        Char(_) => 3,
        DateTime => 4,
        Decimal { .. } | Numeric { .. } => 5,
        Float => 6,
        Int => 8,
        Money => 9,
        NChar(_) => 10,
        NVarChar(_) => 12,
        Real => 13,
        UniqueIdentifier => 14,
        SmallDateTime => 15,
        SmallInt => 16,
        SmallMoney => 17,
        RowVersion => 19,
        TinyInt => 20,
        VarBinary(_) => 21,
        VarChar(_) => 22,
        Variant => 23,
        Date => 31,
        Time(_) => 32,
        DateTime2(_) => 33,
        DateTimeOffset(_) => 34,
    }
}

/// Characters or bytes that a string or binary holds; (max) is 0.
fn most(ty: SqlType) -> Option<i32> {
    use SqlType::*;
    let bytes = (ty.max_length() as i32).max(0);
    match ty {
        NChar(_) | NVarChar(_) => Some(bytes / 2),
        Char(_) | VarChar(_) | Binary(_) | VarBinary(_) | RowVersion => Some(bytes),
        _ => None,
    }
}

/// What all the procedures of parameters are asked with.
fn chosen(
    cx: &mut StatementContext<'_>,
    args: &Arguments<'_>,
) -> SqlResult<(Arc<Database>, Vec<Arc<Module>>, Option<String>)> {
    let database = cx.database();
    let (name, schema) = (args.text(0), args.text(2));
    let first = args.number(1).is_none_or(|n| n == 1);
    let same =
        |wanted: &Option<String>, own: &str| wanted.as_ref().is_none_or(|w| fold(w) == fold(own));
    let asked = |own: &str, of: &str| first && same(&name, own) && same(&schema, of);
    let all = procedures(cx, &database, asked)?;
    Ok((database, all, args.text(3)))
}

/// `sp_procedure_params_managed`.
pub(super) fn params_managed(
    cx: &mut StatementContext<'_>,
    args: &Arguments<'_>,
) -> SqlResult<i32> {
    managed(cx, args, false)
}

/// `sp_procedure_params_100_managed`.
pub(super) fn params_100_managed(
    cx: &mut StatementContext<'_>,
    args: &Arguments<'_>,
) -> SqlResult<i32> {
    managed(cx, args, true)
}

fn managed(cx: &mut StatementContext<'_>, args: &Arguments<'_>, new: bool) -> SqlResult<i32> {
    let (database, all, wanted) = chosen(cx, args)?;
    let mut rows = Vec::new();
    for (at, p) in all.iter().flat_map(|m| with_status(m)) {
        let name = shown_name(p);
        if wanted.as_ref().is_some_and(|w| fold(w) != fold(name)) {
            continue;
        }
        let ty = p.map_or(SqlType::Int, |p| p.ty);
        let kind = match p {
            None => 4,
            Some(_) if at == 0 => 4,
            Some(p) if p.output => 2,
            Some(_) => 1,
        };
        let fraction = match ty {
            SqlType::Time(n) | SqlType::DateTime2(n) | SqlType::DateTimeOffset(n) => Some(n),
            _ => None,
        };
        let table = table_type(&database, cx.sight(), p);
        let is_number = odbc(ty.name(), ty, Dialect::new(100, Some(3))).radix.is_some();
        let is_number = is_number && table.is_none();
        let mut cells = row![
            name,
            kind,
            if table.is_some() { STRUCTURED } else { managed_type(ty) },
            most(ty),
            is_number.then_some(ty.precision()),
            is_number.then_some(ty.scale()),
            table.as_ref().map(|_| &database.name),
            table.as_ref().map(|t| &t.head.schema),
            table.as_ref().map(|t| &t.head.name),
            (),
            (),
            ()
        ];
        if new {
            cells.extend(row![fraction]);
        }
        rows.push(cells);
    }
    let mut columns = vec![
        ("PARAMETER_NAME", NAME, true),
        ("PARAMETER_TYPE", SMALL, true),
        ("MANAGED_DATA_TYPE", SMALL, true),
        ("CHARACTER_MAXIMUM_LENGTH", INT, true),
        ("NUMERIC_PRECISION", SMALL, true),
        ("NUMERIC_SCALE", SMALL, true),
        ("TYPE_CATALOG_NAME", NAME, true),
        ("TYPE_SCHEMA_NAME", NAME, true),
        ("TYPE_NAME", NAME, true),
        ("XML_CATALOGNAME", NAME, true),
        ("XML_SCHEMANAME", NAME, true),
        ("XML_SCHEMACOLLECTIONNAME", NAME, true),
    ];
    if new {
        columns.push(("SS_DATETIME_PRECISION", INT, true));
    }
    send(cx, &columns, rows)?;
    Ok(0)
}

/// DBTYPE of OLE DB.
fn oledb_type(ty: SqlType) -> i32 {
    use SqlType::*;
    match ty {
        SmallInt => 2,
        Int => 3,
        Real => 4,
        Float => 5,
        Money | SmallMoney => 6,
        Bit => 11,
        Variant => 12,
        TinyInt => 17,
        BigInt => 20,
        UniqueIdentifier => 72,
        Binary(_) | VarBinary(_) | RowVersion => 128,
        Char(_) | VarChar(_) => 129,
        NChar(_) | NVarChar(_) => 130,
        Decimal { .. } | Numeric { .. } => 131,
        Date => 133,
        DateTime | SmallDateTime | DateTime2(_) => 135,
        Time(_) => 145,
        DateTimeOffset(_) => 146,
    }
}

/// `sp_procedure_params_rowset`.
pub(super) fn params_rowset(cx: &mut StatementContext<'_>, args: &Arguments<'_>) -> SqlResult<i32> {
    let (database, all, wanted) = chosen(cx, args)?;
    let mut rows = Vec::new();
    for m in &all {
        for (at, p) in with_status(m) {
            let name = shown_name(p);
            if wanted.as_ref().is_some_and(|w| fold(w) != fold(name)) {
                continue;
            }
            let ty = p.map_or(SqlType::Int, |p| p.ty);
            let kind = match p {
                None => 4,
                Some(_) if at == 0 => 4,
                Some(p) if p.output => 2,
                Some(_) => 1,
            };
            let is_number = odbc(ty.name(), ty, Dialect::new(100, Some(3))).radix.is_some();
            let octets = most(ty).map(|_| (ty.max_length() as i32).max(0));
            rows.push(row![
                &database.name,
                &m.head.schema,
                format!("{};{}", m.head.name, number(m)),
                name,
                at,
                kind,
                p.is_some_and(|p| p.has_default) as i32,
                (),
                p.is_some(),
                oledb_type(ty),
                most(ty),
                octets,
                is_number.then_some(ty.precision()),
                is_number.then_some(ty.scale()),
                (),
                ty.name(),
                ty.name()
            ]);
        }
    }
    let columns = [
        ("PROCEDURE_CATALOG", NAME, true),
        ("PROCEDURE_SCHEMA", NAME, true),
        ("PROCEDURE_NAME", SqlType::NVarChar(MaxLen::N(134)), true),
        ("PARAMETER_NAME", NAME, true),
        ("ORDINAL_POSITION", SMALL, true),
        ("PARAMETER_TYPE", SMALL, true),
        ("PARAMETER_HASDEFAULT", SqlType::TinyInt, true),
        ("PARAMETER_DEFAULT", SqlType::NVarChar(MaxLen::N(255)), true),
        ("IS_NULLABLE", SqlType::Bit, true),
        ("DATA_TYPE", SMALL, true),
        ("CHARACTER_MAXIMUM_LENGTH", INT, true),
        ("CHARACTER_OCTET_LENGTH", INT, true),
        ("NUMERIC_PRECISION", SMALL, true),
        ("NUMERIC_SCALE", SMALL, true),
        ("DESCRIPTION", SqlType::NVarChar(MaxLen::N(1)), true),
        ("TYPE_NAME", NAME, true),
        ("LOCAL_TYPE_NAME", NAME, true),
    ];
    send(cx, &columns, rows)?;
    Ok(0)
}
