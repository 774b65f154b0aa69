//! The one who is told of what is done to a server: an [`Observer`](crate::exec::observer::Observer) is told of what its sessions do.

use crate::instance::Instance;
use taffrail_base::DatabaseId;
use taffrail_observe::Whose;

/// A login that was refused.
pub struct FailedLogin<'a> {
    /// Who it wanted to be.
    pub login: &'a str,
    /// What its client said of itself.
    pub host: &'a str,
    /// See `host`.
    pub program: &'a str,
    /// See `host`.
    pub process: u32,
    /// The number and state that the error log has.
    pub error: i32,
    /// See `error`.
    pub state: u8,
    /// Why.
    pub text: &'a str,
}

/// A file that was made smaller.
pub struct Resized<'a> {
    /// Its database.
    pub database: &'a Whose,
    /// Its logical name.
    pub file: &'a str,
    /// Bytes.
    pub from: u64,
    /// Bytes.
    pub to: u64,
    /// How long it took, ns.
    pub ns: u64,
}

/// What was done to the server.
pub enum Audit<'a> {
    /// A login's default database was changed.
    DefaultDatabase {
        /// The login's name.
        login: &'a str,
        /// Its security identifier.
        sid: &'a [u8],
    },
    /// A file was made smaller.
    LogShrunk(Resized<'a>),
}

/// The feature that is told of what is done to a server.
pub trait ServerObserver: Sync {
    /// Something was done to the server.
    fn audited(&self, instance: &Instance, audit: &Audit<'_>);
    /// A database was dropped.
    fn database_dropped(&self, instance: &Instance, id: DatabaseId, name: &str);
    /// An entry of the error log; `error`: number, severity and state where it is about one.
    fn error_log(&self, instance: &Instance, text: &str, error: Option<(i32, u8, u8)>);
    /// A login was refused.
    fn failed_login(&self, instance: &Instance, failed: &FailedLogin<'_>);
}
