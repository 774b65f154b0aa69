//! `msdb.dbo.suspect_pages`: pages that were read and are not what was written, a row each, at most 1,000.
//!
//! | `event_type` | |
//! |---|---|
//! | 1 | message 823 of a read, or 824 for another reason than the checksum: the page says that it is another one |
//! | 2 | a bad checksum |
//! | 4 | its database was restored since |
//!
//! Storage remembers them ([`Database::take_suspect_pages`]); they are recorded when a statement has ended with 823 or 824, after a backup
//! and after a check. Rows of a database that is dropped go: its number will be another's. That msdb cannot be written is no error of
//! whoever met the page: the error log hears 4345.
//!
//! [`Database::take_suspect_pages`]: taffrail_storage::Database::take_suspect_pages

use super::{history, system};
use crate::instance::Instance;
use std::cell::Cell;
use std::fmt::Write;
use std::sync::Arc;
use taffrail_base::{DatabaseId, SqlError};
use taffrail_observe::{Event, EventRing};
use taffrail_storage::SuspectPage;

/// Rows of the table at most.
const ROWS_MAX: usize = 1000;
/// Pages recorded by one batch.
const AT_ONCE: usize = 50;
/// Whoever has met the page may hold locks in msdb that this would wait for.
const PREFIX: &str = "SET NOCOUNT ON SET XACT_ABORT ON SET LOCK_TIMEOUT 1000\n";

/// Records what has been met in every database that is open.
pub(crate) fn record(instance: &Arc<Instance>) {
    for slot in instance.databases().list() {
        let Some(database) = slot.database else { continue };
        record_of(instance, database.id, &database.storage.take_suspect_pages());
    }
}

/// Records pages of one database.
pub(super) fn record_of(instance: &Arc<Instance>, database: DatabaseId, pages: &[SuspectPage]) {
    for some in pages.chunks(AT_ONCE) {
        let mut batch = PREFIX.to_string();
        for s in some {
            let (id, file, page, n) = (database.0, s.page.file, s.page.page, s.times);
            let event = if s.checksum { 2 } else { 1 };
            write!(
                batch,
                "UPDATE dbo.suspect_pages
                 SET event_type = {event}, error_count = error_count + {n}, last_update_date = GETDATE()
                 WHERE database_id = {id} AND file_id = {file} AND page_id = {page}
                 IF @@ROWCOUNT = 0 AND (SELECT COUNT(*) FROM dbo.suspect_pages) < {ROWS_MAX}
                 INSERT dbo.suspect_pages VALUES ({id}, {file}, {page}, {event}, {n}, GETDATE())\n"
            )
            .expect("a String takes it");
        }
        run(instance, database, &batch);
    }
}

/// All pages of a database have come from a backup.
pub(super) fn restored(instance: &Arc<Instance>, database: DatabaseId) {
    let id = database.0;
    let batch = format!(
        "{PREFIX}UPDATE dbo.suspect_pages SET event_type = 4, last_update_date = GETDATE()
         WHERE database_id = {id} AND event_type IN (1, 2, 3)"
    );
    run(instance, database, &batch);
}

/// A database has been dropped.
pub(crate) fn forget(instance: &Arc<Instance>, database: DatabaseId) {
    let id = database.0;
    let batch = format!("{PREFIX}DELETE dbo.suspect_pages WHERE database_id = {id}");
    run(instance, database, &batch);
}

thread_local! {
    /// The table itself may lie on a damaged page: what its own statements meet is not recorded in turn.
    static RECORDING: Cell<bool> = const { Cell::new(false) };
}

fn run(instance: &Arc<Instance>, database: DatabaseId, batch: &str) {
    if RECORDING.replace(true) {
        return;
    }
    let mut done = system::run(instance, "msdb", &[batch]);
    if matches!(&done, Err(e) if e.number == 208) {
        done = history::create(instance).and_then(|()| system::run(instance, "msdb", &[batch]));
    }
    RECORDING.set(false);
    if let Err(e) = done {
        let text = format!("{} ({})", SqlError::new(4345, &[]).message, e.message);
        EventRing::global().push(Event::Backup { database, text, failed: true });
    }
}
