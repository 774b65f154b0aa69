//! A listener that takes so many connections at a time. None keeps its place for nothing: where no request runs, and where an
//! answer is not taken, a connection is closed after [`QUIET`]; and when all places are taken, a newcomer gets the place of the
//! connection that has been without a request for the longest. (Where all of them run requests he waits.)

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use parking_lot::Mutex;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, Sleep, sleep_until};

/// How long a connection may take for a request's head, from its beginning or the answer before, and for taking an answer.
pub(super) const QUIET: Duration = Duration::from_secs(15);

/// Where a request comes from.
#[derive(Clone)]
pub(super) struct Peer {
    pub(super) address: SocketAddr,
    life: Arc<Life>,
}

impl Peer {
    /// A request runs for as long as this is kept.
    pub(super) fn begin(&self) -> Running {
        self.life.running.fetch_add(1, Ordering::AcqRel);
        Running(self.life.clone())
    }

    /// Of the request that has begun the body has not come yet: its connection gives way like one without a request.
    pub(super) fn receives(&self, receives: bool) {
        self.life.receives.store(receives, Ordering::Release);
    }
}

/// What a connection does.
struct Life {
    /// Requests that run.
    running: AtomicUsize,
    /// The one that runs has not come whole.
    receives: AtomicBool,
    /// Since when none does.
    since: Mutex<Instant>,
    /// It has to give way.
    leaves: AtomicBool,
    /// Who reads from it.
    reader: Mutex<Option<Waker>>,
}

impl Life {
    /// A request that has come whole runs.
    fn works(&self) -> bool {
        self.running.load(Ordering::Acquire) > 0 && !self.receives.load(Ordering::Acquire)
    }

    /// Since when nothing has been done for it, unless something is.
    fn idle_since(&self) -> Option<Instant> {
        (!self.works() && !self.leaves.load(Ordering::Acquire)).then(|| *self.since.lock())
    }

    fn leave(&self) {
        self.leaves.store(true, Ordering::Release);
        if let Some(reader) = self.reader.lock().take() {
            reader.wake();
        }
    }
}

/// A request on its connection.
pub(super) struct Running(Arc<Life>);

impl Drop for Running {
    fn drop(&mut self) {
        *self.0.since.lock() = Instant::now();
        self.0.running.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Connected<IncomingStream<'_, Limited>> for Peer {
    fn connect_info(stream: IncomingStream<'_, Limited>) -> Peer {
        Peer { address: *stream.remote_addr(), life: stream.io().life.clone() }
    }
}

/// See the module's text.
pub(super) struct Limited {
    listener: TcpListener,
    places: Arc<Semaphore>,
    /// The connections that there are, and some that there were.
    lives: Vec<Weak<Life>>,
}

/// How often it is looked whether a connection can give way.
const LOOK: Duration = Duration::from_millis(20);

impl Limited {
    pub(super) fn new(listener: TcpListener, connections: usize) -> Limited {
        Limited { listener, places: Arc::new(Semaphore::new(connections)), lives: Vec::new() }
    }

    /// A place for a newcomer.
    async fn place(&mut self) -> OwnedSemaphorePermit {
        loop {
            if let Ok(place) = Arc::clone(&self.places).try_acquire_owned() {
                return place;
            }
            let lives = self.lives.iter().filter_map(Weak::upgrade);
            let idle = lives.filter_map(|life| Some((life.idle_since()?, life)));
            if let Some((_, life)) = idle.min_by_key(|(since, _)| *since) {
                life.leave();
            }
            let place = Arc::clone(&self.places).acquire_owned();
            if let Ok(Ok(place)) = tokio::time::timeout(LOOK, place).await {
                return place;
            }
        }
    }

    fn hold(&mut self, stream: TcpStream, place: OwnedSemaphorePermit) -> Held {
        let held = Held::new(stream, place);
        self.lives.retain(|life| life.strong_count() > 0);
        self.lives.push(Arc::downgrade(&held.life));
        held
    }
}

impl Listener for Limited {
    type Io = Held;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Held, SocketAddr) {
        loop {
            match self.listener.accept().await {
                Ok((stream, peer)) => {
                    // Answers are small; without it they wait for more. A socket that refuses that works the same.
                    let _ = stream.set_nodelay(true);
                    let place = self.place().await;
                    return (self.hold(stream, place), peer);
                }
                // It has gone again, or there are no descriptors.
                Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// A connection and its place.
pub(super) struct Held {
    stream: TcpStream,
    life: Arc<Life>,
    /// Ends the waiting for a request.
    quiet: Pin<Box<Sleep>>,
    /// Ends the waiting for room to write, while there is any.
    stalled: Option<Pin<Box<Sleep>>>,
    _place: OwnedSemaphorePermit,
}

impl Held {
    fn new(stream: TcpStream, place: OwnedSemaphorePermit) -> Held {
        let now = Instant::now();
        let life = Arc::new(Life {
            running: AtomicUsize::new(0),
            receives: AtomicBool::new(false),
            since: Mutex::new(now),
            leaves: AtomicBool::new(false),
            reader: Mutex::new(None),
        });
        let quiet = Box::pin(sleep_until(now + QUIET));
        Held { stream, life, quiet, stalled: None, _place: place }
    }

    /// An error when no request has run for too long. (When one ends, the connection looks for the next, and comes here.)
    fn poll_quiet(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
        *self.life.reader.lock() = Some(cx.waker().clone());
        // Looked at behind the waker, as `leave` sets it before: one of the two sees the other.
        // A request that has come meanwhile is answered.
        if self.life.leaves.load(Ordering::Acquire) && !self.life.works() {
            return Err(io::ErrorKind::ConnectionAborted.into());
        }
        if self.life.running.load(Ordering::Acquire) > 0 {
            return Ok(());
        }
        let due = *self.life.since.lock() + QUIET;
        if self.quiet.deadline() != due {
            self.quiet.as_mut().reset(due);
        }
        match self.quiet.as_mut().poll(cx) {
            Poll::Ready(()) => Err(io::ErrorKind::TimedOut.into()),
            Poll::Pending => Ok(()),
        }
    }

    /// What a write has come to; an error when there has been no room for too long.
    fn written<T>(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let stalled =
            self.stalled.get_or_insert_with(|| Box::pin(sleep_until(Instant::now() + QUIET)));
        match stalled.as_mut().poll(cx) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl AsyncRead for Held {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.poll_quiet(cx)?;
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl AsyncWrite for Held {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        data: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, data);
        self.written(cx, written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, parts);
        self.written(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
