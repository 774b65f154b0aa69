//! What is in memory, page by page, for who wants to see it: each page is latched for the moment in which it is looked at, and stays no
//! longer in memory for it.

use super::BufferPool;
use super::Store;
use crate::page::{PageType, seal_image};
use std::sync::atomic::Ordering;
use taffrail_base::{HobtId, PAGE_BYTES, PageId};

/// A page in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PageInMemory {
    /// The id of the page.
    pub id: PageId,
    /// The type of the page; none: a page without an owner.
    pub kind: Option<PageType>,
    /// In its tree; leaves have 0.
    pub level: u8,
    /// The heap or tree of the page.
    pub hobt: HobtId,
    /// Of that tree: 1 is clustered.
    pub index: i32,
    /// The number of rows or entries.
    pub rows: u16,
    /// Bytes that are free; of pages without rows 0.
    pub free: u16,
    /// It has been changed since it was written.
    pub is_modified: bool,
}

impl BufferPool {
    /// Frames that hold pages.
    pub fn used_pages(&self) -> u32 {
        self.occupied().saturating_sub(self.free_pages())
    }

    /// Frames that held pages once and hold none now.
    pub fn free_pages(&self) -> u32 {
        self.free.lock().len() as u32
    }
}

impl BufferPool {
    /// A page of a database, if it is in memory.
    pub fn described(&self, store: &Store, id: PageId) -> Option<PageInMemory> {
        let page = self.read_present(store, id)?;
        let kind = page.kind();
        let slotted = kind.is_some_and(PageType::is_slotted);
        Some(PageInMemory {
            id,
            kind,
            level: page.level(),
            hobt: page.hobt(),
            index: page.index(),
            rows: if slotted { page.slots() } else { 0 },
            free: if slotted { page.free_bytes() } else { 0 },
            is_modified: page.control().first_dirty.load(Ordering::Relaxed) != 0,
        })
    }

    /// Copies a page as its file has it. False: memory does not have it, or it is to be written yet; nothing is said of `bytes` then.
    pub(crate) fn clean_image(
        &self,
        store: &Store,
        id: PageId,
        bytes: &mut [u8; PAGE_BYTES],
    ) -> bool {
        let Some(page) = self.read_present(store, id) else { return false };
        if page.control().first_dirty.load(Ordering::Acquire) != 0 || !page.is_of(store.mark) {
            return false;
        }
        bytes.copy_from_slice(page.bytes());
        seal_image(bytes, store.mark);
        true
    }
}
