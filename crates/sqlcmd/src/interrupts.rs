//! Ctrl+C for a program that talks to a server: while it waits for an answer, somebody wants that stopped; at any other moment it ends
//! the program, as it does by default.

use signal_hook::consts::SIGINT;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// See the module's text.
#[derive(Clone)]
pub struct Interrupts {
    came: Arc<AtomicBool>,
    /// The signal does what it does by default.
    ends: Arc<AtomicBool>,
}

impl Interrupts {
    /// From here on SIGINT is heard; where it was ignored when the process was started it stays so.
    pub fn hear(ignored: bool) -> io::Result<Interrupts> {
        let heard = Interrupts { came: Arc::default(), ends: Arc::new(AtomicBool::new(true)) };
        if !ignored {
            signal_hook::flag::register_conditional_default(SIGINT, heard.ends.clone())?;
            signal_hook::flag::register(SIGINT, heard.came.clone())?;
            // Whoever waits may be unable to look: the second one ends the program.
            signal_hook::flag::register(SIGINT, heard.ends.clone())?;
        }
        Ok(heard)
    }

    /// Something begins that a signal stops.
    pub fn begin(&self) {
        self.came.store(false, Ordering::SeqCst);
        self.ends.store(false, Ordering::SeqCst);
    }

    /// From here on a signal ends the program, also one that comes while the first is obeyed.
    pub fn end(&self) {
        self.ends.store(true, Ordering::SeqCst);
    }

    /// A signal has come since it began.
    pub fn came(&self) -> bool {
        self.came.load(Ordering::Relaxed)
    }
}
