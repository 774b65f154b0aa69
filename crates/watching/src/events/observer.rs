//! Sessions of events and the default trace, as the engine tells them what sessions do.

use super::{call, make_room_for_events, manager, tell, trace};
use crate::exec::module::{Module, Stmt};
use crate::exec::observer::{Before, ManagerEnd, Observer, Outcome, Request, Transaction};
use crate::features::server_observer::{Audit, FailedLogin, ServerObserver};
use crate::instance::Instance;
use crate::rpc::{RpcCall, TransactionRequest};
use crate::session::Session;
use taffrail_base::{DatabaseId, SqlError};
use taffrail_observe::Moment;
use taffrail_syntax::ast;

/// Tells the sessions of events and the default trace.
pub(super) struct Told;

impl Observer for Told {
    fn session_begins(&self, session: &Session) {
        tell::login(session);
    }

    fn session_ends(&self, session: &Session) {
        tell::logout(session);
    }

    fn wants_requests(&self) -> bool {
        tell::requests_wanted()
    }

    fn call(&self, call: &RpcCall) -> (String, String) {
        let name = tell::called(&call.procedure);
        let text = call::statement(call, &name);
        (call::object_name(&call.procedure, &name), text)
    }

    fn request_begins(&self, session: &Session, request: &Request<'_>) -> Before {
        tell::request_begins(session, request)
    }

    fn request_ended(
        &self,
        session: &Session,
        request: &Request<'_>,
        before: &Before,
        ended: (Outcome, u64),
    ) {
        tell::request_ended(session, request, before, ended);
    }

    fn cancelled(&self, session: &Session) {
        tell::attention(session);
    }

    fn manager_begins(
        &self,
        session: &Session,
        request: &TransactionRequest,
    ) -> Option<ManagerEnd> {
        let told = manager::begins(session, request)?;
        Some(Box::new(move |session, ok| told.ended(session, ok)))
    }

    fn wants_modules(&self) -> bool {
        tell::modules_wanted()
    }

    fn module_begins(&self, module: &Module) -> Moment {
        tell::module_begins(module)
    }

    fn module_ended(&self, session: &Session, module: &Module, began: Moment) {
        tell::module_ended(session, module, began);
    }

    fn statement_begins(&self, session: &Session, module: &Module, s: &Stmt) -> Option<Before> {
        tell::statement_begins(session, module, s)
    }

    fn statement_ended(&self, session: &Session, module: &Module, s: &Stmt, before: &Before) {
        tell::statement_ended(session, module, s, before);
    }

    fn registered_ran(
        &self,
        session: &Session,
        place: (&str, u32),
        statement: &ast::Statement,
        ok: bool,
    ) {
        trace::statement_ran(session, place, statement, ok);
    }

    fn transaction(&self, session: &Session, change: Transaction, savepoint: &str) {
        tell::transaction(session, change, savepoint);
    }

    fn error(&self, session: &Session, e: &SqlError, caught: bool) {
        tell::error(session, e, caught);
    }

    fn make_room(&self, session: &Session) {
        make_room_for_events(&session.instance);
    }
}

impl ServerObserver for Told {
    fn audited(&self, instance: &Instance, audit: &Audit<'_>) {
        trace::audited(instance, audit);
    }

    fn database_dropped(&self, instance: &Instance, id: DatabaseId, name: &str) {
        trace::database_dropped(instance, id, name);
    }

    fn error_log(&self, instance: &Instance, text: &str, error: Option<(i32, u8, u8)>) {
        trace::error_log(instance, text, error);
    }

    fn failed_login(&self, instance: &Instance, failed: &FailedLogin<'_>) {
        trace::failed_login(instance, failed);
    }
}
