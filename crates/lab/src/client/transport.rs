//! A client's socket: TLS where the two sides agree on it, packets put together.

use super::timed::Timed;
use super::trust::config;
use super::{ClientError, ConnectOptions, Disagreement, Encrypt, Result};
use rustls::ClientConnection;
use rustls::pki_types::ServerName;
use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Instant;
use taffrail_tds::packet::{Assembler, END_OF_MESSAGE, Framer, HEADER_BYTES, PacketType};
use taffrail_tds::prelogin::{Encryption, Prelogin};

const MESSAGE_BYTES_MAX: usize = 1 << 30;
/// The encryption that PRELOGIN has led to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Tunnel {
    None,
    Login,
    All,
}

pub(super) struct Transport {
    pub socket: Timed,
    pub assembler: Assembler,
    tls: Option<Box<ClientConnection>>,
    input: Box<[u8; 64 << 10]>,
    /// Bytes that came and belong to no packet taken yet, of answers that are read as they arrive.
    waiting: Vec<u8>,
    /// When reading gives up.
    deadline: Option<Instant>,
}

impl Transport {
    /// Connects, says PRELOGIN, and sets TLS up as far as both sides want it.
    pub fn connect(options: &ConnectOptions) -> Result<(Transport, Tunnel)> {
        let deadline = options.login_timeout.and_then(|t| Instant::now().checked_add(t));
        let socket = open(options, deadline)?;
        socket.set_nodelay(true)?;
        let assembler = Assembler::new(MESSAGE_BYTES_MAX);
        let mut transport = Transport {
            socket: Timed::new(socket),
            assembler,
            tls: None,
            input: Box::new([0; 64 << 10]),
            waiting: Vec::new(),
            deadline,
        };
        let encryption = match options.encrypt {
            Encrypt::No => Encryption::NotSupported,
            Encrypt::Optional | Encrypt::Login => Encryption::Off,
            Encrypt::Yes => Encryption::On,
        };
        let mut hello = Vec::new();
        Prelogin { encryption, ..Prelogin::default() }.encode(false, &mut hello);
        let mut packets = Vec::new();
        Framer::new(PacketType::Prelogin).frame(&hello, true, &mut packets);
        transport.write(&packets)?;
        transport.receive()?;
        let answer = Prelogin::decode(transport.assembler.data())?;
        let tunnel = match (options.encrypt, answer.encryption) {
            (Encrypt::No, Encryption::NotSupported) => Tunnel::None,
            (Encrypt::No, _) => return Err(ClientError::Encryption(Disagreement::Insists)),
            (Encrypt::Yes, Encryption::NotSupported) => {
                return Err(ClientError::Encryption(Disagreement::HasNone));
            }
            (Encrypt::Login, Encryption::NotSupported) => {
                return Err(ClientError::Encryption(Disagreement::EncryptsNothing));
            }
            (_, Encryption::NotSupported) => Tunnel::None,
            (_, Encryption::Off) => Tunnel::Login,
            _ => Tunnel::All,
        };
        if tunnel != Tunnel::None {
            transport.handshake(options)?;
        }
        Ok((transport, tunnel))
    }

    /// TLS 1.2, its records as data of PRELOGIN packets. (1.3 ends with words of the server that would fall into the
    /// moment in which the wrapping stops.)
    fn handshake(&mut self, options: &ConnectOptions) -> Result<()> {
        let host = match options.host_in_certificate.as_str() {
            "" => &options.host,
            other => other,
        };
        let name = ServerName::try_from(host.to_string())
            .map_err(|_| tls_error(format!("'{host}' is no server name")))?;
        let config = config(options)?;
        let mut tls = Box::new(ClientConnection::new(config, name).map_err(tls_error)?);
        let mut framer = Framer::new(PacketType::Prelogin);
        loop {
            let (mut records, mut packets) = (Vec::new(), Vec::new());
            while tls.wants_write() {
                tls.write_tls(&mut records)?;
            }
            if !records.is_empty() {
                framer.frame(&records, true, &mut packets);
                self.socket.write_all(&packets)?;
            }
            if !tls.is_handshaking() {
                break;
            }
            self.receive()?;
            let mut records = self.assembler.data();
            while !records.is_empty() {
                tls.read_tls(&mut records)?;
                tls.process_new_packets().map_err(tls_error)?;
            }
        }
        tls.set_buffer_limit(None);
        self.tls = Some(tls);
        Ok(())
    }

    /// Clear text from here on: only the login was encrypted.
    pub fn drop_tls(&mut self) {
        self.tls = None;
    }

    /// Sends whole packets to the server.
    pub fn write(&mut self, packets: &[u8]) -> io::Result<()> {
        let Some(tls) = &mut self.tls else { return self.socket.write_all(packets) };
        let mut rest = packets;
        // One packet at a time: some servers want none to share a record with another.
        while rest.len() >= HEADER_BYTES {
            let length = u16::from_be_bytes([rest[2], rest[3]]) as usize;
            let (packet, after) = rest.split_at(length.clamp(HEADER_BYTES, rest.len()));
            tls.writer().write_all(packet)?;
            rest = after;
        }
        while tls.wants_write() {
            tls.write_tls(&mut self.socket)?;
        }
        Ok(())
    }

    /// Waits for one whole message; its data is the assembler's.
    pub fn receive(&mut self) -> Result<()> {
        debug_assert!(self.waiting.is_empty(), "an answer is read in one way, to its end");
        while self.assembler.next_message()?.is_none() {
            let n = self.read()?;
            self.assembler.feed(&self.input[..n]);
        }
        Ok(())
    }

    /// Waits until something has come and appends the bodies of whole packets to `body`; true at the message's end.
    pub fn receive_some(&mut self, body: &mut Vec<u8>) -> Result<bool> {
        let before = body.len();
        loop {
            let mut at = 0;
            while let Some(head) = self.waiting.get(at..at + HEADER_BYTES) {
                let length = u16::from_be_bytes([head[2], head[3]]) as usize;
                if length < HEADER_BYTES || head[0] != PacketType::Response as u8 {
                    return Err(ClientError::Protocol("not a packet of an answer".into()));
                }
                let last = head[1] & END_OF_MESSAGE != 0;
                let Some(packet) = self.waiting.get(at + HEADER_BYTES..at + length) else { break };
                body.extend_from_slice(packet);
                at += length;
                if last {
                    self.waiting.drain(..at);
                    return Ok(true);
                }
            }
            self.waiting.drain(..at);
            if body.len() > before {
                return Ok(false);
            }
            let n = self.read()?;
            self.waiting.extend_from_slice(&self.input[..n]);
        }
    }

    /// Reads give up at this moment with [`io::ErrorKind::TimedOut`]; what has come so far is kept.
    pub fn set_deadline(&mut self, deadline: Option<Instant>) -> io::Result<()> {
        self.deadline = deadline;
        match deadline {
            None => self.socket.plain().set_read_timeout(None),
            Some(_) => Ok(()),
        }
    }

    /// Some bytes into `input`.
    fn read(&mut self) -> Result<usize> {
        loop {
            if let Some(deadline) = self.deadline {
                let left = deadline.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    return Err(io::Error::from(io::ErrorKind::TimedOut).into());
                }
                self.socket.plain().set_read_timeout(Some(left))?;
            }
            match self.read_plain() {
                Ok(0) => return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
                Ok(n) => return Ok(n),
                // A signal ends a read that has a timeout, whatever its handler says of restarts.
                Err(ClientError::Io(e)) if e.kind() == io::ErrorKind::Interrupted => {}
                // What a read timeout is called depends on the system.
                Err(ClientError::Io(e)) if e.kind() == io::ErrorKind::WouldBlock => {
                    return Err(io::Error::from(io::ErrorKind::TimedOut).into());
                }
                Err(e) => return Err(e),
            }
        }
    }

    fn read_plain(&mut self) -> Result<usize> {
        let Some(tls) = &mut self.tls else { return Ok(self.socket.read(&mut self.input[..])?) };
        loop {
            match tls.reader().read(&mut self.input[..]) {
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => {}
                read => return Ok(read?),
            }
            if tls.read_tls(&mut self.socket)? == 0 {
                return Ok(0);
            }
            tls.process_new_packets().map_err(tls_error)?;
        }
    }
}

/// The first address of the host that answers.
fn open(options: &ConnectOptions, deadline: Option<Instant>) -> io::Result<TcpStream> {
    let address = (options.host.as_str(), options.port);
    let Some(deadline) = deadline else { return TcpStream::connect(address) };
    let mut failed = io::Error::other(format!("'{}' has no address", options.host));
    for address in address.to_socket_addrs()? {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        match TcpStream::connect_timeout(&address, left) {
            Ok(socket) => return Ok(socket),
            Err(e) => failed = e,
        }
    }
    Err(failed)
}

pub(super) fn tls_error(e: impl std::fmt::Display) -> ClientError {
    ClientError::Io(io::Error::other(format!("TLS: {e}")))
}
