//! The word of everything registered on commits that are not durable yet.
//!
//! With PIPELINED_COMMIT a session goes on while its commits, and those of others that it has read, are on their way to the disk. Code that
//! is not the interpreter's may do anything, so each registration says what it does. There is no default: a registration without its word
//! does not compile.

use std::fmt;

/// The word of a statement, a DBCC command or a procedure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pipelining {
    /// It works outside of the log, or changes more than rows: files, memory that others see, the catalogue, locks that are no rows'.
    /// Everything that the session depends on is durable before it begins, and its transaction keeps its locks until it is durable.
    Waits,
    /// It reads, whatever is there, and waits for nothing: the session depends on all commits until its answer leaves. What it changes
    /// is the session's own, or is durable before it is used.
    Reads,
    /// It reads and changes what is the session's own, and the catalogue, which shows nothing that is not durable.
    Session,
    /// Its T-SQL: each statement there has its own word. For procedures in T-SQL alone.
    Statements,
    /// Its command says it. For DBCC alone.
    Command,
}

impl fmt::Display for Pipelining {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Pipelining::Waits => "waits",
            Pipelining::Reads => "reads",
            Pipelining::Session => "session",
            Pipelining::Statements => "its statements",
            Pipelining::Command => "its command",
        })
    }
}
