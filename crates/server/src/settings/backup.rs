//! `[backup]` of the settings file.

use serde::Deserialize;
use taffrail_engine::instance::BackupSchedule;

/// `[backup]`: the backup schedule of databases that have none of their own.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct BackupOverrides {
    pub full_minutes: u32,
    pub differential_minutes: Option<u32>,
    pub log_minutes: Option<u32>,
    pub keep_chains: Option<u32>,
    pub drill_minutes: Option<u32>,
    pub directory: Option<String>,
}

impl BackupOverrides {
    pub(super) fn schedule(self) -> Result<BackupSchedule, String> {
        let keep_chains = self.keep_chains.unwrap_or(2);
        let all = [Some(self.full_minutes), self.differential_minutes, self.log_minutes]
            .into_iter()
            .chain([Some(keep_chains), self.drill_minutes]);
        // What msdb's columns hold.
        if all.flatten().any(|n| n == 0 || n > i32::MAX as u32) {
            return Err("backup: minutes and keep_chains are at least 1".into());
        }
        Ok(BackupSchedule {
            full_minutes: self.full_minutes,
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
}
