//! The texts of the views that a statement names, kept while it is bound, and which of them names belong to.

use crate::binder::ViewText;
use crate::catalog::Module;
use crate::database::Database;
use std::cell::{OnceCell, RefCell};
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::ast::{LineIndex, StatementKind, ViewDefinition};
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
    /// The views that are being bound, the innermost last: database, schema, and ANSI_NULLS when the view was made (a
    /// view that is being made has the session's).
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

/// The definition in a view's text: 15197 when there is none.
pub(crate) fn definition(view: &Module) -> SqlResult<Box<ViewDefinition>> {
    let options = ParseOptions { quoted_identifier: view.quoted_identifier };
    let missing = || SqlError::new(15197, &[&view.head.name]);
    let mut batch = parse_batch(&view.definition, options).map_err(|_| missing())?;
    match batch.statements.pop().map(|s| s.kind) {
        Some(StatementKind::View(definition)) => Ok(definition),
        _ => Err(missing()),
    }
}

fn parsed(view: &Module) -> SqlResult<ViewText> {
    let definition = definition(view)?;
    let lines = LineIndex::new(&view.definition);
    Ok(ViewText { definition, lines, variables: Default::default() })
}
