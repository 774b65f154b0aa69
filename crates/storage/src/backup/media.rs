//! The bytes of a backup file.
//!
//! ```text
//! media    1 to 64 families (stripes), a file each
//! family   block 0: label │ set 1 │ set 2 │ …              everything in blocks of 4096 bytes, so that direct I/O of
//! whole chunks is aligned
//! set      in each family: header chunk, data chunks, end chunk; data chunk n of the set lies in family n mod families
//! chunk    one block, then the content, filled up with zeroes to whole blocks
//!
//! label      0 u32 magic "TFBM"   4 u16 version   6 u16 families   8 u16 this family, from 1   16 media GUID   32 family GUID
//!           48 u64 date  56 name, description (each u8 present, u16 length, text)   4092 u32 CRC-32C of the block
//! chunk      0 u32 magic "TFBC"   4 u16 version   6 u8 kind   7 u8 codec: 0 as it is, 1 zstd   8 u32 position of the set on its media
//!           12 u32 bytes of the table   16 u64 number of the chunk   24 u64 its offset in the file   32 u64 bytes of content, stored
//!           40 u64 bytes of content   48 set GUID   64 u32 CRC-32C of the stored content with its filling   68 table … zeroes
//!         4092 u32 CRC-32C of the block
//! ```
//! The table says what the content is: for pages, the runs of page numbers; for log blocks, the VLF that they come from. Header and
//! end chunk hold the set's header (see [`super::header`]), the latter as it is in the end; the end's number is that of data chunks.
//!
//! Every byte of a file lies in some block's or content's checksum. A set without its end chunk in every family is no set; the next
//! backup is written over it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use taffrail_io::{AlignedBuf, Env, UtcTime, Volume};
use taffrail_log::{READ_TRIES, read_retried, tell_retried};

use super::error::{BackupError, BackupResult, damaged, device};
use super::spec::{Device, MediaLabel};
use crate::codec::{Put, Take};

/// The unit of the format.
pub(super) const BLOCK: usize = 4096;
/// Content of a chunk at most.
pub(super) const CONTENT_MAX: usize = 1 << 20;
/// Families at most, SQL Server's number.
pub(super) const FAMILIES_MAX: usize = 64;

pub(super) const LABEL_MAGIC: u32 = u32::from_le_bytes(*b"TFBM");
pub(super) const CHUNK_MAGIC: u32 = u32::from_le_bytes(*b"TFBC");
const VERSION: u16 = 2;
pub(super) const CRC_AT: usize = BLOCK - 4;
const TABLE_AT: usize = 68;
/// Bytes of a chunk's table at most.
pub(super) const TABLE_MAX: usize = CRC_AT - TABLE_AT;

/// The kinds of chunks, by their content.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum Kind {
    /// The set's header, as it was at the beginning.
    Header = 1,
    /// The VLFs of the log.
    Layout = 2,
    /// Pages of data files.
    Pages = 3,
    /// Blocks of the log.
    Log = 4,
    /// The set's header, as it is.
    End = 5,
}

impl Kind {
    fn from_u8(v: u8) -> Option<Kind> {
        [Kind::Header, Kind::Layout, Kind::Pages, Kind::Log, Kind::End]
            .into_iter()
            .find(|k| *k as u8 == v)
    }
}

/// A chunk's first block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct ChunkHeader {
    pub kind: Kind,
    pub compressed: bool,
    pub position: u32,
    pub number: u64,
    pub offset: u64,
    pub stored: u64,
    pub raw: u64,
    pub set: [u8; 16],
    pub crc: u32,
    pub table: Vec<u8>,
}

pub(super) fn close(block: &mut [u8]) {
    let crc = crc32c::crc32c(&block[..CRC_AT]);
    block[CRC_AT..BLOCK].copy_from_slice(&crc.to_le_bytes());
}

fn is_closed(block: &[u8]) -> bool {
    crc32c::crc32c(&block[..CRC_AT]).to_le_bytes() == block[CRC_AT..BLOCK]
}

/// Bytes of whole blocks.
pub(super) fn padded(n: usize) -> usize {
    n.next_multiple_of(BLOCK)
}

impl ChunkHeader {
    /// Bytes of the chunk in its file.
    pub fn len(&self) -> u64 {
        (BLOCK + padded(self.stored as usize)) as u64
    }

    /// Fills the block at the beginning of `chunk`, whose content and filling are in place. Sets the checksum.
    pub fn write(&mut self, chunk: &mut [u8]) {
        self.crc = crc32c::crc32c(&chunk[BLOCK..BLOCK + padded(self.stored as usize)]);
        let mut b: Vec<u8> = Vec::with_capacity(256);
        b.u32(CHUNK_MAGIC);
        b.u16(VERSION);
        b.u8(self.kind as u8);
        b.u8(u8::from(self.compressed));
        b.u32(self.position);
        b.u32(self.table.len() as u32);
        b.u64(self.number);
        b.u64(self.offset);
        b.u64(self.stored);
        b.u64(self.raw);
        b.bytes(&self.set);
        b.u32(self.crc);
        assert!(b.len() == TABLE_AT && self.table.len() <= TABLE_MAX, "a chunk's first block");
        b.bytes(&self.table);
        chunk[..BLOCK].fill(0);
        chunk[..b.len()].copy_from_slice(&b);
        close(&mut chunk[..BLOCK]);
    }

    /// Reads the first block of what should be the chunk at `offset`. None: it is not.
    pub fn read(block: &[u8], offset: u64) -> Option<ChunkHeader> {
        if block.len() < BLOCK || !is_closed(&block[..BLOCK]) {
            return None;
        }
        let mut t = Take(&block[..CRC_AT]);
        if t.u32()? != CHUNK_MAGIC || t.u16()? != VERSION {
            return None;
        }
        let kind = Kind::from_u8(t.u8()?)?;
        let codec = t.u8()?;
        let position = t.u32()?;
        let table = t.u32()? as usize;
        let h = ChunkHeader {
            kind,
            compressed: codec == 1,
            position,
            number: t.u64()?,
            offset: t.u64()?,
            stored: t.u64()?,
            raw: t.u64()?,
            set: t.bytes(16)?.try_into().ok()?,
            crc: t.u32()?,
            table: t.bytes(table)?.to_vec(),
        };
        let sizes = h.stored <= CONTENT_MAX as u64
            && h.raw <= CONTENT_MAX as u64
            && (h.compressed || h.raw == h.stored);
        (codec <= 1 && sizes && h.offset == offset).then_some(h)
    }
}

/// The label as a block.
pub(super) fn label_block(label: &MediaLabel) -> AlignedBuf {
    let mut b: Vec<u8> = Vec::with_capacity(BLOCK);
    b.u32(LABEL_MAGIC);
    b.u16(VERSION);
    b.u16(label.families);
    b.u16(label.family);
    b.resize(16, 0);
    b.bytes(&label.set);
    b.bytes(&label.family_guid);
    b.u64(label.date.0);
    for text in [&label.name, &label.description] {
        // Longest: 255 characters of 4 bytes each.
        super::header::put_optional(&mut b, text.as_deref(), 1020);
    }
    let mut block = AlignedBuf::zeroed(BLOCK);
    block[..b.len()].copy_from_slice(&b);
    close(&mut block);
    block
}

/// True when a file that begins so is a media's, of any version.
pub fn is_media(first: &[u8]) -> bool {
    first.starts_with(&LABEL_MAGIC.to_le_bytes())
}

/// Reads a label. None: it is none of ours.
pub(super) fn parse_label(block: &[u8]) -> Option<MediaLabel> {
    if block.len() < BLOCK || !is_closed(&block[..BLOCK]) {
        return None;
    }
    let mut t = Take(&block[..CRC_AT]);
    if t.u32()? != LABEL_MAGIC || t.u16()? != VERSION {
        return None;
    }
    let (families, family) = (t.u16()?, t.u16()?);
    t.bytes(6)?;
    let label = MediaLabel {
        families,
        family,
        set: t.bytes(16)?.try_into().ok()?,
        family_guid: t.bytes(16)?.try_into().ok()?,
        date: UtcTime(t.u64()?),
        name: super::header::take_optional(&mut t)?,
        description: super::header::take_optional(&mut t)?,
    };
    let sane = (1..=families).contains(&family) && usize::from(families) <= FAMILIES_MAX;
    sane.then_some(label)
}

/// Reads a block until it makes sense, [`READ_TRIES`] times at most. None: it does not.
fn read_block<T>(
    volume: &dyn Volume,
    offset: u64,
    sense: impl Fn(&[u8]) -> Option<T>,
) -> BackupResult<Option<T>> {
    let mut block = AlignedBuf::zeroed(BLOCK);
    for times in 0..READ_TRIES {
        read_retried(volume, offset, &mut block).map_err(device("read"))?;
        let Some(made) = sense(&block) else { continue };
        if times > 0 {
            tell_retried(volume, offset, times, "a block of a backup makes no sense");
        }
        return Ok(Some(made));
    }
    Ok(None)
}

/// One file of a media, open for reading.
pub(super) struct Family {
    pub label: MediaLabel,
    pub volume: Arc<dyn Volume>,
    pub len: u64,
    /// An object, to which nobody adds a set: it has one, which ends with it.
    one_set: bool,
}

impl Family {
    /// Opens a file or object that must be a media's.
    pub fn open(env: &Env, device: &Device) -> BackupResult<Family> {
        let volume = device.open(env)?;
        let empty = || BackupError::Empty(device.path().unwrap_or(Path::new("NUL")).to_owned());
        let family = Family::read(volume)?.ok_or_else(empty)?;
        Ok(Family { one_set: matches!(device, Device::Object(_)), ..family })
    }

    /// Reads the label of an open file. None: the file is empty.
    pub fn read(volume: Arc<dyn Volume>) -> BackupResult<Option<Family>> {
        let len = volume.len().map_err(device("read"))?;
        if len == 0 {
            return Ok(None);
        }
        let not = || BackupError::NotMedia(volume.path().to_owned());
        if len < BLOCK as u64 {
            return Err(not());
        }
        let label = read_block(&*volume, 0, parse_label)?.ok_or_else(not)?;
        Ok(Some(Family { label, volume, len, one_set: false }))
    }

    pub fn path(&self) -> &Path {
        self.volume.path()
    }

    /// The chunk header at an offset. None: no chunk begins there, or it is not whole.
    pub fn chunk_at(&self, offset: u64) -> BackupResult<Option<ChunkHeader>> {
        if offset + BLOCK as u64 > self.len {
            return Ok(None);
        }
        let header = read_block(&*self.volume, offset, |block| ChunkHeader::read(block, offset))?;
        Ok(header.filter(|h| offset + h.len() <= self.len))
    }

    /// Whether the chunk that begins at an offset is what was written.
    fn is_chunk(&self, offset: u64) -> BackupResult<bool> {
        match ChunkReader::new(self, offset).next() {
            Ok(_) => Ok(true),
            Err(BackupError::Damaged { .. }) => Ok(false),
            Err(e) => Err(e),
        }
    }

    /// Where the sets of this family begin, and how they end.
    pub fn sets(&self) -> BackupResult<Vec<SetPlace>> {
        if self.one_set
            && let Some(only) = self.only_set()?
        {
            return Ok(vec![only]);
        }
        let mut sets = Vec::new();
        let mut at = BLOCK as u64;
        let mut open: Option<SetPlace> = None;
        while let Some(h) = self.chunk_at(at)? {
            let expected = sets.len() as u32 + 1;
            let begins = open.is_none() && h.kind == Kind::Header;
            let goes_on = open.as_ref().is_some_and(|o| o.set == h.set && h.kind != Kind::Header);
            if h.position != expected || !(begins || goes_on) {
                break;
            }
            // What says that there is a set, and that it is whole, is looked at closely.
            let decisive = matches!(h.kind, Kind::Header | Kind::End);
            if decisive && !self.is_chunk(at)? {
                break;
            }
            let next = at + h.len();
            let place =
                open.get_or_insert(SetPlace { set: h.set, begin: at, end_chunk: None, end: next });
            place.end = next;
            if h.kind == Kind::End {
                place.end_chunk = Some(at);
                sets.extend(open.take());
            }
            at = next;
        }
        sets.extend(open);
        Ok(sets)
    }
}

impl Family {
    /// The one set of an object, found from both ends: whoever walks from chunk to chunk asks the store for each of them. None: it
    /// does not begin or end as one.
    fn only_set(&self) -> BackupResult<Option<SetPlace>> {
        let begin = BLOCK as u64;
        let first = self.chunk_at(begin)?.filter(|h| h.kind == Kind::Header);
        let Some(first) = first.filter(|h| h.position == 1) else { return Ok(None) };
        let tail = self.len.min((BLOCK + CONTENT_MAX) as u64) / BLOCK as u64 * BLOCK as u64;
        let from = self.len - tail;
        let mut bytes = AlignedBuf::zeroed(tail as usize);
        read_retried(&*self.volume, from, &mut bytes).map_err(device("read"))?;
        for block in (0..tail as usize).step_by(BLOCK) {
            let at = from + block as u64;
            let Some(h) = ChunkHeader::read(&bytes[block..block + BLOCK], at) else { continue };
            let ends = h.kind == Kind::End && h.set == first.set && at + h.len() == self.len;
            if ends && self.is_chunk(begin)? && self.is_chunk(at)? {
                let (set, end) = (first.set, self.len);
                return Ok(Some(SetPlace { set, begin, end_chunk: Some(at), end }));
            }
        }
        Ok(None)
    }

    /// True if what lies at `from` and behind is a failed backup's: nothing of a set with this position that was finished, and nothing of
    /// a later one. Anything else is there because something before it is damaged, and must not be written over.
    pub fn is_leftover(&self, from: u64, position: u32) -> BackupResult<bool> {
        let mut buf = AlignedBuf::zeroed(CONTENT_MAX);
        let mut at = from;
        while at + BLOCK as u64 <= self.len {
            let n = (self.len - at).min(CONTENT_MAX as u64) as usize / BLOCK * BLOCK;
            read_retried(&*self.volume, at, &mut buf[..n]).map_err(device("read"))?;
            for block in (0..n).step_by(BLOCK) {
                let here = at + block as u64;
                let Some(h) = ChunkHeader::read(&buf[block..block + BLOCK], here) else { continue };
                let ended = h.kind == Kind::End && self.is_chunk(here)?;
                if h.position > position || ended {
                    return Ok(false);
                }
            }
            at += n as u64;
        }
        Ok(true)
    }
}

/// Where a set lies in a family.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct SetPlace {
    pub set: [u8; 16],
    /// The offset of its header chunk.
    pub begin: u64,
    /// Its end chunk; none: it was not finished.
    pub end_chunk: Option<u64>,
    /// Behind its last chunk.
    pub end: u64,
}

/// A media, open for reading: all its families, in order.
pub(super) struct Media {
    pub families: Vec<Family>,
}

impl Media {
    /// Opens the families that the devices name; they must be all families of one media.
    pub fn open(env: &Env, devices: &[Device]) -> BackupResult<Media> {
        let media = Media::open_some(env, devices)?;
        let families = media.families[0].label.families;
        let there = |n: &u16| media.families.iter().any(|f| f.label.family == *n);
        let missing: Vec<u16> = (1..=families).filter(|n| !there(n)).collect();
        match missing.is_empty() {
            true => Ok(media),
            false => {
                let given = media.families.len() as u16;
                Err(BackupError::FamiliesMissing { families, given, missing })
            }
        }
    }

    /// As [`Self::open`], of some of the families, at least one.
    pub fn open_some(env: &Env, devices: &[Device]) -> BackupResult<Media> {
        let mut families: Vec<Family> = Vec::new();
        for d in devices {
            families.push(Family::open(env, d)?);
        }
        if families.is_empty() {
            return Err(BackupError::NotMedia(PathBuf::new()));
        }
        if let Some(i) = odd_one_out(&families, |f| (f.label.set, f.label.families)) {
            return Err(BackupError::NotOneMedia(families[i].path().to_owned()));
        }
        families.sort_by_key(|f| f.label.family);
        let twice = families.windows(2).find(|f| f[0].label.family == f[1].label.family);
        match twice {
            Some(f) => Err(BackupError::NotOneMedia(f[1].path().to_owned())),
            None => Ok(Media { families }),
        }
    }
}

/// The first of those that are not as most are, or, where no kind has most, not as the first. None: all are alike.
pub(super) fn odd_one_out<T, K: PartialEq>(all: &[T], kind: impl Fn(&T) -> K) -> Option<usize> {
    let kinds: Vec<K> = all.iter().map(kind).collect();
    let count = |k: &K| kinds.iter().filter(|o| *o == k).count();
    // Of several that are as frequent, the first: `max_by_key` gives the last.
    let usual = kinds.iter().rev().max_by_key(|k| count(k))?;
    kinds.iter().position(|k| k != usual)
}

/// Reads one chunk after the other from a family.
pub(super) struct ChunkReader<'m> {
    family: &'m Family,
    at: u64,
    /// Length of the last chunk: the next is probably as long, and then read at once.
    guess: usize,
    buf: AlignedBuf,
    unpacked: Vec<u8>,
}

impl<'m> ChunkReader<'m> {
    pub fn new(family: &'m Family, at: u64) -> ChunkReader<'m> {
        let buf = AlignedBuf::zeroed(BLOCK + CONTENT_MAX);
        ChunkReader { family, at, guess: 2 * BLOCK, buf, unpacked: Vec::new() }
    }

    /// The next chunk, its content checked and unpacked. One that is not what was written is read again, [`READ_TRIES`] times in all.
    pub fn next(&mut self) -> BackupResult<(ChunkHeader, &mut [u8])> {
        let (at, mut times, mut first) = (self.at, 0, None);
        let h = loop {
            match self.read_chunk() {
                Ok(h) => break h,
                Err(BackupError::Damaged { why, .. }) if times + 1 < READ_TRIES => {
                    times += 1;
                    first.get_or_insert(why);
                }
                Err(e) => return Err(e),
            }
        };
        if let Some(why) = first {
            tell_retried(&*self.family.volume, at, times, why);
        }
        self.guess = h.len() as usize;
        self.at += h.len();
        match h.compressed {
            true => Ok((h, &mut self.unpacked)),
            false => {
                let content = BLOCK..BLOCK + h.stored as usize;
                Ok((h, &mut self.buf[content]))
            }
        }
    }

    /// Reads the chunk that comes next, once.
    fn read_chunk(&mut self) -> BackupResult<ChunkHeader> {
        let at = self.at;
        let path = self.family.path();
        let rest = self.family.len.saturating_sub(at);
        let have = (self.guess as u64).min(rest) as usize;
        if have < BLOCK {
            return Err(damaged(path, at, "the set ends without its end"));
        }
        let read = |from: usize, to: usize, buf: &mut AlignedBuf| {
            let volume = &*self.family.volume;
            read_retried(volume, at + from as u64, &mut buf[from..to]).map_err(device("read"))
        };
        read(0, have, &mut self.buf)?;
        let Some(h) = ChunkHeader::read(&self.buf[..BLOCK], at) else {
            return Err(damaged(path, at, "no chunk of a backup set begins here"));
        };
        let len = h.len() as usize;
        if len as u64 > rest {
            return Err(damaged(path, at, "the set ends in the middle of a chunk"));
        }
        if len > have {
            read(have, len, &mut self.buf)?;
        }
        if crc32c::crc32c(&self.buf[BLOCK..len]) != h.crc {
            return Err(damaged(path, at, "a checksum is wrong"));
        }
        if !h.compressed {
            return Ok(h);
        }
        self.unpacked.clear();
        self.unpacked.reserve_exact(h.raw as usize);
        let packed = &self.buf[BLOCK..BLOCK + h.stored as usize];
        let mut decoder = ruzstd::decoding::FrameDecoder::new();
        let unpacked = decoder.decode_all_to_vec(packed, &mut self.unpacked);
        if unpacked.is_err() || self.unpacked.len() as u64 != h.raw {
            return Err(damaged(path, at, "compressed content cannot be unpacked"));
        }
        Ok(h)
    }
}

impl ChunkReader<'_> {
    /// Where the next chunk begins.
    pub fn position(&self) -> u64 {
        self.at
    }

    /// The next chunk with its content copied.
    pub fn next_owned(&mut self) -> BackupResult<(ChunkHeader, Vec<u8>)> {
        let (h, content) = self.next()?;
        Ok((h, content.to_vec()))
    }

    /// The next chunk if it is of this kind; else it stays the next.
    pub fn next_if(&mut self, kind: Kind) -> BackupResult<Option<(ChunkHeader, &mut [u8])>> {
        match self.family.chunk_at(self.at)? {
            Some(h) if h.kind == kind => self.next().map(Some),
            _ => Ok(None),
        }
    }
}
