//! A pool that is to be smaller than it has become: the last frames are emptied and give their memory back.
//!
//! ```text
//! frames   0 ……………… limit …………………… emptied ……… high water
//!          used as ever   no page comes in   empty         never used
//! ```
//! From above, a turn takes the frames that nobody pins: dirty pages are written, clean ones leave the table, and the memory of the frames
//! goes to the system. A pinned page ends the turn; the next one goes on there. Where the limit is raised, the empty frames below it are
//! free again. Memory that was made ready beyond the high water goes first.

use std::sync::atomic::Ordering;

use taffrail_base::PAGE_BYTES;
use taffrail_io::IoReason;

use super::pool::BufferPool;
use crate::error::StorageResult;

/// Frames that give their memory back in one turn, at most: 16 MiB.
const TURN_FRAMES: u32 = 2048;

impl BufferPool {
    /// Sets how many frames are used from now on: so many bytes' worth, at least 64, and no more than the pool was made with. Frames
    /// beyond that are emptied turn by turn ([`BufferPool::give_back`]).
    pub fn set_target(&self, bytes: u64) {
        let wanted = u32::try_from(bytes / PAGE_BYTES as u64).unwrap_or(u32::MAX);
        let limit = wanted.max(64).min(self.frames());
        let _sizing = self.sizing.lock();
        let before = self.limit.swap(limit, Ordering::SeqCst);
        self.counters.target_pages.set(limit.into());
        if limit > before {
            let empty = |f: &u32| self.arena().control(*f).key.load(Ordering::Acquire) == 0;
            let end = limit.min(self.high_water.load(Ordering::Relaxed));
            let mut free = self.free.lock();
            free.retain(|frame| *frame < before);
            free.extend((before..end).filter(empty));
            self.emptied.fetch_max(limit, Ordering::Relaxed);
        }
    }

    /// Frames below may hold pages; those from here on hold none.
    pub(super) fn occupied(&self) -> u32 {
        self.high_water.load(Ordering::Relaxed).min(self.emptied.load(Ordering::Relaxed))
    }

    /// The bytes that the pool may use and those beyond that it has not given back yet.
    pub fn in_force(&self) -> u64 {
        let has = self.occupied().max(self.ready.load(Ordering::Relaxed));
        u64::from(self.limit().max(has)) * PAGE_BYTES as u64
    }

    /// Takes a turn at giving back what lies beyond the limit. Returns how many frames went. An error: a page could not be written, and
    /// no frame went.
    pub fn give_back(&self) -> StorageResult<u32> {
        let unused = self.give_back_ready();
        if unused > 0 {
            return Ok(unused);
        }
        let turn = || {
            let top = self.occupied();
            (self.limit().max(top.saturating_sub(TURN_FRAMES)), top)
        };
        let (from, top) = turn();
        if top <= from {
            return Ok(0);
        }
        // Before the lock: who sets a target waits for no device.
        let written = {
            let _why = IoReason::Eviction.begin();
            self.write_dirty(from..top)
        };
        let _sizing = self.sizing.lock();
        let (from, top) = turn();
        let mut low = top;
        while low > from && (self.evict(low - 1) || self.evict_unwritable(low - 1)) {
            low -= 1;
        }
        if low < top {
            // Where the system refuses, the memory stays with frames that may be used again.
            let _ = self.arena().release(low, top - low);
            self.emptied.store(low, Ordering::Relaxed);
            self.free.lock().retain(|frame| *frame < low);
            (low..top).for_each(|frame| self.arena().disown(frame));
        }
        match top.saturating_sub(low) {
            0 => written.map(|_| 0),
            // The database of a page that could not be written says so to whoever uses it.
            went => Ok(went),
        }
    }

    /// Takes a turn at giving back memory that was made ready beyond the limit and that no page has ever come into.
    fn give_back_ready(&self) -> u32 {
        if self.ready.load(Ordering::Relaxed) <= self.limit() {
            return 0;
        }
        // The limit stays, and nobody takes a frame that is new beyond it: those that were used lie below the high water.
        let _sizing = self.sizing.lock();
        let top = self.ready.load(Ordering::Relaxed);
        let floor = self.limit().max(self.high_water.load(Ordering::Relaxed));
        let from = floor.max(top.saturating_sub(TURN_FRAMES));
        let mut low = top;
        while low > from && self.arena().own(low - 1) {
            low -= 1;
        }
        if low < top {
            // As above: where the system refuses, the memory stays.
            let _ = self.arena().release(low, top - low);
            (low..top).for_each(|frame| self.arena().disown(frame));
        }
        // Frames that were used are emptied as such.
        let ready = if low <= floor { self.limit() } else { low };
        self.ready.fetch_min(ready, Ordering::Relaxed);
        top - low
    }
}
