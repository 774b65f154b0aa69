//! Requests of one object: signed, asked again where that may help, and what the store's answers mean.

use super::address::Address;
use super::http::{Answer, Connection, HttpRequest, SILENCE, Stop, UNSAFE, cancelled, number_of};
use super::sign::{Signed, SigningKey, authorization, sha256};
use super::xml;
use crate::clock::Stamp;
use parking_lot::Mutex;
use rustls::ClientConfig;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use taffrail_io::{IoError, IoResult, SystemError};
use taffrail_observe::WaitType;

/// How often something is asked before it has failed.
const TRIES: u32 = 7;
/// The pause before it is asked again, twice as long each time.
const PAUSE: Duration = Duration::from_millis(100);
/// Tries and silence of a request that clears up, and how long all of it may take.
const HURRIED_TRIES: u32 = 3;
const HURRIED: Duration = Duration::from_secs(3);
const HURRIED_IN_ALL: Duration = Duration::from_secs(10);
/// The longest time between two looks whether anybody still waits.
const LOOK: Duration = Duration::from_millis(20);
/// Bytes of an answer that has no object: its head, XML.
const TEXT_MAX: usize = 1 << 20;

/// One request of the object.
#[derive(Clone, Copy, Default)]
pub(super) struct Ask<'a> {
    pub method: &'a str,
    /// The query, encoded, its parameters sorted by name.
    pub query: &'a str,
    pub body: &'a [u8],
    /// `Range`: the first byte and the one behind the last.
    pub range: Option<(u64, u64)>,
    /// The ETag that the object must have.
    pub only: Option<&'a str>,
}

/// Why a request has not succeeded.
pub(super) enum Failure {
    /// No answer came, or not all of it: it may have been done.
    Lost(io::Error),
    /// The store said no.
    Refused(Answer),
}

impl Failure {
    /// Whether it may help to ask again.
    pub fn may_pass(&self) -> bool {
        match self {
            Failure::Lost(e) => number_of(e) != Some(UNSAFE),
            Failure::Refused(answer) => {
                matches!(answer.status, 408 | 429 | 500 | 502 | 503 | 504)
                    || said(answer).0 == "RequestTimeout"
            }
        }
    }

    /// The code of the store's error; empty: it gives none.
    pub fn code(&self) -> String {
        match self {
            Failure::Lost(_) => String::new(),
            Failure::Refused(answer) => said(answer).0,
        }
    }
}

/// Code and message of the store's error.
fn said(answer: &Answer) -> (String, String) {
    let text = String::from_utf8_lossy(&answer.body);
    let part = |name| xml::text(&text, name).unwrap_or_default();
    (part("Code"), part("Message"))
}

/// A client of one object.
pub(super) struct Client {
    /// The address as it was written, for errors.
    pub path: PathBuf,
    address: Address,
    key: SigningKey,
    /// None: in plain text.
    tls: Option<Arc<ClientConfig>>,
    stop: Stop,
    tries: u32,
    /// How long the store may say nothing.
    silence: Duration,
    idle: Mutex<Vec<Connection>>,
}

impl Client {
    pub fn new(
        path: PathBuf,
        address: Address,
        key: SigningKey,
        tls: Option<Arc<ClientConfig>>,
        stop: Stop,
    ) -> Client {
        let (tries, silence, idle) = (TRIES, SILENCE, Mutex::default());
        Client { path, address, key, tls, stop, tries, silence, idle }
    }

    /// A client of the same object with connections of its own, which stops as that says.
    pub fn with(&self, stop: Stop) -> Client {
        let (path, address, key) = (self.path.clone(), self.address.clone(), self.key.clone());
        let (tls, idle) = (self.tls.clone(), Mutex::default());
        Client { path, address, key, tls, stop, tries: self.tries, silence: self.silence, idle }
    }

    /// A client of the same object for clearing up behind one that has stopped: it asks little, and does not wait for long.
    pub fn hurried(&self) -> Client {
        let stop = Stop::after(HURRIED_IN_ALL);
        Client { tries: HURRIED_TRIES, silence: HURRIED, ..self.with(stop) }
    }

    pub fn stop(&self) -> &Stop {
        &self.stop
    }

    pub fn tries(&self) -> u32 {
        self.tries
    }

    /// Asks the store once.
    pub fn once(&self, ask: &Ask<'_>) -> Result<Answer, Failure> {
        let body_hash = sha256(ask.body);
        let s = Stamp::now();
        let moment = format!(
            "{:04}{:02}{:02}T{:02}{:02}{:02}Z",
            s.year, s.month, s.day, s.hour, s.minute, s.second
        );
        let range = ask.range.map(|(from, to)| format!("bytes={from}-{}", to - 1));
        let mut headers = vec![("host", &*self.address.authority)];
        headers.extend(ask.only.map(|etag| ("if-match", etag)));
        headers.extend(range.as_deref().map(|range| ("range", range)));
        headers.push(("x-amz-content-sha256", &body_hash));
        headers.push(("x-amz-date", &moment));
        let signed = Signed {
            method: ask.method,
            path: &self.address.path,
            query: ask.query,
            headers: &headers,
            body_hash: &body_hash,
            moment: &moment,
        };
        let authorization = authorization(&self.key, &signed);
        headers.push(("authorization", &authorization));
        let mark = if ask.query.is_empty() { "" } else { "?" };
        let target = format!("{}{mark}{}", self.address.path, ask.query);
        let wanted = ask.range.map_or(0, |(from, to)| (to - from) as usize);
        let request = HttpRequest {
            method: ask.method,
            target: &target,
            headers: &headers,
            body: ask.body,
            answer_max: wanted + TEXT_MAX,
        };
        let answer = self.send(&request).map_err(Failure::Lost)?;
        match answer.status {
            200..=299 => Ok(answer),
            _ => Err(Failure::Refused(answer)),
        }
    }

    fn send(&self, request: &HttpRequest<'_>) -> io::Result<Answer> {
        if self.stop.is_asked() {
            return Err(cancelled());
        }
        let idle = self.idle.lock().pop();
        let mut connection = match idle {
            Some(connection) => connection,
            None => Connection::open(&self.address, self.tls.as_ref(), &self.stop, self.silence)?,
        };
        let (answer, keeps) = connection.ask(request).inspect_err(|_| self.idle.lock().clear())?;
        if keeps {
            self.idle.lock().push(connection);
        }
        Ok(answer)
    }

    /// Waits before something is asked again; `times` says how often it has been. False: nobody waits any more.
    pub fn pause(&self, times: u32) -> bool {
        let mut left = PAUSE * (1 << times.saturating_sub(1).min(10));
        while !left.is_zero() && !self.stop.is_asked() {
            let nap = left.min(LOOK);
            std::thread::sleep(nap);
            left -= nap;
        }
        !self.stop.is_asked()
    }

    /// Asks for what may be done twice, again until it has succeeded or will not.
    pub fn ask(&self, ask: &Ask<'_>) -> Result<Answer, Failure> {
        let mut times = 0;
        loop {
            match self.once(ask) {
                Ok(answer) => return Ok(answer),
                Err(e) => {
                    times += 1;
                    if !e.may_pass() || times >= self.tries || !self.pause(times) {
                        return Err(e);
                    }
                }
            }
        }
    }

    /// A failure as messages tell it.
    pub fn failed(&self, op: &'static str, failure: Failure) -> IoError {
        let source = match failure {
            Failure::Lost(e) => e,
            Failure::Refused(answer) => refusal(&answer),
        };
        IoError::new(op, &self.path, source)
    }

    /// An error of what is asked of the object here.
    pub fn error(&self, op: &'static str, number: i32, text: &str) -> IoError {
        IoError::new(op, &self.path, SystemError::io(number, text))
    }
}

/// The store's error as the one that SQL Server has for it.
fn refusal(answer: &Answer) -> io::Error {
    let (code, message) = said(answer);
    let (number, text) = match (answer.status, &*code) {
        (404, "NoSuchBucket") => (50, "The request is not supported."),
        (404, _) => (2, "The system cannot find the file specified."),
        (401 | 403, _) => (5, "Access is denied."),
        (500.., _) => (12152, "The server returned an invalid or unrecognized response."),
        _ => (87, "The parameter is incorrect."),
    };
    let code = if code.is_empty() { String::new() } else { format!(" {code}") };
    let message = if message.is_empty() { String::new() } else { format!(": {}", message.trim()) };
    let status = answer.status;
    SystemError::io(number, format!("{text} The store answers {status}{code}{message}"))
}

/// Something that the session waits for: BACKUPIO.
pub(super) fn waited<T>(ask: impl FnOnce() -> T) -> T {
    let wait = taffrail_observe::wait(WaitType::BackupIo);
    let done = ask();
    wait.finish();
    done
}

/// Requests of an object as a whole.
impl Client {
    /// Whether it is there.
    pub fn exists(&self) -> IoResult<bool> {
        match waited(|| self.ask(&Ask { method: "HEAD", ..Ask::default() })) {
            Ok(_) => Ok(true),
            Err(Failure::Refused(answer)) if answer.status == 404 => Ok(false),
            Err(e) => Err(self.failed("exists", e)),
        }
    }

    /// Removes it; no error when it is not there.
    pub fn remove(&self) -> IoResult<()> {
        let asked = waited(|| self.ask(&Ask { method: "DELETE", ..Ask::default() }));
        asked.map(drop).map_err(|e| self.failed("remove", e))
    }
}
