//! Where there is room on text mix pages.
//!
//! Kept in memory only, fed by whoever puts a value on such a page or takes one off, under the page's latch. A hint is only ever a guess:
//! who follows it looks under the latch whether the page is still one of the heap's or tree's, by its PFS byte too, and how much room
//! there is.
//!
//! ```text
//! somebody fills a page      it is not in the list meanwhile, so sessions do not wait for each other's page
//! … and fails                it is back, with the room that it has; if it cannot be read it is not
//! a rollback, a deletion     the page is listed with what is free now; if it was given back it goes
//! DROP, TRUNCATE             nothing is known, and of the empty heap or tree that is right
//! extents taken back         nothing is known: pages are looked for again
//! a restart, a long list     there may be room that is not known: before the file grows some pages are looked through, before it is
//!                            full all of them
//! ```

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use taffrail_base::PageId;

use super::super::Hobt;
use super::mix;
use crate::database::Database;
use crate::error::StorageResult;

/// Pages remembered at most: those with most room.
const PAGES_MAX: usize = 4096;
/// Less room is not worth remembering.
const ROOM_MIN: u16 = 64;
/// Pages looked at before a growth.
const LOOK: u64 = 512;

/// The text mix pages of a heap or tree that are known to have room.
#[derive(Default)]
pub(crate) struct MixedRoom {
    by_room: BTreeSet<(u16, PageId)>,
    known: HashMap<PageId, u16>,
    /// Where a look through all pages goes on: IAM page (none: the first) and extent.
    look: Option<(PageId, u32)>,
}

impl MixedRoom {
    /// Of a heap or tree that may have pages from before.
    pub fn unknown() -> MixedRoom {
        MixedRoom { look: Some((PageId::NONE, 0)), ..MixedRoom::default() }
    }

    /// A page has so much room now.
    pub fn note(&mut self, page: PageId, room: u16) {
        self.forget(page);
        if room < ROOM_MIN {
            return;
        }
        self.by_room.insert((room, page));
        self.known.insert(page, room);
        if self.known.len() > PAGES_MAX
            && let Some((_, least)) = self.by_room.pop_first()
        {
            self.known.remove(&least);
            // To be looked for when room is short.
            self.look = MixedRoom::unknown().look;
        }
    }

    pub fn forget(&mut self, page: PageId) {
        if let Some(room) = self.known.remove(&page) {
            self.by_room.remove(&(room, page));
        }
    }

    /// The page with the least room that is enough. It is listed no more.
    pub fn take(&mut self, need: usize) -> Option<PageId> {
        let need = u16::try_from(need).ok()?;
        let from = (need, PageId::from_u64(0));
        let (_, page) = *self.by_room.range(from..).next()?;
        self.forget(page);
        Some(page)
    }
}

impl Database {
    /// Looks for room on pages that this process does not know of, if the file is going to grow, or is full (`all`). True if there is a
    /// page to try first. The caller holds no latch.
    pub(super) fn look_for_mixed(
        self: &Arc<Self>,
        hobt: &Hobt,
        need: usize,
        all: bool,
    ) -> StorageResult<bool> {
        let known = hobt.mixed.lock().look.is_none();
        if known || !(all || self.would_grow(hobt, 1)?) {
            return Ok(false);
        }
        // Who comes meanwhile lets the file grow.
        let Some(from) = hobt.mixed.lock().look.take() else { return Ok(false) };
        let mut found = false;
        let budget = if all { u64::MAX } else { LOOK };
        let looked = self.look_on_pages(hobt, from, budget, |page| {
            if mix::is_of(page, hobt.id()) {
                hobt.mixed.lock().note(page.id(), page.free_bytes());
                found |= usize::from(page.free_bytes()) >= need;
            }
        });
        // What an error has kept from being looked at is looked at another time.
        let next = looked.as_ref().map_or(Some(from), |next| *next);
        let mut room = hobt.mixed.lock();
        if room.look.is_none() {
            room.look = next;
        }
        drop(room);
        looked.map(|_| found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_with_the_least_room_that_is_enough_comes_first() {
        let page = |n| PageId::new(1, n);
        let mut room = MixedRoom::default();
        for (n, free) in [(1, 500), (2, 200), (3, 63), (2, 300), (4, 900)] {
            room.note(page(n), free);
        }
        assert_eq!(
            [250, 250, 901, 64].map(|n| room.take(n)),
            [Some(page(2)), Some(page(1)), None, Some(page(4))]
        );
        assert_eq!(room.take(64), None);
        room.note(page(5), 100);
        room.forget(page(5));
        assert_eq!((room.take(1), room.known.len()), (None, 0));
    }

    #[test]
    fn those_with_most_room_are_kept() {
        let mut room = MixedRoom::default();
        for n in 0..PAGES_MAX as u32 + 10 {
            room.note(PageId::new(1, n + 1), 100 + (n % 1000) as u16);
        }
        assert_eq!((room.known.len(), room.by_room.len()), (PAGES_MAX, PAGES_MAX));
        assert!(room.by_room.first().unwrap().0 > 100);
    }
}
