//! Data directories that earlier releases left, stopped and killed: every later version opens them and finds what is in them.
//!
//! `tests/kept/COMMIT` holds the directories as archives, how they were made (`make.py`, `fill.sql`, `leave.sql`), and what to
//! look at (`look.sql`, `restore.sql`). The expectations (`*.out`) are what the release itself answered after a restart:
//! `UPDATE_GOLDEN=1 TAFFRAIL_BINARY=that release`.

use crate::golden::OverTds;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use taffrail_testkit::run_script;
use taffrail_tests::{Server, TempDir};

#[test]
fn a_stopped_directory_of_2f8c548_opens() {
    opens("2f8c548", "stopped");
}

#[test]
fn a_killed_directory_of_2f8c548_opens() {
    opens("2f8c548", "killed");
}

/// Unpacks a directory, starts the server on it, looks, restores its backups, and looks again after a stop and after a kill.
fn opens(release: &str, name: &str) {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("kept").join(release);
    let folder = TempDir::new("kept");
    let data = folder.path().join("data");
    fs::create_dir(&data).unwrap();
    let archive = kept.join(format!("{name}.tar.gz"));
    let unpacked = Command::new("tar").arg("-xzf").arg(&archive).arg("-C").arg(&data).status();
    assert!(unpacked.unwrap().success(), "{}", archive.display());

    let server = Server::start(&data, &[]);
    holds(&server, &kept, "look", name);
    holds(&server, &kept, "restore", name);
    assert!(server.stop().success());
    let server = Server::start(&data, &[]);
    holds(&server, &kept, "look", name);
    server.kill();
    let server = Server::start(&data, &[]);
    holds(&server, &kept, "look", name);
    assert!(server.stop().success());
}

/// Runs a script of the kept directory and compares what comes with what the release answered.
fn holds(server: &Server, kept: &Path, script: &str, name: &str) {
    let text = fs::read_to_string(kept.join(format!("{script}.sql"))).unwrap();
    let got = run_script(&text, |_| OverTds::open(server, "master")).unwrap();
    let out: PathBuf = kept.join(format!("{script}-{name}.out"));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&out, got).unwrap();
        return;
    }
    let want = fs::read_to_string(&out).unwrap();
    if got != want {
        let first = got.lines().zip(want.lines()).find(|(g, w)| g != w);
        panic!("{}: {first:?} (what came, what was expected)", out.display());
    }
}
