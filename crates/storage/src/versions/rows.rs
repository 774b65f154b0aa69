//! The versions of the rows of one heap or tree: by key, so that a row keeps them wherever splits and moves put it.
//!
//! A row's versions are a list, oldest first: who changed it, and what it was before. One per transaction: a reader sees all that a
//! transaction did or nothing, so what its first change found is enough.

use std::hash::BuildHasher;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

#[cfg(debug_assertions)]
use foldhash::fast::FixedState as KeyHasher;
#[cfg(not(debug_assertions))]
use foldhash::fast::RandomState as KeyHasher;
use hashbrown::HashMap;
use taffrail_base::sync::{Mutex, thread};
use taffrail_base::{HobtId, IndexId, ObjectId, TransactionId};

use super::marks::Marks;
use super::snapshot::{Moments, Snapshots};
use crate::txn::TxnEntry;

/// Parts of the table, each with a mutex of its own.
const SHARDS: usize = 16;
/// Places of the filter.
const FILTER: usize = 1024;
/// Versions of one row from which on whoever adds one looks which are needed.
const MANY: usize = 4;

/// A row as it was; none: it was not there. A tree's value, a heap's row.
pub(crate) type Image = Option<Arc<[u8]>>;

/// A reader: the moment that it sees, and the transaction whose changes it sees besides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct View {
    pub at: u64,
    pub own: TransactionId,
}

/// In [`TxnEntry`]: its number is being given.
pub(crate) const COMMITTING: u64 = u64::MAX;

/// The number that a transaction has committed under; 0: it has not.
pub(super) fn committed(by: &TxnEntry) -> u64 {
    loop {
        match by.committed.load(Ordering::SeqCst) {
            COMMITTING => thread::yield_now(),
            at => return at,
        }
    }
}

impl View {
    /// Whether it sees what a transaction has done.
    pub(super) fn sees(&self, by: &TxnEntry) -> bool {
        let at = committed(by);
        by.id == self.own || (at != 0 && at <= self.at)
    }
}

struct Version {
    by: Arc<TxnEntry>,
    before: Image,
}

impl Version {
    fn bytes(&self) -> usize {
        size_of::<Version>() + self.before.as_ref().map_or(0, |b| b.len() + 16)
    }
}

struct Chain {
    versions: Vec<Version>,
    /// So many versions are looked through when one is added.
    prune_at: usize,
}

type Shard = HashMap<Arc<[u8]>, Chain, KeyHasher>;

/// Bytes of a row's list, besides key and versions.
const CHAIN_BYTES: usize = size_of::<(Arc<[u8]>, Chain)>() + 32;

/// Versions of the rows of a heap or tree.
pub(crate) struct TreeVersions {
    pub hobt: HobtId,
    pub object: ObjectId,
    pub index: IndexId,
    shards: [Mutex<Shard>; SHARDS],
    /// In debug builds the same in each run: threads that take turns meet in the same parts again.
    hasher: KeyHasher,
    /// Rows that have versions, by some bits of their hash: who finds 0 need not ask.
    filter: Box<[AtomicU32]>,
    /// Rows that have versions, and marks.
    pub(super) busy: AtomicUsize,
    pub(super) marks: Mutex<Marks>,
    /// How many marks there are.
    pub(super) marked: AtomicUsize,
    versions: AtomicUsize,
    bytes: AtomicUsize,
    /// Bytes that were ever added.
    added: AtomicU64,
    all: Arc<Snapshots>,
}

impl TreeVersions {
    pub fn new(hobt: HobtId, object: ObjectId, index: IndexId, all: &Arc<Snapshots>) -> Self {
        let hasher = KeyHasher::default();
        TreeVersions {
            hobt,
            object,
            index,
            shards: std::array::from_fn(|_| Mutex::new(Shard::with_hasher(hasher.clone()))),
            hasher,
            filter: std::iter::repeat_with(AtomicU32::default).take(FILTER).collect(),
            busy: AtomicUsize::new(0),
            marks: Mutex::default(),
            marked: AtomicUsize::new(0),
            versions: AtomicUsize::new(0),
            bytes: AtomicUsize::new(0),
            added: AtomicU64::new(0),
            all: all.clone(),
        }
    }

    /// True if no row has versions, and nothing is marked. Asked under the latch of the page concerned.
    #[inline]
    pub fn is_quiet(&self) -> bool {
        self.busy.load(Ordering::SeqCst) == 0
    }

    /// Versions and their bytes, and the bytes that were ever added.
    pub fn size(&self) -> (usize, usize, u64) {
        let (versions, bytes) = (&self.versions, &self.bytes);
        let added = self.added.load(Ordering::Relaxed);
        (versions.load(Ordering::Relaxed), bytes.load(Ordering::Relaxed), added)
    }

    fn place(&self, key: &[u8]) -> (&Mutex<Shard>, &AtomicU32) {
        let hash = self.hasher.hash_one(key) as usize;
        (&self.shards[hash % SHARDS], &self.filter[hash / SHARDS % FILTER])
    }

    /// A transaction is about to change a row. The caller holds the latch of its page exclusively, and a lock that keeps others from
    /// changing the row. Gives the key, if it is the transaction's first change of it. `full`: there is no memory, and the heap or tree is
    /// marked.
    pub fn note(
        &self,
        by: &Arc<TxnEntry>,
        key: &[u8],
        before: impl FnOnce() -> Image,
        full: bool,
    ) -> Option<Arc<[u8]>> {
        let (shard, filter) = self.place(key);
        let mut shard = shard.lock();
        if let Some((key, chain)) = shard.get_key_value_mut(key) {
            if chain.versions.last().is_some_and(|v| Arc::ptr_eq(&v.by, by)) {
                return None;
            }
            let version = Version { by: by.clone(), before: before() };
            self.add(&version);
            chain.versions.push(version);
            if chain.versions.len() >= chain.prune_at {
                self.prune(chain, &self.all.moments());
            }
            return Some(key.clone());
        }
        // A row with versions gets one, so that its transaction finds its own change; others read nothing here.
        if full {
            return None;
        }
        let version = Version { by: by.clone(), before: before() };
        self.add(&version);
        let key: Arc<[u8]> = key.into();
        self.count(CHAIN_BYTES + key.len() + 16, true);
        filter.fetch_add(1, Ordering::SeqCst);
        self.busy.fetch_add(1, Ordering::SeqCst);
        shard.insert(key.clone(), Chain { versions: vec![version], prune_at: MANY });
        Some(key)
    }

    fn add(&self, version: &Version) {
        self.versions.fetch_add(1, Ordering::Relaxed);
        self.count(version.bytes(), true);
    }

    fn remove(&self, version: &Version) {
        self.versions.fetch_sub(1, Ordering::Relaxed);
        self.count(version.bytes(), false);
    }

    fn count(&self, bytes: usize, more: bool) {
        if more {
            self.bytes.fetch_add(bytes, Ordering::Relaxed);
            self.all.bytes.fetch_add(bytes, Ordering::Relaxed);
            self.added.fetch_add(bytes as u64, Ordering::Relaxed);
        } else {
            self.bytes.fetch_sub(bytes, Ordering::Relaxed);
            self.all.bytes.fetch_sub(bytes, Ordering::Relaxed);
        }
    }

    /// Takes away what none of the moments needs: a version is for those that see what was committed before it, and not itself.
    fn prune(&self, chain: &mut Chain, moments: &Moments) {
        let mut before = 0;
        chain.versions.retain(|version| {
            let at = committed(&version.by);
            let needed = at == 0 || moments.between(before, at);
            if needed {
                before = at;
            } else {
                self.remove(version);
            }
            needed
        });
        chain.prune_at = (chain.versions.len() * 2).max(MANY);
    }

    fn forget(&self, shard: &mut Shard, key: &[u8]) {
        if shard.remove(key).is_some() {
            self.count(CHAIN_BYTES + key.len() + 16, false);
            self.busy.fetch_sub(1, Ordering::SeqCst);
            self.place(key).1.fetch_sub(1, Ordering::SeqCst);
        }
    }

    /// A transaction has undone its changes of a row: the row is what the version says.
    pub fn take_back(&self, by: &TxnEntry, key: &[u8]) {
        let mut shard = self.place(key).0.lock();
        let Some(chain) = shard.get_mut(key) else { return };
        let Some(at) = chain.versions.iter().rposition(|v| std::ptr::eq(&*v.by, by)) else {
            return;
        };
        let version = chain.versions.remove(at);
        self.remove(&version);
        if chain.versions.is_empty() {
            self.forget(&mut shard, key);
        }
    }

    /// The row that a reader sees, where that is not what its page says, and how many versions were passed over to find it. The caller
    /// holds the page's latch.
    #[inline]
    pub fn image(&self, view: View, key: &[u8]) -> Option<(Image, usize)> {
        let (shard, filter) = self.place(key);
        if filter.load(Ordering::SeqCst) == 0 {
            return None;
        }
        let shard = shard.lock();
        let versions = &shard.get(key)?.versions;
        let unseen = versions.iter().rev().take_while(|v| !view.sees(&v.by)).enumerate();
        unseen.last().map(|(n, v)| (v.before.clone(), n + 1))
    }

    /// True if somebody has changed the row whose changes the reader does not see.
    pub fn changed(&self, view: View, key: &[u8]) -> bool {
        let shard = self.place(key).0.lock();
        shard.get(key).and_then(|c| c.versions.last()).is_some_and(|v| !view.sees(&v.by))
    }

    /// True if one of the moments needs a version of the row: its ghost stays. The versions that none of them needs go.
    pub fn keeps(&self, key: &[u8], moments: &Moments) -> bool {
        let (shard, filter) = self.place(key);
        if filter.load(Ordering::SeqCst) == 0 {
            return false;
        }
        let mut shard = shard.lock();
        let Some(chain) = shard.get_mut(key) else { return false };
        self.prune(chain, moments);
        let kept = !chain.versions.is_empty();
        if !kept {
            self.forget(&mut shard, key);
        }
        kept
    }

    /// Adds the transactions whose changes have versions.
    pub(super) fn writers(&self, all: &mut Vec<Arc<TxnEntry>>) {
        for shard in &self.shards {
            for v in shard.lock().values().flat_map(|c| &c.versions) {
                // One that has changed many rows is not told for each.
                if all.last().is_none_or(|last| !Arc::ptr_eq(last, &v.by)) {
                    all.push(v.by.clone());
                }
            }
        }
        self.marks.lock().writers(all);
    }

    /// Adds the rows that were there before transactions changed them, with their keys, each row's oldest first. Rows come in no order.
    pub(super) fn befores(&self, rows: &mut Vec<(Arc<TxnEntry>, Arc<[u8]>, Arc<[u8]>)>) {
        for shard in &self.shards {
            for (key, chain) in shard.lock().iter() {
                let there = chain.versions.iter().filter_map(|v| Some((&v.by, v.before.as_ref()?)));
                rows.extend(there.map(|(by, before)| (by.clone(), key.clone(), before.clone())));
            }
        }
    }

    /// Takes away all that none of the moments needs.
    pub fn sweep(&self, moments: &Moments) {
        if self.is_quiet() {
            return;
        }
        self.sweep_marks(moments);
        for shard in &self.shards {
            let mut shard = shard.lock();
            let mut gone: Vec<Arc<[u8]>> = Vec::new();
            for (key, chain) in shard.iter_mut() {
                self.prune(chain, moments);
                if chain.versions.is_empty() {
                    gone.push(key.clone());
                }
            }
            gone.iter().for_each(|key| self.forget(&mut shard, key));
        }
    }
}

impl Drop for TreeVersions {
    fn drop(&mut self) {
        self.all.bytes.fetch_sub(self.bytes.load(Ordering::Relaxed), Ordering::Relaxed);
    }
}
