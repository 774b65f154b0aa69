//! Virtual log files: which there are, which hold log that is still needed, and how positions become LSNs.
//!
//! ```text
//! Unused ──activate──► Active ──truncate──► Reusable ──activate──► Active …     (parity flips each time)
//! ```
//! A status is derived, never written: the active ones are those from the oldest position that anyone needs to
//! the one being written. Each activation gives a VLF the next sequence number and a range of positions as long as
//! itself, right after its predecessor's; so a block at position `p` lies at `offset + (p - start)` of the file.
//!
//! The next VLF is the next free one in the order of files and of offsets in them, going round; finding it, freeing one
//! and turning a position into an LSN cost the same for four VLFs and for twenty thousand.
//!
//! Invariants of [`VlfTable`], held by every step and looked over by [`VlfTable::check`]:
//!
//! 1. At least one VLF is active; the newest of them, the head, is being written.
//! 2. Sequence numbers of active VLFs are consecutive, oldest first, and so are their ranges of positions: each begins
//!    where its predecessor's ends.
//! 3. `free` holds exactly the VLFs that are not active; `free_bytes` is what they can take.
//! 4. VLFs of a file do not overlap; each is known by its place, once.
//! 5. Only a VLF that is not active goes away, and at least [`VLFS_MIN`] stay.
//! 6. A VLF that was used has parity 64 or 128, one that was not has 0; each use has the other parity than the use
//!    before it.
//! 7. No VLF that is not active was used later than the head.
//! 8. `pages` has every VLF whose first 4 KiB hold a directory page that a valid root reaches, or that is being written.
//!    One gets in only while it is not active, or after its first block is durable: so whoever takes a VLF into use and
//!    does not find it there may write over its first 4 KiB, together with its first block.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use taffrail_base::{BlockOffset, LogPos, Lsn, VlfSeqNo};

use crate::block::VlfPlace;
use crate::directory::{Entry, VLF_HEADER_BYTES};

/// VLFs that a log keeps: one is written, and there is another to go on in.
pub(crate) const VLFS_MIN: usize = 2;

/// The uses of a VLF.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VlfStatus {
    /// Never used (parity 0).
    Unused,
    /// Used before, and not needed any more.
    Reusable,
    /// Holds log that is needed.
    Active,
}

/// A VLF as views show it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VlfInfo {
    /// Index of the file among the log's files.
    pub file: usize,
    /// Where it begins in the file.
    pub offset: u64,
    /// The size in bytes.
    pub size: u64,
    /// Sequence number of its last use; 0 = never used.
    pub seqno: VlfSeqNo,
    /// The use of the VLF now.
    pub status: VlfStatus,
    /// 0 never used, then 64 and 128 in turn.
    pub parity: u8,
    /// The LSN at which it was made; zero for those made with the file.
    pub create_lsn: Lsn,
    /// LSN of its first block; zero when never used.
    pub first_lsn: Lsn,
}

impl VlfInfo {
    /// This use of the VLF may be the one in which a restored log begins, with this block.
    pub(crate) fn begin_at(&mut self, restored: Lsn) {
        if self.seqno.0 != 0 && self.seqno == restored.vlf {
            self.first_lsn = Lsn { slot: 1, ..restored };
        }
    }
}

/// Flips the parity of a VLF.
fn flipped(parity: u8) -> u8 {
    if parity == 0x40 { 0x80 } else { 0x40 }
}

#[derive(Clone, Copy, Debug)]
struct Vlf {
    place: VlfPlace,
    create: Lsn,
    seqno: u32,
    parity: u8,
}

/// A VLF that holds log that is needed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ActiveVlf {
    index: usize,
    pub place: VlfPlace,
    /// The position of its first byte (header included).
    pub start: u64,
    pub seqno: u32,
    pub parity: u8,
    pub create: Lsn,
    /// File and offset of the VLF that was written before it, where that is known.
    pub before: Option<(u16, u64)>,
}

impl ActiveVlf {
    /// The position after its last byte: where its successor's range begins.
    pub fn end(&self) -> u64 {
        self.start + self.place.size
    }

    /// The position of its first block.
    pub fn first_block(&self) -> u64 {
        self.start + VLF_HEADER_BYTES
    }

    /// Where a position lies in the file.
    pub fn offset_of(&self, pos: u64) -> u64 {
        self.place.offset + (pos - self.start)
    }

    /// The LSN of a position in it; of a block, that of the first record in it: slots begin with 1.
    pub fn lsn(&self, pos: LogPos) -> Lsn {
        let block = (pos.block().0 - self.start) / 512;
        let slot = pos.slot().max(1);
        Lsn { vlf: VlfSeqNo(self.seqno), block: BlockOffset(block as u32), slot }
    }
}

/// All VLFs of a log.
#[derive(Debug)]
pub(crate) struct VlfTable {
    vlfs: Vec<Vlf>,
    /// Places in `vlfs` of those that went away.
    spare: Vec<usize>,
    active: VecDeque<ActiveVlf>,
    free: BTreeMap<(u16, u64), usize>,
    by_place: BTreeMap<(u16, u64), usize>,
    free_bytes: u64,
    pages: BTreeSet<(u16, u64)>,
    /// The bytes that a VLF cannot give to blocks with records: its header and the block that names
    /// the successor.
    overhead: u64,
}

impl VlfTable {
    /// The table of a log with the given sector, all VLFs free.
    pub fn new(entries: &[Entry], sector: u64) -> VlfTable {
        let mut t = VlfTable {
            vlfs: Vec::new(),
            spare: Vec::new(),
            active: VecDeque::new(),
            free: BTreeMap::new(),
            by_place: BTreeMap::new(),
            free_bytes: 0,
            pages: BTreeSet::new(),
            overhead: VLF_HEADER_BYTES + sector,
        };
        t.add(entries);
        t
    }

    /// Adds VLFs, which are free.
    pub fn add(&mut self, entries: &[Entry]) {
        for e in entries {
            let place = VlfPlace { file: e.file, offset: e.offset, size: e.size };
            let vlf = Vlf { place, create: e.create, seqno: e.last_seqno, parity: e.parity };
            let index = match self.spare.pop() {
                Some(index) => {
                    self.vlfs[index] = vlf;
                    index
                }
                None => {
                    self.vlfs.push(vlf);
                    self.vlfs.len() - 1
                }
            };
            self.by_place.insert((e.file, e.offset), index);
            self.free.insert((e.file, e.offset), index);
            self.free_bytes += e.size.saturating_sub(self.overhead);
        }
    }

    /// These VLFs, and no others, hold directory pages.
    pub fn note_pages(&mut self, chain: &[(u16, u64)]) {
        self.pages = chain.iter().copied().collect();
    }

    /// True when the first 4 KiB of a VLF are not to be written over.
    pub fn holds_page(&self, key: (u16, u64)) -> bool {
        self.pages.contains(&key)
    }

    /// VLFs that are being written for the first time in their present use: their first 4 KiB may be on their way.
    fn beginning(&self, durable: LogPos) -> BTreeSet<(u16, u64)> {
        let newest = self.active.iter().rev().take_while(|v| v.first_block() >= durable.0);
        newest.map(|v| (v.place.file, v.place.offset)).collect()
    }

    /// Reserves the places for so many directory pages, in file order; fewer where there are not as many. What is
    /// durable now bounds what may be on its way to the disk.
    pub fn take_pages(&mut self, count: usize, durable: LogPos) -> Vec<(u16, u64)> {
        let beginning = self.beginning(durable);
        let can = |k: &&(u16, u64)| !self.pages.contains(k) && !beginning.contains(k);
        let taken: Vec<_> = self.by_place.keys().filter(can).take(count).copied().collect();
        self.pages.extend(&taken);
        taken
    }

    /// As [`Self::take_pages`], for one place, if it can be had.
    pub fn take_page(&mut self, key: (u16, u64), durable: LogPos) -> bool {
        self.knows(key) && !self.beginning(durable).contains(&key) && self.pages.insert(key)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.by_place.len()
    }

    /// Bytes for blocks with records in all free VLFs.
    pub fn free_bytes(&self) -> u64 {
        self.free_bytes
    }

    /// True when some VLF can be activated.
    pub fn has_free(&self) -> bool {
        !self.free.is_empty()
    }

    /// The VLF being written.
    pub fn head(&self) -> &ActiveVlf {
        self.active.back().expect("invariant (1): a VLF is active")
    }

    /// The oldest active VLF.
    pub fn tail(&self) -> &ActiveVlf {
        self.active.front().expect("invariant (1): a VLF is active")
    }

    /// Active VLFs, oldest first.
    pub fn active(&self) -> impl Iterator<Item = &ActiveVlf> {
        self.active.iter()
    }

    /// The next free VLF in file order after the head, going round.
    pub fn next_free(&self) -> Option<VlfPlace> {
        self.free_after_head().next()
    }

    /// The free VLFs in file order after the head, going round.
    pub fn free_after_head(&self) -> impl Iterator<Item = VlfPlace> {
        let after = self.active.back().map_or((0, 0), |h| (h.place.file, h.place.offset));
        let later = (std::ops::Bound::Excluded(after), std::ops::Bound::Unbounded);
        let places = self.free.range(later).chain(self.free.range(..=after));
        places.map(|(_, &i)| self.vlfs[i].place)
    }

    /// The free VLFs of which the directory noted a later use than the one with this number.
    pub fn free_noted_after(&self, seqno: u32) -> impl Iterator<Item = VlfPlace> {
        let later = self.free.values().map(|&i| &self.vlfs[i]).filter(move |v| v.seqno > seqno);
        later.map(|v| v.place)
    }

    /// Takes a free VLF into use with a number and a first position. `None`: there is no such free VLF.
    pub fn activate(&mut self, place: VlfPlace, seqno: u32, start: u64) -> Option<()> {
        let index = *self.free.get(&(place.file, place.offset))?;
        let vlf = &mut self.vlfs[index];
        if vlf.place != place {
            return None;
        }
        if let Some(head) = self.active.back() {
            assert_eq!((head.seqno + 1, head.end()), (seqno, start), "invariant (2)");
        }
        self.free.remove(&(place.file, place.offset));
        self.free_bytes -= place.size.saturating_sub(self.overhead);
        // A restart finds uses that the directory had noted already.
        if vlf.seqno != seqno {
            vlf.seqno = seqno;
            vlf.parity = flipped(vlf.parity);
        }
        let (parity, create) = (vlf.parity, vlf.create);
        let before = self.active.back().map(|h| (h.place.file, h.place.offset));
        self.active.push_back(ActiveVlf { index, place, start, seqno, parity, create, before });
        Some(())
    }

    /// A free VLF by its place.
    pub fn free_place(&self, key: (u16, u64)) -> Option<VlfPlace> {
        self.free.get(&key).map(|&i| self.vlfs[i].place)
    }

    /// After a restart: a VLF that was written right before the oldest active one is needed too. `None`: it is not free.
    pub fn activate_before(
        &mut self,
        place: VlfPlace,
        seqno: u32,
        start: u64,
        parity: u8,
    ) -> Option<()> {
        let key = (place.file, place.offset);
        let index = *self.free.get(&key)?;
        let tail = self.active.front_mut()?;
        assert_eq!((seqno + 1, start + place.size), (tail.seqno, tail.start), "invariant (2)");
        tail.before = Some(key);
        let vlf = &mut self.vlfs[index];
        (vlf.seqno, vlf.parity) = (seqno, parity);
        let create = vlf.create;
        self.free.remove(&key);
        self.free_bytes -= place.size.saturating_sub(self.overhead);
        let before = None;
        self.active.push_front(ActiveVlf { index, place, start, seqno, parity, create, before });
        Some(())
    }

    /// Frees the VLFs that end at or before `keep`; the head stays. Returns how many.
    pub fn truncate(&mut self, keep: LogPos) -> usize {
        let mut freed = 0;
        while self.active.len() > 1 && self.tail().end() <= keep.0 {
            let Some(v) = self.active.pop_front() else { break };
            self.free.insert((v.place.file, v.place.offset), v.index);
            self.free_bytes += v.place.size.saturating_sub(self.overhead);
            freed += 1;
        }
        freed
    }

    /// Takes VLFs that are not active away: the last ones of a file from an offset on, the highest first, for as long as
    /// `go` agrees, which is asked with what the table would have left: VLFs, and bytes in free ones.
    pub fn remove_from(
        &mut self,
        file: u16,
        from: u64,
        mut go: impl FnMut(usize, u64) -> bool,
    ) -> (Vec<Entry>, Stopped) {
        let mut removed = Vec::new();
        loop {
            let last = self.by_place.range((file, 0)..=(file, u64::MAX)).next_back();
            let Some((&key, &index)) = last else { return (removed, Stopped::Nothing) };
            if key.1 < from {
                return (removed, Stopped::Target);
            }
            if !self.free.contains_key(&key) {
                return (removed, Stopped::Active);
            }
            let usable = self.vlfs[index].place.size.saturating_sub(self.overhead);
            if self.len() <= VLFS_MIN || !go(self.len() - 1, self.free_bytes - usable) {
                return (removed, Stopped::Minimum);
            }
            removed.push(self.entry(index));
            self.free.remove(&key);
            self.by_place.remove(&key);
            self.spare.push(index);
            self.free_bytes -= usable;
        }
    }

    /// The VLFs of a file as the directory describes them.
    pub fn entries_of(&self, file: u16) -> impl Iterator<Item = Entry> {
        self.by_place.range((file, 0)..=(file, u64::MAX)).map(|(_, &i)| self.entry(i))
    }

    /// The bytes that the free VLFs of a file can take.
    pub fn bytes_of_file(&self, file: u16) -> u64 {
        let free = self.free.range((file, 0)..=(file, u64::MAX));
        free.map(|(_, &i)| self.vlfs[i].place.size.saturating_sub(self.overhead)).sum()
    }

    /// The VLFs of a file: how many, the offset of the last, and whether one is active.
    pub fn of_file(&self, file: u16) -> (usize, u64, bool) {
        let all = self.by_place.range((file, 0)..=(file, u64::MAX));
        let active = self.active.iter().any(|v| v.place.file == file);
        all.fold((0, 0, active), |(n, _, a), (key, _)| (n + 1, key.1, a))
    }

    fn entry(&self, index: usize) -> Entry {
        let Vlf { place, create, seqno, parity } = self.vlfs[index];
        let VlfPlace { file, offset, size } = place;
        Entry { file, create, last_seqno: seqno, parity, offset, size }
    }

    /// Every VLF as the directory describes it, in file order.
    pub fn entries(&self) -> Vec<Entry> {
        self.by_place.values().map(|&i| self.entry(i)).collect()
    }

    /// The active VLF with a sequence number.
    pub fn find_seqno(&self, seqno: u32) -> Option<&ActiveVlf> {
        let first = self.active.front()?.seqno;
        self.active.get(usize::try_from(seqno.checked_sub(first)?).ok()?)
    }

    /// The active VLF that a position lies in.
    pub fn find(&self, pos: LogPos) -> Option<&ActiveVlf> {
        let i = self.active.partition_point(|v| v.start <= pos.0).checked_sub(1)?;
        self.active.get(i).filter(|v| pos.0 < v.end())
    }

    /// Every VLF in file order.
    pub fn infos(&self) -> Vec<VlfInfo> {
        let mut status = vec![None; self.vlfs.len()];
        for a in &self.active {
            status[a.index] = Some(VlfStatus::Active);
        }
        self.by_place
            .values()
            .map(|&i| {
                let v = &self.vlfs[i];
                let unused = if v.seqno == 0 { VlfStatus::Unused } else { VlfStatus::Reusable };
                VlfInfo {
                    file: usize::from(v.place.file),
                    offset: v.place.offset,
                    size: v.place.size,
                    seqno: VlfSeqNo(v.seqno),
                    status: status[i].unwrap_or(unused),
                    parity: v.parity,
                    create_lsn: v.create,
                    first_lsn: match v.seqno {
                        0 => Lsn::ZERO,
                        n => Lsn::new(n, (VLF_HEADER_BYTES / 512) as u32, 1),
                    },
                }
            })
            .collect()
    }

    /// The block that was found first in the head after a restart says which parity this use has.
    pub fn note_head_parity(&mut self, parity: u8) {
        if let Some(head) = self.active.back_mut() {
            head.parity = parity;
            self.vlfs[head.index].parity = parity;
        }
    }

    /// Forgets uses that the directory noted and a crash took back: their blocks had not become durable.
    pub fn forget_lost_uses(&mut self) {
        let head = self.head().seqno;
        for &index in self.free.values() {
            let vlf = &mut self.vlfs[index];
            if vlf.seqno > head {
                (vlf.seqno, vlf.parity) = (0, 0);
            }
        }
    }

    /// Takes the last use of a VLF from its advisory header. False: the VLF was used later, or the
    /// header is about something else.
    pub fn note_last_use(&mut self, key: (u16, u64), size: u64, seqno: u32, parity: u8) -> bool {
        let Some(&index) = self.free.get(&key) else { return false };
        let vlf = &mut self.vlfs[index];
        let fits = vlf.place.size == size && vlf.seqno <= seqno;
        if fits {
            (vlf.seqno, vlf.parity) = (seqno, parity);
        }
        fits
    }

    /// True when a VLF begins there.
    pub fn knows(&self, key: (u16, u64)) -> bool {
        self.by_place.contains_key(&key)
    }

    /// Number and parity of the last use of a VLF, for the directory.
    pub fn last_use(&self, file: u16, offset: u64) -> (u32, u8) {
        self.by_place
            .get(&(file, offset))
            .map_or((0, 0), |&i| (self.vlfs[i].seqno, self.vlfs[i].parity))
    }

    /// Looks all invariants over; for tests, since it visits every VLF. Says which does not hold.
    pub fn check(&self) -> Result<(), String> {
        let head = self.active.back().ok_or("(1) no VLF is active")?;
        for (a, b) in self.active.iter().zip(self.active.iter().skip(1)) {
            if a.seqno + 1 != b.seqno || a.end() != b.start {
                return Err(format!("(2) {a:?} is followed by {b:?}"));
            }
        }
        let active: std::collections::BTreeSet<_> =
            self.active.iter().map(|a| (a.place.file, a.place.offset)).collect();
        let mut free_bytes = 0;
        let mut end = (0, 0);
        for (&key, &index) in &self.by_place {
            let v = &self.vlfs[index];
            if active.contains(&key) == self.free.contains_key(&key) {
                return Err(format!("(3) {v:?} is both active and free, or neither"));
            }
            if self.free.get(&key).is_some_and(|&i| i != index) {
                return Err(format!("(3) {v:?} is free as another"));
            }
            if (v.place.file, v.place.offset) != key || key < end {
                return Err(format!("(4) {v:?} lies in another, or elsewhere"));
            }
            end = (key.0, key.1 + v.place.size);
            let used = v.seqno != 0;
            if used != (v.parity != 0) || !matches!(v.parity, 0 | 0x40 | 0x80) {
                return Err(format!("(6) {v:?}"));
            }
            if self.free.contains_key(&key) {
                free_bytes += v.place.size.saturating_sub(self.overhead);
                if v.seqno >= head.seqno {
                    return Err(format!("(7) {v:?} is not active, the head is {head:?}"));
                }
            }
        }
        if free_bytes != self.free_bytes || self.free.len() + active.len() != self.len() {
            return Err(format!("(3) free: {free_bytes} bytes, {} noted", self.free_bytes));
        }
        if self.pages.iter().any(|p| !self.knows(*p)) {
            return Err(format!("(8) pages in {:?}", self.pages));
        }
        if self.active.len() != active.len() {
            return Err("(4) a VLF is active twice".to_owned());
        }
        if self.len() + self.spare.len() != self.vlfs.len() || self.len() < VLFS_MIN {
            return Err(format!("(5) {} VLFs, {} places", self.len(), self.vlfs.len()));
        }
        Ok(())
    }
}

/// Why [`VlfTable::remove_from`] took no more away.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stopped {
    /// The next one begins before the offset.
    Target,
    /// The next one is active.
    Active,
    /// Too few would be left, or too little room.
    Minimum,
    /// The file has none left.
    Nothing,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(n: u64) -> Entry {
        let (create, offset) = (Lsn::ZERO, 8192 + n * 65536);
        Entry { file: 0, create, last_seqno: 0, parity: 0, offset, size: 65536 }
    }

    #[test]
    fn the_head_goes_round_in_file_order_and_skips_active_ones() {
        let entries: Vec<Entry> = (0..3).map(entry).collect();
        let mut t = VlfTable::new(&entries, 512);
        let mut order = Vec::new();
        let mut start = 8192;
        for seqno in 34.. {
            let Some(place) = t.next_free() else { break };
            t.activate(place, seqno, start).unwrap();
            start += place.size;
            order.push(place.offset);
            if seqno == 36 {
                // The first two become free; then a growth adds a fourth at the end.
                assert_eq!(t.truncate(LogPos(t.head().start)), 2);
                t.add(&[entry(3)]);
            }
        }
        let want = [0, 1, 2, 3, 0, 1].map(|n| 8192 + n * 65536);
        assert_eq!(order, want);
        let lsn = t.find(LogPos(t.tail().first_block() + 512 + 3)).unwrap();
        assert_eq!(lsn.lsn(LogPos(lsn.first_block() + 512 + 3)), Lsn::new(36, 0x11, 3));
        assert!(t.find(LogPos(8192)).is_none());
        assert_eq!(t.free_bytes(), 0);
        let parities: Vec<u8> = t.infos().iter().map(|v| v.parity).collect();
        assert_eq!(parities, [0x80, 0x80, 0x40, 0x40]);
        t.check().unwrap();
    }

    #[test]
    fn only_free_vlfs_at_the_end_go_away_and_two_stay() {
        let entries: Vec<Entry> = (0..6).map(entry).collect();
        let mut t = VlfTable::new(&entries, 512);
        let mut start = 8192;
        for seqno in 34..36 {
            let place = t.next_free().unwrap();
            t.activate(place, seqno, start).unwrap();
            start += place.size;
        }
        let (removed, stopped) = t.remove_from(0, 8192 + 4 * 65536, |_, _| true);
        assert_eq!((removed.len(), stopped), (2, Stopped::Target));
        let (removed, stopped) = t.remove_from(0, 0, |_, free| free > 0);
        assert_eq!((removed.len(), stopped), (1, Stopped::Minimum), "one free VLF is asked for");
        t.check().unwrap();
        let (removed, stopped) = t.remove_from(0, 0, |_, _| true);
        assert_eq!((removed.len(), stopped), (1, Stopped::Active));
        t.check().unwrap();
        // What went away comes back at the same places.
        t.add(&[entry(2), entry(3)]);
        t.check().unwrap();
        assert_eq!((t.len(), t.next_free().map(|p| p.offset)), (4, Some(entry(2).offset)));
        assert_eq!(t.find_seqno(35).map(|v| v.place.offset), Some(entry(1).offset));
        assert!(t.find_seqno(33).is_none() && t.find_seqno(36).is_none());
    }
}
