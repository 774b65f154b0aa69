//! A run: a warm-up, then rounds in which every variant has its turn, until each has its repetitions.
//!
//! A machine drifts, so no variant is measured to its end before the next begins: each round has all of them, and from
//! round to round the order is turned round. The warm-up is a small trial of the first variant and of the last, which nobody counts.

use super::gather;
use super::peers::Peers;
use super::place::{Place, free_mb};
use super::plan::{Needs, Wish, time_in_words};
use super::read::Experiment;
use super::record::{Device, Plan, Record, Trial};
use super::sample::Views;
use super::spec::{Need, Variant};
use super::statistics::rounded;
use super::stop::{Interrupted, Stop};
use super::store::Store;
use super::trial::{self, Bench};
use crate::device::Probe;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Where a run is told about while it goes on.
pub trait Listener {
    /// Hears of the step under way, with the share that is done and the time that is left.
    fn progress(&mut self, what: &str, done: f64, left: &str);
    /// A line for the reader.
    fn line(&mut self, text: &str);
}

/// Everything that a run is made of.
pub struct Run<'a> {
    /// The experiment, read and checked.
    pub experiment: &'a Experiment,
    /// Everything that was asked for.
    pub wish: Wish,
    /// The directory for results.
    pub out: PathBuf,
    /// The databases of the last round stay.
    pub keep: bool,
    /// Is set by Ctrl+C, SIGTERM and SIGHUP.
    pub interrupted: Interrupted,
    /// Products that do the work as well.
    pub peers: &'a Peers,
    /// Databases are made with PIPELINED_COMMIT = ON.
    pub pipelined_commit: bool,
}

/// Measures the device below a server of the lab's own; none where the server is another's.
pub fn device(place: &Place) -> Result<Option<Device>, Stop> {
    let Some(scratch) = place.scratch() else { return Ok(None) };
    let measured = Probe::new(scratch)?.measure()?;
    Ok(Some(Device {
        writes_per_s: rounded(measured.depth1_per_s),
        four_per_s: rounded(measured.depth4_per_s),
        p50_us: rounded(measured.p50_us),
        p99_us: rounded(measured.p99_us),
    }))
}

/// An error where a server of the lab's own does not have the room.
pub fn room(place: &Place, needs: &Needs<'_>) -> Result<(), Stop> {
    /// Disk that is left to others, MB.
    const RESERVE_MB: u64 = 200;
    let Some(free) = place.scratch().and_then(free_mb) else { return Ok(()) };
    if free >= needs.disk_mb + RESERVE_MB {
        return Ok(());
    }
    let (need, left) = (needs.disk_mb, RESERVE_MB);
    Err(Stop::Failed(format!(
        "there are {free} MB free where the lab's server keeps its data; this run takes {need} MB and leaves {left} MB: \
         choose a smaller --scale, or another --out"
    )))
}

impl Run<'_> {
    /// Runs it, or takes it up; the record, and where it is kept.
    pub fn go(
        &self,
        place: &mut Place,
        needs: &Needs<'_>,
        before: Option<Device>,
        listener: &mut dyn Listener,
    ) -> Result<(Record, PathBuf), Stop> {
        let started = now(place)?;
        let mut bench = Bench {
            experiment: self.experiment,
            place,
            views: Views::none(),
            values: needs.values.clone(),
            interrupted: self.interrupted.clone(),
            peers: self.peers,
            pipelined_commit: self.pipelined_commit,
        };
        // Every name is looked at before the first database is made.
        for variant in &needs.variants {
            bench.remove(variant)?;
        }
        let needs = &needs.clone().without(&self.refused(&mut bench, needs, listener)?);
        let first = needs.variants.iter().find(|v| v.peer.is_none()).ok_or_else(|| {
            let name = &self.experiment.files.name;
            Stop::Failed(format!("{name}: no variant is left to run on the server"))
        })?;
        let done = self.measured(&mut bench, first, needs, listener);
        let cleaned = if self.keep { Ok(()) } else { clean(&mut bench, &needs.variants) };
        let (store, plan, trials) = done?;
        cleaned?;
        let left_out = std::mem::take(&mut bench.views.left_out);
        let labels = needs.variants.iter().map(|v| bench.label(v)).collect::<Vec<_>>();
        let after = device(bench.place)?;
        let finished = now(bench.place)?;
        let record = gather::record(gather::Gathered {
            experiment: self.experiment,
            needs,
            plan,
            trials: &trials,
            labels,
            left_out,
            device: before.zip(after).map(|(before, after)| [before, after]),
            times: [started, finished],
        });
        store.finish(&record, &super::page::page(&record, self.experiment))?;
        Ok((record, store.place))
    }

    /// Variants whose database the server does not make, with its words.
    fn refused(
        &self,
        bench: &mut Bench<'_>,
        needs: &Needs<'_>,
        listener: &mut dyn Listener,
    ) -> Result<BTreeMap<String, String>, Stop> {
        // As small as there are: these databases are for the question alone.
        let values = self.tiny().unwrap_or_else(|| needs.values.clone());
        let values = std::mem::replace(&mut bench.values, values);
        let mut refused = BTreeMap::new();
        for variant in needs.variants.iter().filter(|v| v.needs.contains(&Need::Create)) {
            if let Some(why) = bench.refuses(variant)? {
                listener.line(&format!("  without {}: {why}", variant.label));
                refused.insert(variant.name.get_ref().clone(), why);
            }
        }
        bench.values = values;
        Ok(refused)
    }

    /// Values of the smallest scale.
    fn tiny(&self) -> Option<BTreeMap<String, String>> {
        let tiny = self.experiment.spec.scale.get("tiny")?;
        Some(tiny.values.iter().map(|(k, v)| (k.clone(), v.to_string())).collect())
    }

    /// The trials; what was made for them is still there when this returns.
    fn measured(
        &self,
        bench: &mut Bench<'_>,
        first: &Variant,
        needs: &Needs<'_>,
        listener: &mut dyn Listener,
    ) -> Result<(Store, Plan, Vec<Trial>), Stop> {
        bench.create(first)?;
        let name = trial::database(&self.experiment.files.name, first.name.get_ref());
        bench.views = Views::of(&mut bench.place.client("")?, &name)?;
        bench.remove(first)?;
        let mut server = bench.place.server.clone();
        if let versions @ [_, ..] = &*self.peers.versions(&needs.products) {
            server.machine += &format!("; beside it {}", versions.join(", "));
        }
        if self.pipelined_commit {
            let parted = if server.machine.is_empty() { "" } else { "; " };
            server.machine += &format!("{parted}PIPELINED_COMMIT = ON in each database");
        }
        let plan = Plan {
            experiment: self.experiment.files.name.clone(),
            files: self.experiment.files.texts.clone(),
            scale: self.wish.scale.clone(),
            repeat: self.wish.repeat,
            variants: needs.variants.iter().map(|v| v.name.get_ref().clone()).collect(),
            server,
            channels: bench.views.channels.clone(),
        };
        let mut store = Store::open(&self.out, &plan)?;
        let mut trials = std::mem::take(&mut store.trials);
        if !trials.is_empty() {
            let there = trials.len();
            let all = self.wish.repeat as usize * needs.variants.len();
            listener.line(&format!("  goes on after {there} of {all} trials"));
        }
        let went = self
            .warm_up(bench, needs, listener)
            .and_then(|()| self.rounds(bench, needs, &store, &mut trials, listener));
        if went.is_err() {
            store.remove_if_empty();
        }
        went.map(|()| (store, plan, trials))
    }

    /// A small trial of the first variant and of the last, for nobody.
    fn warm_up(
        &self,
        bench: &mut Bench<'_>,
        needs: &Needs<'_>,
        listener: &mut dyn Listener,
    ) -> Result<(), Stop> {
        let Some(values) = self.tiny() else { return Ok(()) };
        // What is measured is as small itself: a warm-up would double it.
        if self.wish.scale == "tiny" {
            return Ok(());
        }
        let values = std::mem::replace(&mut bench.values, values);
        listener.progress("warm-up", 0.0, "");
        let variants = [needs.variants.first(), needs.variants.last()];
        let warmed = variants.into_iter().flatten().try_for_each(|variant| {
            bench.run(variant, &mut |_| ())?;
            bench.remove(variant)
        });
        bench.values = values;
        warmed
    }

    fn rounds(
        &self,
        bench: &mut Bench<'_>,
        needs: &Needs<'_>,
        store: &Store,
        trials: &mut Vec<Trial>,
        listener: &mut dyn Listener,
    ) -> Result<(), Stop> {
        let name = &self.experiment.files.name;
        let repeat = self.wish.repeat;
        let all = repeat as usize * needs.variants.len();
        let (began, had) = (Instant::now(), trials.len());
        for round in 1..=repeat {
            let mut order: Vec<&Variant> = needs.variants.clone();
            if round % 2 == 0 {
                order.reverse();
            }
            for variant in order {
                let word = variant.name.get_ref();
                if trials.iter().any(|t| t.round == round && t.variant == *word) {
                    continue;
                }
                let done = trials.len();
                let left = match done - had {
                    0 => needs.seconds * (all - done) as f64 / all as f64,
                    made => began.elapsed().as_secs_f64() / made as f64 * (all - done) as f64,
                };
                let left = time_in_words(left);
                let share = done as f64 / all as f64;
                let label = bench.label(variant);
                let mut told = |what: &str| {
                    let what = format!("{name}: round {round} of {repeat}, {label}: {what}");
                    listener.progress(&what, share, &left);
                };
                let measures = bench
                    .run(variant, &mut told)
                    .map_err(|e| e.at(&format!("{name}, {word}, round {round}")))?;
                let trial = Trial { round, variant: word.clone(), measures };
                store.add(&trial)?;
                trials.push(trial);
                if !(self.keep && round == repeat) {
                    bench.remove(variant)?;
                }
            }
        }
        Ok(())
    }
}

/// Drops what is left of all variants, also after an interrupt or an error.
fn clean(bench: &mut Bench<'_>, variants: &[&Variant]) -> Result<(), Stop> {
    let each: Vec<Result<(), Stop>> = variants.iter().map(|v| bench.remove(v)).collect();
    each.into_iter().collect()
}

/// UTC by the server's clock.
fn now(place: &Place) -> Result<String, Stop> {
    let sql = "SELECT CONVERT(varchar(19), SYSUTCDATETIME(), 126)";
    Ok(format!("{}Z", place.client("")?.query(sql)?.first_value()))
}

/// Where a server of the lab's own keeps its data while results go to `out`.
pub fn scratch(out: &Path) -> PathBuf {
    out.join(".server")
}
