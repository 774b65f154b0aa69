//! Appending: under the log's one mutex, find room, copy the record, publish its position.
//!
//! Room is counted in bytes of the file. Free is what remains of the head VLF behind the open block (as it would be
//! closed now), plus all free VLFs, each less its header and its last sector. Of that is kept back
//!
//! ```text
//!   reserved by transactions (+ 1/8 for block headers and ends of VLFs)      only for their compensation records
//!   a fixed reserve                                                          only for system records: one checkpoint
//! ```
//! A transaction reserves with each record what undoing it will append, and with its first record one abort record
//! and one sector: the padding that its end causes.
//!
//! | who appends                  | may use                                            |
//! |------------------------------|----------------------------------------------------|
//! | a transaction                | what is not kept back                              |
//! | the system (checkpoint)      | that and the fixed reserve                         |
//! | rollback, commit, abort      | everything; if even that is not enough, the file grows past its limits |

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
    Ending,
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
    /// To be reserved with it.
    reserve: u64,
}

/// What is kept back for a reservation of so many bytes.
fn with_margin(reserved: u64) -> u64 {
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
        let ending = compensation
            || tx.in_rollback
            || matches!(header.op, Lop::CommitXact | Lop::AbortXact | Lop::ForgetXact);
        let mut reserving = reserve.bytes();
        if tx.first.is_zero() && !ending {
            reserving += self.end_reserve();
        }
        let request = Request {
            header,
            payload,
            txn: tx.id,
            prev: tx.last,
            len,
            class: if ending { Class::Ending } else { Class::Transaction },
            reserve: reserving,
        };
        let pos = self.append_request(&request)?;
        if compensation {
            // It was reserved with the record that it undoes.
            let used = (len.next_multiple_of(4) as u64 + 2).min(tx.reserved);
            tx.reserved -= used;
            self.give_back(used);
            tx.undo_next = header.undo_next;
        } else {
            tx.reserved += reserving;
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
        })
    }

    /// A transaction ended: what it still has reserved is free again.
    pub fn release(&self, tx: &mut TxLog) {
        let reserved = std::mem::take(&mut tx.reserved);
        if reserved > 0 {
            self.give_back(reserved);
        }
    }

    /// Puts back the reservation of a transaction that recovery found unfinished, so that its rollback has room
    /// while new transactions run. `bytes` is what its compensation records will take, headers included.
    pub fn reserve_recovered(&self, tx: &mut TxLog, bytes: u64) {
        let bytes = bytes + self.end_reserve();
        tx.reserved += bytes;
        self.lock().reserved += bytes;
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

    /// What is kept for one checkpoint.
    pub(crate) fn fixed_reserve(&self) -> u64 {
        (6 * self.sector + (8 << 10)) as u64
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
                    self.make_room(seen, r.class == Class::Ending)?;
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
        let keep = match r.class {
            Class::Transaction => with_margin(s.reserved + r.reserve) + self.fixed_reserve(),
            Class::System => with_margin(s.reserved),
            Class::Ending => 0,
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
        s.reserved += r.reserve;
        let pos = LogPos(s.open.start + s.open.records as u64);
        s.last_record = pos;
        self.appended.store(pos.0 + 1, Ordering::Release);
        debug_assert!(
            r.class != Class::Transaction || s.free() >= with_margin(s.reserved),
            "free space is never less than what rollback may need"
        );
        Ok((pos, kick))
    }
}
