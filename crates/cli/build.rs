//! The commit that the binary is built from, for `taffrail --version`: TAFFRAIL_COMMIT, else what git says; nothing where neither
//! is there (a source archive).

use std::path::Path;
use std::process::Command;

fn git(words: &[&str]) -> Option<String> {
    let out = Command::new("git").args(words).output().ok().filter(|o| o.status.success())?;
    Some(String::from_utf8(out.stdout).ok()?.trim().to_string()).filter(|s| !s.is_empty())
}

fn main() {
    println!("cargo:rerun-if-env-changed=TAFFRAIL_COMMIT");
    println!("cargo:rerun-if-changed=build.rs");
    // Each commit and each checkout writes a line there.
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"])
        && Path::new(&log).exists()
    {
        println!("cargo:rerun-if-changed={log}");
    }
    let given = std::env::var("TAFFRAIL_COMMIT").ok().filter(|c| !c.is_empty());
    let version = std::env::var("CARGO_PKG_VERSION").unwrap_or_default();
    let version = match given.or_else(|| git(&["rev-parse", "--short=12", "HEAD"])) {
        Some(commit) => format!("{version} ({commit})"),
        None => version,
    };
    println!("cargo:rustc-env=TAFFRAIL_VERSION={version}");
}
