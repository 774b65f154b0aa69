//! What the runs have met.

/// What was seen, summed over runs: a programme that never meets a split proves nothing about splits.
#[derive(Clone, Copy, Default, Debug)]
pub struct Seen {
    pub runs: u64,
    pub operations: u64,
    pub commits: u64,
    pub delayed_lost: u64,
    pub rollbacks: u64,
    pub savepoint_rollbacks: u64,
    pub splits: u64,
    pub vlf_wraps: u64,
    pub log_growths: u64,
    pub log_full: u64,
    pub data_growths: u64,
    pub checkpoints: u64,
    pub evictions: u64,
    pub torn_writes: u64,
    pub torn_repaired: u64,
    pub crashes: u64,
    pub crashes_in_recovery: u64,
    pub clean_restarts: u64,
    pub lobs: u64,
    pub lobs_changed: u64,
    pub drops: u64,
    pub truncations: u64,
    pub files_altered: u64,
    pub builds: u64,
    pub disk_full: u64,
    pub locked_reads: u64,
    pub emptied: u64,
    pub rolled_back_by_restart: u64,
    pub undo_steps: u64,
    pub blocked_by_undo: u64,
    pub closed_in_undo: u64,
    pub background_writes: u64,
    pub leaves_merged: u64,
    pub leaves_moved: u64,
    pub interior_splits_undone: u64,
}

macro_rules! each_field {
    ($seen:expr, $f:expr, $($name:ident)*) => { $( $f(stringify!($name), &mut $seen.$name); )* };
}

impl Seen {
    pub fn each(&mut self, mut f: impl FnMut(&'static str, &mut u64)) {
        each_field!(self, f, runs operations commits delayed_lost rollbacks savepoint_rollbacks splits vlf_wraps
            log_growths log_full data_growths checkpoints evictions torn_writes torn_repaired crashes
            crashes_in_recovery clean_restarts lobs lobs_changed drops truncations files_altered builds disk_full locked_reads
            emptied rolled_back_by_restart
            undo_steps blocked_by_undo closed_in_undo background_writes leaves_merged leaves_moved interior_splits_undone);
    }

    pub fn add(&mut self, other: &Seen) {
        let mut other = *other;
        let mut values = Vec::new();
        other.each(|_, n| values.push(*n));
        let mut values = values.into_iter();
        self.each(|_, n| *n += values.next().unwrap_or(0));
    }
}
