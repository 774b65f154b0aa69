//! The sessions of an instance, as others see them: views, KILL, statements that need a database for themselves.

use crate::connection::ConnectOptions;
use parking_lot::{Mutex, RwLock};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU16, Ordering};
use taffrail_base::SessionId;
use taffrail_observe::{Counter, SessionCell};
use taffrail_types::Value;

/// Counters of an instance: what its sessions do.
#[derive(Default)]
#[allow(missing_docs)]
pub struct InstanceCounters {
    pub logins: Counter,
    pub logouts: Counter,
    pub resets: Counter,
    pub batch_requests: Counter,
    pub compilations: Counter,
    pub recompilations: Counter,
    pub attentions: Counter,
}

/// A session as others see it.
pub struct SessionEntry {
    /// `session_id`.
    pub id: SessionId,
    /// What it does and waits for.
    pub cell: Arc<SessionCell>,
    /// What its client said.
    pub client: ConnectOptions,
    /// datetime.
    pub login_time: Value,
    /// `connection_id`.
    pub connection_id: [u8; 16],
    text: Mutex<Arc<str>>,
    killed: AtomicBool,
    running: AtomicBool,
    pub(crate) cancel: Arc<AtomicBool>,
    kill_hook: Mutex<Option<Box<dyn Fn() + Send + Sync>>>,
}

impl SessionEntry {
    /// The text of the running or last batch.
    pub fn text(&self) -> Arc<str> {
        self.text.lock().clone()
    }

    pub(crate) fn set_text(&self, text: &str) {
        *self.text.lock() = text.into();
    }

    /// Whether a request runs.
    pub fn is_running(&self) -> bool {
        self.running.load(Ordering::Acquire)
    }

    pub(crate) fn request_begins(&self) {
        self.running.store(true, Ordering::Release);
        let now = taffrail_observe::Moment::now();
        self.cell.request_started.store(now.0, Ordering::Relaxed);
    }

    pub(crate) fn request_ends(&self) {
        self.running.store(false, Ordering::Release);
    }

    pub(crate) fn is_killed(&self) -> bool {
        self.killed.load(Ordering::Acquire)
    }

    pub(crate) fn set_kill_hook(&self, hook: Box<dyn Fn() + Send + Sync>) {
        *self.kill_hook.lock() = Some(hook);
    }

    /// The session ends: what it runs is cancelled, what it waits for from its client is cut.
    pub(crate) fn kill(&self) {
        self.killed.store(true, Ordering::Release);
        self.cancel.store(true, Ordering::Release);
        // An idle session without a transaction holds nothing: it is out of its database at once, and its next request
        // is refused. (A request says that it runs before it looks whether it was killed.)
        if !self.is_running() && self.cell.open_transaction_count.load(Ordering::Acquire) == 0 {
            self.cell.database_id.store(0, Ordering::Release);
        }
        if let Some(hook) = &*self.kill_hook.lock() {
            hook();
        }
    }
}

/// All sessions.
pub(crate) struct Sessions {
    list: RwLock<Vec<Arc<SessionEntry>>>,
    last: AtomicU16,
}

/// The first session of a user.
const FIRST: u16 = 51;

impl Default for Sessions {
    fn default() -> Sessions {
        Sessions { list: RwLock::default(), last: AtomicU16::new(FIRST - 1) }
    }
}

impl Sessions {
    /// A new session under the lowest free number; `None` when there is none left.
    pub fn add(
        &self,
        client: ConnectOptions,
        login_time: Value,
        connection_id: [u8; 16],
    ) -> Option<Arc<SessionEntry>> {
        let mut list = self.list.write();
        let mut id = FIRST;
        for s in list.iter() {
            if s.id.0 == id {
                id = id.checked_add(1)?;
            }
        }
        if id > 32_767 {
            return None;
        }
        self.last.fetch_max(id, Ordering::Relaxed);
        let cell = SessionCell::new(id);
        let entry = Arc::new(SessionEntry {
            id: SessionId(id),
            cancel: cell.cancel_flag().clone(),
            cell,
            client,
            login_time,
            connection_id,
            text: Mutex::new("".into()),
            killed: AtomicBool::new(false),
            running: AtomicBool::new(false),
            kill_hook: Mutex::new(None),
        });
        let at = list.partition_point(|s| s.id.0 < id);
        list.insert(at, entry.clone());
        Some(entry)
    }

    pub fn remove(&self, id: SessionId) {
        self.list.write().retain(|s| s.id != id);
    }

    pub fn list(&self) -> Vec<Arc<SessionEntry>> {
        self.list.read().clone()
    }

    pub fn get(&self, id: SessionId) -> Option<Arc<SessionEntry>> {
        self.list.read().iter().find(|s| s.id == id).cloned()
    }
}
