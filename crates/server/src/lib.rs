//! The server around the engine: sockets, TLS, logins, sessions, settings.
//!
//! ```text
//!  listener ──accept──▶ session thread: login ──▶ request loop ──▶ engine::Connection
//!     ▲                    │      ▲                    │
//!  signals              channel (socket + TLS + packets)──◀── Output (a ResultSink: tokens, packets, back-pressure)
//!                          ▲
//!                       watch: one thread that looks for attentions on the sockets of executing sessions
//! ```
//!
//! * A session is a thread with a blocking socket: a batch crosses no thread hand-off on its way.
//! * A session that executes does not read; [`watch`] reads for it, cancels, and leaves the acknowledgement to it.
//! * HTTP has a thread of its own: [`web`].
//! * What is said to nobody in particular goes to the [`errorlog`]: structured on standard error, in SQL Server's
//!   style in `DIR/log/errorlog`. Standard output carries the ready line and nothing else, unless the settings want the
//!   error log there instead of on standard error.
#![forbid(unsafe_code)]

mod acceptor;
mod admission;
mod authenticate;
pub mod binary;
mod bulk;
mod certificate;
mod channel;
mod clock;
mod credentials;
mod dirlock;
mod entry;
pub mod errorlog;
pub mod first_start;
mod ground;
mod listener;
mod login;
mod memory;
mod notify;
mod objects;
mod orders;
mod output;
mod permits;
mod received;
mod reporting;
mod sa;
mod session;
pub mod settings;
mod strangers;
mod watch;
mod web;

use std::io::Write;

pub use acceptor::ignores;
pub use listener::{Server, StartFailure};
pub use orders::Orders;
pub use settings::{Overrides, PasswordOverrides, Settings};
/// `taffrail assess`: an instance without a server.
pub use taffrail_engine::assess;
/// `taffrail log`: works on files, without a server.
pub use taffrail_engine::logfile;

/// The version that PRELOGIN, LOGINACK and `SERVERPROPERTY('ProductVersion')` tell: SQL Server 2022, because
/// drivers choose what they may use by it.
pub const PRODUCT_VERSION: (u8, u8, u16) = (16, 0, 1000);

/// Runs a server until SIGTERM or SIGINT; an error when it cannot start or cannot end in order. Prints the ready line, and
/// tells systemd where it has started the server. An order to stop that has come already is carried out.
pub fn serve(settings: Settings, orders: &Orders) -> Result<(), StartFailure> {
    if orders.to_stop() {
        return Ok(());
    }
    orders.bury_orphans()?;
    let mut server = Server::start(settings)?;
    orders.reach(&server)?;
    server.announce();
    // Whoever started the server may not care to read the line: no reason not to serve.
    let _ = writeln!(std::io::stdout(), "{}", server.ready_line());
    server.wait()
}
