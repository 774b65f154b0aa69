//! BACKUP and RESTORE: the places of their needs.

use super::AskedAt;
use super::statements::Ask;
use crate::features::needs::Case;
use crate::session::Session;
use taffrail_base::SqlError;
use taffrail_syntax::ast::{Backup, Device, DeviceKind, Restore};

impl Session {
    /// The database that is backed up: 262.
    pub(super) fn asks_of_backup(&self, s: &Backup, words: &str) -> Vec<Ask> {
        let (place, name) = self.database_place(&s.database);
        let denied = SqlError::new(262, &[&words, &name]).with_severity(14);
        let ended = SqlError::new(3013, &[&words]);
        let mut asks = vec![Ask { place, errors: vec![denied, ended] }];
        let place = || self.database_place(&s.database).0.given(&[Case::Url]);
        asks.extend(ask_of_urls(&s.to, place, words));
        asks
    }

    /// The database that is restored, or the current one for who only looks at a backup: 3110.
    pub(super) fn asks_of_restore(&self, s: &Restore, words: &str) -> Vec<Ask> {
        let place = || match &s.database {
            Some(name) => self.database_place(name),
            None => (AskedAt::of_database(&self.database), self.database.name.to_string()),
        };
        let (asked, name) = place();
        let (case, with_url): (&[Case], &[Case]) = match asked.found {
            true => (&[Case::Existing], &[Case::Existing, Case::Url]),
            false => (&[Case::Missing], &[Case::Missing, Case::Url]),
        };
        let errors = vec![SqlError::new(3110, &[&name]), SqlError::new(3013, &[&words])];
        let mut asks = vec![Ask { place: asked.given(case), errors }];
        asks.extend(ask_of_urls(&s.from, || place().0.given(with_url), words));
        asks
    }
}

/// Credentials reach the object of a URL: 15247 for who has the rest of a backup's needs.
fn ask_of_urls(on: &[Device], place: impl FnOnce() -> AskedAt, words: &str) -> Option<Ask> {
    let errors = || vec![SqlError::new(15247, &[]), SqlError::new(3013, &[&words])];
    let remote = on.iter().any(|d| d.kind == DeviceKind::Url);
    remote.then(|| Ask { place: place(), errors: errors() })
}
