//! What every other crate may name: identifiers (positions in the log, pages, transactions, objects) and
//! the catalogue of messages that a client can see.
//!
//! Nothing here does I/O, allocates pages or knows SQL; a type lives here when two crates that must not
//! know each other both have to speak of it.
#![forbid(unsafe_code)]

pub mod ids;
pub mod lsn;
pub mod message;
pub mod procedure;
#[cfg(debug_assertions)]
pub mod sched;
pub mod sync;

pub use ids::{
    DatabaseId, FileId, HobtId, IndexId, ObjectId, PAGE_BYTES, PageId, SchemaId, SessionId,
    TransactionId,
};
pub use lsn::{BlockOffset, LogPos, Lsn, VlfSeqNo};
pub use message::{Origin, SqlError, SqlResult};
