//! Where a restore of a log set is to stop: at a moment, at a marked transaction, at a record.
//!
//! The log's records count, in their order: whatever lies before the point is applied, nothing behind it. A moment's point is the first
//! record of that moment or later behind the last record before it: where a clock that had been far ahead was set back, moments in the log
//! go back, too.
//!
//! ```text
//! set        … │ r1 r2 r3 │ r4 r5 r6 │ …        blocks
//! point             before r5
//! installed  … │ r1 r2 r3 │ r4 ····· │          a block that is cut keeps its place and length
//! ```
//! Behind a block that was cut nothing more can be installed: the records that it lacks would be missing. [`RestoreState::cut`] remembers
//! it from before it is installed.
//!
//! [`RestoreState::cut`]: super::RestoreState::cut

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::PathBuf;

use taffrail_base::{LogPos, Lsn, TransactionId};
use taffrail_io::{Env, UtcTime};
use taffrail_log::offline::{Found, OfflineLog};
use taffrail_log::{Lop, Record};

use super::error::{BackupError, BackupResult};
use super::records::SetRecords;
use super::spec::{RestoreSpec, SetHeader, Stop};
use super::state::RestoreState;
use crate::access::record::facts;

/// A point between two records of a log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Cut {
    /// The block that it lies in.
    pub block: LogPos,
    /// Records of that block that are before it.
    pub kept: u16,
    /// LSN of the record behind it, or of the place where that would be.
    pub lsn: Lsn,
}

impl Cut {
    fn before(pos: LogPos, lsn: Lsn) -> Cut {
        Cut { block: pos.block(), kept: lsn.slot.saturating_sub(1), lsn }
    }

    fn behind(pos: LogPos, lsn: Lsn) -> Cut {
        Cut { block: pos.block(), kept: lsn.slot, lsn: Lsn { slot: lsn.slot + 1, ..lsn } }
    }
}

/// Transactions with a mark that have not ended: what their marks are called.
pub(super) type Marked = HashMap<TransactionId, String>;

fn note(marked: &mut Marked, r: &Record<'_>) {
    match r.header.op {
        Lop::BeginXact => {
            if let Some(begin) = facts::begin(r).filter(|b| b.mark.is_some()) {
                marked.insert(r.header.txn, begin.name);
            }
        }
        Lop::CommitXact | Lop::AbortXact => _ = marked.remove(&r.header.txn),
        _ => {}
    }
}

/// The marked transactions that have begun in the log of a database in the middle of a restore, before the set, and not ended there:
/// they may end in the set.
pub(super) fn begun(env: &Env, log: &[PathBuf], set: Lsn) -> BackupResult<Marked> {
    let mut marked = Marked::new();
    let mut look = |found: Found<'_>| match found {
        Found::Record(lsn, _) if lsn >= set => ControlFlow::Break(()),
        Found::Record(_, r) => {
            note(&mut marked, r);
            ControlFlow::Continue(())
        }
        Found::Block(_) => ControlFlow::Continue(()),
    };
    OfflineLog::open(env, log)
        .and_then(|log| log.walk_from(None, &mut look))
        .map_err(super::restore::log_error)?;
    Ok(marked)
}

/// Where a database in the middle of a restore stands.
pub(super) struct Standing<'a> {
    pub state: &'a RestoreState,
    /// Where its log ends.
    pub end: LogPos,
    /// The LSN of what comes next.
    pub lsn: Lsn,
}

impl Standing<'_> {
    /// Its log ends in the block that a restore has cut.
    pub fn has_stopped(&self) -> bool {
        self.state.cut != LogPos::ZERO && self.end > self.state.cut
    }

    /// How far it must come for its recovery, by a set that ends at `last` and is to be applied up to the cut.
    pub fn target(&self, stop: Option<&Stop>, cut: Option<Cut>, last: Lsn) -> BackupResult<Lsn> {
        let state = self.state;
        if self.has_stopped() {
            // Said again, it has been done.
            return match cut.is_some_and(|c| c.block == state.cut && c.lsn == state.target) {
                true => Ok(state.target),
                false => Err(BackupError::Stopped),
            };
        }
        let known = state.last_moment != UtcTime::default();
        let late = matches!(stop, Some(Stop::At(moment)) if known && *moment <= state.last_moment);
        match cut {
            _ if late => Err(BackupError::StopTooEarly),
            None if state.only_log => Ok(last),
            None => Ok(state.target.max(last)),
            Some(cut) if cut.lsn < self.lsn => Err(BackupError::StopTooEarly),
            // Pages may have changes up to the target, of images.
            Some(cut) if cut.lsn < state.target && !state.only_log => {
                Err(BackupError::StopTooEarly)
            }
            Some(cut) => Ok(cut.lsn),
        }
    }
}

/// Where the log is to end inside of a set; none: the set does not reach that point.
pub(super) fn cut(
    env: &Env,
    spec: &RestoreSpec,
    stop: &Stop,
    marked: Marked,
    header: &SetHeader,
    at: &Standing<'_>,
) -> BackupResult<Option<Cut>> {
    let past = matches!(stop, Stop::Lsn { lsn, .. } if *lsn < at.lsn && !at.has_stopped());
    if past {
        return Err(BackupError::StopTooEarly);
    }
    let cut = find(env, spec, stop, marked)?;
    // The images are of a later moment.
    match cut.is_some() && header.has_bulk_logged_data {
        true => Err(BackupError::StopInBulk),
        false => Ok(cut),
    }
}

/// Looks for the point in a set. `marked`: what [`begun`] says.
fn find(
    env: &Env,
    spec: &RestoreSpec,
    stop: &Stop,
    mut marked: Marked,
) -> BackupResult<Option<Cut>> {
    let mut records = SetRecords::open(env, &spec.devices, spec.position)?;
    let within = records.header.first_lsn..records.header.last_lsn;
    let mut reached = None;
    while records.advance()? {
        let Some(e) = records.entry() else { break };
        let (pos, r) = (e.record.pos, &e.record);
        let at = |before: bool| match before {
            true => Cut::before(pos, e.lsn),
            false => Cut::behind(pos, e.lsn),
        };
        match stop {
            Stop::At(moment) => match facts::moment(r) {
                Some(of) if of < moment.0 => reached = None,
                Some(_) => reached = reached.or_else(|| Some(at(true))),
                None => {}
            },
            Stop::Lsn { lsn, before } if e.lsn == *lsn => return Ok(Some(at(*before))),
            Stop::Lsn { lsn, .. } if e.lsn > *lsn => return Err(BackupError::NoSuchLsn),
            Stop::Mark { name, after, before } => {
                let own = marked.get(&r.header.txn).is_some_and(|mark| is_named(mark, name));
                let time = facts::end_time(r).filter(|_| r.header.op == Lop::CommitXact);
                let late = time.is_some_and(|of| after.unwrap_or(UtcTime(0)).0 <= of);
                if own && late {
                    return Ok(Some(at(*before)));
                }
                note(&mut marked, r);
            }
            _ => {}
        }
    }
    match stop {
        Stop::Lsn { lsn, .. } if within.contains(lsn) => Err(BackupError::NoSuchLsn),
        _ => Ok(reached),
    }
}

/// Names of marks are compared as identifiers are.
fn is_named(mark: &str, name: &str) -> bool {
    mark.to_lowercase() == name.to_lowercase()
}
