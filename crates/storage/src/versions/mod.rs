//! Row versions: what rows were before transactions changed them, for readers that do not wait. See docs/engineering/isolation.md.
//!
//! ```text
//! snapshot  the order of commits; who reads as of when
//! rows      the versions of the rows of a heap or tree, by key
//! marks     changes of more than rows
//! sweep     what nobody needs any more goes, and what there is no room for
//! told      facts for views
//! ```
//! While a database's versions are on, a transaction that is about to change a row puts what the row is into the tree's list, under the
//! latch of the row's page. Who reads by a [`Snapshot`] copies a page and asks for its rows' images under the same latch: so page and
//! images belong together. A row that a snapshot may see lies on a page, alive or as a ghost: ghosts stay while they have versions.
//!
//! A transaction's changes become visible with one store, of its number, after its commit is durable and before its locks are free. One
//! that is rolled back takes its versions away when its changes are undone: meanwhile images and pages say the same.

mod marks;
mod rows;
mod snapshot;
mod sweep;
mod told;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use taffrail_base::sync::Mutex;
use taffrail_base::{HobtId, PageId, SqlError};

use crate::access::directory::Pending;
use crate::access::{Hobt, HobtKind, Rid};
use crate::database::Database;
use crate::error::{StorageError, StorageResult};
use crate::layout::FIRST_USER_HOBT;
use crate::txn::{Transaction, TxnEntry};

pub(crate) use marks::{Mark, PageSeen};
pub(crate) use rows::{COMMITTING, Image, TreeVersions, View};
pub use snapshot::{OpenSnapshot, Snapshot, Snapshots};
pub use told::{RowVersion, RowVersions, TreeRowVersions, VersionWriter};

/// As [`DatabaseVersions::since`]: snapshots do not see the database.
const NEVER: u64 = u64::MAX;

/// The heaps and trees that have had versions, of one database.
pub(crate) type Trees = Mutex<BTreeMap<HobtId, Arc<TreeVersions>>>;

/// A database's row versions.
pub(crate) struct DatabaseVersions {
    /// Transactions that begin note what they change.
    on: AtomicBool,
    /// Snapshots from this number on see the database; [`NEVER`]: none does yet.
    since: AtomicU64,
    /// Ids of transactions that had begun to write without versions.
    without: Mutex<BTreeSet<u64>>,
    trees: Arc<Trees>,
    /// Pages and values that are freed when no snapshot sees them any more, by the number of the transaction that has left them.
    held: Mutex<VecDeque<(u64, Pending)>>,
    /// Bytes of all versions from which on a sweep is worth while.
    sweep_at: AtomicUsize,
}

/// A change that a transaction has noted.
pub(crate) struct NotedChange {
    pub tree: Arc<TreeVersions>,
    pub of: Changed,
}

/// The thing that was changed.
pub(crate) enum Changed {
    /// A row, by its key.
    Row(Arc<[u8]>),
    /// A page that was loaded.
    Page(PageId),
    /// All of a heap or tree.
    Whole(Mark),
}

impl Default for DatabaseVersions {
    fn default() -> DatabaseVersions {
        DatabaseVersions {
            on: AtomicBool::new(false),
            since: AtomicU64::new(NEVER),
            without: Mutex::default(),
            trees: Arc::default(),
            held: Mutex::default(),
            sweep_at: AtomicUsize::new(0),
        }
    }
}

impl DatabaseVersions {
    #[inline]
    pub fn is_on(&self) -> bool {
        self.on.load(Ordering::SeqCst)
    }

    /// The versions of a heap or tree, if it has had any.
    pub fn known(&self, hobt: HobtId) -> Option<Arc<TreeVersions>> {
        self.trees.lock().get(&hobt).cloned()
    }

    /// The versions of a heap or tree.
    pub fn of(&self, hobt: &Hobt, all: &Arc<Snapshots>) -> Arc<TreeVersions> {
        let new = || TreeVersions::new(hobt.id(), hobt.object(), hobt.index(), all);
        self.trees.lock().entry(hobt.id()).or_insert_with(|| Arc::new(new())).clone()
    }

    fn all(&self) -> Vec<Arc<TreeVersions>> {
        self.trees.lock().values().cloned().collect()
    }

    /// Forgets the heaps and trees that have no versions and that nobody uses.
    fn forget_unused(&self) {
        self.trees.lock().retain(|_, tree| !tree.is_quiet() || Arc::strong_count(tree) > 1);
    }
}

/// Whether the rows of a heap or tree have versions: those of the system have none.
pub(crate) fn may_have(hobt: HobtId) -> bool {
    hobt.0 >= FIRST_USER_HOBT
}

impl Database {
    /// From now on transactions that begin to write note what rows were, or do no longer. Snapshots see the database when
    /// [`Database::versions_ready`].
    pub fn set_versions(&self, on: bool) {
        let versions = &self.versions;
        let mut without = versions.without.lock();
        if versions.on.swap(on, Ordering::SeqCst) == on {
            return;
        }
        versions.since.store(NEVER, Ordering::SeqCst);
        without.clear();
        if on {
            self.instance.snapshots.serve(&versions.trees);
            // Whoever comes into the table from now on looks at the switch afterwards.
            let writing = self.txns.entries().into_iter();
            let unnoted = writing.filter(|t| !t.system && !t.notes_rows.load(Ordering::SeqCst));
            without.extend(unnoted.map(|t| t.id.0));
        }
    }

    /// Whether transactions that begin to write note what rows were.
    pub fn versions_on(&self) -> bool {
        self.versions.is_on()
    }

    /// True if versions are on, and the transactions that wrote without them have ended.
    pub fn versions_ready(&self) -> bool {
        let versions = &self.versions;
        if versions.since.load(Ordering::SeqCst) != NEVER {
            return true;
        }
        let mut without = versions.without.lock();
        if !versions.is_on() {
            return false;
        }
        if !without.is_empty() {
            let there: BTreeSet<u64> = self.txns.entries().iter().map(|t| t.id.0).collect();
            without.retain(|id| there.contains(id));
        }
        if without.is_empty() && versions.since.load(Ordering::SeqCst) == NEVER {
            // A number of its own: a snapshot that has it was taken after this.
            versions.since.store(self.instance.snapshots.next(), Ordering::SeqCst);
        }
        without.is_empty()
    }

    /// Whether the database can be read by a snapshot: it was taken when [`Database::versions_ready`].
    pub fn sees(&self, snapshot: &Snapshot) -> bool {
        self.versions_ready() && snapshot.sequence() >= self.versions.since.load(Ordering::SeqCst)
    }
}

/// The outcome of locking a row that a snapshot may have shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Claimed {
    /// It is what the snapshot shows.
    Same,
    /// Somebody has changed or removed it, or put it there, whom the snapshot does not see: 3960.
    Changed,
}

impl Transaction {
    /// The snapshot by which [`crate::ScanLocks::Versions`] reads from now on; gives the one before. One that the database does not
    /// [see](Database::sees) shows nothing: its reads fail.
    pub fn set_snapshot(&mut self, snapshot: Option<Arc<Snapshot>>) -> Option<Arc<Snapshot>> {
        std::mem::replace(&mut self.snapshot, snapshot)
    }

    /// The snapshot by which rows are read.
    pub fn snapshot(&self) -> Option<&Arc<Snapshot>> {
        self.snapshot.as_ref()
    }

    /// The moment that reads are of.
    #[inline]
    pub(crate) fn view(&self) -> StorageResult<View> {
        match &self.snapshot {
            Some(snapshot) => Ok(View { at: snapshot.sequence(), own: self.id() }),
            None => Err(StorageError::Misuse("a read of row versions without a snapshot")),
        }
    }

    /// The row that the snapshot shows, where that is not what its page says. The caller holds the page's latch.
    #[inline]
    pub(crate) fn image_of(
        &self,
        versions: &TreeVersions,
        view: View,
        key: &[u8],
    ) -> Option<Image> {
        let (image, passed) = versions.image(view, key)?;
        if let Some(snapshot) = &self.snapshot {
            snapshot.found(passed);
        }
        Some(image)
    }

    /// The content of a page for the snapshot. The caller holds its latch.
    #[inline]
    pub(crate) fn page_seen(
        &self,
        versions: &TreeVersions,
        view: View,
        page: PageId,
    ) -> StorageResult<PageSeen> {
        match versions.seen(view, page) {
            PageSeen::Unknown(Mark::Unkept) => Err(StorageError::VersionGone),
            PageSeen::Unknown(_) => {
                Err(StorageError::Sql(SqlError::new(3961, &[&self.database().name()])))
            }
            seen => Ok(seen),
        }
    }

    /// Whether the snapshot can read a heap or tree that has no page now: it may have been emptied.
    pub(crate) fn nothing_seen(&self, hobt: &Hobt) -> StorageResult<()> {
        let view = self.view()?;
        if let Some(versions) = hobt.versions() {
            self.page_seen(versions, view, PageId::NONE)?;
        }
        self.view_stands()
    }

    /// Asked after images were: they were all there.
    #[inline]
    pub(crate) fn view_stands(&self) -> StorageResult<()> {
        match &self.snapshot {
            // In a suspect database nobody has undone what is on its pages.
            Some(snapshot) if !snapshot.is_ended() => self.database().store.check(),
            _ => Err(StorageError::VersionGone),
        }
    }

    /// True if a row, a tree's by its key or a heap's by the bytes of its [`Rid`], was changed by somebody whom the transaction's
    /// snapshot does not see. Whoever has locked the row has an answer that lasts.
    pub fn changed_since(&self, hobt: &Hobt, locator: &[u8]) -> StorageResult<bool> {
        let view = self.view()?;
        let mut changed = false;
        if let Some(versions) = hobt.versions() {
            let page = match (hobt.kind(), locator.try_into()) {
                (HobtKind::Heap, Ok(rid)) => Rid::from_bytes(rid).page,
                _ => PageId::NONE,
            };
            let seen = self.page_seen(versions, view, page)?;
            changed = seen == PageSeen::Empty || versions.changed(view, locator);
        }
        self.view_stands()?;
        Ok(changed)
    }

    /// [`Transaction::changed_since`] of a row that is locked.
    pub(crate) fn claimed(&self, hobt: &Hobt, locator: &[u8]) -> StorageResult<Claimed> {
        let changed = self.changed_since(hobt, locator)?;
        Ok(if changed { Claimed::Changed } else { Claimed::Same })
    }

    /// [`Transaction::changed_since`] of a heap's row.
    pub fn changed_since_rid(&self, hobt: &Hobt, rid: Rid) -> StorageResult<bool> {
        self.changed_since(hobt, &rid.to_bytes())
    }
}

impl TxnEntry {
    /// Its changes are seen by who comes from now on, all at once.
    pub(crate) fn commit_versions(&self, snapshots: &Snapshots) -> u64 {
        // Readers that meet this wait for the number: it may be one that they see.
        self.committed.store(COMMITTING, Ordering::SeqCst);
        let number = snapshots.next();
        taffrail_base::sync::point();
        self.committed.store(number, Ordering::SeqCst);
        number
    }

    /// The number of its commit among those with row versions; none: it has not committed, or changed nothing that has versions.
    pub fn commit_sequence(&self) -> Option<u64> {
        let at = self.committed.load(Ordering::SeqCst);
        (at != 0 && at != COMMITTING).then_some(at)
    }

    /// The number under which it has begun to write, where it notes rows; else 0.
    pub fn begin_sequence(&self) -> u64 {
        self.sequence.load(Ordering::SeqCst)
    }

    /// How many rows it has noted.
    pub(crate) fn noted(&self) -> usize {
        self.notes.lock().len()
    }

    /// Takes back the notes behind that many: the changes that they were made for have been undone.
    pub(crate) fn take_back(&self, noted: usize) {
        let undone = {
            let mut notes = self.notes.lock();
            let from = noted.min(notes.len());
            notes.split_off(from)
        };
        for change in undone.iter().rev() {
            match &change.of {
                Changed::Row(key) => change.tree.take_back(self, key),
                Changed::Page(page) => change.tree.unmark_page(self, *page),
                Changed::Whole(mark) => change.tree.unmark(self, *mark),
            }
        }
    }

    /// It has ended: its versions are those of a transaction that has committed, or go.
    pub(crate) fn end_versions(&self) {
        match self.commit_sequence() {
            Some(_) => drop(std::mem::take(&mut *self.notes.lock())),
            None => self.take_back(0),
        }
    }
}
