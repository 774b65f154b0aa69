//! The flags by which `query`, `lab try` and `lab load` say where a server is and who asks; they are sqlcmd's.

use clap::Args;
use signal_hook::consts::SIGINT;
use std::net::IpAddr;
use std::path::PathBuf;
use taffrail_lab::client::{ConnectOptions, Encrypt};
use taffrail_server::settings::{Place as Listens, TlsPolicy};
use taffrail_server::{Overrides, Settings};
use taffrail_sqlcmd::{Here, PORT, encryption, split_server};

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
    #[command(flatten)]
    pub trust: Trust,
}

/// Encryption of a connection, and which certificates it takes.
#[derive(Args)]
pub struct Trust {
    /// Take the server's certificate unseen
    #[arg(short = 'C', long)]
    trust_server_certificate: bool,
    /// Encryption [default: of the login at least]; -N alone is 'mandatory', and stands last
    #[arg(
        short = 'N',
        long,
        value_name = "m|o|disable",
        num_args = 0..=1,
        default_missing_value = "mandatory",
        value_parser = encryption
    )]
    encrypt: Option<Encrypt>,
}

impl Trust {
    /// Options as sqlcmd has them: who asks for no encryption asks for no certificate either.
    pub fn as_sqlcmd(&self, options: ConnectOptions) -> ConnectOptions {
        match (self.encrypt, self.trust_server_certificate) {
            (None, false) => careful(options),
            (encrypt, any) => ConnectOptions {
                encrypt: encrypt.unwrap_or(Encrypt::Login),
                trust_server_certificate: any || encrypt == Some(Encrypt::Optional),
                ..options
            },
        }
    }

    /// Options of the lab. A server elsewhere shows a certificate that is valid, and so does one of this machine where the flags name
    /// certificates or ask for encryption.
    pub fn checked(&self, options: ConnectOptions) -> ConnectOptions {
        let (encrypt, any) = (self.encrypt, self.trust_server_certificate);
        let unseen =
            encrypt != Some(Encrypt::Yes) && is_here(&options.host) && options.ca_file.is_none();
        match encrypt {
            None if unseen && !any => careful(options),
            _ => ConnectOptions {
                encrypt: encrypt.unwrap_or(Encrypt::Login),
                trust_server_certificate: any || unseen,
                ..options
            },
        }
    }
}

impl Place {
    /// Host and port; an error is what is to be shown.
    pub fn host_and_port(&self) -> Result<(String, u16), String> {
        let (host, port) = split_server(&self.server)?;
        Ok((host, port.unwrap_or(PORT)))
    }
}

/// The process as sqlcmd sees it.
pub fn here() -> Here {
    Here { careful, ignores_interrupts: taffrail_server::ignores(SIGINT) }
}

/// Nobody stands between a program and its own machine.
pub fn is_here(host: &str) -> bool {
    host.trim_end_matches('.').eq_ignore_ascii_case("localhost")
        || host.parse::<IpAddr>().is_ok_and(|ip| ip.to_canonical().is_loopback())
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

/// A connection of this machine to a port of the server that the settings describe.
fn is_own(options: &ConnectOptions, settings: &Settings) -> bool {
    let admin = match settings.admin_listen {
        Listens::Off => None,
        Listens::Default(at) | Listens::At(at) => Some(at.port()),
    };
    is_here(&options.host)
        && (settings.listen.port() == options.port || admin == Some(options.port))
}

/// Options for a caller who has said nothing of encryption, by the settings of the environment.
pub fn careful(options: ConnectOptions) -> ConnectOptions {
    careful_by(options, Settings::resolve(Overrides::default()).ok().as_ref())
}

/// Options for a caller who has said nothing of encryption. The password goes out encrypted, and a server's own one for `sa` to that
/// server only. The one exception is the server of these settings where they turn TLS off.
pub fn careful_by(mut options: ConnectOptions, settings: Option<&Settings>) -> ConnectOptions {
    (options.encrypt, options.trust_server_certificate) = (Encrypt::Login, true);
    let Some(settings) = settings.filter(|s| is_own(&options, s)) else { return options };
    if settings.tls == TlsPolicy::Off {
        options.encrypt = Encrypt::Optional;
    } else if !options.password.is_empty()
        && own_password(settings).is_ok_and(|own| own == options.password)
    {
        only_to(&mut options, settings.certificate());
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_has_several_names() {
        for host in [
            "localhost",
            "LOCALHOST",
            "localhost.",
            "127.0.0.1",
            "127.1.2.3",
            "::1",
            "::ffff:127.0.0.1",
        ] {
            assert!(is_here(host), "{host}");
        }
        for host in ["localhost.example", "10.0.0.1", "::2", "", "127.0.0.1.example"] {
            assert!(!is_here(host), "{host}");
        }
    }

    #[test]
    fn the_servers_own_password_goes_to_each_of_its_ports_by_its_certificate() {
        let data = std::env::temp_dir().join(format!("taffrail-place-{}", std::process::id()));
        std::fs::create_dir_all(&data).unwrap();
        std::fs::write(data.join("sa-password"), "Own-1\n").unwrap();
        let given = |tls: &str| Overrides {
            data: Some(data.clone()),
            listen: Some("127.0.0.1:4711".into()),
            tls: Some(tls.into()),
            ..Overrides::default()
        };
        let to = |host: &str, port, password: &str, tls: &str| {
            let options = ConnectOptions {
                host: host.into(),
                port,
                password: password.into(),
                ..ConnectOptions::default()
            };
            let settings = Settings::resolve(given(tls)).unwrap();
            let options = careful_by(options, Some(&settings));
            (options.encrypt, options.pinned_certificate.is_some())
        };
        // The second port is that of the reserved connection.
        for port in [4711, 4712] {
            assert_eq!(to("LOCALHOST", port, "Own-1", "required"), (Encrypt::Yes, true));
            assert_eq!(to("127.0.0.1", port, "Other-1", "required"), (Encrypt::Login, false));
            assert_eq!(to("127.0.0.1", port, "Own-1", "off"), (Encrypt::Optional, false));
        }
        assert_eq!(to("127.0.0.1", 4713, "Own-1", "required"), (Encrypt::Login, false));
        assert_eq!(to("127.0.0.1", 4713, "Own-1", "off"), (Encrypt::Login, false));
        assert_eq!(to("db.example.com", 4711, "Own-1", "off"), (Encrypt::Login, false));
        std::fs::remove_dir_all(&data).unwrap();
    }
}
