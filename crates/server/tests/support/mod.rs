//! A small TDS client over loopback, and a server in this process.
#![allow(dead_code)]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;
use taffrail_server::{Overrides, PasswordOverrides, Server, Settings};
use taffrail_tds::login7::Login7;
use taffrail_tds::prelogin::{Encryption, Prelogin};
use taffrail_tds::token::{DONE_COUNT, DONE_ERROR, DONE_MORE, Token, TokenReader};
use taffrail_tds::{Assembler, Framer, PacketType, Reader, TdsVersion, request};
use taffrail_types::Value;

pub const PASSWORD: &str = "Wire!Test1";

/// The data directory of a server that this process starts under a name.
pub fn data(name: &str) -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()))
}

/// A server of its own on a fresh directory.
pub fn start(name: &str, max_connections: u32) -> Server {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    // Directories of processes that have ended go: a server that is shared by the tests of its process is never dropped.
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let left = entry
            .file_name()
            .to_string_lossy()
            .rsplit_once('-')
            .and_then(|(_, pid)| pid.parse::<u32>().ok());
        if left.is_some_and(|pid| !std::path::Path::new(&format!("/proc/{pid}")).exists()) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
    let dir = data(name);
    let _ = std::fs::remove_dir_all(&dir);
    let settings = Settings::from_overrides(Overrides {
        data: Some(dir),
        listen: Some("127.0.0.1:0".into()),
        sa_password: Some(PASSWORD.into()),
        max_server_memory_mb: Some(64),
        max_connections: Some(max_connections),
        ..Overrides::default()
    })
    .unwrap();
    Server::start(settings).unwrap()
}

/// A server on the directory of a name as it is, with a policy for passwords.
pub fn serve(name: &str, passwords: PasswordOverrides) -> Server {
    let settings = Settings::from_overrides(Overrides {
        data: Some(data(name)),
        listen: Some("127.0.0.1:0".into()),
        sa_password: Some(PASSWORD.into()),
        max_server_memory_mb: Some(64),
        passwords: Some(passwords),
        ..Overrides::default()
    });
    Server::start(settings.unwrap()).unwrap()
}

/// Bytes through the socket, perhaps through TLS, perhaps with TLS in packets.
pub struct Client {
    pub socket: TcpStream,
    pub tls: Option<rustls::ClientConnection>,
    pub assembler: Assembler,
    pub framer: Framer,
    pub version: TdsVersion,
}

/// Accepts any certificate, as clients do that are told to trust the server's.
#[derive(Debug)]
struct TrustAll;

impl rustls::client::danger::ServerCertVerifier for TrustAll {
    fn verify_server_cert(
        &self,
        _: &rustls::pki_types::CertificateDer<'_>,
        _: &[rustls::pki_types::CertificateDer<'_>],
        _: &rustls::pki_types::ServerName<'_>,
        _: &[u8],
        _: rustls::pki_types::UnixTime,
    ) -> Result<rustls::client::danger::ServerCertVerified, rustls::Error> {
        Ok(rustls::client::danger::ServerCertVerified::assertion())
    }
    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &rustls::pki_types::CertificateDer<'_>,
        _: &rustls::DigitallySignedStruct,
    ) -> Result<rustls::client::danger::HandshakeSignatureValid, rustls::Error> {
        Ok(rustls::client::danger::HandshakeSignatureValid::assertion())
    }
    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &rustls::pki_types::CertificateDer<'_>,
        _: &rustls::DigitallySignedStruct,
    ) -> Result<rustls::client::danger::HandshakeSignatureValid, rustls::Error> {
        Ok(rustls::client::danger::HandshakeSignatureValid::assertion())
    }
    fn supported_verify_schemes(&self) -> Vec<rustls::SignatureScheme> {
        rustls::crypto::ring::default_provider()
            .signature_verification_algorithms
            .supported_schemes()
    }
}

pub fn tls() -> rustls::ClientConnection {
    let config = rustls::ClientConfig::builder_with_provider(Arc::new(
        rustls::crypto::ring::default_provider(),
    ))
    .with_safe_default_protocol_versions()
    .unwrap()
    .dangerous()
    .with_custom_certificate_verifier(Arc::new(TrustAll))
    .with_no_client_auth();
    rustls::ClientConnection::new(Arc::new(config), "localhost".try_into().unwrap()).unwrap()
}

impl Client {
    pub fn connect_to(address: SocketAddr) -> Client {
        let socket = TcpStream::connect(address).unwrap();
        socket.set_nodelay(true).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        Client {
            socket,
            tls: None,
            assembler: Assembler::new(1 << 30),
            framer: Framer::new(PacketType::Batch),
            version: TdsVersion::V7_4,
        }
    }

    pub fn send_as(&mut self, kind: PacketType, data: &[u8], status: u8) {
        let size = self.framer.packet_bytes();
        let mut framer = Framer::new(kind);
        framer.set_packet_bytes(size);
        let mut packets = Vec::new();
        framer.frame_with(data, true, status, &mut packets);
        self.send_bytes(&packets);
    }

    pub fn send_bytes(&mut self, bytes: &[u8]) {
        match &mut self.tls {
            None => self.socket.write_all(bytes).unwrap(),
            Some(tls) => {
                tls.writer().write_all(bytes).unwrap();
                while tls.wants_write() {
                    tls.write_tls(&mut self.socket).unwrap();
                }
            }
        }
    }

    /// The data of the next message; None if the server hangs up.
    pub fn receive(&mut self) -> Option<Vec<u8>> {
        let mut buffer = [0; 8192];
        loop {
            if self.assembler.next_message().unwrap().is_some() {
                return Some(self.assembler.data().to_vec());
            }
            let n = self.socket.read(&mut buffer).unwrap_or(0);
            if n == 0 {
                return None;
            }
            match &mut self.tls {
                None => self.assembler.feed(&buffer[..n]),
                Some(tls) => {
                    let mut rest = &buffer[..n];
                    while !rest.is_empty() {
                        tls.read_tls(&mut rest).unwrap();
                        let state = tls.process_new_packets().unwrap();
                        let mut plain = vec![0; state.plaintext_bytes_to_read()];
                        tls.reader().read_exact(&mut plain).unwrap();
                        self.assembler.feed(&plain);
                    }
                }
            }
        }
    }

    pub fn tokens(&mut self) -> Vec<Token> {
        let data = self.receive().expect("an answer");
        let (mut reader, mut r, mut tokens) =
            (TokenReader::new(self.version), Reader::new(&data), Vec::new());
        while let Some(token) = reader.next(&mut r).unwrap() {
            tokens.push(token);
        }
        tokens
    }

    pub fn prelogin(&mut self, encryption: Encryption) -> Encryption {
        let mut data = Vec::new();
        Prelogin { encryption, ..Prelogin::default() }.encode(false, &mut data);
        self.send_as(PacketType::Prelogin, &data, 0);
        let answer = Prelogin::decode(&self.receive().unwrap()).unwrap();
        assert_eq!(answer.version, (16, 0, 1000));
        answer.encryption
    }

    /// TLS records as data of PRELOGIN packets until the handshake is done.
    pub fn handshake(&mut self) {
        let mut tls = tls();
        while tls.is_handshaking() {
            let mut records = Vec::new();
            while tls.wants_write() {
                tls.write_tls(&mut records).unwrap();
            }
            if !records.is_empty() {
                self.send_as(PacketType::Prelogin, &records, 0);
            }
            if tls.is_handshaking() {
                let data = self.receive().unwrap();
                let mut rest = &data[..];
                while !rest.is_empty() {
                    tls.read_tls(&mut rest).unwrap();
                    tls.process_new_packets().unwrap();
                }
            }
        }
        assert_eq!(tls.protocol_version(), Some(rustls::ProtocolVersion::TLSv1_2));
        self.tls = Some(tls);
    }

    pub fn send_login(&mut self, user: &str, password: &str, database: &str, packet_size: u32) {
        self.send_login_flagged(0xE0, user, password, database, packet_size);
    }

    /// A login with an OptionFlags1 of its own.
    pub fn send_login_flagged(
        &mut self,
        flags1: u8,
        user: &str,
        password: &str,
        database: &str,
        packet_size: u32,
    ) {
        let login = Login7 {
            tds_version: self.version.login_value(),
            packet_size,
            user_name: user.into(),
            password: password.into(),
            database: database.into(),
            flags1,
            flags2: 0x03,
            ..Login7::default()
        };
        let mut data = Vec::new();
        login.encode(&mut data);
        self.send_as(PacketType::Login7, &data, 0);
    }

    /// A session in clear text with this server.
    pub fn session_at(address: SocketAddr) -> Client {
        let mut client = Client::connect_to(address);
        client.log_in(4096);
        client
    }

    /// A session of a login in clear text, or the numbers by which it is refused.
    pub fn of_login(
        address: SocketAddr,
        user: &str,
        password: &str,
        database: &str,
    ) -> Result<Client, Vec<i32>> {
        let mut client = Client::connect_to(address);
        client.send_login(user, password, database, 4096);
        let numbers: Vec<i32> = errors(&client.tokens()).iter().map(|(n, ..)| *n).collect();
        if numbers.is_empty() { Ok(client) } else { Err(numbers) }
    }

    pub fn log_in(&mut self, packet_size: u32) {
        self.send_login("sa", PASSWORD, "", packet_size);
        let tokens = self.tokens();
        let ack = tokens.iter().any(|t| matches!(t, Token::LoginAck { version, .. } if *version == self.version.login_value()));
        assert!(ack, "{tokens:?}");
        self.framer.set_packet_bytes(packet_size as usize);
    }

    pub fn batch(&mut self, text: &str, status: u8) {
        let mut data = Vec::new();
        request::encode_batch(text, 0, self.version, &mut data);
        self.send_as(PacketType::Batch, &data, status);
    }

    /// `SELECT 1` works: the session is alive and in step.
    pub fn is_usable(&mut self) {
        self.batch("SELECT 1", 0);
        let tokens = self.tokens();
        let one = |t: &Token| matches!(t, Token::Row(row) if matches!(row[..], [Value::Int(1)]));
        assert!(tokens.iter().any(one), "{tokens:?}");
        match tokens.last() {
            Some(Token::Done(d)) => {
                assert_eq!(
                    (d.status & (DONE_MORE | DONE_ERROR | DONE_COUNT), d.rows),
                    (DONE_COUNT, 1)
                );
            }
            other => panic!("{other:?}"),
        }
    }
}

pub fn errors(tokens: &[Token]) -> Vec<(i32, u8, u8)> {
    let error = |t: &Token| match t {
        Token::Message { error: true, number, state, class, .. } => Some((*number, *state, *class)),
        _ => None,
    };
    tokens.iter().filter_map(error).collect()
}

/// The numbers of the errors of a batch.
pub fn failed(client: &mut Client, batch: &str) -> Vec<i32> {
    client.batch(batch, 0);
    errors(&client.tokens()).iter().map(|(n, ..)| *n).collect()
}

/// Runs a batch that has no errors.
pub fn done(client: &mut Client, batch: &str) {
    assert_eq!(failed(client, batch), [0; 0], "{batch}");
}

/// The first row of a query as text; empty without one.
pub fn row(client: &mut Client, query: &str) -> Vec<String> {
    client.batch(query, 0);
    let tokens = client.tokens();
    assert_eq!(errors(&tokens), [], "{query}");
    let row = |t| if let Token::Row(row) = t { Some(row) } else { None };
    let row = tokens.into_iter().find_map(row).unwrap_or_default();
    row.iter().map(|v| v.as_text().unwrap_or_else(|| format!("{:?}", v.as_i64()))).collect()
}
