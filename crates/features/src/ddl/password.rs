//! The policy of passwords.

use taffrail_base::{SqlError, SqlResult};

/// Characters that a password has at least where CHECK_POLICY is ON, as on every platform without a policy of its own.
const SHORTEST: usize = 8;
/// Characters that a password has at most.
const LONGEST: usize = 128;
/// Kinds of characters that it has at least: upper case, lower case, digits, others.
const KINDS: usize = 3;

/// A password as a statement gives it.
#[derive(Clone, Copy)]
pub(super) enum Given<'a> {
    /// The password itself, as text.
    Text(&'a str),
    /// A hash of it.
    Hash(&'a [u8]),
}

/// Whether CHECK_POLICY would refuse a password: too short, or of too few kinds of characters.
pub fn is_weak_password(password: &str) -> bool {
    password.chars().count() < SHORTEST || kinds(password) < KINDS
}

/// Refuses a password that is too long or empty, and under the policy one that is too short, too simple, or has the principal's name
/// in it.
pub fn check(password: &str, name: &str, policy: bool) -> SqlResult<()> {
    let length = password.chars().count();
    if length > LONGEST {
        return Err(SqlError::new(33063, &[&LONGEST]));
    }
    // There is never a blank one, policy or not.
    if length == 0 || policy && length < SHORTEST {
        return Err(SqlError::new(33062, &[&SHORTEST]));
    }
    let has_name = || password.to_lowercase().contains(&name.to_lowercase());
    if policy && (kinds(password) < KINDS || has_name()) {
        return Err(SqlError::new(33064, &[&SHORTEST]));
    }
    Ok(())
}

fn kinds(password: &str) -> usize {
    let of: [fn(char) -> bool; 4] =
        [char::is_uppercase, char::is_lowercase, char::is_numeric, |c| {
            !c.is_uppercase() && !c.is_lowercase() && !c.is_numeric()
        }];
    of.iter().filter(|is| password.chars().any(is)).count()
}

#[cfg(test)]
mod tests {
    use super::{check, kinds};

    #[test]
    fn kinds_of_characters() {
        assert_eq!(["abc", "abC", "abC1", "abC1!", "äÖ٣ "].map(kinds), [1, 2, 3, 4, 4]);
    }

    #[test]
    fn a_password_is_refused_by_its_own_number() {
        let number =
            |password: &str, policy| check(password, "bob", policy).err().map(|e| e.number);
        assert_eq!(number("Str0ng!pw", true), None);
        assert_eq!(number("Sh0rt!", true), Some(33062));
        assert_eq!(number("longenough", true), Some(33064));
        assert_eq!(number("my-Bob-1234", true), Some(33064));
        assert_eq!(number("weak", false), None);
        assert_eq!(number("", false), Some(33062));
        assert_eq!(number(&"x".repeat(129), false), Some(33063));
    }
}
