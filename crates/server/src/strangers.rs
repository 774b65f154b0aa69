//! Names that are nobody's: wrong passwords of theirs are counted as those of logins are.
//!
//! They are kept in memory alone, and so many of them: somebody who tries thousands of names finds the later ones not locked out.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::time::{Duration, Instant};
use taffrail_engine::PasswordPolicy;

/// Names that are kept.
const STRANGERS_MAX: usize = 4096;

struct Stranger {
    count: u32,
    last: Instant,
    locked: Option<Instant>,
}

/// The names, in lower case.
#[derive(Default)]
pub(crate) struct Strangers(Mutex<HashMap<String, Stranger>>);

/// Whether so many minutes have not passed since a moment; without a number they never pass.
fn lasts(since: Instant, minutes: u32) -> bool {
    minutes == 0 || since.elapsed() < Duration::from_secs(u64::from(minutes) * 60)
}

impl Strangers {
    /// Whether a name is treated as if it were a login's that is locked out.
    pub(crate) fn is_locked_out(&self, policy: &PasswordPolicy, name: &str) -> bool {
        if policy.lockout_threshold == 0 {
            return false;
        }
        let names = self.0.lock();
        let locked = names.get(&name.to_lowercase()).and_then(|s| s.locked);
        locked.is_some_and(|since| lasts(since, policy.lockout_minutes))
    }

    /// Forgets the passwords of a name: a right one has come.
    pub(crate) fn forget(&self, name: &str) {
        let mut names = self.0.lock();
        if !names.is_empty() {
            names.remove(&name.to_lowercase());
        }
    }

    /// Counts a password of a name.
    pub(crate) fn failed(&self, policy: &PasswordPolicy, name: &str) {
        if policy.lockout_threshold == 0 {
            return;
        }
        let mut names = self.0.lock();
        let name = name.to_lowercase();
        let counts = |s: &Stranger| match s.locked {
            Some(since) => lasts(since, policy.lockout_minutes),
            None => lasts(s.last, policy.lockout_reset_minutes),
        };
        if names.len() >= STRANGERS_MAX && !names.contains_key(&name) {
            names.retain(|_, s| counts(s));
            if names.len() >= STRANGERS_MAX {
                return;
            }
        }
        let now = Instant::now();
        let none = || Stranger { count: 0, last: now, locked: None };
        let stranger = names.entry(name).or_insert_with(none);
        if !counts(stranger) {
            *stranger = none();
        }
        // Somebody who tried at the same time has locked it out.
        if stranger.locked.is_some() {
            return;
        }
        stranger.count += 1;
        stranger.last = now;
        if stranger.count >= policy.lockout_threshold {
            stranger.locked = Some(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_locked_out_in_any_case_and_no_other() {
        let (all, policy) =
            (Strangers::default(), PasswordPolicy { lockout_threshold: 2, ..Default::default() });
        all.failed(&policy, "Bob");
        assert!(!all.is_locked_out(&policy, "bob"));
        all.failed(&policy, "BOB");
        assert!(all.is_locked_out(&policy, "bob") && !all.is_locked_out(&policy, "eve"));
        assert!(!all.is_locked_out(&PasswordPolicy::default(), "bob"), "lockout is off");
    }

    #[test]
    fn thousands_of_names_take_so_much_memory_and_no_more() {
        let (all, policy) =
            (Strangers::default(), PasswordPolicy { lockout_threshold: 1, ..Default::default() });
        (0..STRANGERS_MAX + 10).for_each(|n| all.failed(&policy, &format!("n{n}")));
        assert_eq!(all.0.lock().len(), STRANGERS_MAX);
        assert!(all.is_locked_out(&policy, "n0"));
    }
}
