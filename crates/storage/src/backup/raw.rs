//! A backup file as those see it who damage it on purpose (see [`crate::raw`]): where its structures lie, and their checksums made right.

use super::media::{BLOCK, CHUNK_MAGIC, CONTENT_MAX, CRC_AT, LABEL_MAGIC, close, padded};

/// Where a chunk header has the bytes of its stored content, and their checksum.
const STORED: std::ops::Range<usize> = 32..40;
const CONTENT_CRC: std::ops::Range<usize> = 64..68;

fn magic(block: &[u8]) -> u32 {
    u32::from_le_bytes([block[0], block[1], block[2], block[3]])
}

/// Bytes of the content behind a chunk header, as far as they are there.
fn content(block: &[u8], rest: usize) -> usize {
    let stored = u64::from_le_bytes(block[STORED].try_into().expect("eight bytes"));
    padded(stored.min(CONTENT_MAX as u64) as usize).min(rest)
}

/// Gives the label and every chunk the checksums that their contents have now.
pub fn mend_media(bytes: &mut [u8]) {
    for at in (0..bytes.len() / BLOCK).map(|n| n * BLOCK) {
        let (block, rest) = bytes[at..].split_at_mut(BLOCK);
        match magic(block) {
            LABEL_MAGIC => close(block),
            CHUNK_MAGIC => {
                let crc = crc32c::crc32c(&rest[..content(block, rest.len())]);
                block[CONTENT_CRC].copy_from_slice(&crc.to_le_bytes());
                close(block);
            }
            _ => {}
        }
    }
}

/// Offset and length of the label, of every chunk's header (without the zeroes behind its table) and of its content.
pub fn media_structures(bytes: &[u8]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for at in (0..bytes.len() / BLOCK).map(|n| n * BLOCK) {
        let block = &bytes[at..at + BLOCK];
        if ![LABEL_MAGIC, CHUNK_MAGIC].contains(&magic(block)) {
            continue;
        }
        let used = block[..CRC_AT].iter().rposition(|b| *b != 0).map_or(0, |last| last + 1);
        found.push((at, used));
        if magic(block) == CHUNK_MAGIC {
            found.push((at + BLOCK, content(block, bytes.len() - at - BLOCK)));
        }
    }
    found
}
