//! `taffrail query`: a batch for a program to run, its whole answer as JSON, a line for each thing that it holds.

use crate::place::{self, Place};
use clap::Args;
use serde::Serialize;
use std::io::{self, BufWriter, Read, Write};
use std::process::ExitCode;
use taffrail_lab::client::stream::{Column, DONE_COUNT, Token};
use taffrail_lab::client::{Client, ClientError, ConnectOptions};
use taffrail_sqlcmd::{cell, told};

/// Flags of `query`.
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Query {
    #[command(flatten)]
    place: Place,
    /// Database [default: the login's]
    #[arg(short = 'd', long, value_name = "NAME", env = "SQLCMDDBNAME")]
    database: Option<String>,
    /// The batch [default: standard input]
    #[arg(short = 'Q', long, value_name = "SQL")]
    query: Option<String>,
}

const HELP: &str = "\
The batch is sent as it stands: GO, :commands and $(variables) mean nothing. Each line of standard output is one of
  {\"columns\":[{\"name\":\"a\",\"type\":\"int\"}]}   a result set begins
  {\"row\":[\"1\",null]}                          a row of it: each value whole, as text; binary as 0x…; NULL as null
  {\"rows_affected\":1}                         a statement that counts has ended
  {\"message\":{\"number\":50000,\"severity\":16,\"state\":1,\"procedure\":\"\",\"line\":1,\"text\":\"…\"}}
Exit code 0: no message has a severity above 10. 1: one has, or there is no connection (said on standard error).";

/// Why there is no whole answer.
enum Failure {
    Client(ClientError),
    Input(io::Error),
    Output(io::Error),
}

impl From<ClientError> for Failure {
    fn from(e: ClientError) -> Failure {
        Failure::Client(e)
    }
}

/// Runs the command.
pub fn run(flags: Query) -> ExitCode {
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
        database: flags.database.unwrap_or_default(),
        packet_bytes: 16_000,
        application: "taffrail query".into(),
        ..ConnectOptions::default()
    };
    let options = flags.place.trust.as_sqlcmd(options);
    let why = match carry_out(&options, flags.query) {
        Ok(true) => return ExitCode::SUCCESS,
        Ok(false) => return ExitCode::FAILURE,
        // Whoever reads the output has seen enough.
        Err(Failure::Output(e)) if e.kind() == io::ErrorKind::BrokenPipe => {
            return ExitCode::SUCCESS;
        }
        Err(Failure::Output(e)) => format!("standard output: {e}"),
        Err(Failure::Input(e)) => format!("standard input: {e}"),
        Err(Failure::Client(e)) => told(&e),
    };
    eprintln!("taffrail: {why}");
    ExitCode::FAILURE
}

/// CurCmd of a SELECT.
const SELECT: u16 = 0xC1;

/// False when the server has sent an error.
fn carry_out(options: &ConnectOptions, batch: Option<String>) -> Result<bool, Failure> {
    let batch = match batch {
        Some(batch) => batch,
        None => {
            let mut text = String::new();
            io::stdin().read_to_string(&mut text).map_err(Failure::Input)?;
            text
        }
    };
    let mut client = Client::connect(options)?;
    client.send_batch(&batch)?;
    let mut out = BufWriter::new(io::stdout().lock());
    let (mut columns, mut well) = (Vec::new(), true);
    while let Some(token) = client.next_token(None)? {
        well &= !matches!(token, Token::Message { class: 11.., .. });
        let told = match &token {
            Token::Columns(new) => {
                columns.clone_from(new);
                tell(&mut out, &Line::Columns(columns.iter().map(Heading::of).collect()))
            }
            Token::Row(row) => {
                let values = row.iter().zip(&columns);
                tell(&mut out, &Line::Row(values.map(|(v, c)| cell::text(v, c)).collect()))
            }
            Token::Done(done) => {
                // What gave variables their values is a SELECT without a result, and no rows are affected.
                let result = !std::mem::take(&mut columns).is_empty() || done.command != SELECT;
                match done.status & DONE_COUNT != 0 && result {
                    true => tell(&mut out, &Line::RowsAffected(done.rows)),
                    false => Ok(()),
                }
            }
            Token::Message { number, state, class, text, procedure, line, .. } => {
                let (number, severity, state, line) = (*number, *class, *state, *line);
                tell(&mut out, &Line::Message { number, severity, state, procedure, line, text })
            }
            _ => Ok(()),
        };
        told.map_err(Failure::Output)?;
    }
    out.flush().map_err(Failure::Output)?;
    Ok(well)
}

/// A line of the output: an object whose only key says what it is.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Line<'a> {
    Columns(Vec<Heading<'a>>),
    Row(Vec<Option<String>>),
    RowsAffected(u64),
    Message { number: i32, severity: u8, state: u8, procedure: &'a str, line: u32, text: &'a str },
}

#[derive(Serialize)]
struct Heading<'a> {
    name: &'a str,
    r#type: String,
}

impl<'a> Heading<'a> {
    fn of(column: &'a Column) -> Heading<'a> {
        Heading { name: &column.name, r#type: column.info.sql.to_string() }
    }
}

fn tell(out: &mut impl Write, line: &Line) -> io::Result<()> {
    serde_json::to_writer(&mut *out, line)?;
    out.write_all(b"\n")
}
