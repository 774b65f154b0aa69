//! An object that is being written: an upload of parts, of which some are under way while the next one is filled.
//!
//! ```text
//! POST ?uploads                  the upload's id
//! PUT  ?partNumber=n&uploadId=   a part; the same again where it fails, since the number says which it is
//! POST ?uploadId=                the parts become the object, all at once
//! DELETE ?uploadId=              instead: the parts go
//! ```
//! When the last answer is lost, the object is read back: its length, its first bytes, which have the media's new identity, and its last.

use super::client::{Ask, Client, Failure, waited};
use super::{address, xml};
use parking_lot::{Condvar, Mutex};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use taffrail_io::{IoError, IoResult, Volume, VolumeKind, WriteDone, WriteOp};

/// Parts of an object at most.
const PARTS_MAX: u32 = 10_000;
/// Bytes at each end that are compared.
const ENDS: usize = 4096;
/// The longest time between two looks whether anybody still waits.
const LOOK: Duration = Duration::from_millis(100);

/// A part that waits for who sends it: its number, and its bytes.
type Part = (u32, Vec<u8>);

/// Parts between the thread that fills them and those that send them.
#[derive(Default)]
struct Queue {
    waiting: Vec<Part>,
    /// Parts that wait or are under way.
    in_hand: usize,
    etags: Vec<(u32, String)>,
    spare: Vec<Vec<u8>>,
    failed: Option<IoError>,
    closed: bool,
}

#[derive(Default)]
struct Parts {
    queue: Mutex<Queue>,
    changed: Condvar,
}

/// The part that is filled.
struct Filling {
    part: Vec<u8>,
    number: u32,
    length: u64,
    first: Vec<u8>,
    last: Vec<u8>,
    ended: bool,
}

/// An upload of an object.
pub(super) struct Upload {
    client: Client,
    id: String,
    part_bytes: usize,
    at_once: usize,
    shared: Arc<Parts>,
    filling: Mutex<Filling>,
    done: Mutex<Vec<WriteDone>>,
    senders: Mutex<Vec<JoinHandle<()>>>,
    /// The upload is given up: whoever sends stops.
    given_up: Arc<AtomicBool>,
}

impl Upload {
    /// Begins an upload, of parts of so many bytes, with so many of them under way at once.
    pub fn begin(client: Client, part_bytes: usize, at_once: usize) -> IoResult<Upload> {
        let asked =
            waited(|| client.ask(&Ask { method: "POST", query: "uploads=", ..Ask::default() }));
        let answer = asked.map_err(|e| client.failed("create", e))?;
        let id = xml::text(&String::from_utf8_lossy(&answer.body), "UploadId");
        let id = id.ok_or_else(|| client.error("create", 12152, "The answer has no UploadId"))?;
        let given_up = Arc::new(AtomicBool::new(false));
        let filling = Filling {
            part: Vec::with_capacity(part_bytes),
            number: 1,
            length: 0,
            first: Vec::new(),
            last: Vec::new(),
            ended: false,
        };
        let upload = Upload {
            client,
            id: address::encoded(&id, false),
            part_bytes,
            at_once,
            shared: Arc::default(),
            filling: Mutex::new(filling),
            done: Mutex::default(),
            senders: Mutex::default(),
            given_up,
        };
        for _ in 0..at_once {
            let sender = upload.sender();
            let sender = thread::Builder::new().name("backup upload".into()).spawn(sender);
            let sender = sender.map_err(|e| IoError::new("create", upload.path(), e))?;
            upload.senders.lock().push(sender);
        }
        Ok(upload)
    }

    /// The work of a thread that sends parts, one after the other.
    fn sender(&self) -> impl FnOnce() + use<> {
        let client = self.client.with(self.client.stop().or(&self.given_up));
        let (shared, id) = (Arc::clone(&self.shared), self.id.clone());
        move || {
            loop {
                let mut queue = shared.queue.lock();
                let (number, bytes) = loop {
                    match queue.waiting.pop() {
                        Some(part) => break part,
                        None if queue.closed => return,
                        None => shared.changed.wait(&mut queue),
                    }
                };
                drop(queue);
                let sent = send(&client, &id, number, &bytes);
                let mut queue = shared.queue.lock();
                queue.in_hand -= 1;
                queue.spare.push(bytes);
                match sent {
                    Ok(etag) => queue.etags.push((number, etag)),
                    Err(e) => {
                        queue.failed.get_or_insert(e);
                    }
                }
                shared.changed.notify_all();
            }
        }
    }

    /// Waits until no more than so many parts are under way; an error: one has failed.
    fn settle(&self, most: usize) -> IoResult<Vec<u8>> {
        waited(|| {
            let mut queue = self.shared.queue.lock();
            loop {
                if let Some(e) = &queue.failed {
                    return Err(e.duplicate());
                }
                if queue.in_hand <= most {
                    return Ok(queue.spare.pop().unwrap_or_default());
                }
                self.shared.changed.wait_for(&mut queue, LOOK);
            }
        })
    }

    /// Hands the part that is filled to who sends it.
    fn hand_over(&self, filling: &mut Filling) -> IoResult<()> {
        if filling.number > PARTS_MAX {
            return Err(self.client.error("write", 87, "The parameter is incorrect."));
        }
        let mut next = self.settle(self.at_once - 1)?;
        next.clear();
        next.reserve_exact(self.part_bytes);
        let part = std::mem::replace(&mut filling.part, next);
        let mut queue = self.shared.queue.lock();
        queue.waiting.push((filling.number, part));
        queue.in_hand += 1;
        filling.number += 1;
        drop(queue);
        self.shared.changed.notify_all();
        Ok(())
    }

    /// Sends the last part, and waits until all have been.
    fn send_rest(&self, filling: &mut Filling) -> IoResult<()> {
        if !filling.part.is_empty() {
            self.hand_over(filling)?;
        }
        self.settle(0).map(drop)
    }

    /// The parts become the object.
    fn end(&self, filling: &mut Filling) -> IoResult<()> {
        self.send_rest(filling)?;
        let mut etags = self.shared.queue.lock().etags.clone();
        etags.sort();
        let mut body = String::from("<CompleteMultipartUpload>");
        for (number, etag) in &etags {
            let etag = xml::escaped(etag);
            body.push_str(&format!(
                "<Part><PartNumber>{number}</PartNumber><ETag>{etag}</ETag></Part>"
            ));
        }
        body.push_str("</CompleteMultipartUpload>");
        let query = format!("uploadId={}", self.id);
        let ask = Ask { method: "POST", query: &query, body: body.as_bytes(), ..Ask::default() };
        waited(|| self.complete(&ask, filling))
    }

    /// Asks for the end, once more only after a look whether it has been.
    fn complete(&self, ask: &Ask<'_>, filling: &Filling) -> IoResult<()> {
        let client = &self.client;
        let (mut times, mut lost) = (0, false);
        loop {
            let e = match client.once(ask) {
                Ok(answer) if is_result(&answer.body) => return Ok(()),
                // The store may say in the body that it could not. What says neither may be somebody else's answer.
                Ok(answer) => Failure::Refused(answer),
                Err(e) => e,
            };
            let code = e.code();
            let inside = matches!(&e, Failure::Refused(answer) if answer.status / 100 == 2);
            let passes = e.may_pass() || (inside && matches!(&*code, "" | "InternalError"));
            // Whoever says that it is busy may stand between, and have passed it on.
            lost |= passes;
            let gone = lost && code == "NoSuchUpload";
            if !passes && !gone {
                return Err(client.failed("write", e));
            }
            times += 1;
            let goes_on = times < client.tries() && client.pause(times);
            if self.is_there(filling)? {
                return Ok(());
            }
            if gone || !goes_on {
                return Err(client.failed("write", e));
            }
        }
    }

    /// Whether the object is the one that was written.
    fn is_there(&self, filling: &Filling) -> IoResult<bool> {
        let part = |from: u64, bytes: &[u8]| {
            let range = Some((from, from + bytes.len() as u64));
            match self.client.ask(&Ask { method: "GET", range, ..Ask::default() }) {
                Ok(answer) => {
                    let length = super::download::whole_length(&answer);
                    Ok(answer.body == bytes && length == Some(filling.length))
                }
                Err(Failure::Refused(answer)) if matches!(answer.status, 404 | 416) => Ok(false),
                Err(e) => Err(self.client.failed("write", e)),
            }
        };
        let last = filling.length - filling.last.len() as u64;
        Ok(part(0, &filling.first)? && part(last, &filling.last)?)
    }

    fn refused<T>(&self, op: &'static str) -> IoResult<T> {
        Err(self.client.error(op, 50, "The request is not supported."))
    }
}

/// Whether the body of an answer says that the parts have become an object.
fn is_result(body: &[u8]) -> bool {
    String::from_utf8_lossy(body).contains("CompleteMultipartUploadResult")
}

/// Sends a part; gives its ETag.
fn send(client: &Client, id: &str, number: u32, bytes: &[u8]) -> IoResult<String> {
    let query = format!("partNumber={number}&uploadId={id}");
    let asked = client.ask(&Ask { method: "PUT", query: &query, body: bytes, ..Ask::default() });
    let answer = asked.map_err(|e| client.failed("write", e))?;
    let etag = answer.header("etag").map(str::to_owned);
    etag.ok_or_else(|| client.error("write", 12152, "The answer has no ETag"))
}

impl Volume for Upload {
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
        Ok(self.filling.lock().length)
    }

    fn read_at(&self, _: u64, _: &mut [u8]) -> IoResult<()> {
        self.refused("read")
    }

    fn write_at(&self, offset: u64, mut data: &[u8]) -> IoResult<()> {
        let mut filling = self.filling.lock();
        if filling.ended || offset != filling.length {
            return self.refused("write");
        }
        let missing = ENDS - filling.first.len();
        filling.first.extend_from_slice(&data[..data.len().min(missing)]);
        filling.last.extend_from_slice(&data[data.len().saturating_sub(ENDS)..]);
        let old = filling.last.len().saturating_sub(ENDS);
        filling.last.drain(..old);
        while !data.is_empty() {
            let room = self.part_bytes - filling.part.len();
            let (now, later) = data.split_at(room.min(data.len()));
            filling.part.extend_from_slice(now);
            filling.length += now.len() as u64;
            data = later;
            if filling.part.len() == self.part_bytes {
                self.hand_over(&mut filling)?;
            }
        }
        Ok(())
    }

    fn write_durable(&self, _: u64, _: &[std::io::IoSlice<'_>]) -> IoResult<()> {
        self.refused("write")
    }

    fn submit(&self, ops: Vec<WriteOp>) -> IoResult<()> {
        for WriteOp { token, offset, buf, len } in ops {
            let result = self.write_at(offset, &buf[..len]);
            self.done.lock().push(WriteDone { token, buf, result });
        }
        Ok(())
    }

    fn reap(&self, _: usize) -> IoResult<Vec<WriteDone>> {
        Ok(std::mem::take(&mut self.done.lock()))
    }

    fn allocate(&self, _: u64, _: u64) -> IoResult<()> {
        Ok(())
    }

    fn sync(&self) -> IoResult<()> {
        let mut filling = self.filling.lock();
        if filling.ended {
            return self.refused("write");
        }
        self.end(&mut filling)?;
        filling.ended = true;
        Ok(())
    }

    fn truncate(&self, len: u64) -> IoResult<()> {
        let mut filling = self.filling.lock();
        match filling.length == len {
            true => self.send_rest(&mut filling),
            false => self.refused("write"),
        }
    }
}

impl Drop for Upload {
    /// Ends those who send; what did not become an object goes.
    fn drop(&mut self) {
        let ended = self.filling.get_mut().ended;
        self.given_up.store(!ended, Ordering::Release);
        self.shared.queue.lock().closed = true;
        self.shared.changed.notify_all();
        for sender in self.senders.get_mut().drain(..) {
            // One that has panicked has told so.
            let _ = sender.join();
        }
        if !ended {
            let query = format!("uploadId={}", self.id);
            let client = self.client.hurried();
            // Whoever failed has told why. What stays is what the store's own rules remove.
            let _ = client.ask(&Ask { method: "DELETE", query: &query, ..Ask::default() });
        }
    }
}
