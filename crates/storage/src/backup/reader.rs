//! Reading sets: headers of all, chunks of one, and verification.

use std::path::{Path, PathBuf};

use taffrail_base::{LogPos, PAGE_BYTES, PageId, VlfSeqNo};
use taffrail_io::Env;
use taffrail_log::{VlfRange, block_bytes};

use super::error::{BackupError, BackupResult, damaged};
use super::media::{BLOCK, ChunkReader, Family, Kind, Media, SetPlace, odd_one_out};
use super::pages::{decode_runs, is_empty, is_whole};
use super::spec::{BackupKind, Device, MediaLabel, SetHeader, Watch};
use crate::codec::Take;
use crate::page::Page;
use crate::recovery::{Boot, boot_id_of};

/// Sizes of the log's VLFs are read into memory: no set describes more.
const LAYOUT_MAX: usize = 64 << 20;

/// RESTORE LABELONLY: what the header of one stripe says.
pub fn read_label(env: &Env, device: &Device) -> BackupResult<MediaLabel> {
    Ok(Family::open(env, device)?.label)
}

/// RESTORE HEADERONLY and FILELISTONLY: the headers of all sets on the media, in order. One stripe is enough. A set
/// that was not finished is
/// listed with `complete` unset.
pub fn read_sets(env: &Env, devices: &[Device]) -> BackupResult<Vec<SetHeader>> {
    let media = Media::open_some(env, devices)?;
    let family = &media.families[0];
    let mut headers = Vec::new();
    for place in family.sets()? {
        let (_, content) = ChunkReader::new(family, place.begin).next_owned()?;
        let mut header = decode_header(family, place.begin, &content)?;
        if let Some(end) = place.end_chunk {
            let (_, content) = ChunkReader::new(family, end).next_owned()?;
            header = decode_header(family, end, &content)?;
        }
        headers.push(header);
    }
    Ok(headers)
}

/// The header of the set at a position, from 1. All families must be there, and have it from its
/// beginning to its end.
pub fn read_set(env: &Env, devices: &[Device], position: u32) -> BackupResult<SetHeader> {
    let media = Media::open(env, devices)?;
    Ok(SetReader::open(&media, position)?.header)
}

fn decode_header(family: &Family, at: u64, content: &[u8]) -> BackupResult<SetHeader> {
    let header = SetHeader::decode(&mut Take(content));
    header.ok_or_else(|| damaged(family.path(), at, "the header of a set makes no sense"))
}

/// Something of a set, in order.
pub(super) enum Piece<'a> {
    /// Pages: runs of them, and their bytes.
    Pages(Vec<super::pages::Run>, &'a mut [u8]),
    /// A log block, and the VLF that it lay in.
    Block(VlfRange, &'a [u8]),
}

/// Where a piece lies: the file, and the offset of its chunk.
pub(super) struct Place<'a> {
    pub path: &'a Path,
    pub at: u64,
}

/// Where the set at a position begins and ends in each family. Where one has it whole, the others must: theirs is damaged if they do not.
fn places(media: &Media, position: u32) -> BackupResult<Vec<(SetPlace, u64)>> {
    let at =
        |sets: &[SetPlace]| (position as usize).checked_sub(1).and_then(|i| sets.get(i).cloned());
    let sets: Vec<Vec<SetPlace>> =
        media.families.iter().map(Family::sets).collect::<Result<_, _>>()?;
    let whole = |place: &SetPlace| place.end_chunk.is_some();
    let somewhere = sets.iter().any(|s| at(s).is_some_and(|p| whole(&p)));
    let mut out = Vec::new();
    for (family, sets) in media.families.iter().zip(&sets) {
        let path = family.path();
        // Where there is nothing that makes sense any more.
        let reached = sets.last().map_or(BLOCK as u64, |s| s.end);
        match at(sets).map(|place| (place.end_chunk, place)) {
            Some((Some(end), place)) => out.push((place, end)),
            _ if somewhere => {
                return Err(damaged(path, reached, "no chunk of a backup set begins here"));
            }
            Some(_) => return Err(BackupError::Incomplete { position, path: path.to_owned() }),
            None => return Err(BackupError::NoSuchSet { position, path: path.to_owned() }),
        }
    }
    Ok(out)
}

/// A set that is being read.
pub(super) struct SetReader<'m> {
    media: &'m Media,
    readers: Vec<ChunkReader<'m>>,
    /// As in the set's end.
    pub header: SetHeader,
    /// The boot page of the database as it was.
    pub boot: Boot,
    /// Log sector, and sizes of the VLFs per file.
    pub layout: (u32, Vec<Vec<u64>>),
    chunks: u64,
    /// The first chunk that is not of the layout, if it was read already.
    layout_chunks: u64,
    /// Bytes of the layout.
    layout_bytes: u64,
}

impl<'m> SetReader<'m> {
    /// Opens the set at a position, from 1.
    pub fn open(media: &'m Media, position: u32) -> BackupResult<SetReader<'m>> {
        let mut readers = Vec::new();
        let mut headers: Vec<SetHeader> = Vec::new();
        let mut boot = None;
        let mut ends = Vec::new();
        for (family, (place, end)) in media.families.iter().zip(places(media, position)?) {
            let mut reader = ChunkReader::new(family, place.begin);
            let (_, content) = reader.next()?;
            let bad = |why| damaged(family.path(), place.begin, why);
            let mut t = Take(content);
            let first =
                SetHeader::decode(&mut t).ok_or_else(|| bad("the set's header makes no sense"))?;
            if boot.is_none() {
                let page = t.bytes(PAGE_BYTES).and_then(decode_boot);
                boot = Some(page.ok_or_else(|| bad("the boot page in the set makes no sense"))?);
            }
            let (end_chunk, content) = ChunkReader::new(family, end).next_owned()?;
            let last = decode_header(family, end, &content)?;
            if first.guid != last.guid || !last.complete || last.position != position {
                return Err(bad("the set's header and end do not agree"));
            }
            headers.push(last);
            ends.push(end_chunk.number);
            readers.push(reader);
        }
        // A family of this media, whole in itself, can still be that of an earlier or later backup.
        let odd = odd_one_out(&headers, Clone::clone).or_else(|| odd_one_out(&ends, |n| *n));
        if let Some(i) = odd {
            const WHY: &str = "its set is not that of the other families";
            return Err(damaged(media.families[i].path(), readers[i].position(), WHY));
        }
        let (Some(header), Some(boot)) = (headers.pop(), boot) else {
            return Err(BackupError::NotMedia(PathBuf::new()));
        };
        let chunks = ends[0];
        let mut set = SetReader {
            media,
            readers,
            header,
            boot,
            layout: (0, Vec::new()),
            chunks,
            layout_chunks: 0,
            layout_bytes: 0,
        };
        set.read_layout()?;
        Ok(set)
    }

    /// Where the next chunk of each family begins, the number of the first of them, and how many chunks there are.
    pub fn places(&self) -> (Vec<u64>, u64, u64) {
        let at = self.readers.iter().map(ChunkReader::position).collect();
        (at, self.layout_chunks, self.chunks)
    }

    /// The mark that the pages of its database bear.
    pub fn mark(&self) -> u32 {
        Page::mark_of(&self.boot.backup.marked())
    }

    fn bad(&self, why: &'static str) -> BackupError {
        damaged(self.media.families[0].path(), 0, why)
    }

    /// The layout's chunks come first.
    fn read_layout(&mut self) -> BackupResult<()> {
        let mut bytes = Vec::new();
        while self.layout_chunks < self.chunks {
            let n = self.layout_chunks;
            let family = (n % self.readers.len() as u64) as usize;
            let Some((h, content)) = self.readers[family].next_if(Kind::Layout)? else { break };
            if h.number != n || bytes.len() + content.len() > LAYOUT_MAX {
                let path = self.media.families[family].path();
                return Err(damaged(path, h.offset, "the log's layout is out of order"));
            }
            bytes.extend_from_slice(content);
            self.layout_chunks += 1;
        }
        self.layout_bytes = bytes.len() as u64;
        let parsed = (|| {
            let mut t = Take(&bytes);
            let sector = t.u32()?;
            let mut files = Vec::new();
            for _ in 0..t.u16()? {
                let count = t.u32()?;
                let mut sizes = Vec::new();
                for _ in 0..count {
                    sizes.push(t.u64()?);
                }
                files.push(sizes);
            }
            t.is_empty().then_some((sector, files))
        })();
        match parsed {
            Some(layout) if matches!(layout.0, 512 | 1024 | 2048 | 4096) => {
                self.layout = layout;
                Ok(())
            }
            _ => Err(self.bad("the log's layout makes no sense")),
        }
    }

    /// Shows every piece of the set, and checks that each is what was written, and that none is missing.
    pub fn read(
        &mut self,
        watch: &mut dyn Watch,
        mut f: impl FnMut(Piece<'_>, Place<'_>) -> BackupResult<()>,
    ) -> BackupResult<()> {
        let families = self.readers.len() as u64;
        let total = self.header.size;
        let (position, guid) = (self.header.position, self.header.guid);
        // A set without checksums has pages as they were; one that says so has damaged ones.
        let checked = self.header.has_checksums && !self.header.is_damaged;
        let mark = self.mark();
        // The layout has been read.
        let mut done = self.layout_bytes;
        for n in self.layout_chunks..self.chunks + families {
            // Behind the data each family has its end.
            let (family, ending) = match n.checked_sub(self.chunks) {
                None => ((n % families) as usize, false),
                Some(i) => (i as usize, true),
            };
            let path = self.media.families[family].path();
            let at = self.readers[family].position();
            let (h, content) = self.readers[family].next()?;
            let bad = |why| Err(damaged(path, at, why));
            let number = if ending { self.chunks } else { n };
            if (h.position, h.set, h.number) != (position, guid, number) {
                return bad("a chunk is out of order");
            }
            match h.kind {
                Kind::End if ending => continue,
                Kind::Pages if !ending => {
                    let Some(runs) = decode_runs(&h.table, content.len()) else {
                        return bad("a chunk of pages makes no sense");
                    };
                    let ids = runs.iter().flat_map(|r| r.pages());
                    for (id, page) in ids.zip(content.chunks_exact(PAGE_BYTES)) {
                        if checked && !is_whole(page, id, mark) && !is_empty(page) {
                            return Err(BackupError::DamagedInSet(id));
                        }
                    }
                    f(Piece::Pages(runs, content), Place { path, at })?;
                }
                Kind::Log if !ending => {
                    let Some(vlf) = decode_vlf(&h.table) else {
                        return bad("a chunk of log makes no sense");
                    };
                    let mut rest: &[u8] = content;
                    while !rest.is_empty() {
                        let Some(len) = block_bytes(rest) else {
                            return bad("a log block in the set is damaged");
                        };
                        let (block, next) = rest.split_at(len);
                        f(Piece::Block(vlf, block), Place { path, at })?;
                        rest = next;
                    }
                }
                _ => return bad("a chunk is out of order"),
            }
            done += h.raw;
            watch.progress(done, total.max(done));
            if watch.cancelled() {
                return Err(BackupError::Cancelled);
            }
        }
        Ok(())
    }
}

/// The first damaged page in a set, if there is one: what a restore that is not to continue after errors would meet.
pub fn damaged_page(
    env: &Env,
    devices: &[Device],
    position: u32,
    watch: &mut dyn Watch,
) -> BackupResult<Option<PageId>> {
    let media = Media::open(env, devices)?;
    let mut set = SetReader::open(&media, position)?;
    let mark = set.mark();
    let mut found = None;
    set.read(watch, |piece, _| {
        if let Piece::Pages(runs, content) = piece {
            let ids = runs.iter().flat_map(|r| r.pages());
            let mut pages = ids.zip(content.chunks_exact(PAGE_BYTES));
            let first = pages.find(|(id, page)| !is_whole(page, *id, mark) && !is_empty(page));
            found = found.or(first.map(|(id, _)| id));
        }
        Ok(())
    })?;
    Ok(found)
}

fn decode_boot(bytes: &[u8]) -> Option<Boot> {
    let mut page = Page::zeroed();
    page.bytes_mut().copy_from_slice(bytes);
    let id = boot_id_of(&page)?;
    Boot::decode(&mut page, id).ok()
}

pub(super) fn decode_vlf(table: &[u8]) -> Option<VlfRange> {
    let mut t = Take(table);
    let vlf = VlfRange { seqno: VlfSeqNo(t.u32()?), start: LogPos(t.u64()?), size: t.u64()? };
    t.is_empty().then_some(vlf)
}

/// RESTORE VERIFYONLY: reads a set whole and checks every byte of it: checksums, order, every page's own checksum
/// (unless the set says that it
/// has none, or damaged pages), the log blocks, and that nothing is missing.
pub fn verify(
    env: &Env,
    devices: &[Device],
    position: u32,
    watch: &mut dyn Watch,
) -> BackupResult<SetHeader> {
    let media = Media::open(env, devices)?;
    let mut set = SetReader::open(&media, position)?;
    let mut next: Option<LogPos> = None;
    let mut blocks = 0u64;
    const WHY: &str = "the log in the set is not whole";
    set.read(watch, |piece, place| {
        if let Piece::Block(vlf, block) = piece {
            blocks += 1;
            match taffrail_log::check_block(vlf, block, next) {
                Some(end) => next = Some(end),
                None => return Err(damaged(place.path, place.at, WHY)),
            }
        }
        Ok(())
    })?;
    // A data set always has log; a log set may have none.
    if blocks == 0 && set.header.kind != BackupKind::Log {
        return Err(set.bad(WHY));
    }
    Ok(set.header)
}
