//! What drivers ask about tables: which there are, who may do what with them, their collations, those of other servers.

use super::Arguments;
use super::odbc::{database_of, fits, pattern};
use super::odbc_types::{Dialect, odbc};
use crate::catalog::{Object, ObjectKind, fold};
use crate::database::Database;
use crate::features::view;
use crate::names::table_by_text;
use crate::results::send;
use crate::row;
use crate::session::context::StatementContext;
use crate::storage_types::storage_type;
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::{MaxLen, SqlType, Value};

const NAME: SqlType = SqlType::NVarChar(MaxLen::N(128));
const SMALL: SqlType = SqlType::SmallInt;
const INT: SqlType = SqlType::Int;
const TEXT: SqlType = SqlType::VarChar(MaxLen::N(254));

/// Tables and views, by schema and name; `use_pattern` is `@fUsePattern`.
fn chosen(
    cx: &mut StatementContext<'_>,
    args: &Arguments<'_>,
    use_pattern: Option<i64>,
) -> SqlResult<(Arc<Database>, Vec<Object>)> {
    let [table, owner] = [0, 1].map(|at| pattern(args.text(at), use_pattern));
    let database = database_of(cx, args.text(2).filter(|q| q != "%").as_deref())?;
    let asked = |o: &Object| {
        matches!(o.head().kind, ObjectKind::Table | ObjectKind::View)
            && fits(&o.head().name, table.as_deref())
            && fits(&o.head().schema, owner.as_deref())
    };
    cx.settle_objects(&database, asked)?;
    let mut all = cx.session.seen_objects(&database, cx.sight());
    all.retain(asked);
    all.sort_by_key(|o| (fold(&o.head().schema), fold(&o.head().name)));
    Ok((database, all))
}

/// `sp_tables`.
pub(super) fn tables(cx: &mut StatementContext<'_>, args: &Arguments<'_>) -> SqlResult<i32> {
    let (table, owner, qualifier) = (args.text(0), args.text(1), args.text(2));
    let mut rows = Vec::new();
    if qualifier.as_deref() == Some("%")
        && table.as_deref() == Some("")
        && owner.as_deref() == Some("")
    {
        let seen = cx.session.databases_seen();
        for slot in cx.instance().databases().list().iter().filter(|s| seen.database(&s.entry)) {
            rows.push(row![&slot.entry.name, (), (), (), ()]);
        }
    } else if owner.as_deref() == Some("%") && table.as_deref() == Some("") {
        let database = cx.database();
        cx.settle_schemas(&database)?;
        for s in database.catalog.schemas(cx.sight()) {
            rows.push(row![(), &s.name, (), (), ()]);
        }
    } else {
        let database = match qualifier.as_deref() {
            None | Some("%") => cx.database(),
            q => database_of(cx, q)?,
        };
        rows.extend(table_rows(cx, &database, args)?);
    }
    send_tables(cx, rows)
}

/// The tables and views of a database that `sp_tables` is asked for.
fn table_rows(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    args: &Arguments<'_>,
) -> SqlResult<Vec<Vec<Value>>> {
    let [table, owner] = [0, 1].map(|at| pattern(args.text(at), args.number(4)));
    let kinds = args.text(3).map(|t| t.to_uppercase());
    let wants = |kind: &str| kinds.as_ref().is_none_or(|k| k.contains(&format!("'{kind}'")));
    let mut rows = Vec::new();
    if wants("SYSTEM TABLE") || wants("VIEW") {
        let named = ["sys", "INFORMATION_SCHEMA"];
        let all = view::all().iter().filter(|v| named.contains(&v.schema));
        for v in all.filter(|v| v.arguments.is_none()) {
            if wants("VIEW") && fits(v.name, table.as_deref()) && fits(v.schema, owner.as_deref()) {
                rows.push(row![&database.name, v.schema, v.name, "VIEW", ()]);
            }
        }
    }
    if wants("TABLE") || wants("VIEW") {
        cx.settle_objects(database, |o| {
            fits(&o.head().name, table.as_deref()) && fits(&o.head().schema, owner.as_deref())
        })?;
        for object in cx.session.seen_objects(database, cx.sight()) {
            let kind = match &object {
                Object::Table(t) if t.head.kind == ObjectKind::Table => "TABLE",
                Object::View(_) => "VIEW",
                _ => continue,
            };
            let h = object.head();
            let named = fits(&h.name, table.as_deref()) && fits(&h.schema, owner.as_deref());
            if named && wants(kind) {
                rows.push(row![&database.name, &h.schema, &h.name, kind, ()]);
            }
        }
    }
    rows.sort_by_key(|r: &Vec<Value>| {
        [3, 0, 1, 2].map(|i| r[i].as_text().unwrap_or_default().to_lowercase())
    });
    Ok(rows)
}

/// The result of `sp_tables`.
fn send_tables(cx: &mut StatementContext<'_>, rows: Vec<Vec<Value>>) -> SqlResult<i32> {
    let columns = [
        ("TABLE_QUALIFIER", NAME, true),
        ("TABLE_OWNER", NAME, true),
        ("TABLE_NAME", NAME, true),
        ("TABLE_TYPE", SqlType::VarChar(MaxLen::N(32)), true),
        ("REMARKS", TEXT, true),
    ];
    send(cx, &columns, rows)?;
    Ok(0)
}

/// `sp_table_privileges`: the owner may do everything, and nobody else is there.
pub(super) fn table_privileges(
    cx: &mut StatementContext<'_>,
    args: &Arguments<'_>,
) -> SqlResult<i32> {
    let (database, all) = chosen(cx, args, args.number(3))?;
    let mut rows = Vec::new();
    for o in all {
        let h = o.head();
        for right in ["DELETE", "INSERT", "REFERENCES", "SELECT", "UPDATE"] {
            rows.push(row![&database.name, &h.schema, &h.name, "dbo", "dbo", right, "YES"]);
        }
    }
    let columns = [
        ("TABLE_QUALIFIER", NAME, true),
        ("TABLE_OWNER", NAME, true),
        ("TABLE_NAME", NAME, false),
        ("GRANTOR", NAME, true),
        ("GRANTEE", NAME, true),
        ("PRIVILEGE", SqlType::VarChar(MaxLen::N(32)), false),
        ("IS_GRANTABLE", SqlType::VarChar(MaxLen::N(3)), true),
    ];
    send(cx, &columns, rows)?;
    Ok(0)
}

/// `sp_column_privileges`.
pub(super) fn column_privileges(
    cx: &mut StatementContext<'_>,
    args: &Arguments<'_>,
) -> SqlResult<i32> {
    let column = args.text(3);
    // The table's name is no pattern here.
    let (database, all) = chosen(cx, args, Some(0))?;
    let mut rows = Vec::new();
    for o in all {
        let h = o.head();
        let mut columns: Vec<&str> = o.columns().iter().map(|c| &*c.name).collect();
        columns.retain(|c| fits(c, column.as_deref()));
        columns.sort_by_key(|c| fold(c));
        for c in columns {
            for right in ["INSERT", "REFERENCES", "SELECT", "UPDATE"] {
                rows.push(row![&database.name, &h.schema, &h.name, c, "dbo", "dbo", right, "YES"]);
            }
        }
    }
    let columns = [
        ("TABLE_QUALIFIER", NAME, true),
        ("TABLE_OWNER", NAME, true),
        ("TABLE_NAME", NAME, false),
        ("COLUMN_NAME", NAME, false),
        ("GRANTOR", NAME, true),
        ("GRANTEE", NAME, true),
        ("PRIVILEGE", SqlType::VarChar(MaxLen::N(32)), false),
        ("IS_GRANTABLE", SqlType::VarChar(MaxLen::N(3)), true),
    ];
    send(cx, &columns, rows)?;
    Ok(0)
}

/// `sp_tablecollations`.
pub(super) fn tablecollations(
    cx: &mut StatementContext<'_>,
    args: &Arguments<'_>,
) -> SqlResult<i32> {
    collations(cx, args, ["tds_collation_28", "collation_28"])
}

/// `sp_tablecollations_90`.
pub(super) fn tablecollations_90(
    cx: &mut StatementContext<'_>,
    args: &Arguments<'_>,
) -> SqlResult<i32> {
    collations(cx, args, ["tds_collation_90", "collation_90"])
}

/// `sp_tablecollations_100`.
pub(super) fn tablecollations_100(
    cx: &mut StatementContext<'_>,
    args: &Arguments<'_>,
) -> SqlResult<i32> {
    collations(cx, args, ["tds_collation_100", "collation_100"])
}

/// Bulk copy asks so before it sends rows.
fn collations(
    cx: &mut StatementContext<'_>,
    args: &Arguments<'_>,
    names: [&str; 2],
) -> SqlResult<i32> {
    let mut rows = Vec::new();
    if let Some((_, table)) = table_by_text(cx, &args.text(0).unwrap_or_default())? {
        for c in &table.columns {
            let text = crate::binder::is_text_type(c.ty) && !c.xml;
            let collation = text.then_some(c.collation);
            let tds = collation.map(taffrail_types::Collation::tds);
            rows.push(row![
                c.id,
                &c.name,
                tds.as_ref().map(|t| &t[..]),
                collation.map(|c| c.name())
            ]);
        }
    }
    let columns = [
        ("colid", INT, false),
        ("name", NAME, true),
        (names[0], SqlType::Binary(5), true),
        (names[1], NAME, true),
    ];
    send(cx, &columns, rows)?;
    Ok(0)
}

/// `sp_columns_ex`: of the one server that is linked, this one.
pub(super) fn columns_ex(cx: &mut StatementContext<'_>, args: &Arguments<'_>) -> SqlResult<i32> {
    let server = args.text(0).unwrap_or_default();
    if fold(&server) != fold(&cx.instance().options().server_name) {
        return Err(SqlError::new(7202, &[&server]));
    }
    let (table, schema, column) = (args.text(1), args.text(2), args.text(4));
    let dialect = Dialect::new(80, args.number(5));
    let database = match args.text(3) {
        Some(name) if !name.is_empty() => cx.instance().databases().get(&name)?,
        _ => cx.database(),
    };
    cx.settle_objects(&database, |o| {
        fits(&o.head().name, table.as_deref()) && fits(&o.head().schema, schema.as_deref())
    })?;
    let mut all = cx.session.seen_objects(&database, cx.sight());
    all.retain(|o| o.head().kind != ObjectKind::TableType);
    all.sort_by_key(|o| (fold(&o.head().schema), fold(&o.head().name)));
    let mut rows = Vec::new();
    for o in all {
        let h = o.head();
        if !fits(&h.name, table.as_deref()) || !fits(&h.schema, schema.as_deref()) {
            continue;
        }
        for (i, c) in o.columns().iter().enumerate() {
            if !fits(&c.name, column.as_deref()) {
                continue;
            }
            let f = odbc(c.type_name(), c.ty, dialect);
            rows.push(row![
                &database.name,
                &h.schema,
                &h.name,
                &c.name,
                f.data_type,
                c.type_name(),
                f.precision,
                f.length,
                f.scale,
                f.radix,
                c.nullable as i32,
                (),
                c.default.as_ref().map(|d| &d.definition),
                f.sql_type,
                f.subtype,
                f.octets,
                i + 1,
                if c.nullable { "YES" } else { "NO" },
                storage_type(c.type_name(), c.nullable)
            ]);
        }
    }
    let columns = [
        ("TABLE_CAT", NAME, true),
        ("TABLE_SCHEM", NAME, true),
        ("TABLE_NAME", NAME, false),
        ("COLUMN_NAME", NAME, false),
        ("DATA_TYPE", SMALL, false),
        ("TYPE_NAME", SqlType::VarChar(MaxLen::N(13)), true),
        ("COLUMN_SIZE", INT, true),
        ("BUFFER_LENGTH", INT, true),
        ("DECIMAL_DIGITS", SMALL, true),
        ("NUM_PREC_RADIX", SMALL, true),
        ("NULLABLE", SMALL, false),
        ("REMARKS", TEXT, true),
        ("COLUMN_DEF", TEXT, true),
        ("SQL_DATA_TYPE", SMALL, true),
        ("SQL_DATETIME_SUB", SMALL, true),
        ("CHAR_OCTET_LENGTH", INT, true),
        ("ORDINAL_POSITION", INT, false),
        ("IS_NULLABLE", TEXT, true),
        ("SS_DATA_TYPE", SqlType::TinyInt, true),
    ];
    send(cx, &columns, rows)?;
    Ok(0)
}

/// `sp_tableswc`: as `sp_tables`; a pattern in the qualifier is followed.
pub(super) fn tableswc(cx: &mut StatementContext<'_>, args: &Arguments<'_>) -> SqlResult<i32> {
    let own = cx.database();
    let mut rows = Vec::new();
    let qualifier = args.text(2);
    let (list, seen) = (cx.instance().databases().list(), cx.session.databases_seen());
    let several = qualifier.as_deref().is_some_and(|q| q.contains(['%', '_', '[']));
    for slot in list.into_iter().filter(|slot| seen.database(&slot.entry)) {
        let Some(database) = slot.database else { continue };
        let wanted = match &qualifier {
            Some(q) if several => fits(&database.name, Some(q)),
            Some(q) if !q.is_empty() => fold(q) == fold(&database.name),
            _ => database.id == own.id,
        };
        if wanted {
            rows.extend(table_rows(cx, &database, args)?);
        }
    }
    send_tables(cx, rows)
}
