//! Appending: under the log's one mutex, find room, copy the record, publish its position.
//!
//! How much room there is for whom: [`crate::room`].
//!
//! A transaction reserves with each record what undoing it will append, and with its first record its end: one commit
//! or abort record and one sector, the padding that it causes. Ends are counted apart, because compensation records
//! that flushes put into sectors of their own may take more than was reserved for them, and must not take that: a
//! transaction that could neither commit nor abort would have no outcome.
//!
//! Records that say when something happened ([`Moment`]) get their moment under the same mutex, when they get their place. So moments
//! are in the order of the log, unless the clock was set back by more than a day ([`crate::moments`]).

use std::sync::atomic::Ordering;

use taffrail_base::{LogPos, TransactionId};
use taffrail_io::UtcTime;
use taffrail_observe::WaitType;

use crate::block::BLOCK_HEADER_BYTES;
use crate::cache::{OpenBlock, State};
use crate::error::AppendError;
use crate::log::Log;
use crate::lop::Lop;
use crate::moments::SetBack;
use crate::record::{RECORD_BYTES_MAX, RecordHeader, Reserve, TxLog};
use taffrail_observe::trace::FlushCause;

/// Bytes of a moment in a payload.
const MOMENT_BYTES: usize = 8;

/// Whose record it is; see the table in [`crate::room`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AppendFor {
    Transaction,
    System,
    /// Part of a rollback: compensation records, and system transactions that it needs.
    Rollback,
    /// A commit or abort record.
    End,
}

/// The moment that the first eight bytes of a record's payload are: 100 ns since 0001-01-01, UTC, little-endian.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Moment {
    /// They are something else.
    None,
    /// The clock's when the record gets its place in the log, or the newest moment in the log where the clock stands up to a day before
    /// that. The log fills it in.
    Now,
    /// As the payload has it, or the last moment in the log if that is later.
    Given,
}

/// How far [`Log::make_room`] may go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Limits {
    /// Files grow as their settings say.
    Kept,
    /// Past them if a checkpoint would free log then.
    PastForCheckpoint,
    /// Files grow past them, whatever the append is for.
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

/// The outcome of an attempt that has appended.
struct Appended {
    pos: LogPos,
    /// The writer thread has something to do.
    kick: bool,
    /// The error log is to hear of the clock.
    set_back: Option<SetBack>,
}

struct Request<'a> {
    header: &'a RecordHeader,
    payload: &'a [&'a [u8]],
    txn: TransactionId,
    prev: LogPos,
    len: usize,
    class: AppendFor,
    /// To be reserved with it, the end not counted.
    reserve: u64,
    /// The transaction's end is to be reserved too.
    begins: bool,
    /// It is the end, and was reserved.
    ends: bool,
    moment: Moment,
}

/// How [`Log::append_request`] goes on when there was no room.
enum Next {
    Again,
    /// With what is kept for others (invariant 3 of [`crate::room`] did not hold: flushes wasted more than that).
    Squeezed,
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
        self.append_at(tx, header, payload, reserve, Moment::None)
    }

    /// [`Log::append`] of a record that says when it happened: the payload begins with it.
    pub fn append_at(
        &self,
        tx: &mut TxLog,
        header: &RecordHeader,
        payload: &[&[u8]],
        reserve: Reserve,
        moment: Moment,
    ) -> Result<LogPos, AppendError> {
        let len = header.encoded_len() + payload.iter().map(|p| p.len()).sum::<usize>();
        let compensation = header.is_compensation();
        let class = match header.op {
            Lop::CommitXact | Lop::AbortXact | Lop::ForgetXact => AppendFor::End,
            _ if compensation || tx.in_rollback => AppendFor::Rollback,
            _ if tx.in_checkpoint => AppendFor::System,
            _ => AppendFor::Transaction,
        };
        let begins = tx.first.is_zero() && !compensation && class != AppendFor::End;
        let ends = class == AppendFor::End && tx.end_reserved;
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
            moment,
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
            let taken = Reserve::taken(len);
            debug_assert!(taken <= tx.reserved - kept, "undo of {:?} was not reserved", header.op);
            let used = taken.min(tx.reserved - kept);
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
        self.append_system_at(header, payload, Moment::None)
    }

    /// [`Log::append_system`] of a record that says when it happened: the payload begins with it.
    pub fn append_system_at(
        &self,
        header: &RecordHeader,
        payload: &[&[u8]],
        moment: Moment,
    ) -> Result<LogPos, AppendError> {
        let len = header.encoded_len() + payload.iter().map(|p| p.len()).sum::<usize>();
        self.append_request(&Request {
            header,
            payload,
            txn: header.txn,
            prev: header.prev,
            len,
            class: AppendFor::System,
            reserve: 0,
            begins: false,
            ends: false,
            moment,
        })
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

    fn append_request(&self, r: &Request<'_>) -> Result<LogPos, AppendError> {
        if r.len > RECORD_BYTES_MAX {
            return Err(AppendError::TooLong(r.len));
        }
        assert!(
            r.moment == Moment::None || r.len >= r.header.encoded_len() + MOMENT_BYTES,
            "a record that says when it happened begins with that"
        );
        let mut squeezed = false;
        loop {
            let mut state = self.lock();
            let obstacle = match self.try_append(&mut state, r, squeezed) {
                Ok(Appended { pos, kick, set_back }) => {
                    let busy = kick && state.core.in_flight() > 0 && self.writes_plainly();
                    drop(state);
                    if let Some(how) = set_back {
                        how.tell(self.whose());
                    }
                    if kick {
                        self.kick_writer();
                    }
                    if busy {
                        self.ask_for_help();
                    }
                    return Ok(pos);
                }
                Err(o) => o,
            };
            match obstacle {
                Obstacle::Failed => return Err(AppendError::LogUnavailable),
                Obstacle::Space(seen) => {
                    drop(state);
                    match self.room_for(r.class, seen, squeezed)? {
                        Next::Again => {}
                        Next::Squeezed => squeezed = true,
                    }
                }
                Obstacle::Buffer => {
                    let _wait = taffrail_observe::wait(WaitType::LogBuffer);
                    // Write or sync blocks oneself, or wait for those who do.
                    if state.core.ready_bytes() > 0 && state.core.can_start() {
                        drop(state);
                        self.write_ready(LogPos::MAX, true, false, FlushCause::FullBlocks);
                    } else if state.core.loose_bytes() > 0
                        && let Some(sync) = state.core.next_sync_of_any()
                    {
                        drop(state);
                        self.perform_sync(sync, FlushCause::FullBlocks);
                    } else {
                        state.buffer_waiters += 1;
                        self.buffers_free.wait(&mut state.guard);
                        state.buffer_waiters -= 1;
                    }
                }
            }
        }
    }

    /// The moment that a record bears. `field`: the payload's own in its place.
    fn moment(&self, s: &mut State, moment: Moment, field: &[u8]) -> (UtcTime, Option<SetBack>) {
        match (moment, field.try_into()) {
            (Moment::Given, Ok(given)) => {
                (s.moments.hold(UtcTime(u64::from_le_bytes(given))), None)
            }
            _ => s.moments.follow(self.env.clock.now_utc()),
        }
    }

    /// The newest record of the log that was read says this moment. To be called before the first record is appended.
    pub fn note_moment(&self, seen: UtcTime) {
        self.lock().moments.last = seen;
    }

    fn room_for(&self, class: AppendFor, seen: u64, squeezed: bool) -> Result<Next, AppendError> {
        let limits = match class {
            AppendFor::Transaction => Limits::Kept,
            AppendFor::System => Limits::PastForCheckpoint,
            AppendFor::Rollback | AppendFor::End => Limits::Past,
        };
        match self.make_room(seen, limits) {
            Ok(()) => Ok(Next::Again),
            Err(AppendError::LogFull { .. }) if class == AppendFor::Rollback && !squeezed => {
                Ok(Next::Squeezed)
            }
            Err(e) => Err(e),
        }
    }

    /// Makes one attempt to append.
    fn try_append(
        &self,
        s: &mut State,
        r: &Request<'_>,
        squeezed: bool,
    ) -> Result<Appended, Obstacle> {
        if s.core.is_failed() || s.sealed {
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
        let keep = self.kept_for(s, r.class, reserve, ends, squeezed);
        if s.free() < cost + keep {
            return Err(Obstacle::Space(s.space_changes));
        }
        let mut kick = false;
        if !fits {
            s.close_open();
            self.note_need(s.open.start);
            kick = s.core.ready_bytes() >= self.writer_bytes;
            if !s.fits(padded) && !s.switch_vlf() {
                return Err(Obstacle::Space(s.space_changes));
            }
            assert!(s.fits(padded), "every VLF has room for the longest record");
        }
        if !s.ensure_buffer() {
            return Err(Obstacle::Buffer);
        }
        let mut bears = None;
        if r.moment != Moment::None {
            let field = r.payload.first().and_then(|p| p.get(..MOMENT_BYTES)).unwrap_or_default();
            bears = Some(self.moment(s, r.moment, field));
        }
        let Some(buf) = s.open.buf.as_mut() else { return Err(Obstacle::Buffer) };
        let at = s.open.used;
        let out = &mut buf[at..at + padded];
        let mut used = r.header.encode(out, r.len, r.txn, r.prev);
        let content = used;
        for part in r.payload {
            out[used..used + part.len()].copy_from_slice(part);
            used += part.len();
        }
        out[used..].fill(0);
        if let Some((moment, _)) = bears {
            out[content..content + MOMENT_BYTES].copy_from_slice(&moment.0.to_le_bytes());
        }
        s.open.slots[s.open.records] = at as u16;
        s.open.records += 1;
        s.open.commits += u32::from(r.header.op == Lop::CommitXact);
        s.open.used += padded;
        s.reserved += reserve;
        s.reserved -= if r.ends { end } else { 0 };
        s.ends = ends;
        let pos = LogPos(s.open.start + s.open.records as u64);
        s.last_record = pos;
        self.appended.store(pos.0 + 1, Ordering::Release);
        debug_assert!(s.free() >= keep, "what is kept back is still there");
        Ok(Appended { pos, kick, set_back: bears.and_then(|(_, set_back)| set_back) })
    }
}
