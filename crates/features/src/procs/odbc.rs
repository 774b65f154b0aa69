//! What ODBC and JDBC drivers ask the catalogue: tables, columns, keys, types.

use super::Arguments;
use super::odbc_routines::number;
use super::odbc_types::{Dialect, odbc};
use super::odbc_waits::{is_called, is_key_of};
use crate::catalog::{Action, IndexKind, Object, Table, fold};
use crate::database::Database;
use crate::results::send;
use crate::row;
use crate::session::context::StatementContext;
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::{Collation, MaxLen, SqlType, codepage, like};

pub(super) const NAME: SqlType = SqlType::NVarChar(MaxLen::N(128));
pub(super) const SMALL: SqlType = SqlType::SmallInt;
pub(super) const INT: SqlType = SqlType::Int;
pub(super) const TEXT: SqlType = SqlType::VarChar(MaxLen::N(254));

/// Whether a name fits a LIKE pattern (no pattern: it does).
pub(super) fn fits(name: &str, pattern: Option<&str>) -> bool {
    let Some(pattern) = pattern else { return true };
    if pattern == "%" {
        return true;
    }
    let pattern = codepage::encode_utf16(pattern);
    let pattern = like::Pattern::new(&pattern, true, None, Collation::default());
    pattern.matches(&codepage::encode_utf16(name))
}

/// A name or a pattern, as `@fUsePattern` says: under 0 its wildcards stand for themselves.
pub(super) fn pattern(text: Option<String>, use_pattern: Option<i64>) -> Option<String> {
    let escaped = |t: String| {
        let each = t.chars().map(|c| match c {
            '%' | '_' | '[' => format!("[{c}]"),
            other => other.to_string(),
        });
        each.collect()
    };
    if use_pattern == Some(0) { text.map(escaped) } else { text }
}

/// Patterns arrive in quotes from some drivers.
pub(super) fn unquoted(text: Option<String>) -> Option<String> {
    text.map(|t| match t.strip_prefix('\'').and_then(|s| s.strip_suffix('\'')) {
        Some(inner) => inner.to_string(),
        None => t,
    })
}

/// The database of a qualifier: 15250 when it is not the current one.
pub(super) fn database_of(
    cx: &StatementContext<'_>,
    qualifier: Option<&str>,
) -> SqlResult<Arc<Database>> {
    let current = cx.database();
    match qualifier {
        Some(q) if !q.is_empty() && fold(q) != fold(&current.name) => {
            Err(SqlError::new(15250, &[]))
        }
        _ => Ok(current),
    }
}

/// The table that a driver names: nothing when there is none.
fn one_table(
    cx: &mut StatementContext<'_>,
    args: &Arguments<'_>,
) -> SqlResult<Option<(Arc<Database>, Arc<Table>)>> {
    let database = database_of(cx, args.text(2).as_deref())?;
    let name = args.text(0).unwrap_or_default();
    let schema = args.text(1).filter(|s| !s.is_empty() && s != "%");
    let schema = schema.as_deref();
    let found = cx.settled(|cx| {
        let (catalog, id) = (&database.catalog, cx.session.id);
        cx.session.note_blocked(catalog.blocked_name(schema, &name, id));
        Ok(cx.session.found_in(&database, schema, &name).and_then(|o| o.as_table().cloned()))
    })?;
    let found = found.filter(|t| cx.session.seen(&database).head(&t.head));
    Ok(found.map(|t| (database, t)))
}

/// `sp_pkeys`.
pub(super) fn pkeys(cx: &mut StatementContext<'_>, args: &Arguments<'_>) -> SqlResult<i32> {
    let mut rows = Vec::new();
    if let Some((database, t)) = one_table(cx, args)?
        && let Some(key) = t.defined().find(|i| i.primary_key)
    {
        for (i, k) in key.key.columns().iter().enumerate() {
            let column = &t.columns[k.column].name;
            rows.push(row![&database.name, &t.head.schema, t.name(), column, i + 1, &key.name]);
        }
    }
    let columns = [
        ("TABLE_QUALIFIER", NAME, true),
        ("TABLE_OWNER", NAME, true),
        ("TABLE_NAME", NAME, true),
        ("COLUMN_NAME", NAME, true),
        ("KEY_SEQ", SMALL, true),
        ("PK_NAME", NAME, true),
    ];
    send(cx, &columns, rows)?;
    Ok(0)
}

/// `sp_fkeys`: those that refer to a table, those of a table, or those between two. 15252 where neither is named.
pub(super) fn fkeys(cx: &mut StatementContext<'_>, args: &Arguments<'_>) -> SqlResult<i32> {
    if args.text(0).is_none() && args.text(3).is_none() {
        return Err(SqlError::new(15252, &[]));
    }
    let database = database_of(cx, args.text(2).or_else(|| args.text(5)).as_deref())?;
    let named = [0, 3].map(|at| args.text(at));
    cx.settle_objects(&database, |o| is_key_of(&database, o, &named))?;
    let sight = cx.sight();
    let same = |t: &Table, name: Option<String>, owner: Option<String>| {
        let eq = |a: &str, b: Option<String>| b.is_none_or(|b| fold(a) == fold(&b));
        eq(t.name(), name) && eq(&t.head.schema, owner)
    };
    let rule = |a: Action| match a {
        Action::Cascade => 0,
        Action::NoAction => 1,
        Action::SetNull => 2,
        Action::SetDefault => 3,
    };
    let mut rows = Vec::new();
    for k in database.catalog.foreign_keys(sight)? {
        let tables =
            (database.catalog.table(k.referenced, sight), database.catalog.table(k.table, sight));
        let (Some(parent), Some(child)) = tables else { continue };
        if [&parent, &child].iter().any(|t| !cx.session.seen(&database).head(&t.head)) {
            continue;
        }
        if !same(&parent, args.text(0), args.text(1)) || !same(&child, args.text(3), args.text(4)) {
            continue;
        }
        let index = parent.defined().find(|i| i.id == k.index);
        for (i, (own, other)) in k.positions(&child, &parent)?.into_iter().enumerate() {
            rows.push(row![
                &database.name,
                &parent.head.schema,
                parent.name(),
                &parent.columns[other].name,
                &database.name,
                &child.head.schema,
                child.name(),
                &child.columns[own].name,
                i + 1,
                rule(k.on_update),
                rule(k.on_delete),
                &k.name,
                index.map(|i| &i.name),
                7
            ]);
        }
    }
    let columns = [
        ("PKTABLE_QUALIFIER", NAME, true),
        ("PKTABLE_OWNER", NAME, true),
        ("PKTABLE_NAME", NAME, true),
        ("PKCOLUMN_NAME", NAME, true),
        ("FKTABLE_QUALIFIER", NAME, true),
        ("FKTABLE_OWNER", NAME, true),
        ("FKTABLE_NAME", NAME, true),
        ("FKCOLUMN_NAME", NAME, true),
        ("KEY_SEQ", SMALL, true),
        ("UPDATE_RULE", SMALL, true),
        ("DELETE_RULE", SMALL, true),
        ("FK_NAME", NAME, true),
        ("PK_NAME", NAME, true),
        ("DEFERRABILITY", SMALL, true),
    ];
    send(cx, &columns, rows)?;
    Ok(0)
}

/// `sp_statistics`.
pub(super) fn statistics(cx: &mut StatementContext<'_>, args: &Arguments<'_>) -> SqlResult<i32> {
    let wanted = args.text(3);
    let unique_only = args.text(4).is_some_and(|u| u.eq_ignore_ascii_case("Y"));
    let mut rows = Vec::new();
    if let Some((database, t)) = one_table(cx, args)? {
        let pages = |index: &crate::catalog::Index| {
            database.storage.space_used(index.hobt_id).map(|s| s.used_pages).map_err(|e| e.to_sql())
        };
        let base = t.base();
        rows.push(row![
            &database.name,
            &t.head.schema,
            t.name(),
            (),
            (),
            (),
            0,
            (),
            (),
            (),
            t.row_count(),
            pages(base)?,
            ()
        ]);
        for i in t.indexes.iter().filter(|i| i.kind != IndexKind::Heap) {
            if !fits(&i.name, wanted.as_deref()) || (unique_only && !i.unique) {
                continue;
            }
            let used = pages(i)?;
            for (n, k) in i.key.columns().iter().enumerate() {
                rows.push(row![
                    &database.name,
                    &t.head.schema,
                    t.name(),
                    !i.unique as i32,
                    t.name(),
                    &i.name,
                    if i.kind == IndexKind::Clustered { 1 } else { 3 },
                    n + 1,
                    &t.columns[k.column].name,
                    if k.descending { "D" } else { "A" },
                    t.row_count(),
                    used,
                    ()
                ]);
            }
        }
    }
    let columns = [
        ("TABLE_QUALIFIER", NAME, true),
        ("TABLE_OWNER", NAME, true),
        ("TABLE_NAME", NAME, true),
        ("NON_UNIQUE", SMALL, true),
        ("INDEX_QUALIFIER", NAME, true),
        ("INDEX_NAME", NAME, true),
        ("TYPE", SMALL, true),
        ("SEQ_IN_INDEX", SMALL, true),
        ("COLUMN_NAME", NAME, true),
        ("COLLATION", SqlType::Char(1), true),
        ("CARDINALITY", INT, true),
        ("PAGES", INT, true),
        ("FILTER_CONDITION", SqlType::VarChar(MaxLen::N(128)), true),
    ];
    send(cx, &columns, rows)?;
    Ok(0)
}

/// `sp_special_columns`: the columns that tell rows apart best.
pub(super) fn special_columns(
    cx: &mut StatementContext<'_>,
    args: &Arguments<'_>,
) -> SqlResult<i32> {
    special(cx, args, 80)
}

/// `sp_special_columns_90`.
pub(super) fn special_columns_90(
    cx: &mut StatementContext<'_>,
    args: &Arguments<'_>,
) -> SqlResult<i32> {
    special(cx, args, 90)
}

/// `sp_special_columns_100`.
pub(super) fn special_columns_100(
    cx: &mut StatementContext<'_>,
    args: &Arguments<'_>,
) -> SqlResult<i32> {
    special(cx, args, 100)
}

fn special(cx: &mut StatementContext<'_>, args: &Arguments<'_>, level: u8) -> SqlResult<i32> {
    let is =
        |at: usize, letter: &str| args.text(at).is_some_and(|t| t.eq_ignore_ascii_case(letter));
    let by_version = is(3, "V");
    // 'O': only columns that are never NULL tell rows apart.
    let never_null = is(5, "O");
    let dialect = Dialect::new(level, args.number(6));
    let mut rows = Vec::new();
    if let Some((_, t)) = one_table(cx, args)? {
        let mut push = |scope: Option<i32>, c: &crate::catalog::Column| {
            let o = odbc(c.type_name(), c.ty, dialect);
            let name = c.type_name();
            rows.push(row![scope, &c.name, o.data_type, name, o.precision, o.length, o.scale, 1]);
        };
        let columns = |i: &crate::catalog::Index| -> Vec<&crate::catalog::Column> {
            i.key.columns().iter().map(|k| &t.columns[k.column]).collect()
        };
        if by_version {
            t.columns.iter().filter(|c| c.ty == SqlType::RowVersion).for_each(|c| push(None, c));
        } else {
            let fits = |i: &&crate::catalog::Index| {
                i.unique && !(never_null && columns(i).iter().any(|c| c.nullable))
            };
            let best = t.indexes.iter().map(|i| &**i).filter(fits);
            let best = best.min_by_key(|i| (!i.primary_key, i.id));
            best.iter().flat_map(|i| columns(i)).for_each(|c| push(Some(1), c));
        }
    }
    let columns = [
        ("SCOPE", SMALL, true),
        ("COLUMN_NAME", NAME, true),
        ("DATA_TYPE", SMALL, true),
        ("TYPE_NAME", NAME, true),
        ("PRECISION", INT, true),
        ("LENGTH", INT, true),
        ("SCALE", SMALL, true),
        ("PSEUDO_COLUMN", SMALL, true),
    ];
    send(cx, &columns, rows)?;
    Ok(0)
}

/// `sp_stored_procedures`.
pub(super) fn stored_procedures(
    cx: &mut StatementContext<'_>,
    args: &Arguments<'_>,
) -> SqlResult<i32> {
    let [name, owner] = [0, 1].map(|at| pattern(unquoted(args.text(at)), args.number(3)));
    let database = database_of(cx, args.text(2).filter(|q| q != "%").as_deref())?;
    let mut rows = Vec::new();
    cx.settle_objects(&database, is_called(name.as_deref(), owner.as_deref()))?;
    for o in cx.session.seen_objects(&database, cx.sight()) {
        if let Object::Procedure(m) | Object::Function(m) = o
            && fits(&m.head.name, name.as_deref())
            && fits(&m.head.schema, owner.as_deref())
        {
            let shown = format!("{};{}", m.head.name, number(&m));
            rows.push(row![&database.name, &m.head.schema, shown, -1, -1, -1, (), 2]);
        }
    }
    let columns = [
        ("PROCEDURE_QUALIFIER", NAME, true),
        ("PROCEDURE_OWNER", NAME, true),
        ("PROCEDURE_NAME", SqlType::NVarChar(MaxLen::N(134)), false),
        ("NUM_INPUT_PARAMS", INT, true),
        ("NUM_OUTPUT_PARAMS", INT, true),
        ("NUM_RESULT_SETS", INT, true),
        ("REMARKS", TEXT, true),
        ("PROCEDURE_TYPE", SMALL, true),
    ];
    send(cx, &columns, rows)?;
    Ok(0)
}

/// `sp_server_info`: what drivers read at connect.
pub(super) fn server_info(cx: &mut StatementContext<'_>, args: &Arguments<'_>) -> SqlResult<i32> {
    let wanted = args.number(0);
    let all = [
        (1, "DBMS_NAME", "Microsoft SQL Server"),
        (2, "DBMS_VER", "Taffrail - 16.0.1000.6"),
        (10, "OWNER_TERM", "owner"),
        (11, "TABLE_TERM", "table"),
        (12, "MAX_OWNER_NAME_LENGTH", "128"),
        (13, "TABLE_LENGTH", "128"),
        (14, "MAX_QUAL_LENGTH", "128"),
        (15, "COLUMN_LENGTH", "128"),
        (16, "IDENTIFIER_CASE", "MIXED"),
        (17, "TX_ISOLATION", "2"),
        (
            18,
            "COLLATION_SEQ",
            "charset=iso_1 sort_order=nocase_iso charset_num=1 sort_order_num=52",
        ),
        (19, "SAVEPOINT_SUPPORT", "Y"),
        (20, "MULTI_RESULT_SETS", "Y"),
        (22, "ACCESSIBLE_TABLES", "Y"),
    ];
    let mut rows = Vec::new();
    for (id, name, value) in all {
        if wanted.is_none_or(|w| w == id) {
            rows.push(row![id, name, value]);
        }
    }
    let columns = [
        ("attribute_id", INT, false),
        ("attribute_name", SqlType::VarChar(MaxLen::N(60)), false),
        ("attribute_value", SqlType::VarChar(MaxLen::N(255)), true),
    ];
    send(cx, &columns, rows)?;
    Ok(0)
}
