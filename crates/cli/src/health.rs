//! `taffrail health`: whether a server answers a query, for probes and HEALTHCHECK.

use crate::sql::split_server;
use clap::Args;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use taffrail_lab::client::{Client, ClientError, ConnectOptions, Encrypt};
use taffrail_server::Settings;

/// Flags of `health`. What is not given comes from where the server has it.
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Health {
    /// Server and port [default: this machine, at the port of the settings]
    #[arg(short = 'S', long, value_name = "HOST[,PORT]")]
    server: Option<String>,
    /// Login
    #[arg(short = 'U', long, value_name = "LOGIN", default_value = "sa")]
    user: String,
    /// Where the password may lie that the server has made for sa [default: the settings' data directory]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// How long it may take in s
    #[arg(short = 't', long, value_name = "S", default_value_t = 5)]
    timeout: u64,
}

const HELP: &str = "\
The password comes from the first of the variables SQLCMDPASSWORD, TAFFRAIL_SA_PASSWORD,
MSSQL_SA_PASSWORD and SA_PASSWORD, or from the file DIR/sa-password.
Exit code 0: the server has answered a query. 1: it has not, and the reason is on standard
error: it is not there, it refuses the login, it takes too long.";

/// Variables that may hold the password, nearest first.
const PASSWORDS: [&str; 4] =
    ["SQLCMDPASSWORD", "TAFFRAIL_SA_PASSWORD", "MSSQL_SA_PASSWORD", "SA_PASSWORD"];

/// Runs the command.
pub fn run(flags: Health) -> ExitCode {
    match check(&flags) {
        Ok(()) => {
            println!("healthy");
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("taffrail: not healthy: {why}");
            ExitCode::FAILURE
        }
    }
}

fn check(flags: &Health) -> Result<(), String> {
    // The settings say where the server of this machine listens; without them there is still what the flags say.
    let settings = Settings::resolve(taffrail_server::Overrides::default()).ok();
    let (host, port) = match &flags.server {
        Some(server) => split_server(server)?,
        None => ("127.0.0.1".into(), settings.as_ref().map(|s| s.listen.port())),
    };
    let data = flags.data.clone().or(settings.as_ref().map(|s| s.data.clone()));
    let within = Duration::from_secs(flags.timeout.max(1));
    let deadline = Instant::now() + within;
    let options = ConnectOptions {
        host,
        port: port.unwrap_or(1433),
        user: flags.user.clone(),
        password: password(data.as_deref(), |name| std::env::var(name).ok())?,
        encrypt: Encrypt::Optional,
        // Nothing is sent but the login, and that to the machine itself or to whom the caller names.
        trust_server_certificate: true,
        application: "taffrail health".into(),
        login_timeout: Some(within),
        ..ConnectOptions::default()
    };
    let mut client = Client::connect(&options).map_err(said)?;
    client.send_batch("SELECT 1").map_err(said)?;
    while client.next_token(Some(deadline)).map_err(said)?.is_some() {}
    Ok(())
}

fn said(e: ClientError) -> String {
    match e {
        ClientError::Server(messages) => {
            let texts: Vec<&str> = messages.iter().map(|m| m.message.as_str()).collect();
            format!("the server refuses: {}", texts.join(" "))
        }
        ClientError::Io(e) if e.kind() == std::io::ErrorKind::TimedOut => {
            "no answer in time".into()
        }
        other => other.to_string(),
    }
}

fn password(data: Option<&Path>, var: impl Fn(&str) -> Option<String>) -> Result<String, String> {
    if let Some(given) = PASSWORDS.into_iter().find_map(|n| var(n).filter(|p| !p.is_empty())) {
        return Ok(given);
    }
    let path = data.unwrap_or(Path::new("data")).join("sa-password");
    let text = std::fs::read_to_string(&path).map_err(|e| {
        format!("no password: none of {} is set, and {}: {e}", PASSWORDS.join(", "), path.display())
    })?;
    Ok(text.lines().next().unwrap_or_default().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_password_comes_from_the_nearest_place() {
        let of = |set: &'static [&str]| {
            password(None, move |n| set.contains(&n).then(|| format!("of {n}")))
        };
        assert_eq!(of(&PASSWORDS).unwrap(), "of SQLCMDPASSWORD");
        assert_eq!(of(&["SA_PASSWORD", "MSSQL_SA_PASSWORD"]).unwrap(), "of MSSQL_SA_PASSWORD");
        let none = password(Some(Path::new("/nowhere")), |_| None).unwrap_err();
        assert!(none.contains("/nowhere/sa-password"), "{none}");
    }
}
