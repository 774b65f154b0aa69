//! Rules about the text of source files.

use anyhow::{Context, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Where `unsafe` may appear, each block with its reason.
const MAY_BE_UNSAFE: &[&str] = &["crates/io/src/", "crates/storage/src/buffer/frame"];

/// Lines from which a file has to be on the list of long files.
const LONG: usize = 600;

/// Files of old debt and the number of lines they may have at most.
const LONG_FILES: &str = "crates/xtask/long-files.txt";

/// Every Rust file below `crates/`, with its path from the root and its text.
fn sources(root: &Path) -> Result<Vec<(String, String)>> {
    let mut found = Vec::new();
    let mut folders = vec![root.join("crates")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
            let path: PathBuf = entry?.path();
            if path.is_dir() {
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

/// A ratchet: files of more than [`LONG`] lines must be listed, and may not grow beyond what the list says.
pub fn sizes(root: &Path) -> Result<Vec<String>> {
    let list = fs::read_to_string(root.join(LONG_FILES)).unwrap_or_default();
    let mut allowed: BTreeMap<&str, usize> = BTreeMap::new();
    for line in list.lines().filter(|l| !l.trim().is_empty() && !l.starts_with('#')) {
        let (lines, name) = line.trim().split_once(' ').context("long-files.txt: LINES PATH")?;
        allowed.insert(name.trim(), lines.parse()?);
    }
    let mut findings = Vec::new();
    for (name, text) in sources(root)? {
        let lines = text.lines().count();
        let limit = allowed.remove(name.as_str());
        match limit {
            Some(limit) if lines > limit => {
                findings.push(format!("{name} has grown from {limit} to {lines} lines: split it"));
            }
            Some(_) if lines <= LONG => {
                findings.push(format!("{name} is no longer long: take it off {LONG_FILES}"));
            }
            None if lines > LONG && !name.ends_with("message/catalogue.rs") => {
                findings.push(format!("{name} has {lines} lines, more than {LONG}: split it"));
            }
            _ => {}
        }
    }
    findings.extend(allowed.keys().map(|n| format!("{n} is on {LONG_FILES} but does not exist")));
    Ok(findings)
}
