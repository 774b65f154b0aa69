//! Which page is in which frame.
//!
//! A page's key is its database (16 bits) and its [`PageId`] (48 bits) in one integer. The table from keys to frames is split into
//! shards. Victims are found by a clock: a hit makes the hand pass up to twice more, a page that a scan brought in is passed not even
//! once, so that a scan of a large table lives in a few frames. Dirty victims are written in batches: one double-write, one sync.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use foldhash::fast::FixedState;
use taffrail_base::sync::{Mutex, thread};
use taffrail_base::{DatabaseId, PAGE_BYTES, PageId};
use taffrail_log::fair::RwLock;
use taffrail_observe::BufferCounters;
use taffrail_observe::xe::{Event, wanted};

use super::frame::{Arena, Control, Pin, ReadGuard, WriteGuard};
use super::store::Store;
use super::told;
use super::writer::Unhardened;
use crate::error::{StorageError, StorageResult};

/// How a page is going to be used: decides how long it stays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// Likely again.
    Normal,
    /// By a scan: leave soon.
    Scan,
}

const SHARDS: usize = 64;
/// Frames that the hand looks at for [`BufferPool::spare_frame`].
const SPARE_STEPS: u32 = 64;
/// Times that the hand goes four times round before there is no frame (message 802); of these with a yield between them only,
/// then a millisecond each.
const SWEEPS: u64 = 500;
const SWEEPS_AT_ONCE: u64 = 16;
/// Rounds of the hand in which a dirty page is passed over while somebody writes pages of its database, and the most steps of them: about
/// as long as the device takes for some writes.
const WAITLESS_ROUNDS: u64 = 3;
const WAITLESS_STEPS: u64 = 16_384;

type Shard = Mutex<hashbrown::HashMap<u64, u32, FixedState>>;

/// The pool.
pub struct BufferPool {
    arena: Arena,
    shards: Box<[Shard]>,
    /// Pages come into frames below: see [`BufferPool::set_target`].
    pub(super) limit: AtomicU32,
    /// Frames at or above were never used.
    pub(super) high_water: AtomicU32,
    /// Frames at or above hold no page: they were given back, or never used.
    pub(super) emptied: AtomicU32,
    /// Held by who changes the limit or empties frames beyond it.
    pub(super) sizing: Mutex<()>,
    /// Frames below have memory, or were used without: see [`BufferPool::ready_ahead`].
    pub(super) ready: AtomicU32,
    pub(super) free: Mutex<Vec<u32>>,
    pub(super) hand: AtomicU32,
    pub(super) stores: RwLock<HashMap<DatabaseId, Arc<Store>>>,
    /// Counters of `SQLServer:Buffer Manager`.
    pub counters: BufferCounters,
}

/// A page's key.
#[inline]
pub(super) fn key_of(database: DatabaseId, page: PageId) -> u64 {
    (u64::from(database.0) << 48) | page.to_u64()
}

/// The page of a key.
#[inline]
pub(super) fn page_of(key: u64) -> PageId {
    PageId::from_u64(key & 0xffff_ffff_ffff)
}

impl BufferPool {
    /// A pool of this many bytes, at least 64 frames.
    pub fn new(bytes: u64) -> std::io::Result<BufferPool> {
        let frames = (bytes / PAGE_BYTES as u64).clamp(64, (1 << 31) - 1) as usize;
        let counters = BufferCounters::default();
        counters.target_pages.set(frames as i64);
        Ok(BufferPool {
            arena: Arena::new(frames)?,
            shards: (0..SHARDS).map(|_| Shard::default()).collect(),
            limit: AtomicU32::new(frames as u32),
            high_water: AtomicU32::new(0),
            emptied: AtomicU32::new(frames as u32),
            sizing: Mutex::default(),
            ready: AtomicU32::new(0),
            free: Mutex::default(),
            hand: AtomicU32::new(0),
            stores: RwLock::default(),
            counters,
        })
    }

    /// Frames.
    pub fn frames(&self) -> u32 {
        self.arena.frames()
    }

    pub(super) fn limit(&self) -> u32 {
        self.limit.load(Ordering::Relaxed)
    }

    pub(super) fn arena(&self) -> &Arena {
        &self.arena
    }

    /// Makes a database's store known, so that its dirty pages can be victims.
    pub fn register(&self, store: &Arc<Store>) {
        self.stores.write().insert(store.id, store.clone());
    }

    /// The opposite of [`BufferPool::register`].
    pub fn unregister(&self, id: DatabaseId) {
        self.stores.write().remove(&id);
    }

    fn shard(&self, key: u64) -> &Shard {
        let h = (key ^ (key >> 29)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        &self.shards[(h >> 58) as usize]
    }

    /// Pins the page if it is in the frame that an earlier guard named: no table is asked.
    #[inline]
    pub fn hinted(&self, store: &Store, page: PageId, frame: u32) -> Option<Pin<'_>> {
        // Who is told no asks the table, and gets the error.
        if frame >= self.arena.frames() || store.check().is_err() {
            return None;
        }
        let pin = self.arena.pin(frame)?;
        let control = pin.control();
        let same = control.key.load(Ordering::Acquire) == key_of(store.id, page)
            && control.valid.load(Ordering::Acquire);
        same.then_some(pin)
    }

    /// Latches a page shared.
    pub fn read(&self, store: &Store, page: PageId) -> StorageResult<ReadGuard<'_>> {
        self.read_for(store, page, Access::Normal)
    }

    /// Latches a page shared, for a scan or otherwise.
    pub fn read_for(
        &self,
        store: &Store,
        page: PageId,
        access: Access,
    ) -> StorageResult<ReadGuard<'_>> {
        let key = key_of(store.id, page);
        loop {
            match self.find(store, key, access, Source::Disk)? {
                Found::Pinned(pin) => {
                    let guard = pin.read();
                    if is(guard.control(), key) {
                        return Ok(told::seen(store, guard));
                    }
                }
                Found::Loaded(guard) => return Ok(told::seen(store, guard.downgrade())),
            }
        }
    }

    /// Latches a page exclusively.
    pub fn write(&self, store: &Store, page: PageId) -> StorageResult<WriteGuard<'_>> {
        let key = key_of(store.id, page);
        loop {
            match self.find(store, key, Access::Normal, Source::Disk)? {
                Found::Pinned(pin) => {
                    let guard = pin.write();
                    if is(guard.control(), key) {
                        return Ok(told::seen(store, guard));
                    }
                }
                Found::Loaded(guard) => return Ok(told::seen(store, guard)),
            }
        }
    }

    /// Latches a page exclusively without reading it from disk: for a page that is about to be formatted. What it holds
    /// is whatever the pool had, or zeroes.
    pub fn write_unread(&self, store: &Store, page: PageId) -> StorageResult<WriteGuard<'_>> {
        let key = key_of(store.id, page);
        loop {
            match self.find(store, key, Access::Normal, Source::Nothing)? {
                Found::Pinned(pin) => {
                    let guard = pin.write();
                    if is(guard.control(), key) {
                        return Ok(guard);
                    }
                }
                Found::Loaded(guard) => return Ok(guard),
            }
        }
    }

    /// Puts a page into a frame, unless it is in one.
    pub(super) fn arrive(
        &self,
        store: &Store,
        page: PageId,
        source: Source<'_>,
    ) -> StorageResult<()> {
        self.find(store, key_of(store.id, page), Access::Normal, source).map(drop)
    }

    /// True if a page can come in without another's going.
    pub(super) fn has_free_frames(&self) -> bool {
        self.high_water.load(Ordering::Relaxed) < self.limit() || !self.free.lock().is_empty()
    }

    /// Latches a page exclusively if it is in memory.
    pub fn write_present(&self, store: &Store, page: PageId) -> Option<WriteGuard<'_>> {
        let key = key_of(store.id, page);
        loop {
            let guard = self.lookup(key, Access::Scan)?.write();
            if is(guard.control(), key) {
                return Some(guard);
            }
        }
    }

    /// Drops what is in memory of a page, unwritten.
    pub(crate) fn forget(&self, store: &Store, page: PageId) {
        let Some(guard) = self.write_present(store, page) else { return };
        let (control, key) = (guard.control(), key_of(store.id, page));
        control.valid.store(false, Ordering::Release);
        control.first_dirty.store(0, Ordering::SeqCst);
        self.shard(key).lock().remove(&key);
        control.key.store(0, Ordering::Release);
    }

    /// Latches a page shared if it is in memory; how long it stays there does not change.
    pub fn read_present(&self, store: &Store, page: PageId) -> Option<ReadGuard<'_>> {
        let key = key_of(store.id, page);
        loop {
            let guard = self.lookup(key, Access::Scan)?.read();
            if is(guard.control(), key) {
                return Some(guard);
            }
            // Nobody has what could not be read.
            if !self.contains(store, page) {
                return None;
            }
        }
    }

    /// The pages of a database that are in memory, in no order.
    pub fn present(&self, store: &Store) -> Vec<PageId> {
        let used = self.high_water.load(Ordering::Relaxed).min(self.arena.frames());
        let keys = (0..used).map(|frame| self.arena.control(frame).key.load(Ordering::Acquire));
        let ours = keys.filter(|key| *key != 0 && key >> 48 == u64::from(store.id.0));
        ours.map(page_of).collect()
    }

    /// True if the page is in memory.
    pub fn contains(&self, store: &Store, page: PageId) -> bool {
        let key = key_of(store.id, page);
        self.shard(key).lock().contains_key(&key)
    }

    fn find(
        &self,
        store: &Store,
        key: u64,
        access: Access,
        source: Source<'_>,
    ) -> StorageResult<Found<'_>> {
        // What is in memory of a suspect database may never have become durable: nobody sees it.
        store.check()?;
        self.counters.page_lookups.inc();
        taffrail_observe::session::page_looked_up();
        if let Some(pin) = self.lookup(key, access) {
            return Ok(Found::Pinned(pin));
        }
        let mut guard = match self.install(store, key, access)? {
            Installed::Here(guard) => guard,
            Installed::There(Some(pin)) => return Ok(Found::Pinned(pin)),
            Installed::There(None) => {
                thread::yield_now();
                return self.find(store, key, access, source);
            }
        };
        let page = page_of(key);
        let filled = match source {
            Source::Disk => store.read_page(page, &mut guard),
            Source::Image(image) => {
                guard.bytes_mut().copy_from_slice(image);
                store.check_page(page, &mut guard).map_err(|what| store.corrupt(page, what))
            }
            Source::Nothing => {
                guard.bytes_mut().fill(0);
                Ok(())
            }
        };
        // What was dirty of a suspect database may have been dropped since: on disk is an older one.
        if let Err(e) = filled.and_then(|()| store.check()) {
            self.give_up(&guard, key);
            return Err(e);
        }
        if !matches!(source, Source::Nothing) {
            self.counters.page_reads.inc();
            if wanted(Event::PhysicalPageRead) {
                told::page_moved(Event::PhysicalPageRead, store.id, page);
            }
            told::page_read(store, &guard);
        }
        guard.control().valid.store(true, Ordering::Release);
        Ok(Found::Loaded(guard))
    }

    /// Gives a page a frame, latched exclusively and not valid yet, unless it has one.
    pub(super) fn install(
        &self,
        store: &Store,
        key: u64,
        access: Access,
    ) -> StorageResult<Installed<'_>> {
        debug_assert_eq!(key >> 48, u64::from(store.id.0));
        let frame = self.take_frame()?;
        Ok(self.install_in(frame, key, access))
    }

    /// The same in a frame that the caller has taken.
    pub(super) fn install_in(&self, frame: u32, key: u64, access: Access) -> Installed<'_> {
        let control = self.arena.control(frame);
        {
            let mut shard = self.shard(key).lock();
            if let Some(&other) = shard.get(&key) {
                // Somebody was faster. A frame of the table that is being evicted is removed from it by its evictor: let it.
                let pin = self.arena.pin(other);
                drop(shard);
                self.arena.disown(frame);
                self.free.lock().push(frame);
                return Installed::There(pin);
            }
            control.valid.store(false, Ordering::Relaxed);
            control.first_dirty.store(0, Ordering::Relaxed);
            control.format_pos.store(0, Ordering::Relaxed);
            control.listed.store(false, Ordering::Relaxed);
            control.recent.store(u8::from(access == Access::Normal), Ordering::Relaxed);
            control.key.store(key, Ordering::Release);
            shard.insert(key, frame);
        }
        // Between the insertion and the latch others may pin and latch the frame; they see `valid` unset, and give it up.
        Installed::Here(self.arena.owned_to_pin(frame).write())
    }

    /// What was installed could not be read.
    pub(super) fn give_up(&self, guard: &WriteGuard<'_>, key: u64) {
        self.shard(key).lock().remove(&key);
        guard.control().key.store(0, Ordering::Release);
    }

    #[inline]
    fn lookup(&self, key: u64, access: Access) -> Option<Pin<'_>> {
        loop {
            let pin = {
                let shard = self.shard(key).lock();
                let &frame = shard.get(&key)?;
                self.arena.pin(frame)
            };
            match pin {
                Some(pin) => {
                    let control = pin.control();
                    if access == Access::Normal && control.recent.load(Ordering::Relaxed) < 2 {
                        control.recent.store(2, Ordering::Relaxed);
                    }
                    return Some(pin);
                }
                // Being evicted or installed by a thread that is about to take this shard.
                None => thread::yield_now(),
            }
        }
    }

    /// An owned frame that holds no page.
    fn take_frame(&self) -> StorageResult<u32> {
        if let Some(frame) = self.free_frame() {
            return Ok(frame);
        }
        self.counters.free_list_stalls.inc();
        self.sweep()
    }

    /// A frame for somebody who can do without: a free one, or a clean page's that nobody asks for, if the hand comes to one soon.
    pub(super) fn spare_frame(&self) -> Option<u32> {
        let near = || {
            let frame = self.hand.fetch_add(1, Ordering::Relaxed) % self.limit();
            let control = self.arena.control(frame);
            if control.pins.load(Ordering::Relaxed) != 0 {
                return None;
            }
            let recent = control.recent.load(Ordering::Relaxed);
            control.recent.store(recent.saturating_sub(1), Ordering::Relaxed);
            let goes = recent == 0 && control.first_dirty.load(Ordering::Relaxed) == 0;
            (goes && self.evict(frame) && self.is_within(frame)).then_some(frame)
        };
        self.free_frame().or_else(|| (0..SPARE_STEPS).find_map(|_| near()))
    }

    /// One that holds no page.
    fn free_frame(&self) -> Option<u32> {
        while let Some(frame) = self.free.lock().pop() {
            // The clock may have found it meanwhile, and it holds a page again; one pinned by a stale hint is found by the clock.
            if self.arena.own(frame) && self.is_within(frame) {
                if self.arena.control(frame).key.load(Ordering::Relaxed) == 0 {
                    return Some(frame);
                }
                self.arena.disown(frame);
            }
        }
        let next = |used: u32| (used < self.limit()).then_some(used + 1);
        let more = self.high_water.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).ok();
        more.filter(|frame| self.arena.own(*frame) && self.is_within(*frame))
    }

    /// Whether pages may come into an owned frame; one beyond the limit is given up. Asked while it is owned: who empties frames beyond a
    /// new limit has owned them after it was set, so nobody can bring a page into one that has been emptied.
    fn is_within(&self, frame: u32) -> bool {
        let within = frame < self.limit.load(Ordering::SeqCst);
        if !within {
            self.arena.disown(frame);
        }
        within
    }

    fn sweep(&self) -> StorageResult<u32> {
        let n = self.limit();
        // Three rounds bring every counter to zero, the fourth takes; more are for pins and latches that come and go: soon if
        // who has them runs, later if he waits for a processor or a disk.
        let mut write_error = None;
        // A checkpoint writes: where a clean page goes, nobody waits for its sync.
        let mut busy_until = 0;
        let waitless = (u64::from(n) * WAITLESS_ROUNDS).min(WAITLESS_STEPS);
        for step in 0..u64::from(n) * 4 * SWEEPS {
            if step > 0 && step % (u64::from(n) * 4) == 0 {
                if write_error.is_some() {
                    break;
                }
                match step / (u64::from(n) * 4) {
                    ..SWEEPS_AT_ONCE => thread::yield_now(),
                    _ => thread::sleep(Duration::from_millis(1)),
                }
            }
            let frame = self.hand.fetch_add(1, Ordering::Relaxed) % n;
            let control = self.arena.control(frame);
            if control.pins.load(Ordering::Relaxed) != 0 {
                continue;
            }
            let recent = control.recent.load(Ordering::Relaxed);
            if recent > 0 {
                control.recent.store(recent - 1, Ordering::Relaxed);
                continue;
            }
            if control.first_dirty.load(Ordering::Relaxed) != 0 {
                if step < busy_until {
                    continue;
                }
                // A flush for it only where nothing else can go.
                let unhardened = match step < u64::from(n) * 5 {
                    true => Unhardened::StayIfTight,
                    false => Unhardened::Written,
                };
                match self.write_victims(frame, unhardened, step >= waitless) {
                    Ok(true) => {}
                    Ok(false) => busy_until = (step + u64::from(n)).min(waitless),
                    Err(e) => {
                        // A failing database must not stop the others.
                        if self.evict_unwritable(frame) && self.is_within(frame) {
                            return Ok(frame);
                        }
                        write_error = Some(e);
                    }
                }
                if control.first_dirty.load(Ordering::Relaxed) != 0 {
                    continue;
                }
            }
            if self.evict(frame) && self.is_within(frame) {
                return Ok(frame);
            }
        }
        Err(write_error.unwrap_or(StorageError::PoolExhausted))
    }

    /// Takes a clean, unpinned frame from its page; true: it is owned now.
    pub(super) fn evict(&self, frame: u32) -> bool {
        if !self.arena.own(frame) {
            return false;
        }
        let control = self.arena.control(frame);
        if control.first_dirty.load(Ordering::Acquire) != 0 {
            self.arena.disown(frame);
            return false;
        }
        let key = control.key.load(Ordering::Relaxed);
        if key != 0 {
            let mut shard = self.shard(key).lock();
            if shard.get(&key) == Some(&frame) {
                shard.remove(&key);
            }
            control.key.store(0, Ordering::Release);
            control.valid.store(false, Ordering::Release);
            self.counters.evictions.inc();
        }
        true
    }

    /// Forgets every page of a database; nobody uses it any more. Dirty pages are dropped unwritten.
    pub fn discard(&self, database: DatabaseId) {
        self.leave(database, |_| false);
    }

    /// The next handle of a closed database finds its clean pages in memory; what was dirty is forgotten, as by
    /// [`BufferPool::discard`]. What frames say of the log and of lists of the handle before is void.
    pub(crate) fn hand_over(&self, database: DatabaseId) {
        self.leave(database, |control| {
            let stays = control.valid.load(Ordering::Acquire)
                && control.first_dirty.load(Ordering::Acquire) == 0;
            if stays {
                control.format_pos.store(0, Ordering::Release);
                control.listed.store(false, Ordering::Release);
            }
            stays
        });
    }

    /// Forgets the page of an owned frame, dirty or not.
    pub(super) fn drop_page(&self, control: &Control, key: u64) {
        self.shard(key).lock().remove(&key);
        control.key.store(0, Ordering::Release);
        control.valid.store(false, Ordering::Release);
        control.first_dirty.store(0, Ordering::Release);
        control.listed.store(false, Ordering::Release);
    }

    /// Takes each frame of a database that nobody uses any more, and forgets its page unless `stays`.
    fn leave(&self, database: DatabaseId, stays: impl Fn(&Control) -> bool) {
        let used = self.high_water.load(Ordering::Relaxed).min(self.arena.frames());
        for frame in 0..used {
            let control = self.arena.control(frame);
            let ours = |key: u64| key != 0 && key >> 48 == u64::from(database.0);
            if !ours(control.key.load(Ordering::Relaxed)) {
                continue;
            }
            // A writer of victims may hold a pin for a moment.
            while !self.arena.own(frame) {
                thread::yield_now();
            }
            let key = control.key.load(Ordering::Relaxed);
            if ours(key) && !stays(control) {
                self.drop_page(control, key);
                self.free.lock().push(frame);
            }
            self.arena.disown(frame);
        }
    }
}

/// Where a page's bytes come from when it is not in memory.
#[derive(Clone, Copy)]
pub(super) enum Source<'a> {
    /// It is read.
    Disk,
    /// It was read.
    Image(&'a [u8; PAGE_BYTES]),
    /// It is about to be formatted.
    Nothing,
}

/// See [`BufferPool::install`].
pub(super) enum Installed<'p> {
    /// In this frame, by this call.
    Here(WriteGuard<'p>),
    /// It was in one before; none: which is just being given to it or taken from it.
    There(Option<Pin<'p>>),
}

enum Found<'p> {
    /// In the table: latch it, then see whether it is (still) the page.
    Pinned(Pin<'p>),
    /// Brought in just now.
    Loaded(WriteGuard<'p>),
}

#[inline]
fn is(control: &Control, key: u64) -> bool {
    control.key.load(Ordering::Acquire) == key && control.valid.load(Ordering::Acquire)
}
