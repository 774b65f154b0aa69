//! An object that is read, by ranges: longer ones the longer it is read from one place on.

use super::client::{Ask, Client, Failure, waited};
use super::http::Answer;
use parking_lot::Mutex;
use std::io::{self, IoSlice};
use std::path::Path;
use taffrail_io::{IoError, IoResult, Volume, VolumeKind, WriteDone, WriteOp};

/// Bytes that are asked for at least, and at most where nobody wants more.
const RANGE_MIN: u64 = 64 << 10;
const RANGE_MAX: u64 = 8 << 20;
/// A range grows by this factor while the object is read on.
const GROWTH: u64 = 4;

/// The range that was read last.
struct Window {
    at: u64,
    bytes: Vec<u8>,
    /// How far it has been given out.
    served: u64,
    /// It has been given out from an earlier place once more.
    again: bool,
}

impl Window {
    fn end(&self) -> u64 {
        self.at + self.bytes.len() as u64
    }
}

/// An object that is open for reading.
pub(super) struct Download {
    client: Client,
    length: u64,
    /// The ETag of the object that was opened: another one in its place is an error.
    etag: Option<String>,
    window: Mutex<Window>,
}

/// The length of the whole object, of which an answer has a range.
pub(super) fn whole_length(answer: &Answer) -> Option<u64> {
    let range = answer.header("content-range")?;
    range.rsplit_once('/')?.1.trim().parse().ok()
}

impl Download {
    /// Opens an object: reads its beginning.
    pub fn open(client: Client) -> IoResult<Download> {
        let range = Some((0, RANGE_MIN));
        let asked = waited(|| client.ask(&Ask { method: "GET", range, ..Ask::default() }));
        let empty = Window { at: 0, bytes: Vec::new(), served: 0, again: false };
        let answer = match asked {
            Ok(answer) => answer,
            // It has no beginning.
            Err(Failure::Refused(answer)) if answer.status == 416 => {
                return Ok(Download { client, length: 0, etag: None, window: Mutex::new(empty) });
            }
            Err(e) => return Err(client.failed("open", e)),
        };
        let length = match answer.status {
            206 => whole_length(&answer),
            // All of it.
            _ => Some(answer.body.len() as u64),
        };
        let Some(length) = length.filter(|n| answer.body.len() as u64 == RANGE_MIN.min(*n)) else {
            return Err(client.error(
                "open",
                12152,
                "The answer does not say how long the object is",
            ));
        };
        let etag = answer.header("etag").map(str::to_owned);
        let window = Mutex::new(Window { bytes: answer.body, ..empty });
        Ok(Download { client, length, etag, window })
    }

    /// Bytes of the object, from the store.
    fn fetch(&self, from: u64, to: u64) -> IoResult<Vec<u8>> {
        let only = self.etag.as_deref();
        let ask = Ask { method: "GET", range: Some((from, to)), only, ..Ask::default() };
        let answer = waited(|| self.client.ask(&ask)).map_err(|e| self.client.failed("read", e))?;
        let whole = whole_length(&answer).is_none_or(|n| n == self.length);
        match answer.body.len() as u64 == to - from && whole {
            true => Ok(answer.body),
            false => Err(self.client.error(
                "read",
                12152,
                "The answer is not the range that was asked for",
            )),
        }
    }

    fn refused<T>(&self, op: &'static str) -> IoResult<T> {
        Err(self.client.error(op, 50, "The request is not supported."))
    }
}

impl Volume for Download {
    fn path(&self) -> &Path {
        &self.client.path
    }

    fn kind(&self) -> VolumeKind {
        VolumeKind::Buffered
    }

    fn sector_bytes(&self) -> u32 {
        4096
    }

    fn len(&self) -> IoResult<u64> {
        Ok(self.length)
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> IoResult<()> {
        let end = offset + buf.len() as u64;
        if end > self.length {
            let e = io::Error::from(io::ErrorKind::UnexpectedEof);
            return Err(IoError::new("read", self.path(), e));
        }
        let mut window = self.window.lock();
        if offset < window.served && offset >= window.at {
            // Who reads a second time may want more than the same bytes once more: what came may not be what is there.
            if window.again {
                *window = Window { at: offset, bytes: Vec::new(), served: offset, again: false };
            } else {
                window.again = true;
            }
        }
        let mut at = offset;
        while at < end {
            if !(window.at..window.end()).contains(&at) {
                let before = window.bytes.len() as u64;
                let size = match at == window.end() {
                    true => (before * GROWTH).clamp(RANGE_MIN, RANGE_MAX),
                    false => RANGE_MIN,
                };
                let to = (at + size.max(end - at)).min(self.length);
                let bytes = self.fetch(at, to)?;
                *window = Window { at, bytes, served: at, again: false };
            }
            let from = (at - window.at) as usize;
            let n = (window.bytes.len() - from).min((end - at) as usize);
            let to = (at - offset) as usize;
            buf[to..to + n].copy_from_slice(&window.bytes[from..from + n]);
            at += n as u64;
        }
        window.served = window.served.max(end);
        Ok(())
    }

    fn write_at(&self, _: u64, _: &[u8]) -> IoResult<()> {
        self.refused("write")
    }

    fn write_durable(&self, _: u64, _: &[IoSlice<'_>]) -> IoResult<()> {
        self.refused("write")
    }

    fn submit(&self, _: Vec<WriteOp>) -> IoResult<()> {
        self.refused("write")
    }

    fn reap(&self, _: usize) -> IoResult<Vec<WriteDone>> {
        Ok(Vec::new())
    }

    fn allocate(&self, _: u64, _: u64) -> IoResult<()> {
        self.refused("write")
    }

    fn sync(&self) -> IoResult<()> {
        Ok(())
    }

    fn truncate(&self, _: u64) -> IoResult<()> {
        self.refused("write")
    }
}
