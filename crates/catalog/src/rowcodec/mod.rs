//! Rows and index keys as bytes.
//!
//! * [`layout`]: where each column of a table lies in a row's bytes, and how rows are written and read.
//! * [`fixed`]: the bytes of one fixed-length value.
//! * [`lobs`]: values that lie on overflow pages.
//! * [`typecode`]: types as they are stored in the catalogue; `sql_variant` values.
//! * [`unlocked`]: overflow values of rows that nobody holds a lock on.
//! * [`version`]: where the version before a row is.
//! * [`key`]: index keys whose memcmp order is the order of their columns.

pub mod fixed;
pub mod key;
pub mod layout;
pub mod lobs;
pub mod typecode;
pub mod unlocked;
pub mod version;

pub use key::{KeyColumn, KeyLayout};
pub use layout::{Cell, MAX_ROW_BYTES, Place, PlaceAllocator, RowColumn, RowLayout};
pub use lobs::{Lobs, NoLobs, TableLobs};
pub use unlocked::UnlockedLobs;
pub use version::VersionTag;

use taffrail_base::{SqlError, SqlResult};

/// A stored row or key does not have the form that its table says.
///
/// The page it came from has a good checksum, so this is a mistake of ours or of the metadata; the statement ends.
#[cold]
pub fn damaged(what: &str) -> Box<SqlError> {
    let mut e = SqlError::new(5243, &[]);
    e.message.push_str(&format!(" ({what})"));
    e
}

/// Takes `n` bytes from the front of `bytes`.
pub fn take<'a>(bytes: &mut &'a [u8], n: usize, what: &str) -> SqlResult<&'a [u8]> {
    match bytes.split_at_checked(n) {
        Some((head, tail)) => {
            *bytes = tail;
            Ok(head)
        }
        None => Err(damaged(what)),
    }
}
