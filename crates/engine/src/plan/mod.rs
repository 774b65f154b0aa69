//! What a statement means and how it is run: scalars, relations, and the operators that the planner makes of them.

pub mod attributes;
pub mod change;
pub mod expr;
pub mod foreign;
pub mod locking;
pub mod node;
pub mod rel;
pub mod slots;
pub mod statement;
