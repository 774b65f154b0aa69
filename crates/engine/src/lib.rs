//! The T-SQL engine: the one public way into instances, databases and connections.
//!
//! ```text
//! Instance ──connect──▶ Connection ──execute_batch / execute_rpc / transaction_request──▶ ResultSink
//!    │                      │
//!    │ databases by name    │ session: activation (what runs), transaction, current database
//!    ▼                      ▼
//! catalog, views, ddl    exec ◀── planner ◀── plan ◀── binder ◀── syntax::parse_batch
//!    │                      │
//!    └──────── storage ─────┘ pages, log, locks
//! ```
//!
//! * `instance`: databases of a data directory, background threads, shutdown; `lost`: master or tempdb is.
//! * `connection`: turns batches and procedure calls of one session into results. `session`: what lasts from one batch to the
//!   next, what a statement runs in (`context`), and all sessions as others see them (`entry`).
//! * `rpc`: remote calls and transaction requests as a client sends them, decoded.
//! * `results`: rows and lines of text of our own code.
//! * `exec`: the operators of a plan, the interpreter of batches, the cache of what was compiled (`plans`) and rows to whole pages
//!   (`bulk`). The plan itself, and the way to it, are crates of their own: `taffrail_plan`, `taffrail_query`.
//! * `features`: what `ddl`, `backup`, `load`, `dbcc`, `procs`, `events` and `views` register: statements, commands, procedures,
//!   views. `load`: rows from outside (BULK INSERT, INSERT BULK). `backup`: BACKUP and RESTORE.
//! * `outside`: what looks at an instance, or at files that no server has open, from outside: `taffrail log`, /metrics.
//!
//! Nothing here knows TDS or sockets: rows leave through a [`ResultSink`].
#![forbid(unsafe_code)]

mod backup;
mod checkpoints;
mod connection;
mod connectivity;
mod dbcc;
mod ddl;
mod events;
mod exec;
mod explain;
mod features;
mod instance;
mod instance_options;
mod load;
mod lost;
mod names;
mod outside;
mod paths;
mod process;
mod procs;
mod results;
mod rings;
mod rpc;
mod session;
mod traced;
mod views;

use taffrail_catalog::{self as catalog, database, rowcodec};
use taffrail_functions::{self as functions, absent, memory, pieces};
use taffrail_plan::{self as plan, sink};
use taffrail_query::{binder, planner};

pub use catalog::registry::Slot as DatabaseSlot;
#[doc(hidden)]
pub use catalog::{Sight, master};
pub use connection::{CancelHandle, Connection, ConnectionFate};
pub use connectivity::{Connectivity, ConnectivityKind, DisconnectFlags};
pub use ddl::is_weak_password;
pub use events::raw as event_files;
pub use events::trace::FailedLogin;
pub use instance::{Instance, Login, StartError};
pub use instance_options::{BackupSchedule, Host, InstanceOptions};
pub use load::{BulkSource, BulkSourceError};
pub use outside::{logfile, metrics, rows};
pub use rpc::{RpcCall, RpcParam, RpcProcedure, TransactionRequest, TxIsolation};
pub use session::ConnectOptions;
pub use sink::{
    ClientGone, ColumnDesc, Command, Done, DoneKind, EnvChange, Large, ResultSink, ReturnValue,
    SinkResult,
};
pub use taffrail_log::{Initialization, VlfAlgorithm};

use std::sync::Arc;

/// The features of the engine: nothing below them knows them by name.
static FEATURES: [&features::Feature; 7] = [
    &procs::FEATURE,
    &ddl::FEATURE,
    &backup::FEATURE,
    &load::FEATURE,
    &dbcc::FEATURE,
    &events::FEATURE,
    &views::FEATURE,
];

impl Instance {
    /// Opens or creates the system databases, recovers the others, starts the background threads.
    pub fn start(options: InstanceOptions) -> Result<Arc<Instance>, StartError> {
        Instance::start_with(options, &FEATURES)
    }
}

/// Everything that is registered, with the permissions that it needs: a line each, `statement ALTER VIEW: ALTER on the object`.
#[doc(hidden)]
pub fn listed_needs() -> Vec<String> {
    features::hand_in(&FEATURES);
    features::listed_needs()
}

/// A system view or function by its name.
#[doc(hidden)]
pub fn find_view(
    schema: Option<&str>,
    name: &str,
) -> Option<&'static plan::system_view::SystemView> {
    features::hand_in(&FEATURES);
    features::view::find(schema, name)
}
