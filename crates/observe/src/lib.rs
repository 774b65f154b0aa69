//! What every layer writes to so that people can see what the engine does: waits, counters, histograms, events.
//!
//! Each fact is recorded once, at its place, in an atomic cell, and read by everybody (DMVs, performance counters,
//! the console). Nothing here takes a lock on a path that runs per row or per log record; counting costs a few
//! nanoseconds. Nothing here decides anything: the engine works the same if nobody looks.
//!
//! ```text
//! wait_type   the names of SQL Server's wait types, as an enum
//! waits       totals per wait type, and the guard that a thread holds while it waits
//! session     one cell per session: what it waits for now, who blocks it, its own totals
//! counters    Counter, Gauge, and the sets behind sys.dm_os_performance_counters
//! histogram   power-of-two buckets
//! events      a bounded ring of growths, checkpoints …
//! trace       rings of each file I/O and each log flush, that nobody waits for
//! listen      who is told of events and changed objects at once
//! moment      the monotonic clock as one integer
//! xe          extended events: sessions, predicates, targets
//! ```
#![forbid(unsafe_code)]

pub mod counters;
pub mod events;
pub mod histogram;
pub mod latches;
pub mod listen;
pub mod moment;
pub mod pages;
pub mod session;
pub mod totals;
pub mod trace;
pub mod wait_type;
pub mod waits;
pub mod xe;

pub use counters::{
    BufferCounters, Counter, DatabaseCounters, Gauge, HotCounter, LockCounters, TimeCounter,
};
pub use events::{Drained, Event, EventRing, History, NumberedEvent, Whose};
pub use histogram::Histogram;
pub use moment::Moment;
pub use session::{Command, SessionCell, Status};
pub use wait_type::{WaitClass, WaitType};
pub use waits::{WaitGuard, WaitRow, WaitStats, wait};
