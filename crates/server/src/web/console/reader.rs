//! Questions in T-SQL, answered as JSON.

use super::queries;
use super::tail::Tail;
use crate::errorlog::ErrorLog;
use parking_lot::{Mutex, MutexGuard};
use serde_json::{Number, Value as Json, json};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use taffrail_base::SqlError;
use taffrail_engine::{
    CancelHandle, ColumnDesc, ConnectOptions, Connection, ConnectionFate, Instance, ResultSink,
    SinkResult,
};
use taffrail_types::{SqlType, Value, text};

/// Rows of a result, each an array.
pub(super) type JsonRows = Vec<Json>;

/// A session of the console.
pub(super) struct Session(Connection);

impl Session {
    /// Opens one in the name of a login.
    pub(super) fn open(instance: &Arc<Instance>, login: &str) -> Result<Session, String> {
        let options = ConnectOptions {
            login: login.to_owned(),
            program_name: "Taffrail console".into(),
            database: Some("master".into()),
            client_net_address: "<local machine>".into(),
            ..ConnectOptions::default()
        };
        let mut session = Session(instance.connect(options).map_err(|e| e.message.clone())?);
        // It looks, and keeps nobody waiting.
        session.rows("SET NOCOUNT ON SET LOCK_TIMEOUT 1000 SET DEADLOCK_PRIORITY LOW")?;
        Ok(session)
    }

    /// One for what people write themselves: nothing is set that a client's would not have.
    pub(super) fn for_queries(instance: &Arc<Instance>, login: &str) -> Result<Session, String> {
        let options = ConnectOptions {
            login: login.to_owned(),
            program_name: "Taffrail console - Query".into(),
            client_net_address: "<local machine>".into(),
            odbc_defaults: true,
            ..ConnectOptions::default()
        };
        instance.connect(options).map(Session).map_err(|e| e.message.clone())
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
    pub(super) fn rows(&mut self, sql: &str) -> Result<JsonRows, String> {
        Ok(self.results(sql)?.pop().unwrap_or_default())
    }

    /// The rows of each statement that has any; the first error.
    pub(super) fn results(&mut self, sql: &str) -> Result<Vec<JsonRows>, String> {
        let mut heard = Heard::default();
        let fate = self.0.execute_batch(sql, &mut heard);
        match heard.error {
            Some(e) => Err(e),
            None if fate == ConnectionFate::Close => Err("The console's session was ended.".into()),
            None => Ok(heard.results),
        }
    }
}

/// Opens sessions for as long as nobody has said to stop; then the one that is open stops what it does.
#[derive(Default)]
pub(super) struct Opener {
    stopping: AtomicBool,
    last: Mutex<Option<CancelHandle>>,
}

impl Opener {
    pub(super) fn open(&self, instance: &Arc<Instance>, login: &str) -> Result<Session, String> {
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
    error: Option<String>,
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
            self.error = Some(message.message.clone());
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

/// How long a statement may take to stop when the server ends.
pub(super) const STOPS: Duration = Duration::from_secs(5);
/// Answers for as long as they are fresh, so that many viewers cost what one does.
const FRESH: Duration = Duration::from_millis(900);
/// Rows of a result that are kept: nothing that a page shows is longer.
const ROWS: usize = 5000;
/// Answers that are kept.
const KEPT: usize = 64;

/// Of what, and which.
type Answers = HashMap<(&'static str, u16), (Instant, Arc<str>)>;

/// One session for what is asked now and then.
pub(super) struct Reader {
    instance: Arc<Instance>,
    opener: Opener,
    /// With the login in whose name it is.
    session: Mutex<Option<(String, Session)>>,
    answers: Mutex<Answers>,
    log: Arc<ErrorLog>,
    tail: Mutex<Tail>,
}

impl Reader {
    pub(super) fn new(instance: Arc<Instance>, log: Arc<ErrorLog>) -> Reader {
        Reader {
            instance,
            opener: Opener::default(),
            session: Mutex::default(),
            answers: Mutex::default(),
            log,
            tail: Mutex::default(),
        }
    }

    /// Ends the session; what it does it stops, for which it has [`STOPS`].
    pub(super) fn stop(&self) {
        self.opener.stop();
        if let Some(mut session) = self.session.try_lock_for(STOPS) {
            session.take();
        }
    }

    /// Runs something in the session; one that has failed is not used again.
    fn with<R>(
        &self,
        login: &str,
        run: impl FnOnce(&mut Session) -> Result<R, String>,
    ) -> Result<R, String> {
        let mut session = self.session.lock();
        // What is done is done in the name of who asks.
        let (name, mut open) = match session.take().filter(|(name, _)| name == login) {
            Some(open) => open,
            None => (login.to_owned(), self.opener.open(&self.instance, login)?),
        };
        let result = run(&mut open);
        if result.is_ok() {
            *session = Some((name, open));
        }
        result
    }

    /// What the page of a log shows.
    pub(super) fn log(&self, login: &str, db: u16) -> Result<Arc<str>, String> {
        self.fresh(login, ("log", db), |session| {
            let state = session.rows(&queries::log_state(db))?;
            let vlfs = session.rows(&queries::vlfs(db))?;
            let growths = session.rows(&queries::growths(db))?;
            let holders = session.rows(&queries::log_holders(db))?;
            let state = state.first();
            Ok(json!({ "state": state, "vlfs": vlfs, "growths": growths, "holders": holders }))
        })
    }

    /// What a page shows that asks for rows of its own; none: there is no such page.
    pub(super) fn page(&self, login: &str, name: &str) -> Option<Result<Arc<str>, String>> {
        let (name, statements) = queries::page(name)?;
        Some(self.fresh(login, (name, 0), |session| {
            let mut answer = serde_json::Map::new();
            for (of, sql) in statements {
                let rows = match *of {
                    "errorLog" => self.tail()?.newest(),
                    "errors" => self.tail()?.errors(),
                    _ => session.rows(sql)?.into(),
                };
                answer.insert((*of).to_owned(), rows);
            }
            Ok(Json::Object(answer))
        }))
    }

    /// The end of the error log as it is now. The statements that the pages show have the same rows, by reading all of it.
    fn tail(&self) -> Result<MutexGuard<'_, Tail>, String> {
        let mut tail = self.tail.lock();
        let followed = tail.follow(&self.log);
        followed.map_err(|e| format!("The error log cannot be read: {e}."))?;
        Ok(tail)
    }

    /// An answer that is fresh, by a session or by somebody's question just now.
    fn fresh(
        &self,
        login: &str,
        of: (&'static str, u16),
        ask: impl FnOnce(&mut Session) -> Result<Json, String>,
    ) -> Result<Arc<str>, String> {
        let known = |answers: &Answers| {
            let (at, answer) = answers.get(&of)?;
            (at.elapsed() < FRESH).then(|| answer.clone())
        };
        if let Some(answer) = known(&self.answers.lock()) {
            return Ok(answer);
        }
        let answer: Arc<str> = self.with(login, ask)?.to_string().into();
        let mut answers = self.answers.lock();
        if answers.len() >= KEPT {
            answers.clear();
        }
        answers.insert(of, (Instant::now(), answer.clone()));
        Ok(answer)
    }

    /// The rows of a statement that no page shows.
    pub(super) fn ask(&self, login: &str, sql: &str) -> Result<JsonRows, String> {
        self.with(login, |session| session.rows(sql))
    }

    /// What the ring of an event session has; none: it has no ring, or does not run.
    pub(super) fn ring(&self, login: &str, session: &str) -> Result<Json, String> {
        let rows = self.with(login, |own| own.rows(&queries::ring(session)))?;
        Ok(json!({ "xml": rows.first().map(|row| row[0].clone()) }))
    }

    /// Starts or stops an event session.
    pub(super) fn event_session(&self, login: &str, name: &str, on: bool) -> Result<(), String> {
        self.with(login, |own| own.rows(&queries::event_session(name, on)).map(|_| ()))
    }

    /// KILL.
    pub(super) fn kill(&self, login: &str, session: u16) -> Result<(), String> {
        self.with(login, |own| own.rows(&format!("KILL {session}")).map(|_| ()))
    }
}
