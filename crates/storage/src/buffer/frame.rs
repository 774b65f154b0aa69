//! The frames: one mapping of 4096-aligned pages, touched as they are used or shortly before, and a control block for each.
//!
//! This is the only module of the crate with `unsafe`: it turns "holds the latch" into a reference to the page.
//!
//! Invariants:
//! 1. A frame's bytes are read only under its latch (shared or exclusive) and written only under its exclusive latch.
//! 2. A latch is taken only by a thread that holds a pin, and every guard keeps its pin until after its latch is gone.
//! 3. While [`EVICTING`] is set in `pins`, one thread owns the frame, nobody holds a latch, and no pin succeeds.

use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering};

use taffrail_base::PAGE_BYTES;
use taffrail_observe::{WaitType, wait};

use super::told;
use crate::page::Page;

mod latch;

use latch::Latch;

/// The bit of `pins` that says that the frame is being given to another page.
pub(super) const EVICTING: u32 = 1 << 31;

/// Bytes of the mapping for each frame: a page and its control block.
const FRAME_BYTES: usize = PAGE_BYTES + size_of::<Control>();

/// The facts about a frame. Valid when all its bits are zero: an empty frame.
#[repr(C, align(64))]
pub(super) struct Control {
    /// Database (16 bits) and page (48 bits); 0 = none. Changes only while the frame is owned (invariant 3).
    pub key: AtomicU64,
    pub pins: AtomicU32,
    latch: Latch,
    /// Position from which on redo would be needed; 0 = clean.
    pub first_dirty: AtomicU64,
    /// Position of the format record that made the page since it came into the pool; 0 = it came from disk.
    pub format_pos: AtomicU64,
    /// Raised by every change of the page.
    pub changes: AtomicU32,
    /// Set when the page is in the frame; false while it is read and after that failed.
    pub valid: AtomicBool,
    /// Clock hands that may pass before eviction.
    pub recent: AtomicU8,
    /// In the dirty list of its database.
    pub listed: AtomicBool,
}

/// One mapping: the pages, then their control blocks. The kernel gives memory to what is touched, so a pool costs what
/// is used of it. (An over-aligned zeroed `Box` would be written through, 64 bytes for each frame, at every start.)
///
/// The kernel is not asked for large pages: on a virtual machine whose host takes free memory back they come from what was taken, 32 µs of
/// the processor for each 8 KiB, where small ones come from what was used lately, for 4.
pub(super) struct Arena {
    base: NonNull<u8>,
    frames: usize,
}

#[allow(unsafe_code)]
mod raw {
    use super::*;
    use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous, munmap};

    const _: () = assert!(size_of::<Control>() == 64);

    // SAFETY: the mapping is plain memory; invariants 1 and 2 order all access to it.
    unsafe impl Send for Arena {}
    // SAFETY: as above.
    unsafe impl Sync for Arena {}

    impl Arena {
        /// `frames` empty frames. No memory is touched.
        pub fn new(frames: usize) -> std::io::Result<Arena> {
            // SAFETY: a new private anonymous mapping; the kernel chooses the address, page-aligned.
            let base = unsafe {
                mmap_anonymous(
                    std::ptr::null_mut(),
                    frames * FRAME_BYTES,
                    ProtFlags::READ | ProtFlags::WRITE,
                    MapFlags::PRIVATE | MapFlags::NORESERVE,
                )
            }?;
            let base = NonNull::new(base.cast::<u8>())
                .ok_or_else(|| std::io::Error::other("mmap gave address zero"))?;
            Ok(Arena { base, frames })
        }

        /// Gives memory to frames before anybody uses them; what they hold stays. An error: the kernel cannot do so ahead of need,
        /// or has no memory.
        pub fn populate(&self, from: u32, count: u32) -> std::io::Result<()> {
            assert!(from as usize + count as usize <= self.frames);
            // SAFETY: in bounds of the mapping by the assertion; the kernel makes the pages present and changes no content, so others
            // may use them meanwhile.
            unsafe {
                let first = self.base.as_ptr().add(from as usize * PAGE_BYTES);
                madvise(first.cast(), count as usize * PAGE_BYTES, Advice::LinuxPopulateWrite)?;
            }
            Ok(())
        }

        /// Gives the memory of frames back; they hold zeroes then. The caller owns all of them, and they have no page. An error: the memory
        /// stays with them.
        pub fn release(&self, from: u32, count: u32) -> std::io::Result<()> {
            assert!(from as usize + count as usize <= self.frames);
            let owned = |f| self.control(f).pins.load(Ordering::Relaxed) & EVICTING != 0;
            assert!((from..from + count).all(owned), "who gives memory back owns it");
            // SAFETY: in bounds of the mapping by the assertion; the frames are owned, so nobody has a reference to these pages
            // (invariant 3), and zeroes are what a new frame holds.
            unsafe {
                let first = self.base.as_ptr().add(from as usize * PAGE_BYTES);
                madvise(first.cast(), count as usize * PAGE_BYTES, Advice::LinuxDontNeed)?;
            }
            Ok(())
        }

        #[inline]
        pub fn control(&self, frame: u32) -> &Control {
            assert!((frame as usize) < self.frames);
            // SAFETY: in bounds of the mapping by the assertion, aligned since pages are larger than the blocks are
            // aligned; a control block of zero bits is valid (atomics of 0, false, and the latch by the assertion
            // above), and only shared references to it are ever made.
            unsafe {
                let controls = self.base.as_ptr().add(self.frames * PAGE_BYTES).cast::<Control>();
                &*controls.add(frame as usize)
            }
        }

        fn page_ptr(&self, frame: u32) -> *mut Page {
            assert!((frame as usize) < self.frames);
            // SAFETY: in bounds of the mapping by the assertion.
            unsafe { self.base.as_ptr().add(frame as usize * PAGE_BYTES).cast::<Page>() }
        }
    }

    impl Drop for Arena {
        fn drop(&mut self) {
            // SAFETY: the mapping of `new`; guards borrow the arena, so none is left.
            let unmapped = unsafe { munmap(self.base.as_ptr().cast(), self.frames * FRAME_BYTES) };
            debug_assert!(unmapped.is_ok());
        }
    }

    impl<'p> std::ops::Deref for ReadGuard<'p> {
        type Target = Page;
        #[inline]
        fn deref(&self) -> &Page {
            // SAFETY: the shared latch is held (invariant 1); all bit patterns are valid bytes.
            unsafe { &*self.0.arena.page_ptr(self.0.frame) }
        }
    }

    impl<'p> std::ops::Deref for WriteGuard<'p> {
        type Target = Page;
        #[inline]
        fn deref(&self) -> &Page {
            // SAFETY: the exclusive latch is held.
            unsafe { &*self.0.arena.page_ptr(self.0.frame) }
        }
    }

    impl<'p> std::ops::DerefMut for WriteGuard<'p> {
        #[inline]
        fn deref_mut(&mut self) -> &mut Page {
            // SAFETY: the exclusive latch is held, and this guard is borrowed mutably.
            unsafe { &mut *self.0.arena.page_ptr(self.0.frame) }
        }
    }

    impl Drop for ReadGuard<'_> {
        #[inline]
        fn drop(&mut self) {
            self.0.control().latch.release_shared();
        }
    }

    impl Drop for WriteGuard<'_> {
        #[inline]
        fn drop(&mut self) {
            self.0.control().latch.release_exclusive();
        }
    }

    impl<'p> WriteGuard<'p> {
        /// Becomes a shared guard without letting anyone in between.
        pub fn downgrade(self) -> ReadGuard<'p> {
            let this = std::mem::ManuallyDrop::new(self);
            // The exclusive latch is held; after this the shared one.
            this.0.control().latch.downgrade();
            // SAFETY: the pin is moved out of a value that is never dropped or used again.
            ReadGuard(unsafe { std::ptr::read(&this.0) })
        }
    }
}

/// A frame that cannot be evicted while this lives.
pub struct Pin<'p> {
    pub(super) arena: &'p Arena,
    pub(super) frame: u32,
}

impl Drop for Pin<'_> {
    #[inline]
    fn drop(&mut self) {
        let before = self.control().pins.fetch_sub(1, Ordering::Release);
        debug_assert!(before & !EVICTING > 0, "unpinned more often than pinned");
    }
}

/// A pinned frame under its shared latch.
pub struct ReadGuard<'p>(Pin<'p>);

/// A pinned frame under its exclusive latch.
pub struct WriteGuard<'p>(Pin<'p>);

impl Arena {
    pub fn frames(&self) -> u32 {
        self.frames as u32
    }

    /// Pins a frame, unless it is being evicted.
    #[inline]
    pub fn pin(&self, frame: u32) -> Option<Pin<'_>> {
        let pins = &self.control(frame).pins;
        if pins.fetch_add(1, Ordering::Acquire) & EVICTING != 0 {
            pins.fetch_sub(1, Ordering::Release);
            return None;
        }
        Some(Pin { arena: self, frame })
    }

    /// Becomes the owner of an unpinned frame (invariant 3).
    pub fn own(&self, frame: u32) -> bool {
        self.control(frame)
            .pins
            .compare_exchange(0, EVICTING, Ordering::AcqRel, Ordering::Relaxed)
            .is_ok()
    }

    /// Gives up the ownership of a frame.
    pub fn disown(&self, frame: u32) {
        self.control(frame).pins.fetch_and(!EVICTING, Ordering::Release);
    }

    /// Turns ownership into a pin.
    pub fn owned_to_pin(&self, frame: u32) -> Pin<'_> {
        // Add first: at no moment is the frame neither owned nor pinned.
        let pins = &self.control(frame).pins;
        pins.fetch_add(1, Ordering::Relaxed);
        pins.fetch_and(!EVICTING, Ordering::Release);
        Pin { arena: self, frame }
    }
}

impl<'p> Pin<'p> {
    #[inline]
    pub(super) fn control(&self) -> &'p Control {
        self.arena.control(self.frame)
    }

    fn wait_type(&self, io: WaitType, latch: WaitType) -> WaitType {
        if self.control().valid.load(Ordering::Relaxed) { latch } else { io }
    }

    /// Waits for the latch.
    #[cold]
    fn awaited(&self, io: WaitType, in_memory: WaitType, take: impl FnOnce()) {
        let key = self.control().key.load(Ordering::Relaxed);
        let exclusive = in_memory == WaitType::PageLatchEx;
        told::latch_waits(key, exclusive);
        let waiting = wait(self.wait_type(io, in_memory));
        take();
        told::latch_taken(key, exclusive, waiting.finish());
    }

    /// Latches shared, waiting if need be.
    #[inline]
    pub fn read(self) -> ReadGuard<'p> {
        let latch = &self.control().latch;
        if !latch.try_shared() {
            self.awaited(WaitType::PageIoLatchSh, WaitType::PageLatchSh, || latch.shared());
        }
        ReadGuard(self)
    }

    /// Latches exclusively, waiting if need be.
    #[inline]
    pub fn write(self) -> WriteGuard<'p> {
        let latch = &self.control().latch;
        if !latch.try_exclusive() {
            self.awaited(WaitType::PageIoLatchEx, WaitType::PageLatchEx, || latch.exclusive());
        }
        WriteGuard(self)
    }

    /// Latches shared if nobody holds it exclusively.
    pub fn try_read(self) -> Result<ReadGuard<'p>, Pin<'p>> {
        if self.control().latch.try_shared() { Ok(ReadGuard(self)) } else { Err(self) }
    }
}

impl ReadGuard<'_> {
    #[inline]
    pub(super) fn control(&self) -> &Control {
        self.0.control()
    }

    /// Where the page is: a hint for later, see [`super::BufferPool::hinted`].
    #[inline]
    pub fn frame(&self) -> u32 {
        self.0.frame
    }
}

impl WriteGuard<'_> {
    #[inline]
    pub(super) fn control(&self) -> &Control {
        self.0.control()
    }

    /// Where the page is: a hint for later, see [`super::BufferPool::hinted`].
    #[inline]
    pub fn frame(&self) -> u32 {
        self.0.frame
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_aligned_zeroed_and_exclusive() {
        let arena = Arena::new(16).unwrap();
        assert!(arena.own(3));
        assert!(arena.pin(3).is_none() && !arena.own(3));
        let mut g = arena.owned_to_pin(3).write();
        assert_eq!(g.0.arena.frames(), 16);
        assert!(g.bytes().iter().all(|&b| b == 0));
        assert_eq!(g.bytes().as_ptr() as usize % 4096, 0);
        g.bytes_mut()[5] = 9;
        assert!(!arena.own(3));
        let r = g.downgrade();
        let second = arena.pin(3).unwrap().read();
        assert_eq!(second.bytes()[5], 9);
        assert_eq!(r.control().pins.load(Ordering::Relaxed), 2);
        drop((r, second));
        assert!(arena.own(3));
        arena.disown(3);
        assert!(arena.pin(3).unwrap().try_read().is_ok());
    }

    /// Page faults of this thread that needed no disk.
    fn faults() -> u64 {
        let stat = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
        let fields = stat.rsplit(')').next().unwrap();
        fields.split_whitespace().nth(7).unwrap().parse().unwrap()
    }

    #[test]
    fn frames_that_were_populated_keep_their_content_and_fault_no_more() {
        const FRAMES: u32 = 8192;
        let arena = Arena::new(FRAMES as usize).unwrap();
        let write = |frame: u32| {
            assert!(arena.own(frame));
            let mut g = arena.owned_to_pin(frame).write();
            g.bytes_mut()[4096] += 1;
            g.bytes_mut()[7] = 9;
            g.bytes()[4096]
        };
        // Control blocks lie in memory of their own.
        (0..FRAMES).for_each(|f| assert!(arena.own(f)));
        (0..FRAMES).for_each(|f| arena.disown(f));
        let first = 500;
        assert_eq!(write(first), 1);
        if arena.populate(first, 1000).is_err() {
            return println!("this kernel populates nothing");
        }
        assert_eq!(write(first), 2, "it stays");
        let before = faults();
        let rest = first + 1..first + 1000;
        assert!(rest.clone().all(|f| write(f) == 1), "empty");
        let taken = faults() - before;
        assert!(taken < 16, "{taken} faults of {} frames", rest.len());
        // Given back they are empty again, and their neighbours are as they were.
        (first..first + 10).for_each(|f| assert!(arena.own(f)));
        arena.release(first, 10).unwrap();
        (first..first + 10).for_each(|f| arena.disown(f));
        assert_eq!((write(first), write(first + 9), write(first + 10)), (1, 1, 2));
    }

    #[test]
    fn writers_exclude_each_other() {
        let arena = Arena::new(1).unwrap();
        std::thread::scope(|s| {
            for _ in 0..4 {
                s.spawn(|| {
                    for _ in 0..10_000 {
                        let mut g = arena.pin(0).unwrap().write();
                        let lsn = g.lsn_raw();
                        g.set_lsn_raw(lsn + 1);
                    }
                });
            }
        });
        assert_eq!(arena.pin(0).unwrap().read().lsn_raw(), 40_000);
    }
}
