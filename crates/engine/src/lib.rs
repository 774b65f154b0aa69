//! The T-SQL engine: the one public way into instances, databases and connections.
//!
//! ```text
//! engine ──▶ features  ddl, backup, load, dbcc, procs ─────┐
//!    │                                                     ├─▶ exec  Instance, Connection, Session, the interpreter
//!    └─────▶ watching  views, events, explain, outside ────┘
//! ```
//!
//! Here the features are handed to what runs them, and what others use has one name.
#![forbid(unsafe_code)]

pub mod assess;
#[cfg(test)]
mod registered;

pub use taffrail_catalog::principals::{Principal, hash_as_bytes};
pub use taffrail_catalog::registry::Slot as DatabaseSlot;
#[doc(hidden)]
pub use taffrail_catalog::{Sight, master};
pub use taffrail_exec::connection::bulk::{BulkSource, BulkSourceError};
pub use taffrail_exec::connection::{CancelHandle, Connection, ConnectionFate};
pub use taffrail_exec::connectivity::{Connectivity, ConnectivityKind, DisconnectFlags};
pub use taffrail_exec::features::server_observer::FailedLogin;
pub use taffrail_exec::instance::{ContainedUser, PasswordPolicy};
pub use taffrail_exec::instance::{Instance, Login, StartError};
pub use taffrail_exec::instance_options::{BackupSchedule, Host, InstanceOptions, ObjectAddress};
pub use taffrail_exec::rpc::{RpcCall, RpcParam, RpcProcedure, RpcTable};
pub use taffrail_exec::rpc::{TransactionRequest, TxIsolation};
pub use taffrail_exec::session::ConnectOptions;
pub use taffrail_exec::session::promises::{Outlet, Promises, RunAhead};
pub use taffrail_features::{
    check_password, is_sql_servers, is_weak_password, make_backup_directory, run_due_backups,
};
pub use taffrail_log::{Initialization, VlfAlgorithm};
pub use taffrail_plan::sink::{
    ClientGone, ColumnDesc, Command, CursorTables, Done, DoneKind, EnvChange, Large, ResultSink,
    ReturnValue, SinkResult,
};
pub use taffrail_watching::event_files;
pub use taffrail_watching::outside::{logfile, metrics, rows};

use std::sync::Arc;
use taffrail_exec::features::{self, Feature};
use taffrail_plan::system_view::SystemView;

/// The features of the engine: nothing below them knows them by name.
static FEATURES: [&[&Feature]; 2] = [&taffrail_features::ALL, &taffrail_watching::ALL];

/// Opens or creates the system databases, recovers the others, starts the background threads.
pub fn start(options: InstanceOptions) -> Result<Arc<Instance>, StartError> {
    Instance::start(options, &FEATURES)
}

/// Everything that is registered, with the permissions that it needs: a line each, `statement ALTER VIEW: ALTER on the object`.
#[doc(hidden)]
pub fn listed_needs() -> Vec<String> {
    features::hand_in(&FEATURES);
    features::listed_needs()
}

/// Every statement, command and procedure, and the functions of live state, with their words on commits that are not durable yet: a line
/// each, `procedure sp_help: reads`.
#[doc(hidden)]
pub fn listed_pipelining() -> Vec<String> {
    features::hand_in(&FEATURES);
    features::listed_pipelining()
}

/// A system view or function by its name.
#[doc(hidden)]
pub fn find_view(schema: Option<&str>, name: &str) -> Option<&'static SystemView> {
    features::hand_in(&FEATURES);
    features::view::find(schema, name)
}
