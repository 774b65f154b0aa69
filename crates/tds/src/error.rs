//! What can be wrong with bytes that arrive, and with a value that is to be sent.

use std::fmt;

/// Why bytes could not be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ProtocolError {
    /// The data ends before the thing it holds. While a stream is still arriving: ask again with more.
    Truncated,
    /// The stream breaks the protocol; the connection cannot go on.
    Malformed(&'static str),
    /// A parameter's value is not one of its type (message 8023); the stream itself is in order.
    BadValue {
        /// 1-based number of the parameter, 0 if it is not one.
        ordinal: u16,
        /// Its name, perhaps empty.
        name: String,
        /// The type as T-SQL calls it.
        type_name: &'static str,
    },
    /// Correct TDS that this server does not take; the session stays usable.
    Unsupported(&'static str),
    /// A message that is longer than the state of the connection allows.
    TooLong,
}

impl fmt::Display for ProtocolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProtocolError::Truncated => f.write_str("the stream ended unexpectedly"),
            ProtocolError::Malformed(what) => write!(f, "malformed stream: {what}"),
            ProtocolError::BadValue { ordinal, name, type_name } => {
                write!(f, "parameter {ordinal} (\"{name}\") is not a valid {type_name}")
            }
            ProtocolError::Unsupported(what) => write!(f, "not supported: {what}"),
            ProtocolError::TooLong => f.write_str("message too long"),
        }
    }
}

impl std::error::Error for ProtocolError {}

/// A value that does not fit the column it is sent in: a fault of the caller.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EncodeError {
    /// The column's position, from 0.
    pub column: usize,
    /// The reason why the value does not fit.
    pub what: &'static str,
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "column {}: {}", self.column, self.what)
    }
}

impl std::error::Error for EncodeError {}
