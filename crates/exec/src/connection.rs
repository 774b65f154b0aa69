//! A connection: one session of one login. [`bulk`]: the rows that follow an INSERT BULK. `assess`: batches that are judged.

mod assess;
pub mod bulk;
mod gated;

use crate::exec::activation::Locals;
use crate::exec::interpret::{Flow, Interpreter, Unwind};
use crate::exec::module::Module;
use crate::exec::observer::{Outcome, Request};
use crate::exec::timing::{Began, COMPILED};
use crate::instance::Instance;
use crate::rpc::{RpcCall, TransactionRequest, TxIsolation};
use crate::session::promises::Promises;
use crate::session::{Isolation, Session, SetOptions};
use crate::sink::{Command, Done, DoneKind, EnvChange, ResultSink};
use gated::Gated;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use taffrail_base::{SessionId, SqlError};
use taffrail_observe::session::Status;

/// Whether the connection may go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ConnectionFate {
    /// The session is usable.
    Continue,
    /// A severity of 20 or more, a KILL, or a client that has gone: close the socket.
    Close,
}

/// Stops what a connection is doing. Cheap to clone, usable from any thread.
#[derive(Clone)]
pub struct CancelHandle {
    flag: Arc<AtomicBool>,
    storage: Arc<taffrail_storage::StorageInstance>,
    session: SessionId,
    entry: Arc<crate::session::entry::SessionEntry>,
}

impl CancelHandle {
    /// The running batch stops at its next check. Nothing happens if none runs: the flag is cleared when one begins.
    pub fn cancel(&self) {
        self.flag.store(true, Ordering::Release);
        self.storage.locks.cancel_session(self.session);
    }

    /// The same because the server stops: the client is told so (6005), and its connection ends.
    pub fn stop(&self) {
        self.entry.stop();
        self.storage.locks.cancel_session(self.session);
    }

    /// Whether what runs has been told to stop.
    pub fn is_cancelled(&self) -> bool {
        self.flag.load(Ordering::Acquire)
    }
}

/// One session.
pub struct Connection {
    pub(crate) session: Session,
    cancelled: bool,
}

impl Connection {
    pub(crate) fn new(session: Session) -> Connection {
        Connection { session, cancelled: false }
    }

    /// The session, for code that runs a statement of its own in it.
    pub fn session(&mut self) -> &mut Session {
        &mut self.session
    }

    /// `@@SPID`.
    pub fn session_id(&self) -> SessionId {
        self.session.id
    }

    /// The current database's name.
    pub fn database(&self) -> &str {
        &self.session.database.name
    }

    /// The current database's collation.
    pub fn collation(&self) -> taffrail_types::Collation {
        self.session.database.collation()
    }

    /// The session's language.
    pub fn language(&self) -> &'static str {
        self.session.activation.options.language.get().name
    }

    /// The instance this connection belongs to.
    pub fn instance(&self) -> &Arc<Instance> {
        &self.session.instance
    }

    /// For the thread that watches for attentions.
    pub fn cancel_handle(&self) -> CancelHandle {
        CancelHandle {
            flag: self.session.running.cancel.clone(),
            storage: self.session.instance.storage().clone(),
            session: self.session.id,
            entry: self.session.entry.clone(),
        }
    }

    /// Whether the last call was stopped by [`CancelHandle::cancel`]: the answer then ends with the attention's DONE.
    pub fn was_cancelled(&self) -> bool {
        self.cancelled
    }

    /// Called (from another thread) when the session is killed. Where it waits for its client, closes the socket; a request that
    /// runs ends by itself, and its client hears why (596).
    pub fn on_kill(&mut self, hook: Box<dyn Fn() + Send + Sync>) {
        self.session.entry.set_kill_hook(hook);
    }

    /// The commits that the session depends on, for a sink that is gated: see [`ResultSink::is_gated`].
    pub fn promises(&self) -> Arc<Promises> {
        self.session.promises.clone()
    }

    /// Runs `f` as a request: the thread works for the session, the cancel flag is clear at first.
    pub(crate) fn request(
        &mut self,
        sink: &mut dyn ResultSink,
        f: impl FnOnce(&mut Interpreter<'_>) -> Result<(), Unwind>,
    ) -> ConnectionFate {
        if sink.is_gated() {
            return self.run_request(sink, f);
        }
        let mut gated = Gated::new(sink, self.promises());
        let fate = self.run_request(&mut gated, f);
        gated.end(fate)
    }

    fn run_request(
        &mut self,
        sink: &mut dyn ResultSink,
        f: impl FnOnce(&mut Interpreter<'_>) -> Result<(), Unwind>,
    ) -> ConnectionFate {
        self.cancelled = false;
        self.session.promises.begins();
        self.session.running.cancel.store(false, Ordering::Release);
        self.session.entry.request_begins();
        if let Some(e) = self.session.entry.last_words(false) {
            self.session.instance.counters().told(e.severity);
            return last_words(sink, &e);
        }
        self.session.follow_databases();
        let cell = self.session.cell.clone();
        let _entered = taffrail_observe::SessionCell::enter(&cell);
        let limit = self.session.instance.query_memory_limit();
        let _memory = crate::memory::request(limit, self.session.held.cursors.kept());
        cell.set_status(Status::Running);
        let mut it = Interpreter::new(&mut self.session, sink);
        let result = f(&mut it);
        let fate = it.request_ends(result, &mut self.cancelled);
        cell.gather();
        self.session.entry.runs(None);
        let lasted = self.session.entry.request_ends();
        self.session.instance.counters().request_lasted(lasted);
        cell.set_status(Status::Sleeping);
        cell.set_command(taffrail_observe::session::Command::AwaitingCommand);
        self.session.publish();
        if let Some(e) = self.session.entry.last_words(self.cancelled) {
            // The client hears of this, and of no attention.
            self.cancelled = false;
            self.session.instance.counters().told(e.severity);
            return last_words(sink, &e);
        }
        fate
    }

    /// Runs a request that sessions of events want to know of.
    #[cold]
    fn watched(
        &mut self,
        sink: &mut dyn ResultSink,
        request: &Request<'_>,
        f: impl FnOnce(&mut Interpreter<'_>) -> Result<(), Unwind>,
    ) -> ConnectionFate {
        let observer = self.session.instance.observer();
        let cell = self.session.cell.clone();
        let _entered = taffrail_observe::SessionCell::enter(&cell);
        let before = observer.request_begins(&self.session, request);
        (self.session.running.errors_met, self.session.running.rows_done) = (0, 0);
        let fate = self.request(sink, f);
        let outcome = match self.session.running.errors_met {
            _ if self.cancelled => Outcome::Abort,
            0 => Outcome::Ok,
            _ => Outcome::Error,
        };
        let ended = (outcome, self.session.running.rows_done);
        observer.request_ended(&self.session, request, &before, ended);
        fate
    }

    /// Runs a batch.
    pub fn execute_batch(&mut self, text: &str, sink: &mut dyn ResultSink) -> ConnectionFate {
        self.execute_text(text.into(), sink)
    }

    /// Runs a batch whose text is not copied.
    pub fn execute_text(&mut self, text: Arc<str>, sink: &mut dyn ResultSink) -> ConnectionFate {
        self.session.held.load = None;
        self.session.entry.set_text(text.clone());
        self.session.instance.counters().batch_requests.inc();
        if !self.session.instance.observer().wants_requests() {
            return self.request(sink, |it| it.batch(&text));
        }
        let request = Request::Batch(&text);
        self.watched(sink, &request, |it| it.batch(&text))
    }

    /// Runs a remote call.
    pub fn execute_rpc(&mut self, call: RpcCall, sink: &mut dyn ResultSink) -> ConnectionFate {
        if let crate::rpc::RpcProcedure::Name(name) = &call.procedure {
            let (plain, _) = crate::exec::rpc::numbered(name);
            if plain.rsplit(['.', '[']).next().is_some_and(|n| {
                n.trim_end_matches(']').eq_ignore_ascii_case("sp_reset_connection")
            }) {
                let fate = self.reset(false, sink);
                let done = Done {
                    kind: DoneKind::Procedure,
                    command: Command::EXECUTE,
                    rows: None,
                    error: false,
                };
                return match sink.return_status(0).and_then(|()| sink.done(done)) {
                    Ok(()) => fate,
                    Err(_) => ConnectionFate::Close,
                };
            }
            self.session.entry.set_call(name);
        }
        if let crate::rpc::RpcProcedure::Id(number) = call.procedure {
            // Where the text stands among the parameters.
            let at = match number {
                10 => Some(0),
                11 | 13 => Some(2),
                14 => Some(1),
                _ => None,
            };
            let text = at.and_then(|n| call.params.get(n)).and_then(|p| p.value.as_text());
            self.session.entry.set_call(text.as_deref().unwrap_or_default());
        }
        self.session.instance.counters().batch_requests.inc();
        if !self.session.instance.observer().wants_requests() {
            return self.request(sink, |it| it.remote_call(call));
        }
        let (name, text) = self.session.instance.observer().call(&call);
        let request = Request::Call(&name, &text);
        self.watched(sink, &request, |it| it.remote_call(call))
    }

    /// Runs a transaction manager request.
    pub fn transaction_request(
        &mut self,
        request: TransactionRequest,
        sink: &mut dyn ResultSink,
    ) -> ConnectionFate {
        self.request(sink, |it| it.transaction_request(request))
    }

    /// Restores the state after login: options, database, temp tables and prepared statements gone, open transaction
    /// rolled back unless it is kept. Tells the sink `ResetAck` first.
    pub fn reset(&mut self, keep_transaction: bool, sink: &mut dyn ResultSink) -> ConnectionFate {
        self.session.instance.counters().resets.inc();
        self.request(sink, |it| it.reset(keep_transaction))
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let cell = self.session.cell.clone();
        let _entered = taffrail_observe::SessionCell::enter(&cell);
        self.session.running.cancel.store(false, Ordering::Release);
        self.session.instance.observer().session_ends(&self.session);
        self.session.end();
    }
}

/// The part of a default schema in the key of a text's plans; 0 for dbo.
fn key_of_schema(schema: Option<&str>) -> u32 {
    let Some(schema) = schema else { return 0 };
    // FNV-1a.
    let step = |hash: u32, b: u8| (hash ^ u32::from(b)).wrapping_mul(0x0100_0193);
    crate::catalog::fold(schema).bytes().fold(0x811c_9dc5, step)
}

/// What ends a request, and the connection with it.
fn last_words(sink: &mut dyn ResultSink, e: &SqlError) -> ConnectionFate {
    let done = Done { kind: DoneKind::Statement, command: Command::NONE, rows: None, error: true };
    // Who has gone needs no farewell.
    let _ = sink.message(e).and_then(|()| sink.done(done));
    ConnectionFate::Close
}

/// Swallows everything: for work that no client hears of.
pub(crate) struct NoSink;

impl ResultSink for NoSink {
    fn columns(&mut self, _: &[crate::sink::ColumnDesc]) -> crate::sink::SinkResult {
        Ok(())
    }
    fn row(&mut self, _: &[taffrail_types::Value]) -> crate::sink::SinkResult {
        Ok(())
    }
    fn message(&mut self, _: &SqlError) -> crate::sink::SinkResult {
        Ok(())
    }
}

impl Session {
    /// A text's module: from the cache, or compiled now.
    pub fn batch_module(
        &self,
        text: &Arc<str>,
        declarations: &str,
    ) -> Result<Arc<Module>, Vec<SqlError>> {
        let schema = self.default_schema();
        let options = self.activation.options.plan_key() ^ key_of_schema(schema.as_deref());
        let key = (self.database.catalog.opening(), options);
        let kept = self.instance.plans().text(key, text, declarations);
        if let Some(m) = kept.filter(|m| m.knows_its_types(self.id)) {
            return Ok(m);
        }
        self.instance.counters().compilations.inc();
        let mut module = if declarations.is_empty() {
            crate::exec::compile::batch(self, text)?
        } else {
            crate::exec::compile::parameterised(self, text, declarations)?
        };
        module.schema = schema;
        let module = Arc::new(module);
        self.instance.plans().add_text(key, declarations, module.clone());
        Ok(module)
    }

    /// Everything of the session goes away.
    fn end(&mut self) {
        let mut sink = NoSink;
        // A statement that panicked is inside no other any more.
        self.running.in_statement = false;
        // Nobody is left to hear of errors; storage has them in its own state.
        let _ = self.rollback_all(&mut sink);
        let mut it = Interpreter::new(self, &mut sink);
        let _ = it.drop_temp_tables();
        self.kept.app_locks.release_all();
        self.instance.session_ended(self.id);
    }
}

impl Interpreter<'_> {
    fn batch(&mut self, text: &Arc<str>) -> Result<(), Unwind> {
        let began = self.session.time();
        let module = match self.session.batch_module(text, "") {
            Ok(m) => m,
            Err(errors) => return self.tell_errors(errors),
        };
        // SET PARSEONLY and SET QUOTED_IDENTIFIER are obeyed when the batch is parsed, wherever in it they stand.
        if let Some(on) = module.parse_only {
            self.session.activation.options.parseonly = on;
        }
        if let Some(on) = module.quoted_identifier {
            self.session.activation.options.quoted_identifier = on;
        }
        if self.session.activation.options.parseonly {
            return Ok(());
        }
        let mut own = Locals::counting(module.clone());
        self.with_locals(&mut own, |it| it.run_batch(&module, began))
    }

    /// Runs a batch on the session's own activation.
    fn run_batch(&mut self, module: &Arc<Module>, began: Option<Began>) -> Result<(), Unwind> {
        let errors = self.check();
        let step = match errors.is_empty() {
            false => self.tell_errors(errors).map(|()| Flow::Return),
            true => self.tell_time(COMPILED, began).and_then(|()| {
                self.session.entry.runs(Some(module.clone()));
                self.list_or_document(module)
            }),
        };
        self.session.held.cursors.leave(0);
        let cleaned = self.drop_table_variables();
        match step {
            Ok(Flow::Goto(label)) => self.tell_errors(vec![*SqlError::new(133, &[&label])]),
            Ok(_) | Err(Unwind::Module) => match cleaned {
                Ok(()) => Ok(()),
                Err(e) => self.tell_errors(vec![*e]),
            },
            Err(other) => Err(other),
        }
    }

    /// Errors that keep a batch from running.
    fn tell_errors(&mut self, errors: Vec<SqlError>) -> Result<(), Unwind> {
        if let Some(last) = errors.last() {
            self.session.note_error(last.number);
        }
        for e in &errors {
            if let Some(unwind) = Unwind::of(e) {
                return Err(unwind);
            }
            self.session.tell_full(e);
            self.session.instance.observer().error(self.session, e, false);
            self.sink.message(e).map_err(|_| Unwind::Gone)?;
        }
        let done =
            Done { kind: DoneKind::Statement, command: Command::NONE, rows: None, error: true };
        self.sink.done(done).map_err(|_| Unwind::Gone)
    }

    /// What a request leaves behind is put in order.
    fn request_ends(&mut self, result: Result<(), Unwind>, cancelled: &mut bool) -> ConnectionFate {
        assert!(self.session.activation.is_at_rest(), "a module was entered and not left");
        self.session.running.in_statement = false;
        self.session.activation.last.set_error = None;
        let mut gone = false;
        match result {
            Ok(()) | Err(Unwind::Module | Unwind::Insert | Unwind::Batch) => {}
            // Nobody catches it here: it was meant for a TRY that has ended.
            Err(Unwind::Error(e) | Unwind::Caller(e)) => gone = self.sink.message(&e).is_err(),
            Err(Unwind::Cancelled) => {
                *cancelled = true;
                self.session.instance.counters().attentions.inc();
                self.session.instance.observer().cancelled(self.session);
            }
            Err(Unwind::Gone) => gone = true,
        }
        if self.session.transaction.count == 0 {
            // A statement that was cut short in autocommit.
            let _ = self.session.rollback_all(self.sink);
        } else if *cancelled && self.session.activation.options.xact_abort || gone {
            let _ = self.session.rollback_all(self.sink);
        }
        if self.session.transaction.doomed && self.session.transaction.count > 0 {
            let told = self.sink.message(&SqlError::new(3998, &[]).with_line(1));
            gone |= told.is_err();
            let _ = self.session.rollback_all(self.sink);
            let done =
                Done { kind: DoneKind::Statement, command: Command::NONE, rows: None, error: true };
            gone |= self.sink.done(done).is_err();
        }
        if gone || self.session.running.fatal {
            ConnectionFate::Close
        } else {
            ConnectionFate::Continue
        }
    }

    fn transaction_request(&mut self, request: TransactionRequest) -> Result<(), Unwind> {
        let told = self.session.instance.observer().manager_begins(self.session, &request);
        let (command, result) = match request {
            TransactionRequest::Begin { isolation, name } => {
                (Command::BEGIN_TRAN, self.begin_request(isolation, name))
            }
            TransactionRequest::Commit { name: _, then_begin } => {
                let mut r = self.session.commit_transaction(None, self.sink);
                if let (Ok(()), Some((isolation, name))) = (&r, then_begin) {
                    r = self.begin_request(isolation, name);
                }
                (Command::COMMIT, r)
            }
            TransactionRequest::Rollback { name, then_begin } => {
                let name = (!name.is_empty()).then_some(name);
                let mut r = self.session.rollback_transaction(name.as_deref(), self.sink);
                // Back to a savepoint ends nothing, so nothing begins.
                if r.is_ok()
                    && self.session.transaction.count == 0
                    && let Some((isolation, name)) = then_begin
                {
                    r = self.begin_request(isolation, name);
                }
                (Command::ROLLBACK, r)
            }
            TransactionRequest::Save { name } => {
                (Command::SAVE_TRAN, self.session.save_transaction(&name))
            }
        };
        if let Some(told) = told {
            told(self.session, result.is_ok());
        }
        let error = match result {
            Ok(()) => false,
            Err(e) => {
                self.session.tell_full(&e);
                self.session.note_error(e.number);
                self.session.instance.observer().error(self.session, &e, false);
                self.sink.message(&e.with_line(1)).map_err(|_| Unwind::Gone)?;
                true
            }
        };
        let done = Done { kind: DoneKind::Statement, command, rows: None, error };
        self.sink.done(done).map_err(|_| Unwind::Gone)
    }

    fn begin_request(
        &mut self,
        isolation: TxIsolation,
        name: String,
    ) -> taffrail_base::SqlResult<()> {
        match isolation {
            TxIsolation::Keep => {}
            TxIsolation::ReadUncommitted => {
                self.session.activation.options.isolation = Isolation::ReadUncommitted;
            }
            TxIsolation::ReadCommitted => {
                self.session.activation.options.isolation = Isolation::ReadCommitted
            }
            TxIsolation::RepeatableRead => {
                self.session.activation.options.isolation = Isolation::RepeatableRead;
            }
            TxIsolation::Serializable => {
                self.session.activation.options.isolation = Isolation::Serializable
            }
            TxIsolation::Snapshot => {
                self.session.activation.options.isolation = Isolation::Snapshot;
            }
        }
        let name = (!name.is_empty()).then_some(name);
        self.session.begin_transaction(name, self.sink)
    }

    fn reset(&mut self, keep_transaction: bool) -> Result<(), Unwind> {
        self.sink.env_change(EnvChange::ResetAck).map_err(|_| Unwind::Gone)?;
        if !keep_transaction {
            let _ = self.session.rollback_all(self.sink);
        }
        if let Err(e) = self.drop_temp_tables() {
            return self.tell_errors(vec![*e]);
        }
        if let Err(e) = self.session.contexts_end() {
            return self.tell_errors(vec![*e]);
        }
        let isolation = self.session.activation.options.isolation;
        self.session.activation.options =
            SetOptions { isolation, ..SetOptions::of_login(&self.session.client.language) };
        // sys.dm_exec_session_wait_stats begins anew with each use of a pooled connection.
        self.session.cell.clear_waits();
        self.session.held.prepared.clear();
        self.session.held.load = None;
        self.session.kept.app_locks.release_all();
        self.session.held.cursors = Default::default();
        self.session.kept.trace_flags.clear();
        self.session.activation.identity_insert = None;
        self.session.kept.identity = None;
        self.session.activation.last.scope_identity = None;
        self.session.kept.context_info = taffrail_types::Value::Null;
        self.session.kept.context.clear();
        self.session.note_error(0);
        self.session.activation.last.row_count = 0;
        let home = self.session.kept.home.clone();
        if self.session.database.id != home.id {
            let old = std::mem::replace(&mut self.session.database, home.clone());
            self.session.publish();
            let change = EnvChange::Database { new: home.name.clone(), old: old.name.clone() };
            self.sink.env_change(change).map_err(|_| Unwind::Gone)?;
            let now = home.collation();
            if now != old.collation() {
                self.sink.env_change(EnvChange::Collation(now)).map_err(|_| Unwind::Gone)?;
            }
        }
        Ok(())
    }

    fn drop_temp_tables(&mut self) -> taffrail_base::SqlResult<()> {
        let own = self.session.temp_tables().chain(&self.session.temps.orphans);
        let own = own.map(|t| t.object_id);
        let mut ids: Vec<_> = own.collect();
        // Somebody may have dropped one of these already.
        ids.append(&mut self.session.temps.global);
        if ids.is_empty() {
            return Ok(());
        }
        self.in_statement(|it| {
            for id in ids {
                crate::features::tables::drop_temp_table(&mut it.context(0), id)?;
            }
            Ok(())
        })
    }
}
