//! A copy of a page, for readers that hold no latch between calls.
//!
//! Making room of 8 KB for each point lookup costs as much as the lookup, so a thread keeps the rooms of its last copies.

use super::Page;
use std::cell::RefCell;
use std::ops::Deref;
use std::sync::Arc;

/// Rooms that a thread keeps at most: the cursors of a join that are open at once.
const KEPT: usize = 4;

thread_local! {
    static KEPT_HERE: RefCell<Vec<Arc<Page>>> = const { RefCell::new(Vec::new()) };
}

/// A copy of a page. Before the first [`PageCopy::of`] its bytes are those of any page, or zeroes.
pub(crate) struct PageCopy(Arc<Page>);

impl PageCopy {
    /// Room for a copy.
    #[inline]
    pub(crate) fn new() -> PageCopy {
        let kept = KEPT_HERE.try_with(|kept| kept.borrow_mut().pop()).ok().flatten();
        PageCopy(kept.unwrap_or_else(|| Arc::new(Page([0; super::PAGE_BYTES]))))
    }

    /// Becomes the copy of this page.
    #[inline]
    pub(crate) fn of(&mut self, page: &Page) {
        match Arc::get_mut(&mut self.0) {
            Some(room) => room.0.copy_from_slice(&page.0),
            // Rooms are handed from one copy to the next, and never to two.
            None => unreachable!("a copy has a room of its own"),
        }
    }
}

impl Deref for PageCopy {
    type Target = Page;

    #[inline]
    fn deref(&self) -> &Page {
        &self.0
    }
}

impl Drop for PageCopy {
    fn drop(&mut self) {
        // A thread that ends keeps nothing.
        let _ = KEPT_HERE.try_with(|kept| {
            let mut kept = kept.borrow_mut();
            if kept.len() < KEPT {
                kept.push(self.0.clone());
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_that_are_alive_at_once_have_rooms_of_their_own() {
        let mut page = Page::zeroed();
        let mut copies: Vec<PageCopy> = (0..=KEPT).map(|_| PageCopy::new()).collect();
        for (n, copy) in copies.iter_mut().enumerate() {
            page.0.fill(n as u8 + 1);
            copy.of(&page);
        }
        assert!(
            copies
                .iter()
                .enumerate()
                .all(|(n, copy)| copy.0.0 == [n as u8 + 1; super::super::PAGE_BYTES])
        );
        drop(copies);
        assert_eq!(KEPT_HERE.with(|kept| kept.borrow().len()), KEPT);
        let mut again = PageCopy::new();
        again.of(&page);
        assert_eq!(again.bytes(), page.bytes());
        assert_eq!(KEPT_HERE.with(|kept| kept.borrow().len()), KEPT - 1);
    }
}
