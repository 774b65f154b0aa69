//! Names that procedures and commands are given as text: their parts, the tables that they name, and names in the text of expressions.

use crate::catalog::{Object, ObjectKind, Table, fold, is_global_temp, is_temp};
use crate::database::Database;
use crate::session::context::StatementContext;
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};

/// The parts of a name such as `[db].[dbo].[t]`, last first.
pub fn name_parts(name: &str) -> Vec<String> {
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
pub fn check_database(cx: &StatementContext<'_>, name: &str) -> SqlResult<()> {
    let parts = name_parts(name);
    match parts.get(2) {
        Some(d) if !d.is_empty() && fold(d) != fold(&cx.database().name) => {
            Err(SqlError::new(15250, &[]))
        }
        _ => Ok(()),
    }
}

/// A table of the session by the text of its name.
pub fn table_by_text(
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
    let found = cx.settled(|cx| {
        let (catalog, id) = (&database.catalog, cx.session.id);
        cx.session.note_blocked(catalog.blocked_name(schema, table, id));
        Ok(match cx.session.found_in(&database, schema, table) {
            Some(Object::Table(table)) => Some(table),
            // A view that has indexes has rows, too.
            Some(Object::View(view)) => view.indexed.clone(),
            _ => None,
        })
    })?;
    let seen = found.filter(|t| cx.session.seen(&database).head(&t.head));
    Ok(seen.map(|t| (database, t)))
}

/// Whether an expression's text names something so, in any case: in brackets, in double quotes or as a word. Texts,
/// comments, numbers, variables and the names of functions are no such names.
pub fn mentions(text: &str, name: &str) -> bool {
    let name = fold(name);
    let is_part = |c: char| c.is_alphanumeric() || "_@#$".contains(c);
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let mut found = None;
        match c {
            '\'' => rest = delimited(rest, c).1,
            '[' | '"' => {
                let inside;
                (inside, rest) = delimited(rest, if c == '[' { ']' } else { c });
                found = Some(inside);
            }
            '-' if rest.starts_with("--") => {
                rest = rest.find('\n').map_or("", |end| &rest[end..]);
            }
            '/' if rest.starts_with("/*") => rest = after_comment(rest),
            c if is_part(c) => {
                let word = rest.split(|c| !is_part(c)).next().unwrap_or(rest);
                rest = &rest[word.len()..];
                let national = rest.starts_with('\'') && fold(word) == "n";
                let is_name = !c.is_ascii_digit() && c != '@' && !national;
                found = (is_name && !rest.trim_start().starts_with('(')).then(|| word.into());
            }
            c => rest = &rest[c.len_utf8()..],
        }
        if found.is_some_and(|found| fold(&found) == name) {
            return true;
        }
    }
    false
}

/// What stands between a delimiter, with which `text` begins, and the one that closes it (which is doubled inside); and
/// what follows.
fn delimited(text: &str, close: char) -> (String, &str) {
    let mut inside = String::new();
    let mut chars = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        if c == close && chars.next_if(|(_, next)| *next == close).is_none() {
            return (inside, &text[at + c.len_utf8()..]);
        }
        inside.push(c);
    }
    (inside, "")
}

/// What follows a comment, which may have others in it.
fn after_comment(text: &str) -> &str {
    let (mut depth, mut rest) = (0u32, text);
    while let Some(c) = rest.chars().next() {
        let mark = rest.get(..2).unwrap_or_default();
        rest = &rest[if matches!(mark, "/*" | "*/") { 2 } else { c.len_utf8() }..];
        match mark {
            "/*" => depth += 1,
            "*/" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    rest
}

/// Whether an object is what a level calls it.
pub fn is_kind(kind: ObjectKind, level: &str) -> bool {
    match level {
        "TABLE" => kind == ObjectKind::Table,
        "VIEW" => kind == ObjectKind::View,
        "PROCEDURE" => kind == ObjectKind::Procedure,
        _ => false,
    }
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

    #[test]
    fn names_in_expressions_are_whole() {
        for (text, name) in [
            ("([C]>(0))", "c"),
            ("(c > 0)", "C"),
            ("(0<[a b])", "a b"),
            ("(\"a b\" = 1)", "A B"),
            ("([a]]b]>0)", "a]b"),
            ("('it''s' = [it's])", "it's"),
            ("(n = N'n')", "n"),
            ("(1 /* 'x */ + c)", "c"),
            ("(1 -- '\n + c)", "c"),
            ("(/* /* */ b */ c > 1)", "c"),
            ("(t.c > 1)", "c"),
            ("(größe > 1)", "GRÖßE"),
        ] {
            assert!(mentions(text, name), "{text}: {name}");
        }
        for (text, name) in [
            ("(cc > 0)", "c"),
            ("(@c > 0)", "c"),
            ("(c_1>0)", "c"),
            ("(N'n' = 'n')", "n"),
            ("(a = 'c')", "c"),
            ("(a = 'it''s c')", "c"),
            ("(a /* c */ > 1 -- c\n)", "c"),
            ("(/* /* */ c */ 1 > 1)", "c"),
            ("(len (a) > 0)", "len"),
            ("([a b] > 0)", "b"),
            ("(1e5 > a)", "1e5"),
            ("([a", "b"),
        ] {
            assert!(!mentions(text, name), "{text}: {name}");
        }
    }
}
