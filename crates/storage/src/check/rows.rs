//! Pages with slots. That slots, rows and free bytes lie inside the page was verified when it was read ([`Page::validate_structure`]).

use super::{Walk, What};
use crate::access::node::GHOST;
use crate::page::{Page, PageType};

impl Walk<'_> {
    /// Rows do not lie on each other; ghosts are as many as the header says.
    pub(super) fn slots(&mut self, page: &Page) {
        let id = page.id();
        let mut rows: Vec<(usize, usize, u16)> = (0..page.slots())
            .filter(|&s| page.has_row(s.into()))
            .map(|s| {
                let (offset, len) = page.slot(s.into());
                (offset, len, s)
            })
            .collect();
        rows.sort_unstable();
        for pair in rows.windows(2) {
            if pair[0].0 + pair[0].1 > pair[1].0 {
                self.find(What::Overlap { page: id, slot: pair[1].2, offset: pair[1].0 as u16 });
            }
        }
        if page.kind() == Some(PageType::Lob) {
            return;
        }
        let ghosts = rows.iter().filter(|r| page.bytes()[r.0] & GHOST != 0).count() as i64;
        let found = i64::from(page.ghosts());
        if found != ghosts {
            self.find(What::Header { page: id, test: "m_ghostRecCnt", found, expected: ghosts });
        }
    }

    /// A row that is not well formed.
    pub(super) fn bad_row(
        &mut self,
        page: &Page,
        slot: u16,
        test: &str,
        found: usize,
        expected: usize,
    ) {
        self.find(What::Row {
            page: page.id(),
            slot,
            test: test.to_owned(),
            found: found as i64,
            expected: expected as i64,
        });
    }
}
