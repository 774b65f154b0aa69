//! A session: requests in, answers out, one at a time, on the session's own thread.

use crate::bulk::ChannelRows;
use crate::channel::{Channel, ChannelError};
use crate::errorlog::Level;
use crate::listener::Shared;
use crate::login::{self, NoSession};
use crate::output::Output;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use taffrail_base::SqlError;
use taffrail_engine::{
    Connection, ConnectionFate, Connectivity, ConnectivityKind, DisconnectFlags, Done, DoneKind,
    ResultSink, RpcCall, RpcParam, RpcProcedure, RpcTable, TransactionRequest, TxIsolation,
};
use taffrail_tds::request::{self, BeginSpec};
use taffrail_tds::tvp::{TableColumn, TableValue};
use taffrail_tds::{PacketType, ProtocolError, Reset, TdsVersion, rpc};

/// A request of a client, decoded.
enum Request {
    Batch(Arc<str>),
    Rpc(Vec<rpc::Call>),
    Transaction(request::TransactionRequest),
    /// Rows of an INSERT BULK: read while they are loaded.
    BulkLoad,
    Attention,
    /// The client gave it up while it was sending.
    Ignored,
    /// In order as a stream, but not to be run.
    Refused(DoneKind, Box<SqlError>),
}

/// From the first byte of a connection to its last.
pub(crate) fn run(shared: &Shared, id: u64, channel: &Arc<Channel>) {
    let mut output = Output::new(channel.clone(), shared.server_name.clone());
    let peer = channel.peer().ip();
    let came = Instant::now();
    let note = |session: u16, kind, flags, login_ms| {
        shared.instance.note_connectivity(Connectivity {
            kind,
            session,
            error: (0, 0),
            flags,
            local: channel.socket().local_addr().ok(),
            remote: channel.peer(),
            login_ms,
        });
    };
    let connection = match login::login(shared, id, channel, &mut output) {
        Ok(connection) => connection,
        Err(NoSession::Refused) => return channel.close(),
        // Port scanners and health checks open a connection and leave.
        Err(NoSession::Channel(ChannelError::Closed)) => return,
        Err(NoSession::Channel(e)) => {
            let text = format!(
                "The connection was closed before the login was complete: {e}. [CLIENT: {peer}]"
            );
            shared.log.write(Level::Warning, "Logon", &text);
            let ms = u32::try_from(came.elapsed().as_millis()).unwrap_or(u32::MAX);
            let flags = why(&e).and(DisconnectFlags::BEFORE_LOGIN);
            note(0, ConnectivityKind::Error, flags, ms);
            return channel.close();
        }
    };
    let spid = connection.session_id();
    // KILL and ROLLBACK IMMEDIATE end a session that waits for its client by ending the wait; a request says itself that it ends.
    let mut connection = connection;
    // The channel knows the session, which must not keep the channel, and with it the socket, for ever.
    let ended = Arc::downgrade(channel);
    let killed = Arc::new(AtomicBool::new(false));
    let kills = killed.clone();
    connection.on_kill(Box::new(move || {
        kills.store(true, Ordering::Relaxed);
        if let Some(channel) = ended.upgrade() {
            channel.end_session();
        }
    }));
    shared.watcher.add(id, channel.clone());
    let mut session = Session { shared, channel, output, connection, too_much: None };
    let end = session.serve();
    shared.watcher.remove(id);
    let source = crate::reporting::spid(spid);
    session.report_fatal(&source);
    match end {
        Ok(()) | Err(ChannelError::Closed) => {}
        Err(ref e) => {
            let text = format!("The connection was closed: {e}. [CLIENT: {peer}]");
            shared.log.write(Level::Warning, &source, &text);
            note(spid.0, ConnectivityKind::ConnectionClose, why(e), 0);
        }
    }
    if killed.load(Ordering::Relaxed) {
        note(spid.0, ConnectivityKind::ConnectionClose, DisconnectFlags::KILLED, 0);
    }
    // The transaction is rolled back and the locks are gone before the client sees the end of its connection.
    drop(session);
    match end {
        Err(ChannelError::TooMuch(_)) => channel.close_after_message(),
        _ => channel.close(),
    }
}

/// The reason why a channel has ended.
fn why(e: &ChannelError) -> DisconnectFlags {
    match e {
        ChannelError::Protocol(_) | ChannelError::Tls(_) => DisconnectFlags::BAD_STREAM,
        ChannelError::Closed | ChannelError::TimedOut | ChannelError::TooMuch(_) => {
            DisconnectFlags::READ_ERROR
        }
    }
}

struct Session<'a> {
    shared: &'a Shared,
    channel: &'a Arc<Channel>,
    output: Output,
    connection: Connection,
    /// Why rows of a bulk load were not taken.
    too_much: Option<ChannelError>,
}

impl Session<'_> {
    /// Writes the error that has ended the connection into the error log.
    fn report_fatal(&mut self, source: &str) {
        if let Some(fatal) = self.output.take_fatal() {
            for entry in crate::reporting::numbered(source, &fatal) {
                self.shared.log.write(entry.level, &entry.source, &entry.text);
            }
        }
    }

    /// Requests until the client or the server has enough.
    fn serve(&mut self) -> Result<(), ChannelError> {
        loop {
            let version = self.output.version();
            let message = self
                .channel
                .message(|message, data| (message.reset, decode(message, data, version)));
            if let Err(ChannelError::TooMuch(_)) = message {
                self.say_too_much();
                let _ = self.output.finish();
            }
            let (reset, request) = message?;
            let request = match request {
                Ok(request) => request,
                Err(e) => {
                    self.complain(&e);
                    let _ = self.output.finish();
                    return Err(e.into());
                }
            };
            // Before the look at the order to stop: one of the two sees the other.
            let _turn = self.channel.take_turn();
            if self.shared.is_stopping() {
                return Ok(());
            }
            if self.answer(reset, request)? == ConnectionFate::Close {
                return match self.too_much.take() {
                    Some(e) => Err(e),
                    None => Ok(()),
                };
            }
        }
    }

    /// Runs one request and sends its answer.
    fn answer(&mut self, reset: Reset, request: Request) -> Result<ConnectionFate, ChannelError> {
        if matches!(request, Request::Attention) {
            // It came too late for what it was meant to stop, but it must be acknowledged.
            self.output.acknowledge_attention().map_err(gone)?;
            return Ok(ConnectionFate::Continue);
        }
        let (mut fate, mut attention) = (ConnectionFate::Continue, false);
        if !matches!(request, Request::Ignored) {
            attention = self.channel.begin()?;
            if !attention {
                self.shared.watcher.wake();
                fate = self.execute(reset, request);
                attention = self.channel.end();
            }
        }
        self.output.finish().map_err(gone)?;
        if attention {
            self.output.acknowledge_attention().map_err(gone)?;
        }
        Ok(if self.output.is_fatal() { ConnectionFate::Close } else { fate })
    }

    fn execute(&mut self, reset: Reset, request: Request) -> ConnectionFate {
        let (connection, output) = (&mut self.connection, &mut self.output);
        if reset != Reset::No
            && connection.reset(reset == Reset::KeepTransaction, output) == ConnectionFate::Close
        {
            return ConnectionFate::Close;
        }
        match request {
            Request::Batch(text) => connection.execute_text(text, output),
            Request::Rpc(calls) => {
                let mut left = calls.len();
                for call in calls {
                    left -= 1;
                    output.set_more_calls(left > 0);
                    let fate = if call.skip {
                        let error = unsupported("a call that is marked not to be run");
                        refuse(output, DoneKind::Procedure, &error)
                    } else {
                        connection.execute_rpc(engine_call(call), output)
                    };
                    if fate == ConnectionFate::Close {
                        return fate;
                    }
                    if connection.was_cancelled() {
                        break;
                    }
                }
                output.set_more_calls(false);
                ConnectionFate::Continue
            }
            Request::Transaction(request) => {
                connection.transaction_request(engine_transaction(request), output)
            }
            Request::BulkLoad => {
                let cancel = connection.cancel_handle();
                let mut rows = ChannelRows::new(self.channel, cancel, output.version());
                let fate = connection.bulk_load(&mut rows, output);
                if rows.is_over() {
                    return fate;
                }
                self.too_much = rows.too_much();
                if self.too_much.is_some() {
                    self.say_too_much();
                }
                ConnectionFate::Close
            }
            Request::Refused(kind, error) => refuse(output, kind, &error),
            Request::Attention | Request::Ignored => ConnectionFate::Continue,
        }
    }

    /// The last words to a client that sends more than there is memory for.
    fn say_too_much(&mut self) {
        self.last_words(SqlError::new(701, &[&"default"]));
    }

    /// The last words to a client whose stream makes no sense.
    fn complain(&mut self, e: &ProtocolError) {
        let error = match e {
            ProtocolError::Truncated | ProtocolError::TooLong => SqlError::new(4002, &[]),
            _ => SqlError::new(4014, &[&0, &0]),
        };
        self.last_words(error);
    }

    /// Ends the answer, which is not sent yet.
    fn last_words(&mut self, error: Box<SqlError>) {
        // It may well not be listening any more.
        let _ = self.output.message(&error.with_severity(20));
        self.output.take_fatal();
    }
}

fn gone(_: taffrail_engine::ClientGone) -> ChannelError {
    ChannelError::Closed
}

/// An error, and the end of what it stands for.
fn refuse(output: &mut Output, kind: DoneKind, error: &SqlError) -> ConnectionFate {
    let done = Done { kind, command: taffrail_engine::Command::NONE, rows: None, error: true };
    match output.message(error).and_then(|()| output.done(done)) {
        Ok(()) => ConnectionFate::Continue,
        Err(_) => ConnectionFate::Close,
    }
}

fn unsupported(what: &str) -> Box<SqlError> {
    SqlError::new(401, &[&what])
}

/// A message's request. An error ends the connection.
fn decode(
    message: taffrail_tds::Message,
    data: &[u8],
    version: TdsVersion,
) -> Result<Request, ProtocolError> {
    if message.ignored {
        return Ok(Request::Ignored);
    }
    let (decoded, kind) = match message.kind {
        PacketType::Batch => (
            request::decode_batch(data, version).map(|text| Request::Batch(text.into())),
            DoneKind::Statement,
        ),
        PacketType::Rpc => (rpc::decode(data, version).map(Request::Rpc), DoneKind::Procedure),
        PacketType::TransactionManager => (
            request::TransactionRequest::decode(data, version).map(Request::Transaction),
            DoneKind::Statement,
        ),
        PacketType::Attention => (Ok(Request::Attention), DoneKind::Statement),
        PacketType::BulkLoad => (Ok(Request::BulkLoad), DoneKind::Statement),
        _ => return Err(ProtocolError::Malformed("a message that has no place in a session")),
    };
    match decoded {
        Err(ProtocolError::Unsupported(what)) => Ok(Request::Refused(kind, unsupported(what))),
        Err(ProtocolError::BadValue { ordinal, name, type_name }) => {
            Ok(Request::Refused(kind, SqlError::new(8023, &[&ordinal, &name, &type_name])))
        }
        other => other,
    }
}

fn engine_call(call: rpc::Call) -> RpcCall {
    RpcCall {
        procedure: match call.procedure {
            rpc::Procedure::Name(name) => RpcProcedure::Name(name),
            rpc::Procedure::Id(id) => RpcProcedure::Id(id),
        },
        params: call
            .params
            .into_iter()
            .map(|p| RpcParam {
                name: p.name,
                by_ref: p.by_ref,
                default: p.default,
                ty: p.ty,
                value: p.value,
                table: p.table.map(|t| Box::new(engine_table(*t))),
            })
            .collect(),
    }
}

fn engine_table(t: TableValue) -> RpcTable {
    let kinds = |c: Vec<TableColumn>| c.iter().map(|c| (!c.default).then_some(c.ty)).collect();
    let TableValue { schema, name, columns, order, rows } = t;
    RpcTable { schema, name, columns: columns.map(kinds), order, rows }
}

fn engine_transaction(request: request::TransactionRequest) -> TransactionRequest {
    let isolation = |byte: u8| match byte {
        1 => TxIsolation::ReadUncommitted,
        2 => TxIsolation::ReadCommitted,
        3 => TxIsolation::RepeatableRead,
        4 => TxIsolation::Serializable,
        5 => TxIsolation::Snapshot,
        _ => TxIsolation::Keep,
    };
    let begin = |spec: BeginSpec| (isolation(spec.isolation), spec.name);
    match request {
        request::TransactionRequest::Begin(spec) => {
            TransactionRequest::Begin { isolation: isolation(spec.isolation), name: spec.name }
        }
        request::TransactionRequest::Commit { name, begin: next } => {
            TransactionRequest::Commit { name, then_begin: next.map(begin) }
        }
        request::TransactionRequest::Rollback { name, begin: next } => {
            TransactionRequest::Rollback { name, then_begin: next.map(begin) }
        }
        request::TransactionRequest::Save { name } => TransactionRequest::Save { name },
    }
}
