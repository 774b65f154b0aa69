//! Pages of a database that were read and are not what was written: for `msdb.dbo.suspect_pages`. Kept in memory until somebody takes
//! them, the first [`MOST`] of them; a page that restart finds torn and makes anew is none.

use taffrail_base::PageId;
use taffrail_base::sync::Mutex;

/// As many as the table has rows at most.
const MOST: usize = 1000;

/// A page that was read and did not fit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SuspectPage {
    /// The id of the page.
    pub page: PageId,
    /// Its checksum is wrong; false: the system could not read it (823), or the checksum is right and something else is not, its own number
    /// mostly.
    pub checksum: bool,
    /// How often it was read so.
    pub times: u32,
}

/// Those of one database.
#[derive(Default)]
pub(super) struct Suspects(Mutex<Vec<SuspectPage>>);

impl Suspects {
    /// Remembers one; `what` is wrong with it, as [`crate::page::Page::validate`] says it, or the system.
    pub fn note(&self, page: PageId, what: &str) {
        let checksum = what.starts_with("incorrect checksum");
        let mut all = self.0.lock();
        if let Some(known) = all.iter_mut().find(|s| s.page == page && s.checksum == checksum) {
            known.times = known.times.saturating_add(1);
        } else if all.len() < MOST {
            all.push(SuspectPage { page, checksum, times: 1 });
        }
    }

    /// Gives what was remembered, and forgets it.
    pub fn take(&self) -> Vec<SuspectPage> {
        std::mem::take(&mut self.0.lock())
    }
}
