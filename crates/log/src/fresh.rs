//! Which reserved parts of the log's files were never written, and who may write them: the state machine of
//! initialisation ahead of the head. No I/O, no clock, no thread, so that a test steps it.
//!
//! A growth reserves extents; a durable write into one that was never written is slower, since the file system has to
//! make durable that it is written now. So a background writer writes zeroes over them before the log gets there.
//! Zeroes and log blocks may thus be on their way to the same file at the same time, and a zero that arrives after a
//! block would destroy what was acknowledged. The rules that exclude it:
//!
//! ```text
//!            claimed by flushes                       in the hands of this machine
//!   ┌──────────────────────────────────┬──────────────┬─────────┬───────────────────────┐
//!   │ log blocks, written or in flight │ fresh, near  │ a piece │ fresh                 │   one file
//!   └──────────────────────────────────┴──────────────┴─────────┴───────────────────────┘
//!                                      ▲ head          in flight
//! ```
//! 1. A byte is in at most one of: `fresh`, the piece in flight. Ranges of `fresh` do not overlap.
//! 2. A flush claims its bytes before it writes them. Claimed bytes leave `fresh` for good: no later piece has them.
//! 3. A claim that meets the piece in flight waits for its end before the block is written. A piece that begins later
//!    cannot meet it, by (2). So no zeroing write is ever in flight or issued inside a claimed range.
//! 4. What is zeroed is called so only after a sync: until then it counts as not initialised.
//! 5. The first 4 KiB of a VLF are the directory's, and never in `fresh`.
//! 6. Only [`Fresh::add`] puts bytes in, and only for VLFs that nobody can have written: those of a growth, before the
//!    log knows them, and at open those that are not active and what lies behind the end of the log.
//!
//! "Zeroed is never behind the head" follows: every byte the log writes is out of this machine's hands, either zeroed
//! or claimed while still fresh (the head has caught up: that write is slower, and counted in [`Fresh::missed`]).

use std::collections::BTreeMap;

/// A piece of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// The index of the file.
    pub file: u16,
    /// The offset of its first byte.
    pub start: u64,
    /// The byte after its last.
    pub end: u64,
}

impl Piece {
    fn meets(&self, file: u16, start: u64, end: u64) -> bool {
        self.file == file && self.start < end && start < self.end
    }

    fn len(&self) -> u64 {
        self.end - self.start
    }
}

/// Pieces begin at multiples of it, so that no file system block is written by two at a time.
const UNIT: u64 = 4096;
/// The zeroing writer leaves so much in front of the head to it, as long as there is something behind that.
const CLEAR: u64 = 256 << 10;

/// The state machine. See the module.
#[derive(Debug, Default)]
pub struct Fresh {
    /// Reserved, never written, nobody's: (file, start) to end.
    fresh: BTreeMap<(u16, u64), u64>,
    /// Sum of their lengths.
    bytes: u64,
    piece: Option<Piece>,
    /// Zeroed and not yet synced, by file.
    unsynced: BTreeMap<u16, u64>,
    missed: u64,
}

impl Fresh {
    /// New space that nobody has written yet.
    pub fn add(&mut self, file: u16, start: u64, end: u64) {
        if start >= end {
            return;
        }
        let before = self.fresh.range(..(file, end)).next_back();
        let overlaps = before.is_some_and(|(&(f, _), &e)| f == file && e > start);
        assert!(!overlaps, "invariant 1: space is new once");
        assert!(
            self.piece.is_none_or(|p| !p.meets(file, start, end)),
            "invariant 1: space in flight is not new"
        );
        self.fresh.insert((file, start), end);
        self.bytes += end - start;
    }

    /// Takes a range out. Returns how much of it was there.
    fn take(&mut self, file: u16, start: u64, end: u64) -> u64 {
        let mut taken = 0;
        while let Some((&(f, s), &e)) = self.fresh.range(..(file, end)).next_back() {
            if f != file || e <= start {
                break;
            }
            self.fresh.remove(&(f, s));
            if s < start {
                self.fresh.insert((f, s), start);
            }
            if e > end {
                self.fresh.insert((f, end), e);
            }
            taken += e.min(end) - s.max(start);
        }
        self.bytes -= taken;
        taken
    }

    /// A flush is going to write these bytes. True: it must wait until the piece in flight has ended.
    pub fn claim(&mut self, file: u16, start: u64, end: u64) -> bool {
        self.missed += self.take(file, start, end);
        self.blocks(file, start, end)
    }

    /// True while a zeroing write in flight meets these bytes.
    pub fn blocks(&self, file: u16, start: u64, end: u64) -> bool {
        self.piece.is_some_and(|p| p.meets(file, start, end))
    }

    /// Takes the next piece to be zeroed, of at most `max` bytes: what the head at (file, offset) comes to first. One
    /// piece is in flight at a time.
    pub fn begin(&mut self, head: (u16, u64), max: u64) -> Option<Piece> {
        if self.piece.is_some() {
            return None;
        }
        loop {
            let next = self.fresh.range(head..).next().or_else(|| self.fresh.iter().next());
            let (&(file, first), &end) = next?;
            let mut start = first.next_multiple_of(UNIT);
            let clear = head.1 + CLEAR;
            if file == head.0 && start >= head.1 && start < clear && clear + UNIT <= end {
                start = clear.next_multiple_of(UNIT).min(end / UNIT * UNIT);
            }
            let stop = end.min(start.saturating_add(max.max(UNIT)));
            // Whole blocks only; a rest is the log's to write.
            let stop = if stop == end { end / UNIT * UNIT } else { stop / UNIT * UNIT };
            if start >= stop {
                self.take(file, first, end);
                continue;
            }
            self.take(file, start, stop);
            let piece = Piece { file, start, end: stop };
            self.piece = Some(piece);
            return Some(piece);
        }
    }

    /// How far it is from the head to the first byte in front of it that was never written; the end of time if there
    /// is none in its file.
    pub fn clear_ahead(&self, head: (u16, u64)) -> u64 {
        match self.fresh.range(head..).next() {
            Some((&(file, start), _)) if file == head.0 => start - head.1,
            _ => u64::MAX,
        }
    }

    /// The piece in flight was written.
    pub fn end(&mut self) {
        if let Some(p) = self.piece.take() {
            *self.unsynced.entry(p.file).or_default() += p.len();
        }
    }

    /// The piece in flight, if there is one.
    pub fn in_flight(&self) -> Option<Piece> {
        self.piece
    }

    /// A sync of a file that began after so many bytes were zeroed has ended.
    pub fn synced(&mut self, file: u16, bytes: u64) {
        if let Some(n) = self.unsynced.get_mut(&file) {
            *n -= bytes.min(*n);
            if *n == 0 {
                self.unsynced.remove(&file);
            }
        }
    }

    /// Zeroed and not yet durable.
    pub fn unsynced(&self) -> u64 {
        self.unsynced.values().sum()
    }

    /// As [`Self::unsynced`], for each file.
    pub fn unsynced_files(&self) -> Vec<(u16, u64)> {
        self.unsynced.iter().map(|(&f, &n)| (f, n)).collect()
    }

    /// The file ends here from now on, or is the log's no more: nothing behind is zeroed. True: a piece in flight is
    /// behind it, and the file must not be cut before that has ended.
    pub fn forget(&mut self, file: u16, from: u64) -> bool {
        self.take(file, from, u64::MAX);
        if from == 0 {
            self.unsynced.remove(&file);
        }
        self.blocks(file, from, u64::MAX)
    }

    /// Forgets everything; the piece in flight stays.
    pub fn forget_all(&mut self) {
        self.fresh.clear();
        self.bytes = 0;
    }

    /// Nothing to do and nothing in flight.
    pub fn is_idle(&self) -> bool {
        self.fresh.is_empty() && self.piece.is_none()
    }

    /// Bytes that are not initialised durably.
    pub fn uninitialized(&self) -> u64 {
        self.bytes + self.piece.map_or(0, |p| p.len()) + self.unsynced()
    }

    /// Bytes that the log wrote first: the head had caught up.
    pub fn missed(&self) -> u64 {
        self.missed
    }

    /// Checks what can be checked.
    pub fn check(&self) {
        let mut last: Option<((u16, u64), u64)> = None;
        let mut sum = 0;
        for (&(file, start), &end) in &self.fresh {
            assert!(start < end, "a range has bytes");
            assert!(
                last.is_none_or(|((f, _), e)| f != file || e <= start),
                "invariant 1: ranges do not overlap"
            );
            assert!(
                self.piece.is_none_or(|p| !p.meets(file, start, end)),
                "invariant 1: what is in flight is not fresh"
            );
            sum += end - start;
            last = Some(((file, start), end));
        }
        assert_eq!(sum, self.bytes, "the sum of the ranges");
    }
}
