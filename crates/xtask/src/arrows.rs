//! Crate arrows: `cargo metadata` held against the map in ARCHITECTURE.md.

use anyhow::{Context, Result, bail};
use std::path::Path;
use std::process::Command;

/// Every crate with the crates of ours that it may use. A new arrow is a line here and in ARCHITECTURE.md.
const MAY_USE: &[(&str, &[&str])] = &[
    ("base", &[]),
    ("types", &["base"]),
    ("observe", &["base"]),
    ("io", &["base"]),
    ("log", &["base", "observe", "io"]),
    ("storage", &["base", "observe", "io", "log"]),
    ("syntax", &["base"]),
    ("functions", &["base", "types", "observe", "io"]),
    ("catalog", &["base", "types", "observe", "io", "storage"]),
    ("plan", &["base", "types", "storage", "syntax", "functions", "catalog"]),
    ("query", &["base", "types", "syntax", "functions", "catalog", "plan"]),
    (
        "exec",
        &[
            "base",
            "types",
            "observe",
            "io",
            "log",
            "storage",
            "syntax",
            "functions",
            "catalog",
            "plan",
            "query",
        ],
    ),
    (
        "features",
        &[
            "base",
            "types",
            "observe",
            "io",
            "log",
            "storage",
            "syntax",
            "functions",
            "catalog",
            "plan",
            "query",
            "exec",
        ],
    ),
    (
        "watching",
        &[
            "base",
            "types",
            "observe",
            "io",
            "log",
            "storage",
            "syntax",
            "functions",
            "catalog",
            "plan",
            "query",
            "exec",
        ],
    ),
    (
        "engine",
        &[
            "base",
            "types",
            "observe",
            "io",
            "log",
            "storage",
            "syntax",
            "functions",
            "catalog",
            "plan",
            "exec",
            "features",
            "watching",
        ],
    ),
    ("tds", &["base", "types"]),
    ("server", &["base", "types", "observe", "io", "engine", "tds"]),
    ("lab", &["base", "types", "tds"]),
    ("bench", &["types", "lab"]),
    ("sqlcmd", &["lab"]),
    ("cli", &["server", "lab", "sqlcmd"]),
    ("fuzz", &["base", "types", "io", "log", "storage", "syntax", "engine", "tds"]),
    ("testkit", &["base"]),
    ("xtask", &[]),
    ("tests", &["base", "types", "tds", "lab", "testkit"]),
];

/// Arrows that are not in the table. Dev-dependencies may also point to `testkit`.
pub fn check(root: &Path) -> Result<Vec<String>> {
    let out = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(root)
        .output()
        .context("running cargo metadata")?;
    if !out.status.success() {
        bail!("cargo metadata: {}", String::from_utf8_lossy(&out.stderr));
    }
    let metadata: serde_json::Value = serde_json::from_slice(&out.stdout)?;
    let mut findings = Vec::new();
    for package in metadata["packages"].as_array().context("packages")? {
        let Some(name) = ours(&package["name"]) else {
            findings.push(format!("package {} is not named taffrail-…", package["name"]));
            continue;
        };
        let Some((_, allowed)) = MAY_USE.iter().find(|(c, _)| *c == name) else {
            findings.push(format!("crate {name} is not on the map"));
            continue;
        };
        for dependency in package["dependencies"].as_array().context("dependencies")? {
            let Some(target) = ours(&dependency["name"]) else { continue };
            let dev = dependency["kind"] == "dev";
            if !(allowed.contains(&target) || dev && (target == "testkit" || target == name)) {
                findings.push(format!("{name} must not use {target}"));
            }
        }
    }
    Ok(findings)
}

fn ours(name: &serde_json::Value) -> Option<&str> {
    name.as_str()?.strip_prefix("taffrail-")
}
