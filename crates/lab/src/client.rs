//! A small blocking TDS client: what the benchmarks, the loads and the end-to-end tests need, and no more.
//!
//! It reads every result to its end before it sends the next request. Encryption is up to [`ConnectOptions`]; the
//! default is none, for servers on loopback.

pub mod bulk;
pub mod stream;
pub mod timed;
mod transport;
mod trust;

use self::transport::{Transport, Tunnel};
use std::fmt;
use std::io;
use std::net::TcpStream;
use std::time::Duration;
use taffrail_tds::login7::Login7;
use taffrail_tds::packet::{
    Framer, PACKET_BYTES_DEFAULT, PACKET_BYTES_MAX, PACKET_BYTES_MIN, PacketType,
};
use taffrail_tds::rpc::{self, Call, Param, Procedure};
use taffrail_tds::token::{DONE_COUNT, DONE_MORE, Token, TokenReader};
use taffrail_tds::{Reader, TdsVersion, request};
/// Values and their types.
pub use taffrail_types as types;
use taffrail_types::{MaxLen, SqlType, Value};

/// CurCmd of a SELECT.
const SELECT: u16 = 0xC1;
const VERSION: TdsVersion = TdsVersion::V7_4;
/// LOGIN7's TypeFlags: the session will only read.
const READ_ONLY_INTENT: u8 = 0x20;
/// LOGIN7's OptionFlags3: a new password comes along.
const CHANGES_PASSWORD: u8 = 0x01;
/// Sizes of a packet.
const PACKET_BYTES: std::ops::RangeInclusive<usize> = PACKET_BYTES_MIN..=PACKET_BYTES_MAX;

/// The encryption of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Encrypt {
    /// Never: a server that insists is an error.
    #[default]
    No,
    /// The login if the server can, everything if it insists.
    Optional,
    /// The login at least: a server that encrypts nothing gets no password.
    Login,
    /// Everything, or no connection.
    Yes,
}

/// Where and as whom to connect.
#[derive(Clone, Debug)]
pub struct ConnectOptions {
    /// Host name or address.
    pub host: String,
    /// The server's TCP port.
    pub port: u16,
    /// The name of the login.
    pub user: String,
    /// The password of the login.
    pub password: String,
    /// Database; empty for the login's default.
    pub database: String,
    /// The encryption that is asked for.
    pub encrypt: Encrypt,
    /// Whether any certificate is taken.
    pub trust_server_certificate: bool,
    /// Certificates to trust, in PEM; none: the system's.
    pub ca_file: Option<std::path::PathBuf>,
    /// Bytes per packet to ask for.
    pub packet_bytes: usize,
    /// The program's name in the views.
    pub application: String,
    /// This machine as the views show it.
    pub workstation: String,
    /// The host name that the certificate must bear; empty for that of `host`.
    pub host_in_certificate: String,
    /// The server's certificate itself, in PEM or DER: no other one is taken.
    pub pinned_certificate: Option<std::path::PathBuf>,
    /// Whether the login says ApplicationIntent=ReadOnly.
    pub read_only: bool,
    /// The password that the login is to have from now on.
    pub new_password: Option<String>,
    /// How long the connection and the login may take together.
    pub login_timeout: Option<Duration>,
}

impl Default for ConnectOptions {
    fn default() -> Self {
        ConnectOptions {
            host: "127.0.0.1".into(),
            port: 1433,
            user: "sa".into(),
            password: String::new(),
            database: String::new(),
            encrypt: Encrypt::No,
            trust_server_certificate: false,
            ca_file: None,
            packet_bytes: 8000,
            application: "taffrail-lab".into(),
            workstation: "localhost".into(),
            host_in_certificate: String::new(),
            pinned_certificate: None,
            read_only: false,
            new_password: None,
            login_timeout: None,
        }
    }
}

/// An ERROR or INFO token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerMessage {
    /// The message's number.
    pub number: i32,
    /// The message's severity.
    pub severity: u8,
    /// The message's state.
    pub state: u8,
    /// Line in the batch or procedure.
    pub line: u32,
    /// The message's text.
    pub message: String,
}

/// Why a request did not succeed.
#[derive(Debug)]
pub enum ClientError {
    /// The server said so; the connection goes on unless the severity is 20 or more. All errors of the request.
    Server(Vec<ServerMessage>),
    /// The connection is gone.
    Io(io::Error),
    /// The answer was not TDS.
    Protocol(String),
    /// The two sides do not encrypt alike. No password has gone out.
    Encryption(Disagreement),
}

/// Why two sides do not encrypt alike.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Disagreement {
    /// The server encrypts nothing, against [`Encrypt::Login`].
    EncryptsNothing,
    /// The server encrypts nothing, against [`Encrypt::Yes`].
    HasNone,
    /// The server encrypts at least the login, against [`Encrypt::No`].
    Insists,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Disagreement::EncryptsNothing => {
                "the server encrypts nothing, and whoever listens in would read the password"
            }
            Disagreement::HasNone => "the server has no encryption",
            Disagreement::Insists => "the server insists on encryption",
        })
    }
}

impl ClientError {
    /// The first error that the server sent, if it was the server's.
    pub fn server(&self) -> Option<&ServerMessage> {
        match self {
            ClientError::Server(messages) => messages.first(),
            _ => None,
        }
    }
}

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ClientError::Server(messages) => {
                for (i, m) in messages.iter().enumerate() {
                    let gap = if i > 0 { "; " } else { "" };
                    write!(
                        f,
                        "{gap}Msg {}, Level {}, State {}, Line {}: {}",
                        m.number, m.severity, m.state, m.line, m.message
                    )?;
                }
                Ok(())
            }
            ClientError::Io(e) => write!(f, "connection: {e}"),
            ClientError::Protocol(what) => write!(f, "protocol: {what}"),
            ClientError::Encryption(why) => write!(f, "{why}"),
        }
    }
}

impl std::error::Error for ClientError {}

impl From<io::Error> for ClientError {
    fn from(e: io::Error) -> Self {
        ClientError::Io(e)
    }
}

impl From<taffrail_tds::ProtocolError> for ClientError {
    fn from(e: taffrail_tds::ProtocolError) -> Self {
        ClientError::Protocol(format!("{e:?}"))
    }
}

type Result<T> = std::result::Result<T, ClientError>;

/// One result set, read to its end.
#[derive(Clone, Debug, Default)]
pub struct ResultSet {
    /// The columns' names.
    pub columns: Vec<String>,
    /// The columns' types.
    pub types: Vec<SqlType>,
    /// The rows, a value a column.
    pub rows: Vec<Vec<Value>>,
}

/// One thing that an answer holds.
#[derive(Clone, Debug)]
pub enum AnswerEvent {
    /// A result set begins (its rows follow).
    Columns(ResultSet),
    /// A row of it.
    Row(Vec<Value>),
    /// A statement ended, with its count if it has one. That of a SELECT without columns, which gave variables their values, is none
    /// of rows, as clients see it.
    Done(Option<u64>),
    /// An ERROR or INFO token.
    Message(ServerMessage),
    /// Return status of a procedure.
    Status(i32),
    /// An output parameter's value.
    Returned(Value),
}

/// Everything a request brought.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// Result sets in order.
    pub sets: Vec<ResultSet>,
    /// Informational messages in order.
    pub messages: Vec<ServerMessage>,
    /// Rows affected, one for each statement that counted.
    pub counts: Vec<u64>,
    /// Output parameters in order.
    pub returned: Vec<Value>,
    /// Return status of a procedure.
    pub status: Option<i32>,
}

impl Answer {
    /// Rows of the first result set, columns separated by `|`, rows by line ends.
    pub fn text(&self) -> String {
        let Some(set) = self.sets.first() else { return String::new() };
        let lines: Vec<String> = set
            .rows
            .iter()
            .map(|row| {
                let cells: Vec<String> =
                    row.iter().zip(&set.types).map(|(v, t)| display(v, *t)).collect();
                cells.join("|")
            })
            .collect();
        lines.join("\n")
    }

    /// The first value of the first row, as text; empty when there is none.
    pub fn first_value(&self) -> String {
        match self.sets.first().and_then(|s| Some((s.rows.first()?.first()?, *s.types.first()?))) {
            Some((value, ty)) => display(value, ty),
            None => String::new(),
        }
    }
}

/// A value as a person reads it.
pub fn display(value: &Value, ty: SqlType) -> String {
    use taffrail_types::convert::{Conversion, cast};
    match value {
        Value::Null => "NULL".into(),
        Value::VarChar(b) => taffrail_types::codepage::decode_1252(b),
        Value::NVarChar(b) => utf16(b),
        _ => match cast(
            value,
            ty,
            SqlType::NVarChar(MaxLen::N(4000)),
            Some(121),
            Conversion::Explicit,
        ) {
            Ok(Value::NVarChar(b)) => utf16(&b),
            _ => format!("{value:?}"),
        },
    }
}

fn utf16(bytes: &[u8]) -> String {
    let units: Vec<u16> = bytes.chunks_exact(2).map(|c| u16::from_le_bytes([c[0], c[1]])).collect();
    String::from_utf16_lossy(&units)
}

/// A prepared statement of this connection.
#[derive(Clone, Debug)]
pub struct Prepared {
    handle: i32,
    types: Vec<SqlType>,
}

/// A connection to a server.
pub struct Client {
    transport: Transport,
    transaction: u64,
    payload: Vec<u8>,
    packets: Vec<u8>,
    /// The packet size that the server has agreed to, in effect after the login.
    packet_bytes: usize,
    /// The answer that is read as it arrives, if one is under way.
    arriving: Option<stream::Arriving>,
}

impl Client {
    /// Connects and logs in.
    pub fn connect(options: &ConnectOptions) -> Result<Client> {
        let (transport, tunnel) = Transport::connect(options)?;
        let mut client = Client {
            transport,
            transaction: 0,
            payload: Vec::new(),
            packets: Vec::new(),
            packet_bytes: PACKET_BYTES_DEFAULT,
            arriving: None,
        };
        let login = Login7 {
            tds_version: VERSION.login_value(),
            packet_size: options.packet_bytes as u32,
            client_pid: std::process::id(),
            flags1: 0xE0,
            flags2: 0x03,
            type_flags: if options.read_only { READ_ONLY_INTENT } else { 0 },
            host_name: options.workstation.clone(),
            user_name: options.user.clone(),
            password: options.password.clone(),
            app_name: options.application.clone(),
            server_name: options.host.clone(),
            library_name: "taffrail".into(),
            database: options.database.clone(),
            flags3: if options.new_password.is_some() { CHANGES_PASSWORD } else { 0 },
            new_password: options.new_password.clone().unwrap_or_default(),
            ..Login7::default()
        };
        login.encode(&mut client.payload);
        client.send(PacketType::Login7)?;
        if tunnel == Tunnel::Login {
            client.transport.drop_tls();
        }
        client.answer()?;
        client.transport.set_deadline(None)?;
        Ok(client)
    }

    /// Runs a batch and throws its rows away; the counts of its statements.
    pub fn run(&mut self, sql: &str) -> Result<Vec<u64>> {
        Ok(self.query(sql)?.counts)
    }

    /// Runs a batch to its end.
    pub fn query(&mut self, sql: &str) -> Result<Answer> {
        request::encode_batch(sql, self.transaction, VERSION, &mut self.payload);
        self.send(PacketType::Batch)?;
        self.answer()
    }

    /// Prepares a statement with typed parameters (sp_prepare).
    pub fn prepare(&mut self, sql: &str, parameters: &[(&str, SqlType)]) -> Result<Prepared> {
        let declarations: Vec<String> =
            parameters.iter().map(|(name, ty)| format!("{name} {}", ty)).collect();
        let text = SqlType::NVarChar(MaxLen::Max);
        let by_ref = Param { by_ref: true, ..param("", SqlType::Int, Value::Null) };
        let answer = self.call(
            Procedure::Id(rpc::SP_PREPARE),
            vec![
                by_ref,
                param("", text, nvarchar(&declarations.join(", "))),
                param("", text, nvarchar(sql)),
                param("", SqlType::Int, Value::Int(1)),
            ],
        )?;
        match answer.returned.first() {
            Some(Value::Int(handle)) => {
                Ok(Prepared { handle: *handle, types: parameters.iter().map(|p| p.1).collect() })
            }
            other => Err(ClientError::Protocol(format!("sp_prepare returned {other:?}"))),
        }
    }

    /// Executes a prepared statement (sp_execute).
    pub fn execute(&mut self, statement: &Prepared, values: &[Value]) -> Result<Answer> {
        let mut parameters = vec![param("", SqlType::Int, Value::Int(statement.handle))];
        parameters
            .extend(statement.types.iter().zip(values).map(|(ty, v)| param("", *ty, v.clone())));
        self.call(Procedure::Id(rpc::SP_EXECUTE), parameters)
    }

    /// Calls a procedure and reads its answer.
    pub fn call(&mut self, procedure: Procedure, params: Vec<Param>) -> Result<Answer> {
        let call = Call { procedure, options: 0, params, skip: false };
        rpc::encode(&[call], self.transaction, [0; 5], VERSION, &mut self.payload)
            .map_err(|e| ClientError::Protocol(format!("parameter {}: {}", e.column, e.what)))?;
        self.send(PacketType::Rpc)?;
        self.answer()
    }

    /// The socket, for tests that misbehave.
    pub fn socket(&self) -> &TcpStream {
        self.transport.socket.plain()
    }

    /// Time spent in reads and writes of the socket since this was called last. The first call answers zero and begins to
    /// time them.
    pub fn waited(&mut self) -> Duration {
        self.transport.socket.waited()
    }

    fn send(&mut self, kind: PacketType) -> Result<()> {
        let mut framer = Framer::new(kind);
        framer.set_packet_bytes(self.packet_bytes);
        self.packets.clear();
        framer.frame(&self.payload, true, &mut self.packets);
        self.payload.clear();
        self.transport.write(&self.packets)?;
        Ok(())
    }

    /// Waits for an answer and sorts what it holds; errors of the server are the error.
    fn answer(&mut self) -> Result<Answer> {
        let mut answer = Answer::default();
        let mut errors = Vec::new();
        for event in self.receive_events()? {
            match event {
                AnswerEvent::Columns(set) => answer.sets.push(set),
                AnswerEvent::Row(row) => match answer.sets.last_mut() {
                    Some(set) => set.rows.push(row),
                    None => return Err(ClientError::Protocol("a row without columns".into())),
                },
                AnswerEvent::Done(count) => answer.counts.extend(count),
                AnswerEvent::Message(m) if m.severity > 10 => errors.push(m),
                AnswerEvent::Message(m) => answer.messages.push(m),
                AnswerEvent::Returned(value) => answer.returned.push(value),
                AnswerEvent::Status(status) => answer.status = Some(status),
            }
        }
        if errors.is_empty() { Ok(answer) } else { Err(ClientError::Server(errors)) }
    }

    /// Runs a batch; everything that it brings, errors among it, in order.
    pub fn events(&mut self, sql: &str) -> Result<Vec<AnswerEvent>> {
        request::encode_batch(sql, self.transaction, VERSION, &mut self.payload);
        self.send(PacketType::Batch)?;
        self.receive_events()
    }

    /// Waits for an answer and reads its tokens.
    fn receive_events(&mut self) -> Result<Vec<AnswerEvent>> {
        self.transport.receive()?;
        let mut tokens = TokenReader::new(VERSION);
        let mut reader = Reader::new(self.transport.assembler.data());
        let mut events = Vec::new();
        let (mut ended, mut columns_came) = (false, false);
        while let Some(token) = tokens.next(&mut reader)? {
            match token {
                Token::Columns(columns) => {
                    columns_came = true;
                    events.push(AnswerEvent::Columns(ResultSet {
                        types: columns.iter().map(|c| c.info.sql).collect(),
                        columns: columns.into_iter().map(|c| c.name).collect(),
                        rows: Vec::new(),
                    }));
                }
                Token::Row(row) => events.push(AnswerEvent::Row(row)),
                Token::Message { number, state, class, text, line, .. } => {
                    let message =
                        ServerMessage { number, severity: class, state, line, message: text };
                    events.push(AnswerEvent::Message(message));
                }
                Token::Done(done) => {
                    let counts = done.command != SELECT || columns_came;
                    let counted = done.status & DONE_COUNT != 0 && counts;
                    columns_came = false;
                    events.push(AnswerEvent::Done(counted.then_some(done.rows)));
                    ended = done.status & DONE_MORE == 0;
                }
                Token::ReturnStatus(status) => events.push(AnswerEvent::Status(status)),
                Token::ReturnValue { value, .. } => events.push(AnswerEvent::Returned(value)),
                Token::EnvChange { kind, data } => {
                    changed(&mut self.transaction, &mut self.packet_bytes, kind, &data)?;
                }
                _ => {}
            }
        }
        match ended {
            true => Ok(events),
            false => Err(ClientError::Protocol("the answer does not end with a final DONE".into())),
        }
    }
}

/// An ENVCHANGE: what of it the next request depends on.
fn changed(transaction: &mut u64, packet_bytes: &mut usize, kind: u8, data: &[u8]) -> Result<()> {
    match kind {
        8 if data.len() >= 9 => {
            let mut descriptor = [0; 8];
            descriptor.copy_from_slice(&data[1..9]);
            *transaction = u64::from_le_bytes(descriptor);
        }
        9 | 10 => *transaction = 0,
        4 => {
            // The negotiated packet size, in decimal text.
            let text = Reader::new(data).b_varchar()?;
            if let Some(n) = text.parse().ok().filter(|n| PACKET_BYTES.contains(n)) {
                *packet_bytes = n;
            }
        }
        _ => {}
    }
    Ok(())
}

fn param(name: &str, ty: SqlType, value: Value) -> Param {
    Param { name: name.into(), by_ref: false, default: false, ty, value, table: None }
}

fn nvarchar(text: &str) -> Value {
    Value::NVarChar(text.encode_utf16().flat_map(u16::to_le_bytes).collect())
}
