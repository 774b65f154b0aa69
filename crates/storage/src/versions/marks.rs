//! Changes of a whole heap or tree, or of whole pages, that note no rows: those of loads, of truncation, and of whoever found no memory.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use taffrail_base::PageId;

use super::rows::{TreeVersions, View, committed};
use super::snapshot::Moments;
use crate::txn::TxnEntry;

/// A change of a heap or tree as a whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mark {
    /// It had no row before.
    Filled,
    /// It was made, or emptied: snapshots of before cannot read it.
    Remade,
    /// Rows were changed, and what they were is not kept.
    Unkept,
}

/// The content of a page for a reader.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PageSeen {
    /// Rows, each as it was.
    Rows,
    /// Nothing: it was not there.
    Empty,
    /// It cannot be said, for this reason.
    Unknown(Mark),
}

#[derive(Default)]
pub(crate) struct Marks {
    whole: Vec<(Arc<TxnEntry>, Mark)>,
    /// Pages that were loaded.
    pages: BTreeMap<PageId, Arc<TxnEntry>>,
}

impl Marks {
    pub(super) fn writers(&self, all: &mut Vec<Arc<TxnEntry>>) {
        all.extend(self.whole.iter().map(|(by, _)| by.clone()));
        all.extend(self.pages.values().cloned());
    }
}

impl TreeVersions {
    fn marked(&self, more: usize) {
        self.marked.fetch_add(more, Ordering::SeqCst);
        self.busy.fetch_add(more, Ordering::SeqCst);
    }

    fn unmarked(&self, fewer: usize) {
        self.marked.fetch_sub(fewer, Ordering::SeqCst);
        self.busy.fetch_sub(fewer, Ordering::SeqCst);
    }

    #[inline]
    fn has_marks(&self) -> bool {
        self.marked.load(Ordering::SeqCst) > 0
    }

    /// Before a transaction changes all of it. False: that is marked already.
    pub fn mark(&self, by: &Arc<TxnEntry>, mark: Mark) -> bool {
        let mut marks = self.marks.lock();
        if marks.whole.iter().any(|(other, of)| Arc::ptr_eq(other, by) && *of == mark) {
            return false;
        }
        marks.whole.push((by.clone(), mark));
        self.marked(1);
        true
    }

    /// Whether a transaction keeps no rows of it.
    pub fn is_unkept(&self, by: &TxnEntry) -> bool {
        let mine = |(other, mark): &(Arc<TxnEntry>, Mark)| {
            std::ptr::eq(&**other, by) && *mark == Mark::Unkept
        };
        self.has_marks() && self.marks.lock().whole.iter().any(mine)
    }

    /// Before a transaction gives it a page with rows.
    pub fn mark_page(&self, by: &Arc<TxnEntry>, page: PageId) {
        if self.marks.lock().pages.insert(page, by.clone()).is_none() {
            self.marked(1);
        }
    }

    /// The content of a page for a reader. The caller holds its latch.
    pub fn seen(&self, view: View, page: PageId) -> PageSeen {
        if !self.has_marks() {
            return PageSeen::Rows;
        }
        let marks = self.marks.lock();
        let mut seen = PageSeen::Rows;
        for (_, mark) in marks.whole.iter().filter(|(by, _)| !view.sees(by)) {
            match mark {
                Mark::Filled => seen = PageSeen::Empty,
                unknown => return PageSeen::Unknown(*unknown),
            }
        }
        match marks.pages.get(&page) {
            Some(by) if !view.sees(by) => PageSeen::Empty,
            _ => seen,
        }
    }

    /// The transaction has undone what it had marked.
    pub fn unmark(&self, by: &TxnEntry, mark: Mark) {
        let mut marks = self.marks.lock();
        let mine = |(other, of): &(Arc<TxnEntry>, Mark)| std::ptr::eq(&**other, by) && *of == mark;
        if let Some(at) = marks.whole.iter().position(mine) {
            marks.whole.swap_remove(at);
            self.unmarked(1);
        }
    }

    /// The transaction has undone the page's allocation.
    pub fn unmark_page(&self, by: &TxnEntry, page: PageId) {
        let mut marks = self.marks.lock();
        if marks.pages.get(&page).is_some_and(|other| std::ptr::eq(&**other, by)) {
            marks.pages.remove(&page);
            self.unmarked(1);
        }
    }

    /// Takes away the marks of transactions that everybody sees.
    pub(super) fn sweep_marks(&self, moments: &Moments) {
        if !self.has_marks() {
            return;
        }
        let seen = |by: &TxnEntry| {
            let at = committed(by);
            at != 0 && at <= moments.oldest()
        };
        let mut marks = self.marks.lock();
        let before = marks.whole.len() + marks.pages.len();
        marks.whole.retain(|(by, _)| !seen(by));
        marks.pages.retain(|_, by| !seen(by));
        let gone = before - marks.whole.len() - marks.pages.len();
        self.unmarked(gone);
    }
}
