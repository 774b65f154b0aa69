//! Who runs, who is ready, who sleeps, and what is decided: the state of a schedule, under its mutex.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write as _;
use std::panic::Location;
use std::sync::{Arc, Condvar};
use std::thread::ThreadId;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Doing {
    Ready,
    Asleep { on: usize, until: Option<u64> },
    Ended,
}

pub(super) struct TaskState {
    pub(super) name: String,
    /// Serves the others: nobody waits for its end only.
    pub(super) daemon: bool,
    pub(super) doing: Doing,
    pub(super) turn: Arc<Condvar>,
    pub(super) thread: Option<ThreadId>,
    /// Somebody has unparked it.
    pub(super) token: bool,
    pub(super) timed_out: bool,
    pub(super) priority: u64,
    pub(super) place: &'static Location<'static>,
}

#[derive(Clone, Copy)]
pub(super) enum Strategy {
    /// At every n-th point, on average, somebody else comes.
    Walk(u64),
    /// The ready one of the highest priority runs; at every n-th point, on average, it gets the lowest.
    Priorities(u64),
    /// The decisions of the plan are followed.
    Told,
}

pub(super) type Hook = Box<dyn FnOnce() + Send>;

pub(super) struct State {
    pub(super) rng: u64,
    pub(super) strategy: Strategy,
    pub(super) told: BTreeMap<u64, u32>,
    pub(super) made: Vec<(u64, u32)>,
    pub(super) tasks: Vec<TaskState>,
    pub(super) running: Option<usize>,
    pub(super) step: u64,
    pub(super) most_steps: u64,
    pub(super) now: u64,
    /// The first time at which somebody wakes.
    pub(super) wakes: u64,
    pub(super) switches: u64,
    pub(super) fingerprint: u64,
    pub(super) turns: VecDeque<(u64, usize, &'static Location<'static>)>,
    pub(super) hook: Option<(u64, Hook)>,
    /// Since one that is no daemon ran, or there is none left but daemons.
    pub(super) idle_since: u64,
    pub(super) failure: Option<String>,
}

/// So long may only daemons run, in the schedule's time.
pub(super) const ONLY_DAEMONS_NS: u64 = 600_000_000_000;
pub(super) const STEP_NS: u64 = 1_000;
pub(super) const TURNS_KEPT: usize = 80;

pub(super) fn next(rng: &mut u64) -> u64 {
    *rng = rng.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *rng;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl State {
    pub(super) fn random(&mut self) -> u64 {
        next(&mut self.rng)
    }

    /// The next decision, below `n`; `dice` says what the seed wants.
    pub(super) fn decide(&mut self, n: usize, dice: impl FnOnce(&mut State) -> usize) -> usize {
        let value = match self.strategy {
            Strategy::Told => self.told.get(&self.step).map_or(0, |v| *v as usize),
            _ => dice(self),
        };
        let value = value.min(n - 1);
        if value > 0 {
            self.made.push((self.step, value as u32));
        }
        value
    }

    /// Those who are ready but `me`, beginning with the one behind `me`.
    pub(super) fn others(&self, me: usize) -> Vec<usize> {
        let n = self.tasks.len();
        let others = (1..n).map(|d| (me + d) % n);
        others.filter(|&i| self.tasks[i].doing == Doing::Ready).collect()
    }

    /// Counts one step of a task, which is at `place`.
    pub(super) fn advance(&mut self, me: usize, place: &'static Location<'static>) -> Option<Hook> {
        self.step += 1;
        self.now += STEP_NS;
        self.tasks[me].place = place;
        let daemon = self.tasks[me].daemon;
        if !daemon {
            self.idle_since = self.now;
        }
        let mark = u64::from(place.line()) << 8 | me as u64;
        self.fingerprint = (self.fingerprint ^ mark).wrapping_mul(0x100_0000_01b3);
        self.wake_by_time();
        if self.step > self.most_steps || self.now > self.idle_since + ONLY_DAEMONS_NS {
            self.fail("no end: nobody but daemons goes on, or there are too many steps".into());
        }
        match &self.hook {
            Some((step, _)) if *step <= self.step => self.hook.take().map(|(_, hook)| hook),
            _ => None,
        }
    }

    pub(super) fn wake_by_time(&mut self) {
        if self.now < self.wakes {
            return;
        }
        self.wakes = u64::MAX;
        for t in &mut self.tasks {
            if let Doing::Asleep { until: Some(until), .. } = t.doing {
                if until <= self.now {
                    (t.doing, t.timed_out) = (Doing::Ready, true);
                } else {
                    self.wakes = self.wakes.min(until);
                }
            }
        }
    }

    pub(super) fn hand_to(&mut self, other: usize) {
        if self.turns.len() == TURNS_KEPT {
            self.turns.pop_front();
        }
        self.turns.push_back((self.step, other, self.tasks[other].place));
        self.switches += 1;
        self.running = Some(other);
        self.tasks[other].turn.notify_one();
    }

    /// `me` does not go on: somebody else does.
    pub(super) fn hand_on(&mut self, me: usize) {
        let mut others = self.others(me);
        while others.is_empty() {
            if self.tasks[me].doing == Doing::Ready {
                // Nobody but itself, woken by time.
                self.running = Some(me);
                return;
            }
            if self.wakes == u64::MAX {
                if self.tasks.iter().any(|t| t.doing != Doing::Ended) {
                    self.fail("deadlock: nobody is ready, and nobody wakes by time".into());
                }
                self.running = None;
                return;
            }
            self.now = self.now.max(self.wakes);
            self.wake_by_time();
            if self.now > self.idle_since + ONLY_DAEMONS_NS {
                self.fail("stuck: nobody but daemons goes on".into());
                return;
            }
            others = self.others(me);
        }
        let n = others.len();
        let tasks = &self.tasks;
        let best = (0..n).max_by_key(|&i| tasks[others[i]].priority).unwrap_or(0);
        let value = self.decide(n, |s| match s.strategy {
            Strategy::Priorities(_) => best,
            _ => s.random() as usize % n,
        });
        self.hand_to(others[value]);
    }

    pub(super) fn fail(&mut self, what: String) {
        if self.failure.is_some() {
            return;
        }
        let mut text = what;
        for (i, t) in self.tasks.iter().enumerate() {
            let doing = match t.doing {
                Doing::Ready if self.running == Some(i) => "runs",
                Doing::Ready => "is ready",
                Doing::Asleep { until: None, .. } => "sleeps",
                Doing::Asleep { .. } => "sleeps for a while",
                Doing::Ended => continue,
            };
            let _ = write!(text, "\n  {} {doing} at {}", t.name, t.place);
        }
        text.push_str("\n  last turns:");
        for (step, who, place) in &self.turns {
            let _ =
                write!(text, "\n    {step:>7} {:<16} goes on at {place}", self.tasks[*who].name);
        }
        self.failure = Some(text);
    }
}

impl State {
    pub(super) fn wake(&mut self, key: usize) {
        for t in &mut self.tasks {
            if matches!(t.doing, Doing::Asleep { on, .. } if on == key) {
                t.doing = Doing::Ready;
            }
        }
    }
}
