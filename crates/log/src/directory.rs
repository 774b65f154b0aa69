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
//! The advisory header goes out in the same write as its VLF's first block; nothing depends on it.
//!
//! ```text
//! root       0 u32 magic "TLRT"  4 u16 version  6 u16 this file  8 u64 generation  16 log GUID  32 fork GUID
//!           48 u32 sector  52 u32 incarnation  56 u32 features that a reader must know  60 u32 VLFs
//!           64 u64 newest page: offset  72 u16 its file  74 u16 files  76 files …   4092 u32 CRC-32C
//!   file     u16 bytes of path  u8 growth kind  u8 0  u64 growth  u64 size  u64 max size  path
//! page       0 u32 magic "TLVD"  4 u16 version  6 u16 entries  8 u64 next: offset  16 u16 next: file (0xffff none)
//!           24 log GUID  64 entries …  4092 u32 CRC-32C
//!   entry    u16 file  10 B create LSN  u32 last sequence number  u64 offset  u64 size
//! VLF header 0 0xAB  1 parity  2 u16 version  4 u32 sequence number  8 u64 first position  16 u64 size
//!           24 10 B create LSN  40 fork GUID  4092 u32 CRC-32C
//! ```

use std::path::PathBuf;

use taffrail_base::Lsn;

use crate::options::Growth;

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
const PAGE_MAGIC: u32 = u32::from_le_bytes(*b"TLVD");
const VERSION: u16 = 1;
const NO_FILE: u16 = u16::MAX;
const CRC_AT: usize = HALF - 4;

/// One file of the log, as a root names it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct RootFile {
    pub path: PathBuf,
    pub size: u64,
    pub growth: Growth,
    pub max_size: u64,
}

/// A root.
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
    pub files: Vec<RootFile>,
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
struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    fn bytes(&mut self, n: usize) -> Result<&'a [u8], Unreadable> {
        let (head, rest) = self.0.split_at_checked(n).ok_or(Unreadable::Damaged)?;
        self.0 = rest;
        Ok(head)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Unreadable> {
        self.bytes(N)?.try_into().map_err(|_| Unreadable::Damaged)
    }

    fn u16(&mut self) -> Result<u16, Unreadable> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    fn u32(&mut self) -> Result<u32, Unreadable> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    fn u64(&mut self) -> Result<u64, Unreadable> {
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

impl Root {
    /// True when the files' names fit a root.
    pub fn fits(files: &[RootFile]) -> bool {
        let names: usize = files.iter().map(|f| 28 + f.path.as_os_str().len()).sum();
        names <= CRC_AT - 76
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
        b.extend_from_slice(&0u32.to_le_bytes());
        b.extend_from_slice(&self.vlfs.to_le_bytes());
        b.extend_from_slice(&self.newest.1.to_le_bytes());
        b.extend_from_slice(&self.newest.0.to_le_bytes());
        b.extend_from_slice(&(self.files.len() as u16).to_le_bytes());
        for f in &self.files {
            let path = f.path.as_os_str().as_encoded_bytes();
            let (kind, growth) = match f.growth {
                Growth::None => (0u8, 0),
                Growth::Bytes(n) => (1, n),
                Growth::Percent(n) => (2, u64::from(n)),
            };
            b.extend_from_slice(&(path.len() as u16).to_le_bytes());
            b.extend_from_slice(&[kind, 0]);
            b.extend_from_slice(&growth.to_le_bytes());
            b.extend_from_slice(&f.size.to_le_bytes());
            b.extend_from_slice(&f.max_size.to_le_bytes());
            b.extend_from_slice(path);
        }
        close(b)
    }

    /// From the disk.
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
            files: Vec::new(),
        };
        if c.u32()? != 0 {
            return Err(Unreadable::Version(VERSION));
        }
        root.vlfs = c.u32()?;
        let offset = c.u64()?;
        root.newest = (c.u16()?, offset);
        for _ in 0..c.u16()? {
            let len = usize::from(c.u16()?);
            let kind = c.u16()? as u8;
            let growth = match (kind, c.u64()?) {
                (0, _) => Growth::None,
                (1, n) => Growth::Bytes(n),
                (2, n) => Growth::Percent(n.min(100_000) as u32),
                _ => return Err(Unreadable::Damaged),
            };
            let (size, max_size) = (c.u64()?, c.u64()?);
            let path = std::str::from_utf8(c.bytes(len)?).map_err(|_| Unreadable::Damaged)?;
            root.files.push(RootFile { path: path.into(), size, growth, max_size });
        }
        Ok(root)
    }
}

/// A VLF in the directory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Entry {
    pub file: u16,
    pub create: Lsn,
    pub last_seqno: u32,
    pub offset: u64,
    pub size: u64,
}

/// A directory page.
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
            b.extend_from_slice(&e.file.to_le_bytes());
            b.extend_from_slice(&e.create.to_bytes());
            b.extend_from_slice(&e.last_seqno.to_le_bytes());
            b.extend_from_slice(&e.offset.to_le_bytes());
            b.extend_from_slice(&e.size.to_le_bytes());
        }
        close(b)
    }

    /// From the disk.
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
            entries.push(Entry {
                file: c.u16()?,
                create: Lsn::from_bytes(c.array()?),
                last_seqno: c.u32()?,
                offset: c.u64()?,
                size: c.u64()?,
            });
        }
        Ok(DirectoryPage { log, entries, next: (file != NO_FILE).then_some((file, offset)) })
    }
}

/// The advisory header of a VLF: [`HALF`] bytes.
pub(crate) fn vlf_header(
    parity: u8,
    seqno: u32,
    start: u64,
    size: u64,
    create: Lsn,
    fork: [u8; 16],
) -> Vec<u8> {
    let mut b = vec![0xab, parity];
    b.extend_from_slice(&VERSION.to_le_bytes());
    b.extend_from_slice(&seqno.to_le_bytes());
    b.extend_from_slice(&start.to_le_bytes());
    b.extend_from_slice(&size.to_le_bytes());
    b.extend_from_slice(&create.to_bytes());
    b.resize(40, 0);
    b.extend_from_slice(&fork);
    close(b)
}

/// What an advisory header says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct VlfHeader {
    pub parity: u8,
    pub seqno: u32,
    pub start: u64,
    pub size: u64,
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
    Some(VlfHeader { parity, seqno: c.u32().ok()?, start: c.u64().ok()?, size: c.u64().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_and_pages_survive_and_damage_shows() {
        let root = Root {
            this_file: 0,
            generation: 3,
            log: [1; 16],
            fork: [2; 16],
            sector: 4096,
            incarnation: 5,
            vlfs: 4,
            newest: (0, 8192),
            files: vec![RootFile {
                path: "/data/ä_log.ldf".into(),
                size: 8 << 20,
                growth: Growth::Percent(10),
                max_size: 2 << 40,
            }],
        };
        let entry =
            Entry { file: 0, create: Lsn::new(34, 16, 1), last_seqno: 0, offset: 8192, size: 9 };
        let page = DirectoryPage {
            log: [1; 16],
            entries: vec![entry; ENTRIES_PER_PAGE],
            next: Some((0, 1 << 20)),
        };
        let (mut a, mut b) = (root.to_bytes(), page.to_bytes());
        assert_eq!(Root::from_bytes(&a), Ok(root));
        assert_eq!(DirectoryPage::from_bytes(&b), Ok(page));
        let header = vlf_header(0x40, 34, 8192, 65_536, Lsn::ZERO, [2; 16]);
        let want = VlfHeader { parity: 0x40, seqno: 34, start: 8192, size: 65_536 };
        assert_eq!(parse_vlf_header(&header, [2; 16]), Some(want));
        assert_eq!(parse_vlf_header(&header, [3; 16]), None);
        a[100] ^= 1;
        b[100] ^= 1;
        assert_eq!(Root::from_bytes(&a), Err(Unreadable::Damaged));
        assert_eq!(DirectoryPage::from_bytes(&b), Err(Unreadable::Damaged));
    }
}
