//! What an instance is told: its settings, and whom it asks about the process around it.

use crate::instance::{Instance, PasswordPolicy};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use taffrail_io::{Env, IoResult, RemoteObject};
use taffrail_log::{Initialization, VlfAlgorithm};
use taffrail_storage::RunAhead;
use taffrail_types::Collation;

/// Settings of an instance.
#[derive(Clone)]
pub struct InstanceOptions {
    /// Where the databases are.
    pub data_dir: PathBuf,
    /// Disk, clock and randomness.
    pub env: Env,
    /// The memory budget.
    pub max_server_memory_mb: u64,
    /// What the statements of one request may keep in memory; none: a quarter of the budget.
    pub query_memory_limit_mb: Option<u64>,
    /// Row versions in memory, of all databases together; none: 64 MB.
    pub row_versions_mb: Option<u64>,
    /// Directories that files named by users may lie in; empty for the data directory alone.
    pub file_roots: Vec<PathBuf>,
    /// Where data files go that no statement places; none: the data directory.
    pub default_data_dir: Option<PathBuf>,
    /// The same of log files.
    pub default_log_dir: Option<PathBuf>,
    /// Where backups go that are named by a relative path; none: `backup` in the data directory.
    pub default_backup_dir: Option<PathBuf>,
    /// Where the default trace is, beside the error log; none: there is none.
    pub trace_dir: Option<PathBuf>,
    /// Sessions at a time: `@@MAX_CONNECTIONS`.
    pub max_connections: u32,
    /// Files and directories of the server itself, which no statement may name.
    pub private_files: Vec<PathBuf>,
    /// How VLFs are laid out.
    pub log_vlf_algorithm: VlfAlgorithm,
    /// How new parts of log files are initialised.
    pub log_initialization: Initialization,
    /// The longest time that a delayed durable commit stays in memory.
    pub delayed_durability_window: Duration,
    /// How far commits that are visible may run ahead of what is durable.
    pub run_ahead: RunAhead,
    /// `TARGET_RECOVERY_TIME`.
    pub target_recovery_time: Duration,
    /// How long a start waits for the recovery of user databases, which goes on beside their neighbours' users; several are recovered at
    /// once. None: one after the other, all before the start ends.
    pub recovery_wait: Option<Duration>,
    /// `@@SERVERNAME`.
    pub server_name: String,
    /// The collation of a server whose data directory is made now; one that is there has its own.
    pub collation: Collation,
    /// The backup schedule of user databases that have none of their own.
    pub backup_schedule: Option<BackupSchedule>,
    /// How many wrong passwords lock a login out, and how long one lasts.
    pub passwords: PasswordPolicy,
}

/// When backups are taken: see `taffrail.backup_schedule`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BackupSchedule {
    /// Minutes from one full backup to the next.
    pub full_minutes: u32,
    /// From a full or differential one to the next differential one; none: there are no differential ones.
    pub differential_minutes: Option<u32>,
    /// From one log backup to the next; none: there are none.
    pub log_minutes: Option<u32>,
    /// How many full backups, with all that follows each, are kept.
    pub keep_chains: u32,
    /// How often the newest chain is restored under another name and checked; none: never.
    pub drill_minutes: Option<u32>,
    /// Where the files go; none: where backups with a relative path go.
    pub directory: Option<String>,
}

impl InstanceOptions {
    /// Options of an instance whose directory goes away with it: nobody waits for its logs.
    pub fn of_scratch(data_dir: impl Into<PathBuf>) -> InstanceOptions {
        InstanceOptions { max_server_memory_mb: 256, ..InstanceOptions::new(data_dir, Env::os()) }
    }

    /// The defaults of the settings, for a directory.
    pub fn new(data_dir: impl Into<PathBuf>, env: Env) -> InstanceOptions {
        InstanceOptions {
            data_dir: data_dir.into(),
            env,
            max_server_memory_mb: 1024,
            query_memory_limit_mb: None,
            row_versions_mb: None,
            file_roots: Vec::new(),
            default_data_dir: None,
            default_log_dir: None,
            default_backup_dir: None,
            trace_dir: None,
            max_connections: 32_767,
            private_files: Vec::new(),
            log_vlf_algorithm: VlfAlgorithm::default(),
            log_initialization: Initialization::default(),
            delayed_durability_window: Duration::from_millis(8),
            run_ahead: RunAhead::default(),
            target_recovery_time: Duration::from_secs(60),
            recovery_wait: None,
            server_name: "TAFFRAIL".into(),
            collation: Collation::default(),
            backup_schedule: None,
            passwords: PasswordPolicy::default(),
        }
    }
}

/// An object of an object store, and how it is asked for and written.
#[derive(Clone)]
pub struct ObjectAddress {
    /// The address of the object, `s3://host[:port]/path`.
    pub url: String,
    /// The name of the key that signs what the store is asked.
    pub key_id: String,
    /// The secret half of the key.
    pub key: String,
    /// The region that is signed, such as `us-east-1`.
    pub region: String,
    /// Bytes of a part of an upload.
    pub part_bytes: usize,
    /// Parts that may be under way at once.
    pub parts_at_once: usize,
    /// True as soon as nobody waits for the object any more.
    pub cancel: Arc<AtomicBool>,
}

/// What statements ask of the process around an instance.
pub trait Host: Send + Sync {
    /// `SHUTDOWN`: gives the order to stop; with `nowait` nothing that runs may go on. Returns at once.
    fn shut_down(&self, login: &str, nowait: bool);
    /// Where clients find the server; none: nowhere.
    fn tcp_port(&self) -> Option<u16> {
        None
    }
    /// The addresses on which it takes T-SQL, the one for everybody first.
    fn listeners(&self) -> Vec<SocketAddr> {
        Vec::new()
    }
    /// Writes to the error log what has been reported so far: somebody is about to read it.
    fn write_error_log(&self) {}
    /// `sp_cycle_errorlog`: begins a new error log.
    fn cycle_error_log(&self) -> std::io::Result<()>;
    /// What is kept of a password in its place; an error: why there is none.
    fn hash_password(&self, password: &str) -> Result<String, String>;
    /// Whether `password` is the one that `kept` stands for.
    fn is_password(&self, login: &str, password: &str, kept: &str) -> bool;
    /// A login's password is another one now, durably.
    fn password_changed(&self, instance: &Instance);
    /// An object of an object store, of which nothing is asked yet.
    fn object(&self, at: ObjectAddress) -> IoResult<Arc<dyn RemoteObject>>;
    /// A secret as it is kept where others may read it, and only this server can make sense of it; an error: why it cannot be.
    fn seal(&self, secret: &str) -> Result<Vec<u8>, String>;
    /// The secret that was sealed so; an error: why it cannot be told.
    fn unseal(&self, sealed: &[u8]) -> Result<String, String>;
}
