//! Questions in T-SQL, answered as JSON, each by a session of the login that asks.

use super::queries;
use super::session::{Account, Opener, Session, Trouble};
use super::tail::Tail;
use crate::errorlog::ErrorLog;
use parking_lot::{Mutex, MutexGuard};
use serde_json::{Map, Value as Json, json};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use taffrail_engine::Instance;

/// How long a statement may take to stop when the server ends.
pub(super) const STOPS: Duration = Duration::from_secs(5);
/// Answers for as long as they are fresh, so that many viewers cost what one does.
const FRESH: Duration = Duration::from_millis(900);
/// Answers that are kept.
const KEPT: usize = 64;
/// A session that nobody asks anything ends after this long: its login can be dropped then.
const IDLE: Duration = Duration::from_secs(5);

/// Whose, of what, and which.
type Answers = HashMap<(Account, &'static str, u16), (Instant, Arc<str>)>;

/// The session of a login, for what is asked now and then.
struct OfLogin {
    opener: Opener,
    session: Mutex<Option<Session>>,
    used: Mutex<Instant>,
}

/// A session for each login that asks.
pub(super) struct Reader {
    instance: Arc<Instance>,
    /// None: the server is about to end.
    places: Mutex<Option<HashMap<Account, Arc<OfLogin>>>>,
    answers: Mutex<Answers>,
    log: Arc<ErrorLog>,
    tail: Mutex<Tail>,
}

impl Reader {
    pub(super) fn new(instance: Arc<Instance>, log: Arc<ErrorLog>) -> Reader {
        Reader {
            instance,
            places: Mutex::new(Some(HashMap::new())),
            answers: Mutex::default(),
            log,
            tail: Mutex::default(),
        }
    }

    /// Ends the sessions; what they do they stop, for which they have [`STOPS`].
    pub(super) fn stop(&self) {
        let places: Vec<Arc<OfLogin>> =
            self.places.lock().take().into_iter().flatten().map(|p| p.1).collect();
        places.iter().for_each(|place| place.opener.stop());
        let due = Instant::now() + STOPS;
        for place in places {
            if let Some(mut session) = place.session.try_lock_until(due) {
                session.take();
            }
        }
    }

    /// Ends sessions that nobody has asked anything for a while; whether there are any left.
    pub(super) fn sweep(&self) -> bool {
        let mut places = self.places.lock();
        let Some(places) = &mut *places else { return false };
        // One that is being asked is locked.
        let goes_on = |p: &OfLogin| p.used.lock().elapsed() < IDLE || p.session.is_locked();
        places.retain(|_, place| goes_on(place));
        !places.is_empty()
    }

    pub(super) fn has_sessions(&self) -> bool {
        self.places.lock().as_ref().is_some_and(|places| !places.is_empty())
    }

    fn place(&self, who: &Account) -> Result<Arc<OfLogin>, Trouble> {
        let mut places = self.places.lock();
        let places = places.as_mut().ok_or("The server is about to end.")?;
        let new = || OfLogin {
            opener: Opener::default(),
            session: Mutex::default(),
            used: Mutex::new(Instant::now()),
        };
        let place = places.entry(who.clone()).or_insert_with(|| Arc::new(new()));
        *place.used.lock() = Instant::now();
        Ok(place.clone())
    }

    /// Runs something in the login's session; one that has failed is not used again, unless that was for want of a permission.
    pub(super) fn with<R>(
        &self,
        who: &Account,
        run: impl FnOnce(&mut Session) -> Result<R, Trouble>,
    ) -> Result<R, Trouble> {
        let place = self.place(who)?;
        let mut session = place.session.lock();
        let mut open = match session.take() {
            Some(open) => open,
            None => place.opener.open(&self.instance, &who.name)?,
        };
        let result = run(&mut open);
        *place.used.lock() = Instant::now();
        if result.as_ref().err().is_none_or(|e| e.is_refusal) {
            *session = Some(open);
        }
        result
    }

    /// What the page of a log shows.
    pub(super) fn log(&self, who: &Account, db: u16) -> Result<Arc<str>, Trouble> {
        let parts = [
            ("state", queries::log_state(db)),
            ("vlfs", queries::vlfs(db)),
            ("growths", queries::growths(db)),
            ("holders", queries::log_holders(db)),
        ];
        self.fresh(who, ("log", db), |session| {
            let mut answer = told(&parts, |_, sql| session.rows(sql).map(Json::from))?;
            let state = answer.get("state").and_then(|rows| rows.get(0).cloned());
            answer.insert("state".into(), state.unwrap_or_default());
            Ok(Json::Object(answer))
        })
    }

    /// What a page shows that asks for rows of its own; none: there is no such page.
    pub(super) fn page(&self, who: &Account, name: &str) -> Option<Result<Arc<str>, Trouble>> {
        let (name, statements) = queries::page(name)?;
        Some(self.fresh(who, (name, 0), |session| {
            let answer = told(statements, |of, sql| match of {
                "errorLog" => self.tail(session).map(|tail| tail.newest()),
                "errors" => self.tail(session).map(|tail| tail.errors()),
                _ => session.rows(sql).map(Json::from),
            })?;
            Ok(Json::Object(answer))
        }))
    }

    /// The end of the error log as it is now, for who may read it. The statements that the pages show have the same rows, by reading all
    /// of it.
    fn tail(&self, session: &mut Session) -> Result<MutexGuard<'_, Tail>, Trouble> {
        session.may(queries::MAY_READ_ERROR_LOG)?;
        let mut tail = self.tail.lock();
        let followed = tail.follow(&self.log);
        followed.map_err(|e| format!("The error log cannot be read: {e}."))?;
        Ok(tail)
    }

    /// An answer that is fresh, by a session or by the same login's question just now.
    fn fresh(
        &self,
        who: &Account,
        (of, which): (&'static str, u16),
        ask: impl FnOnce(&mut Session) -> Result<Json, Trouble>,
    ) -> Result<Arc<str>, Trouble> {
        let key = (who.clone(), of, which);
        let known = |answers: &Answers| {
            let (at, answer) = answers.get(&key)?;
            (at.elapsed() < FRESH).then(|| answer.clone())
        };
        if let Some(answer) = known(&self.answers.lock()) {
            return Ok(answer);
        }
        let answer: Arc<str> = self.with(who, ask)?.to_string().into();
        let mut answers = self.answers.lock();
        if answers.len() >= KEPT {
            answers.clear();
        }
        answers.insert(key, (Instant::now(), answer.clone()));
        Ok(answer)
    }

    /// The rows of a statement that no page shows.
    #[cfg(test)]
    pub(super) fn ask(&self, who: &Account, sql: &str) -> Result<Vec<Json>, Trouble> {
        self.with(who, |session| session.rows(sql))
    }

    /// Whether a login may see what is taken from elsewhere than a statement; an error: the refusal.
    pub(super) fn may(&self, who: &Account, sql: &str) -> Result<(), Trouble> {
        self.with(who, |session| session.may(sql))
    }

    /// What the ring of an event session has; none: it has no ring, or does not run.
    pub(super) fn ring(&self, who: &Account, session: &str) -> Result<Json, Trouble> {
        let rows = self.with(who, |own| own.rows(&queries::ring(session)))?;
        Ok(json!({ "xml": rows.first().map(|row| row[0].clone()) }))
    }

    /// Starts or stops an event session.
    pub(super) fn event_session(&self, who: &Account, name: &str, on: bool) -> Result<(), Trouble> {
        self.with(who, |own| own.rows(&queries::event_session(name, on)).map(|_| ()))
    }

    /// KILL.
    pub(super) fn kill(&self, who: &Account, session: u16) -> Result<(), Trouble> {
        self.with(who, |own| own.rows(&format!("KILL {session}")).map(|_| ()))
    }
}

/// The rows of each part under its name, and under `refused` the words with which a part was; an error where all are.
fn told<S: AsRef<str>>(
    parts: &[(&'static str, S)],
    mut rows: impl FnMut(&str, &str) -> Result<Json, Trouble>,
) -> Result<Map<String, Json>, Trouble> {
    let (mut answer, mut refused, mut first) = (Map::new(), Map::new(), None);
    for (of, sql) in parts {
        match rows(of, sql.as_ref()) {
            Ok(rows) => drop(answer.insert((*of).to_owned(), rows)),
            Err(e) if e.is_refusal => {
                refused.insert((*of).to_owned(), e.text.clone().into());
                first.get_or_insert(e);
            }
            Err(e) => return Err(e),
        }
    }
    if answer.is_empty()
        && let Some(e) = first
    {
        return Err(e);
    }
    if !refused.is_empty() {
        answer.insert("refused".into(), refused.into());
    }
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use super::super::sampler::tests::{sa, with_instance};
    use super::*;

    #[test]
    fn what_is_refused_is_told_by_part_and_only_all_of_it_is_an_error() {
        let no = |text: &str| Err(Trouble { text: text.into(), is_refusal: true });
        let parts = [("a", "1"), ("b", "2")];
        let some = told(&parts, |of, _| if of == "a" { no("No a.") } else { Ok(json!([1])) });
        assert_eq!(Json::Object(some.unwrap()), json!({ "b": [1], "refused": { "a": "No a." } }));
        let all = told(&parts, |of, _| no(of)).unwrap_err();
        assert!(all.is_refusal && all.text == "a", "{all:?}");
        assert!(!told(&parts, |_, _| Err("It is broken.".into())).unwrap_err().is_refusal);
        let none = told(&parts, |_, sql| Ok(sql.into())).unwrap();
        assert_eq!(Json::Object(none), json!({ "a": "1", "b": "2" }));
    }

    #[test]
    fn a_session_that_nobody_asks_anything_ends() {
        with_instance("console-idle", |instance, log| {
            let reader = Reader::new(instance.clone(), log);
            let who = sa(instance);
            reader.ask(&who, "SELECT 1").unwrap();
            assert!(reader.sweep() && instance.sessions().len() == 1);
            let place = reader.place(&who).unwrap();
            *place.used.lock() = Instant::now().checked_sub(IDLE).unwrap();
            drop(place);
            assert!(!reader.sweep() && instance.sessions().is_empty());
            reader.stop();
            assert!(reader.ask(&who, "SELECT 1").is_err(), "the server ends");
        });
    }
}
