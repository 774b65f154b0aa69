//! Orders to stop that come as signals, kept for whichever server there is by then: the first start has two, one after the other.

use crate::acceptor::{has_terminal, ignores_hup};
use crate::listener::{Server, StartFailure};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// See the module's text.
#[derive(Clone, Default)]
pub struct Orders {
    stop: Arc<AtomicBool>,
}

impl Orders {
    /// From here on no order is missed. Until then a signal ends the process, which harms nothing and is quicker.
    pub(crate) fn hear(&self) -> Result<(), StartFailure> {
        let mut signals = vec![SIGTERM, SIGINT];
        if has_terminal() && !ignores_hup() {
            signals.push(SIGHUP);
        }
        for signal in signals {
            signal_hook::flag::register(signal, self.stop.clone())
                .map_err(|e| StartFailure(format!("signals: {e}")))?;
        }
        Ok(())
    }

    /// The order to stop has come.
    pub(crate) fn to_stop(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    /// Signals reach this server; an order that came before does, too.
    pub(crate) fn reach(&self, server: &Server) -> Result<(), StartFailure> {
        server.listen_to_signals()?;
        if self.to_stop() {
            server.stop();
        }
        Ok(())
    }
}
