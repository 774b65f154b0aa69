//! Analysis: who had not ended when the log did, and the highest transaction id. Sees every record from MinLSN on, once.

use std::collections::{BTreeMap, HashSet};

use taffrail_base::{LogPos, PAGE_BYTES, TransactionId};
use taffrail_log::{Lop, Record, RecordFlags, Reserve};

use super::boot::Boot;
use super::undo::Locked;
use crate::access::record::{facts, xact};
use crate::txn::table::ActiveTxn;

pub(crate) struct Loser {
    pub txn: ActiveTxn,
    /// What its compensation records will take at most.
    pub undo_bytes: u64,
    /// Its begin record was seen, and so all it did.
    pub complete: bool,
    /// What it has locked.
    pub locked: Locked,
}

pub(crate) struct Analysis {
    pub active: BTreeMap<u64, Loser>,
    /// Ended since the last begin record: a list that follows may still name them.
    ended: HashSet<u64>,
    highest_transaction: u64,
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
            ended: HashSet::new(),
            highest_transaction: boot.next_transaction.saturating_sub(1),
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
        match h.op {
            Lop::BeginCkpt => {
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
                Some(listed) => self.merge(listed),
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

    /// A checkpoint's list: what was active and may have no record since.
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
