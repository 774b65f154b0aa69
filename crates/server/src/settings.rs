//! Settings: flags before `TAFFRAIL_*` variables before `MSSQL_*` ones before a TOML file before the defaults.
//!
//! All sources fill the same [`Overrides`]; [`Settings::resolve`] lays them over each other and checks the
//! result, so that a value means the same wherever it was written.

mod backup;
mod mssql;
mod passwords;

pub use backup::BackupOverrides;
pub use passwords::PasswordOverrides;

use crate::ground::why;
use crate::memory::half_of_memory_mb;
use serde::Deserialize;
use std::cell::RefCell;
use std::ffi::OsString;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::time::Duration;
use taffrail_engine::{BackupSchedule, Initialization, PasswordPolicy, RunAhead, VlfAlgorithm};
use taffrail_types::Collation;

/// The settings of one source; those that it leaves out are `None`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Overrides {
    pub data: Option<PathBuf>,
    pub listen: Option<String>,
    pub admin_listen: Option<String>,
    pub console: Option<String>,
    /// The port in `listen`'s place, from `MSSQL_TCP_PORT`.
    #[serde(skip)]
    pub tcp_port: Option<u16>,
    pub metrics_token_file: Option<PathBuf>,
    #[serde(skip)]
    pub config: Option<PathBuf>,
    pub sa_password_file: Option<PathBuf>,
    /// Not in a file and not a flag: others could read it there.
    #[serde(skip)]
    pub sa_password: Option<String>,
    pub max_server_memory_mb: Option<u64>,
    pub query_memory_limit_mb: Option<u64>,
    pub row_versions_mb: Option<u64>,
    pub max_connections: Option<u32>,
    pub file_roots: Option<Vec<PathBuf>>,
    pub default_data_dir: Option<PathBuf>,
    pub default_log_dir: Option<PathBuf>,
    pub default_backup_dir: Option<PathBuf>,
    pub stop_grace_s: Option<u64>,
    pub log_to_stdout: Option<bool>,
    pub s3_plain_http_loopback: Option<bool>,
    pub init_dir: Option<PathBuf>,
    /// The database of `MSSQL_DB`.
    #[serde(skip)]
    pub init_database: Option<String>,
    /// The collation of `MSSQL_COLLATION`.
    #[serde(skip)]
    pub collation: Option<Collation>,
    pub tls: Option<String>,
    pub tls_certificate_file: Option<PathBuf>,
    pub tls_key_file: Option<PathBuf>,
    pub log_vlf_algorithm: Option<String>,
    pub log_initialization: Option<String>,
    pub delayed_durability_window_ms: Option<u64>,
    pub pipelined_commit_ms: Option<u64>,
    pub pipelined_commit_kb: Option<u64>,
    pub target_recovery_time_s: Option<u64>,
    pub recovery_interval_min: Option<u64>,
    /// The section `[backup]`, and `TAFFRAIL_BACKUP_*`.
    pub backup: Option<BackupOverrides>,
    /// The section `[passwords]`, and `TAFFRAIL_PASSWORDS_*`.
    pub passwords: Option<PasswordOverrides>,
}

/// The clients that have to encrypt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TlsPolicy {
    /// Everybody who does not come over the loopback interface.
    RequiredOffLoopback,
    /// Whoever wants to; a client that can encrypts at least its login.
    Optional,
    /// No client can encrypt.
    Off,
}

/// Where something is served beside TDS: the admin connection, the console.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// It listens nowhere.
    Off,
    /// Nobody has said: here, if nobody else has the place.
    Default(SocketAddr),
    /// It listens at this address.
    At(SocketAddr),
}

/// Where files go that no statement places.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DefaultDirs {
    /// The directory of data files.
    pub data: Option<PathBuf>,
    /// The directory of log files.
    pub log: Option<PathBuf>,
    /// Backups with a relative path.
    pub backup: Option<PathBuf>,
}

/// The settings of a server.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The directory of the data.
    pub data: PathBuf,
    /// Where TDS is spoken; port 0 takes any free port.
    pub listen: SocketAddr,
    /// Where one more session gets in when all others are taken.
    pub admin_listen: Place,
    /// Where HTTP is spoken: metrics, health, the console.
    pub console: Place,
    /// The token that `/metrics` asks of who does not come over loopback; none: nobody else gets it.
    pub metrics_token: Option<String>,
    /// `sa`'s password, if one is given.
    pub sa_password: Option<String>,
    /// The budget of memory in MB.
    pub max_server_memory_mb: u64,
    /// Memory that the statements of one request may keep; none: a quarter of the budget.
    pub query_memory_limit_mb: Option<u64>,
    /// Row versions in memory, in MB; none: 64.
    pub row_versions_mb: Option<u64>,
    /// Sessions at a time.
    pub max_connections: u32,
    /// Directories that statements may name files in; empty for the data directory alone.
    pub file_roots: Vec<PathBuf>,
    /// Where data files, log files and backups go that no statement places; none: the data directory, `backup` in it.
    pub default_dirs: DefaultDirs,
    /// How long running requests may go on after the order to stop.
    pub stop_grace: Duration,
    /// Standard output has the error log.
    pub log_to_stdout: bool,
    /// Object stores on this machine are asked in plain text.
    pub s3_plain_http_loopback: bool,
    /// The directory whose scripts the first start runs.
    pub init_dir: Option<PathBuf>,
    /// A database that the first start makes.
    pub init_database: Option<String>,
    /// The collation of a server whose data directory is made now.
    pub collation: Option<Collation>,
    /// Who has to encrypt.
    pub tls: TlsPolicy,
    /// Certificate chain and key in PEM, instead of the self-signed pair.
    pub tls_files: Option<(PathBuf, PathBuf)>,
    /// Variables `TAFFRAIL_…` and `MSSQL_…` of the environment that are no settings.
    pub unknown_variables: Vec<String>,
    /// Notes on variables that are settings of SQL Server's.
    pub notes: Vec<String>,
    /// The settings' own files, which no statement may name: the TOML file and that of the password.
    pub secret_files: Vec<PathBuf>,
    /// VLFs that a growth makes.
    pub log_vlf_algorithm: VlfAlgorithm,
    /// How new parts of log files are initialised.
    pub log_initialization: Initialization,
    /// The longest time a delayed durable commit stays in memory.
    pub delayed_durability_window: Duration,
    /// How far commits that are visible may run ahead of what is durable.
    pub run_ahead: RunAhead,
    /// `TARGET_RECOVERY_TIME` of new databases.
    pub target_recovery_time: Duration,
    /// The backup schedule of databases that have none of their own.
    pub backup_schedule: Option<BackupSchedule>,
    /// How many wrong passwords lock a login out, and how long one lasts.
    pub passwords: PasswordPolicy,
}

/// The default of `--data`.
pub const DEFAULT_DATA: &str = "./data";
/// The default of `--listen`.
pub const DEFAULT_LISTEN: &str = "127.0.0.1:1433";
/// The default of `--console`.
pub const DEFAULT_CONSOLE: SocketAddr =
    SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 8433);
/// The default of `--max-connections`.
pub const DEFAULT_MAX_CONNECTIONS: u32 = 1024;
/// The default of `--stop-grace-s`: half of what Docker gives a container to stop in.
pub const DEFAULT_STOP_GRACE_S: u64 = 5;

impl Overrides {
    /// From `TAFFRAIL_*` variables, through `var` so that a test needs no process environment.
    pub fn from_env(var: impl Fn(&str) -> Option<String>) -> Result<Overrides, String> {
        let given = var;
        // An empty one is none; an empty password is no password, and refused.
        let var = |name: &str| given(name).filter(|value| !value.trim().is_empty());
        let path = |name: &str| var(name).map(PathBuf::from);
        Ok(Overrides {
            data: path("TAFFRAIL_DATA"),
            listen: var("TAFFRAIL_LISTEN"),
            admin_listen: var("TAFFRAIL_ADMIN_LISTEN"),
            console: var("TAFFRAIL_CONSOLE"),
            tcp_port: None,
            metrics_token_file: path("TAFFRAIL_METRICS_TOKEN_FILE"),
            config: path("TAFFRAIL_CONFIG"),
            sa_password_file: path("TAFFRAIL_SA_PASSWORD_FILE"),
            sa_password: given("TAFFRAIL_SA_PASSWORD"),
            max_server_memory_mb: number(
                "TAFFRAIL_MAX_SERVER_MEMORY_MB",
                var("TAFFRAIL_MAX_SERVER_MEMORY_MB"),
            )?,
            query_memory_limit_mb: number(
                "TAFFRAIL_QUERY_MEMORY_LIMIT_MB",
                var("TAFFRAIL_QUERY_MEMORY_LIMIT_MB"),
            )?,
            row_versions_mb: number("TAFFRAIL_ROW_VERSIONS_MB", var("TAFFRAIL_ROW_VERSIONS_MB"))?,
            max_connections: number("TAFFRAIL_MAX_CONNECTIONS", var("TAFFRAIL_MAX_CONNECTIONS"))?,
            file_roots: var("TAFFRAIL_FILE_ROOTS").map(|v| std::env::split_paths(&v).collect()),
            default_data_dir: path("TAFFRAIL_DEFAULT_DATA_DIR"),
            default_log_dir: path("TAFFRAIL_DEFAULT_LOG_DIR"),
            default_backup_dir: path("TAFFRAIL_DEFAULT_BACKUP_DIR"),
            stop_grace_s: number("TAFFRAIL_STOP_GRACE_S", var("TAFFRAIL_STOP_GRACE_S"))?,
            log_to_stdout: truth("TAFFRAIL_LOG_TO_STDOUT", var("TAFFRAIL_LOG_TO_STDOUT"))?,
            s3_plain_http_loopback: truth(
                "TAFFRAIL_S3_PLAIN_HTTP_LOOPBACK",
                var("TAFFRAIL_S3_PLAIN_HTTP_LOOPBACK"),
            )?,
            init_dir: path("TAFFRAIL_INIT_DIR"),
            init_database: None,
            collation: None,
            tls: var("TAFFRAIL_TLS"),
            tls_certificate_file: path("TAFFRAIL_TLS_CERTIFICATE_FILE"),
            tls_key_file: path("TAFFRAIL_TLS_KEY_FILE"),
            log_vlf_algorithm: var("TAFFRAIL_LOG_VLF_ALGORITHM"),
            log_initialization: var("TAFFRAIL_LOG_INITIALIZATION"),
            delayed_durability_window_ms: number(
                "TAFFRAIL_DELAYED_DURABILITY_WINDOW_MS",
                var("TAFFRAIL_DELAYED_DURABILITY_WINDOW_MS"),
            )?,
            pipelined_commit_ms: number(
                "TAFFRAIL_PIPELINED_COMMIT_MS",
                var("TAFFRAIL_PIPELINED_COMMIT_MS"),
            )?,
            pipelined_commit_kb: number(
                "TAFFRAIL_PIPELINED_COMMIT_KB",
                var("TAFFRAIL_PIPELINED_COMMIT_KB"),
            )?,
            target_recovery_time_s: number(
                "TAFFRAIL_TARGET_RECOVERY_TIME_S",
                var("TAFFRAIL_TARGET_RECOVERY_TIME_S"),
            )?,
            recovery_interval_min: number(
                "TAFFRAIL_RECOVERY_INTERVAL_MIN",
                var("TAFFRAIL_RECOVERY_INTERVAL_MIN"),
            )?,
            backup: BackupOverrides::from_env(&var)?,
            passwords: PasswordOverrides::from_env(&var)?,
        })
    }

    /// From the text of a TOML file.
    pub fn from_toml(text: &str) -> Result<Overrides, String> {
        toml::from_str(text).map_err(|e| e.to_string())
    }

    /// These, and where they say nothing, those.
    pub fn or(self, those: Overrides) -> Overrides {
        Overrides {
            data: self.data.or(those.data),
            // A port is a part of where to listen: it goes with the place that is as near or farther.
            tcp_port: match self.listen {
                Some(_) => self.tcp_port,
                None => self.tcp_port.or(those.tcp_port),
            },
            listen: self.listen.or(those.listen),
            admin_listen: self.admin_listen.or(those.admin_listen),
            console: self.console.or(those.console),
            metrics_token_file: self.metrics_token_file.or(those.metrics_token_file),
            config: self.config.or(those.config),
            // A password and a file of it are one setting: the file of a nearer source wins over a farther password.
            sa_password: if self.sa_password_file.is_some() {
                None
            } else {
                self.sa_password.clone().or(those.sa_password)
            },
            sa_password_file: if self.sa_password.is_some() && self.sa_password_file.is_none() {
                None
            } else {
                self.sa_password_file.or(those.sa_password_file)
            },
            max_server_memory_mb: self.max_server_memory_mb.or(those.max_server_memory_mb),
            query_memory_limit_mb: self.query_memory_limit_mb.or(those.query_memory_limit_mb),
            row_versions_mb: self.row_versions_mb.or(those.row_versions_mb),
            max_connections: self.max_connections.or(those.max_connections),
            file_roots: self.file_roots.or(those.file_roots),
            default_data_dir: self.default_data_dir.or(those.default_data_dir),
            default_log_dir: self.default_log_dir.or(those.default_log_dir),
            default_backup_dir: self.default_backup_dir.or(those.default_backup_dir),
            stop_grace_s: self.stop_grace_s.or(those.stop_grace_s),
            log_to_stdout: self.log_to_stdout.or(those.log_to_stdout),
            s3_plain_http_loopback: self.s3_plain_http_loopback.or(those.s3_plain_http_loopback),
            init_dir: self.init_dir.or(those.init_dir),
            init_database: self.init_database.or(those.init_database),
            collation: self.collation.or(those.collation),
            tls: self.tls.or(those.tls),
            tls_certificate_file: self.tls_certificate_file.or(those.tls_certificate_file),
            tls_key_file: self.tls_key_file.or(those.tls_key_file),
            log_vlf_algorithm: self.log_vlf_algorithm.or(those.log_vlf_algorithm),
            log_initialization: self.log_initialization.or(those.log_initialization),
            delayed_durability_window_ms: self
                .delayed_durability_window_ms
                .or(those.delayed_durability_window_ms),
            pipelined_commit_ms: self.pipelined_commit_ms.or(those.pipelined_commit_ms),
            pipelined_commit_kb: self.pipelined_commit_kb.or(those.pipelined_commit_kb),
            target_recovery_time_s: self.target_recovery_time_s.or(those.target_recovery_time_s),
            recovery_interval_min: self.recovery_interval_min.or(those.recovery_interval_min),
            backup: match (self.backup, those.backup) {
                (Some(these), Some(those)) => Some(these.or(those)),
                (these, those) => these.or(those),
            },
            passwords: match (self.passwords, those.passwords) {
                (Some(these), Some(those)) => Some(these.or(those)),
                (these, those) => these.or(those),
            },
        }
    }
}

impl Settings {
    /// Flags over the process's variables over the file that either names.
    pub fn resolve(flags: Overrides) -> Result<Settings, String> {
        let known = RefCell::new(Vec::new());
        let variable = |name: &str| {
            known.borrow_mut().push(name.to_owned());
            std::env::var(name).ok()
        };
        let env = Overrides::from_env(variable)?;
        let (mssql, notes) = Overrides::from_mssql(variable)?;
        let unknown = unknown_variables(std::env::vars_os().map(|(n, _)| n), &known.into_inner());
        let mut given = flags.or(env).or(mssql);
        if let Some(path) = given.config.clone() {
            let at = |e: &dyn std::fmt::Display| format!("config: {}: {e}", path.display());
            let text = std::fs::read_to_string(&path).map_err(|e| at(&why(&e)))?;
            given = given.or(Overrides::from_toml(&text).map_err(|e| at(&e))?);
        }
        let settings = Settings::from_overrides(given)?;
        Ok(Settings { unknown_variables: unknown, notes, ..settings })
    }

    /// Checks what is given and fills in the defaults.
    pub fn from_overrides(given: Overrides) -> Result<Settings, String> {
        let listen_text = given.listen.as_deref().unwrap_or(DEFAULT_LISTEN);
        let mut listen = listen_text
            .to_socket_addrs()
            .ok()
            .and_then(|mut addresses| addresses.next())
            .ok_or_else(|| format!("listen: '{listen_text}' is not ADDRESS:PORT"))?;
        if let Some(port) = given.tcp_port {
            listen.set_port(port);
        }
        let admin_listen = admin_listen(given.admin_listen.as_deref(), listen)?;
        let console = console(given.console.as_deref(), listen)?;
        let metrics_token = match &given.metrics_token_file {
            Some(path) => Some(first_line("metrics_token_file", path)?),
            None => None,
        };
        let sa_password = match (&given.sa_password_file, given.sa_password) {
            (Some(path), _) => Some(first_line("sa_password_file", path)?),
            (None, password) => password,
        };
        if sa_password.as_deref() == Some("") {
            return Err("the password of sa must not be empty".into());
        }
        let tls = match given.tls.as_deref() {
            None | Some("required") => TlsPolicy::RequiredOffLoopback,
            Some("optional") => TlsPolicy::Optional,
            Some("off") => TlsPolicy::Off,
            Some(other) => {
                return Err(format!("tls: '{other}' is not one of required, optional, off"));
            }
        };
        let tls_files = match (given.tls_certificate_file, given.tls_key_file) {
            (Some(certificate), Some(key)) => Some((certificate, key)),
            (None, None) => None,
            _ => return Err("tls_certificate_file and tls_key_file go together".into()),
        };
        let log_vlf_algorithm = match given.log_vlf_algorithm.as_deref() {
            Some("2012") => VlfAlgorithm::V2012,
            Some("2014") => VlfAlgorithm::V2014,
            None | Some("2022") => VlfAlgorithm::V2022,
            Some(other) => {
                return Err(format!("log_vlf_algorithm: '{other}' is not one of 2012, 2014, 2022"));
            }
        };
        let log_initialization = match given.log_initialization.as_deref() {
            None => Initialization::default(),
            Some(name) => Initialization::from_name(name).ok_or_else(|| {
                format!("log_initialization: '{name}' is not one of zero, sql2022, ahead")
            })?,
        };
        if given.recovery_interval_min.unwrap_or(0) != 0 {
            return Err(
                "recovery_interval_min: only 0 is possible yet (target_recovery_time_s decides)"
                    .into(),
            );
        }
        let max_connections = given.max_connections.unwrap_or(DEFAULT_MAX_CONNECTIONS);
        if !(1..=32_767).contains(&max_connections) {
            return Err("max_connections: from 1 to 32767".into());
        }
        let max_server_memory_mb = given.max_server_memory_mb.unwrap_or_else(half_of_memory_mb);
        if max_server_memory_mb < 16 {
            return Err("max_server_memory_mb: at least 16".into());
        }
        if given.query_memory_limit_mb == Some(0) {
            return Err("query_memory_limit_mb: at least 1".into());
        }
        if !given.row_versions_mb.is_none_or(|mb| (1..=1 << 20).contains(&mb)) {
            return Err("row_versions_mb: from 1 to 1048576".into());
        }
        Ok(Settings {
            data: given.data.unwrap_or_else(|| DEFAULT_DATA.into()),
            listen,
            admin_listen,
            console,
            metrics_token,
            unknown_variables: Vec::new(),
            notes: Vec::new(),
            sa_password,
            max_server_memory_mb,
            query_memory_limit_mb: given.query_memory_limit_mb,
            row_versions_mb: given.row_versions_mb,
            max_connections,
            file_roots: given.file_roots.unwrap_or_default(),
            default_dirs: DefaultDirs {
                data: given.default_data_dir,
                log: given.default_log_dir,
                backup: given.default_backup_dir,
            },
            stop_grace: Duration::from_secs(given.stop_grace_s.unwrap_or(DEFAULT_STOP_GRACE_S)),
            log_to_stdout: given.log_to_stdout.unwrap_or(false),
            s3_plain_http_loopback: given.s3_plain_http_loopback.unwrap_or(false),
            init_dir: given.init_dir,
            init_database: given.init_database,
            collation: given.collation,
            tls,
            tls_files,
            secret_files: [given.config, given.sa_password_file, given.metrics_token_file]
                .into_iter()
                .flatten()
                .collect(),
            log_vlf_algorithm,
            log_initialization,
            delayed_durability_window: Duration::from_millis(
                given.delayed_durability_window_ms.unwrap_or(8),
            ),
            run_ahead: RunAhead {
                time: Duration::from_millis(given.pipelined_commit_ms.unwrap_or(10)),
                bytes: given.pipelined_commit_kb.unwrap_or(4096).saturating_mul(1024),
            },
            target_recovery_time: Duration::from_secs(given.target_recovery_time_s.unwrap_or(60)),
            backup_schedule: given.backup.map(BackupOverrides::schedule).transpose()?,
            passwords: given.passwords.unwrap_or_default().policy()?,
        })
    }
}

fn number<T: std::str::FromStr>(name: &str, text: Option<String>) -> Result<Option<T>, String> {
    text.map(|t| t.trim().parse().map_err(|_| format!("{name}: '{t}' is not a number"))).transpose()
}

/// The value of a switch.
fn truth(name: &str, text: Option<String>) -> Result<Option<bool>, String> {
    match text.as_deref().map(str::trim) {
        None => Ok(None),
        Some("1" | "true" | "on" | "yes") => Ok(Some(true)),
        Some("0" | "false" | "off" | "no" | "") => Ok(Some(false)),
        Some(other) => Err(format!("{name}: '{other}' is not one of true, false")),
    }
}

/// By default the port after that of `listen`, where SQL Server has its own; any free one where that takes any.
fn admin_listen(given: Option<&str>, listen: SocketAddr) -> Result<Place, String> {
    let Some(text) = given else {
        let port = if listen.port() == 0 { Some(0) } else { listen.port().checked_add(1) };
        let at = |port| Place::Default(SocketAddr::from(([127, 0, 0, 1], port)));
        return Ok(port.map_or(Place::Off, at));
    };
    if text == "off" {
        return Ok(Place::Off);
    }
    let at = text.to_socket_addrs().ok().and_then(|mut addresses| addresses.next());
    let at = at.ok_or_else(|| format!("admin_listen: '{text}' is not ADDRESS:PORT or off"))?;
    match at.ip().is_loopback() {
        true => Ok(Place::At(at)),
        false => Err(format!("admin_listen: '{text}' is not on the loopback interface")),
    }
}

/// How variables that may be settings begin.
const OURS: [&str; 2] = ["TAFFRAIL_", "MSSQL_"];

/// By default a place of its own; any free port where `listen` takes any: such a server is one of many.
fn console(given: Option<&str>, listen: SocketAddr) -> Result<Place, String> {
    let Some(text) = given else {
        let port = if listen.port() == 0 { 0 } else { DEFAULT_CONSOLE.port() };
        return Ok(Place::Default(SocketAddr::new(DEFAULT_CONSOLE.ip(), port)));
    };
    if text == "off" {
        return Ok(Place::Off);
    }
    let bare = text.strip_prefix("http://").unwrap_or(text).trim_end_matches('/');
    let at = bare.to_socket_addrs().ok().and_then(|mut addresses| addresses.next());
    at.map(Place::At).ok_or_else(|| format!("console: '{text}' is not ADDRESS:PORT or off"))
}

/// Those that begin like settings and are none.
fn unknown_variables(names: impl Iterator<Item = OsString>, known: &[String]) -> Vec<String> {
    let names = names.map(|name| name.to_string_lossy().into_owned());
    let unknown = |name: &String| OURS.iter().any(|o| name.starts_with(o)) && !known.contains(name);
    let mut unknown: Vec<String> = names.filter(unknown).collect();
    unknown.sort();
    unknown
}

/// The secret of a file: its first line.
fn first_line(setting: &str, path: &Path) -> Result<String, String> {
    let at = |what: &str| format!("{setting}: {}: {what}", path.display());
    let text = std::fs::read_to_string(path).map_err(|e| at(&why(&e)))?;
    let line = text.lines().next().unwrap_or_default();
    if line.is_empty() {
        return Err(at("its first line must not be empty"));
    }
    Ok(line.to_string())
}

#[cfg(test)]
mod tests;
