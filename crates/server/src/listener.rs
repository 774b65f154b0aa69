//! Start, accept, stop.
//!
//! Start: lock the directory, open the error log, bind the port (clients that come early wait in its queue), start the
//! engine, prepare `sa` and the certificate, accept.
//!
//! Stop, by signal or [`Server::stop`]: accept nothing more; idle sessions end at once, running requests may end
//! within [`DRAIN`], then they are cancelled; the engine writes its checkpoint and closes the databases.

use crate::certificate::Tls;
use crate::channel::Channel;
use crate::credentials::Credentials;
use crate::dirlock::{DirLock, LockFailure};
use crate::errorlog::{ErrorLog, Level};
use crate::reporting::{self, Reporter};
use crate::settings::{Settings, TlsPolicy};
use crate::watch::Watcher;
use crate::{sa, session};
use parking_lot::{Condvar, Mutex};
use rustix::event::{PollFd, PollFlags};
use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use taffrail_base::SqlError;
use taffrail_engine::{Instance, InstanceOptions};
use taffrail_io::Env;

/// How long running requests may go on after the order to stop.
const DRAIN: Duration = Duration::from_secs(10);
/// How long they may take to roll back after they were cancelled.
const ROLLBACK: Duration = Duration::from_secs(20);
/// Virtual memory of a session's stack. Parser, binder and executor count their depth and stay within it; code that
/// is not optimised has larger frames.
const STACK_BYTES: usize = if cfg!(debug_assertions) { 8 << 20 } else { 2 << 20 };
/// Connections beyond `max_connections` that get as far as being told so.
const OVERFLOW: usize = 64;
/// Clients that may wait for accept.
const BACKLOG: i32 = 1024;

/// Why a server did not start: one line for standard error.
#[derive(Debug)]
pub struct StartFailure(pub String);

impl std::fmt::Display for StartFailure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for StartFailure {}

impl From<LockFailure> for StartFailure {
    fn from(e: LockFailure) -> Self {
        StartFailure(e.to_string())
    }
}

/// What all sessions use.
pub(crate) struct Shared {
    pub(crate) settings: Settings,
    pub(crate) instance: Arc<Instance>,
    pub(crate) tls: Option<Tls>,
    pub(crate) credentials: Arc<Credentials>,
    pub(crate) log: Arc<ErrorLog>,
    pub(crate) watcher: Arc<Watcher>,
    pub(crate) server_name: Arc<str>,
    stopping: AtomicBool,
    /// Every open connection, logged in or not.
    channels: Mutex<HashMap<u64, Arc<Channel>>>,
    ended: Condvar,
    next_id: AtomicU64,
}

impl Shared {
    /// The order to stop was given.
    pub(crate) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::SeqCst)
    }

    /// More connections than `max_connections` are open, the asking one included.
    pub(crate) fn is_full(&self) -> bool {
        self.channels.lock().len() > self.settings.max_connections as usize
    }
}

/// A running server.
pub struct Server {
    shared: Arc<Shared>,
    address: SocketAddr,
    /// A byte on it stops the acceptor.
    stop: UnixStream,
    acceptor: Option<JoinHandle<()>>,
    reporter: Reporter,
    _lock: DirLock,
}

impl Server {
    /// Starts a server; it accepts connections when this returns.
    pub fn start(settings: Settings) -> Result<Server, StartFailure> {
        let fail = |what: &str, e: &dyn std::fmt::Display| StartFailure(format!("{what}: {e}"));
        let lock = DirLock::take(&settings.data)?;
        // Statements name files below the data directory, and databases remember theirs: neither may depend on where the
        // server was started, or on links and `..` in its name.
        let env = Env::os();
        let whole = |path: &std::path::PathBuf| {
            env.disk.real_path(path).map_err(|e| fail(&path.to_string_lossy(), &e.source))
        };
        let data = whole(&settings.data)?;
        let log_dir = data.join("log");
        let log =
            Arc::new(ErrorLog::open(&log_dir).map_err(|e| fail(&log_dir.to_string_lossy(), &e))?);
        let name = |what| format!("Taffrail {} {what}", env!("CARGO_PKG_VERSION"));
        log.info("Server", &name("(TDS as Microsoft SQL Server 2022)"));
        log.info("Server", &format!("Server process ID is {}.", std::process::id()));
        log.info("Server", &format!("Logging to '{}'.", log_dir.join("errorlog").display()));
        raise_file_limit(&log);
        survive_long_files(&log);

        let listener =
            bind(settings.listen).map_err(|e| fail(&format!("listen {}", settings.listen), &e))?;
        let address = listener.local_addr().map_err(|e| fail("listen", &e))?;

        let host = rustix::system::uname().nodename().to_string_lossy().to_uppercase();
        let mut options = InstanceOptions::new(&data, env.clone());
        options.max_server_memory_mb = settings.max_server_memory_mb;
        options.file_roots = settings.file_roots.iter().map(whole).collect::<Result<_, _>>()?;
        options.log_vlf_algorithm = settings.log_vlf_algorithm;
        options.log_initialization = settings.log_initialization;
        options.delayed_durability_window = settings.delayed_durability_window;
        options.target_recovery_time = settings.target_recovery_time;
        if !host.is_empty() {
            options.server_name = host;
        }
        let server_name: Arc<str> = options.server_name.as_str().into();
        let known = Arc::default();
        let mut reporter = Reporter::start(log.clone(), Arc::clone(&known))
            .map_err(|e| fail("error log thread", &e))?;
        let instance = Instance::start(options).map_err(|e| {
            reporter.stop();
            log.write(Level::Error, "Server", &e.to_string());
            StartFailure(e.to_string())
        })?;
        reporting::recovery(&log, &instance);
        reporter.instance_started(&known, instance.clone());

        let credentials = Arc::new(Credentials::new(&*env.entropy));
        let given = settings.sa_password.as_deref();
        sa::prepare(&instance, &credentials, &*env.entropy, &settings.data, given, &log)
            .map_err(|e| fail("password of sa", &e))?;
        let tls = match settings.tls {
            TlsPolicy::Off => None,
            _ => {
                let files = settings.tls_files.as_ref().map(|(c, k)| (c.as_path(), k.as_path()));
                let tls = Tls::load(&settings.data, files).map_err(|e| fail("certificate", &e))?;
                let kind = if files.is_some() {
                    "The certificate"
                } else {
                    "A self-generated certificate"
                };
                let text = format!(
                    "{kind} was loaded for encryption. SHA-256 fingerprint: {}.",
                    tls.fingerprint
                );
                log.info("Server", &text);
                Some(tls)
            }
        };
        let watcher = Watcher::start().map_err(|e| fail("watcher thread", &e))?;
        let shared = Arc::new(Shared {
            settings,
            instance,
            tls,
            credentials,
            log,
            watcher,
            server_name,
            stopping: AtomicBool::new(false),
            channels: Mutex::new(HashMap::new()),
            ended: Condvar::new(),
            next_id: AtomicU64::new(1),
        });
        let (stop, stopped) = UnixStream::pair().map_err(|e| fail("socket pair", &e))?;
        let ends = stop.try_clone().map_err(|e| fail("socket pair", &e))?;
        let log = shared.log.clone();
        shared.instance.when_lost(move |e| {
            for entry in reporting::numbered("Server", e) {
                log.write(entry.level, &entry.source, &entry.text);
            }
            // One byte is enough; if the pipe is full there is one.
            let _ = (&ends).write(&[0]);
        });
        let for_acceptor = shared.clone();
        let acceptor = thread::Builder::new()
            .name("acceptor".into())
            .spawn(move || accept(&for_acceptor, &listener, &stopped))
            .map_err(|e| fail("acceptor thread", &e))?;
        let family = if address.is_ipv4() { "ipv4" } else { "ipv6" };
        let text =
            format!("Server is listening on [ {} <{family}> {}].", address.ip(), address.port());
        shared.log.info("Server", &text);
        shared.log.info("Server", &SqlError::new(17126, &[]).message);
        Ok(Server { shared, address, stop, acceptor: Some(acceptor), reporter, _lock: lock })
    }

    /// SIGTERM and SIGINT stop this server.
    pub fn listen_to_signals(&self) -> Result<(), StartFailure> {
        for signal in [signal_hook::consts::SIGTERM, signal_hook::consts::SIGINT] {
            let end = self.stop.try_clone().map_err(|e| StartFailure(format!("signals: {e}")))?;
            signal_hook::low_level::pipe::register(signal, end)
                .map_err(|e| StartFailure(format!("signals: {e}")))?;
        }
        Ok(())
    }

    /// What it serves.
    pub fn instance(&self) -> &Arc<Instance> {
        &self.shared.instance
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The one line on standard output.
    pub fn ready_line(&self) -> String {
        let data = self.shared.settings.data.display();
        format!("taffrail ready: tds={} console=off data={data}", self.address)
    }

    /// Gives the order to stop; [`Server::wait`] returns when it is done.
    pub fn stop(&self) {
        // One byte is enough; if the pipe is full there is one.
        let _ = (&self.stop).write(&[0]);
    }

    /// Waits for the order to stop and carries it out; an error when a database could not be closed in order, or when master or tempdb
    /// was lost, which is an order to stop.
    pub fn wait(mut self) -> Result<(), StartFailure> {
        if let Some(acceptor) = self.acceptor.take()
            && acceptor.join().is_err()
        {
            self.shared.log.write(Level::Error, "Server", "The acceptor thread has failed.");
        }
        let shared = &self.shared;
        shared.log.info("Server", "The server is shutting down: waiting for running requests.");
        shared.stopping.store(true, Ordering::SeqCst);
        let left = drain(shared, DRAIN, |channel| {
            // An odd turn is a request that runs; its session ends after it.
            if channel.turn().is_multiple_of(2) {
                channel.shut();
            }
        });
        if left > 0 {
            shared.log.write(
                Level::Warning,
                "Server",
                &format!("{left} request(s) still run and are cancelled."),
            );
            let left = drain(shared, ROLLBACK, |channel| {
                channel.cancel();
                channel.shut();
            });
            if left > 0 {
                let text = format!(
                    "{left} session(s) did not end; recovery will roll their transactions back."
                );
                shared.log.write(Level::Error, "Server", &text);
            }
        }
        shared.watcher.stop();
        let closed = shared.instance.shutdown();
        self.reporter.stop();
        if let Err(e) = &closed {
            shared.log.write(Level::Error, "Server", &e.to_string());
        }
        shared.log.info("Server", "The server has shut down.");
        if let Some(e) = shared.instance.lost() {
            return Err(StartFailure(e.message.clone()));
        }
        closed.map_err(|e| StartFailure(format!("shutdown: {}", e.message)))
    }
}

/// Does `act` to every open connection, again and again, until none is left or the time is over.
fn drain(shared: &Shared, time: Duration, act: impl Fn(&Channel)) -> usize {
    let until = Instant::now() + time;
    let mut channels = shared.channels.lock();
    while !channels.is_empty() && Instant::now() < until {
        channels.values().for_each(|c| act(c));
        shared.ended.wait_for(&mut channels, Duration::from_millis(20));
    }
    channels.len()
}

fn bind(address: SocketAddr) -> std::io::Result<TcpListener> {
    use socket2::{Domain, Socket, Type};
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
    // A restarted server must not wait for the connections of the last one to be forgotten.
    socket.set_reuse_address(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}

/// As many descriptors as the system lets this process have: sessions and files share them.
fn raise_file_limit(log: &ErrorLog) {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current != limit.maximum {
        limit.current = limit.maximum;
        if let Err(e) = setrlimit(Resource::Nofile, limit) {
            log.write(
                Level::Warning,
                "Server",
                &format!("The limit of open files could not be raised: {e}."),
            );
        }
    }
}

/// A file that would exceed the process's limit is an error of the write, like a full disk, and not the end of the process.
fn survive_long_files(log: &ErrorLog) {
    // A handler that only notes it: then the write fails with EFBIG, and whoever wrote knows what to do.
    let noted = Arc::new(AtomicBool::new(false));
    if let Err(e) = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, noted) {
        log.write(Level::Warning, "Server", &format!("SIGXFSZ is not caught: {e}."));
    }
}

/// Accepts connections until `stopped` has a byte.
fn accept(shared: &Arc<Shared>, listener: &TcpListener, mut stopped: &UnixStream) {
    loop {
        let mut fds = [PollFd::new(listener, PollFlags::IN), PollFd::new(stopped, PollFlags::IN)];
        match rustix::event::poll(&mut fds, None) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(e) => {
                shared.log.write(Level::Error, "Server", &format!("poll failed: {e}."));
                thread::sleep(Duration::from_millis(50));
            }
        }
        if !fds[1].revents().is_empty() {
            // What it says does not matter.
            let _ = stopped.read(&mut [0]);
            return;
        }
        if fds[0].revents().is_empty() {
            continue;
        }
        match listener.accept() {
            Ok((socket, peer)) => admit(shared, socket, peer),
            Err(e)
                if matches!(
                    e.kind(),
                    std::io::ErrorKind::ConnectionAborted | std::io::ErrorKind::Interrupted
                ) => {}
            Err(e) => {
                // Out of descriptors, most likely; connections that end give some back.
                shared.log.write(
                    Level::Error,
                    "Server",
                    &format!("A connection could not be accepted: {e}."),
                );
                thread::sleep(Duration::from_millis(50));
            }
        }
    }
}

/// Gives a connection its thread.
fn admit(shared: &Arc<Shared>, socket: TcpStream, peer: SocketAddr) {
    let channel = match Channel::new(socket, peer) {
        Ok(channel) => Arc::new(channel),
        // It has gone already.
        Err(_) => return,
    };
    let id = shared.next_id.fetch_add(1, Ordering::Relaxed);
    {
        let mut channels = shared.channels.lock();
        if channels.len() >= shared.settings.max_connections as usize + OVERFLOW {
            return;
        }
        channels.insert(id, channel.clone());
    }
    let entry = Entry { shared: shared.clone(), id };
    let spawned =
        thread::Builder::new().name("session".into()).stack_size(STACK_BYTES).spawn(move || {
            let entry = entry;
            let run =
                catch_unwind(AssertUnwindSafe(|| session::run(&entry.shared, entry.id, &channel)));
            if let Err(panic) = run {
                let text = panic
                    .downcast_ref::<&str>()
                    .map(ToString::to_string)
                    .or_else(|| panic.downcast_ref::<String>().cloned())
                    .unwrap_or_default();
                let text = format!("A session was ended by a fault of the server: {text}");
                entry.shared.log.write(Level::Error, "Server", &text);
                entry.shared.watcher.remove(entry.id);
                channel.shut();
            }
        });
    if let Err(e) = spawned {
        shared.log.write(Level::Error, "Server", &format!("No thread for a session: {e}."));
    }
}

/// A connection's place in [`Shared::channels`]; leaves it however the session ends.
struct Entry {
    shared: Arc<Shared>,
    id: u64,
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.shared.channels.lock().remove(&self.id);
        self.shared.ended.notify_all();
    }
}
