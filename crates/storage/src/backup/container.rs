//! The bytes of a backup file: see the module's text for the format.

use std::path::Path;
use std::sync::Arc;

use taffrail_base::{HobtId, LogPos, PageId, SqlError, TransactionId};
use taffrail_io::{Env, OpenSpec, Volume};
use taffrail_log::{Lcx, Lop, OwnedRecord, Record, RecordFlags, RecordHeader};

use crate::codec::{Put, Take};
use crate::error::{PageIo, StorageError, StorageResult};

const MAGIC: u32 = 0x4b42_4654; // "TFBK"
const VERSION: u16 = 1;
const CHUNK_HEADER: usize = 24;
/// No chunk is longer; what claims to be is damaged.
const CHUNK_MAX: u64 = 64 << 20;

/// What a chunk holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u16)]
pub(super) enum Kind {
    Header = 1,
    Pages = 2,
    Records = 3,
    End = 4,
}

impl Kind {
    fn from_u16(v: u16) -> Option<Kind> {
        [Kind::Header, Kind::Pages, Kind::Records, Kind::End].into_iter().find(|k| *k as u16 == v)
    }
}

fn io(operation: &'static str, offset: u64, source: taffrail_io::IoError) -> StorageError {
    StorageError::Io(Box::new(PageIo { operation, offset, source }))
}

/// Message 3241: the media's structure is wrong.
pub(super) fn damaged(path: &Path) -> StorageError {
    StorageError::Sql(SqlError::new(3241, &[&path.display()]))
}

/// Writes one set.
pub(super) struct SetWriter {
    volume: Arc<dyn Volume>,
    start: u64,
    at: u64,
}

impl SetWriter {
    pub fn begin(env: &Env, path: &Path, init: bool) -> StorageResult<SetWriter> {
        let there = env.disk.exists(path).map_err(|e| io("read", 0, e))?;
        let volume = if there {
            env.disk.open(path, OpenSpec::PLAIN)
        } else {
            env.disk.create(path, OpenSpec::PLAIN)
        }
        .map_err(|e| io("write", 0, e))?;
        // Sets are added behind the last whole one; what a failed backup left is cut off.
        let start = if init || !there { 0 } else { end_of_sets(&*volume, path)? };
        volume.truncate(start).map_err(|e| io("write", start, e))?;
        Ok(SetWriter { volume, start, at: start })
    }

    pub fn chunk(&mut self, kind: Kind, content: &[u8]) -> StorageResult<()> {
        let mut b = Vec::with_capacity(CHUNK_HEADER + content.len());
        b.u32(MAGIC);
        b.u16(VERSION);
        b.u16(kind as u16);
        b.u64(content.len() as u64);
        b.u32(crc32c::crc32c(content));
        let crc = crc32c::crc32c(&b);
        b.u32(crc);
        b.bytes(content);
        self.volume.write_at(self.at, &b).map_err(|e| io("write", self.at, e))?;
        self.at += b.len() as u64;
        Ok(())
    }

    /// Makes the set durable. Returns its length.
    pub fn finish(self, env: &Env) -> StorageResult<u64> {
        self.volume.sync().map_err(|e| io("write", self.at, e))?;
        if let Some(dir) = self.volume.path().parent() {
            env.disk.sync_dir(dir).map_err(|e| io("write", self.at, e))?;
        }
        Ok(self.at - self.start)
    }
}

/// A chunk's header: kind, length, checksum of the content. None: the file ends here, or what is here is no chunk.
fn chunk_header(volume: &dyn Volume, at: u64, len: u64) -> StorageResult<Option<(Kind, u64, u32)>> {
    if at + CHUNK_HEADER as u64 > len {
        return Ok(None);
    }
    let mut b = [0; CHUNK_HEADER];
    volume.read_at(at, &mut b).map_err(|e| io("read", at, e))?;
    let mut t = Take(&b);
    let parsed = (|| Some((t.u32()?, t.u16()?, t.u16()?, t.u64()?, t.u32()?, t.u32()?)))();
    let Some((MAGIC, VERSION, kind, size, crc, own)) = parsed else { return Ok(None) };
    let fits = size <= CHUNK_MAX && at + CHUNK_HEADER as u64 + size <= len;
    if crc32c::crc32c(&b[..20]) != own || !fits {
        return Ok(None);
    }
    Ok(Kind::from_u16(kind).map(|k| (k, size, crc)))
}

fn end_of_sets(volume: &dyn Volume, path: &Path) -> StorageResult<u64> {
    let len = volume.len().map_err(|e| io("read", 0, e))?;
    let (mut at, mut end) = (0, 0);
    while let Some((kind, size, _)) = chunk_header(volume, at, len)? {
        at += CHUNK_HEADER as u64 + size;
        if kind == Kind::End {
            end = at;
        }
    }
    // Something else than a backup is not written over.
    if end == 0 && at == 0 && len > 0 { Err(damaged(path)) } else { Ok(end) }
}

/// Reads the chunks of the `position`-th set (from 1).
pub(super) fn read_set(
    env: &Env,
    path: &Path,
    position: usize,
    f: &mut dyn FnMut(Kind, &[u8]) -> StorageResult<()>,
) -> StorageResult<()> {
    let volume = env.disk.open(path, OpenSpec::PLAIN.read_only()).map_err(|e| io("read", 0, e))?;
    let len = volume.len().map_err(|e| io("read", 0, e))?;
    let (mut at, mut set) = (0, 1);
    while let Some((kind, size, crc)) = chunk_header(&*volume, at, len)? {
        at += CHUNK_HEADER as u64;
        if set == position {
            let mut content = vec![0; size as usize];
            volume.read_at(at, &mut content).map_err(|e| io("read", at, e))?;
            if crc32c::crc32c(&content) != crc {
                return Err(damaged(path));
            }
            f(kind, &content)?;
        }
        at += size;
        if kind == Kind::End {
            if set == position {
                return Ok(());
            }
            set += 1;
        }
    }
    Err(damaged(path))
}

pub(super) fn put_record(b: &mut Vec<u8>, r: &Record<'_>) {
    let h = &r.header;
    b.u64(r.pos.0);
    b.u8(h.op as u8);
    b.u8(h.context as u8);
    b.u16(h.flags.0);
    b.u64(h.txn.0);
    b.u64(h.prev.0);
    b.u64(h.page.to_u64());
    b.u16(h.slot);
    b.u64(h.prev_page.0);
    b.u64(h.hobt.0);
    b.u64(h.lock_hash);
    b.u64(h.undo_next.0);
    b.u32(r.payload.len() as u32);
    b.bytes(r.payload);
}

pub(super) fn take_record(t: &mut Take<'_>) -> Option<OwnedRecord> {
    let pos = LogPos(t.u64()?);
    let mut header = RecordHeader::new(Lop::from_u8(t.u8()?)?, Lcx::from_u8(t.u8()?)?);
    header.flags = RecordFlags(t.u16()?);
    header.txn = TransactionId(t.u64()?);
    header.prev = LogPos(t.u64()?);
    header.page = PageId::from_u64(t.u64()?);
    header.slot = t.u16()?;
    header.prev_page = LogPos(t.u64()?);
    header.hobt = HobtId(t.u64()?);
    header.lock_hash = t.u64()?;
    header.undo_next = LogPos(t.u64()?);
    let len = t.u32()? as usize;
    Some(OwnedRecord { pos, header, payload: t.bytes(len)?.into() })
}
