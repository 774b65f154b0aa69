//! Tables whose rows can be read, and foreign keys whose tables or indexes are gone.

use crate::catalog::Table;
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};

/// A table whose rows can be read: 8655 where its clustered index is disabled.
pub(super) fn readable(table: Arc<Table>) -> SqlResult<Arc<Table>> {
    match table.switched_off() {
        None => Ok(table),
        Some(index) => Err(SqlError::new(8655, &[&index.name, &table.name()])),
    }
}

/// A foreign key's table or index is not there.
pub(super) fn gone(name: &str) -> Box<SqlError> {
    crate::rowcodec::damaged(&format!("the foreign key {name}"))
}
