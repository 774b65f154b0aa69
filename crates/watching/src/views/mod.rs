//! System views and table-valued system functions: rows from the catalogue and from snapshots that lower layers publish.
//!
//! | module | views |
//! |---|---|
//! | [`objects`] | sys.objects and what inherits from it, columns, parameters, types, schemas |
//! | [`indexes`] | indexes, constraints, partitions, allocation units, data spaces |
//! | [`databases`] | sys.databases, files, the collation |
//! | [`principals`] | principals, configurations, messages |
//! | [`scoped`] | configurations of a database |
//! | [`triggers`] | sys.triggers, sys.trigger_events, sys.trigger_event_types, triggers of the server |
//! | [`information_schema`], [`routines`] | INFORMATION_SCHEMA.* |
//! | [`compatibility`], [`compatibility_server`] | the catalogue of SQL Server 2000: sysdatabases, syslogins … |
//! | [`compatibility_objects`], [`compatibility_keys`] | its objects: sysobjects, sysconstraints … |
//! | [`servers`] | sys.servers |
//! | [`dm_os`], [`waiting_tasks`], [`performance_counters`] | waits, counters, host |
//! | [`dm_exec`], [`dm_tran`] | sessions, locks and transactions |
//! | [`row_versions`] | versions of rows, and who reads them |
//! | [`dm_db_log`], [`dm_db`], [`dm_io`] | the log, space, I/O of files |
//! | [`dm_os_volume`] | file systems |
//! | [`missing_indexes`] | indexes that plans would use |
//! | [`backup_devices`] | devices of backups with names |
//! | [`credentials`] | accounts outside |
//! | [`operational_stats`] | what was done on heaps and trees |
//! | [`physical_stats`] | how full and how scattered indexes are |
//! | [`fn_dblog`] | the records of the log |
//! | [`query_plan`] | plans of the cache as XML |
//! | [`sql_text`] | batches by their handles |
//! | [`index_usage`] | how often indexes are used |
//! | [`plan_cache`] | plans, and what executions have cost |
//! | [`cursors`] | cursors of sessions |
//! | [`statistics`] | statistics |
//! | [`absent`] | mirroring, endpoints, the query store: what is not built and has rows all the same |
//! | [`empty`] | what there is none of: sequences, full text, availability groups … |
//! | [`agent`] | the Agent's categories |
//! | [`dm_server`] | the service |
//! | [`filesystem`] | what is at a path, and drives |
//! | [`rowsets`] | STRING_SPLIT, GENERATE_SERIES |
//! | [`taffrail`] | schema `taffrail`: what SQL Server has no view for |

mod absent;
mod agent;
pub mod backup_devices;
pub mod compatibility;
mod compatibility_keys;
mod compatibility_objects;
mod compatibility_server;
mod credentials;
mod cursors;
mod database_columns;
pub mod databases;
mod dependencies;
pub(crate) mod dm_db;
pub(crate) mod dm_db_log;
mod dm_db_space;
pub(crate) mod dm_exec;
pub(crate) mod dm_io;
pub(crate) mod dm_os;
mod dm_os_buffers;
mod dm_os_memory;
mod dm_os_process;
pub(crate) mod dm_os_tasks;
pub(crate) mod dm_os_volume;
mod dm_resource_governor;
mod dm_server;
pub(crate) mod dm_tran;
pub mod empty;
mod filesystem;
pub mod fn_dblog;
mod index_usage;
pub mod indexes;
pub mod information_schema;
mod missing_indexes;
mod object_columns;
pub mod objects;
mod operational_stats;
pub mod performance_counters;
mod periods;
mod permissions;
pub mod physical_stats;
mod plan_cache;
mod policies;
pub mod principals;
mod properties;
mod query_plan;
mod resource_governor;
mod routines;
mod row_versions;
pub(crate) mod rowsets;
pub mod scoped;
mod sequences;
mod servers;
pub(crate) mod sql_text;
pub mod statistics;
mod sysprocesses;
pub(crate) mod taffrail;
mod triggers;
mod types;
mod waiting_tasks;

pub(crate) use crate::features::cell::{self, Rows};
pub(crate) use crate::features::view::*;

use crate::features::Feature;

/// The tables of the feature `views`.
pub(crate) static FEATURE: Feature = Feature {
    views: DECLARED,
    database_column: Some(databases::database_column),
    ..Feature::NOTHING
};

/// Each declares the views of its module.
static DECLARED: &[fn(&mut Vec<Declaration>)] = &[
    objects::declare,
    properties::declare,
    indexes::declare,
    databases::declare,
    principals::declare,
    servers::declare,
    scoped::declare,
    information_schema::declare,
    routines::declare,
    triggers::declare,
    periods::declare,
    policies::declare,
    sequences::declare,
    types::declare,
    compatibility::declare,
    compatibility_keys::declare,
    compatibility_objects::declare,
    compatibility_server::declare,
    sysprocesses::declare,
    dm_os::declare,
    waiting_tasks::declare,
    dm_db_space::declare,
    dm_os_buffers::declare,
    dm_os_memory::declare,
    dm_os_process::declare,
    dm_os_tasks::declare,
    dm_resource_governor::declare,
    resource_governor::declare,
    performance_counters::declare,
    dm_exec::declare,
    dm_tran::declare,
    row_versions::declare,
    dm_db::declare,
    missing_indexes::declare,
    backup_devices::declare,
    credentials::declare,
    operational_stats::declare,
    physical_stats::declare,
    dm_db_log::declare,
    dm_io::declare,
    dm_os_volume::declare,
    fn_dblog::declare,
    query_plan::declare,
    sql_text::declare,
    plan_cache::declare,
    cursors::declare,
    index_usage::declare,
    rowsets::declare,
    statistics::declare,
    absent::declare,
    dm_server::declare,
    filesystem::declare,
    empty::declare,
    permissions::declare,
    dependencies::declare,
    agent::declare,
    taffrail::declare,
];
