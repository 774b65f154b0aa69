//! The threads that perform submitted writes: as many as the device gains from in flight, started with the first use.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::OpenFile;
use crate::WriteOp;

/// Writes in flight at once, over all files.
const THREADS: usize = 4;

type Job = (Arc<OpenFile>, WriteOp);

static QUEUE: OnceLock<Option<Sender<Job>>> = OnceLock::new();

/// Starts the threads; `None` when the system has none left: then writes are performed by their submitters.
fn start() -> Option<Sender<Job>> {
    let (sender, receiver) = channel();
    let receiver = Arc::new(Mutex::new(receiver));
    let started = (0..THREADS).filter(|n| {
        let receiver = Arc::clone(&receiver);
        std::thread::Builder::new()
            .name(format!("io write {n}"))
            .stack_size(128 << 10)
            .spawn(move || work(&receiver))
            .is_ok()
    });
    (started.count() > 0).then_some(sender)
}

fn work(queue: &Mutex<Receiver<Job>>) {
    loop {
        let job = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        match job {
            Ok((file, op)) => file.perform(op),
            Err(_) => return, // the process ends
        }
    }
}

/// Has a write performed.
pub(super) fn perform(file: &Arc<OpenFile>, op: WriteOp) {
    let unsent = match QUEUE.get_or_init(start) {
        Some(queue) => queue.send((Arc::clone(file), op)).err().map(|e| e.0),
        None => Some((Arc::clone(file), op)),
    };
    if let Some((file, op)) = unsent {
        file.perform(op);
    }
}
