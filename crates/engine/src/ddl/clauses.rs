//! Clauses that several statements share: types, expressions kept as text, placement, options of indexes.

use crate::binder::unsupported;
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::ast;
use taffrail_types::convert::Large;
use taffrail_types::names::{self, TypeArg, TypeUse};
use taffrail_types::{Collation, MaxLen, SqlType, Value};

/// The type of a declaration; `ordinal` is the column's or parameter's number for messages. The flag: `sysname`.
pub(crate) fn resolve_type(ty: &ast::DataType, ordinal: usize) -> SqlResult<(SqlType, bool)> {
    let name = &*ty.name.name.value;
    let missing = || SqlError::new(2715, &[&ordinal, &ty.name]);
    if let Some(schema) = &ty.name.schema
        && !schema.is("sys")
    {
        return Err(missing());
    }
    if name.eq_ignore_ascii_case("sysname") && ty.arguments.is_empty() {
        return Ok((SqlType::NVarChar(MaxLen::N(128)), true));
    }
    let mut arguments = Vec::new();
    for a in &ty.arguments {
        arguments.push(match a {
            ast::TypeArgument::Number(n) => TypeArg::N(*n),
            ast::TypeArgument::Max => TypeArg::Max,
            ast::TypeArgument::Name(_) => return Err(missing()),
        });
    }
    match names::resolve(name, &arguments, TypeUse::Declaration) {
        Some(resolved) => Ok((resolved?, false)),
        None if is_absent_type(&ty.name) => {
            Err(unsupported(format!("The data type '{}'", name.to_ascii_lowercase())))
        }
        None => Err(missing()),
    }
}

/// The type of a column by its name, which 131 and 2717 tell.
pub(crate) fn column_type(
    ty: &ast::DataType,
    ordinal: usize,
    column: &str,
) -> SqlResult<(SqlType, bool)> {
    resolve_type(ty, ordinal).map_err(|e| match (e.number, ty.arguments.first()) {
        (131, Some(ast::TypeArgument::Number(n))) => {
            SqlError::new(131, &[n, &"column", &column, &8000]).with_state(2)
        }
        (192, Some(ast::TypeArgument::Number(precision))) => {
            let Some(ast::TypeArgument::Number(scale)) = ty.arguments.get(1) else { return e };
            SqlError::new(183, &[scale, &column, &0, precision])
        }
        _ => named_too_wide(e, ty, column),
    })
}

/// 2717 says whose type it is: a column's, a parameter's or a variable's.
pub(crate) fn named_too_wide(e: Box<SqlError>, ty: &ast::DataType, name: &str) -> Box<SqlError> {
    match (e.number, ty.arguments.first()) {
        (2717, Some(ast::TypeArgument::Number(n))) => names::too_wide(*n, name),
        _ => e,
    }
}

/// xml, text, ntext and image are (max) types here: which of them a type as written is.
pub(crate) fn large(ty: &ast::DataType) -> Large {
    let name = &ty.name;
    match name.schema.as_ref().is_none_or(|s| s.is("sys")) {
        true if name.name.is("xml") => Large::Xml,
        true if ["text", "ntext", "image"].iter().any(|t| name.name.is(t)) => Large::Old,
        _ => Large::Plain,
    }
}

/// A type of SQL Server that is not here.
pub(crate) fn is_absent_type(name: &ast::ObjectName) -> bool {
    const ABSENT: [&str; 3] = ["geometry", "geography", "hierarchyid"];
    name.schema.as_ref().is_none_or(|s| s.is("sys")) && ABSENT.iter().any(|t| name.name.is(t))
}

/// A collation as COLLATE names it: every database has the same default.
pub(crate) fn collation(name: &ast::Ident) -> SqlResult<Collation> {
    if name.is("DATABASE_DEFAULT") || name.is("CATALOG_DEFAULT") {
        return Ok(Collation::default());
    }
    Collation::from_name(&name.value).ok_or_else(|| no_collation(&name.value))
}

/// For a collation that is not here: 40510 if its name is made as theirs are, else 448.
pub(crate) fn no_collation(name: &str) -> Box<SqlError> {
    let upper = name.to_ascii_uppercase();
    let known = ["_CI_", "_CS_"].iter().any(|part| upper.contains(part))
        || ["_BIN", "_BIN2", "_UTF8"].iter().any(|end| upper.ends_with(end));
    match known {
        true => unsupported(format!("The collation {name}")),
        false => SqlError::new(448, &[&name]),
    }
}

/// The value of a constant expression.
pub(crate) fn constant(expr: &ast::Expr) -> Option<(Value, SqlType)> {
    let varchar = SqlType::VarChar(MaxLen::N(8000));
    Some(match &expr.kind {
        ast::ExprKind::Literal(literal) => match literal {
            ast::Literal::Null => (Value::Null, SqlType::Int),
            ast::Literal::Int(n) => (Value::Int(*n), SqlType::Int),
            ast::Literal::Decimal(s) | ast::Literal::Money(s) => {
                (Value::Float(s.parse().ok()?), SqlType::Float)
            }
            ast::Literal::Float(f) => (Value::Float(*f), SqlType::Float),
            ast::Literal::String(s) => (Value::varchar(s), varchar),
            ast::Literal::NString(s) => (Value::nvarchar(s), SqlType::NVarChar(MaxLen::N(4000))),
            ast::Literal::Binary(b) => (Value::binary(b), SqlType::VarBinary(MaxLen::N(8000))),
        },
        ast::ExprKind::Unary(ast::UnaryOp::Plus, e) => constant(e)?,
        ast::ExprKind::Unary(ast::UnaryOp::Minus, e) => match constant(e)? {
            (Value::Int(n), ty) => (Value::Int(n.checked_neg()?), ty),
            (Value::Float(f), ty) => (Value::Float(-f), ty),
            _ => return None,
        },
        _ => return None,
    })
}

/// Only PRIMARY exists: 1921.
pub(crate) fn check_placement(on: Option<&ast::Placement>) -> SqlResult<()> {
    match on {
        None => Ok(()),
        Some(on) if on.column.is_some() => {
            Err(SqlError::new(1921, &[&"partition scheme", &on.name.value]))
        }
        Some(on) if on.name.is("PRIMARY") || on.name.is("DEFAULT") => Ok(()),
        Some(on) => Err(SqlError::new(1921, &[&"filegroup", &on.name.value])),
    }
}
