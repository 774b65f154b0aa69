//! The flags by which `query`, `lab try` and `lab load` say where a server is and who asks; they are sqlcmd's.

use crate::sql::{PORT, split_server};
use clap::Args;
use std::path::PathBuf;
use taffrail_lab::client::{ConnectOptions, Encrypt};
use taffrail_server::settings::TlsPolicy;
use taffrail_server::{Overrides, Settings};

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

/// The password that the settings give for `sa`, or that the server has made for itself.
pub fn own_password(settings: &Settings) -> Result<String, String> {
    if let Some(given) = &settings.sa_password {
        return Ok(given.clone());
    }
    let path = settings.data.join("sa-password");
    let text = std::fs::read_to_string(&path).map_err(|e| {
        format!(
            "no password: neither SQLCMDPASSWORD nor the settings have one, and {}: {e}",
            path.display()
        )
    })?;
    Ok(text.lines().next().unwrap_or_default().to_string())
}

/// The certificate that the server of the settings shows, where a password is that server's own for `sa` and goes to its port on this
/// machine. None: the password is somebody else's, or there is no such server.
pub fn own_certificate(options: &ConnectOptions) -> Option<PathBuf> {
    if options.password.is_empty() || !is_here(&options.host) {
        return None;
    }
    let settings = Settings::resolve(Overrides::default()).ok()?;
    let own = settings.listen.port() == options.port
        && settings.tls != TlsPolicy::Off
        && own_password(&settings).is_ok_and(|own| own == options.password);
    own.then(|| settings.certificate())
}

/// Options for a caller who has said nothing of encryption. The password never goes out unencrypted, and a server's own one for `sa` goes
/// to that server only.
pub fn careful(mut options: ConnectOptions) -> ConnectOptions {
    (options.encrypt, options.trust_server_certificate) = (Encrypt::Login, true);
    if let Some(certificate) = own_certificate(&options) {
        only_to(&mut options, certificate);
    }
    options
}

/// Encrypts all, and believes this certificate only.
pub fn only_to(options: &mut ConnectOptions, certificate: PathBuf) {
    options.encrypt = Encrypt::Yes;
    options.trust_server_certificate = false;
    options.pinned_certificate = Some(certificate);
}

/// The password of a login that no flag gives.
pub fn password() -> String {
    std::env::var("SQLCMDPASSWORD").unwrap_or_default()
}
