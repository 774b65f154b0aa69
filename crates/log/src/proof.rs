//! Where a walk has ended: the end of the log, or damage behind which it went on?
//!
//! Every block names the position up to which the log was durable when the block was closed. So:
//!
//! > A whole block of this recovery fork, at its own place in a VLF of the log, whose `durable` lies behind the place where the
//! > chain ends, proves that what belongs there had been durable, and is gone.
//!
//! Nothing that a crash may leave behind says so: a block that overtook a lost one was closed while that one was not durable; what an
//! earlier crash has left behind the end was closed before that end; blocks of earlier laps lie, and speak of, before it; blocks of
//! other databases and earlier forks have another fork. Headers prove nothing: one is written ahead of the chain (a VLF begun by a
//! write in flight). They, and the directory, say where to look, and where a header is damaged its VLF is asked itself: each
//! block knows its VLF's number, its own position and its distance from the VLF's beginning.
//!
//! Where opening looks, since a restart is not to take much longer than its redo, and where a tool does, which has time:
//!
//! | where | opening | tool |
//! |---|---|---|
//! | the rest of the VLF in which the chain ends | all of [`QUIET_MAX`] without a block of this use, at most [`TOTAL_MAX`]; behind that, [`WINDOW`] every so often | all |
//! | VLFs that the directory, or their header, calls later ones, and VLFs with a damaged header | the same | all |
//! | VLFs that seem empty, or earlier though next in line | their beginning ([`PEEK`]) | their beginning |
//! | VLFs asked | those of the directory, and the next [`HEADERS`] in line | all |
//!
//! Parts that the file system calls unwritten hold no block, and are not read.
//!
//! What remains unprovable: damage to blocks behind which none was closed after they were durable (the last ones written, at most
//! what is in flight at a time). The anchor, the root ([`Root::reached`](crate::directory::Root)) and the pages may know
//! more.

use std::sync::Arc;

use taffrail_base::{LogPos, VlfSeqNo};
use taffrail_io::{AlignedBuf, Volume};

use crate::block::{self, BLOCK_BYTES_MAX, BlockHeader, VlfPlace};
use crate::directory::{
    HALF, VLF_HEADER_BYTES, VlfHeaderState, parse_vlf_header, vlf_header_state,
};
use crate::error::LogError;
use crate::files::LogFiles;
use crate::retried::read_retried;
use crate::vlf::VlfTable;
use crate::walk::{WalkVlf, Walker};

/// Bytes of one read.
const PIECE: u64 = 1 << 20;
/// Read without finding a block of this use.
const QUIET_MAX: u64 = 8 << 20;
/// Read from end to end at most: more than the cache can hold.
const TOTAL_MAX: u64 = 16 << 20;
/// Behind that: where there is log, a block begins and ends in so many bytes.
const WINDOW: u64 = 128 << 10;
/// How far such windows lie apart at least; a sixteenth of the distance, if that is more.
const STRIDE: u64 = 1 << 20;
/// The beginning of a VLF that is not believed to hold anything.
const PEEK: u64 = 128 << 10;
/// Headers that opening reads, and beginnings.
const HEADERS: usize = 32;
const PEEKS: usize = 8;

/// The block that proves it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Witness {
    pub vlf: WalkVlf,
    pub pos: LogPos,
    /// The position up to which the log was durable when it was written.
    pub durable: LogPos,
}

impl Witness {
    /// A sentence that names the block and the position.
    pub fn says(&self) -> String {
        format!(
            "the block at position {:#x} (VLF {}, file {}, offset {:#x}) proves that the log went on: it was durable up to \
             position {:#x}",
            self.pos.0,
            self.vlf.seqno.0,
            self.vlf.place.file,
            self.vlf.place.offset + (self.pos.0 - self.vlf.start),
            self.durable.0
        )
    }
}

/// The last use of a VLF, as its header has it.
enum Claim {
    /// It came after the VLF in which the chain ends.
    Later,
    /// It came before, or is the chain's own.
    Earlier,
    /// Nothing: never used, or in another fork.
    None,
    /// The header is damaged.
    Damaged,
}

/// The thing that lies at a place where a block may begin.
enum Look {
    Nothing,
    /// A header that may be a block's, which goes on behind what was read: so many bytes.
    More(usize),
    /// A whole block of this use of the VLF or of a later VLF: its length.
    Ours(usize),
    Proof(Witness),
}

/// The block header at a place of a VLF, given that it is one of this fork that belongs right there, and the use of the VLF that it
/// belongs to. Its checksum is still to be looked at.
pub(crate) fn at_home(
    place: VlfPlace,
    fork: [u8; 16],
    at: u64,
    bytes: &[u8],
) -> Option<(BlockHeader, WalkVlf)> {
    let h = block::parse_header(bytes).ok()?;
    let inside = h.fork == fork && u64::from(h.offset.0) * 512 == at && at >= VLF_HEADER_BYTES;
    let fits = h.length > 0 && at + u64::from(h.length) <= place.size;
    let start = h.pos.0.checked_sub(at)?;
    (inside && fits).then_some((h, WalkVlf { place, seqno: h.vlf, start }))
}

/// The first whole block in `from..upto` of a VLF, and its use; whichever that is.
pub(crate) fn first_whole(
    volume: &dyn Volume,
    place: VlfPlace,
    fork: [u8; 16],
    (from, upto): (u64, u64),
) -> Result<Option<(BlockHeader, WalkVlf)>, LogError> {
    let upto = upto.min(place.size);
    let mut buf = AlignedBuf::zeroed(
        (PIECE as usize).min((upto.saturating_sub(from)) as usize) + BLOCK_BYTES_MAX,
    );
    for (from, upto) in written(volume, place, from, upto) {
        let mut at = from;
        while at < upto {
            let n = (place.size - at).min(buf.len() as u64) as usize;
            read_retried(volume, place.offset + at, &mut buf[..n])?;
            let step = (buf.len() - BLOCK_BYTES_MAX).min((upto - at) as usize);
            for skip in (0..step).step_by(512) {
                let Some((h, vlf)) = at_home(place, fork, at + skip as u64, &buf[skip..n]) else {
                    continue;
                };
                let end = skip + h.length as usize;
                if end <= n && block::check_crc(&h, &buf[skip..end]).is_ok() {
                    return Ok(Some((h, vlf)));
                }
            }
            at += step as u64;
        }
    }
    Ok(None)
}

/// The parts of `from..upto` of a VLF that were ever written.
fn written(volume: &dyn Volume, place: VlfPlace, from: u64, upto: u64) -> Vec<(u64, u64)> {
    let mut parts = Vec::new();
    let mut at = from;
    if from >= upto {
        return parts;
    }
    // A file system that cannot tell: all of it may have been written.
    let holes = volume.unwritten(place.offset + from, place.offset + upto).unwrap_or_default();
    for (hole, end) in holes {
        // Whole pages: what the file system knows may be coarser than a sector.
        let (hole, end) = (
            hole.next_multiple_of(4096) - place.offset,
            (end & !4095) - place.offset.min(end & !4095),
        );
        if hole > at && hole < end {
            parts.push((at, hole));
        }
        at = at.max(end.min(upto));
    }
    if at < upto {
        parts.push((at, upto));
    }
    parts
}

/// A search behind the end of a chain.
pub(crate) struct Search<'a> {
    volumes: &'a [Arc<dyn Volume>],
    fork: [u8; 16],
    sector: u64,
    /// The VLF in which the chain ends, and where.
    head: WalkVlf,
    end: u64,
    /// Read all, however long it takes.
    thorough: bool,
    buf: AlignedBuf,
}

impl<'a> Search<'a> {
    /// A search behind the end that a walk has found.
    pub fn new(
        volumes: &'a [Arc<dyn Volume>],
        (fork, sector): ([u8; 16], u32),
        walker: &Walker,
        thorough: bool,
    ) -> Search<'a> {
        let buf = AlignedBuf::zeroed(PIECE as usize + BLOCK_BYTES_MAX);
        let (head, end) = (walker.vlf(), walker.next_pos().0);
        Search { volumes, fork, sector: u64::from(sector), head, end, thorough, buf }
    }

    /// Looks at the rest of the VLF in which the chain ends.
    pub fn in_head(&mut self) -> Result<Option<Witness>, LogError> {
        self.scan(self.head.place, self.end - self.head.start + self.sector, u64::MAX).map(|s| s.0)
    }

    /// Looks at another VLF, as closely as its header tells. `next`: it may be the next in line.
    pub fn in_vlf(
        &mut self,
        place: VlfPlace,
        next: bool,
        peek: bool,
    ) -> Result<Option<Witness>, LogError> {
        let upto = match self.claim(place)? {
            Claim::Later | Claim::Damaged => u64::MAX,
            Claim::Earlier if !next => return Ok(None),
            Claim::Earlier | Claim::None if peek => PEEK,
            Claim::Earlier | Claim::None => return Ok(None),
        };
        self.in_whole(place, upto)
    }

    fn in_whole(&mut self, place: VlfPlace, upto: u64) -> Result<Option<Witness>, LogError> {
        let (found, ours) = self.scan(place, VLF_HEADER_BYTES, upto)?;
        match found {
            None if ours && upto < place.size => self.in_whole(place, u64::MAX),
            found => Ok(found),
        }
    }

    fn claim(&mut self, place: VlfPlace) -> Result<Claim, LogError> {
        let header = &mut self.buf[..HALF];
        let volume = &*self.volumes[usize::from(place.file)];
        read_retried(volume, place.offset + HALF as u64, header)?;
        Ok(match (parse_vlf_header(header, self.fork), vlf_header_state(header)) {
            (Some(h), _) if h.size != place.size => Claim::Damaged,
            (Some(h), _) if h.seqno > self.head.seqno.0 => Claim::Later,
            (Some(_), _) => Claim::Earlier,
            (None, VlfHeaderState::Damaged) => Claim::Damaged,
            (None, _) => Claim::None,
        })
    }

    /// Looks at a VLF from `from` on, not further than `upto`. Says too whether there was a block of this use, or of a later VLF.
    fn scan(
        &mut self,
        place: VlfPlace,
        from: u64,
        upto: u64,
    ) -> Result<(Option<Witness>, bool), LogError> {
        let volume = Arc::clone(&self.volumes[usize::from(place.file)]);
        let parts = written(&*volume, place, from, upto.min(place.size));
        let (mut quiet, mut total, mut seen) = (0, 0, false);
        // Behind this nothing is read from end to end any more.
        let mut done = None;
        'parts: for &(start, stop) in &parts {
            let mut at = start;
            while at < stop {
                if !self.thorough && (quiet >= QUIET_MAX || total >= TOTAL_MAX) {
                    done = Some(at);
                    break 'parts;
                }
                let n = (place.size - at)
                    .min(PIECE + BLOCK_BYTES_MAX as u64)
                    .min(stop - at + BLOCK_BYTES_MAX as u64);
                let step = PIECE.min(stop - at);
                let (found, ours, next) = self.piece(&*volume, place, at, (n as usize, step))?;
                if found.is_some() {
                    return Ok((found, true));
                }
                seen |= ours;
                quiet = if ours { 0 } else { quiet + step };
                total += next - at;
                at = next;
            }
        }
        let Some(mut at) = done else { return Ok((None, seen)) };
        // Here and there, and at the very end.
        at = at.next_multiple_of(4096);
        let last = (place.size.saturating_sub(WINDOW) & !4095).max(at);
        let within = |at: u64| parts.iter().any(|&(a, b)| a < at + WINDOW && at < b);
        while at < place.size {
            at = (at + STRIDE.max(((at - from) / 16) & !4095)).min(last);
            if within(at) {
                let n = WINDOW.min(place.size - at);
                let (found, ours, _) = self.piece(&*volume, place, at, (n as usize, n))?;
                if found.is_some() {
                    return Ok((found, true));
                }
                seen |= ours;
            }
            if at == last {
                break;
            }
        }
        Ok((None, seen))
    }

    /// Looks at what begins in `step` bytes from `at` on; `n` are read. Returns where to go on, too.
    fn piece(
        &mut self,
        volume: &dyn Volume,
        place: VlfPlace,
        at: u64,
        (n, step): (usize, u64),
    ) -> Result<(Option<Witness>, bool, u64), LogError> {
        read_retried(volume, place.offset + at, &mut self.buf[..n])?;
        let (mut skip, mut ours) = (0, false);
        while skip < step as usize {
            match self.look(place, at + skip as u64, &self.buf[skip..n]) {
                Look::Proof(w) => return Ok((Some(w), true, at)),
                Look::Ours(length) => {
                    ours = true;
                    skip += length;
                    continue;
                }
                // Only the last ones of a window.
                Look::More(length) => {
                    let mut whole = AlignedBuf::zeroed(length);
                    let here = at + skip as u64;
                    read_retried(volume, place.offset + here, &mut whole)?;
                    match self.look(place, here, &whole) {
                        Look::Proof(w) => return Ok((Some(w), true, at)),
                        Look::Ours(_) => ours = true,
                        Look::Nothing | Look::More(_) => {}
                    }
                }
                Look::Nothing => {}
            }
            skip += self.sector as usize;
        }
        Ok((None, ours, at + step.max(skip as u64)))
    }

    fn look(&self, place: VlfPlace, at: u64, bytes: &[u8]) -> Look {
        let Some((h, vlf)) = at_home(place, self.fork, at, bytes) else { return Look::Nothing };
        let belongs = match place == self.head.place {
            true => vlf == self.head || vlf.seqno > self.head.seqno,
            false => vlf.seqno > self.head.seqno && vlf.start >= self.head.end(),
        };
        let length = h.length as usize;
        if !belongs || h.pos.0 <= self.end {
            return Look::Nothing;
        }
        let Some(whole) = bytes.get(..length) else { return Look::More(length) };
        if block::check_crc(&h, whole).is_err() {
            return Look::Nothing;
        }
        match h.durable.0 > self.end {
            true => Look::Proof(Witness { vlf, pos: h.pos, durable: h.durable }),
            false => Look::Ours(length),
        }
    }
}

/// Opening's search. The table has every VLF active that the walk has gone through, and those before that are kept.
pub(crate) fn at_opening(
    files: &LogFiles,
    table: &VlfTable,
    walker: &Walker,
) -> Result<Option<Witness>, LogError> {
    let mut search =
        Search::new(&files.volumes, (files.root.fork, files.root.sector), walker, false);
    if let Some(w) = search.in_head()? {
        return Ok(Some(w));
    }
    for place in table.free_noted_after(walker.vlf().seqno.0) {
        if let Some(w) = search.in_whole(place, u64::MAX)? {
            return Ok(Some(w));
        }
    }
    for (i, place) in table.free_after_head().take(HEADERS).enumerate() {
        match search.in_vlf(place, i == 0, i < PEEKS) {
            Ok(Some(w)) => return Ok(Some(w)),
            // As far as anybody knows nothing is in there: what cannot be read there is no reason to stay closed.
            Ok(None) | Err(LogError::Io(_)) => {}
            Err(e) => return Err(e),
        }
    }
    Ok(None)
}

/// A tool's search: every other VLF that the directory names.
pub(crate) fn offline(
    volumes: &[Arc<dyn Volume>],
    facts: ([u8; 16], u32),
    walker: &Walker,
    places: impl Iterator<Item = (VlfPlace, VlfSeqNo)>,
) -> Result<Option<Witness>, LogError> {
    let mut search = Search::new(volumes, facts, walker, true);
    if let Some(w) = search.in_head()? {
        return Ok(Some(w));
    }
    let here = walker.vlf();
    let mut all: Vec<_> = places.filter(|p| p.0 != here.place).collect();
    // The next one first: its first block that knows is where the log is whole again.
    all.sort_by_key(|(p, seqno)| (*seqno <= here.seqno, *seqno, p.file, p.offset));
    for (place, seqno) in all {
        let found = match seqno > here.seqno {
            true => search.in_whole(place, u64::MAX)?,
            false => search.in_vlf(place, true, true)?,
        };
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}
