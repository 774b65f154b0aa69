//! A tree, from its root, in the order of its keys.
//!
//! An entry of an interior page says of the child: no key below the entry's (of the first entry, whose key is empty: below what goes
//! for the page itself), none from the next entry's on. Leaves are linked in the order in which they are reached.

use taffrail_base::PageId;

use super::{Walk, What};
use crate::access::Rid;
use crate::access::node::{ENTRY_HEADER, GHOST, child_at, key_at, split_entry};
use crate::error::StorageResult;
use crate::page::{Page, PageType};

/// Deepest tree that can be.
const MAX_LEVELS: u8 = 16;

/// An interior page on the way down.
struct Step {
    page: Box<Page>,
    next: u16,
    lower: Vec<u8>,
    upper: Option<Vec<u8>>,
}

/// The leaf before, and its link to the next.
#[derive(Default)]
struct Last {
    leaf: PageId,
    next: PageId,
    /// Something between it and the next leaf was not reached: the links need not fit.
    gap: bool,
}

/// A page of a tree with the bounds that its parent sets.
struct Place {
    id: PageId,
    level: Option<u8>,
    parent: PageId,
    slot: u16,
    lower: Vec<u8>,
    upper: Option<Vec<u8>>,
}

impl Walk<'_> {
    pub(super) fn tree(&mut self) -> StorageResult<()> {
        let root = self.hobt.root();
        if root.is_none() {
            return Ok(());
        }
        let mut last = Last::default();
        let mut path: Vec<Step> = Vec::new();
        let at = Place {
            id: root,
            level: None,
            parent: PageId::NONE,
            slot: 0,
            lower: Vec::new(),
            upper: None,
        };
        path.extend(self.page_of_tree(at, &mut last)?);
        while let Some(step) = path.last_mut() {
            if step.next >= step.page.slots() {
                path.pop();
                continue;
            }
            let slot = step.next;
            step.next += 1;
            let (i, page) = (usize::from(slot), &step.page);
            let Some(id) = child_at(page, i) else {
                last.gap = true;
                continue;
            };
            let above = usize::from(slot) + 1 < usize::from(page.slots());
            let at = Place {
                id,
                level: Some(page.level() - 1),
                parent: page.id(),
                slot,
                lower: if i == 0 { step.lower.clone() } else { key_at(page, i).to_vec() },
                upper: if above { Some(key_at(page, i + 1).to_vec()) } else { step.upper.clone() },
            };
            let below = self.page_of_tree(at, &mut last)?;
            path.extend(below);
        }
        if !last.gap && !last.leaf.is_none() && !last.next.is_none() {
            let (left, next) = (last.leaf, last.next);
            self.find(What::Chain { left, next, right: PageId::NONE, prev: PageId::NONE });
        }
        Ok(())
    }

    /// Checks a page; gives it back if there are pages below it.
    fn page_of_tree(&mut self, at: Place, last: &mut Last) -> StorageResult<Option<Step>> {
        let id = at.id;
        if self.exists(id) && !self.seen.insert(id) {
            self.find(What::TwoParents { page: id, parent: at.parent, slot: at.slot });
            last.gap = true;
            return Ok(None);
        }
        let Some(page) = self.read(id, at.parent)? else {
            last.gap = true;
            return Ok(None);
        };
        if !self.owned(&page, PageType::Index) {
            last.gap = true;
            return Ok(None);
        }
        let level = page.level();
        let expected = at.level.unwrap_or(level.min(MAX_LEVELS - 1));
        if level != expected {
            self.find(What::Level { page: id, level, expected, parent: at.parent });
            last.gap = true;
            return Ok(None);
        }
        self.out.pages += 1;
        self.slots(&page);
        self.keys(&page, &at);
        if level > 0 {
            if page.slots() == 0 {
                self.find(What::Header { page: id, test: "m_slotCnt > 0", found: 0, expected: 1 });
                last.gap = true;
            }
            return Ok(Some(Step { page, next: 0, lower: at.lower, upper: at.upper }));
        }
        self.links(&page, last);
        for slot in 0..page.slots() {
            let row = page.row(slot.into());
            if row.first().is_none_or(|f| f & GHOST != 0) {
                continue;
            }
            let (key, value) = split_entry(row);
            self.visit(Rid { page: id, slot }, slot, key, value)?;
        }
        Ok(None)
    }

    /// Leaves name each other.
    fn links(&mut self, page: &Page, last: &mut Last) {
        if !last.gap
            && (page.prev() != last.leaf || (!last.leaf.is_none() && last.next != page.id()))
        {
            self.find(What::Chain {
                left: last.leaf,
                next: last.next,
                right: page.id(),
                prev: page.prev(),
            });
        }
        *last = Last { leaf: page.id(), next: page.next(), gap: false };
    }

    /// Every entry is well formed, keys ascend, and lie between what the parent says.
    fn keys(&mut self, page: &Page, at: &Place) {
        let (id, level) = (page.id(), page.level());
        let mut before: Option<&[u8]> = None;
        for slot in 0..page.slots() {
            let row = page.row(slot.into());
            if row.len() < ENTRY_HEADER {
                self.bad_row(page, slot, "length of the entry", row.len(), ENTRY_HEADER);
                continue;
            }
            let key_len = usize::from(u16::from_le_bytes([row[1], row[2]]));
            if row.len() < ENTRY_HEADER + key_len {
                self.bad_row(page, slot, "length of the key", row.len() - ENTRY_HEADER, key_len);
                continue;
            }
            let allowed = if level == 0 { GHOST } else { 0 };
            if row[0] & !allowed != 0 {
                self.bad_row(page, slot, "status bits", row[0].into(), (row[0] & allowed).into());
            }
            let (key, rest) = split_entry(row);
            if level > 0 && rest.len() != 6 {
                self.bad_row(page, slot, "length of the reference", rest.len(), 6);
            }
            if level > 0 && slot == 0 {
                if !key.is_empty() {
                    self.bad_row(page, slot, "the first key is empty", key.len(), 0);
                }
                before = Some(key);
                continue;
            }
            match before.map(|b| b.cmp(key)) {
                Some(std::cmp::Ordering::Greater) => self.find(What::KeyOrder { page: id, slot }),
                Some(std::cmp::Ordering::Equal) => self.find(What::DuplicateKey { page: id, slot }),
                _ => {}
            }
            if key < &at.lower[..] {
                self.find(What::LowKey { page: id, level, parent: at.parent, slot: at.slot });
            }
            if at.upper.as_ref().is_some_and(|upper| key >= &upper[..]) {
                self.find(What::HighKey { page: id, level, parent: at.parent, slot: at.slot + 1 });
            }
            before = Some(key);
        }
    }
}
