//! A part of a database: the pages of some heaps and trees, of the catalogue and of the format, and no others.
//!
//! A restore of a part writes no other page, and redoes and undoes no record of one. What it leaves is read like any database, as far as
//! nobody asks for the heaps and trees that are not in it: their pages were never written.
//!
//! | a record, a page | is of the part |
//! |---|---|
//! | of a map of the format (GAM, PFS, DIFF, ML) | always: who undoes takes pages and gives them back |
//! | of the catalogue or the directory, or of no heap or tree | always |
//! | of a heap or tree, its IAM pages and its large values | if the part has that heap or tree |
//!
//! Each record names its heap or tree, and so does each page: neither is looked for elsewhere. A page that goes from one heap to another
//! begins there with a format record, which needs nothing of what the page was.
//!
//! Invariant: nothing is freed in a part (`free_orphans` does nothing), since the maps of other heaps and
//! trees, which a deferred drop would read, are not there.

use std::collections::BTreeSet;

use taffrail_base::{HobtId, PAGE_BYTES};
use taffrail_log::RecordHeader;

use crate::layout::{FIRST_USER_HOBT, is_system_page};
use crate::page::PageType;

/// The heaps and trees of users that a restore is confined to.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Part(BTreeSet<u64>);

impl Part {
    /// These heaps and trees; those of the catalogue are in every part.
    pub fn new(hobts: impl IntoIterator<Item = HobtId>) -> Part {
        Part(hobts.into_iter().map(|h| h.0).collect())
    }

    /// Whether a heap or tree is in it.
    pub(crate) fn has(&self, hobt: HobtId) -> bool {
        hobt.0 < FIRST_USER_HOBT || self.0.contains(&hobt.0)
    }

    /// Whether a record changes a page of it.
    pub(crate) fn changes(&self, header: &RecordHeader) -> bool {
        self.has(header.hobt) || is_system_page(header.page)
    }

    /// Whether the bytes of a page, as a file has them, are of it. One that was never written is not.
    pub(crate) fn has_page(&self, bytes: &[u8]) -> bool {
        debug_assert_eq!(bytes.len(), PAGE_BYTES);
        let hobt = bytes[24..32].try_into().map_or(HobtId::NONE, |b| HobtId(u64::from_le_bytes(b)));
        match PageType::from_u8(bytes[1]) {
            Some(PageType::Heap | PageType::Index | PageType::Lob | PageType::Iam) => {
                self.has(hobt)
            }
            Some(_) => true,
            // Damaged, or nothing at all: whoever needs it says so when it is read.
            None => bytes.iter().any(|b| *b != 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{Format, Page};
    use taffrail_base::PageId;

    fn page(kind: PageType, hobt: u64) -> Vec<u8> {
        let mut page = Page::zeroed();
        let id = PageId::new(1, 700);
        page.format(&Format { hobt: HobtId(hobt), ..Format::new(id, kind) });
        page.bytes().to_vec()
    }

    #[test]
    fn pages_are_those_of_its_heaps_and_of_the_catalogue() {
        let one = FIRST_USER_HOBT + 5;
        let part = Part::new([HobtId(one)]);
        for kind in [PageType::Heap, PageType::Index, PageType::Lob, PageType::Iam] {
            assert!(part.has_page(&page(kind, one)) && part.has_page(&page(kind, 70)));
            assert!(!part.has_page(&page(kind, one + 1)));
        }
        assert!(part.has_page(&page(PageType::Pfs, 0)));
        assert!(!part.has_page(&[0; PAGE_BYTES]));
        let mut damaged = [0; PAGE_BYTES];
        damaged[9] = 1;
        assert!(part.has_page(&damaged));
    }
}
