//! Orders to stop that come as signals, kept for whichever server there is by then: the first start has two, one after the other.

use crate::acceptor::{has_terminal, ignores};
use crate::listener::{Server, StartFailure};
use rustix::process::{WaitOptions, wait};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM};
use std::io::Read;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// See the module's text.
#[derive(Clone, Default)]
pub struct Orders {
    stop: Arc<AtomicBool>,
    /// The first process of a container ends at once.
    ends: Arc<AtomicBool>,
}

impl Orders {
    /// The kernel ends the first process of a container only by signals that it handles: until it hears orders, one ends it here
    /// as it ends any other process.
    pub fn end_first_process(&self) -> Result<(), StartFailure> {
        if std::process::id() != 1 {
            return Ok(());
        }
        self.ends.store(true, Ordering::SeqCst);
        for signal in [SIGTERM, SIGINT] {
            let ends = self.ends.clone();
            signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, ends)
                .map_err(failed)?;
        }
        Ok(())
    }

    /// The first process of a container inherits every process that has lost its parent, and has to take note of its end. Nothing
    /// that this process itself starts may be waited for from here on.
    pub(crate) fn bury_orphans(&self) -> Result<(), StartFailure> {
        if std::process::id() != 1 {
            return Ok(());
        }
        let (mut ended, end) = UnixStream::pair().map_err(failed)?;
        signal_hook::low_level::pipe::register(SIGCHLD, end).map_err(failed)?;
        let run = move || {
            loop {
                while let Ok(Some(_)) = wait(WaitOptions::NOHANG) {}
                if !matches!(ended.read(&mut [0; 64]), Ok(1..)) {
                    break;
                }
            }
        };
        std::thread::Builder::new().name("orphans".into()).spawn(run).map_err(failed)?;
        Ok(())
    }

    /// From here on no order is missed. Until then a signal ends the process, which harms nothing and is quicker.
    pub(crate) fn hear(&self) -> Result<(), StartFailure> {
        let mut signals = vec![SIGTERM, SIGINT];
        if has_terminal() && !ignores(SIGHUP) {
            signals.push(SIGHUP);
        }
        for signal in signals {
            signal_hook::flag::register(signal, self.stop.clone()).map_err(failed)?;
        }
        self.ends.store(false, Ordering::SeqCst);
        Ok(())
    }

    /// The order to stop has come.
    pub(crate) fn to_stop(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    /// Signals reach this server; an order that came before does, too.
    pub(crate) fn reach(&self, server: &Server) -> Result<(), StartFailure> {
        server.listen_to_signals()?;
        self.ends.store(false, Ordering::SeqCst);
        if self.to_stop() {
            server.stop();
        }
        Ok(())
    }
}

fn failed(e: std::io::Error) -> StartFailure {
    StartFailure(format!("signals: {e}"))
}
