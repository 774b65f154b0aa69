//! What the boot page keeps about backups and restores.
//!
//! Behind the list of files: u8 1, u16 bytes, then: family GUID, recovery fork, first recovery fork (16 bytes each), fork point (10),
//! differential base: LSN (10) and set GUID (16), LSN of the last full backup's checkpoint (10), u8 flags (1: the log
//! chain has no log backup yet, 2: in the middle of a restore, 4: its log is not usable, 8: it is past its base, 16: up to its target
//! only log is on its way), and in a restore: u64
//! position up to which pages have everything, target LSN (10), base of the restored full backup: LSN (10), set GUID (16);
//! then u64 time of the last log backup (absent before there was one, and in older boot pages; older versions pass over it), and
//! of a copy the family whose mark its pages bear (16; a feature bit of the boot page tells of it), and in a restore: u64 position of the
//! block that was cut, u64 last moment (a feature bit tells of a cut).
//! A boot page without any of it is an older one.

use taffrail_base::{LogPos, Lsn};
use taffrail_io::UtcTime;

use std::sync::atomic::Ordering;

use super::error::{BackupError, BackupResult};
use super::spec::SetHeader;
use crate::codec::{Put, Take};
use crate::database::Database;
use crate::error::StorageResult;
use crate::recovery::Boot;

const CHAIN_NEW: u8 = 1;
const RESTORING: u8 = 2;
const LOG_UNUSABLE: u8 = 4;
const PAST_BASE: u8 = 8;
const ONLY_LOG: u8 = 16;

/// A full backup that differentials refer to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Base {
    /// `first_lsn` of the full backup.
    pub lsn: Lsn,
    /// Its set GUID; zeroes: there is no base.
    pub guid: [u8; 16],
}

impl Base {
    /// True when there is one.
    pub fn is_some(&self) -> bool {
        self.guid != [0; 16]
    }
}

/// How far a restore has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RestoreState {
    /// The boot page's anchor finds the log. False while a differential replaces it.
    pub log_usable: bool,
    /// Every page has all changes before, durably.
    pub redone: LogPos,
    /// Pages may have changes up to here: recovery is possible only when the log reaches it.
    pub target: Lsn,
    /// The full backup that was restored, if differentials can follow it.
    pub base: Base,
    /// The block in which a restore is to stop, not all of whose records are installed: a log that reaches beyond it ends there, and no log
    /// set can go on with it. Zero: none.
    pub cut: LogPos,
    /// The moment of the newest record that is applied and says one. Zero: not known.
    pub last_moment: UtcTime,
    /// A differential or a log was applied, or begun, since the base: a differential of another recovery path lacks the pages that only
    /// this one has changed.
    pub past_base: bool,
    /// Whether the step up to the target has begun to bring log and nothing else: no page has a
    /// change beyond the end of the log.
    pub only_log: bool,
}

impl Database {
    /// From where on log must be kept for the next log backup, if a chain has begun.
    pub fn log_chain(&self) -> Option<LogPos> {
        Some(LogPos(self.log_chain.load(Ordering::Acquire))).filter(|p| !p.is_zero())
    }

    /// The log does not reach back to where its chain goes on, or is going to be another's: until the next full backup there is
    /// none.
    pub(crate) fn forget_log_chain(&self) {
        self.log_chain.store(0, Ordering::Release);
        self.saved_chain.store(0, Ordering::Release);
    }

    /// It is a copy of another database: from here on it is one of its own, by its GUIDs, and what was backed up of that one is no backup
    /// of this one. Its pages keep their mark. Durable on return.
    pub fn begin_clone(&self) -> StorageResult<()> {
        self.forget_log_chain();
        let entropy = &self.instance.env.entropy;
        let (guid, fork) = (entropy.guid(), entropy.guid());
        self.log().set_copied(guid).map_err(|e| self.store.log_error(e))?;
        self.save_boot(|boot| {
            let copied_from = boot.backup.marked();
            boot.guid = guid;
            boot.backup = BackupState {
                family: guid,
                fork,
                first_fork: fork,
                copied_from,
                ..BackupState::default()
            };
        })?;
        // The other copy as well: it may come to be read, too.
        self.save_boot(|_| {})
    }

    /// Its files may have been copied, and the original go on: what it logs after `end` is on a recovery path of its own. Durable on
    /// return.
    pub fn begin_fork(&self, end: Lsn) -> StorageResult<()> {
        let fork = self.instance.env.entropy.guid();
        self.save_boot(|boot| boot.backup.fork_at(end, fork))
    }
}

/// The state that backups and restores keep in the boot page.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BackupState {
    /// The database's `family_guid`, kept through restores.
    pub family: [u8; 16],
    /// The database's `recovery_fork_guid`, new with every recovery after a restore.
    pub fork: [u8; 16],
    /// The fork that the log chain begins with.
    pub first_fork: [u8; 16],
    /// Where it changes; zero: nowhere.
    pub fork_point: Lsn,
    /// The full backup that differentials of this database are based on.
    pub base: Base,
    /// Checkpoint of the last full backup.
    pub last_full: Lsn,
    /// The log chain has no log backup yet.
    pub chain_new: bool,
    /// In the middle of a restore.
    pub restoring: Option<RestoreState>,
    /// When the last log backup ended; 0: there was none.
    pub last_log_backup: UtcTime,
    /// Of a copy: the family whose mark its pages bear; zeroes: its own.
    pub copied_from: [u8; 16],
}

impl BackupState {
    /// Of a new database.
    pub fn new(guid: [u8; 16]) -> BackupState {
        // The fork has a GUID of its own, though as long as there is only one, any that differs will do.
        let mut fork = guid;
        fork[15] ^= 0xff;
        BackupState { family: guid, fork, first_fork: fork, ..BackupState::default() }
    }

    /// The family whose mark its pages bear.
    pub fn marked(&self) -> [u8; 16] {
        if self.copied_from == [0; 16] { self.family } else { self.copied_from }
    }

    /// The recovery path that the log is on at a place.
    pub fn fork_of(&self, lsn: Lsn) -> [u8; 16] {
        let before = self.fork_point != Lsn::ZERO && lsn <= self.fork_point;
        if before { self.first_fork } else { self.fork }
    }

    /// From there on it is on this fork. A log chain that already has a fork since its last log backup keeps the first one: up to there
    /// it is one with what the chain begins with, behind it with nothing else.
    fn fork_at(&mut self, end: Lsn, fork: [u8; 16]) {
        if self.fork_point == Lsn::ZERO {
            (self.first_fork, self.fork_point) = (self.fork, end);
        }
        self.fork = fork;
    }

    /// For the boot page.
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        let mut b = Vec::with_capacity(160);
        b.bytes(&self.family);
        b.bytes(&self.fork);
        b.bytes(&self.first_fork);
        b.bytes(&self.fork_point.to_bytes());
        b.bytes(&self.base.lsn.to_bytes());
        b.bytes(&self.base.guid);
        b.bytes(&self.last_full.to_bytes());
        let restoring = self.restoring.unwrap_or_default();
        let mut flags = 0;
        if self.chain_new {
            flags |= CHAIN_NEW;
        }
        if self.restoring.is_some() {
            flags |= RESTORING;
            if !restoring.log_usable {
                flags |= LOG_UNUSABLE;
            }
            if restoring.past_base {
                flags |= PAST_BASE;
            }
            if restoring.only_log {
                flags |= ONLY_LOG;
            }
        }
        b.u8(flags);
        b.u64(restoring.redone.0);
        b.bytes(&restoring.target.to_bytes());
        b.bytes(&restoring.base.lsn.to_bytes());
        b.bytes(&restoring.base.guid);
        let stops = restoring.cut != LogPos::ZERO || restoring.last_moment != UtcTime::default();
        let copied = stops || self.copied_from != [0; 16];
        if copied || self.last_log_backup != UtcTime::default() {
            b.u64(self.last_log_backup.0);
        }
        if copied {
            b.bytes(&self.copied_from);
        }
        if stops {
            b.u64(restoring.cut.0);
            b.u64(restoring.last_moment.0);
        }
        out.u8(1);
        out.u16(b.len() as u16);
        out.bytes(&b);
    }

    /// From the boot page of a database with this GUID.
    pub(crate) fn decode(t: &mut Take<'_>, guid: [u8; 16]) -> Option<BackupState> {
        if t.u8()? == 0 {
            return Some(BackupState::new(guid));
        }
        let len = usize::from(t.u16()?);
        let mut t = Take(t.bytes(len)?);
        let t = &mut t;
        let lsn = |t: &mut Take<'_>| Some(Lsn::from_bytes(t.bytes(10)?.try_into().ok()?));
        let guid = |t: &mut Take<'_>| t.bytes(16)?.try_into().ok();
        let mut s = BackupState {
            family: guid(t)?,
            fork: guid(t)?,
            first_fork: guid(t)?,
            fork_point: lsn(t)?,
            base: Base { lsn: lsn(t)?, guid: guid(t)? },
            last_full: lsn(t)?,
            chain_new: false,
            restoring: None,
            last_log_backup: UtcTime::default(),
            copied_from: [0; 16],
        };
        let flags = t.u8()?;
        s.chain_new = flags & CHAIN_NEW != 0;
        let restoring = RestoreState {
            log_usable: flags & LOG_UNUSABLE == 0,
            redone: LogPos(t.u64()?),
            target: lsn(t)?,
            base: Base { lsn: lsn(t)?, guid: guid(t)? },
            past_base: flags & PAST_BASE != 0,
            only_log: flags & ONLY_LOG != 0,
            ..RestoreState::default()
        };
        s.restoring = (flags & RESTORING != 0).then_some(restoring);
        s.last_log_backup = UtcTime(t.u64().unwrap_or(0));
        s.copied_from = t.bytes(16).and_then(|b| b.try_into().ok()).unwrap_or_default();
        if let Some(r) = &mut s.restoring {
            r.cut = LogPos(t.u64().unwrap_or(0));
            r.last_moment = UtcTime(t.u64().unwrap_or(0));
        }
        Some(s)
    }
}

/// Pages that a step has brought and whose log is not there yet are on the recovery path of that step: only a set of this path goes on.
pub(super) fn pages_are_on(boot: &Boot, reached: Lsn, fork: [u8; 16]) -> BackupResult<()> {
    let ahead = boot.backup.restoring.as_ref().is_some_and(|s| !s.only_log && s.target > reached);
    if ahead && boot.backup.fork != fork { Err(BackupError::WrongFork) } else { Ok(()) }
}

/// Whether a differential brings a database on whose log ends at `reached`: on its recovery path, and never back.
pub(super) fn differential_goes_on(
    boot: &Boot,
    state: &RestoreState,
    header: &SetHeader,
    reached: Lsn,
) -> BackupResult<()> {
    if state.past_base && boot.backup.fork_of(reached) != header.last_fork {
        return Err(BackupError::WrongFork);
    }
    pages_are_on(boot, reached, header.last_fork)?;
    // Pages that a step has brought may be of its end, whether or not it came there: an earlier differential would leave them ahead.
    let ahead = if state.only_log { Lsn::ZERO } else { state.target };
    match reached.max(ahead) {
        needed if needed > header.last_lsn => {
            Err(BackupError::LogTooEarly { last: header.last_lsn, needed })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_fork_of_a_chain_keeps_the_first_point() {
        let mut s = BackupState::new([7; 16]);
        let own = s.fork;
        s.fork_at(Lsn::new(33, 16, 1), [1; 16]);
        assert_eq!((s.first_fork, s.fork, s.fork_point), (own, [1; 16], Lsn::new(33, 16, 1)));
        s.fork_at(Lsn::new(34, 16, 1), [2; 16]);
        assert_eq!((s.first_fork, s.fork, s.fork_point), (own, [2; 16], Lsn::new(33, 16, 1)));
    }

    #[test]
    fn the_path_changes_behind_the_fork_point() {
        let mut s = BackupState::new([7; 16]);
        let own = s.fork;
        let point = Lsn::new(33, 16, 1);
        assert_eq!(s.fork_of(point), own);
        s.fork_at(point, [1; 16]);
        assert_eq!(s.fork_of(point), own);
        assert_eq!(s.fork_of(Lsn::new(33, 17, 1)), [1; 16]);
    }

    #[test]
    fn states_survive_and_older_boot_pages_have_one() {
        let mut s = BackupState::new([7; 16]);
        let mut b = Vec::new();
        s.encode(&mut b);
        assert_eq!(BackupState::decode(&mut Take(&b), [1; 16]), Some(s));
        s.restoring = Some(RestoreState {
            log_usable: false,
            redone: LogPos(99),
            target: Lsn::new(34, 16, 1),
            base: Base { lsn: Lsn::new(33, 16, 1), guid: [4; 16] },
            ..RestoreState::default()
        });
        s.chain_new = true;
        b.clear();
        s.encode(&mut b);
        assert_eq!(BackupState::decode(&mut Take(&b), [1; 16]), Some(s));
        // What older versions know is where it was, and their length is that of all.
        let older = b.len();
        s.last_log_backup = UtcTime(5);
        b.clear();
        s.encode(&mut b);
        assert_eq!(b.len(), older + 8);
        assert_eq!(BackupState::decode(&mut Take(&b), [1; 16]), Some(s));
        let cut =
            RestoreState { cut: LogPos(8192), last_moment: UtcTime(7), ..s.restoring.unwrap() };
        let cut = RestoreState { past_base: true, only_log: true, ..cut };
        let stopped = BackupState { restoring: Some(cut), ..s };
        b.clear();
        stopped.encode(&mut b);
        assert_eq!(BackupState::decode(&mut Take(&b), [1; 16]), Some(stopped));
        for last_log_backup in [UtcTime(5), UtcTime::default()] {
            let copy = BackupState { copied_from: [3; 16], last_log_backup, ..s };
            let mut b = Vec::new();
            copy.encode(&mut b);
            assert_eq!(BackupState::decode(&mut Take(&b), [1; 16]), Some(copy));
        }
        assert_eq!(BackupState::decode(&mut Take(&[0]), [7; 16]), Some(BackupState::new([7; 16])));
        assert_eq!(BackupState::decode(&mut Take(&b[..20]), [7; 16]), None);
    }
}
