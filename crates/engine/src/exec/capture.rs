//! INSERT … EXEC: the results of a procedure or text are kept instead of sent.

use super::interpret::{Activation, Interpreter, Unwind};
use super::module::{Execute, Module, Stmt};
use crate::sink::{ColumnDesc, Done, EnvChange, ResultSink, ReturnValue, SinkResult};
use std::sync::Arc;
use taffrail_base::message::client_gone;
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::Value;

impl Interpreter<'_> {
    /// EXEC of INSERT … EXEC: its results are kept.
    #[allow(clippy::type_complexity)]
    pub fn capture(
        &mut self,
        module: &Arc<Module>,
        act: &mut Activation,
        s: &Stmt,
        e: &Execute,
    ) -> SqlResult<Vec<(Vec<ColumnDesc>, Vec<Vec<Value>>)>> {
        let (target, passed) = self.evaluate(module, act, s, e)?;
        let count = self.session.transaction.count;
        // In autocommit the INSERT is a transaction of its own, which what it runs sees.
        self.session.insert_counts = count == 0;
        let mut sink = Capture { inner: self.sink, results: Vec::new() };
        let mut inner = Interpreter {
            session: self.session,
            sink: &mut sink,
            tries: self.tries,
            capturing: Some(count),
        };
        // An error inside ends the whole statement, so that it is caught like a statement's own.
        inner.tries += 1;
        let result = inner.call_target(module, target, &passed);
        let results = sink.results;
        self.session.insert_counts = false;
        match result {
            Ok(Ok(returned)) => {
                self.take_back(act, e, &returned)?;
                Ok(results)
            }
            Ok(Err(e)) | Err(Unwind::Error(e)) => Err(e),
            Err(Unwind::Gone) => Err(client_gone()),
            Err(Unwind::Cancelled) => Err(taffrail_base::message::cancelled()),
            Err(Unwind::Batch | Unwind::Module) => Ok(results),
        }
    }
}

/// Keeps rows, passes messages on.
struct Capture<'c> {
    inner: &'c mut dyn ResultSink,
    results: Vec<(Vec<ColumnDesc>, Vec<Vec<Value>>)>,
}

impl ResultSink for Capture<'_> {
    fn columns(&mut self, columns: &[ColumnDesc]) -> SinkResult {
        self.results.push((columns.to_vec(), Vec::new()));
        Ok(())
    }

    fn row(&mut self, values: &[Value]) -> SinkResult {
        if let Some((_, rows)) = self.results.last_mut() {
            rows.push(values.to_vec());
        }
        Ok(())
    }

    fn message(&mut self, message: &SqlError) -> SinkResult {
        self.inner.message(message)
    }

    fn done(&mut self, _: Done) -> SinkResult {
        Ok(())
    }

    fn return_status(&mut self, _: i32) -> SinkResult {
        Ok(())
    }

    fn return_value(&mut self, _: ReturnValue) -> SinkResult {
        Ok(())
    }

    fn env_change(&mut self, change: EnvChange) -> SinkResult {
        self.inner.env_change(change)
    }
}
