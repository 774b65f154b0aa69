//! Creating a log, and finding it again after a restart.
//!
//! Creation: files with VLFs by the documented rule ([`LogFiles::create`]), the first of them in use.
//!
//! Restart: from the anchor of the boot page forward along the chain (see [`crate::block`] for what a link is), to
//! the first block that does not belong to it.
//!
//! | what is found                                                        | meaning                         |
//! |----------------------------------------------------------------------|---------------------------------|
//! | the chain ends at or after everything known to be durable            | the end of the log              |
//! | it ends before the anchor's durable position, or the root's          | corrupt: the database is suspect |
//! | a later valid block of this fork knew the broken place as durable    | corrupt: the database is suspect |
//!
//! Where it is looked for such a block: see [`crate::proof`].
//!
//! VLFs before the anchor's that are needed for other reasons than recovery are made active without being read: see
//! [`crate::kept`].
//!
//! What nothing proves to be on the medium is written once more before anybody hears of its records: see [`crate::tail`].
//!
//! Then a higher incarnation is made durable in the root before the first block is appended. What lies behind the end on
//! disk (blocks that overtook a lost one, or of an earlier try) has a lower incarnation than that block, so it can
//! never continue it.

use std::path::PathBuf;
use std::sync::Arc;

use taffrail_base::LogPos;
use taffrail_io::Env;

use crate::anchor::LogAnchor;
use crate::block;
use crate::directory::{FILE_HEADER_BYTES, RootFile, VLF_HEADER_BYTES};
use crate::error::LogError;
use crate::files::{LogFiles, check_sector, corrupt};
use crate::growth::vlf_sizes;
use crate::kept::keep_from;
use crate::log::{End, Log};
use crate::options::{LOG_FILE_BYTES_MAX, LogFileSpec, LogOptions, MIN_SIZE};
use crate::proof;
use crate::record::Record;
use crate::tail::Tail;
use crate::vlf::VlfTable;
use crate::walk::{Step, WalkVlf, Walker};

/// The findings of an opening.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpenReport {
    /// The end of the log: every record before it is there, and none after it.
    pub end: LogPos,
    /// The last record, [`LogPos::ZERO`] if there is none at or after the anchor.
    pub last_record: LogPos,
    /// Something that looks like a log block, or pieces of one, lay behind the end and was cut off.
    pub torn_tail: bool,
    /// The number of blocks read.
    pub blocks: u64,
    /// The number of records in them.
    pub records: u64,
    /// The bytes of the blocks.
    pub bytes: u64,
    /// The incarnation that the opening begins.
    pub incarnation: u32,
    /// The log reaches back to the position that it was to be kept from.
    pub kept: bool,
}

/// The position of the first byte of the first VLF of a new log: not 0, which means "no position".
const FIRST_START: u64 = 8192;

impl Log {
    /// Makes the files of a new log and opens it. `fork` is the database's recovery fork GUID.
    pub fn create(
        env: &Env,
        specs: &[LogFileSpec],
        options: LogOptions,
        fork: [u8; 16],
    ) -> Result<Arc<Log>, LogError> {
        let mut files = Vec::new();
        for spec in specs {
            let size = spec.size.next_multiple_of(8192);
            if !(MIN_SIZE..=LOG_FILE_BYTES_MAX).contains(&size) {
                let why = format!("a log file has 512 KB to 2 TB, not {} bytes", spec.size);
                return Err(LogError::Specification(why));
            }
            let file = RootFile {
                path: spec.path.clone(),
                size,
                growth: spec.growth,
                max_size: spec.max_size.clamp(size, LOG_FILE_BYTES_MAX),
                min_size: size,
                born: 0,
                id: spec.id,
            };
            let area = size - FILE_HEADER_BYTES;
            files.push((file, vlf_sizes(options.vlf_algorithm, area, size, None)));
        }
        let (log_files, all) =
            LogFiles::create(env, files, options.sector, fork, options.initialization)?;
        let mut table = VlfTable::new(&all, u64::from(log_files.root.sector));
        let first = table.next_free().expect("a new log has VLFs");
        let activated = table.activate(first, options.first_vlf.max(1), FIRST_START);
        assert!(activated.is_some(), "the first VLF of a new log is free");
        let end = End {
            pos: LogPos(FIRST_START + VLF_HEADER_BYTES),
            last_crc: 0,
            last_record: LogPos::ZERO,
            checkpoint: LogPos(FIRST_START + VLF_HEADER_BYTES),
        };
        Ok(Log::assemble(env, options, log_files, table, end))
    }

    /// Opens a log at an anchor, follows it to its end, and makes it ready to append.
    pub fn open(
        env: &Env,
        paths: &[PathBuf],
        options: LogOptions,
        anchor: &LogAnchor,
    ) -> Result<(Arc<Log>, OpenReport), LogError> {
        Log::open_with(env, paths, options, anchor, |_| Ok(()))
    }

    /// Opens the log, and shows every record at or after the anchor on the way: analysis needs no second reading.
    pub fn open_with(
        env: &Env,
        paths: &[PathBuf],
        options: LogOptions,
        anchor: &LogAnchor,
        visit: impl FnMut(&Record<'_>) -> Result<(), LogError>,
    ) -> Result<(Arc<Log>, OpenReport), LogError> {
        Log::open_keeping(env, paths, options, anchor, LogPos::MAX, visit)
    }

    /// As [`Log::open`], where log before the anchor is needed, too, from `keep` on: the VLFs that
    /// hold it are active afterwards, without having been read (see [`crate::kept`]). That they are
    /// not there any more is no error: the report says so.
    pub fn open_keeping(
        env: &Env,
        paths: &[PathBuf],
        options: LogOptions,
        anchor: &LogAnchor,
        keep: LogPos,
        mut visit: impl FnMut(&Record<'_>) -> Result<(), LogError>,
    ) -> Result<(Arc<Log>, OpenReport), LogError> {
        let (mut files, entries) = LogFiles::open(env, paths)?;
        let live = |files: &LogFiles| {
            let pairs = files.root.files.iter().zip(&files.volumes).filter(|(f, _)| !f.is_gone());
            pairs.map(|(f, volume)| (f.size, Arc::clone(volume))).collect::<Vec<_>>()
        };
        for (_, volume) in live(&files) {
            check_sector(&*volume, Some(files.root.sector))?;
            // What a killed process wrote may still be on its way to the medium: what is read below is to stay.
            volume.sync()?;
        }
        files.write_root_again()?;
        let mut table = VlfTable::new(&entries, u64::from(files.root.sector));
        let bad_anchor = |why: &str| corrupt(&paths[0], anchor.vlf.offset, why.to_owned());
        let vlf = WalkVlf { place: anchor.vlf, seqno: anchor.seqno, start: anchor.start.0 };
        let inside = anchor.pos.0 >= vlf.start + VLF_HEADER_BYTES && anchor.pos.0 < vlf.end();
        if !inside || table.activate(anchor.vlf, anchor.seqno.0, vlf.start).is_none() {
            return Err(bad_anchor("the boot page names a VLF that the log does not have"));
        }
        let mut walker = Walker::new(
            files.volumes.clone(),
            files.root.fork,
            vlf,
            anchor.pos.block(),
            anchor.before,
        );
        let mut report = OpenReport {
            end: LogPos::ZERO,
            last_record: LogPos::ZERO,
            torn_tail: false,
            blocks: 0,
            records: 0,
            bytes: 0,
            incarnation: 0,
            kept: true,
        };
        let (mut blocks, mut bytes) = (0, 0);
        let mut tail = Tail::new(anchor.durable.max(files.root.reached));
        let mut hear = |tail: &mut Tail, walker: &Walker| -> Result<(), LogError> {
            while let Some(block) = tail.next() {
                let h = &block.header;
                for slot in 1..=h.records {
                    let pos = LogPos(h.pos.0 + u64::from(slot));
                    let record = block::record_bytes(h, &block.bytes, slot)
                        .and_then(|b| Record::parse(pos, b))
                        .ok_or_else(|| {
                            walker.corrupt(format!("record {slot} at {:#x} is unreadable", h.pos.0))
                        })?;
                    report.last_record = pos;
                    if pos >= anchor.pos {
                        report.records += 1;
                        visit(&record)?;
                    }
                }
            }
            Ok(())
        };
        let broken = loop {
            let vlf = walker.vlf();
            let h = match walker.step(LogPos::MAX)? {
                Step::End(why) => break why,
                Step::Block(h) => h,
            };
            blocks += 1;
            bytes += u64::from(h.length);
            tail.push(vlf, h, walker.held());
            if tail.is_full() {
                tail.write(&files.volumes)?;
            }
            hear(&mut tail, &walker)?;
            table.note_head_parity(h.parity);
            if let Some(place) = h.successor {
                let v = walker.vlf();
                if table.activate(place, v.seqno.0, v.start).is_none() {
                    return Err(walker.corrupt(format!("its successor {place:?} is in use")));
                }
            }
        };
        let end = walker.next_pos();
        if end < anchor.durable {
            let why = format!(
                "the log ends here ({broken:?}), but it was durable up to position {:#x}",
                anchor.durable.0
            );
            return Err(walker.corrupt(why));
        }
        // Before it is looked what came next: that is none of these.
        let kept = keep_from(&files, &mut table, keep)?;
        // A log that was closed here was not written on.
        let (reached, closed) =
            (files.root.reached, files.root.closed && files.root.reached == end);
        let proof = if closed { None } else { proof::at_opening(&files, &table, &walker)? };
        if let Some(proof) = proof {
            let why = format!("the log is broken here ({broken:?}), but {}", proof.says());
            return Err(walker.corrupt(why));
        }
        if end < reached {
            let why = format!(
                "the log ends here ({broken:?}), but its file's header says that it reached position {:#x}",
                reached.0
            );
            return Err(walker.corrupt(why));
        }
        let Some(last_crc) = walker.last_crc() else {
            return Err(bad_anchor("the block that the boot page names is not there"));
        };
        tail.write(&files.volumes)?;
        hear(&mut tail, &walker)?;
        (report.blocks, report.bytes, report.kept) = (blocks, bytes, kept);
        // A growth that was not finished, or a shrink that was: nothing behind the size belongs to the log. Only now, as the log
        // has been followed to its end: where the newest root is damaged and an older one stands in for it, it must not cut
        // off what that one does not know.
        for (size, volume) in live(&files) {
            if volume.len()? > size {
                volume.truncate(size)?;
            }
        }
        table.forget_lost_uses();
        let incarnation = walker.incarnation().max(files.root.incarnation) + 1;
        files.write_root(|r| {
            (r.incarnation, r.reached, r.closed) = (incarnation, end, false);
        })?;
        report.end = end;
        report.incarnation = incarnation;
        report.torn_tail = !matches!(
            broken,
            crate::walk::Break::NotABlock(block::NotABlock::Magic) | crate::walk::Break::Place
        );
        let end =
            End { pos: end, last_crc, last_record: report.last_record, checkpoint: anchor.pos };
        Ok((Log::assemble(env, options, files, table, end), report))
    }
}
