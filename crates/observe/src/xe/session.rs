//! Sessions that run: which events they want, and where those go.

use super::events::{EVENT_COUNT, Event, EventInfo};
use super::predicate::Predicate;
use super::targets::Target;
use super::value::{Action, Val};
use crate::moment::Moment;
use crate::session::with_current;
use std::borrow::Cow;
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::*};
use std::sync::{Arc, PoisonError, RwLock};

/// The knowledge of an event's surroundings that only the server has.
pub trait Surroundings: Send + Sync {
    /// An action of a session; `database` is what the session's cell says. Called in the middle of whatever goes on: it
    /// must not wait for anything that is held while an event occurs.
    fn action(&self, session: u16, database: u16, action: Action) -> Val;

    /// The text of the statement that a session runs; as [`Self::action`].
    fn statement(&self, session: u16) -> Val;
}

/// An event that a session wants.
#[derive(Debug)]
pub struct Wanted {
    /// The description of the event.
    pub info: &'static EventInfo,
    /// Only where this holds.
    pub predicate: Option<Predicate>,
    /// The actions: values recorded beside the event's fields.
    pub actions: Vec<Action>,
    /// Fields that are left empty, a bit each.
    pub left_out: u32,
}

/// An event as it was recorded.
#[derive(Debug)]
pub struct Recorded {
    /// The event of the session that was met.
    pub wanted: Arc<Wanted>,
    /// The moment when the event occurred.
    pub at: Moment,
    /// The values of the fields, in order.
    pub fields: Vec<Val>,
    /// The values of the actions, in order.
    pub actions: Vec<Val>,
}

impl Recorded {
    /// About so many bytes.
    pub fn size(&self) -> usize {
        let values = self.fields.iter().chain(&self.actions);
        size_of::<Recorded>() + values.map(Val::size).sum::<usize>()
    }
}

/// A session that runs.
pub struct Running {
    /// The session's number, `event_session_id`.
    pub id: i32,
    /// The name of the session.
    pub name: Arc<str>,
    /// Whose it is: several servers in one process (tests) do not see each other's.
    pub owner: usize,
    /// The events that the session wants.
    pub events: Vec<Arc<Wanted>>,
    /// The targets that receive the events.
    pub targets: Vec<Arc<Target>>,
    /// The moment of its start, and the same by the clock: 100 ns since 0001-01-01, UTC.
    pub started: (Moment, u64),
    /// The source of values that the events have not.
    pub surroundings: Arc<dyn Surroundings>,
    sequence: AtomicU64,
}

impl Running {
    /// A session that is about to run.
    pub fn new(
        (id, name, owner): (i32, Arc<str>, usize),
        events: Vec<Wanted>,
        targets: Vec<Arc<Target>>,
        utc: u64,
        surroundings: Arc<dyn Surroundings>,
    ) -> Running {
        let (started, sequence) = ((Moment::now(), utc), AtomicU64::new(0));
        let events = events.into_iter().map(Arc::new).collect();
        Running { id, name, owner, events, targets, started, surroundings, sequence }
    }

    /// When an event was, 100 ns since 0001-01-01, UTC.
    pub fn utc(&self, at: Moment) -> u64 {
        self.started.1 + at.since(self.started.0) / 100
    }

    fn action(&self, action: Action) -> Val {
        let cell = |f: fn(&crate::SessionCell) -> u64| with_current(f).unwrap_or(0);
        let session = || cell(|c| u64::from(c.session_id())) as u16;
        let database = || cell(|c| u64::from(c.database_id.load(Relaxed))) as u16;
        match action {
            Action::EventSequence => Val::from(self.sequence.fetch_add(1, Relaxed) + 1),
            Action::SessionId => Val::from(session()),
            Action::DatabaseId => Val::from(database()),
            Action::AttachActivityId => Val::Text(ACTIVITY.get().shown().into()),
            Action::IsSystem => Val::from(session() <= 50),
            Action::RequestId | Action::NumaNodeId => Val::from(0),
            Action::CollectSystemTime => Val::from(self.utc(Moment::now())),
            Action::ProcessId => Val::from(std::process::id()),
            // `internal` and `default`: there are no others.
            Action::SessionResourceGroupId | Action::SessionResourcePoolId => {
                Val::from(if session() <= 50 { 1 } else { 2 })
            }
            Action::TransactionId => Val::from(cell(|c| c.transaction_id.load(Relaxed))),
            // No login comes from a domain.
            Action::NtUsername | Action::SessionNtUsername => Val::text(""),
            other => self.surroundings.action(session(), database(), other),
        }
    }

    /// The name of the database in an event's field `database_id`.
    fn database_name(&self, info: &EventInfo, fields: &[Val]) -> Val {
        match info.field("database_id").map(|n| &fields[n]) {
            Some(Val::Number(n)) => {
                self.surroundings.action(0, u16::try_from(*n).unwrap_or(0), Action::DatabaseName)
            }
            _ => Val::Empty,
        }
    }

    fn occurred(&self, event: Event, fields: &[Val], at: Moment) {
        for wanted in &self.events {
            if wanted.info.event != event {
                continue;
            }
            let left_out = |n: usize| wanted.left_out >> n & 1 == 1;
            // Where it happens only the number of the database is known.
            let asked = |n: &usize| {
                fields[*n] == Val::Empty && (wanted.predicate.is_some() || !left_out(*n))
            };
            let unnamed = wanted.info.field("database_name").filter(asked);
            let mut named = Cow::Borrowed(fields);
            if event == Event::LockEscalation
                && let Some(n) = wanted.info.field("statement").filter(asked)
            {
                let session = with_current(|c| c.session_id()).unwrap_or_default();
                named.to_mut()[n] = self.surroundings.statement(session);
            }
            if let Some(n) = unnamed {
                let name = self.database_name(wanted.info, fields);
                named.to_mut()[n] = name;
            }
            let holds = |p: &Predicate| p.holds(&named, &mut |a| self.action(a));
            if !wanted.predicate.as_ref().is_none_or(holds) {
                continue;
            }
            let kept = named.iter().enumerate();
            let fields = kept.map(|(n, v)| if left_out(n) { Val::Empty } else { v.clone() });
            let recorded = Arc::new(Recorded {
                wanted: wanted.clone(),
                at,
                fields: fields.collect(),
                actions: wanted.actions.iter().map(|a| self.action(*a)).collect(),
            });
            self.targets.iter().for_each(|t| t.add(&recorded));
        }
    }
}

static RUNNING: RwLock<Vec<Arc<Running>>> = RwLock::new(Vec::new());
static WANTED: [AtomicBool; EVENT_COUNT] = [const { AtomicBool::new(false) }; EVENT_COUNT];
static STATEMENTS: AtomicBool = AtomicBool::new(false);
/// Waits shorter than this, ns, are of no interest to anybody.
static SHORTEST_WAIT: AtomicU64 = AtomicU64::new(u64::MAX);

thread_local! {
    /// True while this thread tells an event: events of that work are not told.
    static TELLING: Cell<bool> = const { Cell::new(false) };
    static ACTIVITY: Cell<Activity> = const { Cell::new(Activity::NONE) };
}

/// The work that a thread does just now: a request of a session, or another task.
#[derive(Clone, Copy)]
struct Activity {
    /// The session, and when its request began.
    of: (u16, u64),
    guid: u128,
    /// How many of its events have been told.
    sequence: u32,
}

impl Activity {
    const NONE: Activity = Activity { of: (0, 0), guid: 0, sequence: 0 };
    /// Of a request whose beginning is not noted yet.
    const BEGINNING: (u16, u64) = (u16::MAX, u64::MAX);

    /// The next event of the same request, or the first of another.
    fn next(self) -> Activity {
        let of = with_current(|c| (c.session_id(), c.request_started.load(Relaxed)));
        let of = of.unwrap_or_default();
        match self.guid {
            guid if guid != 0 && (self.of == of || self.of == Activity::BEGINNING) => {
                Activity { of, sequence: self.sequence + 1, ..self }
            }
            _ => Activity { of, guid: guid(), sequence: 1 },
        }
    }

    fn shown(self) -> String {
        let hex = format!("{:032X}", self.guid);
        let [a, b, c, d] = [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20]];
        format!("{a}-{b}-{c}-{d}-{}-{}", &hex[20..], self.sequence)
    }
}

/// The session of this thread begins a request; `tell` tells of that, before it is noted.
pub fn activity_begins(tell: impl FnOnce()) {
    ACTIVITY.set(Activity::NONE);
    tell();
    ACTIVITY.set(Activity { of: Activity::BEGINNING, ..ACTIVITY.get() });
}

/// A random one (version 4). The keys of a hash are random, and each one is another.
fn guid() -> u128 {
    use std::hash::{BuildHasher, RandomState};
    let half = || u128::from(RandomState::new().hash_one(Moment::now().0));
    let random = half() << 64 | half();
    random & !(0xf << 76) & !(0x3 << 62) | 0x4 << 76 | 0x2 << 62
}

/// Somebody wants this event: one load, and a branch.
#[inline]
pub fn wanted(event: Event) -> bool {
    WANTED[event as usize].load(Relaxed)
}

/// Somebody wants one of the events of statements.
#[inline]
pub fn statements_wanted() -> bool {
    STATEMENTS.load(Relaxed)
}

/// Somebody wants waits that have lasted so long.
#[inline]
pub fn wait_wanted(ns: u64) -> bool {
    ns >= SHORTEST_WAIT.load(Relaxed)
}

/// An event has occurred, on the thread of the session whose it is. Asked for only when it is [`wanted`].
#[cold]
pub fn tell(event: Event, fields: &[Val]) {
    assert_eq!(fields.len(), event.info().fields.len(), "a value for each field of {event:?}");
    if TELLING.replace(true) {
        return;
    }
    ACTIVITY.set(ACTIVITY.get().next());
    let at = Moment::now();
    let running = RUNNING.read().unwrap_or_else(PoisonError::into_inner).clone();
    running.iter().for_each(|s| s.occurred(event, fields, at));
    TELLING.set(false);
}

/// The same, told to one session only.
pub fn tell_to(session: &Running, event: Event, fields: &[Val]) {
    assert_eq!(fields.len(), event.info().fields.len(), "a value for each field of {event:?}");
    quietly(|| session.occurred(event, fields, Moment::now()));
}

/// Runs `f`; its events on this thread are told to no session.
pub fn quietly<R>(f: impl FnOnce() -> R) -> R {
    let before = TELLING.replace(true);
    let result = f();
    TELLING.set(before);
    result
}

/// A wait has ended.
#[cold]
pub(crate) fn tell_wait(wait: crate::WaitType, ns: u64, signal_ns: u64) {
    let (key, ms, signal) = (wait as u16, ns / 1_000_000, signal_ns / 1_000_000);
    // The thread had left it to the system.
    if wait.name().starts_with("PREEMPTIVE_") {
        if wanted(Event::WaitInfoExternal) {
            tell(Event::WaitInfoExternal, &[key.into(), 1.into(), ms.into()]);
        }
        return;
    }
    if wanted(Event::WaitInfo) {
        let fields = [key.into(), 1.into(), ms.into(), signal.into(), 0.into()];
        tell(Event::WaitInfo, &fields);
    }
    if wanted(Event::WaitCompleted) {
        tell(Event::WaitCompleted, &[key.into(), ms.into(), signal.into(), 0.into()]);
    }
}

/// The sessions that run, of one server.
pub fn running(owner: usize) -> Vec<Arc<Running>> {
    let all = RUNNING.read().unwrap_or_else(PoisonError::into_inner);
    all.iter().filter(|s| s.owner == owner).cloned().collect()
}

fn change(how: impl FnOnce(&mut Vec<Arc<Running>>)) {
    let mut all = RUNNING.write().unwrap_or_else(PoisonError::into_inner);
    how(&mut all);
    for (n, wanted) in WANTED.iter().enumerate() {
        let by = |s: &Arc<Running>| s.events.iter().any(|e| e.info.event as usize == n);
        wanted.store(all.iter().any(by), Relaxed);
    }
    let statements = [
        Event::SqlStatementStarting,
        Event::SqlStatementCompleted,
        Event::SpStatementStarting,
        Event::SpStatementCompleted,
    ];
    STATEMENTS.store(statements.into_iter().any(wanted), Relaxed);
    let shortest = |w: &Arc<Wanted>| {
        let duration = match w.info.event {
            Event::WaitInfo | Event::WaitInfoExternal => 2,
            Event::WaitCompleted => 1,
            _ => return None,
        };
        let least = w.predicate.as_ref().map_or(0, |p| p.least(duration));
        Some(least.saturating_mul(1_000_000))
    };
    let all = all.iter().flat_map(|s| &s.events).filter_map(shortest);
    SHORTEST_WAIT.store(all.min().unwrap_or(u64::MAX), Relaxed);
}

/// A session begins to run.
pub fn start(session: Arc<Running>) {
    change(|all| all.push(session));
}

/// The session gets no events any more.
pub fn stop(session: &Arc<Running>) {
    change(|all| all.retain(|s| !Arc::ptr_eq(s, session)));
}

/// All of a server's end.
pub fn stop_all(owner: usize) {
    change(|all| all.retain(|s| s.owner != owner));
}
