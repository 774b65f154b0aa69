//! TABLE HINT in OPTION: the hints of a table at the end of the statement, in place of those behind its name.

use super::{Binder, eq};
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::ast::{NamedTable, ObjectName, TableHint, TableHintKind};

/// The hints that OPTION has for a table.
pub(super) struct OptionHints<'a> {
    name: &'a ObjectName,
    hints: &'a [TableHint],
    /// The statement names such a table.
    found: bool,
}

impl<'a> OptionHints<'a> {
    pub fn new(name: &'a ObjectName, hints: &'a [TableHint]) -> OptionHints<'a> {
        OptionHints { name, hints, found: false }
    }

    /// Whether it is about a table: it is called by its alias, or as it is called where it stands.
    fn is_about(&self, table: &NamedTable) -> bool {
        let parts = |n: &'a ObjectName| [&n.server, &n.database, &n.schema];
        match &table.alias {
            Some(alias) => self.name.as_bare().is_some_and(|n| eq(&n.value, &alias.value)),
            None => {
                let mine = parts(self.name).into_iter();
                let theirs = [&table.name.server, &table.name.database, &table.name.schema];
                let same = mine.zip(theirs).all(|pair| match pair {
                    (Some(a), Some(b)) => eq(&a.value, &b.value),
                    (None, None) => true,
                    _ => false,
                });
                same && eq(&self.name.name.value, &table.name.name.value)
            }
        }
    }
}

impl<'a> Binder<'a> {
    /// The hints of a table: 8722. Tables of a view are nobody's whom OPTION could name.
    pub(super) fn table_hints(&mut self, table: &'a NamedTable) -> SqlResult<&'a [TableHint]> {
        let behind = &table.hints[..];
        if !self.views.is_empty() {
            return Ok(behind);
        }
        let Some(option) = self.option_hints.iter_mut().find(|o| o.is_about(table)) else {
            return Ok(behind);
        };
        option.found = true;
        let clauses = ("WITH", "TABLE HINT");
        let missing = |these: &[TableHint], others: &[TableHint], (here, there): (&str, &str)| {
            let lonely = these
                .iter()
                .find(|h| changes_meaning(&h.kind) && !others.iter().any(|o| o.kind == h.kind));
            lonely.map(|h| {
                SqlError::new(8722, &[&h.kind.word(), &here, &option.name.name.value, &there])
            })
        };
        let error = missing(behind, option.hints, clauses)
            .or_else(|| missing(option.hints, behind, (clauses.1, clauses.0)));
        error.map_or(Ok(option.hints), Err)
    }

    /// 8723: OPTION has hints for a table that the statement does not name so.
    pub fn option_hints_are_used(&self) -> SqlResult<()> {
        match self.option_hints.iter().find(|o| !o.found) {
            Some(o) => Err(SqlError::new(8723, &[&o.name.name.value])),
            None => Ok(()),
        }
    }
}

/// Which hints say how a table is read, and nothing of what is locked or seen, may stand in either place.
fn changes_meaning(hint: &TableHintKind) -> bool {
    use TableHintKind::*;
    !matches!(hint, Index(_) | ForceSeek(_) | ForceScan)
}
