//! When a committer lets others come first, so that more commits share a write.
//!
//! With as few cores as sessions have to share, a session that has appended its commit record goes on to write at
//! once, while others that are ready to append theirs wait for a processor; their commits then take a write each. One
//! `sched_yield` before the write lets them append first. It costs a microsecond, and pays only in company:
//!
//! 1. Who is alone never yields: the last write that ended had nobody who waited and no other write beside it.
//! 2. Where a yield lasted long, the processor went to somebody who computes, not to a committer: then none is tried for
//!    a while, twice as long each time that this happens again.
//!
//! The numbers are hints: a lost update changes when somebody yields and nothing else.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

/// A yield that lasts longer was none among committers. A processor's slice is some milliseconds, a commit's way to its
/// record some ten microseconds.
const LONG_NS: u64 = 500_000;
/// Commits that do not yield after a long one: the first time, and at most.
const SKIP_FIRST: u32 = 64;
const SKIP_MAX: u32 = 16_384;

/// Whether committers meet, and whether yielding among them has paid.
#[derive(Default, Debug)]
pub(crate) struct Company {
    together: AtomicBool,
    /// So many commits more do not yield.
    skip: AtomicU32,
    /// The last value that `skip` was set to; 0 after a short yield.
    penalty: AtomicU32,
}

impl Company {
    /// A write ended: whether anybody waited for it, waits now, or writes beside it.
    pub fn note(&self, together: bool) {
        // The lone committer's cache line stays clean.
        if self.together.load(Relaxed) != together {
            self.together.store(together, Relaxed);
        }
    }

    /// True: the caller shall yield once and report with [`Company::yielded`].
    pub fn wants_yield(&self) -> bool {
        if !self.together.load(Relaxed) {
            return false;
        }
        match self.skip.load(Relaxed) {
            0 => true,
            left => {
                self.skip.store(left - 1, Relaxed);
                false
            }
        }
    }

    /// A yield lasted so long.
    pub fn yielded(&self, ns: u64) {
        let penalty = match ns > LONG_NS {
            false => 0,
            true => (2 * self.penalty.load(Relaxed)).clamp(SKIP_FIRST, SKIP_MAX),
        };
        self.penalty.store(penalty, Relaxed);
        self.skip.store(penalty, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commits_without_a_yield(company: &Company) -> u32 {
        (0..).take_while(|_| !company.wants_yield()).count() as u32
    }

    #[test]
    fn nobody_yields_alone() {
        let company = Company::default();
        assert!(!company.wants_yield());
        company.note(true);
        assert!(company.wants_yield());
        company.note(false);
        assert!(!company.wants_yield());
    }

    #[test]
    fn long_yields_make_pauses_that_grow_and_a_short_one_ends_them() {
        let company = Company::default();
        company.note(true);
        for pause in [64, 128, 256] {
            company.yielded(LONG_NS + 1);
            assert_eq!(commits_without_a_yield(&company), pause);
        }
        company.yielded(LONG_NS);
        assert_eq!(commits_without_a_yield(&company), 0);
        (0..40).for_each(|_| company.yielded(u64::MAX));
        assert_eq!(commits_without_a_yield(&company), SKIP_MAX);
    }
}
