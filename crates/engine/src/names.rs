//! Names that procedures and commands are given as text: their parts, and the tables that they name.

use crate::catalog::{Table, fold, is_global_temp, is_temp};
use crate::database::Database;
use crate::session::context::StatementContext;
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};

/// The parts of a name such as `[db].[dbo].[t]`, last first.
pub(crate) fn name_parts(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut chars = name.trim().chars().peekable();
    let mut close = None;
    while let Some(c) = chars.next() {
        let part = parts.last_mut().expect("one part at least");
        match close {
            Some(end) if c == end => {
                if chars.peek() == Some(&end) {
                    part.push(end);
                    chars.next();
                } else {
                    close = None;
                }
            }
            Some(_) => part.push(c),
            None => match c {
                '[' => close = Some(']'),
                '"' => close = Some('"'),
                '.' => parts.push(String::new()),
                _ => part.push(c),
            },
        }
    }
    parts.reverse();
    parts
}

/// 15250 for a name with another database than the current one.
pub(crate) fn check_database(cx: &StatementContext<'_>, name: &str) -> SqlResult<()> {
    let parts = name_parts(name);
    match parts.get(2) {
        Some(d) if !d.is_empty() && fold(d) != fold(&cx.database().name) => {
            Err(SqlError::new(15250, &[]))
        }
        _ => Ok(()),
    }
}

/// A table of the session by the text of its name.
pub(crate) fn table_by_text(
    cx: &mut StatementContext<'_>,
    name: &str,
) -> SqlResult<Option<(Arc<Database>, Arc<Table>)>> {
    let parts = name_parts(name);
    let table = parts.first().map_or("", |p| p);
    if is_temp(table) {
        let tempdb = cx.instance().databases().tempdb()?;
        let temp = cx.session.find_temp_table(table);
        let found = temp.and_then(|t| tempdb.catalog.table(t.object_id, cx.session.id));
        return Ok(found.map(|t| (tempdb, t)));
    }
    let database = match parts.get(2) {
        _ if is_global_temp(table) => cx.instance().databases().tempdb()?,
        Some(database) if !database.is_empty() => cx.instance().databases().get(database)?,
        _ => cx.database(),
    };
    let schema = parts.get(1).map(String::as_str);
    let (catalog, id) = (&database.catalog, cx.session.id);
    let found = cx.settled(|cx| {
        cx.session.note_blocked(catalog.blocked_name(schema, table, id));
        Ok(catalog.find_table(schema, table, id))
    })?;
    Ok(found.map(|t| (database, t)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_apart() {
        assert_eq!(name_parts("[a].[b.c].[d]]e]"), ["d]e", "b.c", "a"]);
        assert_eq!(name_parts("db..t"), ["t", "", "db"]);
        assert_eq!(name_parts("\"x y\""), ["x y"]);
    }
}
