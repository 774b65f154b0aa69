//! Log blocks out of a log and into another: what backups carry, and how a restored database gets a log that goes on where the
//! backed-up one ended.
//!
//! Positions and LSNs of a restored database are those of the database that was backed up: pages carry positions, log backups follow each
//! other by LSN. So the restored log must give the same ranges of positions to VLFs with the same sequence numbers, that is: VLFs of the
//! same sizes in the same order. Where they lie in the files does not matter. Restore makes files with VLFs as the backup describes
//! them, takes for each VLF of the backed-up log a free one of its size, and adds one to the last file where there is none.
//!
//! A block is not copied as it is: the link to its predecessor, incarnation, fork, parity and the successor's place are this log's. It is
//! sealed anew; records stay where they are.
//!
//! ```text
//! backup   Log::blocks ──► (VlfRange, block) …                  durable blocks, checked by the walk
//! restore  LogInstaller::create | open ──► block(…) … ──► finish ──► anchor(pos)      nobody has the log open
//!          Log::open_with(anchor)                                                        as restart does
//! ```
//! An installation that is interrupted leaves a log that ends somewhere between its old end and the new one, at a whole block: what lies
//! behind has a lower incarnation than whatever is installed or appended next. `durable` of an installed block names what was synced
//! before it, so that a later block that survived alone proves nothing.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use taffrail_base::{LogPos, Lsn, VlfSeqNo};
use taffrail_io::{AlignedBuf, Env};

use crate::anchor::LogAnchor;
use crate::block::{self, BLOCK_BYTES_MAX, BlockHeader, VlfPlace};
use crate::directory::{FILE_HEADER_BYTES, HALF, RootFile, VLF_HEADER_BYTES, entries, vlf_header};
use crate::error::LogError;
use crate::files::{LogFiles, corrupt};
use crate::log::Log;
use crate::options::{Growth, LOG_FILE_BYTES_MAX, LogOptions};
use crate::reader::walk_vlf;
use crate::reuse::{Hold, HolderId};
use crate::vlf::VlfTable;
use crate::waits::ReuseWait;
use crate::walk::{Step, WalkVlf, Walker};

/// The positions that a VLF stands for, and its number: what a log backup must say of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VlfRange {
    /// The sequence number of the VLF.
    pub seqno: VlfSeqNo,
    /// The position of its first byte, header included.
    pub start: LogPos,
    /// The size in bytes.
    pub size: u64,
}

impl VlfRange {
    fn of(v: WalkVlf) -> VlfRange {
        VlfRange { seqno: v.seqno, start: LogPos(v.start), size: v.place.size }
    }

    /// The position after its last byte. None: no log is so long.
    pub fn end(&self) -> Option<LogPos> {
        self.start.0.checked_add(self.size).map(LogPos)
    }

    /// The LSN of a position in it.
    pub fn lsn(&self, pos: LogPos) -> Lsn {
        let block = pos.block().since(self.start) / 512;
        Lsn::new(self.seqno.0, block as u32, pos.slot())
    }
}

/// A durable block, as a backup keeps it.
pub struct BackupBlock<'a> {
    /// The VLF of the block.
    pub vlf: VlfRange,
    /// The position of the block.
    pub pos: LogPos,
    /// The bytes of the whole block.
    pub bytes: &'a [u8],
}

/// Reads whole blocks forward, holding the log.
pub struct BlockReader {
    log: Arc<Log>,
    walker: Walker,
    holder: HolderId,
    at: Arc<AtomicU64>,
    stop: LogPos,
}

impl BlockReader {
    /// The next block that begins before the end.
    #[allow(clippy::should_implement_trait, reason = "the block borrows from the reader")]
    pub fn next(&mut self) -> Result<Option<BackupBlock<'_>>, LogError> {
        if self.walker.next_pos() >= self.stop {
            return Ok(None);
        }
        let (vlf, pos) = (VlfRange::of(self.walker.vlf()), self.walker.next_pos());
        self.at.store(pos.0, Ordering::Release);
        match self.walker.step(self.stop)? {
            Step::Block(_) => Ok(Some(BackupBlock { vlf, pos, bytes: self.walker.block() })),
            Step::End(why) => {
                Err(self.walker.corrupt(format!("the durable log is broken here: {why:?}")))
            }
        }
    }
}

impl Drop for BlockReader {
    fn drop(&mut self) {
        self.log.unregister_holder(self.holder);
    }
}

impl Log {
    /// The blocks from the one that `from` lies in to that before `stop`, a position that [`Log::durable`] returned.
    pub fn blocks(self: &Arc<Log>, from: LogPos, stop: LogPos) -> Result<BlockReader, LogError> {
        assert!(stop <= self.durable(), "only durable log is read");
        let at = Arc::new(AtomicU64::new(from.0));
        let shared = Arc::clone(&at);
        let holder = self.register_holder(Box::new(move || {
            let pos = LogPos(shared.load(Ordering::Acquire));
            Some(Hold { wait: ReuseWait::ActiveBackupOrRestore, pos })
        }));
        let vlf = self.lock().table.find(from).map(walk_vlf);
        let Some(vlf) = vlf else {
            self.unregister_holder(holder);
            return Err(LogError::NotFound(from));
        };
        let walker = Walker::new(self.all_volumes(), self.fork, vlf, from.block(), None);
        Ok(BlockReader { log: Arc::clone(self), walker, holder, at, stop })
    }

    /// Path and sizes of the VLFs of each file, in the order of their numbers: what a full backup says of the log.
    pub fn layout(&self) -> Vec<(PathBuf, Vec<u64>)> {
        // Held: no file comes or goes meanwhile.
        let files = self.files.lock();
        let mut layout: Vec<(PathBuf, Vec<u64>)> =
            files.root.files.iter().map(|f| (f.path.clone(), Vec::new())).collect();
        for v in self.lock().table.infos() {
            if let Some((_, sizes)) = layout.get_mut(v.file) {
                sizes.push(v.size);
            }
        }
        layout.retain(|(_, sizes)| !sizes.is_empty());
        layout
    }
}

/// A log file to be made by a restore.
#[derive(Clone, Debug)]
pub struct RestoredFile {
    /// The owner's number for the file: see [`crate::LogFileSpec::id`].
    pub id: u16,
    /// The path of the file.
    pub path: PathBuf,
    /// The amount by which it grows.
    pub growth: Growth,
    /// How large it may become.
    pub max_size: u64,
    /// Sizes of its VLFs, in order.
    pub vlfs: Vec<u64>,
}

/// Blocks collected for one write.
const WRITE: usize = 1 << 20;

/// Installs blocks into a log that nobody has open.
pub struct LogInstaller {
    files: LogFiles,
    table: VlfTable,
    fork: [u8; 16],
    incarnation: u32,
    /// Position of the next block; zero: none was installed, the first decides.
    next: u64,
    last_crc: u32,
    /// The position up to which all is synced.
    synced: LogPos,
    buf: AlignedBuf,
    /// The content of `buf`: file, offset, bytes.
    pending: (u16, u64, usize),
    touched: BTreeSet<u16>,
    /// The last block, and how many of its records are installed; what follows is left out.
    until: Option<(LogPos, u16)>,
}

fn refuse(why: &str) -> LogError {
    LogError::Specification(why.to_owned())
}

impl LogInstaller {
    /// Makes the files, with these VLFs, none in use. `fork` names this log in its blocks.
    pub fn create(
        env: &Env,
        specs: &[RestoredFile],
        options: &LogOptions,
        sector: u32,
        fork: [u8; 16],
    ) -> Result<LogInstaller, LogError> {
        let mut made = Vec::new();
        for spec in specs {
            let legal = |s: &u64| {
                s.is_multiple_of(8192)
                    && (2 * VLF_HEADER_BYTES + 1..=LOG_FILE_BYTES_MAX).contains(s)
            };
            let sum = spec.vlfs.iter().try_fold(FILE_HEADER_BYTES, |sum, s| sum.checked_add(*s));
            let size = sum.filter(|&n| n <= LOG_FILE_BYTES_MAX && spec.vlfs.iter().all(legal));
            let Some(size) = size.filter(|_| !spec.vlfs.is_empty()) else {
                return Err(refuse("the backup describes an impossible log file"));
            };
            let file = RootFile {
                path: spec.path.clone(),
                size,
                growth: spec.growth,
                max_size: spec.max_size.clamp(size, LOG_FILE_BYTES_MAX),
                min_size: size,
                born: 0,
                id: spec.id,
            };
            made.push((file, spec.vlfs.clone()));
        }
        let (files, all) = LogFiles::create(env, made, Some(sector), fork, options.initialization)?;
        let table = VlfTable::new(&all, u64::from(sector));
        Ok(LogInstaller::new(files, table))
    }

    fn new(files: LogFiles, table: VlfTable) -> LogInstaller {
        LogInstaller {
            fork: files.root.fork,
            incarnation: files.root.incarnation,
            files,
            table,
            next: 0,
            last_crc: 0,
            synced: LogPos::ZERO,
            buf: AlignedBuf::zeroed(WRITE),
            pending: (0, 0, 0),
            touched: BTreeSet::new(),
            until: None,
        }
    }

    /// Opens the log of a database in the middle of a restore, to go on at its end.
    pub fn open(
        env: &Env,
        paths: &[PathBuf],
        anchor: &LogAnchor,
    ) -> Result<LogInstaller, LogError> {
        let (files, entries) = LogFiles::open(env, paths)?;
        // What the walk finds may have been written and not synced by whoever ended before: the blocks installed next
        // say that it is durable.
        for volume in &files.volumes {
            volume.sync()?;
        }
        let mut table = VlfTable::new(&entries, u64::from(files.root.sector));
        let bad = |why: &str| corrupt(&paths[0], anchor.vlf.offset, why.to_owned());
        let vlf = WalkVlf { place: anchor.vlf, seqno: anchor.seqno, start: anchor.start.0 };
        let inside = anchor.pos.0 >= vlf.start + VLF_HEADER_BYTES && anchor.pos.0 < vlf.end();
        if !inside || table.activate(anchor.vlf, anchor.seqno.0, vlf.start).is_none() {
            return Err(bad("the boot page names a VLF that the log does not have"));
        }
        let volumes = files.volumes.clone();
        let mut walker =
            Walker::new(volumes, files.root.fork, vlf, anchor.pos.block(), anchor.before);
        while let Step::Block(h) = walker.step(LogPos::MAX)? {
            if let Some(place) = h.successor {
                let v = walker.vlf();
                if table.activate(place, v.seqno.0, v.start).is_none() {
                    return Err(walker.corrupt(format!("its successor {place:?} is in use")));
                }
            }
        }
        let end = walker.next_pos();
        let Some(last_crc) = walker.last_crc().filter(|_| end >= anchor.durable) else {
            return Err(bad("the log ends before what was durable"));
        };
        let mut made = LogInstaller::new(files, table);
        made.incarnation = walker.incarnation().max(made.incarnation);
        (made.next, made.last_crc, made.synced) = (end.0, last_crc, end);
        made.raise()?;
        Ok(made)
    }

    /// Blocks installed from now on are newer than all that the files hold.
    fn raise(&mut self) -> Result<(), LogError> {
        self.incarnation += 1;
        let incarnation = self.incarnation;
        self.files.write_root(|r| {
            // The log that is there may be replaced by one that ends before it.
            (r.incarnation, r.reached, r.closed) = (incarnation, LogPos::ZERO, false);
        })
    }

    /// Opens the log of a database whose log is to be replaced, by a differential that goes on later than it ends.
    pub fn open_anew(env: &Env, paths: &[PathBuf]) -> Result<LogInstaller, LogError> {
        let (files, entries) = LogFiles::open(env, paths)?;
        let table = VlfTable::new(&entries, u64::from(files.root.sector));
        let mut made = LogInstaller::new(files, table);
        made.raise()?;
        Ok(made)
    }

    /// Where the log ends; zero: it has no block yet.
    pub fn end(&self) -> LogPos {
        LogPos(self.next)
    }

    /// The LSN of what comes next.
    pub fn end_lsn(&self) -> Lsn {
        match self.next {
            0 => Lsn::ZERO,
            n => self.table.head().lsn(LogPos(n + 1)),
        }
    }

    /// The log is to end in this block, behind so many of its records; with none of them, before it. The block keeps its length.
    pub fn end_in(&mut self, block: LogPos, records: u16) {
        self.until = Some((block, records));
    }

    /// True for a block that [`LogInstaller::block`] would install: it lies behind the log's end.
    pub fn is_behind_end(&self, bytes: &[u8]) -> bool {
        block::parse_header(bytes).is_ok_and(|h| h.pos.0 >= self.next)
    }

    /// Installs a block, if it is not there yet. An error about the block is [`LogError::Specification`]; then nothing was changed.
    pub fn block(&mut self, vlf: VlfRange, bytes: &[u8]) -> Result<(), LogError> {
        let h = block::parse_header(bytes).ok();
        let h = h.filter(|h| {
            h.length as usize == bytes.len()
                && block::check_crc(h, bytes).is_ok()
                && h.vlf == vlf.seqno
        });
        let Some(h) = h else { return Err(refuse("a log block of the backup is damaged")) };
        let sane = vlf.end().is_some_and(|end| {
            vlf.size.is_multiple_of(8192)
                && vlf.size > 2 * VLF_HEADER_BYTES
                && h.pos.0 >= vlf.start.0 + VLF_HEADER_BYTES
                && h.pos.0 + u64::from(h.length) <= end.0
                && u64::from(h.offset.0) == h.pos.since(vlf.start) / 512
        });
        if !sane || !bytes.len().is_multiple_of(self.files.root.sector as usize) {
            return Err(refuse("a log block of the backup does not lie in its VLF"));
        }
        let mut records = h.records;
        if let Some((last, kept)) = self.until {
            if h.pos > last || (h.pos == last && kept == 0) {
                return Ok(());
            }
            if h.pos == last {
                // The slot table grows downwards: its first slots are the last of what is used.
                records = records.min(kept);
            }
        }
        if self.next == 0 {
            self.activate(vlf.size, vlf.seqno.0, vlf.start.0)?;
            // What lies in the VLF before it was not restored: whoever looks at the files alone begins here.
            let first = Lsn { vlf: h.vlf, block: h.offset, slot: 0 };
            self.files.write_root(|r| r.first = first)?;
            self.next = h.pos.0;
        } else if h.pos.0 < self.next {
            return Ok(());
        }
        let head = self.table.head();
        let fits =
            (head.seqno, head.start, head.place.size) == (vlf.seqno.0, vlf.start.0, vlf.size);
        if h.pos.0 != self.next || !fits {
            return Err(refuse("a log block of the backup does not follow the one before it"));
        }
        let (parity, offset, file) = (head.parity, head.offset_of(self.next), head.place.file);
        let (next_seqno, next_start) = (head.seqno + 1, head.end());
        // Its place in the files is known before the block is sealed: the block names it.
        let successor = match h.successor {
            Some(p) => {
                if !p.size.is_multiple_of(8192) || p.size <= 2 * VLF_HEADER_BYTES {
                    return Err(refuse("a log block of the backup names an impossible VLF"));
                }
                Some(self.activate(p.size, next_seqno, next_start)?)
            }
            None => None,
        };
        let mut sealed = BlockHeader { parity, prev_crc: self.last_crc, successor, ..h };
        sealed.records = records;
        sealed.incarnation = self.incarnation;
        sealed.durable = self.synced;
        sealed.fork = self.fork;
        let room = self.room(file, offset, bytes.len())?;
        room.copy_from_slice(bytes);
        self.last_crc = block::seal(&sealed, room, sealed.length as usize);
        self.next = match successor {
            Some(_) => next_start + VLF_HEADER_BYTES,
            None => self.next + bytes.len() as u64,
        };
        Ok(())
    }

    /// Takes a free VLF of a size into use, adding one where there is none.
    fn activate(&mut self, size: u64, seqno: u32, start: u64) -> Result<VlfPlace, LogError> {
        let free = |t: &VlfTable| t.free_after_head().find(|p| p.size == size);
        let place = match free(&self.table) {
            Some(place) => place,
            None => {
                self.extend(size)?;
                free(&self.table).ok_or_else(|| refuse("a new VLF was not found"))?
            }
        };
        if self.table.activate(place, seqno, start).is_none() {
            return Err(refuse("a VLF is in use"));
        }
        let head = *self.table.head();
        let header =
            vlf_header(head.parity, seqno, start, size, head.create, self.fork, head.before);
        let buf = AlignedBuf::from_slice(&header);
        self.files.volumes[usize::from(place.file)].write_at(place.offset + HALF as u64, &buf)?;
        self.touched.insert(place.file);
        Ok(place)
    }

    /// Makes the last file longer by a VLF.
    fn extend(&mut self, size: u64) -> Result<(), LogError> {
        let last = self.files.root.files.iter().rposition(|f| !f.is_gone());
        let Some(file) = last else { return Err(refuse("the log has no file")) };
        let from = self.files.root.files[file].size;
        let to = from.checked_add(size).filter(|&to| to <= LOG_FILE_BYTES_MAX);
        let Some(to) = to else { return Err(refuse("the log file would be too long")) };
        self.files.volumes[file].allocate(from, size)?;
        self.files.volumes[file].sync()?;
        let create = self.end_lsn();
        let new = entries(file as u16, from, &[size], create);
        self.files.add_vlfs(&new, None, |r| {
            r.files[file].size = to;
            r.files[file].max_size = r.files[file].max_size.max(to);
        })?;
        self.table.add(&new);
        Ok(())
    }

    /// Room for a block in the buffer, which is written first if it holds something else.
    fn room(&mut self, file: u16, offset: u64, len: usize) -> Result<&mut [u8], LogError> {
        assert!(len <= BLOCK_BYTES_MAX);
        let (f, at, used) = self.pending;
        if used > 0 && (f != file || at + used as u64 != offset || used + len > WRITE) {
            self.write()?;
        }
        if self.pending.2 == 0 {
            self.pending = (file, offset, 0);
        }
        let used = self.pending.2;
        self.pending.2 += len;
        Ok(&mut self.buf[used..used + len])
    }

    fn write(&mut self) -> Result<(), LogError> {
        let (file, offset, used) = self.pending;
        if used > 0 {
            self.files.volumes[usize::from(file)].write_at(offset, &self.buf[..used])?;
            self.touched.insert(file);
            self.pending.2 = 0;
        }
        Ok(())
    }

    /// Writes and syncs all that was installed.
    pub fn finish(&mut self) -> Result<(), LogError> {
        self.write()?;
        for file in std::mem::take(&mut self.touched) {
            self.files.volumes[usize::from(file)].sync()?;
        }
        self.synced = LogPos(self.next);
        Ok(())
    }

    /// How restart finds a position again; after [`LogInstaller::finish`]. None: the log does not have it.
    pub fn anchor(&self, pos: LogPos) -> Option<LogAnchor> {
        if self.next == 0 {
            return None;
        }
        let vlf = self.table.find(pos).filter(|_| pos.0 < self.next)?;
        Some(LogAnchor {
            pos,
            durable: self.synced,
            vlf: vlf.place,
            seqno: VlfSeqNo(vlf.seqno),
            start: LogPos(vlf.start),
            before: None,
        })
    }
}

/// How long the whole block is that these bytes begin with. None: they do not.
pub fn block_bytes(bytes: &[u8]) -> Option<usize> {
    let h = block::parse_header(bytes).ok()?;
    let whole = bytes.get(..h.length as usize)?;
    (h.length > 0 && block::check_crc(&h, whole).is_ok()).then_some(whole.len())
}

/// Checks a whole block of a backup against its VLF and the end of the one before it. Returns where the next one begins.
pub fn check_block(vlf: VlfRange, bytes: &[u8], next: Option<LogPos>) -> Option<LogPos> {
    let h = block::parse_header(bytes).ok()?;
    let end = vlf.end()?;
    let inside = h.vlf == vlf.seqno
        && h.pos.0 >= vlf.start.0.checked_add(VLF_HEADER_BYTES)?
        && h.pos.0.checked_add(u64::from(h.length))? <= end.0;
    let follows = next.is_none_or(|n| n == h.pos);
    (inside && follows).then(|| match h.successor {
        Some(_) => LogPos(end.0.saturating_add(VLF_HEADER_BYTES)),
        None => LogPos(h.pos.0 + u64::from(h.length)),
    })
}

/// The LSN of what comes next in a log that nobody has open, found from an anchor.
pub fn end_of_log(env: &Env, paths: &[PathBuf], anchor: &LogAnchor) -> Result<Lsn, LogError> {
    let (files, _) = LogFiles::open_read_only(env, paths)?;
    let vlf = WalkVlf { place: anchor.vlf, seqno: anchor.seqno, start: anchor.start.0 };
    if usize::from(vlf.place.file) >= files.volumes.len() {
        return Err(corrupt(&paths[0], 0, "the boot page names a file that the log lacks".into()));
    }
    let fork = files.root.fork;
    let mut walker = Walker::new(files.volumes, fork, vlf, anchor.pos.block(), anchor.before);
    while let Step::Block(_) = walker.step(LogPos::MAX)? {}
    Ok(VlfRange::of(walker.vlf()).lsn(LogPos(walker.next_pos().0 + 1)))
}
