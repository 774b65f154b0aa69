//! A log record: a header that this crate owns, and a payload that it never looks into.
//!
//! Drawn in docs/engineering/format.md: 20 bytes, 32 more when flag PAGE is set, 8 more when flag UNDO_NEXT is set, then the payload.
//! In a block it is padded to 4 bytes, which its length leaves out.
//!
//! A record changes at most one page. All integers are little-endian.

use taffrail_base::{HobtId, LogPos, PageId, TransactionId};

use crate::block::{BLOCK_BYTES_MAX, BLOCK_HEADER_BYTES};
use crate::lop::{Lcx, Lop};

/// Bytes that every record starts with.
const FIXED: usize = 20;
const PAGE_PART: usize = 32;
const UNDO_PART: usize = 8;
/// The bytes of the longest header.
pub(crate) const HEADER_BYTES_MAX: usize = FIXED + PAGE_PART + UNDO_PART;

/// The longest record, header included: it must fit a block of its own.
pub const RECORD_BYTES_MAX: usize = BLOCK_BYTES_MAX - BLOCK_HEADER_BYTES - 4;

/// Flag bits of a record.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct RecordFlags(pub u16);

impl RecordFlags {
    /// No flag is set.
    pub const NONE: RecordFlags = RecordFlags(0);
    /// A compensation record: written by undo, itself never undone; `undo_next` says where undo goes on.
    pub const COMPENSATION: RecordFlags = RecordFlags(0x0001);
    /// Redo only: not to be undone (for example inside a nested top action that is complete).
    pub const REDO_ONLY: RecordFlags = RecordFlags(0x0002);
    /// The payload holds a full image of the page.
    pub const PAGE_IMAGE: RecordFlags = RecordFlags(0x0004);
    /// Free for the layer above.
    pub const USER_1: RecordFlags = RecordFlags(0x0100);

    /// Set by the encoder: the page part is present.
    const PAGE: u16 = 0x8000;
    /// Set by the encoder: the undo part is present.
    const UNDO_NEXT: u16 = 0x4000;

    /// True when every bit of `other` is set.
    pub const fn contains(self, other: RecordFlags) -> bool {
        self.0 & other.0 == other.0
    }

    /// The flags of both.
    pub const fn with(self, other: RecordFlags) -> RecordFlags {
        RecordFlags(self.0 | other.0)
    }
}

/// The facts of a record that the log itself knows. Fields that do not apply are zero and cost no
/// space.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RecordHeader {
    /// The operation that was done.
    pub op: Lop,
    /// The thing it was done to.
    pub context: Lcx,
    /// By whom. Filled in by the log from the [`TxLog`].
    pub txn: TransactionId,
    /// The transaction's record before this one. Filled in by the log from the [`TxLog`].
    pub prev: LogPos,
    /// The page that was changed.
    pub page: PageId,
    /// Which slot of it.
    pub slot: u16,
    /// The page's position (page LSN) before this change.
    pub prev_page: LogPos,
    /// The heap or B+ tree that the page belongs to.
    pub hobt: HobtId,
    /// The hash of the lock resource of the row, to take the lock again before undo.
    pub lock_hash: u64,
    /// The flags of the record.
    pub flags: RecordFlags,
    /// Compensation records: the next record to undo ([`LogPos::ZERO`] = none left).
    pub undo_next: LogPos,
}

impl RecordHeader {
    /// A header with everything else zero.
    pub const fn new(op: Lop, context: Lcx) -> RecordHeader {
        RecordHeader {
            op,
            context,
            txn: TransactionId::NONE,
            prev: LogPos::ZERO,
            page: PageId::NONE,
            slot: 0,
            prev_page: LogPos::ZERO,
            hobt: HobtId::NONE,
            lock_hash: 0,
            flags: RecordFlags::NONE,
            undo_next: LogPos::ZERO,
        }
    }

    /// True for a compensation record.
    pub const fn is_compensation(&self) -> bool {
        self.flags.contains(RecordFlags::COMPENSATION)
    }

    fn has_page(&self) -> bool {
        !self.page.is_none()
            || self.slot != 0
            || self.hobt.0 != 0
            || self.lock_hash != 0
            || self.prev_page.0 != 0
    }

    /// Bytes of this header on disk.
    pub fn encoded_len(&self) -> usize {
        FIXED
            + if self.has_page() { PAGE_PART } else { 0 }
            + if self.undo_next.0 != 0 { UNDO_PART } else { 0 }
    }

    /// Writes the header of a record of `len` bytes (header and payload) to the start of `out`, and returns its length.
    #[inline]
    pub(crate) fn encode(
        &self,
        out: &mut [u8],
        len: usize,
        txn: TransactionId,
        prev: LogPos,
    ) -> usize {
        let page = self.has_page();
        let undo = self.undo_next.0 != 0;
        let flags = self.flags.0
            | if page { RecordFlags::PAGE } else { 0 }
            | if undo { RecordFlags::UNDO_NEXT } else { 0 };
        let fixed: &mut [u8; FIXED] = (&mut out[..FIXED]).try_into().expect("length of a slice");
        fixed[..2].copy_from_slice(&(len as u16).to_le_bytes());
        fixed[2] = self.op as u8;
        fixed[3] = self.context as u8;
        fixed[4..6].copy_from_slice(&flags.to_le_bytes());
        fixed[6..12].copy_from_slice(&txn.0.to_le_bytes()[..6]);
        fixed[12..].copy_from_slice(&prev.0.to_le_bytes());
        let mut at = FIXED;
        if page {
            let part: &mut [u8; PAGE_PART] =
                (&mut out[at..at + PAGE_PART]).try_into().expect("length of a slice");
            part[..6].copy_from_slice(&self.page.to_u64().to_le_bytes()[..6]);
            part[6..8].copy_from_slice(&self.slot.to_le_bytes());
            part[8..16].copy_from_slice(&self.prev_page.0.to_le_bytes());
            part[16..24].copy_from_slice(&self.hobt.0.to_le_bytes());
            part[24..].copy_from_slice(&self.lock_hash.to_le_bytes());
            at += PAGE_PART;
        }
        if undo {
            out[at..at + UNDO_PART].copy_from_slice(&self.undo_next.0.to_le_bytes());
            at += UNDO_PART;
        }
        at
    }
}

fn u64_at(b: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(b.get(at..at + 8)?.try_into().ok()?))
}

fn u48_at(b: &[u8], at: usize) -> Option<u64> {
    let mut v = [0; 8];
    v[..6].copy_from_slice(b.get(at..at + 6)?);
    Some(u64::from_le_bytes(v))
}

fn u16_at(b: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(b.get(at..at + 2)?.try_into().ok()?))
}

/// A record as it lies in a block.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    /// The position of the record.
    pub pos: LogPos,
    /// The header of the record.
    pub header: RecordHeader,
    /// The payload, which the layer above has written.
    pub payload: &'a [u8],
}

impl<'a> Record<'a> {
    /// Reads the record at the start of `bytes`; `None` when the bytes are no record.
    pub(crate) fn parse(pos: LogPos, bytes: &'a [u8]) -> Option<Record<'a>> {
        let len = usize::from(u16_at(bytes, 0)?);
        let bytes = bytes.get(..len)?;
        let mut header =
            RecordHeader::new(Lop::from_u8(*bytes.get(2)?)?, Lcx::from_u8(*bytes.get(3)?)?);
        let flags = u16_at(bytes, 4)?;
        header.flags = RecordFlags(flags & !(RecordFlags::PAGE | RecordFlags::UNDO_NEXT));
        header.txn = TransactionId(u48_at(bytes, 6)?);
        header.prev = LogPos(u64_at(bytes, 12)?);
        let mut at = FIXED;
        if flags & RecordFlags::PAGE != 0 {
            header.page = PageId::from_u64(u48_at(bytes, at)?);
            header.slot = u16_at(bytes, at + 6)?;
            header.prev_page = LogPos(u64_at(bytes, at + 8)?);
            header.hobt = HobtId(u64_at(bytes, at + 16)?);
            header.lock_hash = u64_at(bytes, at + 24)?;
            at += PAGE_PART;
        }
        if flags & RecordFlags::UNDO_NEXT != 0 {
            header.undo_next = LogPos(u64_at(bytes, at)?);
            at += UNDO_PART;
        }
        Some(Record { pos, header, payload: bytes.get(at..)? })
    }

    /// The record as it lies in its block: header and payload.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.header.encoded_len()];
        self.header.encode(&mut bytes, self.len(), self.header.txn, self.header.prev);
        bytes.extend_from_slice(self.payload);
        bytes
    }

    /// Bytes of the record: header and payload.
    pub fn len(&self) -> usize {
        self.header.encoded_len() + self.payload.len()
    }

    /// A record is never empty.
    pub fn is_empty(&self) -> bool {
        false
    }
}

/// The knowledge that a transaction has of its own records. Owned by the transaction, lent to every
/// append. Invariants: (1) `first <= last`, both zero before the first record; (2) `reserved` is
/// part of the log's sum of reservations until [`crate::Log::release`]; (3) it contains the end of
/// the transaction while `end_reserved` is set.
#[derive(Debug, Default)]
pub struct TxLog {
    /// The id of the transaction.
    pub id: TransactionId,
    /// Its first record ([`LogPos::ZERO`] before there is one).
    pub first: LogPos,
    /// The position of its last record.
    pub last: LogPos,
    /// Where its undo would begin.
    pub undo_next: LogPos,
    /// Log space that it has reserved for its rollback.
    pub reserved: u64,
    /// The commit or abort record has its place: from the first record to that one.
    pub end_reserved: bool,
    /// The number of records appended.
    pub records: u64,
    /// The bytes of those records.
    pub bytes: u64,
    /// Its records belong to the rollback of another transaction: they may use what is kept back for that.
    pub in_rollback: bool,
    /// Its records are part of a checkpoint: they may use what is kept back for that.
    pub in_checkpoint: bool,
}

impl TxLog {
    /// The log state of a transaction that has written nothing.
    pub fn new(id: TransactionId) -> TxLog {
        TxLog { id, ..TxLog::default() }
    }
}

/// The space that an append reserves for the undo of the change it logs.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Reserve {
    /// Payload bytes of the compensation record that undo will write; the log adds the header.
    /// `None`: this record is never undone.
    pub undo_bytes: Option<u32>,
}

impl Reserve {
    /// The record is never undone.
    pub const NONE: Reserve = Reserve { undo_bytes: None };

    /// Undo writes a compensation record with so many bytes of payload.
    pub const fn undo(payload_bytes: usize) -> Reserve {
        Reserve { undo_bytes: Some(payload_bytes as u32) }
    }

    /// Space that a record of so many bytes takes in a block, its slot included.
    pub const fn taken(len: usize) -> u64 {
        len.next_multiple_of(4) as u64 + 2
    }

    /// Space of that compensation record in a block, its slot included.
    pub fn bytes(self) -> u64 {
        match self.undo_bytes {
            None => 0,
            Some(payload) => u64::from(payload) + HEADER_BYTES_MAX as u64 + 4 + 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_what_is_drawn() {
        let header = RecordHeader {
            txn: TransactionId(0x0605_0403_0201),
            prev: LogPos(513),
            page: PageId::new(1, 79),
            slot: 3,
            prev_page: LogPos(77),
            hobt: HobtId(72),
            lock_hash: 0x1234_5678_9abc,
            flags: RecordFlags::COMPENSATION,
            undo_next: LogPos(5),
            ..RecordHeader::new(Lop::InsertRows, Lcx::Clustered)
        };
        let flags = RecordFlags::COMPENSATION.0 | RecordFlags::PAGE | RecordFlags::UNDO_NEXT;
        let bytes = Record { pos: LogPos(1), header, payload: b"payload" }.to_bytes();
        let fields: [(&str, &[u8]); 13] = [
            ("length", &67u16.to_le_bytes()),
            ("operation", &[Lop::InsertRows as u8]),
            ("context", &[Lcx::Clustered as u8]),
            ("flags", &flags.to_le_bytes()),
            ("transaction", &[1, 2, 3, 4, 5, 6]),
            ("previous record", &513u64.to_le_bytes()),
            ("page", &[79, 0, 0, 0, 1, 0]),
            ("slot", &3u16.to_le_bytes()),
            ("LSN of the page before", &77u64.to_le_bytes()),
            ("HoBt", &72u64.to_le_bytes()),
            ("lock hash", &0x1234_5678_9abc_u64.to_le_bytes()),
            ("next record to undo", &5u64.to_le_bytes()),
            ("payload", b"payload"),
        ];
        crate::drawn::check("log-record", &bytes, &fields);
    }

    #[test]
    fn headers_survive_the_way_to_bytes_and_back() {
        let plain = RecordHeader::new(Lop::CommitXact, Lcx::Null);
        let row = RecordHeader {
            page: PageId::new(1, 79),
            slot: 3,
            prev_page: LogPos(77),
            hobt: HobtId(72),
            lock_hash: 0x1234_5678_9abc,
            ..RecordHeader::new(Lop::InsertRows, Lcx::Clustered)
        };
        let undo = RecordHeader { flags: RecordFlags::COMPENSATION, undo_next: LogPos(5), ..row };
        for (header, len) in [(plain, 20), (row, 52), (undo, 60)] {
            let mut bytes = vec![0; header.encoded_len()];
            bytes.extend_from_slice(b"payload");
            let total = bytes.len();
            let used = header.encode(&mut bytes, total, TransactionId(9), LogPos(513));
            assert_eq!((used, header.encoded_len()), (len, len));
            let back = Record::parse(LogPos(1025), &bytes).unwrap();
            let want = RecordHeader { txn: TransactionId(9), prev: LogPos(513), ..header };
            assert_eq!((back.header, back.payload), (want, &b"payload"[..]));
            for cut in 0..used {
                assert!(Record::parse(LogPos(1025), &bytes[..cut]).is_none());
            }
        }
    }
}
