//! From the syntax tree to operators: the [`binder`] says what a statement means, the [`planner`] how it is run.
//!
//! Neither reads a row: metadata comes in through [`binder::Metadata`].
#![forbid(unsafe_code)]

pub mod binder;
pub mod planner;
