//! Files of the sqllogictest format.
//!
//! Records are separated by blank lines; `#` begins a comment.
//!
//! ```text
//! statement ok                        the lines that follow, up to a blank one, run without an error
//! statement error [number | text]     … fail, with that number or with that text in the message
//! statement count 3                   … change so many rows
//! query IRT nosort|rowsort|valuesort  … yield, after `----`, these values: one a line, or one row a line
//! skipif mssql / onlyif mssql         the next record is (not) for us
//! hash-threshold 8                    longer results are `30 values hashing to 3c13dee48d9356ae19af2515e05e6b54`
//! connection name                     the session for the records that follow
//! halt                                the rest is not run
//! ```
//!
//! Values: `I` a whole number, `R` three decimals, `T` text with `(empty)` for nothing and `@` for what cannot be
//! printed; NULL is `NULL`. Statements of other products that T-SQL lacks are `skipif mssql` in the files.

use std::collections::BTreeMap;

use crate::md5::md5_hex;
use crate::session::{Cell, Event, Session, errors, result_sets};

/// Names under which files speak of us.
const OUR_NAMES: [&str; 2] = ["mssql", "taffrail"];

/// The counts of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Statements that did what was expected.
    pub statements: usize,
    /// Queries that yielded what was expected.
    pub queries: usize,
    /// Records for other products.
    pub skipped: usize,
}

/// A record that went otherwise than expected, or that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// 1-based line of the file.
    pub line: usize,
    /// The difference from the expected, or the reason why it could not be read.
    pub message: String,
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Sort {
    None,
    Rows,
    Values,
}

/// One record: its first line's words, the SQL, what is expected after `----`.
struct Record<'a> {
    line: usize,
    words: Vec<&'a str>,
    head: &'a str,
    sql: String,
    expected: Vec<&'a str>,
}

/// Runs a file. `open` opens the session of a name; the first is called `default`.
pub fn run_logic_test<S: Session>(
    file: &str,
    mut open: impl FnMut(&str) -> S,
) -> Result<Summary, Failure> {
    let mut summary = Summary::default();
    let mut sessions: BTreeMap<String, S> = BTreeMap::new();
    let mut name = "default".to_string();
    let mut threshold = 0;
    let mut labels: BTreeMap<String, String> = BTreeMap::new();
    for (line, mut lines) in blocks(file) {
        let mut skip = false;
        let mut line = line;
        // Words that direct the record after them may stand in its block, or alone.
        while let Some(&first) = lines.first() {
            let words: Vec<&str> = first.split_whitespace().collect();
            match words[..] {
                ["skipif", product] => skip |= is_us(product),
                ["onlyif", product] => skip |= !is_us(product),
                ["connection", session] => name = session.to_string(),
                ["hash-threshold", number] => {
                    threshold = number.parse().map_err(|_| unreadable(line, first))?;
                }
                ["halt"] if skip => skip = false,
                ["halt"] => return Ok(summary),
                _ => break,
            }
            lines.remove(0);
            line += 1;
        }
        if lines.is_empty() {
            continue;
        }
        if skip {
            summary.skipped += 1;
            continue;
        }
        let record = record(line, &lines);
        let session = sessions.entry(name.clone()).or_insert_with(|| open(&name));
        let failed = |message| Failure { line, message };
        match record.words[..] {
            ["statement", ..] => {
                statement(&record, session).map_err(failed)?;
                summary.statements += 1;
            }
            ["query", types, ..] => {
                let digest = query(&record, types, threshold, session).map_err(failed)?;
                if let Some(&label) = record.words.get(3) {
                    let before = labels.entry(label.to_string()).or_insert_with(|| digest.clone());
                    if *before != digest {
                        return Err(failed(format!(
                            "another result than before for label {label}"
                        )));
                    }
                }
                summary.queries += 1;
            }
            _ => return Err(unreadable(line, record.head)),
        }
    }
    Ok(summary)
}

fn unreadable(line: usize, text: &str) -> Failure {
    Failure { line, message: format!("not understood: {text}") }
}

fn is_us(product: &str) -> bool {
    OUR_NAMES.iter().any(|name| name.eq_ignore_ascii_case(product))
}

/// The lines between blank lines, without comments, each block with the line it begins on.
fn blocks(file: &str) -> Vec<(usize, Vec<&str>)> {
    let mut blocks: Vec<(usize, Vec<&str>)> = Vec::new();
    let mut open = false;
    for (n, line) in file.lines().enumerate() {
        let line = line.trim_end();
        if line.is_empty() {
            open = false;
        } else if !line.starts_with('#') {
            match blocks.last_mut() {
                Some((_, lines)) if open => lines.push(line),
                _ => blocks.push((n + 1, vec![line])),
            }
            open = true;
        }
    }
    blocks
}

fn record<'a>(line: usize, lines: &[&'a str]) -> Record<'a> {
    let body = &lines[1..];
    let rule = body.iter().position(|&l| l == "----");
    Record {
        line,
        words: lines[0].split_whitespace().collect(),
        head: lines[0],
        sql: body[..rule.unwrap_or(body.len())].join("\n"),
        expected: rule.map_or(Vec::new(), |at| body[at + 1..].to_vec()),
    }
}

fn statement(record: &Record, session: &mut impl Session) -> Result<(), String> {
    let events = session.execute(&record.sql);
    let errors = errors(&events);
    let first = errors.first().map(|e| e.to_string());
    match record.words[1..] {
        ["ok"] => match first {
            None => Ok(()),
            Some(error) => Err(format!("{error}\n{}", record.sql)),
        },
        ["count", count] => {
            if let Some(error) = first {
                return Err(format!("{error}\n{}", record.sql));
            }
            let changed = events.iter().rev().find_map(|event| match event {
                Event::Done(Some(count)) => Some(*count),
                _ => None,
            });
            if changed.map(|c| c.to_string()).as_deref() == Some(count) {
                return Ok(());
            }
            Err(format!("{changed:?} rows, expected {count}\n{}", record.sql))
        }
        ["error", ..] => {
            let wanted = record.head["statement".len()..].trim_start()["error".len()..].trim();
            let met = |e: &&taffrail_base::SqlError| match wanted.parse::<i32>() {
                Ok(number) => e.number == number,
                Err(_) => e.message.contains(wanted),
            };
            if errors.iter().any(met) {
                return Ok(());
            }
            let first = first.unwrap_or_else(|| "no error".into());
            Err(format!("{first}, expected error {wanted}\n{}", record.sql))
        }
        _ => Err(format!("not understood: {}", record.head)),
    }
}

/// Runs a query and compares; returns the digest of its values.
fn query(
    record: &Record,
    types: &str,
    threshold: usize,
    session: &mut impl Session,
) -> Result<String, String> {
    let sort = match record.words.get(2) {
        None | Some(&"nosort") => Sort::None,
        Some(&"rowsort") => Sort::Rows,
        Some(&"valuesort") => Sort::Values,
        Some(other) => return Err(format!("unknown sort mode {other} on line {}", record.line)),
    };
    let events = session.execute(&record.sql);
    if let Some(error) = errors(&events).first() {
        return Err(format!("{error}\n{}", record.sql));
    }
    let set = result_sets(&events).into_iter().next();
    let Some(set) = set else { return Err(format!("no result set\n{}", record.sql)) };
    if set.columns.len() != types.len() {
        let (got, want) = (set.columns.len(), types.len());
        return Err(format!("{got} columns, expected {want}\n{}", record.sql));
    }
    let mut rows: Vec<Vec<String>> = set
        .rows
        .iter()
        .map(|row| row.iter().zip(types.chars()).map(|(cell, ty)| value(cell, ty)).collect())
        .collect();
    if sort == Sort::Rows {
        rows.sort();
    }
    let mut values: Vec<String> = rows.iter().flatten().cloned().collect();
    if sort == Sort::Values {
        values.sort();
    }
    let mut text = values.join("\n");
    text.push('\n');
    let digest = format!("{} values hashing to {}", values.len(), md5_hex(text.as_bytes()));
    let hashed = matches!(record.expected[..], [line] if line.contains(" values hashing to "));
    let same = if hashed || (threshold > 0 && values.len() > threshold) {
        record.expected == [digest.as_str()]
    } else {
        record.expected == values || same_rows(&record.expected, &rows, sort)
    };
    if same {
        return Ok(digest);
    }
    let (want, got) = (record.expected.join("\n"), values.join("\n"));
    Err(format!("{}\nexpected:\n{want}\ngot:\n{got}", record.sql))
}

/// The expectation written one row a line, its values separated by blanks.
fn same_rows(expected: &[&str], rows: &[Vec<String>], sort: Sort) -> bool {
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut expected: Vec<String> = expected.iter().map(|line| words(line)).collect();
    let mut rows: Vec<String> = rows.iter().map(|row| words(&row.join(" "))).collect();
    if sort != Sort::None {
        expected.sort();
        rows.sort();
    }
    expected == rows
}

/// A value as the format writes it.
fn value(cell: &Cell, ty: char) -> String {
    let Some(text) = cell else { return "NULL".into() };
    let number = || text.trim().parse::<f64>().ok();
    match ty {
        'I' => match text.trim().parse::<i128>() {
            Ok(whole) => whole.to_string(),
            Err(_) => number().map_or_else(|| text.clone(), |n| format!("{}", n.trunc())),
        },
        'R' => number().map_or_else(|| text.clone(), |n| format!("{n:.3}")),
        _ if text.is_empty() => "(empty)".into(),
        _ => text.chars().map(|c| if (' '..='~').contains(&c) { c } else { '@' }).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Column;
    use taffrail_base::SqlError;

    /// `rows a,b;c,d` yields rows, `fail n` an error, anything else is done with as many rows as its words.
    struct FakeQueries;

    impl Session for FakeQueries {
        fn execute(&mut self, batch: &str) -> Vec<Event> {
            if let Some(number) = batch.strip_prefix("fail ") {
                return vec![Event::Message(*SqlError::new(number.parse().unwrap(), &[&"x"]))];
            }
            let Some(rows) = batch.strip_prefix("rows ") else {
                return vec![Event::Done(Some(batch.split_whitespace().count() as u64))];
            };
            let rows: Vec<Vec<Cell>> = rows
                .split(';')
                .map(|row| row.split(',').map(|c| (c != "null").then(|| c.to_string())).collect())
                .collect();
            let columns = rows[0].iter().map(|_| Column::text("c")).collect();
            let mut events = vec![Event::Columns(columns)];
            events.extend(rows.into_iter().map(Event::Row));
            events
        }
    }

    fn run(file: &str) -> Result<Summary, Failure> {
        run_logic_test(file, |_| FakeQueries)
    }

    #[test]
    fn records_of_all_kinds() {
        let file = "\
# a comment
statement ok
create table

statement count 3
one two three

statement error 208
fail 208

statement error Invalid object
fail 208

skipif mssql
statement ok
fail 102

onlyif sqlite
query I
rows 1
----
2

query IRT rowsort
rows 3,1.5,;1,null,b c
----
1
NULL
b c
3
1.500
(empty)

query II
rows 1,2;3,4
----
1 2
3 4

query I valuesort label-1
rows 2;1
----
1
2

query II
rows 1,2;3,4
----
4 values hashing to 5ba54cb6a70d69a3e8c24a8cb3e6a4a3

halt

statement ok
fail 102
";
        let digest = md5_hex(b"1\n2\n3\n4\n");
        let file = file.replace("5ba54cb6a70d69a3e8c24a8cb3e6a4a3", &digest);
        assert_eq!(run(&file), Ok(Summary { statements: 4, queries: 4, skipped: 2 }));
    }

    #[test]
    fn failures_name_the_line() {
        for (file, line, message) in [
            ("\nstatement ok\nfail 208", 2, "Msg 208"),
            ("statement error\nfine", 1, "no error"),
            ("statement error 102\nfail 208", 1, "expected error 102"),
            ("statement count 2\none", 1, "Some(1) rows, expected 2"),
            ("query I\nrows 1,2\n----\n1", 1, "2 columns, expected 1"),
            ("query I\nrows 1\n----\n2", 1, "expected:\n2\ngot:\n1"),
            ("statement ok\nx\n\nnonsense", 4, "not understood"),
        ] {
            let failure = run(file).unwrap_err();
            assert!(failure.line == line && failure.message.contains(message), "{failure}");
        }
    }
}
