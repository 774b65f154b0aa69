//! A heap: all its pages, and stubs against the rows that they stand for.

use std::collections::BTreeMap;

use taffrail_base::PageId;

use super::{Walk, What};
use crate::access::Rid;
use crate::access::heap::{STUB, decode, pointer};
use crate::access::node::{FORWARDED, FORWARDING, GHOST, PADDED};
use crate::error::StorageResult;
use crate::page::{Page, PageType};

/// Stubs and forwarded rows met so far.
#[derive(Default)]
struct Moved {
    /// Where a stub points to; the stub.
    stubs: BTreeMap<Rid, Rid>,
    /// Where a forwarded row is; what it says of its stub.
    rows: BTreeMap<Rid, Rid>,
}

impl Walk<'_> {
    pub(super) fn heap(&mut self) -> StorageResult<()> {
        let mut moved = Moved::default();
        let pages: Vec<PageId> =
            self.allocated.iter().filter(|p| !self.seen.contains(*p)).collect();
        for id in pages {
            let Some(page) = self.read(id, self.hobt.first_iam())? else {
                self.seen.insert(id);
                continue;
            };
            // Large values are looked at afterwards.
            if page.kind() == Some(PageType::Lob) {
                continue;
            }
            self.seen.insert(id);
            if !self.owned(&page, PageType::Heap) {
                continue;
            }
            self.out.pages += 1;
            self.slots(&page);
            for slot in 0..page.slots() {
                if page.has_row(slot.into()) {
                    self.heap_row(&page, slot, &mut moved)?;
                }
            }
        }
        for (to, stub) in &moved.stubs {
            if moved.rows.get(to) != Some(stub) {
                self.find(What::StubAlone { stub: *stub, to: *to });
            }
        }
        for (row, stub) in &moved.rows {
            if moved.stubs.get(row) != Some(stub) {
                self.find(What::ForwardedAlone { row: *row, stub: *stub });
            }
        }
        Ok(())
    }

    fn heap_row(&mut self, page: &Page, slot: u16, moved: &mut Moved) -> StorageResult<()> {
        let row = page.row(slot.into());
        let at = Rid { page: page.id(), slot };
        let flags = row.first().copied().unwrap_or(0);
        if row.len() < STUB {
            self.bad_row(page, slot, "length of the row", row.len(), STUB);
            return Ok(());
        }
        if flags & !(GHOST | FORWARDING | FORWARDED | PADDED) != 0
            || flags & FORWARDING != 0 && flags & FORWARDED != 0
        {
            self.bad_row(page, slot, "status bits", flags.into(), 0);
            return Ok(());
        }
        let padding = if flags & PADDED != 0 { row[row.len() - 1].into() } else { 0 };
        if padding >= row.len() {
            self.bad_row(page, slot, "padding", padding, row.len() - 1);
            return Ok(());
        }
        if flags & GHOST != 0 {
            return Ok(());
        }
        let named = pointer(row).unwrap_or(at);
        if flags & FORWARDING != 0 {
            if let Some(other) = moved.stubs.insert(named, at) {
                self.find(What::StubAlone { stub: other, to: named });
            }
            return Ok(());
        }
        let home = if flags & FORWARDED != 0 {
            moved.rows.insert(at, named);
            named
        } else {
            at
        };
        let (copy, key) = (decode(row).to_vec(), home.to_bytes());
        self.visit(home, slot, &key, &copy)
    }
}
