//! Rules about the text of source files.

use anyhow::{Context, Result};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Where `unsafe` may appear, each block with its reason.
const MAY_BE_UNSAFE: &[&str] = &["crates/io/src/", "crates/storage/src/buffer/frame"];

/// More lines than this are more than one idea.
const LONG: usize = 600;

/// Where Rust files of ours are.
const FOLDERS: &[&str] = &["crates", "tests", "fuzz"];

/// Every Rust file below [`FOLDERS`], with its path from the root and its text.
pub fn sources(root: &Path) -> Result<Vec<(String, String)>> {
    let mut found = Vec::new();
    let mut folders: Vec<PathBuf> = FOLDERS.iter().map(|f| root.join(f)).collect();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
            let path: PathBuf = entry?.path();
            // What was built or found by fuzzing is nobody's source.
            if path.is_dir() && !path.ends_with("target") && !path.ends_with("corpus") {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let name = path.strip_prefix(root)?.to_string_lossy().into_owned();
                found.push((name, fs::read_to_string(&path)?));
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Crates must forbid unsafe code; the exceptions deny it and allow it in named files.
pub fn unsafe_code(root: &Path) -> Result<Vec<String>> {
    let mut findings = Vec::new();
    for (name, text) in sources(root)? {
        let is_root = name.ends_with("/src/lib.rs");
        let exempt = ["crates/io/", "crates/storage/"].iter().any(|c| name.starts_with(c));
        if is_root && !exempt && !text.contains("#![forbid(unsafe_code)]") {
            findings.push(format!("{name} does not say #![forbid(unsafe_code)]"));
        }
        if MAY_BE_UNSAFE.iter().any(|p| name.starts_with(p)) || name.starts_with("crates/xtask/") {
            continue;
        }
        for (i, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or("");
            if code.contains("unsafe ") && !code.contains("unsafe_") {
                findings.push(format!("{name}:{}: unsafe outside the named places", i + 1));
            }
        }
    }
    Ok(findings)
}

/// Numbers given to `SqlError::new(…)` must be in the catalogue.
pub fn messages(root: &Path) -> Result<Vec<String>> {
    let known: BTreeSet<i32> = taffrail_messages(root)?;
    let mut findings = Vec::new();
    for (name, text) in sources(root)? {
        for (at, _) in text.match_indices("SqlError::new(") {
            let rest = text[at + "SqlError::new(".len()..].trim_start();
            let digits: String =
                rest.chars().take_while(|c| c.is_ascii_digit() || *c == '_').collect();
            let Ok(number) = digits.replace('_', "").parse::<i32>() else { continue };
            if !known.contains(&number) {
                let line = text[..at].lines().count();
                findings.push(format!("{name}:{line}: message {number} is not in the catalogue"));
            }
        }
    }
    Ok(findings)
}

fn taffrail_messages(root: &Path) -> Result<BTreeSet<i32>> {
    let path = root.join("crates/base/src/message/catalogue.rs");
    let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    Ok(text
        .match_indices("number: ")
        .filter_map(|(at, m)| text[at + m.len()..].split(',').next()?.trim().parse().ok())
        .collect())
}

/// Columns of the widest line of code.
const WIDE: usize = 140;

/// No line of code is wider than [`WIDE`], but for the catalogue of messages and rows of tables in comments.
pub fn widths(root: &Path) -> Result<Vec<String>> {
    let mut findings = Vec::new();
    for (name, text) in sources(root)? {
        if name.ends_with("message/catalogue.rs") {
            continue;
        }
        for (at, line) in text.lines().enumerate() {
            let columns = line.chars().count();
            let code = line.trim_start();
            if columns > WIDE && !code.starts_with("//! |") && !code.starts_with("/// |") {
                findings.push(format!("{name}:{} has {columns} columns, more than {WIDE}", at + 1));
            }
        }
    }
    Ok(findings)
}

/// The fields of a session, each with the reason for which it outlasts the modules that run.
const OF_SESSIONS: [(&str, &str); 14] = [
    ("id", "who is connected"),
    ("instance", "where it is connected"),
    ("client", "who is connected"),
    ("cell", "what others are shown of it"),
    ("entry", "what others are shown of it"),
    ("activation", "the owner of all that a module which runs has, and of its callers"),
    ("database", "the current database"),
    ("transaction", "it begins and ends where it likes, in whatever module"),
    ("temps", "global temporary tables, and those whose modules have ended"),
    ("running", "facts of the request, whichever module runs"),
    ("promises", "what it has learned that may not be durable, until its answer has left"),
    ("kept", "what SET and procedures have put down until the session ends or is reset"),
    ("held", "what the client holds by handle or by name"),
    ("lookups", "what look-ups of names have met, taken by whoever has asked"),
];

/// A session has no state of what runs but the activation: its fields are those of [`OF_SESSIONS`].
pub fn session_fields(root: &Path) -> Result<Vec<String>> {
    const PATH: &str = "crates/exec/src/session/mod.rs";
    let text = fs::read_to_string(root.join(PATH)).context(PATH)?;
    let (_, after) = text.split_once("pub struct Session {\n").context("struct Session")?;
    let (body, _) = after.split_once("\n}\n").context("its end")?;
    let name = |line: &str| {
        let line = line.trim().trim_start_matches("pub(crate)").trim_start_matches("pub");
        line.split_once(':').map(|(name, _)| name.trim().to_string())
    };
    let there: Vec<String> =
        body.lines().filter(|l| l.starts_with("    pub")).filter_map(name).collect();
    let known = |name: &str| OF_SESSIONS.iter().any(|(known, _)| *known == name);
    let unknown = there.iter().filter(|f| !known(f)).map(|f| {
        format!(
            "{PATH}: Session.{f}: what a module that runs owns belongs to `Activation`; what outlasts it has a line in OF_SESSIONS of \
             crates/xtask/src/files.rs"
        )
    });
    let gone = OF_SESSIONS.iter().filter(|(known, _)| !there.iter().any(|f| f == known));
    let gone = gone.map(|(f, _)| format!("{PATH}: Session.{f} is in OF_SESSIONS, and not there"));
    Ok(unknown.chain(gone).collect())
}

/// No file but the catalogue of messages has more than [`LONG`] lines.
pub fn sizes(root: &Path) -> Result<Vec<String>> {
    let mut findings = Vec::new();
    for (name, text) in sources(root)? {
        let lines = text.lines().count();
        if lines > LONG && !name.ends_with("message/catalogue.rs") {
            findings.push(format!("{name} has {lines} lines, more than {LONG}: split it"));
        }
    }
    Ok(findings)
}
