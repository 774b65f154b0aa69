//! An instance: the databases of one data directory and what they share.

use crate::connection::{ConnectOptions, Connection};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use taffrail_base::SqlResult;
use taffrail_io::Env;

/// How VLFs are laid out when a log grows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum VlfAlgorithm {
    /// As up to SQL Server 2012.
    V2012,
    /// As in 2014 to 2019.
    V2014,
    /// As from 2022.
    #[default]
    V2022,
}

/// Settings of an instance.
#[derive(Clone)]
pub struct InstanceOptions {
    /// Where the databases are.
    pub data_dir: PathBuf,
    /// Disk, clock and randomness.
    pub env: Env,
    /// The memory budget.
    pub max_server_memory_mb: u64,
    /// Directories that files named by users may lie in; empty for the data directory alone.
    pub file_roots: Vec<PathBuf>,
    /// How VLFs are laid out.
    pub log_vlf_algorithm: VlfAlgorithm,
    /// The longest time that a delayed durable commit stays in memory.
    pub delayed_durability_window: Duration,
    /// `TARGET_RECOVERY_TIME`.
    pub target_recovery_time: Duration,
    /// `@@SERVERNAME`.
    pub server_name: String,
}

impl InstanceOptions {
    /// The defaults of the settings, for a directory.
    pub fn new(data_dir: impl Into<PathBuf>, env: Env) -> InstanceOptions {
        InstanceOptions {
            data_dir: data_dir.into(),
            env,
            max_server_memory_mb: 1024,
            file_roots: Vec::new(),
            log_vlf_algorithm: VlfAlgorithm::default(),
            delayed_durability_window: Duration::from_millis(8),
            target_recovery_time: Duration::from_secs(60),
            server_name: "TAFFRAIL".into(),
        }
    }
}

/// Why an instance did not start.
#[derive(Debug)]
pub struct StartError(pub String);

impl std::fmt::Display for StartError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for StartError {}

/// A login as it is recorded in master.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Login {
    /// Its name.
    pub name: String,
    /// Its security identifier.
    pub sid: Vec<u8>,
    /// A PHC string (Argon2id); empty when no password has been set.
    pub password_hash: String,
    /// It may not log in.
    pub is_disabled: bool,
    /// Where its sessions begin.
    pub default_database: String,
}

/// A running instance.
pub struct Instance {
    options: InstanceOptions,
}

impl Instance {
    /// Opens or creates the system databases, recovers the others, starts the background threads.
    pub fn start(options: InstanceOptions) -> Result<Arc<Instance>, StartError> {
        Ok(Arc::new(Instance { options }))
    }

    /// The settings it was started with.
    pub fn options(&self) -> &InstanceOptions {
        &self.options
    }

    /// Finds a login by its name (as the default collation compares names).
    pub fn find_login(&self, name: &str) -> Option<Login> {
        let _ = name;
        None
    }

    /// Records a login's password hash, creating the login if it does not exist; durable when it returns.
    pub fn set_login_password(&self, name: &str, password_hash: &str) -> SqlResult<()> {
        let _ = (name, password_hash);
        Ok(())
    }

    /// Opens a session for a login whose password has been verified: 4060 when its database cannot be opened.
    pub fn connect(self: &Arc<Self>, options: ConnectOptions) -> SqlResult<Connection> {
        let _ = options;
        Err(taffrail_base::SqlError::new(401, &[&"connect"]))
    }

    /// Checkpoints and closes every database and stops the background threads. Connections must have ended.
    pub fn shutdown(&self) {}
}
