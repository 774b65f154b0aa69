//! Pages that a thread touches, by their heap or tree, while a statement's are to be told: SET STATISTICS IO.

use std::cell::{Cell, RefCell};

/// The pages of one heap or tree that were touched.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct HobtPages {
    /// The number of the database.
    pub database: u16,
    /// The number of the heap or tree; 0 for pages of none.
    pub hobt: u64,
    /// Seeks and scans that were begun.
    pub scans: u64,
    /// Pages that were latched, those of large values left out.
    pub logical: u64,
    /// Pages that were read from disk for it, those of large values left out.
    pub physical: u64,
    /// Pages that were read from disk before anybody asked for them.
    pub ahead: u64,
    /// Pages of large values that were latched.
    pub lob_logical: u64,
    /// Pages of large values that were read from disk.
    pub lob_physical: u64,
}

thread_local! {
    static WATCHED: Cell<bool> = const { Cell::new(false) };
    static TOUCHED: RefCell<Vec<HobtPages>> = const { RefCell::new(Vec::new()) };
}

/// Whether the pages of this thread's statement are to be told.
#[inline]
pub fn are_watched() -> bool {
    // A thread that is ending works for nobody any more.
    WATCHED.try_with(Cell::get).unwrap_or(false)
}

/// Adds to the pages of a heap or tree.
#[cold]
pub fn touched(database: u16, hobt: u64, add: impl FnOnce(&mut HobtPages)) {
    let _ = TOUCHED.try_with(|touched| {
        let mut list = touched.borrow_mut();
        let at = list.iter().position(|p| (p.database, p.hobt) == (database, hobt));
        let at = at.unwrap_or_else(|| {
            list.push(HobtPages { database, hobt, ..HobtPages::default() });
            list.len() - 1
        });
        add(&mut list[at]);
    });
}

/// The pages that were touched since the watch began or was asked last, in the order of their first touch.
pub fn taken() -> Vec<HobtPages> {
    TOUCHED.try_with(RefCell::take).unwrap_or_default()
}

/// A statement's pages are watched until this is dropped; then those of the statement around it are again.
#[must_use = "pages are watched until this is dropped"]
pub struct PageWatch {
    outer: Vec<HobtPages>,
    outer_watched: bool,
}

impl PageWatch {
    /// Begins to watch this thread.
    pub fn begin() -> PageWatch {
        let outer_watched = WATCHED.try_with(|w| w.replace(true)).unwrap_or(false);
        PageWatch { outer: taken(), outer_watched }
    }
}

impl Drop for PageWatch {
    fn drop(&mut self) {
        let _ = WATCHED.try_with(|w| w.set(self.outer_watched));
        let _ = TOUCHED.try_with(|t| *t.borrow_mut() = std::mem::take(&mut self.outer));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_statement_within_touches_is_its_own() {
        assert!(!are_watched());
        let outer = PageWatch::begin();
        touched(5, 7, |p| p.logical += 1);
        {
            let _inner = PageWatch::begin();
            touched(5, 7, |p| p.logical += 3);
            touched(5, 8, |p| p.scans += 1);
            let logical: Vec<_> = taken().iter().map(|p| (p.hobt, p.logical, p.scans)).collect();
            assert_eq!(logical, [(7, 3, 0), (8, 0, 1)]);
        }
        assert!(are_watched());
        assert_eq!(taken().iter().map(|p| p.logical).sum::<u64>(), 1);
        drop(outer);
        assert!(!are_watched());
    }
}
