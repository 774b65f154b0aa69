//! `taffrail log`: the command line of the offline look into log files. What it does is in the engine's `logfile`.

use clap::{Args, Subcommand};
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use taffrail_server::logfile::{self, Data, Failure, Look, Outcome, Rows, Selection};
use taffrail_server::logfile::{Lop, Lsn, TransactionId};

const LOG_HELP: &str = "\
FILE is the first log file of a database (NAME_log.ldf), DATA its primary data file (NAME.mdf). Further log files are found where the
first one says, or beside it; after a move they can be named behind it. Nothing is written:
use it on a copy, on a crashed server's files, or on those of a server that has stopped.

Exit code: 0 all is well, 1 the log is damaged, 2 the file cannot be read or the command is wrong.";

/// The offline look into a log file.
#[derive(Args)]
#[command(after_help = LOG_HELP, arg_required_else_help = true)]
pub struct Log {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Show the VLFs: file, offset, size, sequence number, status, parity, LSNs
    Map(Files),
    /// Show the records, decoded, oldest first
    #[command(after_help = DUMP_HELP)]
    Dump(Box<Dump>),
    /// Check every header, block and record, and say what is wrong and where
    #[command(after_help = VERIFY_HELP)]
    Verify(Files),
    /// Show the committed changes of rows, with before and after, oldest first
    #[command(after_help = CHANGES_HELP)]
    Changes(Box<Changes>),
    /// Write the T-SQL that takes a committed transaction back
    #[command(after_help = CHANGES_HELP)]
    Undo(Undo),
}

const CHANGES_HELP: &str = "\
DATA is the primary data file of a database (NAME.mdf) that no server has open, or of a copy of its
files. Nothing is written to it: what recovery would change stays in memory. With --backup the log
is read from log backups, in their order, and from the log file where it goes on behind them.

Examples:
  taffrail log changes data/shop.mdf --table dbo.accounts
  taffrail log changes data/shop.mdf --backup shop-1.trn --backup shop-2.trn --json
  taffrail log undo data/shop.mdf 0000:000002d6 > undo.sql";

const DUMP_HELP: &str = "\
An LSN is 00000022:000000a8:0002, with or without 0x before it, or 34:168:2 in decimal.

Examples:
  taffrail log dump shop_log.ldf --operation LOP_COMMIT_XACT --limit 20
  taffrail log dump shop_log.ldf --txn 0000:000002d6
  taffrail log dump shop_log.ldf --from 34:168:1 --to 34:200:1 --json";

const VERIFY_HELP: &str = "\
A log ends where its chain of blocks ends. That is the normal end, also with a torn block behind
it (a write that a power failure cut off), unless a later block proves that the place had been
durable, or the file's header says that the log reached further (it knows since the log was opened
or closed last): then the log has a hole. The last block of a log that was not closed has no later
one to prove anything; only the server, which also has the data file, may tell a damaged last block
from a torn one.";

#[derive(Args)]
struct Files {
    /// The database's first log file, and further ones that are not beside it
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
struct Dump {
    #[command(flatten)]
    files: Files,
    /// Begin with this LSN
    #[arg(long, value_name = "LSN", value_parser = lsn)]
    from: Option<Lsn>,
    /// End with this LSN
    #[arg(long, value_name = "LSN", value_parser = lsn)]
    to: Option<Lsn>,
    /// Only this transaction: 0000:000002d6, or its number
    #[arg(long, value_name = "ID", value_parser = transaction)]
    txn: Option<TransactionId>,
    /// Only this operation, with or without LOP_ before it; may be repeated
    #[arg(long = "operation", value_name = "LOP", value_parser = operation)]
    operations: Vec<Lop>,
    /// At most so many records
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
}

#[derive(Args)]
struct Database {
    /// The primary data file
    #[arg(value_name = "DATA")]
    data: PathBuf,
    /// A log backup; may be repeated
    #[arg(long = "backup", value_name = "FILE")]
    backups: Vec<PathBuf>,
    /// A log file that is not where the data file says; may be repeated
    #[arg(long = "log", value_name = "FILE")]
    logs: Vec<PathBuf>,
}

#[derive(Args)]
struct Changes {
    #[command(flatten)]
    database: Database,
    /// Only of this table: name or schema.name
    #[arg(long, value_name = "NAME")]
    table: Option<String>,
    /// Begin with this LSN
    #[arg(long, value_name = "LSN", value_parser = lsn)]
    from: Option<Lsn>,
    /// End with this LSN
    #[arg(long, value_name = "LSN", value_parser = lsn)]
    to: Option<Lsn>,
    /// At most so many changes
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
struct Undo {
    #[command(flatten)]
    database: Database,
    /// As `log changes` shows it: 0000:000002d6, or its number
    #[arg(value_name = "TRANSACTION", value_parser = transaction)]
    transaction: TransactionId,
}

fn lsn(text: &str) -> Result<Lsn, String> {
    text.parse().map_err(|_| "not an LSN".to_owned())
}

fn transaction(text: &str) -> Result<TransactionId, String> {
    let id = match text.split_once(':') {
        Some((high, low)) => {
            let part = |t| u64::from_str_radix(t, 16).ok().filter(|n| *n <= u64::from(u32::MAX));
            part(high).zip(part(low)).map(|(high, low)| high << 32 | low)
        }
        None => text.parse().ok(),
    };
    id.map(TransactionId).ok_or_else(|| "not a transaction id".to_owned())
}

fn operation(text: &str) -> Result<Lop, String> {
    let upper = text.to_ascii_uppercase();
    let name = if upper.starts_with("LOP_") { upper } else { format!("LOP_{upper}") };
    let found = Lop::ALL.iter().find(|l| l.name() == name);
    found.copied().ok_or_else(|| "no such operation".to_owned())
}

/// Carries the command out.
pub fn run(args: Log) -> ExitCode {
    let mut out = BufWriter::with_capacity(1 << 16, std::io::stdout().lock());
    let result = carry_out(args.command, &mut out).and_then(|outcome| {
        out.flush()?;
        Ok(outcome)
    });
    match result {
        Ok(Outcome::Sound) => ExitCode::SUCCESS,
        Ok(Outcome::Damaged) => ExitCode::from(1),
        // Whoever reads the output has seen enough (head, less).
        Err(Failure::Output(e)) if e.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(e) if e.is_damage() => {
            eprintln!("taffrail: {e}");
            ExitCode::from(1)
        }
        Err(e) => {
            eprintln!("taffrail: {e}");
            ExitCode::from(crate::USAGE)
        }
    }
}

fn carry_out(command: Command, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let data = |d: Database, out| Data {
        env: logfile::os(),
        primary: d.data,
        logs: d.logs,
        backups: d.backups,
        out,
    };
    // What the engine says of a file that it cannot read is of one that has been there.
    let there = |d: &Database| {
        let missing = |e| Failure::Request(format!("{}: {e}", d.data.display()));
        std::fs::metadata(&d.data).map(|_| ()).map_err(missing)
    };
    let look = |f: Files, out| Look { env: logfile::os(), files: f.files, json: f.json, out };
    match command {
        Command::Map(files) => logfile::map(look(files, out)),
        Command::Verify(files) => logfile::verify(look(files, out)),
        Command::Changes(c) => {
            let Changes { database, table, from, to, limit, json } = *c;
            there(&database)?;
            logfile::changes(data(database, out), &Rows { from, to, table, limit, json })
        }
        Command::Undo(u) => {
            there(&u.database)?;
            logfile::undo(data(u.database, out), u.transaction)
        }
        Command::Dump(d) => {
            let Dump { files, from, to, txn, operations, limit } = *d;
            let selection = Selection { from, to, transaction: txn, operations, limit };
            logfile::dump(look(files, out), &selection)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_read_in_every_form() {
        assert_eq!(lsn("0x00000022:000000a8:0002"), lsn("34:168:2"));
        assert!(lsn("34:168").is_err());
        assert_eq!(transaction("0000:000002d6"), Ok(TransactionId(0x2d6)));
        assert_eq!(transaction("726"), Ok(TransactionId(726)));
        assert!(transaction("x:1").is_err() && transaction("1:ffffffffff").is_err());
        assert_eq!(operation("commit_xact"), Ok(Lop::CommitXact));
        assert_eq!(operation("LOP_INSERT_ROWS"), Ok(Lop::InsertRows));
        assert!(operation("LOP_NOTHING").is_err());
    }
}
