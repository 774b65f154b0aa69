//! Arrows between the modules of a crate: which may name which.

use crate::files;
use anyhow::Result;
use std::collections::BTreeSet;
use std::path::Path;

/// A crate's modules from the bottom up: a module names those of its own layer and of the layers below.
struct Layers {
    /// Its folder under `crates`.
    name: &'static str,
    layers: &'static [&'static [&'static str]],
    /// Each module stands in a layer; else those that stand in none are not looked at.
    all: bool,
}

const CRATES: &[Layers] = &[
    Layers {
        name: "exec",
        layers: &[
            &["permissions", "process", "rpc"],
            &["exec"],
            &["session"],
            // The tables in which features register what they bring, and the instance that keeps what they keep.
            &[
                "connection",
                "connectivity",
                "features",
                "instance",
                "instance_options",
                "lost",
                "rings",
                "traced",
            ],
            // Rooms that features share.
            &[
                "checkpoints",
                "configurations",
                "media",
                "names",
                "paths",
                "results",
                "storage_types",
                "vlfs",
            ],
        ],
        all: true,
    },
    Layers {
        name: "features",
        layers: &[&["ddl"], &["dbcc", "load", "procs"], &["backup"]],
        all: true,
    },
    Layers {
        name: "watching",
        layers: &[&["explain"], &["views"], &["events", "outside"]],
        all: true,
    },
    Layers {
        name: "storage",
        layers: &[
            &["codec", "lock", "page", "spec"],
            &["error", "layout", "redo_rate"],
            &["buffer", "part"],
            // A database, what is done in it, and the instance that its databases share.
            &["access", "alloc", "database", "freelist", "instance", "pipeline", "txn", "versions"],
            &["growth", "listing", "orphans", "tally"],
            &["backup", "filelist", "recovery"],
            &["check", "closed", "closed_pages", "closing", "logfiles", "raw"],
        ],
        all: true,
    },
    Layers {
        name: "log",
        layers: &[
            &[
                "block", "company", "fair", "flush", "lop", "moments", "options", "pieces",
                "retried", "waits",
            ],
            &["anchor", "directory", "error", "fresh", "packed", "record", "waiter"],
            &["files", "vlf"],
            &["cache", "walk"],
            // A log that is open, and what is done with it.
            &[
                "ahead", "append", "growth", "harden", "log", "moments", "reader", "restore",
                "reuse", "room", "told", "writer",
            ],
            &["kept", "membership", "offline", "proof", "raw", "shrink", "tail"],
            &["open", "verify"],
        ],
        all: true,
    },
];

/// Arrows that go up (crate, from, to), each with its reason; at most [`MOST`]. One that is not needed any more has to go from here.
const DECLARED: &[(&str, &str, &str, &str)] = &[
    ("exec", "exec", "session", "a statement runs in a session, and a session runs modules"),
    ("exec", "exec", "features", "statements, procedures, views and tables are looked up there"),
    ("exec", "session", "instance", "a session belongs to an instance, which gives it its number"),
    ("storage", "database", "recovery", "a database keeps what its restart has left to be done"),
];

const MOST: usize = 4;

/// Arrows that go up and are not declared, and declared ones that nobody draws.
pub fn check(root: &Path) -> Result<Vec<String>> {
    let mut drawn = BTreeSet::new();
    let mut findings = Vec::new();
    for (name, text) in files::sources(root)? {
        let inside = |c: &'static Layers| {
            let path = name.strip_prefix("crates/")?.strip_prefix(c.name)?;
            Some((c, path.strip_prefix("/src/")?))
        };
        let Some((c, path)) = CRATES.iter().find_map(inside) else { continue };
        if path.contains("tests") || path == "lib.rs" || text.starts_with("#![cfg(test)]") {
            continue;
        }
        let module = path.split('/').next().unwrap_or_default().trim_end_matches(".rs");
        let Some(from) = c.layer(module) else {
            if c.all && !TESTS.contains(&module) {
                findings.push(format!("{name}: `{module}` stands in no layer of modules.rs"));
            }
            continue;
        };
        for used in named(&without_tests(&text)) {
            if OWN_NAMES.contains(&c.name) && used.starts_with(char::is_uppercase) {
                findings
                    .push(format!("{name}: `{used}` is named through lib.rs, not by its module"));
            }
            let Some(to) = c.layer(&used).filter(|to| *to > from) else { continue };
            match DECLARED.iter().find(|d| (d.0, d.1, d.2) == (c.name, module, used.as_str())) {
                Some(d) => drop(drawn.insert((d.0, d.1, d.2))),
                None => findings.push(format!(
                    "{name}: `{module}` (layer {from}) must not name `{used}` (layer {to})"
                )),
            }
        }
    }
    for (of, from, to, _) in DECLARED {
        if !drawn.contains(&(*of, *from, *to)) {
            findings.push(format!("modules.rs: `{from}` of {of} does not name `{to}` any more"));
        }
    }
    if DECLARED.len() > MOST {
        findings.push(format!("modules.rs: {} arrows go up, {MOST} may", DECLARED.len()));
    }
    findings.sort();
    findings.dedup();
    Ok(findings)
}

/// Crates in which an item is named by its module.
const OWN_NAMES: &[&str] = &["exec", "features", "watching"];

/// Modules that only tests have.
const TESTS: &[&str] = &["drawn", "rig"];

impl Layers {
    fn layer(&self, module: &str) -> Option<usize> {
        self.layers.iter().position(|l| l.contains(&module))
    }
}

/// Code without the items that only tests have.
fn without_tests(code: &str) -> String {
    let mut out = String::new();
    let mut rest = code;
    while let Some((before, after)) = rest.split_once("#[cfg(test)]\n") {
        out.push_str(before);
        rest = &after[end_of_item(after)..];
    }
    out + rest
}

/// Where the item ends that code begins with: behind its semicolon, or behind the brace in the column of its first line.
fn end_of_item(code: &str) -> usize {
    let indent = &code[..code.len() - code.trim_start_matches(' ').len()];
    let mut at = 0;
    for line in code.split_inclusive('\n') {
        at += line.len();
        let text = line.trim_end();
        let ends =
            text.ends_with(';') || text.strip_prefix(indent).is_some_and(|t| t.starts_with('}'));
        if ends && !text.trim_start().starts_with("#[") {
            break;
        }
        if at == line.len() && text.ends_with("{}") {
            break;
        }
    }
    at
}

/// The modules that code names: `crate::name`, and `crate::{name::…, {…}}`, be it over several lines.
fn named(code: &str) -> Vec<String> {
    let word = |t: &str| t.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(t.len());
    let lines = code.lines().map(str::trim_start).filter(|l| !l.starts_with("//"));
    let code = lines.collect::<Vec<_>>().join("\n");
    let mut out = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        match rest.strip_prefix('{') {
            None => out.push(rest[..word(rest)].to_owned()),
            Some(list) => out.extend(heads(list).iter().map(|t| t[..word(t)].to_owned())),
        }
    }
    out
}

/// The beginnings of what stands in a list, up to the brace that ends it.
fn heads(list: &str) -> Vec<&str> {
    let (mut depth, mut begin) = (0, 0);
    let mut out = Vec::new();
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                out.extend(Some(list[begin..at].trim()).filter(|t| !t.is_empty()));
                begin = at + 1;
                if c == '}' {
                    break;
                }
            }
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_behind_a_test_is_read() {
        let code = "use crate::one;\n#[cfg(test)]\nmod tests;\nuse crate::two;\n\
                    #[cfg(test)]\nmod more {\n    use crate::three;\n}\nuse crate::four;\n";
        assert_eq!(named(&without_tests(code)), ["one", "two", "four"]);
    }

    #[test]
    fn names_are_found_in_code_and_not_in_comments() {
        let code =
            "//! [`crate::text`]\nuse crate::{one::A, two::B};\nfn f() { crate::three::c() }";
        assert_eq!(named(code), ["one", "two", "three"]);
        let code =
            "use crate::{\n    one::{A, B},\n    // crate::text\n    two,\n};\nuse crate::three;";
        assert_eq!(named(code), ["one", "two", "three"]);
    }
}
