//! The flush core: which closed blocks are written next, in how large writes, what is durable, who wakes.
//!
//! A state machine without I/O, clock or thread, so that a test steps it: blocks are pushed when they are closed,
//! [`FlushCore::next_write`] claims a run of them, the driver writes and reports with [`FlushCore::completed`].
//!
//! A durable write makes its own blocks durable. What nobody waits for yet is written plainly, with the device's cache
//! left alone, and one sync makes many such writes durable ([`FlushCore::next_sync`], [`FlushCore::synced`]): the file
//! system then changes its own metadata once instead of with each write.
//!
//! ```text
//! pushed ──next_write──► in flight ──completed, durable──────────────────────────► done ──(everything before it done)──► durable
//!                            └─────completed, plain──► written ──next_sync──► in a sync ──synced──┘
//! ```
//! 1. Blocks are claimed in order, each once. A write is a run of blocks that lie together in one file.
//! 2. `durable` moves only over blocks of which all earlier ones are done.
//! 3. After a failed write or sync nothing is claimed again, and every waiter is told.
//! 4. No lost wake-up: whenever fewer than the allowed number of writes are in flight and a waiter's block is not
//!    claimed, or blocks up to a waiter's are all written and one of them is in no sync, some waiter was told to
//!    [`Wake::Lead`] and has not come back yet, or the blocks were left to the writer by a caller that does not wait.
//! 5. A sync covers blocks whose writes had ended when it began, and no others.

use std::collections::VecDeque;

use taffrail_base::LogPos;

/// Names a write or a sync in flight.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct WriteId(pub u64);

/// The reasons for which a waiter is woken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wake {
    /// The waiter's record is durable.
    Durable,
    /// It shall write or sync what is due, itself.
    Lead,
    /// A write failed: nothing more will become durable.
    Failed,
}

/// A closed block on its way to the disk.
#[derive(Clone, Debug)]
pub struct Closed<T> {
    /// The position of the block.
    pub pos: LogPos,
    /// The position after it.
    pub end: LogPos,
    /// The index of the file.
    pub file: u16,
    /// Where its write begins in the file.
    pub offset: u64,
    /// How many bytes are written.
    pub bytes: u32,
    /// The bytes themselves, or whatever the driver needs to find them.
    pub data: T,
}

/// A write to be done now.
#[derive(Clone, Debug)]
pub struct Write<T> {
    /// Its name, for [`FlushCore::completed`].
    pub id: WriteId,
    /// The index of the file.
    pub file: u16,
    /// The byte offset in the file.
    pub offset: u64,
    /// The number of bytes.
    pub bytes: u64,
    /// Position of the first block.
    pub pos: LogPos,
    /// It has to be durable when it ends; else a sync follows.
    pub durable: bool,
    /// The blocks' data, in order.
    pub data: Vec<T>,
}

/// A sync to be done now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sync {
    /// Its name, for [`FlushCore::synced`].
    pub id: WriteId,
    /// The index of the file.
    pub file: u16,
}

/// The consequences of a write or sync that has ended.
#[derive(Debug)]
pub struct Completed<W> {
    /// The waiters to wake, and why. A leader comes first: the device waits for it.
    pub wakes: Vec<(Wake, W)>,
    /// The durable position after it.
    pub durable: LogPos,
}

/// How far a block is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// Not claimed, or in flight.
    Unwritten,
    /// Plainly, and in no sync.
    Written,
    /// The sync that it is in.
    InSync(WriteId),
    /// The block is on the medium.
    Done,
}

#[derive(Debug)]
struct Unit<T> {
    closed: Closed<T>,
    phase: Phase,
    /// Nobody waited for it when it was claimed.
    bulk: bool,
}

/// A write in flight.
#[derive(Debug)]
struct Flight {
    id: WriteId,
    /// Number of its first block.
    first: u64,
    blocks: usize,
    durable: bool,
    /// Nobody waited for it when it was claimed.
    bulk: bool,
}

/// From so many waiters on, two writes in flight are enough: what the device would gain from more of them the processor
/// loses, since each carries fewer commits. (32 and 64 sessions on 2 cores committed a tenth to a fifth more so.)
const CROWD: usize = 12;
/// Writes in flight while there is a crowd.
const IN_FLIGHT_CROWDED: usize = 2;

/// The flush core. `T` is a block's data, `W` a waiter's token.
#[derive(Debug)]
pub struct FlushCore<T, W> {
    /// Blocks that are not durable, in order of position.
    units: VecDeque<Unit<T>>,
    /// Number of the first of `units`, counted since the beginning.
    base: u64,
    /// How many of `units` are claimed; they come first.
    claimed: usize,
    /// Bytes of those that are not.
    ready_bytes: u64,
    in_flight: Vec<Flight>,
    /// The number of syncs in flight.
    syncs: usize,
    /// Bytes of blocks that are written and in no sync.
    loose_bytes: u64,
    /// Those of them that nobody waited for.
    bulk_bytes: u64,
    next_id: u64,
    durable: LogPos,
    claimed_end: LogPos,
    waiters: Vec<(LogPos, W)>,
    failed: bool,
    in_flight_max: usize,
    write_bytes_max: u64,
}

impl<T: Clone, W> FlushCore<T, W> {
    /// A core in which everything before `durable` is durable.
    pub fn new(durable: LogPos, in_flight_max: usize, write_bytes_max: u64) -> FlushCore<T, W> {
        FlushCore {
            units: VecDeque::new(),
            base: 0,
            claimed: 0,
            ready_bytes: 0,
            in_flight: Vec::new(),
            syncs: 0,
            loose_bytes: 0,
            bulk_bytes: 0,
            next_id: 1,
            durable,
            claimed_end: durable,
            waiters: Vec::new(),
            failed: false,
            in_flight_max: in_flight_max.max(1),
            write_bytes_max,
        }
    }

    /// A block was closed; its position follows that of the one pushed before.
    pub fn push(&mut self, closed: Closed<T>) {
        let last = self.units.back().map_or(self.durable, |u| u.closed.end);
        assert!(closed.pos >= last && closed.end > closed.pos, "blocks are pushed in order");
        self.ready_bytes += u64::from(closed.bytes);
        self.units.push_back(Unit { closed, phase: Phase::Unwritten, bulk: false });
    }

    /// Claims the next write; `None` when there is none to do, or enough are in flight, or a write failed. `plain`: nobody
    /// waits for it. It is plain, too, where a sync of such writes has to follow anyway.
    pub fn next_write(&mut self, plain: bool) -> Option<Write<T>> {
        if self.failed || !self.can_start() || self.claimed == self.units.len() {
            return None;
        }
        let durable = !plain && self.bulk_bytes == 0 && !self.in_flight.iter().any(|w| w.bulk);
        let first = &self.units[self.claimed].closed;
        let mut write = Write {
            id: WriteId(self.next_id),
            file: first.file,
            offset: first.offset,
            bytes: 0,
            pos: first.pos,
            durable,
            data: Vec::new(),
        };
        for unit in self.units.iter().skip(self.claimed) {
            let c = &unit.closed;
            let adjoins = c.file == write.file && c.offset == write.offset + write.bytes;
            let fits = write.bytes + u64::from(c.bytes) <= self.write_bytes_max;
            let first = write.data.is_empty();
            if !first && (!adjoins || !fits) {
                break;
            }
            write.bytes += u64::from(c.bytes);
            write.data.push(c.data.clone());
            self.claimed_end = c.end;
        }
        let (first, blocks) = (self.base + self.claimed as u64, write.data.len());
        self.in_flight.push(Flight { id: write.id, first, blocks, durable, bulk: plain });
        self.claimed += write.data.len();
        self.ready_bytes -= write.bytes;
        self.next_id += 1;
        Some(write)
    }

    /// Takes note that a write has ended.
    pub fn completed(&mut self, id: WriteId, ok: bool) -> Completed<W> {
        let at = self.in_flight.iter().position(|w| w.id == id).expect("a write that is in flight");
        let Flight { first, blocks, durable, bulk, .. } = self.in_flight.swap_remove(at);
        if ok && !self.failed {
            let skip = (first - self.base) as usize;
            for unit in self.units.range_mut(skip..skip + blocks) {
                assert_eq!(unit.phase, Phase::Unwritten, "invariant 1: each block is written once");
                unit.phase = if durable { Phase::Done } else { Phase::Written };
                unit.bulk = bulk;
                self.loose_bytes += if durable { 0 } else { u64::from(unit.closed.bytes) };
                self.bulk_bytes += if bulk { u64::from(unit.closed.bytes) } else { 0 };
            }
        }
        self.ended(ok)
    }

    /// Begins a sync that a waiter for the record at `upto` needs: all blocks up to it are written, and one of them is in
    /// no sync. It takes along what else is written of that file.
    pub fn next_sync(&mut self, upto: LogPos) -> Option<Sync> {
        if self.failed || !self.sync_is_due(upto) {
            return None;
        }
        self.begin_sync()
    }

    /// As [`Self::next_sync`], for all blocks that are written without a gap: so most of them
    /// become durable.
    pub fn next_sync_of_any(&mut self) -> Option<Sync> {
        let first = self.units.iter().find(|u| !matches!(u.phase, Phase::Done | Phase::InSync(_)));
        if self.failed || self.syncs == self.in_flight_max || first?.phase != Phase::Written {
            return None;
        }
        self.begin_sync()
    }

    fn begin_sync(&mut self) -> Option<Sync> {
        let first = self.units.iter().find(|u| u.phase == Phase::Written)?;
        let sync = Sync { id: WriteId(self.next_id), file: first.closed.file };
        for unit in &mut self.units {
            if unit.phase == Phase::Written && unit.closed.file == sync.file {
                unit.phase = Phase::InSync(sync.id);
                self.loose_bytes -= u64::from(unit.closed.bytes);
                self.bulk_bytes -= if unit.bulk { u64::from(unit.closed.bytes) } else { 0 };
            }
        }
        self.next_id += 1;
        self.syncs += 1;
        Some(sync)
    }

    fn sync_is_due(&self, upto: LogPos) -> bool {
        if self.loose_bytes == 0 || self.syncs == self.in_flight_max || upto >= self.claimed_end {
            return false;
        }
        let mut units = self.units.iter().take_while(|u| u.closed.pos <= upto);
        let mut loose = false;
        units.all(|u| {
            loose |= u.phase == Phase::Written;
            u.phase != Phase::Unwritten
        }) && loose
    }

    /// Takes note that a sync has ended.
    pub fn synced(&mut self, id: WriteId, ok: bool) -> Completed<W> {
        self.syncs = self.syncs.checked_sub(1).expect("a sync that is in flight");
        if ok && !self.failed {
            for unit in self.units.iter_mut().filter(|u| u.phase == Phase::InSync(id)) {
                unit.phase = Phase::Done;
            }
        }
        self.ended(ok)
    }

    /// The consequences that follow from the end of a write or a sync.
    fn ended(&mut self, ok: bool) -> Completed<W> {
        if !ok {
            self.failed = true;
        }
        if self.failed {
            let wakes = self.waiters.drain(..).map(|(_, w)| (Wake::Failed, w)).collect();
            return Completed { wakes, durable: self.durable };
        }
        while self.units.front().is_some_and(|u| u.phase == Phase::Done) {
            if let Some(unit) = self.units.pop_front() {
                self.durable = unit.closed.end;
                self.base += 1;
                self.claimed -= 1;
            }
        }
        let mut wakes = Vec::new();
        let durable = self.durable;
        let claimed_end = self.claimed_end;
        if let Some(i) = self.waiters.iter().position(|w| w.0 >= claimed_end) {
            wakes.push((Wake::Lead, self.waiters.remove(i).1));
        }
        if self.loose_bytes > 0
            && let Some(i) = self.waiters.iter().position(|w| self.sync_is_due(w.0))
        {
            wakes.push((Wake::Lead, self.waiters.remove(i).1));
        }
        let mut i = 0;
        while i < self.waiters.len() {
            if self.waiters[i].0 < durable {
                wakes.push((Wake::Durable, self.waiters.swap_remove(i).1));
            } else {
                i += 1;
            }
        }
        Completed { wakes, durable }
    }

    /// Registers a waiter for the record at `upto`.
    pub fn wait(&mut self, upto: LogPos, waiter: W) {
        self.waiters.push((upto, waiter));
    }

    /// Gives up after a failure outside a write: every waiter is told.
    pub fn fail(&mut self) -> Vec<(Wake, W)> {
        self.failed = true;
        self.waiters.drain(..).map(|(_, w)| (Wake::Failed, w)).collect()
    }

    /// Everything before it is durable.
    pub fn durable(&self) -> LogPos {
        self.durable
    }

    /// Everything before it is durable or in flight.
    pub fn claimed_end(&self) -> LogPos {
        self.claimed_end
    }

    /// True when another write may start.
    pub fn can_start(&self) -> bool {
        let crowded = self.waiters.len() >= CROWD;
        let max =
            if crowded { self.in_flight_max.min(IN_FLIGHT_CROWDED) } else { self.in_flight_max };
        self.in_flight.len() < max
    }

    /// Bytes of closed blocks that nobody has claimed.
    pub fn ready_bytes(&self) -> u64 {
        self.ready_bytes
    }

    /// The number of writes in flight.
    pub fn in_flight(&self) -> usize {
        self.in_flight.len()
    }

    /// No write and no sync is in flight.
    pub fn is_at_rest(&self) -> bool {
        self.in_flight.is_empty() && self.syncs == 0
    }

    /// Blocks are being written plainly, or were, and are in no sync.
    pub fn needs_sync(&self) -> bool {
        self.loose_bytes > 0 || self.in_flight.iter().any(|w| !w.durable)
    }

    /// Bytes of blocks that are written and in no sync.
    pub fn loose_bytes(&self) -> u64 {
        self.loose_bytes
    }

    /// The number of waiters.
    pub fn waiting(&self) -> usize {
        self.waiters.len()
    }

    /// True after a failed write.
    pub fn is_failed(&self) -> bool {
        self.failed
    }
}
