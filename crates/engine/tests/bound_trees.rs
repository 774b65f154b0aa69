//! What statements mean: SQL and its bound tree, a golden file for each chapter of the language.
//!
//! A file of `bound_trees` is a list of statements. Each is followed by a line `----` and by what
//! binding says of it: the types of its result (`:: int, varchar(10)`), where it has one, and its
//! tree; or the message that refuses it. Lines with `#` are comments. The chapter of nullability
//! says of each column whether it may be NULL. `UPDATE_GOLDEN=1` writes the answers anew.

use crate::support;

use std::fs;
use std::path::{Path, PathBuf};
use support::sim::{start, world};
use support::{Client, connect};
use taffrail_io::sim::SimOptions;

/// Statements that all files hold together, at least.
const STATEMENTS: usize = 420;

/// A statement of a chapter.
struct Case {
    /// Comments and blank lines above it.
    before: String,
    sql: String,
    answer: String,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bound_trees")
}

fn chapters() -> Vec<PathBuf> {
    let files = fs::read_dir(folder()).expect("the folder of chapters");
    let mut files: Vec<PathBuf> = files.map(|f| f.expect("an entry").path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "txt"));
    files.sort();
    files
}

fn cases(text: &str) -> Vec<Case> {
    let mut cases = Vec::new();
    let mut lines = text.lines().peekable();
    while lines.peek().is_some() {
        let mut case = Case { before: String::new(), sql: String::new(), answer: String::new() };
        while let Some(l) = lines.next_if(|l| l.is_empty() || l.starts_with('#')) {
            case.before += &format!("{l}\n");
        }
        let sql: Vec<&str> = lines.by_ref().take_while(|l| *l != "----").collect();
        case.sql = sql.join("\n");
        while let Some(l) = lines.next_if(|l| !l.is_empty()) {
            case.answer += &format!("{l}\n");
        }
        if !case.sql.is_empty() {
            cases.push(case);
        }
    }
    cases
}

/// The text of a file of these cases.
fn written(cases: &[Case]) -> String {
    let one = |c: &Case| format!("{}{}\n----\n{}", c.before, c.sql, c.answer);
    cases.iter().map(one).collect()
}

/// What binding says of a statement.
fn answer(c: &mut Client, sql: &str, nullability: bool) -> String {
    let literal = format!("N'{}'", sql.replace('\'', "''"));
    let tree =
        c.rows(&format!("SELECT logical FROM taffrail.plan_of({literal}) ORDER BY statement"));
    let null = if nullability { "IIF(is_nullable = 1, ' NULL', '')" } else { "''" };
    let types = c.rows(&format!(
        "SELECT system_type_name + {null}
        FROM sys.dm_exec_describe_first_result_set({literal}, NULL, 0)
        WHERE error_number IS NULL ORDER BY column_ordinal"
    ));
    match types.is_empty() || tree.starts_with("Msg ") {
        true => format!("{tree}\n"),
        false => format!(":: {}\n{tree}\n", types.replace('\n', ", ")),
    }
}

/// The first line that differs, with what stands around it.
fn difference(expected: &str, came: &str) -> String {
    let (e, c): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), came.lines().collect());
    let at = e.iter().zip(&c).take_while(|(e, c)| e == c).count();
    let part = |l: &[&str]| l[at.saturating_sub(6)..(at + 4).min(l.len())].join("\n  ");
    format!("line {}, expected:\n  {}\ncame:\n  {}", at + 1, part(&e), part(&c))
}

#[test]
fn statements_mean_what_the_chapters_say() {
    let world = world(1, SimOptions::default());
    let instance = start(&world).expect("a first start");
    let mut c = connect(&instance);
    c.ok("CREATE DATABASE d");
    c.ok("USE d");
    let catalogue = fs::read_to_string(folder().join("catalogue.sql")).expect("the catalogue");
    catalogue.split("\nGO\n").for_each(|batch| c.ok(batch));
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    let mut wrong = Vec::new();
    for file in chapters() {
        let expected = fs::read_to_string(&file).expect("a chapter");
        let mut cases = cases(&expected);
        let nullability = file.ends_with("nullability.txt");
        for case in &mut cases {
            case.answer = answer(&mut c, &case.sql, nullability);
        }
        let came = written(&cases);
        if update && came != expected {
            fs::write(&file, &came).expect("the chapter is written");
        } else if came != expected {
            wrong.push(format!("{}: {}", file.display(), difference(&expected, &came)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    drop(c);
    instance.shutdown().expect("an orderly end");
}

#[test]
fn the_chapters_hold_enough_statements() {
    let count = |file: &PathBuf| cases(&fs::read_to_string(file).expect("a chapter")).len();
    let held: usize = chapters().iter().map(count).sum();
    assert!(held >= STATEMENTS, "{held} statements");
}
