//! `lab run --peers`: other products beside the server, those that are not installed by name.

use super::said;
use std::path::Path;
use std::process::Command;
use taffrail_lab::experiment::record::Record;
use taffrail_lab::experiment::store;
use taffrail_tests::{TempDir, binary};

const VARIANTS: [&str; 3] = ["autocommit", "sqlite-hundred", "postgresql-hundred"];

/// A run of three variants; its record, and the words on the terminal.
fn run(out: &Path, change: impl FnOnce(&mut Command)) -> (Record, String) {
    let mut command = Command::new(binary());
    command.args(["lab", "run", "loop", "--scale", "tiny", "--repeat", "2", "--peers", "--out"]);
    command.arg(out).args(VARIANTS.iter().flat_map(|v| ["--only", v]));
    change(&mut command);
    let done = command.output().unwrap();
    assert!(done.status.success(), "{}", said(&done));
    (store::record(&out.join("loop-tiny")).unwrap(), said(&done))
}

fn installed(command: &str) -> bool {
    Command::new(command).arg("--version").output().is_ok_and(|o| o.status.success())
}

#[test]
fn products_that_are_installed_are_measured_beside_the_server() {
    let dir = TempDir::new("lab-peers");
    let out = dir.path().join("out");
    let (record, words) = run(&out, |_| ());
    for (variant, name, client) in
        [("sqlite-hundred", "SQLite", "sqlite3"), ("postgresql-hundred", "PostgreSQL", "psql")]
    {
        let told = record.variants.iter().find(|v| v.name == variant).unwrap();
        match &told.left_out {
            // A client may be there without its server.
            Some(why) => {
                assert!(!installed(client) || client == "psql", "{why}");
                eprintln!("{name} IS NOT TESTED: {why}");
            }
            None => {
                let seconds = record.figure(variant, "insert", "seconds").unwrap();
                assert_eq!(seconds.values.len(), 2, "{variant}");
                assert!(record.plan.server.machine.contains("; beside it "), "{words}");
                assert!(words.contains(&format!("{name} ")), "{words}");
                assert!(record.figure(variant, "insert", "log_flushes").is_none());
            }
        }
    }
    let page = std::fs::read_to_string(out.join("loop-tiny/report.html")).unwrap();
    assert!(page.contains("SQLite: 100 rows a commit"));
    assert!(!out.join(".server").exists(), "files of a product are left");
}

#[test]
fn products_that_are_not_installed_are_left_out_by_name() {
    let dir = TempDir::new("lab-no-peers");
    let nothing = dir.path().join("bin");
    std::fs::create_dir(&nothing).unwrap();
    let (record, words) = run(&dir.path().join("out"), |c| {
        c.env("PATH", &nothing);
    });
    for (variant, name) in [("sqlite-hundred", "SQLite"), ("postgresql-hundred", "PostgreSQL")] {
        let told = record.variants.iter().find(|v| v.name == variant).unwrap();
        let why = told.left_out.as_ref().unwrap();
        assert!(why.starts_with(&format!("{name} is not installed: there is no ")), "{why}");
        assert!(words.contains(why), "{words}");
    }
    assert!(record.figure("autocommit", "insert", "seconds").is_some());
}

#[test]
fn without_the_flag_nobody_speaks_of_products() {
    let dir = TempDir::new("lab-alone");
    let out = dir.path().join("out");
    let mut command = Command::new(binary());
    command.args(["lab", "run", "loop", "--scale", "tiny", "--repeat", "1", "--out"]);
    let done = command.arg(&out).output().unwrap();
    assert!(done.status.success() && !said(&done).contains("SQLite"), "{}", said(&done));
    let record = store::record(&out.join("loop-tiny")).unwrap();
    assert!(record.variants.iter().all(|v| !v.name.contains("sqlite")));
    let mut alone = Command::new(binary());
    alone.args(["lab", "run", "loop", "--scale", "tiny", "--only", "sqlite-hundred", "--out"]);
    let refused = alone.arg(&out).output().unwrap();
    let why = "loop: no variant is left to run on the server";
    assert!(!refused.status.success() && said(&refused).contains(why), "{}", said(&refused));
}
