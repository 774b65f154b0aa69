//! `taffrail health`: whether a server answers a query, for probes and HEALTHCHECK.

use crate::place::{careful_by, only_to, own_password};
use clap::Args;
use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use taffrail_lab::client::{Client, ClientError, ConnectOptions};
use taffrail_server::settings::TlsPolicy;
use taffrail_server::{Overrides, Settings};
use taffrail_sqlcmd::split_server;

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
The password comes from the variable SQLCMDPASSWORD, from where the server has it for sa
(TAFFRAIL_SA_PASSWORD_FILE, TAFFRAIL_SA_PASSWORD, MSSQL_SA_PASSWORD, SA_PASSWORD, the TOML
file of TAFFRAIL_CONFIG), or from the file DIR/sa-password. One that is not from SQLCMDPASSWORD
goes only to who has the server's certificate (DIR/server.crt, or that of the settings); where
the settings turn TLS off, SQLCMDPASSWORD is needed, and goes unencrypted to their server only.
Exit code 0: the server has answered a query. 1: it has not, and the reason is on standard
error: it is not there, it refuses the login, it takes too long.";

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
    // The settings say where the server of this machine listens and what its password is. Who says both himself needs none.
    let given = Overrides { data: flags.data.clone(), ..Overrides::default() };
    let settings = Settings::resolve(given).map_err(|e| format!("the settings are wrong: {e}"));
    let (host, port) = match &flags.server {
        Some(server) => split_server(server)?,
        None => {
            let listen = settings.as_ref().map_err(String::clone)?.listen;
            (own_host(listen.ip()).to_string(), Some(listen.port()))
        }
    };
    let given = std::env::var("SQLCMDPASSWORD").ok().filter(|p| !p.is_empty());
    let within = Duration::from_secs(flags.timeout.max(1));
    // One that is further away than the clock reaches is none.
    let deadline = Instant::now().checked_add(within);
    let mut options = ConnectOptions {
        host,
        port: port.unwrap_or(1433),
        user: flags.user.clone(),
        application: "taffrail health".into(),
        login_timeout: Some(within),
        ..ConnectOptions::default()
    };
    options = match given {
        Some(password) => {
            careful_by(ConnectOptions { password, ..options }, settings.as_ref().ok())
        }
        None => as_the_server(options, &settings?)?,
    };
    let mut client = Client::connect(&options).map_err(said)?;
    client.send_batch("SELECT 1").map_err(said)?;
    while client.next_token(deadline).map_err(said)?.is_some() {}
    Ok(())
}

/// With the server's own password, which goes to that server only.
fn as_the_server(options: ConnectOptions, settings: &Settings) -> Result<ConnectOptions, String> {
    let mut options = ConnectOptions { password: own_password(settings)?, ..options };
    if settings.tls == TlsPolicy::Off {
        return Err("TLS is off, and the server cannot show who it is: SQLCMDPASSWORD has the password that may be sent".into());
    }
    only_to(&mut options, settings.certificate());
    Ok(options)
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

/// Where a server is reached from this machine that listens at an address: at all of them at the usual one.
fn own_host(listens: IpAddr) -> IpAddr {
    match listens.is_unspecified() {
        true => Ipv4Addr::LOCALHOST.into(),
        false => listens,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_reached_where_it_is() {
        let host = |text: &str| own_host(text.parse().unwrap()).to_string();
        assert_eq!(host("127.0.0.2"), "127.0.0.2");
        assert_eq!(host("::1"), "::1");
        assert_eq!((host("0.0.0.0"), host("::")), ("127.0.0.1".into(), "127.0.0.1".into()));
    }
}
