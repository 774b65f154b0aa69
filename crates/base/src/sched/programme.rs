//! Many seeds of one test: which, on how many threads, and what is said of one that fails.
//!
//! ```text
//! TAFFRAIL_TURNS_RUNS=5000     so many seeds, from TAFFRAIL_TURNS_FIRST on
//! TAFFRAIL_TURNS=17            seed 17 alone
//! TAFFRAIL_TURNS=17/4/9        its load at size 4, under the schedule of seed 9
//! TAFFRAIL_TURNS=17/4/9:12=1,  the same with these decisions alone: what a failure is shrunk to
//! ```

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::{Failure, Plan, Ran, shrink};

/// A load and its schedule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    /// The seed of the world and the load.
    pub seed: u64,
    /// How much of the load is done: [`Case::FULL`], or less.
    pub size: u32,
    /// The seed of the schedule.
    pub schedule: u64,
    /// These decisions of the schedule alone.
    pub decisions: Option<Vec<(u64, u32)>>,
}

impl Case {
    /// The size of the whole load.
    pub const FULL: u32 = 16;

    /// A seed of both.
    pub fn new(seed: u64) -> Case {
        Case { seed, size: Case::FULL, schedule: seed, decisions: None }
    }

    /// The plan of the case's schedule.
    pub fn plan(&self) -> Plan {
        match &self.decisions {
            None => Plan::new(self.schedule),
            Some(decisions) => Plan::only(self.schedule, decisions.clone()),
        }
    }

    /// A part of `n` that goes with the size; at least 1.
    pub fn part(&self, n: u64) -> u64 {
        (n * u64::from(self.size)).div_ceil(u64::from(Case::FULL)).max(1)
    }

    fn parse(text: &str) -> Option<Case> {
        let (head, decisions) = match text.split_once(':') {
            Some((head, decisions)) => (head, Some(decisions)),
            None => (text, None),
        };
        let mut numbers = head.split('/').map(str::parse::<u64>);
        let mut case = Case::new(numbers.next()?.ok()?);
        if let Some(size) = numbers.next() {
            case.size = u32::try_from(size.ok()?).ok()?;
        }
        if let Some(schedule) = numbers.next() {
            case.schedule = schedule.ok()?;
        }
        if let Some(decisions) = decisions {
            let pair = |p: &str| {
                let (step, value) = p.split_once('=')?;
                Some((step.parse().ok()?, value.parse().ok()?))
            };
            let all = decisions.split(',').filter(|p| !p.is_empty()).map(pair);
            case.decisions = Some(all.collect::<Option<_>>()?);
        }
        Some(case)
    }
}

impl std::fmt::Display for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}/{}", self.seed, self.size, self.schedule)?;
        let Some(decisions) = &self.decisions else { return Ok(()) };
        f.write_str(":")?;
        decisions.iter().try_for_each(|(step, value)| write!(f, "{step}={value},"))
    }
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

fn number(name: &str) -> Option<u64> {
    variable(name)?.parse().ok()
}

/// The results of a programme of seeds.
#[derive(Debug)]
pub struct Seen<S> {
    /// Of each run that came to its end.
    pub results: Vec<S>,
    /// Steps of all runs.
    pub steps: u64,
    /// How often the baton changed hands.
    pub switches: u64,
    /// It was told which cases to run: too few to ask what they have met.
    pub told: bool,
}

/// Runs `one` on the seeds that the environment names, or on `usual` ones from `first` on, on two threads. The first failure is
/// shrunk and panics with a command that has it again; `again` is what that command runs, after `cargo test`.
pub fn programme<S: Send>(
    again: &str,
    first: u64,
    usual: u64,
    one: impl Fn(&Case) -> Result<Ran<S>, Failure> + Sync,
) -> Seen<S> {
    let told = variable("TAFFRAIL_TURNS").map(|text| {
        Case::parse(&text).unwrap_or_else(|| panic!("TAFFRAIL_TURNS={text} is no case"))
    });
    let first = number("TAFFRAIL_TURNS_FIRST").unwrap_or(first);
    let runs = number("TAFFRAIL_TURNS_RUNS").unwrap_or(usual);
    let cases: Vec<Case> = match &told {
        Some(case) => vec![case.clone()],
        None => (first..first + runs).map(Case::new).collect(),
    };
    let next = AtomicU64::new(0);
    let seen = Seen { results: Vec::new(), steps: 0, switches: 0, told: told.is_some() };
    let all = Mutex::new((seen, None::<(Case, Failure)>));
    let lock = || all.lock().unwrap_or_else(PoisonError::into_inner);
    std::thread::scope(|s| {
        for _ in 0..2 {
            s.spawn(|| {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed) as usize;
                    let Some(case) = cases.get(i) else { return };
                    let ran = one(case);
                    let mut all = lock();
                    if all.1.is_some() {
                        return;
                    }
                    match ran {
                        Ok(ran) => {
                            all.0.results.push(ran.result);
                            all.0.steps += ran.steps;
                            all.0.switches += ran.switches;
                        }
                        Err(failure) => all.1 = Some((case.clone(), failure)),
                    }
                }
            });
        }
    });
    let (seen, failed) = all.into_inner().unwrap_or_else(PoisonError::into_inner);
    let Some((case, failure)) = failed else { return seen };
    let (case, text, tries) = match told {
        Some(_) => (case, failure.text, 1),
        None => smallest(case, failure, &one),
    };
    panic!(
        "{text}\n{tries} runs to make it as small as this.\nagain: TAFFRAIL_TURNS={case} cargo test {again}"
    );
}

/// Less of the load, under other schedules if need be, then fewer decisions.
fn smallest<S>(
    case: Case,
    failure: Failure,
    one: &impl Fn(&Case) -> Result<Ran<S>, Failure>,
) -> (Case, String, usize) {
    let (mut case, mut failure, mut tries) = (case, failure, 1);
    'sizes: for size in [1, 2, 4, 8] {
        for schedule in 0..25 {
            let schedule = case.schedule + schedule;
            let smaller = Case { size, schedule, ..case.clone() };
            tries += 1;
            if let Err(f) = one(&smaller) {
                (case, failure) = (smaller, f);
                break 'sizes;
            }
        }
    }
    let with = |some: &[(u64, u32)]| Case { decisions: Some(some.to_vec()), ..case.clone() };
    let fails = |some: &[(u64, u32)]| one(&with(some)).err().map(|f| f.text);
    match shrink(&failure.decisions, 200, fails) {
        Some(s) => (with(&s.decisions), s.text, tries + s.tries),
        None => (case, failure.text, tries),
    }
}
