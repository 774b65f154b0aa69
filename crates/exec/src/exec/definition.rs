//! The definition of a procedure or function, compiled.

use super::compile::{Compiler, parse};
use super::module::{Module, TableVariable};
use crate::database::Database;
use crate::memory::Measured;
use crate::session::Session;
use std::sync::Arc;
use taffrail_base::{ObjectId, SqlError, SqlResult};
use taffrail_syntax::ast::{self, StatementKind};
use taffrail_types::convert::Declared;

/// What the RETURN of a text gives back.
#[derive(Clone, Copy)]
pub(super) enum Returns {
    /// That of a batch or dynamic text: nothing.
    Nothing,
    /// A procedure's: its status.
    Status,
    /// A scalar function's: a value of this type.
    Value(Declared),
    /// A trigger's, or a table-valued function's, whose rows stand in its first table variable: nothing.
    Table,
}

impl Returns {
    /// Whether the text is a module's.
    pub fn in_module(self) -> bool {
        !matches!(self, Returns::Nothing)
    }
}

/// The options that a procedure keeps.
#[derive(Clone, Copy)]
pub(crate) struct CreatedUnder {
    pub quoted_identifier: bool,
    pub ansi_nulls: bool,
}

/// A definition compiled; `head` is its name and, where it is not dbo, its schema.
pub(crate) fn procedure(
    session: &Session,
    home: &Arc<Database>,
    text: &Arc<str>,
    created_under: CreatedUnder,
    head: (&str, Option<&str>),
    object_id: i32,
) -> Result<Module, Vec<SqlError>> {
    procedure_for(session, home, text, created_under, head, object_id, false)
}

/// Parameters, statements, and what becomes of RETURN.
type Parts = (Vec<ast::Parameter>, Vec<ast::Statement>, ast::FunctionReturns);

/// The parts of a definition that has statements; a procedure has the status for its result.
fn parts(statement: ast::Statement) -> Option<(Parts, bool)> {
    match statement.kind {
        StatementKind::Procedure(p) => {
            Some(((p.parameters, p.body, ast::FunctionReturns::InlineTable), false))
        }
        StatementKind::Function(f) => match f.body {
            ast::FunctionBody::Statements(body) => Some(((f.parameters, body, f.returns), true)),
            ast::FunctionBody::Query(..) => None,
        },
        StatementKind::Trigger(t) => {
            Some(((Vec::new(), t.body, ast::FunctionReturns::InlineTable), false))
        }
        _ => None,
    }
}

/// The table or view of a trigger's definition, and whether the trigger is an INSTEAD OF one.
fn trigger_of(
    session: &Session,
    home: &Arc<Database>,
    statement: &StatementKind,
    own: Option<&str>,
) -> Option<(ObjectId, bool)> {
    let StatementKind::Trigger(t) = statement else { return None };
    let ast::TriggerTarget::Object(name) = &t.target else { return None };
    // A trigger is in the schema of its table, whatever the default schema was when it was made.
    let schema = name.schema.as_ref().map(|s| &*s.value).or(own);
    let parent = home.catalog.find_named(schema, &name.name.value, session.id)?;
    Some((parent.head().id, t.instead_of))
}

/// The same as [`procedure`]; `strictly`: to find mistakes, not to run.
pub(super) fn procedure_for(
    session: &Session,
    home: &Arc<Database>,
    text: &Arc<str>,
    created_under: CreatedUnder,
    (name, schema): (&str, Option<&str>),
    object_id: i32,
    strictly: bool,
) -> Result<Module, Vec<SqlError>> {
    let measured = Measured::begin();
    let mut parsed = parse(session, created_under.quoted_identifier, text)?;
    let damaged = || vec![*SqlError::new(15197, &[&name])];
    let line = parsed.statements.last().map_or(1, |s| parsed.lines.line_of(s.span.start));
    let statement = parsed.statements.pop();
    let trigger = statement.as_ref().and_then(|s| trigger_of(session, home, &s.kind, schema));
    let is_trigger = matches!(&statement, Some(s) if matches!(s.kind, StatementKind::Trigger(_)));
    let statement = statement.and_then(parts);
    let Some(((declared, body, returns), is_function)) = statement else { return Err(damaged()) };
    let mut compiler = Compiler::new(session, home, parsed.lines.clone());
    compiler.quoted_identifier = created_under.quoted_identifier;
    compiler.strict = strictly.then(|| (text.clone(), created_under.quoted_identifier));
    let mut parameters = Vec::new();
    compiler.schema = schema.map(Into::into);
    for (p, ordinal) in declared.iter().zip(1..) {
        parameters.push(compiler.parameter(p, ordinal, line).map_err(|e| vec![*e])?);
    }
    compiler.returns = if is_trigger { Returns::Table } else { Returns::Status };
    if is_function {
        compiler.returns = compiler.returned(returns, line).map_err(|e| vec![*e])?;
    }
    let mut module = compiler.module(body, text.clone(), parameters);
    module.name = Some(name.into());
    module.is_function = is_function;
    module.object_id = object_id;
    module.trigger = trigger;
    module.quoted_identifier = Some(created_under.quoted_identifier);
    module.ansi_nulls = Some(created_under.ansi_nulls);
    module.database = Some(home.clone());
    module.schema = schema.map(Into::into);
    module.bytes = measured.taken() + text.len();
    Ok(module)
}

impl Compiler<'_> {
    /// What a function returns; the table of a table-valued one is its first table variable.
    fn returned(&mut self, returns: ast::FunctionReturns, line: u32) -> SqlResult<Returns> {
        Ok(match returns {
            ast::FunctionReturns::Scalar(ty) => Returns::Value(self.result_type(&ty)?),
            ast::FunctionReturns::Table(name, body) => {
                let var = self.variables.declare(&name.value, None)?;
                self.table_variables.push(TableVariable { var, body: *body, line, of: None });
                Returns::Table
            }
            ast::FunctionReturns::InlineTable => Returns::Table,
        })
    }

    fn result_type(&mut self, ty: &ast::DataType) -> SqlResult<Declared> {
        Ok(self.named_type(ty, 0)?.scalar(ty, 0)?.declared)
    }
}
