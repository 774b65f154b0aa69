//! Extended events: what happens is told to the sessions that want it.
//!
//! An event that nobody wants costs one relaxed load and a branch ([`wanted`]). What somebody wants is put together, looked at by the
//! sessions' predicates and given to their targets at once, by the thread to which it happens: there is no queue behind which it would be
//! lost. A target keeps a bounded amount; only a file is written later, by a thread of the server.
//!
//! ```text
//! events     which there are, their fields
//! maps       the texts of numbers
//! value      what fields hold; what of an event's surroundings can be recorded
//! predicate  which events are wanted
//! session    sessions that run; `wanted` and `tell`
//! targets    rings, counters, histograms, pairs, what waits for a file
//! ```

pub mod events;
mod maps;
mod occurred;
pub mod predicate;
mod session;
pub mod targets;
mod value;

pub use events::{Event, EventInfo, FieldType, Package};
pub(crate) use occurred::{flushed, occurred};
pub use predicate::Predicate;
pub(crate) use session::tell_wait;
pub use session::{
    Recorded, Running, Surroundings, Wanted, activity_begins, quietly, running, start,
    statements_wanted, stop, stop_all, tell, tell_to, wait_wanted, wanted,
};
pub use targets::Target;
pub use value::{Action, Val};

#[cfg(test)]
mod tests;
