//! Synonyms in the place of what they stand for. A base object is looked up as a name of three parts, so that whatever names the synonym
//! means the same object.

use crate::catalog::{BaseName, Object, Synonym};
use crate::database::Database;
use crate::session::Session;
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::ast::{Ident, ObjectName, Span};

/// The name of a synonym's base object with its database and schema; one that begins with `#` has neither.
pub(super) fn base_name(database: &Database, synonym: &Synonym) -> ObjectName {
    let base = &synonym.base;
    let part = |value: &str| Ident { value: value.into(), span: Span::default(), delimited: true };
    let is_temporary = base.name.starts_with('#');
    let or = |given: &Option<String>, other: &str| {
        (!is_temporary).then(|| part(given.as_deref().unwrap_or(other)))
    };
    ObjectName {
        server: base.server.as_deref().map(part),
        database: or(&base.database, &database.name),
        schema: or(&base.schema, "dbo"),
        name: part(&base.name),
        span: Span::default(),
    }
}

/// The name of a base object in the parts that were written, without brackets.
pub(super) fn written(base: &BaseName) -> String {
    let mut out = String::new();
    for part in [&base.server, &base.database, &base.schema] {
        match part {
            Some(part) => out.push_str(part),
            None if out.is_empty() => continue,
            None => {}
        }
        out.push('.');
    }
    out + &base.name
}

/// An error of the look-up of a base object as the synonym's user hears of it: 5313 where nothing has the name, or what has it is called
/// otherwise.
pub(super) fn invalid(e: Box<SqlError>, synonym: &dyn std::fmt::Display) -> Box<SqlError> {
    match e.number {
        208 => SqlError::new(5313, &[synonym]),
        216 => SqlError::new(5313, &[synonym]).with_state(224),
        _ => e,
    }
}

/// 470: the base of a synonym is a synonym.
pub(super) fn chained(
    synonym: &dyn std::fmt::Display,
    base: &dyn std::fmt::Display,
) -> Box<SqlError> {
    SqlError::new(470, &[synonym, base])
}

impl Session {
    /// The object that a synonym of the current database stands for, if there is one.
    pub(super) fn base_object(&self, synonym: &Synonym) -> Option<Object> {
        if synonym.base.server.is_some() {
            return None;
        }
        self.named_object_itself(&synonym.base.to_string()).map(|(_, object)| object)
    }

    /// The name of a synonym's base object as EXEC shows it, in the parts that were written. The base is looked for where it is called, in
    /// the synonym's database. 470, and 7202 for another server's.
    pub(super) fn base_of_call(
        &self,
        database: &Database,
        synonym: &Synonym,
        shown: &dyn std::fmt::Display,
    ) -> SqlResult<String> {
        let base = &synonym.base;
        if let Some(server) = &base.server {
            return Err(SqlError::new(7202, &[server]).with_state(2));
        }
        let name = written(base);
        let mut full = base.clone();
        if !full.name.starts_with('#') {
            full.database.get_or_insert_with(|| database.name.to_string());
        }
        match self.named_object_itself(&full.to_string()) {
            Some((_, Object::Synonym(_))) => Err(chained(shown, &name)),
            _ => Ok(name),
        }
    }
}
