//! From the first byte to a session: PRELOGIN, TLS, LOGIN7, the answer.
//!
//! ```text
//!  0x12 PRELOGIN ─▶ clear | TLS for the login | TLS for good ─▶ LOGIN7 ─▶ session
//!  0x16 TLS first (TDS 8.0) ─▶ PRELOGIN inside ─────────────────▶ LOGIN7 ─▶ session
//!  0x10 LOGIN7 at once: clear text, where the policy allows it ───────────▶ session
//! ```
//!
//! A client learns as little as SQL Server tells it: a refused login is message 18456 state 1 after a delay, whatever
//! the reason; the reason is in the error log. What is no TDS ends the connection without a word.

use crate::admission::{Door, NoRoom};
use crate::authenticate::{
    Attempt, Known, Outsider, Presented, authenticate, change_password, note_refused,
};
use crate::channel::{Channel, ChannelError};
use crate::credentials::Asker;
use crate::errorlog::Level;
use crate::listener::Shared;
use crate::output::Output;
use crate::permits::Origin;
use crate::settings::TlsPolicy;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};
use taffrail_base::{SqlError, SqlResult};
use taffrail_engine::{
    ConnectOptions, Connection, Connectivity, ConnectivityKind, DisconnectFlags, EnvChange,
    ResultSink,
};
use taffrail_tds::login7::{FEATURE_UTF8, Login7};
use taffrail_tds::packet::{PACKET_BYTES_DEFAULT, PACKET_BYTES_MAX, PACKET_BYTES_MIN};
use taffrail_tds::prelogin::{self, EncryptionPolicy, Negotiated, Prelogin};
use taffrail_tds::token::{self, encode};
use taffrail_tds::{Framer, PacketType, ProtocolError, TdsVersion};

/// From accept to the session.
const LOGIN_TIMEOUT: Duration = Duration::from_secs(15);
/// With TLS a packet stays within one TLS record.
const PACKET_BYTES_TLS_MAX: usize = 16_383;
const TLS_CLIENT_HELLO: u8 = 0x16;
/// The name of the program, which every client library that asks looks for.
const PROGRAM: &str = "Microsoft SQL Server";

/// Why there is no session.
pub(crate) enum NoSession {
    /// Bytes or silence; logged, not answered.
    Channel(ChannelError),
    /// Refused; it is answered and logged already.
    Refused,
}

impl From<ChannelError> for NoSession {
    fn from(e: ChannelError) -> Self {
        NoSession::Channel(e)
    }
}

impl From<ProtocolError> for NoSession {
    fn from(e: ProtocolError) -> Self {
        NoSession::Channel(e.into())
    }
}

/// How the login's bytes travel.
struct Way {
    login: Login7,
    encrypted: bool,
    strict: bool,
}

/// Takes a connection through the login. The answer has been sent when this returns, also that of a refused login.
pub(crate) fn login(
    shared: &Shared,
    id: u64,
    channel: &Arc<Channel>,
    output: &mut Output,
) -> Result<Connection, NoSession> {
    let came = Instant::now();
    channel.set_login_deadline(came + LOGIN_TIMEOUT);
    let Way { login, encrypted, strict } = reach_login7(shared, channel)?;
    let version = if strict {
        TdsVersion::V8_0
    } else {
        TdsVersion::negotiate(login.tds_version)
            .ok_or(ProtocolError::Malformed("a TDS version before 7.1"))?
    };
    output.set_version(version);

    let refuse = |output: &mut Output, errors: &[Box<SqlError>], state: u8, reason: &str| {
        let number = errors.last().map_or(18456, |e| e.number);
        let who = Outsider {
            from: channel.peer().ip(),
            login: &login.user_name,
            host: &login.host_name,
            program: &login.app_name,
            process: login.client_pid,
        };
        note_refused(shared, &who, (number, state), reason);
        shared.instance.note_connectivity(Connectivity {
            kind: ConnectivityKind::Error,
            session: 0,
            error: (number, state),
            flags: DisconnectFlags::BEFORE_LOGIN,
            local: channel.socket().local_addr().ok(),
            remote: channel.peer(),
            login_ms: u32::try_from(came.elapsed().as_millis()).unwrap_or(u32::MAX),
        });
        for error in errors {
            // A client that has gone away needs no answer.
            let _ = output.message(error);
        }
        let failed = encode_failed_done(output.version());
        output.tokens().extend_from_slice(&failed);
        let _ = output.end_raw();
        NoSession::Refused
    };
    let login_failed = || SqlError::new(18456, &[&login.user_name, &"", &""]);

    if login.is_integrated() {
        let e = SqlError::new(18452, &[&""]);
        return Err(refuse(output, &[e], 1, "Integrated authentication is not supported."));
    }
    let origin = match shared.connections.door(id) {
        Door::Admin => Origin::Admin,
        Door::Main => Origin::of(channel.peer().ip()),
    };
    let asker = Asker { origin, has_gone: &|| channel.has_gone() };
    let from = channel.peer().ip();
    let given = Presented {
        from,
        name: &login.user_name,
        password: &login.password,
        database: &login.database,
        changes: login.changes_password(),
    };
    let known = match authenticate(shared, asker, &given) {
        Attempt::Right(principal) => Known::Login(principal),
        Attempt::Contained(user) => Known::Contained(user),
        Attempt::Gone => return Err(ChannelError::Closed.into()),
        Attempt::Refused(r) => {
            thread::sleep(r.until.saturating_duration_since(Instant::now()));
            let e = SqlError::new(r.number, &[&login.user_name, &"", &""]);
            return Err(refuse(output, &[e], r.state, &r.reason));
        }
    };
    if given.changes
        && let Err((e, reason)) =
            change_password(shared, &login.user_name, &login.new_password, &known)
    {
        return Err(refuse(output, &[e], 1, reason));
    }
    match shared.connections.log_in(id) {
        Ok(()) => {}
        Err(NoRoom::Full) => {
            let max = shared.settings.max_connections;
            let whose = " (The setting is max_connections.)";
            let e = SqlError::new(17809, &[&max, &whose]).with_severity(20);
            return Err(refuse(output, &[e], 1, "All user connections are in use."));
        }
        Err(NoRoom::AdminTaken) => {
            let e = SqlError::new(17810, &[&1, &""]);
            return Err(refuse(output, &[e], 1, "The admin connection is in use."));
        }
        Err(NoRoom::Cut) => return Err(ChannelError::Closed.into()),
    }

    // Open the session.
    let ceiling = if encrypted { PACKET_BYTES_TLS_MAX } else { PACKET_BYTES_MAX };
    let packet_bytes = match login.packet_size as usize {
        0 => PACKET_BYTES_DEFAULT,
        asked => asked.clamp(PACKET_BYTES_MIN, ceiling),
    };
    let options = ConnectOptions {
        login: known.principal().name.to_string(),
        login_id: 0,
        authenticating_database: 0,
        host_name: login.host_name.clone(),
        program_name: login.app_name.clone(),
        client_interface: login.library_name.clone(),
        client_pid: login.client_pid,
        database: Some(login.database.clone()).filter(|d| !d.is_empty()),
        client_net_address: from.to_string(),
        encrypted,
        tds_version: version.login_value(),
        packet_size: packet_bytes as u32,
        language: login.language.clone(),
        odbc_defaults: login.wants_ansi_defaults(),
    };
    let connected = match &known {
        Known::Login(_) => connect(shared, options, &login),
        Known::Contained(user) => {
            shared.instance.connect_contained(options, user).map(|c| (c, None))
        }
    };
    let (connection, elsewhere) = match connected {
        Ok(opened) => opened,
        // The server is about to end: nothing is wrong with the login.
        Err(e) if e.number == 6005 => {
            return Err(refuse(output, &[e], 1, "The server is shutting down."));
        }
        Err(e) if e.number == 18456 => {
            let reason = "Login-based server access validation failed.";
            return Err(refuse(output, &[login_failed()], 12, reason));
        }
        Err(e) if e.number == 4064 => {
            let reason = "Failed to open the database specified in the login properties.";
            return Err(refuse(output, &[e, login_failed()], 40, reason));
        }
        Err(e) => {
            let reason =
                format!("Failed to open the explicitly specified database '{}'.", login.database);
            return Err(refuse(output, &[e, login_failed()], 38, &reason));
        }
    };
    output.set_spid(connection.session_id().0);
    output.set_promises(connection.promises());
    if let Some(e) = elsewhere {
        // A client that has gone away is met by what follows.
        let _ = output.message(&e);
    }
    answer(output, &login, &connection, version, packet_bytes)?;
    let received = shared.received.clone();
    channel.logged_in(connection.cancel_handle(), received).map_err(ChannelError::from)?;
    Ok(connection)
}

/// Opens a login's session. A named database that cannot be opened refuses the login (4060) where the client needs it. Else the
/// session begins in the login's own (4063) or in master (4061), and the client is told.
fn connect(
    shared: &Shared,
    options: ConnectOptions,
    login: &Login7,
) -> SqlResult<(Connection, Option<Box<SqlError>>)> {
    let refused = match shared.instance.connect(options.clone()) {
        Err(e) if e.number == 4060 && !login.needs_database() => e,
        opened => return opened.map(|c| (c, None)),
    };
    let named = &login.database;
    match shared.instance.connect(ConnectOptions { database: None, ..options.clone() }) {
        Ok(c) => {
            let own = c.database().to_string();
            Ok((c, Some(SqlError::new(4063, &[named, &own]))))
        }
        Err(e) if e.number == 4064 => {
            let master = ConnectOptions { database: Some("master".into()), ..options };
            match shared.instance.connect(master) {
                Ok(c) => Ok((c, Some(SqlError::new(4061, &[named])))),
                Err(_) => Err(refused),
            }
        }
        Err(e) => Err(e),
    }
}

/// The DONE of a refused login.
fn encode_failed_done(version: TdsVersion) -> Vec<u8> {
    let mut out = Vec::new();
    let status = token::DONE_ERROR;
    let done = token::DoneToken { kind: token::DoneKind::Statement, status, command: 0, rows: 0 };
    encode::done(&mut out, &done, version);
    out
}

/// Everything before LOGIN7, and LOGIN7.
fn reach_login7(shared: &Shared, channel: &Channel) -> Result<Way, NoSession> {
    let loopback = channel.peer().ip().to_canonical().is_loopback();
    let policy = match shared.settings.tls {
        TlsPolicy::Off => EncryptionPolicy::Off,
        TlsPolicy::Optional => EncryptionPolicy::Optional,
        TlsPolicy::RequiredOffLoopback if loopback => EncryptionPolicy::Optional,
        TlsPolicy::RequiredOffLoopback => EncryptionPolicy::Required,
    };
    let tls = shared.tls();
    let tls = tls.as_ref();
    let mut strict = false;
    if channel.first_byte()? == TLS_CLIENT_HELLO {
        let tls = tls.ok_or(ProtocolError::Malformed("TLS is switched off"))?;
        channel.handshake_on_socket(tls.strict.clone())?;
        strict = true;
    }
    let first = channel.message(|message, data| match message.kind {
        PacketType::Prelogin => Prelogin::decode(data).map(First::Prelogin),
        PacketType::Login7 => Login7::decode(data).map(|login| First::Login(Box::new(login))),
        _ => Err(ProtocolError::Malformed("neither PRELOGIN nor LOGIN7 first")),
    })??;
    let prelogin = match first {
        First::Prelogin(prelogin) => prelogin,
        First::Login(login) if strict => return Ok(Way { login: *login, encrypted: true, strict }),
        // jTDS: no PRELOGIN, so no TLS.
        First::Login(login) if policy != EncryptionPolicy::Required => {
            return Ok(Way { login: *login, encrypted: false, strict });
        }
        First::Login(_) => {
            shared.log.write(
                Level::Warning,
                "Logon",
                &format!(
                    "{} [CLIENT: {}]",
                    SqlError::new(17835, &[&""]).message,
                    channel.peer().ip()
                ),
            );
            return Err(NoSession::Refused);
        }
    };
    let (encryption, negotiated) = if strict {
        (prelogin.encryption, Negotiated::Full)
    } else {
        prelogin::negotiate(prelogin.encryption, policy)
    };
    let ours =
        prelogin.instance.is_empty() || prelogin.instance.eq_ignore_ascii_case("MSSQLServer");
    let answer = Prelogin {
        version: crate::PRODUCT_VERSION,
        encryption,
        instance: if ours { String::new() } else { "\u{1}".into() },
        fed_auth: prelogin.fed_auth.map(|_| 0),
        ..Prelogin::default()
    };
    let (mut data, mut packets) = (Vec::new(), Vec::new());
    answer.encode(true, &mut data);
    Framer::new(PacketType::Response).frame(&data, true, &mut packets);
    channel.send(&packets)?;
    match (negotiated, strict) {
        (Negotiated::Refused, _) => {
            let text = match policy {
                EncryptionPolicy::Off => {
                    "The client requires encryption, which is switched off.".into()
                }
                _ => SqlError::new(17835, &[&""]).message,
            };
            let ip = channel.peer().ip();
            shared.log.write(Level::Warning, "Logon", &format!("{text} [CLIENT: {ip}]"));
            return Err(NoSession::Refused);
        }
        (Negotiated::LoginOnly | Negotiated::Full, false) => {
            let tls = tls.ok_or(ProtocolError::Malformed("TLS is switched off"))?;
            channel.handshake_in_packets(tls.wrapped.clone())?;
        }
        _ => {}
    }
    let login = channel.message(|message, data| match message.kind {
        PacketType::Login7 => Login7::decode(data),
        _ => Err(ProtocolError::Malformed("LOGIN7 expected")),
    })??;
    if negotiated == Negotiated::LoginOnly {
        channel.drop_tls();
    }
    Ok(Way { login, encrypted: negotiated == Negotiated::Full, strict })
}

enum First {
    Prelogin(Prelogin),
    Login(Box<Login7>),
}

/// The login's answer, in the order that every client accepts.
fn answer(
    output: &mut Output,
    login: &Login7,
    connection: &Connection,
    version: TdsVersion,
    packet_bytes: usize,
) -> Result<(), NoSession> {
    let gone = |_| NoSession::Channel(ChannelError::Closed);
    let database = connection.database().to_string();
    let changed = SqlError::new(5701, &[&database]).with_state(2).with_severity(0);
    let language = SqlError::new(5703, &[&connection.language()]).with_severity(0);
    output
        .env_change(EnvChange::Database { new: database, old: "master".into() })
        .and_then(|()| output.message(&changed))
        .and_then(|()| output.env_change(EnvChange::Collation(connection.collation())))
        .and_then(|()| {
            output.env_change(EnvChange::Language {
                new: connection.language().into(),
                old: String::new(),
            })
        })
        .and_then(|()| output.message(&language))
        .map_err(gone)?;
    let tokens = output.tokens();
    encode::login_ack(tokens, version, PROGRAM, crate::PRODUCT_VERSION);
    encode::env_change(tokens, &encode::EnvChange::PacketSize(packet_bytes, PACKET_BYTES_DEFAULT));
    if login.asks_for(FEATURE_UTF8) {
        encode::feature_ext_ack(tokens, &[(FEATURE_UTF8, &[1])]);
    }
    output.finish().map_err(gone)?;
    // The negotiated size starts with the message after this one.
    output.set_packet_bytes(packet_bytes);
    Ok(())
}
