//! A pool that is to be smaller than it has become: the last frames are emptied and give their memory back.
//!
//! ```text
//! frames   0 ……………… limit …………………… emptied ……… high water
//!          used as ever   no page comes in   empty         never used
//! ```
//! From above, a turn takes the frames that nobody pins: dirty pages are written, clean ones leave the table, and the memory of the frames
//! goes to the system. A pinned page ends the turn; the next one goes on there. Where the limit is raised, the empty frames below it are
//! free again.

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
        u64::from(self.limit().max(self.occupied())) * PAGE_BYTES as u64
    }

    /// Takes a turn at giving back what lies beyond the limit. Returns how many frames went.
    pub fn give_back(&self) -> StorageResult<u32> {
        if self.occupied() <= self.limit() {
            return Ok(0);
        }
        let _sizing = self.sizing.lock();
        let top = self.occupied();
        let from = self.limit().max(top.saturating_sub(TURN_FRAMES));
        let written = {
            let _why = IoReason::Eviction.begin();
            self.write_dirty(from..top)
        };
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
        written.map(|_| top - low)
    }
}
