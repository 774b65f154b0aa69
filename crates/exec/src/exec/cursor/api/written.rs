//! The statement that the values of sp_cursor make.
//!
//! | the values | the statement |
//! |---|---|
//! | named ones | SET or the list of columns is made of the names, and the values are its parameters |
//! | one text that is an UPDATE or INSERT | is the statement, whatever table is named beside it |
//! | one text, or several | `[SET] column = expression, …`, or `[VALUES] (expression, …)`, of the table |
//!
//! A single named value whose name no column has is such a text, too.

use super::change::{AskedChange, DELETE, INSERT, UPDATE};
use crate::exec::called::Passed;
use crate::exec::cursor::Cursor;
use crate::exec::cursor::model::{MarkedTable, query_of};
use crate::functions::spelling::split_name;
use crate::plan::names::bracketed;
use std::fmt::Write;
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::{ParseOptions, parse_batch};

/// A statement that changes a row, and the declarations of its parameters.
pub(super) struct RowChange {
    pub text: Arc<str>,
    /// The operation that is asked for: the statement has to be one of its kind.
    pub operation: i64,
    pub declared: String,
    pub values: Vec<Passed>,
}

impl RowChange {
    /// The change of the row that a cursor of this name is on: 16935, 16936.
    pub fn of(asked: &AskedChange<'_>, cursor: &Cursor, name: &str) -> SqlResult<RowChange> {
        let operation = asked.operation;
        let table = match asked.table.trim() {
            "" => cursor.made.tables.first().map(named).unwrap_or_default(),
            table => table_of(table)?,
        };
        let (mut values, texts) = match operation {
            DELETE => (Vec::new(), Vec::new()),
            _ if asked.values.is_empty() => {
                let word = if operation == UPDATE { "UPDATE" } else { "INSERT" };
                return Err(SqlError::new(16935, &[&word]));
            }
            _ => parts(asked.values, cursor)?,
        };
        let mut text = match operation {
            DELETE => format!("DELETE {table}"),
            UPDATE if texts.is_empty() => {
                let set = values.iter().enumerate();
                let set = set.map(|(n, v)| format!("{} = @p{n}", column(v)));
                format!("UPDATE {table} SET {}", set.collect::<Vec<_>>().join(", "))
            }
            _ if texts.is_empty() => {
                let columns: Vec<String> = values.iter().map(column).collect();
                let list = (0..values.len()).map(|n| format!("@p{n}")).collect::<Vec<_>>();
                format!("INSERT {table} ({}) VALUES ({})", columns.join(", "), list.join(", "))
            }
            _ => written(operation, &table, texts)?,
        };
        if operation != INSERT {
            // A comment at the end of a text goes no further than its line.
            let _ = write!(text, "\nWHERE CURRENT OF {}", bracketed(name));
        }
        let mut declared = String::new();
        for (n, v) in values.iter_mut().enumerate() {
            let comma = if n == 0 { "" } else { ", " };
            let _ = write!(declared, "{comma}@p{n} {}", v.ty);
            v.name = String::new();
        }
        Ok(RowChange { text: text.into(), operation, declared, values })
    }
}

/// The values of columns, or the texts; never both: 16936.
fn parts(passed: &[Passed], cursor: &Cursor) -> SqlResult<(Vec<Passed>, Vec<String>)> {
    let text = |v: &Passed| v.value.as_ref().and_then(|v| v.as_text());
    let invalid = || SqlError::new(16936, &[]);
    match passed {
        [one] if !one.name.is_empty() && !has_column(cursor, &one.name) => match text(one) {
            Some(text) => Ok((Vec::new(), vec![text])),
            None => Ok((vec![one.clone()], Vec::new())),
        },
        all if all.iter().all(|v| !v.name.is_empty()) => Ok((all.to_vec(), Vec::new())),
        all if all.iter().any(|v| !v.name.is_empty()) => Err(invalid()),
        all => {
            let texts: Option<Vec<String>> = all.iter().map(text).collect();
            Ok((Vec::new(), texts.ok_or_else(invalid)?))
        }
    }
}

/// Whether the cursor, or a table of its query, has the column that a value is named after.
fn has_column(cursor: &Cursor, name: &str) -> bool {
    let name = name.trim_start_matches('@');
    let shown = &query_of(&cursor.described).columns;
    shown.iter().any(|c| c.name.eq_ignore_ascii_case(name))
        || cursor.made.tables.iter().any(|t| t.table.column(name).is_some())
}

/// The statement of one or several texts: 16936 for a whole one beside others.
fn written(operation: i64, table: &str, mut texts: Vec<String>) -> SqlResult<String> {
    let first = without_comments(&texts[0]);
    let word: String = first.chars().take_while(char::is_ascii_alphabetic).collect();
    let word = word.to_ascii_uppercase();
    let portion = matches!(word.as_str(), "SET" | "VALUES") || first.starts_with('(');
    let options = ParseOptions::default();
    let whole = ["UPDATE", "INSERT", "WITH"].contains(&word.as_str())
        || !portion && parse_batch(&texts[0], options).is_ok();
    if whole {
        return match texts.len() {
            1 => Ok(texts.remove(0)),
            _ => Err(SqlError::new(16936, &[])),
        };
    }
    let (verb, list) = if operation == UPDATE { ("UPDATE", "SET") } else { ("INSERT", "VALUES") };
    let list = if word == list { "" } else { list };
    if operation == INSERT && texts.len() > 1 {
        in_parentheses(&mut texts);
    }
    Ok(format!("{verb} {table} {list} {}", texts.join("\n, ")))
}

/// The expressions of the texts stand in the parentheses that the first one opens, which it may have closed itself.
fn in_parentheses(texts: &mut [String]) {
    if let (0, Some(open)) = (depth(&texts[0]), texts[0].trim_end().strip_suffix(')')) {
        texts[0] = open.to_string();
    }
    let open: i64 = texts.iter().map(|t| depth(t)).sum();
    if let (1, Some(last)) = (open, texts.last_mut()) {
        last.push_str("\n)");
    }
}

/// How many parentheses a text leaves open, those in strings aside.
fn depth(text: &str) -> i64 {
    let mut quoted = false;
    text.chars().fold(0, |open, c| {
        quoted ^= c == '\'';
        match c {
            '(' if !quoted => open + 1,
            ')' if !quoted => open - 1,
            _ => open,
        }
    })
}

/// A text from its first word on.
fn without_comments(text: &str) -> &str {
    let mut rest = text.trim_start();
    loop {
        let after = match () {
            () if rest.starts_with("--") => rest.split_once('\n'),
            () if rest.starts_with("/*") => rest.split_once("*/"),
            () => return rest,
        };
        rest = after.map_or("", |(_, after)| after.trim_start());
    }
}

/// A table as it is named, of up to four parts: 16936 for a name that is none.
fn table_of(name: &str) -> SqlResult<String> {
    let parts =
        split_name(name).filter(|p| p.len() <= 4).ok_or_else(|| SqlError::new(16936, &[]))?;
    let shown = |p: &String| if p.is_empty() { String::new() } else { bracketed(p) };
    Ok(parts.iter().map(shown).collect::<Vec<_>>().join("."))
}

/// The column that a value is for.
fn column(value: &Passed) -> String {
    bracketed(value.name.trim_start_matches('@'))
}

/// A table with its database and schema; a temporary one by its name alone.
fn named(of: &MarkedTable) -> String {
    let name = bracketed(of.table.shown());
    match of.database.is_temporary() {
        true => name,
        false => {
            let schema = bracketed(&of.table.head.schema);
            format!("{}.{schema}.{name}", bracketed(&of.database.name))
        }
    }
}
