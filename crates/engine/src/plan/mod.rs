//! What a statement means and how it is run: scalars, relations, and the operators that the planner makes of them.

pub mod attributes;
pub mod change;
pub(crate) mod display;
pub mod expr;
pub(crate) mod fold;
pub mod foreign;
pub mod grouping;
pub mod hints;
pub(crate) mod invariants;
pub mod join_type;
pub mod locking;
pub(crate) mod lowered;
pub(crate) mod names;
pub mod node;
pub(crate) mod rebind;
pub mod rel;
pub(crate) mod showplan;
pub mod slots;
pub mod statement;
pub mod subquery;
pub mod system_view;
pub(crate) mod text;
pub(crate) mod visit;
