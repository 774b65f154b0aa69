//! The tables and keys of `experiment.toml`, which says everything about an experiment but its scripts.
//!
//! ```text
//! experiment.toml     schema, title, question, done, why
//!   [document]        the publication that is repeated
//!   [scale.quick]     sizes: values for $(names), disk and time of one round; quick, article, paper, tiny
//!   [[variant]]       what is compared; values of its own, what it needs of a server
//!   [database]        the script that makes its database
//!   [[setup]]         steps before the measures, not timed
//!   [[measure]]       steps that are timed and sampled
//!   [[chart]]         what is drawn
//!   [[claim]]         what the document says, as a comparison of figures
//! ```
//!
//! The page `docs/lab-experiments.md` describes each key. Nothing here is code: steps are words of a closed list.

use serde::Deserialize;
use std::collections::BTreeMap;
use toml::Spanned;

/// The version of the schema that this code reads.
pub const SCHEMA: i64 = 1;

/// A name of a file, a variant, a measure or a value, with its place in the file for errors.
pub type Name = Spanned<String>;

/// The whole of an `experiment.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// Version of the schema.
    pub schema: Spanned<i64>,
    /// A line for lists and headings.
    pub title: String,
    /// One sentence that ends in a question mark.
    pub question: String,
    /// Paragraphs, separated by empty lines: which work is done.
    pub done: String,
    /// Paragraphs: which mechanism explains the figures.
    pub why: String,
    /// The publication that is repeated, if there is one.
    pub document: Option<Document>,
    /// Sizes by name; `quick` at least.
    pub scale: BTreeMap<String, Scale>,
    /// Variants that are compared; the first is run first.
    pub variant: Vec<Variant>,
    /// How the database is made.
    pub database: Database,
    /// Steps before the measures.
    #[serde(default)]
    pub setup: Vec<Step>,
    /// Measures, in the order in which they are made.
    pub measure: Vec<Measure>,
    /// Drawings, in the order of the page.
    #[serde(default)]
    pub chart: Vec<Chart>,
    /// Claims of the document.
    #[serde(default)]
    pub claim: Vec<Claim>,
}

/// A publication that is repeated.
#[derive(Clone, Debug, PartialEq, Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// Title of the publication.
    pub title: String,
    /// Author; empty where that is not known.
    #[serde(default)]
    pub author: String,
    /// When; empty where that is not known.
    #[serde(default)]
    pub published: String,
    /// Server and machine on which it measured.
    #[serde(default)]
    pub measured_on: String,
    /// Published figures in words, for those that no chart shows.
    #[serde(default)]
    pub figures: Vec<String>,
}

/// One size of an experiment.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scale {
    /// Seconds of one round of all variants beside its durable writes, on an idle machine of two cores.
    pub seconds: f64,
    /// Durable writes of one round that wait for each other.
    #[serde(default)]
    pub durable_writes: f64,
    /// Megabytes of disk that are taken at a time.
    pub disk_mb: u64,
    /// Values of $(names).
    #[serde(default)]
    pub values: BTreeMap<String, Text>,
}

/// A value that stands in scripts: a number or a text.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Text {
    /// A number, written in digits.
    Number(i64),
    /// A text, put in as it is.
    Text(String),
}

impl std::fmt::Display for Text {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Text::Number(n) => write!(f, "{n}"),
            Text::Text(t) => f.write_str(t),
        }
    }
}

/// One of the things that are compared.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    /// Letters, digits and hyphens.
    pub name: Name,
    /// As tables and charts call it.
    pub label: String,
    /// Conditions on the server, without which the variant is left out by name.
    #[serde(default)]
    pub needs: Vec<Need>,
    /// Of `--peers`: the product that does the work in the server's place, by scripts of its own.
    pub peer: Option<Product>,
    /// Values of its own, which go before those of the scale.
    #[serde(default)]
    pub values: BTreeMap<String, Text>,
}

/// A product that does an experiment's work beside the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Product {
    /// SQLite, by `sqlite3`.
    Sqlite,
    /// PostgreSQL, by `psql`.
    Postgresql,
    /// MariaDB, by `mariadb`.
    Mariadb,
}

impl Product {
    /// All of them.
    pub const ALL: [Product; 3] = [Product::Sqlite, Product::Postgresql, Product::Mariadb];

    /// The product's name for readers.
    pub fn name(self) -> &'static str {
        match self {
            Product::Sqlite => "SQLite",
            Product::Postgresql => "PostgreSQL",
            Product::Mariadb => "MariaDB",
        }
    }

    /// The product's script in the place of one in T-SQL: `loop.sqlite.sql` for `loop.sql`.
    pub fn script(self, file: &str) -> String {
        let own = match self {
            Product::Sqlite => "sqlite",
            Product::Postgresql => "postgresql",
            Product::Mariadb => "mariadb",
        };
        format!("{}.{own}.sql", file.strip_suffix(".sql").unwrap_or(file))
    }
}

/// A condition on the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Need {
    /// The server is Taffrail.
    Taffrail,
    /// The server is SQL Server.
    SqlServer,
    /// The lab has started the server and may kill it.
    OwnServer,
    /// The server carries out the script that makes the variant's database; it is asked when the run begins.
    Create,
}

/// How the database is made.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Database {
    /// The script, run in master; it makes the database $(database) and no other.
    pub create: Name,
}

/// A step that is not timed: exactly one of its words.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Runs a script in the experiment's database.
    pub run: Option<Name>,
    /// Bulk-copies rows of a generator: `tpcc-customer`.
    pub load: Option<Name>,
    /// Of `load`: the table.
    pub table: Option<String>,
    /// Of `load`: how many rows.
    pub rows: Option<Spanned<Text>>,
    /// Waits until the database's files are not written to for half a second.
    #[serde(default)]
    pub rest: bool,
}

/// A step that is timed.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measure {
    /// Letters, digits and hyphens.
    pub name: Name,
    /// As tables and charts call it.
    pub label: String,
    /// The script that is timed.
    pub run: Name,
    /// Steps before it, not timed.
    #[serde(default)]
    pub before: Vec<Step>,
    /// Values of its own, which go before those of the variant.
    #[serde(default)]
    pub values: BTreeMap<String, Text>,
    /// So many connections run the script at a time; each knows its number as $(client), from 1.
    pub clients: Option<u32>,
    /// Of `clients`: how often each runs it. Of `kill = "tear"`: how many rows are asked for.
    pub rounds: Option<Spanned<Text>>,
    /// A script that one more connection runs again and again meanwhile, each run timed.
    pub beside: Option<Name>,
    /// The lab kills its own server (SIGKILL) and starts it again.
    pub kill: Option<Kill>,
    /// Of `kill = "during"`: how long the clients run first, in ms.
    pub after_ms: Option<u64>,
    /// Of `kill = "tear"`: a script behind the one that changes pages.
    pub then: Option<Name>,
    /// Of `kill = "during"`: a query for the number of runs whose work is there after the restart. Of `kill = "tear"`: one that
    /// gives 1 where the row of $(round) is right.
    pub found: Option<Name>,
    /// A query afterwards whose only row has further figures, one a column.
    pub ask: Option<Name>,
    /// Of `ask`: its columns, with what a reader sees of them.
    #[serde(default)]
    pub asked: BTreeMap<String, String>,
}

/// When a server is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kill {
    /// Before the script: timed from the start of the new process to the script's end.
    Before,
    /// While clients run it.
    During,
    /// After it; the pages that it has changed are torn before the restart.
    Tear,
}

/// A drawing on the page.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chart {
    /// Bars or lines.
    pub kind: ChartKind,
    /// Heading above the drawing.
    pub title: String,
    /// A sentence below it.
    #[serde(default)]
    pub caption: String,
    /// Of which measures; of `lines`, the first.
    pub measures: Vec<Name>,
    /// Variants, in order; all of them where none are named.
    #[serde(default)]
    pub variants: Vec<Name>,
    /// Of `bars`: the figure. Of `lines`: the channel.
    pub figure: Name,
    /// Of `bars`: a value by which the figure is divided.
    pub per: Option<Name>,
    /// Of `bars`: a factor behind that, for the unit.
    pub times: Option<f64>,
    /// Of `bars`: the unit; the figure's own where there is none.
    pub unit: Option<String>,
    /// Of `bars`: the variant whose figure is 1.
    pub relative_to: Option<Name>,
    /// Of `lines`: a channel whose growth shades the ground.
    pub mark: Option<Name>,
    /// Of `bars`: published values.
    #[serde(default)]
    pub published: Vec<Published>,
    /// Of `bars`: what published values are divided by, as `per` divides those measured.
    pub published_per: Option<f64>,
}

/// The forms of a drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChartKind {
    /// A bar for each variant, published ones beside.
    Bars,
    /// A channel over time, a panel for each variant.
    Lines,
}

/// A value that was published.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// Name of the measure.
    pub measure: Name,
    /// Name of the variant.
    pub variant: Name,
    /// The value, before division.
    pub value: f64,
}

/// A statement of the document as a comparison of figures.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// The document's statement as a sentence.
    pub text: String,
    /// Name of the measure.
    pub measure: Name,
    /// Name of the figure.
    pub figure: Name,
    /// The variant whose figure is meant.
    pub variant: Name,
    /// The variant that it is compared with; none for `about`.
    pub to: Option<Name>,
    /// A value by which the figure is divided.
    pub per: Option<Name>,
    /// Direction of the comparison.
    pub expect: Expect,
    /// Of `about`: the number.
    pub value: Option<f64>,
    /// Of `about` and `same`: how far off is still that, as a share.
    #[serde(default = "five_percent")]
    pub within: f64,
    /// The published ratio, for the reader.
    pub published: Option<f64>,
}

/// How two figures compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Expect {
    /// The variant's is smaller than the other's.
    Less,
    /// The variant's is greater.
    More,
    /// They differ by no more than `within`.
    Same,
    /// The variant's is `value`, within `within`.
    About,
}

fn five_percent() -> f64 {
    0.05
}
