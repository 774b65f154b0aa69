//! `taffrail lab`: experiments and loads, against any server that speaks TDS.

mod ask;
mod experiments;
mod run;

use crate::place::{self, Place};
use clap::{Args, Subcommand};
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use taffrail_lab::articles::{Line, try_the_log as try_the_log_on};
use taffrail_lab::client::{Client, ConnectOptions};
use taffrail_lab::load::{self, LoadOptions};

/// Experiments and loads.
#[derive(Args)]
#[command(arg_required_else_help = true)]
pub struct Lab {
    #[command(subcommand)]
    command: LabCommand,
}

#[derive(Subcommand)]
enum LabCommand {
    /// List the experiments, and the generators of rows
    List(experiments::List),
    /// Show an experiment: its question, variants, measures, sizes, claims
    Show(experiments::Show),
    /// Run experiments on a server of the lab's own, or on one of yours, and write a page about each
    #[command(after_help = run::HELP)]
    Run(Box<run::Run>),
    /// Print the table of a run that is finished, and write its page anew
    Report(experiments::Report),
    /// Lay two runs of an experiment side by side
    Compare(experiments::Compare),
    /// Begin an experiment of your own: copies one into a new directory
    New(experiments::New),
    /// Bulk-copy generated rows into a table of any SQL Server
    #[command(after_help = LOAD_HELP)]
    Load(Box<Load>),
    /// Try what articles about the transaction log have measured, in under a minute, and show it beside what they saw
    #[command(name = "try", after_help = TRY_HELP)]
    Try(Try),
}

/// The flags of `lab try`.
#[derive(Args)]
struct Try {
    #[command(flatten)]
    place: Place,
}

const TRY_HELP: &str = "\
Makes the databases TryLog, TryLog64MB, TryLog1GB, TryLogFew and TryLogMany on the server, some 600 MB in all, and
drops them at the end. Where a database has one of these names already it does nothing; those that an interrupted
run of it has left bear its mark (the extended property 'made by try-the-log') and are dropped first.";

const LOAD_HELP: &str = "\
Examples:
  taffrail lab load tpcc-customer --rows 3000000 -d shop --tablock
  taffrail lab load tpcc-customer --rows 300000 -S db.example.com,1433 -U loader -C --table dbo.customer --batch 50000

The same seed gives the same rows. The password can also be given as TAFFRAIL_LAB_PASSWORD or SQLCMDPASSWORD.";

/// The flags of `lab load`; those of the connection are sqlcmd's.
#[derive(Args)]
struct Load {
    /// The generator; see 'taffrail lab list'
    generator: String,
    /// Rows to load
    #[arg(long, value_name = "N", default_value_t = 30_000)]
    rows: u64,
    /// Number of the first row, from 0: to go on where another load has ended
    #[arg(long, value_name = "N", default_value_t = 0)]
    first: u64,
    /// What the random values depend on
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    place: Place,
    /// Its password
    #[arg(
        short = 'P',
        long,
        value_name = "PASSWORD",
        env = "TAFFRAIL_LAB_PASSWORD",
        hide_env_values = true
    )]
    password: Option<String>,
    /// Database [default: the login's, unless that is one of the system's]
    #[arg(short = 'd', long, value_name = "NAME")]
    database: Option<String>,
    /// The table, made if it is not there
    #[arg(long, value_name = "NAME", default_value = "customer")]
    table: String,
    /// Rows per batch, each a transaction of its own; 0 for all in one
    #[arg(long, value_name = "N", default_value_t = 0)]
    batch: u64,
    /// Lock the table as a whole, which minimal logging asks for
    #[arg(long)]
    tablock: bool,
    /// A table that is made gets no clustered index
    #[arg(long)]
    heap: bool,
    /// Empty the table first
    #[arg(long)]
    truncate: bool,
    /// Certificates to trust, in PEM [default: those of SSL_CERT_FILE, or the system's; on this machine any without -N m]
    #[arg(long, value_name = "FILE")]
    ca_file: Option<PathBuf>,
    /// Bytes per packet, 512 to 32767
    #[arg(short = 'a', long, value_name = "BYTES", default_value_t = 16_000, value_parser = clap::value_parser!(u32).range(512..=32_767))]
    packet_size: u32,
    /// No progress bar
    #[arg(short, long)]
    quiet: bool,
}

/// Runs the command.
pub fn run(lab: Lab) -> ExitCode {
    match lab.command {
        LabCommand::List(flags) => told(experiments::list(&flags).and_then(|l| printed(&l))),
        LabCommand::Show(flags) => told(experiments::show(&flags).and_then(|l| printed(&l))),
        LabCommand::Run(flags) => run::run(*flags),
        LabCommand::Report(flags) => told(experiments::report(&flags).and_then(|l| printed(&l))),
        LabCommand::Compare(flags) => told(experiments::compare(&flags).and_then(|l| printed(&l))),
        LabCommand::New(flags) => told(experiments::new(&flags).and_then(|l| printed(&l))),
        LabCommand::Load(flags) => load(*flags),
        LabCommand::Try(flags) => try_the_log(flags),
    }
}

fn try_the_log(flags: Try) -> ExitCode {
    let (host, port) = match flags.place.host_and_port() {
        Ok(place) => place,
        Err(why) => {
            eprintln!("taffrail: {why}");
            return ExitCode::from(super::USAGE);
        }
    };
    let options = ConnectOptions {
        host,
        port,
        user: flags.place.user,
        password: place::password(),
        ..ConnectOptions::default()
    };
    let options = flags.place.trust.checked(options);
    let mut printed = Ok(());
    let mut show = |line| {
        printed = print(&match line {
            Line::Title(title) => format!("\n{title}"),
            Line::Seen([what, here, there]) => {
                format!("  {what}\n      here         {here}\n      the article  {there}")
            }
        });
        printed.is_ok()
    };
    match Client::connect(&options).and_then(|mut c| try_the_log_on(&mut c, &mut show)) {
        Ok(()) => ended(printed),
        Err(e) => {
            eprintln!("taffrail: {}", taffrail_sqlcmd::told(&e));
            ExitCode::FAILURE
        }
    }
}

/// A line, seen at once.
fn print(line: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}

/// Prints lines; a reader that has seen enough is no error.
fn printed(lines: &[String]) -> Result<(), String> {
    match print(&lines.join("\n")) {
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => Err(format!("standard output: {e}")),
        _ => Ok(()),
    }
}

/// The exit code of a command, whose error is shown.
fn told(done: Result<(), String>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("taffrail: {why}");
            ExitCode::FAILURE
        }
    }
}

/// How it ends where all is done but perhaps the printing: who reads the output may have seen enough (head, less).
fn ended(printed: io::Result<()>) -> ExitCode {
    match printed {
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => {
            eprintln!("taffrail: standard output: {e}");
            ExitCode::FAILURE
        }
        _ => ExitCode::SUCCESS,
    }
}

fn load(flags: Load) -> ExitCode {
    let options = match options(flags) {
        Ok(options) => options,
        Err(why) => {
            eprintln!("taffrail: {why}");
            return ExitCode::from(super::USAGE);
        }
    };
    match load::load(&options) {
        Ok(done) => {
            let seconds = done.time.as_secs_f64().max(1e-6);
            ended(print(&format!(
                "{} rows into {}{} in {seconds:.3} s: {:.0} rows/s, {:.1} MB/s",
                done.rows,
                options.table,
                if done.created { " (new)" } else { "" },
                done.rows as f64 / seconds,
                done.bytes as f64 / seconds / 1e6
            )))
        }
        Err(e) => {
            eprintln!("taffrail: {}", taffrail_sqlcmd::told(&e));
            ExitCode::FAILURE
        }
    }
}

fn options(f: Load) -> Result<LoadOptions, String> {
    let (host, port) = f.place.host_and_port()?;
    let connect = ConnectOptions {
        host,
        port,
        user: f.place.user,
        password: f.password.unwrap_or_else(place::password),
        database: f.database.unwrap_or_default(),
        ca_file: f.ca_file,
        packet_bytes: f.packet_size as usize,
        ..ConnectOptions::default()
    };
    Ok(LoadOptions {
        generator: f.generator,
        connect: f.place.trust.checked(connect),
        table: f.table,
        rows: f.rows,
        first: f.first,
        seed: f.seed,
        batch: f.batch,
        tablock: f.tablock,
        heap: f.heap,
        truncate: f.truncate,
        quiet: f.quiet,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use taffrail_lab::client::Encrypt;

    #[derive(Parser)]
    struct Only {
        #[command(flatten)]
        lab: Lab,
    }

    fn parsed(words: &[&str]) -> Result<LoadOptions, String> {
        let words = ["x", "load", "tpcc-customer"].iter().chain(words);
        match Only::try_parse_from(words).map_err(|e| e.to_string())?.lab.command {
            LabCommand::Load(flags) => options(*flags),
            _ => unreachable!(),
        }
    }

    #[test]
    fn a_server_is_given_as_sqlcmd_takes_it() {
        let o = parsed(&["-S", "tcp:db.example.com,1434", "-U", "me", "-P", "p", "-d", "shop"])
            .unwrap();
        assert_eq!((o.connect.host.as_str(), o.connect.port), ("db.example.com", 1434));
        assert!(!o.connect.trust_server_certificate);
        assert_eq!((o.connect.encrypt, o.rows), (Encrypt::Login, 30_000));
        let o = parsed(&["-S", "localhost"]).unwrap();
        assert_eq!((o.connect.port, o.connect.trust_server_certificate), (1433, true));
        assert_eq!(o.connect.encrypt, Encrypt::Login);
        for all in [&["-N", "m"][..], &["-Nmandatory"], &["-N"], &["-N", "yes"]] {
            let o = parsed(&[&["-S", "localhost"], all].concat()).unwrap();
            assert!(!o.connect.trust_server_certificate, "{all:?}");
            assert_eq!(o.connect.encrypt, Encrypt::Yes, "{all:?}");
        }
        assert_eq!(parsed(&["-N", "disable"]).unwrap().connect.encrypt, Encrypt::No);
        assert_eq!(parsed(&["-No"]).unwrap().connect.encrypt, Encrypt::Optional);
        assert!(parsed(&["-S", "a,b"]).is_err());
        assert!(parsed(&["-N", "maybe"]).is_err());
    }
}
