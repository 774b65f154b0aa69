//! Where the results of a module go that an expression calls.

use crate::sink::{ColumnDesc, EnvChange, ResultSink, SinkResult};
use taffrail_base::SqlError;
use taffrail_types::Value;

/// Passes messages on; rows and DONEs are nobody's.
pub(super) struct Silent<'a>(pub &'a mut dyn ResultSink);

impl ResultSink for Silent<'_> {
    fn columns(&mut self, _: &[ColumnDesc]) -> SinkResult {
        Ok(())
    }

    fn row(&mut self, _: &[Value]) -> SinkResult {
        Ok(())
    }

    fn message(&mut self, message: &SqlError) -> SinkResult {
        self.0.message(message)
    }

    fn env_change(&mut self, change: EnvChange) -> SinkResult {
        self.0.env_change(change)
    }
}
