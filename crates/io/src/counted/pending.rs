//! Operations that are under way: a fixed number of places, each taken by one compare-and-swap and given back by one store. Who finds
//! none free near his own goes without: he is not shown.

use super::FileOperation;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering::*};
use std::time::Duration;

/// Places. A device has seldom more under way.
const PLACES: usize = 128;
/// So many are tried.
const TRIES: usize = 8;

/// An operation that is under way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PendingIo {
    /// When it began, on the disk's clock.
    pub began: Duration,
    /// What.
    pub operation: FileOperation,
    /// The file's number, as [`super::Watch::named`] gives it.
    pub file: u32,
    /// Where in the file.
    pub offset: u64,
    /// How many bytes.
    pub length: u64,
}

/// 1. `began` is 0 while the place is free; the other cells are written by who has taken it, and `state` says when they are whole.
#[derive(Default)]
#[repr(align(64))]
struct Place {
    /// 0 free, 1 taken, 2 whole.
    state: AtomicU8,
    operation: AtomicU8,
    file: AtomicU32,
    began: AtomicU64,
    offset: AtomicU64,
    length: AtomicU64,
}

/// The operations of a disk that are under way.
pub(super) struct Pending {
    places: Box<[Place]>,
    next: AtomicUsize,
}

/// A place that is taken; nobody's if none was free.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taken(Option<u16>);

impl Pending {
    pub fn new() -> Pending {
        let places = (0..PLACES).map(|_| Place::default()).collect();
        Pending { places, next: AtomicUsize::new(0) }
    }

    /// An operation begins.
    pub fn begin(&self, io: PendingIo) -> Taken {
        let first = self.next.fetch_add(1, Relaxed);
        for n in first..first.wrapping_add(TRIES) {
            let at = n % PLACES;
            let place = &self.places[at];
            if place.state.compare_exchange(0, 1, Acquire, Relaxed).is_ok() {
                place.operation.store(io.operation as u8, Relaxed);
                place.file.store(io.file, Relaxed);
                place.began.store(io.began.as_nanos() as u64, Relaxed);
                place.offset.store(io.offset, Relaxed);
                place.length.store(io.length, Relaxed);
                place.state.store(2, Release);
                return Taken(Some(at as u16));
            }
        }
        Taken(None)
    }

    /// It has ended.
    pub fn end(&self, taken: Taken) {
        if let Some(at) = taken.0 {
            self.places[usize::from(at)].state.store(0, Release);
        }
    }

    /// Those that are under way, the oldest first.
    pub fn all(&self) -> Vec<PendingIo> {
        let read = |p: &Place| {
            if p.state.load(Acquire) != 2 {
                return None;
            }
            let io = PendingIo {
                began: Duration::from_nanos(p.began.load(Relaxed)),
                operation: FileOperation::from_number(p.operation.load(Relaxed))?,
                file: p.file.load(Relaxed),
                offset: p.offset.load(Relaxed),
                length: p.length.load(Relaxed),
            };
            // Another may have taken the place meanwhile: one of the two is shown, or a mixture for the moment of one look.
            (p.state.load(Acquire) == 2).then_some(io)
        };
        let mut all: Vec<PendingIo> = self.places.iter().filter_map(read).collect();
        all.sort_by_key(|io| io.began);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn io(n: u64) -> PendingIo {
        let (operation, began) = (FileOperation::Write, Duration::from_nanos(n));
        PendingIo { began, operation, file: 7, offset: n * 10, length: 1 }
    }

    #[test]
    fn what_has_begun_is_shown_until_it_ends_and_too_many_are_not() {
        let pending = Pending::new();
        let taken: Vec<Taken> = (0..300).map(|n| pending.begin(io(n))).collect();
        let shown = pending.all();
        assert_eq!(shown.len(), PLACES);
        assert_eq!(shown[..2], [io(0), io(1)]);
        taken.into_iter().for_each(|t| pending.end(t));
        assert_eq!(pending.all(), []);
        let one = pending.begin(io(5));
        assert_eq!(pending.all(), [io(5)]);
        pending.end(one);
    }
}
