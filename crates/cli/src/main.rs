//! The `taffrail` binary: its command line, and nothing else.

mod assess;
mod health;
mod lab;
mod log;
mod place;
mod query;

use clap::{Args, Parser, Subcommand};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use taffrail_server::{Overrides, Settings};

/// A T-SQL database server in one binary, whose transaction log works the way SQL Server's does.
#[derive(Parser)]
#[command(name = "taffrail", version = env!("TAFFRAIL_VERSION"))]
#[command(propagate_version = true, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run the server until SIGTERM or SIGINT
    #[command(after_help = SERVE_HELP)]
    Serve(Box<Serve>),
    /// Run T-SQL from the command line, as sqlcmd does
    #[command(disable_help_flag = true, disable_version_flag = true)]
    Sql(Sql),
    /// Run a batch for a program: its whole answer as lines of JSON
    Query(query::Query),
    /// Say whether a server answers: exit code 0 if it does, for probes
    Health(health::Health),
    /// Measure what the transaction log costs, here or on any SQL Server; load generated rows
    Lab(lab::Lab),
    /// Look into a log file offline: its VLFs, its records, whether it is whole
    Log(log::Log),
    /// Say which statements of scripts run here, which are refused and where, without a server
    Assess(assess::Assess),
}

const SERVE_HELP: &str = "\
Each setting can also be given as a variable, TAFFRAIL_ and its name in capitals
(TAFFRAIL_LISTEN, TAFFRAIL_MAX_CONNECTIONS …), or as a key of the TOML file
(listen = \"0.0.0.0:1433\", file_roots = [\"/backup\"]). A flag goes before a variable,
a variable before the file. The variables of SQL Server's image (MSSQL_SA_PASSWORD,
MSSQL_TCP_PORT, MSSQL_MEMORY_LIMIT_MB …) count after ours and before the file.

The password of the login sa comes from --sa-password-file, TAFFRAIL_SA_PASSWORD or
MSSQL_SA_PASSWORD.
Without either, a new data directory gets a generated one: it is written to
DIR/sa-password and shown once on standard error.

When the server is ready it prints one line to standard output:
  taffrail ready: tds=127.0.0.1:1433 console=http://127.0.0.1:8433 data=DIR";

/// The flags of `serve`. What is not given stays open for the variables, the file and the defaults.
#[derive(Args)]
struct Serve {
    /// Data directory; created if it is missing [default: ./data]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Where TDS is spoken; port 0 takes any free port [default: 127.0.0.1:1433]
    #[arg(long, value_name = "ADDR:PORT")]
    listen: Option<String>,
    /// Where one session gets in when all others are taken, on the loopback interface [default: 127.0.0.1 and the
    /// port after that of --listen]
    #[arg(long, value_name = "ADDR:PORT|off")]
    admin_listen: Option<String>,
    /// Where the web console, metrics and health are served, over HTTP [default: 127.0.0.1:8433, any free port with port 0 in --listen]
    #[arg(long, value_name = "ADDR:PORT|off")]
    console: Option<String>,
    /// File whose first line is the token that /metrics asks for of who does not come over loopback
    #[arg(long, value_name = "FILE")]
    metrics_token_file: Option<PathBuf>,
    /// TOML file with settings
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// File whose first line is the password of the login sa
    #[arg(long, value_name = "FILE")]
    sa_password_file: Option<PathBuf>,
    /// Memory budget in MB [default: half of the machine's memory]
    #[arg(long, value_name = "MB")]
    max_server_memory_mb: Option<u64>,
    /// What the statements of one request may keep in memory, in MB [default: a quarter of the budget]
    #[arg(long, value_name = "MB")]
    query_memory_limit_mb: Option<u64>,
    /// Memory for row versions in MB, beyond which the oldest snapshots are ended [default: 64]
    #[arg(long, value_name = "MB")]
    row_versions_mb: Option<u64>,
    /// Connections at a time [default: 1024]
    #[arg(long, value_name = "N")]
    max_connections: Option<u32>,
    /// Directory that statements may name files in; may be repeated [default: the data directory]
    #[arg(long = "file-root", value_name = "DIR")]
    file_roots: Option<Vec<PathBuf>>,
    /// Where data files go that no statement places [default: the data directory]
    #[arg(long, value_name = "DIR")]
    default_data_dir: Option<PathBuf>,
    /// Where log files go that no statement places [default: the data directory]
    #[arg(long, value_name = "DIR")]
    default_log_dir: Option<PathBuf>,
    /// Where backups with a relative path go [default: backup in the data directory]
    #[arg(long, value_name = "DIR")]
    default_backup_dir: Option<PathBuf>,
    /// How long running requests may go on in s when the server is stopped [default: 5]
    #[arg(long, value_name = "S")]
    stop_grace_s: Option<u64>,
    /// Write the error log to standard output instead of standard error
    #[arg(long)]
    log_to_stdout: bool,
    /// Directory whose *.sql and *.sh run when the data directory is new
    #[arg(long, value_name = "DIR")]
    init_dir: Option<PathBuf>,
    /// Encryption: 'required' of clients off the loopback interface, 'optional', 'off' [default: required]
    #[arg(long, value_name = "POLICY")]
    tls: Option<String>,
    /// Certificate chain in PEM [default: a self-signed one, made at the first start]
    #[arg(long, value_name = "FILE", requires = "tls_key_file")]
    tls_certificate_file: Option<PathBuf>,
    /// The certificate's private key in PEM
    #[arg(long, value_name = "FILE", requires = "tls_certificate_file")]
    tls_key_file: Option<PathBuf>,
    /// VLFs per growth of a log file: as SQL Server '2012', '2014' or '2022' makes them [default: 2022]
    #[arg(long, value_name = "VERSION")]
    log_vlf_algorithm: Option<String>,
    /// How new parts of a log file are initialised: 'zero', 'sql2022' or 'ahead' [default: ahead]
    #[arg(long, value_name = "METHOD")]
    log_initialization: Option<String>,
    /// Longest time in ms that a delayed durable commit stays in memory [default: 8]
    #[arg(long, value_name = "MS")]
    delayed_durability_window_ms: Option<u64>,
    /// Longest time in ms that pipelined commits run ahead of the disk [default: 10]
    #[arg(long, value_name = "MS")]
    pipelined_commit_ms: Option<u64>,
    /// Most log in KB that pipelined commits run ahead of the disk [default: 4096]
    #[arg(long, value_name = "KB")]
    pipelined_commit_kb: Option<u64>,
    /// Recovery time in s that checkpoints aim at [default: 60]
    #[arg(long, value_name = "S")]
    target_recovery_time_s: Option<u64>,
    /// Recovery interval in minutes, 0 leaves it to the target recovery time: only 0 yet [default: 0]
    #[arg(long, value_name = "MIN")]
    recovery_interval_min: Option<u64>,
    /// Process that starts this one, which is killed when that ends
    #[arg(long, hide = true, value_name = "PID")]
    end_with: Option<i32>,
}

/// The words of `sql`, which reads them itself.
#[derive(Args)]
struct Sql {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    words: Vec<String>,
}

impl From<Serve> for Overrides {
    fn from(s: Serve) -> Overrides {
        Overrides {
            data: s.data,
            listen: s.listen,
            admin_listen: s.admin_listen,
            console: s.console,
            metrics_token_file: s.metrics_token_file,
            config: s.config,
            sa_password_file: s.sa_password_file,
            sa_password: None,
            max_server_memory_mb: s.max_server_memory_mb,
            query_memory_limit_mb: s.query_memory_limit_mb,
            row_versions_mb: s.row_versions_mb,
            max_connections: s.max_connections,
            file_roots: s.file_roots,
            tcp_port: None,
            default_data_dir: s.default_data_dir,
            default_log_dir: s.default_log_dir,
            default_backup_dir: s.default_backup_dir,
            stop_grace_s: s.stop_grace_s,
            log_to_stdout: s.log_to_stdout.then_some(true),
            s3_plain_http_loopback: None,
            init_dir: s.init_dir,
            init_database: None,
            collation: None,
            tls: s.tls,
            tls_certificate_file: s.tls_certificate_file,
            tls_key_file: s.tls_key_file,
            log_vlf_algorithm: s.log_vlf_algorithm,
            log_initialization: s.log_initialization,
            delayed_durability_window_ms: s.delayed_durability_window_ms,
            pipelined_commit_ms: s.pipelined_commit_ms,
            pipelined_commit_kb: s.pipelined_commit_kb,
            target_recovery_time_s: s.target_recovery_time_s,
            recovery_interval_min: s.recovery_interval_min,
            backup: None,
            passwords: None,
        }
    }
}

/// Exit code of a command line that cannot be carried out: a wrong value.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    let mut words = std::env::args_os().map(|w| w.to_string_lossy().into_owned());
    let name = words.next().unwrap_or_default();
    match Path::new(&name).file_name().and_then(|n| n.to_str()) {
        Some("sqlcmd") => return taffrail_sqlcmd::run(words.collect(), place::here()),
        // The server under SQL Server's own name, which set-ups of containers call without an option.
        Some("sqlservr") => return serve(Overrides::default()),
        _ => {}
    }
    match Cli::parse().command {
        Command::Serve(flags) => match flags.end_with.map_or(Ok(()), end_with) {
            Ok(()) => serve((*flags).into()),
            Err(e) => {
                eprintln!("taffrail: --end-with: {e}");
                ExitCode::FAILURE
            }
        },
        Command::Sql(sql) => taffrail_sqlcmd::run(sql.words, place::here()),
        Command::Query(q) => query::run(q),
        Command::Health(h) => health::run(h),
        Command::Lab(l) => lab::run(l),
        Command::Log(args) => log::run(args),
        Command::Assess(args) => assess::run(&args),
    }
}

/// Ties this process to the one that has started it: the kernel kills it when that ends, in whatever way.
fn end_with(parent: i32) -> std::io::Result<()> {
    use rustix::process::{Pid, Signal, getppid, set_parent_process_death_signal};
    set_parent_process_death_signal(Some(Signal::KILL))?;
    // The parent may have ended before.
    match getppid() == Pid::from_raw(parent) {
        true => Ok(()),
        false => Err(std::io::Error::other(format!("process {parent} has not started this one"))),
    }
}

fn serve(flags: Overrides) -> ExitCode {
    let orders = taffrail_server::Orders::default();
    let hears = orders.end_first_process();
    let settings = match Settings::resolve(flags) {
        Ok(settings) => settings,
        Err(e) => {
            eprintln!("taffrail: {e}");
            return ExitCode::from(USAGE);
        }
    };
    let served = hears
        .and_then(|()| taffrail_server::first_start::run(&settings, &["sql"], &orders))
        .and_then(|()| taffrail_server::serve(settings, &orders));
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("taffrail: {e}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
        let cli = Cli::parse_from([
            "taffrail",
            "serve",
            "--data",
            "d",
            "--file-root",
            "/a",
            "--file-root",
            "/b",
        ]);
        let Command::Serve(flags) = cli.command else { panic!() };
        let flags = Overrides::from(*flags);
        assert_eq!(flags.file_roots.unwrap().len(), 2);
        let cli = Cli::parse_from(["taffrail", "sql", "-S", "x", "-h", "-1", "--help"]);
        let Command::Sql(sql) = cli.command else { panic!() };
        assert_eq!(sql.words, ["-S", "x", "-h", "-1", "--help"]);
    }
}
