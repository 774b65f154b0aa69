//! What no snapshot needs goes; what there is no room for ends the oldest snapshots.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::access::directory::Pending;
use crate::database::Database;

impl Database {
    /// Takes away the versions that no snapshot needs, and frees what was held for snapshots. Run by the background tick.
    pub fn sweep_versions(self: &Arc<Self>) {
        self.sweep_own();
        if self.instance.snapshots.bytes() <= self.versions_max() {
            // The transactions that needed more have ended.
            self.versions.sweep_at.store(0, Ordering::Relaxed);
        }
    }

    fn sweep_own(self: &Arc<Self>) {
        let trees = self.versions.all();
        if !trees.is_empty() {
            let moments = self.instance.snapshots.moments();
            trees.iter().for_each(|tree| tree.sweep(&moments));
            drop(trees);
            self.versions.forget_unused();
        }
        if self.release_held() {
            self.free_orphans();
        }
    }

    /// The end of a transaction: where versions have more than their share of memory, some go.
    #[inline]
    pub(crate) fn relieve_versions(self: &Arc<Self>) {
        let snapshots = &self.instance.snapshots;
        if snapshots.bytes()
            > self.versions.sweep_at.load(Ordering::Relaxed).max(self.versions_max())
        {
            self.make_room_for_versions();
        }
    }

    pub(crate) fn versions_max(&self) -> usize {
        self.instance.options.versions_bytes as usize
    }

    #[cold]
    fn make_room_for_versions(self: &Arc<Self>) {
        let snapshots = &self.instance.snapshots;
        // The bytes are those of all databases: a snapshot ends only where nothing else helps.
        snapshots.sweep();
        while snapshots.bytes() > self.versions_max() && snapshots.end_oldest() {
            snapshots.sweep();
        }
        self.sweep_own();
        // What is left is needed by transactions that still run: no sweep soon.
        let left = snapshots.bytes();
        self.versions.sweep_at.store(left + left / 8, Ordering::Relaxed);
    }

    /// Lists what a transaction has left to be freed: at once, or, of one with a number, when no snapshot sees it any more.
    pub(crate) fn list_pending(&self, number: Option<u64>, pending: &mut Vec<Pending>) {
        let Some(number) = number else {
            self.pending_after_rollback.lock().append(pending);
            return;
        };
        self.versions.held.lock().extend(pending.drain(..).map(|what| (number, what)));
        self.release_held();
    }

    /// Lists as free what no snapshot sees any more; true: there is some.
    pub(crate) fn release_held(&self) -> bool {
        let mut held = self.versions.held.lock();
        if held.is_empty() {
            return false;
        }
        let oldest = self.instance.snapshots.moments().oldest();
        let n = held.iter().take_while(|(number, _)| *number <= oldest).count();
        let free = held.drain(..n).map(|(_, what)| what);
        self.pending_after_rollback.lock().extend(free);
        n > 0
    }
}
