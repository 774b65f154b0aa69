//! `[backup]` of the settings file, and its variables.

use super::number;
use serde::Deserialize;
use taffrail_engine::BackupSchedule;

/// `[backup]`: the backup schedule of databases that have none of their own.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct BackupOverrides {
    pub full_minutes: Option<u32>,
    pub differential_minutes: Option<u32>,
    pub log_minutes: Option<u32>,
    pub keep_chains: Option<u32>,
    pub drill_minutes: Option<u32>,
    pub directory: Option<String>,
}

impl BackupOverrides {
    /// From `TAFFRAIL_BACKUP_*`; none if there is no such variable.
    pub(super) fn from_env(
        var: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Option<BackupOverrides>, String> {
        let minutes = |name: &str| number(name, var(name));
        let given = BackupOverrides {
            full_minutes: minutes("TAFFRAIL_BACKUP_FULL_MINUTES")?,
            differential_minutes: minutes("TAFFRAIL_BACKUP_DIFFERENTIAL_MINUTES")?,
            log_minutes: minutes("TAFFRAIL_BACKUP_LOG_MINUTES")?,
            keep_chains: minutes("TAFFRAIL_BACKUP_KEEP_CHAINS")?,
            drill_minutes: minutes("TAFFRAIL_BACKUP_DRILL_MINUTES")?,
            directory: var("TAFFRAIL_BACKUP_DIRECTORY"),
        };
        Ok((given != BackupOverrides::default()).then_some(given))
    }

    /// These, and where they say nothing, those.
    pub(super) fn or(self, those: BackupOverrides) -> BackupOverrides {
        BackupOverrides {
            full_minutes: self.full_minutes.or(those.full_minutes),
            differential_minutes: self.differential_minutes.or(those.differential_minutes),
            log_minutes: self.log_minutes.or(those.log_minutes),
            keep_chains: self.keep_chains.or(those.keep_chains),
            drill_minutes: self.drill_minutes.or(those.drill_minutes),
            directory: self.directory.or(those.directory),
        }
    }

    pub(super) fn schedule(self) -> Result<BackupSchedule, String> {
        let full_minutes = self.full_minutes.ok_or("backup: full_minutes is missing")?;
        let keep_chains = self.keep_chains.unwrap_or(2);
        let all = [Some(full_minutes), self.differential_minutes, self.log_minutes]
            .into_iter()
            .chain([Some(keep_chains), self.drill_minutes]);
        // What msdb's columns hold.
        if all.flatten().any(|n| n == 0 || n > i32::MAX as u32) {
            return Err("backup: minutes and keep_chains are at least 1".into());
        }
        Ok(BackupSchedule {
            full_minutes,
            differential_minutes: self.differential_minutes,
            log_minutes: self.log_minutes,
            keep_chains,
            drill_minutes: self.drill_minutes,
            directory: self.directory,
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::settings::{Overrides, Settings};

    #[test]
    fn a_schedule_is_a_table_of_the_file() {
        let read = |text: &str| Overrides::from_toml(text).and_then(Settings::from_overrides);
        assert_eq!(read("").unwrap().backup_schedule, None);
        let schedule = read("[backup]\nfull_minutes = 1440\nlog_minutes = 15\n").unwrap();
        let schedule = schedule.backup_schedule.unwrap();
        assert_eq!((schedule.full_minutes, schedule.log_minutes), (1440, Some(15)));
        assert_eq!((schedule.keep_chains, schedule.drill_minutes), (2, None));
        assert!(read("[backup]\nfull_minutes = 0\n").is_err());
        assert!(read("[backup]\nlog_minutes = 15\n").is_err());
        assert!(read("[backup]\nfull_minutes = 1440\nevery = 1\n").is_err());
    }

    #[test]
    fn variables_go_before_the_file() {
        let var = |name: &str| match name {
            "TAFFRAIL_BACKUP_LOG_MINUTES" => Some("5".into()),
            "TAFFRAIL_BACKUP_DIRECTORY" => Some("nightly".into()),
            _ => None,
        };
        let file = "[backup]\nfull_minutes = 1440\nlog_minutes = 15\nkeep_chains = 3\n";
        let given = Overrides::from_env(var).unwrap().or(Overrides::from_toml(file).unwrap());
        let schedule = Settings::from_overrides(given).unwrap().backup_schedule.unwrap();
        assert_eq!((schedule.full_minutes, schedule.log_minutes), (1440, Some(5)));
        assert_eq!((schedule.keep_chains, &*schedule.directory.unwrap()), (3, "nightly"));
        // By themselves they lack the full backups.
        let alone = Settings::from_overrides(Overrides::from_env(var).unwrap());
        assert_eq!(alone.unwrap_err(), "backup: full_minutes is missing");
        let none = Overrides::from_env(|_| None).unwrap();
        assert_eq!(Settings::from_overrides(none).unwrap().backup_schedule, None);
        let wrong = |name: &str| (name == "TAFFRAIL_BACKUP_FULL_MINUTES").then(|| "daily".into());
        let said = "TAFFRAIL_BACKUP_FULL_MINUTES: 'daily' is not a number";
        assert_eq!(Overrides::from_env(wrong).unwrap_err(), said);
    }
}
