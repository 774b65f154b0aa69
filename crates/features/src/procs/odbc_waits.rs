//! Which open DDL of other sessions the procedures of drivers wait for.

use super::odbc::fits;
use crate::catalog::{ForeignKey, Object, Sight, fold};
use crate::database::Database;

/// An object matters to a list of foreign keys where it has one of these names, or is a key of which a table has one.
pub(super) fn is_key_of(database: &Database, object: &Object, names: &[Option<String>]) -> bool {
    let named = |name: &str| names.iter().flatten().any(|wanted| fold(wanted) == fold(name));
    let key = match object {
        Object::Constraint(c) => ForeignKey::of(c).ok(),
        _ => None,
    };
    let tables = key.iter().flat_map(|k| [k.table, k.referenced]);
    let mut tables = tables.filter_map(|id| database.catalog.object(id, Sight::EVERYTHING));
    named(&object.head().name) || tables.any(|t| named(&t.head().name))
}

/// An object whose name and schema fit these patterns.
pub(super) fn is_called<'a>(
    name: Option<&'a str>,
    owner: Option<&'a str>,
) -> impl Fn(&Object) -> bool + 'a {
    move |o| fits(&o.head().name, name) && fits(&o.head().schema, owner)
}
