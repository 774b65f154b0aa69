//! From the words of the command line to a connection.

use std::path::PathBuf;
use std::time::Duration;
use taffrail_lab::client::{Client, ClientError, ConnectOptions, Disagreement, Encrypt};

/// The port that is meant when none is said.
pub const PORT: u16 = 1433;
/// The port of the reserved connection when none is said.
const ADMIN_PORT: u16 = 1434;

/// How a connection is made; `:connect` changes some of it.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The server, as `[tcp:]host[,port]`.
    pub server: String,
    /// Login; empty for integrated authentication, which there is not.
    pub user: String,
    /// The password of the login.
    pub password: String,
    /// Database; empty for the login's.
    pub database: String,
    /// -N as it was given; empty when it was not.
    pub encrypt: String,
    /// -C: any certificate will do.
    pub trust_certificate: bool,
    /// -F: the name that the certificate must bear.
    pub host_in_certificate: String,
    /// -J: the file with the server's certificate.
    pub certificate: Option<PathBuf>,
    /// -a: the size of packets in bytes.
    pub packet_bytes: Option<usize>,
    /// -l, in seconds; 0 for any.
    pub login_timeout: Option<u64>,
    /// -H: the name of this machine.
    pub workstation: String,
    /// -K ReadOnly: the session says that it only reads.
    pub read_only: bool,
    /// -z, -Z: the password that the login is to have from now on.
    pub new_password: Option<String>,
    /// -A: the reserved connection for administrators.
    pub admin: bool,
    /// The options where nothing is said of encryption.
    pub careful: fn(ConnectOptions) -> ConnectOptions,
}

/// Host and port of a server's name.
pub fn split_server(name: &str) -> Result<(String, Option<u16>), String> {
    let form = "server must be of the form [tcp:]host[,port]";
    let name = name.strip_prefix("tcp:").or(name.strip_prefix("admin:")).unwrap_or(name);
    if name.starts_with("np:") || name.starts_with("lpc:") || name.starts_with(r"\\") {
        return Err("named pipes and shared memory are not supported: give tcp:host,port".into());
    }
    let (host, port) = match name.split_once(',') {
        None => (name, None),
        Some((host, port)) => (host, Some(port.trim().parse().map_err(|_| form.to_string())?)),
    };
    if host.contains('\\') && port.is_none() {
        return Err("named instances are not supported: give host,port".into());
    }
    // An address of IPv6 has several colons; a port behind one is how others write it.
    if let (None, Some((name, digits))) = (port, host.split_once(':'))
        && !digits.is_empty()
        && digits.bytes().all(|b| b.is_ascii_digit())
    {
        return Err(format!("the port stands behind a comma: {name},{digits}"));
    }
    let host = host.split('\\').next().unwrap_or_default().trim();
    let host = match host {
        "" | "." | "(local)" => "localhost",
        host => host,
    };
    Ok((host.into(), port))
}

/// Encryption as a value of -N names it, in any case.
pub fn encryption(word: &str) -> Result<Encrypt, String> {
    match word.to_ascii_lowercase().as_str() {
        "disable" => Ok(Encrypt::No),
        "m" | "mandatory" | "yes" | "1" | "t" | "true" => Ok(Encrypt::Yes),
        "o" | "optional" | "no" | "0" | "f" | "false" => Ok(Encrypt::Optional),
        "s" | "strict" => Err("strict encryption (TDS 8.0) is not supported: give -N m".into()),
        _ => Err("the values are 'm' (mandatory), 'o' (optional) and 'disable'".into()),
    }
}

/// The error of a connection, and the flag that helps.
pub fn told(e: &ClientError) -> String {
    match e {
        ClientError::Encryption(Disagreement::EncryptsNothing) => {
            format!("{e}: -N disable sends it all the same")
        }
        e => e.to_string(),
    }
}

impl Settings {
    /// Connects; an error is what is to be shown.
    pub fn connect(&self) -> Result<Client, String> {
        let (host, port) = split_server(&self.server)?;
        if self.user.is_empty() {
            return Err("integrated authentication is not supported: give a login with -U".into());
        }
        let port = port.unwrap_or(if self.admin { ADMIN_PORT } else { PORT });
        let encrypt = match self.encrypt.as_str() {
            "" => Encrypt::Login,
            word => encryption(word)?,
        };
        let options = ConnectOptions {
            host: host.clone(),
            port,
            user: self.user.clone(),
            password: self.password.clone(),
            database: self.database.clone(),
            encrypt,
            // Who has not asked for encryption has not asked who answers, either; who names the host has.
            trust_server_certificate: self.trust_certificate
                || matches!(encrypt, Encrypt::Optional | Encrypt::Login)
                    && self.host_in_certificate.is_empty(),
            ca_file: None,
            packet_bytes: self.packet_bytes.unwrap_or(4096),
            application: "sqlcmd".into(),
            workstation: self.workstation.clone(),
            host_in_certificate: self.host_in_certificate.clone(),
            pinned_certificate: self.certificate.clone(),
            read_only: self.read_only,
            new_password: self.new_password.clone(),
            login_timeout: match self.login_timeout {
                Some(0) => None,
                Some(seconds) => Some(Duration::from_secs(seconds)),
                None => Some(Duration::from_secs(30)),
            },
        };
        let named = self.trust_certificate
            || self.certificate.is_some()
            || !self.host_in_certificate.is_empty();
        let options = match encrypt == Encrypt::Login && !named {
            true => (self.careful)(options),
            false => options,
        };
        Client::connect(&options).map_err(|e| match e {
            ClientError::Server(messages) => {
                let texts: Vec<&str> = messages.iter().map(|m| m.message.as_str()).collect();
                let none = match self.password.is_empty() {
                    true => "\nNo password was given: SQLCMDPASSWORD or -P has it.",
                    false => "",
                };
                format!("mssql: login error: {}{none}", texts.join("\n"))
            }
            ClientError::Io(e) => {
                format!("unable to open tcp connection with host '{host}:{port}': {e}")
            }
            e @ (ClientError::Protocol(_) | ClientError::Encryption(_)) => {
                format!("'{host}:{port}': {}", told(&e))
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_named_in_the_usual_ways() {
        assert_eq!(split_server("tcp:db,14"), Ok(("db".into(), Some(14))));
        assert_eq!(split_server("."), Ok(("localhost".into(), None)));
        assert_eq!(split_server(""), Ok(("localhost".into(), None)));
        assert_eq!(split_server(r"db\x,14"), Ok(("db".into(), Some(14))));
        assert!(split_server(r"db\x").is_err());
        assert!(split_server("db,x").is_err());
        assert!(split_server("db,1,2").is_err());
        assert!(split_server("db:1433").is_err_and(|e| e.ends_with("behind a comma: db,1433")));
        assert_eq!(split_server("::1"), Ok(("::1".into(), None)));
        assert_eq!(split_server("fe80::1,14"), Ok(("fe80::1".into(), Some(14))));
        assert!(split_server(r"np:\\db\pipe").is_err());
    }

    #[test]
    fn encryption_has_the_words_of_sqlcmd() {
        assert_eq!(encryption("M"), Ok(Encrypt::Yes));
        assert_eq!(encryption("no"), Ok(Encrypt::Optional));
        assert_eq!(encryption("disable"), Ok(Encrypt::No));
        assert!(encryption("strict").is_err_and(|why| why.contains("-N m")));
        assert!(encryption("maybe").is_err());
    }
}
