//! Batches that people write: each page that has asked for it has a session of its own, which keeps its database, its temporary
//! tables and its transaction from batch to batch.
//!
//! ```text
//!  POST /api/query ──▶ a thread for the batch ──chunks, a few at a time──▶ the answer's body
//! ```
//!
//! Who does not take the answer keeps the batch waiting, and who goes away ends it. A session ends with its page: when that says
//! so, or says nothing for [`SILENCE`], or its login ends.

use super::grid::Grid;
use super::reader::STOPS;
use super::session::{Account, Session, Trouble};
use super::{Who, json_of, logins, look_after, refused};
use crate::acceptor::STACK_BYTES;
use crate::web::Web;
use crate::web::connections::{Peer, Running};
use axum::body::{Body, Bytes};
use axum::extract::{ConnectInfo, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::json;
use std::collections::HashMap;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};
use taffrail_engine::{CancelHandle, ConnectionFate, Instance};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

/// Sessions at a time, and of one login.
pub(super) const SESSIONS: usize = 64;
const SESSIONS_OF_LOGIN: usize = 32;
/// Chunks that wait for a viewer.
const CHUNKS: usize = 4;
/// A page says each minute that it is there.
const SILENCE: Duration = Duration::from_secs(300);
/// A batch and what is around it.
pub(crate) const BATCH_BYTES: usize = 32 << 20;
/// Batches of more bytes are large: only so many ([`LARGES`]) are there at a time, running ones included.
const LARGE_BYTES: usize = 1 << 20;
const LARGES: usize = 2;

/// A place among the large batches, for as long as it is kept; none for a batch that is not large.
#[derive(Clone)]
pub(in crate::web) struct Large {
    _place: Option<Arc<OwnedSemaphorePermit>>,
}

/// Whose session: the login's token, and the name that the page has given it.
type Key = (String, String);

type Open = HashMap<Key, Arc<Slot>>;

/// The sessions of pages.
pub(super) struct Queries {
    instance: Arc<Instance>,
    open: Arc<Mutex<Open>>,
    stopping: AtomicBool,
    large: Arc<Semaphore>,
}

struct Slot {
    of: Account,
    /// None while a batch runs, and when it has ended.
    session: Mutex<Option<Session>>,
    cancel: CancelHandle,
    heard: Mutex<Instant>,
    runs: AtomicBool,
    /// Nobody wants it any more: the batch that runs is the last.
    ends: AtomicBool,
}

impl Slot {
    fn end(&self) {
        self.ends.store(true, Ordering::SeqCst);
        self.cancel.cancel();
        drop(self.session.lock().take());
    }
}

impl Queries {
    pub(super) fn new(instance: Arc<Instance>) -> Queries {
        let large = Arc::new(Semaphore::new(LARGES));
        Queries { instance, open: Arc::default(), stopping: AtomicBool::new(false), large }
    }

    /// How many bytes a batch may have, by what its header says, and its place if it is large.
    pub(super) fn room(&self, headers: &HeaderMap) -> Result<(usize, Large), Box<Response>> {
        let length =
            headers.get(header::CONTENT_LENGTH).and_then(|l| l.to_str().ok()?.parse().ok());
        let length: usize = length.unwrap_or(0);
        if length > BATCH_BYTES {
            let why = format!(
                "A batch may have {} MiB here, this one has {:.1} MiB. GO divides a script into batches; sqlcmd -i takes longer ones.",
                BATCH_BYTES >> 20,
                length as f64 / f64::from(1 << 20)
            );
            return Err(Box::new(refused(StatusCode::PAYLOAD_TOO_LARGE, &why)));
        }
        if length <= LARGE_BYTES {
            return Ok((LARGE_BYTES, Large { _place: None }));
        }
        match Arc::clone(&self.large).try_acquire_owned() {
            Ok(place) => Ok((BATCH_BYTES, Large { _place: Some(Arc::new(place)) })),
            Err(_) => {
                let why =
                    format!("{LARGES} batches of more than 1 MiB are there already: try again.");
                Err(Box::new(refused(StatusCode::SERVICE_UNAVAILABLE, &why)))
            }
        }
    }

    fn find(&self, key: &Key) -> Option<Arc<Slot>> {
        let slot = self.open.lock().get(key).cloned()?;
        *slot.heard.lock() = Instant::now();
        Some(slot)
    }

    /// The session of a page, opened when it is the first time.
    fn session(&self, key: &Key, who: &Account) -> Result<Arc<Slot>, Trouble> {
        if let Some(slot) = self.find(key) {
            return Ok(slot);
        }
        let mut session = Session::for_queries(&self.instance, &who.name)?;
        let slot = Arc::new_cyclic(|own| {
            session.on_kill(killed(Arc::downgrade(&self.open), own.clone()));
            Slot {
                of: who.clone(),
                cancel: session.cancel_handle(),
                session: Mutex::new(Some(session)),
                heard: Mutex::new(Instant::now()),
                runs: AtomicBool::new(false),
                ends: AtomicBool::new(false),
            }
        });
        let mut open = self.open.lock();
        if self.stopping.load(Ordering::SeqCst) {
            return Err("The server is about to end.".into());
        }
        if open.len() >= SESSIONS {
            return Err(format!("There are {SESSIONS} sessions of pages already.").into());
        }
        if open.values().filter(|slot| slot.of == *who).count() >= SESSIONS_OF_LOGIN {
            let why =
                format!("There are {SESSIONS_OF_LOGIN} sessions of this login's pages already.");
            return Err(why.into());
        }
        Ok(open.entry(key.clone()).or_insert(slot).clone())
    }

    fn remove(&self, which: impl Fn(&Key, &Slot) -> bool) {
        let mut gone = Vec::new();
        self.open.lock().retain(|key, slot| {
            let goes = which(key, slot);
            if goes {
                gone.push(slot.clone());
            }
            !goes
        });
        // A transaction may have to be rolled back: nobody waits for that with the list.
        gone.iter().for_each(|slot| slot.end());
    }

    /// Ends the sessions of a login.
    pub(super) fn end_login(&self, token: &str) {
        self.remove(|key, _| key.0 == token);
    }

    /// Ends what pages have left behind; whether there is any session left.
    pub(super) fn sweep(&self, knows: impl Fn(&str) -> bool) -> bool {
        self.remove(|key, slot| {
            let silent = slot.heard.lock().elapsed() > SILENCE && !slot.runs.load(Ordering::SeqCst);
            silent || !knows(&key.0)
        });
        !self.open.lock().is_empty()
    }

    pub(super) fn has_sessions(&self) -> bool {
        !self.open.lock().is_empty()
    }

    /// Ends all; batches that run have [`STOPS`] to stop.
    pub(super) fn stop(&self) {
        self.stopping.store(true, Ordering::SeqCst);
        let slots: Vec<Arc<Slot>> = self.open.lock().drain().map(|(_, slot)| slot).collect();
        slots.iter().for_each(|slot| {
            slot.cancel.stop();
            slot.end();
        });
        let due = Instant::now() + STOPS;
        while slots.iter().any(|s| s.runs.load(Ordering::SeqCst)) && Instant::now() < due {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// What KILL does: a session that waits for its page ends at once, one that runs something ends with that.
fn killed(open: Weak<Mutex<Open>>, own: Weak<Slot>) -> Box<dyn Fn() + Send + Sync> {
    Box::new(move || {
        let (open, own) = (open.clone(), own.clone());
        let end = move || {
            let (Some(open), Some(own)) = (open.upgrade(), own.upgrade()) else { return };
            open.lock().retain(|_, slot| !Arc::ptr_eq(slot, &own));
            // What runs is not cancelled: it is told that it was killed.
            own.ends.store(true, Ordering::SeqCst);
            drop(own.session.lock().take());
        };
        // Its transaction is rolled back: who kills waits for nothing. Without a thread it ends with the page.
        let _ = std::thread::Builder::new()
            .name("console kill".into())
            .stack_size(STACK_BYTES)
            .spawn(end);
    })
}

#[derive(Deserialize)]
pub(super) struct Batch {
    session: String,
    database: Option<String>,
    sql: String,
}

#[derive(Deserialize)]
pub(super) struct Named {
    session: String,
}

/// Runs a batch; the answer is what [`Grid`] writes, while it happens.
pub(super) async fn run(
    State(web): State<Web>,
    ConnectInfo(peer): ConnectInfo<Peer>,
    axum::Extension(who): axum::Extension<Who>,
    axum::Extension(large): axum::Extension<Large>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let Some(batch) = logins::from_json_of::<Batch>(&headers, &body, BATCH_BYTES) else {
        let what = "{\"session\": text, \"database\": text, \"sql\": text} is expected.";
        return refused(StatusCode::BAD_REQUEST, what);
    };
    // Its text is in the batch.
    drop(body);
    let key = (who.token, batch.session.clone());
    let queries = web.console.queries.clone();
    let opened = tokio::task::spawn_blocking(move || queries.session(&key, &who.account)).await;
    let slot = match opened {
        Ok(Ok(slot)) => slot,
        Ok(Err(e)) => return refused(StatusCode::SERVICE_UNAVAILABLE, &e.text),
        Err(_) => {
            return refused(StatusCode::INTERNAL_SERVER_ERROR, "The server has made a mistake.");
        }
    };
    look_after(&web);
    let Some(session) = slot.session.lock().take() else {
        return refused(StatusCode::CONFLICT, "This page's batch before is still running.");
    };
    slot.runs.store(true, Ordering::SeqCst);
    let (to, chunks) = mpsc::channel(CHUNKS);
    let (own, started) = (slot.clone(), web.clone());
    let thread = std::thread::Builder::new()
        .name("console query".into())
        .stack_size(STACK_BYTES)
        .spawn(move || {
            work(&started, &own, session, &batch, Grid::new(to));
            drop((batch, large));
        });
    if let Err(e) = thread {
        slot.runs.store(false, Ordering::SeqCst);
        web.console.queries.remove(|_, open| std::ptr::eq(open, &*slot));
        return refused(StatusCode::SERVICE_UNAVAILABLE, &e.to_string());
    }
    let stream = Chunks { chunks, slot, _running: peer.begin() };
    let kind = [(header::CONTENT_TYPE, "application/x-ndjson")];
    (kind, Body::from_stream(stream)).into_response()
}

/// The thread of a batch.
fn work(web: &Web, slot: &Arc<Slot>, mut session: Session, batch: &Batch, mut grid: Grid) {
    let _ran = Ran(web, slot);
    let own = |name: &String| !session.database().eq_ignore_ascii_case(name);
    let mut fate = ConnectionFate::Continue;
    if let Some(name) = batch.database.as_ref().filter(|name| own(name)) {
        fate = session.run(&format!("USE [{}]", name.replace(']', "]]")), &mut grid);
    }
    let there = |s: &Session| {
        batch.database.as_ref().is_none_or(|name| s.database().eq_ignore_ascii_case(name))
    };
    if fate == ConnectionFate::Continue && there(&session) {
        fate = session.run(&batch.sql, &mut grid);
    }
    let cancelled = session.was_cancelled();
    let transactions = match fate {
        ConnectionFate::Continue => session.open_transactions(),
        ConnectionFate::Close => 0,
    };
    match fate {
        ConnectionFate::Continue if !slot.ends.load(Ordering::SeqCst) => {
            // Back first: who has heard the end sends the next one.
            *slot.session.lock() = Some(session);
            // Told to end meanwhile.
            if slot.ends.load(Ordering::SeqCst) {
                drop(slot.session.lock().take());
            }
            slot.runs.store(false, Ordering::SeqCst);
            if transactions > 0 {
                grid.transactions(transactions);
            }
            grid.end(if cancelled { "cancelled" } else { "done" });
        }
        _ => grid.end("closed"),
    }
}

/// However a batch's thread ends: a slot without its session is no use to anybody.
struct Ran<'a>(&'a Web, &'a Arc<Slot>);

impl Drop for Ran<'_> {
    fn drop(&mut self) {
        self.1.runs.store(false, Ordering::SeqCst);
        if std::thread::panicking() || self.1.session.lock().is_none() {
            let gone = |slot: &Slot| std::ptr::eq(slot, &**self.1) && slot.session.lock().is_none();
            self.0.console.queries.remove(|_, slot| gone(slot));
        }
    }
}

/// An answer's body. When it is given up, so is the batch.
struct Chunks {
    chunks: mpsc::Receiver<Bytes>,
    slot: Arc<Slot>,
    _running: Running,
}

impl futures_core::Stream for Chunks {
    type Item = Result<Bytes, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.chunks.poll_recv(cx).map(|chunk| chunk.map(Ok))
    }
}

impl Drop for Chunks {
    fn drop(&mut self) {
        // Its last chunk has come, or nobody reads it: then what runs is stopped. (A batch that comes later clears the mark.)
        if !self.chunks.is_closed() {
            self.slot.cancel.cancel();
        }
    }
}

/// Stops the batch of a session that runs.
pub(super) async fn cancel(
    State(web): State<Web>,
    axum::Extension(who): axum::Extension<Who>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    with_name(&headers, &body, |named| {
        if let Some(slot) = web.console.queries.find(&(who.token, named)) {
            slot.cancel.cancel();
        }
    })
}

/// The page is still there.
pub(super) async fn keep(
    State(web): State<Web>,
    axum::Extension(who): axum::Extension<Who>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    with_name(&headers, &body, |named| drop(web.console.queries.find(&(who.token, named))))
}

/// The page has gone.
pub(super) async fn close(
    State(web): State<Web>,
    axum::Extension(who): axum::Extension<Who>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let queries = web.console.queries.clone();
    with_name(&headers, &body, |named| {
        let own = (who.token, named);
        tokio::task::spawn_blocking(move || queries.remove(|key, _| *key == own));
    })
}

fn with_name(headers: &HeaderMap, body: &[u8], then: impl FnOnce(String)) -> Response {
    match logins::from_json::<Named>(headers, body) {
        Some(named) => {
            then(named.session);
            json_of(&json!({}))
        }
        None => refused(StatusCode::BAD_REQUEST, "{\"session\": text} is expected."),
    }
}
