//! Positions in the log.
//!
//! Two kinds, because two needs: the engine compares and stores positions millions of times a second and
//! wants one integer; people and scripts want SQL Server's three-part LSN.
//!
//! ```text
//! LogPos   u64: bytes since the log was created. A log block starts at a multiple of 512; a record's position is
//!          its block's start plus its slot (1 ..= 511), so order, identity and the block are all in one integer.
//! Lsn      VLF sequence number (u32) : block offset in the VLF, in 512-byte units (u32) : slot (u16)
//! ```
//! The VLF map of the log turns one into the other. `LogPos` of consecutive blocks differ by the length of the
//! earlier one, except at the end of a VLF: positions run over VLF headers and unused ends, so each VLF owns a range
//! of positions as long as itself. Both kinds only grow.

use std::fmt;
use std::str::FromStr;

/// The sequence number that a virtual log file gets when it is activated; +1 each time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct VlfSeqNo(pub u32);

/// A block's place in its VLF in 512-byte units; the first block of a VLF lies at 0x10.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct BlockOffset(pub u32);

/// A place in the log: bytes since the log was created (see the module's text for how slots are folded in).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct LogPos(pub u64);

impl LogPos {
    /// Before everything: "no position", e.g. the previous record of a transaction's first record.
    pub const ZERO: LogPos = LogPos(0);
    /// The position after all others.
    pub const MAX: LogPos = LogPos(u64::MAX);
    /// Positions per 512-byte unit; slots must stay below.
    pub const UNIT: u64 = 512;

    /// The start of the block that this position lies in, given that it is a record's position.
    pub const fn block(self) -> LogPos {
        LogPos(self.0 & !(Self::UNIT - 1))
    }

    /// The record's slot in its block, 1-based; 0 for a block's start.
    pub const fn slot(self) -> u16 {
        (self.0 & (Self::UNIT - 1)) as u16
    }

    /// Whether the position is [`LogPos::ZERO`].
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// Bytes from an earlier position to this one.
    pub fn since(self, earlier: LogPos) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// SQL Server's log sequence number. Prints as `00000022:000000a8:0002`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Lsn {
    /// The sequence number of the VLF.
    pub vlf: VlfSeqNo,
    /// The block in it.
    pub block: BlockOffset,
    /// The record in the block, from 1.
    pub slot: u16,
}

impl Lsn {
    /// The null LSN, `00000000:00000000:0000`.
    pub const ZERO: Lsn = Lsn { vlf: VlfSeqNo(0), block: BlockOffset(0), slot: 0 };

    /// An LSN of three parts.
    pub const fn new(vlf: u32, block: u32, slot: u16) -> Lsn {
        Lsn { vlf: VlfSeqNo(vlf), block: BlockOffset(block), slot }
    }

    /// The `numeric(25,0)` form: vlf × 10^15 + block × 10^5 + slot.
    pub const fn to_numeric(self) -> u128 {
        self.vlf.0 as u128 * 1_000_000_000_000_000
            + self.block.0 as u128 * 100_000
            + self.slot as u128
    }

    /// Ten bytes, big-endian: the form of change data capture, and ours on disk (it sorts as it is).
    pub fn to_bytes(self) -> [u8; 10] {
        let mut b = [0; 10];
        b[..4].copy_from_slice(&self.vlf.0.to_be_bytes());
        b[4..8].copy_from_slice(&self.block.0.to_be_bytes());
        b[8..].copy_from_slice(&self.slot.to_be_bytes());
        b
    }

    /// The inverse of [`Lsn::to_bytes`].
    pub fn from_bytes(b: [u8; 10]) -> Lsn {
        Lsn {
            vlf: VlfSeqNo(u32::from_be_bytes([b[0], b[1], b[2], b[3]])),
            block: BlockOffset(u32::from_be_bytes([b[4], b[5], b[6], b[7]])),
            slot: u16::from_be_bytes([b[8], b[9]]),
        }
    }
}

impl Lsn {
    /// As messages and `DBCC OPENTRAN` write it: decimal, in parentheses.
    pub fn in_message(self) -> String {
        format!("({}:{}:{})", self.vlf.0, self.block.0, self.slot)
    }
}

impl fmt::Display for Lsn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08x}:{:08x}:{:04x}", self.vlf.0, self.block.0, self.slot)
    }
}

/// The text is no LSN.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotAnLsn;

impl FromStr for Lsn {
    type Err = NotAnLsn;

    /// Reads `00000022:000000a8:0002` (8:8:4 hex digits), the same behind `0x`, and decimal `34:168:2`.
    fn from_str(s: &str) -> Result<Lsn, NotAnLsn> {
        let prefixed = s.strip_prefix("0x").or_else(|| s.strip_prefix("0X"));
        let text = prefixed.unwrap_or(s);
        let mut parts = text.split(':');
        let (Some(a), Some(b), Some(c), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(NotAnLsn);
        };
        let hex = prefixed.is_some() || (a.len() == 8 && b.len() == 8 && c.len() == 4);
        let radix = if hex { 16 } else { 10 };
        let part = |t: &str| match t.bytes().all(|b| b.is_ascii_hexdigit()) {
            true => u32::from_str_radix(t, radix).map_err(|_| NotAnLsn),
            false => Err(NotAnLsn),
        };
        Ok(Lsn::new(part(a)?, part(b)?, part(c)?.try_into().map_err(|_| NotAnLsn)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_conversions_hold() {
        // Pairs of text and numeric forms that circulate in the literature on SQL Server's log.
        for (text, numeric) in [
            ("0000002b:00005dfb:0049", 43_000_002_405_900_073_u128),
            ("00000268:0000356c:0001", 616_000_001_367_600_001),
            ("00000014:000000f3:0001", 20_000_000_024_300_001),
        ] {
            let lsn: Lsn = text.parse().unwrap();
            assert_eq!(lsn.to_string(), text);
            assert_eq!(lsn.to_numeric(), numeric);
            assert_eq!(Lsn::from_bytes(lsn.to_bytes()), lsn);
        }
        assert_eq!("43:24059:73".parse(), Ok(Lsn::new(43, 24059, 73)));
        assert_eq!("0x0000002b:00005dfb:0049".parse(), Ok(Lsn::new(43, 24059, 73)));
        assert_eq!("1:2".parse::<Lsn>(), Err(NotAnLsn));
        assert_eq!("1:+2:3".parse::<Lsn>(), Err(NotAnLsn));
    }

    #[test]
    fn a_position_holds_its_block_and_slot() {
        let pos = LogPos(0x5_0000 + 7);
        assert_eq!((pos.block(), pos.slot()), (LogPos(0x5_0000), 7));
    }
}
