//! Types and collations as they are written.

use taffrail_base::message::unsupported;
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::ast;
use taffrail_types::convert::Large;
use taffrail_types::{Collation, Family, SqlType, names};

/// 2717 says whose type it is: a column's, a parameter's or a variable's.
pub fn named_too_wide(e: Box<SqlError>, ty: &ast::DataType, name: &str) -> Box<SqlError> {
    match (e.number, ty.arguments.first()) {
        (2717, Some(ast::TypeArgument::Number(n))) => names::too_wide(*n, name),
        _ => e,
    }
}

/// xml, text, ntext and image are (max) types here: which of them a type as written is.
pub fn large(ty: &ast::DataType) -> Large {
    let name = &ty.name;
    match name.schema.as_ref().is_none_or(|s| s.is("sys")) {
        true if name.name.is("xml") => Large::Xml,
        true if ["text", "ntext", "image"].iter().any(|t| name.name.is(t)) => Large::Old,
        _ => Large::Plain,
    }
}

/// A type of SQL Server that is not here.
pub fn is_absent_type(name: &ast::ObjectName) -> bool {
    const ABSENT: [&str; 3] = ["geometry", "geography", "hierarchyid"];
    name.schema.as_ref().is_none_or(|s| s.is("sys")) && ABSENT.iter().any(|t| name.name.is(t))
}

/// 40510 of an xml type with a collection of schemas.
pub fn typed_xml() -> Box<SqlError> {
    unsupported("The data type 'xml' with a schema collection")
}

/// A collation as COLLATE names it for text of this type, in a database of this collation. 448 for a name that is none, 459 and 40510
/// where the type cannot have it.
pub fn collation(name: &ast::Ident, ty: SqlType, database: Collation) -> SqlResult<Collation> {
    if name.is("DATABASE_DEFAULT") || name.is("CATALOG_DEFAULT") {
        return Ok(database);
    }
    let collation = Collation::from_name(&name.value).ok_or_else(|| no_collation(&name.value))?;
    fits(collation, ty)?;
    Ok(collation)
}

/// Whether text of this type can be of this collation: 459, 40510.
pub fn fits(collation: Collation, ty: SqlType) -> SqlResult<()> {
    match ty.family() {
        Family::Char if collation.code_page() == 0 => {
            Err(SqlError::new(459, &[&collation.name()]).with_state(2))
        }
        Family::Char | Family::NChar => match collation.missing(ty.family() == Family::Char) {
            Some(what) => Err(unsupported(what)),
            None => Ok(()),
        },
        _ => Ok(()),
    }
}

/// The same for a database: 448, 453 where char and varchar cannot have it.
pub fn of_database(name: &str) -> SqlResult<Collation> {
    let collation = Collation::from_name(name).ok_or_else(|| no_collation(name))?;
    if collation.code_page() == 0 {
        return Err(SqlError::new(453, &[&collation.name()]));
    }
    match collation.missing(true).or_else(|| collation.missing(false)) {
        Some(what) => Err(unsupported(what)),
        None => Ok(collation),
    }
}

/// 448: a name that is no collation's.
pub(crate) fn no_collation(name: &str) -> Box<SqlError> {
    SqlError::new(448, &[&name])
}
