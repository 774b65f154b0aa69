//! The buffer pool: pages in memory, and the only place that writes data pages.
//!
//! ```text
//! frame    one mapping of frames, latches, pins                     (the crate's only unsafe)
//! pool     which page is in which frame; loading; the clock that finds victims
//! store    one database as the pool sees it: files, log, dirty pages, growth, changed extents
//! bring_in large reads, for restart
//! ahead    memory for frames before they are used
//! bulk     pages that bulk work has filled to disk, past the pool
//! described what is in memory, for who wants to see it
//! in_place the writes of a batch to their places
//! shrink   a smaller pool
//! suspects pages that were read and are not what was written
//! told     pages and latches as extended events hear of them
//! whole    reads by which a restart decides what to write over
//! writer   batches of dirty pages to disk: write-ahead rule, double-write region, joined writes
//! ```
//!
//! Order of locks: page latches (parents before children, left before right, allocation pages last), then a database's
//! `flush` mutex, then the log. Whoever holds `flush` never waits for a latch: it tries, and skips the page.

mod ahead;
mod bring_in;
mod bulk;
mod described;
mod frame;
mod in_place;
mod pool;
mod shrink;
mod store;
mod suspects;
mod told;
mod victims;
mod whole;
mod writer;

pub use bring_in::RUN_PAGES;
pub use described::PageInMemory;
pub use frame::{Pin, ReadGuard, WriteGuard};
pub use pool::{Access, BufferPool};
pub use store::{DataFile, FileSettings, Rarities, Store};
pub use suspects::SuspectPage;
pub(crate) use told::seen;
pub(crate) use whole::read_whole;
pub(crate) use writer::Unhardened;
pub use writer::{DOUBLE_WRITE_FIRST_PAGE, DOUBLE_WRITE_PAGES, DoubleWrite};
