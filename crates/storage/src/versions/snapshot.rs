//! Snapshots: moments in the order of commits, and the list of those that somebody reads by.
//!
//! A moment is taken without a mutex: its number is stored into the session's own slot, and the counter of commits is looked at again.
//! Who prunes reads the counter first and the slots afterwards. So of a snapshot that he does not find, the second look comes after his
//! own, and its number is that of his or a later one.

use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use taffrail_base::sync::Mutex;
use taffrail_base::{SessionId, SqlError};

use super::Trees;
use crate::error::{StorageError, StorageResult};

/// Slots that are made together.
const CHUNK: usize = 256;
const CHUNKS: usize = 256;
/// Odd, so that all slots are come by; large, so that a session's second snapshot is not in its neighbour's.
const STRIDE: usize = 40_503;

/// The snapshot was taken from its reader: memory was needed.
const ENDED: u64 = 1 << 63;

/// 0: nobody's; else the snapshot's number.
#[repr(align(64))]
#[derive(Default)]
struct Slot {
    at: AtomicU64,
    session: AtomicU32,
    /// The most versions that were passed over to find one.
    longest: AtomicU32,
    /// Versions that were found, and those that were passed over, them included.
    found: AtomicU64,
    passed: AtomicU64,
}

/// The listener that hears of each snapshot which is ended for want of memory, from the thread that ends it.
type ToldOfVictims = dyn Fn(OpenSnapshot) + Send + Sync;

/// The order of commits, and the snapshots that are open. One for all databases.
pub struct Snapshots {
    /// The number that was given last: to a commit of row versions, or to a transaction that begins to make some.
    given: AtomicU64,
    /// The number of the last commit.
    committed: AtomicU64,
    /// Bytes of all versions.
    pub(super) bytes: AtomicUsize,
    /// The databases that have had versions.
    databases: Mutex<Vec<Weak<Trees>>>,
    chunks: [OnceLock<Box<[Slot]>>; CHUNKS],
    victims: OnceLock<Box<ToldOfVictims>>,
}

/// A moment: what was committed before is seen, what was not is not. While it lives, row versions that it needs are kept.
pub struct Snapshot {
    of: Arc<Snapshots>,
    slot: usize,
    at: u64,
}

/// An open snapshot, for views.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpenSnapshot {
    /// The session that has taken it.
    pub session: SessionId,
    /// Its number: it sees the commits up to there.
    pub sequence: u64,
    /// A number of its own among those that are open.
    pub id: u32,
    /// Its versions have been given up.
    pub ended: bool,
    /// The most versions of a row that were passed over to find the one that it sees.
    pub longest: u32,
    /// How many versions were found by it.
    pub found: u64,
    /// How many were passed over for that, those that were found included.
    pub passed: u64,
}

/// The snapshots that versions are kept for, the present moment among them, and all that are to come.
pub(crate) struct Moments {
    now: u64,
    at: Vec<u64>,
}

impl Moments {
    /// True if one of them lies at or after `from` and before `to`; 0 for `to`: which has not come.
    pub fn between(&self, from: u64, to: u64) -> bool {
        let first = self.at.partition_point(|at| *at < from);
        // A number beyond this moment is one that a snapshot may have by now.
        to == 0 || to > self.now || self.at.get(first).is_some_and(|at| *at < to)
    }

    /// The oldest of them.
    pub fn oldest(&self) -> u64 {
        self.at[0]
    }
}

impl Default for Snapshots {
    fn default() -> Snapshots {
        Snapshots {
            given: AtomicU64::new(1),
            committed: AtomicU64::new(1),
            bytes: AtomicUsize::new(0),
            databases: Mutex::default(),
            chunks: [const { OnceLock::new() }; CHUNKS],
            victims: OnceLock::new(),
        }
    }
}

impl Snapshots {
    /// The number that was given last: a snapshot of now sees all commits up to it.
    pub fn now(&self) -> u64 {
        self.given.load(Ordering::SeqCst)
    }

    /// Bytes of the row versions of all databases.
    pub fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// A snapshot of this moment: of all databases.
    pub fn take(self: &Arc<Self>, session: SessionId) -> StorageResult<Arc<Snapshot>> {
        let first = usize::from(session.0);
        for step in 0..CHUNK * CHUNKS {
            let slot = first.wrapping_add(step * STRIDE) % (CHUNK * CHUNKS);
            let of = self.slot(slot);
            let mut at = self.now();
            let free = of.at.load(Ordering::Relaxed) == 0;
            let orders = (Ordering::SeqCst, Ordering::Relaxed);
            if !free || of.at.compare_exchange(0, at, orders.0, orders.1).is_err() {
                continue;
            }
            of.session.store(session.0.into(), Ordering::Relaxed);
            of.longest.store(0, Ordering::Relaxed);
            of.found.store(0, Ordering::Relaxed);
            of.passed.store(0, Ordering::Relaxed);
            loop {
                taffrail_base::sync::point();
                let now = self.now();
                if now == at {
                    return Ok(Arc::new(Snapshot { of: self.clone(), slot, at }));
                }
                at = now;
                of.at.store(at, Ordering::SeqCst);
            }
        }
        Err(StorageError::Sql(SqlError::new(701, &[&"default"])))
    }

    fn slot(&self, slot: usize) -> &Slot {
        let made = || std::iter::repeat_with(Slot::default).take(CHUNK).collect();
        &self.chunks[slot / CHUNK].get_or_init(made)[slot % CHUNK]
    }

    /// The slots that there are, by number.
    fn slots(&self) -> impl Iterator<Item = (usize, &Slot)> {
        let made = self.chunks.iter().enumerate().filter_map(|(n, c)| Some((n * CHUNK, c.get()?)));
        made.flat_map(|(first, slots)| (first..).zip(slots.iter()))
    }

    /// The snapshots that are open, in no order.
    pub fn open(&self) -> Vec<OpenSnapshot> {
        let found = self.slots().map(|(n, s)| (n, s.at.load(Ordering::SeqCst), s));
        let open = found.filter(|(_, at, _)| *at != 0);
        open.map(|(n, at, s)| s.told(n, at)).collect()
    }

    /// The number of the oldest snapshot that versions are kept for.
    pub fn oldest(&self) -> Option<u64> {
        self.open().iter().filter(|s| !s.ended).map(|s| s.sequence).min()
    }

    /// The moments that versions are needed for from now on.
    pub(crate) fn moments(&self) -> Moments {
        // First: see the module.
        let now = self.now();
        let mut at = vec![now];
        at.extend(self.open().iter().filter(|s| !s.ended).map(|s| s.sequence));
        at.sort_unstable();
        at.dedup();
        Moments { now, at }
    }

    /// Ends the oldest snapshots, all of one moment, for want of memory; false: nobody has committed since the oldest one.
    pub(crate) fn end_oldest(&self) -> bool {
        // Versions of transactions that run are needed whether it ends or not.
        let last = self.committed.load(Ordering::SeqCst);
        let Some(oldest) = self.oldest().filter(|at| *at < last) else { return false };
        for (n, slot) in self.slots() {
            let (done, lost) = (Ordering::SeqCst, Ordering::Relaxed);
            // Before the exchange: afterwards the reader may give the slot up.
            let told_of = slot.told(n, oldest | ENDED);
            let ended = slot.at.compare_exchange(oldest, oldest | ENDED, done, lost).is_ok();
            if ended && let Some(told) = self.victims.get() {
                told(told_of);
            }
        }
        true
    }

    /// The function is called for each snapshot that is ended for want of memory. Only the first that is given counts.
    pub fn tell_victims(&self, told: impl Fn(OpenSnapshot) + Send + Sync + 'static) {
        let _ = self.victims.set(Box::new(told));
    }

    /// A database begins to keep versions.
    pub(super) fn serve(&self, trees: &Arc<Trees>) {
        let new = Arc::downgrade(trees);
        let mut databases = self.databases.lock();
        databases.retain(|d| d.strong_count() > 0 && !d.ptr_eq(&new));
        databases.push(new);
    }

    /// Takes away what no snapshot needs, in all databases.
    pub(super) fn sweep(&self) {
        let moments = self.moments();
        let databases: Vec<_> = self.databases.lock().iter().filter_map(Weak::upgrade).collect();
        for database in databases {
            let trees: Vec<_> = database.lock().values().cloned().collect();
            trees.iter().for_each(|tree| tree.sweep(&moments));
        }
    }

    /// The number of the last snapshot of before: those that are taken from now on have a later one, though nobody commits.
    pub fn part(&self) -> u64 {
        self.next() - 1
    }

    /// The number of a transaction that commits now, or of a change without rows.
    pub fn next(&self) -> u64 {
        let number = self.begin();
        self.committed.fetch_max(number, Ordering::SeqCst);
        number
    }

    /// The number of a transaction that begins to make row versions now: snapshots that have a later one were taken while it ran.
    pub(crate) fn begin(&self) -> u64 {
        self.given.fetch_add(1, Ordering::SeqCst) + 1
    }
}

impl Slot {
    fn told(&self, n: usize, at: u64) -> OpenSnapshot {
        OpenSnapshot {
            session: SessionId(self.session.load(Ordering::Relaxed) as u16),
            sequence: at & !ENDED,
            id: n as u32 + 1,
            ended: at & ENDED != 0,
            longest: self.longest.load(Ordering::Relaxed),
            found: self.found.load(Ordering::Relaxed),
            passed: self.passed.load(Ordering::Relaxed),
        }
    }
}

impl Snapshot {
    /// Its number: it sees the commits up to there.
    pub fn sequence(&self) -> u64 {
        self.at
    }

    /// A version was found by it, and so many were passed over for that, itself included.
    pub(crate) fn found(&self, passed: usize) {
        let slot = self.of.slot(self.slot);
        slot.found.fetch_add(1, Ordering::Relaxed);
        slot.passed.fetch_add(passed as u64, Ordering::Relaxed);
        slot.longest.fetch_max(passed as u32, Ordering::Relaxed);
    }

    /// True if its versions were given up for want of memory: what is read by it is [`StorageError::VersionGone`].
    pub fn is_ended(&self) -> bool {
        self.of.slot(self.slot).at.load(Ordering::SeqCst) & ENDED != 0
    }
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        self.of.slot(self.slot).at.store(0, Ordering::SeqCst);
    }
}

impl std::fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "snapshot at {}", self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_lies_between_two_commits_or_not() {
        let m = Moments { now: 9, at: vec![5, 9] };
        assert!(m.between(5, 6) && m.between(4, 6) && m.between(8, 0) && m.between(0, 10));
        assert!(!m.between(6, 9) && !m.between(0, 5));
        assert!(m.between(10, 0) && m.between(10, 11), "of snapshots that are to come");
    }

    #[test]
    fn a_session_has_as_many_snapshots_as_it_likes() {
        let all = Arc::new(Snapshots::default());
        let taken: Vec<_> = (0..600).map(|_| all.take(SessionId(51)).unwrap()).collect();
        assert_eq!(all.open().len(), 600);
        assert_eq!(all.next(), 2);
        let later = all.take(SessionId(52)).unwrap();
        assert_eq!((all.oldest(), later.sequence()), (Some(1), 2));
        assert!(all.end_oldest() && !all.end_oldest());
        assert!(taken[7].is_ended() && !later.is_ended());
        assert_eq!((all.oldest(), all.moments().oldest()), (Some(2), 2));
        drop((taken, later));
        assert_eq!(all.open(), []);
    }
}
