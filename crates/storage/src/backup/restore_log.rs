//! One log set into a database in the middle of a restore.
//!
//! Nothing is changed before there is something of the set to be applied: then the boot page says how far the database must come before it
//! can be recovered, and on which recovery paths the log is until then.

use std::path::Path;

use taffrail_base::{LogPos, Lsn};
use taffrail_log::{LogAnchor, LogInstaller};

use super::error::{BackupError, BackupResult};
use super::place::Pages;
use super::reader::SetReader;
use super::restore::{Step, log_error, on_fork, paths_of, restoring_state, save};
use super::spec::{SetHeader, Stop, Watch};
use super::state::{RestoreState, pages_are_on};
use super::stop;
use crate::recovery::{Boot, log_files_of};

impl Step<'_> {
    /// Applies a log set, as a whole or up to the point at which the restore is to stop.
    pub(super) fn log(
        &mut self,
        set: &mut SetReader<'_>,
        primary: &Path,
        watch: &mut dyn Watch,
    ) -> BackupResult<()> {
        let (data, mut boot) = self.existing(&set.header, primary)?;
        let state = restoring_state(&boot)?;
        let (first, last) = (set.header.first_lsn, set.header.last_lsn);
        let anchor = LogAnchor::from_bytes(&boot.anchor).filter(|_| state.log_usable);
        let Some(anchor) = anchor else {
            return Err(BackupError::NotConsistent { reached: Lsn::ZERO, needed: state.target });
        };
        let paths = paths_of(&log_files_of(self.instance, &boot, primary)?);
        let marked = match self.stop {
            Some(Stop::Mark { .. }) => stop::begun(self.env(), &paths, first)?,
            _ => stop::Marked::new(),
        };
        let mut log = LogInstaller::open(self.env(), &paths, &anchor).map_err(log_error)?;
        let reached = log.end_lsn();
        check_fork(&boot, &set.header, reached)?;
        if first > reached {
            return Err(BackupError::LogTooRecent { first, needed: reached });
        }
        if last < reached {
            return Err(BackupError::LogTooEarly { last, needed: reached });
        }
        let at = stop::Standing { state: &state, end: log.end(), lsn: reached };
        let cut = match self.stop {
            Some(stop) => stop::cut(self.env(), self.spec, stop, marked, &set.header, &at)?,
            None => None,
        };
        self.reached |= cut.is_some();
        let target = at.target(self.stop, cut, last)?;
        // It ends where the database stands: all that is in it is applied, it only has its turn. (Not so while the database wants a later
        // end: then images of an interrupted step may lack.)
        let applied = at.has_stopped() || last == reached && target <= reached;
        let in_block = cut.filter(|cut| cut.kept > 0).map_or(LogPos::ZERO, |cut| cut.block);
        let past_base = state.past_base || !applied;
        // Images that a step has brought are of a moment up to its target.
        let no_images = state.only_log || state.target <= reached;
        let only_log = no_images && !set.header.has_bulk_logged_data;
        boot.backup.restoring =
            Some(RestoreState { target, cut: in_block, past_base, only_log, ..state });
        let forks = Forks::of(&set.header, cut);
        forks.begin(&mut boot);
        if let Some(cut) = cut {
            log.end_in(cut.block, cut.kept);
        }
        if !applied {
            // A set of which nothing can be read changes nothing: another point may be named then.
            let mut begin = || save(&data, &mut boot);
            self.fill(set, &data, &mut log, Pages::Images, &mut begin, watch)?;
        }
        log.finish().map_err(log_error)?;
        if log.end_lsn() < target {
            return Err(BackupError::LogTooEarly { last: log.end_lsn(), needed: target });
        }
        on_fork(&mut boot, forks.last);
        boot.options.recovery_model = set.header.recovery_model;
        // No record says that they were changed; the backup of a lost database's tail does not know them.
        if !set.header.has_incomplete_metadata {
            boot.options.engine_flags = set.header.engine_flags;
        }
        save(&data, &mut boot)
    }
}

/// The recovery paths of what a log set brings. While the set is applied the log may end before or behind the place where they part; the
/// boot page says of both until it is done.
struct Forks {
    first: [u8; 16],
    last: [u8; 16],
    /// Zero: there is one path.
    point: Lsn,
}

impl Forks {
    fn of(header: &SetHeader, cut: Option<stop::Cut>) -> Forks {
        let (first, point) = (header.first_fork, header.fork_point);
        let before = point != Lsn::ZERO && cut.is_some_and(|cut| cut.lsn <= point);
        match before {
            true => Forks { first, last: first, point: Lsn::ZERO },
            false => Forks { first, last: header.last_fork, point },
        }
    }

    fn begin(&self, boot: &mut Boot) {
        let b = &mut boot.backup;
        (b.first_fork, b.fork, b.fork_point) = (self.first, self.last, self.point);
    }
}

/// The set must go on from where the database is on its recovery path.
fn check_fork(boot: &Boot, header: &SetHeader, reached: Lsn) -> BackupResult<()> {
    pages_are_on(boot, reached, header.last_fork)?;
    let own = boot.backup.fork_of(reached);
    let before = own == header.first_fork
        && (header.fork_point == Lsn::ZERO || reached <= header.fork_point);
    let after =
        own == header.last_fork && (header.fork_point == Lsn::ZERO || reached >= header.fork_point);
    if before || after { Ok(()) } else { Err(BackupError::WrongFork) }
}
