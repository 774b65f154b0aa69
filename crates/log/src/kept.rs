//! At a restart: the VLFs before the anchor's that are needed all the same, since no log backup has what they hold.
//!
//! Recovery reads from the anchor on, and finds every later VLF on the way. What lies before is not read: it is found going
//! backward, with one read for each VLF.
//!
//! ```text
//!            keep                                  anchor
//!   ──┬───────▼───┬───────────┬───────────┬───────────▼──┬─ …
//!     │  VLF 40   │  VLF 41   │  VLF 42   │    VLF 43    │
//!     └───────────┴▲──before──┴▲──before──┴▲───before────┴─
//! ```
//! Each VLF's header names the VLF that was written before it. Headers are advisory (one may have been torn by a crash that
//! its first block survived), so nothing is believed that a block does not prove: a VLF belongs to the run if the block
//! that must begin it (in the oldest: the block at `keep`) is there, with its position, number and fork. Where a header
//! names none, or a wrong one, the headers of all free VLFs are looked at.
//!
//! All of them or none: log that does not reach back to `keep` without a gap is of no use to a log backup. An error is
//! only what could not be read: it may be there the next time.

use taffrail_base::{LogPos, VlfSeqNo};
use taffrail_io::AlignedBuf;

use crate::block::{self, VlfPlace};
use crate::directory::{HALF, VLF_HEADER_BYTES, VlfHeader, parse_vlf_header};
use crate::error::LogError;
use crate::files::LogFiles;
use crate::retried::read_retried;
use crate::vlf::VlfTable;
use crate::walk::WalkVlf;

/// Makes the VLFs from the one that `keep` lies in to the oldest active one active. False: they are not all there any more;
/// then none is.
pub(crate) fn keep_from(
    files: &LogFiles,
    table: &mut VlfTable,
    keep: LogPos,
) -> Result<bool, LogError> {
    if keep.0 >= table.tail().start {
        return Ok(true);
    }
    let search = Search { files, table, keep, sector: files.root.sector as usize };
    let Some(run) = search.run()? else { return Ok(false) };
    for (vlf, parity) in run {
        if table.activate_before(vlf.place, vlf.seqno.0, vlf.start, parity).is_none() {
            // Two of them at one place: not even the blocks can be believed. What is active is a run all the same.
            return Ok(false);
        }
    }
    Ok(true)
}

struct Search<'a> {
    files: &'a LogFiles,
    table: &'a VlfTable,
    keep: LogPos,
    sector: usize,
}

/// A VLF of the run, newest first, with its parity.
type Run = Vec<(WalkVlf, u8)>;

impl Search<'_> {
    fn run(&self) -> Result<Option<Run>, LogError> {
        let oldest = self.table.tail();
        let seqno = VlfSeqNo(oldest.seqno);
        let mut next = WalkVlf { place: oldest.place, seqno, start: oldest.start };
        let mut before = self.before(&next)?;
        let mut run = Run::new();
        while self.keep.0 < next.start {
            let named = before.and_then(|key| self.table.free_place(key));
            let mut found = match named {
                Some(place) => self.precedes(place, &next)?,
                None => None,
            };
            if found.is_none() {
                found = self.look_everywhere(&next)?;
            }
            let Some((vlf, parity)) = found else { return Ok(None) };
            before = self.before(&vlf)?;
            run.push((vlf, parity));
            next = vlf;
        }
        // A position in the header of a VLF is none of a block.
        Ok((self.keep.0 >= next.start + VLF_HEADER_BYTES).then_some(run))
    }

    fn header(&self, place: VlfPlace) -> Result<Option<VlfHeader>, LogError> {
        let mut buf = AlignedBuf::zeroed(HALF);
        let volume = &self.files.volumes[usize::from(place.file)];
        read_retried(&**volume, place.offset + HALF as u64, &mut buf)?;
        Ok(parse_vlf_header(&buf, self.files.root.fork))
    }

    /// The VLF before one, if its header knows.
    fn before(&self, vlf: &WalkVlf) -> Result<Option<(u16, u64)>, LogError> {
        let own =
            |h: &VlfHeader| (h.seqno, h.start, h.size) == (vlf.seqno.0, vlf.start, vlf.place.size);
        Ok(self.header(vlf.place)?.filter(own).and_then(|h| h.before))
    }

    /// The use of a free VLF that came right before `next`, if that was its last one: shown by its block.
    fn precedes(&self, place: VlfPlace, next: &WalkVlf) -> Result<Option<(WalkVlf, u8)>, LogError> {
        let seqno = next.seqno.0.checked_sub(1).filter(|&n| n > 0);
        let (Some(seqno), Some(start)) = (seqno, next.start.checked_sub(place.size)) else {
            return Ok(None);
        };
        let first = start + VLF_HEADER_BYTES;
        let pos = self.keep.block().0.max(first);
        if pos + self.sector as u64 > start + place.size {
            return Ok(None);
        }
        let mut buf = AlignedBuf::zeroed(self.sector);
        let volume = &self.files.volumes[usize::from(place.file)];
        read_retried(&**volume, place.offset + (pos - start), &mut buf)?;
        let block = block::parse_header(&buf).ok().filter(|h| {
            (h.pos.0, h.vlf.0, h.fork) == (pos, seqno, self.files.root.fork)
                && u64::from(h.offset.0) == (pos - start) / 512
                && matches!(h.parity, 0x40 | 0x80)
        });
        let vlf = WalkVlf { place, seqno: VlfSeqNo(seqno), start };
        Ok(block.map(|h| (vlf, h.parity)))
    }

    /// The VLF before one, found by its own header.
    fn look_everywhere(&self, next: &WalkVlf) -> Result<Option<(WalkVlf, u8)>, LogError> {
        for place in self.table.free_after_head() {
            let here = self.header(place)?.is_some_and(|h| {
                h.seqno.checked_add(1) == Some(next.seqno.0)
                    && h.start.checked_add(h.size) == Some(next.start)
                    && h.size == place.size
            });
            if here && let Some(found) = self.precedes(place, next)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }
}
