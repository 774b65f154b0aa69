//! What an instance cannot be without: master and tempdb. One that has become suspect while the instance runs is noticed by the recovery
//! writer, within a tenth of a second, and by whoever logs in.
//!
//! | lost | what happens |
//! |---|---|
//! | master | the instance is lost ([`Instance::lost`], message 3449): who runs it ends it, and the next start recovers master |
//! | tempdb | all sessions end, since what they have in it is gone, and it is made anew; where that fails, the same as for master |
//!
//! Nobody logs in between: whoever comes while tempdb is made anew waits for it.

use crate::instance::Instance;
use parking_lot::{Mutex, RwLock, RwLockReadGuard};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use taffrail_base::{DatabaseId, SqlError, SqlResult};
use taffrail_observe::{Event, EventRing, Whose};
use taffrail_storage::DatabaseState;

/// So long sessions may take to end before tempdb is made anew.
const SESSIONS_END: Duration = Duration::from_secs(10);

type Hook = Box<dyn FnOnce(&SqlError) + Send>;

/// See the module's text.
#[derive(Default)]
pub(crate) struct Lost {
    why: OnceLock<Box<SqlError>>,
    hook: Mutex<Option<Hook>>,
    /// Held by who logs in; exclusively by who makes tempdb anew.
    gate: RwLock<()>,
}

impl Instance {
    /// The instance has lost what it cannot be without, and must end: 3449.
    pub fn lost(&self) -> Option<&SqlError> {
        self.loss().why.get().map(|e| &**e)
    }

    /// What is to be done when that happens, once; at once if it has.
    pub fn when_lost(&self, hook: impl FnOnce(&SqlError) + Send + 'static) {
        *self.loss().hook.lock() = Some(Box::new(hook));
        self.tell_loss();
    }

    fn tell_loss(&self) {
        if let Some(e) = self.lost()
            && let Some(hook) = self.loss().hook.lock().take()
        {
            hook(e);
        }
    }

    fn lose(&self, database: DatabaseId) {
        self.loss().why.get_or_init(|| SqlError::new(3449, &[&database]));
        self.tell_loss();
    }

    fn is_suspect(&self, id: DatabaseId) -> bool {
        let database = self.databases().by_id(id);
        database.is_some_and(|d| matches!(d.storage.state(), DatabaseState::Suspect(_)))
    }

    /// For who logs in: 6005 when the instance is about to end. Nothing is made anew while the guard is held.
    pub(crate) fn enter(self: &Arc<Self>) -> SqlResult<RwLockReadGuard<'_, ()>> {
        loop {
            let entered = self.loss().gate.read();
            if self.lost().is_some() {
                return Err(SqlError::new(6005, &[]).with_severity(14));
            }
            if !self.is_suspect(DatabaseId(1)) && !self.is_suspect(DatabaseId(2)) {
                return Ok(entered);
            }
            drop(entered);
            // Here before the recovery writer.
            self.look_after_system_databases();
        }
    }

    /// Looks whether master and tempdb are whole.
    pub(crate) fn look_after_system_databases(self: &Arc<Self>) {
        if self.lost().is_some() {
            return;
        }
        if self.is_suspect(DatabaseId(1)) {
            return self.lose(DatabaseId(1));
        }
        if !self.is_suspect(DatabaseId(2)) {
            return;
        }
        let _nobody = self.loss().gate.write();
        // Who held it before may have done it.
        if self.lost().is_some() || !self.is_suspect(DatabaseId(2)) {
            return;
        }
        let tell = |text: String| {
            let database = Whose::new(DatabaseId(2), "tempdb");
            EventRing::global().push(Event::BackgroundError { database, text });
        };
        match self.remake_tempdb() {
            Ok(()) => tell("It was made anew. All sessions have been ended.".to_owned()),
            Err(why) => {
                tell(format!("It could not be made anew: {why}"));
                self.lose(DatabaseId(2));
            }
        }
    }

    fn remake_tempdb(self: &Arc<Self>) -> Result<(), String> {
        let until = Instant::now() + SESSIONS_END;
        loop {
            let left = self.sessions();
            if left.is_empty() {
                break;
            }
            if Instant::now() > until {
                return Err(format!("{} session(s) did not end.", left.len()));
            }
            // Again and again: the end of a session may have begun another, of the server's own.
            for session in left {
                self.kill_session(session.id);
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        self.databases().remake_tempdb().map_err(|e| e.message)?;
        self.adopt_databases();
        Ok(())
    }
}
