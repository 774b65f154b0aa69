//! Virtual log files: which there are, which hold log that is still needed, and how positions become LSNs.
//!
//! ```text
//! Unused ──activate──► Active ──truncate──► Reusable ──activate──► Active …     (parity flips each time)
//! ```
//! A status is derived, never written: the active ones are those from the oldest position that anyone needs to
//! the one being written. Each activation gives a VLF the next sequence number and a range of positions as long as
//! itself, right after its predecessor's; so a block at position `p` lies at `offset + (p - start)` of the file.
//!
//! Invariants: (1) at least one VLF is active; the last one is being written. (2) Sequence numbers of active VLFs
//! are consecutive, and so are their position ranges. (3) `free` holds exactly the VLFs that are not active.

use std::collections::{BTreeMap, VecDeque};

use taffrail_base::{BlockOffset, LogPos, Lsn, VlfSeqNo};

use crate::block::VlfPlace;
use crate::directory::{Entry, VLF_HEADER_BYTES};

/// What a VLF is used for.
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
    /// Bytes.
    pub size: u64,
    /// Sequence number of its last use; 0 = never used.
    pub seqno: VlfSeqNo,
    /// What it is used for.
    pub status: VlfStatus,
    /// 0 never used, then 64 and 128 in turn.
    pub parity: u8,
    /// The LSN at which it was made; zero for those made with the file.
    pub create_lsn: Lsn,
    /// LSN of its first block; zero when never used.
    pub first_lsn: Lsn,
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

/// An active VLF.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ActiveVlf {
    index: usize,
    pub place: VlfPlace,
    /// The position of its first byte (header included).
    pub start: u64,
    pub seqno: u32,
    pub parity: u8,
    pub create: Lsn,
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

    /// The LSN of a position in it.
    pub fn lsn(&self, pos: LogPos) -> Lsn {
        let block = (pos.block().0 - self.start) / 512;
        Lsn { vlf: VlfSeqNo(self.seqno), block: BlockOffset(block as u32), slot: pos.slot() }
    }
}

/// All VLFs of a log.
#[derive(Debug)]
pub(crate) struct VlfTable {
    vlfs: Vec<Vlf>,
    active: VecDeque<ActiveVlf>,
    free: BTreeMap<(u16, u64), usize>,
    by_place: BTreeMap<(u16, u64), usize>,
    free_bytes: u64,
    /// What a VLF cannot give to blocks with records: its header and the block that names the successor.
    overhead: u64,
}

impl VlfTable {
    /// The table of a log with the given sector, all VLFs free.
    pub fn new(entries: &[Entry], sector: u64) -> VlfTable {
        let mut t = VlfTable {
            vlfs: Vec::new(),
            active: VecDeque::new(),
            free: BTreeMap::new(),
            by_place: BTreeMap::new(),
            free_bytes: 0,
            overhead: VLF_HEADER_BYTES + sector,
        };
        t.add(entries);
        t
    }

    /// New VLFs.
    pub fn add(&mut self, entries: &[Entry]) {
        for e in entries {
            let place = VlfPlace { file: e.file, offset: e.offset, size: e.size };
            let index = self.vlfs.len();
            // The parity of a use before the restart follows from nothing that is kept; numbers alternate it.
            let parity = match e.last_seqno {
                0 => 0,
                n if n % 2 == 0 => 0x40,
                _ => 0x80,
            };
            self.vlfs.push(Vlf { place, create: e.create, seqno: e.last_seqno, parity });
            self.by_place.insert((e.file, e.offset), index);
            self.free.insert((e.file, e.offset), index);
            self.free_bytes += e.size.saturating_sub(self.overhead);
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.vlfs.len()
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
        let after = self.active.back().map_or((0, 0), |h| (h.place.file, h.place.offset));
        let index = self
            .free
            .range((std::ops::Bound::Excluded(after), std::ops::Bound::Unbounded))
            .next()
            .or_else(|| self.free.iter().next())?
            .1;
        Some(self.vlfs[*index].place)
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
        vlf.seqno = seqno;
        vlf.parity = flipped(vlf.parity);
        let (parity, create) = (vlf.parity, vlf.create);
        self.active.push_back(ActiveVlf { index, place, start, seqno, parity, create });
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

    /// The VLFs that are not active, in file order after the head, going round.
    pub fn free_after_head(&self) -> Vec<VlfPlace> {
        let head = (self.head().place.file, self.head().place.offset);
        let (before, after) = (self.free.range(..head), self.free.range(head..));
        after.chain(before).map(|(_, &i)| self.vlfs[i].place).collect()
    }

    /// What the advisory header of a VLF says of its last use: known after a restart only from there.
    pub fn note_last_use(&mut self, place: VlfPlace, seqno: u32, parity: u8) {
        if let Some(&index) = self.free.get(&(place.file, place.offset)) {
            let vlf = &mut self.vlfs[index];
            if vlf.place == place && vlf.seqno <= seqno {
                (vlf.seqno, vlf.parity) = (seqno, parity);
            }
        }
    }

    /// Last sequence number of a VLF, for the directory.
    pub fn last_seqno(&self, file: u16, offset: u64) -> u32 {
        self.by_place.get(&(file, offset)).map_or(0, |&i| self.vlfs[i].seqno)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(n: u64) -> Entry {
        Entry { file: 0, create: Lsn::ZERO, last_seqno: 0, offset: 8192 + n * 65536, size: 65536 }
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
    }
}
