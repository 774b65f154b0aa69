//! Room: what of the log is kept back, for whom, and how it is known to be enough.
//!
//! Room is counted in bytes of the file. Free is what remains of the head VLF behind the open block (as it would be
//! closed now), plus all free VLFs, each less its header and its last sector. With `R` the sum of what transactions have
//! reserved, kept back are
//!
//! ```text
//! K(R) = 0, if R = 0, else
//!      R                      every compensation record that undo would append, with its slot, and of each
//!                             transaction its end: commit or abort record, block header, one sector of padding
//!    + R / 8                  block headers (96 in 60 KiB), the last sector of full blocks (4 KiB in 60), the end of
//!                             each VLF that the next record does not fit (12 KiB in 248)
//!    + R (S + 96) / B         what flushes that others force waste in the middle of the rollback: each the rest of a
//!                             sector S and a block header, and no two of them within B bytes of compensation records
//!    + 12 KiB + 2 S           the first such end of a VLF and the first such flush, however small R is
//! C    = 6 S + 8 KiB + 72 n   a checkpoint with n active transactions
//! ```
//! | who appends                  | may use                                                                    |
//! |------------------------------|----------------------------------------------------------------------------|
//! | a transaction                | what leaves K(R) + 2 C, its own new reservation counted                    |
//! | the system (checkpoint)      | what leaves K(R); if it would free no log, what leaves K(R) + C            |
//! | rollback                     | what leaves C and the ends of transactions; when the file cannot grow, the ends |
//! | commit, abort                | what leaves the ends of other transactions                                 |
//!
//! If that is not enough, the file grows past its limits for a commit, an abort or a rollback, and for a checkpoint that
//! would free some log.
//!
//! Invariants:
//! 1. Free space is never less than the ends that are reserved, so a commit record finds its place in a log that is full
//!    and on a disk that is full.
//! 2. After a record of a transaction, free space is at least K(R) + 2 C: whoever holds the log, one checkpoint is possible
//!    (a backup begins with one) before the one that frees log. After a record of a checkpoint it is at least K(R).
//! 3. A compensation record takes no more than was reserved with the record that it undoes. With (2), and as long as
//!    flushes keep the distance B, whoever has filled the log can roll back in what there is of it and leaves C for the
//!    checkpoint that makes the log usable again.
//! 4. B is kept by those who flush: while the log [is tight](Log::is_tight), pages whose last change is not durable yet
//!    are written only when no other page can leave the pool. So between two forced flushes every frame of the pool has
//!    been changed: B is the pool's frames times [`UNDO_BYTES_MIN`]. Flushes of commits are paid for by the commits' ends,
//!    those of a checkpoint by C.

use crate::append::{AppendFor, Limits};
use crate::block::{BLOCK_BYTES_MAX, BLOCK_HEADER_BYTES};
use crate::cache::{OpenBlock, State};
use crate::error::AppendError;
use crate::log::Log;
use crate::record::HEADER_BYTES_MAX;

/// The least that undoing one record appends: header and slot.
pub const UNDO_BYTES_MIN: u64 = 64;
/// The bytes that a checkpoint may write about an active transaction, and as much again: a long
/// record can waste as much as it takes at the end of a VLF.
const NOTE_BYTES: u64 = 72;
/// The longest compensation record (a page's rows) with a block's header.
const UNDO_BYTES_MAX: u64 = 12 << 10;

/// The values that K(R) depends on besides R.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Margins {
    sector: u64,
    /// B; not below a sector, and none where blocks are full before.
    between: Option<u64>,
}

impl Margins {
    pub fn new(sector: usize, between: u64) -> Margins {
        let full = between >= BLOCK_BYTES_MAX as u64;
        Margins {
            sector: sector as u64,
            between: (!full).then(|| between.max(64 * UNDO_BYTES_MIN)),
        }
    }

    /// K(R): bytes kept for rollbacks that have reserved R.
    pub fn kept(&self, reserved: u64) -> u64 {
        if reserved == 0 {
            return 0;
        }
        let waste = self.sector + BLOCK_HEADER_BYTES as u64;
        let flushes = self.between.map_or(0, |b| reserved / b * waste + reserved % b * waste / b);
        reserved + reserved / 8 + flushes + UNDO_BYTES_MAX + 2 * self.sector
    }
}

impl Log {
    /// The bytes that the end of a transaction may take: its abort record, and a block's header and
    /// padding.
    pub(crate) fn end_reserve(&self) -> u64 {
        (self.sector + BLOCK_HEADER_BYTES + HEADER_BYTES_MAX + 64) as u64
    }

    /// C: what is kept for checkpoints while so many transactions are active.
    pub(crate) fn checkpoint_reserve(&self, active: u64) -> u64 {
        (6 * self.sector + (8 << 10)) as u64 + active * NOTE_BYTES
    }

    /// K(R) with so much more reserved.
    pub(crate) fn kept_with(&self, state: &State, more: u64) -> u64 {
        self.margins.kept(state.reserved + more)
    }

    /// The bytes that transactions must leave, with so much more reserved and so many of them
    /// active: K(R) + 2 C.
    pub(crate) fn kept_from_transactions(&self, state: &State, more: u64, active: u64) -> u64 {
        self.kept_with(state, more) + 2 * self.checkpoint_reserve(active)
    }

    /// The bytes that an append must leave. `more`: its own reservation; `ends`: transactions whose
    /// end is reserved afterwards; `squeezed`: the file could not grow.
    pub(crate) fn kept_for(
        &self,
        state: &State,
        class: AppendFor,
        more: u64,
        ends: u64,
        squeezed: bool,
    ) -> u64 {
        match class {
            AppendFor::Transaction => self.kept_from_transactions(state, more, ends),
            AppendFor::System => self.kept_with(state, more),
            AppendFor::Rollback if !squeezed => {
                ends * self.end_reserve() + self.checkpoint_reserve(ends)
            }
            AppendFor::Rollback | AppendFor::End => ends * self.end_reserve(),
        }
    }

    /// True while a flush that no commit needs should be left alone, if it can be: it would waste what rollbacks count on
    /// (invariant 4).
    pub fn is_tight(&self) -> bool {
        let state = self.lock();
        state.reserved > 0
            && state.free()
                < self.kept_from_transactions(&state, 0, state.ends) + self.end_reserve()
    }

    /// Makes sure that system records with payloads of these lengths find room, each in a block of its own and with
    /// the end of a VLF between them, so that a checkpoint either is begun and ended or appends nothing. One that would
    /// free nothing leaves the room of one that will.
    pub fn make_system_room(&self, payloads: &[usize]) -> Result<(), AppendError> {
        let cost = |payload: &usize| {
            let padded = (HEADER_BYTES_MAX + payload).next_multiple_of(4);
            OpenBlock::closed_len(BLOCK_HEADER_BYTES + padded, 1, self.sector) as u64
        };
        let longest = payloads.iter().map(cost).max().unwrap_or(0);
        let need = payloads.iter().map(cost).sum::<u64>() + longest;
        loop {
            let frees = self.checkpoint_would_free();
            let seen = {
                let state = self.lock();
                if state.core.is_failed() {
                    return Err(AppendError::LogUnavailable);
                }
                let another = if frees { 0 } else { self.checkpoint_reserve(state.ends) };
                if state.free() >= need + another + self.kept_with(&state, 0) {
                    return Ok(());
                }
                state.space_changes
            };
            self.make_room(seen, Limits::PastForCheckpoint)?;
        }
    }

    /// Gives back what was reserved and not needed.
    pub(crate) fn give_back(&self, bytes: u64) {
        let mut state = self.lock();
        assert!(state.reserved >= bytes, "more was given back than was reserved");
        state.reserved -= bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The worst that invariant (4) allows: records of the least and of the greatest length, a forced flush whenever the
    /// distance is reached, and VLFs of the least size.
    #[test]
    fn what_is_kept_is_enough_for_the_worst_rollback() {
        const VLF: u64 = 253_952;
        for sector in [512, 4096] {
            for between in [64 * UNDO_BYTES_MIN, 128 * UNDO_BYTES_MIN, 1 << 20] {
                for record in [UNDO_BYTES_MIN, 86, 700, 8300] {
                    for count in [1, 2, 50, 1000, 20_000] {
                        let margins = Margins::new(sector as usize, between);
                        let reserved = record * count;
                        let mut free = margins.kept(reserved);
                        // The worst place to begin: just too little is left of the VLF.
                        let usable = VLF - 8192 - sector;
                        let mut vlf = ((96 + record).next_multiple_of(sector) - sector)
                            .min(free / sector * sector);
                        let (mut block, mut since) = (0u64, 0);
                        for done in 0..count {
                            let closed = |used: u64| used.next_multiple_of(sector);
                            let start = if block == 0 { 96 } else { block };
                            if start + record > BLOCK_BYTES_MAX as u64 || since >= between {
                                (block, since) = (0, 0);
                            }
                            let (before, after) = match block {
                                0 => (0, closed(96 + record)),
                                used => (closed(used), closed(used + record)),
                            };
                            let mut cost = after - before;
                            if cost > vlf {
                                // It goes to the next VLF, and what is left here is lost.
                                cost = closed(96 + record) + vlf;
                                vlf += usable;
                                block = 0;
                            }
                            block = block.max(96) + record;
                            since += record;
                            assert!(
                                cost <= free,
                                "{record} bytes x {count}, sector {sector}, {between} between flushes: full at {done}"
                            );
                            (free, vlf) = (free - cost, vlf - cost);
                        }
                    }
                }
            }
        }
    }
}
