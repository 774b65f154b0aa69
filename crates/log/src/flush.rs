//! The flush core: which closed blocks are written next, in how large writes, what is durable, who wakes.
//!
//! A state machine without I/O, clock or thread, so that a test steps it: blocks are pushed when they are closed,
//! [`FlushCore::next_write`] claims a run of them, the driver writes and reports with [`FlushCore::completed`].
//!
//! ```text
//! pushed ──next_write──► in flight ──completed──► done ──(everything before it done)──► durable
//! ```
//! 1. Blocks are claimed in order, each once. A write is a run of blocks that lie together in one file.
//! 2. `durable` moves only over blocks of which all earlier ones are done.
//! 3. After a failed write nothing is claimed again, and every waiter is told.
//! 4. No lost wake-up: whenever fewer than the allowed number of writes are in flight and a waiter's block is not
//!    claimed, some waiter was told to [`Wake::Lead`] and has not come back yet, or the blocks were left to the
//!    writer by a caller that does not wait.

use std::collections::VecDeque;

use taffrail_base::LogPos;

/// Names a write in flight.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct WriteId(pub u64);

/// What a waiter is woken for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wake {
    /// What it waited for is durable.
    Durable,
    /// It shall write what is due, itself.
    Lead,
    /// A write failed: nothing more will become durable.
    Failed,
}

/// A closed block on its way to the disk.
#[derive(Clone, Debug)]
pub struct Closed<T> {
    /// Its position.
    pub pos: LogPos,
    /// The position after it.
    pub end: LogPos,
    /// Which file.
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
    /// Which file.
    pub file: u16,
    /// Where it begins.
    pub offset: u64,
    /// How many bytes.
    pub bytes: u64,
    /// Position of the first block.
    pub pos: LogPos,
    /// The blocks' data, in order.
    pub data: Vec<T>,
}

/// What a completion changed.
#[derive(Debug)]
pub struct Completed<W> {
    /// Who has to be woken, and why. A leader comes first: the device waits for it.
    pub wakes: Vec<(Wake, W)>,
    /// The durable position after it.
    pub durable: LogPos,
}

#[derive(Debug)]
struct Unit<T> {
    closed: Closed<T>,
    done: bool,
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
    /// Writes in flight: name, number of the first block, how many blocks.
    in_flight: Vec<(WriteId, u64, usize)>,
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
        self.units.push_back(Unit { closed, done: false });
    }

    /// Claims the next write; `None` when there is none to do, or enough are in flight, or a write failed.
    pub fn next_write(&mut self) -> Option<Write<T>> {
        if self.failed || !self.can_start() || self.claimed == self.units.len() {
            return None;
        }
        let first = &self.units[self.claimed].closed;
        let mut write = Write {
            id: WriteId(self.next_id),
            file: first.file,
            offset: first.offset,
            bytes: 0,
            pos: first.pos,
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
        self.in_flight.push((write.id, self.base + self.claimed as u64, write.data.len()));
        self.claimed += write.data.len();
        self.ready_bytes -= write.bytes;
        self.next_id += 1;
        Some(write)
    }

    /// A write ended.
    pub fn completed(&mut self, id: WriteId, ok: bool) -> Completed<W> {
        let at = self.in_flight.iter().position(|w| w.0 == id).expect("a write that is in flight");
        let (_, first, count) = self.in_flight.swap_remove(at);
        if !ok {
            self.failed = true;
        }
        if self.failed {
            let wakes = self.waiters.drain(..).map(|(_, w)| (Wake::Failed, w)).collect();
            return Completed { wakes, durable: self.durable };
        }
        let skip = (first - self.base) as usize;
        for unit in self.units.range_mut(skip..skip + count) {
            unit.done = true;
        }
        while self.units.front().is_some_and(|u| u.done) {
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

    /// Writes in flight.
    pub fn in_flight(&self) -> usize {
        self.in_flight.len()
    }

    /// Waiters.
    pub fn waiting(&self) -> usize {
        self.waiters.len()
    }

    /// True after a failed write.
    pub fn is_failed(&self) -> bool {
        self.failed
    }
}
