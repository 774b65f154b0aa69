//! How a connection ends.

use crate::received::TooMuch;
use std::io;
use taffrail_tds::ProtocolError;

/// Why a channel has ended.
#[derive(Debug)]
pub(crate) enum ChannelError {
    /// The client has closed the connection, or it broke.
    Closed,
    /// The login took too long.
    TimedOut,
    /// Bytes that are no TDS.
    Protocol(ProtocolError),
    /// The handshake of TLS failed.
    Tls(String),
    /// There is no memory for what the client sends.
    TooMuch(TooMuch),
}

impl From<TooMuch> for ChannelError {
    fn from(e: TooMuch) -> Self {
        ChannelError::TooMuch(e)
    }
}

impl From<ProtocolError> for ChannelError {
    fn from(e: ProtocolError) -> Self {
        ChannelError::Protocol(e)
    }
}

impl From<io::Error> for ChannelError {
    fn from(e: io::Error) -> Self {
        match e.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => ChannelError::TimedOut,
            // A reset, a broken pipe: the client has gone, whatever the word for it.
            _ => ChannelError::Closed,
        }
    }
}

impl From<rustix::io::Errno> for ChannelError {
    fn from(e: rustix::io::Errno) -> Self {
        io::Error::from(e).into()
    }
}

impl std::fmt::Display for ChannelError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ChannelError::Closed => f.write_str("the connection was closed"),
            ChannelError::TimedOut => f.write_str("the login took too long"),
            ChannelError::Protocol(e) => e.fmt(f),
            ChannelError::Tls(e) => write!(f, "the TLS handshake failed: {e}"),
            ChannelError::TooMuch(e) => e.fmt(f),
        }
    }
}
