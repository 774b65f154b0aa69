//! Large values: each page of one is in one tree, or one chain of format version 3 or before, to which one row refers; a slot of a text
//! mix page is such a page.

use std::collections::{BTreeMap, BTreeSet};

use taffrail_base::PageId;

use super::{Walk, What};
use crate::access::directory::{self, Pending};
use crate::access::lob::{Content, filled, values};
use crate::access::{LobRef, Rid};
use crate::error::StorageResult;
use crate::page::Page;

/// A page of a large value, or a slot.
struct Member {
    /// Where on its page.
    slot: u16,
    /// The next of a chain.
    next: PageId,
    level: u8,
    /// Bytes of the value; 0: its content was never written, or is a node.
    len: u64,
    /// The references of a node.
    below: Vec<LobRef>,
    claimed: bool,
}

/// Large values as far as they are known.
#[derive(Default)]
pub(super) struct Lobs {
    /// By page and the identity that it bears.
    pages: BTreeMap<(PageId, u64), Member>,
    /// Text mix pages without a value.
    empty: BTreeSet<PageId>,
    references: Vec<(Rid, LobRef)>,
}

impl Lobs {
    pub fn referred(&mut self, row: Rid, lob: LobRef) {
        self.references.push((row, lob));
    }

    /// A text mix page of the heap's or tree's. The slots that hold no value, or one that is there twice.
    pub fn mix(&mut self, page: &Page) -> Vec<u16> {
        let mut bad = Vec::new();
        let mut empty = true;
        for (slot, value) in values(page) {
            empty = false;
            let Some((id, bytes)) = value else {
                bad.push(slot);
                continue;
            };
            let (next, level, len, below) = (PageId::NONE, 0, bytes.len() as u64, Vec::new());
            let member = Member { slot, next, level, len, below, claimed: false };
            if self.pages.insert((page.id(), id), member).is_some() {
                bad.push(slot);
            }
        }
        if empty {
            self.empty.insert(page.id());
        }
        bad
    }

    /// A page of the heap's or tree's that is one value's. False: its row is neither a piece nor references.
    pub fn page(&mut self, page: &Page) -> bool {
        let content = filled(page);
        let formed = content.is_some() || page.slots() == 0;
        let (len, below) = match content {
            None => (0, Vec::new()),
            Some(Content::Piece(piece)) => (piece.len() as u64, Vec::new()),
            Some(Content::Node(node)) => (0, node.iter().collect()),
        };
        let (next, level) = (page.next(), page.level());
        let member = Member { slot: 0, next, level, len, below, claimed: false };
        self.pages.insert((page.id(), page.lob_id()), member);
        formed
    }

    /// A page that is the value's, and only its.
    fn claim(&mut self, page: PageId, id: u64, row: Rid) -> Result<&Member, What> {
        match self.pages.get_mut(&(page, id)) {
            Some(m) if m.claimed => Err(What::LobTwice { page, slot: m.slot, row }),
            Some(m) => {
                m.claimed = true;
                Ok(m)
            }
            None => Err(What::LobMissing { page, row }),
        }
    }

    /// The pages of what a row refers to. What a reference says of the bytes below it is held against what there is.
    fn value(&mut self, row: Rid, lob: LobRef) -> Result<(), What> {
        let mut todo = vec![(lob, None)];
        while let Some((lob, level)) = todo.pop() {
            let page = lob.first;
            let member = self.claim(page, lob.id, row)?;
            if level.is_some_and(|l| l != member.level) {
                return Err(What::LobMissing { page, row });
            }
            let expected = lob.length;
            if member.level > 0 {
                let found = member.below.iter().map(|b| b.length).sum();
                if found != expected || found == 0 {
                    return Err(What::LobLength { page, found, expected });
                }
                let below = Some(member.level - 1);
                todo.extend(member.below.iter().rev().map(|b| (*b, below)));
                continue;
            }
            let (mut found, mut next, mut empty) = (member.len, member.next, member.len == 0);
            // Only what the row refers to is a chain.
            while level.is_none() && !next.is_none() && found < expected && !empty {
                let member = self.claim(next, lob.id, row)?;
                if member.level > 0 {
                    return Err(What::LobMissing { page: next, row });
                }
                empty = member.len == 0;
                found += member.len;
                next = member.next;
            }
            if found != expected || !next.is_none() {
                return Err(What::LobLength { page, found, expected });
            }
        }
        Ok(())
    }

    /// Claims a page that waits to be freed, alone or with all it leads to.
    fn waits(&mut self, page: PageId, id: u64, whole: bool) {
        // Whoever frees it, though it is not there any more, gives back the page.
        self.empty.remove(&page);
        let mut todo = vec![(page, id)];
        while let Some((page, id)) = todo.pop() {
            let Some(m) = self.pages.get_mut(&(page, id)).filter(|m| !m.claimed) else { continue };
            m.claimed = true;
            if whole {
                todo.extend(m.below.iter().map(|b| (b.first, b.id)));
                todo.push((m.next, id));
            }
        }
    }
}

impl Walk<'_> {
    /// Rows' references, and what waits to be freed, against the pages that there are.
    pub(super) fn large_values(&mut self) -> StorageResult<()> {
        let mut lobs = std::mem::take(&mut self.lobs);
        for (row, lob) in std::mem::take(&mut lobs.references) {
            if let Err(what) = lobs.value(row, lob) {
                self.find(what);
            }
        }
        if !self.rows.tells_lobs() {
            return Ok(());
        }
        for waiting in directory::pending(self.db)? {
            match waiting {
                Pending::Pages(_, hobt, pages) if hobt == self.hobt.id() => {
                    pages.iter().for_each(|p| lobs.waits(p.page, p.id, p.whole));
                }
                _ => {}
            }
        }
        // Looked up after what waits: what is in neither has been freed in between.
        for ((page, id), m) in &lobs.pages {
            let filled = m.len > 0 || !m.below.is_empty();
            if !m.claimed && filled && self.is_allocated(*page)? {
                self.find(What::LobAlone { page: *page, slot: m.slot, id: *id });
            }
        }
        for page in lobs.empty {
            if self.is_allocated(page)? {
                self.find(What::NotSeen { page });
            }
        }
        Ok(())
    }
}
