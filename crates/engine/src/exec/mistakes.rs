//! What is wrong with a procedure before it ever runs: CREATE and ALTER PROCEDURE tell of it.

use super::compile::{Compiler, CreatedUnder, procedure_for};
use crate::database::Database;
use crate::session::Session;
use std::sync::Arc;
use taffrail_base::SqlError;
use taffrail_syntax::ast::{self, StatementKind};
use taffrail_syntax::{ParseOptions, variables_of};
use taffrail_types::Collation;

/// The mistakes of a definition that do not depend on what is there when it runs: variables that nothing declares, types that
/// are none, statements that have no place in a procedure. What is not built is told of when it would run.
pub(crate) fn of_procedure(
    session: &Session,
    home: &Arc<Database>,
    text: &Arc<str>,
    name: &str,
) -> Vec<SqlError> {
    let options = &session.options;
    let (quoted_identifier, ansi_nulls) = (options.quoted_identifier, options.ansi_nulls);
    let under = CreatedUnder { quoted_identifier, ansi_nulls };
    let compiled = procedure_for(session, home, text, under, (name, None), 0, true);
    let mut errors = match compiled {
        Ok(module) => module.errors,
        Err(errors) => errors,
    };
    // Functions may come to be, as tables may.
    errors.retain(|e| !matches!(e.number, 195 | 4121 | 40510));
    errors.iter_mut().for_each(|e| e.procedure = Some(name.into()));
    errors
}

impl Compiler<'_> {
    /// Variables of a query or change that nothing declares above it: 137, 1087. When it is bound, a name that is missing yet
    /// may hide them; those of other statements are found while they are compiled.
    pub(super) fn look_for_undeclared(&mut self, s: &ast::Statement) {
        let Some((text, quoted_identifier)) = &self.strict else { return };
        match &s.kind {
            StatementKind::Insert(i) if matches!(i.source, ast::InsertSource::Execute(_)) => return,
            StatementKind::Select(_)
            | StatementKind::Insert(_)
            | StatementKind::Update(_)
            | StatementKind::Delete(_)
            | StatementKind::Merge(_) => {}
            _ => return,
        }
        let part = text.get(s.span.start as usize..s.span.end as usize).unwrap_or_default();
        let options = ParseOptions { quoted_identifier: *quoted_identifier };
        for v in variables_of(part, options) {
            let known = |name: &str| Collation::default().eq_str(name, v.name);
            if self.variables.list.iter().any(|declared| known(&declared.name)) {
                continue;
            }
            let e = match v.table {
                true => SqlError::new(1087, &[&v.name]),
                false => SqlError::new(137, &[&v.name]).with_state(2),
            };
            self.errors.push(*e.with_line(self.lines.line_of(s.span.start + v.at)));
        }
    }
}
