//! TDS, the wire protocol of SQL Server ([MS-TDS]), as pure functions over byte buffers: no socket, no thread, no
//! engine. Both directions of every message are here, the server's side for `server`, the client's for the tools,
//! and each proves the other in the tests.
//!
//! ```text
//!  bytes from a socket                                        bytes for a socket
//!        │                                                          ▲
//!  packet::Assembler   headers off, one message at a time     packet::Framer   cut into packets, headers on
//!        │                                                          ▲
//!  prelogin · login7 · request · rpc   what the client says   token::encode, token::row   what the server answers
//!        └────────── typeinfo, value: a SqlType and a Value on the wire ──────────┘
//! ```
//!
//! Rules of the house:
//!
//! 1. Every byte that arrives is input: a decoder returns [`ProtocolError`], it never panics.
//! 2. A decoder allocates at most a small multiple of the bytes that have really arrived; a length that a client
//!    merely claims allocates nothing.
//! 3. Encoders append to a `Vec<u8>`; encoding a row allocates nothing else.
#![forbid(unsafe_code)]

pub mod bulk;
pub mod error;
pub mod login7;
pub mod packet;
pub mod prelogin;
pub mod reader;
pub mod request;
pub mod rpc;
pub mod token;
pub mod tvp;
pub mod typeinfo;
pub mod value;
pub mod version;

mod downlevel;

pub use error::{EncodeError, ProtocolError};
pub use packet::{Assembler, Framer, Message, PacketType, Part, Reset};
pub use reader::Reader;
pub use typeinfo::{Large, TypeInfo, Wire};
pub use version::TdsVersion;
