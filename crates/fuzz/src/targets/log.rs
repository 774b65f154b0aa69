//! The log: blocks, headers, records, whole files.

use std::path::PathBuf;
use std::sync::OnceLock;

use taffrail_base::PAGE_BYTES;
use taffrail_log::offline::OfflineLog;
use taffrail_log::{Log, LogAnchor, LogOptions, Lop, raw, verify};
use taffrail_storage::raw as storage_raw;

use crate::base::{LOG, base, world};
use crate::edits::{self, Image, Structures};

/// A multiple of 512 bytes, mended.
fn sectors(input: &[u8]) -> Vec<u8> {
    let mut bytes = input.to_vec();
    bytes.truncate(60 << 10);
    bytes.resize(bytes.len().next_multiple_of(512).max(512), 0);
    raw::mend(&mut bytes);
    bytes
}

/// A block as it is, then with a checksum that is right.
pub fn block(input: &[u8]) -> bool {
    let mut records = 0;
    let mut see = |r: &taffrail_log::Record<'_>| {
        storage_raw::read_record(r);
        records += usize::from(!r.is_empty());
    };
    raw::read_block(input, &mut see);
    raw::read_block(&sectors(input), &mut see) && records > 0
}

pub fn block_seeds() -> Vec<Vec<u8>> {
    let bytes = base().bytes(LOG);
    let blocks =
        raw::structures(bytes).into_iter().filter(|(at, _)| bytes[*at..].starts_with(b"TLBK"));
    let mut seeds: Vec<Vec<u8>> =
        blocks.map(|(at, len)| bytes[at..at + len.next_multiple_of(512)].to_vec()).collect();
    seeds.sort_by_key(Vec::len);
    seeds.truncate(16);
    seeds
}

/// Half of a header.
pub fn header(input: &[u8]) -> bool {
    let mut half = input.to_vec();
    half.resize(4096, 0);
    let as_it_is = raw::read_header(&half);
    raw::mend(&mut half);
    let anchor = input.first_chunk().and_then(|b: &[u8; LogAnchor::BYTES]| anchor(*b));
    as_it_is | raw::read_header(&half) | anchor.is_some()
}

/// An anchor with a right checksum.
fn anchor(mut b: [u8; LogAnchor::BYTES]) -> Option<LogAnchor> {
    raw::mend_anchor(&mut b);
    LogAnchor::from_bytes(&b).inspect(|a| {
        let _ = (a.lsn(), a.to_bytes());
    })
}

pub fn header_seeds() -> Vec<Vec<u8>> {
    let bytes = base().bytes(LOG);
    let of_a_half = |(_, len): &(usize, usize)| *len == 4096;
    let halves = raw::structures(bytes).into_iter().filter(of_a_half);
    let mut seeds: Vec<Vec<u8>> = halves
        .map(|(at, len)| {
            let half = &bytes[at..at + len - 4];
            half[..=half.iter().rposition(|b| *b != 0).unwrap_or(0)].to_vec()
        })
        .collect();
    seeds.dedup();
    seeds.truncate(12);
    seeds.extend(opening().map(|a| a.to_bytes().to_vec()));
    seeds
}

/// The page that a record of the seeds is redone on: the input's first byte names one of the base's pages.
fn pages() -> &'static [[u8; PAGE_BYTES]] {
    static PAGES: OnceLock<Vec<[u8; PAGE_BYTES]>> = OnceLock::new();
    PAGES.get_or_init(super::pages::of_the_base)
}

/// A record, and its redo on a page.
pub fn record(input: &[u8]) -> bool {
    let Some((&which, bytes)) = input.split_first() else { return false };
    let Some(record) = raw::read_record(bytes) else { return false };
    storage_raw::read_record(&record);
    let mut page = pages()[usize::from(which) % pages().len()];
    storage_raw::redo(&mut page, &record)
}

pub fn record_seeds() -> Vec<Vec<u8>> {
    let mut found: Vec<(Lop, u8, usize, Vec<u8>)> = Vec::new();
    let bytes = base().bytes(LOG);
    for (at, len) in raw::structures(bytes) {
        raw::read_block(&bytes[at..at + len], |r| {
            let page = pages().iter().position(|p| storage_raw::page_id(p) == r.header.page);
            let bytes = r.to_bytes();
            if bytes.len() > 9000 {
                return;
            }
            let seed = [vec![page.unwrap_or(0) as u8], bytes].concat();
            found.push((r.header.op, r.header.context as u8, r.header.flags.0.into(), seed));
        });
    }
    // Three of a kind: the shortest, one from the middle, the longest.
    found.sort_by_key(|(op, context, flags, seed)| (*op as u8, *context, *flags, seed.len()));
    let mut seeds = Vec::new();
    for kind in found.chunk_by(|a, b| (a.0, a.1, a.2) == (b.0, b.1, b.2)) {
        for i in [0, kind.len() / 2, kind.len() - 1] {
            seeds.push(kind[i].3.clone());
        }
    }
    seeds.dedup();
    seeds
}

fn images() -> &'static (Image, Structures) {
    static IMAGE: OnceLock<(Image, Structures)> = OnceLock::new();
    IMAGE.get_or_init(|| {
        let bytes = base().bytes(LOG).to_vec();
        let found = raw::structures(&bytes).into_iter().map(|(at, len)| (0, at, len)).collect();
        (Image { path: LOG.to_owned(), bytes }, found)
    })
}

/// An anchor to open the log with: of its oldest position.
fn opening() -> Option<LogAnchor> {
    static ANCHOR: OnceLock<Option<LogAnchor>> = OnceLock::new();
    *ANCHOR.get_or_init(|| {
        let mut page = taffrail_storage::page::Page::zeroed();
        let id = taffrail_base::PageId::new(1, 9);
        let data = base().bytes(crate::base::DATA);
        page.bytes_mut().copy_from_slice(&data[id.file_offset() as usize..][..PAGE_BYTES]);
        let boot = taffrail_storage::recovery::Boot::decode(&mut page, id).ok()?;
        LogAnchor::from_bytes(&boot.anchor)
    })
}

/// A whole file.
pub fn file(input: &[u8]) -> bool {
    let (image, structures) = images();
    let mut images = [image.clone()];
    if edits::apply(&mut images, structures, input) {
        raw::mend(&mut images[0].bytes);
    }
    let env = world(&images).env();
    let paths = [PathBuf::from(LOG)];
    let sound = verify::verify(&env, &paths).is_ok_and(|v| v.is_clean());
    if let Ok(log) = OfflineLog::open(&env, &paths) {
        let mut known = 0;
        let block =
            |b: &taffrail_log::offline::BlockInfo| known += u64::from(log.lsn(b.pos).is_some());
        let _ = log.walk(block, |_, r| storage_raw::read_record(r));
    }
    let opened =
        opening().is_some_and(|a| Log::open(&env, &paths, LogOptions::default(), &a).is_ok());
    sound && opened
}

pub fn file_seeds() -> Vec<Vec<u8>> {
    let structures = images().1.len();
    let mut seeds = vec![vec![0]];
    for n in 0..structures.min(24) {
        seeds.push(edits::write(n * structures / 24, 8 * n, &[n as u8; 8]));
    }
    seeds
}
