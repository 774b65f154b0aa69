//! House rules as tests: `cargo xtask tidy`.
//!
//! | rule | why |
//! | --- | --- |
//! | crate arrows | a crate may use only crates below it: `log` must be *unable* to look into a page |
//! | unsafe | only where ARCHITECTURE.md says; everywhere else the compiler forbids it |
//! | messages | every number raised is in the catalogue |
//! | file sizes | a file holds one idea: none over 600 lines, except the message catalogue |
//! | golden sources | a golden batch says how its output is known to be right; the batches that do not only get fewer |

mod arrows;
mod files;
mod golden;

use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["tidy"] => tidy(),
        _ => {
            eprintln!("usage: cargo xtask tidy");
            ExitCode::from(2)
        }
    }
}

fn tidy() -> ExitCode {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut findings = Vec::new();
    let checks: [(&str, Result<Vec<String>, anyhow::Error>); 5] = [
        ("arrows", arrows::check(&root)),
        ("unsafe", files::unsafe_code(&root)),
        ("messages", files::messages(&root)),
        ("file sizes", files::sizes(&root)),
        ("golden sources", golden::sources(&root)),
    ];
    for (rule, result) in checks {
        match result {
            Ok(found) => findings.extend(found.into_iter().map(|f| format!("{rule}: {f}"))),
            Err(e) => findings.push(format!("{rule}: could not be checked: {e:#}")),
        }
    }
    if findings.is_empty() {
        println!("tidy: all rules hold");
        return ExitCode::SUCCESS;
    }
    for f in &findings {
        eprintln!("tidy: {f}");
    }
    ExitCode::FAILURE
}
