//! Single structures of a log file out of any bytes, and their checksums made right again: what damages logs on purpose (fuzz targets,
//! tests) needs to get past the first line of defence, and nothing else does.

use std::collections::BTreeMap;

use taffrail_base::LogPos;

use crate::anchor::LogAnchor;
use crate::block::{self, BLOCK_BYTES_MAX};
use crate::directory::{DirectoryPage, HALF, Root, Unreadable, parse_vlf_header, vlf_header_state};
use crate::record::Record;

const BLOCK_CRC: std::ops::Range<usize> = 92..96;
const PREV_CRC: std::ops::Range<usize> = 36..40;

/// The first bytes of what fills half of a header: a root, a directory page, a VLF's header.
fn is_half(half: &[u8]) -> bool {
    half.starts_with(b"TLRT") || half.starts_with(b"TLVD") || half.first() == Some(&0xab)
}

/// Gives every structure that begins in `bytes` (a log file, or a part of one from a multiple of 512 on) the checksum that its content
/// has now, and every block the one of the block before it, where it had that before.
pub fn mend(bytes: &mut [u8]) {
    for half in bytes.chunks_exact_mut(HALF).filter(|half| is_half(half)) {
        let crc = crc32c::crc32c(&half[..HALF - 4]);
        half[HALF - 4..].copy_from_slice(&crc.to_le_bytes());
    }
    // In the order of the log: a block's checksum is part of the next block.
    let mut blocks = BTreeMap::new();
    for at in (0..bytes.len()).step_by(512) {
        if let Ok(h) = block::parse_header(&bytes[at..])
            && at + h.length as usize <= bytes.len()
        {
            blocks.insert((h.pos, at), h);
        }
    }
    let mut mended = BTreeMap::new();
    for ((_, at), h) in blocks {
        let whole = &mut bytes[at..at + h.length as usize];
        if let Some(&crc) = mended.get(&h.prev_crc) {
            whole[PREV_CRC].copy_from_slice(&u32::to_le_bytes(crc));
        }
        whole[BLOCK_CRC].fill(0);
        let crc = crc32c::crc32c(whole);
        whole[BLOCK_CRC].copy_from_slice(&crc.to_le_bytes());
        mended.insert(h.crc, crc);
    }
}

/// Where structures lie in a log file: offset and length of each header, directory page and block (up to its slots).
pub fn structures(bytes: &[u8]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for (at, half) in (0..).step_by(HALF).zip(bytes.chunks_exact(HALF)) {
        if read_header(half) {
            found.push((at, HALF));
        }
    }
    for at in (0..bytes.len()).step_by(512) {
        if let Ok(h) = block::parse_header(&bytes[at..])
            && at + h.length as usize <= bytes.len()
        {
            found.push((at, h.used as usize));
        }
    }
    found
}

/// Reads what lies at the beginning of a file or of a VLF: a root, a directory page, a VLF's header. True if it is one.
pub fn read_header(half: &[u8]) -> bool {
    if half.len() != HALF {
        return false;
    }
    let root: Result<Root, Unreadable> = Root::from_bytes(half);
    let page = DirectoryPage::from_bytes(half);
    let fork = std::array::from_fn(|i| half[40 + i]);
    let vlf = parse_vlf_header(half, fork);
    let _ = vlf_header_state(half);
    root.is_ok() || page.is_ok() || vlf.is_some()
}

/// Reads a block and hands out its records. True if its header and its checksum hold.
pub fn read_block(bytes: &[u8], mut see: impl FnMut(&Record<'_>)) -> bool {
    let Ok(h) = block::parse_header(bytes) else { return false };
    // Readers ask for slots that other records named: any number may come.
    for slot in (0..=h.records.saturating_add(1)).chain([u16::MAX]) {
        let record = block::record_bytes(&h, &bytes[..bytes.len().min(BLOCK_BYTES_MAX)], slot);
        if let Some(r) = record.and_then(|r| Record::parse(h.pos, r)) {
            see(&r);
        }
    }
    bytes.get(..h.length as usize).is_some_and(|whole| block::check_crc(&h, whole).is_ok())
}

/// Reads the record at the start of `bytes`.
pub fn read_record(bytes: &[u8]) -> Option<Record<'_>> {
    Record::parse(LogPos(513), bytes)
}

/// Gives an anchor the checksum that its content has now.
pub fn mend_anchor(b: &mut [u8; LogAnchor::BYTES]) {
    let crc = crc32c::crc32c(&b[..LogAnchor::BYTES - 4]);
    b[LogAnchor::BYTES - 4..].copy_from_slice(&crc.to_le_bytes());
}
