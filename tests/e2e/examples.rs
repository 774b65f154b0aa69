//! What `examples` has, run with the packages' own sources (`packaging`) and the binary of this test run.

use crate::clients::{installed, repository};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use taffrail_tests::{TempDir, binary};

/// Runs the tests of an example; `passed` of their output says that they were run.
fn run(mut program: Command, example: &str, passed: &str) {
    let out = program
        .current_dir(repository().join("examples").join(example))
        .env("TAFFRAIL_BINARY", std::fs::canonicalize(binary()).unwrap())
        .stdin(Stdio::null())
        .output()
        .unwrap_or_else(|e| panic!("{program:?}: {e}"));
    let text = String::from_utf8_lossy(&out.stdout);
    let complained = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success() && text.contains(passed), "{example}\n{complained}\n{text}");
}

fn packaging(name: &str) -> PathBuf {
    repository().join("packaging").join(name)
}

#[test]
fn pytest_and_sqlalchemy() {
    let mut program = Command::new(installed("python/bin/python"));
    program
        .args([
            "-B",
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-p",
            "taffrail.pytest_plugin",
        ])
        .env("PYTHONPATH", packaging("python"));
    run(program, "pytest-sqlalchemy", "5 passed");
}

#[test]
fn node_and_tedious() {
    // As `npm install` would lay it out.
    let modules = TempDir::new("node-modules");
    std::os::unix::fs::symlink(packaging("npm"), modules.path().join("taffrail")).unwrap();
    let mut program = Command::new("node");
    let tedious = installed("node/node_modules");
    program
        .args(["--test", "--test-reporter=tap"])
        .env("NODE_PATH", format!("{}:{}", tedious.display(), modules.path().display()));
    run(program, "node-tedious", "# pass 5");
}
