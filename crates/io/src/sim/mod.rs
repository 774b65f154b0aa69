//! A simulated world: a disk that forgets, a clock that only moves when told, randomness from a seed.
//!
//! ```text
//!   write ──► pending versions of each sector ──sync / write_durable──► durable
//!                        │
//!                      crash: every sector independently becomes its durable content or any one pending version
//! ```
//! - Sectors are 512 or 4096 bytes ([`SimOptions::sector`]); inside one nothing is ever mixed.
//! - `sync` makes all pending writes of its file durable; `write_durable` only its own sectors.
//! - Names (create, rename, remove) are pending until `sync_dir`; a crash keeps a prefix of the pending ones.
//! - A file's new length is pending until `sync` (or a durable write beyond the old one).
//! - Submitted writes are applied when they are reaped, in an order from the seed.
//! - After a failed sync the pending writes are gone as far as later syncs know (pages are clean), while reads
//!   still see them until the crash.
//! - Where threads take turns (`taffrail_base::sched`) a write is in flight while others go on: a read that meets it sees any of its
//!   sectors, and when power fails each of them is old or new. A sync covers what had returned when it began.
//! - There a device may be slow, too ([`SimWorld::slow`]), and the clock goes with the schedule's time.
//! - A process may be killed ([`SimWorld::kill`]) while the machine goes on: what it wrote stays, of a write in flight a part.
//! - Power goes off in the middle of a chosen operation ([`SimWorld::crash_at`]): it and every later one fail,
//!   until [`SimWorld::restart`].
//!
//! Same seed, same calls, same result: state lives in one mutex, and nothing else is consulted.

mod clock;
mod content;
mod disk;
mod hooked;
mod process;
mod rng;
mod slow;
mod world;

pub use clock::SimClock;
pub use hooked::HookedDisk;
pub use rng::SimRng;
pub use slow::Slow;
pub use world::{Fault, FaultKind, IoKind, SimOptions, SimStats, SimWorld};
