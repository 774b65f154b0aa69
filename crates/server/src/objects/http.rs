//! One connection to a store: a request after the other in HTTP/1.1, over TLS or, to this machine, without.

use super::address::Address;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, StreamOwned};
use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use taffrail_io::SystemError;

/// How long a connection may take to be there.
const CONNECT: Duration = Duration::from_secs(10);
/// How long the other side may say or take nothing.
pub(super) const SILENCE: Duration = Duration::from_secs(30);
/// The longest time between two looks whether anybody still waits.
const LOOK: Duration = Duration::from_millis(200);
/// Bytes of an answer's head at most, and headers.
const HEAD_MAX: usize = 64 << 10;
const HEADERS_MAX: usize = 100;
/// Answers on the way to the one that counts (1xx), at most.
const INTERIM_MAX: usize = 16;

/// Says that nobody waits any more.
#[derive(Clone, Default)]
pub(super) struct Stop {
    flags: Vec<Arc<AtomicBool>>,
    /// Nobody waits longer than until then.
    until: Option<Instant>,
}

impl Stop {
    /// One that says so by itself after a time.
    pub fn after(time: Duration) -> Stop {
        Stop { flags: Vec::new(), until: Some(Instant::now() + time) }
    }

    /// This one, or that flag.
    pub fn or(&self, flag: &Arc<AtomicBool>) -> Stop {
        let flags = self.flags.iter().chain([flag]).cloned().collect();
        Stop { flags, until: self.until }
    }

    pub fn is_asked(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
            || self.flags.iter().any(|flag| flag.load(Ordering::Acquire))
    }
}

/// A request of HTTP/1.1.
pub(super) struct HttpRequest<'a> {
    pub method: &'a str,
    /// Path and query as they are sent.
    pub target: &'a str,
    pub headers: &'a [(&'a str, &'a str)],
    pub body: &'a [u8],
    /// Bytes of the answer's body at most.
    pub answer_max: usize,
}

/// An answer of HTTP/1.1.
#[derive(Debug)]
pub(super) struct Answer {
    pub status: u16,
    headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    /// The value of a header, whose name is in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name));
        found.map(|(_, value)| &**value)
    }
}

/// A socket whose reads and writes end when nobody waits for them, or the other side is silent for too long.
struct Socket {
    tcp: TcpStream,
    stop: Stop,
    silence: Duration,
}

impl Socket {
    fn wait<T>(&mut self, mut ask: impl FnMut(&mut TcpStream) -> io::Result<T>) -> io::Result<T> {
        let until = Instant::now() + self.silence;
        loop {
            // Also where something comes all the time.
            if self.stop.is_asked() {
                return Err(cancelled());
            }
            match ask(&mut self.tcp) {
                Err(e)
                    if matches!(e.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) =>
                {
                    if Instant::now() >= until {
                        return Err(SystemError::io(TIMED_OUT, "The operation timed out"));
                    }
                }
                other => return other,
            }
        }
    }
}

/// The numbers of Windows' HTTP client.
const TIMED_OUT: i32 = 12002;
const CANCELLED: i32 = 12017;

/// The number of an error that has one.
pub(super) fn number_of(e: &io::Error) -> Option<i32> {
    e.get_ref()?.downcast_ref::<SystemError>().map(|e| e.number)
}

/// The error where nobody waits any more.
pub(super) fn cancelled() -> io::Error {
    SystemError::io(CANCELLED, "The operation was canceled")
}

impl Read for Socket {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.wait(|tcp| tcp.read(buf))
    }
}

impl Write for Socket {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.wait(|tcp| tcp.write(buf))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.tcp.flush()
    }
}

enum Stream {
    Plain(Socket),
    Tls(Box<StreamOwned<ClientConnection, Socket>>),
}

impl Read for Stream {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        match self {
            Stream::Plain(s) => s.read(buf),
            Stream::Tls(s) => s.read(buf),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        match self {
            Stream::Plain(s) => s.write(buf),
            Stream::Tls(s) => s.write(buf),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Stream::Plain(s) => s.flush(),
            Stream::Tls(s) => s.flush(),
        }
    }
}

/// A connection, and what has been read from it beyond the last answer.
pub(super) struct Connection {
    stream: Stream,
    ahead: Vec<u8>,
}

/// Where the body of an answer ends.
enum End {
    After(usize),
    Chunks,
    WithConnection,
}

impl Connection {
    /// Connects; without `tls` in plain text. The other side may be silent for so long.
    pub fn open(
        to: &Address,
        tls: Option<&Arc<ClientConfig>>,
        stop: &Stop,
        silence: Duration,
    ) -> io::Result<Connection> {
        let tcp = connect(to, stop, silence.min(CONNECT))?;
        tcp.set_nodelay(true)?;
        tcp.set_read_timeout(Some(LOOK))?;
        tcp.set_write_timeout(Some(LOOK))?;
        let socket = Socket { tcp, stop: stop.clone(), silence };
        let stream = match tls {
            None => Stream::Plain(socket),
            Some(config) => {
                let name = ServerName::try_from(to.host.clone()).map_err(|e| unsafe_peer(&e))?;
                let session = ClientConnection::new(Arc::clone(config), name);
                let session = session.map_err(|e| unsafe_peer(&e))?;
                Stream::Tls(Box::new(StreamOwned::new(session, socket)))
            }
        };
        Ok(Connection { stream, ahead: Vec::new() })
    }

    /// Asks and hears the answer. The connection can be used again where that says true.
    pub fn ask(&mut self, request: &HttpRequest<'_>) -> io::Result<(Answer, bool)> {
        let sent = self.send(request).map_err(plain);
        let sent = match sent {
            Err(e) if matches!(number_of(&e), Some(TIMED_OUT | CANCELLED)) => return Err(e),
            sent => sent,
        };
        // Who refuses a long body may do so before it has come, and hear no more of it.
        let answer = self.answer(request).map_err(plain);
        match (sent, answer) {
            (Ok(()), answer) => answer,
            (Err(_), Ok((answer, _))) if answer.status >= 300 => Ok((answer, false)),
            (Err(e), _) => Err(e),
        }
    }

    fn send(&mut self, request: &HttpRequest<'_>) -> io::Result<()> {
        let mut head = format!("{} {} HTTP/1.1\r\n", request.method, request.target);
        for (name, value) in request.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if !request.body.is_empty() || matches!(request.method, "PUT" | "POST") {
            head.push_str(&format!("content-length: {}\r\n", request.body.len()));
        }
        head.push_str("\r\n");
        self.stream.write_all(head.as_bytes())?;
        self.stream.write_all(request.body)?;
        self.stream.flush()
    }

    fn answer(&mut self, request: &HttpRequest<'_>) -> io::Result<(Answer, bool)> {
        for _ in 0..=INTERIM_MAX {
            let (status, headers) = self.head()?;
            let mut answer = Answer { status, headers, body: Vec::new() };
            if status / 100 == 1 {
                continue;
            }
            let closes =
                answer.header("connection").is_some_and(|c| c.eq_ignore_ascii_case("close"));
            let end = match (request.method, status) {
                ("HEAD", _) | (_, 204 | 304) => End::After(0),
                _ => end_of(&answer)?,
            };
            let keeps = !closes && !matches!(end, End::WithConnection);
            answer.body = self.body(end, request.answer_max)?;
            // What has come behind an answer belongs to no other request.
            return Ok((answer, keeps && self.ahead.is_empty()));
        }
        Err(strange("no end of answers on the way to one"))
    }

    /// More of what the other side says; none: it has ended.
    fn more(&mut self) -> io::Result<bool> {
        let mut buf = [0; 16 << 10];
        let n = self.stream.read(&mut buf)?;
        self.ahead.extend_from_slice(&buf[..n]);
        Ok(n > 0)
    }

    /// The head of an answer: its status and headers.
    fn head(&mut self) -> io::Result<(u16, Vec<(String, String)>)> {
        loop {
            let mut headers = [httparse::EMPTY_HEADER; HEADERS_MAX];
            let mut parsed = httparse::Response::new(&mut headers);
            let read = parsed.parse(&self.ahead).map_err(|e| strange(&e.to_string()))?;
            if let (httparse::Status::Complete(length), Some(status)) = (read, parsed.code) {
                let text = |v: &[u8]| String::from_utf8_lossy(v).into_owned();
                let owned = |h: &httparse::Header<'_>| (h.name.to_owned(), text(h.value));
                let mut headers: Vec<_> = parsed.headers.iter().map(owned).collect();
                if parsed.version == Some(0) {
                    // HTTP/1.0 goes on only where it says so, and need not here.
                    headers.insert(0, ("connection".into(), "close".into()));
                }
                self.ahead.drain(..length);
                return Ok((status, headers));
            }
            if self.ahead.len() > HEAD_MAX {
                return Err(strange("the head of the answer does not end"));
            }
            if !self.more()? {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }

    fn body(&mut self, end: End, max: usize) -> io::Result<Vec<u8>> {
        match end {
            End::After(length) if length > max => Err(strange("the answer is too long")),
            End::After(length) => self.exactly(length),
            End::WithConnection => {
                while self.more()? {
                    if self.ahead.len() > max {
                        return Err(strange("the answer is too long"));
                    }
                }
                Ok(std::mem::take(&mut self.ahead))
            }
            End::Chunks => {
                let mut body = Vec::new();
                loop {
                    let line = self.line()?;
                    let size = line.split(';').next().unwrap_or_default().trim();
                    let size = usize::from_str_radix(size, 16);
                    let size = size.map_err(|_| strange("a chunk of the answer has no length"))?;
                    if size > max.saturating_sub(body.len()) {
                        return Err(strange("the answer is too long"));
                    }
                    if size == 0 {
                        // Headers behind the last chunk, to an empty line.
                        while !self.line()?.is_empty() {}
                        return Ok(body);
                    }
                    body.extend(self.exactly(size)?);
                    self.line()?;
                }
            }
        }
    }

    /// The next bytes, so many of them.
    fn exactly(&mut self, length: usize) -> io::Result<Vec<u8>> {
        let here = self.ahead.len().min(length);
        let mut bytes: Vec<u8> = self.ahead.drain(..here).collect();
        bytes.resize(length, 0);
        self.stream.read_exact(&mut bytes[here..])?;
        Ok(bytes)
    }

    /// The next line, without its end.
    fn line(&mut self) -> io::Result<String> {
        loop {
            if let Some(at) = self.ahead.iter().position(|b| *b == b'\n') {
                let line: Vec<u8> = self.ahead.drain(..=at).collect();
                return Ok(String::from_utf8_lossy(&line).trim_end().to_owned());
            }
            if self.ahead.len() > HEAD_MAX {
                return Err(strange("a line of the answer does not end"));
            }
            if !self.more()? {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }
}

fn end_of(answer: &Answer) -> io::Result<End> {
    let coding = answer.header("transfer-encoding");
    if coding.is_some_and(|c| c.to_ascii_lowercase().ends_with("chunked")) {
        return Ok(End::Chunks);
    }
    match answer.header("content-length") {
        None => Ok(End::WithConnection),
        Some(n) => n.trim().parse().map(End::After).map_err(|_| strange("it has no length")),
    }
}

fn connect(to: &Address, stop: &Stop, patience: Duration) -> io::Result<TcpStream> {
    let found = (&*to.host, to.port).to_socket_addrs();
    let unknown = |why: &dyn std::fmt::Display| {
        SystemError::io(12007, format!("The server name or address could not be resolved: {why}"))
    };
    let mut last = None;
    for address in found.map_err(|e| unknown(&e))? {
        if stop.is_asked() {
            return Err(cancelled());
        }
        match TcpStream::connect_timeout(&address, patience) {
            Ok(tcp) => return Ok(tcp),
            Err(e) => last = Some(e),
        }
    }
    let Some(e) = last else { return Err(unknown(&"it has no address")) };
    Err(SystemError::io(
        12029,
        format!("A connection with the server could not be established: {e}"),
    ))
}

/// The other side cannot be trusted.
fn unsafe_peer(why: &dyn std::fmt::Display) -> io::Error {
    SystemError::io(UNSAFE, format!("A security error occurred: {why}"))
}

/// The number of the error of a server that cannot be trusted, which does not get better by asking again.
pub(super) const UNSAFE: i32 = 12175;

/// An answer that makes no sense.
fn strange(why: &str) -> io::Error {
    SystemError::io(
        12152,
        format!("The server returned an invalid or unrecognized response: {why}"),
    )
}

/// An error of the operating system's, or of TLS, as one of HTTP's.
fn plain(e: io::Error) -> io::Error {
    let inner = e.get_ref();
    if inner.is_some_and(|inner| inner.is::<SystemError>()) {
        return e;
    }
    if let Some(why) = inner.and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
        return unsafe_peer(why);
    }
    SystemError::io(12030, format!("The connection with the server was terminated abnormally: {e}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;
    use std::thread;

    /// A store that says something again and again, and what comes of a request to it; `after`: nobody waits any more.
    fn asked(says: &'static [u8], after: Duration) -> io::Error {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        thread::spawn(move || {
            let (mut client, _) = listener.accept().unwrap();
            while client.write_all(says).is_ok() {
                thread::sleep(Duration::from_millis(20));
            }
        });
        let flag = Arc::new(AtomicBool::new(false));
        let to = Address::parse(&format!("s3://127.0.0.1:{port}/b/x")).unwrap();
        let mut connection =
            Connection::open(&to, None, &Stop::default().or(&flag), SILENCE).unwrap();
        thread::spawn(move || {
            thread::sleep(after);
            flag.store(true, Ordering::Release);
        });
        let (method, target) = ("GET", "/b/x");
        let request = HttpRequest { method, target, headers: &[], body: &[], answer_max: 1 << 20 };
        connection.ask(&request).unwrap_err()
    }

    #[test]
    fn who_is_always_told_something_stops_all_the_same() {
        let began = Instant::now();
        let e = asked(b"HTTP/1.1 100 Continue\r\n\r\n", Duration::from_secs(20));
        assert_eq!(number_of(&e), Some(12152));
        let slow = b"HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n";
        let e = asked(slow, Duration::from_millis(300));
        assert_eq!(number_of(&e), Some(CANCELLED));
        assert!(began.elapsed() < Duration::from_secs(15));
    }
}
