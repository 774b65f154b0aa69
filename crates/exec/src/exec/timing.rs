//! SET STATISTICS TIME: what parsing and running take, in messages 3613 and 3612.
//!
//! A batch tells what it took to be parsed, and to be planned as far as what it names is there (later planning is part of the
//! statement); then each statement, behind its DONE, and an EXECUTE behind all those of its procedure. What only computes
//! (SET @variable, DECLARE, control of flow) tells nothing. Processor time is that of the session's thread as the kernel counts
//! it, in steps of its clock tick.

use super::interpret::{Interpreter, Unwind};
use super::module::StmtKind;
use crate::session::Session;
use taffrail_base::SqlError;
use taffrail_observe::Moment;

/// The messages.
pub(crate) const COMPILED: i32 = 3613;
pub(crate) const EXECUTED: i32 = 3612;

const MS: u64 = 1_000_000;
const LINE: &str = "\r\n";

/// When something began: the time, and the thread's processor time.
pub(crate) struct Began(Moment, u64);

impl Session {
    /// None: nobody wants to know.
    #[inline]
    pub(crate) fn time(&self) -> Option<Began> {
        if self.activation.options.statistics_time { Some(self.time_now()) } else { None }
    }

    #[cold]
    fn time_now(&self) -> Began {
        Began(Moment::now(), self.entry.cpu_ns())
    }
}

/// True for statements that tell their time.
pub(super) fn is_told(kind: &StmtKind) -> bool {
    use StmtKind::*;
    !matches!(
        kind,
        Declare(..)
            | Set(..)
            | If(..)
            | While(..)
            | Block(_)
            | Break
            | Continue
            | Return(_)
            | Goto(_)
            | Label(_)
            | TryCatch(..)
    )
}

impl Interpreter<'_> {
    /// Tells how long something took, if it was measured and is still to be told.
    #[inline]
    pub(crate) fn tell_time(&mut self, message: i32, began: Option<Began>) -> Result<(), Unwind> {
        match began {
            Some(began) => self.tell_time_of(message, began),
            None => Ok(()),
        }
    }

    #[cold]
    fn tell_time_of(&mut self, message: i32, Began(at, cpu): Began) -> Result<(), Unwind> {
        if !self.session.activation.options.statistics_time
            || self.session.activation.taking.is_some()
        {
            return Ok(());
        }
        let elapsed = Moment::now().since(at);
        let cpu = self.session.entry.cpu_ns().saturating_sub(cpu).min(elapsed);
        let (cpu, elapsed) = (cpu / MS, elapsed / MS);
        let e = match message {
            COMPILED => SqlError::new(message, &[&LINE, &cpu, &elapsed]),
            _ => SqlError::new(message, &[&LINE, &LINE, &cpu, &elapsed]),
        };
        self.sink.message(&e.with_line(1)).map_err(|_| Unwind::Gone)
    }
}
