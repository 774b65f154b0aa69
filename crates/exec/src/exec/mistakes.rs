//! What is wrong with a procedure or function before it ever runs: CREATE and ALTER tell of it.

use super::compile::{Compiler, CreatedUnder};
use super::definition::procedure_for;
use super::interpret::Interpreter;
use crate::binder::Variable;
use crate::database::Database;
use crate::session::context::StatementContext;
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::ast::{self, StatementKind};
use taffrail_syntax::{ParseOptions, calls_of, variables_of};
use taffrail_types::Collation;

/// The mistakes of a definition: variables that nothing declares, types and functions that are none, statements that have no
/// place in a procedure; then what is wrong with the statements whose tables are all there. Tables may still come, and what is
/// not built is told of when it would run.
pub fn of_definition(
    cx: &mut StatementContext<'_>,
    home: &Arc<Database>,
    text: &Arc<str>,
    head: (&str, Option<&str>),
) -> SqlResult<Vec<SqlError>> {
    let session = &*cx.session;
    let options = &session.activation.options;
    let (quoted_identifier, ansi_nulls) = (options.quoted_identifier, options.ansi_nulls);
    let under = CreatedUnder { quoted_identifier, ansi_nulls };
    let compiled = procedure_for(session, home, text, under, head, 0, true);
    let mut errors = match compiled {
        Ok(module) if module.errors.is_empty() => {
            Interpreter::new(cx.session, cx.sink).check_definition(Arc::new(module))?
        }
        Ok(module) => module.errors,
        Err(errors) => errors,
    };
    errors.retain(|e| e.number != 40510);
    errors.iter_mut().for_each(|e| e.procedure = Some(head.0.into()));
    Ok(errors)
}

impl Compiler<'_> {
    /// A module makes a temp table of a name once, on whatever way, dropped in between or not: 2714.
    pub(super) fn makes_temp_table(&mut self, name: &ast::ObjectName) -> SqlResult<()> {
        let name = &name.name.value;
        if !crate::catalog::is_temp(name) {
            return Ok(());
        }
        let collation = Collation::default();
        if self.temp_tables.iter().any(|n| collation.eq_str(n, name)) {
            return Err(SqlError::new(2714, &[name]).with_state(1));
        }
        self.temp_tables.push(name.clone());
        Ok(())
    }

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
        let declared = &self.variables.list;
        let text = Text { text, lines: &self.lines, quoted_identifier: *quoted_identifier };
        self.errors.extend(undeclared(text, s.span, declared));
    }
}

/// Functions that a part of a text calls and nobody has: 195. `wrap`: what makes statements of the part.
pub(super) fn unknown_functions(
    text: Text<'_>,
    part: ast::Span,
    (before, after): (&str, &str),
) -> Vec<SqlError> {
    let of = text.text.get(part.start as usize..part.end as usize).unwrap_or_default();
    let whole = format!("{before}{of}{after}");
    let options = ParseOptions { quoted_identifier: text.quoted_identifier };
    let mut errors = Vec::new();
    for call in calls_of(&whole, options) {
        let written = whole.get(call.start as usize..call.end as usize).unwrap_or_default();
        let name = written.trim_matches(['[', ']', '"']);
        if !crate::binder::is_function(name) {
            let e = SqlError::new(195, &[&name, &"built-in function name"]).with_state(10);
            let at = part.start + call.start - before.len() as u32;
            errors.push(*e.with_line(text.lines.line_of(at)));
        }
    }
    errors
}

/// A module's text.
#[derive(Clone, Copy)]
pub(super) struct Text<'t> {
    pub text: &'t str,
    pub lines: &'t ast::LineIndex,
    pub quoted_identifier: bool,
}

/// Variables in a part of a text that are not among those that are declared: 137, 1087.
pub(super) fn undeclared(text: Text<'_>, part: ast::Span, declared: &[Variable]) -> Vec<SqlError> {
    let of = text.text.get(part.start as usize..part.end as usize).unwrap_or_default();
    let options = ParseOptions { quoted_identifier: text.quoted_identifier };
    let mut errors = Vec::new();
    for v in variables_of(of, options) {
        if declared.iter().any(|d| Collation::default().eq_str(&d.name, v.name)) {
            continue;
        }
        let e = match v.table {
            true => SqlError::new(1087, &[&v.name]),
            false => SqlError::new(137, &[&v.name]).with_state(2),
        };
        errors.push(*e.with_line(text.lines.line_of(part.start + v.at)));
    }
    errors
}
