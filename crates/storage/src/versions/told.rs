//! Facts about row versions, for views.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use taffrail_base::{HobtId, IndexId, ObjectId};

use super::COMMITTING;

use crate::database::Database;
use crate::txn::TxnEntry;

/// The row versions of a database.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct RowVersions {
    /// How many there are.
    pub versions: u64,
    /// Their bytes in memory.
    pub bytes: u64,
    /// The bytes of all that were ever made.
    pub generated_bytes: u64,
}

/// The row versions of a heap or tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TreeRowVersions {
    /// The number of the heap or tree.
    pub hobt: HobtId,
    /// The object that it belongs to.
    pub object: ObjectId,
    /// 0 for a heap, 1 for a clustered index.
    pub index: IndexId,
    /// The versions of its rows.
    pub rows: RowVersions,
}

/// A row as it was before a transaction changed it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RowVersion {
    /// The heap or tree of the row.
    pub hobt: HobtId,
    /// 0 for a heap, 1 for a clustered index.
    pub index: IndexId,
    /// The number under which the transaction has committed; 0: it has not.
    pub sequence: u64,
    /// `transaction_id` of the transaction that changed the row.
    pub transaction: u64,
    /// The key in the tree, or the place in the heap.
    pub key: Arc<[u8]>,
    /// A tree's value, a heap's row.
    pub before: Arc<[u8]>,
}

/// A transaction that notes what the rows were that it changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VersionWriter {
    /// `transaction_id` of the views.
    pub transaction: u64,
    /// The number under which it has begun to write.
    pub sequence: u64,
    /// The number under which it has committed; 0: it has not.
    pub committed: u64,
}

impl VersionWriter {
    /// Whether it ran when a snapshot of this number was taken: the snapshot does not see its changes.
    pub fn ran_at(&self, snapshot: u64) -> bool {
        self.sequence <= snapshot && (self.committed == 0 || self.committed > snapshot)
    }
}

impl Database {
    /// The transactions that note rows and run, and those that have committed while a snapshot was open that needs what they have noted; in
    /// the order in which they began.
    pub fn version_writers(&self) -> Vec<VersionWriter> {
        let mut entries = self.txns.entries();
        self.versions.all().iter().for_each(|tree| tree.writers(&mut entries));
        let told = |by: &Arc<TxnEntry>| VersionWriter {
            transaction: by.number.load(Ordering::Relaxed),
            sequence: by.sequence.load(Ordering::SeqCst),
            // A number that is being given is none yet.
            committed: by.committed.load(Ordering::SeqCst) % COMMITTING,
        };
        let mut all: Vec<VersionWriter> = entries.iter().map(told).collect();
        all.retain(|w| w.sequence != 0);
        all.sort_unstable_by_key(|w| (w.sequence, w.committed));
        all.dedup_by_key(|w| w.sequence);
        all
    }

    /// The rows that have been changed, as they were before: those that versions are kept of, by heap or tree and by key. Rows that were
    /// not there before have no image, and are left out.
    pub fn version_rows(&self) -> Vec<RowVersion> {
        let (mut all, mut of_tree) = (Vec::new(), Vec::new());
        for tree in self.versions.all() {
            tree.befores(&mut of_tree);
            all.extend(of_tree.drain(..).map(|(by, key, before)| RowVersion {
                hobt: tree.hobt,
                index: tree.index,
                // A number that is being given is none yet.
                sequence: by.committed.load(Ordering::SeqCst) % COMMITTING,
                transaction: by.number.load(Ordering::Relaxed),
                key,
                before,
            }));
        }
        // Stable: the versions of a row stay in their order.
        all.sort_by(|a, b| (a.hobt, &a.key).cmp(&(b.hobt, &b.key)));
        all
    }

    /// The versions of each heap and tree that has had any, in order of their numbers.
    pub fn versions_by_tree(&self) -> Vec<TreeRowVersions> {
        let mut all: Vec<_> = self
            .versions
            .all()
            .iter()
            .map(|tree| {
                let (versions, bytes, added) = tree.size();
                TreeRowVersions {
                    hobt: tree.hobt,
                    object: tree.object,
                    index: tree.index,
                    rows: RowVersions {
                        versions: versions as u64,
                        bytes: bytes as u64,
                        generated_bytes: added,
                    },
                }
            })
            .collect();
        all.sort_unstable_by_key(|t| t.hobt);
        all
    }

    /// The versions of the database.
    pub fn row_versions(&self) -> RowVersions {
        let add = |sum: RowVersions, t: TreeRowVersions| RowVersions {
            versions: sum.versions + t.rows.versions,
            bytes: sum.bytes + t.rows.bytes,
            generated_bytes: sum.generated_bytes + t.rows.generated_bytes,
        };
        self.versions_by_tree().into_iter().fold(RowVersions::default(), add)
    }
}
