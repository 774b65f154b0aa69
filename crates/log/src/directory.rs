//! The bytes at the start of a log file and of each VLF: roots, directory pages, advisory VLF headers.
//!
//! ```text
//! file:   0 root, even generation (4 KiB) │ 4096 root, odd generation (4 KiB) │ 8192 first VLF …
//! VLF:    0 directory page or nothing (4 KiB) │ 4096 advisory VLF header (4 KiB) │ 8192 first log block …
//! ```
//! A root is valid if its checksum holds; the valid one with the higher generation counts. It names every file of
//! the log and the newest directory page; each directory page names the next older one:
//! ```text
//! root ─► page n (partly filled) ─► page n-1 (full) ─► … ─► page 1 (full)
//! ```
//! A growth writes one new directory page into the first VLF that it makes: the entries of the newest page, if there is
//! room, and the new VLFs'. So the chain stays as short as the number of VLFs allows, no page that a valid root can
//! reach is ever overwritten, and a growth is one page and one root.
//!
//! Where VLFs go away (a shrink, the removal of a file), and now and then to note what VLFs were last used for, the
//! whole chain is written anew: into VLFs that stay and that the old chain does not use; then the root.
//!
//! A log file keeps its number for as long as it belongs to the log; the place of a removed one stays in the root,
//! without a path, until another file takes it. `born` is the root's generation that added the file: so an older file of
//! the same number, which a crash kept from being deleted, is told from it. The root of the first file is the truth;
//! those of the others only say which file of which log they are.
//!
//! The advisory header goes out in the same write as its VLF's first block; nothing that it says is believed
//! without a block that proves it (see [`crate::kept`]).
//!
//! ```text
//! root       0 u32 magic "TLRT"  4 u16 version  6 u16 this file  8 u64 generation  16 log GUID  32 fork GUID
//!           48 u32 sector  52 u32 incarnation  56 u32 features that a reader must know  60 u32 VLFs
//!           64 u64 newest page: offset  72 u16 its file  74 u16 files  76 u32 last uses noted up to this number
//!           80 files (packed, where feature 1 says so: see [`crate::packed`])   4092 u32 CRC-32C
//!   file     u16 bytes of path (0: removed)  u8 growth kind  u8 0  u64 growth  u64 size  u64 max size
//!            u64 smallest size  u48 born  u16 id (0: none yet)  path
//!   then     10 B LSN of the block that a restore put first; zeros: none did
//!            u64 position that the log is known to have reached  u8 1: it was closed there
//! page       0 u32 magic "TLVD"  4 u16 version  6 u16 entries  8 u64 next: offset  16 u16 next: file (0xffff none)
//!           24 log GUID  64 entries …  4092 u32 CRC-32C
//!   entry    u16 file (bit 15: last parity 128)  10 B create LSN  u32 last sequence number  u64 offset  u64 size
//! VLF header 0 0xAB  1 parity  2 u16 version  4 u32 sequence number  8 u64 first position  16 u64 size
//!           24 10 B create LSN  40 fork GUID  56 u64 the VLF written before it: offset  64 u16 its file
//!           4092 u32 CRC-32C
//! ```

use std::path::PathBuf;

use taffrail_base::{LogPos, Lsn};

use crate::options::Growth;
use crate::packed::{self, growth_of, growth_parts};

/// Bytes of a root, a directory page and a VLF header each.
pub(crate) const HALF: usize = 4096;
/// Bytes before the first VLF of a file.
pub(crate) const FILE_HEADER_BYTES: u64 = 8192;
/// Bytes before the first block of a VLF.
pub(crate) const VLF_HEADER_BYTES: u64 = 8192;
/// Entries of a directory page.
pub(crate) const ENTRIES_PER_PAGE: usize = (HALF - 64 - 4) / ENTRY;

const ENTRY: usize = 32;
const ROOT_MAGIC: u32 = u32::from_le_bytes(*b"TLRT");
/// A file that begins so is one of a log, or was.
pub fn is_log_file(first: &[u8]) -> bool {
    first.starts_with(&ROOT_MAGIC.to_le_bytes())
}

const PAGE_MAGIC: u32 = u32::from_le_bytes(*b"TLVD");
const VERSION: u16 = 2;
const NO_FILE: u16 = u16::MAX;
/// Of an entry's file number: the last use of the VLF had parity 128.
const PARITY_128: u16 = 1 << 15;
const FILES_AT: usize = 80;
const FILE_BYTES: usize = 44;
/// [`Root::first`], behind the files.
const FIRST_BYTES: usize = 10;
/// [`Root::reached`] and [`Root::closed`], behind it.
const REACHED_BYTES: usize = 9;
/// The GUID of a copied database, of a root that has room for it.
const COPIED_BYTES: usize = 16;
/// Files that a log can have.
pub(crate) const FILES_MAX: usize = 1024;
const CRC_AT: usize = HALF - 4;
/// Bytes of lines in a root that has room for all the rest, and is no copy's.
const LINES_MAX: usize = CRC_AT - FILES_AT - FIRST_BYTES - REACHED_BYTES;
/// The feature that a reader must know of a root whose lines are packed.
const PACKED: u32 = 1;

/// One file of the log, as a root names it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct RootFile {
    pub path: PathBuf,
    pub size: u64,
    pub growth: Growth,
    pub max_size: u64,
    /// The size it was created with, or shrunk to since: a shrink without a target stops there.
    pub min_size: u64,
    /// The generation of the root that added it.
    pub born: u64,
    /// The owner's number for the file; 0: none yet.
    pub id: u16,
}

impl RootFile {
    /// The place of a file that was removed.
    pub fn gone() -> RootFile {
        RootFile {
            path: PathBuf::new(),
            size: 0,
            growth: Growth::None,
            max_size: 0,
            min_size: 0,
            born: 0,
            id: 0,
        }
    }

    /// True for the place of a file that was removed.
    pub fn is_gone(&self) -> bool {
        self.path.as_os_str().is_empty()
    }
}

/// The root of the directory: the files of the log, and the newest page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Root {
    pub this_file: u16,
    pub generation: u64,
    pub log: [u8; 16],
    pub fork: [u8; 16],
    pub sector: u32,
    pub incarnation: u32,
    pub vlfs: u32,
    /// File and offset of the VLF that holds the newest directory page.
    pub newest: (u16, u64),
    /// The directory says of each VLF what it was last used for, up to this sequence number.
    pub noted: u32,
    pub files: Vec<RootFile>,
    /// The block that a restore put first, which may lie in the middle of its VLF; zero: the log began with a whole VLF.
    pub first: Lsn,
    /// The log was durable up to here when that was last written: one that ends before it has lost something. Zero: not known.
    pub reached: LogPos,
    /// Nothing was written behind it: the log was closed, and has not been opened since.
    pub closed: bool,
    /// GUID of the database, where it is a copy whose log goes on with the original's fork; zero: the fork is the database's GUID.
    pub copied: [u8; 16],
}

/// Why bytes are not a root or a directory page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unreadable {
    /// Checksum, magic or lengths are wrong.
    Damaged,
    /// A version or a feature that we do not know.
    Version(u16),
}

/// Reads integers one after the other, never past the end.
pub(crate) struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    pub fn bytes(&mut self, n: usize) -> Result<&'a [u8], Unreadable> {
        let (head, rest) = self.0.split_at_checked(n).ok_or(Unreadable::Damaged)?;
        self.0 = rest;
        Ok(head)
    }

    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], Unreadable> {
        self.bytes(N)?.try_into().map_err(|_| Unreadable::Damaged)
    }

    pub fn u16(&mut self) -> Result<u16, Unreadable> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    pub fn u32(&mut self) -> Result<u32, Unreadable> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub fn u64(&mut self) -> Result<u64, Unreadable> {
        Ok(u64::from_le_bytes(self.array()?))
    }
}

/// Puts the checksum at the end of the half page.
fn close(mut b: Vec<u8>) -> Vec<u8> {
    assert!(b.len() <= CRC_AT, "a directory structure outgrew its half page");
    b.resize(CRC_AT, 0);
    let crc = crc32c::crc32c(&b);
    b.extend_from_slice(&crc.to_le_bytes());
    b
}

fn checked<'a>(b: &'a [u8], magic: u32) -> Result<Cursor<'a>, Unreadable> {
    if b.len() != HALF || crc32c::crc32c(&b[..CRC_AT]).to_le_bytes() != b[CRC_AT..] {
        return Err(Unreadable::Damaged);
    }
    let mut c = Cursor(&b[..CRC_AT]);
    if c.u32()? != magic {
        return Err(Unreadable::Damaged);
    }
    match c.u16()? {
        VERSION => Ok(c),
        other => Err(Unreadable::Version(other)),
    }
}

/// Bytes of lines in a root that has room for all the rest, the GUID of a copy among it if it is one's.
fn lines_max(copied: [u8; 16]) -> usize {
    if copied == [0; 16] { LINES_MAX } else { LINES_MAX - COPIED_BYTES }
}

fn whole_lines_fit(files: &[RootFile], most: usize) -> bool {
    files.iter().map(|f| FILE_BYTES + f.path.as_os_str().len()).sum::<usize>() <= most
}

impl Root {
    /// True when the files' lines fit a root, whole or packed, beside the GUID of a copy.
    pub fn fits(files: &[RootFile], copied: [u8; 16]) -> bool {
        let most = lines_max(copied);
        (whole_lines_fit(files, most) || packed::pack(files).len() <= most)
            && files.len() <= FILES_MAX
    }

    /// GUID of the database whose log it is.
    pub fn database(&self) -> [u8; 16] {
        if self.copied == [0; 16] { self.fork } else { self.copied }
    }

    /// True for bytes that begin like a root of this log, whole or torn.
    pub fn names_log(b: &[u8], log: [u8; 16]) -> bool {
        b.starts_with(&ROOT_MAGIC.to_le_bytes()) && b.get(16..32) == Some(&log[..])
    }

    /// For the disk: [`HALF`] bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut b = Vec::with_capacity(HALF);
        b.extend_from_slice(&ROOT_MAGIC.to_le_bytes());
        b.extend_from_slice(&VERSION.to_le_bytes());
        b.extend_from_slice(&self.this_file.to_le_bytes());
        b.extend_from_slice(&self.generation.to_le_bytes());
        b.extend_from_slice(&self.log);
        b.extend_from_slice(&self.fork);
        b.extend_from_slice(&self.sector.to_le_bytes());
        b.extend_from_slice(&self.incarnation.to_le_bytes());
        // A version that kept less room beside the lines has written longer whole ones.
        let packed = !whole_lines_fit(&self.files, lines_max(self.copied))
            && packed::pack(&self.files).len() <= LINES_MAX;
        b.extend_from_slice(&(if packed { PACKED } else { 0 }).to_le_bytes());
        b.extend_from_slice(&self.vlfs.to_le_bytes());
        b.extend_from_slice(&self.newest.1.to_le_bytes());
        b.extend_from_slice(&self.newest.0.to_le_bytes());
        b.extend_from_slice(&(self.files.len() as u16).to_le_bytes());
        b.extend_from_slice(&self.noted.to_le_bytes());
        if packed {
            b.extend_from_slice(&packed::pack(&self.files));
        }
        for f in self.files.iter().filter(|_| !packed) {
            let path = f.path.as_os_str().as_encoded_bytes();
            let (kind, growth) = growth_parts(f.growth);
            b.extend_from_slice(&(path.len() as u16).to_le_bytes());
            b.extend_from_slice(&[kind, 0]);
            b.extend_from_slice(&growth.to_le_bytes());
            b.extend_from_slice(&f.size.to_le_bytes());
            b.extend_from_slice(&f.max_size.to_le_bytes());
            b.extend_from_slice(&f.min_size.to_le_bytes());
            b.extend_from_slice(&(f.born | u64::from(f.id) << 48).to_le_bytes());
            b.extend_from_slice(path);
        }
        // A root that is full of names (of a version that kept no room for it) does not say it.
        let room = b.len() + FIRST_BYTES + REACHED_BYTES;
        let copied = self.copied != [0; 16] && room + COPIED_BYTES <= CRC_AT;
        let reached = copied || !self.reached.is_zero() && room <= CRC_AT;
        if self.first != Lsn::ZERO || reached {
            b.extend_from_slice(&self.first.to_bytes());
        }
        if reached {
            b.extend_from_slice(&self.reached.0.to_le_bytes());
            b.push(u8::from(self.closed));
        }
        if copied {
            b.extend_from_slice(&self.copied);
        }
        close(b)
    }

    /// Reads a root from its bytes on disk.
    pub fn from_bytes(b: &[u8]) -> Result<Root, Unreadable> {
        let mut c = checked(b, ROOT_MAGIC)?;
        let mut root = Root {
            this_file: c.u16()?,
            generation: c.u64()?,
            log: c.array()?,
            fork: c.array()?,
            sector: c.u32()?,
            incarnation: c.u32()?,
            vlfs: 0,
            newest: (0, 0),
            noted: 0,
            files: Vec::new(),
            first: Lsn::ZERO,
            reached: LogPos::ZERO,
            closed: false,
            copied: [0; 16],
        };
        let features = c.u32()?;
        if features & !PACKED != 0 {
            return Err(Unreadable::Version(VERSION));
        }
        root.vlfs = c.u32()?;
        let offset = c.u64()?;
        root.newest = (c.u16()?, offset);
        let count = usize::from(c.u16()?);
        root.noted = c.u32()?;
        if count > FILES_MAX {
            return Err(Unreadable::Damaged);
        }
        if features & PACKED != 0 {
            root.files = packed::unpack(&mut c, count)?;
        }
        for _ in root.files.len()..count {
            let len = usize::from(c.u16()?);
            let kind = c.u16()? as u8;
            let growth = growth_of(kind, c.u64()?)?;
            let (size, max_size) = (c.u64()?, c.u64()?);
            let (min_size, word) = (c.u64()?, c.u64()?);
            let (born, id) = (word & ((1 << 48) - 1), (word >> 48) as u16);
            let path = std::str::from_utf8(c.bytes(len)?).map_err(|_| Unreadable::Damaged)?;
            let path = path.into();
            root.files.push(RootFile { path, size, growth, max_size, min_size, born, id });
        }
        // A root that is full of names has no room for it, and none of a restored log.
        root.first = c.array().map_or(Lsn::ZERO, Lsn::from_bytes);
        root.reached = c.u64().map_or(LogPos::ZERO, LogPos);
        root.closed = c.bytes(1).is_ok_and(|b| b[0] == 1);
        root.copied = c.array().unwrap_or_default();
        Ok(root)
    }
}

/// A VLF in the directory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Entry {
    pub file: u16,
    pub create: Lsn,
    /// Number and parity of its last use, as far as the directory knows it; 0: none.
    pub last_seqno: u32,
    pub parity: u8,
    pub offset: u64,
    pub size: u64,
}

/// Entries for VLFs of the given sizes from an offset of a file on.
pub(crate) fn entries(file: u16, mut offset: u64, sizes: &[u64], create: Lsn) -> Vec<Entry> {
    let mut out = Vec::with_capacity(sizes.len());
    for &size in sizes {
        out.push(Entry { file, create, last_seqno: 0, parity: 0, offset, size });
        offset += size;
    }
    debug_assert!(out.first().is_none_or(|e| e.offset >= FILE_HEADER_BYTES));
    out
}

/// A page of the directory: VLFs, and the place of the next older page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct DirectoryPage {
    pub log: [u8; 16],
    pub entries: Vec<Entry>,
    /// The next older page: file and offset of its VLF.
    pub next: Option<(u16, u64)>,
}

impl DirectoryPage {
    /// For the disk: [`HALF`] bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        assert!(self.entries.len() <= ENTRIES_PER_PAGE, "entries of a directory page");
        let mut b = Vec::with_capacity(HALF);
        b.extend_from_slice(&PAGE_MAGIC.to_le_bytes());
        b.extend_from_slice(&VERSION.to_le_bytes());
        b.extend_from_slice(&(self.entries.len() as u16).to_le_bytes());
        let (file, offset) = self.next.unwrap_or((NO_FILE, 0));
        b.extend_from_slice(&offset.to_le_bytes());
        b.extend_from_slice(&file.to_le_bytes());
        b.resize(24, 0);
        b.extend_from_slice(&self.log);
        b.resize(64, 0);
        for e in &self.entries {
            let parity = if e.parity == 0x80 { PARITY_128 } else { 0 };
            b.extend_from_slice(&(e.file | parity).to_le_bytes());
            b.extend_from_slice(&e.create.to_bytes());
            b.extend_from_slice(&e.last_seqno.to_le_bytes());
            b.extend_from_slice(&e.offset.to_le_bytes());
            b.extend_from_slice(&e.size.to_le_bytes());
        }
        close(b)
    }

    /// Reads a directory page from its bytes on disk.
    pub fn from_bytes(b: &[u8]) -> Result<DirectoryPage, Unreadable> {
        let mut c = checked(b, PAGE_MAGIC)?;
        let count = c.u16()?;
        let offset = c.u64()?;
        let file = c.u16()?;
        c.bytes(6)?;
        let log = c.array()?;
        c.bytes(24)?;
        let mut entries = Vec::with_capacity(usize::from(count));
        for _ in 0..count {
            let file = c.u16()?;
            let create = Lsn::from_bytes(c.array()?);
            let last_seqno = c.u32()?;
            let parity = match (last_seqno, file & PARITY_128) {
                (0, _) => 0,
                (_, 0) => 0x40,
                _ => 0x80,
            };
            let (offset, size) = (c.u64()?, c.u64()?);
            entries.push(Entry {
                file: file & !PARITY_128,
                create,
                last_seqno,
                parity,
                offset,
                size,
            });
        }
        Ok(DirectoryPage { log, entries, next: (file != NO_FILE).then_some((file, offset)) })
    }
}

/// The advisory header of a VLF: [`HALF`] bytes. `before` is the VLF that was written before it.
pub(crate) fn vlf_header(
    parity: u8,
    seqno: u32,
    start: u64,
    size: u64,
    create: Lsn,
    fork: [u8; 16],
    before: Option<(u16, u64)>,
) -> Vec<u8> {
    let mut b = vec![0xab, parity];
    b.extend_from_slice(&VERSION.to_le_bytes());
    b.extend_from_slice(&seqno.to_le_bytes());
    b.extend_from_slice(&start.to_le_bytes());
    b.extend_from_slice(&size.to_le_bytes());
    b.extend_from_slice(&create.to_bytes());
    b.resize(40, 0);
    b.extend_from_slice(&fork);
    let (file, offset) = before.unwrap_or((NO_FILE, 0));
    b.extend_from_slice(&offset.to_le_bytes());
    b.extend_from_slice(&file.to_le_bytes());
    close(b)
}

/// The content of an advisory header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct VlfHeader {
    pub parity: u8,
    pub seqno: u32,
    pub start: u64,
    pub size: u64,
    /// File and offset of the VLF that was written before it.
    pub before: Option<(u16, u64)>,
}

/// The state of the place where a VLF's header belongs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum VlfHeaderState {
    /// Nothing: the VLF was never used.
    Empty,
    /// A header, of this recovery fork or an earlier one.
    Whole,
    /// Bytes that are no header of this log.
    Damaged,
}

/// Tells a header from nothing and from damage.
pub(crate) fn vlf_header_state(b: &[u8]) -> VlfHeaderState {
    if b.iter().all(|b| *b == 0) {
        return VlfHeaderState::Empty;
    }
    let whole = b.len() == HALF && crc32c::crc32c(&b[..CRC_AT]).to_le_bytes() == b[CRC_AT..];
    if whole { VlfHeaderState::Whole } else { VlfHeaderState::Damaged }
}

/// Reads an advisory header of a log with this fork; `None` when there is none.
pub(crate) fn parse_vlf_header(b: &[u8], fork: [u8; 16]) -> Option<VlfHeader> {
    if b.len() != HALF || crc32c::crc32c(&b[..CRC_AT]).to_le_bytes() != b[CRC_AT..] {
        return None;
    }
    let mut c = Cursor(&b[..CRC_AT]);
    let [signature, parity] = c.array().ok()?;
    if signature != 0xab || c.u16().ok()? != VERSION || b[40..56] != fork {
        return None;
    }
    let (seqno, start, size) = (c.u32().ok()?, c.u64().ok()?, c.u64().ok()?);
    c.bytes(32).ok()?;
    let (offset, file) = (c.u64().ok()?, c.u16().ok()?);
    let before = (file != NO_FILE).then_some((file, offset));
    Some(VlfHeader { parity, seqno, start, size, before })
}

#[cfg(test)]
mod tests;
