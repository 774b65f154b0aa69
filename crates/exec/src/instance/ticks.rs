//! Threads beside the writers: what is done again and again, and those of a restart's redo.

use super::{IDLE_AT_MOST, Instance};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use taffrail_base::DatabaseId;
use taffrail_observe::{Command, WaitType};
use taffrail_storage::Workers;

impl Instance {
    /// Starts a thread that does something ten times a second until the instance stops.
    pub fn run_ticks(
        self: &Arc<Self>,
        name: &str,
        command: Command,
        mut tick: impl FnMut(&Arc<Instance>) + Send + 'static,
    ) -> std::io::Result<()> {
        let weak = Arc::downgrade(self);
        self.background(name.into(), 512 << 10, (command, DatabaseId(0)), move || {
            while let Some(instance) = weak.upgrade() {
                if instance.threads.stopping.load(Ordering::Acquire) {
                    break;
                }
                tick(&instance);
                taffrail_observe::session::with_current(|cell| cell.gather());
                let mut gate = instance.threads.gate.lock();
                if !instance.threads.stopping.load(Ordering::Acquire) {
                    let _idle = taffrail_observe::wait(WaitType::XeDispatcherWait);
                    instance.threads.wake.wait_for(&mut gate, IDLE_AT_MOST);
                }
            }
        })
    }
}

/// Threads for the redo of a restart: some of them always wait for the disk.
pub(super) fn redo_workers() -> Workers {
    let processors = std::thread::available_parallelism().map_or(2, usize::from);
    Workers::new((processors * 2).clamp(4, 16), |helpers, work| {
        std::thread::scope(|scope| {
            for n in 1..=helpers {
                let thread = std::thread::Builder::new().name(format!("redo {n}"));
                // The others do its share.
                let _ = thread.stack_size(256 << 10).spawn_scoped(scope, move || work(n));
            }
            work(0);
        });
    })
}
