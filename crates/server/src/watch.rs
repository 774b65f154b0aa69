//! The watcher: one thread that hears attentions for sessions that execute.
//!
//! It goes its rounds every few milliseconds. A request that it meets again after a round's time is a long one; the
//! sockets of those are polled, and what arrives is handed to [`Channel::listen`]. Short requests cost nothing but
//! two atomic additions, and with nobody executing for a while the watcher sleeps until a session wakes it.
//! An attention is so heard within two rounds and one poll, well under 100 ms.

use crate::channel::Channel;
use parking_lot::Mutex;
use rustix::event::{PollFd, PollFlags, Timespec};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

/// Between two rounds, and how long a poll waits.
const ROUND: Duration = Duration::from_millis(15);
/// Rounds without anybody executing before the watcher goes to sleep.
const IDLE_ROUNDS: u32 = 20;

pub(crate) struct Watcher {
    channels: Mutex<HashMap<u64, Arc<Channel>>>,
    asleep: AtomicBool,
    stop: AtomicBool,
    thread: OnceLock<Thread>,
}

impl Watcher {
    pub(crate) fn start() -> std::io::Result<Arc<Watcher>> {
        let watcher = Arc::new(Watcher {
            channels: Mutex::new(HashMap::new()),
            asleep: AtomicBool::new(false),
            stop: AtomicBool::new(false),
            thread: OnceLock::new(),
        });
        let runner = watcher.clone();
        let handle = thread::Builder::new().name("watcher".into()).spawn(move || runner.run())?;
        // Nobody else sets it.
        let _ = watcher.thread.set(handle.thread().clone());
        Ok(watcher)
    }

    pub(crate) fn add(&self, id: u64, channel: Arc<Channel>) {
        self.channels.lock().insert(id, channel);
    }

    pub(crate) fn remove(&self, id: u64) {
        self.channels.lock().remove(&id);
    }

    /// A session is about to execute. The caller has raised its turn before: either the watcher sees that before it
    /// falls asleep, or this sees it asleep.
    pub(crate) fn wake(&self) {
        if self.asleep.load(Ordering::SeqCst)
            && let Some(thread) = self.thread.get()
        {
            thread.unpark();
        }
    }

    /// Ends the thread that watches.
    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::SeqCst);
        if let Some(thread) = self.thread.get() {
            thread.unpark();
        }
    }

    fn executing(&self) -> Vec<(u64, u64, Arc<Channel>)> {
        let channels = self.channels.lock();
        let with_turn = channels.iter().map(|(id, c)| (*id, c.turn(), c));
        with_turn
            .filter(|(_, turn, _)| turn % 2 == 1)
            .map(|(id, turn, c)| (id, turn, c.clone()))
            .collect()
    }

    fn run(&self) {
        // Which turn each channel is in, and when it was met first.
        let mut met: HashMap<u64, (u64, Instant)> = HashMap::new();
        let mut idle = 0;
        while !self.stop.load(Ordering::SeqCst) {
            let now = self.executing();
            if now.is_empty() {
                met.clear();
                idle += 1;
                if idle < IDLE_ROUNDS {
                    thread::park_timeout(ROUND);
                    continue;
                }
                self.asleep.store(true, Ordering::SeqCst);
                if self.executing().is_empty() && !self.stop.load(Ordering::SeqCst) {
                    thread::park();
                }
                self.asleep.store(false, Ordering::SeqCst);
                idle = 0;
                continue;
            }
            idle = 0;
            for (_, _, channel) in &now {
                if channel.wants_cancel() {
                    channel.cancel();
                }
            }
            let moment = Instant::now();
            met.retain(|id, (turn, _)| now.iter().any(|(i, t, _)| i == id && t == turn));
            for (id, turn, _) in &now {
                met.entry(*id).or_insert((*turn, moment));
            }
            let long: Vec<&Arc<Channel>> = now
                .iter()
                .filter(|(id, _, c)| !c.is_deaf() && met[id].1 + ROUND <= moment)
                .map(|(_, _, c)| c)
                .collect();
            if long.is_empty() {
                thread::park_timeout(ROUND);
            } else {
                self.poll(&long);
            }
        }
    }

    /// Waits a round for bytes on these channels.
    fn poll(&self, channels: &[&Arc<Channel>]) {
        let mut fds: Vec<PollFd<'_>> =
            channels.iter().map(|c| PollFd::new(c.socket(), PollFlags::IN)).collect();
        let timeout = Timespec { tv_sec: 0, tv_nsec: ROUND.as_nanos() as i64 };
        match rustix::event::poll(&mut fds, Some(&timeout)) {
            Ok(n) if n > 0 => {
                for (fd, channel) in fds.iter().zip(channels) {
                    if !fd.revents().is_empty() {
                        channel.listen();
                    }
                }
            }
            Ok(_) => {}
            // Out of memory, or a signal: the next round tries again.
            Err(_) => thread::park_timeout(ROUND),
        }
    }
}
