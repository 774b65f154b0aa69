//! System views and table-valued system functions: rows from the catalogue and from snapshots that lower layers publish.
//!
//! A view is declared by one line of text per column list (`name type!` for NOT NULL, `?` for nullable, in the order
//! clients rely on) and a function that makes its rows. The function gives natural values (any integer, any text); they
//! are brought to the declared types here, so that a row cannot disagree with its columns.
//!
//! | module | views |
//! |---|---|
//! | [`objects`] | sys.objects and what inherits from it, columns, parameters, types, schemas |
//! | [`indexes`] | indexes, constraints, partitions, allocation units, data spaces |
//! | [`databases`] | sys.databases, files |
//! | [`principals`] | principals, configurations, messages |
//! | [`information_schema`] | INFORMATION_SCHEMA.* |
//! | [`compatibility`] | sysobjects, sysdatabases, sysprocesses … |
//! | [`dm_os`], [`performance_counters`] | waits, counters, host |
//! | [`dm_exec`], [`dm_tran`], [`dm_db`] | sessions, locks and transactions, log and space |

pub mod cell;
pub mod compatibility;
pub mod databases;
pub mod dm_db;
pub mod dm_exec;
pub mod dm_os;
pub mod dm_tran;
pub mod indexes;
pub mod information_schema;
pub mod objects;
pub mod performance_counters;
pub mod principals;

pub use cell::Rows;

use crate::catalog::fold;
use crate::database::Database;
use crate::session::Session;
use std::sync::{Arc, LazyLock};
use taffrail_base::SqlResult;
use taffrail_types::names::TypeUse;
use taffrail_types::{SqlType, Value, names};

/// Where a view is read.
pub struct ViewContext<'a> {
    /// Who reads.
    pub session: &'a Session,
    /// Through which database it was named.
    pub database: &'a Arc<Database>,
}

/// A column of a system view.
#[derive(Clone, Debug)]
pub struct ViewColumn {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub ty: SqlType,
    /// NULL can occur.
    pub nullable: bool,
}

/// A system view, or a table-valued system function.
pub struct SystemView {
    /// `sys` or `INFORMATION_SCHEMA`.
    pub schema: &'static str,
    /// Its name.
    pub name: &'static str,
    /// `object_id`: negative, as those of system objects are.
    pub id: i32,
    /// Its columns.
    pub columns: Vec<ViewColumn>,
    /// `None` for a view; else how many arguments the function takes.
    pub arguments: Option<usize>,
    make: Make,
}

/// Makes a view's rows. Arguments of a function that were left out or DEFAULT are NULL.
type Make = fn(&ViewContext<'_>, &[Value], &mut Rows) -> SqlResult<()>;

/// A declaration: schema, name, columns, arguments, rows.
pub(crate) struct Declaration {
    schema: &'static str,
    name: &'static str,
    columns: Vec<&'static str>,
    arguments: Option<usize>,
    make: Make,
}

/// Declares a view of schema `sys`. `columns` are texts that are read one after the other.
pub(crate) fn sys(name: &'static str, columns: &[&'static str], make: Make) -> Declaration {
    Declaration { schema: "sys", name, columns: columns.to_vec(), arguments: None, make }
}

/// Declares a function of schema `sys`.
pub(crate) fn function(
    name: &'static str,
    arguments: usize,
    columns: &[&'static str],
    make: Make,
) -> Declaration {
    Declaration { arguments: Some(arguments), ..sys(name, columns, make) }
}

impl SystemView {
    /// Its rows.
    pub fn rows(
        &self,
        context: &ViewContext<'_>,
        arguments: &[Value],
    ) -> SqlResult<Vec<Vec<Value>>> {
        let mut rows = Rows::new(&self.columns);
        (self.make)(context, arguments, &mut rows)?;
        Ok(rows.finish())
    }

    fn new(number: usize, d: Declaration) -> SystemView {
        let columns = d.columns.iter().flat_map(|text| text.split('·')).map(column).collect();
        let id = -(number as i32) - 100;
        SystemView {
            schema: d.schema,
            name: d.name,
            id,
            columns,
            arguments: d.arguments,
            make: d.make,
        }
    }
}

/// Reads `name type!`, `name type?` or `name type`; a name with blanks stands in brackets.
fn column(text: &'static str) -> ViewColumn {
    let text = text.trim();
    let (name, ty) = match text.strip_prefix('[').and_then(|t| t.split_once(']')) {
        Some((name, ty)) => (name, ty.trim()),
        None => text.split_once(' ').unwrap_or((text, "int")),
    };
    let nullable = !ty.ends_with('!');
    let ty = ty.trim_end_matches(['!', '?']);
    let ty = match ty {
        "sysname" => SqlType::NVarChar(taffrail_types::MaxLen::N(128)),
        _ => match names::parse(ty, TypeUse::Declaration) {
            Some(Ok(ty)) => ty,
            _ => panic!("the type '{ty}' of a system view's column '{name}'"),
        },
    };
    ViewColumn { name, ty, nullable }
}

static VIEWS: LazyLock<Vec<SystemView>> = LazyLock::new(|| {
    let mut all = Vec::new();
    objects::declare(&mut all);
    indexes::declare(&mut all);
    databases::declare(&mut all);
    principals::declare(&mut all);
    information_schema::declare(&mut all);
    compatibility::declare(&mut all);
    dm_os::declare(&mut all);
    performance_counters::declare(&mut all);
    dm_exec::declare(&mut all);
    dm_tran::declare(&mut all);
    dm_db::declare(&mut all);
    all.into_iter().enumerate().map(|(n, d)| SystemView::new(n, d)).collect()
});

type Names = hashbrown::HashMap<(String, String), usize, foldhash::fast::RandomState>;

static BY_NAME: LazyLock<Names> = LazyLock::new(|| {
    let key = |v: &SystemView| (fold(v.schema), fold(v.name));
    VIEWS.iter().enumerate().map(|(n, v)| (key(v), n)).collect()
});

/// All of them.
pub fn all() -> &'static [SystemView] {
    &VIEWS
}

/// A view or function by name. The old `sysobjects`, `sysdatabases` … are found in `dbo` and without schema as well.
pub fn find(schema: Option<&str>, name: &str) -> Option<&'static SystemView> {
    let name = fold(name);
    let found = |schema: &str| BY_NAME.get(&(schema.into(), name.clone())).map(|n| &VIEWS[*n]);
    match schema.map(fold).as_deref() {
        Some("sys") => found("sys"),
        Some("information_schema") => found("information_schema"),
        None | Some("" | "dbo") => found("sys").filter(|v| compatibility::NAMES.contains(&v.name)),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_view_is_declared_once_and_readable() {
        assert_eq!(BY_NAME.len(), VIEWS.len(), "two views of one name");
        for view in all() {
            assert!(!view.columns.is_empty(), "{}", view.name);
            let mut names: Vec<_> = view.columns.iter().map(|c| c.name).collect();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), view.columns.len(), "a column twice in {}", view.name);
        }
        assert!(find(Some("SYS"), "Databases").is_some());
        assert!(find(None, "databases").is_none());
        assert!(find(None, "sysdatabases").is_some());
    }
}
