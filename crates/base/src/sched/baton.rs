//! Threads that hand the baton on: how they begin, live, sleep and end.

use std::any::Any;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, Location, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, Once, PoisonError};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

use super::state::{Doing, State, Strategy, TaskState, next};

/// The source of a run's decisions, and its limit.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Decisions come from here.
    pub seed: u64,
    /// These decisions instead, by step; at every other one goes on.
    pub decisions: Option<Vec<(u64, u32)>>,
    /// A run of more steps is one without end.
    pub most_steps: u64,
}

impl Plan {
    /// All decisions from a seed.
    pub fn new(seed: u64) -> Plan {
        Plan { seed, decisions: None, most_steps: 3_000_000 }
    }

    /// A plan of these decisions only.
    pub fn only(seed: u64, decisions: Vec<(u64, u32)>) -> Plan {
        Plan { decisions: Some(decisions), ..Plan::new(seed) }
    }
}

/// A run that came to its end.
#[derive(Clone, Debug)]
pub struct Ran<R> {
    /// The result of the body.
    pub result: R,
    /// The number of steps.
    pub steps: u64,
    /// How often the baton went to another thread.
    pub switches: u64,
    /// A hash of the turns: equal for two runs that did the same.
    pub fingerprint: u64,
    /// Decisions other than to go on.
    pub decisions: Vec<(u64, u32)>,
}

/// A run that failed: a panic, a deadlock, or no end.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The failure, where each thread slept, and the last turns.
    pub text: String,
    /// Decisions other than to go on, for [`Plan::only`].
    pub decisions: Vec<(u64, u32)>,
    /// The number of steps until then.
    pub steps: u64,
}

/// A thread that takes turns.
#[derive(Clone)]
pub struct Task {
    schedule: Arc<Schedule>,
    index: usize,
}

struct Schedule {
    state: Mutex<State>,
    over: Condvar,
    began: Instant,
}

static SCHEDULES: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static TASK: RefCell<Option<Task>> = const { RefCell::new(None) };
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

pub(super) fn task() -> Option<Task> {
    if SCHEDULES.load(Ordering::Relaxed) == 0 {
        return None;
    }
    TASK.try_with(|t| t.borrow().clone()).ok().flatten()
}

/// True on a thread that takes turns.
pub fn is_scheduled() -> bool {
    task().is_some()
}

/// The schedule's time, on a thread that takes turns.
pub fn now() -> Option<Instant> {
    let task = task()?;
    let now = task.schedule.lock().now;
    Some(task.schedule.began + Duration::from_nanos(now))
}

/// Has something done so many steps later, by whoever comes there: a loss of power, for one. The caller takes turns; there is one
/// such thing at a time.
pub fn after(steps: u64, deed: impl FnOnce() + Send + 'static) {
    if let Some(task) = task() {
        let mut s = task.schedule.lock();
        let step = s.step + steps;
        s.hook = Some((step, Box::new(deed)));
    }
}

/// It is not done any more, if it has not been.
pub fn call_off() {
    if let Some(task) = task() {
        task.schedule.lock().hook = None;
    }
}

/// Panics of threads that take turns are told by the run's end.
fn keep_panics_quiet() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| match is_scheduled() {
            true => PANIC.with(|p| {
                let mut text = p.borrow_mut();
                if text.is_empty() {
                    *text = info.to_string();
                }
            }),
            false => before(info),
        }));
    });
}

/// Runs `body`, and all threads that it starts, by the plan; returns when all of them have ended, or one has failed.
pub fn run<R: Send + 'static>(
    plan: &Plan,
    body: impl FnOnce() -> R + Send + 'static,
) -> Result<Ran<R>, Failure> {
    keep_panics_quiet();
    let mut rng = plan.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5eed;
    let one_in = [3, 10, 30, 100, 300][next(&mut rng) as usize % 5];
    let strategy = match (&plan.decisions, next(&mut rng) % 3) {
        (Some(_), _) => Strategy::Told,
        (None, 0) => Strategy::Priorities(one_in * 4),
        (None, _) => Strategy::Walk(one_in),
    };
    let schedule = Arc::new(Schedule {
        state: Mutex::new(State {
            rng,
            strategy,
            told: plan.decisions.iter().flatten().copied().collect(),
            made: Vec::new(),
            tasks: Vec::new(),
            running: None,
            step: 0,
            most_steps: plan.most_steps,
            now: 0,
            wakes: u64::MAX,
            switches: 0,
            fingerprint: 0xcbf2_9ce4_8422_2325,
            turns: VecDeque::new(),
            hook: None,
            idle_since: 0,
            failure: None,
        }),
        over: Condvar::new(),
        began: Instant::now(),
    });
    SCHEDULES.fetch_add(1, Ordering::SeqCst);
    let first = schedule.enlist("main", false);
    let it = first.clone();
    let thread = std::thread::spawn(move || it.live(body));
    // Before its first turn: others can unpark it as well.
    first.is_thread(thread.thread().id());
    schedule.lock().hand_to(first.index);
    let outcome = schedule.await_end();
    SCHEDULES.fetch_sub(1, Ordering::SeqCst);
    outcome?;
    let result = thread.join().unwrap_or_else(|p| resume_unwind(p));
    let Ok(result) = result else { unreachable!("a panic is a failure") };
    let s = schedule.lock();
    Ok(Ran {
        result,
        steps: s.step,
        switches: s.switches,
        fingerprint: s.fingerprint,
        decisions: s.made.clone(),
    })
}

/// A thread that takes turns, to wait for.
pub struct JoinHandle<T> {
    task: Task,
    thread: std::thread::JoinHandle<Result<T, Box<dyn Any + Send>>>,
}

impl<T> JoinHandle<T> {
    /// The thread, to unpark it.
    pub fn thread(&self) -> std::thread::Thread {
        self.thread.thread().clone()
    }

    /// Waits for its end.
    #[track_caller]
    pub fn join(self) -> T {
        wait_for_end(&self.task);
        match self.thread.join() {
            Ok(Ok(value)) => value,
            Ok(Err(panic)) | Err(panic) => resume_unwind(panic),
        }
    }
}

#[track_caller]
fn wait_for_end(other: &Task) {
    let me = task().expect("only who takes turns waits for another who does");
    while other.schedule.lock().tasks[other.index].doing != Doing::Ended {
        me.sleep(end_key(other.index), None);
    }
}

fn end_key(index: usize) -> usize {
    usize::MAX - 2 * index
}

fn park_key(index: usize) -> usize {
    usize::MAX - 2 * index - 1
}

/// Starts a thread that takes turns. The caller is one as well.
pub fn spawn<T: Send + 'static>(
    name: &str,
    f: impl FnOnce() -> T + Send + 'static,
) -> JoinHandle<T> {
    start(name, false, f)
}

/// The same, for a thread that only serves others: a run in which nobody else goes on has failed.
pub fn spawn_daemon<T: Send + 'static>(
    name: &str,
    f: impl FnOnce() -> T + Send + 'static,
) -> JoinHandle<T> {
    start(name, true, f)
}

fn start<T: Send + 'static>(
    name: &str,
    daemon: bool,
    f: impl FnOnce() -> T + Send + 'static,
) -> JoinHandle<T> {
    let me = task().expect("only who takes turns starts others who do");
    let task = me.schedule.enlist(name, daemon);
    let it = task.clone();
    let thread = std::thread::spawn(move || it.live(f));
    task.is_thread(thread.thread().id());
    me.point();
    JoinHandle { task, thread }
}

/// Calls `work` with 0 to `helpers`, at the same time, 0 on the caller's thread.
pub fn together(name: &str, helpers: usize, work: &(dyn Fn(usize) + Sync)) {
    let me = task().expect("only who takes turns starts others who do");
    std::thread::scope(|scope| {
        let enlist = |n| (n, me.schedule.enlist(&format!("{name} {n}"), false));
        let all: Vec<(usize, Task)> = (1..=helpers).map(enlist).collect();
        for (n, task) in all.clone() {
            let it = task.clone();
            let thread = scope.spawn(move || it.live(|| work(n)));
            task.is_thread(thread.thread().id());
        }
        me.point();
        work(0);
        all.iter().for_each(|(_, task)| wait_for_end(task));
    });
}

impl Schedule {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[track_caller]
    fn enlist(self: &Arc<Schedule>, name: &str, daemon: bool) -> Task {
        let mut s = self.lock();
        let priority = s.random() >> 1 | 1 << 40;
        s.tasks.push(TaskState {
            name: name.into(),
            daemon,
            doing: Doing::Ready,
            turn: Arc::default(),
            thread: None,
            token: false,
            timed_out: false,
            priority,
            place: Location::caller(),
        });
        Task { schedule: self.clone(), index: s.tasks.len() - 1 }
    }

    /// The caller takes no turns.
    fn await_end(&self) -> Result<(), Failure> {
        let mut s = self.lock();
        let (mut seen, mut since) = (s.step, Instant::now());
        loop {
            if s.failure.is_none() && s.tasks.iter().all(|t| t.doing == Doing::Ended) {
                return Ok(());
            }
            if s.failure.is_none() && since.elapsed() > Duration::from_secs(60) {
                let stuck = s.running.map_or("nobody", |r| &s.tasks[r].name).to_owned();
                s.fail(format!("{stuck} holds the baton, and does not come back"));
            }
            if let Some(text) = s.failure.take() {
                s.failure = Some(String::new());
                return Err(Failure { text, decisions: s.made.clone(), steps: s.step });
            }
            let wait = Duration::from_secs(5);
            s = self.over.wait_timeout(s, wait).unwrap_or_else(PoisonError::into_inner).0;
            if seen != s.step {
                (seen, since) = (s.step, Instant::now());
            }
        }
    }
}

impl Task {
    fn is_thread(&self, id: ThreadId) {
        self.schedule.lock().tasks[self.index].thread = Some(id);
    }

    /// Runs the thread's body in turns: waits for the first, and passes the baton at the end.
    fn live<T>(self, f: impl FnOnce() -> T) -> Result<T, Box<dyn Any + Send>> {
        drop(self.wait_turn(self.schedule.lock()));
        TASK.with(|t| *t.borrow_mut() = Some(self.clone()));
        let result = catch_unwind(AssertUnwindSafe(f));
        TASK.with(|t| t.borrow_mut().take());
        let mut s = self.schedule.lock();
        if result.is_err() {
            let text = PANIC.with(|p| std::mem::take(&mut *p.borrow_mut()));
            let name = s.tasks[self.index].name.clone();
            s.fail(format!("{name}: {text}"));
        }
        s.tasks[self.index].doing = Doing::Ended;
        s.wake(end_key(self.index));
        // A step of its own: one decision at each.
        s.step += 1;
        s.hand_on(self.index);
        self.schedule.over.notify_all();
        result
    }

    fn wait_turn<'s>(&'s self, mut s: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        let turn = s.tasks[self.index].turn.clone();
        loop {
            if s.failure.is_some() {
                self.schedule.over.notify_all();
            } else if s.running == Some(self.index) {
                return s;
            }
            s = turn.wait(s).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// One step on, and what is to be done there.
    fn step(&self, place: &'static Location<'static>) -> MutexGuard<'_, State> {
        let mut s = self.schedule.lock();
        if let Some(hook) = s.advance(self.index, place) {
            drop(s);
            hook();
            s = self.schedule.lock();
        }
        // A failed run goes no further.
        if s.failure.is_some() && !std::thread::panicking() {
            s = self.wait_turn(s);
        }
        s
    }

    /// Another may come here.
    #[track_caller]
    pub fn point(&self) {
        self.point_at(Location::caller());
    }

    /// Another may come here, which is shown as `place`.
    pub fn point_at(&self, place: &'static Location<'static>) {
        let mut s = self.step(place);
        let me = self.index;
        let wants = match s.strategy {
            Strategy::Walk(n) => s.random().is_multiple_of(n),
            Strategy::Priorities(n) => {
                if s.random().is_multiple_of(n) {
                    s.tasks[me].priority = u64::from(u32::MAX).saturating_sub(s.step);
                }
                true
            }
            Strategy::Told => s.told.contains_key(&s.step),
        };
        if !wants {
            return;
        }
        let others = s.others(me);
        let n = others.len();
        if n == 0 {
            return;
        }
        let best = (0..n).max_by_key(|&i| s.tasks[others[i]].priority).unwrap_or(0);
        let value = s.decide(n + 1, |s| match s.strategy {
            Strategy::Priorities(_) => {
                let higher = s.tasks[others[best]].priority > s.tasks[me].priority;
                if higher { best + 1 } else { 0 }
            }
            _ => 1 + s.random() as usize % n,
        });
        if value > 0 {
            s.hand_to(others[value - 1]);
            drop(self.wait_turn(s));
        }
    }

    /// Another comes, if one is ready.
    #[track_caller]
    pub fn yield_now(&self) {
        let mut s = self.step(Location::caller());
        s.tasks[self.index].priority = u64::from(u32::MAX).saturating_sub(s.step);
        if s.others(self.index).is_empty() {
            // Whoever spins waits for one who sleeps.
            if s.wakes == u64::MAX {
                return;
            }
            s.now = s.now.max(s.wakes);
            s.wake_by_time();
        }
        s.hand_on(self.index);
        drop(self.wait_turn(s));
    }

    /// A number below `n` from the seed; 0 if nothing is said.
    #[track_caller]
    pub fn choose(&self, n: usize) -> usize {
        let mut s = self.step(Location::caller());
        s.decide(n, |s| s.random() as usize % n)
    }

    /// Sleeps until somebody wakes who sleeps on the key, or for so long. True: its time was over.
    #[track_caller]
    pub fn sleep(&self, on: usize, at_most: Option<Duration>) -> bool {
        let mut s = self.step(Location::caller());
        let until = at_most.map(|d| s.now.saturating_add(d.as_nanos() as u64));
        s.wakes = s.wakes.min(until.unwrap_or(u64::MAX));
        s.tasks[self.index].doing = Doing::Asleep { on, until };
        s.tasks[self.index].timed_out = false;
        s.hand_on(self.index);
        let s = self.wait_turn(s);
        s.tasks[self.index].timed_out
    }

    /// Sleeps for so long.
    #[track_caller]
    pub fn sleep_for(&self, d: Duration) {
        self.sleep(0, Some(d));
    }

    /// All who sleep on the key are ready.
    pub fn wake_all(&self, on: usize) {
        self.schedule.lock().wake(on);
    }

    /// One of them is, whichever.
    pub fn wake_one(&self, on: usize) {
        let mut s = self.schedule.lock();
        let asleep = |t: &TaskState| matches!(t.doing, Doing::Asleep { on: o, .. } if o == on);
        let all: Vec<usize> = (0..s.tasks.len()).filter(|&i| asleep(&s.tasks[i])).collect();
        if let Some(last) = all.len().checked_sub(1) {
            s.step += 1;
            let value = s.decide(last + 1, |s| s.random() as usize % (last + 1));
            s.tasks[all[value]].doing = Doing::Ready;
        }
    }

    /// Sleeps until unparked, or for so long.
    #[track_caller]
    pub fn park(&self, at_most: Option<Duration>) {
        let has = |s: &mut State| std::mem::take(&mut s.tasks[self.index].token);
        self.point();
        if !has(&mut self.schedule.lock()) {
            self.sleep(park_key(self.index), at_most);
            has(&mut self.schedule.lock());
        }
    }

    /// Unparks a thread; false: it takes no turns here.
    #[track_caller]
    pub fn unpark(&self, thread: ThreadId) -> bool {
        {
            let mut s = self.schedule.lock();
            let Some(i) = s.tasks.iter().position(|t| t.thread == Some(thread)) else {
                return false;
            };
            s.tasks[i].token = true;
            s.wake(park_key(i));
        }
        self.point();
        true
    }
}
