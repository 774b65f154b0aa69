//! The flags by which `query`, `lab try` and `lab load` say where a server is and who asks; they are sqlcmd's.

use clap::Args;

use crate::sql::{PORT, split_server};

/// A server and a login.
#[derive(Args)]
pub struct Place {
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
    pub user: String,
    /// Take the server's certificate unseen
    #[arg(short = 'C', long)]
    pub trust_server_certificate: bool,
}

impl Place {
    /// Host and port; an error is what is to be shown.
    pub fn host_and_port(&self) -> Result<(String, u16), String> {
        let (host, port) = split_server(&self.server)?;
        Ok((host, port.unwrap_or(PORT)))
    }
}

/// Nobody stands between a program and its own machine.
pub fn is_here(host: &str) -> bool {
    matches!(host, "127.0.0.1" | "localhost" | "::1")
}

/// The password of a login that no flag gives.
pub fn password() -> String {
    std::env::var("SQLCMDPASSWORD").unwrap_or_default()
}
