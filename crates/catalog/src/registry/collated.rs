//! The collations of databases and of the server.

use super::Databases;
use taffrail_types::Collation;

/// The upper half of a database's flags is its collation, as the catalogue stores one; 0 is the first that there was.
const COLLATION_AT: u32 = 32;

/// The collation among a database's flags.
pub fn collation_of(flags: u64) -> Collation {
    match (flags >> COLLATION_AT) as u32 {
        0 => Collation::default(),
        stored => Collation::from_stored(stored).unwrap_or_default(),
    }
}

/// Flags with another collation.
pub fn with_collation(flags: u64, collation: Collation) -> u64 {
    let others = flags & ((1 << COLLATION_AT) - 1);
    match collation == Collation::default() {
        true => others,
        false => others | u64::from(collation.stored()) << COLLATION_AT,
    }
}

impl Databases {
    /// The server's collation: master's.
    pub fn collation(&self) -> Collation {
        self.get("master").map_or(Collation::DEFAULT, |master| master.collation())
    }
}
