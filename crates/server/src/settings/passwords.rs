//! `[passwords]` of the settings file, and its variables.

use super::number;
use serde::Deserialize;
use taffrail_engine::PasswordPolicy;

/// `[passwords]`: how many wrong passwords lock a login out, and how long one lasts.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct PasswordOverrides {
    pub lockout_threshold: Option<u32>,
    pub lockout_minutes: Option<u32>,
    pub lockout_reset_minutes: Option<u32>,
    pub maximum_age_days: Option<u32>,
}

impl PasswordOverrides {
    /// From `TAFFRAIL_PASSWORDS_*`; none if there is no such variable.
    pub(super) fn from_env(
        var: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Option<PasswordOverrides>, String> {
        let of = |name: &str| number(name, var(name));
        let given = PasswordOverrides {
            lockout_threshold: of("TAFFRAIL_PASSWORDS_LOCKOUT_THRESHOLD")?,
            lockout_minutes: of("TAFFRAIL_PASSWORDS_LOCKOUT_MINUTES")?,
            lockout_reset_minutes: of("TAFFRAIL_PASSWORDS_LOCKOUT_RESET_MINUTES")?,
            maximum_age_days: of("TAFFRAIL_PASSWORDS_MAXIMUM_AGE_DAYS")?,
        };
        Ok((given != PasswordOverrides::default()).then_some(given))
    }

    /// These, and where they say nothing, those.
    pub(super) fn or(self, those: PasswordOverrides) -> PasswordOverrides {
        PasswordOverrides {
            lockout_threshold: self.lockout_threshold.or(those.lockout_threshold),
            lockout_minutes: self.lockout_minutes.or(those.lockout_minutes),
            lockout_reset_minutes: self.lockout_reset_minutes.or(those.lockout_reset_minutes),
            maximum_age_days: self.maximum_age_days.or(those.maximum_age_days),
        }
    }

    /// The policy, with the limits of Windows's: a lockout lasts at least as long as wrong passwords count.
    pub(super) fn policy(self) -> Result<PasswordPolicy, String> {
        let usual = PasswordPolicy::default();
        let lockout_minutes = self.lockout_minutes.unwrap_or(usual.lockout_minutes);
        let reset = self.lockout_reset_minutes;
        let policy = PasswordPolicy {
            lockout_threshold: self.lockout_threshold.unwrap_or(usual.lockout_threshold),
            lockout_minutes,
            lockout_reset_minutes: reset.unwrap_or(match lockout_minutes {
                0 => usual.lockout_reset_minutes,
                minutes => minutes.min(usual.lockout_reset_minutes),
            }),
            maximum_age_days: self.maximum_age_days.unwrap_or(usual.maximum_age_days),
        };
        let limits = [
            ("lockout_threshold", policy.lockout_threshold, 999),
            ("lockout_minutes", policy.lockout_minutes, 99_999),
            ("lockout_reset_minutes", policy.lockout_reset_minutes, 99_999),
            ("maximum_age_days", policy.maximum_age_days, 999),
        ];
        if let Some((name, _, most)) = limits.iter().find(|(_, value, most)| value > most) {
            return Err(format!("passwords: {name}: from 0 to {most}"));
        }
        if policy.lockout_minutes != 0 && policy.lockout_reset_minutes > policy.lockout_minutes {
            return Err("passwords: lockout_reset_minutes: at most lockout_minutes".into());
        }
        Ok(policy)
    }
}

#[cfg(test)]
mod tests {
    use crate::settings::{Overrides, Settings};
    use taffrail_engine::PasswordPolicy;

    #[test]
    fn a_policy_is_a_table_of_the_file() {
        let read = |text: &str| Overrides::from_toml(text).and_then(Settings::from_overrides);
        assert_eq!(read("").unwrap().passwords, PasswordPolicy::default());
        let text =
            "[passwords]\nlockout_threshold = 5\nlockout_minutes = 3\nmaximum_age_days = 90\n";
        let policy = read(text).unwrap().passwords;
        assert_eq!((policy.lockout_threshold, policy.lockout_minutes), (5, 3));
        assert_eq!((policy.lockout_reset_minutes, policy.maximum_age_days), (3, 90));
        for (text, why) in [
            ("lockout_threshold = 1000", "lockout_threshold: from 0 to 999"),
            ("lockout_reset_minutes = 11", "lockout_reset_minutes: at most lockout_minutes"),
            ("lockout = 1", "unknown field `lockout`"),
        ] {
            let refused = read(&format!("[passwords]\n{text}\n")).unwrap_err();
            assert!(refused.contains(why), "{text}: {refused}");
        }
    }

    #[test]
    fn a_variable_goes_before_the_file() {
        let env = Overrides::from_env(|name| {
            (name == "TAFFRAIL_PASSWORDS_LOCKOUT_THRESHOLD").then(|| "4".into())
        });
        let file = "[passwords]\nlockout_threshold = 5\nmaximum_age_days = 7\n";
        let both = env.unwrap().or(Overrides::from_toml(file).unwrap());
        let policy = Settings::from_overrides(both).unwrap().passwords;
        assert_eq!((policy.lockout_threshold, policy.maximum_age_days), (4, 7));
    }
}
