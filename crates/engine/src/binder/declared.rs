//! Types and collations as they are written.

use taffrail_base::message::unsupported;
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::ast;
use taffrail_types::convert::Large;
use taffrail_types::{Collation, names};

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
