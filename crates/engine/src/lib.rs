//! The T-SQL engine: the one public way into instances, databases and connections.
//!
//! ```text
//! Instance ──connect──▶ Connection ──execute_batch / execute_rpc / transaction_request──▶ ResultSink
//!    │                      │
//!    │ databases by name    │ session: options, variables, transaction, temp tables
//!    ▼                      ▼
//! catalog, views, ddl    exec ◀── planner ◀── plan ◀── binder ◀── syntax::parse_batch
//!    │                      │
//!    └──────── storage ─────┘ pages, log, locks
//! ```
//!
//! * [`instance`]: databases of a data directory, background threads, shutdown; `lost`: master or tempdb is.
//! * [`connection`]: one session; turns batches and procedure calls into results. [`session`]: what lasts from one batch to the
//!   next; [`sessions`]: all of them, as others see them.
//! * [`rpc`]: remote calls and transaction requests as a client sends them, decoded.
//! * [`sink`]: what a session tells its client, in the order of the wire; `results`: rows and lines of text of our own code.
//! * `binder`: names and types resolved; `plan`: what a statement means, and the operators that run it; `planner`: from the one to
//!   the other; `exec`: those operators, and the interpreter of batches;
//!   `plans`: the cache of what was compiled; [`functions`]: the built-in scalar functions.
//! * [`load`]: rows from outside (BULK INSERT, INSERT BULK); `bulk`: rows to whole pages. `backup`: BACKUP and RESTORE.
//! * [`logfile`]: `taffrail log`, a look into log files that no server has open.
//! * `features`: what `ddl`, `backup`, `load`, `dbcc`, `procs` and `views` register: statements, commands, procedures, views.
//! * `catalog`, `ddl`, `rowcodec`, `views`, `dbcc`, `procs`: metadata, its statements and what is shown of it.
//!
//! Nothing here knows TDS or sockets: rows leave through a [`sink::ResultSink`].
#![forbid(unsafe_code)]

mod absent;
pub(crate) mod backup;
pub mod binder;
pub(crate) mod bulk;
pub mod catalog;
pub mod connection;
mod connectivity;
pub mod context;
pub mod database;
pub(crate) mod dbcc;
pub(crate) mod ddl;
pub(crate) mod events;
pub(crate) mod exec;
pub(crate) mod explain;
pub(crate) mod features;
pub mod functions;
pub mod instance;
mod instance_options;
pub mod load;
pub mod logfile;
pub(crate) mod lost;
pub(crate) mod memory;
pub mod metrics;
pub(crate) mod pieces;
pub mod plan;
mod planner;
pub(crate) mod plans;
pub(crate) mod procs;
pub(crate) mod results;
mod rings;
pub mod rowcodec;
pub mod rpc;
pub mod session;
pub mod sessions;
pub mod sink;
mod traced;
pub mod views;

pub use connection::{CancelHandle, ConnectOptions, Connection, ConnectionFate};
pub use connectivity::{Connectivity, ConnectivityKind, DisconnectFlags};
pub use ddl::is_weak_password;
pub use events::raw as event_files;
pub use events::trace::FailedLogin;
pub use instance::{Host, Instance, InstanceOptions, Login, StartError};
pub use load::{BulkSource, BulkSourceError};
pub use rpc::{RpcCall, RpcParam, RpcProcedure, TransactionRequest, TxIsolation};
pub use sink::{
    ClientGone, ColumnDesc, Command, Done, DoneKind, EnvChange, Large, ResultSink, ReturnValue,
    SinkResult,
};
