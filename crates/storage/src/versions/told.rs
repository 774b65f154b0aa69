//! Facts about row versions, for views.

use taffrail_base::{HobtId, IndexId, ObjectId};

use crate::database::Database;

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

impl Database {
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
