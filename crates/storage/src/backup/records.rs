//! The log records in a backup set, one after the other: what `fn_dump_dblog` reads. Chunk by chunk, so that memory does not
//! depend on the set's size; pages are passed over.

use taffrail_io::Env;
use taffrail_log::{Entry, LsnMap, VlfRange, block_bytes, block_entry};

use super::error::{BackupResult, damaged};
use super::media::{ChunkReader, Kind, Media};
use super::reader::{SetReader, decode_vlf};
use super::spec::{Device, SetHeader};

/// Reads the records of one set.
pub struct SetRecords {
    media: Media,
    /// The header of the set.
    pub header: SetHeader,
    /// Where the next chunk of each family begins.
    at: Vec<u64>,
    next_chunk: u64,
    chunks: u64,
    /// Log blocks of the current chunk, and how much of them has been read.
    content: Vec<u8>,
    used: usize,
    /// Bytes of the current block; 0: none. And the slot to be read next.
    block: usize,
    slot: u16,
    vlf: Option<VlfRange>,
    lsns: LsnMap,
}

impl SetRecords {
    /// Opens the set at a position, from 1; all families of its media must be given.
    pub fn open(env: &Env, devices: &[Device], position: u32) -> BackupResult<SetRecords> {
        let media = Media::open(env, devices)?;
        let set = SetReader::open(&media, position)?;
        let (at, next_chunk, chunks) = set.places();
        let header = set.header.clone();
        Ok(SetRecords {
            media,
            header,
            at,
            next_chunk,
            chunks,
            content: Vec::new(),
            used: 0,
            block: 0,
            slot: 0,
            vlf: None,
            lsns: LsnMap::default(),
        })
    }

    /// How positions of what was read become LSNs.
    pub fn lsn_map(&self) -> &LsnMap {
        &self.lsns
    }

    /// Goes to the next record; false at the end. [`SetRecords::entry`] shows it.
    pub fn advance(&mut self) -> BackupResult<bool> {
        loop {
            if self.block > 0 {
                self.slot += 1;
                if self.entry().is_some() {
                    return Ok(true);
                }
                self.used += self.block;
                self.block = 0;
            }
            if self.used < self.content.len() {
                let Some(len) = block_bytes(&self.content[self.used..]) else {
                    let path = self.media.families[0].path();
                    return Err(damaged(path, 0, "a log block in the set is damaged"));
                };
                (self.block, self.slot) = (len, 0);
            } else if !self.next_log()? {
                return Ok(false);
            }
        }
    }

    /// The record that [`SetRecords::advance`] went to.
    pub fn entry(&self) -> Option<Entry<'_>> {
        let block = self.content.get(self.used..self.used + self.block)?;
        if self.block == 0 { None } else { block_entry(block, self.slot) }
    }

    /// Reads chunks up to one of log; false when there is none.
    fn next_log(&mut self) -> BackupResult<bool> {
        let families = self.media.families.len() as u64;
        while self.next_chunk < self.chunks {
            let n = self.next_chunk;
            let family = (n % families) as usize;
            let at = self.at[family];
            let mut reader = ChunkReader::new(&self.media.families[family], at);
            let (h, content) = reader.next()?;
            let path = self.media.families[family].path();
            let ours = (h.position, h.set, h.number);
            if ours != (self.header.position, self.header.guid, n) {
                return Err(damaged(path, at, "a chunk is out of order"));
            }
            self.next_chunk += 1;
            if h.kind == Kind::Log {
                let Some(vlf) = decode_vlf(&h.table) else {
                    return Err(damaged(path, at, "a chunk of log makes no sense"));
                };
                self.content.clear();
                self.content.extend_from_slice(content);
                self.used = 0;
                if self.vlf != Some(vlf) {
                    self.lsns.note(vlf);
                    self.vlf = Some(vlf);
                }
            }
            self.at[family] = reader.position();
            if h.kind == Kind::Log {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
