//! A row's version tag: where the version before is, and as of which transaction this one holds.
//!
//! The tag lies behind everything else, so no column's place depends on it, and a row without one is not longer for it. It belongs to
//! the row where it is: whoever writes the row anew, or copies it to another table, writes none.

use taffrail_base::{LogPos, SqlResult};

use super::damaged;

/// In a row's second byte: its last [`VersionTag::BYTES`] are a version tag.
pub(super) const HAS_VERSION: u8 = 2;

/// The version tag of a row; drawn in docs/engineering/format.md.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VersionTag {
    /// The record that replaced the version before, and holds it.
    pub before: LogPos,
    /// When: transactions are numbered in their order.
    pub sequence: u64,
}

impl VersionTag {
    /// The size of a stored tag.
    pub const BYTES: usize = 14;
    /// The highest sequence number.
    pub const MAX_SEQUENCE: u64 = (1 << 48) - 1;

    /// As it is stored.
    pub fn to_bytes(self) -> [u8; Self::BYTES] {
        assert!(self.sequence <= Self::MAX_SEQUENCE, "a sequence number has six bytes");
        let mut b = [0; Self::BYTES];
        b[..8].copy_from_slice(&self.before.0.to_le_bytes());
        b[8..].copy_from_slice(&self.sequence.to_le_bytes()[..6]);
        b
    }

    /// Reads a tag that `to_bytes` has written.
    pub fn from_bytes(b: &[u8; Self::BYTES]) -> VersionTag {
        let (mut before, mut sequence) = ([0; 8], [0; 8]);
        before.copy_from_slice(&b[..8]);
        sequence[..6].copy_from_slice(&b[8..]);
        VersionTag {
            before: LogPos(u64::from_le_bytes(before)),
            sequence: u64::from_le_bytes(sequence),
        }
    }
}

/// A row's bytes before its tag, and the tag.
#[inline]
pub(super) fn split(row: &[u8]) -> SqlResult<(&[u8], Option<VersionTag>)> {
    if row.get(1).is_none_or(|flags| flags & HAS_VERSION == 0) {
        return Ok((row, None));
    }
    match row.split_last_chunk() {
        Some((rest, tag)) => Ok((rest, Some(VersionTag::from_bytes(tag)))),
        None => Err(damaged("a row's version tag")),
    }
}

/// A row's version tag.
pub fn of(row: &[u8]) -> SqlResult<Option<VersionTag>> {
    split(row).map(|(_, tag)| tag)
}

/// Gives a row a version tag, in place of the one that it has, or takes it away.
pub fn set(row: &mut Vec<u8>, tag: Option<VersionTag>) -> SqlResult<()> {
    let rest = split(row)?.0.len();
    row.truncate(rest);
    let Some(flags) = row.get_mut(1) else { return Err(damaged("a row")) };
    match tag {
        Some(tag) => {
            *flags |= HAS_VERSION;
            row.extend_from_slice(&tag.to_bytes());
        }
        None => *flags &= !HAS_VERSION,
    }
    Ok(())
}

/// The row without its version tag: itself, or made in `room`.
#[inline]
pub fn without<'a>(row: &'a [u8], room: &'a mut Vec<u8>) -> SqlResult<&'a [u8]> {
    if row.get(1).is_none_or(|flags| flags & HAS_VERSION == 0) {
        return Ok(row);
    }
    room.clear();
    room.extend_from_slice(row);
    set(room, None)?;
    Ok(room)
}
