//! Security predicates of the tables that a statement reads or changes: their texts, kept while the statement is bound.

use crate::binder::PredicateText;
use std::cell::OnceCell;
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::ast::{LineIndex, Statement, StatementKind};
use taffrail_syntax::{ParseOptions, parse_batch};

/// A list that only grows, so that what is in it can be borrowed while more comes.
struct KeptPredicate {
    definition: Arc<str>,
    text: PredicateText,
    next: OnceCell<Box<KeptPredicate>>,
}

/// The texts by their definitions.
#[derive(Default)]
pub(super) struct Predicates(OnceCell<Box<KeptPredicate>>);

/// The call of a predicate's function, without the parentheses around it.
pub fn call_of(definition: &str) -> &str {
    let inner = definition.strip_prefix('(').and_then(|d| d.strip_suffix(')'));
    inner.unwrap_or(definition)
}

impl Predicates {
    /// The condition of a definition: 33272 where there is none.
    pub fn text(&self, definition: &Arc<str>) -> SqlResult<&PredicateText> {
        let mut at = &self.0;
        while let Some(kept) = at.get() {
            if kept.definition == *definition {
                return Ok(&kept.text);
            }
            at = &kept.next;
        }
        let text = parsed(definition)?;
        let kept = KeptPredicate { definition: definition.clone(), text, next: OnceCell::new() };
        Ok(&at.get_or_init(|| Box::new(kept)).text)
    }
}

fn parsed(definition: &str) -> SqlResult<PredicateText> {
    let text = format!("SELECT 1 WHERE EXISTS (SELECT 1 FROM {})", call_of(definition));
    let wrong = || SqlError::new(33272, &[&definition]);
    let batch = parse_batch(&text, ParseOptions::default()).map_err(|_| wrong())?;
    let lines = LineIndex::new(&text);
    let Some(Statement { kind: StatementKind::Select(mut s), .. }) =
        batch.statements.into_iter().next()
    else {
        return Err(wrong());
    };
    let condition = s.query.body.first_block_mut().filter.take().ok_or_else(wrong)?;
    Ok(PredicateText { condition, lines })
}
