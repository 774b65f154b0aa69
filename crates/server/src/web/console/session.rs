//! Sessions of the console, each in the name of the login that asks: what it may see and do, the engine says to it as to any client.

use parking_lot::Mutex;
use serde_json::{Number, Value as Json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use taffrail_base::{SqlError, SqlResult};
use taffrail_engine::{
    CancelHandle, ColumnDesc, ConnectOptions, Connection, ConnectionFate, Instance, Login,
    ResultSink, SinkResult,
};
use taffrail_types::{SqlType, Value, text};

/// Rows of a result, each an array.
pub(super) type JsonRows = Vec<Json>;

/// Rows of a result that are kept: nothing that a page shows is longer.
const ROWS: usize = 5000;

/// Name and security identifier of a login: what is kept for it is nobody's who gets its name later.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::web) struct Account {
    pub(in crate::web) name: String,
    sid: Vec<u8>,
}

impl From<&Login> for Account {
    fn from(login: &Login) -> Account {
        Account { name: login.name.clone(), sid: login.sid.clone() }
    }
}

/// Why there are no rows: the words of the first error, and whether it refuses a permission.
#[derive(Clone, Debug)]
pub(in crate::web) struct Trouble {
    pub(in crate::web) text: String,
    pub(in crate::web) is_refusal: bool,
}

impl From<&str> for Trouble {
    fn from(text: &str) -> Trouble {
        Trouble { text: text.into(), is_refusal: false }
    }
}

impl From<String> for Trouble {
    fn from(text: String) -> Trouble {
        Trouble { text, is_refusal: false }
    }
}

impl From<&SqlError> for Trouble {
    /// Severity 14 is that of permissions; a few that refuse one have 16.
    fn from(e: &SqlError) -> Trouble {
        let is_refusal = e.severity == 14 || matches!(e.number, 297 | 15003 | 15247 | 9010 | 9011);
        Trouble { text: e.message.clone(), is_refusal }
    }
}

/// A session of the console.
pub(super) struct Session(Connection);

impl Session {
    /// Opens one in the name of a login.
    pub(super) fn open(instance: &Arc<Instance>, login: &str) -> Result<Session, Trouble> {
        let mut session = Session::connect(instance, login).map_err(|e| Trouble::from(&*e))?;
        // It looks, and keeps nobody waiting.
        session.rows("SET NOCOUNT ON SET LOCK_TIMEOUT 1000 SET DEADLOCK_PRIORITY LOW")?;
        Ok(session)
    }

    /// One in which nothing is set.
    pub(super) fn connect(instance: &Arc<Instance>, login: &str) -> SqlResult<Session> {
        let options = ConnectOptions {
            login: login.to_owned(),
            program_name: "Taffrail console".into(),
            database: Some("master".into()),
            client_net_address: "<local machine>".into(),
            ..ConnectOptions::default()
        };
        instance.connect(options).map(Session)
    }

    /// One for what people write themselves: nothing is set that a client's would not have.
    pub(super) fn for_queries(instance: &Arc<Instance>, login: &str) -> Result<Session, Trouble> {
        let options = ConnectOptions {
            login: login.to_owned(),
            program_name: "Taffrail console - Query".into(),
            client_net_address: "<local machine>".into(),
            odbc_defaults: true,
            ..ConnectOptions::default()
        };
        instance.connect(options).map(Session).map_err(|e| Trouble::from(&*e))
    }

    /// Runs a batch for whoever listens.
    pub(super) fn run(&mut self, sql: &str, sink: &mut dyn ResultSink) -> ConnectionFate {
        self.0.execute_batch(sql, sink)
    }

    /// Called when the session is killed; it ends when it is dropped, or with what runs.
    pub(super) fn on_kill(&mut self, hook: Box<dyn Fn() + Send + Sync>) {
        self.0.on_kill(hook);
    }

    pub(super) fn database(&self) -> &str {
        self.0.database()
    }

    /// `@@TRANCOUNT`, without a statement that would be the session's last one.
    pub(super) fn open_transactions(&self) -> u32 {
        let all = self.0.instance().sessions();
        let own = all.iter().find(|s| s.id == self.0.session_id());
        own.map_or(0, |s| s.cell.open_transaction_count.load(Ordering::Relaxed))
    }

    pub(super) fn was_cancelled(&self) -> bool {
        self.0.was_cancelled()
    }

    pub(super) fn cancel_handle(&self) -> CancelHandle {
        self.0.cancel_handle()
    }

    /// The rows of a statement; its first error.
    pub(super) fn rows(&mut self, sql: &str) -> Result<JsonRows, Trouble> {
        Ok(self.results(sql)?.pop().unwrap_or_default())
    }

    /// The rows of each statement that has any; the first error.
    pub(super) fn results(&mut self, sql: &str) -> Result<Vec<JsonRows>, Trouble> {
        let mut heard = Heard::default();
        let fate = self.0.execute_batch(sql, &mut heard);
        match heard.error {
            Some(e) => Err(e),
            None if fate == ConnectionFate::Close => Err("The console's session was ended.".into()),
            None => Ok(heard.results),
        }
    }

    /// Asks whether something may be seen that is taken from elsewhere: by a statement that reads it. An error: the refusal, or why there
    /// is no answer. A session that cannot say yes (it was killed, say) lets nobody see.
    pub(super) fn may(&mut self, sql: &str) -> Result<(), Trouble> {
        self.rows(sql).map(drop)
    }
}

/// Opens sessions for as long as nobody has said to stop; then the one that is open stops what it does.
#[derive(Default)]
pub(super) struct Opener {
    stopping: AtomicBool,
    last: Mutex<Option<CancelHandle>>,
}

impl Opener {
    pub(super) fn open(&self, instance: &Arc<Instance>, login: &str) -> Result<Session, Trouble> {
        let session = Session::open(instance, login)?;
        *self.last.lock() = Some(session.0.cancel_handle());
        // Looked at behind the handle, as `stop` sets it before: one of the two sees the other.
        match self.stopping.load(Ordering::SeqCst) {
            true => Err("The server is about to end.".into()),
            false => Ok(session),
        }
    }

    pub(super) fn stop(&self) {
        self.stopping.store(true, Ordering::SeqCst);
        if let Some(last) = self.last.lock().take() {
            last.stop();
        }
    }
}

#[derive(Default)]
struct Heard {
    types: Vec<SqlType>,
    results: Vec<JsonRows>,
    error: Option<Trouble>,
}

impl ResultSink for Heard {
    fn columns(&mut self, columns: &[ColumnDesc]) -> SinkResult {
        self.types = columns.iter().map(|c| c.ty).collect();
        self.results.push(Vec::new());
        Ok(())
    }

    fn row(&mut self, values: &[Value]) -> SinkResult {
        let cells = values.iter().zip(&self.types).map(|(v, ty)| cell(v, *ty));
        if let Some(rows) = self.results.last_mut().filter(|rows| rows.len() < ROWS) {
            rows.push(Json::Array(cells.collect()));
        }
        Ok(())
    }

    fn message(&mut self, message: &SqlError) -> SinkResult {
        if message.severity > 10 && self.error.is_none() {
            self.error = Some(message.into());
        }
        Ok(())
    }
}

/// Numbers as numbers, bits as true and false, all else as text.
fn cell(value: &Value, ty: SqlType) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Bit(b) => Json::Bool(*b),
        Value::Float(f) => Number::from_f64(*f).map_or(Json::Null, Json::Number),
        other => match other.as_i64() {
            Some(n) => n.into(),
            None => text::display(other, ty).into(),
        },
    }
}
