//! Batches of the server's own, of which nobody hears but by their first error.

use crate::sink::{ColumnDesc, ResultSink, SinkResult};
use taffrail_base::SqlError;
use taffrail_types::Value;

/// The first error of a batch.
#[derive(Default)]
pub(super) struct FirstError(pub(super) Option<Box<SqlError>>);

impl ResultSink for FirstError {
    fn columns(&mut self, _: &[ColumnDesc]) -> SinkResult {
        Ok(())
    }

    fn row(&mut self, _: &[Value]) -> SinkResult {
        Ok(())
    }

    fn message(&mut self, message: &SqlError) -> SinkResult {
        if !message.is_informational() && self.0.is_none() {
            self.0 = Some(Box::new(message.clone()));
        }
        Ok(())
    }
}
