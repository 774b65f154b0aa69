//! Records and transactions as sessions of extended events hear of them.

use std::sync::atomic::Ordering::Relaxed;

use taffrail_base::HobtId;
use taffrail_io::UtcTime;
use taffrail_log::RecordHeader;
use taffrail_observe::xe::{Event, Val, tell};

use super::work::Work;
use crate::database::Database;

/// A record of so many bytes is in the log; `of`: its transaction's number, and when that began.
#[cold]
pub(crate) fn record(db: &Database, of: Option<(u64, UtcTime)>, header: &RecordHeader, bytes: u64) {
    let owned = |n: u64| if header.hobt == HobtId::NONE { 0 } else { n };
    let fields = [
        (header.op as u8).into(),
        (header.context as u8).into(),
        of.map_or(0, |(number, _)| number).into(),
        db.id().0.into(),
        of.map_or(Val::Empty, |(_, begun)| begun.0.into()),
        bytes.into(),
        owned(header.hobt.0 * 4 + 1).into(),
        owned(header.hobt.0).into(),
        // Whose table it is says the catalogue, of which nobody here knows.
        Val::Empty,
        Val::Empty,
        0.into(),
    ];
    tell(Event::TransactionLog, &fields);
}

impl Work {
    /// The last record of this is in the log.
    #[cold]
    pub(super) fn tell_record(&self, header: &RecordHeader, bytes: u64) {
        let of = self.entry().map(|e| (e.number.load(Relaxed), e.begun));
        record(&self.db, of, header, bytes);
    }

    /// It has begun or ended.
    #[cold]
    pub(super) fn tell_transaction(&self, event: Event) {
        let number = self.entry().map_or(0, |e| e.number.load(Relaxed));
        tell(event, &[self.db.id().0.into(), number.into()]);
    }
}
