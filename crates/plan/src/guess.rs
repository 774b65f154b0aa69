//! The guesses about conditions while there are no statistics: shares of the rows that satisfy them, and costs of work, a row read being 1.

/// The share of an equality.
pub const EQUAL: f64 = 0.05;
/// `=` on the first column of a key: nobody makes an index on what has few values.
pub fn equal(rows: f64) -> f64 {
    EQUAL.min(1.0 / rows.max(1.0).sqrt())
}
/// `=` on a later one.
pub const EQUAL_NEXT: f64 = 0.1;
/// One side of a range.
pub const RANGE: f64 = 0.3;
/// The share of an inequality.
pub const UNEQUAL: f64 = 0.9;
/// The share of IS NOT NULL.
pub const PRESENT: f64 = 0.9;
/// The share of any other condition.
pub const OTHER: f64 = 0.4;
/// A row that is read where the key leads to.
pub const CLUSTERED: f64 = 0.9;
/// A row that is looked up from its entry.
pub const LOOK_UP: f64 = 3.0;
/// The way down a tree, for each row of a join that seeks its partners.
pub const SEEK: f64 = 6.0;
/// Such a partner, where it is looked up from its entry: another way down.
pub const FETCH: f64 = 8.0;
/// A row that is sorted, for each doubling of their number.
pub const SORTED: f64 = 0.05;
/// A table of so many rows is sought, not read as a whole: so no more of them are locked than are asked for.
pub const SMALL: f64 = 1000.0;
/// Rows of a relation that nothing is known of.
pub const UNKNOWN: f64 = 1000.0;
/// Rows of a system view.
pub const VIEW: f64 = 200.0;
/// How many rows are asked for where a count is not known before it runs.
pub const GOAL: f64 = 100.0;
