//! A look into log files that nobody has open: what `taffrail log map|dump|verify` is made of.
//!
//! Without a boot page there is no anchor; the VLFs' advisory headers say where each use began. The look begins at
//! the oldest VLF from which the sequence numbers run to the newest without a gap, and follows the chain from its
//! first block: a log that was restored may begin in the middle of a VLF, and its root says where. Nothing is written.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use taffrail_base::{BlockOffset, LogPos, Lsn, VlfSeqNo};
use taffrail_io::{AlignedBuf, Env, OpenSpec, Volume};

use crate::block::{self, NotABlock};
use crate::directory::{HALF, VLF_HEADER_BYTES, VlfHeader, parse_vlf_header};
use crate::error::LogError;
use crate::files::{LogFileInfo, LogFiles, corrupt};
use crate::record::Record;
use crate::vlf::{VlfInfo, VlfStatus};
use crate::walk::{Break, Step, WalkVlf, Walker};

/// A block as found on disk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlockInfo {
    /// Its LSN, slot 0.
    pub lsn: Lsn,
    /// Its position.
    pub pos: LogPos,
    /// Which file, and where in it.
    pub file: usize,
    /// Offset in the file.
    pub offset: u64,
    /// Bytes on disk, and how many of them are used.
    pub length: u32,
    /// Bytes used.
    pub used: u32,
    /// Records.
    pub records: u16,
    /// Incarnation.
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

/// What a walk shows.
pub enum Found<'a> {
    /// A block; its records follow.
    Block(&'a BlockInfo),
    /// A record.
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
}

/// Log files, read only.
pub struct OfflineLog {
    files: LogFiles,
    /// The same files past the page cache, for the walk over the blocks: the server wrote them so, they are not in it, and the
    /// kernel's own reading ahead is slower than large direct reads. Headers, small and far apart, are read through it.
    walked: Vec<Arc<dyn Volume>>,
    vlfs: Vec<(VlfInfo, Option<VlfHeader>)>,
    /// See [`OfflineLog::oldest`].
    run: Vec<WalkVlf>,
}

impl OfflineLog {
    /// Reads headers and the directory.
    pub fn open(env: &Env, paths: &[PathBuf]) -> Result<OfflineLog, LogError> {
        let (files, entries) = LogFiles::open_offline(env, paths)?;
        let mut vlfs = Vec::with_capacity(entries.len());
        let mut buf = AlignedBuf::zeroed(HALF);
        for e in entries {
            let volume = &files.volumes[usize::from(e.file)];
            volume.read_at(e.offset + HALF as u64, &mut buf)?;
            let header = parse_vlf_header(&buf, files.root.fork).filter(|h| h.size == e.size);
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
        let run = OfflineLog::find_run(&vlfs);
        let mut walked = files.volumes.clone();
        for (volume, file) in walked.iter_mut().zip(&files.root.files) {
            if !file.is_gone() {
                *volume = env.disk.open(&file.path, OpenSpec::LOG.read_only())?;
            }
        }
        Ok(OfflineLog { files, walked, vlfs, run })
    }

    /// The files as the root describes them.
    pub fn files(&self) -> Vec<LogFileInfo> {
        self.files.infos()
    }

    /// Sector, incarnation and recovery fork GUID.
    pub fn facts(&self) -> (u32, u32, [u8; 16]) {
        (self.files.root.sector, self.files.root.incarnation, self.files.root.fork)
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
        Ok(self.walked[b.file].read_at(b.offset, out)?)
    }

    /// The bytes of a VLF's header, and its file.
    pub(crate) fn vlf_header_bytes(&self, v: &VlfInfo) -> Result<(PathBuf, AlignedBuf), LogError> {
        let mut buf = AlignedBuf::zeroed(HALF);
        let volume = &self.files.volumes[v.file];
        volume.read_at(v.offset + HALF as u64, &mut buf)?;
        Ok((volume.path().to_owned(), buf))
    }

    /// The uses of VLFs, from the oldest with no gap to the newest.
    fn run(&self) -> &[WalkVlf] {
        &self.run
    }

    fn find_run(vlfs: &[(VlfInfo, Option<VlfHeader>)]) -> Vec<WalkVlf> {
        let mut uses: Vec<WalkVlf> = vlfs
            .iter()
            .filter_map(|(info, header)| {
                let place = block::VlfPlace {
                    file: info.file as u16,
                    offset: info.offset,
                    size: info.size,
                };
                // Positions that no log reaches are a damaged header's.
                let header = header.filter(|h| h.start < 1 << 60);
                header.map(|h| WalkVlf { place, seqno: VlfSeqNo(h.seqno), start: h.start })
            })
            .collect();
        uses.sort_by_key(|v| v.seqno);
        let gap = uses
            .windows(2)
            .rposition(|w| w[0].seqno.0 + 1 != w[1].seqno.0 || w[0].end() != w[1].start);
        uses.split_off(gap.map_or(0, |g| g + 1))
    }

    /// Where the first block of a use of a VLF lies: behind its header, or where a restore put the log's first block.
    fn first_block(&self, v: &WalkVlf) -> LogPos {
        let (restored, whole) = (self.files.root.first, v.start + VLF_HEADER_BYTES);
        let at = v.start + u64::from(restored.block.0) * 512;
        match restored.vlf == v.seqno && (whole..v.end()).contains(&at) {
            true => LogPos(at),
            false => LogPos(whole),
        }
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

    /// The same, from the first block of the VLF with this number on, for as long as `visit` wants to see more. `None`: the
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

    /// The same, from the block at a position on; without one from the oldest block.
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
        let Some(first) = first.copied() else { return Ok(None) };
        let volumes = self.walked.clone();
        let pos = pos.unwrap_or_else(|| self.first_block(&first));
        let mut walker = Walker::new(volumes, self.files.root.fork, first, pos, None);
        loop {
            let vlf = walker.vlf();
            let h = match walker.step(LogPos::MAX)? {
                Step::Block(h) => h,
                Step::End(why) => return self.end(&walker, run, why).map(Some),
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

    fn end(&self, walker: &Walker, run: &[WalkVlf], why: Break) -> Result<WalkEnd, LogError> {
        let here = walker.vlf();
        let next = run.iter().find(|v| v.seqno > here.seqno).map(|v| v.place);
        let proof = walker.find_proof(|| next.into_iter().collect())?;
        let block = (walker.next_pos().0 - here.start) / 512;
        Ok(WalkEnd {
            pos: walker.next_pos(),
            lsn: Lsn { vlf: here.seqno, block: BlockOffset(block as u32), slot: 0 },
            file: usize::from(here.place.file),
            offset: here.place.offset + (walker.next_pos().0 - here.start),
            torn: !matches!(why, Break::NotABlock(NotABlock::Magic) | Break::Place | Break::Room),
            why: in_words(why).to_owned(),
            proof,
        })
    }
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
