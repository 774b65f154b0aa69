//! House rules as tests: `cargo xtask tidy`. The container image: `cargo xtask image`.
//!
//! | rule | why |
//! | --- | --- |
//! | crate arrows | a crate may use only crates below it: `log` must be *unable* to look into a page |
//! | modules | in `engine` a module names its own layer and those below: what a plan is must not depend on who runs it |
//! | visible | what is `pub` in a crate of the engine is named by another crate |
//! | words | riddles, long functions, types of one name and views with positional rows only get fewer |
//! | unsafe | only where ARCHITECTURE.md says; everywhere else the compiler forbids it |
//! | messages | every number raised is in the catalogue |
//! | file sizes | a file holds one idea: none over 600 lines, except the message catalogue |
//! | links | a page links to what is there, file and heading; code names pages that are there |
//! | mutants | each patch of tests/mutants fits the code that it changes: one that does not is run by nobody until all are |
//! | golden sources | a golden batch says how its output is known to be right; the batches that do not only get fewer |

mod arrows;
mod files;
mod golden;
mod image;
mod links;
mod modules;
mod mutants;
mod visible;
mod words;

use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["tidy"] => tidy(),
        ["image", ref rest @ ..] => image(rest),
        _ => {
            eprintln!(
                "usage: cargo xtask tidy\n       cargo xtask image [--binary FILE] [--out DIR] [--arch amd64|arm64] [--tag NAME]"
            );
            ExitCode::from(2)
        }
    }
}

fn image(words: &[&str]) -> ExitCode {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    match image::options(words).and_then(|o| image::build(&root, &o)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("image: {e:#}");
            ExitCode::FAILURE
        }
    }
}

fn tidy() -> ExitCode {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut findings = Vec::new();
    let checks: [(&str, Result<Vec<String>, anyhow::Error>); 12] = [
        ("arrows", arrows::check(&root)),
        ("modules", modules::check(&root)),
        ("unsafe", files::unsafe_code(&root)),
        ("messages", files::messages(&root)),
        ("file sizes", files::sizes(&root)),
        ("widths", files::widths(&root)),
        ("session", files::session_fields(&root)),
        ("golden sources", golden::sources(&root)),
        ("links", links::check(&root)),
        ("mutants", mutants::check(&root)),
        ("visible", visible::check(&root)),
        ("words", words::check(&root)),
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
