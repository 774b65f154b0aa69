//! Why a run ends before its end.

use crate::client::ClientError;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Set when somebody interrupts.
#[derive(Clone, Debug, Default)]
pub struct Interrupted(pub Arc<AtomicBool>);

impl Interrupted {
    /// It has been set.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// An error if it has been set.
    pub fn check(&self) -> Result<(), Stop> {
        if self.is_set() { Err(Stop::Interrupted) } else { Ok(()) }
    }
}

/// Why a run ends before its end.
#[derive(Debug)]
pub enum Stop {
    /// Somebody has interrupted it.
    Interrupted,
    /// A line for the reader.
    Failed(String),
}

impl Stop {
    /// Puts the step that was under way before a failure's words.
    pub fn at(self, what: &str) -> Stop {
        match self {
            Stop::Failed(why) => Stop::Failed(format!("{what}: {why}")),
            Stop::Interrupted => Stop::Interrupted,
        }
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::Interrupted => f.write_str("interrupted"),
            Stop::Failed(why) => f.write_str(why),
        }
    }
}

impl From<ClientError> for Stop {
    fn from(e: ClientError) -> Stop {
        Stop::Failed(e.to_string())
    }
}

impl From<String> for Stop {
    fn from(why: String) -> Stop {
        Stop::Failed(why)
    }
}

impl From<std::io::Error> for Stop {
    fn from(e: std::io::Error) -> Stop {
        Stop::Failed(e.to_string())
    }
}

impl From<rustix::io::Errno> for Stop {
    fn from(e: rustix::io::Errno) -> Stop {
        Stop::from(std::io::Error::from(e))
    }
}
