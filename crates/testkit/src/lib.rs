//! Tools for tests: scripts with their expected output, over anything that runs T-SQL.
//!
//! [`Session`] is the one thing that a test brings along: the engine in the same process, or a connection over TDS.
//! Two kinds of scripts run over it:
//!
//! - [`golden`]: a T-SQL script and, beside it, the text that it puts out, in the manner of `sqlcmd`;
//!   `UPDATE_GOLDEN=1` writes that text anew.
//! - [`logic`]: files of the sqllogictest format, which other products' test collections come in.
#![forbid(unsafe_code)]

pub mod golden;
pub mod logic;
mod md5;
pub mod session;
pub mod text;

pub use golden::{Part, assert_golden, run_script};
pub use logic::run_logic_test;
pub use session::{Cell, Column, Event, Session};
