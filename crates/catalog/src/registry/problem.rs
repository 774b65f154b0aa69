//! Why a database that should be open is not: its state, and the error that whoever names it gets.
//!
//! | what stood in the way | state | error |
//! |---|---|---|
//! | a file is missing, in use or not accessible; no memory, no room | RECOVERY_PENDING (3) | 945 |
//! | pages or log are not what was written: recovery itself has failed | SUSPECT (4) | 926 |
//!
//! Neither is recorded: the next start, and `SET ONLINE`, look again.

use taffrail_base::{SqlError, SqlResult};
use taffrail_storage::StorageError;

/// Why a database is not open.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// For the error log.
    pub text: String,
    /// The bytes on the disk are wrong, not only out of reach.
    pub damage: bool,
}

impl Problem {
    /// It is out of reach.
    pub(super) fn inaccessible(text: impl Into<String>) -> Problem {
        Problem { text: text.into(), damage: false }
    }

    /// Storage could not open it.
    pub(super) fn of_storage(e: &StorageError) -> Problem {
        let damage = matches!(e, StorageError::Corrupt(_) | StorageError::Suspect(_));
        Problem { text: e.to_string(), damage }
    }

    /// Its catalogue could not be read. What the system refused, or had no room for, is no damage.
    pub(super) fn of_catalogue(e: &SqlError) -> Problem {
        Problem {
            text: e.message.clone(),
            damage: !matches!(e.number, 701 | 802 | 823 | 1105 | 9001 | 9002),
        }
    }

    /// The error for who names the database: 926 or 945.
    pub(super) fn refusal(&self, name: &str) -> Box<SqlError> {
        SqlError::new(if self.damage { 926 } else { 945 }, &[&name])
    }
}

/// The outcome of opening a database, as the client that asked for it hears it.
pub(super) fn refused<T>(opened: Result<T, Problem>, name: &str) -> SqlResult<()> {
    opened.map(drop).map_err(|p| p.refusal(name))
}
