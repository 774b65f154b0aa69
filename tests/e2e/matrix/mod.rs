//! `tests/names/matrix.txt`: what it says of each name of SQL Server is so. A name that works is used by a golden batch that succeeds;
//! each part that is
//! missing, and each name that is refused, has a batch that says so; a server answers the same, and has no name besides. The table of
//! `docs/reference/t-sql.md` is made of it.

mod entries;
mod golden;
mod table;

use crate::clients::repository;
use crate::life::connect;
use entries::{Entry, Proof, State};
use golden::Batch;
use std::collections::{HashMap, HashSet};
use taffrail_lab::client::{Client, ClientError};
use taffrail_tests::{Server, TempDir};

/// The number of what is not supported.
const NOT_SUPPORTED: u32 = 40510;

fn matrix() -> Vec<Entry> {
    entries::parse(&std::fs::read_to_string(repository().join("tests/names/matrix.txt")).unwrap())
}

/// The batches of the golden scripts, with an index by words: most names need one look-up.
struct Golden {
    batches: Vec<Batch>,
    by_word: HashMap<String, Vec<usize>>,
    refused: HashSet<String>,
}

impl Golden {
    fn read() -> Golden {
        let batches = golden::batches(&repository().join("tests/golden"));
        assert!(batches.len() > 5000, "the scripts are there");
        let mut by_word: HashMap<String, Vec<usize>> = HashMap::new();
        for (n, batch) in batches.iter().enumerate() {
            let distinct: HashSet<&String> = batch.words.iter().collect();
            distinct.into_iter().for_each(|w| by_word.entry(w.clone()).or_default().push(n));
        }
        let refused = batches.iter().flat_map(Batch::refused_names).collect();
        Golden { batches, by_word, refused }
    }

    /// Whether a batch that uses the name is as it should be.
    fn any(&self, entry: &Entry, good: impl Fn(&Batch) -> bool) -> bool {
        let words = golden::words(&entry.name.replace("NEXT_VALUE_FOR", "NEXT VALUE FOR"));
        let rarest = words
            .iter()
            .filter(|w| !matches!(w.as_str(), "…" | "@"))
            .map(|w| self.by_word.get(w).map_or(&[][..], |l| &l[..]));
        let places = rarest.min_by_key(|l| l.len()).unwrap_or_default();
        places.iter().map(|n| &self.batches[*n]).any(|b| good(b) && entry.is_used(&b.words))
    }

    /// The fault of a proof, if it has one.
    fn fault(&self, proof: &Proof) -> Option<String> {
        match proof {
            Proof::Test(file, text) => {
                let tests = std::fs::read_to_string(repository().join(file)).unwrap_or_default();
                (!tests.contains(text.as_str())).then(|| format!("{file} has no {text}"))
            }
            Proof::Batch(text, expected) => {
                let holds = |b: &Batch| match (expected.parse(), expected.as_str()) {
                    (Ok(number), _) => b.tells(number),
                    (_, "runs") => b.succeeds(),
                    (_, words) => b.out.contains(words),
                };
                let found = self.batches.iter().any(|b| b.text.contains(text.as_str()) && holds(b));
                (!found).then(|| format!("no golden batch with {text} gives {expected}"))
            }
        }
    }

    fn fault_of(&self, e: &Entry) -> Option<String> {
        if let Some(fault) = e.proofs.iter().find_map(|p| self.fault(p)) {
            return Some(fault);
        }
        let proved = !e.proofs.is_empty();
        match e.state {
            State::Part if e.words.is_empty() || !proved => {
                Some("what is missing, and a proof, are not named".into())
            }
            State::Part => None,
            State::Yes if proved || self.any(e, Batch::succeeds) => None,
            State::Yes => Some("no golden batch that uses it succeeds".into()),
            State::Refused if proved || self.refused.contains(&e.last()) => None,
            State::Refused if self.any(e, |b| b.tells(NOT_SUPPORTED)) => None,
            State::Refused => Some("no golden batch that uses it is refused".into()),
        }
    }
}

#[test]
fn each_name_has_a_batch_that_proves_it() {
    let golden = Golden::read();
    let entries = matrix();
    let faults: Vec<String> = entries
        .iter()
        .filter_map(|e| Some(format!("{} {}: {}", e.kind, e.name, golden.fault_of(e)?)))
        .collect();
    assert!(faults.is_empty(), "{} names:\n{}", faults.len(), faults.join("\n"));
    let mut seen = HashSet::new();
    let twice: Vec<&str> = entries
        .iter()
        .filter(|e| !seen.insert((&e.kind, &e.area, &e.name)))
        .map(|e| &*e.name)
        .collect();
    assert!(twice.is_empty(), "twice: {twice:?}");
}

#[test]
fn the_lists_of_names_are_in_it() {
    let known: HashSet<String> = matrix().iter().map(Entry::last).collect();
    for list in ["views", "procedures", "dbcc"] {
        let text =
            std::fs::read_to_string(repository().join(format!("tests/names/{list}.txt"))).unwrap();
        let names = text.lines().filter(|l| !l.starts_with('#') && !l.trim().is_empty());
        let last = |l: &str| {
            l.split(' ')
                .next()
                .and_then(|n| n.rsplit('.').next())
                .unwrap_or_default()
                .to_lowercase()
        };
        let lacking: Vec<&str> = names.filter(|l| !known.contains(&last(l))).collect();
        assert!(lacking.is_empty(), "{list}: {lacking:?}");
    }
}

#[test]
fn the_table_of_the_reference_is_made_of_the_names() {
    let path = repository().join("docs/reference/t-sql.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let made = table::table(&matrix());
    if std::env::var_os("UPDATE_MATRIX").is_some_and(|v| v != "0") {
        std::fs::write(&path, table::put(&page, &made).expect("the marks of the table")).unwrap();
        return;
    }
    let there = table::on_page(&page).expect("the marks of the table");
    let differs = made.lines().zip(there.lines()).find(|(a, b)| a != b);
    assert!(made == there, "another table (UPDATE_MATRIX=1 writes it): {differs:?}");
}

/// The batches that ask a server for a name; none where the name alone says nothing.
fn probes(e: &Entry) -> Vec<String> {
    match e.kind.as_str() {
        "function" => vec![
            format!("SELECT {}()", e.name),
            format!("SELECT * FROM {}() AS t", e.name),
            format!("SELECT {}(1)", e.name),
        ],
        "@@" => vec![format!("SELECT {}", e.name)],
        "view" => vec![format!("SELECT TOP (0) * FROM {}", e.name)],
        "procedure" => vec![format!("EXEC {}", e.name)],
        "DBCC" => vec![format!("DBCC {}", e.name)],
        _ => Vec::new(),
    }
}

/// The numbers of the errors of a batch.
fn errors(client: &mut Client, batch: &str) -> Vec<u32> {
    match client.run(batch) {
        Ok(_) => Vec::new(),
        Err(ClientError::Server(messages)) => messages.iter().map(|m| m.number as u32).collect(),
        Err(e) => panic!("{batch}: {e}"),
    }
}

/// Statements that a call without arguments of which would disturb what follows.
fn disturbs(e: &Entry) -> bool {
    matches!(
        &*e.last(),
        "sp_cycle_errorlog" | "sp_resetstatus" | "sp_reset_connection" | "shutdown"
    )
}

#[test]
fn a_server_answers_as_the_names_say() {
    let temp = TempDir::new("matrix");
    let server = Server::start(&temp.path().join("data"), &["--console", "off"]);
    let mut client = connect(&server, "master");
    let entries = matrix();
    let mut faults = Vec::new();
    for e in entries.iter().filter(|e| !disturbs(e)) {
        let answers: Vec<Vec<u32>> = probes(e).iter().map(|p| errors(&mut client, p)).collect();
        if answers.is_empty() {
            continue;
        }
        // 102, 156: a form that the name does not have; 195, 208, 2526, 2812, 4121: a name that is nobody's.
        let strange =
            |n: &u32| matches!(*n, NOT_SUPPORTED | 102 | 156 | 195 | 208 | 2526 | 2812 | 4121);
        let known = answers.iter().any(|a| !a.iter().any(strange));
        let refused = answers.iter().any(|a| a.contains(&NOT_SUPPORTED));
        let so = match e.state {
            State::Refused => !known && (refused || e.kind == "function"),
            // CAST () is no call, and SQLPERF without an argument no statement.
            _ => known || !refused && (e.kind == "function" || e.name == "SQLPERF"),
        };
        if !so {
            faults.push(format!("{} {} is said to be {:?}: {answers:?}", e.kind, e.name, e.state));
        }
    }
    assert!(faults.is_empty(), "{} names:\n{}", faults.len(), faults.join("\n"));
    // What is registered is among the names.
    let known: HashSet<String> =
        entries.iter().filter(|e| e.state != State::Refused).map(Entry::last).collect();
    let listed = client
        .query("SELECT name FROM master.sys.all_objects WHERE object_id < 0 AND SCHEMA_NAME(schema_id) <> N'taffrail' ORDER BY name")
        .unwrap();
    let listed = listed.text();
    let strange: Vec<&str> =
        listed.lines().filter(|n| !known.contains(&n.to_lowercase())).collect();
    assert!(listed.lines().count() > 400, "{listed}");
    assert!(strange.is_empty(), "registered, and not among the names: {strange:?}");
    assert!(server.stop().success());
}
