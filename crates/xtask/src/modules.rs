//! Arrows between the modules of `engine`: which may name which. `rowcodec` is the lowest, features are the highest.

use crate::files;
use anyhow::Result;
use std::collections::BTreeSet;
use std::path::Path;

/// From the bottom up: a module names those of its own layer and of the layers below.
const LAYERS: &[&[&str]] = &[
    &["rowcodec"],
    &["catalog"],
    &["functions"],
    &["plan"],
    &["binder", "planner"],
    &["exec"],
    &["session"],
    &["backup", "dbcc", "ddl", "events", "explain", "load", "procs", "views"],
];

/// Arrows that go up, each with its reason. One that is not needed any more has to go from here.
const DECLARED: &[(&str, &str, &str)] = &[
    ("exec", "session", "a statement runs in a session, and a session runs modules"),
    ("exec", "ddl", "table variables and what SELECT … INTO fills are made as tables are"),
    ("exec", "events", "what a statement does is told to who wants it"),
    ("exec", "views", "rows of views are made where they are read"),
];

/// Arrows that go up and are not declared, and declared ones that nobody draws.
pub fn check(root: &Path) -> Result<Vec<String>> {
    let mut drawn = BTreeSet::new();
    let mut findings = Vec::new();
    for (name, text) in files::sources(root)? {
        let Some(path) = name.strip_prefix("crates/engine/src/") else { continue };
        if path.contains("tests") {
            continue;
        }
        let module = path.split('/').next().unwrap_or_default().trim_end_matches(".rs");
        let Some(from) = layer(module) else { continue };
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for used in named(code) {
            let Some(to) = layer(used).filter(|to| *to > from) else { continue };
            match DECLARED.iter().find(|d| d.0 == module && d.1 == used) {
                Some(d) => drop(drawn.insert((d.0, d.1))),
                None => findings.push(format!(
                    "{name}: `{module}` (layer {from}) must not name `{used}` (layer {to})"
                )),
            }
        }
    }
    for (from, to, _) in DECLARED {
        if !drawn.contains(&(*from, *to)) {
            findings.push(format!("modules.rs: `{from}` does not name `{to}` any more"));
        }
    }
    findings.sort();
    findings.dedup();
    Ok(findings)
}

fn layer(module: &str) -> Option<usize> {
    LAYERS.iter().position(|l| l.contains(&module))
}

/// The modules that code names: `crate::name`, and `crate::{name::…}`.
fn named(code: &str) -> Vec<&str> {
    let word = |t: &str| t.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(t.len());
    let code = code.split('\n').map(str::trim_start).filter(|l| !l.starts_with("//"));
    let mut out = Vec::new();
    for line in code {
        for (at, _) in line.match_indices("crate::") {
            let rest = &line[at + "crate::".len()..];
            match rest.strip_prefix('{') {
                None => out.push(&rest[..word(rest)]),
                Some(list) => {
                    out.extend(list.split(',').map(str::trim_start).map(|t| &t[..word(t)]));
                }
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_code_and_not_in_comments() {
        let code =
            "//! [`crate::text`]\nuse crate::{one::A, two::B};\nfn f() { crate::three::c() }";
        assert_eq!(named(code), ["one", "two", "three"]);
    }
}
