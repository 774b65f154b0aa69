//! Clauses that several statements share: types, expressions kept as text, placement, options of indexes.

use crate::binder::declared::{is_absent_type, large, named_too_wide, typed_xml};
use crate::binder::user_types::{NamedType, TypesInSight};
use crate::catalog::SYSNAME_ID;
use crate::database::Database;
use crate::exec::metadata::SessionMetadata;
use taffrail_base::message::unsupported;
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::ast;
use taffrail_types::convert::Declared;
use taffrail_types::names::{self, TypeArg, TypeUse};
use taffrail_types::{MaxLen, SqlType, Value};

/// The batch in which a table's body stands, and the names that its expressions can hold.
pub(crate) struct Body<'a> {
    /// The text of the batch.
    pub text: &'a str,
    /// The database whose collation texts have.
    pub database: &'a Database,
    /// The types of users that columns can have.
    pub types: TypesInSight<'a>,
    /// Functions, by name.
    pub names: &'a SessionMetadata<'a>,
}

impl Body<'_> {
    /// An expression that has no normal form, in parentheses. Its binding, which comes later, says why it has none.
    pub(crate) fn as_typed(&self, e: &ast::Expr) -> String {
        format!("({})", e.span.of(self.text).trim())
    }
}

/// The types of users of a database, as the session of a statement sees them.
pub(crate) fn types_of<'a>(
    session: &crate::session::Session,
    database: &'a Database,
) -> TypesInSight<'a> {
    TypesInSight { database, schema: None, sight: session.sight_of_types() }
}

/// The type of a declaration; `ordinal` is the column's or parameter's number for messages.
pub(crate) fn resolve_type(
    types: &TypesInSight<'_>,
    ty: &ast::DataType,
    ordinal: usize,
) -> SqlResult<NamedType> {
    match system_type(ty, ordinal) {
        Ok((known, sysname)) => {
            let own = NamedType::of(Declared::new(known, large(ty)));
            Ok(match sysname {
                true => NamedType { user_type: SYSNAME_ID, nullable: Some(false), ..own },
                false => own,
            })
        }
        Err(e) if e.number == 2715 => types.of_users(ty, ordinal),
        Err(e) => Err(e),
    }
}

/// A type of the system. The flag: `sysname`.
fn system_type(ty: &ast::DataType, ordinal: usize) -> SqlResult<(SqlType, bool)> {
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
            ast::TypeArgument::Name(_) if ty.name.name.is("xml") => return Err(typed_xml()),
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
    types: &TypesInSight<'_>,
    ty: &ast::DataType,
    ordinal: usize,
    column: &str,
) -> SqlResult<NamedType> {
    let named = resolve_type(types, ty, ordinal).and_then(|t| t.scalar(ty, ordinal));
    named.map_err(|e| match (e.number, ty.arguments.first()) {
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
            // Its letters are those of a code page.
            ast::Literal::String(s) if !s.is_ascii() => return None,
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
