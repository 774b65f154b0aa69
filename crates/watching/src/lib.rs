//! What looks at an instance: nothing here changes a database.
//!
//! `views`: system views and functions in FROM. `events`: extended events, the default trace, reports of deadlocks. `explain`: the log as
//! changes of rows. `outside`: what looks at an instance, or at files that no server has open, from outside: `taffrail log`, /metrics.
#![forbid(unsafe_code)]

mod events;
mod explain;
pub mod outside;
mod views;

use taffrail_catalog::{self as catalog, database, rowcodec};
use taffrail_exec::{
    configurations, exec, features, instance, media, names, paths, permissions, process, results,
    row, rpc, session, storage_types, traced, vlfs,
};
use taffrail_functions::{self as functions, pieces};
use taffrail_plan as plan;
use taffrail_query::binder;

pub use events::raw as event_files;

use features::Feature;

/// The features of this crate.
pub static ALL: [&Feature; 2] = [&events::FEATURE, &views::FEATURE];
