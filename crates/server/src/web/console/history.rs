//! The last hour, kept by the server, so that a chart has its past when somebody opens it.
//!
//! One thread takes a sample each [`EVERY`] from the cells behind the views, without a session. [`KEPT`] samples of [`NAMES`] figures of
//! eight bytes are all that is kept: 180 KB.

use super::waits::Waits;
use crate::acceptor::STACK_BYTES;
use parking_lot::{Condvar, Mutex};
use serde_json::{Map, Value as Json, json};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use taffrail_engine::Instance;
use taffrail_engine::metrics::{Family, Figure, families};

/// From one sample to the next.
const EVERY: Duration = Duration::from_secs(5);
/// Samples that are kept: an hour of them.
const KEPT: usize = 720;

/// Figures of a sample that are no waits, each a rate per second; pages show them under these names.
const FIGURES: [&str; 19] = [
    "cpuMs",
    "batches",
    "transactions",
    "flushes",
    "flushBytes",
    "flushWaits",
    "flushWaitMs",
    "flushWriteMs",
    "readBytes",
    "dataBytes",
    "logBytes",
    "dataWrites",
    "logWrites",
    "checkpointPages",
    "backgroundPages",
    "lazyPages",
    "pageWrites",
    "pageReads",
    "growths",
];
/// Classes of waits.
const CLASSES: usize = 12;
const NAMES: usize = FIGURES.len() + CLASSES;

/// Totals, or rates between two of them.
type Figures = [f64; NAMES];

struct Point {
    at: Instant,
    rates: Figures,
}

#[derive(Default)]
struct State {
    points: VecDeque<Point>,
    stopping: bool,
}

/// See the module's text.
pub(super) struct History {
    state: Arc<(Mutex<State>, Condvar)>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl History {
    /// Begins; an error when there is no thread to be had.
    pub(super) fn start(instance: Arc<Instance>) -> std::io::Result<History> {
        let state: Arc<(Mutex<State>, Condvar)> = Arc::default();
        let own = state.clone();
        let thread = std::thread::Builder::new()
            .name("console history".into())
            .stack_size(STACK_BYTES)
            .spawn(move || keep(&instance, &own))?;
        Ok(History { state, thread: Mutex::new(Some(thread)) })
    }

    /// Ends the thread.
    pub(super) fn stop(&self) {
        self.state.0.lock().stopping = true;
        self.state.1.notify_all();
        if let Some(thread) = self.thread.lock().take() {
            // A panic has said on standard error what it was.
            let _ = thread.join();
        }
    }

    /// The samples, oldest first: `ago` in seconds, and a list for each figure.
    pub(super) fn told(&self) -> Json {
        let state = self.state.0.lock();
        let now = Instant::now();
        let column = |figure: usize| -> Json {
            state.points.iter().map(|p| rounded(p.rates[figure])).collect()
        };
        let mut all = Map::new();
        let ago = |p: &Point| now.duration_since(p.at).as_millis() as f64 / 1000.0;
        all.insert("ago".into(), state.points.iter().map(ago).collect());
        for (figure, name) in FIGURES.iter().enumerate() {
            all.insert((*name).into(), column(figure));
        }
        let classes = Waits::default();
        let waits: Map<String, Json> = classes
            .classes()
            .enumerate()
            .map(|(i, (name, _))| (name.to_owned(), column(FIGURES.len() + i)))
            .collect();
        all.insert("waits".into(), waits.into());
        json!({ "every": EVERY.as_secs(), "kept": KEPT, "points": all })
    }
}

/// A figure without digits that nobody sees.
fn rounded(n: f64) -> Json {
    match n.fract() == 0.0 || n >= 1000.0 {
        true => (n.round() as i64).into(),
        false => ((n * 100.0).round() / 100.0).into(),
    }
}

fn keep(instance: &Instance, (state, wake): &(Mutex<State>, Condvar)) {
    let mut waits = Waits::default();
    let mut last: Option<(Instant, Figures)> = None;
    let mut due = Instant::now();
    loop {
        let at = Instant::now();
        let totals = totals(instance, &mut waits);
        let mut state = state.lock();
        if let Some((before, old)) = last {
            let seconds = at.duration_since(before).as_secs_f64().max(1e-3);
            let rates = std::array::from_fn(|i| (totals[i] - old[i]).max(0.0) / seconds);
            if state.points.len() == KEPT {
                state.points.pop_front();
            }
            state.points.push_back(Point { at, rates });
        }
        last = Some((at, totals));
        // A machine that slept has nothing to catch up with.
        due = (due + EVERY).max(Instant::now());
        while !state.stopping && Instant::now() < due {
            wake.wait_until(&mut state, due);
        }
        if state.stopping {
            return;
        }
    }
}

/// Figures of a family by their labels.
struct Found<'a>(HashMap<&'static str, &'a Family>);

impl Found<'_> {
    fn values(&self, name: &str) -> impl Iterator<Item = (&[(&'static str, String)], f64)> {
        let samples = self.0.get(name).map_or(&[][..], |f| &f.samples);
        samples.iter().filter_map(|s| match s.figure {
            Figure::Value(value) => Some((&*s.labels, value)),
            Figure::Distribution(..) => None,
        })
    }

    fn sum(&self, name: &str) -> f64 {
        self.values(name).map(|v| v.1).sum()
    }
}

fn totals(instance: &Instance, waits: &mut Waits) -> Figures {
    let all = families(instance);
    let found = Found(all.iter().map(|f| (f.name, f)).collect());
    let label = |labels: &[(&str, String)], name| {
        labels.iter().find(|l| l.0 == name).map(|l| l.1.clone()).unwrap_or_default()
    };
    let file = |labels: &[(&str, String)]| (label(labels, "db"), label(labels, "logicalname"));
    let sizes = found.values("taffrail_file_size_bytes");
    let logs: std::collections::HashSet<_> =
        sizes.filter(|(l, _)| label(l, "type") == "LOG").map(|(l, _)| file(l)).collect();
    let written = |family: &str, log: bool| -> f64 {
        let of = found.values(family).filter(|(l, _)| label(l, "operation") == "write");
        of.filter(|(l, _)| logs.contains(&file(l)) == log).map(|v| v.1).sum()
    };
    let read = found.values("taffrail_file_bytes").filter(|(l, _)| label(l, "operation") == "read");
    let background = instance.storage().pool.counters.background_writer_pages.get();
    let figures: [f64; FIGURES.len()] = [
        found.sum("taffrail_process_cpu_seconds") * 1000.0,
        found.sum("mssql_batch_requests"),
        found.sum("taffrail_transactions"),
        found.sum("taffrail_log_flushes"),
        found.sum("taffrail_log_flushed_bytes"),
        found.sum("taffrail_log_flush_waits"),
        found.sum("taffrail_log_flush_wait_seconds") * 1000.0,
        found.sum("taffrail_log_flush_write_seconds") * 1000.0,
        read.map(|v| v.1).sum(),
        written("taffrail_file_bytes", false),
        written("taffrail_file_bytes", true),
        written("taffrail_file_operations", false),
        written("taffrail_file_operations", true),
        found.sum("taffrail_checkpoint_pages"),
        background as f64,
        found.sum("taffrail_lazy_writes"),
        found.sum("taffrail_page_writes"),
        found.sum("taffrail_page_reads"),
        found.sum("mssql_log_growths"),
    ];
    waits.take();
    let mut all = [0.0; NAMES];
    all[..FIGURES.len()].copy_from_slice(&figures);
    for (i, (_, ms)) in waits.classes().enumerate() {
        all[FIGURES.len() + i] = ms as f64;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::super::reader::Reader;
    use super::super::sampler::tests::{sa, with_instance};
    use super::*;

    #[test]
    fn totals_are_those_of_the_views_and_each_has_a_name() {
        with_instance("history", |instance, log| {
            let reader = Reader::new(instance.clone(), log);
            reader.ask(&sa(instance), "CREATE DATABASE kept").unwrap();
            let before = totals(instance, &mut Waits::default());
            let writes =
                "SET NOCOUNT ON CREATE TABLE kept.dbo.t (a int) INSERT kept.dbo.t VALUES (1)";
            (0..20).for_each(|n| {
                reader
                    .ask(&sa(instance), &writes.replace(".t", &format!(".t{n}")))
                    .map(drop)
                    .unwrap();
            });
            let after = totals(instance, &mut Waits::default());
            let grown = |name: &str| {
                let i = FIGURES.iter().position(|f| *f == name).unwrap();
                after[i] - before[i]
            };
            for name in
                ["batches", "transactions", "flushes", "flushBytes", "logBytes", "logWrites"]
            {
                assert!(grown(name) >= 20.0, "{name}: {}", grown(name));
            }
            assert!(grown("logBytes") >= grown("flushBytes"), "a log's file has the flushes");
            reader.stop();
        });
    }

    #[test]
    fn no_more_than_an_hour_is_kept_and_the_thread_ends_at_once() {
        with_instance("history-stop", |instance, _| {
            assert_eq!(KEPT as u64 * EVERY.as_secs(), 3600);
            let history = History::start(instance.clone()).unwrap();
            let point = || Point { at: Instant::now(), rates: [1.25; NAMES] };
            history.state.0.lock().points.extend((0..KEPT).map(|_| point()));
            let told = history.told();
            assert_eq!(told["points"]["ago"].as_array().unwrap().len(), KEPT);
            assert_eq!(told["points"]["batches"][0], 1.25);
            assert_eq!(told["points"]["waits"].as_object().unwrap().len(), CLASSES);
            assert_eq!(rounded(4096.4), 4096);
            let began = Instant::now();
            history.stop();
            assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
        });
    }
}
