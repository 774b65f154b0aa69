//! A connection's way in and out: socket, TLS, packets put together.
//!
//! The session's thread reads and writes while it waits for requests and answers them. While it executes, it reads
//! nothing; the watcher does (see [`crate::watch`]). Both go through [`Input`], under one mutex:
//!
//! 1. Only the session's thread writes to the socket. With TLS it encrypts under the mutex and writes after letting
//!    go of it, so that a client that does not read never keeps the watcher from seeing its attention.
//! 2. The watcher touches the input only while `executing` is set, and never blocks: not on the mutex, not on the socket.
//! 3. An attention that the watcher has taken is acknowledged by the session: [`Channel::end`] hands it over once.

mod error;
mod handshake;

use crate::received::{Kept, Received, TooMuch};
pub(crate) use error::ChannelError;
use parking_lot::Mutex;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::net::{RecvFlags, SendFlags};
use rustls::ServerConnection;
use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use taffrail_engine::CancelHandle;
use taffrail_observe::{WaitType, totals};
use taffrail_tds::packet::HEADER_BYTES;
use taffrail_tds::{Assembler, Message, Part};

/// Bytes of a message before the login: LOGIN7 with all its names and features fits.
const PRE_AUTH_MESSAGE_MAX: usize = 64 * 1024;
/// Bytes of a message of a session.
const MESSAGE_MAX: usize = 256 * 1024 * 1024;
/// The most that the watcher buffers for an executing session; a client that sends more is not listened to until it ends.
const AHEAD_MAX: usize = 64 * 1024;
/// How long a wait for the rows of a bulk load lasts before it is seen whether somebody has ended it.
const STOP_ROUND: Duration = Duration::from_millis(100);
/// How long a wait for a client that does not read lasts before it is seen whether somebody has ended it.
const WRITE_ROUND: Duration = Duration::from_millis(100);
/// How long the last words of a session that was ended may take.
const FAREWELL: Duration = Duration::from_secs(1);
/// Bytes of one read.
const READ_BYTES: usize = 16 * 1024;

type Result<T> = std::result::Result<T, ChannelError>;

struct Input {
    assembler: Assembler,
    /// The bytes of the request that are in memory.
    kept: Kept,
    /// Where reads land; kept, so that a request does not clear 16 KiB first.
    buffer: Box<[u8]>,
    tls: Option<Box<ServerConnection>>,
    /// The session executes: the watcher may read.
    executing: bool,
    /// The watcher has taken an attention that is not acknowledged yet.
    attention: bool,
    eof: bool,
}

/// See [`Channel::take_turn`].
pub(crate) struct Turn<'a>(&'a Channel);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.turns.fetch_add(1, Ordering::SeqCst);
    }
}

/// A connection of a client.
pub(crate) struct Channel {
    socket: TcpStream,
    peer: SocketAddr,
    input: Mutex<Input>,
    /// Odd from a request's arrival until its answer is sent; counts twice per request. What the watcher and the
    /// order to stop look at on their rounds.
    turns: AtomicU64,
    /// The watcher has nothing more to hear from this client before the request ends.
    deaf: AtomicBool,
    cancel: OnceLock<CancelHandle>,
    deadline: Mutex<Option<Instant>>,
    /// Before the login: since when the client keeps the server waiting.
    waits_since: Mutex<Option<Instant>>,
    /// The session is to end: a client that does not read is waited for no longer than [`FAREWELL`].
    ending: AtomicBool,
}

impl Channel {
    pub(crate) fn new(socket: TcpStream, peer: SocketAddr) -> io::Result<Channel> {
        socket.set_nodelay(true)?;
        let keepalive = socket2::TcpKeepalive::new().with_time(Duration::from_secs(30));
        socket2::SockRef::from(&socket).set_tcp_keepalive(&keepalive)?;
        Ok(Channel {
            socket,
            peer,
            input: Mutex::new(Input {
                assembler: Assembler::new(PRE_AUTH_MESSAGE_MAX),
                kept: Kept::before_login(),
                buffer: vec![0; READ_BYTES].into(),
                tls: None,
                executing: false,
                attention: false,
                eof: false,
            }),
            turns: AtomicU64::new(0),
            deaf: AtomicBool::new(false),
            cancel: OnceLock::new(),
            deadline: Mutex::new(None),
            waits_since: Mutex::new(None),
            ending: AtomicBool::new(false),
        })
    }

    pub(crate) fn peer(&self) -> SocketAddr {
        self.peer
    }

    pub(crate) fn socket(&self) -> &TcpStream {
        &self.socket
    }

    /// Everything until [`Channel::logged_in`] has to happen before this moment.
    pub(crate) fn set_login_deadline(&self, deadline: Instant) {
        *self.deadline.lock() = Some(deadline);
    }

    /// The moment since which it waits, as the field has it.
    pub(crate) fn waits_since(&self) -> Option<Instant> {
        *self.waits_since.lock()
    }

    /// Before the login: the client is waited for from now on, or no longer.
    pub(crate) fn note_waiting(&self, waits: bool) {
        *self.waits_since.lock() = waits.then(Instant::now);
    }

    /// The login is done: no deadline, messages as large as requests are, and this is how to cancel one.
    pub(crate) fn logged_in(
        &self,
        cancel: CancelHandle,
        received: Arc<Received>,
    ) -> io::Result<()> {
        *self.deadline.lock() = None;
        self.socket.set_read_timeout(None)?;
        let mut input = self.input.lock();
        input.assembler.set_limit(MESSAGE_MAX);
        input.kept = Kept::counted(received);
        drop(input);
        // Set once per connection.
        let _ = self.cancel.set(cancel);
        Ok(())
    }

    /// The first byte, left where it is.
    pub(crate) fn first_byte(&self) -> Result<u8> {
        self.arm_deadline()?;
        let mut byte = [0];
        loop {
            match rustix::net::recv(&self.socket, &mut byte[..], RecvFlags::PEEK) {
                Ok((_, 0)) => return Err(ChannelError::Closed),
                Ok(_) => {
                    self.note_waiting(false);
                    return Ok(byte[0]);
                }
                Err(rustix::io::Errno::INTR) => {}
                Err(e) => return Err(e.into()),
            }
        }
    }

    /// The client is not there any more, as far as is known without waiting.
    pub(crate) fn has_gone(&self) -> bool {
        let flags = RecvFlags::PEEK | RecvFlags::DONTWAIT;
        match rustix::net::recv(&self.socket, &mut [0][..], flags) {
            Ok((_, n)) => n == 0,
            Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => false,
            Err(_) => true,
        }
    }

    /// Before the login (true): the client is waited for no longer than the deadline.
    fn arm_deadline(&self) -> Result<bool> {
        if let Some(deadline) = *self.deadline.lock() {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(ChannelError::TimedOut);
            }
            self.socket.set_read_timeout(Some(left))?;
            let mut since = self.waits_since.lock();
            since.get_or_insert_with(Instant::now);
            return Ok(true);
        }
        Ok(false)
    }

    /// Waits for the next message and gives it, with its data, to `read`.
    pub(crate) fn message<T>(&self, read: impl FnOnce(Message, &[u8]) -> T) -> Result<T> {
        let mut input = self.input.lock();
        // The request before has ended.
        input.kept.ends();
        let message = self.wait_for_message(&mut input)?;
        let read = read(message, input.assembler.data());
        // What was read of it counts as what it was read from.
        input.assembler.forget();
        Ok(read)
    }

    /// More of the bulk load message under way, appended to `out`. Waits for the client, but no longer than `stop` allows:
    /// `None` then. The watcher need not look meanwhile: an attention is one of the packets that are read here.
    pub(crate) fn part(&self, out: &mut Vec<u8>, stop: impl Fn() -> bool) -> Result<Option<Part>> {
        self.deaf.store(true, Ordering::Relaxed);
        let mut waiting = None;
        loop {
            let mut input = self.input.lock();
            let part = input.assembler.next_part(out);
            let kept = out.len() + input.assembler.kept();
            if let Err(e) = input.kept.grows_to(kept) {
                out.clear();
                out.shrink_to_fit();
                return Err(Self::refused(&mut input, e));
            }
            totals::PACKETS_RECEIVED.add(input.assembler.take_packets());
            match part.inspect_err(|_| totals::PACKET_ERRORS.inc())? {
                Part::Nothing => {}
                part => {
                    input.attention |= part == Part::Attention;
                    if part != Part::Data {
                        self.deaf.store(false, Ordering::Relaxed);
                    }
                    return Ok(Some(part));
                }
            }
            if input.eof {
                return Err(ChannelError::Closed);
            }
            match self.receive(&mut input, RecvFlags::DONTWAIT) {
                Ok(()) => continue,
                Err(ChannelError::TimedOut) => {}
                Err(ChannelError::Closed) if input.assembler.buffered() > 0 => {
                    input.eof = true;
                    continue;
                }
                Err(e) => return Err(e),
            }
            drop(input);
            if stop() {
                return Ok(None);
            }
            waiting.get_or_insert_with(|| taffrail_observe::wait(WaitType::AsyncNetworkIo));
            let mut fds = [PollFd::new(&self.socket, PollFlags::IN)];
            let round = Timespec { tv_sec: 0, tv_nsec: STOP_ROUND.as_nanos() as i64 };
            match rustix::event::poll(&mut fds, Some(&round)) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(e) => return Err(e.into()),
            }
        }
    }

    fn wait_for_message(&self, input: &mut Input) -> Result<Message> {
        let mut awaited = false;
        loop {
            let message = input.assembler.next_message();
            totals::PACKETS_RECEIVED.add(input.assembler.take_packets());
            if let Some(message) = message.inspect_err(|_| totals::PACKET_ERRORS.inc())? {
                if awaited {
                    self.note_waiting(false);
                }
                return Ok(message);
            }
            if input.eof {
                return Err(ChannelError::Closed);
            }
            awaited |= self.arm_deadline()?;
            match self.receive(input, RecvFlags::empty()) {
                Err(ChannelError::Closed) if input.assembler.buffered() > 0 => input.eof = true,
                other => other?,
            }
        }
    }

    /// No more of the request is taken: what has come of it goes.
    #[cold]
    fn refused(input: &mut Input, e: TooMuch) -> ChannelError {
        input.assembler = Assembler::new(PRE_AUTH_MESSAGE_MAX);
        input.kept.ends();
        e.into()
    }

    /// One read from the socket, through TLS where it is on.
    fn receive(&self, input: &mut Input, flags: RecvFlags) -> Result<()> {
        let Input { assembler, buffer, tls, eof, kept, .. } = input;
        let n = loop {
            match rustix::net::recv(&self.socket, &mut **buffer, flags) {
                Ok((_, n)) => break n,
                Err(rustix::io::Errno::INTR) => {}
                Err(e) => return Err(e.into()),
            }
        };
        if n == 0 {
            *eof = true;
            return Err(ChannelError::Closed);
        }
        match tls {
            None => assembler.feed(&buffer[..n]),
            Some(tls) => {
                let mut encrypted = &buffer[..n];
                while !encrypted.is_empty() {
                    tls.read_tls(&mut encrypted)?;
                    let state =
                        tls.process_new_packets().map_err(|e| ChannelError::Tls(e.to_string()))?;
                    let mut plain = [0; 4096];
                    let mut left = state.plaintext_bytes_to_read();
                    while left > 0 {
                        let got = tls.reader().read(&mut plain)?;
                        assembler.feed(&plain[..got]);
                        left -= got;
                    }
                    if state.peer_has_closed() {
                        *eof = true;
                    }
                }
            }
        }
        kept.grows_to(assembler.kept()).map_err(|e| Self::refused(input, e))
    }

    /// Sends packets, which are whole.
    pub(crate) fn send(&self, packets: &[u8]) -> Result<()> {
        let mut input = self.input.lock();
        let Some(tls) = &mut input.tls else {
            drop(input);
            return self.write_socket(packets);
        };
        // One TDS packet at a time, so that none shares a TLS record with another.
        let mut rest = packets;
        while rest.len() >= HEADER_BYTES {
            let length = u16::from_be_bytes([rest[2], rest[3]]) as usize;
            let (packet, after) = rest.split_at(length.clamp(HEADER_BYTES, rest.len()));
            tls.writer().write_all(packet)?;
            rest = after;
        }
        let mut encrypted = Vec::with_capacity(packets.len() + 256);
        while tls.wants_write() {
            tls.write_tls(&mut encrypted)?;
        }
        drop(input);
        self.write_socket(&encrypted)
    }

    /// All of it, to the socket. Waiting for a client that does not read is ASYNC_NETWORK_IO.
    fn write_socket(&self, mut bytes: &[u8]) -> Result<()> {
        let (mut waiting, mut until) = (None, None);
        while !bytes.is_empty() {
            let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
            match rustix::net::send(&self.socket, bytes, flags) {
                Ok(n) => bytes = &bytes[n..],
                Err(rustix::io::Errno::INTR) => {}
                Err(rustix::io::Errno::AGAIN) => {
                    waiting.get_or_insert_with(|| taffrail_observe::wait(WaitType::AsyncNetworkIo));
                    self.wait_for_reader(&mut until)?;
                }
                Err(e) => return Err(e.into()),
            }
        }
        Ok(())
    }

    /// Waits until the client has read something, but at most until a login's deadline, or for a moment once the session was ended.
    fn wait_for_reader(&self, until: &mut Option<Instant>) -> Result<()> {
        if until.is_none() {
            *until = *self.deadline.lock();
        }
        if until.is_none() && self.ending.load(Ordering::Relaxed) {
            *until = Some(Instant::now() + FAREWELL);
        }
        if until.is_some_and(|until| until <= Instant::now()) {
            return Err(ChannelError::TimedOut);
        }
        let mut fds = [PollFd::new(&self.socket, PollFlags::OUT)];
        let round = Timespec { tv_sec: 0, tv_nsec: WRITE_ROUND.as_nanos() as i64 };
        match rustix::event::poll(&mut fds, Some(&round)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(e) => Err(e.into()),
        }
    }

    /// Only the login was to be encrypted: clear text from here on, without a word of farewell in TLS.
    pub(crate) fn drop_tls(&self) {
        self.input.lock().tls = None;
    }

    /// A request has arrived: it is this connection's turn until the guard goes, which is when the answer is sent.
    /// A server that stops lets whoever has the turn finish.
    pub(crate) fn take_turn(&self) -> Turn<'_> {
        let before = self.turns.fetch_add(1, Ordering::SeqCst);
        debug_assert!(before.is_multiple_of(2));
        Turn(self)
    }

    /// The request is to be executed. True if the client has already taken it back: an attention came with it.
    pub(crate) fn begin(&self) -> Result<bool> {
        let mut input = self.input.lock();
        if input.assembler.take_attention()? {
            return Ok(true);
        }
        input.executing = true;
        drop(input);
        self.deaf.store(false, Ordering::Relaxed);
        Ok(false)
    }

    /// The request has ended, all but its last token. True if an attention came meanwhile: it is the caller's to
    /// acknowledge, and nobody else's.
    pub(crate) fn end(&self) -> bool {
        let mut input = self.input.lock();
        input.executing = false;
        self.deaf.store(true, Ordering::Relaxed);
        // What is malformed is found again, and reported, by the next read.
        let waiting = !input.attention && input.assembler.take_attention().unwrap_or(false);
        std::mem::take(&mut input.attention) || waiting
    }

    /// The turn it is: odd while a request runs or its answer is being sent.
    pub(crate) fn turn(&self) -> u64 {
        self.turns.load(Ordering::SeqCst)
    }

    /// Nothing more will be heard from this client before the request ends.
    pub(crate) fn is_deaf(&self) -> bool {
        self.deaf.load(Ordering::Relaxed)
    }

    /// For the watcher: takes what has arrived, without waiting, and cancels if it is an attention or the end.
    pub(crate) fn listen(&self) {
        let Some(mut input) = self.input.try_lock() else {
            return;
        };
        if !input.executing {
            return;
        }
        let heard = match self.receive(&mut input, RecvFlags::DONTWAIT) {
            Ok(()) => input.assembler.take_attention().map_err(ChannelError::from),
            Err(ChannelError::TimedOut) => Ok(false),
            Err(e) => Err(e),
        };
        match heard {
            Ok(true) => {
                input.attention = true;
                // The client waits for the acknowledgement now.
                self.deaf.store(true, Ordering::Relaxed);
                self.cancel();
            }
            Ok(false) => {
                if input.eof {
                    self.deaf.store(true, Ordering::Relaxed);
                    self.cancel();
                } else if input.assembler.buffered() > AHEAD_MAX {
                    self.deaf.store(true, Ordering::Relaxed);
                }
            }
            Err(_) => {
                // Gone, or babbling: either way nobody waits for the result.
                input.eof = true;
                self.deaf.store(true, Ordering::Relaxed);
                self.cancel();
            }
        }
    }

    /// True while a cancellation is due: the watcher repeats it, because a request that was just beginning may have
    /// missed the first.
    pub(crate) fn wants_cancel(&self) -> bool {
        self.is_deaf()
            && self.input.try_lock().is_some_and(|i| i.executing && (i.attention || i.eof))
    }

    /// Stops the request that runs, if one does.
    pub(crate) fn cancel(&self) {
        if let Some(cancel) = self.cancel.get() {
            cancel.cancel();
        }
    }

    /// Ends the session from another thread: an idle one at once, another when its request, which the caller stops, has said why.
    pub(crate) fn end_session(&self) {
        self.ending.store(true, Ordering::Relaxed);
        if self.turn().is_multiple_of(2) {
            self.shut();
        }
    }

    /// Ends the session because the server stops, which stops the request as well.
    pub(crate) fn stop_session(&self) {
        if let Some(cancel) = self.cancel.get() {
            cancel.stop();
        }
        self.end_session();
    }

    /// Ends the connection from another thread: a waiting read returns, a write fails.
    pub(crate) fn shut(&self) {
        // Already closed by the client: so much the better.
        let _ = self.socket.shutdown(Shutdown::Both);
    }

    /// Ends the connection so that the client still gets what was sent: closing a socket with unread input would
    /// reset it and throw that away.
    pub(crate) fn close(&self) {
        self.close_within(Duration::from_millis(500), 64);
    }

    /// [`Channel::close`] where the client is in the middle of a long message: it reads the answer when it has sent all of it.
    pub(crate) fn close_after_message(&self) {
        self.close_within(Duration::from_secs(10), usize::MAX);
    }

    fn close_within(&self, time: Duration, reads: usize) {
        let until = Instant::now() + time;
        if self.socket.shutdown(Shutdown::Write).is_err() {
            return;
        }
        let mut buffer = [0; 4096];
        for _ in 0..reads {
            let left = until.saturating_duration_since(Instant::now());
            let left = left.min(Duration::from_secs(1));
            if left.is_zero() || self.socket.set_read_timeout(Some(left)).is_err() {
                return;
            }
            match (&self.socket).read(&mut buffer) {
                Ok(n) if n > 0 => {}
                _ => return,
            }
        }
    }
}
