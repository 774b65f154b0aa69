//! `taffrail log dump`: records, decoded.

use super::json::Object;
use super::{Failure, Look, Outcome};
use std::io::Write;
use std::ops::ControlFlow;
use taffrail_base::{Lsn, TransactionId};
use taffrail_log::offline::{Found, OfflineLog};
use taffrail_log::{LogError, Lop, Record};
use taffrail_storage::access::record::{self, facts};

/// Which records.
#[derive(Clone, Default, Debug)]
pub struct Selection {
    /// From this LSN on.
    pub from: Option<Lsn>,
    /// Up to this LSN.
    pub to: Option<Lsn>,
    /// Of this transaction.
    pub transaction: Option<TransactionId>,
    /// With one of these operations; empty for all.
    pub operations: Vec<Lop>,
    /// At most so many.
    pub limit: Option<u64>,
}

impl Selection {
    fn takes(&self, lsn: Lsn, r: &Record<'_>) -> bool {
        self.from.is_none_or(|from| lsn >= from)
            && self.transaction.is_none_or(|t| t == r.header.txn)
            && (self.operations.is_empty() || self.operations.contains(&r.header.op))
    }
}

/// Shows records, oldest first.
pub fn dump(look: Look<'_>, selection: &Selection) -> Result<Outcome, Failure> {
    let Look { env, files, json, out } = look;
    super::what::refuse_others(&env, &files)?;
    let log = OfflineLog::open(&env, &files)?;
    let start = selection.from.map(|l| l.vlf).filter(|v| log.oldest().is_some_and(|o| *v > o));
    if let (Some(vlf), Some(newest)) = (start, log.newest())
        && vlf > newest
    {
        return Err(Failure::Request(format!("the log ends in VLF {}, before --from", newest.0)));
    }
    if !json {
        writeln!(
            out,
            "{:<22} {:<20} {:<18} {:<13} {:<13} {:>5} {:>6}  {:<22} {:>20}  description",
            "LSN",
            "operation",
            "context",
            "transaction",
            "page",
            "slot",
            "length",
            "previous LSN",
            "hobt"
        )?;
    }
    let mut left = selection.limit.unwrap_or(u64::MAX);
    let mut failed = None;
    let walked = log.walk_from(start, &mut |found| {
        let Found::Record(lsn, r) = found else { return ControlFlow::Continue(()) };
        if left == 0 || selection.to.is_some_and(|to| lsn > to) {
            return ControlFlow::Break(());
        }
        if !selection.takes(lsn, r) {
            return ControlFlow::Continue(());
        }
        left -= 1;
        let shown = if json { json_line(out, &log, lsn, r) } else { text_line(out, &log, lsn, r) };
        match shown {
            Ok(()) => ControlFlow::Continue(()),
            Err(e) => {
                failed = Some(e);
                ControlFlow::Break(())
            }
        }
    });
    if let Some(e) = failed {
        return Err(e.into());
    }
    match walked {
        Ok(Some(end)) if end.is_hole() => {
            out.flush()?;
            damaged(&format!("the log is broken at {}: {}", end.lsn, end.why))
        }
        Ok(_) => Ok(Outcome::Sound),
        Err(e @ LogError::Corrupt { .. }) => {
            out.flush()?;
            damaged(&e.to_string())
        }
        Err(e) => Err(e.into()),
    }
}

fn damaged(why: &str) -> Result<Outcome, Failure> {
    eprintln!("taffrail: {why}. 'taffrail log verify' tells more.");
    Ok(Outcome::Damaged)
}

fn text_line(
    out: &mut dyn Write,
    log: &OfflineLog,
    lsn: Lsn,
    r: &Record<'_>,
) -> std::io::Result<()> {
    let h = &r.header;
    let (page, slot) = match h.page.is_none() {
        true => ("-".to_owned(), "-".to_owned()),
        false => (h.page.to_string(), h.slot.to_string()),
    };
    let previous = log.lsn(h.prev).map_or_else(|| "-".to_owned(), |l| l.to_string());
    let hobt = if h.hobt.0 == 0 { "-".to_owned() } else { h.hobt.to_string() };
    writeln!(
        out,
        "{lsn} {:<20} {:<18} {} {page:<13} {slot:>5} {:>6}  {previous:<22} {hobt:>20}  {}",
        h.op.name(),
        h.context.name(),
        h.txn,
        r.len(),
        record::describe(r)
    )
}

fn hex(b: &[u8]) -> String {
    b.iter().map(|b| format!("{b:02x}")).collect()
}

fn json_line(
    out: &mut dyn Write,
    log: &OfflineLog,
    lsn: Lsn,
    r: &Record<'_>,
) -> std::io::Result<()> {
    let h = &r.header;
    let mut o = Object::new()
        .text("lsn", &lsn.to_string())
        .text("operation", h.op.name())
        .text("context", h.context.name())
        .text("transaction_id", &h.txn.to_string())
        .raw("length", r.len())
        .raw("flags", h.flags.0)
        .maybe("previous_lsn", log.lsn(h.prev).map(|l| l.to_string()));
    if !h.page.is_none() {
        o = o
            .text("page_id", &h.page.to_string())
            .raw("slot_id", h.slot)
            .maybe("previous_page_lsn", log.lsn(h.prev_page).map(|l| l.to_string()));
    }
    if h.hobt.0 != 0 {
        o = o.raw("hobt_id", h.hobt.0);
    }
    if h.lock_hash != 0 {
        o = o.text("lock_hash", &format!("{:012x}", h.lock_hash & 0xffff_ffff_ffff));
    }
    if let Some(images) = facts::row_images(r) {
        for (i, piece) in images.contents.iter().enumerate() {
            o = o.maybe(&format!("contents_{i}"), piece.map(hex));
        }
    }
    if let Some(b) = facts::begin(r) {
        o = o.text("transaction_name", &b.name).raw("session_id", b.session);
    }
    o = o.text("description", &record::describe(r));
    out.write_all(o.line().as_bytes())
}
