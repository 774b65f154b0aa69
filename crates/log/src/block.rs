//! The bytes of a log block: the unit of log I/O, whole sectors, at most 60 KiB.
//!
//! Its header, records and slot table are drawn in docs/engineering/format.md.
//!
//! The chain: a block belongs to the log if its magic, version, CRC and fork are right, its position is the one
//! that its place in the VLF means, `previous CRC` is its predecessor's CRC, and its incarnation is not below its
//! predecessor's. The log ends at the first block for which one of these does not hold. Neither zeroes nor
//! parity are trusted.
//!
//! A VLF ends with a block of one sector without records that names the successor; room for it is always kept.

use taffrail_base::{BlockOffset, LogPos, VlfSeqNo};

/// The bytes of the largest block.
pub const BLOCK_BYTES_MAX: usize = 60 << 10;
/// Records of a block: a record's position is its block's plus its slot. One slot less than there are, so that the
/// position after the last record still lies in the block.
pub const RECORDS_PER_BLOCK_MAX: usize = 510;
/// Where the first record lies.
pub(crate) const BLOCK_HEADER_BYTES: usize = 96;

/// Newest version of the block format, and the only one so far.
pub(crate) const BLOCK_VERSION: u16 = 1;

const MAGIC: u32 = u32::from_le_bytes(*b"TLBK");
const CRC_AT: usize = 92;
const FLAG_LAST: u8 = 1;

const _: () = assert!(BLOCK_BYTES_MAX.is_multiple_of(4096) && BLOCK_BYTES_MAX <= u16::MAX as usize);
const _: () = assert!(RECORDS_PER_BLOCK_MAX + 1 < LogPos::UNIT as usize);

/// Where a VLF lies: what a VLF's last block says of its successor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct VlfPlace {
    /// Index of the file among the log's files.
    pub file: u16,
    /// Offset in the file.
    pub offset: u64,
    /// The size in bytes, header included.
    pub size: u64,
}

/// The header of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BlockHeader {
    pub parity: u8,
    pub pos: LogPos,
    pub vlf: VlfSeqNo,
    pub offset: BlockOffset,
    pub length: u32,
    pub used: u32,
    pub records: u16,
    pub prev_crc: u32,
    pub incarnation: u32,
    pub durable: LogPos,
    /// The last block of a VLF: where the log goes on.
    pub successor: Option<VlfPlace>,
    pub fork: [u8; 16],
    /// As found on disk; filled in by [`seal`] when writing.
    pub crc: u32,
}

fn put<const N: usize>(out: &mut [u8], at: usize, v: [u8; N]) {
    out[at..at + N].copy_from_slice(&v);
}

/// Completes a block: header, zeroes after the used part, checksum. `bytes` is the whole block, with records and
/// slot table in place; from `zero_from` on they are zeroes already. Returns the checksum.
pub(crate) fn seal(h: &BlockHeader, bytes: &mut [u8], zero_from: usize) -> u32 {
    assert_eq!(bytes.len(), h.length as usize, "a block is sealed whole");
    assert!(h.pos.0.is_multiple_of(LogPos::UNIT) && h.length as usize <= BLOCK_BYTES_MAX);
    let used = h.used as usize;
    if let Some(stale) = bytes.get_mut(used..zero_from) {
        stale.fill(0);
    }
    debug_assert!(bytes[used..].iter().all(|&b| b == 0), "nothing stands behind the used part");
    bytes[..BLOCK_HEADER_BYTES].fill(0);
    put(bytes, 0, MAGIC.to_le_bytes());
    put(bytes, 4, BLOCK_VERSION.to_le_bytes());
    bytes[6] = h.parity;
    put(bytes, 8, h.pos.0.to_le_bytes());
    put(bytes, 16, h.vlf.0.to_le_bytes());
    put(bytes, 20, h.offset.0.to_le_bytes());
    put(bytes, 24, h.length.to_le_bytes());
    put(bytes, 28, h.used.to_le_bytes());
    put(bytes, 32, h.records.to_le_bytes());
    put(bytes, 36, h.prev_crc.to_le_bytes());
    put(bytes, 40, h.incarnation.to_le_bytes());
    put(bytes, 48, h.durable.0.to_le_bytes());
    if let Some(next) = h.successor {
        bytes[7] = FLAG_LAST;
        put(bytes, 34, next.file.to_le_bytes());
        put(bytes, 56, next.offset.to_le_bytes());
        put(bytes, 64, next.size.to_le_bytes());
    }
    put(bytes, 72, h.fork);
    let crc = crc32c::crc32c(bytes);
    put(bytes, CRC_AT, crc.to_le_bytes());
    crc
}

/// Why some bytes are not the expected block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NotABlock {
    /// No block starts here.
    Magic,
    /// A block of a version that we do not know.
    Version(u16),
    /// A block starts here, and its lengths are impossible.
    Shape,
    /// The checksum does not match.
    Crc,
}

fn u16_at(b: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([b[at], b[at + 1]])
}

fn u32_at(b: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([b[at], b[at + 1], b[at + 2], b[at + 3]])
}

fn u64_at(b: &[u8], at: usize) -> u64 {
    u64::from(u32_at(b, at)) | u64::from(u32_at(b, at + 4)) << 32
}

/// Reads a header and checks its shape, not its checksum: `bytes` need not reach to the block's end.
pub(crate) fn parse_header(bytes: &[u8]) -> Result<BlockHeader, NotABlock> {
    if bytes.len() < BLOCK_HEADER_BYTES || u32_at(bytes, 0) != MAGIC {
        return Err(NotABlock::Magic);
    }
    let version = u16_at(bytes, 4);
    if version != BLOCK_VERSION {
        return Err(NotABlock::Version(version));
    }
    let last = bytes[7] & FLAG_LAST != 0;
    let h = BlockHeader {
        parity: bytes[6],
        pos: LogPos(u64_at(bytes, 8)),
        vlf: VlfSeqNo(u32_at(bytes, 16)),
        offset: BlockOffset(u32_at(bytes, 20)),
        length: u32_at(bytes, 24),
        used: u32_at(bytes, 28),
        records: u16_at(bytes, 32),
        prev_crc: u32_at(bytes, 36),
        incarnation: u32_at(bytes, 40),
        durable: LogPos(u64_at(bytes, 48)),
        successor: last.then(|| VlfPlace {
            file: u16_at(bytes, 34),
            offset: u64_at(bytes, 56),
            size: u64_at(bytes, 64),
        }),
        fork: std::array::from_fn(|i| bytes[72 + i]),
        crc: u32_at(bytes, CRC_AT),
    };
    let least = BLOCK_HEADER_BYTES + 2 * usize::from(h.records);
    let fits = h.used as usize >= least && h.used <= h.length;
    let length_ok = h.length as usize <= BLOCK_BYTES_MAX && h.length.is_multiple_of(512);
    if !fits || !length_ok || usize::from(h.records) > RECORDS_PER_BLOCK_MAX {
        return Err(NotABlock::Shape);
    }
    Ok(h)
}

/// Checks the checksum of a whole block (`bytes` is exactly as long as the header says).
pub(crate) fn check_crc(h: &BlockHeader, bytes: &[u8]) -> Result<(), NotABlock> {
    let crc = crc32c::crc32c(&bytes[..CRC_AT]);
    let crc = crc32c::crc32c_append(crc, &[0; 4]);
    let crc = crc32c::crc32c_append(crc, &bytes[CRC_AT + 4..]);
    if crc == h.crc { Ok(()) } else { Err(NotABlock::Crc) }
}

/// The bytes from a slot's record on; `None` when there is no such slot.
pub(crate) fn record_bytes<'a>(h: &BlockHeader, bytes: &'a [u8], slot: u16) -> Option<&'a [u8]> {
    if slot == 0 || slot > h.records {
        return None;
    }
    let table = h.used as usize - 2 * usize::from(slot);
    let at = usize::from(u16_at(bytes.get(table..table + 2)?, 0));
    let end = h.used as usize - 2 * usize::from(h.records);
    bytes.get(at.max(BLOCK_HEADER_BYTES)..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_what_is_drawn() {
        let next = VlfPlace { file: 1, offset: 0x0010_2000, size: 0x0020_0000 };
        let h =
            BlockHeader { durable: LogPos(513), fork: [9; 16], successor: Some(next), ..header() };
        let mut bytes = vec![0; h.length as usize];
        bytes[BLOCK_HEADER_BYTES..h.used as usize].fill(0xaa);
        let crc = seal(&h, &mut bytes, h.length as usize);
        let fields: [(&str, &[u8]); 21] = [
            ("magic", b"TLBK"),
            ("version", &BLOCK_VERSION.to_le_bytes()),
            ("parity", &[h.parity]),
            ("flags", &[1]),
            ("position", &h.pos.0.to_le_bytes()),
            ("VLF sequence number", &h.vlf.0.to_le_bytes()),
            ("block offset", &h.offset.0.to_le_bytes()),
            ("length", &h.length.to_le_bytes()),
            ("used", &h.used.to_le_bytes()),
            ("records", &h.records.to_le_bytes()),
            ("file of the next VLF", &next.file.to_le_bytes()),
            ("CRC-32C of the block before", &h.prev_crc.to_le_bytes()),
            ("incarnation", &h.incarnation.to_le_bytes()),
            ("zero", &[0; 4]),
            ("durable position", &h.durable.0.to_le_bytes()),
            ("offset of the next VLF", &next.offset.to_le_bytes()),
            ("size of the next VLF", &next.size.to_le_bytes()),
            ("fork", &h.fork),
            ("zero", &[0; 4]),
            ("CRC-32C", &crc.to_le_bytes()),
            ("records", &[&[0xaa_u8; 24][..], &[0; 904]].concat()),
        ];
        crate::drawn::check("log-block", &bytes, &fields);
    }

    fn header() -> BlockHeader {
        BlockHeader {
            parity: 0x40,
            pos: LogPos(16384),
            vlf: VlfSeqNo(34),
            offset: BlockOffset(0x10),
            length: 1024,
            used: 120,
            records: 2,
            prev_crc: 7,
            incarnation: 1,
            durable: LogPos(16384),
            successor: Some(VlfPlace { file: 1, offset: 8192, size: 262_144 }),
            fork: [9; 16],
            crc: 0,
        }
    }

    #[test]
    fn a_sealed_block_reads_back_and_any_flipped_bit_shows() {
        let mut bytes = vec![0xaa; 1024];
        let h = header();
        let crc = seal(&h, &mut bytes, h.length as usize);
        let back = parse_header(&bytes).unwrap();
        assert_eq!(back, BlockHeader { crc, ..h });
        assert_eq!(check_crc(&back, &bytes), Ok(()));
        for bit in (0..1024 * 8).step_by(13) {
            bytes[bit / 8] ^= 1 << (bit % 8);
            let ok = parse_header(&bytes)
                .is_ok_and(|h| h.length as usize == bytes.len() && check_crc(&h, &bytes).is_ok());
            assert!(!ok, "bit {bit}");
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
    }
}
