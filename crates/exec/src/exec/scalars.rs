//! Expressions outside any query: compiled with their module where nothing of what they mean can change before they run.

use super::compile::Compiler;
use super::metadata::SessionMetadata;
use super::module::{Code, Cond};
use super::query_in::{has_query, may_compare_texts};
use crate::binder::Binder;
use taffrail_base::SqlResult;
use taffrail_syntax::ast::{self, AlterDatabaseAction, Statement, StatementKind as K};
use taffrail_types::SqlType;
use taffrail_types::convert::Declared;

/// Whether one of these changes the session's database, or that one's collation.
pub(super) fn moves(list: &[Statement]) -> bool {
    let one = std::slice::from_ref;
    list.iter().any(|s| match &s.kind {
        K::Use(_) => true,
        K::AlterDatabase(a) => matches!(a.action, AlterDatabaseAction::Collate(_)),
        K::Block(list) => moves(list),
        K::If(i) => moves(one(&i.then)) || moves(&i.otherwise),
        K::While(w) => moves(one(&w.body)),
        K::TryCatch(t) => moves(&t.body) || moves(&t.catch),
        _ => false,
    })
}

impl Compiler<'_> {
    pub(super) fn code(&mut self, e: ast::Expr, to: Option<SqlType>) -> SqlResult<Code> {
        self.code_for(e, to.map(Into::into))
    }

    /// The same for what is declared: xml is read.
    pub(super) fn code_for(&mut self, e: ast::Expr, to: Option<Declared>) -> SqlResult<Code> {
        if !self.waits(&e) {
            let metadata =
                SessionMetadata::lasting(self.session, self.home, self.quoted_identifier);
            let mut binder = Binder::new(&metadata, &self.variables, &self.lines);
            let bound = binder.bind_scalar(&e)?;
            let to = to.unwrap_or(bound.declared());
            let expr = binder.cast_to_declared(bound, to)?;
            return Ok(Code::Ready(expr, to));
        }
        Ok(Code::Lazy(Box::new(e), self.new_plan(), to))
    }

    pub(super) fn condition(&mut self, e: ast::Expr) -> SqlResult<Cond> {
        if !self.waits(&e) {
            let metadata =
                SessionMetadata::lasting(self.session, self.home, self.quoted_identifier);
            let mut binder = Binder::new(&metadata, &self.variables, &self.lines);
            return Ok(Cond::Ready(binder.bind_condition(&e)?));
        }
        Ok(Cond::Lazy(Box::new(e), self.new_plan()))
    }

    /// Whether it is bound only when it is met: it reads tables, or texts are compared as a database does that may not be the
    /// session's yet.
    fn waits(&self, e: &ast::Expr) -> bool {
        has_query(e) || self.moves && may_compare_texts(e, &self.variables)
    }
}
