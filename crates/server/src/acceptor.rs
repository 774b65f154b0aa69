//! The thread that accepts, and hears the orders to stop and to open files anew.

use crate::admission::Door;
use crate::channel::Channel;
use crate::errorlog::Level;
use crate::listener::{STOP_AT_ONCE, Shared};
use crate::session;
use rustix::event::{PollFd, PollFlags};
use std::io::Read;
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// Virtual memory of a session's stack. Parser, binder and executor count their depth and stay within it; code that
/// is not optimised has larger frames.
pub(crate) const STACK_BYTES: usize = if cfg!(debug_assertions) { 8 << 20 } else { 2 << 20 };

/// The sockets and words that the thread looks at.
pub(crate) struct Acceptor {
    pub(crate) shared: Arc<Shared>,
    pub(crate) listener: TcpListener,
    pub(crate) admin: Option<TcpListener>,
    /// A byte is the order to stop.
    pub(crate) stopped: UnixStream,
    /// A byte is SIGHUP.
    pub(crate) hung_up: UnixStream,
    /// The process was started from a terminal. (One that has hung up is gone by the time that SIGHUP comes.)
    pub(crate) terminal: bool,
}

impl Acceptor {
    /// Accepts connections until there is the order to stop; true when it is to be carried out at once.
    pub(crate) fn run(self) -> bool {
        loop {
            let mut fds = vec![
                PollFd::new(&self.stopped, PollFlags::IN),
                PollFd::new(&self.hung_up, PollFlags::IN),
                PollFd::new(&self.listener, PollFlags::IN),
            ];
            fds.extend(self.admin.iter().map(|admin| PollFd::new(admin, PollFlags::IN)));
            match rustix::event::poll(&mut fds, None) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(e) => {
                    self.shared.log.write(Level::Error, "Server", &format!("poll failed: {e}."));
                    thread::sleep(Duration::from_millis(50));
                    continue;
                }
            }
            let ready: Vec<bool> = fds.iter().map(|fd| !fd.revents().is_empty()).collect();
            drop(fds);
            if ready[0] {
                let mut what = [0];
                // Signals write a byte of their own: only the one byte means something else than to stop in order.
                let read = (&self.stopped).read(&mut what);
                return read.is_ok() && what[0] == STOP_AT_ONCE;
            }
            if ready[1] {
                // What it says does not matter.
                let _ = (&self.hung_up).read(&mut [0]);
                if self.terminal {
                    return false;
                }
                self.shared.reload();
            }
            // First the one that is to get in whatever happens.
            if let Some(admin) = self.admin.as_ref().filter(|_| ready.get(3) == Some(&true)) {
                self.accept(admin, Door::Admin);
            }
            if ready[2] {
                self.accept(&self.listener, Door::Main);
            }
        }
    }

    fn accept(&self, listener: &TcpListener, door: Door) {
        use std::io::ErrorKind::{ConnectionAborted, Interrupted};
        match listener.accept() {
            Ok((socket, peer)) => self.admit(socket, peer, door),
            Err(e) if matches!(e.kind(), ConnectionAborted | Interrupted) => {}
            Err(e) => {
                // Out of descriptors, most likely; connections that end give some back.
                let text = format!("A connection could not be accepted: {e}.");
                self.shared.log.write(Level::Error, "Server", &text);
                if let Some(address) = self.shared.connections.make_room() {
                    self.say_cut(address);
                }
                thread::sleep(Duration::from_millis(50));
            }
        }
    }

    /// Gives a connection its thread.
    fn admit(&self, socket: TcpStream, peer: SocketAddr, door: Door) {
        let channel = match Channel::new(socket, peer) {
            Ok(channel) => Arc::new(channel),
            // It has gone already.
            Err(_) => return,
        };
        let (id, cut) = self.shared.connections.admit(channel.clone(), door);
        if let Some(address) = cut {
            self.say_cut(address);
        }
        let entry = Admitted { shared: self.shared.clone(), id };
        let run = move || {
            let entry = entry;
            let run =
                catch_unwind(AssertUnwindSafe(|| session::run(&entry.shared, entry.id, &channel)));
            if let Err(panic) = run {
                let text = panic
                    .downcast_ref::<&str>()
                    .map(ToString::to_string)
                    .or_else(|| panic.downcast_ref::<String>().cloned())
                    .unwrap_or_default();
                let text = format!("A session was ended by a fault of the server: {text}");
                entry.shared.log.write(Level::Error, "Server", &text);
                entry.shared.watcher.remove(entry.id);
                channel.shut();
            }
        };
        let thread = thread::Builder::new().name("session".into()).stack_size(STACK_BYTES);
        if let Err(e) = thread.spawn(run) {
            let text = format!("No thread for a session: {e}.");
            self.shared.log.write(Level::Error, "Server", &text);
        }
    }

    fn say_cut(&self, address: IpAddr) {
        let text = format!(
            "A connection that had not logged in was closed to make room for others. [CLIENT: {address}]"
        );
        self.shared.log.write(Level::Warning, "Logon", &text);
    }
}

/// The process has a controlling terminal.
pub(crate) fn has_terminal() -> bool {
    std::fs::File::open("/dev/tty").is_ok()
}

/// A signal was ignored when the process was started.
pub fn ignores(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|l| l.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|m| u64::from_str_radix(m.trim(), 16).ok());
    // Signal 1 is the lowest bit.
    mask.is_some_and(|m| m >> (signal - 1) & 1 != 0)
}

/// A connection's place; it is free again however the session ends.
struct Admitted {
    shared: Arc<Shared>,
    id: u64,
}

impl Drop for Admitted {
    fn drop(&mut self) {
        self.shared.connections.leave(self.id);
    }
}
