//! Dateparts as arguments.

pub use taffrail_types::datetime::DatePart;

use taffrail_base::{SqlError, SqlResult};

/// The datepart of a keyword; 155.
pub fn parse(word: &str, function: &str) -> SqlResult<DatePart> {
    DatePart::from_name(word).ok_or_else(|| SqlError::new(155, &[&word, &function]))
}
