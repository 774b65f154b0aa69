//! One sample a second for all viewers who have the same login, for as long as there is one.
//!
//! A frame is asked in one batch. Of a login that may not see all of it each statement is asked by itself: what is refused stands under
//! `refused` with the server's words, beside what may be seen.

use super::queries::{self, FRAME};
use super::reader::STOPS;
use super::session::{Account, Opener, Session, Trouble};
use super::waits::Waits;
use crate::acceptor::STACK_BYTES;
use crate::errorlog::{ErrorLog, Level};
use parking_lot::{Condvar, Mutex};
use serde_json::{Map, Value as Json, json};
use std::collections::HashMap;
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

/// A sampler for each login that looks.
pub(super) struct Samplers {
    instance: Arc<Instance>,
    log: Arc<ErrorLog>,
    /// None: the server is about to end.
    all: Mutex<Option<HashMap<Account, Arc<Sampler>>>>,
}

impl Samplers {
    pub(super) fn new(instance: Arc<Instance>, log: Arc<ErrorLog>) -> Samplers {
        Samplers { instance, log, all: Mutex::new(Some(HashMap::new())) }
    }

    /// The frames of a login from now on.
    pub(super) fn watch(&self, who: &Account) -> Result<watch::Receiver<Arc<str>>, String> {
        let mut all = self.all.lock();
        let all = all.as_mut().ok_or("The server is about to end.")?;
        // Those for whom nobody looks any more.
        all.retain(|_, sampler| !sampler.is_over());
        let new = || Sampler::new(self.instance.clone(), self.log.clone());
        all.entry(who.clone()).or_insert_with(|| Arc::new(new())).watch(who)
    }

    /// Ends all streams; there are none from now on.
    pub(super) fn end_streams(&self) {
        self.all.lock().iter().flat_map(HashMap::values).for_each(|s| s.end_streams());
    }

    /// Stops the sampler and ends its threads; what they run has [`STOPS`] to stop.
    pub(super) fn stop(&self) {
        let all: Vec<Arc<Sampler>> =
            self.all.lock().take().into_iter().flatten().map(|s| s.1).collect();
        all.iter().for_each(|sampler| sampler.tell_to_stop());
        let due = Instant::now() + STOPS;
        all.iter().for_each(|sampler| sampler.ended(due));
    }
}

/// The frames of one login.
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
    fn new(instance: Arc<Instance>, log: Arc<ErrorLog>) -> Sampler {
        let (opener, state, wake) = (Opener::default(), Mutex::default(), Condvar::new());
        Sampler { instance, log, opener, state, wake }
    }

    /// The frames from now on.
    fn watch(self: &Arc<Self>, who: &Account) -> Result<watch::Receiver<Arc<str>>, String> {
        let mut taken = Taken {
            session: None,
            login: who.name.clone(),
            apart: false,
            last_flush: flushes().newest().saturating_sub(FLUSHES as u64),
            waits: Waits::default(),
        };
        let own = self.clone();
        self.watch_what(move || own.sample(&mut taken))
    }

    /// Nobody looks, and its thread has ended.
    fn is_over(&self) -> bool {
        let state = self.state.lock();
        state.frames.is_none() && state.thread.as_ref().is_none_or(JoinHandle::is_finished)
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

    /// Ends its streams; there are none from now on.
    fn end_streams(&self) {
        let mut state = self.state.lock();
        state.stopping = true;
        state.frames = None;
        drop(state);
        self.wake.notify_all();
    }

    fn tell_to_stop(&self) {
        self.end_streams();
        self.opener.stop();
    }

    /// Waits for the end of the thread until a moment.
    fn ended(&self, due: Instant) {
        let Some(thread) = self.state.lock().thread.take() else { return };
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
    fn sample(&self, taken: &mut Taken) -> Json {
        let open = match taken.session.take() {
            Some(open) => Ok(open),
            None => self.opener.open(&self.instance, &taken.login),
        };
        let sampled = open.and_then(|mut open| {
            let frame = sample(&mut open, &mut taken.apart)?;
            taken.session = Some(open);
            Ok(frame)
        });
        match sampled {
            Ok(mut frame) => {
                taken.waits.take();
                taken.fill(&mut frame);
                frame.insert("uptime".into(), self.instance.up_time().as_secs().into());
                Json::Object(frame)
            }
            Err(e) => json!({ "error": e.text }),
        }
    }
}

/// The state that goes on from one frame to the next.
struct Taken {
    session: Option<Session>,
    login: String,
    /// The last frame had a part that was refused.
    apart: bool,
    last_flush: u64,
    waits: Waits,
}

impl Taken {
    /// Puts in what is taken from the cells behind the views, where the frame's statements have shown that the login may read those.
    fn fill(&mut self, frame: &mut Map<String, Json>) {
        let flushes = new_flushes(&mut self.last_flush);
        if frame.contains_key("flushes") {
            frame.insert("flushes".into(), flushes);
        }
        if frame.contains_key("waitTypes") {
            let classes = self.waits.classes().map(|(name, ms)| json!([name, ms])).collect();
            frame.insert("waits".into(), classes);
            frame.insert("waitTypes".into(), self.waits.types());
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

/// The parts of a frame. One batch: a batch a second is what watching costs whoever may see all of it.
fn sample(session: &mut Session, apart: &mut bool) -> Result<Map<String, Json>, Trouble> {
    if !*apart {
        let batch = FRAME.map(|(_, sql)| sql).join(";\n");
        match session.results(&batch) {
            Ok(results) if results.len() == FRAME.len() => {
                let names = FRAME.iter().map(|(name, _)| (*name).to_owned());
                return Ok(names.zip(results.into_iter().map(Json::from)).collect());
            }
            Ok(_) => return Err("A statement of the sample had no result.".into()),
            Err(e) if !e.is_refusal => return Err(e),
            Err(_) => {}
        }
    }
    let (mut frame, mut refused) = (Map::new(), Map::new());
    for (name, sql) in FRAME {
        match session.rows(sql) {
            Ok(rows) => drop(frame.insert(name.to_owned(), rows.into())),
            Err(e) if e.is_refusal => {
                refused.insert(name.to_owned(), e.text.into());
                if let Some(less) = queries::less(name) {
                    frame.insert(name.to_owned(), session.rows(less)?.into());
                }
            }
            Err(e) => return Err(e),
        }
    }
    *apart = !refused.is_empty();
    if *apart {
        frame.insert("refused".into(), refused.into());
    }
    Ok(frame)
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

    /// The account of a login.
    pub(in super::super) fn account(instance: &Instance, login: &str) -> Account {
        Account::from(&instance.find_login(login).unwrap())
    }

    pub(in super::super) fn sa(instance: &Arc<Instance>) -> Account {
        let sa = instance.sa_name();
        if instance.find_login(&sa).is_none() {
            instance.set_login_password(&sa, "").unwrap();
        }
        account(instance, &sa)
    }

    #[test]
    fn after_a_panic_who_looks_anew_has_frames() {
        with_instance("sampler", |instance, log| {
            let sampler = Arc::new(Sampler::new(instance.clone(), log));
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            let mut first = sampler.watch_what(|| panic!("of the test")).unwrap();
            assert!(runtime.block_on(first.changed()).is_err(), "the stream ends");
            let mut second = sampler.watch(&sa(instance)).unwrap();
            runtime.block_on(second.changed()).unwrap();
            let frame = second.borrow_and_update().to_string();
            assert!(frame.contains("\"counters\""), "{frame}");
            sampler.tell_to_stop();
            sampler.ended(Instant::now() + STOPS);
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
            let all = [sa(instance), account(instance, "somebody"), sa(instance)];
            for who in &all {
                let rows = reader.ask(who, "SELECT ORIGINAL_LOGIN()").unwrap();
                assert_eq!(rows, [json!([who.name])]);
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
            let who = sa(instance);
            let asked = std::thread::spawn(move || asks.ask(&who, wait));
            let sampler = Arc::new(Sampler::new(instance.clone(), log));
            let (own, mut session) = (sampler.clone(), None);
            let frames = sampler.watch_what(move || {
                let open = own.opener.open(&own.instance, "sa");
                let said = session.insert(open.unwrap()).rows(wait);
                said.err().map(|e| e.text).into()
            });
            std::thread::sleep(Duration::from_millis(500));
            let began = Instant::now();
            reader.stop();
            sampler.tell_to_stop();
            sampler.ended(began + STOPS);
            assert!(began.elapsed() < STOPS, "{:?}", began.elapsed());
            assert!(asked.join().unwrap().is_err() && frames.is_ok());
        });
    }
}
