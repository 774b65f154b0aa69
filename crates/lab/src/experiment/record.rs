//! A run as JSON: what was asked for, what was measured, what it comes to. `docs/lab-experiments.md` describes it.

use super::spec::Document;
use super::statistics::Spread;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version of this form.
pub const RECORD_SCHEMA: u32 = 1;

/// Everything that decides what a run does: a run that was broken off is taken up by one with an equal plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Name of the experiment.
    pub experiment: String,
    /// Texts of the experiment's files, by name.
    pub files: BTreeMap<String, String>,
    /// Name of the scale.
    pub scale: String,
    /// Number of rounds, without the warm-up.
    pub repeat: u32,
    /// Names of the variants that are run, in order.
    pub variants: Vec<String>,
    /// The server that is measured.
    pub server: Server,
    /// The names of the samples' columns behind the time, in order.
    pub channels: Vec<String>,
}

/// The server that was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Server {
    /// `Taffrail` or `SQL Server`.
    pub product: String,
    /// The line of `@@VERSION` that names it.
    pub version: String,
    /// The lab has started it.
    pub own: bool,
    /// Processors that it sees.
    pub processors: u32,
    /// Memory of its machine, MB.
    pub memory_mb: u64,
    /// The machine in words: processor, kernel, file system; empty for one that is elsewhere.
    pub machine: String,
}

/// One variant in one round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// The round, from 1.
    pub round: u32,
    /// Name of the variant.
    pub variant: String,
    /// A measure each, in order.
    pub measures: Vec<Measured>,
}

/// One measure of one trial.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Name of the measure.
    pub name: String,
    /// Figures by their names.
    pub figures: BTreeMap<String, f64>,
    /// Samples: ms from the measure's beginning, then the channels as the views show them.
    pub samples: Vec<Vec<f64>>,
    /// The longest waits of the server meanwhile.
    pub waits: Vec<Wait>,
    /// Writes of the log by their causes, where the server shows them: Taffrail does.
    #[serde(default)]
    pub flushes: Vec<Flush>,
    /// Of each 20 ms with a commit: ms from the beginning, the longest commit in ms, how many.
    pub latency: Vec<[f64; 3]>,
}

/// A wait type's share in a measure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Wait {
    /// As sys.dm_os_wait_stats calls it.
    pub wait_type: String,
    /// Waiting time of all sessions, ms.
    pub ms: f64,
    /// Number of waits that ended.
    pub waits: f64,
}

/// Writes of the log that had the same cause.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Flush {
    /// As taffrail.flush_history calls it.
    pub cause: String,
    /// Number of writes.
    pub writes: f64,
    /// Their mean size, KB.
    pub kb: f64,
    /// Commit records in one of them, on an average.
    pub commits: f64,
    /// Their mean duration, µs.
    pub us: f64,
}

/// The device's own speed, before or after a run on a server of the lab's own.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Device {
    /// Durable writes of 4 KB a second, one after another.
    pub writes_per_s: f64,
    /// Durable writes of 4 KB a second, of four threads at once.
    pub four_per_s: f64,
    /// The median of one, µs.
    pub p50_us: f64,
    /// 99 % are faster, µs.
    pub p99_us: f64,
}

/// A run that is finished.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Version of this form: [`RECORD_SCHEMA`].
    pub schema: u32,
    /// The lab's own version.
    pub lab: String,
    /// Everything that was asked for.
    pub plan: Plan,
    /// Title, question and texts of the experiment.
    pub about: About,
    /// UTC, by the server's clock.
    pub started: String,
    /// UTC, by the server's clock.
    pub finished: String,
    /// Values of the scale.
    pub values: BTreeMap<String, String>,
    /// The device before and after; none where the server is another's.
    pub device: Option<[Device; 2]>,
    /// All variants of the experiment.
    pub variants: Vec<VariantTold>,
    /// Measures of the experiment, in order.
    pub measures: Vec<MeasureTold>,
    /// Every figure of every measure and variant.
    pub figures: Vec<FigureTold>,
    /// The samples of one trial of each: that with the median duration.
    pub series: Vec<Series>,
    /// Claims of the document, judged.
    pub claims: Vec<ClaimTold>,
    /// Channels that the server does not show, with its reason.
    pub left_out: Vec<LeftOut>,
    /// Doubts about the figures.
    pub noise: Vec<String>,
}

/// Texts of the experiment for readers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct About {
    /// Title of the experiment, a line.
    pub title: String,
    /// Question that the experiment answers.
    pub question: String,
    /// Paragraphs that empty lines part.
    pub done: String,
    /// Paragraphs that empty lines part.
    pub why: String,
    /// Publication that is repeated, if there is one.
    pub document: Option<Document>,
}

/// A variant as readers see it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VariantTold {
    /// Name in files, letters, digits and hyphens.
    pub name: String,
    /// Its label, with values put in.
    pub label: String,
    /// Why it was not run.
    pub left_out: Option<String>,
}

/// A measure as readers see it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeasureTold {
    /// Name in files, letters, digits and hyphens.
    pub name: String,
    /// Name that readers see.
    pub label: String,
    /// Why it was not made.
    pub left_out: Option<String>,
}

/// A figure over all rounds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FigureTold {
    /// Name of the variant.
    pub variant: String,
    /// Name of the measure.
    pub measure: String,
    /// Name of the figure.
    pub figure: String,
    /// Name that readers see.
    pub label: String,
    /// Its unit; empty for a number.
    pub unit: String,
    /// One value a round.
    pub values: Vec<f64>,
    /// Their median, lowest and highest.
    #[serde(flatten)]
    pub spread: Spread,
}

/// Samples, latencies and waits of one trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// Name of the variant.
    pub variant: String,
    /// Name of the measure.
    pub measure: String,
    /// Samples, as in [`Measured::samples`].
    pub samples: Vec<Vec<f64>>,
    /// Latencies, as in [`Measured::latency`].
    pub latency: Vec<[f64; 3]>,
    /// Waits, as in [`Measured::waits`].
    pub waits: Vec<Wait>,
    /// Writes of the log, as in [`Measured::flushes`].
    #[serde(default)]
    pub flushes: Vec<Flush>,
}

/// A claim of the document, and what is to be said of it here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClaimTold {
    /// The document's statement as a sentence.
    pub text: String,
    /// Seen here, or not, or not decided.
    pub verdict: Verdict,
    /// The measured ratio or value in words, with its interval.
    pub here: String,
    /// The ratio, or the value, with its interval.
    pub measured: Option<Spread>,
    /// The ratio that was published.
    pub published: Option<f64>,
}

/// A run's word on a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The whole interval agrees with the claim.
    Seen,
    /// The contrary was seen.
    NotSeen,
    /// No difference was seen, or the interval allows either.
    Undecided,
    /// Nothing was measured that could say.
    LeftOut,
}

impl Verdict {
    /// The verdict in words.
    pub fn words(self) -> &'static str {
        match self {
            Verdict::Seen => "seen here",
            Verdict::NotSeen => "not seen here",
            Verdict::Undecided => "not decided",
            Verdict::LeftOut => "left out",
        }
    }
}

/// A view, variant or measure that a server lacks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeftOut {
    /// A channel, a variant or a measure.
    pub what: String,
    /// Reason in the server's or the lab's words.
    pub why: String,
}

impl Record {
    /// A figure of a measure and a variant.
    pub fn figure(&self, variant: &str, measure: &str, figure: &str) -> Option<&FigureTold> {
        self.figures
            .iter()
            .find(|f| f.variant == variant && f.measure == measure && f.figure == figure)
    }

    /// The samples of a measure and a variant.
    pub fn series(&self, variant: &str, measure: &str) -> Option<&Series> {
        self.series.iter().find(|s| s.variant == variant && s.measure == measure)
    }

    /// Variants that were run.
    pub fn run_variants(&self) -> impl Iterator<Item = &VariantTold> {
        self.variants.iter().filter(|v| v.left_out.is_none())
    }
}
