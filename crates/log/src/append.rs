//! Appending: under the log's one mutex, find room, copy the record, publish its position.
//!
//! Room is counted in bytes of the file. Free is what remains of the head VLF behind the open block (as it would be
//! closed now), plus all free VLFs, each less its header and its last sector. Of that is kept back
//!
//! ```text
//!   reserved by transactions (+ 1/8 for block headers and ends of VLFs)      only for their compensation records
//!   the checkpoint reserve: a fixed part, and a note of each transaction     only for system records
//! ```
//! A transaction reserves with each record what undoing it will append, and with its first record its end: one commit
//! or abort record and one sector, the padding that it causes. Ends are counted apart, because compensation records
//! that flushes put into sectors of their own take more than was reserved for them, and must not take that: a
//! transaction that could neither commit nor abort would have no outcome.
//!
//! | who appends                  | may use                                            |
//! |------------------------------|----------------------------------------------------|
//! | a transaction                | what is not kept back                              |
//! | the system (checkpoint)      | that and the checkpoint reserve                    |
//! | rollback                     | everything but the ends of transactions            |
//! | commit, abort                | everything but the ends of other transactions      |
//!
//! If that is not enough, the file grows past its limits for a commit, an abort or a rollback, and for a checkpoint that
//! would free some log.
//!
//! Invariant: free space is never less than the ends that are reserved, so a commit record finds its place in a log that
//! is full and on a disk that is full.

use std::sync::atomic::Ordering;

use taffrail_base::{LogPos, TransactionId};
use taffrail_observe::WaitType;

use crate::block::BLOCK_HEADER_BYTES;
use crate::cache::{OpenBlock, State};
use crate::error::AppendError;
use crate::log::Log;
use crate::lop::Lop;
use crate::record::{HEADER_BYTES_MAX, RECORD_BYTES_MAX, RecordHeader, Reserve, TxLog};

/// Whose record it is; see the module's table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Class {
    Transaction,
    System,
    /// Part of a rollback: compensation records, and system transactions that it needs.
    Rollback,
    /// A commit or abort record.
    End,
}

/// How far [`Log::make_room`] may go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Limits {
    /// Files grow as their settings say.
    Kept,
    /// Past them if a checkpoint would free log then.
    PastForCheckpoint,
    /// Past them.
    Past,
}

/// Why an attempt did not append.
enum Obstacle {
    /// All buffers hold blocks that are not durable.
    Buffer,
    /// No space; the number of space changes seen.
    Space(u64),
    Failed,
}

struct Request<'a> {
    header: &'a RecordHeader,
    payload: &'a [&'a [u8]],
    txn: TransactionId,
    prev: LogPos,
    len: usize,
    class: Class,
    /// To be reserved with it, the end not counted.
    reserve: u64,
    /// The transaction's end is to be reserved too.
    begins: bool,
    /// It is the end, and was reserved.
    ends: bool,
}

/// What a checkpoint may write about an active transaction, and as much again: a long record can waste as much as it
/// takes at the end of a VLF.
const NOTE_BYTES: u64 = 72;

/// What is kept back for a reservation of so many bytes.
pub(crate) fn with_margin(reserved: u64) -> u64 {
    reserved + reserved / 8
}

impl Log {
    /// Appends a record of a transaction. `header.txn` and `header.prev` are filled in from `tx`.
    pub fn append(
        &self,
        tx: &mut TxLog,
        header: &RecordHeader,
        payload: &[&[u8]],
        reserve: Reserve,
    ) -> Result<LogPos, AppendError> {
        let len = header.encoded_len() + payload.iter().map(|p| p.len()).sum::<usize>();
        let compensation = header.is_compensation();
        let class = match header.op {
            Lop::CommitXact | Lop::AbortXact | Lop::ForgetXact => Class::End,
            _ if compensation || tx.in_rollback => Class::Rollback,
            _ => Class::Transaction,
        };
        let begins = tx.first.is_zero() && !compensation && class != Class::End;
        let ends = class == Class::End && tx.end_reserved;
        let reserve = reserve.bytes();
        let request = Request {
            header,
            payload,
            txn: tx.id,
            prev: tx.last,
            len,
            class,
            reserve,
            begins,
            ends,
        };
        let pos = self.append_request(&request)?;
        let end = self.end_reserve();
        if begins {
            tx.end_reserved = true;
            tx.reserved += end;
        }
        if ends {
            tx.end_reserved = false;
            tx.reserved -= end;
        }
        if compensation {
            // It was reserved with the record that it undoes.
            let kept = if tx.end_reserved { end } else { 0 };
            let used = (len.next_multiple_of(4) as u64 + 2).min(tx.reserved - kept);
            tx.reserved -= used;
            self.give_back(used);
            tx.undo_next = header.undo_next;
        } else {
            tx.reserved += reserve;
            tx.undo_next = pos;
        }
        if tx.first.is_zero() {
            tx.first = pos;
        }
        debug_assert!(tx.last < pos, "positions only grow");
        tx.last = pos;
        tx.records += 1;
        tx.bytes += len as u64;
        Ok(pos)
    }

    /// Appends a record outside of any transaction, from the fixed reserve if need be: checkpoints, and marks
    /// of recovery.
    pub fn append_system(
        &self,
        header: &RecordHeader,
        payload: &[&[u8]],
    ) -> Result<LogPos, AppendError> {
        let len = header.encoded_len() + payload.iter().map(|p| p.len()).sum::<usize>();
        self.append_request(&Request {
            header,
            payload,
            txn: header.txn,
            prev: header.prev,
            len,
            class: Class::System,
            reserve: 0,
            begins: false,
            ends: false,
        })
    }

    /// Makes sure that system records with payloads of these lengths find room, each in a block of its own and with
    /// the end of a VLF between them, so that a checkpoint either is begun and ended or appends nothing.
    pub fn make_system_room(&self, payloads: &[usize]) -> Result<(), AppendError> {
        let cost = |payload: &usize| {
            let padded = (HEADER_BYTES_MAX + payload).next_multiple_of(4);
            OpenBlock::closed_len(BLOCK_HEADER_BYTES + padded, 1, self.sector) as u64
        };
        let longest = payloads.iter().map(cost).max().unwrap_or(0);
        let need = payloads.iter().map(cost).sum::<u64>() + longest;
        loop {
            let seen = {
                let state = self.lock();
                if state.core.is_failed() {
                    return Err(AppendError::LogUnavailable);
                }
                if state.free() >= need + with_margin(state.reserved) {
                    return Ok(());
                }
                state.space_changes
            };
            self.make_room(seen, Limits::PastForCheckpoint)?;
        }
    }

    /// A transaction ended: what it still has reserved is free again.
    pub fn release(&self, tx: &mut TxLog) {
        let reserved = std::mem::take(&mut tx.reserved);
        let ends = u64::from(std::mem::take(&mut tx.end_reserved));
        if reserved > 0 {
            self.give_back(reserved);
        }
        if ends > 0 {
            self.lock().ends -= ends;
        }
    }

    /// Puts back the reservation of a transaction that recovery found unfinished, so that its rollback has room
    /// while new transactions run. `bytes` is what its compensation records will take, headers included.
    pub fn reserve_recovered(&self, tx: &mut TxLog, bytes: u64) {
        let bytes = bytes + self.end_reserve();
        tx.reserved += bytes;
        tx.end_reserved = true;
        let mut state = self.lock();
        state.reserved += bytes;
        state.ends += 1;
    }

    fn give_back(&self, bytes: u64) {
        let mut state = self.lock();
        assert!(state.reserved >= bytes, "more was given back than was reserved");
        state.reserved -= bytes;
    }

    /// What the end of a transaction may take: its abort record, and a block's header and padding.
    fn end_reserve(&self) -> u64 {
        (self.sector + BLOCK_HEADER_BYTES + HEADER_BYTES_MAX + 64) as u64
    }

    /// What is kept for checkpoints while so many transactions are active.
    pub(crate) fn checkpoint_reserve(&self, active: u64) -> u64 {
        (6 * self.sector + (8 << 10)) as u64 + active * NOTE_BYTES
    }

    fn append_request(&self, r: &Request<'_>) -> Result<LogPos, AppendError> {
        if r.len > RECORD_BYTES_MAX {
            return Err(AppendError::TooLong(r.len));
        }
        loop {
            let mut state = self.lock();
            let obstacle = match self.try_append(&mut state, r) {
                Ok((pos, kick)) => {
                    drop(state);
                    if kick {
                        self.kick_writer();
                    }
                    return Ok(pos);
                }
                Err(o) => o,
            };
            match obstacle {
                Obstacle::Failed => return Err(AppendError::LogUnavailable),
                Obstacle::Space(seen) => {
                    drop(state);
                    let limits = match r.class {
                        Class::Transaction => Limits::Kept,
                        Class::System => Limits::PastForCheckpoint,
                        Class::Rollback | Class::End => Limits::Past,
                    };
                    self.make_room(seen, limits)?;
                }
                Obstacle::Buffer => {
                    let _wait = taffrail_observe::wait(WaitType::LogBuffer);
                    // Write blocks oneself, or wait for those who do.
                    if state.core.ready_bytes() > 0 && state.core.can_start() {
                        drop(state);
                        self.write_ready(LogPos::MAX, true);
                    } else {
                        state.buffer_waiters += 1;
                        self.buffers_free.wait(&mut state.guard);
                        state.buffer_waiters -= 1;
                    }
                }
            }
        }
    }

    /// One attempt. Returns the position, and whether the writer thread has something to do.
    fn try_append(&self, s: &mut State, r: &Request<'_>) -> Result<(LogPos, bool), Obstacle> {
        if s.core.is_failed() {
            return Err(Obstacle::Failed);
        }
        let padded = r.len.next_multiple_of(4);
        let fits = s.fits(padded);
        let now = OpenBlock::closed_len(s.open.used, s.open.records, s.sector);
        let cost = if fits {
            (OpenBlock::closed_len(s.open.used + padded, s.open.records + 1, s.sector) - now) as u64
        } else {
            let alone = OpenBlock::closed_len(BLOCK_HEADER_BYTES + padded, 1, s.sector) as u64;
            let rest = s.usable_end().saturating_sub(s.open.start + now as u64);
            // What does not fit the rest of the VLF wastes it.
            if alone > rest { alone + rest } else { alone }
        };
        let end = self.end_reserve();
        let ends = s.ends + u64::from(r.begins) - u64::from(r.ends);
        let reserve = r.reserve + if r.begins { end } else { 0 };
        let keep = match r.class {
            Class::Transaction => with_margin(s.reserved + reserve) + self.checkpoint_reserve(ends),
            Class::System => with_margin(s.reserved),
            Class::Rollback | Class::End => ends * end,
        };
        if s.free() < cost + keep {
            return Err(Obstacle::Space(s.space_changes));
        }
        let mut kick = false;
        if !fits {
            s.close_open();
            kick = s.core.ready_bytes() >= self.writer_bytes;
            if !s.fits(padded) && !s.switch_vlf() {
                return Err(Obstacle::Space(s.space_changes));
            }
            assert!(s.fits(padded), "every VLF has room for the longest record");
        }
        if !s.ensure_buffer() {
            return Err(Obstacle::Buffer);
        }
        let Some(buf) = s.open.buf.as_mut() else { return Err(Obstacle::Buffer) };
        let at = s.open.used;
        let out = &mut buf[at..at + padded];
        let mut used = r.header.encode(out, r.len, r.txn, r.prev);
        for part in r.payload {
            out[used..used + part.len()].copy_from_slice(part);
            used += part.len();
        }
        out[used..].fill(0);
        s.open.slots[s.open.records] = at as u16;
        s.open.records += 1;
        s.open.used += padded;
        s.reserved += reserve;
        s.reserved -= if r.ends { end } else { 0 };
        s.ends = ends;
        let pos = LogPos(s.open.start + s.open.records as u64);
        s.last_record = pos;
        self.appended.store(pos.0 + 1, Ordering::Release);
        debug_assert!(s.free() >= keep, "what is kept back is still there");
        Ok((pos, kick))
    }
}
