//! Declarations of parameters.

use super::module::Parameter;
use crate::binder::{declared, resolve_type};
use taffrail_base::{SqlError, SqlResult, message::unsupported};
use taffrail_syntax::ast::{self, StatementKind};
use taffrail_syntax::{ParseOptions, parse_batch};
use taffrail_types::names::TypeUse;

/// `@a int, @b varchar(10) OUTPUT`, without what they are by default.
pub fn declare_list(text: &str) -> Result<Vec<Parameter>, Vec<SqlError>> {
    without_defaults(&declarations(text)?)
}

/// The types of declared parameters.
pub(super) fn without_defaults(
    declared: &[ast::Parameter],
) -> Result<Vec<Parameter>, Vec<SqlError>> {
    declared.iter().map(|p| parameter(p).map_err(|e| vec![*e])).collect()
}

/// `@a int = 1, @b varchar(10) OUTPUT` as it is written.
pub(super) fn declarations(text: &str) -> Result<Vec<ast::Parameter>, Vec<SqlError>> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    // The grammar is that of a procedure's parameters.
    let batch = format!("CREATE PROCEDURE p {text}\nAS RETURN");
    let mut parsed = parse_batch(&batch, ParseOptions::default()).map_err(|e| e.errors)?;
    let Some(ast::Statement { kind: StatementKind::Procedure(p), .. }) = parsed.statements.pop()
    else {
        return Err(vec![*SqlError::new(102, &[&text])]);
    };
    Ok(p.parameters)
}

/// A parameter without its default.
pub(super) fn parameter(p: &ast::Parameter) -> SqlResult<Parameter> {
    if p.readonly || p.varying {
        return Err(unsupported("A table-valued or cursor parameter"));
    }
    Ok(Parameter {
        name: (&*p.name.value).into(),
        large: declared::large(&p.ty),
        ty: resolve_type(&p.ty, TypeUse::Declaration)
            .map_err(|e| declared::named_too_wide(e, &p.ty, &p.name.value))?,
        output: p.output,
        default: None,
    })
}
