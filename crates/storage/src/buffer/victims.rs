//! Dirty pages whose frames are needed, or will be soon, are written together.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use taffrail_base::DatabaseId;
use taffrail_io::IoReason;

use super::pool::BufferPool;
use super::writer::Unhardened;
use crate::error::StorageResult;

/// Dirty victims written together.
const VICTIM_BATCH: usize = 32;

impl BufferPool {
    /// Writes the dirty page of a frame, and with it others that the hand will meet next. `waits`: for whoever writes pages of that
    /// database, as a checkpoint does. False: somebody does, and nothing was written.
    pub(super) fn write_victims(
        &self,
        frame: u32,
        unhardened: Unhardened,
        waits: bool,
    ) -> StorageResult<bool> {
        let database = |f: u32| self.arena().control(f).key.load(Ordering::Relaxed) >> 48;
        let of = database(frame);
        let _why = IoReason::Eviction.begin();
        let Some(store) = self.stores.read().get(&DatabaseId(of as u16)).cloned() else {
            return Ok(true);
        };
        let n = self.limit();
        let mut batch = vec![frame];
        for i in 1..n.min(VICTIM_BATCH as u32 * 8) {
            let f = (frame + i) % n;
            let control = self.arena().control(f);
            if batch.len() < VICTIM_BATCH
                && control.first_dirty.load(Ordering::Relaxed) != 0
                && control.pins.load(Ordering::Relaxed) == 0
                && control.recent.load(Ordering::Relaxed) <= 1
                && database(f) == of
            {
                batch.push(f);
            }
        }
        let written = match waits {
            true => Some(store.write_frames(self, &mut batch, unhardened)?),
            false => store.write_frames_if_idle(self, &mut batch, unhardened)?,
        };
        self.counters.lazy_writes.add(written.unwrap_or(0) as u64);
        Ok(written.is_some())
    }

    /// Takes the frame of a dirty page of a suspect database, if nobody uses it: nothing is read from or written to that database any
    /// more, and its pages would stay for ever in the way of the others'.
    pub(super) fn evict_unwritable(&self, frame: u32) -> bool {
        if !self.arena().own(frame) {
            return false;
        }
        let control = self.arena().control(frame);
        let key = control.key.load(Ordering::Relaxed);
        // Looked up while the frame is owned: the database's next handle comes when every frame of this one has been let go of.
        let store = self.stores.read().get(&DatabaseId((key >> 48) as u16)).cloned();
        let goes = key != 0 && store.is_some_and(|store| store.suspect_reason().is_some());
        match goes {
            true => self.drop_page(control, key),
            false => self.arena().disown(frame),
        }
        goes
    }

    /// Writes some dirty pages ahead of the clock's hand, so that whoever needs a frame finds clean ones. Returns how many.
    pub fn write_ahead_of_hand(&self, pages: u32) -> StorageResult<usize> {
        let n = self.limit();
        if self.high_water.load(Ordering::Relaxed) < n {
            return Ok(0);
        }
        let hand = self.hand.load(Ordering::Relaxed);
        let _why = IoReason::LazyWriter.begin();
        self.write_dirty((0..pages.min(n)).map(|i| hand.wrapping_add(i) % n))
    }

    /// Writes the dirty pages of these frames that nobody pins. Returns how many; an error of one database keeps no other from it.
    pub(super) fn write_dirty(&self, frames: impl Iterator<Item = u32>) -> StorageResult<usize> {
        let mut dirty: BTreeMap<u16, Vec<u32>> = BTreeMap::new();
        for frame in frames {
            let control = self.arena().control(frame);
            if control.first_dirty.load(Ordering::Relaxed) != 0
                && control.pins.load(Ordering::Relaxed) == 0
            {
                let database = (control.key.load(Ordering::Relaxed) >> 48) as u16;
                dirty.entry(database).or_default().push(frame);
            }
        }
        let (mut written, mut failed) = (0, None);
        for (database, mut frames) in dirty {
            let store = self.stores.read().get(&DatabaseId(database)).cloned();
            // A database that has failed has said so; those behind it are written all the same.
            let Some(store) = store.filter(|store| store.check().is_ok()) else { continue };
            match store.write_frames(self, &mut frames, Unhardened::StayIfTight) {
                Ok(n) => written += n,
                Err(e) => failed = failed.or(Some(e)),
            }
        }
        self.counters.lazy_writes.add(written as u64);
        failed.map_or(Ok(written), Err)
    }
}
