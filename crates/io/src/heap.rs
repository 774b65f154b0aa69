//! What each thread has on the heap: the process's allocator is the system's, which counts.
//!
//! Figures are of threads, so that counting costs no more than an addition. What one thread takes and another gives back stays in the
//! first one's figure: only differences over a piece of work that one thread does mean anything.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static TAKEN: Cell<isize> = const { Cell::new(0) };
}

struct Counting;

#[global_allocator]
static HEAP: Counting = Counting;

/// Bytes that the calling thread has taken so far, less those that it has given back.
pub fn taken() -> isize {
    TAKEN.get()
}

fn count(bytes: isize) {
    TAKEN.set(TAKEN.get().wrapping_add(bytes));
}

/// Counts memory that was given; a null answer has given none.
#[inline]
fn given(memory: *mut u8, bytes: isize) -> *mut u8 {
    if !memory.is_null() {
        count(bytes);
    }
    memory
}

// SAFETY: each call is handed on to the system's allocator as it came, and its answer handed back. Counting allocates nothing and
// cannot unwind: the figure is a thread-local without a destructor.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are the system's.
        given(unsafe { System.alloc(layout) }, layout.size() as isize)
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are the system's.
        given(unsafe { System.alloc_zeroed(layout) }, layout.size() as isize)
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: `ptr` came from the system's allocator, by the functions of this one.
        unsafe { System.dealloc(ptr, layout) }
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        let more = new_size as isize - layout.size() as isize;
        // SAFETY: `ptr` came from the system's allocator, by the functions of this one.
        given(unsafe { System.realloc(ptr, layout, new_size) }, more)
    }
}

#[cfg(test)]
mod tests {
    use super::taken;

    #[test]
    fn what_is_taken_is_counted_until_it_is_given_back() {
        let before = taken();
        let mut bytes = vec![1u8; 1000];
        assert_eq!(taken() - before, 1000);
        bytes.reserve_exact(4000);
        assert_eq!(taken() - before, 5000);
        let zeros = vec![0u8; 300];
        assert_eq!(taken() - before, 5300);
        drop((bytes, zeros));
        assert_eq!(taken(), before);
    }

    #[test]
    fn memory_that_is_refused_is_not_counted() {
        let mut bytes = vec![1u8; 1000];
        let before = taken();
        assert!(bytes.try_reserve_exact(isize::MAX as usize - 1000).is_err());
        assert_eq!(taken(), before);
    }

    #[test]
    fn threads_count_for_themselves() {
        let before = taken();
        let theirs = std::thread::spawn(|| {
            let before = taken();
            let bytes = vec![1u8; 1 << 20];
            (taken() - before, bytes)
        });
        let (counted, bytes) = theirs.join().unwrap();
        assert_eq!((counted, bytes.len()), (1 << 20, 1 << 20));
        assert!(taken() - before < 1 << 16);
    }
}
