//! What runs: sessions, the interpreter of their batches, and the instance that they belong to.
//!
//! ```text
//! Instance ──connect──▶ Connection ──execute_batch / execute_rpc / transaction_request──▶ ResultSink
//!    │                      │
//!    │ databases by name    │ session: activation (what runs), transaction, current database
//!    ▼                      ▼
//! catalog               exec ◀── planner ◀── plan ◀── binder ◀── syntax::parse_batch
//!    │                      │
//!    └──────── storage ─────┘ pages, log, locks
//! ```
//!
//! * `instance`: databases of a data directory, background threads, shutdown; `lost`: master or tempdb is.
//! * `connection`: turns batches and procedure calls of one session into results. `session`: what lasts from one batch to the
//!   next, what a statement runs in (`context`), and all sessions as others see them (`entry`).
//! * `rpc`: remote calls and transaction requests as a client sends them, decoded.
//! * `exec`: the operators of a plan, the interpreter of batches, the cache of what was compiled (`plans`) and rows to whole pages
//!   (`bulk`). The plan itself, and the way to it, are crates of their own: `taffrail_plan`, `taffrail_query`.
//! * `features`: the tables in which statements, commands, procedures and views are registered. Nothing here names one of them: the
//!   list is handed in when an instance starts.
//! * `permissions`: the built-in permissions, what implies what, and the decision over what a principal holds, as data alone.
//! * Rooms that features share: `checkpoints`, `configurations`, `media` (devices of backups), `names`, `paths`, `results` (rows and
//!   lines of text of our own code), `storage_types`, `vlfs`.
//!
//! Nothing here knows TDS or sockets: rows leave through a [`ResultSink`](taffrail_plan::sink::ResultSink).
#![forbid(unsafe_code)]

pub mod checkpoints;
pub mod configurations;
pub mod connection;
pub mod connectivity;
pub mod exec;
pub mod features;
pub mod instance;
pub mod instance_options;
pub mod lost;
pub mod media;
pub mod names;
pub mod paths;
pub mod permissions;
pub mod process;
pub mod results;
pub mod rings;
pub mod rpc;
pub mod session;
pub mod storage_types;
pub mod traced;
pub mod vlfs;

use taffrail_catalog::{self as catalog, database, rowcodec};
use taffrail_functions::{self as functions, absent, memory, pieces};
use taffrail_plan::{self as plan, sink};
use taffrail_query::{binder, planner};
