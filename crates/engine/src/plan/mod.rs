//! How statements are run: compiled expressions, operator trees, and the choice among them.

pub mod access;
pub mod change;
pub mod expr;
pub mod foreign;
pub mod join;
pub mod locking;
pub mod node;
