//! When a committer lets others come first, so that more commits share a write.
//!
//! With as few cores as sessions have to share, a session that has appended its commit record goes on to write at
//! once, while others that are ready to append theirs wait for a processor; their commits then take a write each. One
//! `sched_yield` before the write lets them append first. It costs a microsecond, and pays only in company:
//!
//! 1. Who is alone never yields: the last write that ended had nobody who waited and no other write beside it.
//! 2. Where a yield lasted long, the processor went to somebody who computes, not to a committer: then none is tried for
//!    a while, twice as long each time that this happens again, and half as long again only after as many short yields.
//!    (One short yield proves nothing: with a compiler running beside the server every tenth yield took a slice of the
//!    processor, milliseconds, and the nine others would each have forgiven it.)
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
    /// What `skip` was set to last; halved whenever as many yields in a row were short.
    penalty: AtomicU32,
    /// Short yields since the last long one, or since `penalty` was halved.
    short: AtomicU32,
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
        let penalty = self.penalty.load(Relaxed);
        if ns > LONG_NS {
            let penalty = (2 * penalty).clamp(SKIP_FIRST, SKIP_MAX);
            self.penalty.store(penalty, Relaxed);
            self.skip.store(penalty, Relaxed);
            self.short.store(0, Relaxed);
        } else if penalty > 0 {
            let short = self.short.load(Relaxed) + 1;
            let enough = short >= penalty;
            self.short.store(if enough { 0 } else { short }, Relaxed);
            if enough {
                self.penalty.store(if penalty > SKIP_FIRST { penalty / 2 } else { 0 }, Relaxed);
            }
        }
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
    fn long_yields_make_pauses_that_grow_and_many_short_ones_shrink_them() {
        let company = Company::default();
        company.note(true);
        for pause in [64, 128, 256] {
            company.yielded(LONG_NS + 1);
            assert_eq!(commits_without_a_yield(&company), pause);
        }
        // Yielding goes on, and the next long one is still one too many.
        (0..255).for_each(|_| company.yielded(LONG_NS));
        assert_eq!(commits_without_a_yield(&company), 0);
        company.yielded(LONG_NS + 1);
        assert_eq!(commits_without_a_yield(&company), 512);
        // All forgiven: 512 + 256 + 128 + 64 short ones.
        (0..960).for_each(|_| company.yielded(LONG_NS));
        company.yielded(LONG_NS + 1);
        assert_eq!(commits_without_a_yield(&company), 64);
        (0..40).for_each(|_| company.yielded(u64::MAX));
        assert_eq!(commits_without_a_yield(&company), SKIP_MAX);
    }
}
