//! An instance: the databases of one data directory and what they share.
//!
//! Threads: one log writer per database, one that lets databases checkpoint and write old pages, one lazy writer for the
//! pool. All others belong to whoever calls a [`Connection`].

mod contained;
mod logins;
mod passwords;
mod recoveries;
mod ticks;
mod told;

use crate::catalog::registry::{Databases, StartReport};
use crate::connection::Connection;
use crate::database::Database;
use crate::exec::activation::Activation;
use crate::exec::observer::Observer;
use crate::exec::plans::PlanCache;
use crate::features::{self, Beginning, Lists, State};
use crate::lost::Lost;
use crate::rings::Rings;
use crate::session::ConnectOptions;
use crate::session::entry::{InstanceCounters, SessionEntry, Sessions};
use crate::session::identity::SecurityContext;
use crate::session::promises::Promises;
use crate::session::{Kept, Running, Session, SetOptions, TransactionState};
use crate::traced::Traced;
use parking_lot::{Condvar, Mutex, RwLock};
use std::any::Any;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::Duration;
use taffrail_base::{DatabaseId, SessionId, SqlError, SqlResult};
use taffrail_io::counted::CountedDisk;
use taffrail_observe::{Command, WaitStats, WaitType};
use taffrail_storage::StorageInstance;
use taffrail_types::Value;

pub use crate::instance_options::{Host, InstanceOptions};
pub use crate::session::entry::SessionEntry as SessionInfo;
pub use contained::ContainedUser;
pub use logins::Login;
pub use passwords::PasswordPolicy;

/// Why an instance did not start.
#[derive(Debug)]
pub struct StartError(pub String);

impl std::fmt::Display for StartError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for StartError {}

/// A wait is counted when it ends: idle threads end theirs at least this often.
const IDLE_AT_MOST: Duration = Duration::from_millis(100);

#[derive(Default)]
struct Threads {
    list: Mutex<Vec<JoinHandle<()>>>,
    /// Databases with a log writer.
    writers: Mutex<Vec<(DatabaseId, Arc<taffrail_log::Log>)>>,
    stopping: AtomicBool,
    gate: Mutex<()>,
    wake: Condvar,
}

/// A running instance.
pub struct Instance {
    options: InstanceOptions,
    /// Counts what goes through each file.
    file_io: Arc<CountedDisk>,
    storage: Arc<StorageInstance>,
    databases: Databases,
    plans: Arc<PlanCache>,
    sessions: Arc<Sessions>,
    counters: InstanceCounters,
    logins: RwLock<Arc<crate::catalog::principals::Principals>>,
    shared_rights: crate::session::rights::SharedRights,
    bad_passwords: passwords::BadPasswords,
    /// Outcomes of the start that nobody has taken yet.
    reports: Mutex<Vec<StartReport>>,
    started: Value,
    started_at: Duration,
    threads: Threads,
    sequential: AtomicU64,
    guid_base: [u8; 16],
    lost: Lost,
    /// The states of the features, in their order.
    states: Vec<State>,
    rings: Rings,
    host: OnceLock<Box<dyn Host>>,
    /// Told of what sessions do.
    observer: &'static dyn Observer,
}

impl Instance {
    /// Opens or creates the system databases, recovers the others, starts the background threads. Statements, procedures and views are
    /// those of the features that are handed in.
    pub fn start(
        mut options: InstanceOptions,
        features: Lists,
    ) -> Result<Arc<Instance>, StartError> {
        features::hand_in(features);
        let fail = |e: &dyn std::fmt::Display| StartError(e.to_string());
        let counted = CountedDisk::new(options.env.disk.clone(), options.env.clock.clone());
        let file_io = Arc::new(counted.watched(Arc::new(Traced)));
        options.env.disk = file_io.clone();
        let log = taffrail_storage::LogSettings {
            vlf_algorithm: options.log_vlf_algorithm,
            initialization: options.log_initialization,
            delayed_window: options.delayed_durability_window,
            ..Default::default()
        };
        let storage_options = taffrail_storage::InstanceOptions {
            // Plans, locks and stacks live beside the pool.
            pool_bytes: (options.max_server_memory_mb << 20) / 4 * 3,
            log,
            workers: ticks::redo_workers(),
            data_dir: options.data_dir.clone(),
            run_ahead: options.run_ahead,
            versions_bytes: options.row_versions_mb.unwrap_or(64) << 20,
            ..Default::default()
        };
        let storage = StorageInstance::new(options.env.clone(), storage_options).map_err(|e| {
            let wanted = options.max_server_memory_mb;
            fail(&format_args!(
                "max_server_memory_mb: the system does not give {wanted} MB of memory. {e}"
            ))
        })?;
        let plans = Arc::<PlanCache>::default();
        let later = options.recovery_wait.is_some();
        let (databases, reports) =
            Databases::start(&storage, &options.data_dir, options.collation, plans.clone(), later)
                .map_err(|e| fail(&e))?;
        let clock = &options.env.clock;
        let started = crate::catalog::datetime_now(&**clock);
        let started_at = clock.monotonic();
        let sessions = Arc::<Sessions>::default();
        let beginning = Beginning { sessions: &sessions, options: &options };
        let states =
            features::features().filter_map(|f| f.state).map(|of| of(&beginning)).collect();
        let instance = Arc::new(Instance {
            states,
            guid_base: options.env.entropy.guid(),
            file_io,
            storage,
            databases,
            plans,
            sessions,
            counters: InstanceCounters::default(),
            logins: RwLock::default(),
            shared_rights: Default::default(),
            bad_passwords: Default::default(),
            reports: Mutex::new(reports),
            started,
            started_at,
            threads: Threads::default(),
            sequential: AtomicU64::new(0),
            lost: Lost::default(),
            rings: Rings::default(),
            host: OnceLock::new(),
            observer: features::observer(),
            options,
        });
        instance.server_principals();
        instance.listen_to_victims();
        // Of these there is one each: they are shown however many databases there are.
        instance.spawn_background().map_err(|e| fail(&e))?;
        instance.adopt_databases();
        if let Some(wait) = instance.options.recovery_wait {
            instance.recover_databases(wait);
        }
        // Features that are listed later watch those before them, so they begin first.
        let starts: Vec<_> = features::features().filter_map(|f| f.start).collect();
        for start in starts.into_iter().rev() {
            start(&instance).map_err(|e| fail(&e))?;
        }
        Ok(instance)
    }

    /// The settings it was started with.
    pub fn options(&self) -> &InstanceOptions {
        &self.options
    }

    /// Where data files go that no statement places.
    pub fn default_data_dir(&self) -> &Path {
        self.options.default_data_dir.as_deref().unwrap_or(self.databases.data_dir())
    }

    /// Where log files go that no statement places.
    pub fn default_log_dir(&self) -> &Path {
        self.options.default_log_dir.as_deref().unwrap_or(self.databases.data_dir())
    }

    /// Where backups go that are named by a relative path.
    pub fn backup_dir(&self) -> PathBuf {
        let given = self.options.default_backup_dir.clone();
        given.unwrap_or_else(|| self.databases.data_dir().join("backup"))
    }

    /// Says what the process around it does for statements; the first one counts.
    pub fn set_host(&self, host: Box<dyn Host>) {
        let _ = self.host.set(host);
    }

    /// The process around it; none in a test.
    pub fn host(&self) -> Option<&dyn Host> {
        self.host.get().map(|host| &**host)
    }

    /// The one who is told of what sessions do.
    #[inline]
    pub(crate) fn observer(&self) -> &'static dyn Observer {
        self.observer
    }

    /// What went through its files.
    pub fn file_io(&self) -> &CountedDisk {
        &self.file_io
    }

    /// The server's collation.
    pub fn collation(&self) -> taffrail_types::Collation {
        self.databases.collation()
    }

    /// Its databases.
    pub fn databases(&self) -> &Databases {
        &self.databases
    }

    /// The rights of all sessions.
    pub(crate) fn shared_rights(&self) -> &crate::session::rights::SharedRights {
        &self.shared_rights
    }

    /// What was compiled, for all sessions.
    pub fn plans(&self) -> &PlanCache {
        &self.plans
    }

    /// What the statements of one request may keep in memory, in bytes.
    pub fn query_memory_limit(&self) -> usize {
        let quarter = || self.databases.memory_of_requests_mb() / 4;
        let mb = self.options.query_memory_limit_mb.unwrap_or_else(quarter).max(1);
        usize::try_from(mb << 20).unwrap_or(usize::MAX)
    }

    /// [`Instance::shutdown`] has begun.
    pub fn is_stopping(&self) -> bool {
        self.threads.stopping.load(Ordering::Acquire)
    }

    pub(crate) fn loss(&self) -> &Lost {
        &self.lost
    }

    /// What sys.dm_os_ring_buffers shows.
    pub fn rings(&self) -> &Rings {
        &self.rings
    }

    /// The state that a feature keeps in this instance.
    pub fn state<T: Any>(&self) -> &T {
        self.states.iter().find_map(|s| s.downcast_ref()).expect("a feature keeps this state")
    }

    /// What storage shares among them.
    pub fn storage(&self) -> &Arc<StorageInstance> {
        &self.storage
    }

    /// Counters of its sessions.
    pub fn counters(&self) -> &InstanceCounters {
        &self.counters
    }

    /// `@@CONNECTIONS`.
    pub(crate) fn connections_made(&self) -> u64 {
        self.counters.logins.get()
    }

    /// When it started: datetime.
    pub fn start_time(&self) -> Value {
        self.started.clone()
    }

    /// How long ago that was.
    pub fn up_time(&self) -> Duration {
        self.options.env.clock.monotonic().saturating_sub(self.started_at)
    }

    /// The sessions of its users, by number.
    pub fn sessions(&self) -> Vec<Arc<SessionEntry>> {
        self.sessions.list()
    }

    /// Its own threads and the sessions of its users, by number.
    pub fn all_sessions(&self) -> Vec<Arc<SessionEntry>> {
        let mut all = self.sessions.system();
        all.append(&mut self.sessions.list());
        all
    }

    /// Ends a session; false when there is none of that number.
    pub fn kill_session(&self, id: SessionId) -> bool {
        let Some(s) = self.sessions.get(id) else { return false };
        s.kill();
        self.storage.locks.cancel_session(id);
        true
    }

    /// NEWSEQUENTIALID: grows within a run of the instance.
    pub(crate) fn next_sequential_guid(&self) -> [u8; 16] {
        let n = self.sequential.fetch_add(1, Ordering::Relaxed).to_be_bytes();
        let mut g = self.guid_base;
        // The order of uniqueidentifier begins with the last six bytes: they stay; the first eight count.
        g[..4].copy_from_slice(&[n[7], n[6], n[5], n[4]]);
        g
    }

    /// Opens a session for a login whose password has been verified: 4060 when the database that it names cannot be opened, 4064 when
    /// it names none and its own cannot, 6005 when the instance is about to end.
    pub fn connect(self: &Arc<Self>, client: ConnectOptions) -> SqlResult<Connection> {
        self.await_database(client.database.as_deref(), &client.login);
        let _entered = self.enter()?;
        self.connect_within(client)
    }

    /// The same for a session of the server's own, within whatever goes on.
    pub fn connect_within(self: &Arc<Self>, mut client: ConnectOptions) -> SqlResult<Connection> {
        let (security, login) = self.context_of_login(&client.login)?;
        client.login_id = security.login_id;
        let database = self.first_database(&security, &login, client.database.as_deref())?;
        self.open_session(client, security, login.language.as_deref(), database)
    }

    /// A session in a context that has been found, in the database where it begins.
    fn open_session(
        self: &Arc<Self>,
        mut client: ConnectOptions,
        security: SecurityContext,
        language: Option<&str>,
        database: Arc<Database>,
    ) -> SqlResult<Connection> {
        let now = crate::catalog::datetime_now(&*self.options.env.clock);
        let entry = self
            .sessions
            .add(client.clone(), now, self.options.env.entropy.guid())
            .ok_or_else(|| SqlError::new(17809, &[&32_767]))?;
        self.counters.logins.inc();
        if let ("", Some(own)) = (&*client.language, language) {
            client.language = own.into();
        }
        let mut options = SetOptions::of_login(&client.language);
        if !client.odbc_defaults {
            // As SQL Server's server-wide defaults; every client of today sets them on its own as well.
            options.ansi_nulls = true;
        }
        let mut seed = [0; 8];
        self.options.env.entropy.fill(&mut seed);
        let session = Session {
            id: entry.id,
            instance: self.clone(),
            client,
            activation: Box::new(Activation::of_session(options, security)),
            cell: entry.cell.clone(),
            running: Running::new(entry.cancel.clone()),
            promises: Promises::new(&self.storage),
            entry,
            kept: Kept {
                home: database.clone(),
                known_identity: Default::default(),
                known_rights: Default::default(),
                known_masks: Default::default(),
                trace_flags: Vec::new(),
                calls: 0,
                identity: None,
                random: std::cell::Cell::new(u64::from_le_bytes(seed)),
                app_locks: Default::default(),
                context_info: Value::Null,
                context: Vec::new(),
            },
            database,
            transaction: TransactionState::default(),
            temps: Default::default(),
            held: Default::default(),
            lookups: Default::default(),
        };
        self.ensure_writer(&session.database);
        session.publish();
        self.observer.session_begins(&session);
        Ok(Connection::new(session))
    }

    pub(crate) fn session_ended(&self, id: SessionId) {
        self.counters.logouts.inc();
        self.sessions.remove(id);
    }

    /// Starts a log writer for every database that has none, and forgets those of databases that are gone: closing a database ends its
    /// writer. A database that is only out of use for a moment, while somebody finds out that it may not be closed, keeps its writer.
    pub fn adopt_databases(self: &Arc<Self>) {
        let open: Vec<Arc<Database>> = self.databases.open();
        {
            let mut writers = self.threads.writers.lock();
            writers.retain(|(id, log)| {
                let there = open.iter().any(|d| d.id == *id && Arc::ptr_eq(d.storage.log(), log));
                there || !log.is_failed()
            });
        }
        for database in &open {
            self.ensure_writer(database);
            self.ensure_recovered(database);
        }
    }

    /// Starts a thread of the instance, shown as a background task; [`Instance::shutdown`] waits for its end.
    pub fn background(
        &self,
        name: String,
        stack: usize,
        (command, database): (Command, DatabaseId),
        run: impl FnOnce() + Send + 'static,
    ) -> std::io::Result<()> {
        let now = crate::catalog::datetime_now(&*self.options.env.clock);
        let shown = self.sessions.add_system(command, database, now);
        let handle = std::thread::Builder::new().name(name).stack_size(stack).spawn(move || {
            let _entered = shown.enter();
            run();
            shown.cell.gather();
        })?;
        let mut list = self.threads.list.lock();
        // Databases come and go: what has ended need not be kept.
        list.retain(|h| !h.is_finished());
        list.push(handle);
        Ok(())
    }

    /// Starts the log writer of a database if it has none.
    pub(crate) fn ensure_writer(&self, database: &Arc<Database>) {
        for opened in features::features().filter_map(|f| f.opened) {
            opened(self, database);
        }
        let log = database.storage.log();
        let mut writers = self.threads.writers.lock();
        if writers.iter().any(|(id, l)| *id == database.id && Arc::ptr_eq(l, log)) {
            return;
        }
        let own = log.clone();
        let name = format!("log writer {}", database.id);
        // Without a thread the committers write themselves; the next look tries again.
        let shown = (Command::LogWriter, database.id);
        if self.background(name, 256 << 10, shown, move || own.run_writer()).is_err() {
            return;
        }
        writers.push((database.id, log.clone()));
        drop(writers);
        let files = database.storage.file_sizes().into_iter();
        crate::traced::note_owners(files.map(|f| (f.path, database.id.0, f.id.0)));
        let own = log.clone();
        // Without it the log grows on demand.
        let (name, shown) =
            (format!("log ahead {}", database.id), (Command::LogAhead, database.id));
        let _ = self.background(name, 256 << 10, shown, move || own.run_ahead());
    }

    fn spawn_background(self: &Arc<Self>) -> std::io::Result<()> {
        type Tick = fn(&Arc<Instance>) -> Duration;
        type Idle = &'static [WaitType];
        let ticks: [(&str, Command, Idle, Tick); 2] = [
            (
                "recovery writer",
                Command::RecoveryWriter,
                &[WaitType::DirtyPagePoll, WaitType::CheckpointQueue],
                |i| {
                    i.look_after_system_databases();
                    i.adopt_databases();
                    features::features().filter_map(|f| f.tick).for_each(|tick| tick(i));
                    let open = i.databases.open().into_iter();
                    let look = |d: Arc<Database>| {
                        // So that whoever reads the counters need not ask the log.
                        d.storage.log().set_size_counters();
                        d.storage.background_tick()
                    };
                    open.map(look)
                        .min()
                        .unwrap_or(Duration::from_millis(500))
                        .clamp(Duration::from_millis(5), Duration::from_millis(500))
                },
            ),
            ("lazy writer", Command::LazyWriter, &[WaitType::LazyWriterSleep], |i| {
                i.storage.lazy_writer_tick()
            }),
        ];
        for (name, command, waits, tick) in ticks {
            let weak = Arc::downgrade(self);
            self.background(name.into(), 512 << 10, (command, DatabaseId(0)), move || {
                while let Some(instance) = weak.upgrade() {
                    if instance.threads.stopping.load(Ordering::Acquire) {
                        break;
                    }
                    let pause = tick(&instance).min(IDLE_AT_MOST);
                    taffrail_observe::session::with_current(|cell| cell.gather());
                    let threads = &instance.threads;
                    let mut gate = threads.gate.lock();
                    if !threads.stopping.load(Ordering::Acquire) {
                        let idle = taffrail_observe::wait(waits[0]);
                        threads.wake.wait_for(&mut gate, pause);
                        let ns = idle.finish();
                        // One thread waits for both: pages that grow old, and that a checkpoint is due.
                        for also in &waits[1..] {
                            WaitStats::global().record(*also, ns, 0);
                        }
                    }
                }
            })?;
        }
        Ok(())
    }

    /// Ends the present idle waits of the background threads, so that they are counted.
    pub fn wake_background(&self) {
        let _gate = self.threads.gate.lock();
        self.threads.wake.notify_all();
    }

    /// Checkpoints and closes every database and stops the background threads. Connections must have ended.
    pub fn shutdown(&self) -> SqlResult<()> {
        if self.threads.stopping.swap(true, Ordering::AcqRel) {
            return Ok(());
        }
        {
            let _gate = self.threads.gate.lock();
            self.threads.wake.notify_all();
        }
        // A scheduled backup that runs is cut short; its thread is waited for below.
        self.sessions().iter().for_each(|s| _ = self.kill_session(s.id));
        features::features().filter_map(|f| f.stop).for_each(|stop| stop(self));
        self.storage.stop_restarts();
        for database in self.databases.open() {
            database.storage.stop_recovery();
        }
        for (_, log) in self.threads.writers.lock().drain(..) {
            // What a delayed commit left in memory goes out first. Nothing is lost by not looking at the result: a
            // failed flush poisons the log and is told to the error log, and closing the database then fails, too.
            let _ = log.flush(taffrail_log::FlushReason::Request);
            log.stop_writer();
        }
        let handles = std::mem::take(&mut *self.threads.list.lock());
        let own = std::thread::current().id();
        for h in handles {
            if h.thread().id() != own {
                // A thread that panicked has told so; the others still have to be waited for.
                let _ = h.join();
            }
        }
        self.databases.close_all()
    }
}
