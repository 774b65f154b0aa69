//! Data directories that earlier releases left, stopped and killed: every later version opens them and finds what is in them.
//!
//! `tests/kept/COMMIT` holds the directories as archives, how they were made (`make.py`, `fill.sql`, `leave.sql`), and what to
//! look at (`look.sql`, `restore.sql`). The expectations (`*.out`) are what the release itself answered after a restart:
//! `UPDATE_GOLDEN=1 TAFFRAIL_BINARY=that release`.

use crate::golden::OverTds;
use crate::life::connect;
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

#[test]
fn a_stopped_directory_of_4bc2ec3_opens() {
    opens("4bc2ec3", "stopped");
}

#[test]
fn a_killed_directory_of_4bc2ec3_opens() {
    opens("4bc2ec3", "killed");
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

/// What a later version may have written is refused in words, and nothing of it is changed.
#[test]
fn a_newer_file_is_refused_in_words() {
    let folder = TempDir::new("newer");
    let data = folder.path().join("data");
    let server = Server::start(&data, &[]);
    connect(&server, "master").run("CREATE DATABASE later").unwrap();
    assert!(server.stop().success());
    let version = make_newer(&data.join("later.mdf"));
    let words = |name: &str| {
        let than = version - 1;
        format!(
            "The database '{name}' cannot be opened because it is version {version}. This server \
             supports version {than} and earlier. A downgrade path is not supported."
        )
    };
    let before = fs::read(data.join("later.mdf")).unwrap();
    let server = Server::start(&data, &[]);
    let error = connect(&server, "master").run("USE later").unwrap_err().to_string();
    assert!(error.contains("later"), "{error}");
    assert!(server.stop().success());
    let log = fs::read_to_string(data.join("log/errorlog")).unwrap();
    assert!(log.contains(&words("later")), "{log}");
    assert!(fs::read(data.join("later.mdf")).unwrap() == before);

    make_newer(&data.join("master.mdf"));
    let before = fs::read(data.join("master.mdf")).unwrap();
    assert!(Server::try_start(&data, &[]).is_err());
    let said = fs::read_to_string(folder.path().join("data.stderr")).unwrap();
    assert!(said.contains(&words("master")), "{said}");
    assert!(fs::read(data.join("master.mdf")).unwrap() == before);
}

/// Makes the version of both boot pages one more; says which it is now.
fn make_newer(file: &Path) -> u16 {
    const PAGE: usize = 8192;
    // Behind the page's header, and the number that tells the newer copy.
    const VERSION: usize = 96 + 8;
    let mut bytes = fs::read(file).unwrap();
    let mut version = 0;
    for page in [9, 10] {
        let page = &mut bytes[page * PAGE..][..PAGE];
        version = u16::from_le_bytes([page[VERSION], page[VERSION + 1]]) + 1;
        page[VERSION..][..2].copy_from_slice(&version.to_le_bytes());
        page[4..8].fill(0);
        let crc = crc32c(page);
        page[4..8].copy_from_slice(&crc.to_le_bytes());
    }
    fs::write(file, bytes).unwrap();
    version
}

fn crc32c(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc: u32, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| match crc & 1 {
            0 => crc >> 1,
            _ => crc >> 1 ^ 0x82F6_3B78,
        })
    })
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
