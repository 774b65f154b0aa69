//! HTTP, on one thread of its own: `/metrics`, `/healthz`, `/readyz`, and the [`console`].
//!
//! ```text
//!  Limited (so many connections) ─▶ axum ─▶ handler ── what blocks ──▶ one of a few helping threads
//! ```
//!
//! * Nothing of it runs where sessions run, and nothing here waits for one: the figures are read from atomic cells.
//! * Who comes over loopback, and says so in the Host header, is on this machine. (A page elsewhere whose name leads to 127.0.0.1
//!   says its own name there; a proxy on this machine says for whom it asks, or speaks HTTP/1.0.) Others need what each handler asks for.
//! * A login that comes with a request for metrics is looked at as the console's are, and has to have what the views behind them need.

mod access;
mod connections;
mod console;
mod metrics;

use crate::acceptor::STACK_BYTES;
use crate::errorlog::Level;
use crate::listener::Shared;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{ConnectInfo, DefaultBodyLimit, Request, State};
use axum::http::{HeaderMap, StatusCode, Version, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use connections::{Limited, Peer, QUIET};
use console::logins::{self, Given, NotIn};
use console::{Account, Console};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;
use taffrail_engine::Outlet;
use tokio::sync::watch;

/// Connections at a time; for more those give way that have no request. All viewers and all sessions of pages together are fewer
/// ([`console`]'s bounds), so there is always one for who logs in.
const CONNECTIONS: usize = 160;
/// Threads for what blocks.
const HELPERS: usize = 4;
/// What a request may bring.
const BODY_BYTES: usize = 8 << 10;
/// How long requests may go on after the order to stop.
const GRACE: Duration = Duration::from_secs(1);

/// What the handlers use.
#[derive(Clone)]
struct Web {
    shared: Arc<Shared>,
    console: Arc<Console>,
}

/// The running thread.
pub(crate) struct WebServer {
    address: SocketAddr,
    stop: watch::Sender<bool>,
    thread: Option<JoinHandle<()>>,
}

impl WebServer {
    /// Serves on a listener.
    pub(crate) fn start(shared: Arc<Shared>, listener: TcpListener) -> std::io::Result<WebServer> {
        let address = listener.local_addr()?;
        listener.set_nonblocking(true)?;
        let (stop, stopped) = watch::channel(false);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .enable_time()
            .max_blocking_threads(HELPERS)
            .thread_stack_size(STACK_BYTES)
            .thread_keep_alive(Duration::from_secs(5))
            .thread_name("console helper")
            .build()?;
        let run = move || {
            let log = shared.log.clone();
            let console = Arc::new(Console::new(&shared));
            let web = Web { shared, console: console.clone() };
            let served = runtime.block_on(serve(web, listener, stopped));
            // What still runs in a helper is not waited for longer than the requests were.
            runtime.shutdown_timeout(GRACE);
            console.stop();
            if let Err(e) = served {
                log.write(Level::Error, "Server", &format!("The console has ended: {e}."));
            }
        };
        let thread = thread::Builder::new().name("console".into()).spawn(run)?;
        Ok(WebServer { address, stop, thread: Some(thread) })
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Ends it; requests that run get [`GRACE`].
    pub(crate) fn stop(&mut self) {
        // Without a receiver it has ended already.
        let _ = self.stop.send(true);
        if let Some(thread) = self.thread.take() {
            // A panic has said on standard error what it was.
            let _ = thread.join();
        }
    }
}

async fn serve(
    web: Web,
    listener: TcpListener,
    stopped: watch::Receiver<bool>,
) -> std::io::Result<()> {
    let listener = Limited::new(tokio::net::TcpListener::from_std(listener)?, CONNECTIONS);
    let console = web.console.clone();
    let app = router(web).into_make_service_with_connect_info::<Peer>();
    let order = |mut stopped: watch::Receiver<bool>| async move {
        // An error: whoever gives orders has gone.
        let _ = stopped.wait_for(|stop| *stop).await;
    };
    let late = order(stopped.clone());
    let ordered = async move {
        order(stopped).await;
        // Streams have no end of their own.
        console.end_streams();
    };
    let served = axum::serve(listener, app).with_graceful_shutdown(ordered);
    tokio::select! {
        served = served.into_future() => served,
        () = async { late.await; tokio::time::sleep(GRACE).await } => Ok(()),
    }
}

fn router(web: Web) -> Router {
    Router::new()
        .route("/healthz", get(healthz))
        .route("/readyz", get(readyz))
        .route("/metrics", get(metrics))
        .merge(console::router(web.clone()))
        .fallback(|| async { (StatusCode::NOT_FOUND, "There is no such page.\n") })
        // How long a body may be [`in_time`] says: handlers find it whole.
        .layer(DefaultBodyLimit::disable())
        .layer(middleware::from_fn_with_state(web.clone(), in_time))
        .layer(middleware::from_fn(with_headers))
        .with_state(web)
}

/// A request has come whole, in time, before anything is done about it; its connection knows that it runs.
async fn in_time(
    State(web): State<Web>,
    ConnectInfo(peer): ConnectInfo<Peer>,
    request: Request,
    next: Next,
) -> Response {
    let _running = peer.begin();
    let (mut parts, body) = request.into_parts();
    peer.receives(true);
    let most = match web.console.body_bytes(parts.uri.path(), &parts.headers) {
        None => BODY_BYTES,
        Some(Ok((most, large))) => {
            parts.extensions.insert(large);
            most
        }
        Some(Err(refused)) => return *refused,
    };
    let received = tokio::time::timeout(QUIET, to_bytes(body, most)).await;
    peer.receives(false);
    let body = match received {
        Ok(Ok(body)) => body,
        // It is too long, or who sends it has gone.
        Ok(Err(_)) => {
            let why = format!("A request here may have {most} bytes.");
            return console::refused(StatusCode::PAYLOAD_TOO_LARGE, &why);
        }
        Err(_) => return StatusCode::REQUEST_TIMEOUT.into_response(),
    };
    next.run(Request::from_parts(parts, Body::from(body))).await
}

/// What every answer says.
async fn with_headers(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    let fixed = [
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
    ];
    for (name, value) in fixed {
        headers.entry(name).or_insert(header::HeaderValue::from_static(value));
    }
    response
}

/// The process answers.
async fn healthz() -> &'static str {
    "ok\n"
}

/// The server takes logins and is not about to end; behind that, which databases are still being recovered.
async fn readyz(State(web): State<Web>) -> (StatusCode, String) {
    if web.shared.is_stopping() || web.shared.instance.lost().is_some() {
        return (StatusCode::SERVICE_UNAVAILABLE, "stopping\n".into());
    }
    let mut text = String::from("ready\n");
    for (name, percent) in web.shared.instance.recovering() {
        text += &format!("recovering {name}: {percent:.0} %\n");
    }
    (StatusCode::OK, text)
}

async fn metrics(
    State(web): State<Web>,
    ConnectInfo(peer): ConnectInfo<Peer>,
    version: Version,
    headers: HeaderMap,
) -> Response {
    let allowed = match access::basic(&headers) {
        Some(given) => may_scrape(&web, &peer, given, (version, &headers)).await,
        None => bears_token(&web, peer.address, version, &headers),
    };
    if let Err(answer) = allowed {
        return *answer;
    }
    let format = metrics::Format::wanted(&headers);
    let text = tokio::task::spawn_blocking(move || {
        let pipelines = &web.shared.instance.storage().pipelines;
        let outlet = Outlet::of_now(pipelines);
        let families = taffrail_engine::metrics::families(&web.shared.instance);
        // What was counted is durable before it is told.
        outlet.pass(pipelines).map(|()| metrics::text(&families, format))
    });
    let kind = [(header::CONTENT_TYPE, format.content_type()), (header::VARY, "Accept")];
    match text.await {
        Ok(Ok(text)) => (kind, text).into_response(),
        _ => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// Whether who brings no login may have the metrics: he is on this machine, or has the token; else the answer.
fn bears_token(
    web: &Web,
    from: SocketAddr,
    version: Version,
    headers: &HeaderMap,
) -> Result<(), Box<Response>> {
    if access::is_local(from, version, headers) {
        return Ok(());
    }
    match web.shared.settings.metrics_token.as_deref() {
        None => {
            let text = "From elsewhere a token is needed, and none is set: metrics_token_file.\n";
            Err(Box::new((StatusCode::FORBIDDEN, text).into_response()))
        }
        Some(token) if !access::bears(headers, token) => {
            let ask = [(header::WWW_AUTHENTICATE, "Bearer")];
            let text = "A token is needed.\n";
            Err(Box::new((StatusCode::UNAUTHORIZED, ask, text).into_response()))
        }
        Some(_) => Ok(()),
    }
}

/// Whether a login that was given by name and password may have the metrics; else the answer.
async fn may_scrape(
    web: &Web,
    peer: &Peer,
    given: Result<(String, String), ()>,
    (version, headers): (Version, &HeaderMap),
) -> Result<(), Box<Response>> {
    let no = |status, why: &str| Box::new((status, format!("{why}\n")).into_response());
    // It would stand in the clear on a network: whoever has sent it hears not to.
    if !access::means_own_machine(version, headers) {
        let why = "HTTP is not encrypted: a login's password is taken of who calls this localhost. From elsewhere the token of \
            metrics_token_file does.";
        return Err(no(StatusCode::FORBIDDEN, why));
    }
    let (login, password) = given.map_err(|()| {
        no(StatusCode::BAD_REQUEST, "Basic, and name:password in base64, is expected.")
    })?;
    let given = Given { login, password, new_password: None };
    let login = logins::verified(web, peer, given).await.map_err(|e| match e {
        NotIn::Refused(e) => {
            let ask = [(header::WWW_AUTHENTICATE, "Basic realm=\"Taffrail\"")];
            let text = format!("{}\n", e.message);
            Box::new((StatusCode::UNAUTHORIZED, ask, text).into_response())
        }
        NotIn::Otherwise(answer) => answer,
    })?;
    let (console, account) = (web.console.clone(), Account::from(&login));
    let may = tokio::task::spawn_blocking(move || console.may_read_metrics(&account)).await;
    console::look_after(web);
    match may {
        Ok(Ok(())) => Ok(()),
        Ok(Err(e)) if e.is_refusal => Err(no(StatusCode::FORBIDDEN, &e.text)),
        Ok(Err(e)) => Err(no(StatusCode::SERVICE_UNAVAILABLE, &e.text)),
        Err(_) => Err(Box::new(StatusCode::INTERNAL_SERVER_ERROR.into_response())),
    }
}
