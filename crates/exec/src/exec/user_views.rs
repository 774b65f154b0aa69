//! The texts of the views and functions that a statement names, kept while it is bound, and which of them names belong to.

use super::scalar_body::scalar_body;
use crate::binder::{Variable, Variables, ViewText};
use crate::catalog::Module;
use crate::database::Database;
use std::cell::{OnceCell, RefCell};
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::ast::{
    FunctionBody, FunctionDefinition, LineIndex, StatementKind, ViewDefinition,
};
use taffrail_syntax::{ParseOptions, parse_batch};

/// A list that only grows, so that what is in it can be borrowed while more comes.
struct Kept {
    /// [`Module::version`].
    version: u64,
    text: ViewText,
    next: OnceCell<Box<Kept>>,
}

/// See above.
#[derive(Default)]
pub(super) struct Views {
    texts: OnceCell<Box<Kept>>,
    /// The views and functions that are being bound, the innermost last: database, schema, and ANSI_NULLS when it was made (one
    /// that is being made has the session's).
    within: RefCell<Vec<(Arc<Database>, Arc<str>, Option<bool>)>>,
}

impl Views {
    /// The view that names belong to now.
    pub fn innermost(&self) -> Option<(Arc<Database>, Arc<str>)> {
        self.within.borrow().last().map(|(database, schema, _)| (database.clone(), schema.clone()))
    }

    /// ANSI_NULLS of the view that is being bound.
    pub fn ansi_nulls(&self) -> Option<bool> {
        self.within.borrow().last().and_then(|(_, _, on)| *on)
    }

    /// From now on names belong to a view of this database and schema.
    pub fn push(&self, database: &Arc<Database>, schema: Arc<str>, ansi_nulls: Option<bool>) {
        self.within.borrow_mut().push((database.clone(), schema, ansi_nulls));
    }

    /// The innermost view ends.
    pub fn leave(&self) {
        self.within.borrow_mut().pop();
    }

    /// A view's text; names belong to it from now on.
    pub fn enter(&self, database: &Arc<Database>, view: &Module) -> SqlResult<&ViewText> {
        let mut at = &self.texts;
        while let Some(kept) = at.get() {
            if kept.version == view.version {
                self.push(database, view.head.schema.clone(), Some(view.ansi_nulls));
                return Ok(&kept.text);
            }
            at = &kept.next;
        }
        let text = parsed(view)?;
        let kept = Kept { version: view.version, text, next: OnceCell::new() };
        let kept = at.get_or_init(|| Box::new(kept));
        self.push(database, view.head.schema.clone(), Some(view.ansi_nulls));
        Ok(&kept.text)
    }
}

fn damaged(module: &Module) -> Box<SqlError> {
    SqlError::new(15197, &[&module.head.name])
}

/// The statement that a module's text consists of: 15197 when there is none.
fn statement(module: &Module) -> SqlResult<StatementKind> {
    let options = ParseOptions { quoted_identifier: module.quoted_identifier };
    let mut batch = parse_batch(&module.definition, options).map_err(|_| damaged(module))?;
    batch.statements.pop().map(|s| s.kind).ok_or_else(|| damaged(module))
}

/// The definition in a view's text: 15197 when there is none.
pub fn definition(view: &Module) -> SqlResult<Box<ViewDefinition>> {
    match statement(view)? {
        StatementKind::View(definition) => Ok(definition),
        _ => Err(damaged(view)),
    }
}

/// The definition in a function's text: 15197 when there is none.
pub fn function_definition(function: &Module) -> SqlResult<Box<FunctionDefinition>> {
    match statement(function)? {
        StatementKind::Function(definition) => Ok(definition),
        _ => Err(damaged(function)),
    }
}

fn parsed(module: &Module) -> SqlResult<ViewText> {
    let lines = LineIndex::new(&module.definition);
    match statement(module)? {
        StatementKind::View(v) => {
            let ViewDefinition { name, with, query, check_option, .. } = *v;
            let (query, variables) = (Some(query), Variables::default());
            let (name, defaults) = (name.name, Vec::new());
            let scalar = None;
            Ok(ViewText { name, with, query, check_option, lines, variables, defaults, scalar })
        }
        StatementKind::Function(f) => {
            let FunctionDefinition { name, parameters, body, body_span, .. } = *f;
            let recorded = module.parameters.iter().map(|p| Variable {
                name: p.name.to_string(),
                ty: (!p.readonly).then_some(p.ty),
                large: p.large,
                user_type: p.user_type,
                readonly: p.readonly,
                cursor: false,
            });
            let mut variables = Variables { list: recorded.collect() };
            let (with, query, scalar) = match body {
                FunctionBody::Query(with, query) => (with, Some(*query), None),
                FunctionBody::Statements(list) if module.facts.inlineable => {
                    let text = (&*module.definition, body_span, module.quoted_identifier);
                    (None, None, scalar_body(list, text, &mut variables))
                }
                FunctionBody::Statements(_) => (None, None, None),
            };
            let (name, check_option) = (name.name, false);
            let defaults = parameters.into_iter().map(|p| p.default).collect();
            Ok(ViewText { name, with, query, check_option, lines, variables, defaults, scalar })
        }
        _ => Err(damaged(module)),
    }
}
