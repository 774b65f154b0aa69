//! A text of millions of statements takes long to read, and much memory: somebody looks on.

use taffrail_base::SqlError;

/// The onlooker of a text that is read.
pub trait Watch {
    /// Called every few rules and tokens, and before so many bytes are taken in one piece. An error ends the reading.
    fn look(&self, bytes: usize) -> Result<(), Box<SqlError>>;
}

/// Nobody looks on: the text is short, or the server's own.
pub struct Unwatched;

impl Watch for Unwatched {
    fn look(&self, _: usize) -> Result<(), Box<SqlError>> {
        Ok(())
    }
}
