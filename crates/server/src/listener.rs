//! Start, accept, stop.
//!
//! Start: lock the directory, open the error log, bind the port (clients that come early wait in its queue), start the
//! engine, prepare `sa` and the certificate, accept.
//!
//! Stop, by signal or [`Server::stop`]: accept nothing more; idle sessions end at once, running requests may end
//! within `stop_grace`, then they are cancelled; the engine writes its checkpoint and closes the databases.

use crate::acceptor::{Acceptor, has_terminal, ignores};
use crate::admission::Connections;
use crate::certificate::{Tls, own_files};
use crate::channel::Channel;
use crate::credentials::Credentials;
use crate::dirlock::{DirLock, LockFailure, lock_file};
use crate::entry::escaped;
use crate::errorlog::{ErrorLog, Level};
use crate::ground::{
    ADMIN, CONSOLE, bind, bind_beside, default_dirs, raise_file_limit, roots, survive_long_files,
    why,
};
use crate::notify;
use crate::objects::{CERTIFICATES, KEY_FILE, Objects};
use crate::received::Received;
use crate::reporting::{self, Reporter};
use crate::sa::{self, password_file};
use crate::settings::{Settings, TlsPolicy};
use crate::strangers::Strangers;
use crate::watch::Watcher;
use crate::web::WebServer;
use parking_lot::RwLock;
use std::io::Write;
use std::net::SocketAddr;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use taffrail_base::SqlError;
use taffrail_engine::{Instance, InstanceOptions, ObjectAddress};
use taffrail_io::{Env, IoResult, RemoteObject};
use taffrail_types::Collation;

/// How long they may take to roll back after they were cancelled.
const ROLLBACK: Duration = Duration::from_secs(20);

/// How long a start waits for databases that are recovered: most are open by then, and the others answer 922 until they are.
const RECOVERY_WAIT: Duration = Duration::from_secs(1);

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

fn fail(what: &str, e: &dyn std::fmt::Display) -> StartFailure {
    StartFailure(format!("{what}: {e}"))
}

/// Everything that all sessions use.
pub(crate) struct Shared {
    pub(crate) settings: Settings,
    pub(crate) instance: Arc<Instance>,
    /// Changed by a reload of the certificates.
    tls: RwLock<Option<Arc<Tls>>>,
    pub(crate) credentials: Arc<Credentials>,
    /// Names that are nobody's.
    pub(crate) strangers: Strangers,
    /// Contained users, apart from the former: no flood of names takes their places.
    pub(crate) contained: Strangers,
    pub(crate) log: Arc<ErrorLog>,
    pub(crate) watcher: Arc<Watcher>,
    pub(crate) server_name: Arc<str>,
    pub(crate) connections: Connections,
    /// Memory that the clients' requests keep.
    pub(crate) received: Arc<Received>,
    stopping: AtomicBool,
}

impl Shared {
    /// The order to stop was given.
    pub(crate) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::SeqCst)
    }

    /// Certificate and key of TLS; none when it is switched off.
    pub(crate) fn tls(&self) -> Option<Arc<Tls>> {
        self.tls.read().clone()
    }

    /// SIGHUP without a terminal: certificates and the error log are opened anew. What cannot be opened stays as it was.
    pub(crate) fn reload(&self) {
        if let Err(e) = self.log.reopen() {
            let text = format!("The error log could not be opened anew: {e}.");
            self.log.write(Level::Error, "Server", &text);
        }
        self.log.info("Server", "SIGHUP: the error log and the certificate are opened anew.");
        match load_tls(&self.settings, self.instance.databases().data_dir(), &self.log) {
            Ok(tls) => *self.tls.write() = tls,
            Err(e) => {
                let text = format!("The certificate could not be loaded, the old one stays: {e}.");
                self.log.write(Level::Error, "Server", &text);
            }
        }
    }
}

/// The certificate as the settings have it, with an entry in the log.
fn load_tls(settings: &Settings, data: &Path, log: &ErrorLog) -> Result<Option<Arc<Tls>>, String> {
    if settings.tls == TlsPolicy::Off {
        return Ok(None);
    }
    let files = settings.tls_files.as_ref().map(|(c, k)| (c.as_path(), k.as_path()));
    let tls = Tls::load(data, files, |said| log.write(Level::Warning, "Server", said))?;
    let kind = if files.is_some() { "The certificate" } else { "A self-generated certificate" };
    let text =
        format!("{kind} was loaded for encryption. SHA-256 fingerprint: {}.", tls.fingerprint);
    log.info("Server", &text);
    Ok(Some(Arc::new(tls)))
}

/// The server around an instance, of which statements ask.
struct Process {
    log: Arc<ErrorLog>,
    credentials: Arc<Credentials>,
    stop: UnixStream,
    port: u16,
    data: PathBuf,
    listeners: Vec<SocketAddr>,
    objects: Objects,
}

impl taffrail_engine::Host for Process {
    fn tcp_port(&self) -> Option<u16> {
        Some(self.port)
    }

    fn listeners(&self) -> Vec<SocketAddr> {
        self.listeners.clone()
    }

    fn shut_down(&self, login: &str, nowait: bool) {
        let how = if nowait { "NOWAIT request" } else { "request" };
        self.log.info("Server", &SqlError::new(6006, &[&how, &escaped(login)]).message);
        order(&self.stop, if nowait { STOP_AT_ONCE } else { STOP });
    }

    fn write_error_log(&self) {
        self.log.catch_up(false);
    }

    fn cycle_error_log(&self) -> std::io::Result<()> {
        self.log.cycle()
    }

    fn hash_password(&self, password: &str) -> Result<String, String> {
        self.credentials.hash(password)
    }

    fn is_password(&self, login: &str, password: &str, kept: &str) -> bool {
        self.credentials.verify(login, password, Some(kept))
    }

    fn password_changed(&self, instance: &Instance) {
        sa::forget_generated(instance, &self.credentials, &self.data, &self.log);
    }

    fn object(&self, at: ObjectAddress) -> IoResult<Arc<dyn RemoteObject>> {
        self.objects.object(at)
    }

    fn seal(&self, secret: &str) -> Result<Vec<u8>, String> {
        self.objects.seal(secret)
    }

    fn unseal(&self, sealed: &[u8]) -> Result<String, String> {
        self.objects.unseal(sealed)
    }
}

/// A byte that tells the acceptor to stop.
const STOP: u8 = 0;
pub(crate) const STOP_AT_ONCE: u8 = 1;

fn order(mut to: &UnixStream, what: u8) {
    // One byte is enough; if the pipe is full there is one.
    let _ = to.write(&[what]);
}

/// A server that runs.
pub struct Server {
    shared: Arc<Shared>,
    address: SocketAddr,
    admin_address: Option<SocketAddr>,
    web: Option<WebServer>,
    /// A byte on it stops the acceptor.
    stop: UnixStream,
    /// A byte on it is SIGHUP.
    hup: UnixStream,
    /// Says whether running requests are waited for.
    acceptor: Option<JoinHandle<bool>>,
    reporter: Reporter,
    /// The instance that the reporter asks whether recovery is complete.
    known: Arc<OnceLock<Arc<Instance>>>,
    /// It is what whoever started the process waits for, and not the server of the first start.
    announced: bool,
    /// Held as long as the server lives.
    lock: Option<DirLock>,
}

impl Server {
    /// Starts a server; it accepts connections when this returns. Why it does not is in the error log, too, once there is one.
    pub fn start(settings: Settings) -> Result<Server, StartFailure> {
        let lock = DirLock::take(&settings.data)?;
        // Statements name files below the data directory, and databases remember theirs: neither may depend on where the
        // server was started, or on links and `..` in its name.
        let data = Env::os().disk.real_path(&settings.data);
        let data = data.map_err(|e| fail(&settings.data.to_string_lossy(), &why(&e.source)))?;
        // Before the first entry has a time.
        let zone = taffrail_io::zone::follow_time_zone();
        let log_dir = data.join("log");
        let log = ErrorLog::open(&log_dir, settings.log_to_stdout);
        let log = Arc::new(log.map_err(|e| fail(&log_dir.to_string_lossy(), &why(&e)))?);
        let name = |what| format!("Taffrail {} {what}", env!("CARGO_PKG_VERSION"));
        log.info("Server", &name("(TDS as Microsoft SQL Server 2022)"));
        log.info("Server", &format!("Server process ID is {}.", std::process::id()));
        log.info("Server", &format!("Logging to '{}'.", log_dir.join("errorlog").display()));
        if let Err(e) = zone {
            let text = format!("The time zone of TZ is not known, times are in UTC: {e}.");
            log.write(Level::Warning, "Server", &text);
        }
        let started = Server::start_in(settings, data, &log);
        let mut server = started.inspect_err(|e| log.write(Level::Error, "Server", &e.0))?;
        server.lock = Some(lock);
        Ok(server)
    }

    fn start_in(
        settings: Settings,
        data: PathBuf,
        log: &Arc<ErrorLog>,
    ) -> Result<Server, StartFailure> {
        let (log, log_dir) = (log.clone(), data.join("log"));
        let disk = Env::os().disk;
        let file_roots = roots(&settings.file_roots, &*disk, &log)?;
        let dirs = default_dirs(&settings.default_dirs, &*disk)?;
        let given = [&dirs.data, &dirs.log, &dirs.backup].into_iter().flatten().cloned();
        let file_roots: Vec<PathBuf> = file_roots.into_iter().chain(given).collect();
        let env = Env::os_beneath([std::slice::from_ref(&data), &file_roots[..]].concat());
        if !settings.unknown_variables.is_empty() {
            let text = format!(
                "Variables that are no settings were ignored: {}.",
                settings.unknown_variables.join(", ")
            );
            log.write(Level::Warning, "Server", &text);
        }
        for note in &settings.notes {
            log.write(Level::Warning, "Server", note);
        }
        raise_file_limit(&log);
        survive_long_files(&log);

        let listener =
            bind(settings.listen).map_err(|e| fail(&format!("listen {}", settings.listen), &e))?;
        let address = listener.local_addr().map_err(|e| fail("listen", &e))?;
        let admin = bind_beside(ADMIN, settings.admin_listen, &log)?;
        let console = bind_beside(CONSOLE, settings.console, &log)?;
        let admin_address = admin.as_ref().and_then(|admin| admin.local_addr().ok());
        // One that cannot be used is missed before anything is made.
        let tls = load_tls(&settings, &data, &log).map_err(|e| fail("certificate", &e))?;

        let host = rustix::system::uname().nodename().to_string_lossy().to_uppercase();
        let mut options = InstanceOptions::new(&data, env.clone());
        options.max_server_memory_mb = settings.max_server_memory_mb;
        options.query_memory_limit_mb = settings.query_memory_limit_mb;
        options.row_versions_mb = settings.row_versions_mb;
        options.file_roots = file_roots;
        options.default_data_dir = dirs.data;
        options.default_log_dir = dirs.log;
        options.default_backup_dir = dirs.backup;
        options.trace_dir = Some(log_dir.clone());
        options.max_connections = settings.max_connections;
        options.private_files = private_files(&data, &settings);
        options.log_vlf_algorithm = settings.log_vlf_algorithm;
        options.log_initialization = settings.log_initialization;
        options.delayed_durability_window = settings.delayed_durability_window;
        options.run_ahead = settings.run_ahead;
        options.target_recovery_time = settings.target_recovery_time;
        options.recovery_wait = Some(RECOVERY_WAIT);
        options.backup_schedule = settings.backup_schedule.clone();
        options.passwords = settings.passwords;
        options.collation = settings.collation.unwrap_or_default();
        if !host.is_empty() {
            options.server_name = host;
        }
        let server_name: Arc<str> = options.server_name.as_str().into();
        let known: Arc<OnceLock<Arc<Instance>>> = Arc::default();
        let mut reporter = Reporter::start(log.clone(), Arc::clone(&known))
            .map_err(|e| fail("error log thread", &e))?;
        let instance = taffrail_engine::start(options).map_err(|e| {
            reporter.stop();
            StartFailure(e.to_string())
        })?;
        note_collation(settings.collation, &instance, &log);
        if let Err(e) = taffrail_engine::make_backup_directory(&instance) {
            let text = format!("[backup] directory: no backup can be written there: {}", e.message);
            log.write(Level::Warning, "Server", &text);
        }
        let hears = Arc::downgrade(&instance);
        log.heard_by(Box::new(move |text, error| {
            if let Some(instance) = hears.upgrade() {
                instance.trace_error_log(text, error);
            }
        }));
        reporting::recovery(&log, &instance);

        let credentials = Arc::new(Credentials::new(&*env.entropy));
        let given = settings.sa_password.as_deref();
        sa::prepare(&instance, &credentials, &*env.entropy, &data, given, &log)
            .map_err(|e| fail("password of sa", &e))?;
        let watcher = Watcher::start().map_err(|e| fail("watcher thread", &e))?;
        let (stop, stopped) = UnixStream::pair().map_err(|e| fail("socket pair", &e))?;
        let (hup, hung_up) = UnixStream::pair().map_err(|e| fail("socket pair", &e))?;
        let process = stop.try_clone().map_err(|e| fail("socket pair", &e))?;
        let host = Process {
            log: log.clone(),
            credentials: credentials.clone(),
            stop: process,
            port: address.port(),
            data: data.clone(),
            listeners: std::iter::once(address).chain(admin_address).collect(),
            objects: Objects::new(&data, settings.s3_plain_http_loopback),
        };
        instance.set_host(Box::new(host));
        let shared = Arc::new(Shared {
            connections: Connections::new(settings.max_connections as usize),
            settings,
            received: Arc::new(Received::new(instance.clone())),
            instance,
            tls: RwLock::new(tls),
            credentials,
            strangers: Strangers::default(),
            contained: Strangers::default(),
            log,
            watcher,
            server_name,
            stopping: AtomicBool::new(false),
        });
        let ends = stop.try_clone().map_err(|e| fail("socket pair", &e))?;
        let log = shared.log.clone();
        shared.instance.when_lost(move |e| {
            for entry in reporting::numbered("Server", e) {
                log.write(entry.level, &entry.source, &entry.text);
            }
            order(&ends, STOP);
        });
        let terminal = has_terminal();
        let acceptor =
            Acceptor { shared: shared.clone(), listener, admin, stopped, hung_up, terminal };
        let acceptor = thread::Builder::new()
            .name("acceptor".into())
            .spawn(move || acceptor.run())
            .map_err(|e| fail("acceptor thread", &e))?;
        let family = if address.is_ipv4() { "ipv4" } else { "ipv6" };
        let text =
            format!("Server is listening on [ {} <{family}> {}].", address.ip(), address.port());
        shared.log.info("Server", &text);
        if let Some(admin) = admin_address {
            let text = format!(
                "Dedicated admin connection support was established for listening locally on port {}.",
                admin.port()
            );
            shared.log.info("Server", &text);
        }
        let web = console.map(|listener| WebServer::start(shared.clone(), listener));
        let web = web.transpose().map_err(|e| fail("console", &e))?;
        if let Some(web) = &web {
            let text = format!("The console is served on http://{}.", web.address());
            shared.log.info("Server", &text);
        }
        shared.log.info("Server", &SqlError::new(17126, &[]).message);
        let acceptor = Some(acceptor);
        Ok(Server {
            shared,
            address,
            admin_address,
            web,
            stop,
            hup,
            acceptor,
            reporter,
            known,
            announced: false,
            lock: None,
        })
    }

    /// SIGTERM and SIGINT stop this server, and so does SIGHUP of its terminal. Without a terminal SIGHUP has it open certificates
    /// and error log anew. Where SIGHUP was ignored at the start (`nohup`), it still is.
    pub fn listen_to_signals(&self) -> Result<(), StartFailure> {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
        let register = |signal, end: &UnixStream| -> std::io::Result<()> {
            signal_hook::low_level::pipe::register(signal, end.try_clone()?).map(|_| ())
        };
        let hup = if ignores(SIGHUP) { Ok(()) } else { register(SIGHUP, &self.hup) };
        hup.and_then(|()| register(SIGTERM, &self.stop))
            .and_then(|()| register(SIGINT, &self.stop))
            .map_err(|e| StartFailure(format!("signals: {e}")))
    }

    /// The instance that it serves.
    pub fn instance(&self) -> &Arc<Instance> {
        &self.shared.instance
    }

    /// The address at which it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where the admin connection is let in.
    pub fn admin_address(&self) -> Option<SocketAddr> {
        self.admin_address
    }

    /// An entry of the error log, by who has started the server.
    pub fn note(&self, level: Level, source: &str, text: &str) {
        self.shared.log.write(level, source, text);
    }

    /// What scripts and tools wait for on the standard output of a container: the port listens by now. That recovery is
    /// complete is said from here on. systemd is told the same.
    pub(crate) fn announce(&mut self) {
        if self.shared.settings.log_to_stdout {
            let text =
                "The default language (LCID 0) has been set for engine and full-text services.";
            self.shared.log.info("Server", text);
        }
        self.reporter.instance_started(&self.known, self.shared.instance.clone());
        self.announced = true;
        self.told(notify::ready(&self.ready_line()));
    }

    /// The one line on standard output.
    pub fn ready_line(&self) -> String {
        let data = self.shared.settings.data.display();
        let console = self.web.as_ref();
        let console = console.map_or("off".into(), |web| format!("http://{}", web.address()));
        format!("taffrail ready: tds={} console={console} data={data}", self.address)
    }

    /// Notes the fate of a message to the service manager: it may be waiting for it.
    fn told(&self, sent: std::io::Result<()>) {
        if let Err(e) = sent {
            let text = format!("The service manager could not be told: {e}.");
            self.shared.log.write(Level::Warning, "Server", &text);
        }
    }

    /// Gives the order to stop; [`Server::wait`] returns when it is done.
    pub fn stop(&self) {
        order(&self.stop, STOP);
    }

    /// Waits for the order to stop and carries it out; an error when a database could not be closed in order, or when master or tempdb
    /// was lost, which is an order to stop.
    pub fn wait(mut self) -> Result<(), StartFailure> {
        let mut waits = true;
        match self.acceptor.take().map(JoinHandle::join) {
            Some(Ok(at_once)) => waits = !at_once,
            Some(Err(_)) => {
                self.shared.log.write(Level::Error, "Server", "The acceptor thread has failed.");
            }
            None => {}
        }
        if self.announced {
            self.told(notify::stopping());
        }
        let shared = &self.shared;
        let text = match waits {
            true => format!(
                "The server is shutting down: waiting for running requests, {} s at most.",
                shared.settings.stop_grace.as_secs()
            ),
            false => "The server is shutting down at once.".into(),
        };
        shared.log.info("Server", &text);
        shared.stopping.store(true, Ordering::SeqCst);
        let grace = if waits { shared.settings.stop_grace } else { Duration::ZERO };
        let left = shared.connections.drain(grace, |channel| {
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
            let left = shared.connections.drain(ROLLBACK, Channel::stop_session);
            if left > 0 {
                let text = format!(
                    "{left} session(s) did not end; recovery will roll their transactions back."
                );
                shared.log.write(Level::Error, "Server", &text);
            }
        }
        shared.watcher.stop();
        if let Some(web) = &mut self.web {
            web.stop();
        }
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

/// Files that no statement may name: see `InstanceOptions::private_files`.
fn private_files(data: &Path, settings: &Settings) -> Vec<PathBuf> {
    let mut own = vec![data.join("log"), lock_file(data), password_file(data)];
    own.extend([KEY_FILE, CERTIFICATES].map(|name| data.join(name)));
    own.extend(own_files(data));
    let written: Vec<PathBuf> = own.iter().map(|f| taffrail_io::small_file_temporary(f)).collect();
    own.extend(written);
    own.extend(
        settings.tls_files.iter().flat_map(|(certificate, key)| [certificate, key]).cloned(),
    );
    own.extend(settings.secret_files.iter().cloned());
    own
}

/// Says where the collation that is wanted is not the one that the data directory was made with.
fn note_collation(wanted: Option<Collation>, instance: &Instance, log: &ErrorLog) {
    let has = instance.collation();
    if let Some(wanted) = wanted.filter(|wanted| *wanted != has) {
        let (wanted, has) = (wanted.name(), has.name());
        let text = format!(
            "MSSQL_COLLATION: '{wanted}' is for a new data directory. The collation of this server is {has}."
        );
        log.write(Level::Warning, "Server", &text);
    }
}
