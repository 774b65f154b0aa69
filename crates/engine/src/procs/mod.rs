//! System procedures.
//!
//! Those that run statements of the caller's are T-SQL, compiled in and run by the interpreter in the caller's database;
//! those that show something are functions that send rows.
//!
//! | module | procedures |
//! |---|---|
//! | [`applock`] | sp_getapplock, sp_releaseapplock |
//! | [`session_context`] | sp_set_session_context |
//! | [`space`] | sp_spaceused, sp_helpdb, sp_helpfile, sp_databases |
//! | [`constraints`] | sp_helpconstraint |
//! | [`help`] | sp_help, sp_helpindex, sp_helptext, sp_who, sp_who2, sp_configure, xp_msver |
//! | [`odbc_routines`], [`odbc_tables`] | sp_sproc_columns, sp_tables, privileges, collations |
//! | [`describe`], [`describe_rows`] | sp_describe_first_result_set, sp_describe_undeclared_parameters |
//! | [`odbc`], [`odbc_columns`], [`odbc_types`] | sp_columns, sp_pkeys, sp_statistics, sp_datatype_info … |
//! | `foreachdb.sql`, `foreachtable.sql` | sp_MSforeachdb, sp_MSforeachtable |
//! | [`rename`] | sp_rename |
//! | [`recompile`] | sp_recompile, sp_removedbreplication |
//! | `helplogins.sql`, `lock.sql`, `renamedb.sql` | sp_helplogins, sp_lock, sp_renamedb |
//! | `vardecimal.sql` | sp_db_vardecimal_storage_format |
//! | `attachdb.sql`, `attachsinglefiledb.sql` | sp_attach_db, sp_attach_single_file_db |
//! | [`files`], `fileexist.sql` | xp_create_subdir, xp_delete_file, xp_dirtree, xp_fileexist |
//! | `regread.sql` | xp_instance_regread, xp_regread: the directories that a set-up writes there |

pub(crate) mod applock;
mod constraints;
mod counters;
mod describe;
pub(crate) mod describe_rows;
mod diagnostics;
mod errorlog;
mod files;
mod help;
mod monitor;
mod odbc;
mod odbc_columns;
mod odbc_routines;
mod odbc_tables;
mod odbc_types;
mod odbc_waits;
pub(crate) mod properties;
mod recompile;
mod registered;
mod rename;
mod session_context;
mod space;

pub(crate) use crate::features::procedure::{Arguments, Body, SystemProcedure, names, texts};
pub(crate) use registered::{FEATURE, native};

use crate::catalog::{Table, fold};
use crate::catalog::{is_global_temp, is_temp};
use crate::database::Database;
use crate::session::context::StatementContext;
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::{SqlType, Value, convert};

/// `sys.sp_flush_log`: everything committed so far is on disk when it returns 1, which means success.
fn flush_log(cx: &mut StatementContext<'_>, _: &Arguments<'_>) -> SqlResult<i32> {
    cx.database().storage.flush_log().map_err(|e| e.to_sql())?;
    Ok(1)
}

/// The parts of a name such as `[db].[dbo].[t]`, last first.
pub(crate) fn name_parts(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut chars = name.trim().chars().peekable();
    let mut close = None;
    while let Some(c) = chars.next() {
        let part = parts.last_mut().expect("one part at least");
        match close {
            Some(end) if c == end => {
                if chars.peek() == Some(&end) {
                    part.push(end);
                    chars.next();
                } else {
                    close = None;
                }
            }
            Some(_) => part.push(c),
            None => match c {
                '[' => close = Some(']'),
                '"' => close = Some('"'),
                '.' => parts.push(String::new()),
                _ => part.push(c),
            },
        }
    }
    parts.reverse();
    parts
}

/// 15250 for a name with another database than the current one.
pub(crate) fn check_database(cx: &StatementContext<'_>, name: &str) -> SqlResult<()> {
    let parts = name_parts(name);
    match parts.get(2) {
        Some(d) if !d.is_empty() && fold(d) != fold(&cx.database().name) => {
            Err(SqlError::new(15250, &[]))
        }
        _ => Ok(()),
    }
}

/// A table of the session by the text of its name.
pub(crate) fn table_by_text(
    cx: &mut StatementContext<'_>,
    name: &str,
) -> SqlResult<Option<(Arc<Database>, Arc<Table>)>> {
    let parts = name_parts(name);
    let table = parts.first().map_or("", |p| p);
    if is_temp(table) {
        let tempdb = cx.instance().databases().tempdb()?;
        let temp = cx.session.find_temp_table(table);
        let found = temp.and_then(|t| tempdb.catalog.table(t.object_id, cx.session.id));
        return Ok(found.map(|t| (tempdb, t)));
    }
    let database = match parts.get(2) {
        _ if is_global_temp(table) => cx.instance().databases().tempdb()?,
        Some(database) if !database.is_empty() => cx.instance().databases().get(database)?,
        _ => cx.database(),
    };
    let schema = parts.get(1).map(String::as_str);
    let (catalog, id) = (&database.catalog, cx.session.id);
    let found = cx.settled(|cx| {
        cx.session.note_blocked(catalog.blocked_name(schema, table, id));
        Ok(catalog.find_table(schema, table, id))
    })?;
    Ok(found.map(|t| (database, t)))
}

/// A value as text of at most so many characters.
pub(crate) fn as_varchar(value: &Value, ty: SqlType, style: Option<i32>) -> SqlResult<String> {
    let to = SqlType::VarChar(taffrail_types::MaxLen::N(60));
    let explicit = taffrail_types::Conversion::Explicit;
    let text = convert::cast(value, ty, to, style, explicit)?;
    Ok(text.as_text().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_apart() {
        assert_eq!(name_parts("[a].[b.c].[d]]e]"), ["d]e", "b.c", "a"]);
        assert_eq!(name_parts("db..t"), ["t", "", "db"]);
        assert_eq!(name_parts("\"x y\""), ["x y"]);
    }
}
