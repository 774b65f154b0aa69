//! `taffrail query`: a batch for a program to run, its whole answer as JSON, a line for each thing that it holds.

use crate::sql::cell;
use crate::sql::split_server;
use clap::Args;
use std::fmt::Write as _;
use std::io::{self, BufWriter, Read, Write};
use std::process::ExitCode;
use taffrail_lab::client::stream::{Column, DONE_COUNT, Token};
use taffrail_lab::client::{Client, ClientError, ConnectOptions, Encrypt};

/// Flags of `query`.
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Query {
    /// Server and port
    #[arg(
        short = 'S',
        long,
        value_name = "HOST[,PORT]",
        env = "SQLCMDSERVER",
        default_value = "127.0.0.1,1433"
    )]
    server: String,
    /// Login; its password comes from SQLCMDPASSWORD
    #[arg(short = 'U', long, value_name = "LOGIN", env = "SQLCMDUSER", default_value = "sa")]
    user: String,
    /// Database [default: the login's]
    #[arg(short = 'd', long, value_name = "NAME", env = "SQLCMDDBNAME")]
    database: Option<String>,
    /// Encrypt all, and ask for a certificate that is valid
    #[arg(short = 'N', long)]
    encrypt: bool,
    /// Take the server's certificate unseen
    #[arg(short = 'C', long)]
    trust_server_certificate: bool,
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
    let (host, port) = match split_server(&flags.server) {
        Ok((host, port)) => (host, port.unwrap_or(1433)),
        Err(why) => {
            eprintln!("taffrail: {why}");
            return ExitCode::from(super::USAGE);
        }
    };
    let options = ConnectOptions {
        host,
        port,
        user: flags.user,
        password: std::env::var("SQLCMDPASSWORD").unwrap_or_default(),
        database: flags.database.unwrap_or_default(),
        encrypt: if flags.encrypt { Encrypt::Yes } else { Encrypt::Optional },
        // Who has not asked for encryption has not asked who answers, either.
        trust_server_certificate: flags.trust_server_certificate || !flags.encrypt,
        packet_bytes: 16_000,
        application: "taffrail query".into(),
        ..ConnectOptions::default()
    };
    let why = match carry_out(&options, flags.query) {
        Ok(true) => return ExitCode::SUCCESS,
        Ok(false) => return ExitCode::FAILURE,
        // Whoever reads the output has seen enough.
        Err(Failure::Output(e)) if e.kind() == io::ErrorKind::BrokenPipe => {
            return ExitCode::SUCCESS;
        }
        Err(Failure::Output(e)) => format!("standard output: {e}"),
        Err(Failure::Input(e)) => format!("standard input: {e}"),
        Err(Failure::Client(e)) => e.to_string(),
    };
    eprintln!("taffrail: {why}");
    ExitCode::FAILURE
}

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
    let (mut columns, mut well, mut line) = (Vec::new(), true, String::new());
    while let Some(token) = client.next_token(None)? {
        well &= !matches!(token, Token::Message { class: 11.., .. });
        line.clear();
        say(token, &mut columns, &mut line);
        if !line.is_empty() {
            line.push('\n');
            out.write_all(line.as_bytes()).map_err(Failure::Output)?;
        }
    }
    out.flush().map_err(Failure::Output)?;
    Ok(well)
}

/// What of an answer is shown, in a line.
fn say(token: Token, columns: &mut Vec<Column>, line: &mut String) {
    match token {
        Token::Columns(new) => {
            *columns = new;
            line.push_str("{\"columns\":[");
            for (i, c) in columns.iter().enumerate() {
                line.push_str(if i > 0 { ",{\"name\":" } else { "{\"name\":" });
                string(&c.name, line);
                line.push_str(",\"type\":");
                string(&c.info.sql.to_string(), line);
                line.push('}');
            }
            line.push_str("]}");
        }
        Token::Row(row) => {
            line.push_str("{\"row\":[");
            for (i, (value, column)) in row.iter().zip(columns.iter()).enumerate() {
                if i > 0 {
                    line.push(',');
                }
                match cell::text(value, column) {
                    None => line.push_str("null"),
                    Some(text) => string(&text, line),
                }
            }
            line.push_str("]}");
        }
        Token::Done(done) if done.status & DONE_COUNT != 0 => {
            write!(line, "{{\"rows_affected\":{}}}", done.rows).expect("a String takes all");
        }
        Token::Message { number, state, class, text, procedure, line: at, .. } => {
            write!(
                line,
                "{{\"message\":{{\"number\":{number},\"severity\":{class},\"state\":{state},\"procedure\":"
            )
            .expect("a String takes all");
            string(&procedure, line);
            write!(line, ",\"line\":{at},\"text\":").expect("a String takes all");
            string(&text, line);
            line.push_str("}}");
        }
        _ => {}
    }
}

/// A string of JSON.
fn string(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{0}'..='\u{1f}' => {
                write!(out, "\\u{:04x}", c as u32).expect("a String takes all");
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    #[test]
    fn strings_are_json() {
        let mut out = String::new();
        super::string("a\"\\\n\u{0}ü\u{2028}", &mut out);
        assert_eq!(out, "\"a\\\"\\\\\\u000a\\u0000ü\u{2028}\"");
    }
}
