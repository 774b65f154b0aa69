//! One sample a second for all viewers, for as long as there is one.

use super::queries;
use super::reader::{JsonRows, Opener, STOPS, Session};
use super::waits::Waits;
use crate::acceptor::STACK_BYTES;
use crate::errorlog::{ErrorLog, Level};
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
    log: Arc<ErrorLog>,
    opener: Opener,
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
    pub(super) fn new(instance: Arc<Instance>, log: Arc<ErrorLog>) -> Sampler {
        let (opener, state, wake) = (Opener::default(), Mutex::default(), Condvar::new());
        Sampler { instance, log, opener, state, wake }
    }

    /// The frames from now on.
    pub(super) fn watch(
        self: &Arc<Self>,
        login: &str,
    ) -> Result<watch::Receiver<Arc<str>>, String> {
        let (own, login, mut session) = (self.clone(), login.to_owned(), None);
        let mut last_flush = flushes().newest().saturating_sub(FLUSHES as u64);
        let mut waits = Waits::default();
        self.watch_what(move || own.sample(&mut session, &login, &mut last_flush, &mut waits))
    }

    /// The frames from now on; those of `take`, if nobody looks yet.
    fn watch_what(
        self: &Arc<Self>,
        take: impl FnMut() -> Json + Send + 'static,
    ) -> Result<watch::Receiver<Arc<str>>, String> {
        let mut state = self.state.lock();
        if state.stopping {
            return Err("The server is about to end.".into());
        }
        if let Some(frames) = &state.frames {
            return Ok(frames.subscribe());
        }
        let (send, receive) = watch::channel(Arc::from(""));
        let own = self.clone();
        let thread = std::thread::Builder::new()
            .name("console sampler".into())
            .stack_size(STACK_BYTES)
            .spawn(move || own.run(take))
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

    /// The same, and ends the thread; a statement that it runs has [`STOPS`] to stop.
    pub(super) fn stop(&self) {
        self.end_streams();
        self.opener.stop();
        let Some(thread) = self.state.lock().thread.take() else { return };
        let due = Instant::now() + STOPS;
        while !thread.is_finished() && Instant::now() < due {
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn run(&self, mut take: impl FnMut() -> Json) {
        let _ended = Ended(self);
        loop {
            let due = Instant::now() + EVERY;
            let frame = take();
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
    fn sample(
        &self,
        session: &mut Option<Session>,
        login: &str,
        last_flush: &mut u64,
        waits: &mut Waits,
    ) -> Json {
        let open = match session.take() {
            Some(open) => Ok(open),
            None => self.opener.open(&self.instance, login),
        };
        let sampled = open.and_then(|mut open| {
            let frame = sample(&mut open)?;
            *session = Some(open);
            Ok(frame)
        });
        match sampled {
            Ok(mut frame) => {
                waits.take();
                frame["waitTypes"] = waits.types();
                frame["waits"] = waits.classes().map(|(name, ms)| json!([name, ms])).collect();
                frame["flushes"] = new_flushes(last_flush);
                frame["uptime"] = self.instance.up_time().as_secs().into();
                frame
            }
            Err(e) => json!({ "error": e }),
        }
    }
}

/// However the thread ends by itself: who looks next has another begin.
struct Ended<'a>(&'a Sampler);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.state.lock().frames = None;
            let text = "The console's figures have stopped by a fault of the server; who looks anew has them again.";
            self.0.log.write(Level::Error, "Server", text);
        }
    }
}

/// One batch: a batch a second is what watching costs.
fn sample(session: &mut Session) -> Result<Json, String> {
    use queries::{COUNTERS, DATABASES, FILES, PROCESSOR, SESSIONS};
    let batch = [COUNTERS, PROCESSOR, FILES, SESSIONS, DATABASES].join(";\n");
    let results: Result<[JsonRows; 5], _> = session.results(&batch)?.try_into();
    let Ok([counters, mut processor, files, sessions, databases]) = results else {
        return Err("A statement of the sample had no result.".into());
    };
    Ok(json!({
        "counters": counters,
        "processor": processor.pop(),
        "files": files,
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

#[cfg(test)]
pub(super) mod tests {
    use super::super::reader::Reader;
    use super::*;
    use std::path::PathBuf;
    use taffrail_engine::InstanceOptions;
    use taffrail_io::Env;

    pub(in super::super) fn with_instance(
        name: &str,
        test: impl FnOnce(&Arc<Instance>, Arc<ErrorLog>),
    ) {
        let dir: PathBuf =
            std::env::temp_dir().join(format!("taffrail-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(&dir).unwrap();
        let instance = taffrail_engine::start(InstanceOptions::new(&dir, Env::os())).unwrap();
        let log = Arc::new(ErrorLog::open(&dir.join("log"), false).unwrap());
        test(&instance, log);
        instance.shutdown().unwrap();
        std::fs::remove_dir_all(&dir).unwrap();
    }

    #[test]
    fn after_a_panic_who_looks_anew_has_frames() {
        with_instance("sampler", |instance, log| {
            let sampler = Arc::new(Sampler::new(instance.clone(), log));
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            let mut first = sampler.watch_what(|| panic!("of the test")).unwrap();
            assert!(runtime.block_on(first.changed()).is_err(), "the stream ends");
            let mut second = sampler.watch("sa").unwrap();
            runtime.block_on(second.changed()).unwrap();
            let frame = second.borrow_and_update().to_string();
            assert!(frame.contains("\"counters\""), "{frame}");
            sampler.stop();
        });
    }

    #[test]
    fn what_is_asked_is_asked_in_the_name_of_who_asks() {
        with_instance("console-names", |instance, log| {
            let reader = Reader::new(instance.clone(), log);
            instance.set_login_password("somebody", "").unwrap();
            let mut somebody = (*instance.login_principal("somebody").unwrap()).clone();
            somebody.login.default_database = "master".into();
            instance.record_login(somebody).unwrap();
            for login in ["sa", "somebody", "sa"] {
                let rows = reader.ask(login, "SELECT ORIGINAL_LOGIN()").unwrap();
                assert_eq!(rows, [json!([login])]);
            }
            reader.stop();
        });
    }

    #[test]
    fn the_end_waits_for_no_statement() {
        with_instance("console-stop", |instance, log| {
            let wait = "WAITFOR DELAY '00:01:00'";
            let reader = Arc::new(Reader::new(instance.clone(), log.clone()));
            let asks = reader.clone();
            let asked = std::thread::spawn(move || asks.ask("sa", wait));
            let sampler = Arc::new(Sampler::new(instance.clone(), log));
            let (own, mut session) = (sampler.clone(), None);
            let frames = sampler.watch_what(move || {
                let open = own.opener.open(&own.instance, "sa");
                let said = session.insert(open.unwrap()).rows(wait);
                said.err().into()
            });
            std::thread::sleep(Duration::from_millis(500));
            let began = Instant::now();
            reader.stop();
            sampler.stop();
            assert!(began.elapsed() < STOPS, "{:?}", began.elapsed());
            assert!(asked.join().unwrap().is_err() && frames.is_ok());
        });
    }
}
