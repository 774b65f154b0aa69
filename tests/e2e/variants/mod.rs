//! The same question asked in many ways, which must all give the same rows: as a join, EXISTS, IN, APPLY; by each method of joining,
//! through each index; split by a condition and put together again.
//!
//! A seed decides eight tables with NULLs and duplicates, and the questions. What differs is made as small as it goes and told as
//! two statements. `TAFFRAIL_VARIANTS_SEED=N` asks the questions of one seed, `TAFFRAIL_VARIANTS_SECONDS=N` those of ever new seeds
//! for so long.

mod condition;
mod dice;
mod question;
mod tables;
mod ways;

use super::life::connect;
use dice::Dice;
use question::{Group, Question, Way};
use std::env;
use std::time::{Duration, Instant};
use taffrail_lab::client::{Client, display};
use taffrail_tests::{Server, TempDir};

/// Seeds of a bounded run, and questions of each seed.
const SEEDS: u64 = 12;
const QUESTIONS: usize = 40;

/// What the parameters of conditions are.
const VARIABLES: &str = "DECLARE @n int = 3, @s nvarchar(10) = N'a', @d date = '20240103'; ";

/// 8622: the hints leave no plan.
const NO_PLAN: i32 = 8622;

#[derive(Default)]
struct Tally {
    statements: u64,
    impossible: u64,
}

#[test]
fn variants_of_a_question_agree() {
    let data = TempDir::new("variants");
    let server = Server::start(&data.path().join("data"), &["--console", "off"]);
    let mut client = connect(&server, "master");
    let number = |name: &str| env::var(name).ok().and_then(|v| v.parse::<u64>().ok());
    let (seed, seconds) = (number("TAFFRAIL_VARIANTS_SEED"), number("TAFFRAIL_VARIANTS_SECONDS"));
    let first = seed.unwrap_or(1);
    let until = seconds.map(|s| Instant::now() + Duration::from_secs(s));
    let mut tally = Tally::default();
    let mut found = Vec::new();
    for seed in first.. {
        let more = match until {
            Some(until) => Instant::now() < until,
            None if number("TAFFRAIL_VARIANTS_SEED").is_some() => seed == first,
            None => seed < first + SEEDS,
        };
        if !more {
            break;
        }
        found.extend(ask(&mut client, seed, &mut tally));
        if found.len() > 10 {
            break;
        }
    }
    println!("{} statements, {} of them impossible", tally.statements, tally.impossible);
    assert!(found.is_empty(), "\n{}", found.join("\n"));
    assert!(tally.impossible * 5 < tally.statements, "too many hints are impossible");
    drop(client);
    assert!(server.stop().success());
}

/// Asks the questions of a seed; the differences.
fn ask(client: &mut Client, seed: u64, tally: &mut Tally) -> Vec<String> {
    let mut dice = Dice::new(seed);
    let tables = tables::tables(&mut dice);
    let database = format!("variants_{seed}");
    run(client, &format!("USE master; CREATE DATABASE {database}"));
    run(client, &format!("USE {database}; SET NOCOUNT ON"));
    tables.iter().flat_map(|t| &t.script).for_each(|sql| run(client, sql));
    let mut found = Vec::new();
    for n in 0..QUESTIONS {
        let question = Question::new(&mut dice, &tables);
        if let Some(pair) = differing(client, &question, &tables, tally) {
            let pair = smallest(client, question, &tables, pair, tally);
            let script: Vec<&str> =
                tables.iter().flat_map(|t| &t.script).map(|s| s.as_str()).collect();
            let kept = env::temp_dir().join(format!("taffrail-variants-{seed}.sql"));
            let _ = std::fs::write(&kept, script.join("\nGO\n"));
            found.push(format!("seed {seed}, question {n} (tables: {}):\n{pair}", kept.display()));
        }
    }
    run(client, &format!("USE master; DROP DATABASE {database}"));
    found
}

fn run(client: &mut Client, sql: &str) {
    client.run(sql).unwrap_or_else(|e| panic!("{e}: {sql}"));
}

/// The question with as few conditions as still make a difference.
fn smallest(
    client: &mut Client,
    mut question: Question,
    tables: &[tables::Table],
    mut pair: String,
    tally: &mut Tally,
) -> String {
    'smaller: loop {
        for less in question.smaller() {
            if let Some(found) = differing(client, &less, tables, tally) {
                (question, pair) = (less, found);
                continue 'smaller;
            }
        }
        return pair;
    }
}

/// Two statements that should give the same and do not.
fn differing(
    client: &mut Client,
    question: &Question,
    tables: &[tables::Table],
    tally: &mut Tally,
) -> Option<String> {
    question.groups(tables).iter().find_map(|group| compare(client, group, tally))
}

fn compare(client: &mut Client, group: &Group, tally: &mut Tally) -> Option<String> {
    let mut answers: Vec<(&Way, String)> = Vec::new();
    for way in &group.ways {
        tally.statements += 1;
        match answer(client, &format!("{VARIABLES}{}", way.sql), group.ordered) {
            Ok(rows) => answers.push((way, rows)),
            Err((NO_PLAN, _)) if way.forced => tally.impossible += 1,
            Err((_, text)) => answers.push((way, text)),
        }
    }
    let mut shortest: Option<(usize, usize, usize)> = None;
    for (a, (first, rows)) in answers.iter().enumerate() {
        for (b, (second, others)) in answers.iter().enumerate().skip(a + 1) {
            let length = first.sql.len() + second.sql.len();
            if rows != others && shortest.is_none_or(|s| length < s.2) {
                shortest = Some((a, b, length));
            }
        }
    }
    let (a, b, _) = shortest?;
    let told = |(way, rows): &(&Way, String)| {
        let rows: Vec<&str> = rows.lines().take(12).collect();
        format!("{}{}\n    {}", VARIABLES, way.sql, rows.join("\n    "))
    };
    Some(format!("{}\n{}\n", told(&answers[a]), told(&answers[b])))
}

/// The rows as text, sorted unless their order counts.
fn answer(client: &mut Client, sql: &str, ordered: bool) -> Result<String, (i32, String)> {
    match client.query(sql) {
        Ok(answer) => {
            let mut lines = Vec::new();
            for set in &answer.sets {
                for row in &set.rows {
                    let cells: Vec<String> =
                        row.iter().zip(&set.types).map(|(v, t)| display(v, *t)).collect();
                    lines.push(cells.join("|"));
                }
            }
            if !ordered {
                lines.sort_unstable();
            }
            Ok(format!("{} rows\n{}", lines.len(), lines.join("\n")))
        }
        Err(e) => {
            let number = e.server().map_or(0, |m| m.number);
            // What it has begun is not undone by each error.
            if number != 0 {
                run(client, "IF @@TRANCOUNT > 0 ROLLBACK; SET ROWCOUNT 0");
            }
            Err((number, e.to_string()))
        }
    }
}
