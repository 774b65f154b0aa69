//! A listener that takes so many connections at a time: a flood of them waits in the system's queue. None keeps its place for
//! nothing: where no request runs, and where an answer is not taken, a connection is closed after [`QUIET`].

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use parking_lot::Mutex;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
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
}

/// What a connection does.
struct Life {
    /// Requests that run.
    running: AtomicUsize,
    /// Since when none does.
    since: Mutex<Instant>,
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
}

impl Limited {
    pub(super) fn new(listener: TcpListener, connections: usize) -> Limited {
        Limited { listener, places: Arc::new(Semaphore::new(connections)) }
    }
}

impl Listener for Limited {
    type Io = Held;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Held, SocketAddr) {
        loop {
            let Ok(place) = Arc::clone(&self.places).acquire_owned().await else {
                // Nobody closes it.
                return std::future::pending().await;
            };
            match self.listener.accept().await {
                Ok((stream, peer)) => {
                    // Answers are small; without it they wait for more. A socket that refuses that works the same.
                    let _ = stream.set_nodelay(true);
                    return (Held::new(stream, place), peer);
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
        let life = Arc::new(Life { running: AtomicUsize::new(0), since: Mutex::new(now) });
        let quiet = Box::pin(sleep_until(now + QUIET));
        Held { stream, life, quiet, stalled: None, _place: place }
    }

    /// An error when no request has run for too long. (When one ends, the connection looks for the next, and comes here.)
    fn poll_quiet(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
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
