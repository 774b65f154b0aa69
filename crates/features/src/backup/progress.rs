//! How far a backup or restore has come: STATS messages, `percent_complete`, and the client's wish to stop.

use super::record;
use crate::database::Database;
use crate::session::context::StatementContext;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use taffrail_base::{PageId, SqlError, SqlResult};
use taffrail_observe::WaitType;
use taffrail_storage::backup::Watch;

/// The longest sleep between two looks at the cancel flag.
const NAP: Duration = Duration::from_millis(20);

/// Watches for one statement.
pub(super) struct Progress<'c, 's> {
    cx: &'c mut StatementContext<'s>,
    cancel: Arc<AtomicBool>,
    /// Percent between two messages; none: no messages.
    every: Option<u64>,
    next: u64,
    /// The client could not be told.
    lost: SqlResult<()>,
    /// What is backed up.
    database: Option<&'c Database>,
}

impl<'c, 's> Progress<'c, 's> {
    pub fn new(cx: &'c mut StatementContext<'s>, every: Option<u64>) -> Progress<'c, 's> {
        let cancel = cx.session.running.cancel.clone();
        cx.session.cell.percent_complete.store(0, Ordering::Relaxed);
        Progress { cx, cancel, every, next: every.unwrap_or(100), lost: Ok(()), database: None }
    }

    /// Of a backup of this database.
    pub fn of(self, database: &'c Database) -> Progress<'c, 's> {
        Progress { database: Some(database), ..self }
    }

    /// The end. What has succeeded is told to a client that hears it; what has not, because the client asked to stop or has gone, is no
    /// error of the backup's.
    pub fn finish(self, whole: bool) -> SqlResult<()> {
        self.cx.session.cell.percent_complete.store(0, Ordering::Relaxed);
        if whole {
            if self.every.is_some() && self.lost.is_ok() {
                // Who is not there will be missed by the next message: first, what was done is recorded.
                let _ = self.cx.message(SqlError::new(3211, &[&100]));
            }
            return Ok(());
        }
        self.lost?;
        self.cx.session.check_cancel()
    }
}

impl Watch for Progress<'_, '_> {
    fn progress(&mut self, done: u64, total: u64) {
        let hundredths = (done * 10_000 / total.max(1)).min(10_000) as u32;
        self.cx.session.cell.percent_complete.store(hundredths, Ordering::Relaxed);
        let percent = u64::from(hundredths) / 100;
        let Some(every) = self.every else { return };
        // The whole is told at the end, when it is.
        if percent < self.next || self.next >= 100 || self.lost.is_err() {
            return;
        }
        let mut told = Ok(());
        // One piece may be much of a small database: every step that it has taken is told.
        while percent >= self.next && self.next < 100 && told.is_ok() {
            told = self.cx.message(SqlError::new(3211, &[&self.next]));
            self.next += every;
        }
        let told = told
            .and_then(|()| self.cx.sink.flush().map_err(|_| taffrail_base::message::client_gone()));
        if told.is_err() {
            self.lost = told;
        }
    }

    fn damaged(&mut self, page: PageId, file: &Path) {
        if let Some(database) = self.database {
            record::damaged(database, page, file);
        }
    }

    fn cancelled(&mut self) -> bool {
        self.lost.is_err() || self.cancel.load(Ordering::Acquire)
    }

    fn pause(&mut self, rest: Duration) {
        let wait = taffrail_observe::wait(WaitType::BackupIo);
        let mut left = rest;
        while !left.is_zero() && !self.cancel.load(Ordering::Acquire) {
            let nap = left.min(NAP);
            std::thread::sleep(nap);
            left -= nap;
        }
        wait.finish();
    }
}
