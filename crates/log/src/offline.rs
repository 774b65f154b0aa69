//! A look into log files that nobody has open: what `taffrail log map|dump|verify` is made of.
//!
//! Without a boot page there is no anchor; the VLFs' advisory headers say where each use began. The look begins at
//! the oldest VLF from which the sequence numbers run to the newest without a gap, and follows the chain from its
//! first block. Nothing is written.

use std::path::PathBuf;
use std::sync::Arc;

use taffrail_base::{LogPos, Lsn, VlfSeqNo};
use taffrail_io::{AlignedBuf, Env, Volume};

use crate::block;
use crate::directory::{HALF, VLF_HEADER_BYTES, VlfHeader, parse_vlf_header};
use crate::error::LogError;
use crate::files::{LogFileInfo, LogFiles};
use crate::record::Record;
use crate::vlf::{VlfInfo, VlfStatus};
use crate::walk::{Step, WalkVlf, Walker};

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

/// Where a walk over the blocks ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WalkEnd {
    /// The position of the first block that is not there.
    pub pos: LogPos,
    /// Why it ended, in words.
    pub why: String,
    /// A later block proves that the log went on: it is damaged.
    pub proof: Option<LogPos>,
}

/// Log files, read only.
pub struct OfflineLog {
    files: LogFiles,
    vlfs: Vec<(VlfInfo, Option<VlfHeader>)>,
}

impl OfflineLog {
    /// Reads headers and the directory.
    pub fn open(env: &Env, paths: &[PathBuf]) -> Result<OfflineLog, LogError> {
        let (files, entries) = LogFiles::open_read_only(env, paths)?;
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
            vlfs.push((info, header));
        }
        vlfs.sort_by_key(|v| (v.0.file, v.0.offset));
        Ok(OfflineLog { files, vlfs })
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

    /// The uses of VLFs, from the oldest with no gap to the newest.
    fn run(&self) -> Vec<WalkVlf> {
        let mut uses: Vec<WalkVlf> = self
            .vlfs
            .iter()
            .filter_map(|(info, header)| {
                let place = block::VlfPlace {
                    file: info.file as u16,
                    offset: info.offset,
                    size: info.size,
                };
                (*header).map(|h| WalkVlf { place, seqno: VlfSeqNo(h.seqno), start: h.start })
            })
            .collect();
        uses.sort_by_key(|v| v.seqno);
        let gap = uses
            .windows(2)
            .rposition(|w| w[0].seqno.0 + 1 != w[1].seqno.0 || w[0].end() != w[1].start);
        uses.split_off(gap.map_or(0, |g| g + 1))
    }

    /// Shows every block and record, oldest first, to where the chain ends. `None`: the log was never written.
    pub fn walk(
        &self,
        mut block: impl FnMut(&BlockInfo),
        mut record: impl FnMut(Lsn, &Record<'_>),
    ) -> Result<Option<WalkEnd>, LogError> {
        let Some(first) = self.run().first().copied() else { return Ok(None) };
        let volumes: Vec<Arc<dyn Volume>> = self.files.volumes.clone();
        let pos = LogPos(first.start + VLF_HEADER_BYTES);
        let mut walker = Walker::new(volumes, self.files.root.fork, first, pos, None);
        loop {
            let vlf = walker.vlf();
            let h = match walker.step(LogPos::MAX)? {
                Step::Block(h) => h,
                Step::End(why) => {
                    let next =
                        self.run().iter().find(|v| v.seqno > walker.vlf().seqno).map(|v| v.place);
                    let candidates: Vec<_> = next.into_iter().collect();
                    let proof = walker.find_proof(|| candidates)?;
                    let why = format!("{why:?}");
                    return Ok(Some(WalkEnd { pos: walker.next_pos(), why, proof }));
                }
            };
            let lsn = Lsn { vlf: h.vlf, block: h.offset, slot: 0 };
            block(&BlockInfo {
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
            });
            for slot in 1..=h.records {
                let pos = LogPos(h.pos.0 + u64::from(slot));
                let found = block::record_bytes(&h, walker.block(), slot)
                    .and_then(|b| Record::parse(pos, b))
                    .ok_or_else(|| walker.corrupt(format!("record {slot} is unreadable")))?;
                record(Lsn { slot, ..lsn }, &found);
            }
        }
    }
}
