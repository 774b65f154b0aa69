//! The server as a client meets it: a small TDS client over loopback against a server in this process.

use crate::support;

use std::io::Write;
use std::net::{SocketAddr, TcpStream};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};
use support::{Client, PASSWORD, errors, start, tls};
use taffrail_server::Server;
use taffrail_tds::packet::{END_OF_MESSAGE, RESET_CONNECTION};
use taffrail_tds::prelogin::Encryption;
use taffrail_tds::token::{DONE_ATTENTION, DONE_ERROR, Token};
use taffrail_tds::{Framer, PacketType, TdsVersion, request};

/// One server for most tests of this file; it ends with the process.
fn server() -> SocketAddr {
    static SERVER: OnceLock<(Mutex<Server>, SocketAddr)> = OnceLock::new();
    let started = SERVER.get_or_init(|| {
        let server = start("wire", 1000);
        let address = server.address();
        (Mutex::new(server), address)
    });
    started.1
}

fn connect() -> Client {
    Client::connect_to(server())
}

/// A session in clear text.
fn session() -> Client {
    let mut client = connect();
    assert_eq!(client.prelogin(Encryption::NotSupported), Encryption::NotSupported);
    client.log_in(4096);
    client
}

#[test]
fn clear_login_only_and_full_encryption() {
    session().is_usable();

    let mut client = connect();
    assert_eq!(client.prelogin(Encryption::Off), Encryption::Off);
    client.handshake();
    client.send_login("sa", PASSWORD, "", 4096);
    // LOGIN7 alone was encrypted.
    client.tls = None;
    assert!(client.tokens().iter().any(|t| matches!(t, Token::LoginAck { .. })));
    client.is_usable();

    let mut client = connect();
    assert_eq!(client.prelogin(Encryption::On), Encryption::On);
    client.handshake();
    client.log_in(4096);
    client.is_usable();
}

#[test]
fn every_version_and_login7_without_prelogin() {
    for version in
        [TdsVersion::V7_1, TdsVersion::V7_2, TdsVersion::V7_3A, TdsVersion::V7_3B, TdsVersion::V7_4]
    {
        let mut client = connect();
        client.version = version;
        client.log_in(4096);
        client.is_usable();
    }
}

#[test]
fn strict_tls_comes_first() {
    let mut client = connect();
    client.tls = Some(tls());
    client.version = TdsVersion::V8_0;
    {
        let tls = client.tls.as_mut().unwrap();
        while tls.is_handshaking() {
            tls.complete_io(&mut client.socket).unwrap();
        }
        assert_eq!(tls.protocol_version(), Some(rustls::ProtocolVersion::TLSv1_3));
    }
    client.prelogin(Encryption::Strict);
    client.log_in(4096);
    client.is_usable();
}

#[test]
fn refused_logins_say_little_and_take_their_time() {
    for (user, password) in [("sa", "wrong"), ("nobody", PASSWORD)] {
        let mut client = connect();
        client.prelogin(Encryption::NotSupported);
        let started = Instant::now();
        client.send_login(user, password, "", 4096);
        let tokens = client.tokens();
        assert_eq!(errors(&tokens), [(18456, 1, 14)]);
        assert!(started.elapsed() >= Duration::from_millis(250));
        assert!(client.receive().is_none());
    }
    let mut client = connect();
    client.prelogin(Encryption::NotSupported);
    client.send_login("sa", PASSWORD, "no_such_database", 4096);
    let numbers: Vec<_> = errors(&client.tokens()).iter().map(|e| (e.0, e.2)).collect();
    assert_eq!(numbers, [(4060, 11), (18456, 14)]);
    // A client that does not need the database (fDatabase) begins in the login's own.
    let mut client = connect();
    client.prelogin(Encryption::NotSupported);
    client.send_login_flagged(0xA0, "sa", PASSWORD, "no_such_database", 4096);
    let tokens = client.tokens();
    let told: Vec<_> = errors(&tokens).iter().map(|e| (e.0, e.2)).collect();
    assert_eq!(told, [(4063, 11)]);
    assert!(tokens.iter().any(|t| matches!(t, Token::LoginAck { .. })), "{tokens:?}");
    client.is_usable();
    // The default trace has them.
    let mut client = session();
    let refused = "SELECT COUNT(*) FROM sys.fn_trace_gettable('log.trc', DEFAULT) WHERE EventClass = 20 AND Success = 0 \
        AND EventSubClass = 1 AND Error = 18456 AND State = 5 AND LoginName = 'nobody' \
        AND TextData LIKE 'Login failed for user ''nobody''. Reason: %[[]CLIENT: 127.0.0.1]'";
    client.batch(refused, 0);
    let count = client.tokens().into_iter().find_map(|t| match t {
        Token::Row(row) => row[0].as_i64(),
        _ => None,
    });
    assert!(count.is_some_and(|n| n > 0), "{count:?}");
}

#[test]
fn packet_sizes() {
    for size in [512, 8000, 32767] {
        let mut client = connect();
        client.prelogin(Encryption::NotSupported);
        client.log_in(size);
        // A batch of many packets.
        let batch = format!("SELECT 1 -- {}", "x".repeat(100_000));
        client.batch(&batch, 0);
        assert!(client.tokens().iter().any(|t| matches!(t, Token::Row(_))));
        client.is_usable();
    }
}

#[test]
fn a_message_may_come_byte_by_byte() {
    let mut client = session();
    let mut data = Vec::new();
    request::encode_batch("SELECT 1", 0, client.version, &mut data);
    let mut packets = Vec::new();
    Framer::new(PacketType::Batch).frame(&data, true, &mut packets);
    for byte in packets {
        client.send_bytes(&[byte]);
    }
    assert!(client.tokens().iter().any(|t| matches!(t, Token::Row(_))));
}

#[test]
fn an_attention_stops_a_loop() {
    let mut client = session();
    for _ in 0..3 {
        client.batch("WHILE 1 = 1 BEGIN DECLARE @i int END", 0);
        std::thread::sleep(Duration::from_millis(150));
        client.send_as(PacketType::Attention, &[], 0);
        // The answer that was cut short, and the acknowledgement, each a message. (The loop has no end of its own.)
        client.tokens();
        let tokens = client.tokens();
        assert!(
            matches!(&tokens[..], [Token::Done(d)] if d.status & DONE_ATTENTION != 0),
            "{tokens:?}"
        );
        client.is_usable();
    }
    // One that comes after its request is acknowledged as well.
    client.send_as(PacketType::Attention, &[], 0);
    assert!(matches!(&client.tokens()[..], [Token::Done(d)] if d.status & DONE_ATTENTION != 0));
    client.is_usable();
}

#[test]
fn an_attention_is_heard_through_tls() {
    let mut client = connect();
    client.prelogin(Encryption::On);
    client.handshake();
    client.log_in(4096);
    client.batch("WHILE 1 = 1 BEGIN DECLARE @i int END", 0);
    std::thread::sleep(Duration::from_millis(100));
    client.send_as(PacketType::Attention, &[], 0);
    client.tokens();
    let tokens = client.tokens();
    assert!(
        matches!(&tokens[..], [Token::Done(d)] if d.status & DONE_ATTENTION != 0),
        "{tokens:?}"
    );
    client.is_usable();
}

#[test]
fn reset_is_acknowledged_first() {
    let mut client = session();
    client.batch("SELECT 1", RESET_CONNECTION);
    let tokens = client.tokens();
    assert!(matches!(tokens[0], Token::EnvChange { kind: 18, .. }), "{tokens:?}");
    client.is_usable();
}

#[test]
fn an_ignored_message_is_not_run() {
    let mut client = session();
    let mut data = Vec::new();
    request::encode_batch("WHILE 1 = 1 DECLARE @i int", 0, client.version, &mut data);
    client.send_as(PacketType::Batch, &data, 0x02);
    assert!(matches!(&client.tokens()[..], [Token::Done(_)]));
    client.is_usable();
}

#[test]
fn what_is_not_supported_leaves_the_session_usable() {
    let mut client = session();
    // A procedure with a table-valued parameter of a type `x` that is not there: no columns, no rows.
    let mut data = Vec::new();
    request::AllHeaders::encode(0, client.version, &mut data);
    data.extend_from_slice(&[1, 0, b'p', 0, 0, 0, 0, 0, 0xF3, 0, 0]);
    data.extend_from_slice(&[1, b'x', 0, 0xFF, 0xFF, 0, 0]);
    client.send_as(PacketType::Rpc, &data, 0);
    let tokens = client.tokens();
    assert_eq!(errors(&tokens).len(), 1);
    assert!(matches!(tokens.last(), Some(Token::Done(d)) if d.status & DONE_ERROR != 0));
    client.is_usable();
}

#[test]
fn broken_streams_end_only_their_own_connection() {
    let mut steady = session();
    let mut seed = 0x9E37_79B9_7F4A_7C15u64;
    let mut random = move || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed
    };
    for i in 0..60 {
        let mut socket = TcpStream::connect(server()).unwrap();
        let mut bytes: Vec<u8> = (0..random() % 300).map(|_| random() as u8).collect();
        if let Some(first) = bytes.first_mut() {
            *first = [0x12, 0x10, 0x16, 0x01, *first][i % 5];
        }
        let _ = socket.write_all(&bytes);
    }
    // And inside a session.
    for i in 0..40 {
        let mut client = session();
        let kind = [
            PacketType::Batch,
            PacketType::Rpc,
            PacketType::TransactionManager,
            PacketType::Login7,
        ][i % 4];
        let data: Vec<u8> = (0..random() % 200).map(|_| random() as u8).collect();
        client.socket.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        client.send_as(kind, &data, 0);
        // An error, or the end of the connection; not silence.
        client.receive();
    }
    let mut client = session();
    client.send_bytes(&[0x01, END_OF_MESSAGE, 0, 3]);
    client.send_bytes(&[0, 0, 0, 0]);
    client.receive();
    steady.is_usable();
}

#[test]
fn there_are_no_more_sessions_than_allowed() {
    let server = start("full", 1);
    let mut first = Client::connect_to(server.address());
    first.log_in(4096);
    let mut second = Client::connect_to(server.address());
    second.send_login("sa", PASSWORD, "", 4096);
    assert_eq!(errors(&second.tokens()).iter().map(|e| e.0).collect::<Vec<_>>(), [17809]);
    first.is_usable();
    server.stop();
    server.wait().unwrap();
}

#[test]
fn a_stopped_server_has_let_its_requests_end() {
    let server = start("stop", 10);
    let address = server.address();
    let mut idle = Client::connect_to(address);
    idle.log_in(4096);
    let mut busy = Client::connect_to(address);
    busy.log_in(4096);
    busy.batch("WHILE 1 = 1 BEGIN DECLARE @i int END", 0);
    std::thread::sleep(Duration::from_millis(100));
    let ended = std::thread::spawn(move || {
        server.stop();
        let started = Instant::now();
        server.wait().unwrap();
        started.elapsed()
    });
    // An idle session ends at once, a request may go on.
    let started = Instant::now();
    assert!(idle.receive().is_none());
    assert!(started.elapsed() < Duration::from_secs(1));
    busy.send_as(PacketType::Attention, &[], 0);
    busy.tokens();
    busy.tokens();
    assert!(busy.receive().is_none());
    assert!(ended.join().unwrap() < Duration::from_secs(5));
    assert!(TcpStream::connect(address).is_err());
}
