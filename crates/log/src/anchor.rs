//! The anchor that the boot page keeps so that the log is found again in one step: a place in it, and the VLF it lies in.
//!
//! ```text
//!  0 u16 version   2 u16 file of the VLF   4 u32 VLF sequence number   8 u64 position
//! 16 u64 VLF's offset in the file   24 u64 VLF's size   32 u64 VLF's first position
//! 40 u64 durable position when the anchor was made   48 u32 CRC of the block before   52 u32 incarnation
//! 56 u32 flags: 1 = 48..56 are known   60 u32 CRC-32C of bytes 0..60
//! ```

use taffrail_base::{BlockOffset, LogPos, Lsn, VlfSeqNo};

use crate::block::VlfPlace;

const VERSION: u16 = 1;

/// A place in the log that survives a restart. Make one with [`crate::Log::anchor_at`], keep its bytes, hand it to
/// [`crate::Log::open`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LogAnchor {
    /// The position that is to be found again.
    pub pos: LogPos,
    /// The durable position when the anchor was made: a log that ends before it has lost something.
    pub durable: LogPos,
    pub(crate) vlf: VlfPlace,
    pub(crate) seqno: VlfSeqNo,
    pub(crate) start: LogPos,
    /// CRC and incarnation of the block before, known when the anchor's block was not closed yet.
    pub(crate) before: Option<(u32, u32)>,
}

impl LogAnchor {
    /// Bytes of an anchor.
    pub const BYTES: usize = 64;

    /// The LSN of the anchor's position.
    pub fn lsn(&self) -> Lsn {
        let block = self.pos.block().since(self.start) / 512;
        Lsn { vlf: self.seqno, block: BlockOffset(block as u32), slot: self.pos.slot() }
    }

    /// The anchor as it is stored.
    pub fn to_bytes(&self) -> [u8; Self::BYTES] {
        let mut b = [0; Self::BYTES];
        b[..2].copy_from_slice(&VERSION.to_le_bytes());
        b[2..4].copy_from_slice(&self.vlf.file.to_le_bytes());
        b[4..8].copy_from_slice(&self.seqno.0.to_le_bytes());
        b[8..16].copy_from_slice(&self.pos.0.to_le_bytes());
        b[16..24].copy_from_slice(&self.vlf.offset.to_le_bytes());
        b[24..32].copy_from_slice(&self.vlf.size.to_le_bytes());
        b[32..40].copy_from_slice(&self.start.0.to_le_bytes());
        b[40..48].copy_from_slice(&self.durable.0.to_le_bytes());
        if let Some((crc, incarnation)) = self.before {
            b[48..52].copy_from_slice(&crc.to_le_bytes());
            b[52..56].copy_from_slice(&incarnation.to_le_bytes());
            b[56] = 1;
        }
        let crc = crc32c::crc32c(&b[..60]);
        b[60..].copy_from_slice(&crc.to_le_bytes());
        b
    }

    /// From the disk; `None` when the bytes are no anchor.
    pub fn from_bytes(b: &[u8; Self::BYTES]) -> Option<LogAnchor> {
        let u16_at = |at: usize| u16::from_le_bytes([b[at], b[at + 1]]);
        let u32_at = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| b[at + i]));
        let u64_at = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| b[at + i]));
        if u32_at(60) != crc32c::crc32c(&b[..60]) || u16_at(0) != VERSION {
            return None;
        }
        Some(LogAnchor {
            pos: LogPos(u64_at(8)),
            durable: LogPos(u64_at(40)),
            vlf: VlfPlace { file: u16_at(2), offset: u64_at(16), size: u64_at(24) },
            seqno: VlfSeqNo(u32_at(4)),
            start: LogPos(u64_at(32)),
            before: (b[56] & 1 != 0).then(|| (u32_at(48), u32_at(52))),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_survive_and_damage_shows() {
        let a = LogAnchor {
            pos: LogPos(0x6003),
            durable: LogPos(0x6000),
            vlf: VlfPlace { file: 1, offset: 8192, size: 1 << 20 },
            seqno: VlfSeqNo(43),
            start: LogPos(0x2000),
            before: Some((5, 6)),
        };
        let mut bytes = a.to_bytes();
        assert_eq!(LogAnchor::from_bytes(&bytes), Some(a));
        assert_eq!(a.lsn(), Lsn::new(43, 0x20, 3));
        bytes[9] ^= 1;
        assert_eq!(LogAnchor::from_bytes(&bytes), None);
    }
}
