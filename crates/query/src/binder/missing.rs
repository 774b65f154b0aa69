//! Columns that are not there: of one statement all are told.

use super::{Binder, Bound};
use taffrail_base::{SqlError, SqlResult};
use taffrail_plan::expr::Expr;
use taffrail_syntax::ast;
use taffrail_types::SqlType;

/// The columns of a statement that could not be found, with the places where they stand.
#[derive(Default)]
pub(super) struct Missing {
    list: Vec<(u32, SqlError)>,
}

/// Errors of names of columns.
fn is_of_a_name(e: &SqlError) -> bool {
    matches!(e.number, 207 | 209 | 4104)
}

impl<'a> Binder<'a> {
    /// A column; where the statement's mistakes are all told, one that cannot be found is NULL until the end.
    pub(super) fn column(&mut self, c: &ast::ColumnRef) -> SqlResult<Bound> {
        let found = self.existing_column(c);
        // A view's mistakes are its reader's only in their consequence.
        if !self.views.is_empty() {
            return found;
        }
        match (found, &mut self.missing) {
            (Err(e), Some(missing)) if is_of_a_name(&e) => {
                let at = c.name.span.start;
                if !missing.list.iter().any(|(known, _)| *known == at) {
                    missing.list.push((at, *e));
                }
                Ok(Bound { untyped: true, ..Bound::new(Expr::NULL, SqlType::Int) })
            }
            (found, _) => found,
        }
    }

    /// How many columns have not been found so far.
    pub(super) fn missed(&self) -> usize {
        self.missing.as_ref().map_or(0, |m| m.list.len())
    }

    /// Tells these missing columns behind those that were missed after them.
    pub(super) fn tell_later(&mut self, these: std::ops::Range<usize>) {
        if let Some(missing) = &mut self.missing {
            missing.list[these.start..].rotate_left(these.len());
        }
    }

    /// Whether a column has not been found yet: what is made of it means nothing.
    pub(super) fn misses(&self) -> bool {
        self.missing.as_ref().is_some_and(|m| !m.list.is_empty())
    }

    /// Binds a statement. When columns were not found its error is the last of these, with the others before it; what else
    /// is wrong may come of them.
    pub fn telling_all<R>(&mut self, bind: impl FnOnce(&mut Self) -> SqlResult<R>) -> SqlResult<R> {
        self.missing = Some(Missing::default());
        let bound = bind(self);
        let missing = self.missing.take().unwrap_or_default().list;
        let mut errors: Vec<SqlError> = missing.into_iter().map(|(_, e)| e).collect();
        if errors.is_empty() {
            return bound;
        }
        errors.extend(bound.err().filter(|e| is_of_a_name(e)).map(|e| *e));
        let mut last = errors.pop().expect("there is one");
        last.before = errors;
        Err(Box::new(last))
    }
}
