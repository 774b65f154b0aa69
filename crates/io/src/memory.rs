//! Memory that nothing uses any more.

/// Gives memory that has been freed back to the operating system: the allocator keeps it for later, and a request that has sorted
/// millions of rows would leave it with the process for good. Takes some milliseconds where there is much.
#[allow(unsafe_code)]
pub fn give_back_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        unsafe extern "C" {
            fn malloc_trim(pad: usize) -> i32;
        }
        // SAFETY: glibc's own function; it may be called at any time by any thread and touches only memory that is free.
        unsafe {
            malloc_trim(0);
        }
    }
}
