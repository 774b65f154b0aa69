//! Events as text: stable, and close to what `sqlcmd` prints.
//!
//! A result set is a line of names, a line of dashes, and its rows; a column is as wide as its widest value, numbers stand
//! at the right, blanks at the ends of lines are cut. `(3 rows affected)` follows where a count was sent. Errors are
//! headed `Msg 208, Level 16, State 1, Line 3`, informational messages are their text.

use std::fmt::Write;

use taffrail_base::SqlError;

use crate::session::{Cell, Column, Event};

/// How result sets are shown where a script asks for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Show {
    /// Rows in the order of their text: for queries without ORDER BY.
    pub sort: bool,
    /// Columns (lower case) whose values change from run to run; they are shown as `*`. A number is that of a message, whose numbers
    /// outside of quotes are.
    pub mask: Vec<String>,
}

/// The events of one batch as text.
pub fn render(events: &[Event], show: &Show) -> String {
    let mut out = String::new();
    let mut rest = events;
    while let Some((event, after)) = rest.split_first() {
        rest = after;
        match event {
            Event::Columns(columns) => {
                let rows = rest.iter().take_while(|event| matches!(event, Event::Row(_))).count();
                let rows: Vec<&[Cell]> = rest[..rows]
                    .iter()
                    .map(|event| match event {
                        Event::Row(row) => row.as_slice(),
                        _ => unreachable!("only rows were counted"),
                    })
                    .collect();
                rest = &rest[rows.len()..];
                table(&mut out, columns, &rows, show);
            }
            Event::Row(row) => {
                // A row that does not follow its columns at once (a message came between).
                let cells: Vec<&str> = row.iter().map(shown).collect();
                line(&mut out, &cells.join(" "));
            }
            Event::Done(Some(1)) => out.push_str("(1 row affected)\n"),
            Event::Done(Some(count)) => line(&mut out, &format!("({count} rows affected)")),
            Event::Done(None) => {}
            Event::Message(message) => {
                let masked = show.mask.contains(&message.number.to_string());
                self::message(&mut out, message, masked);
            }
            Event::ReturnStatus(0) => {}
            Event::ReturnStatus(status) => line(&mut out, &format!("return status {status}")),
            Event::Output { name, value } => line(&mut out, &format!("{name} = {}", shown(value))),
        }
    }
    out
}

fn message(out: &mut String, message: &SqlError, masked: bool) {
    if !message.is_informational() {
        let SqlError { number, severity, state, line, procedure, .. } = message;
        write!(out, "Msg {number}, Level {severity}, State {state}").expect("into a String");
        if let Some(procedure) = procedure {
            write!(out, ", Procedure {procedure}").expect("into a String");
        }
        writeln!(out, ", Line {line}").expect("into a String");
    }
    if masked { line(out, &without_numbers(&message.message)) } else { line(out, &message.message) }
}

/// Each run of digits (and dots among them) outside of quotes as one `*`.
fn without_numbers(text: &str) -> String {
    let (mut out, mut quoted, mut number) = (String::new(), false, false);
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        quoted ^= c == '\'';
        let dot = number && c == '.' && rest.peek().is_some_and(char::is_ascii_digit);
        if !quoted && (c.is_ascii_digit() || dot) {
            if !number {
                out.push('*');
            }
            number = true;
        } else {
            number = false;
            out.push(c);
        }
    }
    out
}

fn line(out: &mut String, text: &str) {
    out.push_str(text.trim_end_matches(' '));
    out.push('\n');
}

fn shown(cell: &Cell) -> &str {
    cell.as_deref().unwrap_or("NULL")
}

fn table(out: &mut String, columns: &[Column], rows: &[&[Cell]], show: &Show) {
    let masked: Vec<bool> =
        columns.iter().map(|c| show.mask.contains(&c.name.to_lowercase())).collect();
    let mut lines: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            let cell = |(n, cell): (usize, &Cell)| {
                if masked.get(n) == Some(&true) && cell.is_some() {
                    "*".to_string()
                } else {
                    // A row is one line, whatever its values hold.
                    shown(cell).replace('\r', "\\r").replace('\n', "\\n")
                }
            };
            row.iter().enumerate().map(cell).collect()
        })
        .collect();
    if show.sort {
        lines.sort();
    }
    let width = |n: usize, column: &Column| {
        let values = lines.iter().filter_map(|row| row.get(n)).map(|cell| cell.chars().count());
        values.max().unwrap_or(0).max(column.name.chars().count()).max(1)
    };
    let widths: Vec<usize> = columns.iter().enumerate().map(|(n, c)| width(n, c)).collect();
    let mut put = |cells: &mut dyn Iterator<Item = &str>| {
        let mut text = String::new();
        for ((cell, &width), column) in cells.zip(&widths).zip(columns) {
            if column.numeric {
                write!(text, "{cell:>width$} ").expect("into a String");
            } else {
                write!(text, "{cell:<width$} ").expect("into a String");
            }
        }
        line(out, &text);
    };
    put(&mut columns.iter().map(|c| c.name.as_str()));
    let dashes: Vec<String> = widths.iter().map(|&width| "-".repeat(width)).collect();
    put(&mut dashes.iter().map(String::as_str));
    for row in &lines {
        put(&mut row.iter().map(String::as_str));
    }
    out.push('\n');
}
