//! Row counts on their way into the directory, before a checkpoint begins, and what changed afterwards, which redo counts again.

use std::collections::HashMap;
use std::sync::Arc;

use taffrail_base::HobtId;
use taffrail_log::Record;

use crate::access::directory;
use crate::access::node::split_entry;
use crate::access::record::row;
use crate::database::Database;
use crate::error::{StorageError, StorageResult};
use crate::layout::DIRECTORY;
use crate::txn::work::Work;

impl Database {
    /// Brings the row counts in the directory up to date, before a checkpoint begins: those of all HoBts whose rows came or went since
    /// their entries were written, even if the number is the same again.
    pub(crate) fn flush_counts(self: &Arc<Self>) -> StorageResult<()> {
        let mut found: Vec<HobtId> = self.found_rows.lock().keys().copied().collect();
        found.sort_unstable();
        for id in found {
            match self.hobt(id) {
                Ok(_) => {}
                // It was dropped later in the log.
                Err(StorageError::NoSuchHobt(_)) => {
                    self.found_rows.lock().remove(&id);
                }
                Err(e) => return Err(e),
            }
        }
        for hobt in self.known_hobts() {
            if hobt.id() == DIRECTORY {
                continue;
            }
            let counts = self.counts.lock();
            let stands = hobt.count_stands();
            let Some(rows) = hobt.take_changed_count() else { continue };
            let mut sys = Work::system(self, "CountDelta");
            sys.in_checkpoint = true;
            let at = self.log().appended().0;
            let noted = directory::update_count(self, &mut sys, hobt.id(), |e| {
                e.rows = rows;
                e.counted_at = at;
            });
            if noted.is_err() {
                hobt.counts_changed();
            }
            drop((stands, counts));
            match noted {
                Ok(()) => sys.commit_system()?,
                Err(e) => {
                    self.abort_system(sys, Vec::new());
                    // Dropped by a transaction that has not ended, or just now.
                    if !matches!(e, StorageError::NoSuchHobt(_)) {
                        return Err(e);
                    }
                }
            }
        }
        Ok(())
    }
}

/// By how much row counts differ from those in the directory, for every HoBt whose rows came or went since its entry was last written.
///
/// A checkpoint writes, before its begin record, the count of each HoBt of which that is true; and an entry says how many rows there are as
/// of its own record ([`crate::Hobt`] sees to that). So, wherever redo begins at or before that checkpoint: a HoBt
/// whose entry is written on the way
/// is counted from the last such record on, and one whose entry is not had no change before the checkpoint.
#[derive(Default)]
pub(super) struct RowCounts {
    pub counts: HashMap<HobtId, i64>,
}

impl RowCounts {
    /// A record, in the order of the log.
    pub fn see(&mut self, r: &Record<'_>) {
        let h = &r.header;
        if h.hobt == DIRECTORY
            && let Some(id) =
                row::whole_row(r).and_then(|row| directory::hobt_of_key(split_entry(row).0))
        {
            self.counts.remove(&id);
        }
        let delta = row::row_delta(r);
        if delta != 0 {
            *self.counts.entry(h.hobt).or_default() += delta;
        }
    }
}
