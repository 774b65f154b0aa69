//! `ALTER DATABASE … SET READ_COMMITTED_SNAPSHOT` and `ALLOW_SNAPSHOT_ISOLATION`: one of them a statement, nothing beside it.
//!
//! READ_COMMITTED_SNAPSHOT changes the reads of every statement: it waits until nobody else uses the database, whatever LOCK_TIMEOUT says.
//! ALLOW_SNAPSHOT_ISOLATION stands in nobody's way: it waits until those have ended who began under the option as it was.

use super::database::{clear_users, put_options, wait_for_users, wait_until};
use crate::catalog::versions::{FLAG_ALLOW_SNAPSHOT, FLAG_READ_COMMITTED_SNAPSHOT, SnapshotState};
use crate::database::Database;
use crate::session::context::StatementContext;
use std::sync::Arc;
use std::time::Duration;
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::ast::{DatabaseOption, Termination};

/// An option of row versions, and its new value.
#[derive(Clone, Copy)]
pub(super) enum VersionOption {
    /// The new value of READ_COMMITTED_SNAPSHOT.
    ReadCommitted(bool),
    /// The new value of ALLOW_SNAPSHOT_ISOLATION.
    AllowSnapshot(bool),
}

/// The option of row versions among those of a statement: 5082 beside another one.
pub(super) fn option_of(
    database: &Database,
    list: &[DatabaseOption],
) -> SqlResult<Option<VersionOption>> {
    let found = list.iter().find_map(|option| match option {
        DatabaseOption::Switch(name, on) => match &**name {
            "READ_COMMITTED_SNAPSHOT" => Some(VersionOption::ReadCommitted(*on)),
            "ALLOW_SNAPSHOT_ISOLATION" => Some(VersionOption::AllowSnapshot(*on)),
            _ => None,
        },
        _ => None,
    });
    match found {
        Some(_) if list.len() > 1 => Err(SqlError::new(5082, &[&database.name])),
        found => Ok(found),
    }
}

/// Sets an option of row versions.
pub(super) fn set(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    option: VersionOption,
    termination: Option<Termination>,
) -> SqlResult<()> {
    match option {
        VersionOption::ReadCommitted(on) => set_read_committed(cx, database, on, termination),
        VersionOption::AllowSnapshot(_) if termination.is_some() => Err(SqlError::new(5083, &[])),
        VersionOption::AllowSnapshot(on) if database.always_allows_snapshot() => match on {
            true => Ok(()),
            false => cx.message(SqlError::new(3987, &[])),
        },
        VersionOption::AllowSnapshot(on) => allow_snapshot(cx, database, on),
    }
}

fn set_read_committed(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    on: bool,
    termination: Option<Termination>,
) -> SqlResult<()> {
    if database.has_read_committed_snapshot() == on {
        return Ok(());
    }
    // Of the system databases, model alone has it: for those that are made like it.
    if matches!(database.id.0, 1 | 2 | 4) {
        return Err(SqlError::new(5058, &[&"READ_COMMITTED_SNAPSHOT", &database.name]));
    }
    match termination {
        None => wait_for_users(cx, database.id.0, None, &database.name)?,
        some => clear_users(cx, database.id.0, &database.name, some)?,
    }
    put_flag(cx, database, FLAG_READ_COMMITTED_SNAPSHOT, on)?;
    if !on && database.snapshot_state() == SnapshotState::Off {
        // Whoever has come in meanwhile may still read by a snapshot.
        wait_for_snapshots(cx, database, database.storage.instance().snapshots.part())?;
    }
    database.follow_versions();
    Ok(())
}

/// How long OFF pauses while ON is on its way.
const PAUSE: Duration = Duration::from_secs(6);

fn allow_snapshot(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    on: bool,
) -> SqlResult<()> {
    loop {
        match database.snapshot_state() {
            SnapshotState::On if on => return Ok(()),
            SnapshotState::Off if !on => return Ok(()),
            SnapshotState::On | SnapshotState::Off => {
                if database.begin_transition(on) {
                    break;
                }
            }
            SnapshotState::ToOn if !on => pause(cx, PAUSE)?,
            SnapshotState::ToOn | SnapshotState::ToOff => pause(cx, Duration::from_millis(2))?,
        }
    }
    let done = if on {
        wait_until(cx, None, &database.name, || database.storage.versions_ready())
    } else {
        wait_for_snapshots(cx, database, database.last_allowed())
    };
    let done = done.and_then(|()| put_flag(cx, database, FLAG_ALLOW_SNAPSHOT, on));
    database.end_transition(on && done.is_ok());
    done
}

/// Sleeps, unless the client calls the statement off.
fn pause(cx: &StatementContext<'_>, time: Duration) -> SqlResult<()> {
    let clock = cx.instance().options().env.clock.clone();
    let begun = clock.monotonic();
    let over = || clock.monotonic().saturating_sub(begun) >= time;
    wait_until(cx, None, "", over)
}

/// Waits until every snapshot has ended that was taken before this one, or at its moment.
fn wait_for_snapshots(cx: &StatementContext<'_>, database: &Database, last: u64) -> SqlResult<()> {
    let snapshots = &database.storage.instance().snapshots;
    wait_until(cx, None, &database.name, || snapshots.oldest().is_none_or(|oldest| oldest > last))
}

/// Keeps the option in the database, which older programs do not open from now on.
fn put_flag(cx: &StatementContext<'_>, database: &Database, flag: u64, on: bool) -> SqlResult<()> {
    if on && !database.storage.is_read_only() && !database.is_temporary() {
        database.note_versions()?;
    }
    put_options(cx, database, |options| {
        options.engine_flags &= !flag;
        options.engine_flags |= if on { flag } else { 0 };
        Ok(())
    })
}
