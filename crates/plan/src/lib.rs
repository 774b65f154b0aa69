//! What a statement means and how it is run: scalars, relations, and the operators that the planner makes of them.
#![forbid(unsafe_code)]

pub mod attributes;
pub mod change;
pub mod columns;
pub mod display;
pub mod expr;
pub mod facts;
pub mod fold;
pub mod foreign;
pub mod grouping;
pub mod guess;
pub mod hints;
pub mod invariants;
pub(crate) mod join_type;
pub mod locking;
pub mod lowered;
pub mod names;
pub mod next_value;
pub mod node;
pub mod rebind;
pub mod rel;
pub mod showplan;
pub mod sink;
pub mod slots;
pub mod statement;
pub mod subquery;
pub mod system_view;
pub mod text;
pub mod triggers;
pub mod typed;
pub mod user_call;
pub mod visit;
mod window;
pub mod written;
