//! Statements of the server's own, run in a session of their own.

use crate::instance::Instance;
use crate::session::ConnectOptions;
use crate::sink::{ColumnDesc, ResultSink, SinkResult};
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::Value;

/// Keeps the rows and the first error.
#[derive(Default)]
struct Keep {
    rows: Vec<Vec<Value>>,
    error: Option<Box<SqlError>>,
}

impl ResultSink for Keep {
    fn columns(&mut self, _: &[ColumnDesc]) -> SinkResult {
        self.rows.clear();
        Ok(())
    }

    fn row(&mut self, values: &[Value]) -> SinkResult {
        self.rows.push(values.to_vec());
        Ok(())
    }

    fn message(&mut self, message: &SqlError) -> SinkResult {
        if !message.is_informational() && self.error.is_none() {
            self.error = Some(Box::new(message.clone()));
        }
        Ok(())
    }
}

/// Runs batches in a database, one after the other, to the first error. Gives the rows of the last result.
pub(super) fn run(
    instance: &Arc<Instance>,
    database: &str,
    batches: &[&str],
) -> SqlResult<Vec<Vec<Value>>> {
    let mut connection = instance.connect_within(ConnectOptions {
        login: instance.sa_name().to_string(),
        program_name: "backup history".into(),
        database: Some(database.into()),
        ..ConnectOptions::default()
    })?;
    let mut keep = Keep::default();
    for batch in batches {
        connection.execute_batch(batch, &mut keep);
        if let Some(e) = keep.error.take() {
            return Err(e);
        }
    }
    Ok(keep.rows)
}
