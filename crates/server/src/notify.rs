//! What systemd is told of a service of `Type=notify`: that it serves, and that it ends (sd_notify's protocol, one datagram a
//! message). Nobody is told where `NOTIFY_SOCKET` is not set.

use std::ffi::OsStr;
use std::io;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};

/// The variable by which the service manager names its socket.
const SOCKET: &str = "NOTIFY_SOCKET";

/// A service manager has started this process and waits for word of it.
pub(crate) fn has_manager() -> bool {
    std::env::var_os(SOCKET).is_some_and(|name| !name.is_empty())
}

/// The server accepts connections.
pub(crate) fn ready(status: &str) -> io::Result<()> {
    say(&format!("READY=1\nSTATUS={status}\n"))
}

/// The order to stop was given.
pub(crate) fn stopping() -> io::Result<()> {
    say("STOPPING=1\n")
}

fn say(text: &str) -> io::Result<()> {
    match std::env::var_os(SOCKET) {
        Some(name) if !name.is_empty() => send(&name, text),
        _ => Ok(()),
    }
}

fn send(name: &OsStr, text: &str) -> io::Result<()> {
    let to = match name.as_bytes() {
        // A name without a file.
        [b'@', name @ ..] => SocketAddr::from_abstract_name(name)?,
        _ => SocketAddr::from_pathname(name)?,
    };
    UnixDatagram::unbound()?.send_to_addr(text.as_bytes(), &to).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_of_names_are_reached() {
        let file = std::env::temp_dir().join(format!("taffrail-notify-{}", std::process::id()));
        let _ = std::fs::remove_file(&file);
        let abstract_name = format!("taffrail-notify-{}", std::process::id());
        let sockets = [
            (UnixDatagram::bind(&file).unwrap(), file.clone().into_os_string()),
            (
                UnixDatagram::bind_addr(&SocketAddr::from_abstract_name(&abstract_name).unwrap())
                    .unwrap(),
                format!("@{abstract_name}").into(),
            ),
        ];
        for (socket, name) in sockets {
            send(&name, "READY=1\n").unwrap();
            let mut heard = [0; 32];
            let n = socket.recv(&mut heard).unwrap();
            assert_eq!(&heard[..n], b"READY=1\n");
        }
        std::fs::remove_file(&file).unwrap();
        assert!(send(file.as_os_str(), "READY=1\n").is_err());
    }
}
