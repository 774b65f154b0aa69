//! The threads that perform submitted writes: as many as a device gains from in flight, started with the first use.
//!
//! ```text
//! Volume::submit   queue of batches    four threads    pages, zeroes of logs
//! Volume::start    queue of streams    four threads    backups, copies of files
//! ```
//! A stream may go to a device that is slow or answers no more. The writes of batches, on which the checkpoints of all databases wait,
//! stand behind none of its writes.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::OpenFile;
use crate::WriteOp;

/// Writes of a queue in flight at once, over all files.
const THREADS: usize = 4;

type Job = (Arc<OpenFile>, WriteOp);

/// The queues of writes, each with threads of its own.
#[derive(Clone, Copy)]
pub(super) enum Queue {
    /// Writes that came together, and whose submitter waits for all of them.
    Batches,
    /// Writes that were started one by one.
    Streams,
}

static QUEUES: [OnceLock<Option<Sender<Job>>>; 2] = [const { OnceLock::new() }; 2];

/// Starts the threads of a queue; `None` when the system has none left: then writes are performed by their submitters.
fn start(queue: Queue) -> Option<Sender<Job>> {
    let name = match queue {
        Queue::Batches => "io write",
        Queue::Streams => "io stream",
    };
    let (sender, receiver) = channel();
    let receiver = Arc::new(Mutex::new(receiver));
    let started = (0..THREADS).filter(|n| {
        let receiver = Arc::clone(&receiver);
        std::thread::Builder::new()
            .name(format!("{name} {n}"))
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

/// Has a write performed by a thread of the queue.
pub(super) fn perform(queue: Queue, file: &Arc<OpenFile>, op: WriteOp) {
    let unsent = match QUEUES[queue as usize].get_or_init(|| start(queue)) {
        Some(queue) => queue.send((Arc::clone(file), op)).err().map(|e| e.0),
        None => Some((Arc::clone(file), op)),
    };
    if let Some((file, op)) = unsent {
        file.perform(op);
    }
}
