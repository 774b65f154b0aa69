//! What clients have sent and requests are made of: bytes that are kept until the request has ended, finished or not.
//!
//! 1. A request's bytes are at most the memory that its statements may have, too.
//! 2. All together are at most half of the memory of all requests: however many clients send without an end, the server goes on.
//! 3. The first [`FREE`] bytes of each are nobody's business: small requests go on beside large ones.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use taffrail_engine::Instance;

/// Bytes of a request that are not counted.
const FREE: usize = 64 << 10;
/// Bytes are taken from what all have in pieces of this size.
const PIECE: usize = 256 << 10;

/// Bytes that all clients' requests keep.
pub(crate) struct Received {
    instance: Arc<Instance>,
    /// Never more than [`Received::most`] was when it was added to.
    bytes: AtomicUsize,
}

/// Why no more of a request is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TooMuch {
    /// It is larger than a request may be, in bytes.
    Of(usize),
    /// Those of all clients together are, with it.
    Together(usize),
}

impl fmt::Display for TooMuch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mb = |bytes: &usize| bytes >> 20;
        match self {
            TooMuch::Of(most) => {
                write!(f, "a request of more than {} MB, the memory of one", mb(most))
            }
            TooMuch::Together(most) => {
                let most = mb(most);
                write!(f, "the requests of all clients together are larger than {most} MB with it")
            }
        }
    }
}

impl Received {
    pub(crate) fn new(instance: Arc<Instance>) -> Received {
        Received { instance, bytes: AtomicUsize::new(0) }
    }

    fn most(&self) -> usize {
        let mb = self.instance.databases().memory_of_requests_mb();
        usize::try_from(mb << 19).unwrap_or(usize::MAX)
    }
}

/// Bytes that the request of a connection keeps.
pub(crate) struct Kept {
    of: Option<Arc<Received>>,
    bytes: usize,
}

impl Kept {
    /// Of a connection that has not logged in: it is counted nowhere, its messages are short.
    pub(crate) fn before_login() -> Kept {
        Kept { of: None, bytes: 0 }
    }

    /// The count of a session, which is empty.
    pub(crate) fn counted(of: Arc<Received>) -> Kept {
        Kept { of: Some(of), bytes: 0 }
    }

    /// The request keeps so many bytes now; it never keeps fewer before it has ended.
    pub(crate) fn grows_to(&mut self, bytes: usize) -> Result<(), TooMuch> {
        let Some(of) = &self.of else { return Ok(()) };
        if bytes <= FREE || bytes <= self.bytes {
            return Ok(());
        }
        let share = of.instance.query_memory_limit();
        if bytes > share {
            return Err(TooMuch::Of(share));
        }
        let more = bytes.next_multiple_of(PIECE) - self.bytes;
        let most = of.most();
        let add = |all: usize| all.checked_add(more).filter(|all| *all <= most);
        match of.bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add) {
            Ok(_) => self.bytes += more,
            Err(_) => return Err(TooMuch::Together(most)),
        }
        Ok(())
    }

    /// The request has ended.
    pub(crate) fn ends(&mut self) {
        if let Some(of) = &self.of {
            of.bytes.fetch_sub(std::mem::take(&mut self.bytes), Ordering::Relaxed);
        }
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.ends();
    }
}
