//! Pages from disk in large reads: for who knows beforehand what is needed, restart and readers of large values.

use std::sync::atomic::Ordering;

use taffrail_base::{PAGE_BYTES, PageId};
use taffrail_io::AlignedBuf;
use taffrail_observe::xe::{Event, wanted};
use taffrail_observe::{WaitType, wait};

use super::frame::WriteGuard;
use super::pool::{Access, BufferPool, Installed, Source, key_of};
use super::store::Store;
use super::told;
use crate::error::{StorageError, StorageResult};

/// Pages that one read brings.
pub const RUN_PAGES: usize = 64;
/// Pages that nobody asked for, between two that are wanted, that are read along: cheaper than another read.
const GAP_PAGES: u32 = 4;

impl BufferPool {
    /// Brings pages in, neighbours with one read. `pages` are in ascending order; those in memory, those beyond the end of their file
    /// and those that are damaged or cannot be read are left out: who asks for one of these gets the error. Returns how many were read.
    ///
    /// Only for a caller that is alone with these pages: between the read and its arrival in a frame nobody may change one.
    pub fn bring_in(
        &self,
        store: &Store,
        pages: &[PageId],
        scratch: &mut AlignedBuf,
    ) -> StorageResult<usize> {
        let missing: Vec<PageId> =
            pages.iter().copied().filter(|&p| !self.contains(store, p)).collect();
        let most = (scratch.len() / PAGE_BYTES) as u32;
        let mut brought = 0;
        let mut rest = &missing[..];
        while let Some(&first) = rest.first() {
            let mut n = 1;
            while let Some(next) = rest.get(n)
                && next.file == first.file
                && next.page - rest[n - 1].page <= GAP_PAGES + 1
                && next.page - first.page < most
            {
                n += 1;
            }
            brought += self.bring_run(store, &rest[..n], scratch)?;
            rest = &rest[n..];
        }
        Ok(brought)
    }

    fn bring_run(
        &self,
        store: &Store,
        run: &[PageId],
        scratch: &mut AlignedBuf,
    ) -> StorageResult<usize> {
        let first = run[0];
        let Some(file) = store.file(first.file) else { return Ok(0) };
        let (end, _) = file.size();
        let Some(last) = run.iter().rev().find(|p| p.page < end) else { return Ok(0) };
        let bytes = (last.page - first.page + 1) as usize * PAGE_BYTES;
        let offset = first.file_offset();
        store.counters.data_reads.inc();
        store.counters.data_read_bytes.add(bytes as u64);
        if file.volume.read_at(offset, &mut scratch[..bytes]).is_err() {
            // Told to whoever asks for the page that cannot be read, after it has been tried again; the others can.
            return Ok(0);
        }
        let mut brought = 0;
        for &page in run.iter().take_while(|p| p.page < end) {
            let at = (page.page - first.page) as usize * PAGE_BYTES;
            let image: &[u8; PAGE_BYTES] =
                scratch[at..at + PAGE_BYTES].try_into().expect("a page's bytes");
            match self.arrive(store, page, Source::Image(image)) {
                Ok(()) => brought += 1,
                // Told to whoever asks for the page.
                Err(StorageError::Corrupt(_)) => {}
                Err(e) => return Err(e),
            }
        }
        Ok(brought)
    }

    /// Brings pages in that are going to be read one after the other, neighbours with one read. What is in memory is left out, and what
    /// cannot be read or is damaged: who asks for it gets the error. Others may change the pages meanwhile: each is latched from
    /// before the read to its arrival.
    ///
    /// Nobody needs this: where no frame can be had at once it ends.
    pub fn read_ahead(&self, store: &Store, pages: &[PageId]) {
        let most = (self.limit() as usize / 32).clamp(1, RUN_PAGES);
        let mut scratch = None;
        let mut rest = pages;
        while let Some(&first) = rest.first() {
            let mut n = 1;
            while n < most
                && let Some(next) = rest.get(n)
                && next.file == first.file
                && next.page.checked_sub(first.page) == Some(n as u32)
            {
                n += 1;
            }
            let (run, after) = rest.split_at(n);
            rest = after;
            if n > 1 && run.iter().any(|p| !self.contains(store, *p)) {
                let scratch = scratch.get_or_insert_with(|| AlignedBuf::zeroed(most * PAGE_BYTES));
                self.read_run_ahead(store, run, scratch);
            }
        }
    }

    /// As [`Self::read_ahead`], for pages that are neighbours.
    fn read_run_ahead(&self, store: &Store, run: &[PageId], scratch: &mut AlignedBuf) {
        let Some(file) = store.file(run[0].file).filter(|_| store.check().is_ok()) else { return };
        let (end, _) = file.size();
        let mut latched: Vec<(usize, WriteGuard<'_>)> = Vec::with_capacity(run.len());
        for (at, &page) in run.iter().enumerate().filter(|(_, p)| p.page < end) {
            if self.contains(store, page) {
                continue;
            }
            // Latches are held from here on, so nothing may be waited for.
            let Some(frame) = self.spare_frame() else { break };
            if let Installed::Here(guard) =
                self.install_in(frame, key_of(store.id, page), Access::Scan)
            {
                latched.push((at, guard));
            }
        }
        let (Some((from, _)), Some((to, _))) = (latched.first(), latched.last()) else { return };
        let from = *from;
        let bytes = (to + 1 - from) * PAGE_BYTES;
        let offset = run[from].file_offset();
        store.counters.data_reads.inc();
        store.counters.data_read_bytes.add(bytes as u64);
        let read = {
            let _w = wait(WaitType::PageIoLatchSh);
            file.volume.read_at(offset, &mut scratch[..bytes])
        };
        for (at, mut guard) in latched {
            let key = key_of(store.id, run[at]);
            let start = (at - from) * PAGE_BYTES;
            if read.is_ok() {
                guard.bytes_mut().copy_from_slice(&scratch[start..start + PAGE_BYTES]);
            }
            // A suspect database's may be older than what was in memory.
            let whole = read.is_ok() && store.check_page(run[at], &mut guard).is_ok();
            if !whole || store.check().is_err() {
                self.give_up(&guard, key);
                continue;
            }
            self.counters.page_reads.inc();
            if wanted(Event::PhysicalPageRead) {
                told::page_moved(Event::PhysicalPageRead, store.id, run[at]);
            }
            told::page_read_ahead(store, &guard);
            guard.control().valid.store(true, Ordering::Release);
        }
    }
}
