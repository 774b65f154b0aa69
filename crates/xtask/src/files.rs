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

/// A session's state has at most [`FIELDS`] fields, each an object or a fact of its own.
pub fn session_fields(root: &Path) -> Result<Vec<String>> {
    const FIELDS: usize = 15;
    const PATH: &str = "crates/engine/src/session/mod.rs";
    let text = fs::read_to_string(root.join(PATH)).context(PATH)?;
    let (_, after) = text.split_once("pub struct Session {\n").context("struct Session")?;
    let (body, _) = after.split_once("\n}\n").context("its end")?;
    let fields = body.lines().filter(|l| l.starts_with("    pub")).count();
    Ok(match fields {
        0 => vec![format!("{PATH}: no field of Session was found")],
        n if n > FIELDS => vec![format!("{PATH}: Session has {n} fields, more than {FIELDS}")],
        _ => Vec::new(),
    })
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
