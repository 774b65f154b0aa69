//! Every name that SQL Server has is here, or is refused by name (40510); none is told as a name that is wrong.

use crate::support;

use support::{World, numbers};

/// The lines of one of the lists of `tests/names`.
fn names(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().filter(|l| !l.starts_with('#') && !l.trim().is_empty())
}

/// Runs a batch for each name; what answered with one of these numbers.
fn walk(list: &'static str, batch: impl Fn(&str) -> String, wrong: &[u32]) {
    let world = World::new();
    let mut c = world.connect();
    let mut missing = Vec::new();
    let mut walked = 0;
    for name in names(list) {
        let batch = batch(name);
        let said = c.run(&batch);
        if said.ends_with("closed") {
            c = world.connect();
        }
        if numbers(&said).iter().any(|n| wrong.contains(n)) {
            missing.push(format!("{batch}: {said}"));
        }
        c.run("IF @@TRANCOUNT > 0 ROLLBACK");
        walked += 1;
    }
    assert!(walked > 50, "the list is short");
    assert!(missing.is_empty(), "{} names:\n{}", missing.len(), missing.join("\n"));
}

/// 216: a function, which takes arguments.
#[test]
fn views() {
    let batch = |name: &str| match name.strip_prefix("msdb.") {
        Some(name) => format!("SELECT TOP (0) * FROM msdb.{name}"),
        None => format!("SELECT TOP (0) * FROM {name}"),
    };
    walk(include_str!("../../../tests/names/views.txt"), batch, &[102, 156, 195, 208, 2812]);
}

#[test]
fn procedures() {
    let batch = |name: &str| format!("EXEC {name}");
    walk(include_str!("../../../tests/names/procedures.txt"), batch, &[102, 195, 208, 2812]);
}

/// Some are not finished statements (no arguments where there must be some), but their names are known.
#[test]
fn functions() {
    let wrong = [102, 128, 137, 156, 195, 208, 4121];
    walk(include_str!("../../../tests/names/functions.txt"), str::to_string, &wrong);
}

#[test]
fn dbcc_commands() {
    let batch = |name: &str| format!("DBCC {name}");
    walk(include_str!("../../../tests/names/dbcc.txt"), batch, &[2526]);
}
