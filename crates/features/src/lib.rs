//! Statements, system procedures and commands beside queries: each module lists what it has in the tables of its `FEATURE`.
//!
//! `ddl`: CREATE, ALTER, DROP. `backup`: BACKUP and RESTORE. `load`: rows from outside (BULK INSERT, INSERT BULK). `dbcc`: DBCC.
//! `procs`: system procedures.
#![forbid(unsafe_code)]

mod backup;
mod dbcc;
mod ddl;
mod load;
mod procs;

use taffrail_catalog::{self as catalog, database, rowcodec};
use taffrail_exec::{
    checkpoints, configurations, connection, exec, features, instance, instance_options, media,
    names, paths, permissions, results, row, session, storage_types, vlfs,
};
use taffrail_functions::{self as functions, absent};
use taffrail_plan::{self as plan, sink};
use taffrail_query::binder;

pub use backup::{make_backup_directory, run_due_backups};
pub use ddl::{check_password, is_weak_password};
pub use taffrail_functions::password::is_sql_servers;

use features::Feature;

/// The features of this crate.
pub static ALL: [&Feature; 6] = [
    &procs::FEATURE,
    &procs::principals::FEATURE,
    &ddl::FEATURE,
    &backup::FEATURE,
    &load::FEATURE,
    &dbcc::FEATURE,
];
