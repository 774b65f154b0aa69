//! Records that change no page: transactions, checkpoints, files.
//!
//! ```text
//! LOP_BEGIN_XACT         u64 time, u16 session, u64 parent transaction, u8 1 = system transaction, u16 length, name,
//!                        u64 number that is the transaction's own in all databases (absent in older logs),
//!                        u16 length, description: of a transaction WITH MARK (absent otherwise)
//! LOP_COMMIT_XACT        u64 time        LOP_ABORT_XACT  u64 time
//! LOP_MARK_SAVEPOINT     u16 length, name
//! LOP_LOCK_XACT          u32 object: locked in Sch-M by DDL, to the end of its transaction
//! LOP_BEGIN_CKPT         u64 time, u64 next transaction id
//! LOP_XACT_CKPT          u16 n, n of: u64 id, u64 first, u64 last, u64 undo next, u8 system
//! LOP_END_CKPT           u64 time, u64 position of the begin record, u64 MinLSN, u32 dirty pages written
//! LOP_FILE_HDR_MODIFY    u16 file, u32 pages, u32 pages before: the file has at least this many. A redo barrier
//! ```
//! Times are 100 ns since 0001-01-01, UTC. A long list of transactions takes several LOP_XACT_CKPT records.

use taffrail_base::{FileId, LogPos, TransactionId};
use taffrail_log::{Lop, Record};

use crate::codec::{Put, Take};
use crate::txn::table::ActiveTxn;

/// Transactions in one LOP_XACT_CKPT record.
pub(crate) const XACTS_PER_RECORD: usize = 1000;

/// Payload of LOP_XACT_CKPT with so many transactions.
pub(crate) const fn active_bytes(transactions: usize) -> usize {
    2 + transactions * 33
}

/// The payload of LOP_XACT_CKPT.
pub(crate) fn encode_active(transactions: &[ActiveTxn]) -> Vec<u8> {
    let mut b = Vec::with_capacity(active_bytes(transactions.len()));
    b.u16(transactions.len() as u16);
    for t in transactions {
        b.u64(t.id.0);
        b.u64(t.first.0);
        b.u64(t.last.0);
        b.u64(t.undo_next.0);
        b.u8(u8::from(t.system));
    }
    b
}

/// Reads the transactions of LOP_XACT_CKPT.
pub(crate) fn parse_active(r: &Record<'_>) -> Option<Vec<ActiveTxn>> {
    let mut t = Take(r.payload);
    let n = t.u16()?;
    let mut out = Vec::with_capacity(n.into());
    for _ in 0..n {
        out.push(ActiveTxn {
            id: TransactionId(t.u64()?),
            first: LogPos(t.u64()?),
            last: LogPos(t.u64()?),
            undo_next: LogPos(t.u64()?),
            system: t.u8()? != 0,
        });
    }
    Some(out)
}

/// Reads the part of LOP_BEGIN_XACT that restart needs: is it a system transaction?
pub(crate) fn parse_begin_is_system(r: &Record<'_>) -> Option<bool> {
    r.payload.get(18).map(|&b| b != 0)
}

/// Reads LOP_BEGIN_CKPT: the next transaction id.
pub(crate) fn parse_begin_checkpoint(r: &Record<'_>) -> Option<u64> {
    let mut t = Take(r.payload);
    t.u64()?;
    t.u64()
}

/// The payload of LOP_FILE_HDR_MODIFY.
pub(crate) fn encode_file_size(file: FileId, before: u32, pages: u32) -> Vec<u8> {
    let mut b = Vec::with_capacity(10);
    b.u16(file.0);
    b.u32(pages);
    b.u32(before);
    b
}

/// How many pages the file of LOP_FILE_HDR_MODIFY had before.
pub(crate) fn parse_file_size_before(r: &Record<'_>) -> Option<u32> {
    let mut t = Take(r.payload);
    t.bytes(2 + 4)?;
    t.u32()
}

/// Reads the file and size of LOP_FILE_HDR_MODIFY.
pub(crate) fn parse_file_size(r: &Record<'_>) -> Option<(FileId, u32)> {
    let mut t = Take(r.payload);
    Some((FileId(t.u16()?), t.u32()?))
}

/// The number at the end of LOP_BEGIN_XACT.
pub(crate) fn begin_number(r: &Record<'_>) -> Option<u64> {
    let mut t = Take(r.payload);
    t.bytes(8 + 2 + 8 + 1)?;
    t.text()?;
    t.u64()
}

/// The description behind that, of a transaction WITH MARK.
pub(crate) fn begin_mark(r: &Record<'_>) -> Option<String> {
    let mut t = Take(r.payload);
    t.bytes(8 + 2 + 8 + 1)?;
    t.text()?;
    t.u64()?;
    t.text()
}

/// The facts of LOP_BEGIN_XACT for people: (time, session, parent, system, name).
pub fn begin_facts(r: &Record<'_>) -> Option<(u64, u16, u64, bool, String)> {
    let mut t = Take(r.payload);
    Some((t.u64()?, t.u16()?, t.u64()?, t.u8()? != 0, t.text()?))
}

pub(super) fn describe(r: &Record<'_>) -> String {
    let mut t = Take(r.payload);
    match r.header.op {
        Lop::BeginXact => match begin_facts(r) {
            Some((_, session, parent, _, name)) if parent != 0 => {
                format!("{name}; session {session}; in {}", TransactionId(parent))
            }
            Some((_, session, _, _, name)) => format!("{name}; session {session}"),
            None => "malformed".to_owned(),
        },
        Lop::MarkSavepoint => t.text().unwrap_or_default(),
        Lop::LockXact => match t.u32() {
            Some(object) => format!("Sch-M on object {object}"),
            None => "malformed".to_owned(),
        },
        Lop::XactCkpt => format!("{} active transactions", t.u16().unwrap_or(0)),
        Lop::EndCkpt => {
            t.bytes(16);
            let min = LogPos(t.u64().unwrap_or(0));
            format!("MinLSN at {:#x}, {} pages written", min.0, t.u32().unwrap_or(0))
        }
        Lop::FileHdrModify => match parse_file_size(r) {
            Some((file, pages)) => format!("file {file} has {pages} pages"),
            None => "malformed".to_owned(),
        },
        _ => String::new(),
    }
}
