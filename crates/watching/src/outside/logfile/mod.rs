//! `taffrail log map | dump | verify | changes | undo`: a look into log files that no server has open, on a copy or after a crash.
//! Nothing is written to them.
//!
//! Each command writes text for people, or with `json` one JSON object a line, and says how it ended: [`Outcome`] is what
//! the process's exit code tells scripts.

mod changes;
mod check;
mod dump;
mod json;
mod map;
mod what;

pub use changes::{Data, Rows, changes, undo};
pub use check::verify;
pub use dump::{Selection, dump};
pub use map::map;
pub use taffrail_base::{Lsn, TransactionId};
pub use taffrail_log::Lop;

use std::io::Write;
use std::path::PathBuf;
use taffrail_io::Env;
use taffrail_log::LogError;

/// How a command ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Nothing is wrong.
    Sound,
    /// The log is damaged; what is wrong was told.
    Damaged,
}

/// Why a command could not be carried out.
#[derive(Debug)]
pub enum Failure {
    /// A file cannot be opened or read, or is no log file that this version knows.
    Log(LogError),
    /// The output cannot be written.
    Output(std::io::Error),
    /// What was asked for makes no sense for this file.
    Request(String),
    /// What is in the files is not what must be there.
    Damaged(String),
}

impl Failure {
    /// The bytes are there and they are wrong.
    pub fn is_damage(&self) -> bool {
        match self {
            Failure::Log(e) => e.is_damage(),
            Failure::Damaged(_) => true,
            _ => false,
        }
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Log(e) => e.fmt(f),
            Failure::Output(e) => write!(f, "writing the output: {e}"),
            Failure::Request(why) | Failure::Damaged(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for Failure {}

impl From<LogError> for Failure {
    fn from(e: LogError) -> Failure {
        Failure::Log(e)
    }
}

impl From<std::io::Error> for Failure {
    fn from(e: std::io::Error) -> Failure {
        Failure::Output(e)
    }
}

/// The operating system's files.
pub fn os() -> Env {
    Env::os()
}

/// What every command takes.
pub struct Look<'a> {
    /// Disk, clock and randomness.
    pub env: Env,
    /// The first log file; the others only if they do not lie where the first one says, or beside it.
    pub files: Vec<PathBuf>,
    /// JSON lines rather than text.
    pub json: bool,
    /// Where the answer goes.
    pub out: &'a mut dyn Write,
}

/// A GUID as SQL shows it.
fn guid(b: [u8; 16]) -> String {
    taffrail_types::text::guid(&b)
}
