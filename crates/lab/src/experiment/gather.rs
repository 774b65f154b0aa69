//! From trials to the record: figures over all rounds, the samples of one trial each, the claims judged, doubts named.

use super::figures;
use super::judge;
use super::plan::Needs;
use super::read::Experiment;
use super::record::{
    About, Device, FigureTold, LeftOut, MeasureTold, Measured, Plan, RECORD_SCHEMA, Record, Series,
    Trial, VariantTold,
};
use super::statistics::Spread;
use super::trial;
use std::collections::BTreeSet;

/// Everything that a record is made of.
pub struct Gathered<'a> {
    /// The experiment, read and checked.
    pub experiment: &'a Experiment,
    /// Variants that are run and left out, and the values.
    pub needs: &'a Needs<'a>,
    /// Everything that was asked for.
    pub plan: Plan,
    /// Trials of all rounds and variants.
    pub trials: &'a [Trial],
    /// Labels of the variants that were run, with values put in.
    pub labels: Vec<String>,
    /// Channels that the server does not show.
    pub left_out: Vec<LeftOut>,
    /// The device before and after.
    pub device: Option<[Device; 2]>,
    /// Moments of the beginning and the end, in UTC.
    pub times: [String; 2],
}

/// Rounds below which an interval says little.
const ROUNDS: u32 = 3;
/// A device that changes by more than this has not been left alone.
const DRIFT: f64 = 1.25;
/// Rounds that differ by more than this differ much.
const WIDE: f64 = 1.5;

/// Makes the record of a finished run.
pub fn record(g: Gathered<'_>) -> Record {
    let spec = &g.experiment.spec;
    let run = g.needs.variants.iter().zip(g.labels).map(|(v, label)| VariantTold {
        name: v.name.get_ref().clone(),
        label,
        left_out: None,
    });
    let not_run = g.needs.left_out.iter().map(|(v, why)| VariantTold {
        name: v.name.get_ref().clone(),
        label: v.label.clone(),
        left_out: Some(why.clone()),
    });
    let [started, finished] = g.times;
    let mut record = Record {
        schema: RECORD_SCHEMA,
        lab: env!("CARGO_PKG_VERSION").into(),
        about: About {
            title: spec.title.clone(),
            question: spec.question.clone(),
            done: spec.done.clone(),
            why: spec.why.clone(),
            document: spec.document.clone(),
        },
        started,
        finished,
        values: g.needs.values.clone(),
        device: g.device,
        variants: run.chain(not_run).collect(),
        measures: spec
            .measure
            .iter()
            .map(|m| MeasureTold {
                name: m.name.get_ref().clone(),
                label: m.label.clone(),
                left_out: trial::lacks_for(m, &g.plan.server),
            })
            .collect(),
        figures: Vec::new(),
        series: Vec::new(),
        claims: Vec::new(),
        left_out: g.left_out,
        noise: Vec::new(),
        plan: g.plan,
    };
    record.figures = figures_of(&record, g.experiment, g.trials);
    record.series = series_of(&record, g.trials);
    // A claim about a variant that is not run here is another server's.
    let lacking =
        |name: &str| record.variants.iter().any(|v| v.name == name && v.left_out.is_some());
    let names = |c: &&super::spec::Claim| {
        !std::iter::once(&c.variant).chain(&c.to).any(|n| lacking(n.get_ref()))
    };
    record.claims = spec.claim.iter().filter(names).map(|c| judge::judge(c, &record)).collect();
    record.noise = noise(&record);
    record
}

/// The measures of a name in the trials of a variant, by round.
fn measured<'t>(trials: &'t [Trial], variant: &str, measure: &str) -> Vec<&'t Measured> {
    let mut of: Vec<&Trial> = trials.iter().filter(|t| t.variant == variant).collect();
    of.sort_by_key(|t| t.round);
    of.into_iter().flat_map(|t| t.measures.iter().filter(|m| m.name == measure)).collect()
}

fn figures_of(record: &Record, experiment: &Experiment, trials: &[Trial]) -> Vec<FigureTold> {
    let mut told = Vec::new();
    for measure in &experiment.spec.measure {
        let name = measure.name.get_ref();
        for variant in record.run_variants() {
            let all = measured(trials, &variant.name, name);
            let names: BTreeSet<&String> = all.iter().flat_map(|m| m.figures.keys()).collect();
            let order = |n: &str| figures::FIGURES.iter().position(|f| f.name == n);
            let mut names: Vec<&String> = names.into_iter().collect();
            names.sort_by_key(|n| order(n).unwrap_or(usize::MAX));
            for figure in names {
                let values: Vec<f64> =
                    all.iter().filter_map(|m| m.figures.get(figure).copied()).collect();
                let Some(spread) = Spread::of(&values) else { continue };
                let known = figures::by_name(figure);
                let asked = measure.asked.get(figure).cloned();
                told.push(FigureTold {
                    variant: variant.name.clone(),
                    measure: name.clone(),
                    figure: figure.clone(),
                    label: asked
                        .or(known.map(|f| f.label.to_owned()))
                        .unwrap_or_else(|| figure.clone()),
                    unit: known.map(|f| f.unit.to_owned()).unwrap_or_default(),
                    values,
                    spread,
                });
            }
        }
    }
    told
}

/// The samples of the trial whose duration is the median.
fn series_of(record: &Record, trials: &[Trial]) -> Vec<Series> {
    let mut series = Vec::new();
    for measure in &record.measures {
        for variant in record.run_variants() {
            let mut all = measured(trials, &variant.name, &measure.name);
            let seconds = |m: &Measured| m.figures.get("seconds").copied().unwrap_or(0.0);
            all.sort_by(|a, b| seconds(a).total_cmp(&seconds(b)));
            let Some(middle) = all.get(all.len() / 2).filter(|m| !m.samples.is_empty()) else {
                continue;
            };
            series.push(Series {
                variant: variant.name.clone(),
                measure: measure.name.clone(),
                samples: middle.samples.clone(),
                latency: middle.latency.clone(),
                waits: middle.waits.clone(),
                flushes: middle.flushes.clone(),
            });
        }
    }
    series
}

/// Doubts about the figures, in words.
fn noise(record: &Record) -> Vec<String> {
    let mut doubts = Vec::new();
    if record.plan.repeat < ROUNDS {
        doubts.push(format!(
            "{} is fewer than {ROUNDS} rounds: the intervals say little.",
            record.plan.repeat
        ));
    }
    if let Some([before, after]) = record.device {
        let change = after.writes_per_s / before.writes_per_s.max(1.0);
        if !(1.0 / DRIFT..=DRIFT).contains(&change) {
            doubts.push(format!(
                "The device made {} durable writes a second before the run and {} after it: something else was using it.",
                judge::number(before.writes_per_s),
                judge::number(after.writes_per_s)
            ));
        }
    }
    let wide = record
        .figures
        .iter()
        .filter(|f| f.figure == "seconds" && f.spread.low > 0.0)
        .filter(|f| f.spread.high / f.spread.low > WIDE)
        .count();
    let all = record.figures.iter().filter(|f| f.figure == "seconds").count();
    if wide > 0 {
        doubts.push(format!(
            "{wide} of {all} durations differ by more than half from round to round: the machine was busy, or the work is short."
        ));
    }
    if record.plan.scale == "tiny" {
        doubts.push("The scale 'tiny' is for tests: its durations say nothing.".into());
    }
    doubts
}
