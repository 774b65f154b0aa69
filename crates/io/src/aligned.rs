//! Memory for direct I/O: its address is a multiple of 4096, whatever its length.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

/// The alignment of every [`AlignedBuf`]: enough for direct I/O on any device that we accept.
pub const ALIGNMENT: usize = 4096;

/// A zeroed, 4096-aligned, owned piece of memory of a fixed length.
///
/// Invariants: (1) `base` came from the global allocator with `layout(len)` and is freed once, in `drop`;
/// (2) the `len` bytes from `ptr` on lie within it and are initialised (allocated zeroed, and only ever written through `&mut [u8]`).
pub struct AlignedBuf {
    base: NonNull<u8>,
    ptr: NonNull<u8>,
    len: usize,
}

/// From here on an allocator hands out fresh pages of the system, which are zero already, unless it is asked for an alignment.
const LARGE: usize = 256 << 10;

#[allow(unsafe_code)]
mod raw {
    use super::*;

    // SAFETY: the buffer is plain memory owned by one value; nothing in it is tied to a thread.
    unsafe impl Send for AlignedBuf {}
    // SAFETY: shared access gives `&[u8]` only.
    unsafe impl Sync for AlignedBuf {}

    fn layout(len: usize) -> Layout {
        let layout = match len < LARGE {
            true => Layout::from_size_align(len.max(1), ALIGNMENT),
            // Aligned by hand: an aligned allocation is zeroed byte by byte, also where few of them are used in the end.
            false => Layout::from_size_align(len.saturating_add(ALIGNMENT), 1),
        };
        // A length near isize::MAX is a bug of the caller: no buffer of the engine comes near.
        layout.expect("length of an aligned buffer")
    }

    impl AlignedBuf {
        /// `len` zero bytes.
        pub fn zeroed(len: usize) -> AlignedBuf {
            let layout = layout(len);
            // SAFETY: the layout's size is at least 1.
            let base = unsafe { alloc_zeroed(layout) };
            let Some(base) = NonNull::new(base) else { handle_alloc_error(layout) };
            let skip = base.as_ptr().align_offset(ALIGNMENT);
            // SAFETY: below ALIGNMENT, so that `len` bytes follow: where the base is not aligned so many more were asked for.
            let ptr = unsafe { base.add(skip) };
            AlignedBuf { base, ptr, len }
        }
    }

    impl Drop for AlignedBuf {
        fn drop(&mut self) {
            // SAFETY: invariant (1).
            unsafe { dealloc(self.base.as_ptr(), layout(self.len)) }
        }
    }

    impl Deref for AlignedBuf {
        type Target = [u8];
        fn deref(&self) -> &[u8] {
            // SAFETY: invariants (1) and (2); the borrow of self keeps the memory alive and unwritten.
            unsafe { std::slice::from_raw_parts(self.ptr.as_ptr(), self.len) }
        }
    }

    impl DerefMut for AlignedBuf {
        fn deref_mut(&mut self) -> &mut [u8] {
            // SAFETY: invariants (1) and (2); the mutable borrow of self makes the access exclusive.
            unsafe { std::slice::from_raw_parts_mut(self.ptr.as_ptr(), self.len) }
        }
    }
}

impl AlignedBuf {
    /// A copy of some bytes.
    pub fn from_slice(data: &[u8]) -> AlignedBuf {
        let mut b = AlignedBuf::zeroed(data.len());
        b.copy_from_slice(data);
        b
    }
}

impl std::fmt::Debug for AlignedBuf {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "AlignedBuf({} bytes)", self.len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_aligned_and_zeroed() {
        for len in [0, 1, 512, 4096, 61_440, LARGE - 1, LARGE, LARGE + 1, 5 << 20] {
            let mut b = AlignedBuf::zeroed(len);
            assert_eq!(b.as_ptr() as usize % ALIGNMENT, 0);
            assert!(b.iter().all(|&x| x == 0));
            b.fill(7);
            assert_eq!(b.len(), len);
        }
    }
}
