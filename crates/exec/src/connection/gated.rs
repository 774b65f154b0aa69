//! A sink whose events reach the client only when all that the session depends on is durable.

use super::ConnectionFate;
use crate::session::promises::Promises;
use crate::sink::{
    ColumnDesc, Command, CursorTables, Done, DoneKind, EnvChange, ResultSink, ReturnValue,
    SinkResult,
};
use std::sync::Arc;
use taffrail_base::SqlError;
use taffrail_types::Value;

/// A sink behind a gate, for those that give away what they hear at once.
pub(super) struct Gated<'a> {
    sink: &'a mut dyn ResultSink,
    promises: Arc<Promises>,
    /// Commits are lost that the session may know of: nothing passes any more.
    shut: bool,
}

impl<'a> Gated<'a> {
    pub fn new(sink: &'a mut dyn ResultSink, promises: Arc<Promises>) -> Gated<'a> {
        Gated { sink, promises, shut: false }
    }

    /// The sink behind the gate, once that has let pass.
    #[inline]
    fn passed(&mut self) -> Result<&mut dyn ResultSink, crate::sink::ClientGone> {
        if !self.shut {
            match self.promises.pass() {
                Ok(()) => return Ok(self.sink),
                Err(e) => self.shut(&e),
            }
        }
        Err(crate::sink::ClientGone)
    }

    #[cold]
    fn shut(&mut self, e: &SqlError) {
        self.shut = true;
        let done =
            Done { kind: DoneKind::Statement, command: Command::NONE, rows: None, error: true };
        // The reason tells nothing of what is lost. Who has gone needs none.
        let _ = self.sink.message(e).and_then(|()| self.sink.done(done));
    }

    /// The request has ended like this: what it tells by that passes the gate, too.
    pub fn end(mut self, fate: ConnectionFate) -> ConnectionFate {
        if self.passed().is_err() {
            return ConnectionFate::Close;
        }
        self.promises.answered();
        fate
    }
}

impl ResultSink for Gated<'_> {
    fn columns(&mut self, columns: &[ColumnDesc]) -> SinkResult {
        self.passed()?.columns(columns)
    }
    fn cursor_columns(&mut self, columns: &[ColumnDesc], tables: &CursorTables) -> SinkResult {
        self.passed()?.cursor_columns(columns, tables)
    }
    fn row(&mut self, values: &[Value]) -> SinkResult {
        self.passed()?.row(values)
    }
    fn message(&mut self, message: &SqlError) -> SinkResult {
        self.passed()?.message(message)
    }
    fn done(&mut self, done: Done) -> SinkResult {
        self.passed()?.done(done)
    }
    fn return_status(&mut self, status: i32) -> SinkResult {
        self.passed()?.return_status(status)
    }
    fn return_value(&mut self, value: ReturnValue) -> SinkResult {
        self.passed()?.return_value(value)
    }
    fn env_change(&mut self, change: EnvChange) -> SinkResult {
        self.passed()?.env_change(change)
    }
    fn order(&mut self, columns: &[u16]) -> SinkResult {
        self.passed()?.order(columns)
    }
    fn refusal(&mut self) -> Option<Box<SqlError>> {
        self.sink.refusal()
    }
    fn flush(&mut self) -> SinkResult {
        self.passed()?.flush()
    }
}
