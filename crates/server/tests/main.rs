//! The integration tests of `taffrail-server`, one program: a module a topic. A test runs in a process of its own (see CONTRIBUTING.md).
#![forbid(unsafe_code)]

mod console;
mod contained;
mod endings;
mod lost;
mod owners;
mod passwords;
mod piped;
mod received;
mod support;
mod wire;
