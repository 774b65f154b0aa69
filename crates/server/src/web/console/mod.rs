//! The console: pages built from `console/`, the data that they show, and who may see it.
//!
//! ```text
//!  sampler (a thread for each login that looks) ──frame each second──▶ watch channel ──▶ stream of each viewer
//!  page ── what a frame has not ──▶ reader (a session for each login, one question at a time)
//!  page ── what somebody writes ──▶ query (a session of its own)
//! ```
//!
//! * The console is for the machine whose browser shows it, which calls it localhost: by itself, by a tunnel, or by a port of a container
//!   that is published there. By another name it refuses, since HTTP is not encrypted. A login goes with a cookie that no script reads and
//!   no other site sends along.
//! * A viewer that is slow misses frames; nobody waits for it.
//! * Everything is asked in T-SQL, by a session that others see; the pages show the statements ([`queries`]).
//! * Any login may log in. What it may see and do is what the engine says to its sessions: there are no permissions here. Before
//!   something is told that comes from elsewhere (rings, the hour that is kept, the error log's end) a statement asks for the view behind
//!   it.

mod assets;
mod grid;
mod history;
mod io;
mod lab;
pub(super) mod logins;
mod queries;
pub(super) mod query;
mod reader;
mod sampler;
mod session;
mod tail;
mod waits;
mod workload;

use super::{Web, access};
use crate::errorlog::Level;
use crate::web::connections::{Peer, Running};
use axum::Router;
use axum::extract::{ConnectInfo, Path, Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use history::History;
use lab::Lab;
use logins::Logins;
use parking_lot::Mutex;
use reader::Reader;
use sampler::Samplers;
use serde::Deserialize;
use serde_json::json;
pub(super) use session::{Account, Trouble};
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;
use taffrail_engine::Instance;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

/// Viewers at a time, and of one login. Each keeps a connection, as each session that runs a batch: together fewer than there are places.
const VIEWERS: usize = 64;
const VIEWERS_OF_LOGIN: usize = 32;
const _: () = assert!(VIEWERS + query::SESSIONS < super::CONNECTIONS);
/// From one look for what pages have left behind to the next.
const SWEEP: Duration = Duration::from_secs(5);

/// What the console's handlers share.
pub(super) struct Console {
    instance: Arc<Instance>,
    logins: Logins,
    samplers: Samplers,
    /// None: there was no thread for it.
    history: Option<History>,
    reader: Arc<Reader>,
    viewers: Arc<Semaphore>,
    watching: Arc<Mutex<Vec<Account>>>,
    queries: Arc<query::Queries>,
    lab: Lab,
    /// Somebody ends the sessions of pages that have gone, and of logins that ask nothing more.
    looked_after: AtomicBool,
}

impl Console {
    pub(super) fn new(shared: &Arc<crate::listener::Shared>) -> Console {
        let history = History::start(shared.instance.clone()).inspect_err(|e| {
            let text = format!("The console's charts have no past: {e}.");
            shared.log.write(Level::Error, "Server", &text);
        });
        Console {
            instance: shared.instance.clone(),
            logins: Logins::default(),
            samplers: Samplers::new(shared.instance.clone(), shared.log.clone()),
            history: history.ok(),
            reader: Arc::new(Reader::new(shared.instance.clone(), shared.log.clone())),
            viewers: Arc::new(Semaphore::new(VIEWERS)),
            watching: Arc::default(),
            queries: Arc::new(query::Queries::new(shared.instance.clone())),
            lab: Lab::new(&shared.settings.data),
            looked_after: AtomicBool::new(false),
        }
    }

    /// How many bytes a batch may bring, and its place among the large ones; none for what is no batch of somebody who is logged in.
    pub(super) fn body_bytes(
        &self,
        path: &str,
        headers: &HeaderMap,
    ) -> Option<Result<(usize, query::Large), Box<Response>>> {
        let batch = path == "/api/query" && self.find(headers).is_some();
        batch.then(|| self.queries.room(headers))
    }

    /// The login of a request.
    fn find(&self, headers: &HeaderMap) -> Option<Who> {
        self.logins.find(headers, |login| self.instance.find_login(login))
    }

    /// A token's login goes on.
    fn knows(&self, token: &str) -> bool {
        self.logins.knows(token, |login| self.instance.find_login(login))
    }

    /// Ends the streams: they have no end of their own.
    pub(super) fn end_streams(&self) {
        self.samplers.end_streams();
    }

    /// Ends what runs by itself.
    pub(super) fn stop(&self) {
        self.history.iter().for_each(History::stop);
        self.lab.stop();
        self.samplers.stop();
        self.reader.stop();
        self.queries.stop();
    }

    /// Whether a login may see what metrics tell; an error: the refusal.
    pub(super) fn may_read_metrics(&self, who: &Account) -> Result<(), Trouble> {
        self.reader.may(who, queries::MAY_READ_HISTORY)
    }

    fn has_sessions(&self) -> bool {
        self.reader.has_sessions() || self.queries.has_sessions()
    }

    /// Ends what pages have left behind; whether any session is left.
    fn sweep(&self) -> bool {
        let (asked, written) = (self.reader.sweep(), self.queries.sweep(|token| self.knows(token)));
        asked || written
    }
}

/// While there are sessions, ends those that nobody needs.
pub(super) fn look_after(web: &Web) {
    if web.console.looked_after.swap(true, Ordering::SeqCst) {
        return;
    }
    let console = web.console.clone();
    tokio::spawn(async move {
        loop {
            tokio::time::sleep(SWEEP).await;
            let own = console.clone();
            if tokio::task::spawn_blocking(move || own.sweep()).await.unwrap_or(true) {
                continue;
            }
            console.looked_after.store(false, Ordering::SeqCst);
            // One may have come just before that.
            if !console.has_sessions() || console.looked_after.swap(true, Ordering::SeqCst) {
                return;
            }
        }
    });
}

pub(super) fn router(web: Web) -> Router<Web> {
    let private = Router::new()
        .route("/api/logout", post(logins::log_out))
        .route("/api/queries", get(|| async { json_of(&queries::all()) }))
        .route("/api/stream", get(stream))
        .route("/api/history", get(history_of_the_server))
        .route("/api/log/{db}", get(log))
        .route("/api/page/{name}", get(page))
        .route("/api/io/{after}", get(io::io))
        .route("/api/ring/{session}", get(ring))
        .route("/api/events", post(event_session))
        .route("/api/kill", post(kill))
        .route("/api/lab", get(lab::told))
        .route("/api/lab/run", post(lab::run))
        .route("/api/lab/stop", post(lab::stop))
        .route("/api/lab/report/{name}", get(lab::report))
        .route("/api/query", post(query::run))
        .route("/api/query/cancel", post(query::cancel))
        .route("/api/query/keep", post(query::keep))
        .route("/api/query/close", post(query::close))
        .layer(middleware::from_fn_with_state(web.clone(), logged_in));
    let public = Router::new()
        .route("/", get(assets::index))
        .route("/assets/{name}", get(assets::asset))
        .route("/api/me", get(me))
        .route("/api/login", post(logins::log_in));
    public.merge(private).layer(middleware::from_fn(here))
}

pub(super) fn refused(status: StatusCode, why: &str) -> Response {
    (status, json_of(&json!({ "error": why }))).into_response()
}

fn json_of(value: &serde_json::Value) -> Response {
    json_text(value.to_string())
}

fn json_text(text: String) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], text).into_response()
}

/// Lets in requests that call the console localhost. Those that change something come from the page itself: another site's cannot send the
/// header.
async fn here(request: Request, next: Next) -> Response {
    if !access::means_own_machine(request.version(), request.headers()) {
        let why = "The console is served as http://localhost only: use a tunnel (ssh -L 8433:127.0.0.1:8433), \
            or publish a container's port on 127.0.0.1.";
        return refused(StatusCode::FORBIDDEN, why);
    }
    let own = request.headers().get("x-taffrail").is_some_and(|v| v == "console");
    if request.method() == Method::POST && !own {
        return refused(StatusCode::FORBIDDEN, "Only the console's own pages send this.");
    }
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    let policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
        base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    // The page of an experiment has one of its own.
    let own = headers.entry(header::CONTENT_SECURITY_POLICY);
    own.or_insert(header::HeaderValue::from_static(policy));
    headers.insert(header::X_FRAME_OPTIONS, header::HeaderValue::from_static("DENY"));
    response
}

/// Who asks; a handler behind [`logged_in`] finds it among the request's extensions.
#[derive(Clone)]
pub(super) struct Who {
    pub(super) account: Account,
    pub(super) token: String,
}

async fn logged_in(State(web): State<Web>, mut request: Request, next: Next) -> Response {
    match web.console.find(request.headers()) {
        Some(who) => {
            request.extensions_mut().insert(who);
            next.run(request).await
        }
        None => refused(StatusCode::UNAUTHORIZED, "Log in first."),
    }
}

/// Who is logged in, and only then where.
async fn me(State(web): State<Web>, headers: HeaderMap) -> Response {
    let (server, version) = (&*web.shared.server_name, env!("CARGO_PKG_VERSION"));
    match web.console.find(&headers) {
        Some(who) => {
            json_of(&json!({ "login": who.account.name, "server": server, "version": version }))
        }
        None => json_of(&json!({ "login": null })),
    }
}

/// The frames as server-sent events: the newest first, then each that a viewer is quick enough for.
async fn stream(
    State(web): State<Web>,
    ConnectInfo(peer): ConnectInfo<Peer>,
    axum::Extension(who): axum::Extension<Who>,
) -> Response {
    let Ok(place) = Arc::clone(&web.console.viewers).try_acquire_owned() else {
        let why = format!("There are {VIEWERS} viewers already.");
        return refused(StatusCode::SERVICE_UNAVAILABLE, &why);
    };
    let Some(watches) = Watches::begin(&web.console.watching, &who.account) else {
        let why = format!("There are {VIEWERS_OF_LOGIN} viewers with this login already.");
        return refused(StatusCode::SERVICE_UNAVAILABLE, &why);
    };
    let frames = match web.console.samplers.watch(&who.account) {
        Ok(mut frames) => {
            // The newest is there for who has just come.
            frames.mark_changed();
            frames
        }
        Err(e) => return refused(StatusCode::SERVICE_UNAVAILABLE, &e),
    };
    let console = web.console.clone();
    let stream = Frames {
        next: Frames::after(frames),
        console,
        token: who.token,
        _place: place,
        _watches: watches,
        _running: peer.begin(),
    };
    Sse::new(stream).keep_alive(KeepAlive::default()).into_response()
}

/// One of the viewers of a login, for as long as it is kept: nobody's viewers take all places.
struct Watches(Arc<Mutex<Vec<Account>>>, Account);

impl Watches {
    fn begin(all: &Arc<Mutex<Vec<Account>>>, who: &Account) -> Option<Watches> {
        let mut watching = all.lock();
        if watching.iter().filter(|w| *w == who).count() >= VIEWERS_OF_LOGIN {
            return None;
        }
        watching.push(who.clone());
        Some(Watches(all.clone(), who.clone()))
    }
}

impl Drop for Watches {
    fn drop(&mut self) {
        let mut watching = self.0.lock();
        if let Some(at) = watching.iter().position(|w| *w == self.1) {
            watching.swap_remove(at);
        }
    }
}

type NextFrame =
    Pin<Box<dyn Future<Output = Option<(Arc<str>, watch::Receiver<Arc<str>>)>> + Send>>;

/// A viewer's stream; it ends with the login, and its place is free again when it ends.
struct Frames {
    next: NextFrame,
    console: Arc<Console>,
    token: String,
    _place: OwnedSemaphorePermit,
    _watches: Watches,
    _running: Running,
}

impl Frames {
    fn after(mut frames: watch::Receiver<Arc<str>>) -> NextFrame {
        Box::pin(async move {
            loop {
                // An error: the sampler has ended, and so does the stream.
                frames.changed().await.ok()?;
                let frame = frames.borrow_and_update().clone();
                // Before the first sample there is nothing to show.
                if !frame.is_empty() {
                    return Some((frame, frames));
                }
            }
        })
    }
}

impl futures_core::Stream for Frames {
    type Item = Result<Event, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        match self.next.as_mut().poll(cx) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(None) => Poll::Ready(None),
            Poll::Ready(Some(_)) if !self.console.knows(&self.token) => Poll::Ready(None),
            Poll::Ready(Some((frame, frames))) => {
                self.next = Frames::after(frames);
                Poll::Ready(Some(Ok(Event::default().data(&*frame))))
            }
        }
    }
}

/// The last hour, as the server has kept it.
async fn history_of_the_server(
    State(web): State<Web>,
    axum::Extension(who): axum::Extension<Who>,
) -> Response {
    let may = move |reader: &Reader| reader.may(&who.account, queries::MAY_READ_HISTORY);
    if let Err(answer) = asked(&web, may).await {
        return answer;
    }
    match &web.console.history {
        Some(history) => json_of(&history.told()),
        None => refused(StatusCode::SERVICE_UNAVAILABLE, "The server has kept no past."),
    }
}

/// VLFs, state and growths of one database's log, and the open transactions that hold it.
async fn log(
    State(web): State<Web>,
    axum::Extension(who): axum::Extension<Who>,
    Path(db): Path<u16>,
) -> Response {
    let asked = asked(&web, move |reader| reader.log(&who.account, db));
    asked.await.map_or_else(|e| e, |answer| json_text(answer.to_string()))
}

/// The rows that a page asks for.
async fn page(
    State(web): State<Web>,
    axum::Extension(who): axum::Extension<Who>,
    Path(name): Path<String>,
) -> Response {
    match asked(&web, move |reader| reader.page(&who.account, &name).transpose()).await {
        Ok(Some(answer)) => json_text(answer.to_string()),
        Ok(None) => refused(StatusCode::NOT_FOUND, "There is no such page."),
        Err(answer) => answer,
    }
}

/// The events in the ring of an event session.
async fn ring(
    State(web): State<Web>,
    axum::Extension(who): axum::Extension<Who>,
    Path(session): Path<String>,
) -> Response {
    let asked = asked(&web, move |reader| reader.ring(&who.account, &session));
    asked.await.map_or_else(|e| e, |answer| json_of(&answer))
}

/// What the reader answers, on a helping thread; else the answer that says why not.
async fn asked<R: Send + 'static>(
    web: &Web,
    ask: impl FnOnce(&Reader) -> Result<R, Trouble> + Send + 'static,
) -> Result<R, Response> {
    let reader = web.console.reader.clone();
    let answer = tokio::task::spawn_blocking(move || ask(&reader)).await;
    look_after(web);
    match answer {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(e)) if e.is_refusal => Err(refused(StatusCode::FORBIDDEN, &e.text)),
        Ok(Err(e)) => Err(refused(StatusCode::SERVICE_UNAVAILABLE, &e.text)),
        Err(_) => {
            let why = "The server has made a mistake.";
            Err(refused(StatusCode::INTERNAL_SERVER_ERROR, why))
        }
    }
}

#[derive(Deserialize)]
struct Kill {
    session: u16,
}

/// KILL of one session.
async fn kill(
    State(web): State<Web>,
    axum::Extension(who): axum::Extension<Who>,
    headers: HeaderMap,
    body: axum::body::Bytes,
) -> Response {
    let Some(Kill { session }) = logins::from_json(&headers, &body) else {
        return refused(StatusCode::BAD_REQUEST, "{\"session\": number} is expected.");
    };
    ordered(&web, move |reader| reader.kill(&who.account, session)).await
}

#[derive(Deserialize)]
struct EventSession {
    name: String,
    start: bool,
}

/// Starts or stops an event session.
async fn event_session(
    State(web): State<Web>,
    axum::Extension(who): axum::Extension<Who>,
    headers: HeaderMap,
    body: axum::body::Bytes,
) -> Response {
    let Some(EventSession { name, start }) = logins::from_json(&headers, &body) else {
        let what = "{\"name\": text, \"start\": true or false} is expected.";
        return refused(StatusCode::BAD_REQUEST, what);
    };
    ordered(&web, move |reader| reader.event_session(&who.account, &name, start)).await
}

/// What has been ordered is done, or the engine's words why not.
async fn ordered(
    web: &Web,
    order: impl FnOnce(&Reader) -> Result<(), Trouble> + Send + 'static,
) -> Response {
    match asked(web, move |reader| Ok(order(reader))).await {
        Ok(Ok(())) => json_of(&json!({})),
        Ok(Err(e)) if e.is_refusal => refused(StatusCode::FORBIDDEN, &e.text),
        Ok(Err(e)) => refused(StatusCode::CONFLICT, &e.text),
        Err(answer) => answer,
    }
}
