//! Readers and any bytes. Each [`Target`] is a function from bytes to one of Taffrail's readers: of log blocks and records, of pages and
//! rows, of backups, of T-SQL, of TDS. Whatever the bytes are, a reader answers or refuses; it never panics, never asks for memory by a
//! number that it has read, and comes to an end.
//!
//! ```text
//!  seeds (real structures, made by [`base`])    corpus (fuzz/corpus, checked in)
//!         └───────────────┬──────────────────────────┘
//!      mutate (numbers, copies, cuts, other words)          libFuzzer (fuzz/, coverage-guided)
//!         │  runner, worker                                     │
//!         └───────────────────────┬─────────────────────────────┘
//!                            Target::run: makes checksums right again, then the reader
//! ```
//! The same functions are run in two ways: bounded, on a seed, by `cargo test -p taffrail-fuzz` (and `taffrail-fuzz run`), and for as long
//! as one likes under libFuzzer by `cargo fuzz run TARGET` in the repository's root. What finds checksums wrong would get no further than
//! that, so the targets mend them first, unless the input asks for it not to be done.
//!
//! | module    | holds |
//! |-----------|-------|
//! | `targets` | the targets and their seeds |
//! | `base`    | a small database with a bit of everything, its files and backups: what is damaged |
//! | `edits`   | short inputs that say what to change in large files |
//! | `mutate`  | how an input becomes another |
//! | `runner`  | a target, a seed, a number of inputs |
#![forbid(unsafe_code)]

pub mod base;
pub mod edits;
pub mod mutate;
pub mod runner;
pub mod targets;

/// A reader under test.
pub struct Target {
    /// Its name on the command line, of its libFuzzer program and of its corpus.
    pub name: &'static str,
    /// What it reads.
    pub about: &'static str,
    /// Feeds it. True if the bytes were understood.
    pub run: fn(&[u8]) -> bool,
    /// Inputs to begin with: real structures of the present formats.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Words are exchanged rather than bytes.
    pub text: bool,
    /// How many inputs the bounded run tries: some seconds of a debug build.
    pub bounded: u64,
}

pub use targets::TARGETS;

/// The target of this name.
pub fn target(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|t| t.name == name)
}

/// Runs the target of this name: what libFuzzer's programs call.
pub fn libfuzzer(name: &str, input: &[u8]) {
    (target(name).expect("a program for each target").run)(input);
}
