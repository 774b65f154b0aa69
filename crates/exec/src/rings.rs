//! What sys.dm_os_ring_buffers shows: how busy the machine was, minute by minute, the last errors, connections that ended badly.

use crate::connectivity::Connectivity;
use crate::process::{proc_kb, proc_stat};
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::time::Duration;
use taffrail_base::SqlError;
use taffrail_io::UtcTime;
use taffrail_observe::xe;

/// Records of a ring.
const CAPACITY: usize = 256;
/// From one look at the processors to the next; the first comes sooner.
const MINUTE: Duration = Duration::from_secs(60);
const FIRST: Duration = Duration::from_secs(1);

/// How busy process and machine were since the look before.
#[derive(Clone, Copy, Default, Debug)]
pub struct Health {
    /// Since the start of the machine, ms.
    pub ms: u64,
    /// Percent of all processors.
    pub process: u64,
    /// Percent.
    pub idle: u64,
    /// ms
    pub user: u64,
    /// ms
    pub kernel: u64,
    /// Page faults of the process.
    pub faults: u64,
    /// Bytes.
    pub grown: i64,
    /// Percent of the budget.
    pub memory: u64,
}

/// An error that a session met.
#[derive(Clone, Copy, Debug)]
pub struct Failure {
    /// Since the start of the machine, ms.
    pub ms: u64,
    /// The number of the session.
    pub session: u16,
    /// The number of the error.
    pub number: i32,
    /// The severity of the error.
    pub severity: u8,
    /// The state of the error.
    pub state: u8,
}

/// The last records of a kind, and how many there were.
pub struct Ring<T>(Mutex<(VecDeque<T>, u64)>);

impl<T> Default for Ring<T> {
    fn default() -> Ring<T> {
        Ring(Mutex::new((VecDeque::new(), 0)))
    }
}

impl<T: Copy> Ring<T> {
    /// Gives its number.
    pub fn push(&self, record: T) -> u64 {
        let (records, count) = &mut *self.0.lock();
        if records.len() == CAPACITY {
            records.pop_front();
        }
        records.push_back(record);
        *count += 1;
        *count
    }

    /// The records with their numbers, the newest first.
    pub fn newest_first(&self) -> Vec<(u64, T)> {
        let (records, count) = &*self.0.lock();
        records.iter().rev().enumerate().map(|(n, r)| (count - n as u64, *r)).collect()
    }
}

/// What was counted at the look before.
#[derive(Clone, Copy, Default)]
struct Counted {
    at: Duration,
    user: u64,
    kernel: u64,
    faults: u64,
    resident_kb: u64,
    idle: u64,
    all: u64,
}

/// The rings of an instance.
#[derive(Default)]
pub struct Rings {
    /// Looks at the processors, one a minute.
    pub health: Ring<Health>,
    /// Errors that sessions have met.
    pub failures: Ring<Failure>,
    /// With the times: ms since the start of the machine, and the clock's.
    pub connections: Ring<(u64, UtcTime, Connectivity)>,
    counted: Mutex<Option<Counted>>,
}

/// Ticks that all processors were idle, and ticks in all: the first line of `/proc/stat`.
fn processors() -> (u64, u64) {
    let text = std::fs::read_to_string("/proc/stat").unwrap_or_default();
    let line = text.lines().next().unwrap_or_default();
    let ticks: Vec<u64> =
        line.split_ascii_whitespace().skip(1).filter_map(|n| n.parse().ok()).collect();
    // Idle, and waiting for a device. Time of guests is in that of users.
    let idle = ticks.iter().skip(3).take(2).sum();
    (idle, ticks.iter().take(8).sum())
}

impl Counted {
    fn now(at: Duration) -> Counted {
        let (user, kernel, faults) = proc_stat().unwrap_or_default();
        let (idle, all) = processors();
        let resident_kb = proc_kb("/proc/self/status", "VmRSS:").unwrap_or(0);
        Counted { at, user, kernel, faults, resident_kb, idle, all }
    }
}

impl Rings {
    /// A moment has passed: looks at the processors when a minute has.
    pub fn tick(&self, now: Duration, budget_mb: u64) {
        let mut counted = self.counted.lock();
        let Some(before) = *counted else {
            *counted = Some(Counted::now(now));
            return;
        };
        let first = self.health.0.lock().1 == 0;
        let past = now.saturating_sub(before.at);
        if past < if first { FIRST } else { MINUTE } {
            return;
        }
        let after = Counted::now(now);
        *counted = Some(after);
        drop(counted);
        let count = std::thread::available_parallelism().map_or(1, |n| n.get()) as u64;
        let since = |of: fn(&Counted) -> u64| of(&after).saturating_sub(of(&before));
        let (user, kernel) = (since(|c| c.user), since(|c| c.kernel));
        let all_ms = (past.as_millis() as u64 * count).max(1);
        let kb = after.resident_kb;
        let health = Health {
            ms: now.as_millis() as u64,
            process: ((user + kernel) * 100 / all_ms).min(100),
            idle: (since(|c| c.idle) * 100).checked_div(since(|c| c.all)).unwrap_or(0).min(100),
            user,
            kernel,
            faults: since(|c| c.faults),
            grown: (kb as i64 - before.resident_kb as i64) * 1024,
            memory: (kb * 100 / (budget_mb * 1024).max(1)).min(100),
        };
        let id = self.health.push(health);
        if xe::wanted(xe::Event::SchedulerMonitorSystemHealth) {
            let fields = [
                id.into(),
                health.ms.into(),
                health.process.into(),
                health.idle.into(),
                (health.user * 10_000).into(),
                (health.kernel * 10_000).into(),
                health.faults.into(),
                health.grown.into(),
                health.memory.into(),
                xe::Val::Empty,
            ];
            xe::tell(xe::Event::SchedulerMonitorSystemHealth, &fields);
        }
    }

    /// A session has met an error.
    pub fn failed(&self, now: Duration, session: u16, e: &SqlError) {
        let (number, severity, state) = (e.number, e.severity, e.state);
        self.failures.push(Failure {
            ms: now.as_millis() as u64,
            session,
            number,
            severity,
            state,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    struct Nobody;

    impl xe::Surroundings for Nobody {
        fn action(&self, _: u16, _: u16, _: xe::Action) -> xe::Val {
            xe::Val::Empty
        }

        fn statement(&self, _: u16) -> xe::Val {
            xe::Val::Empty
        }
    }

    #[test]
    fn who_listens_hears_of_each_look_at_the_processors() {
        let rings = Rings::default();
        let event = xe::Event::SchedulerMonitorSystemHealth;
        let wanted =
            xe::Wanted { info: event.info(), predicate: None, actions: Vec::new(), left_out: 0 };
        let targets = vec![Arc::new(xe::Target::ring(0, 0, 0))];
        let whose = (70_001, "health".into(), usize::MAX);
        let session = xe::Running::new(whose, vec![wanted], targets, 0, Arc::new(Nobody));
        let session = Arc::new(session);
        xe::start(session.clone());
        for s in 0..=70 {
            rings.tick(Duration::from_secs(1000 + s), 100);
        }
        xe::stop(&session);
        let told = xe::targets::kept(&session.targets[0]);
        let mine: Vec<_> = told.iter().map(|e| (&e.fields[0], &e.fields[1])).collect();
        let number = |n: u64| xe::Val::from(n);
        for expected in [(number(1), number(1_001_000)), (number(2), number(1_061_000))] {
            assert!(mine.contains(&(&expected.0, &expected.1)), "{mine:?}");
        }
    }

    #[test]
    fn a_ring_keeps_the_newest_and_the_processors_are_looked_at_each_minute() {
        let rings = Rings::default();
        let e = SqlError::new(208, &[&"t"]);
        for n in 0..300 {
            rings.failed(Duration::from_millis(n), 51, &e);
        }
        let all = rings.failures.newest_first();
        assert_eq!((all.len(), all[0].0, all[0].1.ms), (CAPACITY, 300, 299));
        assert_eq!((all[255].0, all[255].1.ms), (45, 44));
        for s in 0..=150 {
            rings.tick(Duration::from_secs(1000 + s), 100);
        }
        let health = rings.health.newest_first();
        let at: Vec<u64> = health.iter().rev().map(|h| h.1.ms / 1000).collect();
        assert_eq!(at, [1001, 1061, 1121]);
        assert!(health.iter().all(|h| h.1.process <= 100 && h.1.idle <= 100));
    }
}
