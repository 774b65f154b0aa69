//! Keys and indexes of a draft.

use super::{KeyDraft, MAX_KEY_COLUMNS, TableDraft};
use crate::catalog::IndexFilter;
use crate::ddl::clauses::check_placement;
use crate::ddl::index_options::constraint_options;
use taffrail_base::message::unsupported;
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::ast;

impl TableDraft {
    /// Adds a key or index whose columns are settled; checks what can be checked now.
    pub(crate) fn add_key(&mut self, key: KeyDraft) -> SqlResult<()> {
        let what = if key.constraint { "constraint" } else { "index" };
        let name = key.name.clone().unwrap_or_default();
        self.index_computed(&key)?;
        if key.ignore_dup_key && !key.unique {
            return Err(SqlError::new(1916, &[&"nonunique", &"ignore_dup_key"]));
        }
        if key.ignore_dup_key && key.filter.is_some() {
            return Err(SqlError::new(10618, &[&"create", &name, &self.table]));
        }
        if key.primary {
            if self.has_primary {
                // A table that is there has its key; two keys of a new one are a mistake of the statement.
                let number = if self.existing > 0 { 1779 } else { 8110 };
                return Err(SqlError::new(number, &[&self.table]));
            }
            self.has_primary = true;
            for (at, _) in &key.columns {
                // A column of the new table that said neither NULL nor NOT NULL becomes NOT NULL.
                if *at >= self.existing && !self.said_null.contains(at) {
                    self.columns[*at].nullable = false;
                } else if self.columns[*at].nullable {
                    return Err(SqlError::new(8111, &[&self.table]));
                }
            }
        }
        if key.clustered {
            if self.has_clustered {
                return Err(match key.constraint {
                    true => SqlError::new(8112, &[&self.table]),
                    false => SqlError::new(1902, &[&"table", &self.table, &name]),
                });
            }
            self.has_clustered = true;
        }
        if key.columns.len() > MAX_KEY_COLUMNS {
            let n = key.columns.len();
            return Err(SqlError::new(
                1904,
                &[&what, &name, &self.table, &n, &what, &MAX_KEY_COLUMNS],
            ));
        }
        let all = key.columns.iter().map(|c| c.0).chain(key.included.iter().copied());
        let mut seen = Vec::new();
        for at in all {
            if seen.contains(&at) {
                return Err(SqlError::new(1909, &[&what, &self.columns[at].name]));
            }
            seen.push(at);
        }
        for (at, _) in &key.columns {
            let c = &self.columns[*at];
            if c.ty.max_length() < 0 || c.is_sparse && (key.primary || key.clustered) {
                return Err(SqlError::new(1919, &[&c.name, &self.table]));
            }
        }
        self.keys.push(key);
        Ok(())
    }

    /// Positions of key columns: 1911.
    pub fn key_columns(&self, columns: &[ast::IndexColumn]) -> SqlResult<Vec<(usize, bool)>> {
        let find = |c: &ast::IndexColumn| {
            let at = self.position(&c.name.value);
            let at = at.ok_or_else(|| SqlError::new(1911, &[&c.name.value]))?;
            Ok((at, c.order == ast::SortOrder::Descending))
        };
        columns.iter().map(find).collect()
    }

    pub(super) fn add_inline_index(
        &mut self,
        index: &ast::InlineIndex,
        column: Option<usize>,
    ) -> SqlResult<()> {
        let is_store = index.variant.as_ref().is_some_and(|v| v.is("COLUMNSTORE"));
        if is_store && index.clustered == Some(true) {
            check_placement(index.on.as_ref())?;
            if self.columnstore.is_some() {
                return Err(SqlError::new(35339, &[]));
            }
            self.columnstore = Some(index.name.value.to_string());
            return Ok(());
        }
        if let Some(variant) = &index.variant {
            return Err(unsupported(format!("A {variant} index")));
        }
        check_placement(index.on.as_ref())?;
        let columns = match (column, index.columns.is_empty()) {
            (Some(at), true) => vec![(at, false)],
            _ => self.key_columns(&index.columns)?,
        };
        let options = constraint_options(&index.options)?;
        let included = self.included(&index.include)?;
        self.add_key(KeyDraft {
            name: Some(index.name.value.to_string()),
            primary: false,
            constraint: false,
            unique: index.unique,
            clustered: index.clustered == Some(true),
            columns,
            included,
            fill_factor: options.fill_factor.unwrap_or(0),
            padded: options.padded.unwrap_or(false),
            no_page_locks: options.page_locks == Some(false),
            no_row_locks: options.row_locks == Some(false),
            ignore_dup_key: options.ignore_dup_key == Some(true),
            filter: match &index.filter {
                None => None,
                Some(f) => {
                    let clustered = index.clustered == Some(true);
                    Some(self.filter(&index.name.value, clustered, f)?)
                }
            },
        })
    }

    /// WHERE of an index.
    pub fn filter(
        &self,
        index: &str,
        clustered: bool,
        condition: &ast::Expr,
    ) -> SqlResult<IndexFilter> {
        if clustered {
            return Err(SqlError::new(156, &[&"WHERE"]));
        }
        crate::ddl::filter::filter(("index", index), &self.table, &self.columns, condition)
    }

    /// Positions of included columns: 1911.
    pub fn included(&self, names: &[ast::Ident]) -> SqlResult<Vec<usize>> {
        let find = |n: &ast::Ident| {
            self.position(&n.value).ok_or_else(|| SqlError::new(1911, &[&n.value]))
        };
        names.iter().map(find).collect()
    }
}
