//! How a database closes, and its files go.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use taffrail_observe::xe;

use crate::closed_pages::ClosedPages;
use crate::database::Database;
use crate::error::{StorageError, StorageResult};
use crate::spec::CheckpointKind;

impl Database {
    /// Closes: a checkpoint, everything durable, pages out of the pool. Transactions must have ended. A suspect database is closed as it
    /// is: restart will find what its log says.
    pub fn close(self: &Arc<Self>) -> StorageResult<()> {
        self.close_after(Database::last_words)
    }

    /// As [`Self::close`], for a caller that copies its files then: where the log's VLF has grown
    /// long the log goes on in another, and there is less to copy; the pages that memory has of the
    /// data file stay until the copy is made.
    pub fn close_for_copy(self: &Arc<Self>) -> StorageResult<ClosedPages> {
        /// The bytes of a VLF that are copied rather than giving up its rest.
        const LONG: u64 = 2 << 20;
        let (closed, result) = self.close_keeping(true, true, |db| {
            db.log().leave_vlf(LONG);
            db.last_words()
        });
        // Made before the result is asked: what is in memory must go, whatever came of it.
        let pages = ClosedPages::of(self, closed);
        result.map(|()| pages)
    }

    fn last_words(self: &Arc<Self>) -> StorageResult<()> {
        self.checkpoint_alone(CheckpointKind::Close)?;
        self.flush_log()?;
        self.log().note_vlf_uses(1).map_err(|e| self.store.log_error(e))
    }

    /// As [`Self::close`], with other last words than a checkpoint. Nobody else checkpoints or
    /// ticks meanwhile.
    pub(crate) fn close_after(
        self: &Arc<Self>,
        last: impl FnOnce(&Arc<Database>) -> StorageResult<()>,
    ) -> StorageResult<()> {
        self.close_with(true, last)
    }

    /// The same; `anyway`: also if its last words fail. Otherwise it is open as before then, unless it is suspect.
    pub(crate) fn close_with(
        self: &Arc<Self>,
        anyway: bool,
        last: impl FnOnce(&Arc<Database>) -> StorageResult<()>,
    ) -> StorageResult<()> {
        self.close_keeping(anyway, false, last).1
    }

    /// The same; `keep`: its pages stay in memory. True: this call has closed it, and with `keep` is the one to discard them.
    fn close_keeping(
        self: &Arc<Self>,
        anyway: bool,
        keep: bool,
        last: impl FnOnce(&Arc<Database>) -> StorageResult<()>,
    ) -> (bool, StorageResult<()>) {
        let stopped = self.stopping.swap(true, Ordering::AcqRel);
        let mut recovering = self.recovering.lock();
        // Whoever waits for these finds the database closed: the files may be another handle's by then.
        let _no_tick = self.ticking.lock();
        let _no_checkpoint = self.lock_checkpoints();
        if self.closed.load(Ordering::Acquire) {
            return (false, Ok(()));
        }
        let result = match self.store.suspect_reason() {
            Some(_) => Ok(()),
            None if self.store.temporary => Ok(()),
            None => last(self),
        };
        if result.is_err() && !anyway {
            self.stopping.store(stopped, Ordering::Release);
            // Undo that was told to stop goes on.
            if !recovering.is_over() {
                self.unrecovered.store(true, Ordering::Release);
            }
            return (false, result);
        }
        // Behind the mutexes under which pages and boot page are written.
        self.store.with_writer_idle(|| {
            let _boot = self.boot.lock();
            self.store.mark_closed();
            self.closed.store(true, Ordering::Release);
        });
        // Locks of transactions that are not undone: who gets them now is told that the database is closed.
        recovering.let_go();
        // Who was quick enough to commit behind the last words has been told so. Before this he may append, after it he is refused: so no
        // commit is acknowledged and lost.
        let last = match self.store.suspect_reason() {
            None if !self.store.temporary => self.log().seal().map_err(|e| self.store.log_error(e)),
            _ => Ok(()),
        };
        let result = result.and(last);
        if xe::wanted(xe::Event::DatabaseStopped) {
            xe::tell(xe::Event::DatabaseStopped, &[self.id().0.into()]);
        }
        if let Some(pipeline) = self.pipeline.get() {
            self.instance.pipelines.closed(pipeline);
        }
        self.log().close();
        self.instance.pool.unregister(self.id());
        self.hobts.write().clear();
        // Before whoever waits goes on: pages of the next handle must not be among them.
        if !keep {
            self.instance.pool.discard(self.id());
        }
        (true, result)
    }

    /// Deletes the files of a closed database.
    pub fn delete_files(&self) -> StorageResult<()> {
        if !self.closed.load(Ordering::Acquire) {
            return Err(StorageError::Misuse("an open database's files are not deleted"));
        }
        let data = self.store.files().into_iter().map(|f| f.settings.lock().path.clone());
        let log = self.log().files().into_iter().map(|f| f.path);
        let paths: Vec<_> = data.chain(log).collect();
        let paths: Vec<_> = paths.iter().map(|path| path.as_path()).collect();
        crate::recovery::remove_files(&self.instance.env, &paths)
    }
}
