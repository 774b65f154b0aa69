//! The life of passwords: how many wrong ones lock a login out, and when one is too old.
//!
//! Only logins whose CHECK_POLICY is on are counted. Counts are in memory; where a threshold is set they are in master as well, so
//! that a restart gives nobody new attempts. Whoever is locked out is not counted any more: an attacker causes no more writes than the
//! threshold allows.

use super::Instance;
use crate::catalog::principals::attempts::{self, Attempts};
use crate::catalog::principals::{Principal, SA};
use parking_lot::Mutex;
use std::collections::HashMap;
use taffrail_base::SqlResult;
use taffrail_storage::{BeginSpec, Durability};
use taffrail_types::Value;

/// Ticks of a datetime in a minute, and in a day.
const MINUTE: i64 = 60 * 300;
const DAY: i64 = 24 * 60 * MINUTE;
/// Minutes after which sa may try again where a lockout has no end of its own.
const SA_MINUTES: u32 = 15;

/// The policy of passwords, beside what CHECK_POLICY asks of each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PasswordPolicy {
    /// So many wrong passwords in a row lock a login out; 0: none is.
    pub lockout_threshold: u32,
    /// Minutes that a lockout lasts; 0: until somebody unlocks the login.
    pub lockout_minutes: u32,
    /// Minutes after which wrong passwords are forgotten; 0: the next right one makes them so.
    pub lockout_reset_minutes: u32,
    /// Days that a password of a login with CHECK_EXPIRATION lasts; 0: for ever.
    pub maximum_age_days: u32,
}

impl Default for PasswordPolicy {
    fn default() -> PasswordPolicy {
        PasswordPolicy {
            lockout_threshold: 0,
            lockout_minutes: 10,
            lockout_reset_minutes: 10,
            maximum_age_days: 0,
        }
    }
}

/// Wrong passwords by login.
#[derive(Default)]
pub(super) struct BadPasswords {
    /// All that is known; none until it has been read.
    known: Mutex<Option<HashMap<i32, Attempts>>>,
    /// Held by whoever changes what is known, until master has it.
    change: Mutex<()>,
}

/// A datetime in ticks; NULL is the beginning of time.
fn ticks(at: &Value) -> i64 {
    match at {
        Value::DateTime { days, ticks } => i64::from(*days) * DAY + i64::from(*ticks),
        _ => i64::MIN / 2,
    }
}

impl PasswordPolicy {
    /// Whether a lockout that began at a moment has not ended.
    fn still_locked(&self, login: i32, locked: &Value, now: &Value) -> bool {
        let minutes = match self.lockout_minutes {
            0 if login == SA => SA_MINUTES,
            minutes => minutes,
        };
        let lasts = minutes == 0 || ticks(now) - ticks(locked) < i64::from(minutes) * MINUTE;
        self.lockout_threshold > 0 && !locked.is_null() && lasts
    }

    /// The attempts that still count, with one more. True: it locks the login out.
    fn one_more(&self, mut known: Attempts, now: &Value) -> (Attempts, bool) {
        let minutes = i64::from(self.lockout_reset_minutes);
        // A lockout that has ended has done its work.
        let over = !known.locked.is_null()
            || minutes > 0 && ticks(now) - ticks(&known.last) >= minutes * MINUTE;
        if over && self.lockout_threshold > 0 {
            known.count = 0;
            known.locked = Value::Null;
        }
        known.count = known.count.saturating_add(1);
        known.last = now.clone();
        let locks =
            self.lockout_threshold > 0 && known.count.unsigned_abs() >= self.lockout_threshold;
        if locks {
            known.locked = now.clone();
        }
        (known, locks)
    }
}

impl Instance {
    fn now(&self) -> Value {
        crate::catalog::datetime_now(&*self.options.env.clock)
    }

    /// The attempts of a login since its last right password.
    fn attempts(&self, login: &Principal) -> SqlResult<Option<Attempts>> {
        let mut known = self.bad_passwords.known.lock();
        if known.is_none() {
            let master = self.databases.master()?;
            let mut tx = master.storage.begin(BeginSpec { name: "master", ..BeginSpec::default() });
            let read = attempts::read(&mut tx)?;
            tx.commit(Durability::Delayed).map_err(|e| e.to_sql())?;
            *known = Some(read);
        }
        let found = known.as_ref().and_then(|all| all.get(&login.id)).cloned();
        // Ids are given anew.
        Ok(found.filter(|a| Some(&a.sid) == login.sid.as_ref()))
    }

    /// Whether a login is locked out, whatever password it brings.
    pub fn is_locked_out(&self, login: &Principal) -> SqlResult<bool> {
        let policy = self.options.passwords;
        if policy.lockout_threshold == 0 || !login.login.check_policy {
            return Ok(false);
        }
        let found = self.attempts(login)?;
        Ok(found.is_some_and(|a| policy.still_locked(login.id, &a.locked, &self.now())))
    }

    /// Notes a wrong password of a login, durably where it may lock the login out. True: it has.
    pub fn note_wrong_password(&self, login: &Principal) -> SqlResult<bool> {
        if !login.login.check_policy {
            return Ok(false);
        }
        let _changing = self.bad_passwords.change.lock();
        // Asked behind the lock: somebody who tried at the same time may have locked it out.
        if self.is_locked_out(login)? {
            return Ok(false);
        }
        let none = || Attempts {
            sid: login.sid.clone().unwrap_or_default(),
            count: 0,
            last: Value::Null,
            locked: Value::Null,
        };
        let known = self.attempts(login)?.unwrap_or_else(none);
        let (now_known, locks) = self.options.passwords.one_more(known, &self.now());
        self.remember(login.id, Some(now_known))?;
        Ok(locks)
    }

    /// Forgets the wrong passwords of a login: a right one has come, another one was set, or somebody has unlocked it.
    pub fn forget_wrong_passwords(&self, login: &Principal) -> SqlResult<()> {
        if self.attempts(login)?.is_none() {
            return Ok(());
        }
        let _changing = self.bad_passwords.change.lock();
        self.remember(login.id, None)
    }

    /// Takes over the attempts of a login, and writes them where they outlive a restart.
    fn remember(&self, login: i32, attempts: Option<Attempts>) -> SqlResult<()> {
        let locks = self.options.passwords.lockout_threshold > 0;
        let was_kept = {
            let mut known = self.bad_passwords.known.lock();
            let known = known.get_or_insert_default();
            match &attempts {
                Some(attempts) => known.insert(login, attempts.clone()).is_some(),
                None => known.remove(&login).is_some(),
            }
        };
        let forgets = was_kept && attempts.is_none();
        if !locks && !forgets {
            return Ok(());
        }
        let master = self.databases.master()?;
        let spec = BeginSpec { name: "master", lock_timeout_ms: -1, ..BeginSpec::default() };
        let mut tx = master.storage.begin(spec);
        match &attempts {
            Some(attempts) => attempts::write(&mut tx, login, attempts)?,
            None => attempts::remove(&mut tx, login)?,
        }
        tx.commit(Durability::Full).map_err(|e| e.to_sql())
    }

    /// The moment at which a login's password was set, a datetime.
    pub(super) fn password_set(&self, login: &Principal) -> Value {
        match login.login.password_set.is_null() {
            true => login.modified.clone(),
            false => login.login.password_set.clone(),
        }
    }

    /// Days until a login's password is too old: 0 where it is, or will be today; -1 where none ever is. None: nobody looks.
    pub(super) fn days_until_expiration(&self, login: &Principal) -> Option<i32> {
        if !login.login.check_policy || !login.login.check_expiration {
            return None;
        }
        let days = i64::from(self.options.passwords.maximum_age_days);
        if days == 0 {
            return Some(-1);
        }
        let left = ticks(&self.password_set(login)) + days * DAY - ticks(&self.now());
        Some(i32::try_from(left.max(0) / DAY).unwrap_or(i32::MAX))
    }

    /// Whether a login's password is too old to connect with.
    pub fn is_expired(&self, login: &Principal) -> bool {
        let days = i64::from(self.options.passwords.maximum_age_days);
        let looks = days > 0 && login.login.check_policy && login.login.check_expiration;
        looks && ticks(&self.now()) - ticks(&self.password_set(login)) >= days * DAY
    }

    /// The wrong passwords of a login for LOGINPROPERTY: how many, the moment of the last, and that of the lockout that holds.
    pub(super) fn told_attempts(&self, login: &Principal) -> (i32, Value, Value) {
        let policy = self.options.passwords;
        // While master is lost nothing is known of it.
        let found = self.attempts(login).ok().flatten();
        let Some(a) = found else { return (0, Value::Null, Value::Null) };
        let locked = policy.still_locked(login.id, &a.locked, &self.now());
        (a.count, a.last, if locked { a.locked } else { Value::Null })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minutes: i64) -> Value {
        let ticks = minutes * MINUTE;
        Value::DateTime { days: (ticks / DAY) as i32, ticks: (ticks % DAY) as u32 }
    }

    fn none() -> Attempts {
        Attempts { sid: vec![1], count: 0, last: Value::Null, locked: Value::Null }
    }

    #[test]
    fn the_last_of_so_many_in_a_row_locks() {
        let policy = PasswordPolicy { lockout_threshold: 3, ..PasswordPolicy::default() };
        let (one, locks) = policy.one_more(none(), &at(0));
        assert!(one.count == 1 && !locks && !policy.still_locked(300, &one.locked, &at(0)));
        let (two, _) = policy.one_more(one.clone(), &at(9));
        assert_eq!(two.count, 2);
        assert_eq!(policy.one_more(two.clone(), &at(19)).0.count, 1, "the others are forgotten");
        let (three, locks) = policy.one_more(two, &at(18));
        assert!(locks && policy.still_locked(300, &three.locked, &at(27)));
        assert!(!policy.still_locked(300, &three.locked, &at(28)), "ten minutes are over");
        assert_eq!(policy.one_more(three, &at(28)).0.count, 1, "it begins anew");
    }

    #[test]
    fn without_an_end_a_lockout_ends_for_sa_alone() {
        let lockout_minutes = 0;
        let policy = PasswordPolicy { lockout_threshold: 1, lockout_minutes, ..Default::default() };
        let (one, locks) = policy.one_more(none(), &at(5));
        assert!(locks && policy.still_locked(300, &one.locked, &at(1_000_000)));
        assert!(policy.still_locked(SA, &one.locked, &at(19)));
        assert!(!policy.still_locked(SA, &one.locked, &at(20)));
    }

    #[test]
    fn without_a_threshold_wrong_passwords_are_counted_and_nobody_is_locked_out() {
        let policy = PasswordPolicy::default();
        let (mut known, mut locks) = (none(), false);
        for minute in 0..100 {
            (known, locks) = policy.one_more(known, &at(minute * 60));
        }
        assert!(known.count == 100 && !locks && !policy.still_locked(300, &at(0), &at(0)));
    }
}
