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
//! | [`odbc_routines`], [`odbc_tables`], [`describe`], [`describe_rows`] | sp_sproc_columns, privileges, collations, what a text sends |
//! | [`odbc`], [`odbc_types`] | sp_tables, sp_columns, sp_pkeys, sp_statistics, sp_datatype_info … |
//! | `foreachdb.sql`, `foreachtable.sql` | sp_MSforeachdb, sp_MSforeachtable |
//! | [`rename`] | sp_rename |
//! | `helplogins.sql`, `lock.sql`, `renamedb.sql`, `vardecimal.sql` | sp_helplogins, sp_lock, sp_renamedb, sp_db_vardecimal_storage_format |
//! | `attachdb.sql`, `attachsinglefiledb.sql` | sp_attach_db, sp_attach_single_file_db |
//! | [`files`], `fileexist.sql` | xp_create_subdir, xp_delete_file, xp_dirtree, xp_fileexist |
//! | `regread.sql` | xp_instance_regread, xp_regread: the directories that a set-up writes there |

pub(crate) mod applock;
mod constraints;
mod counters;
mod describe;
pub(crate) mod describe_rows;
mod errorlog;
mod files;
mod help;
mod odbc;
mod odbc_routines;
mod odbc_tables;
mod odbc_types;
mod odbc_waits;
pub(crate) mod properties;
mod registered;
mod rename;
mod session_context;
mod space;

pub(crate) use registered::{FEATURE, native};

use crate::catalog::{Table, fold};
use crate::catalog::{is_global_temp, is_temp};
use crate::context::StatementContext;
use crate::database::Database;
use crate::features::FEATURES;
use std::sync::{Arc, LazyLock};
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::{SqlType, Value, convert};

/// An argument of a native procedure: its name with `@` (empty when it was given by position) and its value.
#[derive(Clone, Debug)]
pub struct Argument {
    /// With `@`.
    pub name: String,
    /// The value.
    pub value: Value,
    /// Its type.
    pub ty: SqlType,
}

/// How a system procedure is run.
pub enum Body {
    /// A `CREATE PROCEDURE` batch: parameters and body.
    Sql(&'static str),
    /// Our own code; gives the return status.
    Native(Native),
}

/// A system procedure.
pub struct SystemProcedure {
    /// Its name.
    pub name: &'static str,
    /// The names of its parameters, with `@`; of one in T-SQL its text has them.
    pub parameters: &'static [&'static str],
    /// What it does.
    pub body: Body,
}

/// The code of a native procedure.
pub type Native = fn(&mut StatementContext<'_>, &Arguments<'_>) -> SqlResult<i32>;

/// Those of all features.
static ALL: LazyLock<Vec<&SystemProcedure>> =
    LazyLock::new(|| FEATURES.iter().flat_map(|f| f.procedures).collect());

static BY_NAME: LazyLock<hashbrown::HashMap<String, usize, foldhash::fast::RandomState>> =
    LazyLock::new(|| ALL.iter().enumerate().map(|(n, p)| (fold(p.name), n)).collect());

/// A system procedure by name: `sys.x`, and `dbo.x` or `x` from any database.
pub fn find(schema: Option<&str>, name: &str) -> Option<&'static SystemProcedure> {
    match schema.map(fold).as_deref() {
        None | Some("" | "dbo" | "sys") => BY_NAME.get(&fold(name)).map(|n| ALL[*n]),
        Some(_) => None,
    }
}

/// What is said of a name that no procedure has: 40510 if it is one of SQL Server's that is not here, else 2812.
pub fn missing(schema: Option<&str>, name: &str, shown: &dyn std::fmt::Display) -> Box<SqlError> {
    match crate::absent::procedure(schema, name) {
        true => SqlError::new(40510, &[&format_args!("The procedure {name}")]),
        false => SqlError::new(2812, &[shown]).with_state(62),
    }
}

/// Names and ids of all of them, for sys.all_objects.
pub(crate) fn names() -> impl Iterator<Item = (&'static str, i32)> {
    ALL.iter().enumerate().map(|(n, p)| (p.name, -10_000 - n as i32))
}

/// Ids and texts of those that are T-SQL.
pub(crate) fn texts() -> impl Iterator<Item = (i32, &'static str)> {
    names().zip(ALL.iter()).filter_map(|((_, id), p)| match p.body {
        Body::Sql(text) => Some((id, text)),
        Body::Native(_) => None,
    })
}

/// `sys.sp_flush_log`: everything committed so far is on disk when it returns 1, which means success.
fn flush_log(cx: &mut StatementContext<'_>, _: &Arguments<'_>) -> SqlResult<i32> {
    cx.database().storage.flush_log().map_err(|e| e.to_sql())?;
    Ok(1)
}

/// The arguments of a call, by the procedure's parameters.
pub struct Arguments<'a> {
    values: Vec<Option<&'a Argument>>,
}

impl<'a> Arguments<'a> {
    /// 8144, 8145, 8146 when the call does not fit.
    pub fn new(procedure: &str, names: &[&str], given: &'a [Argument]) -> SqlResult<Arguments<'a>> {
        if names.is_empty() && !given.is_empty() {
            return Err(SqlError::new(8146, &[&procedure]).with_state(2));
        }
        let mut values = vec![None; names.len()];
        for (i, a) in given.iter().enumerate() {
            let at = match a.name.as_str() {
                "" if i < names.len() => i,
                "" => return Err(SqlError::new(8144, &[&procedure])),
                name => names
                    .iter()
                    .position(|n| n.eq_ignore_ascii_case(name))
                    .ok_or_else(|| SqlError::new(8145, &[&name, &procedure]))?,
            };
            values[at] = Some(a);
        }
        Ok(Arguments { values })
    }

    /// How many parameters there are.
    pub fn count(&self) -> usize {
        self.values.len()
    }

    /// A text argument; NULL counts as not given.
    pub fn text(&self, at: usize) -> Option<String> {
        let value = &self.values[at]?.value;
        value.as_text().or_else(|| value.as_i64().map(|n| n.to_string()))
    }

    /// A number; text is read as one.
    pub fn number(&self, at: usize) -> Option<i64> {
        let value = &self.values[at]?.value;
        value.as_i64().or_else(|| value.as_text()?.trim().parse().ok())
    }

    /// A value of any type, NULL too.
    pub fn typed(&self, at: usize) -> Option<(&'a Value, SqlType)> {
        self.values[at].map(|a| (&a.value, a.ty))
    }

    /// A flag.
    pub fn flag(&self, at: usize) -> bool {
        self.number(at).is_some_and(|n| n != 0)
            || self.text(at).is_some_and(|t| t.eq_ignore_ascii_case("true"))
    }
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

    #[test]
    fn procedures_are_found_from_everywhere() {
        for schema in [None, Some("sys"), Some("DBO")] {
            assert!(find(schema, "SP_MSFOREACHDB").is_some());
        }
        assert!(find(Some("other"), "sp_who").is_none());
        assert_eq!(BY_NAME.len(), ALL.len());
    }

    #[test]
    fn arguments_are_bound_by_place_and_name() {
        let given = [
            Argument { name: String::new(), value: Value::varchar("t"), ty: SqlType::varchar(1) },
            Argument { name: "@B".into(), value: Value::Int(1), ty: SqlType::Int },
        ];
        let args = Arguments::new("p", &["@a", "@b"], &given).unwrap();
        assert_eq!((args.text(0).as_deref(), args.flag(1)), (Some("t"), true));
        assert_eq!(Arguments::new("p", &["@a"], &given).err().map(|e| e.number), Some(8145));
    }
}
