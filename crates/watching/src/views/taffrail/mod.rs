//! Schema `taffrail`: what SQL Server has no view for. They are found in every database, like those of `sys`, and show the whole
//! instance.
//!
//! | module | views |
//! |---|---|
//! | [`io_trace`] | each operation on a file |
//! | [`flush_history`] | each flush of a log |
//! | [`growth_history`] | files that grew |
//! | [`checkpoint_history`] | checkpoints |
//! | [`log_changes`] | changes of rows in the log |
//! | [`log_undo`] | statements that take a transaction back |
//! | [`plan_of`] | how a text would be run |
//! | [`recovery_estimate`] | what a restart would have to do now |
//! | [`trace_rings`] | how full the rings behind them are, and what they have lost |

mod checkpoint_history;
mod flush_history;
mod growth_history;
mod io_trace;
mod log_changes;
mod log_undo;
mod plan_of;
mod recovery_estimate;
mod trace_rings;

use super::{Declaration, Make, ViewContext, sys};
use crate::features::needs::Needs;
use std::collections::HashMap;
use std::path::PathBuf;
use taffrail_base::DatabaseId;
use taffrail_io::{UtcTime, zone};
use taffrail_observe::Moment;
use taffrail_types::Value;

/// The schema's name.
pub(crate) const SCHEMA: &str = super::OWN_SCHEMA.1;

pub(super) fn declare(views: &mut Vec<Declaration>) {
    io_trace::declare(views);
    flush_history::declare(views);
    growth_history::declare(views);
    checkpoint_history::declare(views);
    recovery_estimate::declare(views);
    trace_rings::declare(views);
    plan_of::declare(views);
    log_changes::declare(views);
    log_undo::declare(views);
}

/// Declares a view of this schema.
fn taffrail(name: &'static str, needs: Needs, columns: &[&'static str], make: Make) -> Declaration {
    Declaration { schema: SCHEMA, ..sys(name, needs, columns, make) }
}

/// Turns moments into times of the server's zone, all by one look at the clocks.
struct Times {
    now: Moment,
    utc: UtcTime,
}

impl Times {
    fn new(cx: &ViewContext<'_>) -> Times {
        let utc = cx.session.instance.options().env.clock.now_utc();
        Times { now: Moment::now(), utc }
    }

    /// So many ns before a moment, as a datetime2.
    fn before(&self, at: Moment, ns: u64) -> Value {
        const DAY: u64 = 86_400 * UtcTime::PER_SECOND;
        let ago = self.now.since(at) + ns;
        let local = zone::to_local(UtcTime(self.utc.0.saturating_sub(ago / 100)));
        Value::DateTime2 { days: (local / DAY) as u32, ticks: local % DAY }
    }
}

/// The databases that are open, by id.
fn database_names(cx: &ViewContext<'_>) -> HashMap<DatabaseId, String> {
    let open = cx.session.instance.databases().open().into_iter();
    open.map(|d| (d.id, d.name.to_string())).collect()
}

/// Whose each file is: database and file id, by path.
fn owners(cx: &ViewContext<'_>) -> HashMap<PathBuf, (u16, u16)> {
    let mut owners = HashMap::new();
    for database in cx.session.instance.databases().open() {
        let files = database.storage.files().into_iter();
        owners.extend(files.map(|f| (f.path, (database.id.0, f.id.0))));
    }
    owners
}
