//! Analysis: who had not ended when the log did, and the highest transaction id. Sees every record from MinLSN on, once.
//!
//! A checkpoint's list of transactions (LOP_XACT_CKPT) is true as of its begin record, not as of where it lies: whoever is named may
//! have ended in between. So:
//!
//! 1. A list counts only if its LOP_BEGIN_CKPT was seen: then every end record since was seen too. MinLSN may lie between an earlier
//!    checkpoint's begin record and its list (it is the first record of a transaction that began there); the end of somebody who is
//!    named by that list then lies before MinLSN, and who would go by the list would undo what was committed.
//! 2. No list is needed to find a loser. Who was active at the checkpoint that MinLSN is of began at or after MinLSN, and everybody
//!    else began after that checkpoint's begin record: of every loser all records are seen, its first included.
//! 3. So a loser whose first record was not seen is one that undo could not undo, or that is none: the log or MinLSN is wrong, and
//!    nothing may be undone ([`Analysis::unreached`]).
//! 4. MinLSN lies at or before the checkpoint's begin record, which says a moment: so [`Analysis::last_moment`] is that of the newest
//!    record of the log that says one.

use std::collections::{BTreeMap, HashSet};

use taffrail_base::{LogPos, PAGE_BYTES, TransactionId};
use taffrail_io::UtcTime;
use taffrail_log::{Lop, Record, RecordFlags, Reserve};

use super::boot::Boot;
use super::undo::Locked;
use crate::access::record::{facts, xact};
use crate::txn::table::ActiveTxn;

pub(crate) struct Loser {
    pub txn: ActiveTxn,
    /// The bytes that its compensation records take at most.
    pub undo_bytes: u64,
    /// Its begin record was seen, and so all it did: of every loser, at the log's end (invariant 3).
    complete: bool,
    /// The rows and objects that it has locked.
    pub locked: Locked,
}

pub(crate) struct Analysis {
    pub active: BTreeMap<u64, Loser>,
    /// A checkpoint's begin record was seen: lists count from there on (invariant 1).
    listing: bool,
    /// Ended since the last begin record: a list that follows may still name them.
    ended: HashSet<u64>,
    highest_transaction: u64,
    /// The last moment that a record says. A checkpoint's records say none that is earlier than those before them (invariant 4).
    pub last_moment: UtcTime,
    pub committed: u64,
    pub records: u64,
    pub malformed: Option<String>,
    /// Begin record and MinLSN of the last complete checkpoint.
    pub checkpoint: Option<(LogPos, LogPos)>,
}

impl Analysis {
    pub fn new(boot: &Boot) -> Analysis {
        Analysis {
            active: BTreeMap::new(),
            listing: false,
            ended: HashSet::new(),
            highest_transaction: boot.next_transaction.saturating_sub(1),
            last_moment: UtcTime::default(),
            committed: 0,
            records: 0,
            malformed: None,
            checkpoint: None,
        }
    }

    fn bad(&mut self, r: &Record<'_>) {
        self.malformed.get_or_insert_with(|| {
            format!("log record at {:#x} ({}) is malformed", r.pos.0, r.header.op)
        });
    }

    pub fn see(&mut self, r: &Record<'_>) {
        self.records += 1;
        let h = &r.header;
        let id = h.txn;
        if let Some(moment) = facts::moment(r) {
            self.last_moment = UtcTime(moment);
        }
        match h.op {
            Lop::BeginCkpt => {
                self.listing = true;
                self.ended.clear();
                match xact::parse_begin_checkpoint(r) {
                    Some(next) => {
                        self.highest_transaction = self.highest_transaction.max(next - next.min(1));
                    }
                    None => self.bad(r),
                }
            }
            Lop::EndCkpt => match facts::end_checkpoint(r) {
                Some(ended) => self.checkpoint = Some((ended.begin, ended.min)),
                None => self.bad(r),
            },
            Lop::XactCkpt => match xact::parse_active(r) {
                Some(listed) if self.listing => self.merge(listed),
                Some(_) => {}
                None => self.bad(r),
            },
            Lop::CommitXact | Lop::AbortXact => {
                if let Some(t) = self.active.remove(&id.0)
                    && h.op == Lop::CommitXact
                    && !t.txn.system
                {
                    self.committed += 1;
                }
                self.ended.insert(id.0);
            }
            _ if id != TransactionId::NONE => {
                self.highest_transaction = self.highest_transaction.max(id.0);
                let loser = self.active.entry(id.0).or_insert_with(|| Loser {
                    txn: ActiveTxn {
                        id,
                        first: r.pos,
                        last: r.pos,
                        undo_next: r.pos,
                        system: false,
                    },
                    undo_bytes: 0,
                    complete: false,
                    locked: Locked::default(),
                });
                loser.txn.last = r.pos;
                loser.txn.undo_next = if h.is_compensation() { h.undo_next } else { r.pos };
                // As the transaction itself had counted.
                if h.is_compensation() {
                    let used = Reserve::taken(r.len());
                    loser.undo_bytes = loser.undo_bytes.saturating_sub(used);
                } else if !h.flags.contains(RecordFlags::REDO_ONLY) {
                    let page = || Reserve::undo(PAGE_BYTES).bytes();
                    loser.undo_bytes += facts::log_reserve(r).unwrap_or_else(page);
                }
                if h.op == Lop::BeginXact {
                    match xact::parse_begin_is_system(r) {
                        Some(system) => {
                            loser.txn.system = system;
                            loser.complete = true;
                        }
                        None => self.bad(r),
                    }
                } else if !loser.txn.system && !h.is_compensation() {
                    loser.locked.note(r);
                }
            }
            _ => {}
        }
    }

    /// The highest transaction id seen.
    pub fn highest(&self) -> u64 {
        self.highest_transaction
    }

    /// A loser whose first record lies before what was read: see invariant 3.
    pub fn unreached(&self) -> Option<TransactionId> {
        self.active.values().find(|l| !l.complete).map(|l| l.txn.id)
    }

    /// A checkpoint's list: what was active at its begin record. Of those who had not ended since, all records were seen (invariant 2);
    /// a name that analysis does not know goes into the table, to be found by [`Analysis::unreached`].
    fn merge(&mut self, listed: Vec<ActiveTxn>) {
        for t in listed {
            if self.ended.contains(&t.id.0) {
                continue;
            }
            let loser = self.active.entry(t.id.0).or_insert_with(|| Loser {
                txn: t,
                undo_bytes: 1 << 16,
                complete: false,
                locked: Locked::default(),
            });
            loser.txn.system = t.system;
            loser.txn.first = loser.txn.first.min(t.first);
            if t.last > loser.txn.last {
                loser.txn.last = t.last;
                loser.txn.undo_next = t.undo_next;
            }
        }
    }
}
