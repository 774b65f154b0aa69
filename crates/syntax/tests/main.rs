//! The integration tests of `taffrail-syntax`, one program: a module a topic. A test runs in a process of its own (see CONTRIBUTING.md).
#![forbid(unsafe_code)]

mod errors;
mod golden;
mod robust;
