//! What a session knows of its client.

/// What a client says of itself when it logs in, after its password has been verified.
#[derive(Clone, Debug, Default)]
pub struct ConnectOptions {
    /// The login's name.
    pub login: String,
    /// `principal_id` of the login, which connecting fills in.
    pub login_id: i32,
    /// The database that has authenticated a contained user; 0 for logins. Connecting fills it in.
    pub authenticating_database: u16,
    /// The client's machine.
    pub host_name: String,
    /// The client's program.
    pub program_name: String,
    /// The client's library.
    pub client_interface: String,
    /// The client's process.
    pub client_pid: u32,
    /// The database asked for; else the login's default.
    pub database: Option<String>,
    /// The client's address.
    pub client_net_address: String,
    /// The connection is encrypted beyond the login.
    pub encrypted: bool,
    /// The protocol version that was agreed on.
    pub tds_version: u32,
    /// Bytes per packet.
    pub packet_size: u32,
    /// The language asked for; empty for the default.
    pub language: String,
    /// The client asked for ODBC's option defaults (ANSI_DEFAULTS, implicit transactions off).
    pub odbc_defaults: bool,
}

/// Address and port of a client, by `client_net_address`.
pub fn client_address(net_address: &str) -> (&str, Option<u16>) {
    match net_address.rsplit_once(':') {
        Some((address, port)) if !address.ends_with(':') => match port.parse() {
            Ok(port) => (address, Some(port)),
            Err(_) => (net_address, None),
        },
        _ => (net_address, None),
    }
}
