//! Memory for frames before somebody needs them.
//!
//! A frame that was never used has no memory: the first touch of each of its pages is a fault, and where the machine is a virtual one
//! that gives idle memory back the host has to find the page first. While the pool grows a thread of the server takes these
//! faults ahead of the sessions, many with one call. A pool that has not grown past [`QUIET_FRAMES`] is left alone, so that an
//! idle server costs what it uses.

use std::sync::atomic::Ordering;

use super::pool::BufferPool;

/// Frames that a pool uses before memory is made ready ahead: 16 MiB.
const QUIET_FRAMES: u32 = 2048;
/// Ready frames beyond those in use, at most: 64 MiB.
const AHEAD_FRAMES: u32 = 8192;
/// Frames are made ready in multiples of it: 2 MiB.
const PIECE_FRAMES: u32 = 256;
/// Frames made ready in one turn, at most: 16 MiB.
const TURN_FRAMES: u32 = 2048;

impl BufferPool {
    /// Makes the next frames ready: a quarter as many as are in use, within the pool's limit, and only some of them in one turn.
    /// Returns how many; 0: as many as there are to be are ready. One thread at a time calls it.
    pub fn ready_ahead(&self) -> u32 {
        let _sizing = self.sizing.lock();
        let used = self.high_water.load(Ordering::Relaxed);
        if used < QUIET_FRAMES {
            return 0;
        }
        let upto = used + (used / 4).min(AHEAD_FRAMES);
        let upto = upto.next_multiple_of(PIECE_FRAMES).min(self.limit());
        let from = self.ready.load(Ordering::Relaxed).max(used);
        let count = upto.saturating_sub(from).min(TURN_FRAMES);
        if count == 0 {
            return 0;
        }
        // Without memory, or on a kernel that knows no such call, sessions touch them as before; it is not asked for these again.
        let given = self.arena().populate(from, count).is_ok();
        self.ready.store(from + count, Ordering::Relaxed);
        if given { count } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    fn used(pool: &BufferPool, frames: u32) {
        pool.high_water.store(frames, Ordering::Relaxed);
    }

    fn ready(pool: &BufferPool) -> u32 {
        (0..100).map(|_| pool.ready_ahead()).take_while(|n| *n > 0).sum()
    }

    #[test]
    fn memory_comes_ahead_of_growth_and_never_beyond_the_limit() {
        let pool = BufferPool::new(512 * MIB).unwrap();
        used(&pool, QUIET_FRAMES - 1);
        assert_eq!(ready(&pool), 0, "a small pool is left alone");
        used(&pool, QUIET_FRAMES);
        if pool.arena().populate(0, 1).is_err() {
            return println!("this kernel populates nothing");
        }
        assert_eq!(ready(&pool), QUIET_FRAMES / 4);
        assert_eq!(ready(&pool), 0, "once");
        used(&pool, QUIET_FRAMES + 10);
        assert_eq!(ready(&pool), PIECE_FRAMES, "whole pieces");
        // Growth that was faster: what is in use needs nothing any more. To the end of a piece.
        used(&pool, 40_000);
        assert_eq!(ready(&pool), 189 * PIECE_FRAMES - 40_000);
        pool.set_target(400 * MIB);
        used(&pool, 45_000);
        assert_eq!(ready(&pool), 51_200 - 189 * PIECE_FRAMES);
        used(&pool, 51_200);
        assert_eq!(ready(&pool), 0);
    }

    #[test]
    fn memory_made_ready_beyond_a_smaller_limit_goes() {
        let pool = BufferPool::new(512 * MIB).unwrap();
        used(&pool, 20_000);
        if pool.arena().populate(0, 1).is_err() {
            return println!("this kernel populates nothing");
        }
        let made = ready(&pool);
        assert!(made > 2 * TURN_FRAMES, "{made}");
        let bytes = |frames: u32| u64::from(frames) * taffrail_base::PAGE_BYTES as u64;
        pool.set_target(bytes(20_100));
        assert_eq!(pool.in_force(), bytes(20_000 + made), "nothing has gone yet");
        let went =
            || (0..100).map(|_| pool.give_back().unwrap()).take_while(|n| *n > 0).sum::<u32>();
        assert_eq!(went(), made - 100);
        assert_eq!((pool.in_force(), ready(&pool)), (bytes(20_100), 0));
        pool.set_target(512 * MIB);
        assert_eq!(ready(&pool), made - 100, "ready once more");
    }
}
