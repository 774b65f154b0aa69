//! A look into log files that nobody has open: what `taffrail log map|dump|verify` is made of.
//!
//! Without a boot page there is no anchor; the VLFs' advisory headers say where each use began, and where a header is damaged, or
//! older than what lies behind it, the first whole block in the VLF does. The look begins at the oldest VLF from which the
//! sequence numbers run to the newest without a gap, and follows the chain from its first block: a log that was restored may
//! begin in the middle of a VLF, and its root says where. Nothing is written.
//!
//! A gap is usual: VLFs behind it were let go long ago, and one of them has been used again. But a VLF that was used and says nothing
//! at all any more may be what is missing: where it fits a gap in number and size, the run goes through it, so that the walk
//! ends there, and tells.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use taffrail_base::{BlockOffset, LogPos, Lsn, VlfSeqNo};
use taffrail_io::{AlignedBuf, Env, OpenSpec, Volume};

use crate::block::{self, NotABlock, VlfPlace};
use crate::directory::{
    HALF, VLF_HEADER_BYTES, VlfHeader, VlfHeaderState, parse_vlf_header, vlf_header_state,
};
use crate::error::LogError;
use crate::files::{LogFileInfo, LogFiles, corrupt};
use crate::proof;
use crate::record::Record;
use crate::retried::read_retried;
use crate::vlf::{VlfInfo, VlfStatus};
use crate::walk::{Break, Step, WalkVlf, Walker};

/// A block as found on disk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlockInfo {
    /// Its LSN, slot 0.
    pub lsn: Lsn,
    /// The position of the block.
    pub pos: LogPos,
    /// Which file, and where in it.
    pub file: usize,
    /// Offset in the file.
    pub offset: u64,
    /// Bytes on disk, and how many of them are used.
    pub length: u32,
    /// The bytes used, padding left out.
    pub used: u32,
    /// The number of its records.
    pub records: u16,
    /// The incarnation that wrote the block.
    pub incarnation: u32,
    /// Durable position known when it was closed.
    pub durable: LogPos,
    /// CRC-32C, and its predecessor's.
    pub crc: u32,
    /// CRC-32C of its predecessor.
    pub prev_crc: u32,
    /// It is the last block of its VLF.
    pub last: bool,
}

/// A thing that a walk shows.
pub enum Found<'a> {
    /// A block; its records follow.
    Block(&'a BlockInfo),
    /// A record with its LSN.
    Record(Lsn, &'a Record<'a>),
}

/// Where a walk over the blocks ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WalkEnd {
    /// The position of the first block that is not there.
    pub pos: LogPos,
    /// Its LSN, slot 0.
    pub lsn: Lsn,
    /// Which file it would lie in, and where.
    pub file: usize,
    /// Offset in the file.
    pub offset: u64,
    /// Something lies there: a block that was being written when the power went, or one that was damaged.
    pub torn: bool,
    /// Why it ended, in words.
    pub why: String,
    /// A later block proves that the log went on: it is damaged.
    pub proof: Option<LogPos>,
    /// No block proves it, but the file's header: the log had been durable up to here.
    pub reached: Option<LogPos>,
    /// The proof in words.
    pub evidence: String,
    /// The VLF that the proof lies in.
    pub(crate) proof_vlf: Option<WalkVlf>,
}

impl WalkEnd {
    /// It is no end: log that had been durable is missing here.
    pub fn is_hole(&self) -> bool {
        self.proof.is_some() || self.reached.is_some()
    }
}

/// Log files, read only.
pub struct OfflineLog {
    files: LogFiles,
    /// The files again, past the page cache, for the walk over the blocks: the server wrote them
    /// so, they are not in it, and the kernel's own reading ahead is slower than large direct
    /// reads. Headers, small and far apart, are read through it.
    walked: Vec<Arc<dyn Volume>>,
    vlfs: Vec<(VlfInfo, Option<VlfHeader>)>,
    /// The VLFs from [`OfflineLog::oldest`] on.
    run: Vec<WalkVlf>,
    /// VLFs before the run that are broken near their beginning: see [`is_about_to_be_used`].
    doubtful: Vec<VlfPlace>,
}

impl OfflineLog {
    /// Reads headers and the directory.
    pub fn open(env: &Env, paths: &[PathBuf]) -> Result<OfflineLog, LogError> {
        let (files, entries) = LogFiles::open_offline(env, paths)?;
        let mut vlfs = Vec::with_capacity(entries.len());
        let mut silent = Vec::new();
        for e in entries {
            let volume = &*files.volumes[usize::from(e.file)];
            let place = VlfPlace { file: e.file, offset: e.offset, size: e.size };
            let (header, says_nothing) = identify(volume, place, files.root.fork, e.last_seqno)?;
            if says_nothing {
                silent.push(place);
            }
            let info = VlfInfo {
                file: usize::from(e.file),
                offset: e.offset,
                size: e.size,
                seqno: VlfSeqNo(header.map_or(0, |h| h.seqno)),
                status: if header.is_some() { VlfStatus::Reusable } else { VlfStatus::Unused },
                parity: header.map_or(0, |h| h.parity),
                create_lsn: e.create,
                first_lsn: header
                    .map_or(Lsn::ZERO, |h| Lsn::new(h.seqno, (VLF_HEADER_BYTES / 512) as u32, 1)),
            };
            let mut info = info;
            info.begin_at(files.root.first);
            vlfs.push((info, header));
        }
        vlfs.sort_by_key(|v| (v.0.file, v.0.offset));
        let mut run = OfflineLog::find_run(&files, &vlfs, &mut silent)?;
        let mut doubtful = Vec::new();
        while let Some(&oldest) = run.first()
            && run.len() > 1
            && !silent.contains(&oldest.place)
            && is_about_to_be_used(&files, &vlfs, &run, &doubtful)?
        {
            doubtful.push(oldest.place);
            run.remove(0);
        }
        let mut walked = files.volumes.clone();
        for (volume, file) in walked.iter_mut().zip(&files.root.files) {
            if !file.is_gone() {
                *volume = env.disk.open(&file.path, OpenSpec::LOG.read_only())?;
            }
        }
        Ok(OfflineLog { files, walked, vlfs, run, doubtful })
    }

    /// The files as the root describes them.
    pub fn files(&self) -> Vec<LogFileInfo> {
        self.files.infos()
    }

    /// Sector, incarnation and the database's GUID.
    pub fn facts(&self) -> (u32, u32, [u8; 16]) {
        (self.files.root.sector, self.files.root.incarnation, self.files.root.database())
    }

    /// The VLFs in file order. Which are active is not known without a boot page: those that were used show as reusable.
    pub fn vlfs(&self) -> Vec<VlfInfo> {
        self.vlfs.iter().map(|v| v.0).collect()
    }

    /// The VLF in which the unbroken run of VLFs begins; `None`: the log was never written.
    pub fn oldest(&self) -> Option<VlfSeqNo> {
        self.run().first().map(|v| v.seqno)
    }

    /// The VLF that was taken into use last.
    pub fn newest(&self) -> Option<VlfSeqNo> {
        self.run().last().map(|v| v.seqno)
    }

    /// The LSN of a position; `None` when it lies in no VLF of the unbroken run.
    pub fn lsn(&self, pos: LogPos) -> Option<Lsn> {
        let i = self.run.partition_point(|v| v.start <= pos.0).checked_sub(1)?;
        let v = self.run.get(i).filter(|v| pos.0 < v.end())?;
        let block = BlockOffset(((pos.block().0 - v.start) / 512) as u32);
        Some(Lsn { vlf: v.seqno, block, slot: pos.slot() })
    }

    /// The name of a file.
    pub fn path(&self, file: usize) -> PathBuf {
        self.files.volumes.get(file).map_or_else(PathBuf::new, |v| v.path().to_owned())
    }

    /// The bytes of a block that a walk has shown: [`BlockInfo::length`] of them. The walk has checked them.
    pub fn read_block(&self, b: &BlockInfo, out: &mut [u8]) -> Result<(), LogError> {
        assert_eq!(out.len(), b.length as usize, "room for the block");
        Ok(read_retried(&*self.walked[b.file], b.offset, out)?)
    }

    /// The bytes of a VLF's header, and its file.
    pub(crate) fn vlf_header_bytes(&self, v: &VlfInfo) -> Result<(PathBuf, AlignedBuf), LogError> {
        let mut buf = AlignedBuf::zeroed(HALF);
        let volume = &self.files.volumes[v.file];
        read_retried(&**volume, v.offset + HALF as u64, &mut buf)?;
        Ok((volume.path().to_owned(), buf))
    }

    /// The uses of VLFs, from the oldest with no gap to the newest.
    fn run(&self) -> &[WalkVlf] {
        &self.run
    }

    fn find_run(
        files: &LogFiles,
        vlfs: &[(VlfInfo, Option<VlfHeader>)],
        silent: &mut Vec<VlfPlace>,
    ) -> Result<Vec<WalkVlf>, LogError> {
        let mut uses: Vec<WalkVlf> = vlfs
            .iter()
            .filter_map(|(info, header)| {
                // Positions that no log reaches are a damaged header's.
                let header = header.filter(|h| h.start < 1 << 60);
                header.map(|h| WalkVlf {
                    place: place_of(info),
                    seqno: VlfSeqNo(h.seqno),
                    start: h.start,
                })
            })
            .collect();
        uses.sort_by_key(|v| v.seqno);
        // The same use in two places: one is a copy over something else, of which it tells nothing. (Begun, lost in a crash and begun
        // again elsewhere, it would be of two incarnations.)
        for pair in uses.windows(2).filter(|w| w[0].seqno == w[1].seqno) {
            if incarnation(files, &pair[0])? == incarnation(files, &pair[1])? {
                silent.extend([pair[0].place, pair[1].place]);
            }
        }
        // Newest first.
        let mut run: Vec<WalkVlf> = Vec::new();
        for at in (0..uses.len()).rev() {
            let v = uses[at];
            let Some(next) = run.last().copied() else {
                run.push(v);
                continue;
            };
            if v.seqno == next.seqno {
                // One of the two was begun, and lost with the blocks before it.
                let after = run.len().checked_sub(2).map(|i| run[i].start);
                let fits = |u: &WalkVlf| after.is_none_or(|start| u.end() == start);
                let newer = incarnation(files, &v)? > incarnation(files, &next)?;
                if fits(&v) && (newer || !fits(&next)) {
                    run.pop();
                    run.push(v);
                }
                continue;
            }
            if v.seqno.0 + 1 != next.seqno.0 || v.end() != next.start {
                let missing = silent
                    .iter()
                    .find(|p| v.seqno.0 + 2 == next.seqno.0 && v.end() + p.size == next.start);
                let Some(&place) = missing else { break };
                run.push(WalkVlf { place, seqno: VlfSeqNo(v.seqno.0 + 1), start: v.end() });
            }
            run.push(v);
        }
        run.reverse();
        Ok(run)
    }

    /// Where the first block of a use of a VLF lies: behind its header, or where a restore put the log's first block.
    fn first_block(&self, v: &WalkVlf) -> LogPos {
        first_block(&self.files, v)
    }

    /// VLFs before the run that are broken near their beginning: file, and offset of the first block. They were taken
    /// into use again when the
    /// power went, or are damaged.
    pub(crate) fn doubtful(&self) -> impl Iterator<Item = (usize, u64)> {
        self.doubtful.iter().map(|p| (usize::from(p.file), p.offset + VLF_HEADER_BYTES))
    }

    /// Shows every block and record, oldest first, to where the chain ends. `None`: the log was never written.
    pub fn walk(
        &self,
        mut block: impl FnMut(&BlockInfo),
        mut record: impl FnMut(Lsn, &Record<'_>),
    ) -> Result<Option<WalkEnd>, LogError> {
        self.walk_from(None, &mut |found| {
            match found {
                Found::Block(b) => block(b),
                Found::Record(lsn, r) => record(lsn, r),
            }
            ControlFlow::Continue(())
        })
    }

    /// Walks from the first block of the VLF with this number on, for as long as `visit` wants to see more. `None`: the
    /// log was never written, it was enough, or no unbroken run of VLFs goes through that one.
    pub fn walk_from(
        &self,
        vlf: Option<VlfSeqNo>,
        visit: &mut dyn FnMut(Found<'_>) -> ControlFlow<()>,
    ) -> Result<Option<WalkEnd>, LogError> {
        let run = self.run();
        let first = match vlf {
            None => run.first(),
            Some(seqno) => run.iter().find(|v| v.seqno == seqno),
        };
        match first.map(|v| self.first_block(v)) {
            Some(pos) => self.walk_at(Some(pos), visit),
            None => Ok(None),
        }
    }

    /// Walks from the block at a position on; without one from the oldest block.
    pub fn walk_at(
        &self,
        pos: Option<LogPos>,
        visit: &mut dyn FnMut(Found<'_>) -> ControlFlow<()>,
    ) -> Result<Option<WalkEnd>, LogError> {
        let run = self.run();
        let first = match pos {
            None => run.first(),
            Some(pos) => run.iter().find(|v| v.start <= pos.0 && pos.0 < v.end()),
        };
        match first.copied() {
            Some(first) => {
                self.walk_in(first, pos.unwrap_or_else(|| self.first_block(&first)), visit)
            }
            None => Ok(None),
        }
    }

    /// Walks from a block at a position of a VLF on.
    pub(crate) fn walk_in(
        &self,
        first: WalkVlf,
        pos: LogPos,
        visit: &mut dyn FnMut(Found<'_>) -> ControlFlow<()>,
    ) -> Result<Option<WalkEnd>, LogError> {
        let volumes = self.walked.clone();
        let mut walker = Walker::new(volumes, self.files.root.fork, first, pos, None);
        loop {
            let vlf = walker.vlf();
            let h = match walker.step(LogPos::MAX)? {
                Step::Block(h) => h,
                Step::End(why) => return self.end(&walker, why).map(Some),
            };
            let lsn = Lsn { vlf: h.vlf, block: h.offset, slot: 0 };
            let info = BlockInfo {
                lsn,
                pos: h.pos,
                file: usize::from(vlf.place.file),
                offset: vlf.place.offset + (h.pos.0 - vlf.start),
                length: h.length,
                used: h.used,
                records: h.records,
                incarnation: h.incarnation,
                durable: h.durable,
                crc: h.crc,
                prev_crc: h.prev_crc,
                last: h.successor.is_some(),
            };
            if visit(Found::Block(&info)).is_break() {
                return Ok(None);
            }
            for slot in 1..=h.records {
                let pos = LogPos(h.pos.0 + u64::from(slot));
                let record = block::record_bytes(&h, walker.block(), slot)
                    .and_then(|b| Record::parse(pos, b))
                    .ok_or_else(|| {
                        let why = format!("record {slot} of this block is unreadable");
                        corrupt(self.files.volumes[info.file].path(), info.offset, why)
                    })?;
                if visit(Found::Record(Lsn { slot, ..lsn }, &record)).is_break() {
                    return Ok(None);
                }
            }
        }
    }

    fn end(&self, walker: &Walker, why: Break) -> Result<WalkEnd, LogError> {
        let here = walker.vlf();
        let root = &self.files.root;
        let places = self.vlfs.iter().map(|v| (place_of(&v.0), v.0.seqno));
        let found = proof::offline(&self.walked, (root.fork, root.sector), walker, places)?;
        let reached = Some(root.reached).filter(|&r| found.is_none() && walker.next_pos() < r);
        let evidence = match (&found, reached) {
            (Some(witness), _) => witness.says(),
            (None, Some(reached)) => {
                format!("its file's header says that it reached position {:#x}", reached.0)
            }
            (None, None) => String::new(),
        };
        let block = (walker.next_pos().0 - here.start) / 512;
        Ok(WalkEnd {
            pos: walker.next_pos(),
            lsn: Lsn { vlf: here.seqno, block: BlockOffset(block as u32), slot: 0 },
            file: usize::from(here.place.file),
            offset: here.place.offset + (walker.next_pos().0 - here.start),
            torn: !matches!(why, Break::NotABlock(NotABlock::Magic) | Break::Place | Break::Room),
            why: in_words(why).to_owned(),
            proof: found.map(|w| w.pos),
            reached,
            evidence,
            proof_vlf: found.map(|w| w.vlf),
        })
    }
}

fn place_of(v: &VlfInfo) -> VlfPlace {
    VlfPlace { file: v.file as u16, offset: v.offset, size: v.size }
}

/// The last use of a VLF: by its header, or by a block that knows better. The second value: the VLF
/// was used, and nothing in it says for what.
fn identify(
    volume: &dyn Volume,
    place: VlfPlace,
    fork: [u8; 16],
    noted: u32,
) -> Result<(Option<VlfHeader>, bool), LogError> {
    let mut buf = AlignedBuf::zeroed(2 * HALF);
    read_retried(volume, place.offset + HALF as u64, &mut buf)?;
    let (bytes, block) = buf.split_at(HALF);
    let ours = parse_vlf_header(bytes, fork);
    let header = ours.filter(|h| h.size == place.size);
    let known = header.map_or(0, |h| h.seqno);
    let first = proof::at_home(place, fork, VLF_HEADER_BYTES, block);
    let state = vlf_header_state(bytes);
    let foreign = ours.is_none() && state == VlfHeaderState::Whole;
    if foreign || (known > 0 && first.is_none_or(|(h, _)| h.vlf.0 <= known)) {
        return Ok((header, false));
    }
    // A VLF that seems unused is not read from end to end.
    let used = state != VlfHeaderState::Empty || noted > 0;
    let upto = if used { place.size } else { place.size.min(128 << 10) };
    let found = proof::first_whole(volume, place, fork, (VLF_HEADER_BYTES, upto))?;
    let by_block = found.filter(|(h, _)| h.vlf.0 > known).map(|(h, vlf)| VlfHeader {
        parity: h.parity,
        seqno: h.vlf.0,
        start: vlf.start,
        size: place.size,
        before: None,
    });
    Ok((by_block.or(header), used && by_block.is_none() && header.is_none()))
}

fn first_block(files: &LogFiles, v: &WalkVlf) -> LogPos {
    let (restored, whole) = (files.root.first, v.start + VLF_HEADER_BYTES);
    let at = v.start + u64::from(restored.block.0) * 512;
    match restored.vlf == v.seqno && (whole..v.end()).contains(&at) {
        true => LogPos(at),
        false => LogPos(whole),
    }
}

/// The oldest VLF of the run is broken near its beginning, and is the next in line: a crash may have left a part of the writes that
/// were to take it into use again. So it may not be needed, and nothing but the data file knows.
fn is_about_to_be_used(
    files: &LogFiles,
    vlfs: &[(VlfInfo, Option<VlfHeader>)],
    run: &[WalkVlf],
    before: &[VlfPlace],
) -> Result<bool, LogError> {
    let (Some(oldest), Some(newest)) = (run.first(), run.last()) else { return Ok(false) };
    let key = |p: &VlfPlace| (p.file, p.offset);
    let head = key(&newest.place);
    let in_line = vlfs
        .iter()
        .map(|v| place_of(&v.0))
        .filter(|p| !before.contains(p) && !run[1..].iter().any(|v| v.place == *p));
    let next = in_line.min_by_key(|p| (key(p) < head, key(p)));
    if next != Some(oldest.place) {
        return Ok(false);
    }
    let pos = first_block(files, oldest);
    let mut walker = Walker::new(files.volumes.clone(), files.root.fork, *oldest, pos, None);
    while walker.vlf() == *oldest && walker.next_pos().0 < oldest.start + BEGINNING {
        match walker.step(LogPos::MAX) {
            Ok(Step::Block(_)) => {}
            Ok(Step::End(_)) => return Ok(true),
            // Whoever walks is told.
            Err(LogError::Corrupt { .. }) => return Ok(false),
            Err(e) => return Err(e),
        }
    }
    Ok(false)
}

/// More of a VLF than is being written at a time.
const BEGINNING: u64 = 8 << 20;

/// The incarnation of the first block of a use; 0: it is not there.
fn incarnation(files: &LogFiles, v: &WalkVlf) -> Result<u32, LogError> {
    let mut buf = AlignedBuf::zeroed(HALF);
    let volume = &files.volumes[usize::from(v.place.file)];
    read_retried(&**volume, v.place.offset + VLF_HEADER_BYTES, &mut buf)?;
    let first = proof::at_home(v.place, files.root.fork, VLF_HEADER_BYTES, &buf);
    Ok(first.filter(|(_, vlf)| vlf == v).map_or(0, |(h, _)| h.incarnation))
}

/// Why the chain ends, for people.
fn in_words(why: Break) -> &'static str {
    match why {
        Break::NotABlock(NotABlock::Magic) => "no log block begins here",
        Break::NotABlock(NotABlock::Version(_)) => "the block has an unknown version",
        Break::NotABlock(NotABlock::Shape) => "the block's lengths are impossible",
        Break::NotABlock(NotABlock::Crc) => "the block's checksum is wrong",
        Break::Place => "the block here belongs to an earlier use of the VLF",
        Break::Link => "the block here does not follow the one before it",
        Break::Incarnation => "the block here is of an earlier incarnation",
        Break::Fork => "the block here belongs to another recovery fork",
        Break::Room => "the VLF has no room for another block",
    }
}
