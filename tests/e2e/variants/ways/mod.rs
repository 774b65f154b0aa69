//! The ways to ask, by what is asked about.

pub mod anti;
pub mod first;
pub mod grouped;
pub mod joined;
pub mod marked;
pub mod scalar;
pub mod semi;
pub mod sets;
pub mod split;

/// Columns of `l` that a statement gives.
pub const LEFT: &str = "l.id, l.x, l.s";
