//! Pages and their latches as sessions of extended events hear of them.

use taffrail_base::{DatabaseId, PageId};
use taffrail_observe::latches::latch_waited;
use taffrail_observe::pages;
use taffrail_observe::xe::{Event, Val, tell, wanted};

use super::pool::page_of;
use super::store::Store;
use crate::page::{Page, PageType};

/// Whose latch, and how it is wanted.
fn fields(key: u64, exclusive: bool) -> Vec<Val> {
    // BUFFER; SH or EX.
    const BUFFER: u8 = 28;
    let page = page_of(key);
    vec![
        BUFFER.into(),
        0.into(),
        if exclusive { 4 } else { 2 }.into(),
        ((key >> 48) as u16).into(),
        page.file.0.into(),
        page.page.into(),
        0.into(),
        true.into(),
        false.into(),
    ]
}

/// Somebody begins to wait for the latch of a frame.
pub(super) fn latch_waits(key: u64, exclusive: bool) {
    if wanted(Event::LatchSuspendBegin) {
        tell(Event::LatchSuspendBegin, &fields(key, exclusive));
    }
}

/// Tells that a wait has ended with the latch taken.
pub(super) fn latch_taken(key: u64, exclusive: bool, ns: u64) {
    latch_waited(ns);
    if wanted(Event::LatchSuspendEnd) {
        let mut fields = fields(key, exclusive);
        fields.push((ns / 1000).into());
        tell(Event::LatchSuspendEnd, &fields);
    }
}

/// A page was read from its file, or written to it.
#[cold]
pub(super) fn page_moved(event: Event, database: DatabaseId, page: PageId) {
    tell(event, &[page.file.0.into(), page.page.into(), database.0.into()]);
}

/// A page was latched: whose it is is noted where that is to be told.
#[inline]
pub(crate) fn seen<G: std::ops::Deref<Target = Page>>(store: &Store, guard: G) -> G {
    if pages::are_watched() {
        let lob = guard.kind() == Some(PageType::Lob);
        pages::touched(store.id.0, guard.hobt().0, |p| {
            *(if lob { &mut p.lob_logical } else { &mut p.logical }) += 1;
        });
    }
    guard
}

/// A page was read from disk because somebody asks for it.
pub(super) fn page_read(store: &Store, page: &Page) {
    taffrail_observe::session::page_read();
    if pages::are_watched() {
        let lob = page.kind() == Some(PageType::Lob);
        pages::touched(store.id.0, page.hobt().0, |p| {
            *(if lob { &mut p.lob_physical } else { &mut p.physical }) += 1;
        });
    }
}

/// A page was read from disk before anybody has asked for it.
pub(super) fn page_read_ahead(store: &Store, page: &Page) {
    taffrail_observe::session::page_read();
    if pages::are_watched() {
        pages::touched(store.id.0, page.hobt().0, |p| p.ahead += 1);
    }
}
