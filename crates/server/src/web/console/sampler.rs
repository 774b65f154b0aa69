//! One sample a second for all viewers, for as long as there is one.

use super::queries;
use super::reader::{JsonRows, Session};
use crate::acceptor::STACK_BYTES;
use parking_lot::{Condvar, Mutex};
use serde_json::{Value as Json, json};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use taffrail_engine::Instance;
use taffrail_observe::Moment;
use taffrail_observe::trace::flushes;
use tokio::sync::watch;

const EVERY: Duration = Duration::from_secs(1);
/// Flushes in a frame: of more the newest.
const FLUSHES: usize = 500;
/// See the module's text.
pub(super) struct Sampler {
    instance: Arc<Instance>,
    state: Mutex<State>,
    wake: Condvar,
}

#[derive(Default)]
struct State {
    /// While somebody looks.
    frames: Option<watch::Sender<Arc<str>>>,
    thread: Option<JoinHandle<()>>,
    stopping: bool,
}

impl Sampler {
    pub(super) fn new(instance: Arc<Instance>) -> Sampler {
        Sampler { instance, state: Mutex::default(), wake: Condvar::new() }
    }

    /// The frames from now on.
    pub(super) fn watch(
        self: &Arc<Self>,
        login: &str,
    ) -> Result<watch::Receiver<Arc<str>>, String> {
        let mut state = self.state.lock();
        if state.stopping {
            return Err("The server is about to end.".into());
        }
        if let Some(frames) = &state.frames {
            return Ok(frames.subscribe());
        }
        let (send, receive) = watch::channel(Arc::from(""));
        let (own, login) = (self.clone(), login.to_owned());
        let thread = std::thread::Builder::new()
            .name("console sampler".into())
            .stack_size(STACK_BYTES)
            .spawn(move || own.run(&login))
            .map_err(|e| e.to_string())?;
        // The one before has ended, or is about to: it has seen that nobody looks.
        state.thread = Some(thread);
        state.frames = Some(send);
        Ok(receive)
    }

    /// Ends all streams; there are none from now on.
    pub(super) fn end_streams(&self) {
        let mut state = self.state.lock();
        state.stopping = true;
        state.frames = None;
        drop(state);
        self.wake.notify_all();
    }

    /// The same, and ends the thread.
    pub(super) fn stop(&self) {
        self.end_streams();
        let thread = self.state.lock().thread.take();
        if let Some(thread) = thread {
            // A panic has said on standard error what it was.
            let _ = thread.join();
        }
    }

    fn run(&self, login: &str) {
        let mut session = None;
        let mut last_flush = flushes().newest().saturating_sub(FLUSHES as u64);
        loop {
            let due = Instant::now() + EVERY;
            let frame = self.sample(&mut session, login, &mut last_flush);
            let mut state = self.state.lock();
            match &state.frames {
                None => return,
                Some(frames) if frames.is_closed() => {
                    state.frames = None;
                    return;
                }
                // An error: the last one has just gone.
                Some(frames) => drop(frames.send(frame.to_string().into())),
            }
            while !state.stopping && Instant::now() < due {
                self.wake.wait_until(&mut state, due);
            }
        }
    }

    /// A frame, or what went wrong: the next one tries again.
    fn sample(&self, session: &mut Option<Session>, login: &str, last_flush: &mut u64) -> Json {
        let open = match session.take() {
            Some(open) => Ok(open),
            None => Session::open(&self.instance, login),
        };
        let sampled = open.and_then(|mut open| {
            let frame = sample(&mut open)?;
            *session = Some(open);
            Ok(frame)
        });
        match sampled {
            Ok(mut frame) => {
                frame["flushes"] = new_flushes(last_flush);
                frame["uptime"] = self.instance.up_time().as_secs().into();
                frame
            }
            Err(e) => json!({ "error": e }),
        }
    }
}

/// One batch: a batch a second is what watching costs.
fn sample(session: &mut Session) -> Result<Json, String> {
    use queries::{COUNTERS, DATABASES, FILES, PROCESSOR, SESSIONS, WAIT_TYPES, WAITS};
    let batch = [COUNTERS, PROCESSOR, WAITS, WAIT_TYPES, FILES, SESSIONS, DATABASES].join(";\n");
    let results: Result<[JsonRows; 7], _> = session.results(&batch)?.try_into();
    let Ok([counters, mut processor, waits, wait_types, mut files, sessions, databases]) = results
    else {
        return Err("A statement of the sample had no result.".into());
    };
    Ok(json!({
        "counters": counters,
        "processor": processor.pop(),
        "waits": waits,
        "waitTypes": wait_types,
        "files": files.pop(),
        "sessions": sessions,
        "databases": databases,
    }))
}

/// Writes of logs since the last frame: number, database, µs ago, µs, bytes, commits, cause.
fn new_flushes(last: &mut u64) -> Json {
    let now = Moment::now();
    let all = flushes().read_after(*last);
    *last = all.last().map_or(*last, |(number, _)| *number);
    let from = all.len().saturating_sub(FLUSHES);
    let writes = all[from..].iter().filter(|(_, f)| !f.sync);
    let row = |(number, f): &(u64, taffrail_observe::trace::Flush)| {
        let ago = (now.since(f.at) + f.ns) / 1000;
        json!([number, f.database.0, ago, f.ns / 1000, f.bytes, f.commits, f.cause.name()])
    };
    writes.map(row).collect()
}
